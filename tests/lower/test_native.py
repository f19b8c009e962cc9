"""Restricted Python behaves like plain Python: every test runs both, on the same arrays."""

import math

import ml_dtypes
import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="the extra jit is not installed")

from rushlight.kernels.vectors import LANES, load, sum_of
from rushlight.lower import language
from rushlight.lower.language import (
    atomic_add,
    bits,
    compare_exchange,
    copy,
    float32_of,
    is_float,
    local,
    offset,
    sqrt,
)
from rushlight.lower.llvm import LIGHT, Host, host
from rushlight.lower.native import (
    Element,
    Native,
    NotTranslated,
    Unit,
    bfloat16,
    boolean,
    float16,
    float32,
    float64,
    function,
    int8,
    int32,
    int64,
    native,
    pointer,
    uint8,
    uint32,
    uint64,
)
from rushlight.lower.parallel import parallel_for

T = Element("T")
LIMIT = 3


@native
def gcd(a: int64, b: int64) -> int64:
    while b != 0:
        a, b = b, a % b
    return abs(a)


@native
def rounded_down(a: int64, b: int64) -> int64:
    return (a // b) * 1000 + a % b


@native
def by_powers(a: int64) -> int64:
    return (a // 8) * 1000 + a % 8 + (a >> 2) - (a << 1)


@native
def first_large(array: pointer(int32), count: int64, limit: int32) -> int64:
    for i in range(count):
        if array[i] < 0:
            continue
        if array[i] > limit:
            return i
        if i == LIMIT:
            break
    return -1


@native
def backwards(out: pointer(int64), count: int64):
    place = 0
    for i in range(count - 1, -1, -2):
        out[place] = i
        place += 1


@native
def between(a: float64, b: float64, c: float64) -> boolean:
    return (a < b <= c or c == 0.0) and not a == 7.0


@native
def hypotenuse(a: float64, b: float64) -> float64:
    longer, shorter = max(abs(a), abs(b)), min(abs(a), abs(b))
    ratio = shorter / longer if longer > 0.0 else 0.0
    return longer * sqrt(1.0 + ratio * ratio)


@native
def wrapped(a: uint32, b: uint32) -> uint32:
    return uint32(a * 2654435761 + b) ^ uint32(uint64(b) << 3)


@native
def narrow(a: int64) -> int64:
    return int64(int8(a)) + int64(uint8(a))


@native
def magnitude_bits(a: float32) -> uint32:
    return bits(a) & 0x7FFFFFFF


@native
def of_bits(a: uint32) -> float32:
    return float32_of(a)


@pytest.mark.parametrize(
    ("called", "arguments"),
    [
        *[(gcd, x) for x in [(12, 18), (-12, 18), (0, 5), (5, 0)]],
        *[(rounded_down, (a, b)) for a in (7, -7, 0, 8) for b in (2, -2, 3, 8)],
        *[(by_powers, (a,)) for a in (17, -17, 0, -8)],
        *[(between, x) for x in [(1.0, 2.0, 2.0), (2.0, 1.0, 3.0), (7.0, 8.0, 0.0), (math.nan, 1.0, 2.0)]],
        *[(hypotenuse, x) for x in [(3.0, 4.0), (0.0, 0.0), (-5.0, 12.0)]],
        *[(wrapped, x) for x in [(3, 4), (2**32 - 1, 2**32 - 1)]],
        *[(narrow, (a,)) for a in (300, -1, 127, 128)],
        *[(magnitude_bits, (np.float32(a),)) for a in (-0.0, -math.inf, 1.5)],
        *[(of_bits, (a,)) for a in (0x3F800000, 0x80000000)],
    ],
)
def test_scalar_functions(called, arguments):
    assert called.machine()(*arguments) == called(*arguments)


@pytest.mark.parametrize("values", [[1, 2, 9], [9], [], [-9, 1, 2, 3, 9], [1, -5, 9]])
def test_loops_end_like_pythons(values):
    array = np.array(values, np.int32)
    assert first_large.machine()(array, array.size, 5) == first_large(array, array.size, 5)
    ours, plain = np.zeros((2, 8), np.int64)
    backwards.machine()(ours, len(values))
    backwards(plain, len(values))
    assert (ours == plain).all()


@native
def total(array: pointer(T), count: int64) -> float64:
    result: float64 = 0
    for i in range(count):
        result += float64(array[i])
    return result


@native(separate=True)
def kind_and_count(out: pointer(int64), array: pointer(T), count: int64):
    seen = local(int64, 2)
    seen[0] = 0
    seen[1] = 0
    for i in range(count):
        seen[1 if array[i] != array[i] else 0] += 1
    copy(out, seen, 2)
    out[2] = 1 if is_float(array) else 0


TYPES = {
    boolean: bool,
    int8: np.int8,
    int64: np.int64,
    uint8: np.uint8,
    float16: np.float16,
    bfloat16: ml_dtypes.bfloat16,
    float32: np.float32,
    float64: np.float64,
}


@pytest.mark.parametrize("kind", TYPES, ids=str)
def test_one_function_for_many_types(kind):
    array = np.array([0, 1, 0, 3, 100], np.int64).astype(TYPES[kind])
    assert total.machine(kind)(array, 5) == total(array, 5) == array.astype(float).sum()
    ours, plain = np.zeros((2, 3), np.int64)
    kind_and_count.machine(kind)(ours, array, 5)
    kind_and_count(plain, array, 5)
    assert ours.tolist() == plain.tolist() == [5, 0, int(array.dtype.kind in "fV")]


@native
def doubled(out: pointer(T), array: pointer(T), count: int64):
    for i in range(count):
        out[i] = array[i] + array[i]


@pytest.mark.parametrize("kind", [float16, bfloat16], ids=str)
def test_half_precision_is_rounded_once_when_stored(kind):
    values = np.array([1.1, -0.0, 65504, np.inf, np.nan, 1e-7], np.float32).astype(kind.numpy)
    out = np.empty_like(values)
    doubled.machine(kind)(out, values, values.size)
    with np.errstate(over="ignore"):
        expected = (values.astype(np.float32) * 2).astype(kind.numpy)
    np.testing.assert_array_equal(out.astype(np.float32), expected.astype(np.float32))


@native
def apply(body: function(int64, returns=int64), count: int64) -> int64:
    result = 0
    for i in range(count):
        result += body(i)
    return result


@native
def square(a: int64) -> int64:
    return a * a


@native
def sum_of_squares(count: int64) -> int64:
    return apply(square, count)


@native
def claimed(words: pointer(int64)) -> int64:
    before = atomic_add(words, 0, 5)
    if compare_exchange(words, 2, 7, before):
        return before
    return -1 if compare_exchange(offset(words, 1), 1, 8, 9) else -2


def test_functions_call_functions():
    assert sum_of_squares.machine()(5) == sum_of_squares(5) == 30


@pytest.mark.parametrize("third", [7, 8, 9])
def test_atomics(third):
    ours, plain = np.array([[1, 2, third]] * 2, np.int64)
    assert claimed.machine()(ours) == claimed(plain)
    assert ours.tolist() == plain.tolist()


@native
def added(out: pointer(T), array: pointer(T), more: T, begin: int64, end: int64):
    for i in range(begin, end):
        out[i] = array[i] + more


@native
def add_everywhere(out: pointer(T), array: pointer(T), more: T, count: int64):
    parallel_for(added, count, 100, out, array, more)


@pytest.mark.parametrize("count", [0, 1, 100, 101, 12345])
def test_loops_over_the_pool(count):
    array = np.arange(count, dtype=np.float32)
    ours, plain = np.zeros((2, count), np.float32)
    add_everywhere.machine(float32)(ours, array, 1.5, count)
    add_everywhere(plain, array, 1.5, count)
    assert (ours == plain).all()
    assert (ours == array + 1.5).all()


def refused(function):
    with pytest.raises(NotTranslated) as raised:
        function.machine()
    return str(raised.value)


@native
def mixed(a: int64, b: float64) -> float64:
    return a * b


@native
def late(a: int64) -> int64:
    if a > 0:
        result = 1
    b = result
    result = 2.5
    return b


@native
def truthy(a: int64) -> int64:
    return 1 if a else 0


@native
def listed(a: int64) -> int64:
    return [a][0]


@native
def outside(a: float64) -> float64:
    return math.sin(a)


@native
def printed(a: int64) -> int64:
    print(a)
    return a


def test_unsupported_python_is_refused_with_its_line():
    assert "int64 meets float64: write the cast" in refused(mixed)
    assert "2.5 is no whole number" in refused(late)
    assert f"test_native.py:{late.line + 5}, in late" in refused(late)
    assert "a condition is a comparison" in refused(truthy)
    assert "List has no machine code" in refused(listed)
    assert "only a name can stand here" in refused(outside)
    assert "print has no machine code" in refused(printed)


def test_the_number_of_types_is_checked():
    with pytest.raises(TypeError, match="total has the type variables"):
        total.machine()


@native(alone=True)
def twice(a: int64) -> int64:
    return 2 * a


@native
def quadrupled(a: int64) -> int64:
    return twice(twice(a))


def test_standalone_functions_are_called_and_not_inlined():
    unit = Unit(language.BUILTINS, [quadrupled])
    unit.define(quadrupled, {})
    optimised = str(host().optimised(unit.text()))
    assert optimised.count("call ") == 2
    assert quadrupled.machine()(3) == quadrupled(3) == 12


@native(inlined=True)
def added_up(out: pointer(float32), x: pointer(float32), begin: int64, end: int64):
    for row in range(begin, end):
        out[row] = sum_of(load(x, row * LANES))


@native(light=True, halves=True)
def sums_of_vectors(out: pointer(float32), x: pointer(float32), rows: int64):
    parallel_for(added_up, rows, 1, out, x)


@pytest.mark.parametrize("split", [True, False])
def test_functions_prefer_half_registers_where_processors_do(split, monkeypatch):
    monkeypatch.setattr(Host, "halves", split)
    text = sums_of_vectors.written((), called=False).text
    attributes = [line for line in text.splitlines() if line.startswith("attributes")]
    assert len(attributes) == 4
    assert ['"prefer-vector-width"="256" "min-legal-vector-width"="0"' in line for line in attributes] == 4 * [split]


@pytest.mark.skipif(not host().masks, reason="registers have no more than 256 bits")
def test_split_registers_give_the_same_sums(monkeypatch):
    x, result = np.random.default_rng(0).standard_normal((50, LANES)).astype(np.float32), []
    for split in (True, False):
        monkeypatch.setattr(Host, "halves", split)
        written = sums_of_vectors.written((), called=False)
        code = host().machine.emit_assembly(host().optimised(written.text, LIGHT))
        assert ("zmm" in code) is not split
        sums = np.empty(50, np.float32)
        Native(sums_of_vectors.plain, light=True, halves=True).machine()(sums, x, 50)
        result.append(sums)
    np.testing.assert_array_equal(*result)


@native
def halved(out: pointer(float32), value: float32, count: int64, sign: boolean) -> float32:
    if sign:
        out[0] = -value
    return value / 2.0


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        (np.zeros(1, np.float32), 1.0, 2),
        (np.zeros(1, np.float32), "1", 2, True),
        (np.zeros(1, np.float32), 1.0, 2.5, True),
        ([1.0], 1.0, 2, True),
        (None, 1.0, 2, True),
    ],
)
def test_unsupported_arguments_are_refused_before_a_kernel_runs(arguments):
    with pytest.raises(TypeError):
        halved.machine()(*arguments)


def test_arguments_are_bound_like_pythons():
    out = np.zeros(1, np.float32)
    assert halved.machine()(out, 3, np.int64(2), 1) == 1.5 and out[0] == -3
    assert halved.machine()(out.ctypes.data, np.float32(5), True, False) == 2.5 and out[0] == -3
    with pytest.raises(OverflowError):
        halved.machine()(out, 1.0, 1 << 70, True)
