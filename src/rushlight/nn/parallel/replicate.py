"""Copies of a module, one for each GPU, whose parameters are computed from its own: gradients come back to these."""

from __future__ import annotations

from collections.abc import Sequence

from rushlight.core.device import device as Device
from rushlight.core.tensor import Tensor

from ..modules.module import Module
from .scatter_gather import gpu

__all__ = ["replicate"]


def replicate(network: Module, devices: Sequence[int | Device], detach: bool = False) -> list[Module]:
    """A copy of a module for each GPU; with `detach` no gradient comes back from them.

    Raises AssertionError if the module's parameters are not on a GPU, ValueError for a device that is none.
    """
    return [_replica(network, gpu(each), detach) for each in devices]


def _replica(network: Module, place: Device, detach: bool) -> Module:
    replicas = {module: module._replicate_for_data_parallel() for module in network.modules()}
    copies = {each: _copy(each, place, detach) for each in network.parameters()}
    buffers = {each: _copy(each, place, True) for each in network.buffers()}
    for module, replica in replicas.items():
        for name, child in module._modules.items():
            replica._modules[name] = None if child is None else replicas[child]
        for name, parameter in module._parameters.items():
            # An attribute, as it is a result and no parameter
            replica._parameters.pop(name, None)
            setattr(replica, name, None if parameter is None else copies[parameter])
        for name, buffer in module._buffers.items():
            replica._buffers[name] = None if buffer is None else buffers[buffer]
    return replicas[network]


def _copy(tensor: Tensor, place: Device, detach: bool) -> Tensor:
    if not tensor.is_cuda:
        raise AssertionError("Broadcast function not implemented for CPU tensors")
    tensor = tensor.detach() if detach else tensor
    return tensor.view_as(tensor) if tensor.device == place else tensor.to(place)
