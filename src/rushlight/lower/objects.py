"""Python objects in machine code: for builtin functions that read arrays and make new ones.

An object is a pointer to words: an array holds its data pointer, rank, and pointers to sizes, strides, base and dtype
(NumPy reference, "PyArrayObject"). Functions of Python and NumPy are called by address.
"""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from rushlight.lower.builtin_calls import HEAD
from rushlight.lower.language import Imported
from rushlight.lower.machine_types import boolean, float64, function, int32, int64, pointer, void
from rushlight.lower.native import native
from rushlight.lower.numpy_table import NEW_ARRAY, array_api

Object = pointer(int64)
CLASS = HEAD // 8 - 1  # words of any object
DATA, RANK, SIZES, STRIDES, DTYPE, FLAGS = (HEAD // 8 + at for at in (0, 1, 2, 3, 5, 6))  # words of an array
IN_ORDER, IN_COLUMNS, ALIGNED, WRITEABLE = 1, 2, 0x100, 0x400  # flags of an array
# A dtype's head and class are followed by four characters, one for the byte order, and its type number.
LETTERS, NUMBER = HEAD // 4 + 2, HEAD // 4 + 3
BIG_ENDIAN = ord(">")
FLOAT = 11  # NumPy's type number of float32


def address_of(name: str) -> Any:
    """Returns a function that gives the address of a Python API function."""
    return lambda: ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p).value


def from_table(index: int) -> Any:
    """Returns a function that gives the address of a NumPy API function."""
    return lambda: array_api()[index]


ALLOCATE = Imported("allocate", function(int64, returns=pointer(void)), address_of("PyMem_RawMalloc"))
RELEASE = Imported("release", function(pointer(void)), address_of("PyMem_RawFree"))
SAVE_THREAD = Imported("save_thread", function(returns=pointer(void)), address_of("PyEval_SaveThread"))
RESTORE_THREAD = Imported("restore_thread", function(pointer(void)), address_of("PyEval_RestoreThread"))
ADD_REFERENCE = Imported("add_reference", function(Object), address_of("Py_IncRef"))
DROP_REFERENCE = Imported("drop_reference", function(Object), address_of("Py_DecRef"))
NUMBER_OF = Imported("number_of", function(Object, returns=int64), address_of("PyLong_AsLongLong"))
REAL_OF = Imported("real_of", function(Object, returns=float64), address_of("PyFloat_AsDouble"))
MAKE_ARRAY = Imported(
    "make_array", function(Object, int32, Object, int32, Object, Object, int32, int32, Object, returns=Object),
    from_table(NEW_ARRAY),
)  # fmt: skip
ARRAY = Imported("array", Object, lambda: id(np.ndarray))
FLOAT32 = Imported("float32", Object, lambda: id(np.dtype(np.float32)))
NONE = Imported("none", Object, lambda: id(None))
TRUE = Imported("true", Object, lambda: id(True))


@native(inlined=True)
def flags_of(array: Object) -> int32:
    """Returns an array's flags."""
    return pointer(int32)(array)[2 * FLAGS]


@native(inlined=True)
def is_readable(array: Object, number: int64) -> boolean:
    """Returns whether the dtype has this type number and native byte order, and elements are aligned."""
    dtype = pointer(int32)(array[DTYPE])
    native_order = ((dtype[LETTERS] >> 16) & 255) != BIG_ENDIAN
    return int64(dtype[NUMBER]) == number and native_order and flags_of(array) & ALIGNED != 0
