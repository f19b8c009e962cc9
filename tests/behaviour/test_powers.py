"""Powers that are short products, of numbers below zero and of the ends of the range."""

import math

import pytest

SIZES = pytest.mark.parametrize("size", [1, 40_000], ids=["few", "many"])
KINDS = pytest.mark.parametrize("kind", ["float32", "float64"])


def numbers(torch, kind, size):
    x = [0.0, -0.0, math.inf, -math.inf, math.nan, 1.0, -1.0, 2.0, -2.0, 1e-40, -3.3, 1e30]
    return torch.tensor(x * size, dtype=getattr(torch, kind))


def alike(torch, found, expected):
    signs = torch.signbit(found) == torch.signbit(expected)
    return bool((((found == expected) & signs) | (found.isnan() & expected.isnan())).all())


@SIZES
@KINDS
def test_short_powers_are_products(torch, kind, size):
    x = numbers(torch, kind, size)
    assert alike(torch, x**3, x * x * x)
    assert alike(torch, x**-2, 1 / (x * x))
    assert alike(torch, x**-0.5, 1 / x.sqrt())


@SIZES
@KINDS
@pytest.mark.parametrize("power", [4, 5, -3, -4])
def test_the_sign_of_a_whole_power(torch, kind, size, power):
    x = numbers(torch, kind, size)
    size = x.abs() ** power
    odd = power % 2
    assert alike(torch, x**power, torch.copysign(size, x) if odd else size)


def test_the_slope_of_an_even_power_below_zero(torch):
    x = torch.tensor([-3.0, -0.0, 2.0], requires_grad=True)
    (x**4).sum().backward()
    assert x.grad.tolist() == [-108.0, 0.0, 32.0]
