"""`torch.distributed.utils`: gives the processes of a group the same module, as packages do that wrap none."""

from __future__ import annotations

from collections.abc import Container, Sequence
from itertools import chain
from typing import Any

from rushlight.core.tensor import Tensor
from rushlight.distributed.coalesced import broadcast_coalesced

__all__ = ["_sync_module_states", "_sync_params_and_buffers"]


def _sync_module_states(
    module: Any,
    process_group: Any,
    broadcast_bucket_size: int,
    src: int,
    params_and_buffers_to_ignore: Container[str],
    broadcast_buffers: bool = True,
) -> None:
    """Overwrites parameters and buffers by those of rank `src` of the group, but for the names to ignore."""
    named = chain(module.named_parameters(), module.named_buffers() if broadcast_buffers else ())
    states = [each for name, each in named if name not in params_and_buffers_to_ignore]
    _sync_params_and_buffers(process_group, states, broadcast_bucket_size, src)


def _sync_params_and_buffers(
    process_group: Any, module_states: Sequence[Tensor], broadcast_bucket_size: int, src: int
) -> None:
    """Overwrites tensors by those of rank `src` of the group; at most `broadcast_bucket_size` bytes go at once."""
    broadcast_coalesced(process_group, module_states, src, at_once=broadcast_bucket_size)
