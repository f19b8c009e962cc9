"""Derivatives at the points where they are a convention: ties, kinks, bounds, zeros of what is divided by.

Finite differences cannot see these, so the gradients of the sum of the results were recorded from PyTorch 2.13.
"""

import math

import pytest

import rushlight

inf, nan = math.inf, math.nan

# (expression, where the operands are, their gradients)
KINKS = [
    # ---- signs and rounding
    ("x.abs()", {"x": [0.0, -0.0, nan]}, {"x": [0.0, 0.0, 0.0]}),
    ("x.sign()", {"x": [0.0, 2.0]}, {"x": [0.0, 0.0]}),
    ("x.sgn()", {"x": [0.0, 2.0]}, {"x": [0.0, 0.0]}),
    (
        "torch.copysign(x, y)",
        {"x": [0.0, 0.0, 2.0], "y": [1.0, -1.0, -0.0]},
        {"x": [0.0, 0.0, -1.0], "y": [0.0, 0.0, 0.0]},
    ),
    ("x.floor()", {"x": [1.0, 1.5]}, {"x": [0.0, 0.0]}),
    ("x.ceil()", {"x": [1.0, 1.5]}, {"x": [0.0, 0.0]}),
    ("x.trunc()", {"x": [1.0, -1.0]}, {"x": [0.0, 0.0]}),
    ("x.round()", {"x": [0.5, 1.5]}, {"x": [0.0, 0.0]}),
    ("x.frac()", {"x": [1.0, -1.0]}, {"x": [1.0, 1.0]}),
    (
        "torch.remainder(x, y)",
        {"x": [2.0, -2.0, 3.0], "y": [2.0, 2.0, -2.0]},
        {"x": [1.0, 1.0, 1.0], "y": [-1.0, 1.0, 2.0]},
    ),
    ("torch.fmod(x, y)", {"x": [2.0, -2.0, 3.0], "y": [2.0, 2.0, -2.0]}, {"x": [1.0, 1.0, 1.0], "y": [-1.0, 1.0, 1.0]}),
    ("x.nan_to_num()", {"x": [nan, inf, -inf, 1.0]}, {"x": [0.0, 0.0, 0.0, 1.0]}),
    # ---- powers and roots
    ("x ** 0", {"x": [0.0, 2.0]}, {"x": [0.0, 0.0]}),
    ("x ** 1", {"x": [0.0]}, {"x": [1.0]}),
    ("x ** 2", {"x": [0.0]}, {"x": [0.0]}),
    ("x ** 0.5", {"x": [0.0]}, {"x": [inf]}),
    ("x ** -1", {"x": [0.0]}, {"x": [-inf]}),
    ("0 ** x", {"x": [0.0, 2.0, -1.0]}, {"x": [0.0, 0.0, -inf]}),
    ("(-2) ** x", {"x": [2.0]}, {"x": [nan]}),
    (
        "x ** y",
        {"x": [0.0, 0.0, 0.0, -2.0], "y": [0.0, 2.0, -1.0, 2.0]},
        {"x": [0.0, 0.0, -inf, -4.0], "y": [0.0, 0.0, -inf, nan]},
    ),
    ("torch.float_power(x, 0)", {"x": [0.0]}, {"x": [0.0]}),
    ("x.sqrt()", {"x": [0.0]}, {"x": [inf]}),
    ("x.rsqrt()", {"x": [0.0]}, {"x": [-inf]}),
    ("x.reciprocal()", {"x": [0.0]}, {"x": [-inf]}),
    ("torch.hypot(x, y)", {"x": [0.0, 3.0], "y": [0.0, 0.0]}, {"x": [nan, 1.0], "y": [nan, 0.0]}),
    ("torch.atan2(x, y)", {"x": [0.0, 0.0], "y": [0.0, -1.0]}, {"x": [0.0, -1.0], "y": [0.0, 0.0]}),
    ("x / y", {"x": [0.0, 1.0], "y": [0.0, 0.0]}, {"x": [inf, inf], "y": [nan, -inf]}),
    # ---- logarithms
    ("x.log()", {"x": [0.0, -1.0]}, {"x": [inf, -1.0]}),
    ("x.log1p()", {"x": [-1.0]}, {"x": [inf]}),
    (
        "torch.xlogy(x, y)",
        {"x": [0.0, 0.0, 0.0, 2.0], "y": [0.0, -1.0, 2.0, 0.0]},
        {"x": [0.0, 0.0, 0.69314718056, -inf], "y": [nan, 0.0, 0.0, inf]},
    ),
    (
        "torch.logaddexp(x, y)",
        {"x": [1.0, inf, -inf], "y": [1.0, inf, -inf]},
        {"x": [0.5, nan, nan], "y": [0.5, nan, nan]},
    ),
    ("x.logit()", {"x": [0.0, 1.0, 1.5]}, {"x": [inf, inf, nan]}),
    ("x.logit(0.25)", {"x": [0.25, 0.75, 0.1]}, {"x": [5.333333333333, 5.333333333333, 0.0]}),
    ("x.asin()", {"x": [1.0, -1.0]}, {"x": [inf, inf]}),
    ("x.acos()", {"x": [1.0]}, {"x": [-inf]}),
    ("x.acosh()", {"x": [1.0]}, {"x": [inf]}),
    ("x.atanh()", {"x": [1.0]}, {"x": [inf]}),
    ("x.sinc()", {"x": [0.0]}, {"x": [0.0]}),
    # ---- the larger and the smaller
    (
        "torch.maximum(x, y)",
        {"x": [1.0, 1.0, nan, 1.0], "y": [1.0, 2.0, 1.0, nan]},
        {"x": [0.5, 0.0, 1.0, 1.0], "y": [0.5, 1.0, 1.0, 1.0]},
    ),
    (
        "torch.minimum(x, y)",
        {"x": [1.0, 1.0, nan, 1.0], "y": [1.0, 2.0, 1.0, nan]},
        {"x": [0.5, 1.0, 1.0, 1.0], "y": [0.5, 0.0, 1.0, 1.0]},
    ),
    (
        "torch.fmax(x, y)",
        {"x": [1.0, 1.0, nan, 1.0], "y": [1.0, 2.0, 1.0, nan]},
        {"x": [1.0, 0.0, 0.0, 1.0], "y": [0.0, 1.0, 1.0, 0.0]},
    ),
    (
        "torch.fmin(x, y)",
        {"x": [1.0, 1.0, nan, 1.0], "y": [1.0, 2.0, 1.0, nan]},
        {"x": [1.0, 1.0, 0.0, 1.0], "y": [0.0, 0.0, 1.0, 0.0]},
    ),
    ("x.clamp(0, 1)", {"x": [0.0, 1.0, -1.0, 2.0]}, {"x": [1.0, 1.0, 0.0, 0.0]}),
    ("x.clamp(1, 0)", {"x": [0.0, 1.0]}, {"x": [0.0, 0.0]}),
    ("x.clamp(min=0)", {"x": [0.0]}, {"x": [1.0]}),
    (
        "x.clamp(y, z)",
        {"x": [0.0, 1.0, 0.5, 2.0], "y": [0.0, 0.0, 1.0, 0.0], "z": [1.0, 1.0, 0.0, 1.0]},
        {"x": [1.0, 1.0, 0.0, 0.0], "y": [0.0, 0.0, 0.0, 0.0], "z": [0.0, 0.0, 1.0, 1.0]},
    ),
    ("x.clamp_min(y)", {"x": [0.0, 1.0], "y": [0.0, 2.0]}, {"x": [1.0, 0.0], "y": [0.0, 1.0]}),
    ("x.clamp_max(y)", {"x": [0.0, 1.0], "y": [0.0, 0.5]}, {"x": [1.0, 0.0], "y": [0.0, 1.0]}),
    # ---- activations
    ("torch.nn.functional.relu(x)", {"x": [0.0, nan]}, {"x": [0.0, 1.0]}),
    ("torch.nn.functional.relu6(x)", {"x": [0.0, 6.0]}, {"x": [0.0, 0.0]}),
    ("torch.nn.functional.leaky_relu(x)", {"x": [0.0]}, {"x": [0.01]}),
    ("torch.nn.functional.prelu(x, y)", {"x": [0.0], "y": [0.25]}, {"x": [0.25], "y": [0.0]}),
    ("torch.nn.functional.threshold(x, 1, 7)", {"x": [1.0]}, {"x": [0.0]}),
    ("torch.nn.functional.elu(x, 2.0)", {"x": [0.0]}, {"x": [2.0]}),
    ("torch.nn.functional.celu(x, 2.0)", {"x": [0.0]}, {"x": [1.0]}),
    ("torch.nn.functional.selu(x)", {"x": [0.0]}, {"x": [1.758099340847]}),
    ("torch.nn.functional.hardtanh(x)", {"x": [-1.0, 1.0]}, {"x": [0.0, 0.0]}),
    ("torch.nn.functional.hardsigmoid(x)", {"x": [-3.0, 3.0]}, {"x": [0.0, 0.0]}),
    ("torch.nn.functional.hardswish(x)", {"x": [-3.0, 3.0]}, {"x": [0.0, 1.0]}),
    ("torch.nn.functional.hardshrink(x)", {"x": [-0.5, 0.5]}, {"x": [0.0, 0.0]}),
    ("torch.nn.functional.softshrink(x)", {"x": [-0.5, 0.5]}, {"x": [0.0, 0.0]}),
    ("torch.nn.functional.softplus(x, 1, 2)", {"x": [2.0]}, {"x": [0.880797077978]}),
    ("torch.nn.functional.logsigmoid(x)", {"x": [0.0]}, {"x": [0.5]}),
    ("torch.nn.functional.softsign(x)", {"x": [0.0]}, {"x": [1.0]}),
]


@pytest.mark.parametrize("expression, points, gradients", KINKS, ids=[each[0] for each in KINKS])
def test_derivatives_at_kinks(torch, expression, points, gradients):
    operands = {name: torch.tensor(values, dtype=torch.float64, requires_grad=True) for name, values in points.items()}
    result = eval(expression, {"torch": torch, **operands})
    result.sum().backward()
    results = {name: (operand.grad + 0).tolist() for name, operand in operands.items()}
    assert results == {name: pytest.approx(values, nan_ok=True) for name, values in gradients.items()}


@pytest.mark.parametrize("count", [1, 7, 40, 50_000])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", ["elu", "celu", "selu"])
def test_exponential_units_keep_the_sign_of_a_zero(name, dtype, count, pytorch):
    results = []
    for library in (rushlight, pytorch):
        x = library.zeros(count, dtype=getattr(library, dtype))
        x[::2] = -0.0
        results.append(library.signbit(getattr(library.nn.functional, name)(x)).tolist())
    assert results[0] == results[1]
