"""Vectors in restricted Python behave like plain Python: every test runs both, on the same arrays."""

import ml_dtypes
import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="the extra jit is not installed")

from rushlight.kernels.elementary import decay, sigmoid, tanh
from rushlight.kernels.vectors import (
    LANES,
    any_lane,
    lane_indices,
    lanes_before,
    lanes_between,
    largest_of,
    load,
    load_some,
    prefetch_lines,
    reduce_lanes,
    select,
    splat,
    splat_wide,
    store,
    store_some,
    sum_of,
    transpose,
    transpose_some,
    vector,
    wide,
)
from rushlight.lower.language import larger, smaller
from rushlight.lower.llvm import host
from rushlight.lower.native import OF_NUMPY, Element, float32, float64, int64, native, pointer

WHOLE_TYPES = ["bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64"]
COUNTS = [0, 1, LANES - 1, LANES, LANES + 1, 2 * LANES + 3]


@native(light=True)
def copy_some(out: pointer(float32), array: pointer(float32), count: int64):
    for i in range(0, count, LANES):
        store_some(out, i, load_some(array, i, 0, count - i), count - i)


@native(light=True)
def within(out: pointer(float32), array: pointer(float32), first: int64, last: int64):
    store_some(out, 0, load_some(array, 0, first, last), LANES)
    store_some(out, LANES, select(lanes_between(first, last), 1.0, splat(2.0)), LANES)


@native(light=True)
def search(out: pointer(float32), where: pointer(int64), array: pointer(float32), count: int64) -> int64:
    """Writes the maximum without NaN, of each lane and of all, and whether there is a NaN."""
    result, known, strange = splat(-9.0), lane_indices(-1, 0), lanes_before(0)
    for i in range(0, count, LANES):
        now = load_some(array, i, 0, count - i)
        better = lanes_before(count - i) & (now > result)
        result, known = select(better, now, result), select(better, lane_indices(i, 1), known)
        strange = strange | (now != now)
    store_some(out, 0, result, LANES)
    store_some(where, 0, known, LANES)
    out[LANES] = largest_of(result)
    if any_lane(strange):
        return 1
    return 0


@native(light=True)
def shares(out: pointer(float32), totals: pointer(float64), array: pointer(float32), by: float64, count: int64):
    for i in range(0, count, LANES):
        result = wide(load_some(array, i, 0, count - i)) / splat_wide(by)
        store_some(totals, i, load_some(totals, i, 0, count - i) + result, count - i)
        store_some(out, i, vector(result) * 2.0 - 1.0, count - i)


T = Element("T")
A = Element("A")


@native
def twice(value: A) -> A:
    return value + value


@native(light=True)
def of_any(out: pointer(A), doubled: pointer(A), back: pointer(T), array: pointer(T), count: int64):
    """Writes the extremes of each lane and of all, the array doubled, and the array unchanged."""
    most, least = A(load(array, 0)), A(load(array, 0))
    for i in range(0, count, LANES):
        now = A(load_some(array, i, 0, count - i))
        most, least = larger(most, now), smaller(least, now)
        store_some(doubled, i, twice(now) - splat(A(1)), count - i)
    for i in range(0, count, LANES):
        store_some(back, i, T(load_some(doubled, i, 0, count - i)), count - i)
    store(out, 0, most)
    store(out, LANES, least)
    out[2 * LANES] = largest_of(most)
    out[2 * LANES + 1] = reduce_lanes(least, smaller)
    out[2 * LANES + 2] = sum_of(most)


@native(light=True)
def of_vectors(one: pointer(float32), two: pointer(float32), three: pointer(float32), array: pointer(float32)):
    now = load(array, 0)
    store_some(one, 0, tanh(now), LANES)
    store_some(two, 0, sigmoid(now), LANES)
    store_some(three, 0, decay(now), LANES)


@native(light=True)
def of_numbers(one: pointer(float32), two: pointer(float32), three: pointer(float32), array: pointer(float32)):
    for i in range(LANES):
        one[i] = tanh(array[i])
        two[i] = sigmoid(array[i])
        three[i] = decay(array[i])


@native(light=True)
def turned(out: pointer(float32), array: pointer(float32), apart: int64, lines: int64, length: int64):
    transpose(array, apart, out, LANES)
    transpose_some(array, apart, lines, length, offset_of(out), LANES)


@native
def offset_of(out: pointer(float32)) -> pointer(float32):
    return pointer(float32)(int64(out) + 4 * LANES * LANES)


def both(kernel, *arguments, types=()):
    """Returns the arguments after machine code and after plain Python, and the results."""
    sides = []
    for run in (kernel.machine(*types), kernel):
        args = [argument.copy() if isinstance(argument, np.ndarray) else argument for argument in arguments]
        sides.append((run(*args), args))
    return sides


def agree(kernel, *arguments, types=()):
    (result, machine), (expected, plain) = both(kernel, *arguments, types=types)
    assert result == expected
    for one, other in zip(machine, plain, strict=True):
        np.testing.assert_array_equal(one, other)
    return machine


@pytest.fixture
def numbers():
    return np.random.default_rng(0).standard_normal(4 * LANES).astype(np.float32)


@pytest.mark.parametrize("count", COUNTS)
def test_only_the_given_number_of_lanes_is_written(count, numbers):
    out, *_ = agree(copy_some, np.zeros_like(numbers), numbers, count)
    np.testing.assert_array_equal(out[:count], numbers[:count])
    assert not out[count:].any()


@native(light=True)
def write_some(out: pointer(T), array: pointer(T), count: int64):
    store_some(out, 0, load(array, 0), count)


@pytest.mark.parametrize("masks", [True, False])
@pytest.mark.parametrize("kind", [*WHOLE_TYPES, "float16", ml_dtypes.bfloat16, "float32", "float64"])
def test_machines_with_and_without_masks_write_the_same(kind, masks, monkeypatch):
    """For any number of lanes, nothing after them is touched."""
    monkeypatch.setattr(type(host()), "masks", masks)
    monkeypatch.setattr(write_some, "kernels", {})
    kind = np.dtype(kind)
    assert ("store_first" in write_some.written((OF_NUMPY[kind],)).text) is not masks
    array, run = np.arange(1, LANES + 1).astype(kind), write_some.machine(OF_NUMPY[kind])
    for count in range(-LANES - 1, 2 * LANES + 2):
        out = np.zeros(2 * LANES, kind)
        run(out, array, count)
        written = min(max(count, 0), LANES)
        np.testing.assert_array_equal(out[:written], array[:written])
        assert not out[written:].any()


@native(light=True)
def asks(array: pointer(T), index: int64):
    prefetch_lines(array, index, 64, 8192)


@pytest.mark.parametrize(("kind", "lines"), [("uint8", 1), ("float16", 2), ("float32", 4), ("float64", 8)])
def test_each_line_is_prefetched_once(kind, lines):
    """The lines of 64 elements; they need not exist."""
    kind = next(x for x in OF_NUMPY.values() if x.name == kind)
    text = asks.written((kind,)).text
    assert text.count("call void @llvm.prefetch") == lines
    assert [f"i64 {8192 + 64 * line}\n" in text for line in range(lines + 1)] == [True] * lines + [False]
    asks.machine(kind)(np.zeros(3, kind.numpy), 1 << 40)


@pytest.mark.parametrize(("first", "last"), [(0, 1), (-3, LANES + 5), (2, 3), (1, LANES), (3, 1), (LANES, LANES + 1)])
def test_a_range_of_lanes(first, last, numbers):
    agree(within, np.zeros_like(numbers), numbers, first, last)


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("strange", [False, True])
def test_comparisons_select_lane_by_lane(count, strange, numbers):
    if strange and count:
        numbers[count - 1] = np.nan
    agree(search, np.zeros(LANES + 1, np.float32), np.zeros(LANES, np.int64), numbers, count)


@pytest.mark.parametrize("count", COUNTS)
def test_vectors_of_float64(count, numbers):
    agree(shares, np.zeros_like(numbers), np.arange(4.0 * LANES), numbers, 3.0, count)


WHOLE = [(name, "int64") for name in WHOLE_TYPES[:-1]]
FLOATS = [("float16", "float32"), (ml_dtypes.bfloat16, "float32"), ("float32", "float32"), ("float64", "float64")]


@pytest.mark.parametrize(("source", "computed"), [*WHOLE, ("int32", "int32"), ("uint64", "uint64"), *FLOATS])
@pytest.mark.parametrize("count", COUNTS[1:])
def test_vectors_of_any_type(source, computed, count):
    source, computed = np.dtype(source), np.dtype(computed)
    array = np.random.default_rng(0).integers(0, 100, 4 * LANES).astype(source)
    doubled, back, out = np.zeros(4 * LANES, computed), np.zeros(4 * LANES, source), np.zeros(2 * LANES + 3, computed)
    kernel = of_any.machine(OF_NUMPY[computed], OF_NUMPY[source])
    kernel(out, doubled, back, array, count)
    rows = np.zeros((-(-count // LANES), LANES), computed)
    rows.reshape(-1)[:count] = array[:count]
    rows = np.concatenate([rows, array[None, :LANES].astype(computed)])
    most, least = rows.max(0), rows.min(0)
    np.testing.assert_array_equal(out[: 2 * LANES], np.concatenate([most, least]))
    np.testing.assert_array_equal(out[2 * LANES :], [most.max(), least.min(), most.sum()])
    np.testing.assert_array_equal(doubled[:count], array[:count].astype(computed) * 2 - 1)
    np.testing.assert_array_equal(back[:count], (array[:count].astype(computed) * 2 - 1).astype(source))
    assert not doubled[count:].any()
    assert not back[count:].any()
    if OF_NUMPY[source].loaded.numpy == computed:  # an `Element` that is called in plain Python leaves a number alone
        agree(of_any, out, doubled, back, array, count, types=(OF_NUMPY[computed], OF_NUMPY[source]))


def test_elementary_functions_of_vectors_equal_those_of_scalars(numbers):
    numbers[:4] = np.nan, np.inf, -np.inf, 100
    rooms = [np.zeros(LANES, np.float32) for _ in range(6)]
    of_vectors.machine()(*rooms[:3], numbers)
    of_numbers.machine()(*rooms[3:], numbers)
    functions = np.tanh, lambda x: 1 / (1 + np.exp(-x)), lambda x: np.exp(np.where(x < np.inf, x, np.nan))
    for one, other, function in zip(rooms[:3], rooms[3:], functions, strict=True):
        np.testing.assert_array_equal(one, other)
        with np.errstate(over="ignore"):
            np.testing.assert_allclose(one, function(numbers[:LANES]), rtol=1e-6)


def test_squares_are_transposed():
    array = np.random.default_rng(0).standard_normal((LANES, LANES + 3)).astype(np.float32)
    out, lines, length = np.zeros((2, LANES, LANES), np.float32), LANES - 1, LANES // 2
    turned.machine()(out, array, array.shape[1], lines, length)
    np.testing.assert_array_equal(out[0], array[:, :LANES].T)
    np.testing.assert_array_equal(out[1, :length, :lines], array[:lines, :length].T)
    assert not out[1, length:].any()
