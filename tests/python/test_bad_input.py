"""Exceptions of the right kind, with messages that say what, where and what to try; never a crash."""

import numpy as np
import pytest
import scipy.sparse
from conftest import QUICK

from obverse import FeatureSelector, compare, evaluate


def refused(X, y, kind=ValueError, **options):
    with pytest.raises(kind) as caught:
        FeatureSelector(**(QUICK | options)).fit(X, y)
    return str(caught.value)


def test_shapes(puzzle):
    X, y = puzzle
    assert "Expected 2D array, got 1D array" in refused(X[:, 0], y)
    assert "dim 3" in refused(X.reshape(20, 20, 20), y[:20])
    assert "inconsistent numbers of samples: [400, 399]" in refused(X, y[:-1])
    assert "0 feature(s)" in refused(X[:, :0], y)
    assert "0 sample(s)" in refused(X[:0], y[:0])
    assert "1 sample" in refused(X[:1], y[:1])
    assert "sample_weight.shape" in refused_weights(X, y, np.ones(3))
    assert "egative" in refused_weights(X, y, -np.ones(400))
    assert "weight of 0" in refused_weights(X, y, np.zeros(400)) or "zero" in refused_weights(X, y, np.zeros(400))
    with pytest.raises(TypeError, match="'colours'; known are sample_weight, groups and time"):
        FeatureSelector(**QUICK).fit(X, y, colours=y)


def refused_weights(X, y, weights):
    with pytest.raises(ValueError) as caught:
        FeatureSelector(**QUICK).fit(X, y, sample_weight=weights)
    return str(caught.value)


def test_values(puzzle):
    X, y = puzzle
    for value, word in ((np.inf, "infinite"), (-np.inf, "infinite"), (np.nan, "NaN")):
        bad = X.copy()
        bad[5, 4] = value
        sparse = scipy.sparse.csr_matrix(bad)
        assert "row 6, column 'x4'" in refused(sparse, y)
        if word == "NaN":
            continue  # a missing value, unless the matrix is sparse
        for holes in (bad, np.where(X > 2, np.nan, bad)):
            message = refused(holes, y)
            assert "row 6, column 'x4'" in message and word in message and "--" not in message
    big = X.astype(np.float64)
    big[5, 4] = 1e300
    assert "row 6, column 'x4'" in refused(big, y) and "float32" in refused(big, y)
    assert "Complex data not supported" in refused(X.astype(complex), y)
    assert "no feature" in refused(np.full((400, 3), b"red"), y)


def test_frames(puzzle):
    pandas = pytest.importorskip("pandas")
    X, y = puzzle
    frame = pandas.DataFrame(X, columns=[f"c{i}" for i in range(20)])
    mixed = frame.assign(c4=["bad" if i == 7 else str(i) for i in range(400)])
    message = refused(mixed, y)
    assert "row 8, column 'c4': expected a number, found 'bad'" in message and "kinds={'c4': 'category'}" in message
    message = refused(mixed.assign(c5=mixed.c4, when="2024-13-01"), y, kinds={"when": "date"})
    assert message.startswith("X: 3 troubles: (1) row 8, column 'c4': expected a number, found 'bad'")
    assert "row 1, column 'when': expected a date such as 2024-03-01, found '2024-13-01'" in message
    message = refused(frame[["c0"]].assign(c0=[f"id {i}" for i in range(400)], c1=None, c2=[{}] * 400), y)
    assert message.startswith("X: no column is left for the features: column 'c0' is left out: 400 different values")
    assert "column 'c1' is left out: no value is there" in message and "column 'c2'" in message
    late = frame.assign(when=np.datetime64("20000-01-01", "s"))
    assert "row 1, column 'when': expected a date of the years 0 to 9999" in refused(late, y)
    assert "kinds: 'c33' is none of the 20 columns of X; did you mean 'c3'?" in refused(frame, y, kinds={"c33": "category"})
    assert "kinds: expected number, boolean, category, date for column 'c3', found 'word'" in refused(frame, y, kinds={"c3": "word"})
    assert "kinds: expected the kind of each column" in refused(frame, y, TypeError, kinds=["c3"])
    assert "row 1, column 'c3': expected true or false, yes or no, found" in refused(frame, y, kinds={"c3": "boolean"})
    assert "X is a list of dicts; expected rows and columns" in refused(frame.to_dict("records"), y, TypeError)
    assert "X is a dict; expected rows and columns" in refused({"a": y}, y, TypeError)
    assert "0 sample(s)" in refused(frame[:0], y[:0]) and "0 feature(s)" in refused(frame[[]], y)
    assert "1 sample(s)" in refused(frame[:1], y[:1])
    assert "inconsistent numbers of samples: [400, 399]" in refused(frame, y[:-1])
    assert "inconsistent numbers of samples: [400, 399]" in refused(frame.mask(frame > 1), y[:-1], missing="drop-rows")
    twice = frame.copy()
    twice.columns = ["same"] * 20
    assert "same" in refused(twice, y)
    fitted = FeatureSelector(k=2, **QUICK).fit(frame, y)
    with pytest.raises(ValueError, match="in the same order"):
        fitted.transform(frame[frame.columns[::-1]])
    with pytest.raises(ValueError, match="Feature names unseen"):
        fitted.transform(frame.rename(columns={"c0": "other"}))
    with pytest.raises(ValueError, match="expecting 20 features"):
        fitted.transform(X[:, :5])


def test_targets(puzzle):
    X, y = puzzle
    assert "every row is of class '0'" in refused(X, np.zeros(400, dtype=int))
    lonely = y.copy()
    lonely[9] = 5
    assert "class '5'" in refused(X, lonely) and "one row" in refused(X, lonely)
    assert "y contains NaN" in refused(X, np.where(y == 1, np.nan, 0.0))
    assert "row 1" in refused(X, np.array([None, "b"] * 200, dtype=object))
    assert "Unknown label type: continuous" in refused(X, X[:, 0], task="classification")
    assert "400 different texts in 400 rows: this looks like an identifier" in refused(X, [f"row {i}" for i in range(400)])
    assert "say --task regression if the target is a quantity" in refused(X, np.arange(400), task="classification")
    assert "task='regression' expects numbers in y" in refused(X, np.array(["a", "b"] * 200), task="regression")
    assert "requires y to be passed, but the target y is None" in refused(X, None, task="classification")
    assert "several classes for each row" in refused(X, np.arange(800).reshape(400, 2) % 3)
    assert "task='multilabel' expects y with a column of 0 and 1" in refused(X, y, task="multilabel")
    assert "in every row" in refused(X, np.full(400, 1.5))
    assert "finite" in refused(X, np.where(y == 1, 1e300, 0.5))
    assert "inf" in refused(X, np.where(y == 1, np.inf, 0.5))
    message = refused(X, np.array([{"a": 1}] * 400, dtype=object), kind=(ValueError, TypeError))
    assert message


def test_options(puzzle):
    X, y = puzzle
    assert "only with --resample on" in refused(X, y, max_k=3)
    assert "k_rule" in refused(X, y, resample="on", k_rule="two-se")
    assert "time_limit: expected a time such as 60s, 5m or 1h" in refused(X, y, time_limit="soon")
    assert "time_limit" in refused(X, y, time_limit=-1)
    assert "k: expected a whole number of at least 1" in refused(X, y, k=0)
    assert "k: expected a whole number" in refused(X, y, k=2.5)
    assert "the data has only 20 features" in refused(X, y, k=21)
    assert "rho" in refused(X, y, rho=1.5)
    assert "both say how many features" in refused(X, y, k=2, rho=0.1)
    assert "method: expected auto, cfm, fm" in refused(X, y, method="lasso")
    assert "task: expected" in refused(X, y, task="ranking")
    assert "dropout: expected a number from 0 to 0.95" in refused(X, y, dropout=1)
    assert "threads" in refused(X, y, threads=-1)
    assert "gamma" in refused(X, y, gamma=[1, -1])
    assert "k: expected a number, a text or a list of them, found dict" in refused(X, y, TypeError, k={})
    assert "only with a family of masks" in refused(X, y, method="anova")
    assert "image_shape" in refused(X, y, image_shape=5)
    assert "do not fit 20 columns" in refused(X, y, image_shape=(3, 3))
    assert "a name for each of the 20 features, found 2" in refused(X, y, feature_names=["a", "b"])
    with pytest.raises(TypeError, match=r"FeatureSelector\(\) got an unexpected keyword argument 'methd'; .* 'method'\?"):
        FeatureSelector(methd="fm")
    with pytest.raises(TypeError, match="too many positional"):
        FeatureSelector(3, "quick")


def test_devices(puzzle):
    X, y = puzzle
    for word in ("gpu", "cuda:", "cuda:-1"):
        assert f"device: expected cpu, cuda, cuda:N or auto; found the text '{word}'" in refused(X, y, device=word)
    assert "device: expected cpu, cuda, cuda:N or auto; found '0'" in refused(X, y, device=0)
    # What is right but not there is no fault of the value; no machine has so many of them.
    assert "CUDA" in refused(X, y, RuntimeError, device="cuda:65535")
    for function in (evaluate, compare):
        with pytest.raises(ValueError, match="device: expected cpu, cuda, cuda:N or auto"):
            function(X, y, k=2, device="gpu")
        with pytest.raises(RuntimeError, match="CUDA"):
            function(X, y, k=2, device="cuda:65535")
    assert "tf32 is a precision of GPUs" in refused(X, y, RuntimeError, precision="tf32")


def test_functions(puzzle):
    X, y = puzzle
    with pytest.raises(TypeError, match=r"evaluate\(\) got an unexpected keyword argument 'ks'"):
        evaluate(X, y, ks=3)
    with pytest.raises(TypeError, match="test: expected"):
        evaluate(X, y, test=X)
    with pytest.raises(ValueError, match="the test has the class '2', which no training row has"):
        evaluate(X, y, k=2, test=(X, y + 1))
    with pytest.raises(ValueError, match="found no y_test"):
        evaluate(X, y, k=2, test=(X, None))
    with pytest.raises(ValueError, match="the test has the class 'red'"):
        evaluate(X, y, k=2, test=(X, np.full(400, "red")))
    with pytest.raises(ValueError, match="'nobody' is none of the 20 features"):
        evaluate(X, y, ranking=["nobody"])
    with pytest.raises(ValueError, match="comes twice"):
        evaluate(X, y, ranking=[1, 1], k=2)
    with pytest.raises(ValueError, match="methods"):
        compare(X, y, methods=["lasso"])
    with pytest.raises(ValueError, match="expecting 20 features"):
        compare(X, y, test=(X[:, :3], y))


def test_more_columns_than_anyone_has(puzzle):
    wide = scipy.sparse.csr_matrix((400, 3_000_000_000), dtype=np.float32)
    assert "more than the 10,000,000 that can be trained" in refused(wide, puzzle[1])


def csr(X, **parts):
    """A CSR matrix with some of its arrays replaced, as no constructor would take them."""
    matrix = scipy.sparse.csr_matrix(X)
    for name, value in parts.items():
        setattr(matrix, name, value)
    return matrix


def changed(array, at, value):
    array = array.copy()
    array[at] = value
    return array


def damaged_sparse_matrices():
    X = np.random.default_rng(5).normal(size=(400, 20)).astype(np.float32)
    good = scipy.sparse.csr_matrix(X)
    coo = scipy.sparse.coo_matrix(X)
    yield "boundary-beyond", csr(X, indptr=changed(good.indptr, 3, 5000))
    yield "boundary-huge", csr(X, indptr=changed(good.indptr, 3, 2**31 - 1))
    yield "boundary-negative", csr(X, indptr=changed(good.indptr, 3, -1))
    yield "boundary-falls", csr(X, indptr=changed(good.indptr, 3, 0))
    yield "first-boundary", csr(X, indptr=changed(good.indptr, 0, 1))
    yield "last-boundary", csr(X, indptr=changed(good.indptr, -1, 9000))
    yield "boundaries-short", csr(X, indptr=good.indptr[:-5])
    yield "boundaries-long", csr(X, indptr=np.append(good.indptr, good.indptr[-1]))
    yield "boundaries-empty", csr(X, indptr=good.indptr[:0])
    yield "boundaries-fractions", csr(X, indptr=good.indptr.astype(float))
    yield "boundaries-table", csr(X, indptr=good.indptr.reshape(1, -1))
    yield "index-beyond", csr(X, indices=changed(good.indices, 3, 1000))
    yield "index-is-width", csr(X, indices=changed(good.indices, 3, 20))
    yield "index-negative", csr(X, indices=changed(good.indices, 3, -1))
    yield "index-least", csr(X, indices=changed(good.indices, 3, -(2**31)))
    yield "indices-short", csr(X, indices=good.indices[:-1])
    yield "indices-empty", csr(X, indices=good.indices[:0])
    yield "indices-fractions", csr(X, indices=good.indices.astype(float))
    yield "values-short", csr(X, data=good.data[:-1])
    yield "values-empty", csr(X, data=good.data[:0])
    yield "values-table", csr(X, data=good.data.reshape(2, -1))
    yield "twice-in-a-row", csr(X, indices=changed(good.indices, 1, 0), has_canonical_format=True)
    yield "descending", csr(X, indices=changed(changed(good.indices, 0, 1), 1, 0), has_canonical_format=True)
    csc = scipy.sparse.csc_matrix(X)
    csc.indptr = changed(csc.indptr, 2, 10**6)
    yield "csc-boundary", csc
    csc = scipy.sparse.csc_matrix(X)
    csc.indices = changed(csc.indices, 2, 400)
    yield "csc-index", csc
    blocks = scipy.sparse.bsr_matrix(X, blocksize=(2, 2))
    blocks.indptr = changed(blocks.indptr, 2, 10**6)
    yield "bsr-boundary", blocks
    for name, array, value in (("coo-row", "row", 400), ("coo-column", "col", 20), ("coo-negative", "col", -3)):
        bad = coo.copy()
        setattr(bad, array, changed(getattr(coo, array), 5, value))
        yield name, bad
    bad = coo.copy()
    bad.row = coo.row[:-1]
    yield "coo-short", bad
    rows = scipy.sparse.lil_matrix(X)
    rows.rows[3] = list(range(5, 25))
    yield "lil-index", rows


DAMAGED = dict(damaged_sparse_matrices())


@pytest.mark.parametrize("damage", DAMAGED)
def test_damaged_sparse_matrices(puzzle, damage):
    assert "damaged" in refused(DAMAGED[damage], puzzle[1]) or "sparse row" in refused(DAMAGED[damage], puzzle[1])


@pytest.mark.parametrize("damage", [name for name in DAMAGED if name not in ("twice-in-a-row", "descending", "lil-index")])
def test_damaged_sparse_matrices_are_not_transformed(puzzle, damage):
    fitted = FeatureSelector(k=2, **QUICK).fit(*puzzle)
    with pytest.raises(ValueError, match="X is damaged"):
        fitted.transform(DAMAGED[damage])


def test_a_damaged_sparse_target(puzzle):
    X, _ = puzzle
    bad = csr(np.eye(400, 3), indices=np.full(3, 9, dtype=np.int32))
    assert "y is damaged" in refused(X, bad)


@pytest.mark.parametrize(
    "X",
    [
        np.full((400, 3), {"a": 1}, dtype=object),
        np.full((400, 3), None, dtype=object),
        np.full((400, 3), [1.0, 2.0].__class__, dtype=object),
        np.zeros((400, 0), dtype=np.float32),
        np.zeros((0, 20), dtype=np.float32),
        np.float32(3),
        np.zeros(400, dtype=[("a", "f4"), ("b", "f4")]),
        np.full((400, 3), np.datetime64("nat")),
        np.full((400, 3), b"bytes"),
        [[1.0, 2.0]] * 399 + [[1.0]],
        "a text",
        None,
        scipy.sparse.csr_matrix((400, 0), dtype=np.float32),
        scipy.sparse.csr_matrix(np.full((400, 3), 1j)),
    ],
    ids=["dicts", "nones", "types", "no-columns", "no-rows", "scalar", "records", "no-dates", "bytes", "ragged", "text",
         "none", "sparse-no-columns", "sparse-complex"],
)
def test_what_is_no_table(puzzle, X):
    assert refused(X, puzzle[1], kind=(ValueError, TypeError))


def layouts(X):
    """The same numbers, as NumPy may hold them."""
    yield "big-endian", X.astype(">f4")
    yield "big-endian-double", X.astype(">f8")
    yield "backwards", X[::-1, ::-1].copy()[::-1, ::-1]
    yield "every-second", np.repeat(np.repeat(X, 2, axis=0), 2, axis=1)[::2, ::2]
    yield "fortran", np.asfortranarray(X)
    yield "objects", X.astype(object)
    frozen = X.copy()
    frozen.flags.writeable = False
    yield "read-only", frozen


@pytest.mark.parametrize("layout", [name for name, _ in layouts(np.zeros((2, 2), np.float32))])
def test_layouts_in_memory_make_no_difference(puzzle, layout):
    X, y = puzzle
    same = dict(layouts(X))[layout]
    expected = FeatureSelector(k=2, **QUICK).fit(X, y)
    np.testing.assert_array_equal(FeatureSelector(k=2, **QUICK).fit(same, y).scores_, expected.scores_)


def test_memory_mapped_and_roomy_arrays_are_read(puzzle, tmp_path):
    X, y = puzzle
    expected = FeatureSelector(k=2, **QUICK).fit(X, y).scores_
    np.save(tmp_path / "X.npy", X)
    mapped = np.load(tmp_path / "X.npy", mmap_mode="r")
    np.testing.assert_array_equal(FeatureSelector(k=2, **QUICK).fit(mapped, y).scores_, expected)
    good = scipy.sparse.csr_matrix(X)
    roomy = csr(X, data=np.append(good.data, [np.nan] * 9), indices=np.append(good.indices, [-7] * 9))
    np.testing.assert_array_equal(FeatureSelector(k=2, **QUICK).fit(roomy, y).scores_,
                                  FeatureSelector(k=2, **QUICK).fit(good, y).scores_)


def test_memory(puzzle):
    X, y = puzzle
    assert "takes at least" in refused(X, y, max_memory="10K") and "max_memory allows" in refused(X, y, max_memory=10240)
    for size in ("lots", "5X", "-1", "0", -1, 2.5, True):
        assert "max_memory: expected a size such as 500M or 2G" in refused(X, y, max_memory=size)
    FeatureSelector(k=2, max_memory="2G", **QUICK).fit(X, y)
