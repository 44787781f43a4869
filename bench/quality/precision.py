"""Whether bf16 selects as well as f32, which `--precision auto` rests on: runs precision.toml and compares the two.

    python3 bench/quality/precision.py --obverse build/release/obverse --data DIR --store FILE.db [--runs N]

Resumes where it left off. Prints the study's own tables, then one line of JSON.
"""

import argparse
import csv
import json
import subprocess
import tempfile
from pathlib import Path


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--obverse", required=True)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--store", type=Path, required=True)
    parser.add_argument("--runs", type=int, default=5)
    arguments = parser.parse_args()
    plan = Path(__file__).with_suffix(".toml")
    subprocess.run([arguments.obverse, "study", plan, "--data", arguments.data, "--store", arguments.store,
                    "--set", f"runs={arguments.runs}"], check=True)
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([arguments.obverse, "study", "export", arguments.store, "-o", folder], check=True, stdout=subprocess.DEVNULL)
        with open(Path(folder, "cells.csv"), newline="") as file:
            cells = list(csv.DictReader(file))
    means = {}
    for name in ("bf16", "f32"):
        values = [float(cell["mean"]) for cell in cells if cell["method"] == name]
        means[name] = round(100 * sum(values) / len(values), 2)
    print(json.dumps({"runs": arguments.runs, "cells": len(cells) // 2, **means}))


if __name__ == "__main__":
    main()
