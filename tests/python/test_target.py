"""Classes or a quantity: how y is read when the task is left open."""

import warnings

import numpy as np
import pytest
from sklearn.datasets import load_diabetes, load_digits, load_iris, load_wine

from obverse import FeatureSelector, compare, evaluate


RARE = "the metric is balanced accuracy"


def fitted(y):
    """A quick selector, fitted; every warning is an error, but that some class is rare."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(len(y), 3))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", RARE)
        return FeatureSelector(k=1, method="random", resample="off").fit(X, y)


CLASSES = {
    "digits": load_digits().target,
    "iris": load_iris().target,
    "wine": load_wine().target,
    "letters": np.repeat(np.arange(1, 27), 60),
    "faces": np.repeat(np.arange(40), 10),
    "many": np.repeat(np.arange(300), 16),
    "quality": np.random.default_rng(0).choice(np.arange(3, 10), 600, p=[0.01, 0.03, 0.3, 0.45, 0.15, 0.05, 0.01]),
    "booleans": np.arange(60) % 2 == 0,
    "floats": np.tile([0.0, 1.0], 30),
    "signs": np.tile([-1, 1], 30),
    "one-and-two": np.tile([1.0, 2.0], 30),
    "texts-of-numbers": np.repeat([str(i) for i in range(30)], 2),
    "words": np.tile(["a", "b"], 30),
}
QUANTITIES = {
    "diabetes": load_diabetes().target,
    "ages": np.random.default_rng(1).normal(40, 13, 1000).round().astype(int),
    "counts": np.random.default_rng(2).exponential(30, 5000).astype(int),
    "years": 2011 - np.random.default_rng(3).exponential(12, 5000).astype(int),
    "identifiers": np.arange(400),
    "few-rows": np.array([3, 8, 1, 9, 4, 12, 3, 30, 8, 15]),
    "fractions": np.tile([0.5, 1.5, 2.0], 20),
}


@pytest.mark.parametrize("name", CLASSES)
def test_classes(name):
    y = CLASSES[name]
    selector = fitted(y)
    assert selector.task_ == "classification" and len(selector.classes_) == len(np.unique(y))
    notes = [note for note in selector.notes_ if not note.startswith(RARE)]
    assert all("taken as classes; say task='regression' if it is a quantity" in note for note in notes)
    assert len(notes) == (1 if y.dtype.kind in "iuf" and len(np.unique(y)) > 20 else 0)


@pytest.mark.parametrize("name", QUANTITIES)
def test_quantities(name):
    selector = fitted(QUANTITIES[name])
    assert selector.task_ == "regression" and not hasattr(selector, "classes_")
    assert "taken as a quantity; say task='classification' if these are classes" in selector.notes_[0]


def test_categories_of_a_frame_are_classes():
    pandas = pytest.importorskip("pandas")
    codes = pandas.Series(np.r_[np.repeat(np.arange(20), 50), np.repeat(np.arange(20, 25), 2)], name="kind")
    assert fitted(codes).task_ == "regression"  # a fifth of them is rare
    assert fitted(codes.astype("category")).task_ == "classification"


def test_what_is_asked_for_wins():
    y = np.repeat(np.arange(10), 6)
    X = np.random.default_rng(0).normal(size=(60, 3))
    asked = FeatureSelector(k=1, method="random", task="regression").fit(X, y)
    assert asked.task_ == "regression" and asked.notes_ == []
    assert FeatureSelector(k=1, method="random", task="classification").fit(X, y).task_ == "classification"


def test_functions_follow():
    X, y = load_diabetes(return_X_y=True)
    note = ["target 'y' has 214 different numbers in 442 rows: taken as a quantity; say task='classification' if these are "
            "classes"]
    assert evaluate(X, y, k=2, method="anova", classifiers="knn").data()["notes"] == note
    found = compare(X, y, k=2, methods=["anova", "random"], runs=2, trees=5).data()
    assert found["notes"] == note and found["data"]["classes"] == 0
