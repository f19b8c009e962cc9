"""Attention by cuDNN: the weights of the values are never stored, only the logarithms of their sums.

Arrays are (batch, heads, length, size). Several heads of queries may share one of keys and values.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rushlight.arrays.cuda.cudnn.graphs import Graphs
from rushlight.arrays.cuda.cudnn.layouts import BYTES, aligned
from rushlight.arrays.cuda.cudnn.plans import Call

INPUTS = ("float16", "bfloat16")


def is_suited(query: Any, key: Any, value: Any) -> bool:
    """Whether cuDNN may have a kernel for these operands. With one key the logarithms have the shape of weights."""
    sizes = query.shape[3] % 8 == value.shape[3] % 8 == 0
    return sizes and key.shape[2] > 1 and all(each.dtype.name in INPUTS for each in (query, key, value))


def attended(
    graphs: Graphs, query: Any, key: Any, value: Any, bias: Any, is_causal: bool, scale: float
) -> tuple | None:  # fmt: skip
    """Returns the attended values, and the logarithms of the sums of exponentials (batch, heads, length, 1); None
    without a kernel.

    `bias` is added to the scores; a bool `bias` is a mask of keys. A query that sees no key gives zeros.
    """
    cupy = graphs.cupy
    query, key, value = (in_rows(cupy, each) for each in (query, key, value))
    result = empty_heads(cupy, (*query.shape[:3], value.shape[3]), query.dtype)
    log_sums = cupy.empty((*query.shape[:3], 1), np.float32)
    added, blind = added_scores(cupy, bias, query, key)
    call = call_of("sdpa", ("q", "k", "v"), added, is_causal, scale, ("generate_stats", True))
    if not graphs.run(call, [query, key, value, *added], [result, log_sums]):
        return None
    return without(cupy, blind, result), log_sums


def attention_gradients(
    graphs: Graphs, grad: Any, query: Any, key: Any, value: Any, bias: Any, out: Any, log_sums: Any, is_causal: bool,
    scale: float,
) -> list | None:  # fmt: skip
    """Returns the gradients of `attended` for query, key and value; None without a kernel."""
    cupy = graphs.cupy
    added, blind = added_scores(cupy, bias, query, key)
    grad = without(cupy, blind, grad)
    query, key, value, out, grad = (in_rows(cupy, each) for each in (query, key, value, out, grad))
    results = [empty_heads(cupy, each.shape, each.dtype) for each in (query, key, value)]
    exact = "use_deterministic_algorithm", graphs.is_deterministic()
    call = call_of("sdpa_backward", ("q", "k", "v", "o", "dO", "stats"), added, is_causal, scale, exact)
    operands = [query, key, value, out, grad, cupy.ascontiguousarray(log_sums), *added]
    return results if graphs.run(call, operands, results) else None


def call_of(
    operator: str, operands: tuple, added: list, is_causal: bool, scale: float, setting: tuple[str, bool]
) -> Call:  # fmt: skip
    """Returns a call of attention; the last key that a causal query sees is the one of its own number."""
    settings = (("attn_scale", float(scale)), setting, *([("diagonal_band_right_bound", 0)] if is_causal else []))
    return Call(operator, (*operands, *(["bias"] if added else [])), settings)


def added_scores(cupy: Any, bias: Any, query: Any, key: Any) -> tuple[list, Any]:
    """Returns what is added to the scores, in a list that may be empty, and which queries see no key.

    To the scores of these nothing is added: minus infinity for all keys would make them NaN, and the gradients of all
    keys too.
    """
    if bias is None:
        return [], None
    bias = bias.reshape(*[1] * (4 - bias.ndim), *bias.shape)
    bias = cupy.broadcast_to(bias, (*bias.shape[:2], query.shape[2], key.shape[2]))
    seen = bias if bias.dtype.kind == "b" else bias != -np.inf
    blind = ~cupy.any(seen, axis=3, keepdims=True)
    zero, hidden = query.dtype.type(0), query.dtype.type(-np.inf)
    values = cupy.where(seen, zero, hidden) if bias.dtype.kind == "b" else bias
    return [cupy.ascontiguousarray(cupy.where(blind, zero, values))], blind


def without(cupy: Any, blind: Any, array: Any) -> Any:
    """Returns an array with zeros for the queries that see no key, in the same layout."""
    if blind is None:
        return array
    inside = cupy.where(blind.swapaxes(1, 2), array.dtype.type(0), array.swapaxes(1, 2))
    return inside.swapaxes(1, 2)


def in_rows(cupy: Any, array: Any) -> Any:
    """Returns an array whose rows are contiguous and aligned; itself if it is one."""
    *outer, last = array.strides
    if last == array.dtype.itemsize and all(step > 0 and step % BYTES == 0 for step in outer):
        return aligned(array)
    return cupy.ascontiguousarray(array)


def empty_heads(cupy: Any, shape: tuple, dtype: Any) -> Any:
    """Returns an array stored as (batch, length, heads, size), the order in which results are used next."""
    batch, heads, length, size = shape
    return cupy.empty((batch, length, heads, size), dtype).swapaxes(1, 2)
