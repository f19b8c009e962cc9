"""Tensors cut into a part for each GPU, and put together again, in whatever containers they are."""

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
    """For each GPU a part of every tensor that is in `inputs`, cut along `dim`; what is no tensor is there for each.

    Of one tensor the parts come as a tuple, of a container, containers of its kind come in a list. Raises ValueError
    for a device that is no GPU, and AssertionError where there is none.

    >>> scatter([1, "a"], [0, 1])
    [[1, 'a'], [1, 'a']]
    """
    if isinstance(inputs, Tensor):
        return _parts(inputs, target_gpus, dim)
    if isinstance(inputs, tuple | list | dict) and inputs:
        items = inputs.items() if isinstance(inputs, dict) else inputs
        shares = zip(*(scatter(each, target_gpus, dim) for each in items), strict=False)
        kind = type(inputs)
        if isinstance(inputs, tuple):
            return [kind(*share) for share in shares] if _is_namedtuple(inputs) else list(shares)
        return [(list if isinstance(inputs, list) else kind)(share) for share in shares]
    return [inputs for _ in target_gpus]


def _parts(tensor: Tensor, target_gpus: Sequence[int | Device], dim: int) -> tuple[Tensor, ...]:
    places = [gpu(each) for each in target_gpus]
    need_gpu()
    return tuple(part.to(place) for part, place in zip(tensor.chunk(len(places), dim), places, strict=False))


def gpu(place: int | str | Device) -> Device:
    """A GPU, from its number or as a device. Raises ValueError for the CPU."""
    if not isinstance(place, int) and as_device(place).type == "cpu":
        raise ValueError(f"Expected a non cpu device, but got: {place}")
    return Device("cuda", _get_device_index(place, optional=True) or 0)


def scatter_kwargs(
    inputs: tuple, kwargs: dict[str, Any] | None, target_gpus: Sequence[int | Device], dim: int = 0
) -> tuple[tuple, tuple[dict[str, Any], ...]]:
    """The arguments of a call for each GPU, by position and by name: as many of one as of the other."""
    positional = list(scatter(inputs, target_gpus, dim)) if inputs else []
    named = list(scatter(kwargs, target_gpus, dim)) if kwargs else []
    positional += [()] * (len(named) - len(positional))
    named += [{} for _ in range(len(positional) - len(named))]
    return tuple(positional), tuple(named)


def gather(outputs: Any, target_device: int | str | Device, dim: int = 0) -> Any:
    """One container from one for each GPU, with their tensors joined along `dim` on `target_device`; -1 is the CPU.

    Raises AssertionError for tensors that are not on a GPU, and ValueError for dicts of different lengths.
    """
    first = outputs[0]
    if isinstance(first, Tensor):
        return _joined(outputs, target_device, dim)
    if first is None:
        return None
    if isinstance(first, dict):
        if not all(len(first) == len(each) for each in outputs):
            raise ValueError("All dicts must have the same number of keys")
        return type(first)((key, gather([each[key] for each in outputs], target_device, dim)) for key in first)
    found: Callable = type(first)._make if _is_namedtuple(first) else type(first)  # type: ignore[attr-defined]
    return found(gather(each, target_device, dim) for each in zip(*outputs, strict=True))


def _joined(tensors: Sequence[Tensor], target_device: int | str | Device, dim: int) -> Tensor:
    if not all(each.is_cuda for each in tensors):
        raise AssertionError("Gather function not implemented for CPU tensors")
    place = as_device("cpu") if target_device in (-1, "cpu", Device("cpu")) else gpu(target_device)
    if dim == 0 and all(not each.ndim for each in tensors):
        warnings.warn(SCALARS, stacklevel=3)
        tensors = [each.view(1) for each in tensors]
    return F.cat([each.to(place) for each in tensors], dim)
