"""Writes losses.txt, complementary losses with their gradients by PyTorch autograd: see README.md beside this file.

    python tests/reference/make_losses.py [DIR]
"""

import math
import sys
from pathlib import Path

import numpy
import torch
from torch.nn import functional as F

from number_file import write

HERE = Path(__file__).resolve().parent
ROWS, CLASSES = 5, 4

LOSSES = {
    "uniform": lambda main, complement, y: -F.log_softmax(complement, dim=1).mean(dim=1),
    "entropy": lambda main, complement, y: math.log(CLASSES) - torch.distributions.Categorical(
        logits=complement).entropy(),
    "distance": lambda main, complement, y: 1 - (F.softmax(main, dim=1) - F.softmax(complement, dim=1)).square().sum(
        dim=1) / 2,
    "negative": lambda main, complement, y: -F.cross_entropy(complement, y, reduction="none"),
}


def main():
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else HERE
    torch.manual_seed(0)
    outputs = [torch.randn(ROWS, CLASSES).double().requires_grad_() for _ in range(2)]
    labels = torch.randint(CLASSES, (ROWS,))
    arrays = {"main": outputs[0].detach().numpy().astype(numpy.float32),
              "complement": outputs[1].detach().numpy().astype(numpy.float32), "labels": labels.numpy()}
    for name, loss in LOSSES.items():
        value = loss(*outputs, labels).sum()
        slopes = torch.autograd.grad(value, outputs, allow_unused=True)
        arrays[f"{name}.loss"] = value.detach().numpy()
        for path, slope in zip(("main", "complement"), slopes):
            arrays[f"{name}.{path}_gradient"] = numpy.zeros((ROWS, CLASSES)) if slope is None else slope.numpy()
    write(folder / "losses.txt", arrays)


if __name__ == "__main__":
    main()
