"""The training step of CFM in PyTorch and in Obverse: same shapes, same threads, same run, in turns.

    python bench/vs_pytorch.py --ours build/bench/bench_train_step

A step gathers a batch by random row numbers, draws labels for the complement, and trains: forward, backward, Adam.
Prints the time of each form, then one line of JSON: `f32` is PyTorch eager over ours, `bf16` the best PyTorch can do
over ours in bf16, `small` one PyTorch model after another over ours per model of a sweep. `f32_best` and `small_best`
take the fastest float32 form of PyTorch instead of the plain one.
"""

import argparse
import json
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass

import torch
from torch_model import MaskModel, ModelOptions, adam


@dataclass(frozen=True)
class Shape:
    features: int
    batch: int
    classes: int
    rows: int
    mask_hidden: int = 8
    width1: int = 128
    width2: int = 64

    def operations(self):
        """Of the products with X, both paths, forward and backward: what a step needs at the least."""
        return 2 * self.batch * self.features * (2 * 2 * self.width1 + 2 * self.mask_hidden)

    def bytes(self):
        """The batch once, and each parameter and its two moments read and written, in float32."""
        parameters = self.features * (self.width1 + 2 * self.mask_hidden + 1) + self.width1 * self.width2
        return 4 * (self.batch * self.features + 6 * parameters)


LARGE = Shape(features=784, batch=256, classes=10, rows=60_000)
SMALL = Shape(features=500, batch=64, classes=2, rows=2_600)


class TorchTrainer:
    """One model and an endless supply of shuffled batches. What else is named goes to the options of the model."""

    def __init__(self, shape, data, autocast=False, compiled=False, fused_adam=False, **model_options):
        self.shape, self.autocast = shape, autocast
        self.x, self.y = data
        torch.manual_seed(0)
        model = MaskModel(ModelOptions(features=shape.features, classes=shape.classes, mask_hidden=shape.mask_hidden,
                                       width1=shape.width1, width2=shape.width2, **model_options))
        self.optimizer = adam(model, fused=fused_adam)
        self.loss = torch.compile(model.loss) if compiled else model.loss
        self.batches = self.shuffled()

    def shuffled(self):
        while True:
            for rows in torch.randperm(self.shape.rows).split(self.shape.batch):
                if len(rows) == self.shape.batch:
                    yield rows

    def step(self):
        rows = next(self.batches)
        x, y = self.x[rows], self.y[rows]
        r = torch.randint(self.shape.classes, (self.shape.batch,))
        self.optimizer.zero_grad()
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=self.autocast):
            loss = self.loss(x, y, r)[0]
        loss.backward()
        self.optimizer.step()

    def seconds(self, steps):
        """Median over the steps."""
        times = []
        for _ in range(steps):
            begin = time.perf_counter()
            self.step()
            times.append(time.perf_counter() - begin)
        return statistics.median(times)


class OurTrainer:
    def __init__(self, program, shape, precision, threads, extra=()):
        self.command = [program, "--json", "--features", shape.features, "--batch", shape.batch, "--hidden",
                        shape.mask_hidden, "--classes", shape.classes, "--precision", precision, "--threads", threads,
                        *extra]
        self.command = [str(word) for word in self.command]

    def seconds(self, _):
        done = subprocess.run(self.command, capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError(f"{' '.join(self.command)}: exit code {done.returncode}: {done.stderr.strip()}")
        return json.loads(done.stdout.strip().splitlines()[-1])["seconds_per_model_step"]


class ProductRate:
    """X (B,D) times (D, 2 F1) by PyTorch alone: the rate of the processor as PyTorch reaches it."""

    def __init__(self, shape, dtype):
        self.scale = shape.operations() / (2 * shape.batch * shape.features * 2 * shape.width1)
        self.x = torch.rand(shape.batch, shape.features).to(dtype)
        self.v = torch.rand(shape.features, 2 * shape.width1).to(dtype)

    def seconds(self, steps):
        """Time of a step that were nothing but such products."""
        times = []
        for _ in range(steps):
            begin = time.perf_counter()
            torch.mm(self.x, self.v)
            times.append(time.perf_counter() - begin)
        return statistics.median(times) * self.scale


def make_data(shape):
    generator = torch.Generator().manual_seed(1)
    x = torch.rand(shape.rows, shape.features, generator=generator)
    return x, torch.randint(shape.classes, (shape.rows,), generator=generator)


def make_contestants(arguments):
    """Name -> (shape, a function that makes what is timed). Ours and PyTorch's alternate."""
    data = {shape: make_data(shape) for shape in (LARGE, SMALL)}

    def ours(shape, precision, *extra):
        return shape, lambda: OurTrainer(arguments.ours, shape, precision, arguments.threads, extra)

    def pytorch(shape, **options):
        return shape, lambda: TorchTrainer(shape, data[shape], **options)

    contestants = {
        "ours f32": ours(LARGE, "f32", "--models", 1),
        "pytorch f32": pytorch(LARGE),
        "pytorch f32 fused_adam": pytorch(LARGE, fused_adam=True),
        "ours bf16": ours(LARGE, "bf16", "--models", 1),
        "pytorch autocast": pytorch(LARGE, autocast=True),
        "pytorch autocast fused_adam": pytorch(LARGE, autocast=True, fused_adam=True),
        "ours small sweep": ours(SMALL, "f32", "--models", 35, "--seeds", 5),
        "pytorch small": pytorch(SMALL),
        "pytorch small fused_adam": pytorch(SMALL, fused_adam=True),
        "product f32": (LARGE, lambda: ProductRate(LARGE, torch.float32)),
        "product bf16": (LARGE, lambda: ProductRate(LARGE, torch.bfloat16)),
    }
    if arguments.compile:
        contestants |= {
            "pytorch compiled f32": pytorch(LARGE, compiled=True, fused_adam=True),
            "pytorch compiled autocast": pytorch(LARGE, compiled=True, autocast=True, fused_adam=True),
        }
    return contestants


def reason_of(error):
    """The first line that says something."""
    return next(iter(str(error).strip().splitlines()), type(error).__name__)


def measure(contestants, arguments):
    """Name -> median over the rounds; what cannot run here is named and left out."""
    ready, absent = {}, {}
    for name, (_, make) in contestants.items():
        try:
            ready[name] = make()
            ready[name].seconds(arguments.warm_up)
        except Exception as error:  # a compiler or a number type that this machine lacks
            ready.pop(name, None)
            absent[name] = reason_of(error)
    times = {name: [] for name in ready}
    for _ in range(arguments.rounds):
        for name, contestant in ready.items():
            times[name].append(contestant.seconds(arguments.steps))
    return times, absent


def print_table(contestants, times, absent):
    for label, shape in (("large", LARGE), ("small", SMALL)):
        print(f"{label}: D {shape.features}, batch {shape.batch}, H {shape.mask_hidden}, C {shape.classes}: "
              f"{shape.operations() / 1e6:.1f} Mop and {shape.bytes() / 1e6:.2f} MB a step, "
              f"{shape.operations() / shape.bytes():.0f} op/byte")
    print(f"\n{'':30}{'ms/step':>9}{'fastest':>9}{'slowest':>9}{'GFLOP/s':>9}")
    for name, seconds in times.items():
        middle = statistics.median(seconds)
        rate = contestants[name][0].operations() / middle / 1e9
        print(f"{name:30}{middle * 1e3:9.3f}{min(seconds) * 1e3:9.3f}{max(seconds) * 1e3:9.3f}{rate:9.1f}")
    for name, reason in absent.items():
        print(f"{name:30} does not run here: {reason}")


def ratio(peer, ours):
    return round(peer / ours, 3) if peer and ours else None


def summary(times, absent):
    seconds = {name: statistics.median(values) for name, values in times.items()}
    peers = {name: value for name, value in seconds.items() if name.startswith("pytorch")}
    large = {name: value for name, value in peers.items() if "small" not in name}
    large_f32 = [value for name, value in large.items() if "autocast" not in name]
    small = [value for name, value in peers.items() if "small" in name]
    ours = {name: seconds.get("ours " + name) for name in ("f32", "bf16", "small sweep")}
    return {
        "f32": ratio(peers.get("pytorch f32"), ours["f32"]),
        "bf16": ratio(min(large.values(), default=None), ours["bf16"]),
        "small": ratio(peers.get("pytorch small"), ours["small sweep"]),
        "f32_best": ratio(min(large_f32, default=None), ours["f32"]),
        "small_best": ratio(min(small, default=None), ours["small sweep"]),
        "pytorch": torch.__version__,
        "seconds_per_step": {name: float(f"{value:.4g}") for name, value in seconds.items()},
        "absent": absent,
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ours", required=True, help="the program bench_train_step")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--steps", type=int, default=200, help="steps of PyTorch in a round")
    parser.add_argument("--warm-up", type=int, default=30, help="steps of PyTorch before the first round")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--compile", action=argparse.BooleanOptionalAction, default=True, help="torch.compile too")
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    print(f"PyTorch {torch.__version__}, {arguments.threads} threads, {torch.backends.cpu.get_cpu_capability()}; "
          f"median of {arguments.rounds} rounds of {arguments.steps} steps")
    contestants = make_contestants(arguments)
    times, absent = measure(contestants, arguments)
    print_table(contestants, times, absent)
    result = summary(times, absent)
    print(json.dumps(result))
    return 0 if all(result[name] is not None for name in ("f32", "bf16", "small")) else 1


if __name__ == "__main__":
    sys.exit(main())
