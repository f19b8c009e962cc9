"""Plans convolutions for `kernels/conv.py`: planes, parts of the result, offsets of taps, blocks of windows."""

from __future__ import annotations

import functools
import itertools
import math
from typing import NamedTuple

import numpy as np

from rushlight.kernels import depthwise_planes
from rushlight.kernels.conv import FEW, GAP, NARROW, SPAN, Part, Shape
from rushlight.kernels.gemm_tile import COLUMNS, LISTED_COLUMNS, LISTED_ROWS, ROWS
from rushlight.kernels.vectors import LANES

COPY = 5  # steps to copy a vector, relative to one of a product
SPREAD = 2  # the same for strided elements, for any stride: no more lines are read than there are elements
TURN = 0.5  # the same per transposed element of an image
PACK = 1.0  # the same per packed element of a kernel
WORTH = 0.83  # share of its steps at which a layout is better than another
CUT = 0.95  # share at which splitting rows of windows pays off
STRIP = 1 << 17  # elements of a strip (transposed, read and computed): half of the second cache
LONG_SPAN = 2048  # windows of a block that is summed tap by tap, each tap ending with a lane sum


class Axis(NamedTuple):
    """What one dimension contributes to a part: taps and windows."""

    taps: list[int]
    places: list[int]  # how many windows ahead each tap reads
    phases: list[int]  # the plane of each tap
    windows: int
    origin: int  # the first window
    begin: int  # where its result starts
    every: int = 1  # distance of windows


class Span(NamedTuple):
    """What one dimension contributes to the copy, and its parts."""

    first: tuple[int, ...]  # where each plane starts in the source
    step: int
    extent: int
    apart: int  # distance of a part's results
    parts: list[Axis]


class Layout(NamedTuple):
    """How the operand is laid out in planes."""

    spans: list[Span]
    images: int  # consecutive images in a copy
    whole: bool  # whether all windows use all taps, although some only meet padding
    in_place: bool  # whether the one plane is the source itself, without a copy


class Block(NamedTuple):
    """Windows that are processed together, and the taps they need: count, repetitions and distance."""

    part: int
    plane: int
    begin: int  # its first window
    windows: int
    place: int  # where that starts in a plane
    tap: int
    taps: int
    runs: int
    apart: int


class Source(NamedTuple):
    """The operand of the sum, and the layout of the kernel."""

    batch: int
    groups: int
    channels: int  # of a group
    size: tuple[int, int, int]
    kernel: tuple[int, int, int]
    by_channel: int  # channel stride of the kernel
    dims: int  # spatial dimensions


class Plan(NamedTuple):
    """All kernel arguments for one geometry."""

    shape: Shape
    places: np.ndarray  # offsets of the taps of all parts in the copy
    sources: np.ndarray  # their offsets in the kernel
    taps: int  # elements of the packed taps
    phases: np.ndarray
    parts: np.ndarray
    blocks: np.ndarray
    images_last: bool  # whether to move images to the last dimension, with a plan of its own


def sizes_of(shape, weight_shape, stride, padding, dilation) -> tuple[int, ...]:
    """Returns the number of windows along each dimension."""
    spans = zip(shape[2:], weight_shape[2:], stride, padding, dilation, strict=True)
    return tuple((size + 2 * pad - apart * (taps - 1) - 1) // step + 1 for size, taps, step, pad, apart in spans)


@functools.lru_cache(maxsize=64)
def forward_plan(shape, weight_shape, stride, padding, dilation, groups, for_weight=False) -> Plan:
    """Returns the forward plan: one part with all taps, in as many planes as the stride has remainders."""
    sizes = in_three(sizes_of(shape, weight_shape, stride, padding, dilation), 1)
    settings = in_three(weight_shape[2:], 1), in_three(stride, 1), in_three(padding, 0), in_three(dilation, 1)
    spans = [forward_span(*x) for x in zip(*settings, sizes, strict=True)]
    filters, channels = weight_shape[0] // groups, weight_shape[1]
    kernel = in_three(weight_shape[2:], 1)
    source = Source(shape[0], groups, channels, in_three(shape[2:], 1), kernel, math.prod(kernel), len(shape) - 2)
    return plan_of(source, spans, filters, sizes, for_weight)


@functools.lru_cache(maxsize=64)
def backward_plan(grad_shape, weight_shape, input_shape, stride, padding, dilation, groups) -> Plan:
    """Returns the plan of the input's gradient: a part for each remainder of the stride, all in one plane."""
    sizes = in_three(input_shape[2:], 1)
    settings = in_three(weight_shape[2:], 1), in_three(stride, 1), in_three(padding, 0), in_three(dilation, 1)
    spans = [backward_span(*x) for x in zip(*settings, sizes, strict=True)]
    filters, channels = weight_shape[1], weight_shape[0] // groups
    kernel = in_three(weight_shape[2:], 1)
    size, by_channel = in_three(grad_shape[2:], 1), filters * math.prod(kernel)
    source = Source(grad_shape[0], groups, channels, size, kernel, by_channel, len(grad_shape) - 2)
    return plan_of(source, spans, filters, sizes, False)


def in_three(sizes, one) -> tuple[int, int, int]:
    """Returns sizes padded to three dimensions, with `one` in front."""
    planes, rows, columns = (one,) * (3 - len(sizes)) + tuple(sizes)
    return planes, rows, columns


def forward_span(kernel, stride, pad, apart, count) -> Span:
    """Tap i of window p reads element p * stride + i * apart - pad."""
    further, rest = zip(*(divmod(tap * apart, stride) for tap in range(kernel)), strict=True)
    used = sorted(set(rest))
    part = Axis(list(range(kernel)), list(further), [used.index(r) for r in rest], count, 0, 0)
    return Span(tuple(r - pad for r in used), stride, count + max(further), 1, [part])


def backward_span(kernel, stride, pad, apart, size) -> Span:
    """Element y is tap i of window (y + pad - i * apart) / stride, where that is an integer."""
    back, rest = zip(*(divmod(tap * apart, stride) for tap in range(kernel)), strict=True)
    reach, first, last = max(back), pad // stride, (size - 1 + pad) // stride
    parts = []
    for remainder in range(stride):
        start = -(-(pad - remainder) // stride)
        begin = start * stride + remainder - pad
        if begin < size:
            taps = [tap for tap in range(kernel) if rest[tap] == remainder]
            places, count = [reach - back[tap] for tap in taps], -(-(size - begin) // stride)
            parts.append(Axis(taps, places, [0] * len(taps), count, start - first, begin))
    return Span((first - reach,), 1, last - first + 1 + reach, stride, parts)


def cheaper(spans, filters, source, for_weight) -> Layout:
    """Returns the cheapest layout: the spans as they are, or with planes per tap of a row, or per tap.

    With planes per tap, rows of windows end with rows of planes, and nothing is computed in vain. Where rows fill
    tiles, so that nothing is read past them, and all taps meet equally many elements of a row, the source needs no
    copy.
    """
    whole, span = for_weight or filters < FEW, span_of(filters, for_weight)
    choice = spans, [*spans[:2], split_by_tap(spans[2])], [spans[0], *map(split_by_tap, spans[1:])]
    layouts = [Layout(x, images_of(x, source.batch, span), whole, False) for x in choice]
    full = all(part.windows == source.size[2] == spans[2].extent for part in spans[2].parts)
    if full and source.size[2] % LISTED_COLUMNS == 0 and not whole:
        layouts.append(Layout([*map(in_place, spans, source.size)], 1, False, True))
    return min(layouts, key=lambda x: steps_of(x, filters, source))


def span_of(filters, for_weight) -> int:
    """Returns the windows per block."""
    return LONG_SPAN if filters < (NARROW if for_weight else FEW) else SPAN


def is_better_transposed(spans, filters, source, sizes, for_weight) -> bool:
    """Returns whether moving images to the last dimension pays off, including both transpositions.

    Windows are then contiguous for any stride, and rows of windows fill vectors. At most three dimensions in all. The
    gradient of the kernel is summed along blocks, which must not be short.
    """
    if source.dims > 2 or source.batch == 1 or filters < (NARROW if for_weight else FEW):
        return False
    if for_weight and spans[2].parts[0].windows * source.batch < SPAN // 2:
        return False
    transposed = [*spans[1:], forward_span(1, 1, 0, 1, source.batch)]
    elements = source.channels * math.prod(source.size) + filters * math.prod(sizes)
    as_one = source._replace(batch=1, size=(*source.size[1:], source.batch))
    before, after = (
        steps_of(cheaper(spans_of, filters, operand, for_weight), filters, operand)
        for spans_of, operand in ((spans, source), (transposed, as_one))
    )
    if not for_weight and source.by_channel == math.prod(source.kernel):  # a kernel that would be read without packing
        after += PACK * filters * source.channels * source.by_channel
    return after / source.batch + TURN * elements < WORTH * before


def in_place(span, size) -> Span:
    """Returns the span of one plane: the source itself."""
    parts = [
        part._replace(
            places=[
                span.first[phase] + place * span.step for place, phase in zip(part.places, part.phases, strict=True)
            ],
            phases=[0] * len(part.phases),
            origin=part.origin * span.step,
            every=span.step,
        )
        for part in span.parts
    ]
    return span._replace(first=(0,), step=1, extent=size, parts=parts)


def split_by_tap(span) -> Span:
    """Returns a span with one plane per tap, starting at the first window's tap."""
    begins = [
        [(phase, part.origin + place) for phase, place in zip(part.phases, part.places, strict=True)]
        for part in span.parts
    ]
    planes = sorted({plane for part in begins for plane in part})
    parts = [
        part._replace(places=[0] * len(part.taps), phases=[planes.index(plane) for plane in starts], origin=0)
        for part, starts in zip(span.parts, begins, strict=True)
    ]
    first = tuple(span.first[phase] + place * span.step for phase, place in planes)
    return span._replace(first=first, extent=max(part.windows for part in parts), parts=parts)


def images_of(spans, batch, span) -> int:
    """Returns how many images are consecutive in a copy, so that they fill blocks and tiles best."""
    (_, down, across), lines = (x.extent for x in spans), list(itertools.product(spans[1].parts, spans[2].parts))
    most = max(1, min(batch, span // (down * across))) if spans[0].extent == 1 else 1

    def tiles(images):
        before = (images - 1) * down - 1
        return sum(panels_of((before + rows.windows) * across + row.windows) for rows, row in lines) / images

    return most if span > SPAN else min(range(most, 0, -1), key=tiles)


def steps_of(layout, filters, source) -> float:
    """Estimates the vector operations per image: products and copies."""
    spans, products = layout.spans, 0.0
    for planes, rows, row in itertools.product(*(x.parts for x in spans)):
        panels = panels_in(runs_of(rows, row, layout, source))
        met = windows_met(planes, spans[0], source.size[0], layout.whole)
        products += panels * len(row.taps) * sum(count * taps for _, count, _, taps in met)
    wide, lines = -(-filters // LISTED_ROWS) * LISTED_ROWS, 0
    if not layout.in_place:
        lines = math.prod(len(x.first) for x in spans) * spans[0].extent * spans[1].extent
    copies = COPY * lines * (1 + spans[2].extent / LANES) * min(spans[2].step, SPREAD)
    return source.channels * (products / layout.images * wide + copies)


def panels_of(windows) -> float:
    """Returns how many tiles the windows fill; the last may have one vector only."""
    whole, left = divmod(windows, LISTED_COLUMNS)
    return whole + (min(-(-left // LANES), 2) / 2)


def panels_in(runs) -> float:
    """Returns how many tiles runs of windows take, times the taps of rows."""
    return sum(times * panels_of(count) * taps for _, times, count, _, taps in runs)


def windows_met(part, span, size, whole) -> list[tuple[int, int, int, int]]:
    """Returns runs of windows along a dimension: first window, count, first tap that meets an element, number of such
    taps.

    With `whole`, one run of all windows and taps.
    """
    if whole:
        return [(0, part.windows, 0, len(part.taps))]
    within = [inside(span.first[phase], span, size) for phase in part.phases]
    spaces = [(low - position, high - position) for position, (low, high) in zip(part.places, within, strict=True)]
    edges = {-((part.origin - edge) // part.every) for space in spaces for edge in space}
    bounds = sorted({0, part.windows, *(x for x in edges if 0 < x < part.windows)})
    runs = []
    for begin, end in itertools.pairwise(bounds):
        position = part.origin + begin * part.every
        met = [tap for tap, (low, high) in enumerate(spaces) if low <= position < high] or [0, -1]
        runs.append((begin, end - begin, met[0], met[-1] + 1 - met[0]))
    return runs


def runs_of(rows, row, layout, source) -> list[tuple[int, int, int, int, int]]:
    """Returns the windows of a plane: first row, repetitions, count, and the taps as in `windows_met`.

    Rows that meet fewer taps are separate where that takes fewer tiles and no padding surrounds them; with strided
    windows each row is separate.
    """
    (_, down, _), images = layout.spans, layout.images
    across = layout.spans[2].extent
    every = [(0, 1, ((images - 1) * down.extent + rows.windows - 1) * across + row.windows, 0, len(rows.taps))]
    is_in_order = source.kernel[0] == 1 and source.by_channel == math.prod(source.kernel)  # and so not packed
    if layout.whole or images > 1 or is_in_order and not layout.in_place:
        return every
    met = windows_met(rows, down, source.size[1], False)
    cut = [
        (first, count, row.windows, *taps) if rows.every > 1 else (first, 1, (count - 1) * across + row.windows, *taps)
        for first, count, *taps in met
    ]
    return cut if layout.in_place or panels_in(cut) < CUT * panels_in(every) else every


def plan_of(source, spans, filters, sizes, for_weight) -> Plan:
    """Returns the plan in three dimensions."""
    images_last = is_better_transposed(spans, filters, source, sizes, for_weight)
    layout = cheaper(spans, filters, source, for_weight)
    spans, images, span = layout.spans, layout.images, span_of(filters, for_weight)
    extent = tuple(x.extent for x in spans)
    phases = list(itertools.product(*(x.first for x in spans)))
    wide = -(-filters // LISTED_ROWS) * LISTED_ROWS
    if for_weight:
        wide = filters if filters < NARROW else -(-filters // COLUMNS) * COLUMNS
    chosen = list(itertools.product(*(x.parts for x in spans)))
    blocks = blocks_of(chosen, layout, source, span)
    depths = [source.channels * math.prod(len(x.taps) for x in part) for part in chosen]
    in_order = all(block.taps == depths[block.part] for block in blocks)
    tap_lists = [places_of(x, spans, source, images, in_order) for x in chosen]
    starts = [0, *itertools.accumulate(-(-x.shape[1] // ROWS) * ROWS for x in tap_lists)]
    taps = [0, *itertools.accumulate(x.shape[1] * source.groups * wide for x in tap_lists)]
    places, sources = np.concatenate([np.pad(x, ((0, 0), (0, -x.shape[1] % ROWS))) for x in tap_lists], 1)
    parts = [
        part_of(x, spans, sizes, listed.shape[1], start, tap)
        for x, listed, start, tap in zip(chosen, tap_lists, starts, taps, strict=False)
    ]
    pieces = -(-source.batch // images) * source.groups * len(blocks)
    copied = 0
    if not layout.in_place:
        copied = -(-(source.channels * len(phases) * images * math.prod(extent) + GAP) // GAP) * GAP
    within = [
        (*begins, *(n for x in zip(begins, spans, source.size, strict=True) for n in inside(*x))) for begins in phases
    ]
    within_planes = places % (images * math.prod(extent))
    reach = max(part.origin for part in parts) + int(within_planes.max(initial=0))
    in_memory = np.array_equal(sources[: depths[0]], np.arange(source.channels * source.by_channel))
    unit = 1 if in_memory and filters % LISTED_ROWS == 0 else LISTED_ROWS
    shape = Shape(
        source.groups, source.channels, len(phases), filters, wide, source.size, tuple(x.step for x in spans),
        extent, math.prod(sizes), len(blocks), span, pieces, 1, copied, source.batch, images, reach, unit,
    )  # fmt: skip
    lists = [np.array(x, np.int64) for x in (within, parts, blocks)]
    return Plan._make((shape, places, sources, taps[-1], *lists, images_last))


def inside(begin, span, size) -> tuple[int, int]:
    """Returns which elements of a plane that starts at `begin` are in the source, as (first, end)."""
    return max(0, -(begin // span.step)), max(0, min(span.extent, -((begin - size) // span.step)))


def places_of(part, spans, source, images, in_order) -> np.ndarray:
    """Returns the offset of each tap of each channel for a window at 0, and its offset in the kernel.

    Sorted by channel, or if not `in_order` by plane and row of the kernel, of which a block may need only some.
    """
    steps, by_tap = row_steps(x.extent for x in spans), row_steps(source.kernel)
    by_phase = row_steps(len(x.first) for x in spans)
    whole = images * math.prod(x.extent for x in spans)
    phases = math.prod(len(x.first) for x in spans)
    offsets = [
        np.array(x.places, np.int64) * step + np.array(x.phases, np.int64) * phase * whole
        for x, step, phase in zip(part, steps, by_phase, strict=True)
    ]
    weights = [np.array(x.taps, np.int64) * step for x, step in zip(part, by_tap, strict=True)]
    channels, position = np.arange(source.channels), 0 if in_order else 2
    offsets.insert(position, channels * phases * whole)
    weights.insert(position, channels * source.by_channel)
    return np.array([functools.reduce(np.add.outer, x).ravel() for x in (offsets, weights)])


def part_of(part, spans, sizes, depth, places, taps) -> Part:
    """Returns a part's kernel arguments."""
    origin = sum(x.origin * step for x, step in zip(part, row_steps(x.extent for x in spans), strict=True))
    steps = row_steps(sizes)
    begin = sum(x.begin * step for x, step in zip(part, steps, strict=True))
    planes, rows, columns = (x.windows for x in part)
    strides = [x.apart * step for x, step in zip(spans, steps, strict=True)]
    return Part(planes, rows, columns, origin, begin, strides[0], strides[1], strides[2], depth, places, taps)


def row_steps(sizes) -> tuple[int, int, int]:
    """Returns the strides of three dimensions."""
    _, rows, columns = sizes
    return rows * columns, columns, 1


def blocks_of(chosen, layout, source, span) -> list[Block]:
    """Returns the blocks of all parts, of at most `span` windows.

    Blocks that read the same windows are adjacent, and write to the same cache lines.
    """
    blocks, (_, down, across) = [], (x.extent for x in layout.spans)
    for number, (planes, rows, row) in enumerate(chosen):
        within, every = source.channels * len(row.taps), len(rows.taps)
        met = windows_met(planes, layout.spans[0], source.size[0], layout.whole)
        runs = runs_of(rows, row, layout, source)
        for (plane, count, first, taps), (line, lines, windows, tap, some) in itertools.product(met, runs):
            needed, times = (taps * every, 1) if some == every else (min(taps, 1) * some, max(1, taps))
            taps_of_block = (first * every + tap) * within, needed * within, times, every * within
            planes_of, rows_of = range(plane, plane + count), range(line, line + lines)
            for at, which, done in itertools.product(planes_of, rows_of, range(0, windows, span)):
                row_start = (planes.origin + at * planes.every) * down + rows.origin + which * rows.every
                begins = which * across + done, min(span, windows - done), row_start * across + row.origin + done
                blocks.append(Block(number, at, *begins, *taps_of_block))
    return sorted(blocks, key=lambda block: (block.plane, block.begin))


# ---- depthwise: first tap, number of taps, first position, and steps of taps and positions


@functools.lru_cache(maxsize=64)
def window_spans(size, counts, kernel, stride, padding, dilation) -> list[np.ndarray]:
    """Returns the taps of each window inside the image, along each dimension."""
    return [
        np.array([(*within(at * step - pad, apart, taps, length), 1, apart) for at in range(count)], np.int64)
        for length, count, taps, step, pad, apart in zip(size, counts, kernel, stride, padding, dilation, strict=True)
    ]


@functools.lru_cache(maxsize=64)
def tap_spans(length, count, taps, step, pad, apart) -> np.ndarray:
    """Returns the windows in which each tap is inside the image."""
    return np.array([(*within(tap * apart - pad, step, count, length), 1, step) for tap in range(taps)], np.int64)


def within(begin, step, count, length) -> tuple[int, int, int]:
    """Returns the first of `count` positions from `begin` on inside a row of that length, how many are, and that
    position.
    """
    first = max(0, -(begin // step))
    return first, max(0, min(count, -((begin - length) // step)) - first), begin + first * step


@functools.lru_cache(maxsize=64)
def source_spans(size, counts, kernel, stride, padding, dilation) -> list[np.ndarray]:
    """Returns the spans of the gradient of the input: element y is tap i of window (y + pad - i * apart) / stride."""
    return [
        np.array([source_span(at + pad, length, taps, step, apart) for at in range(count)], np.int64)
        for length, count, taps, step, pad, apart in zip(size, counts, kernel, stride, padding, dilation, strict=True)
    ]


def source_span(place, length, taps, step, apart) -> tuple[int, int, int, int, int]:
    """Returns the taps for which `place` minus their distance is a window's start."""
    shared = math.gcd(step, apart)
    taps_inside = [
        tap for tap in range(taps) if 0 <= place - tap * apart < length * step and not (place - tap * apart) % step
    ]
    first = taps_inside[0] if taps_inside else 0
    return first, len(taps_inside), (place - first * apart) // step, step // shared, -apart // shared


# ---- depthwise by transposed planes


@functools.lru_cache(maxsize=64)
def plane_shape(shape, kernel, sizes, stride, padding, dilation) -> depthwise_planes.Shape:
    """Returns strips of as many rows as stay in the second cache; small images are one strip."""
    images, channels, _, width = shape
    reach = [(taps - 1) * apart + 1 for taps, apart in zip(kernel, dilation, strict=True)]
    columns = max((sizes[1] - 1) * stride[1] + reach[1], padding[1] + width)
    by_row = (columns * stride[0] + sizes[1]) * LANES
    strips = -(-sizes[0] // max(1, (STRIP - columns * reach[0] * LANES) // by_row))
    strip = -(-sizes[0] // strips)
    strips, blocks = -(-sizes[0] // strip), -(-channels // LANES)
    cut = blocks, strips, strip, (strip - 1) * stride[0] + reach[0], columns, images * blocks * strips, 1
    return depthwise_planes.Shape._make((*shape[1:], *sizes, *kernel, *stride, *dilation, *padding, *cut))
