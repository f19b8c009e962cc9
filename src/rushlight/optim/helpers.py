"""Helpers that third-party optimizers import from PyTorch: the choice of a step's implementation, and grouping."""

from __future__ import annotations

from typing import Any

from rushlight.core.tensor import PLAIN_TYPES, Tensor

FOREACH = ("cuda", "xpu", "mtia", "privateuseone")
FUSED = ("mps", "cuda", "xpu", "hpu", "cpu", "mtia", "privateuseone")
CAPTURABLE = ("cuda", "xpu", "hpu", "privateuseone")


def foreach_devices() -> list[str]:
    """Returns the device types on which PyTorch uses the foreach step by default."""
    return list(FOREACH)


def fused_devices() -> list[str]:
    """Returns the device types on which PyTorch has fused steps."""
    return list(FUSED)


def capturable_devices(supports_xla: bool = True) -> list[str]:
    """Returns the device types on which PyTorch can capture a step."""
    return [*CAPTURABLE, "xla"] if supports_xla else list(CAPTURABLE)


def default_to_fused_or_foreach(
    params: list[Tensor], differentiable: bool, use_fused: bool = False
) -> tuple[bool, bool]:
    """Returns the defaults (fused, foreach) for options that the user leaves at None."""
    if differentiable:
        return False, False
    fused = use_fused and all(
        param is None or (type(param) in PLAIN_TYPES and param.device.type in FUSED and param.is_floating_point())
        for param in params
    )
    foreach = not fused and all(
        param is None or (type(param) in PLAIN_TYPES and param.device.type in FOREACH) for param in params
    )
    return fused, foreach


def grouped_by_device_and_dtype(lists: list[list[Any]], with_indices: bool = False) -> dict:
    """Groups columns of lists of tensors by device and dtype of the first list; returns (lists, indices) per group."""
    groups: dict = {}
    for index, column in enumerate(zip(*lists, strict=True)):
        if column[0] is None:
            raise RuntimeError(
                "Tensors of the first list of nested Tensor lists are supposed to be defined but the "
                f"{index}-th Tensor is not."
            )
        parts, indices = groups.setdefault((column[0].device, column[0].dtype), ([[] for _ in lists], []))
        for part, tensor in zip(parts, column, strict=True):
            part.append(tensor)
        if with_indices:
            indices.append(index)
    return groups
