"""Processes that start at the same moment on a store that is not there yet share the study: each of them succeeds, and
the exports are those of one that ran alone, to the byte.

    tests/study/together.py build/release/obverse --rounds 200
"""

import argparse
import pathlib
import subprocess
import sys
import tempfile
import time

import small_study


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("obverse")
    parser.add_argument("--processes", type=int, default=8)
    parser.add_argument("--rounds", type=int, default=25)
    arguments = parser.parse_args()
    began = time.monotonic()
    failed = different = 0
    with tempfile.TemporaryDirectory() as room:
        folder = pathlib.Path(room)
        small_study.write(folder, runs=1, epochs=2)
        subprocess.run(small_study.command(arguments.obverse, folder, "alone.db", 1), check=True, capture_output=True)
        expected = small_study.exports(arguments.obverse, folder, "alone.db")
        for number in range(arguments.rounds):
            store = f"{number}.db"
            line = small_study.command(arguments.obverse, folder, store, 1)
            workers = [subprocess.Popen(line, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
                       for _ in range(arguments.processes)]
            for worker in workers:
                message = worker.communicate()[1]
                if worker.returncode != 0:
                    failed += 1
                    print(f"round {number}: exit {worker.returncode}: {message.strip()}", file=sys.stderr)
            different += small_study.exports(arguments.obverse, folder, store) != expected
            (folder / store).unlink()
        left = sorted(path.name for path in folder.iterdir() if path.name not in ("first.csv", "plan.toml", "alone.db"))
    print(f"{arguments.rounds} rounds of {arguments.processes} processes on a new store: {failed} processes failed, "
          f"{different} exports differ, {len(left)} files left behind; {time.monotonic() - began:.1f} s")
    return 1 if failed or different or left else 0


if __name__ == "__main__":
    sys.exit(main())
