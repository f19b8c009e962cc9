"""Calls of Python's library whose results follow from their arguments: their frames are not watched.

`isinstance` and `issubclass` with abstract classes such as `collections.abc.Iterable`, `inspect.signature`, and
functions with `functools.lru_cache`.
"""

from __future__ import annotations

import abc
import inspect
from collections.abc import Callable
from types import FunctionType, MethodType
from typing import Any

from rushlight.capture.attributes import class_attribute
from rushlight.capture.origins import INSIDE
from rushlight.capture.paths import EQUAL, GETTER, OBJECT
from rushlight.capture.watch import Watched, Watcher
from rushlight.capture.watched_code import is_library


def of_abstract_classes(w: Watcher, classes: Any) -> Callable[[Any], None] | None:
    """Judges a test with one or several classes; None if none of them is abstract, or code of the program decides.

    Guards that nothing is registered with an abstract class.
    """
    abstract = [each for each in (classes if isinstance(classes, tuple) else (classes,)) if type(each) is abc.ABCMeta]
    if not abstract or not all(map(is_checked_by_library, abstract)):
        return None
    for each in abstract:
        w.guard(w.paths.path(w.paths.path(None, OBJECT, each), GETTER, registered), EQUAL, abc.get_cache_token())
    w.runs_library = True
    return w.library_ran


def is_checked_by_library(kind: type) -> bool:
    """Whether the class has the check of `object`, or one that Python's library has written."""
    hook = class_attribute(kind, "__subclasshook__")
    function = getattr(hook, "__func__", hook)
    return not isinstance(function, FunctionType) or is_library(function.__code__)


def registered(kind: type) -> Any:
    """Returns a number that changes when a class is registered with an abstract class."""
    return abc.get_cache_token()


def of_signature(w: Watcher, function: Any) -> Callable[[Any], None]:
    """Judges `inspect.signature` of a function or method."""
    w.guard_object(function.__func__ if isinstance(function, MethodType) else function)
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
