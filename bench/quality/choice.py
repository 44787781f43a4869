"""Which judge chooses best between the models of a sweep: the network itself, ERT or kNN refitted on their features.

    python bench/quality/choice.py --program build/bench/bench_choice [--data DIR] [--runs 5] [--threads 2]

Run s of a set splits off 20 % test rows with random state s (images keep their own split, and their first 20,000 training
rows), trains `--effort normal` with seed s and asks every judge for each k. Printed: the test accuracy (--worth: of rf,
ert or knn, or the mean of the three) of the model each judge takes, of the best model there is, and of the mean one; then
one line of JSON.
"""

import argparse
import json
import statistics
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

SETS = ("mnist", "fashion-mnist", "isolet", "madelon", "pcmac")
RHOS = "0.01,0.02,0.05,0.1"
MODELS = ("rf", "ert", "knn")
JUDGES = ("network", "ert", "knn")


def read_set(data, name):
    """Training rows and labels, and test rows and labels or None."""
    packed = data / f"{name}.npz"
    if packed.exists():  # as bench/quality writes them for another machine
        content = np.load(packed)
        test = (content["Xt"], content["yt"]) if "Xt" in content else None
        return content["X"], content["y"], test
    if name in ("mnist", "fashion-mnist"):
        from quality import image_split

        split = image_split(data / name)
        return split.train_x[:20000], split.train_y[:20000], (split.test_x, split.test_y)
    from scipy.io import loadmat

    content = loadmat(data / f"{name}.mat")
    return content["X"].astype(np.float32), content["Y"].ravel().astype(np.int32), None


def measure(arguments, name, seed, scratch):
    from sklearn.model_selection import train_test_split

    x, y, test = read_set(Path(arguments.data), name)
    if test is None:
        x, test_x, y, test_y = train_test_split(x, y, test_size=0.2, stratify=y, random_state=seed)
        test = test_x, test_y
    files = [Path(scratch) / f"{name}_{seed}_{part}.npz" for part in ("train", "test")]
    np.savez(files[0], X=x, y=y)
    np.savez(files[1], X=test[0], y=test[1])
    ks = sorted({max(1, round(float(rho) * x.shape[1])) for rho in arguments.rhos.split(",")})
    command = [arguments.program, *map(str, files), arguments.effort, str(seed), str(arguments.threads), ",".join(map(str, ks))]
    answers = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)["answers"]
    for file in files:
        file.unlink()
    rows = []
    for answer in answers:
        worth = [statistics.mean(model["test"]) if arguments.worth == "mean" else model["test"][MODELS.index(arguments.worth)]
                 for model in answer["models"]]
        row = {"set": name, "seed": seed, "k": answer["k"], "best": max(worth), "mean": statistics.mean(worth)}
        for judge in JUDGES:
            merits = [model[judge] for model in answer["models"]]
            row[judge] = worth[merits.index(max(merits))]
            row[f"{judge}_correlation"] = float(np.corrcoef(merits, worth)[0, 1]) if np.std(merits) > 0 else 0.0
        rows.append(row)
    return rows, {"set": name, "seed": seed, "answers": answers}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True)
    parser.add_argument("--data", default=str(Path(__file__).resolve().parents[3] / "shared" / "data"))
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--effort", default="normal")
    parser.add_argument("--rhos", default=RHOS, help="shares of the features")
    parser.add_argument("--worth", default="mean", choices=("mean", *MODELS))
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--side-by-side", type=int, default=1, help="runs at a time")
    parser.add_argument("--raw", help="file for every model's merits and worth")
    arguments = parser.parse_args()
    jobs = [(name, seed) for name in arguments.sets.split(",") for seed in range(arguments.runs)]
    with tempfile.TemporaryDirectory() as scratch, ThreadPoolExecutor(arguments.side_by_side) as pool:
        done = list(pool.map(lambda job: measure(arguments, *job, scratch), jobs))
    rows = [row for some, _ in done for row in some]
    if arguments.raw:
        Path(arguments.raw).write_text(json.dumps([raw for _, raw in done]))
    columns = ["mean", "best", *JUDGES, *(f"{judge}_correlation" for judge in JUDGES)]
    print(f"{'':15}" + "".join(f"{column:>20}" for column in columns))
    figures = {}
    for name in [*arguments.sets.split(","), "all"]:
        some = [row for row in rows if name in (row["set"], "all")]
        figures[name] = {column: round(statistics.mean(row[column] for row in some), 4) for column in columns}
        print(f"{name:15}" + "".join(f"{figures[name][column]:20.4f}" for column in columns))
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
