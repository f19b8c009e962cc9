"""Pooling of raw arrays (batch, channels, *size) over windows: maxima with their indices, means, and the transposes.

Kernel, stride, padding and dilation hold one integer per dimension of the size. Adaptive pooling instead divides each
dimension into `output_size` even boxes, which overlap if there is a remainder. Indices are flat and row-major within a
plane; -1 is the index of a window completely in the padding.
"""

import math
from functools import cached_property, lru_cache
from itertools import product

import numpy as np

from rushlight.arrays.convolution import padded, widened
from rushlight.arrays.reduce import ONES, ones
from rushlight.core.numbers import ARRAY_NUMBERS
from rushlight.core.tables import primitive, xp

# Bytes of input whose windows are compared at a time, so that all steps stay in a core's cache.
TILE = 1 << 19
FEW = (
    1 << 13
)  # window elements; up to this many, one NumPy call for all maxima takes less time than comparing four taps
EVERY = ...  # the index of a tap that is inside the input for every window


def pooled_size(size, kernel, stride, padding, dilation, ceil_mode):
    """Returns the number of windows in one dimension; with `ceil_mode` the last may extend beyond the padded end.

    >>> pooled_size(6, 3, 2, 0, 1, False), pooled_size(6, 3, 2, 0, 1, True)
    (2, 3)
    """
    room = size + 2 * padding - dilation * (kernel - 1) - 1
    count = -(-room // stride) + 1 if ceil_mode else room // stride + 1
    return count - 1 if ceil_mode and (count - 1) * stride >= size + padding else count


# Maxima


@primitive
def max_pool(input, kernel, stride, padding, dilation, ceil_mode=False):
    """Returns `(values, indices)` of the largest element of each window; the first of equals, the last of nans.

    >>> max_pool(np.array([[[3.0, 1.0, 4.0, 1.0, 5.0]]]), (2,), (2,), (0,), (1,), True)
    (array([[[3., 4., 5.]]]), array([[[0, 2, 4]]]))
    """
    few_plan = few_windows(input.shape, kernel, stride, padding, dilation, ceil_mode)
    result = None if few_plan is None else max_of_few(input, few_plan)
    if result is not None:
        return result
    windows = pooled_windows(input.shape[2:], kernel, stride, padding, dilation, ceil_mode)
    counts, sizes = windows.counts, windows.sizes
    if windows.number < windows.taps:
        return max_of_boxes(input, [boxes(count, *setting) for count, setting in zip(counts, sizes, strict=True)])
    return max_of_taps(input, counts, *taps_of(counts, sizes))


@primitive
def max_pool_values(input, kernel, stride, padding, dilation, ceil_mode=False):
    """Returns the largest element of each window, as in `max_pool`, without its index.

    >>> max_pool_values(np.array([[[3.0, 1.0, 4.0, 1.0]]]), (2,), (2,), (0,), (1,))
    array([[[3., 4.]]])
    """
    few_plan = few_windows(input.shape, kernel, stride, padding, dilation, ceil_mode)
    if few_plan is not None:
        values = np.maximum.reduce(widened(input).ravel().take(few_plan.by_tap), 0).reshape(few_plan.shape)
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
    """Returns `(values, indices)` of the largest element of each box, as in `max_pool`.

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
    """The transpose of `take_pooled`: adds each element of `grad` at its index.

    >>> max_pool_input(np.array([[[1.0, 2.0]]]), np.array([[[3, 3]]]), (1, 1, 4))
    array([[[0., 0., 0., 3.]]])
    """
    plane, values, flat_indices = math.prod(input_shape[2:]), by_plane(widened(grad)), by_plane(indices)
    out = np.empty((len(flat_indices), plane), values.dtype)
    for part in parts(len(out), max(plane, flat_indices.shape[1]) * values.itemsize):
        out[part] = sums_by_place(flat_indices[part], values[part], plane)
    return out.reshape(input_shape).astype(grad.dtype, copy=False)


def sums_by_place(indices, values, plane):
    """Sums values by index, row by row, ignoring index -1."""
    positions, inside = indices + row_starts(len(indices), plane), indices >= 0
    if not inside.all():
        positions, values = positions[inside], values[inside]
    return np.bincount(positions.reshape(-1), values.reshape(-1), len(indices) * plane).reshape(-1, plane)


def take_pooled(input, indices):
    """Returns the elements of `input` at the indices of a max pooling, zero for a window without one.

    >>> take_pooled(np.array([[[3.0, 1.0, 4.0]]]), np.array([[[0, 2]]]))
    array([[[3., 4.]]])
    """
    positions = by_plane(indices) + row_starts(math.prod(input.shape[:2]), math.prod(input.shape[2:]))
    taken = input.reshape(-1).take(positions, mode="clip").reshape(indices.shape)
    inside = indices >= 0
    return taken if inside.all() else np.where(inside, taken, np.zeros((), input.dtype))


def max_of_few(input, few):
    """Returns the maxima of a few windows and their indices; None if there is a nan."""
    elements = widened(input).ravel().take(few.by_window)
    winners = elements.argmax(1)
    winners += few.firsts
    values = elements.ravel().take(winners)
    if math.isnan(values.dot(values)):
        return None
    values, indices = values.reshape(few.shape), few.within.take(winners).reshape(few.shape)
    return (values if values.dtype is input.dtype else values.astype(input.dtype)), indices


def max_of_taps(input, counts, taps, origins, offsets):
    """Returns the maxima of many small windows, compared one kernel tap at a time, and their indices."""
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
    """Writes the maxima to `values`; the lowest number if a window has no tap in the input."""
    if all([target is EVERY for target, _ in taps]):
        np.maximum(rows[taps[0][1]], rows[taps[-1][1]], out=values)
        taps = taps[1:-1]
    else:
        values[...] = lowest(rows.dtype)
    for target, source in taps:
        view = values[target]
        np.maximum(view, rows[source], out=view)


def winning_taps(values, rows, taps):
    """Returns the tap with each window's value: the first, or the last nan; the number of taps if none."""
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
    """Returns the maxima of a few large boxes, given as a list of slices for each dimension, and their indices."""
    rows = widened(input).reshape(math.prod(input.shape[:2]), *input.shape[2:])
    values = np.full((len(rows), *map(len, cuts)), lowest(rows.dtype), rows.dtype)
    indices = np.full(values.shape, -1)
    flat_indices = np.arange(math.prod(input.shape[2:])).reshape(input.shape[2:])
    for at in np.ndindex(*map(len, cuts)):
        box = tuple(cut[step] for cut, step in zip(cuts, at, strict=True))
        box_indices = flat_indices[box].reshape(-1)
        if box_indices.size:
            elements = rows[(slice(None), *box)].reshape(len(rows), box_indices.size)
            winners = last_nan_or_first_maximum(elements)
            values[(slice(None), *at)] = elements[np.arange(len(rows)), winners]
            indices[(slice(None), *at)] = box_indices[winners]
    shape = (*input.shape[:2], *values.shape[1:])
    return values.reshape(shape).astype(input.dtype, copy=False), indices.reshape(shape)


def last_nan_or_first_maximum(elements):
    """Returns the column of each row's maximum. NumPy's is the first nan, PyTorch's the last."""
    winners = elements.argmax(1)
    nans = np.isnan(elements[np.arange(len(elements)), winners])
    if nans.any():
        winners[nans] = elements.shape[1] - 1 - np.isnan(elements[nans, ::-1]).argmax(1)
    return winners


def lowest(dtype):
    return -np.inf if dtype.kind == "f" else np.iinfo(dtype).min


def by_plane(array):
    """Reshapes (batch, channels, *size) to (batch * channels, positions)."""
    return array.reshape(math.prod(array.shape[:2]), math.prod(array.shape[2:]))


def row_starts(rows, length):
    return np.arange(0, rows * length, length or 1).reshape(-1, 1) if length else np.zeros((rows, 1), np.int64)


def parts(count, cost):
    """Returns slices that divide `count` rows of `cost` bytes into parts of bounded memory."""
    step = max(1, TILE // max(1, cost))
    return [slice(begin, begin + step) for begin in range(0, count, step)]


# Means


def avg_pool(input, kernel, stride, padding, ceil_mode=False, count_include_pad=True, divisor_override=None):
    """Returns the mean of each window; padding counts as zeros unless `count_include_pad` is false. Integers truncate.

    >>> avg_pool(np.array([[[1.0, 3.0, 5.0, 7.0]]]), (2,), (2,), (1,), count_include_pad=False)
    array([[[1., 4., 7.]]])
    """
    # Whole planes are summed by one product
    if not ceil_mode and input.size <= FEW and input.dtype in ONES and kernel != input.shape[2:]:
        result = mean_of_few(input, kernel, stride, padding, count_include_pad, divisor_override)
        if result is not None:
            return result
    covers, divisor = sliding(input.shape[2:], kernel, stride, padding, ceil_mode, count_include_pad)
    return xp.gather_windows(input, covers, divisor_override or divisor)


def mean_of_few(input, kernel, stride, padding, count_include_pad, divisor):
    """Returns the means of a few windows, none of which extends beyond the input; None for many."""
    if any(padding):
        divisor = divisor or sliding(input.shape[2:], kernel, stride, padding, False, count_include_pad)[1]
        input = padded(input, padding)
        padding = (0,) * len(padding)
    few_plan = few_windows(input.shape, kernel, stride, padding, (1,) * len(kernel), False)
    if few_plan is None:
        return None
    elements = input.ravel().take(few_plan.by_tap)
    sums = ones(len(elements), input.dtype).dot(elements).reshape(few_plan.shape)
    return divided(sums, len(elements) if divisor is None else divisor)


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
    """Returns the mean of each box.

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
    """Sums `input` over the windows, one dimension at a time, and divides."""
    total = widened(input)
    if all([dim_cover.is_whole for dim_cover in covers]):
        ones = np.ones(math.prod(input.shape[2:]), total.dtype)  # a product with ones is the fastest sum of long rows
        total = (by_plane(total) @ ones).reshape(*input.shape[:2], *[1] * len(covers))
    else:
        for dim_cover in covers:
            total = window_sums(total, dim_cover)
    total = divided(total, divisor)
    return total if total.dtype is input.dtype else total.astype(input.dtype)


def window_sums(array, cover):
    """Returns the sums over the windows along one axis."""
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
    """The transpose of `gather_windows`."""
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
    """Divides in the dtype of `total`; integers are rounded towards zero."""
    if total.dtype.kind == "f":
        return total / (
            ARRAY_NUMBERS[total.dtype][divisor] if type(divisor) is int else np.asarray(divisor, total.dtype)
        )
    return xp.truncated_divide(total, divisor).astype(total.dtype, copy=False)


def along(axis, where):
    return (slice(None),) * axis + (where,)


# Where windows are. These plans are the same in every training step, and cost more than pooling a small tensor.


class Windows:
    """Windows of a plane: their number per dimension, and (size, kernel, stride, padding, dilation)."""

    def __init__(self, size, kernel, stride, padding, dilation, ceil_mode):
        self.sizes = tuple(zip(size, kernel, stride, padding, dilation, strict=True))
        self.counts = tuple(pooled_size(*each, ceil_mode) for each in self.sizes)
        self.number, self.taps = math.prod(self.counts), math.prod(kernel)

    def window_indices(self):
        """Returns the flat indices in each window, (windows, taps); None if one is completely in the padding.

        Indices in the padding come last and are replaced by the first one, which changes no maximum.
        """
        positions, inside = np.zeros((1, 1), np.int64), np.ones((1, 1), np.bool_)
        for count, (size, kernel, stride, padding, dilation) in zip(self.counts, self.sizes, strict=True):
            along_dim = (np.arange(count) * stride - padding)[:, None] + np.arange(kernel) * dilation  # (windows, taps)
            positions = positions[:, None, :, None] * size + along_dim[:, None]
            inside = inside[:, None, :, None] & ((along_dim >= 0) & (along_dim < size))[:, None]
            positions, inside = (x.reshape(x.shape[0] * count, -1) for x in (positions, inside))
        if not inside.any(1).all():
            return None
        order = np.argsort(~inside, 1, "stable")
        positions, inside = np.take_along_axis(positions, order, 1), np.take_along_axis(inside, order, 1)
        return np.where(inside, positions, positions[:, :1])


pooled_windows = lru_cache(maxsize=256)(Windows)


class FewWindows:
    """The flat indices of the window elements of a few planes, and the shape of the windows."""

    def __init__(self, shape, windows, indices):
        self.indices, self.shape, self.planes = indices, (*shape[:2], *windows.counts), math.prod(shape[:2])
        self.plane = math.prod(shape[2:])

    @cached_property
    def by_window(self):
        """(planes * windows, taps)"""
        begins = np.arange(0, self.planes * self.plane, self.plane)[:, None, None]
        return (begins + self.indices).reshape(-1, self.indices.shape[1])

    @cached_property
    def by_tap(self):
        """(taps, planes * windows)"""
        begins = np.arange(0, self.planes * self.plane, self.plane)[:, None]
        return (begins + self.indices.T[:, None]).reshape(len(self.indices.T), -1)

    @cached_property
    def within(self):
        """The index within its plane of each element of `by_window`, flattened."""
        return np.tile(self.indices.reshape(-1), self.planes)

    @cached_property
    def firsts(self):
        """Where each window begins in `within`."""
        return np.arange(0, self.within.size, self.indices.shape[1])


@lru_cache(maxsize=32)
def few_windows(shape, kernel, stride, padding, dilation, ceil_mode):
    """Returns the windows for an input shape; None if there are many, or if one is completely in the padding."""
    windows = pooled_windows(shape[2:], kernel, stride, padding, dilation, ceil_mode)
    if not 0 < math.prod(shape[:2]) * windows.number * windows.taps <= FEW:
        return None
    indices = windows.window_indices()
    return None if indices is None else FewWindows(shape, windows, indices)


def taps_of(counts, windows):
    """Returns for each kernel tap where it meets which windows; the windows' origins; the taps' offsets from these.

    `windows` holds (size, kernel, stride, padding, dilation) for each dimension. Results for many windows are not
    cached.
    """
    return (_taps_of if math.prod(counts) <= FEW else _taps_of.__wrapped__)(counts, windows)


@lru_cache(maxsize=256)
def _taps_of(counts, windows):
    size, kernel, stride, padding, dilation = zip(*windows, strict=True)
    by_dimension = [window_taps(count, *setting) for count, setting in zip(counts, windows, strict=True)]
    pairs = [tuple(zip(*choice, strict=True)) for choice in product(*by_dimension)]
    whole = tuple(slice(0, count) for count in counts)
    taps = [
        (EVERY if targets == whole else (slice(None), *targets), (slice(None), *sources)) for targets, sources in pairs
    ]
    origins = grid([-pad for pad in padding], counts, stride, size)
    offsets = grid([0] * len(size), kernel, dilation, size)
    return taps, origins, np.append(offsets, 0)  # the last one for a window that no tap meets


class Cover(list):
    """The windows of a dimension: pairs (index of windows, index of the input), along `axis`.

    A pair is one window and all its elements (`by_window`), or one tap and all windows that it meets.
    """

    __hash__ = object.__hash__  # plans are cached, and used as keys of further caches

    def __init__(self, axis, size, pairs, by_window=False):
        super().__init__([(along(axis, target), along(axis, source)) for target, source in pairs])
        self.axis, self.size, self.pairs, self.by_window = axis, size, pairs, by_window
        self.count = max([target.stop for target, _ in pairs], default=0)
        self.begins_with_all = len(pairs) > 1 and pairs[0][0] == pairs[1][0] == slice(0, self.count)
        met = np.zeros(size, np.int64)
        for _, source in pairs:
            met[source] += 1
        self.is_apart = bool((met == 1).all())  # whether every index is in exactly one window
        self.is_whole = by_window and self.count == 1 and self.is_apart


@lru_cache(maxsize=256)
def sliding(sizes, kernels, strides, paddings, ceil_mode, count_include_pad):
    """Returns for each dimension the cover of its windows, and the divisor."""
    covers, lengths = [], []
    for axis, settings in enumerate(zip(sizes, kernels, strides, paddings, strict=True), 2):
        size, kernel, stride, padding = settings
        count = pooled_size(size, kernel, stride, padding, 1, ceil_mode)
        covers.append(cover(axis, count, size, kernel, stride, padding))
        begin = np.arange(count) * stride - padding
        end = np.minimum(begin + kernel, size + padding)
        lengths.append(end - begin if count_include_pad else np.minimum(end, size) - np.maximum(begin, 0))
    return covers, divisor_of(lengths)


@lru_cache(maxsize=256)
def adaptive(size, output_size):
    """Returns for each dimension the cover of its boxes, and the divisor."""
    cuts = [even_boxes(*pair) for pair in zip(size, output_size, strict=True)]
    divisor = divisor_of([np.array([box.stop - box.start for box in cut]) for cut in cuts])
    covers = [by_window(axis, whole, cut) for axis, (whole, cut) in enumerate(zip(size, cuts, strict=True), 2)]
    for dim, (whole, count) in enumerate(zip(size, output_size, strict=True)):
        if count > 1 and whole % count == 0:
            covers[dim] = cover(dim + 2, count, whole, whole // count, whole // count, 0)
    return covers, divisor


def cover(axis, count, size, kernel, stride, padding):
    """Returns the cover of windows: by taps, or by windows if there are fewer."""
    if kernel <= count:
        return Cover(axis, size, window_taps(count, size, kernel, stride, padding, 1))
    return by_window(axis, size, boxes(count, size, kernel, stride, padding, 1))


def by_window(axis, size, boxes):
    """Returns the cover of consecutive windows that are these boxes."""
    return Cover(axis, size, [(slice(at, at + 1), box) for at, box in enumerate(boxes)], True)


def divisor_of(lengths):
    """The number of elements in each window, given how many it has per dimension; one int if all are equal."""
    if all(length.size and np.all(length == length[0]) for length in lengths):
        return math.prod(int(length[0]) for length in lengths)
    return math.prod(length.reshape(-1, *[1] * after) for after, length in enumerate(reversed(lengths)))


def window_taps(count, size, kernel, stride, padding, dilation):
    """Returns for each tap of a kernel the windows in which it is in the input, and where."""
    return [overlap(tap * dilation - padding, stride, count, size) for tap in range(kernel)]


def boxes(count, size, kernel, stride, padding, dilation):
    """Returns the part of each window that is in the input."""
    return [overlap(at * stride - padding, dilation, kernel, size)[1] for at in range(count)]


def even_boxes(size, count):
    """Returns `count` boxes that together cover all positions, each from a rounded-down to a rounded-up bound."""
    return [slice(at * size // count, -(-(at + 1) * size // count)) for at in range(count)]


def overlap(start, step, count, size):
    """Returns which of `start + step * range(count)` are in `range(size)`: slices of the count and of the values."""
    first, last = max(0, -(start // step)), min(count, -((start - size) // step))
    if first >= last:
        return slice(0, 0), slice(0, 0)
    return slice(first, last), slice(start + first * step, start + (last - 1) * step + 1, step)


def grid(begins, counts, steps, size):
    """Returns the flat indices for `begin + range(count) * step` in all dimensions."""
    total = np.zeros((1,) * len(size), np.int64)
    for dim, (begin, count, step) in enumerate(zip(begins, counts, steps, strict=True)):
        offsets = (begin + np.arange(count) * step) * math.prod(size[dim + 1 :])
        total = total + offsets.reshape(-1, *[1] * (len(size) - 1 - dim))
    return total
