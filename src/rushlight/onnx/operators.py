"""`torch.onnx.operators`: sizes as tensors, which an export can trace; ordinary operators here."""

from __future__ import annotations

from rushlight.core.dtype import int64
from rushlight.core.tensor import Tensor
from rushlight.create.from_data import tensor


def shape_as_tensor(x: Tensor) -> Tensor:
    """Returns the sizes of a tensor as an integer tensor.

    >>> import rushlight as torch
    >>> torch.onnx.operators.shape_as_tensor(torch.ones(2, 3))
    tensor([2, 3])
    """
    return tensor(list(x.shape), dtype=int64)


def reshape_from_tensor_shape(x: Tensor, shape: Tensor) -> Tensor:
    """Reshapes a tensor to a shape given as a tensor.

    >>> import rushlight as torch
    >>> torch.onnx.operators.reshape_from_tensor_shape(torch.ones(2, 3), torch.tensor([3, -1])).shape
    torch.Size([3, 2])
    """
    return x.reshape(shape.tolist())
