"""Rows of operands of several shapes, which lie side by side in the result: a kernel's heart has them on all threads.

Rows of a vector or more go to it as many at a time as lie apart by one step; shorter ones are brought side by side.
"""

from __future__ import annotations

from rushlight.core.policy import GRAIN, SHARED
from rushlight.kernels.loops import (
    ARRAYS,
    BLOCK,
    EACH,
    HEART,
    LANES,
    LARGEST,
    LINE,
    MOST,
    ONE,
    WIDTHS,
    WORDS,
    Heart,
    ends_first,
    fence,
    flags,
    in_line,
    move,
    set_flags,
    stretch,
)
from rushlight.kernels.vectors import LANES as WHOLE
from rushlight.kernels.vectors import load_some, spread, store
from rushlight.lower.language import local, offset
from rushlight.lower.lazy_compile import address_in, deferred
from rushlight.lower.native import Element, boolean, int64, native, pointer, uint8, uint32, uint64
from rushlight.lower.parallel import parallel_for

T = Element("T")

SPAN = 480  # elements that are worked on at a time where rows are short; a vector more fits in a block
SHORT = SPAN // 2
FLOWING, SAME, NEW = range(3)  # how the rows of an operand follow each other
DIMENSIONS = 32


@native
def fill_rows(places: pointer(int64), steps: pointer(int64), sizes: pointer(int64), rank: int64,
              kernel: pointer(int64)):  # fmt: skip
    """All rows of the result, long ones in several parts."""
    before, rows, length = flags(), int64(1), sizes[rank - 1]
    address_in(kernel)
    for at in range(rank - 1):
        rows *= sizes[at]
    parts = (length + GRAIN - 1) // GRAIN
    if rows * length >= SHARED:
        parallel_for(some_rows, rows * parts, max(1, GRAIN // length), places, steps, sizes, rank, kernel, rows, parts)
    else:
        some_rows(places, steps, sizes, rank, kernel, rows, parts, 0, rows * parts)
    set_flags(before)


@native
def some_rows(places: pointer(int64), steps: pointer(int64), sizes: pointer(int64), rank: int64,
              kernel: pointer(int64), rows: int64, parts: int64, begin: int64, end: int64):  # fmt: skip
    here, digits = local(int64, MOST), local(int64, DIMENSIONS)
    length, along = sizes[rank - 1], offset(steps, (rank - 1) * MOST)
    all, row = kernel[ARRAYS], begin // parts
    for i in range(all):
        here[i] = places[i]
    for back in range(1, rank):
        at = rank - 1 - back
        digits[at] = row % sizes[at]
        row //= sizes[at]
        for i in range(all):
            here[i] += digits[at] * steps[at * MOST + i]
    if rank > 1 and parts == 1 and are_near(along, kernel, length):
        in_runs(here, digits, steps, sizes, rank, kernel, rows, end - begin)
        return
    if length <= SHORT and rank > 1 and sizes[rank - 2] * length >= SPAN:
        in_periods(here, digits, steps, sizes, rank, kernel, end - begin)
        return
    if length <= SHORT:
        in_spans(here, digits, steps, sizes, rank, kernel, end - begin)
        return
    for piece in range(begin, end):
        first = piece % parts * GRAIN
        last = length if parts == 1 else min(length, first + GRAIN)
        stretch(here, along, kernel, rows * length, first, last)
        if (piece + 1) % parts == 0:
            move_on(here, digits, sizes, steps, rank - 2, all)


@native
def are_near(along: pointer(int64), kernel: pointer(int64), length: int64) -> boolean:
    """Whether rows fill a vector, and are of neighbours or of one number each."""
    for i in range(kernel[ARRAYS]):
        if along[i] != kernel[WIDTHS + i] and along[i] != 0:
            return False
    return length >= kernel[LANES]


@deferred
@native(light=True)
def in_runs(here: pointer(int64), digits: pointer(int64), steps: pointer(int64), sizes: pointer(int64), rank: int64,
            kernel: pointer(int64), all_rows: int64, rows: int64):  # fmt: skip
    """As many rows at a time as lie apart by one step."""
    length, all, outer, row, heart = sizes[rank - 1], kernel[ARRAYS], rank - 2, int64(0), Heart(kernel[HEART])
    moves, along, last, ends_within = local(int64, 2 * MOST), offset(steps, (rank - 1) * MOST), all - 1, False
    for i in range(all):
        moves[i] = steps[outer * MOST + i]
        moves[all + i] = ONE if along[i] == 0 else EACH
        if i < last and here[i] == here[last]:
            ends_within = length % kernel[LANES] != 0
    past = not ends_within and all_rows * length > kernel[LARGEST] and (length | here[last]) % LINE == 0
    while row < rows:
        run = min(rows - row, sizes[outer] - digits[outer])
        if ends_within:
            ends_first(here, moves, kernel, length, run)
        else:
            heart(here, length, past, moves, run)
        for i in range(all):
            here[i] += (run - 1) * moves[i]
        digits[outer] += run - 1
        move_on(here, digits, sizes, steps, outer, all)
        row += run
    if past:
        fence()


@deferred
@native(light=True)
def in_periods(here: pointer(int64), digits: pointer(int64), steps: pointer(int64), sizes: pointer(int64), rank: int64,
               kernel: pointer(int64), rows: int64):  # fmt: skip
    """Short rows, many of which lie along one dimension: an operand that stays at one of them is repeated once."""
    given, moves, blocks = local(int64, MOST), local(int64, 2 * MOST), local(int64, WORDS)
    length, all, outer = sizes[rank - 1], kernel[ARRAYS], rank - 2
    along, apart, most, row = offset(steps, (rank - 1) * MOST), offset(steps, outer * MOST), SPAN // length, int64(0)
    begins = True
    for i in range(all):
        moves[i], moves[all + i] = kernel[WIDTHS + i], EACH
    while row < rows:
        run = min(min(most, rows - row), sizes[outer] - digits[outer])
        for i in range(all):
            given[i] = here[i]
            if along[i] != moves[i] or apart[i] != length * moves[i]:
                given[i] = int64(offset(blocks, i * BLOCK))
                if begins or apart[i] != 0:
                    put(given[i], here[i], most if apart[i] == 0 else run, apart[i], along[i], moves[i], length)
            here[i] += (run - 1) * apart[i]
        in_line(given, moves, kernel, run * length)
        digits[outer] += run - 1
        move_on(here, digits, sizes, steps, outer, all)
        begins = digits[outer] == 0
        row += run


@deferred
@native(light=True)
def in_spans(here: pointer(int64), digits: pointer(int64), steps: pointer(int64), sizes: pointer(int64), rank: int64,
             kernel: pointer(int64), rows: int64):  # fmt: skip
    """Short rows, several at a time: operands that do not go on from one row to the next are brought side by side."""
    given, moves, kinds = local(int64, MOST), local(int64, 2 * MOST), local(int64, MOST)
    blocks, length, all, new = local(int64, WORDS), sizes[rank - 1], kernel[ARRAYS], are_new(steps, sizes, rank, kernel)
    for i in range(all):
        moves[i], moves[all + i] = kernel[WIDTHS + i], EACH
        kinds[i] = flow(steps, sizes, rank, i, moves[i])
    row, outer = int64(0), rank - 2
    while row < rows:
        some = min(SPAN // length, rows - row)
        for i in range(all):
            given[i] = here[i] if kinds[i] == FLOWING else int64(offset(blocks, i * BLOCK))
            if kinds[i] == SAME and row == 0:
                put(given[i], here[i], some, int64(0), steps[(rank - 1) * MOST + i], moves[i], length)
        done = int64(0)
        while new and done < some:
            run = min(some - done, sizes[outer] - digits[outer])
            for i in range(all):
                step = steps[outer * MOST + i]
                if kinds[i] == NEW:
                    along, to = steps[(rank - 1) * MOST + i], given[i] + done * length * moves[i]
                    put(to, here[i], run, step, along, moves[i], length)
                here[i] += (run - 1) * step
            digits[outer] += run - 1
            move_on(here, digits, sizes, steps, outer, all)
            done += run
        if not new:
            for i in range(all):
                here[i] += some * length * moves[i]
        in_line(given, moves, kernel, some * length)
        row += some


@native
def are_new(steps: pointer(int64), sizes: pointer(int64), rank: int64, kernel: pointer(int64)) -> boolean:
    """Whether some operand has another row each time, which does not lie behind the one before it."""
    for i in range(kernel[ARRAYS]):
        if flow(steps, sizes, rank, i, kernel[WIDTHS + i]) == NEW:
            return True
    return False


@native
def flow(steps: pointer(int64), sizes: pointer(int64), rank: int64, i: int64, width: int64) -> int64:
    """Whether the rows of an operand lie one behind the other, are all the same one, or each another."""
    expected, flowing, same = width, True, True
    for back in range(rank):
        at = rank - 1 - back
        step = steps[at * MOST + i]
        flowing = flowing and step == expected
        same = same and (back == 0 or step == 0)
        expected *= sizes[at]
    if flowing or width == 0:
        return FLOWING
    return SAME if same else NEW


@native
def put(out: int64, source: int64, rows: int64, apart: int64, step: int64, width: int64, length: int64):
    """Brings rows, so many bytes apart, to where their elements lie side by side."""
    if step == 0 and width == 4:
        put_numbers(pointer(uint32)(out), pointer(uint8)(source), rows, apart, length)
    elif step == 0 and width == 8:
        put_numbers(pointer(uint64)(out), pointer(uint8)(source), rows, apart, length)
    elif step == 4 and width == 4:
        put_rows(pointer(uint32)(out), pointer(uint8)(source), rows, apart, length)
    elif step == 8 and width == 8:
        put_rows(pointer(uint64)(out), pointer(uint8)(source), rows, apart, length)
    else:
        for row in range(rows):
            move(out + row * length * width, width, source + row * apart, step, width, length)


@native
def put_numbers(out: pointer(T), source: pointer(uint8), rows: int64, apart: int64, length: int64):
    """Rows of one number each, by vectors that reach into the next."""
    for row in range(rows):
        number = spread(pointer(T)(offset(source, row * apart))[0])
        for k in range(0, length, WHOLE):
            store(out, row * length + k, number)


@native
def put_rows(out: pointer(T), source: pointer(uint8), rows: int64, apart: int64, length: int64):
    """Rows of neighbours, written like those, but read no further than they go."""
    for row in range(rows):
        begin = pointer(T)(offset(source, row * apart))
        for k in range(0, length, WHOLE):
            store(out, row * length + k, load_some(begin, k, 0, length - k))


@native
def move_on(here: pointer(int64), digits: pointer(int64), sizes: pointer(int64), steps: pointer(int64), at: int64,
            all: int64):  # fmt: skip
    """Goes on to the next row."""
    while at >= 0:
        digits[at] += 1
        back = int64(0)
        if digits[at] == sizes[at]:
            back, digits[at] = sizes[at], 0
        for i in range(all):
            here[i] += (1 - back) * steps[at * MOST + i]
        at = at - 1 if back != 0 else int64(-1)
