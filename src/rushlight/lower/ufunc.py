"""Machine code as `numpy.ufunc`s: NumPy brings strides, broadcasting, `out=` and the checks of dtypes.

The C function behind is PyUFunc_FromFuncAndData of NumPy's C API, found in the table that NumPy exports for extension
modules (NumPy reference, "UFunc API"). Called like this it costs what NumPy's own ufuncs cost; calling machine code by
ctypes costs ten times as much.
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
from rushlight.lower.numpy_table import FROM_FUNCTIONS, of_ufuncs

NO_IDENTITY = -1
OTHERS = set("OMm")  # dtypes whose functions need more than their arguments


@cache
def from_functions() -> Any:
    """PyUFunc_FromFuncAndData."""
    kind = ctypes.PYFUNCTYPE(
        ctypes.py_object, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int, ctypes.c_int, ctypes.c_int,
        ctypes.c_int, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_int,
    )  # fmt: skip
    return kind(of_ufuncs()[FROM_FUNCTIONS])


class Loop(NamedTuple):
    """A kernel for one list of types: what compiles its heart, how many elements that computes at a time (0 is one by
    one), the dtypes of operands and results, and of which operands there is one number for all.
    """

    make: Callable[[], int]
    lanes: int
    kinds: Sequence[np.dtype]
    alike: Sequence[bool]

    def cell(self) -> Cell:
        """What `loops.run` is told of it."""
        widths = [0 if alike else each.itemsize for each, alike in zip_longest(self.kinds, self.alike)]
        return Cell(self.make, len(self.alike), len(widths), self.lanes or 1, nontemporal.LARGEST_KEPT, *widths)


KEPT: list = []  # NumPy holds the addresses of these cells, arrays and strings, for good


class Header(ctypes.Structure):
    """How an object of NumPy's class ufunc begins (NumPy reference, "Python types and C-structures")."""

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


def loops_of(made: np.ufunc) -> dict[bytes, tuple[int | None, int | None]]:
    """The function and its data for each list of types, those of objects and times left out."""
    header = Header.from_address(id(made))
    types = ctypes.string_at(header.types, header.loops * made.nargs)
    found = {}
    for number, words in enumerate(made.types):
        if not OTHERS & set(words):
            key = types[number * made.nargs : (number + 1) * made.nargs]
            found[key] = header.functions[number], header.data[number]
    return found


def shared(original: np.ufunc, kernel: np.ufunc | None = None) -> np.ufunc:
    """NumPy's function on all threads, and for the dtypes of a kernel that: whole numbers stay whole.

    Not for `power`, whose loops raise an exception: a thread of the pool has nobody to raise it for.
    """
    run, found = broadcasting.sharing_loop(), loops_of(original)
    for kinds, (function, passed) in found.items():
        if function is not None:
            words = (ctypes.c_int64 * 4)(function, passed or 0, original.nin, original.nargs)
            KEPT.append(words)
            found[kinds] = run, ctypes.addressof(words)
    found.update({} if kernel is None else loops_of(kernel))
    return from_loops(original.__name__, found, original.nin, original.nout)


def ufunc(name: str, given: Sequence[Loop]) -> np.ufunc:
    """A ufunc of kernels for several lists of types.

    It is never taken apart again, like NumPy's own: the code that it calls stays where it is.
    """
    run, found = broadcasting.loop(), {}
    for loop in given:
        cell = loop.cell()
        KEPT.append(cell)
        found[bytes(each.num for each in loop.kinds)] = run, cell.address
    operands = len(given[0].alike)
    return from_loops(name, found, operands, len(given[0].kinds) - operands)


def from_loops(name: str, given: dict[bytes, tuple], operands: int, results: int) -> np.ufunc:
    """A ufunc from functions and their data, by the types of operands and results, which are tried in order."""
    count = len(given)
    functions, data = ((ctypes.c_void_p * count)(*column) for column in zip(*given.values(), strict=True))
    text = name.encode(), f"{name}: a kernel of rushlight".encode()
    types = b"".join(given)
    KEPT.append((functions, types, data, text))
    made = from_functions()(functions, data, types, count, operands, results, NO_IDENTITY, *text, 0)
    broadcasting.attach(made)
    return made
