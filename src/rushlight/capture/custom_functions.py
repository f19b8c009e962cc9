"""Custom functions (`torch.autograd.Function`) in a run: `forward`, `setup_context` and `backward` are watched.

A backward pass after the run would run code that no guard has seen. So a program makes a call only if nothing is
recorded for a gradient, or if the run itself has made the backward pass of each such call.
"""

from __future__ import annotations

import inspect
from types import CellType, FrameType, FunctionType
from typing import Any

from rushlight.autograd.function import FunctionCtx, FunctionMeta
from rushlight.capture import frames
from rushlight.capture.calls import Call, Value
from rushlight.capture.origins import Origins
from rushlight.capture.paths import FOUND, IS, OBJECT
from rushlight.capture.watched_code import is_ours
from rushlight.core.tensor import Tensor

METHODS = ("forward", "setup_context", "backward", "vjp")
UNKNOWN = "its backward function has not run in the call"


def read_methods(w: Origins, cls: FunctionMeta) -> None:
    """Guards which methods a custom function has, so that their code is watched where it runs."""
    for name in METHODS:
        entry = inspect.getattr_static(cls, name)
        w.guard(w.paths.path(w.paths.path(None, OBJECT, cls), FOUND, name), IS, entry)
        method = method_of(getattr(cls, name))
        if not is_ours(method.__code__):
            w.origin(method, Value(w.paths.path(None, OBJECT, method)))
            w.contexts.add(id(method))


def method_of(method: Any) -> FunctionType:
    """Returns the function of the program in a method, without `once_differentiable` around it."""
    while is_ours(method.__code__) and hasattr(method, "__wrapped__"):
        method = method.__wrapped__
    return method


def entered(w: Origins, frame: FrameType, function: Any) -> None:
    """Notes what a method gets that the call has made, and of which call the backward function runs."""
    for name in frame.f_code.co_varnames[: frame.f_code.co_argcount]:
        value = frames.local(frame, name)
        value = value.cell_contents if type(value) is CellType else value
        if isinstance(value, (FunctionCtx, tuple)):
            w.fresh(value)
            w.fresh(getattr(value, "needs_input_grad", None))
    if w.inner is not None and (waiting := w.waiting.get(id(function))):
        w.inner.differentiated.append(waiting.pop())


def applied(w: Origins, call: Call, cls: FunctionMeta, value: Any) -> None:
    """Notes a call of a custom function; it is opaque until its backward function has run."""
    results = value if isinstance(value, (tuple, list)) else (value,)
    if not call.opaque and any([isinstance(each, Tensor) and each.requires_grad for each in results]):
        call.opaque = UNKNOWN
        w.waiting.setdefault(id(method_of(FunctionMeta.backward_of(cls))), []).append(call)
