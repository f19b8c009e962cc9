"""Whole vectors in restricted Python, where the shape of the arrays keeps LLVM from finding them by itself.

A vector has `LANES` numbers, whatever they are: as many float32 as a register holds, float64 in two of them. What is
loaded has the type of the array's elements, float32 where that is a half type; a cast such as `float64(found)` goes
lane by lane, and an `Element` may stand for a vector. In plain Python a vector is an array.
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
vector, wide = vector_of(float32, LANES), vector_of(float64, LANES)  # of float64, several registers


def vectors_of(array: Value) -> Type:
    """The type of vectors of an array's elements, as they are in memory."""
    return vector_of(array.type.element, LANES)


def _load(translation, array: Value, index: Value) -> Value:
    kind, place = vectors_of(array), translation.address(array, index)
    return translation.opened(translation.emit(kind, f"load {kind.memory}, ptr {place}, align {kind.size}"))


def opened(array):
    """Elements of half types as float32, in which they are computed with; those of `local` room as what they are."""
    return np.array(list(array)) if array.dtype == object else array.astype(OF_NUMPY[array.dtype].loaded.numpy)


@compiled_as(_load)
def load(array, index):
    """The numbers from an index on."""
    return opened(array[index : index + LANES])


def _store(translation, array: Value, index: Value, value: Value) -> Value:
    kind, place = vectors_of(array), translation.address(array, index)
    translation.line(f"store {kind.memory} {translation.stored(kind, value)}, ptr {place}, align {kind.size}")
    return Value(void, "")


@compiled_as(_store)
def store(array, index, value):
    """Writes the numbers from an index on."""
    array[index : index + LANES] = value


def _prefetch(level: int):
    def emit(translation, array: Value, index: Value) -> Value:
        place = translation.address(array, index)
        translation.unit.declare("@llvm.prefetch.p0", PREFETCH)
        translation.line(f"call void @llvm.prefetch.p0(ptr {place}, i32 0, i32 {4 - level}, i32 1)")
        return Value(void, "")

    return emit


def _prefetch_lines(translation, array: Value, index: Value, count: Value, ahead: Value) -> Value:
    place = translation.address(array, index)
    translation.unit.declare("@llvm.prefetch.p0", PREFETCH)
    for line in range(0, count.literal * array.type.element.size, LINE):
        where = translation.emit(int64, f"getelementptr i8, ptr {place}, i64 {ahead.literal + line}").text
        translation.line(f"call void @llvm.prefetch.p0(ptr {where}, i32 0, i32 3, i32 1)")
    return Value(void, "")


@compiled_as(_prefetch(1))
def prefetch(array, index):
    """Says that an element will soon be read; it need not exist."""


@compiled_as(_prefetch_lines)
def prefetch_lines(array, index, count, ahead):
    """Says that all lines of so many elements will soon be read, so many bytes behind an index; they need not exist."""


@compiled_as(_prefetch(2))
def prefetch_far(array, index):
    """The same of what is not read so soon: it comes into the second-level cache."""


def _before(translation, last: Value) -> str:
    """The lanes before the last."""
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
    """The lanes from the first to before the last."""
    inside, skipped = _before(translation, last), _before(translation, first)
    every = ", ".join(["i1 true"] * LANES)
    outside = translation.emit(int64, f"xor {MASK} {skipped}, <{every}>").text
    return translation.emit(int64, f"and {MASK} {inside}, {outside}").text


def _load_some(translation, array: Value, index: Value, first: Value, last: Value) -> Value:
    mask = _before(translation, last) if first.literal == 0 else _within(translation, first, last)
    kind, place = vectors_of(array), translation.address(array, index)
    name, form = f"@llvm.masked.load.{kind.suffix}.p0", kind.memory
    translation.unit.declare(name, f"declare {form} {name}(ptr, i32, {MASK}, {form})")
    inside = f"ptr {place}, i32 {kind.size}, {MASK} {mask}, {form} zeroinitializer"
    return translation.opened(translation.emit(kind, f"call {form} {name}({inside})"))


@compiled_as(_load_some)
def load_some(array, index, first, last):
    """The numbers from an index on in the lanes `first` to `last`, which alone are read, and zero in the others."""
    found = np.zeros(LANES, array.dtype)
    first, last = max(first, 0), min(last, LANES)
    if first < last:
        found[first:last] = array[index + first : index + last]
    return opened(found)


def _masked_store(translation, array: Value, index: Value, value: Value, mask: str) -> Value:
    kind = vectors_of(array)
    given, place = translation.stored(kind, value), translation.address(array, index)
    name, form, size = f"@llvm.masked.store.{kind.suffix}.p0", kind.memory, kind.size
    translation.unit.declare(name, f"declare void {name}({form}, ptr, i32, {MASK})")
    translation.line(f"call void {name}({form} {given}, ptr {place}, i32 {size}, {MASK} {mask})")
    return Value(void, "")


def _store_some(translation, array: Value, index: Value, value: Value, last: Value) -> Value:
    if not host().masks:
        kind = vectors_of(array)
        store_first(translation, translation.address(array, index), kind, translation.stored(kind, value), last)
        return Value(void, "")
    return _masked_store(translation, array, index, value, _before(translation, last))


def _store_even(translation, array: Value, index: Value, value: Value, last: Value) -> Value:
    mask = _before(translation, last)
    lanes = ", ".join(f"i1 {str(lane % 2 == 0).lower()}" for lane in range(LANES))
    chosen = translation.name()
    translation.line(f"{chosen} = and {MASK} {mask}, <{lanes}>")
    return _masked_store(translation, array, index, value, chosen)


@compiled_as(_store_even)
def store_even(array, index, value, last):
    """Writes lanes 0, 2, ... before the last."""
    last = min(last, LANES)
    if last > 0:
        array[index : index + last : 2] = value[:last:2]


@compiled_as(_store_some)
def store_some(array, index, value, last):
    """Writes the lanes before the last."""
    last = min(last, LANES)
    if last > 0:
        array[index : index + last] = value[:last]


def _shuffle(order):
    """The lanes of two vectors, one behind the other, in an order."""
    indices = f"<{len(order)} x i32> <" + ", ".join(f"i32 {each}" for each in order) + ">"

    def emit(translation, one: Value, other: Value) -> Value:
        kind, form = one.type, one.type.memory
        return translation.emit(kind, f"shufflevector {form} {one.text}, {form} {other.text}, {indices}")

    return emit


def alternating(first, lanes=LANES):
    """The lanes of two vectors by turns, from a lane on."""
    return [lane + lanes * other for lane in range(first, first + lanes // 2) for other in (0, 1)]


@compiled_as(_shuffle(range(0, 2 * LANES, 2)))
def even(one, other):
    """Every second number of two vectors."""
    return np.concatenate([one, other])[::2]


@compiled_as(_shuffle(range(1, 2 * LANES, 2)))
def odd(one, other):
    """Every second number of two vectors, from the second on."""
    return np.concatenate([one, other])[1::2]


@compiled_as(_shuffle(alternating(0)))
def lower(one, other):
    """The first halves of two vectors, by turns."""
    return np.concatenate([one, other])[alternating(0)]


@compiled_as(_shuffle(alternating(LANES // 2)))
def upper(one, other):
    """The second halves of two vectors, by turns."""
    return np.concatenate([one, other])[alternating(LANES // 2)]


def halves(first):
    """Half of the lanes of each of two vectors, from a lane on."""
    return [lane + LANES * other for other in (0, 1) for lane in range(first, first + LANES // 2)]


@compiled_as(_shuffle(halves(0)))
def first_halves(one, other):
    """The first half of a vector, and behind it that of another one."""
    return np.concatenate([one, other])[halves(0)]


@compiled_as(_shuffle(halves(LANES // 2)))
def second_halves(one, other):
    """The second half of a vector, and behind it that of another one."""
    return np.concatenate([one, other])[halves(LANES // 2)]


@compiled_as(lambda translation, value: _shuffle(range(LANES - 1, -1, -1))(translation, value, value))
def turned(value):
    """The numbers of a vector, the last one first."""
    return value[::-1]


def _everywhere(translation, value: Value) -> Value:
    kind, zeros = vector_of(value.type, LANES), f"<{LANES} x i32> zeroinitializer"
    form, single = kind.memory, value.type.memory
    one = translation.emit(kind, f"insertelement {form} poison, {single} {value.text}, i32 0").text
    return translation.emit(kind, f"shufflevector {form} {one}, {form} poison, {zeros}")


def _spread(translation, node) -> Value:
    value = translation.value(node)
    if value.literal is not None and not isinstance(node, ast.Call):  # a cast says what it is
        value = translation.converted(value, float32)
    return _everywhere(translation, value)


@compiled_as(_spread, reads=False)
def spread(value):
    """A number in all lanes; one that is written out is a float32 unless it is cast."""
    return np.full(LANES, value, np.float32 if type(value) in (int, float) else None)


@compiled_as(lambda translation, value: _everywhere(translation, translation.converted(value, float64)))
def spread_wide(value):
    """A float64 in all lanes."""
    return np.full(LANES, value, np.float64)


def _chosen(translation, mask: Value, yes: Value, no: Value) -> Value:
    kind = yes.type if no.literal is not None else no.type
    yes, no = (translation.converted(each, kind) for each in (yes, no))
    form = kind.register
    return translation.emit(kind, f"select {mask.type.register} {mask.text}, {form} {yes.text}, {form} {no.text}")


def _lanes_before(translation, last: Value) -> Value:
    return Value(mask_of(LANES), _before(translation, last))


def _lanes_between(translation, first: Value, last: Value) -> Value:
    return Value(mask_of(LANES), _within(translation, first, last))


@compiled_as(_lanes_between)
def lanes_between(first, last):
    """The lanes from the first to before the last."""
    return (np.arange(LANES) >= first) & (np.arange(LANES) < last)


def _places(translation, first: Value, step: Value) -> Value:
    first, steps = (
        _everywhere(translation, translation.converted(each, int32, explicit=True)) for each in (first, step)
    )
    kind, lanes = first.type, ", ".join(f"i32 {lane}" for lane in range(LANES))
    further = translation.emit(kind, f"mul {kind.memory} {steps.text}, <{lanes}>").text
    return translation.emit(kind, f"add {kind.memory} {first.text}, {further}")


@compiled_as(_places)
def places(first, step):
    """A whole number of 32 bits, and from lane to lane a step more."""
    return np.arange(LANES, dtype=np.int32) * np.int32(step) + np.int32(first)


@compiled_as(_lanes_before)
def lanes_before(last):
    """The lanes before the last, to choose by."""
    return np.arange(LANES) < last


@compiled_as(_chosen)
def chosen(mask, yes, no):
    """One vector where a comparison holds, the other elsewhere."""
    return np.where(mask, yes, no)


def _multiply_add(translation, *values: Value) -> Value:
    kind, form = values[0].type, values[0].type.memory
    name = f"@llvm.fma.{kind.suffix}"
    translation.unit.declare(name, f"declare {form} {name}({form}, {form}, {form})")
    return translation.emit(kind, f"call {form} {name}({', '.join(f'{form} {each.text}' for each in values)})")


@compiled_as(_multiply_add)
def multiply_add(a, b, c):
    """a * b + c, rounded once by machines."""
    return a * b + c


def _sum_of(translation, value: Value) -> Value:
    kind, form, single = value.type, value.type.memory, value.type.single
    if single.kind != "f":
        return _put_together("add")(translation, value)
    name = f"@llvm.vector.reduce.fadd.{kind.suffix}"
    translation.unit.declare(name, f"declare {single.memory} {name}({single.memory}, {form})")
    zero = f"{single.memory} 0.0"
    return translation.emit(single, f"call reassoc {single.memory} {name}({zero}, {form} {value.text})")


def _put_together(whole: str, unsigned: str = "", floats: str = ""):
    """What LLVM has to join the lanes of a vector: of signed and unsigned numbers, of floats but nan."""

    def emit(translation, value: Value) -> Value:
        kind, single = value.type, value.type.single
        word = {"f": floats, "u": unsigned or whole}.get(single.kind, whole)
        name = f"@llvm.vector.reduce.{word}.{kind.suffix}"
        translation.unit.declare(name, f"declare {single.memory} {name}({kind.memory})")
        said = "nnan " if single.kind == "f" else ""
        return translation.emit(single, f"call {said}{single.memory} {name}({kind.memory} {value.text})")

    return emit


@compiled_as(_sum_of)
def sum_of(value):
    """The sum of a vector's numbers, in any order."""
    return value.sum(dtype=value.dtype)


@compiled_as(_put_together("smax", "umax", "fmax"))
def largest_of(value):
    """The largest of a vector's numbers, none of which is nan."""
    return value.max()


def _first_lane(translation, mask: Value) -> Value:
    word = f"i{LANES}"
    translation.unit.declare(f"@llvm.cttz.{word}", f"declare {word} @llvm.cttz.{word}({word}, i1)")
    bits = translation.emit(int64, f"bitcast {MASK} {mask.text} to {word}").text
    place = translation.emit(int64, f"call {word} @llvm.cttz.{word}({word} {bits}, i1 true)").text
    return translation.emit(int64, f"zext {word} {place} to i64")


@compiled_as(_first_lane)
def first_lane(mask):
    """The first lane in which a comparison holds, if it does in any."""
    return int(np.argmax(mask))


def _over_lanes(translation, value, combine) -> Value:
    found, combine, lanes = translation.value(value), translation.static(combine), LANES
    while lanes > 1:
        lanes //= 2
        kind, form = vector_of(found.type.single, lanes if lanes > 1 else 0), found.type.memory
        parts = []
        for first in (0, lanes):
            order = ", ".join(f"i32 {lane}" for lane in range(first, first + lanes))
            taken = f"shufflevector {form} {found.text}, {form} poison, <{lanes} x i32> <{order}>"
            parts.append(
                translation.emit(kind, taken if lanes > 1 else f"extractelement {form} {found.text}, i32 {first}")
            )
        found = combine.emit(translation, *parts)
    return found


@compiled_as(_over_lanes, reads=False)
def over_lanes(value, combine):
    """A vector's numbers put together, half and half."""
    while len(value) > 1:
        value = combine(*np.split(value, 2))
    return value[0]


def _anywhere(translation, mask: Value) -> Value:
    name = f"@llvm.vector.reduce.or.v{LANES}i1"
    translation.unit.declare(name, f"declare i1 {name}({MASK})")
    return translation.emit(boolean, f"call i1 {name}({MASK} {mask.text})")


@compiled_as(_anywhere)
def anywhere(mask):
    """Whether a comparison holds in any lane."""
    return bool(mask.any())


def _side(translation, array: Value) -> Value:
    return Value(int64, str(min(LANES, LANES * 4 // array.type.element.size)))


@compiled_as(_side)
def side(array):
    """How many lines `turn` takes of an array, and numbers of each: no more than a register holds."""
    return min(LANES, LANES * 4 // array.itemsize)


def _turned(translation, rows, out: Value, out_apart: Value, past: bool = False) -> Value:
    """Writes vectors as columns.

    In as many rounds as a power of two makes the lanes, each of which puts the halves together by turns.
    """
    lanes, half = len(rows), len(rows) // 2
    said = f"align {LINE}, !nontemporal !0" if past else f"align {rows[0].type.size}"
    translation.unit.declare("!0", "!0 = !{i32 1}")
    for _ in range(lanes.bit_length() - 1):
        pairs = list(zip(rows[:half], rows[half:], strict=True))
        rows = [_shuffle(alternating(first, lanes))(translation, *pair) for pair in pairs for first in (0, half)]
    for lane, row in enumerate(rows):
        place = translation.address(out, translation.emit(int64, f"mul i64 {out_apart.text}, {lane}"))
        translation.line(f"store {row.type.memory} {row.text}, ptr {place}, {said}")
    return Value(void, "")


def _transpose(past: bool, translation, source: Value, apart: Value, out: Value, out_apart: Value) -> Value:
    apart, out_apart = (translation.converted(each, int64) for each in (apart, out_apart))
    kind, rows = vector_of(source.type.element, int(_side(translation, source).text)), []
    for lane in range(kind.lanes):
        place = translation.address(source, translation.emit(int64, f"mul i64 {apart.text}, {lane}"))
        rows.append(translation.emit(kind, f"load {kind.memory}, ptr {place}, align {kind.size}"))
    return _turned(translation, rows, out, out_apart, past)


@compiled_as(partial(_transpose, False))
def turn(source, apart, out, out_apart):
    """A square of numbers, rows that become columns."""
    many = side(source)
    found = np.array([source[lane * apart : lane * apart + many] for lane in range(many)]).T
    for lane in range(many):
        out[lane * out_apart : lane * out_apart + many] = found[lane]


@compiled_as(partial(_transpose, True))
def turn_past_caches(source, apart, out, out_apart):
    """The same, of columns that each fill a line of the cache, and are written past it."""
    turn(source, apart, out, out_apart)


def _line(translation, apart: Value, lines: Value, lane: int) -> Value:
    """Where a line begins, or the last one if there are not so many."""
    last = translation.emit(int64, f"sub i64 {lines.text}, 1").text
    translation.unit.declare("@llvm.smin.i64", "declare i64 @llvm.smin.i64(i64, i64)")
    number = translation.emit(int64, f"call i64 @llvm.smin.i64(i64 {lane}, i64 {last})").text
    return translation.emit(int64, f"mul i64 {number}, {apart.text}")


def _transpose_some(translation, source: Value, apart: Value, lines: Value, length: Value, *out: Value) -> Value:
    apart, lines, out_apart = (translation.converted(each, int64) for each in (apart, lines, out[1]))
    name = f"@llvm.masked.load.{vector.suffix}.p0"
    translation.unit.declare(name, f"declare {MEMORY} {name}(ptr, i32, {MASK}, {MEMORY})")
    mask, rows = _before(translation, length), []
    for lane in range(LANES):
        place = translation.address(source, _line(translation, apart, lines, lane))
        inside = f"ptr {place}, i32 4, {MASK} {mask}, {MEMORY} zeroinitializer"
        rows.append(translation.emit(vector, f"call {MEMORY} {name}({inside})"))
    return _turned(translation, rows, out[0], out_apart)


@compiled_as(_transpose_some)
def turn_some(source, apart, lines, length, out, out_apart):
    """The same of `lines` rows, of which only so much is read; there is room for a whole square of vectors."""
    found = np.zeros((LANES, LANES), source.dtype)
    for lane in range(LANES):
        start = min(lane, lines - 1) * apart
        found[lane, : max(length, 0)] = source[start : start + min(max(length, 0), LANES)]
    for lane in range(LANES):
        out[lane * out_apart : lane * out_apart + LANES] = found[:, lane]


# Functions of their own: in a loop, LLVM looks long for what so many addresses have in common.


@native(alone=True)
def transpose(source: pointer(float32), apart: int64, out: pointer(float32), out_apart: int64):
    """As many vectors as a vector has lanes, rows that become columns."""
    turn(source, apart, out, out_apart)


@native(alone=True)
def transpose_some(
    source: pointer(float32), apart: int64, lines: int64, length: int64, out: pointer(float32), out_apart: int64
):
    """The same of `lines` rows, of which only so much is read; there is room for a whole square of vectors."""
    turn_some(source, apart, lines, length, out, out_apart)
