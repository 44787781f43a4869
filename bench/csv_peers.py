"""Times Obverse, pandas, polars and pyarrow reading one numeric CSV file to a float32 matrix.

Every reading is a fresh process on the same number of threads, the file is in the page cache, and the median of the
repeats counts. The last line is JSON; vs_best is our rate over that of the fastest peer.

    build/peers/bin/python bench/csv_peers.py --ours build/bench/bench_csv
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys

# Each reads FILE to a float32 matrix and leaves it in `matrix`; the label column is read and left out of it.
PEERS = {
    "pandas": """
import pandas
frame = pandas.read_csv(FILE)
matrix = frame.drop(columns='label').to_numpy('float32')
""",
    "pandas float32": """
import pandas
names = pandas.read_csv(FILE, nrows=0).columns
frame = pandas.read_csv(FILE, dtype={name: 'float32' for name in names if name != 'label'})
matrix = frame.drop(columns='label').to_numpy('float32')
""",
    "pandas pyarrow": """
import pandas
frame = pandas.read_csv(FILE, engine='pyarrow')
matrix = frame.drop(columns='label').to_numpy('float32')
""",
    "polars": """
import polars
frame = polars.read_csv(FILE)
matrix = frame.drop('label').cast(polars.Float32).to_numpy()
""",
    "polars float32": """
import polars
names = polars.read_csv(FILE, n_rows=0).columns
frame = polars.read_csv(FILE, schema_overrides={name: polars.Float32 for name in names if name != 'label'})
matrix = frame.drop('label').to_numpy()
""",
    "pyarrow": """
import numpy, pyarrow, pyarrow.csv
table = pyarrow.csv.read_csv(FILE)
matrix = numpy.column_stack([c.to_numpy().astype('float32') for n, c in zip(table.column_names, table.columns) if n != 'label'])
""",
    "pyarrow float32": """
import numpy, pyarrow, pyarrow.csv
names = open(FILE).readline().strip().split(',')
types = {name: pyarrow.float32() for name in names if name != 'label'}
table = pyarrow.csv.read_csv(FILE, convert_options=pyarrow.csv.ConvertOptions(column_types=types))
matrix = numpy.column_stack([c.to_numpy() for n, c in zip(table.column_names, table.columns) if n != 'label'])
""",
}

# Importing is not counted: the clock starts when the libraries are loaded.
CHILD = """
import json, sys, time
FILE, body = sys.argv[1], sys.argv[2]
lines = body.strip().splitlines()
exec(lines[0])
start = time.perf_counter()
exec('\\n'.join(lines[1:]))
seconds = time.perf_counter() - start
peak = next(int(line.split()[1]) for line in open('/proc/self/status') if line.startswith('VmHWM')) * 1024
assert matrix.dtype == 'float32'
print(json.dumps(dict(seconds=seconds, rows=matrix.shape[0], features=matrix.shape[1],
                      sum=float(matrix.sum(dtype='float64')), peak_bytes=peak)))
"""


def run(command, threads):
    env = dict(os.environ, POLARS_MAX_THREADS=str(threads), OMP_NUM_THREADS=str(threads), ARROW_NUM_THREADS=str(threads))
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{command[0]}: {done.stderr.strip()[-500:]}")
    return json.loads(done.stdout.strip().splitlines()[-1])


def median(results):
    return sorted(results, key=lambda r: r["seconds"])[len(results) // 2]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ours", required=True, help="the program bench_csv")
    parser.add_argument("--data", default="build/bench-data", help="folder for the generated file")
    parser.add_argument("--megabytes", type=int, default=500)
    parser.add_argument("--repeats", type=int, default=3)
    args = parser.parse_args()

    threads = len(os.sched_getaffinity(0))
    file = pathlib.Path(args.data) / f"floats_{args.megabytes}.csv"
    if not file.exists():
        file.parent.mkdir(parents=True, exist_ok=True)
        part = file.with_suffix(".part")
        subprocess.run([args.ours, "write", str(part), str(args.megabytes)], check=True)
        part.rename(file)
    with file.open("rb") as bytes_:  # into the page cache
        while bytes_.read(1 << 24):
            pass
    megabytes = file.stat().st_size / 1e6

    commands = {"obverse": [args.ours, "read", str(file)]}
    commands.update({name: [sys.executable, "-c", CHILD, str(file), body] for name, body in PEERS.items()})
    results = {name: [] for name in commands}
    for _ in range(args.repeats):  # in turn, so that a slow minute of the machine hits all of them
        for name, command in commands.items():
            results[name].append(run(command, threads))

    ours = results["obverse"][0]
    print(f"{file}: {megabytes:.0f} MB, {ours['rows']} rows, {ours['features']} features, {threads} threads, "
          f"median of {args.repeats}")
    print(f"{'reader':<16} {'MB/s':>8} {'spread':>8} {'peak / matrix':>14}")
    rates = {}
    for name, runs in results.items():
        for r in runs:  # the same numbers must come out, up to how each sums floats read through doubles
            same_shape = (r["rows"], r["features"]) == (ours["rows"], ours["features"])
            if not same_shape or abs(r["sum"] - ours["sum"]) > 1e-6 * abs(ours["sum"]) + 1e-2:
                sys.exit(f"{name} read something else: {r} and not {ours}")
        middle = median(runs)
        rates[name] = megabytes / middle["seconds"]
        times = [r["seconds"] for r in runs]
        spread = (max(times) - min(times)) / statistics.median(times)
        peak = middle["peak_bytes"] / ours["matrix_bytes"]
        print(f"{name:<16} {rates[name]:8.0f} {spread:7.0%} {peak:14.2f}")

    best = max(PEERS, key=rates.get)
    peak = max(r["peak_bytes"] for r in results["obverse"]) / ours["matrix_bytes"]
    print(json.dumps({"vs_best": round(rates["obverse"] / rates[best], 2), "ours_mb_s": round(rates["obverse"]),
                      "best_peer": best, "best_peer_mb_s": round(rates[best]), "peak_over_matrix": round(peak, 3)}))


if __name__ == "__main__":
    main()
