"""PyTorch's result type: tensors with dimensions, 0-d tensors and Python numbers are three classes.

A class counts only if its category (bool, integer, floating, complex) is higher than those of the classes before it.
https://docs.pytorch.org/docs/stable/tensor_attributes.html#type-promotion-doc
"""

from __future__ import annotations

import numpy as np

from rushlight.core import dtype as dtypes
from rushlight.core.dtype import BY_NUMPY, COMPLEX, DEFAULTS, FLOAT, dtype, promote_types
from rushlight.core.errors import noted, type_name
from rushlight.core.warn_once import COMPLEX_HALF, warn_once

# Python types that mean dtypes.
PYTHON_DTYPES = {bool: dtypes.bool, int: dtypes.int64, float: dtypes.float64, complex: dtypes.complex128}


def as_dtype(name: str, kind) -> dtype | None:
    """Returns the dtype of the argument `dtype` of the function `name`; None for None."""
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
    """Returns the dtype of a Python number."""
    if isinstance(number, bool):
        return dtypes.bool
    if isinstance(number, int):
        return dtypes.int64
    return DEFAULTS.floating if isinstance(number, float) else DEFAULTS.complex


def common(one: dtype, other: dtype) -> dtype:
    """`promote_types`, and NumPy's for integers that PyTorch does not promote: int32 for uint16 and int8.

    Raises RuntimeError for uint64 and a signed dtype.
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
    """Returns the dtype of two classes; the first has priority."""
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
    """Returns the promoted dtype of (dtype, rank) pairs; the rank of a Python number is None."""
    classes: list[dtype | None] = [None, None, None]
    for kind, rank in operands:
        level = 2 if rank is None else 0 if rank else 1
        known = classes[level]
        classes[level] = kind if known is None else common(known, kind)
    dimensioned, scalar, number = classes
    return combine(dimensioned, combine(scalar, number))


def floating(kind: dtype) -> dtype:
    """Returns the dtype of mathematical functions: the default floating dtype for integers."""
    return kind if kind.category >= FLOAT else DEFAULTS.floating


def computed_in(kind: dtype) -> dtype:
    """Returns the dtype of computation: half precision computes in float32 and rounds once."""
    if kind is dtypes.complex32:
        return dtypes.complex64
    return dtypes.float32 if kind in dtypes.REDUCED else kind
