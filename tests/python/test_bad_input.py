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
    with pytest.raises(TypeError, match="groups"):
        FeatureSelector(**QUICK).fit(X, y, groups=y)


def refused_weights(X, y, weights):
    with pytest.raises(ValueError) as caught:
        FeatureSelector(**QUICK).fit(X, y, sample_weight=weights)
    return str(caught.value)


def test_values(puzzle):
    X, y = puzzle
    for value, word in ((np.nan, "NaN"), (np.inf, "infinite"), (-np.inf, "infinite")):
        bad = X.copy()
        bad[5, 4] = value
        message = refused(bad, y)
        assert "row 6, column 'x4'" in message and word in message and "--" not in message
        sparse = scipy.sparse.csr_matrix(bad)
        assert "row 6, column 'x4'" in refused(sparse, y)
    big = X.astype(np.float64)
    big[5, 4] = 1e300
    assert "row 6, column 'x4'" in refused(big, y) and "float32" in refused(big, y)
    assert "Complex data not supported" in refused(X.astype(complex), y)
    assert "could not convert string to float" in refused(np.full((400, 3), "red"), y)
    with pytest.raises(ValueError, match="NaN|infinit"):
        FeatureSelector(k=2, **QUICK).fit(X, y).transform(bad)


def test_frames(puzzle):
    pandas = pytest.importorskip("pandas")
    X, y = puzzle
    frame = pandas.DataFrame(X, columns=[f"c{i}" for i in range(20)])
    message = refused(frame.assign(colour="red"), y)
    assert "column 'colour' holds 'red', which is no number" in message and "OneHotEncoder" in message
    message = refused(frame.assign(c4=frame.c4.where(frame.index != 7)), y)
    assert "row 8, column 'c4'" in message and "NaN" in message
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
    assert "task='regression' for a quantity" in refused(X, np.arange(400))
    assert "task='regression' for a quantity" in refused(X, np.arange(400) % 100 + 0.0)
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
    assert "k='auto' is reserved" in refused(X, y, k="auto")
    assert "k: expected a whole number of at least 1" in refused(X, y, k=0)
    assert "k: expected a whole number" in refused(X, y, k=2.5)
    assert "the data has only 20 features" in refused(X, y, k=21)
    assert "rho" in refused(X, y, rho=1.5)
    assert "both say how many features" in refused(X, y, k=2, rho=0.1)
    assert "method: expected cfm, fm" in refused(X, y, method="lasso")
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
        assert f"device: expected cpu, cuda or cuda:N; found the text '{word}'" in refused(X, y, device=word)
    assert "device: expected cpu, cuda or cuda:N; found '0'" in refused(X, y, device=0)
    # What is right but not there is no fault of the value; no machine has so many of them.
    assert "CUDA" in refused(X, y, RuntimeError, device="cuda:65535")
    for function in (evaluate, compare):
        with pytest.raises(ValueError, match="device: expected cpu, cuda or cuda:N"):
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


def test_damaged_sparse_matrices(puzzle):
    X, y = puzzle
    for damage in ("indices", "negative", "indptr"):
        bad = scipy.sparse.csr_matrix(X)
        if damage == "indices":
            bad.indices[3] = 1000
        elif damage == "negative":
            bad.indices[3] = -1
        else:
            bad.indptr[3] = 5000
        bad.has_canonical_format = True
        assert refused(bad, y)
