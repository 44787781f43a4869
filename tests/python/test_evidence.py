"""What resampling says about a selection, as attributes of the selector."""

import dataclasses
import json
import pickle
import subprocess
import warnings

import numpy as np
import pytest
from conftest import QUICK
from sklearn.base import clone
from sklearn.model_selection import GroupKFold, KFold, ShuffleSplit, StratifiedKFold, TimeSeriesSplit

import obverse
from obverse import Agreement, Control, Curve, FeatureSelector, Score, Stability, StandIn, Verdict

#: A sweep that takes a few hundredths of a second, repeated on parts of the rows.
REPEATED = QUICK | {"resample": "on"}
#: The same for splits that are given.
REPEATED_OPTIONS = {name: value for name, value in QUICK.items() if name != "resample"}
RESAMPLED = ("curve_", "verdict_", "signal_", "p_value_", "stability_", "frequency_", "k_reason_")


@pytest.fixture(scope="module")
def fitted(puzzle):
    return FeatureSelector(**REPEATED).fit(*puzzle)


def test_attributes_are_objects_and_arrays(fitted):
    curve, verdict, stability = fitted.curve_, fitted.verdict_, fitted.stability_
    assert isinstance(curve, Curve) and isinstance(curve.all, Score) and isinstance(verdict, Verdict)
    assert isinstance(stability, Stability) and isinstance(fitted.agreement_, Agreement)
    assert curve.k.dtype == np.int64 and np.all(np.diff(curve.k) > 0) and curve.k[-1] <= 20
    for values in (curve.score, curve.low, curve.high, curve.random):
        assert values.shape == curve.k.shape and values.dtype == np.float64
    assert np.all((curve.low <= curve.score) & (curve.score <= curve.high))
    assert curve.metric == "accuracy" and curve.classifier in ("ert", "rf", "knn", "linear") and curve.rows == 400
    assert 0.5 <= curve.base_rate < 0.6 < curve.all.low <= curve.all.score <= curve.all.high
    assert fitted.signal_ is verdict.signal is True and fitted.p_value_ == verdict.p_value < 0.05
    assert verdict.low <= verdict.score <= verdict.high and verdict.base_rate == curve.base_rate
    assert stability.low <= stability.value <= stability.high <= 1 and stability.pairs >= 1
    assert fitted.frequency_.shape == (20,) and np.allclose(fitted.frequency_[[3, 7]], 1)
    assert fitted.k_ in curve.k and fitted.k_ == fitted.get_support().sum() and fitted.k_reason_


def test_they_are_those_of_the_json(fitted, command, puzzle, tmp_path):
    X, y = puzzle
    np.savez(tmp_path / "puzzle.npz", X=X, y=y)
    run = subprocess.run([command, "select", str(tmp_path / "puzzle.npz"), "--method", "cfm", "--resample", "on", "--gamma", "1",
                          "--epochs", "20", "--mask-learning-rate", "0.01", "--json"], capture_output=True, text=True, check=True)
    found = json.loads(run.stdout)
    assert found["k"] == fitted.k_ and found["k_reason"] == fitted.k_reason_
    assert found["verdict"] == dataclasses.asdict(fitted.verdict_)
    assert found["stability"] == dataclasses.asdict(fitted.stability_)
    for name in ("k", "score", "low", "high", "random"):
        assert [point[name] for point in found["curve"]["points"]] == getattr(fitted.curve_, name).tolist()
    for name in ("base_rate", "metric", "classifier", "folds", "rows"):
        assert found["curve"][name] == getattr(fitted.curve_, name)
    assert found["curve"]["all"]["score"] == fitted.curve_.all.score
    assert np.allclose(found["resamples"]["frequency"], fitted.frequency_)


def test_without_resampling_they_are_none(puzzle):
    selector = FeatureSelector(k=2, **QUICK).fit(*puzzle)
    assert [getattr(selector, name) for name in RESAMPLED] == [None] * len(RESAMPLED)
    assert selector.agreement_.models == 1 and selector.agreement_.frequency.shape == (20,)


def test_a_second_fit_forgets_the_first(puzzle):
    selector = FeatureSelector(resample="on", method="anova").fit(*puzzle)
    assert selector.signal_
    selector.set_params(resample="off", k=3).fit(*puzzle)
    assert selector.signal_ is None and selector.curve_ is None and selector.k_ == 3


def test_k_auto_is_the_default_and_a_given_k_stays(puzzle, fitted):
    X, y = puzzle
    assert FeatureSelector(k="auto", **REPEATED).fit(X, y).k_ == fitted.k_
    given = FeatureSelector(k=4, resample="on", method="anova").fit(X, y)
    assert given.k_ == 4 and given.k_reason_ is None and given.signal_
    few = FeatureSelector(resample="on", method="anova", max_k=5, k_rule="best", metric="balanced-accuracy").fit(X, y)
    assert few.k_ <= 5 and few.curve_.k[-1] == 5 and few.curve_.metric == "balanced_accuracy"


def test_noise_has_no_signal():
    rng = np.random.default_rng(3)
    selector = FeatureSelector(resample="on", method="anova").fit(rng.normal(size=(200, 20)), rng.integers(2, size=200))
    assert selector.signal_ is False and selector.p_value_ >= 0.05
    assert "no signal" in selector.to_html().lower() or selector.report_.data()["verdict"]["signal"] is False


@pytest.mark.parametrize("task", ["regression", "multilabel", "reconstruction"])
def test_every_task_has_them(puzzle, task):
    X, _ = puzzle
    y = {"regression": X[:, 3] + X[:, 7], "multilabel": (X[:, [3, 7]] > 0).astype(int), "reconstruction": None}[task]
    selector = FeatureSelector(max_k=5, **REPEATED).fit(X, y)
    assert selector.task_ == task and isinstance(selector.verdict_, Verdict) and len(selector.curve_.k) > 1


def test_they_are_kept(fitted, puzzle):
    again = pickle.loads(pickle.dumps(fitted))
    for name in ("verdict_", "stability_", "signal_", "p_value_", "k_reason_", "notes_"):
        assert getattr(again, name) == getattr(fitted, name), name
    assert np.array_equal(again.curve_.score, fitted.curve_.score) and again.curve_.all == fitted.curve_.all
    assert np.array_equal(again.frequency_, fitted.frequency_) and again.to_html() == fitted.to_html()
    assert not hasattr(clone(fitted), "curve_") and clone(fitted).get_params() == fitted.get_params()
    pytest.importorskip("pandas")
    out = FeatureSelector(method="anova", resample="on")
    frame = out.set_output(transform="pandas").fit_transform(*puzzle)
    assert frame.shape == (400, out.k_)


def test_stand_ins(puzzle):
    X, y = puzzle
    twice = np.column_stack([X, X[:, 3] + 0.01 * X[:, 0]])
    selector = FeatureSelector(k=2, resample="off", method="anova").fit(twice, y)
    chosen = next(feature for feature in selector.get_support(indices=True) if feature in (3, 20))
    stand_in = selector.stand_ins_[chosen][0]
    assert isinstance(stand_in, StandIn) and stand_in.feature == 23 - chosen and 0.99 < stand_in.similarity <= 1
    assert not stand_in.equal and [3, 20] in [cluster.tolist() for cluster in selector.clusters_]
    found = selector.report_.data()["stand_ins"]
    assert len(found) == len(selector.stand_ins_) and len(selector.report_.data()["clusters"]) == len(selector.clusters_)
    again = pickle.loads(pickle.dumps(selector))
    assert again.stand_ins_ == selector.stand_ins_ and again.clusters_[0].tolist() == selector.clusters_[0].tolist()
    assert FeatureSelector(k=2, resample="off", method="anova").fit(X, y).stand_ins_ == {}


def test_few_rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(12, 4))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        selector = FeatureSelector(resample="on", method="anova").fit(X, [0, 1] * 6)
    assert selector.curve_.rows <= 12 and 0 < selector.p_value_ <= 1


def test_the_curve_is_drawn(fitted, puzzle):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    from matplotlib import pyplot

    ax = fitted.plot("curve")
    assert ax.get_xlabel() == "number of features" and "accuracy" in ax.get_ylabel()
    assert len(fitted.plot().axes) == 3
    assert "resamples" in fitted.plot("stability", ax=pyplot.figure().gca()).get_xlabel()
    with pytest.raises(ValueError, match="resample"):
        FeatureSelector(k=2, **QUICK).fit(*puzzle).plot("curve")
    pyplot.close("all")


def test_error_control_says_how_it_decided(puzzle):
    X, y = puzzle
    fitted = FeatureSelector(method="ert", control="pfer=1").fit(X, y)
    control = fitted.control_
    assert isinstance(control, Control) and control.pfer == 1 and control.halves == 100
    assert 0 < control.bound <= 1 and control.frequency.shape == (X.shape[1],)
    assert (control.frequency[fitted.get_support()] >= control.threshold).all()
    assert FeatureSelector(k=2, **QUICK).fit(X, y).control_ is None


def test_names_of_the_package():
    for name in ("Agreement", "Control", "Curve", "Score", "Stability", "StandIn", "Verdict"):
        assert name in obverse.__all__ and getattr(obverse, name).__doc__


def test_a_splitter_says_which_rows_are_held_out(puzzle):
    X, y = puzzle
    splits = list(StratifiedKFold(3, shuffle=True, random_state=1).split(X, y))
    fitted = FeatureSelector(resample=splits, **REPEATED_OPTIONS).fit(X, y)
    assert fitted.curve_.folds == 3 and fitted.curve_.rows == 400 and fitted.stability_.pairs >= 1
    by_splitter = FeatureSelector(resample=StratifiedKFold(3, shuffle=True, random_state=1), **REPEATED_OPTIONS).fit(X, y)
    assert np.array_equal(by_splitter.curve_.score, fitted.curve_.score)
    masks = [(np.isin(np.arange(400), train), np.isin(np.arange(400), test)) for train, test in splits]
    assert np.array_equal(FeatureSelector(resample=masks, **REPEATED_OPTIONS).fit(X, y).curve_.score, fitted.curve_.score)
    other = FeatureSelector(resample=KFold(4), **REPEATED_OPTIONS).fit(X, y)
    assert other.curve_.folds == 4 and not np.array_equal(other.curve_.score, fitted.curve_.score)
    assert clone(by_splitter).resample.n_splits == 3 and np.array_equal(other.scores_, fitted.scores_)
    one = FeatureSelector(resample=ShuffleSplit(1, test_size=100, random_state=0), **REPEATED_OPTIONS).fit(X, y)
    assert one.curve_.rows == 100 and one.curve_.folds == 1 and one.signal_


def test_a_row_is_held_out_once(puzzle):
    X, y = puzzle
    fitted = FeatureSelector(resample=KFold(4), **REPEATED_OPTIONS).fit(X, y)
    twice = [*KFold(4).split(X), *KFold(4).split(X)]
    with pytest.warns(UserWarning, match="hold rows out more than once"):
        again = FeatureSelector(resample=twice, **REPEATED_OPTIONS).fit(X, y)
    assert np.array_equal(again.curve_.score, fitted.curve_.score) and again.p_value_ == fitted.p_value_
    assert again.notes_ == ["the splits hold rows out more than once: the first time counts, 400 repetitions do not, and 4 of "
                            "8 splits are left"]


def test_splits_heed_groups_weights_and_dropped_rows(puzzle):
    X, y = puzzle
    groups = np.arange(400) // 4
    fitted = FeatureSelector(resample=GroupKFold(4), **REPEATED_OPTIONS).fit(X, y, groups=groups)
    assert fitted.curve_.folds == 4
    with pytest.raises(ValueError, match="split 1 parts the rows of group '.*'; take a splitter that heeds groups"):
        FeatureSelector(resample=KFold(3), **REPEATED_OPTIONS).fit(X, y, groups=groups)
    FeatureSelector(resample=TimeSeriesSplit(3), **REPEATED_OPTIONS).fit(X, y, time=np.arange(400))
    with pytest.raises(ValueError, match="split 1 learns from later rows than it tests on"):
        FeatureSelector(resample=KFold(3), **REPEATED_OPTIONS).fit(X, y, time=np.arange(400))
    holes = X.copy()
    holes[::10, 0] = np.nan
    kept = ~np.isnan(holes[:, 0])
    splits = list(KFold(4).split(X))
    dropped = FeatureSelector(resample=splits, missing="drop-rows", **REPEATED_OPTIONS).fit(holes, y)
    place = np.cumsum(kept) - 1
    moved = [tuple(place[part[kept[part]]] for part in split) for split in splits]
    expected = FeatureSelector(resample=moved, **REPEATED_OPTIONS).fit(X[kept], y[kept])
    assert np.array_equal(dropped.curve_.score, expected.curve_.score) and dropped.curve_.rows == 360
    weights = (np.arange(400) % 3 > 0).astype(float)
    weighted = FeatureSelector(resample=splits, **REPEATED_OPTIONS).fit(X, y, sample_weight=weights)
    assert weighted.curve_.rows == int(weights.sum())


def refused(splits, X, y, kind=ValueError):
    with pytest.raises(kind) as caught:
        FeatureSelector(resample=splits, **REPEATED_OPTIONS).fit(X, y)
    return str(caught.value)


def test_splits_that_cannot_be_used_are_refused(puzzle):
    X, y = puzzle
    half, other = np.arange(200), np.arange(200, 400)
    assert "split 2 has no rows to test on" in refused([(half, other), (half, [])], X, y)
    assert "split 1 has no rows to learn from" in refused([([], other)], X, y)
    assert "split 1 both learns from row 200 and tests on it" in refused([(np.arange(201), other)], X, y)
    assert "split 1 has row 400, but rows go from 0 to 399" in refused([(half, [400])], X, y)
    assert "split 1 has row -1" in refused([(half, [-1])], X, y)
    only = np.flatnonzero(y == 0)
    assert "split 1 leaves 0 rows of class '1' to learn from" in refused([(only, np.flatnonzero(y == 1))], X, y)
    assert "makes no splits" in refused([], X, y)
    assert "expected pairs of training and test rows, found ndarray as split 1" in refused([half], X, y, TypeError)
    assert "expected an array of row numbers in split 1" in refused([(half / 2, other)], X, y, TypeError)
    assert "expected 'on', 'off', a splitter" in refused(object(), X, y, TypeError)
    assert "resample: expected off or on" in refused("maybe", X, y)
    assert "resample" in refused(5, X, y)
