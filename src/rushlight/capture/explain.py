"""Calls a function to explain how it is compiled."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rushlight.capture.compiled import CompiledFunction
from rushlight.capture.explanation import Explanation


def explained(function: Callable, args: tuple, kwargs: dict) -> Explanation:
    """Calls a function, and returns how it is compiled.

    Of a compiled function these are its programs so far, and why there are several. Another one is compiled for this
    call.
    """
    compiled = compiled_of(function)
    if compiled is None:
        original = getattr(function, "_torchdynamo_orig_callable", function)
        compiled = CompiledFunction(original, options={"graphs": True})
    result = compiled.call()(*args, **kwargs)
    return Explanation(compiled, result)


def compiled_of(function: Any) -> CompiledFunction | None:
    """Returns what compiles a function or module, if it was called before."""
    for each in (function, getattr(function, "_compiled_call", None), getattr(function, "_compiled_call_impl", None)):
        each = getattr(each, "call", each)
        if (out := getattr(each, "_rushlight_compiled", None)) is not None:
            return out
    return None
