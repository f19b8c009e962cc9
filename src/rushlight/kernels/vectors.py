"""Explicit vectors in restricted Python, where LLVM does not vectorize by itself.

A vector has `LANES` elements of any dtype: as many float32 as a register holds, so float64 takes two registers. Loads
give the array's dtype, float32 for half precision; a cast such as `float64(value)` is lanewise, and an `Element` may
stand for a vector. In plain Python a vector is an array.
"""

import ast
from functools import partial

import numpy as np

from rushlight.kernels.masked_store import store_first
from rushlight.lower.language import compiled_as
from rushlight.lower.llvm import host
from rushlight.lower.machine_text import Value
from rushlight.lower.machine_types import (
    OF_NUMPY,
    Type,
    boolean,
    float32,
    float64,
    int32,
    int64,
    mask_of,
    pointer,
    vector_of,
    void,
)
from rushlight.lower.native import native
from rushlight.lower.nontemporal import LINE, PREFETCH

LANES = host().lanes
MEMORY = f"<{LANES} x float>"
MASK = f"<{LANES} x i1>"
vector, wide = vector_of(float32, LANES), vector_of(float64, LANES)  # float64 takes several registers


def vectors_of(array: Value) -> Type:
    """Returns the vector type of an array's elements as stored."""
    return vector_of(array.type.element, LANES)


def _load(translation, array: Value, index: Value) -> Value:
    type_, address = vectors_of(array), translation.address(array, index)
    return translation.from_memory(translation.emit(type_, f"load {type_.memory}, ptr {address}, align {type_.size}"))


def loaded(array):
    """Returns half precision as float32, the dtype of computation; memory of `local` unchanged."""
    return np.array(list(array)) if array.dtype == object else array.astype(OF_NUMPY[array.dtype].loaded.numpy)


@compiled_as(_load)
def load(array, index):
    """Loads the elements from an index on."""
    return loaded(array[index : index + LANES])


def _store(translation, array: Value, index: Value, value: Value) -> Value:
    type_, address = vectors_of(array), translation.address(array, index)
    translation.line(f"store {type_.memory} {translation.to_memory(type_, value)}, ptr {address}, align {type_.size}")
    return Value(void, "")


@compiled_as(_store)
def store(array, index, value):
    """Stores the elements from an index on."""
    array[index : index + LANES] = value


def _prefetch(level: int):
    def emit(translation, array: Value, index: Value) -> Value:
        address = translation.address(array, index)
        translation.unit.declare("@llvm.prefetch.p0", PREFETCH)
        translation.line(f"call void @llvm.prefetch.p0(ptr {address}, i32 0, i32 {4 - level}, i32 1)")
        return Value(void, "")

    return emit


def _prefetch_lines(translation, array: Value, index: Value, count: Value, ahead: Value) -> Value:
    address = translation.address(array, index)
    translation.unit.declare("@llvm.prefetch.p0", PREFETCH)
    for line in range(0, count.literal * array.type.element.size, LINE):
        line_address = translation.emit(int64, f"getelementptr i8, ptr {address}, i64 {ahead.literal + line}").text
        translation.line(f"call void @llvm.prefetch.p0(ptr {line_address}, i32 0, i32 3, i32 1)")
    return Value(void, "")


@compiled_as(_prefetch(1))
def prefetch(array, index):
    """Prefetches an element; the address need not be valid."""


@compiled_as(_prefetch_lines)
def prefetch_lines(array, index, count, ahead):
    """Prefetches the cache lines of `count` elements, `ahead` bytes after an index; addresses need not be valid."""


@compiled_as(_prefetch(2))
def prefetch_far(array, index):
    """Prefetches into the second cache."""


def _before(translation, last: Value) -> str:
    """Returns the mask of the lanes before `last`."""
    translation.unit.declare("@llvm.smin.i64", "declare i64 @llvm.smin.i64(i64, i64)")
    bound = translation.converted(last, int64).text
    most = translation.emit(int64, f"call i64 @llvm.smin.i64(i64 {bound}, i64 {LANES})").text
    narrow = translation.emit(int64, f"trunc i64 {most} to i32").text
    one = translation.emit(int64, f"insertelement <{LANES} x i32> poison, i32 {narrow}, i32 0").text
    zeros = f"<{LANES} x i32> zeroinitializer"
    bounds = translation.emit(int64, f"shufflevector <{LANES} x i32> {one}, <{LANES} x i32> poison, {zeros}").text
    lanes = ", ".join(f"i32 {lane}" for lane in range(LANES))
    return translation.emit(int64, f"icmp slt <{LANES} x i32> <{lanes}>, {bounds}").text


def _within(translation, first: Value, last: Value) -> str:
    """Returns the mask of the lanes [first, last)."""
    inside, skipped = _before(translation, last), _before(translation, first)
    every = ", ".join(["i1 true"] * LANES)
    outside = translation.emit(int64, f"xor {MASK} {skipped}, <{every}>").text
    return translation.emit(int64, f"and {MASK} {inside}, {outside}").text


def _load_some(translation, array: Value, index: Value, first: Value, last: Value) -> Value:
    mask = _before(translation, last) if first.literal == 0 else _within(translation, first, last)
    type_, address = vectors_of(array), translation.address(array, index)
    name, form = f"@llvm.masked.load.{type_.suffix}.p0", type_.memory
    translation.unit.declare(name, f"declare {form} {name}(ptr, i32, {MASK}, {form})")
    inside = f"ptr {address}, i32 {type_.size}, {MASK} {mask}, {form} zeroinitializer"
    return translation.from_memory(translation.emit(type_, f"call {form} {name}({inside})"))


@compiled_as(_load_some)
def load_some(array, index, first, last):
    """Loads the lanes [first, last) from an index on; only these are read, the others are zero."""
    out = np.zeros(LANES, array.dtype)
    first, last = max(first, 0), min(last, LANES)
    if first < last:
        out[first:last] = array[index + first : index + last]
    return loaded(out)


def _masked_store(translation, array: Value, index: Value, value: Value, mask: str) -> Value:
    type_ = vectors_of(array)
    text, address = translation.to_memory(type_, value), translation.address(array, index)
    name, form, size = f"@llvm.masked.store.{type_.suffix}.p0", type_.memory, type_.size
    translation.unit.declare(name, f"declare void {name}({form}, ptr, i32, {MASK})")
    translation.line(f"call void {name}({form} {text}, ptr {address}, i32 {size}, {MASK} {mask})")
    return Value(void, "")


def _store_some(translation, array: Value, index: Value, value: Value, last: Value) -> Value:
    if not host().masks:
        type_ = vectors_of(array)
        store_first(translation, translation.address(array, index), type_, translation.to_memory(type_, value), last)
        return Value(void, "")
    return _masked_store(translation, array, index, value, _before(translation, last))


def _store_even(translation, array: Value, index: Value, value: Value, last: Value) -> Value:
    mask = _before(translation, last)
    lanes = ", ".join(f"i1 {str(lane % 2 == 0).lower()}" for lane in range(LANES))
    even_mask = translation.name()
    translation.line(f"{even_mask} = and {MASK} {mask}, <{lanes}>")
    return _masked_store(translation, array, index, value, even_mask)


@compiled_as(_store_even)
def store_even(array, index, value, last):
    """Stores lanes 0, 2, ... before `last`."""
    last = min(last, LANES)
    if last > 0:
        array[index : index + last : 2] = value[:last:2]


@compiled_as(_store_some)
def store_some(array, index, value, last):
    """Stores the lanes before `last`."""
    last = min(last, LANES)
    if last > 0:
        array[index : index + last] = value[:last]


def _shuffle(order):
    """Returns a function that shuffles the lanes of two concatenated vectors."""
    indices = f"<{len(order)} x i32> <" + ", ".join(f"i32 {lane}" for lane in order) + ">"

    def emit(translation, a: Value, b: Value) -> Value:
        type_, form = a.type, a.type.memory
        return translation.emit(type_, f"shufflevector {form} {a.text}, {form} {b.text}, {indices}")

    return emit


def alternating(first, lanes=LANES):
    """Returns the order that interleaves the lanes of two vectors, from a lane on."""
    return [lane + lanes * other for lane in range(first, first + lanes // 2) for other in (0, 1)]


@compiled_as(_shuffle(range(0, 2 * LANES, 2)))
def even(a, b):
    """Returns the even elements of two concatenated vectors."""
    return np.concatenate([a, b])[::2]


@compiled_as(_shuffle(range(1, 2 * LANES, 2)))
def odd(a, b):
    """Returns the odd elements of two concatenated vectors."""
    return np.concatenate([a, b])[1::2]


@compiled_as(_shuffle(alternating(0)))
def lower(a, b):
    """Interleaves the first halves of two vectors."""
    return np.concatenate([a, b])[alternating(0)]


@compiled_as(_shuffle(alternating(LANES // 2)))
def upper(a, b):
    """Interleaves the second halves of two vectors."""
    return np.concatenate([a, b])[alternating(LANES // 2)]


def halves(first):
    """Returns the order of half of the lanes of each of two vectors, from a lane on."""
    return [lane + LANES * other for other in (0, 1) for lane in range(first, first + LANES // 2)]


@compiled_as(_shuffle(halves(0)))
def first_halves(a, b):
    """Concatenates the first halves of two vectors."""
    return np.concatenate([a, b])[halves(0)]


@compiled_as(_shuffle(halves(LANES // 2)))
def second_halves(a, b):
    """Concatenates the second halves of two vectors."""
    return np.concatenate([a, b])[halves(LANES // 2)]


@compiled_as(lambda translation, value: _shuffle(range(LANES - 1, -1, -1))(translation, value, value))
def reverse(value):
    """Returns a vector in reverse order."""
    return value[::-1]


def _splat(translation, value: Value) -> Value:
    type_, zeros = vector_of(value.type, LANES), f"<{LANES} x i32> zeroinitializer"
    form, single = type_.memory, value.type.memory
    single_lane = translation.emit(type_, f"insertelement {form} poison, {single} {value.text}, i32 0").text
    return translation.emit(type_, f"shufflevector {form} {single_lane}, {form} poison, {zeros}")


def _splat_node(translation, node) -> Value:
    value = translation.value(node)
    if value.literal is not None and not isinstance(node, ast.Call):  # a cast sets the type
        value = translation.converted(value, float32)
    return _splat(translation, value)


@compiled_as(_splat_node, reads=False)
def splat(value):
    """Returns a scalar in all lanes; a literal is a float32 unless cast."""
    return np.full(LANES, value, np.float32 if type(value) in (int, float) else None)


@compiled_as(lambda translation, value: _splat(translation, translation.converted(value, float64)))
def splat_wide(value):
    """Returns a float64 in all lanes."""
    return np.full(LANES, value, np.float64)


def _select(translation, mask: Value, yes: Value, no: Value) -> Value:
    common_type = yes.type if no.literal is not None else no.type
    yes, no = (translation.converted(x, common_type) for x in (yes, no))
    form = common_type.register
    return translation.emit(
        common_type, f"select {mask.type.register} {mask.text}, {form} {yes.text}, {form} {no.text}"
    )


def _lanes_before(translation, last: Value) -> Value:
    return Value(mask_of(LANES), _before(translation, last))


def _lanes_between(translation, first: Value, last: Value) -> Value:
    return Value(mask_of(LANES), _within(translation, first, last))


@compiled_as(_lanes_between)
def lanes_between(first, last):
    """Returns the mask of the lanes [first, last)."""
    return (np.arange(LANES) >= first) & (np.arange(LANES) < last)


def _lane_indices(translation, first: Value, step: Value) -> Value:
    first, steps = (_splat(translation, translation.converted(x, int32, explicit=True)) for x in (first, step))
    type_, lanes = first.type, ", ".join(f"i32 {lane}" for lane in range(LANES))
    further = translation.emit(type_, f"mul {type_.memory} {steps.text}, <{lanes}>").text
    return translation.emit(type_, f"add {type_.memory} {first.text}, {further}")


@compiled_as(_lane_indices)
def lane_indices(first, step):
    """Returns int32 `first`, and per lane `step` more."""
    return np.arange(LANES, dtype=np.int32) * np.int32(step) + np.int32(first)


@compiled_as(_lanes_before)
def lanes_before(last):
    """Returns the mask of the lanes before `last`."""
    return np.arange(LANES) < last


@compiled_as(_select)
def select(mask, yes, no):
    """Returns `yes` where the mask is set, else `no`."""
    return np.where(mask, yes, no)


def _multiply_add(translation, *values: Value) -> Value:
    type_, form = values[0].type, values[0].type.memory
    name = f"@llvm.fma.{type_.suffix}"
    translation.unit.declare(name, f"declare {form} {name}({form}, {form}, {form})")
    return translation.emit(type_, f"call {form} {name}({', '.join(f'{form} {x.text}' for x in values)})")


@compiled_as(_multiply_add)
def multiply_add(a, b, c):
    """Returns a * b + c; machine code rounds once."""
    return a * b + c


def _sum_of(translation, value: Value) -> Value:
    type_, form, single = value.type, value.type.memory, value.type.single
    if single.kind != "f":
        return _lane_reduction("add")(translation, value)
    name = f"@llvm.vector.reduce.fadd.{type_.suffix}"
    translation.unit.declare(name, f"declare {single.memory} {name}({single.memory}, {form})")
    zero = f"{single.memory} 0.0"
    return translation.emit(single, f"call reassoc {single.memory} {name}({zero}, {form} {value.text})")


def _lane_reduction(usual: str, unsigned: str = "", floats: str = ""):
    """Returns a function that emits an LLVM reduction of lanes: signed, unsigned, floats (no NaN)."""

    def emit(translation, value: Value) -> Value:
        type_, single = value.type, value.type.single
        word = {"f": floats, "u": unsigned or usual}.get(single.kind, usual)
        name = f"@llvm.vector.reduce.{word}.{type_.suffix}"
        translation.unit.declare(name, f"declare {single.memory} {name}({type_.memory})")
        flags = "nnan " if single.kind == "f" else ""
        return translation.emit(single, f"call {flags}{single.memory} {name}({type_.memory} {value.text})")

    return emit


@compiled_as(_sum_of)
def sum_of(value):
    """Returns the sum of the lanes, in any order."""
    return value.sum(dtype=value.dtype)


@compiled_as(_lane_reduction("smax", "umax", "fmax"))
def largest_of(value):
    """Returns the maximum of the lanes, without NaN."""
    return value.max()


def _first_lane(translation, mask: Value) -> Value:
    word = f"i{LANES}"
    translation.unit.declare(f"@llvm.cttz.{word}", f"declare {word} @llvm.cttz.{word}({word}, i1)")
    bits = translation.emit(int64, f"bitcast {MASK} {mask.text} to {word}").text
    lane = translation.emit(int64, f"call {word} @llvm.cttz.{word}({word} {bits}, i1 true)").text
    return translation.emit(int64, f"zext {word} {lane} to i64")


@compiled_as(_first_lane)
def first_lane(mask):
    """Returns the first lane that is set in a mask, if any."""
    return int(np.argmax(mask))


def _reduce_lanes(translation, value, combine) -> Value:
    vector_value, combine, lanes = translation.value(value), translation.static(combine), LANES
    while lanes > 1:
        lanes //= 2
        part_type, form = vector_of(vector_value.type.single, lanes if lanes > 1 else 0), vector_value.type.memory
        parts = []
        for first in (0, lanes):
            order = ", ".join(f"i32 {lane}" for lane in range(first, first + lanes))
            half = f"shufflevector {form} {vector_value.text}, {form} poison, <{lanes} x i32> <{order}>"
            parts.append(
                translation.emit(
                    part_type, half if lanes > 1 else f"extractelement {form} {vector_value.text}, i32 {first}"
                )
            )
        vector_value = combine.emit(translation, *parts)
    return vector_value


@compiled_as(_reduce_lanes, reads=False)
def reduce_lanes(value, combine):
    """Reduces the lanes as a tree of halves."""
    while len(value) > 1:
        value = combine(*np.split(value, 2))
    return value[0]


def _any_lane(translation, mask: Value) -> Value:
    name = f"@llvm.vector.reduce.or.v{LANES}i1"
    translation.unit.declare(name, f"declare i1 {name}({MASK})")
    return translation.emit(boolean, f"call i1 {name}({MASK} {mask.text})")


@compiled_as(_any_lane)
def any_lane(mask):
    """Returns whether any lane of a mask is set."""
    return bool(mask.any())


def _side(translation, array: Value) -> Value:
    return Value(int64, str(min(LANES, LANES * 4 // array.type.element.size)))


@compiled_as(_side)
def side(array):
    """Returns the side of the square that `transpose_square` handles: elements per register, at most LANES."""
    return min(LANES, LANES * 4 // array.itemsize)


def _store_transposed(translation, rows, out: Value, out_stride: Value, past: bool = False) -> Value:
    """Stores vectors as columns, in log2(lanes) rounds of interleaving."""
    lanes, half = len(rows), len(rows) // 2
    hints = f"align {LINE}, !nontemporal !0" if past else f"align {rows[0].type.size}"
    translation.unit.declare("!0", "!0 = !{i32 1}")
    for _ in range(lanes.bit_length() - 1):
        pairs = list(zip(rows[:half], rows[half:], strict=True))
        rows = [_shuffle(alternating(first, lanes))(translation, *pair) for pair in pairs for first in (0, half)]
    for lane, row in enumerate(rows):
        address = translation.address(out, translation.emit(int64, f"mul i64 {out_stride.text}, {lane}"))
        translation.line(f"store {row.type.memory} {row.text}, ptr {address}, {hints}")
    return Value(void, "")


def _transpose(past: bool, translation, source: Value, stride: Value, out: Value, out_stride: Value) -> Value:
    stride, out_stride = (translation.converted(x, int64) for x in (stride, out_stride))
    row_type, rows = vector_of(source.type.element, int(_side(translation, source).text)), []
    for lane in range(row_type.lanes):
        address = translation.address(source, translation.emit(int64, f"mul i64 {stride.text}, {lane}"))
        rows.append(translation.emit(row_type, f"load {row_type.memory}, ptr {address}, align {row_type.size}"))
    return _store_transposed(translation, rows, out, out_stride, past)


@compiled_as(partial(_transpose, False))
def transpose_square(source, row_step, out, out_stride):
    """Transposes a square of elements."""
    size = side(source)
    square = np.array([source[lane * row_step : lane * row_step + size] for lane in range(size)]).T
    for lane in range(size):
        out[lane * out_stride : lane * out_stride + size] = square[lane]


@compiled_as(partial(_transpose, True))
def transpose_square_past_caches(source, stride, out, out_stride):
    """Transposes a square whose columns are whole cache lines; stores past the caches."""
    transpose_square(source, stride, out, out_stride)


def _line(translation, stride: Value, lines: Value, lane: int) -> Value:
    """Returns the offset of a row, or of the last one if there are fewer."""
    last = translation.emit(int64, f"sub i64 {lines.text}, 1").text
    translation.unit.declare("@llvm.smin.i64", "declare i64 @llvm.smin.i64(i64, i64)")
    number = translation.emit(int64, f"call i64 @llvm.smin.i64(i64 {lane}, i64 {last})").text
    return translation.emit(int64, f"mul i64 {number}, {stride.text}")


def _transpose_some(translation, source: Value, stride: Value, lines: Value, length: Value, *out: Value) -> Value:
    stride, lines, out_stride = (translation.converted(x, int64) for x in (stride, lines, out[1]))
    name = f"@llvm.masked.load.{vector.suffix}.p0"
    translation.unit.declare(name, f"declare {MEMORY} {name}(ptr, i32, {MASK}, {MEMORY})")
    mask, rows = _before(translation, length), []
    for lane in range(LANES):
        address = translation.address(source, _line(translation, stride, lines, lane))
        inside = f"ptr {address}, i32 4, {MASK} {mask}, {MEMORY} zeroinitializer"
        rows.append(translation.emit(vector, f"call {MEMORY} {name}({inside})"))
    return _store_transposed(translation, rows, out[0], out_stride)


@compiled_as(_transpose_some)
def transpose_square_some(source, stride, lines, length, out, out_stride):
    """Transposes `lines` rows, of which `length` elements are read; writes a whole square of vectors."""
    square = np.zeros((LANES, LANES), source.dtype)
    for lane in range(LANES):
        start = min(lane, lines - 1) * stride
        square[lane, : max(length, 0)] = source[start : start + min(max(length, 0), LANES)]
    for lane in range(LANES):
        out[lane * out_stride : lane * out_stride + LANES] = square[:, lane]


# Separate functions: within a loop LLVM spends long on the many addresses.


@native(alone=True)
def transpose(source: pointer(float32), stride: int64, out: pointer(float32), out_stride: int64):
    """Transposes a square with the side of a vector."""
    transpose_square(source, stride, out, out_stride)


@native(alone=True)
def transpose_some(
    source: pointer(float32), stride: int64, lines: int64, length: int64, out: pointer(float32), out_stride: int64
):
    """Transposes `lines` rows, of which `length` elements are read; writes a whole square of vectors."""
    transpose_square_some(source, stride, lines, length, out, out_stride)
