"""The signature of a call: what its plan depends on, as a key of the plan table.

It holds the op, and for each argument its dtype, size class and lazy flags, the type of a scalar, or that it is a list.
Values are left to the plan, which tests at each call the few that matter.
"""

from __future__ import annotations

import numpy as np

from rushlight.core.dtype import dtype
from rushlight.core.lazy_conj_neg import Unresolved
from rushlight.core.policy import LARGE, MEDIUM
from rushlight.core.tensor import PLAIN_TYPES, Tensor

SCALAR, MEDIUM_SIZE, LARGE_SIZE = -1, 1, 2  # follow the dtype of a tensor; small tensors have no mark
SMALL_INT = 128  # ints from 0 to this are in the range of all integer dtypes
OUT_OF_RANGE = "int beyond int8"
LAZY, MIXED = "lazy conj or neg", "tensors of several dtypes"
BY_TYPE = frozenset((float, bool, type(None)))


def signature(op, arguments: tuple) -> tuple | None:
    """Returns the key of a call; None if an argument is a subclass of Tensor, or its array is not on the CPU."""
    key: list = [op]
    for value in arguments:
        if (kind := type(value)) in PLAIN_TYPES:
            array = value._array
            if type(array) is np.ndarray:
                key.append(array.dtype)
                if array.size >= MEDIUM:
                    key.append(LARGE_SIZE if array.size >= LARGE else MEDIUM_SIZE)
                elif not array.ndim:
                    key.append(SCALAR)
            elif type(array) is Unresolved:
                key.append(LAZY)
            else:
                return None
        elif kind is int:
            key.append(int if 0 <= value < SMALL_INT else OUT_OF_RANGE)
        elif kind in BY_TYPE:
            key.append(kind)
        elif kind is dtype:
            key.append(value)
        elif kind is list or kind is tuple:
            key += signature_of_list(value)
        elif isinstance(value, Tensor):
            return None
        else:
            key.append(kind if isinstance(value, np.generic) else object)
    return tuple(key)


def signature_of_list(values) -> tuple:
    """Returns the part of a key for a list: the common dtype and largest size class if it holds plain tensors."""
    if not values or type(values[0]) not in PLAIN_TYPES:
        return (list,)
    first, most = values[0]._array.dtype, 0
    for value in values:
        if type(value) not in PLAIN_TYPES or type(array := value._array) is not np.ndarray:
            return list, MIXED
        if array.dtype is not first and array.dtype != first:
            return list, MIXED
        most = max(most, array.size)
    return list, first, LARGE_SIZE if most >= LARGE else MEDIUM_SIZE if most >= MEDIUM else 0
