"""Whether `obverse select` tells the truth: about noise, a weak signal, its own score, and columns that repeat each other.

    python bench/evidence.py --obverse build/release/obverse [--sets 100] [--jobs 2] [--kinds noise,weak,honest,clusters]

noise    targets that have nothing to do with the columns: 60 to 2,000 rows, 20 to 2,000 columns; two classes, five, a
         quantity, a rare class, equal columns. Counts the sets that are called a signal.
weak     1,000 rows, 200 columns, 5 of them true, no classifier better than 65 %. Counts those that are found.
honest   three kinds of signal, 150 to 1,500 rows, 15 to 120 columns, every option at its default. Compares the score with
         the accuracy of scikit-learn's extra-trees (50 trees, three seeds) on 10,000 fresh rows.

clusters 100 to 2,000 rows, 50 to 500 columns, 3 of them true, each with two copies that have noise of deviation 0.1 to 0.3
         added. Counts the clusters whose three columns are named as each other's stand-ins, of those of which a column was
         selected, and columns that are named without being a copy.

Noise and weak signals are selected with gammas 0.01 and 10 alone, those of the resamples: the verdict does not depend on the
others. A set takes 5 to 10 s of a core. Prints a line for each kind, then one line of JSON.
"""

import argparse
import json
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
from sklearn.ensemble import ExtraTreesClassifier

FRESH = 10000
NOISE = ("two", "five", "quantity", "rare", "equal")
SIGNALS = ("linear", "corners", "centres")


def select(command, X, y, *options, resample="on"):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "data.npz"
        np.savez(path, X=X.astype(np.float32), y=y)
        words = [command, "select", path, "--target", "y", "--resample", resample, "--threads", "1", "--json", *options]
        return json.loads(subprocess.run(words, capture_output=True, text=True, check=True).stdout)


def noise(command, i):
    random = np.random.default_rng(1000 + i)
    rows = int(np.exp(random.uniform(np.log(60), np.log(2000))))
    columns = int(np.exp(random.uniform(np.log(20), np.log(2000))))
    X = random.normal(size=(rows, columns))
    kind = NOISE[i % len(NOISE)]
    if kind == "five":
        y = random.integers(0, 5, rows)
    elif kind == "quantity":
        y = random.normal(size=rows)
    elif kind == "rare":
        y = np.zeros(rows, int)
        y[random.permutation(rows)[:max(6, rows // 20)]] = 1
    else:
        y = random.integers(0, 2, rows)
    if kind == "equal":
        X[:, 1] = X[:, 2] = X[:, 0]
    task = ["--task", "regression"] if kind == "quantity" else []
    return select(command, X, y, "--gamma", "0.01,10", *task)


def weak(command, i):
    random = np.random.default_rng(2000 + i)
    X = random.normal(size=(1000, 200))
    # y = [a z + e > 0] with z and e standard normal: the best classifier is right in 1/2 + atan(a)/pi of the rows.
    z = X[:, :5].sum(axis=1) / np.sqrt(5)
    y = (np.tan(0.15 * np.pi) * z + random.normal(size=1000) > 0).astype(int)
    return select(command, X, y, "--gamma", "0.01,10")


def signal(random, i, rows, columns):
    """Columns and classes; the true columns are anywhere."""
    classes = (2, 2, 3, 5)[i % 4]
    true = int(random.integers(3, 9))
    X = random.normal(size=(rows, columns))
    kind = SIGNALS[i % len(SIGNALS)]
    if kind == "linear":
        weights = random.normal(size=(true, classes))
        y = (X[:, :true] @ weights * random.uniform(0.5, 2) + random.gumbel(size=(rows, classes))).argmax(axis=1)
    elif kind == "corners":
        y = (random.permutation(8) % classes)[(X[:, :3] > 0) @ np.array([1, 2, 4])]
        wrong = random.random(rows) < 0.1
        y[wrong] = random.integers(0, classes, wrong.sum())
    else:
        y = random.integers(0, classes, rows)
        X[:, :true] += random.normal(size=(classes, true))[y] * random.uniform(0.4, 1.0)
    return X[:, random.permutation(columns)], y


def honest(command, i):
    random = np.random.default_rng(3000 + i)
    rows = int(np.exp(random.uniform(np.log(150), np.log(1500))))
    columns = int(np.exp(random.uniform(np.log(15), np.log(120))))
    X, y = signal(random, i, rows + FRESH, columns)
    found = select(command, X[:rows], y[:rows])
    chosen = [one["feature"] - 1 for one in found["selected"]]
    trees = [ExtraTreesClassifier(50, random_state=seed).fit(X[:rows, chosen], y[:rows]) for seed in range(3)]
    found["truth"] = np.mean([one.score(X[rows:, chosen], y[rows:]) for one in trees])
    return found


def clusters(command, i):
    random = np.random.default_rng(4000 + i)
    rows = int(np.exp(random.uniform(np.log(100), np.log(2000))))
    columns = int(np.exp(random.uniform(np.log(50), np.log(500))))
    X = random.normal(size=(rows, columns))
    for copy in range(3, 9):
        X[:, copy] = X[:, copy % 3] + random.uniform(0.1, 0.3) * random.normal(size=rows)
    y = (X[:, :3].sum(axis=1) + 0.5 * random.normal(size=rows) > 0).astype(int)
    place = random.permutation(columns)  # column j of the data is column place[j] of X
    found = select(command, X[:, place], y, "-k", "9", "--effort", "quick", resample="off")
    source = [place[one] % 3 if place[one] < 9 else -1 for one in range(columns)]
    named = {one["feature"]: {other["feature"] for other in one["columns"]} for one in found["stand_ins"]}
    planted = right = wrong = 0
    for feature in [one["feature"] for one in found["selected"]]:
        group = {j + 1 for j in range(columns) if source[j] == source[feature - 1] and source[j] >= 0} - {feature}
        others = named.get(feature, set())
        planted += bool(group)
        right += bool(group) and group <= others
        wrong += len(others - group)
    return planted, right, wrong


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--obverse", required=True)
    parser.add_argument("--sets", type=int, default=100)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--kinds", default="noise,weak,honest,clusters")
    given = parser.parse_args()

    def run(kind):
        with ThreadPoolExecutor(given.jobs) as pool:
            return list(pool.map(lambda i: kind(given.obverse, i), range(given.sets)))

    def signals(found):
        return sum(one["verdict"]["signal"] for one in found)

    kinds = given.kinds.split(",")
    out = {"sets": given.sets}
    if "noise" in kinds:
        found = run(noise)
        out["noise_signals"] = signals(found)
        out["noise_stability"] = float(np.mean([one["stability"]["value"] for one in found if "stability" in one]))
        each = {kind: signals(found[i::len(NOISE)]) for i, kind in enumerate(NOISE)}
        print(f"noise   {out['noise_signals']} called a signal {each}, stability {out['noise_stability']:.3f}", flush=True)
    if "weak" in kinds:
        out["weak_signals"] = signals(run(weak))
        print(f"weak    {out['weak_signals']} found", flush=True)
    if "honest" in kinds:
        found = run(honest)
        out["score_bias"] = float(np.mean([one["verdict"]["score"] - one["truth"] for one in found]))
        out["covered"] = float(np.mean([one["verdict"]["low"] <= one["truth"] <= one["verdict"]["high"] for one in found]))
        print(f"honest  score less truth {100 * out['score_bias']:.2f} points, {100 * out['covered']:.0f} % of intervals hold it")
    if "clusters" in kinds:
        planted, right, wrong = np.sum(run(clusters), axis=0)
        out["clusters_found"] = float(right / planted)
        out["stand_ins_false"] = int(wrong)
        print(f"clusters {100 * out['clusters_found']:.1f} % of {planted} found, {wrong} columns named that are no copies")
    print(json.dumps(out))


if __name__ == "__main__":
    main()
