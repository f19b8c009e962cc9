"""Sums over rows, the gradients of a layer norm's weight and bias, against NumPy's in float64."""

import ml_dtypes
import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="the extra jit is not installed")

from rushlight.arrays.threads import get_num_threads, set_num_threads
from rushlight.kernels import column_sum
from rushlight.lower import row_formulas
from rushlight.lower.native import OF_NUMPY, float32
from rushlight.lower.row_formulas import RowKernel, RowKernels
from rushlight.lower.row_nest_loop import ELEMENT, NUMBER, POSITION, ROW

SHAPES = [(1, 3), (9, 15), (37, 5), (60, 15), (3, 16), (8, 41), (7, column_sum.STRIP + 21), (6, 2 * column_sum.STRIP)]
TOLERANCE = 64  # units in the last place of the computed dtype
DTYPES = [("float32", "float32"), ("float64", "float64"), (ml_dtypes.bfloat16, "float32"), ("float16", "float32")]


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize(("source", "computed"), DTYPES, ids=str)
@pytest.mark.parametrize("compiled", [True, False])
def test_sums_of_columns_of_any_width(shape, source, computed, compiled):
    rows, length = shape
    generator = np.random.default_rng(0)
    g, x = generator.standard_normal((2, rows, length)).astype(source)
    mean, scale = generator.standard_normal((2, rows)).astype(computed)
    sums = np.full((2, length), np.nan)
    arguments = [array if compiled else array.reshape(-1) for array in (sums, g, x, mean, scale)]
    kernel = column_sum.feature_sums
    run = kernel.machine(OF_NUMPY[g.dtype], OF_NUMPY[mean.dtype]) if compiled else kernel
    run(*arguments, rows, length)
    for result, expected in zip(sums, sums_of(g, x, mean, scale), strict=True):
        np.testing.assert_allclose(result, expected, rtol=TOLERANCE * eps(mean), atol=TOLERANCE * eps(mean))


def test_nothing_after_the_last_row_is_read():
    """Rows with fewer columns than a vector has lanes are loaded with the memory after them."""
    room = np.full((3, 40, 5), np.nan, np.float32)
    room[:, :30] = np.random.default_rng(0).standard_normal((3, 30, 5))
    g, x, (mean, scale) = room[0], room[1], np.ones((2, 30), np.float32)
    sums = np.empty((2, 5))
    column_sum.feature_sums.machine(float32, float32)(sums, g, x, mean, scale, 30, 5)
    np.testing.assert_allclose(sums, sums_of(g[:30], x[:30], mean, scale), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("shape", [(4097, 1024), (2100, 1001), (1030, column_sum.STRIP), (300_001, 7)], ids=str)
@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize("dtype", [np.float32, np.float64], ids=lambda dtype: dtype.__name__)
def test_a_large_gradient_and_its_sums_over_rows_take_one_pass(shape, weighted, dtype):
    rows, length = shape
    generator = np.random.default_rng(0)
    g, x = generator.standard_normal((2, *shape)).astype(dtype)
    mean, scale = x.mean(1), 1 / x.std(1)
    weight = generator.standard_normal(length).astype(dtype) if weighted else None
    results = {}
    before = get_num_threads()
    for count in (1, 4):
        set_num_threads(count)
        results[count] = gradients(g, x, mean, scale, weight)
    set_num_threads(before)
    for one, other in zip(*results.values(), strict=True):
        assert (one == other).all()  # whatever the number of threads
    out, *sums = results[4]
    for array, expected in zip(sums, sums_of(g, x, mean, scale), strict=True):
        np.testing.assert_allclose(array, expected, rtol=TOLERANCE * eps(mean), atol=rows**0.5 * TOLERANCE * eps(mean))
    pull, h = g if weight is None else g * weight, (x - mean[:, None]) * scale[:, None]
    expected = scale[:, None] * (pull - pull.mean(1)[:, None] - h * (pull * h).mean(1)[:, None])
    np.testing.assert_allclose(out, expected, rtol=0, atol=100 * eps(mean))


def test_a_large_gradient_is_not_read_again_for_the_sums(monkeypatch):
    """The kernel that sums rows calls the nest over rows block by block."""
    passes = []
    monkeypatch.setattr(RowKernel, "fill", lambda *args: passes.append(args))
    g, x = np.ones((2, 2100, 1000), np.float32)
    gradients(g, x, *np.ones((2, 2100), np.float32), None)
    assert not passes


KINDS = {"g": ELEMENT, "x": ELEMENT, "mean": ROW, "scale": ROW, "count": NUMBER, "weight": POSITION}
KERNELS = RowKernels("slopes", row_formulas.normalized_gradient, KINDS)


def gradients(g, x, mean, scale, weight):
    """As layer norm's backward computes them: the input's gradient, and the sums over rows."""
    length, dtype = g.shape[1], g.dtype
    values = {"g": g, "x": x, "mean": mean, "scale": scale, "count": np.array(length, dtype)}
    values = row_formulas.with_weights(values, weight)
    kernel = KERNELS.kernel(length, dtype, (dtype,), tuple(values), [dtype] * len(values))
    out, sums = row_formulas.gradient_and_sums(kernel, length, *values.values())
    return out, *sums


def sums_of(g, x, mean, scale):
    derivatives, change = g.astype("d"), x.astype("d") - mean[:, None].astype("d")
    return (derivatives * change * scale[:, None]).sum(0), derivatives.sum(0)


def eps(array):
    return np.finfo(array.dtype).eps
