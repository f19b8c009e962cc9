"""Large matrices use SciPy's LAPACK, once its import pays off: with the same results and errors."""

import numpy as np
import pytest

from rushlight.arrays import lapack, solving

DTYPES = ["float32", "float64", "complex64", "complex128"]
SIZE = lapack.LARGE + 3
CLOSE = {"float32": 1e-3, "complex64": 1e-3, "float64": 1e-9, "complex128": 1e-9}


@pytest.fixture(autouse=True)
def worth(monkeypatch):
    """NumPy's routines are not asked."""
    monkeypatch.setattr(lapack, "WORTH", 0)
    for name in ("inv", "solve", "cholesky"):
        monkeypatch.setattr(np.linalg, name, None)


def drawn(dtype, *shape, seed=0):
    random = np.random.default_rng(seed)
    numbers = random.standard_normal(shape) + 1j * random.standard_normal(shape)
    return numbers.astype(dtype) if dtype.startswith("complex") else numbers.real.astype(dtype)


def positive(dtype, *before):
    numbers = drawn(dtype, *before, SIZE, SIZE)
    return numbers @ numbers.conj().swapaxes(-1, -2) + SIZE * np.eye(SIZE, dtype=dtype)


@pytest.mark.parametrize("before", [(), (2, 3)])
@pytest.mark.parametrize("dtype", DTYPES)
def test_inverses_and_solutions(dtype, before):
    matrices = drawn(dtype, *before, SIZE, SIZE) + SIZE * np.eye(SIZE, dtype=dtype)
    result, info = solving.inverse(matrices)
    assert (result.dtype, result.shape, info.shape) == (matrices.dtype, matrices.shape, before)
    assert not info.any()
    np.testing.assert_allclose(result @ matrices, np.broadcast_to(np.eye(SIZE), result.shape), atol=CLOSE[dtype])
    sides = drawn(dtype, SIZE, 5, seed=1)
    result, info = solving.solve(matrices, sides)
    assert (result.dtype, result.shape, info.any()) == (matrices.dtype, (*before, SIZE, 5), False)
    np.testing.assert_allclose(matrices @ result, np.broadcast_to(sides, result.shape), atol=CLOSE[dtype])


@pytest.mark.parametrize("upper", [False, True])
@pytest.mark.parametrize("before", [(), (2,)])
@pytest.mark.parametrize("dtype", DTYPES)
def test_triangular_factors(dtype, before, upper):
    """One triangle is read, whatever is in the other."""
    matrices = positive(dtype, *before)
    half, rest = (np.triu, np.tril) if upper else (np.tril, np.triu)
    result, info = lapack.cholesky(half(matrices) + rest(np.full((SIZE, SIZE), 7, dtype), -1 if upper else 1), upper)
    assert (result.dtype, info.any()) == (matrices.dtype, False)
    np.testing.assert_array_equal(result, half(result))
    adjoint = result.conj().swapaxes(-1, -2)
    product = adjoint @ result if upper else result @ adjoint
    np.testing.assert_allclose(product, matrices, atol=CLOSE[dtype] * abs(matrices).max())


def test_what_has_no_inverse_or_no_factor_is_named(monkeypatch):
    monkeypatch.undo()
    matrices = positive("float64", 2)
    matrices[1, 5] = 0
    for function, rest in (
        (solving.inverse, ()),
        (solving.solve, (drawn("float64", SIZE, 2),)),
        (lapack.cholesky, (False,)),
    ):
        before = function(matrices, *rest)[1].tolist()
        monkeypatch.setattr(lapack, "WORTH", 0)
        assert function(matrices, *rest)[1].tolist() == before == [0, 6 if function is lapack.cholesky else before[1]]
        assert before[1] > 0
        monkeypatch.undo()


def test_numbers_that_are_none_have_no_factor():
    matrices = positive("float32", 2)
    matrices[1, 5, 5] = np.nan
    assert lapack.cholesky(matrices, False)[1].tolist() == [0, 6]
    assert np.isnan(solving.inverse(matrices)[0][1]).any()


def test_scipy_is_imported_for_enough_of_them(monkeypatch):
    monkeypatch.setattr(lapack, "WORTH", 3 * SIZE**3)
    monkeypatch.setattr(lapack, "SLOW_PRODUCTS", lapack.SlowProducts())
    monkeypatch.setattr(lapack.sys, "modules", {})
    matrix = np.eye(SIZE)
    assert [lapack.is_better(matrix) for _ in range(4)] == [False, False, True, True]
    assert not lapack.is_better(matrix[:100, :100]) and not lapack.is_better(np.zeros((0, SIZE, SIZE)))


@pytest.mark.parametrize("size", [3, 10, 40])
@pytest.mark.parametrize("count", [1, 2, 5])
def test_permutations_of_few_and_of_many_are_the_same(size, count, monkeypatch):
    random, steps = np.random.default_rng(0), min(size, 7)
    pivots = np.stack([random.integers(step + 1, size + 1, count) for step in range(steps)], -1).astype(np.int32)
    result = lapack.permutations(pivots, size, np.dtype(np.float32))
    monkeypatch.setattr(lapack, "TOGETHER", 0)
    np.testing.assert_array_equal(result, lapack.permutations(pivots, size, np.dtype(np.float32)), strict=True)
