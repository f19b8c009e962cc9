"""`torch.utils._python_dispatch`: modes that see every operator, and functions for tensors that wrap other tensors."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Self

from rushlight._library.overloads import OpOverload
from rushlight._library.wrapper_calls import watch_calls
from rushlight.core.modes import MODE, change, current
from rushlight.core.tensor import PLAIN_TYPES, Tensor
from rushlight.core.traced import WrapperArray

__all__ = [
    "BaseTorchDispatchMode",
    "TorchDispatchMode",
    "is_in_torch_dispatch_mode",
    "is_traceable_wrapper_subclass",
    "is_traceable_wrapper_subclass_type",
    "return_and_correct_aliasing",
    "transform_subclass",
]


class TorchDispatchMode:
    """A context in which `__torch_dispatch__` gets every operator, as those of aten, below autograd.

    While it runs, the mode is off: calls in it go to the next outer mode.

    >>> import rushlight as torch
    >>> class Log(TorchDispatchMode):
    ...     def __torch_dispatch__(self, func, types, args=(), kwargs=None):
    ...         print(func)
    ...         return func(*args, **(kwargs or {}))
    >>> x = torch.eye(2, requires_grad=True)
    >>> with Log():
    ...     y = (x @ x).relu()
    aten.mm.default
    aten.relu.default
    """

    def __init__(self) -> None:
        pass

    def __torch_dispatch__(self, func: Any, types: Any, args: tuple = (), kwargs: dict | None = None) -> Any:
        raise NotImplementedError

    def __enter__(self) -> Self:
        watch_calls()
        change(dispatch_modes=(*current().dispatch_modes, self))
        return self

    def __exit__(self, *exception: object) -> None:
        change(dispatch_modes=current().dispatch_modes[:-1])

    @classmethod
    def push(cls, *args: Any, **kwargs: Any) -> Self:
        """Returns the mode. Deprecated: write `with Mode()`."""
        return cls(*args, **kwargs)


class BaseTorchDispatchMode(TorchDispatchMode):
    """A mode that runs every operator unchanged."""

    def __torch_dispatch__(self, func: Any, types: Any, args: tuple = (), kwargs: dict | None = None) -> Any:
        return func(*args, **(kwargs or {}))


def is_in_torch_dispatch_mode(include_infra_modes: bool = True) -> bool:
    """Whether a TorchDispatchMode is active; there are no modes of the infrastructure to leave out."""
    return bool(current().dispatch_modes)


def _get_current_dispatch_mode() -> TorchDispatchMode | None:
    """Returns the innermost active mode, None without one."""
    return next(reversed(current().dispatch_modes), None)


def _get_current_dispatch_mode_stack() -> list[TorchDispatchMode]:
    """Returns the active modes, outermost first."""
    return list(current().dispatch_modes)


@contextmanager
def _disable_current_modes() -> Iterator[list[TorchDispatchMode]]:
    """Deactivates all modes for a block, and yields them."""
    modes = _get_current_dispatch_mode_stack()
    token = change(dispatch_modes=())
    try:
        yield modes
    finally:
        MODE.reset(token)


# ---- tensors that wrap others


def is_traceable_wrapper_subclass(t: Any) -> bool:
    """Whether a tensor is of a subclass composed of other tensors, which `__tensor_flatten__` returns."""
    return isinstance(t, Tensor) and is_traceable_wrapper_subclass_type(type(t))


def is_traceable_wrapper_subclass_type(t: type) -> bool:
    """Whether a class is a subclass of Tensor with `__tensor_flatten__` and `__tensor_unflatten__`."""
    return (
        issubclass(t, Tensor)
        and t not in PLAIN_TYPES
        and hasattr(t, "__tensor_flatten__")
        and hasattr(t, "__tensor_unflatten__")
    )


def transform_subclass(
    t: Any, callback: Callable[[str, Tensor], Tensor], outer_size: Any = None, outer_stride: Any = None
) -> Any:
    """Returns a wrapper like `t`, each inner tensor replaced by `callback(name, tensor)`.

    Raises AssertionError if the class makes one of another shape or other strides than `outer_size` and `outer_stride`,
    by default those of `t`.
    """
    size = t.size() if outer_size is None else outer_size
    stride = t.stride() if outer_stride is None else outer_stride
    names, context = t.__tensor_flatten__()
    inner = {name: callback(name, getattr(t, name)) for name in names}
    made = type(t).__tensor_unflatten__(inner, context, size, stride)
    for what, wanted, actual in (("shape", size, made.shape), ("stride", stride, made.stride())):
        if actual != wanted:
            raise AssertionError(
                f"Expected return value from {type(t)}__tensor_unflatten__() to have {what} equal to {wanted}, but "
                f"got: {actual}"
            )
    return made


def return_and_correct_aliasing(func: OpOverload, args: tuple, kwargs: dict | None, out: Any) -> Any:
    """Returns what a `__torch_dispatch__` must return where `out` was computed: of a write, the tensor written to.

    The results of a view get the storage of the tensor that they view.
    """
    schema = func._schema
    values = dict(zip([argument.name for argument in schema.arguments], args, strict=False)) | (kwargs or {})
    sources = {
        name: values.get(argument.name)
        for argument in schema.arguments
        if argument.alias_info is not None
        for name in argument.alias_info.before_set
    }
    outs = list(out) if isinstance(out, (tuple, list)) else [out]
    results = []
    for position, each in enumerate(outs):
        returned = schema.returns[min(position, len(schema.returns) - 1)] if schema.returns else None
        results.append(aliased(each, returned, sources))
    return type(out)(results) if type(out) in (tuple, list) else out if isinstance(out, tuple) else results[0]


def aliased(out: Any, returned: Any, sources: dict[str, Any]) -> Any:
    """Returns one result: the tensor written to, or `out` on the storage of the tensor that it views."""
    info = None if returned is None else returned.alias_info
    if info is None:
        return out
    source = next((sources.get(name) for name in info.before_set), None)
    if not isinstance(source, Tensor):
        return out
    if info.is_write:
        return source
    if isinstance(out, Tensor) and type(out._array) is WrapperArray:
        out._store = source._storage
    return out
