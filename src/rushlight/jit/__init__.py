"""`torch.jit`: accepts the compiler's decorators and functions. Functions and modules run as Python.

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
    """Returns the function, class or module itself. Warns, as PyTorch, which recommends `torch.compile`."""
    warnings.warn(DEPRECATED, DeprecationWarning, stacklevel=1)
    return obj


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
    if not isinstance(drop, bool):
        raise RuntimeError(f"Argument to @torch.jit.ignore must be a bool or a function but got {drop}")
    return unused


def is_scripting() -> bool:
    """Whether the compiler of `torch.jit` reads this function: always False."""
    return False


def is_tracing() -> bool:
    """Whether a trace is being recorded: in `_get_trace_graph`."""
    return Current.state is not None


def _get_trace_graph(
    f: Callable, args: Any = (), kwargs: dict | None = None, strict: bool = True, _force_outplace: bool = False,
    return_inputs: bool = False, _return_inputs_states: bool = False,
) -> tuple:  # fmt: skip
    """Returns the operators that a call of a function or module makes, as a `torch._C.Graph`, and its result.

    Packages use it to count what a model computes. With `return_inputs` the inputs are returned too.
    """
    inputs = args if isinstance(args, tuple) else (args,)
    with tracing() as state:
        out = f(*inputs, **(kwargs or {}))
        state.graph._return._inputs = [state.value(x) for x in (out if isinstance(out, tuple) else (out,))]
    return (state.graph, out, inputs) if return_inputs else (state.graph, out)


def annotate(the_type: Any, the_value: Any) -> Any:
    """Returns the value itself."""
    return the_value


class ScriptModule(Module):
    """Base class of users' modules that TorchScript compiles; here they run as written."""


class RecursiveScriptModule(ScriptModule):
    """The result of `script` for a module in PyTorch. Never created: `script` returns the module itself."""


class ScriptFunction:
    """The result of `script` for a function in PyTorch. Never created: `script` returns the function itself."""


class TracerWarning(Warning):
    """PyTorch's warning of what a trace cannot record. Never raised: a trace is a list of calls, never executed."""


class Attribute:
    """A value of a ScriptModule with its type for TorchScript."""

    def __init__(self, value: Any, type: Any):
        self.value, self.type = value, type


def script_method(fn: Callable) -> Callable:
    """Returns the method itself."""
    return fn


def trace(
    func: Any = None,
    example_inputs: Any = None,
    *arguments: Any,
    example_kwarg_inputs: dict | None = None,
    **keywords: Any,
) -> Any:
    """Returns the function or module itself, after a call with the example: control flow stays dynamic."""
    with no_grad():
        inputs = (example_inputs,) if isinstance(example_inputs, (Tensor, dict)) else tuple(example_inputs or ())
        func(*inputs, **(example_kwarg_inputs or {}))
    return func


def trace_module(mod: Any, inputs: dict[str, Any], *arguments: Any, **keywords: Any) -> Any:
    """Returns the module itself, after a call of each method named in `inputs` with its example."""
    for name, example in inputs.items():
        trace(mod if name == "forward" else getattr(mod, name), example)
    return mod


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
    return future.wait()


def _overload(func: Callable) -> Callable:
    """Declares one of several signatures of a function; the last definition is the one that runs."""
    return func


def _overload_method(func: Callable) -> Callable:
    """Declares one of several signatures of a method; the last definition is the one that runs."""
    return func


_script_if_tracing = script_if_tracing
