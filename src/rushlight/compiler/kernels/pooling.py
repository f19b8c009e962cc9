"""The largest element of each window, and where it was; planes are spread over the threads."""

from typing import NamedTuple

from rushlight.compiler.language import offset
from rushlight.compiler.native import boolean, float32, int64, native, pointer
from rushlight.compiler.parallel import parallel_for

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


@native
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
    height, width, rows, columns = shape[0], shape[1], shape[2], shape[3]
    quartered = is_quartered(shape)
    for plane in range(first, last):
        source = offset(input, plane * height * width)
        for row in range(rows):
            at = (plane * rows + row) * columns
            if quartered:
                best_of_four(source, 2 * row * width, width, offset(values, at), offset(indices, at), columns)
            else:
                best_of_row(source, row, shape, offset(values, at), offset(indices, at))


@native
def is_quartered(shape: pointer(int64)) -> boolean:
    """Whether each window is two by two numbers, the next beside it, and all are within the plane."""
    beyond = shape[8] | shape[9] | (shape[10] - 1) | (shape[11] - 1)
    for i in range(4, 8):
        beyond |= shape[i] - 2
    return beyond == 0 and 2 * shape[2] <= shape[0] and 2 * shape[3] <= shape[1]


@native(separate=True)
def best_of_four(
    source: pointer(float32), start: int64, width: int64, best: pointer(float32), places: pointer(int64), count: int64
):
    """A row of such windows in one pass: rows are often short."""
    for column in range(count):
        place = start + 2 * column
        highest, known = source[place], place
        for tap in range(1, 4):
            other = place + tap // 2 * width + tap % 2
            value = source[other]
            better = (value > highest) | (value != value)
            highest = value if better else highest
            known = other if better else known
        best[column] = highest
        places[column] = known


@native
def best_of_row(
    source: pointer(float32), row: int64, shape: pointer(int64), best: pointer(float32), places: pointer(int64)
):
    """A row of any windows, tap by tap."""
    height, width, columns = shape[0], shape[1], shape[3]
    for column in range(columns):
        best[column] = LEAST
        places[column] = -1
    for i in range(shape[4]):
        y = row * shape[6] - shape[8] + i * shape[10]
        if y >= 0 and y < height and shape[7] > 2:
            compare_runs(offset(source, y * width), y * width, shape, best, places)
        elif y >= 0 and y < height:
            for j in range(shape[5]):
                start = j * shape[11] - shape[9]
                begin = max(0, (shape[7] - 1 - start) // shape[7])
                end = min(columns, (width - start + shape[7] - 1) // shape[7])
                if shape[7] == 1:
                    compare_next(source, y * width + start, best, places, begin, end)
                else:
                    compare_second(source, y * width + start, best, places, begin, end)


@native(separate=True)
def compare(
    source: pointer(float32), start: int64, step: int64, best: pointer(float32), places: pointer(int64), begin: int64,
    end: int64,
):  # fmt: skip
    """Makes the elements that begin at `start` and lie `step` apart the best, where they are better: nan always is."""
    for column in range(begin, end):
        place = start + column * step
        value, before, known = source[place], best[column], places[column]
        better = (value > before) | (value != value) | (known < 0)
        best[column] = value if better else before
        places[column] = place if better else known


@native(separate=True, one_at_a_time=True)
def compare_runs(
    line: pointer(float32), start: int64, shape: pointer(int64), best: pointer(float32), places: pointer(int64)
):
    """The same for all windows of a row, whose elements lie too far apart for vectors."""
    width, taps, step, left, apart = shape[1], shape[5], shape[7], shape[9], shape[11]
    for column in range(shape[3]):
        highest, known = best[column], places[column]
        for j in range(taps):
            x = column * step - left + j * apart
            if x >= 0 and x < width:
                value = line[x]
                if (value > highest) | (value != value) | (known < 0):
                    highest, known = value, start + x
        best[column] = highest
        places[column] = known


@native
def compare_next(
    source: pointer(float32), start: int64, best: pointer(float32), places: pointer(int64), begin: int64, end: int64
):
    compare(source, start, 1, best, places, begin, end)


@native
def compare_second(
    source: pointer(float32), start: int64, best: pointer(float32), places: pointer(int64), begin: int64, end: int64
):
    compare(source, start, 2, best, places, begin, end)


@native
def max_pool_input(
    grad: pointer(float32), indices: pointer(int64), out: pointer(float32), size: int64, count: int64, planes: int64,
    grain: int64,
):  # fmt: skip
    """`arrays.pooling.max_pool_input`: planes of `count` numbers to planes of `size`."""
    parallel_for(put_planes, planes, grain, grad, indices, out, size, count)


@native
def put_planes(
    grad: pointer(float32), indices: pointer(int64), out: pointer(float32), size: int64, count: int64, first: int64,
    last: int64,
):  # fmt: skip
    for plane in range(first, last):
        target = offset(out, plane * size)
        for i in range(size):
            target[i] = 0.0
        for i in range(plane * count, (plane + 1) * count):
            if indices[i] >= 0:
                target[indices[i]] += grad[i]
