"""Splits tensors in nested containers into a part per GPU, and concatenates them again."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

from rushlight._generated import functions as F
from rushlight.core.device import as_device
from rushlight.core.device import device as Device
from rushlight.core.tensor import Tensor
from rushlight.cuda._utils import _get_device_index, need_gpu

__all__ = ["gather", "scatter", "scatter_kwargs"]

SCALARS = (
    "Was asked to gather along dimension 0, but all input tensors were scalars; will instead unsqueeze and return a "
    "vector."
)


def _is_namedtuple(obj: Any) -> bool:
    return isinstance(obj, tuple) and hasattr(obj, "_asdict") and hasattr(obj, "_fields")


def scatter(inputs: Any, target_gpus: Sequence[int | Device], dim: int = 0) -> Any:
    """Splits every tensor in `inputs` along `dim` into a part per GPU; other values are repeated.

    The parts of a tensor are a tuple, those of a container a list of such containers. Raises ValueError for a device
    that is not a GPU, and AssertionError if there is no GPU.

    >>> scatter([1, "a"], [0, 1])
    [[1, 'a'], [1, 'a']]
    """
    if isinstance(inputs, Tensor):
        return _parts(inputs, target_gpus, dim)
    if isinstance(inputs, tuple | list | dict) and inputs:
        items = inputs.items() if isinstance(inputs, dict) else inputs
        shares = zip(*(scatter(item, target_gpus, dim) for item in items), strict=False)
        cls = type(inputs)
        if isinstance(inputs, tuple):
            return [cls(*share) for share in shares] if _is_namedtuple(inputs) else list(shares)
        return [(list if isinstance(inputs, list) else cls)(share) for share in shares]
    return [inputs for _ in target_gpus]


def _parts(tensor: Tensor, target_gpus: Sequence[int | Device], dim: int) -> tuple[Tensor, ...]:
    devices = [gpu(target) for target in target_gpus]
    need_gpu()
    return tuple(
        part.to(target_device) for part, target_device in zip(tensor.chunk(len(devices), dim), devices, strict=False)
    )


def gpu(target: int | str | Device) -> Device:
    """Returns a GPU, from its index or as a device. Raises ValueError for the CPU."""
    if not isinstance(target, int) and as_device(target).type == "cpu":
        raise ValueError(f"Expected a non cpu device, but got: {target}")
    return Device("cuda", _get_device_index(target, optional=True) or 0)


def scatter_kwargs(
    inputs: tuple, kwargs: dict[str, Any] | None, target_gpus: Sequence[int | Device], dim: int = 0
) -> tuple[tuple, tuple[dict[str, Any], ...]]:
    """Splits the arguments of a call per GPU; returns positional and keyword arguments of equal length."""
    positional = list(scatter(inputs, target_gpus, dim)) if inputs else []
    keywords = list(scatter(kwargs, target_gpus, dim)) if kwargs else []
    positional += [()] * (len(keywords) - len(positional))
    keywords += [{} for _ in range(len(positional) - len(keywords))]
    return tuple(positional), tuple(keywords)


def gather(outputs: Any, target_device: int | str | Device, dim: int = 0) -> Any:
    """Concatenates the tensors of one container per GPU along `dim` on `target_device`; -1 is the CPU.

    Raises AssertionError for tensors that are not on a GPU, and ValueError for dicts of different lengths.
    """
    first = outputs[0]
    if isinstance(first, Tensor):
        return _joined(outputs, target_device, dim)
    if first is None:
        return None
    if isinstance(first, dict):
        if not all(len(first) == len(output) for output in outputs):
            raise ValueError("All dicts must have the same number of keys")
        return type(first)((key, gather([output[key] for output in outputs], target_device, dim)) for key in first)
    make: Callable = getattr(type(first), "_make", type(first))  # the former of a named tuple
    return make(gather(entries, target_device, dim) for entries in zip(*outputs, strict=True))


def _joined(tensors: Sequence[Tensor], target_device: int | str | Device, dim: int) -> Tensor:
    if not all(tensor.is_cuda for tensor in tensors):
        raise AssertionError("Gather function not implemented for CPU tensors")
    target = as_device("cpu") if target_device in (-1, "cpu", Device("cpu")) else gpu(target_device)
    if dim == 0 and all(not tensor.ndim for tensor in tensors):
        warnings.warn(SCALARS, stacklevel=3)
        tensors = [tensor.view(1) for tensor in tensors]
    return F.cat([tensor.to(target) for tensor in tensors], dim)
