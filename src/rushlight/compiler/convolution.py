"""Convolution of large arrays by machine code: which kernel takes what, and the memory that it works in.

What no kernel takes goes to `arrays.convolution`, which takes everything.
"""

from __future__ import annotations

import functools
import math

import numpy as np

from rushlight.arrays import convolution as plain
from rushlight.arrays.threads import get_num_threads
from rushlight.compiler.kernels import windows, winograd
from rushlight.compiler.kernels.tile_product import COLUMNS, ROWS
from rushlight.compiler.kernels.vectors import LANES

FLOAT32 = np.dtype(np.float32)
LARGE = 1 << 20  # products of two numbers; fewer are done before a kernel has begun
PARTS = 4  # of a sum over all windows, so that no digit depends on the number of threads; fewer where they are large
ROOM = 1 << 23  # numbers that the parts of a sum may take together
CACHE = 1 << 18  # numbers of a block, transformed and multiplied: half of a second-level cache


def convolve(input, weight, stride, padding, dilation, groups, bias=None):
    """`arrays.convolution.convolve`."""
    if in_tiles(input, weight.shape, weight.dtype, stride, padding, dilation, groups):
        found = convolve_tiles(input, weight, bias, padding, False)
        if found is not None:
            return found
    settings = stride, padding, dilation
    if by_windows(input, weight.shape, weight.dtype, *settings, groups):
        return convolve_windows(input, weight, bias, *settings, groups)
    return plain.convolve(input, weight, *settings, groups, bias)


def convolve_input(grad, weight, input_shape, stride, padding, dilation, groups):
    """`arrays.convolution.convolve_input`."""
    settings = stride, padding, dilation
    if in_tiles(grad, weight.shape, weight.dtype, *settings, groups):
        opposite = plain.mirrored_padding(grad.shape, weight.shape, input_shape, *settings)
        found = convolve_tiles(grad, weight, None, opposite, True) if opposite is not None else None
        if found is not None:
            return found
    if by_windows(grad, weight.shape, weight.dtype, *settings, groups):
        opposite = plain.mirrored_padding(grad.shape, weight.shape, input_shape, *settings)
        if opposite is not None:
            return convolve_windows(grad, plain.mirrored(weight, groups), None, stride, opposite, dilation, groups)
    return plain.convolve_input(grad, weight, input_shape, *settings, groups)


def convolve_weight(grad, input, weight_shape, stride, padding, dilation, groups):
    """`arrays.convolution.convolve_weight`."""
    if in_tiles(input, weight_shape, grad.dtype, stride, padding, dilation, groups):
        found = convolve_weight_tiles(grad, input, padding)
        if found is not None:
            return found
    settings = stride, padding, dilation
    if by_windows(input, weight_shape, grad.dtype, *settings, groups):
        return convolve_weight_windows(grad, input, weight_shape, *settings, groups)
    return plain.convolve_weight(grad, input, weight_shape, *settings, groups)


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
    )


def convolve_tiles(input, weight, bias, padding, mirrored):
    """The convolution, or if `mirrored` its transpose in the input.

    None if there is an infinity or nan, of which Winograd's sums make something else.
    """
    input, weight = np.ascontiguousarray(input), np.ascontiguousarray(weight)
    taps = transformed_taps(weight, mirrored)
    filters, channels = weight.shape[1::-1] if mirrored else weight.shape[:2]
    shape = shape_of(input.shape, filters, padding)
    out = np.empty((shape.batch, filters, shape.out_height, shape.out_width), FLOAT32)
    work = aligned(shape.jobs * 16 * (channels + filters) * shape.stride)
    doubt = np.zeros(shape.jobs * LANES, FLOAT32)
    winograd.convolve.machine()(input, taps, numbers(bias, filters), out, work, doubt, np.array(shape))
    return out if not doubt.any() and np.isfinite(weight).all() else None


def transformed_taps(weight, mirrored):
    """The kernel as Winograd has it, and if `mirrored`, that of the transposed convolution."""
    filters, channels = weight.shape[:2]
    size = 16 * math.prod(-(-each // LANES) * LANES for each in weight.shape[:2])
    taps = aligned(size)
    winograd.transform_taps.machine()(weight, taps, filters, channels)
    if not mirrored:
        return taps
    turned = aligned(size)
    winograd.mirror_taps.machine()(taps, turned, filters, channels)
    return turned


def convolve_weight_tiles(grad, input, padding):
    """The gradient of the kernel, or None as in `convolve_tiles`."""
    grad, input = np.ascontiguousarray(grad), np.ascontiguousarray(input)
    filters, channels = grad.shape[1], input.shape[1]
    shape = shape_of(input.shape, filters, padding, 16 * filters * channels)
    wide = -(-channels // LANES) * LANES
    out = np.empty((filters, channels, 3, 3), FLOAT32)
    totals = aligned(shape.jobs * 16 * filters * channels)
    work = aligned(shape.jobs * (16 * (wide + filters) + wide) * shape.stride)
    doubt = np.zeros(shape.jobs * LANES, FLOAT32)
    winograd.convolve_weight.machine()(grad, input, out, totals, work, doubt, np.array(shape))
    return None if doubt.any() else out


def shape_of(input_shape, filters, padding, summed=0) -> winograd.Shape:
    """How a convolution is cut into tiles, blocks and jobs, each of which has numbers that are `summed` in the end."""
    batch, channels, height, width = input_shape
    top, left = padding
    out_height, out_width = height + 2 * top - 2, width + 2 * left - 2
    down, across = -(-out_height // 2), -(-out_width // 2)
    block = max(1, min(CACHE // (16 * (channels + filters) * COLUMNS), 4)) * COLUMNS
    jobs = jobs_for(-(-batch * down * across // block), summed)
    return winograd.Shape(
        batch,
        channels,
        height,
        width,
        top,
        left,
        filters,
        out_height,
        out_width,
        down,
        across,
        block,
        block + LANES,
        jobs,
    )


# Any kernel


def in_three(each, one) -> tuple[int, int, int]:
    """Numbers of up to three dimensions, the missing ones in front."""
    planes, rows, columns = (one,) * (3 - len(each)) + tuple(each)
    return planes, rows, columns


def by_windows(input, weight_shape, kind, stride, padding, dilation, groups) -> bool:
    """Whether products with windows that are copied panel by panel are quicker than NumPy's with all of them.

    They are not for 1x1 kernels, which need no copies, nor for few filters in a group, which fill no tile.
    """
    return (
        input.dtype is FLOAT32 is kind
        and len(stride) <= 3
        and math.prod(weight_shape[2:]) > 1
        and weight_shape[0] // groups >= ROWS
        and input.size * math.prod(weight_shape[2:]) * weight_shape[0] // groups >= LARGE
    )


def convolve_windows(input, weight, bias, stride, padding, dilation, groups):
    """The convolution."""
    input, weight = np.ascontiguousarray(input), np.ascontiguousarray(weight)
    sizes = [
        (size + 2 * pad - apart * (taps - 1) - 1) // step + 1
        for size, taps, step, pad, apart in zip(
            input.shape[2:], weight.shape[2:], stride, padding, dilation, strict=True
        )
    ]
    out = np.empty((len(input), len(weight), *sizes), FLOAT32)
    shape, jobs = windows_shape(input, weight.shape, sizes, stride, padding, dilation, groups, COLUMNS)
    work = aligned(jobs * math.prod(weight.shape[1:]) * COLUMNS)
    places = places_of(input.shape, weight.shape, dilation)
    windows.convolve.machine()(input, weight, places, numbers(bias, len(weight)), out, work, shape)
    return out


def places_of(input_shape, weight_shape, dilation) -> np.ndarray:
    """How far from the first element of a window each of the others is, as numbers lie in memory."""
    apart = (1, *dilation)
    steps = [math.prod(input_shape[at + 1 :]) * each for at, each in enumerate(apart, 1)]
    counted = [np.arange(count) * step for count, step in zip(weight_shape[1:], steps, strict=True)]
    return functools.reduce(np.add.outer, counted).ravel()


def convolve_weight_windows(grad, input, weight_shape, stride, padding, dilation, groups):
    """The gradient of the kernel."""
    grad, input = np.ascontiguousarray(grad), np.ascontiguousarray(input)
    settings = grad.shape[2:], stride, padding, dilation, groups
    shape, jobs = windows_shape(input, weight_shape, *settings, windows.SPAN, math.prod(weight_shape))
    wide = -(-math.prod(weight_shape[1:]) // LANES) * LANES
    out, totals = np.zeros(weight_shape, FLOAT32), np.zeros((jobs, *weight_shape), FLOAT32)
    windows.convolve_weight.machine()(grad, input, out, totals, aligned(jobs * 2 * wide * windows.SPAN), shape)
    return out


def windows_shape(input, weight_shape, sizes, stride, padding, dilation, groups, span, summed=0):
    """What the kernels are told, where what has fewer than three dimensions has as many of size one; and the jobs."""
    jobs = jobs_for(len(input) * groups * -(-math.prod(sizes) // span), summed)
    shape = windows.Shape(
        len(input), groups, weight_shape[1], weight_shape[0] // groups, in_three(input.shape[2:], 1),
        in_three(weight_shape[2:], 1), in_three(stride, 1), in_three(padding, 0), in_three(dilation, 1),
        in_three(sizes, 1), jobs,
    )  # fmt: skip
    flat = [number for each in shape for number in (each if isinstance(each, tuple) else (each,))]
    return np.array(flat, np.int64), shape.jobs


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
