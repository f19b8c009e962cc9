"""Products of matrices by machine code against sums in double precision."""

import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="the extra jit is not installed")

from rushlight.compiler import products


@pytest.fixture(autouse=True)
def small(monkeypatch):
    """Kernels also take what is small enough for a test, and cut it up."""
    for name in ("LARGE", "LEAST"):
        monkeypatch.setattr(products, name, 0)
    monkeypatch.setattr(products, "WORTH", 1)


def draw(*shape, turned, seed):
    array = np.random.default_rng(seed).integers(-3, 4, (*shape[:-2], *shape[-2:][:: -1 if turned else 1]))
    return array.astype(np.float32).swapaxes(-1, -2) if turned else array.astype(np.float32)


@pytest.mark.parametrize("other_turned", [False, True])
@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize(
    ("before", "rows", "depth", "columns"),
    [((), 5, 7, 9), ((), 130, 300, 37), ((), 64, 256, 600), ((), 8, 1, 200), ((3,), 17, 33, 40), ((5,), 1, 9, 1)],
)
def test_every_layout(before, rows, depth, columns, turned, other_turned, threads):
    a = draw(*before, rows, depth, turned=turned, seed=0)
    b = draw(*before, depth, columns, turned=other_turned, seed=1)
    found = products.product(a, b)
    assert found.dtype == np.float32
    np.testing.assert_array_equal(found, np.matmul(a.astype(np.float64), b))


def test_rows_that_lie_apart_and_batches_in_any_order(threads):
    a, b = draw(40, 3, 60, turned=False, seed=0)[:, :, 10:50].swapaxes(0, 1), draw(3, 40, 70, turned=False, seed=1)
    np.testing.assert_array_equal(products.product(a, b), np.matmul(a.astype(np.float64), b))


def test_nan_and_infinities():
    a, b = draw(20, 30, turned=False, seed=0), draw(30, 40, turned=False, seed=1)
    a[3, 4], b[5, 6], b[7, 8] = np.nan, np.inf, -np.inf
    with np.errstate(invalid="ignore"):
        np.testing.assert_array_equal(products.product(a, b), np.matmul(a, b))


def test_what_is_left_to_the_blas():
    a, b = draw(20, 30, turned=False, seed=0), draw(30, 40, turned=False, seed=1)
    assert products.product(a.astype(np.float64), b.astype(np.float64)) is None
    assert products.product(a[:, ::2], b[::2]) is None  # no step of one
    assert products.product(a[:, :0], b[:0]) is None
    assert products.product(a[::-1], b) is None
