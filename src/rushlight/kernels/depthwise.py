"""Depthwise convolution of channels-last images, and the gradient of its weight. float32.

Parallel over rows of the result; vectorized over channels; four columns are accumulated at a time. For each row and
column of the result a span lists the taps that are inside the image.
"""

from typing import NamedTuple

from rushlight.kernels.vectors import LANES, load_some, multiply_add, splat, store_some
from rushlight.lower.language import local, offset
from rushlight.lower.native import float32, int64, native, pointer
from rushlight.lower.parallel import parallel_for


class Shape(NamedTuple):
    """Sizes that the kernels take."""

    height: int  # of the input
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
OF_SPAN = 5  # first tap, number of taps, first input position, tap step, input step


@native(light=True)
def convolve(
    input: pointer(float32), taps: pointer(float32), bias: pointer(float32), out: pointer(float32),
    down: pointer(int64), across: pointer(int64), shape: pointer(int64), lines: int64, grain: int64,
):  # fmt: skip
    """Computes out (images, out_height, out_width, channels) from input (images, height, width, channels) and taps
    (taps, channels).

    `down` and `across` hold a span for each row and column of the result.
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
            count = alike(offset(across, column * OF_SPAN), min(FOUR, columns - column))
            if count < FOUR and column >= FOUR - count:
                back = FOUR - count  # recomputes columns that are done, to fill four
                if alike(offset(across, (column - back) * OF_SPAN), FOUR) == FOUR:
                    column -= back
                    count = FOUR
            span = offset(across, column * OF_SPAN)
            tap_strides(steps, rows, span, shape)
            window = offset(image, (rows[2] * width + span[2]) * channels)
            line_taps = offset(taps, (rows[0] * shape[WIDE] + span[0]) * channels)
            if count == FOUR:
                four_columns(window, line_taps, bias, offset(results, column * channels), steps, span, channels)
                column += FOUR
            else:
                one_column(window, line_taps, bias, offset(results, column * channels), steps, channels)
                column += 1


@native
def alike(spans: pointer(int64), most: int64) -> int64:
    """Returns how many columns, at most `most`, have the same taps as the first."""
    count = 1
    while count < most and spans[count * OF_SPAN] == spans[0] and spans[count * OF_SPAN + 1] == spans[1]:
        count += 1
    return count


@native
def tap_strides(steps: pointer(int64), rows: pointer(int64), columns: pointer(int64), shape: pointer(int64)):
    """Writes the loop counts and the strides through the input and the taps."""
    channels = shape[CHANNELS]
    steps[DOWN] = rows[1]
    steps[ACROSS] = columns[1]
    steps[APART] = columns[4] * channels
    steps[FURTHER] = columns[3] * channels
    steps[NEXT_ROW] = (rows[4] * shape[WIDTH] - columns[1] * columns[4]) * channels
    steps[NEXT_TAPS] = (rows[3] * shape[WIDE] - columns[1] * columns[3]) * channels


@native
def one_column(
    window: pointer(float32), taps: pointer(float32), bias: pointer(float32), out: pointer(float32),
    steps: pointer(int64), channels: int64,
):  # fmt: skip
    vectors = channels // LANES * LANES
    for channel in range(0, vectors, LANES):
        one_sum(window, taps, bias, out, steps, channel, LANES)
    if vectors < channels:
        one_sum(window, taps, bias, out, steps, vectors, channels - vectors)


@native(inlined=True)
def one_sum(
    window: pointer(float32), taps: pointer(float32), bias: pointer(float32), out: pointer(float32),
    steps: pointer(int64), channel: int64, lanes: int64,
):  # fmt: skip
    """Computes one output column for one vector of channels."""
    index, tap, input_step, tap_step = channel, channel, steps[APART], steps[FURTHER]
    total = load_some(bias, channel, 0, lanes)
    for _ in range(steps[DOWN]):
        for _ in range(steps[ACROSS]):
            total = multiply_add(load_some(window, index, 0, lanes), load_some(taps, tap, 0, lanes), total)
            index += input_step
            tap += tap_step
        index += steps[NEXT_ROW]
        tap += steps[NEXT_TAPS]
    store_some(out, channel, total, lanes)


@native
def four_columns(
    window: pointer(float32), taps: pointer(float32), bias: pointer(float32), out: pointer(float32),
    steps: pointer(int64), spans: pointer(int64), channels: int64,
):  # fmt: skip
    """Computes four columns: independent sums hide the latency of additions."""
    vectors = channels // LANES * LANES
    second = offset(window, (spans[OF_SPAN + 2] - spans[2]) * channels)
    third = offset(window, (spans[2 * OF_SPAN + 2] - spans[2]) * channels)
    fourth = offset(window, (spans[3 * OF_SPAN + 2] - spans[2]) * channels)
    for channel in range(0, vectors, LANES):
        four_sums(window, second, third, fourth, taps, bias, out, steps, channels, channel, LANES)
    if vectors < channels:
        four_sums(window, second, third, fourth, taps, bias, out, steps, channels, vectors, channels - vectors)


@native(inlined=True)
def four_sums(
    first: pointer(float32), second: pointer(float32), third: pointer(float32), fourth: pointer(float32),
    taps: pointer(float32), bias: pointer(float32), out: pointer(float32), steps: pointer(int64), channels: int64,
    channel: int64, lanes: int64,
):  # fmt: skip
    index, tap, input_step, tap_step = channel, channel, steps[APART], steps[FURTHER]
    a = load_some(bias, channel, 0, lanes)
    b, c, d = a, a, a
    for _ in range(steps[DOWN]):
        for _ in range(steps[ACROSS]):
            weight = load_some(taps, tap, 0, lanes)
            a = multiply_add(load_some(first, index, 0, lanes), weight, a)
            b = multiply_add(load_some(second, index, 0, lanes), weight, b)
            c = multiply_add(load_some(third, index, 0, lanes), weight, c)
            d = multiply_add(load_some(fourth, index, 0, lanes), weight, d)
            index += input_step
            tap += tap_step
        index += steps[NEXT_ROW]
        tap += steps[NEXT_TAPS]
    store_some(out, channel, a, lanes)
    store_some(out, channels + channel, b, lanes)
    store_some(out, 2 * channels + channel, c, lanes)
    store_some(out, 3 * channels + channel, d, lanes)


@native(light=True)
def convolve_weight(
    grad: pointer(float32), input: pointer(float32), totals: pointer(float32), down: pointer(int64),
    across: pointer(int64), shape: pointer(int64), lines: int64, lines_per_part: int64, parts: int64,
):  # fmt: skip
    """Computes `parts` partial sums of the weight's gradient, of `some` lines each; `totals` (parts, taps, channels)
    begin as zeros.

    `down` has a span for each row of the gradient, `across` one for each tap, of the columns that use it.
    """
    parallel_for(sum_parts, parts, 1, grad, input, totals, down, across, shape, lines, lines_per_part)


@native
def sum_parts(
    grad: pointer(float32), input: pointer(float32), totals: pointer(float32), down: pointer(int64),
    across: pointer(int64), shape: pointer(int64), lines: int64, lines_per_part: int64, first: int64, last: int64,
):  # fmt: skip
    width, columns, wide, channels = shape[WIDTH], shape[OUT_WIDTH], shape[WIDE], shape[CHANNELS]
    for part in range(first, last):
        for line in range(part * lines_per_part, min(lines, (part + 1) * lines_per_part)):
            rows, grad_line = offset(down, line % shape[OUT_HEIGHT] * OF_SPAN), offset(grad, line * columns * channels)
            for i in range(rows[1]):
                row = line // shape[OUT_HEIGHT] * shape[HEIGHT] + rows[2] + i * rows[4]
                for tap in range(wide):
                    span = offset(across, tap * OF_SPAN)
                    target = ((part * shape[TALL] + rows[0] + i * rows[3]) * wide + tap) * channels
                    add_products(
                        offset(grad_line, span[0] * channels), span[3] * channels,
                        offset(input, (row * width + span[2]) * channels), span[4] * channels, span[1],
                        offset(totals, target), channels,
                    )  # fmt: skip


@native
def add_products(
    grad: pointer(float32), grad_step: int64, input: pointer(float32), input_step: int64, count: int64,
    totals: pointer(float32), channels: int64,
):  # fmt: skip
    """Adds the products of the gradient's columns and their inputs, per channel."""
    vectors = channels // LANES * LANES
    for channel in range(0, vectors, LANES):
        add_some(grad, grad_step, input, input_step, count, totals, channel, LANES)
    if vectors < channels:
        add_some(grad, grad_step, input, input_step, count, totals, vectors, channels - vectors)


@native(inlined=True)
def add_some(
    grad: pointer(float32), grad_step: int64, input: pointer(float32), input_step: int64, count: int64,
    totals: pointer(float32), channel: int64, lanes: int64,
):  # fmt: skip
    grad_index, input_index = channel, channel
    a, b, c, d = load_some(totals, channel, 0, lanes), splat(0.0), splat(0.0), splat(0.0)
    for _ in range(count // FOUR):
        a = multiply_add(load_some(grad, grad_index, 0, lanes), load_some(input, input_index, 0, lanes), a)
        b = multiply_add(
            load_some(grad, grad_index + grad_step, 0, lanes), load_some(input, input_index + input_step, 0, lanes), b
        )
        grad_index += 2 * grad_step
        input_index += 2 * input_step
        c = multiply_add(load_some(grad, grad_index, 0, lanes), load_some(input, input_index, 0, lanes), c)
        d = multiply_add(
            load_some(grad, grad_index + grad_step, 0, lanes), load_some(input, input_index + input_step, 0, lanes), d
        )
        grad_index += 2 * grad_step
        input_index += 2 * input_step
    for _ in range(count % FOUR):
        a = multiply_add(load_some(grad, grad_index, 0, lanes), load_some(input, input_index, 0, lanes), a)
        grad_index += grad_step
        input_index += input_step
    store_some(totals, channel, (a + b) + (c + d), lanes)
