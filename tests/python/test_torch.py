"""obverse.torch against the numbers that the engine is tested with (tests/reference), and in use.

    PYTHONPATH=python python -m pytest tests/python/test_torch.py
"""

import copy
import importlib.util
import io
import re
import subprocess
import sys
from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: obverse.torch cannot be tested")
from torch import nn  # noqa: E402
from torch.nn import functional as F  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
if importlib.util.find_spec("obverse") is None:  # not installed: from the tree
    sys.path.insert(0, str(ROOT / "python"))
from obverse.torch import (FAMILIES, LOSSES, ComplementaryMask, complement_of, complementary,  # noqa: E402
                           complementary_loss)

NOISY = ("concrete", "stg", "bsf", "fae")
BY_SIZE = ("dfs", "aefs")
KEPT_IN_RANGE = ("bsf", "fae")
# Inputs that are float32 in the files; their nine digits are exact as such.
FLOAT32 = ("main", "complement", "X", "W1", "b1", "W2", "b2", "V1", "c1", "V2", "c2", "Um", "um", "Uc", "uc", "leak",
           "scale_power", "gamma", "learning_rate", "mask_learning_rate")


@pytest.fixture(autouse=True)
def repeatable():
    torch.set_num_threads(1)
    torch.manual_seed(0)


def reference(name):
    """Name -> float64 tensor of tests/reference/NAME.txt; what has nine digits was float32 and is so again."""
    lines = (ROOT / "tests" / "reference" / f"{name}.txt").read_text(encoding="ascii").splitlines()
    tensors = {}
    for head, values in zip(lines[::2], lines[1::2]):
        _, key, *shape = head.split()
        numbers = torch.tensor([float(v) for v in values.split()], dtype=torch.float64)
        if key in FLOAT32:
            numbers = numbers.float().double()
        tensors[key] = numbers.reshape([int(n) for n in shape])
    return tensors


def close(found, expected, tolerance=1e-12):
    torch.testing.assert_close(found, expected.reshape(found.shape), rtol=0, atol=tolerance)


def set_numbers(mask, numbers):
    """Trained numbers, or scores of attention that do not depend on the rows; returns the parameter they are in."""
    with torch.no_grad():
        if not mask.uses_rows:
            return mask.weight.copy_(numbers)
        mask.second.weight.zero_()
        return mask.second.bias.copy_(numbers)


def made(family, numbers, **options):
    mask = ComplementaryMask(len(numbers), family, k=3, dtype=torch.float64, **options).eval()
    set_numbers(mask, numbers)
    return mask, torch.ones(2, len(numbers), dtype=torch.float64)


# The engine's numbers


@pytest.mark.parametrize("family", FAMILIES)
def test_mask_complement_penalty_and_gradient_are_the_engines(family):
    file = reference("masks")
    mask, x = made(family, file["weights"], scale_power=0.5)
    mask.step_to(0.5)
    m, opposite = mask.masks(x)
    close(m, file[f"{family}.mask"])
    close(opposite, file[f"{family}.complement"])
    close(mask.penalty(), file[f"{family}.penalty"])
    loss = (file["of_mask"] * m).sum() + (file["of_complement"] * opposite).sum() + mask.penalty()
    numbers = mask.second.bias if mask.uses_rows else mask.weight
    close(torch.autograd.grad(loss, numbers)[0], file[f"{family}.gradient"])
    kept, left = mask(x)
    close(kept, m.expand(2, -1))
    close(left, opposite.expand(2, -1))


def test_families_and_losses_are_those_of_the_engine():
    families = (ROOT / "src" / "mask" / "families.cpp").read_text()
    assert tuple(re.findall(r'^    \{"([\w-]+)"', families, re.MULTILINE)) == FAMILIES
    losses = (ROOT / "src" / "loss" / "losses.cpp").read_text()
    assert tuple(re.findall(r'^    \{"(\w+)"', losses, re.MULTILINE)) == LOSSES
    rates = dict(re.findall(r"constexpr double (k\w+Rate) = ([\de.-]+);", families))
    for name, rate in zip(FAMILIES, re.findall(r"(?:true|false),\s*(k\w+Rate)", families)):
        assert ComplementaryMask(4, name, k=2).learning_rate == float(rates[rate])


@pytest.mark.parametrize("loss", LOSSES[1:])
def test_losses_of_classes_and_their_gradients_are_the_engines(loss):
    file = reference("losses")
    main, complement = (file[path].clone().requires_grad_() for path in ("main", "complement"))
    labels = file["labels"].long()
    rows = len(labels)
    with_main = complementary_loss(main, complement, labels, loss=loss)
    value = with_main - F.cross_entropy(main, labels)
    close(rows * value, file[f"{loss}.loss"])
    for path, tensor in (("main", main), ("complement", complement)):
        slope = torch.autograd.grad(value, tensor, retain_graph=True, allow_unused=True)[0]
        close(rows * slope, file[f"{loss}.{path}_gradient"])


@pytest.mark.parametrize("task, name, target", [("multilabel", "sigmoid", "labels"), ("regression", "square", "values")])
def test_losses_of_labels_and_quantities_are_the_engines(task, name, target):
    file = {key: value.reshape(-1, 7) for key, value in reference("tasks").items() if len(value) > 1}
    expected = reference("tasks")[f"{name}.loss"]
    wanted = file[target].long() if task == "multilabel" else file[target]
    outputs = file["outputs"].clone().requires_grad_()
    nothing = torch.zeros_like(outputs)
    main = complementary_loss(outputs, nothing, wanted, gamma=0)
    close(5 * main, expected)
    close(5 * torch.autograd.grad(main, outputs)[0], file[f"{name}.gradient"])
    # Behind the complement it is the same loss, of a target that is drawn.
    drawn = complementary_loss(nothing, outputs, wanted, gamma=2, random_target=wanted)
    drawn = (drawn - complementary_loss(nothing, nothing, wanted, gamma=0)) / 2
    close(5 * drawn, expected)
    close(5 * torch.autograd.grad(drawn, outputs)[0], file[f"{name}.gradient"])


class Network(nn.Module):
    """The network of the reference files, behind a mask of obverse.torch."""

    LAYERS = (("W1", "b1", "mask.first"), ("W2", "b2", "mask.second"), ("V1", "c1", "trunk.0"), ("V2", "c2", "trunk.2"),
              ("Um", "um", "main_head"), ("Uc", "uc", "other_head"))

    def __init__(self, file, complement):
        super().__init__()
        (features, hidden), (_, width1), (_, width2) = file["W1"].shape, file["V1"].shape, file["V2"].shape
        classes, leak = file["Um"].shape[1], float(file["leak"])
        self.mask = ComplementaryMask(features, "fm", hidden=hidden, scale_power=float(file["scale_power"]),
                                      complement=complement)
        self.trunk = nn.Sequential(nn.Linear(features, width1), nn.LeakyReLU(leak), nn.Linear(width1, width2),
                                   nn.LeakyReLU(leak))
        self.main_head, self.other_head = nn.Linear(width2, classes), nn.Linear(width2, classes)
        self.present = [layer for layer in self.LAYERS if layer[0] in file]
        self.double()
        with torch.no_grad():
            for weight, bias, where in self.present:
                self.get_submodule(where).weight.copy_(file[weight].t())
                self.get_submodule(where).bias.copy_(file[bias])

    def forward(self, x):
        kept, left = self.mask(x)
        return self.main_head(self.trunk(kept)), self.other_head(self.trunk(left))

    def gradients(self):
        for weight, bias, where in self.present:
            layer = self.get_submodule(where)
            yield "d" + weight, layer.weight.grad.t()
            yield "d" + bias, layer.bias.grad


@pytest.mark.parametrize("name", sorted(file.stem for file in (ROOT / "tests" / "reference").glob("*_p0*.txt")))
def test_a_whole_network_has_the_losses_and_gradients_of_the_engine(name):
    file = reference(name)
    network = Network(file, "remainder" if name.startswith("remainder") else "on")
    y, x, gamma = file["y"].long(), file["X"], float(file["gamma"])
    alone = name.startswith("fm")
    main, complement = network(x)
    r = None if alone else file["r"].long()
    loss = complementary_loss(main, complement, y, gamma=gamma, random_target=r)
    loss.backward()
    relative = {"rtol": 1e-8, "atol": 1e-9}  # results have nine digits
    torch.testing.assert_close(loss.reshape(1), file["loss"], **relative)
    torch.testing.assert_close(complementary_loss(main, complement, y, gamma=0).reshape(1), file["loss_main"], **relative)
    torch.testing.assert_close(network.mask.scores(x), file["z"], **relative)
    torch.testing.assert_close(network.mask.mask(x), file["m"], **relative)
    if not alone:
        torch.testing.assert_close(network.mask.complement(x), file["mt"], **relative)
    for key, gradient in network.gradients():
        torch.testing.assert_close(gradient, file[key], **relative, msg=lambda text, key=key: f"{key}: {text}")


def test_two_hundred_steps_of_adam_have_the_losses_of_the_reference():
    file = reference("train_cfm")
    network = Network(file, "on").float()
    rates = [float(file[name]) for name in ("learning_rate", "mask_learning_rate")]
    behind = [p for name, p in network.named_parameters() if not name.startswith("mask.")]
    optimizer = torch.optim.Adam([{"params": behind, "lr": rates[0]}, {"params": network.mask.parameters(), "lr": rates[1]}])
    x, y = file["X"].float(), file["y"].long()
    losses = []
    for rows, r in zip(file["batches"].long(), file["random_labels"].long()):
        loss = complementary_loss(*network(x[rows]), y[rows], gamma=float(file["gamma"]), random_target=r)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    close(torch.tensor(losses, dtype=torch.float64), file["loss"], 1e-5)
    close(network.mask.mask(x).double(), file["final_mask"], 1e-5)


# Masks


@pytest.mark.parametrize("family, complement", [*((family, "on") for family in FAMILIES), ("fm", "remainder"),
                                                ("cancelout-softmax", "remainder")])
def test_gradients_are_those_of_differences(family, complement):
    mask = ComplementaryMask(6, family, k=2, hidden=3, scale_power=0.5, dtype=torch.float64, complement=complement)
    for parameter in mask.parameters():
        nn.init.uniform_(parameter, -0.4, 0.4)
    mask.train(family not in KEPT_IN_RANGE)  # bsf goes straight through its draw
    mask.step_to(0.5)
    x = torch.randn(4, 6, dtype=torch.float64)
    names = [name for name, _ in mask.named_parameters()]

    def outputs(*values):
        torch.manual_seed(3)  # the same noise
        parameters = dict(zip(names, values))
        return *torch.func.functional_call(mask, parameters, (x,)), torch.func.functional_call(Penalty(mask), {
            f"mask.{name}": value for name, value in parameters.items()}, ())

    assert torch.autograd.gradcheck(outputs, tuple(p.detach().clone().requires_grad_() for p in mask.parameters()))


class Penalty(nn.Module):
    def __init__(self, mask):
        super().__init__()
        self.mask = mask

    def forward(self):
        return self.mask.penalty()


@pytest.mark.parametrize("family", FAMILIES)
def test_the_complement_has_the_opposite_order(family):
    for seed in range(20):
        torch.manual_seed(seed)
        mask = ComplementaryMask(12, family, k=4, dtype=torch.float64)
        numbers = set_numbers(mask, torch.randn(12, dtype=torch.float64) * 3)
        mask.step_to(seed / 20)
        m, opposite = mask.masks(torch.ones(1, 12, dtype=torch.float64))
        order = m.abs() if family in BY_SIZE else m
        before, after = order[:, None] < order, opposite[:, None] >= opposite
        assert bool((after | ~before).all()), numbers


@pytest.mark.parametrize("family", FAMILIES)
def test_noise_is_drawn_in_training_only_and_from_the_generator_of_pytorch(family):
    mask = ComplementaryMask(8, family, k=3)
    x = torch.randn(5, 8)
    first, *others = (mask.mask(x) for _ in range(20))
    assert all(torch.equal(first, other) for other in others) == (family not in NOISY)
    torch.manual_seed(5)
    one = mask(x)
    torch.manual_seed(5)
    assert all(torch.equal(a, b) for a, b in zip(one, mask(x)))
    mask.eval()
    before = torch.get_rng_state()
    assert torch.equal(mask.mask(x), mask.mask(x))
    mask(x), mask.scores(x), mask.penalty(), mask.step_to(0.7)
    assert torch.equal(before, torch.get_rng_state())


def test_mask_and_complement_are_of_one_draw():
    mask = ComplementaryMask(30, "stg")
    m, opposite = mask.masks()
    close(m + opposite, torch.ones(30), 1e-6)


@pytest.mark.parametrize("family", ["stg", "concrete", "bsf", "fae"])
def test_noise_has_the_distribution_of_the_family(family):
    mask = ComplementaryMask(2, family, k=1, dtype=torch.float64)
    set_numbers(mask, torch.tensor([0.3, 0.0]))
    mask.step_to(1)
    drawn = torch.stack([mask.mask().detach() for _ in range(4000)])
    if family == "stg":  # P(0.8 + e/2 < 0), P(0.8 + e/2 > 1)
        close((drawn[:, 0] == 0).double().mean(), torch.tensor(0.0548).double(), 0.015)
        close((drawn[:, 0] == 1).double().mean(), torch.tensor(0.3446).double(), 0.03)
    elif family == "bsf":
        assert set(drawn.flatten().tolist()) == {0, 1}
        close(drawn.mean(dim=0), torch.tensor([0.3, 0.0]).double(), 0.03)
    elif family == "fae":  # all weights in a third of the draws, here of the second one
        set_numbers(mask, torch.tensor([0.3, 0.2]))
        seen = torch.stack([mask.mask().detach()[1] > 0 for _ in range(4000)])
        close(seen.double().mean(), torch.tensor(1 / 3).double(), 0.03)
    else:  # the largest of numbers with Gumbel noise is drawn with their softmax
        close((drawn[:, 0] > 0.5).double().mean(), torch.tensor(0.5744).double(), 0.03)


def test_concrete_stays_finite_when_one_feature_has_it_all():
    for dtype in (torch.float32, torch.float64):
        mask = ComplementaryMask(5, "concrete", k=4, dtype=dtype)
        set_numbers(mask, torch.tensor([90.0, 0, 0, -40, -90], dtype=dtype))
        mask.step_to(1)
        m, opposite = mask.masks()
        (m + 2 * opposite).sum().backward()
        assert bool(m.isfinite().all()) and bool(mask.weight.grad.isfinite().all())
        close(mask.eval().mask().sum(), torch.tensor(4, dtype=dtype), 1e-5)


def test_sequential_fixes_the_best_of_each_phase_and_ranks_in_that_order():
    mask = ComplementaryMask(4, "sequential", k=2, dtype=torch.float64)
    set_numbers(mask, torch.tensor([0.1, 0.9, 0.3, 0.5]))
    mask.step_to(0.2)
    assert mask.mask()[1] < 1
    mask.step_to(0.5)
    m, opposite = mask.masks()
    assert m[1] == 1 and opposite[1] == 0
    close(m[[0, 2, 3]].sum(), torch.tensor(1.0).double())
    set_numbers(mask, torch.tensor([0.1, -5, 0.8, 0.5]))  # what is fixed stays fixed
    mask.step_to(1)
    assert mask.mask()[1] == 1 and mask.mask()[2] == 1
    assert mask.ranking().tolist() == [1, 2, 3, 0]
    mask.reset_parameters()
    assert mask.mask().max() < 1
    last = ComplementaryMask(2, "sequential", k=2)
    set_numbers(last, torch.tensor([0.3, 0.1]))
    last.step_to(1)
    assert [part.tolist() for part in last.masks()] == [[1, 1], [0, 1]]


def test_weights_go_straight_through_their_draw_and_stay_in_their_range():
    mask = ComplementaryMask(4, "bsf")
    m, opposite = mask.masks()
    (m + 3 * opposite).sum().backward()
    close(mask.weight.grad, torch.full((4,), -2.0))
    for family, bounds in (("bsf", (0, 1)), ("fae", (0, 7))):
        mask = ComplementaryMask(3, family, k=1)
        set_numbers(mask, torch.tensor([-2.0, 0.5, 7.0]))
        mask.eval().step_to(0.1)
        assert mask.weight.min() == -2
        mask.train().step_to(0.1)
        assert (mask.weight.min(), mask.weight.max()) == bounds


def test_only_the_group_lasso_decays_the_first_layer():
    for family in FAMILIES:
        decay = ComplementaryMask(4, family, k=2, penalty=3).first_layer_decay
        assert decay == (pytest.approx(0.015) if family == "aefs" else 0), family


def test_features_are_ranked_as_in_the_engine():
    numbers = torch.tensor([0.5, -2.0, 0.5, 1.0])
    for family in FAMILIES:
        mask, x = made(family, numbers)
        expected = [1, 3, 0, 2] if family in BY_SIZE else [3, 0, 2, 1]  # ties keep the order of the columns
        assert mask.ranking(x).tolist() == expected, family
        assert not mask.scores(x).requires_grad
    close(made("dfs", numbers)[0].scores(), numbers.abs().double())


def test_attention_sees_all_rows_and_averages_over_batches():
    mask = ComplementaryMask(5, "fm", dtype=torch.float64)
    x = torch.randn(6, 5, dtype=torch.float64)
    z = mask.second(torch.tanh(mask.first(x))).mean(dim=0)
    close(mask.scores(x), z.detach())
    close((mask.scores(x[:3]) + mask.scores(x[3:])) / 2, z.detach())
    close(mask.scores(x.reshape(2, 3, 5)), z.detach())


def test_starts_are_those_of_the_engine():
    def numbers(family, **options):
        mask = ComplementaryMask(400, family, k=3, hidden=20, **options)
        return mask.second.weight if mask.uses_rows else mask.weight

    limits = {"dfs": (0.9, 1.1), "cancelout": (-0.1, 0.1), "cancelout-softmax": (-0.1, 0.1), "concrete": (-0.01, 0.01),
              "fae": (0.99, 1.01), "aefs": (0.9, 1.1), "fm": (-(6 / 420) ** 0.5, (6 / 420) ** 0.5)}
    for family, (low, high) in limits.items():
        w = numbers(family)
        assert low <= w.min() < low + 0.05 * (high - low) and high - 0.05 * (high - low) < w.max() <= high, family
    near_one = numbers("afs", init="near_one")
    assert 0.9 <= near_one.min() and near_one.max() <= 1.1
    assert 0.008 < numbers("stg").std() < 0.012
    assert not numbers("sequential").any()
    assert bool((numbers("bsf") == 0.5).all())
    assert not ComplementaryMask(9, "fm").first.bias.any()


@pytest.mark.parametrize("family", FAMILIES)
def test_state_copies_and_pickles_keep_everything(family):
    x = torch.randn(7, 6)
    mask = ComplementaryMask(6, family, k=3)
    for parameter in mask.parameters():
        nn.init.normal_(parameter)
    mask.step_to(0.8)
    mask.eval()
    other = ComplementaryMask(6, family, k=3).eval()
    other.load_state_dict(mask.state_dict())
    saved = io.BytesIO()
    torch.save(mask, saved)
    saved.seek(0)
    for same in (other, copy.deepcopy(mask), torch.load(saved, weights_only=False)):
        for a, b in zip((*mask(x), mask.penalty(), mask.scores(x)), (*same(x), same.penalty(), same.scores(x))):
            assert torch.equal(a, b)
        same.step_to(1)
    copied = copy.deepcopy(mask)
    copied.double()
    assert all(part.dtype == torch.float64 for part in (*copied(x.double()), copied.penalty(), copied.scores(x.double())))


@pytest.mark.parametrize("family", FAMILIES)
def test_compiles_in_one_graph_and_goes_with_autocast(family):
    torch.compiler.reset()  # all families together would exceed the limit of recompilations
    mask = ComplementaryMask(6, family, k=3).eval()
    x = torch.randn(4, 6)
    compiled = torch.compile(mask, backend="eager", fullgraph=True)
    for done in (0.0, 0.5, 1.0):
        mask.step_to(done)
        for a, b in zip(mask(x), compiled(x)):
            assert torch.equal(a, b)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        kept, left = mask.train()(x)
        linear = nn.Linear(6, 3)
        loss = complementary_loss(linear(kept), linear(left), torch.tensor([0, 1, 2, 0]), loss="distance")
    (loss + mask.penalty()).backward()
    assert loss.dtype == torch.float32 and bool(loss.isfinite())


@pytest.mark.parametrize("family", FAMILIES)
def test_no_step_looks_at_values_on_another_device(family):
    mask = ComplementaryMask(6, family, k=3, device="meta")
    kept, left = mask(torch.zeros(4, 6, device="meta"))
    weight = torch.zeros(4, device="meta")
    for target in (torch.zeros(4, dtype=torch.long, device="meta"), left > 0, kept):
        loss = complementary_loss(kept, left, target, weight=weight) + mask.penalty()
        assert loss.device.type == "meta" and loss.shape == ()
    assert complement_of(kept, "fm").shape == (4, 6)
    assert mask.ranking(kept).shape == (6,)


# A mask of one's own


@pytest.mark.parametrize("family", [family for family in FAMILIES if family != "sequential"])
def test_the_complement_of_a_mask_alone_is_that_of_its_family(family):
    file = reference("masks")
    mask, x = made(family, file["weights"], scale_power=0.5)
    mask.step_to(0.5)
    m, opposite = mask.masks(x)
    close(complement_of(m, family), opposite)
    kept, left = complementary(x, m, family)
    close(kept, x * m)
    close(left, x * opposite)
    rows = torch.stack([m, m.flip(0)])  # a mask for each row
    close(complement_of(rows, family), torch.stack([opposite, opposite.flip(0)]))


def test_the_complement_of_a_mask_alone_has_gradients():
    m = torch.rand(2, 5, dtype=torch.float64) * 0.8 + 0.1
    for like in ("fm", "dfs", "stg"):
        assert torch.autograd.gradcheck(lambda m, like=like: complement_of(m, like), m.clone().requires_grad_())
    shares = torch.softmax(torch.tensor([0.0, -200.0]), dim=0).requires_grad_()  # one of them is 0
    complement_of(shares, "fm").sum().backward()
    assert bool(shares.grad.isfinite().all())


# Losses


def outputs(rows=6, count=4):
    return [torch.randn(rows, count, dtype=torch.float64) for _ in range(2)]


def test_random_is_the_cross_entropy_of_classes_drawn_anew():
    main, complement = outputs(rows=3000)
    y = torch.zeros(3000, dtype=torch.long)
    values = [complementary_loss(main, complement, y) for _ in range(2)]
    assert values[0] != values[1]
    fixed = [complementary_loss(main, complement, y, generator=torch.Generator().manual_seed(1)) for _ in range(2)]
    assert fixed[0] == fixed[1]
    r = torch.randint(4, (3000,), generator=torch.Generator().manual_seed(1))
    close(fixed[0], F.cross_entropy(main, y) + F.cross_entropy(complement, r))
    close(complementary_loss(main, complement, y, random_target=r), fixed[0])
    # On the mean they are the uniform target.
    close(values[0], complementary_loss(main, complement, y, loss="uniform"), 0.1)


def test_labels_and_quantities_are_drawn_from_the_rows_of_the_batch():
    main, complement = outputs(rows=8, count=3)
    values = torch.randn(8, 3, dtype=torch.float64)
    drawn = values[torch.randint(8, (8,), generator=torch.Generator().manual_seed(2))]
    found = complementary_loss(main, complement, values, generator=torch.Generator().manual_seed(2))
    close(found, 0.5 * F.mse_loss(main, values) + 0.5 * F.mse_loss(complement, drawn))
    shuffled = values[torch.randperm(8, generator=torch.Generator().manual_seed(2))]
    found = complementary_loss(main, complement, values, task="reconstruction", generator=torch.Generator().manual_seed(2))
    close(found, 0.5 * F.mse_loss(main, values) + 0.5 * F.mse_loss(complement, shuffled))
    labels = values > 0
    found = complementary_loss(main, complement, labels, generator=torch.Generator().manual_seed(2), gamma=3)
    bce = F.binary_cross_entropy_with_logits
    close(found, bce(main, labels.double()) + 3 * bce(complement, (drawn > 0).double()))


def test_uniform_of_labels_and_quantities_is_their_mean():
    main, complement = outputs(rows=8, count=3)
    values = torch.randn(8, 3, dtype=torch.float64)
    main_loss = 0.5 * F.mse_loss(main, values)
    close(complementary_loss(main, complement, values, loss="uniform"),
          main_loss + 0.5 * (complement - values.mean(dim=0)).square().mean())
    close(complementary_loss(main, complement, values, loss="uniform", random_target=torch.zeros(3)),
          main_loss + 0.5 * complement.square().mean())
    labels = (values > 0).long()
    bce = F.binary_cross_entropy_with_logits
    close(complementary_loss(main, complement, labels, loss="uniform"),
          bce(main, labels.double()) + bce(complement, labels.double().mean(dim=0).expand(8, 3)))
    one = complementary_loss(main[:, 0], complement[:, 0], values[:, 0], loss="uniform")
    close(one, complementary_loss(main[:, :1], complement[:, :1], values[:, :1], loss="uniform"))


def test_the_criterion_says_the_task_and_makes_the_main_loss():
    main, complement = outputs()
    y, r = torch.tensor([0, 1, 2, 3, 0, 1]), torch.tensor([3, 2, 1, 0, 0, 1])
    smooth = nn.CrossEntropyLoss(label_smoothing=0.1)
    close(complementary_loss(main, complement, y, criterion=smooth, random_target=r),
          smooth(main, y) + F.cross_entropy(complement, r))
    shares = torch.softmax(torch.randn(6, 4, dtype=torch.float64), dim=1)
    close(complementary_loss(main, complement, shares, criterion=F.cross_entropy, random_target=r),
          F.cross_entropy(main, shares) + F.cross_entropy(complement, r))
    labels = (shares > 0.25).double()  # floating point labels, as PyTorch has them
    close(complementary_loss(main, complement, labels, criterion=nn.BCEWithLogitsLoss(), random_target=labels),
          complementary_loss(main, complement, labels.bool(), random_target=labels))
    close(complementary_loss(main, complement, labels, task="multilabel", random_target=labels),
          complementary_loss(main, complement, labels.bool(), random_target=labels))
    close(complementary_loss(main, complement, shares, criterion=nn.MSELoss(), random_target=shares),
          F.mse_loss(main, shares) + 0.5 * F.mse_loss(complement, shares))


@pytest.mark.parametrize("loss", LOSSES)
def test_weights_say_how_much_rows_count_on_both_paths(loss):
    main, complement = outputs()
    y, r = torch.tensor([0, 1, 2, 3, 0, 1]), torch.tensor([3, 2, 1, 0, 0, 1]) if loss == "random" else None
    twice = torch.tensor([0, 0, 1, 2, 3, 4])
    weight = torch.tensor([2.0, 1, 1, 1, 1, 0])
    found = complementary_loss(main, complement, y, loss=loss, random_target=r, weight=weight, gamma=2)
    again = [tensor[twice] for tensor in (main, complement, y)]
    close(found, complementary_loss(*again, loss=loss, random_target=None if r is None else r[twice], gamma=2))
    by_rows = complementary_loss(main, complement, y, loss=loss, random_target=r, weight=weight, gamma=2,
                                 criterion=nn.CrossEntropyLoss(reduction="none"))
    close(by_rows, found)


@pytest.mark.parametrize("loss", LOSSES)
def test_losses_have_the_gradients_of_differences(loss):
    main, complement = (tensor.requires_grad_() for tensor in outputs())
    y = torch.tensor([0, 1, 2, 3, 0, 1])

    def value(main, complement):
        return complementary_loss(main, complement, y, gamma=0.7, loss=loss, generator=torch.Generator().manual_seed(4))

    assert torch.autograd.gradcheck(value, (main, complement))


@pytest.mark.parametrize("loss", LOSSES)
def test_losses_stay_finite_for_large_outputs_and_half_precision(loss):
    main = torch.tensor([[300.0, -300, 0], [0, 300, -300]], dtype=torch.bfloat16, requires_grad=True)
    complement = (-main).detach().requires_grad_()
    value = complementary_loss(main, complement, torch.tensor([0, 2]), loss=loss)
    value.backward()
    assert bool(value.isfinite()) and bool(main.grad.isfinite().all()) and bool(complement.grad.isfinite().all())


def test_gamma_zero_is_the_main_loss_and_draws_nothing():
    main, complement = outputs()
    y = torch.tensor([0, 1, 2, 3, 0, 1])
    before = torch.get_rng_state()
    close(complementary_loss(main, complement, y, gamma=0), F.cross_entropy(main, y))
    assert torch.equal(before, torch.get_rng_state())


# In use


def puzzle(seed, rows=500, redundant=4, probes=26):
    """Clusters on the corners of a hypercube, as in madelon: y = (a xor b) or (c and d), mixtures of these, and probes."""
    g = torch.Generator().manual_seed(seed)
    corners, others = (torch.randint(2, (rows, count), generator=g) for count in (4, probes))
    y = (corners[:, 0] ^ corners[:, 1]) | (corners[:, 2] & corners[:, 3])
    true, noise = (1.5 * (2 * c - 1) + torch.randn(c.shape, generator=g) for c in (corners, others))
    x = torch.cat([true, true @ F.normalize(torch.randn(4, redundant, generator=g), dim=0), noise], dim=1)
    return (x - x.mean(dim=0)) / x.std(dim=0), y, 4 + redundant


def linear(seed, rows=500, features=20, true=4):
    """y tells the sign of the sum of the first features."""
    x = torch.randn(rows, features, generator=torch.Generator().manual_seed(seed))
    return x, (x[:, :true].sum(dim=1) > 0).long(), true


def train(data, family, gamma, seed, steps=300, **options):
    """The share of the true features, which are the first, among as many selected."""
    x, y, true = data(seed)
    torch.manual_seed(seed)
    mask = ComplementaryMask(x.shape[1], family, k=true, **options)
    trunk = nn.Sequential(nn.Linear(x.shape[1], 32), nn.LeakyReLU(0.02), nn.Linear(32, 16), nn.LeakyReLU(0.02))
    heads = nn.ModuleList([nn.Linear(16, 2), nn.Linear(16, 2)])
    optimizer = torch.optim.Adam([{"params": [*trunk.parameters(), *heads.parameters()], "lr": 3e-3},
                                  {"params": mask.parameters(), "lr": mask.learning_rate}])
    for step in range(steps):
        mask.step_to(step / steps)
        rows = torch.randint(len(x), (64,))
        kept, left = mask(x[rows])
        main, other = heads[0](trunk(kept)), heads[1](trunk(left))
        loss = complementary_loss(main, other, y[rows], gamma=gamma) + mask.penalty()
        optimizer.zero_grad()
        loss.backward()
        if step == 0 and gamma > 0:
            for parameter in (*mask.parameters(), *trunk.parameters(), *heads.parameters()):
                assert parameter.grad is not None and bool(parameter.grad.any())
        optimizer.step()
    return float((mask.ranking(x)[:true] < true).double().mean())


PAPER = {"hidden": 8, "init": "near_one", "scale_power": 0.5}


@pytest.mark.parametrize("family, seeds, options", [("fm", 10, PAPER), ("afs", 6, {"hidden": 16})])
def test_the_complement_finds_more_of_the_true_features(family, seeds, options):
    alone, both = ([train(puzzle, family, gamma, seed, **options) for seed in range(seeds)] for gamma in (0, 10))
    assert sum(both) > sum(alone) + 0.06 * seeds, (alone, both)
    assert sum(b >= a for a, b in zip(alone, both)) >= seeds - 1, (alone, both)


@pytest.mark.parametrize("family", FAMILIES)
def test_every_family_trains_with_its_complement(family):
    found = [train(linear, family, 1.0, seed, hidden=16) for seed in range(2)]
    assert min(found) >= 0.75, found


# Bad input


def mask_of(*args, **options):
    return lambda: ComplementaryMask(*args, **options)


def loss_of(*args, **options):
    return lambda: complementary_loss(*args, **options)


X, OUT, V, Y = torch.zeros(3, 4), torch.zeros(3, 2), torch.zeros(3, 2), torch.tensor([0, 1, 0])


@pytest.mark.parametrize("call, kind, words", [
    (mask_of(4, "softmax"), ValueError, "one of fm, afs, dfs, cancelout, cancelout-softmax, concrete, stg, sequential, "
                                             "bsf, fae, aefs"),
    (mask_of(4, "cfm"), ValueError, "family='fm'"),
    (mask_of(0), ValueError, "n_features has to be at least 1; found 0"),
    (mask_of(4.5), TypeError, "n_features is a whole number; found 4.5"),
    (mask_of(4, "concrete"), ValueError, "concrete is trained for the number of features to be selected: give k"),
    (mask_of(4, "sequential"), ValueError, "give k"),
    (mask_of(4, "concrete", k=5), ValueError, "k has to be between 1 and 4; found 5"),
    (mask_of(4, k=0), ValueError, "k has to be between 1 and 4; found 0"),
    (mask_of(4, hidden=0), ValueError, "hidden has to be at least 1"),
    (mask_of(4, init="ones"), ValueError, "init is one of glorot, near_one; found 'ones'"),
    (mask_of(4, scale_power=-1), ValueError, "scale_power has to be between 0 and 2; found -1"),
    (mask_of(4, penalty=-1), ValueError, "penalty has to be at least 0"),
    (mask_of(4, penalty="much"), TypeError, "penalty is a number; found 'much'"),
    (mask_of(4, complement="off"), ValueError, "complement is one of on, remainder; found 'off'"),
    (mask_of(4, "stg", complement="remainder"), ValueError, "expected family fm or cancelout-softmax, found stg"),
    (lambda: ComplementaryMask(5)(X), ValueError, "x is (rows, 5), as the mask was made for 5 features; found (3, 4)"),
    (lambda: ComplementaryMask(4, "dfs")(X[0]), ValueError, "x.unsqueeze(0)"),
    (lambda: ComplementaryMask(4)(X[:0]), ValueError, "x has no rows"),
    (lambda: ComplementaryMask(4)(X.long()), TypeError, "x holds int64, expected floating point numbers: try x.float()"),
    (lambda: ComplementaryMask(4)(X.double()), TypeError, "x holds float64 and the mask float32: try mask.to(x.dtype)"),
    (lambda: ComplementaryMask(4)(X.tolist()), TypeError, "x is a tensor; found list: try torch.as_tensor(x)"),
    (lambda: ComplementaryMask(4).mask(), ValueError, "a mask of fm is of the rows that it sees: give x (rows, 4)"),
    (lambda: ComplementaryMask(4, "afs").ranking(), ValueError, "give x (rows, 4)"),
    (lambda: ComplementaryMask(4).step_to(3), ValueError, "done has to be between 0 and 1; found 3"),
    (lambda: complement_of(V[0], "sequential"), ValueError, "which features are fixed is not told by a mask"),
    (lambda: complement_of(V[0], "gates"), ValueError, "one of fm, afs"),
    (lambda: complement_of(V[0] - 1, "fm"), ValueError, "no values below 0; found -1: try like='dfs'"),
    (lambda: complement_of(V[0] + 2, "stg"), ValueError, "between 0 and 1; found 2 to 2"),
    (lambda: complement_of(V[0, 0], "stg"), ValueError, "found a single number"),
    (lambda: complement_of(Y, "stg"), TypeError, "mask holds int64"),
    (lambda: complementary(X, torch.zeros(3), "stg"), ValueError, "as many features; found (3, 4) and (3,)"),
    (loss_of(OUT, OUT[:2], Y), ValueError, "main_output (3, 2) and complement_output (2, 2)"),
    (loss_of(OUT[None], OUT[None], Y), ValueError, "outputs are (rows, outputs), with at least one row; found (1, 3, 2)"),
    (loss_of(OUT[:0], OUT[:0], Y[:0]), ValueError, "at least one row"),
    (loss_of(OUT.long(), OUT, Y), TypeError, "main_output holds int64"),
    (loss_of(OUT, OUT, [0, 1, 0]), TypeError, "target is a tensor; found list"),
    (loss_of(OUT, OUT, Y, gamma=-1), ValueError, "gamma has to be at least 0; found -1"),
    (loss_of(OUT, OUT, Y, gamma=float("nan")), ValueError, "gamma has to be at least 0; found nan"),
    (loss_of(OUT, OUT, Y, gamma="search"), TypeError, "gamma is a number; found 'search'"),
    (loss_of(OUT, OUT, Y, loss="cosine"), ValueError, "loss is one of random, uniform, entropy, distance, negative"),
    (loss_of(OUT, OUT, Y, task="ranking"), ValueError, "task is one of classification, multilabel, regression"),
    (loss_of(OUT, OUT, Y + 1), ValueError, "target holds classes from 1 to 2, but 2 outputs stand for the classes 0 to 1"),
    (loss_of(OUT, OUT, Y - 1), ValueError, "target holds classes from -1 to 0"),
    (loss_of(OUT, OUT, Y[:2]), ValueError, "target has one class for each of 3 rows; found shape (2,)"),
    (loss_of(OUT, OUT, Y[:, None]), ValueError, "found shape (3, 1)"),
    (loss_of(OUT, OUT, V, task="classification"), TypeError, "try target.long()"),
    (loss_of(OUT[:, :1], OUT[:, :1], Y), ValueError, "at least two classes; found (3, 1)"),
    (loss_of(OUT[:, :1], OUT[:, :1], V[:, 0]), ValueError, "outputs, (3, 1); found (3,): try target.unsqueeze(1)"),
    (loss_of(OUT, OUT, V.long() + 2), ValueError, "target holds values from 2 to 2; labels are 0 and 1"),
    (loss_of(OUT, OUT, Y, random_target=Y + 5), ValueError, "random_target holds classes from 5 to 6"),
    (loss_of(OUT, OUT, Y, random_target=Y.double()), TypeError, "random_target.long()"),
    (loss_of(OUT, OUT, V, random_target=V[:, 0]), ValueError, "random_target has the shape of the outputs"),
    (loss_of(OUT, OUT, Y, loss="uniform", random_target=Y), ValueError, "random_target is of no use for loss uniform"),
    (loss_of(OUT, OUT, V, loss="uniform", random_target=torch.zeros(5)), ValueError, "the means of the target"),
    (loss_of(OUT, OUT, V, loss="entropy"), ValueError, "entropy does not go with task regression: it is made of the prob"),
    (loss_of(OUT, OUT, V, loss="distance"), ValueError, "expected random or uniform"),
    (loss_of(OUT, OUT, V.bool(), loss="negative"), ValueError, "negative does not go with task multilabel: it has no bound"),
    (loss_of(OUT, OUT, V, loss="uniform", task="reconstruction"), ValueError, "a reconstruction has none; expected random"),
    (loss_of(OUT, OUT, V, loss="negative", criterion=F.cross_entropy), TypeError, "a class number for each row"),
    (loss_of(OUT, OUT, V, criterion=nn.BCELoss()), ValueError, "expected criterion BCEWithLogitsLoss, found BCELoss"),
    (loss_of(OUT, OUT, Y, weight=V), ValueError, "weight has one number for each of 3 rows; found shape (3, 2)"),
    (loss_of(OUT, OUT, Y, weight=-V[:, 0] - 1), ValueError, "weight of rows is at least 0; found -1"),
    (loss_of(OUT, OUT, Y, weight=V[:, 0], criterion=F.cross_entropy), ValueError, "try reduction='none'"),
    (loss_of(OUT, OUT, Y, criterion=lambda output, target: output[:2]), ValueError, "one for each of 3 rows; found (2, 2)"),
    (loss_of(OUT, OUT, Y, criterion=lambda output, target: 1.0), TypeError, "the result of criterion is a tensor"),
])
def test_bad_input_is_told_with_what_to_try(call, kind, words):
    with pytest.raises(kind, match=re.escape(words)):
        call()


def test_without_pytorch_the_import_says_what_to_install():
    code = "import sys; sys.modules['torch'] = None; import obverse.torch"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True,
                          env={"PYTHONPATH": ":".join(sys.path)})
    assert done.returncode != 0
    assert "ImportError: obverse.torch needs PyTorch: pip install torch" in done.stderr


# The page


def test_the_python_blocks_of_the_page_run():
    page = (ROOT / "docs" / "pytorch.md").read_text()
    blocks = re.findall(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    assert blocks
    space = {}
    for block in blocks:
        exec(compile(block, "docs/pytorch.md", "exec"), space)
    true = [int((features < 8).sum()) for features in (space["mask"].ranking(space["x"])[:8],
                                                      space["weights"].abs().topk(8).indices)]
    assert min(true) >= 5, true


def test_the_page_names_every_family_and_loss():
    page = (ROOT / "docs" / "pytorch.md").read_text()
    for name in (*FAMILIES, *LOSSES):
        assert f"| `{name}` |" in page
