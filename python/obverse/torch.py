"""Feature masks with a complement, and complementary losses, for networks trained in PyTorch.

    mask = ComplementaryMask(n_features, "stg")                          # with the parameters of your optimizer
    kept, left = mask(x)                                                 # x * m, x * m~
    loss = complementary_loss(head(trunk(kept)), other_head(trunk(left)), y, gamma=1.0) + mask.penalty()

Families, losses and tasks have the names and the formulas of the engine (docs/framework.md); `complementary` takes a
mask of your own. B rows, D features, C outputs.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, SupportsFloat, SupportsIndex

try:
    import torch
except ImportError as error:
    raise ImportError("obverse.torch needs PyTorch: pip install torch") from error

from torch import Tensor, nn
from torch.nn import functional as F

__all__ = ["FAMILIES", "LOSSES", "TASKS", "ComplementaryMask", "complement_of", "complementary", "complementary_loss"]

LOSSES = ("random", "uniform", "entropy", "distance", "negative")
TASKS = ("classification", "multilabel", "regression", "reconstruction")

Pair = tuple[Tensor, Tensor]


# Checks ---------------------------------------------------------------------------------------------------------------


def _names(words: Any) -> str:
    return ", ".join(words)


def _one_of(what: str, word: object, known: Any) -> None:
    if word not in known:
        raise ValueError(f"{what} is one of {_names(known)}; found {word!r}")


def _whole(what: str, value: SupportsIndex, least: int, most: int | None = None) -> int:
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{what} is a whole number; found {value!r}") from None
    if number < least or (most is not None and number > most):
        bounds = f"at least {least}" if most is None else f"between {least} and {most}"
        raise ValueError(f"{what} has to be {bounds}; found {number}")
    return number


def _number(what: str, value: SupportsFloat, least: float, most: float = math.inf) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise TypeError(f"{what} is a number; found {value!r}") from None
    if not (math.isfinite(number) and least <= number <= most):
        bounds = f"at least {least:g}" if most == math.inf else f"between {least:g} and {most:g}"
        raise ValueError(f"{what} has to be {bounds}; found {number:g}")
    return number


def _tensor(what: str, value: object) -> Tensor:
    if not isinstance(value, Tensor):
        raise TypeError(f"{what} is a tensor; found {type(value).__name__}: try torch.as_tensor({what})")
    return value


def _real(what: str, value: object) -> Tensor:
    tensor = _tensor(what, value)
    if not tensor.is_floating_point():
        raise TypeError(f"{what} holds {_dtype(tensor)}, expected floating point numbers: try {what}.float()")
    return tensor


def _dtype(tensor: Tensor) -> str:
    return str(tensor.dtype).removeprefix("torch.")


def _shape(tensor: Tensor) -> str:
    return str(tuple(tensor.shape))


def _at_hand(tensor: Tensor) -> bool:
    """Whether values can be looked at for nothing: on other devices every step would have to wait for it."""
    return tensor.device.type == "cpu" and tensor.numel() > 0 and not torch.compiler.is_compiling()


# Masks ----------------------------------------------------------------------------------------------------------------

_FIRST_TEMPERATURE, _LAST_TEMPERATURE = 10.0, 0.1  # of concrete
_SIGMA = 0.5  # of stg
_SHARE_OF_ALL = 1 / 3  # of fae: steps that see all weights
_GROUP_LASSO = 5e-3  # of aefs


def _size(w: Tensor) -> Tensor:
    """|w|, with the slope 1 at 0 that the engine has."""
    return torch.where(w < 0, -w, w)


def _softmax_pair(z: Tensor, scale: float, remainder: bool) -> Pair:
    mask = scale * torch.softmax(z, dim=-1)
    return mask, (scale - mask) / z.shape[-1] if remainder else scale * torch.softmax(-z, dim=-1)


def _opposite_of_weights(w: Tensor) -> Tensor:
    return w.shape[-1] * torch.softmax(-_size(w), dim=-1)


def _subset(s: Tensor, temperature: Tensor, k: int) -> Tensor:
    """The sum of k soft draws without replacement from the numbers s (D)."""
    s = s / temperature
    mask = torch.zeros_like(s)
    for draw in range(k):
        share = torch.log_softmax(s, dim=0)
        mask = mask + share.exp()
        if draw == k - 1:
            break
        # log(1 - p), for the largest p by the sum of the others: it may be too close to one for a difference.
        top = torch.arange(len(s), device=s.device) == share.argmax()
        rest = torch.logsumexp(share.masked_fill(top, -math.inf), dim=0)
        left = torch.where(top, rest, torch.log1p(-share.masked_fill(top, -math.inf).exp()))
        s = s + left / temperature
    return mask


def _gumbel(w: Tensor) -> Tensor:
    return -torch.empty_like(w).exponential_().log()


def _shares(module: ComplementaryMask, z: Tensor) -> Pair:
    return _softmax_pair(z, module.scale, module.complement_form == "remainder")


def _gates(module: ComplementaryMask, z: Tensor) -> Pair:
    return torch.sigmoid(z), torch.sigmoid(-z)


def _weights(module: ComplementaryMask, w: Tensor) -> Pair:
    return w, _opposite_of_weights(w)


def _concrete(module: ComplementaryMask, w: Tensor) -> Pair:
    assert module.k is not None
    temperature = _FIRST_TEMPERATURE * (_LAST_TEMPERATURE / _FIRST_TEMPERATURE) ** module.done
    mask = _subset(w + _gumbel(w) if module.training else w, temperature, module.k)
    return mask, torch.relu(1 - mask)


def _stochastic_gates(module: ComplementaryMask, w: Tensor) -> Pair:
    noise = _SIGMA * torch.randn_like(w) if module.training else 0.0
    mask = F.hardtanh(w + 0.5 + noise, 0.0, 1.0)
    return mask, 1 - mask


def _filters(module: ComplementaryMask, w: Tensor) -> Pair:
    mask = w.clamp(0.0, 1.0)
    if module.training:  # the gradient goes straight through the draw
        mask = mask + (torch.bernoulli(mask.detach()) - mask).detach()
    return mask, 1 - mask


def _fractal(module: ComplementaryMask, w: Tensor) -> Pair:
    assert module.k is not None
    least = w.detach().topk(module.k).values[-1].clamp_min(0.0)
    if module.training:
        least = torch.where(torch.rand_like(least) < _SHARE_OF_ALL, torch.zeros_like(least), least)
    mask = torch.where(w >= least, w, torch.zeros_like(w))
    return mask, _opposite_of_weights(mask)


def _sequential(module: ComplementaryMask, w: Tensor) -> Pair:
    fixed = module.fixed > 0
    mask = torch.softmax(w.masked_fill(fixed, -math.inf), dim=0)
    return mask.masked_fill(fixed, 1.0), torch.softmax((-w).masked_fill(fixed, -math.inf), dim=0)


def _elastic_net(w: Tensor) -> Tensor:
    return 1e-3 * (0.5 * _size(w) + 0.25 * w.square()).sum()


def _open_and_alike(w: Tensor) -> Tensor:
    mask = torch.sigmoid(w)
    return 0.1 * (mask.mean() - mask.var(unbiased=False))


def _open_gates(w: Tensor) -> Tensor:
    return 0.5 * torch.erfc(-(w + 0.5) / (_SIGMA * math.sqrt(2))).mean()


def _lasso(weight: float) -> Callable[[Tensor], Tensor]:
    return lambda w: weight * _size(w).sum()


def _ridge(w: Tensor) -> Tensor:
    return _GROUP_LASSO / 2 * w.square().sum()


def _near(middle: float, spread: float) -> Callable[[Tensor], Any]:
    return lambda w: nn.init.uniform_(w, middle - spread, middle + spread)


@dataclass(frozen=True)
class _Family:
    """How the numbers of a family become a mask and its complement; no start: they come from attention."""

    masks: Callable[[ComplementaryMask, Tensor], Pair]
    learning_rate: float
    start: Callable[[Tensor], Any] | None = None
    penalty: Callable[[Tensor], Tensor] | None = None
    by_softmax: bool = False
    by_size: bool = False  # ranked by |w|
    needs_k: bool = False
    bounds: tuple[float, float] | None = None  # of its numbers
    first_layer_decay: float = 0.0


_FAMILIES = {
    "fm": _Family(_shares, 1e-3, by_softmax=True),
    "afs": _Family(_gates, 1e-3),
    "dfs": _Family(_weights, 1e-2, _near(1, 0.1), _elastic_net, by_size=True),
    "cancelout": _Family(_gates, 1e-2, _near(0, 0.1), _open_and_alike),
    "cancelout-softmax": _Family(_shares, 1e-2, _near(0, 0.1), by_softmax=True),
    "concrete": _Family(_concrete, 1e-2, _near(0, 0.01), needs_k=True),
    "stg": _Family(_stochastic_gates, 3e-3, lambda w: nn.init.normal_(w, 0, 0.01), _open_gates),
    "sequential": _Family(_sequential, 1e-2, nn.init.zeros_, needs_k=True),
    "bsf": _Family(_filters, 3e-3, lambda w: nn.init.constant_(w, 0.5), _lasso(2e-3), bounds=(0.0, 1.0)),
    "fae": _Family(_fractal, 1e-2, _near(1, 0.01), _lasso(1e-4), needs_k=True, bounds=(0.0, math.inf)),
    "aefs": _Family(_weights, 1e-2, _near(1, 0.1), _ridge, by_size=True, first_layer_decay=_GROUP_LASSO),
}

FAMILIES = tuple(_FAMILIES)


def _family(name: str) -> _Family:
    if name == "cfm":
        raise ValueError("cfm is the family fm with its complement, which every mask here has: family='fm'")
    _one_of("family", name, FAMILIES)
    return _FAMILIES[name]


class ComplementaryMask(nn.Module):
    """A trained mask over D features and its complement, which weighs them in the opposite order.

    n_features    D
    family        fm, afs (attention over the batch by a small network), dfs, cancelout, cancelout-softmax, concrete,
                  stg, sequential, bsf, fae or aefs (a trained number for each feature)
    k             features to be selected; concrete, sequential and fae are trained for it and need it
    hidden        H, units of the attention network: fm, afs
    init          start of its second layer: glorot, or near_one, uniform in (0.9, 1.1)
    scale_power   masks by softmax (fm, cancelout-softmax) are multiplied by D to this power
    complement    on, or for masks by softmax remainder, (1 - m)/D
    penalty       times the family's own weight of its penalty: dfs, cancelout, stg, bsf, fae, aefs

    In training mode concrete, stg, bsf and fae draw from PyTorch's generator, one set for the whole batch; in eval mode
    nothing is drawn. concrete and sequential have to know how far the training is, and bsf and fae keep their weights
    in a range: call `step_to` before each step. aefs is a group lasso only if the optimizer also decays the layer
    behind the mask: give its parameter group weight_decay=mask.first_layer_decay.
    """

    done: Tensor
    fixed: Tensor

    def __init__(self, n_features: int, family: str = "fm", *, k: int | None = None, hidden: int = 128,
                 init: str = "glorot", scale_power: float = 0.0, complement: str = "on", penalty: float = 1.0,
                 device: torch.device | str | None = None, dtype: torch.dtype | None = None) -> None:
        super().__init__()
        described = _family(family)
        self.family = family
        self.n_features = _whole("n_features", n_features, 1)
        if k is None and described.needs_k:
            raise ValueError(f"{family} is trained for the number of features to be selected: give k, as in k=10")
        self.k = None if k is None else _whole("k", k, 1, self.n_features)
        self.hidden = _whole("hidden", hidden, 1)
        self.init = init
        _one_of("init", init, ("glorot", "near_one"))
        self.scale_power = _number("scale_power", scale_power, 0, 2)
        self.penalty_factor = _number("penalty", penalty, 0)
        self.complement_form = complement
        _one_of("complement", complement, ("on", "remainder"))
        if complement == "remainder" and not described.by_softmax:
            able = " or ".join(name for name, one in _FAMILIES.items() if one.by_softmax)
            raise ValueError(f"complement remainder is (1 - m)/D of a mask that adds up to one: expected family {able}, "
                             f"found {family}; it has a complement of its own: on")
        kind: dict[str, Any] = {"device": device, "dtype": dtype}
        if self.uses_rows:
            self.first = nn.Linear(self.n_features, self.hidden, **kind)
            self.second = nn.Linear(self.hidden, self.n_features, **kind)
        else:
            self.weight = nn.Parameter(torch.empty(self.n_features, **kind))
        if family == "concrete":  # share of the steps
            self.register_buffer("done", torch.zeros((), **kind))
        if family == "sequential":  # 0, or the phase in which a feature was fixed, counted from 1
            self.register_buffer("fixed", torch.zeros(self.n_features, dtype=torch.long, device=device))
        self.reset_parameters()

    @property
    def _family(self) -> _Family:
        return _FAMILIES[self.family]

    @property
    def uses_rows(self) -> bool:
        """Whether the mask depends on the rows that it is for: fm and afs."""
        return self._family.start is None

    @property
    def scale(self) -> float:
        """What masks by softmax add up to: D^scale_power."""
        return float(self.n_features**self.scale_power)

    @property
    def learning_rate(self) -> float:
        """The engine's step size of Adam for this family, for a parameter group of its own."""
        return self._family.learning_rate

    @property
    def first_layer_decay(self) -> float:
        """The weight decay that the penalty of aefs needs on the layer behind the mask; 0 for the other families."""
        return self.penalty_factor * self._family.first_layer_decay

    @torch.no_grad()
    def reset_parameters(self) -> None:
        """Draws the start of the family anew and begins the training from its first step."""
        if self._family.start is None:
            nn.init.xavier_uniform_(self.first.weight)
            if self.init == "near_one":
                nn.init.uniform_(self.second.weight, 0.9, 1.1)
            else:
                nn.init.xavier_uniform_(self.second.weight)
            nn.init.zeros_(self.first.bias)
            nn.init.zeros_(self.second.bias)
        else:
            self._family.start(self.weight)
        for buffer in self.buffers():
            buffer.zero_()

    @torch.no_grad()
    def step_to(self, done: float) -> None:
        """Says which share of the training steps is done, 0 to 1: `mask.step_to(step / steps)` before each step.

        It sets the temperature of concrete, lets sequential fix the features that are due, which stay fixed, and in
        training mode moves the weights of bsf and fae back into their range; the other families go without.
        """
        done = _number("done", done, 0, 1)
        if self.family == "concrete":
            self.done.fill_(done)
        if self.family == "sequential" and self.k is not None:
            self._fix(int(min(self.k, self.n_features - 1) * done))  # one must be left to share the attention
        if self._family.bounds is not None and self.training:
            self.weight.clamp_(*self._family.bounds)

    def _fix(self, due: int) -> None:
        for phase in range(int(self.fixed.max()) + 1, due + 1):
            self.fixed[self.weight.masked_fill(self.fixed > 0, -math.inf).argmax()] = phase

    def forward(self, x: Tensor) -> Pair:
        """The rows behind the mask and behind its complement, x * m and x * m~: both of the shape of x (..., D)."""
        mask, complement = self.masks(x)
        return x * mask, x * complement

    def masks(self, x: Tensor | None = None) -> Pair:
        """The mask and its complement, (D) each, of one draw. fm and afs need the rows x (..., D)."""
        return self._family.masks(self, self._numbers(x))

    def mask(self, x: Tensor | None = None) -> Tensor:
        """The mask (D); concrete, stg, bsf and fae sample a new one at each call in training mode."""
        return self.masks(x)[0]

    def complement(self, x: Tensor | None = None) -> Tensor:
        """The complement (D); families that draw do so anew in training mode: for both of one draw ask `masks`."""
        return self.masks(x)[1]

    def penalty(self) -> Tensor:
        """What the mask itself adds to the loss, a scalar: 0 for families without a penalty."""
        if self._family.penalty is None:
            return torch.zeros((), device=self._any.device, dtype=self._any.dtype)
        return self.penalty_factor * self._family.penalty(self.weight)

    @torch.no_grad()
    def scores(self, x: Tensor | None = None) -> Tensor:
        """What ranks the features (D), the larger the better, as in the engine; without noise and gradients.

        fm and afs need the rows x (..., D), best all training rows. Their scores are linear in the mean over the rows:
        those of batches of one size may be averaged.
        """
        numbers = self._numbers(x)
        if self._family.by_size:
            return numbers.abs()
        if self.family == "sequential":
            fixed = (self.fixed.max() - self.fixed + 2).to(numbers.dtype)
            return torch.where(self.fixed > 0, fixed, (numbers - numbers.max()).exp())
        return numbers.clone()

    def ranking(self, x: Tensor | None = None) -> Tensor:
        """The features by their scores, the best first: (D) column numbers; ties keep the order of the columns."""
        return torch.argsort(self.scores(x), descending=True, stable=True)

    def extra_repr(self) -> str:
        """What `repr` shows of it."""
        parts = [f"{self.n_features}, family={self.family!r}"]
        parts += [f"k={self.k}"] if self.k is not None else []
        parts += ["complement='remainder'"] if self.complement_form == "remainder" else []
        return ", ".join(parts)

    @property
    def _any(self) -> Tensor:
        return self.second.bias if self.uses_rows else self.weight

    def _numbers(self, x: Tensor | None) -> Tensor:
        """The numbers (D) that the mask is made of: trained, or the scores that attention gives for the rows x."""
        if x is not None:
            self._check(x)
        if not self.uses_rows:
            return self.weight
        if x is None:
            raise ValueError(f"a mask of {self.family} is of the rows that it sees: give x (rows, {self.n_features})")
        means = torch.tanh(self.first(x)).reshape(-1, self.hidden).mean(dim=0)
        scores: Tensor = self.second(means)
        return scores

    def _check(self, x: Tensor) -> None:
        _real("x", x)
        if x.dim() < 2 or x.shape[-1] != self.n_features:
            raise ValueError(f"x is (rows, {self.n_features}), as the mask was made for {self.n_features} features; "
                             f"found {_shape(x)}: pictures have to be flattened, one row needs x.unsqueeze(0)")
        if x.numel() == 0:
            raise ValueError("x has no rows")
        if x.dtype != self._any.dtype and not torch.is_autocast_enabled(x.device.type):
            raise TypeError(f"x holds {_dtype(x)} and the mask {_dtype(self._any)}: try mask.to(x.dtype)")


# A mask of one's own --------------------------------------------------------------------------------------------------


def complement_of(mask: Tensor, like: str) -> Tensor:
    """The complement of a mask of your own, (D) or (B, D): features in the opposite order, at the size of the mask.

    like   the family that the mask resembles
           fm, cancelout-softmax           shares of a sum, above 0: s softmax(-log m), s = sum(m)
           dfs, fae, aefs                  weights of either sign, ranked by their size: D softmax(-|m|)
           afs, cancelout, stg, bsf, concrete
                                           gates between 0 and 1: max(0, 1 - m)
    """
    _real("mask", mask)
    family = _family(like)
    if like == "sequential":
        raise ValueError("which features are fixed is not told by a mask: expected like one of "
                         f"{_names(name for name in FAMILIES if name != like)}; ComplementaryMask has sequential")
    if mask.dim() == 0:
        raise ValueError("mask is (features) or (rows, features); found a single number")
    if like in ("dfs", "fae", "aefs"):
        return _opposite_of_weights(mask)
    if family.by_softmax:
        if _at_hand(mask) and bool((mask < 0).any()):
            raise ValueError(f"a mask like {like} has no values below 0; found {float(mask.min()):g}: try like='dfs'")
        shares = mask.clamp_min(torch.finfo(mask.dtype).tiny)
        return mask.sum(dim=-1, keepdim=True) * torch.softmax(-shares.log(), dim=-1)
    # k soft draws may take a little more than one of a feature.
    if _at_hand(mask) and (bool((mask < 0).any()) or (like != "concrete" and bool((mask > 1).any()))):
        raise ValueError(f"a mask like {like} has values between 0 and 1; found {float(mask.min()):g} to "
                         f"{float(mask.max()):g}: try like='dfs'")
    return torch.relu(1 - mask)


def complementary(x: Tensor, mask: Tensor, like: str) -> Pair:
    """The rows x (B, D) behind a mask of your own, (D) or (B, D), and behind its complement: x * m and x * m~.

    like   the family that the mask resembles, see `complement_of`
    """
    _real("x", x)
    opposite = complement_of(mask, like)
    if x.shape[-1:] != mask.shape[-1:]:
        raise ValueError(f"x and mask have to have as many features; found {_shape(x)} and {_shape(mask)}")
    return x * mask, x * opposite


# Losses ---------------------------------------------------------------------------------------------------------------

Criterion = Callable[[Tensor, Tensor], Tensor]

# Classes and functions.
_TASK_OF_CRITERION: tuple[tuple[Any, str], ...] = (
    (nn.CrossEntropyLoss, "classification"), (F.cross_entropy, "classification"), (nn.NLLLoss, "classification"),
    (nn.BCEWithLogitsLoss, "multilabel"), (F.binary_cross_entropy_with_logits, "multilabel"),
    (nn.MSELoss, "regression"), (F.mse_loss, "regression"))


def _task(task: str | None, output: Tensor, target: Tensor, criterion: Criterion | None) -> str:
    """The task that is asked for, else that of the criterion, else that of the target."""
    if task is not None:
        _one_of("task", task, TASKS)
        return task
    if isinstance(criterion, nn.BCELoss) or criterion is F.binary_cross_entropy:
        raise ValueError("outputs are those of the heads, before any sigmoid: expected criterion BCEWithLogitsLoss, "
                         "found BCELoss")
    for known, name in _TASK_OF_CRITERION:
        if criterion is known or (isinstance(known, type) and isinstance(criterion, known)):
            return name
    if target.is_floating_point():
        return "regression"
    return "multilabel" if target.shape == output.shape else "classification"


def _check_outputs(main: Tensor, complement: Tensor) -> None:
    _real("main_output", main)
    _real("complement_output", complement)
    if main.shape != complement.shape:
        raise ValueError("both heads give outputs of one shape; found main_output "
                         f"{_shape(main)} and complement_output {_shape(complement)}")
    if main.dim() not in (1, 2) or main.numel() == 0:
        raise ValueError(f"outputs are (rows, outputs), with at least one row; found {_shape(main)}")


def _check_classes(what: str, target: Tensor, output: Tensor) -> None:
    """Labels (B) of outputs (B, C)."""
    if output.dim() != 2 or output.shape[1] < 2:
        raise ValueError(f"classes need outputs (rows, classes) with at least two classes; found {_shape(output)}: for "
                         f"one yes-or-no label give a {what} of the shape of the outputs")
    if target.is_floating_point():
        raise TypeError(f"{what} holds {_dtype(target)}, expected a class number for each row: try {what}.long()")
    if target.shape != output.shape[:1]:
        raise ValueError(f"{what} has one class for each of {len(output)} rows; found shape {_shape(target)}")
    if _at_hand(target):
        least, most = int(target.min()), int(target.max())
        if least < 0 or most >= output.shape[1]:
            raise ValueError(f"{what} holds classes from {least} to {most}, but {output.shape[1]} outputs stand for the "
                             f"classes 0 to {output.shape[1] - 1}")


def _check_values(what: str, target: Tensor, output: Tensor, labels: bool) -> None:
    """Labels or quantities of the shape of the outputs."""
    if target.shape != output.shape:
        hint = f": try {what}.unsqueeze(1)" if target.dim() == 1 and output.dim() == 2 else ""
        raise ValueError(f"{what} has the shape of the outputs, {_shape(output)}; found {_shape(target)}{hint}")
    if labels and _at_hand(target) and not bool(((target >= 0) & (target <= 1)).all()):
        raise ValueError(f"{what} holds values from {float(target.min()):g} to {float(target.max()):g}; labels are 0 "
                         "and 1: quantities are floating point numbers, task='regression'")


def _check_loss(loss: str, task: str) -> None:
    """What the engine refuses, by its reasons."""
    if task == "classification" or loss == "random" or (loss == "uniform" and task != "reconstruction"):
        return
    why = "it is made of the probabilities of classes, of which each row has one"
    if loss == "negative":
        why = "it has no bound and trains the complement to be surely wrong"
    if loss == "uniform":
        why = "equal shares are of classes; a reconstruction has none"
    able = "random" if task == "reconstruction" else "random or uniform"
    raise ValueError(f"loss {loss} does not go with task {task}: {why}; expected {able}")


def _check_weight(weight: Tensor, rows: int) -> None:
    _real("weight", weight)
    if weight.shape != (rows,):
        raise ValueError(f"weight has one number for each of {rows} rows; found shape {_shape(weight)}: weights of "
                         "classes are class_weights[target]")
    if _at_hand(weight) and bool((weight < 0).any()):
        raise ValueError(f"weight of rows is at least 0; found {float(weight.min()):g}")


def _wide(tensor: Tensor) -> Tensor:
    return tensor.float() if tensor.dtype in (torch.float16, torch.bfloat16) else tensor


def _row_losses(task: str, output: Tensor, target: Tensor) -> Tensor:
    """The engine's loss of each row (B): for labels and quantities the mean over the outputs."""
    output = _wide(output)
    if task == "classification":
        return F.cross_entropy(output, target.long(), reduction="none")
    target = target.to(output.dtype)
    if task == "multilabel":
        losses = F.binary_cross_entropy_with_logits(output, target, reduction="none")
    else:
        losses = 0.5 * (output - target).square()
    return losses.reshape(len(output), -1).mean(dim=1)


def _below(count: int, rows: int, device: torch.device, generator: torch.Generator | None) -> Tensor:
    """Whole numbers (rows) below count."""
    where = device if generator is None else generator.device
    return torch.randint(count, (rows,), generator=generator, device=where).to(device)


def _drawn_target(task: str, output: Tensor, target: Tensor, generator: torch.Generator | None) -> Tensor:
    """Classes at random, or the target of random rows of the batch; of another row for a reconstruction."""
    rows = len(output)
    if task == "classification":
        return _below(output.shape[1], rows, output.device, generator)
    if task == "reconstruction":
        where = target.device if generator is None else generator.device
        return target[torch.randperm(rows, generator=generator, device=where).to(target.device)]
    return target[_below(rows, rows, target.device, generator)]


def _mean_target(output: Tensor, target: Tensor, given: Tensor | None) -> Tensor:
    means = target.to(_wide(output).dtype).mean(dim=0, keepdim=True) if given is None else given
    try:
        return means.expand(output.shape)
    except RuntimeError:
        raise ValueError("random_target of loss uniform holds the means of the target over the training rows, (outputs); "
                         f"found {_shape(means)} for outputs {_shape(output)}") from None


def _class_losses(loss: str, main: Tensor, complement: Tensor, target: Tensor) -> Tensor:
    """(B) of the outputs (B, C) of both heads."""
    logs = F.log_softmax(_wide(complement), dim=1)
    if loss == "uniform":
        return -logs.mean(dim=1)
    if loss == "entropy":
        return math.log(logs.shape[1]) + (logs.exp() * logs).sum(dim=1)
    if loss == "distance":
        return 1 - (F.softmax(_wide(main), dim=1) - logs.exp()).square().sum(dim=1) / 2
    _check_classes("target", target, complement)
    return -F.nll_loss(logs, target.long(), reduction="none")


def _complement_losses(loss: str, task: str, main: Tensor, complement: Tensor, target: Tensor,
                       random_target: Tensor | None, generator: torch.Generator | None) -> Tensor:
    """The complementary loss of each row (B)."""
    if loss == "random":
        if random_target is None:
            random_target = _drawn_target(task, complement, target, generator)
        elif task == "classification":
            _check_classes("random_target", random_target, complement)
        else:
            _check_values("random_target", random_target, complement, task == "multilabel")
        return _row_losses(task, complement, random_target)
    if task == "classification":
        return _class_losses(loss, main, complement, target)
    return _row_losses(task, complement, _mean_target(complement, target, random_target))


def _mean(losses: Tensor, weight: Tensor | None) -> Tensor:
    return losses.mean() if weight is None else (losses * weight).mean()


def _main_loss(task: str, output: Tensor, target: Tensor, criterion: Criterion | None, weight: Tensor | None) -> Tensor:
    if criterion is None:
        return _mean(_row_losses(task, output, target), weight)
    value = _tensor("the result of criterion", criterion(output, target))
    if value.dim() > 0 and len(value) == len(output):
        return _mean(value.reshape(len(output), -1).mean(dim=1), weight)
    if value.dim() > 0:
        raise ValueError(f"criterion gives one loss, or one for each of {len(output)} rows; found {_shape(value)}")
    if weight is not None:
        raise ValueError("weight needs a loss for each row, and criterion gives one number: try reduction='none'")
    return value


def complementary_loss(main_output: Tensor, complement_output: Tensor, target: Tensor, *, gamma: float = 1.0,
                       loss: str = "random", criterion: Criterion | None = None,
                       generator: torch.Generator | None = None, random_target: Tensor | None = None,
                       weight: Tensor | None = None, task: str | None = None) -> Tensor:
    """The loss of the main path plus gamma times that of the complementary path: a scalar, the mean over the rows.

    main_output, complement_output   (B, C) of the two heads, before any softmax or sigmoid; (B) for one quantity or label
    target        (B) class numbers; or of the shape of the outputs: whole numbers or bool are labels of 0 and 1, floating
                  point numbers quantities
    gamma         weight of the complementary loss; 0 switches it off
    loss          random: cross entropy with a class drawn anew in each call; uniform, entropy, distance, negative. Labels
                  and quantities have random, the target of a random row of the batch, and uniform, its mean
    criterion     of the main path, criterion(main_output, target); the engine's by default: cross entropy, its mean over
                  the labels, or half the squared error, its mean over the quantities
    generator     of the random draws; PyTorch's by default
    random_target what the complement is trained for in place of a draw: like target; for uniform its means, (C)
    weight        (B) how much each row counts on both paths, 1 on the mean over the training rows
    task          classification, multilabel, regression or reconstruction (the target is the rows themselves, and the
                  draw another row); found by the criterion or the target where it is not said
    """
    _check_outputs(main_output, complement_output)
    _tensor("target", target)
    gamma = _number("gamma", gamma, 0)
    _one_of("loss", loss, LOSSES)
    task = _task(task, main_output, target, criterion)
    if task != "classification":
        _check_values("target", target, main_output, task == "multilabel")
    elif criterion is None:  # one of your own may take targets of other forms
        _check_classes("target", target, main_output)
    _check_loss(loss, task)
    if random_target is not None:
        _tensor("random_target", random_target)
        if loss != "random" and (loss != "uniform" or task == "classification"):
            raise ValueError(f"random_target is of no use for loss {loss} of task {task}: leave it out")
    if weight is not None:
        _check_weight(weight, len(main_output))
    total = _main_loss(task, main_output, target, criterion, weight)
    if gamma == 0:
        return total
    losses = _complement_losses(loss, task, main_output, complement_output, target, random_target, generator)
    return total + gamma * _mean(losses, weight)
