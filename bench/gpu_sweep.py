"""A sweep of 35 models, 5 seeds x 7 gammas, on one GPU: Obverse and PyTorch, same network, same data, same run.

    python bench/gpu_sweep.py --binary build/bench/bench_gpu_sweep --data X.npy --labels y.npy
    python bench/gpu_sweep.py --check        the batched forms against single networks, in float64 on the processor

MNIST, 60,000 x 784 bytes, as .npy or IDX files; without --data generated numbers of that shape. H 8, batches of 256,
30 epochs, widths 128 and 64, dropout 0.3, Adam 1e-3, a mask and its complement with random labels.

Ours is the whole sweep with the upload of the data, the median of its rounds. PyTorch's is a sample of steps, the median over
repeats, times the steps of the sweep: data on the GPU already, rows by random numbers, fused Adam, losses not read;
the last reading of the masks costs it nothing. Each form with products in TF32 and in bfloat16 by autocast, the faster
counts.

Prints a table, then one line of JSON: `seconds` of ours in bf16; `vs_NAME`, the fastest PyTorch of that name over it:
    eager              one model after another
    compiled           the same by torch.compile, default and reduce-overhead, compilation not counted
    graph              the same, a whole step in a CUDA graph recorded by hand
    batched            all models at once, by hand (torch_batched.py)
    batched_compiled   that by torch.compile, in a CUDA graph, or both
A form that fails or trains to another loss than the first is null, and `absent` says why.
"""

import argparse
import contextlib
import gc
import gzip
import json
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch_batched import FORMS, BatchedModel
from torch_model import MaskModel, ModelOptions, adam

SEEDS = 5
GAMMAS = (0.001, 0.01, 0.1, 1.0, 10.0, 30.0, 100.0)
MIDDLE = GAMMAS.index(1.0)  # the gamma of networks that are trained alone
MODELS = SEEDS * len(GAMMAS)
BATCH, EPOCHS = 256, 30
LOSS_STEPS = 20  # behind the timed ones, for the loss
LOSS_SHARE = 0.1  # how far the losses of two forms may lie apart


@dataclass(frozen=True)
class Variant:
    """A way to train with PyTorch."""
    field: str
    form: str | None = None  # of the batched model; none: a single one
    mode: str | None = None  # of torch.compile
    graph: bool = False
    narrow: bool = False  # bfloat16 by autocast

    @property
    def name(self):
        words = ["batched" if self.form else "single" if self.graph else "", self.form or "",
                 f"compiled {self.mode}" if self.mode else "", "graph" if self.graph else ""]
        words = [word for word in words if word] or ["eager"]
        return " ".join([*words, "bf16" if self.narrow else "tf32"])


# In the order in which they run: what takes long to compile at the end.
VARIANTS = [Variant(field, form, mode, graph, narrow) for field, form, mode, graph in (
    ("eager", None, None, False),
    ("batched", "weighed", None, False),
    ("batched", "masked", None, False),
    ("graph", None, None, True),
    ("batched_compiled", "weighed", None, True),
    ("compiled", None, "reduce-overhead", False),
    ("compiled", None, "default", False),
    ("batched_compiled", "weighed", "default", False),
    ("batched_compiled", "weighed", "default", True),
    ("batched_compiled", "weighed", "reduce-overhead", False),
) for narrow in (False, True)]
FIELDS = list(dict.fromkeys(variant.field for variant in VARIANTS))


def seeded_models(features, classes, seeds=range(SEEDS), gammas=GAMMAS, **options):
    """Networks of a seed start alike."""
    models = []
    for seed in seeds:
        for gamma in gammas:
            torch.manual_seed(seed)
            models.append(MaskModel(ModelOptions(features=features, classes=classes, gamma=gamma, **options)))
    return models


class Training(nn.Module):
    """From row numbers to the loss. The data are buffers: torch.compile then knows that they stay where they are."""

    def __init__(self, model, data, narrow):
        super().__init__()
        self.model, self.narrow, self.classes = model, narrow, model.options.classes
        batched = isinstance(model, BatchedModel)
        self.register_buffer("x", data.x.bfloat16() if batched and narrow else data.x)
        self.register_buffer("y", data.y)

    def forward(self, rows):
        x, y = self.x[rows], self.y[rows]
        r = torch.randint(self.classes, rows.shape, device=rows.device)
        with torch.autocast(x.device.type, dtype=torch.bfloat16, enabled=self.narrow):
            return self.model.loss(x, y, r)


class Trainer:
    """One network, or all of them, and an endless supply of shuffled batches."""

    def __init__(self, variant, data):
        self.variant, self.steps = variant, 0
        seeds = range(SEEDS) if variant.form else range(1)
        gammas = GAMMAS if variant.form else GAMMAS[MIDDLE:MIDDLE + 1]
        models = seeded_models(data.x.shape[1], data.classes, seeds, gammas)
        model = BatchedModel(models, SEEDS, variant.form) if variant.form else models[0]
        self.training = Training(model.to(data.x.device), data, variant.narrow)
        self.optimizer = torch.optim.Adam(model.parameters(), lr=1e-3, fused=True, capturable=variant.graph)
        self.loss = torch.compile(self.training, mode=variant.mode) if variant.mode else self.training
        self.batches = self.shuffled([torch.Generator(data.x.device).manual_seed(seed) for seed in seeds])
        torch.manual_seed(0)  # dropout and random labels
        self.recorded = self.record() if variant.graph else None

    def shuffled(self, generators):
        """Row numbers, (B) for a single network and (S,B) for all; those of seed 0 are the same in both."""
        rows, device = self.training.y.shape[0], self.training.y.device
        steps = rows // BATCH
        while True:
            orders = [torch.randperm(rows, generator=generator, device=device)[:steps * BATCH].view(steps, BATCH)
                      for generator in generators]
            yield from (torch.stack(orders, dim=1) if self.variant.form else orders[0]).unbind()

    def update(self, rows):
        """One step; the main losses of the models."""
        self.optimizer.zero_grad()
        loss, main, _ = self.loss(rows)
        loss.backward()
        self.optimizer.step()
        return main.detach()

    def record(self):
        """A step as a CUDA graph: its rows, the losses it leaves, and itself."""
        self.steps += 3
        stream = torch.cuda.Stream()
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            for _ in range(3):
                self.update(next(self.batches))
        torch.cuda.current_stream().wait_stream(stream)
        rows, graph = next(self.batches).clone(), torch.cuda.CUDAGraph()
        self.optimizer.zero_grad()
        with torch.cuda.graph(graph):
            main = self.update(rows)
        return rows, main, graph

    def step(self):
        self.steps += 1
        if self.recorded:
            rows, main, graph = self.recorded
            rows.copy_(next(self.batches))
            graph.replay()
            return main
        if self.variant.mode == "reduce-overhead":
            torch.compiler.cudagraph_mark_step_begin()
        return self.update(next(self.batches))

    def seconds(self, steps):
        """For each of so many steps, on the mean."""
        synchronize(self.training.y.device)
        begin = time.perf_counter()
        for _ in range(steps):
            self.step()
        synchronize(self.training.y.device)
        return (time.perf_counter() - begin) / steps

    def main_loss(self, after):
        """Of seed 0 and gamma 1, the mean of the steps behind that many."""
        while self.steps < after:
            self.step()
        index = MIDDLE if self.variant.form else 0
        return statistics.mean(self.step().view(-1)[index].item() for _ in range(LOSS_STEPS))


def synchronize(device):
    if device.type == "cuda":
        torch.cuda.synchronize()


@dataclass
class Data:
    x: torch.Tensor  # (N,D) float32
    y: torch.Tensor  # (N) class numbers
    classes: int


def read_array(path):
    """A .npy file, or IDX, gzip or not: two zero bytes, type, dimensions, then 32-bit sizes and bytes."""
    if path.suffix == ".npy":
        return np.load(path)
    with (gzip.open if path.suffix == ".gz" else open)(path, "rb") as file:
        shape = np.frombuffer(file.read(4 * file.read(4)[3]), ">u4")
        return np.frombuffer(file.read(), np.uint8).reshape(shape)


def write_generated(folder, rows=60_000, features=784, classes=10):
    """Noise around a picture for each class, a third of the labels at random; paths for --data and --labels."""
    random = np.random.default_rng(1)
    y, other = random.integers(0, classes, (2, rows), dtype=np.uint8)
    pictures = random.integers(0, 192, (classes, features), dtype=np.uint8)
    paths = Path(folder) / "X.npy", Path(folder) / "y.npy"
    np.save(paths[0], pictures[y] + random.integers(0, 64, (rows, features), dtype=np.uint8))
    np.save(paths[1], np.where(random.random(rows) < 1 / 3, other, y))
    return paths


def load(data, labels, device):
    x, y = read_array(data), read_array(labels).astype(np.int64)
    x = torch.tensor(x.reshape(len(x), -1)).to(device).float().div_(255)
    return Data(x, torch.tensor(y).to(device), int(y.max()) + 1)


class OutOfTime(Exception):
    pass


@contextlib.contextmanager
def limited(seconds, least=0.5):
    """Ends what runs inside by an OutOfTime, again every few seconds where that is caught."""
    if seconds < least:
        raise OutOfTime("no time was left for it")

    def stop(*_):
        raise OutOfTime(f"stopped after {seconds:.0f} s")

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds, 5)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def reason_of(error):
    """The first line that says something."""
    return next(iter(str(error).strip().splitlines()), type(error).__name__)


class Clock:
    """What is left of the time for the whole run."""

    def __init__(self, seconds):
        self.end = time.perf_counter() + seconds

    def left(self):
        return self.end - time.perf_counter()


def run_ours(arguments, precision, data, labels, seconds):
    """What the program prints last."""
    command = [arguments.binary, data, "--labels", labels, "--precision", precision, "--rounds", arguments.rounds,
               "--device", arguments.device]
    command = [str(word) for word in command]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=max(seconds, 0.1))
    except subprocess.TimeoutExpired:
        raise OutOfTime(f"stopped after {seconds:.0f} s") from None
    if done.returncode != 0:
        raise RuntimeError(f"exit code {done.returncode}: {done.stderr.strip() or done.stdout.strip()}")
    return json.loads(done.stdout.strip().splitlines()[-1])


def time_ours(arguments, paths, clock, absent):
    """Name -> what the program says."""
    results = {}
    for precision in ("bf16",) if arguments.quick else ("bf16", "tf32", "f32"):
        name = f"ours {precision}"
        try:
            if arguments.binary is None:
                raise RuntimeError("--binary names no program")
            result = results[name] = run_ours(arguments, precision, *paths, min(clock.left(), 60))
            print(f"{name:46}{result['seconds']:10.3f} s; first round {result['wall']:.3f} s", flush=True)
        except Exception as error:  # a program without a GPU, or without that precision
            absent[name] = reason_of(error)
            print(f"{name:46} does not run here: {absent[name]}", flush=True)
    return results


def median_seconds(work, repeats, device):
    times = []
    for _ in range(repeats + 3):
        synchronize(device)
        begin = time.perf_counter()
        work()
        synchronize(device)
        times.append(time.perf_counter() - begin)
    return statistics.median(times[3:])


def copy_rate(device, count=1 << 30, repeats=20):
    """GB/s read and written, from one place of the device to another."""
    source = torch.rand(count, device=device)
    target = torch.empty_like(source)
    return 2 * 4 * count / median_seconds(lambda: target.copy_(source), repeats, device) / 1e9


def product_rate(device, size=8192, repeats=20):
    """TFLOP/s of a product of square matrices in bfloat16."""
    left, right = (torch.randn(size, size, device=device).bfloat16() for _ in range(2))
    return 2 * size**3 / median_seconds(lambda: left @ right, repeats, device) / 1e12


def measure_ceilings(device, clock, absent):
    small = {"count": 1 << 20} if device.type == "cpu" else {}, {"size": 256} if device.type == "cpu" else {}
    rates = {}
    for name, rate, options in (("copy_gb_s", copy_rate, small[0]), ("product_tflop_s", product_rate, small[1])):
        try:
            with limited(min(clock.left(), 30)):
                rates[name] = round(rate(device, **options), 1)
        except Exception as error:
            rates[name], absent[name] = None, reason_of(error)
        release(device)
    print(f"copy {rates['copy_gb_s']} GB/s read and written, bf16 product {rates['product_tflop_s']} TFLOP/s",
          flush=True)
    return rates


def release(device):
    gc.collect()
    torch._dynamo.reset()
    if device.type == "cuda":
        torch.cuda.empty_cache()


def time_variant(variant, data, arguments):
    """Seconds of a step, one for each repeat, and the loss behind them."""
    trainer = Trainer(variant, data)
    for _ in range(arguments.warm_up):
        trainer.step()
    times = [trainer.seconds(arguments.steps) for _ in range(arguments.repeats)]
    return times, trainer.main_loss(arguments.warm_up + arguments.repeats * arguments.steps + 10)


def sweep_seconds(variant, step, rows):
    """The whole sweep; the last short batch counts as its share of a full one."""
    return step * rows / BATCH * EPOCHS * (1 if variant.form else MODELS)


def time_peers(data, arguments, clock, absent):
    """Variant -> (seconds of a step, one for each repeat; loss)."""
    results, reference = {}, None
    rows = len(data.y)
    print(f"{'':46}{'sweep s':>10}{'ms/step':>9}{'fastest':>9}{'slowest':>9}{'loss':>8}")
    for variant in VARIANTS:
        begin = time.perf_counter()
        try:
            if arguments.quick and variant.mode:
                raise OutOfTime("left out by --quick")
            with limited(min(clock.left(), 90)):
                times, loss = time_variant(variant, data, arguments)
            reference = loss if reference is None else reference
            if not abs(loss / reference - 1) <= LOSS_SHARE:
                raise RuntimeError(f"trains to a loss of {loss:.4f}, where the first form has {reference:.4f}")
            results[variant] = times, loss
            middle = statistics.median(times)
            print(f"{variant.name:46}{sweep_seconds(variant, middle, rows):10.2f}{middle * 1e3:9.3f}"
                  f"{min(times) * 1e3:9.3f}{max(times) * 1e3:9.3f}{loss:8.3f}   "
                  f"({time.perf_counter() - begin:.0f} s to measure)", flush=True)
        except Exception as error:
            absent[variant.name] = reason_of(error)
            print(f"{variant.name:46} not measured: {absent[variant.name]}", flush=True)
        release(data.y.device)
    return results


def summary(ours, peers, rows, arguments):
    """Seconds of ours, and each kind of peer over it."""
    steps = {variant: statistics.median(times) for variant, (times, _) in peers.items()}
    seconds = {variant: sweep_seconds(variant, step, rows) for variant, step in steps.items()}
    result = {name: ours.get("ours bf16", {}).get(name) for name in ("seconds", "wall")}
    result |= {f"seconds_{name}": ours.get(f"ours {name}", {}).get("seconds") for name in ("tf32", "f32")}
    for field in FIELDS:
        fastest = min((value for variant, value in seconds.items() if variant.field == field), default=None)
        result[f"vs_{field}"] = round(fastest / result["seconds"], 2) if fastest and result["seconds"] else None
    everything = {name: line["seconds"] for name, line in ours.items()}
    everything |= {variant.name: float(f"{value:.4g}") for variant, value in seconds.items()}
    return result | {
        "seconds_of": everything,
        "rounds": {name: line["rounds"] for name, line in ours.items()},
        "ms_per_step": {variant.name: float(f"{step * 1e3:.4g}") for variant, step in steps.items()},
        "losses": {variant.name: round(loss, 4) for variant, (_, loss) in peers.items()},
        "steps_sampled": arguments.repeats * arguments.steps,
        "repeats": arguments.repeats,
        "warm_up": arguments.warm_up,
        "models": MODELS,
        "epochs": EPOCHS,
        "steps_of_sweep": round(rows / BATCH * EPOCHS, 1),
    }


def largest_difference(form, steps=3):
    """Between the parameters of 35 networks trained one by one and by the batched form, after so many steps."""
    rows, features, classes = 16, 20, 3
    models = seeded_models(features, classes, mask_hidden=4, width1=12, width2=6, dropout=0.0)
    batched = BatchedModel(models, SEEDS, form)
    together = torch.optim.Adam(batched.parameters(), lr=1e-3, fused=True)
    alone = [adam(model) for model in models]
    for _ in range(steps):
        x = torch.rand(SEEDS, rows, features)
        y, r = torch.randint(classes, (2, SEEDS, rows))
        together.zero_grad()
        batched.loss(x, y, r)[0].backward()
        together.step()
        for index, (model, optimizer) in enumerate(zip(models, alone)):
            seed = index // len(GAMMAS)
            optimizer.zero_grad()
            model.loss(x[seed], y[seed], r[seed])[0].backward()
            optimizer.step()
    expected = BatchedModel(models, SEEDS, form)
    with torch.no_grad():
        return max((p - q).abs().max().item() for p, q in zip(batched.parameters(), expected.parameters()))


def check():
    """Whether the batched forms take the steps of single networks, without dropout, in float64."""
    torch.set_default_dtype(torch.float64)
    try:
        differences = {form: largest_difference(form) for form in FORMS}
    finally:
        torch.set_default_dtype(torch.float32)
    for form, difference in differences.items():
        print(f"batched {form}: at most {difference:.1e} from {MODELS} single networks after 3 steps")
    return all(difference < 1e-12 for difference in differences.values())


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", help="the program bench_gpu_sweep")
    parser.add_argument("--data", type=Path, help="(N,D) bytes, .npy or IDX")
    parser.add_argument("--labels", type=Path, help="(N) class numbers, .npy or IDX")
    parser.add_argument("--check", action="store_true", help="only that; needs no GPU")
    parser.add_argument("--quick", action="store_true", help="few steps, ours in bf16 alone, no torch.compile")
    parser.add_argument("--rounds", type=int, help="of ours [3; quick: 2]")
    parser.add_argument("--warm-up", type=int, help="steps of PyTorch before the first repeat [50; quick: 10]")
    parser.add_argument("--repeats", type=int, help="of the timed steps [7; quick: 3]")
    parser.add_argument("--steps", type=int, help="of PyTorch in a repeat [100; quick: 20]")
    parser.add_argument("--limit", type=float, default=330, help="seconds; what is not measured then is left out")
    parser.add_argument("--device", type=torch.device, default=torch.device("cuda"))
    arguments = parser.parse_args()
    if (arguments.data is None) != (arguments.labels is None):
        parser.error("--data and --labels go together")
    for name, full, quick in (("rounds", 3, 2), ("warm_up", 50, 10), ("repeats", 7, 3), ("steps", 100, 20)):
        if getattr(arguments, name) is None:
            setattr(arguments, name, quick if arguments.quick else full)
    return arguments


def main():
    arguments = parse_arguments()
    clock, absent = Clock(arguments.limit), {}
    right = check()
    if arguments.check or not right:
        return 0 if right else 1
    torch.set_float32_matmul_precision("high")
    with tempfile.TemporaryDirectory() as folder:
        paths = (arguments.data, arguments.labels) if arguments.data else write_generated(folder)
        words = str(arguments.data) if arguments.data else "generated numbers, not MNIST: no --data was given"
        print(f"data: {words}", flush=True)
        ours = time_ours(arguments, paths, clock, absent)
        result, peers, rows = {"data": words, "torch": torch.__version__, "device": None}, {}, 0
        try:
            device = arguments.device
            result["device"] = torch.cuda.get_device_name(device) if device.type == "cuda" else device.type
            result |= measure_ceilings(device, clock, absent)
            data = load(*paths, device)
            rows = len(data.y)
            print(f"PyTorch {torch.__version__} on {result['device']}, {rows:,} x {data.x.shape[1]}: "
                  f"{arguments.repeats} repeats of {arguments.steps} steps after {arguments.warm_up}", flush=True)
            peers = time_peers(data, arguments, clock, absent)
        except Exception as error:  # no device, or none that PyTorch can use
            absent["pytorch"] = reason_of(error)
            print(f"PyTorch does not run here: {absent['pytorch']}")
    result = summary(ours, peers, rows, arguments) | result | {"absent": absent}
    print(json.dumps(result))
    asked = [name for name in result if name == "seconds" or name.startswith("vs_")]
    return 0 if arguments.quick or all(result[name] is not None for name in asked) else 1


if __name__ == "__main__":
    sys.exit(main())
