"""Depthwise convolution of images whose channels come last: vectors of channels, which have nothing to do with each
other, go through the taps that lie within the image. Which these are, and where, is listed for each row and column.
"""

from typing import NamedTuple

from rushlight.compiler.kernels.vectors import LANES, load_some, multiply_add, spread, store_some
from rushlight.compiler.language import offset
from rushlight.compiler.native import boolean, float32, int64, native, pointer
from rushlight.compiler.parallel import parallel_for


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
    for line in range(first, last):
        rows = offset(down, line % shape[OUT_HEIGHT] * OF_SPAN)
        image = offset(input, line // shape[OUT_HEIGHT] * shape[HEIGHT] * width * channels)
        results, column = offset(out, line * columns * channels), 0
        while column < columns:
            place = offset(across, column * OF_SPAN)
            if column + FOUR <= columns and are_alike(place):
                four_columns(image, taps, bias, offset(results, column * channels), rows, place, shape)
                column += FOUR
            else:
                one_column(image, taps, bias, offset(results, column * channels), rows, place, shape)
                column += 1


@native
def are_alike(spans: pointer(int64)) -> boolean:
    """Whether four columns have the same taps."""
    alike = True
    for i in range(1, FOUR):
        alike = alike and spans[i * OF_SPAN] == spans[0] and spans[i * OF_SPAN + 1] == spans[1]
    return alike


@native
def one_column(
    image: pointer(float32), taps: pointer(float32), bias: pointer(float32), out: pointer(float32),
    rows: pointer(int64), place: pointer(int64), shape: pointer(int64),
):  # fmt: skip
    channels = shape[CHANNELS]
    for channel in range(0, channels, LANES):
        some = channels - channel
        found = load_some(bias, channel, 0, some)
        for i in range(rows[1]):
            at = ((rows[2] + i * rows[4]) * shape[WIDTH] + place[2]) * channels + channel
            tap = ((rows[0] + i * rows[3]) * shape[WIDE] + place[0]) * channels + channel
            for _ in range(place[1]):
                found = multiply_add(load_some(image, at, 0, some), load_some(taps, tap, 0, some), found)
                at += place[4] * channels
                tap += place[3] * channels
        store_some(out, channel, found, some)


@native
def four_columns(
    image: pointer(float32), taps: pointer(float32), bias: pointer(float32), out: pointer(float32),
    rows: pointer(int64), place: pointer(int64), shape: pointer(int64),
):  # fmt: skip
    """Four of them: a sum waits for the one before it."""
    channels = shape[CHANNELS]
    second = (place[OF_SPAN + 2] - place[2]) * channels
    third, fourth = (place[2 * OF_SPAN + 2] - place[2]) * channels, (place[3 * OF_SPAN + 2] - place[2]) * channels
    for channel in range(0, channels, LANES):
        some = channels - channel
        a = load_some(bias, channel, 0, some)
        b, c, d = a, a, a
        for i in range(rows[1]):
            at = ((rows[2] + i * rows[4]) * shape[WIDTH] + place[2]) * channels + channel
            tap = ((rows[0] + i * rows[3]) * shape[WIDE] + place[0]) * channels + channel
            for _ in range(place[1]):
                weight = load_some(taps, tap, 0, some)
                a = multiply_add(load_some(image, at, 0, some), weight, a)
                b = multiply_add(load_some(image, at + second, 0, some), weight, b)
                c = multiply_add(load_some(image, at + third, 0, some), weight, c)
                d = multiply_add(load_some(image, at + fourth, 0, some), weight, d)
                at += place[4] * channels
                tap += place[3] * channels
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
    for channel in range(0, channels, LANES):
        some, at, seen = channels - channel, channel, channel
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
