"""`torch.jit`: the marks of its compiler in programs. Functions and modules run as the Python that they are.

https://docs.pytorch.org/docs/stable/jit.html
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, Final

from rushlight._C.graphs import Current, tracing
from rushlight.autograd.grad_mode import no_grad
from rushlight.core.tensor import Tensor
from rushlight.futures import BaseFuture as Future
from rushlight.futures import Future as Computed
from rushlight.nn.modules.module import Module

__all__ = [
    "Attribute", "Final", "Future", "RecursiveScriptModule", "ScriptFunction", "ScriptModule", "TracerWarning",
    "annotate", "export", "fork", "ignore", "is_scripting", "is_tracing", "script", "script_if_tracing",
    "script_method", "trace", "trace_module", "unused", "wait",
]  # fmt: skip

DEPRECATED = "`torch.jit.script` is deprecated. Please switch to `torch.compile` or `torch.export`."


def script(obj: Any, optimize: Any = None, _frames_up: int = 0, _rcb: Any = None, example_inputs: Any = None) -> Any:
    """The function, class or module itself. PyTorch advises `torch.compile`, and warns."""
    warnings.warn(DEPRECATED, DeprecationWarning, stacklevel=1)
    return obj


def script_if_tracing(fn: Callable) -> Callable:
    """The function itself."""
    return fn


def export(fn: Callable) -> Callable:
    """The function itself."""
    return fn


def unused(fn: Any) -> Any:
    """The function itself."""
    return fn


def ignore(drop: bool | Callable = False, **kwargs: Any) -> Callable:
    """The function itself; without one, a decorator that returns it."""
    if callable(drop):
        return drop
    if not isinstance(drop, bool):
        raise RuntimeError(f"Argument to @torch.jit.ignore must be a bool or a function but got {drop}")
    return unused


def is_scripting() -> bool:
    """Whether the compiler of `torch.jit` reads this function: never."""
    return False


def is_tracing() -> bool:
    """Whether a trace is recorded: within `_get_trace_graph`."""
    return Current.state is not None


def _get_trace_graph(
    f: Callable, args: Any = (), kwargs: dict | None = None, strict: bool = True, _force_outplace: bool = False,
    return_inputs: bool = False, _return_inputs_states: bool = False,
) -> tuple:  # fmt: skip
    """The operators that a call of a function or module makes, as a `torch._C.Graph`, and its result.

    Packages count with it what a model computes. With `return_inputs` the inputs come too.
    """
    given = args if isinstance(args, tuple) else (args,)
    with tracing() as state:
        out = f(*given, **(kwargs or {}))
        state.graph._return._inputs = [state.value(each) for each in (out if isinstance(out, tuple) else (out,))]
    return (state.graph, out, given) if return_inputs else (state.graph, out)


def annotate(the_type: Any, the_value: Any) -> Any:
    """The value itself."""
    return the_value


class ScriptModule(Module):
    """A module that TorchScript compiles: those that a program derives from this class, which run as written."""


class RecursiveScriptModule(ScriptModule):
    """What `script` makes of a module in PyTorch. Nothing is one here: `script` returns the module itself."""


class ScriptFunction:
    """What `script` makes of a function in PyTorch. Nothing is one here: `script` returns the function itself."""


class TracerWarning(Warning):
    """What a trace cannot record. Nothing warns of it here: a trace is a list of calls, and nothing runs from it."""


class Attribute:
    """A value of a ScriptModule with the type that TorchScript is to see."""

    def __init__(self, value: Any, type: Any):
        self.value, self.type = value, type


def script_method(fn: Callable) -> Callable:
    """The method itself."""
    return fn


def trace(
    func: Any = None,
    example_inputs: Any = None,
    *arguments: Any,
    example_kwarg_inputs: dict | None = None,
    **keywords: Any,
) -> Any:
    """The function or module itself, after a call with the example: what it decides by its inputs stays open."""
    with no_grad():
        given = (example_inputs,) if isinstance(example_inputs, (Tensor, dict)) else tuple(example_inputs or ())
        func(*given, **(example_kwarg_inputs or {}))
    return func


def trace_module(mod: Any, inputs: dict[str, Any], *arguments: Any, **keywords: Any) -> Any:
    """The module itself, after a call of each method named in `inputs` with its example."""
    for name, example in inputs.items():
        trace(mod if name == "forward" else getattr(mod, name), example)
    return mod


def fork(func: Callable, *args: Any, **kwargs: Any) -> Future:
    """A future of `func(*args, **kwargs)`, which is computed at once."""
    done: Computed = Computed()
    try:
        done.set_result(func(*args, **kwargs))
    except Exception as error:  # whatever the function raises is raised where the program waits for it
        done.set_exception(error)
    return done


def wait(future: Computed) -> Any:
    """What a future of `fork` has. Raises the error of its function."""
    return future.wait()


def _overload(func: Callable) -> Callable:
    """One of several signatures of a function; the last definition is the one that runs."""
    return func


def _overload_method(func: Callable) -> Callable:
    """One of several signatures of a method; the last definition is the one that runs."""
    return func


_script_if_tracing = script_if_tracing
