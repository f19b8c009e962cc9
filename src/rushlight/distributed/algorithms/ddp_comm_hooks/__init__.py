"""`torch.distributed.algorithms.ddp_comm_hooks`: ways to reduce gradients under `DistributedDataParallel`.

https://docs.pytorch.org/docs/stable/ddp_comm_hooks.html
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from functools import partial
from typing import Any

from rushlight.distributed.algorithms.ddp_comm_hooks import debugging_hooks as debugging
from rushlight.distributed.algorithms.ddp_comm_hooks import default_hooks as default
from rushlight.distributed.algorithms.ddp_comm_hooks import powerSGD_hook as powerSGD

__all__ = ["DDPCommHookType", "register_ddp_comm_hook"]


def plainly(comm_hook: Callable, model: Any, state: Any) -> None:
    """Registers a hook; its state is a process group."""
    model.register_comm_hook(state, comm_hook)


def with_factors(comm_hook: Callable, rank: int, model: Any, state: Any, start_powerSGD_iter: int = 1_000) -> None:  # noqa: N803  # its name
    """Registers a hook of PowerSGD for a process group."""
    settings = powerSGD.PowerSGDState(state, rank, start_powerSGD_iter=start_powerSGD_iter)
    model.register_comm_hook(settings, comm_hook)


class Way:
    """A member of the enumeration that can be called."""

    def __init__(self, register: Callable, *settings: Any) -> None:
        self.register = partial(register, *settings)

    def __call__(self, model: Any, state: Any = None, **settings: Any) -> None:
        self.register(model=model, state=state, **settings)


class DDPCommHookType(Enum):
    """The hooks by name: `DDPCommHookType.FP16_COMPRESS.value(model=model, state=group)` registers one."""

    ALLREDUCE = Way(plainly, default.allreduce_hook)
    FP16_COMPRESS = Way(plainly, default.fp16_compress_hook)
    BF16_COMPRESS = Way(plainly, default.bf16_compress_hook)
    POWER_SGD = Way(with_factors, powerSGD.powerSGD_hook, 1)
    POWER_SGD_RANK2 = Way(with_factors, powerSGD.powerSGD_hook, 2)
    BATCHED_POWER_SGD = Way(with_factors, powerSGD.batched_powerSGD_hook, 1)
    BATCHED_POWER_SGD_RANK2 = Way(with_factors, powerSGD.batched_powerSGD_hook, 2)
    NOOP = Way(plainly, debugging.noop_hook)


def register_ddp_comm_hook(comm_hook_type: DDPCommHookType, model: Any, state: Any = None) -> None:
    """Registers a hook of this type on a model; `state` is a process group, None for the default."""
    comm_hook_type.value(model=model, state=state)
