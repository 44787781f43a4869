"""evaluate and compare, against the command."""

import subprocess

import numpy as np
import pytest

from obverse import FeatureSelector, compare, evaluate


@pytest.fixture(scope="module")
def file(tmp_path_factory, puzzle):
    path = tmp_path_factory.mktemp("data") / "puzzle.npz"
    np.savez(path, X=puzzle[0], y=puzzle[1])
    return path


def test_evaluate_is_that_of_the_command(command, file, puzzle, tmp_path):
    subprocess.run([command, "evaluate", str(file), "-k", "1,2", "--effort", "quick", "--epochs", "20", "--trees", "10",
                    "-o", str(tmp_path / "out")], check=True, capture_output=True)
    evaluation = evaluate(*puzzle, k=[1, 2], effort="quick", epochs=20, trees=10)
    assert evaluation.to_csv() == (tmp_path / "out" / "evaluation.csv").read_text()
    assert {row["features"] for row in evaluation.rows} == {"all", "selected", "random"}
    assert "<th>accuracy</th>" in evaluation._repr_html_() and "macro_f1" not in repr(evaluation)
    other = evaluate(*puzzle, k=2, method="anova", classifiers="knn", metric="macro-f1")
    assert repr(other).splitlines()[0].split() == ["classifier", "features", "k", "macro_f1", "deviation"]
    pandas = pytest.importorskip("pandas")
    assert isinstance(evaluation.to_frame(), pandas.DataFrame)


def test_evaluate_a_ranking_on_rows_of_its_own(puzzle):
    X, y = puzzle
    selector = FeatureSelector(k=2).fit(X[:300], y[:300])
    common = {"k": 2, "test": (X[300:], y[300:]), "classifiers": "knn"}
    by_selector = evaluate(X[:300], y[:300], ranking=selector, **common)
    of_its_size = evaluate(X[:300], y[:300], ranking=selector, test=(X[300:], y[300:]), classifiers="knn")
    assert of_its_size.to_csv() == by_selector.to_csv()
    by_number = evaluate(X[:300], y[:300], ranking=[3, 7], **common)
    assert by_selector.data()["data"]["test_rows"] == 100
    scores = [{row["features"]: row["metrics"]["accuracy"]["mean"] for row in e.rows}["selected"] for e in (by_selector, by_number)]
    assert scores[0] == scores[1]


def test_compare_is_that_of_the_command(command, file, puzzle, tmp_path):
    options = ["--methods", "cfm,anova,random", "-k", "2", "--runs", "2", "--effort", "quick", "--epochs", "20",
               "--trees", "10", "--classifiers", "ert"]
    subprocess.run([command, "compare", str(file), *options, "-o", str(tmp_path / "out")], check=True, capture_output=True)
    comparison = compare(*puzzle, methods=["cfm", "anova", "random"], k=2, runs=2, effort="quick", epochs=20, trees=10,
                         classifiers="ert")
    assert comparison.to_csv() == (tmp_path / "out" / "results.csv").read_text()
    assert comparison.recommended in ("cfm", "anova") and comparison.recommended in comparison.recommendation
    assert [m["name"] for m in comparison.methods][-1] == "random"
    assert comparison._repr_html_().startswith("<iframe") and "</html>" in comparison.report.html
    assert "recommend" in repr(comparison) or comparison.recommended in repr(comparison)


def test_compare_ends_with_features_a_consensus_and_the_next_call(puzzle):
    X, y = puzzle
    found = compare(X, y, methods=["anova", "mutual-info", "random"], k=2, runs=2, trees=10, classifiers="ert", seed=3,
                    metric="roc-auc")
    assert found.data()["metric"] == "roc_auc"
    assert len(found.features) == 2 and len(found.consensus["methods"]) == 1
    assert [one["name"] for one in found.consensus["features"]] == found.features
    assert found.next_command.startswith(f"FeatureSelector(k=2, method='{found.recommended}', ")
    assert "seed=3" in found.next_command and "metric='roc-auc'" in found.next_command
    assert "FeatureSelector(k=2, method=" in found.report.html
    selector = eval(found.next_command, {"FeatureSelector": FeatureSelector, "X": X, "y": y})
    assert selector.k_ == 2 and selector.method == found.recommended


def test_compare_judges_a_rare_class_by_balanced_accuracy():
    random = np.random.default_rng(0)
    y = (np.arange(1000) % 100 == 0).astype(int)
    X = random.normal(size=(1000, 8)).astype(np.float32)
    X[:, 2] += 3 * y
    found = compare(X, y, methods=["anova", "random"], k=1, runs=2, trees=10, classifiers="knn")
    means = {method["name"]: method["mean"] for method in found.methods}
    assert found.data()["metric"] == "balanced_accuracy" and means["anova"] > means["random"] + 0.1
    assert "balanced accuracy" in found.data()["notes"][0]


def test_warns_of_results_that_are_too_good(puzzle):
    with pytest.warns(UserWarning, match="optimistic; ask for refit"):
        evaluate(*puzzle, k=2, method="anova", classifiers="knn", cv=3)
    with pytest.warns(UserWarning, match="optimistic. Give rows that it has not seen as a test"):
        evaluate(*puzzle, ranking=[3, 7], k=2, classifiers="knn")


def test_frames_and_quantities():
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    frame = pandas.DataFrame(rng.normal(size=(200, 6)), columns=list("abcdef"))
    evaluation = evaluate(frame, frame.a - frame.b, k=2, effort="quick", epochs=20, classifiers=["knn"])
    assert evaluation.data()["data"]["task"] == "regression"
    assert evaluate(frame, k=2, effort="quick", epochs=20, classifiers="knn").data()["data"]["task"] == "reconstruction"
    with pytest.warns(UserWarning, match="optimistic"):
        named = evaluate(frame, frame.a > 0, ranking=["a", "b"], k=1, classifiers="knn")
    assert {row["features"]: row["metrics"]["accuracy"]["mean"] for row in named.rows}["selected"] > 0.9
