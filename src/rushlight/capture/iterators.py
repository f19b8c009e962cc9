"""Iterators of a run, and functions in C that go through them: what those look at, and what they give."""

from __future__ import annotations

import functools
import itertools
import operator
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import Any

from rushlight.capture import attributes, rows
from rushlight.capture.attributes import ABSENT, class_attribute
from rushlight.capture.c_calls import COMPUTING, CONTAINERS, READING, is_scalar
from rushlight.capture.nested import is_flat
from rushlight.capture.origins import FRESH, NotClosed
from rushlight.capture.program_code import Done
from rushlight.capture.watch import Watcher
from rushlight.core.tensor import Tensor
from rushlight.lower.python_layout import is_of_python


def known_or_fresh(w: Watcher) -> Done:
    """For values out of an iterator: known already, or an iterator that was made."""
    return lambda value: new_or_known(w, value)


def new_or_known(w: Watcher, value: Any) -> None:
    """Notes a value out of an iterator."""
    if isinstance(value, Tensor) and id(value) not in w.origins:
        raise NotClosed("a tensor comes out of an iterator", "Iterate over tensor.unbind().")
    w.fresh(value)


def is_iterator(w: Watcher, value: Any) -> bool:
    """Whether a value is an iterator that the run has made."""
    return w.origins.get(id(value)) is FRESH and class_attribute(type(value), "__next__") is not ABSENT


def next_of(w: Watcher, iterator: Any, default: Any = None) -> Done:
    """Notes what an iterator gives."""

    def done(value: Any) -> None:
        if default is None or value is not default:
            rows.taken(w, iterator, value)
        new_or_known(w, value)

    return done


def new_with_parts(w: Watcher) -> Done:
    """For a container of which a function in C has made the elements, too."""

    def done(value: Any) -> None:
        for each in (value, *value):
            w.fresh(each)

    return done


def computes_late(w: Watcher, function: Any, args: list, kwargs: dict) -> None:
    """Judges an iterator that computes with elements, or looks at them, when it is read."""
    values = [*args, *kwargs.values()]
    if function is itertools.accumulate:
        step = kwargs.get("func", args[1] if len(args) > 1 else None)
        called_back(w, operator.add if step is None else step, args[:1])
    w.mapping = w.mapping or function is itertools.accumulate or not all([type(each) in CONTAINERS for each in values])
    w.settle(values)


FUNCTIONS = (FunctionType, MethodType, BuiltinFunctionType, type, functools.partial)


def goes_through(w: Watcher, value: Any, name: str) -> None:
    """Judges an object that a function in C gets elements of, by a method of the program or an iterator of the run."""
    if is_scalar(value) or isinstance(value, (Tensor, *FUNCTIONS, *READING)):
        return
    if w.origins.get(id(value)) is FRESH and not is_of_python(type(value)):
        return
    if type(attributes.class_entry(w, value, name)) is not FunctionType:
        raise NotClosed(f"a function in C goes through a {type(value).__name__}")


def called_back(w: Watcher, function: Any, values: list) -> None:
    """Judges a function that a function in C calls with elements: one in C is not watched, and may look at them."""
    if type(function) is FunctionType or type(function) is MethodType:
        return
    function = bool if function is None else function
    if function not in COMPUTING and function not in (list, tuple):
        raise NotClosed("a function in C calls an object", "Write a loop.")
    for each in values:
        if type(each) in CONTAINERS:
            w.read_container(each)
        if not (is_scalar(each) or is_iterator(w, each) or is_flat(each)):
            raise NotClosed(f"{function.__name__} is called with objects", "Write a loop.")
    w.settle(values)
    w.mapping = True
