"""How an array of any strides is reduced along any axes, where it lies: in stages, each along one of its dimensions.

The first stage takes that dimension of those that go that is innermost in memory, and leaves a result in C order, which
has fewer elements; so on until none is left. Dimensions that lie one in the other are one.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from rushlight.kernels.extreme_calls import as_tuple, kept
from rushlight.kernels.reduce_calls import AFTER, BEFORE, plan_of

WIDEST = 4  # elements from one column to the next, up to which those between are reduced too, and then left out


class Dim(NamedTuple):
    """A dimension, or several: its length, elements from one to the next, whether it goes, and which it was."""

    length: int
    step: int
    goes: bool
    numbers: tuple[int, ...]


class Stages(NamedTuple):
    """What kernels are told in each stage, how many numbers the last one leaves and all others, and how the last result
    becomes the one that is wanted.

    Of its rows `(width, apart)` says which columns count. It has the shape `lying`, from which `order` brings its
    dimensions back, and is expanded to `spread`. `shifts` are the shape and the order in which what is subtracted
    stands for each line or column of the first stage.
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

    def finished(self, found):
        """The last result as it is wanted."""
        if self.columns is not None:
            width, apart = self.columns
            found = found.reshape(-1, width)[:, ::apart]
        if self.order is not None:
            found = found.reshape(self.lying).transpose(self.order)
        if self.spread is not None:
            found = np.broadcast_to(found, self.spread)
        return np.ascontiguousarray(found).reshape(self.shape)


@lru_cache(maxsize=1024)
def staged(shape: tuple, strides: tuple, axes, keepdims: bool, size: int) -> Stages | None:
    """The stages for an array of elements of that size; None where there are none, or only of a copy."""
    rank = len(shape)
    if min(strides, default=-1) < 0 or any([step % size for step in strides]) or 0 in shape:
        return None
    gone = set(range(rank)) if axes is None else {each % rank for each in as_tuple(axes)}
    dims = [Dim(n, step // size, at in gone, (at,)) for at, (n, step) in enumerate(zip(shape, strides, strict=True))]
    if any([dim.goes and not dim.step and dim.length > 1 for dim in dims]):
        return None
    left = joined(sorted([dim for dim in dims if dim.step and dim.length > 1], key=lambda dim: -dim.step))
    plans, first = [], left
    while any([dim.goes for dim in left]):
        following = stage_of(left)
        if following is None:
            return None
        plans.append(following[0])
        left = following[1]
    if not plans:
        return None
    apart = left[-1].step if left else 1
    numbers = [at for dim in left for at in dim.numbers]
    ones = [at for at in range(rank) if at not in numbers]
    expanded = any([shape[at] > 1 and at not in gone for at in ones])
    *others, results = [int(plan[BEFORE] * plan[AFTER]) for plan in plans]
    return Stages(
        np.stack(plans),
        results,
        sum(others),
        (apart * (left[-1].length - 1) + 1, apart) if apart > 1 else None,
        (1,) * len(ones) + tuple([shape[at] for at in numbers]),
        tuple(np.argsort([*ones, *numbers]).tolist()) if expanded or numbers != sorted(numbers) else None,
        tuple([1 if at in gone else n for at, n in enumerate(shape)]) if expanded else None,
        kept(shape, axes, keepdims),
        None if apart > 1 or expanded else shifts_of(shape, first),
    )


def joined(dims: Sequence[Dim], alike: bool = True) -> list[Dim]:
    """Dimensions that lie one in the other as one; if `alike`, only where both go or stay."""
    found: list[Dim] = []
    for dim in dims:
        last = found[-1] if found else None
        if last is not None and last.step == dim.step * dim.length and (not alike or last.goes == dim.goes):
            found[-1] = Dim(last.length * dim.length, dim.step, dim.goes, last.numbers + dim.numbers)
        else:
            found.append(dim)
    return found


def taken(dims: list[Dim]) -> int:
    """The place of the dimension that the next stage takes."""
    return max([at for at, dim in enumerate(dims) if dim.goes])


def stage_of(dims: list[Dim]) -> tuple[np.ndarray, list[Dim]] | None:
    """The plan of the next stage, and the dimensions of its result; None where too many lie apart, or columns do."""
    at, inner = taken(dims), dims[-1]
    gone, is_line = dims[at], dims[at] is inner
    outer = dims[:-1] if is_line else [*dims[:at], *dims[at + 1 : -1]]
    levels = joined(outer, alike=False)
    if len(levels) > 2 or (not is_line and inner.step > WIDEST):
        return None
    first, second = [(1, 0)] * (2 - len(levels)) + [(dim.length, dim.step) for dim in levels]
    after = 1 if is_line else inner.step * (inner.length - 1) + 1
    plan = plan_of(first, second, (gone.length, gone.step), after)
    stays, step = [] if is_line else [inner], after
    for dim in reversed(outer):
        stays.insert(0, dim._replace(step=step))
        step *= dim.length
    return plan, joined(stays)


def shifts_of(shape: tuple, dims: list[Dim]) -> tuple[list[int], list[int]]:
    """Of what is subtracted, the shape and the order of dimensions for the first stage."""
    gone = dims[taken(dims)]
    numbers = [at for dim in dims if dim is not gone for at in dim.numbers]
    others = [at for at in range(len(shape)) if at not in numbers]
    return [shape[at] if at in numbers else 1 for at in range(len(shape))], [*others, *numbers]
