#!/usr/bin/env python3
"""What a GPU selects is worth as much as what the processor selects.

    gpu_parity.py --binary build/release/obverse --data ../shared/data [--sets mnist,isolet] [--device cuda]

A study of MNIST (20 seeds) and isolet (100 seeds, each with a split of its own), run on the processor and on a GPU in
bf16 with everything on: what the selected features are worth to extremely randomised trees and neighbours on rows that
were not seen. Then rankings in float32 without dropout, where both devices should order features alike: Spearman's
correlation, after two epochs and after all of them.

Training is chaotic: sums in another order end in other features. How much of a difference is nothing but that is
measured on the processor itself in float32, by forbidding it its newest instructions (`floor`).
Ends with one line of JSON. Needs the command and nothing else.
"""

import argparse
import csv
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

PLAN = """
title = "On two devices"
runs = {runs}
rho = [0.02, 0.05, 0.1]
classifiers = ["ert", "knn"]
precision = "{precision}"

[[method]]
name = "cfm"
method = "cfm"
gamma = 1

[[set]]
name = "{name}"
{keys}
"""
# Of each set: its seeds, what a plan says of it, and the arguments that name its rows.
SETS = {
    "mnist": (20, {
        "data": "mnist/train-images-idx3-ubyte.gz",
        "labels": "mnist/train-labels-idx1-ubyte.gz",
        "test": "mnist/t10k-images-idx3-ubyte.gz",
        "test_labels": "mnist/t10k-labels-idx1-ubyte.gz",
    }),
    "isolet": (100, {"data": "isolet.mat", "target": "Y"}),
}
RANKED = 2  # seeds
FLOOR = {"OBVERSE_CPU": "avx2"}  # older instructions, which add in another order


class Machine:
    """The processor, a GPU, or the processor with its sums in another order."""

    def __init__(self, binary, device, floor=False):
        self.binary, self.device, self.floor = binary, device, floor

    def run(self, *arguments):
        words = [str(self.binary), *map(str, arguments), "--device", self.device]
        environment = {**os.environ, **(FLOOR if self.floor else {})}
        done = subprocess.run(words, capture_output=True, text=True, env=environment)
        if done.returncode != 0:
            sys.exit(f"{' '.join(words)}\n{done.stderr.strip()}")

    def accuracy(self, name, data, runs, precision):
        """Points of accuracy of each run: the mean over sizes and classifiers."""
        keys = "\n".join(f'{key} = "{value}"' for key, value in SETS[name][1].items())
        with tempfile.TemporaryDirectory() as folder:
            plan, store = Path(folder) / "plan.toml", Path(folder) / "results.db"
            plan.write_text(PLAN.format(runs=runs, name=name, keys=keys, precision=precision))
            self.run("study", plan, "--data", data, "--store", store)
            subprocess.run([self.binary, "study", "export", store, "-o", Path(folder) / "out"], check=True,
                           capture_output=True)
            with open(Path(folder) / "out" / "results.csv", newline="") as file:
                rows = [row for row in csv.DictReader(file) if row["metric"] == "accuracy"]
        of_run = [[float(row["value"]) for row in rows if row["run"] == str(run + 1)] for run in range(runs)]
        return [100 * statistics.fmean(values) for values in of_run]

    def ranks(self, name, data, options):
        keys = SETS[name][1]
        rows = [data / keys["data"], *(("--labels", data / keys["labels"]) if "labels" in keys else ())]
        with tempfile.TemporaryDirectory() as folder:
            result = Path(folder) / "result"
            self.run("select", *rows, "-k", 50, "--gamma", 1, "--dropout", 0, "--precision", "f32", *options,
                     "-o", result)
            with open(result / "ranking.csv", newline="") as file:
                return {row["feature"]: place for place, row in enumerate(csv.DictReader(file))}


def spearman(one, other):
    n = len(one)
    return 1 - 6 * sum((one[name] - other[name]) ** 2 for name in one) / (n * (n * n - 1))


def compare(name, data, runs, processor, others):
    """Everything about one set."""
    processors = {precision: processor.accuracy(name, data, runs, precision) for precision in ("bf16", "f32")}
    result = {"runs": runs, "cpu": round(statistics.fmean(processors["bf16"]), 3)}
    print(f"{name:8} cpu    {result['cpu']:.2f} points over {runs} seeds")
    for title, machine in others.items():
        precision = "f32" if machine.floor else "bf16"  # older instructions have no bf16
        found = machine.accuracy(name, data, runs, precision)
        apart = [a - b for a, b in zip(found, processors[precision])]
        result[title] = {
            "points": round(statistics.fmean(found), 3),
            "apart": round(statistics.fmean(apart), 3),
            "error": round(statistics.stdev(apart) / len(apart) ** 0.5, 3),
            "apart_5": round(statistics.fmean(apart[:5]), 3),
        }
        print(f"{name:8} {title:6} {result[title]['points']:.2f} points, apart {result[title]['apart']:+.2f} "
              f"(standard error {result[title]['error']:.2f}); the first 5 seeds {result[title]['apart_5']:+.2f}")
    for epochs in ("2", "auto"):
        alike = {title: [] for title in others}
        for seed in range(RANKED):
            options = ["--epochs", epochs, "--seed", seed]
            ranks = processor.ranks(name, data, options)
            for title, machine in others.items():
                alike[title].append(spearman(machine.ranks(name, data, options), ranks))
        for title, found in alike.items():
            result[title][f"spearman_{epochs}"] = round(min(found), 5)
            print(f"{name:8} {title:6} float32 without dropout, {epochs} epochs: Spearman {min(found):.4f} or more")
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--binary", type=Path, required=True, help="the command obverse")
    parser.add_argument("--data", type=Path, required=True, help="folder with mnist/ and isolet.mat")
    parser.add_argument("--sets", default="mnist,isolet")
    parser.add_argument("--runs", type=int, help="seeds of each set, instead of 20 and 100")
    parser.add_argument("--device", default="cuda")
    arguments = parser.parse_args()
    binary = arguments.binary.resolve()
    processor = Machine(binary, "cpu")
    others = {arguments.device: Machine(binary, arguments.device), "floor": Machine(binary, "cpu", floor=True)}
    result = {}
    for name in arguments.sets.split(","):
        if name not in SETS:
            sys.exit(f"--sets: expected some of {', '.join(SETS)}; found '{name}'")
        runs, keys = SETS[name]
        if not (arguments.data / keys["data"]).exists():
            print(f"{name}: {arguments.data / keys['data']} is not there; left out")
            continue
        result[name] = compare(name, arguments.data, arguments.runs or runs, processor, others)
    print(json.dumps(result))


if __name__ == "__main__":
    main()
