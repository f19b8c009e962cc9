"""Kernels of reductions and scans, in any layout: NumPy's version is the specification.

Each test runs in plain Python, as machine code on one thread, and on four.
"""

import itertools

import ml_dtypes
import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="the extra jit is not installed")

from rushlight.kernels import reduce, reduce_calls
from rushlight.lower import registry

SHAPES = [(300,), (7, 40), (40, 7), (3, 5, 21), (20, 4, 3)]
EVERYWHERE = [(shape, dim) for shape in SHAPES for dim in range(len(shape))]
everywhere = pytest.mark.parametrize(("shape", "dim"), EVERYWHERE, ids=str)


@pytest.mark.parametrize("shape", [(37, 90), (16, 80), (2, 17, 70)], ids=str)
def test_scans_of_several_adjacent_rows(kernels, shape, draw):
    array = draw(*shape)
    kernels.same("running_sum", array, array.ndim - 1, array.dtype)
    kernels.same("running_sum", np.nan_to_num(array) / 7, array.ndim - 1, array.dtype)
    kernels.same("running_product", np.nan_to_num(array) / 7, array.ndim - 1, array.dtype)


@everywhere
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64], ids=lambda dtype: dtype.__name__)
def test_scans(kernels, shape, dim, dtype, draw):
    array = draw(*shape, dtype=dtype)
    kernels.same("running_sum", array, dim, array.dtype)
    ones = np.random.default_rng(0).choice([1, -1, 2, 0.5] if dtype != np.int64 else [1, -1], shape).astype(dtype)
    kernels.same("running_product", ones, dim, array.dtype)


@pytest.mark.parametrize("backwards", [False, True])
@pytest.mark.parametrize(("shape", "dim"), [*EVERYWHERE, ((70, 130), 0), ((5, 1), 1), ((2, 9, 67), 1)], ids=str)
@pytest.mark.parametrize("dtype", [np.float32, np.float64], ids=lambda dtype: dtype.__name__)
def test_recurrences(kernels, shape, dim, dtype, backwards):
    """The factor of the first element is not read."""
    generator = np.random.default_rng(0)
    array, factor = generator.normal(size=shape).astype(dtype), generator.uniform(-1, 1, shape).astype(dtype)
    lines = [np.moveaxis(x.astype(float), dim, 0)[:: -1 if backwards else 1] for x in (array, factor)]
    np.moveaxis(factor, dim, 0)[-1 if backwards else 0] = np.nan
    expected = lines[0].copy()
    for at in range(1, len(expected)):
        expected[at] += lines[1][at] * expected[at - 1]
    expected = np.moveaxis(expected[:: -1 if backwards else 1], 0, dim)
    ((result, plain),) = kernels("recurrence", array, factor, dim, backwards)
    assert result.dtype == dtype
    np.testing.assert_allclose(result, expected, rtol=4 * np.finfo(dtype).eps, atol=1e-9)
    np.testing.assert_allclose(result, plain, rtol=1e-4, atol=1e-5)


IN_COLUMNS = [((7, 40), 0), ((300, 17), 0), ((20, 4, 16), 0), ((3, 5, 21), 1), ((2, 131, 33), 1)]
IN_LINES = [(shape, len(shape) - 1) for shape in SHAPES]
REDUCED = [*IN_LINES, *((shape, None) for shape in SHAPES), ((3, 5, 21), (0, 1)), ((3, 5, 21), (2, 1))]
REDUCED += [*IN_COLUMNS, ((6, reduce_calls.WIDE + 3), 0), ((2, reduce_calls.BLOCK + 77), 1)]
reduced = pytest.mark.parametrize(("shape", "axes"), REDUCED, ids=str)


@reduced
@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64], ids=lambda dtype: dtype.__name__)
def test_reductions(kernels, shape, axes, keepdims, dtype, draw):
    array = draw(*shape, dtype=dtype)
    kernels.same("total", array, axes, np.int64 if dtype == np.int64 else None, keepdims)
    kernels.same("amax", array, axes, None, None, keepdims)
    kernels.same("amin", array, axes, None, None, keepdims)
    if dtype != np.int64:
        finite = np.nan_to_num(array, posinf=1, neginf=2)
        kernels.close("variance", finite, axes, 1, keepdims)
        kernels.close("variance", array, axes, 0, keepdims)
        kernels.same("product", np.sign(finite), axes, None, keepdims)
        kernels.close("total_of_numbers", array, axes, array.dtype, keepdims)


@pytest.mark.parametrize("kernels", ["plain"], indirect=True)
def test_long_lines_prefetch_the_next_ones(kernels, monkeypatch, draw):
    asked = []
    monkeypatch.setattr(reduce, "prefetch_lines", lambda array, index, *what: asked.append((index, *what)))
    kernels.same("total", draw(2, 3 * reduce.FOUR + 1), 1, None, False)
    assert asked == 2 * [(place * reduce.FOUR, reduce.FOUR, reduce.AHEAD) for place in range(3)]


@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16], ids=lambda dtype: dtype.__name__)
def test_half_precision_is_added_in_float32(kernels, dtype):
    ones = np.random.default_rng(0).integers(0, 2, (6, 3000)).astype(dtype)
    kernels.same("total_of_any", ones, 1, None, False)


def test_bools_are_counted(kernels, draw):
    kernels.same("total", draw(30, 40) > 0, 0, np.int64, False)


@pytest.mark.parametrize(("shape", "axis"), [*IN_LINES, *IN_COLUMNS, ((4, 135), 0), ((3, 5, 21), None)], ids=str)
@pytest.mark.parametrize("largest", [True, False])
def test_extremes(kernels, shape, axis, largest, draw):
    array, name = draw(*shape), "argmax" if largest else "argmin"
    if axis in (None, len(shape) - 1):
        assert registry.KERNELS[name](array, axis) is None  # NumPy is faster along lines
    else:
        kernels.same(name, array, axis, None, keepdims=True)
    if axis is not None:
        kernels.same("extreme", array, axis, False, largest)


@pytest.mark.parametrize("kernels", ["one thread", "four threads"], indirect=True)  # too long for plain Python
def test_sums_are_as_accurate_as_numpys(kernels):
    errors = []
    for seed in range(20):
        array = np.random.default_rng(seed).standard_normal((1, 50_000)).astype(np.float32)
        exact = array.sum(1, dtype=np.float64)
        ((ours, numpys),) = kernels("total", array, 1)
        errors.append([abs(float(x[0]) - float(exact[0])) for x in (ours, numpys)])
    ours, numpys = np.sqrt(np.mean(np.square(errors), 0))
    assert ours <= 1.5 * numpys


@pytest.mark.parametrize("kernels", ["one thread", "four threads"], indirect=True)
def test_sums_across_lines_are_more_accurate_than_sequential_ones(kernels):
    array = np.random.default_rng(0).random((128, 1000), np.float32)
    ours, one_by_one = registry.KERNELS["total"](array, 0), np.add.reduce(array)
    error, plain = (np.abs(x - array.sum(0, dtype=np.float64)).mean() for x in (ours, one_by_one))
    assert error < 0.75 * plain


# ---- reductions of non-contiguous arrays


LAYOUTS = {
    "turned": lambda array: array.T,
    "inner dimensions first": lambda array: array.transpose(0, 2, 3, 1),
    "cut": lambda array: array[:, :, 1:, 2:],
    "every second row": lambda array: array[::2],
    "backwards": lambda array: array[:, ::-1],
    "expanded": lambda array: np.broadcast_to(array[:1], (5, *array.shape[1:])),
    "overlapping": lambda array: np.lib.stride_tricks.sliding_window_view(array, 3, -1),
}
layouts = pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)
# Plain Python has no pointers to strided elements.
compiled_only = pytest.mark.parametrize("kernels", ["one thread", "four threads"], indirect=True)


@layouts
@compiled_only
@pytest.mark.parametrize("axes", [None, 0, 1, -1, (0, 1), (1, 2), (-1, -2)], ids=str)
@pytest.mark.parametrize("keepdims", [False, True])
def test_reductions_of_non_contiguous_arrays(kernels, layout, axes, keepdims, draw):
    """Results equal those of a copy; NumPy runs where a kernel gains nothing."""
    array = layout(draw(4, 18, 5, 19))
    calls = [("total", (axes, None, keepdims)), ("amax", (axes, None, None, keepdims))]
    calls += [("total_of_squares", (axes, keepdims))] * (axes is not None)
    for name, args in calls:
        machine = registry.KERNELS[name]
        result = machine(array, *args)
        assert result.flags.c_contiguous
        expected = machine(np.ascontiguousarray(array), *args)
        assert (result.dtype, result.shape) == (expected.dtype, expected.shape)
        np.testing.assert_array_equal(result, expected)


@layouts
@compiled_only
@pytest.mark.parametrize("axis", range(4))
def test_the_first_of_equal_extremes_of_non_contiguous_arrays(kernels, layout, axis, draw):
    array = layout(draw(4, 18, 5, 19))
    kind = registry.KERNELS["extreme"]
    for largest in (True, False):
        result, expected = kind(array, axis, False, largest), kind(np.ascontiguousarray(array), axis, False, largest)
        assert (result is None) <= (expected is None)
        if result is not None:
            kernels.same("extreme", array, axis, False, largest)
            assert all(x.flags.c_contiguous for x in result)


IN_PLACE = {**LAYOUTS, "in order": lambda array: array, "columns apart": lambda array: array[..., ::2]}
IN_PLACE["rows of columns apart"] = lambda array: array.transpose(1, 0, 2, 3)[::2, :, :, ::3]
del IN_PLACE["backwards"], IN_PLACE["overlapping"]


@pytest.mark.parametrize("layout", IN_PLACE.values(), ids=IN_PLACE)
@compiled_only
@pytest.mark.parametrize("keepdims", [False, True])
def test_reductions_along_any_axes_copy_nothing(kernels, monkeypatch, layout, keepdims, draw):
    monkeypatch.setattr(reduce, "copied", None)
    array = layout(draw(4, 18, 5, 19))
    pairs = [
        pair for several in range(1, array.ndim + 1) for pair in itertools.combinations(range(array.ndim), several)
    ]
    for axes in (None, *pairs):
        kernels.same("total", array, axes, None, keepdims)
        kernels.same("amax", array, axes, None, None, keepdims)


@layouts
@compiled_only
@pytest.mark.parametrize("axes", [None, 0, -1, (0, 2), (1, 3), (0, 2, 3)], ids=str)
def test_variances_of_non_contiguous_arrays(kernels, layout, axes, draw):
    array = layout(np.nan_to_num(draw(4, 18, 5, 19), posinf=1, neginf=2))
    kernels.close("variance", array, axes, 1, False)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64], ids=lambda dtype: dtype.__name__)
@pytest.mark.parametrize("axes", [(0, 2), (1, 3), (0, 3), (0, 1, 3), 2, (0, 1, 2, 3)], ids=str)
def test_axes_that_are_not_adjacent(kernels, dtype, axes, draw):
    array = draw(4, 6, 5, 9, dtype=dtype)
    kernels.same("total", array, axes, np.int64 if dtype == np.int64 else None, False)
    kernels.same("amin", array, axes, None, None, True)
    if dtype != np.int64:
        finite = np.nan_to_num(array, posinf=1, neginf=2)
        kernels.close("variance", finite, axes, 0, False)
        kernels.same("product", np.sign(finite), axes, None, False)


@pytest.mark.parametrize("columns", [2, 3, 7, 8, 9, 15])
def test_few_columns(kernels, columns, draw):
    array = draw(3, 2 * reduce_calls.ROWS + 5, columns)
    kernels.same("total", array, 1, None, False)
    kernels.same("amax", array, 1, None, None, False)
    kernels.close("variance", np.nan_to_num(array, posinf=1, neginf=2), 1, 1, True)


@compiled_only
def test_expanded_elements_are_read_once(kernels):
    line = np.random.default_rng(0).integers(-4, 5, (1, 40)).astype(np.float32)
    for array in (
        np.broadcast_to(line, (300, 40)),
        np.broadcast_to(line.T, (40, 300)),
        np.broadcast_to(line[:, :1], (9, 7)),
    ):
        for axes in (None, 0, 1):
            kernels.same("total", array, axes, None, False)
            kernels.same("product", np.sign(array), axes, None, True)


@compiled_only
def test_sums_in_stages_are_as_accurate_as_numpys(kernels):
    array = np.random.default_rng(0).standard_normal((40, 16, 300)).astype(np.float32)
    exact = array.sum((0, 2), dtype=np.float64)
    ((ours, numpys),) = kernels("total", array, (0, 2))
    ours, numpys = (np.sqrt(np.mean(np.square(x - exact))) for x in (ours, numpys))
    assert ours <= 1.5 * numpys


@pytest.mark.parametrize("dtype", [np.bool_, np.uint8, np.int32], ids=str)
@pytest.mark.parametrize(("shape", "dim"), [((1003,), 0), ((9, 40), 1), ((9, 40), 0)], ids=str)
def test_running_sums_of_small_integers_are_int64(kernels, shape, dim, dtype, draw):
    kernels.same("running_sum", (draw(*shape) > 3).astype(dtype), dim, np.int64)


@pytest.mark.parametrize("axis", [0, 1, 2, None])
@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int16, np.int32, np.int64], ids=lambda dtype: dtype.__name__)
@pytest.mark.parametrize("name", ["amax", "amin"])
def test_extremes_of_integers(kernels, name, dtype, axis):
    least, most = max(np.iinfo(dtype).min, -(1 << 20)), min(np.iinfo(dtype).max, 1 << 20)
    array = np.random.default_rng(0).integers(least, most, (5, 37, 23), dtype, endpoint=True)
    kernels.same(name, array, axis, keepdims=True)
    if axis is not None:
        kernels.same("extreme", array, axis, False, name == "amax")


@pytest.mark.parametrize("after", [2, 3, 4, 8])
@pytest.mark.parametrize("length", [300, 4099, 9001])
def test_several_short_rows_are_reduced_in_one_vector(kernels, after, length, draw):
    array = draw(2, length, after) if length < 4000 else draw(1, length, after)
    kernels.same("total", array, 1)
    kernels.same("amax", array, 1)
    result, _ = registry.KERNELS["variance"](np.arange(array.size, dtype="f").reshape(array.shape), 1, 1, False)
    np.testing.assert_allclose(result, after**2 * length * (length + 1) / 12, rtol=1e-5)


@pytest.mark.parametrize("dtype", [np.complex64, np.complex128], ids=lambda dtype: dtype.__name__)
@pytest.mark.parametrize("axes", [None, 0, -1, (0, 1), (1, 2)], ids=str)
@pytest.mark.parametrize("keepdims", [False, True])
def test_complex_numbers_are_added_as_pairs(kernels, dtype, axes, keepdims):
    parts = np.random.default_rng(0).integers(-99, 99, (2, 6, 70, 3))
    array = (parts[0] + 1j * parts[1]).astype(dtype)
    for x in (array, array.reshape(3, 20, 21)):
        kernels.same("total", x, axes, None, keepdims)
        kernels.same("mean", x, axes, None, keepdims)
