"""Kernels that copy, cast, pad and scatter, and some others: NumPy's version is the specification.

Each test runs in plain Python, as machine code on one thread, and on four.
"""

import inspect
import itertools
import types

import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="the extra jit is not installed")

from rushlight.arrays import (
    cpu,
    ctc,
    distances,
    scan,
)
from rushlight.arrays.elementwise import FLOAT16, to_float16
from rushlight.core.tables import xp
from rushlight.dispatch import plan
from rushlight.kernels import concat, copies, integer_division, pad
from rushlight.lower import registry
from rushlight.lower.machine_types import NUMBERS, bfloat16, boolean, float16, float32, float64, int64

SHAPES = [(300,), (7, 40), (40, 7), (3, 5, 21), (20, 4, 3)]
EVERYWHERE = [(shape, dim) for shape in SHAPES for dim in range(len(shape))]
everywhere = pytest.mark.parametrize(("shape", "dim"), EVERYWHERE, ids=str)


@everywhere
@pytest.mark.parametrize("step", [-9, -2, -1, 0, 1, 3, 9])
def test_shifted(shape, dim, step, draw):
    array = draw(*shape)
    positions = np.arange(shape[dim]) - step
    inside = (positions >= 0) & (positions < shape[dim])
    expected = np.moveaxis(array.take(positions.clip(0, shape[dim] - 1), dim), dim, -1).copy()
    expected[..., ~inside] = 7
    np.testing.assert_array_equal(scan.shifted(array, dim, step, 7), np.moveaxis(expected, -1, dim))


@pytest.mark.parametrize("kernels", ["one thread", "four threads"], indirect=True)  # views are no flat arrays
@pytest.mark.parametrize("dtype", [np.bool_, np.uint8, np.int16, np.float16], ids=lambda dtype: dtype.__name__)
def test_narrow_elements_are_moved_in_words(kernels, dtype, monkeypatch):
    seen, planned = [], copies.planned
    monkeypatch.setattr(copies, "planned", lambda *args: seen.append(args[3]) or planned(*args))
    array = (np.arange(6 * 64).reshape(6, 64) % 7).astype(dtype)
    for x in (array[::-1], array[:, :32], array[1:2, 8:].repeat(3, 0)[::2], np.broadcast_to(array[0], (5, 64))):
        np.testing.assert_array_equal(copies.copied(x), x)
    assert seen == 4 * [8]
    for x in (array[:, 1:33], array[:, :33], array[:, ::-1], array.T, np.broadcast_to(array[:, :1], (6, 64))):
        np.testing.assert_array_equal(copies.copied(x), x)
    assert seen[4:] == 5 * [array.itemsize]
    room = np.zeros(129, dtype)
    for target in (room[:128], room[1:], room[:65], room[:128].reshape(2, 64)[:, :8]):
        room[:] = 0
        assert copies.fill(target, 1) is target
        assert room.sum(dtype=np.int64) == target.size == (target == 1).sum()


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int16, np.int32, np.int64], ids=lambda dtype: dtype.__name__)
@pytest.mark.parametrize("name", ["left_shift", "right_shift"])
def test_bits_are_moved(kernels, name, dtype):
    most, least = np.iinfo(dtype).max, np.iinfo(dtype).min
    array = np.random.default_rng(0).integers(least, most, (7, 60), dtype, endpoint=True)
    positions = np.random.default_rng(1).integers(max(-3, least), 8 * array.itemsize + 3, array.shape).astype(dtype)
    kernels.same(name, array, positions)
    for number in (0, 3, 8 * array.itemsize - 1, 8 * array.itemsize, most):
        kernels.same(name, array, dtype(number))
        kernels.same(name, array, np.asarray(dtype(number)), out=...)
    assert registry.KERNELS[name](array, positions, out=array) is None


# Strided arrays are moved by address, which plain Python does not have.
compiled = pytest.mark.parametrize("kernels", ["one thread", "four threads"], indirect=True)


@compiled
@pytest.mark.parametrize("shape", [(400,), (30, 41), (7, 21, 13), (9, 2, 17, 3)], ids=str)
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int8, np.float16], ids=lambda dtype: dtype.__name__)
def test_copies_of_permuted_arrays(kernels, shape, dtype, draw):
    array = draw(*shape, dtype=dtype)
    for order_of_dims in itertools.permutations(range(len(shape))):
        turned = array.transpose(order_of_dims)
        kernels.same("in_order", turned)
        assert copies.copied(turned).flags.c_contiguous


@compiled
def test_copies_of_sliced_and_expanded_arrays(kernels, draw):
    array = draw(40, 30)
    views = [array[::2, ::3], array[::-1], array[:, ::-1], array[5:30, 3:25], array.T[::-1], array[:, None].T]
    views += [np.broadcast_to(x, (40, 30)) for x in (array[:1], array[:, :1], array[0, 0])]
    for view in views:
        kernels.same("in_order", view)


@compiled
def test_short_runs_are_copied_by_kernels_from_fewer_elements_on(kernels, monkeypatch, draw):
    """NumPy is slow with very short runs."""
    monkeypatch.setattr(copies, "LARGE", 1 << 15)
    array = draw(30, 40)
    windows = np.lib.stride_tricks.sliding_window_view(array, 4, 1)
    for x in (np.broadcast_to(array[..., None], (30, 40, 2)), windows):
        kernels.same("in_order", x)
        assert copies.copied(x).flags.c_contiguous
    for x in (array.T, array[:, ::2], array[:, None].repeat(9, 1)[:, ::-1]):
        assert copies.copied(x) is None


@pytest.mark.parametrize("dims", [(0,), (1,), (-1, 0), (0, 1, 2), ()], ids=str)
@compiled
def test_flips(kernels, dims, draw):
    kernels.same("flipped", draw(8, 9, 30), dims)


@compiled
@pytest.mark.parametrize(("shapes", "dim"), [
    ([(400,), (3,), (70,)], 0), ([(20, 30), (5, 30)], 0), ([(20, 30), (20, 50), (20, 11)], -1),
    ([(5, 20, 30), (5, 7, 30)], 1),
])  # fmt: skip
def test_concatenation(kernels, shapes, dim, draw, monkeypatch):
    monkeypatch.setattr("rushlight.kernels.concat.LARGEST_KEPT", 1)
    kernels.same("cat", [draw(*shape, seed=seed) for seed, shape in enumerate(shapes)], dim)
    alike = [draw(*shapes[0], seed=seed) for seed in range(3)]
    kernels.same("stack_along", alike, dim if dim >= 0 else dim - 1)


PADS = [[(3, 2)], [(-1, 40)], [(0, 0), (1, 1)], [(2, 0), (-1, -4), (5, 0)], [(-2, 2), (0, 3)], [(60, 1), (1, -19)]]


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int16, np.bool_], ids=lambda dtype: dtype.__name__)
@pytest.mark.parametrize("pads", PADS, ids=str)
def test_constant_padding(kernels, pads, dtype, draw):
    for shape in ((7, 6, 21), (3, 5, 9, 30)):
        array = draw(*shape, dtype=dtype)
        for value in (0, 1):
            kernels.same("constant_pad", array, pads, value)
            kernels.same("constant_pad", array.swapaxes(0, -1)[..., :6], [(2, -1)], value)


@compiled
def test_constant_padding_keeps_channels_last(kernels, draw):
    array = draw(3, 8, 9, 7).transpose(0, 3, 1, 2)
    for pads in ([(1, 2)], [(1, 1), (0, 3)], [(2, -1), (1, 1), (0, 2)]):
        ((result, expected),) = kernels("constant_pad", array, pads, 2)
        np.testing.assert_array_equal(result, expected)
        assert result.strides == expected.strides


@pytest.mark.parametrize("pads", [[(-10, -11)], [(0, 0)] * 4, []], ids=str)
def test_unsupported_padding_is_left_to_numpy(pads, draw):
    assert pad.constant_pad(draw(2, 3, 4, 21), pads) is None


def test_a_long_run_of_any_length_is_split_over_threads():
    for length in (1 << 16, 1_000_000, 100_000, 3 * 224 * 224):
        (rows, *_), (part, *_) = copies.merged((length,), (4,), (4,))
        assert rows * part == length
        assert copies.PART // 4 < part <= 2 * copies.PART
    assert len(copies.merged((1_000_003,), (4,), (4,))) == 2


@compiled
@pytest.mark.parametrize("order", [(0, 1, 2, 3), (0, 2, 3, 1), (3, 2, 1, 0)], ids=str)
def test_copies_keep_the_strides_of_the_array(kernels, order, draw):
    array = draw(4, 5, 6, 7).transpose(order)
    for x in (array, array[::2], array[..., :3]):
        ((result, expected),) = kernels("in_same_order", x)
        np.testing.assert_array_equal(result, expected)
        assert result.strides == expected.strides


@pytest.mark.parametrize(
    "dtype", [np.float32, np.float64, np.int16, np.bool_, np.int64], ids=lambda dtype: dtype.__name__
)
def test_masked_fill(kernels, dtype, draw):
    array, mask = draw(7, 41, dtype=dtype), draw(7, 41) > 0
    for value in (1, np.ones((), dtype)):
        result, expected = array.copy(), array.copy()
        expected[mask] = value
        assert copies.fill_where(result, mask, value) is result
        np.testing.assert_array_equal(result, expected)
    for x, where in ((result.T, mask.T), (result, mask[0]), (result[0], mask), (result, np.arange(7))):
        assert copies.fill_where(x, where, 1) is None


def test_a_short_and_a_long_part_are_concatenated_by_the_kernel(draw):
    array = draw(300, 400)
    result = concat.cat((array[:, 397:], array[:, :397]), 1)
    np.testing.assert_array_equal(result, np.roll(array, 3, 1))
    assert concat.cat((array[:, 200:203], array[:, 300:302]), 1) is None


CASTS = list(itertools.permutations(NUMBERS, 2))


@pytest.mark.parametrize(("source", "wanted"), CASTS, ids=str)
@pytest.mark.filterwarnings("ignore:.* encountered in cast:RuntimeWarning")  # NumPy's, for overflow
def test_casts(kernels, source, wanted):
    array = np.random.default_rng(0).integers(-300, 300, 500)
    array[:6] = [0, 1, 2**31 - 1, -(2**31), 65504, 70000]
    array = array.astype(source.numpy)
    if source.kind == "f" and wanted.kind in "iu":
        array = (np.arange(500) % 127 / 7).astype(source.numpy)  # out of range is undefined in C
    elif source.kind == "f":
        array = array / np.array(7, source.numpy)
        array[6:12] = np.array([np.inf, -np.inf, np.nan, -0.0, 1e-5, 3e38]).astype(source.numpy)
    expected = to_float16(array) if wanted is float16 else array.astype(wanted.numpy)
    result = copies.astype(array, wanted.numpy)
    assert result.dtype == expected.dtype
    np.testing.assert_array_equal(*(x.astype(float) if wanted.kind == "f" else x for x in (result, expected)))


CUT = {  # views of (60, 90) numbers, and the strides that PyTorch gives a copy of them
    "cut": (lambda array: array[:, 8:61], (53, 1)),
    "every second": (lambda array: array[::2, ::2], (45, 1)),
    "turned and cut": (lambda array: array[:, 1:].T, (1, 89)),
    "backwards": (lambda array: array[::-1, ::-1], (90, 1)),
    "repeated": (lambda array: np.broadcast_to(array[:1], (70, 90)), (90, 1)),
    "repeated along rows": (lambda array: np.broadcast_to(array[:, :1], (60, 90)), (90, 1)),
    "narrow": (lambda array: np.broadcast_to(array[:, None, :3], (60, 20, 3)), (60, 3, 1)),
    "one number": (lambda array: np.broadcast_to(array[0, 0], (60, 90)), (90, 1)),
    "repeated in between": (lambda array: np.broadcast_to(array[:, None], (60, 2, 90)).swapaxes(0, 1), (5400, 90, 1)),
}


@pytest.mark.parametrize("cut", CUT.values(), ids=CUT)
@pytest.mark.parametrize(("source", "wanted"), [
    (float16, float32), (float32, float16), (float32, bfloat16), (bfloat16, float32), (float64, float32),
    (int64, float32), (boolean, float32), (float32, boolean), (int64, boolean),
], ids=str)  # fmt: skip
def test_casts_of_sliced_and_expanded_arrays(cut, source, wanted):
    view, strides = cut
    array = view(np.linspace(-70, 70, 5400).reshape(60, 90).astype(source.numpy))
    expected = to_float16(array) if wanted is float16 else array.astype(wanted.numpy)
    for result in (copies.cast_to(array, wanted.numpy), cpu.astype(array, wanted.numpy)):
        np.testing.assert_array_equal(result.astype(float), expected.astype(float))
        assert result.dtype == wanted.numpy
        assert tuple(abs(stride) // result.itemsize for stride in result.strides) == strides


@pytest.mark.parametrize("cut", CUT.values(), ids=CUT)
@pytest.mark.parametrize("wanted", [float16, bfloat16], ids=str)
@pytest.mark.parametrize("source", [np.complex64, np.complex128], ids=lambda dtype: dtype.__name__)
def test_casts_of_complex_numbers_to_half_precision(cut, source, wanted):
    view, strides = cut
    array = view((np.linspace(-70, 70, 5400) + 3j).reshape(60, 90).astype(source))
    result = copies.astype(array, wanted.numpy)
    expected = cpu.astype(array.real.astype(np.float32), wanted.numpy)
    np.testing.assert_array_equal(result.astype(float), expected.astype(float))
    assert tuple(abs(stride) // result.itemsize for stride in result.strides) == strides


def test_casts_of_a_thousand_elements_use_kernels_only_for_half_precision():
    array = np.linspace(-70_000, 70_000, copies.HALVED, dtype=np.float32)
    half_precision = copies.astype(array, FLOAT16)
    np.testing.assert_array_equal(half_precision, to_float16(array))
    np.testing.assert_array_equal(
        copies.astype(half_precision, np.dtype(np.float32)), half_precision.astype(np.float32)
    )
    assert copies.astype(array[1:], FLOAT16) is None
    assert copies.astype(array, np.dtype(np.float64)) is None


@pytest.mark.parametrize("order", [1.0, 2.0, np.inf])
@pytest.mark.parametrize("shape", [(40, 3, 9), (3, 70, 40), (200, 5, 1)])
def test_distances_are_norms_of_differences(kernels, shape, order):
    generator = np.random.default_rng(0)
    first, second = (generator.standard_normal((n, shape[1])).astype("f") for n in (shape[0], shape[2]))
    first[1, 1], first[2, 0] = np.nan, np.inf
    ((result, _),) = kernels("distances", first, second, order)
    expected = np.linalg.norm(first[:, None].astype(float) - second.astype(float), order, -1)
    np.testing.assert_allclose(result, expected, rtol=1e-5, atol=1e-6)


def test_distances_of_batches_and_of_float64(kernels, draw):
    first, second = draw(2, 1, 6, 5, dtype=np.float64), draw(3, 7, 5, dtype=np.float64)
    for norm in (1.0, 2.0, np.inf):
        ((result, expected),) = kernels("distances", first, second, norm)
        assert result.shape == (2, 3, 6, 7)
        np.testing.assert_allclose(result, expected, rtol=1e-14)


@pytest.mark.parametrize("order", [1.0, np.inf])
@pytest.mark.parametrize("dtype", [np.float32, np.float64], ids=lambda dtype: dtype.__name__)
@pytest.mark.parametrize("shapes", [((40, 3), (9, 3)), ((3, 70), (40, 70)), ((2, 1, 6, 5), (3, 7, 5))], ids=str)
def test_gradients_of_distances(kernels, shapes, dtype, order):
    """Integers, so that there are ties and sums are exact."""
    random = np.random.default_rng(0)
    first, second = (random.integers(-3, 4, shape).astype(dtype) for shape in shapes)
    first[..., 1, 1], first[..., 2, 0] = np.nan, np.inf
    with np.errstate(invalid="ignore"):
        far = distances.distances(first, second, order)
        g = np.swapaxes(random.integers(-3, 4, (*far.shape[:-2], far.shape[-1], far.shape[-2])).astype(dtype), -1, -2)
        kernels.same("distance_backward", g, first, second, far, order)


@pytest.mark.parametrize("size", [1, 2, 40])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.bool_], ids=lambda dtype: dtype.__name__)
def test_elements_above_a_diagonal(kernels, size, dtype, draw):
    array = draw(size, size, dtype=dtype)
    kernels.same("above_diagonal", array)
    kernels.same("above_diagonal", array.T)
    kernels.same("filled_above_diagonal", draw(size * (size - 1) // 2, dtype=dtype), size)


@pytest.mark.parametrize("diagonal", [0, 2, -3, 50, -50])
@pytest.mark.parametrize("shape", [(5, 7), (2, 9, 4), (1, 1), (3, 2, 6, 6)])
@pytest.mark.parametrize("name", ["tril", "triu"])
def test_triangles(kernels, name, shape, diagonal):
    kernels.same(name, np.random.default_rng(0).standard_normal(shape).astype("f"), diagonal)
    kernels.same(name, np.ones(shape, bool), diagonal)


@pytest.mark.parametrize("orders", [(0, 0), (1, 0), (0, 1), (1, 1)], ids=str)
@pytest.mark.parametrize("padding", ["zeros", "border", "reflection"])
@pytest.mark.parametrize("mode", ["bilinear", "nearest", "bicubic"])
@pytest.mark.parametrize("align_corners", [False, True])
@pytest.mark.parametrize("shape", [(2, 3, 4, 5), (1, 1, 1, 1), (1, 2, 9, 70)], ids=str)
def test_grid_sample(kernels, shape, align_corners, mode, padding, orders):
    if mode == "nearest" and any(orders):
        return  # zero everywhere: no kernel is needed
    random = np.random.default_rng(0)
    image = random.standard_normal(shape).astype("f")
    grid = random.uniform(-1.4, 1.4, (shape[0], 7, 13, 2)).astype("f")
    grid[0, :2, 0], grid[0, 2, 0] = [[1, -1], [-1, 1]], 0
    for ours, theirs in kernels("grid_sampled", image, grid, mode, padding, align_corners, orders):
        assert (ours.dtype, ours.shape) == (theirs.dtype, theirs.shape)
        # a place that is rounded once, not twice, moves by some of the last digits of the image's size
        np.testing.assert_allclose(ours, theirs, rtol=1e-4, atol=1e-4 + 2e-6 * np.abs(theirs).max())


@pytest.mark.parametrize("labels", [0, 1, 3, 20])
def test_ctc_forward(kernels, labels):
    random = np.random.default_rng(0)
    targets, lengths = random.integers(1, 3, (3, labels)), np.array([labels, labels // 2, 0])
    path, passes = ctc.path_of(targets, lengths, 0)
    scores = np.log(random.random((25, 3, path.shape[1]))).astype("f")
    scores[3, 1] = -np.inf
    ((result, expected),) = kernels("prefixes", scores, passes, None)
    np.testing.assert_allclose(result, expected, rtol=1e-5, atol=1e-5)


def test_kernels_have_the_signatures_of_the_functions_they_replace():
    registry.load_all()
    for name, kernel in registry.KERNELS.items():
        plain = plan.plain(xp, name)
        if isinstance(plain, types.FunctionType) and plain.__module__.startswith("rushlight"):
            ours, theirs = (inspect.signature(x).parameters for x in (kernel.function, plain))
            named = [(their.name, their.default) for their in theirs.values()]
            assert [(our.name, our.default) for our in ours.values()][: len(named)] == named, name


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int16, np.int32, np.int64], ids=lambda dtype: dtype.__name__)
@pytest.mark.parametrize("name", integer_division.KERNELS)
def test_integer_division(kernels, name, dtype):
    most, least = np.iinfo(dtype).max, np.iinfo(dtype).min
    for low, high in (
        (least, most),
        (max(least, -9), 9),
        (max(least, -(1 << 52)), min(most, 1 << 52)),
        (most - 3, most),
    ):
        numbers = np.random.default_rng(0)
        array, by = (numbers.integers(low, high, (7, 73), dtype, endpoint=True) for _ in range(2))
        array[1], by[by == 0] = array[1] // 5 * 5, 5
        if least < 0:
            array[array == least] += 1  # has no quotient by -1
        kernels.same(name, array, by)
        for number in {3, 1, most, -7 if least < 0 else 7, -1 if least < 0 else 2}:
            kernels.same(name, array, np.asarray(dtype(number)))


def test_the_least_integer_divided_by_minus_one_is_unchanged():
    array, by = np.full(600, np.iinfo(np.int64).min), np.full(600, -1)
    assert (registry.KERNELS["floor_divide"](array, by) == array).all()
    assert not registry.KERNELS["remainder"](array, by).any()


@pytest.mark.parametrize("name", integer_division.KERNELS)
def test_division_by_zero_is_left_to_the_function_that_raises(name):
    array, by = np.arange(600), np.ones(600, np.int64)
    machine = registry.KERNELS[name]
    by[599] = 0
    assert machine(array, by) is machine(array, np.int64(0)) is None
    assert machine(array, by.astype(np.int32)) is machine(array, by[:300]) is machine(array[::2], by[::2]) is None
    assert machine(array.astype(np.float32), np.float32(2)) is None
