"""Attention of large arrays by machine code. What it does not take goes to `arrays.attention`."""

from __future__ import annotations

import numpy as np

from rushlight.arrays import attention as plain
from rushlight.arrays.threads import get_num_threads
from rushlight.core.storage import address
from rushlight.kernels import attention as kernels
from rushlight.kernels.gemm_tile import COLUMNS
from rushlight.lower.convolution import aligned

FLOAT32 = np.dtype(np.float32)
LARGE = 1 << 8  # weights that are worth loading a kernel, which is then quicker for fewer as well
WORTH = 1 << 14  # weights that are worth a thread


def attention(query, key, value, bias, is_causal, scale):
    """`arrays.attention.attention`."""
    if not suits(kernels.attend if bias is None else kernels.attention, query, key, value, bias):
        return plain.attention(query, key, value, bias, is_causal, scale)
    if bias is None:
        batch, heads, length, size = query.shape
        weights = np.empty((batch, heads, length, key.shape[2]), FLOAT32)
        out = np.empty((batch, length, heads, size), FLOAT32)
        if kernels.attend.machine()(query, key, value, out, weights, is_causal, scale, WORTH):
            return out.swapaxes(1, 2), weights
    query, key, value = (by_row(each) for each in (query, key, value))
    batch, heads, length, size = query.shape
    weights = np.empty((batch, heads, length, key.shape[2]), FLOAT32)
    added = query if bias is None else np.broadcast_to(as_numbers(bias), weights.shape)
    if bias is not None and added.strides[3] != 4:
        added = np.ascontiguousarray(added)
    out, shape = room(query, length, size), shape_of(query, key, value, added, is_causal, bias is not None)
    work = aligned(shape[7] * work_size(*weights.shape[2:], size))
    kernels.attention.machine()(query, key, value, added, out, weights, work, shape, scale)
    return out.swapaxes(1, 2), weights


def attention_gradients(grad, query, key, value, weights, is_causal, scale):
    """`arrays.attention.attention_gradients`."""
    suited = suits(kernels.attention_gradients, query, key, value, None)
    if not suited or not grad.dtype is weights.dtype is FLOAT32:
        return plain.attention_gradients(grad, query, key, value, weights, is_causal, scale)
    found = rooms(query, key, value)
    query, key, value, grad = (by_row(each) for each in (query, key, value, grad))
    weights, size = np.ascontiguousarray(weights), query.shape[3]
    shape = shape_of(query, key, value, grad, is_causal, False, found[0].strides[1] // 4)
    work = aligned(shape[7] * work_size(*weights.shape[2:], size))
    kernels.attention_gradients.machine()(grad, query, key, value, weights, *found, work, shape, scale)
    return tuple(each.swapaxes(1, 2) for each in found)


def rooms(query, key, value) -> list[np.ndarray]:
    """Memory for the three gradients: beside each other in one array if the three are parts of one, a projection.

    Then whoever puts the gradients of the parts together has nothing to do.
    """
    batch, heads, length, size = query.shape
    width, steps = 4 * heads * size, query.strides
    if steps[1:] == (4 * size, 3 * width, 4) and steps == key.strides == value.strides and query.shape == key.shape:
        places = [address(each) for each in (query, key, value)]
        numbers = [(each - min(places)) // width for each in places]
        if sorted(numbers) == [0, 1, 2] and max(places) - min(places) == 2 * width:
            whole = np.empty((batch, length, 3, heads, size), FLOAT32)
            return [whole[:, :, number] for number in numbers]
    return [room(query, each.shape[2], size) for each in (query, key, value)]


def suits(kernel, query, key, value, bias) -> bool:
    """Whether all is float32, of one size, and enough of it for a kernel that may have to be loaded."""
    size = query.shape[3]
    if not query.dtype is key.dtype is value.dtype is FLOAT32 or not size == key.shape[3] == value.shape[3]:
        return False
    if not kernel.kernels and query.size // size * key.shape[2] < LARGE:
        return False
    return bias is None or bias.dtype.kind == "b" or bias.dtype is FLOAT32


def by_row(array: np.ndarray) -> np.ndarray:
    """The array, copied if the numbers of a row do not lie beside each other."""
    return array if array.strides[3] == 4 and not any(step % 4 for step in array.strides) else array.copy("C")


def as_numbers(bias: np.ndarray) -> np.ndarray:
    """What is added to scores: of bools, minus infinity where they are false."""
    return np.where(bias, np.float32(0), np.float32(-np.inf)) if bias.dtype.kind == "b" else bias


def room(query: np.ndarray, length: int, size: int) -> np.ndarray:
    """(batch, length, heads, size) for a result."""
    return np.empty((len(query), length, query.shape[1], size), FLOAT32)


def work_size(length: int, keys: int, size: int) -> int:
    """The same as in the kernels."""
    return -(-keys // COLUMNS) * COLUMNS * size + length * keys


def shape_of(query, key, value, other, is_causal, biased, apart=0) -> np.ndarray:
    """What the kernels are told."""
    batch, heads, length, size = query.shape
    steps = (step // 4 for each in (query, key, value, other) for step in each.strides[:3])
    jobs = max(1, min(get_num_threads(), batch * heads, batch * heads * length * key.shape[2] // WORTH))
    numbers = (batch, heads, length, key.shape[2], size, int(is_causal), int(biased), jobs, *steps, apart)
    return np.array(numbers, np.int64)
