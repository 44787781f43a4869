"""A study that is killed (SIGKILL) at random moments and resumed each time ends with the exports of one that was left
alone, to the byte. Between kills `study status` reads what is there.

    tests/study/killed.py build/release/obverse --kills 100
"""

import argparse
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

import small_study


def units_done(obverse, store):
    """As `study status` counts them; a store that is not there yet has none."""
    if not store.exists() or store.stat().st_size == 0:
        return 0
    status = subprocess.run([obverse, "study", "status", str(store)], capture_output=True, text=True)
    if "holds no plan yet" in status.stderr:
        return 0
    assert status.returncode == 0, status.stderr
    return next(int(line.split()[0]) for line in status.stdout.splitlines() if "units done," in line)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("obverse")
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seed", type=int, default=7)
    arguments = parser.parse_args()
    moments = random.Random(arguments.seed)
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as room:
        folder = pathlib.Path(room)
        # So many units that the last kill finds some of them left.
        small_study.write(folder, runs=max(4, arguments.kills // 2), epochs=20)
        alone = small_study.command(arguments.obverse, folder, "alone.db", 2)
        started = time.monotonic()
        subprocess.run(alone, check=True, capture_output=True)
        whole = time.monotonic() - started
        expected = small_study.exports(arguments.obverse, folder, "alone.db")
        units = units_done(arguments.obverse, folder / "alone.db")

        line = small_study.command(arguments.obverse, folder, "killed.db", 2)
        kills = over = journals = 0
        done = 0
        while kills < arguments.kills:
            worker = subprocess.Popen(line, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
            try:
                message = worker.communicate(timeout=moments.uniform(0, 2.5 * whole / arguments.kills))[1]
            except subprocess.TimeoutExpired:
                worker.send_signal(signal.SIGKILL)
                worker.communicate()
                kills += 1
                journals += (folder / "killed.db-journal").exists()
            else:
                assert worker.returncode == 0, message
                over += 1
                (folder / "killed.db").unlink()  # it came to its end: once more from the beginning
                done = 0
            now = units_done(arguments.obverse, folder / "killed.db")
            assert now >= done, f"{done} units were done, and {now} are left of them"
            done = now
        subprocess.run(line, check=True, capture_output=True)
        same = small_study.exports(arguments.obverse, folder, "killed.db") == expected
        complete = units_done(arguments.obverse, folder / "killed.db") == units
    print(f"{kills} kills, {journals} of them inside a transaction, {done} of {units} units done at the last, "
          f"{over} studies came to their end in between; exports {'equal to the byte' if same else 'DIFFER'}; "
          f"{time.monotonic() - began:.1f} s")
    return 0 if same and complete else 1


if __name__ == "__main__":
    sys.exit(main())
