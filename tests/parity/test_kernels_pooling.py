"""Pooling kernels against loops written out here, and against PyTorch where it is installed."""

import doctest

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from ml_dtypes import bfloat16

import rushlight
from rushlight.arrays import pooling
from rushlight.arrays.pooling import (
    adaptive_avg_pool,
    adaptive_avg_pool_input,
    adaptive_max_pool,
    avg_pool,
    avg_pool_input,
    max_pool,
    max_pool_input,
    pooled_size,
    take_pooled,
)
from rushlight.core.tables import xp

# size, kernel, stride, padding, dilation, ceil_mode
GEOMETRIES = {
    "1d": ((9,), (3,), (2,), (1,), (1,), False),
    "halves": ((8, 6), (2, 2), (2, 2), (0, 0), (1, 1), False),
    "overlapping, padded": ((7, 6), (3, 3), (2, 2), (1, 1), (1, 1), False),
    "ceil": ((6, 7), (3, 2), (2, 2), (0, 1), (1, 1), True),
    "ceil, a window that would start beyond the end": ((5, 5), (2, 2), (3, 3), (1, 1), (1, 1), True),
    "gaps between windows": ((9, 8), (2, 1), (4, 3), (0, 0), (1, 1), False),
    "dilated": ((9, 8), (3, 2), (1, 2), (1, 1), (2, 3), False),
    "one large window": ((5, 6), (5, 6), (1, 1), (0, 0), (1, 1), False),
    "few large windows, padded and dilated": ((8, 8), (5, 4), (3, 3), (2, 2), (2, 1), True),
    "windows wholly in the padding": ((2, 8), (2, 2), (1, 1), (1, 1), (3, 3), False),
    "3d": ((4, 5, 6), (2, 3, 2), (1, 2, 2), (1, 0, 1), (1, 1, 2), True),
}
geometry = pytest.mark.parametrize("geometry", GEOMETRIES.values(), ids=list(GEOMETRIES))
ADAPTIVE = [
    ((7,), (3,)),
    ((6, 8), (3, 2)),
    ((5, 7), (3, 4)),
    ((4, 3), (1, 1)),
    ((2, 3), (5, 4)),
    ((4, 5, 6), (2, 5, 4)),
]
adaptively = pytest.mark.parametrize(("size", "output_size"), ADAPTIVE)


def draw(shape, dtype=np.float64, seed=0):
    """Few integers, so that there are ties, in an array that must not be written to."""
    array = np.random.default_rng(seed).integers(-4, 5, shape).astype(dtype)
    array.setflags(write=False)
    return array


def speckled(shape, seed=0):
    """Numbers with nans and infinities among them."""
    array = draw(shape, np.float32, seed).copy()
    kind = np.random.default_rng(seed + 1).integers(0, 12, shape)
    array[kind == 0], array[kind == 1], array[kind == 2] = np.nan, -np.inf, np.inf
    return array


def window(at, size, kernel, stride, padding, dilation):
    """The positions in the input of one dimension's window."""
    positions = (at * stride - padding + tap * dilation for tap in range(kernel))
    return [place for place in positions if 0 <= place < size]


def windows(counts, *per_dimension):
    """Every position of the output, with the positions of its window in each dimension."""
    for at in np.ndindex(*counts):
        yield at, [window(*one) for one in zip(at, *per_dimension, strict=True)]


def box(at, size, count):
    return list(range(int(np.floor(at * size / count)), int(np.ceil((at + 1) * size / count))))


def max_by_loops(input, places_by_output, counts):
    """PyTorch's rule spelt out: a later element replaces the maximum if it is larger, or a nan."""
    values = np.full((*input.shape[:2], *counts), -np.inf, input.dtype)
    indices = np.full(values.shape, -1)
    for plane in np.ndindex(*input.shape[:2]):
        for at, positions in places_by_output:
            for place in np.stack(np.meshgrid(*positions, indexing="ij"), -1).reshape(-1, len(positions)).astype(int):
                element = input[(*plane, *place)]
                if indices[(*plane, *at)] < 0 or element > values[(*plane, *at)] or np.isnan(element):
                    values[(*plane, *at)] = element
                    indices[(*plane, *at)] = np.ravel_multi_index(place, input.shape[2:])
    return values, indices


def counts_of(size, kernel, stride, padding, dilation, ceil_mode):
    each = zip(size, kernel, stride, padding, dilation, strict=True)
    return [pooled_size(*one, ceil_mode) for one in each]


@geometry
@pytest.mark.parametrize("tile", [1, 1 << 19])
def test_maxima_are_those_of_the_definition(geometry, tile, monkeypatch):
    monkeypatch.setattr(pooling, "TILE", tile)
    size, *rest = geometry
    counts = counts_of(*geometry)
    for input in (draw((2, 3, *size)), speckled((2, 3, *size))):
        expected = max_by_loops(input, list(windows(counts, size, *rest[:-1])), counts)
        for ours, wanted in zip(max_pool(input, *rest), expected, strict=True):
            np.testing.assert_array_equal(ours, wanted, strict=True)


@adaptively
def test_adaptive_maxima_are_those_of_the_definition(size, output_size):
    positions = [
        (at, [box(*one) for one in zip(at, size, output_size, strict=True)]) for at in np.ndindex(*output_size)
    ]
    for input in (draw((2, 3, *size)), speckled((2, 3, *size))):
        expected = max_by_loops(input, positions, output_size)
        for ours, wanted in zip(adaptive_max_pool(input, output_size), expected, strict=True):
            np.testing.assert_array_equal(ours, wanted, strict=True)


@pytest.mark.parametrize("dtype", [np.float16, bfloat16, np.int64, np.int8, np.uint8])
@pytest.mark.parametrize("kernel", [(2, 2), (4, 4)])
def test_maxima_in_every_dtype(dtype, kernel):
    input = draw((2, 3, 4, 4)).astype(np.int64).astype(dtype)
    arguments = (kernel, kernel, (0, 0), (1, 1))
    values, indices = max_pool(input, *arguments)
    expected, positions = max_pool(input.astype(np.float64), *arguments)
    np.testing.assert_array_equal(values, expected.astype(dtype), strict=True)
    np.testing.assert_array_equal(indices, positions)


def test_more_taps_than_a_byte_counts():
    input = draw((1, 2, 40, 40)).copy()
    input[..., 33, 35] = 9
    values, indices = max_pool(input, (17, 17), (1, 1), (0, 0), (1, 1))
    assert values.max() == 9 and (indices[values == 9] == 33 * 40 + 35).all() and (values == 9).sum() == 2 * 7 * 5


def test_a_window_wholly_in_the_padding_has_no_position_and_no_gradient():
    values, indices = max_pool(np.ones((1, 1, 2)), (2,), (1,), (1,), (3,))
    assert values.tolist() == [[[-np.inf]]] and indices.tolist() == [[[-1]]]
    assert max_pool_input(np.ones((1, 1, 1)), indices, (1, 1, 2)).tolist() == [[[0, 0]]]
    assert take_pooled(np.ones((1, 1, 2)), indices).tolist() == [[[0]]]


@pytest.mark.parametrize("tile", [1, 1 << 19])
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16, bfloat16])
def test_the_gradient_of_maxima_goes_to_their_positions(tile, dtype, monkeypatch):
    monkeypatch.setattr(pooling, "TILE", tile)
    input = draw((2, 3, 7, 6), dtype)
    values, indices = max_pool(input, (3, 3), (1, 1), (1, 1), (1, 1))
    np.testing.assert_array_equal(take_pooled(input, indices), values, strict=True)
    grad = draw(values.shape, dtype, 1)
    expected = np.zeros((6, 42))
    for plane in range(6):
        for place, amount in zip(indices.reshape(6, 42)[plane], grad.reshape(6, 42)[plane], strict=True):
            expected[plane, place] += amount
    ours = max_pool_input(grad, indices, input.shape)
    np.testing.assert_array_equal(ours, expected.reshape(input.shape).astype(dtype), strict=True)


def mean_by_loops(input, places_by_output, counts, divisors):
    out = np.zeros((*input.shape[:2], *counts), input.dtype)
    for (at, positions), divisor in zip(places_by_output, divisors, strict=True):
        out[(..., *at)] = input[(..., *np.ix_(*positions))].sum(tuple(range(2, input.ndim))) / divisor
    return out


def counted(at, size, kernel, stride, padding, include_padding):
    """How many elements one dimension's window counts; never those beyond the padding."""
    begin = at * stride - padding
    positions = range(begin, min(begin + kernel, size + padding))
    return len(positions) if include_padding else sum(0 <= place < size for place in positions)


@geometry
@pytest.mark.parametrize("include_padding", [True, False])
@pytest.mark.parametrize("override", [None, 3])
def test_means_are_those_of_the_definition(geometry, include_padding, override):
    size, kernel, stride, padding, _, ceil_mode = geometry
    flat = (1,) * len(size)
    counts = counts_of(size, kernel, stride, padding, flat, ceil_mode)
    input = draw((2, 3, *size))
    positions = list(windows(counts, size, kernel, stride, padding, flat))
    divisors = [
        override
        or np.prod([counted(*one, include_padding) for one in zip(at, size, kernel, stride, padding, strict=True)])
        for at, _ in positions
    ]
    ours = avg_pool(input, kernel, stride, padding, ceil_mode, include_padding, override)
    np.testing.assert_allclose(ours, mean_by_loops(input, positions, counts, divisors), rtol=1e-12, strict=True)


@adaptively
def test_adaptive_means_are_those_of_the_definition(size, output_size):
    positions = [
        (at, [box(*one) for one in zip(at, size, output_size, strict=True)]) for at in np.ndindex(*output_size)
    ]
    input = draw((2, 3, *size))
    expected = mean_by_loops(
        input, positions, output_size, [np.prod([len(each) for each in cut]) for _, cut in positions]
    )
    np.testing.assert_allclose(adaptive_avg_pool(input, output_size), expected, rtol=1e-12, strict=True)


def test_means_of_integers_are_rounded_towards_zero():
    input = np.array([[[-8, -7, -6, -5, 4, 5, 2, 2]]])
    assert avg_pool(input, (2,), (2,), (0,)).tolist() == [[[-7, -5, 4, 2]]]
    assert avg_pool(input, (2,), (2,), (0,), divisor_override=-4).tolist() == [[[3, 2, -2, -1]]]


@pytest.mark.parametrize("dtype", [np.float16, bfloat16])
def test_means_in_half_precision_are_rounded_once(dtype):
    input = np.ones((1, 1, 4096), dtype)
    assert avg_pool(input, (4096,), (1,), (0,)).item() == adaptive_avg_pool(input, (1,)).item() == 1
    assert adaptive_avg_pool(input, (3,)).dtype == avg_pool_input(input, (1, 1, 8192), (2,), (2,), (0,)).dtype == dtype


def test_an_infinity_stays_within_its_boxes():
    input = np.zeros((1, 1, 6))
    input[..., 0] = np.inf
    assert adaptive_avg_pool(input, (4,)).tolist() == [[[np.inf, 0, 0, 0]]]
    assert avg_pool(input, (3,), (3,), (0,)).tolist() == [[[np.inf, 0]]]


spans = st.lists(
    st.tuples(st.integers(1, 9), st.integers(1, 4), st.integers(1, 4), st.integers(0, 2)), min_size=1, max_size=3
)


@settings(max_examples=60, deadline=None)
@given(spans, st.booleans(), st.booleans(), st.sampled_from([None, -2]))
def test_the_transpose_of_means(spans, ceil_mode, include_padding, override):
    size, kernel, stride, padding = zip(*spans, strict=True)
    assume(all(2 * p <= k <= s + 2 * p for s, k, p in zip(size, kernel, padding, strict=True)))
    input = draw((2, 2, *size))
    rest = (kernel, stride, padding, ceil_mode, include_padding, override)
    out = avg_pool(input, *rest)
    grad = draw(out.shape, seed=1)
    back = avg_pool_input(grad, input.shape, *rest)
    assert back.shape == input.shape
    np.testing.assert_allclose((back * input).sum(), (grad * out).sum(), atol=1e-10)


@adaptively
def test_the_transpose_of_adaptive_means(size, output_size):
    input, grad = draw((2, 3, *size)), draw((2, 3, *output_size), seed=1)
    back = adaptive_avg_pool_input(grad, input.shape)
    for at in np.ndindex(*size):
        unit = np.zeros((2, 3, *size))
        unit[(..., *at)] = 1
        expected = (grad * adaptive_avg_pool(unit, output_size)).sum(tuple(range(2, input.ndim)))
        np.testing.assert_allclose(back[(..., *at)], expected, rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("shape", [(0, 3, 6, 6), (2, 0, 6, 6)])
def test_nothing_to_pool(shape):
    values, indices = max_pool(np.zeros(shape), (2, 2), (2, 2), (0, 0), (1, 1))
    assert values.shape == indices.shape == (*shape[:2], 3, 3)
    assert adaptive_max_pool(np.zeros(shape), (1, 4))[0].shape == (*shape[:2], 1, 4)
    assert avg_pool(np.zeros(shape), (2, 2), (2, 2), (0, 0)).shape == (*shape[:2], 3, 3)
    assert adaptive_avg_pool(np.zeros(shape), (1, 1)).shape == (*shape[:2], 1, 1)
    assert max_pool_input(values, indices, shape).shape == take_pooled(np.zeros(shape), indices).shape[:2] + (6, 6)
    assert avg_pool_input(values, shape, (2, 2), (2, 2), (0, 0)).shape == shape


def test_an_adaptive_pooling_to_no_size():
    assert adaptive_avg_pool(np.ones((2, 3, 4, 4)), (0, 2)).shape == (2, 3, 0, 2)
    assert adaptive_max_pool(np.ones((2, 3, 4, 4)), (0, 2))[0].shape == (2, 3, 0, 2)
    assert not adaptive_avg_pool_input(np.ones((2, 3, 0, 2)), (2, 3, 4, 4)).any()


@geometry
def test_agrees_with_torch(geometry):
    torch = pytest.importorskip("torch")
    size, kernel, stride, padding, dilation, ceil_mode = geometry
    functional = torch.nn.functional
    x = torch.tensor(speckled((2, 3, *size)))
    function = getattr(functional, f"max_pool{len(size)}d")
    expected = function(x, kernel, stride, padding, dilation, ceil_mode, return_indices=True)
    values, indices = max_pool(x.numpy(), *geometry[1:])
    np.testing.assert_array_equal(values, expected[0].numpy(), strict=True)
    # For a window wholly in the padding PyTorch returns some position, often outside the input.
    np.testing.assert_array_equal(indices, np.where(indices < 0, -1, expected[1].numpy()), strict=True)
    x = torch.tensor(draw((2, 3, *size)), requires_grad=True)
    function = getattr(functional, f"avg_pool{len(size)}d")
    for include_padding in (True, False):
        out = function(x, kernel, stride, padding, ceil_mode, include_padding)
        grad = torch.tensor(draw(out.shape, seed=1))
        rest = (kernel, stride, padding, ceil_mode, include_padding)
        np.testing.assert_allclose(avg_pool(x.detach().numpy(), *rest), out.detach(), rtol=1e-12)
        (back,) = torch.autograd.grad(out, x, grad)
        np.testing.assert_allclose(avg_pool_input(grad.numpy(), x.shape, *rest), back, rtol=1e-12, atol=1e-15)


@adaptively
def test_adaptive_pooling_agrees_with_torch(size, output_size):
    torch = pytest.importorskip("torch")
    x = torch.tensor(speckled((2, 3, *size)), requires_grad=True)
    function = getattr(torch.nn.functional, f"adaptive_max_pool{len(size)}d")
    values, indices = function(x, output_size, return_indices=True)
    ours = adaptive_max_pool(x.detach().numpy(), output_size)
    np.testing.assert_array_equal(ours[0], values.detach().numpy(), strict=True)
    np.testing.assert_array_equal(ours[1], indices.numpy(), strict=True)
    (back,) = torch.autograd.grad(values, x, torch.ones_like(values))
    np.testing.assert_array_equal(max_pool_input(np.ones_like(ours[0]), ours[1], x.shape), back.numpy(), strict=True)
    y = torch.tensor(draw((2, 3, *size)), requires_grad=True)
    out = getattr(torch.nn.functional, f"adaptive_avg_pool{len(size)}d")(y, output_size)
    np.testing.assert_allclose(adaptive_avg_pool(y.detach().numpy(), output_size), out.detach(), rtol=1e-12)
    (back,) = torch.autograd.grad(out, y, torch.ones_like(out))
    np.testing.assert_allclose(adaptive_avg_pool_input(np.ones(out.shape), y.shape), back, rtol=1e-12)


@pytest.mark.parametrize("settings", [(2,), (3, 2, 1), ((3, 2), 1, 1, 1, True), (2, 2, 0, 2), (5, 1, 2)], ids=str)
@pytest.mark.parametrize("special", [1.0, np.nan, -np.inf])
def test_maxima_are_the_same_with_and_without_positions(settings, special):
    x = rushlight.randn(2, 3, 6, 7)
    x[0, 1, :3], x[1, 2, 4, 5] = special, special
    pool = rushlight.nn.functional.max_pool2d
    with_positions = pool(x.clone().requires_grad_(), *settings).detach()
    np.testing.assert_array_equal(pool(x, *settings).numpy(), with_positions.numpy())
    rows = rushlight.nn.functional.max_pool1d(x[0], 3, 2, 1)
    np.testing.assert_array_equal(
        rows.numpy(), rushlight.nn.functional.max_pool1d(x[0].requires_grad_(), 3, 2, 1).detach()
    )


@geometry
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.float16])
def test_few_windows_are_pooled_as_many(geometry, dtype, monkeypatch):
    for shape, special in (((2, 3), 1.0), ((1, 1), np.inf), ((3, 2), np.nan)):
        x = draw((*shape, *geometry[0])).astype(dtype)
        x.reshape(-1)[::7] = special
        size, kernel, stride, padding, dilation, ceil_mode = geometry
        turned = np.moveaxis(np.moveaxis(x, 1, -1).copy(), -1, 1)  # lies with its channels last
        apart = max(dilation) == 1
        few = [
            (pooling.max_pool_values(each, *geometry[1:]), *max_pool(each, *geometry[1:]))
            + ((avg_pool(each, kernel, stride, padding, ceil_mode),) if apart else ())
            for each in (x, turned)
        ]
        with monkeypatch.context() as patched:
            patched.setattr(pooling, "few_windows", lambda *_: None)
            many = pooling.max_pool_values(x, *geometry[1:]), *max_pool(x, *geometry[1:])
            means = avg_pool(x, kernel, stride, padding, ceil_mode)
        for result in few:
            for one, other in zip(result, many, strict=False):
                np.testing.assert_array_equal(one, other, strict=True)
            if apart:
                assert result[3].dtype == dtype
                np.testing.assert_allclose(result[3], means, rtol=8 * np.finfo(dtype).eps, atol=np.finfo(dtype).eps)


def test_means_of_few_windows_are_one_product(monkeypatch):
    """Dimension by dimension they are not summed, with a border neither."""
    x = draw((2, 3, 5, 4))
    x = x[..., :3]
    expected = avg_pool(x, (3, 3), (2, 2), (1, 1), True)  # no window overhangs, but this way does not ask
    monkeypatch.setattr(xp, "gather_windows", None)
    np.testing.assert_allclose(avg_pool(x, (3, 3), (2, 2), (1, 1)), expected, rtol=1e-13)
    infinite = x.copy()
    infinite[0, 0, 0, 0] = np.inf
    result = avg_pool(infinite, (2, 2), (1, 1), (1, 1), False, False)
    assert np.isinf(result[0, 0, :2, :2]).all()
    assert np.isinf(result).sum() == 4


CALLS = [
    "max_pool1d(x[0], 2)", "max_pool1d(x[0], 3, 2, 1)", "max_pool1d(x[0], 2, dilation=3, ceil_mode=True)",
    "max_pool1d(x[0], 3, stride=[])", "max_pool1d(x[0], 0)", "max_pool1d(x[0], 2, 0)", "max_pool1d(x[0], -1)",
    "max_pool1d(x[0], 2, 1, 2)", "max_pool1d(x[0], 2, 1, -1)", "max_pool1d(x[0], 9)", "max_pool1d(x, 2)",
    "max_pool1d(x[0].long(), 2)", "max_pool1d(x[0, :, :, :0], 2)", "max_pool1d(x[0, :0], 2)", "max_pool1d(x[:0, 0], 2)",
    "max_pool1d(x[0].half(), 2)", "max_pool1d(x[0].bfloat16(), 2)", "max_pool1d(x[0], 2, 2.5)",
    "max_pool1d(x[0], 2, dilation=0)",
    "avg_pool1d(x[0], 2)", "avg_pool1d(x[0], 3, 2, 1)", "avg_pool1d(x[0], 3, 2, 1, True, False)",
    "avg_pool1d(x[0], 0)", "avg_pool1d(x[0], 2, 0)", "avg_pool1d(x[0], 2, 1, 2)", "avg_pool1d(x[0], 9)",
    "avg_pool1d(x, 2)", "avg_pool1d(x[0].long(), 2)", "avg_pool1d(x[0].int(), 2)", "avg_pool1d(x[0, :, :, :0], 2)",
    "avg_pool1d(x[:0, 0], 2)", "avg_pool1d(x[0].half(), 2)",
    "max_pool2d(x, 2, 1)", "max_pool2d(x, 3, 2, 1)", "max_pool2d(x, 2, 2, 0, 2)", "max_pool2d(x, 2, 0)",
    "max_pool2d(x, 2, 2, 2)", "max_pool2d(x, 2, 2, -1)", "max_pool2d(x, 2, 2, 0, 0)",
    "max_pool2d(x, 2, 2, 1, ceil_mode=True)", "max_pool2d(x.long(), 3, 2)", "max_pool2d(x > 0, 2, 2)",
    "avg_pool2d(x, 2, 1)", "avg_pool2d(x, 3, 2, 1)", "avg_pool2d(x, 3, 2, 1, True, False)", "avg_pool2d(x, 2, 0)",
    "avg_pool2d(x, 2, 2, 0, False, True, 3)", "avg_pool2d(x, 2, 2, 0, False, True, -1)", "avg_pool2d(x, 2, 2, 2)",
    "avg_pool2d(x, 2, 2, 0, False, True, 0)", "avg_pool2d(x[0, 0], 2, 2)",
    "avg_pool2d(x.to(memory_format=torch.channels_last), 2, 2).stride()",
    "max_pool2d(x.to(memory_format=torch.channels_last), 2, 2).stride()",
]  # fmt: skip


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("recorded", [False, True])
def test_calls_with_one_number_for_all_dimensions(call, recorded):
    """Values, gradients, and what is refused, in PyTorch's words."""
    outcomes = []
    for library in (rushlight, pytest.importorskip("torch")):
        x = library.tensor(draw((2, 3, 5, 6)), dtype=library.float32).requires_grad_(recorded)
        try:
            result = eval(call, {"x": x, "torch": library, **vars(library.nn.functional)})
        except (RuntimeError, TypeError, ValueError, LookupError) as error:
            outcomes.append((type(error).__name__, str(error).partition("\n")[0]))
            continue
        if isinstance(result, tuple):
            outcomes.append(tuple(result))
            continue
        grad = None
        if result.requires_grad:
            (result.double() ** 2).sum().backward()
            grad = x.grad.numpy()
        outcomes.append((str(result.dtype), result.detach().double().numpy(), grad, type(result.grad_fn).__name__))
    ours, theirs = outcomes
    for one, other in zip(ours, theirs, strict=True):
        if isinstance(one, np.ndarray):
            np.testing.assert_allclose(one, other, rtol=2e-6, strict=True)
        else:
            assert str(one).replace("rushlight", "torch") == str(other)


def test_integers_agree_with_torch():
    torch = pytest.importorskip("torch")
    x = torch.arange(-18, 18).reshape(1, 1, 6, 6)
    ours = avg_pool(x.numpy(), (3, 2), (2, 2), (1, 1), True, False)
    np.testing.assert_array_equal(ours, torch.nn.functional.avg_pool2d(x, (3, 2), 2, 1, True, False), strict=True)
    values, indices = torch.nn.functional.max_pool2d(x, 2, 2, 1, return_indices=True)
    ours = max_pool(x.numpy(), (2, 2), (2, 2), (1, 1), (1, 1))
    np.testing.assert_array_equal(ours[0], values.numpy(), strict=True)
    np.testing.assert_array_equal(ours[1], indices.numpy(), strict=True)


def test_the_examples_in_the_docstrings_are_true():
    assert doctest.testmod(pooling) == (0, 10)


@pytest.mark.parametrize("dilation", [0, 1, 2])
@pytest.mark.parametrize("padding", [-1, 0, 1, 2])
@pytest.mark.parametrize("kernel", [1, 2, 3])
def test_what_is_refused_of_lines_without_a_history(kernel, padding, dilation, pytorch):
    results = []
    for torch in (rushlight, pytorch):
        x = torch.arange(24.0).reshape(1, 3, 8) * 7 % 11
        try:
            results.append(torch.nn.functional.max_pool1d(x, kernel, 2, padding, dilation).tolist())
        except RuntimeError as error:
            results.append(None if dilation == 0 else str(error))  # of two mistakes another one may be named
    assert results[0] == results[1]
