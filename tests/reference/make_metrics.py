"""Writes metrics.txt, the measures of scikit-learn that the C++ tests compare with: see README.md beside this file.

    python tests/reference/make_metrics.py [DIR]
"""

import sys
from pathlib import Path

import numpy
from sklearn import metrics

from number_file import write

HERE = Path(__file__).resolve().parent


def probabilities(random, labels, classes, decimals=None):
    """Float32 rows that add up to 1 and lean towards the label; rounded ones have many equal scores."""
    p = random.dirichlet(numpy.ones(classes), len(labels))
    p[numpy.arange(len(labels)), labels] += random.uniform(0, 0.7, len(labels))
    p /= p.sum(axis=1, keepdims=True)
    if decimals is not None:
        p = numpy.round(p, decimals)
        p[:, -1] = 1 - p[:, :-1].sum(axis=1)
    return p.astype(numpy.float32)


def class_measures(labels, p):
    classes = p.shape[1]
    predicted = p.argmax(axis=1)
    eps = numpy.finfo(numpy.float32).eps
    clipped = numpy.clip(p, eps, 1 - eps).astype(float)
    measures = {
        "accuracy": metrics.accuracy_score(labels, predicted),
        "balanced_accuracy": metrics.balanced_accuracy_score(labels, predicted),
        "macro_f1": metrics.f1_score(labels, predicted, average="macro"),
        # Summed in double, then as scikit-learn sums what it was given.
        "log_loss": metrics.log_loss(labels, clipped, labels=range(classes)),
        "log_loss_float32": metrics.log_loss(labels, p, labels=range(classes)),
    }
    if len(set(labels)) == classes:
        scores = p[:, 1] if classes == 2 else p
        measures["roc_auc"] = metrics.roc_auc_score(labels, scores, multi_class="ovr")
        measures["average_precision"] = metrics.average_precision_score(labels, scores)
    return measures


def value_measures(values, predicted):
    values, predicted = values.astype(float), predicted.astype(float)
    measures = {"mae": metrics.mean_absolute_error(values, predicted)}
    if len(values) > 1:
        measures["r2"] = metrics.r2_score(values, predicted)
    return measures


def class_cases(random):
    two = random.integers(0, 2, 80)
    four = random.choice(4, 120, p=[0.5, 0.3, 0.15, 0.05])
    yield "two", two, probabilities(random, two, 2)
    yield "two_ties", two, probabilities(random, two, 2, decimals=1)
    yield "four", four, probabilities(random, four, 4)
    yield "four_ties", four, probabilities(random, four, 4, decimals=1)
    yield "missing", numpy.where(four == 3, 0, four), probabilities(random, four, 4)
    yield "one_of_two", numpy.zeros(10, int), probabilities(random, numpy.zeros(10, int), 2)
    yield "certain", two, numpy.eye(2, dtype=numpy.float32)[numpy.where(numpy.arange(80) % 7 == 0, 1 - two, two)]


def value_cases(random):
    values = random.normal(3, 2, 50).astype(numpy.float32)
    yield "values", values, (values + random.normal(0, 1, 50)).astype(numpy.float32)
    yield "worse_than_mean", values, -values
    yield "equal_right", numpy.full(5, 1.5, numpy.float32), numpy.full(5, 1.5, numpy.float32)
    yield "equal_wrong", numpy.full(5, 1.5, numpy.float32), numpy.full(5, 2.0, numpy.float32)
    yield "one_row", values[:1], values[1:2]


def main(folder):
    random = numpy.random.default_rng(5)
    arrays = {}
    for name, labels, p in class_cases(random):
        arrays[f"{name}.labels"] = labels
        arrays[f"{name}.probabilities"] = p
        arrays.update({f"{name}.{key}": value for key, value in class_measures(labels, p).items()})
    for name, values, predicted in value_cases(random):
        arrays[f"{name}.values"] = values
        arrays[f"{name}.predicted"] = predicted
        arrays.update({f"{name}.{key}": value for key, value in value_measures(values, predicted).items()})
    write(folder / "metrics.txt", arrays)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE)
