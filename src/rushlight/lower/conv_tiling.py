"""How a convolution is cut for `kernels/conv.py`: planes, parts of the result, places of taps, blocks of windows."""

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

COPY = 5  # steps of a copy of a vector, beside one of a product
SPREAD = 2  # times as many where its numbers lie apart, however far: no more lines are read than there are numbers
TURN = 0.5  # the same of a number of an image that is turned
PACK = 1.0  # the same of a number of a kernel that is packed
WORTH = 0.83  # the share of its steps that makes a layout worth leaving for another
CUT = 0.95  # the same of rows of windows that are worth being worked on by themselves
STRIP = 1 << 17  # numbers of a strip that is turned, read and found: half of a second-level cache
LONG_SPAN = 2048  # windows of a block whose sums are taken tap by tap: each ends in the sum of a vector


class Along(NamedTuple):
    """What one dimension gives to a part: its taps, and what comes of its windows."""

    taps: list[int]
    places: list[int]  # how many windows further each tap reads
    phases: list[int]  # in which of the planes
    windows: int
    origin: int  # which of them is the first
    begin: int  # where its result is
    every: int = 1  # how far apart windows are


class Span(NamedTuple):
    """What one dimension gives to the copy, and its parts."""

    first: tuple[int, ...]  # where in the source each plane begins
    step: int
    extent: int
    apart: int  # from result to result of a part
    parts: list[Along]


class Layout(NamedTuple):
    """How what is summed over lies in planes."""

    spans: list[Span]
    images: int  # that lie one behind the other in a copy
    whole: bool  # whether all windows have all taps, though some of these meet zeros only
    in_place: bool  # whether nothing is copied: there is one plane, the source itself


class Block(NamedTuple):
    """Windows that are worked on at a time, and the taps that they need: so many, as often, so far from each other."""

    part: int
    plane: int
    begin: int  # its first window
    windows: int
    place: int  # where that one begins in a plane
    tap: int
    taps: int
    runs: int
    apart: int


class Source(NamedTuple):
    """What is summed over, and how the kernel lies."""

    batch: int
    groups: int
    channels: int  # of a group
    size: tuple[int, int, int]
    kernel: tuple[int, int, int]
    by_channel: int  # numbers of the kernel from channel to channel
    dims: int  # that images have


class Plan(NamedTuple):
    """All that a kernel is told of one geometry."""

    shape: Shape
    places: np.ndarray  # of the taps of all parts in the copy
    sources: np.ndarray  # where in the kernel they come from
    taps: int  # numbers of the packed taps
    phases: np.ndarray
    parts: np.ndarray
    blocks: np.ndarray
    images_last: bool  # whether it is better to have the images as the last dimension, of a plan of its own


def sizes_of(shape, weight_shape, stride, padding, dilation) -> tuple[int, ...]:
    """How many windows there are along each dimension."""
    spans = zip(shape[2:], weight_shape[2:], stride, padding, dilation, strict=True)
    return tuple((size + 2 * pad - apart * (taps - 1) - 1) // step + 1 for size, taps, step, pad, apart in spans)


@functools.lru_cache(maxsize=64)
def forward_plan(shape, weight_shape, stride, padding, dilation, groups, for_weight=False) -> Plan:
    """One part, whose taps are all there are, in as many planes as the stride has remainders."""
    sizes = in_three(sizes_of(shape, weight_shape, stride, padding, dilation), 1)
    settings = in_three(weight_shape[2:], 1), in_three(stride, 1), in_three(padding, 0), in_three(dilation, 1)
    spans = [forward_span(*each) for each in zip(*settings, sizes, strict=True)]
    filters, channels = weight_shape[0] // groups, weight_shape[1]
    kernel = in_three(weight_shape[2:], 1)
    source = Source(shape[0], groups, channels, in_three(shape[2:], 1), kernel, math.prod(kernel), len(shape) - 2)
    return plan_of(source, spans, filters, sizes, for_weight)


@functools.lru_cache(maxsize=64)
def backward_plan(grad_shape, weight_shape, input_shape, stride, padding, dilation, groups) -> Plan:
    """A part for each remainder of the stride, all of them in one plane."""
    sizes = in_three(input_shape[2:], 1)
    settings = in_three(weight_shape[2:], 1), in_three(stride, 1), in_three(padding, 0), in_three(dilation, 1)
    spans = [backward_span(*each) for each in zip(*settings, sizes, strict=True)]
    filters, channels = weight_shape[1], weight_shape[0] // groups
    kernel = in_three(weight_shape[2:], 1)
    size, by_channel = in_three(grad_shape[2:], 1), filters * math.prod(kernel)
    source = Source(grad_shape[0], groups, channels, size, kernel, by_channel, len(grad_shape) - 2)
    return plan_of(source, spans, filters, sizes, False)


def in_three(each, one) -> tuple[int, int, int]:
    """Numbers of up to three dimensions, the missing ones in front."""
    planes, rows, columns = (one,) * (3 - len(each)) + tuple(each)
    return planes, rows, columns


def forward_span(kernel, stride, pad, apart, count) -> Span:
    """Tap i of window p is number p * stride + i * apart - pad."""
    further, rest = zip(*(divmod(tap * apart, stride) for tap in range(kernel)), strict=True)
    used = sorted(set(rest))
    part = Along(list(range(kernel)), list(further), [used.index(each) for each in rest], count, 0, 0)
    return Span(tuple(each - pad for each in used), stride, count + max(further), 1, [part])


def backward_span(kernel, stride, pad, apart, size) -> Span:
    """Number y was tap i of window (y + pad - i * apart) / stride, wherever that is whole."""
    back, rest = zip(*(divmod(tap * apart, stride) for tap in range(kernel)), strict=True)
    reach, first, last = max(back), pad // stride, (size - 1 + pad) // stride
    parts = []
    for remainder in range(stride):
        start = -(-(pad - remainder) // stride)
        begin = start * stride + remainder - pad
        if begin < size:
            taps = [tap for tap in range(kernel) if rest[tap] == remainder]
            places, count = [reach - back[tap] for tap in taps], -(-(size - begin) // stride)
            parts.append(Along(taps, places, [0] * len(taps), count, start - first, begin))
    return Span((first - reach,), 1, last - first + 1 + reach, stride, parts)


def cheaper(spans, filters, source, for_weight) -> Layout:
    """The spans, or what takes fewer steps: those in which every tap of a row, or every tap, has planes of its own.

    Rows of windows then end where rows of planes do, and nothing is computed in vain. Where rows fill tiles, so that
    nothing is read beyond them, and all taps meet as many numbers of a row, the source needs no copy.
    """
    whole, span = for_weight or filters < FEW, span_of(filters, for_weight)
    choice = spans, [*spans[:2], apart_by_tap(spans[2])], [spans[0], *map(apart_by_tap, spans[1:])]
    found = [Layout(each, images_of(each, source.batch, span), whole, False) for each in choice]
    full = all(part.windows == source.size[2] == spans[2].extent for part in spans[2].parts)
    if full and source.size[2] % LISTED_COLUMNS == 0 and not whole:
        found.append(Layout([*map(in_place, spans, source.size)], 1, False, True))
    return min(found, key=lambda each: steps_of(each, filters, source))


def span_of(filters, for_weight) -> int:
    """How many windows a block has."""
    return LONG_SPAN if filters < (NARROW if for_weight else FEW) else SPAN


def is_better_turned(spans, filters, source, sizes, for_weight) -> bool:
    """Whether the work takes much fewer steps where the images are the last dimension, to turn them there and back too.

    Windows then lie beside each other whatever the stride, and no row of them ends before it fills a vector. There are
    three dimensions in all. The gradient of the kernel is summed along blocks, which must not be short.
    """
    if source.dims > 2 or source.batch == 1 or filters < (NARROW if for_weight else FEW):
        return False
    if for_weight and spans[2].parts[0].windows * source.batch < SPAN // 2:
        return False
    turned = [*spans[1:], forward_span(1, 1, 0, 1, source.batch)]
    numbers = source.channels * math.prod(source.size) + filters * math.prod(sizes)
    as_one = source._replace(batch=1, size=(*source.size[1:], source.batch))
    before, after = (
        steps_of(cheaper(each, filters, seen, for_weight), filters, seen)
        for each, seen in ((spans, source), (turned, as_one))
    )
    if not for_weight and source.by_channel == math.prod(source.kernel):  # a kernel that was to be read where it is
        after += PACK * filters * source.channels * source.by_channel
    return after / source.batch + TURN * numbers < WORTH * before


def in_place(span, size) -> Span:
    """A span of one plane, which is the source itself."""
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


def apart_by_tap(span) -> Span:
    """A span of which each plane begins where the first window of a part has a tap."""
    begins = [
        [(phase, part.origin + place) for phase, place in zip(part.phases, part.places, strict=True)]
        for part in span.parts
    ]
    planes = sorted({each for part in begins for each in part})
    parts = [
        part._replace(places=[0] * len(part.taps), phases=[planes.index(each) for each in own], origin=0)
        for part, own in zip(span.parts, begins, strict=True)
    ]
    first = tuple(span.first[phase] + place * span.step for phase, place in planes)
    return span._replace(first=first, extent=max(part.windows for part in parts), parts=parts)


def images_of(spans, batch, span) -> int:
    """How many images lie one behind the other in a copy, so that they fill blocks, and tiles as well as can be."""
    (_, down, across), lines = (each.extent for each in spans), list(itertools.product(spans[1].parts, spans[2].parts))
    most = max(1, min(batch, span // (down * across))) if spans[0].extent == 1 else 1

    def tiles(images):
        before = (images - 1) * down - 1
        return sum(panels_of((before + rows.windows) * across + row.windows) for rows, row in lines) / images

    return most if span > SPAN else min(range(most, 0, -1), key=tiles)


def steps_of(layout, filters, source) -> float:
    """About how many vectors are worked on for an image: of the products, and of the copies."""
    spans, products = layout.spans, 0.0
    for planes, rows, row in itertools.product(*(each.parts for each in spans)):
        panels = panels_in(runs_of(rows, row, layout, source))
        met = windows_met(planes, spans[0], source.size[0], layout.whole)
        products += panels * len(row.taps) * sum(count * taps for _, count, _, taps in met)
    wide, lines = -(-filters // LISTED_ROWS) * LISTED_ROWS, 0
    if not layout.in_place:
        lines = math.prod(len(each.first) for each in spans) * spans[0].extent * spans[1].extent
    copies = COPY * lines * (1 + spans[2].extent / LANES) * min(spans[2].step, SPREAD)
    return source.channels * (products / layout.images * wide + copies)


def panels_of(windows) -> float:
    """How many tiles so many windows fill, of which the last may have one vector only."""
    whole, left = divmod(windows, LISTED_COLUMNS)
    return whole + (min(-(-left // LANES), 2) / 2)


def panels_in(runs) -> float:
    """How many tiles runs of windows take, each as often as it has taps of rows."""
    return sum(times * panels_of(count) * taps for _, times, count, _, taps in runs)


def windows_met(part, span, size, whole) -> list[tuple[int, int, int, int]]:
    """Runs of windows along a dimension: their first one, how many, the first tap that meets a number, and how many do.

    All of them and every tap, if they are taken as a `whole`.
    """
    if whole:
        return [(0, part.windows, 0, len(part.taps))]
    within = [inside(span.first[phase], span, size) for phase in part.phases]
    spaces = [(low - place, high - place) for place, (low, high) in zip(part.places, within, strict=True)]
    edges = {-((part.origin - edge) // part.every) for space in spaces for edge in space}
    bounds = sorted({0, part.windows, *(each for each in edges if 0 < each < part.windows)})
    found = []
    for begin, end in itertools.pairwise(bounds):
        place = part.origin + begin * part.every
        met = [tap for tap, (low, high) in enumerate(spaces) if low <= place < high] or [0, -1]
        found.append((begin, end - begin, met[0], met[-1] + 1 - met[0]))
    return found


def runs_of(rows, row, layout, source) -> list[tuple[int, int, int, int, int]]:
    """The windows of a plane: their first row, how many times how many there are, and the taps as in `windows_met`.

    Rows that meet fewer taps are by themselves where that takes fewer tiles, and where no zeros are around them; each
    row is where the next one does not begin where it ends.
    """
    (_, down, _), images = layout.spans, layout.images
    across = layout.spans[2].extent
    every = [(0, 1, ((images - 1) * down.extent + rows.windows - 1) * across + row.windows, 0, len(rows.taps))]
    is_in_order = source.kernel[0] == 1 and source.by_channel == math.prod(source.kernel)  # and so not to be packed
    if layout.whole or images > 1 or is_in_order and not layout.in_place:
        return every
    met = windows_met(rows, down, source.size[1], False)
    cut = [
        (first, count, row.windows, *taps) if rows.every > 1 else (first, 1, (count - 1) * across + row.windows, *taps)
        for first, count, *taps in met
    ]
    return cut if layout.in_place or panels_in(cut) < CUT * panels_in(every) else every


def plan_of(source, spans, filters, sizes, for_weight) -> Plan:
    """The plan of three dimensions."""
    images_last = is_better_turned(spans, filters, source, sizes, for_weight)
    layout = cheaper(spans, filters, source, for_weight)
    spans, images, span = layout.spans, layout.images, span_of(filters, for_weight)
    extent = tuple(each.extent for each in spans)
    phases = list(itertools.product(*(each.first for each in spans)))
    wide = -(-filters // LISTED_ROWS) * LISTED_ROWS
    if for_weight:
        wide = filters if filters < NARROW else -(-filters // COLUMNS) * COLUMNS
    chosen = list(itertools.product(*(each.parts for each in spans)))
    blocks = blocks_of(chosen, layout, source, span)
    depths = [source.channels * math.prod(len(each.taps) for each in part) for part in chosen]
    in_order = all(block.taps == depths[block.part] for block in blocks)
    found = [places_of(each, spans, source, images, in_order) for each in chosen]
    starts = [0, *itertools.accumulate(-(-each.shape[1] // ROWS) * ROWS for each in found)]
    taps = [0, *itertools.accumulate(each.shape[1] * source.groups * wide for each in found)]
    places, sources = np.concatenate([np.pad(each, ((0, 0), (0, -each.shape[1] % ROWS))) for each in found], 1)
    parts = [
        part_of(each, spans, sizes, listed.shape[1], start, tap)
        for each, listed, start, tap in zip(chosen, found, starts, taps, strict=False)
    ]
    pieces = -(-source.batch // images) * source.groups * len(blocks)
    copied = 0
    if not layout.in_place:
        copied = -(-(source.channels * len(phases) * images * math.prod(extent) + GAP) // GAP) * GAP
    within = [
        (*begins, *(n for each in zip(begins, spans, source.size, strict=True) for n in inside(*each)))
        for begins in phases
    ]
    within_planes = places % (images * math.prod(extent))
    reach = max(part.origin for part in parts) + int(within_planes.max(initial=0))
    in_memory = np.array_equal(sources[: depths[0]], np.arange(source.channels * source.by_channel))
    unit = 1 if in_memory and filters % LISTED_ROWS == 0 else LISTED_ROWS
    told = Shape(
        source.groups, source.channels, len(phases), filters, wide, source.size, tuple(each.step for each in spans),
        extent, math.prod(sizes), len(blocks), span, pieces, 1, copied, source.batch, images, reach, unit,
    )  # fmt: skip
    lists = [np.array(each, np.int64) for each in (within, parts, blocks)]
    return Plan._make((told, places, sources, taps[-1], *lists, images_last))


def inside(begin, span, size) -> tuple[int, int]:
    """Which numbers of a plane that begins at `begin` are in the source: from the first to before the last."""
    return max(0, -(begin // span.step)), max(0, min(span.extent, -((begin - size) // span.step)))


def places_of(part, spans, source, images, in_order) -> np.ndarray:
    """Where each tap of each channel begins, for a window that begins at 0; and where the kernel has it.

    Channel by channel, or if not `in_order` those of a plane and of a row of it together, which a block may not need.
    """
    steps, by_tap = row_steps(each.extent for each in spans), row_steps(source.kernel)
    by_phase = row_steps(len(each.first) for each in spans)
    whole = images * math.prod(each.extent for each in spans)
    phases = math.prod(len(each.first) for each in spans)
    along = [
        np.array(each.places, np.int64) * step + np.array(each.phases, np.int64) * phase * whole
        for each, step, phase in zip(part, steps, by_phase, strict=True)
    ]
    taken = [np.array(each.taps, np.int64) * step for each, step in zip(part, by_tap, strict=True)]
    channels, at = np.arange(source.channels), 0 if in_order else 2
    along.insert(at, channels * phases * whole)
    taken.insert(at, channels * source.by_channel)
    return np.array([functools.reduce(np.add.outer, each).ravel() for each in (along, taken)])


def part_of(part, spans, sizes, depth, places, taps) -> Part:
    """What the kernel is told of a part."""
    origin = sum(each.origin * step for each, step in zip(part, row_steps(each.extent for each in spans), strict=True))
    steps = row_steps(sizes)
    begin = sum(each.begin * step for each, step in zip(part, steps, strict=True))
    planes, rows, columns = (each.windows for each in part)
    apart = [each.apart * step for each, step in zip(spans, steps, strict=True)]
    return Part(planes, rows, columns, origin, begin, apart[0], apart[1], apart[2], depth, places, taps)


def row_steps(sizes) -> tuple[int, int, int]:
    """How far from each other neighbours are in each of three dimensions."""
    _, rows, columns = sizes
    return rows * columns, columns, 1


def blocks_of(chosen, layout, source, span) -> list[Block]:
    """The blocks of all parts, of at most so many windows.

    Those that read the same windows follow each other, and write into the same lines of the cache.
    """
    blocks, (_, down, across) = [], (each.extent for each in layout.spans)
    for number, (planes, rows, row) in enumerate(chosen):
        within, every = source.channels * len(row.taps), len(rows.taps)
        met = windows_met(planes, layout.spans[0], source.size[0], layout.whole)
        runs = runs_of(rows, row, layout, source)
        for (plane, count, first, taps), (line, lines, windows, tap, some) in itertools.product(met, runs):
            needed, times = (taps * every, 1) if some == every else (min(taps, 1) * some, max(1, taps))
            told = (first * every + tap) * within, needed * within, times, every * within
            planes_of, rows_of = range(plane, plane + count), range(line, line + lines)
            for at, which, done in itertools.product(planes_of, rows_of, range(0, windows, span)):
                place = (planes.origin + at * planes.every) * down + rows.origin + which * rows.every
                begins = which * across + done, min(span, windows - done), place * across + row.origin + done
                blocks.append(Block(number, at, *begins, *told))
    return sorted(blocks, key=lambda block: (block.plane, block.begin))


# ---- channel by channel: the first tap, how many there are, the first place, and how far apart taps and places are


@functools.lru_cache(maxsize=64)
def window_spans(size, counts, kernel, stride, padding, dilation) -> list[np.ndarray]:
    """Which taps of each window along each dimension lie within the image, and where."""
    return [
        np.array([(*within(at * step - pad, apart, taps, length), 1, apart) for at in range(count)], np.int64)
        for length, count, taps, step, pad, apart in zip(size, counts, kernel, stride, padding, dilation, strict=True)
    ]


@functools.lru_cache(maxsize=64)
def tap_spans(length, count, taps, step, pad, apart) -> np.ndarray:
    """The windows in which each tap lies within the image, and where it does."""
    return np.array([(*within(tap * apart - pad, step, count, length), 1, step) for tap in range(taps)], np.int64)


def within(begin, step, count, length) -> tuple[int, int, int]:
    """The first of so many places from `begin` on that is in a line of that length, how many are, and that place."""
    first = max(0, -(begin // step))
    return first, max(0, min(count, -((begin - length) // step)) - first), begin + first * step


@functools.lru_cache(maxsize=64)
def source_spans(size, counts, kernel, stride, padding, dilation) -> list[np.ndarray]:
    """The same of the transpose in the input: number y was tap i of window (y + pad - i * apart) / stride."""
    return [
        np.array([source_span(at + pad, length, taps, step, apart) for at in range(count)], np.int64)
        for length, count, taps, step, pad, apart in zip(size, counts, kernel, stride, padding, dilation, strict=True)
    ]


def source_span(place, length, taps, step, apart) -> tuple[int, int, int, int, int]:
    """The taps for which `place` less their distance is that of one of so many windows."""
    shared = math.gcd(step, apart)
    found = [
        tap for tap in range(taps) if 0 <= place - tap * apart < length * step and not (place - tap * apart) % step
    ]
    first = found[0] if found else 0
    return first, len(found), (place - first * apart) // step, step // shared, -apart // shared


# ---- planes of channels that are turned


@functools.lru_cache(maxsize=64)
def plane_shape(shape, kernel, sizes, stride, padding, dilation) -> depthwise_planes.Shape:
    """Strips of as many rows as stay in a second-level cache; images of fewer are one strip."""
    images, channels, _, width = shape
    reach = [(taps - 1) * apart + 1 for taps, apart in zip(kernel, dilation, strict=True)]
    columns = max((sizes[1] - 1) * stride[1] + reach[1], padding[1] + width)
    by_row = (columns * stride[0] + sizes[1]) * LANES
    strips = -(-sizes[0] // max(1, (STRIP - columns * reach[0] * LANES) // by_row))
    strip = -(-sizes[0] // strips)
    strips, blocks = -(-sizes[0] // strip), -(-channels // LANES)
    cut = blocks, strips, strip, (strip - 1) * stride[0] + reach[0], columns, images * blocks * strips, 1
    return depthwise_planes.Shape._make((*shape[1:], *sizes, *kernel, *stride, *dilation, *padding, *cut))
