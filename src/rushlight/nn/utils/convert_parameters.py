"""Converts all parameters to one vector, and back."""

from collections.abc import Iterable

from rushlight._generated import functions
from rushlight.core.tensor import Tensor
from rushlight.create.queries import typename


def parameters_to_vector(parameters: Iterable[Tensor]) -> Tensor:
    """Returns the elements of all parameters as one vector, differentiably.

    >>> import rushlight as torch
    >>> torch.nn.utils.parameters_to_vector(torch.nn.Linear(2, 3).parameters()).shape
    torch.Size([9])
    """
    return functions.cat([parameter.view(-1) for parameter in on_one_device(parameters)])


def vector_to_parameters(vec: Tensor, parameters: Iterable[Tensor]) -> None:
    """Sets the parameters to views of `vec`: they share its memory."""
    if not isinstance(vec, Tensor):
        raise TypeError(f"expected torch.Tensor, but got: {typename(vec)}")
    start = 0
    for parameter in on_one_device(parameters):
        stop = start + parameter.numel()
        parameter.data = vec[start:stop].view_as(parameter).data
        start = stop


def on_one_device(parameters):
    device = None
    for parameter in parameters:
        if device is not None and parameter.device != device:
            raise TypeError("Found two parameters on different devices, this is currently not supported.")
        device = parameter.device
        yield parameter
