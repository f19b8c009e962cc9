"""`torch.onnx.symbolic_helper`: argument kinds of functions that write ONNX nodes."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

KINDS: dict[str, Callable] = {"i": int, "f": float, "s": str, "b": bool}
LISTS = {"is": int, "fs": float}


def parse_args(*arg_descriptors: str) -> Callable[[Callable], Callable]:
    """Returns a decorator that declares the kinds of a function's arguments after the graph.

    "v" is a value of the graph, "i", "f", "s", "b" a Python number, string or bool, "is" and "fs" a list of them,
    "none" an argument that is not used. Raises ValueError for another kind.
    """
    for kind in arg_descriptors:
        if kind not in (*KINDS, *LISTS, "v", "none"):
            raise ValueError(f"parse_args: unknown kind of argument {kind!r}")

    def decorate(function: Callable) -> Callable:
        @wraps(function)
        def converting(g: Any, *args: Any, **kwargs: Any) -> Any:
            kinds = [*arg_descriptors, *["v"] * len(args)]
            return function(g, *[converted(value, kind) for value, kind in zip(args, kinds, strict=False)], **kwargs)

        for target in (function, converting):
            vars(target)["_arg_descriptors"] = arg_descriptors
        return converting

    return decorate


def converted(value: Any, kind: str) -> Any:
    """Returns an argument as the function wants it."""
    if value is None or kind in ("v", "none"):
        return value
    return KINDS[kind](value) if kind in KINDS else [LISTS[kind](each) for each in value]
