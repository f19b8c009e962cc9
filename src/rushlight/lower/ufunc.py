"""Machine code as `numpy.ufunc`s: NumPy handles strides, broadcasting, `out=` and dtype checks.

They are made by PyUFunc_FromFuncAndData, from the C API table that NumPy exports (NumPy reference, "UFunc API"). A call
costs what NumPy's own ufuncs cost, a tenth of a call by ctypes.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from functools import cache
from itertools import zip_longest
from typing import Any, NamedTuple

import numpy as np

from rushlight.kernels import broadcasting
from rushlight.lower import nontemporal
from rushlight.lower.lazy_compile import Cell
from rushlight.lower.numpy_table import FROM_FUNCTIONS, ufunc_api

NO_IDENTITY = -1
OTHERS = set("OMm")  # dtypes whose loops need more than their arguments


@cache
def from_functions() -> Any:
    """Returns PyUFunc_FromFuncAndData."""
    prototype = ctypes.PYFUNCTYPE(
        ctypes.py_object, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int, ctypes.c_int, ctypes.c_int,
        ctypes.c_int, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_int,
    )  # fmt: skip
    return prototype(ufunc_api()[FROM_FUNCTIONS])


class Loop(NamedTuple):
    """A kernel for one list of dtypes: how to compile its inner loop, the elements per step (0: scalar), the dtypes of
    operands and results, and which operands are scalars.
    """

    make: Callable[[], int]
    lanes: int
    kinds: Sequence[np.dtype]
    alike: Sequence[bool]

    def cell(self) -> Cell:
        """Returns the words that `loops.run` takes."""
        widths = [0 if is_scalar else dtype.itemsize for dtype, is_scalar in zip_longest(self.kinds, self.alike)]
        return Cell(self.make, len(self.alike), len(widths), self.lanes or 1, nontemporal.LARGEST_KEPT, *widths)


KEPT: list = []  # NumPy holds the addresses of these cells, arrays and strings


class Header(ctypes.Structure):
    """The beginning of NumPy's ufunc objects (NumPy reference, "Python types and C-structures")."""

    _fields_ = (
        ("object", ctypes.c_ssize_t * 2),
        ("counts", ctypes.c_int * 4),  # operands, results, both, the identity
        ("functions", ctypes.POINTER(ctypes.c_void_p)),
        ("data", ctypes.POINTER(ctypes.c_void_p)),
        ("loops", ctypes.c_int),
        ("reserved", ctypes.c_int),
        ("name", ctypes.c_char_p),
        ("types", ctypes.c_void_p),
    )


def loops_of(ufunc_object: np.ufunc) -> dict[bytes, tuple[int | None, int | None]]:
    """Returns the function and data per list of dtypes, without those of objects and times."""
    header = Header.from_address(id(ufunc_object))
    types = ctypes.string_at(header.types, header.loops * ufunc_object.nargs)
    loops = {}
    for number, words in enumerate(ufunc_object.types):
        if not OTHERS & set(words):
            key = types[number * ufunc_object.nargs : (number + 1) * ufunc_object.nargs]
            loops[key] = header.functions[number], header.data[number]
    return loops


def shared(original: np.ufunc, kernel: np.ufunc | None = None) -> np.ufunc:
    """Returns NumPy's ufunc with its loops split over threads, and a kernel's loops for the dtypes it has: integers
    keep NumPy's.

    Not for `power`, whose loops raise exceptions: pool threads cannot raise them.
    """
    run, loops = broadcasting.sharing_loop(), loops_of(original)
    for dtypes, (function, data) in loops.items():
        if function is not None:
            words = (ctypes.c_int64 * 4)(function, data or 0, original.nin, original.nargs)
            KEPT.append(words)
            loops[dtypes] = run, ctypes.addressof(words)
    loops.update({} if kernel is None else loops_of(kernel))
    return from_loops(original.__name__, loops, original.nin, original.nout)


def ufunc(name: str, kernels: Sequence[Loop]) -> np.ufunc:
    """Returns a ufunc of kernels for several lists of dtypes.

    It is never freed, like NumPy's own: the code it calls stays loaded.
    """
    run, loops_by_types = broadcasting.loop(), {}
    for loop in kernels:
        cell = loop.cell()
        KEPT.append(cell)
        loops_by_types[bytes(dtype.num for dtype in loop.kinds)] = run, cell.address
    operands = len(kernels[0].alike)
    return from_loops(name, loops_by_types, operands, len(kernels[0].kinds) - operands)


def from_loops(name: str, loops_by_types: dict[bytes, tuple], operands: int, results: int) -> np.ufunc:
    """Returns a ufunc from functions and data by dtypes, which are tried in order."""
    count = len(loops_by_types)
    functions, data = ((ctypes.c_void_p * count)(*column) for column in zip(*loops_by_types.values(), strict=True))
    text = name.encode(), f"{name}: a kernel of rushlight".encode()
    types = b"".join(loops_by_types)
    KEPT.append((functions, types, data, text))
    ufunc_object = from_functions()(functions, data, types, count, operands, results, NO_IDENTITY, *text, 0)
    broadcasting.attach(ufunc_object)
    return ufunc_object
