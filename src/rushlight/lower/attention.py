"""Attention of large arrays by machine code; other calls go to `arrays.attention`."""

from __future__ import annotations

import numpy as np

from rushlight.arrays import attention as plain
from rushlight.arrays.threads import get_num_threads
from rushlight.core.storage import address
from rushlight.kernels import attention as kernels
from rushlight.kernels.gemm_tile import COLUMNS
from rushlight.lower.convolution import aligned

FLOAT32 = np.dtype(np.float32)
LARGE = 1 << 8  # weights for which loading the kernel pays off; once loaded it is used for fewer too
WORTH = 1 << 14  # weights per thread


def attention(query, key, value, bias, is_causal, scale):
    """`arrays.attention.attention`."""
    if not is_suited(kernels.attend if bias is None else kernels.attention, query, key, value, bias):
        return plain.attention(query, key, value, bias, is_causal, scale)
    if bias is None:
        batch, heads, length, size = query.shape
        weights = np.empty((batch, heads, length, key.shape[2]), FLOAT32)
        out = np.empty((batch, length, heads, size), FLOAT32)
        if kernels.attend.machine()(query, key, value, out, weights, is_causal, scale, WORTH):
            return out.swapaxes(1, 2), weights
    query, key, value = (by_row(x) for x in (query, key, value))
    batch, heads, length, size = query.shape
    weights = np.empty((batch, heads, length, key.shape[2]), FLOAT32)
    added = query if bias is None else np.broadcast_to(as_floats(bias), weights.shape)
    if bias is not None and added.strides[3] != 4:
        added = np.ascontiguousarray(added)
    out, shape = allocate_result(query, length, size), shape_of(query, key, value, added, is_causal, bias is not None)
    work = aligned(shape[7] * work_size(*weights.shape[2:], size))
    kernels.attention.machine()(query, key, value, added, out, weights, work, shape, scale)
    return out.swapaxes(1, 2), weights


def attention_gradients(grad, query, key, value, weights, is_causal, scale):
    """`arrays.attention.attention_gradients`."""
    fits = is_suited(kernels.attention_gradients, query, key, value, None)
    if not fits or not grad.dtype is weights.dtype is FLOAT32:
        return plain.attention_gradients(grad, query, key, value, weights, is_causal, scale)
    gradients = allocate_gradients(query, key, value)
    query, key, value, grad = (by_row(x) for x in (query, key, value, grad))
    weights, size = np.ascontiguousarray(weights), query.shape[3]
    shape = shape_of(query, key, value, grad, is_causal, False, gradients[0].strides[1] // 4)
    work = aligned(shape[7] * work_size(*weights.shape[2:], size))
    kernels.attention_gradients.machine()(grad, query, key, value, weights, *gradients, work, shape, scale)
    return tuple(x.swapaxes(1, 2) for x in gradients)


def allocate_gradients(query, key, value) -> list[np.ndarray]:
    """Allocates the three gradients; in one array if the inputs are parts of one, a projection.

    Then concatenating the gradients of the parts costs nothing.
    """
    batch, heads, length, size = query.shape
    width, steps = 4 * heads * size, query.strides
    if steps[1:] == (4 * size, 3 * width, 4) and steps == key.strides == value.strides and query.shape == key.shape:
        addresses = [address(x) for x in (query, key, value)]
        parts = [(x - min(addresses)) // width for x in addresses]
        if sorted(parts) == [0, 1, 2] and max(addresses) - min(addresses) == 2 * width:
            whole = np.empty((batch, length, 3, heads, size), FLOAT32)
            return [whole[:, :, number] for number in parts]
    return [allocate_result(query, x.shape[2], size) for x in (query, key, value)]


def is_suited(kernel, query, key, value, bias) -> bool:
    """Returns whether all operands are float32 of one head size, and large enough if the kernel is not loaded."""
    size = query.shape[3]
    if not query.dtype is key.dtype is value.dtype is FLOAT32 or not size == key.shape[3] == value.shape[3]:
        return False
    if not kernel.kernels and query.size // size * key.shape[2] < LARGE:
        return False
    return bias is None or bias.dtype.kind == "b" or bias.dtype is FLOAT32


def by_row(array: np.ndarray) -> np.ndarray:
    """Returns the array with contiguous rows, copied if necessary."""
    return array if array.strides[3] == 4 and not any(step % 4 for step in array.strides) else array.copy("C")


def as_floats(bias: np.ndarray) -> np.ndarray:
    """Returns the bias added to scores: for bools, minus infinity where False."""
    return np.where(bias, np.float32(0), np.float32(-np.inf)) if bias.dtype.kind == "b" else bias


def allocate_result(query: np.ndarray, length: int, size: int) -> np.ndarray:
    """Allocates a result (batch, length, heads, size)."""
    return np.empty((len(query), length, query.shape[1], size), FLOAT32)


def work_size(length: int, keys: int, size: int) -> int:
    """Returns the workspace per job, as the kernels compute it."""
    return -(-keys // COLUMNS) * COLUMNS * size + length * keys


def shape_of(query, key, value, other, is_causal, biased, grad_row=0) -> np.ndarray:
    """Returns the kernels' arguments."""
    batch, heads, length, size = query.shape
    steps = (step // 4 for x in (query, key, value, other) for step in x.strides[:3])
    jobs = max(1, min(get_num_threads(), batch * heads, batch * heads * length * key.shape[2] // WORTH))
    fields = (batch, heads, length, key.shape[2], size, int(is_causal), int(biased), jobs, *steps, grad_row)
    return np.array(fields, np.int64)
