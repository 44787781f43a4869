"""A study of a second or two for the scripts beside this file: its data, its plan, its exports."""

import json
import pathlib
import shutil
import subprocess

PLAN = """
title = "A small study"
runs = {runs}
k = [1, 2]
classifiers = ["ert", "knn"]
trees = 5

[[set]]
name = "first"
data = "first.csv"
target = "class"

[[method]]
name = "cfm"
gamma = [0.1, 1]
epochs = {epochs}

[[method]]
name = "fm"
method = "fm"
epochs = {epochs}

[[method]]
name = "anova"
method = "anova"
pick = "model"

[[comparison]]
first = "cfm"
second = "fm"
"""

# What depends on the clock and the machine, and nothing else.
TIMES = ("thread_seconds", "training_seconds", "evaluation_seconds", "memory_bytes")


def write(folder, runs, epochs):
    """Two classes told apart by the first column."""
    folder = pathlib.Path(folder)
    lines = ["good,fair,noise,other,class"]
    for i in range(80):
        yes = i % 2
        lines.append(f"{10 * yes + i % 7},{3 * yes + i * 5 % 9},{i * 7 % 11},{i * 5 % 13},{'yes' if yes else 'no'}")
    (folder / "first.csv").write_text("\n".join(lines) + "\n")
    (folder / "plan.toml").write_text(PLAN.format(runs=runs, epochs=epochs))


def command(obverse, folder, store, threads):
    return [obverse, "study", str(folder / "plan.toml"), "--data", str(folder), "--store", str(folder / store),
            "--threads", str(threads)]


def without_times(value):
    if isinstance(value, dict):
        return {key: without_times(one) for key, one in value.items() if key not in TIMES}
    return [without_times(one) for one in value] if isinstance(value, list) else value


def exports(obverse, folder, store):
    """The bytes of all that `study export` writes of a store, without times and memory."""
    target = folder / "exported"
    done = subprocess.run([obverse, "study", "export", str(folder / store), "-o", str(target)], capture_output=True,
                          text=True)
    assert done.returncode == 0, done.stderr
    tables = [(target / name).read_bytes() for name in ("cells.csv", "comparisons.csv")]
    found = json.loads((target / "study.json").read_text())
    shutil.rmtree(target)
    return b"".join([*tables, json.dumps(without_times(found)).encode()])
