"""Arrays, frames and sparse matrices as data of the engine.

float32 and uint8 in C order are read where they lie; every other dense type becomes float32, and sparse rows stay sparse.
"""

from __future__ import annotations

import weakref
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.sparse
from sklearn.base import BaseEstimator
from sklearn.utils import check_array, check_consistent_length, column_or_1d
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import _check_sample_weight, assert_all_finite, validate_data

from . import _engine

_MOST_FEATURES = 10_000_000
_TASK_OF_COLUMNS = {"multilabel-indicator": "multilabel", "continuous-multioutput": "regression"}


class Columns(BaseEstimator):
    """What scikit-learn remembers of the columns of X, for functions that are no estimators."""


@dataclass
class Prepared:
    """Data for the engine, and what is remembered of the target."""

    data: _engine.Data
    task: str
    classes: np.ndarray | None = None  # of a classification, sorted
    guard: Any = None  # while it lives, the array that holds the values cannot be resized
    kind: Any = np.float32  # of dense values
    notes: list[str] = field(default_factory=list)  # on y


@dataclass(frozen=True)
class Rows:
    """What is known of each row beside its features and its target; None where nothing is."""

    sample_weight: Any = None
    groups: Any = None
    time: Any = None


def prepare(columns: BaseEstimator, X: Any, y: Any, task: str, rows: Rows = Rows(), image_shape: Any = None,
            feature_names: Any = None) -> Prepared:
    """Checks X (n_samples, n_features), y and the rows; `columns` learns the names and the number of the features."""
    X = _features(columns, X, (np.float32, np.uint8), reset=True)
    target = _target(y, task, X)
    if rows.sample_weight is not None:
        weights = _check_sample_weight(rows.sample_weight, X, dtype=np.float32, ensure_non_negative=True)
        target.values.weigh(np.ascontiguousarray(weights))
    _add_split_keys(target.values, rows, X)
    picture = _picture(image_shape)
    data = _dataset(X, _names(columns, X, picture, feature_names), target.values, picture)
    return Prepared(data, target.task, target.classes, _owner(X), X.dtype.type, target.notes)


@dataclass
class Inputs:
    """What a function that is no estimator works on."""

    columns: Columns
    train: Prepared
    test: Prepared | None

    @property
    def test_data(self) -> _engine.Data | None:
        return None if self.test is None else self.test.data


def _add_split_keys(target: _engine.Target, rows: Rows, X: Any) -> None:
    """Groups and times, which every split of the rows heeds."""
    if rows.groups is not None and rows.time is not None:
        raise ValueError("a split goes by groups or by time: give groups or time, not both")
    if rows.groups is not None:
        groups = column_or_1d(rows.groups)
        check_consistent_length(X, groups)
        _refuse_gaps(groups, "groups")
        names, numbers = np.unique(groups, return_inverse=True)
        target.group(np.ascontiguousarray(numbers, dtype=np.uint32), [_class_name(name) for name in names.tolist()])
    if rows.time is not None:
        time = column_or_1d(rows.time)
        check_consistent_length(X, time)
        _refuse_gaps(time, "time")
        if time.dtype.kind == "M":
            time = time.astype("datetime64[ns]").astype(np.int64)
        try:
            target.order(np.ascontiguousarray(time, dtype=np.float64))
        except (TypeError, ValueError) as error:
            raise ValueError("time: expected numbers or datetime64, found "
                             f"{time.dtype}; convert it with numpy.asarray(time, dtype='datetime64[s]')") from error


def _refuse_gaps(values: np.ndarray, name: str) -> None:
    for row, value in enumerate(values):
        if value is None or value != value:
            raise ValueError(f"{name}: expected a value for each row, found {value} in row {row + 1}")


def prepare_inputs(X: Any, y: Any, test: Any, task: str, rows: Rows) -> Inputs:
    """`test` is (X_test, y_test), or None."""
    columns = Columns()
    train = prepare(columns, X, y, task, rows)
    if test is None:
        return Inputs(columns, train, None)
    if not isinstance(test, (tuple, list)) or len(test) != 2:
        raise TypeError(f"test: expected (X_test, y_test), found {type(test).__name__}")
    return Inputs(columns, train, prepare_test(columns, test[0], test[1], train))


def prepare_test(columns: BaseEstimator, X: Any, y: Any, like: Prepared) -> Prepared:
    """Rows for a test: the columns and the classes of the training data."""
    X = _features(columns, X, (like.kind,), reset=False)
    if like.classes is None:
        target = _target(y, like.task, X).values
    else:
        target = _class_target("y", _labels_of_test(y, X, like.classes), like.classes)
    return Prepared(_dataset(X, _names(columns, X), target, None), like.task, like.classes, _owner(X))


def _labels_of_test(y: Any, X: Any, classes: np.ndarray) -> np.ndarray:
    if y is None:
        raise ValueError("test: expected (X_test, y_test), found no y_test")
    y = _checked_target(y, X)
    known = {value: i for i, value in enumerate(classes.tolist())}
    labels = []
    for value in y.ravel().tolist():
        if value not in known:
            raise ValueError(f"the test has the class {_class_name(value)!r}, which no training row has")
        labels.append(known[value])
    if len(labels) != X.shape[0]:
        raise ValueError(f"test: expected one class for each row, found y_test with {y.shape[1]} columns")
    return np.array(labels)


def _features(columns: BaseEstimator, X: Any, kinds: tuple[Any, ...], reset: bool) -> Any:
    X = _with_array(X)
    check_sparse(X)
    if getattr(getattr(X, "dtype", None), "kind", "") in ("m", "M"):
        raise ValueError("X holds dates or times, which are no quantities by themselves; give what counts of them as numbers, "
                         "such as days since a date")
    try:
        with np.errstate(over="ignore"):  # the engine names the place of what does not fit float32
            checked = validate_data(columns, X, reset=reset, dtype=list(kinds), order="C", accept_sparse="csr",
                                    ensure_all_finite=False, ensure_min_samples=2 if reset else 1)
    except (TypeError, ValueError) as error:
        _name_text_column(X, error)
        raise
    check_sparse(checked)  # what a list or a dictionary of entries has become
    return checked


def check_sparse(X: Any, what: str = "X") -> None:
    """ValueError for a sparse matrix whose arrays do not fit together.

    SciPy trusts them, so that one wrong boundary would have it read and write beyond them.
    """
    if not scipy.sparse.issparse(X):
        return
    if len(X.shape) != 2:
        raise ValueError(f"{what} is a sparse array of {len(X.shape)} dimensions; expected rows and columns")
    if X.format in ("csr", "csc", "bsr"):
        _check_compressed(X, what)
    elif X.format == "coo":
        for name, indices, size in (("row", X.row, X.shape[0]), ("col", X.col, X.shape[1])):
            if _length(indices, f"{what}.{name}", what) != _length(X.data, f"{what}.data", what, whole=False):
                raise ValueError(f"{what} is damaged: {name} has {len(indices)} numbers for {len(X.data)} values")
            _check_range(indices, size, f"{what}.{name}", what)
    elif X.format == "dia":
        if np.ndim(X.data) != 2 or _length(X.offsets, f"{what}.offsets", what) != X.data.shape[0]:
            raise ValueError(f"{what} is damaged: expected a row of data for each offset")


def _check_compressed(X: Any, what: str) -> None:
    """Row boundaries that ascend from 0 to the number of entries, and an index inside the matrix for each of them."""
    rows, columns = X.shape if X.format != "csc" else X.shape[::-1]
    if X.format == "bsr":
        if np.ndim(X.data) != 3 or 0 in X.data.shape[1:] or rows % X.data.shape[1] or columns % X.data.shape[2]:
            raise ValueError(f"{what} is damaged: its blocks do not fit a matrix of {rows} x {columns}")
        rows, columns = rows // X.data.shape[1], columns // X.data.shape[2]
    boundaries = _length(X.indptr, f"{what}.indptr", what)
    entries = _length(X.indices, f"{what}.indices", what)
    values = len(X.data) if X.format == "bsr" else _length(X.data, f"{what}.data", what, whole=False)
    if boundaries != rows + 1:
        raise ValueError(f"{what} is damaged: expected {rows + 1} numbers in indptr, found {boundaries}")
    if X.indptr[0] != 0 or np.any(X.indptr[1:] < X.indptr[:-1]):
        raise ValueError(f"{what} is damaged: indptr has to begin with 0 and never to fall")
    if X.indptr[-1] > min(entries, values):
        raise ValueError(f"{what} is damaged: indptr ends with {X.indptr[-1]}, but there are {entries} indices and "
                         f"{values} values")
    _check_range(X.indices[: X.indptr[-1]], columns, f"{what}.indices", what)


def _length(array: Any, name: str, what: str, whole: bool = True) -> int:
    """Of a list of numbers; whole ones where they are places."""
    if not isinstance(array, np.ndarray) or array.ndim != 1 or (whole and array.dtype.kind not in "iu"):
        raise ValueError(f"{what} is damaged: {name} has to be a one-dimensional array of "
                         f"{'whole numbers' if whole else 'values'}")
    return len(array)


def _check_range(indices: np.ndarray, size: int, name: str, what: str) -> None:
    if len(indices) and (indices.min() < 0 or indices.max() >= size):
        raise ValueError(f"{what} is damaged: {name} has to hold numbers from 0 to {size - 1}, found "
                         f"{indices.min()} to {indices.max()}")


def _with_array(X: Any) -> Any:
    """Through the interchange protocols where scikit-learn does not know the type."""
    if hasattr(X, "__array__") or not hasattr(X, "__dataframe__"):
        return np.from_dlpack(X) if hasattr(X, "__dlpack__") and not hasattr(X, "__array__") else X
    try:
        from pandas.api.interchange import from_dataframe
    except ImportError as error:
        raise TypeError(f"X is a {type(X).__name__}: to read it through the dataframe interchange protocol, "
                        "install pandas, or pass a NumPy array") from error
    return from_dataframe(X)


def _name_text_column(X: Any, error: Exception) -> None:
    """For frames: which column holds what is no number."""
    for name in getattr(X, "columns", ()):
        values = np.asarray(X[name])
        if values.dtype.kind in "biuf":
            continue
        for value in values:
            try:
                float(value)
            except (TypeError, ValueError):
                raise ValueError(
                    f"column {name!r} holds {value!r}, which is no number; encode the column first (scikit-learn's "
                    "OneHotEncoder or OrdinalEncoder), fill its gaps, or leave it out") from error


def _names(columns: BaseEstimator, X: Any, picture: tuple[int, int] | None = None, given: Any = None) -> list[str]:
    """Those of X, else those given; pixels are called as the command does."""
    count = X.shape[1]
    if count > _MOST_FEATURES:
        raise ValueError(f"X has {count:,} columns, more than the {_MOST_FEATURES:,} that can be trained; leave out those that "
                         "are rarely used, or hash them into fewer")
    names = getattr(columns, "feature_names_in_", None)
    if names is None and given is not None:
        names = list(given)
        if len(names) != count:
            raise ValueError(f"feature_names: expected a name for each of the {count} features, found {len(names)}")
    if names is not None:
        return [str(name) for name in names]
    if picture is not None and picture[0] * picture[1] == count:
        return [f"pixel_{i // picture[1]}_{i % picture[1]}" for i in range(count)]
    return [f"x{i}" for i in range(count)]


def _picture(shape: Any) -> tuple[int, int] | None:
    if shape is None:
        return None
    try:
        height, width = (int(side) for side in shape)
    except (TypeError, ValueError):
        raise ValueError(f"image_shape: expected (height, width), found {shape!r}") from None
    if height < 1 or width < 1:
        raise ValueError(f"image_shape: expected a height and a width of at least 1, found {shape!r}")
    return height, width


def _dataset(X: Any, names: list[str], target: _engine.Target, picture: tuple[int, int] | None) -> _engine.Data:
    if isinstance(X, np.ndarray):
        return _engine.dense(X, names, target, picture)
    if not X.has_canonical_format:  # columns ascending, none twice
        X = X.copy()
        X.sum_duplicates()
    entries = X.indptr[-1]  # the arrays may have room for more
    values = np.ascontiguousarray(X.data[:entries], dtype=np.float32)
    columns = np.ascontiguousarray(X.indices[:entries], dtype=np.int32 if X.indices.itemsize <= 4 else np.int64)
    return _engine.sparse(np.ascontiguousarray(X.indptr, dtype=np.int64), columns, values, names, target, picture)


def _owner(X: Any) -> Any:
    """NumPy resizes no array in place that somebody refers to weakly."""
    while isinstance(getattr(X, "base", None), np.ndarray):
        X = X.base
    return weakref.ref(X)


def _checked_target(y: Any, X: Any) -> np.ndarray:
    names = y
    check_sparse(y, "y")
    if hasattr(y, "toarray"):
        y = y.toarray()
    y = check_array(y, ensure_2d=False, dtype=None, ensure_all_finite=False, input_name="y", ensure_min_samples=0)
    check_consistent_length(X, y)
    if y.dtype.kind == "f":
        assert_all_finite(y, input_name="y")
    elif y.dtype.kind == "O":
        missing = [i for i, value in enumerate(y.ravel()) if value is None or value != value]
        if missing:
            raise ValueError(f"Input y contains NaN or None, first in row {missing[0] // (y.size // len(y)) + 1}; "
                             "remove the row or fill the gap")
        if all(isinstance(value, str) for value in y.ravel()):
            y = y.astype(str)
    if y.ndim == 2 and y.shape[1] == 1:
        y = column_or_1d(y, warn=hasattr(names, "shape") and not hasattr(names, "columns"))
    return y


@dataclass
class _Target:
    """y as the engine takes it."""

    values: _engine.Target
    task: str
    classes: np.ndarray | None = None
    notes: list[str] = field(default_factory=list)


def _target(y: Any, task: str, X: Any) -> _Target:
    if task == "reconstruction" or (y is None and task == "auto"):
        return _Target(_engine.Target(), "reconstruction")
    if y is None:
        raise ValueError(f"task={task!r} requires y to be passed, but the target y is None; task='reconstruction' selects "
                         "the features that tell most about all others, without y")
    names = _target_names(y)
    categories = hasattr(getattr(y, "dtype", None), "categories")
    y = _checked_target(y, X)
    notes: list[str] = []
    if task == "auto":
        task, notes = _task_of(y, names[0], categories)
    elif task == "classification":
        check_classification_targets(y)
    if task == "classification":
        if y.ndim > 1:
            raise ValueError("task='classification' expects one class for each row, found y with "
                             f"{y.shape[1]} columns; task='multilabel' takes 0 and 1 for each label")
        classes, labels = np.unique(y, return_inverse=True)
        return _Target(_class_target(names[0], labels, classes), task, classes, notes)
    if task == "multilabel" and (kind := type_of_target(y, input_name="y")) != "multilabel-indicator":
        raise ValueError(f"task='multilabel' expects y with a column of 0 and 1 for each label, found {kind}")
    return _Target(_output_target(y, names, task == "multilabel"), task, notes=notes)


def _task_of(y: np.ndarray, name: str, categories: bool) -> tuple[str, list[str]]:
    """The task of one column by the engine's rule, and notes on it; several columns are labels or quantities."""
    numbers = y.dtype.kind in "biuf"
    if not numbers or y.ndim > 1:
        kind = type_of_target(y, input_name="y", raise_unknown=True)
        if y.ndim > 1:
            if kind not in _TASK_OF_COLUMNS:
                raise ValueError(f"y holds several classes for each row ({kind}); give 0 and 1 for each label, or "
                                 "task='regression' for quantities")
            return _TASK_OF_COLUMNS[kind], []
    if categories or y.dtype.kind == "b":
        return "classification", []
    values, rows = np.unique(y, return_counts=True)
    task, note = _engine.target_task(name, values.astype(np.float64) if numbers else None, rows.astype(np.int64))
    return task, [note] if note else []


def _target_names(y: Any) -> list[str]:
    if hasattr(y, "columns"):
        return [str(name) for name in y.columns]
    name = getattr(y, "name", None)
    columns = y.shape[1] if len(getattr(y, "shape", ())) == 2 else 1
    return [name if isinstance(name, str) else "y"] if columns == 1 else [f"y{i}" for i in range(columns)]


def _class_name(value: Any) -> str:
    """1.0 is called 1, as in files."""
    if isinstance(value, (bool, np.bool_, str)):
        return str(value)
    if isinstance(value, (float, np.floating)) and float(value).is_integer():
        return str(int(value))
    return str(value)


def _class_target(name: str, labels: np.ndarray, classes: np.ndarray) -> _engine.Target:
    return _engine.class_target(name, np.ascontiguousarray(labels.ravel(), dtype=np.int32),
                                [_class_name(value) for value in classes])


def _output_target(y: np.ndarray, names: list[str], multilabel: bool) -> _engine.Target:
    try:
        with np.errstate(over="ignore"):
            outputs = np.ascontiguousarray(y, dtype=np.float32).reshape(len(y), -1)
    except (TypeError, ValueError) as error:
        raise ValueError(f"task='regression' expects numbers in y: {error}") from error
    if len(names) != outputs.shape[1]:
        names = ["y"] if outputs.shape[1] == 1 else [f"y{i}" for i in range(outputs.shape[1])]
    return _engine.output_target(", ".join(names), outputs, names, multilabel)
