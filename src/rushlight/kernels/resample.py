"""Linear maps that go dimension by dimension: resampling, padding with own elements, sums over windows; and transposes.

Along a dimension every new element is a sum of some old ones, each with a weight: a sparse matrix, which is held row by
row, and so is its transpose. Where the elements of a dimension lie beside each other, runs that are only moved are
copied as such. Where those of all channels do, two dimensions are done at once, in vectors of channels.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from rushlight.arrays import padding, pooling, resampling
from rushlight.arrays.layouts import channels_are_last, channels_inside, channels_outside
from rushlight.core.policy import GRAIN, LARGE, PLACED, POOLED
from rushlight.kernels.arguments import divided, number_of, packed
from rushlight.kernels.vectors import LANES, load, load_some, store, store_some
from rushlight.kernels.vectors import spread as everywhere
from rushlight.lower.language import clear, copy, offset
from rushlight.lower.native import Element, float32, float64, int64, native, pointer
from rushlight.lower.parallel import parallel_for
from rushlight.lower.registry import kernel_of

T = Element("T")
RUN = 8  # elements that are worth a copy of their own
AT_ONCE = 25  # taps of two dimensions together, beyond which one dimension after the other takes less


class Map(NamedTuple):
    """A sparse matrix: element `i` is the sum of `weights * old[places]`, both from `starts[i]` to `starts[i + 1]`."""

    size: int
    starts: np.ndarray
    places: np.ndarray
    weights: np.ndarray
    runs: np.ndarray  # (first, last, place): copied from that place on; -1, one element for each; -2, any sums
    moves: bool  # every new element is an old one
    stays: bool  # and where it was


# ---- kernels


@native(light=True)
def map_rows(
    array: pointer(T), out: pointer(T), starts: pointer(int64), places: pointer(int64), weights: pointer(T),
    rows: int64, size: int64, new_size: int64, inner: int64, grain: int64,
):  # fmt: skip
    """out (rows / new_size, new_size, inner) of array (rows / new_size, size, inner)."""
    parallel_for(map_some_rows, rows, grain, array, out, starts, places, weights, size, new_size, inner)


@native
def map_some_rows(
    array: pointer(T), out: pointer(T), starts: pointer(int64), places: pointer(int64), weights: pointer(T),
    size: int64, new_size: int64, inner: int64, first: int64, last: int64,
):  # fmt: skip
    """In whole vectors, a tap after the other; what is left behind these is summed up before it is written."""
    some = inner % LANES
    whole = inner - some
    for row in range(first, last):
        line = row % new_size
        source, target = offset(array, row // new_size * size * inner), offset(out, row * inner)
        at, end = starts[line], starts[line + 1]
        if at == end:
            clear(target, inner)
            continue
        one = offset(source, places[at] * inner)
        if end - at == 1:
            scale(one, weights[at], target, whole)
        else:
            mix(one, weights[at], offset(source, places[at + 1] * inner), weights[at + 1], target, whole)
            for each in range(at + 2, end):
                add(offset(source, places[each] * inner), weights[each], target, whole)
        if some != 0:
            found = load_some(one, whole, 0, some) * everywhere(weights[at])
            for each in range(at + 1, end):
                found += load_some(source, places[each] * inner + whole, 0, some) * everywhere(weights[each])
            store_some(target, whole, found, some)


@native
def scale(one: pointer(T), weight: T, out: pointer(T), count: int64):
    for i in range(0, count, LANES):
        store(out, i, load(one, i) * everywhere(weight))


@native
def mix(one: pointer(T), weight: T, other: pointer(T), second: T, out: pointer(T), count: int64):
    for i in range(0, count, LANES):
        store(out, i, load(one, i) * everywhere(weight) + load(other, i) * everywhere(second))


@native
def add(one: pointer(T), weight: T, out: pointer(T), count: int64):
    for i in range(0, count, LANES):
        store(out, i, load(out, i) + load(one, i) * everywhere(weight))


@native(light=True)
def map_elements(
    array: pointer(T), out: pointer(T), starts: pointer(int64), places: pointer(int64), weights: pointer(T),
    runs: pointer(int64), count: int64, lines: pointer(int64), old: int64, new: int64, rows: int64, size: int64,
    new_size: int64, grain: int64,
):  # fmt: skip
    """out (rows / new, new, new_size) of array (rows / new, old, size), of which it takes some `lines`."""
    parallel_for(
        map_some_elements, rows, grain, array, out, starts, places, weights, runs, count, lines, old, new, size,
        new_size,
    )  # fmt: skip


@native
def map_some_elements(
    array: pointer(T), out: pointer(T), starts: pointer(int64), places: pointer(int64), weights: pointer(T),
    runs: pointer(int64), count: int64, lines: pointer(int64), old: int64, new: int64, size: int64, new_size: int64,
    first: int64, last: int64,
):  # fmt: skip
    """Four rows at a time, behind the last one that one again: so each place and each weight is looked up once."""
    for row in range(first, last, 4):
        two, three, four = min(row + 1, last - 1), min(row + 2, last - 1), min(row + 3, last - 1)
        a = offset(array, (row // new * old + lines[row % new]) * size)
        b = offset(array, (two // new * old + lines[two % new]) * size)
        c = offset(array, (three // new * old + lines[three % new]) * size)
        d = offset(array, (four // new * old + lines[four % new]) * size)
        to = offset(out, row * new_size)
        to_two, to_three, to_four = (two - row) * new_size, (three - row) * new_size, (four - row) * new_size
        for run in range(count):
            begin, end, place = runs[3 * run], runs[3 * run + 1], runs[3 * run + 2]
            if place >= 0:
                copy(offset(to, begin), offset(a, place), end - begin)
                copy(offset(to, to_two + begin), offset(b, place), end - begin)
                copy(offset(to, to_three + begin), offset(c, place), end - begin)
                copy(offset(to, to_four + begin), offset(d, place), end - begin)
                continue
            at = starts[begin]
            if place == -1:
                there, factors = offset(places, at), offset(weights, at)
                move(offset(to, begin), a, there, factors, end - begin)
                move(offset(to, to_two + begin), b, there, factors, end - begin)
                move(offset(to, to_three + begin), c, there, factors, end - begin)
                move(offset(to, to_four + begin), d, there, factors, end - begin)
                continue
            for i in range(begin, end):
                p, q, r, s = T(0), T(0), T(0), T(0)
                stop = starts[i + 1]
                if at < stop:
                    place, weight = places[at], weights[at]
                    p, q, r, s = a[place] * weight, b[place] * weight, c[place] * weight, d[place] * weight
                    for each in range(at + 1, stop):
                        place, weight = places[each], weights[each]
                        p += a[place] * weight
                        q += b[place] * weight
                        r += c[place] * weight
                        s += d[place] * weight
                    at = stop
                to[i], to[to_two + i], to[to_three + i], to[to_four + i] = p, q, r, s


@native
def move(out: pointer(T), array: pointer(T), places: pointer(int64), weights: pointer(T), count: int64):
    for i in range(0, count - 1, 2):
        out[i], out[i + 1] = array[places[i]] * weights[i], array[places[i + 1]] * weights[i + 1]
    if count % 2 != 0:
        out[count - 1] = array[places[count - 1]] * weights[count - 1]


@native(light=True)
def map_images(
    array: pointer(T), out: pointer(T), down: pointer(int64), rows: pointer(int64), by_row: pointer(T),
    across: pointer(int64), columns: pointer(int64), by_column: pointer(T), runs: pointer(int64), sizes: pointer(int64),
    divisor: T, lines: int64, grain: int64,
):  # fmt: skip
    """out (images, new height, new width, inner) of array (images, height, width, inner), divided.

    `sizes` holds the heights, the widths, the inner size and the number of runs across.
    """
    parallel_for(
        map_some_lines, lines, grain, array, out, down, rows, by_row, across, columns, by_column, runs, sizes, divisor
    )  # fmt: skip


@native
def map_some_lines(
    array: pointer(T), out: pointer(T), down: pointer(int64), rows: pointer(int64), by_row: pointer(T),
    across: pointer(int64), columns: pointer(int64), by_column: pointer(T), runs: pointer(int64), sizes: pointer(int64),
    divisor: T, first: int64, last: int64,
):  # fmt: skip
    width, inner = sizes[2] * sizes[4], sizes[4]
    for number in range(first, last):
        line = number % sizes[1]
        source = offset(array, number // sizes[1] * sizes[0] * width)
        target = offset(out, number * sizes[3] * inner)
        top, high = down[line], down[line + 1] - down[line]
        moved = high == 1 and by_row[top] == T(1) and divisor == T(1)
        for run in range(sizes[5]):
            begin, end, place = runs[3 * run], runs[3 * run + 1], runs[3 * run + 2]
            if moved and place >= 0:
                copy(offset(target, begin * inner), offset(source, rows[top] * width + place * inner),
                     (end - begin) * inner)  # fmt: skip
                continue
            for column in range(begin, end):
                left, wide, to = across[column], across[column + 1] - across[column], offset(target, column * inner)
                if high * wide == 1 and divisor == T(1):
                    one = offset(source, rows[top] * width + columns[left] * inner)
                    scale_all(one, by_row[top] * by_column[left], to, inner)
                elif high * wide > 0:
                    sum_window(source, width, offset(rows, top), offset(by_row, top), high, offset(columns, left),
                               offset(by_column, left), wide, to, inner, divisor)  # fmt: skip
                else:
                    clear(to, inner)


@native
def scale_all(one: pointer(T), weight: T, out: pointer(T), count: int64):
    whole = count // LANES * LANES
    scale(one, weight, out, whole)
    if whole < count:
        store_some(out, whole, load_some(one, whole, 0, count - whole) * everywhere(weight), count - whole)


@native
def sum_window(
    source: pointer(T), width: int64, rows: pointer(int64), by_row: pointer(T), high: int64, columns: pointer(int64),
    by_column: pointer(T), wide: int64, out: pointer(T), inner: int64, divisor: T,
):  # fmt: skip
    """The sum of a window's elements of each channel, which begins with a zero that changes no element's sign.

    Four vectors at a time, as long as there are so many: so each place and each weight is looked up once.
    """
    many, nothing, by = inner // (4 * LANES) * 4 * LANES, everywhere(T(-0.0)), everywhere(divisor)
    for i in range(0, many, 4 * LANES):
        p, q, r, s = nothing, nothing, nothing, nothing
        for y in range(high):
            for x in range(wide):
                at, weight = rows[y] * width + columns[x] * inner + i, everywhere(by_row[y] * by_column[x])
                p += load(source, at) * weight
                q += load(source, at + LANES) * weight
                r += load(source, at + 2 * LANES) * weight
                s += load(source, at + 3 * LANES) * weight
        if divisor != T(1):
            p, q, r, s = p / by, q / by, r / by, s / by
        store(out, i, p)
        store(out, i + LANES, q)
        store(out, i + 2 * LANES, r)
        store(out, i + 3 * LANES, s)
    for i in range(many, inner, LANES):
        found, some = nothing, inner - i
        for y in range(high):
            for x in range(wide):
                at, weight = rows[y] * width + columns[x] * inner + i, everywhere(by_row[y] * by_column[x])
                found += load_some(source, at, 0, some) * weight
        if divisor != T(1):
            found = found / by
        store_some(out, i, found, some)


def mapped(array, axis: int, map: Map):
    """The array with a map along one dimension that is not the last."""
    before, size, after = divided(array.shape, axis)
    new_size = len(map.starts) - 1
    array, out = packed(array), np.empty((*array.shape[:axis], new_size, *array.shape[axis + 1 :]), array.dtype)
    weights, grain = map.weights.astype(array.dtype, copy=False), max(1, GRAIN // max(1, after))
    map_rows.machine(number_of(array))(
        array, out, map.starts, map.places, weights, before * new_size, size, new_size, after, grain
    )
    return out


def mapped_elements(array, map: Map, lines):
    """The array with a map along the last dimension, and of the one before it only some `lines`, if they are given."""
    old, size = (array.shape[-2] if lines is not None else 1), array.shape[-1]
    lines, new_size = np.zeros(1, np.int64) if lines is None else lines, len(map.starts) - 1
    rows = array.size // max(1, old * size) * len(lines)
    shape = (*array.shape[:-2], len(lines), new_size) if old > 1 else (*array.shape[:-1], new_size)
    array, out = packed(array), np.empty(shape, array.dtype)
    weights, grain = map.weights.astype(array.dtype, copy=False), max(1, GRAIN // max(1, new_size))
    map_elements.machine(number_of(array))(
        array, out, map.starts, map.places, weights, map.runs, len(map.runs), lines, old, len(lines), rows, size,
        new_size, grain,
    )  # fmt: skip
    return out


def mapped_images(array, down: Map, across: Map, divisor):
    """The array (..., height, width, channels) with two maps, divided by a number."""
    *lead, height, width, inner = array.shape
    new_height, new_width = len(down.starts) - 1, len(across.starts) - 1
    array, out = packed(array), np.empty((*lead, new_height, new_width, inner), array.dtype)
    by_row, by_column = (each.weights.astype(array.dtype, copy=False) for each in (down, across))
    if not divisor & (divisor - 1):  # by a power of two, which takes no digit
        by_row, divisor = by_row / by_row.dtype.type(divisor), 1
    sizes = np.array([height, new_height, width, new_width, inner, len(across.runs)])
    lines, grain = math.prod(lead) * new_height, max(1, GRAIN // max(1, new_width * inner))
    map_images.machine(number_of(array))(
        array, out, down.starts, down.places, by_row, across.starts, across.places, by_column, across.runs, sizes,
        divisor, lines, grain,
    )  # fmt: skip
    return out


def mapped_inside(array, maps, divisor):
    """The same of an array whose channels come last in memory; its result lies like it."""
    array = channels_inside(array)
    *rest, down, across = maps
    if reach(down) * reach(across) > AT_ONCE:
        rest = maps
    for at in sorted(range(len(rest)), key=lambda at: growth(maps[at])):
        if not maps[at].stays:
            array = mapped(array, 1 + at, maps[at])
    if rest is maps:
        array = array if divisor == 1 else array / array.dtype.type(divisor)
    else:
        array = mapped_images(array, down, across, divisor)
    return channels_outside(array)


def reach(map: Map) -> int:
    """How many old elements a new one is a sum of, on average."""
    return -(-len(map.places) // max(1, len(map.starts) - 1))


def growth(map: Map) -> float:
    return (len(map.starts) - 1) / max(1, map.size)


def mapped_all(array, maps, divisor=1):
    """The array with a map along each of its last dimensions, first those that leave the others the fewest elements.

    It is divided by a number, or by one for each of the new elements.
    """
    if array.ndim == len(maps) + 2 and channels_are_last(array):
        if type(divisor) is int:
            return mapped_inside(array, maps, divisor)
        return pooling.divided(mapped_inside(array, maps, 1), divisor)
    lead, last = array.ndim - len(maps), len(maps) - 1
    # Lines that are only moved are moved on the way.
    moved = last > 0 and array.shape[-2] > 1 and maps[last - 1].moves and not maps[last].stays
    for at in sorted(range(len(maps)), key=lambda at: growth(maps[at])):
        if at == last and not maps[at].stays:
            array = mapped_elements(array, maps[at], maps[at - 1].places if moved else None)
        elif not maps[at].stays and not (moved and at == last - 1):
            array = mapped(array, lead + at, maps[at])
    return array if type(divisor) is int and divisor == 1 else pooling.divided(array, divisor)


# ---- maps


def map_of(size: int, new_size: int, new, places, weights=None, transposed=False) -> Map:
    """The map in which old elements at `places` go to `new` ones, or its transpose."""
    new, places = np.asarray(new, np.int64).ravel(), np.asarray(places, np.int64).ravel()
    weights = np.ones(len(new), np.float32) if weights is None else np.ravel(weights)
    if transposed:
        size, new_size, new, places = new_size, size, places, new
    order = np.argsort(new, kind="stable")
    new, places, weights = new[order], places[order], weights[order]
    starts = np.searchsorted(new, np.arange(new_size + 1))
    runs = runs_of(starts, places, weights)
    moves = len(places) == new_size and bool((weights == 1).all() and (np.diff(starts) == 1).all())
    stays = len(runs) == 1 and new_size == size and bool(runs[0, 2] == 0)
    return Map(size, starts, places, np.ascontiguousarray(weights), runs, moves, stays)


def runs_of(starts, places, weights) -> np.ndarray:
    """Where elements are only moved, so many side by side that a copy pays; and what is between."""
    counts = np.diff(starts)
    kinds = np.where(counts == 1, -1, -2)
    at = np.flatnonzero(counts == 1)
    taken = at[weights[starts[at]] == 1]
    nowhere = len(counts) + int(places.max(initial=0))
    shifts = np.full(len(counts), nowhere)
    shifts[taken] = places[starts[taken]] - taken
    cuts = [0, *(np.flatnonzero(np.diff(shifts) | np.diff(kinds)) + 1).tolist(), len(counts)]
    runs: list[list[int]] = []
    for begin, end in zip(cuts[:-1], cuts[1:], strict=True):
        kind = int(kinds[begin]) if end > begin else -2
        if end - begin >= RUN and shifts[begin] < nowhere:
            runs.append([begin, end, int(places[starts[begin]])])
        elif runs and runs[-1][2] < 0 and (runs[-1][2] == kind or end - begin < RUN):
            runs[-1][1:] = [end, kind if runs[-1][2] == kind else -2]
        elif end > begin:
            runs.append([begin, end, kind])
    return np.array(runs, np.int64).reshape(-1, 3)


@lru_cache(maxsize=128)
def of_taps(settings, transposed) -> Map:
    """The map of a resampled dimension."""
    places, weights = resampling.taps(*settings)
    new = np.broadcast_to(np.arange(len(places))[:, None], places.shape)
    return map_of(settings[0], len(places), new, places, weights, transposed)


@lru_cache(maxsize=128)
def of_padding(mode, size, before, after, transposed) -> Map:
    """The map of a padded dimension."""
    at = padding.places(mode, size, before, after)[0]
    return map_of(size, len(at), np.arange(len(at)), at, None, transposed)


@lru_cache(maxsize=128)
def of_cover(cover, transposed) -> Map:
    """The map of a dimension over which windows lie."""
    new, places = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    for target, source in cover.pairs:
        two = np.broadcast_arrays(np.arange(target.start, target.stop), np.arange(cover.size)[source])
        new.append(two[0])
        places.append(two[1])
    return map_of(cover.size, cover.count, np.concatenate(new), np.concatenate(places), None, transposed)


# ---- what they replace


def takes(array) -> bool:
    """Whether an array is of floats that are computed with as they are."""
    return type(array) is np.ndarray and array.ndim > 0 and number_of(array) in (float32, float64)


@kernel_of("resampled", least=POOLED)
def resampled(array, settings):
    if not takes(array) or not array.size:
        return None
    if array.size < LARGE and all([each[2].startswith("nearest") for each in settings]):
        return None  # what is only moved, NumPy moves as fast
    found = mapped_all(array, [of_taps(each, False) for each in settings])
    return found.copy() if found is array else found


@kernel_of("resampled_input", least=POOLED)
def resampled_input(grad, settings):
    return mapped_all(grad, [of_taps(each, True) for each in settings]) if takes(grad) else None


def padded_by(array, sizes, pads, mode, transposed):
    pairs = zip(sizes, pads, strict=True)
    array = packed(array) if mode == "circular" else array
    return mapped_all(array, [of_padding(mode, size, before, after, transposed) for size, (before, after) in pairs])


@kernel_of("own_pad")  # of fewer elements, NumPy copies the whole and then the ends as fast
def own_pad(array, pads, mode):
    if not takes(array) or not any([any(pair) for pair in pads]):
        return None
    return padded_by(array, array.shape[array.ndim - len(pads) :], pads, mode, False)


@kernel_of("own_pad_input", least=PLACED)
def own_pad_input(grad, shape, pads, mode):
    return padded_by(grad, shape[len(shape) - len(pads) :], pads, mode, True) if takes(grad) else None


@kernel_of("gather_windows", least=POOLED)
def gathered(input, covers, divisor):
    if not takes(input) or all([each.is_whole for each in covers]):
        return None
    if input.size < LARGE and all([len(each) < 3 for each in covers]):
        return None  # few taps, which NumPy adds up as fast
    maps = [of_cover(each, False) for each in covers]
    return mapped_all(input, maps, divisor)


@kernel_of("spread_windows", sized=None)
def spread(grad, input_shape, covers, divisor):
    if not takes(grad) or np.prod(input_shape) < LARGE:
        return None
    maps = [of_cover(each, True) for each in covers]
    return mapped_all(grad, maps, divisor) if type(divisor) is int else mapped_all(pooling.divided(grad, divisor), maps)
