"""The selector: a scikit-learn transformer that keeps the features which carry the information about y."""

from __future__ import annotations

import difflib
import inspect
import operator
import os
import warnings
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.feature_selection import SelectorMixin
from sklearn.utils._set_output import _get_output_config
from sklearn.utils.validation import check_is_fitted

from . import _engine
from ._data import Reading, Rows, check_columns, check_sparse, prepare, row_splits
from ._frames import column_names, holds_numbers, is_frame, selected_columns
from ._options import SELECT, described, parameters, settings, with_task
from ._progress import progress_bar
from .evidence import Agreement, Control, Curve, Score, Stability, StandIn, Verdict
from .report import Report

#: What the engine has no option for, because only Python needs it: its default, type and explanation.
_OWN = {
    "feature_names": (None, "Sequence[str] | None", "Names for an X that has none, such as the words of sparse counts."),
    "kinds": (None, "Mapping[str | int, str] | None", "Columns to read as 'number', 'boolean', 'category' or 'date', whatever "
              "they look like, by name or number: {'zip': 'category'}."),
    "missing": ("impute", "Literal['impute', 'drop-rows', 'error']", "Missing values: filled in and flagged, or their rows "
                "left out, or refused."),
    "column_groups": (None, "Mapping[str, Sequence[str | int]] | Sequence[str] | None", "Columns that are selected together and "
                      "count as one feature: patterns such as ['emg_*', 'gyro_*'], a group each, or the columns of each group by "
                      "its name, {'gyro': ['gyro_x', 'gyro_y']}."),
    "image_shape": (None, "tuple[int, int] | None", "Height and width of pictures whose pixels are the features."),
    "verbose": (False, "bool", "Show a progress bar (tqdm where it is installed)."),
}


class Splitter(Protocol):
    """What makes splits of rows, such as KFold: scikit-learn's splitters."""

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterable[tuple[Any, Any]]: ...


class FeatureSelector(SelectorMixin, BaseEstimator):
    """Select features by training a small network with a feature mask and its complement.

    `fit` trains such masks, ranks by forests, mutual information, ReliefF and linear elimination beside them, lets the one
    answer whose k best features serve a refitted classifier best, and ranks all features. The task follows y: classes,
    several labels (columns of 0 and 1), quantities, and without y the features themselves. Numbers are a quantity if they have fractions, or if many different ones occur and some hardly ever;
    `notes_` tells, and `task` says otherwise.

    The selection is repeated on parts of the rows, to find out how many features are enough, how good they are on held-out
    rows, how stable, and whether there is any signal at all; ``resample="off"`` makes a single selection. A splitter of
    scikit-learn as `resample`, or pairs of training and test rows, says which rows are held out.

    Frames of pandas and polars, Arrow tables and arrays of words are taken as they are: categories, booleans, dates and
    missing values become numbers inside every split, and every column stays one feature. Columns of no use, such as
    identities and free text, are left out, and `notes_` says why. float32 and uint8 arrays in C order are used without a
    copy; SciPy's sparse matrices stay sparse. The same data, options and seed give the same ranking as ``obverse select``, to
    the last bit.

    Parameters
    ----------
    {options}

    Attributes
    ----------
    scores_ : ndarray of shape (n_features,)
        What the mask gives to each feature (or the score of a method that trains no network): larger is better. NaN for
        columns that are left out. Selected features that a last look exchanged are ranked before some with larger scores.
    ranking_ : ndarray of shape (n_features,)
        The place of each feature, from 1 for the best; columns that are left out come last, and those of a group of
        columns share a place.
    k_ : int
        How many features are selected.
    method_ : str
        What answers: with ``method="auto"`` that of the candidate that serves k features best, such as "cfm" or "rf".
    k_reason_ : str or None
        Why this number of features was selected; None where k or rho was given, or with ``resample="off"``.
    curve_ : Curve or None
        Score on held-out rows against the number of features: arrays `k`, `score`, `low`, `high` and `random`, and
        beside them `all`, `base_rate`, `metric`, `classifier`, `folds` and `rows`. None with ``resample="off"``.
    verdict_ : Verdict or None
        Whether the features say anything about y: `signal`, `p_value`, `score` at k with `low` and `high`, `base_rate`.
        None with ``resample="off"``.
    signal_ : bool or None
        That of the verdict: `p_value_` is below 0.05.
    p_value_ : float or None
        That of the verdict.
    stability_ : Stability or None
        How far selections from disjoint halves of the rows agree (Nogueira's index): `value`, `low`, `high`, `pairs`.
        None with ``resample="off"``, or if the halves would be too small.
    frequency_ : ndarray of shape (n_features,) or None
        Share of the resamples that select a feature. None with ``resample="off"``.
    control_ : Control or None
        How ``control`` decided: `pfer`, `bound`, `threshold`, `frequency` of each feature and more. None without it.
    stand_ins_ : dict
        For the number of each selected feature that has any, the features that could take its place: a list of `StandIn`
        (`feature`, `similarity`, `equal`), the most similar ones first, at most 20.
    clusters_ : list of ndarray
        Numbers of selected features and their stand-ins that belong together.
    agreement_ : Agreement
        How far the models of the sweep agree, all trained on the same rows: `stability`, `jaccard`, `frequency` of each
        feature, `models`.
    notes_ : list of str
        What is unusual about the data, which columns are left out, and what was taken for granted.
    task_ : str
        What was trained for.
    classes_ : ndarray
        The classes of y; only for a classification.
    options_ : dict
        Every option as it was used, with what was left open filled in.
    report_ : Report
        The page to show.
    n_features_in_ : int
        Features seen in `fit`.
    feature_names_in_ : ndarray of shape (n_features,)
        Their names, where X has names.

    Notes
    -----
    ``effort`` and ``recipe`` set several options at once; one that has another value than its default is kept.
    """

    scores_: np.ndarray
    ranking_: np.ndarray
    frequency_: np.ndarray | None
    classes_: np.ndarray
    n_features_in_: int
    feature_names_in_: np.ndarray
    k_: int
    method_: str
    k_reason_: str | None
    curve_: Curve | None
    verdict_: Verdict | None
    signal_: bool | None
    p_value_: float | None
    stability_: Stability | None
    control_: Control | None
    stand_ins_: dict[int, list[StandIn]]
    clusters_: list[np.ndarray]
    agreement_: Agreement
    notes_: list[str]
    task_: str
    report_: Report

    # They come with the fit parameters, as in scikit-learn's own selectors.
    __metadata_request__fit = {"sample_weight": None, "groups": None, "time": None}

    def __init__(self, *given: Any, **options: Any) -> None:
        try:
            bound = _SIGNATURE.bind(self, *given, **options)
        except TypeError as error:
            near = [close[0] for name in options if name not in _SIGNATURE.parameters
                    for close in [difflib.get_close_matches(name, _SIGNATURE.parameters, 1)] if close]
            hint = f"; did you mean {near[0]!r}?" if near else ""
            raise TypeError(f"{type(self).__name__}() {error}{hint}") from None
        bound.apply_defaults()
        for name, value in bound.arguments.items():
            if name != "self":
                setattr(self, name, value)

    def fit(self, X: Any, y: Any = None, **fit_params: Any) -> FeatureSelector:
        """Rank the features.

        Parameters
        ----------
        X : array, frame, Arrow table or sparse matrix of shape (n_samples, n_features)
            Numbers, words, booleans and dates; NaN, None, NA and NaT are missing values.
        y : array of shape (n_samples,) or (n_samples, n_outputs), default=None
            Classes, labels as 0 and 1, or quantities; None to select what tells most about all features.
        sample_weight : array of shape (n_samples,), default=None
            How much each row counts, in training and in the choice between models.
        groups : array of shape (n_samples,), default=None
            Rows with equal values, such as those of one patient, stay together in every split.
        time : array of shape (n_samples,), default=None
            Numbers or datetime64: every split learns from earlier rows and tests on later ones.

        Returns
        -------
        self
        """
        rows = _rows_of("fit", fit_params)
        given = {name: getattr(self, name) for name in SELECT}
        splitter = None if isinstance(self.resample, (str, bool, int, float, type(None))) else self.resample
        if splitter is not None:
            given["resample"] = "on"
        asked = settings(given, SELECT)
        reading = Reading(self.kinds, self.missing, self.column_groups)
        prepared = prepare(self, X, y, str(self.task), rows, self.image_shape, self.feature_names, reading)
        splits = [] if splitter is None else row_splits(splitter, X, y, rows, prepared)
        with progress_bar(bool(self.verbose)) as progress:
            found = _engine.select(prepared.data, with_task(asked, prepared.task), reading.settings(), splits,
                                   prepared.notes, progress)
        self._take(found, prepared)
        for note in self.notes_[len(prepared.notes):]:  # how y was read is no cause for alarm
            warnings.warn(note, UserWarning, stacklevel=2)
        return self

    def fit_path(self, X: Any, y: Any = None, *, k: Sequence[int], **fit_params: Any) -> list[FeatureSelector]:
        """Rank once, and answer for several numbers of features.

        The candidate that serves 5 features best may not serve 50 best: each answer is that of the one that serves its k
        best. All of them come from one training, which takes hardly longer than `fit` for one k with
        ``resample="off"``; nothing is repeated on parts of the rows.

        Parameters
        ----------
        X, y, **fit_params
            As in `fit`.
        k : sequence of int
            How many features to select.

        Returns
        -------
        list of FeatureSelector
            A fitted one for each k, with this k and ``resample="off"``. This one stays as it is.
        """
        rows = _rows_of("fit_path", fit_params)
        sizes = [operator.index(size) for size in k]
        if not sizes or min(sizes) < 1:
            raise ValueError(f"k: expected numbers of features from 1 on, found {list(k)!r}")
        fitted = [clone(self).set_params(k=size, rho=_default("rho"), resample="off") for size in sizes]
        first = fitted[0]
        asked = settings({name: getattr(first, name) for name in SELECT} | {"k": _default("k")}, SELECT)
        reading = Reading(self.kinds, self.missing, self.column_groups)
        prepared = prepare(first, X, y, str(self.task), rows, self.image_shape, self.feature_names, reading)
        with progress_bar(bool(self.verbose)) as progress:
            answers = _engine.select_path(prepared.data, with_task(asked, prepared.task), reading.settings(), sizes,
                                          prepared.notes, progress)
        for one, found in zip(fitted, answers):
            for name in ("n_features_in_", "feature_names_in_"):
                if hasattr(first, name):
                    setattr(one, name, getattr(first, name))
            one._take(found, prepared)
        for note in first.notes_[len(prepared.notes):]:
            warnings.warn(note, UserWarning, stacklevel=2)
        return fitted

    def _take(self, found: _engine.Selection, prepared: Any) -> None:
        """The attributes of a fitted selector."""
        self.notes_ = list(found.notes)
        self.method_ = found.method
        features, owners = prepared.features, prepared.owners
        self.k_ = found.k
        self.scores_ = _of_columns(found.scores, owners, np.nan)
        places = np.empty(len(features), dtype=np.int64)
        places[found.order] = np.arange(1, len(features) + 1)
        left_out = owners < 0
        self.ranking_ = np.where(left_out, len(features) + np.cumsum(left_out), places[owners])
        agreement = found.agreement
        self.agreement_ = Agreement(**agreement | {"frequency": _of_columns(agreement["frequency"], owners)})
        self.stand_ins_ = {int(features[feature]): [StandIn(int(features[other]), *more) for other, *more in nearest]
                           for feature, nearest in found.stand_ins.items()}
        self.clusters_ = [features[cluster] for cluster in found.clusters]
        self._features = features
        self._keep_evidence(found.evidence, owners)
        self.task_ = prepared.task
        if prepared.classes is not None:
            self.classes_ = prepared.classes
        elif hasattr(self, "classes_"):
            del self.classes_
        self.report_ = Report(found)

    def _keep_evidence(self, evidence: dict[str, Any] | None, owners: np.ndarray) -> None:
        """The attributes that come from parts of the rows; None where nothing was repeated."""
        found = evidence or dict.fromkeys(("curve", "verdict", "stability", "frequency", "k_reason", "control"))
        self.curve_ = _curve(found["curve"])
        self.verdict_ = Verdict(**found["verdict"]) if found["verdict"] else None
        self.signal_ = self.verdict_.signal if self.verdict_ else None
        self.p_value_ = self.verdict_.p_value if self.verdict_ else None
        self.stability_ = Stability(**found["stability"]) if found["stability"] else None
        self.frequency_ = _of_columns(found["frequency"], owners) if evidence else None
        self.k_reason_ = found["k_reason"] or None
        control = found["control"]
        self.control_ = None
        if control:
            self.control_ = Control(**control | {"frequency": _of_columns(control["frequency"], owners)})

    def transform(self, X: Any) -> Any:
        """The columns of X that were selected, in their order.

        As in scikit-learn's selectors an array comes out, or the frame that `set_output` asks for. A frame with words or
        dates, which no array could hold, stays what it is. Only names and number of the columns are checked.
        """
        if is_frame(X) and not holds_numbers(X):
            check_is_fitted(self, "ranking_")
            check_columns(self, X, column_names(X), reset=False)
            out = selected_columns(X, self.get_support())
            if hasattr(out, "column_names") and _get_output_config("transform", self)["dense"] == "pandas":
                return out.to_pandas()  # of pyarrow, which scikit-learn cannot turn into pandas
            return out
        check_sparse(X)
        return super().transform(X)

    @property
    def options_(self) -> dict[str, Any]:
        """Every option as it was used."""
        check_is_fitted(self, "report_")
        return dict(self.report_._part("options"))

    @property
    def models_(self) -> list[dict[str, Any]]:
        """The models of the sweep, as in selection.json."""
        check_is_fitted(self, "report_")
        return list(self.report_._part("models"))

    def to_html(self, path: str | os.PathLike[str] | None = None, *, report_data: str = "shown") -> str | Path:
        """The report as one HTML page; written to `path` where one is given, whole or not at all.

        ``report_data="none"`` leaves out values of the data, for a page to share: distributions, example pictures and names
        of classes. Names of features stay.
        """
        check_is_fitted(self, "report_")
        if report_data not in ("shown", "none"):
            raise ValueError(f"report_data: expected 'shown' or 'none', found {report_data!r}")
        report = self.report_ if report_data == "shown" else self.report_.without_values()
        return report.html if path is None else report.save(path)

    def plot(self, kind: str = "auto", *, ax: Any = None, top: int = 30) -> Any:
        """Draw the selection with matplotlib.

        Parameters
        ----------
        kind : {"auto", "scores", "stability", "curve", "mask"}
            The best features and their scores; how many of the resamples select them, or with ``resample="off"`` of
            the models; score on held-out rows against the number of features, not with ``resample="off"``; the mask as a
            picture, which needs `image_shape`. "auto" draws all there is, side by side.
        ax : matplotlib Axes, default=None
            Where to draw; not for "auto".
        top : int, default=30
            How many features to show.

        Returns
        -------
        matplotlib Figure for "auto", else Axes
        """
        check_is_fitted(self, "report_")
        from ._plots import plot

        return plot(self, kind, ax, top)

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Names of the selected features, in the order of the columns: those of X, of `feature_names`, or x0, x1, ..."""
        if input_features is None and not hasattr(self, "feature_names_in_") and self.feature_names is not None:
            check_is_fitted(self, "ranking_")
            return np.asarray(self.feature_names, dtype=object)[self.get_support()]
        return np.asarray(super().get_feature_names_out(input_features))

    def _get_support_mask(self) -> np.ndarray:
        check_is_fitted(self, "ranking_")
        return self.ranking_ <= self.k_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = self.missing != "error"
        tags.input_tags.string = True
        # `categorical` is for estimators that take every number as a category, such as CategoricalNB. Categories that come
        # with their type, as here and in HistGradientBoosting, need no tag.
        task = _engine.tasks().get(str(self.task), {})
        tags.target_tags.required = task.get("needs_target", False)
        tags.target_tags.multi_output = task.get("several_columns", False)
        tags.target_tags.single_output = task.get("one_column", True)
        return tags


def _rows_of(function: str, fit_params: dict[str, Any]) -> Rows:
    """What `fit` is told about the rows beside X and y."""
    rows = Rows(*(fit_params.pop(name, None) for name in ("sample_weight", "groups", "time")))
    if fit_params:
        raise TypeError(f"{function}() got an unexpected keyword argument {next(iter(fit_params))!r}; known are "
                        "sample_weight, groups and time")
    return rows


def _default(name: str) -> Any:
    return inspect.signature(FeatureSelector).parameters[name].default


def _of_columns(values: np.ndarray, owners: np.ndarray, otherwise: float = 0) -> np.ndarray:
    """For each column of X what its feature has; columns that are left out have something else."""
    return np.where(owners < 0, otherwise, np.asarray(values, dtype=np.float64)[owners])


def _curve(found: dict[str, Any] | None) -> Curve | None:
    return Curve(**found | {"all": Score(**found["all"])}) if found else None


_SIGNATURE = inspect.Signature(
    [inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)]
    + parameters(SELECT, first=["k"])
    + [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default) for name, (default, _, _) in _OWN.items()]
)
FeatureSelector.__init__.__signature__ = _SIGNATURE  # type: ignore[attr-defined]
FeatureSelector.__doc__ = inspect.cleandoc(FeatureSelector.__doc__ or "").replace(
    "{options}",
    described(SELECT)
    + "".join(f"\n{name} : {kind}, default={default!r}\n    {help}" for name, (default, kind, help) in _OWN.items()),
)
