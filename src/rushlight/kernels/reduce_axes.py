"""Plans for reducing a strided array along any axes in place: in stages, one axis each.

A stage takes the reduced axis that is innermost in memory and leaves a smaller result in C order, until none is left.
Axes with one common stride are merged.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from rushlight.kernels.extreme_calls import as_tuple, kept
from rushlight.kernels.reduce_calls import AFTER, BEFORE, plan_of

WIDEST = 4  # elements between columns up to which the ones between are reduced too, and dropped


class Dim(NamedTuple):
    """One axis or several merged: length, stride, whether it is reduced, and the axes' numbers."""

    length: int
    step: int
    goes: bool
    numbers: tuple[int, ...]


class Stages(NamedTuple):
    """The kernel arguments of each stage, the sizes of the last result and of all others, and how to finish.

    `(width, apart)` says which columns of the last result count. It has the shape `lying`; `order` transposes it back;
    it is broadcast to `spread`. `shifts` are the shape and axis order of the shift, with one value for each row or
    column of the first stage.
    """

    plans: np.ndarray
    results: int
    room: int
    columns: tuple[int, int] | None
    lying: tuple[int, ...]
    order: tuple[int, ...] | None
    spread: tuple[int, ...] | None
    shape: tuple[int, ...]
    shifts: tuple[list[int], list[int]] | None

    def finish(self, result):
        """Returns the last result in its final shape."""
        if self.columns is not None:
            width, apart = self.columns
            result = result.reshape(-1, width)[:, ::apart]
        if self.order is not None:
            result = result.reshape(self.lying).transpose(self.order)
        if self.spread is not None:
            result = np.broadcast_to(result, self.spread)
        return np.ascontiguousarray(result).reshape(self.shape)


@lru_cache(maxsize=1024)
def staged(shape: tuple, strides: tuple, axes, keepdims: bool, size: int) -> Stages | None:
    """Returns the stages for elements of `size` bytes; None if none fit, or only a copy's would."""
    rank = len(shape)
    if min(strides, default=-1) < 0 or any([step % size for step in strides]) or 0 in shape:
        return None
    dropped = set(range(rank)) if axes is None else {x % rank for x in as_tuple(axes)}
    dims = [
        Dim(n, step // size, axis in dropped, (axis,))
        for axis, (n, step) in enumerate(zip(shape, strides, strict=True))
    ]
    if any([dim.goes and not dim.step and dim.length > 1 for dim in dims]):
        return None
    left = merge(sorted([dim for dim in dims if dim.step and dim.length > 1], key=lambda dim: -dim.step))
    plans, first = [], left
    while any([dim.goes for dim in left]):
        stage = next_stage(left)
        if stage is None:
            return None
        plans.append(stage[0])
        left = stage[1]
    if not plans:
        return None
    apart = left[-1].step if left else 1
    kept_axes = [axis for dim in left for axis in dim.numbers]
    ones = [axis for axis in range(rank) if axis not in kept_axes]
    expanded = any([shape[axis] > 1 and axis not in dropped for axis in ones])
    *earlier, results = [int(plan[BEFORE] * plan[AFTER]) for plan in plans]
    return Stages(
        np.stack(plans),
        results,
        sum(earlier),
        (apart * (left[-1].length - 1) + 1, apart) if apart > 1 else None,
        (1,) * len(ones) + tuple([shape[axis] for axis in kept_axes]),
        tuple(np.argsort([*ones, *kept_axes]).tolist()) if expanded or kept_axes != sorted(kept_axes) else None,
        tuple([1 if axis in dropped else n for axis, n in enumerate(shape)]) if expanded else None,
        kept(shape, axes, keepdims),
        None if apart > 1 or expanded else shifts_of(shape, first),
    )


def merge(dims: Sequence[Dim], alike: bool = True) -> list[Dim]:
    """Merges axes with one common stride; if `alike`, only those that are both reduced or both kept."""
    merged: list[Dim] = []
    for dim in dims:
        last = merged[-1] if merged else None
        if last is not None and last.step == dim.step * dim.length and (not alike or last.goes == dim.goes):
            merged[-1] = Dim(last.length * dim.length, dim.step, dim.goes, last.numbers + dim.numbers)
        else:
            merged.append(dim)
    return merged


def next_axis(dims: list[Dim]) -> int:
    """Returns the position of the axis that the next stage reduces."""
    return max([i for i, dim in enumerate(dims) if dim.goes])


def next_stage(dims: list[Dim]) -> tuple[np.ndarray, list[Dim]] | None:
    """Returns the plan of the next stage and the axes of its result; None with too many strides, or columns too far
    apart.
    """
    index, inner = next_axis(dims), dims[-1]
    reduced, is_line = dims[index], dims[index] is inner
    outer = dims[:-1] if is_line else [*dims[:index], *dims[index + 1 : -1]]
    levels = merge(outer, alike=False)
    if len(levels) > 2 or (not is_line and inner.step > WIDEST):
        return None
    first, second = [(1, 0)] * (2 - len(levels)) + [(dim.length, dim.step) for dim in levels]
    after = 1 if is_line else inner.step * (inner.length - 1) + 1
    plan = plan_of(first, second, (reduced.length, reduced.step), after)
    stays, step = [] if is_line else [inner], after
    for dim in reversed(outer):
        stays.insert(0, dim._replace(step=step))
        step *= dim.length
    return plan, merge(stays)


def shifts_of(shape: tuple, dims: list[Dim]) -> tuple[list[int], list[int]]:
    """Returns the shape and axis order of the shift for the first stage."""
    dropped = dims[next_axis(dims)]
    kept_axes = [axis for dim in dims if dim is not dropped for axis in dim.numbers]
    others = [axis for axis in range(len(shape)) if axis not in kept_axes]
    return [shape[axis] if axis in kept_axes else 1 for axis in range(len(shape))], [*others, *kept_axes]
