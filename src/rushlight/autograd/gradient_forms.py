"""The forms of gradients in a backward pass: raw array or Tensor, one or a list, and their shape and dtype."""

from __future__ import annotations

import numpy as np

from rushlight.core.device import beside, is_on_gpu
from rushlight.core.dtype import REDUCED_NUMPY, float32
from rushlight.core.graph import SAME
from rushlight.core.lazy_conj_neg import plain
from rushlight.core.modes import recording
from rushlight.core.tables import enter, raw
from rushlight.core.tensor import Tensor, wrap
from rushlight.declarations.dtype_rules import raw_dtype

FLOAT32 = float32.numpy


def as_array(value):
    """Returns a raw array, where a formula has left a NumPy scalar."""
    return np.asarray(value) if isinstance(value, np.generic) else value


def as_tensor(g):
    """Returns a gradient as a Tensor; None if it is undefined."""
    return g if g is None or isinstance(g, Tensor) else wrap(as_array(g))


def as_raw(g):
    """Returns a gradient as a raw array; None if it is undefined."""
    return plain(g._array) if isinstance(g, Tensor) else g


def must_be_a_tensor(g) -> bool:
    """Whether a gradient is sparse or on a GPU, so that it is no array of NumPy's."""
    array = as_raw(g)
    return type(array) is not np.ndarray and (is_on_gpu(array) or getattr(g, "_carrier", None) is not None)


def all_outputs(node, g) -> list:
    """The gradients of all outputs of a node, None for those that are undefined."""
    if node.outputs == 1:
        return g if type(g) is list else [g]
    return [None] * node.outputs if g is None else list(g)


def joined(gradients: list):
    """The reverse of `all_outputs`: None if all are undefined, one as it is, several as a list."""
    if all(g is None for g in gradients):
        return None
    return gradients if len(gradients) > 1 else gradients[0]


def accepted(leaf):
    """The NumPy dtype that the gradient of a leaf must have, None for any."""
    wanted = leaf.grad_dtype
    return leaf.dtype if wanted is SAME else wanted and wanted.numpy


def widened(F, dtype, saved, g):
    """Casts saved values and gradients of half precision to the dtype that the node computes in."""

    def widen(value):
        reduced = hasattr(value, "shape") and raw_dtype(value) in REDUCED_NUMPY
        if not reduced:
            return value
        in_order = type(value) is np.ndarray and (value.flags.c_contiguous or not any(value.strides))
        return value.astype(dtype, "C") if in_order else F.cast(value, dtype)

    return tuple(map(widen, saved)), list(map(widen, g)) if type(g) is list else widen(g)


def stepped(F, node, saved, g, edges) -> tuple:
    """Calls the backward function of a node, in the wider dtype that the node computes in, if any."""
    if node.converting is not None and F is raw and node.outputs == 1:
        results = node.converting(node, saved, g, edges)
        if results is not None:
            return results
    if node.computes_in is not None:
        saved, g = widened(F, node.computes_in, saved, g)
    results = node.backward(F, node, saved, g, edges)
    if F is raw or not node.op.zero_second_derivative or not recording():
        return results
    return leading_back(F, node, edges, results)


def leading_back(F, node, edges, results) -> tuple:
    """Links gradients without a graph, of an op that is a step function, to their inputs; the derivative there is 0."""
    linked = list(results)
    for position, edge in enumerate(edges):
        result = results[position]
        if edge is not None and result is not None and result._edge is None:
            meta = None if node.metas is None else node.metas[position]
            origin = wrap(result._array if meta is None else beside(np.empty(*meta), result._array))
            origin._edge = edge
            linked[position] = F.stepped_by(result, origin)
    return tuple(linked)


def fitted(F, metas, results) -> tuple:
    """Sums and casts gradients to the shapes and dtypes of their inputs, after broadcasting or promotion."""
    return tuple(
        [
            result if result is None or meta is None else fit(F, result, *meta)
            for result, meta in zip(results, metas, strict=True)
        ]
    )


enter(raw, {"fitted": fitted})


def fit(F, result, shape: tuple, dtype):
    """Sums and casts one gradient; fast if only float32 is cast to half precision."""
    if type(result) is np.ndarray and result.shape == shape and result.flags.c_contiguous:
        if result.dtype is dtype:
            return result
        if result.dtype is FLOAT32 and dtype in REDUCED_NUMPY:
            return result.astype(dtype)
    return F.fit(result, shape, dtype)
