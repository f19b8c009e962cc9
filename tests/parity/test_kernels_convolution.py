"""Convolution kernels against loops written out here, and against PyTorch where it is installed."""

import doctest

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ml_dtypes import bfloat16

from rushlight.arrays import convolution
from rushlight.arrays.convolution import convolve, convolve_input, convolve_weight
from rushlight.core.tables import xp

GEOMETRIES = {
    "1d": ((2, 3, 9), (4, 3, 3), (1,), (1,), (1,), 1),
    "1d stride beyond kernel": ((2, 3, 11), (4, 3, 2), (3,), (1,), (1,), 1),
    "2d": ((2, 3, 6, 5), (4, 3, 3, 2), (1, 1), (0, 0), (1, 1), 1),
    "2d padded": ((3, 2, 5, 6), (4, 2, 3, 3), (1, 1), (1, 2), (1, 1), 1),
    "2d strided, some positions unread": ((2, 2, 8, 7), (3, 2, 3, 2), (2, 3), (1, 0), (1, 1), 1),
    "2d dilated": ((2, 2, 8, 9), (3, 2, 3, 2), (1, 2), (2, 1), (2, 3), 1),
    "2d grouped": ((2, 4, 6, 6), (6, 2, 3, 3), (2, 1), (1, 1), (1, 1), 2),
    "2d depthwise": ((2, 3, 6, 6), (3, 1, 3, 3), (1, 1), (1, 1), (1, 1), 3),
    "2d depthwise, strided, two filters each": ((2, 3, 6, 6), (6, 1, 3, 3), (2, 2), (1, 1), (1, 1), 3),
    "2d many filters": ((2, 1, 6, 6), (5, 1, 3, 3), (1, 1), (1, 1), (1, 1), 1),
    "2d padding beyond the kernel": ((1, 2, 4, 4), (2, 2, 2, 2), (1, 1), (3, 2), (1, 1), 1),
    "1x1": ((2, 6, 8, 8), (4, 3, 1, 1), (1, 1), (0, 0), (1, 1), 2),
    "1x1 on few positions": ((3, 4, 2, 2), (5, 4, 1, 1), (1, 1), (0, 0), (1, 1), 1),
    "1x1 strided": ((2, 3, 7, 7), (4, 3, 1, 1), (2, 2), (0, 0), (1, 1), 1),
    "1x1 strided and padded back to the input's size": ((1, 2, 3), (2, 2, 1), (2,), (1,), (1,), 1),
    "1x1 the same, on many positions": ((1, 2, 65), (2, 2, 1), (2,), (32,), (1,), 1),
    "patches": ((2, 3, 8, 8), (5, 3, 4, 4), (4, 4), (0, 0), (1, 1), 1),
    "one window over everything": ((3, 4, 5, 3), (6, 4, 5, 3), (1, 1), (0, 0), (1, 1), 1),
    "one window over everything, grouped": ((2, 6, 4, 3), (4, 3, 4, 3), (2, 1), (0, 0), (1, 1), 2),
    "one window over everything, depthwise": ((3, 4, 2, 5), (4, 1, 2, 5), (1, 1), (0, 0), (1, 1), 4),
    "one window over single positions": ((3, 4, 1, 1), (5, 4, 1, 1), (1, 1), (0, 0), (1, 1), 1),
    "one window along the last dimension": ((2, 3, 9, 5), (4, 3, 3, 5), (1, 1), (1, 0), (2, 1), 1),
    "one window along the first dimension": ((2, 3, 5, 9), (4, 3, 5, 2), (3, 2), (0, 1), (1, 1), 1),
    "one window along one dimension, grouped": ((2, 4, 7, 3), (6, 2, 3, 3), (1, 1), (0, 0), (1, 1), 2),
    "one window along the middle of three": ((2, 2, 5, 4, 6), (3, 2, 2, 4, 3), (2, 1, 1), (1, 0, 2), (1, 1, 2), 1),
    "3d": ((2, 2, 5, 4, 6), (3, 2, 2, 3, 2), (2, 1, 2), (1, 0, 1), (1, 1, 2), 1),
    "no image": ((0, 3, 5, 5), (4, 3, 3, 3), (1, 1), (1, 1), (1, 1), 1),
    "no image under one window": ((0, 3, 5, 5), (4, 3, 5, 5), (1, 1), (0, 0), (1, 1), 1),
    "no channel under one window": ((2, 0, 5, 6), (4, 0, 5, 2), (1, 1), (0, 0), (1, 1), 1),
    "no channel": ((2, 0, 5, 5), (4, 0, 3, 3), (1, 1), (1, 1), (1, 1), 1),
    "no filter": ((2, 3, 5, 5), (0, 3, 3, 3), (2, 2), (1, 1), (1, 1), 1),
}


@pytest.fixture(params=GEOMETRIES.values(), ids=list(GEOMETRIES))
def geometry(request):
    return request.param


@pytest.fixture(params=["one tile", "many tiles"])
def tiling(request, monkeypatch):
    """With many tiles every loop over them runs, on arrays small enough for a test."""
    if request.param == "many tiles":
        monkeypatch.setattr(convolution, "SMALL_TILE", 1 << 9)
        monkeypatch.setattr(convolution, "LARGE_TILE", 1 << 10)
        monkeypatch.setattr(convolution, "few_windows", lambda *settings: None)


def draw(shape, dtype=np.float64, seed=0):
    """Small integers, whose sums are exact in every dtype, in an array that must not be written to."""
    array = np.random.default_rng(seed).integers(-3, 4, shape).astype(dtype)
    array.setflags(write=False)
    return array


def out_shape(input_shape, weight_shape, stride, padding, dilation):
    spans = zip(input_shape[2:], weight_shape[2:], stride, padding, dilation, strict=True)
    sizes = ((size + 2 * pad - apart * (taps - 1) - 1) // step + 1 for size, taps, step, pad, apart in spans)
    return (input_shape[0], weight_shape[0], *sizes)


def pairs(input_shape, weight_shape, stride, padding, dilation):
    """Every (position of the output, tap, position of the input) that the sum runs over."""
    for out in np.ndindex(*out_shape(input_shape, weight_shape, stride, padding, dilation)[2:]):
        for tap in np.ndindex(*weight_shape[2:]):
            place = tuple(o * s - p + t * d for o, s, p, t, d in zip(out, stride, padding, tap, dilation, strict=True))
            if all(0 <= at < size for at, size in zip(place, input_shape[2:], strict=True)):
                yield (..., *out), (..., *tap), (..., *place)


def by_loops(input, weight, grad, stride, padding, dilation, groups):
    """The convolution and its two transposes as the definition has them."""
    forward = np.zeros(out_shape(input.shape, weight.shape, stride, padding, dilation), input.dtype)
    to_input, to_weight = np.zeros_like(input), np.zeros_like(weight)
    filters, channels = len(weight) // groups, weight.shape[1]
    for group in range(groups):
        of = slice(group * filters, (group + 1) * filters)
        seen = slice(group * channels, (group + 1) * channels)
        for out, tap, place in pairs(input.shape, weight.shape, stride, padding, dilation):
            forward[:, of][out] += np.einsum("nc,oc->no", input[:, seen][place], weight[of][tap])
            to_input[:, seen][place] += np.einsum("no,oc->nc", grad[:, of][out], weight[of][tap])
            to_weight[of][tap] += np.einsum("no,nc->oc", grad[:, of][out], input[:, seen][place])
    return forward, to_input, to_weight


def by_kernels(input, weight, grad, *geometry):
    return (
        convolve(input, weight, *geometry),
        convolve_input(grad, weight, input.shape, *geometry),
        convolve_weight(grad, input, weight.shape, *geometry),
    )


def operands(geometry, dtype=np.float64):
    input_shape, weight_shape, stride, padding, dilation, groups = geometry
    grad_shape = out_shape(input_shape, weight_shape, stride, padding, dilation)
    arrays = [draw(shape, dtype, seed) for seed, shape in enumerate((input_shape, weight_shape, grad_shape))]
    return *arrays, stride, padding, dilation, groups


def test_all_three_are_the_sums_of_the_definition(geometry, tiling):
    arguments = operands(geometry)
    for ours, expected in zip(by_kernels(*arguments), by_loops(*arguments), strict=True):
        np.testing.assert_array_equal(ours, expected, strict=True)


@pytest.mark.parametrize(
    "name", ["2d grouped", "one window over everything", "one window along one dimension, grouped"]
)
@pytest.mark.parametrize("dtype", [np.float32, np.complex64, np.complex128, np.int64, np.int8, np.float16, bfloat16])
def test_every_dtype_keeps_itself(dtype, name, tiling):
    arguments = operands(GEOMETRIES[name], dtype)
    exact = {"c": np.complex128, "i": np.int64}.get(np.dtype(dtype).kind, np.float64)
    wide = [array.astype(exact) for array in arguments[:3]]
    for ours, expected in zip(by_kernels(*arguments), by_loops(*wide, *arguments[3:]), strict=True):
        np.testing.assert_array_equal(ours, expected.astype(dtype), strict=True)


def test_complex_operands_are_not_conjugated():
    geometry = GEOMETRIES["2d strided, some positions unread"]
    input, weight, grad, *rest = operands(geometry, np.complex128)
    input, weight, grad = input + 2j * input[::-1], weight * (1 - 1j), grad * (2 + 1j)
    for ours, expected in zip(
        by_kernels(input, weight, grad, *rest), by_loops(input, weight, grad, *rest), strict=True
    ):
        np.testing.assert_allclose(ours, expected, rtol=1e-12)


@pytest.mark.parametrize("dtype", [np.float16, bfloat16])
def test_half_precision_is_rounded_once(dtype, tiling):
    """Sums of ones beyond 2,048 (float16) or 256 (bfloat16), where adding one more at a time changes nothing."""
    images = np.ones((4096, 1, 1), dtype)
    assert convolve(images.T, images.T, (1,), (0,), (1,), 1).item() == 4096
    assert convolve_weight(images, images, (1, 1, 1), (1,), (0,), (1,), 1).item() == 4096


@pytest.mark.parametrize("dtype", [np.float16, bfloat16])
@pytest.mark.parametrize("filters", [1, 4])
def test_half_precision_is_rounded_once_in_the_transpose(dtype, filters):
    grad, weight = np.ones((1, filters, 4096 // filters), dtype), np.ones((filters, 1, 4096 // filters), dtype)
    out = convolve_input(grad, weight, (1, 1, 2 * 4096 // filters - 1), (1,), (0,), (1,), 1)
    assert out.max() == 4096


def test_operands_may_be_strided_views():
    input, weight, grad, *rest = operands(GEOMETRIES["2d padded"])
    views = [np.asfortranarray(array)[::1] for array in (input, weight, grad)]
    assert not any(view.flags.c_contiguous for view in views)
    for ours, expected in zip(by_kernels(*views, *rest), by_loops(input, weight, grad, *rest), strict=True):
        np.testing.assert_array_equal(ours, expected)


def test_results_own_their_memory_in_order(geometry):
    input, weight, grad, *rest = operands(geometry)
    for out in by_kernels(input, weight, grad, *rest):
        assert out.flags.c_contiguous and out.flags.writeable
        assert not any(np.shares_memory(out, array) for array in (input, weight, grad))


def test_positions_beyond_the_last_window_get_no_gradient():
    """A transposed convolution with output padding: the input is longer than the windows on it reach."""
    grad, weight = draw((1, 2, 3)), draw((2, 1, 2), seed=1)
    for dilation, length in ((1, 7), (2, 6)):
        stride = (2,) if dilation == 1 else (1,)
        short = convolve_input(grad, weight, (1, 1, length - 1), stride, (0,), (dilation,), 1)
        long = convolve_input(grad, weight, (1, 1, length), stride, (0,), (dilation,), 1)
        np.testing.assert_array_equal(long, np.pad(short, ((0, 0), (0, 0), (0, 1))))
        padded = np.pad(draw((1, 1, length - 1), seed=2), ((0, 0), (0, 0), (0, 1)), constant_values=5)
        ours = convolve_weight(grad, padded, weight.shape, stride, (0,), (dilation,), 1)
        expected = convolve_weight(grad, padded[..., :-1], weight.shape, stride, (0,), (dilation,), 1)
        np.testing.assert_array_equal(ours, expected)


def test_only_windows_that_hold_a_nan_become_nan():
    input = np.zeros((1, 1, 5, 5))
    input[0, 0, 0, 0] = np.nan
    out = convolve(input, np.ones((1, 1, 3, 3)), (1, 1), (1, 1), (1, 1), 1)
    expected = np.zeros((5, 5), bool)
    expected[:2, :2] = True
    np.testing.assert_array_equal(np.isnan(out[0, 0]), expected)


geometries = st.integers(1, 3).flatmap(
    lambda dims: st.lists(
        st.tuples(st.integers(1, 4), st.integers(1, 3), st.integers(0, 2), st.integers(1, 3), st.integers(0, 4)),
        min_size=dims,
        max_size=dims,
    )
)


@settings(max_examples=60, deadline=None)
@given(geometries, st.integers(1, 3), st.integers(1, 2), st.integers(1, 2), st.sampled_from([1 << 7, 1 << 19]))
def test_the_transposes_are_transposes(spans, groups, filters, channels, tile):
    """<convolve(x, w), g> is linear in each of the three, so each derivative's product with its operand is the same."""
    kernel, stride, padding, dilation, extra = zip(*spans, strict=True)
    size = [max(1, d * (k - 1) + 1 - 2 * p) + e for k, p, d, e in zip(kernel, padding, dilation, extra, strict=True)]
    geometry = ((2, groups * channels, *size), (groups * filters, channels, *kernel), stride, padding, dilation, groups)
    input, weight, grad, *rest = operands(geometry)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(convolution, "SMALL_TILE", tile)
        patch.setattr(convolution, "LARGE_TILE", tile)
        forward, to_input, to_weight = by_kernels(input, weight, grad, *rest)
    assert (forward * grad).sum() == (to_input * input).sum() == (to_weight * weight).sum()


@pytest.mark.parametrize("budget", [1, 3, 16, 1000])
def test_tiles_cover_the_output_once_within_the_budget(budget, monkeypatch):
    monkeypatch.setattr(convolution, "SMALL_TILE", budget * 8)
    monkeypatch.setattr(convolution, "LARGE_TILE", budget * 8)
    windows = np.zeros((1, 1, 1, 3, 5, 7))
    seen = np.zeros(windows.shape[3:], int)
    for tile in convolution.tiles(windows):
        seen[tile] += 1
        assert seen[tile].size <= budget
    assert (seen == 1).all()


@pytest.mark.parametrize("name", [name for name, (_, weight, *_) in GEOMETRIES.items() if 0 not in weight])
def test_agrees_with_torch(name):
    torch = pytest.importorskip("torch")
    input, weight, grad, stride, padding, dilation, groups = operands(GEOMETRIES[name], np.float32)
    x, w = (torch.tensor(array, requires_grad=True) for array in (input, weight))
    function = getattr(torch.nn.functional, f"conv{len(stride)}d")
    out = function(x, w, None, stride, padding, dilation, groups)
    gradients = torch.autograd.grad(out, (x, w), torch.tensor(grad))
    kernels = by_kernels(input, weight, grad, stride, padding, dilation, groups)
    for ours, expected in zip(kernels, (out.detach(), *gradients), strict=True):
        np.testing.assert_array_equal(ours, expected.numpy(), strict=True)


@pytest.mark.parametrize("name", ["bfloat16", "float16", "int64", "complex64"])
def test_agrees_with_torch_in_other_dtypes(name):
    torch = pytest.importorskip("torch")
    generator = np.random.default_rng(0)
    input, weight = (generator.uniform(-5, 5, shape).astype(np.float32) for shape in ((2, 4, 9, 9), (6, 2, 3, 3)))
    x, w = (torch.tensor(array).to(getattr(torch, name)) for array in (input, weight))
    dtype = bfloat16 if name == "bfloat16" else np.dtype(name)
    ours = convolve(input.astype(dtype), weight.astype(dtype), (2, 1), (1, 1), (1, 1), 2)
    expected = torch.nn.functional.conv2d(x, w, None, (2, 1), (1, 1), (1, 1), 2)
    expected = expected.float().numpy() if expected.dtype.is_floating_point else expected.numpy()
    tolerance = {"bfloat16": 2**-7, "float16": 2**-10, "int64": 0, "complex64": 1e-5}[name]
    np.testing.assert_allclose(ours.astype(expected.dtype), expected, rtol=tolerance, atol=10 * tolerance)


def test_few_windows_are_gathered_to_the_numbers_of_many(geometry, monkeypatch):
    """How many there are decides where columns come from, and changes no digit.

    A kernel, which may be installed when many convolutions ran before, sums in another order.
    """
    for function in (convolve, convolve_input, convolve_weight):
        monkeypatch.setattr(xp, function.__name__, function)
    shape, weight_shape, *settings = geometry
    r = np.random.default_rng(0)
    input, weight, bias = (
        r.standard_normal(each).astype(np.float32) for each in (shape, weight_shape, weight_shape[0])
    )
    results = []
    for _ in range(2):
        out = convolve(input, weight, *settings, bias)
        grad = np.sin(out)
        derivatives = (
            convolve_input(grad, weight, shape, *settings),
            convolve_weight(grad, input, weight_shape, *settings),
        )
        results.append([each.tobytes() for each in (out, *derivatives)])
        monkeypatch.setattr(convolution, "few_windows", lambda *settings: None)
    assert results[0] == results[1]


def test_the_windows_of_small_tensors_are_found_once(monkeypatch):
    """Their views and paddings take longer than the product."""
    input, weight = np.ones((1, 3, 8, 8), np.float32), np.ones((4, 3, 3, 3), np.float32)
    settings = (1, 1), (1, 1), (1, 1), 1

    def passes():
        grad = convolve(input, weight, *settings)
        return convolve_input(grad, weight, input.shape, *settings), convolve_weight(
            grad, input, weight.shape, *settings
        )

    passes()
    for name in ("windows_of", "padded"):
        monkeypatch.setattr(convolution, name, lambda *given, name=name: pytest.fail(name))
    passes()


def test_the_examples_in_the_docstrings_are_true():
    assert doctest.testmod(convolution) == (0, 3)


def test_columns_are_bounded_for_large_images(monkeypatch):
    sizes = []
    measured = convolution.columns_at
    monkeypatch.setattr(convolution, "columns_at", lambda *a: sizes.append(measured(*a).nbytes) or measured(*a))
    convolve(np.zeros((2, 16, 96, 96), np.float32), np.zeros((4, 16, 3, 3), np.float32), (1, 1), (1, 1), (1, 1), 1)
    assert max(sizes) <= convolution.SMALL_TILE
    assert sum(sizes) == 2 * 16 * 9 * 96 * 96 * 4
