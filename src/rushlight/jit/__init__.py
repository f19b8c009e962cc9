"""`torch.jit`: modules as graphs that are saved without their Python; the decorators of TorchScript.

https://docs.pytorch.org/docs/stable/jit.html
"""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any, Final

from rushlight._C.graphs import Current, tracing
from rushlight.futures import BaseFuture as Future
from rushlight.futures import Future as Computed
from rushlight.futures import check_future
from rushlight.jit._trace import TracingCheckError, trace, trace_module
from rushlight.jit.containers import container_isinstance as isinstance  # noqa: A004
from rushlight.jit.files import freeze, load, optimize_for_inference, save
from rushlight.jit.recording import TracerWarning, Tracing
from rushlight.jit.script_module import (
    RecursiveScriptModule,
    ScriptFunction,
    ScriptModule,
    TopLevelTracedModule,
    TracedModule,
)
from rushlight.jit.scripting import script

__all__ = [
    "Attribute", "Final", "Future", "RecursiveScriptModule", "ScriptFunction", "ScriptModule", "TopLevelTracedModule",
    "TracedModule", "TracerWarning", "TracingCheckError", "annotate", "export", "fork", "freeze", "ignore",
    "is_scripting", "is_tracing", "isinstance", "load", "optimize_for_inference", "save", "script",
    "script_if_tracing", "script_method", "trace", "trace_module", "unused", "wait",
]  # fmt: skip


def script_if_tracing(fn: Callable) -> Callable:
    """Returns the function itself."""
    return fn


def export(fn: Callable) -> Callable:
    """Returns the function itself."""
    return fn


def unused(fn: Any) -> Any:
    """Returns the function itself."""
    return fn


def ignore(drop: bool | Callable = False, **kwargs: Any) -> Callable:
    """Returns the function itself; without one, a decorator that returns it."""
    if callable(drop):
        return drop
    if type(drop) is not bool:
        raise RuntimeError(f"Argument to @torch.jit.ignore must be a bool or a function but got {drop}")
    return unused


def is_scripting() -> bool:
    """Whether the compiler of `torch.jit` reads this function: always False."""
    return False


def is_tracing() -> bool:
    """Whether a trace is being recorded."""
    return Current.state is not None or Tracing.running > 0


def _get_trace_graph(
    f: Callable, args: Any = (), kwargs: dict | None = None, strict: bool = True, _force_outplace: bool = False,
    return_inputs: bool = False, _return_inputs_states: bool = False,
) -> tuple:  # fmt: skip
    """Returns the operators that a call of a function or module makes, as a `torch._C.Graph`, and its result.

    Packages use it to count what a model computes. With `return_inputs` the inputs are returned too.
    """
    inputs = args if builtins.isinstance(args, tuple) else (args,)
    with tracing() as state:
        out = f(*inputs, **(kwargs or {}))
        state.graph._return._inputs = [state.value(x) for x in (out if builtins.isinstance(out, tuple) else (out,))]
    return (state.graph, out, inputs) if return_inputs else (state.graph, out)


def annotate(the_type: Any, the_value: Any) -> Any:
    """Returns the value itself."""
    return the_value


class Attribute:
    """A value of a ScriptModule with its type for TorchScript."""

    def __init__(self, value: Any, type: Any):
        self.value, self.type = value, type


def script_method(fn: Callable) -> Callable:
    """Returns the method itself."""
    return fn


def fork(func: Callable, *args: Any, **kwargs: Any) -> Future:
    """Returns a future of `func(*args, **kwargs)`, which is computed immediately."""
    done: Computed = Computed()
    try:
        done.set_result(func(*args, **kwargs))
    except Exception as error:  # any error of the function is raised by `wait`
        done.set_exception(error)
    return done


def wait(future: Computed) -> Any:
    """Returns the result of a future of `fork`. Raises the error of its function."""
    check_future("wait", future)
    return future.wait()


def _overload(func: Callable) -> Callable:
    """Declares one of several signatures of a function; the last definition is the one that runs."""
    return func


def _overload_method(func: Callable) -> Callable:
    """Declares one of several signatures of a method; the last definition is the one that runs."""
    return func


_script_if_tracing = script_if_tracing
