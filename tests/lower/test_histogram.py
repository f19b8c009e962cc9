"""Histograms: values whose product with the number of bins overflows; grids; weights."""

import numpy as np
import pytest

import rushlight
from rushlight.core.policy import LARGE

BINS, MANY = 100, 400
FARTHEST = {rushlight.float32: 3e38, rushlight.float64: 1.7e308}


@pytest.mark.parametrize("count", ["histc", "by range", "by edges"])
@pytest.mark.parametrize("dtype", FARTHEST, ids=str)
def test_numbers_in_the_middle_of_wide_bins(dtype, count):
    rushlight.ones(LARGE)  # loads the kernels
    high = FARTHEST[dtype]
    x = (rushlight.arange(BINS, dtype=dtype) + 0.5).mul_(high / BINS).repeat(MANY)
    if count == "histc":
        result = rushlight.histc(x, BINS, 0.0, high)
    elif count == "by range":
        result = rushlight.histogram(x, BINS, range=(0.0, high)).hist
    else:
        edges = rushlight.arange(BINS + 1, dtype=dtype) * (high / BINS)
        result = rushlight.histogram(x, edges).hist
    np.testing.assert_array_equal(result.numpy(), np.full(BINS, MANY))


def in_grid(points, edges, weights=None):
    """Returns NumPy's histogram of points in several dimensions."""
    return np.histogramdd(points.astype(np.float64), [edge.astype(np.float64) for edge in edges], weights=weights)[0]


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("bins", [(7,), (20, 20), (3, 50, 4)])
@pytest.mark.parametrize("dtype", FARTHEST, ids=str)
def test_many_points_in_a_grid(dtype, bins, weighted):
    rushlight.ones(LARGE)
    rushlight.manual_seed(1)
    points = rushlight.randn(40_000, len(bins), dtype=dtype).mul(4).round().div(4)  # many are on an edge
    weight = rushlight.rand(40_000, dtype=dtype) if weighted else None
    limits = (-2.0, 2.0) * len(bins)
    for view in (points, rushlight.cat((points, points), 1)[:, : len(bins)]):
        result = rushlight.histogramdd(view, list(bins), range=limits, weight=weight)
        edges = [edge.numpy() for edge in result.bin_edges]
        expected = in_grid(points.numpy(), edges, None if weight is None else weight.numpy().astype(np.float64))
        np.testing.assert_allclose(result.hist.numpy(), expected, rtol=1e-5)


def test_points_that_are_nan_or_outside_are_not_counted():
    rushlight.ones(LARGE)
    x = rushlight.linspace(-1, 1, 40_000)
    x[::4], x[1::4] = np.nan, np.inf
    result = rushlight.histogramdd(rushlight.stack((x, x), 1), [4, 4], range=(-0.5, 0.5, -0.5, 0.5)).hist
    assert result.sum().item() == ((x >= -0.5) & (x <= 0.5)).sum().item()
    assert result.diagonal().sum().item() == result.sum().item()


@pytest.mark.parametrize("kind", [rushlight.int64, rushlight.int32, rushlight.uint8])
@pytest.mark.parametrize("dtype", [rushlight.float32, rushlight.float64, rushlight.int64])
def test_weights_of_many_values(kind, dtype):
    rushlight.ones(LARGE)
    numbers = rushlight.arange(40_001).mul(7).remainder(201).to(kind)
    weights = rushlight.arange(40_001).remainder(13).to(dtype)
    result = rushlight.bincount(numbers, weights, minlength=300)
    assert result.dtype is (dtype if dtype is rushlight.float32 else rushlight.float64)
    np.testing.assert_array_equal(result.numpy(), np.bincount(numbers.numpy(), weights.numpy(), 300))
    result = rushlight.bincount(numbers, weights, minlength=100_000)
    np.testing.assert_array_equal(result.numpy(), np.bincount(numbers.numpy(), weights.numpy(), 100_000))
