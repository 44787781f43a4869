"""How many features `obverse select` takes where it is not told, held to test rows; and what finding out costs.

    python bench/size.py --obverse build/release/obverse [--data DIR] [--runs 3] [--jobs 2] [--sets isolet,wine] [--keep FILE]

Sets: isolet, madelon, pcmac, MNIST and Fashion-MNIST (with the test rows that they have; --image-rows takes fewer to select from), the wide
sets of arena, sonar, and breast cancer, wine and digits of scikit-learn. Of the others 30 % of the rows are set aside in each run. `select` sees the others with every option
at its default. The test curve is the accuracy on the rows set aside of `obverse evaluate` (extra-trees, 100 trees, 5 seeds, one for the images)
for the sizes of the curve, from the same training rows. A run is right where the test accuracy at the selected size is at most two standard errors
below that of the best size; the standard error is that of a proportion, with one right and one wrong row added so that it is not 0 when all rows are right.

`score_bias` is the score that is shown less the test accuracy, `covered` the share of the intervals that hold it: these test rows
are few, so that both are rougher than those of bench/evidence.py.

`best` is the size with the best held-out score, what --k-rule best would take; `k_over_best` is the selected size over it, the mean over the sets.
Sizes end at 233 by default. All features are measured as well: `k_over_best_or_all` counts them as a size too. Times are the command's own with one thread, with -k
auto and -k 20, over --resample off with -k 20. Prints a line for each run, then one line of JSON.
"""

import argparse
import json
import subprocess
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
from scipy.io import loadmat
from sklearn import datasets
from sklearn.model_selection import train_test_split

MATRICES = {"isolet": "isolet.mat", "madelon": "madelon.mat", "pcmac": "pcmac.mat", "arcene": "arena/arcene.mat",
            "colon": "arena/colon.mat", "orl": "arena/orl.mat", "relathe": "arena/relathe.mat",
            "warpar10p": "arena/warpar10p.mat"}
IMAGES = {"mnist": "mnist", "fashion": "fashion-mnist"}
LEARNED = {"breast-cancer": datasets.load_breast_cancer, "wine": datasets.load_wine, "digits": datasets.load_digits}
SETS = [*MATRICES, *IMAGES, "sonar", *LEARNED]
TIMED = ("isolet", "madelon", "pcmac", "mnist", "fashion", "orl", "relathe", "sonar", "breast-cancer", "digits")


def read_idx(path):
    import gzip
    data = gzip.open(path).read()
    return np.frombuffer(data, np.uint8, offset=4 + 4 * data[3])


def load(data, name):
    """Columns and classes; of images the training part, then the test part."""
    if name in MATRICES:
        matrix = loadmat(data / MATRICES[name])
        return matrix["X"].astype(np.float32), matrix["Y"].ravel()
    if name in LEARNED:
        return LEARNED[name](return_X_y=True)
    if name == "sonar":
        table = np.genfromtxt(data / "tables/sonar.csv", delimiter=",", dtype=str)
        return table[:, :-1].astype(np.float32), (table[:, -1] == "M").astype(int)
    folder = data / IMAGES[name]
    X = [read_idx(folder / f"{part}-images-idx3-ubyte.gz").reshape(-1, 784) for part in ("train", "t10k")]
    y = [read_idx(folder / f"{part}-labels-idx1-ubyte.gz") for part in ("train", "t10k")]
    return np.concatenate(X), np.concatenate(y)


def parts(name, X, y, run, image_rows):
    if name in IMAGES:
        rows = np.random.default_rng(run).permutation(len(X) - 10000)[:image_rows]
        return X[rows], X[-10000:], y[rows], y[-10000:]
    return train_test_split(X, y, test_size=0.3, random_state=run, stratify=y)


def asked(words):
    begin = time.perf_counter()
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(map(str, words))}: exit code {done.returncode}: {done.stderr.strip()}")
    return json.loads(done.stdout), time.perf_counter() - begin


def run_one(command, data, name, run, image_rows):
    X, y = load(data, name)
    learned, tested, labels, truth = parts(name, X, y, run, image_rows)
    with tempfile.TemporaryDirectory() as folder:
        train, test = (Path(folder) / part for part in ("train.npz", "test.npz"))
        np.savez(train, X=learned, y=labels)
        np.savez(test, X=tested, y=truth)
        given = [train, "--target", "y", "--threads", "1", "--json"]
        found, seconds = asked([command, "select", *given])
        sizes = [point["k"] for point in found["curve"]["points"]]
        shown, _ = asked([command, "evaluate", *given, "--test", test, "-k", ",".join(map(str, sizes)),
                          "--classifiers", "ert", *(["--repeats", "1"] if name in IMAGES else [])])
        times = {}
        if run == 0 and name in TIMED:
            k = ["-k", str(min(20, X.shape[1]))]
            _, once = asked([command, "select", *given, *k, "--resample", "off"])
            _, twenty = asked([command, "select", *given, *k])
            times = {"auto": seconds / once, "twenty": twenty / once, "seconds": once}
    curve = {row["k"]: row["metrics"]["accuracy"]["mean"] for row in shown["rows"] if row["features"] == "selected"}
    best = max(curve.values())
    share = (best * len(truth) + 1) / (len(truth) + 2)
    error = np.sqrt(share * (1 - share) / len(truth))
    scores = [point["score"] for point in found["curve"]["points"]]
    all_features = found["curve"]["all"]
    best_size = sizes[int(np.argmax(scores))]
    verdict = found["verdict"]
    row = {"set": name, "bias": verdict["score"] - curve[found["k"]],
           "covered": verdict["low"] <= curve[found["k"]] <= verdict["high"], "run": run, "k": found["k"], "best": best_size,
           "best_or_all": all_features["k"] if (all_features["score"] or 0) > max(scores) else best_size, "accuracy": curve[found["k"]],
           "best_accuracy": best, "right": bool(curve[found["k"]] >= best - 2 * error - 1e-12), "error": error, "held_out": found["curve"],
           "test": curve, **times}
    print(f"{name:14} run {run}: k {row['k']:4} ({100 * row['accuracy']:.1f} %), best {row['best']:4}, of the test curve "
          f"{100 * best:.1f} +- {100 * error:.1f} %{'' if row['right'] else '  WRONG'}"
          + (f"; {times['seconds']:.1f} s, with -k auto {times['auto']:.2f}x, -k 20 {times['twenty']:.2f}x" if times else ""),
          flush=True)
    return row


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--obverse", required=True)
    parser.add_argument("--data", type=Path, default=Path(__file__).resolve().parents[2] / "shared" / "data")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--image-rows", type=int, default=60000)
    parser.add_argument("--keep", type=Path, help="a file for the curves of every run, as JSON")
    parser.add_argument("--sets", default=",".join(SETS))
    given = parser.parse_args()
    names = given.sets.split(",")
    with ThreadPoolExecutor(given.jobs) as pool:
        work = [pool.submit(run_one, given.obverse, given.data, name, run, given.image_rows) for run in range(given.runs) for name in names]
        rows = [one.result() for one in work]
    if given.keep:
        given.keep.write_text(json.dumps(rows))
    def mean_of(name, key):
        return np.mean([row[key] for row in rows if row["set"] == name])

    shares = {key: float(np.mean([mean_of(name, "k") / mean_of(name, key) for name in names])) for key in ("best", "best_or_all")}
    timed = [row for row in rows if "auto" in row]
    out = {"runs": len(rows), "right": float(np.mean([row["right"] for row in rows])), "k_over_best": shares["best"],
           "k_over_best_or_all": shares["best_or_all"],
           "score_bias": float(np.mean([row["bias"] for row in rows])),
           "covered": float(np.mean([row["covered"] for row in rows]))}
    if timed:
        out |= {"time_auto": float(np.median([row["auto"] for row in timed])),
                "time_twenty": float(np.median([row["twenty"] for row in timed]))}
    print(json.dumps(out))


if __name__ == "__main__":
    main()
