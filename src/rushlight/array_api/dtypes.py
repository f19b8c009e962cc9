"""The standard's functions of dtypes.

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
    """Limits of a floating-point dtype; those of a complex one are its parts'."""

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
    """The array in another dtype; `copy=False` may give the array itself."""
    return x.to(device=x.device if device is None else device, dtype=dtype, copy=copy)


def isdtype(dtype: dtype, kind) -> bool:
    """Whether a dtype is one, or of a kind, or of any of several.

    The kinds are "bool", "signed integer", "unsigned integer", "integral", "real floating", "complex floating" and
    "numeric". Raises ValueError for another, TypeError for what is no kind.

    >>> import rushlight as torch
    >>> torch.isdtype(torch.uint8, "integral"), torch.isdtype(torch.uint8, (torch.bool, "real floating"))
    (True, False)
    """
    if isinstance(kind, tuple):
        return any(isdtype(dtype, each) for each in kind)
    if isinstance(kind, dtypes.dtype):
        return dtype is kind
    if not isinstance(kind, str):
        raise TypeError(f"isdtype(): argument 'kind' must be a dtype, a str or a tuple, not {type(kind).__name__}")
    if kind not in KINDS:
        raise ValueError(f"isdtype(): {kind!r} is no kind of dtypes; the kinds are {', '.join(map(repr, KINDS))}")
    return KINDS[kind](dtype)


def finfo(type: dtype | Tensor, /) -> finfo_object:
    """Limits of a floating-point or complex dtype, or of an array's."""
    kind = type.dtype if isinstance(type, Tensor) else type
    found = dtypes.finfo(kind)
    return finfo_object(found.bits, found.eps, found.max, found.min, found.smallest_normal, kind.to_real())


def iinfo(type: dtype | Tensor, /) -> iinfo_object:
    """Limits of an integer dtype, or of an array's."""
    kind = type.dtype if isinstance(type, Tensor) else type
    found = dtypes.iinfo(kind)
    return iinfo_object(found.bits, found.max, found.min, kind)
