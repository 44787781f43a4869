"""Feature selectors side by side: the time each takes and the accuracy with the features that it selects.

    python bench/vs_selectors.py [--data DIR] [--store FILE] [--limit SECONDS]
        [--sets isolet,madelon] [--selectors obverse,lassonet] [--only mnist/stg,...] [--again] [--show]

Sets: isolet and madelon, 20 % test rows, stratified, one split for all; MNIST with 10,000 of its training rows and all of
its test rows. A selector sees training rows only. Accuracy is that of scikit-learn's ExtraTreesClassifier(100) on the test
rows, mean of 3 seeds, with the first k features for seven shares rho of the features.

Every selector runs in a process of its own, on one core and with one thread, one after the other. The time is that of
the selection, without reading, imports and scaling. CPU time (user and system, with child processes) is what is compared,
since other work on the machine changes it little; the time on the clock stands beside it. A selector that orders all
features is fitted once. One that is trained for a certain k is fitted for each of the seven: its time is the median of
the seven fits, and their sum is given too. --limit is the CPU time of a fit; what takes longer is stopped and has no
accuracy.

Each result is kept in --store as soon as it is there, and what is there is not run again, unless --again asks for it or a
stopped one is given more time. --show prints what is stored. Ends with a table in Markdown and one line of JSON.
"""

import argparse
import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

ONE_THREAD = {name: "1" for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")}
if __name__ == "__main__":
    os.environ.update(ONE_THREAD)  # read by the libraries when they are imported

import numpy as np  # noqa: E402
from scipy.io import loadmat  # noqa: E402
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier  # noqa: E402
from sklearn.feature_selection import RFE, SelectFromModel, mutual_info_classif  # noqa: E402
from sklearn.model_selection import train_test_split  # noqa: E402

sys.path.insert(0, str(Path(__file__).parent / "quality"))
from quality import RHOS, Split, image_split, shares  # noqa: E402

SETS = ("isolet", "madelon", "mnist")
MNIST_ROWS = 10_000
SPLIT_SEED = 0
SEED = 0  # of every selector
FOREST_SEEDS = (0, 1, 2)
PACKAGES = ("obverse", "numpy", "scikit-learn", "torch", "lassonet", "stg", "boruta")


# ---------------------------------------------------------------------------------------------------- the sets

def image_rows(folder):
    split = image_split(folder)
    train_x, _, train_y, _ = train_test_split(split.train_x, split.train_y, train_size=MNIST_ROWS, stratify=split.train_y,
                                              random_state=SPLIT_SEED)
    return train_x, split.test_x, train_y, split.test_y


def table_rows(path):
    content = loadmat(path)
    x, y = content["X"].astype(np.float32), content["Y"].ravel()
    return train_test_split(x, y, test_size=0.2, stratify=y, random_state=SPLIT_SEED)


def make_split(name, data, scratch):
    """The rows of a set, labels from 0; the training rows lie in a file as well, for the child processes."""
    train_x, test_x, train_y, test_y = image_rows(data / name) if name == "mnist" else table_rows(data / f"{name}.mat")
    classes = np.unique(train_y)
    train_y, test_y = (np.searchsorted(classes, y).astype(np.int64) for y in (train_y, test_y))
    path = Path(scratch) / f"{name}.npz"
    np.savez(path, X=train_x, y=train_y)
    return Split(train_x, train_y, test_x, test_y, [str(path)])


@dataclass
class Training:
    """What a selector is given: x as it is in the file, and scaled for those that ask for it."""
    path: str
    x: np.ndarray
    y: np.ndarray

    @property
    def pixels(self):
        return self.x.dtype == np.uint8

    @property
    def classes(self):
        return int(self.y.max()) + 1

    def scaled(self):
        """Pixels from 0 to 1, other columns with mean 0 and deviation 1."""
        x = self.x.astype(np.float32)
        return x / 255 if self.pixels else (x - x.mean(axis=0)) / x.std(axis=0)


# ------------------------------------------------------------------------------------------------- the selectors
# Each is a function that is given the training rows, imports and prepares what the time should not hold, and returns the
# selection itself: a function of k that returns column numbers from 0, the best first. It is called once, with the largest
# k, if the selector orders all features, and for each k otherwise.

def descending(scores):
    return np.argsort(-np.asarray(scores), kind="stable")


def obverse_with(**options):
    def obverse(training):
        from obverse import FeatureSelector

        def select(k):
            return np.argsort(FeatureSelector(k=k, seed=SEED, threads=1, **options).fit(training.x, training.y).ranking_)

        return select

    return obverse


def lassonet(training):
    """Defaults; features in the order in which they leave the path, the last to leave first.

    Features that leave in the same step are told apart by their weights in the step before it.
    """
    import torch
    from lassonet import LassoNetClassifier

    torch.set_num_threads(1)
    x, norms = training.scaled(), []

    def remember(model, path):
        norms.append(model.model.skip.weight.data.norm(dim=0).numpy().copy())

    def select(k):
        model = LassoNetClassifier(verbose=0, random_state=SEED, torch_seed=SEED, device=torch.device("cpu"))
        path = model.path(x, training.y, callback=remember)
        there = np.array([step.selected.numpy() for step in path])
        last = len(path) - 1 - np.argmax(there[::-1], axis=0)  # the step in which a feature is there for the last time
        weights = np.array(norms)[last, np.arange(x.shape[1])]
        return np.lexsort((-weights, -model.feature_importances_.numpy()))

    return select


def stg_with(hidden, lam, epochs):
    def stg(training):
        import collections
        import collections.abc

        # The package (0.1.2) asks `collections` for names that Python 3.10 moved to `collections.abc`.
        for name in ("Sequence", "Set", "Mapping"):
            setattr(collections, name, getattr(collections.abc, name))
        import torch
        from stg import STG

        torch.set_num_threads(1)
        x = training.scaled()

        def select(k):
            torch.manual_seed(SEED)  # the package takes random_state, but does not use it
            model = STG(task_type="classification", input_dim=x.shape[1], output_dim=training.classes, hidden_dims=hidden,
                        activation="tanh", optimizer="SGD", learning_rate=0.1, batch_size=len(x), feature_selection=True,
                        sigma=0.5, lam=lam, random_state=SEED, device="cpu")
            model.fit(x, training.y, nr_epochs=epochs, verbose=False)
            return descending(model.get_gates(mode="raw"))

        return select

    return stg


def boruta(training):
    """As in its README: shallow balanced trees, as many as it finds right.

    It does not order the features that it confirms: they come by their mean importance over its rounds.
    """
    from boruta import BorutaPy

    def select(k):
        forest = RandomForestClassifier(n_jobs=1, class_weight="balanced", max_depth=5)
        selector = BorutaPy(forest, n_estimators="auto", random_state=SEED).fit(training.x, training.y)
        importance = np.nan_to_num(np.nanmean(selector.importance_history_[1:], axis=0))
        return np.lexsort((-importance, selector.ranking_))

    return select


def forest(training):
    def select(k):
        selector = SelectFromModel(RandomForestClassifier(random_state=SEED, n_jobs=1), threshold=-np.inf, max_features=k)
        return descending(selector.fit(training.x, training.y).estimator_.feature_importances_)

    return select


def elimination(training):
    """Leaves a tenth of all features out at a time: one at a time would take ten minutes to more than an hour."""
    def select(k):
        selector = RFE(RandomForestClassifier(random_state=SEED, n_jobs=1), n_features_to_select=k, step=0.1)
        return np.flatnonzero(selector.fit(training.x, training.y).support_)

    return select


def information(training):
    """Pixels count as discrete, as the documentation of scikit-learn asks for."""
    def select(k):
        return descending(mutual_info_classif(training.x, training.y, discrete_features=training.pixels, random_state=SEED,
                                              n_jobs=1))

    return select


@dataclass(frozen=True)
class Selector:
    label: str
    prepare: object
    deep: bool = False
    each_k: bool = False  # trained for a certain k


OURS = ("obverse", "obverse-quick")
SELECTORS = {
    "obverse": Selector("Obverse", obverse_with(), each_k=True),
    "obverse-quick": Selector("Obverse, quick, bf16", obverse_with(effort="quick", precision="bf16"), each_k=True),
    "lassonet": Selector("LassoNet", lassonet, deep=True),
    "stg": Selector("STG, its README", stg_with([500, 50, 10], 0.1, 3000), deep=True),
    "stg-example": Selector("STG, its example", stg_with([60, 20], 0.5, 5000), deep=True),
    "boruta": Selector("Boruta", boruta),
    "rfe": Selector("RFE, random forest", elimination, each_k=True),
    "rf": Selector("random forest", forest),
    "mutual-info": Selector("mutual information", information),
}


# ------------------------------------------------------------------------------------------------ one measurement

def cpu_seconds():
    """User and system, of this process and of those that it started and that have ended."""
    return sum(os.times()[:4])


def select_in_child(arguments):
    """Prints one line of JSON: for each fit its k (none if it is for all), CPU and clock seconds, and columns in order."""
    name, selector = arguments.child[0], SELECTORS[arguments.child[1]]
    os.sched_setaffinity(0, {arguments.core})
    with np.load(name) as file:
        training = Training(name, file["X"], file["y"])
    ks = shares(training.x.shape[1])
    select = selector.prepare(training)
    fits = []
    for k in ks if selector.each_k else ks[-1:]:
        signal.setitimer(signal.ITIMER_PROF, arguments.limit)  # counts CPU time; its signal ends the process
        cpu, clock = cpu_seconds(), time.perf_counter()
        columns = select(k)
        cpu, clock = cpu_seconds() - cpu, time.perf_counter() - clock
        fits.append({"k": k if selector.each_k else None, "cpu_seconds": round(cpu, 3), "seconds": round(clock, 3),
                     "columns": [int(c) for c in columns[:k]]})
    signal.setitimer(signal.ITIMER_PROF, 0)
    print(json.dumps(fits))


def fit(arguments, split, name):
    """The fits of a selector on a set; none if the time was not enough."""
    command = [sys.executable, "-W", "ignore", __file__, "--child", split.source[0], name, "--core", str(arguments.core),
               "--limit", str(arguments.limit)]
    patience = 60 + 4 * arguments.limit * (len(RHOS) if SELECTORS[name].each_k else 1)
    child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)
    try:
        out, problem = child.communicate(timeout=patience)
    except subprocess.TimeoutExpired:  # the machine gave it next to no CPU time, or it waits for something
        os.killpg(child.pid, signal.SIGKILL)
        child.wait()
        sys.exit(f"{name} on {split.source[0]}: no end after {patience:.0f} s on the clock")
    if child.returncode == -signal.SIGPROF:
        return None
    if child.returncode != 0:
        sys.exit(f"{' '.join(command)}\nexit code {child.returncode}: {problem.strip()[-2000:]}")
    return json.loads(out.splitlines()[-1])


def accuracy(split, columns):
    """In percent, of trees that see these columns only; mean over the seeds."""
    scores = []
    for seed in FOREST_SEEDS:
        trees = ExtraTreesClassifier(100, random_state=seed, n_jobs=1).fit(split.train_x[:, columns], split.train_y)
        scores.append(100 * trees.score(split.test_x[:, columns], split.test_y))
    return statistics.mean(scores)


def versions():
    def version(package):
        try:
            return metadata.version(package)
        except metadata.PackageNotFoundError:
            return None

    return {package: version(package) for package in PACKAGES}


def measure(arguments, split, name):
    result = {"limit": arguments.limit, "versions": versions()}
    fits = fit(arguments, split, name)
    if fits is None:
        return result | {"stopped": True}
    ks = shares(split.train_x.shape[1])
    columns = {k: fits[i if SELECTORS[name].each_k else 0]["columns"][:k] for i, k in enumerate(ks)}
    return result | {
        "stopped": False,
        "cpu_seconds": statistics.median(f["cpu_seconds"] for f in fits),
        "seconds": statistics.median(f["seconds"] for f in fits),
        "cpu_seconds_all": sum(f["cpu_seconds"] for f in fits),
        "accuracy": {str(rho): round(accuracy(split, columns[k]), 3) for rho, k in zip(RHOS, ks)},
        "fits": fits,
    }


# -------------------------------------------------------------------------------------------------- store and tables

def read_store(path):
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def write_store(path, store):
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_suffix(".new")
    fresh.write_text(json.dumps(store, indent=1), encoding="utf-8")
    fresh.replace(path)


def is_done(arguments, result):
    return result is not None and not arguments.again and (not result["stopped"] or result["limit"] >= arguments.limit)


def run_all(arguments):
    with tempfile.TemporaryDirectory() as scratch:
        splits = {}
        for name in arguments.selectors:
            for set_name in arguments.sets:
                if arguments.only and f"{set_name}/{name}" not in arguments.only:
                    continue
                if is_done(arguments, read_store(arguments.store).get(set_name, {}).get(name)):
                    continue
                if set_name not in splits:
                    splits[set_name] = make_split(set_name, arguments.data, scratch)
                result = measure(arguments, splits[set_name], name)
                store = read_store(arguments.store)
                store.setdefault(set_name, {})[name] = result
                write_store(arguments.store, store)
                shown = "stopped" if result["stopped"] else f"{result['cpu_seconds']:.1f} s, {mean_accuracy(result):.2f} %"
                print(f"{set_name:8} {name:12} {shown}", file=sys.stderr, flush=True)


def mean_accuracy(result):
    return statistics.mean(result["accuracy"].values())


def best_by_rho(results, without=()):
    """The highest accuracy for each rho among those that have one."""
    there = [result["accuracy"] for name, result in results.items() if not result["stopped"] and name not in without]
    return {str(rho): max(accuracies[str(rho)] for accuracies in there) for rho in RHOS} if there else {}


def ratio(results, name, seconds="cpu_seconds", to="obverse"):
    """CPU time over that of Obverse, of one fit or (cpu_seconds_all) for all seven k; a lower bound if it was stopped."""
    ours, theirs = results.get(to), results[name]
    if ours is None or ours["stopped"]:
        return None
    return (theirs["limit"] if theirs["stopped"] else theirs[seconds]) / ours[seconds]


def times(result):
    """Three cells: CPU seconds of a fit, of all fits where there are several, and seconds on the clock."""
    if result["stopped"]:
        return [f"> {result['limit']:.0f}", "", ""]
    all_fits = f"{result['cpu_seconds_all']:.1f}" if len(result["fits"]) > 1 else ""
    return [f"{result['cpu_seconds']:.1f}", all_fits, f"{result['seconds']:.1f}"]


def table(results):
    """Of one set, by selector; the best of a column in bold."""
    best = best_by_rho(results)
    best_mean = max((mean_accuracy(result) for result in results.values() if not result["stopped"]), default=None)

    def cell(value, highest):
        return f"**{value:.1f}**" if value == highest else f"{value:.1f}"

    lines = ["| selector | CPU s | all seven k | clock s | times Obverse | "
             + " | ".join(f"{100 * rho:g} %" for rho in RHOS) + " | mean |", "|---|" + "---:|" * (len(RHOS) + 5)]
    for name in (name for name in SELECTORS if name in results):
        result = results[name]
        factor = ratio(results, name)
        times_ours = "" if factor is None else f"{'> ' if result['stopped'] else ''}{factor:.2g}"
        accuracies = [""] * (len(RHOS) + 1) if result["stopped"] else [
            *(cell(result["accuracy"][str(rho)], best[str(rho)]) for rho in RHOS), cell(mean_accuracy(result), best_mean)]
        lines.append("| " + " | ".join([SELECTORS[name].label, *times(result), times_ours, *accuracies]) + " |")
    return lines


def ratios(store):
    """Selector -> set -> CPU time over that of one fit of Obverse, and that for all seven k over that of its seven fits."""
    found = {}
    for set_name, results in store.items():
        for name in (name for name in results if name not in OURS and ratio(results, name) is not None):
            quick = ratio(results, name, to="obverse-quick")
            found.setdefault(name, {})[set_name] = {"one_k": round(ratio(results, name), 3),
                                                    "one_k_quick": None if quick is None else round(quick, 3),
                                                    "all_k": round(ratio(results, name, "cpu_seconds_all"), 3),
                                                    "at_least": results[name]["stopped"]}
    return found


def summary(store):
    """Figures of what was measured: ratios of times, and in how many cells each of ours is not behind any other selector."""
    first, cells = dict.fromkeys(OURS, 0), 0
    for results in store.values():
        best = best_by_rho(results, without=OURS)
        cells += len(best)
        for name in (name for name in OURS if name in results):
            first[name] += sum(results[name]["accuracy"][rho] >= best[rho] for rho in best)
    found = ratios(store)
    return {"deep": {name: by_set for name, by_set in found.items() if SELECTORS[name].deep},
            "others": {name: by_set for name, by_set in found.items() if not SELECTORS[name].deep},
            "first": first, "cells": cells,
            "mean_accuracy": {set_name: {name: round(mean_accuracy(result), 2) for name, result in results.items()
                                         if not result["stopped"]} for set_name, results in store.items()}}


def show(arguments):
    store = {set_name: {name: result for name, result in results.items() if name in arguments.selectors}
             for set_name, results in sorted(read_store(arguments.store).items()) if set_name in arguments.sets}
    for set_name, results in store.items():
        print("\n".join([f"{set_name}:", "", *table(results), ""]), flush=True)
    print(json.dumps(summary(store)))


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path(__file__).resolve().parents[2] / "shared" / "data")
    parser.add_argument("--store", type=Path, default=Path("build/bench/selectors.json"))
    parser.add_argument("--limit", type=float, default=3600, help="CPU seconds of a fit")
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--selectors", default=",".join(SELECTORS))
    parser.add_argument("--only", default="", help="set/selector, several with commas between")
    parser.add_argument("--again", action="store_true", help="measure again what is stored")
    parser.add_argument("--show", action="store_true", help="measure nothing")
    parser.add_argument("--core", type=int, default=max(os.sched_getaffinity(0)), help="the core that everything runs on")
    parser.add_argument("--child", nargs=2, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    for name, known in (("sets", SETS), ("selectors", SELECTORS)):
        given = getattr(arguments, name).split(",")
        unknown = [word for word in given if word not in known]
        if unknown:
            parser.error(f"unknown: {', '.join(unknown)}; --{name} takes some of {', '.join(known)}")
        setattr(arguments, name, given)
    arguments.only = [pair for pair in arguments.only.split(",") if pair]
    known_pairs = [f"{set_name}/{name}" for set_name in SETS for name in SELECTORS]
    if any(pair not in known_pairs for pair in arguments.only):
        parser.error(f"--only takes pairs such as {known_pairs[0]}")
    return arguments


def main():
    arguments = parse()
    if arguments.child:
        select_in_child(arguments)
        return
    if not arguments.show:
        os.sched_setaffinity(0, {arguments.core})
        run_all(arguments)
    show(arguments)


if __name__ == "__main__":
    main()
