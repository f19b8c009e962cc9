"""Convolution with 3x3 kernels in fewer multiplications: Winograd's minimal filtering F(2x2, 3x3).

Two outputs of a filter of three taps take four products, not six; in two dimensions a tile of 2x2 outputs takes 16, not
36. With the input tile d (4x4), the kernel g (3x3) and the matrices below

    output = A^T [(G g G^T) * (B^T d B)] A        G g, B^T d, A^T m: sums of two or three terms

and the products, summed over channels, are 16 products of matrices. The algorithm is bilinear, so that its transpose in
the kernel is the gradient: G^T [(A y A^T) * (B^T d B)] G. Its error in float32 is no larger than that of the plain sum;
larger tiles would lose digits. Source: Lavin and Gray, "Fast algorithms for convolutional neural networks", 2016.

Tiles are numbered through images, rows and columns. A job takes some blocks of tiles, whose transformed input and
products stay in the second-level cache. `shape` holds what `Shape` names. Differences of infinities are not what the
plain sum gives, so that these are looked for on the way: `doubt`.
"""

from typing import NamedTuple

from rushlight.kernels.gemm_tile import COLUMNS, ROWS, tile_product
from rushlight.kernels.vectors import (
    LANES,
    even,
    load,
    load_some,
    lower,
    odd,
    prefetch_far,
    spread,
    store,
    store_some,
    transpose,
    transpose_some,
    upper,
    vector,
)
from rushlight.lower.language import local, offset
from rushlight.lower.native import boolean, float32, int64, native, pointer
from rushlight.lower.parallel import parallel_for

LANE, IMAGE, TOP, LEFT, LONG, PIECE = range(6)  # of a piece of a row of tiles: where it is in the output, and numbers
AHEAD = 8  # channels whose rows are fetched before they are transformed
DEPTH = 256  # channels of a product at a time, that a strip of the input stays in the first-level cache


class Shape(NamedTuple):
    """What the kernels are told of a convolution."""

    batch: int
    channels: int
    height: int
    width: int
    top: int  # rows and columns of padding
    left: int
    filters: int
    out_height: int
    out_width: int
    down: int  # tiles in a column and in a row of the output
    across: int
    block: int  # tiles of a block, and the numbers from one channel of it to the next
    stride: int
    jobs: int


# ---- the kernel


@native
def whole(count: int64) -> int64:
    """The next multiple of LANES."""
    return (count + LANES - 1) // LANES * LANES


@native(alone=True)
def transposed(
    source: pointer(float32), out: pointer(float32), rows: int64, columns: int64, apart: int64, width: int64
):
    """Rows, `apart`, as columns of rows of `width`, both in whole vectors."""
    for i in range(0, rows, LANES):
        for j in range(0, columns, LANES):
            transpose(offset(source, i * apart + j), apart, offset(out, j * width + i), width)


@native(inlined=True, bare=True)
def transform_taps(
    weight: pointer(float32), taps: pointer(float32), rows: int64, columns: int64, down: int64, along: int64,
    backwards: boolean,
):  # fmt: skip
    """G g G^T of kernels of 3x3, `down` and `along` apart, or of these `backwards`: (16, rows, columns), in vectors."""
    parallel_for(transform_kernels, rows, 8, weight, taps, rows, columns, down, along, backwards)


@native(alone=True)
def transform_kernels(
    weight: pointer(float32), taps: pointer(float32), rows: int64, columns: int64, down: int64, along: int64,
    backwards: boolean, first: int64, last: int64,
):  # fmt: skip
    taken, half = local(float32, 16 * LANES), local(float32, 12 * LANES)
    apart, begin, step = whole(rows) * whole(columns), 0, LANES
    if backwards:
        begin, step = 8 * LANES, -LANES
    for row in range(first, last):
        for column in range(0, columns, LANES):
            kernels, out = offset(weight, row * down + column * along), offset(taps, row * whole(columns) + column)
            for tap in range(0, 9, LANES):
                transpose_some(
                    offset(kernels, tap), along, columns - column, 9 - tap, offset(taken, tap * LANES), LANES
                )  # fmt: skip
            for j in range(3):
                zero, one = load(taken, begin + j * step), load(taken, begin + (j + 3) * step)
                four_of_kernel(offset(half, j * LANES), 3 * LANES, zero, one, load(taken, begin + (j + 6) * step))
            for i in range(4):
                zero, one = load(half, 3 * i * LANES), load(half, (3 * i + 1) * LANES)
                four_of_kernel(offset(out, 4 * i * apart), apart, zero, one, load(half, (3 * i + 2) * LANES))


@native
def four_of_kernel(out: pointer(float32), apart: int64, zero: vector, one: vector, two: vector):
    """G g."""
    half = spread(0.5)
    store(out, 0, zero)
    store(out, apart, (zero + two + one) * half)
    store(out, 2 * apart, (zero + two - one) * half)
    store(out, 3 * apart, two)


@native
def gather_taps(totals: pointer(float32), weight: pointer(float32), size: int64, jobs: int64):
    """G^T u G, where u is the sum of what the jobs found: (jobs, 16, size) as `size` kernels of 3x3."""
    parallel_for(gather_kernels, size, 1024, totals, weight, size, jobs)


@native
def add_jobs(totals: pointer(float32), size: int64, jobs: int64, first: int64, last: int64):
    for job in range(1, jobs):
        for each in range(16):
            total = offset(totals, each * size)
            part = offset(total, 16 * job * size)
            for at in range(first, last, LANES):
                found = load_some(total, at, 0, last - at) + load_some(part, at, 0, last - at)
                store_some(total, at, found, last - at)


@native(alone=True)
def gather_kernels(
    totals: pointer(float32), weight: pointer(float32), size: int64, jobs: int64, first: int64, last: int64
):
    add_jobs(totals, size, jobs, first, last)
    half, found = local(float32, 12 * LANES), local(float32, 9 * LANES)
    for at in range(first, last, LANES):
        for j in range(4):
            here, next, many = offset(totals, j * size + at), 4 * size, last - at
            zero, one = load_some(here, 0, 0, many), load_some(here, next, 0, many)
            two, three = load_some(here, 2 * next, 0, many), load_some(here, 3 * next, 0, many)
            three_of_gradients(offset(half, j * LANES), 4 * LANES, zero, one, two, three)
        for i in range(3):
            zero, one = load(half, 4 * i * LANES), load(half, (4 * i + 1) * LANES)
            two, three = load(half, (4 * i + 2) * LANES), load(half, (4 * i + 3) * LANES)
            three_of_gradients(offset(found, 3 * i * LANES), LANES, zero, one, two, three)
        by_tap(found, offset(weight, 9 * at), min(LANES, last - at))


@native(as_written=True, alone=True)
def by_tap(found: pointer(float32), weight: pointer(float32), many: int64):
    for each in range(many):
        for tap in range(9):
            weight[9 * each + tap] = found[tap * LANES + each]


@native
def three_of_gradients(out: pointer(float32), apart: int64, zero: vector, one: vector, two: vector, three: vector):
    """G^T m."""
    half = spread(0.5)
    both = (one + two) * half
    store(out, 0, zero + both)
    store(out, apart, (one - two) * half)
    store(out, 2 * apart, both + three)


# ---- the input


@native(as_written=True, alone=True)
def fetch(plane: pointer(float32), begin: int64, width: int64, rows: int64):
    """Asks for the rows of LANES tiles: of planes that begin apart, the processor does not foresee the next."""
    for i in range(rows):
        prefetch_far(plane, begin + i * width)
        prefetch_far(plane, begin + i * width + LANES)
        prefetch_far(plane, begin + i * width + 2 * LANES)


@native
def four_of_input(out: pointer(float32), apart: int64, zero: vector, one: vector, two: vector, three: vector):
    """B^T d."""
    store(out, 0, zero - two)
    store(out, apart, one + two)
    store(out, 2 * apart, two - one)
    store(out, 3 * apart, one - three)


@native
def transform_input(
    plane: pointer(float32), height: int64, width: int64, top: int64, left: int64, out: pointer(float32), apart: int64,
    doubt: pointer(float32),
):  # fmt: skip
    """B^T d B of LANES tiles in a row, of which the first begins at `top` and `left`, to 16 places `apart`."""
    half = local(float32, 16 * LANES)
    for i in range(4):
        first, last = 0 - left, width - left
        if top + i < 0 or top + i >= height:
            last = first
        row = offset(plane, (top + i) * width + left)
        a, b = load_some(row, 0, first, last), load_some(row, LANES, first - LANES, last - LANES)
        first, last = first - 2, last - 2
        c, d = load_some(row, 2, first, last), load_some(row, LANES + 2, first - LANES, last - LANES)
        store(doubt, 0, load(doubt, 0) + (a - a) + (b - b) + (d - d))
        four_of_input(offset(half, 4 * i * LANES), LANES, even(a, b), odd(a, b), even(c, d), odd(c, d))
    columns_of_input(half, out, apart)


@native
def columns_of_input(half: pointer(float32), out: pointer(float32), apart: int64):
    for j in range(4):
        zero, one = load(half, j * LANES), load(half, (4 + j) * LANES)
        two, three = load(half, (8 + j) * LANES), load(half, (12 + j) * LANES)
        four_of_input(offset(out, j * apart), 4 * apart, zero, one, two, three)


@native(alone=True)
def transform_tiles(
    input: pointer(float32), shape: pointer(int64), begin: int64, end: int64, out: pointer(float32), apart: int64,
    doubt: pointer(float32),
):  # fmt: skip
    """Transforms tiles `begin` to `end` of all channels: 16 times (channels, stride), `apart`."""
    channels, height, width = shape[1], shape[2], shape[3]
    down, across, stride = shape[9], shape[10], shape[12]
    unsure = local(float32, LANES)  # in a register: in memory, threads would take each other's line of the cache
    store(unsure, 0, load(doubt, 0))
    tile = begin
    while tile < end:
        column = tile % across
        row = tile // across
        count = min(min(across - column, LANES), end - tile)
        top, left = 2 * (row % down) - shape[4], 2 * column - shape[5]
        for channel in range(channels):
            plane = offset(input, (row // down * channels + channel) * height * width)
            place = offset(out, channel * stride + tile - begin)
            fetch(plane, AHEAD * height * width + top * width + left, width, 4)
            transform_input(plane, height, width, top, left, place, apart, unsure)
        tile += count
    store(doubt, 0, load(unsure, 0))


@native(alone=True)
def transform_short_rows(
    input: pointer(float32), shape: pointer(int64), begin: int64, end: int64, out: pointer(float32), apart: int64,
    doubt: pointer(float32),
):  # fmt: skip
    """The same where a vector holds several rows of tiles, which are put beside each other first."""
    channels, height, width, stride = shape[1], shape[2], shape[3], shape[12]
    lines, half, pieces = local(float32, 24 * LANES), local(float32, 16 * LANES), local(int64, PIECE * LANES)
    unsure = local(float32, LANES)
    store(unsure, 0, load(doubt, 0))
    for i in range(0, 24 * LANES, LANES):
        store(lines, i, spread(0.0))
    for tile in range(begin, end, LANES):
        number = pieces_of(shape, tile, end, pieces)
        for channel in range(channels):
            for each in range(number):
                piece = offset(pieces, PIECE * each)
                plane = offset(input, (piece[IMAGE] * channels + channel) * height * width)
                top, left = piece[TOP] - shape[4], piece[LEFT] - shape[5]
                fetch(plane, AHEAD * height * width + top * width + left, width, 4)
                line_up(plane, height, width, top, left, offset(lines, 2 * piece[LANE]))
            for i in range(4):
                a, b = load(lines, 6 * LANES * i), load(lines, 6 * LANES * i + LANES)
                c, d = load(lines, 6 * LANES * i + 3 * LANES), load(lines, 6 * LANES * i + 4 * LANES)
                store(unsure, 0, load(unsure, 0) + (a - a) + (b - b) + (c - c) + (d - d))
                four_of_input(offset(half, 4 * i * LANES), LANES, even(a, b), odd(a, b), even(c, d), odd(c, d))
            columns_of_input(half, offset(out, channel * stride + tile - begin), apart)
    store(doubt, 0, load(unsure, 0))


@native
def line_up(plane: pointer(float32), height: int64, width: int64, top: int64, left: int64, lines: pointer(float32)):
    """The four rows of a piece, from its first column on and from its third; what follows overwrites the rest."""
    for i in range(4):
        first, last = 0 - left, width - left
        if top + i < 0 or top + i >= height:
            last = first
        row = offset(plane, (top + i) * width + left)
        store(lines, 6 * LANES * i, load_some(row, 0, first, last))
        store(lines, 6 * LANES * i + 3 * LANES, load_some(row, 2, first - 2, last - 2))


@native(alone=True)
def pieces_of(shape: pointer(int64), tile: int64, end: int64, pieces: pointer(int64)) -> int64:
    """Of which pieces of rows the next LANES tiles are made; says how many there are."""
    down, across, number, at = shape[9], shape[10], 0, tile
    while at < min(end, tile + LANES):
        piece, row, column = offset(pieces, PIECE * number), at // across, at % across
        count = min(across - column, min(end, tile + LANES) - at)
        piece[LANE], piece[IMAGE], piece[TOP], piece[LEFT] = at - tile, row // down, 2 * (row % down), 2 * column
        piece[LONG] = min(2 * count, shape[8] - 2 * column)
        at += count
        number += 1
    return number


# ---- the output, and its gradient


@native
def transform_output(
    found: pointer(float32), apart: int64, bias: float32, plane: pointer(float32), width: int64, rows: int64,
    columns: int64,
):  # fmt: skip
    """A^T m A of LANES tiles in a row, of which the first two of `rows` and the first `columns` outputs are there."""
    half = local(float32, 8 * LANES)
    for j in range(4):
        one, two = load(found, (4 + j) * apart), load(found, (8 + j) * apart)
        store(half, j * LANES, load(found, j * apart) + one + two)
        store(half, (4 + j) * LANES, one - two - load(found, (12 + j) * apart))
    for i in range(min(2, rows)):
        one, two = load(half, (4 * i + 1) * LANES), load(half, (4 * i + 2) * LANES)
        first = load(half, 4 * i * LANES) + one + two + spread(bias)
        second = one - two - load(half, (4 * i + 3) * LANES) + spread(bias)
        store_some(plane, i * width, lower(first, second), columns)
        store_some(plane, i * width + LANES, upper(first, second), columns - LANES)


@native(alone=True)
def place_tiles(
    found: pointer(float32), apart: int64, bias: pointer(float32), out: pointer(float32), shape: pointer(int64),
    begin: int64, end: int64,
):  # fmt: skip
    """Transforms tiles `begin` to `end` of the products and puts them into out (batch, filters, height, width)."""
    filters, height, width = shape[6], shape[7], shape[8]
    down, across, stride = shape[9], shape[10], shape[12]
    tile = begin
    while tile < end:
        column = tile % across
        row = tile // across
        count = min(min(across - column, LANES), end - tile)
        top, left = 2 * (row % down), 2 * column
        for filter in range(filters):
            plane = offset(out, ((row // down * filters + filter) * height + top) * width + left)
            place = offset(found, filter * stride + tile - begin)
            transform_output(place, apart, bias[filter], plane, width, height - top, min(2 * count, width - left))
        tile += count


@native(alone=True)
def place_short_rows(
    found: pointer(float32), apart: int64, bias: pointer(float32), out: pointer(float32), shape: pointer(int64),
    begin: int64, end: int64,
):  # fmt: skip
    """The same where a vector holds several rows of tiles."""
    filters, height, width, stride = shape[6], shape[7], shape[8], shape[12]
    lines, pieces = local(float32, 5 * LANES), local(int64, PIECE * LANES)
    for tile in range(begin, end, LANES):
        number = pieces_of(shape, tile, end, pieces)
        for filter in range(filters):
            place = offset(found, filter * stride + tile - begin)
            transform_output(place, apart, bias[filter], lines, 2 * LANES, 2, 2 * LANES)
            for each in range(number):
                piece = offset(pieces, PIECE * each)
                row = (piece[IMAGE] * filters + filter) * height + piece[TOP]
                for i in range(min(2, height - piece[TOP])):
                    some = load(lines, 2 * LANES * i + 2 * piece[LANE])
                    store_some(out, (row + i) * width + piece[LEFT], some, piece[LONG])


@native
def four_of_gradient(out: pointer(float32), apart: int64, zero: vector, one: vector):
    """A y."""
    store(out, 0, zero)
    store(out, apart, zero + one)
    store(out, 2 * apart, zero - one)
    store(out, 3 * apart, spread(0.0) - one)


@native
def transform_gradient(
    plane: pointer(float32), width: int64, rows: int64, columns: int64, out: pointer(float32), apart: int64,
    doubt: pointer(float32),
):  # fmt: skip
    """A y A^T of LANES tiles in a row, with zeros beyond `rows` and `columns`, to 16 places `apart`."""
    half = local(float32, 8 * LANES)
    for i in range(2):
        last = columns
        if i >= rows:
            last = 0
        a, b = load_some(plane, i * width, 0, last), load_some(plane, i * width + LANES, 0, last - LANES)
        store(doubt, 0, load(doubt, 0) + (a - a) + (b - b))
        four_of_gradient(offset(half, 4 * i * LANES), LANES, even(a, b), odd(a, b))
    columns_of_gradient(half, out, apart)


@native
def columns_of_gradient(half: pointer(float32), out: pointer(float32), apart: int64):
    for j in range(4):
        four_of_gradient(offset(out, j * apart), 4 * apart, load(half, j * LANES), load(half, (4 + j) * LANES))


@native(alone=True)
def transform_gradients(
    grad: pointer(float32), shape: pointer(int64), begin: int64, end: int64, out: pointer(float32), apart: int64,
    doubt: pointer(float32),
):  # fmt: skip
    """Transforms tiles `begin` to `end` of the gradient of all filters: 16 times (filters, stride), `apart`."""
    filters, height, width = shape[6], shape[7], shape[8]
    down, across, stride = shape[9], shape[10], shape[12]
    unsure = local(float32, LANES)
    store(unsure, 0, load(doubt, 0))
    tile = begin
    while tile < end:
        column = tile % across
        row = tile // across
        count = min(min(across - column, LANES), end - tile)
        top, left = 2 * (row % down), 2 * column
        for filter in range(filters):
            plane = offset(grad, ((row // down * filters + filter) * height + top) * width + left)
            place = offset(out, filter * stride + tile - begin)
            fetch(plane, AHEAD * height * width, width, 2)
            transform_gradient(plane, width, height - top, min(2 * count, width - left), place, apart, unsure)
        tile += count
    store(doubt, 0, load(unsure, 0))


@native(alone=True)
def transform_short_gradients(
    grad: pointer(float32), shape: pointer(int64), begin: int64, end: int64, out: pointer(float32), apart: int64,
    doubt: pointer(float32),
):  # fmt: skip
    """The same where a vector holds several rows of tiles."""
    filters, height, width, stride = shape[6], shape[7], shape[8], shape[12]
    lines, half, pieces = local(float32, 6 * LANES), local(float32, 8 * LANES), local(int64, PIECE * LANES)
    unsure = local(float32, LANES)
    store(unsure, 0, load(doubt, 0))
    for i in range(0, 6 * LANES, LANES):
        store(lines, i, spread(0.0))
    for tile in range(begin, end, LANES):
        number = pieces_of(shape, tile, end, pieces)
        for filter in range(filters):
            for each in range(number):
                piece = offset(pieces, PIECE * each)
                row, last = (piece[IMAGE] * filters + filter) * height + piece[TOP], piece[LONG]
                fetch(grad, (row + AHEAD * height) * width + piece[LEFT], width, 2)
                for i in range(2):
                    if piece[TOP] + i >= height:
                        last = 0
                    some = load_some(grad, (row + i) * width + piece[LEFT], 0, last)
                    store(lines, 3 * LANES * i + 2 * piece[LANE], some)
            for i in range(2):
                a, b = load(lines, 3 * LANES * i), load(lines, 3 * LANES * i + LANES)
                store(unsure, 0, load(unsure, 0) + (a - a) + (b - b))
                four_of_gradient(offset(half, 4 * i * LANES), LANES, even(a, b), odd(a, b))
            columns_of_gradient(half, offset(out, filter * stride + tile - begin), apart)
    store(doubt, 0, load(unsure, 0))


# ---- products


@native(alone=True)
def multiply(
    a: pointer(float32), row: int64, step: int64, b: pointer(float32), apart: int64, out: pointer(float32),
    stride: int64, rows: int64, columns: int64, depth: int64, add: boolean,
):  # fmt: skip
    """A product of matrices, rows (rows, depth) and (depth, columns), in tiles; in `a` as `tile_product` has them."""
    for begin in range(0, depth, DEPTH):
        for i in range(0, rows, ROWS):
            for j in range(0, columns, COLUMNS):
                tile_product(
                    min(DEPTH, depth - begin), offset(a, i * row + begin * step), row, step,
                    offset(b, begin * apart + j), apart, offset(out, i * stride + j), stride, rows - i, columns - j,
                    add or begin > 0,
                )  # fmt: skip


# ---- the convolution


def convolving(transform_tiles, place_tiles):
    """The kernel that convolves with these ways to bring tiles into vectors and out of them."""

    @native
    def convolve_blocks(
        input: pointer(float32), taps: pointer(float32), bias: pointer(float32), out: pointer(float32),
        work: pointer(float32), doubt: pointer(float32), shape: pointer(int64), first: int64, last: int64,
    ):  # fmt: skip
        channels, filters, block, stride, jobs = shape[1], shape[6], shape[11], shape[12], shape[13]
        tiles = shape[0] * shape[9] * shape[10]
        blocks = (tiles + block - 1) // block
        for job in range(first, last):
            seen = offset(work, job * 16 * (channels + filters) * stride)
            found = offset(seen, 16 * channels * stride)
            for number in range(job * blocks // jobs, (job + 1) * blocks // jobs):
                begin = number * block
                end = min(begin + block, tiles)
                transform_tiles(input, shape, begin, end, seen, channels * stride, offset(doubt, job * LANES))
                for each in range(16):
                    tap = offset(taps, each * whole(filters) * whole(channels))
                    part = offset(seen, each * channels * stride)
                    target = offset(found, each * filters * stride)
                    multiply(
                        tap, whole(channels), 1, part, stride, target, stride, filters, end - begin, channels, False
                    )
                place_tiles(found, filters * stride, bias, out, shape, begin, end)

    @native(inlined=True, bare=True)
    def convolve(
        input: pointer(float32), taps: pointer(float32), bias: pointer(float32), out: pointer(float32),
        work: pointer(float32), doubt: pointer(float32), shape: pointer(int64),
    ):  # fmt: skip
        """out (batch, filters, *size) from input (batch, channels, *size) and taps (16, filters, channels).

        `doubt` (jobs, LANES), which begins as zeros, becomes nan where the input has numbers that are not finite.
        """
        parallel_for(convolve_blocks, shape[13], 1, input, taps, bias, out, work, doubt, shape)

    return convolve


def gathering(transform_tiles, transform_gradients):
    """The kernel for the gradient of a convolution's kernel, by such ways."""

    @native(cold=True)
    def gather_blocks(
        grad: pointer(float32), input: pointer(float32), totals: pointer(float32), work: pointer(float32),
        doubt: pointer(float32), shape: pointer(int64), first: int64, last: int64,
    ):  # fmt: skip
        channels, filters, block, stride, jobs = shape[1], shape[6], shape[11], shape[12], shape[13]
        wide = whole(channels)
        tiles = shape[0] * shape[9] * shape[10]
        blocks = (tiles + block - 1) // block
        for job in range(first, last):
            seen = offset(work, job * ((16 * (wide + filters)) * stride + stride * wide))
            slopes = offset(seen, 16 * wide * stride)
            turned = offset(slopes, 16 * filters * stride)
            total = offset(totals, job * 16 * filters * channels)
            for number in range(job * blocks // jobs, (job + 1) * blocks // jobs):
                begin = number * block
                end = min(begin + block, tiles)
                fresh = number == job * blocks // jobs
                transform_tiles(input, shape, begin, end, seen, wide * stride, offset(doubt, job * LANES))
                transform_gradients(grad, shape, begin, end, slopes, filters * stride, offset(doubt, job * LANES))
                for each in range(16):
                    transposed(offset(seen, each * wide * stride), turned, channels, end - begin, stride, wide)
                    slope = offset(slopes, each * filters * stride)
                    target = offset(total, each * filters * channels)
                    multiply(
                        slope, stride, 1, turned, wide, target, channels, filters, channels, end - begin, not fresh
                    )

    @native(inlined=True, bare=True)
    def convolve_weight(
        grad: pointer(float32), input: pointer(float32), weight: pointer(float32), totals: pointer(float32),
        work: pointer(float32), doubt: pointer(float32), shape: pointer(int64),
    ):  # fmt: skip
        """The gradient of the kernel; `totals` (jobs, 16, filters, channels)."""
        parallel_for(gather_blocks, shape[13], 1, grad, input, totals, work, doubt, shape)
        gather_taps(totals, weight, shape[1] * shape[6], shape[13])

    return convolve_weight


# A kernel for rows of tiles that fill vectors, and one for short ones.
CONVOLVE = convolving(transform_tiles, place_tiles), convolving(transform_short_rows, place_short_rows)
CONVOLVE_WEIGHT = (
    gathering(transform_tiles, transform_gradients),
    gathering(transform_short_rows, transform_short_gradients),
)
