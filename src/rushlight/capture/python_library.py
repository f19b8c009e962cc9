"""Calls of Python's library whose results follow from their arguments: their frames are not watched.

`isinstance` and `issubclass` with abstract classes such as `collections.abc.Iterable`, `inspect.signature`, functions
with `functools.lru_cache`; what a partial function calls.
"""

from __future__ import annotations

import abc
import functools
import inspect
from collections.abc import Callable
from types import FunctionType, MethodType
from typing import Any

from rushlight.capture.attributes import class_attribute
from rushlight.capture.calls import Value
from rushlight.capture.origins import FRESH, INSIDE, NotClosed
from rushlight.capture.paths import EQUAL, GETTER, IS, NO_ENTRY, OBJECT, SLOT
from rushlight.capture.watch import Watched, Watcher
from rushlight.capture.watched_code import is_library


def of_abstract_classes(w: Watcher, classes: Any) -> Callable[[Any], None] | None:
    """Judges a test with one or several classes; None if none of them is abstract, or code of the program decides.

    Guards that nothing is registered with an abstract class.
    """
    kinds = classes if isinstance(classes, tuple) else (classes,)
    abstract = [each for each in kinds if type(each) is abc.ABCMeta]
    if not abstract or not all([type(each) in (type, abc.ABCMeta) for each in kinds]):
        return None
    if not all(map(is_checked_by_library, abstract)):
        return None
    for each in abstract:
        w.guard(w.paths.path(w.paths.path(None, OBJECT, each), GETTER, registered), EQUAL, abc.get_cache_token())
    w.runs_library = True
    return w.library_ran


def is_checked_by_library(kind: type) -> bool:
    """Whether a class and all that inherit from it have the check of `object`, or one that Python's library has."""
    hook = class_attribute(kind, "__subclasshook__")
    function = getattr(hook, "__func__", hook)
    if isinstance(function, FunctionType) and not is_library(function.__code__):
        return False
    return all(map(is_checked_by_library, type.__subclasses__(kind)))


def registered(kind: type) -> Any:
    """Returns a number that changes when a class is registered with an abstract class."""
    return abc.get_cache_token()


def of_signature(w: Watcher, function: Any) -> Callable[[Any], None]:
    """Judges `inspect.signature` of a function or method; guards what it reads."""
    plain = function.__func__ if isinstance(function, MethodType) else function
    if type(plain) is not FunctionType or {"__signature__", "__wrapped__"} & vars(plain).keys():
        raise NotClosed("the signature of a function that is decorated, or of an object, is read")
    w.guard_object(plain)
    path = w.origins[id(plain)].path
    for name in ("__signature__", "__wrapped__"):
        w.guard(path, NO_ENTRY, name)
    for name in ("__code__", "__defaults__", "__kwdefaults__"):
        w.guard(w.paths.path(path, SLOT, vars(FunctionType)[name]), IS, getattr(plain, name))
    w.runs_library = True

    def done(value: inspect.Signature) -> None:
        w.library_ran(value)
        w.fresh(value.parameters)
        for each in value.parameters.values():
            w.fresh(each)

    return done


def of_cached(w: Watcher, state: Watched, function: Any, args: list, kwargs: dict) -> Callable[[Any], None]:
    """Notes the call of a function with `functools.lru_cache`; what that runs for new arguments is not watched."""
    state.boundary = True
    call = w.note(function, args, kwargs, pure=True)
    w.runs_library = True

    def done(value: Any) -> None:
        w.runs_library = False
        w.result(call, value, looked=value is not None)
        if call is not INSIDE:
            call.opaque = "its results are cached"

    return done


def read_partial(w: Watcher, function: functools.partial) -> None:
    """Notes what is read of a partial function."""
    origin = w.origins.get(id(function))
    w.guard_object(function) if origin is not FRESH else None
    if type(origin) is not Value:
        return
    for name in ("func", "args", "keywords"):
        value = getattr(function, name)
        w.arrived(w.paths.path(origin.path, SLOT, vars(functools.partial)[name]), value)
        if name != "func":
            w.read_container(value)
