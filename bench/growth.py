"""Time and memory of `obverse select` against rows and columns, doubled three times, and on MNIST as it comes.

    python bench/growth.py --obverse build/release/obverse [--data DIR]

Bytes drawn from a seed, 10 classes, one model of the recipe `default`, k 50. Prints a table and one line of JSON: `rows` and
`columns` are the time of the largest over that of the smallest, over 8: 1 is linear growth.
"""

import argparse
import json
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np

ROWS = (7500, 15000, 30000, 60000)
COLUMNS = (98, 196, 392, 784)


def measure(obverse, data, epochs):
    """Seconds of training, seconds of the whole command and its peak resident memory in MB."""
    words = [obverse, "select", *data, "--seeds", "1", "--gamma", "1", "--epochs", str(epochs), "-k", "50", "--json"]
    begin = time.perf_counter()
    done = subprocess.run(words, capture_output=True, text=True)
    seconds = time.perf_counter() - begin
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(words)}: exit code {done.returncode}: {done.stderr.strip()}")
    timings = json.loads(done.stdout)["timings"]
    return timings["training_seconds"], seconds, timings["peak_memory_bytes"] / 1e6


def write_set(folder, rows, columns):
    random = np.random.default_rng(1)
    path = Path(folder) / f"{rows}x{columns}.npz"
    np.savez(path, X=random.integers(0, 256, (rows, columns), dtype=np.uint8), y=random.integers(0, 10, rows))
    return [str(path), "--target", "y"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--obverse", required=True)
    parser.add_argument("--data", type=Path, default=Path(__file__).resolve().parents[2] / "shared" / "data")
    arguments = parser.parse_args()
    print(f"{'rows':>8}{'columns':>9}{'epochs':>8}{'training s':>12}{'whole s':>10}{'peak MB':>9}")
    times, epochs = {}, 4
    with tempfile.TemporaryDirectory() as folder:
        for rows, columns in [(r, COLUMNS[-1]) for r in ROWS] + [(ROWS[-1], c) for c in COLUMNS[:-1]]:
            source = write_set(folder, rows, columns)
            training, whole, peak = min(measure(arguments.obverse, source, epochs) for _ in range(2))
            times[rows, columns] = training
            print(f"{rows:8}{columns:9}{epochs:8}{training:12.2f}{whole:10.2f}{peak:9.0f}", flush=True)
    result = {"rows": times[ROWS[-1], COLUMNS[-1]] / times[ROWS[0], COLUMNS[-1]] / 8,
              "columns": times[ROWS[-1], COLUMNS[-1]] / times[ROWS[-1], COLUMNS[0]] / 8}
    mnist = arguments.data / "mnist" / "train-images-idx3-ubyte.gz"
    if mnist.exists():
        training, whole, peak = measure(arguments.obverse, [str(mnist)], 30)
        print(f"{'MNIST':>8}{784:9}{30:8}{training:12.2f}{whole:10.2f}{peak:9.0f}")
        result |= {"mnist_seconds": round(whole, 2), "mnist_peak_mb": round(peak, 1)}
    print(json.dumps({key: round(value, 3) for key, value in result.items()}))


if __name__ == "__main__":
    main()
