"""Losses and gradients of outputs for labels and quantities, by PyTorch autograd in double precision: tasks.txt.

    python make_tasks.py [FOLDER]
"""
import sys
from pathlib import Path

import torch
import torch.nn.functional as F

from number_file import write

HERE = Path(__file__).resolve().parent
ROWS, OUTPUTS = 5, 7


def main():
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else HERE
    torch.manual_seed(1)
    outputs = 3 * torch.randn(ROWS, OUTPUTS, dtype=torch.float64)
    labels = torch.randint(0, 2, (ROWS, OUTPUTS)).double()
    values = torch.randn(ROWS, OUTPUTS, dtype=torch.float64)
    tensors = {"outputs": outputs.clone(), "labels": labels, "values": values}
    for name, loss_of in (
            ("sigmoid", lambda x: F.binary_cross_entropy_with_logits(x, labels, reduction="none").mean(dim=1).sum()),
            ("square", lambda x: (0.5 * (x - values) ** 2).mean(dim=1).sum())):
        x = outputs.clone().requires_grad_(True)
        loss = loss_of(x)
        tensors |= {f"{name}.loss": loss.detach().reshape(1), f"{name}.gradient": torch.autograd.grad(loss, x)[0]}
    write(folder / "tasks.txt", {key: value.numpy().reshape(-1) for key, value in tensors.items()})


if __name__ == "__main__":
    main()
