"""Python's objects in machine code: what a builtin function needs that reads arrays and makes new ones by itself.

An object is a pointer to words: an array holds the address of its elements, the number of dimensions, and addresses of
its sizes, its strides, its base and its dtype (NumPy reference, "PyArrayObject"). Functions of Python and NumPy are
called by address.
"""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from rushlight.lower.builtin_calls import HEAD
from rushlight.lower.language import Imported
from rushlight.lower.machine_types import boolean, float64, function, int32, int64, pointer, void
from rushlight.lower.native import native
from rushlight.lower.numpy_table import NEW_ARRAY, of_arrays

Object = pointer(int64)
CLASS = HEAD // 8 - 1  # words of any object
DATA, RANK, SIZES, STRIDES, DTYPE, FLAGS = (HEAD // 8 + at for at in (0, 1, 2, 3, 5, 6))  # words of an array
IN_ORDER, IN_COLUMNS, ALIGNED, WRITEABLE = 1, 2, 0x100, 0x400  # flags of an array
# Of a dtype: after its head and its class come four letters, one of them for the order of bytes, and its number.
LETTERS, NUMBER = HEAD // 4 + 2, HEAD // 4 + 3
BIG_ENDIAN = ord(">")
FLOAT = 11  # NumPy's number of float32


def address_of(name: str) -> Any:
    """Gives the address of a function of Python's."""
    return lambda: ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p).value


def from_table(place: int) -> Any:
    """Gives the address of a function of NumPy's."""
    return lambda: of_arrays()[place]


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
    """NumPy's flags of an array."""
    return pointer(int32)(array)[2 * FLAGS]


@native(inlined=True)
def is_readable(array: Object, number: int64) -> boolean:
    """Whether elements are of the dtype that has this number, and lie as processors read them."""
    dtype = pointer(int32)(array[DTYPE])
    native_order = ((dtype[LETTERS] >> 16) & 255) != BIG_ENDIAN
    return int64(dtype[NUMBER]) == number and native_order and flags_of(array) & ALIGNED != 0
