"""The format before the zip archive: five pickles, then the memory of each storage.

They are a magic number, the version of the format, facts about the writing machine, the object, and the keys of the
storages in the order in which their bytes follow.
"""

from __future__ import annotations

import io
import struct
import sys
from pickle import UnpicklingError

import numpy as np

from rushlight.core.device import BACKENDS
from rushlight.core.errors import noted
from rushlight.memory.typed_storage import TypedStorage
from rushlight.memory.untyped_storage import of_memory
from rushlight.serialization.archive import fill
from rushlight.serialization.locations import Restore, placed, restorer
from rushlight.serialization.options import OPTIONS
from rushlight.serialization.rebuild import CHECKED_LATER
from rushlight.serialization.stored import as_text, dtype_of, swapped

MAGIC = 0x1950A86A20F9469CFC6C
PROTOCOL_VERSION = 1001
TAR = b"ustar"
# The facts about the writing machine.
SYSTEM = {
    "protocol_version": PROTOCOL_VERSION,
    "little_endian": sys.byteorder == "little",
    "type_sizes": {"short": 2, "int": 4, "long": 4},
}


def load_legacy(file, map_location, unpickler, restrict: bool):
    """Loads the object in a file of the old format. Raises RuntimeError or UnpicklingError for other files."""
    start = file.tell()
    _refuse_tar(file, start, restrict)
    file.seek(0, io.SEEK_END)
    room = file.tell() - start
    file.seek(start)
    if unpickler(file).load() != MAGIC:
        raise RuntimeError("Invalid magic number; corrupt file?")
    version = unpickler(file).load()
    if version != PROTOCOL_VERSION:
        raise RuntimeError(f"Invalid protocol version: {version!r:.80}")
    unpickler(file).load()  # type sizes of the writing machine, which are ignored
    memory = LegacyMemory(room, restorer(map_location))
    checks: list = []
    token = CHECKED_LATER.set(checks)
    try:
        result = unpickler(file, memory).load()
    finally:
        CHECKED_LATER.reset(token)
    keys = unpickler(file).load()
    if not OPTIONS.skip_data:
        memory.fill(file, keys)
    for check in checks:
        check()
    return result


class LegacyMemory:
    """The storages that the pickle refers to. Tensors are created on zeros, since the bytes come later in the file."""

    def __init__(self, room: int, restore: Restore):
        self.room, self.restore = room, restore
        self.roots: dict[str, TypedStorage] = {}
        self.views: dict[str, TypedStorage] = {}

    def __call__(self, identity):
        """Returns what a pickle refers to: a storage, a view of one, or a class that is stored with its source."""
        if type(identity) is not tuple or len(identity) not in (4, 6):
            raise UnpicklingError(f"Only persistent_load of storage is allowed, but got {identity!r:.80}")
        typename = as_text(identity[0])
        if typename == "module" and isinstance(identity[1], type):
            return identity[1]
        if typename != "storage" or len(identity) != 6:
            raise UnpicklingError(f"Only persistent_load of storage is allowed, but got {typename:.80}")
        storage_type, key, location, count, view = identity[1:]
        root = self._root(storage_type, as_text(key), as_text(location), count)
        return root if view is None else self._view(root, view)

    def fill(self, file, keys) -> None:
        """Reads the bytes of all storages, in the order of `keys`."""
        if type(keys) is not list or sorted(map(as_text, keys)) != sorted(self.roots):
            raise UnpicklingError("the file lists other storages than its tensors look into")
        for key in map(as_text, keys):
            elements = self.roots[key]._elements
            dtype = self.roots[key].dtype
            content = file.read(8)
            if len(content) != 8 or struct.unpack("<q", content)[0] != elements.size:
                raise RuntimeError(f"storage {key} has the wrong size; the file is damaged")
            content = np.empty(elements.size, dtype.numpy)
            if not fill(file, memoryview(content.view(np.uint8).data)):
                raise RuntimeError(f"unexpected end of file: storage {key} is not whole")
            _write(elements, content, dtype)

    def _root(self, storage_type, key: str, location: str, count) -> TypedStorage:
        dtype = dtype_of(storage_type)
        if key not in self.roots:
            if type(count) is not int or not 0 <= count * dtype.itemsize <= self.room:
                raise UnpicklingError(f"a storage of {count!r:.80} elements does not fit into the file")
            self.room -= count * dtype.itemsize
            self.roots[key] = placed(np.zeros(count, dtype.numpy), dtype, location, self.restore)
        if self.roots[key].dtype is not dtype and count:
            raise UnpicklingError(f"storage {key} is of two dtypes: {self.roots[key].dtype} and {dtype}")
        return self.roots[key]

    def _view(self, root: TypedStorage, view) -> TypedStorage:
        if type(view) is not tuple or len(view) != 3:
            raise UnpicklingError("a view of a storage is a key, an offset and a size")
        key, offset, size = as_text(view[0]), view[1], view[2]
        if type(offset) is not int or type(size) is not int or not 0 <= offset <= offset + size <= root._size():
            raise UnpicklingError("a view of a storage reaches beyond it")
        if key not in self.views:
            part = of_memory(root._elements[offset : offset + size])
            part.counted = root._untyped_storage.counted
            self.views[key] = TypedStorage(wrap_storage=part, dtype=root.dtype, _internal=True)
        return self.views[key]


def little_endian(elements: np.ndarray, dtype) -> np.ndarray:
    """Swaps the bytes of elements on big-endian machines."""
    return elements if sys.byteorder == "little" else swapped(elements, dtype)


def _write(elements, content: np.ndarray, dtype) -> None:
    """Copies little-endian elements to memory of any device."""
    backend = BACKENDS.of(elements)
    if backend.kind != "meta":
        elements[...] = backend.from_cpu(little_endian(content, dtype), backend.device_of(elements))


def _refuse_tar(file, start: int, restrict: bool) -> None:
    """Raises for the format before this one, a tar archive, which PyTorch stopped writing in 2017."""
    file.seek(start + 257)
    is_tar = file.read(len(TAR)) == TAR
    file.seek(start)
    if is_tar:
        raise noted(
            RuntimeError(
                "Cannot use ``weights_only=True`` with files saved in the legacy .tar format."
                if restrict
                else "rushlight does not read files saved in the legacy .tar format."
            ),
            "PyTorch reads it with weights_only=False; save it again there.",
        )
