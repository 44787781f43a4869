"""SIGKILL at any moment of `select -o`: the old result or the new one is there, whole, and the next run tidies up.

    python3 killed.py COMMAND LIBRARY [--kills 200]

Two kills of three are placed inside the writing of the files, at each call that changes a file in turn, by the library
of tests/faults; the others come at a random moment. The result folder is new in one half and holds an older result in
the other. A kill between two renames leaves a journal, which the next command that reads the folder completes.
"""
import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

FILES = ["curve.csv", "ranking.csv", "report.html", "selection.json"]
JOURNAL = ".obverse-commit"


def small_csv(rows=60):
    lines = ["good,noise,other,class"]
    for i in range(rows):
        yes = i % 2 == 0
        lines.append(f"{10 + i % 5 if yes else i % 5},{i * 7 % 11},{i * 5 % 13},{'yes' if yes else 'no'}")
    return "\n".join(lines) + "\n"


def select(k, seed):
    return ["select", "data.csv", "--target", "class", "-k", str(k), "--seed", str(seed), "--effort", "quick",
            "--epochs", "2", "--threads", "1", "-o", "result"]


class Room:
    """A folder with data, and perhaps an older result."""

    def __init__(self, command, library, base, older):
        self.command, self.library, self.path = command, library, Path(base)
        (self.path / "data.csv").write_text(small_csv())
        if older:
            self.must(select(1, 1))

    def start(self, arguments, **environment):
        return subprocess.Popen([self.command, *arguments], cwd=self.path, env={**os.environ, **environment},
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def must(self, arguments, **environment):
        process = self.start(arguments, **environment)
        out, error = process.communicate(timeout=120)
        if process.returncode != 0:
            raise AssertionError(f"{arguments}: exit code {process.returncode}: {error.decode()}")
        return out

    def result(self):
        """The files by name, without the temporaries and the journal."""
        folder = self.path / "result"
        if not folder.exists():
            return {}
        return {path.name: path.read_bytes() for path in folder.iterdir()
                if ".obverse-" not in path.name and path.name != JOURNAL}

    def left_over(self):
        return [path.name for path in self.path.rglob(".*.tmp")] + [p.name for p in self.path.rglob(JOURNAL)]

    def k(self):
        """k of the result, all of whose files must be of one run."""
        files = self.result()
        if not files:
            return None
        if sorted(files) != FILES:
            raise AssertionError(f"half of a result: {sorted(files)}")
        tree = json.loads(files["selection.json"])
        ranked = [line.split(",") for line in files["ranking.csv"].decode().splitlines()[1:]]
        for chosen, (_, _, name, score, _) in zip(tree["selected"], ranked):
            if name != chosen["name"] or abs(float(score) - chosen["score"]) > 1e-6:
                raise AssertionError("ranking.csv and selection.json are of two runs")
        if f'"k":{tree["k"]},'.encode() not in files["report.html"]:
            raise AssertionError("report.html is of another run")
        if not files["report.html"].rstrip().endswith(b"</html>"):
            raise AssertionError("a cut report.html")
        return tree["k"]


def changes(command, library, older):
    """How many calls of a run change files, and how long it takes."""
    with tempfile.TemporaryDirectory(prefix="obverse_killed_") as base:
        room = Room(command, library, base, older)
        began = time.monotonic()
        room.must(select(2, 2), LD_PRELOAD=library, OBVERSE_FAULT_COUNT=str(Path(base) / "counts"))
        seconds = time.monotonic() - began
        counts = dict(line.split() for line in (Path(base) / "counts").read_text().splitlines())
        return int(counts["change"]), seconds


def one_kill(command, library, older, place, moment, tally):
    with tempfile.TemporaryDirectory(prefix="obverse_killed_") as base:
        room = Room(command, library, base, older)
        if place:
            process = room.start(select(2, 2), LD_PRELOAD=library, OBVERSE_FAULT=f"change:{place}",
                                 OBVERSE_FAULT_KILL="1")
        else:
            process = room.start(select(2, 2))
            time.sleep(moment)
            process.kill()
        process.communicate(timeout=120)
        killed = process.returncode == -9
        tally["killed"] += killed
        tally["inside"] += killed and bool(place)
        if (room.path / "result" / JOURNAL).exists():
            tally["completed"] += 1
            room.must(["report", "result", "-o", "page.html"])
        k = room.k()
        if k not in (1 if older else None, 2):
            raise AssertionError(f"k is {k}")
        tally["old" if k != 2 else "new"] += 1
        tally["left over"] += bool(room.left_over())
        room.must(select(3, 3))
        if room.k() != 3 or room.left_over():
            raise AssertionError(f"the next run gave k {room.k()} and left {room.left_over()}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("command", type=os.path.abspath)
    parser.add_argument("library", type=os.path.abspath)
    parser.add_argument("--kills", type=int, default=200)
    options = parser.parse_args()
    random.seed(17)
    runs = {older: changes(options.command, options.library, older) for older in (False, True)}
    tally = dict.fromkeys(["killed", "inside", "old", "new", "completed", "left over"], 0)
    placed = {False: 0, True: 0}
    for kill in range(3 * options.kills):  # some come after the end
        if tally["killed"] == options.kills:
            break
        older = kill % 2 == 1
        calls, seconds = runs[older]
        place = 0
        if kill % 3 != 2:  # a stride, so that few kills meet all stages too
            place = placed[older] * max(1, calls * 3 // options.kills) % calls + 1
            placed[older] += 1
        try:
            one_kill(options.command, options.library, older, place, random.uniform(0, seconds), tally)
        except Exception as error:
            sys.exit(f"kill {kill}, {'older result' if older else 'new folder'}, "
                     f"{f'change {place} of {calls}' if place else 'random moment'}: {error}")
    if tally["killed"] < options.kills:
        sys.exit(f"only {tally['killed']} of {options.kills} kills came before the end")
    print(f"{sum(placed.values())} kills placed; {tally['killed']} killed, {tally['inside']} of them inside the writing "
          f"({runs[False][0]} and {runs[True][0]} calls change files); {tally['old']} left the old result, "
          f"{tally['new']} the new one, {tally['completed']} of those completed from the journal; "
          f"{tally['left over']} left temporaries, all tidied by the next run")


if __name__ == "__main__":
    main()
