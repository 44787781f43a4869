"""The downstream models beside scikit-learn's: accuracy, importances, speed, memory and growth, in one run.

    python bench/vs_sklearn.py --ours build/bench/bench_downstream [--data DIR] [--parts parity,importance,speed,memory,growth]

speed:       MNIST, 60,000 x 78 pixels (an evenly spaced choice of those that vary most), fit and predict of 10,000, both with 2
             threads and by turns; scikit-learn is given float32, ours float32 and, for knn_u8, bytes. Median of the rounds.
parity:      mean accuracy of 5 seeds (20 on the small sets) on the same columns (those of scikit-learn's ANOVA F on the
             training rows), k nearest neighbours with the same predictions up to ties.
importance:  Spearman correlation of the importances, with so many trees that scikit-learn would agree with itself.
memory:      peak of our random forest on 60,000 x 784, the data included.
growth:      seconds of our forests against rows (normal values, 10 features, 20 trees) and against trees.
Prints tables and one line of JSON.
"""

import argparse
import json
import math
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from scipy.io import loadmat
from scipy.stats import spearmanr
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier
from sklearn.feature_selection import f_classif
from sklearn.model_selection import train_test_split
from sklearn.neighbors import KNeighborsClassifier

sys.path.insert(0, str(Path(__file__).parent / "quality"))
from quality import image_split  # noqa: E402

FORESTS = {"rf": RandomForestClassifier, "ert": ExtraTreesClassifier}
PARITY = (("mnist", 8), ("mnist", 78), ("fashion-mnist", 8), ("fashion-mnist", 78), ("isolet", 62), ("madelon", 10), ("pcmac", 82))
# Most columns of madelon are noise, whose order settles slowly.
IMPORTANCE_TREES = {("madelon", "rf"): 8000, ("madelon", "ert"): 40000, ("isolet", "rf"): 2000, ("isolet", "ert"): 2000}


class Bench:
    def __init__(self, arguments, scratch):
        self.arguments, self.scratch = arguments, Path(scratch)

    def save(self, name, x, y):
        path = self.scratch / f"{name}.npz"
        np.savez(path, X=x, y=y)
        return str(path)

    def ours(self, model, train, test, **options):
        words = [word for name, value in options.items() for word in (f"--{name}", str(value))]
        done = subprocess.run([self.arguments.ours, model, train, test, "--threads", str(self.arguments.threads), *words],
                              capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"{self.arguments.ours}: {done.stderr.strip()}")
        return json.loads(done.stdout)

    def table(self, name):
        """Training and test part of a set."""
        if "mnist" in name:
            split = image_split(self.arguments.data / name)
            return split.train_x, split.train_y, split.test_x, split.test_y
        content = loadmat(self.arguments.data / f"{name}.mat")
        x, y = content["X"].astype(np.float32), content["Y"].ravel().astype(np.int32)
        train_x, test_x, train_y, test_y = train_test_split(x, y, test_size=0.2, stratify=y, random_state=0)
        return train_x, train_y, test_x, test_y


def best_columns(x, y, k):
    x = x[:10000].astype(np.float64)
    varied = np.ptp(x, axis=0) > 0
    scores = np.full(x.shape[1], -1.0)
    scores[varied] = f_classif(x[:, varied], y[:10000])[0]
    return np.sort(np.argsort(-scores, kind="stable")[:k])


def same_up_to_ties(x, y, test, ours, theirs):
    """Rows where the predictions differ although the neighbours leave no tie, and all rows that differ."""
    different = np.flatnonzero(ours != theirs)
    unexplained = 0
    for row in different:
        distances = ((x.astype(np.float64) - test[row].astype(np.float64)) ** 2).sum(axis=1)
        order = np.argsort(distances, kind="stable")
        fifth = distances[order[4]]
        tied_rank = distances[order[5]] <= fifth * (1 + 1e-6)
        votes = np.bincount(np.unique(y, return_inverse=True)[1][order[:5]])
        tied_vote = np.count_nonzero(votes == votes.max()) > 1
        unexplained += not (tied_rank or tied_vote)
    return int(unexplained), len(different)


def parity(bench):
    rows, worst = [], 0.0
    print(f"{'set':15}{'k':>4}{'model':>7}{'scikit-learn':>20}{'obverse':>20}{'difference':>12}{'allowed':>9}")
    for name, k in PARITY:
        train_x, train_y, test_x, test_y = bench.table(name)
        columns = best_columns(train_x, train_y, k)
        train_x, test_x = np.ascontiguousarray(train_x[:, columns]), np.ascontiguousarray(test_x[:, columns])
        files = bench.save("train", train_x, train_y), bench.save("test", test_x, test_y)
        for model in ("rf", "ert", "knn"):
            if model == "knn":
                classifier = KNeighborsClassifier(5, n_jobs=bench.arguments.threads).fit(train_x.astype(np.float32), train_y)
                predicted = classifier.predict(test_x.astype(np.float32))
                theirs = [100 * np.mean(predicted == test_y)]
                out = bench.scratch / "predicted"
                ours = [100 * a for a in bench.ours("knn", *files, out=out)["accuracy"]]
                mine = np.array([int(float(line)) for line in out.read_text().split()])
                unexplained, different = same_up_to_ties(train_x, train_y, test_x, mine, predicted)
                allowed = 0.0
                note = f"  {different} of {len(test_y)} rows differ, {unexplained} of them without a tie"
            else:
                seeds = 5 if "mnist" in name else 20
                theirs = [100 * FORESTS[model](100, n_jobs=bench.arguments.threads, random_state=seed)
                          .fit(train_x, train_y).score(test_x, test_y) for seed in range(seeds)]
                ours = [100 * a for a in bench.ours(model, *files, seeds=seeds)["accuracy"]]
                error = math.sqrt((statistics.variance(ours) + statistics.variance(theirs)) / seeds)
                allowed = 0.3 if "mnist" in name else 2 * error
                note = ""
            difference = statistics.mean(ours) - statistics.mean(theirs)
            rows.append({"set": name, "k": k, "model": model, "sklearn": round(statistics.mean(theirs), 3),
                         "obverse": round(statistics.mean(ours), 3), "difference": round(difference, 3),
                         "allowed": round(allowed, 3)})
            if model == "knn":
                rows[-1]["without_tie"] = unexplained
            spread = (lambda v: f" +- {statistics.stdev(v):.2f}" if len(v) > 1 else "")
            print(f"{name:15}{k:4}{model:>7}{statistics.mean(theirs):12.2f}{spread(theirs):8}{statistics.mean(ours):12.2f}"
                  f"{spread(ours):8}{difference:12.2f}{allowed:9.2f}{note}", flush=True)
    return rows


def importance(bench):
    result = {}
    for name in ("madelon", "isolet"):
        train_x, train_y, test_x, test_y = bench.table(name)
        files = bench.save("train", train_x, train_y), bench.save("test", test_x, test_y)
        for model, kind in FORESTS.items():
            trees = IMPORTANCE_TREES[name, model]
            theirs = kind(trees, n_jobs=bench.arguments.threads, random_state=0).fit(train_x, train_y).feature_importances_
            ours = bench.ours(model, *files, trees=trees)["importances"]
            result[f"{name}_{model}"] = round(float(spearmanr(ours, theirs)[0]), 4)
            print(f"importance {name:10}{model:>5}: Spearman {result[f'{name}_{model}']:.4f} with {trees} trees", flush=True)
    return result


def speed(bench):
    train_x, train_y, test_x, test_y = bench.table("mnist")
    varied = np.argsort(-train_x.astype(np.float32).var(axis=0), kind="stable")[:312]
    columns = np.sort(varied)[::4]
    train_x, test_x = np.ascontiguousarray(train_x[:, columns]), np.ascontiguousarray(test_x[:, columns])
    narrow = bench.save("train8", train_x, train_y), bench.save("test8", test_x, test_y)
    train_x, test_x = train_x.astype(np.float32), test_x.astype(np.float32)
    wide = bench.save("train", train_x, train_y), bench.save("test", test_x, test_y)
    jobs = bench.arguments.threads
    peers = {"rf": lambda: RandomForestClassifier(100, n_jobs=jobs, random_state=0),
             "ert": lambda: ExtraTreesClassifier(100, n_jobs=jobs, random_state=0),
             "knn": lambda: KNeighborsClassifier(5, n_jobs=jobs)}
    seconds = {}
    for _ in range(bench.arguments.rounds):
        for model, make in peers.items():
            begin = time.perf_counter()
            make().fit(train_x, train_y).predict(test_x)
            seconds.setdefault(f"sklearn {model}", []).append(time.perf_counter() - begin)
            for name, files in ((model, wide), (f"{model}_u8", narrow)):
                run = bench.ours(model, *files)
                seconds.setdefault(f"ours {name}", []).append(run["fit"][0] + run["predict"][0])
    result = {}
    for model in peers:
        theirs = statistics.median(seconds[f"sklearn {model}"])
        for name in (model, f"{model}_u8"):
            ours = statistics.median(seconds[f"ours {name}"])
            result[name] = round(theirs / ours, 2)
            result[f"{name}_seconds"] = round(ours, 3)
            print(f"speed {name:8} scikit-learn {theirs:7.3f} s   ours {ours:7.3f} s   {theirs / ours:6.2f}x", flush=True)
        result[f"{model}_sklearn_seconds"] = round(theirs, 3)
    return result


def memory(bench):
    train_x, train_y, test_x, test_y = bench.table("mnist")
    bench.ours("rf", bench.save("train", train_x, train_y), bench.save("test", test_x, test_y))
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
    print(f"memory: at most {peak / 1e6:.0f} MB in any of our runs, a random forest on 60,000 x 784 among them", flush=True)
    return peak


def growth(bench):
    random, result = np.random.default_rng(0), {}
    for rows in (10_000, 30_000, 100_000, 300_000, 1_000_000):
        x = random.normal(size=(rows, 10)).astype(np.float32)
        y = (x[:, 0] + x[:, 1] * x[:, 2] + random.normal(size=rows) > 0).astype(np.int32)
        files = bench.save("train", x, y), bench.save("test", x[:100], y[:100])
        for model in FORESTS:
            result[f"{model}_{rows}"] = bench.ours(model, *files, trees=20)["fit"][0]
        print(f"growth {rows:8} rows: rf {result[f'rf_{rows}']:8.3f} s, ert {result[f'ert_{rows}']:8.3f} s", flush=True)
        if rows == 30_000:
            for trees in (10, 30, 100, 300):
                seconds = {model: bench.ours(model, *files, trees=trees)["fit"][0] for model in FORESTS}
                result |= {f"{model}_{trees}_trees": value for model, value in seconds.items()}
                print(f"growth {trees:8} trees: rf {seconds['rf']:8.3f} s, ert {seconds['ert']:8.3f} s", flush=True)
    return result


def plot(figures, path):
    """Seconds against rows and against trees, both axes logarithmic, with a line of slope 1."""
    import matplotlib

    matplotlib.use("svg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(1, 2, figsize=(9, 3.6))
    rows, trees = (10_000, 30_000, 100_000, 300_000, 1_000_000), (10, 30, 100, 300)
    for axis, xs, ending, title in ((axes[0], rows, "", "rows, 20 trees"), (axes[1], trees, "_trees", "trees, 30,000 rows")):
        for model in FORESTS:
            axis.plot(xs, [figures[f"{model}_{x}{ending}"] for x in xs], marker="o", label=model)
        first = figures[f"rf_{xs[0]}{ending}"]
        axis.plot(xs, [first * x / xs[0] for x in xs], color="grey", linestyle=":", label="proportional")
        axis.set(xscale="log", yscale="log", xlabel=title, ylabel="seconds")
        axis.legend()
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ours", required=True)
    parser.add_argument("--data", type=Path, default=Path(__file__).resolve().parents[2] / "shared" / "data")
    parser.add_argument("--parts", default="speed,parity,importance,memory,growth")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--plot", help="file for the curves of growth")
    arguments = parser.parse_args()
    known = {"speed": speed, "parity": parity, "importance": importance, "memory": memory, "growth": growth}
    figures = {}
    with tempfile.TemporaryDirectory() as scratch:
        for part in arguments.parts.split(","):
            if part not in known:
                parser.error(f"unknown part {part}; known: {', '.join(known)}")
            found = known[part](Bench(arguments, scratch))
            figures |= found if part == "speed" else {part: found}
    if arguments.plot and "growth" in figures:
        plot(figures["growth"], arguments.plot)
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
