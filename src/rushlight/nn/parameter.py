"""`torch.nn.parameter`: parameters and buffers of modules, also uninitialized ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

from rushlight.core.annotations import Device, Dtype
from rushlight.core.errors import noted
from rushlight.core.tensor import Parameter, Tensor, alias
from rushlight.create.filled import empty
from rushlight.dispatch.override import overridable

__all__ = [
    "Buffer", "Parameter", "UninitializedBuffer", "UninitializedParameter", "UninitializedTensorMixin", "is_lazy",
]  # fmt: skip

NO_SHAPE = (
    "Can't access the shape of an uninitialized parameter or buffer. This error usually happens in `load_state_dict` "
    "when trying to load an uninitialized parameter into an initialized one. Call `forward` to initialize the "
    "parameters before accessing their attributes."
)
NOT_SHARED = (
    "Can't share memory on an uninitialized parameter or buffer. Call `forward` to initialize the parameters before "
    "calling `module.share_memory()`."
)


class BufferMeta(type):  # type: ignore[misc]
    """Makes every tensor marked as a buffer an instance of `Buffer`, of any class."""

    def __instancecheck__(cls, instance):
        return isinstance(instance, Tensor) and getattr(instance, "_is_buffer", False)


class Buffer(Tensor, metaclass=BufferMeta):
    """A tensor that becomes a buffer of the module it is assigned to.

    >>> import rushlight as torch
    >>> module = torch.nn.Module()
    >>> module.mean = torch.nn.Buffer(torch.zeros(2))
    >>> list(module.state_dict())
    ['mean']
    """

    def __new__(cls, data: Tensor | None = None, *, persistent: bool = True) -> Self:
        data = empty(0) if data is None else data
        buffer = data.detach()._require_grad(data.requires_grad)
        buffer.persistent = persistent
        buffer._is_buffer = True
        return buffer


class UninitializedTensorMixin:
    """A tensor without a shape: it can only be moved, cast and materialized."""

    # By function name
    _allowed = frozenset(("to_copy", "copy_", "copy_values", "copy_values_", "_get_data"))
    cls_to_become: type[Tensor]

    def materialize(self: Any, shape: Any, device: Device = None, dtype: Dtype | None = None) -> None:
        """Sets the shape in place; the values are uninitialized memory."""
        data = self.data
        self.data = empty(shape, device=device or data.device, dtype=dtype or data.dtype)
        self.__class__ = self.cls_to_become

    @property
    def shape(self):
        raise RuntimeError(NO_SHAPE)

    numel = nelement = overridable(Tensor.numel)
    dim = ndimension = overridable(Tensor.dim)
    item = overridable(Tensor.item)
    requires_grad_ = overridable(Tensor.requires_grad_)

    def share_memory_(self):
        """Raises RuntimeError: there is no memory yet."""
        raise RuntimeError(NOT_SHARED)

    def __repr__(self) -> str:
        return f"<{type(self).__name__}>"

    def __reduce_ex__(self, protocol: Any) -> Any:
        return type(self), (self.requires_grad,)  # type: ignore[attr-defined]

    @classmethod
    def __torch_function__(cls, function: Callable[..., Any], types: Any, arguments: Any = (), keywords: Any = None):
        if function.__name__ in cls._allowed:
            return Tensor.__torch_function__.__func__(  # type: ignore[attr-defined]
                cls, function, types, arguments, keywords or {}
            )
        raise noted(
            ValueError(
                f"Attempted to use an uninitialized parameter in {function}. This error happens when you are using a "
                f"`LazyModule` or explicitly manipulating `torch.nn.parameter.{cls.__name__}` objects. When using "
                "LazyModules Call `forward` with a dummy batch to initialize the parameters before calling torch "
                "functions"
            ),
            "A lazy module learns its sizes from its first input: call it once, then make the optimizer.",
        )


def is_lazy(param: Any) -> bool:
    """Whether a parameter or buffer has no shape yet."""
    return isinstance(param, UninitializedTensorMixin)


class UninitializedParameter(UninitializedTensorMixin, Parameter):  # type: ignore[misc]
    """A parameter whose shape is not known yet; `materialize` makes it a `Parameter`."""

    cls_to_become = Parameter

    def __new__(cls, requires_grad: bool = True, device: Device = None, dtype: Dtype | None = None):
        parameter = alias(empty(0, device=device, dtype=dtype), cls)
        parameter.requires_grad = requires_grad
        return parameter

    def __deepcopy__(self, memo: dict[int, Any]):
        if id(self) not in memo:
            memo[id(self)] = type(self)(self.requires_grad, self.device, self.dtype)
        return memo[id(self)]


class UninitializedBuffer(UninitializedTensorMixin, Tensor):  # type: ignore[misc]
    """A buffer whose shape is not known yet; `materialize` makes it a `Tensor`."""

    cls_to_become = Tensor

    def __new__(
        cls, requires_grad: bool = False, device: Device = None, dtype: Dtype | None = None, persistent: bool = True
    ):
        buffer = alias(empty(0, device=device, dtype=dtype), cls)
        buffer.persistent = persistent
        buffer._is_buffer = True
        buffer.requires_grad = requires_grad
        return buffer
