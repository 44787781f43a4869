"""Tables as people have them: frames of pandas and polars, Arrow tables, and arrays with words, dates and holes."""

import json
import os
import pickle
import subprocess
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from conftest import QUICK
from sklearn.base import clone
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder

from obverse import FeatureSelector, compare, evaluate

pytestmark = pytest.mark.filterwarnings("ignore:.*alone:UserWarning")


def customers(rows=300, seed=0):
    """A table with a column of every kind. `plan` and `age` tell whether a customer leaves."""
    rng = np.random.default_rng(seed)
    plan = rng.choice(["basic", "plus", "pro", "max"], size=rows, p=[0.4, 0.3, 0.2, 0.1])
    age = rng.integers(18, 80, size=rows).astype(float)
    leaves = (np.isin(plan, ["basic", "max"]) & (age > 40)) | (rng.random(rows) < 0.05)
    frame = pd.DataFrame({
        "number": rng.normal(size=rows),
        "plan": plan,
        "age": np.where(rng.random(rows) < 0.1, np.nan, age),
        "paid": rng.random(rows) < 0.5,
        "since": np.datetime64("2020-01-01T00:00:00") + rng.integers(0, 1500 * 86400, size=rows).astype("timedelta64[s]"),
        "colour": rng.choice(["red", "green", "blue"], size=rows),
        "answer": rng.choice(["yes", "no"], size=rows),
        "visits": rng.integers(0, 9, size=rows),
    })
    frame.loc[::17, "colour"] = None
    frame.loc[5::23, "since"] = pd.NaT
    return frame, np.where(leaves, "leaves", "stays")


def fitted(X, y, **options):
    return FeatureSelector(**({"k": 2} | QUICK | options)).fit(X, y)


def test_a_frame_of_every_kind_is_ranked_by_its_columns():
    X, y = customers()
    selector = fitted(X, y)
    assert list(selector.get_feature_names_out()) == ["plan", "age"]
    assert selector.ranking_.shape == selector.scores_.shape == (8,) and selector.notes_ == []
    assert selector.n_features_in_ == 8 and list(selector.feature_names_in_) == list(X.columns)
    columns = selector.report_.data()["data"]["features"]
    assert columns == list(X.columns)


def nullable(X):
    return X.assign(age=X.age.astype("Int64"), number=X.number.astype("Float64"), paid=X.paid.astype("boolean"),
                    plan=X.plan.astype("string"), visits=X.visits.astype("UInt8"))


def with_pandas_missing(X):
    return X.assign(colour=X.colour.astype("string").fillna(pd.NA), since=X.since.dt.tz_localize("UTC"))


def chunked(X):
    table = pa.Table.from_pandas(X, preserve_index=False)
    return pa.concat_tables([table.slice(0, 50), table.slice(50, 0), table.slice(50, 33), table.slice(83)])


class Stream:
    """A table that is known by the stream that it exports alone."""

    def __init__(self, table):
        self._table = table

    def __arrow_c_stream__(self, requested_schema=None):
        return self._table.__arrow_c_stream__(requested_schema)


SAME = {
    "object": lambda X: X.astype({"plan": object, "colour": object, "answer": object}),
    "nullable": nullable,
    "missing": with_pandas_missing,
    "arrow-backed": lambda X: X.convert_dtypes(dtype_backend="pyarrow"),
    "fortran": lambda X: X.iloc[:, ::-1].copy().iloc[:, ::-1],
    "polars": lambda X: pl.from_pandas(X),
    "polars-chunks": lambda X: pl.concat([pl.from_pandas(X[:100]), pl.from_pandas(X[100:])], rechunk=False),
    "pyarrow": lambda X: pa.Table.from_pandas(X, preserve_index=False),
    "pyarrow-batch": lambda X: pa.RecordBatch.from_pandas(X, preserve_index=False),
    "pyarrow-chunks": chunked,
    "large-texts": lambda X: chunked(X).cast(pa.schema(
        [(f.name, pa.large_string() if pa.types.is_string(f.type) or pa.types.is_large_string(f.type) else f.type)
         for f in chunked(X).schema])),
    "text-views": lambda X: chunked(X).cast(pa.schema(
        [(f.name, pa.string_view() if pa.types.is_string(f.type) or pa.types.is_large_string(f.type) else f.type)
         for f in chunked(X).schema])),
    "stream": lambda X: Stream(chunked(X)),
}


@pytest.mark.parametrize("form", SAME)
def test_every_library_gives_the_same_answer(form):
    X, y = customers()
    expected = fitted(X, y)
    found = fitted(SAME[form](X), y)
    assert np.array_equal(found.scores_, expected.scores_) and found.notes_ == expected.notes_
    assert list(found.get_feature_names_out()) == ["plan", "age"]


@pytest.mark.parametrize("form", ["pandas", "polars", "pyarrow", "codes"])
def test_declared_categories_are_categories(form):
    X, y = customers()
    levels = ["pro", "unused", "basic", "max", "plus"]
    frames = {
        "pandas": lambda: X.assign(plan=pd.Categorical(X.plan, categories=levels)),
        "polars": lambda: pl.from_pandas(X).with_columns(pl.col("plan").cast(pl.Enum(levels))),
        "pyarrow": lambda: pa.Table.from_pandas(X.assign(plan=pd.Categorical(X.plan, categories=levels)), preserve_index=False),
        "codes": lambda: X.assign(plan=pd.Categorical(X.plan.map({"basic": 10, "plus": 20, "pro": 30, "max": 40}))),
    }
    expected = fitted(X, y)
    assert np.array_equal(fitted(frames[form](), y).scores_, expected.scores_)


def test_numbers_of_every_type_are_read():
    rng = np.random.default_rng(3)
    y = rng.integers(2, size=200)
    whole = np.round(20 * rng.normal(size=200) + 30 * y).clip(0, 100)
    noise = rng.normal(size=200)
    expected = fitted(np.column_stack([whole, noise]).astype(np.float32), y, k=1).scores_
    types = [pa.int8(), pa.uint8(), pa.int16(), pa.uint16(), pa.int32(), pa.uint32(), pa.int64(), pa.uint64(), pa.float16(),
             pa.float32(), pa.float64(), pa.decimal128(10, 2), pa.decimal128(38, 10), pa.decimal32(7, 2), pa.decimal64(15, 3)]
    for kind in types:
        values = pa.array(whole, pa.float64()).cast(kind) if not pa.types.is_float16(kind) else pa.array(whole.astype(np.float16))
        table = pa.table({"whole": values, "noise": noise})
        assert np.array_equal(fitted(table, y, k=1).scores_, expected), kind
    negative = pa.table({"whole": pa.array(-whole).cast(pa.decimal128(20, 3)), "noise": noise})
    assert np.allclose(fitted(negative, y, k=1).scores_,
                       fitted(np.column_stack([-whole, noise]).astype(np.float32), y, k=1).scores_)


def test_dates_and_times_of_every_unit_are_read():
    X, y = customers()
    days = X[["plan", "age"]].assign(since=X.since.dt.normalize())
    expected = fitted(days, y).scores_
    table = pa.Table.from_pandas(days, preserve_index=False)
    for kind in (pa.date32(), pa.date64(), pa.timestamp("s"), pa.timestamp("ms"), pa.timestamp("us"), pa.timestamp("ns"),
                 pa.timestamp("us", "UTC")):
        cast = table.set_column(2, "since", table["since"].cast(kind))
        assert np.array_equal(fitted(cast, y).scores_, expected), kind
    for unit in ("s", "ms", "us", "ns"):
        assert np.array_equal(fitted(days.astype({"since": f"datetime64[{unit}]"}), y).scores_, expected)
    objects = days.assign(since=days.since.dt.date.astype(object).where(days.since.notna(), None))
    assert np.array_equal(fitted(objects, y).scores_, expected)
    words = days.assign(since=days.since.dt.strftime("%d.%m.%Y"))
    assert np.array_equal(fitted(words, y).scores_, expected)
    zoned = days.assign(since=days.since.dt.tz_localize("UTC").dt.tz_convert("Asia/Tokyo"))
    assert np.array_equal(fitted(zoned, y).scores_, expected)  # a moment is a moment


def test_durations_are_numbers():
    X, y = customers()
    seconds = np.where(y == "leaves", 10.0, 500.0) + np.arange(300)
    expected = fitted(pd.DataFrame({"wait": seconds, "n": X.number}), y, k=1).scores_
    frame = pd.DataFrame({"wait": pd.to_timedelta(seconds, unit="s"), "n": X.number})
    assert np.array_equal(fitted(frame, y, k=1).scores_, expected)
    assert np.array_equal(fitted(pl.from_pandas(frame), y, k=1).scores_, expected)


def test_plain_numbers_of_a_frame_are_those_of_an_array(puzzle):
    X, y = puzzle
    expected = fitted(X, y)
    names = [f"x{i}" for i in range(20)]
    for frame in (pd.DataFrame(X, columns=names), pl.DataFrame(X, schema=names), pa.Table.from_arrays(list(X.T.copy()), names),
                  pd.DataFrame(X.astype(np.float64), columns=names)):
        found = fitted(frame, y)
        assert np.array_equal(found.scores_, expected.scores_)
        assert found.report_.data()["data"]["fingerprint"] == expected.report_.data()["data"]["fingerprint"]
    pixels = np.clip(128 + 60 * X, 0, 255).astype(np.uint8)
    expected = fitted(pixels, y).report_.data()["data"]["fingerprint"]
    for frame in (pd.DataFrame(pixels, columns=names), pl.DataFrame(pixels, schema=names)):
        assert fitted(frame, y).report_.data()["data"]["fingerprint"] == expected


def test_arrays_with_nan_have_missing_numbers(puzzle):
    X, y = (part.copy() for part in puzzle)
    holes = np.random.default_rng(0).random(X.shape) < 0.1
    X[holes] = np.nan
    selector = fitted(X, y)
    assert set(selector.get_support(indices=True)) == {3, 7}
    np.testing.assert_array_equal(selector.transform(X), X[:, [3, 7]])
    frame = pd.DataFrame(X, columns=[f"x{i}" for i in range(20)])
    assert np.array_equal(fitted(frame, y).scores_, selector.scores_)
    assert np.array_equal(fitted(X.astype(np.float64), y).scores_, selector.scores_)
    assert np.array_equal(fitted(X.astype(object), y).scores_, selector.scores_)
    assert np.array_equal(fitted(X.tolist(), y).scores_, selector.scores_)


def test_arrays_and_lists_of_words(puzzle):
    X, y = customers()
    expected = fitted(X[["plan", "age", "number"]], y).scores_
    rows = X[["plan", "age", "number"]].to_numpy(object)
    assert np.array_equal(fitted(rows, y).scores_, expected)
    assert np.array_equal(fitted(rows.tolist(), y).scores_, expected)
    words = X[["plan", "answer"]].to_numpy(str)
    assert words.dtype.kind == "U" and list(fitted(words, y, k=1).get_feature_names_out()) == ["x0"]


def test_kinds_can_be_asked_for():
    X, y = customers()
    codes = X.assign(plan=X.plan.map({"basic": 3, "plus": 1, "pro": 2, "max": 0}))
    expected = fitted(X, y).scores_
    for kinds in ({"plan": "category"}, {1: "category"}):
        assert np.array_equal(fitted(codes, y, kinds=kinds).scores_, expected)
    assert not np.array_equal(fitted(codes, y).scores_, expected)
    array = codes[["plan", "age"]].to_numpy(np.float32)
    assert np.array_equal(fitted(array, y, k=1, kinds={"x0": "category"}).scores_,
                          fitted(X[["plan", "age"]].set_axis(["x0", "x1"], axis=1), y, k=1).scores_)
    assert '"as": "plan=category"' in fitted(codes, y, kinds={"plan": "category"}).report_.to_json()
    assert "kinds={'plan': 'category'}" in fitted(codes, y, kinds={"plan": "category"}).to_html().replace("&#39;", "'")
    ids = X.assign(id=[f"c{i}" for i in range(300)])
    assert fitted(ids, y, kinds={"id": "category"}).notes_ == []
    words = X.assign(visits=X.visits.map("{:,}".format) + "00")
    assert "commas between thousands" not in str(fitted(words, y).notes_)
    assert "column 'visits' holds numbers as text" in fitted(words, y).notes_[0]
    assert fitted(words, y, kinds={"visits": "number"}).notes_ == []


def test_what_is_no_feature_is_left_out_with_a_note():
    X, y = customers()
    frame = X.assign(id=[f"c{i}" for i in range(300)], empty=np.nan, lists=[[1, 2]] * 300,
                     text=[f"this customer said {i} things about our very long offer" for i in range(300)])[
        ["id", *X.columns, "lists", "text", "empty"]]
    expected = fitted(X, y, resample="on", epochs=5)
    found = fitted(frame, y, resample="on", epochs=5)
    assert found.notes_[:4] == [
        "column 'id' is left out: 300 different values in 300 rows tell rows apart and nothing else; keep it with "
        "kinds={'id': 'category'}",
        "column 'lists' is left out: it holds objects of type list, which are no feature",
        "column 'text' is left out: it is free text, hardly any of it twice; keep it with kinds={'text': 'category'}",
        "column 'empty' is left out: no value is there",
    ]
    inside = slice(1, 9)
    assert np.array_equal(found.scores_[inside], expected.scores_)
    assert np.array_equal(found.ranking_[inside], expected.ranking_) and np.isnan(found.scores_[[0, 9, 10, 11]]).all()
    assert found.ranking_[[0, 9, 10, 11]].tolist() == [9, 10, 11, 12]
    assert np.array_equal(found.frequency_[inside], expected.frequency_) and found.frequency_[0] == 0
    assert list(found.get_feature_names_out()) == list(expected.get_feature_names_out())
    assert found.agreement_.frequency.shape == (12,)
    assert {i - 1 for i in found.stand_ins_} == set(expected.stand_ins_)
    assert list(found.transform(frame).columns) == list(expected.get_feature_names_out())
    nested = pa.table({"plan": X.plan, "structs": [{"a": 1}] * 300, "bytes": [b"x"] * 300, "nothing": pa.nulls(300)})
    assert fitted(nested, y, k=1).notes_ == [
        "column 'structs' is left out: it holds records, which are no feature",
        "column 'bytes' is left out: it holds bytes, which are no feature",
        "column 'nothing' is left out: no value is there"]


def test_pictures_of_a_selection_from_a_table_show_its_names():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    X, y = customers()
    selector = fitted(X.assign(id=[f"c{i}" for i in range(300)])[["id", *X.columns]], y)
    shown = [label.get_text() for label in selector.plot("scores").get_yticklabels()]
    assert set(shown) == set(X.columns)


def test_transform_gives_the_columns_as_they_are():
    X, y = customers()
    for frame in (X, nullable(X), X.assign(plan=X.plan.astype("category"))):
        out = fitted(frame, y).transform(frame)
        pd.testing.assert_frame_equal(out, frame[["plan", "age"]])
    lazy = pl.from_pandas(X)
    assert fitted(lazy, y).transform(lazy).equals(lazy.select("plan", "age"))
    table = pa.Table.from_pandas(X, preserve_index=False)
    assert fitted(table, y).transform(table).equals(table.select(["plan", "age"]))
    numbers = X[["number", "age", "visits"]]
    selector = fitted(numbers, y, k=2)
    assert isinstance(selector.transform(numbers), np.ndarray)
    out = selector.set_output(transform="pandas").transform(numbers)
    assert list(out.columns) == list(selector.get_feature_names_out())
    array = X[["plan", "age"]].to_numpy(object)
    assert fitted(array, y, k=1).transform(array).shape == (300, 1)
    holes = nullable(X)[["number", "age", "visits"]]
    assert np.isnan(fitted(holes, y, k=1).transform(holes)).any()


def test_set_output_makes_frames_of_tables():
    X, y = customers()
    for frame in (X, pl.from_pandas(X), pa.Table.from_pandas(X, preserve_index=False)):
        for library, kind in (("pandas", pd.DataFrame), ("polars", pl.DataFrame)):
            out = FeatureSelector(k=2, **QUICK).set_output(transform=library).fit(frame, y).transform(frame)
            assert isinstance(out, kind) and list(out.columns) == ["plan", "age"]
            assert out["plan"].to_list() == X.plan.to_list()


def test_transform_checks_names_and_number_of_columns_alone():
    X, y = customers()
    selector = fitted(X, y)
    changed = X.assign(plan=1.5, age="old", since="never", paid=None)
    assert list(selector.transform(changed).columns) == ["plan", "age"]
    with pytest.raises(ValueError, match="Feature names unseen"):
        selector.transform(X.rename(columns={"plan": "tariff"}))
    with pytest.raises(ValueError, match="in the same order"):
        selector.transform(X[X.columns[::-1]])
    with pytest.raises(ValueError, match="names"):
        selector.transform(X.drop(columns="number"))
    with pytest.raises(TypeError, match="whose columns cannot be chosen"):
        selector.transform(Stream(chunked(X)))


def as_numbers(X):
    """Everything but words, without holes."""
    return np.nan_to_num(X.apply(lambda c: c.astype("int64") if c.dtype.kind == "M" else c).to_numpy(np.float64) / 1e3)


def encoder():
    words = make_column_selector(dtype_include=["object", "str"])
    return make_column_transformer((OneHotEncoder(handle_unknown="ignore"), words), remainder=FunctionTransformer(as_numbers))


def test_inside_a_pipeline_a_cross_validation_and_a_grid_search():
    X, y = customers()
    pipeline = make_pipeline(FeatureSelector(k=2, **QUICK), encoder(), LogisticRegression(max_iter=1000))
    assert cross_val_score(pipeline, X, y, cv=3).mean() > 0.7
    search = GridSearchCV(pipeline, {"featureselector__k": [1, 3]}, cv=2).fit(X, y)
    assert search.best_estimator_[0].get_feature_names_out().tolist() == list(X.columns[search.best_estimator_[0].get_support()])
    assert set(pipeline.fit(X, y)[0].get_feature_names_out()) == {"plan", "age"}
    again = pickle.loads(pickle.dumps(pipeline))
    assert np.array_equal(again.predict(X), pipeline.predict(X))
    assert clone(FeatureSelector(kinds={"a": "date"}, missing="error")).get_params()["kinds"] == {"a": "date"}


def test_evaluate_and_compare_take_tables():
    X, y = customers()
    frame = X.assign(id=[f"c{i}" for i in range(300)])[["id", *X.columns]]
    selector = fitted(frame[:200], y[:200])
    common = {"k": 2, "test": (frame[200:], y[200:]), "classifiers": "ert", "trees": 20}
    found = evaluate(frame[:200], y[:200], ranking=selector, **common)
    named = evaluate(frame[:200], y[:200], ranking=["plan", "age"], **common)
    score = {row["features"]: row["metrics"]["accuracy"]["mean"] for row in found.rows}
    assert score["selected"] > 0.75
    assert score["selected"] == {row["features"]: row["metrics"]["accuracy"]["mean"] for row in named.rows}["selected"]
    assert "column 'id' is left out" in found.data()["notes"][0]
    with pytest.raises(ValueError, match="'id' is no feature: column 'id' is left out"):
        evaluate(frame, y, ranking=["id"], k=1)
    other = evaluate(pl.from_pandas(frame[:200]), y[:200], ranking=selector, k=2, classifiers="ert", trees=20,
                     test=(pl.from_pandas(frame[200:]), y[200:]))
    assert other.to_csv() == found.to_csv()
    best = compare(frame, y, methods=["rf", "anova"], k=2, runs=2, trees=10, classifiers="ert", kinds={"visits": "category"},
                   missing="drop-rows")
    assert best.next_command.endswith("kinds={'visits': 'category'}, missing='drop-rows').fit(X, y)")
    assert "rows are left out: values are missing there" in str(best.data()["notes"])


def test_a_test_set_has_the_kinds_of_the_training_data():
    X, y = customers()
    common = {"k": 2, "classifiers": "ert", "trees": 10, "ranking": ["plan", "age"]}
    new = X[200:].assign(plan=X[200:].plan.replace("max", "never seen"), paid=X[200:].paid.astype(int))
    evaluate(X[:200], y[:200], test=(new, y[200:]), **common)
    with pytest.raises(ValueError, match="row 1, column 'age': expected a number, found 'old'"):
        evaluate(X[:200], y[:200], test=(X[200:].assign(age="old"), y[200:]), **common)
    with pytest.raises(ValueError, match="column 'plan' was a feature of the training data, but here it holds objects"):
        evaluate(X[:200], y[:200], test=(X[200:].assign(plan=[[1]] * 100), y[200:]), **common)
    numbers = X[["number", "visits"]]
    holes = numbers[200:].mask(numbers[200:] > 1)
    with pytest.raises(ValueError, match="expected a finite number, found NaN"):
        evaluate(numbers[:200], y[:200], test=(holes, y[200:]), k=1, classifiers="ert", trees=10)


def test_missing_values_may_drop_their_rows_or_be_refused():
    X, y = customers()
    complete = X.notna().all(axis=1).to_numpy()
    weights = np.linspace(1, 2, 300)
    dropped = FeatureSelector(k=2, missing="drop-rows", **QUICK).fit(X, y, sample_weight=weights, groups=np.arange(300) // 2)
    expected = FeatureSelector(k=2, **QUICK).fit(X[complete], y[complete], sample_weight=weights[complete],
                                                 groups=(np.arange(300) // 2)[complete])
    assert np.array_equal(dropped.scores_, expected.scores_)
    assert dropped.notes_[0] == f"{(~complete).sum()} rows are left out: values are missing there"
    with pytest.raises(ValueError, match=r"3 columns with missing values \(NaN, None\): age \(\d+\), since \(\d+\), colour \(18\); fill them"):
        fitted(X, y, missing="error")
    fitted(X[complete], y[complete], missing="error")
    with pytest.raises(ValueError, match="no row is left"):
        fitted(pd.DataFrame({"a": [1.0, None] * 20, "b": [None, 1.0] * 20}), np.arange(40) % 3 == 0, missing="drop-rows")
    with pytest.raises(ValueError, match="missing: expected impute, drop-rows or error, found 'guess'"):
        fitted(X, y, missing="guess")
    rare = np.array(y, dtype=object)
    rare[~complete] = "gone"
    assert "gone" not in fitted(X, rare, missing="drop-rows").classes_


def test_what_a_column_lacks_in_held_out_rows_cannot_be_seen_in_training():
    """A column is missing exactly for one class, in the test rows of the first fold."""
    rng = np.random.default_rng(1)
    y = np.arange(200) % 2
    X = pd.DataFrame(rng.normal(size=(200, 5)), columns=list("abcde"))
    X["leak"] = rng.normal(size=200)
    folds = [np.arange(f, 200, 5) // 2 * 2 + (np.arange(f, 200, 5) % 2) for f in range(5)]
    splits = [(np.setdiff1d(np.arange(200), rows), rows) for rows in folds]
    held = folds[0]
    X.loc[held[y[held] == 1], "leak"] = np.nan
    selector = FeatureSelector(k=1, method="rf", resample=[splits[0]]).fit(X, y)
    assert not selector.signal_ and abs(selector.verdict_.score - 0.5) < 0.2
    # Seen in training, the same holes tell the class.
    X.loc[y == 1, "leak"] = np.nan
    assert FeatureSelector(k=1, method="rf", resample=[splits[0]]).fit(X, y).verdict_.score == 1


# ---- The same answer as the command ----


def answer_of_command(command, path, target, *options):
    run = subprocess.run([command, "select", str(path), "--target", target, "--json", *options], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


def same_answer(selector, found):
    ours = selector.report_.data()
    for field in ("ranking", "scores", "models", "agreement"):
        assert ours[field] == found[field], field
    assert ours["data"]["features"] == found["data"]["features"]


def german_like(rows, rng):
    """Codes beside whole numbers, as in the German credit data."""
    frame = pd.DataFrame({f"c{i}": [f"A{i}{n}" for n in rng.integers(1, 3 + i % 4, size=rows)] for i in range(7)})
    for i in range(4):
        frame[f"n{i}"] = rng.integers(1, 60, size=rows)
    frame["class"] = np.where((frame.c0 == "A01") ^ (rng.random(rows) < 0.2), 1, 2)
    return frame


def adult_like(rows, rng):
    """Words behind a space, question marks, booleans, dates and an identity."""
    frame = pd.DataFrame({
        "id": [f"p{i:06}" for i in range(rows)],
        "age": rng.integers(17, 90, size=rows),
        "work": rng.choice([" Private", " State-gov", " Self-emp", " ?"], size=rows),
        "hours": np.round(rng.normal(40, 10, size=rows), 2),
        "married": rng.random(rows) < 0.5,
        "insured": rng.choice(["yes", "no"], size=rows),
        "hired": pd.Timestamp("2019-01-01") + pd.to_timedelta(rng.integers(0, 2000, size=rows), unit="D"),
        "seen": pd.Timestamp("2019-01-01") + pd.to_timedelta(rng.integers(0, 10**8, size=rows), unit="s"),
    })
    frame.loc[rng.random(rows) < 0.05, "hours"] = np.nan
    frame["income"] = np.where((frame.age > 45) & (frame.work != " ?"), ">50K", "<=50K")
    return frame


@pytest.mark.parametrize("make, target", [(german_like, "class"), (adult_like, "income")])
def test_a_frame_gives_the_answer_that_the_command_gives_for_the_file(command, tmp_path, make, target):
    frame = make(1000, np.random.default_rng(4))
    frame.to_csv(tmp_path / "table.csv", index=False)
    found = answer_of_command(command, tmp_path / "table.csv", target, "-k", "4", "--effort", "quick")
    for X in (frame, pd.read_csv(tmp_path / "table.csv"), pl.from_pandas(frame)):
        y = X[target]
        X = X.drop(target) if isinstance(X, pl.DataFrame) else X.drop(columns=target)
        same_answer(FeatureSelector(k=4, effort="quick").fit(X, y), found)


@pytest.mark.parametrize("name, target, options", [("german.csv", 20, {}), ("adult.csv.gz", 14, {"skipinitialspace": True})])
def test_real_tables_give_the_answer_of_the_command(command, name, target, options):
    path = Path(os.environ.get("OBVERSE_DATA", ""), "tables", name)
    if not path.is_file():
        pytest.skip("OBVERSE_DATA does not say where the tables are")
    frame = pd.read_csv(path, header=None, keep_default_na=False, **options)
    frame.columns = [f"c{i + 1}" for i in range(frame.shape[1])]
    found = answer_of_command(command, path, str(target + 1), "-k", "3", "--method", "anova", "--resample", "off")
    X, y = frame.drop(columns=f"c{target + 1}"), frame[f"c{target + 1}"]
    same_answer(FeatureSelector(k=3, method="anova", resample="off").fit(X, y), found)
