"""Accuracy with the selected features on the benchmark sets: `obverse select`, then a forest of scikit-learn.

    python bench/quality/quality.py --obverse build/release/obverse [--data DIR] [--thorough --sweep build/bench/bench_quality] [--peers]

Run s of a set splits off 20 % test rows, stratified, with random state s (images keep their own split), selects with
`--seed s` on the training rows and scores a forest with random state s on the test rows. --thorough asks for
`--effort thorough` and scores the mean over seven shares rho of the features. --peers adds rankers of scikit-learn.
Prints a table and one line of JSON.
"""

import argparse
import csv
import gzip
import json
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.io import loadmat
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier
from sklearn.feature_selection import f_classif, mutual_info_classif
from sklearn.model_selection import train_test_split

RHOS = (0.01, 0.015, 0.02, 0.025, 0.05, 0.075, 0.1)


@dataclass(frozen=True)
class Benchmark:
    k: int
    forest: type
    trees: int
    goal: float  # accuracy in percent
    thorough_goal: float | None = None
    image: bool = False
    counts: bool = False  # whole numbers with few values: mutual information needs no neighbours


SETS = {
    "mnist": Benchmark(50, ExtraTreesClassifier, 50, 95.0, image=True, counts=True),
    "madelon": Benchmark(10, ExtraTreesClassifier, 100, 88.0, 87.0),
    "isolet": Benchmark(31, ExtraTreesClassifier, 100, 89.0, 81.0),
    "pcmac": Benchmark(82, RandomForestClassifier, 100, 92.0, 93.0, counts=True),
}


@dataclass
class Split:
    """Training and test rows, and the words that name the training rows to the command."""
    train_x: np.ndarray
    train_y: np.ndarray
    test_x: np.ndarray
    test_y: np.ndarray
    source: list[str]


def read_idx(path):
    """IDX, gzip: two zero bytes, type, dimensions, then 32-bit sizes and bytes."""
    with gzip.open(path) as file:
        dimensions = file.read(4)[3]
        shape = np.frombuffer(file.read(4 * dimensions), ">u4")
        return np.frombuffer(file.read(), np.uint8).reshape(shape)


def image_split(folder):
    def part(name):
        images, labels = folder / f"{name}-images-idx3-ubyte.gz", folder / f"{name}-labels-idx1-ubyte.gz"
        return read_idx(images).reshape(-1, 784), read_idx(labels), [str(images), "--labels", str(labels)]

    train_x, train_y, source = part("train")
    test_x, test_y, _ = part("t10k")
    return Split(train_x, train_y, test_x, test_y, source)


def table_split(path, seed, scratch):
    content = loadmat(path)
    x, y = content["X"].astype(np.float32), content["Y"].ravel().astype(np.int32)
    train_x, test_x, train_y, test_y = train_test_split(x, y, test_size=0.2, stratify=y, random_state=seed)
    source = Path(scratch) / f"{path.stem}_{seed}.npz"
    np.savez(source, X=train_x, y=train_y)
    return Split(train_x, train_y, test_x, test_y, [str(source), "--target", "y"])


def make_split(name, data, seed, scratch):
    return image_split(data / name) if SETS[name].image else table_split(data / f"{name}.mat", seed, scratch)


def read_ranking(path, features):
    """Column numbers from 0, best first. The second field of a line is the number of the feature."""
    with open(path, newline="", encoding="utf-8") as file:
        numbers = [int(line[1]) for line in list(csv.reader(file))[1:]]
    order = [number - min(numbers) for number in numbers]
    if sorted(order) != list(range(features)):
        sys.exit(f"{path}: expected each of {features} features once, found {len(set(numbers))} different numbers")
    return order


def run_select(arguments, split, seed, k, folder):
    """Selected column numbers, from 0, and the seconds of the whole command."""
    command = [arguments.obverse, "select", *split.source, "--seeds", "1", "--gamma", "search", "--seed", str(seed),
               "-k", str(k), "--precision", arguments.precision,
               "-o", str(folder), *arguments.select_arguments.split()]
    begin = time.perf_counter()
    done = subprocess.run(command, capture_output=True, text=True)
    seconds = time.perf_counter() - begin
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}\nexit code {done.returncode}: {done.stderr.strip()}")
    return read_ranking(folder / "ranking.csv", split.train_x.shape[1])[:k], seconds


def run_sweep(arguments, split, seed, ks):
    """The answers of one thorough training for all k at once, and its seconds."""
    command = [arguments.sweep, split.source[0], "thorough", str(seed), str(arguments.threads), arguments.precision,
               ",".join(map(str, ks))]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}\nexit code {done.returncode}: {done.stderr.strip()}")
    result = json.loads(done.stdout)
    return {answer["k"]: answer["features"] for answer in result["answers"]}, result["seconds"]


def ours(arguments, split, seed, ks, scratch):
    """k -> column numbers, and the seconds of the selection."""
    if arguments.thorough:
        return run_sweep(arguments, split, seed, ks)
    k = ks[0]
    columns, seconds = run_select(arguments, split, seed, k, Path(scratch) / "select")
    return {k: columns}, seconds


def forest_scores(benchmark, split, seed, jobs):
    forest = RandomForestClassifier(500, random_state=seed, n_jobs=jobs)
    return forest.fit(split.train_x, split.train_y).feature_importances_


def anova_scores(benchmark, split, seed, jobs):
    x = split.train_x.astype(np.float64)
    varied = np.ptp(x, axis=0) > 0
    scores = np.full(x.shape[1], -1.0)  # constant columns come last
    scores[varied] = f_classif(x[:, varied], split.train_y)[0]
    return scores


def information_scores(benchmark, split, seed, jobs):
    return mutual_info_classif(split.train_x, split.train_y, discrete_features=benchmark.counts, random_state=seed,
                               n_jobs=jobs)


PEERS = {"RF importance": forest_scores, "ANOVA F": anova_scores, "mutual information": information_scores}


def peer(scores_of, benchmark, split, seed, ks, jobs):
    begin = time.perf_counter()
    order = np.argsort(-scores_of(benchmark, split, seed, jobs), kind="stable")
    return {k: order[:k].tolist() for k in ks}, time.perf_counter() - begin


def accuracy(benchmark, split, columns, seed, jobs, thorough):
    """In percent, of a forest that sees these columns only."""
    kind, trees = (ExtraTreesClassifier, 100) if thorough else (benchmark.forest, benchmark.trees)
    forest = kind(trees, random_state=seed, n_jobs=jobs).fit(split.train_x[:, columns], split.train_y)
    return 100 * forest.score(split.test_x[:, columns], split.test_y)


def shares(features):
    """k for each rho, halves rounded up."""
    return [max(1, int(rho * features + 0.5)) for rho in RHOS]


def run_once(arguments, name, seed):
    """Method -> (k -> accuracy, seconds of the selection), for one split."""
    benchmark = SETS[name]
    with tempfile.TemporaryDirectory() as scratch:
        split = make_split(name, arguments.data, seed, scratch)
        ks = shares(split.train_x.shape[1]) if arguments.thorough else [benchmark.k]
        selections = {"obverse": ours(arguments, split, seed, ks, scratch)}
    if arguments.peers:
        for method, scores_of in PEERS.items():
            selections[method] = peer(scores_of, benchmark, split, seed, ks, arguments.threads)

    def score(columns):
        return accuracy(benchmark, split, columns, seed, arguments.threads, arguments.thorough)

    return {method: ({k: score(chosen[k]) for k in ks}, seconds) for method, (chosen, seconds) in selections.items()}


def summarise(runs):
    """Of one method: [(k -> accuracy, seconds)] for each run."""
    accuracies = [statistics.mean(by_k.values()) for by_k, _ in runs]
    return {
        "mean": round(statistics.mean(accuracies), 3),
        "deviation": round(statistics.pstdev(accuracies), 3),
        "accuracies": [round(a, 3) for a in accuracies],
        "by_k": {k: round(statistics.mean(by_k[k] for by_k, _ in runs), 3) for k in runs[0][0]},
        "select_seconds": round(statistics.mean(seconds for _, seconds in runs), 3),
    }


def run_set(arguments, name):
    """Method -> its summary over all runs."""
    runs = {}
    for seed in range(arguments.runs):
        for method, result in run_once(arguments, name, seed).items():
            runs.setdefault(method, []).append(result)
            if sys.stderr.isatty():
                percent = statistics.mean(result[0].values())
                print(f"{name} run {seed} {method}: {percent:.2f} % in {result[1]:.1f} s", file=sys.stderr)
    return {method: summarise(results) for method, results in runs.items()}


def what_is_measured(name, thorough):
    benchmark = SETS[name]
    if thorough:
        return "ERT(100), mean over rho"
    kind = "ERT" if benchmark.forest is ExtraTreesClassifier else "RF"
    return f"{kind}({benchmark.trees}), k {benchmark.k}"


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--obverse", required=True, help="the command")
    parser.add_argument("--data", type=Path, default=Path(__file__).resolve().parents[3] / "shared" / "data")
    parser.add_argument("--sets", help="names separated by commas; all that the measure is defined for if left out")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--threads", type=int, default=2, help="of Obverse in --thorough, and of scikit-learn")
    parser.add_argument("--thorough", action="store_true")
    parser.add_argument("--sweep", default="build/bench/bench_quality", help="answers several k from one thorough training")
    parser.add_argument("--precision", default="f32", choices=("f32", "bf16"))
    parser.add_argument("--peers", action="store_true")
    parser.add_argument("--select-arguments", default="", help="further words for `obverse select`")
    arguments = parser.parse_args()
    usual = [name for name, b in SETS.items() if not arguments.thorough or b.thorough_goal is not None]
    arguments.sets = arguments.sets.split(",") if arguments.sets else usual
    unknown = [name for name in arguments.sets if name not in usual]
    if unknown:
        parser.error(f"unknown set {', '.join(unknown)}; known here: {', '.join(usual)}")
    return arguments


def main():
    arguments = parse()
    print(f"{'set':10}{'measure':26}{'method':20}{'accuracy %':>16}{'goal':>7}{'select s':>10}", flush=True)
    summary, reached = {}, True
    for name in arguments.sets:
        goal = SETS[name].thorough_goal if arguments.thorough else SETS[name].goal
        methods = run_set(arguments, name)
        summary[name] = {"goal": goal, "methods": methods}
        reached = reached and methods["obverse"]["mean"] >= goal
        for method, result in methods.items():
            shown_goal = f"{goal:.1f}" if method == "obverse" else ""
            print(f"{name:10}{what_is_measured(name, arguments.thorough):26}{method:20}"
                  f"{result['mean']:8.2f} +- {result['deviation']:4.2f}{shown_goal:>7}{result['select_seconds']:10.2f}",
                  flush=True)
    print(json.dumps({"mode": "thorough" if arguments.thorough else "default", "runs": arguments.runs,
                      "goals_reached": reached, "sets": summary}))


if __name__ == "__main__":
    main()
