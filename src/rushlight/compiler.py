"""`torch.compiler` and the arguments of `torch.compile`.

Functions run as written; arrays decide about compiled kernels. There is no graph capture, so nothing can break a graph,
and settings of the capture have no effect.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rushlight.core.errors import noted

MODES = ("default", "lite", "reduce-overhead", "max-autotune-no-cudagraphs", "max-autotune")
BACKENDS = ("inductor", "eager", "aot_eager", "cudagraphs", "openxla", "tvm")


def check(backend: str | Callable | None, mode: str | None, options: dict[str, Any] | None) -> None:
    """Raises for arguments that `torch.compile` refuses, and for custom backends, which need a captured graph."""
    if mode is not None and options is not None:
        raise RuntimeError("Either mode or options can be specified, but both can't be specified at the same time.")
    if mode is not None and mode not in MODES:
        raise RuntimeError(f"Unrecognized mode={mode}, should be one of: {', '.join(MODES)}")
    if callable(backend):
        raise noted(
            NotImplementedError("torch.compile with a backend of one's own"),
            "No graph is captured here, so there is none to hand to a backend. Leave `backend` out.",
        )
    if backend is not None and backend not in BACKENDS:
        raise noted(
            RuntimeError(f"Invalid backend: {backend!r}, see `torch._dynamo.list_backends()` for available backends."),
            f"The known names: {', '.join(BACKENDS)}. Each of them runs the function unchanged.",
        )


def disable(fn: Callable | None = None, recursive: bool = True, *, reason: str | None = None) -> Callable:
    """Returns the function unchanged; without one, a decorator that does so."""
    if fn is None:
        return disable
    if not callable(fn):
        raise AssertionError("fn must be callable")
    return fn


def allow_in_graph(fn: Any) -> Any:
    """Returns the function, or list of functions, unchanged."""
    if not isinstance(fn, (list, tuple)) and not callable(fn):
        raise AssertionError("allow_in_graph expects a callable")
    return fn


def assume_constant_result(fn: Callable) -> Callable:
    """Returns the function unchanged."""
    return fn


def is_compiling() -> bool:
    """Returns False: nothing is being captured."""
    return False


is_dynamo_compiling = is_exporting = is_compiling


def reset() -> None:
    """Does nothing: there are no captured graphs."""


def cudagraph_mark_step_begin() -> None:
    """Marks the start of an iteration for CUDA graphs; does nothing."""
