"""Depthwise convolution of images whose channels come last: vectors of channels, which have nothing to do with each
other, go through the taps that lie within the image. Which these are, and where, is listed for each row and column.
"""

from typing import NamedTuple

from rushlight.kernels.vectors import LANES, load_some, multiply_add, spread, store_some
from rushlight.lower.language import local, offset
from rushlight.lower.native import float32, int64, native, pointer
from rushlight.lower.parallel import parallel_for


class Shape(NamedTuple):
    """What the kernels are told."""

    height: int  # of what is read
    width: int
    out_height: int
    out_width: int
    tall: int  # rows of taps
    wide: int
    channels: int


HEIGHT, WIDTH, OUT_HEIGHT, OUT_WIDTH, TALL, WIDE, CHANNELS = range(7)
FOUR = 4  # columns at a time
STEPS = 6
DOWN, ACROSS, APART, FURTHER, NEXT_ROW, NEXT_TAPS = range(STEPS)
OF_SPAN = 5  # the first tap, how many there are, the first place, and how far apart both are


@native(light=True)
def convolve(
    input: pointer(float32), taps: pointer(float32), bias: pointer(float32), out: pointer(float32),
    down: pointer(int64), across: pointer(int64), shape: pointer(int64), lines: int64, grain: int64,
):  # fmt: skip
    """out (images, out_height, out_width, channels) of input (images, height, width, channels); taps (taps, channels).

    `down` and `across` have a span for each row and column of the result.
    """
    parallel_for(convolve_lines, lines, grain, input, taps, bias, out, down, across, shape)


@native
def convolve_lines(
    input: pointer(float32), taps: pointer(float32), bias: pointer(float32), out: pointer(float32),
    down: pointer(int64), across: pointer(int64), shape: pointer(int64), first: int64, last: int64,
):  # fmt: skip
    width, columns, channels = shape[WIDTH], shape[OUT_WIDTH], shape[CHANNELS]
    steps = local(int64, STEPS)
    for line in range(first, last):
        rows = offset(down, line % shape[OUT_HEIGHT] * OF_SPAN)
        image = offset(input, line // shape[OUT_HEIGHT] * shape[HEIGHT] * width * channels)
        results, column = offset(out, line * columns * channels), 0
        while column < columns:
            together = alike(offset(across, column * OF_SPAN), min(FOUR, columns - column))
            if together < FOUR and column >= FOUR - together:
                back = FOUR - together  # to columns that are done, and are so once more
                if alike(offset(across, (column - back) * OF_SPAN), FOUR) == FOUR:
                    column -= back
                    together = FOUR
            place = offset(across, column * OF_SPAN)
            walk(steps, rows, place, shape)
            seen = offset(image, (rows[2] * width + place[2]) * channels)
            used = offset(taps, (rows[0] * shape[WIDE] + place[0]) * channels)
            if together == FOUR:
                four_columns(seen, used, bias, offset(results, column * channels), steps, place, channels)
                column += FOUR
            else:
                one_column(seen, used, bias, offset(results, column * channels), steps, channels)
                column += 1


@native
def alike(spans: pointer(int64), most: int64) -> int64:
    """How many columns, at most so many, have the same taps as the first."""
    count = 1
    while count < most and spans[count * OF_SPAN] == spans[0] and spans[count * OF_SPAN + 1] == spans[1]:
        count += 1
    return count


@native
def walk(steps: pointer(int64), rows: pointer(int64), place: pointer(int64), shape: pointer(int64)):
    """Notes how taps are gone through: how many, and how far the next is, of what is read and of the kernel."""
    channels = shape[CHANNELS]
    steps[DOWN] = rows[1]
    steps[ACROSS] = place[1]
    steps[APART] = place[4] * channels
    steps[FURTHER] = place[3] * channels
    steps[NEXT_ROW] = (rows[4] * shape[WIDTH] - place[1] * place[4]) * channels
    steps[NEXT_TAPS] = (rows[3] * shape[WIDE] - place[1] * place[3]) * channels


@native
def one_column(
    seen: pointer(float32), taps: pointer(float32), bias: pointer(float32), out: pointer(float32),
    steps: pointer(int64), channels: int64,
):  # fmt: skip
    whole = channels // LANES * LANES
    for channel in range(0, whole, LANES):
        one_sum(seen, taps, bias, out, steps, channel, LANES)
    if whole < channels:
        one_sum(seen, taps, bias, out, steps, whole, channels - whole)


@native(inlined=True)
def one_sum(
    seen: pointer(float32), taps: pointer(float32), bias: pointer(float32), out: pointer(float32),
    steps: pointer(int64), channel: int64, some: int64,
):  # fmt: skip
    """What a column is, in some channels."""
    at, tap, apart, further = channel, channel, steps[APART], steps[FURTHER]
    found = load_some(bias, channel, 0, some)
    for _ in range(steps[DOWN]):
        for _ in range(steps[ACROSS]):
            found = multiply_add(load_some(seen, at, 0, some), load_some(taps, tap, 0, some), found)
            at += apart
            tap += further
        at += steps[NEXT_ROW]
        tap += steps[NEXT_TAPS]
    store_some(out, channel, found, some)


@native
def four_columns(
    seen: pointer(float32), taps: pointer(float32), bias: pointer(float32), out: pointer(float32),
    steps: pointer(int64), place: pointer(int64), channels: int64,
):  # fmt: skip
    """Four of them: a sum waits for the one before it."""
    whole = channels // LANES * LANES
    second = offset(seen, (place[OF_SPAN + 2] - place[2]) * channels)
    third = offset(seen, (place[2 * OF_SPAN + 2] - place[2]) * channels)
    fourth = offset(seen, (place[3 * OF_SPAN + 2] - place[2]) * channels)
    for channel in range(0, whole, LANES):
        four_sums(seen, second, third, fourth, taps, bias, out, steps, channels, channel, LANES)
    if whole < channels:
        four_sums(seen, second, third, fourth, taps, bias, out, steps, channels, whole, channels - whole)


@native(inlined=True)
def four_sums(
    first: pointer(float32), second: pointer(float32), third: pointer(float32), fourth: pointer(float32),
    taps: pointer(float32), bias: pointer(float32), out: pointer(float32), steps: pointer(int64), channels: int64,
    channel: int64, some: int64,
):  # fmt: skip
    at, tap, apart, further = channel, channel, steps[APART], steps[FURTHER]
    a = load_some(bias, channel, 0, some)
    b, c, d = a, a, a
    for _ in range(steps[DOWN]):
        for _ in range(steps[ACROSS]):
            weight = load_some(taps, tap, 0, some)
            a = multiply_add(load_some(first, at, 0, some), weight, a)
            b = multiply_add(load_some(second, at, 0, some), weight, b)
            c = multiply_add(load_some(third, at, 0, some), weight, c)
            d = multiply_add(load_some(fourth, at, 0, some), weight, d)
            at += apart
            tap += further
        at += steps[NEXT_ROW]
        tap += steps[NEXT_TAPS]
    store_some(out, channel, a, some)
    store_some(out, channels + channel, b, some)
    store_some(out, 2 * channels + channel, c, some)
    store_some(out, 3 * channels + channel, d, some)


@native(light=True)
def convolve_weight(
    grad: pointer(float32), input: pointer(float32), totals: pointer(float32), down: pointer(int64),
    across: pointer(int64), shape: pointer(int64), lines: int64, some: int64, parts: int64,
):  # fmt: skip
    """The sums of so many parts, each of some lines of the gradient; `totals` (parts, taps, channels) begin as zeros.

    `down` has a span for each row of the gradient, `across` for each tap one of the columns that have it.
    """
    parallel_for(sum_parts, parts, 1, grad, input, totals, down, across, shape, lines, some)


@native
def sum_parts(
    grad: pointer(float32), input: pointer(float32), totals: pointer(float32), down: pointer(int64),
    across: pointer(int64), shape: pointer(int64), lines: int64, some: int64, first: int64, last: int64,
):  # fmt: skip
    width, columns, wide, channels = shape[WIDTH], shape[OUT_WIDTH], shape[WIDE], shape[CHANNELS]
    for part in range(first, last):
        for line in range(part * some, min(lines, (part + 1) * some)):
            rows, slopes = offset(down, line % shape[OUT_HEIGHT] * OF_SPAN), offset(grad, line * columns * channels)
            for i in range(rows[1]):
                row = line // shape[OUT_HEIGHT] * shape[HEIGHT] + rows[2] + i * rows[4]
                for tap in range(wide):
                    place = offset(across, tap * OF_SPAN)
                    target = ((part * shape[TALL] + rows[0] + i * rows[3]) * wide + tap) * channels
                    add_products(
                        offset(slopes, place[0] * channels), place[3] * channels,
                        offset(input, (row * width + place[2]) * channels), place[4] * channels, place[1],
                        offset(totals, target), channels,
                    )  # fmt: skip


@native
def add_products(
    grad: pointer(float32), apart: int64, input: pointer(float32), step: int64, count: int64, totals: pointer(float32),
    channels: int64,
):  # fmt: skip
    """Adds what the gradient's columns have in common with what they saw, channel by channel."""
    whole = channels // LANES * LANES
    for channel in range(0, whole, LANES):
        add_some(grad, apart, input, step, count, totals, channel, LANES)
    if whole < channels:
        add_some(grad, apart, input, step, count, totals, whole, channels - whole)


@native(inlined=True)
def add_some(
    grad: pointer(float32), apart: int64, input: pointer(float32), step: int64, count: int64, totals: pointer(float32),
    channel: int64, some: int64,
):  # fmt: skip
    at, seen = channel, channel
    a, b, c, d = load_some(totals, channel, 0, some), spread(0.0), spread(0.0), spread(0.0)
    for _ in range(count // FOUR):
        a = multiply_add(load_some(grad, at, 0, some), load_some(input, seen, 0, some), a)
        b = multiply_add(load_some(grad, at + apart, 0, some), load_some(input, seen + step, 0, some), b)
        at += 2 * apart
        seen += 2 * step
        c = multiply_add(load_some(grad, at, 0, some), load_some(input, seen, 0, some), c)
        d = multiply_add(load_some(grad, at + apart, 0, some), load_some(input, seen + step, 0, some), d)
        at += 2 * apart
        seen += 2 * step
    for _ in range(count % FOUR):
        a = multiply_add(load_some(grad, at, 0, some), load_some(input, seen, 0, some), a)
        at += apart
        seen += step
    store_some(totals, channel, (a + b) + (c + d), some)
