"""Writes masks.txt, masks of trained numbers with their gradients by PyTorch autograd: see README.md beside this file.

    python tests/reference/make_masks.py [DIR]

Each family is written down from its formulas, in double and without noise, half way through the training for k = 3.
"""

import math
import sys
from pathlib import Path

import torch
from torch.nn import functional as F

from number_file import write

HERE = Path(__file__).resolve().parent
D, K, PROGRESS, SCALE_POWER = 9, 3, 0.5, 0.5
SCALE = D**SCALE_POWER


def fm(z):
    """Of the scores that attention gives."""
    return SCALE * F.softmax(z, dim=0), SCALE * F.softmax(-z, dim=0), 0 * z.sum()


def afs(z):
    return torch.sigmoid(z), torch.sigmoid(-z), 0 * z.sum()


def dfs(w):
    return w, D * F.softmax(-w.abs(), dim=0), 1e-3 * (0.5 * w.abs() + 0.25 * w**2).sum()


def cancelout(w):
    m = torch.sigmoid(w)
    return m, torch.sigmoid(-w), 0.1 * (m.mean() - m.var(unbiased=False))


def cancelout_softmax(w):
    return SCALE * F.softmax(w, dim=0), SCALE * F.softmax(-w, dim=0), 0 * w.sum()


def concrete(w):
    temperature, s, mask = 10 * 0.01**PROGRESS, w, torch.zeros(D, dtype=w.dtype)
    for _ in range(K):
        p = F.softmax(s / temperature, dim=0)
        mask = mask + p
        s = s + torch.log(1 - p)
    return mask, torch.clamp(1 - mask, min=0), 0 * w.sum()


def stg(w):
    gate = torch.clamp(w + 0.5, 0, 1)
    return gate, 1 - gate, (0.5 * (1 + torch.erf((w + 0.5) / 0.5 / math.sqrt(2)))).mean()


def sequential(w):
    """One of three phases is over."""
    best = int(w.argmax())
    rest = torch.tensor([d for d in range(D) if d != best])
    mask = torch.ones(D, dtype=w.dtype).index_copy(0, rest, F.softmax(w[rest], dim=0))
    return mask, torch.zeros(D, dtype=w.dtype).index_copy(0, rest, F.softmax(-w[rest], dim=0)), 0 * w.sum()


def bsf(w):
    m = torch.clamp(w, 0, 1)
    return m, 1 - m, 2e-3 * w.abs().sum()


def fae(w):
    """The k largest weights, as outside of training."""
    m = torch.where(w >= w.topk(K).values[-1], torch.relu(w), 0)
    return m, D * F.softmax(-m, dim=0), 1e-4 * w.abs().sum()


def aefs(w):
    """The network adds the squares of the first layer."""
    return w, D * F.softmax(-w.abs(), dim=0), 5e-3 / 2 * (w**2).sum()


def main():
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else HERE
    torch.manual_seed(0)
    w = torch.empty(D, dtype=torch.float64).uniform_(-1.5, 1.5)
    of_mask, of_complement = torch.randn(2, D, dtype=torch.float64)
    tensors = {"weights": w.clone(), "of_mask": of_mask, "of_complement": of_complement}
    for family in (fm, afs, dfs, cancelout, cancelout_softmax, concrete, stg, sequential, bsf, fae, aefs):
        name = family.__name__.replace("_", "-")
        w.requires_grad_(True)
        mask, complement, penalty = family(w)
        loss = (of_mask * mask).sum() + (of_complement * complement).sum() + penalty
        tensors |= {f"{name}.mask": mask.detach(), f"{name}.complement": complement.detach(),
                    f"{name}.penalty": penalty.detach().reshape(1),
                    f"{name}.gradient": torch.autograd.grad(loss, w)[0]}
        w = w.detach()
    write(folder / "masks.txt", {key: value.numpy() for key, value in tensors.items()})


if __name__ == "__main__":
    main()
