"""Convolution of any kernel size, stride and dilation in up to three dimensions, without an im2col copy. float32.

The channels of an image are copied once, zero-padded, and for a stride split into one plane (phase) per remainder. In a
plane, neighbouring windows are one element apart, and rows of windows are one row apart: the elements that all windows
have at one tap are contiguous and start at the tap's offset. A window's number is therefore its start in the plane; the
few windows that cross the end of a row are computed too, but not stored. Taps that only meet padding are skipped where
all windows of a block agree; if no padding is left and rows are whole tiles, the source is read without a copy. The
gradient of the input is such a sum over the output's gradient for each remainder of the stride, with strided results.
`arrays.convolution` defines the formula. Parallel over jobs: blocks of windows of images and groups. Cho and Brand,
"MEC: memory-efficient convolution for deep neural network", 2017, share one copy between taps.
"""

from typing import NamedTuple

from rushlight.kernels.conv_filter_grad import dots, dots_of_one
from rushlight.kernels.gemm_tile import (
    COLUMNS,
    LISTED_COLUMNS,
    LISTED_ROWS,
    ROWS,
    tile_of_listed,
    tile_of_rows,
)
from rushlight.kernels.vectors import (
    LANES,
    even,
    load,
    load_some,
    lower,
    multiply_add,
    prefetch_far,
    splat,
    store,
    store_even,
    store_some,
    transpose,
    upper,
)
from rushlight.lower.language import local, offset
from rushlight.lower.lazy_compile import deferred
from rushlight.lower.llvm import host
from rushlight.lower.native import boolean, float32, int64, native, pointer
from rushlight.lower.parallel import parallel_for

LONG = 192 if LANES == 16 else 144  # taps per product, so that their windows stay in the first cache
SPAN = 8 * LISTED_COLUMNS  # windows per block
FEW = 4  # with fewer filters each is computed by itself: they would not fill a tile
NARROW = COLUMNS * 3 // 4  # with fewer filters the weight's gradient is summed tap by tap
NEAR = 1 << 12  # elements of channels that are copied together: they stay in the first cache
AHEAD = 1 << 10  # elements to prefetch ahead of a copy: the hardware does not foresee where the next row begins
LINE = 16  # float32 elements of a cache line
SOON = 2 * LISTED_ROWS  # filters whose taps are prefetched before packing
# Windows per step of `slide`, also elements that may be read past the end: eight independent sums, or four with 16
# lanes, where each load crosses cache lines and takes twice as long.
GAP = (4 if LANES == 16 else 8) * LANES


MASKS = host().masks  # without masks strided elements are stored one by one


class Shape(NamedTuple):
    """Arguments of the kernels; triples are (planes, rows, columns)."""

    groups: int
    channels: int  # of the source per group; phases are the stride remainders that have a plane
    phases: int
    filters: int  # of the result per group, and the same rounded up
    wide: int
    size: tuple[int, int, int]  # of the source
    step: tuple[int, int, int]
    extent: tuple[int, int, int]  # of a plane
    result: int  # elements of a channel of the result
    blocks: int  # per copy
    span: int  # windows per block
    pieces: int
    jobs: int
    copied: int  # elements of the copy
    batch: int
    images: int  # per copy
    reach: int  # distance from the first to the last element of a window in a plane
    unit: int  # distance of a filter's taps: 1 where the weight is read unpacked


class Part(NamedTuple):
    """A part of the result: one remainder of the stride."""

    planes: int  # of windows; also rows and columns
    rows: int
    columns: int
    origin: int  # where the first window starts in a plane
    begin: int  # where its result starts, and the strides from there
    by_plane: int
    by_row: int
    by_column: int
    depth: int  # taps of all channels
    places: int  # where its list of tap offsets starts; also its taps
    taps: int


GROUPS, CHANNELS, PHASES, FILTERS, WIDE, SIZE, STEP, EXTENT = 0, 1, 2, 3, 4, 5, 8, 11
RESULT, BLOCKS, WINDOWS, PIECES, JOBS, COPIED, BATCH, IMAGES, REACH, UNIT = range(14, 24)
ROWS_OF, COLUMNS_OF, ORIGIN, BEGIN, BY_PLANE, BY_ROW, BY_COLUMN, DEPTH, PLACES, TAPS, OF_PART = range(1, 12)
WINDOWS_OF, PLACE, TAP, TAPS_OF, RUNS, RUN, OF_BLOCK = range(3, 10)  # after part, plane and first window of a block
OF_PHASE = 9  # start of a plane in the source, and the range of its elements for each dimension


# ---- planes


@native
def window_start(block: pointer(int64), shape: pointer(int64)) -> int64:
    """Returns where the first window of a block starts; blocks are sorted by it."""
    return block[1] * shape[EXTENT + 1] * shape[EXTENT + 2] + block[2]


@native
def channel_size(shape: pointer(int64)) -> int64:
    """Returns the elements of a channel."""
    return shape[SIZE] * shape[SIZE + 1] * shape[SIZE + 2]


@deferred
@native(bare=True)
def copy_windows(
    source: pointer(float32), phases: pointer(int64), shape: pointer(int64), out: pointer(float32), first: int64,
    group: int64, blocks: pointer(int64), number: int64, many: int64,
):  # fmt: skip
    """Copies a group's channels of the images from `first` on to (channels, phases, images, *extent).

    For one image, only what `many` blocks of windows from `number` on read: threads do not copy each other's elements.
    """
    size, across = channel_size(shape), shape[EXTENT + 2]
    whole, last = shape[EXTENT] * shape[EXTENT + 1] * across, min(number + many, shape[BLOCKS]) - 1
    begin = window_start(offset(blocks, number * OF_BLOCK), shape)
    end = min(whole, window_start(offset(blocks, last * OF_BLOCK), shape) + shape[WINDOWS] + shape[REACH])
    if shape[IMAGES] > 1:
        begin, end = 0, whole
    elif across < whole:
        begin, end = begin // across * across, (end + across - 1) // across * across
    for image in range(first, min(first + shape[IMAGES], shape[BATCH])):
        channel = (image * shape[GROUPS] + group) * shape[CHANNELS]
        copy_planes(offset(source, channel * size), phases, shape, offset(out, (image - first) * whole), begin, end)


@native(alone=True)
def copy_planes(
    source: pointer(float32), phases: pointer(int64), shape: pointer(int64), out: pointer(float32), low: int64,
    high: int64,
):  # fmt: skip
    """Copies the channels of an image, rows `low` to `high` of each plane; in a plane of one row, elements `low` to
    `high`.

    Padding is zero already. Small channels are copied together, since finding the start of rows takes longer than
    copying a few.
    """
    depth, height, width = shape[SIZE], shape[SIZE + 1], shape[SIZE + 2]
    by_plane, by_row, by_column = shape[STEP], shape[STEP + 1], shape[STEP + 2]
    down, across, size = shape[EXTENT + 1], shape[EXTENT + 2], depth * height * width
    whole = shape[IMAGES] * shape[EXTENT] * down * across
    before, after = 0, across
    if shape[EXTENT] * down == 1:
        before, after = low, high
    further = ahead((high - low) * by_row * by_column, size)
    first, last, together = low // across, (high + across - 1) // across, max(1, NEAR // size)
    for several in range((shape[CHANNELS] + together - 1) // together):
        channel = several * together
        many = min(together, shape[CHANNELS] - channel)
        for phase in range(shape[PHASES]):
            begins, inside = offset(phases, phase * OF_PHASE), offset(phases, phase * OF_PHASE + 3)
            left, right = max(inside[4], before), min(inside[5], after)
            plane = (channel * shape[PHASES] + phase) * whole
            for i in range(inside[0], inside[1]):
                top, bottom = max(inside[2], first - i * down), min(inside[3], last - i * down)
                y = ((channel * depth + begins[0] + i * by_plane) * height + begins[1] + top * by_row) * width
                target = offset(out, plane + (i * down + top) * across + left)
                copy_rows(
                    offset(source, y + begins[2] + left * by_column), size, by_row * width, by_column, target,
                    shape[PHASES] * whole, across, many, bottom - top, max(0, right - left), further,
                )  # fmt: skip


@native(alone=True)
def copy_rows(
    source: pointer(float32), by_channel: int64, by_row: int64, step: int64, out: pointer(float32), to_channel: int64,
    to_row: int64, channels: int64, rows: int64, count: int64, further: int64,
):  # fmt: skip
    """Copies rows of `count` elements of a given step, of some channels; prefetches elements `further` ahead."""
    whole = count // LANES * LANES
    last = max(0, count - 1) // LANES * LANES
    for channel in range(channels):
        for row in range(rows):
            numbers = offset(source, channel * by_channel + row * by_row)
            target = offset(out, channel * to_channel + row * to_row)
            if step == 1:
                fetch(numbers, further, count)
                for i in range(0, whole, LANES):
                    store(target, i, load(numbers, i))
                if whole < count:
                    store_some(target, whole, load_some(numbers, whole, 0, count - whole), count - whole)
            elif step == 2:
                fetch(numbers, further, 2 * count)
                for i in range(0, last, LANES):
                    store(target, i, even(load(numbers, 2 * i), load(numbers, 2 * i + LANES)))
                if count > 0:
                    left = 2 * (count - last) - 1
                    some = load_some(numbers, 2 * last, 0, left)
                    more = load_some(numbers, 2 * last + LANES, 0, left - LANES)
                    store_some(target, last, even(some, more), count - last)
            else:
                gather(numbers, step, target, count)


@native(alone=True)
def gather(source: pointer(float32), step: int64, out: pointer(float32), count: int64):
    """Copies strided elements, four at a time."""
    whole = count // 4 * 4
    for i in range(0, whole, 4):
        numbers = offset(source, i * step)
        out[i] = numbers[0]
        out[i + 1] = numbers[step]
        out[i + 2] = numbers[2 * step]
        out[i + 3] = numbers[3 * step]
    for i in range(whole, count):
        out[i] = source[i * step]


@native
def ahead(count: int64, row_step: int64) -> int64:
    """Returns the distance to the element that is read AHEAD elements later, with lines of `count` elements."""
    if count >= AHEAD:
        return AHEAD
    return (AHEAD + count - 1) // max(1, count) * row_step


@native(alone=True)
def fetch(source: pointer(float32), begin: int64, count: int64):
    """Prefetches `count` elements."""
    for i in range(begin, begin + count, LANES):
        prefetch_far(source, i)


@native(bare=True)
def pack(
    weight: pointer(float32), sources: pointer(int64), out: pointer(float32), parts: pointer(int64),
    shape: pointer(int64), count: int64, by_group: int64, by_filter: int64, grain: int64,
):  # fmt: skip
    """Packs the taps of all parts as (groups, wide / LISTED_ROWS, depth, LISTED_ROWS) into `out`, which begins as
    zeros.

    `sources` holds the offsets of the first filter's taps, part by part.
    """
    tiles = shape[GROUPS] * (shape[WIDE] // LISTED_ROWS)
    parallel_for(pack_tiles, tiles, grain, weight, sources, out, parts, shape, count, by_group, by_filter)


@native
def pack_tiles(
    weight: pointer(float32), sources: pointer(int64), out: pointer(float32), parts: pointer(int64),
    shape: pointer(int64), count: int64, by_group: int64, by_filter: int64, first: int64, last: int64,
):  # fmt: skip
    """Packs some taps of tile after tile, since the next tile's taps are next to them."""
    tiles = shape[WIDE] // LISTED_ROWS
    for number in range(count):
        part = offset(parts, number * OF_PART)
        depth, listed = part[DEPTH], offset(sources, part[PLACES])
        for begin in range(0, depth, LONG):
            for index in range(first, last):
                group, tile = index // tiles, index % tiles * LISTED_ROWS
                target = offset(out, part[TAPS] + index * LISTED_ROWS * depth + begin * LISTED_ROWS)
                some, rows = (
                    offset(weight, group * by_group + tile * by_filter),
                    min(LISTED_ROWS, shape[FILTERS] - tile),
                )
                pack_tile(some, offset(listed, begin), target, min(LONG, depth - begin), rows, by_filter)


@native(alone=True)
def pack_tile(
    weight: pointer(float32), listed: pointer(int64), out: pointer(float32), depth: int64, rows: int64, by_filter: int64
):
    """Packs some taps of a tile's filters and prefetches later ones."""
    for tap in range(depth):
        numbers = offset(weight, listed[tap])
        prefetch_far(numbers, (SOON + (tap & (LISTED_ROWS - 1))) * by_filter)
        gather(numbers, by_filter, offset(out, tap * LISTED_ROWS), rows)


@native
def fill(out: pointer(float32), count: int64):
    """Fills with zeros, in whole vectors."""
    for i in range(0, count, LANES):
        store(out, i, splat(0.0))


# ---- forward, and the gradient of the input


@native(bare=True)
def convolve(
    input: pointer(float32), weight: pointer(float32), places: pointer(int64), bias: pointer(float32),
    out: pointer(float32), work: pointer(float32), phases: pointer(int64), parts: pointer(int64),
    blocks: pointer(int64), shape: pointer(int64),
):  # fmt: skip
    """Computes out (batch, groups * filters, *) from input (batch, groups * channels, *size), all parts of it.

    `weight` holds the taps of each part as (groups, wide / LISTED_ROWS, depth, LISTED_ROWS), `places` the offsets of
    the taps.
    """
    parallel_for(
        convolve_jobs, shape[JOBS], 1, input, weight, places, bias, out, work, phases, parts, blocks, shape
    )  # fmt: skip


@native
def convolve_jobs(
    input: pointer(float32), weight: pointer(float32), places: pointer(int64), bias: pointer(float32),
    out: pointer(float32), work: pointer(float32), phases: pointer(int64), parts: pointer(int64),
    blocks: pointer(int64), shape: pointer(int64), first: int64, last: int64,
):  # fmt: skip
    groups, filters, wide, images = shape[GROUPS], shape[FILTERS], shape[WIDE], shape[IMAGES]
    span = shape[WINDOWS]
    for job in range(first, last):
        planes = offset(work, job * (shape[COPIED] + wide * span))
        sums = offset(planes, shape[COPIED])
        fill(planes, shape[COPIED])
        begin, end = shape[PIECES] * job // shape[JOBS], shape[PIECES] * (job + 1) // shape[JOBS]
        both, number = begin // shape[BLOCKS], begin % shape[BLOCKS]
        image, group = both // groups * images, both % groups
        for piece in range(begin, end):
            block = offset(blocks, number * OF_BLOCK)
            part, start = offset(parts, block[0] * OF_PART), block[2]
            if shape[COPIED] == 0:
                planes = offset(input, (image * groups + group) * shape[CHANNELS] * channel_size(shape))
            elif number == 0 or piece == begin:
                copy_windows(input, phases, shape, planes, image, group, blocks, number, end - piece)
            count = windows_from(block, part, shape, image)
            windows = offset(planes, block[PLACE])
            depth = part[DEPTH]
            taps, listed = offset(weight, part[TAPS] + group * wide * depth), offset(places, part[PLACES])
            for run in range(block[RUNS]):
                tap, some = block[TAP] + run * block[RUN], block[TAPS_OF]
                row, listed_from = offset(taps, tap * shape[UNIT]), offset(listed, tap)
                if filters < FEW:
                    for filter in range(filters):
                        slide(offset(row, filter), listed_from, windows, offset(sums, filter * span), some, count)
                else:
                    multiply(row, listed_from, windows, sums, wide, depth, some, count, run > 0, shape[UNIT])
            target = offset(out, (image * groups + group) * filters * shape[RESULT] + block[1] * part[BY_PLANE])
            write_rows(sums, offset(bias, group * filters), offset(target, part[BEGIN]), part, shape, start, count)
            number += 1
            if number == shape[BLOCKS]:
                number = 0
                group += 1
                if group == groups:
                    group = 0
                    image += images


@native
def windows_from(block: pointer(int64), part: pointer(int64), shape: pointer(int64), image: int64) -> int64:
    """Returns how many windows of a block there are in the images from `image` on."""
    more = min(shape[IMAGES], shape[BATCH] - image) - 1
    line = more * shape[EXTENT] * shape[EXTENT + 1] + part[ROWS_OF] - 1
    return max(0, min(block[WINDOWS_OF], line * shape[EXTENT + 2] + part[COLUMNS_OF] - block[2]))


@native(alone=True)
def multiply(
    taps: pointer(float32), places: pointer(int64), windows: pointer(float32), out: pointer(float32), filters: int64,
    depth: int64, many: int64, count: int64, more: boolean, unit: int64,
):  # fmt: skip
    """Computes out (filters, SPAN) of `count` windows and `many` taps; adds to `out` if `more`.

    The next windows and the next filters' taps are prefetched.
    """
    by_row = 1
    if unit == 1:
        by_row = depth
    for start in range(0, max(1, many), LONG):
        some = min(LONG, many - start)
        for column in range(0, count, LISTED_COLUMNS):
            if filters > LISTED_ROWS:
                fetch_windows(offset(windows, column + LISTED_COLUMNS), offset(places, start), some)
            for row in range(0, filters, LISTED_ROWS):
                if column == 0:
                    fetch_taps(offset(taps, (row + LISTED_ROWS) * depth + start * unit), some, by_row, unit)
                tile_of_listed(
                    some, offset(taps, row * depth + start * unit), by_row, unit, offset(windows, column),
                    offset(places, start), offset(out, row * SPAN + column), SPAN, count - column, more or start > 0,
                )  # fmt: skip


@native
def fetch_taps(taps: pointer(float32), count: int64, by_row: int64, unit: int64):
    """Prefetches `count` taps of LISTED_ROWS filters."""
    for row in range(LISTED_ROWS // unit):
        fetch(taps, row * by_row, count * unit)


@native
def fetch_windows(windows: pointer(float32), places: pointer(int64), depth: int64):
    """Prefetches the elements of the next windows at some taps."""
    for tap in range(depth):
        prefetch_far(windows, places[tap] + LISTED_COLUMNS - 1 - LINE)
        prefetch_far(windows, places[tap] + LISTED_COLUMNS - 1)


@native(alone=True)
def slide(
    taps: pointer(float32), places: pointer(int64), windows: pointer(float32), out: pointer(float32), depth: int64,
    count: int64,
):  # fmt: skip
    """Computes one row of `multiply`: a filter whose taps are LISTED_ROWS apart."""
    further = 4 * LANES
    for column in range(0, count, GAP):
        a, b, c, d = splat(0.0), splat(0.0), splat(0.0), splat(0.0)
        e, f, g, h = splat(0.0), splat(0.0), splat(0.0), splat(0.0)
        for tap in range(depth):
            weight, at = splat(taps[tap * LISTED_ROWS]), places[tap] + column
            a = multiply_add(weight, load(windows, at), a)
            b = multiply_add(weight, load(windows, at + LANES), b)
            c = multiply_add(weight, load(windows, at + 2 * LANES), c)
            d = multiply_add(weight, load(windows, at + 3 * LANES), d)
            if GAP > 4 * LANES:
                e = multiply_add(weight, load(windows, at + further), e)
                f = multiply_add(weight, load(windows, at + further + LANES), f)
                g = multiply_add(weight, load(windows, at + further + 2 * LANES), g)
                h = multiply_add(weight, load(windows, at + further + 3 * LANES), h)
        store(out, column, a)
        store(out, column + LANES, b)
        store(out, column + 2 * LANES, c)
        store(out, column + 3 * LANES, d)
        if GAP > 4 * LANES:
            store(out, column + further, e)
            store(out, column + further + LANES, f)
            store(out, column + further + 2 * LANES, g)
            store(out, column + further + 3 * LANES, h)


@native(alone=True)
def write_rows(
    sums: pointer(float32), bias: pointer(float32), out: pointer(float32), part: pointer(int64), shape: pointer(int64),
    begin: int64, count: int64,
):  # fmt: skip
    """Stores the results of windows that start within a row's columns, row by row, with the bias added."""
    span, across, columns = shape[WINDOWS], shape[EXTENT + 2], part[COLUMNS_OF]
    by_row, by_column, down = part[BY_ROW], part[BY_COLUMN], max(shape[EXTENT + 1], part[ROWS_OF])
    by_image = shape[GROUPS] * shape[FILTERS] * shape[RESULT]
    line = begin // across
    for filter in range(shape[FILTERS]):
        source, target, add = offset(sums, filter * span), offset(out, filter * shape[RESULT]), splat(bias[filter])
        row, column, done = line % down, begin - line * across, 0
        start = line // down * by_image + row * by_row
        while done < count:
            inside = min(columns - column, count - done)
            if row >= part[ROWS_OF]:
                inside = 0
            if by_column == 1:
                for i in range(0, inside, LANES):
                    store_some(target, start + column + i, load(source, done + i) + add, inside - i)
            elif MASKS and by_column == 2:
                for i in range(0, inside, LANES):
                    some, at, left = load(source, done + i) + add, start + 2 * (column + i), 2 * (inside - i) - 1
                    store_even(target, at, lower(some, some), left)
                    store_even(target, at + LANES, upper(some, some), left - LANES)
            else:
                scatter(
                    offset(source, done), bias[filter], offset(target, start + column * by_column), by_column, inside
                )
            done += across - column
            column = 0
            row += 1
            start += by_row
            if row == down:
                row = 0
                start += by_image - down * by_row


@native(alone=True)
def scatter(source: pointer(float32), add: float32, out: pointer(float32), step: int64, count: int64):
    """Stores elements plus `add` with a step, four at a time."""
    whole = count // 4 * 4
    for i in range(0, whole, 4):
        target = offset(out, i * step)
        target[0] = source[i] + add
        target[step] = source[i + 1] + add
        target[2 * step] = source[i + 2] + add
        target[3 * step] = source[i + 3] + add
    for i in range(whole, count):
        out[i * step] = source[i] + add


# ---- the gradient of the weight


@native(bare=True)
def convolve_weight(
    grad: pointer(float32), input: pointer(float32), weight: pointer(float32), places: pointer(int64),
    totals: pointer(float32), work: pointer(float32), phases: pointer(int64), part: pointer(int64),
    blocks: pointer(int64), shape: pointer(int64),
):  # fmt: skip
    """Computes weight (groups * filters, depth); `totals` (jobs, groups, depth in whole tiles, wide) begin as zeros."""
    parallel_for(weight_gradient_jobs, shape[JOBS], 1, grad, input, places, totals, work, phases, part, blocks, shape)
    vectors = (shape[FILTERS] + LANES - 1) // LANES
    parallel_for(add_totals, shape[GROUPS] * vectors, 16, totals, weight, part, shape, vectors)


@native
def whole_tiles(depth: int64) -> int64:
    return (depth + ROWS - 1) // ROWS * ROWS


@native(cold=True)
def weight_gradient_jobs(
    grad: pointer(float32), input: pointer(float32), places: pointer(int64), totals: pointer(float32),
    work: pointer(float32), phases: pointer(int64), part: pointer(int64), blocks: pointer(int64),
    shape: pointer(int64), first: int64, last: int64,
):  # fmt: skip
    groups, filters, wide, span = shape[GROUPS], shape[FILTERS], shape[WIDE], shape[WINDOWS]
    depth, high = part[DEPTH], min(wide, COLUMNS)
    for job in range(first, last):
        planes = offset(work, job * (shape[COPIED] + 2 * high * span))
        rows = offset(planes, shape[COPIED])
        panel = offset(rows, high * span)
        fill(planes, shape[COPIED])
        begin, end = shape[PIECES] * job // shape[JOBS], shape[PIECES] * (job + 1) // shape[JOBS]
        both, number = begin // shape[BLOCKS], begin % shape[BLOCKS]
        for piece in range(begin, end):
            image, group = both // groups * shape[IMAGES], both % groups
            block = offset(blocks, number * OF_BLOCK)
            start = block[2]
            if number == 0 or piece == begin:
                copy_windows(input, phases, shape, planes, image, group, blocks, number, end - piece)
            count = windows_from(block, part, shape, image)
            windows = offset(planes, block[PLACE])
            grads = offset(grad, (image * groups + group) * filters * shape[RESULT] + block[1] * part[BY_PLANE])
            target = offset(totals, (job * groups + group) * whole_tiles(depth) * wide)
            for column in range(0, filters, COLUMNS):
                some = min(COLUMNS, filters - column)
                if count > 0:
                    space_out(offset(grads, column * shape[RESULT]), part, shape, start, count, rows, some)
                if filters < NARROW:
                    for filter in range(0, filters, 2):
                        row, sums = offset(rows, filter * span), offset(target, filter)
                        if filter + 1 < filters:
                            dots(row, span, windows, places, sums, wide, depth, count)
                        else:
                            dots_of_one(row, windows, places, sums, wide, depth, count)
                else:
                    transpose_rows(rows, panel, some, span, count)
                    for tap in range(0, depth, ROWS):
                        tile_of_rows(
                            count, windows, offset(places, tap), 1, panel, COLUMNS,
                            offset(target, tap * wide + column), wide, True,
                        )  # fmt: skip
            number += 1
            if number == shape[BLOCKS]:
                both += 1
                number = 0


@native(alone=True)
def space_out(
    source: pointer(float32), part: pointer(int64), shape: pointer(int64), begin: int64, count: int64,
    out: pointer(float32), filters: int64,
):  # fmt: skip
    """Copies rows to the row distance of windows, with zeros between them and up to a whole vector."""
    span, across, down, columns = shape[WINDOWS], shape[EXTENT + 2], shape[EXTENT + 1], part[COLUMNS_OF]
    by_image = shape[GROUPS] * shape[FILTERS] * shape[RESULT]
    line, further = begin // across, ahead(count, shape[RESULT])
    for filter in range(filters):
        numbers, target = offset(source, filter * shape[RESULT]), offset(out, filter * span)
        row, column, done = line % down, begin - line * across, 0
        start = line // down * by_image + row * columns
        store(target, (count - 1) // LANES * LANES, splat(0.0))
        while done < count:
            inside = min(columns - column, count - done)
            if row >= part[ROWS_OF]:
                inside = 0
            fetch(numbers, start + column + further, inside)
            for i in range(0, min(across - column, count - done), LANES):
                store(target, done + i, load_some(numbers, start + column + i, 0, inside - i))
            done += across - column
            column = 0
            row += 1
            start += columns
            if row == down:
                row = 0
                start += by_image - down * columns


@native(alone=True)
def transpose_rows(rows: pointer(float32), out: pointer(float32), filters: int64, span: int64, count: int64):
    """Transposes rows of stride `span` to a panel (span, COLUMNS)."""
    for i in range(0, filters, LANES):
        for j in range(0, count, LANES):
            transpose(offset(rows, i * span + j), span, offset(out, j * COLUMNS + i), COLUMNS)


@native(alone=True)
def add_totals(
    totals: pointer(float32), weight: pointer(float32), part: pointer(int64), shape: pointer(int64), vectors: int64,
    first: int64, last: int64,
):  # fmt: skip
    """Adds the totals of all jobs, transposed to (filters, depth) per group, for some vectors of filters."""
    depth, wide, filters = part[DEPTH], shape[WIDE], shape[FILTERS]
    by_job = shape[GROUPS] * whole_tiles(depth) * wide
    square = local(float32, 256)
    for index in range(first, last):
        group, filter = index // vectors, index % vectors * LANES
        source = offset(totals, group * whole_tiles(depth) * wide + filter)
        target = offset(weight, (group * filters + filter) * depth)
        count = min(LANES, filters - filter)
        for tap in range(0, depth, LANES):
            taps = min(LANES, depth - tap)
            for i in range(taps):
                total = load_some(source, (tap + i) * wide, 0, count)
                for job in range(1, shape[JOBS]):
                    total += load_some(source, job * by_job + (tap + i) * wide, 0, count)
                store(square, i * LANES, total)
            if taps == LANES and count == LANES:
                transpose(square, LANES, offset(target, tap), depth)
            else:
                for i in range(taps):
                    for j in range(count):
                        target[j * depth + tap + i] = square[i * LANES + j]
