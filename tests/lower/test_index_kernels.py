"""Kernels that read, write and add at indices: NumPy's version is the specification.

Each test runs in plain Python, as machine code on one thread, and on four.
"""

import ml_dtypes
import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="the extra jit is not installed")

from rushlight.arrays import (
    embedding,
    index_put,
    inplace_scatter,
    scatter,
)
from rushlight.core.tables import xp
from rushlight.dispatch import plan
from rushlight.kernels import scatter as scatter_kernels
from rushlight.lower import half_precision, registry

SHAPES = [(300,), (7, 40), (40, 7), (3, 5, 21), (20, 4, 3)]
EVERYWHERE = [(shape, dim) for shape in SHAPES for dim in range(len(shape))]
everywhere = pytest.mark.parametrize(("shape", "dim"), EVERYWHERE, ids=str)


@everywhere
@pytest.mark.parametrize("dtype", [np.float32, np.int64, np.bool_, np.float16], ids=lambda dtype: dtype.__name__)
def test_gather(kernels, shape, dim, dtype, draw, index_of):
    more = tuple(2 * n if at == dim else n for at, n in enumerate(shape))
    kernels.same("gather", draw(*shape, dtype=dtype), dim, index_of(shape[dim], *more))
    kernels.same("gather", draw(*shape, dtype=dtype), dim - len(shape), index_of(shape[dim], *more))


@everywhere
@pytest.mark.parametrize("reduce", [None, "sum", "amax", "amin", "prod"])
def test_scatter(kernels, shape, dim, reduce, draw, index_of):
    more = tuple(2 * n if at == dim else n for at, n in enumerate(shape))
    index = index_of(shape[dim], *more)
    kernels.same("scatter", draw(*shape), dim, index, draw(*more, seed=1), reduce)
    if reduce in ("amax", "amin", "prod"):
        kernels.same("scatter", draw(*shape), dim, index, draw(*more, seed=1), reduce, False)


@everywhere
@pytest.mark.parametrize("reduce", ["sum", "amax", "prod"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64], ids=lambda dtype: dtype.__name__)
def test_an_index_that_repeats_a_vector(kernels, shape, dim, reduce, dtype, draw, index_of, monkeypatch):
    if dtype is np.int64 and reduce == "prod":
        return
    more = tuple(50 if at == dim else n for at, n in enumerate(shape))
    vector = index_of(shape[dim], 50).reshape([50 if at == dim else 1 for at in range(len(shape))])
    args = draw(*shape, dtype=dtype), dim, np.broadcast_to(vector, more), draw(*more, dtype=dtype, seed=1), reduce
    if len(shape) > 1 and (
        dtype is not np.int64 or dim or reduce != "sum"
    ):  # slices: the index is not read element by element
        monkeypatch.setattr(scatter_kernels, "index_sizes", lambda *args: ())
    kernels.same("scatter", *args)


@everywhere
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64], ids=lambda dtype: dtype.__name__)
def test_scattered_in_place(kernels, shape, dim, dtype, draw, index_of):
    more = tuple(2 * n if at == dim else n for at, n in enumerate(shape))
    index, source = index_of(shape[dim], *more), np.nan_to_num(draw(*more, dtype=dtype, seed=1))
    array = np.nan_to_num(draw(*shape, dtype=dtype))
    for name, args in (
        ("scatter_into", (source,)),
        ("scatter_into", (3.0,)),
        ("scatter_reduce_into", (source, "sum")),
    ):
        result, expected = array.copy(), array.copy()
        assert registry.KERNELS[name](result, dim, index, *args)
        plan.plain(xp, name)(expected, dim, index, *args)
        np.testing.assert_array_equal(result, expected)


def test_an_index_out_of_range_scatters_nothing_in_place(kernels, draw, index_of):
    for wrong in (7, -1):
        index, array = index_of(7, 14, 40).copy(), np.ones((7, 40), np.float32)
        index[13, 39] = wrong
        assert scatter_kernels.scatter_into(array, 0, index, draw(14, 40)) is None
        assert scatter_kernels.scatter_reduce_into(array, 0, index, draw(14, 40), "sum") is None
        assert (array == 1).all()


def test_any_number_of_rows_is_copied_in_place(draw):
    array, index, source = np.zeros((400, 300), np.float32), np.arange(399, -1, -1), draw(400, 300)
    inplace_scatter.index_copy_into(array, 0, index, source)
    np.testing.assert_array_equal(array, source[::-1])
    with pytest.raises(IndexError):
        inplace_scatter.index_copy_into(array, 1, np.arange(300), draw(400, 300))
    with pytest.raises(ValueError):
        inplace_scatter.index_copy_into(array, 0, index, source[1:])


@pytest.mark.parametrize("reduce", [None, "sum", "amax"])
def test_an_index_out_of_range_is_left_to_numpy_to_refuse(kernels, reduce, draw, index_of):
    index = index_of(7, 14, 40).copy()
    index[3, 5] = 7
    for x in (index, np.broadcast_to(index[:, 5:6], (14, 40))):
        assert scatter_kernels.scatter(draw(7, 40), 0, x, draw(14, 40), reduce) is None


@pytest.mark.parametrize("include_self", [False, True])
def test_scattered_means_are_two_sums(include_self, monkeypatch, draw, index_of):
    """NumPy adds one element after the other; the kernel adds them in one pass."""
    array, index, source = draw(40, 30), index_of(30, 50, 30), draw(50, 30, seed=1)
    mean = plan.plain(xp, "scatter")
    expected = mean(array, 0, index, source, "mean", include_self)
    sums, result = registry.KERNELS["scatter"], []
    monkeypatch.setattr(xp, "scatter", lambda *args: result.append(sums(*args)) or result[-1])
    np.testing.assert_array_equal(mean(array, 0, index, source, "mean", include_self), expected)
    assert len(result) == 2 and all(x is not None for x in result)


@everywhere
def test_slices(kernels, shape, dim, draw, index_of):
    array = draw(*shape)
    kernels.same("index_select", array, dim, index_of(shape[dim], 50, dtype=np.int32))
    indices = (None,) * dim + (index_of(shape[dim], 5, 10) - shape[dim] * (index_of(2, 5, 10)),)
    kernels.same("take_indices", array, indices)


@pytest.mark.parametrize("dtype", [np.float32, np.float64], ids=lambda dtype: dtype.__name__)
def test_placing_among_zeros(kernels, dtype, draw, index_of):
    at = np.arange(0, 40 * 21, 21)
    kernels.same("placed", 40 * 21, at + index_of(21, 40), dtype(-0.25), np.dtype(dtype))
    pixels = at[:, None] + 3 * index_of(7, 40, 3) + np.arange(3)
    kernels.same("placed", 40 * 21, pixels, draw(40, 3, dtype=dtype), np.dtype(dtype))


@pytest.mark.parametrize("width", [1, 9, 40])
def test_rows(kernels, width, draw, index_of):
    table, index = draw(30, width), index_of(30, 100)
    kernels.same("rows_of", table, index.reshape(4, 25))
    values = np.random.default_rng(1).integers(-5, 5, (100, width)).astype(np.float32)
    kernels.same("sum_of_rows", 30, index, values)
    kernels.same("with_rows_added", np.nan_to_num(table), index, values)


@pytest.mark.parametrize("shape", [(30,), (30, 40), (30, 1), (30, 3, 4)], ids=str)
def test_the_gradient_of_an_index(kernels, shape, index_of):
    index = index_of(60, 20, 10) - 30
    values = np.random.default_rng(1).integers(-5, 5, (20, 10, *shape[1:])).astype(np.float32)
    kernels.same("placed_at", values, shape, (index,))


INNER = pytest.mark.parametrize(
    ("shape", "dim"), [((40, 30), 1), ((30, 7, 20), 1), ((30, 20, 7), -1), ((4, 3, 30, 5), 2)], ids=str
)


def slices_of(shape, dim, count, dtype=np.float32):
    """Returns integer slices along a dimension: their sums are the same in any order."""
    more = list(shape)
    more[dim] = count
    return np.random.default_rng(1).integers(-5, 5, more).astype(dtype)


@INNER
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64], ids=lambda dtype: dtype.__name__)
@pytest.mark.parametrize("kind", [np.int64, np.int32], ids=lambda dtype: dtype.__name__)
def test_adding_slices_along_an_inner_dimension(kernels, shape, dim, dtype, kind, index_of):
    index, source = index_of(shape[dim], 50, dtype=kind), slices_of(shape, dim, 50, dtype)
    kernels.same("index_add", slices_of(shape, dim, shape[dim], dtype), dim, index, source)
    kernels.same("index_add", source, dim, index_of(50, 50, dtype=kind), source[::-1])


@INNER
def test_the_gradient_of_an_index_along_an_inner_dimension(kernels, shape, dim, index_of):
    dim %= len(shape)
    index = index_of(2 * shape[dim], 10, 5) - shape[dim]
    values = slices_of((*shape[:dim], 50, *shape[dim + 1 :]), dim, 50)
    values = values.reshape(*shape[:dim], 10, 5, *shape[dim + 1 :])
    kernels.same("placed_at", values, shape, (*[None] * dim, index))


@INNER
@pytest.mark.parametrize("dtype", [np.float32, np.int8, np.bool_, np.complex64], ids=lambda dtype: dtype.__name__)
def test_writing_slices_along_an_inner_dimension(kernels, shape, dim, dtype, index_of):
    array = slices_of(shape, dim, shape[dim], dtype)
    index = index_of(shape[dim], 9)  # of equal positions the last is kept
    kernels.same("index_write", array, dim, index, slices_of(shape, dim, 9, dtype))
    kernels.same("index_write", array, dim, index, 1)
    kernels.same("index_write", array, dim, index, np.array(1, dtype))


@INNER
@pytest.mark.parametrize("wrong", [-100, 40])
def test_a_slice_out_of_range_is_left_to_numpy(kernels, shape, dim, wrong, draw, index_of):
    index, find = index_of(shape[dim], 50), registry.KERNELS
    index[20] = wrong
    source = slices_of(shape, dim, 50)
    assert find["index_add"](draw(*shape), dim, index, source) is None
    assert find["index_write"](draw(*shape), dim, index, source) is None


@pytest.mark.parametrize("wrong", [-1, 40])
def test_an_index_out_of_range_is_left_to_numpy(kernels, wrong, draw, index_of):
    array, index = draw(40), index_of(40, 100)
    index[57] = wrong
    find = registry.KERNELS
    assert find["gather"](array, 0, index) is None
    assert find["scatter"](array, 0, index, draw(100)) is None
    assert find["index_select"](array, 0, index) is None
    assert (find["take_indices"](array, (index,)) is None) is (wrong > 0)


@everywhere
@pytest.mark.parametrize("reduce", ["amax", "amin", "prod"])
@pytest.mark.parametrize("include_self", [True, False])
@pytest.mark.parametrize("dtype", [np.float32, np.float64], ids=lambda dtype: dtype.__name__)
def test_slices_are_reduced(kernels, shape, dim, reduce, include_self, dtype, draw, index_of):
    array, index = draw(*shape, dtype=dtype), index_of(shape[dim] - 1, 9)
    source = np.sign(draw(*shape[:dim], 9, *shape[dim + 1 :], dtype=dtype, seed=3))
    for x in (array, np.asfortranarray(array)[::-1]):
        kernels.same("index_reduce", x, dim - len(shape), index, source, reduce, include_self)
    if reduce != "prod":
        operands = (np.nan_to_num(x, posinf=5, neginf=-5).astype(np.int64) for x in (array, source))
        kernels.same("index_reduce", next(operands), dim, index, next(operands), reduce, include_self)


@everywhere
@pytest.mark.parametrize("include_self", [True, False])
@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.int64], ids=lambda dtype: dtype.__name__)
def test_means_of_slices_equal_scattered_means(shape, dim, include_self, dtype, draw, index_of):
    array, index = np.nan_to_num(draw(*shape), posinf=1, neginf=1).astype(dtype), index_of(shape[dim] - 1, 9)
    source = np.random.default_rng(1).integers(-9, 9, (*shape[:dim], 9, *shape[dim + 1 :])).astype(dtype)
    spread = np.broadcast_to(index.reshape((-1,) + (1,) * (len(shape) - dim - 1)), source.shape)
    expected = scatter.mean_of_scattered(array, dim, spread, source, include_self)
    result = index_put.index_reduce(array, dim, index, source, "mean", include_self)
    assert result.dtype == dtype
    np.testing.assert_allclose(result, expected, rtol=1e-6)


def test_slices_out_of_range_are_not_reduced(draw):
    machine = registry.KERNELS["index_reduce"]
    for wrong in (-1, 40):
        args = draw(40, 60), 0, np.full(50, wrong), draw(50, 60), "amax"
        assert machine(*args, True) is machine(*args, False) is None


@pytest.mark.parametrize("width", [1, 5, 40])
@pytest.mark.parametrize("own", [True, False])
def test_scaled_rows_are_added(kernels, own, width):
    random = np.random.default_rng(0)
    table, factors = random.integers(-4, 5, (9, width)).astype("f"), random.integers(-4, 5, 30).astype("f")
    positions, rows = random.integers(0, 9, 30), None if own else random.integers(0, 30, 30)
    begun = random.integers(-4, 5, (30, width)).astype("f")
    expected = scatter.add_scaled_rows(begun.copy(), table, positions, factors, rows)
    result = registry.KERNELS["add_scaled_rows"](begun.copy(), table, positions, factors, rows)
    np.testing.assert_array_equal(result, expected)


@pytest.mark.parametrize("sizes", [(20, 1, 17, 40), (16, 16, 33), (64,)], ids=str)
def test_runs_of_scaled_rows_of_any_length(kernels, sizes):
    random = np.random.default_rng(0)
    rows = np.repeat([3, 1, 7, 3][: len(sizes)], sizes)
    table, factors = random.integers(-4, 5, (9, 100)).astype("d"), random.integers(-4, 5, rows.size).astype("d")
    args = table, random.integers(0, 9, rows.size), factors, rows
    expected = scatter.add_scaled_rows(np.zeros((8, 100)), *args)
    result = registry.KERNELS["add_scaled_rows"](np.zeros((8, 100)), *args)
    np.testing.assert_array_equal(result, expected)


@pytest.mark.parametrize("bags", ["equal", "sorted", "any"])
def test_embedding_bags(kernels, bags):
    random = np.random.default_rng(0)
    table, factors = random.integers(-4, 5, (9, 7)).astype("f"), random.integers(-4, 5, 30).astype("f")
    where = {"equal": np.repeat(np.arange(6), 5), "sorted": np.sort(random.integers(0, 6, 30))}
    offsets = where.get(bags, random.integers(0, 6, 30))
    kernels.same("bag_sums", table, factors, random.integers(0, 9, 30), offsets, 6)


@pytest.mark.parametrize("dtype", [np.float32, np.float64], ids=lambda dtype: dtype.__name__)
@pytest.mark.parametrize("width", [1, 7, 64])
def test_products_of_sparse_matrices(kernels, dtype, width):
    random = np.random.default_rng(0)
    rows, columns = random.integers(0, 6, 40), random.integers(0, 9, 40)
    values, matrix = random.integers(-4, 5, 40).astype(dtype), random.integers(-4, 5, (9, width)).astype(dtype)
    kernels.same("sparse_matmul", values, matrix, rows, columns, 6)
    kernels.same("sparse_matmul", values, matrix, np.sort(rows), columns, 6)
    kernels.same("entry_products", random.integers(-4, 5, (6, width)).astype(dtype), matrix, rows, columns)


@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16], ids=lambda dtype: dtype.__name__)
def test_bags_of_half_precision_are_rounded_once(kernels, dtype):
    """A row's elements are read as stored; a repeated bag needs float32."""
    random = np.random.default_rng(0)
    table, factors = random.standard_normal((40, 70)).astype(dtype), random.standard_normal(300).astype(dtype)
    indices, bags = random.integers(0, 40, 300), np.sort(random.integers(0, 9, 300))
    wide = embedding.bag_sums(table.astype("d"), factors.astype("d"), indices, bags, 10)
    result = half_precision.bag_sums(table, factors, indices, bags, 10, -1, False)
    assert result.dtype == dtype
    np.testing.assert_allclose(result.astype("d"), wide, rtol=float(ml_dtypes.finfo(dtype).eps) * 0.51, atol=1e-5)
    assert half_precision.bag_sums(table, factors, indices, bags[::-1], 10, -1, False) is None


@pytest.mark.parametrize("dtype", [np.float32, np.float64], ids=lambda dtype: dtype.__name__)
def test_maxima_of_embedding_bags(kernels, dtype):
    """With ties, NaN and bags of ignored rows only."""
    random = np.random.default_rng(0)
    table = random.integers(-2, 3, (9, 7)).astype(dtype)
    table[2, 1], table[5, 1:3] = np.nan, (np.nan, -np.inf)
    indices, bags, counted = random.integers(0, 9, 40), random.integers(0, 6, 40), random.random(40) > 0.3
    kernels.same("bag_winners", table, indices, np.where(bags == 3, 4, bags), counted, 7)
    kernels.same("bag_winners", table, indices.astype("i"), np.sort(bags).astype("i"), counted, 6)
