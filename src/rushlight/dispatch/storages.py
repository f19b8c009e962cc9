"""Storages as programs see them: the bytes under a tensor, or its elements in the order of memory."""

from __future__ import annotations

import math
import warnings

import numpy as np

from rushlight.arrays.layouts import suggested_format
from rushlight.arrays.room import check_room
from rushlight.core.device import BACKENDS, CPU, device, host, resolved
from rushlight.core.dtype import C_NAMES, from_numpy_dtype
from rushlight.core.formats import CONTIGUOUS, PRESERVE, format_strides
from rushlight.core.graph import Leaf
from rushlight.core.modes import current
from rushlight.core.refused_writes import written_outside
from rushlight.core.storage import Storage, address, flat
from rushlight.core.strides import contiguous_strides
from rushlight.core.tensor import Tensor, look_at
from rushlight.core.unresolved import beneath, marks_of, unresolved
from rushlight.dispatch.making import size_of
from rushlight.dispatch.message import type_name
from rushlight.dispatch.resizing import resize as resize_memory


def bytes_of(root: np.ndarray) -> np.ndarray:
    """Memory as bytes, without copying."""
    return flat(root).view(np.uint8)


def memory_and_layout(tensor: Tensor) -> tuple:
    """The memory of a tensor and how it lies there: (dtype, shape, offset in bytes, strides in bytes)."""
    array, root = beneath(tensor._array), tensor._memory()
    offset = address(array) - address(flat(root)) if array.size else 0
    return root, (array.dtype, array.shape, offset, array.strides)


def in_memory(memory: np.ndarray, dtype, shape: tuple, offset: int, strides: tuple) -> np.ndarray:
    """The array that lies so in some bytes."""
    return np.ndarray(shape, dtype, memory, offset, strides)


class UntypedStorage:
    """The bytes under a tensor and its views. https://docs.pytorch.org/docs/stable/storage.html

    The bytes are in the CPU's memory; `place` is the device on which a tensor made of them is put.
    """

    __module__ = "torch.storage"

    def __init__(self, root: np.ndarray, place: device = CPU):
        self._root = root
        self._bytes = bytes_of(root)
        self.device = place

    def nbytes(self) -> int:
        """The number of bytes."""
        return self._bytes.size

    size = __len__ = nbytes

    def data_ptr(self) -> int:
        """The address of the first byte."""
        return address(self._bytes)

    def tolist(self) -> list:
        """The bytes as Python numbers."""
        return self._bytes.tolist()

    def __iter__(self):
        return iter(self.tolist())

    def __getitem__(self, index):
        found = self._bytes[index]
        return int(found) if np.ndim(found) == 0 else UntypedStorage(found)

    def __setitem__(self, index, value) -> None:
        self._bytes[index] = value

    def clone(self) -> UntypedStorage:
        """A copy."""
        return UntypedStorage(self._root.copy(order="K"), self.device)

    def to(self, device) -> UntypedStorage:
        """A copy on another device, which must be there; itself if it is on that device already."""
        place = resolved(device)
        if place == self.device:
            return self
        BACKENDS.on(place)
        return UntypedStorage(self._root.copy(order="K"), place)

    def cpu(self) -> UntypedStorage:
        """A copy in the CPU's memory; itself if it is there already."""
        return self.to(CPU)

    def cuda(self, device=None) -> UntypedStorage:
        """A copy on the GPU; itself if it is there already."""
        return self.to("cuda" if device is None else device)

    def __eq__(self, other):
        return isinstance(other, UntypedStorage) and self.data_ptr() == other.data_ptr() and len(self) == len(other)

    def __hash__(self):
        return self.data_ptr()

    def elements(self, kind) -> np.ndarray:
        """The bytes as elements of a NumPy dtype."""
        return self._bytes[: self._bytes.size // kind.itemsize * kind.itemsize].view(kind)


class TypedStorage:
    """The elements in the memory under a tensor, in the order in which they lie there."""

    __module__ = "torch.storage"

    def __init__(self, root: np.ndarray, shared: Storage | None = None):
        self._elements = flat(root)
        self.shared = Storage() if shared is None else shared

    def size(self) -> int:
        """The number of elements."""
        return self._elements.size

    __len__ = size

    def tolist(self) -> list:
        """The elements as Python numbers."""
        return self._elements.tolist()

    def __iter__(self):
        return iter(self.tolist())

    def __getitem__(self, index):
        return self._elements[index].item()

    def __setitem__(self, index, value) -> None:
        self._elements[index] = value

    def data_ptr(self) -> int:
        """The address of the first element."""
        return address(self._elements)

    @property
    def dtype(self):
        return from_numpy_dtype(self._elements.dtype)

    def untyped(self) -> UntypedStorage:
        """The bytes of these elements."""
        return UntypedStorage(self._elements)


def untyped_storage(self) -> UntypedStorage:
    """The bytes that this tensor and its views share."""
    return UntypedStorage(self._memory() if type(beneath(self._array)) is np.ndarray else host(self), self.device)


def storage(self) -> TypedStorage:
    """The elements that this tensor and its views share."""
    warnings.warn(
        "TypedStorage is deprecated. It will be removed in the future and UntypedStorage will be the only storage "
        "class. This should only matter to you if you are using storages directly.  To access UntypedStorage directly, "
        "use tensor.untyped_storage() instead of tensor.storage()",
        UserWarning,
        stacklevel=2,
    )
    return TypedStorage(self._memory(), self._storage)


def is_set_to(self, tensor) -> bool:
    """Whether another tensor looks into the same memory in the same way."""
    if not isinstance(tensor, Tensor):
        raise TypeError(f"is_set_to(): argument 'tensor' (position 1) must be Tensor, not {type_name(tensor)}")
    same_memory = self._memory() is tensor._memory() and self.storage_offset() == tensor.storage_offset()
    resolved = True not in (*marks_of(self._array), *marks_of(tensor._array))
    return same_memory and resolved and self.shape == tensor.shape and self.stride() == tensor.stride()


def set_(self, source=None, storage_offset=0, size=None, stride=None):
    """Makes this tensor look into other memory: a tensor's, or a storage's with an offset, a size and strides.

    Raises RuntimeError for a tensor of another dtype.
    """
    if source is None:
        return _look_into(self, np.empty(0, self.dtype.numpy), Storage())
    if isinstance(source, Tensor):
        if source.dtype is not self.dtype:
            raise RuntimeError(
                f"Could not set tensor of type {C_NAMES[source.dtype]} to a tensor of type {C_NAMES[self.dtype]}"
            )
        if size is None:
            return _look_into(self, source._array, source._storage)
        return _look_into(self, _window(flat(source._memory()), storage_offset, size, stride), source._storage)
    if not isinstance(source, (UntypedStorage, TypedStorage)):
        raise TypeError(
            f"set_() received an invalid combination of arguments - got ({type_name(source)}), but expected one of:\n"
            " * ()\n * (torch.Storage source)\n * (torch.Storage source, int storage_offset, tuple of ints size, "
            "tuple of ints stride)\n * (Tensor source)"
        )
    elements = (source if isinstance(source, UntypedStorage) else source.untyped()).elements(self.dtype.numpy)
    size = (elements.size - storage_offset,) if size is None else size
    return _look_into(self, _window(elements, storage_offset, size, stride), Storage())


def _window(elements: np.ndarray, offset: int, size, stride) -> np.ndarray:
    size = tuple(size)
    steps = contiguous_strides(size) if stride is None else tuple(stride)
    needed = 0 if 0 in size else 1 + offset + sum((n - 1) * step for n, step in zip(size, steps, strict=True))
    if needed > elements.size:
        raise RuntimeError(
            f"setStorage: sizes {list(size)}, strides {list(steps)}, storage offset {offset}, and itemsize "
            f"{elements.itemsize} requiring a storage size of {needed * elements.itemsize} are out of bounds for "
            f"storage of size {elements.nbytes}"
        )
    return np.ndarray(
        size, elements.dtype, elements, offset * elements.itemsize, [n * elements.itemsize for n in steps]
    )


def _look_into(tensor: Tensor, array: np.ndarray, storage: Storage) -> Tensor:
    if tensor._storage.inference and not current().inference:
        raise written_outside()
    if not (storage.inference or tensor._storage.inference):
        storage.version = max(storage.version, tensor._storage.version) + 1
    conj, neg = marks_of(tensor._array)
    look_at(tensor, unresolved(beneath(array), conj=conj, neg=neg))
    tensor._storage = storage
    if isinstance(tensor._edge, Leaf):
        tensor._edge.hold(tensor)
    return tensor


def resize_(self, *size, memory_format=None):
    """Another shape for this tensor, in place; elements beyond the old ones are undefined. Of its own, nothing happens.

    Raises RuntimeError for a tensor that requires grad, or if borrowed memory would have to grow.
    """
    size = tuple(size_of("resize_", size))
    modes = current()
    if self._storage.inference and not modes.inference:
        raise written_outside()
    if self.requires_grad and not modes.inference:
        raise RuntimeError("cannot resize variables that require grad")
    if memory_format is PRESERVE:
        raise RuntimeError("Unsupported memory formatPreserve")
    if memory_format is None and size == self._array.shape:
        return self
    check_room(size, self.element_size())
    resize_memory(self, size, strides=format_strides(size, CONTIGUOUS if memory_format is None else memory_format))
    if isinstance(self._edge, Leaf):
        self._edge.hold(self)
    self._storage.written()
    return self


def resize_as_(self, the_template, memory_format=None):
    """The shape of another tensor for this one, in place; with `torch.preserve_format` in the same format too."""
    if memory_format is PRESERVE:
        memory_format = suggested_format(the_template._array)
    return resize_(self, tuple(the_template.shape), memory_format=memory_format)


def resize(self, *sizes) -> Tensor:
    """`reshape` to a size of as many elements. Deprecated."""
    return _reshaped(self, "resize", sizes)


def resize_as(self, tensor) -> Tensor:
    """`reshape` to the size of another tensor. Deprecated."""
    return _reshaped(self, "resize_as", tuple(tensor.shape))


def _reshaped(tensor: Tensor, name: str, size) -> Tensor:
    warnings.warn(f"non-inplace {name} is deprecated", UserWarning, stacklevel=3)
    if math.prod(size) != tensor.numel():
        shown, own = ("x".join(map(str, each)) for each in (size, tensor.shape))
        raise RuntimeError(
            f"requested resize to {shown} ({math.prod(size)} elements in total), but the given tensor has a size of "
            f"{own} ({tensor.numel()} elements). autograd's resize can only change the shape of a given tensor, while "
            "preserving the number of elements. "
        )
    return tensor.contiguous().view(*size)


def attach() -> None:
    """Gives Tensor these methods; called once by the package root."""
    for function in (untyped_storage, storage, is_set_to, set_, resize_, resize_as_, resize, resize_as):
        setattr(Tensor, function.__name__, function)
