"""The functions that restricted Python can call: plain Python on arrays, and LLVM text in machine code.

NumPy arrays have no pointer arithmetic, so a moved pointer is `offset`, and stack memory is `local`.
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
    """A function with two implementations: `plain` on arrays and numbers, `emit(translation, *values)` for machine
    code.
    """

    def __init__(self, plain, emit, reads=True):
        self.plain, self.emit, self.reads = plain, emit, reads
        self.__name__, self.__doc__ = plain.__name__, plain.__doc__

    def __call__(self, *arguments):
        return self.plain(*arguments)

    def call(self, translation, nodes) -> Value:
        return self.emit(translation, *([translation.value(node) for node in nodes] if self.reads else nodes))


def compiled_as(emit, reads=True):
    """Returns the decorator that adds the emitting implementation; without `reads` it gets syntax nodes, not values."""
    return lambda plain: Builtin(plain, emit, reads)


# ---- pointers and memory


def _offset(translation, base: Value, count: Value) -> Value:
    return Value(base.type, translation.address(base, count))


@compiled_as(_offset)
def offset(array, count):
    """Returns the pointer `count` elements further."""
    return array[count:]


def _local(translation, dtype, count) -> Value:
    element = translation.static(dtype)
    element = translation.bound.get(element, element)
    size = translation.value(count).literal
    if size is None:
        raise translation.refuse("the size of local memory is written out")
    return translation.slot(element, size)._replace(type=pointer(element))


@compiled_as(_local, reads=False)
def local(dtype, count):
    """Returns uninitialized stack memory for a constant number of elements."""
    return np.empty(count, object if isinstance(dtype, Element) else dtype.numpy)


def size_of(translation, array: Value, count: Value) -> Value:
    """Returns the bytes of `count` elements."""
    size = translation.converted(count, int64)
    return translation.emit(int64, f"mul i64 {size.text}, {array.type.element.size}")


def _copy(translation, out: Value, source: Value, count: Value) -> Value:
    total = size_of(translation, out, count)
    translation.unit.declare("memcpy", "declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)")
    translation.line(f"call void @llvm.memcpy.p0.p0.i64(ptr {out.text}, ptr {source.text}, i64 {total.text}, i1 false)")
    return Value(void, "")


@compiled_as(_copy)
def copy(out, source, count):
    """Copies elements; source and target do not overlap."""
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


# ---- bits


def _bits(translation, value: Value) -> Value:
    if value.type.kind != "f":
        return translation.converted(value, {8: value.type, 32: uint32, 64: uint64}[value.type.bits], explicit=True)
    bits_type = vector_of({32: uint32, 64: uint64}[value.type.bits], value.type.lanes)
    return translation.emit(bits_type, f"bitcast {value.type.register} {value.text} to {bits_type.register}")


@compiled_as(_bits)
def bits(value):
    """Returns the bits of a float, or of a vector of floats, as unsigned integers."""
    words = value.view({2: np.uint16, 4: np.uint32, 8: np.uint64}[value.itemsize])
    return words if words.ndim else int(words)


def _float_of(kind: Type):
    def emit(translation, value: Value) -> Value:
        lanes = value.type.lanes
        value = translation.converted(value, vector_of({32: uint32, 64: uint64}[kind.bits], lanes))
        float_type = vector_of(kind, lanes)
        return translation.emit(float_type, f"bitcast {value.type.register} {value.text} to {float_type.register}")

    return emit


@compiled_as(_float_of(float32))
def float32_of(value):
    """Returns the float with these bits."""
    return np.uint32(value).view(np.float32)


def _is_float(translation, base: Value) -> Value:
    type_ = base.type.element if base.type.kind == "p" else base.type
    return translation.literal(type_.kind == "f")


@compiled_as(_is_float)
def is_float(array):
    """Returns whether elements are floats; a compile-time constant."""
    return np.asarray(array).dtype.kind in "fV"


# ---- Python builtins


def _extreme(comparison: str):
    def emit(translation, left: Value, right: Value) -> Value:
        left, right = translation.promoted(left, right)
        test = translation.compared(LESS if comparison == "min" else MORE, right, left)
        if test.literal is not None:
            return right if test.literal else left
        form = left.type.register
        text = f"select {test.type.register} {test.text}, {form} {right.text}, {form} {left.text}"
        return translation.emit(left.type, text)

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
    negated = translation.emit(value.type, f"sub {form} 0, {value.text}")
    return translation.emit(value.type, f"select i1 {less.text}, {form} {negated.text}, {form} {value.text}")


class Emitter:
    """The emitting implementation of a function that Python has."""

    def __init__(self, emit):
        self.emit = emit

    def call(self, translation, nodes) -> Value:
        return self.emit(translation, *(translation.value(node) for node in nodes))


BUILTINS = {
    min: Emitter(_extreme("min")),
    max: Emitter(_extreme("max")),
    abs: Emitter(_absolute),
}


def _nan_extreme(name: str, comparison):
    """Returns min or max as in PyTorch: NaN if an operand is."""

    def emit(translation, left: Value, right: Value) -> Value:
        left, right = translation.promoted(left, right)
        if left.type.kind != "f":
            return _extreme("min" if comparison is LESS else "max")(translation, left, right)
        symbol = f"@llvm.{name}.{left.type.suffix}"
        form = left.type.register
        translation.unit.declare(symbol, f"declare {form} {symbol}({form}, {form})")
        # Zeros of either sign are accepted: ordering them would double the cost.
        return translation.emit(left.type, f"call nsz {form} {symbol}({form} {left.text}, {form} {right.text})")

    return emit


@compiled_as(_nan_extreme("maximum", MORE))
def larger(a, b):
    """Returns the larger of two numbers; NaN if one is NaN."""
    return np.maximum(a, b)


@compiled_as(_nan_extreme("minimum", LESS))
def smaller(a, b):
    """Returns the smaller of two numbers; NaN if one is NaN."""
    return np.minimum(a, b)


@compiled_as(_intrinsic("floor"))
def floor(value):
    """Returns the largest integer not above the value."""
    return np.floor(value)


@compiled_as(_intrinsic("sqrt"))
def sqrt(value):
    """Returns the square root."""
    return np.sqrt(value)


# ---- between threads

ORDER = "seq_cst"


def _atomic_add(translation, base: Value, index: Value, value: Value) -> Value:
    type_, address = base.type.element, translation.address(base, index)
    value = translation.converted(value, type_)
    return translation.emit(type_, f"atomicrmw add ptr {address}, {type_.memory} {value.text} {ORDER}")


def _atomic_load(translation, base: Value, index: Value) -> Value:
    type_, address = base.type.element, translation.address(base, index)
    return translation.emit(type_, f"load atomic {type_.memory}, ptr {address} {ORDER}, align {type_.size}")


def _atomic_store(translation, base: Value, index: Value, value: Value) -> Value:
    type_, address = base.type.element, translation.address(base, index)
    value = translation.converted(value, type_)
    translation.line(f"store atomic {type_.memory} {value.text}, ptr {address} {ORDER}, align {type_.size}")
    return Value(void, "")


def _compare_exchange(translation, base: Value, index: Value, expected: Value, value: Value) -> Value:
    type_, address = base.type.element, translation.address(base, index)
    expected, value = translation.converted(expected, type_), translation.converted(value, type_)
    form = type_.memory
    pair = translation.emit(
        type_, f"cmpxchg ptr {address}, {form} {expected.text}, {form} {value.text} {ORDER} {ORDER}"
    )
    return translation.emit(boolean, f"extractvalue {{ {form}, i1 }} {pair.text}, 1")


@compiled_as(_atomic_add)
def atomic_add(array, index, value):
    """Adds to an element atomically; returns the old value."""
    before = array[index]
    array[index] += value
    return before


@compiled_as(_atomic_load)
def atomic_load(array, index):
    """Reads an element that other threads write."""
    return array[index]


@compiled_as(_atomic_store)
def atomic_store(array, index, value):
    """Writes an element that other threads read; earlier writes are visible to them."""
    array[index] = value


@compiled_as(_compare_exchange)
def compare_exchange(array, index, expected, value):
    """Writes an element atomically if it has the expected value; returns whether it did."""
    if array[index] != expected:
        return False
    array[index] = value
    return True


PAUSES = {"x86_64": "@llvm.x86.sse2.pause()", "amd64": "@llvm.x86.sse2.pause()", "aarch64": "@llvm.aarch64.hint(i32 1)"}


def _pause(translation) -> Value:
    instruction = PAUSES.get(platform.machine().lower())
    if instruction:
        translation.unit.declare("pause", f"declare void {instruction.replace('i32 1', 'i32')}")
        translation.line(f"call void {instruction}")
    return Value(void, "")


@compiled_as(_pause)
def pause():
    """Hints to the processor that a loop is spinning."""


# ---- sleeping and waking: only Linux has futexes, and only there the pool has threads

# System call numbers of futex, sched_yield, sched_setaffinity and sched_getaffinity
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
        address, value = translation.address(base, index), translation.converted(value, int32, explicit=True)
        translation.unit.declare("syscall", "declare i64 @syscall(i64, ...)")
        arguments_text = f"i64 {FUTEX}, ptr {address}, i32 {action}, i32 {value.text}, ptr null, ptr null, i32 0"
        translation.line(f"call i64 (i64, ...) @syscall({arguments_text})")
        return Value(void, "")

    return emit


@compiled_as(_futex(WAIT))
def futex_wait(array, index, seen):
    """Sleeps until woken if the low 32 bits of an element equal `seen`; may wake spuriously."""
    if array[index] == seen:
        raise RuntimeError("in plain Python nobody would ever wake it")


@compiled_as(_futex(WAKE))
def futex_wake(array, index, count):
    """Wakes at most `count` threads that sleep on an element."""


def _yield_core(translation) -> Value:
    translation.unit.declare("syscall", "declare i64 @syscall(i64, ...)")
    translation.line(f"call i64 (i64, ...) @syscall(i64 {YIELD})")
    return Value(void, "")


@compiled_as(_yield_core)
def yield_core():
    """Yields the core to a waiting thread, if any."""


def _core(translation) -> Value:
    translation.unit.declare("sched_getcpu", "declare i32 @sched_getcpu()")
    return translation.emit(int32, "call i32 @sched_getcpu()")


@compiled_as(_core)
def core():
    """Returns the core that the calling thread runs on."""
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
    """Writes a bit for each core allowed to the calling thread; negative on failure."""
    return -1


@compiled_as(_cores(SET_CORES))
def set_cores(mask, words):
    """Restricts the calling thread to these cores; negative on failure."""
    return -1


# ---- values of the running process


class Imported:
    """A pointer, or a function's address, that is only known at run time: `provide()` returns it at loading.

    Object code reads it from a variable, so that cached code is valid in other processes.
    """

    def __init__(self, symbol: str, kind: Type, provide):
        self.symbol, self.kind, self.provide = symbol, kind, provide

    def as_value(self, translation) -> Value:
        translation.unit.declare(self.symbol, f"@{self.symbol} = global ptr null")
        translation.unit.imported[self.symbol] = self.provide
        return translation.emit(self.kind, f"load ptr, ptr @{self.symbol}")
