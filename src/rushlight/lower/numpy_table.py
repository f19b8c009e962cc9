"""NumPy's C API tables for machine code, and other capsules.

Indices are those of NumPy's C API, which are stable (NumPy reference, "Array API" and "UFunc API").
"""

from __future__ import annotations

import ctypes
from typing import Any

from numpy._core._multiarray_umath import _ARRAY_API, _UFUNC_API  # type: ignore[import-not-found]

NEW_ARRAY = 93  # PyArray_New
FROM_FUNCTIONS = 1  # PyUFunc_FromFuncAndData
SET_HANDLER, GET_HANDLER, DEFAULT_HANDLER = 304, 305, 306  # PyDataMem_SetHandler etc.


def capsule_pointer(capsule: Any, name: bytes | None) -> int:
    """Returns the address in a capsule of that name. Raises ValueError for a capsule of another name."""
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    return pointer(capsule, name)


def _table(capsule: Any) -> Any:
    return ctypes.cast(capsule_pointer(capsule, None), ctypes.POINTER(ctypes.c_void_p))


def array_api() -> Any:
    """Returns the addresses of the array API, by index."""
    return _table(_ARRAY_API)


def ufunc_api() -> Any:
    """Returns the addresses of the ufunc API, by index."""
    return _table(_UFUNC_API)
