"""Writes linear.txt, predictions of linear models that the C++ tests compare with: see README.md beside this file.

    python tests/reference/make_linear.py [DIR]

The rows are seen as X * scale + offset, in double.
"""

import sys
from pathlib import Path

import numpy
from sklearn.linear_model import LogisticRegression, Ridge

from number_file import write

HERE = Path(__file__).resolve().parent


def scaling(X, kind):
    if kind == "pixels":
        return numpy.full(X.shape[1], 1 / 255, numpy.float32), numpy.zeros(X.shape[1], numpy.float32)
    deviation = X.std(axis=0, dtype=float)
    scale = 1 / numpy.where(deviation > 0, deviation, 1)
    return scale.astype(numpy.float32), (-X.mean(axis=0, dtype=float) * scale).astype(numpy.float32)


def normal(random, rows, features):
    X = random.normal(0, 1, (rows, features))
    X[:, 0] = 1000 + 0.1 * X[:, 0]  # far from zero
    return X


def counts(random, rows, features):
    """Whole numbers of 0 to 255, most of them zero; the last column is constant."""
    X = random.integers(0, 256, (rows, features)) * (random.random((rows, features)) < 0.2)
    X[:, -1] = 7
    return X


def classes_of(random, X, classes, noise):
    Z = (X - X.mean(axis=0)) / numpy.where(X.std(axis=0) > 0, X.std(axis=0), 1)
    scores = Z @ random.normal(0, 1, (X.shape[1], classes))
    return (scores + noise * random.normal(0, 1, scores.shape)).argmax(axis=1)


def cases(random):
    """Name, rows of the training and the test, how they are scaled, classes or None, whether rows are weighted."""
    yield "two", normal(random, 120, 5), "standard", 2, False
    yield "four", normal(random, 200, 6), "standard", 4, False
    yield "pixels", counts(random, 300, 20), "pixels", 3, False
    yield "wide", counts(random, 60, 90), "standard", 3, False
    yield "separable", normal(random, 80, 30), "standard", 2, False
    yield "weighted", normal(random, 150, 4), "standard", 3, True
    yield "one_feature", normal(random, 90, 1), "standard", 3, False
    yield "values", normal(random, 150, 8), "standard", None, False
    yield "values_wide", counts(random, 50, 120), "standard", None, False
    yield "values_weighted", counts(random, 120, 10), "pixels", None, True


def fitted(X, y, weights, classes):
    if classes is None:
        return Ridge(alpha=1.0, solver="cholesky").fit(X, y, weights)
    return LogisticRegression(C=1.0, solver="lbfgs", tol=1e-12, max_iter=100000).fit(X, y, weights)


def main(folder):
    random = numpy.random.default_rng(17)
    arrays = {}
    for name, X, kind, classes, weighted in cases(random):
        X = X.astype(numpy.float32)
        if classes is None:
            y = (X[:, :3] @ [1, -2, 0.5] + random.normal(0, 1, len(X))).astype(numpy.float32)
        else:
            y = classes_of(random, X, classes, 0 if name == "separable" else 2)
        weights = random.integers(0, 4, len(X)).astype(numpy.float32) if weighted else None
        scale, offset = scaling(X, kind)
        train = len(X) * 2 // 3
        seen = X.astype(float) * scale.astype(float) + offset.astype(float)
        model = fitted(seen[:train], y[:train], None if weights is None else weights[:train], classes)
        arrays[f"{name}.X"] = X[:train]
        arrays[f"{name}.y"] = y[:train]
        arrays[f"{name}.X_test"] = X[train:]
        arrays[f"{name}.scale"] = scale
        arrays[f"{name}.offset"] = offset
        if weighted:
            arrays[f"{name}.weights"] = weights[:train]
        arrays[f"{name}.predicted"] = (model.predict if classes is None else model.predict_proba)(seen[train:])
    write(folder / "linear.txt", arrays)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE)
