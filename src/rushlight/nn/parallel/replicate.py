"""Copies of a module, one per GPU, whose parameters are computed from the module's, so that gradients flow back."""

from __future__ import annotations

from collections.abc import Sequence

from rushlight.core.device import device as Device
from rushlight.core.tensor import Tensor

from ..modules.module import Module
from .scatter_gather import gpu

__all__ = ["replicate"]


def replicate(network: Module, devices: Sequence[int | Device], detach: bool = False) -> list[Module]:
    """Returns a copy of a module per GPU; with `detach` no gradients flow back.

    Raises AssertionError if the module's parameters are not on a GPU, ValueError for a device that is not a GPU.
    """
    return [_replica(network, gpu(target), detach) for target in devices]


def _replica(network: Module, target: Device, detach: bool) -> Module:
    replicas = {module: module._replicate_for_data_parallel() for module in network.modules()}
    copies = {tensor: _copy(tensor, target, detach) for tensor in network.parameters()}
    buffers = {tensor: _copy(tensor, target, True) for tensor in network.buffers()}
    for module, replica in replicas.items():
        for name, child in module._modules.items():
            replica._modules[name] = None if child is None else replicas[child]
        for name, parameter in module._parameters.items():
            # An attribute, since it is a result and not a parameter
            replica._parameters.pop(name, None)
            setattr(replica, name, None if parameter is None else copies[parameter])
        for name, buffer in module._buffers.items():
            replica._buffers[name] = None if buffer is None else buffers[buffer]
    return replicas[network]


def _copy(tensor: Tensor, target: Device, detach: bool) -> Tensor:
    if not tensor.is_cuda:
        raise AssertionError("Broadcast function not implemented for CPU tensors")
    tensor = tensor.detach() if detach else tensor
    return tensor.view_as(tensor) if tensor.device == target else tensor.to(target)
