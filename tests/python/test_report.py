"""Reports and pictures."""

import json
import os
import pickle
import stat
import subprocess

import numpy as np
import pytest
from conftest import QUICK
from sklearn.datasets import load_digits

from obverse import FeatureSelector, Report


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True)
    with pytest.warns(UserWarning, match="one value only"):
        return FeatureSelector(k=12, image_shape=(8, 8), **QUICK).fit(X.astype(np.uint8), y)


def test_page(digits, tmp_path):
    page = digits.to_html()
    assert page.startswith("<!doctype html>") and digits.report_.html == page
    path = digits.to_html(tmp_path / "report.html")
    assert path.read_text(encoding="utf-8") == page and os.listdir(tmp_path) == ["report.html"]
    assert stat.S_IMODE(path.stat().st_mode) == 0o666 & ~current_umask()


def current_umask():
    mask = os.umask(0)
    os.umask(mask)
    return mask


def test_without_values_of_the_data(puzzle):
    X, y = puzzle
    selector = FeatureSelector(k=2, **QUICK).fit(X, np.where(y == 1, "Zaphod", "Trillian"))
    assert "Zaphod" in selector.to_html() and "distributions" in selector.report_.data()["data"]
    page = selector.to_html(report_data="none")
    assert "Zaphod" not in page and "Trillian" not in page and page == selector.report_.without_values().html
    assert "Zaphod" not in selector.report_.without_values().to_json()
    with pytest.raises(ValueError, match="report_data: expected 'shown' or 'none', found 'some'"):
        selector.to_html(report_data="some")


def test_tells_how_to_repeat_it(puzzle):
    X, y = puzzle
    selector = FeatureSelector(k=2, **QUICK).fit(X, y, sample_weight=np.ones(len(y)))
    assert selector.report_.data()["request"]["k"] == "2"
    assert "selector.fit(X, y, sample_weight=sample_weight)" in selector.to_html()


def test_in_a_notebook(digits):
    shown = digits.report_._repr_html_()
    assert "&lt;head&gt;&lt;base href=&quot;about:srcdoc&quot;&gt;" in shown and "allow-downloads" in shown
    assert shown.startswith('<iframe srcdoc="&lt;!doctype html&gt;') and shown.count('"') == shown.count('="') * 2
    assert "sandbox" in shown and "<script" not in shown


def test_names_from_data_are_escaped(puzzle):
    pandas = pytest.importorskip("pandas")
    X, y = puzzle
    names = [f"<img src=x onerror=alert({i})>" for i in range(20)]
    selector = FeatureSelector(k=2, **QUICK).fit(pandas.DataFrame(X, columns=names), np.where(y == 1, "<b>", "&"))
    assert "<img src=x" not in selector.to_html() and "<img" not in selector.report_._repr_html_()


def test_names(digits, puzzle):
    assert digits.report_.data()["data"]["features"][9] == "pixel_1_1" and digits.get_feature_names_out()[0].startswith("x")
    names = [f"word{i}" for i in range(20)]
    selector = FeatureSelector(k=2, feature_names=names, **QUICK).fit(*puzzle)
    assert list(selector.get_feature_names_out()) == ["word3", "word7"] and "word3" in selector.to_html()


def test_is_that_of_the_command(command, digits, tmp_path):
    text = digits.report_.to_json()
    (tmp_path / "selection.json").write_text(text)
    subprocess.run([command, "report", str(tmp_path / "selection.json")], check=True, capture_output=True, cwd=tmp_path)
    assert any(file.suffix == ".html" for file in tmp_path.iterdir())
    assert Report(text).html == digits.to_html()


def test_keeps(digits):
    assert pickle.loads(pickle.dumps(digits.report_)).html == digits.to_html()
    assert "selection" in repr(digits.report_)
    copy = pickle.loads(pickle.dumps(digits))
    assert copy.report_.to_json() == digits.report_.to_json() and copy.report_.data() == digits.report_.data()
    assert copy.options_ == digits.options_ and copy.models_ == digits.models_


def test_data_are_those_of_the_text(digits, puzzle):
    X, y = puzzle
    ranked = FeatureSelector(k=2, method="anova").fit(X, y)  # a baseline, whose options are fewer
    for selector in (digits, ranked):
        data = json.loads(selector.report_.to_json())
        assert selector.report_.data() == data and list(selector.report_.data()) == list(data)
        assert selector.options_ == data["options"] and selector.models_ == data["models"]
        assert Report(selector.report_.to_json()).data() == data


@pytest.mark.filterwarnings("ignore:.*one value only")
def test_stays_when_the_data_change():
    X, y = load_digits(return_X_y=True)
    X = X.astype(np.uint8)
    selector = FeatureSelector(k=5, method="anova", image_shape=(8, 8)).fit(X, y)
    examples = FeatureSelector(k=5, method="anova", image_shape=(8, 8)).fit(X, y).report_.data()["data"]["examples"]
    X[:] = 0
    assert selector.report_.data()["data"]["examples"] == examples


def test_refuses(digits, tmp_path):
    with pytest.raises(TypeError, match="selection.json"):
        Report()
    with pytest.raises(ValueError, match="not a selection: expected JSON"):
        Report("hello").html
    with pytest.raises(ValueError):
        Report('{"a": 1}').html
    with pytest.raises(IsADirectoryError):
        digits.to_html(tmp_path)
    with pytest.raises(FileNotFoundError, match="nowhere is no folder"):
        digits.to_html(tmp_path / "nowhere" / "report.html")


def test_pictures(digits, puzzle):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure = digits.plot()
    assert len([ax for ax in figure.axes if ax.get_title()]) == 3
    for kind in ("scores", "stability", "mask"):
        ax = pyplot.figure().gca()
        assert digits.plot(kind, ax=ax) is ax and ax.get_title()
    plain = FeatureSelector(k=2, **QUICK).fit(*puzzle)
    assert len(plain.plot(top=5).axes) == 2
    with pytest.raises(ValueError, match="image_shape"):
        plain.plot("mask")
    with pytest.raises(ValueError, match="kind: expected"):
        plain.plot("pie")
    with pytest.raises(ValueError, match="top"):
        plain.plot(top=0)
    with pytest.raises(ValueError, match="ax"):
        plain.plot(ax=pyplot.gca())
    pyplot.close("all")
