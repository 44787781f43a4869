"""`obverse study paper` against the same protocol written with PyTorch and scikit-learn, on as many threads.

    python bench/vs_study.py --obverse build/release/obverse [--store paper.db] [--sets mnist,isolet] [--quick]

Ours: seconds x threads of the units in the store of a study, divided by the threads of this machine. Without a store
one run of the plan is made in a store that goes away again. Runs that are not in the store count as the mean of those
that are.

The peer trains one model after another (the network of torch_model.py, fused Adam, in float32, or where we use bf16
with autocast to it if that is faster), chooses gamma with 5 nearest neighbours of scikit-learn on at most 6,000 training
and 2,000 validation rows, at k and two sizes beside it, and refits random forests, extremely randomised trees and
nearest neighbours for every k. Nobody waits for all of that: units are sampled and multiplied by how often the protocol
needs them.

  training    median step of a full and of the short last batch, for each set and method, x steps x models x runs
  choice      the judge at a small, a middle and a large size, between them a straight line, x models x k x runs
  evaluation  fit and predict of each classifier at the smallest, the middle and the largest k, x methods x runs

Features are those that our first method selects. Left out in the peer's favour: reading files, splits, shuffling, the
last reading of the mask, metrics, and every loop around them.

The choice counts as training on both sides, since our units hold both. `speedup` is over a peer that does one unit
after the other, each part of the protocol with all threads or with one, whichever is faster; `speedup_processes` over
one that runs a process of one thread on every core and loses nothing by it, a bound that it cannot reach. Ask an idle
machine only: units of several threads suffer far more from others than units of one do, and `load` says how many
others there were. Prints tables and one line of JSON; no time makes it fail.
"""

import argparse
import contextlib
import dataclasses
import json
import os
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
import tomllib
from datetime import datetime
from pathlib import Path

import numpy as np
import sklearn
import torch
from scipy.io import loadmat
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier
from sklearn.model_selection import train_test_split
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits
from vs_pytorch import Shape, TorchTrainer

sys.path.insert(0, str(Path(__file__).parent / "quality"))
from quality import image_split  # noqa: E402

PARTS = ("training", "choice", "evaluation")
NEIGHBOURS = 5
# The rows that judge between gammas.
MOST_TRAINING_ROWS, MOST_VALIDATION_ROWS = 6000, 2000
# Up to so many features scikit-learn chooses trees of neighbours by itself, and may be wrong.
MOST_FEATURES_OF_TREES = 15


@dataclasses.dataclass
class Work:
    """What the plan asks of one method on one set, and what it cost us."""
    options: dict           # those of the method, as the keys of its units hold them
    ks: list[int]           # distinct
    runs: int               # of the whole plan
    models: int             # of a run
    epochs: int             # of a run, all models together
    scores: np.ndarray      # (D) of the model that the first run chooses for the middle k
    training_seconds: float = 0  # of one thread, all runs
    evaluation_seconds: float = 0
    units_found: int = 0

    @property
    def recipe(self):
        return self.options["recipes"][0]

    @property
    def units(self):
        return self.runs * (1 + len(self.ks))


def middle(values):
    return values[len(values) // 2]


class Store:
    """Read only: a study may still be at work on it."""

    def __init__(self, path, plan=None):
        if not Path(path).is_file():
            sys.exit(f"{path}: expected the store of a study, found no file; "
                     "`obverse study paper --data DIR --store FILE` makes one")
        self.path = path
        self.connection = sqlite3.connect(f"{Path(path).resolve().as_uri()}?mode=ro", uri=True)
        try:
            name, text, smoke, self.version = self.rows("SELECT name, plan, smoke, version FROM study")[0]
        except (sqlite3.DatabaseError, IndexError) as error:
            sys.exit(f"{path}: expected the store of a study, found something else ({error})")
        if name != "paper":
            sys.exit(f"{path}: expected the store of `obverse study paper`, found that of plan {name}")
        if smoke:
            sys.exit(f"{path}: a smoke test has few rows and epochs, and its times mean nothing; give a whole study")
        self.plan = plan or tomllib.loads(text)
        # Of units done twice, under two versions or plans, the last one.
        self.units = {}
        for unit in self.rows("SELECT data, method, kind, k, run, id, seconds * threads, seconds, finished, key "
                              "FROM units ORDER BY id"):
            self.units[unit[:5]] = unit[5:]

    def rows(self, query, *values):
        return self.connection.execute(query, values).fetchall()

    def found(self, data, method, kind, k=None):
        """Run -> (id, thread seconds, seconds, when it ended, key)."""
        return {place[4]: unit for place, unit in self.units.items() if place[:4] == (data, method, kind, k)}

    def work(self, data, method):
        """None where a part of the method has not been run even once."""
        trainings = self.found(data, method["name"], "training")
        if not trainings:
            return None
        first = trainings[min(trainings)]
        key = json.loads(first[4])
        models, epochs = self.rows("SELECT COUNT(*), SUM(epochs) FROM models WHERE unit = ?", first[0])[0]
        scores = self.rows("SELECT scores FROM models JOIN merits ON merits.unit = models.unit AND model = number "
                           "WHERE models.unit = ? AND k = ? AND chosen", first[0], middle(key["sizes"]))[0][0]
        runs = method.get("runs", self.plan["runs"])
        work = Work(key["options"], key["sizes"], runs, models, epochs, np.frombuffer(scores, np.float32))
        for kind, k in [("training", None), *(("evaluation", k) for k in work.ks)]:
            units = self.found(data, method["name"], kind, k)
            if not units:
                return None
            seconds = runs * statistics.mean(unit[1] for unit in units.values())
            if kind == "training":
                work.training_seconds += seconds
            else:
                work.evaluation_seconds += seconds
            work.units_found += len(units)
        return work

    def works(self, data):
        """Method -> work, or the name of the first method that is not there."""
        works = {}
        for method in self.plan["method"]:
            if data not in method.get("sets", [data]):
                continue
            works[method["name"]] = self.work(data, method)
            if works[method["name"]] is None:
                return method["name"]
        return works

    def wall_seconds(self, data):
        """From the begin of the first unit of a set to the end of its last one, pauses included."""
        ends = [(datetime.fromisoformat(unit[3]).timestamp(), unit[2]) for place, unit in self.units.items()
                if place[0] == data]
        return max(end for end, _ in ends) - min(end - seconds for end, seconds in ends)

    def require_threads(self, data, threads):
        """Seconds x threads say nothing about this machine where more threads than it has were at work."""
        busy = sum(unit[1] for place, unit in self.units.items() if place[0] == data) / (self.wall_seconds(data) + 1)
        if busy > 1.2 * threads:
            sys.exit(f"{self.path}: {busy:.1f} threads were at work on {data}, and {threads} are here; "
                     "give the store of a study on this machine")


def run_once(arguments, scratch):
    """The store of one run of the paper's plan on the sets that are asked for."""
    def call(*words):
        done = subprocess.run([arguments.obverse, "study", *map(str, words)], capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"{arguments.obverse} study: exit code {done.returncode}: {done.stderr.strip()}")
        return done.stdout

    plan = tomllib.loads(call("--show", "paper"))
    # A study leaves out the sets that are not in its folder.
    folder = scratch / "data"
    folder.mkdir()
    for data in plan["set"]:
        top = Path(data["data"]).parts[0]
        if wanted(arguments, data["name"]) and (arguments.data / top).exists() and not (folder / top).exists():
            (folder / top).symlink_to((arguments.data / top).resolve())
    call("paper", "--set", "runs=1", "--set", f"precision={arguments.precision}", "--data", folder, "--store",
         scratch / "paper.db", "--threads", arguments.threads)
    return Store(scratch / "paper.db", plan)


def wanted(arguments, name):
    return not arguments.sets or name in arguments.sets


@dataclasses.dataclass
class Table:
    """Float32, row by row, in the scale that networks and neighbours see."""
    train_x: np.ndarray
    train_y: np.ndarray  # 0 to C-1
    test_x: np.ndarray

    @property
    def classes(self):
        return int(self.train_y.max()) + 1


def read_table(form, folder):
    path = folder / form["data"]
    if form["data"].endswith("-ubyte.gz"):
        split = image_split(path.parent)
        train_x, train_y, test_x = split.train_x / np.float32(255), split.train_y, split.test_x / np.float32(255)
    else:
        content = loadmat(path)
        x, y = content["X"].astype(np.float32), content[form["target"]].ravel()
        train_x, test_x, train_y, _ = train_test_split(x, y, test_size=0.2, stratify=y, random_state=0)
        scaler = StandardScaler().fit(train_x)
        train_x, test_x = scaler.transform(train_x), scaler.transform(test_x)
    return Table(np.ascontiguousarray(train_x), np.unique(train_y, return_inverse=True)[1].astype(np.int64),
                 np.ascontiguousarray(test_x))


def seconds_of(work):
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


class Peer:
    """The units of one set, every one of them with `jobs` threads."""

    def __init__(self, table, order, ks, arguments, jobs):
        self.table, self.order, self.arguments, self.jobs = table, order, arguments, jobs
        self.ks = sorted({ks[0], ks[-1]} if arguments.quick else {ks[0], middle(ks), ks[-1]})
        held = round(0.1 * len(table.train_y))
        self.rows = len(table.train_y) - held
        shuffled = np.random.default_rng(0).permutation(len(table.train_y))
        self.fit_rows = np.sort(shuffled[held:][:MOST_TRAINING_ROWS])
        self.held_rows = np.sort(shuffled[:held][:MOST_VALIDATION_ROWS])

    def columns(self, x, k):
        return np.ascontiguousarray(x[:, self.order[:k]])

    def epoch(self, work):
        """Seconds of an epoch of one model."""
        recipe = work.recipe
        batch = recipe["batch_size"]
        if batch == "auto":
            batch = 64 if self.rows < 10_000 else 256
        shape = Shape(features=self.table.train_x.shape[1], batch=min(batch, self.rows), classes=self.table.classes,
                      rows=self.rows, mask_hidden=recipe["mask_hidden"], width1=recipe["width1"],
                      width2=recipe["width2"])
        full, rest = divmod(self.rows, shape.batch)
        seconds = full * self.step(shape, work)
        if rest:
            seconds += self.step(dataclasses.replace(shape, batch=rest), work)
        return seconds

    def step(self, shape, work):
        """Median seconds; the values of parameters do not change it."""
        precisions = (False, True) if work.recipe["precision"] == "bf16" else (False,)
        return min(self.step_with(shape, work, autocast) for autocast in precisions)

    def step_with(self, shape, work, autocast):
        data = torch.from_numpy(self.table.train_x[:self.rows]), torch.from_numpy(self.table.train_y[:self.rows])
        trainer = TorchTrainer(shape, data, autocast=autocast, fused_adam=True,
                               mask_scale_power=work.recipe["mask_scale_power"], dropout=work.recipe["dropout"],
                               leak=work.recipe["leak"],
                               complement=work.options["method"] == "cfm",
                               remainder=work.options["complement"] == "remainder")
        trainer.seconds(5)
        steps = int(self.arguments.seconds_per_unit / trainer.seconds(5))
        return trainer.seconds(min(max(steps, 20), 500))

    def neighbours(self, x, y, asked):
        """Seconds to fit and predict, the better of both algorithms."""
        algorithms = ("auto", "brute") if x.shape[1] <= MOST_FEATURES_OF_TREES else ("auto",)
        return min(seconds_of(lambda: KNeighborsClassifier(NEIGHBOURS, algorithm=algorithm, n_jobs=self.jobs)
                              .fit(x, y).predict(asked)) for algorithm in algorithms)

    def judge(self):
        """k -> seconds to judge one model."""
        x, y = self.table.train_x, self.table.train_y
        ends = self.sizes(self.ks[0])[0], self.sizes(self.ks[-1])[-1]
        sizes = sorted({ends[0], *self.ks[1:-1], ends[1]})
        seconds = [self.neighbours(self.columns(x[self.fit_rows], size), y[self.fit_rows],
                                   self.columns(x[self.held_rows], size)) for size in sizes]
        return lambda k: float(sum(np.interp(self.sizes(k), sizes, seconds)))

    def sizes(self, k):
        """k and its neighbours, as the choice looks at them; rising."""
        return sorted({max(1, int(k / 1.5 + 0.5)), k, min(len(self.order), int(k * 1.5 + 0.5))})

    def classifiers(self):
        """k -> seconds to fit and ask the three of them."""
        def three(k):
            x, y, asked = self.columns(self.table.train_x, k), self.table.train_y, self.columns(self.table.test_x, k)
            forests = sum(seconds_of(lambda: forest(100, n_jobs=self.jobs, random_state=0).fit(x, y).predict(asked))
                          for forest in (RandomForestClassifier, ExtraTreesClassifier))
            return forests + self.neighbours(x, y, asked)

        seconds = [three(k) for k in self.ks]
        return lambda k: float(np.interp(k, self.ks, seconds))

    def protocol(self, works):
        """Part -> seconds of all methods and runs, estimated."""
        judge, classifiers = self.judge(), self.classifiers()
        seconds = dict.fromkeys(PARTS, 0.0)
        for work in works.values():
            seconds["training"] += work.runs * work.epochs * self.epoch(work)
            if work.models > 1:
                seconds["choice"] += work.runs * work.models * sum(map(judge, work.ks))
            seconds["evaluation"] += work.runs * sum(map(classifiers, work.ks))
        return seconds


@contextlib.contextmanager
def threads_of_peer(jobs):
    before = torch.get_num_threads()
    torch.set_num_threads(jobs)
    with threadpool_limits(jobs):
        yield
    torch.set_num_threads(before)


def order_of(scores, x):
    """Columns, best first; those that hold one value last."""
    return np.lexsort((-scores, np.ptp(x, axis=0) == 0))


def compare(name, works, table, arguments):
    """Seconds of both sides for one set, all runs, and what was sampled."""
    first = next(iter(works.values()))
    order = order_of(first.scores, table.train_x)
    seconds = {}  # threads of a unit -> part -> seconds of one unit after the other
    begin = time.perf_counter()
    for jobs in sorted({1, arguments.threads}):
        with threads_of_peer(jobs):
            seconds[jobs] = Peer(table, order, first.ks, arguments, jobs).protocol(works)
    sampling = time.perf_counter() - begin
    peers = {"turns": {part: min(one[part] for one in seconds.values()) for part in PARTS},
             "processes": {part: seconds[1][part] / arguments.threads for part in PARTS}}
    ours = {"training": sum(work.training_seconds for work in works.values()) / arguments.threads,
            "evaluation": sum(work.evaluation_seconds for work in works.values()) / arguments.threads}
    print(f"{name}: sampled in {sampling:.0f} s", file=sys.stderr, flush=True)
    return {"peers": peers, "ours": ours, "sampling": sampling,
            "threads": {part: min(seconds, key=lambda jobs: seconds[jobs][part]) for part in PARTS},
            "models": sum(work.runs * work.models for work in works.values()),
            "fits": sum(3 * work.runs * len(work.ks) for work in works.values()),
            "units": sum(work.units for work in works.values()),
            "units_found": sum(work.units_found for work in works.values())}


def ratios(peers, ours):
    """Peer over ours; the choice counts as training, as it does in our units."""
    turns, processes = peers["turns"], peers["processes"]
    total = sum(ours.values())
    return {"speedup": round(sum(turns.values()) / total, 2),
            "training": round((turns["training"] + turns["choice"]) / ours["training"], 2),
            "evaluation": round(turns["evaluation"] / ours["evaluation"], 2),
            "speedup_processes": round(sum(processes.values()) / total, 2),
            "peer_hours": round(sum(turns.values()) / 3600, 3), "our_minutes": round(total / 60, 3)}


def added(sets, side):
    """Sums over the sets of nested numbers."""
    values = [one[side] for one in sets.values()]
    if side == "ours":
        return {part: sum(value[part] for value in values) for part in values[0]}
    return {layout: {part: sum(value[layout][part] for value in values) for part in PARTS} for layout in values[0]}


def print_table(sets, figures):
    print(f"\n{'minutes':16}{'peer:':>8}{'':22}{'ours:':>8}{'':12}{'peer over ours:':>18}")
    print(f"{'set':16}{'train':>10}{'choose':>10}{'evaluate':>10}{'train*':>10}{'evaluate':>10}"
          f"{'train*':>9}{'evaluate':>9}{'all':>9}{'processes':>11}")
    rows = {name: (one["peers"], one["ours"], figures["sets"][name]) for name, one in sets.items()}
    rows["all"] = added(sets, "peers"), added(sets, "ours"), figures
    for name, (peers, ours, ratio) in rows.items():
        minutes = [*(peers["turns"][part] / 60 for part in PARTS), ours["training"] / 60, ours["evaluation"] / 60]
        print(f"{name:16}" + "".join(f"{value:10.2f}" for value in minutes) +
              f"{ratio['training']:9.2f}{ratio['evaluation']:9.2f}{ratio['speedup']:9.2f}"
              f"{ratio['speedup_processes']:11.2f}")
    print("* with the choice of gamma")


def main():
    cores = len(os.sched_getaffinity(0))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--obverse", required=True, help="the command")
    parser.add_argument("--store", help="of a study that has been run on this machine with as many threads")
    parser.add_argument("--data", type=Path, default=Path(__file__).resolve().parents[2] / "shared" / "data")
    parser.add_argument("--sets", type=lambda text: text.split(","), help="names of the plan, with commas; else all")
    parser.add_argument("--threads", type=int, default=cores, help="of both sides; else every core")
    parser.add_argument("--precision", default="f32", choices=("f32", "bf16"), help="of ours, without a store")
    parser.add_argument("--seconds-per-unit", type=float, default=1.0, help="of training steps, for each batch size")
    parser.add_argument("--quick", action="store_true", help="isolet, fewer steps and sizes: does it all work?")
    arguments = parser.parse_args()
    if not 1 <= arguments.threads <= cores:
        parser.error(f"--threads: expected 1 to {cores}, the cores of this machine, found {arguments.threads}")
    if arguments.quick:
        arguments.sets = arguments.sets or ["isolet"]
        arguments.seconds_per_unit = min(arguments.seconds_per_unit, 0.1)

    load = os.getloadavg()[0]
    if load > 0.5:
        print(f"others keep {load:.1f} threads of this machine busy: the ratios will mean little", file=sys.stderr)
    sets, left_out, wall = {}, {}, {}
    with tempfile.TemporaryDirectory() as scratch:
        store = Store(arguments.store) if arguments.store else run_once(arguments, Path(scratch))
        forms = {}
        for form in store.plan["set"]:
            if wanted(arguments, form["name"]) and forms.get(form["name"]) is None:
                at_hand = (arguments.data / form["data"]).exists() and form["data"].endswith((".mat", "-ubyte.gz"))
                forms[form["name"]] = form if at_hand else None
        if unknown := [name for name in arguments.sets or [] if name not in forms]:
            parser.error(f"--sets: the plan has no {', '.join(unknown)}")
        for name, form in forms.items():
            if form is None:
                left_out[name] = "no file of it that this benchmark reads"
                continue
            works = store.works(name)
            if isinstance(works, str):
                left_out[name] = f"the store holds no whole run of {works}"
                continue
            store.require_threads(name, arguments.threads)
            sets[name] = compare(name, works, read_table(form, arguments.data), arguments)
            wall[name] = store.wall_seconds(name)
    for name, reason in left_out.items():
        print(f"{name} is left out: {reason}")
    if not sets:
        sys.exit("nothing to compare; is --data the folder of the sets, and has the study got so far?")

    figures = ratios(added(sets, "peers"), added(sets, "ours"))
    figures["sets"] = {name: ratios(one["peers"], one["ours"]) | {"peer_threads": one["threads"]}
                       for name, one in sets.items()}
    count = {key: sum(one[key] for one in sets.values())
             for key in ("models", "fits", "units", "units_found", "sampling")}
    whole = count["units_found"] == count["units"]
    figures["our_wall_minutes"] = round(sum(wall.values()) / 60, 3) if whole else None
    how = "all measured" if whole else "the others estimated as the mean of those"
    figures["ours"] = (f"{'store' if arguments.store else 'made here'}: {count['units_found']} of {count['units']} "
                       f"units, {how}")
    figures["sample"] = {"seconds": round(count["sampling"]), "of_models": count["models"],
                         "of_classifier_fits": count["fits"], "seconds_per_unit": arguments.seconds_per_unit,
                         "sizes": 2 if arguments.quick else 3, "threads": arguments.threads, "load": round(load, 1)}
    figures["left_out"] = left_out
    figures["versions"] = {"obverse": store.version, "pytorch": torch.__version__, "scikit_learn": sklearn.__version__}
    print(f"ours: {figures['ours']}; {arguments.threads} threads; the peer: PyTorch {torch.__version__}, scikit-learn "
          f"{sklearn.__version__}, {count['models']} models and {count['fits']} fits estimated from "
          f"{count['sampling']:.0f} s")
    print_table(sets, figures)
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
