"""Kernels that stand in for functions of the array language: NumPy's version is the specification.

Every story runs three times: in plain Python, as machine code on one thread, and on four.
"""

import importlib
import inspect
import itertools
import types
import warnings

import ml_dtypes
import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="the extra jit is not installed")

from rushlight.arrays import (
    alignment,
    counting,
    cpu,
    distances,
    elementwise,
    indexing,
    joining,
    likelihood,
    lookup,
    order,
    padding,
    placing,
    pooling,
    resampling,
    sampling,
    scan,
    scatter,
    threads,
    totals,
)
from rushlight.arrays.elementwise import FLOAT16, halved
from rushlight.arrays.mt19937 import normals, rejection, uniforms
from rushlight.compiler import sizes, small_floats
from rushlight.compiler.kernels import along, dividing, extremes, laid_out, moving, reducing, replacing
from rushlight.compiler.machine_types import NUMBERS, Element, bfloat16, boolean, float16, float32, float64, int64
from rushlight.compiler.native import Native
from rushlight.core import formats, generator
from rushlight.dispatch import errors_of_numpy

MODULES = {
    "alignment": alignment,
    "counting": counting,
    "cpu": cpu,
    "elementwise": elementwise,
    "indexing": indexing,
    "likelihood": likelihood,
    "lookup": lookup,
    "order": order,
    "scan": scan,
    "scatter": scatter,
}
MODULES |= {
    "distances": distances,
    "joining": joining,
    "padding": padding,
    "placing": placing,
    "pooling": pooling,
    "resampling": resampling,
    "sampling": sampling,
    "totals": totals,
    "arrays.mt19937.normals": normals,
    "arrays.mt19937.rejection": rejection,
    "arrays.mt19937.uniforms": uniforms,
    "core.formats": formats,
    "core.generator": generator,
    "dispatch.errors_of_numpy": errors_of_numpy,
}

for family in replacing.FAMILIES:
    importlib.import_module(f"rushlight.compiler.kernels.{family}")

SMALL = {"GRAIN": 64, "PART": 50, "SHORT": 10}
KINDS = (
    "HALVED",
    "LAID",
    "LARGE",
    "RUNS",
    "REDUCED",
    "SPREAD",
    "RUNNING",
    "PICKED",
    "PLACED",
    "COUNTED",
    "SORTED",
    "POOLED",
    "IN_VECTORS",
)
SMALL |= dict.fromkeys((*KINDS, "IN_VECTORS"), 2)


@pytest.fixture(params=["plain", "one thread", "four threads"])
def kernels(request, monkeypatch):
    """Calls kernels and what they replace with the same arguments; small arrays are large enough."""
    for family in (*replacing.FAMILIES, "laid_out", "replacing", "stages"):
        module = importlib.import_module(f"rushlight.compiler.kernels.{family}")
        for name, value in SMALL.items():
            if hasattr(module, name):
                monkeypatch.setattr(module, name, value)
        if hasattr(module, "PATIENCE"):
            monkeypatch.setattr(module.PATIENCE, "worked", sizes.PATIENCE)
    before = threads.get_num_threads()
    threads.set_num_threads(4 if request.param == "four threads" else 1)
    found_out = extremes.planned, reducing.recipe  # with other numbers, or for other kernels
    for each in found_out:
        each.cache_clear()
    if request.param == "plain":
        monkeypatch.setattr(Native, "machine", in_plain_python)
        monkeypatch.setattr(Native, "address", handle_of)
        monkeypatch.setattr(cpu, "ascontiguousarray", np.ascontiguousarray)  # flat arrays are not read backwards
    yield Both()
    threads.set_num_threads(before)
    for each in found_out:
        each.cache_clear()


def in_plain_python(self, *types):
    """A kernel that is not compiled: pointers are flat arrays, and variables for types are bound while it runs."""
    if self.of_objects:
        return in_turn_in_plain_python if self is along.in_turn else along_in_plain_python
    bound = dict(zip(self.variables, types, strict=True))

    def run(*given):
        with pytest.MonkeyPatch.context() as patch:
            # What it calls may have variables of its own: they stand for the types of what it is given.
            patch.setattr(Element, "__call__", lambda each, value: bound[each](value) if each in bound else value)
            self(*(each.reshape(-1) if isinstance(each, np.ndarray) else each for each in given))

    return run


HANDLES = {}


def handle_of(self, *types):
    """What stands for the address of a kernel that is not compiled."""
    HANDLES[len(HANDLES) + 1] = self, types
    return len(HANDLES)


def along_in_plain_python(array, first, last, keepdims, words, shifts):
    """What reads arrays as objects, with a kernel in plain Python."""
    flags, rank = array.flags, array.ndim
    if array.dtype.num != words[along.GIVEN] or not (rank and flags.c_contiguous and flags.aligned):
        return None
    axes = tuple(range(first % rank, last % rank + 1)) if first < rank else ()
    before, length, after = laid_out.split(array.shape, axes)
    plan = along.plan_of((1, 0), (before, length * after), (length, after), after)
    handle = words[plan[along.KIND]]
    if not handle or length < 2:
        return None
    kernel, types = HANDLES[handle]
    parts = plan[along.PARTS]
    out = np.empty(laid_out.kept(array.shape, axes, keepdims), types[0].numpy)
    found = np.empty(before * parts * after, out.dtype) if parts > 1 else out
    by = np.zeros(16, out.dtype) if shifts is None else shifts
    in_plain_python(kernel, *types)(out, found, array, by, shifts is not None, plan, words[along.GRAIN])
    return out


def in_turn_in_plain_python(array, out, room, plans, words, later, shifts):
    """Several kernels in plain Python, one after the other."""
    start = 0
    for at, plan in enumerate(plans):
        handle = (later if at else words)[plan[along.KIND]]
        if not handle:
            return None
        kernel, types = HANDLES[handle]
        results = plan[along.BEFORE] * plan[along.AFTER]
        to = out if at == len(plans) - 1 else room[start : start + results]
        found = np.empty(results * plan[along.PARTS], out.dtype) if plan[along.PARTS] > 1 else to
        by = np.zeros(16, out.dtype) if shifts is None or at else shifts
        in_plain_python(kernel, *types)(to, found, array, by, shifts is not None and not at, plan, words[along.GRAIN])
        array, start = to, start + results
    return True


class Both:
    """What a kernel finds and what the function finds that it replaces."""

    def __call__(self, file, name, *arguments, **options):
        machine = replacing.replacements[file, name]
        plain = getattr(MODULES[file], name)
        plain = getattr(plain, "stands_for", plain)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # NumPy's words for overflow and NaN
            found, expected = machine(*arguments, **options), plain(*arguments, **options)
        assert found is not None, "no kernel for this"
        pairs = zip(found, expected, strict=True) if isinstance(found, tuple) else [(found, expected)]
        return [(np.asarray(ours), np.asarray(theirs)) for ours, theirs in pairs]

    def same(self, file, name, *arguments, **options):
        for ours, theirs in self(file, name, *arguments, **options):
            assert (ours.dtype, ours.shape) == (theirs.dtype, theirs.shape)
            np.testing.assert_array_equal(
                *(each.astype("f") if each.dtype.kind == "V" else each for each in (ours, theirs))
            )

    def close(self, file, name, *arguments, **options):
        for ours, theirs in self(file, name, *arguments, **options):
            assert (ours.dtype, ours.shape) == (theirs.dtype, theirs.shape)
            np.testing.assert_allclose(ours, theirs, rtol=8 * np.finfo(ours.dtype).eps, atol=1e-5)


def draw(*shape, dtype=np.float32, seed=0):
    """Whole numbers from a small range, so that there are equal ones, with what is special about floats among them."""
    generator = np.random.default_rng(seed)
    array = generator.integers(-9, 10, shape).astype(dtype)
    if array.dtype.kind == "f":
        flat = array.reshape(-1)
        special = [np.nan, np.inf, -np.inf, -0.0, 0.0, np.nan, 1e-40]
        flat[generator.permutation(flat.size)[: len(special)]] = special[: flat.size]
    array.setflags(write=False)
    return array


def index_of(length, *shape, dtype=np.int64):
    return np.random.default_rng(5).integers(0, length, shape).astype(dtype)


SHAPES = [(300,), (7, 40), (40, 7), (3, 5, 21), (20, 4, 3)]
EVERYWHERE = [(shape, dim) for shape in SHAPES for dim in range(len(shape))]
everywhere = pytest.mark.parametrize(("shape", "dim"), EVERYWHERE, ids=str)


# ---- reading and writing at positions


@everywhere
@pytest.mark.parametrize("dtype", [np.float32, np.int64, np.bool_, np.float16], ids=lambda each: each.__name__)
def test_gather(kernels, shape, dim, dtype):
    more = tuple(2 * n if at == dim else n for at, n in enumerate(shape))
    kernels.same("scatter", "gather", draw(*shape, dtype=dtype), dim, index_of(shape[dim], *more))
    kernels.same("scatter", "gather", draw(*shape, dtype=dtype), dim - len(shape), index_of(shape[dim], *more))


@everywhere
@pytest.mark.parametrize("reduce", [None, "sum"])
def test_scatter(kernels, shape, dim, reduce):
    more = tuple(2 * n if at == dim else n for at, n in enumerate(shape))
    index = index_of(shape[dim], *more)
    kernels.same("scatter", "scatter", draw(*shape), dim, index, draw(*more, seed=1), reduce)


@pytest.mark.parametrize("include_self", [False, True])
def test_means_of_what_is_scattered_are_two_sums(include_self, monkeypatch):
    """Where NumPy adds one number after the other, and looks for its place, the kernel has added it."""
    array, index, source = draw(40, 30), index_of(30, 50, 30), draw(50, 30, seed=1)
    expected = scatter.scatter(array, 0, index, source, "mean", include_self)
    mean, sums, found = scatter.scatter, replacing.replacements["scatter", "scatter"], []
    monkeypatch.setattr(scatter, "scatter", lambda *given: found.append(sums(*given)) or found[-1])
    np.testing.assert_array_equal(mean(array, 0, index, source, "mean", include_self), expected)
    assert len(found) == 2 and all(each is not None for each in found)


@everywhere
def test_slices(kernels, shape, dim):
    array = draw(*shape)
    kernels.same("indexing", "index_select", array, dim, index_of(shape[dim], 50, dtype=np.int32))
    indices = (None,) * dim + (index_of(shape[dim], 5, 10) - shape[dim] * (index_of(2, 5, 10)),)
    kernels.same("indexing", "take_indices", array, indices)


@pytest.mark.parametrize("dtype", [np.float32, np.float64], ids=lambda each: each.__name__)
def test_placing_among_zeros(kernels, dtype):
    at = np.arange(0, 40 * 21, 21)
    kernels.same("likelihood", "placed", 40 * 21, at + index_of(21, 40), dtype(-0.25), np.dtype(dtype))
    pixels = at[:, None] + 3 * index_of(7, 40, 3) + np.arange(3)
    kernels.same("likelihood", "placed", 40 * 21, pixels, draw(40, 3, dtype=dtype), np.dtype(dtype))


@pytest.mark.parametrize("width", [1, 9, 40])
def test_rows(kernels, width):
    table, index = draw(30, width), index_of(30, 100)
    kernels.same("lookup", "rows_of", table, index.reshape(4, 25))
    values = np.random.default_rng(1).integers(-5, 5, (100, width)).astype(np.float32)
    kernels.same("scatter", "sum_of_rows", 30, index, values)
    kernels.same("scatter", "with_rows_added", np.nan_to_num(table), index, values)


@pytest.mark.parametrize("shape", [(30,), (30, 40), (30, 1), (30, 3, 4)], ids=str)
def test_the_gradient_of_an_index(kernels, shape):
    index = index_of(60, 20, 10) - 30
    values = np.random.default_rng(1).integers(-5, 5, (20, 10, *shape[1:])).astype(np.float32)
    kernels.same("placing", "placed_at", values, shape, (index,))


INNER = pytest.mark.parametrize(
    ("shape", "dim"), [((40, 30), 1), ((30, 7, 20), 1), ((30, 20, 7), -1), ((4, 3, 30, 5), 2)], ids=str
)


def slices_of(shape, dim, count, dtype=np.float32):
    """So many slices along a dimension, of whole numbers: their sums are the same in any order."""
    more = list(shape)
    more[dim] = count
    return np.random.default_rng(1).integers(-5, 5, more).astype(dtype)


@INNER
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64], ids=lambda each: each.__name__)
@pytest.mark.parametrize("kind", [np.int64, np.int32], ids=lambda each: each.__name__)
def test_adding_slices_along_an_inner_dimension(kernels, shape, dim, dtype, kind):
    index, source = index_of(shape[dim], 50, dtype=kind), slices_of(shape, dim, 50, dtype)
    kernels.same("scatter", "index_add", slices_of(shape, dim, shape[dim], dtype), dim, index, source)
    kernels.same("scatter", "index_add", source, dim, index_of(50, 50, dtype=kind), source[::-1])


@INNER
def test_the_gradient_of_an_index_along_an_inner_dimension(kernels, shape, dim):
    dim %= len(shape)
    index = index_of(2 * shape[dim], 10, 5) - shape[dim]
    values = slices_of((*shape[:dim], 50, *shape[dim + 1 :]), dim, 50)
    values = values.reshape(*shape[:dim], 10, 5, *shape[dim + 1 :])
    kernels.same("placing", "placed_at", values, shape, (*[None] * dim, index))


@INNER
@pytest.mark.parametrize("dtype", [np.float32, np.int8, np.bool_, np.complex64], ids=lambda each: each.__name__)
def test_writing_slices_along_an_inner_dimension(kernels, shape, dim, dtype):
    array = slices_of(shape, dim, shape[dim], dtype)
    index = index_of(shape[dim], 9)  # of equal positions the last stays
    kernels.same("placing", "index_write", array, dim, index, slices_of(shape, dim, 9, dtype))
    kernels.same("placing", "index_write", array, dim, index, 1)
    kernels.same("placing", "index_write", array, dim, index, np.array(1, dtype))


@INNER
@pytest.mark.parametrize("wrong", [-100, 40])
def test_a_slice_that_is_not_there_is_left_to_numpy(kernels, shape, dim, wrong):
    index, find = index_of(shape[dim], 50), replacing.replacements
    index[20] = wrong
    source = slices_of(shape, dim, 50)
    assert find["scatter", "index_add"](draw(*shape), dim, index, source) is None
    assert find["placing", "index_write"](draw(*shape), dim, index, source) is None


@pytest.mark.parametrize("wrong", [-1, 40])
def test_a_position_that_is_not_there_is_left_to_numpy(kernels, wrong):
    array, index = draw(40), index_of(40, 100)
    index[57] = wrong
    find = replacing.replacements
    assert find["scatter", "gather"](array, 0, index) is None
    assert find["scatter", "scatter"](array, 0, index, draw(100)) is None
    assert find["indexing", "index_select"](array, 0, index) is None
    assert (find["indexing", "take_indices"](array, (index,)) is None) is (wrong > 0)


# ---- running and whole reductions


@pytest.mark.parametrize("shape", [(37, 90), (16, 80), (2, 17, 70)], ids=str)
def test_running_along_lines_side_by_side(kernels, shape):
    array = draw(*shape)
    kernels.same("scan", "running_sum", array, array.ndim - 1, array.dtype)
    kernels.same("scan", "running_sum", np.nan_to_num(array) / 7, array.ndim - 1, array.dtype)
    kernels.same("scan", "running_product", np.nan_to_num(array) / 7, array.ndim - 1, array.dtype)


@everywhere
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64], ids=lambda each: each.__name__)
def test_running(kernels, shape, dim, dtype):
    array = draw(*shape, dtype=dtype)
    kernels.same("scan", "running_sum", array, dim, array.dtype)
    ones = np.random.default_rng(0).choice([1, -1, 2, 0.5] if dtype != np.int64 else [1, -1], shape).astype(dtype)
    kernels.same("scan", "running_product", ones, dim, array.dtype)


@pytest.mark.parametrize("backwards", [False, True])
@pytest.mark.parametrize(("shape", "dim"), [*EVERYWHERE, ((70, 130), 0), ((5, 1), 1), ((2, 9, 67), 1)], ids=str)
@pytest.mark.parametrize("dtype", [np.float32, np.float64], ids=lambda each: each.__name__)
def test_recurrences(kernels, shape, dim, dtype, backwards):
    """What the first element is times, which nothing comes before, is not looked at."""
    generator = np.random.default_rng(0)
    array, factor = generator.normal(size=shape).astype(dtype), generator.uniform(-1, 1, shape).astype(dtype)
    lines = [np.moveaxis(each.astype(float), dim, 0)[:: -1 if backwards else 1] for each in (array, factor)]
    np.moveaxis(factor, dim, 0)[-1 if backwards else 0] = np.nan
    expected = lines[0].copy()
    for at in range(1, len(expected)):
        expected[at] += lines[1][at] * expected[at - 1]
    expected = np.moveaxis(expected[:: -1 if backwards else 1], 0, dim)
    ((found, plain),) = kernels("scan", "recurrence", array, factor, dim, backwards)
    assert found.dtype == dtype
    np.testing.assert_allclose(found, expected, rtol=4 * np.finfo(dtype).eps, atol=1e-9)
    np.testing.assert_allclose(found, plain, rtol=1e-4, atol=1e-5)


@everywhere
@pytest.mark.parametrize("step", [-9, -2, -1, 0, 1, 3, 9])
def test_shifted(shape, dim, step):
    array = draw(*shape)
    places = np.arange(shape[dim]) - step
    inside = (places >= 0) & (places < shape[dim])
    expected = np.moveaxis(array.take(places.clip(0, shape[dim] - 1), dim), dim, -1).copy()
    expected[..., ~inside] = 7
    np.testing.assert_array_equal(scan.shifted(array, dim, step, 7), np.moveaxis(expected, -1, dim))


IN_COLUMNS = [((7, 40), 0), ((300, 17), 0), ((20, 4, 16), 0), ((3, 5, 21), 1), ((2, 131, 33), 1)]
IN_LINES = [(shape, len(shape) - 1) for shape in SHAPES]
REDUCED = [*IN_LINES, *((shape, None) for shape in SHAPES), ((3, 5, 21), (0, 1)), ((3, 5, 21), (2, 1))]
REDUCED += [*IN_COLUMNS, ((6, along.WIDE + 3), 0), ((2, along.BLOCK + 77), 1)]
reduced = pytest.mark.parametrize(("shape", "axes"), REDUCED, ids=str)


@reduced
@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64], ids=lambda each: each.__name__)
def test_reductions(kernels, shape, axes, keepdims, dtype):
    array = draw(*shape, dtype=dtype)
    kernels.same("totals", "total", array, axes, np.int64 if dtype == np.int64 else None, keepdims)
    kernels.same("cpu", "amax", array, axes, None, None, keepdims)
    kernels.same("cpu", "amin", array, axes, None, None, keepdims)
    if dtype != np.int64:
        finite = np.nan_to_num(array, posinf=1, neginf=2)
        kernels.close("totals", "variance", finite, axes, 1, keepdims)
        kernels.close("totals", "variance", array, axes, 0, keepdims)
        kernels.same("totals", "product", np.sign(finite), axes, None, keepdims)
        kernels.close("totals", "total_of_numbers", array, axes, array.dtype, keepdims)


@everywhere
@pytest.mark.parametrize("reduce", ["amax", "amin", "prod"])
@pytest.mark.parametrize("include_self", [True, False])
@pytest.mark.parametrize("dtype", [np.float32, np.float64], ids=lambda each: each.__name__)
def test_slices_are_combined(kernels, shape, dim, reduce, include_self, dtype):
    array, index = draw(*shape, dtype=dtype), index_of(shape[dim] - 1, 9)
    source = np.sign(draw(*shape[:dim], 9, *shape[dim + 1 :], dtype=dtype, seed=3))
    for each in (array, np.asfortranarray(array)[::-1]):
        kernels.same("placing", "index_reduce", each, dim - len(shape), index, source, reduce, include_self)
    if reduce != "prod":
        given = (np.nan_to_num(each, posinf=5, neginf=-5).astype(np.int64) for each in (array, source))
        kernels.same("placing", "index_reduce", next(given), dim, index, next(given), reduce, include_self)


@everywhere
@pytest.mark.parametrize("include_self", [True, False])
@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.int64], ids=lambda each: each.__name__)
def test_means_of_slices_are_those_of_what_is_scattered(shape, dim, include_self, dtype):
    array, index = np.nan_to_num(draw(*shape), posinf=1, neginf=1).astype(dtype), index_of(shape[dim] - 1, 9)
    source = np.random.default_rng(1).integers(-9, 9, (*shape[:dim], 9, *shape[dim + 1 :])).astype(dtype)
    spread = np.broadcast_to(index.reshape((-1,) + (1,) * (len(shape) - dim - 1)), source.shape)
    expected = scatter.mean_of_scattered(array, dim, spread, source, include_self)
    found = placing.index_reduce(array, dim, index, source, "mean", include_self)
    assert found.dtype == dtype
    np.testing.assert_allclose(found, expected, rtol=1e-6)


@pytest.mark.parametrize("kernels", ["one thread", "four threads"], indirect=True)  # views are no flat arrays
@pytest.mark.parametrize("dtype", [np.bool_, np.uint8, np.int16, np.float16], ids=lambda each: each.__name__)
def test_narrow_elements_are_moved_in_words(kernels, dtype, monkeypatch):
    seen, planned = [], moving.planned
    monkeypatch.setattr(moving, "planned", lambda *given: seen.append(given[3]) or planned(*given))
    array = (np.arange(6 * 64).reshape(6, 64) % 7).astype(dtype)
    for each in (array[::-1], array[:, :32], array[1:2, 8:].repeat(3, 0)[::2], np.broadcast_to(array[0], (5, 64))):
        np.testing.assert_array_equal(moving.copied(each), each)
    assert seen == 4 * [8]
    for each in (array[:, 1:33], array[:, :33], array[:, ::-1], array.T, np.broadcast_to(array[:, :1], (6, 64))):
        np.testing.assert_array_equal(moving.copied(each), each)
    assert seen[4:] == 5 * [array.itemsize]
    room = np.zeros(129, dtype)
    for target in (room[:128], room[1:], room[:65], room[:128].reshape(2, 64)[:, :8]):
        room[:] = 0
        assert moving.fill(target, 1) is target
        assert room.sum(dtype=np.int64) == target.size == (target == 1).sum()


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int16, np.int32, np.int64], ids=lambda each: each.__name__)
@pytest.mark.parametrize("name", ["left_shift", "right_shift"])
def test_bits_are_moved(kernels, name, dtype):
    most, least = np.iinfo(dtype).max, np.iinfo(dtype).min
    array = np.random.default_rng(0).integers(least, most, (7, 60), dtype, endpoint=True)
    places = np.random.default_rng(1).integers(max(-3, least), 8 * array.itemsize + 3, array.shape).astype(dtype)
    kernels.same("cpu", name, array, places)
    for number in (0, 3, 8 * array.itemsize - 1, 8 * array.itemsize, most):
        kernels.same("cpu", name, array, dtype(number))
        kernels.same("cpu", name, array, np.asarray(dtype(number)), out=...)
    assert replacing.replacements["cpu", name](array, places, out=array) is None


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int16, np.int32, np.int64], ids=lambda each: each.__name__)
@pytest.mark.parametrize("name", dividing.KERNELS)
def test_whole_numbers_are_divided(kernels, name, dtype):
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
        kernels.same("elementwise", name, array, by)
        for number in {3, 1, most, -7 if least < 0 else 7, -1 if least < 0 else 2}:
            kernels.same("elementwise", name, array, np.asarray(dtype(number)))


def test_the_least_whole_number_stays_itself_when_it_is_divided_by_minus_one():
    array, by = np.full(600, np.iinfo(np.int64).min), np.full(600, -1)
    assert (replacing.replacements["elementwise", "floor_divide"](array, by) == array).all()
    assert not replacing.replacements["elementwise", "remainder"](array, by).any()


@pytest.mark.parametrize("name", dividing.KERNELS)
def test_division_by_zero_is_refused_by_the_function_that_explains_it(name):
    array, by = np.arange(600), np.ones(600, np.int64)
    machine = replacing.replacements["elementwise", name]
    by[599] = 0
    assert machine(array, by) is machine(array, np.int64(0)) is None
    assert machine(array, by.astype(np.int32)) is machine(array, by[:300]) is machine(array[::2], by[::2]) is None
    assert machine(array.astype(np.float32), np.float32(2)) is None


def test_slices_are_not_combined_where_there_are_none():
    machine = replacing.replacements["placing", "index_reduce"]
    for wrong in (-1, 40):
        given = draw(40, 60), 0, np.full(50, wrong), draw(50, 60), "amax"
        assert machine(*given, True) is machine(*given, False) is None


@pytest.mark.parametrize("kernels", ["plain"], indirect=True)
@pytest.mark.parametrize("asks", [True, False])
def test_long_lines_ask_for_what_comes_after_them(kernels, monkeypatch, asks):
    asked = []
    monkeypatch.setattr(reducing, "ASKS", asks)
    monkeypatch.setattr(reducing, "prefetch_lines", lambda array, index, *what: asked.append((index, *what)))
    kernels.same("totals", "total", draw(2, 3 * reducing.FOUR + 1), 1, None, False)
    soon = [(place * reducing.FOUR, reducing.FOUR, reducing.AHEAD) for place in range(3)]
    assert asked == (2 * soon if asks else [])


@pytest.mark.parametrize("axis", [0, 1, 2, None])
@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int16, np.int32, np.int64], ids=lambda each: each.__name__)
@pytest.mark.parametrize("name", ["amax", "amin"])
def test_extremes_of_whole_numbers(kernels, name, dtype, axis):
    least, most = max(np.iinfo(dtype).min, -(1 << 20)), min(np.iinfo(dtype).max, 1 << 20)
    array = np.random.default_rng(0).integers(least, most, (5, 37, 23), dtype, endpoint=True)
    kernels.same("cpu", name, array, axis, keepdims=True)
    if axis is not None:
        kernels.same("order", "extreme", array, axis, False, name == "amax")


@pytest.mark.parametrize("after", [2, 3, 4, 8])
@pytest.mark.parametrize("length", [300, 4099, 9001])
def test_short_rows_are_reduced_several_in_a_vector(kernels, after, length):
    array = draw(2, length, after) if length < 4000 else draw(1, length, after)
    kernels.same("totals", "total", array, 1)
    kernels.same("cpu", "amax", array, 1)
    found, _ = replacing.replacements["totals", "variance"](
        np.arange(array.size, dtype="f").reshape(array.shape), 1, 1, False
    )
    np.testing.assert_allclose(found, after**2 * length * (length + 1) / 12, rtol=1e-5)


@pytest.mark.parametrize("dtype", [np.complex64, np.complex128], ids=lambda each: each.__name__)
@pytest.mark.parametrize("axes", [None, 0, -1, (0, 1), (1, 2)], ids=str)
@pytest.mark.parametrize("keepdims", [False, True])
def test_complex_numbers_are_added_as_pairs(kernels, dtype, axes, keepdims):
    parts = np.random.default_rng(0).integers(-99, 99, (2, 6, 70, 3))
    array = (parts[0] + 1j * parts[1]).astype(dtype)
    for each in (array, array.reshape(3, 20, 21)):
        kernels.same("totals", "total", each, axes, None, keepdims)
        kernels.same("totals", "mean", each, axes, None, keepdims)


def test_the_different_elements_are_those_of_a_sorted_line(kernels):
    numbers = np.random.default_rng(0).integers(-40, 40, (7, 900))
    for array in (numbers, numbers[:, ::2], numbers * 0.5, numbers << 50):
        kernels.same("order", "different", array)
    array = np.where(numbers > 38, np.nan, numbers)
    kernels.same("order", "different", array)


@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16], ids=lambda each: each.__name__)
def test_small_floats_are_added_in_float32(kernels, dtype):
    ones = np.random.default_rng(0).integers(0, 2, (6, 3000)).astype(dtype)
    kernels.same("totals", "total_of_any", ones, 1, None, False)


def test_bools_are_counted(kernels):
    kernels.same("totals", "total", draw(30, 40) > 0, 0, np.int64, False)


@pytest.mark.parametrize(("shape", "axis"), [*IN_LINES, *IN_COLUMNS, ((4, 135), 0), ((3, 5, 21), None)], ids=str)
@pytest.mark.parametrize("largest", [True, False])
def test_extremes(kernels, shape, axis, largest):
    array, name = draw(*shape), "argmax" if largest else "argmin"
    if axis in (None, len(shape) - 1):
        assert replacing.replacements["cpu", name](array, axis) is None  # NumPy's is quicker along lines
    else:
        kernels.same("cpu", name, array, axis, None, keepdims=True)
    if axis is not None:
        kernels.same("order", "extreme", array, axis, False, largest)


@pytest.mark.parametrize("kernels", ["one thread", "four threads"], indirect=True)  # too long for plain Python
def test_sums_lose_no_more_digits_than_numpys(kernels):
    errors = []
    for seed in range(20):
        array = np.random.default_rng(seed).standard_normal((1, 50_000)).astype(np.float32)
        exact = array.sum(1, dtype=np.float64)
        ((ours, numpys),) = kernels("totals", "total", array, 1)
        errors.append([abs(float(each[0]) - float(exact[0])) for each in (ours, numpys)])
    ours, numpys = np.sqrt(np.mean(np.square(errors), 0))
    assert ours <= 1.5 * numpys


@pytest.mark.parametrize("kernels", ["one thread", "four threads"], indirect=True)
def test_sums_across_lines_lose_fewer_digits_than_one_line_after_the_other(kernels):
    array = np.random.default_rng(0).random((128, 1000), np.float32)
    ours, one_by_one = replacing.replacements["totals", "total"](array, 0), np.add.reduce(array)
    error, plain = (np.abs(each - array.sum(0, dtype=np.float64)).mean() for each in (ours, one_by_one))
    assert error < 0.75 * plain


# ---- reductions of what is not in order


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
# Plain Python has no pointers to what has gaps.
compiled_only = pytest.mark.parametrize("kernels", ["one thread", "four threads"], indirect=True)


@layouts
@compiled_only
@pytest.mark.parametrize("axes", [None, 0, 1, -1, (0, 1), (1, 2), (-1, -2)], ids=str)
@pytest.mark.parametrize("keepdims", [False, True])
def test_reductions_of_what_is_not_in_order(kernels, layout, axes, keepdims):
    """They are what those of a copy are, and where nothing is gained NumPy's."""
    array = layout(draw(4, 18, 5, 19))
    calls = [("totals", "total", (axes, None, keepdims)), ("cpu", "amax", (axes, None, None, keepdims))]
    calls += [("totals", "total_of_squares", (axes, keepdims))] * (axes is not None)
    for file, name, given in calls:
        machine = replacing.replacements[file, name]
        found = machine(array, *given)
        assert found.flags.c_contiguous
        expected = machine(np.ascontiguousarray(array), *given)
        assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
        np.testing.assert_array_equal(found, expected)


@layouts
@compiled_only
@pytest.mark.parametrize("axis", range(4))
def test_the_first_of_equal_extremes_of_what_is_not_in_order(kernels, layout, axis):
    array = layout(draw(4, 18, 5, 19))
    kind = replacing.replacements["order", "extreme"]
    for largest in (True, False):
        found, expected = kind(array, axis, False, largest), kind(np.ascontiguousarray(array), axis, False, largest)
        assert (found is None) <= (expected is None)
        if found is not None:
            kernels.same("order", "extreme", array, axis, False, largest)
            assert all(each.flags.c_contiguous for each in found)


IN_PLACE = {**LAYOUTS, "in order": lambda array: array, "columns apart": lambda array: array[..., ::2]}
IN_PLACE["rows of columns apart"] = lambda array: array.transpose(1, 0, 2, 3)[::2, :, :, ::3]
del IN_PLACE["backwards"], IN_PLACE["overlapping"]


@pytest.mark.parametrize("layout", IN_PLACE.values(), ids=IN_PLACE)
@compiled_only
@pytest.mark.parametrize("keepdims", [False, True])
def test_nothing_is_copied_for_a_reduction_along_any_axes(kernels, monkeypatch, layout, keepdims):
    monkeypatch.setattr(reducing, "copied", None)
    array = layout(draw(4, 18, 5, 19))
    pairs = [
        pair for several in range(1, array.ndim + 1) for pair in itertools.combinations(range(array.ndim), several)
    ]
    for axes in (None, *pairs):
        kernels.same("totals", "total", array, axes, None, keepdims)
        kernels.same("cpu", "amax", array, axes, None, None, keepdims)


@layouts
@compiled_only
@pytest.mark.parametrize("axes", [None, 0, -1, (0, 2), (1, 3), (0, 2, 3)], ids=str)
def test_variances_of_what_is_not_in_order(kernels, layout, axes):
    array = layout(np.nan_to_num(draw(4, 18, 5, 19), posinf=1, neginf=2))
    kernels.close("totals", "variance", array, axes, 1, False)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64], ids=lambda each: each.__name__)
@pytest.mark.parametrize("axes", [(0, 2), (1, 3), (0, 3), (0, 1, 3), 2, (0, 1, 2, 3)], ids=str)
def test_axes_that_are_no_neighbours(kernels, dtype, axes):
    array = draw(4, 6, 5, 9, dtype=dtype)
    kernels.same("totals", "total", array, axes, np.int64 if dtype == np.int64 else None, False)
    kernels.same("cpu", "amin", array, axes, None, None, True)
    if dtype != np.int64:
        finite = np.nan_to_num(array, posinf=1, neginf=2)
        kernels.close("totals", "variance", finite, axes, 0, False)
        kernels.same("totals", "product", np.sign(finite), axes, None, False)


@pytest.mark.parametrize("columns", [2, 3, 7, 8, 9, 15])
def test_few_columns(kernels, columns):
    array = draw(3, 2 * along.ROWS + 5, columns)
    kernels.same("totals", "total", array, 1, None, False)
    kernels.same("cpu", "amax", array, 1, None, None, False)
    kernels.close("totals", "variance", np.nan_to_num(array, posinf=1, neginf=2), 1, 1, True)


@compiled_only
def test_what_is_expanded_is_read_once(kernels):
    line = np.random.default_rng(0).integers(-4, 5, (1, 40)).astype(np.float32)
    for array in (
        np.broadcast_to(line, (300, 40)),
        np.broadcast_to(line.T, (40, 300)),
        np.broadcast_to(line[:, :1], (9, 7)),
    ):
        for axes in (None, 0, 1):
            kernels.same("totals", "total", array, axes, None, False)
            kernels.same("totals", "product", np.sign(array), axes, None, True)


@compiled_only
def test_sums_in_stages_lose_no_more_digits_than_numpys(kernels):
    array = np.random.default_rng(0).standard_normal((40, 16, 300)).astype(np.float32)
    exact = array.sum((0, 2), dtype=np.float64)
    ((ours, numpys),) = kernels("totals", "total", array, (0, 2))
    ours, numpys = (np.sqrt(np.mean(np.square(each - exact))) for each in (ours, numpys))
    assert ours <= 1.5 * numpys


# ---- sorting


@everywhere
@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32, np.int64], ids=lambda each: each.__name__)
def test_sorting(kernels, shape, dim, descending, dtype):
    array = draw(*shape, dtype=dtype)
    kernels.same("order", "sort", array, dim, descending)
    kernels.same("order", "order", array, dim, descending)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32, np.int64], ids=lambda each: each.__name__)
@pytest.mark.parametrize("largest", [True, False])
def test_the_best_few_are_the_first_of_all_sorted(kernels, dtype, largest):
    array = draw(6, 50, dtype=dtype)
    values, places = replacing.replacements["order", "top"](array, 7, 1, largest)
    expected, positions = order.sort(array, 1, largest)
    np.testing.assert_array_equal(values, expected[:, :7])
    np.testing.assert_array_equal(places, positions[:, :7])


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("values", [[-(2**63), 2**63 - 1, 0, -1, 2**40, -(2**40)], [2**62 + 1, 2**62]])
def test_sorting_wide_numbers(kernels, descending, values):
    kernels.same("order", "sort", np.array(values * 3), 0, descending)


EXTREMES = [np.float32, np.float64, np.float16, np.int64, np.uint8, np.bool_]


@everywhere
@pytest.mark.parametrize("dtype", EXTREMES, ids=lambda each: each.__name__)
@pytest.mark.parametrize("largest", [True, False])
def test_running_extremes(kernels, shape, dim, dtype, largest):
    kernels.same("scan", "running_extreme", draw(*shape, dtype=dtype), dim, largest)
    kernels.same("scan", "running_extreme", np.sort(draw(*shape, dtype=dtype), dim), dim, largest)


# ---- moving


# Strided arrays are moved by address, of which plain Python knows nothing.
compiled = pytest.mark.parametrize("kernels", ["one thread", "four threads"], indirect=True)


@compiled
@pytest.mark.parametrize("shape", [(400,), (30, 41), (7, 21, 13), (9, 2, 17, 3)], ids=str)
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int8, np.float16], ids=lambda each: each.__name__)
def test_copies_of_other_orders(kernels, shape, dtype):
    array = draw(*shape, dtype=dtype)
    for order_of_dims in itertools.permutations(range(len(shape))):
        turned = array.transpose(order_of_dims)
        kernels.same("core.formats", "in_order", turned)
        assert moving.copied(turned).flags.c_contiguous


@compiled
def test_copies_of_cut_and_expanded_arrays(kernels):
    array = draw(40, 30)
    views = [array[::2, ::3], array[::-1], array[:, ::-1], array[5:30, 3:25], array.T[::-1], array[:, None].T]
    views += [np.broadcast_to(each, (40, 30)) for each in (array[:1], array[:, :1], array[0, 0])]
    for each in views:
        kernels.same("core.formats", "in_order", each)


@compiled
def test_short_runs_are_copied_from_fewer_elements_on(kernels, monkeypatch):
    """NumPy begins anew with each of them."""
    monkeypatch.setattr(moving, "LARGE", 1 << 15)
    array = draw(30, 40)
    windows = np.lib.stride_tricks.sliding_window_view(array, 4, 1)
    for each in (np.broadcast_to(array[..., None], (30, 40, 2)), windows):
        kernels.same("core.formats", "in_order", each)
        assert moving.copied(each).flags.c_contiguous
    for each in (array.T, array[:, ::2], array[:, None].repeat(9, 1)[:, ::-1]):
        assert moving.copied(each) is None


@pytest.mark.parametrize("dims", [(0,), (1,), (-1, 0), (0, 1, 2), ()], ids=str)
@compiled
def test_flips(kernels, dims):
    kernels.same("joining", "flipped", draw(8, 9, 30), dims)


@compiled
@pytest.mark.parametrize(("shapes", "dim"), [
    ([(400,), (3,), (70,)], 0), ([(20, 30), (5, 30)], 0), ([(20, 30), (20, 50), (20, 11)], -1),
    ([(5, 20, 30), (5, 7, 30)], 1),
])  # fmt: skip
def test_arrays_one_behind_the_other(kernels, shapes, dim):
    kernels.same("joining", "cat", [draw(*shape, seed=seed) for seed, shape in enumerate(shapes)], dim)
    alike = [draw(*shapes[0], seed=seed) for seed in range(3)]
    kernels.same("joining", "stack_along", alike, dim if dim >= 0 else dim - 1)


CASTS = list(itertools.permutations(NUMBERS, 2))


@pytest.mark.parametrize(("given", "wanted"), CASTS, ids=str)
@pytest.mark.filterwarnings("ignore:.* encountered in cast:RuntimeWarning")  # NumPy's, of what overflows
def test_casts(kernels, given, wanted):
    array = np.random.default_rng(0).integers(-300, 300, 500)
    array[:6] = [0, 1, 2**31 - 1, -(2**31), 65504, 70000]
    array = array.astype(given.numpy)
    if given.kind == "f" and wanted.kind in "iu":
        array = (np.arange(500) % 127 / 7).astype(given.numpy)  # what does not fit, C leaves open
    elif given.kind == "f":
        array = array / np.array(7, given.numpy)
        array[6:12] = np.array([np.inf, -np.inf, np.nan, -0.0, 1e-5, 3e38]).astype(given.numpy)
    expected = halved(array) if wanted is float16 else array.astype(wanted.numpy)
    found = moving.astype(array, wanted.numpy)
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(*(each.astype(float) if wanted.kind == "f" else each for each in (found, expected)))


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
@pytest.mark.parametrize(("given", "wanted"), [
    (float16, float32), (float32, float16), (float32, bfloat16), (bfloat16, float32), (float64, float32),
    (int64, float32), (boolean, float32), (float32, boolean), (int64, boolean),
], ids=str)  # fmt: skip
def test_casts_of_cut_and_expanded_arrays(cut, given, wanted):
    view, strides = cut
    array = view(np.linspace(-70, 70, 5400).reshape(60, 90).astype(given.numpy))
    expected = halved(array) if wanted is float16 else array.astype(wanted.numpy)
    for found in (moving.cast_to(array, wanted.numpy), cpu.astype(array, wanted.numpy)):
        np.testing.assert_array_equal(found.astype(float), expected.astype(float))
        assert found.dtype == wanted.numpy
        assert tuple(abs(each) // found.itemsize for each in found.strides) == strides


@pytest.mark.parametrize("cut", CUT.values(), ids=CUT)
@pytest.mark.parametrize("wanted", [float16, bfloat16], ids=str)
@pytest.mark.parametrize("given", [np.complex64, np.complex128], ids=lambda each: each.__name__)
def test_casts_of_complex_numbers_to_halves(cut, given, wanted):
    view, strides = cut
    array = view((np.linspace(-70, 70, 5400) + 3j).reshape(60, 90).astype(given))
    found = moving.astype(array, wanted.numpy)
    expected = cpu.astype(array.real.astype(np.float32), wanted.numpy)
    np.testing.assert_array_equal(found.astype(float), expected.astype(float))
    assert tuple(abs(each) // found.itemsize for each in found.strides) == strides


def test_casts_of_a_thousand_halves_are_kernels_and_of_other_numbers_are_not():
    array = np.linspace(-70_000, 70_000, moving.HALVED, dtype=np.float32)
    halves = moving.astype(array, FLOAT16)
    np.testing.assert_array_equal(halves, halved(array))
    np.testing.assert_array_equal(moving.astype(halves, np.dtype(np.float32)), halves.astype(np.float32))
    assert moving.astype(array[1:], FLOAT16) is None
    assert moving.astype(array, np.dtype(np.float64)) is None


@pytest.mark.parametrize("dtype", [np.bool_, np.uint8, np.int64, np.float32, ml_dtypes.bfloat16], ids=str)
@pytest.mark.parametrize("shape", [(1003,), (7, 30), (3, 5, 40), (2, 2, 2, 3, 16)], ids=str)
def test_where_elements_are_not_zero(kernels, shape, dtype):
    array = draw(*shape) > 5
    kernels.same("indexing", "nonzero", array.astype(dtype))
    kernels.same("indexing", "nonzero", np.zeros(shape, dtype))
    kernels.same("indexing", "nonzero", np.ones(shape, dtype)[::-1])


@pytest.mark.parametrize("dtype", [np.uint8, np.int32, np.int64], ids=str)
@pytest.mark.parametrize("length", [0, 300])
def test_how_often_numbers_occur(kernels, dtype, length):
    numbers = np.random.default_rng(0).integers(0, 200, 1003).astype(dtype)
    kernels.same("counting", "bincount", numbers, None, length)
    kernels.same("counting", "bincount", np.repeat(numbers, 2)[::2], None, length)


def test_what_is_not_counted_by_a_kernel():
    many = np.arange(1 << 16)
    bincount = replacing.replacements["counting", "bincount"]
    assert bincount(many - 5, None, 0) is None  # NumPy says what is wrong with a negative number
    assert bincount(many, None, 0) is None  # too many bins
    assert bincount(many % 7, many.astype(float), 0) is None


@pytest.mark.parametrize("dtype", [np.bool_, np.uint8, np.int32], ids=str)
@pytest.mark.parametrize(("shape", "dim"), [((1003,), 0), ((9, 40), 1), ((9, 40), 0)], ids=str)
def test_running_sums_of_small_whole_numbers_are_of_int64(kernels, shape, dim, dtype):
    kernels.same("scan", "running_sum", (draw(*shape) > 3).astype(dtype), dim, np.int64)


@pytest.mark.parametrize("width", [1, 5, 40])
@pytest.mark.parametrize("own", [True, False])
def test_scaled_rows_are_added(kernels, own, width):
    random = np.random.default_rng(0)
    table, factors = random.integers(-4, 5, (9, width)).astype("f"), random.integers(-4, 5, 30).astype("f")
    places, rows = random.integers(0, 9, 30), None if own else random.integers(0, 30, 30)
    begun = random.integers(-4, 5, (30, width)).astype("f")
    expected = scatter.add_scaled_rows(begun.copy(), table, places, factors, rows)
    found = replacing.replacements["scatter", "add_scaled_rows"](begun.copy(), table, places, factors, rows)
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("sizes", [(20, 1, 17, 40), (16, 16, 33), (64,)], ids=str)
def test_runs_of_scaled_rows_of_any_length(kernels, sizes):
    random = np.random.default_rng(0)
    rows = np.repeat([3, 1, 7, 3][: len(sizes)], sizes)
    table, factors = random.integers(-4, 5, (9, 100)).astype("d"), random.integers(-4, 5, rows.size).astype("d")
    given = table, random.integers(0, 9, rows.size), factors, rows
    expected = scatter.add_scaled_rows(np.zeros((8, 100)), *given)
    found = replacing.replacements["scatter", "add_scaled_rows"](np.zeros((8, 100)), *given)
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("bags", ["equal", "sorted", "any"])
def test_bags(kernels, bags):
    random = np.random.default_rng(0)
    table, factors = random.integers(-4, 5, (9, 7)).astype("f"), random.integers(-4, 5, 30).astype("f")
    where = {"equal": np.repeat(np.arange(6), 5), "sorted": np.sort(random.integers(0, 6, 30))}
    given = where.get(bags, random.integers(0, 6, 30))
    kernels.same("lookup", "bag_sums", table, factors, random.integers(0, 9, 30), given, 6)


@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16], ids=lambda each: each.__name__)
def test_bags_of_half_precision_are_rounded_once(kernels, dtype):
    """The numbers of a row are read as they are stored; where a bag is met again, nothing but float32 will do."""
    random = np.random.default_rng(0)
    table, factors = random.standard_normal((40, 70)).astype(dtype), random.standard_normal(300).astype(dtype)
    indices, bags = random.integers(0, 40, 300), np.sort(random.integers(0, 9, 300))
    wide = lookup.bag_sums(table.astype("d"), factors.astype("d"), indices, bags, 10)
    found = small_floats.bag_sums(table, factors, indices, bags, 10, -1, False)
    assert found.dtype == dtype
    np.testing.assert_allclose(found.astype("d"), wide, rtol=float(ml_dtypes.finfo(dtype).eps) * 0.51, atol=1e-5)
    assert small_floats.bag_sums(table, factors, indices, bags[::-1], 10, -1, False) is None


@pytest.mark.parametrize("dtype", [np.float32, np.float64], ids=lambda each: each.__name__)
def test_best_rows_of_bags(kernels, dtype):
    """Ties, nan and bags of which nothing counts are among them."""
    random = np.random.default_rng(0)
    table = random.integers(-2, 3, (9, 7)).astype(dtype)
    table[2, 1], table[5, 1:3] = np.nan, (np.nan, -np.inf)
    indices, bags, counted = random.integers(0, 9, 40), random.integers(0, 6, 40), random.random(40) > 0.3
    kernels.same("lookup", "bag_winners", table, indices, np.where(bags == 3, 4, bags), counted, 7)
    kernels.same("lookup", "bag_winners", table, indices.astype("i"), np.sort(bags).astype("i"), counted, 6)


@pytest.mark.parametrize("order", [1.0, 2.0, np.inf])
@pytest.mark.parametrize("shape", [(40, 3, 9), (3, 70, 40), (200, 5, 1)])
def test_distances_are_norms_of_differences(kernels, shape, order):
    generator = np.random.default_rng(0)
    first, second = (generator.standard_normal((n, shape[1])).astype("f") for n in (shape[0], shape[2]))
    first[1, 1], first[2, 0] = np.nan, np.inf
    ((found, _),) = kernels("distances", "distances", first, second, order)
    expected = np.linalg.norm(first[:, None].astype(float) - second.astype(float), order, -1)
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)


def test_distances_of_batches_and_of_float64(kernels):
    first, second = draw(2, 1, 6, 5, dtype=np.float64), draw(3, 7, 5, dtype=np.float64)
    for norm in (1.0, 2.0, np.inf):
        ((found, expected),) = kernels("distances", "distances", first, second, norm)
        assert found.shape == (2, 3, 6, 7)
        np.testing.assert_allclose(found, expected, rtol=1e-14)


@pytest.mark.parametrize("order", [1.0, np.inf])
@pytest.mark.parametrize("dtype", [np.float32, np.float64], ids=lambda each: each.__name__)
@pytest.mark.parametrize("shapes", [((40, 3), (9, 3)), ((3, 70), (40, 70)), ((2, 1, 6, 5), (3, 7, 5))], ids=str)
def test_slopes_of_distances(kernels, shapes, dtype, order):
    """Whole numbers, so that there are ties and sums are exact."""
    random = np.random.default_rng(0)
    first, second = (random.integers(-3, 4, shape).astype(dtype) for shape in shapes)
    first[..., 1, 1], first[..., 2, 0] = np.nan, np.inf
    with np.errstate(invalid="ignore"):
        far = distances.distances(first, second, order)
        g = np.swapaxes(random.integers(-3, 4, (*far.shape[:-2], far.shape[-1], far.shape[-2])).astype(dtype), -1, -2)
        kernels.same("distances", "distance_slopes", g, first, second, far, order)


@pytest.mark.parametrize("size", [1, 2, 40])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.bool_], ids=lambda each: each.__name__)
def test_above_a_diagonal(kernels, size, dtype):
    array = draw(size, size, dtype=dtype)
    kernels.same("distances", "above_diagonal", array)
    kernels.same("distances", "above_diagonal", array.T)
    kernels.same("distances", "filled_above_diagonal", draw(size * (size - 1) // 2, dtype=dtype), size)


@pytest.mark.parametrize("diagonal", [0, 2, -3, 50, -50])
@pytest.mark.parametrize("shape", [(5, 7), (2, 9, 4), (1, 1), (3, 2, 6, 6)])
@pytest.mark.parametrize("name", ["tril", "triu"])
def test_triangles(kernels, name, shape, diagonal):
    kernels.same("cpu", name, np.random.default_rng(0).standard_normal(shape).astype("f"), diagonal)
    kernels.same("cpu", name, np.ones(shape, bool), diagonal)


@pytest.mark.parametrize("orders", [(0, 0), (1, 0), (0, 1), (1, 1)], ids=str)
@pytest.mark.parametrize("padding", ["zeros", "border", "reflection"])
@pytest.mark.parametrize("mode", ["bilinear", "nearest", "bicubic"])
@pytest.mark.parametrize("align_corners", [False, True])
@pytest.mark.parametrize("shape", [(2, 3, 4, 5), (1, 1, 1, 1), (1, 2, 9, 70)], ids=str)
def test_images_between_their_pixels(kernels, shape, align_corners, mode, padding, orders):
    if mode == "nearest" and any(orders):
        return  # zero everywhere: nobody asks
    random = np.random.default_rng(0)
    image = random.standard_normal(shape).astype("f")
    grid = random.uniform(-1.4, 1.4, (shape[0], 7, 13, 2)).astype("f")
    grid[0, :2, 0], grid[0, 2, 0] = [[1, -1], [-1, 1]], 0
    for ours, theirs in kernels("sampling", "grid_sampled", image, grid, mode, padding, align_corners, orders):
        assert (ours.dtype, ours.shape) == (theirs.dtype, theirs.shape)
        # a place that is rounded once, not twice, moves by some of the last digits of the image's size
        np.testing.assert_allclose(ours, theirs, rtol=1e-4, atol=1e-4 + 2e-6 * np.abs(theirs).max())


@pytest.mark.parametrize("labels", [0, 1, 3, 20])
def test_beginnings_of_paths(kernels, labels):
    random = np.random.default_rng(0)
    targets, lengths = random.integers(1, 3, (3, labels)), np.array([labels, labels // 2, 0])
    path, passes = alignment.path_of(targets, lengths, 0)
    scores = np.log(random.random((25, 3, path.shape[1]))).astype("f")
    scores[3, 1] = -np.inf
    ((found, expected),) = kernels("alignment", "prefixes", scores, passes, None)
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)


# ---- what is counted


@pytest.mark.parametrize("dtype", [np.float32, np.float64], ids=lambda each: each.__name__)
def test_counts_in_bins_of_one_width(kernels, dtype):
    """Numbers at the edges, beyond them, and none at all are among them."""
    array = np.random.default_rng(0).integers(-12, 13, 400).astype(dtype) / dtype(10)
    array[:3] = np.nan, np.inf, -np.inf
    kernels.same("counting", "even_counts", array, -1.0, 1.0, 20)
    kernels.same("counting", "even_counts", array[3:].reshape(397, 1)[::2], -1.2, 1.1, 7)
    for edges in (np.linspace(-1, 1, 21, dtype=dtype), np.array([-1, 1], dtype)):
        with np.errstate(invalid="ignore"):
            kernels.same("counting", "counts_between", array, edges)


@pytest.mark.parametrize("dtype", [np.int64, np.float32, np.bool_, np.uint8], ids=lambda each: each.__name__)
@pytest.mark.parametrize("wanted", [(True, True), (False, True), (True, False), (False, False)], ids=str)
def test_runs(kernels, dtype, wanted):
    array = np.random.default_rng(0).integers(0, 2, (20, 15)).astype(dtype)
    if dtype is np.float32:
        array[3, :4], array[5, :2] = np.nan, (0.0, -0.0)
    kernels.same("order", "unique_runs", array, None, *wanted)
    kernels.same("order", "unique_runs", array[:, 2], 0, *wanted)


# ---- random numbers


@pytest.mark.parametrize("blocks", [1, 3])
def test_words_that_follow_a_block(kernels, blocks):
    bits = np.random.MT19937(5)
    words = bits.random_raw(3 * generator.BLOCK).astype(np.uint32)
    kernels.same("core.generator", "following", lambda: bits, words, blocks)


DRAWS = [
    *(("arrays.mt19937.normals", "normals_32", count, 1.0, 0.0, True) for count in (16, 40, 1000)),
    ("arrays.mt19937.normals", "normals_32", 83, 0.02, -3.0, False),
    *(("arrays.mt19937.uniforms", "uniforms_32", count, 0.0, 1.0) for count in (0, 1, 700)),
    ("arrays.mt19937.uniforms", "uniforms_32", 300, 1.0, 1.0 + 2**-22),
    *(("arrays.mt19937.uniforms", "shuffled", count) for count in (0, 1, 2, 50, 900)),
    *(("arrays.mt19937.rejection", "poisson_numbers", rates) for rates in (
        np.zeros((4, 5)), np.linspace(0, 9.9, 40), np.geomspace(1e-9, 1e9, 400),
    )),
    *(("arrays.mt19937.rejection", "binomial_numbers", np.full(50, n, kind), np.linspace(-0.1, 1.1, 50, dtype=kind))
      for n in (0, 7, 5000) for kind in ("f", "d")),
    *(("arrays.mt19937.rejection", "gamma_numbers", np.geomspace(1e-3, 1e3, 99, dtype=kind).reshape(3, 33))
      for kind in ("f", "d")),
    ("arrays.mt19937.rejection", "gamma_numbers", np.array([0.0, 0.5, np.nan, 2.0] * 5)),
]  # fmt: skip


@pytest.mark.parametrize("draw", DRAWS, ids=lambda draw: draw[1])
def test_draws_are_the_same_and_take_the_same_words(kernels, draw):
    file, name, *arguments = draw
    plain = getattr(MODULES[file], name)
    streams = [generator.Generator().manual_seed(7) for _ in range(2)]
    functions = replacing.replacements[file, name], getattr(plain, "stands_for", plain)
    arguments = [np.float32(each) if type(each) is float else each for each in arguments]
    for _ in range(2):
        ours, theirs = (function(stream, *arguments) for function, stream in zip(functions, streams, strict=True))
        assert ours.dtype == theirs.dtype
        if name == "gamma_numbers":  # NumPy's cosine is not the C library's on every processor, nor sincos its sine
            np.testing.assert_allclose(ours, theirs, rtol=1e-13)
        else:
            np.testing.assert_array_equal(ours.view(np.uint8), theirs.view(np.uint8))
    assert streams[0].state_bytes().tobytes() == streams[1].state_bytes().tobytes()


@pytest.mark.parametrize("name", ["wide_groups", "wide_pairs"])
def test_normal_numbers_of_uniform_ones_in_float64(kernels, name):
    uniforms = np.random.default_rng(0).random(160)
    uniforms[:4] = 0, 1 - 2**-53, 0.5, 2**-53
    ((found, expected),) = kernels("arrays.mt19937.normals", name, uniforms)
    # NumPy's cosine is not the C library's on every processor
    np.testing.assert_allclose(found, expected.reshape(-1), rtol=1e-14, atol=1e-15)


def test_what_a_number_by_rejection_looks_at_may_end_within_a_block(kernels):
    """A state of which less is left than of its block: the words behind are nobody's."""
    record = generator.Generator().manual_seed(7)
    record.words32(100)
    state = record.state_bytes().view(generator.STATE).copy()
    state["left"] -= 300
    streams = [generator.Generator().set_state(state.view(np.uint8)) for _ in range(2)]
    rates = np.full(400, 3.0)
    found = replacing.replacements["arrays.mt19937.rejection", "poisson_numbers"](streams[0], rates)
    assert found is None and streams[0].state_bytes().tobytes() == streams[1].state_bytes().tobytes()


def test_every_kernel_is_attached_once():
    replacing.attach()
    replacing.attach()
    for file, name in replacing.replacements:
        attached = getattr(MODULES[file], name)
        assert not hasattr(attached.stands_for, "stands_for"), (file, name)


def test_kernels_are_called_as_what_they_replace():
    replacing.attach()
    for (file, name), machine in replacing.replacements.items():
        plain = getattr(MODULES[file], name).stands_for
        if isinstance(plain, types.FunctionType) and plain.__module__.startswith("rushlight"):
            ours, theirs = (inspect.signature(each).parameters for each in (machine.function, plain))
            named = [(each.name, each.default) for each in theirs.values()]
            assert [(each.name, each.default) for each in ours.values()][: len(named)] == named, (file, name)
