"""Functions that make empty objects of a class: every operation makes two or three, a tensor, a node, a storage.

A call of the class goes by `type.__call__`, `__new__` and `__init__`, and `object.__new__` takes a tuple of arguments
apart. What they come to is one function of Python's, `PyType_GenericNew` (Python/C API, "Allocating Objects on the
Heap", "Type Objects"), which looks at nothing but the class. A builtin function can be that very function.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

try:
    import ctypes
except ImportError:  # a Python without it
    ctypes = None  # type: ignore[assignment]

ONE_ARGUMENT = 0x8  # METH_O


def _load() -> Any:
    """How a builtin function is made that makes objects of a class; None where Python does not offer that."""
    if not hasattr(ctypes, "pythonapi") or not hasattr(ctypes.pythonapi, "PyCMethod_New"):
        return None

    class Definition(ctypes.Structure):
        """PyMethodDef."""

        _fields_ = (
            ("name", ctypes.c_char_p),
            ("function", ctypes.c_void_p),
            ("flags", ctypes.c_int),
            ("doc", ctypes.c_char_p),
        )

    function = ctypes.cast(ctypes.pythonapi.PyType_GenericNew, ctypes.c_void_p)
    definition = Definition(b"make", function, ONE_ARGUMENT, None)
    form = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p, ctypes.c_void_p)
    new = form(("PyCMethod_New", ctypes.pythonapi))
    return lambda kind: new(ctypes.addressof(definition), kind, None, None)


BUILTIN = _load()


def maker_of(kind: type) -> Callable[[None], Any]:
    """The function that makes empty objects of a class, in half the time that `object.__new__` takes.

    It is called with None: Python calls a builtin function of one argument without any detour. The slots of the objects
    are not filled, and neither `__new__` nor `__init__` of the class is called. Other attributes than slots get a
    dictionary with the first one, so that what every object has belongs into slots.

    >>> class Point:
    ...     __slots__ = ("x",)
    >>> new_point = maker_of(Point)
    >>> type(new_point(None)).__name__
    'Point'

    Raises TypeError for a class whose objects `object.__new__` cannot make, such as one derived from `dict`.
    """
    object.__new__(kind)
    return BUILTIN(kind) if BUILTIN else lambda nothing: object.__new__(kind)
