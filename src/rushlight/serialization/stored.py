"""The memory in a checkpoint: references of the pickle, `("storage", type, key, location, count)`."""

from __future__ import annotations

import mmap as mapping
import sys
from pickle import UnpicklingError

import numpy as np

from rushlight.core import dtype as dtypes
from rushlight.core.dtype import REAL_OF, dtype
from rushlight.memory.typed_storage import TypedStorage
from rushlight.memory.untyped_storage import UntypedStorage
from rushlight.serialization.archive import Archive
from rushlight.serialization.locations import Restore, hollow, is_meta, placed, restorer
from rushlight.serialization.options import OPTIONS, LoadEndianness
from rushlight.serialization.rebuild import StorageType


class StoredMemory:
    """Loads the storages of an archive, each once: views of one memory share it again."""

    def __init__(self, archive: Archive, map_location, mapped: mapping.mmap | None = None):
        self.archive, self.mapped = archive, mapped
        self.restore: Restore = restorer(map_location)
        self.without_numbers = is_meta(map_location)
        self.swapped = _byte_order(archive) != sys.byteorder
        self.loaded: dict[str, TypedStorage] = {}

    def __call__(self, identity) -> TypedStorage:
        """Returns the storage of a pickle's reference. Raises UnpicklingError or RuntimeError if it is missing."""
        if type(identity) is not tuple or len(identity) != 5 or as_text(identity[0]) != "storage":
            raise UnpicklingError(f"Only persistent_load of storage is allowed, but got {identity!r:.80}")
        storage_type, key, location, count = identity[1:]
        dtype, key = dtype_of(storage_type), as_text(key)
        if type(count) is not int or count < 0:
            raise UnpicklingError(f"a storage of {count!r:.80} elements")
        if key not in self.loaded:
            self.loaded[key] = self._read(dtype, count, f"data/{key}", as_text(location))
        storage = self.loaded[key]
        if storage.dtype is not dtype and storage._size():
            raise UnpicklingError(f"storage {key} is of two dtypes: {storage.dtype} and {dtype}")
        return storage

    def _read(self, element_dtype: dtype, count: int, name: str, location: str) -> TypedStorage:
        offset, size = self.archive.range_of(name)
        if size != count * element_dtype.itemsize:
            raise RuntimeError(
                f"PytorchStreamReader failed reading file {name}: it has {size} bytes, but the pickle says "
                f"{count} elements of {element_dtype!r}"
            )
        if self.without_numbers:
            return hollow(count, element_dtype)
        if OPTIONS.skip_data:
            elements = np.zeros(count, element_dtype.numpy)
        elif self.mapped is not None and count:
            elements = np.frombuffer(self.mapped, element_dtype.numpy, count, offset)
        else:
            elements = np.empty(count, element_dtype.numpy)
            self.archive.read_into(name, elements)
        return placed(
            swapped(elements, element_dtype) if self.swapped else elements, element_dtype, location, self.restore
        )


def is_shared() -> bool:
    """Whether writes to mapped memory reach the file."""
    return sys.platform != "win32" and OPTIONS.mapping == mapping.MAP_SHARED


def map_file(file) -> mapping.mmap:
    """Maps the whole file as writable memory, read lazily from disk."""
    return mapping.mmap(file.fileno(), 0, access=mapping.ACCESS_WRITE if is_shared() else mapping.ACCESS_COPY)


def dtype_of(storage_type) -> dtype:
    """Returns the dtype of a storage type in a pickle."""
    if storage_type is UntypedStorage:
        return dtypes.uint8
    if not isinstance(storage_type, StorageType):
        raise UnpicklingError(f"{storage_type!r:.80} is no type of storage")
    return storage_type.dtype


def as_text(name) -> str:
    """Decodes a key or location, which a pickle of Python 2 holds as bytes."""
    if type(name) is bytes:
        return name.decode("ascii", "replace")
    if type(name) is not str:
        raise UnpicklingError(f"expected a name, but the file gives {type(name).__name__}")
    return name


def swapped(elements: np.ndarray, element_dtype: dtype) -> np.ndarray:
    """Swaps the bytes of elements; of complex numbers, of each part."""
    part = REAL_OF.get(element_dtype, element_dtype).itemsize
    return elements.view(f"V{part}").view(f"u{part}").byteswap().view(element_dtype.numpy) if part > 1 else elements


def _byte_order(archive: Archive) -> str:
    if "byteorder" in archive:
        order = archive.read("byteorder")
        if order not in (b"little", b"big"):
            raise ValueError(f"Unknown endianness type: {order.decode('ascii', 'replace')}")
        return order.decode()
    named = {LoadEndianness.BIG: "big", LoadEndianness.NATIVE: sys.byteorder}
    return "little" if OPTIONS.endianness is None else named.get(OPTIONS.endianness, "little")
