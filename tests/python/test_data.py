"""Every kind of X and y that comes along."""

import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse
from conftest import QUICK

from obverse import FeatureSelector, _engine


def found(X, y, **options):
    return list(FeatureSelector(k=2, **(QUICK | options)).fit(X, y).get_support(indices=True))


def test_dense_types(puzzle):
    X, y = puzzle
    for kind in (np.float32, np.float64, np.float16, np.longdouble, ">f4"):
        assert found(X.astype(kind), y) == [3, 7]
    whole = np.round(X * 20)
    for kind in (np.int64, np.int32, np.int8):
        assert found(whole.astype(kind), y) == [3, 7]
    assert found(np.clip(128 + 60 * X, 0, 255).astype(np.uint8), y, scaling="standardise") == [3, 7]
    assert found((X > 0).astype(bool), y) == [3, 7]
    assert found(np.asfortranarray(X), y) == [3, 7]
    assert found(X[:, ::-1], y) == [12, 16]
    assert found(X.tolist(), y.tolist()) == [3, 7]


@pytest.mark.parametrize("kind", [np.float32, np.uint8])
def test_values_are_read_where_they_lie(kind, tmp_path):
    # 400 MB of values: a copy of them would show.
    script = f"""
import resource, numpy as np
from obverse import FeatureSelector
kind = np.dtype("{np.dtype(kind)}")
X = np.random.default_rng(0).integers(0, 200, size=(400_000_000 // kind.itemsize // 1000, 1000), dtype=np.uint8).astype(kind, copy=False)
y = np.arange(len(X)) % 2
few = FeatureSelector(k=2, method="variance", threads=1, resample="off").fit(X[:2000], y[:2000])
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
few.fit(X, y)
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024)
"""
    grown = float(subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout)
    assert grown < 200  # columns are gathered in blocks


def test_sparse_stays_sparse(puzzle):
    X, y = puzzle
    X = np.where(np.abs(X) > 0.6, X, 0)
    dense = FeatureSelector(k=2).fit(X, y)
    for form in (scipy.sparse.csr_matrix, scipy.sparse.csr_array, scipy.sparse.csc_matrix, scipy.sparse.coo_array):
        assert found(form(X), y) == [3, 7]
        assert found(form(X.astype(np.float64)), y) == [3, 7]
    wide = scipy.sparse.csr_matrix(X)
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    assert found(wide, y) == [3, 7]
    out = dense.transform(scipy.sparse.csr_matrix(X))
    assert scipy.sparse.issparse(out) and np.array_equal(out.toarray(), X[:, [3, 7]])


def test_sparse_rows_in_any_order_and_with_doubles(puzzle):
    X, y = puzzle
    mixed = scipy.sparse.csr_matrix(np.where(np.abs(X) > 0.6, X, 0))
    for row in range(mixed.shape[0]):
        part = slice(mixed.indptr[row], mixed.indptr[row + 1])
        mixed.indices[part], mixed.data[part] = mixed.indices[part][::-1].copy(), mixed.data[part][::-1].copy()
    mixed.has_sorted_indices = False
    kept = mixed.indices.copy()
    assert found(mixed, y) == [3, 7]
    assert np.array_equal(mixed.indices, kept)  # the user's matrix is left alone


def test_a_wide_sparse_matrix_needs_little_memory():
    script = """
import resource, numpy as np, scipy.sparse
from obverse import FeatureSelector
rng = np.random.default_rng(0)
columns = np.sort(rng.choice(20_000, size=(20_000, 20)), axis=1)  # about 0.1 %, some of them twice
X = scipy.sparse.csr_matrix((np.ones(400_000, np.float32), columns.ravel(), np.arange(20_001) * 20), (20_000, 20_000))
y = rng.integers(2, size=20_000)
FeatureSelector(k=20, gamma=1, epochs=1, mask_hidden=8, width1=16, width2=8, resample="off").fit(X, y)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
"""
    peak = float(subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout)
    assert peak < 700  # dense it would be 1,600


def test_pandas(puzzle):
    pandas = pytest.importorskip("pandas")
    X, y = puzzle
    frame = pandas.DataFrame(X, columns=[f"c{i}" for i in range(20)])
    selector = FeatureSelector(k=2, **QUICK).fit(frame, pandas.Series(y, name="class"))
    assert list(selector.get_feature_names_out()) == ["c3", "c7"] and selector.feature_names_in_[0] == "c0"
    assert selector.report_.data()["data"]["target"] == "class"
    mixed = frame.astype({"c3": np.float64, "c4": np.float32})
    mixed["c5"] = np.arange(400)
    mixed["c6"] = mixed["c6"] > 0
    assert list(FeatureSelector(k=2, **QUICK).fit(mixed, y).get_feature_names_out()) == ["c3", "c7"]
    assert found(frame, pandas.Categorical(np.where(y == 1, "yes", "no"))) == [3, 7]
    nullable = frame.convert_dtypes()
    assert found(nullable, pandas.array(y, dtype="Int64")) == [3, 7]


def test_polars(puzzle):
    polars = pytest.importorskip("polars")
    X, y = puzzle
    frame = polars.DataFrame({f"c{i}": X[:, i] for i in range(20)})
    selector = FeatureSelector(k=2, **QUICK).fit(frame, polars.Series("class", y))
    assert list(selector.get_feature_names_out()) == ["c3", "c7"]
    assert selector.transform(frame).shape == (400, 2)


class Interchange:
    """A frame that is known by the dataframe interchange protocol alone."""

    def __init__(self, frame):
        self._frame = frame

    def __dataframe__(self, *args, **kwargs):
        return self._frame.__dataframe__(*args, **kwargs)


class Lent:
    """An array that is known by DLPack alone."""

    def __init__(self, array):
        self._array = array

    def __dlpack__(self, **kwargs):
        return self._array.__dlpack__(**kwargs)

    def __dlpack_device__(self):
        return self._array.__dlpack_device__()


class Wrapped:
    """An array that is known by its array protocol alone."""

    def __init__(self, array):
        self._array = array

    def __array__(self, dtype=None, copy=None):
        return np.asarray(self._array, dtype=dtype)


def test_interchange_protocols(puzzle):
    X, y = puzzle
    assert found(Wrapped(X), y) == [3, 7]
    assert found(Lent(X), y) == [3, 7]
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(X, columns=[f"c{i}" for i in range(20)])
    if hasattr(frame, "__dataframe__"):
        selector = FeatureSelector(k=2, **QUICK).fit(Interchange(frame), y)
        assert list(selector.get_feature_names_out()) == ["c3", "c7"]


def test_targets(puzzle):
    X, y = puzzle
    for labels in (y.astype(bool), y.astype(float), np.where(y == 1, "ja", "nein"), [str(v) for v in y],
                   np.where(y == 1, "é", "z").astype(object), y.reshape(-1, 1).tolist()):
        assert found(X, labels) == [3, 7]
    selector = FeatureSelector(k=2, **QUICK).fit(X, np.where(y == 1, "ja", "nein"))
    assert list(selector.classes_) == ["ja", "nein"]
    quantity = X[:, 3] - 2 * X[:, 7]
    selector = FeatureSelector(k=2, **QUICK).fit(X, quantity)
    assert selector.task_ == "regression" and set(selector.get_support(indices=True)) == {3, 7}
    selector = FeatureSelector(k=3, **QUICK).fit(X, np.column_stack([quantity, X[:, 0]]))
    assert selector.task_ == "regression" and set(selector.get_support(indices=True)) == {0, 3, 7}
    labels = (X[:, [3, 7]] > 0).astype(int)
    for form in (labels, labels.tolist(), scipy.sparse.csr_matrix(labels)):
        selector = FeatureSelector(k=2, **QUICK).fit(X, form)
        assert selector.task_ == "multilabel" and set(selector.get_support(indices=True)) == {3, 7}
    assert FeatureSelector(k=2, **QUICK).fit(X).task_ == "reconstruction"
    assert FeatureSelector(k=2, task="regression", **QUICK).fit(X, y).task_ == "regression"


def test_an_array_cannot_be_resized_under_a_fit(puzzle):
    X, y = (part.copy() for part in puzzle)
    refused = []

    def progress(stage, done):
        try:
            X.resize((1, 1), refcheck=False)
        except ValueError as error:
            refused.append(error)

    from obverse._data import Columns, prepare

    prepared = prepare(Columns(), X, y, "auto")
    _engine.select(prepared.data, [], [], [], [], progress)
    assert refused and X.shape == (400, 20)


def test_an_array_that_changes_under_a_fit_is_noticed(puzzle):
    X, y = (part.copy() for part in puzzle)

    def progress(stage, done):
        X[5, 5] += 1

    from obverse._data import Columns, prepare

    prepared = prepare(Columns(), X, y, "auto")
    with pytest.raises(ValueError, match="X changed while it was being read"):
        _engine.select(prepared.data, [], [], [], [], progress)
    X[:] = np.nan  # and whatever is written, nothing worse happens

    def poison(stage, done):
        X[:] = np.nan if done < 0.5 else np.inf

    X[:] = puzzle[0]
    prepared = prepare(Columns(), X, y, "auto")
    with pytest.raises((ValueError, RuntimeError)):
        _engine.select(prepared.data, [], [], [], [], poison)


def test_an_array_may_be_freed_under_a_fit(puzzle):
    from obverse._data import Columns, prepare

    X, y = (part.copy() for part in puzzle)
    prepared = prepare(Columns(), X, y, "auto")
    expected = _engine.select(prepared.data, [], [], [], [], None).scores
    data = prepare(Columns(), X.copy(), y, "auto").data
    del X, prepared
    assert np.array_equal(_engine.select(data, [], [], [], [], None).scores, expected)
