#!/usr/bin/env python3
"""What a GPU selects is worth as much as what the processor selects.

    gpu_parity.py --binary build/release/obverse --data ../shared/data [--seeds 5] [--device cuda]

For MNIST and isolet and each seed, the command selects 50 features on both devices, in bf16 with everything on, and
tells what the features are worth to extremely randomised trees and neighbours on rows that it has not seen. Then the
same in float32 without dropout, where both should rank features alike: Spearman's correlation of the two rankings.
Ends with one line of JSON. Needs the command and nothing else; a device `cpu` compares the processor with itself.
"""

import argparse
import csv
import json
import subprocess
import sys
import tempfile
from pathlib import Path

FEATURES = 50


def run(binary, *arguments):
    words = [str(binary), *map(str, arguments)]
    done = subprocess.run(words, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(words)}\n{done.stderr.strip()}")
    return done.stdout


def sets_in(folder):
    """Of each set: the arguments that name its rows, and those that name the rows to test on."""
    mnist = folder / "mnist"
    found = {}
    if (mnist / "train-images-idx3-ubyte.gz").exists():
        found["mnist"] = (
            [mnist / "train-images-idx3-ubyte.gz", "--labels", mnist / "train-labels-idx1-ubyte.gz"],
            ["--test", mnist / "t10k-images-idx3-ubyte.gz", "--test-labels", mnist / "t10k-labels-idx1-ubyte.gz"],
        )
    if (folder / "isolet.mat").exists():
        found["isolet"] = ([folder / "isolet.mat"], [])
    return found


def evaluated(binary, data, test, options):
    """Accuracy in points by classifier, on unseen rows: features are selected from the training rows alone."""
    text = run(binary, "evaluate", *data, *test, "-k", FEATURES, "--classifiers", "ert,knn", "--repeats", 1, *options,
               "--json")
    tree = json.loads(text)
    return {
        row["classifier"]: 100 * row["metrics"]["accuracy"]["mean"]
        for row in tree["rows"]
        if row["features"] == "selected"
    }


def ranks(binary, data, options, folder):
    run(binary, "select", *data, "-k", FEATURES, *options, "-o", folder)
    with open(folder / "ranking.csv", newline="") as file:
        order = [row["feature"] for row in csv.DictReader(file)]
    return {name: place for place, name in enumerate(order)}


def spearman(one, other):
    n = len(one)
    return 1 - 6 * sum((one[name] - other[name]) ** 2 for name in one) / (n * (n * n - 1))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--binary", type=Path, required=True, help="the command obverse")
    parser.add_argument("--data", type=Path, required=True, help="folder with mnist/ and isolet.mat")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--gamma", default="1", help="of the models")
    parser.add_argument("--epochs", default="auto")
    parser.add_argument("--device", default="cuda")
    arguments = parser.parse_args()
    sets = sets_in(arguments.data)
    if not sets:
        sys.exit(f"neither mnist/ nor isolet.mat in {arguments.data}")
    result = {"seeds": arguments.seeds, "features": FEATURES}
    common = ["--gamma", arguments.gamma, "--epochs", arguments.epochs]
    for name, (data, test) in sets.items():
        sums = {}
        for seed in range(arguments.seeds):
            for device in ("cpu", arguments.device):
                options = [*common, "--seed", seed, "--precision", "bf16", "--device", device]
                for classifier, points in evaluated(arguments.binary, data, test, options).items():
                    sums.setdefault(classifier, {}).setdefault(device, []).append(points)
        for classifier, by_device in sums.items():
            means = {device: sum(points) / len(points) for device, points in by_device.items()}
            apart = means[arguments.device] - means["cpu"]
            print(f"{name:8} {classifier:4} cpu {means['cpu']:.2f}  {arguments.device} {means[arguments.device]:.2f}  "
                  f"apart {apart:+.2f} points over {arguments.seeds} seeds")
            result[f"{name}_{classifier}"] = {**{key: round(value, 3) for key, value in means.items()},
                                              "apart": round(apart, 3)}
        alike = []
        for seed in range(min(2, arguments.seeds)):
            places = []
            with tempfile.TemporaryDirectory() as folder:
                for device in ("cpu", arguments.device):
                    options = [*common, "--seed", seed, "--dropout", 0, "--device", device]
                    places.append(ranks(arguments.binary, data, options, Path(folder) / f"{len(places)}"))
            alike.append(spearman(*places))
        print(f"{name:8} float32 without dropout: Spearman {min(alike):.4f} at least")
        result[f"{name}_spearman"] = round(min(alike), 5)
    print(json.dumps(result))


if __name__ == "__main__":
    main()
