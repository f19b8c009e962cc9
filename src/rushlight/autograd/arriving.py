"""Gradients on their way: in which shape and dtype they arrive."""

from __future__ import annotations

import numpy as np

from rushlight.core.dtype import REDUCED_NUMPY, float32
from rushlight.core.graph import SAME
from rushlight.core.tables import enter, raw
from rushlight.core.tensor import wrap
from rushlight.declarations.dtype_rules import raw_dtype

FLOAT32 = float32.numpy


def as_array(value):
    """A raw array, where a formula has left a NumPy scalar."""
    return np.asarray(value) if isinstance(value, np.generic) else value


def accepted(leaf):
    """The dtype that the gradient of a leaf has to have, None for any; as NumPy has it."""
    wanted = leaf.grad_dtype
    return leaf.dtype if wanted is SAME else wanted and wanted.numpy


def widened(F, kind, saved, g):
    """Saved values and gradients of small floats in the wider dtype that the step computes in."""

    def widen(each):
        small = hasattr(each, "shape") and raw_dtype(each) in REDUCED_NUMPY
        if not small:
            return each
        in_order = type(each) is np.ndarray and (each.flags.c_contiguous or not any(each.strides))
        return each.astype(kind, "C") if in_order else F.cast(each, kind)

    return tuple(map(widen, saved)), list(map(widen, g)) if type(g) is list else widen(g)


def stepped(F, node, saved, g, edges) -> tuple:
    """What a node gives for edges that are not None; it may compute in a wider dtype than what it is given."""
    if node.converting is not None and F is raw and node.outputs == 1:
        results = node.converting(node, saved, g, edges)
        if results is not None:
            return results
    if node.computes_in is not None:
        saved, g = widened(F, node.computes_in, saved, g)
    results = node.backward(F, node, saved, tuple(g) if node.outputs > 1 else g, edges)
    return results if F is raw or not node.op.zero_second_derivative else leading_back(F, node, edges, results)


def leading_back(F, node, edges, results) -> tuple:
    """Gradients of an operation that goes in steps: one without a graph leads back to its input, where it is 0."""
    led = list(results)
    for position, edge in enumerate(edges):
        result = results[position]
        if edge is not None and result is not None and result._edge is None:
            meta = None if node.metas is None else node.metas[position]
            origin = wrap(result._array if meta is None else np.empty(*meta))
            origin._edge = edge
            led[position] = F.stepped_by(result, origin)
    return tuple(led)


def fitted(F, metas, results) -> tuple:
    """Gradients summed and cast to their inputs' shapes and dtypes, where broadcasting or promotion changed them."""
    return tuple(
        [
            result if result is None or meta is None else fit(F, result, *meta)
            for result, meta in zip(results, metas, strict=True)
        ]
    )


enter(raw, {"fitted": fitted})


def fit(F, result, shape: tuple, kind):
    """One of them; where nothing is summed, and float32 becomes a smaller dtype, this is quick."""
    if type(result) is np.ndarray and result.shape == shape and result.flags.c_contiguous:
        if result.dtype is kind:
            return result
        if result.dtype is FLOAT32 and kind in REDUCED_NUMPY:
            return result.astype(kind)
    return F.fit(result, shape, kind)
