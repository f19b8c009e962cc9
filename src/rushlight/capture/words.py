"""Guards in words: what has to be true for a replay, and what was found instead."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from types import FunctionType, ModuleType
from typing import Any

from rushlight.capture import paths
from rushlight.capture.paths import ENTRY, FOUND, INDEX, ITEM, Guard, Path, TensorMeta
from rushlight.nn.modules.module import MEMBER_KINDS, Module

LONGEST = 60  # characters of a value
UNREADABLE = (LookupError, AttributeError, ValueError, TypeError, StopIteration)


def place(path: Path, function: Callable | None = None) -> str:
    """Returns a path as a program would write it: `x`, `self.layer.weight`, `SCALE`."""
    kind, key, parent = path.kind, path.key, path.parent
    if parent is None:
        return parameter_name(function, path) or root_name(path)
    if kind == ITEM and parent.parent is None and is_globals(parent):
        return str(key)
    if kind == ITEM and parent.kind == ENTRY and parent.key in MEMBER_KINDS:
        return f"{place(parent.parent, function)}.{key}"  # type: ignore[arg-type]
    inner = place(parent, function)
    if kind in (ENTRY, FOUND):
        return f"{inner}.{key}"
    if kind in (ITEM, INDEX):
        return f"{inner}[{short(key)}]"
    if kind == paths.CLASS:
        return f"type({inner})"
    if kind == paths.CELL:
        return inner
    return f"{inner}.{getattr(key, '__name__', key)}"


def parameter_name(function: Callable | None, path: Path) -> str | None:
    """Returns the name of the parameter that an argument goes to."""
    if path.kind == paths.KEYWORD:
        return str(path.key)
    if path.kind != paths.ARGUMENT:
        return None
    called = function.forward if isinstance(function, Module) else function
    code = getattr(getattr(called, "__func__", called), "__code__", None)
    if code is not None:
        at = path.key + inspect.ismethod(called)
        if at < code.co_argcount:
            return code.co_varnames[at]
    return f"args[{path.key}]"


def root_name(path: Path) -> str:
    """Returns a name for an object that is held."""
    return "self" if isinstance(path.key, Module) else paths.named(path.key)


def is_globals(path: Path) -> bool:
    """Whether a path is the dictionary of a module's globals."""
    return path.kind == paths.OBJECT and isinstance(path.key, dict) and "__name__" in path.key


def short(value: Any) -> str:
    """Returns a value as text, shortened; objects by their names."""
    if isinstance(value, type | FunctionType) or callable(value):
        return getattr(value, "__qualname__", None) or type(value).__name__
    if isinstance(value, ModuleType):
        return value.__name__.replace("rushlight", "torch", 1)
    if type(value) not in (int, float, complex, str, bytes, bool, type(None), tuple, frozenset):
        return f"a {type(value).__name__}"
    text = repr(value)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 3]}..."


def tensor(meta: TensorMeta) -> str:
    """Returns the demands on a tensor in words."""
    grad = ", requires_grad" if meta.requires_grad else ""
    history = "" if meta.leaf else ", with history"
    view = ", a view" if meta.view else ""
    kind = "" if meta.kind.__name__ == "Tensor" else f"{meta.kind.__name__}, "
    if type(meta.array_type) is tuple:
        return f"{kind}{meta.array_type[0].name}, {meta.dtype.name} {meta.shape}{grad}{history}"
    steps = tuple([step // meta.dtype.itemsize for step in meta.strides])
    strides = "" if steps == contiguous(meta.shape) else f", strides {steps}"
    return f"{kind}{meta.dtype.name} {meta.shape}{strides}{grad}{history}{view}"


def contiguous(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Returns the strides of a contiguous tensor, in elements."""
    result, step = [], 1
    for size in reversed(shape):
        result.append(step)
        step *= size
    return tuple(reversed(result))


def demand(guard: Guard, function: Callable | None = None) -> str:
    """Returns what a guard demands."""
    kind, wanted = guard.demand, guard.wanted
    if kind == paths.TENSOR:
        return f"is {tensor(wanted)}"
    if kind in (paths.SAME, paths.OTHER):
        return f"is {'' if kind == paths.SAME else 'not '}{place(wanted, function)}"
    words = {
        paths.IS: "is {}",
        paths.TYPE: "is of the class {}",
        paths.EQUAL: "== {}",
        paths.LENGTH: "has the length {}",
        paths.KEYS: "has the keys {}",
        paths.HAS: "has {}",
        paths.LACKS: "does not have {}",
        paths.NO_ENTRY: "has no {} of its own",
        paths.UNFOUND: "has no {}",
    }[kind]
    return words.format(short(wanted))


def guard(each: Guard, function: Callable | None = None) -> str:
    """Returns a guard in words: `n == 2`, `x is float32 (2, 3)`."""
    return f"{place(each.path, function)} {demand(each, function)}"


def actual(each: Guard, args: tuple, kwargs: dict) -> str:
    """Returns what a call has at the path of a guard, as far as the guard looks at it."""
    try:
        value = each.path.read(args, kwargs)
        if each.demand == paths.TENSOR:
            return tensor(paths.meta_of(value)) if isinstance(value, paths.Tensor) else short(value)
        if each.demand == paths.TYPE:
            return type(value).__qualname__
        if each.demand == paths.LENGTH:
            return str(len(value))
        if each.demand == paths.KEYS:
            return short(tuple(value))
        return short(value)
    except UNREADABLE:
        return "nothing"


def is_of_interest(each: Guard) -> bool:
    """Whether a guard is about what the program gave: tensors, and numbers and strings that are not Python's own."""
    if each.demand == paths.TENSOR:
        return True
    return each.demand in (paths.EQUAL, paths.LENGTH) and not is_about_library(each.path)


def is_about_library(path: Path) -> bool:
    """Whether a path goes through tables of hooks or the insides of functions."""
    while path.parent is not None:
        if type(path.key) is str and (path.key.endswith("_hooks") or path.key.startswith("__")):
            return True
        path = path.parent
    return False
