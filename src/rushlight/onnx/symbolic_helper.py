"""`torch.onnx.symbolic_helper`: argument kinds of functions that write ONNX nodes."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, NoReturn

from rushlight.core.errors import noted


def parse_args(*arg_descriptors: str) -> Callable[[Callable], Callable]:
    """Returns a decorator that declares the kinds of a function's arguments, such as "v", "i" or "fs".

    An export calls the function with values of its graph. There is no export here, so a call raises
    NotImplementedError.
    """

    def decorate(function: Callable) -> Callable:
        @wraps(function)
        def converting(*args: Any, **kwargs: Any) -> NoReturn:
            raise noted(
                NotImplementedError(f"{function.__name__} writes nodes of ONNX, and rushlight has no such graphs."),
                "torch.save of a state_dict, or rushlight.serialization.safetensors, carry weights elsewhere.",
            )

        for target in (function, converting):
            target._arg_descriptors = arg_descriptors  # type: ignore[attr-defined]
        return converting

    return decorate
