"""Large operands that lie in several orders: brought into one before a ufunc works on them.

NumPy's iterator goes through all of them in the order of one, and reads another of them down its columns, where each
number lies in a line of the cache, and often in a page, of its own. A transposed copy goes by squares, on all threads.
The order, and with it that of a new result, is PyTorch's.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from rushlight.core.strides import outermost_first
from rushlight.kernels.copies import copied

NUMPYS = {"subok": True, "order": "K"}  # what holds anyway: by two names NumPy itself is asked


class Plan(NamedTuple):
    """The dimensions from the outermost on, what brings a result back, and of each operand what adds the dimensions
    that it lacks, if it lacks any, and whether it lies in another order.
    """

    order: tuple[int, ...]
    back: tuple[int, ...]
    added: tuple[tuple | None, ...]
    apart: tuple[bool, ...]


def in_one_order(ufunc, *operands, out=None, **named):
    """What the ufunc gives. Shapes that do not fit, steps backwards, and rare arguments are NumPy's."""
    writes = type(out) is np.ndarray
    plan = None
    if not named and (writes or out is None or out is ...):
        arrays = (out, *operands) if writes else operands
        plan = planned(tuple([each.shape for each in arrays]), tuple([each.strides for each in arrays]), writes)
    if plan is None:
        return ufunc(*operands, **({} if out is None else {"out": out}), **{**NUMPYS, **named})
    turned = [ordered(each, plan, at) for at, each in enumerate(arrays)]
    if writes:
        ufunc(*turned[1:], out=turned[0])
        return out
    found = ufunc(*turned) if out is None else ufunc(*turned, out=...)
    return tuple([each.transpose(plan.back) for each in found]) if type(found) is tuple else found.transpose(plan.back)


def ordered(array, plan: Plan, at: int):
    """An operand with its dimensions in the order of all; a copy where they do not lie so."""
    added = plan.added[at]
    turned = (array if added is None else array[added]).transpose(plan.order)
    if not plan.apart[at]:
        return turned
    copy = copied(turned)
    return np.ascontiguousarray(turned) if copy is None else copy


@lru_cache(maxsize=1024)
def planned(shapes: tuple, strides: tuple, writes: bool) -> Plan | None:
    """In which order operands are gone through, the first of them a result if it `writes`; None if not at all."""
    rank = max(map(len, shapes))
    try:
        shape = np.broadcast_shapes(*shapes)
    except ValueError:
        return None
    if min([min(each, default=0) for each in strides]) < 0 or (writes and shapes[0] != shape):
        return None
    steps = [stepped(*each, shape) for each in zip(shapes, strides, strict=True)]
    order = tuple(outermost_first(shape, *steps))
    apart = [is_apart(each, shape, order) for each in steps]
    if writes and apart[0]:
        return None
    added = [(None,) * (rank - len(each)) + (...,) if len(each) < rank else None for each in shapes]
    return Plan(order, tuple(np.argsort(order).tolist()), tuple(added), tuple(apart))


def stepped(own: tuple, strides: tuple, shape: tuple) -> tuple:
    """The strides of an operand in the dimensions of the result, 0 where it is broadcast."""
    steps = [0 if length == 1 != all else step for length, step, all in
             zip(own, strides, shape[len(shape) - len(own) :], strict=True)]  # fmt: skip
    return (0,) * (len(shape) - len(own)) + tuple(steps)


def is_apart(steps: tuple, shape: tuple, order: tuple) -> bool:
    """Whether the steps of an operand do not become shorter in that order."""
    found = [steps[dim] for dim in order if steps[dim] and shape[dim] != 1]
    return any([outer < inner for outer, inner in zip(found, found[1:], strict=False)])
