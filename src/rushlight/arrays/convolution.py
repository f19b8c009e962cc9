"""Convolution and its two transposes on raw arrays, for one, two or three spatial dimensions.

The sum, taken as zero wherever a position falls outside the input:

    out[n, o, p] = sum over c and k of weight[o, c, k] * input[n, c, p * stride - padding + k * dilation]

Tile by tile the windows are copied out as columns, and BLAS multiplies them with the weight. The transpose in the input
multiplies first and adds the columns back to where they came from; the transpose in the weight multiplies with the same
columns. Source: Chellapilla, Puri and Simard, "High performance convolutional neural networks for document processing",
2006.
"""

import math
from itertools import product

import numpy as np

# Bytes of columns. A tile that stays in a core's second-level cache is multiplied at full speed; with fewer than WIDE
# columns, though, reading the weight anew for each tile costs more than leaving the cache.
SMALL_TILE = 1 << 19
LARGE_TILE = 1 << 23
WIDE = 256


def convolve(input, weight, stride, padding, dilation, groups):
    """Slides `weight` (out, channels / groups, *kernel) over `input` (batch, channels, *size): a cross-correlation.

    `stride`, `padding` and `dilation` hold one number per spatial dimension. Half precision is summed in float32 and
    rounded once; integers wrap.

    >>> convolve(np.arange(5.0).reshape(1, 1, 5), np.ones((1, 1, 2)), (2,), (1,), (1,), 1)
    array([[[0., 3., 7.]]])
    """
    rows = weight_rows(widened(weight), groups)
    if takes_positions(input.shape, weight.shape, stride, padding):
        out = rows @ by_group(widened(input), groups)
        return out.reshape(len(input), len(weight), *input.shape[2:]).astype(input.dtype, copy=False)
    windows = windows_of(padded(widened(input), padding), weight.shape[2:], stride, dilation)
    sizes = windows.shape[len(input.shape) :]
    out = np.empty((len(input), len(weight), *sizes), input.dtype)
    for images, region in tiles(windows):
        columns = windows[(..., images, *region)].reshape(groups, rows.shape[2], -1)
        target = out[(images, slice(None), *region)].swapaxes(0, 1)  # (out, images, *tile)
        target[...] = (rows @ columns).reshape(target.shape)
    return out


def convolve_input(grad, weight, input_shape, stride, padding, dilation, groups):
    """The transpose of `convolve` in its input: spreads `grad` (batch, out, *positions) back over `input_shape`.

    It is also the transposed convolution of `grad`. Nothing is conjugated.

    >>> convolve_input(np.ones((1, 1, 3)), np.ones((1, 1, 2)), (1, 1, 4), (1,), (0,), (1,), 1)
    array([[[1., 2., 2., 1.]]])
    """
    opposite = [reach - pad for reach, pad in zip(reaches(weight.shape, dilation), padding, strict=True)]
    if math.prod(stride) == 1 and min(opposite) >= 0 and len(weight) <= 2 * input_shape[1]:
        return convolve(grad, mirrored(weight, groups), stride, opposite, dilation, groups)
    wide, rows = widened(grad), weight_rows(widened(weight), groups).mT
    if takes_positions(input_shape, weight.shape, stride, padding):
        return (rows @ by_group(wide, groups)).reshape(input_shape).astype(grad.dtype, copy=False)
    out = padded(np.broadcast_to(np.zeros((), wide.dtype), input_shape), padding)
    windows = windows_of(out, weight.shape[2:], stride, dilation)
    for images, region in tiles(windows):
        piece = wide[(images, slice(None), *region)].swapaxes(0, 1).reshape(groups, rows.shape[2], -1)
        columns = rows * piece if rows.shape[2] == 1 else rows @ piece
        target = windows[(..., images, *region)]
        add_by_tap(target, columns.reshape(target.shape))
    return out[inner(input_shape, padding)].astype(grad.dtype, copy=any(padding))


def convolve_weight(grad, input, weight_shape, stride, padding, dilation, groups):
    """The transpose of `convolve` in its weight: what each tap saw of `input`, weighed by `grad`, nothing conjugated.

    >>> convolve_weight(np.ones((1, 1, 3)), np.arange(4.0).reshape(1, 1, 4), (1, 1, 2), (1,), (0,), (1,), 1)
    array([[[3., 6.]]])
    """
    wide, wide_grad = widened(input), widened(grad)
    total = np.zeros((groups, math.prod(weight_shape[1:]), weight_shape[0] // groups), wide_grad.dtype)
    if takes_positions(input.shape, weight_shape, stride, padding):
        for piece, columns in zip(by_group(wide_grad, groups), by_group(wide, groups), strict=True):
            total += columns @ piece.mT
        return total.mT.reshape(weight_shape).astype(grad.dtype, copy=False)
    windows = windows_of(padded(wide, padding), weight_shape[2:], stride, dilation)
    for images, region in tiles(windows):
        columns = windows[(..., images, *region)].reshape(*total.shape[:2], -1)
        piece = wide_grad[(images, slice(None), *region)].swapaxes(0, 1)
        total += columns @ piece.reshape(groups, total.shape[2], -1).mT
    return total.mT.reshape(weight_shape).astype(grad.dtype, copy=False)


def widened(array):
    """Half precision as float32, anything else as it is."""
    return array.astype(np.float32) if array.dtype.itemsize <= 2 and array.dtype.kind in "fV" else array


def takes_positions(input_shape, weight_shape, stride, padding):
    """Whether windows are the input's single positions (a 1x1 kernel), with enough of them for a good product."""
    return (
        math.prod(weight_shape[2:]) == math.prod(stride) == 1
        and not any(padding)
        and 4 * math.prod(input_shape[2:]) >= WIDE
    )


def weight_rows(weight, groups):
    """(out, channels / groups, *kernel) as (groups, out / groups, channels / groups * taps)."""
    return weight.reshape(groups, len(weight) // groups, math.prod(weight.shape[1:]))


def mirrored(weight, groups):
    """(out, channels / groups, *kernel) as (channels, out / groups, *kernel), its kernel read backwards."""
    out_channels, channels, *kernel = weight.shape
    grouped = weight.reshape(groups, out_channels // groups, channels, *kernel).swapaxes(1, 2)
    backwards = (slice(None, None, -1),) * len(kernel)
    return np.ascontiguousarray(grouped[(..., *backwards)]).reshape(groups * channels, out_channels // groups, *kernel)


def by_group(array, groups):
    """(batch, channels, *size) as (batch, groups, channels / groups, positions)."""
    return array.reshape(len(array), groups, array.shape[1] // groups, math.prod(array.shape[2:]))


def reaches(weight_shape, dilation):
    """How far the kernel's last tap lies from its first, per dimension."""
    return [dilate * (taps - 1) for taps, dilate in zip(weight_shape[2:], dilation, strict=True)]


def padded(array, padding):
    """`array` (batch, channels, *size) between `padding` zeros on both sides of each spatial dimension, contiguous."""
    if not any(padding):
        return np.ascontiguousarray(array)
    spans = zip(array.shape[2:], padding, strict=True)
    out = np.zeros((*array.shape[:2], *(size + 2 * pad for size, pad in spans)), array.dtype)
    out[inner(array.shape, padding)] = array
    return out


def inner(shape, padding):
    """Where an array of `shape` lies within its padded self."""
    return (..., *(slice(pad, pad + size) for size, pad in zip(shape[2:], padding, strict=True)))


def windows_of(array, kernel, stride, dilation):
    """A view of a contiguous `array` (batch, channels, *size) as (channels, *kernel, batch, *windows)."""
    batch, channels, *size = array.shape
    by_image, by_channel, *steps = array.strides
    spans = zip(size, kernel, stride, dilation, strict=True)
    sizes = [(extent - dilate * (taps - 1) - 1) // step + 1 for extent, taps, step, dilate in spans]
    by_tap = [step * dilate for step, dilate in zip(steps, dilation, strict=True)]
    by_window = [step * apart for step, apart in zip(steps, stride, strict=True)]
    strides = (by_channel, *by_tap, by_image, *by_window)
    return np.ndarray((channels, *kernel, batch, *sizes), array.dtype, array, strides=strides)


def tiles(windows):
    """Cuts (batch, *windows) into boxes whose columns take bounded memory: slices of images and of windows."""
    half = windows.ndim // 2
    if windows.nbytes <= SMALL_TILE:
        return [(slice(None), [slice(None)] * (half - 1))]
    cost = math.prod(windows.shape[:half]) * windows.itemsize
    shape = windows.shape[half:]
    box = largest_box(min(max(SMALL_TILE, WIDE * cost), LARGE_TILE) // cost, shape)
    cuts = [
        [slice(begin, min(begin + step, size)) for begin in range(0, size, step)]
        for size, step in zip(shape, box, strict=True)
    ]
    return ((images, region) for images, *region in product(*cuts))


def largest_box(budget, sizes):
    """The shape of an even cut through `sizes` into runs of at most `budget` elements."""
    shape = []
    for size in reversed(sizes):
        pieces = -(-size // max(1, budget))
        shape.append(-(-size // pieces))
        budget //= shape[-1]
    return shape[::-1]


def add_by_tap(windows, columns):
    """Adds `columns` into the overlapping `windows`, both (channels, *kernel, images, *windows), one tap at a time."""
    for taps in np.ndindex(windows.shape[1 : windows.ndim // 2]):
        windows[(slice(None), *taps)] += columns[(slice(None), *taps)]
