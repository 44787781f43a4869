"""Writes baselines.txt, the scores of features that the C++ tests compare with: see README.md beside this file.

    python tests/reference/make_baselines.py [DIR]

Scores come from scikit-learn where it has them; mRMR and ReliefF are written down here as their papers define them.
"""

import sys
from pathlib import Path

import numpy
from sklearn.feature_selection import VarianceThreshold, f_classif
from sklearn.metrics import mutual_info_score

from number_file import write

HERE = Path(__file__).resolve().parent


def bins(x):
    """By value where there are few, else 16 bins by the middle rank of each value."""
    rows = len(x)
    values, place, counts = numpy.unique(x, return_inverse=True, return_counts=True)
    if len(values) <= min(max(rows // 100, 16), 256):
        return place
    before = numpy.cumsum(counts) - counts
    return (16 * (2 * before + counts) // (2 * rows))[place]


def mrmr(X, y, k):
    """Peng, Long and Ding 2005, difference form: all features in order, the first k greedily."""
    binned = [bins(x) for x in X.T]
    varies = [f for f in range(len(binned)) if len(set(binned[f])) > 1]
    relevance = [mutual_info_score(b, y) for b in binned]
    chosen = []
    while len(chosen) < k:
        def criterion(f):
            shared = [mutual_info_score(binned[f], binned[s]) for s in chosen]
            return relevance[f] - (sum(shared) / len(shared) if shared else 0)
        chosen.append(max((f for f in varies if f not in chosen), key=criterion))
    rest = sorted((f for f in varies if f not in chosen), key=lambda f: -relevance[f])
    return chosen + rest + [f for f in range(len(binned)) if f not in varies]


def relieff(X, y, neighbours=10):
    """Robnik-Sikonja and Kononenko 2003, with every row as R_i; features that do not vary get -1."""
    X = X.astype(float)
    width = X.max(axis=0) - X.min(axis=0)
    unit = (X - X.min(axis=0)) / numpy.where(width > 0, width, 1)
    share = {c: numpy.mean(y == c) for c in set(y)}
    weights = numpy.zeros(X.shape[1])
    for i in range(len(X)):
        difference = numpy.abs(unit - unit[i])
        order = numpy.argsort(difference.sum(axis=1), kind="stable")
        for c in share:
            near = [n for n in order if n != i and y[n] == c][:neighbours]
            mean = difference[near].mean(axis=0)
            weights += (-mean if c == y[i] else share[c] / (1 - share[y[i]]) * mean) / len(X)
    return numpy.where(width > 0, weights, -1)


def mixed(random):
    """Floats of every sort and three classes of unlike size; some rows twice, one of them with two classes."""
    rows = 300
    y = random.choice(3, rows, p=[0.6, 0.3, 0.1])
    noise = random.normal(0, 1, (rows, 4))
    columns = [
        noise[:, 0],
        y + noise[:, 1],
        1e4 + 3 * (y == 1) + noise[:, 2],                              # a large offset
        numpy.full(rows, 0.1),                                         # constant, and its mean is not exact
        random.integers(0, 3, rows) + (y == 2),                        # few values
        numpy.where(random.random(rows) < 0.9, 0, y + noise[:, 3]),    # mostly zero
        -numpy.where(random.random(rows) < 0.8, 0, random.random(rows) * (1 + y)),
        numpy.round(y * 4 + 10 * noise[:, 3]),                         # many values, many of them equal
        numpy.zeros(rows),
        (y == 0) * 1.0,
        random.random(rows) * 1e-3,
    ]
    X = numpy.stack(columns + [columns[1]], axis=1).astype(numpy.float32)
    X[200:205], y[200:205] = X[0:5], y[0:5]
    X[205], y[205] = X[6], (y[6] + 1) % 3
    return X, y


def small_bytes(random):
    """Whole numbers of 0 to 255, most of them zero, as a picture has them."""
    rows = 250
    y = random.integers(0, 2, rows)
    X = random.integers(0, 256, (rows, 9)) * (random.random((rows, 9)) < 0.4)
    X[:, 2] = numpy.minimum(255, X[:, 2] // 2 + 100 * y)
    X[:, 5] = 7
    X[:, 6] = random.integers(0, 4, rows) + y
    X[100:120], y[100:120] = X[0:20], y[0:20]
    return X.astype(numpy.float32), y


def long(random):
    """2,000 rows: up to 20 values are bins of their own."""
    y = random.integers(0, 2, 2000)
    X = numpy.stack([random.integers(0, values, 2000) + 2 * y for values in (18, 19, 40)], axis=1)
    return X.astype(numpy.float32), y


def main(folder):
    random = numpy.random.default_rng(11)
    arrays = {}
    for make in (mixed, small_bytes, long):
        X, y = make(random)
        name = make.__name__
        arrays[f"{name}.X"] = X
        arrays[f"{name}.y"] = y
        varies = X.min(axis=0) < X.max(axis=0)
        # Less the first row, which changes no F: f_classif takes differences of sums of squares, and a large offset
        # would cost it half of the digits.
        with numpy.errstate(divide="ignore", invalid="ignore"):
            arrays[f"{name}.anova"] = numpy.where(varies, f_classif(X.astype(float) - X[0].astype(float), y)[0], 0)
        arrays[f"{name}.mutual_info"] = [mutual_info_score(bins(x), y) for x in X.T]
        # A threshold of 0 would give the range instead where it is smaller.
        arrays[f"{name}.variance"] = numpy.where(varies, VarianceThreshold(1e-30).fit(X.astype(float)).variances_, 0)
        arrays[f"{name}.mrmr_order"] = mrmr(X, y, min(4, X.shape[1]))
    # The other sets hold whole numbers, whose equal distances the last bit of a sum would order.
    arrays["mixed.relieff"] = relieff(arrays["mixed.X"], arrays["mixed.y"])
    write(folder / "baselines.txt", arrays)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE)
