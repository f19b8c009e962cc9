"""`torch.random`: the default generator and its state."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from rushlight.core.generator import Generator, default_generator
from rushlight.core.tensor import Tensor

__all__ = [
    "Generator", "default_generator", "fork_rng", "get_rng_state", "initial_seed", "manual_seed", "seed",
    "set_rng_state",
]  # fmt: skip


def manual_seed(seed: int) -> Generator:
    """Starts the default generator anew, so that the numbers that follow are always the same.

    >>> import rushlight as torch
    >>> _ = torch.manual_seed(0)
    >>> torch.rand(1)
    tensor([0.4963])
    """
    return default_generator.manual_seed(int(seed))


def seed() -> int:
    """Starts the default generator from a seed that nobody chose, and returns it."""
    return default_generator.seed()


def initial_seed() -> int:
    """The seed that the default generator was started from."""
    return default_generator.initial_seed()


def get_rng_state() -> Tensor:
    """The state of the default generator, as a tensor of bytes."""
    return default_generator.get_state()


def set_rng_state(new_state: Tensor) -> None:
    """Puts the default generator in a state that `get_rng_state` gave."""
    default_generator.set_state(new_state)


@contextmanager
def fork_rng(
    devices: Iterable[Any] | None = None,
    enabled: bool = True,
    _caller: str = "fork_rng",
    _devices_kw: str = "devices",
    device_type: str = "cuda",
) -> Iterator[None]:
    """Restores the default generator at the end of the block.

    `_caller` and `_devices_kw` are what PyTorch's own callers are called in its warnings; there are none here.
    """
    if not enabled:
        yield
        return
    state = default_generator.get_state()
    try:
        yield
    finally:
        default_generator.set_state(state)
