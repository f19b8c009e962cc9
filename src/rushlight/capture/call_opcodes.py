"""Instructions that call: what they mean to a watched run; see `opcodes.py`."""

from __future__ import annotations

import sys
from types import FunctionType
from typing import Any

from rushlight.capture import attributes, calling, frames, keys
from rushlight.capture.c_calls import CONTAINERS
from rushlight.capture.opcodes import After, handles
from rushlight.capture.origins import NotClosed
from rushlight.capture.watch import Watched, Watcher
from rushlight.capture.watched_code import is_ours
from rushlight.core.tensor import Tensor


def called(values: list) -> tuple[Any, list]:
    """Returns a function and its arguments: it is above its object, or an empty place; from 3.13 on below."""
    first, second, *values = values
    if sys.version_info >= (3, 13):
        return first, values if second is frames.NULL else [second, *values]
    return (second, values) if first is frames.NULL else (first, [second, *values])


@handles("CALL")
def call(w: Watcher, state: Watched, instruction) -> After:
    names, state.keywords = state.keywords, ()
    return call_with(w, state, frames.stack(state.frame, instruction.arg + 2), names)


@handles("CALL_KW")
def call_with_keywords(w: Watcher, state: Watched, instruction) -> After:
    *values, names = frames.stack(state.frame, instruction.arg + 3)
    return call_with(w, state, values, names)


def call_with(w: Watcher, state: Watched, values: list, names: tuple) -> After:
    """Judges a call whose last arguments have names."""
    function, args = called(values)
    split = len(args) - len(names)
    done = calling.call(w, state, function, args[:split], dict(zip(names, args[split:], strict=True)))
    return None if done is None else lambda state: done(state.top())


@handles("CALL_FUNCTION_EX")
def call_spread(w: Watcher, state: Watched, instruction) -> After:
    below = sys.version_info >= (3, 13)  # an empty place follows the function
    named = 1 if sys.version_info >= (3, 14) else instruction.arg & 1
    values = frames.stack(state.frame, 2 + named + below)
    function, args = values[0], values[1 + below]
    kwargs = values[-1] if named and values[-1] is not frames.NULL else {}
    if isinstance(args, Tensor):
        raise NotClosed("a tensor is spread over arguments", "Write *tensor.unbind().")
    if not isinstance(args, CONTAINERS):
        raise NotClosed(f"a {type(args).__name__} is spread over arguments", "Spread a list: *[*values].")
    for each in (args, kwargs):
        w.read_container(each)
    keys.in_order(w, args)
    done = calling.call(w, state, function, list(args), dict(kwargs))
    return None if done is None else lambda state: done(state.top())


def entry_of_manager(w: Watcher, manager: Any) -> FunctionType:
    """Returns what enters a `with` block; it and what leaves the block are known afterwards."""
    entry = attributes.class_entry(w, manager, "__enter__")
    exit = attributes.class_entry(w, manager, "__exit__")
    if type(entry) is not FunctionType or type(exit) is not FunctionType:
        raise NotClosed(f"a {type(manager).__name__} is entered")
    if not is_ours(entry.__code__) and w.origins.get(id(manager)) is None:
        raise NotClosed(f"a {type(manager).__name__} that comes from nowhere that is known is entered")
    return entry


@handles("LOAD_SPECIAL")
def load_of_manager(w: Watcher, state: Watched, instruction) -> After:
    """Judges what CPython 3.14 has in place of BEFORE_WITH: the two methods are loaded, then one is called."""
    entry_of_manager(w, frames.stack(state.frame, 1)[0])
    return None


@handles("BEFORE_WITH")
def before_with(w: Watcher, state: Watched, instruction) -> After:
    manager = frames.stack(state.frame, 1)[0]
    entry = entry_of_manager(w, manager)
    if is_ours(entry.__code__):
        done = calling.of_library(w, state, entry, [manager], {})

        def entered(state: Watched) -> None:
            if done is not None:
                done(state.top())
            w.fresh(frames.stack(state.frame, 2)[0])

        return entered

    def watched(state: Watched) -> None:
        w.fresh(frames.stack(state.frame, 2)[0])

    return watched
