"""Scaled dot-product attention of raw arrays (batch, heads, length, size): softmax(query key^T * scale + bias) value.

Results are stored as (batch, length, heads, size), the order in which they are used next.
"""

from functools import lru_cache

import numpy as np

from rushlight.arrays.concat import lower
from rushlight.arrays.reduce import ALONE, along, is_moderate
from rushlight.core.numbers import ARRAY_NUMBERS
from rushlight.core.tables import primitive


@primitive
def attention(query, key, value, bias, is_causal, scale):
    """Returns the attended values, and the weights (batch, heads, length, keys).

    `bias` is added to the scores; a bool `bias` is a mask of keys. With `is_causal` a query sees no later keys. If a
    row has no keys, its weights are zeros.

    >>> one = np.ones((1, 1, 2, 1))
    >>> attention(one, one, np.array([[[[2.0], [4.0]]]]), None, True, 1.0)[0].ravel()
    array([2., 3.])
    """
    weights = np.matmul(query * ARRAY_NUMBERS[query.dtype][float(scale)], key.swapaxes(2, 3))
    if is_causal and weights.size <= ALONE and is_moderate(weights):
        weights = np.multiply(np.exp(weights, weights), seen_keys(*weights.shape[2:], weights.dtype), weights)
        rows = weights.reshape(-1, weights.shape[3])
        rows /= along(rows, 1)
        return times(weights, value), weights
    if is_causal:
        np.copyto(weights, -np.inf, where=~lower(*weights.shape[2:], 0))
    elif bias is not None and bias.dtype.kind == "b":
        np.copyto(weights, -np.inf, where=~bias)
    elif bias is not None:
        weights += bias
    weights = normalized(weights, is_causal or bias is None)
    return times(weights, value), weights


@primitive
def attention_gradients(grad, query, key, value, weights, is_causal, scale):
    """The derivatives of `attention` with respect to query, key and value, applied to `grad`.

    Weights of keys that were not seen are zero, so nothing here depends on `is_causal`.
    """
    gradient = np.matmul(grad, value.swapaxes(2, 3))
    gradient -= np.einsum("...k,...k->...", gradient, weights)[..., None]
    gradient *= weights
    gradient *= gradient.dtype.type(scale)
    return times(gradient, key), times(gradient.swapaxes(2, 3), query), times(weights.swapaxes(2, 3), grad)


def times(one, other):
    """The matrix product, stored as (batch, length, heads, size)."""
    batch, heads, length = one.shape[:3]
    out = np.empty((batch, length, heads, other.shape[3]), one.dtype).swapaxes(1, 2)
    return np.matmul(one, other, out=out)


def normalized(scores, seen):
    """Softmax of the last dimension, possibly in place; `seen`: every row has a score above minus infinity."""
    rows = scores.reshape(-1, scores.shape[-1])
    if not is_moderate(rows):
        most = np.maximum.reduce(rows, 1, None, None, True)
        if not seen:
            most[most == -np.inf] = 0
        rows -= most
    np.exp(rows, rows)
    total = along(rows, 1)
    if not seen:
        total[total == 0] = 1
    rows /= total
    return rows.reshape(scores.shape)


@lru_cache(32)
def seen_keys(length: int, keys: int, dtype):
    """Returns 1 where a query sees a key, 0 for later keys; read-only."""
    return lower(length, keys, 0).astype(dtype)
