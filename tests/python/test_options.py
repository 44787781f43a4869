"""From keywords to settings of the engine."""

import numpy as np
import pytest

from obverse import _engine
from obverse._options import COMPARE, EVALUATE, SELECT, settings


def given(**changes):
    return settings({name: option["default"] for name, option in SELECT.items()} | changes, SELECT)


def test_tasks():
    tasks = _engine.tasks()
    assert list(tasks) == SELECT["task"]["words"]
    assert tasks["multilabel"] == {"needs_target": True, "one_column": False, "several_columns": True}


def test_tables():
    assert set(_engine.options()) == {"select", "train", "evaluate", "compare"}
    assert SELECT["k"]["default"] == "auto" and SELECT["gamma"]["default"] == "search"
    assert SELECT["seeds"]["default"] == 1 and SELECT["method"]["default"] == "auto"
    assert "stg" in SELECT["method"]["words"] and SELECT["dropout"]["type"] == "float"
    assert EVALUATE["classifiers"]["default"] == ("rf", "ert", "knn") and EVALUATE["refit"]["default"] is False
    assert given(k=None) == [] and given(k="auto") == []
    assert "resample" in SELECT and "resample" not in EVALUATE and "resample" not in COMPARE
    assert "method" not in COMPARE and COMPARE["methods"]["default"] == "all"
    for table in (SELECT, EVALUATE, COMPARE):
        assert table["device"]["default"] == "cpu" and table["device"]["allowed"] == "cpu, cuda, cuda:N or auto"
    assert all(option["help"] and option["allowed"] for option in SELECT.values())


def test_only_what_differs_is_given():
    assert given() == []
    assert given(k=20, gamma=[0.1, 1]) == [("k", "20", "number"), ("gamma", "0.1,1", "list")]
    assert given(seeds=np.int64(1), dropout=np.float32(0.5)) == [("dropout", "0.5", "number")]
    assert given(device="cpu") == [] and given(device="cuda:1") == [("device", "cuda:1", "text")]
    assert given(keep_curve=True, mask_epochs=[1, 5]) == [("keep_curve", "true", "boolean"), ("mask_epochs", "1,5", "list")]
    assert given(seeds=True) == [("seeds", "true", "boolean")]  # which the engine refuses
    assert given(gamma=np.array([1.0, 10.0]), recipe=("default", "paper")) == [
        ("recipe", "default,paper", "list"), ("gamma", "1.0,10.0", "list")]
    assert given(gamma="search", patience="off", rho="5%") == [("rho", "5%", "text")]
    assert given(learning_rate=0.1 + 0.2) == [("learning_rate", "0.30000000000000004", "number")]


def test_other_types_are_refused():
    with pytest.raises(TypeError, match="k: expected a number"):
        given(k=object())
    with pytest.raises(TypeError, match="gamma: expected"):
        given(gamma=[{}])
