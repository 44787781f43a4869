"""How good and how fast the defaults are beside every peer: cells of sets, sizes and classifiers, published protocols, puzzles, extra columns, time.

    python bench/arena.py --obverse build/release/obverse [--parts cells,public,puzzles,extra,time] [--sets sonar,wine] [--runs 5] [--jobs 2]
        [--minutes 60] [--full] [--store FILE] [--again normal,thorough] [--show]

`normal` is the command as it comes, `thorough` the same with --effort thorough; neither is told a method. Peers are the baselines of the command
and FM, each with its defaults: `rf` and `ert` 500 trees, `anova`, `mutual-info`, `mrmr`, `relieff`, `rfe` where the command has it, `fm` the
mask without a complement, with the same sweep and judge as ours.

cells    Each run is a stratified split, 80 % to select from and to train on, the same for all. `obverse evaluate` selects on the training rows and
         refits RF, ERT and kNN, seven shares of 1 to 10 % of the columns (2, 4 and 8 of tables of at most 100). A cell is a set, a size and a
         classifier. Pictures are cut to --image-rows training rows. A cell is tied where ours is behind the best peer of that cell, by the mean, by at
         most one standard error of the differences paired by run, corrected for overlapping splits (Nadeau and Bengio 2003): the root of
         (1/runs + test rows / training rows) times their variance. The best of many peers is chosen by the same runs, which is in its favour.
public   K = 50 on MNIST and Fashion-MNIST, selected on all training rows by the command with --resample off; accuracy on the test rows of
         scikit-learn's SVC (RBF), KNeighborsClassifier(1) and ExtraTreesClassifier(50) on pixels from 0 to 1, beside what NeuroFS (Atashgahi et
         al. 2023) publishes, and of one hidden layer of 67 ReLU units (MLPClassifier, Adam, at most 100 epochs), beside Sequential Attention
         (Yasuda et al. 2023). Their figures are from the papers: other trainings, the same rows.
puzzles  XOR and ring (Passemiers et al. 2024) of `obverse generate`, 3,000 rows, 50 columns of noise beside the two true ones; solved
         where `obverse select -k 2` gives these two.
extra    As many columns again as the set has: `random` standard normal noise, `corrupted` copies of columns with normal noise of their own
         deviation added, `second-order` products of two columns (Cherepanova et al. 2023), in random order. k is a quarter of the original
         columns; how many of the k selected are original, and the accuracy with them of scikit-learn's ERT(100), mean of three seeds. Beside `rf`
         of the command and, with --full, LassoNet (defaults, in the order in which features leave the path), Boruta (the forest of its README) and RFE of
         scikit-learn (random forest, a tenth of the columns at a time), as bench/vs_selectors.py has them. EntryPrune is not run, and no figures of it are used.
time     One core, one thread, CPU seconds: the whole command with --resample off and k of 5 % of the columns, median of three, over the importance of
         scikit-learn's RandomForestClassifier (100 trees, n_jobs 1, the fit alone), and with --full LassoNet and STG (the settings of its
         README and of its example; the faster counts) over ours. Rows as in bench/vs_selectors.py.

Every result is a line of --store as soon as it is there, and is not measured again, whatever build of the command made it; --again names methods
that are, `all` for everything. After --minutes (60; 0, and --full: no limit) nothing is begun that would take longer than what is left: small parts come
first, then normal and the peers run by run, then thorough. `left_out` counts what was not measured; a set counts for `thorough` from two runs on.
No time fails anything. Prints a line for each result, tables, then one line of JSON, accuracies in percent.
"""

import argparse
import hashlib
import json
import math
import multiprocessing
import os
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from pathlib import Path

import vs_selectors
if __name__ == "__main__":
    os.environ.update(vs_selectors.ONE_THREAD)  # for the processes that are started

import numpy as np
import size
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.model_selection import train_test_split
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.svm import SVC
from vs_selectors import RHOS, Split, Training, image_split, shares

OURS = {"normal": [], "thorough": ["--effort", "thorough"]}  # words for the command
PEERS = ("rf", "ert", "anova", "mutual-info", "mrmr", "relieff", "rfe", "fm")
CLASSIFIERS = ("rf", "ert", "knn")
PARTS = ("puzzles", "time", "public", "extra", "cells")  # in the order in which they are run
SETS = size.SETS
SMALL_COLUMNS, SMALL_SIZES = 100, (2, 4, 8)
THOROUGH_OVER_NORMAL = 15  # in time, until one was measured

PUBLIC_SETS, PUBLIC_K = ("mnist", "fashion"), 50
NEUROFS = {"mnist": {"svm": 95.3, "knn": 91.6, "ert": 93.7}, "fashion": {"svm": 83.8, "knn": 80.1, "ert": 84.3}}
SEQUENTIAL_ATTENTION = {"mnist": 95.6, "fashion": 85.4}
PUBLIC_MODELS = {"svm": SVC, "knn": lambda: KNeighborsClassifier(1), "ert": lambda: ExtraTreesClassifier(50, random_state=0),
                 "mlp": lambda: MLPClassifier((67,), max_iter=100, random_state=0)}

PUZZLES, PUZZLE_SEEDS, PUZZLE_ROWS, PUZZLE_NOISE = ("xor", "ring"), 10, 3000, 50

EXTRA_SETS, EXTRA_KINDS, EXTRA_RUNS = ("isolet", "sonar", "breast-cancer", "digits"), ("random", "corrupted", "second-order"), 3
EXTRA_METHODS, EXTRA_FULL = ("normal", "rf"), ("lassonet", "boruta", "rfe")  # the latter of bench/vs_selectors.py

TIME_SETS, TIME_REPEATS, TIME_SHARE = vs_selectors.SETS, 3, 0.05
TIME_FULL = ("lassonet", "stg", "stg-example")


# ---------------------------------------------------------------------------------------------------- rows and files

def cut(X, y, rows):
    """The same stratified sample of `rows` rows each time."""
    if rows >= len(X):
        return X, y
    kept = train_test_split(np.arange(len(X)), train_size=rows, stratify=y, random_state=0)[0]
    return X[kept], y[kept]


def load(data, name, image_rows):
    """Columns and classes, these as numbers from 0."""
    X, y = size.load(data, name)
    if name in size.IMAGES:
        X, y = cut(X[:-10000], y[:-10000], image_rows * 5 // 4)
    X = X if X.dtype == np.uint8 else X.astype(np.float32)
    return X, np.unique(y, return_inverse=True)[1]


def split_of(X, y, run):
    train_x, test_x, train_y, test_y = train_test_split(X, y, test_size=0.2, stratify=y, random_state=run)
    return Split(train_x, train_y, test_x, test_y, [])


def sizes_of(columns):
    return list(SMALL_SIZES) if columns <= SMALL_COLUMNS else sorted(set(shares(columns)))


def write_rows(path, X, y):
    """For several processes at once: the file is there whole, or not at all."""
    if not path.exists():
        fresh = path.with_name(f"{os.getpid()}_{path.name}")
        np.savez(fresh, X=X, y=y)
        fresh.replace(path)
    return path


def words_of(method):
    return OURS[method] if method in OURS else ["--method", method]


def selected(answer):
    """Column numbers from 0, best first."""
    return [one["feature"] - 1 for one in answer["selected"]]


# ------------------------------------------------------------------------------------- one unit of each part, in a process
# A unit is a dictionary of words and numbers, which is its key in the store as well; `how` has what results do not depend on.

def measure_cells(unit, how):
    paths = [how["scratch"] / f"{unit['set']}_{unit['run']}_{unit['image_rows']}_{part}.npz" for part in ("train", "test")]
    if not all(path.exists() for path in paths):
        split = split_of(*load(how["data"], unit["set"], unit["image_rows"] or 0), unit["run"])
        write_rows(paths[0], split.train_x, split.train_y)
        write_rows(paths[1], split.test_x, split.test_y)
    answer, _ = size.asked([how["obverse"], "evaluate", paths[0], "--test", paths[1], "--target", "y", "--task", "classification", "-k",
                            ",".join(map(str, unit["sizes"])), "--classifiers", ",".join(CLASSIFIERS), "--repeats", "1", "--seed",
                            unit["run"], "--threads", "1", "--json", *words_of(unit["method"])])
    rows = [len(np.load(path)["y"]) for path in paths]
    cells = {f"{row['k']}/{row['classifier']}": 100 * row["metrics"]["accuracy"]["mean"]
             for row in answer["rows"] if row["features"] == "selected"}
    return {"train": rows[0], "test": rows[1], "cells": cells}


def public_rows(how, unit):
    split = image_split(how["data"] / size.IMAGES[unit["set"]])
    split.train_x, split.train_y = cut(split.train_x, split.train_y, unit["rows"])
    return split


def measure_public(unit, how):
    split = public_rows(how, unit)
    if unit["method"] in OURS:
        path = write_rows(how["scratch"] / f"{unit['set']}_{unit['rows']}.npz", split.train_x, split.train_y)
        answer, _ = size.asked([how["obverse"], "select", path, "--target", "y", "-k", PUBLIC_K, "--resample", "off", "--threads", "1",
                                "--json", *words_of(unit["method"])])
        return {"columns": selected(answer)}
    columns = unit["columns"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the network may stop before it has converged
        model = PUBLIC_MODELS[unit["method"]]().fit(split.train_x[:, columns] / np.float32(255), split.train_y)
    return {"accuracy": 100 * model.score(split.test_x[:, columns] / np.float32(255), split.test_y)}


def measure_puzzles(unit, how):
    path, truth = (how["scratch"] / f"{unit['set']}_{unit['run']}{ending}" for ending in (".npz", "_truth.csv"))
    subprocess.run([how["obverse"], "generate", unit["set"], "--rows", str(unit["rows"]), "--probes", str(PUZZLE_NOISE), "--seed",
                    str(unit["run"]), "-o", path, "--truth", truth], check=True, capture_output=True)
    true = [number for number, line in enumerate(truth.read_text().splitlines()[1:]) if line.endswith(",true")]
    answer, _ = size.asked([how["obverse"], "select", path, "-k", len(true), "--threads", "1", "--json", *words_of(unit["method"])])
    return {"solved": sorted(selected(answer)) == true}


def with_extra(X, kind, run):
    """The columns of the set and as many others, and where the original ones are."""
    random = np.random.default_rng([run, EXTRA_KINDS.index(kind)])
    X = X.astype(np.float32)
    columns = X.shape[1]
    if kind == "random":
        extra = random.normal(size=X.shape)
    elif kind == "corrupted":
        extra = X + random.normal(size=X.shape) * X.std(axis=0)
    else:
        extra = X[:, random.integers(columns, size=columns)] * X[:, random.integers(columns, size=columns)]
    order = random.permutation(2 * columns)
    return np.hstack([X, extra]).astype(np.float32)[:, order], order < columns


def measure_extra(unit, how):
    X, y = load(how["data"], unit["set"], 0)
    X, original = with_extra(X, unit["kind"], unit["run"])
    split = split_of(X, y, unit["run"])
    path = write_rows(how["scratch"] / f"{unit['set']}_{unit['kind']}_{unit['run']}.npz", split.train_x, split.train_y)
    if unit["other"]:
        select = vs_selectors.SELECTORS[unit["method"]].prepare(Training(str(path), split.train_x, split.train_y))
        columns = [int(column) for column in select(unit["k"])[:unit["k"]]]
    else:
        answer, _ = size.asked([how["obverse"], "select", path, "--target", "y", "--task", "classification", "-k", unit["k"], "--resample",
                                "off", "--threads", "1", "--json", *words_of(unit["method"])])
        columns = selected(answer)
    return {"original": int(original[columns].sum()), "accuracy": vs_selectors.accuracy(split, columns)}


def measure_time(unit, how):
    split = vs_selectors.make_split(unit["set"], how["data"], how["scratch"])
    if unit["method"] in OURS:
        os.sched_setaffinity(0, {how["core"]})
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        answer, _ = size.asked([how["obverse"], "select", split.source[0], "--target", "y", "-k", unit["k"], "--resample", "off", "--threads",
                                "1", "--json", *words_of(unit["method"])])
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        spent, columns = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, selected(answer)
    else:
        fits = vs_selectors.fit(argparse.Namespace(core=how["core"], limit=7200), split, unit["method"])
        if fits is None:
            return {"cpu_seconds": 7200, "stopped": True, "accuracy": None}
        spent, columns = fits[0]["cpu_seconds"], fits[0]["columns"][:unit["k"]]
    return {"cpu_seconds": spent, "accuracy": vs_selectors.accuracy(split, columns) if unit["run"] == 0 else None}


MEASURE = {"cells": measure_cells, "public": measure_public, "puzzles": measure_puzzles, "extra": measure_extra, "time": measure_time}


def measure(unit, how):
    begin = time.perf_counter()
    value = MEASURE[unit["part"]](unit, how)
    return value, time.perf_counter() - begin


# ----------------------------------------------------------------------------------------------------- the store

def key_of(unit):
    return json.dumps(unit, sort_keys=True)


class Store:
    """Results by unit. A file of lines, of which the last one for a unit counts; one that was cut off by a kill is left aside."""

    def __init__(self, path, build):
        self.path, self.build, self.lines = path, build, {}
        path.parent.mkdir(parents=True, exist_ok=True)
        for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else []:
            try:
                one = json.loads(line)
            except json.JSONDecodeError:
                continue
            self.lines[key_of(one["unit"])] = one

    def value(self, unit):
        line = self.lines.get(key_of(unit))
        return None if line is None else line["value"]

    def seconds(self, **wanted):
        """Of the units that are like this."""
        return [line["seconds"] for line in self.lines.values() if wanted.items() <= line["unit"].items()]

    def put(self, unit, value, seconds):
        line = {"unit": unit, "value": value, "seconds": round(seconds, 3), "build": self.build}
        self.lines[key_of(unit)] = line
        with open(self.path, "a", encoding="utf-8") as file:
            file.write(("\n" if file.tell() and not ends_a_line(self.path) else "") + json.dumps(line) + "\n")


def ends_a_line(path):
    with open(path, "rb") as file:
        file.seek(-1, os.SEEK_END)
        return file.read() == b"\n"


class Bench:
    """Units that are wanted, measured some at a time until the time is over."""

    def __init__(self, given, how, store):
        self.given, self.how, self.store, self.begin = given, how, store, time.monotonic()
        self.done, self.left_out, self.builds = set(), {}, set()

    def seconds_left(self):
        return 60 * self.given.minutes - (time.monotonic() - self.begin) if self.given.minutes else math.inf

    def guess(self, unit):
        """Seconds of a unit, by others of its method and set; 0 where nothing is known."""
        known = {name: unit[name] for name in ("part", "set", "method")}
        found = self.store.seconds(**known)
        if found or unit["method"] != "thorough":
            return max(found, default=0)
        normal = self.store.seconds(**known | {"method": "normal"})
        ratios = [statistics.mean(thorough) / statistics.mean(plain) for name in SETS
                  if (thorough := self.store.seconds(**known | {"set": name}))
                  and (plain := self.store.seconds(**known | {"set": name, "method": "normal"}))]
        return max(normal, default=0) * (max(ratios) if ratios else THOROUGH_OVER_NORMAL)

    def is_there(self, unit):
        again = self.given.again and ("all" in self.given.again or unit["method"] in self.given.again)
        return self.store.value(unit) is not None and (self.given.show or not again or key_of(unit) in self.done)

    def run(self, units, jobs):
        """Measures what is not stored, in this order."""
        waiting = [unit for unit in units if not self.is_there(unit)]
        if waiting and not self.given.show:
            with ProcessPoolExecutor(jobs, mp_context=multiprocessing.get_context("spawn")) as pool:
                running = {}
                while waiting or running:
                    while waiting and len(running) < jobs:
                        unit = waiting.pop(0)
                        if self.guess(unit) <= self.seconds_left() and self.seconds_left() > 0:
                            running[pool.submit(measure, unit, self.how)] = unit
                    for future in wait(running, return_when=FIRST_COMPLETED).done if running else ():
                        self.keep(running.pop(future), *future.result())
        missing = [unit for unit in units if self.store.value(unit) is None]
        for unit in missing:
            self.left_out[unit["part"]] = self.left_out.get(unit["part"], 0) + 1
        self.builds |= {self.store.lines[key_of(unit)]["build"] for unit in units if self.store.value(unit) is not None}

    def keep(self, unit, value, seconds):
        self.store.put(unit, value, seconds)
        self.done.add(key_of(unit))
        what = " ".join(str(word) for name, word in unit.items() if name in ("part", "set", "kind", "run", "method"))
        print(f"{what}: {seconds:.1f} s, {told(value)}", flush=True)


def told(value):
    if "cells" in value:
        return f"{statistics.mean(value['cells'].values()):.2f} %"
    return ", ".join(f"{name} {one:.2f}" if isinstance(one, float) else f"{name} {one}" for name, one in value.items() if name != "columns")


# ------------------------------------------------------------------------------------------------------- cells

def corrected_error(differences, train, test):
    """Of the mean of differences between runs whose splits overlap; none for one run."""
    if len(differences) < 2:
        return None
    return math.sqrt((1 / len(differences) + test / train) * statistics.variance(differences))


class SetCells:
    """Accuracies of one set: method -> run -> cell -> percent."""

    def __init__(self, name, values):
        self.name, self.values = name, values
        any_value = next(iter(next(iter(values.values())).values()))
        self.train, self.test, self.cells = any_value["train"], any_value["test"], list(any_value["cells"])

    def runs(self, ours, peers):
        """Those that ours and every peer have."""
        return sorted(set.intersection(*(set(self.values.get(method, {})) for method in (ours, *peers))))

    def mean(self, method, runs, cells=None):
        return statistics.mean(self.values[method][run]["cells"][cell] for run in runs for cell in cells or self.cells)

    def behind(self, ours, peers, runs, cells=None):
        """The peer with the best mean over the cells, its lead over ours in points, and the corrected error of that."""
        peer = max(peers, key=lambda one: self.mean(one, runs, cells))
        leads = [self.mean(peer, [run], cells) - self.mean(ours, [run], cells) for run in runs]
        return peer, statistics.mean(leads), corrected_error(leads, self.train, self.test)

    def is_first_or_tied(self, ours, peers, runs, cell):
        _, lead, error = self.behind(ours, peers, runs, [cell])
        return lead <= (error or 0) + 1e-9


def cell_units(given, methods):
    units = []
    for name in given.sets:
        X, _ = load(given.data, name, given.image_rows)
        units += [{"part": "cells", "set": name, "run": run, "method": method, "sizes": sizes_of(X.shape[1]),
                   "image_rows": given.image_rows if name in size.IMAGES else None}
                  for run in range(given.runs) for method in methods]
    return sorted(units, key=lambda unit: (unit["method"] == "thorough", unit["run"]))


def rounded(value, digits=3):
    if isinstance(value, dict):
        return {name: rounded(one, digits) for name, one in value.items()}
    return round(value, digits) if isinstance(value, float) else value


def set_summary(one, given, peers):
    """Means of everyone over the runs that normal and the peers share, and how far ours is behind the best of them."""
    runs = one.runs("normal", peers)
    means = {method: one.mean(method, runs) for method in ("normal", *peers)}
    peer, lead, error = one.behind("normal", peers, runs)
    out = {"runs": len(runs), **means, "best_peer": peer, "mean_best_peer": means[peer], "shortfall": lead, "se": error}
    found = one.runs("thorough", peers)
    if len(found) >= min(2, given.runs):
        _, lead, error = one.behind("thorough", peers, found)
        out |= {"thorough": one.mean("thorough", found), "runs_thorough": len(found), "shortfall_thorough": lead, "se_thorough": error}
    return out


def cells_part(bench, peers):
    given = bench.given
    bench.run(cell_units(given, [*OURS, *peers]), given.jobs)
    tables = []
    for name in given.sets:
        values = {}
        for unit in cell_units(argparse.Namespace(**vars(given) | {"sets": [name]}), [*OURS, *peers]):
            if (value := bench.store.value(unit)) is not None:
                values.setdefault(unit["method"], {})[unit["run"]] = value
        if values and SetCells(name, values).runs("normal", peers):
            tables.append(SetCells(name, values))
    if not tables:
        return {}
    sets = {one.name: set_summary(one, given, peers) for one in tables}
    out = {"runs": given.runs, "peers": list(peers)}
    for ours, tail in (("thorough", ""), ("normal", "_normal")):
        there = [one for one in tables if ours in sets[one.name]]
        tied = [one.is_first_or_tied(ours, peers, one.runs(ours, peers), cell) for one in there for cell in one.cells]
        weights = [len(one.cells) for one in there]

        def mean_over_cells(method):
            return float(np.average([one.mean(method, one.runs(ours, peers)) for one in there], weights=weights))

        if there:
            best = max(peers, key=mean_over_cells)
            out |= {f"first_or_tied{tail}": statistics.mean(tied), f"cells{tail}": len(tied),
                    "mean_ours_thorough" if ours == "thorough" else "mean_ours": mean_over_cells(ours),
                    "mean_best_peer_thorough" if ours == "thorough" else "mean_best_peer": mean_over_cells(best),
                    "best_peer_thorough" if ours == "thorough" else "best_peer": best}
    out["sets"] = sets
    out["behind"] = [name for name, one in sets.items() if one["shortfall"] > max(1, one["se"] or 0)]
    if "arcene" in sets:
        out["arcene"] = {name: sets["arcene"][name] for name in ("shortfall", "se", "shortfall_thorough", "se_thorough", "best_peer")
                         if name in sets["arcene"]}
    out |= pcmac82(tables, given, peers)
    print("\n" + "\n".join(set_table(sets, peers)) + "\n")
    return out


def pcmac82(tables, given, peers):
    """RF with 82 words: the difference is ours less the best peer."""
    found = {}
    for one in tables:
        for ours in OURS if one.name == "pcmac" else ():
            runs, cells = one.runs(ours, peers), ["82/rf"]
            if len(runs) >= min(2, given.runs):
                peer, lead, error = one.behind(ours, peers, runs, cells)
                found[ours] = {"ours": one.mean(ours, runs, cells), "best_peer": peer, "mean_best_peer": one.mean(peer, runs, cells),
                               "difference": -lead, "se": error, "not_behind": lead <= (error or 0) + 1e-9}
    return {"pcmac82": found} if found else {}


def set_table(sets, peers):
    methods = ["normal", "thorough", *peers]
    yield "| set | " + " | ".join(methods) + " | behind the best peer by |"
    yield "|---|" + "---:|" * (len(methods) + 1)
    for name, one in sets.items():
        error = "" if one["se"] is None else f" +- {one['se']:.1f}"
        yield (f"| {name} | " + " | ".join(f"{one[method]:.1f}" if method in one else "" for method in methods)
               + f" | {one['shortfall']:.1f}{error} ({one['best_peer']}) |")


# ------------------------------------------------------------------------------------------------ the other parts

def chosen(given, names):
    return [name for name in names if name in given.sets]


def public_part(bench, peers):
    given = bench.given
    ours = [{"part": "public", "set": name, "run": 0, "method": "normal", "rows": given.public_rows} for name in chosen(given, PUBLIC_SETS)]
    bench.run(ours, given.jobs)
    models = [{**unit, "method": model, "columns": bench.store.value(unit)["columns"]} for unit in ours if bench.store.value(unit)
              for model in PUBLIC_MODELS]
    bench.run(models, given.jobs)
    found = {}
    for unit in models:
        if (value := bench.store.value(unit)) is not None:
            found.setdefault(unit["set"], {})[unit["method"]] = value["accuracy"]
    if not found:
        return {}
    above = [found[name][model] > goal for name, goals in NEUROFS.items() for model, goal in goals.items() if model in found.get(name, {})]
    return {"neurofs_cells": sum(above), "neurofs_measured": len(above), "public": found, "neurofs": NEUROFS,
            "sequential_attention": SEQUENTIAL_ATTENTION, "public_rows": given.public_rows}


def puzzles_part(bench, peers):
    units = [{"part": "puzzles", "set": name, "run": seed, "method": "normal", "rows": bench.given.puzzle_rows}
             for seed in range(bench.given.puzzle_seeds) for name in PUZZLES]
    bench.run(units, bench.given.jobs)
    out = {}
    for name in PUZZLES:
        values = [value for unit in units if unit["set"] == name and (value := bench.store.value(unit)) is not None]
        if values:
            out |= {f"{name}_solved": sum(value["solved"] for value in values), f"{name}_seeds": len(values)}
    return out


def extra_part(bench, peers):
    given = bench.given
    methods = [(method, False) for method in EXTRA_METHODS] + [(method, True) for method in EXTRA_FULL if given.full]
    units = []
    for name in chosen(given, EXTRA_SETS):
        k = max(1, load(given.data, name, 0)[0].shape[1] // 4)
        units += [{"part": "extra", "set": name, "run": run, "method": method, "kind": kind, "other": other, "k": k}
                  for run in range(min(given.runs, EXTRA_RUNS)) for kind in EXTRA_KINDS for method, other in methods]
    units.sort(key=lambda unit: unit["other"])
    bench.run(units, given.jobs)
    found = {}
    for unit in units:
        if (value := bench.store.value(unit)) is not None:
            title = f"{unit['method']}{' of scikit-learn' if unit['other'] and unit['method'] == 'rfe' else ''}"
            one = found.setdefault(unit["set"], {}).setdefault(unit["kind"], {}).setdefault(title, {"original": [], "accuracy": []})
            one["original"].append(value["original"] / unit["k"])
            one["accuracy"].append(value["accuracy"])
    return {"extra": {name: {kind: {method: {what: statistics.mean(values) for what, values in one.items()} for method, one in methods.items()}
                             for kind, methods in kinds.items()} for name, kinds in found.items()}} if found else {}


def time_part(bench, peers):
    given = bench.given
    units = []
    for name in chosen(given, TIME_SETS):
        columns = vs_selectors.make_split(name, given.data, bench.how["scratch"]).train_x.shape[1]
        units += [{"part": "time", "set": name, "run": run, "method": method, "k": int(TIME_SHARE * columns + 0.5)}
                  for method, repeats in (("rf", TIME_REPEATS), ("normal", TIME_REPEATS), *((one, 1) for one in TIME_FULL if given.full))
                  for run in range(repeats)]
    bench.run(units, 1)
    found = {}
    for unit in units:
        if (value := bench.store.value(unit)) is not None:
            one = found.setdefault(unit["set"], {}).setdefault(unit["method"], {"k": unit["k"], "all": [], "accuracy": None})
            one["all"].append(value["cpu_seconds"])
            one["accuracy"] = one["accuracy"] if value["accuracy"] is None else value["accuracy"]
    if not found:
        return {}
    for one in (one for methods in found.values() for one in methods.values()):
        one["cpu_seconds"] = statistics.median(one.pop("all"))
    out = {"time": found}
    ours = {name: methods["normal"]["cpu_seconds"] for name, methods in found.items() if "normal" in methods}
    out["ratio_to_forest"] = {name: ours[name] / methods["rf"]["cpu_seconds"] for name, methods in found.items() if name in ours and "rf" in methods}
    for key, others in (("ratio_to_lassonet", ("lassonet",)), ("ratio_to_stg", ("stg", "stg-example"))):
        ratios = {name: min(methods[other]["cpu_seconds"] for other in others if other in methods) / ours[name]
                  for name, methods in found.items() if name in ours and any(other in methods for other in others)}
        out |= {key: ratios} if ratios else {}
    return out


RUN = {"cells": cells_part, "public": public_part, "puzzles": puzzles_part, "extra": extra_part, "time": time_part}


# ------------------------------------------------------------------------------------------------------ the command

def known_methods(command):
    """What the help of the command lists behind --method."""
    text = subprocess.run([command, "select", "--help"], capture_output=True, text=True, check=True).stdout
    found = re.search(r"--method ((?:[a-z-]+\|\s*)+[a-z-]+)", text)
    if not found:
        sys.exit(f"{command} select --help: expected a list of methods behind --method, found none")
    return re.sub(r"\s", "", found[1]).split("|")


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--obverse", required=True)
    parser.add_argument("--data", type=Path, default=Path(__file__).resolve().parents[2] / "shared" / "data")
    parser.add_argument("--parts", default=",".join(PARTS))
    parser.add_argument("--sets", default=",".join(SETS), help="of cells, public, extra and time")
    parser.add_argument("--runs", type=int, default=5, help="splits of cells; extra takes at most 3")
    parser.add_argument("--jobs", type=int, default=2, help="units at a time")
    parser.add_argument("--minutes", type=float, help="begin nothing that would end later [60; with --full 0: no limit]")
    parser.add_argument("--full", action="store_true", help="without a limit, and with LassoNet, STG, Boruta and RFE of scikit-learn")
    parser.add_argument("--image-rows", type=int, default=2000, help="training rows of pictures in cells")
    parser.add_argument("--public-rows", type=int, default=60000, help="training rows of pictures in public")
    parser.add_argument("--puzzle-rows", type=int, default=PUZZLE_ROWS)
    parser.add_argument("--puzzle-seeds", type=int, default=PUZZLE_SEEDS)
    parser.add_argument("--store", type=Path, default=Path("build/bench/arena.jsonl"))
    parser.add_argument("--again", default="", help="methods whose stored results are measured again, or all")
    parser.add_argument("--show", action="store_true", help="measure nothing")
    parser.add_argument("--core", type=int, default=max(os.sched_getaffinity(0)), help="of the part time")
    given = parser.parse_args()
    for name, known in (("parts", PARTS), ("sets", SETS), ("again", (*OURS, *PEERS, *PUBLIC_MODELS, *EXTRA_FULL, *TIME_FULL, "all"))):
        words = [word for word in getattr(given, name).split(",") if word]
        unknown = [word for word in words if word not in known]
        if unknown:
            parser.error(f"unknown: {', '.join(unknown)}; --{name} takes some of {', '.join(known)}")
        setattr(given, name, words)
    if given.minutes is None:
        given.minutes = 0 if given.full else 60
    return given


def main():
    given = parse()
    known = known_methods(given.obverse)
    peers = [peer for peer in PEERS if peer in known]
    build = hashlib.sha256(Path(given.obverse).read_bytes()).hexdigest()[:12]
    out = {}
    with tempfile.TemporaryDirectory() as scratch:
        how = {"obverse": given.obverse, "data": given.data, "scratch": Path(scratch), "core": given.core}
        bench = Bench(given, how, Store(given.store, build))
        for part in (part for part in PARTS if part in given.parts):
            out |= RUN[part](bench, peers)
    for part, count in bench.left_out.items():
        print(f"{part}: {count} results are missing; the same command with more --minutes measures them", file=sys.stderr)
    order = ["first_or_tied", "first_or_tied_normal", "mean_ours", "mean_ours_thorough", "mean_best_peer", "best_peer"]
    out = {name: out[name] for name in order if name in out} | out
    print(json.dumps(rounded(out) | {"parts": given.parts, "absent": [peer for peer in PEERS if peer not in known],
                                     "left_out": bench.left_out, "builds": sorted(bench.builds),
                                     "minutes": round((time.monotonic() - bench.begin) / 60, 1)}))


if __name__ == "__main__":
    main()
