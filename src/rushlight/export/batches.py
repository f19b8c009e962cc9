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
    return [one._replace(arguments=both(one.arguments, other.arguments, batch)) for one, other in pairs]


def both(one, other, batch: int):
    """Merges a value of both runs into one for any batch size."""
    if isinstance(one, Tensor) and isinstance(other, Tensor):
        return constants(one, other, batch)
    if type(one) is not type(other):
        raise Fixed
    if type(one) in (tuple, list):
        return elements(one, other, batch)
    if isinstance(one, slice):
        return slice(*elements((one.start, one.stop, one.step), (other.start, other.stop, other.step), batch))
    if type(one) is int and one != other:
        if other != 2 * one or one % batch:
            raise Fixed
        return Times(one // batch)
    if isinstance(one, int | float | str | Name) and one != other and one == one:
        raise Fixed
    return one


def elements(one, other, batch: int):
    """Merges sequences; those with an element per sample are not supported."""
    if len(one) != len(other):
        raise Fixed
    return type(one)(both(value, its, batch) for value, its in zip(one, other, strict=True))


def constants(one: Tensor, other: Tensor, batch: int):
    """Merges tensors; a tensor that is not a parameter may be zeros for each sample."""
    if one is other:
        return one
    here, there = one.detach().numpy(), other.detach().numpy()
    if here.shape == there.shape and np.array_equal(here, there):
        return one
    if here.ndim != there.ndim or not here.size or (here != here.flat[0]).any() or (there != here.flat[0]).any():
        raise Fixed
    return Filled(both(here.shape, there.shape, batch), here.flat[0].item(), here.dtype)
