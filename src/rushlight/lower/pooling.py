"""Max pooling of large arrays by machine code. What it does not take goes to `arrays.pooling`."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from rushlight.arrays import pooling as plain
from rushlight.arrays.layouts import channels_are_last, channels_inside, channels_outside
from rushlight.core.policy import GRAIN, POOLED, Warmup
from rushlight.kernels import pooling as kernels
from rushlight.kernels.arguments import packed

FLOAT32 = np.dtype(np.float32)
WARMUP = Warmup(passes=16)
HUGE = 1 << 31  # numbers: places are of 32 bits
MOST = 64  # taps beyond which NumPy's search box by box is quicker


def max_pool(input, kernel, stride, padding, dilation, ceil_mode=False):
    """`arrays.pooling.max_pool`."""
    if not takes(input, kernel):
        return plain.max_pool(input, kernel, stride, padding, dilation, ceil_mode)
    return largest(input, True, kernel, stride, padding, dilation, ceil_mode)


def max_pool_values(input, kernel, stride, padding, dilation, ceil_mode=False):
    """`arrays.pooling.max_pool_values`."""
    if not takes(input, kernel):
        return plain.max_pool_values(input, kernel, stride, padding, dilation, ceil_mode)
    return largest(input, False, kernel, stride, padding, dilation, ceil_mode)[0]


def largest(input, placed, *settings):
    """The largest element of each window and, if it is asked for, its place."""
    if channels_are_last(input):
        return max_inside(input, boxes_of(input.shape[2:], *settings), placed)
    kernel, shape, counts = plan(input.shape[2:], placed, *settings)
    input = packed(input)
    values = np.empty((*input.shape[:2], *counts), FLOAT32)
    indices = np.empty(values.shape if placed else 0, np.int64)
    planes, size = math.prod(input.shape[:2]), math.prod(input.shape[2:])
    kernel.machine()(input, values, indices, shape, planes, -(-GRAIN // size))
    return values, indices


def takes(input, kernel) -> bool:
    """Whether there is a kernel for these windows, and it is worth its loading."""
    if not (POOLED <= input.size < HUGE and input.dtype is FLOAT32 and len(kernel) < 3 and math.prod(kernel) <= MOST):
        return False
    return WARMUP.over or WARMUP.pays_off(input.size)


@lru_cache(maxsize=256)
def plan(size, placed, kernel, stride, padding, dilation, ceil_mode):
    """A kernel, the numbers that it wants to know, and how many windows each dimension has."""
    settings = kernel, stride, padding, dilation
    counts = [plain.pooled_size(*each, ceil_mode) for each in zip(size, *settings, strict=True)]
    flat = len(kernel) == 1  # one dimension is two with a single row
    two = [((of, *each) if flat else each) for of, each in zip((1, 1, 0, 1), settings, strict=True)]
    sizes = [*size, *counts] if not flat else [1, size[0], 1, counts[0]]
    shape = kernels.Shape(*sizes, *(number for pair in two for number in pair), placed)
    return kernels.max_pool_quartered if kernels.is_quartered(shape) else kernels.max_pool, np.array(shape), counts


def adaptive_max_pool(input, output_size):
    """`arrays.pooling.adaptive_max_pool`."""
    size = input.shape[2:]
    if (
        len(size) != 2
        or 0 in output_size
        or not takes(input, [-(-n // of) for n, of in zip(size, output_size, strict=True)])
    ):
        return plain.adaptive_max_pool(input, output_size)
    if not any([n % of for n, of in zip(size, output_size, strict=True)]):
        windows = tuple([n // of for n, of in zip(size, output_size, strict=True)])
        return largest(input, True, windows, windows, (0, 0), (1, 1), False)
    if channels_are_last(input):
        return max_inside(input, even_boxes_of(size, tuple(output_size)), True)
    rows = packed(input).reshape(-1, 1, *size)
    values, indices = max_inside(rows, even_boxes_of(size, tuple(output_size)), True)
    shape = (*input.shape[:2], *output_size)
    return values.reshape(shape), indices.reshape(shape)


@lru_cache(maxsize=256)
def boxes_of(size, kernel, stride, padding, dilation, ceil_mode):
    """Of each window along each dimension the first place, how many there are, and how far apart."""
    windows = plain.pooled_windows(size, kernel, stride, padding, dilation, ceil_mode)
    return [triples(plain.boxes(*each)) for each in zip(windows.counts, *zip(*windows.sizes, strict=True), strict=True)]


@lru_cache(maxsize=256)
def even_boxes_of(size, output_size):
    """The same of an adaptive pooling."""
    return [triples(plain.even_boxes(*each)) for each in zip(size, output_size, strict=True)]


def triples(boxes) -> np.ndarray:
    return np.array([(box.start, len(range(box.stop)[box]), box.step or 1) for box in boxes], np.int64)


def max_inside(input, boxes, placed):
    """The largest of each box and its place, if that is asked for, of images whose channels come last."""
    down, across = boxes
    inside = packed(channels_inside(input))
    batch, height, width, inner = inside.shape
    values = np.empty((batch, len(down), len(across), inner), FLOAT32)
    indices = np.empty(values.shape if placed else (0,) * 4, np.int64)
    shape = np.array(kernels.Boxes(height, width, len(down), len(across), inner, placed))
    lines, taps = batch * len(down), height * width * inner // len(down)
    kernels.max_of_boxes.machine()(inside, values, indices, down, across, shape, lines, -(-GRAIN // taps))
    return channels_outside(values), channels_outside(indices)


def max_pool_input(grad, indices, input_shape):
    """`arrays.pooling.max_pool_input`."""
    size = math.prod(input_shape)
    fits = size >= POOLED and grad.dtype is FLOAT32 and indices.dtype == np.int64
    if not (fits and (WARMUP.over or WARMUP.pays_off(size))):
        return plain.max_pool_input(grad, indices, input_shape)
    last, (batch, channels, *size) = channels_are_last(indices), input_shape
    planes, inner = (batch, channels) if last else (batch * channels, 1)
    grad, indices = (packed(channels_inside(each) if last else each) for each in (grad, indices))
    out = np.empty((batch, *size, channels) if last else input_shape, FLOAT32)
    size, count = math.prod(size), grad.size // (planes * inner)
    kernels.max_pool_input.machine()(grad, indices, out, size, count, inner, planes, -(-GRAIN // max(size * inner, 1)))
    return channels_outside(out) if last else out
