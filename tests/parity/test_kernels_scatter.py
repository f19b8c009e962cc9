"""Gather and scatter kernels against loops written out here, and against PyTorch where it is installed."""

import doctest
import operator

import numpy as np
import pytest
from ml_dtypes import bfloat16

import rushlight
from rushlight.arrays import index_put
from rushlight.arrays import scatter as kernels
from rushlight.arrays.inplace_scatter import positions_along, positions_of_slices
from rushlight.arrays.scatter import embedding_gradient, gather, index_add, indexed, positions, put, scatter

# shape of the input, dim, shape of the index
ALONG = [
    ((5,), 0, (7,)),
    ((4, 3), 0, (6, 2)),
    ((4, 3), 1, (2, 5)),
    ((4, 3), -2, (6, 3)),
    ((2, 3, 4), 1, (2, 5, 3)),
    ((2, 3, 4), 2, (1, 3, 6)),
    ((3, 4), 0, (0, 4)),
    ((3, 4), 1, (2, 0)),
    ((0, 4), 1, (0, 2)),
    ((), 0, ()),
    ((), 0, (1,)),
]
along = pytest.mark.parametrize(("shape", "dim", "index_shape"), ALONG)
REDUCTIONS = {
    "sum": operator.add,
    "add": operator.add,
    "prod": operator.mul,
    "multiply": operator.mul,
    "mean": operator.add,
    "amax": max,
    "amin": min,
}
DTYPES = [np.float16, bfloat16, np.float32, np.int64, np.int8, np.uint8, np.complex64, np.bool_]
WIDE = {"c": np.complex128, "i": np.int64, "u": np.int64, "b": np.int64}


def draw(shape, dtype=np.float64, seed=0, low=-4, high=5):
    """Whole numbers, whose sums are exact in every dtype, in an array that must not be written to."""
    array = np.asarray(np.random.default_rng(seed).integers(low, high, shape)).astype(dtype)
    array.setflags(write=False)
    return array


def draw_index(shape, dim, index_shape, seed=3):
    return draw(index_shape, np.int64, seed, 0, shape[dim] if shape else 1)


def widest(dtype):
    return WIDE.get(np.dtype(dtype).kind, np.float64)


def pointed(index, shape, dim):
    """Every position of the index with the position it points to."""
    for at in np.ndindex(*index.shape):
        place = list(at[: len(shape)])
        if place:
            place[dim] = index[at]
        yield at, tuple(place)


@pytest.fixture(params=["few", "many"])
def amount(request, monkeypatch):
    """With many elements rows are added by a sparse product; here already a few count as many."""
    if request.param == "many":
        monkeypatch.setattr(kernels, "MANY", 1)


# Along one dimension


@along
def test_gather(shape, dim, index_shape):
    input, index = draw(shape), draw_index(shape, dim, index_shape)
    expected = np.zeros(index_shape)
    for at, place in pointed(index, shape, dim):
        expected[at] = input[place]
    np.testing.assert_array_equal(gather(input, dim, index), expected, strict=True)
    np.testing.assert_array_equal(gather(np.asfortranarray(input), dim, index.astype(np.int32)), expected)


@along
def test_scatter_keeps_the_last_of_several_values(shape, dim, index_shape):
    input, index = draw(shape), draw_index(shape, dim, index_shape)
    source = draw([size + 1 for size in index_shape], seed=1)
    expected, filled = input.copy(), input.copy()
    for at, place in pointed(index, shape, dim):
        expected[place], filled[place] = source[at], 7
    np.testing.assert_array_equal(scatter(input, dim, index, source), expected, strict=True)
    np.testing.assert_array_equal(scatter(input, dim, index, np.array(7.0)), filled, strict=True)


@along
@pytest.mark.parametrize("include_self", [True, False])
@pytest.mark.parametrize("reduce", list(REDUCTIONS))
def test_scatter_with_a_reduction(shape, dim, index_shape, reduce, include_self):
    input, index = draw(shape), draw_index(shape, dim, index_shape)
    source = draw([size + 1 for size in index_shape], seed=1)
    expected, count = input.copy(), np.full(shape, int(include_self))
    for at, place in pointed(index, shape, dim):
        expected[place] = REDUCTIONS[reduce](expected[place], source[at]) if count[place] else source[at]
        count[place] += 1
    if reduce == "mean":
        expected = np.asarray(expected / np.maximum(count, 1))
    np.testing.assert_array_equal(scatter(input, dim, index, source, reduce, include_self), expected, strict=True)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("reduce", ["sum", "prod", None])
@pytest.mark.parametrize("include_self", [True, False])
def test_scatter_in_every_dtype(dtype, reduce, include_self):
    low = 0 if np.dtype(dtype).kind in "bu" else -2
    input, source = (draw((5, 2), dtype, seed, low, 3) for seed in (0, 1))
    index = draw_index((5, 2), 0, (5, 2))
    wide = scatter(input.astype(widest(dtype)), 0, index, source.astype(widest(dtype)), reduce, include_self)
    np.testing.assert_array_equal(
        scatter(input, 0, index, source, reduce, include_self), wide.astype(dtype), strict=True
    )


@pytest.mark.parametrize("dtype", [dtype for dtype in DTYPES if dtype != np.complex64])
@pytest.mark.parametrize("reduce", ["amax", "amin"])
@pytest.mark.parametrize("include_self", [True, False])
def test_scatter_of_extremes_in_every_ordered_dtype(dtype, reduce, include_self):
    input, source = (draw((5, 2), dtype, seed, 0) for seed in (0, 1))
    index = draw_index((5, 2), 0, (5, 2))
    wide = scatter(input.astype(np.float64), 0, index, source.astype(np.float64), reduce, include_self)
    np.testing.assert_array_equal(
        scatter(input, 0, index, source, reduce, include_self), wide.astype(dtype), strict=True
    )


def test_extremes_let_nan_win():
    source, index = np.array([1.0, np.nan, 2.0]), np.array([0, 0, 1])
    for reduce in ("amax", "amin"):
        with np.errstate(invalid="ignore"):  # the dispatcher's part
            out = scatter(np.zeros(2), 0, index, source, reduce, False)
        np.testing.assert_array_equal(out, [np.nan, 2])


def test_the_mean_of_integers_rounds_down():
    assert scatter(np.array([-4]), 0, np.array([0, 0]), np.array([-2, -1]), "mean").tolist() == [-3]


@pytest.mark.parametrize("dtype", [np.float16, bfloat16])
def test_half_precision_is_rounded_once(dtype, amount):
    ones, index = np.ones((4096, 2), dtype), np.zeros(4096, np.int64)
    expected = np.array([[4096, 4096]], dtype)
    np.testing.assert_array_equal(index_add(np.zeros((1, 2), dtype), 0, index, ones), expected, strict=True)
    np.testing.assert_array_equal(embedding_gradient(ones, index, 1), expected, strict=True)
    scattered = scatter(np.zeros((1, 2), dtype), 0, np.zeros((4096, 2), np.int64), ones, "sum")
    np.testing.assert_array_equal(scattered, expected, strict=True)


@pytest.mark.parametrize(("dtype", "largest"), [(np.float16, 2048), (bfloat16, 256)])
def test_what_is_put_in_half_precision_is_rounded_at_every_step(dtype, largest, amount):
    """As in PyTorch: one more is lost where the next number is two away."""
    ones, index = np.ones((4096, 2), dtype), np.zeros(4096, np.int64)
    expected = np.array([[largest, largest]], dtype)
    np.testing.assert_array_equal(put(np.zeros((1, 2), dtype), (index,), ones, True), expected, strict=True)


@pytest.mark.parametrize("dtype", [np.float64, *DTYPES])
@pytest.mark.parametrize(
    ("shape", "dim"), [((4,), 0), ((3, 4), 0), ((3, 4), 1), ((2, 3, 4), -2), ((3, 0), 0), ((0, 3), 1)]
)
def test_index_add(shape, dim, dtype, amount):
    index = draw((6,), np.int64, 1, 0, max(shape[dim], 1))
    low = 0 if np.dtype(dtype).kind in "bu" else -3
    source_shape = list(shape)
    source_shape[dim] = 6
    input, source = draw(shape, dtype, 0, low, 4), draw(source_shape, dtype, 2, low, 4)
    wide = input.astype(widest(dtype))
    for at, row in enumerate(index):
        np.moveaxis(wide, dim, 0)[row] += np.moveaxis(source.astype(wide.dtype), dim, 0)[at]
    np.testing.assert_array_equal(index_add(input, dim, index, source), wide.astype(dtype), strict=True)


def test_index_add_scales_and_takes_numbers():
    assert index_add(np.ones(2), 0, np.array([1, 1]), np.array([1.0, 2.0]), 3).tolist() == [1, 10]
    assert index_add(np.array(1.0), 0, np.array([0]), np.array(2.0), 2) == 5
    assert index_add(np.ones((2, 2), np.int64), 1, np.array([1], np.int32), np.ones((2, 1), np.int64), -1).sum() == 2


# Rows


@pytest.mark.parametrize("padding_index", [None, 0, 2])
@pytest.mark.parametrize("scale_by_frequency", [True, False])
@pytest.mark.parametrize("width", [0, 1, 3])
@pytest.mark.parametrize("shape", [(), (7,), (2, 5), (0,)])
def test_embedding_gradient(shape, width, padding_index, scale_by_frequency, amount):
    indices, grad = draw(shape, np.int64, 0, 0, 4), draw((*shape, width), seed=1)
    expected = np.zeros((4, width))
    for at in np.ndindex(*shape):
        if indices[at] != padding_index:
            expected[indices[at]] += grad[at] / ((indices == indices[at]).sum() if scale_by_frequency else 1)
    ours = embedding_gradient(grad, indices, 4, padding_index, scale_by_frequency)
    np.testing.assert_allclose(ours, expected, rtol=1e-12, atol=1e-12, strict=True)


def test_complex_infinities_add_up_by_parts(amount):
    values = np.array([[complex(np.inf, 1), 0], [complex(1, -np.inf), 2]])
    out = index_add(np.zeros((1, 2), complex), 0, np.array([0, 0]), values)
    assert out[0, 0].real == np.inf and out[0, 0].imag == -np.inf and out[0, 1] == 2


# General indices

MASK = np.array([[True, False, True, True], [False, False, True, False], [False, True, False, False]])
FIRST, SECOND = np.array([2, 0, 2, -1]), np.array([1, 3, 1, 1])
INDICES = {
    "an array": FIRST,
    "an array of two dimensions": FIRST.reshape(2, 2),
    "two arrays": (FIRST, SECOND),
    "arrays that broadcast": (FIRST[:, None], SECOND),
    "an array after a whole dimension": (slice(None), SECOND),
    "arrays apart": (FIRST, slice(None), SECOND),
    "an array, then whole dimensions": (FIRST, slice(None), slice(None)),
    "the last dimension": (..., SECOND),
    "an array and a part": (FIRST, slice(1, None, 2)),
    "a part and an array": (slice(0, 2), SECOND, slice(1, 4)),
    "a new dimension": (None, FIRST, slice(None), None),
    "a mask": MASK,
    "a mask after a whole dimension": (slice(None), np.ones((4, 5), bool) & (np.arange(5) > 2)),
    "a mask of one dimension and an array": (np.array([True, False, True]), np.array([1, 1])),
    "true": True,
    "false": (np.array(False), np.array([1])),
    "nothing": (),
    "only parts": (slice(None), slice(1, 3), None),
    "no element": (np.zeros(0, np.int64),),
}
WITH_INTEGERS = {
    "an integer": (1, (1,)),
    "all integers": ((1, -1, 2), (1, -1, 2)),
    "a 0-d array": (np.array(1), (1,)),
    "an integer, then an array": ((1, slice(None), SECOND), (slice(1, 2), slice(None), SECOND)),
    "an array, then an integer": ((FIRST, slice(None), 2), (FIRST, slice(None), slice(2, 3))),
    "an array between": ((0, SECOND, -1), (slice(0, 1), SECOND, slice(-1, None))),
}


def accumulated(input, index, source):
    out = input.copy()
    np.add.at(out, index, source)
    return out


@pytest.mark.parametrize("index", INDICES.values(), ids=list(INDICES))
def test_put(index, amount):
    input = draw((3, 4, 5))
    np.testing.assert_array_equal(indexed(input, index), input[index], strict=True)
    source = draw(input[index].shape, seed=1)
    np.testing.assert_array_equal(put(input, index, source, True), accumulated(input, index, source), strict=True)
    np.testing.assert_array_equal(put(input, index, source[..., :1], True), accumulated(input, index, source[..., :1]))
    np.testing.assert_array_equal(put(input, index, np.array(2.0), True), accumulated(input, index, 2.0))
    expected = input.copy()
    expected[index] = source
    np.testing.assert_array_equal(put(input, index, source), expected, strict=True)


@pytest.mark.parametrize(("index", "kept"), WITH_INTEGERS.values(), ids=list(WITH_INTEGERS))
def test_an_integer_selects_before_arrays_are_looked_at(index, kept, amount):
    """NumPy would broadcast an integer with the arrays and move their dimension to the front."""
    input = draw((3, 4, 5))
    selected = np.asarray(input[kept])
    expected = selected.reshape([size for size in selected.shape if size > 1])
    read = indexed(input, index)
    np.testing.assert_array_equal(read, expected, strict=True)
    source = draw(read.shape, seed=1)
    written = accumulated(input, kept, source.reshape(selected.shape))
    np.testing.assert_array_equal(put(input, index, source, True), written, strict=True)


def test_leading_ones_of_a_source_are_dropped():
    out = put(np.zeros(3), np.array([0, 0]), np.ones((1, 1, 2)), True)
    assert out.tolist() == [2, 0, 0]


def test_a_view_comes_without_index_arrays_and_a_copy_with():
    input = np.zeros((3, 4))
    assert np.shares_memory(indexed(input, (1, slice(None))), input)
    assert np.shares_memory(indexed(input, (1, 2)), input) and indexed(input, (1, 2)).shape == ()
    assert not np.shares_memory(indexed(input, (1, np.array([0, 1]))), input)


# Errors and purity


@pytest.mark.parametrize("wrong", [5, -1])
def test_an_index_out_of_range_raises_what_pytorch_raises(wrong):
    index, message = np.array([[0, wrong]]), f"^index {wrong} is out of bounds for dimension 1 with size 4$"
    with pytest.raises(RuntimeError, match=message):
        gather(np.zeros((3, 4)), 1, index)
    with pytest.raises(RuntimeError, match=message):
        scatter(np.zeros((3, 4)), 1, index, np.ones((1, 2)))
    with pytest.raises(RuntimeError, match=message):
        scatter(np.zeros((3, 4)), 1, index, np.ones((1, 2)), "amax")
    with pytest.raises(RuntimeError, match=message):
        index_add(np.zeros((3, 4)), 1, index[0], np.ones((3, 2)))
    with pytest.raises(IndexError, match="^index out of range in self$"):
        index_add(np.zeros(4), 0, index[0], np.ones(2))


def test_rows_that_do_not_exist_are_refused(amount):
    for wrong in (np.array([0, 4]), np.array([0, -1])):
        with pytest.raises(IndexError, match="out of bounds for dimension 0 with size 4"):
            embedding_gradient(np.ones((2, 3)), wrong, 4)
    with pytest.raises(IndexError, match="index 4 is out of bounds"):
        put(np.zeros((4, 3)), np.array([0, 4]), np.ones((2, 3)), True)


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
def test_results_never_share_memory_with_arguments(dtype, amount):
    input, source, nothing = np.ones((3, 2), dtype), np.ones((3, 2), dtype), np.zeros((0, 2), np.int64)
    results = [
        gather(input, 0, np.array([[0, 0], [1, 1], [2, 2]])),
        scatter(input, 0, nothing, source),
        scatter(input, 0, nothing, source, "sum"),
        index_add(input, 0, nothing[:, 0], source[:0]),
        index_add(input, 1, np.array([0, 1]), source),
        embedding_gradient(source, np.arange(3), 3),
        put(input, np.arange(3), source),
        put(input, nothing[:, 0], source[:0], True),
    ]
    for out in results:
        assert out.flags.c_contiguous and out.flags.writeable
        assert not np.shares_memory(out, input) and not np.shares_memory(out, source)


# PyTorch


@along
def test_along_a_dimension_agrees_with_torch(shape, dim, index_shape):
    torch = pytest.importorskip("torch")
    x, index = torch.tensor(draw(shape)), torch.tensor(draw_index(shape, dim, index_shape))
    source = torch.tensor(draw([size + 1 for size in index_shape], seed=1))
    arrays = x.numpy(), dim, index.numpy(), source.numpy()
    np.testing.assert_array_equal(gather(*arrays[:3]), x.gather(dim, index).numpy(), strict=True)
    np.testing.assert_array_equal(scatter(*arrays), x.scatter(dim, index, source).numpy(), strict=True)
    for reduce in ("sum", "prod", "mean", "amax", "amin"):
        for include_self in (True, False):
            ours = scatter(*arrays, reduce, include_self)
            expected = x.scatter_reduce(dim, index, source, reduce, include_self=include_self)
            np.testing.assert_allclose(ours, expected.numpy(), rtol=1e-12, strict=True)
    assert scatter(*(a.astype(int) if isinstance(a, np.ndarray) else a for a in arrays), "mean").tolist() == (
        x.long().scatter_reduce(dim, index, source.long(), "mean").tolist()
    )


@pytest.mark.parametrize(
    "index", [*INDICES.values(), *(index for index, _ in WITH_INTEGERS.values())], ids=[*INDICES, *WITH_INTEGERS]
)
def test_general_indices_agree_with_torch(index):
    torch = pytest.importorskip("torch")
    x = torch.tensor(draw((3, 4, 5)), requires_grad=True)
    items = index if isinstance(index, tuple) else (index,)
    out = x[tuple(torch.tensor(item) if isinstance(item, np.ndarray) else item for item in items)]
    grad = torch.tensor(draw(out.shape, seed=1))
    (back,) = torch.autograd.grad(out, x, grad)
    np.testing.assert_array_equal(indexed(x.detach().numpy(), index), out.detach().numpy(), strict=True)
    np.testing.assert_array_equal(put(np.zeros((3, 4, 5)), index, grad.numpy(), True), back.numpy(), strict=True)


@pytest.mark.parametrize("scale_by_frequency", [True, False])
@pytest.mark.parametrize("padding_index", [None, 1])
def test_embedding_gradient_agrees_with_torch(padding_index, scale_by_frequency, amount):
    torch = pytest.importorskip("torch")
    table, indices = torch.zeros(5, 3, requires_grad=True), torch.tensor(draw((4, 6), np.int64, 0, 0, 5))
    out = torch.nn.functional.embedding(indices, table, padding_index, scale_grad_by_freq=scale_by_frequency)
    grad = torch.tensor(draw(out.shape, np.float32, 1))
    (back,) = torch.autograd.grad(out, table, grad)
    ours = embedding_gradient(grad.numpy(), indices.numpy(), 5, padding_index, scale_by_frequency)
    np.testing.assert_allclose(ours, back.numpy(), rtol=1e-6, atol=1e-6, strict=True)


def test_the_examples_in_the_docstrings_are_true():
    assert doctest.testmod(kernels) == (0, 8)


# Positions that, the dimensions counted as one, are beyond their own dtype; repeated, negative, of one value.
NAMED = {
    "all dimensions": ((40, 30), (np.array([[0], [-1], [5]], np.int8), np.array([1, 29, 1, 29], np.uint8))),
    "the first dimensions": ((40, 30, 3), (np.array([39, 39, -1]), np.array([29, 2, 29], np.int32))),
    "the first, and all of the next": ((40, 30), (np.array([3, 3, -37]), None)),
    "the last": ((40, 30), (None, np.array([3, 3, -27]))),
    "two with one between": ((4, 5, 30), (np.array([3, 3, -1]), None, np.array([7, -23, 8]))),
    "none": ((40, 30), (np.array([], np.int64), np.array([], np.int64))),
}


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(("shape", "indices"), NAMED.values(), ids=list(NAMED))
def test_adding_at_index_arrays(monkeypatch, shape, indices, dtype):
    monkeypatch.setattr(index_put, "FEW", 0)
    array, key = draw(shape, dtype), tuple(slice(None) if each is None else each for each in indices)
    for values in (draw(array[key].shape, dtype, seed=1), draw((), dtype, seed=2)):
        wide = array.astype(widest(dtype))
        np.add.at(wide, key, values.astype(wide.dtype))
        result = index_put.put_indices(array, indices, values, accumulate=True)
        assert result.dtype == array.dtype
        np.testing.assert_array_equal(result, wide.astype(dtype))


@pytest.mark.parametrize("wrong", [40, -41])
def test_adding_where_nothing_is_names_the_position(monkeypatch, wrong):
    monkeypatch.setattr(index_put, "FEW", 0)
    with pytest.raises(IndexError, match=f"index {wrong} is out of bounds for dimension 0 with size 40"):
        index_put.put_indices(draw((40, 30)), (np.array([3, wrong]), np.array([0, 0])), draw((2,)), accumulate=True)


def test_adding_values_of_another_shape_is_refused(monkeypatch):
    monkeypatch.setattr(index_put, "FEW", 0)
    with pytest.raises(RuntimeError, match="shape mismatch"):
        index_put.put_indices(draw((40, 30)), (np.array([3, 4]), np.array([0, 0])), draw((3,)), accumulate=True)


def test_an_index_of_one_dimension_is_its_own_positions():
    """And it is read only, whatever is done at them."""
    index = np.array([2, 0, 2])
    assert positions(index, (4,), -1) is index
    assert positions(index.astype(np.int32), (4,), 0).dtype == np.intp
    assert positions_along(np.zeros(4), 0, index) is index is positions_of_slices(np.zeros(4), 0, index, np.ones(3))
    x, i = rushlight.arange(4.0), rushlight.tensor([2, 0, 2])
    assert x.gather(0, i).tolist() == [2, 0, 2]
    assert x.index_add_(0, i, rushlight.ones(3)).tolist() == [1, 1, 4, 3]
    assert x.scatter_add_(-1, i, rushlight.ones(3)).tolist() == [2, 1, 6, 3]
    assert x.scatter_(0, i[::2], rushlight.tensor([7.0, 8.0])).tolist() == [2, 1, 8, 3]
    assert x.scatter(0, i[1:], 5.0).tolist() == [5, 1, 5, 3]
    assert x.index_copy_(0, i[:2], rushlight.tensor([0.0, 9.0])).tolist() == [9, 1, 0, 3]
    assert x.scatter_reduce(0, i, rushlight.ones(3), "prod", include_self=False).tolist() == [1, 1, 1, 3]
    assert i.tolist() == [2, 0, 2]
    for wrong in (4, -1):
        with pytest.raises(RuntimeError, match=f"index {wrong} is out of bounds for dimension 0 with size 4"):
            x.gather(0, rushlight.tensor([wrong]))
        with pytest.raises(RuntimeError, match="out of bounds"):
            x.scatter_add_(0, rushlight.tensor([wrong]), rushlight.ones(1))


@pytest.mark.parametrize("reduce", ["sum", "prod", "mean", "amax", "amin"])
def test_only_the_part_of_a_source_that_is_named_gets_a_gradient(reduce, pytorch):
    """PyTorch's backward fails for such a source, and not for that part of it."""
    index, derivatives = [[0, 1, 1], [1, 0, 1]], []
    source = np.random.default_rng(3).permutation(20).reshape(4, 5) / 4 - 2
    for library, named in ((pytorch, (slice(2), slice(3))), (rushlight, ())):
        src = library.tensor(source, requires_grad=True)
        into = library.full((2, 4), 0.5, dtype=library.float64)
        into.scatter_reduce(0, library.tensor(index), src[named] if named else src, reduce).cos().sum().backward()
        derivatives.append(src.grad.numpy())
    np.testing.assert_allclose(derivatives[1], derivatives[0], rtol=1e-12)


def test_a_mask_without_dimensions_gives_its_value_the_whole_gradient():
    """PyTorch's backward has an assertion fail."""
    x, value = rushlight.zeros(3, requires_grad=True), rushlight.ones((), requires_grad=True)
    x.index_put((rushlight.tensor(True),), value).sum().backward()
    assert x.grad.tolist() == [0, 0, 0]
    assert value.grad.item() == 3
