"""Convolution of any kernel, stride and dilation, in up to three dimensions, as products of matrices.

The columns of the second matrix are windows. They are copied out of the input panel by panel, just before a panel is
multiplied, and nowhere else: what lies beyond the edges is zero. The gradient of the kernel takes the same copies
turned round. Source: Chellapilla, Puri and Simard, "High performance convolutional neural networks for document
processing", 2006.
"""

from typing import NamedTuple

from rushlight.compiler.kernels.tile_product import COLUMNS, ROWS, tile_of_listed, tile_product
from rushlight.compiler.kernels.vectors import LANES, even, load, load_some, store, store_some, transpose
from rushlight.compiler.language import offset
from rushlight.compiler.native import float32, int64, native, pointer
from rushlight.compiler.parallel import parallel_for

DEPTH = 288  # taps of a product at a time, that a panel stays in the first-level cache
LONG = 1024  # the same without a panel
SPAN = 4 * COLUMNS  # windows whose copies are turned round at a time


class Shape(NamedTuple):
    """What the kernels are told; sizes, strides and the like are those of planes, rows and columns."""

    batch: int
    groups: int
    channels: int  # of the input in a group
    filters: int  # of the output in a group
    size: tuple[int, int, int]
    kernel: tuple[int, int, int]
    stride: tuple[int, int, int]
    padding: tuple[int, int, int]
    dilation: tuple[int, int, int]
    out: tuple[int, int, int]
    jobs: int


# ---- windows


@native
def copy_windows(
    input: pointer(float32), shape: pointer(int64), begin: int64, count: int64, out: pointer(float32), apart: int64
):
    """Windows `begin` to `begin + count` as columns (channels * taps, apart) of the channels that begin at `input`."""
    rows, columns, across = shape[20], shape[21], shape[12]
    channels, kernel_rows, kernel_columns = shape[2], shape[8], shape[9]
    done = 0
    while done < count:
        column = (begin + done) % columns
        row = (begin + done) // columns % rows
        plane = (begin + done) // columns // rows
        run = min(min(columns - column, COLUMNS), count - done)
        left = column * across - shape[15]
        line = 0
        for channel in range(channels):
            for i in range(shape[7]):
                z = plane * shape[10] - shape[13] + i * shape[16]
                for j in range(kernel_rows):
                    y = row * shape[11] - shape[14] + j * shape[17]
                    at = ((channel * shape[4] + z) * shape[5] + y) * shape[6] + left
                    width = shape[6]
                    target = offset(out, line * apart + done)
                    if z < 0 or z >= shape[4] or y < 0 or y >= shape[5]:
                        width = 0
                    inside = left >= 0 and left + (kernel_columns - 1) * shape[18] + COLUMNS <= width
                    if inside and across == 1 and run == COLUMNS:
                        copy_lines(offset(input, at), shape[18], target, apart, kernel_columns)
                    else:
                        for k in range(kernel_columns):
                            x = k * shape[18]
                            copy_run(input, at + x, left + x, width, across, offset(target, k * apart), run)
                    line += kernel_columns
        done += run


@native
def copy_lines(input: pointer(float32), step: int64, out: pointer(float32), apart: int64, count: int64):
    """COLUMNS numbers from each of so many places, `step` apart."""
    for k in range(count):
        for i in range(0, COLUMNS, LANES):
            store(out, k * apart + i, load(input, k * step + i))


@native
def copy_run(
    input: pointer(float32), at: int64, x: int64, width: int64, step: int64, out: pointer(float32), run: int64
):
    """`run` numbers from `at` on, `step` apart; zeros where `x`, which counts along, is not within the width."""
    first, last = 0 - x, width - x
    if step == 1:
        for i in range(0, run, LANES):
            store_some(out, i, load_some(input, at + i, first - i, last - i), run - i)
    elif step == 2:
        for i in range(0, run, LANES):
            lower = load_some(input, at + 2 * i, first - 2 * i, last - 2 * i)
            at_upper = 2 * i + LANES
            upper = load_some(input, at + at_upper, first - at_upper, last - at_upper)
            store_some(out, i, even(lower, upper), run - i)
    else:
        for i in range(run):
            out[i] = 0.0
            if i * step >= first and i * step < last:
                out[i] = input[at + i * step]


# ---- forward


@native
def convolve(
    input: pointer(float32), weight: pointer(float32), places: pointer(int64), bias: pointer(float32),
    out: pointer(float32), work: pointer(float32), shape: pointer(int64),
):  # fmt: skip
    """out (batch, groups * filters, *out) of input (batch, groups * channels, *size).

    `places` says how far from the first element of a window each of the others is.
    """
    parallel_for(convolve_jobs, shape[22], 1, input, weight, places, bias, out, work, shape)


@native
def first_place(shape: pointer(int64), begin: int64) -> int64:
    """Where COLUMNS windows begin that lie beside each other and need no copy; -1 if they do not."""
    columns, rows = shape[21], shape[20]
    x = begin % columns - shape[15]
    y = begin // columns % rows * shape[11] - shape[14]
    z = begin // columns // rows * shape[10] - shape[13]
    right = x + (shape[9] - 1) * shape[18] + COLUMNS
    if shape[12] != 1 or begin % columns + COLUMNS > columns or x < 0 or right > shape[6]:
        return -1
    if y < 0 or y + (shape[8] - 1) * shape[17] >= shape[5] or z < 0 or z + (shape[7] - 1) * shape[16] >= shape[4]:
        return -1
    return (z * shape[5] + y) * shape[6] + x


@native
def fill(out: pointer(float32), value: float32, count: int64):
    for i in range(count):
        out[i] = value


@native
def convolve_jobs(
    input: pointer(float32), weight: pointer(float32), places: pointer(int64), bias: pointer(float32),
    out: pointer(float32), work: pointer(float32), shape: pointer(int64), first: int64, last: int64,
):  # fmt: skip
    groups, channels, filters, jobs = shape[1], shape[2], shape[3], shape[22]
    depth = channels * shape[7] * shape[8] * shape[9]
    positions = shape[19] * shape[20] * shape[21]
    panels = (positions + COLUMNS - 1) // COLUMNS
    pieces = shape[0] * groups * panels
    size = shape[4] * shape[5] * shape[6]
    for job in range(first, last):
        panel = offset(work, job * depth * COLUMNS)
        for piece in range(pieces * job // jobs, pieces * (job + 1) // jobs):
            begin, both = piece % panels * COLUMNS, piece // panels
            count = min(COLUMNS, positions - begin)
            source = offset(input, both * channels * size)
            start_of_windows = first_place(shape, begin)
            inside = start_of_windows >= 0 and filters % ROWS == 0
            if not inside:
                copy_windows(source, shape, begin, count, panel, COLUMNS)
            taps = offset(weight, both % groups * filters * depth)
            target = offset(out, both * filters * positions + begin)
            for row in range(filters):
                fill(offset(target, row * positions), bias[both % groups * filters + row], count)
            if inside:
                multiply_listed(taps, offset(source, start_of_windows), places, target, filters, depth, positions)
            else:
                multiply_panel(taps, panel, target, filters, depth, positions, count)


@native
def multiply_listed(
    taps: pointer(float32), windows: pointer(float32), places: pointer(int64), out: pointer(float32),
    filters: int64, depth: int64, positions: int64,
):  # fmt: skip
    """Adds the products with windows that lie beside each other; more of them than of a panel stay in the cache."""
    for start in range(0, depth, LONG):
        for row in range(0, filters, ROWS):
            tap, tile = offset(taps, row * depth + start), offset(out, row * positions)
            tile_of_listed(
                min(LONG, depth - start), tap, depth, 1, windows, offset(places, start), tile, positions, True
            )


@native
def multiply_panel(
    taps: pointer(float32), panel: pointer(float32), out: pointer(float32),
    filters: int64, depth: int64, positions: int64, count: int64,
):  # fmt: skip
    """Adds the products with the windows in a panel."""
    for start in range(0, depth, DEPTH):
        some, part = min(DEPTH, depth - start), offset(panel, start * COLUMNS)
        for row in range(0, filters, ROWS):
            tap, tile = offset(taps, row * depth + start), offset(out, row * positions)
            tile_product(some, tap, depth, 1, part, COLUMNS, tile, positions, filters - row, count, True)


# ---- the gradient of the kernel


@native
def convolve_weight(
    grad: pointer(float32), input: pointer(float32), weight: pointer(float32), totals: pointer(float32),
    work: pointer(float32), shape: pointer(int64),
):  # fmt: skip
    """The kernel's gradient; `totals` (jobs, groups * filters, channels * taps) and `weight` begin as zeros."""
    depth = shape[2] * shape[7] * shape[8] * shape[9]
    parallel_for(gather_jobs, shape[22], 1, grad, input, totals, work, shape)
    parallel_for(add_up, shape[1] * shape[3] * depth, 4096, totals, weight, shape[1] * shape[3] * depth, shape[22])


@native
def gather_jobs(
    grad: pointer(float32), input: pointer(float32), totals: pointer(float32), work: pointer(float32),
    shape: pointer(int64), first: int64, last: int64,
):  # fmt: skip
    groups, channels, filters, jobs = shape[1], shape[2], shape[3], shape[22]
    depth = channels * shape[7] * shape[8] * shape[9]
    wide = (depth + LANES - 1) // LANES * LANES
    positions = shape[19] * shape[20] * shape[21]
    spans = (positions + SPAN - 1) // SPAN
    pieces = shape[0] * groups * spans
    size = shape[4] * shape[5] * shape[6]
    for job in range(first, last):
        columns = offset(work, job * 2 * wide * SPAN)
        turned = offset(columns, wide * SPAN)
        for piece in range(pieces * job // jobs, pieces * (job + 1) // jobs):
            begin, both = piece % spans * SPAN, piece // spans
            count = min(SPAN, positions - begin)
            copy_windows(offset(input, both * channels * size), shape, begin, count, columns, SPAN)
            for i in range(0, depth, LANES):
                for j in range(0, count, LANES):
                    transpose(offset(columns, i * SPAN + j), SPAN, offset(turned, j * wide + i), wide)
            slopes = offset(grad, both * filters * positions + begin)
            target = offset(totals, (job * groups + both % groups) * filters * depth)
            for column in range(0, depth, COLUMNS):
                for row in range(0, filters, ROWS):
                    tile_product(
                        count, offset(slopes, row * positions), positions, 1, offset(turned, column), wide,
                        offset(target, row * depth + column), depth, filters - row, depth - column, True,
                    )  # fmt: skip


@native(separate=True)
def add_up(totals: pointer(float32), weight: pointer(float32), size: int64, jobs: int64, first: int64, last: int64):
    for job in range(jobs):
        for i in range(first, last):
            weight[i] += totals[job * size + i]
