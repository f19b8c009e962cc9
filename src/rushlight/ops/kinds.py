"""Small functions on dtypes that declarations share. In `forward`, arrays carry NumPy dtypes and arguments PyTorch's."""

from __future__ import annotations

import numpy as np


def numpy_of(dtype):
    """The NumPy dtype of a `dtype=` argument, None if it was not given."""
    return None if dtype is None else dtype.numpy


def accumulated(array):
    """The NumPy dtype in which PyTorch sums an array: whole numbers and bools become int64."""
    return np.dtype(np.int64) if array.dtype.kind in "biu" else array.dtype


def is_complex(array) -> bool:
    """Whether a raw array is complex."""
    return array.dtype.kind == "c"


def raw_dtype(value):
    """The NumPy dtype of a raw array or of a tensor."""
    return getattr(value, "_array", value).dtype
