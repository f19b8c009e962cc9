"""Which operator of aten a call of the library is: its overload, and the arguments in the order of its schema."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from rushlight._library import registry
from rushlight._library.binding import Mismatch
from rushlight._library.overloads import OpOverload, find_packet
from rushlight._library.schema import Argument
from rushlight.core.dtype import dtype, from_numpy_dtype
from rushlight.core.traced import Untraceable

# Functions whose operator has another name.
RENAMED = {
    "cross_entropy": "cross_entropy_loss", "to_copy": "_to_copy", "nll_loss": "nll_loss_nd", "truediv": "div",
    "conv_transpose2d": "conv_transpose2d", "operator_rsub": "rsub", "smooth_l1_loss": "smooth_l1_loss",
    "logical_invert": "bitwise_not",
}  # fmt: skip
KEYWORDS = {"to_copy": {"kind": "dtype", "place": "device"}}  # arguments that the schema has by name only
REDUCTIONS = {"none": 0, "mean": 1, "sum": 2}
NAMES_OF_FIRST = ("input", "self", "x", "tensor", "tensors")


def overload_of(function: Any, args: tuple, kwargs: dict, in_place: bool) -> tuple[Any, tuple, dict]:
    """Returns the overload of aten for a call, with arguments that it accepts; the function itself if there is none."""
    if isinstance(function, OpOverload):
        return function, args, kwargs
    args = tuple([from_numpy_dtype(each) if isinstance(each, np.dtype) else each for each in args])  # of raw operators
    name = getattr(function, "__name__", "").removeprefix("operator_")
    name = RENAMED.get(name, name)
    if in_place and not name.endswith("_"):
        name += "_"
    for form in forms(function, args, kwargs):
        for operator in operators(name):
            try:
                values = operator.bound(*form)
            except (Mismatch, TypeError, ValueError, Untraceable):  # the last where a schema wants a number
                continue
            if any([type(x) is int and isinstance(y, dtype) for x, y in zip(form[0], values, strict=False)]):
                continue  # a schema takes the number of a dtype, which a program never writes
            overload = getattr(find_packet(f"aten::{name}"), operator.schema.overload_name or "default")
            pairs = list(zip(operator.schema.arguments, values, strict=True))
            named = {argument.name: value for argument, value in pairs}
            written = {argument.name for argument, value in pairs if not is_default(argument, value)}
            return overload, tuple(values[: len(form[0])]), {key: named[key] for key in form[1] if key in written}
    return function, args, kwargs


def is_default(argument: Argument, value: Any) -> bool:
    """Whether an argument need not be written, because the operator's default is the same."""
    default = argument.default_value
    return argument.has_default_value() and type(value) is type(default) and value == default


@lru_cache(maxsize=1024)
def operators(name: str) -> tuple:
    """Returns the overloads of a name, without those that write to `out`."""
    overloads = registry.overloads(f"aten::{name}").values() if name else ()
    return tuple([each for each in overloads if not any([argument.is_out for argument in each.schema.arguments])])


def forms(function: Callable, args: tuple, kwargs: dict):
    """Yields a call as schemas may have it: as it is, sizes as one list, arguments in the order of the declaration."""
    yield args, kwargs
    if len(args) > 1 and all([type(each) is int for each in args[1:]]):
        yield (args[0], list(args[1:])), kwargs
    if kwargs or len(args) > 1:
        try:
            bound = inspect.signature(function).bind(*args, **kwargs)
        except (TypeError, ValueError):
            return
        bound.apply_defaults()
        named = {name: value for name, value in bound.arguments.items() if name not in ("out", "named", "old")}
        yield tuple(named.values()), {}
        if (names := KEYWORDS.get(getattr(function, "__name__", ""))) is not None:
            yield args[:1], {names[name]: value for name, value in named.items() if name in names and value is not None}
        yield args, {("self" if name in NAMES_OF_FIRST else name): value for name, value in kwargs.items()}
        if isinstance(named.get("reduction"), str):
            settings = {name: value for name, value in named.items() if name not in ("size_average", "reduce")}
            settings["reduction"] = REDUCTIONS[settings["reduction"]]
            yield (), {("self" if name in NAMES_OF_FIRST else name): value for name, value in settings.items()}
