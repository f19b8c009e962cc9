"""Softmax along a dimension that is not the last, by machine code against the formula in float64."""

import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="the extra jit is not installed")

from rushlight.kernels import softmax_columns
from rushlight.lower.registry import KERNELS

SHAPES = [((64, 128), 0), ((4, 16, 16, 8), 1), ((4, 16, 16, 8), -2), ((3, 5, 7), 0), ((3, 500, 7), 1), ((2, 1, 400), 1)]
FUNCTIONS = {"softmax": softmax_columns.softmax, "log_softmax": softmax_columns.log_softmax}


def expected(name, array, axis):
    wide = array.astype(np.float64)
    with np.errstate(invalid="ignore", divide="ignore"):
        wide = wide - wide.max(axis, keepdims=True)
        raised = np.exp(wide)
        sums = raised.sum(axis, keepdims=True)
        return raised / sums if name == "softmax" else wide - np.log(sums)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize(("shape", "axis"), SHAPES)
def test_along_other_dimensions_than_the_last(shape, axis, name, dtype, threads):
    """exp of a difference of some dozens has an error of that many units in the last place; logarithms have a few units
    of 1.
    """
    array = (np.random.default_rng(0).standard_normal(shape) * 9).astype(dtype)
    result = FUNCTIONS[name](array, axis)
    assert result.dtype == dtype and result.flags.c_contiguous
    eps = np.finfo(dtype).eps
    atol = 4 * eps if name == "log_softmax" else 0
    np.testing.assert_allclose(result, expected(name, array, axis), rtol=200 * eps, atol=atol)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_columns_that_are_not_finite_match_the_formula(name):
    array = np.zeros((3, 20), np.float32)
    array[1, 2], array[0, 5], array[2, 7], array[:, 9] = np.nan, np.inf, -np.inf, -np.inf
    result = FUNCTIONS[name](array, 0)
    np.testing.assert_allclose(result, expected(name, array, 0), rtol=1e-6)
    assert np.isnan(result[:, [2, 5, 9]]).any(0).all() and not np.isnan(result[:, 7]).any()


def test_unsupported_arguments_are_left_to_numpy():
    array = np.ones((4, 600), np.float32)
    for x, axis in ((array, 1), (array.T, 0), (array.astype(np.float16), 0), (array, 2), (np.ones((0, 600)), 0)):
        assert softmax_columns.softmax(x, axis) is None
    assert softmax_columns.softmax(np.ones((200, 1024), np.float32), 0) is None  # lines that conflict in the cache
    assert softmax_columns.softmax(np.ones((3, 0, 2)), 0).shape == (3, 0, 2)
    assert set(FUNCTIONS) <= set(KERNELS)
