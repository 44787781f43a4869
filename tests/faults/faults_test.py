"""Every n-th allocation, write, rename, fsync, open and thread of a small select, study and report fails in turn.

The command must succeed or end with exit code 2 and one line on stderr, and leave nothing half-written: no crash, no
hang, and a store that the same command resumes.

    python3 faults_test.py COMMAND LIBRARY VERB [--all]

VERB: select, study or report. Without --all the calls are covered densely at first and then geometrically.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

KINDS = ["write", "rename", "fsync", "open", "thread", "allocation"]
DENSE = {"select": 60, "study": 28, "report": 120}
GROWTH = {"select": 1.08, "study": 1.16, "report": 1.04}
LOADED = 4  # of the faults while libraries are loaded, one in so many
SECONDS = 120  # a run takes a tenth of one; more is a hang

PLAN = """
title = "Small"
runs = 1
k = [1]
classifiers = ["knn"]

[[set]]
name = "tiny"
data = "data.csv"
target = "class"

[[method]]
name = "cfm"
effort = "quick"
epochs = 2

[[method]]
name = "anova"
method = "anova"
"""


def small_csv(rows=60):
    lines = ["good,noise,other,class"]
    for i in range(rows):
        yes = i % 2 == 0
        lines.append(f"{10 + i % 5 if yes else i % 5},{i * 7 % 11},{i * 5 % 13},{'yes' if yes else 'no'}")
    return "\n".join(lines) + "\n"


class Runner:
    def __init__(self, command, library, base):
        self.command = command
        self.library = library
        self.base = Path(base)
        (self.base / "data.csv").write_text(small_csv())
        (self.base / "plan.toml").write_text(PLAN)

    def run(self, arguments, room, fault=None, count=None):
        environment = dict(os.environ)
        if fault or count:
            environment["LD_PRELOAD"] = self.library
        if fault:
            environment["OBVERSE_FAULT"] = fault
        if count:
            environment["OBVERSE_FAULT_COUNT"] = str(count)
        try:
            return subprocess.run([self.command, *arguments], cwd=room, env=environment, capture_output=True,
                                  timeout=SECONDS)
        except subprocess.TimeoutExpired as error:
            return subprocess.CompletedProcess(arguments, "a hang", error.stdout or b"", error.stderr or b"")

    def select(self, k):
        return ["select", "../data.csv", "--target", "class", "-k", str(k), "--effort", "quick", "--epochs", "2",
                "--threads", "2", "-o", "result"]

    def study(self):
        return ["study", "../plan.toml", "--data", "..", "--store", "s.db", "--threads", "2"]

    def prepare(self, verb):
        """What a run of the verb finds; returns its arguments."""
        self.start = self.base / "start"
        self.start.mkdir()
        if verb == "select":
            self.must(self.select(1), self.start)
            return self.select(2)
        if verb == "report":
            self.must(self.select(1), self.start)
            return ["report", "result", "-o", "page.html"]
        return self.study()

    def must(self, arguments, room):
        done = self.run(arguments, room)
        if done.returncode != 0:
            sys.exit(f"{arguments} fails without a fault: {done.returncode} {done.stderr.decode()}")


def selection_of(folder):
    """k of a whole selection; None where there is none; an error for anything else."""
    names = sorted(path.name for path in folder.iterdir()) if folder.exists() else []
    names = [name for name in names if ".obverse-" not in name]
    if not names:
        if folder.exists():
            raise AssertionError("an empty folder")
        return None
    if names != ["curve.csv", "ranking.csv", "report.html", "selection.json"]:
        raise AssertionError(f"half of a result: {names}")
    tree = json.loads((folder / "selection.json").read_text())
    if len((folder / "ranking.csv").read_text().splitlines()) != 4:
        raise AssertionError("a cut ranking.csv")
    if not (folder / "report.html").read_text().rstrip().endswith("</html>"):
        raise AssertionError("a cut report.html")
    return tree["k"]


def check(runner, verb, room, done, fresh):
    """Raises unless all is well after a run with a fault."""
    error = done.stderr.decode(errors="replace")
    if done.returncode not in (0, 2):
        raise AssertionError(f"ended with {done.returncode}")
    error = "".join(line + "\n" for line in error.splitlines() if not line.startswith("Error in GnuTLS init"))
    if done.returncode == 2 and (error.count("\n") != 1 or not error.startswith("obverse: ")):
        raise AssertionError("no message of one line")
    left = [path.name for path in room.rglob("*.tmp")]
    if done.returncode == 0 and left:
        raise AssertionError(f"left {left}")
    if verb == "select":
        k = selection_of(room / "result")
        if done.returncode == 0 and k != 2:
            raise AssertionError(f"success, but k is {k}")
        if done.returncode != 0 and k not in (None if fresh else 1, 2):
            raise AssertionError(f"failed, and k is {k}")
    elif verb == "report":
        page = room / "page.html"
        if page.exists() and not page.read_text().rstrip().endswith("</html>"):
            raise AssertionError("half a page")
        if done.returncode == 0 and not page.exists():
            raise AssertionError("success, but no page")
    else:
        again = runner.run(runner.study(), room)
        status = runner.run(["study", "status", "s.db"], room)
        if again.returncode != 0 or status.returncode != 0 or b" 0 left" not in status.stdout:
            raise AssertionError(f"cannot be resumed: {again.stderr.decode()} {status.stderr.decode()}")


def numbers(first, last, verb, everything):
    """Some numbers from first to last: all of the first ones, then ever fewer."""
    if everything:
        return list(range(first, last + 1))
    chosen, step = [], 0
    while first + step <= last:
        chosen.append(first + step)
        step = step + 1 if step < DENSE[verb] else max(step + 1, int(step * GROWTH[verb]))
    return chosen


def planned(counts, verb, everything):
    faults = []
    for kind in KINDS:
        if kind == "allocation":  # dense where libraries are loaded, and again where the program begins
            places = numbers(1, counts["loaded"], verb, everything)[::LOADED]
            places += numbers(counts["loaded"] + 1, counts[kind], verb, everything)
        else:
            places = numbers(1, counts[kind], verb, everything)
        faults += [f"{kind}:{n}" for n in places]
        if kind in ("thread", "write"):  # for good, from some point on
            faults += [f"{kind}:{n}+" for n in range(1, min(counts[kind], 4) + 1)]
    return faults


def main():
    command, library, verb = sys.argv[1:4]
    everything = "--all" in sys.argv[4:]
    with tempfile.TemporaryDirectory(prefix="obverse_faults_") as base:
        runner = Runner(os.path.abspath(command), os.path.abspath(library), base)
        arguments = runner.prepare(verb)
        room = Path(base) / "count"
        shutil.copytree(runner.start, room)
        done = runner.run(arguments, room, count=Path(base) / "counts")
        if done.returncode != 0:
            sys.exit(f"{arguments} fails without a fault: {done.stderr.decode()}")
        counts = {kind: int(n) for kind, n in
                  (line.split() for line in (Path(base) / "counts").read_text().splitlines())}
        faults = planned(counts, verb, everything)

        def one(task):
            index, fault = task
            fresh = verb == "select" and index % 2 == 0
            room = Path(base) / f"room{index}"
            room.mkdir() if fresh else shutil.copytree(runner.start, room)
            done = runner.run(arguments, room, fault=fault)
            try:
                check(runner, verb, room, done, fresh)
                return done.returncode, None
            except Exception as wrong:  # noqa: BLE001: any of them is a finding
                return done.returncode, f"{fault}: {wrong}: {done.stderr.decode(errors='replace')[:500]!r}"
            finally:
                shutil.rmtree(room, ignore_errors=True)

        with ThreadPoolExecutor(2) as pool:
            outcomes = list(pool.map(one, enumerate(faults)))
        findings = [finding for _, finding in outcomes if finding]
        codes = [code for code, _ in outcomes]
        print(f"{verb}: calls {counts}; {len(faults)} faults: {codes.count(0)} succeeded, {codes.count(2)} refused, "
              f"{len(findings)} findings")
        for finding in findings[:40]:
            print(finding)
        sys.exit(1 if findings else 0)


if __name__ == "__main__":
    main()
