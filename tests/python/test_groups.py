"""Groups of columns that are one feature, and features that are always selected."""

import json
import pickle
import subprocess

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from conftest import QUICK
from sklearn.base import clone

from obverse import FeatureSelector, compare, evaluate

GROUPS = {"emg": ["emg_1", "emg_2", "emg_3"], "gyro": ["gyro_1", "gyro_2"]}


def channels(rows=300, seed=0):
    """The sum of the emg channels tells the class; they are scattered over the frame."""
    rng = np.random.default_rng(seed)
    names = ["emg_1", "age", "gyro_1", "emg_2", "weight", "gyro_2", "emg_3"]
    frame = pd.DataFrame(rng.normal(size=(rows, len(names))), columns=names)
    target = frame[GROUPS["emg"]].sum(axis=1) + rng.normal(scale=0.3, size=rows) > 0
    return frame, np.where(target, "up", "down")


def grouped(**options):
    return FeatureSelector(1, **{"column_groups": GROUPS, **QUICK, **options})


def test_a_group_is_selected_whole_and_counts_once():
    X, y = channels()
    selector = grouped().fit(X, y)
    assert selector.k_ == 1
    assert selector.get_feature_names_out().tolist() == ["emg_1", "emg_2", "emg_3"]
    assert list(selector.transform(X).T.shape) == [3, len(X)]
    assert sorted(set(selector.ranking_.tolist())) == [1, 2, 3, 4]  # two groups and two columns
    for columns in GROUPS.values():
        places = [X.columns.get_loc(column) for column in columns]
        assert len(set(selector.ranking_[places])) == 1
        assert len(set(selector.scores_[places])) == 1
    assert clone(selector).column_groups == GROUPS
    assert pickle.loads(pickle.dumps(selector)).transform(X).shape == (len(X), 3)
    assert "column_groups={" in selector.to_html()


@pytest.mark.parametrize("groups", [["emg_*", "gyro_*"], ("emg_*", "gyro_*"), {"emg": "emg_*", "gyro": ["gyro_?"]},
                                    {"emg": [0, 3, 6], "gyro": [2, np.int64(5)]}])
def test_groups_are_given_by_patterns_names_or_numbers(groups):
    X, y = channels()
    want = grouped().fit(X, y)
    assert np.array_equal(grouped(column_groups=groups).fit(X, y).ranking_, want.ranking_)


def test_every_form_of_the_data_can_be_grouped():
    X, y = channels()
    numbers = {"emg": [0, 3, 6], "gyro": [2, 5]}
    want = grouped().fit(X, y).ranking_
    dense = np.ascontiguousarray(X, dtype=np.float32)
    assert np.array_equal(grouped(column_groups=numbers).fit(dense, y).ranking_, want)
    assert np.array_equal(grouped(column_groups=numbers).fit(scipy.sparse.csr_matrix(dense), y).ranking_, want)
    words = X.assign(colour=np.where(np.arange(len(X)) % 3 == 0, "red", "blue"))
    words.loc[3, "gyro_1"] = np.nan
    selector = grouped(column_groups={**GROUPS, "looks": ["colour", "weight"]}).fit(words, y)
    assert selector.get_feature_names_out().tolist() == ["emg_1", "emg_2", "emg_3"]
    assert selector.ranking_[words.columns.get_loc("colour")] == selector.ranking_[words.columns.get_loc("weight")]


def test_the_command_gives_the_same_answer(command, tmp_path):
    X, y = channels()
    X.assign(y=y).to_csv(tmp_path / "data.csv", index=False)
    options = ["--method", "anova", "--resample", "off", "-k", "2", "--json", "--keep", "age"]
    found = subprocess.run([command, "select", tmp_path / "data.csv", "--target", "y", "--column-groups",
                            "emg_*,gyro_*", *options], capture_output=True, text=True, check=True)
    told = json.loads(found.stdout)
    selector = FeatureSelector(2, method="anova", resample="off", column_groups=["emg_*", "gyro_*"], keep=["age"])
    selector.fit(pd.read_csv(tmp_path / "data.csv").drop(columns="y"), y)
    assert [feature["name"] for feature in told["selected"]] == ["age", "emg_*"]
    assert selector.get_feature_names_out().tolist() == ["emg_1", "age", "emg_2", "emg_3"]


def test_functions_take_groups_and_rankings_of_groups():
    X, y = channels()
    options = {"k": [1], "classifiers": ["ert"], "repeats": 1, "effort": "quick"}
    good = evaluate(X, y, column_groups=GROUPS, **options)
    fitted = evaluate(X, y, column_groups=GROUPS, ranking=grouped().fit(X, y), classifiers=["ert"], repeats=1)
    tested = evaluate(X[:200], y[:200], test=(X[200:], y[200:]), column_groups=GROUPS, **options)
    for found in (good, fitted, tested):
        assert [row["metrics"]["accuracy"]["mean"] > 0.8 for row in found.rows if row["features"] == "selected"] == [True]
    compared = compare(X, y, column_groups=GROUPS, k=[1], methods=["anova", "rf"], runs=2, classifiers=["ert"])
    assert compared.recommended in ("anova", "rf")


@pytest.mark.parametrize("groups, words", [
    ({"g": []}, "has no columns"),
    ({"g": ["emg_1", "nothing"]}, "no column 'nothing'"),
    ({"g": [99]}, "columns go from 0 to 6"),
    ({"age": ["emg_1"]}, "name of a column"),
    ({"g": ["emg_1"], "h": ["emg_1"]}, "two groups"),
    ({"g": ["*"]}, "nothing to choose"),
    (["x_*"], "fits the pattern"),
])
def test_groups_that_do_not_fit_are_refused(groups, words):
    X, y = channels()
    with pytest.raises(ValueError, match=words.replace("'", ".")):
        grouped(column_groups=groups).fit(X, y)


@pytest.mark.parametrize("groups", [3, [1, 2], {"emg_*"}])
def test_groups_of_another_type_are_refused(groups):
    X, y = channels()
    with pytest.raises(TypeError, match="column_groups: expected patterns"):
        grouped(column_groups=groups).fit(X, y)


@pytest.mark.parametrize("keep", [["weight"], "weight", [4], 4, [np.int64(4)], [-3], ["wei*"]])
def test_kept_features_are_always_selected(keep):
    X, y = channels()
    selector = FeatureSelector(2, keep=keep, **QUICK).fit(X, y)
    assert selector.ranking_[X.columns.get_loc("weight")] == 1
    assert "weight" in selector.get_feature_names_out()
    assert selector.options_["keep"] == ["weight"]


def test_kept_features_that_are_not_there_or_too_many_are_refused():
    X, y = channels()
    with pytest.raises(ValueError, match="wait"):
        FeatureSelector(2, keep=["wait"], **QUICK).fit(X, y)
    with pytest.raises(ValueError, match="k is 1"):
        FeatureSelector(1, keep=["age", "weight"], **QUICK).fit(X, y)
