"""Types for editors and checkers."""

import subprocess
import sys

import pytest

pytest.importorskip("mypy")

GOOD = """
import numpy as np
from sklearn.model_selection import KFold  # type: ignore[import-untyped]
from obverse import Comparison, Evaluation, FeatureSelector, Report, compare, evaluate

X, y = np.zeros((4, 3)), np.zeros(4)
selector = FeatureSelector(20, method="stg", gamma=[0.1, 1], epochs="auto", rho=None, image_shape=(8, 8), verbose=True,
                           device="cuda:1")
report: Report = selector.fit(X, y).report_
page: str = report.html
k: int = selector.k_
signal: bool | None = selector.signal_
score: float = selector.verdict_.score if selector.verdict_ is not None else 0.0
scores: np.ndarray | None = None if selector.curve_ is None else selector.curve_.score
notes: list[str] = selector.notes_
evaluation: Evaluation = evaluate(X, y, k=[5, 10], classifiers=["rf", "knn"], cv=5, device="cuda")
comparison: Comparison = compare(X, y, methods=["cfm", "anova"], rho="5%", device="cpu")
name: str = comparison.recommended
FeatureSelector(kinds={"zip": "category", 3: "date"}, missing="drop-rows", resample=[([0, 1], [2, 3])])
FeatureSelector(resample=KFold(3))
evaluate(X, y, kinds={"zip": "category"}, missing="error")
"""
BAD = ["FeatureSelector(missing='guess')", "FeatureSelector(resample='maybe')", "evaluate([[1]], [1], resample='on')",
       "FeatureSelector(method='lasso')", "FeatureSelector(k='many')", "FeatureSelector(epoch=3)",
       "FeatureSelector(dropout=[])", "FeatureSelector(device=0)", "evaluate([[1]], [1], cv='five')", "compare([[1]], [1], methods=['lasso'])"]


def checked(path, *options):
    return subprocess.run([sys.executable, "-m", "mypy", "--strict", "--no-error-summary", "--cache-dir",
                           str(path.parent / "cache"), *options, str(path)], capture_output=True, text=True)


def test_types_help(tmp_path):
    path = tmp_path / "use.py"
    path.write_text(GOOD + "".join(f"{line}\n" for line in BAD))
    run = checked(path)
    first = GOOD.count("\n") + 1
    wrong = sorted({int(line.split(":")[1]) for line in run.stdout.splitlines() if ": error:" in line})
    assert wrong == list(range(first, first + len(BAD))), run.stdout + run.stderr


def test_package_is_typed():
    run = subprocess.run([sys.executable, "-c", "import obverse; print(obverse.__path__[0])"], capture_output=True, text=True)
    folder = run.stdout.strip()
    for name in ("py.typed", "_engine.pyi", "selector.pyi", "evidence.py", "evaluation.pyi", "comparison.pyi"):
        assert subprocess.run(["test", "-e", f"{folder}/{name}"]).returncode == 0, name
