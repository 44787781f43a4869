"""Writes the numbers of PyTorch that the C++ tests compare with: see README.md beside this file.

    python tests/reference/make_reference.py [DIR]
"""

import copy
import sys
from pathlib import Path

import torch

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "bench"))
from torch_model import MaskModel, ModelOptions, adam  # noqa: E402

SHAPES = {
    "small": dict(rows=12, features=10, mask_hidden=3, width1=7, width2=5, classes=4),
    "wide": dict(rows=9, features=17, mask_hidden=8, width1=16, width2=8, classes=3),
}
KINK_MARGIN = 1e-4  # no LeakyReLU input is closer to its kink: differences and float32 stay on one side of it


def write(path, tensors):
    with open(path, "w", encoding="ascii") as out:
        for name, value in tensors.items():
            value = torch.as_tensor(value).detach()
            value = value.reshape(1) if value.dim() == 0 else value
            print("tensor", name, *value.shape, file=out)
            print(*("%.9g" % v for v in value.flatten().tolist()), file=out)


def coarse_normal(*shape, generator):
    """Standard normal, rounded to 1/64: exact in float32 and short in text."""
    return torch.round(torch.randn(*shape, generator=generator) * 64) / 64


def in_formula_order(model, take=lambda p: p):
    """Parameters, or what `take` makes of them, oriented (in,out)."""
    return {name: take(p).t() if transposed else take(p) for name, (p, transposed) in model.named_matrices().items()}


def random_model(options, generator):
    """Float32 parameters in which nothing is zero or equal: biases too."""
    model = MaskModel(options)
    with torch.no_grad():
        for p in model.parameters():
            spread = p.shape[1]**-0.5 if p.dim() == 2 else 0.2
            p.copy_(torch.randn(p.shape, generator=generator) * spread)
    return model.eval()  # dropout off


def smallest_kink_distance(model, x):
    distances = []
    hooks = [layer.register_forward_pre_hook(lambda _, inputs: distances.append(inputs[0].abs().min().item()))
             for layer in model.trunk if isinstance(layer, torch.nn.LeakyReLU)]
    model(x)
    for hook in hooks:
        hook.remove()
    return min(distances)


def draw(options, rows, kink_margin):
    """The first draw of model, batch and labels that keeps its distance from the kinks."""
    for seed in range(10_000):
        generator = torch.Generator().manual_seed(seed)
        model = random_model(options, generator)
        x = coarse_normal(rows, options.features, generator=generator)
        y, r = (torch.randint(options.classes, (rows,), generator=generator) for _ in range(2))
        if smallest_kink_distance(copy.deepcopy(model).double(), x.double()) > kink_margin:
            return model, x, y, r
    raise RuntimeError("no draw keeps its distance from the kinks; use a smaller margin")


def gradients(model, x, y, r):
    """The masks, the losses and every gradient."""
    model.zero_grad()
    loss, main_loss, complement_loss = model.loss(x, y, r)
    loss.backward()
    values = {"z": model.mask_scores(x), "m": model.mask(x)}
    if model.options.complement:
        values |= {"mt": model.complement(x), "loss_complement": complement_loss}
    values |= {"loss_main": main_loss, "loss": loss}
    values |= {"d" + name: g for name, g in in_formula_order(model, lambda p: p.grad).items()}
    return {name: value.detach() for name, value in values.items()}


def relative_difference(a, b):
    return ((a.double() - b.double()).norm() / b.double().norm()).item()


def gradient_case(path, shape, power, gamma, complement, remainder=False):
    shape = dict(shape)
    rows = shape.pop("rows")
    options = ModelOptions(**shape, mask_scale_power=power, gamma=gamma, complement=complement, remainder=remainder)
    model, x, y, r = draw(options, rows, KINK_MARGIN)
    exact = gradients(copy.deepcopy(model).double(), x.double(), y, r)
    single = gradients(model, x, y, r)
    worst = max(relative_difference(single[name], exact[name]) for name in exact)
    assert worst < 1e-5, f"{path.name}: float32 and float64 differ by {worst}"
    tensors = {"X": x, "y": y}
    if complement:
        tensors["r"] = r
    tensors |= {"gamma": gamma, "leak": options.leak, "scale_power": power}
    write(path, tensors | in_formula_order(model) | exact)
    print(f"{path.name}: loss {exact['loss'].item():.6f}, float32 differs by {worst:.1e}")


def learnable_rows(rows, features, classes, generator):
    """Classes that depend on the first three features."""
    x = coarse_normal(rows, features, generator=generator)
    y = (x[:, :classes] + 0.3 * torch.randn(rows, classes, generator=generator)).argmax(dim=1)
    return x, y


def batches_and_labels(rows, steps, batch_size, classes, generator):
    """Row numbers (steps,batch_size), every row once in each pass, and random labels of the same shape."""
    passes = [torch.randperm(rows, generator=generator) for _ in range(-(-steps * batch_size // rows))]
    batches = torch.cat(passes)[:steps * batch_size].reshape(steps, batch_size)
    return batches, torch.randint(classes, (steps, batch_size), generator=generator)


def train(model, mask_learning_rate, x, y, batches, labels):
    """Losses (steps) of each step before its update: whole, main, complementary."""
    optimizer = adam(model, learning_rate=1e-3, mask_learning_rate=mask_learning_rate)
    losses = []
    for rows, r in zip(batches, labels):
        optimizer.zero_grad()
        parts = model.loss(x[rows], y[rows], r)
        parts[0].backward()
        optimizer.step()
        losses.append([part.item() for part in parts])
    return torch.tensor(losses, dtype=torch.float64).t()


def training_case(path, power, mask_learning_rate, gamma, complement):
    generator = torch.Generator().manual_seed(7)
    options = ModelOptions(features=20, classes=3, mask_hidden=4, width1=16, width2=8, mask_scale_power=power,
                           gamma=gamma, complement=complement)
    x, y = learnable_rows(96, options.features, options.classes, generator)
    batches, labels = batches_and_labels(96, 200, 32, options.classes, generator)
    model = random_model(options, generator)
    initial = {name: p.detach().clone() for name, p in in_formula_order(model).items()}

    double_model = copy.deepcopy(model).double()
    loss, main_loss, complement_loss = train(model, mask_learning_rate, x, y, batches, labels)
    double_loss = train(double_model, mask_learning_rate, x.double(), y, batches, labels)[0]
    apart = (loss - double_loss).abs().max().item()
    assert apart < 1e-4, f"{path.name}: float32 and float64 losses part by {apart}"

    tensors = {"X": x, "y": y, "batches": batches}
    if complement:
        tensors["random_labels"] = labels
    tensors |= {"gamma": gamma, "leak": options.leak, "scale_power": power, "learning_rate": 1e-3,
                "mask_learning_rate": mask_learning_rate}
    tensors |= initial | {"loss": loss, "loss_main": main_loss}
    if complement:
        tensors["loss_complement"] = complement_loss
    tensors |= {"final_" + name: p for name, p in in_formula_order(model).items()}
    write(path, tensors | {"final_mask": model.mask(x)})
    print(f"{path.name}: loss {loss[0]:.4f} to {loss[-1]:.4f}, float64 within {apart:.1e}")


def main():
    directory = Path(sys.argv[1]) if len(sys.argv) > 1 else HERE
    torch.set_num_threads(1)
    for shape_name, shape in SHAPES.items():
        for power in (0, 0.5):
            gradient_case(directory / f"fm_{shape_name}_p{power}.txt", shape, power, 0, False)
            for gamma in (0.5, 10):
                gradient_case(directory / f"cfm_{shape_name}_p{power}_g{gamma}.txt", shape, power, gamma, True)
            gradient_case(directory / f"remainder_{shape_name}_p{power}_g10.txt", shape, power, 10, True, True)
    training_case(directory / "train_fm.txt", power=0, mask_learning_rate=1e-3, gamma=0, complement=False)
    training_case(directory / "train_cfm.txt", power=0.5, mask_learning_rate=1e-2, gamma=1, complement=True)


if __name__ == "__main__":
    main()
