"""Kernels that sort and count: NumPy's version is the specification.

Each test runs in plain Python, as machine code on one thread, and on four.
"""

import ml_dtypes
import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="the extra jit is not installed")

from rushlight.arrays import (
    sort,
)
from rushlight.kernels import searchsorted
from rushlight.lower import registry

SHAPES = [(300,), (7, 40), (40, 7), (3, 5, 21), (20, 4, 3)]
EVERYWHERE = [(shape, dim) for shape in SHAPES for dim in range(len(shape))]
everywhere = pytest.mark.parametrize(("shape", "dim"), EVERYWHERE, ids=str)


@everywhere
@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32, np.int64], ids=lambda dtype: dtype.__name__)
def test_sorting(kernels, shape, dim, descending, dtype, draw):
    array = draw(*shape, dtype=dtype)
    kernels.same("sort", array, dim, descending)
    kernels.same("order", array, dim, descending)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32, np.int64], ids=lambda dtype: dtype.__name__)
@pytest.mark.parametrize("largest", [True, False])
def test_topk_gives_the_first_of_all_sorted_values(kernels, dtype, largest, draw):
    array = draw(6, 50, dtype=dtype)
    values, indices = registry.KERNELS["top"](array, 7, 1, largest)
    expected, positions = sort.sort(array, 1, largest)
    np.testing.assert_array_equal(values, expected[:, :7])
    np.testing.assert_array_equal(indices, positions[:, :7])


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("values", [[-(2**63), 2**63 - 1, 0, -1, 2**40, -(2**40)], [2**62 + 1, 2**62]])
def test_sorting_wide_numbers(kernels, descending, values):
    kernels.same("sort", np.array(values * 3), 0, descending)


EXTREMES = [np.float32, np.float64, np.float16, np.int64, np.uint8, np.bool_]


@everywhere
@pytest.mark.parametrize("dtype", EXTREMES, ids=lambda dtype: dtype.__name__)
@pytest.mark.parametrize("largest", [True, False])
def test_running_extremes(kernels, shape, dim, dtype, largest, draw):
    kernels.same("running_extreme", draw(*shape, dtype=dtype), dim, largest)
    kernels.same("running_extreme", np.sort(draw(*shape, dtype=dtype), dim), dim, largest)


@pytest.mark.parametrize("name", ["running_sum", "running_product"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64], ids=lambda dtype: dtype.__name__)
@pytest.mark.parametrize(("shape", "dim"), [((1, 1, 70_003), 2), ((1, 70_003, 1), 1), ((70_003, 1), 0)])
def test_running_sums_of_one_long_line_in_any_number_of_dimensions(kernels, threads, shape, dim, dtype, name):
    array = np.random.default_rng(0).integers(-1, 2, shape).astype(dtype)
    kernels.same(name, array, dim, np.dtype(dtype))


@pytest.mark.parametrize("dtype", [np.bool_, np.uint8, np.int64, np.float32, ml_dtypes.bfloat16], ids=str)
@pytest.mark.parametrize("shape", [(1003,), (7, 30), (3, 5, 40), (2, 2, 2, 3, 16)], ids=str)
def test_nonzero(kernels, shape, dtype, draw):
    array = draw(*shape) > 5
    kernels.same("nonzero", array.astype(dtype))
    kernels.same("nonzero", np.zeros(shape, dtype))
    kernels.same("nonzero", np.ones(shape, dtype)[::-1])


@pytest.mark.parametrize("dtype", [np.uint8, np.int32, np.int64], ids=str)
@pytest.mark.parametrize("length", [0, 300])
def test_bincount(kernels, dtype, length):
    numbers = np.random.default_rng(0).integers(0, 200, 1003).astype(dtype)
    kernels.same("bincount", numbers, None, length)
    kernels.same("bincount", np.repeat(numbers, 2)[::2], None, length)


def test_bincount_arguments_that_are_left_to_numpy():
    many = np.arange(1 << 16)
    bincount = registry.KERNELS["bincount"]
    assert bincount(many - 5, None, 0) is None  # NumPy raises for a negative number
    assert bincount(many, None, 0) is None  # too many bins
    assert bincount(many % 7, many, 0) is None  # integer weights are rare


@pytest.mark.parametrize("dtype", [np.float32, np.float64], ids=lambda dtype: dtype.__name__)
def test_weights_and_points_in_a_grid(kernels, dtype):
    rng = np.random.default_rng(0)
    numbers, weights = rng.integers(0, 200, 1003), rng.integers(0, 9, 1003).astype(dtype)
    kernels.same("bincount", numbers, weights, 5)
    kernels.same("bincount", numbers, weights, 5000)
    points = rng.integers(-12, 13, (1003, 2)).astype(dtype) / dtype(10)
    points[:3, 0] = np.nan, np.inf, -np.inf
    edges = [np.linspace(-1, 1, 21, dtype=dtype), np.array([-1, 1], dtype)]
    with np.errstate(invalid="ignore"):
        kernels.same("counts_in_grid", points, edges, None)
        kernels.same("counts_in_grid", points, edges, weights)


@pytest.mark.parametrize("dtype", [np.float32, np.float64], ids=lambda dtype: dtype.__name__)
def test_counts_in_bins_of_one_width(kernels, dtype):
    """Elements at the edges, beyond them, and empty arrays are included."""
    array = np.random.default_rng(0).integers(-12, 13, 400).astype(dtype) / dtype(10)
    array[:3] = np.nan, np.inf, -np.inf
    kernels.same("even_counts", array, -1.0, 1.0, 20)
    kernels.same("even_counts", array[3:].reshape(397, 1)[::2], -1.2, 1.1, 7)
    for edges in (np.linspace(-1, 1, 21, dtype=dtype), np.array([-1, 1], dtype)):
        with np.errstate(invalid="ignore"):
            kernels.same("counts_between", array, edges)


@pytest.mark.parametrize("dtype", [np.int64, np.float32, np.bool_, np.uint8], ids=lambda dtype: dtype.__name__)
@pytest.mark.parametrize("wanted", [(True, True), (False, True), (True, False), (False, False)], ids=str)
def test_runs(kernels, dtype, wanted):
    array = np.random.default_rng(0).integers(0, 2, (20, 15)).astype(dtype)
    if dtype is np.float32:
        array[3, :4], array[5, :2] = np.nan, (0.0, -0.0)
    kernels.same("unique_runs", array, None, *wanted)
    kernels.same("unique_runs", array[:, 2], 0, *wanted)


def test_unique_gives_the_distinct_elements_in_order(kernels):
    numbers = np.random.default_rng(0).integers(-40, 40, (7, 900))
    for array in (numbers, numbers[:, ::2], numbers * 0.5, numbers << 50):
        kernels.same("different", array)
    array = np.where(numbers > 38, np.nan, numbers)
    kernels.same("different", array)


@pytest.mark.parametrize("length", [1, 2, 3, 64, 1000])
@pytest.mark.parametrize("right", [False, True])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32, np.int64], ids=lambda dtype: dtype.__name__)
def test_searchsorted(kernels, length, right, dtype, draw):
    numbers, values = np.sort(np.nan_to_num(draw(length, dtype=dtype))), draw(7, 29, dtype=dtype, seed=1)
    for positions in (np.int64, np.int32):
        kernels.same("search", numbers, values, right, positions)
    rows = np.sort(np.nan_to_num(draw(3, 5, length, dtype=dtype)), -1)
    kernels.same("search", rows, draw(3, 5, 11, dtype=dtype, seed=1), right, np.int64)


def test_searchsorted_among_values_that_end_in_nan(draw):
    numbers, values = np.array([1, 2, np.nan], np.float32), draw(100)
    assert searchsorted.search(numbers, values, False, np.int64) is None
    assert searchsorted.search(numbers[:2].astype(np.float64), values, False, np.int64) is None
    assert searchsorted.search(numbers[:0], values, False, np.int64) is None
