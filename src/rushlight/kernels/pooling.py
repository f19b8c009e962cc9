"""Max pooling with indices, float32; parallel over planes, vectorized over windows or channels."""

from typing import NamedTuple

from rushlight.kernels.vectors import (
    LANES,
    even,
    lane_indices,
    lanes_between,
    load,
    load_some,
    odd,
    select,
    splat,
    store,
    store_some,
)
from rushlight.lower.language import clear, local, offset
from rushlight.lower.native import float32, int64, native, pointer
from rushlight.lower.parallel import parallel_for

LEAST = float("-inf")


class Shape(NamedTuple):
    """Sizes of a pooling, rows first."""

    height: int
    width: int
    out_height: int
    out_width: int
    tall: int  # the window
    wide: int
    down: int  # the stride
    across: int
    top: int  # the padding
    left: int
    apart_down: int  # the dilation
    apart_across: int
    placed: int = 1  # whether indices are needed


def is_two_by_two(shape: Shape) -> bool:
    """Returns whether windows are 2 x 2 with stride 2 and inside the plane."""
    windows, around = shape[4:8], shape[8:12]
    within = 2 * shape.out_height <= shape.height and 2 * shape.out_width <= shape.width
    return windows == (2, 2, 2, 2) and around == (0, 0, 1, 1) and within


@native(light=True)
def max_pool(
    input: pointer(float32), values: pointer(float32), indices: pointer(int64), shape: pointer(int64), planes: int64,
    grain: int64,
):  # fmt: skip
    """`arrays.pooling.max_pool` of (planes, height, width)."""
    parallel_for(max_pool_planes, planes, grain, input, values, indices, shape)


@native
def max_pool_planes(
    input: pointer(float32), values: pointer(float32), indices: pointer(int64), shape: pointer(int64), first: int64,
    last: int64,
):  # fmt: skip
    height, width, rows, columns, step = shape[0], shape[1], shape[2], shape[3], shape[7]
    # Vectors of windows from `begin` to `end` are inside the row.
    begin, reach = (shape[9] + step - 1) // step, width + shape[9] - (shape[5] - 1) * shape[11] - LANES * step
    end = min(reach // step, columns - LANES) if step <= 2 and reach >= 0 else int64(-1)
    for plane in range(first, last):
        source = offset(input, plane * height * width)
        for row in range(rows):
            at, column = (plane * rows + row) * columns, 0
            best, where = offset(values, at), offset(indices, at)
            while column < columns:
                if column < begin or column > end:
                    compare(source, shape, row, column, best, where)
                    column += LANES
                elif shape[12] != 0:
                    column = best_within(source, shape, row, column, end, best, where)
                else:
                    column = largest_within(source, shape, row, column, end, best)


@native
def best_within(
    source: pointer(float32), shape: pointer(int64), row: int64, column: int64, end: int64, best: pointer(float32),
    where: pointer(int64),
) -> int64:  # fmt: skip
    """Computes vectors of windows that are inside the row; returns the next column."""
    width, step, top, down = shape[1], shape[7], row * shape[6] - shape[8], shape[10]
    taps, dilation = shape[5], shape[11]
    while column <= end:
        best_value, index, first = splat(LEAST), lane_indices(-1, 0), column * step - shape[9]
        for i in range(shape[4]):
            y = top + i * down
            if y >= 0 and y < shape[0]:
                for j in range(taps):
                    at = y * width + first + j * dilation
                    value = load(source, at)
                    if step == 2:
                        value = even(value, load(source, at + LANES))
                    better = (value > best_value) | (value != value) | (index < 0)
                    best_value, index = select(better, value, best_value), select(better, lane_indices(at, step), index)
        store(best, column, best_value)
        store_some(where, column, index, LANES)
        column += LANES
    return column


@native
def largest_within(
    source: pointer(float32), shape: pointer(int64), row: int64, column: int64, end: int64, best: pointer(float32)
) -> int64:
    """Computes maxima without indices: two vectors of windows at a time, of which the last may overlap."""
    width, step, top, down = shape[1], shape[7], row * shape[6] - shape[8], shape[10]
    taps, dilation = shape[5], shape[11]
    while column <= end:
        a, b, next = splat(LEAST), splat(LEAST), min(column + LANES, end)
        for i in range(shape[4]):
            y = top + i * down
            if y >= 0 and y < shape[0]:
                line = offset(source, y * width - shape[9])
                for j in range(taps):
                    at, after = column * step + j * dilation, next * step + j * dilation
                    left, right = load(line, at), load(line, after)
                    if step == 2:
                        left = even(left, load(line, at + LANES))
                        right = even(right, load(line, after + LANES))
                    a = select((left > a) | (left != left), left, a)
                    b = select((right > b) | (right != right), right, b)
        store(best, column, a)
        store(best, next, b)
        column += 2 * LANES
    return min(column, end + LANES)


@native(light=True)
def max_pool_two_by_two(
    input: pointer(float32), values: pointer(float32), indices: pointer(int64), shape: pointer(int64), planes: int64,
    grain: int64,
):  # fmt: skip
    """Pools where `is_two_by_two` holds."""
    parallel_for(two_by_two_planes, planes, grain, input, values, indices, shape)


@native
def two_by_two_planes(
    input: pointer(float32), values: pointer(float32), indices: pointer(int64), shape: pointer(int64), first: int64,
    last: int64,
):  # fmt: skip
    height, width, rows, columns = shape[0], shape[1], shape[2], shape[3]
    for plane in range(first, last):
        source = offset(input, plane * height * width)
        for row in range(rows):
            at = (plane * rows + row) * columns
            best_of_four(source, 2 * row * width, width, offset(values, at), offset(indices, at), columns, shape[12])


@native
def best_of_four(
    source: pointer(float32), start: int64, width: int64, best: pointer(float32), where: pointer(int64), count: int64,
    placed: int64,
):  # fmt: skip
    """Computes a row of 2 x 2 windows: two vectors from each of two rows."""
    for column in range(0, count, LANES):
        best_value, index, some = splat(LEAST), lane_indices(start + 2 * column, 2), 2 * (count - column)
        for i in range(2):
            at = start + 2 * column + i * width
            a, b = load_some(source, at, 0, some), load_some(source, at + LANES, 0, some - LANES)
            for j in range(2):
                value = even(a, b)
                if j == 1:
                    value = odd(a, b)
                better = (value > best_value) | (value != value)
                best_value, index = select(better, value, best_value), select(better, lane_indices(at + j, 2), index)
        store_some(best, column, best_value, count - column)
        if placed != 0:
            store_some(where, column, index, count - column)


@native
def compare(
    source: pointer(float32), shape: pointer(int64), row: int64, column: int64, best: pointer(float32),
    where: pointer(int64),
):  # fmt: skip
    """Computes a vector of windows of a row, with masks; NaN always wins."""
    height, width, taps, step = shape[0], shape[1], shape[5], shape[7]
    best_value, index, spare = splat(LEAST), lane_indices(-1, 0), local(float32, 16)
    for i in range(shape[4]):
        y = row * shape[6] - shape[8] + i * shape[10]
        if y >= 0 and y < height:
            for j in range(taps):
                x = column * step - shape[9] + j * shape[11]
                at, first, last = y * width + x, -x, width - x
                inside, value = lanes_between(first, last), load_some(source, at, first, last)
                if step == 2:
                    value = even(value, load_some(source, at + LANES, first - LANES, last - LANES))
                    inside = lanes_between((first + 1) // 2, (last + 1) // 2)
                if step > 2:
                    first, last = (step - 1 - x) // step, (last + step - 1) // step
                    for lane in range(max(0, first), min(LANES, last)):
                        spare[lane] = source[at + lane * step]
                    inside, value = lanes_between(first, last), load(spare, 0)
                better = inside & ((value > best_value) | (value != value) | (index < 0))
                best_value, index = select(better, value, best_value), select(better, lane_indices(at, step), index)
    store_some(best, column, best_value, shape[3] - column)
    if shape[12] != 0:
        store_some(where, column, index, shape[3] - column)


class Boxes(NamedTuple):
    """Arguments of the kernel over boxes."""

    height: int
    width: int
    out_height: int
    out_width: int
    inner: int  # elements per position: the channels, if last
    placed: int  # whether indices are needed


@native(light=True)
def max_of_boxes(
    input: pointer(float32), values: pointer(float32), indices: pointer(int64), down: pointer(int64),
    across: pointer(int64), shape: pointer(int64), lines: int64, grain: int64,
):  # fmt: skip
    """Computes the maximum of each box of (images, height, width, inner), as (images, out_height, out_width, inner).

    `down` and `across` hold the start, count and step of each box.
    """
    parallel_for(max_of_lines, lines, grain, input, values, indices, down, across, shape)


@native
def max_of_lines(
    input: pointer(float32), values: pointer(float32), indices: pointer(int64), down: pointer(int64),
    across: pointer(int64), shape: pointer(int64), first: int64, last: int64,
):  # fmt: skip
    columns, inner = shape[3], shape[4]
    for line in range(first, last):
        source = offset(input, line // shape[2] * shape[0] * shape[1] * inner)
        rows = offset(down, line % shape[2] * 3)
        for column in range(columns):
            at = (line * columns + column) * inner
            if shape[5] != 0:
                best_of_box(source, shape[1], inner, rows, offset(across, 3 * column), offset(values, at),
                            offset(indices, at))  # fmt: skip
            else:
                largest_of_box(source, shape[1], inner, rows, offset(across, 3 * column), offset(values, at))


@native
def best_of_box(
    source: pointer(float32), width: int64, inner: int64, rows: pointer(int64), columns: pointer(int64),
    best: pointer(float32), where: pointer(int64),
):  # fmt: skip
    """Computes a box for a vector of channels."""
    for i in range(0, inner, LANES):
        best_value, index, some = splat(LEAST), lane_indices(-1, 0), inner - i
        for row in range(rows[1]):
            for column in range(columns[1]):
                at = (rows[0] + row * rows[2]) * width + columns[0] + column * columns[2]
                value = load_some(source, at * inner + i, 0, some)
                better = (value > best_value) | (value != value) | (index < 0)
                best_value, index = select(better, value, best_value), select(better, lane_indices(at, 0), index)
        store_some(best, i, best_value, some)
        store_some(where, i, index, some)


@native
def largest_of_box(
    source: pointer(float32), width: int64, inner: int64, rows: pointer(int64), columns: pointer(int64),
    best: pointer(float32),
):  # fmt: skip
    for i in range(0, inner, LANES):
        best_value, some = splat(LEAST), inner - i
        for row in range(rows[1]):
            for column in range(columns[1]):
                at = (rows[0] + row * rows[2]) * width + columns[0] + column * columns[2]
                value = load_some(source, at * inner + i, 0, some)
                best_value = select((value > best_value) | (value != value), value, best_value)
        store_some(best, i, best_value, some)


@native(light=True)
def max_pool_input(
    grad: pointer(float32), indices: pointer(int64), out: pointer(float32), size: int64, count: int64, inner: int64,
    planes: int64, grain: int64,
):  # fmt: skip
    """`arrays.pooling.max_pool_input`: scatters planes of `count` gradients to planes of `size` elements, times
    `inner`.
    """
    if inner == 1:
        parallel_for(scatter_planes, planes, grain, grad, indices, out, size, count)
    else:
        parallel_for(scatter_images, planes, grain, grad, indices, out, size, count, inner)


@native
def scatter_images(
    grad: pointer(float32), indices: pointer(int64), out: pointer(float32), size: int64, count: int64, inner: int64,
    first: int64, last: int64,
):  # fmt: skip
    for image in range(first, last):
        target = offset(out, image * size * inner)
        clear(target, size * inner)
        for position in range(image * count, (image + 1) * count):
            for i in range(inner):
                where = indices[position * inner + i]
                if where >= 0:
                    target[where * inner + i] += grad[position * inner + i]


@native
def scatter_planes(
    grad: pointer(float32), indices: pointer(int64), out: pointer(float32), size: int64, count: int64, first: int64,
    last: int64,
):  # fmt: skip
    for plane in range(first, last):
        target = offset(out, plane * size)
        clear(target, size)
        for i in range(plane * count, (plane + 1) * count):
            if indices[i] >= 0:
                target[indices[i]] += grad[i]
