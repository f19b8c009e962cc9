"""Functions of Python's C API as builtin functions: shortcuts for what every operation does.

Every operation makes two or three objects: a tensor, a node, a storage. Calling a class runs `type.__call__`,
`__new__` and `__init__`, and `object.__new__` parses a tuple of arguments. All end in one function,
`PyType_GenericNew`, which reads only the class (Python/C API, "Allocating Objects on the Heap", "Type Objects"). The
builtin functions made here call it directly. They are called with None: Python calls functions of one argument fastest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

try:
    import ctypes
except ImportError:  # a Python without ctypes
    ctypes = None  # type: ignore[assignment]

ONE_ARGUMENT = 0x8  # METH_O


def _load() -> Any:
    """Returns a function that makes builtin functions from functions of Python's C API; None if unsupported."""
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
    definitions: dict[str, Definition] = {}  # keeps the definitions alive, to which the functions point

    def bound(name: str, owner: Any) -> Callable[[None], Any]:
        if name not in definitions:
            function = ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p)
            definitions[name] = Definition(name.encode(), function, ONE_ARGUMENT, None)
        return new(ctypes.addressof(definitions[name]), owner, None, None)

    return bound


BOUND = _load()


def maker_of(cls: type) -> Callable[[None], Any]:
    """Returns a function that makes empty objects of a class, in half the time of `object.__new__`.

    Slots are not filled, and `__new__` and `__init__` of the class are not called. Attributes that are not slots need a
    dictionary, made with the first one, so attributes that every object has should be slots.

    >>> class Point:
    ...     __slots__ = ("x",)
    >>> new_point = maker_of(Point)
    >>> type(new_point(None)).__name__
    'Point'

    Raises TypeError for a class whose objects `object.__new__` cannot make, such as one derived from `dict`.
    """
    object.__new__(cls)
    return BOUND("PyType_GenericNew", cls) if BOUND else lambda nothing: object.__new__(cls)


def next_of(iterator: Iterator) -> Callable[[None], Any]:
    """Returns a function that gives the next item of an infinite iterator, in two thirds of the time of `__next__`.

    >>> from itertools import count
    >>> tick = next_of(count(1))
    >>> tick(None), tick(None)
    (1, 2)
    """
    return BOUND("PyIter_Next", iterator) if BOUND else lambda nothing: next(iterator)
