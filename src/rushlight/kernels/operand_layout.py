"""Brings large ufunc operands with different axis orders into one order.

NumPy's iterator walks all operands in the order of one, and reads the others by columns, where each element is in
another cache line and often another page. A transposed copy is tiled and parallel. The order, and that of a new result,
is PyTorch's.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from rushlight.core.strides import outermost_first
from rushlight.kernels.copies import copied

NUMPYS = {"subok": True, "order": "K"}  # the defaults: two keywords make the call NumPy's


class Plan(NamedTuple):
    """Axis order, its inverse, and per operand: the index that adds missing axes, and whether it must be copied."""

    order: tuple[int, ...]
    back: tuple[int, ...]
    added: tuple[tuple | None, ...]
    apart: tuple[bool, ...]


def call_in_common_order(ufunc, *operands, out=None, **named):
    """Returns the ufunc's result. Invalid shapes, negative strides and other arguments are left to NumPy."""
    writes = type(out) is np.ndarray
    plan = None
    if not named and (writes or out is None or out is ...):
        arrays = (out, *operands) if writes else operands
        plan = plan_operands(tuple([x.shape for x in arrays]), tuple([x.strides for x in arrays]), writes)
    if plan is None:
        return ufunc(*operands, **({} if out is None else {"out": out}), **{**NUMPYS, **named})
    operands_in_order = [ordered(x, plan, i) for i, x in enumerate(arrays)]
    if writes:
        ufunc(*operands_in_order[1:], out=operands_in_order[0])
        return out
    result = ufunc(*operands_in_order) if out is None else ufunc(*operands_in_order, out=...)
    return tuple([x.transpose(plan.back) for x in result]) if type(result) is tuple else result.transpose(plan.back)


def ordered(array, plan: Plan, index: int):
    """Returns an operand with its axes in the common order, copied if it is laid out differently."""
    added = plan.added[index]
    transposed = (array if added is None else array[added]).transpose(plan.order)
    if not plan.apart[index]:
        return transposed
    copy = copied(transposed)
    return np.ascontiguousarray(transposed) if copy is None else copy


@lru_cache(maxsize=1024)
def plan_operands(shapes: tuple, strides: tuple, writes: bool) -> Plan | None:
    """Returns the order for the operands (the first is the output if `writes`); None to leave the call to NumPy."""
    rank = max(map(len, shapes))
    try:
        shape = np.broadcast_shapes(*shapes)
    except ValueError:
        return None
    if min([min(x, default=0) for x in strides]) < 0 or (writes and shapes[0] != shape):
        return None
    steps = [broadcast_strides(*x, shape) for x in zip(shapes, strides, strict=True)]
    order = tuple(outermost_first(shape, *steps))
    apart = [is_unordered(x, shape, order) for x in steps]
    if writes and apart[0]:
        return None
    added = [(None,) * (rank - len(x)) + (...,) if len(x) < rank else None for x in shapes]
    return Plan(order, tuple(np.argsort(order).tolist()), tuple(added), tuple(apart))


def broadcast_strides(own: tuple, strides: tuple, shape: tuple) -> tuple:
    """Returns an operand's strides along the axes of the result, 0 where broadcast."""
    steps = [0 if length == 1 != size else step for length, step, size in
             zip(own, strides, shape[len(shape) - len(own) :], strict=True)]  # fmt: skip
    return (0,) * (len(shape) - len(own)) + tuple(steps)


def is_unordered(steps: tuple, shape: tuple, order: tuple) -> bool:
    """Returns whether the strides do not decrease in that order."""
    nonzero = [steps[dim] for dim in order if steps[dim] and shape[dim] != 1]
    return any([outer < inner for outer, inner in zip(nonzero, nonzero[1:], strict=False)])
