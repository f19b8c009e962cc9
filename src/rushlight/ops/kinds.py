"""Small functions on dtypes that declarations share. In `forward`, arrays carry NumPy dtypes and arguments PyTorch's."""

from __future__ import annotations

import numpy as np

from rushlight.core.dtype import SCALAR_NAMES


def numpy_of(dtype):
    """The NumPy dtype of a `dtype=` argument, None if it was not given."""
    return None if dtype is None else dtype.numpy


def accumulated(array):
    """The NumPy dtype in which PyTorch sums an array: whole numbers and bools become int64."""
    return np.dtype(np.int64) if array.dtype.kind in "biu" else array.dtype


def is_complex(value) -> bool:
    """Whether a raw array or a tensor is complex."""
    return raw_dtype(value).kind == "c"


def raw_dtype(value):
    """The NumPy dtype of a raw array or of a tensor."""
    return getattr(value, "_array", value).dtype


def unimplemented(kernel: str):
    """What an operator raises for a category of dtype that its kernel, by PyTorch's name, was never written for."""
    return lambda dtype: NotImplementedError(f"\"{kernel}\" not implemented for '{SCALAR_NAMES[dtype]}'")


def refusal(words: str, error: type[Exception] = RuntimeError):
    """What an operator raises for a category of dtype that makes no sense to it."""
    return lambda dtype: error(words)
