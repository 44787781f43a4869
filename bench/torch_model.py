"""FM and CFM in PyTorch: the equations, written as a user of PyTorch writes them.

    z  = mean_b(tanh(X W1 + b1)) W2 + b2                        (D)    the mask scores
    m  = D^p softmax(z)       m~ = D^p softmax(-z)              (D)    the mask and its complement
                              or D^p (1 - softmax(z)) / D              the remainder
    fea(X) = dropout(lrelu(lrelu(X V1 + c1) V2 + c2))           (B,F2)
    loss = CE(fea(X*m) Um + um, y) + gamma CE(fea(X*m~) Uc + uc, r)

X (B,D), y and r (B) class numbers, r drawn anew for each step. FM has no second path and no Uc, uc.
"""

from dataclasses import dataclass

import torch
from torch import nn
from torch.nn import functional as F


@dataclass
class ModelOptions:
    features: int
    classes: int
    mask_hidden: int = 8
    width1: int = 128
    width2: int = 64
    mask_scale_power: float = 0.5
    dropout: float = 0.3
    leak: float = 0.02
    gamma: float = 1.0
    complement: bool = True  # False: FM
    remainder: bool = False


class MaskModel(nn.Module):
    def __init__(self, options: ModelOptions):
        super().__init__()
        o = self.options = options
        self.mask_first = nn.Linear(o.features, o.mask_hidden)
        self.mask_second = nn.Linear(o.mask_hidden, o.features)
        self.trunk = nn.Sequential(
            nn.Linear(o.features, o.width1), nn.LeakyReLU(o.leak),
            nn.Linear(o.width1, o.width2), nn.LeakyReLU(o.leak),
            nn.Dropout(o.dropout))
        self.main_head = nn.Linear(o.width2, o.classes)
        self.complement_head = nn.Linear(o.width2, o.classes) if o.complement else None
        self.scale = o.features**o.mask_scale_power

    def mask_scores(self, x):
        return self.mask_second(torch.tanh(self.mask_first(x)).mean(dim=0))

    def mask(self, x):
        return self.scale * F.softmax(self.mask_scores(x), dim=0)

    def complement(self, x):
        return self.complement_of(self.mask_scores(x))

    def complement_of(self, z):
        if self.options.remainder:
            return self.scale * (1 - F.softmax(z, dim=0)) / self.options.features
        return self.scale * F.softmax(-z, dim=0)

    def forward(self, x):
        """Head outputs (B,C) of the main path and, for CFM, of the complementary one."""
        z = self.mask_scores(x)
        main = self.main_head(self.trunk(x * (self.scale * F.softmax(z, dim=0))))
        if self.complement_head is None:
            return main, None
        return main, self.complement_head(self.trunk(x * self.complement_of(z)))

    def loss(self, x, y, r):
        """The loss, and its two parts before gamma."""
        main, complement = self(x)
        main_loss = F.cross_entropy(main, y)
        if complement is None:
            return main_loss, main_loss, torch.zeros_like(main_loss)
        complement_loss = F.cross_entropy(complement, r)
        return main_loss + self.options.gamma * complement_loss, main_loss, complement_loss

    def mask_parameters(self):
        return [*self.mask_first.parameters(), *self.mask_second.parameters()]

    def network_parameters(self):
        mask = {id(p) for p in self.mask_parameters()}
        return [p for p in self.parameters() if id(p) not in mask]

    def named_matrices(self):
        """Name of the formula -> (parameter, whether it is stored (out,in) and the formula has (in,out))."""
        layers = [("W1", "b1", self.mask_first), ("W2", "b2", self.mask_second), ("V1", "c1", self.trunk[0]),
                  ("V2", "c2", self.trunk[2]), ("Um", "um", self.main_head)]
        if self.complement_head is not None:
            layers.append(("Uc", "uc", self.complement_head))
        matrices = {}
        for weight, bias, layer in layers:
            matrices[weight] = (layer.weight, True)
            matrices[bias] = (layer.bias, False)
        return matrices


def adam(model: MaskModel, learning_rate=1e-3, mask_learning_rate=1e-3, **options):
    """Adam with its own step size for the mask."""
    return torch.optim.Adam([{"params": model.network_parameters(), "lr": learning_rate},
                             {"params": model.mask_parameters(), "lr": mask_learning_rate}],
                            betas=(0.9, 0.999), eps=1e-8, **options)
