"""Runs a kernel's inner loop over the rows of broadcast or strided operands, parallel over rows of a contiguous result.

Rows of a vector or more are passed as they are, as many at a time as have one stride; shorter rows are first gathered
into contiguous blocks.
"""

from __future__ import annotations

from rushlight.core.policy import GRAIN, SHARED
from rushlight.kernels.loops import (
    ARRAYS,
    BLOCK,
    EACH,
    INNER_LOOP,
    LANES,
    LARGEST,
    LINE,
    MOST,
    ONE,
    WIDTHS,
    WORDS,
    InnerLoop,
    ends_first,
    fence,
    flags,
    move,
    run_contiguous,
    set_flags,
    stretch,
)
from rushlight.kernels.vectors import LANES as WHOLE
from rushlight.kernels.vectors import load_some, splat, store
from rushlight.lower.language import local, offset
from rushlight.lower.lazy_compile import address_in, deferred
from rushlight.lower.native import Element, boolean, int64, native, pointer, uint8, uint32, uint64
from rushlight.lower.parallel import parallel_for

T = Element("T")

SPAN = 480  # elements per block of short rows; one vector more still fits
SHORT = SPAN // 2
FLOWING, SAME, NEW = range(3)  # how consecutive rows of an operand relate: contiguous, the same row, or different rows
DIMENSIONS = 32


@native
def fill_rows(data: pointer(int64), steps: pointer(int64), sizes: pointer(int64), rank: int64,
              kernel: pointer(int64)):  # fmt: skip
    """Computes all rows of the result; long rows are split."""
    before, rows, length = flags(), int64(1), sizes[rank - 1]
    address_in(kernel)
    for axis in range(rank - 1):
        rows *= sizes[axis]
    parts = (length + GRAIN - 1) // GRAIN
    if rows * length >= SHARED:
        parallel_for(some_rows, rows * parts, max(1, GRAIN // length), data, steps, sizes, rank, kernel, rows, parts)
    else:
        some_rows(data, steps, sizes, rank, kernel, rows, parts, 0, rows * parts)
    set_flags(before)


@native
def some_rows(start: pointer(int64), steps: pointer(int64), sizes: pointer(int64), rank: int64,
              kernel: pointer(int64), rows: int64, parts: int64, begin: int64, end: int64):  # fmt: skip
    data, digits = local(int64, MOST), local(int64, DIMENSIONS)
    length, inner_steps = sizes[rank - 1], offset(steps, (rank - 1) * MOST)
    operands, row = kernel[ARRAYS], begin // parts
    for i in range(operands):
        data[i] = start[i]
    for back in range(1, rank):
        axis = rank - 1 - back
        digits[axis] = row % sizes[axis]
        row //= sizes[axis]
        for i in range(operands):
            data[i] += digits[axis] * steps[axis * MOST + i]
    if rank > 1 and parts == 1 and are_near(inner_steps, kernel, length):
        in_runs(data, digits, steps, sizes, rank, kernel, rows, end - begin)
        return
    if length <= SHORT and rank > 1 and sizes[rank - 2] * length >= SPAN:
        in_periods(data, digits, steps, sizes, rank, kernel, end - begin)
        return
    if length <= SHORT:
        in_spans(data, digits, steps, sizes, rank, kernel, end - begin)
        return
    for part in range(begin, end):
        first = part % parts * GRAIN
        last = length if parts == 1 else min(length, first + GRAIN)
        stretch(data, inner_steps, kernel, rows * length, first, last)
        if (part + 1) % parts == 0:
            move_on(data, digits, sizes, steps, rank - 2, operands)


@native
def are_near(inner_steps: pointer(int64), kernel: pointer(int64), length: int64) -> boolean:
    """Returns whether rows fill a vector and every operand's row is contiguous or one repeated element."""
    for i in range(kernel[ARRAYS]):
        if inner_steps[i] != kernel[WIDTHS + i] and inner_steps[i] != 0:
            return False
    return length >= kernel[LANES]


@deferred
@native(light=True)
def in_runs(data: pointer(int64), digits: pointer(int64), steps: pointer(int64), sizes: pointer(int64), rank: int64,
            kernel: pointer(int64), all_rows: int64, rows: int64):  # fmt: skip
    """Passes runs of rows with one stride to the inner loop."""
    length, operands, outer, row, inner_loop = (
        sizes[rank - 1],
        kernel[ARRAYS],
        rank - 2,
        int64(0),
        InnerLoop(kernel[INNER_LOOP]),
    )
    moves, inner_steps, result, ends_within = (
        local(int64, 2 * MOST),
        offset(steps, (rank - 1) * MOST),
        operands - 1,
        False,
    )
    for i in range(operands):
        moves[i] = steps[outer * MOST + i]
        moves[operands + i] = ONE if inner_steps[i] == 0 else EACH
        if i < result and data[i] == data[result]:
            ends_within = length % kernel[LANES] != 0
    streaming = not ends_within and all_rows * length > kernel[LARGEST] and (length | data[result]) % LINE == 0
    while row < rows:
        run = min(rows - row, sizes[outer] - digits[outer])
        if ends_within:
            ends_first(data, moves, kernel, length, run)
        else:
            inner_loop(data, length, streaming, moves, run)
        for i in range(operands):
            data[i] += (run - 1) * moves[i]
        digits[outer] += run - 1
        move_on(data, digits, sizes, steps, outer, operands)
        row += run
    if streaming:
        fence()


@deferred
@native(light=True)
def in_periods(here: pointer(int64), digits: pointer(int64), steps: pointer(int64), sizes: pointer(int64), rank: int64,
               kernel: pointer(int64), rows: int64):  # fmt: skip
    """Processes many short rows along one dimension; an operand that is constant along it is repeated in a block only
    once.
    """
    data, widths, blocks = local(int64, MOST), local(int64, 2 * MOST), local(int64, WORDS)
    length, operands, outer = sizes[rank - 1], kernel[ARRAYS], rank - 2
    inner_steps, outer_steps, most, row = (
        offset(steps, (rank - 1) * MOST),
        offset(steps, outer * MOST),
        SPAN // length,
        int64(0),
    )
    refill = True
    for i in range(operands):
        widths[i], widths[operands + i] = kernel[WIDTHS + i], EACH
    while row < rows:
        run = min(min(most, rows - row), sizes[outer] - digits[outer])
        for i in range(operands):
            data[i] = here[i]
            if inner_steps[i] != widths[i] or outer_steps[i] != length * widths[i]:
                data[i] = int64(offset(blocks, i * BLOCK))
                if refill or outer_steps[i] != 0:
                    put(
                        data[i],
                        here[i],
                        most if outer_steps[i] == 0 else run,
                        outer_steps[i],
                        inner_steps[i],
                        widths[i],
                        length,
                    )
            here[i] += (run - 1) * outer_steps[i]
        run_contiguous(data, widths, kernel, run * length)
        digits[outer] += run - 1
        move_on(here, digits, sizes, steps, outer, operands)
        refill = digits[outer] == 0
        row += run


@deferred
@native(light=True)
def in_spans(here: pointer(int64), digits: pointer(int64), steps: pointer(int64), sizes: pointer(int64), rank: int64,
             kernel: pointer(int64), rows: int64):  # fmt: skip
    """Processes several short rows at a time; operands that are not contiguous across rows are gathered into blocks."""
    data, widths, flows = local(int64, MOST), local(int64, 2 * MOST), local(int64, MOST)
    blocks, length, operands, has_new = (
        local(int64, WORDS),
        sizes[rank - 1],
        kernel[ARRAYS],
        are_new(steps, sizes, rank, kernel),
    )
    for i in range(operands):
        widths[i], widths[operands + i] = kernel[WIDTHS + i], EACH
        flows[i] = flow(steps, sizes, rank, i, widths[i])
    row, outer = int64(0), rank - 2
    while row < rows:
        some = min(SPAN // length, rows - row)
        for i in range(operands):
            data[i] = here[i] if flows[i] == FLOWING else int64(offset(blocks, i * BLOCK))
            if flows[i] == SAME and row == 0:
                put(data[i], here[i], some, int64(0), steps[(rank - 1) * MOST + i], widths[i], length)
        done = int64(0)
        while has_new and done < some:
            run = min(some - done, sizes[outer] - digits[outer])
            for i in range(operands):
                step = steps[outer * MOST + i]
                if flows[i] == NEW:
                    along, to = steps[(rank - 1) * MOST + i], data[i] + done * length * widths[i]
                    put(to, here[i], run, step, along, widths[i], length)
                here[i] += (run - 1) * step
            digits[outer] += run - 1
            move_on(here, digits, sizes, steps, outer, operands)
            done += run
        if not has_new:
            for i in range(operands):
                here[i] += some * length * widths[i]
        run_contiguous(data, widths, kernel, some * length)
        row += some


@native
def are_new(steps: pointer(int64), sizes: pointer(int64), rank: int64, kernel: pointer(int64)) -> boolean:
    """Returns whether the rows of some operand differ and are not contiguous."""
    for i in range(kernel[ARRAYS]):
        if flow(steps, sizes, rank, i, kernel[WIDTHS + i]) == NEW:
            return True
    return False


@native
def flow(steps: pointer(int64), sizes: pointer(int64), rank: int64, i: int64, width: int64) -> int64:
    """Returns whether consecutive rows of operand `i` are contiguous (FLOWING), the same row (SAME) or different rows
    (NEW).
    """
    expected, flowing, same = width, True, True
    for back in range(rank):
        axis = rank - 1 - back
        step = steps[axis * MOST + i]
        flowing = flowing and step == expected
        same = same and (back == 0 or step == 0)
        expected *= sizes[axis]
    if flowing or width == 0:
        return FLOWING
    return SAME if same else NEW


@native
def put(out: int64, source: int64, rows: int64, stride: int64, step: int64, width: int64, length: int64):
    """Copies rows of byte stride `apart` to contiguous memory."""
    if step == 0 and width == 4:
        put_numbers(pointer(uint32)(out), pointer(uint8)(source), rows, stride, length)
    elif step == 0 and width == 8:
        put_numbers(pointer(uint64)(out), pointer(uint8)(source), rows, stride, length)
    elif step == 4 and width == 4:
        put_rows(pointer(uint32)(out), pointer(uint8)(source), rows, stride, length)
    elif step == 8 and width == 8:
        put_rows(pointer(uint64)(out), pointer(uint8)(source), rows, stride, length)
    else:
        for row in range(rows):
            move(out + row * length * width, width, source + row * stride, step, width, length)


@native
def put_numbers(out: pointer(T), source: pointer(uint8), rows: int64, stride: int64, length: int64):
    """Fills each row with its one element; vector stores run into the next row."""
    for row in range(rows):
        value = splat(pointer(T)(offset(source, row * stride))[0])
        for k in range(0, length, WHOLE):
            store(out, row * length + k, value)


@native
def put_rows(out: pointer(T), source: pointer(uint8), rows: int64, stride: int64, length: int64):
    """Copies contiguous rows with vector stores that run into the next row; loads stay within the row."""
    for row in range(rows):
        row_data = pointer(T)(offset(source, row * stride))
        for k in range(0, length, WHOLE):
            store(out, row * length + k, load_some(row_data, k, 0, length - k))


@native
def move_on(data: pointer(int64), digits: pointer(int64), sizes: pointer(int64), steps: pointer(int64), axis: int64,
            operands: int64):  # fmt: skip
    """Advances the pointers to the next row."""
    while axis >= 0:
        digits[axis] += 1
        wraps = int64(0)
        if digits[axis] == sizes[axis]:
            wraps, digits[axis] = sizes[axis], 0
        for i in range(operands):
            data[i] += (1 - wraps) * steps[axis * MOST + i]
        axis = axis - 1 if wraps != 0 else int64(-1)
