"""The memory in a checkpoint: what the pickle refers to as `("storage", type, key, location, count)`."""

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
    """Gives the storages of an archive, each read once: views of one memory share it again."""

    def __init__(self, archive: Archive, map_location, mapped: mapping.mmap | None = None):
        self.archive, self.mapped = archive, mapped
        self.restore: Restore = restorer(map_location)
        self.without_numbers = is_meta(map_location)
        self.swapped = _byte_order(archive) != sys.byteorder
        self.loaded: dict[str, TypedStorage] = {}

    def __call__(self, identity) -> TypedStorage:
        """The storage that a pickle refers to. Raises UnpicklingError or RuntimeError if there is none like it."""
        if type(identity) is not tuple or len(identity) != 5 or as_text(identity[0]) != "storage":
            raise UnpicklingError(f"Only persistent_load of storage is allowed, but got {identity!r:.80}")
        storage_type, key, location, count = identity[1:]
        kind, key = dtype_of(storage_type), as_text(key)
        if type(count) is not int or count < 0:
            raise UnpicklingError(f"a storage of {count!r:.80} elements")
        if key not in self.loaded:
            self.loaded[key] = self._read(kind, count, f"data/{key}", as_text(location))
        found = self.loaded[key]
        if found.dtype is not kind and found._size():
            raise UnpicklingError(f"storage {key} is of two dtypes: {found.dtype} and {kind}")
        return found

    def _read(self, kind: dtype, count: int, name: str, location: str) -> TypedStorage:
        offset, size = self.archive.range_of(name)
        if size != count * kind.itemsize:
            raise RuntimeError(
                f"PytorchStreamReader failed reading file {name}: it has {size} bytes, but the pickle says "
                f"{count} elements of {kind!r}"
            )
        if self.without_numbers:
            return hollow(count, kind)
        if self.mapped is not None and count:
            elements = np.frombuffer(self.mapped, kind.numpy, count, offset)
        else:
            elements = np.empty(count, kind.numpy)
            self.archive.read_into(name, elements)
        return placed(swapped(elements, kind) if self.swapped else elements, kind, location, self.restore)


def is_shared() -> bool:
    """Whether writes to mapped memory are to reach the file."""
    return sys.platform != "win32" and OPTIONS.mapping == mapping.MAP_SHARED


def map_file(file) -> mapping.mmap:
    """The whole file as memory that can be written to, read from the disk when it is touched."""
    return mapping.mmap(file.fileno(), 0, access=mapping.ACCESS_WRITE if is_shared() else mapping.ACCESS_COPY)


def dtype_of(storage_type) -> dtype:
    """The dtype of the memory that a pickle names a storage type for."""
    if storage_type is UntypedStorage:
        return dtypes.uint8
    if not isinstance(storage_type, StorageType):
        raise UnpicklingError(f"{storage_type!r:.80} is no type of storage")
    return storage_type.dtype


def as_text(name) -> str:
    """A key or location, which a pickle of Python 2 holds as bytes."""
    if type(name) is bytes:
        return name.decode("ascii", "replace")
    if type(name) is not str:
        raise UnpicklingError(f"expected a name, but the file gives {type(name).__name__}")
    return name


def swapped(elements: np.ndarray, kind: dtype) -> np.ndarray:
    """Elements of the other byte order; of complex numbers, each part by itself."""
    part = REAL_OF.get(kind, kind).itemsize
    return elements.view(f"V{part}").view(f"u{part}").byteswap().view(kind.numpy) if part > 1 else elements


def _byte_order(archive: Archive) -> str:
    if "byteorder" in archive:
        order = archive.read("byteorder")
        if order not in (b"little", b"big"):
            raise ValueError(f"Unknown endianness type: {order.decode('ascii', 'replace')}")
        return order.decode()
    named = {LoadEndianness.BIG: "big", LoadEndianness.NATIVE: sys.byteorder}
    return "little" if OPTIONS.endianness is None else named.get(OPTIONS.endianness, "little")
