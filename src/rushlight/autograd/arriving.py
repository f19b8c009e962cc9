"""Gradients on their way: added up where several arrive, in the shapes and dtypes that the inputs had."""

from __future__ import annotations

import numpy as np

import rushlight._generated.functions as functions
from rushlight.core.dtype import REDUCED_NUMPY
from rushlight.core.graph import Output
from rushlight.ops.kinds import raw_dtype


def node_of(edge):
    """The node that an edge leads to."""
    return edge.node if type(edge) is Output else edge


def as_array(value):
    """A raw array, where a formula has left a NumPy scalar."""
    return np.asarray(value) if isinstance(value, np.generic) else value


def add(gradients: dict, edge, g, tensors: bool) -> None:
    """Adds a gradient to what has already arrived at an edge."""
    if type(edge) is Output:
        arrived = gradients.get(edge.node)
        if arrived is None:
            arrived = gradients[edge.node] = [None] * edge.node.outputs
        known = arrived[edge.number]
        arrived[edge.number] = g if known is None else functions.add(known, g) if tensors else known + g
        return
    known = gradients.get(edge)
    if known is None:
        gradients[edge] = g if edge.outputs == 1 else [g] + [None] * (edge.outputs - 1)
    else:
        gradients[edge] = functions.add(known, g) if tensors else known + g


def widened(F, kind, saved, g):
    """Saved values and gradients of small floats in the wider dtype that the step computes in."""

    def widen(each):
        small = hasattr(each, "shape") and raw_dtype(each) in REDUCED_NUMPY
        return F.cast(each, kind) if small else each

    return tuple(map(widen, saved)), list(map(widen, g)) if type(g) is list else widen(g)


def fitted(F, metas, results) -> tuple:
    """Gradients summed and cast to their inputs' shapes and dtypes, where broadcasting or promotion changed them."""
    return tuple(
        result if result is None or meta is None else F.fit(result, *meta)
        for result, meta in zip(results, metas, strict=True)
    )
