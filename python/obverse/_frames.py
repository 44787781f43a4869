"""Frames, Arrow tables and arrays of words, column by column, as the engine takes them.

Numbers are handed on where they lie and words by their numbers; what kind a column is, the engine decides by the rule that
it has for files.
"""

from __future__ import annotations

import datetime
import decimal
import fractions
import sys
from typing import Any

import numpy as np

from . import _engine

_PER_SECOND = {"s": 1, "ms": 1_000, "us": 1_000_000, "ns": 1_000_000_000}
_NUMBERS = (int, float, np.integer, np.floating, decimal.Decimal, fractions.Fraction)
_TRUTHS = (bool, np.bool_)
_DATES = (datetime.date, np.datetime64)


def is_pandas(X: Any) -> bool:
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(X, pandas.DataFrame)


def is_frame(X: Any) -> bool:
    """Whether X comes in columns, each of its own type."""
    return is_pandas(X) or hasattr(X, "__arrow_c_stream__")


def has_words(X: Any) -> bool:
    """Whether an array holds something else than numbers."""
    return getattr(getattr(X, "dtype", None), "kind", "") in tuple("OUSTMm")


def holds_numbers(X: Any) -> bool:
    """Whether every column of a frame is one of numbers or booleans, by its type."""
    if is_pandas(X):
        return all(getattr(dtype, "kind", "") in tuple("biuf") for dtype in X.dtypes)
    dtypes = getattr(X, "dtypes", None)  # of polars
    return dtypes is not None and all(dtype.is_numeric() or str(dtype) == "Boolean" for dtype in dtypes)


def read_columns(X: Any) -> tuple[_engine.Table, list[str]]:
    """All columns of a frame or a two-dimensional array, and their names, where X has names for the engine to read."""
    table = _engine.Table()
    if is_pandas(X):
        for i in range(X.shape[1]):
            _add_series(table, X.iloc[:, i])
        return table, []
    if is_frame(X):
        return table, table.stream(X.__arrow_c_stream__())
    for i in range(X.shape[1]):
        _add_array(table, X[:, i])
    return table, []


def column_names(X: Any) -> list[str]:
    """Of a frame whose columns can be chosen by name."""
    if is_pandas(X):
        return [str(name) for name in X.columns]
    if not hasattr(X, "select") or not (hasattr(X, "column_names") or hasattr(X, "columns")):
        raise TypeError(f"X is a {type(X).__name__}, whose columns cannot be chosen; expected an array, a frame of pandas or "
                        "polars, or a table of pyarrow")
    return list(X.column_names if hasattr(X, "column_names") else X.columns)


def selected_columns(X: Any, support: np.ndarray) -> Any:
    """The same frame with some of its columns."""
    if is_pandas(X):
        return X.iloc[:, np.flatnonzero(support)]
    return X.select([name for name, kept in zip(column_names(X), support, strict=True) if kept])


def _add_series(table: _engine.Table, series: Any) -> None:
    """A column of pandas, which has types of its own beside those of NumPy."""
    import pandas

    dtype = series.dtype
    if isinstance(dtype, np.dtype):
        _add_array(table, series.to_numpy())
    elif isinstance(dtype, pandas.CategoricalDtype):
        table.texts(series.cat.codes.to_numpy(np.int32), [_text(level) for level in dtype.categories], True)
    elif isinstance(dtype, pandas.ArrowDtype):
        table.stream(series.to_frame("column").__arrow_c_stream__())
    elif isinstance(dtype, pandas.StringDtype):
        codes, words = pandas.factorize(series)
        table.texts(codes.astype(np.int32), [_text(word) for word in words], False)
    elif isinstance(dtype, pandas.DatetimeTZDtype):
        _add_array(table, series.dt.tz_convert("UTC").dt.tz_localize(None).to_numpy())
    elif isinstance(dtype, pandas.PeriodDtype):
        _add_array(table, series.dt.to_timestamp().to_numpy())
    elif isinstance(dtype, pandas.SparseDtype):
        _add_array(table, np.asarray(series))
    elif dtype.kind in "biuf":  # nullable: values and a mask
        table.numbers(series.to_numpy(dtype.numpy_dtype, na_value=0), series.isna().to_numpy())
    else:
        _add_objects(table, series.to_numpy(object))


def _add_array(table: _engine.Table, values: np.ndarray) -> None:
    kind = values.dtype.kind
    if kind in "biuf":
        if not values.dtype.isnative or values.dtype.itemsize > 8:
            values = values.astype(np.float64)
        table.numbers(values)
    elif kind == "M":
        unit, count = np.datetime_data(values.dtype)
        if unit not in _PER_SECOND or count != 1:
            unit = "s"
        times = np.ascontiguousarray(values, dtype=f"datetime64[{unit}]").view(np.int64)
        table.times(times, _PER_SECOND[unit])
    elif kind == "m":
        table.numbers(values / np.timedelta64(1, "s"))
    elif kind == "U":
        words, codes = np.unique(values, return_inverse=True)
        table.texts(codes.astype(np.int32), [_text(word) for word in words.tolist()], False)
    elif kind in "OT":
        _add_objects(table, values)
    else:
        table.unusable(len(values), f"it holds {_NAMES.get(kind, 'values of an unknown type')}, which are no feature")


_NAMES = {"S": "bytes", "c": "complex numbers", "V": "records"}


def _add_objects(table: _engine.Table, values: np.ndarray) -> None:
    """A column of Python's objects: each different one is looked at once."""
    known: dict[Any, int] = {}
    codes = np.empty(len(values), dtype=np.int32)
    value = None
    try:
        for row, value in enumerate(values):
            codes[row] = known.setdefault(value, len(known))
    except TypeError:  # it cannot be hashed: a list, a dictionary, an array
        table.unusable(len(values), f"it holds objects of type {type(value).__name__}, which are no feature")
        return
    there = {value: number for value, number in known.items() if not _is_missing(value)}

    def looked_up(made: dict[int, Any], otherwise: Any, dtype: Any) -> np.ndarray:
        """For each row what was made of its value."""
        return np.array([made.get(number, otherwise) for number in range(len(known))], dtype=dtype)[codes]

    if all(isinstance(value, _TRUTHS) for value in there) and there:
        missing = looked_up(dict.fromkeys(there.values(), False), True, bool)
        table.numbers(looked_up({number: bool(value) for value, number in there.items()}, False, bool), missing)
    elif all(isinstance(value, _NUMBERS) and not isinstance(value, _TRUTHS) for value in there):
        table.numbers(looked_up({number: _float(value) for value, number in there.items()}, np.nan, np.float64))
    elif all(isinstance(value, _DATES) for value in there):
        dates = {number: _naive(value) for value, number in there.items()}
        _add_array(table, looked_up(dates, np.datetime64("NaT"), "datetime64[us]"))
    elif all(isinstance(value, (str, *_NUMBERS, *_TRUTHS)) for value in there):
        texts = {number: _text(value) for value, number in there.items()}
        table.texts(codes, [texts.get(number, "") for number in range(len(known))], False)
    else:
        other = next(value for value in there if not isinstance(value, (str, *_NUMBERS, *_TRUTHS)))
        table.unusable(len(values), f"it holds objects of type {type(other).__name__}, which are no feature")


def _is_missing(value: Any) -> bool:
    """None, NaN, and the missing values of pandas, which may not be there."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, (float, np.floating, np.datetime64, decimal.Decimal)) and bool(value != value)


def _float(value: Any) -> float:
    try:
        return float(value)
    except OverflowError:
        return float("inf")  # which the engine refuses, with its place


def _naive(value: Any) -> Any:
    """A time with a zone counts in UTC."""
    if getattr(value, "tzinfo", None) is not None:
        return value.astimezone(datetime.timezone.utc).replace(tzinfo=None)
    return value


def _text(value: Any) -> str:
    """As in files: 1.0 is written 1. What cannot be written as UTF-8 becomes a question mark."""
    if isinstance(value, (float, np.floating)) and float(value).is_integer():
        value = int(value)
    return str(value).encode("utf-8", "replace").decode("utf-8")
