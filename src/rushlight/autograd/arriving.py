"""Gradients on their way: in which shape and dtype they arrive."""

from __future__ import annotations

import numpy as np

from rushlight.core.dtype import REDUCED_NUMPY
from rushlight.ops.kinds import raw_dtype


def as_array(value):
    """A raw array, where a formula has left a NumPy scalar."""
    return np.asarray(value) if isinstance(value, np.generic) else value


def widened(F, kind, saved, g):
    """Saved values and gradients of small floats in the wider dtype that the step computes in."""

    def widen(each):
        small = hasattr(each, "shape") and raw_dtype(each) in REDUCED_NUMPY
        return F.cast(each, kind) if small else each

    return tuple(map(widen, saved)), list(map(widen, g)) if type(g) is list else widen(g)


def fitted(F, metas, results) -> tuple:
    """Gradients summed and cast to their inputs' shapes and dtypes, where broadcasting or promotion changed them."""
    fit = F.fit
    return tuple(
        [
            result if result is None or meta is None else fit(result, *meta)
            for result, meta in zip(results, metas, strict=True)
        ]
    )
