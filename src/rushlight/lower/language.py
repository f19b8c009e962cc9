"""What restricted Python can call: functions that plain Python runs on arrays, and that become a piece of LLVM's text.

Arrays have no address that one could compute with, so moving a pointer is `offset`, and room for a few numbers `local`.
"""

from __future__ import annotations

import ast
import platform

import numpy as np

from rushlight.lower.machine_text import Value
from rushlight.lower.machine_types import (
    Element,
    Type,
    boolean,
    float32,
    int32,
    int64,
    pointer,
    uint32,
    uint64,
    vector_of,
    void,
)

LESS, MORE = ast.Lt(), ast.Gt()


class Builtin:
    """A function with two faces: `plain` on arrays and numbers, `emit(translation, *values)` for machine code."""

    def __init__(self, plain, emit, reads=True):
        self.plain, self.emit, self.reads = plain, emit, reads
        self.__name__, self.__doc__ = plain.__name__, plain.__doc__

    def __call__(self, *arguments):
        return self.plain(*arguments)

    def call(self, translation, nodes) -> Value:
        return self.emit(translation, *([translation.value(each) for each in nodes] if self.reads else nodes))


def compiled_as(emit, reads=True):
    """The decorator that gives a plain function its other face; without `reads` it is given syntax, not values."""
    return lambda plain: Builtin(plain, emit, reads)


# ---- pointers and memory


def _offset(translation, base: Value, count: Value) -> Value:
    return Value(base.type, translation.address(base, count))


@compiled_as(_offset)
def offset(array, count):
    """The pointer `count` elements further on."""
    return array[count:]


def _local(translation, kind, count) -> Value:
    element = translation.static(kind)
    element = translation.bound.get(element, element)
    many = translation.value(count).literal
    if many is None:
        raise translation.refuse("the size of local memory is written out")
    return translation.slot(element, many)._replace(type=pointer(element))


@compiled_as(_local, reads=False)
def local(kind, count):
    """Room for a fixed number of elements, with anything in it, until the function returns."""
    return np.empty(count, object if isinstance(kind, Element) else kind.numpy)


def size_of(translation, array: Value, count: Value) -> Value:
    """How many bytes so many elements take."""
    size = translation.converted(count, int64)
    return translation.emit(int64, f"mul i64 {size.text}, {array.type.element.size}")


def _copy(translation, out: Value, source: Value, count: Value) -> Value:
    total = size_of(translation, out, count)
    translation.unit.declare("memcpy", "declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)")
    translation.line(f"call void @llvm.memcpy.p0.p0.i64(ptr {out.text}, ptr {source.text}, i64 {total.text}, i1 false)")
    return Value(void, "")


@compiled_as(_copy)
def copy(out, source, count):
    """Copies elements; the two places do not overlap."""
    out[:count] = source[:count]


def _clear(translation, out: Value, count: Value) -> Value:
    total = size_of(translation, out, count)
    translation.unit.declare("memset", "declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)")
    translation.line(f"call void @llvm.memset.p0.i64(ptr {out.text}, i8 0, i64 {total.text}, i1 false)")
    return Value(void, "")


@compiled_as(_clear)
def clear(out, count):
    """Writes zeros."""
    out[:count] = 0


# ---- the bits of numbers


def _bits(translation, value: Value) -> Value:
    if value.type.kind != "f":
        return translation.converted(value, {8: value.type, 32: uint32, 64: uint64}[value.type.bits], explicit=True)
    kind = vector_of({32: uint32, 64: uint64}[value.type.bits], value.type.lanes)
    return translation.emit(kind, f"bitcast {value.type.register} {value.text} to {kind.register}")


@compiled_as(_bits)
def bits(value):
    """The bits of a float, or of a vector of them, as an unsigned number."""
    found = value.view({2: np.uint16, 4: np.uint32, 8: np.uint64}[value.itemsize])
    return found if found.ndim else int(found)


def _float_of(kind: Type):
    def emit(translation, value: Value) -> Value:
        lanes = value.type.lanes
        value = translation.converted(value, vector_of({32: uint32, 64: uint64}[kind.bits], lanes))
        found = vector_of(kind, lanes)
        return translation.emit(found, f"bitcast {value.type.register} {value.text} to {found.register}")

    return emit


@compiled_as(_float_of(float32))
def float32_of(value):
    """The float that has these bits."""
    return np.uint32(value).view(np.float32)


def _is_float(translation, base: Value) -> Value:
    kind = base.type.element if base.type.kind == "p" else base.type
    return translation.literal(kind.kind == "f")


@compiled_as(_is_float)
def is_float(array):
    """Whether elements are floats: known while compiling, so that an `if` of it costs nothing."""
    return np.asarray(array).dtype.kind in "fV"


# ---- Python's own


def _extreme(comparison: str):
    def emit(translation, left: Value, right: Value) -> Value:
        left, right = translation.alike(left, right)
        test = translation.compared(LESS if comparison == "min" else MORE, right, left)
        if test.literal is not None:
            return right if test.literal else left
        form = left.type.register
        chosen = f"select {test.type.register} {test.text}, {form} {right.text}, {form} {left.text}"
        return translation.emit(left.type, chosen)

    return emit


def _intrinsic(name: str):
    def emit(translation, value: Value) -> Value:
        symbol = f"@llvm.{name}.{value.type.suffix}"
        translation.unit.declare(symbol, f"declare {value.type.register} {symbol}({value.type.register})")
        return translation.call_of(symbol, (value.type,), value.type, (value,))

    return emit


def _absolute(translation, value: Value) -> Value:
    if value.type.kind == "f":
        return _intrinsic("fabs")(translation, value)
    form = value.type.register
    less = translation.emit(boolean, f"icmp slt {form} {value.text}, 0")
    turned = translation.emit(value.type, f"sub {form} 0, {value.text}")
    return translation.emit(value.type, f"select i1 {less.text}, {form} {turned.text}, {form} {value.text}")


class Emitter:
    """The compiled face of a function that Python already has."""

    def __init__(self, emit):
        self.emit = emit

    def call(self, translation, nodes) -> Value:
        return self.emit(translation, *(translation.value(each) for each in nodes))


BUILTINS = {
    min: Emitter(_extreme("min")),
    max: Emitter(_extreme("max")),
    abs: Emitter(_absolute),
}


def _beyond(name: str, comparison):
    """The extreme of two as PyTorch has it: NaN if one is."""

    def emit(translation, left: Value, right: Value) -> Value:
        left, right = translation.alike(left, right)
        if left.type.kind != "f":
            return _extreme("min" if comparison is LESS else "max")(translation, left, right)
        symbol = f"@llvm.{name}.{left.type.suffix}"
        form = left.type.register
        translation.unit.declare(symbol, f"declare {form} {symbol}({form}, {form})")
        # Which of two zeros it is does not matter, and costs as much as all the rest.
        return translation.emit(left.type, f"call nsz {form} {symbol}({form} {left.text}, {form} {right.text})")

    return emit


@compiled_as(_beyond("maximum", MORE))
def larger(a, b):
    """The larger of two numbers, NaN if one of them is."""
    return np.maximum(a, b)


@compiled_as(_beyond("minimum", LESS))
def smaller(a, b):
    """The smaller of two numbers, NaN if one of them is."""
    return np.minimum(a, b)


@compiled_as(_intrinsic("floor"))
def floor(value):
    """The whole number below."""
    return np.floor(value)


@compiled_as(_intrinsic("sqrt"))
def sqrt(value):
    """The square root."""
    return np.sqrt(value)


# ---- between threads

ORDER = "seq_cst"


def _atomic_add(translation, base: Value, index: Value, value: Value) -> Value:
    kind, place = base.type.element, translation.address(base, index)
    value = translation.converted(value, kind)
    return translation.emit(kind, f"atomicrmw add ptr {place}, {kind.memory} {value.text} {ORDER}")


def _atomic_load(translation, base: Value, index: Value) -> Value:
    kind, place = base.type.element, translation.address(base, index)
    return translation.emit(kind, f"load atomic {kind.memory}, ptr {place} {ORDER}, align {kind.size}")


def _atomic_store(translation, base: Value, index: Value, value: Value) -> Value:
    kind, place = base.type.element, translation.address(base, index)
    value = translation.converted(value, kind)
    translation.line(f"store atomic {kind.memory} {value.text}, ptr {place} {ORDER}, align {kind.size}")
    return Value(void, "")


def _compare_exchange(translation, base: Value, index: Value, expected: Value, value: Value) -> Value:
    kind, place = base.type.element, translation.address(base, index)
    expected, value = translation.converted(expected, kind), translation.converted(value, kind)
    form = kind.memory
    pair = translation.emit(kind, f"cmpxchg ptr {place}, {form} {expected.text}, {form} {value.text} {ORDER} {ORDER}")
    return translation.emit(boolean, f"extractvalue {{ {form}, i1 }} {pair.text}, 1")


@compiled_as(_atomic_add)
def atomic_add(array, index, value):
    """Adds to an element in one step that no other thread can divide; gives what was there."""
    before = array[index]
    array[index] += value
    return before


@compiled_as(_atomic_load)
def atomic_load(array, index):
    """Reads an element that other threads write."""
    return array[index]


@compiled_as(_atomic_store)
def atomic_store(array, index, value):
    """Writes an element that other threads read; they see all that was written before."""
    array[index] = value


@compiled_as(_compare_exchange)
def compare_exchange(array, index, expected, value):
    """Writes an element if it is what is expected, in one step; says whether."""
    if array[index] != expected:
        return False
    array[index] = value
    return True


PAUSES = {"x86_64": "@llvm.x86.sse2.pause()", "amd64": "@llvm.x86.sse2.pause()", "aarch64": "@llvm.aarch64.hint(i32 1)"}


def _pause(translation) -> Value:
    found = PAUSES.get(platform.machine().lower())
    if found:
        translation.unit.declare("pause", f"declare void {found.replace('i32 1', 'i32')}")
        translation.line(f"call void {found}")
    return Value(void, "")


@compiled_as(_pause)
def pause():
    """Tells the processor that a loop is waiting."""


# ---- sleeping and waking: Linux has futexes, and only there the pool has threads

# Of futex, sched_yield, sched_setaffinity and sched_getaffinity, among the calls of the kernel
CALL_NUMBERS = {"x86_64": (202, 24, 203, 204), "aarch64": (98, 124, 122, 123)}
NO_CALLS = (None,) * 4
WAIT, WAKE = 128, 129  # both for threads of this process only
FUTEX, YIELD, SET_CORES, GET_CORES = (
    CALL_NUMBERS.get(platform.machine(), NO_CALLS) if platform.system() == "Linux" else NO_CALLS
)


def _futex(action: int):
    def emit(translation, base: Value, index: Value, value: Value) -> Value:
        if FUTEX is None:
            raise translation.refuse("this platform has no futex")
        place, value = translation.address(base, index), translation.converted(value, int32, explicit=True)
        translation.unit.declare("syscall", "declare i64 @syscall(i64, ...)")
        inside = f"i64 {FUTEX}, ptr {place}, i32 {action}, i32 {value.text}, ptr null, ptr null, i32 0"
        translation.line(f"call i64 (i64, ...) @syscall({inside})")
        return Value(void, "")

    return emit


@compiled_as(_futex(WAIT))
def futex_wait(array, index, seen):
    """Sleeps until woken if the low 32 bits of an element are those of `seen`; may wake for no reason."""
    if array[index] == seen:
        raise RuntimeError("in plain Python nobody would ever wake it")


@compiled_as(_futex(WAKE))
def futex_wake(array, index, count):
    """Wakes at most `count` threads that sleep on an element."""


def _let_others(translation) -> Value:
    translation.unit.declare("syscall", "declare i64 @syscall(i64, ...)")
    translation.line(f"call i64 (i64, ...) @syscall(i64 {YIELD})")
    return Value(void, "")


@compiled_as(_let_others)
def let_others():
    """Gives the core to a thread that waits for it, if there is one."""


def _core(translation) -> Value:
    translation.unit.declare("sched_getcpu", "declare i32 @sched_getcpu()")
    return translation.emit(int32, "call i32 @sched_getcpu()")


@compiled_as(_core)
def core():
    """The number of the core that the calling thread is on."""
    return 0


def _cores(number):
    def emit(translation, mask: Value, words: Value) -> Value:
        translation.unit.declare("syscall", "declare i64 @syscall(i64, ...)")
        size = translation.converted(words, int64, explicit=True)
        count = translation.emit(int64, f"mul i64 {size.text}, 8")
        return translation.emit(
            int64, f"call i64 (i64, ...) @syscall(i64 {number}, i32 0, i64 {count.text}, ptr {mask.text})"
        )

    return emit


@compiled_as(_cores(GET_CORES))
def get_cores(mask, words):
    """Writes a bit for each core that the calling thread may be on; negative where that failed."""
    return -1


@compiled_as(_cores(SET_CORES))
def set_cores(mask, words):
    """Lets the calling thread be on those cores alone, and moves it to one of them; negative where that failed."""
    return -1


# ---- what a running program provides


class Imported:
    """A pointer, or a function's address, that exists in a running program only: `provide()` gives it at loading.

    Object code reads it from a variable, and so stays true in another process.
    """

    def __init__(self, symbol: str, kind: Type, provide):
        self.symbol, self.kind, self.provide = symbol, kind, provide

    def as_value(self, translation) -> Value:
        translation.unit.declare(self.symbol, f"@{self.symbol} = global ptr null")
        translation.unit.imported[self.symbol] = self.provide
        return translation.emit(self.kind, f"load ptr, ptr @{self.symbol}")
