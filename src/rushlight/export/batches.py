"""Compares two runs of a model, the second with twice the batch: values that doubled depend on the batch."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rushlight.core.tensor import Tensor
from rushlight.export.tracing import Call, Name


@dataclass(frozen=True)
class Times:
    """A multiple of the batch size."""

    factor: int


@dataclass(frozen=True)
class Filled:
    """A constant array whose elements are equal, and whose size depends on the batch."""

    shape: tuple
    value: float
    dtype: np.dtype


class Fixed(Exception):
    """The runs differ in a way that does not follow the batch size."""


def merged(calls: list[Call], twice: list[Call], batch: int) -> list[Call]:
    """Returns the calls of a run with numbers that depend on the batch replaced. Raises Fixed for other differences."""
    if [call.op for call in calls] != [x.op for x in twice]:
        raise Fixed
    pairs = zip(calls, twice, strict=True)
    return [first._replace(arguments=both(first.arguments, second.arguments, batch)) for first, second in pairs]


def both(first, second, batch: int):
    """Merges a value of both runs into one for any batch size."""
    if isinstance(first, Tensor) and isinstance(second, Tensor):
        return constants(first, second, batch)
    if type(first) is not type(second):
        raise Fixed
    if type(first) in (tuple, list):
        return elements(first, second, batch)
    if isinstance(first, slice):
        return slice(*elements((first.start, first.stop, first.step), (second.start, second.stop, second.step), batch))
    if type(first) is int and first != second:
        if second != 2 * first or first % batch:
            raise Fixed
        return Times(first // batch)
    if isinstance(first, int | float | str | Name) and first != second and first == first:
        raise Fixed
    return first


def elements(first, second, batch: int):
    """Merges sequences; those with an element per sample are not supported."""
    if len(first) != len(second):
        raise Fixed
    return type(first)(both(value, its, batch) for value, its in zip(first, second, strict=True))


def constants(first: Tensor, second: Tensor, batch: int):
    """Merges tensors; a tensor that is not a parameter may be zeros for each sample."""
    if first is second:
        return first
    here, there = first.detach().numpy(), second.detach().numpy()
    if here.shape == there.shape and np.array_equal(here, there):
        return first
    if here.ndim != there.ndim or not here.size or (here != here.flat[0]).any() or (there != here.flat[0]).any():
        raise Fixed
    return Filled(both(here.shape, there.shape, batch), here.flat[0].item(), here.dtype)
