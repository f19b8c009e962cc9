"""Convolution and its two transposes on raw arrays, for one, two or three spatial dimensions.

The sum, with zeros outside the input:
    out[n, o, p] = sum over c and k of weight[o, c, k] * input[n, c, p * stride - padding + k * dilation]

Tile by tile, windows are copied to columns, and BLAS multiplies them with the weight. The gradient of the input
multiplies first and adds the columns back to the windows; the gradient of the weight multiplies with the same columns.
Source: Chellapilla, Puri and Simard, "High performance convolutional neural networks for document processing", 2006.
"""

import math
from functools import lru_cache
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy import ascontiguousarray

from rushlight.arrays.layouts import channels_are_last, channels_inside, channels_outside
from rushlight.core.policy import MEDIUM, WAITING, notice
from rushlight.core.tables import primitive, xp

# Bytes of columns. A tile that fits a core's second-level cache is multiplied at full speed; but with fewer than WIDE
# columns, reading the weight again for each tile costs more than leaving the cache.
SMALL_TILE = 1 << 19
LARGE_TILE = 1 << 23
WIDE = 256
GATHERED = 1 << 14  # elements of columns up to which gathering by index is faster than making a view of the windows
FEW = 1 << 15  # elements of columns up to which copying is faster than adding the taps one by one


@primitive
def convolve(input, weight, stride, padding, dilation, groups, bias=None):
    """Slides `weight` (out, channels / groups, *kernel) over `input` (batch, channels, *size): a cross-correlation.

    `bias` has an element per output channel. `stride`, `padding` and `dilation` hold one integer per spatial dimension.
    Half precision is summed in float32 and rounded once; integers wrap.

    >>> convolve(np.arange(5.0).reshape(1, 1, 5), np.ones((1, 1, 2)), (2,), (1,), (1,), 1)
    array([[[0., 3., 7.]]])
    """
    few_plan = few_windows(input.shape, weight.shape[2:], stride, padding, dilation) if groups == 1 else None
    if few_plan is not None:
        return convolve_few(few_plan, input, weight, bias)
    if bias is not None:
        return biased(xp.convolve(input, weight, stride, padding, dilation, groups), bias)
    if takes_rows(input, weight.shape, stride, padding, groups):
        strided_input = spaced(input, stride)
        return from_rows(
            channel_rows(strided_input) @ weight_rows(widened(weight), 1)[0].T, strided_input.shape, input.dtype
        )
    wide, rows = widened(input), weight_rows(widened(weight), groups)
    if takes_all(input.shape, weight.shape, padding):
        return from_images(by_image(wide, groups) @ rows.mT, (len(input), len(weight), *[1] * (input.ndim - 2)), input)
    windows = windows_of(padded(wide, padding), weight.shape[2:], stride, dilation)
    shape = (len(input), len(weight), *windows.shape[input.ndim :])
    if takes_positions(shape, input.shape, weight.shape, padding):
        return (rows @ by_group(wide, groups)).reshape(shape).astype(input.dtype, copy=False)
    if groups == 1 and windows.nbytes <= SMALL_TILE:
        columns = columns_at(windows, (), 1)[0]
        out = np.dot(rows[0], columns).reshape(shape[1], shape[0], *shape[2:]).swapaxes(0, 1)
        return np.ascontiguousarray(out).astype(input.dtype, copy=False)
    out = np.empty(shape, input.dtype)
    for tile in tiles(windows):
        target = channels_at(out, tile)
        target[...] = (rows @ columns_at(windows, tile, groups)).reshape(target.shape)
    return out


def convolve_few(few_plan, input, weight, bias):
    """`convolve` for few windows and one group."""
    out = np.dot(weight_rows(widened(weight), 1)[0], few_plan.columns(widened(input)))
    is_final = out.dtype == input.dtype
    if bias is not None and is_final:
        out += bias[:, None]
    out = np.ascontiguousarray(out.reshape(len(weight), len(input), *few_plan.sizes).swapaxes(0, 1))
    if is_final:
        return out
    out = out.astype(input.dtype)
    return out if bias is None else biased(out, bias)


def biased(out, bias):
    """Adds an element of `bias` to each channel, in place."""
    out += bias.reshape(-1, *[1] * (out.ndim - 2))
    return out


@primitive
def convolve_input(grad, weight, input_shape, stride, padding, dilation, groups, bias=None):
    """The gradient of the input of `convolve`: spreads `grad` (batch, out, *positions) over `input_shape`.

    It is also the transposed convolution of `grad`, with `bias`. Nothing is conjugated.

    >>> convolve_input(np.ones((1, 1, 3)), np.ones((1, 1, 2)), (1, 1, 4), (1,), (0,), (1,), 1)
    array([[[1., 2., 2., 1.]]])
    """
    settings = stride, padding, dilation
    if bias is None and takes_rows(grad, weight.shape, stride, padding, groups):
        return spread_rows(grad, weight, input_shape, stride)
    if dims := covered_dims(input_shape, weight.shape, padding):
        return convolve_input_covered(xp.convolve_input, dims, grad, weight, bias, input_shape, *settings, groups)
    if bias is not None:
        return biased(xp.convolve_input(grad, weight, input_shape, *settings, groups), bias)
    opposite = mirrored_padding(grad.shape, weight.shape, input_shape, stride, padding, dilation)
    if opposite is not None:
        return xp.convolve(grad, mirrored(weight, groups), stride, opposite, dilation, groups)
    wide, rows = widened(grad), weight_rows(widened(weight), groups).mT
    if takes_positions(grad.shape, input_shape, weight.shape, padding):
        return (rows @ by_group(wide, groups)).reshape(input_shape).astype(grad.dtype, copy=False)
    out = np.zeros((*input_shape[:2], *padded_size(input_shape, padding)), wide.dtype)
    windows = windows_of(out, weight.shape[2:], stride, dilation)[(..., *map(slice, grad.shape[2:]))]
    for tile in tiles(windows):
        piece = grouped(channels_at(wide, tile), groups)
        columns = rows * piece if rows.shape[2] == 1 else rows @ piece
        add_by_tap(windows[(..., *tile)], columns)
    return out[inner(input_shape, padding)].astype(grad.dtype, copy=any(padding))


@primitive
def convolve_weight(grad, input, weight_shape, stride, padding, dilation, groups):
    """The gradient of the weight of `convolve`: sums of input windows times `grad`; nothing is conjugated.

    >>> convolve_weight(np.ones((1, 1, 3)), np.arange(4.0).reshape(1, 1, 4), (1, 1, 2), (1,), (0,), (1,), 1)
    array([[[3., 6.]]])
    """
    if takes_rows(input, weight_shape, stride, padding, groups):
        return weighed_rows(grad, input, weight_shape, stride)
    wide, wide_input = widened(grad), widened(input)
    if takes_all(input.shape, weight_shape, padding):
        products = by_image(wide, groups).mT @ by_image(wide_input, groups)
        return products.reshape(weight_shape).astype(grad.dtype, copy=False)
    few_plan = few_windows(input.shape, tuple(weight_shape[2:]), stride, padding, dilation) if groups == 1 else None
    if few_plan is not None and few_plan.sizes == tuple(grad.shape[2:]):
        product_ = np.dot(few_plan.columns(wide_input), grouped(wide.swapaxes(0, 1), 1)[0].T)
        return product_.T.reshape(weight_shape).astype(grad.dtype, order="C", copy=False)
    total = np.zeros((groups, math.prod(weight_shape[1:]), weight_shape[0] // groups), wide.dtype)
    if takes_positions(grad.shape, input.shape, weight_shape, padding):
        for piece, columns in zip(by_group(wide, groups), by_group(wide_input, groups), strict=True):
            total += columns @ piece.mT
    else:
        windows = windows_of(padded(wide_input, padding), weight_shape[2:], stride, dilation)
        windows = windows[(..., *map(slice, grad.shape[2:]))]
        for tile in tiles(windows):
            total += columns_at(windows, tile, groups) @ grouped(channels_at(wide, tile), groups).mT
    return total.mT.reshape(weight_shape).astype(grad.dtype, order="C", copy=False)


def widened(array):
    """Converts half precision to float32; returns other arrays unchanged."""
    return array.astype(np.float32) if array.dtype.itemsize <= 2 and array.dtype.kind in "fV" else array


# Shapes


def takes_positions(out_shape, input_shape, weight_shape, padding):
    """Whether windows are single positions (a 1x1 kernel), and enough of them for an efficient product."""
    return (
        out_shape[2:] == tuple(input_shape[2:])
        and math.prod(weight_shape[2:]) == 1
        and not any(padding)
        and 4 * math.prod(out_shape[2:]) >= WIDE
    )


def takes_rows(array, weight_shape, stride, padding, groups):
    """Whether windows are single positions in channels last memory."""
    if weight_shape[-1] != 1 or not channels_are_last(array):
        return False
    return groups == 1 and math.prod(weight_shape[2:]) == 1 and not any(padding)


def spaced(array, stride):
    """Returns the positions that strided windows of size 1 read."""
    return array if math.prod(stride) == 1 else array[(..., *[slice(None, None, step) for step in stride])]


def apart(array, shape, stride):
    """Inverts `spaced`: inserts zeros between the positions; channels last."""
    if math.prod(stride) == 1:
        return array
    out = channels_outside(np.zeros((shape[0], *shape[2:], shape[1]), array.dtype))
    xp.overwrite(spaced(out, stride), array)
    return out


def spread_rows(grad, weight, input_shape, stride, product=np.matmul):
    """The gradient of the input if `takes_rows`."""
    rows = product(channel_rows(grad), weight_rows(widened(weight), 1)[0])
    return apart(from_rows(rows, grad.shape, grad.dtype), input_shape, stride)


def weighed_rows(grad, input, weight_shape, stride, product=np.matmul):
    """The gradient of the weight if `takes_rows`."""
    product_ = product(channel_rows(grad).T, channel_rows(spaced(input, stride)))
    return product_.reshape(weight_shape).astype(grad.dtype, copy=False)


def channel_rows(array):
    """Converts (batch, channels, *size) to (positions, channels), in a dtype wide enough for sums."""
    return widened(ascontiguousarray(channels_inside(array)).reshape(-1, array.shape[1]))


def from_rows(rows, shape, dtype):
    """Converts (positions, channels) to (batch, channels, *size) with the batch and size of `shape`, in a dtype."""
    return channels_outside(rows.reshape(shape[0], *shape[2:], rows.shape[1])).astype(dtype, copy=False)


@lru_cache(maxsize=256)
def mirrored_padding(grad_shape, weight_shape, input_shape, stride, padding, dilation):
    """Returns the padding for the input gradient by convolving with the mirrored weight; None if that is slow."""
    reaches = [dilate * (taps - 1) for taps, dilate in zip(weight_shape[2:], dilation, strict=True)]
    opposite = [reach - pad for reach, pad in zip(reaches, padding, strict=True)]
    sizes = [size + other - pad for size, other, pad in zip(grad_shape[2:], opposite, padding, strict=True)]
    possible = math.prod(stride) == 1 and min(opposite) >= 0 and sizes == list(input_shape[2:])
    columns = grad_shape[0] * math.prod(weight_shape) // max(weight_shape[1], 1) * math.prod(input_shape[2:])
    return tuple(opposite) if possible and (weight_shape[0] <= 2 * input_shape[1] or columns <= FEW) else None


def weight_rows(weight, groups):
    """Reshapes (out, channels / groups, *kernel) to (groups, out / groups, channels / groups * taps)."""
    return weight.reshape(groups, len(weight) // groups, math.prod(weight.shape[1:]))


def mirrored(weight, groups):
    """Converts (out, channels / groups, *kernel) to (channels, out / groups, *kernel), with the kernel reversed."""
    out_channels, channels, *kernel = weight.shape
    split = weight.reshape(groups, out_channels // groups, channels, *kernel).swapaxes(1, 2)
    backwards = (slice(None, None, -1),) * len(kernel)
    return np.ascontiguousarray(split[(..., *backwards)]).reshape(groups * channels, out_channels // groups, *kernel)


def by_group(array, groups):
    """Reshapes (batch, channels, *size) to (batch, groups, channels / groups, positions)."""
    return array.reshape(len(array), groups, array.shape[1] // groups, math.prod(array.shape[2:]))


def padded_size(shape, padding):
    return [size + 2 * pad for size, pad in zip(shape[2:], padding, strict=True)]


def inner(shape, padding):
    """Returns the index of an array of `shape` within its padded version."""
    return (..., *(slice(pad, pad + size) for size, pad in zip(shape[2:], padding, strict=True)))


def padded(array, padding):
    """Pads `array` (batch, channels, *size) with zeros on both sides of each spatial dimension; contiguous."""
    if not any(padding):
        return np.ascontiguousarray(array)
    out = np.zeros((*array.shape[:2], *padded_size(array.shape, padding)), array.dtype)
    out[inner(array.shape, padding)] = array
    return out


# One window along a dimension


def takes_all(input_shape, weight_shape, padding):
    """Whether one window covers everything, so that a convolution is a matrix product."""
    return tuple(input_shape[2:]) == tuple(weight_shape[2:]) and not any(padding)


@lru_cache(maxsize=256)
def covered_dims(input_shape, weight_shape, padding):
    """Returns the dimensions that one window covers; none if it has one tap there and others have more windows."""
    spans = list(zip(input_shape[2:], weight_shape[2:], padding, strict=True))
    dims = [dim for dim, (size, taps, pad) in enumerate(spans) if size == taps and pad == 0]
    return dims if len(dims) == len(spans) or any(spans[dim][1] > 1 for dim in dims) else []


def convolve_input_covered(through, dims, grad, weight, bias, input_shape, stride, padding, dilation, groups):
    """`convolve_input` if one window covers `dims`: each tap there becomes a channel, computed by `through`.

    As a convolution of `grad` between zeros, nearly every window along these dimensions would contain only zeros.
    """
    if bias is not None:
        result = convolve_input_covered(
            through, dims, grad, weight, None, input_shape, stride, padding, dilation, groups
        )
        return biased(result, bias)
    other_dims = [dim for dim in range(len(stride)) if dim not in dims]
    if not other_dims:
        images, rows = by_image(widened(grad), groups), weight_rows(widened(weight), groups)
        return from_images(images * rows if rows.shape[1] == 1 else images @ rows, input_shape, grad)
    order = [2 + dim for dim in (*dims, *other_dims)]
    sizes = [input_shape[dim] for dim in order]
    taps = [weight.shape[2 + dim] for dim in other_dims]
    channels = weight.shape[1] * math.prod(sizes[: len(dims)])
    settings = [tuple(setting[dim] for dim in other_dims) for setting in (stride, padding, dilation)]
    out = through(
        grad.reshape(*grad.shape[:2], *(grad.shape[2 + dim] for dim in other_dims)),
        np.ascontiguousarray(weight.transpose(0, 1, *order)).reshape(len(weight), channels, *taps),
        (input_shape[0], channels * groups, *sizes[len(dims) :]),
        *settings,
        groups,
    )
    back = [2 + order.index(2 + dim) for dim in range(len(order))]
    return np.ascontiguousarray(out.reshape(*input_shape[:2], *sizes).transpose(0, 1, *back))


def by_image(array, groups):
    """Reshapes (batch, channels, *size) to (groups, batch, channels / groups * positions)."""
    return array.reshape(len(array), groups, math.prod(array.shape[1:]) // groups).swapaxes(0, 1)


def from_images(products, shape, like):
    """Inverts `by_image` for an array of `shape`, in the dtype of `like`."""
    return np.ascontiguousarray(products.swapaxes(0, 1)).reshape(shape).astype(like.dtype, copy=False)


# Windows and their columns


def windows_of(array, kernel, stride, dilation):
    """Views a contiguous `array` (batch, channels, *size) as (channels, *kernel, batch, *windows)."""
    shape, strides = window_plan(array.shape, array.strides, tuple(kernel), tuple(stride), tuple(dilation))
    if WAITING and (size := math.prod(shape)) >= MEDIUM:
        notice(size)
    return np.ndarray(shape, array.dtype, array, strides=strides)


@lru_cache(maxsize=256)
def window_plan(shape, strides, kernel, stride, dilation):
    """Returns the shape and strides for `windows_of`."""
    batch, channels, *size = shape
    by_image, by_channel, *steps = strides
    spans = zip(size, kernel, stride, dilation, strict=True)
    sizes = [(extent - dilate * (taps - 1) - 1) // step + 1 for extent, taps, step, dilate in spans]
    by_tap = [step * dilate for step, dilate in zip(steps, dilation, strict=True)]
    by_window = [step * apart for step, apart in zip(steps, stride, strict=True)]
    return (channels, *kernel, batch, *sizes), (by_channel, *by_tap, by_image, *by_window)


class FewWindows(NamedTuple):
    """The elements that a few windows of an array read, and the number of windows per dimension.

    `indices` are flat indices, (channels * taps, images * windows), into the array, after a leading zero if there is
    padding.
    """

    indices: np.ndarray
    sizes: tuple
    is_padded: bool

    def columns(self, array):
        """Returns `columns_at` for all windows and one group."""
        if WAITING and self.indices.size >= MEDIUM:
            notice(self.indices.size)
        line = array.reshape(-1)
        if self.is_padded:
            line = np.zeros(array.size + 1, array.dtype)
            line[1:] = array.reshape(-1)
        return line.take(self.indices)


@lru_cache(maxsize=32)
def few_windows(shape, kernel, stride, padding, dilation):
    """Returns None for many windows, or for single positions, which have other implementations."""
    padded_sizes = tuple(padded_size(shape, padding))
    (_, *sizes), _ = window_plan((*shape[:2], *padded_sizes), (0,) * len(shape), kernel, stride, dilation)
    if math.prod(kernel) == 1 or takes_all(shape, (0, 0, *kernel), padding):
        return None
    if not 0 < shape[1] * math.prod(sizes) <= GATHERED:
        return None
    is_padded = any(padding)
    begin = int(is_padded)
    flat_indices = np.arange(begin, math.prod(shape) + begin).reshape(shape)
    windows = windows_of(padded(flat_indices, padding), kernel, stride, dilation)
    return FewWindows(columns_at(windows, (), 1)[0], windows.shape[len(shape) :], is_padded)


def tiles(windows):
    """Yields boxes of (batch, *windows) whose columns take bounded memory: a slice for each dimension."""
    half = windows.ndim // 2
    if windows.nbytes <= SMALL_TILE:
        return [(slice(None),) * half]
    cost = math.prod(windows.shape[:half]) * windows.itemsize
    shape = windows.shape[half:]
    box = largest_box(min(max(SMALL_TILE, WIDE * cost), LARGE_TILE) // cost, shape)
    cuts = zip(shape, box, strict=True)
    return product(*([slice(begin, begin + step) for begin in range(0, size, step)] for size, step in cuts))


def largest_box(budget, sizes):
    """Returns the shape of an even division of `sizes` into boxes of at most `budget` elements."""
    shape = []
    for size in reversed(sizes):
        pieces = -(-size // max(1, budget))
        shape.append(-(-size // pieces))
        budget //= shape[-1]
    return shape[::-1]


def columns_at(windows, tile, groups):
    """Copies a tile's windows to (groups, channels / groups * taps, positions)."""
    part, half = windows[(..., *tile)], windows.ndim // 2
    shape = (groups, math.prod(part.shape[:half]) // groups, math.prod(part.shape[half:]))
    if part.size and part.strides[-1] == part.itemsize:
        # NumPy copies a short run faster as one large element.
        runs = part.view(np.dtype((np.void, part.shape[-1] * part.itemsize)))
        return np.ascontiguousarray(runs).view(part.dtype).reshape(shape)
    return part.reshape(shape)


def channels_at(array, tile):
    """Returns a tile of `array` (batch, channels, *size) as (channels, images, *tile)."""
    return array[(tile[0], slice(None), *tile[1:])].swapaxes(0, 1)


def grouped(array, groups):
    """Reshapes (channels, images, *tile) to (groups, channels / groups, positions)."""
    return array.reshape(groups, len(array) // groups, math.prod(array.shape[1:]))


def add_by_tap(windows, columns):
    """Adds `columns` to the overlapping `windows` (channels, *kernel, images, *tile), one tap at a time."""
    columns = columns.reshape(windows.shape)
    for taps in np.ndindex(windows.shape[1 : windows.ndim // 2]):
        windows[(slice(None), *taps)] += columns[(slice(None), *taps)]
