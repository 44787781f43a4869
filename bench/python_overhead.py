"""What `FeatureSelector.fit` costs beside the command's own training, in time and in memory; a wide sparse matrix; several k.

    python bench/python_overhead.py --obverse COMMAND --data FOLDER [--rounds 3] [--epochs 10] [--sparse] [--path]

Command and Python by turns, on MNIST as bytes and as float32, each in a process of its own. Time: all of `fit`, against the
training of the command in the same round and against that of the engine inside the fit itself. Memory: the peak of the
process, and the same without what Python held before the data was loaded (interpreter, NumPy, scikit-learn).

--path measures nothing but `fit_path` with seven k, 1 to 10 % of the columns, over `fit` with one, 5 %: CPU seconds of one thread, the
default method with resample="off", the least of --rounds, on isolet, madelon and 10,000 rows of MNIST.

Ends with one line of JSON.
"""

import argparse
import gzip
import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

OPTIONS = {"k": 50, "gamma": 1}

FIT = """
import json, resource, sys, time
import numpy as np
from obverse import FeatureSelector
peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
FeatureSelector(k=1, method="variance").fit(np.eye(4, dtype=np.float32), [0, 0, 1, 1])
before = int(open("/proc/self/statm").read().split()[1]) * resource.getpagesize()
X, y = np.load(sys.argv[1]), np.load(sys.argv[2])
options = json.loads(sys.argv[3])
start = time.perf_counter()
selector = FeatureSelector(**options).fit(X, y)
seconds = time.perf_counter() - start
timings = selector.report_.data()["timings"]
print(json.dumps({"seconds": seconds, "training": timings["training_seconds"], "peak": peak(), "before": before,
                  "ranking": selector.ranking_.tolist()}))
"""

SPARSE = """
import json, resource, time
import numpy as np, scipy.sparse
from obverse import FeatureSelector
rows, columns, each = 100_000, 50_000, 50
rng = np.random.default_rng(0)
places = np.sort(rng.integers(0, columns, size=(rows, each), dtype=np.int32), axis=1)
X = scipy.sparse.csr_matrix((np.ones(rows * each, np.float32), places.ravel(), np.arange(rows + 1) * each), (rows, columns))
X.sum_duplicates()
y = (np.asarray(X[:, :2000].sum(axis=1)).ravel() > 2).astype(int)  # the first 2,000 columns tell it
start = time.perf_counter()
selector = FeatureSelector(k=50, effort="quick", epochs=1).fit(X, y)
print(json.dumps({"seconds": time.perf_counter() - start, "density": X.nnz / rows / columns,
                  "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
                  "right": float((selector.get_support(indices=True) < 2000).mean())}))
"""


PATH = """
import json, sys, time
import numpy as np
from obverse import FeatureSelector
X, y = np.load(sys.argv[1]), np.load(sys.argv[2])
ks = sorted({max(1, round(share * X.shape[1])) for share in (0.01, 0.015, 0.02, 0.025, 0.05, 0.075, 0.1)})
selector = FeatureSelector(resample="off", threads=1)
times = {"one": [], "seven": []}
for _ in range(int(sys.argv[3])):
    start = time.process_time()
    selector.set_params(k=ks[4]).fit(X, y)
    times["one"].append(time.process_time() - start)
    start = time.process_time()
    selector.set_params(k="auto").fit_path(X, y, k=ks)
    times["seven"].append(time.process_time() - start)
one, seven = min(times["one"]), min(times["seven"])
print(json.dumps({"k": ks, "one_seconds": one, "seven_seconds": seven, "seven_over_one": seven / one}))
"""


def python(script, *arguments):
    run = subprocess.run([sys.executable, "-c", script, *arguments], capture_output=True, text=True)
    if run.returncode != 0:
        sys.exit(run.stderr)
    return json.loads(run.stdout)


def command(program, images, labels, options):
    flags = [part for name, value in options.items() for part in (f"-{name}" if len(name) == 1 else f"--{name}", str(value))]
    run = subprocess.run([program, "select", str(images), "--labels", str(labels), "--json", *flags], capture_output=True,
                         text=True, check=True)
    found = json.loads(run.stdout)
    order = np.array(found["ranking"]) - 1
    places = np.empty(len(order), dtype=int)
    places[order] = np.arange(1, len(order) + 1)
    return {"training": found["timings"]["training_seconds"], "peak": found["timings"]["peak_memory_bytes"],
            "ranking": places.tolist()}


def mnist(folder, room):
    """The training rows as .npy, in both types."""
    def values(name, skip):
        return np.frombuffer(gzip.decompress((folder / "mnist" / name).read_bytes()), np.uint8, offset=skip)

    pixels = values("train-images-idx3-ubyte.gz", 16).reshape(-1, 784)
    labels = values("train-labels-idx1-ubyte.gz", 8)
    np.save(room / "uint8.npy", pixels)
    np.save(room / "float32.npy", pixels.astype(np.float32))
    np.save(room / "labels.npy", labels)


def several_k(arguments, room):
    from scipy.io import loadmat
    mnist(arguments.data, room)
    sets = {"mnist": (np.load(room / "uint8.npy")[:10000], np.load(room / "labels.npy")[:10000])}
    for name in ("isolet", "madelon"):
        matrix = loadmat(arguments.data / f"{name}.mat")
        sets[name] = matrix["X"].astype(np.float32), matrix["Y"].ravel()
    figures = {}
    for name, (X, y) in sets.items():
        np.save(room / "x.npy", X)
        np.save(room / "y.npy", y)
        figures[name] = python(PATH, str(room / "x.npy"), str(room / "y.npy"), str(arguments.rounds))
        print(name, figures[name], flush=True)
    return figures


def measured(arguments, room, kind):
    options = OPTIONS | {"epochs": arguments.epochs}
    rounds = []
    for _ in range(arguments.rounds):
        ours = python(FIT, str(room / f"{kind}.npy"), str(room / "labels.npy"), json.dumps(options))
        theirs = command(arguments.obverse, room / f"{kind}.npy", room / "labels.npy", options)
        if ours["ranking"] != theirs["ranking"]:
            sys.exit(f"{kind}: the rankings of Python and of the command differ")
        rounds.append((ours, theirs))
    median = lambda number: statistics.median(number(ours, theirs) for ours, theirs in rounds)  # noqa: E731
    return {
        "fit_seconds": round(median(lambda o, t: o["seconds"]), 3),
        "command_training_seconds": round(median(lambda o, t: t["training"]), 3),
        "fit_over_command": round(median(lambda o, t: o["seconds"] / t["training"]), 4),
        "fit_over_own_training": round(median(lambda o, t: o["seconds"] / o["training"]), 4),
        "command_peak_mb": round(median(lambda o, t: t["peak"]) / 1e6, 1),
        "python_peak_mb": round(median(lambda o, t: o["peak"]) / 1e6, 1),
        "python_before_mb": round(median(lambda o, t: o["before"]) / 1e6, 1),
        "peak_ratio": round(median(lambda o, t: (o["peak"] - o["before"]) / t["peak"]), 3),
        "whole_peak_ratio": round(median(lambda o, t: o["peak"] / t["peak"]), 3),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--obverse", required=True)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--sparse", action="store_true", help="the wide sparse matrix too: some minutes")
    parser.add_argument("--path", action="store_true", help="fit_path with seven k over fit with one, and nothing else")
    arguments = parser.parse_args()
    figures = {}
    with tempfile.TemporaryDirectory() as name:
        room = Path(name)
        if arguments.path:
            print(json.dumps(several_k(arguments, room)))
            return
        mnist(arguments.data, room)
        for kind in ("uint8", "float32"):
            figures[kind] = measured(arguments, room, kind)
            print(kind, figures[kind], flush=True)
    if arguments.sparse:
        figures["sparse"] = python(SPARSE)
        print("sparse", figures["sparse"], flush=True)
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
