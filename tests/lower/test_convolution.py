"""Convolution by machine code against NumPy's, which tests/parity compares with PyTorch."""

from types import SimpleNamespace

import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="the extra jit is not installed")

from ml_dtypes import bfloat16

from rushlight.arrays import convolution as plain
from rushlight.arrays.threads import get_num_threads, set_num_threads
from rushlight.core import policy
from rushlight.core.policy import Warmup
from rushlight.kernels import conv
from rushlight.kernels.gemm_tile import COLUMNS, LISTED_COLUMNS, LISTED_ROWS, tile_of_listed
from rushlight.kernels.vectors import LANES
from rushlight.lower import conv_tiling, convolution
from rushlight.lower.native import float32, int64, native, pointer

ONE = (1, 1)
# (batch, channels, height, width), filters, padding: odd and even sizes, one tile, several blocks, channels that fill
# no vector, padding beyond what keeps the size.
TILED = [
    ((2, 16, 12, 12), 16, (1, 1)),
    ((1, 17, 7, 9), 19, (0, 0)),
    ((3, 33, 5, 37), 18, (2, 1)),
    ((1, 16, 3, 4), 64, (0, 0)),
    ((2, 300, 6, 5), 16, (1, 2)),
    ((7, 16, 31, 70), 24, (1, 0)),
    ((9, 16, 8, 8), 32, (1, 1)),
    ((37, 16, 3, 4), 16, (1, 1)),
    ((3, 16, 9, 17), 16, (1, 1)),
    ((2, 16, 6, 15), 16, (2, 2)),
]


@pytest.fixture
def small(monkeypatch):
    """Kernels take small arrays."""
    for name in ("LARGE", "POINTS"):
        monkeypatch.setattr(convolution, name, 0)


def draw(*shape, seed=0):
    """Returns small integers, whose sums are exact."""
    return np.random.default_rng(seed).integers(-3, 4, shape).astype(np.float32)


@pytest.mark.parametrize(("shape", "filters", "padding"), TILED)
def test_tiles_give_the_direct_sum(shape, filters, padding, threads, small, monkeypatch):
    input, weight = draw(*shape), draw(filters, shape[1], 3, 3, seed=1)
    settings = ONE, padding, ONE, 1
    expected = plain.convolve(input, weight, *settings)
    grad = draw(*expected.shape, seed=2)
    to_input = plain.convolve_input(grad, weight, input.shape, *settings)
    to_weight = plain.convolve_weight(grad, input, weight.shape, *settings)
    for name in ("convolve", "convolve_weight"):
        monkeypatch.setattr(plain, name, None)  # only the kernels may run, not what they replace
    np.testing.assert_array_equal(convolution.convolve(input, weight, *settings), expected)
    bias = draw(len(weight), seed=3)
    added = expected + bias.reshape(-1, *[1] * (input.ndim - 2))
    np.testing.assert_array_equal(convolution.convolve(input, weight, *settings, bias), added)
    np.testing.assert_array_equal(convolution.convolve_input(grad, weight, input.shape, *settings), to_input)
    bias = draw(input.shape[1], seed=4)
    result = convolution.convolve_input(grad, weight, input.shape, *settings, bias)
    np.testing.assert_array_equal(result, to_input + bias.reshape(-1, *[1] * (input.ndim - 2)))
    np.testing.assert_array_equal(convolution.convolve_weight(grad, input, weight.shape, *settings), to_weight)


@pytest.mark.parametrize("kind", ["forward", "back"])
def test_small_inputs_with_a_large_kernel_use_windows_instead_of_tiles(kind, monkeypatch):
    weight = np.lib.stride_tricks.as_strided(np.ones(1, np.float32), (512, 512, 3, 3), (0, 0, 0, 0))
    asked = []
    for name in ("convolve_tiles", "convolve_windows", "convolve_input_windows"):
        monkeypatch.setattr(convolution, name, lambda *_, name=name: asked.append(name))
    for size in (7, 14):
        image = np.zeros((1, 512, size, size), np.float32)
        if kind == "forward":
            convolution.convolve(image, weight, ONE, ONE, ONE, 1)
        else:
            convolution.convolve_input(image, weight, image.shape, ONE, ONE, ONE, 1)
    last = "convolve_windows" if kind == "forward" else "convolve_input_windows"
    assert asked == [last, "convolve_tiles", last]  # the patched tiles return None, so windows are called


WINDOWED = {
    "1d": ((3, 8, 70), (16, 8, 9), (1,), (3,), (2,), 1),
    "1d strided": ((2, 4, 71), (8, 4, 5), (2,), (2,), (1,), 1),
    "1d strided far": ((2, 4, 71), (8, 4, 5), (5,), (0,), (1,), 1),
    "2d": ((2, 3, 20, 33), (11, 3, 5, 4), (1, 1), (2, 0), (1, 2), 1),
    "2d wide": ((2, 3, 9, 90), (16, 3, 3, 4), (2, 1), (1, 2), (1, 2), 1),
    "2d strided": ((2, 17, 21, 20), (19, 17, 3, 3), (2, 2), (1, 1), (1, 1), 1),
    "2d grouped": ((2, 12, 11, 9), (24, 4, 3, 2), (2, 1), (1, 1), (1, 1), 3),
    "2d deep": ((1, 40, 9, 9), (8, 40, 3, 3), (1, 1), (1, 1), (2, 2), 1),
    "2d pointwise": ((2, 9, 12, 11), (10, 9, 1, 2), (2, 2), (1, 0), (1, 1), 1),
    "2d small": ((21, 10, 4, 4), (9, 10, 3, 3), (1, 1), (1, 1), (1, 1), 1),
    "2d smaller": ((70, 6, 5, 3), (40, 6, 3, 3), (2, 1), (1, 1), (1, 1), 1),
    "2d patches": ((2, 3, 15, 16), (17, 3, 4, 4), (4, 4), (0, 0), (1, 1), 1),
    "depthwise": ((3, 7, 21, 35), (7, 1, 3, 3), (1, 1), (1, 1), (1, 1), 7),
    "depthwise by planes": ((2, 30, 13, 11), (30, 1, 3, 3), (1, 1), (1, 1), (1, 1), 30),
    "depthwise by planes, dilated": ((2, 16, 19, 18), (16, 1, 3, 5), (1, 1), (2, 1), (2, 3), 16),
    "depthwise by planes, without padding": ((1, 32, 9, 9), (32, 1, 5, 5), (1, 1), (0, 0), (1, 1), 32),
    "depthwise strided": ((2, 9, 20, 34), (9, 1, 5, 3), (2, 2), (2, 1), (1, 1), 9),
    "depthwise dilated": ((2, 5, 19, 18), (10, 1, 3, 3), (2, 1), (2, 3), (2, 3), 5),
    "depthwise small": ((30, 5, 7, 7), (5, 1, 3, 3), (1, 1), (1, 1), (1, 1), 5),
    "depthwise 1d": ((2, 6, 2500), (12, 1, 4), (1,), (3,), (1,), 6),
    "depthwise strided far": ((2, 4, 31, 30), (4, 1, 3, 3), (3, 4), (0, 1), (1, 2), 4),
    "1d of one": ((1, 4, 3000), (8, 4, 5), (2,), (2,), (1,), 1),
    "1d of one, many filters": ((1, 3, 2100), (33, 3, 4), (1,), (0,), (2,), 1),
    "2d of one": ((1, 5, 45, 37), (24, 5, 3, 3), (2, 2), (1, 1), (1, 1), 1),
    "2d of one, wide": ((1, 2, 5, 700), (40, 2, 4, 3), (1, 1), (2, 1), (1, 1), 1),
    "depthwise of one": ((1, 3, 70, 90), (3, 1, 5, 5), (1, 1), (2, 2), (1, 1), 3),
    "1x1": ((3, 20, 13, 21), (40, 20, 1, 1), (1, 1), (0, 0), (1, 1), 1),
    "1x1 strided": ((5, 9, 14, 15), (17, 9, 1, 1), (2, 3), (0, 0), (1, 1), 1),
    "1x1 of one": ((1, 18, 40, 31), (33, 18, 1, 1), (1, 1), (1, 1), (1, 1), 1),
    "3d of one": ((1, 3, 7, 19, 18), (26, 3, 3, 3, 2), (1, 1, 1), (1, 1, 0), (2, 1, 1), 1),
    "3d of one, strided": ((1, 4, 8, 21, 20), (10, 4, 3, 3, 3), (2, 1, 2), (1, 1, 1), (1, 1, 1), 1),
    "2d of many small": ((35, 16, 8, 8), (32, 16, 4, 4), (2, 2), (1, 1), (1, 1), 1),
    "2d of many small, grouped": ((32, 32, 9, 8), (64, 16, 5, 4), (2, 2), (2, 1), (1, 1), 2),
    "1d of many small": ((64, 16, 9), (32, 16, 5), (2,), (2,), (1,), 1),
    "3d of many small, of one plane": ((33, 16, 1, 6, 9), (20, 16, 1, 3, 3), (1, 1, 1), (0, 2, 0), (1, 1, 2), 1),
    "3d of long rows": ((2, 4, 9, 12, 64), (16, 4, 2, 4, 1), (1, 1, 2), (1, 0, 0), (2, 2, 1), 1),
    "3d of long rows, dilated": ((2, 4, 9, 15, 32), (16, 4, 1, 3, 2), (1, 1, 1), (0, 1, 1), (2, 2, 2), 1),
    "2d of whole tiles": ((96, 8, 6, 5), (16, 8, 3, 3), (1, 1), (1, 1), (1, 1), 1),
    "2d of whole tiles, strided": ((96, 4, 9, 7), (12, 4, 3, 4), (2, 3), (1, 2), (1, 1), 1),
    "2d of whole tiles, dilated": ((96, 3, 5, 6), (8, 3, 3, 3), (1, 2), (3, 2), (3, 2), 1),
    "2d of whole tiles, grouped": ((96, 6, 4, 4), (16, 3, 2, 3), (1, 1), (1, 2), (1, 1), 2),
    "2d with more padding than taps": ((96, 4, 3, 4), (8, 4, 2, 3), (1, 1), (3, 4), (1, 1), 1),
    "2d of one, with more padding than taps": ((1, 9, 40, 31), (16, 9, 3, 3), (1, 1), (4, 5), (1, 1), 1),
    "1d of whole tiles": ((96, 8, 11), (16, 8, 5), (2,), (2,), (1,), 1),
    "rows of whole tiles": ((2, 5, 7, 96), (16, 5, 3, 1), (2, 1), (1, 0), (1, 1), 1),
    "3d": ((2, 3, 6, 7, 8), (9, 3, 2, 3, 3), (1, 2, 1), (1, 1, 1), (1, 1, 2), 1),
}


# (shape, kernel, stride): disjoint windows, with unread rows and columns at the end.
APART = {
    "1d points": ((3, 20, 37), (40, 20, 1), (1,)),
    "points": ((3, 20, 13, 21), (40, 20, 1, 1), (1, 1)),
    "points far apart": ((5, 9, 14, 15), (17, 9, 1, 1), (2, 3)),
    "patches": ((2, 3, 15, 19), (17, 3, 4, 3), (4, 3)),
    "1d patches": ((4, 5, 50), (9, 5, 4), (4,)),
    "3d patches": ((2, 3, 9, 8, 7), (10, 3, 2, 2, 2), (2, 2, 2)),
}


@pytest.mark.parametrize("kind", ["in order", "turned"])
@pytest.mark.parametrize("geometry", APART.values(), ids=list(APART))
def test_disjoint_windows_are_matrix_products(geometry, kind, threads, small, monkeypatch):
    shape, weight_shape, stride = geometry
    input, weight, bias = draw(*shape), draw(*weight_shape, seed=1), draw(weight_shape[0], seed=2)
    if kind == "turned":
        input = np.ascontiguousarray(input.swapaxes(0, -1)).swapaxes(0, -1)
    settings = stride, (0,) * len(stride), (1,) * len(stride), 1
    expected = plain.convolve(input, weight, *settings)
    grad = draw(*expected.shape, seed=3)
    to_input = plain.convolve_input(grad, weight, shape, *settings)
    for name in ("convolve_windows", *["convolve_input_windows"] * (stride in [(1,), (1, 1)])):
        monkeypatch.setattr(convolution, name, None)
    for name in ("convolve", "convolve_input"):
        monkeypatch.setattr(plain, name, None)
    np.testing.assert_array_equal(convolution.convolve(input, weight, *settings), expected)
    added = expected + bias.reshape(-1, *[1] * len(stride))
    np.testing.assert_array_equal(convolution.convolve(input, weight, *settings, bias), added)
    np.testing.assert_array_equal(convolution.convolve_input(grad, weight, shape, *settings), to_input)


@pytest.fixture(params=["images first", "images last"])
def layout(request, monkeypatch):
    """Forces images first or last where both are possible, whichever is cheaper."""

    def is_better_transposed(spans, filters, source, sizes, for_weight):
        return request.param == "images last" and source.dims < 3 and source.batch > 1

    plans = conv_tiling.forward_plan, conv_tiling.backward_plan
    monkeypatch.setattr(conv_tiling, "is_better_transposed", is_better_transposed)
    for plan in plans:
        plan.cache_clear()
    yield
    for plan in plans:
        plan.cache_clear()


@pytest.mark.parametrize("case", WINDOWED.values(), ids=list(WINDOWED))
def test_windows_give_the_direct_sum(case, layout, threads, small, monkeypatch):
    shape, weight_shape, *settings = case
    input, weight = draw(*shape), draw(*weight_shape, seed=1)
    expected = plain.convolve(input, weight, *settings)
    grad = draw(*expected.shape, seed=2)
    to_input = plain.convolve_input(grad, weight, shape, *settings)
    to_weight = plain.convolve_weight(grad, input, weight_shape, *settings)
    for name in ("convolve", "convolve_input", "convolve_weight"):
        monkeypatch.setattr(plain, name, None)  # only the kernels may run, not what they replace
    np.testing.assert_array_equal(convolution.convolve_input(grad, weight, shape, *settings), to_input)
    bias = draw(input.shape[1], seed=4)
    result = convolution.convolve_input(grad, weight, shape, *settings, bias)
    np.testing.assert_array_equal(result, to_input + bias.reshape(-1, *[1] * (input.ndim - 2)))
    np.testing.assert_array_equal(convolution.convolve(input, weight, *settings), expected)
    bias = draw(len(weight), seed=3)
    added = expected + bias.reshape(-1, *[1] * (input.ndim - 2))
    np.testing.assert_array_equal(convolution.convolve(input, weight, *settings, bias), added)
    np.testing.assert_array_equal(convolution.convolve_weight(grad, input, weight_shape, *settings), to_weight)


def drawn(seed):
    """Returns a random geometry of one to three dimensions and its arrays; some have many images or long rows."""
    draws = np.random.default_rng(seed)
    dims, groups, batch = draws.integers(1, 4), int(draws.choice([1, 1, 2, 3])), int(draws.choice([1, 2, 33, 96]))
    kernel, stride = draws.integers(1, 5, dims), draws.integers(1, 4, dims)
    dilation = draws.integers(1, 3, dims)
    reach = (kernel - 1) * dilation
    padding = draws.integers(0, reach + 2)
    size = reach + 1 + draws.integers(0, (40, 20, 10)[dims - 1], dims)
    size[-1] += draws.choice([0, 32, 64])
    channels, filters = draws.integers(1, 12, 2)
    shapes = (batch, groups * channels, *size), (groups * filters, channels, *kernel)
    return [tuple(map(int, shape)) for shape in (*shapes, stride, padding, dilation)], groups


@pytest.mark.parametrize("seed", range(40))
def test_random_geometries_give_the_direct_sum(seed, small):
    (shape, weight_shape, *settings), groups = drawn(seed)
    input, weight = draw(*shape), draw(*weight_shape, seed=1)
    expected = plain.convolve(input, weight, *settings, groups)
    grad = draw(*expected.shape, seed=2)
    np.testing.assert_array_equal(convolution.convolve(input, weight, *settings, groups), expected)
    for name, args in (("convolve_input", (grad, weight, shape)), ("convolve_weight", (grad, input, weight_shape))):
        result, sums = (getattr(x, name)(*args, *settings, groups) for x in (convolution, plain))
        np.testing.assert_array_equal(result, sums)


# (shape, kernel, stride, padding, dilation): rows of windows that read the same rows and that do not, one row only,
# columns that cross the ends of two rows, channels that fill no vector, images with an unread edge.
PLANES = {
    "3x3": ((2, 20, 9, 14), (3, 3), (1, 1), (1, 1), (1, 1)),
    "strided": ((3, 16, 12, 17), (5, 3), (2, 2), (2, 1), (1, 1)),
    "strided far": ((1, 33, 11, 13), (2, 3), (3, 4), (0, 1), (1, 1)),
    "dilated": ((2, 5, 15, 33), (3, 5), (2, 1), (1, 3), (1, 2)),
    "dilated, no row shared": ((1, 40, 14, 9), (3, 3), (1, 1), (2, 2), (2, 3)),
    "narrow": ((2, 17, 7, 4), (7, 7), (1, 1), (3, 3), (1, 1)),
    "one row": ((1, 18, 3, 40), (3, 2), (1, 1), (0, 0), (1, 1)),
}


def test_rows_with_gaps_too_large_for_a_product_are_left_to_numpy():
    """1x1 kernels with a stride, channels last: every second line of four elements is read."""
    images, weight = draw(3, 8, 6, 4).transpose(0, 3, 1, 2), draw(5, 4, 1, 1, seed=1)
    settings = (2, 1), (0, 0), ONE, 1
    expected = plain.convolve(np.ascontiguousarray(images), weight, *settings)
    np.testing.assert_array_equal(convolution.convolve(images, weight, *settings), expected)


@pytest.mark.parametrize("strip", [conv_tiling.STRIP, 1], ids=["whole", "row by row"])
@pytest.mark.parametrize("geometry_of", PLANES.values(), ids=list(PLANES))
def test_transposed_planes_give_the_direct_sum(geometry_of, strip, threads, monkeypatch):
    shape, kernel, *settings = geometry_of
    input, weight, bias = draw(*shape), draw(shape[1], 1, *kernel, seed=1), draw(shape[1], seed=2)
    expected = plain.convolve(input, weight, *settings, shape[1])
    monkeypatch.setattr(conv_tiling, "STRIP", strip)
    conv_tiling.plane_shape.cache_clear()
    np.testing.assert_array_equal(convolution.convolve_planes(input, weight, None, *settings), expected)
    added = expected + bias.reshape(-1, 1, 1)
    np.testing.assert_array_equal(convolution.convolve_planes(input, weight, bias, *settings), added)
    conv_tiling.plane_shape.cache_clear()


@pytest.mark.parametrize("value", [np.inf, -np.inf, np.nan])
@pytest.mark.parametrize("where", ["input", "weight"])
def test_transposed_planes_have_infinities_where_the_direct_sum_has_them(value, where):
    arrays = {"input": draw(2, 16, 9, 9), "weight": draw(16, 1, 3, 3, seed=1)}
    arrays[where][1, 0, 1, 2] = value
    settings = ONE, ONE, ONE
    with np.errstate(invalid="ignore"):
        expected = plain.convolve(*arrays.values(), *settings, 16)
    np.testing.assert_array_equal(convolution.convolve_planes(*arrays.values(), None, *settings), expected)


@pytest.mark.parametrize(("channels", "worth"), [(16, True), (17, False), (40, True), (960, True), (8, False)])
def test_planes_are_transposed_if_they_fill_vectors(channels, worth, monkeypatch):
    monkeypatch.setattr(convolution, "LANES", 16)  # independent of this processor
    assert convolution.by_plane(draw(1, channels, 3, 3), (channels, 1, 3, 3), channels) == worth
    assert not convolution.by_plane(draw(1, 2 * channels, 3, 3), (channels, 2, 3, 3), channels)
    assert not convolution.by_plane(
        draw(1, channels, 3, 3), (channels, 2, 3, 3), channels
    )  # the input's gradient has twice as many channels
    monkeypatch.setattr(convolution, "LANES", 8)
    assert not convolution.by_plane(draw(1, channels, 3, 3), (channels, 1, 3, 3), channels)


TILED_HALF = (2, 16, 12, 12), (16, 16, 3, 3), (1, 1), (1, 1), (1, 1), 1

COVERED = {
    "everything": ((40, 6, 5, 4), (30, 6, 5, 4), (1, 1), (0, 0), (1, 1), 1),
    "everything, 3 x 3": ((40, 16, 3, 3), (16, 16, 3, 3), (1, 1), (0, 0), (1, 1), 1),
    "everything, grouped": ((40, 6, 5, 4), (30, 3, 5, 4), (1, 1), (0, 0), (1, 1), 2),
    "width": ((9, 2, 40, 50), (32, 2, 3, 50), (1, 1), (1, 0), (1, 1), 1),
    "height": ((9, 2, 30, 40), (32, 2, 30, 3), (1, 2), (0, 1), (1, 1), 1),
}


@pytest.mark.parametrize("name", COVERED)
def test_a_window_that_covers_a_dimension_is_not_moved_over_padding(name, small, monkeypatch):
    shape, weight_shape, *settings = COVERED[name]
    input, weight = draw(*shape), draw(*weight_shape, seed=1)
    grad = draw(*plain.convolve(input, weight, *settings).shape, seed=2)
    bias = draw(shape[1], seed=3)
    expected = plain.convolve_input(grad, weight, shape, *settings, bias)
    slid = []
    for kernel in ("convolve_tiles", "sums_of_windows"):
        kept = getattr(convolution, kernel)
        monkeypatch.setattr(convolution, kernel, lambda *args, kept=kept: slid.append(args[0].ndim) or kept(*args))
    result = convolution.convolve_input(grad, weight, shape, *settings, bias)
    np.testing.assert_array_equal(result, expected)
    assert slid == (
        [] if name.startswith("everything") else [3]
    )  # by windows along the remaining dimension: (batch, out, size)


@pytest.mark.parametrize("name", [name for name in COVERED if name.startswith("everything")])
def test_a_window_that_covers_everything_is_a_matrix_product(name, small, monkeypatch):
    shape, weight_shape, *settings = COVERED[name]
    input, weight = draw(*shape), draw(*weight_shape, seed=1)
    expected = plain.convolve(input, weight, *settings)
    to_weight = plain.convolve_weight(expected, input, weight_shape, *settings)
    for kernel in ("convolve_tiles", "convolve_windows", "convolve_weight_tiles", "convolve_weight_windows"):
        monkeypatch.setattr(convolution, kernel, None)
    np.testing.assert_array_equal(convolution.convolve(input, weight, *settings), expected)
    np.testing.assert_array_equal(convolution.convolve_weight(expected, input, weight_shape, *settings), to_weight)


def test_many_small_images_are_processed_side_by_side():
    """A stride leaves few windows per row, which then do not fill a vector; in large images they do."""
    small, weight_shape, *settings = WINDOWED["2d of many small"]
    large = (*small[:2], 100, 100)
    results = [conv_tiling.forward_plan(shape, weight_shape, *settings).images_last for shape in (small, large)]
    assert results == [True, False]


@pytest.mark.parametrize("lanes", [8, 16])
def test_large_images_with_distant_windows_are_not_transposed(lanes, monkeypatch):
    """The first layer of a network on pixels: gathering strided elements is faster than transposing."""
    monkeypatch.setattr(conv_tiling, "LISTED_COLUMNS", 24 if lanes == 8 else 32)
    monkeypatch.setattr(conv_tiling, "LANES", lanes)
    conv_tiling.forward_plan.cache_clear()
    plans = [
        conv_tiling.forward_plan((32, 4, 84, 84), (32, 4, 8, 8), (4, 4), (0, 0), ONE, 1, for_weight)
        for for_weight in (False, True)
    ]
    conv_tiling.forward_plan.cache_clear()
    assert not any(plan.images_last for plan in plans)


@pytest.mark.parametrize("stride", [1, 2])
def test_taps_that_only_meet_padding_are_skipped(stride):
    """With images last and whole tiles, every tap of a window meets elements."""
    batch, size, taps, padding = 96, 6, 5, 2
    shape, weight_shape = (1, 3, size, size, batch), (16, 3, taps, taps, 1)
    plan = conv_tiling.forward_plan(shape, weight_shape, (stride, stride, 1), (padding, padding, 0), (1, 1, 1), 1)
    begins = range(-padding, size + padding - taps + 1, stride)
    met = sum(max(0, min(size, begin + taps) - max(0, begin)) for begin in begins)
    blocks = [conv_tiling.Block(*block) for block in plan.blocks]
    assert sum(block.windows * block.taps * block.runs for block in blocks) == batch * 3 * met**2
    assert plan.shape.copied == 0


@pytest.mark.parametrize("every", [False, True], ids=["in planes", "in place"])
@pytest.mark.parametrize(
    ("kernel", "stride", "padding", "dilation", "size"),
    [(10, 5, 5, 1, 40_000), (5, 1, 2, 1, 8), (3, 2, 4, 1, 9), (3, 1, 4, 4, 3), (4, 3, 2, 2, 30), (1, 2, 3, 1, 5)],
)
def test_runs_of_windows_are_computed_from_their_ends(kernel, stride, padding, dilation, size, every):
    """A long sequence has as few runs as a short one."""
    count = (size + 2 * padding - dilation * (kernel - 1) - 1) // stride + 1
    span = conv_tiling.forward_span(kernel, stride, padding, dilation, count)
    if every:
        span = conv_tiling.in_place(span, size)
    result = conv_tiling.windows_met(span.parts[0], span, size, False)
    assert len(result) <= 2 * kernel + 1
    taps = [(first, first + met) for _, windows, first, met in result for _ in range(windows)]
    for window, (first, last) in enumerate(taps):
        begin = window * stride - padding
        met = [tap for tap in range(kernel) if 0 <= begin + tap * dilation < size]
        assert (first, last) == ((met[0], met[-1] + 1) if met else (0, 0))
    assert len(taps) == count


def test_taps_of_padding_rows_are_skipped():
    """With as many images as fill rows but no tiles, rows of windows are whole and have all taps of their columns."""
    shape, weight_shape = (1, 3, 6, 6, 8), (16, 3, 5, 5, 1)
    plan = conv_tiling.forward_plan(shape, weight_shape, (1, 1, 1), (2, 2, 0), (1, 1, 1), 1)
    needed = {x.plane: x.taps * x.runs for x in (conv_tiling.Block(*block) for block in plan.blocks)}
    assert needed == {0: 45, 1: 60, 2: 75, 3: 75, 4: 60, 5: 45} and plan.shape.copied > 0


@pytest.mark.parametrize("filters", [16, 17])
def test_a_contiguous_kernel_is_read_without_packing(filters, small, monkeypatch):
    """Whole tiles of filters are read unpacked; an edge is packed, so that nothing past it is read."""
    input, weight = draw(2, 3, 20, 33), draw(filters, 3, 5, 4, seed=1)
    settings = (2, 1), (0, 0), (1, 2), 1
    expected = plain.convolve(input, weight, *settings)
    packs, kept = [], conv.pack
    monkeypatch.setattr(conv, "pack", SimpleNamespace(machine=lambda: packs.append(filters) or kept.machine()))
    np.testing.assert_array_equal(convolution.convolve_windows(input, weight, None, *settings), expected)
    assert packs == ([] if filters == 16 else [17])


def test_a_kernel_is_not_packed_to_skip_a_row_of_taps(monkeypatch):
    """Computing a few unneeded windows is cheaper than packing all taps."""
    monkeypatch.setattr(conv_tiling, "LISTED_COLUMNS", 32)  # as of vectors of 16, whatever this processor has
    monkeypatch.setattr(conv_tiling, "LANES", 16)
    conv_tiling.forward_plan.cache_clear()
    plan = conv_tiling.forward_plan((1, 256, 14, 14), (512, 256, 3, 3), (2, 2), ONE, ONE, 1)
    conv_tiling.forward_plan.cache_clear()
    assert plan.shape.unit == 1 and {block[6] for block in plan.blocks} == {256 * 9}


@pytest.mark.parametrize("groups", [1, 3])
@pytest.mark.parametrize("filters", [LISTED_ROWS * 3, LISTED_ROWS + 1])
def test_a_kernel_is_packed_tile_by_tile(filters, groups, threads):
    """Several threads pack a large kernel, some taps of all tiles before the next taps."""
    weight_shape, size = (9 * groups, filters, 5, 4), (11, 13)
    weight = draw(*weight_shape)
    grad_shape = (1, len(weight), size[0] - 4, size[1] - 3)
    plan = conv_tiling.backward_plan(grad_shape, weight_shape, (1, filters * groups, *size), ONE, (0, 0), ONE, groups)
    result = np.zeros(plan.taps, np.float32)
    args = weight, plan.sources, result, plan.parts, convolution.flat(plan.shape), 1, weight.size // groups, 20, 1
    conv.pack.machine()(*args)
    taps = weight.reshape(groups, 9, filters, 20).swapaxes(2, 3).reshape(groups, 180, filters)
    order = plan.sources[:180]
    taps = taps[:, order // (20 * filters) * 20 + order % 20]
    taps = np.pad(taps, ((0, 0), (0, 0), (0, plan.shape.wide - filters))).reshape(groups, 180, -1, LISTED_ROWS)
    np.testing.assert_array_equal(result.reshape(taps.swapaxes(1, 2).shape), taps.swapaxes(1, 2))


@native(bare=True)
def one_tile(
    a: pointer(float32), b: pointer(float32), positions: pointer(int64), out: pointer(float32), columns: int64,
    depth: int64,
):  # fmt: skip
    tile_of_listed(depth, a, 1, LISTED_ROWS, b, positions, out, LISTED_COLUMNS, columns, False)


@pytest.mark.parametrize("columns", [1, LANES, LANES + 1, LISTED_COLUMNS])
def test_the_last_columns_of_a_block_are_a_vector_or_a_tile(columns):
    """If they fit one vector, nothing else is computed."""
    depth, positions = 5, np.array([7, 0, 3, 40, 11])
    a, b = draw(depth * LISTED_ROWS), draw(40 + LISTED_COLUMNS, seed=1)
    result = np.full((LISTED_ROWS, LISTED_COLUMNS), 99, np.float32)
    one_tile.machine()(a, b, positions, result, columns, depth)
    wide = LANES if columns <= LANES else LISTED_COLUMNS
    windows_seen = np.stack([b[place : place + wide] for place in positions])
    np.testing.assert_array_equal(result[:, :wide], a.reshape(depth, LISTED_ROWS).T @ windows_seen)
    assert (result[:, wide:] == 99).all()


def test_a_job_copies_only_what_its_blocks_need():
    """Each thread copies a part of one large image: the rows of its windows and of their taps."""
    input = np.ones((1, 2, 64, 62), np.float32)
    plan = conv_tiling.forward_plan(input.shape, (8, 2, 3, 3), ONE, ONE, ONE, 1)
    planes = np.zeros(plan.shape.copied, np.float32)
    shape = convolution.flat(plan.shape)
    conv.copy_windows.plain.machine()(input, plan.phases, shape, planes, 0, 0, plan.blocks, 3, 2)
    copied = planes[: 2 * 66 * 64].reshape(2, 66, 64)
    first, last = 3 * conv.SPAN // 64, (5 * conv.SPAN + 2 * 64 + 2) // 64
    assert copied[:, first : last + 1, 1:63].all() and copied.sum() == 2 * 62 * (last + 1 - first)


@pytest.mark.parametrize(("shape", "filters", "padding"), TILED)
def test_blocks_of_large_kernels_give_the_direct_sum(shape, filters, padding, threads, small, monkeypatch):
    input, weight = draw(*shape), draw(filters, shape[1], 3, 3, seed=1)
    expected = plain.convolve(input, weight, ONE, padding, ONE, 1)
    grad = draw(*expected.shape, seed=2)
    to_weight = plain.convolve_weight(grad, input, weight.shape, ONE, padding, ONE, 1)
    monkeypatch.setattr(convolution, "TAPS", 0)
    np.testing.assert_array_equal(convolution.convolve_tiles(input, weight, None, padding, False), expected)
    np.testing.assert_array_equal(convolution.convolve_weight_tiles(grad, input, padding), to_weight)


@pytest.mark.parametrize(("batch", "worth"), [(1, False), (2, True)])
def test_a_few_tiles_do_not_pay_for_a_transformed_kernel(batch, worth, monkeypatch):
    input, weight = draw(batch, 128, 7, 7), draw(128, 128, 3, 3, seed=1)
    monkeypatch.setattr(convolution, "POSITIONS", 64)  # as of vectors of 16, whatever this processor has
    assert convolution.in_tiles(input, weight.shape, weight.dtype, ONE, ONE, ONE, 1) == worth
    expected = plain.convolve(input, weight, ONE, ONE, ONE, 1)
    for name in ("convolve", "convolve_windows" if worth else "convolve_tiles"):
        monkeypatch.setattr(plain if name == "convolve" else convolution, name, None)
    monkeypatch.setattr(convolution, "LARGE", 0)
    np.testing.assert_array_equal(convolution.convolve(input, weight, ONE, ONE, ONE, 1), expected)


@pytest.mark.parametrize("count", [1, 4, 16])
def test_a_large_kernel_is_split_into_few_blocks_but_at_least_one_per_thread(count):
    before = get_num_threads()
    set_num_threads(count)
    result = convolution.shape_of((32, 512, 8, 8), 512, ONE)  # 512 tiles
    set_num_threads(before)
    assert result.block == max(1, min(512 // count // COLUMNS, 4)) * COLUMNS
    assert result.jobs == min(count, 512 // result.block)


@pytest.mark.parametrize("size", [3, 5])
def test_results_do_not_depend_on_the_number_of_threads(size, small):
    random, before = np.random.default_rng(0), get_num_threads()
    input, grad = random.standard_normal((2, 4, 16, 40, 40)).astype(np.float32)
    results = []
    for count in (1, 3):
        set_num_threads(count)
        settings = ONE, (size // 2, size // 2), ONE, 1
        results.append(convolution.convolve_weight(grad, input, (16, 16, size, size), *settings))
    set_num_threads(before)
    np.testing.assert_array_equal(*results)


@pytest.mark.parametrize("value", [np.inf, -np.inf, np.nan])
@pytest.mark.parametrize("where", ["input", "weight", "grad"])
@pytest.mark.parametrize("dilation", [1, 2])
def test_infinities_are_where_the_direct_sum_has_them(value, where, dilation, small):
    arrays = {"input": draw(2, 16, 9, 9), "weight": draw(16, 16, 3, 3, seed=1), "grad": draw(2, 16, 9, 9, seed=2)}
    arrays[where][1, 2, 1, 2] = value
    input, weight, grad = arrays.values()
    settings = ONE, (dilation,) * 2, (dilation,) * 2, 1
    for name, args in (
        ("convolve", (input, weight)),
        ("convolve_input", (grad, weight, input.shape)),
        ("convolve_weight", (grad, input, weight.shape)),
    ):
        with np.errstate(invalid="ignore"):
            result, expected = (getattr(x, name)(*args, *settings) for x in (convolution, plain))
        np.testing.assert_array_equal(result, expected)


@pytest.mark.parametrize("size", [(3, 4), (8, 8), (5, 18), (3, 32)])
def test_every_infinity_is_detected(size, small):
    """Winograd's sums turn infinities into NaN anywhere, so the caller must be informed."""
    weight = draw(16, 16, 3, 3, seed=1)
    for place in np.ndindex(3, *size):
        input = draw(3, 16, *size)
        assert convolution.convolve_tiles(input, weight, None, ONE, False) is not None
        input[place[0], 5, place[1], place[2]] = np.inf
        assert convolution.convolve_tiles(input, weight, None, ONE, False) is None
        assert convolution.convolve_weight_tiles(input, draw(3, 16, *size), ONE) is None
        assert convolution.convolve_weight_tiles(draw(3, 16, *size), input, ONE) is None


def test_tiles_are_as_exact_as_the_direct_sum(small):
    random = np.random.default_rng(0)
    input, weight = random.standard_normal((2, 64, 20, 20)), random.standard_normal((64, 64, 3, 3))
    exact = plain.convolve(input, weight, ONE, ONE, ONE, 1)
    input, weight = input.astype(np.float32), weight.astype(np.float32)
    errors = [np.abs(x.convolve(input, weight, ONE, ONE, ONE, 1) - exact).mean() for x in (convolution, plain)]
    assert errors[0] < 1.5 * errors[1]


@pytest.mark.parametrize("kind", [np.float16, bfloat16])
@pytest.mark.parametrize(
    "geometry", [WINDOWED["2d"], WINDOWED["depthwise"], TILED_HALF], ids=["2d", "depthwise", "tiles"]
)
def test_half_precision_is_computed_by_the_kernels_and_rounded_once(geometry, kind, small, monkeypatch):
    shape, weight_shape, *settings = geometry
    input, weight = draw(*shape), draw(*weight_shape, seed=1)
    bias = draw(len(weight), seed=3)
    expected = plain.convolve(input, weight, *settings, bias)
    grad = draw(*expected.shape, seed=2)
    to_input = plain.convolve_input(grad, weight, shape, *settings)
    to_weight = plain.convolve_weight(grad, input, weight_shape, *settings)
    for name in ("convolve", "convolve_input", "convolve_weight"):
        monkeypatch.setattr(plain, name, None)
    input, weight, bias, grad = (x.astype(kind) for x in (input, weight, bias, grad))
    for result, whole in (
        (convolution.convolve(input, weight, *settings, bias), expected),
        (convolution.convolve_input(grad, weight, shape, *settings), to_input),
        (convolution.convolve_weight(grad, input, weight_shape, *settings), to_weight),
    ):
        np.testing.assert_array_equal(result, whole.astype(kind), strict=True)


def test_small_convolutions_use_kernels_where_numpy_copies_more_than_it_multiplies(monkeypatch):
    """Once a kernel pays off, and never with so few windows that a program may run twice."""
    asked = []
    for name in ("convolve_windows", "convolve_input_windows"):
        monkeypatch.setattr(convolution, name, lambda *args, name=name: asked.append(name))
    monkeypatch.setattr(convolution, "WARMUP", Warmup(passes=4))

    def call(shape, filters, taps, groups=1):
        input, weight = draw(*shape), draw(filters, shape[1] // groups, taps, taps)
        settings = ONE, (0, 0), ONE, groups
        grad = plain.convolve(input, weight, *settings)
        asked.clear()
        convolution.convolve(input, weight, *settings)
        convolution.convolve_input(grad, weight, shape, *settings)
        return list(asked)

    assert call((2, 8, 9, 9), 8, 3, 8) == []  # before the warmup is over
    convolution.WARMUP.pays_off(policy.WARMUP)
    assert call((2, 8, 9, 9), 8, 3, 8) == ["convolve_windows", "convolve_input_windows"]
    assert call((2, 64, 9, 9), 8, 3) == ["convolve_input_windows"]  # each window is large enough for a BLAS product
    assert call((2, 64, 9, 9), 64, 1) == []
    assert call((1, 4, 9, 9), 4, 3, 4) == []


def test_unsupported_arguments_are_left_to_numpy(small):
    input, weight = draw(2, 16, 9, 9), draw(16, 16, 3, 3, seed=1)
    for kind in (np.float64, np.int64):
        result = convolution.convolve(input.astype(kind), weight.astype(kind), ONE, ONE, ONE, 1)
        assert result.dtype == kind
        np.testing.assert_array_equal(result, plain.convolve(input.astype(kind), weight.astype(kind), ONE, ONE, ONE, 1))
