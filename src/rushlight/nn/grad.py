"""`torch.nn.grad`: gradients of convolutions with respect to input and weight, as functions of `grad_output`."""

from rushlight._generated.functions_of_layers import convolution_input, convolution_weight
from rushlight.arrays.meta import MetaArray
from rushlight.core.tensor import Tensor
from rushlight.declarations.conv import settled

from .modules.utils import _ntuple

__all__ = ["conv1d_input", "conv1d_weight", "conv2d_input", "conv2d_weight", "conv3d_input", "conv3d_weight"]


def _check(grad_output, input_size, weight_size, stride, padding, dilation, groups):
    """Raises the convolution's errors, and RuntimeError unless `grad_output` has the size of its result."""
    dtype = grad_output._array.dtype
    input, weight = MetaArray(input_size, dtype), MetaArray(weight_size, dtype)
    _, expected = settled(input, weight, None, stride, padding, dilation, False, (0,), groups)
    rank = grad_output.dim()
    if rank != len(expected):
        raise RuntimeError(
            f"Expected input and grad_output to have the same number of dimensions, but got: {len(expected)} and {rank}"
        )
    for dim, size in enumerate(expected):
        if grad_output.size(dim) != size:
            raise RuntimeError(
                f"Expected a tensor of dimension {rank} and tensor.size[{dim}] == {size} but got: dimension {rank} and "
                f"tensor.size[{dim}] = {grad_output.size(dim)}"
            )


def _of_input(rank, name):
    as_tuple = _ntuple(rank)

    def function(
        input_size, weight: Tensor, grad_output: Tensor, stride=1, padding=0, dilation=1, groups: int = 1
    ) -> Tensor:
        size, settings = tuple(input_size), (as_tuple(stride), as_tuple(padding), as_tuple(dilation), groups)
        _check(grad_output, size, tuple(weight.shape), *settings)
        return convolution_input(grad_output, weight.conj(), size, *settings)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"The gradient of `conv{rank}d` with respect to its input, which has the size `input_size`."
    return function


def _of_weight(rank, name):
    as_tuple = _ntuple(rank)

    def function(
        input: Tensor, weight_size, grad_output: Tensor, stride=1, padding=0, dilation=1, groups: int = 1
    ) -> Tensor:
        size, settings = tuple(weight_size), (as_tuple(stride), as_tuple(padding), as_tuple(dilation), groups)
        _check(grad_output, tuple(input.shape), size, *settings)
        return convolution_weight(grad_output, input.conj(), size, *settings)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"The gradient of `conv{rank}d` with respect to its weight, which has the size `weight_size`."
    return function


conv1d_input, conv2d_input, conv3d_input = (_of_input(rank, f"conv{rank}d_input") for rank in (1, 2, 3))
conv1d_weight, conv2d_weight, conv3d_weight = (_of_weight(rank, f"conv{rank}d_weight") for rank in (1, 2, 3))
