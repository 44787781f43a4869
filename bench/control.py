"""Whether `obverse select --control pfer=1` lets as few false features pass as it promises, and how many true ones.

    python bench/control.py --obverse build/release/obverse [--sets 200] [--madelon 20] [--jobs 2]

null     targets that have nothing to do with the columns: 100 to 1,000 rows, 20 to 500 columns; two classes, five, a
         quantity, equal columns. Counts the features that are accepted: all of them are false.
madelon  sets of `obverse generate madelon` with 1,000 rows, 20 true features and 80 probes, every fourth with 2,000 rows and
         280 probes. Counts the true and the false features that are accepted, and those that Boruta (the package, with a
         random forest of 500 trees of depth 5) confirms.

Models of the final sweep have the gammas 0.01 and 10 alone: control does not depend on the others. Prints a line for
each kind, then one line of JSON.
"""

import argparse
import csv
import json
import subprocess
import tempfile
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

import numpy as np
from boruta import BorutaPy
from sklearn.ensemble import RandomForestClassifier

NULLS = ("two", "five", "quantity", "equal")


def select(command, path, target, *options):
    words = [command, "select", path, "--target", target, "--control", "pfer=1", "--gamma", "0.01,10",
             "--threads", "1", "--json", *options]
    return json.loads(subprocess.run(words, capture_output=True, text=True, check=True).stdout)


def null(command, i):
    random = np.random.default_rng(4000 + i)
    rows = int(np.exp(random.uniform(np.log(100), np.log(1000))))
    columns = int(np.exp(random.uniform(np.log(20), np.log(500))))
    X = random.normal(size=(rows, columns))
    kind = NULLS[i % len(NULLS)]
    if kind == "quantity":
        y = random.normal(size=rows)
    else:
        y = random.integers(0, 5 if kind == "five" else 2, rows)
    if kind == "equal":
        X[:, 1] = X[:, 2] = X[:, 0]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "data.npz"
        np.savez(path, X=X.astype(np.float32), y=y)
        return select(command, path, "y", *(["--task", "regression"] if kind == "quantity" else []))


def confirmed(X, y, seed):
    forest = RandomForestClassifier(500, max_depth=5, random_state=seed)
    return set(np.flatnonzero(BorutaPy(forest, n_estimators=500, random_state=seed).fit(X, y).support_))


def madelon(command, i):
    large = i % 4 == 3
    with tempfile.TemporaryDirectory() as folder:
        data, truth = Path(folder) / "data.csv", Path(folder) / "truth.csv"
        subprocess.run([command, "generate", "madelon", "--rows", "2000" if large else "1000", "--probes",
                        "280" if large else "80", "--seed", str(i), "-o", data, "--truth", truth],
                       capture_output=True, check=True)
        with open(truth, newline="") as file:
            names = {row["name"] for row in csv.DictReader(file) if row["truth"] != "noise"}
        with open(data, newline="") as file:
            header, *rows = csv.reader(file)
        found = select(command, data, header[-1])
    values = np.array(rows)
    true = {f for f, name in enumerate(header[:-1]) if name in names}
    # An accepted feature represents those that can take its place, which have the same frequency.
    control = found["control"]
    ours = {f for f, share in enumerate(control["frequency"]) if share >= control["threshold"]}
    theirs = confirmed(values[:, :-1].astype(float), values[:, -1], i)
    return len(ours & true), len(ours - true), len(theirs & true), len(theirs - true)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--obverse", required=True)
    parser.add_argument("--sets", type=int, default=200)
    parser.add_argument("--madelon", type=int, default=20)
    parser.add_argument("--jobs", type=int, default=2)
    given = parser.parse_args()

    def run(kind, sets):
        with ProcessPoolExecutor(given.jobs) as pool:  # processes: Boruta holds the interpreter's lock
            return list(pool.map(partial(kind, given.obverse), range(sets)))

    found = run(null, given.sets)
    out = {"sets": given.sets,
           "pfer_null_mean": float(np.mean([one["k"] for one in found])),
           "pfer_null_most": max(one["k"] for one in found),
           "copies_null_mean": float(np.mean([one["control"]["copies_accepted"] for one in found]))}
    print(f"null     {out['pfer_null_mean']:.3f} features accepted, at most {out['pfer_null_most']}; "
          f"{out['copies_null_mean']:.3f} permuted copies", flush=True)
    counts = np.mean(run(madelon, given.madelon), axis=0)
    out |= dict(zip(("true_accepted", "false_accepted", "boruta_true", "boruta_false"), map(float, counts)))
    print(f"madelon  {counts[0]:.2f} true and {counts[1]:.2f} false accepted; Boruta confirms {counts[2]:.2f} and {counts[3]:.2f}")
    print(json.dumps(out))


if __name__ == "__main__":
    main()
