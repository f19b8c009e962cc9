"""The largest element of each window, and where it was; planes are spread over the threads."""

from typing import NamedTuple

from rushlight.kernels.vectors import (
    LANES,
    chosen,
    even,
    lanes_between,
    load,
    load_some,
    odd,
    places,
    spread,
    store,
    store_some,
)
from rushlight.lower.language import clear, local, offset
from rushlight.lower.native import float32, int64, native, pointer
from rushlight.lower.parallel import parallel_for

LEAST = float("-inf")


class Shape(NamedTuple):
    """What the kernel is told of a pooling, rows first."""

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
    placed: int = 1  # whether places are asked for


def is_quartered(shape: Shape) -> bool:
    """Whether each window is two by two numbers, the next beside it, and all are within the plane."""
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
    # Of the windows from `begin` on, of which a vector is whole up to `end`, all places are within the row.
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
    """As `compare`, up to the last vector of windows that are whole; gives what comes after it."""
    width, step, top, down = shape[1], shape[7], row * shape[6] - shape[8], shape[10]
    taps, apart = shape[5], shape[11]
    while column <= end:
        found, known, first = spread(LEAST), places(-1, 0), column * step - shape[9]
        for i in range(shape[4]):
            y = top + i * down
            if y >= 0 and y < shape[0]:
                for j in range(taps):
                    at = y * width + first + j * apart
                    value = load(source, at)
                    if step == 2:
                        value = even(value, load(source, at + LANES))
                    better = (value > found) | (value != value) | (known < 0)
                    found, known = chosen(better, value, found), chosen(better, places(at, step), known)
        store(best, column, found)
        store_some(where, column, known, LANES)
        column += LANES
    return column


@native
def largest_within(
    source: pointer(float32), shape: pointer(int64), row: int64, column: int64, end: int64, best: pointer(float32)
) -> int64:
    """The same without places: two vectors of windows at a time, the last of which may overlap."""
    width, step, top, down = shape[1], shape[7], row * shape[6] - shape[8], shape[10]
    taps, apart = shape[5], shape[11]
    while column <= end:
        one, other, next = spread(LEAST), spread(LEAST), min(column + LANES, end)
        for i in range(shape[4]):
            y = top + i * down
            if y >= 0 and y < shape[0]:
                line = offset(source, y * width - shape[9])
                for j in range(taps):
                    at, after = column * step + j * apart, next * step + j * apart
                    left, right = load(line, at), load(line, after)
                    if step == 2:
                        left = even(left, load(line, at + LANES))
                        right = even(right, load(line, after + LANES))
                    one = chosen((left > one) | (left != left), left, one)
                    other = chosen((right > other) | (right != right), right, other)
        store(best, column, one)
        store(best, next, other)
        column += 2 * LANES
    return min(column, end + LANES)


@native(light=True)
def max_pool_quartered(
    input: pointer(float32), values: pointer(float32), indices: pointer(int64), shape: pointer(int64), planes: int64,
    grain: int64,
):  # fmt: skip
    """The same where `is_quartered`."""
    parallel_for(quartered_planes, planes, grain, input, values, indices, shape)


@native
def quartered_planes(
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
    """A row of such windows, in two vectors from each of two rows."""
    for column in range(0, count, LANES):
        found, known, some = spread(LEAST), places(start + 2 * column, 2), 2 * (count - column)
        for i in range(2):
            at = start + 2 * column + i * width
            one, other = load_some(source, at, 0, some), load_some(source, at + LANES, 0, some - LANES)
            for j in range(2):
                value = even(one, other)
                if j == 1:
                    value = odd(one, other)
                better = (value > found) | (value != value)
                found, known = chosen(better, value, found), chosen(better, places(at + j, 2), known)
        store_some(best, column, found, count - column)
        if placed != 0:
            store_some(where, column, known, count - column)


@native
def compare(
    source: pointer(float32), shape: pointer(int64), row: int64, column: int64, best: pointer(float32),
    where: pointer(int64),
):  # fmt: skip
    """The best of as many windows of a row as there are lanes: nan always is better."""
    height, width, taps, step = shape[0], shape[1], shape[5], shape[7]
    found, known, spare = spread(LEAST), places(-1, 0), local(float32, 16)
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
                better = inside & ((value > found) | (value != value) | (known < 0))
                found, known = chosen(better, value, found), chosen(better, places(at, step), known)
    store_some(best, column, found, shape[3] - column)
    if shape[12] != 0:
        store_some(where, column, known, shape[3] - column)


class Boxes(NamedTuple):
    """What the kernel of boxes is told."""

    height: int
    width: int
    out_height: int
    out_width: int
    inner: int  # numbers of each place: the channels, where they come last
    placed: int  # whether places are asked for


@native(light=True)
def max_of_boxes(
    input: pointer(float32), values: pointer(float32), indices: pointer(int64), down: pointer(int64),
    across: pointer(int64), shape: pointer(int64), lines: int64, grain: int64,
):  # fmt: skip
    """The largest of each box of (images, height, width, inner), as (images, out_height, out_width, inner).

    `down` and `across` hold of each box the first place, how many there are, and how far apart.
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
    """As `compare`, of as many channels as there are lanes."""
    for i in range(0, inner, LANES):
        found, known, some = spread(LEAST), places(-1, 0), inner - i
        for row in range(rows[1]):
            for column in range(columns[1]):
                at = (rows[0] + row * rows[2]) * width + columns[0] + column * columns[2]
                value = load_some(source, at * inner + i, 0, some)
                better = (value > found) | (value != value) | (known < 0)
                found, known = chosen(better, value, found), chosen(better, places(at, 0), known)
        store_some(best, i, found, some)
        store_some(where, i, known, some)


@native
def largest_of_box(
    source: pointer(float32), width: int64, inner: int64, rows: pointer(int64), columns: pointer(int64),
    best: pointer(float32),
):  # fmt: skip
    for i in range(0, inner, LANES):
        found, some = spread(LEAST), inner - i
        for row in range(rows[1]):
            for column in range(columns[1]):
                at = (rows[0] + row * rows[2]) * width + columns[0] + column * columns[2]
                value = load_some(source, at * inner + i, 0, some)
                found = chosen((value > found) | (value != value), value, found)
        store_some(best, i, found, some)


@native(light=True)
def max_pool_input(
    grad: pointer(float32), indices: pointer(int64), out: pointer(float32), size: int64, count: int64, inner: int64,
    planes: int64, grain: int64,
):  # fmt: skip
    """`arrays.pooling.max_pool_input`: planes of `count` numbers to planes of `size`, or of so many times `inner`."""
    if inner == 1:
        parallel_for(put_planes, planes, grain, grad, indices, out, size, count)
    else:
        parallel_for(put_images, planes, grain, grad, indices, out, size, count, inner)


@native
def put_images(
    grad: pointer(float32), indices: pointer(int64), out: pointer(float32), size: int64, count: int64, inner: int64,
    first: int64, last: int64,
):  # fmt: skip
    for image in range(first, last):
        target = offset(out, image * size * inner)
        clear(target, size * inner)
        for place in range(image * count, (image + 1) * count):
            for i in range(inner):
                where = indices[place * inner + i]
                if where >= 0:
                    target[where * inner + i] += grad[place * inner + i]


@native
def put_planes(
    grad: pointer(float32), indices: pointer(int64), out: pointer(float32), size: int64, count: int64, first: int64,
    last: int64,
):  # fmt: skip
    for plane in range(first, last):
        target = offset(out, plane * size)
        clear(target, size)
        for i in range(plane * count, (plane + 1) * count):
            if indices[i] >= 0:
                target[indices[i]] += grad[i]
