"""Runs a nest of `graph/nests.py`: several stages over tiles of rows, whose values between stages stay in the cache.

A nest has `rows` rows of `length` elements, over up to four outer dimensions. Each array has an address, or a place in
the scratch memory of the thread; the bytes from an element to the next, 0 if a row is one element; and strides of the
outer dimensions. A tile is some rows; units of tiles are distributed to threads. Stages are inner loops of formulas
(`lower/inner_loop.py`), sums and maxima of rows, sums of columns and of all elements, and the choice of one element of
each row. Sums have the order of `reduce.py`.

Rows that an inner loop does not take, because they are shorter than a vector or not contiguous, are gathered into
blocks first.
"""

from __future__ import annotations

from rushlight.kernels.loops import EACH, ONE, InnerLoop, fence, flags, move, set_flags
from rushlight.kernels.reduce import joining, line_of, plain, plus
from rushlight.kernels.reduce_calls import BLOCK
from rushlight.kernels.vectors import LANES as WHOLE
from rushlight.kernels.vectors import load, load_some, splat, store, store_some, sum_of
from rushlight.lower.language import clear, larger, local, offset
from rushlight.lower.lazy_compile import deferred
from rushlight.lower.native import Element, float32, float64, int64, native, pointer, uint8, void
from rushlight.lower.objects import (
    ADD_REFERENCE,
    ALLOCATE,
    DATA,
    NONE,
    NUMBER_OF,
    RELEASE,
    RESTORE_THREAD,
    SAVE_THREAD,
    Object,
)
from rushlight.lower.parallel import parallel_for

T = Element("T")

OUTER = 4  # outer dimensions
# The words of a nest: the sizes of the outer dimensions; rows, elements of a row, of the last row; rows of a unit, of a
# tile; bytes of scratch memory; whether results are stored past the caches; 1 after a target that is no class. Then the
# number of arrays and the arrays, the number of stages and the stages.
SIZES, ROWS, LENGTH, LAST, UNIT, TILE, SCRATCH, PAST, WRONG, ARRAYS = 0, 4, 5, 6, 7, 8, 9, 10, 11, 12
# The words of an array: its address or place, whether that is in scratch memory, bytes of an element, bytes from an
# element of a row to the next, strides of the outer dimensions (of scratch memory: 0, 0, 0, bytes of a row).
ADDRESS, PLACED, WIDTH, STEP, STRIDES, ARRAY_WORDS = 0, 1, 2, 3, 4, 8
# The words of a stage: kind, number of words, arguments.
KIND, SIZE, FIRST = 0, 1, 2
FORMULA, ROW_FORMULA, ROW_SUM, SHORT_SUM, ROW_MAX, PICK, COLUMN_SUM, TOTAL, TOTAL_OF_ROWS = range(9)
# Of a formula: address of the inner loop, its lanes, operands, arrays, whether rows go through blocks, then the arrays.
LOOP, LANES, OPERANDS, COUNT, IN_BLOCKS, PARTS = 2, 3, 4, 5, 6, 7
# Of others: source, result, then the target of each row and the target that counts nothing.
SOURCE, RESULT, TARGET, IGNORED = 2, 3, 4, 5

MOST = 64  # arrays of a stage
CHUNK = 256  # elements of a block
ROOM = 1 << 15  # words of scratch memory on the stack
SLACK = 64  # elements that vector stores may run over the end of a row

# In different modules: they have one name.
sum_line, max_line = line_of(plus, plain), line_of(larger, plain)
joined = joining(plus)


@native(inlined=True)
def array_at(nest: pointer(int64), number: int64) -> pointer(int64):
    """Returns the words of an array."""
    return offset(nest, ARRAYS + 1 + number * ARRAY_WORDS)


@native
def row_at(nest: pointer(int64), array: pointer(int64), scratch: int64, row: int64, first: int64) -> int64:
    """Returns the address of a row of an array; in scratch memory rows are counted from the first of the tile."""
    address = array[ADDRESS]
    if array[PLACED] != 0:
        address += scratch + (row - first) * array[STRIDES + OUTER - 1]
    elif nest[SIZES + OUTER - 1] == nest[ROWS]:
        address += row * array[STRIDES + OUTER - 1]
    else:
        left = row
        for back in range(OUTER):
            axis = OUTER - 1 - back
            outer = left // nest[SIZES + axis]
            address += (left - outer * nest[SIZES + axis]) * array[STRIDES + axis]
            left = outer
    return address


@native
def length_at(nest: pointer(int64), row: int64) -> int64:
    """Returns the number of elements of a row."""
    return nest[LAST] if row == nest[ROWS] - 1 else nest[LENGTH]


# ---- formulas


@native
def formula(nest: pointer(int64), stage: pointer(int64), scratch: int64, begin: int64, end: int64):
    """Computes a formula for the rows of a tile, as many at a time as have one stride."""
    count, arrays, row = length_at(nest, begin), stage[COUNT], begin
    if stage[IN_BLOCKS] != 0 or count < stage[LANES]:
        formula_in_blocks(nest, stage, scratch, begin, end)
        return
    data, moves, inner_loop = local(int64, MOST), local(int64, 2 * MOST), InnerLoop(stage[LOOP])
    last = nest[SIZES + OUTER - 1]
    past = nest[PAST] != 0 and count % stage[LANES] == 0
    while row < end:
        run = min(end - row, last - row % last)
        for i in range(arrays):
            array = array_at(nest, stage[PARTS + i])
            data[i] = row_at(nest, array, scratch, row, begin)
            moves[i] = array[STRIDES + OUTER - 1]
            moves[arrays + i] = ONE if array[STEP] == 0 else EACH
        inner_loop(data, count, past, moves, run)
        row += run


@deferred
@native(light=True)
def formula_in_blocks(nest: pointer(int64), stage: pointer(int64), scratch: int64, begin: int64, end: int64):
    """Computes a formula in blocks of gathered elements: of one row, or of several short ones."""
    blocks, data, moves = local(int64, MOST * (CHUNK + SLACK)), local(int64, MOST), local(int64, 2 * MOST)
    lanes, arrays, operands, inner_loop = stage[LANES], stage[COUNT], stage[OPERANDS], InnerLoop(stage[LOOP])
    row = begin
    for i in range(arrays):
        data[i], moves[i], moves[arrays + i] = int64(offset(blocks, i * (CHUNK + SLACK))), 0, EACH
    while row < end:
        length = length_at(nest, row)
        rows, at = max(int64(1), min(end - row, CHUNK // max(length, int64(1)))), int64(0)
        while at < length:
            some = min(length - at, int64(CHUNK))
            full = (rows * some + lanes - 1) // lanes * lanes
            for i in range(operands):
                array = array_at(nest, stage[PARTS + i])
                width, step = array[WIDTH], array[STEP]
                for k in range(rows):
                    source = row_at(nest, array, scratch, row + k, begin) + at * step
                    move(data[i] + k * some * width, width, source, step, width, some)
                last = data[i] + rows * some * width
                move(last, width, last - width, int64(0), width, full - rows * some)
            inner_loop(data, full, False, moves, 1)
            for i in range(operands, arrays):
                array = array_at(nest, stage[PARTS + i])
                width = array[WIDTH]
                for k in range(rows):
                    target = row_at(nest, array, scratch, row + k, begin) + at * width
                    move(target, width, data[i] + k * some * width, width, width, some)
            at += some
        row += rows


@native
def row_formula(nest: pointer(int64), stage: pointer(int64), scratch: int64, begin: int64, end: int64):
    """Computes a formula of one element per row."""
    blocks, data, moves = local(int64, MOST * (CHUNK + SLACK)), local(int64, MOST), local(int64, 2 * MOST)
    lanes, arrays, operands, inner_loop = stage[LANES], stage[COUNT], stage[OPERANDS], InnerLoop(stage[LOOP])
    for i in range(arrays):
        data[i], moves[i], moves[arrays + i] = int64(offset(blocks, i * (CHUNK + SLACK))), 0, EACH
    for at in range(begin, end, CHUNK):
        some = min(end - at, int64(CHUNK))
        full = (some + lanes - 1) // lanes * lanes
        for i in range(operands):
            array = array_at(nest, stage[PARTS + i])
            width = array[WIDTH]
            if array[PLACED] != 0:
                data[i] = row_at(nest, array, scratch, at, begin)
            else:
                for k in range(some):
                    move(
                        data[i] + k * width, width, row_at(nest, array, scratch, at + k, begin), width, width, int64(1)
                    )
            last = data[i] + some * width
            move(last, width, last - width, int64(0), width, full - some)
        for i in range(operands, arrays):
            if array_at(nest, stage[PARTS + i])[PLACED] != 0:
                data[i] = row_at(nest, array_at(nest, stage[PARTS + i]), scratch, at, begin)
        inner_loop(data, full, False, moves, 1)
        for i in range(operands, arrays):
            array = array_at(nest, stage[PARTS + i])
            width = array[WIDTH]
            if array[PLACED] == 0:
                for k in range(some):
                    move(
                        row_at(nest, array, scratch, at + k, begin), width, data[i] + k * width, width, width, int64(1)
                    )


# ---- reductions


@native(inlined=True)
def sum_of_row(source: pointer(T), length: int64) -> T:
    """Returns the sum of a row, in blocks that are joined in float64."""
    zeros = local(T, 1)
    zeros[0] = T(0)
    zero = zeros[0]
    if length <= BLOCK:
        return sum_line(source, length, zero, zero)
    total = float64(sum_line(source, int64(BLOCK), zero, zero))
    for at in range(BLOCK, length, BLOCK):
        total += float64(sum_line(offset(source, at), min(length - at, int64(BLOCK)), zero, zero))
    return T(total)


@native(light=True)
def sum_of_row_at(out: pointer(T), source: pointer(T), length: int64):
    out[0] = sum_of_row(source, length)


@native
def row_sums(nest: pointer(int64), stage: pointer(int64), scratch: int64, begin: int64, end: int64):
    """Sums each row."""
    source, result = array_at(nest, stage[SOURCE]), array_at(nest, stage[RESULT])
    for row in range(begin, end):
        length = length_at(nest, row)
        at, out = row_at(nest, source, scratch, row, begin), row_at(nest, result, scratch, row, begin)
        if source[WIDTH] == 4:
            sum_of_row_at(pointer(float32)(out), pointer(float32)(at), length)
        else:
            sum_of_row_at(pointer(float64)(out), pointer(float64)(at), length)


@native(inlined=True)
def wide_sum(source: pointer(T), length: int64) -> float64:
    """Returns the sum of a short row, in float64."""
    parts = splat(float64(0))
    for k in range(0, length, WHOLE):
        parts += float64(load_some(source, k, 0, length - k))
    return sum_of(parts)


@deferred
@native(light=True)
def short_sums(nest: pointer(int64), stage: pointer(int64), scratch: int64, begin: int64, end: int64):
    """Sums each row, which is short, in float64."""
    source, result, length = array_at(nest, stage[SOURCE]), array_at(nest, stage[RESULT]), nest[LENGTH]
    for row in range(begin, end):
        at, out = row_at(nest, source, scratch, row, begin), row_at(nest, result, scratch, row, begin)
        if source[WIDTH] == 4:
            pointer(float32)(out)[0] = float32(wide_sum(pointer(float32)(at), length))
        else:
            pointer(float64)(out)[0] = wide_sum(pointer(float64)(at), length)


@deferred
@native(light=True)
def row_maxima(nest: pointer(int64), stage: pointer(int64), scratch: int64, begin: int64, end: int64):
    """Takes the maximum of each row."""
    source, result = array_at(nest, stage[SOURCE]), array_at(nest, stage[RESULT])
    for row in range(begin, end):
        length = length_at(nest, row)
        at, out = row_at(nest, source, scratch, row, begin), row_at(nest, result, scratch, row, begin)
        if source[WIDTH] == 4:
            single = pointer(float32)(at)
            pointer(float32)(out)[0] = max_line(single, length, single[0], single[0])
        else:
            double = pointer(float64)(at)
            pointer(float64)(out)[0] = max_line(double, length, double[0], double[0])


@native
def total(nest: pointer(int64), stage: pointer(int64), scratch: int64, begin: int64, end: int64):
    """Adds all elements of a tile, or the sums of its rows, to the sum of its unit."""
    source, result, unit = array_at(nest, stage[SOURCE]), array_at(nest, stage[RESULT]), begin // nest[UNIT]
    width, row_total, sum = source[WIDTH], local(float64, 1), float64(0)
    out, at_row = result[ADDRESS] + unit * result[WIDTH], int64(row_total)
    if begin % nest[UNIT] != 0:
        sum = float64(pointer(float32)(out)[0]) if width == 4 else pointer(float64)(out)[0]
    for row in range(begin, end):
        length, at = length_at(nest, row), row_at(nest, source, scratch, row, begin)
        if stage[KIND] == TOTAL_OF_ROWS:
            sum += float64(pointer(float32)(at)[0]) if width == 4 else pointer(float64)(at)[0]
        elif width == 4:
            sum_of_row_at(pointer(float32)(at_row), pointer(float32)(at), length)
            sum += float64(pointer(float32)(at_row)[0])
        else:
            sum_of_row_at(pointer(float64)(at_row), pointer(float64)(at), length)
            sum += pointer(float64)(at_row)[0]
    if width == 4:
        pointer(float32)(out)[0] = float32(sum)
    else:
        pointer(float64)(out)[0] = sum


@native(light=True)
def add_rows(sums: pointer(T), source: pointer(T), step: int64, length: int64, rows: int64):
    """Adds rows to sums, four at a time after those that are left over."""
    single = rows % 4
    for row in range(single):
        one = offset(source, row * step)
        for k in range(0, length, WHOLE):
            store_some(sums, k, load_some(sums, k, 0, length - k) + load_some(one, k, 0, length - k), length - k)
    whole = length // WHOLE * WHOLE
    for row in range(single, rows, 4):
        a = offset(source, row * step)
        b, c, d = offset(a, step), offset(a, 2 * step), offset(a, 3 * step)
        for k in range(0, whole, WHOLE):
            store(sums, k, load(sums, k) + ((load(a, k) + load(b, k)) + (load(c, k) + load(d, k))))
        if whole < length:
            left = length - whole
            low = load_some(a, whole, 0, left) + load_some(b, whole, 0, left)
            high = load_some(c, whole, 0, left) + load_some(d, whole, 0, left)
            store_some(sums, whole, load_some(sums, whole, 0, left) + (low + high), left)


@deferred
@native(light=True)
def column_sums(nest: pointer(int64), stage: pointer(int64), scratch: int64, begin: int64, end: int64):
    """Adds the rows of a tile to the sums of columns of its unit, which it begins with zeros."""
    source, result, length = array_at(nest, stage[SOURCE]), array_at(nest, stage[RESULT]), nest[LENGTH]
    width, step = source[WIDTH], source[STRIDES + OUTER - 1]
    sums, at = result[ADDRESS] + begin // nest[UNIT] * length * width, row_at(nest, source, scratch, begin, begin)
    if begin % nest[UNIT] == 0:
        clear(pointer(uint8)(sums), length * width)
    if width == 4:
        add_rows(pointer(float32)(sums), pointer(float32)(at), step // 4, length, end - begin)
    else:
        add_rows(pointer(float64)(sums), pointer(float64)(at), step // 8, length, end - begin)


# ---- classes


@deferred
@native(cold=True)
def picks(nest: pointer(int64), stage: pointer(int64), scratch: int64, begin: int64, end: int64):
    """Takes the element of each row that its target names; 0 where the target is ignored."""
    source, result, targets = (
        array_at(nest, stage[SOURCE]),
        array_at(nest, stage[RESULT]),
        array_at(nest, stage[TARGET]),
    )
    width = source[WIDTH]
    for row in range(begin, end):
        target = pointer(int64)(row_at(nest, targets, scratch, row, begin))[0]
        at, out = row_at(nest, source, scratch, row, begin), row_at(nest, result, scratch, row, begin)
        clear(pointer(uint8)(out), width)
        if target >= 0 and target < nest[LENGTH]:
            if target != stage[IGNORED]:
                move(out, width, at + target * width, width, width, int64(1))
        elif target != stage[IGNORED]:
            nest[WRONG] = 1


# ---- running


@native
def tile(nest: pointer(int64), scratch: int64, begin: int64, end: int64):
    """Runs all stages over the rows of a tile."""
    stage = offset(nest, ARRAYS + 1 + nest[ARRAYS] * ARRAY_WORDS)
    count = stage[0]
    stage = offset(stage, 1)
    for _ in range(count):
        kind = stage[KIND]
        if kind == FORMULA:
            formula(nest, stage, scratch, begin, end)
        elif kind == ROW_FORMULA:
            row_formula(nest, stage, scratch, begin, end)
        elif kind == ROW_SUM:
            row_sums(nest, stage, scratch, begin, end)
        elif kind == SHORT_SUM:
            short_sums(nest, stage, scratch, begin, end)
        elif kind == ROW_MAX:
            row_maxima(nest, stage, scratch, begin, end)
        elif kind == COLUMN_SUM:
            column_sums(nest, stage, scratch, begin, end)
        elif kind == TOTAL or kind == TOTAL_OF_ROWS:
            total(nest, stage, scratch, begin, end)
        else:
            picks(nest, stage, scratch, begin, end)
        stage = offset(stage, stage[SIZE])


@native
def units(nest: pointer(int64), begin: int64, end: int64):
    """Runs the units [begin, end). If a unit has several tiles, the first has the rows left over from four."""
    allocate, release = ALLOCATE, RELEASE
    room, scratch = local(int64, ROOM), int64(0)
    scratch = int64(room)
    if nest[SCRATCH] > 8 * ROOM:
        scratch = int64(allocate(nest[SCRATCH]))
    for unit in range(begin, end):
        row = unit * nest[UNIT]
        last = min(nest[ROWS], row + nest[UNIT])
        if nest[UNIT] != nest[TILE] and (last - row) % 4 != 0:
            tile(nest, scratch, row, row + (last - row) % 4)
            row += (last - row) % 4
        while row < last:
            tile(nest, scratch, row, min(last, row + nest[TILE]))
            row += nest[TILE]
    if nest[PAST] != 0:
        fence()
    if scratch != int64(room):
        release(pointer(void)(scratch))


@native(of_objects=True, light=True)
def run_tiles(self: Object, args: pointer(Object), count: int64) -> Object:
    """`run_tiles(nest, grain, *arrays)`: runs a nest on arrays, whose addresses are entered in its words."""
    number_of, nothing, add_reference = NUMBER_OF, NONE, ADD_REFERENCE
    save_thread, restore_thread = SAVE_THREAD, RESTORE_THREAD
    nest, grain, before = pointer(int64)(args[0][DATA]), number_of(args[1]), flags()
    for i in range(count - 2):
        array = array_at(nest, i)
        array[ADDRESS] = args[i + 2][DATA]
    thread = save_thread()
    parallel_for(units, (nest[ROWS] + nest[UNIT] - 1) // nest[UNIT], grain, nest)
    restore_thread(thread)
    set_flags(before)
    add_reference(nothing)
    return nothing


@native(light=True)
def join_parts(out: pointer(T), partial: pointer(T), parts: int64, length: int64, grain: int64):
    """Adds the sums of parts: `partial` is (parts, length)."""
    parallel_for(joined, length, grain, out, partial, parts, length)
