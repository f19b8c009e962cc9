"""Softmax and its logarithm are right for numbers of any size, whichever way they are computed."""

import math

import numpy as np
import pytest


@pytest.mark.parametrize("function", ["softmax", "log_softmax"])
@pytest.mark.parametrize("dim", [0, 1])
@pytest.mark.parametrize("scale", [0.1, 3, 30, 500, 1e30])
@pytest.mark.parametrize("least", [0.0, -np.inf])
@pytest.mark.parametrize("shape", [(12, 7), (90, 7), (3, 40), (5, 1)])
def test_numbers_of_any_size(torch, function, dim, scale, least, shape):
    given = (np.random.default_rng(0).standard_normal(shape) * scale).astype(np.float32)
    given[0, 0] = least if shape[dim] > 1 else 0.0
    numbers = given - given.max(dim, keepdims=True).astype(np.float64)
    logarithms = numbers - np.log(np.exp(numbers).sum(dim, keepdims=True))
    expected = np.exp(logarithms) if function == "softmax" else logarithms
    result = getattr(torch, function)(torch.tensor(given), dim)
    torch.testing.assert_close(result, torch.tensor(expected.astype(np.float32)), rtol=1e-5, atol=2e-6)


@pytest.mark.parametrize("function", ["softmax", "log_softmax"])
def test_a_nan_is_in_its_row_only(torch, function):
    x = torch.zeros(2, 3)
    x[0, 1] = float("nan")
    assert getattr(torch, function)(x, 1).isnan().tolist() == [[True] * 3, [False] * 3]


@pytest.mark.parametrize("function", ["softmax", "log_softmax"])
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize(
    ("shape", "dim"), [((), 0), ((1,), 0), ((9,), 0), ((9,), -1), ((600,), 0), ((2, 3, 4), 1), ((4, 3), -2)]
)
def test_of_any_shape_they_add_up_to_one(torch, function, dtype, shape, dim):
    x = torch.arange(math.prod(shape), dtype=getattr(torch, dtype)).reshape(shape) / 64
    result = getattr(torch, function)(x, dim)
    assert result.dtype is x.dtype and result.shape == x.shape
    total = (result if function == "softmax" else result.exp()).double().sum(dim)
    torch.testing.assert_close(total, torch.ones_like(total), rtol=0, atol=2e-3 if dtype == "float16" else 1e-6)


@pytest.mark.parametrize("function", ["softmax", "log_softmax"])
@pytest.mark.parametrize("turned", [False, True])
def test_gaps_between_the_numbers_do_not_matter(torch, function, turned):
    x = torch.arange(48.0).reshape(6, 8)[::2, ::2] / 7
    x = x.t() if turned else x
    for dim in (0, 1):
        torch.testing.assert_close(getattr(torch, function)(x, dim), getattr(torch, function)(x.contiguous(), dim))
