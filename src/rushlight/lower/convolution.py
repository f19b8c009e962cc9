"""Convolution of large arrays by machine code: which kernel takes what, and the memory that it works in.

What no kernel takes goes to `arrays.convolution`, which takes everything.
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
LARGE = 1 << 20  # products of two numbers; fewer are done before a kernel has begun
# The same, of kernels of one tap: there is nothing to copy, and BLAS multiplies small matrices as fast.
POINTS = 1 << 22
WINDOWS = 1 << 12  # numbers of windows that NumPy would copy, or add up tap by tap, for few products of each
SHALLOW = 1 << 7  # products of a window and a filter; where there are more, BLAS takes most of the time
WARMUP = Warmup(passes=4)
FEWEST = 8  # channels that are worth a vector
SQUARE = 16  # lanes of vectors of which there are registers enough for a square
LINES = 16  # of a gradient that are summed in float32: of more, digits are lost
PARTS = 4  # of a sum over all windows, so that no digit depends on the number of threads; fewer where they are large
ROOM = 1 << 23  # numbers that the parts of a sum may take together
TAPS = 1 << 22  # transformed taps, read or summed up, that each block takes from memory: so it is a large one
POSITIONS = 2 * COLUMNS  # in all images, of which fewer make too few tiles for what it takes to transform the kernel
FEW_POSITIONS = 150  # the same where no cache holds the transformed kernel, which has nearly twice the numbers
CACHE = 1 << 18  # numbers of a block, transformed and multiplied: half of a second-level cache


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
        found = convolve_tiles(input, weight, bias, padding, False)
        if found is not None:
            return found
    if by_windows(input, weight.shape, weight.dtype, groups, weight.shape[1]):
        found = None
        if lie_apart(weight.shape, stride, padding, dilation, groups):
            found = product_by_image(
                weight.reshape(len(weight), -1), columns_apart(input, weight.shape[2:], stride), bias
            )
        elif by_plane(input, weight.shape, groups):
            found = convolve_planes(input, weight, bias, *settings)
        return convolve_windows(input, weight, bias, *settings, groups) if found is None else found
    return plain.convolve(input, weight, *settings, groups, bias)


@by_float32
def convolve_input(grad, weight, input_shape, stride, padding, dilation, groups, bias=None):
    """`arrays.convolution.convolve_input`."""
    settings = stride, padding, dilation
    if plain.takes_rows(grad, weight.shape, stride, padding, groups):
        found = plain.spread_rows(grad, weight, input_shape, stride, product)
        return found if bias is None else plain.biased(found, bias)
    if by_channel(grad, weight.shape, weight.dtype, groups):
        sizes = tuple(input_shape[2:])
        spans = source_spans(grad.shape[2:], sizes, weight.shape[2:], tuple(stride), tuple(padding), tuple(dilation))
        return convolve_channels(grad, weight, bias, sizes, spans)
    if dims := plain.covered_dims(input_shape, weight.shape, padding):
        return plain.convolve_input_covered(convolve_input, dims, grad, weight, bias, input_shape, *settings, groups)
    if not is_far(grad, weight.shape) and in_tiles(grad, weight.shape, weight.dtype, *settings, groups):
        opposite = plain.mirrored_padding(grad.shape, weight.shape, input_shape, *settings)
        found = convolve_tiles(grad, weight, bias, opposite, True) if opposite is not None else None
        if found is not None:
            return found
    if by_windows(grad, weight.shape, weight.dtype, groups, 0):
        if math.prod(weight.shape[2:]) == math.prod(stride) == groups == 1 and not any(padding):
            found = product_by_image(weight.reshape(weight.shape[:2]).T, packed(grad), bias)
            if found is not None:
                return found
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
        found = convolve_weight_tiles(grad, input, padding)
        if found is not None:
            return found
    settings = stride, padding, dilation
    if by_windows(input, weight_shape, grad.dtype, groups, weight_shape[1]):
        found = convolve_weight_windows(grad, input, weight_shape, *settings, groups)
        if found is not None:
            return found
    return plain.convolve_weight(grad, input, weight_shape, *settings, groups)


# One by one, where the channels come last


def convolve_rows(input, weight, bias, stride):
    """The convolution, as a product of rows to which the bias is added on the way."""
    seen = plain.spaced(input, stride)
    rows, taps = plain.channel_rows(seen), plain.weight_rows(weight, 1)[0]
    found = multiply.machine()(rows, taps, bias, True)
    if found is None:
        return plain.convolve(input, weight, stride, (0,) * len(stride), (1,) * len(stride), 1, bias)
    return plain.from_rows(found, seen.shape, found.dtype)


def product(one, other):
    """Of two matrices, by whatever takes them."""
    found = multiply.machine()(one, other, None, 2)
    return one @ other if found is None else found


# Channel by channel, where they come last


def by_channel(input, weight_shape, kind, groups) -> bool:
    """Whether every channel has a kernel of its own, and vectors of channels lie side by side."""
    if input.ndim != 4 or input.dtype is not FLOAT32 or kind is not FLOAT32:
        return False
    if not 1 < groups == input.shape[1] == weight_shape[0]:
        return False
    if weight_shape[1] != 1 or groups < FEWEST or not channels_are_last(input):
        return False
    size = input.size * math.prod(weight_shape[2:])
    return size >= WINDOWS and (WARMUP.over or WARMUP.pays_off(size))


def convolve_channels(input, weight, bias, sizes, spans):
    """The convolution, or its transpose in the input: its taps and where they read are in the spans."""
    inside, taps = packed(channels_inside(input)), packed(weight.reshape(len(weight), -1).T)
    out = np.empty((len(input), *sizes, len(weight)), FLOAT32)
    shape = np.array(depthwise.Shape(*input.shape[2:], *sizes, *weight.shape[2:], len(weight)))
    lines, grain = len(out) * sizes[0], -(-GRAIN // max(1, sizes[1] * taps.size))
    depthwise.convolve.machine()(inside, taps, numbers(bias, len(weight)), out, *spans, shape, lines, grain)
    return channels_outside(out)


def convolve_weight_channels(grad, input, weight_shape, stride, padding, dilation):
    """The gradient of the kernel, summed in parts that do not depend on the number of threads."""
    (tall, wide), channels, sizes = weight_shape[2:], len(input[0]), grad.shape[2:]
    settings = tuple(stride), tuple(padding), tuple(dilation)
    down = window_spans(input.shape[2:], sizes, (tall, wide), *settings)[0]
    across = tap_spans(input.shape[3], sizes[1], wide, *[each[1] for each in settings])
    lines = len(grad) * sizes[0]
    some = max(LINES, -(-lines * math.prod(weight_shape) // ROOM))
    totals = np.zeros((-(-lines // some), tall * wide, channels), FLOAT32)
    shape = np.array(depthwise.Shape(*input.shape[2:], *sizes, tall, wide, channels))
    images = packed(channels_inside(grad)), packed(channels_inside(input))
    depthwise.convolve_weight.machine()(*images, totals, down, across, shape, lines, some, len(totals))
    return totals.sum(0, dtype=np.float64).astype(FLOAT32).T.reshape(weight_shape)


# Channel by channel, where they come first


def by_plane(input, weight_shape, groups) -> bool:
    """Whether every channel has a kernel of its own, and turned into vectors, nearly all full, they are quicker."""
    if input.ndim != 4 or not groups == input.shape[1] == weight_shape[0] or weight_shape[1] != 1:
        return False
    return LANES >= SQUARE and -groups % LANES <= groups // 4


def convolve_planes(input, weight, bias, stride, padding, dilation):
    """The convolution of as many channels at a time as a vector has lanes."""
    settings = tuple(stride), tuple(padding), tuple(dilation)
    sizes = sizes_of(input.shape, weight.shape, *settings)
    shape = plane_shape(input.shape, tuple(weight.shape[2:]), sizes, *settings)
    shape = shape._replace(jobs=jobs_for(shape.pieces, 0))
    room = depthwise_planes.room_of(shape)
    out, work = np.empty((*input.shape[:2], *sizes), FLOAT32), aligned(shape.jobs * sum(room))
    work[:] = 0
    depthwise_planes.convolve.machine()(
        packed(input), packed(weight), numbers(bias, len(weight)), out, work, np.array(room), np.array(shape)
    )
    return out


# Three by three


def in_tiles(input, weight_shape, kind, stride, padding, dilation, groups) -> bool:
    """Whether Winograd's tiles are quicker: 3x3 kernels of enough channels, one step at a time."""
    return (
        weight_shape[2:] == (3, 3)
        and groups == 1
        and input.dtype is FLOAT32 is kind
        and set(stride) == set(dilation) == {1}
        and max(padding) < 3
        and min(weight_shape[:2]) >= 16
        and input.size * weight_shape[0] >= LARGE
        and len(input) * math.prod(input.shape[2:]) >= POSITIONS
    )


def is_far(input, weight_shape) -> bool:
    """Whether it takes longer to bring a transformed kernel from memory than few tiles spare."""
    positions = len(input) * math.prod(input.shape[2:])
    return positions < FEW_POSITIONS and 32 * math.prod(weight_shape[:2]) >= TAPS


def convolve_tiles(input, weight, bias, padding, mirrored):
    """The convolution, or if `mirrored` its transpose in the input.

    None if there is an infinity or nan, of which Winograd's sums make something else.
    """
    input, weight = packed(input), packed(weight)
    taps = transformed_taps(weight, mirrored)
    filters, channels = weight.shape[1::-1] if mirrored else weight.shape[:2]
    shape = shape_of(input.shape, filters, padding)
    out = np.empty((shape.batch, filters, shape.out_height, shape.out_width), FLOAT32)
    work = aligned(shape.jobs * 16 * (channels + filters) * shape.stride)
    doubt = np.zeros(shape.jobs * LANES, FLOAT32)
    kernel = winograd.CONVOLVE[2 * shape.across <= LANES]
    kernel.machine()(input, taps, numbers(bias, filters), out, work, doubt, np.array(shape))
    return out if not doubt.any() and np.isfinite(weight).all() else None


def transformed_taps(weight, mirrored):
    """The kernel as Winograd has it, and if `mirrored`, that of the transposed convolution."""
    filters, channels = weight.shape[:2]
    taps = aligned(16 * math.prod(-(-each // LANES) * LANES for each in weight.shape[:2]))
    sizes = (channels, filters, 9, 9 * channels) if mirrored else (filters, channels, 9 * channels, 9)
    winograd.transform_taps.machine()(weight, taps, *sizes, mirrored)
    return taps


def convolve_weight_tiles(grad, input, padding):
    """The gradient of the kernel, or None as in `convolve_tiles`."""
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
    """How a convolution is cut into tiles, blocks and jobs, each of which has numbers that are `summed` in the end."""
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


# Windows of which none reaches into another: products of matrices of an image each


def lie_apart(weight_shape, stride, padding, dilation, groups) -> bool:
    """Whether each number of the input belongs to one window at most."""
    single = math.prod(weight_shape[2:]) == 1
    even = tuple(stride) == tuple(weight_shape[2:]) and math.prod(dilation) == 1
    return groups == 1 and not any(padding) and (single or even)


def columns_apart(input, kernel, stride):
    """(batch, channels * taps, *windows) of such an input."""
    if math.prod(kernel) == 1:
        return packed(plain.spaced(input, stride))
    counts = [size // taps for size, taps in zip(input.shape[2:], kernel, strict=True)]
    whole = input[(..., *[slice(count * taps) for count, taps in zip(counts, kernel, strict=True)])]
    split = whole.reshape(*input.shape[:2], *[each for pair in zip(counts, kernel, strict=True) for each in pair])
    turned = split.transpose(0, 1, *range(3, split.ndim, 2), *range(2, split.ndim, 2))
    return packed(turned).reshape(len(input), -1, *counts)


def product_by_image(taps, columns, bias):
    """Taps (filters, depth) times each image's columns (depth, *windows); None where that is another's."""
    batch, depth, *sizes = columns.shape
    every = np.broadcast_to(taps, (batch, *taps.shape))
    found = multiply.machine()(every, columns.reshape(batch, depth, -1), None, 3)
    if found is None:
        return None
    found = found.reshape(batch, len(taps), *sizes)
    return found if bias is None else plain.biased(found, bias)


# Any kernel


def by_windows(input, weight_shape, kind, groups, depth) -> bool:
    """Whether products with windows where they lie are quicker than NumPy's with copies of them.

    `depth` is how many products each window takes part in where NumPy copies it; 0 where it adds windows up by tap.
    """
    if input.dtype is not FLOAT32 or kind is not FLOAT32 or input.ndim > 5:
        return False
    taps = math.prod(weight_shape[2:])
    windows = input.size * taps
    if windows * weight_shape[0] // groups >= (LARGE if taps > 1 else POINTS):
        return True
    return 1 < taps and depth * taps <= SHALLOW and windows >= WINDOWS and (WARMUP.over or WARMUP.pays_off(windows))


def convolve_windows(input, weight, bias, stride, padding, dilation, groups):
    """The convolution."""
    settings = tuple(stride), tuple(padding), tuple(dilation)
    plan = forward_plan(input.shape, weight.shape, *settings, groups)
    if plan.images_last:
        input, weight, settings = images_last(input), weight[..., None], with_images(*settings)
        return images_first(convolve_windows(input, weight, bias, *settings, groups))
    sizes = sizes_of(input.shape, weight.shape, *settings)
    by_filter = math.prod(weight.shape[1:])
    return sums_of_windows(input, weight, bias, plan, (len(input), len(weight), *sizes), by_filter)


def convolve_input_windows(grad, weight, bias, input_shape, stride, padding, dilation, groups):
    """The transpose in the input."""
    settings = tuple(stride), tuple(padding), tuple(dilation)
    plan = backward_plan(grad.shape, weight.shape, tuple(input_shape), *settings, groups)
    if plan.images_last:
        batch, *shape = input_shape
        grad, weight, settings = images_last(grad), weight[..., None], with_images(*settings)
        return images_first(convolve_input_windows(grad, weight, bias, (1, *shape, batch), *settings, groups))
    return sums_of_windows(grad, weight, bias, plan, input_shape, math.prod(weight.shape[2:]))


def sums_of_windows(input, weight, bias, plan, out_shape, by_filter):
    """All parts of a plan; the taps of the result's channels lie `by_filter` apart."""
    out, input, weight = np.empty(out_shape, FLOAT32), packed(input), packed(weight)
    shape = plan.shape._replace(jobs=jobs_for(plan.shape.pieces, 0))
    work = aligned(shape.jobs * (shape.copied + shape.wide * shape.span) + conv.GAP)
    told, taps = flat(shape), weight
    if shape.unit > 1:
        taps = (np.empty if shape.wide == shape.filters else np.zeros)(plan.taps, FLOAT32)
        by_group = weight.size // shape.groups
        grain = -(-GRAIN * shape.groups * shape.wide // (LISTED_ROWS * max(1, plan.taps)))
        conv.pack.machine()(
            weight, plan.sources, taps, plan.parts, told, len(plan.parts), by_group, by_filter, grain
        )  # fmt: skip
    conv.convolve.machine()(
        input, taps, plan.places, numbers(bias, out_shape[1]), out, work, plan.phases, plan.parts, plan.blocks, told
    )
    return out


def convolve_weight_windows(grad, input, weight_shape, stride, padding, dilation, groups):
    """The gradient of the kernel; None if it is not finite: the zeros between rows of windows meet all numbers."""
    settings = tuple(stride), tuple(padding), tuple(dilation)
    plan = forward_plan(input.shape, tuple(weight_shape), *settings, groups, True)
    if plan.images_last:
        grad, input, settings = images_last(grad), images_last(input), with_images(*settings)
        found = convolve_weight_windows(grad, input, (*weight_shape, 1), *settings, groups)
        return None if found is None else found[..., 0]
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
    """The images (batch, channels, *size) as one of (channels, *size, batch), in which they are the last dimension."""
    return packed(np.moveaxis(array, 0, -1))[None]


def images_first(array):
    """The same back."""
    return packed(np.moveaxis(array[0], -1, 0))


def with_images(stride, padding, dilation):
    """Stride, padding and dilation with those of the images, which no kernel joins."""
    return (*stride, 1), (*padding, 0), (*dilation, 1)


def flat(shape) -> np.ndarray:
    """The numbers of a shape in one row."""
    return np.array([number for each in shape for number in (each if isinstance(each, tuple) else (each,))], np.int64)


def jobs_for(pieces, summed) -> int:
    """How many jobs there are for so many pieces."""
    return max(1, min(pieces, min(PARTS, ROOM // summed) if summed else get_num_threads()))


def numbers(bias, count) -> np.ndarray:
    """What is added to each channel: zero, if nothing is."""
    return np.zeros(count, FLOAT32) if bias is None else np.ascontiguousarray(bias, FLOAT32)


def aligned(count: int) -> np.ndarray:
    """Room for float32 from the beginning of a cache line on."""
    room = np.empty(count + 16, FLOAT32)
    return room[-room.ctypes.data % 64 // 4 :]
