"""Softmax and its logarithm are right for numbers of any size, whichever way they are computed."""

import numpy as np
import pytest


@pytest.mark.parametrize("function", ["softmax", "log_softmax"])
@pytest.mark.parametrize("dim", [0, 1])
@pytest.mark.parametrize("scale", [0.1, 3, 30, 500, 1e30])
@pytest.mark.parametrize("least", [0.0, -np.inf])
def test_numbers_of_any_size(torch, function, dim, scale, least):
    given = (np.random.default_rng(0).standard_normal((12, 7)) * scale).astype(np.float32)
    given[0, 0] = least
    numbers = given - given.max(dim, keepdims=True).astype(np.float64)
    logarithms = numbers - np.log(np.exp(numbers).sum(dim, keepdims=True))
    expected = np.exp(logarithms) if function == "softmax" else logarithms
    found = getattr(torch, function)(torch.tensor(given), dim)
    torch.testing.assert_close(found, torch.tensor(expected.astype(np.float32)), rtol=1e-5, atol=2e-6)


@pytest.mark.parametrize("function", ["softmax", "log_softmax"])
def test_a_nan_is_in_its_row_only(torch, function):
    x = torch.zeros(2, 3)
    x[0, 1] = float("nan")
    assert getattr(torch, function)(x, 1).isnan().tolist() == [[True] * 3, [False] * 3]
