"""`torch.testing.make_tensor`: random tensors of any dtype within bounds.

https://docs.pytorch.org/docs/stable/testing.html#torch.testing.make_tensor
"""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np

from rushlight.arrays import mt19937
from rushlight.core import dtype as dtypes
from rushlight.core.annotations import Device
from rushlight.core.generator import default_generator
from rushlight.core.numbers import python_number
from rushlight.core.tensor import Tensor, wrap
from rushlight.create.construction import from_array


def make_tensor(
    *shape: Any,
    dtype: dtypes.dtype,
    device: Device,
    low: float | None = None,
    high: float | None = None,
    requires_grad: bool = False,
    noncontiguous: bool = False,
    exclude_zero: bool = False,
    memory_format: Any = None,
) -> Tensor:
    """Returns uniform random elements from `low` to `high`; default -9 and 9 (10 for integers, 2 for bools).

    With `noncontiguous`, every second element of a larger tensor. With `exclude_zero`, the smallest positive number in
    the place of 0. Raises ValueError for bounds that are no interval or that the dtype does not reach.

    >>> import rushlight as torch
    >>> torch.testing.make_tensor(2, 3, dtype=torch.int64, device="cpu").shape
    torch.Size([2, 3])
    """
    shape = tuple(shape[0]) if len(shape) == 1 and isinstance(shape[0], (tuple, list)) else shape
    whole = dtype.category < dtypes.FLOAT
    if noncontiguous and memory_format is not None:
        raise ValueError(
            "The parameters `noncontiguous` and `memory_format` are mutually exclusive, but got "
            f"noncontiguous={noncontiguous} and memory_format={memory_format}"
        )
    if requires_grad and whole:
        raise ValueError(
            f"`requires_grad=True` is not supported for boolean and integral dtypes, but got dtype={dtype}"
        )
    spaced = noncontiguous and math.prod(shape) > 1
    array = _drawn((*shape[:-1], 2 * shape[-1]) if spaced else shape, dtype, *_bounds(dtype, low, high))
    if exclude_zero:
        array[array == 0] = 1 if whole else dtypes.finfo(dtype).smallest_normal
    tensor = from_array(array, device=device)
    if spaced:
        # Starts at the second one, so that a forgotten offset is visible.
        tensor = wrap(tensor._array[..., 1::2])
    elif memory_format is not None:
        tensor = tensor.clone(memory_format=memory_format)
    return tensor.requires_grad_(requires_grad)


def _drawn(shape: tuple, dtype, low, high):
    kind = dtype.numpy
    if dtype.category < dtypes.FLOAT:
        return mt19937.integers(default_generator, shape, kind, low, high)
    if dtype in dtypes.FLOAT8:
        return mt19937.uniform(default_generator, shape, np.dtype(np.float32), low, high).astype(kind)
    if high - low >= dtypes.finfo(dtype).max:
        return mt19937.uniform(default_generator, shape, kind, low / 2, high / 2) * kind.type(2)
    return mt19937.uniform(default_generator, shape, kind, low, high)


def _bounds(dtype, low, high) -> tuple:
    """Returns the bounds, rounded for integers, and clipped to the dtype's range."""
    whole = dtype.category < dtypes.FLOAT
    least, most, default_low, default_high = _range_of(dtype)
    low, high = (default_low if low is None else low), (default_high if high is None else high)
    low, high = python_number(low), python_number(high)
    if math.isnan(low) or math.isnan(high):
        raise ValueError(f"`low` and `high` cannot be NaN, but got low={low} and high={high}")
    if low == high and not whole:
        warnings.warn(
            "Passing `low==high` to `torch.testing.make_tensor` for floating or complex types is deprecated since 2.1 "
            "and will be removed in 2.3. Use `torch.full(...)` instead.",
            FutureWarning,
            stacklevel=3,
        )
    elif low >= high:
        raise ValueError(f"`low` must be less than `high`, but got {low} >= {high}")
    elif high < least or low >= most:
        raise ValueError(
            f"The value interval specified by `low` and `high` is [{low}, {high}), but {dtype} only supports "
            f"[{least}, {most})"
        )
    low, high = (min(max(x, least), most) for x in (low, high))
    return (math.ceil(low), math.ceil(high)) if whole else (low, high)


def _range_of(dtype) -> tuple:
    """(least, most, default low, default high)."""
    if dtype is dtypes.bool:
        return 0, 2, 0, 2
    if dtype.category < dtypes.FLOAT:
        limits = dtypes.iinfo(dtype)
        # int64 draws cannot end above the maximum.
        return limits.min, limits.max + (dtype is not dtypes.int64), -9, 10
    return dtypes.finfo(dtype).min, dtypes.finfo(dtype).max, -9, 9
