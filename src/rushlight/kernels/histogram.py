"""Counting: nonzero, bincount, histograms with even bins, runs of equal elements.

`nonzero` stores every index and advances only past valid ones: a mispredicted branch costs more. Each row's count is
computed first, so that it stores no further. Parallel over rows.
"""

from __future__ import annotations

import math

import numpy as np

from rushlight.core.policy import COUNTED, GRAIN
from rushlight.kernels.arguments import number_of, packed
from rushlight.kernels.vectors import LANES, load, load_some, select, splat, store, sum_of
from rushlight.lower.language import larger, local, offset, smaller
from rushlight.lower.native import Element, boolean, float32, float64, int32, int64, native, pointer
from rushlight.lower.parallel import parallel_for
from rushlight.lower.registry import kernel_of

T = Element("T")

PART = 4096  # elements of a long row per part
SHORT = 16  # shorter rows do not pay off
# Up to so many bins there are four copies of the counts, so that equal neighbours do not wait for each other.
BINS = 1 << 12
DEEPEST = 8  # dimensions
CELLS = 1 << 16  # of a grid, likewise
EVEN = 1.01  # largest ratio of bin widths that counts as even


# ---- nonzero


@native(light=True)
def count_rows(counts: pointer(int64), array: pointer(T), length: int64, size: int64, begin: int64, end: int64):
    for row in range(begin, end):
        source, length_here, counter = offset(array, row * length), min(length, size - row * length), splat(int32(0))
        for k in range(0, length_here - length_here % LANES, LANES):
            counter = counter + int32(load(source, k) != 0)
        count = int64(sum_of(counter))
        for k in range(length_here - length_here % LANES, length_here):
            count += int64(source[k] != 0)
        counts[row] = count


@native(light=True)
def count_all(counts: pointer(int64), array: pointer(T), rows: int64, length: int64, size: int64, grain: int64):
    parallel_for(count_rows, rows, max(1, grain // length), counts, array, length, size)


@native(light=True)
def store_rows(out: pointer(int64), array: pointer(T), starts: pointer(int64), shape: pointer(int64), rank: int64,
               all: int64, length: int64, begin: int64, end: int64):  # fmt: skip
    """Stores the indices of rows [begin, end), whose results begin at `starts`; for one dimension a row is a part.

    The indices of the first dimension come first, `all` of them, then those of the next, as in PyTorch.
    """
    coordinates = local(int64, 8)
    for row in range(begin, end):
        slot, stop, k = starts[row], starts[row + 1], 0
        source, rest = offset(array, row * length), row
        for dim in range(rank - 1):
            coordinates[rank - 2 - dim] = rest % shape[rank - 2 - dim]
            rest = rest // shape[rank - 2 - dim]
        first = row * length if rank == 1 else 0
        while slot < stop:
            to = offset(out, slot)
            for dim in range(rank - 1):
                to[dim * all] = coordinates[dim]
            to[(rank - 1) * all] = first + k
            slot += int64(1) if source[k] != 0 else int64(0)
            k += 1


@native(light=True)
def store_all(out: pointer(int64), array: pointer(T), starts: pointer(int64), shape: pointer(int64), rank: int64,
              rows: int64, length: int64, grain: int64):  # fmt: skip
    parallel_for(store_rows, rows, max(1, grain // length), out, array, starts, shape, rank, starts[rows], length)


@kernel_of("nonzero", least=COUNTED)
def nonzero(array):
    dtype, rank = number_of(array) if type(array) is np.ndarray else None, array.ndim
    if dtype is None or not 0 < rank <= DEEPEST or array.size < COUNTED:
        return None
    length = PART if rank == 1 else array.shape[-1]
    if length < SHORT:
        return None
    array, rows = packed(array.view(np.uint8) if dtype is boolean else array), -(-array.size // length)
    dtype = number_of(array)
    starts = np.zeros(rows + 1, np.int64)
    count_all.machine(dtype)(starts[1:], array, rows, length, array.size, GRAIN)
    np.cumsum(starts, out=starts)
    out = np.empty((rank, int(starts[-1])), np.int64)
    store_all.machine(dtype)(out, array, starts, np.array(array.shape, np.int64), rank, rows, length, GRAIN)
    return out.T


# ---- bincount


@native(light=True)
def bounds_of(bounds: pointer(T), array: pointer(T), length: int64, size: int64, begin: int64, end: int64):
    """Computes minima and maxima of parts, one vector each."""
    for part in range(begin, end):
        source, length_here = offset(array, part * length), min(length, size - part * length)
        least = splat(source[0])
        most = least
        for k in range(0, length_here - length_here % LANES, LANES):
            values = load(source, k)
            least, most = smaller(least, values), larger(most, values)
        for k in range(length_here - length_here % LANES, length_here):
            least, most = smaller(least, splat(source[k])), larger(most, splat(source[k]))
        store(bounds, 2 * LANES * part, least)
        store(bounds, (2 * part + 1) * LANES, most)


@native(light=True)
def all_bounds(bounds: pointer(T), array: pointer(T), parts: int64, length: int64, size: int64, grain: int64):
    parallel_for(bounds_of, parts, max(1, grain // length), bounds, array, length, size)


@native(light=True)
def count_numbers(counts: pointer(int64), array: pointer(T), bins: int64, size: int64):
    """Counts into four copies, since neighbours are often equal."""
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
    """Sums weights into two copies `apart`, since neighbours are often equal; with many sums, into one."""
    second = offset(sums, apart)
    for two in range(size // 2):
        at = 2 * two
        a, b = array[at], array[at + 1]
        sums[a] = sums[a] + float64(weights[at])
        second[b] = second[b] + float64(weights[at + 1])
    if size % 2 != 0:
        a = array[size - 1]
        sums[a] = sums[a] + float64(weights[size - 1])


def sum_weights(indices, weights, bins: int):
    """Returns the sums of the weights at each of `bins` indices; None for other dtypes."""
    dtype = number_of(weights) if type(weights) is np.ndarray else None
    if dtype not in (float32, float64):
        return None
    apart = bins if bins <= BINS else 0
    sums = np.zeros((2 if apart else 1, bins))
    add_weights.machine(dtype)(sums, packed(indices), packed(weights), apart, indices.size)
    return sums.sum(0)


@kernel_of("bincount")
def bincount(array, weights, length):
    dtype = number_of(array) if type(array) is np.ndarray else None
    if dtype is None or dtype.kind not in "iu" or array.ndim != 1 or not array.size:
        return None
    array = packed(array)
    bounds = np.empty((-(-array.size // PART), 2, LANES), array.dtype)
    all_bounds.machine(dtype)(bounds, array, len(bounds), PART, array.size, GRAIN)
    low, high = bounds[:, 0].min(), bounds[:, 1].max()
    if low < 0:
        return None
    bins = max(int(high) + 1, length)
    if weights is not None:
        sums = sum_weights(array.astype(np.int64, copy=False), weights, bins)
        return None if sums is None else sums.astype(weights.dtype)
    if bins > BINS:
        return None
    counts = np.zeros((4, bins), np.int64)
    count_numbers.machine(dtype)(counts, array, bins, array.size)
    return counts.sum(0)


# ---- histograms


@native(light=True)
def count_in_bins(counts: pointer(int64), array: pointer(T), edges: pointer(T), low: T, high: T, span: T, bins: int64,
                  exact: int64, size: int64):  # fmt: skip
    """Counts into four copies, each with an extra bin for values outside; if `exact`, compares with the edges."""
    bins_found = local(int32, 64)
    for begin in range(0, size, LANES):
        many = min(LANES, size - begin)
        x = load_some(array, begin, 0, many)
        inside = (x >= splat(low)) & (x <= splat(high))
        bin_number = int32((select(inside, x, splat(low)) - splat(low)) * splat(T(bins)) / splat(span))
        last = splat(int32(bins - 1))
        store(bins_found, 0, select(inside, select(bin_number > last, last, bin_number), last + int32(1)))
        for k in range(many):
            bin = int64(bins_found[k])
            if exact != 0 and bin < bins:
                if array[begin + k] < edges[bin]:
                    bin -= 1
                elif bin + 1 < bins and array[begin + k] >= edges[bin + 1]:
                    bin += 1
            row = offset(counts, k % 4 * (bins + 1))
            row[bin] = row[bin] + 1


def counts_in_bins(array, edges, low, high, bins: int, exact: bool):
    """Returns the counts of floats in bins of one width; None if there are too many bins."""
    dtype = number_of(array) if type(array) is np.ndarray else None
    if dtype not in (float32, float64) or not 0 < bins <= BINS:
        return None
    counts, scalar = np.zeros((4, bins + 1), np.int64), array.dtype.type
    span = scalar(high - low)
    # A bin number that overflows the dtype is no valid index.
    if not 0 < float(span) * bins < np.finfo(array.dtype).max:
        return None
    bounds = scalar(low), scalar(high), span
    count_in_bins.machine(dtype)(counts, packed(array), edges, *bounds, bins, exact, array.size)
    return counts[:, :-1].sum(0)


@kernel_of("even_counts")
def even_counts(array, low, high, bins):
    counts = counts_in_bins(array, array[:0], low, high, bins, False)
    return None if counts is None else counts.astype(array.dtype)


@kernel_of("counts_between")
def counts_between(array, edges):
    """Counts where bins have one width up to rounding: an element's bin is at most one off."""
    if not _are_even(edges, array):
        return None
    return counts_in_bins(array, packed(edges), edges[0], edges[-1], len(edges) - 1, True)


def _are_even(edges, array) -> bool:
    """Returns whether the bins have one width and their numbers fit the dtype of `array`."""
    widths = np.diff(edges)
    if array.dtype != edges.dtype or not widths.size or widths.min() <= 0 or widths.max() > widths.min() * EVEN:
        return False
    return 0 < float(edges[-1] - edges[0]) * widths.size < np.finfo(array.dtype).max


@native(light=True)
def add_dimension(cells: pointer(int64), array: pointer(T), edges: pointer(T), low: T, high: T, span: T, bins: int64,
                  size: int64):  # fmt: skip
    """Adds a dimension to indices in a grid, counted from 1; 0 is outside."""
    bins_found = local(int32, 64)
    for begin in range(0, size, LANES):
        many = min(LANES, size - begin)
        x = load_some(array, begin, 0, many)
        inside = (x >= splat(low)) & (x <= splat(high))
        bin_number = int32((select(inside, x, splat(low)) - splat(low)) * splat(T(bins)) / splat(span))
        last = splat(int32(bins - 1))
        store(bins_found, 0, select(inside, select(bin_number > last, last, bin_number), last + int32(1)))
        for k in range(many):
            bin, before = int64(bins_found[k]), cells[begin + k]
            if bin >= bins or before == 0:
                cells[begin + k] = 0
            else:
                if array[begin + k] < edges[bin]:
                    bin -= 1
                elif bin + 1 < bins and array[begin + k] >= edges[bin + 1]:
                    bin += 1
                cells[begin + k] = (before - 1) * bins + bin + 1


@kernel_of("counts_in_grid")
def counts_in_grid(points, edges, weights):
    """Counts in a grid whose bins have one width up to rounding, like `counts_between`."""
    dtype, shape = number_of(points) if type(points) is np.ndarray else None, tuple(len(edge) - 1 for edge in edges)
    cells = math.prod(shape)
    if dtype not in (float32, float64) or not 0 < cells <= CELLS or not all(_are_even(edge, points) for edge in edges):
        return None
    cells_of_points, columns = np.ones(len(points), np.int64), np.ascontiguousarray(points.T)
    for column, limits, bins in zip(columns, edges, shape, strict=True):
        low, high, limits = limits[0], limits[-1], packed(limits)
        add_dimension.machine(dtype)(cells_of_points, column, limits, low, high, high - low, bins, cells_of_points.size)
    if weights is not None:
        counts_out = sum_weights(cells_of_points, weights, cells + 1)
    else:
        counts = np.zeros((4, cells + 1), np.int64)
        count_numbers.machine(int64)(counts, cells_of_points, cells + 1, cells_of_points.size)
        counts_out = counts.sum(0)
    return None if counts_out is None else counts_out[1:].reshape(shape)


# ---- runs of equal elements


@native(light=True)
def join_runs(run_count: pointer(int64), values: pointer(T), inverse_out: pointer(int64), ends: pointer(int64),
              array: pointer(T), inverse: int64, counts: int64, size: int64):  # fmt: skip
    """Stores the number of runs, the value of each, the run of each element, and the end of each run."""
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
            inverse_out[at] = run
    if counts != 0:
        ends[run] = size
    run_count[0] = run + 1


@kernel_of("unique_runs", least=COUNTED)
def unique_runs(array, axis, inverse=True, counts=True):
    dtype = number_of(array) if type(array) is np.ndarray else None
    if dtype is None or (axis is not None and array.ndim != 1):
        return None
    run_count, values = np.empty(1, np.int64), np.empty(array.size, array.dtype)
    inverse_out, ends = (np.empty(array.size * wanted, np.int64) for wanted in (inverse, counts))
    join_runs.machine(dtype)(run_count, values, inverse_out, ends, packed(array), inverse, counts, array.size)
    runs = int(run_count[0])
    lengths = np.diff(ends[:runs], prepend=np.int64(0)) if counts else ends
    return values[:runs].copy(), inverse_out.reshape(array.shape) if inverse else inverse_out, lengths
