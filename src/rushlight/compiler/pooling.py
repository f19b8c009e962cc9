"""Max pooling of large arrays by machine code. What it does not take goes to `arrays.pooling`."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from rushlight.arrays import pooling as plain
from rushlight.compiler.kernels import pooling as kernels
from rushlight.compiler.kernels.replacing import packed
from rushlight.compiler.sizes import GRAIN, POOLED, Patience

FLOAT32 = np.dtype(np.float32)
PATIENCE = Patience(passes=16)
HUGE = 1 << 31  # numbers: places are of 32 bits
MOST = 64  # taps beyond which NumPy's search box by box is quicker


def max_pool(input, kernel, stride, padding, dilation, ceil_mode=False):
    """`arrays.pooling.max_pool`."""
    if not takes(input, kernel):
        return plain.max_pool(input, kernel, stride, padding, dilation, ceil_mode)
    kernel, shape, counts = plan(input.shape[2:], kernel, stride, padding, dilation, ceil_mode)
    input = packed(input)
    values = np.empty((*input.shape[:2], *counts), FLOAT32)
    indices = np.empty(values.shape, np.int64)
    planes, size = math.prod(input.shape[:2]), math.prod(input.shape[2:])
    kernel.machine()(input, values, indices, shape, planes, -(-GRAIN // size))
    return values, indices


def takes(input, kernel) -> bool:
    """Whether there is a kernel for these windows, and it is worth its loading."""
    if not (POOLED <= input.size < HUGE and input.dtype is FLOAT32 and len(kernel) < 3 and math.prod(kernel) <= MOST):
        return False
    return PATIENCE.over or PATIENCE.ends(input.size)


@lru_cache(maxsize=256)
def plan(size, kernel, stride, padding, dilation, ceil_mode):
    """A kernel, the numbers that it wants to know, and how many windows each dimension has."""
    settings = kernel, stride, padding, dilation
    counts = [plain.pooled_size(*each, ceil_mode) for each in zip(size, *settings, strict=True)]
    flat = len(kernel) == 1  # one dimension is two with a single row
    two = [((of, *each) if flat else each) for of, each in zip((1, 1, 0, 1), settings, strict=True)]
    sizes = [*size, *counts] if not flat else [1, size[0], 1, counts[0]]
    shape = kernels.Shape(*sizes, *(number for pair in two for number in pair))
    return kernels.max_pool_quartered if kernels.is_quartered(shape) else kernels.max_pool, np.array(shape), counts


def max_pool_values(input, kernel, stride, padding, dilation, ceil_mode=False):
    """`arrays.pooling.max_pool_values`."""
    if not takes(input, kernel):
        return plain.max_pool_values(input, kernel, stride, padding, dilation, ceil_mode)
    return max_pool(input, kernel, stride, padding, dilation, ceil_mode)[0]


def max_pool_input(grad, indices, input_shape):
    """`arrays.pooling.max_pool_input`."""
    size = math.prod(input_shape)
    fits = size >= POOLED and grad.dtype is FLOAT32 and indices.dtype == np.int64
    if not (fits and (PATIENCE.over or PATIENCE.ends(size))):
        return plain.max_pool_input(grad, indices, input_shape)
    grad, indices = packed(grad), packed(indices)
    out = np.empty(input_shape, FLOAT32)
    planes, size, count = math.prod(input_shape[:2]), math.prod(input_shape[2:]), math.prod(grad.shape[2:])
    kernels.max_pool_input.machine()(grad, indices, out, size, count, planes, -(-GRAIN // max(size, 1)))
    return out
