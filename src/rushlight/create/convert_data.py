"""Arrays from Python data: numbers, nested sequences of numbers, tensors, NumPy arrays and scalars.

Data are read in PyTorch's three passes, as the pass that fails decides the error: the shape, by the first element at
each depth; the common dtype; the elements one by one.
"""

from __future__ import annotations

import warnings
from itertools import chain

import numpy as np

from rushlight.core import dtype as dtypes
from rushlight.core.convertible import PYTHON_NUMBERS
from rushlight.core.dtype import BOOL, COMPLEX, FLOAT, INTEGER, from_numpy_dtype
from rushlight.core.errors import noted
from rushlight.core.storage import AnyStorage
from rushlight.core.tables import xp
from rushlight.core.tensor import Tensor
from rushlight.declarations.promote import number_dtype
from rushlight.dispatch.message import type_name

MOST_DIMENSIONS = 128
WIDEST = {FLOAT: np.float64, COMPLEX: np.complex128}


def array_of(data, dtype=None) -> np.ndarray:
    """Returns a new array with the values of `data`, of the dtype that PyTorch infers unless one is given.

    For a storage it is an array on its memory.
    """
    if type(data) in PYTHON_NUMBERS:
        return _stored([data], dtype or number_dtype(data)).reshape(())
    if type(data) is list:  # the same result as below in half the time
        if PYTHON_NUMBERS.issuperset(map(type, data)):
            return _stored(data, dtype or inferred(data))
        if (numbers := _numbers_in_rows(data)) is not None:
            return _stored(numbers, dtype or inferred(numbers)).reshape(len(data), -1)
    if isinstance(data, np.ndarray):
        data, own = np.asarray(data), from_numpy_dtype(data.dtype)
        check_memory(data)
        return xp.cast(data, (dtype or own).numpy) if data.flags.c_contiguous else _in_order(data, dtype or own)
    if isinstance(data, (str, bytes)):
        raise TypeError(f"new(): invalid data type '{type_name(data)}'")
    if isinstance(data, AnyStorage):
        return data._elements_for(dtype)
    if hasattr(data, "__array__") and not isinstance(data, np.generic):
        return array_of(np.asarray(data), dtype)
    if not is_sequence(data):
        return _stored([data], dtype or inferred([data])).reshape(())
    shape = shape_of(data)
    flat = _flattened(data, shape)
    return _stored(flat, dtype or inferred(flat)).reshape(shape)


def _numbers_in_rows(data: list) -> list | None:
    """Returns the numbers of a list of lists of one length, or None for anything else."""
    for row in data:
        if type(row) is not list or len(row) != len(data[0]):
            return None
    numbers = list(chain.from_iterable(data))
    return numbers if numbers and PYTHON_NUMBERS.issuperset(map(type, numbers)) else None


def _in_order(array: np.ndarray, dtype) -> np.ndarray:
    return xp.cast(np.ascontiguousarray(array), dtype.numpy).reshape(array.shape)


def check_memory(array: np.ndarray) -> None:
    """Raises ValueError for unaligned strides, negative strides or a foreign byte order."""
    if any([step % array.itemsize for step in array.strides]):
        raise noted(
            ValueError(
                "given numpy array strides not a multiple of the element byte size. Copy the numpy array to reallocate "
                "the memory."
            ),
            "A field of a structured array is such an array: array.copy() is contiguous.",
        )
    if array.ndim and min(array.strides) < 0:
        raise noted(
            ValueError(
                "At least one stride in the given numpy array is negative, and tensors with negative strides are not "
                "currently supported. (You can probably work around this by making a copy of your array  with "
                "array.copy().) "
            ),
            "A slice with a negative step, array[::-1], is such an array.",
        )
    if not array.dtype.isnative:
        raise noted(
            ValueError(
                "given numpy array has byte order different from the native byte order. Conversion between byte orders "
                "is currently not supported."
            ),
            'array.astype(array.dtype.newbyteorder("=")) has the native byte order.',
        )


# ---- shape


def is_sequence(value) -> bool:
    """Returns whether `value` is read element by element: lists and objects like them, arrays; not tensors."""
    if isinstance(value, (list, tuple, range, str)):
        return True
    if isinstance(value, np.ndarray):
        return value.ndim > 0
    if isinstance(value, (Tensor, np.generic, dict, set)):
        return False
    return hasattr(value, "__len__") and hasattr(value, "__getitem__")


def shape_of(data) -> tuple:
    """Returns the shape of nested sequences, by the first element at each depth."""
    shape: list[int] = []
    while is_sequence(data) or isinstance(data, np.ndarray):  # a 0-d array has no length
        if isinstance(data, np.ndarray) and data.ndim:
            _warn_about_arrays()
            return (*shape, *data.shape)
        shape.append(len(data))
        if len(shape) > MOST_DIMENSIONS:
            # a string of one letter contains itself
            raise ValueError(f"too many dimensions '{type_name(data)}'")
        if not len(data):
            break
        data = _first(data)
    return tuple(shape)


def _first(data):
    """Returns the first element of a sequence. Raises ValueError if the sequence raises."""
    if type(data) in (list, tuple, range):
        return data[0]
    try:
        return data[0]
    except Exception as error:  # noqa: BLE001  # of the program's own class
        raise ValueError(f"could not determine the shape of object type '{type_name(data)}'") from error


def _warn_about_arrays() -> None:
    warnings.warn(
        "Creating a tensor from a list of numpy.ndarrays is extremely slow. Please consider converting the list to a "
        "single numpy.ndarray with numpy.array() before converting to a tensor.",
        UserWarning,
        stacklevel=5,
    )


def _flattened(data, shape: tuple) -> list:
    """Returns the elements of nested sequences. Raises ValueError if their lengths differ from the shape.

    If the first ones are empty, no tensor could hold the others, and PyTorch does not look at them.
    """
    if 0 in shape:
        return []
    level = [data]
    for dim, length in enumerate(shape):
        for row in level:
            if not is_sequence(row):
                raise TypeError("not a sequence")
            if len(row) != length:
                raise _ragged(length, dim, len(row))
        level = list(chain.from_iterable(level))
    return level


def _ragged(expected: int, dim: int, length: int) -> ValueError:
    error = ValueError(f"expected sequence of length {expected} at dim {dim} (got {length})")
    error.add_note("All rows of a tensor have the same length. Pad the short rows, or keep a list of tensors.")
    return error


# ---- dtype


def inferred(values: list) -> dtypes.dtype:
    """Returns the common dtype of numbers, NumPy scalars, tensors and sequences of them.

    Raises RuntimeError for anything else.
    """
    result = None
    for value in _one_of_each_type(values):
        dtype = _dtype_of(value)
        result = dtype if result is None or result is dtype else dtypes.promote_types(result, dtype)
    return result or dtypes.DEFAULTS.floating


def _one_of_each_type(values: list):
    types = set(map(type, values))
    if len(types) == 1 and types <= PYTHON_NUMBERS:
        return values[:1]
    if types <= PYTHON_NUMBERS:
        return [cls() for cls in types]
    return values


def is_array_number(value) -> bool:
    """Returns whether a value is a 0-d NumPy array, which is read as a scalar."""
    return isinstance(value, np.ndarray) and not value.ndim


def _dtype_of(value) -> dtypes.dtype:
    if isinstance(value, Tensor):
        return value.dtype
    if isinstance(value, (str, bytes)):
        raise TypeError(f"new(): invalid data type '{type_name(value)}'")
    if isinstance(value, np.generic) or is_array_number(value):
        return from_numpy_dtype(value.dtype)
    if isinstance(value, (bool, int, float, complex)):
        return number_dtype(value)
    if is_sequence(value):
        values = list(value)
        if any(x is value for x in values):
            raise TypeError("new(): self-referential lists are incompatible")
        return inferred(values)
    raise RuntimeError(f"Could not infer dtype of {type_name(value)}")


# ---- elements


def _stored(values: list, dtype) -> np.ndarray:
    """Returns values as a 1-d array of a dtype. Raises what Python raises if one does not convert."""
    numbers = values
    if not PYTHON_NUMBERS.issuperset(map(type, values)):
        numbers = [_number(value, dtype) for value in values]
    if dtype.category == BOOL:
        return np.array(list(map(bool, numbers)), np.bool_)
    if dtype.category == INTEGER:
        return _stored_integers(numbers, dtype)
    if dtype.category == FLOAT and complex in map(type, numbers):
        raise TypeError("must be real number, not complex")
    return xp.cast(np.array(numbers, WIDEST[dtype.category]), dtype.numpy)


def _number(value, dtype):
    """Returns a value as a Python number. Raises TypeError if it does not convert to the dtype."""
    if isinstance(value, np.generic) or is_array_number(value):
        value = value.item()
    elif isinstance(value, Tensor):
        return value.__index__() if dtype.category == INTEGER else value._number(warns=dtype.category > BOOL)
    if isinstance(value, (bool, int, float, complex)):
        return value
    if dtype.category == INTEGER:
        if hasattr(value, "__index__"):
            return value.__index__()
        raise TypeError(f"'{type(value).__name__}' object cannot be interpreted as an integer")
    if hasattr(value, "__float__"):
        return float(value)
    raise TypeError(f"must be real number, not {type(value).__name__}")


def _stored_integers(numbers: list, dtype) -> np.ndarray:
    if not {int, bool}.issuperset(map(type, numbers)):
        numbers = [_integer(number, dtype) for number in numbers]
    if dtype is dtypes.uint64:
        return _stored_large(numbers)
    try:
        array = np.array(numbers, np.int64)
    except OverflowError:
        raise ValueError("Overflow when unpacking long long") from None
    if dtype is dtypes.int64 or not array.size:
        return array.astype(dtype.numpy)
    limits = np.iinfo(dtype.numpy)
    # An unsigned dtype wraps negative integers
    lowest = limits.min or -limits.max
    if array.max() > limits.max or array.min() < lowest:
        raise overflow(dtype)
    return array.astype(dtype.numpy)


def _stored_large(numbers: list) -> np.ndarray:
    if numbers and min(numbers) < 0:
        raise OverflowError("can't convert negative int to unsigned")
    if numbers and max(numbers) >= 2**64:
        raise OverflowError("int too big to convert")
    return np.array(numbers, np.uint64)


def _integer(number, dtype) -> int:
    if isinstance(number, complex):
        raise TypeError("'complex' object cannot be interpreted as an integer")
    if isinstance(number, float) and not (-(2.0**63) if np.iinfo(dtype.numpy).min else 0) <= number < 2.0**63:
        raise overflow(dtype)
    return int(number)


def overflow(dtype) -> RuntimeError:
    """Returns the error for a number out of the range of a dtype."""
    error = RuntimeError(f"value cannot be converted to type {dtype.name} without overflow")
    limits = np.iinfo(dtype.numpy)
    error.add_note(f"{dtype!r} holds the numbers from {limits.min} to {limits.max}.")
    return error
