"""Half precision, computed in float32 and rounded once: reductions and bags load it as it is, layers are given copies.

The reductions are asked before the general path brings an operand to float32.
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
    """A function whose kernels are of float32, for arrays of half precision too: the first tells."""

    @functools.wraps(function)
    def widened(first, *others):
        kind = first.dtype
        if kind.itemsize != 2 or kind not in DTYPES:
            return function(first, *others)
        wide = [xp.astype(each, np.float32) if isinstance(each, np.ndarray) else each for each in (first, *others)]
        return xp.astype(function(*wide), kind)

    return widened


def mean(input, dim=None, keepdim=False, dtype=None):
    if dtype is not None:
        return None
    found = reduced("sum", input, dims(dim, input.ndim), keepdim, float32.numpy)
    return None if found is None else found / (input.size / found.size)


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
    """What stands before the operator of that name."""
    function = FUNCTIONS[name]

    def forward(values, kind, rounded):
        if OF_NUMPY.get(next(iter(values.values())).dtype) not in SMALL:
            return None
        found = function(**values)
        return None if found is None else found.astype(rounded, copy=False)

    return forward
