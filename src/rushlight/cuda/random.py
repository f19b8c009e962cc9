"""`torch.cuda.random`: the generator of a GPU. The simulated one uses the CPU's."""

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
    """Returns the state of the GPU's generator. Raises AssertionError if there is no GPU."""
    need_gpu()
    return default_generator.get_state()


def get_rng_state_all() -> list[Tensor]:
    """Returns the states of the generators of all GPUs: an empty list if there is none."""
    return [default_generator.get_state()] if "cuda" in BACKENDS.by_kind else []


def set_rng_state(new_state: Tensor, device: Any = "cuda") -> None:
    """Sets the state of the GPU's generator; does nothing if there is no GPU."""
    if "cuda" in BACKENDS.by_kind:
        default_generator.set_state(new_state)


def set_rng_state_all(new_states: Iterable[Tensor]) -> None:
    """Sets the states of the generators of all GPUs."""
    for state in new_states:
        set_rng_state(state)


def seed() -> None:
    """Seeds the GPU's generator with a random seed; does nothing if there is no GPU."""
    if "cuda" in BACKENDS.by_kind:
        default_generator.seed()


seed_all = seed


def initial_seed() -> int:
    """Returns the seed of the GPU's generator. Raises AssertionError if there is no GPU."""
    need_gpu()
    return default_generator.initial_seed()
