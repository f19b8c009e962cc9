"""Counting: where elements are not zero, and how often each number occurs.

A position is written before it is known whether it counts, and overwritten if it does not: a branch that nobody can
foresee costs more. Each row knows by then how many of its own there are, and writes no further.
"""

from __future__ import annotations

import math

import numpy as np

from rushlight.core.policy import COUNTED, GRAIN
from rushlight.kernels.arguments import number_of, packed
from rushlight.kernels.vectors import LANES, chosen, load, load_some, spread, store, sum_of
from rushlight.lower.language import larger, local, offset, smaller
from rushlight.lower.native import Element, boolean, float32, float64, int32, int64, native, pointer
from rushlight.lower.parallel import parallel_for
from rushlight.lower.registry import kernel_of

T = Element("T")

PART = 4096  # elements of a long row that are looked through as one
SHORT = 16  # shorter rows are not worth a loop
BINS = 1 << 12  # so many counts are kept four times, lest equal neighbours wait for each other
DEEPEST = 8  # dimensions
CELLS = 1 << 16  # of a grid, likewise
EVEN = 1.01  # times wider than the narrowest bin the widest may be


# ---- where elements are not zero


@native(light=True)
def count_rows(counts: pointer(int64), array: pointer(T), length: int64, size: int64, begin: int64, end: int64):
    for row in range(begin, end):
        source, many, found = offset(array, row * length), min(length, size - row * length), spread(int32(0))
        for k in range(0, many - many % LANES, LANES):
            found = found + int32(load(source, k) != 0)
        count = int64(sum_of(found))
        for k in range(many - many % LANES, many):
            count += int64(source[k] != 0)
        counts[row] = count


@native(light=True)
def count_all(counts: pointer(int64), array: pointer(T), rows: int64, length: int64, size: int64, grain: int64):
    parallel_for(count_rows, rows, max(1, grain // length), counts, array, length, size)


@native(light=True)
def place_rows(out: pointer(int64), array: pointer(T), starts: pointer(int64), shape: pointer(int64), rank: int64,
               all: int64, length: int64, begin: int64, end: int64):  # fmt: skip
    """The positions in rows [begin, end), whose results begin at `starts`; of one dimension a row is a part.

    Those in the first dimension come before `all` in the next, as in PyTorch.
    """
    at = local(int64, 8)
    for row in range(begin, end):
        place, stop, k = starts[row], starts[row + 1], 0
        source, rest = offset(array, row * length), row
        for dim in range(rank - 1):
            at[rank - 2 - dim] = rest % shape[rank - 2 - dim]
            rest = rest // shape[rank - 2 - dim]
        first = row * length if rank == 1 else 0
        while place < stop:
            to = offset(out, place)
            for dim in range(rank - 1):
                to[dim * all] = at[dim]
            to[(rank - 1) * all] = first + k
            place += int64(1) if source[k] != 0 else int64(0)
            k += 1


@native(light=True)
def place_all(out: pointer(int64), array: pointer(T), starts: pointer(int64), shape: pointer(int64), rank: int64,
              rows: int64, length: int64, grain: int64):  # fmt: skip
    parallel_for(place_rows, rows, max(1, grain // length), out, array, starts, shape, rank, starts[rows], length)


@kernel_of("nonzero", least=COUNTED)
def nonzero(array):
    kind, rank = number_of(array) if type(array) is np.ndarray else None, array.ndim
    if kind is None or not 0 < rank <= DEEPEST or array.size < COUNTED:
        return None
    length = PART if rank == 1 else array.shape[-1]
    if length < SHORT:
        return None
    array, rows = packed(array.view(np.uint8) if kind is boolean else array), -(-array.size // length)
    kind = number_of(array)
    starts = np.zeros(rows + 1, np.int64)
    count_all.machine(kind)(starts[1:], array, rows, length, array.size, GRAIN)
    np.cumsum(starts, out=starts)
    out = np.empty((rank, int(starts[-1])), np.int64)
    place_all.machine(kind)(out, array, starts, np.array(array.shape, np.int64), rank, rows, length, GRAIN)
    return out.T


# ---- how often numbers occur


@native(light=True)
def bounds_of(bounds: pointer(T), array: pointer(T), length: int64, size: int64, begin: int64, end: int64):
    """The least and the largest numbers of parts, in a vector each."""
    for part in range(begin, end):
        source, many = offset(array, part * length), min(length, size - part * length)
        least = spread(source[0])
        most = least
        for k in range(0, many - many % LANES, LANES):
            now = load(source, k)
            least, most = smaller(least, now), larger(most, now)
        for k in range(many - many % LANES, many):
            least, most = smaller(least, spread(source[k])), larger(most, spread(source[k]))
        store(bounds, 2 * LANES * part, least)
        store(bounds, (2 * part + 1) * LANES, most)


@native(light=True)
def all_bounds(bounds: pointer(T), array: pointer(T), parts: int64, length: int64, size: int64, grain: int64):
    parallel_for(bounds_of, parts, max(1, grain // length), bounds, array, length, size)


@native(light=True)
def count_numbers(counts: pointer(int64), array: pointer(T), bins: int64, size: int64):
    """Into four rows of counts, since neighbours are often equal."""
    second, third, fourth = offset(counts, bins), offset(counts, 2 * bins), offset(counts, 3 * bins)
    for four in range(size // 4):
        at = 4 * four
        a, b, c, d = int64(array[at]), int64(array[at + 1]), int64(array[at + 2]), int64(array[at + 3])
        counts[a] = counts[a] + 1
        second[b] = second[b] + 1
        third[c] = third[c] + 1
        fourth[d] = fourth[d] + 1
    for at in range(size - size % 4, size):
        a = int64(array[at])
        counts[a] = counts[a] + 1


@native(light=True)
def add_weights(sums: pointer(float64), array: pointer(int64), weights: pointer(T), apart: int64, size: int64):
    """Into two rows of sums so far apart, since neighbours are often equal; of many sums into one row."""
    second = offset(sums, apart)
    for two in range(size // 2):
        at = 2 * two
        a, b = array[at], array[at + 1]
        sums[a] = sums[a] + float64(weights[at])
        second[b] = second[b] + float64(weights[at + 1])
    if size % 2 != 0:
        a = array[size - 1]
        sums[a] = sums[a] + float64(weights[size - 1])


def added_up(places, weights, bins: int):
    """The sum of the weights at each of some places, of which there are so many; None for a rare dtype."""
    kind = number_of(weights) if type(weights) is np.ndarray else None
    if kind not in (float32, float64):
        return None
    apart = bins if bins <= BINS else 0
    sums = np.zeros((2 if apart else 1, bins))
    add_weights.machine(kind)(sums, packed(places), packed(weights), apart, places.size)
    return sums.sum(0)


@kernel_of("bincount")
def bincount(array, weights, length):
    kind = number_of(array) if type(array) is np.ndarray else None
    if kind is None or kind.kind not in "iu" or array.ndim != 1 or not array.size:
        return None
    array = packed(array)
    bounds = np.empty((-(-array.size // PART), 2, LANES), array.dtype)
    all_bounds.machine(kind)(bounds, array, len(bounds), PART, array.size, GRAIN)
    low, high = bounds[:, 0].min(), bounds[:, 1].max()
    if low < 0:
        return None
    bins = max(int(high) + 1, length)
    if weights is not None:
        found = added_up(array.astype(np.int64, copy=False), weights, bins)
        return None if found is None else found.astype(weights.dtype)
    if bins > BINS:
        return None
    counts = np.zeros((4, bins), np.int64)
    count_numbers.machine(kind)(counts, array, bins, array.size)
    return counts.sum(0)


# ---- how many numbers fall into bins


@native(light=True)
def count_in_bins(counts: pointer(int64), array: pointer(T), edges: pointer(T), low: T, high: T, span: T, bins: int64,
                  exact: int64, size: int64):  # fmt: skip
    """Into four rows of counts, each with one more for what is outside; if `exact`, by the edges themselves."""
    places = local(int32, 64)
    for begin in range(0, size, LANES):
        many = min(LANES, size - begin)
        x = load_some(array, begin, 0, many)
        inside = (x >= spread(low)) & (x <= spread(high))
        place = int32((chosen(inside, x, spread(low)) - spread(low)) * spread(T(bins)) / spread(span))
        last = spread(int32(bins - 1))
        store(places, 0, chosen(inside, chosen(place > last, last, place), last + int32(1)))
        for k in range(many):
            bin = int64(places[k])
            if exact != 0 and bin < bins:
                if array[begin + k] < edges[bin]:
                    bin -= 1
                elif bin + 1 < bins and array[begin + k] >= edges[bin + 1]:
                    bin += 1
            row = offset(counts, k % 4 * (bins + 1))
            row[bin] = row[bin] + 1


def counts_in_bins(array, edges, low, high, bins: int, exact: bool):
    """How many numbers of an array of floats fall into each of some bins of one width; None where they are too many."""
    kind = number_of(array) if type(array) is np.ndarray else None
    if kind not in (float32, float64) or not 0 < bins <= BINS:
        return None
    counts, number = np.zeros((4, bins + 1), np.int64), array.dtype.type
    span = number(high - low)
    # A place that is no number any more is none in memory either.
    if not 0 < float(span) * bins < np.finfo(array.dtype).max:
        return None
    given = number(low), number(high), span
    count_in_bins.machine(kind)(counts, packed(array), edges, *given, bins, exact, array.size)
    return counts[:, :-1].sum(0)


@kernel_of("even_counts")
def even_counts(array, low, high, bins):
    found = counts_in_bins(array, array[:0], low, high, bins, False)
    return None if found is None else found.astype(array.dtype)


@kernel_of("counts_between")
def counts_between(array, edges):
    """Where bins are of one width but for roundings, so that a number is beside the bin that its place says at most."""
    if not _are_even(edges, array):
        return None
    return counts_in_bins(array, packed(edges), edges[0], edges[-1], len(edges) - 1, True)


def _are_even(edges, array) -> bool:
    """Whether bins for the numbers of an array are of one width, and their places numbers of its dtype."""
    widths = np.diff(edges)
    if array.dtype != edges.dtype or not widths.size or widths.min() <= 0 or widths.max() > widths.min() * EVEN:
        return False
    return 0 < float(edges[-1] - edges[0]) * widths.size < np.finfo(array.dtype).max


@native(light=True)
def place_in_grid(places: pointer(int64), array: pointer(T), edges: pointer(T), low: T, high: T, span: T, bins: int64,
                  size: int64):  # fmt: skip
    """Adds a dimension to places in a grid, which are counted from 1; 0 is outside."""
    found = local(int32, 64)
    for begin in range(0, size, LANES):
        many = min(LANES, size - begin)
        x = load_some(array, begin, 0, many)
        inside = (x >= spread(low)) & (x <= spread(high))
        place = int32((chosen(inside, x, spread(low)) - spread(low)) * spread(T(bins)) / spread(span))
        last = spread(int32(bins - 1))
        store(found, 0, chosen(inside, chosen(place > last, last, place), last + int32(1)))
        for k in range(many):
            bin, before = int64(found[k]), places[begin + k]
            if bin >= bins or before == 0:
                places[begin + k] = 0
            else:
                if array[begin + k] < edges[bin]:
                    bin -= 1
                elif bin + 1 < bins and array[begin + k] >= edges[bin + 1]:
                    bin += 1
                places[begin + k] = (before - 1) * bins + bin + 1


@kernel_of("counts_in_grid")
def counts_in_grid(points, edges, weights):
    """Where the bins of each dimension are of one width but for roundings, as for `counts_between`."""
    kind, shape = number_of(points) if type(points) is np.ndarray else None, tuple(len(each) - 1 for each in edges)
    cells = math.prod(shape)
    if kind not in (float32, float64) or not 0 < cells <= CELLS or not all(_are_even(each, points) for each in edges):
        return None
    places, columns = np.ones(len(points), np.int64), np.ascontiguousarray(points.T)
    for column, limits, bins in zip(columns, edges, shape, strict=True):
        low, high, limits = limits[0], limits[-1], packed(limits)
        place_in_grid.machine(kind)(places, column, limits, low, high, high - low, bins, places.size)
    if weights is not None:
        found = added_up(places, weights, cells + 1)
    else:
        counts = np.zeros((4, cells + 1), np.int64)
        count_numbers.machine(int64)(counts, places, cells + 1, places.size)
        found = counts.sum(0)
    return None if found is None else found[1:].reshape(shape)


# ---- runs of equal numbers


@native(light=True)
def join_runs(many: pointer(int64), values: pointer(T), went: pointer(int64), ends: pointer(int64), array: pointer(T),
              inverse: int64, counts: int64, size: int64):  # fmt: skip
    """How many runs there are, the number of each, the run that each element is in, and where each run ends."""
    run, before = int64(0), array[0]
    values[0] = before
    for at in range(size):
        now = array[at]
        if (now != before or now != now) and at > 0:
            if counts != 0:
                ends[run] = at
            run += 1
            values[run] = now
        before = now
        if inverse != 0:
            went[at] = run
    if counts != 0:
        ends[run] = size
    many[0] = run + 1


@kernel_of("unique_runs", least=COUNTED)
def unique_runs(array, axis, inverse=True, counts=True):
    kind = number_of(array) if type(array) is np.ndarray else None
    if kind is None or (axis is not None and array.ndim != 1):
        return None
    many, values = np.empty(1, np.int64), np.empty(array.size, array.dtype)
    went, ends = (np.empty(array.size * wanted, np.int64) for wanted in (inverse, counts))
    join_runs.machine(kind)(many, values, went, ends, packed(array), inverse, counts, array.size)
    runs = int(many[0])
    long = np.diff(ends[:runs], prepend=np.int64(0)) if counts else ends
    return values[:runs].copy(), went.reshape(array.shape) if inverse else went, long
