"""Half precision, computed in float32 and rounded once: reductions and bags load it directly, layers get float32
copies.

These reductions run before the general path converts operands to float32.
"""

from __future__ import annotations

import functools
from collections.abc import Callable

import numpy as np

from rushlight.core.tables import xp
from rushlight.declarations.shapes import dims, nonempty_axes
from rushlight.kernels import index_add
from rushlight.kernels.reduce import reduced
from rushlight.lower.machine_types import OF_NUMPY, bfloat16, float16, float32

SMALL = (float16, bfloat16)
DTYPES = {each.numpy for each in SMALL}


def by_float32(function: Callable) -> Callable:
    """Returns a function with float32 kernels that also takes half precision; the first operand's dtype decides."""

    @functools.wraps(function)
    def widened(first, *others):
        dtype = first.dtype
        if dtype.itemsize != 2 or dtype not in DTYPES:
            return function(first, *others)
        wide = [xp.astype(x, np.float32) if isinstance(x, np.ndarray) else x for x in (first, *others)]
        return xp.astype(function(*wide), dtype)

    return widened


def mean(input, dim=None, keepdim=False, dtype=None):
    if dtype is not None:
        return None
    total = reduced("sum", input, dims(dim, input.ndim), keepdim, float32.numpy)
    return None if total is None else total / (input.size / total.size)


def extreme(name: str) -> Callable:
    def function(input, dim=None, keepdim=False):
        return reduced(name, input, nonempty_axes(f"{name}()", input.shape, dim), keepdim, float32.numpy)

    return function


def bag_sums(weight, factors, indices, bags, count, padding_idx, scale_grad_by_freq):
    return index_add.bag_sums(weight, factors, indices, bags, count)


FUNCTIONS = {
    "bag_sums": bag_sums,
    "mean": mean,
    "amax": extreme("amax"),
    "amin": extreme("amin"),
    "max_all": extreme("amax"),
    "min_all": extreme("amin"),
}


def converting(name: str) -> Callable:
    """Returns the half precision path of the named operator."""
    function = FUNCTIONS[name]

    def forward(values, dtype, rounded):
        if OF_NUMPY.get(next(iter(values.values())).dtype) not in SMALL:
            return None
        result = function(**values)
        return None if result is None else result.astype(rounded, copy=False)

    return forward
