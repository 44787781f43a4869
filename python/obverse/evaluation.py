"""What selected features are worth: classifiers refitted on them, beside all features and random ones."""

from __future__ import annotations

import copy
import html
import warnings
from typing import Any

import numpy as np

from . import _engine
from ._data import Inputs, Reading, Rows, prepare_inputs
from ._options import EVALUATE, completed, settings, takes_options, with_task
from ._progress import progress_bar


class Evaluation:
    """Results of `evaluate`: one row for each classifier and set of features. In a notebook it shows itself."""

    def __init__(self, data: dict[str, Any], csv: str) -> None:
        self._data = data
        self._csv = csv

    def data(self) -> dict[str, Any]:
        """What evaluation.json holds, as the command would write it."""
        return copy.deepcopy(self._data)

    def to_csv(self) -> str:
        """The text of evaluation.csv."""
        return self._csv

    @property
    def rows(self) -> list[dict[str, Any]]:
        """By classifier: all features, then the selected and random ones of each k, with a score for each metric."""
        return list(self.data()["rows"])

    def to_frame(self) -> Any:
        """A pandas DataFrame: a line for each classifier, set of features and metric."""
        return csv_frame(self._csv)

    def _table(self) -> list[list[str]]:
        """The asked metric of every row, rounded."""
        data = self._data
        metric = str(data["options"]["metric"]).replace("-", "_")
        lines = [["classifier", "features", "k", metric, "deviation"]]
        for row in data["rows"]:
            score = row["metrics"][metric]
            numbers = ["" if score[part] is None else f"{score[part]:.3f}" for part in ("mean", "deviation")]
            lines.append([row["classifier"], row["features"], str(row["k"]), *numbers])
        return lines

    def _repr_html_(self) -> str:
        head, *body = self._table()
        lines = ["<tr>" + "".join(f"<th>{html.escape(cell)}</th>" for cell in head) + "</tr>"]
        lines += ["<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>" for row in body]
        return "<table>" + "".join(lines) + "</table>"

    def __repr__(self) -> str:
        return "\n".join("  ".join(f"{cell:<10}" for cell in row).rstrip() for row in self._table())


@takes_options(EVALUATE)
def evaluate(X: Any, y: Any = None, *, test: Any = None, ranking: Any = None, sample_weight: Any = None,
             groups: Any = None, time: Any = None, kinds: Any = None, missing: str = "impute",
             column_groups: Any = None, verbose: bool = False, **options: Any) -> Evaluation:
    """Measure what selected features are worth to classifiers.

    Random forests, extremely randomised trees and nearest neighbours are refitted on the selected features, on all
    features and on random ones. The selection sees training rows only, except with `cv` and without `refit`.

    Parameters
    ----------
    X, y : as for FeatureSelector.fit
    test : tuple (X_test, y_test), default=None
        Rows for the test; otherwise some of X.
    ranking : FeatureSelector or list, default=None
        A fitted selector (k is then its own by default), or features best first, by name or number; otherwise features
        are selected now.
    sample_weight : array of shape (n_samples,), default=None
        How much each row of X counts, in fitting and in the metrics.
    groups : array of shape (n_samples,), default=None
        Rows with equal values, such as those of one patient, stay together in every split.
    time : array of shape (n_samples,), default=None
        Numbers or datetime64: every split learns from earlier rows and tests on later ones.
    kinds : dict, default=None
        Columns to read as 'number', 'boolean', 'category' or 'date', whatever they look like: {'zip': 'category'}.
    missing : {'impute', 'drop-rows', 'error'}, default='impute'
        Missing values: filled in and flagged, or their rows left out, or refused.
    column_groups : list of str or dict, default=None
        Columns that are selected together and count as one feature, as for FeatureSelector.
    verbose : bool, default=False
        Show a progress bar.
    {options}

    Returns
    -------
    Evaluation
    """
    given = completed(evaluate, options, EVALUATE)
    asked = settings(given, EVALUATE)
    reading = Reading(kinds, missing, column_groups)
    inputs = prepare_inputs(X, y, test, str(given["task"]), Rows(sample_weight, groups, time), reading)
    order = [] if ranking is None else ranked(ranking, inputs)
    if hasattr(ranking, "k_") and given["k"] is None and given["rho"] is None:
        asked.append(("k", str(ranking.k_), "list"))
    with progress_bar(verbose) as progress:
        found = _engine.evaluate(inputs.train.data, inputs.test_data, order, with_task(asked, inputs.train.task), progress)
    found["data"]["notes"][:0] = inputs.train.notes
    evaluation = Evaluation(found["data"], found["csv"])
    for warning in found["data"]["warnings"]:
        warnings.warn(warning, UserWarning, stacklevel=2)
    return evaluation


def ranked(ranking: Any, inputs: Inputs) -> list[int]:
    """Numbers of features, best first. A fitted selector may know columns that are left out here."""
    columns = inputs.columns
    owners = inputs.train.owners
    fitted = hasattr(ranking, "ranking_")
    if fitted:
        ranking = np.argsort(ranking.ranking_, kind="stable")
    count = columns.n_features_in_
    names = {name: i for i, name in enumerate(getattr(columns, "feature_names_in_", ()))}
    order = []
    for item in ranking:
        number = names.get(item) if isinstance(item, str) else int(item)
        if number is None or not 0 <= number < count:
            raise ValueError(f"ranking: {item!r} is none of the {count} features of X")
        if owners[number] >= 0:
            order.append(int(owners[number]))
        elif not fitted:
            raise ValueError(f"ranking: {item!r} is no feature: {'; '.join(inputs.train.notes)}")
    if fitted:  # the columns of a group come one behind the other
        return list(dict.fromkeys(order))
    if len(set(order)) < len(order):
        raise ValueError("ranking: a feature comes twice; each may come once")
    return order


def csv_frame(text: str) -> Any:
    """A CSV text of the engine as a frame."""
    try:
        import pandas
    except ImportError as error:
        raise ImportError("to_frame() needs pandas: pip install pandas; to_csv() works without it") from error
    import io

    return pandas.read_csv(io.StringIO(text))
