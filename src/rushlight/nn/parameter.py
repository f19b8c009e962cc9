"""`torch.nn.parameter`: the tensors that belong to modules."""

from rushlight.core.tensor import Parameter, Tensor
from rushlight.dispatch.create import empty

__all__ = ["Buffer", "Parameter"]


class BufferMeta(type):  # type: ignore[misc]
    """Makes a tensor that is marked a buffer an instance of `Buffer`, whatever its class."""

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

    def __new__(cls, data: Tensor | None = None, *, persistent: bool = True):
        data = empty(0) if data is None else data
        buffer = data.detach().requires_grad_(data.requires_grad)
        buffer.persistent = persistent
        buffer._is_buffer = True
        return buffer
