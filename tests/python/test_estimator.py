"""FeatureSelector as scikit-learn's users expect a selector to be."""

import os

os.environ["SCIPY_ARRAY_API"] = "1"  # so that scikit-learn skips none of its checks

import inspect
import json
import pickle
import subprocess
import threading
import warnings

import numpy as np
import pytest
import scipy.sparse
import sklearn
from conftest import QUICK
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.datasets import load_diabetes, load_digits
from sklearn.exceptions import NotFittedError
from sklearn.feature_selection import SelectorMixin
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator

import obverse
from obverse import FeatureSelector

pytestmark = pytest.mark.filterwarnings("ignore:.*one value only:UserWarning")


def checked(estimator):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return check_estimator(estimator, on_fail=None, on_skip=None)


@pytest.mark.parametrize("options", [
    {}, {"task": "classification", "method": "cfm", "effort": "quick"}, {"task": "regression", "method": "cfm", "effort": "quick"},
    {"task": "reconstruction", "method": "cfm", "effort": "quick"}, {"method": "anova"},
    {"method": "cfm", "resample": "off", "effort": "quick"}, {"missing": "error", "method": "anova"},
], ids=["default", "classification", "regression", "reconstruction", "anova", "once", "complete"])
def test_passes_every_check_of_scikit_learn(options):
    results = checked(FeatureSelector(**options))
    assert len(results) > 40
    assert [(r["check_name"], r["status"], r["exception"]) for r in results if r["status"] != "passed"] == []


def test_tags_say_what_is_taken():
    tags = FeatureSelector().__sklearn_tags__().input_tags
    assert tags.allow_nan and tags.string and tags.sparse and not tags.dict
    assert not tags.categorical  # numbers are numbers
    assert not FeatureSelector(missing="error").__sklearn_tags__().input_tags.allow_nan


class NamedWeights(FeatureSelector):
    """With `sample_weight` in the signature scikit-learn checks weights too."""

    def fit(self, X, y=None, sample_weight=None):
        return super().fit(X, y, sample_weight=sample_weight)


def test_weights_pass_all_checks_but_the_equivalence_to_repeated_rows():
    # Batches, dropout and held-out rows are drawn by row, so that weights equal repeated rows in the mean and not to the
    # bit: the checks that scikit-learn excuses its own estimators by stochastic gradients from.
    failed = {r["check_name"] for r in checked(NamedWeights(method="cfm", effort="quick", resample="off")) if r["status"] != "passed"}
    assert failed <= {"check_sample_weight_equivalence_on_dense_data", "check_sample_weight_equivalence_on_sparse_data"}


def test_is_a_selector(puzzle):
    X, y = puzzle
    selector = FeatureSelector(k=2).fit(X, y)
    assert isinstance(selector, SelectorMixin)
    assert set(selector.get_support(indices=True)) == {3, 7}
    assert selector.transform(X).tobytes() == X[:, [3, 7]].tobytes()
    assert list(selector.get_feature_names_out()) == ["x3", "x7"]
    back = selector.inverse_transform(selector.transform(X))
    assert back.shape == X.shape and np.array_equal(back[:, 3], X[:, 3]) and not back[:, 0].any()
    assert selector.n_features_in_ == 20 and selector.k_ == 2 and selector.task_ == "classification"
    assert sorted(selector.ranking_) == list(range(1, 21)) and set(np.argsort(selector.ranking_)[:2]) == {3, 7}
    assert np.array_equal(np.argsort(-selector.scores_, kind="stable"), np.argsort(selector.ranking_))
    assert 0 <= selector.agreement_.stability <= 1 and selector.agreement_.frequency.shape == (20,)
    assert selector.agreement_.models == 8 and selector.notes_ == []
    assert len(selector.models_) == 8 and selector.options_["k"] == 2


def test_rho_is_a_share(puzzle):
    assert FeatureSelector(rho=0.25, **QUICK).fit(*puzzle).k_ == 5
    assert FeatureSelector(rho="25%", **QUICK).fit(*puzzle).k_ == 5
    assert FeatureSelector(**QUICK).fit(*puzzle).k_ == 2


def ranking_of_command(command, path, *options):
    run = subprocess.run([command, "select", str(path), "--json", *options], capture_output=True, text=True, check=True)
    return json.loads(run.stdout)


def same(selector, found):
    assert [n - 1 for n in found["ranking"]] == list(np.argsort(selector.ranking_, kind="stable"))
    assert np.array_equal(np.float32(found["scores"]), np.float32(selector.scores_))
    ours = selector.report_.data()
    for field in ("ranking", "scores", "models", "agreement"):  # those of each model are float32 to the last bit
        assert ours[field] == found[field], field


@pytest.mark.parametrize(("kind", "method", "resample"), [(np.float32, "cfm", "on"), (np.uint8, "auto", "off")])
def test_same_bits_as_the_command(command, tmp_path, kind, method, resample):
    X, y = load_digits(return_X_y=True)
    X = X[:600].astype(kind)
    y = y[:600]
    np.savez(tmp_path / "digits.npz", X=X, y=y)
    found = ranking_of_command(command, tmp_path / "digits.npz", "-k", "12", "--seed", "3", "--epochs", "15", "--method", method,
                               "--resample", resample)
    same(FeatureSelector(k=12, seed=3, epochs=15, method=method, resample=resample).fit(X, y), found)


def test_same_bits_as_the_command_for_sparse_rows_weights_and_quantities(command, tmp_path):
    rng = np.random.default_rng(1)
    X = scipy.sparse.random(300, 40, 0.2, format="csr", dtype=np.float32, random_state=2)
    y = rng.integers(3, size=300)
    lines = []
    for row in range(300):
        part = X[[row]]
        order = np.argsort(part.indices)
        items = " ".join(f"{part.indices[i] + 1}:{part.data[i]!r}".replace("np.float32(", "").rstrip(")") for i in order)
        lines.append(f"{y[row]} {items}")
    (tmp_path / "counts.svm").write_text("\n".join(lines) + "\n")
    last = max(X.indices) + 1
    found = ranking_of_command(command, tmp_path / "counts.svm", "-k", "5", "--epochs", "10", "--method", "cfm")
    same(FeatureSelector(k=5, epochs=10, method="cfm").fit(X[:, :last], y), found)

    data = load_diabetes()
    table = np.column_stack([data.data, data.target, rng.integers(1, 4, size=len(data.target))]).astype(np.float32)
    assert len(np.unique(data.target)) == 214  # whole numbers in 442 rows: a quantity, without a word from the user
    header = [f"f{i}" for i in range(10)] + ["progress", "w"]
    text = "\n".join(",".join(repr(float(v)) for v in row) for row in table)
    (tmp_path / "diabetes.csv").write_text(",".join(header) + "\n" + text + "\n")
    found = ranking_of_command(command, tmp_path / "diabetes.csv", "--target", "progress", "--weights", "w", "-k",
                               "4", "--epochs", "10", "--resample", "off")
    selector = FeatureSelector(k=4, epochs=10, resample="off")
    same(selector.fit(np.ascontiguousarray(table[:, :10]), table[:, 10], sample_weight=table[:, 11]), found)
    assert found["options"]["task"] == selector.task_ == "regression"
    said = "214 different numbers in 442 rows: taken as a quantity; say {} if these are classes"
    assert found["notes"] == ["target 'progress' has " + said.format("--task classification")]
    assert selector.notes_ == ["target 'y' has " + said.format("task='classification'")]
    assert "taken as a quantity" in selector.to_html()


def test_keywords_are_those_of_the_engine(command):
    options = subprocess.run([command, "options", "--markdown"], capture_output=True, text=True, check=True).stdout
    selection = options.split("## Selection")[1].split("## Evaluation")[0]
    known = [line.split("`")[1] for line in selection.splitlines() if line.startswith("| `")]
    parameters = list(inspect.signature(FeatureSelector).parameters)
    assert sorted(parameters) == sorted([*known, "column_groups", "feature_names", "image_shape", "kinds", "missing", "verbose"])
    assert parameters[0] == "k" and FeatureSelector(7).k == 7
    for name in known:
        assert f"\n{name} : " in FeatureSelector.__doc__


def test_clone_pickle_and_repr(puzzle):
    selector = FeatureSelector(k=3, gamma=[0.1, 1], epochs=5)
    assert clone(selector).get_params() == selector.get_params()
    assert repr(selector) == "FeatureSelector(epochs=5, gamma=[0.1, 1], k=3)"
    selector.fit(*puzzle)
    again = pickle.loads(pickle.dumps(selector))
    assert np.array_equal(again.ranking_, selector.ranking_) and again.to_html() == selector.to_html()
    assert not hasattr(clone(selector), "ranking_")


def test_keeps_the_curve_and_the_masks_of_epochs(puzzle):
    X, y = puzzle
    plain = FeatureSelector(k=2, **QUICK).fit(X, y)
    kept = FeatureSelector(k=2, keep_curve=True, mask_epochs=[1, 20], **QUICK).fit(X, y)
    assert np.array_equal(kept.scores_, plain.scores_)
    model = kept.models_[0]
    assert len(model["curve"]["loss"]) == len(model["curve"]["complement_loss"]) == model["epochs"] == 20
    assert [mask["epoch"] for mask in model["masks"]] == [1, 20] and model["masks"][1]["scores"] == model["scores"]
    assert not {"curve", "masks"} & set(plain.models_[0])


def test_fits_anew(puzzle):
    X, y = puzzle
    selector = FeatureSelector(k=2, **QUICK).fit(X, y)
    selector.fit(X[:, :9], X[:, 4])
    assert selector.n_features_in_ == 9 and selector.task_ == "regression" and not hasattr(selector, "classes_")


def test_in_a_pipeline_and_a_grid_search(puzzle):
    X, y = puzzle
    pipeline = make_pipeline(StandardScaler(), FeatureSelector(k=2, **QUICK), LogisticRegression())
    assert cross_val_score(pipeline, X, y, cv=3).mean() > 0.9
    with pytest.raises(ValueError, match="anova"):  # options of networks do not go with a ranker
        GridSearchCV(pipeline, {"featureselector__method": ["anova"]}, cv=2, error_score="raise").fit(X, y)
    search = GridSearchCV(pipeline, {"featureselector__k": [1, 2]}, cv=2, n_jobs=2).fit(X, y)
    assert search.best_params_ == {"featureselector__k": 2}


def test_in_a_column_transformer(puzzle):
    pandas = pytest.importorskip("pandas")
    X, y = puzzle
    frame = pandas.DataFrame(X, columns=[f"c{i}" for i in range(20)])
    transformer = ColumnTransformer([("few", FeatureSelector(k=2, **QUICK), frame.columns[:10])], remainder="drop",
                                    verbose_feature_names_out=False).set_output(transform="pandas")
    assert list(transformer.fit_transform(frame, y).columns) == ["c3", "c7"]


def test_set_output(puzzle):
    X, y = puzzle
    for library in ("pandas", "polars"):
        pytest.importorskip(library)
        out = FeatureSelector(k=2, **QUICK).set_output(transform=library).fit_transform(X, y)
        assert list(out.columns) == ["x3", "x7"] and type(out).__module__.startswith(library)


def test_sample_weight(puzzle):
    X, y = puzzle
    y = y.copy()
    y[:200] = X[:200, 11] > 0  # half of the rows speak of another feature
    weights = np.r_[np.zeros(200), np.ones(200)]
    selector = FeatureSelector(k=2, resample="off")
    assert set(selector.fit(X, y, sample_weight=weights).get_support(indices=True)) == {3, 7}
    assert 11 in selector.fit(X, y, sample_weight=1 - weights).get_support(indices=True)


def test_groups_and_time_are_heeded_by_every_split():
    """Each patient has a fingerprint and a label; nothing else tells the label."""
    rng = np.random.default_rng(0)
    patients = np.repeat(np.arange(40), 10)
    prints = rng.normal(size=(40, 8)).astype(np.float32)
    X = prints[patients] + rng.normal(scale=0.01, size=(400, 8)).astype(np.float32)
    y = rng.integers(0, 2, 40)[patients]
    free = obverse.evaluate(X, y, k=4, method="rf", cv=5, refit=True, classifiers=["knn"], trees=10)
    held = obverse.evaluate(X, y, k=4, method="rf", cv=5, refit=True, classifiers=["knn"], trees=10, groups=patients)
    accuracy = [found.data()["rows"][1]["metrics"]["accuracy"]["mean"] for found in (free, held)]
    assert accuracy[0] > 0.95 and accuracy[1] < 0.7
    days = np.datetime64("2024-01-01") + np.arange(400)
    FeatureSelector(k=2, **QUICK).fit(X, y, time=days)
    chosen = FeatureSelector(k=2, **QUICK).fit(X, y, groups=[f"patient {p}" for p in patients])
    assert chosen.report_.data()["options"]["choice"] == "validation"
    with pytest.raises(ValueError, match="not both"):
        FeatureSelector(k=2, **QUICK).fit(X, y, groups=patients, time=days)
    with pytest.raises(ValueError, match="row 3"):
        FeatureSelector(k=2, **QUICK).fit(X[:3], y[:3], time=[1.0, 2.0, np.nan])
    with pytest.raises(ValueError, match="expected numbers or datetime64"):
        FeatureSelector(k=2, **QUICK).fit(X, y, time=[f"day {d}" for d in range(400)])
    with pytest.raises(ValueError, match="at least 2 groups"):
        FeatureSelector(k=2, **{**QUICK, "seeds": 2}).fit(X, y, groups=np.zeros(400))


def test_metadata_routing(puzzle):
    X, y = puzzle
    y = y.copy()
    y[:200] = X[:200, 11] > 0
    weights = np.r_[np.zeros(200), np.ones(200)]
    with sklearn.config_context(enable_metadata_routing=True):
        selector = FeatureSelector(k=2, **QUICK).set_fit_request(sample_weight=True)
        pipeline = make_pipeline(selector, LogisticRegression().set_fit_request(sample_weight=False))
        pipeline.fit(X, y, sample_weight=weights)
        assert set(pipeline[0].get_support(indices=True)) == {3, 7}
        plain = make_pipeline(FeatureSelector(k=2, **QUICK), LogisticRegression().set_fit_request(sample_weight=True))
        with pytest.raises(Exception, match="sample_weight"):
            plain.fit(X, y, sample_weight=weights)


def test_other_threads_go_on_while_it_fits(puzzle):
    turns, stop = [], threading.Event()

    def count():
        while not stop.wait(0.001):
            turns.append(1)

    thread = threading.Thread(target=count)
    thread.start()
    FeatureSelector(k=2).fit(*puzzle)
    seen = len(turns)
    stop.set()
    thread.join()
    assert seen > 20


def test_several_fits_at_once(puzzle):
    alone = FeatureSelector(k=2, seed=1, effort="quick").fit(*puzzle)
    fitted = [clone(alone) for _ in range(3)]
    threads = [threading.Thread(target=selector.fit, args=puzzle) for selector in fitted]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(np.array_equal(selector.scores_, alone.scores_) for selector in fitted)


def test_before_fit(puzzle):
    selector = FeatureSelector(k=2)
    for use in (lambda: selector.transform(puzzle[0]), selector.get_support, selector.to_html, selector.plot,
                lambda: selector.options_, lambda: selector.models_):
        with pytest.raises(NotFittedError):
            use()


def test_fit_path_answers_for_every_k_from_one_training(puzzle):
    X, y = puzzle
    path = FeatureSelector(effort="quick", threads=1).fit_path(X, y, k=[2, 5])
    assert [one.k_ for one in path] == [2, 5]
    for one in path:
        alone = FeatureSelector(k=one.k_, effort="quick", threads=1, resample="off").fit(X, y)
        assert one.transform(X).shape == (len(X), one.k_)
        assert one.method_ in {model["method"] for model in one.models_}
        assert one.get_params() == alone.get_params()
        assert one.curve_ is None


@pytest.mark.parametrize("k", [[], [0], [3, -1]])
def test_fit_path_refuses_numbers_of_features_that_are_none(puzzle, k):
    X, y = puzzle
    with pytest.raises(ValueError, match="numbers of features from 1 on"):
        FeatureSelector().fit_path(X, y, k=k)


def test_fit_path_refuses_keywords_that_it_does_not_know(puzzle):
    X, y = puzzle
    with pytest.raises(TypeError, match="fit_path\\(\\) got an unexpected keyword argument 'weights'"):
        FeatureSelector().fit_path(X, y, k=[1], weights=1)
