"""`torch.random`: the default generator and its state."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from rushlight.core.device import BACKENDS, KINDS, as_device, device
from rushlight.core.generator import Generator, default_generator, generator_on
from rushlight.core.tensor import Tensor

__all__ = [
    "Generator", "default_generator", "fork_rng", "get_rng_state", "initial_seed", "manual_seed", "seed",
    "set_rng_state",
]  # fmt: skip

MANY = (
    "CUDA reports that you have {count} available devices, and you have used {caller} without explicitly specifying "
    "which devices are being used. For safety, we initialize *every* CUDA device by default, which can be quite slow "
    "if you have a lot of CUDAs. If you know that you are only making use of a few CUDA devices, set the environment "
    "variable CUDA_VISIBLE_DEVICES or the '{keyword}' keyword argument of {caller} with the set of devices you are "
    "actually using. For example, if you are using CPU only, set device.upper()_VISIBLE_DEVICES= or devices=[]; if you "
    "are using device 0 only, set CUDA_VISIBLE_DEVICES=0 or devices=[0].  To initialize all devices and suppress this "
    "warning, set the '{keyword}' keyword argument to `range(torch.cuda.device_count())`."
)


def manual_seed(seed: int) -> Generator:
    """Seeds the default generator, so that the following random numbers are reproducible.

    >>> import rushlight as torch
    >>> _ = torch.manual_seed(0)
    >>> torch.rand(1)
    tensor([0.4963])
    """
    seed = int(seed)
    for generator in generators_of_gpus():
        generator.manual_seed(seed)
    return default_generator.manual_seed(seed)


def seed() -> int:
    """Seeds the default generators with a random seed, and returns it."""
    chosen = default_generator.seed()
    for generator in generators_of_gpus():
        generator.manual_seed(chosen)
    return chosen


def initial_seed() -> int:
    """Returns the seed of the default generator."""
    return default_generator.initial_seed()


def get_rng_state() -> Tensor:
    """Returns the state of the default generator as a tensor of bytes."""
    return default_generator.get_state()


def set_rng_state(new_state: Tensor) -> None:
    """Restores a state from `get_rng_state`."""
    default_generator.set_state(new_state)


def generators_of_gpus() -> list[Generator]:
    """Returns the default generators of the GPUs that are there."""
    backend: Any = BACKENDS.by_kind.get("cuda")
    return [] if backend is None else [device.generator for device in backend.devices]


def states_of_generators() -> list[tuple[Generator, Tensor]]:
    """Returns the default generators of all devices, each with its state."""
    return [(generator, generator.get_state()) for generator in (default_generator, *generators_of_gpus())]


@contextmanager
def fork_rng(
    devices: Iterable[Any] | None = None,
    enabled: bool = True,
    _caller: str = "fork_rng",
    _devices_kw: str = "devices",
    device_type: str = "cuda",
) -> Iterator[None]:
    """Restores the default generators' states at the end of the block: that of the CPU, and those of GPUs.

    `devices` are the GPUs, all of them by default, which warns if there are several. `_caller` and `_devices_kw` are
    names for that warning. Raises RuntimeError for a type of device that is not known.
    """
    if device_type == "meta" or not enabled:
        yield
        return
    if as_device(device_type).type not in KINDS:
        raise RuntimeError(
            f"torch has no module of `{device_type}`, you should register a module by `torch._register_device_module`."
        )
    generators = [default_generator, *_generators(devices, _caller, _devices_kw)]
    states = [generator.get_state() for generator in generators]
    try:
        yield
    finally:
        for generator, state in zip(generators, states, strict=True):
            generator.set_state(state)


def _generators(devices: Iterable[Any] | None, caller: str, keyword: str) -> list[Generator]:
    """Returns the generators of GPUs, by default of all; none if there is no GPU."""
    all_ = generators_of_gpus()
    if devices is None:
        if len(all_) > 1:
            warnings.warn(MANY.format(count=len(all_), caller=caller, keyword=keyword), UserWarning, stacklevel=4)
        return all_
    return [generator_on(_gpu(each)) for each in devices] if all_ else []


def _gpu(place: Any) -> device:
    return device("cuda", place) if isinstance(place, int) else as_device(place)
