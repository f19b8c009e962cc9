"""Depthwise convolution of channels-first images. float32.

As many planes as a vector has lanes are transposed to channels-last, zero-padded; results are transposed back. All
vectors are then aligned to cache lines, for any width and stride. Strips of rows stay in the second cache. Parallel
over jobs: strips of blocks of channels.
"""

from typing import NamedTuple

from rushlight.kernels.vectors import (
    LANES,
    load,
    load_some,
    multiply_add,
    splat,
    store,
    store_some,
    transpose,
    transpose_some,
    vector,
)
from rushlight.lower.language import local, offset
from rushlight.lower.native import float32, int64, native, pointer
from rushlight.lower.parallel import parallel_for

SEVEN = 7  # columns at a time, with independent sums: 224 and its halves are multiples of it


class Shape(NamedTuple):
    """Arguments of the kernel."""

    channels: int
    height: int  # of the input
    width: int
    out_height: int
    out_width: int
    tall: int  # rows of taps
    wide: int
    down: int  # stride
    across: int
    lower: int  # dilation
    further: int
    top: int  # padding
    left: int
    blocks: int  # of channels in an image
    strips: int  # of rows in an image
    strip: int  # rows of a strip of the result
    rows: int  # of the strip's input, and columns of those
    columns: int
    pieces: int  # strips of blocks of images
    jobs: int


CHANNELS, HEIGHT, WIDTH, OUT_HEIGHT, OUT_WIDTH, TALL, WIDE, DOWN, ACROSS, LOWER, FURTHER, TOP, LEFT = range(13)
BLOCKS, STRIPS, STRIP, ROWS, COLUMNS, PIECES, JOBS = range(13, 20)


def room_of(shape: Shape) -> tuple[int, int, int]:
    """Returns the elements that a job needs: for input, result and taps. Columns may cross the end."""
    over = SEVEN * shape.across + shape.wide * shape.further
    squares = -(-shape.tall * shape.wide // LANES) * LANES
    read, result = shape.rows * shape.columns + over, shape.strip * shape.out_width + LANES
    return read * LANES, result * LANES, squares * LANES


@native(bare=True, inlined=True)
def convolve(
    input: pointer(float32), weight: pointer(float32), bias: pointer(float32), out: pointer(float32),
    work: pointer(float32), room: pointer(int64), shape: pointer(int64),
):  # fmt: skip
    """Computes out (images, channels, out_height, out_width) from input (images, channels, height, width); weight by
    channel.

    `work` has the space of `room_of` for each job and begins as zeros.
    """
    parallel_for(convolve_jobs, shape[JOBS], 1, input, weight, bias, out, work, room, shape)


@native(cold=True)
def convolve_jobs(
    input: pointer(float32), weight: pointer(float32), bias: pointer(float32), out: pointer(float32),
    work: pointer(float32), room: pointer(int64), shape: pointer(int64), first: int64, last: int64,
):  # fmt: skip
    strips, blocks, channels = shape[STRIPS], shape[BLOCKS], shape[CHANNELS]
    taps, size = shape[TALL] * shape[WIDE], shape[OUT_HEIGHT] * shape[OUT_WIDTH]
    for job in range(first, last):
        plane = offset(work, job * (room[0] + room[1] + room[2]))
        sums = offset(plane, room[0])
        packed = offset(sums, room[1])
        for piece in range(shape[PIECES] * job // shape[JOBS], shape[PIECES] * (job + 1) // shape[JOBS]):
            both, row = piece // strips, piece % strips * shape[STRIP]
            channel = both % blocks * LANES
            first_channel, lanes = both // blocks * channels + channel, min(LANES, channels - channel)
            rows = min(shape[STRIP], shape[OUT_HEIGHT] - row)
            for tap in range(0, taps, LANES):
                target = offset(packed, tap * LANES)
                transpose_some(offset(weight, channel * taps + tap), taps, lanes, taps - tap, target, LANES)
            transpose_in(offset(input, first_channel * shape[HEIGHT] * shape[WIDTH]), plane, shape, row, rows, lanes)
            sum_rows(plane, packed, load_some(bias, channel, 0, lanes), sums, shape, rows)
            transpose_out(
                sums, offset(out, first_channel * size + row * shape[OUT_WIDTH]), size, rows * shape[OUT_WIDTH], lanes
            )


@native(alone=True)
def transpose_in(
    source: pointer(float32), plane: pointer(float32), shape: pointer(int64), row: int64, rows: int64, lanes: int64
):
    """Transposes the input of some rows of windows, with zeros above and below; side padding is zero already."""
    height, width, columns = shape[HEIGHT], shape[WIDTH], shape[COLUMNS]
    square = local(float32, LANES * LANES)
    above = row * shape[DOWN] - shape[TOP]
    below = above + (rows - 1) * shape[DOWN] + (shape[TALL] - 1) * shape[LOWER] + 1
    for y in range(above, below):
        if y < 0 or y >= height:
            for at in range(columns):
                store(plane, ((y - above) * columns + at) * LANES, splat(0.0))
    y, x, last = max(0, above), 0, min(below, height) * width
    for index in range(y * width, last, LANES):
        if index + LANES <= last and lanes == LANES:
            transpose(offset(source, index), height * width, square, LANES)
        else:
            transpose_some(offset(source, index), height * width, lanes, last - index, square, LANES)
        for i in range(min(LANES, last - index)):
            store(plane, ((y - above) * columns + shape[LEFT] + x) * LANES, load(square, i * LANES))
            x += 1
            if x == width:
                x = 0
                y += 1


@native(alone=True)
def sum_rows(
    plane: pointer(float32), taps: pointer(float32), add: vector, out: pointer(float32), shape: pointer(int64),
    rows: int64,
):  # fmt: skip
    """Computes rows of windows, one vector each; columns past the end of a row are overwritten by the next row.

    Two rows are computed together where they share input rows.
    """
    columns, across = shape[COLUMNS] * LANES, shape[ACROSS] * LANES
    later, row = shape[DOWN] // shape[LOWER], 0
    both = shape[DOWN] % shape[LOWER] == 0 and later < shape[TALL]
    while row < rows:
        source, target = offset(plane, row * shape[DOWN] * columns), offset(out, row * shape[OUT_WIDTH] * LANES)
        further = later if both and row + 1 < rows else shape[TALL]
        # From the end: columns past the end are the start of the next row.
        for done in range(0, shape[OUT_WIDTH], SEVEN):
            column = (shape[OUT_WIDTH] - 1) // SEVEN * SEVEN - done
            sum_columns(offset(source, column * across), taps, add, offset(target, column * LANES), shape, further)
        row += 1 if further == shape[TALL] else 2


@native(alone=True)
def sum_columns(
    plane: pointer(float32), taps: pointer(float32), add: vector, out: pointer(float32), shape: pointer(int64),
    later: int64,
):  # fmt: skip
    """Computes SEVEN columns of a row of windows, and of the next row if `later` < rows of taps.

    Input that both rows read is loaded once.
    """
    tall, wide, step, further = shape[TALL], shape[WIDE], shape[ACROSS] * LANES, shape[FURTHER] * LANES
    lower, back, tap = shape[LOWER] * shape[COLUMNS] * LANES, later * wide * LANES, 0
    first, second = local(float32, SEVEN * LANES), local(float32, SEVEN * LANES)
    for k in range(SEVEN):
        store(first, k * LANES, splat(0.0))
        store(second, k * LANES, splat(0.0))
    for i in range(tall + later if later < tall else tall):
        at = i * lower
        for _ in range(wide):
            if i < later:
                add_products(first, load(taps, tap), plane, at, step)
            elif i < tall:
                one, two = load(taps, tap), load(taps, tap - back)
                for k in range(SEVEN):
                    value = load(plane, at + k * step)
                    store(first, k * LANES, multiply_add(one, value, load(first, k * LANES)))
                    store(second, k * LANES, multiply_add(two, value, load(second, k * LANES)))
            else:
                add_products(second, load(taps, tap - back), plane, at, step)
            at += further
            tap += LANES
    for k in range(SEVEN):
        store(out, k * LANES, load(first, k * LANES) + add)
    if later < tall:
        for k in range(SEVEN):
            store(out, (shape[OUT_WIDTH] + k) * LANES, load(second, k * LANES) + add)


@native(inlined=True)
def add_products(sums: pointer(float32), tap: vector, plane: pointer(float32), at: int64, step: int64):
    for k in range(SEVEN):
        store(sums, k * LANES, multiply_add(tap, load(plane, at + k * step), load(sums, k * LANES)))


@native(alone=True)
def transpose_out(sums: pointer(float32), out: pointer(float32), stride: int64, count: int64, lanes: int64):
    """Transposes `count` vectors to rows of `out`, one per channel."""
    square = local(float32, LANES * LANES)
    for index in range(0, count, LANES):
        if index + LANES <= count and lanes == LANES:
            transpose(offset(sums, index * LANES), LANES, offset(out, index), stride)
        else:
            transpose(offset(sums, index * LANES), LANES, square, LANES)
            for lane in range(lanes):
                store_some(out, lane * stride + index, load(square, lane * LANES), count - index)
