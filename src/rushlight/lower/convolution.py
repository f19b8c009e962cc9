"""Convolution of large arrays by machine code: chooses the kernel and allocates workspace.

Everything else goes to `arrays.convolution`.
"""

from __future__ import annotations

import math

import numpy as np

from rushlight.arrays import convolution as plain
from rushlight.arrays.layouts import channels_are_last, channels_inside, channels_outside
from rushlight.arrays.threads import get_num_threads
from rushlight.core.policy import GRAIN, Warmup
from rushlight.kernels import conv, depthwise, depthwise_planes, winograd
from rushlight.kernels.arguments import packed
from rushlight.kernels.gemm_tile import COLUMNS, LISTED_ROWS
from rushlight.kernels.matmul import multiply
from rushlight.kernels.vectors import LANES
from rushlight.lower.conv_tiling import (
    backward_plan,
    forward_plan,
    plane_shape,
    sizes_of,
    source_spans,
    tap_spans,
    window_spans,
)
from rushlight.lower.half_precision import by_float32

FLOAT32 = np.dtype(np.float32)
LARGE = 1 << 20  # multiplications for which a kernel pays off
# The same for 1x1 kernels: nothing is copied, and BLAS multiplies small matrices as fast.
POINTS = 1 << 22
WINDOWS = 1 << 12  # elements of windows that NumPy would copy, or sum tap by tap, with few products each
SHALLOW = 1 << 7  # products per window and filter; above, BLAS takes most of the time
WARMUP = Warmup(passes=4)
FEWEST = 8  # channels for which a vector pays off
SQUARE = 16  # lanes of vectors with enough registers to transpose a square
LINES = 16  # lines of a gradient that are summed in float32; more would lose digits
# Parts of a sum over all windows, so that results do not depend on the number of threads; fewer if they are large.
PARTS = 4
ROOM = 1 << 23  # elements of all parts of a sum
TAPS = 1 << 22  # transformed taps, read or summed, that blocks take from memory: then blocks are large
POSITIONS = 2 * COLUMNS  # positions of all images below which too few tiles amortize transforming the kernel
FEW_POSITIONS = 150  # the same where no cache holds the transformed kernel, which is nearly twice as large
CACHE = 1 << 18  # elements of a block, transformed and multiplied: half of the second cache


@by_float32
def convolve(input, weight, stride, padding, dilation, groups, bias=None):
    """`arrays.convolution.convolve`."""
    if plain.takes_rows(input, weight.shape, stride, padding, groups):
        return convolve_rows(input, weight, bias, stride)
    if by_channel(input, weight.shape, weight.dtype, groups):
        sizes = sizes_of(input.shape, weight.shape, stride, padding, dilation)
        spans = window_spans(input.shape[2:], sizes, weight.shape[2:], tuple(stride), tuple(padding), tuple(dilation))
        return convolve_channels(input, weight, bias, sizes, spans)
    if plain.takes_all(input.shape, weight.shape, padding):
        return plain.convolve(input, weight, stride, padding, dilation, groups, bias)
    settings = stride, padding, dilation
    if not is_far(input, weight.shape) and in_tiles(input, weight.shape, weight.dtype, *settings, groups):
        result = convolve_tiles(input, weight, bias, padding, False)
        if result is not None:
            return result
    if by_windows(input, weight.shape, weight.dtype, groups, weight.shape[1]):
        result = None
        if are_disjoint(weight.shape, stride, padding, dilation, groups):
            result = product_by_image(
                weight.reshape(len(weight), -1), disjoint_columns(input, weight.shape[2:], stride), bias
            )
        elif by_plane(input, weight.shape, groups):
            result = convolve_planes(input, weight, bias, *settings)
        return convolve_windows(input, weight, bias, *settings, groups) if result is None else result
    return plain.convolve(input, weight, *settings, groups, bias)


@by_float32
def convolve_input(grad, weight, input_shape, stride, padding, dilation, groups, bias=None):
    """`arrays.convolution.convolve_input`."""
    settings = stride, padding, dilation
    if plain.takes_rows(grad, weight.shape, stride, padding, groups):
        result = plain.spread_rows(grad, weight, input_shape, stride, product)
        return result if bias is None else plain.biased(result, bias)
    if by_channel(grad, weight.shape, weight.dtype, groups):
        sizes = tuple(input_shape[2:])
        spans = source_spans(grad.shape[2:], sizes, weight.shape[2:], tuple(stride), tuple(padding), tuple(dilation))
        return convolve_channels(grad, weight, bias, sizes, spans)
    if dims := plain.covered_dims(input_shape, weight.shape, padding):
        return plain.convolve_input_covered(convolve_input, dims, grad, weight, bias, input_shape, *settings, groups)
    if not is_far(grad, weight.shape) and in_tiles(grad, weight.shape, weight.dtype, *settings, groups):
        opposite = plain.mirrored_padding(grad.shape, weight.shape, input_shape, *settings)
        result = convolve_tiles(grad, weight, bias, opposite, True) if opposite is not None else None
        if result is not None:
            return result
    if by_windows(grad, weight.shape, weight.dtype, groups, 0):
        if math.prod(weight.shape[2:]) == math.prod(stride) == groups == 1 and not any(padding):
            result = product_by_image(weight.reshape(weight.shape[:2]).T, packed(grad), bias)
            if result is not None:
                return result
        if by_plane(grad, weight.shape, groups):
            opposite = plain.mirrored_padding(grad.shape, weight.shape, input_shape, *settings)
            if opposite is not None:
                return convolve_planes(grad, weight[:, :, ::-1, ::-1], bias, stride, opposite, dilation)
        return convolve_input_windows(grad, weight, bias, input_shape, *settings, groups)
    return plain.convolve_input(grad, weight, input_shape, *settings, groups, bias)


@by_float32
def convolve_weight(grad, input, weight_shape, stride, padding, dilation, groups):
    """`arrays.convolution.convolve_weight`."""
    settings = stride, padding, dilation
    if plain.takes_rows(input, weight_shape, stride, padding, groups):
        return plain.weighed_rows(grad, input, weight_shape, stride, product)
    if by_channel(input, weight_shape, grad.dtype, groups):
        return convolve_weight_channels(grad, input, weight_shape, stride, padding, dilation)
    if plain.takes_all(input.shape, weight_shape, padding):
        return plain.convolve_weight(grad, input, weight_shape, stride, padding, dilation, groups)
    if in_tiles(input, weight_shape, grad.dtype, stride, padding, dilation, groups):
        result = convolve_weight_tiles(grad, input, padding)
        if result is not None:
            return result
    settings = stride, padding, dilation
    if by_windows(input, weight_shape, grad.dtype, groups, weight_shape[1]):
        result = convolve_weight_windows(grad, input, weight_shape, *settings, groups)
        if result is not None:
            return result
    return plain.convolve_weight(grad, input, weight_shape, *settings, groups)


# 1x1 kernels, channels last


def convolve_rows(input, weight, bias, stride):
    """Convolves as a matrix product of rows, with the bias added by the kernel."""
    strided = plain.spaced(input, stride)
    rows, taps = plain.channel_rows(strided), plain.weight_rows(weight, 1)[0]
    result = multiply.machine()(rows, taps, bias, True)
    if result is None:
        return plain.convolve(input, weight, stride, (0,) * len(stride), (1,) * len(stride), 1, bias)
    return plain.from_rows(result, strided.shape, result.dtype)


def product(a, b):
    """Returns the product of two matrices, by a kernel or NumPy."""
    result = multiply.machine()(a, b, None, 2)
    return a @ b if result is None else result


# Depthwise, channels last


def by_channel(input, weight_shape, dtype, groups) -> bool:
    """Returns whether it is depthwise with contiguous channels."""
    if input.ndim != 4 or input.dtype is not FLOAT32 or dtype is not FLOAT32:
        return False
    if not 1 < groups == input.shape[1] == weight_shape[0]:
        return False
    if weight_shape[1] != 1 or groups < FEWEST or not channels_are_last(input):
        return False
    size = input.size * math.prod(weight_shape[2:])
    return size >= WINDOWS and (WARMUP.over or WARMUP.pays_off(size))


def convolve_channels(input, weight, bias, sizes, spans):
    """Convolves, or computes the gradient of the input; the spans hold taps and positions."""
    channels_last_input, taps = packed(channels_inside(input)), packed(weight.reshape(len(weight), -1).T)
    out = np.empty((len(input), *sizes, len(weight)), FLOAT32)
    shape = np.array(depthwise.Shape(*input.shape[2:], *sizes, *weight.shape[2:], len(weight)))
    lines, grain = len(out) * sizes[0], -(-GRAIN // max(1, sizes[1] * taps.size))
    depthwise.convolve.machine()(
        channels_last_input, taps, bias_array(bias, len(weight)), out, *spans, shape, lines, grain
    )
    return channels_outside(out)


def convolve_weight_channels(grad, input, weight_shape, stride, padding, dilation):
    """Computes the weight's gradient, summed in parts that do not depend on the number of threads."""
    (tall, wide), channels, sizes = weight_shape[2:], len(input[0]), grad.shape[2:]
    settings = tuple(stride), tuple(padding), tuple(dilation)
    down = window_spans(input.shape[2:], sizes, (tall, wide), *settings)[0]
    across = tap_spans(input.shape[3], sizes[1], wide, *[x[1] for x in settings])
    lines = len(grad) * sizes[0]
    lines_per_part = max(LINES, -(-lines * math.prod(weight_shape) // ROOM))
    totals = np.zeros((-(-lines // lines_per_part), tall * wide, channels), FLOAT32)
    shape = np.array(depthwise.Shape(*input.shape[2:], *sizes, tall, wide, channels))
    images = packed(channels_inside(grad)), packed(channels_inside(input))
    depthwise.convolve_weight.machine()(*images, totals, down, across, shape, lines, lines_per_part, len(totals))
    return totals.sum(0, dtype=np.float64).astype(FLOAT32).T.reshape(weight_shape)


# Depthwise, channels first


def by_plane(input, weight_shape, groups) -> bool:
    """Returns whether it is depthwise, and transposed to nearly full vectors it is faster."""
    if input.ndim != 4 or not groups == input.shape[1] == weight_shape[0] or weight_shape[1] != 1:
        return False
    return LANES >= SQUARE and -groups % LANES <= groups // 4


def convolve_planes(input, weight, bias, stride, padding, dilation):
    """Convolves as many channels at a time as a vector has lanes."""
    settings = tuple(stride), tuple(padding), tuple(dilation)
    sizes = sizes_of(input.shape, weight.shape, *settings)
    shape = plane_shape(input.shape, tuple(weight.shape[2:]), sizes, *settings)
    shape = shape._replace(jobs=jobs_for(shape.pieces, 0))
    workspace = depthwise_planes.room_of(shape)
    out, work = np.empty((*input.shape[:2], *sizes), FLOAT32), aligned(shape.jobs * sum(workspace))
    work[:] = 0
    depthwise_planes.convolve.machine()(
        packed(input), packed(weight), bias_array(bias, len(weight)), out, work, np.array(workspace), np.array(shape)
    )
    return out


# 3x3 kernels


def in_tiles(input, weight_shape, dtype, stride, padding, dilation, groups) -> bool:
    """Returns whether Winograd is faster: 3x3 kernels with enough channels, stride and dilation 1."""
    return (
        weight_shape[2:] == (3, 3)
        and groups == 1
        and input.dtype is FLOAT32 is dtype
        and set(stride) == set(dilation) == {1}
        and max(padding) < 3
        and min(weight_shape[:2]) >= 16
        and input.size * weight_shape[0] >= LARGE
        and len(input) * math.prod(input.shape[2:]) >= POSITIONS
    )


def is_far(input, weight_shape) -> bool:
    """Returns whether loading a transformed kernel from memory takes longer than few tiles save."""
    positions = len(input) * math.prod(input.shape[2:])
    return positions < FEW_POSITIONS and 32 * math.prod(weight_shape[:2]) >= TAPS


def convolve_tiles(input, weight, bias, padding, mirrored):
    """Convolves, or if `mirrored` computes the gradient of the input.

    Returns None with an infinity or NaN, for which Winograd's sums differ.
    """
    input, weight = packed(input), packed(weight)
    taps = transformed_taps(weight, mirrored)
    filters, channels = weight.shape[1::-1] if mirrored else weight.shape[:2]
    shape = shape_of(input.shape, filters, padding)
    out = np.empty((shape.batch, filters, shape.out_height, shape.out_width), FLOAT32)
    work = aligned(shape.jobs * 16 * (channels + filters) * shape.stride)
    doubt = np.zeros(shape.jobs * LANES, FLOAT32)
    kernel = winograd.CONVOLVE[2 * shape.across <= LANES]
    kernel.machine()(input, taps, bias_array(bias, filters), out, work, doubt, np.array(shape))
    return out if not doubt.any() and np.isfinite(weight).all() else None


def transformed_taps(weight, mirrored):
    """Returns the transformed kernel, mirrored for the transposed convolution."""
    filters, channels = weight.shape[:2]
    taps = aligned(16 * math.prod(-(-size // LANES) * LANES for size in weight.shape[:2]))
    sizes = (channels, filters, 9, 9 * channels) if mirrored else (filters, channels, 9 * channels, 9)
    winograd.transform_taps.machine()(weight, taps, *sizes, mirrored)
    return taps


def convolve_weight_tiles(grad, input, padding):
    """Computes the weight's gradient; None as in `convolve_tiles`."""
    grad, input = packed(grad), packed(input)
    filters, channels = grad.shape[1], input.shape[1]
    shape = shape_of(input.shape, filters, padding, 16 * filters * channels)
    wide = -(-channels // LANES) * LANES
    out = np.empty((filters, channels, 3, 3), FLOAT32)
    totals = aligned(shape.jobs * 16 * filters * channels)
    work = aligned(shape.jobs * (16 * (wide + filters) + wide) * shape.stride)
    doubt = np.zeros(shape.jobs * LANES, FLOAT32)
    kernel = winograd.CONVOLVE_WEIGHT[2 * shape.across <= LANES]
    kernel.machine()(grad, input, out, totals, work, doubt, np.array(shape))
    return None if doubt.any() else out


def shape_of(input_shape, filters, padding, summed=0) -> winograd.Shape:
    """Returns the tiles, blocks and jobs of a convolution; each job sums `summed` elements at the end."""
    batch, channels, height, width = input_shape
    top, left = padding
    out_height, out_width = height + 2 * top - 2, width + 2 * left - 2
    down, across = -(-out_height // 2), -(-out_width // 2)
    block = max(1, min(CACHE // (16 * (channels + filters) * COLUMNS), 4)) * COLUMNS
    if summed + 16 * channels * filters >= TAPS:
        parts = PARTS if summed else get_num_threads()
        block = max(1, min(batch * down * across // (parts * COLUMNS), 4)) * COLUMNS
    jobs = jobs_for(-(-batch * down * across // block), summed)
    return winograd.Shape(
        batch, channels, height, width, top, left, filters, out_height, out_width, down, across, block, block + LANES,
        jobs,
    )  # fmt: skip


# Disjoint windows: matrix products per image


def are_disjoint(weight_shape, stride, padding, dilation, groups) -> bool:
    """Returns whether each input element belongs to at most one window."""
    single = math.prod(weight_shape[2:]) == 1
    even = tuple(stride) == tuple(weight_shape[2:]) and math.prod(dilation) == 1
    return groups == 1 and not any(padding) and (single or even)


def disjoint_columns(input, kernel, stride):
    """Returns (batch, channels * taps, *windows) of such an input."""
    if math.prod(kernel) == 1:
        return packed(plain.spaced(input, stride))
    counts = [size // taps for size, taps in zip(input.shape[2:], kernel, strict=True)]
    whole = input[(..., *[slice(count * taps) for count, taps in zip(counts, kernel, strict=True)])]
    split = whole.reshape(*input.shape[:2], *[x for pair in zip(counts, kernel, strict=True) for x in pair])
    transposed = split.transpose(0, 1, *range(3, split.ndim, 2), *range(2, split.ndim, 2))
    return packed(transposed).reshape(len(input), -1, *counts)


def product_by_image(taps, columns, bias):
    """Returns taps (filters, depth) times each image's columns (depth, *windows); None if no kernel fits."""
    batch, depth, *sizes = columns.shape
    batched_taps = np.broadcast_to(taps, (batch, *taps.shape))
    result = multiply.machine()(batched_taps, columns.reshape(batch, depth, -1), None, 3)
    if result is None:
        return None
    result = result.reshape(batch, len(taps), *sizes)
    return result if bias is None else plain.biased(result, bias)


# Other kernels


def by_windows(input, weight_shape, dtype, groups, depth) -> bool:
    """Returns whether products with windows in place are faster than NumPy's with copies.

    `depth` is the number of products per window element if NumPy copies windows, 0 if it adds them up by tap.
    """
    if input.dtype is not FLOAT32 or dtype is not FLOAT32 or input.ndim > 5:
        return False
    taps = math.prod(weight_shape[2:])
    windows = input.size * taps
    if windows * weight_shape[0] // groups >= (LARGE if taps > 1 else POINTS):
        return True
    return 1 < taps and depth * taps <= SHALLOW and windows >= WINDOWS and (WARMUP.over or WARMUP.pays_off(windows))


def convolve_windows(input, weight, bias, stride, padding, dilation, groups):
    """Convolves."""
    settings = tuple(stride), tuple(padding), tuple(dilation)
    plan = forward_plan(input.shape, weight.shape, *settings, groups)
    if plan.images_last:
        input, weight, settings = images_last(input), weight[..., None], with_images(*settings)
        return images_first(convolve_windows(input, weight, bias, *settings, groups))
    sizes = sizes_of(input.shape, weight.shape, *settings)
    by_filter = math.prod(weight.shape[1:])
    return sums_of_windows(input, weight, bias, plan, (len(input), len(weight), *sizes), by_filter)


def convolve_input_windows(grad, weight, bias, input_shape, stride, padding, dilation, groups):
    """Computes the gradient of the input."""
    settings = tuple(stride), tuple(padding), tuple(dilation)
    plan = backward_plan(grad.shape, weight.shape, tuple(input_shape), *settings, groups)
    if plan.images_last:
        batch, *shape = input_shape
        grad, weight, settings = images_last(grad), weight[..., None], with_images(*settings)
        return images_first(convolve_input_windows(grad, weight, bias, (1, *shape, batch), *settings, groups))
    return sums_of_windows(grad, weight, bias, plan, input_shape, math.prod(weight.shape[2:]))


def sums_of_windows(input, weight, bias, plan, out_shape, by_filter):
    """Computes all parts of a plan; `by_filter` is the stride of the result's channels in the taps."""
    out, input, weight = np.empty(out_shape, FLOAT32), packed(input), packed(weight)
    shape = plan.shape._replace(jobs=jobs_for(plan.shape.pieces, 0))
    work = aligned(shape.jobs * (shape.copied + shape.wide * shape.span) + conv.GAP)
    fields, taps = flat(shape), weight
    if shape.unit > 1:
        taps = (np.empty if shape.wide == shape.filters else np.zeros)(plan.taps, FLOAT32)
        by_group = weight.size // shape.groups
        grain = -(-GRAIN * shape.groups * shape.wide // (LISTED_ROWS * max(1, plan.taps)))
        conv.pack.machine()(
            weight, plan.sources, taps, plan.parts, fields, len(plan.parts), by_group, by_filter, grain
        )  # fmt: skip
    conv.convolve.machine()(
        input,
        taps,
        plan.places,
        bias_array(bias, out_shape[1]),
        out,
        work,
        plan.phases,
        plan.parts,
        plan.blocks,
        fields,
    )
    return out


def convolve_weight_windows(grad, input, weight_shape, stride, padding, dilation, groups):
    """Computes the weight's gradient; None if not finite: zeros between rows of windows meet all elements."""
    settings = tuple(stride), tuple(padding), tuple(dilation)
    plan = forward_plan(input.shape, tuple(weight_shape), *settings, groups, True)
    if plan.images_last:
        grad, input, settings = images_last(grad), images_last(input), with_images(*settings)
        gradient = convolve_weight_windows(grad, input, (*weight_shape, 1), *settings, groups)
        return None if gradient is None else gradient[..., 0]
    grad, input = packed(grad), packed(input)
    tall, wide = len(plan.places), plan.shape.wide
    shape = plan.shape._replace(jobs=jobs_for(plan.shape.pieces, groups * tall * wide))
    out, totals = np.empty(weight_shape, FLOAT32), np.zeros((shape.jobs, groups, tall, wide), FLOAT32)
    work = aligned(shape.jobs * (shape.copied + 2 * min(wide, COLUMNS) * shape.span) + conv.GAP)
    conv.convolve_weight.machine()(
        grad, input, out, plan.places, totals, work, plan.phases, plan.parts, plan.blocks, flat(shape)
    )
    return out if np.isfinite(out).all() else None


def images_last(array):
    """Returns images (batch, channels, *size) as one of (channels, *size, batch)."""
    return packed(np.moveaxis(array, 0, -1))[None]


def images_first(array):
    """Inverts `images_last`."""
    return packed(np.moveaxis(array[0], -1, 0))


def with_images(stride, padding, dilation):
    """Returns stride, padding and dilation extended by the dimension of images."""
    return (*stride, 1), (*padding, 0), (*dilation, 1)


def flat(shape) -> np.ndarray:
    """Returns the fields of a shape as a flat array."""
    return np.array([value for field in shape for value in (field if isinstance(field, tuple) else (field,))], np.int64)


def jobs_for(pieces, summed) -> int:
    """Returns the number of jobs for so many pieces."""
    return max(1, min(pieces, min(PARTS, ROOM // summed) if summed else get_num_threads()))


def bias_array(bias, count) -> np.ndarray:
    """Returns the bias as float32 array; zeros if None."""
    return np.zeros(count, FLOAT32) if bias is None else np.ascontiguousarray(bias, FLOAT32)


def aligned(count: int) -> np.ndarray:
    """Returns memory for float32, aligned to a cache line."""
    memory = np.empty(count + 16, FLOAT32)
    return memory[-memory.ctypes.data % 64 // 4 :]
