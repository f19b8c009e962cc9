"""Sends many tensors with few calls: those of one dtype and device travel as one flat tensor."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rushlight import distributed as dist
from rushlight._generated import functions as F
from rushlight.autograd.grad_mode import no_grad
from rushlight.core.tensor import Tensor
from rushlight.distributed.buckets import parts, size_of

__all__ = ["broadcast_coalesced"]

AT_ONCE = 250 * 1024 * 1024  # bytes that are sent with one call


def broadcast_coalesced(
    group: Any, tensors: Iterable[Tensor], source: int, *, quietly: bool = False, at_once: int = AT_ONCE
) -> None:
    """Overwrites tensors by those of the process with rank `source` in the group, several with one call.

    With `quietly` the writes are not counted: results saved for backward stay valid.
    """
    if group.size() == 1:
        return
    kinds: dict[Any, list[Tensor]] = {}
    for each in tensors:
        if each.numel():
            kinds.setdefault((each.dtype, each.device), []).append(each)
    for alike in kinds.values():
        for batch in batches(alike, at_once):
            broadcast(group, batch, source, quietly)


def batches(tensors: list[Tensor], at_once: int) -> list[list[Tensor]]:
    """Splits a list of tensors into lists of at most `at_once` bytes, or of one tensor."""
    result: list[list[Tensor]] = [[]]
    size = 0
    for each in tensors:
        if result[-1] and size + size_of(each) > at_once:
            result.append([])
            size = 0
        result[-1].append(each)
        size += size_of(each)
    return result


def broadcast(group: Any, tensors: list[Tensor], source: int, quietly: bool) -> None:
    """Sends tensors of one dtype as one flat tensor, and writes what came to them."""
    with no_grad():
        flat = F.cat([each.detach().reshape(-1) for each in tensors])
        dist.broadcast(flat, dist.get_global_rank(group, source), group=group)
        if group.rank() == source:
            return
        for each, values in zip(tensors, parts(flat, [each.shape for each in tensors]), strict=True):
            before = each._storage.version
            each.detach().copy_(values)
            if quietly:
                each._storage.version = before
