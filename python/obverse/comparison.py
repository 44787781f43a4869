"""Every method on one data set: how good its features are, how long it takes, and which one to use."""

from __future__ import annotations

import copy
import warnings
from typing import Any

from . import _engine
from ._data import Reading, Rows, prepare_inputs
from ._options import COMPARE, completed, settings, takes_options, with_task
from ._progress import progress_bar
from .evaluation import csv_frame
from .report import Report


class Comparison:
    """Results of `compare`. In a notebook it shows its report."""

    def __init__(self, data: dict[str, Any], csv: str, html: str) -> None:
        self._data = data
        self._csv = csv
        #: The page to show.
        self.report = Report(html=html)

    def data(self) -> dict[str, Any]:
        """What comparison.json holds, as the command would write it."""
        return copy.deepcopy(self._data)

    @property
    def recommended(self) -> str:
        """The name of a method."""
        return str(self._data["recommended"])

    @property
    def recommendation(self) -> str:
        """Why that one, and how sure it is."""
        return str(self._data["recommendation"]["text"])

    @property
    def features(self) -> list[str]:
        """The features that most runs of the recommended method select for the k in the middle, most runs first."""
        return [str(one["name"]) for one in self._data["recommendation"]["features"]]

    @property
    def consensus(self) -> dict[str, Any]:
        """How many of the other methods select these features, and which ones most of them select instead."""
        return dict(self.data()["consensus"])

    @property
    def next_command(self) -> str:
        """The call that selects from all rows by the recommended method; empty where nothing is recommended."""
        return str(self._data.get("next_command", ""))

    @property
    def methods(self) -> list[dict[str, Any]]:
        """Every method, the best first: its name, mean, time and scores."""
        return list(self.data()["methods"])

    def to_csv(self) -> str:
        """The text of results.csv: a line for each method, run, k and classifier."""
        return self._csv

    def to_frame(self) -> Any:
        """The same as a pandas DataFrame."""
        return csv_frame(self._csv)

    def _repr_html_(self) -> str:
        return self.report._repr_html_()

    def __repr__(self) -> str:
        return f"<obverse.Comparison of {len(self.methods)} methods: {self.recommendation}>"


@takes_options(COMPARE)
def compare(X: Any, y: Any = None, *, test: Any = None, sample_weight: Any = None, groups: Any = None,
            time: Any = None, kinds: Any = None, missing: str = "impute", column_groups: Any = None,
            verbose: bool = False, **options: Any) -> Comparison:
    """Try every method on one data set and say which one to use.

    Parameters
    ----------
    X, y : as for FeatureSelector.fit
    test : tuple (X_test, y_test), default=None
        Rows for the test; otherwise some of X, others in each run.
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
    Comparison
    """
    given = completed(compare, options, COMPARE)
    asked = settings(given, COMPARE)
    reading = Reading(kinds, missing, column_groups)
    inputs = prepare_inputs(X, y, test, str(given["task"]), Rows(sample_weight, groups, time), reading)
    keywords = [(name, repr(_plain(given[name]))) for name, _, _ in asked]
    own = [*([f"kinds={kinds!r}"] if kinds else []), *([f"missing={missing!r}"] if missing != "impute" else []),
           *([f"column_groups={column_groups!r}"] if column_groups else [])]
    rows = {"sample_weight": sample_weight, "groups": groups, "time": time}
    fitted = ", ".join([*(["X"] if y is None else ["X", "y"]), *(f"{name}={name}" for name in rows if rows[name] is not None)])
    with progress_bar(verbose) as progress:
        found = _engine.compare(inputs.train.data, inputs.test_data, with_task(asked, inputs.train.task), keywords, own, fitted,
                                progress)
    found["data"]["notes"][:0] = inputs.train.notes
    for warning in found["data"]["warnings"]:
        warnings.warn(warning, UserWarning, stacklevel=2)
    return Comparison(found["data"], found["csv"], found["html"])


def _plain(value: Any) -> Any:
    """A value of NumPy as one of Python, which reads better."""
    return value.tolist() if hasattr(value, "tolist") else value
