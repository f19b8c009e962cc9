"""Machine code as `numpy.ufunc`s: NumPy brings strides, broadcasting, `out=` and the checks of dtypes.

The C function behind is PyUFunc_FromFuncAndData of NumPy's C API, found in the table that NumPy exports for extension
modules (NumPy reference, "UFunc API"). Called like this it costs what NumPy's own ufuncs cost; calling machine code by
ctypes costs ten times as much.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy._core._multiarray_umath import _UFUNC_API  # type: ignore[import-not-found]

FROM_FUNCTIONS = 1  # its place in the table
NO_IDENTITY = -1


@cache
def from_functions() -> Any:
    """PyUFunc_FromFuncAndData."""
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    table = ctypes.cast(pointer(_UFUNC_API, None), ctypes.POINTER(ctypes.c_void_p))
    kind = ctypes.PYFUNCTYPE(
        ctypes.py_object, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int, ctypes.c_int, ctypes.c_int,
        ctypes.c_int, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_int,
    )  # fmt: skip
    return kind(table[FROM_FUNCTIONS])


class Shared:
    """What all kernels are given as their data: the address of the pool's entry, 0 while there is no pool."""

    def __init__(self):
        self.words = (ctypes.c_void_p * 1)(None)

    def use(self, parallel_for: int) -> None:
        self.words[0] = parallel_for


SHARED = Shared()
KEPT: list = []  # NumPy holds the addresses of these arrays and strings, for good


class Fields(ctypes.Structure):
    """The beginning of a PyUFuncObject, as NumPy's header ufuncobject.h declares it."""

    _fields_ = [
        ("head", ctypes.c_ssize_t * 2),
        ("counts", ctypes.c_int * 4),
        ("functions", ctypes.POINTER(ctypes.c_void_p)),
        ("data", ctypes.POINTER(ctypes.c_void_p)),
        ("ntypes", ctypes.c_int),
        ("reserved", ctypes.c_int),
        ("name", ctypes.c_char_p),
        ("types", ctypes.POINTER(ctypes.c_ubyte)),
    ]


def in_place_of(original: np.ufunc, own: np.ufunc) -> np.ufunc:
    """NumPy's ufunc with our loops in the place of its own for the same dtypes; other dtypes keep NumPy's loops."""
    theirs, ours = (Fields.from_address(id(each)) for each in (original, own))
    width = original.nargs

    def key(fields, number):
        return tuple(fields.types[number * width : (number + 1) * width])

    known = {key(ours, number): (ours.functions[number], ours.data[number]) for number in range(ours.ntypes)}
    loops = [
        known.get(key(theirs, number), (theirs.functions[number], theirs.data[number] if theirs.data else None))
        for number in range(theirs.ntypes)
    ]
    functions = (ctypes.c_void_p * len(loops))(*(function for function, _ in loops))
    data = (ctypes.c_void_p * len(loops))(*(word for _, word in loops))
    types = bytes(theirs.types[: theirs.ntypes * width])
    text = original.__name__.encode(), f"{original.__name__}: NumPy's, with kernels of rushlight".encode()
    KEPT.append((functions, types, data, text, original, own))
    return from_functions()(functions, data, types, len(loops), original.nin, original.nout, NO_IDENTITY, *text, 0)


def ufunc(name: str, loops: Sequence[tuple[int, Sequence[np.dtype]]], operands: int) -> np.ufunc:
    """A ufunc from the addresses of its loops, each with the dtypes of its operands and results.

    It is never taken apart again, like NumPy's own: the code that it calls stays where it is.
    """
    count, width = len(loops), len(loops[0][1])
    functions = (ctypes.c_void_p * count)(*(address for address, _ in loops))
    types = bytes(each.num for _, kinds in loops for each in kinds)
    data = (ctypes.c_void_p * count)(*[ctypes.addressof(SHARED.words)] * count)
    text = name.encode(), f"{name}: a kernel of rushlight".encode()
    KEPT.append((functions, types, data, text))
    return from_functions()(functions, data, types, count, operands, width - operands, NO_IDENTITY, *text, 0)
