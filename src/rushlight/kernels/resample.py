"""Separable linear maps: resampling, padding with own elements, sums over windows; and their transposes.

Along each dimension a new element is a weighted sum of old ones: a sparse matrix in CSR form, and so is its transpose.
If the dimension is contiguous, runs that are only moved are copied as such. With channels last, two dimensions are
mapped at once, vectorized over channels. Parallel over rows of the result.
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
from rushlight.kernels.vectors import LANES, load, load_some, splat, store, store_some
from rushlight.lower.language import clear, copy, offset
from rushlight.lower.native import Element, float32, float64, int64, native, pointer
from rushlight.lower.parallel import parallel_for
from rushlight.lower.registry import kernel_of

T = Element("T")
RUN = 8  # elements for which a copy of a run pays off
AT_ONCE = 25  # taps of two dimensions together; above, one dimension after the other is faster


class Map(NamedTuple):
    """A sparse matrix (CSR): element `i` is the sum of `weights * old[places]`, from `starts[i]` to `starts[i + 1]`."""

    size: int
    starts: np.ndarray
    places: np.ndarray
    weights: np.ndarray
    runs: np.ndarray  # (first, last, place): copied from `place` on; -1: one tap each; -2: any sums
    moves: bool  # every new element is an old one
    stays: bool  # the map is the identity


# ---- kernels


@native(light=True)
def map_rows(
    array: pointer(T), out: pointer(T), starts: pointer(int64), places: pointer(int64), weights: pointer(T),
    rows: int64, size: int64, new_size: int64, inner: int64, grain: int64,
):  # fmt: skip
    """Computes out (rows / new_size, new_size, inner) from array (rows / new_size, size, inner)."""
    parallel_for(map_some_rows, rows, grain, array, out, starts, places, weights, size, new_size, inner)


@native
def map_some_rows(
    array: pointer(T), out: pointer(T), starts: pointer(int64), places: pointer(int64), weights: pointer(T),
    size: int64, new_size: int64, inner: int64, first: int64, last: int64,
):  # fmt: skip
    """Whole vectors, tap by tap; the rest is summed before it is stored."""
    rest = inner % LANES
    whole = inner - rest
    for row in range(first, last):
        line = row % new_size
        source, target = offset(array, row // new_size * size * inner), offset(out, row * inner)
        at, end = starts[line], starts[line + 1]
        if at == end:
            clear(target, inner)
            continue
        first_row = offset(source, places[at] * inner)
        if end - at == 1:
            scale(first_row, weights[at], target, whole)
        else:
            mix(first_row, weights[at], offset(source, places[at + 1] * inner), weights[at + 1], target, whole)
            for tap in range(at + 2, end):
                add(offset(source, places[tap] * inner), weights[tap], target, whole)
        if rest != 0:
            total = load_some(first_row, whole, 0, rest) * splat(weights[at])
            for tap in range(at + 1, end):
                total += load_some(source, places[tap] * inner + whole, 0, rest) * splat(weights[tap])
            store_some(target, whole, total, rest)


@native
def scale(array: pointer(T), weight: T, out: pointer(T), count: int64):
    for i in range(0, count, LANES):
        store(out, i, load(array, i) * splat(weight))


@native
def mix(first: pointer(T), weight: T, second: pointer(T), second_weight: T, out: pointer(T), count: int64):
    for i in range(0, count, LANES):
        store(out, i, load(first, i) * splat(weight) + load(second, i) * splat(second_weight))


@native
def add(array: pointer(T), weight: T, out: pointer(T), count: int64):
    for i in range(0, count, LANES):
        store(out, i, load(out, i) + load(array, i) * splat(weight))


@native(light=True)
def map_elements(
    array: pointer(T), out: pointer(T), starts: pointer(int64), places: pointer(int64), weights: pointer(T),
    runs: pointer(int64), count: int64, lines: pointer(int64), old: int64, new: int64, rows: int64, size: int64,
    new_size: int64, grain: int64,
):  # fmt: skip
    """Computes out (rows / new, new, new_size) from array (rows / new, old, size), of which it reads `lines`."""
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
    """Four rows at a time, so that each index and weight is loaded once; the last row is repeated."""
    for row in range(first, last, 4):
        two, three, four = min(row + 1, last - 1), min(row + 2, last - 1), min(row + 3, last - 1)
        a = offset(array, (row // new * old + lines[row % new]) * size)
        b = offset(array, (two // new * old + lines[two % new]) * size)
        c = offset(array, (three // new * old + lines[three % new]) * size)
        d = offset(array, (four // new * old + lines[four % new]) * size)
        to = offset(out, row * new_size)
        to_two, to_three, to_four = (two - row) * new_size, (three - row) * new_size, (four - row) * new_size
        for run in range(count):
            begin, end, source_index = runs[3 * run], runs[3 * run + 1], runs[3 * run + 2]
            if source_index >= 0:
                copy(offset(to, begin), offset(a, source_index), end - begin)
                copy(offset(to, to_two + begin), offset(b, source_index), end - begin)
                copy(offset(to, to_three + begin), offset(c, source_index), end - begin)
                copy(offset(to, to_four + begin), offset(d, source_index), end - begin)
                continue
            at = starts[begin]
            if source_index == -1:
                indices, factors = offset(places, at), offset(weights, at)
                move(offset(to, begin), a, indices, factors, end - begin)
                move(offset(to, to_two + begin), b, indices, factors, end - begin)
                move(offset(to, to_three + begin), c, indices, factors, end - begin)
                move(offset(to, to_four + begin), d, indices, factors, end - begin)
                continue
            for i in range(begin, end):
                p, q, r, s = T(0), T(0), T(0), T(0)
                stop = starts[i + 1]
                if at < stop:
                    source_index, weight = places[at], weights[at]
                    p, q, r, s = (
                        a[source_index] * weight,
                        b[source_index] * weight,
                        c[source_index] * weight,
                        d[source_index] * weight,
                    )
                    for tap in range(at + 1, stop):
                        source_index, weight = places[tap], weights[tap]
                        p += a[source_index] * weight
                        q += b[source_index] * weight
                        r += c[source_index] * weight
                        s += d[source_index] * weight
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
    """Computes out (images, new height, new width, inner) from array (images, height, width, inner), divided.

    `sizes` holds heights, widths, the inner size and the number of runs across.
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
            begin, end, source_index = runs[3 * run], runs[3 * run + 1], runs[3 * run + 2]
            if moved and source_index >= 0:
                copy(offset(target, begin * inner), offset(source, rows[top] * width + source_index * inner),
                     (end - begin) * inner)  # fmt: skip
                continue
            for column in range(begin, end):
                left, wide, to = across[column], across[column + 1] - across[column], offset(target, column * inner)
                if high * wide == 1 and divisor == T(1):
                    element = offset(source, rows[top] * width + columns[left] * inner)
                    scale_all(element, by_row[top] * by_column[left], to, inner)
                elif high * wide > 0:
                    sum_window(source, width, offset(rows, top), offset(by_row, top), high, offset(columns, left),
                               offset(by_column, left), wide, to, inner, divisor)  # fmt: skip
                else:
                    clear(to, inner)


@native
def scale_all(array: pointer(T), weight: T, out: pointer(T), count: int64):
    whole = count // LANES * LANES
    scale(array, weight, out, whole)
    if whole < count:
        store_some(out, whole, load_some(array, whole, 0, count - whole) * splat(weight), count - whole)


@native
def sum_window(
    source: pointer(T), width: int64, rows: pointer(int64), by_row: pointer(T), high: int64, columns: pointer(int64),
    by_column: pointer(T), wide: int64, out: pointer(T), inner: int64, divisor: T,
):  # fmt: skip
    """Sums a window per channel, starting with -0.0, which keeps the sign of zeros.

    Four vectors at a time where possible, so that each index and weight is loaded once.
    """
    many, negative_zero, divisors = inner // (4 * LANES) * 4 * LANES, splat(T(-0.0)), splat(divisor)
    for i in range(0, many, 4 * LANES):
        p, q, r, s = negative_zero, negative_zero, negative_zero, negative_zero
        for y in range(high):
            for x in range(wide):
                at, weight = rows[y] * width + columns[x] * inner + i, splat(by_row[y] * by_column[x])
                p += load(source, at) * weight
                q += load(source, at + LANES) * weight
                r += load(source, at + 2 * LANES) * weight
                s += load(source, at + 3 * LANES) * weight
        if divisor != T(1):
            p, q, r, s = p / divisors, q / divisors, r / divisors, s / divisors
        store(out, i, p)
        store(out, i + LANES, q)
        store(out, i + 2 * LANES, r)
        store(out, i + 3 * LANES, s)
    for i in range(many, inner, LANES):
        total, rest = negative_zero, inner - i
        for y in range(high):
            for x in range(wide):
                at, weight = rows[y] * width + columns[x] * inner + i, splat(by_row[y] * by_column[x])
                total += load_some(source, at, 0, rest) * weight
        if divisor != T(1):
            total = total / divisors
        store_some(out, i, total, rest)


def mapped(array, axis: int, map: Map):
    """Returns the array mapped along one dimension that is not the last."""
    before, size, after = divided(array.shape, axis)
    new_size = len(map.starts) - 1
    array, out = packed(array), np.empty((*array.shape[:axis], new_size, *array.shape[axis + 1 :]), array.dtype)
    weights, grain = map.weights.astype(array.dtype, copy=False), max(1, GRAIN // max(1, after))
    map_rows.machine(number_of(array))(
        array, out, map.starts, map.places, weights, before * new_size, size, new_size, after, grain
    )
    return out


def mapped_elements(array, map: Map, lines):
    """Returns the array mapped along the last dimension; of the one before it only `lines`, if given."""
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
    """Returns the array (..., height, width, channels) with two maps, divided by an integer."""
    *lead, height, width, inner = array.shape
    new_height, new_width = len(down.starts) - 1, len(across.starts) - 1
    array, out = packed(array), np.empty((*lead, new_height, new_width, inner), array.dtype)
    by_row, by_column = (axis_map.weights.astype(array.dtype, copy=False) for axis_map in (down, across))
    if not divisor & (divisor - 1):  # a power of two: exact
        by_row, divisor = by_row / by_row.dtype.type(divisor), 1
    sizes = np.array([height, new_height, width, new_width, inner, len(across.runs)])
    lines, grain = math.prod(lead) * new_height, max(1, GRAIN // max(1, new_width * inner))
    map_images.machine(number_of(array))(
        array, out, down.starts, down.places, by_row, across.starts, across.places, by_column, across.runs, sizes,
        divisor, lines, grain,
    )  # fmt: skip
    return out


def mapped_inside(array, maps, divisor):
    """Maps a channels-last array; the result is channels-last too."""
    array = channels_inside(array)
    *rest, down, across = maps
    if reach(down) * reach(across) > AT_ONCE:
        rest = maps
    for i in sorted(range(len(rest)), key=lambda i: growth(maps[i])):
        if not maps[i].stays:
            array = mapped(array, 1 + i, maps[i])
    if rest is maps:
        array = array if divisor == 1 else array / array.dtype.type(divisor)
    else:
        array = mapped_images(array, down, across, divisor)
    return channels_outside(array)


def reach(map: Map) -> int:
    """Returns the average number of taps."""
    return -(-len(map.places) // max(1, len(map.starts) - 1))


def growth(map: Map) -> float:
    return (len(map.starts) - 1) / max(1, map.size)


def mapped_all(array, maps, divisor=1):
    """Returns the array mapped along each of its last dimensions, starting with those that shrink it most.

    It is divided by an integer, or elementwise by an array.
    """
    if array.ndim == len(maps) + 2 and channels_are_last(array):
        if type(divisor) is int:
            return mapped_inside(array, maps, divisor)
        return pooling.divided(mapped_inside(array, maps, 1), divisor)
    lead, last = array.ndim - len(maps), len(maps) - 1
    # Moved rows are moved by the map of the last dimension.
    moved = last > 0 and array.shape[-2] > 1 and maps[last - 1].moves and not maps[last].stays
    for i in sorted(range(len(maps)), key=lambda i: growth(maps[i])):
        if i == last and not maps[i].stays:
            array = mapped_elements(array, maps[i], maps[i - 1].places if moved else None)
        elif not maps[i].stays and not (moved and i == last - 1):
            array = mapped(array, lead + i, maps[i])
    return array if type(divisor) is int and divisor == 1 else pooling.divided(array, divisor)


# ---- maps


def map_of(size: int, new_size: int, new, places, weights=None, transposed=False) -> Map:
    """Returns the map that sends old elements at `places` to `new` ones, or its transpose."""
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
    """Returns the runs: where enough adjacent elements are only moved for a copy to pay off, and the rest."""
    counts = np.diff(starts)
    codes = np.where(counts == 1, -1, -2)
    at = np.flatnonzero(counts == 1)
    taken = at[weights[starts[at]] == 1]
    nowhere = len(counts) + int(places.max(initial=0))
    shifts = np.full(len(counts), nowhere)
    shifts[taken] = places[starts[taken]] - taken
    cuts = [0, *(np.flatnonzero(np.diff(shifts) | np.diff(codes)) + 1).tolist(), len(counts)]
    runs: list[list[int]] = []
    for begin, end in zip(cuts[:-1], cuts[1:], strict=True):
        code = int(codes[begin]) if end > begin else -2
        if end - begin >= RUN and shifts[begin] < nowhere:
            runs.append([begin, end, int(places[starts[begin]])])
        elif runs and runs[-1][2] < 0 and (runs[-1][2] == code or end - begin < RUN):
            runs[-1][1:] = [end, code if runs[-1][2] == code else -2]
        elif end > begin:
            runs.append([begin, end, code])
    return np.array(runs, np.int64).reshape(-1, 3)


@lru_cache(maxsize=128)
def of_taps(settings, transposed) -> Map:
    """Returns the map of a resampled dimension."""
    places, weights = resampling.taps(*settings)
    new = np.broadcast_to(np.arange(len(places))[:, None], places.shape)
    return map_of(settings[0], len(places), new, places, weights, transposed)


@lru_cache(maxsize=128)
def of_padding(mode, size, before, after, transposed) -> Map:
    """Returns the map of a padded dimension."""
    at = padding.source_indices(mode, size, before, after)[0]
    return map_of(size, len(at), np.arange(len(at)), at, None, transposed)


@lru_cache(maxsize=128)
def of_cover(cover, transposed) -> Map:
    """Returns the map of a pooled dimension."""
    new, places = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    for target, source in cover.pairs:
        two = np.broadcast_arrays(np.arange(target.start, target.stop), np.arange(cover.size)[source])
        new.append(two[0])
        places.append(two[1])
    return map_of(cover.size, cover.count, np.concatenate(new), np.concatenate(places), None, transposed)


# ---- entries


def is_floats(array) -> bool:
    """Returns whether it is a float32 or float64 array of at least one dimension."""
    return type(array) is np.ndarray and array.ndim > 0 and number_of(array) in (float32, float64)


@kernel_of("resampled", least=POOLED)
def resampled(array, settings):
    if not is_floats(array) or not array.size:
        return None
    if array.size < LARGE and all([s[2].startswith("nearest") for s in settings]):
        return None  # NumPy moves as fast
    result = mapped_all(array, [of_taps(s, False) for s in settings])
    return result.copy() if result is array else result


@kernel_of("resampled_input", least=POOLED)
def resampled_input(grad, settings):
    return mapped_all(grad, [of_taps(s, True) for s in settings]) if is_floats(grad) else None


def padded_by(array, sizes, pads, mode, transposed):
    pairs = zip(sizes, pads, strict=True)
    array = packed(array) if mode == "circular" else array
    return mapped_all(array, [of_padding(mode, size, before, after, transposed) for size, (before, after) in pairs])


@kernel_of("own_pad")  # below, NumPy copies the whole and then the ends as fast
def own_pad(array, pads, mode):
    if not is_floats(array) or not any([any(pair) for pair in pads]):
        return None
    return padded_by(array, array.shape[array.ndim - len(pads) :], pads, mode, False)


@kernel_of("own_pad_input", least=PLACED)
def own_pad_input(grad, shape, pads, mode):
    return padded_by(grad, shape[len(shape) - len(pads) :], pads, mode, True) if is_floats(grad) else None


@kernel_of("gather_windows", least=POOLED)
def gathered(input, covers, divisor):
    if not is_floats(input) or all([cover.is_whole for cover in covers]):
        return None
    if input.size < LARGE and all([len(cover) < 3 for cover in covers]):
        return None  # NumPy adds few taps as fast
    maps = [of_cover(cover, False) for cover in covers]
    return mapped_all(input, maps, divisor)


@kernel_of("spread_windows", sized=None)
def spread(grad, input_shape, covers, divisor):
    if not is_floats(grad) or np.prod(input_shape) < LARGE:
        return None
    maps = [of_cover(cover, True) for cover in covers]
    return mapped_all(grad, maps, divisor) if type(divisor) is int else mapped_all(pooling.divided(grad, divisor), maps)
