"""`torch.cuda.comm`: copies and sums of tensors over several GPUs, as data parallel training needs them.

https://docs.pytorch.org/docs/stable/cuda.html#communication-collectives
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import rushlight._generated.functions as F
from rushlight.core.device import device as Device
from rushlight.core.tensor import Tensor
from rushlight.cuda._utils import _get_device_index, need_gpu

__all__ = ["broadcast", "broadcast_coalesced", "gather", "reduce_add", "reduce_add_coalesced", "scatter"]


def _gpu(target: Any) -> Device:
    index = _get_device_index(target, optional=True)
    return Device("cuda", 0 if index is None else index)


def broadcast(tensor: Tensor, devices: Iterable[Any] | None = None, *, out: Any = None) -> tuple:
    """Returns a copy of a tensor on each GPU, itself where it is already; or copies it to the tensors of `out`.

    Raises RuntimeError unless one of `devices` and `out` is given.
    """
    _only_one(devices, out)
    need_gpu()
    if out is not None:
        for target in out:
            target.copy_(tensor)
        return tuple(out)
    return tuple(tensor.to(_gpu(each)) for each in devices or ())


def _only_one(devices: Any, out: Any) -> None:
    if (devices is None) == (out is None):
        raise RuntimeError(
            f"Exactly one of 'devices' and 'out' must be specified, but got devices={devices} and out={out}"
        )


def broadcast_coalesced(tensors: Sequence[Tensor], devices: Iterable[Any], buffer_size: int = 10485760) -> list[tuple]:
    """Returns the tensors copied to each GPU; `buffer_size` is not needed, since nothing is sent in parts."""
    need_gpu()
    return [tuple(tensor.to(_gpu(each)) for tensor in tensors) for each in devices]


def reduce_add(inputs: Sequence[Tensor], destination: Any = None) -> Tensor:
    """Returns the sum of tensors of one shape on different GPUs, on `destination`: by default the current one.

    Raises ValueError for other shapes, RuntimeError if none is on the destination.
    """
    target = _gpu(destination)
    for tensor in inputs:
        if tensor.device.type == "cpu":
            raise AssertionError("reduce_add expects all inputs to be on GPUs")
        if tensor.shape != inputs[0].shape:
            got, expected = ("x".join(str(size) for size in each.shape) for each in (tensor, inputs[0]))
            raise ValueError(
                f"input {list(map(id, inputs)).index(id(tensor))} has invalid size: got {got}, but expected {expected}"
            )
    if not any(tensor.device == target for tensor in inputs):
        raise RuntimeError("reduce_add expects destination to be on the same GPU with one of the tensors")
    if len(inputs) == 1:
        return inputs[0]
    total, *rest = sorted(inputs, key=lambda tensor: tensor.device != target)
    for tensor in rest:
        total = F.add(total, tensor.to(target))
    return total


def reduce_add_coalesced(
    inputs: Sequence[Sequence[Tensor]], destination: Any = None, buffer_size: int = 10485760
) -> tuple:
    """Returns the sums of the first, the second, ... tensors of each GPU."""
    return tuple(reduce_add(list(tensors), destination) for tensors in zip(*inputs, strict=True))


def scatter(
    tensor: Tensor, devices: Sequence[Any] | None = None, chunk_sizes: Sequence[int] | None = None, dim: int = 0,
    streams: Any = None, *, out: Sequence[Tensor] | None = None,
) -> tuple:  # fmt: skip
    """Returns parts of a tensor along a dimension, one on each GPU; or copies them to the tensors of `out`.

    Raises RuntimeError for sizes that do not fit.
    """
    need_gpu()
    if out is not None:
        if devices is not None:
            raise RuntimeError(f"'devices' must not be specified when 'out' is specified, but got devices={devices}")
        sizes = [target.shape[dim] for target in out]
        for target, part in zip(out, _parts(tensor, sizes, len(out), dim), strict=True):
            target.copy_(part)
        return tuple(out)
    gpus = [_gpu(each) for each in devices or ()]
    parts = _parts(tensor, chunk_sizes, len(gpus), dim)
    return tuple(part.to(gpu) for part, gpu in zip(parts, gpus, strict=False))


def _parts(tensor: Tensor, sizes: Sequence[int] | None, count: int, dim: int) -> Sequence[Tensor]:
    if sizes is None:
        return tensor.chunk(count, dim)
    if sum(sizes) != tensor.shape[dim]:
        words = f"given chunk sizes don't sum up to the tensor's size (sum(chunk_sizes) == {sum(sizes)}"
        raise RuntimeError(f"{words}, but expected {tensor.shape[dim]})")
    return tensor.split(list(sizes), dim)


def gather(tensors: Sequence[Tensor], dim: int = 0, destination: Any = None, *, out: Tensor | None = None) -> Tensor:
    """Returns tensors on several GPUs as one, on `destination`: by default the current GPU; "cpu" or -1 is the CPU."""
    need_gpu()
    if out is not None:
        if destination is not None:
            raise RuntimeError(
                f"'destination' must not be specified when 'out' is specified, but got destination={destination}"
            )
        return out.copy_(F.cat([tensor.to(out.device) for tensor in tensors], dim))
    index = _get_device_index(destination, optional=True, allow_cpu=True)
    target = Device("cpu") if index == -1 else _gpu(index)
    return F.cat([tensor.to(target) for tensor in tensors], dim)
