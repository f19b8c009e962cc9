"""`torch.cuda.random`: the generator of a GPU. The simulated one draws from the CPU's."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rushlight.core.device import BACKENDS
from rushlight.core.generator import default_generator
from rushlight.core.tensor import Tensor
from rushlight.cuda import manual_seed, manual_seed_all
from rushlight.cuda._utils import need_gpu

__all__ = [
    "get_rng_state", "get_rng_state_all", "initial_seed", "manual_seed", "manual_seed_all", "seed", "seed_all",
    "set_rng_state", "set_rng_state_all",
]  # fmt: skip


def get_rng_state(device: Any = "cuda") -> Tensor:
    """The state of the GPU's generator. Raises AssertionError where there is no GPU."""
    need_gpu()
    return default_generator.get_state()


def get_rng_state_all() -> list[Tensor]:
    """The states of the generators of all GPUs: an empty list where there is none."""
    return [default_generator.get_state()] if "cuda" in BACKENDS.by_kind else []


def set_rng_state(new_state: Tensor, device: Any = "cuda") -> None:
    """Puts the GPU's generator in a state; nothing happens where there is no GPU."""
    if "cuda" in BACKENDS.by_kind:
        default_generator.set_state(new_state)


def set_rng_state_all(new_states: Iterable[Tensor]) -> None:
    """Puts the generators of all GPUs in states."""
    for state in new_states:
        set_rng_state(state)


def seed() -> None:
    """Starts the GPU's generator from a seed that is drawn; nothing happens where there is no GPU."""
    if "cuda" in BACKENDS.by_kind:
        default_generator.seed()


seed_all = seed


def initial_seed() -> int:
    """The seed that the GPU's generator was started from. Raises AssertionError where there is no GPU."""
    need_gpu()
    return default_generator.initial_seed()
