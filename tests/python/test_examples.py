"""The scripts and the notebook of examples/python run, say what they should, and leave their files.

    python -m pytest tests/python/test_examples.py
"""

import re
import subprocess
import sys
from pathlib import Path

import pytest

for module in ("matplotlib", "pandas"):
    pytest.importorskip(module, reason=f"the examples need {module}, which is not installed")

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples" / "python"
PATIENCE = 300  # seconds
PNG = b"\x89PNG\r\n\x1a\n"


def run(name, folder, *arguments):
    done = subprocess.run([sys.executable, EXAMPLES / name, *arguments], cwd=folder, capture_output=True, text=True,
                          timeout=PATIENCE, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout


def percentages(printed):
    """What stands before the number in each line that has a percentage -> the first number before a % or +-."""
    return {line[:match.start()].strip(): float(match.group(1))
            for line in printed.splitlines() if (match := re.search(r"(\d+\.\d) (?:%|\+-)", line))}


def test_breast_cancer_compares_pipelines(tmp_path):
    printed = run("breast_cancer.py", tmp_path)
    found = percentages(printed)
    assert list(found) == ["all 30 features", "3 by Obverse", "3 by SelectKBest", "8 by Obverse", "8 by SelectKBest"]
    assert min(found.values()) > 80
    named = re.search(r"^From all rows: (.*)$", printed, re.MULTILINE).group(1).split(", ")
    assert len(set(named)) == 8
    assert (tmp_path / "breast_cancer.png").read_bytes().startswith(PNG)
    assert [path.name for path in tmp_path.iterdir()] == ["breast_cancer.png"]


def test_digits_writes_mask_and_report_into_the_folder_given(tmp_path):
    folder = tmp_path / "results"
    folder.mkdir()
    printed = run("digits.py", tmp_path, "results")
    found = percentages(printed)
    assert list(found) == ["all 64 pixels", "12 by Obverse", "12 by SelectKBest"]
    assert found["12 by Obverse"] > 80  # twelve pixels drawn at random reach 74 % on the mean of 30 draws
    assert printed.count("##") == 12
    assert (folder / "digits.png").read_bytes().startswith(PNG)
    assert (folder / "digits.html").read_text(encoding="utf-8").startswith("<!doctype html>")
    assert sorted(path.name for path in folder.iterdir()) == ["digits.html", "digits.png"]


def test_text_counts_finds_words(tmp_path):
    printed = run("text_counts.py", tmp_path)
    found = percentages(printed)
    assert found["20 by Obverse"] > 70  # the largest class has less than half of the docstrings
    words = re.search(r"^Words: (.*)$", printed, re.MULTILINE).group(1).split(", ")
    assert len(set(words)) == 20
    assert not {"numpy", "scipy", "sklearn"} & set(words)
    page = (tmp_path / "text_counts.html").read_text(encoding="utf-8")
    assert all(word in page for word in words)


def executed(path, folder):
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    notebook = nbformat.read(path, as_version=4)
    nbclient.NotebookClient(notebook, timeout=PATIENCE, kernel_name="python3",
                            resources={"metadata": {"path": str(folder)}}).execute()
    return {cell.id: cell.outputs for cell in notebook.cells if cell.cell_type == "code"}


def shown(outputs, kind):
    return [output.data[kind] for output in outputs if kind in output.get("data", {})]


def test_the_notebook_shows_progress_a_figure_and_reports(tmp_path):
    cells = executed(EXAMPLES / "obverse.ipynb", tmp_path)
    assert not [output for outputs in cells.values() for output in outputs if output.output_type == "error"]
    # A bar as text, or as a widget where ipywidgets is installed.
    bar = "".join(output.get("text", "") for output in cells["fit"])
    assert "training" in bar or shown(cells["fit"], "application/vnd.jupyter.widget-view+json")
    assert shown(cells["plot"], "image/png")
    assert shown(cells["report"], "text/html")[0].startswith("<iframe srcdoc=")
    assert "selected" in shown(cells["evaluate"], "text/html")[0]
    assert shown(cells["compare"], "text/html")[0].startswith("<iframe srcdoc=")


def test_the_notebook_is_kept_without_outputs():
    nbformat = pytest.importorskip("nbformat")
    notebook = nbformat.read(EXAMPLES / "obverse.ipynb", as_version=4)
    nbformat.validate(notebook)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert code and not [cell for cell in code if cell.outputs or cell.execution_count]
