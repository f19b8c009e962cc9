"""`torch.cuda.make_graphed_callables`: a function whose forward and backward work is replayed from graphs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from rushlight import cuda
from rushlight.autograd import grad
from rushlight.autograd.function import Function, once_differentiable
from rushlight.core.modes import current
from rushlight.core.tensor import Tensor
from rushlight.create.filled import empty_like
from rushlight.cuda.streams import Stream, stream

CACHED = "make_graphed_callables does not support the autocast caching. Please set `cache_enabled=False`."
HOOKS = (
    "Modules must not have hooks registered at the time they are passed. However, registering hooks on modules after "
    "passing them through make_graphed_callables is allowed."
)
BUFFERS = (
    "In any :class:`~torch.nn.Module` passed to :func:`~make_graphed_callables`, only parameters may be trainable. All "
    "buffers must have ``requires_grad=False``."
)
ONLY_TENSORS = "In the beta API, sample_args for each callable must contain only Tensors. Other types are not allowed."


class Part:
    """One callable: its static inputs, the tensors that it computes, and the graphs of both directions."""

    def __init__(self, function: Any, args: tuple, make_graph: Callable[[], Any]) -> None:
        self.function = function
        self.args = tuple(args)
        self.inputs = tuple(leaves(args))
        self.parameters = tuple(function.parameters()) if is_module(function) else ()
        self.surface = self.inputs + self.parameters
        self.forward, self.backward = make_graph(), make_graph()
        self.outputs: tuple[Any, ...] = ()
        self.form: Any = None  # what the function returned, with numbers of outputs in place of tensors
        self.incoming: tuple[Tensor | None, ...] = ()
        self.gradients: tuple[Tensor | None, ...] = ()
        check(self)

    def differentiated(self, outputs: Sequence[Tensor], incoming: Sequence[Tensor], allow_unused: bool) -> list:
        """Returns the gradients of the inputs that need one, None for the others."""
        wanted = [value for value in self.surface if value.requires_grad]
        gradients = iter(grad(outputs, wanted, incoming, allow_unused=allow_unused) if outputs and wanted else ())
        return [next(gradients, None) if value.requires_grad else None for value in self.surface]


def graphed(
    pairs: list, warmups: int, allow_unused: bool, pool: Any, make_graph: Callable[[], Any], capture: Callable[..., Any]
) -> list:
    """Returns each callable with its work captured: first all forward passes, then backward from the last."""
    autocast = current().autocast
    if autocast is not None and autocast.casts is not None:
        raise RuntimeError(CACHED)
    parts = [Part(function, args, make_graph) for function, args in pairs]
    cuda.synchronize()
    with stream(Stream()):
        for part in parts:
            for _ in range(warmups):
                outputs = [value for value in leaves(part.function(*part.args)) if value.requires_grad]
                part.differentiated(outputs, [empty_like(value) for value in outputs], allow_unused)
    cuda.synchronize()
    for part in parts:
        with capture(part.forward, pool=pool):
            results = part.function(*part.args)
        part.outputs = tuple(leaves(results))
        part.form = form_of(results, iter(range(len(part.outputs))))
    for part in reversed(parts):
        part.incoming = tuple(empty_like(value) if value.requires_grad else None for value in part.outputs)
        outputs = [value for value in part.outputs if value.requires_grad]
        with capture(part.backward, pool=pool):
            incoming = [value for value in part.incoming if value is not None]
            part.gradients = tuple(part.differentiated(outputs, incoming, allow_unused))
    return [replaced(part) for part in parts]


def replaced(part: Part) -> Any:
    """Returns a function that replays the graphs of a part; for a module the module, with that as its forward."""

    class Graphed(Function):
        @staticmethod
        def forward(ctx: Any, *values: Tensor) -> tuple:
            for static, value in zip(part.inputs, values, strict=False):
                if static.data_ptr() != value.data_ptr():
                    static.detach().copy_(value)
            part.forward.replay()
            return tuple(value.detach() for value in part.outputs)

        @staticmethod
        @once_differentiable
        def backward(ctx: Any, *gradients: Tensor) -> tuple:
            for static, gradient in zip(part.incoming, gradients, strict=True):
                if static is not None and static.data_ptr() != gradient.data_ptr():
                    static.copy_(gradient)
            part.backward.replay()
            return tuple(None if value is None else value.detach() for value in part.gradients)

    def replay(*args: Any) -> Any:
        return filled(part.form, Graphed.apply(*leaves(args), *part.parameters))

    module = part.function
    if not is_module(module):
        return replay
    original, mode = module.forward, module.training

    def forward(*args: Any, **kwargs: Any) -> Any:
        return replay(*args) if module.training == mode else original(*args, **kwargs)

    module.forward = forward
    return module


def is_module(function: Any) -> bool:
    return hasattr(type(function), "named_parameters")


def check(part: Part) -> None:
    """Raises AssertionError for what cannot be captured."""
    module = part.function
    if is_module(module):
        if module._backward_hooks or module._forward_hooks or module._forward_pre_hooks:
            raise AssertionError(HOOKS)
        if any(buffer.requires_grad for buffer in module.buffers()):
            raise AssertionError(BUFFERS)
    if not all(isinstance(value, Tensor) for value in part.inputs):
        raise AssertionError(ONLY_TENSORS)


def leaves(value: Any) -> list:
    """Returns what is in nested tuples, lists and dictionaries."""
    if isinstance(value, dict):
        return [leaf for inner in value.values() for leaf in leaves(inner)]
    if isinstance(value, (tuple, list)):
        return [leaf for inner in value for leaf in leaves(inner)]
    return [value]


def form_of(value: Any, numbers: Any) -> Any:
    """Returns a nested value with the next number in place of each leaf."""
    if isinstance(value, dict):
        return {key: form_of(inner, numbers) for key, inner in value.items()}
    if isinstance(value, (tuple, list)):
        inner = [form_of(each, numbers) for each in value]
        return type(value)(*inner) if hasattr(value, "_fields") else type(value)(inner)
    return Place(next(numbers))


class Place(int):
    """The number of a leaf."""


def filled(form: Any, values: Sequence) -> Any:
    """Returns a nested value with the leaves in their places."""
    if isinstance(form, Place):
        return values[form]
    if isinstance(form, dict):
        return {key: filled(inner, values) for key, inner in form.items()}
    inner = [filled(each, values) for each in form]
    return type(form)(*inner) if hasattr(form, "_fields") else type(form)(inner)
