"""The tables of the functions that NumPy offers to machine code, and what other capsules hold.

Their places are those of NumPy's C API, which keeps them (NumPy reference, "Array API" and "UFunc API").
"""

from __future__ import annotations

import ctypes
from typing import Any

from numpy._core._multiarray_umath import _ARRAY_API, _UFUNC_API  # type: ignore[import-not-found]

NEW_ARRAY = 93  # PyArray_New
FROM_FUNCTIONS = 1  # PyUFunc_FromFuncAndData
SET_HANDLER, GET_HANDLER, DEFAULT_HANDLER = 304, 305, 306  # PyDataMem_SetHandler and the like


def opened(capsule: Any, name: bytes | None) -> int:
    """The address that a capsule of that name holds. Raises ValueError for a capsule of another name."""
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    return pointer(capsule, name)


def _table(capsule: Any) -> Any:
    return ctypes.cast(opened(capsule, None), ctypes.POINTER(ctypes.c_void_p))


def of_arrays() -> Any:
    """The addresses of what concerns arrays, by their places."""
    return _table(_ARRAY_API)


def of_ufuncs() -> Any:
    """The addresses of what concerns ufuncs, by their places."""
    return _table(_UFUNC_API)
