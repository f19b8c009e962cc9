"""Formulas at the ends of a dtype's range, where an intermediate number overflows: PyTorch's results and gradients."""

import itertools
import math

import numpy as np
import pytest

import rushlight

theirs = pytest.importorskip("torch", reason="compares with PyTorch")

SIZES = {"float32": (1e-20, 1e-3, 1e19, 1e20, 1e30, 3e37), "float16": (6e-8, 1e-3, 3e-3, 200.0, 300.0)}


def gradients(torch, function, kind, *arrays):
    leaves = [torch.tensor(each).to(getattr(torch, kind)).requires_grad_() for each in arrays]
    result = function(torch, *leaves)
    return [each.double().numpy() for each in (result.detach(), *torch.autograd.grad(result.sum(), leaves))]


@pytest.mark.parametrize("size", SIZES["float32"])
@pytest.mark.parametrize("order", [1, 2, 3, math.inf])
def test_the_gradient_of_renorm_does_not_overflow(order, size):
    rows = np.array([[1.0, 2.0, -1.0], [0.5, -3.0, 1.0]]) * size
    weight = [[1.0, -2.0, 0.5]]

    def call(torch, x):
        return torch.renorm(x, order, 0, size / 3) / size * torch.tensor(weight)

    result, expected = (gradients(torch, call, "float32", rows) for torch in (rushlight, theirs))
    for one, other in zip(result, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-5 * np.abs(other[np.isfinite(other)]).max(initial=0))


@pytest.mark.parametrize("kind", ["complex64", "complex128"])
def test_the_direction_of_an_infinite_number(kind):
    parts = [-math.inf, math.inf, math.nan, -2.0, 0.0, 1.5]
    numbers = [complex(*pair) for pair in itertools.product(parts, repeat=2)]
    numbers += [complex(3e38, 3e38), complex(-3e38, 3e38)] if kind == "complex64" else []
    result, expected = (
        torch.view_as_real(torch.tensor(numbers, dtype=getattr(torch, kind)).sgn()).numpy()
        for torch in (rushlight, theirs)
    )
    np.testing.assert_allclose(result, expected, rtol=1e-6)


@pytest.mark.parametrize("size", [1e15, 1e19, 1e20, 1e30, 1e37, 3e38])
@pytest.mark.parametrize("shape", [(8, 3), (4, 3, 5), (1, 3, 2, 4)])
@pytest.mark.parametrize("name", ["batch_norm", "instance_norm"])
def test_normalization_of_large_numbers(name, shape, size):
    """As PyTorch computes it in float64: in float32 squares, or sums, overflow."""
    if name == "instance_norm" and len(shape) == 2:
        shape = (2, *shape)
    numbers = np.sin(np.arange(np.prod(shape)) ** 2.0).reshape(shape) * size

    def call(torch, x):
        options = {"running_mean": None, "running_var": None}
        options |= {"training": True} if name == "batch_norm" else {}
        result = getattr(torch.nn.functional, name)(x, **options)
        return result * torch.arange(np.prod(shape), dtype=x.dtype).reshape(shape)

    result, slope = gradients(rushlight, call, "float32", numbers)
    expected, wanted = gradients(theirs, call, "float64", numbers.astype(np.float32))
    np.testing.assert_allclose(result, expected, rtol=1e-5, atol=1e-5 * np.abs(expected).max())
    if size < 1e30:  # beyond, gradients are subnormal
        np.testing.assert_allclose(slope, wanted, rtol=1e-4, atol=1e-5 * np.abs(wanted).max())
