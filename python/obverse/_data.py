"""Arrays, frames and sparse matrices as data of the engine.

float32 and uint8 in C order are read where they lie; other arrays of numbers become float32, and sparse rows stay sparse.
Frames, words and missing values become tables of the engine (_frames.py).
"""

from __future__ import annotations

import difflib
import weakref
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import scipy.sparse
from sklearn.base import BaseEstimator
from sklearn.utils import _safe_indexing, check_array, check_consistent_length, column_or_1d
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import _check_sample_weight, _get_feature_names, assert_all_finite, validate_data

from . import _engine
from ._frames import has_words, is_frame, is_pandas, read_columns

_MOST_FEATURES = 10_000_000
_TASK_OF_COLUMNS = {"multilabel-indicator": "multilabel", "continuous-multioutput": "regression"}


class Columns(BaseEstimator):
    """What scikit-learn remembers of the columns of X, for functions that are no estimators."""


@dataclass
class Prepared:
    """Data for the engine, and what is remembered of the target."""

    data: _engine.Data
    task: str
    features: np.ndarray  # the column of X that each feature has; of a group of columns the first
    owners: np.ndarray  # the feature that each column of X belongs to; -1 where it is of no use
    classes: np.ndarray | None = None  # of a classification, sorted
    guard: Any = None  # while it lives, the array that holds the values cannot be resized
    kind: Any = np.float32  # of dense values
    is_table: bool = False
    notes: list[str] = field(default_factory=list)  # on X and y
    all_rows: int = 0  # of X
    rows: np.ndarray | None = None  # those that are left; None: all
    ungrouped: Prepared | None = None  # the same with each column a feature, where groups of columns are


@dataclass(frozen=True)
class Rows:
    """What is known of each row beside its features and its target; None where nothing is."""

    sample_weight: Any = None
    groups: Any = None
    time: Any = None

    def of(self, rows: np.ndarray | None) -> Rows:
        """The same of some rows."""
        return Rows(*(_of_rows(values, rows) for values in (self.sample_weight, self.groups, self.time)))


@dataclass(frozen=True)
class Reading:
    """How columns are to be read that are more than numbers."""

    kinds: Any = None  # by name or number of a column: number, boolean, category or date
    missing: str = "impute"
    column_groups: Any = None  # patterns, or the columns of each group by its name

    def __post_init__(self) -> None:
        words = _engine.missing_words()
        if self.missing not in words:
            raise ValueError(f"missing: expected {', '.join(words[:-1])} or {words[-1]}, found {self.missing!r}")
        if self.kinds is not None and not isinstance(self.kinds, Mapping):
            raise TypeError("kinds: expected the kind of each column by its name, such as {'zip': 'category'}, found "
                            f"{type(self.kinds).__name__}")

    def settings(self) -> list[tuple[str, str]]:
        """What differs from the defaults, in the words of the command."""
        kinds = [("as", ",".join(f"{column}={kind}" for column, kind in self.kinds.items()))] if self.kinds else []
        return kinds + ([("missing", self.missing)] if self.missing != "impute" else [])

    def groups(self, names: list[str]) -> list[tuple[str, list[str]]]:
        """The names and patterns of the columns of each group; numbers count the columns of X from 0."""
        asked = self.column_groups
        if isinstance(asked, str):
            asked = [asked]
        if not isinstance(asked, Mapping):
            if not isinstance(asked, (list, tuple)) or not all(isinstance(pattern, str) for pattern in asked):
                raise TypeError("column_groups: expected patterns such as ['emg_*', 'gyro_*'], or the columns of each group by "
                                f"its name, such as {{'gyro': ['gyro_x', 'gyro_y']}}, found {asked!r:.80}")
            asked = {pattern: [pattern] for pattern in asked}
        groups = []
        for name, columns in asked.items():
            members = [columns] if isinstance(columns, (str, int, np.integer)) else list(columns)
            if not members:
                raise ValueError(f"column_groups: group {name!r} has no columns; name some, or leave it out")
            groups.append((str(name), [_column_name(member, names, name) for member in members]))
        return groups

    def of(self, names: list[str]) -> list[str | None]:
        """For each column the kind that it has to have, if any."""
        asked: list[str | None] = [None] * len(names)
        for column, kind in (self.kinds or {}).items():
            if isinstance(column, (int, np.integer)) and 0 <= column < len(names):
                asked[column] = str(kind)
            elif isinstance(column, str) and column in names:
                asked[names.index(column)] = str(kind)
            else:
                near = difflib.get_close_matches(str(column), names, 1)
                hint = f"; did you mean {near[0]!r}?" if near else ""
                raise ValueError(f"kinds: {column!r} is none of the {len(names)} columns of X{hint}")
        return asked


def _column_name(member: Any, names: list[str], group: Any) -> str:
    if not isinstance(member, (int, np.integer)):
        return str(member)
    if not 0 <= member < len(names):
        raise ValueError(f"column_groups: group {group!r} has column {member}, but columns go from 0 to {len(names) - 1}")
    return names[member]


def prepare(columns: BaseEstimator, X: Any, y: Any, task: str, rows: Rows = Rows(), image_shape: Any = None,
            feature_names: Any = None, reading: Reading = Reading()) -> Prepared:
    """Checks X (n_samples, n_features), y and the rows; `columns` learns the names and the number of the features."""
    prepared, names = _prepare_columns(columns, X, y, task, rows, image_shape, feature_names, reading)
    if not reading.column_groups:
        return prepared
    return _grouped(prepared, reading.groups(names))


def _grouped(prepared: Prepared, groups: list[tuple[str, list[str]]]) -> Prepared:
    """The same with groups of columns as features."""
    data, order, begin = _engine.grouped(prepared.data, groups)
    columns = prepared.features[np.array(order)]
    owners = np.full(len(prepared.owners), -1)
    owners[columns] = np.repeat(np.arange(len(begin) - 1), np.diff(begin))
    return replace(prepared, data=data, features=columns[begin[:-1]], owners=owners, ungrouped=prepared)


def _prepare_columns(columns: BaseEstimator, X: Any, y: Any, task: str, rows: Rows, image_shape: Any, feature_names: Any,
                     reading: Reading) -> tuple[Prepared, list[str]]:
    """Each column a feature; and the names of all columns."""
    picture = _picture(image_shape)
    X, table = _features(columns, X, (np.float32, np.uint8), reset=True, as_table=bool(reading.kinds))
    names = _names(columns, picture, feature_names)
    if table is None:
        samples = _samples(X.shape[0])
        target = _weighed(_target(y, task, samples), rows, samples)
        data = _dataset(X, names, target.values, picture)
        every = np.arange(len(names))
        return Prepared(data, target.task, every, every, target.classes, _owner(X), X.dtype.type, notes=target.notes,
                        all_rows=len(samples)), names
    table.settle(names, reading.of(names))
    kept = _complete(table, reading.missing)
    samples = _samples(table.rows)
    for values in (y, rows.sample_weight, rows.groups, rows.time):
        if kept is not None and values is not None:
            check_consistent_length(samples, values)
    left = samples if kept is None else samples[kept]
    target = _weighed(_target(_of_rows(y, kept), task, left), rows.of(kept), left)
    data = table.data(target.values, picture, kept)
    notes = [*table.notes, *([] if kept is None else [_dropped_note(table.rows - len(kept))]), *target.notes]
    features = np.array(table.features)
    owners = np.full(len(names), -1)
    owners[features] = np.arange(len(features))
    return Prepared(data, target.task, features, owners, target.classes, is_table=True, notes=notes, all_rows=table.rows,
                    rows=kept), names


def row_splits(resample: Any, X: Any, y: Any, rows: Rows, prepared: Prepared) -> list[tuple[list[int], list[int]]]:
    """The rows that each split of a splitter or of a list of pairs learns from and tests on, as the data number them."""
    count = prepared.all_rows
    if hasattr(resample, "split"):
        resample = resample.split(X if hasattr(X, "shape") else _samples(count), y, rows.groups)
    elif not hasattr(resample, "__iter__"):
        raise TypeError("resample: expected 'on', 'off', a splitter of scikit-learn or pairs of training and test rows, found "
                        f"{type(resample).__name__}")
    splits = []
    for number, pair in enumerate(resample, 1):
        if not isinstance(pair, (tuple, list)) or len(pair) != 2:
            raise TypeError(f"resample: expected pairs of training and test rows, found {type(pair).__name__} as split {number}")
        train, test = (_row_numbers(part, count, number, prepared.rows) for part in pair)
        splits.append((train, test))
    if not splits:
        raise ValueError("resample: the splitter makes no splits; expected pairs of training and test rows")
    return splits


def _row_numbers(part: Any, count: int, number: int, kept: np.ndarray | None) -> list[int]:
    rows = np.asarray(part)
    if rows.dtype == bool and rows.shape == (count,):
        rows = np.flatnonzero(rows)
    if rows.ndim != 1 or (rows.dtype.kind not in "iu" and rows.size):
        raise TypeError(f"resample: expected an array of row numbers in split {number}, found {rows.dtype} of shape {rows.shape}")
    rows = rows.astype(np.int64)
    if rows.size and (rows.min() < 0 or rows.max() >= count):
        wrong = rows.min() if rows.min() < 0 else rows.max()
        raise ValueError(f"resample: split {number} has row {wrong}, but rows go from 0 to {count - 1}")
    return list((rows if kept is None else np.searchsorted(kept, rows[np.isin(rows, kept)])).tolist())


def _samples(count: int) -> np.ndarray:
    """Something with as many rows, for checks of lengths."""
    return np.broadcast_to(np.float32(0), (count, 1))


def _of_rows(values: Any, rows: np.ndarray | None) -> Any:
    return values if rows is None or values is None else _safe_indexing(values, rows)


def _weighed(target: _Target, rows: Rows, samples: np.ndarray) -> _Target:
    """With the weights of the rows and what splits heed."""
    if rows.sample_weight is not None:
        weights = _check_sample_weight(rows.sample_weight, samples, dtype=np.float32, ensure_non_negative=True)
        target.values.weigh(np.ascontiguousarray(weights))
    _add_split_keys(target.values, rows, samples)
    return target


def _complete(table: _engine.Table, missing: str) -> np.ndarray | None:
    """The rows that are kept; None: all. ValueError where values are missing and may not be."""
    if missing == "error":
        table.refuse_missing()
    if missing != "drop-rows":
        return None
    complete = np.array(table.complete_rows(), dtype=np.int64)
    if len(complete) == 0:
        raise ValueError("X: no row is left: in each of them values are missing; say missing='impute'")
    return None if len(complete) == table.rows else complete


def _dropped_note(count: int) -> str:
    return f"{count:,} {'row is' if count == 1 else 'rows are'} left out: values are missing there"


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


def prepare_inputs(X: Any, y: Any, test: Any, task: str, rows: Rows, reading: Reading) -> Inputs:
    """`test` is (X_test, y_test), or None."""
    columns = Columns()
    train = prepare(columns, X, y, task, rows, reading=reading)
    if test is None:
        return Inputs(columns, train, None)
    if not isinstance(test, (tuple, list)) or len(test) != 2:
        raise TypeError(f"test: expected (X_test, y_test), found {type(test).__name__}")
    return Inputs(columns, train, prepare_test(columns, test[0], test[1], train, reading))


def prepare_test(columns: BaseEstimator, X: Any, y: Any, like: Prepared, reading: Reading) -> Prepared:
    """Rows for a test: the columns, their kinds, their groups and the classes of the training data."""
    like = like.ungrouped or like
    X, table = _features(columns, X, (like.kind,), reset=False, as_table=like.is_table)
    names = _names(columns)
    kept = None
    if table is not None:
        table.settle_like(names, like.data, like.features.tolist())
        kept = _complete(table, reading.missing)
    samples = _samples(X.shape[0] if table is None else table.rows)
    if y is not None:
        check_consistent_length(samples, y)
    samples, y = _of_rows(samples, kept), _of_rows(y, kept)
    if like.classes is None:
        target = _target(y, like.task, samples).values
    else:
        target = _class_target("y", _labels_of_test(y, samples, like.classes), like.classes)
    data = _dataset(X, names, target, None) if table is None else table.data(target, None, kept)
    guard = _owner(X) if table is None else None
    prepared = Prepared(data, like.task, like.features, like.owners, like.classes, guard, is_table=like.is_table)
    return _grouped(prepared, reading.groups(names)) if reading.column_groups else prepared


def _labels_of_test(y: Any, samples: np.ndarray, classes: np.ndarray) -> np.ndarray:
    if y is None:
        raise ValueError("test: expected (X_test, y_test), found no y_test")
    y = _checked_target(y, samples)
    known = {value: i for i, value in enumerate(classes.tolist())}
    labels = []
    for value in y.ravel().tolist():
        if value not in known:
            raise ValueError(f"the test has the class {_class_name(value)!r}, which no training row has")
        labels.append(known[value])
    if len(labels) != len(samples):
        raise ValueError(f"test: expected one class for each row, found y_test with {y.shape[1]} columns")
    return np.array(labels)


def _features(columns: BaseEstimator, X: Any, kinds: tuple[Any, ...], reset: bool,
              as_table: bool) -> tuple[Any, _engine.Table | None]:
    """An array of numbers or a sparse matrix, checked; or the columns of what is more than that."""
    X = _with_array(X)
    if is_frame(X):
        return X, _frame_table(columns, X, reset)
    check_sparse(X)
    words = has_words(X)
    with np.errstate(over="ignore"):  # the engine names the place of what does not fit float32
        checked = validate_data(columns, X, reset=reset, dtype=None if words else list(kinds), order="C",
                                accept_sparse="csr", ensure_all_finite=False, ensure_min_samples=2 if reset else 1)
    check_sparse(checked)  # what a list or a dictionary of entries has become
    if words or (isinstance(checked, np.ndarray) and (as_table or _has_nan(checked))):
        return checked, read_columns(checked)[0]
    return checked, None


def _has_nan(X: np.ndarray) -> bool:
    with np.errstate(invalid="ignore"):
        return X.dtype.kind == "f" and bool(np.isnan(X.min()))


def check_columns(columns: BaseEstimator, X: Any, names: list[str], reset: bool) -> None:
    """Names and number of the columns of a frame, which are learned or have to be the same again."""
    if is_pandas(X) or _get_feature_names(X) is not None:
        validate_data(columns, X, reset=reset, skip_check_array=True)
    elif reset:  # scikit-learn does not know the type
        columns.feature_names_in_, columns.n_features_in_ = np.asarray(names, dtype=object), len(names)
    elif len(names) != columns.n_features_in_ or names != list(getattr(columns, "feature_names_in_", names)):
        raise ValueError("The feature names should match those that were passed during fit, in the same order")


def _frame_table(columns: BaseEstimator, X: Any, reset: bool) -> _engine.Table:
    table, names = read_columns(X)
    check_columns(columns, X, names, reset)
    least = 2 if reset else 1
    if table.columns == 0:
        raise ValueError(f"Found array with 0 feature(s) (shape=({table.rows}, 0)) while a minimum of 1 is required.")
    if table.rows < least:
        raise ValueError(f"Found array with {table.rows} sample(s) (shape=({table.rows}, {table.columns})) while a minimum "
                         f"of {least} is required.")
    return table


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
    """Through the interchange protocols where scikit-learn does not know the type; lists of words keep their numbers."""
    if type(X) is dict or (isinstance(X, (list, tuple)) and len(X) > 0 and isinstance(X[0], dict)):
        raise TypeError(f"X is a {'dict' if type(X) is dict else 'list of dicts'}; expected rows and columns: "
                        "pandas.DataFrame(X) or polars.DataFrame(X) makes a frame of it")
    if isinstance(X, (list, tuple)):
        return _listed(X)
    if is_frame(X):
        return X
    if hasattr(X, "__array__"):
        return X if hasattr(X, "dtype") else np.asarray(X)
    if not hasattr(X, "__dataframe__"):
        return np.from_dlpack(X) if hasattr(X, "__dlpack__") else X
    try:
        from pandas.api.interchange import from_dataframe
    except ImportError as error:
        raise TypeError(f"X is a {type(X).__name__}: to read it through the dataframe interchange protocol, "
                        "install pandas, or pass a NumPy array") from error
    return from_dataframe(X)


def _listed(X: Any) -> Any:
    try:
        array = np.asarray(X)
    except ValueError:  # scikit-learn says what is wrong with its shape
        return X
    return np.asarray(X, dtype=object) if array.dtype.kind == "U" else X


def _names(columns: BaseEstimator, picture: tuple[int, int] | None = None, given: Any = None) -> list[str]:
    """Those of X, else those given; pixels are called as the command does."""
    count = columns.n_features_in_
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
