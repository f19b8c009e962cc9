"""What a tensor has to do with storages: its own, and those that it is made to look into."""

from __future__ import annotations

import math
import warnings
from importlib import import_module

from rushlight.arrays.layouts import suggested_format
from rushlight.arrays.meta import MetaArray
from rushlight.arrays.room import LIMIT, check_extent, check_room
from rushlight.core.determinism import fill_unset, fills
from rushlight.core.dtype import C_NAMES, DEFAULTS, SCALAR_NAMES
from rushlight.core.formats import PRESERVE, format_strides
from rushlight.core.history import check_history
from rushlight.core.lazy_conj_neg import marks_of
from rushlight.core.modes import current
from rushlight.core.shape_queries import STRIDED, check_layout
from rushlight.core.storage import AnyStorage, Storage
from rushlight.core.strides import contiguous_strides
from rushlight.core.tensor import Tensor
from rushlight.declarations.promote import as_dtype
from rushlight.declarations.shapes import is_whole
from rushlight.dispatch.making import made_on, size_of
from rushlight.dispatch.memory import in_memory, look_into
from rushlight.dispatch.message import type_name
from rushlight.dispatch.refused_writes import written_outside

# What programs see of memory is made when they first ask for it.
UNTYPED, TYPED = "rushlight.dispatch.untyped_storage", "rushlight.dispatch.typed_storage"


def untyped_storage(self):
    """The bytes that this tensor and its views share: one object, as long as the program holds it."""
    found = import_module(UNTYPED).of_memory(self._memory())
    found.borrowed = found.borrowed or self._storage.borrowed
    return found


def typed_storage(self):
    """The elements that this tensor and its views share, without a word about their deprecation."""
    kind = import_module(TYPED).TypedStorage
    return kind(wrap_storage=untyped_storage(self), dtype=self.dtype, _internal=True)


def storage(self):
    """The elements that this tensor and its views share. Deprecated: `untyped_storage` has the bytes."""
    import_module(TYPED).WARNING.tell(2)
    return typed_storage(self)


def storage_type(self) -> type | None:
    """The class of storages of this dtype, such as `torch.FloatStorage`; None where there is none."""
    return typed_storage(self)._get_legacy_storage_class()


def is_shared(self) -> bool:
    """Whether other processes may see the memory: after `share_memory_`, of a mapped file, or on a GPU."""
    return self.is_cuda or untyped_storage(self).is_shared()


def share_memory_(self):
    """Moves the memory, with all tensors on it, to where processes that are forked from now on read and write too."""
    untyped_storage(self).share_memory_(holder=self)
    return self


def is_storage(obj, /) -> bool:
    """Whether `obj` is a storage, typed or untyped.

    >>> import rushlight as torch
    >>> torch.is_storage(torch.ones(2).untyped_storage()), torch.is_storage(torch.ones(2))
    (True, False)
    """
    return isinstance(obj, AnyStorage)


def from_file(
    filename, shared=None, size=0, *, dtype=None, layout=STRIDED, device=None, pin_memory=False, requires_grad=False
) -> Tensor:
    """A tensor on the first elements of a file, read when they are touched; writes reach the file if it is `shared`.

    Raises RuntimeError where there is no such file, or it is too short and not `shared`.
    """
    if layout is not STRIDED:
        check_layout("from_file", layout)
    kind = as_dtype("from_file", dtype) or DEFAULTS.floating
    read = import_module(UNTYPED).UntypedStorage.from_file(filename, bool(shared), (size or 0) * kind.itemsize)
    return made_on(read.elements(kind.numpy), requires_grad)


def is_set_to(self, tensor) -> bool:
    """Whether another tensor looks into the same memory in the same way."""
    if not isinstance(tensor, Tensor):
        raise TypeError(f"is_set_to(): argument 'tensor' (position 1) must be Tensor, not {type_name(tensor)}")
    same_memory = self._memory() is tensor._memory() and self.storage_offset() == tensor.storage_offset()
    resolved = True not in (*marks_of(self._array), *marks_of(tensor._array))
    return same_memory and resolved and self.shape == tensor.shape and self.stride() == tensor.stride()


def set_(self, source=None, storage_offset=0, size=None, stride=None):
    """Makes this tensor look into other memory: a tensor's, or a storage's with an offset, a size and strides.

    Raises RuntimeError for a tensor or storage of another dtype or device, or if borrowed memory would have to grow.
    """
    if current().grad:
        check_history(self, recorded=False)
    if source is None and size is None:
        return _look_into(self, _none_of(self), Storage())
    _check_set(source, storage_offset, size, stride)
    if isinstance(source, Tensor):
        _check_device(self, source.device)
        if size is None:
            if source.dtype is not self.dtype:
                raise RuntimeError(
                    f"Could not set tensor of type {C_NAMES[source.dtype]} to a tensor of type {C_NAMES[self.dtype]}"
                )
            return _look_into(self, source._array, source._storage)
        return _look_into(self, _window(self, untyped_storage(source), storage_offset, size, stride), source._storage)
    held = import_module(UNTYPED).untyped(source)
    if source is not held and source.dtype is not self.dtype:
        raise RuntimeError(
            f"Expected a Storage of type {C_NAMES[self.dtype]} or an UntypedStorage, but got type "
            f"{SCALAR_NAMES[source.dtype]} for argument 1 'storage'"
        )
    _check_device(self, held.device)
    size = (len(held) // self.itemsize - storage_offset,) if size is None else size
    counted = Storage()
    counted.borrowed = held.borrowed
    return _look_into(self, _window(self, held, storage_offset, size, stride), counted)


def _none_of(tensor: Tensor):
    """No elements, on the device and of the dtype of a tensor."""
    return tensor.new_empty(0)._array


def _check_set(source, offset, size, stride) -> None:
    """Raises TypeError for arguments that no form of `set_` has."""
    whole = size is None and stride is None and offset == 0
    if isinstance(source, (Tensor, AnyStorage)) and is_whole(offset):
        if whole or (_is_whole_numbers(size) and (stride is None or _is_whole_numbers(stride))):
            return
    given = [(each, default) for each, default in ((offset, 0), (size, None), (stride, None))]
    while given and given[-1][0] is given[-1][1]:
        given.pop()
    own = type_name(source)
    names = [f"torch.storage.{own}" if isinstance(source, AnyStorage) else own, *(type_name(each) for each, _ in given)]
    raise TypeError(
        f"set_() received an invalid combination of arguments - got ({', '.join(names)}), but expected one of:\n"
        " * ()\n * (torch.Storage source)\n * (torch.Storage source, int storage_offset, tuple of ints size, "
        "tuple of ints stride = None)\n * (Tensor source)\n * (Tensor source, int storage_offset, tuple of ints size, "
        "tuple of ints stride = None)"
    )


def _is_whole_numbers(value) -> bool:
    return isinstance(value, (tuple, list)) and all(map(is_whole, value))


def _check_device(tensor: Tensor, place) -> None:
    if tensor.device != place:
        raise RuntimeError(
            f'Attempted to set the storage of a tensor on device "{tensor.device}" to a storage on different device '
            f'"{place}".  This is no longer allowed; the devices must match.'
        )


def _window(tensor: Tensor, held, offset: int, size, stride, holder: Tensor | None = None):
    """The elements of a tensor's dtype that lie so in a storage, which grows if it has too few bytes.

    `holder` is a tensor that is known to be on it.
    """
    size = tuple(map(int, size))
    steps = contiguous_strides(size) if stride is None else tuple(map(int, stride))
    width = tensor.itemsize
    _check_geometry(size, steps, stride, offset, width)
    needed = 0 if 0 in size else 1 + offset + sum((n - 1) * step for n, step in zip(size, steps, strict=True))
    if needed * width > len(held):
        held.grow(needed * width, holder)
    strides = tuple(n * width for n in steps)
    if tensor.is_meta:
        return MetaArray(size, tensor.dtype.numpy, strides)
    return in_memory(held._bytes, tensor.dtype.numpy, size, offset * width if needed else 0, strides)


def _check_geometry(size: tuple, steps: tuple, stride, offset: int, width: int) -> None:
    if len(size) != len(steps):
        raise RuntimeError(f"unequal size length ({len(size)}) and stride length ({len(steps)})")
    if offset < 0:
        raise RuntimeError(f"Tensor: invalid storage offset {offset}")
    if any(each < 0 for each in size):
        raise RuntimeError("numel: integer multiplication overflow")
    if math.prod(size) >= 1 << 63:
        raise RuntimeError("numel: integer multiplication overflow")
    check_extent(size, width, stride)


def _look_into(tensor: Tensor, array, storage: Storage) -> Tensor:
    if tensor._storage.inference and not current().inference:
        raise written_outside()
    if not (storage.inference or tensor._storage.inference):
        storage.version = max(storage.version, tensor._storage.version) + 1
    look_into(tensor, array)
    tensor._storage = storage
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
    if math.prod(size) >= LIMIT:
        raise RuntimeError("numel: integer multiplication overflow")
    (check_extent if self.device.type == "meta" else check_room)(size, self.element_size())
    held = untyped_storage(self)
    offset = self.storage_offset()
    before = len(held)
    strides = None if memory_format is None else format_strides(size, memory_format)
    look_into(self, _window(self, held, offset, size, strides, self))
    if fills() and len(held) > before:
        fill_unset(held.elements(self.dtype.numpy)[-(-before // self.itemsize) :])
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


METHODS = (
    untyped_storage, storage, storage_type, is_shared, share_memory_, is_set_to, set_, resize_, resize_as_, resize,
    resize_as,
)  # fmt: skip


def attach() -> None:
    """Gives Tensor these methods; called once by the package root."""
    for function in METHODS:
        setattr(Tensor, function.__name__, function)
    setattr(Tensor, "_typed_storage", typed_storage)  # noqa: B010
