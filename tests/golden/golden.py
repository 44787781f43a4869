"""What the command answers to small data, held to files that say what it answered before.

    golden.py OBVERSE            compares, numbers within a tolerance: libraries of mathematics differ in the last bit
    golden.py OBVERSE --exact    to the bit, for two builds on one machine; --expected DIR holds what the other wrote
    golden.py OBVERSE --write    takes today's answers; the diff of the commit then shows what changed

Every case runs on the plain instructions in float32, which all processors have. Times, memory and what follows from
them are left out. A JSON file becomes one line for each value, so that a diff names it.
"""

import argparse
import difflib
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
TOLERANCE = 5e-3
NETWORKS = ["--precision", "f32", "--threads", "2"]
ONCE = ["--resample", "off"]
TRAIN = ["--effort", "quick", "--epochs", "20", *NETWORKS]
FOREST = ["--trees", "10"]
MASKS = ["fm", "afs", "dfs", "cancelout", "cancelout-softmax", "concrete", "stg", "sequential", "bsf", "fae", "aefs"]
RANKERS = ["rf", "ert", "anova", "mutual-info", "mrmr", "relieff", "rfe", "variance", "random"]
GENERATED = {"madelon": "class", "digits": "digit", "fournine": "digit", "xor": "side", "ring": "side", "ring-xor": "side", "ring-xor-sum": "side"}

PLAN = """
title = "A small study"
runs = 3
k = [2, 4]
classifiers = ["rf", "knn"]
trees = 10
epochs = 20
precision = "f32"
[[set]]
name = "xor"
title = "A puzzle"
data = "xor.csv"
target = "side"
[[set]]
name = "digits"
data = "digits.npz"
target = "y"
test_fraction = 0.3
[[set]]
name = "absent"
data = "absent.csv"
target = "class"
[[method]]
name = "cfm"
title = "CFM"
method = "cfm"
gamma = [0.1, 1]
[[method]]
name = "fm"
method = "fm"
pick = "model"
seeds = 2
[[method]]
name = "anova"
method = "anova"
pick = "model"
[[comparison]]
first = "cfm"
second = "fm"
[[comparison]]
first = "cfm"
second = "anova"
"""


def write_tables(folder):
    """Several targets, quantities and weights: what `obverse generate` does not make."""
    draw = random.Random(17)
    lines = ["a,b,c,d,e,f,left,right,amount,price,weight"]
    for _ in range(200):
        row = [draw.gauss(0, 1) for _ in range(6)]
        left = "1" if row[0] + 0.3 * row[1] > 0 else "0"
        right = "1" if row[2] * row[0] > 0 else "0"
        amount = 2 * row[0] - row[3] + 0.1 * draw.gauss(0, 1)
        price = row[4] ** 2 + 0.1 * draw.gauss(0, 1)
        fields = [f"{value:.5f}" for value in row] + [left, right, f"{amount:.5f}", f"{price:.5f}", f"{draw.random():.3f}"]
        lines.append(",".join(fields))
    (folder / "table.csv").write_text("\n".join(lines) + "\n")
    sparse = []
    for r in range(120):
        columns = sorted(draw.sample(range(1, 400), 12))
        if r % 2 == 1:
            columns = sorted({*columns, 7, 11})
        sparse.append(f"{r % 2} " + " ".join(f"{c}:{draw.randint(1, 9)}" for c in columns))
    (folder / "words.svm").write_text("\n".join(sparse) + "\n")
    lines = ["patient,day,a,b,c,d,ill"]
    for r in range(160):
        row = [draw.gauss(0, 1) for _ in range(4)]
        ill = "yes" if row[1] - row[2] + 0.2 * draw.gauss(0, 1) > 0 else "no"
        lines.append(",".join([f"P{r * 7 % 40}", f"2024-{r % 12 + 1:02}-{r % 28 + 1:02}", *(f"{value:.5f}" for value in row), ill]))
    (folder / "visits.csv").write_text("\n".join(lines) + "\n")
    lines = ["ch1,sky,age,ch2,ch3,wind,ch4,class"]
    for _ in range(160):
        row = [draw.gauss(0, 1) for _ in range(5)]
        sky = draw.choice(["blue", "grey", ""])
        label = "yes" if row[0] + row[1] + row[2] + (1 if sky == "blue" else -1) > 0 else "no"
        fields = [f"{row[0]:.4f}", sky, f"{row[4]:.4f}", f"{row[1]:.4f}", f"{row[2]:.4f}", draw.choice("NESW"), f"{row[3]:.4f}", label]
        lines.append(",".join(fields))
    (folder / "channels.csv").write_text("\n".join(lines) + "\n")
    (folder / "groups.txt").write_text("# one feature each\nchannels = ch*\nweather = sky, wind\n")
    (folder / "plan.toml").write_text(PLAN)


def cases():
    """Name, arguments, and the files that the command writes; its screen where there are none. By cfm unless a method is named."""
    for name, arguments, files in all_cases():
        selects = arguments[0] in ("select", "evaluate") and "--method" not in arguments
        yield name, [*arguments, "--method", "cfm"] if selects else arguments, files


def all_cases():
    for name, target in GENERATED.items():
        yield f"generate-{name}", ["generate", name, "--rows", "60", "-o", "out.csv", "--truth", "truth.csv"], ["truth.csv"]
        yield f"info-{name}", ["info", "out.csv", "--target", target], []
    resampled = ["select", "xor.csv", "--target", "side", "--json", *TRAIN]
    puzzle = ["select", "xor.csv", "--target", "side", "-k", "2", "--json", *ONCE]
    xor = [*puzzle, *TRAIN]
    yield "select-cfm", xor, []
    yield "select-auto", [*puzzle, *NETWORKS, "--method", "auto"], []
    yield "select-auto-quantity", ["select", "table.csv", "--target", "amount", "--task", "regression", "--drop", "left,right,price,weight", "-k",
                                   "2", "--json", *ONCE, *NETWORKS, "--method", "auto"], []
    yield "select-auto-resampled", [*resampled, "--max-k", "5", "--method", "auto"], []
    for method in MASKS:
        yield f"select-{method}", [*xor, "--method", method], []
        if method != "fm":
            yield f"select-{method}-complement", [*xor, "--method", method, "--complement", "on"], []
    for method in RANKERS:
        yield f"select-{method}", [*puzzle, "--method", method, "--threads", "2"], []
    for loss in ["uniform", "entropy", "distance", "negative"]:
        yield f"select-loss-{loss}", [*xor, "--complement-loss", loss], []
    yield "select-normal", [*puzzle, *NETWORKS, "--epochs", "20"], []
    yield "select-patience", [*puzzle, *NETWORKS, "--effort", "quick", "--epochs", "60", "--patience", "3"], []
    yield "select-sequential-patience", [*puzzle, *NETWORKS, "--effort", "quick", "--epochs", "60", "--patience", "20", "--method", "sequential"], []
    yield "select-resampled", [*resampled, "-k", "2"], []
    yield "select-size", [*resampled, "--max-k", "5"], []
    yield "select-size-features", ["select", "digits.npz", "--task", "reconstruction", "--json", *TRAIN, "--max-k", "13"], []
    yield "select-size-groups", ["select", "visits.csv", "--target", "ill", "--json", *TRAIN, "--row-groups", "patient", "--drop", "day"], []
    yield "select-network", [*xor, "--choice", "network"], []
    yield "select-digits", ["select", "digits.npz", "--target", "y", "-k", "9", "--json", *ONCE, *TRAIN], []
    yield "select-sparse", ["select", "words.svm", "-k", "4", "--json", *ONCE, *TRAIN], []
    table = ["select", "table.csv", "-k", "3", "--json", *ONCE, *TRAIN]
    yield "select-labels", [*table, "--targets", "left,right", "--drop", "amount,price,weight"], []
    yield "select-quantities", [*table, "--targets", "amount,price", "--drop", "left,right,weight"], []
    yield "select-quantity", [*table, "--target", "amount", "--task", "regression", "--drop", "left,right,price,weight"], []
    yield "select-weights", [*table, "--target", "left", "--weights", "weight", "--drop", "right,amount,price"], []
    yield "select-features", ["select", "digits.npz", "--task", "reconstruction", "-k", "9", "--json", *ONCE, *TRAIN], []
    yield "select-files", ["select", "xor.csv", "--target", "side", "-k", "2", "-o", "selection", *ONCE, *TRAIN], ["selection/ranking.csv"]

    channels = ["channels.csv", "--target", "class", "--column-groups"]
    yield "info-column-groups", ["info", *channels, "groups.txt"], []
    yield "select-column-groups", ["select", *channels, "groups.txt", "-k", "1", "--json", *ONCE, *TRAIN], []
    grouped = ["select", *channels, "ch*", "-k", "2", *ONCE, *TRAIN, "-o", "channels", "--transform", "channels/reduced.csv"]
    yield "select-column-groups-files", grouped, ["channels/ranking.csv", "channels/reduced.csv"]
    yield "select-column-groups-rf", ["select", *channels, "groups.txt", "-k", "1", "--json", *ONCE, "--method", "rf", "--threads", "2"], []
    yield "select-keep", [*xor, "--keep", "3"], []
    yield "select-keep-mrmr", [*puzzle, "--method", "mrmr", "--keep", "3", "--threads", "2"], []
    yield "select-keep-resampled", [*resampled, "--max-k", "5", "--keep", "3"], []

    evaluate = ["evaluate", "xor.csv", "--target", "side", "-k", "2,4", *TRAIN, *FOREST, "-o", "evaluation"]
    written = ["evaluation/evaluation.csv", "evaluation/evaluation.json"]
    visits = ["visits.csv", "--target", "ill", "-k", "2", *NETWORKS, "--epochs", "20"]
    yield "select-groups", ["select", *visits, "--json", *ONCE, "--row-groups", "patient", "--drop", "day"], []
    yield "select-time", ["select", *visits, "--json", *ONCE, "--time", "day", "--drop", "patient"], []
    forward = ["evaluate", *visits, *FOREST, "-o", "evaluation", "--cv", "4", "--refit"]
    yield "evaluate-groups", [*forward, "--row-groups", "patient", "--drop", "day"], written
    yield "evaluate-time", [*forward, "--time", "day", "--drop", "patient"], written
    yield "evaluate-repeats", evaluate, written
    yield "evaluate-folds", [*evaluate, "--cv", "3", "--refit"], [*written, "evaluation/results.csv"]
    yield "evaluate-once", [*evaluate, "--cv", "3"], written
    amounts = ["evaluate", "table.csv", "-k", "3", *TRAIN, *FOREST, "-o", "evaluation"]
    yield "evaluate-labels", [*amounts, "--targets", "left,right", "--drop", "amount,price,weight"], written
    yield "evaluate-quantities", [*amounts, "--targets", "amount,price", "--drop", "left,right,weight"], written
    yield "evaluate-features", [*amounts, "--task", "reconstruction", "--drop", "left,right,amount,price,weight"], written
    compare = ["compare", "xor.csv", "--target", "side", "-k", "2,4", "--methods", "cfm,fm,stg+complement,anova,rf,random"]
    yield "compare", [*compare, *TRAIN, *FOREST, "-o", "comparison"], ["comparison/results.csv", "comparison/comparison.json"]
    compare = ["compare", "table.csv", "--target", "amount", "--task", "regression", "--drop", "left,right,price,weight", "-k", "2"]
    yield "compare-quantity", [*compare, "--methods", "cfm,mrmr,anova,rf", *TRAIN, *FOREST, "-o", "comparison"], ["comparison/comparison.json"]

    yield "study-run", ["study", "plan.toml", "--data", ".", "--store", "study.db", "--threads", "2"], ["plan.toml"]
    yield "study-status", ["study", "status", "study.db"], []
    exported = ["study/results.csv", "study/cells.csv", "study/comparisons.csv", "study/study.json", "page.md"]
    yield "study-export", ["study", "export", "study.db", "-o", "study", "--markdown", "page.md"], exported


LEFT_OUT = re.compile(r"seconds|memory|version|^recommend|^consensus|\btime\b|Took |command")
MEASURED = re.compile(r"\d+(?:\.\d+)? (?:h|min|ms|s|[kMG]B)\b(?: \d+ (?:min|s)\b)*")


def json_lines(value, path=""):
    if isinstance(value, dict):
        for key, inner in value.items():
            if not LEFT_OUT.search(key):
                yield from json_lines(inner, f"{path}.{key}" if path else key)
    elif isinstance(value, list) and any(isinstance(one, (dict, list)) for one in value):
        for index, inner in enumerate(value):
            yield from json_lines(inner, f"{path}[{index}]")
    else:
        yield f"{path} = {json.dumps(value)}"


def csv_lines(text):
    rows = [line.split(",") for line in text.splitlines()]
    kept = [index for index, name in enumerate(rows[0]) if not LEFT_OUT.search(name)]
    return [",".join(row[index] for index in kept if index < len(row)) for row in rows]


def lines_of(text, name):
    if text.startswith("{"):
        return list(json_lines(json.loads(text)))
    if name.endswith(".csv"):
        return csv_lines(text)
    return [MEASURED.sub("#", line.rstrip()) for line in text.splitlines() if not LEFT_OUT.search(line)]


def answer(command, arguments, files, folder):
    result = subprocess.run(
        [command, *arguments], cwd=folder, capture_output=True, text=True, timeout=600, env={**os.environ, "OBVERSE_CPU": "plain"}
    )
    lines = ["$ obverse " + " ".join(arguments), f"exit {result.returncode}"]
    if result.returncode != 0:
        return lines + result.stderr.splitlines()
    if not files:
        return lines + lines_of(result.stdout, "")
    for name in files:
        lines += [f"-- {name}"] + lines_of((folder / name).read_text(), name)
    return lines


NUMBER = re.compile(r"[-+]?\d+\.\d+(?:[eE][-+]?\d+)?|[-+]?\d+[eE][-+]?\d+")


def same(first, second):
    """Equal but for fractions that are close."""
    if first == second:
        return True
    if NUMBER.sub("#", first) != NUMBER.sub("#", second):
        return False
    pairs = zip(map(float, NUMBER.findall(first)), map(float, NUMBER.findall(second)))
    return all(abs(a - b) <= TOLERANCE * max(1, abs(a), abs(b)) for a, b in pairs)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("obverse", type=os.path.abspath)
    parser.add_argument("--exact", action="store_true", help="numbers must be the same to the last digit")
    parser.add_argument("--write", action="store_true", help="take today's answers")
    parser.add_argument("--expected", type=pathlib.Path, default=HERE / "expected", help="the folder of the answers")
    options = parser.parse_args()
    options.expected.mkdir(parents=True, exist_ok=True)
    changed = []
    names = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        write_tables(folder)
        for generated in [["xor", "--rows", "240", "--probes", "8", "-o", "xor.csv"], ["digits", "--rows", "150", "-o", "digits.npz"]]:
            subprocess.run([options.obverse, "generate", *generated], cwd=folder, check=True, capture_output=True)
        for case, arguments, files in cases():
            found = answer(options.obverse, arguments, files, folder)
            names.append(case + ".txt")
            path = options.expected / names[-1]
            if options.write:
                path.write_text("\n".join(found) + "\n")
                continue
            expected = path.read_text().splitlines() if path.exists() else []
            alike = len(found) == len(expected) and all(
                (a == b) if options.exact else same(a, b) for a, b in zip(expected, found)
            )
            if not alike:
                changed.append(case)
                print("\n".join(list(difflib.unified_diff(expected, found, f"{case}: expected", f"{case}: found", lineterm="", n=1))[:40]))
    for stray in sorted({path.name for path in options.expected.glob("*.txt")} - set(names)):
        if options.write:
            (options.expected / stray).unlink()
        else:
            changed.append(stray)
            print(f"{stray}: no case of that name")
    print(f"{len(names)} answers, {len(changed)} changed" + (": " + ", ".join(changed) if changed else ""))
    if changed:
        print("If the change is meant, run tests/golden/golden.py OBVERSE --write and say in the commit why each is right.")
    return 1 if changed else 0


if __name__ == "__main__":
    sys.exit(main())
