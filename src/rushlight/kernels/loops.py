"""What NumPy calls for a ufunc of ours: any strides, and large arrays spread over the threads.

One function, `run`, for all kernels: what is their own is the heart, which works on whole vectors of contiguous memory,
and what it is given there, in words that NumPy hands on as the data of a loop. Memory that is not contiguous is
gathered into blocks that stay in the cache, and scattered from there; so is what is less than a vector. That is
compiled when it is first asked for. Results that are too large for any cache a heart writes past the caches
(`streams.py`).
"""

from __future__ import annotations

import platform

from rushlight.core.policy import GRAIN, SHARED
from rushlight.lower import nontemporal
from rushlight.lower.language import compiled_as, local, offset
from rushlight.lower.lazy_compile import address_in, deferred
from rushlight.lower.machine_text import Value
from rushlight.lower.machine_types import (
    Element,
    boolean,
    function,
    int32,
    int64,
    pointer,
    uint8,
    uint16,
    uint32,
    uint64,
    void,
)
from rushlight.lower.native import native
from rushlight.lower.parallel import parallel_for

T = Element("T")
# The words of a kernel. The first two are the cell of its heart's address; LARGEST is the number of elements up to
# which results stay in a cache, and from WIDTHS on it is said of each array how many bytes an element has, 0 where it
# is one number for all.
HEART, _, OPERANDS, ARRAYS, LANES, LARGEST, WIDTHS = range(7)
MOST = 16  # operands and results
BLOCK = 512  # elements
LINE = nontemporal.LINE  # bytes
WORDS = MOST * BLOCK
VECTORS = 16  # in a block, of 32 lanes at most

# Where the arrays lie, how many elements a row has, whether results go past the caches, by how many bytes each array
# goes on from row to row, and how many rows there are. Behind those steps stands for each array EACH, or ONE if all
# elements of a row are the one that is there.
Heart = function(pointer(int64), int64, boolean, pointer(int64), int64)
EACH, ONE = -1, 0

# Kernels compute both sides of a choice and compare with NaN: the flags that this raises are nobody's news. Those that
# were up before stay up, where the machine lets one see them.
REGISTERS = platform.machine().lower() in ("x86_64", "amd64")


def _flags(translation) -> Value:
    if not REGISTERS:
        return Value(int32, "0")
    place = translation.slot(int32)
    translation.unit.declare("stmxcsr", "declare void @llvm.x86.sse.stmxcsr(ptr)")
    translation.line(f"call void @llvm.x86.sse.stmxcsr(ptr {place.text})")
    return translation.emit(int32, f"load i32, ptr {place.text}")


def _set_flags(translation, before: Value) -> Value:
    if not REGISTERS:
        translation.unit.declare("feclearexcept", "declare i32 @feclearexcept(i32)")
        translation.line("call i32 @feclearexcept(i32 31)")
        return Value(void, "")
    place = translation.slot(int32)
    translation.line(f"store i32 {before.text}, ptr {place.text}")
    translation.unit.declare("ldmxcsr", "declare void @llvm.x86.sse.ldmxcsr(ptr)")
    translation.line(f"call void @llvm.x86.sse.ldmxcsr(ptr {place.text})")
    return Value(void, "")


@compiled_as(_flags)
def flags():
    """The flags of arithmetic that are up, and how it rounds."""
    return 0


@compiled_as(_set_flags)
def set_flags(before):
    """Puts the flags back to what they were."""


def _fence(translation) -> Value:
    translation.line("fence seq_cst")
    return Value(void, "")


@compiled_as(_fence)
def fence():
    """Whoever reads after this reads what has been written past the caches."""


@native(light=True)
def run(args: pointer(int64), dims: pointer(int64), steps: pointer(int64), kernel: pointer(int64)):
    """What NumPy calls, without the GIL."""
    before = flags()
    address_in(kernel)
    count = dims[0]
    if count >= SHARED:
        parallel_for(stretch, count, GRAIN, args, steps, kernel, count)
    else:
        stretch(args, steps, kernel, count, 0, count)
    set_flags(before)


@native
def stretch(args: pointer(int64), steps: pointer(int64), kernel: pointer(int64), all: int64, begin: int64, end: int64):
    """The elements from `begin` to `end`, of so many in all."""
    places, moves, arrays = local(int64, MOST), local(int64, 2 * MOST), kernel[ARRAYS]
    count, apart, odd = end - begin, int64(0), int64(0)
    for i in range(arrays):
        place, step, width = args[i], steps[i], kernel[WIDTHS + i]
        moves[arrays + i] = EACH
        if i >= kernel[OPERANDS]:
            odd |= place
        elif step == 0:
            width, moves[arrays + i] = 0, ONE
        if width != 0:
            place += begin * step
            apart |= step ^ width
        places[i], moves[i] = place, width
    if apart != 0:
        in_blocks(places, steps, kernel, count)
        return
    if all > kernel[LARGEST] and odd % LINE == 0:
        count -= past_caches(places, moves, kernel, count, -begin % LINE)
    in_line(places, moves, kernel, count)


@deferred
@native(light=True)
def past_caches(
    places: pointer(int64), moves: pointer(int64), kernel: pointer(int64), count: int64, first: int64
) -> int64:
    """Up to the last whole line, from the first one on, of which so many elements fill some, however wide they are."""
    lead = min(count, first)
    whole, heart = (count - lead) & -LINE, Heart(kernel[HEART])
    in_line(places, moves, kernel, lead)
    advance(places, moves, kernel, lead)
    if whole > 0:
        heart(places, whole, True, moves, 1)
    advance(places, moves, kernel, whole)
    fence()
    return lead + whole


@native(inlined=True)
def in_line(places: pointer(int64), moves: pointer(int64), kernel: pointer(int64), count: int64):
    """Contiguous memory: whole vectors, and what is left."""
    heart, lanes = Heart(kernel[HEART]), kernel[LANES]
    left = count % lanes
    if count < lanes:
        in_blocks(places, moves, kernel, count)
    elif left > 0 and not are_apart(places, kernel, count):
        ends_first(places, moves, kernel, count, 1)
    else:
        heart(places, count, False, moves, 1)


@deferred
@native(light=True)
def ends_first(places: pointer(int64), moves: pointer(int64), kernel: pointer(int64), count: int64, rows: int64):
    """What overwrites an operand: last vectors are computed before all else, and what of them is left written last."""
    heart, lanes, arrays, operands = Heart(kernel[HEART]), kernel[LANES], kernel[ARRAYS], kernel[OPERANDS]
    here, ends, apart = local(int64, MOST), local(int64, MOST), local(int64, 2 * MOST)
    memory, left, whole = local(int64, WORDS), count % lanes, count // lanes * lanes
    for row in range(0, rows, VECTORS):
        some = min(int64(VECTORS), rows - row)
        for i in range(arrays):
            here[i], apart[i], apart[arrays + i] = places[i] + row * moves[i], moves[i], moves[arrays + i]
            ends[i] = here[i] + ((count - lanes) * kernel[WIDTHS + i] & moves[arrays + i])
            if i >= operands:
                ends[i], apart[i] = int64(offset(memory, i * BLOCK)), lanes * kernel[WIDTHS + i]
        heart(ends, lanes, False, apart, some)
        heart(here, whole, False, moves, some)
        for i in range(operands, arrays):
            width = kernel[WIDTHS + i]
            for at in range(some):
                source = ends[i] + ((at + 1) * lanes - left) * width
                move(here[i] + at * moves[i] + whole * width, width, source, width, width, left)


@native(inlined=True)
def are_apart(places: pointer(int64), kernel: pointer(int64), count: int64) -> boolean:
    """Whether no result lies where an operand does."""
    for i in range(kernel[OPERANDS], kernel[ARRAYS]):
        begin = places[i]
        end = begin + count * kernel[WIDTHS + i]
        for j in range(kernel[OPERANDS]):
            other = places[j]
            if (other < end) & (begin < other + count * kernel[WIDTHS + j]):
                return False
    return True


@native
def advance(places: pointer(int64), moves: pointer(int64), kernel: pointer(int64), count: int64):
    """Moves on in memory, so many bytes for each element."""
    for i in range(kernel[ARRAYS]):
        places[i] += count * moves[i]


@deferred
@native(light=True)
def in_blocks(places: pointer(int64), steps: pointer(int64), kernel: pointer(int64), count: int64):
    """Any memory, through blocks where it is not contiguous or ends within a vector."""
    heart, lanes, arrays = Heart(kernel[HEART]), kernel[LANES], kernel[ARRAYS]
    memory, given, moves = local(int64, WORDS), local(int64, MOST), local(int64, 2 * MOST)
    for at in range(0, count, BLOCK):
        some = min(int64(BLOCK), count - at)
        full = (some + lanes - 1) & -lanes
        for i in range(arrays):
            width, step = kernel[WIDTHS + i], steps[i]
            given[i], moves[i], moves[arrays + i] = places[i] + at * step, 0, EACH
            if width == 0:
                given[i] = places[i]
            elif i < kernel[OPERANDS] and step == 0:
                moves[arrays + i] = ONE
            elif step != width or some != full:
                given[i] = int64(offset(memory, i * BLOCK))
                if i < kernel[OPERANDS]:
                    move(given[i], width, places[i] + at * step, step, width, some)
                    # The last element fills the last vector: whatever else lay there could be rare.
                    last = given[i] + some * width
                    move(last, width, last - width, int64(0), width, full - some)
        heart(given, full, False, moves, 1)
        for i in range(kernel[OPERANDS], arrays):
            place = places[i] + at * steps[i]
            if given[i] != place:
                move(place, steps[i], given[i], kernel[WIDTHS + i], kernel[WIDTHS + i], some)


@native
def move(out: int64, out_step: int64, source: int64, step: int64, width: int64, count: int64):
    """Copies elements of so many bytes from places that lie a step apart to such places."""
    target, begin = pointer(uint8)(out), pointer(uint8)(source)
    if width == 4:
        move_all(pointer(uint32)(out), target, out_step, begin, step, count)
    elif width == 8:
        move_all(pointer(uint64)(out), target, out_step, begin, step, count)
    else:
        for i in range(count):
            if width == 2:
                pointer(uint16)(offset(target, i * out_step))[0] = pointer(uint16)(offset(begin, i * step))[0]
            else:
                target[i * out_step] = begin[i * step]


@native
def move_all(kind: pointer(T), out: pointer(uint8), out_step: int64, source: pointer(uint8), step: int64, count: int64):
    # Two at a time: a loop of one is so short that it takes half as long again where it lies in two lines of the cache.
    for i in range(0, count & -2, 2):
        pointer(T)(offset(out, i * out_step))[0] = pointer(T)(offset(source, i * step))[0]
        pointer(T)(offset(out, (i + 1) * out_step))[0] = pointer(T)(offset(source, (i + 1) * step))[0]
    if count % 2 == 1:
        last = count - 1
        pointer(T)(offset(out, last * out_step))[0] = pointer(T)(offset(source, last * step))[0]
