"""`torch.UntypedStorage`: the bytes of a tensor and its views."""

from __future__ import annotations

import os
import struct
import sys
from collections.abc import Sequence
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any
from weakref import WeakValueDictionary, ref

import numpy as np

from rushlight.arrays.meta import MetaArray
from rushlight.arrays.size_limits import LIMIT
from rushlight.core import dtype as dtypes
from rushlight.core.device import BACKENDS, CPU, resolved
from rushlight.core.device import device as Place
from rushlight.core.dtype import DEFAULTS, FLOAT8, REAL_OF, SCALAR_NAMES, STORAGE_NAMES, dtype
from rushlight.core.errors import noted
from rushlight.core.graph import Leaf
from rushlight.core.storage import AnyStorage, Storage, address, owner
from rushlight.core.tensor import Tensor, wrap
from rushlight.dispatch.message import type_name
from rushlight.dispatch.numpy_errors import out_of_memory
from rushlight.memory.layout import alone, bytes_of, copied_memory, elements_of, move, tensors_beside, tensors_on
from rushlight.memory.mapped_memory import mapped_file, mapping_of, shared_memory

# The storage of each buffer that a program has accessed, by the identity of the array that owns the buffer.
STORAGES: WeakValueDictionary[int, UntypedStorage] = WeakValueDictionary()


class UntypedStorage(AnyStorage):
    """The bytes of a tensor and its views. https://docs.pytorch.org/docs/stable/storage.html

    Constructed from a number of bytes or a sequence of them.

    >>> UntypedStorage([1, 2, 3]).tolist()
    [1, 2, 3]
    """

    if TYPE_CHECKING:  # attached below, one method for each dtype

        def __getattr__(self, name: str) -> Any: ...

    __module__ = "torch.storage"
    is_sparse = is_sparse_csr = is_hpu = False
    borrowed = False  # the memory belongs to another library and cannot grow
    _pinned = False  # whether `pin_memory` has made it

    def __init__(self, *arguments: Any, size: int | None = None, device: Any = None) -> None:
        if len(arguments) + (size is not None) > 1:
            raise TypeError(
                "torch.UntypedStorage() received an invalid combination of arguments - got "
                f"({', '.join(map(type_name, arguments))}), but expected one of:\n * (*, torch.device device = None)\n"
                " * (int size, *, torch.device device = None)\n * (object sequence, *, torch.device device = None)"
            )
        content = arguments[0] if arguments else size or 0
        self._hold(_on(resolved("cpu" if device is None else device), _first_bytes(content)))

    def _hold(self, root) -> None:
        """Makes this the storage of an array's buffer."""
        self._root = root
        self._bytes = bytes_of(root)
        if isinstance(root, np.ndarray) and owner(self._bytes) is not root:
            # A part of its owner: tensors on these bytes must not reach the rest
            self._bytes = alone(self._bytes, self._bytes.size).view(type(root))
        STORAGES[id(root)] = STORAGES[id(self._bytes)] = self

    # ---- properties

    @property
    def device(self) -> Place:
        return BACKENDS.of(self._bytes).device_of(self._bytes)

    @property
    def is_cuda(self) -> bool:
        return self.device.type == "cuda"

    @property
    def _cdata(self) -> int:
        """A number that is the same for all storages on one buffer, while that is alive."""
        return id(self._root)

    @property
    def filename(self) -> str | None:
        """The file of a storage of `from_file(shared=True)`."""
        mapping = mapping_of(self._bytes)
        return None if mapping is None else mapping.filename

    def nbytes(self) -> int:
        """Returns the number of bytes."""
        return self._bytes.size

    size = __len__ = nbytes

    def element_size(self) -> int:
        """Returns 1."""
        return 1

    def get_device(self) -> int | None:
        """Returns the index of the device; None on the CPU."""
        return self.device.index

    def data_ptr(self) -> int:
        """Returns the address of the first byte; 0 if there is none."""
        return address(self._bytes) if self._bytes.size and self.device.type != "meta" else 0

    def type(self) -> str:
        """Returns the name of the class."""
        return "torch.storage.UntypedStorage"

    def untyped(self) -> UntypedStorage:
        """Returns itself."""
        return self

    def __repr__(self):
        return shown(self, f"device={self.device}")

    def __sizeof__(self):
        return object.__sizeof__(self) + self.nbytes()

    # ---- bytes

    @cached_property
    def counted(self) -> Storage:
        """The version counter of the tensors that one checkpoint restores on these bytes."""
        return Storage()

    def elements(self, element_dtype: np.dtype):
        """Returns the bytes as elements of a NumPy dtype."""
        return elements_of(self._bytes, element_dtype)

    def as_tensor(self, element_dtype: dtype) -> Tensor:
        """Returns a tensor on the bytes as elements of a dtype."""
        return wrap(self.elements(element_dtype.numpy))

    def _elements_for(self, dtype: dtype | None):
        refuse_meta(self)
        return self.elements((dtype or (dtypes.int64 if len(self) else DEFAULTS.floating)).numpy)

    def tolist(self) -> list:
        """Returns the bytes as Python numbers."""
        return numbers_of(self, dtypes.uint8)

    def __iter__(self):
        return iter(self.tolist())

    def __getitem__(self, index):
        refuse_meta(self)
        if type(index) is slice:
            return of_memory(self._bytes[_unstepped(index)])
        position = _position(self, index)
        if not -len(self) <= position < len(self):
            raise IndexError(f"index {index} out of range for storage of size {len(self)}")
        return int(self._bytes[position])

    def __setitem__(self, index, value) -> None:
        if not isinstance(value, int):
            raise RuntimeError(f"can only set storage content with a int types, but got {type_name(value)} instead")
        if type(index) is slice:
            self._bytes[_unstepped(index)] = value & 0xFF
            return
        position = _position(self, index)
        if not -len(self) <= position < len(self):
            raise RuntimeError("out of bounds")
        self._bytes[position] = value & 0xFF

    def fill_(self, value) -> UntypedStorage:
        """Fills the storage with a number."""
        if not isinstance(value, int):
            raise RuntimeError(f"fill_ expects int, but got {type_name(value)}")
        self._bytes[:] = value & 0xFF
        return self

    def copy_(self, source, non_blocking=None) -> UntypedStorage:
        """Copies the bytes of another storage of the same size."""
        if not isinstance(source, AnyStorage):
            raise TypeError(f"copy_(): argument 'src' (position 1) must be torch.Storage, not {type_name(source)}")
        source = untyped(source)
        if len(source) != len(self):
            raise RuntimeError(f"size does not match, self was {len(self)} bytes but src was {len(source)} bytes")
        if self.device.type != "meta":
            refuse_copy(source)
            self._bytes[:] = source._on_device(self.device)._bytes
        return self

    def clone(self) -> UntypedStorage:
        """Returns a copy."""
        return of_memory(self._bytes.copy())

    __copy__ = clone

    def new(self) -> UntypedStorage:
        """Returns an empty storage on the same device."""
        return UntypedStorage(device=self.device)

    def byteswap(self, dtype: dtype) -> None:
        """Reverses the byte order of each element of a dtype; of each part if it is complex."""
        size = REAL_OF.get(dtype, dtype).itemsize
        whole = self._bytes[: len(self) // size * size].view(f"V{size}").view(f"u{size}")
        whole.byteswap(inplace=True)

    def __deepcopy__(self, memo):
        return of_memory(copied_memory(self._bytes, memo)[1])

    def __reduce__(self):
        return rebuilt, (self.cpu()._bytes.tobytes(),)

    # ---- other devices and dtypes

    def _to(self, element_dtype: dtype) -> AnyStorage:
        return self.as_tensor(dtypes.uint8).to(element_dtype)._typed_storage()

    def _on_device(self, target: Place) -> UntypedStorage:
        """Returns a copy on a device; itself if it is there already."""
        if target == self.device:
            return self
        if target.type != "meta":
            refuse_copy(self)
        return of_memory(_on(target, BACKENDS.of(self._bytes).to_cpu(self._bytes)))

    def to(self, *, device, non_blocking=False) -> UntypedStorage:
        """Returns a copy on another device, which must exist; itself if it is there already."""
        return self._on_device(resolved(device))

    def cpu(self) -> UntypedStorage:
        """Returns a copy on the CPU; itself if it is there already."""
        return self._on_device(CPU)

    def cuda(self, device=None, non_blocking=False) -> UntypedStorage:
        """Returns a copy on the GPU; itself if it is there already."""
        return self._on_device(resolved("cuda" if device is None else device))

    def is_pinned(self, device=None) -> bool:
        """Returns whether the memory is pinned, by this storage or by a tensor on it."""
        return self._pinned or any(tensor._storage.pinned for tensor in tensors_on(self._root))

    def pin_memory(self, device=None) -> UntypedStorage:
        """Returns a pinned copy; itself if it is pinned already, or there is no GPU to copy from it."""
        if self.device.type != "cpu":
            raise TypeError(f"cannot pin '{self.type()}' only CPU memory can be pinned")
        if "cuda" not in BACKENDS.by_kind or self.is_pinned():
            return self
        copied = of_memory(import_module("rushlight.cuda._pinned").locked(self._bytes))
        copied._pinned = True
        return copied

    # ---- size

    def resizable(self) -> bool:
        """Returns whether the storage can be resized: not if its memory is mapped, shared or of another library."""
        return not self.borrowed and mapping_of(self._bytes) is None

    def tensors(self, holder: Tensor | None = None) -> list[Tensor]:
        """Returns the tensors on these bytes; `holder` is known to be one of them.

        Searching takes milliseconds, so the reference count of the memory is tested first: it rarely has other users.
        """
        known = 0 if holder is None else _holds(holder, self._root)
        # 3: this storage, the call, and `_bytes`, which is a view
        others = sys.getrefcount(self._root) - 3 - known
        if others or self._bytes.base is not self._root:
            return tensors_on(self._root)
        return [] if holder is None else [holder]

    def resize_(self, size: int) -> UntypedStorage:
        """Changes the number of bytes; new ones are uninitialized.

        Tensors on the storage move to its new memory. Memory that a tensor still uses is not freed.
        """
        if size < 0:
            raise _negative(size)
        if size < len(self) and self.device.type != "meta":
            less = alone(self._bytes, size)
            for tensor in self.tensors():
                tensor._storage.memory = less
            self._hold(less)
        elif size != len(self):
            self.grow(size)
        return self

    def grow(self, size: int, holder: Tensor | None = None) -> None:
        """Allocates more bytes and moves the tensors to them. Raises RuntimeError if the memory is not resizable."""
        if self.device.type == "meta":
            return self._hold(MetaArray((size,), np.uint8))
        if not self.resizable():
            raise noted(
                RuntimeError("Trying to resize storage that is not resizable"),
                "Its memory belongs to NumPy, to a file or to several processes: tensor.clone() has memory of its own.",
            )
        more = _on(self.device, _allocated(size))
        more[: len(self)] = self._bytes
        self._move(more, holder)

    def _move(self, memory, holder: Tensor | None) -> None:
        move(self.tensors(holder), address(self._bytes), memory)
        self._hold(memory)

    # ---- sharing with other processes

    def is_shared(self) -> bool:
        """Returns whether other processes may access the bytes: after `share_memory_`, of a mapped file, on a GPU."""
        return self.is_cuda or mapping_of(self._bytes) is not None

    def share_memory_(self, *, holder: Tensor | None = None) -> UntypedStorage:
        """Moves the bytes, with the tensors on them, to memory that several processes share.

        Processes that are forked later, and those that a tensor on it is sent to, read and write it.
        """
        if not self.is_cuda:
            self._on_cpu("_share_fd_")
        if not self.is_shared():
            held, first = ref(self._root), address(self._bytes)
            moved = shared_memory(len(self))
            moved[:] = self._bytes
            self._move(moved, holder)
            old = held()
            if holder is not None and old is not None:  # views that another thread made during the move
                move(tensors_beside(holder, old), first, moved)
            import_module("rushlight.memory.sharing")  # registers how tensors are sent
        return self

    def _share_fd_cpu_(self) -> tuple[int, int]:
        """Returns a descriptor of the shared memory, which the receiver closes, and its size in bytes."""
        self._on_cpu("_share_fd_")
        mapping = mapping_of(self.share_memory_()._bytes)
        if mapping is None or mapping.descriptor is None:
            raise NotImplementedError("_share_fd_: this memory has no descriptor of its own")
        return os.dup(mapping.descriptor), len(self)

    def _share_filename_cpu_(self) -> tuple:
        self._on_cpu("_share_filename_")
        raise noted(
            NotImplementedError("rushlight shares memory by descriptors, not by names"),
            "storage.share_memory_() shares it; a queue, a pipe or a process sends it.",
        )

    def _on_cpu(self, name: str) -> None:
        if self.device.type != "cpu":
            raise RuntimeError(f"{name}: only available on CPU")

    def _write_file(self, file, is_real_file: bool, save_size: bool, element_size: int) -> None:
        """Writes the bytes, after the number of elements if `save_size`, as in checkpoints before zip archives."""
        refuse_copy(self)
        if save_size:
            file.write(struct.pack("<q", len(self) // element_size))
        file.write(memoryview(self.cpu()._bytes))

    @classmethod
    def _new_shared(cls, size: int, *, device="cpu") -> UntypedStorage:
        """Returns a storage in shared memory."""
        target = resolved(device)
        return of_memory(shared_memory(size)) if target == CPU else cls(size, device=target)

    @classmethod
    def from_file(cls, filename: str, shared: bool = False, nbytes: int = 0) -> UntypedStorage:
        """Returns the first bytes of a mapped file; writes reach the file if it is `shared`."""
        if not isinstance(filename, str):
            raise TypeError(f"argument 1 must be str, not {type_name(filename)}")
        return of_memory(mapped_file(filename, shared, nbytes))

    @classmethod
    def from_buffer(cls, buffer, byte_order=None, count=-1, offset=0, dtype=None) -> UntypedStorage:
        """Returns a copy of the bytes of a buffer, converted from a byte order to the native one."""
        return of_memory(read_buffer(buffer, byte_order, count, offset, dtype))


# The conversion methods and their dtypes.
CASTS = {
    "double": dtypes.float64, "float": dtypes.float32, "half": dtypes.float16, "long": dtypes.int64,
    "int": dtypes.int32, "short": dtypes.int16, "char": dtypes.int8, "byte": dtypes.uint8, "bool": dtypes.bool,
    "bfloat16": dtypes.bfloat16, "complex_double": dtypes.complex128, "complex_float": dtypes.complex64,
    "float8_e5m2": dtypes.float8_e5m2, "float8_e4m3fn": dtypes.float8_e4m3fn,
    "float8_e5m2fnuz": dtypes.float8_e5m2fnuz, "float8_e4m3fnuz": dtypes.float8_e4m3fnuz,
}  # fmt: skip


def _cast_to(name: str, element_dtype: dtype):
    def cast(self) -> AnyStorage:
        return self._to(element_dtype)

    cast.__name__, cast.__doc__ = name, f"Returns a copy of the elements as {element_dtype.name}."
    return cast


for _name, _kind in CASTS.items():
    setattr(UntypedStorage, _name, _cast_to(_name, _kind))


def _holds(tensor: Tensor, root) -> int:
    """Returns how many references to an array a tensor and its leaf have; 0 if their view has other users."""
    array, edge = tensor._array, tensor._edge
    own = 1 + (isinstance(edge, Leaf) and edge.array is array)
    if array is root:
        return own
    if type(array) is not type(root) or array.base is not root:
        return 0
    return int(sys.getrefcount(array) - 2 == own)


def untyped(storage) -> UntypedStorage:
    """Returns the untyped storage of a storage."""
    return storage if isinstance(storage, UntypedStorage) else storage._untyped_storage


def of_memory(root) -> UntypedStorage:
    """Returns the storage of an array's buffer: the same object while the program holds it."""
    storage = STORAGES.get(id(root))
    if storage is None or (storage._root is not root and storage._bytes is not root):
        storage = object.__new__(UntypedStorage)
        storage._hold(root)
    return storage


def rebuilt(content: bytes) -> UntypedStorage:
    """Returns a storage from its pickle."""
    return of_memory(np.frombuffer(bytearray(content), np.uint8) if content else np.empty(0, np.uint8))


def read_buffer(buffer, byte_order, count: int, offset: int, element_dtype) -> np.ndarray:
    """Returns the bytes that `from_buffer` reads."""
    if element_dtype is None:
        raise RuntimeError("argument 'dtype' cannot be None")
    if element_dtype not in STORAGE_NAMES and element_dtype not in FLOAT8:
        raise RuntimeError(f"Unknown type: {SCALAR_NAMES[element_dtype]}")
    part = REAL_OF.get(element_dtype, element_dtype).itemsize
    if byte_order is None and element_dtype not in (dtypes.uint8, dtypes.int8):
        raise RuntimeError("function missing required argument 'byte_order' (pos 2)")
    if byte_order not in (None, "little", "big", "native"):
        raise ValueError(f"invalid byte_order '{byte_order}' (expected 'big', 'little', or 'native')")
    try:
        content = memoryview(buffer).cast("B")
    except TypeError:
        raise TypeError(f"a bytes-like object is required, not '{type_name(buffer)}'") from None
    if not 0 <= offset <= len(content):
        raise ValueError(
            f"offset must be non-negative and no greater than buffer length ({len(content)}) , but got {offset}"
        )
    room = len(content) - offset
    if count < 0 and room % element_dtype.itemsize:
        raise ValueError(f"buffer size ({room}) must be a multiple of element size ({element_dtype.itemsize})")
    count = room // element_dtype.itemsize if count < 0 else count
    if count * element_dtype.itemsize > room:
        raise ValueError(f"buffer has only {room} elements after offset {offset}, but specified a size of {count}")
    read = np.array(content[offset : offset + count * element_dtype.itemsize], np.uint8)
    if element_dtype is dtypes.bool:
        return (read != 0).view(np.uint8)
    return read.view(f"V{part}").view(_word(byte_order, part)).astype(f"u{part}").view(np.uint8) if part > 1 else read


def _word(byte_order: str, size: int) -> str:
    return {"little": "<", "big": ">", "native": "="}[byte_order] + f"u{size}"


def _first_bytes(content) -> np.ndarray:
    """Returns the bytes of a new storage, from its size or its content."""
    if isinstance(content, (int, np.integer)) and not isinstance(content, bool):
        if content < 0:
            raise _negative(int(content))
        return _allocated(int(content))
    if not isinstance(content, (Sequence, UntypedStorage)):
        raise RuntimeError(f"torch.UntypedStorage(): Expected a sequence type, but got {type_name(content)}")
    for value in content:
        if not isinstance(value, int):
            raise RuntimeError(
                f"torch.UntypedStorage(): tried to construct a storage from a sequence ({type_name(content)}), but one "
                f"of the items was of type {type_name(value)} instead of int"
            )
    return np.array([value & 0xFF for value in content], np.uint8)


def _allocated(size: int) -> np.ndarray:
    if size >= LIMIT:
        raise ValueError("Overflow when unpacking long long")
    try:
        return np.empty(size, np.uint8)
    except MemoryError as error:
        raise out_of_memory(error) from None


def _negative(size: int) -> RuntimeError:
    return RuntimeError(
        "[enforce fail at alloc_cpu.cpp:98] ((ptrdiff_t)nbytes) >= 0. alloc_cpu() seems to have been called with "
        f"negative number: {size + 2**64}"
    )


def _on(target: Place, content: np.ndarray):
    """Returns bytes of the CPU on a device; the same array if that is the CPU."""
    if target.type not in ("cpu", "cuda", "meta"):
        raise RuntimeError(f"torch.UntypedStorage(): Storage device not recognized: {target.type}")
    return content if target.type == "cpu" else BACKENDS.on(target).from_cpu(content, target)


def _unstepped(index: slice) -> slice:
    if index.step not in (None, 1):
        raise RuntimeError(f"Trying to slice with a step of {index.step}, but only a step of 1 is supported")
    return index


def _position(storage: UntypedStorage, index) -> int:
    if isinstance(index, bool) or not isinstance(index, int):
        raise TypeError(f"can't index a torch.UntypedStorage with {type_name(index)}")
    return index


def refuse_meta(storage: UntypedStorage) -> None:
    """Raises NotImplementedError for a meta storage, which cannot be read."""
    if storage.device.type == "meta":
        raise NotImplementedError("Not available for 'meta' device type")


def numbers_of(storage: UntypedStorage, element_dtype: dtype) -> list:
    """Returns the bytes as numbers of a dtype. Raises NotImplementedError for a meta storage."""
    if storage.nbytes():
        refuse_meta(storage)
    return storage.as_tensor(element_dtype).cpu().tolist() if storage.nbytes() else []


def refuse_copy(source: UntypedStorage) -> None:
    """Raises NotImplementedError for a meta storage, which cannot be copied."""
    if source.device.type == "meta":
        raise NotImplementedError("Cannot copy out of meta tensor; no data!")


def shown(storage, facts: str) -> str:
    """Returns the `repr` of a storage: one number a line, then class, facts and size."""
    unread = untyped(storage).device.type == "meta"
    numbers = "..." if unread else " " + "\n ".join(map(str, storage))
    size = storage._size() if hasattr(storage, "_size") else len(storage)
    return f"{numbers}\n[torch.storage.{type(storage).__name__}({facts}) of size {size}]"
