"""The standard's functions on dtypes.

https://data-apis.org/array-api/2024.12/API_specification/data_type_functions.html
"""

from __future__ import annotations

from typing import NamedTuple

from rushlight.core import dtype as dtypes
from rushlight.core.dtype import BOOL, COMPLEX, FLOAT, INTEGER, dtype
from rushlight.core.tensor import Tensor

KINDS = {
    "bool": lambda kind: kind.category == BOOL,
    "signed integer": lambda kind: kind.category == INTEGER and kind.is_signed,
    "unsigned integer": lambda kind: kind.category == INTEGER and not kind.is_signed,
    "integral": lambda kind: kind.category == INTEGER,
    "real floating": lambda kind: kind.category == FLOAT,
    "complex floating": lambda kind: kind.category == COMPLEX,
    "numeric": lambda kind: kind.category != BOOL,
}


class finfo_object(NamedTuple):
    """Limits of a floating-point dtype; for a complex one those of its parts."""

    bits: int
    eps: float
    max: float
    min: float
    smallest_normal: float
    dtype: dtype


class iinfo_object(NamedTuple):
    """Limits of an integer dtype."""

    bits: int
    max: int
    min: int
    dtype: dtype


def astype(x: Tensor, dtype: dtype, /, *, copy: bool = True, device=None) -> Tensor:
    """Converts the array to another dtype; `copy=False` may return the array itself."""
    return x.to(device=x.device if device is None else device, dtype=dtype, copy=copy)


def isdtype(dtype: dtype, kind) -> bool:
    """Whether a dtype equals another, is of a kind, or of any of several.

    The kinds are "bool", "signed integer", "unsigned integer", "integral", "real floating", "complex floating" and
    "numeric". Raises ValueError for another str, TypeError for other objects.

    >>> import rushlight as torch
    >>> torch.isdtype(torch.uint8, "integral"), torch.isdtype(torch.uint8, (torch.bool, "real floating"))
    (True, False)
    """
    if isinstance(kind, tuple):
        return any(isdtype(dtype, item) for item in kind)
    if isinstance(kind, dtypes.dtype):
        return dtype is kind
    if not isinstance(kind, str):
        raise TypeError(f"isdtype(): argument 'kind' must be a dtype, a str or a tuple, not {type(kind).__name__}")
    if kind not in KINDS:
        raise ValueError(f"isdtype(): {kind!r} is no kind of dtypes; the kinds are {', '.join(map(repr, KINDS))}")
    return KINDS[kind](dtype)


def finfo(type: dtype | Tensor, /) -> finfo_object:
    """Returns the limits of a floating-point or complex dtype, or of an array's dtype."""
    dtype_ = type.dtype if isinstance(type, Tensor) else type
    limits = dtypes.finfo(dtype_)
    return finfo_object(limits.bits, limits.eps, limits.max, limits.min, limits.smallest_normal, dtype_.to_real())


def iinfo(type: dtype | Tensor, /) -> iinfo_object:
    """Returns the limits of an integer dtype, or of an array's dtype."""
    dtype_ = type.dtype if isinstance(type, Tensor) else type
    limits = dtypes.iinfo(dtype_)
    return iinfo_object(limits.bits, limits.max, limits.min, dtype_)
