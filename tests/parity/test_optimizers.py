"""Thirty steps of every optimizer with every option, on parameters of many shapes: PyTorch's numbers, state included.

The gradients are given, so that what is compared is the formula alone.
"""

import functools
import importlib

import numpy as np
import pytest
from scipy.linalg import blas

pytest.importorskip("torch")

# Small ones that are laid together, one that is larger than a block, one without elements, one without dimensions.
SHAPES = [(3, 4), (5,), (), (2, 0), (200, 200), (2, 3, 2)]
MATRICES = [(3, 4), (6, 2), (5, 5)]
STEPS = 30

OPTIONS = {
    "SGD": [
        {},
        {"maximize": True},
        {"weight_decay": 0.1},
        {"momentum": 0.9},
        {"momentum": 0.9, "dampening": 0.5, "maximize": True},
        {"momentum": 0.9, "nesterov": True, "weight_decay": 0.01},
        {"foreach": True, "momentum": 0.9},
        {"fused": True, "momentum": 0.9},
    ],
    "Adam": [
        {},
        {"lr": 0.01, "betas": (0.5, 0.9), "eps": 1e-3},
        {"weight_decay": 0.1, "maximize": True},
        {"weight_decay": 0.1, "decoupled_weight_decay": True},
        {"amsgrad": True},
        {"foreach": True},
        {"fused": True, "amsgrad": True},
    ],
    "AdamW": [{}, {"weight_decay": 0.3, "amsgrad": True, "maximize": True}],
    "Adadelta": [{}, {"rho": 0.5, "eps": 1e-3, "weight_decay": 0.1}, {"lr": 0.1, "maximize": True}, {"foreach": True}],
    "Adafactor": [
        {},
        {"weight_decay": 0.1, "maximize": True},
        {"beta2_decay": -0.5, "d": 1.5, "eps": (1e-4, 1e-2)},
        {"foreach": True},
    ],
    "Adagrad": [
        {},
        {"lr_decay": 0.1, "weight_decay": 0.1},
        {"initial_accumulator_value": 0.5, "eps": 1e-3, "maximize": True},
        {"foreach": True},
        {"fused": True},
    ],
    "Adamax": [{}, {"betas": (0.5, 0.7), "weight_decay": 0.1}, {"maximize": True, "eps": 1e-3}, {"foreach": True}],
    "ASGD": [{}, {"lambd": 0.1, "alpha": 0.5}, {"t0": 10, "weight_decay": 0.1}, {"maximize": True}, {"foreach": True}],
    "Muon": [],
    "NAdam": [
        {},
        {"momentum_decay": 0.1, "weight_decay": 0.1},
        {"weight_decay": 0.1, "decoupled_weight_decay": True, "maximize": True},
        {"foreach": True},
    ],
    "RAdam": [
        {},
        {"betas": (0.5, 0.6), "weight_decay": 0.1},
        {"weight_decay": 0.1, "decoupled_weight_decay": True, "maximize": True},
        {"foreach": True},
    ],
    "RMSprop": [
        {},
        {"centered": True, "weight_decay": 0.1},
        {"momentum": 0.9, "alpha": 0.5},
        {"momentum": 0.9, "centered": True, "maximize": True, "eps": 1e-3},
        {"foreach": True},
    ],
    "Rprop": [{}, {"etas": (0.3, 2.0), "step_sizes": (1e-3, 0.1)}, {"maximize": True}, {"foreach": True}],
}
CASES = [(name, options) for name, many in OPTIONS.items() for options in many]


def shapes_for(name):
    """Adafactor divides by the number of elements, in PyTorch too."""
    return [shape for shape in SHAPES if name != "Adafactor" or 0 not in shape]


@functools.cache  # drawing takes longer than the steps
def drawn(shapes, seed, is_complex):
    random = np.random.default_rng(seed)
    results = [random.normal(size=shape) for shape in shapes]
    return [each + 1j * random.normal(size=each.shape) for each in results] if is_complex else results


def numbers(shapes, seed, dtype):
    kind = np.dtype(dtype)
    return [np.array(each, kind) for each in drawn(tuple(shapes), seed, kind.kind == "c")]


def after_steps(library, name, options, shapes, dtype, steps=STEPS, convert=None):
    """Parameters, and state by parameter and name, after some steps with gradients that are given."""
    torch = importlib.import_module(library)
    made = [torch.tensor(each) for each in numbers(shapes, 0, dtype)]
    params = [(each if convert is None else each.to(getattr(torch, convert))).requires_grad_() for each in made]
    optimizer = getattr(torch.optim, name)(params, **options)
    for step in range(steps):
        for index, (param, gradient) in enumerate(zip(params, numbers(shapes, 1 + step, dtype), strict=True)):
            # One of them begins late, so that the counts differ; PyTorch's fused steps fail over that
            late = index == 1 and step < 3 and not options.get("fused")
            param.grad = None if late else torch.tensor(gradient).to(param.dtype)
        optimizer.step()
    wide = [torch.complex128 if param.is_complex() else torch.float64 for param in params]
    state = {
        (index, key): value.to(torch.complex128 if value.is_complex() else torch.float64).numpy()
        for index, param in enumerate(params)
        for key, value in optimizer.state[param].items()
    }
    return [param.detach().to(kind).numpy() for param, kind in zip(params, wide, strict=True)], state


def compare(name, options, shapes, dtype, rtol, convert=None, steps=STEPS):
    ours, ours_state = after_steps("rushlight", name, options, shapes, dtype, steps, convert)
    theirs, theirs_state = after_steps("torch", name, options, shapes, dtype, steps, convert)
    assert list(ours_state) == list(theirs_state)
    for mine, other in zip([*ours, *ours_state.values()], [*theirs, *theirs_state.values()], strict=True):
        np.testing.assert_allclose(mine, other, rtol=rtol, atol=rtol * np.abs(other).max(initial=0))


@pytest.mark.parametrize(("name", "options"), CASES)
def test_float64(name, options):
    # PyTorch's fused steps, and ASGD's foreach step, work with rates that were rounded to float32
    rounded = options.get("fused") or (name == "ASGD" and options.get("foreach"))
    compare(name, options, shapes_for(name), "f8", 1e-6 if rounded else 1e-12)


@pytest.mark.parametrize(("name", "options"), CASES)
def test_float32(name, options):
    """PyTorch's numbers, or some no further from those of float64: roundings differ between processors."""
    shapes = shapes_for(name)
    ours, ours_state = after_steps("rushlight", name, options, shapes, "f4")
    theirs, theirs_state = after_steps("torch", name, options, shapes, "f4")
    exact, exact_state = after_steps("rushlight", name, options, shapes, "f8")
    assert list(ours_state) == list(theirs_state)
    columns = [[*args, *state.values()] for args, state in (
        (ours, ours_state), (theirs, theirs_state), (exact, exact_state)
    )]  # fmt: skip
    for mine, other, truth in zip(*columns, strict=True):
        further = np.abs(mine - truth) > np.abs(other - truth)
        atol = 2e-6 * np.abs(other).max(initial=0)
        np.testing.assert_allclose(mine[further], other[further], rtol=2e-6, atol=atol)


@pytest.mark.parametrize("name", [name for name in OPTIONS if name not in ("Adafactor", "Muon")])
def test_complex(name):
    compare(name, {"weight_decay": 0.1} if name != "Rprop" else {}, SHAPES, "c16", 1e-12)


@pytest.mark.parametrize("name", [name for name in OPTIONS if name != "Muon"])
@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_half_precision_round_as_in_pytorch(name, dtype):
    compare(name, {}, shapes_for(name)[:4], "f4", 0.01 if dtype == "bfloat16" else 0.001, convert=dtype, steps=5)


@pytest.mark.parametrize("options", [{}, {"nesterov": False}, {"adjust_lr_fn": "match_rms_adamw"}, {"ns_steps": 3}])
def test_muon(options):
    # The orthogonal factor is found in bfloat16: three digits of each step
    compare("Muon", {"lr": 0.01, **options}, MATRICES, "f8", 0.01, steps=10)


def rounds_once(dtype) -> bool:
    """Whether the BLAS here adds a multiple of few numbers with one rounding; its kernel for some processors does not.

    `-a * a + a * a` is the rounding error of the first square, or zero where the second is rounded too.
    """
    a = np.full(12, 1.1, dtype)
    axpy = {"f4": blas.saxpy, "f8": blas.daxpy}[dtype]
    return all(axpy(a[:count], -a[:count] * a[:count], count, a[0]).all() for count in (1, 5, 12))


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("options", [{}, {"maximize": True}])
def test_gradient_descent_of_many_parameters_is_the_same_to_the_last_bit(options, dtype):
    shapes = [SHAPES[index % 3] for index in range(66)]
    ours, _ = after_steps("rushlight", "SGD", {"lr": 0.1, **options}, shapes, dtype)
    theirs, _ = after_steps("torch", "SGD", {"lr": 0.1, **options}, shapes, dtype)
    roundings = 0 if rounds_once(dtype) else STEPS  # one more in each step
    furthest = roundings * np.finfo(dtype).eps / 2 * max(np.abs(each).max() for each in theirs)
    for mine, other in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(mine, other, rtol=0, atol=furthest)
