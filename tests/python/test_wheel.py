"""The wheel, in an environment where nothing else is."""

import os
import platform
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

USE = """
import sys, time
start = time.perf_counter()
import obverse
seconds = time.perf_counter() - start
heavy = [name for name in ("numpy", "sklearn", "scipy", "pandas", "obverse._engine") if name in sys.modules]
assert not heavy, heavy
print(f"import obverse: {1000 * seconds:.0f} ms")

from sklearn.datasets import load_breast_cancer
from obverse import FeatureSelector
X, y = load_breast_cancer(return_X_y=True)
print("selected", FeatureSelector(k=5, effort="quick").fit_transform(X, y).shape)
libraries = {line.split()[-1] for line in open("/proc/self/maps") if "libdnnl" in line or "libfmt" in line or "_engine" in line}
home = obverse.__path__[0]
assert len(libraries) == 3 and all(path.startswith(home) for path in libraries), libraries
try:
    import obverse.torch
except ImportError as error:
    print(error)
try:
    FeatureSelector(k=5, method="anova").fit(X, y).plot()
except ImportError as error:
    print(error)
print(obverse.__version__)
"""


@pytest.fixture(scope="module")
def wheel():
    found = sorted(Path(os.environ.get("OBVERSE_WHEELS", "nowhere")).glob("obverse-*.whl"))
    if not found:
        pytest.skip("OBVERSE_WHEELS does not say where the wheel is")
    return found[-1]


def test_carries_what_it_needs(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    for part in ("obverse/_engine.pyi", "obverse/selector.pyi", "obverse/py.typed", "obverse/torch.py",
                 "obverse-0.1.0.dist-info/licenses/LICENSE"):
        assert part in names, part
    # oneDNN 2 or 3; on x86-64 alone.
    carried = any(name.startswith("obverse/libs/libdnnl.so.") for name in names)
    assert carried == (platform.machine() == "x86_64")
    assert not [name for name in names if name.startswith(("bin/", "include/", "lib/")) or "obverse.data" in name]


def test_works_in_an_empty_environment(wheel, tmp_path):
    subprocess.run([sys.executable, "-m", "venv", tmp_path / "empty"], check=True)
    python = tmp_path / "empty" / "bin" / "python"
    install = subprocess.run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", wheel],
                             capture_output=True, text=True)
    if install.returncode != 0 and "No matching distribution" in install.stderr:
        pytest.skip("scikit-learn could not be had")
    assert install.returncode == 0, install.stderr
    run = subprocess.run([python, "-c", USE], capture_output=True, text=True, cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    lines = run.stdout.splitlines()
    assert lines[1:] == ["selected (569, 5)", "obverse.torch needs PyTorch: pip install torch",
                         "plot() needs matplotlib: pip install matplotlib; to_html() works without it", "0.1.0"]
    print(lines[0])
