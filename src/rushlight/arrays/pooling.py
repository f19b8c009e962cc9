"""Pooling of raw arrays (batch, channels, *size) over windows: maxima with their positions, means, and the transposes.

Kernel, stride, padding and dilation hold one number per dimension of the size. An adaptive pooling instead cuts each
dimension into `output_size` even boxes, which overlap where the division leaves a rest. A position is counted through
the dimensions of the size in row-major order; -1 stands for that of a window that lies wholly in the padding.
"""

import math
from functools import cached_property, lru_cache
from itertools import product

import numpy as np

from rushlight.arrays.convolution import padded, widened
from rushlight.arrays.reduce import ONES, ones
from rushlight.core.numbers import ARRAY_NUMBERS
from rushlight.core.tables import primitive, xp

# Bytes of input whose windows are compared at a time, few enough for all the steps to stay in a core's cache.
TILE = 1 << 19
FEW = 1 << 13  # elements of windows, of which NumPy finds the maxima in one call before it has looked at four taps
EVERY = ...  # the index of a tap that meets every window


def pooled_size(size, kernel, stride, padding, dilation, ceil_mode):
    """How many windows one dimension of `size` holds; with `ceil_mode` a last one may overhang the padded end.

    >>> pooled_size(6, 3, 2, 0, 1, False), pooled_size(6, 3, 2, 0, 1, True)
    (2, 3)
    """
    room = size + 2 * padding - dilation * (kernel - 1) - 1
    count = -(-room // stride) + 1 if ceil_mode else room // stride + 1
    return count - 1 if ceil_mode and (count - 1) * stride >= size + padding else count


# Maxima


@primitive
def max_pool(input, kernel, stride, padding, dilation, ceil_mode=False):
    """The largest element of each window and its position: `(values, indices)`; of equals the first, of nans the last.

    >>> max_pool(np.array([[[3.0, 1.0, 4.0, 1.0, 5.0]]]), (2,), (2,), (0,), (1,), True)
    (array([[[3., 4., 5.]]]), array([[[0, 2, 4]]]))
    """
    few = few_windows(input.shape, kernel, stride, padding, dilation, ceil_mode)
    found = None if few is None else max_of_few(input, few)
    if found is not None:
        return found
    windows = pooled_windows(input.shape[2:], kernel, stride, padding, dilation, ceil_mode)
    counts, sizes = windows.counts, windows.sizes
    if windows.number < windows.taps:
        return max_of_boxes(input, [boxes(count, *each) for count, each in zip(counts, sizes, strict=True)])
    return max_of_taps(input, counts, *taps_of(counts, sizes))


@primitive
def max_pool_values(input, kernel, stride, padding, dilation, ceil_mode=False):
    """The largest element of each window, as in `max_pool`, without its position.

    >>> max_pool_values(np.array([[[3.0, 1.0, 4.0, 1.0]]]), (2,), (2,), (0,), (1,))
    array([[[3., 4.]]])
    """
    few = few_windows(input.shape, kernel, stride, padding, dilation, ceil_mode)
    if few is not None:
        values = np.maximum.reduce(widened(input).ravel().take(few.by_tap), 0).reshape(few.shape)
        return values if values.dtype is input.dtype else values.astype(input.dtype)
    windows = pooled_windows(input.shape[2:], kernel, stride, padding, dilation, ceil_mode)
    if windows.number < windows.taps:
        return xp.max_pool(input, kernel, stride, padding, dilation, ceil_mode)[0]
    rows = widened(input).reshape(math.prod(input.shape[:2]), *input.shape[2:])
    values = np.empty((len(rows), *windows.counts), rows.dtype)
    highest_of_taps(values, rows, taps_of(windows.counts, windows.sizes)[0])
    return values.reshape((*input.shape[:2], *windows.counts)).astype(input.dtype, copy=False)


@primitive
def adaptive_max_pool(input, output_size):
    """The largest element of each box and its position: `(values, indices)`, as in `max_pool`.

    >>> adaptive_max_pool(np.array([[[3.0, 1.0, 4.0, 1.0, 5.0]]]), (2,))
    (array([[[4., 5.]]]), array([[[2, 4]]]))
    """
    pairs = tuple(zip(input.shape[2:], output_size, strict=True))
    if all(count and size % count == 0 for size, count in pairs):
        kernel = tuple(size // count for size, count in pairs)
        return xp.max_pool(input, kernel, kernel, (0,) * len(kernel), (1,) * len(kernel))
    return max_of_boxes(input, [even_boxes(size, count) for size, count in pairs])


@primitive
def max_pool_input(grad, indices, input_shape):
    """The transpose of `take_pooled`: adds each element of `grad` at the position that its index names.

    >>> max_pool_input(np.array([[[1.0, 2.0]]]), np.array([[[3, 3]]]), (1, 1, 4))
    array([[[0., 0., 0., 3.]]])
    """
    plane, values, places = math.prod(input_shape[2:]), by_plane(widened(grad)), by_plane(indices)
    out = np.empty((len(places), plane), values.dtype)
    for part in parts(len(out), max(plane, places.shape[1]) * values.itemsize):
        out[part] = sums_by_place(places[part], values[part], plane)
    return out.reshape(input_shape).astype(grad.dtype, copy=False)


def sums_by_place(places, values, plane):
    """What arrives at each place of a plane, row by row; nothing arrives at -1."""
    positions, inside = places + row_starts(len(places), plane), places >= 0
    if not inside.all():
        positions, values = positions[inside], values[inside]
    return np.bincount(positions.reshape(-1), values.reshape(-1), len(places) * plane).reshape(-1, plane)


def take_pooled(input, indices):
    """The elements of `input` at the positions that a max pooling found, zero for a window without one.

    >>> take_pooled(np.array([[[3.0, 1.0, 4.0]]]), np.array([[[0, 2]]]))
    array([[[3., 4.]]])
    """
    positions = by_plane(indices) + row_starts(math.prod(input.shape[:2]), math.prod(input.shape[2:]))
    taken = input.reshape(-1).take(positions, mode="clip").reshape(indices.shape)
    inside = indices >= 0
    return taken if inside.all() else np.where(inside, taken, np.zeros((), input.dtype))


def max_of_few(input, few):
    """The maxima of a few windows and their positions; None if there is a nan."""
    elements = widened(input).ravel().take(few.by_window)
    winners = elements.argmax(1)
    winners += few.firsts
    values = elements.ravel().take(winners)
    if math.isnan(values.dot(values)):
        return None
    values, indices = values.reshape(few.shape), few.within.take(winners).reshape(few.shape)
    return (values if values.dtype is input.dtype else values.astype(input.dtype)), indices


def max_of_taps(input, counts, taps, origins, offsets):
    """The maxima of many small windows, compared a tap of the kernel at a time, and their positions."""
    rows = widened(input).reshape(math.prod(input.shape[:2]), *input.shape[2:])
    values, indices = np.empty((len(rows), *counts), rows.dtype), np.empty((len(rows), *counts), np.int64)
    for part in parts(len(rows), math.prod(rows.shape[1:]) * rows.itemsize):
        highest_of_taps(values[part], rows[part], taps)
        winners, are_all_there = winning_taps(values[part], rows[part], taps)
        np.add(origins, offsets[winners], out=indices[part])
        if not are_all_there:
            indices[part][winners == len(taps)] = -1
    shape = (*input.shape[:2], *counts)
    return values.reshape(shape).astype(input.dtype, copy=False), indices.reshape(shape)


def highest_of_taps(values, rows, taps):
    """The maxima, into `values`; the lowest number where a window meets no tap."""
    if all([target is EVERY for target, _ in taps]):
        np.maximum(rows[taps[0][1]], rows[taps[-1][1]], out=values)
        taps = taps[1:-1]
    else:
        values[...] = lowest(rows.dtype)
    for target, source in taps:
        view = values[target]
        np.maximum(view, rows[source], out=view)


def winning_taps(values, rows, taps):
    """Which tap of each window holds its value: the first that does, or the last nan; if none, the number of taps."""
    winners = np.full(values.shape, len(taps), np.min_scalar_type(len(taps)))
    for tap in reversed(range(len(taps))):
        target, source = taps[tap]
        np.putmask(winners[target], values[target] == rows[source], tap)
    are_all_there = np.maximum.reduce(winners, None, initial=0) < len(taps)
    if not are_all_there:
        for tap, (target, source) in enumerate(taps):
            np.putmask(winners[target], np.isnan(rows[source]), tap)
    return winners, are_all_there


def max_of_boxes(input, cuts):
    """The maxima of a few large boxes, given as a list of slices for each dimension, and their positions."""
    rows = widened(input).reshape(math.prod(input.shape[:2]), *input.shape[2:])
    values = np.full((len(rows), *map(len, cuts)), lowest(rows.dtype), rows.dtype)
    indices = np.full(values.shape, -1)
    places = np.arange(math.prod(input.shape[2:])).reshape(input.shape[2:])
    for at in np.ndindex(*map(len, cuts)):
        box = tuple(cut[step] for cut, step in zip(cuts, at, strict=True))
        place = places[box].reshape(-1)
        if place.size:
            elements = rows[(slice(None), *box)].reshape(len(rows), place.size)
            winners = last_nan_or_first_maximum(elements)
            values[(slice(None), *at)] = elements[np.arange(len(rows)), winners]
            indices[(slice(None), *at)] = place[winners]
    shape = (*input.shape[:2], *values.shape[1:])
    return values.reshape(shape).astype(input.dtype, copy=False), indices.reshape(shape)


def last_nan_or_first_maximum(elements):
    """The column of each row's maximum. NumPy's is the first nan, PyTorch's the last."""
    winners = elements.argmax(1)
    nans = np.isnan(elements[np.arange(len(elements)), winners])
    if nans.any():
        winners[nans] = elements.shape[1] - 1 - np.isnan(elements[nans, ::-1]).argmax(1)
    return winners


def lowest(dtype):
    return -np.inf if dtype.kind == "f" else np.iinfo(dtype).min


def by_plane(array):
    """(batch, channels, *size) as (batch * channels, positions)."""
    return array.reshape(math.prod(array.shape[:2]), math.prod(array.shape[2:]))


def row_starts(rows, length):
    return np.arange(0, rows * length, length or 1).reshape(-1, 1) if length else np.zeros((rows, 1), np.int64)


def parts(count, cost):
    """Slices that cut `count` rows of `cost` bytes into parts of bounded memory."""
    step = max(1, TILE // max(1, cost))
    return [slice(begin, begin + step) for begin in range(0, count, step)]


# Means


def avg_pool(input, kernel, stride, padding, ceil_mode=False, count_include_pad=True, divisor_override=None):
    """The mean of each window; padding counts as zeros unless `count_include_pad` is false. Integers truncate.

    >>> avg_pool(np.array([[[1.0, 3.0, 5.0, 7.0]]]), (2,), (2,), (1,), count_include_pad=False)
    array([[[1., 4., 7.]]])
    """
    # Whole planes are summed by one product
    if not ceil_mode and input.size <= FEW and input.dtype in ONES and kernel != input.shape[2:]:
        found = mean_of_few(input, kernel, stride, padding, count_include_pad, divisor_override)
        if found is not None:
            return found
    covers, divisor = sliding(input.shape[2:], kernel, stride, padding, ceil_mode, count_include_pad)
    return xp.gather_windows(input, covers, divisor_override or divisor)


def mean_of_few(input, kernel, stride, padding, count_include_pad, divisor):
    """The means of a few windows, none of which overhangs; None for many."""
    if any(padding):
        divisor = divisor or sliding(input.shape[2:], kernel, stride, padding, False, count_include_pad)[1]
        input = padded(input, padding)
        padding = (0,) * len(padding)
    few = few_windows(input.shape, kernel, stride, padding, (1,) * len(kernel), False)
    if few is None:
        return None
    elements = input.ravel().take(few.by_tap)
    found = ones(len(elements), input.dtype).dot(elements).reshape(few.shape)
    return divided(found, len(elements) if divisor is None else divisor)


def avg_pool_input(
    grad, input_shape, kernel, stride, padding, ceil_mode=False, count_include_pad=True, divisor_override=None
):
    """The transpose of `avg_pool`: spreads each mean's `grad` evenly over its window.

    >>> avg_pool_input(np.array([[[2.0, 4.0]]]), (1, 1, 4), (2,), (2,), (0,))
    array([[[1., 1., 2., 2.]]])
    """
    covers, divisor = sliding(tuple(input_shape[2:]), kernel, stride, padding, ceil_mode, count_include_pad)
    return xp.spread_windows(grad, input_shape, covers, divisor_override or divisor)


def adaptive_avg_pool(input, output_size):
    """The mean of each box.

    >>> adaptive_avg_pool(np.array([[[1.0, 3.0, 5.0]]]), (2,))
    array([[[2., 4.]]])
    """
    return xp.gather_windows(input, *adaptive(tuple(input.shape[2:]), tuple(output_size)))


def adaptive_avg_pool_input(grad, input_shape):
    """The transpose of `adaptive_avg_pool`, whose output had the shape of `grad`.

    >>> adaptive_avg_pool_input(np.array([[[2.0, 4.0]]]), (1, 1, 3))
    array([[[1., 3., 2.]]])
    """
    return xp.spread_windows(grad, input_shape, *adaptive(tuple(input_shape[2:]), tuple(grad.shape[2:])))


@primitive
def gather_windows(input, covers, divisor):
    """Sums `input` over the windows, a dimension at a time, and divides."""
    total = widened(input)
    if all([each.is_whole for each in covers]):
        ones = np.ones(math.prod(input.shape[2:]), total.dtype)  # a product with ones is the fastest sum of long rows
        total = (by_plane(total) @ ones).reshape(*input.shape[:2], *[1] * len(covers))
    else:
        for each in covers:
            total = window_sums(total, each)
    total = divided(total, divisor)
    return total if total.dtype is input.dtype else total.astype(input.dtype)


def window_sums(array, cover):
    """The sums over the windows along one axis."""
    rest = cover
    if cover.begins_with_all:
        (_, first), (_, second), *rest = cover
        out = array[first] + array[second]
    else:
        axis = cover.axis
        out = np.zeros((*array.shape[:axis], cover.count, *array.shape[axis + 1 :]), array.dtype)
    for target, source in rest:
        out[target] += array[source].sum(cover.axis, out.dtype, keepdims=True) if cover.by_window else array[source]
    return out


@primitive
def spread_windows(grad, input_shape, covers, divisor):
    """The transpose of `gathered`."""
    total = divided(widened(grad), divisor)
    for cover in reversed(covers):
        axis = cover.axis
        make = np.empty if cover.is_apart else np.zeros
        out = make((*total.shape[:axis], input_shape[axis], *total.shape[axis + 1 :]), total.dtype)
        for target, source in cover:
            if cover.is_apart:
                out[source] = total[target]
            else:
                out[source] += total[target]
        total = out
    return total if total.dtype is grad.dtype else total.astype(grad.dtype)


def divided(total, divisor):
    """The quotient in the dtype of `total`; that of integers is rounded towards zero."""
    if total.dtype.kind == "f":
        return total / (
            ARRAY_NUMBERS[total.dtype][divisor] if type(divisor) is int else np.asarray(divisor, total.dtype)
        )
    return xp.truncated_divide(total, divisor).astype(total.dtype, copy=False)


def along(axis, where):
    return (slice(None),) * axis + (where,)


# Where windows lie. The plans are the same in every step of a training, and cost more than pooling a few numbers.


class Windows:
    """Windows of a plane: how many each dimension holds, of (size, kernel, stride, padding, dilation)."""

    def __init__(self, size, kernel, stride, padding, dilation, ceil_mode):
        self.sizes = tuple(zip(size, kernel, stride, padding, dilation, strict=True))
        self.counts = tuple(pooled_size(*each, ceil_mode) for each in self.sizes)
        self.number, self.taps = math.prod(self.counts), math.prod(kernel)

    def places(self):
        """The positions in each window, (windows, taps); None if one lies wholly in the padding.

        In the place of those in the padding, which stand last, is the first one again: that changes no maximum.
        """
        positions, inside = np.zeros((1, 1), np.int64), np.ones((1, 1), np.bool_)
        for count, (size, kernel, stride, padding, dilation) in zip(self.counts, self.sizes, strict=True):
            places = (np.arange(count) * stride - padding)[:, None] + np.arange(kernel) * dilation  # (windows, taps)
            positions = positions[:, None, :, None] * size + places[:, None]
            inside = inside[:, None, :, None] & ((places >= 0) & (places < size))[:, None]
            positions, inside = (each.reshape(each.shape[0] * count, -1) for each in (positions, inside))
        if not inside.any(1).all():
            return None
        order = np.argsort(~inside, 1, "stable")
        positions, inside = np.take_along_axis(positions, order, 1), np.take_along_axis(inside, order, 1)
        return np.where(inside, positions, positions[:, :1])


pooled_windows = lru_cache(maxsize=256)(Windows)


class FewWindows:
    """Where in the memory of a few planes the elements of their windows lie, and the shape that the windows have."""

    def __init__(self, shape, windows, places):
        self.places, self.shape, self.planes = places, (*shape[:2], *windows.counts), math.prod(shape[:2])
        self.plane = math.prod(shape[2:])

    @cached_property
    def by_window(self):
        """(planes * windows, taps)"""
        begins = np.arange(0, self.planes * self.plane, self.plane)[:, None, None]
        return (begins + self.places).reshape(-1, self.places.shape[1])

    @cached_property
    def by_tap(self):
        """(taps, planes * windows)"""
        begins = np.arange(0, self.planes * self.plane, self.plane)[:, None]
        return (begins + self.places.T[:, None]).reshape(len(self.places.T), -1)

    @cached_property
    def within(self):
        """Where in its plane each element of `by_window` lies, in one line."""
        return np.tile(self.places.reshape(-1), self.planes)

    @cached_property
    def firsts(self):
        """Where in that line each window begins."""
        return np.arange(0, self.within.size, self.places.shape[1])


@lru_cache(maxsize=32)
def few_windows(shape, kernel, stride, padding, dilation, ceil_mode):
    """The windows of an input of a shape; None if they are not few, or if one lies wholly in the padding."""
    windows = pooled_windows(shape[2:], kernel, stride, padding, dilation, ceil_mode)
    if not 0 < math.prod(shape[:2]) * windows.number * windows.taps <= FEW:
        return None
    places = windows.places()
    return None if places is None else FewWindows(shape, windows, places)


def taps_of(counts, windows):
    """For each tap of the kernel where it meets which windows; the windows' origins; the taps' distance from these.

    `windows` holds (size, kernel, stride, padding, dilation) for each dimension. Those of many windows are not kept.
    """
    return (_taps_of if math.prod(counts) <= FEW else _taps_of.__wrapped__)(counts, windows)


@lru_cache(maxsize=256)
def _taps_of(counts, windows):
    size, kernel, stride, padding, dilation = zip(*windows, strict=True)
    by_dimension = [window_taps(count, *each) for count, each in zip(counts, windows, strict=True)]
    pairs = [tuple(zip(*choice, strict=True)) for choice in product(*by_dimension)]
    whole = tuple(slice(0, count) for count in counts)
    taps = [
        (EVERY if targets == whole else (slice(None), *targets), (slice(None), *sources)) for targets, sources in pairs
    ]
    origins = grid([-pad for pad in padding], counts, stride, size)
    offsets = grid([0] * len(size), kernel, dilation, size)
    return taps, origins, np.append(offsets, 0)  # the last one for a window that no tap meets


class Cover(list):
    """Where the windows of a dimension of `size` lie: pairs (index of windows, index of the input), along `axis`.

    A pair is of one window and all that lies in it (`by_window`), or of one tap and all windows that it meets.
    """

    __hash__ = object.__hash__  # plans are kept, and what is made of them is kept by them

    def __init__(self, axis, size, pairs, by_window=False):
        super().__init__([(along(axis, target), along(axis, source)) for target, source in pairs])
        self.axis, self.size, self.pairs, self.by_window = axis, size, pairs, by_window
        self.count = max([target.stop for target, _ in pairs], default=0)
        self.begins_with_all = len(pairs) > 1 and pairs[0][0] == pairs[1][0] == slice(0, self.count)
        met = np.zeros(size, np.int64)
        for _, source in pairs:
            met[source] += 1
        self.is_apart = bool((met == 1).all())  # whether every place is in one window
        self.is_whole = by_window and self.count == 1 and self.is_apart


@lru_cache(maxsize=256)
def sliding(sizes, kernels, strides, paddings, ceil_mode, count_include_pad):
    """For each dimension the cover of its windows, and by how much to divide."""
    covers, lengths = [], []
    for axis, each in enumerate(zip(sizes, kernels, strides, paddings, strict=True), 2):
        size, kernel, stride, padding = each
        count = pooled_size(size, kernel, stride, padding, 1, ceil_mode)
        covers.append(cover(axis, count, size, kernel, stride, padding))
        begin = np.arange(count) * stride - padding
        end = np.minimum(begin + kernel, size + padding)
        lengths.append(end - begin if count_include_pad else np.minimum(end, size) - np.maximum(begin, 0))
    return covers, divisor_of(lengths)


@lru_cache(maxsize=256)
def adaptive(size, output_size):
    """For each dimension the cover of its boxes, and by how much to divide."""
    cuts = [even_boxes(*each) for each in zip(size, output_size, strict=True)]
    divisor = divisor_of([np.array([box.stop - box.start for box in cut]) for cut in cuts])
    covers = [by_window(axis, whole, cut) for axis, (whole, cut) in enumerate(zip(size, cuts, strict=True), 2)]
    for dim, (whole, count) in enumerate(zip(size, output_size, strict=True)):
        if count > 1 and whole % count == 0:
            covers[dim] = cover(dim + 2, count, whole, whole // count, whole // count, 0)
    return covers, divisor


def cover(axis, count, size, kernel, stride, padding):
    """Where windows lie: by taps, or by windows if they are fewer."""
    if kernel <= count:
        return Cover(axis, size, window_taps(count, size, kernel, stride, padding, 1))
    return by_window(axis, size, boxes(count, size, kernel, stride, padding, 1))


def by_window(axis, size, boxes):
    """Windows that are these boxes, one after the other."""
    return Cover(axis, size, [(slice(at, at + 1), box) for at, box in enumerate(boxes)], True)


def divisor_of(lengths):
    """The number of elements in each window, given how many it has per dimension; one number if all are equal."""
    if all(length.size and np.all(length == length[0]) for length in lengths):
        return math.prod(int(length[0]) for length in lengths)
    return math.prod(length.reshape(-1, *[1] * after) for after, length in enumerate(reversed(lengths)))


def window_taps(count, size, kernel, stride, padding, dilation):
    """For each tap of a kernel, the windows it meets the input in, and where it does."""
    return [overlap(tap * dilation - padding, stride, count, size) for tap in range(kernel)]


def boxes(count, size, kernel, stride, padding, dilation):
    """The part of each window that lies in the input."""
    return [overlap(at * stride - padding, dilation, kernel, size)[1] for at in range(count)]


def even_boxes(size, count):
    """`count` boxes that together hold every position, each from a rounded-down to a rounded-up bound."""
    return [slice(at * size // count, -(-(at + 1) * size // count)) for at in range(count)]


def overlap(start, step, count, size):
    """Which of `start + step * range(count)` lie in `range(size)`: a slice of the count and the slice they make."""
    first, last = max(0, -(start // step)), min(count, -((start - size) // step))
    if first >= last:
        return slice(0, 0), slice(0, 0)
    return slice(first, last), slice(start + first * step, start + (last - 1) * step + 1, step)


def grid(begins, counts, steps, size):
    """The positions `begin + range(count) * step` of all dimensions together, each counted through `size`."""
    total = np.zeros((1,) * len(size), np.int64)
    for dim, (begin, count, step) in enumerate(zip(begins, counts, steps, strict=True)):
        places = (begin + np.arange(count) * step) * math.prod(size[dim + 1 :])
        total = total + places.reshape(-1, *[1] * (len(size) - 1 - dim))
    return total
