"""What optimizers of other packages take from PyTorch's: which way of stepping fits, and tensors in groups."""

from __future__ import annotations

from typing import Any

from rushlight.core.tensor import PLAIN_TYPES, Tensor

FOREACH = ("cuda", "xpu", "mtia", "privateuseone")
FUSED = ("mps", "cuda", "xpu", "hpu", "cpu", "mtia", "privateuseone")
CAPTURABLE = ("cuda", "xpu", "hpu", "privateuseone")


def foreach_devices() -> list[str]:
    """The kinds of devices on which PyTorch steps many tensors at once unless told otherwise."""
    return list(FOREACH)


def fused_devices() -> list[str]:
    """The kinds of devices on which PyTorch can step by one kernel."""
    return list(FUSED)


def capturable_devices(supports_xla: bool = True) -> list[str]:
    """The kinds of devices on which PyTorch can capture a step."""
    return [*CAPTURABLE, "xla"] if supports_xla else list(CAPTURABLE)


def default_to_fused_or_foreach(
    params: list[Tensor], differentiable: bool, use_fused: bool = False
) -> tuple[bool, bool]:
    """Whether to step by one kernel, and whether many tensors at once, where a program leaves both open."""
    if differentiable:
        return False, False
    fused = use_fused and all(
        each is None or (type(each) in PLAIN_TYPES and each.device.type in FUSED and each.is_floating_point())
        for each in params
    )
    foreach = not fused and all(
        each is None or (type(each) in PLAIN_TYPES and each.device.type in FOREACH) for each in params
    )
    return fused, foreach


def grouped_by_device_and_dtype(lists: list[list[Any]], with_indices: bool = False) -> dict:
    """The columns of some lists of tensors in groups, by device and dtype of the first: (lists, positions) of each."""
    groups: dict = {}
    for position, column in enumerate(zip(*lists, strict=True)):
        if column[0] is None:
            raise RuntimeError(
                "Tensors of the first list of nested Tensor lists are supposed to be defined but the "
                f"{position}-th Tensor is not."
            )
        parts, positions = groups.setdefault((column[0].device, column[0].dtype), ([[] for _ in lists], []))
        for part, each in zip(parts, column, strict=True):
            part.append(each)
        if with_indices:
            positions.append(position)
    return groups
