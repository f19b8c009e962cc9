"""`torch.cuda.random`: the generator of each GPU, whose state is a seed and an offset, in 16 bytes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rushlight import cuda
from rushlight.core.device import as_device
from rushlight.core.generator import system_seed
from rushlight.core.tensor import Tensor
from rushlight.cuda import is_available, manual_seed, manual_seed_all
from rushlight.cuda._utils import backend_of

__all__ = [
    "get_rng_state", "get_rng_state_all", "initial_seed", "manual_seed", "manual_seed_all", "seed", "seed_all",
    "set_rng_state", "set_rng_state_all",
]  # fmt: skip


def _generator(device: Any):
    place = device if isinstance(device, int) else as_device(device).index
    return backend_of(place).generator


def get_rng_state(device: Any = "cuda") -> Tensor:
    """Returns the state of a GPU's generator. Raises AssertionError if there is no GPU.

    >>> import rushlight as torch
    >>> with torch.cuda.simulate():
    ...     state = torch.cuda.get_rng_state()
    ...     first = torch.rand(2, device="cuda")
    ...     torch.cuda.set_rng_state(state)
    ...     torch.equal(first, torch.rand(2, device="cuda"))
    True
    """
    return _generator(device).get_state()


def get_rng_state_all() -> list[Tensor]:
    """Returns the states of the generators of all GPUs: an empty list if there is none."""
    return [generator.get_state() for generator in cuda.default_generators]


def set_rng_state(new_state: Tensor, device: Any = "cuda") -> None:
    """Sets the state of a GPU's generator; does nothing if there is no GPU."""
    if is_available():
        _generator(device).set_state(new_state)


def set_rng_state_all(new_states: Iterable[Tensor]) -> None:
    """Sets the states of the generators of all GPUs."""
    for index, state in enumerate(new_states):
        set_rng_state(state, index)


def seed() -> None:
    """Seeds the current GPU's generator with a random seed; does nothing if there is no GPU."""
    if is_available():
        backend_of().generator.seed()


def seed_all() -> None:
    """Seeds the generators of all GPUs with one random seed; does nothing if there is no GPU."""
    if is_available():
        manual_seed_all(system_seed())


def initial_seed() -> int:
    """Returns the seed of the current GPU's generator. Raises AssertionError if there is no GPU."""
    return backend_of().generator.initial_seed()
