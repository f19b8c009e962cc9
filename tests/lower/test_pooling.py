"""Max pooling by machine code against NumPy's, which tests/parity compares with PyTorch."""

import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="the extra jit is not installed")

from rushlight.arrays import pooling as plain
from rushlight.core import policy
from rushlight.lower import pooling

# size, kernel, stride, padding, dilation, ceil_mode
WINDOWS = [
    ((8, 8), (2, 2), (2, 2), (0, 0), (1, 1), False),
    ((9, 37), (3, 2), (2, 1), (1, 1), (1, 2), True),
    ((7, 40), (2, 3), (3, 3), (1, 0), (2, 1), False),
    ((50,), (3,), (2,), (1,), (1,), True),
    ((150,), (3,), (1,), (1,), (2,), False),
    ((151,), (2,), (2,), (0,), (1,), False),
    ((4, 77), (2, 3), (1, 1), (1, 0), (1, 1), False),
    ((5, 5), (5, 5), (1, 1), (2, 2), (1, 1), False),
]


@pytest.fixture(autouse=True)
def small(monkeypatch):
    """Kernels take small arrays."""
    monkeypatch.setattr(pooling, "POOLED", 0)
    monkeypatch.setattr(policy, "WARMUP", 0)


def draw(kind, *shape):
    """Returns few distinct values, for ties; with NaN and infinities on request."""
    array = np.random.default_rng(0).integers(-2, 3, shape).astype(np.float32)
    if kind == "special":
        array[array == 2] = np.nan
        array[array == -1] = -np.inf
        array[0, 0] = -np.inf
    return array


@pytest.mark.parametrize("kind", ["ties", "special"])
@pytest.mark.parametrize("window", WINDOWS, ids=str)
def test_maxima_and_their_indices_are_numpys(kind, window, monkeypatch):
    size, *settings = window
    input = draw(kind, 3, 5, *size)
    values, indices = plain.max_pool(input, *settings)
    grad = draw("ties", *values.shape)
    expected = plain.max_pool_input(grad, indices, input.shape)
    monkeypatch.setattr(plain, "max_pool", None)  # only the kernels may run, not what they replace
    monkeypatch.setattr(plain, "max_pool_input", None)
    result = pooling.max_pool(input, *settings)
    np.testing.assert_array_equal(result[0], values)
    np.testing.assert_array_equal(result[1], indices)
    monkeypatch.setattr(plain, "max_pool_values", None)
    np.testing.assert_array_equal(pooling.max_pool_values(input, *settings), values)
    np.testing.assert_array_equal(pooling.max_pool_input(grad, indices, input.shape), expected)


@pytest.mark.parametrize("kind", ["numbers", "ties"])
@pytest.mark.parametrize("count", [(8, 5), (6, 5), (12, 20), (4, 7), (24, 40)], ids=str)
@pytest.mark.parametrize("is_last", [False, True])
def test_adaptive_maxima_and_their_indices_are_numpys(kind, count, is_last, monkeypatch):
    array = np.random.default_rng(0).integers(-2, 3, (2, 3, 24, 40)).astype(np.float32)
    if kind == "numbers":
        array = np.random.default_rng(0).standard_normal(array.shape).astype(np.float32)
        array[0, 0, 5, 5:9] = np.nan
    if is_last:
        array = array.transpose(0, 2, 3, 1).copy().transpose(0, 3, 1, 2)
    expected = plain.adaptive_max_pool(array, count)
    monkeypatch.setattr(plain, "adaptive_max_pool", None)
    for one, other in zip(pooling.adaptive_max_pool(array, count), expected, strict=True):
        np.testing.assert_array_equal(one, other)


def test_unsupported_arguments_are_left_to_numpy():
    for kind in (np.float64, np.int64, np.float16):
        input = draw("ties", 2, 3, 4, 4).astype(kind)
        for one, other in zip(
            pooling.max_pool(input, (2, 2), (2, 2), (0, 0), (1, 1)),
            plain.max_pool(input, (2, 2), (2, 2), (0, 0), (1, 1)),
            strict=True,
        ):
            np.testing.assert_array_equal(one, other)
            assert one.dtype == other.dtype
