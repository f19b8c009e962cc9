"""Functions of Python's C API as builtin functions: what every operation does that Python has a longer way to.

Every operation makes two or three objects, a tensor, a node, a storage. A call of the class goes by `type.__call__`,
`__new__` and `__init__`, and `object.__new__` takes a tuple of arguments apart. What they come to is one function,
`PyType_GenericNew`, which looks at nothing but the class (Python/C API, "Allocating Objects on the Heap", "Type
Objects"). A builtin function can be that very function. Those that are made here are called with None: one of one
argument Python calls without any detour.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

try:
    import ctypes
except ImportError:  # a Python without it
    ctypes = None  # type: ignore[assignment]

ONE_ARGUMENT = 0x8  # METH_O


def _load() -> Any:
    """How a builtin function is made that calls one of Python's with an object; None where Python offers no way."""
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

    form = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p, ctypes.c_void_p)
    new = form(("PyCMethod_New", ctypes.pythonapi))
    definitions: dict[str, Definition] = {}  # the functions hold their addresses

    def bound(name: str, owner: Any) -> Callable[[None], Any]:
        if name not in definitions:
            function = ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p)
            definitions[name] = Definition(name.encode(), function, ONE_ARGUMENT, None)
        return new(ctypes.addressof(definitions[name]), owner, None, None)

    return bound


BOUND = _load()


def maker_of(kind: type) -> Callable[[None], Any]:
    """The function that makes empty objects of a class, in half the time that `object.__new__` takes.

    Their slots are not filled, and neither `__new__` nor `__init__` of the class is called. Other attributes than slots
    get a dictionary with the first one, so that what every object has belongs into slots.

    >>> class Point:
    ...     __slots__ = ("x",)
    >>> new_point = maker_of(Point)
    >>> type(new_point(None)).__name__
    'Point'

    Raises TypeError for a class whose objects `object.__new__` cannot make, such as one derived from `dict`.
    """
    object.__new__(kind)
    return BOUND("PyType_GenericNew", kind) if BOUND else lambda nothing: object.__new__(kind)


def next_of(iterator: Iterator) -> Callable[[None], Any]:
    """The function that gives what comes next of an iterator without end, in two thirds of the time of `__next__`.

    >>> from itertools import count
    >>> tick = next_of(count(1))
    >>> tick(None), tick(None)
    (1, 2)
    """
    return BOUND("PyIter_Next", iterator) if BOUND else lambda nothing: next(iterator)
