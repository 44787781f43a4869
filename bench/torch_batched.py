"""Many networks of torch_model.py trained at once in PyTorch: stacked parameters, one product for each seed or model.

    S seeds   G gammas   M = S G models, those of a seed one behind the other   X (S,B,D): a batch for each seed

Two forms of the first layer. `masked` makes the masked inputs, (M,2B,D), as the single network does. `weighed` does
without them: (X*m) V1 = X (diag(m) V1), and the models of a seed share one product of (B,D) by (D, G 2 F1).
"""

import torch
from torch import nn
from torch.nn import functional as F

FORMS = ("masked", "weighed")


class BatchedModel(nn.Module):
    """Starts from the parameters of M networks, all with a complement in the opposite order."""

    def __init__(self, models, seeds, form):
        super().__init__()
        o = self.options = models[0].options
        self.seeds, self.each, self.weighed = seeds, len(models) // seeds, form == "weighed"
        S, G, M, H, D = seeds, self.each, len(models), o.mask_hidden, o.features

        def stacked(*names):
            """(M, names, in, out), or (M, names, out) of biases."""
            return torch.stack([torch.stack([value.detach().T if turned else value.detach() for value, turned in
                                             (model.named_matrices()[name] for name in names)]) for model in models])

        def side_by_side(weights):
            """(M,D,N) -> (S,D,G,N)"""
            return weights.view(S, G, D, -1).transpose(1, 2).contiguous()

        self.W1 = nn.Parameter(side_by_side(stacked("W1")[:, 0]).view(S, D, G * H))
        self.b1 = nn.Parameter(stacked("b1").view(S, 1, G * H))
        self.W2 = nn.Parameter(stacked("W2")[:, 0])
        self.b2 = nn.Parameter(stacked("b2"))
        V1 = stacked("V1")[:, 0]
        self.V1 = nn.Parameter(side_by_side(V1) if self.weighed else V1)
        self.c1 = nn.Parameter(stacked("c1").view(S, 1, G, 1, o.width1) if self.weighed else stacked("c1"))
        self.V2 = nn.Parameter(stacked("V2")[:, 0])
        self.c2 = nn.Parameter(stacked("c2"))
        self.U = nn.Parameter(stacked("Um", "Uc").view(2 * M, o.width2, o.classes))
        self.u = nn.Parameter(stacked("um", "uc").view(2 * M, 1, o.classes))
        gammas = torch.tensor([model.options.gamma for model in models], dtype=V1.dtype, device=V1.device)
        self.register_buffer("gammas", gammas)
        self.scale = models[0].scale

    def masks(self, x):
        """(S,G,2,D): each mask and its complement."""
        hidden = torch.tanh(torch.baddbmm(self.b1, x, self.W1)).mean(dim=1)
        z = torch.baddbmm(self.b2, hidden.view(-1, 1, self.options.mask_hidden), self.W2)
        z = z.view(self.seeds, self.each, 1, -1)
        return self.scale * F.softmax(torch.cat([z, -z], dim=2), dim=3)

    def first_layer(self, x):
        """(M,2B,F1) before the rectifier."""
        S, B, D = x.shape
        masks = self.masks(x).to(x.dtype)
        if not self.weighed:
            masked = x.view(S, 1, 1, B, D) * masks.unsqueeze(3)
            return torch.baddbmm(self.c1, masked.view(-1, 2 * B, D), self.V1)
        weights = self.V1.to(x.dtype).unsqueeze(3) * masks.permute(0, 3, 1, 2).unsqueeze(4)
        sums = torch.bmm(x, weights.view(S, D, -1)).view(S, B, self.each, 2, -1) + self.c1.to(x.dtype)
        return sums.permute(0, 2, 3, 1, 4).reshape(S * self.each, 2 * B, -1)

    def loss(self, x, y, r):
        """The sum of all losses, and (M) the two parts of each before gamma. x (S,B,D), y and r (S,B)."""
        o, (S, B) = self.options, y.shape
        hidden = F.leaky_relu(self.first_layer(x), o.leak)
        hidden = F.leaky_relu(torch.baddbmm(self.c2, hidden, self.V2), o.leak)
        hidden = F.dropout(hidden, o.dropout)
        outputs = torch.baddbmm(self.u, hidden.view(-1, B, o.width2), self.U)
        targets = torch.stack([y, r], dim=1).unsqueeze(1).expand(S, self.each, 2, B)
        losses = F.cross_entropy(outputs.view(-1, o.classes), targets.reshape(-1), reduction="none")
        main, complement = losses.view(-1, 2, B).mean(dim=2).unbind(dim=1)
        return (main + self.gammas * complement).sum(), main, complement
