"""Chooses the device of stored memory: from the file, or by `map_location`."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from rushlight import cuda
from rushlight.core.device import BACKENDS, device
from rushlight.core.dtype import dtype
from rushlight.core.errors import noted
from rushlight.core.storage import AnyStorage
from rushlight.memory.typed_storage import TypedStorage
from rushlight.memory.untyped_storage import UntypedStorage, of_memory, untyped

Restore = Callable[[UntypedStorage, str], UntypedStorage]
# The type of `map_location` in `torch.load`, for annotations, as in PyTorch.
MAP_LOCATION: TypeAlias = Callable[[AnyStorage, str], AnyStorage] | device | str | dict[str, str] | None


class Package(NamedTuple):
    """How storages of a kind are named in a file, and where they go when it is loaded; the lowest number is first."""

    priority: int
    tagger: Callable[[Any], str | None]
    deserializer: Callable[[Any, str], Any]


def register_package(priority: int, tagger: Callable, deserializer: Callable) -> None:
    """Registers functions that name the location of a storage, and that move one to the location of that name.

    Both return None for storages and locations that are not theirs; then those with the next higher number are called.
    Ours are at 10 for the CPU, 20 for GPUs and 22 for meta.
    """
    PACKAGES.append(Package(priority, tagger, deserializer))
    PACKAGES.sort(key=lambda package: package.priority)


def location_tag(storage) -> str:
    """Returns the location of a storage in a file: by default the name of its device."""
    for package in PACKAGES:
        location = package.tagger(storage)
        if location is not None:
            return location
    raise RuntimeError("don't know how to determine data location of torch.storage.UntypedStorage")


def default_restore_location(storage: UntypedStorage, location: str) -> UntypedStorage:
    """Moves a storage to the location that a file names; returns the same one if it is already there.

    Raises RuntimeError if there is no such device.
    """
    for package in PACKAGES:
        result = package.deserializer(storage, location)
        if result is not None:
            return result
    raise RuntimeError(
        f"don't know how to restore data location of torch.storage.UntypedStorage (tagged with {location})"
    )


def _tagger(kind: str) -> Callable:
    return lambda storage: str(storage.device) if storage.device.type == kind else None


def _to_gpu(storage: UntypedStorage, location: str) -> UntypedStorage | None:
    return storage.to(device=_gpu(location)) if re.fullmatch(r"cuda(:?[0-9]+)?", location) else None


def _deserializer(kind: str) -> Callable:
    return lambda storage, location: storage.to(device=location) if location == kind else None


PACKAGES = [
    Package(10, _tagger("cpu"), _deserializer("cpu")),
    Package(20, _tagger("cuda"), _to_gpu),
    Package(22, _tagger("meta"), _deserializer("meta")),
]


def placed(elements: np.ndarray, element_dtype: dtype, location: str, restore: Restore) -> TypedStorage:
    """Returns a storage of the elements on the device of its location."""
    chosen = restore(of_memory(elements), location)
    if not isinstance(chosen, AnyStorage):
        raise TypeError(f"map_location must give a storage back, not {type(chosen).__name__}")
    return TypedStorage(wrap_storage=untyped(chosen), dtype=element_dtype, _internal=True)


def hollow(count: int, element_dtype: dtype) -> TypedStorage:
    """Returns a storage without data."""
    return TypedStorage(count, dtype=element_dtype, device="meta", _internal=True)


def validate_cuda_device(location: str) -> int:
    """Returns the index of the GPU that a location names. Raises RuntimeError if there is none."""
    return _gpu(location).index or 0


def restorer(map_location) -> Restore:
    """Returns `map_location` as a function of a storage and its location in the file."""
    if map_location is None:
        return default_restore_location
    if isinstance(map_location, dict):
        return lambda storage, location: default_restore_location(storage, map_location.get(location, location))
    if isinstance(map_location, (str, bytes, device)):
        target = map_location.decode() if isinstance(map_location, bytes) else str(map_location)
        return lambda storage, location: default_restore_location(storage, target)

    def chosen(storage, location):
        result = map_location(storage, location)
        return default_restore_location(storage, location) if result is None else result

    return chosen


def is_meta(map_location) -> bool:
    """Whether everything goes to the meta device, so that no data need be read."""
    return map_location == "meta" or (isinstance(map_location, device) and map_location.type == "meta")


def _gpu(location: str) -> device:
    repair = "please use torch.load with map_location=torch.device('cpu') to map your storages to the CPU."
    if "cuda" not in BACKENDS.by_kind:
        raise noted(
            RuntimeError(
                "Attempting to deserialize object on a CUDA device but torch.cuda.is_available() is False. "
                f"If you are running on a CPU-only machine, {repair}"
            ),
            "The file was saved from a GPU: torch.load(file, map_location='cpu').",
        )
    number = location.removeprefix("cuda").removeprefix(":")
    index = int(number) if number else cuda.current_device()
    if index >= cuda.device_count():
        raise RuntimeError(
            f"Attempting to deserialize object on CUDA device {index} but torch.cuda.device_count() is "
            f"{cuda.device_count()}. Please use torch.load with map_location to map your storages to an existing "
            "device."
        )
    return device("cuda", index)
