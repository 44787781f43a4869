"""The examples of docs/python.md and of README.md do what the pages say: the `>>>` blocks of a page run as one doctest.

    python -m pytest tests/python/test_guide.py
"""

import doctest
import re
from pathlib import Path

import pytest

for module in ("matplotlib", "pandas", "polars"):
    pytest.importorskip(module, reason=f"the guide shows {module}, which is not installed")

ROOT = Path(__file__).resolve().parents[2]
#: Page -> how many examples it has at least.
PAGES = {ROOT / "docs" / "python.md": 30, ROOT / "README.md": 5}
FENCE = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def examples(text):
    """The Python blocks of a page where they stand, everything else left blank: line numbers are those of the page."""
    out, end = [], 0
    for block in FENCE.finditer(text):
        out += ["\n" * text.count("\n", end, block.start(1)), block.group(1)]
        end = block.end(1)
    return "".join(out)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_python_block_is_an_example_that_runs(page):
    blocks = FENCE.findall(page.read_text(encoding="utf-8"))
    assert blocks
    assert not [block for block in blocks if not block.startswith(">>> ")]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_examples_give_what_the_page_shows(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "Agg")
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    test = doctest.DocTestParser().get_doctest(examples(page.read_text(encoding="utf-8")), {}, page.name, str(page), 0)
    said = []
    results = doctest.DocTestRunner(optionflags=flags).run(test, out=said.append)
    assert results.attempted >= PAGES[page]
    assert results.failed == 0, "".join(said)
