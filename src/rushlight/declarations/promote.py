"""PyTorch's result type: tensors with dimensions, 0-d tensors and Python numbers are three classes.

A class is only looked at where it is of a higher category (bool, integer, floating, complex) than the classes before
it. https://docs.pytorch.org/docs/stable/tensor_attributes.html#type-promotion-doc
"""

from __future__ import annotations

import numpy as np

from rushlight.core import dtype as dtypes
from rushlight.core.dtype import BY_NUMPY, COMPLEX, DEFAULTS, FLOAT, dtype, promote_types
from rushlight.core.errors import noted, type_name
from rushlight.core.warn_once import COMPLEX_HALF, warn_once

# The types of Python numbers stand for dtypes, where a dtype is asked for.
PYTHON_DTYPES = {bool: dtypes.bool, int: dtypes.int64, float: dtypes.float64, complex: dtypes.complex128}


def as_dtype(name: str, kind) -> dtype | None:
    """The dtype that the argument `dtype` of the function `name` means; None stays None."""
    if kind is None or isinstance(kind, dtype):
        if kind is dtypes.complex32:
            warn_once(COMPLEX_HALF)
        return kind
    result = PYTHON_DTYPES.get(kind) if isinstance(kind, type) else None
    if result is None:
        raise noted(
            TypeError(f"{name}(): argument 'dtype' must be torch.dtype, not {type_name(kind)}"),
            "The dtypes are torch.float32, torch.int64 and so on; NumPy's dtypes are not accepted.",
        )
    return result


def number_dtype(number) -> dtype:
    """The dtype that a Python number stands for."""
    if isinstance(number, bool):
        return dtypes.bool
    if isinstance(number, int):
        return dtypes.int64
    return DEFAULTS.floating if isinstance(number, float) else DEFAULTS.complex


def common(one: dtype, other: dtype) -> dtype:
    """`promote_types`, and of whole numbers of all sizes NumPy's, where PyTorch has none: int32 of uint16 and int8.

    Raises RuntimeError for uint64 beside a dtype with a sign.
    """
    try:
        return promote_types(one, other)
    except RuntimeError:
        if max(one.category, other.category) < FLOAT:
            result = BY_NUMPY.get(np.promote_types(one.numpy, other.numpy))
            if result is not None and result.category < FLOAT:
                return result
        raise


def combine(higher: dtype | None, lower: dtype | None) -> dtype | None:
    """The dtype of two classes, of which the first has priority."""
    if higher is None or lower is None:
        return higher or lower
    if higher.category == COMPLEX:
        return higher
    if higher.category == FLOAT:
        return higher.to_complex() if lower.category == COMPLEX else higher
    if higher is dtypes.bool or lower.category >= FLOAT:
        return common(higher, lower)
    return higher


def result_type(operands) -> dtype:
    """The promoted dtype of tensors and Python numbers, given as (dtype, rank or None for a number) pairs."""
    classes: list[dtype | None] = [None, None, None]
    for kind, rank in operands:
        level = 2 if rank is None else 0 if rank else 1
        known = classes[level]
        classes[level] = kind if known is None else common(known, kind)
    dimensioned, scalar, number = classes
    return combine(dimensioned, combine(scalar, number))


def floating(kind: dtype) -> dtype:
    """The dtype in which mathematics is done: whole numbers become the default floating dtype."""
    return kind if kind.category >= FLOAT else DEFAULTS.floating


def computed_in(kind: dtype) -> dtype:
    """Where arithmetic in a dtype is done: the small floats compute in float32 and round once."""
    if kind is dtypes.complex32:
        return dtypes.complex64
    return dtypes.float32 if kind in dtypes.REDUCED else kind
