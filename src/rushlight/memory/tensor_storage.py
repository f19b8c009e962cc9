"""Methods of Tensor for its storage: `untyped_storage`, `set_`, `resize_`, `share_memory_`."""

from __future__ import annotations

import math
import warnings
from importlib import import_module

from rushlight.arrays.layouts import suggested_format
from rushlight.arrays.meta import MetaArray
from rushlight.arrays.size_limits import LIMIT, check_extent, check_size_fits
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
from rushlight.core.traced import is_batched
from rushlight.create.construction import wrap_array
from rushlight.create.sizes import parse_size
from rushlight.declarations.promote import as_dtype
from rushlight.declarations.shapes import is_integer
from rushlight.dispatch.message import type_name
from rushlight.dispatch.refused_writes import written_outside
from rushlight.memory.layout import in_memory, look_into

# Imported on first use.
UNTYPED, TYPED = "rushlight.memory.untyped_storage", "rushlight.memory.typed_storage"


def untyped_storage(self):
    """Returns the bytes that this tensor and its views share: the same object while the program holds it."""
    if is_batched(self):
        raise NotImplementedError("Cannot access storage of BatchedTensorImpl")
    storage = import_module(UNTYPED).of_memory(self._memory())
    storage.borrowed = storage.borrowed or self._storage.borrowed
    return storage


def typed_storage(self):
    """Returns the typed storage of this tensor, without the deprecation warning."""
    cls = import_module(TYPED).TypedStorage
    return cls(wrap_storage=untyped_storage(self), dtype=self.dtype, _internal=True)


def storage(self):
    """Returns the typed storage of this tensor. Deprecated: use `untyped_storage`."""
    import_module(TYPED).WARNING.warn(2)
    return typed_storage(self)


def storage_type(self) -> type | None:
    """Returns the legacy storage class of this dtype, such as `torch.FloatStorage`, or None."""
    return typed_storage(self)._get_legacy_storage_class()


def is_shared(self) -> bool:
    """Returns whether other processes may access the memory: after `share_memory_`, of a mapped file, on a GPU."""
    return self.is_cuda or untyped_storage(self).is_shared()


def share_memory_(self):
    """Moves the memory, with all tensors on it, to where processes that are forked later share it."""
    untyped_storage(self).share_memory_(holder=self)
    return self


def is_storage(obj, /) -> bool:
    """Returns whether `obj` is a storage, typed or untyped.

    >>> import rushlight as torch
    >>> torch.is_storage(torch.ones(2).untyped_storage()), torch.is_storage(torch.ones(2))
    (True, False)
    """
    return isinstance(obj, AnyStorage)


def from_file(
    filename, shared=None, size=0, *, dtype=None, layout=STRIDED, device=None, pin_memory=False, requires_grad=False
) -> Tensor:
    """Returns a tensor on the first elements of a mapped file; writes reach the file if it is `shared`.

    Raises RuntimeError if there is no such file, or it is too short and not `shared`.
    """
    if layout is not STRIDED:
        check_layout("from_file", layout)
    dtype = as_dtype("from_file", dtype) or DEFAULTS.floating
    read = import_module(UNTYPED).UntypedStorage.from_file(filename, bool(shared), (size or 0) * dtype.itemsize)
    return wrap_array(read.elements(dtype.numpy), requires_grad)


def is_set_to(self, tensor) -> bool:
    """Returns whether another tensor has the same memory, offset, shape and strides."""
    if not isinstance(tensor, Tensor):
        raise TypeError(f"is_set_to(): argument 'tensor' (position 1) must be Tensor, not {type_name(tensor)}")
    same_memory = self._memory() is tensor._memory() and self.storage_offset() == tensor.storage_offset()
    resolved = True not in (*marks_of(self._array), *marks_of(tensor._array))
    return same_memory and resolved and self.shape == tensor.shape and self.stride() == tensor.stride()


def set_(self, source=None, storage_offset=0, size=None, stride=None):
    """Sets the memory of this tensor: that of a tensor, or of a storage with an offset, a size and strides.

    Raises RuntimeError if dtypes or devices differ, or if borrowed memory would have to grow.
    """
    if current().grad:
        check_history(self, recorded=False)
    if source is None and size is None:
        return _set_array(self, _empty_like(self), Storage())
    _check_set(source, storage_offset, size, stride)
    if isinstance(source, Tensor):
        if source._carrier is not None:
            raise NotImplementedError("Cannot access storage of SparseTensorImpl")
        _check_device(self, source.device)
        if size is None:
            if source.dtype is not self.dtype:
                raise RuntimeError(
                    f"Could not set tensor of type {C_NAMES[source.dtype]} to a tensor of type {C_NAMES[self.dtype]}"
                )
            return _set_array(self, source._array, source._storage)
        return _set_array(self, _array_on(self, untyped_storage(source), storage_offset, size, stride), source._storage)
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
    return _set_array(self, _array_on(self, held, storage_offset, size, stride), counted)


def _empty_like(tensor: Tensor):
    """Returns an empty array on the device and of the dtype of a tensor."""
    return tensor.new_empty(0)._array


def _check_set(source, offset, size, stride) -> None:
    """Raises TypeError if no form of `set_` takes these arguments."""
    whole = size is None and stride is None and offset == 0
    if isinstance(source, (Tensor, AnyStorage)) and is_integer(offset):
        if whole or (_is_integers(size) and (stride is None or _is_integers(stride))):
            return
    args = [(offset, 0), (size, None), (stride, None)]
    while args and args[-1][0] is args[-1][1]:
        args.pop()
    name = type_name(source)
    name = f"torch.storage.{name}" if isinstance(source, AnyStorage) else name
    names = [name, *(type_name(value) for value, _ in args)]
    raise TypeError(
        f"set_() received an invalid combination of arguments - got ({', '.join(names)}), but expected one of:\n"
        " * ()\n * (torch.Storage source)\n * (torch.Storage source, int storage_offset, tuple of ints size, "
        "tuple of ints stride = None)\n * (Tensor source)\n * (Tensor source, int storage_offset, tuple of ints size, "
        "tuple of ints stride = None)"
    )


def _is_integers(value) -> bool:
    return isinstance(value, (tuple, list)) and all(map(is_integer, value))


def _check_device(tensor: Tensor, device) -> None:
    if tensor.device != device:
        raise RuntimeError(
            f'Attempted to set the storage of a tensor on device "{tensor.device}" to a storage on different device '
            f'"{device}".  This is no longer allowed; the devices must match.'
        )


def _array_on(tensor: Tensor, held, offset: int, size, stride, holder: Tensor | None = None):
    """Returns an array of a tensor's dtype on the bytes of a storage, which grows if it is too small.

    `holder` is a tensor that is known to be on the storage.
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
    if any(length < 0 for length in size):
        raise RuntimeError("numel: integer multiplication overflow")
    if math.prod(size) >= 1 << 63:
        raise RuntimeError("numel: integer multiplication overflow")
    check_extent(size, width, stride)


def _set_array(tensor: Tensor, array, storage: Storage) -> Tensor:
    if tensor._storage.inference and not current().inference:
        raise written_outside()
    if not (storage.inference or tensor._storage.inference):
        storage.version = max(storage.version, tensor._storage.version) + 1
    look_into(tensor, array)
    tensor._storage = storage
    return tensor


def resize_(self, *size, memory_format=None):
    """Changes the shape of this tensor in place; new elements are uninitialized.

    Raises RuntimeError for a tensor that requires grad, or if borrowed memory would have to grow.
    """
    size = tuple(parse_size("resize_", size))
    modes = current()
    if self._storage.inference and not modes.inference:
        raise written_outside()
    if self.requires_grad and not modes.inference:
        raise RuntimeError("cannot resize variables that require grad")
    if getattr(self._array, "tangent", None) is not None:
        raise RuntimeError("cannot resize variables that has a forward grad")
    if memory_format is PRESERVE:
        raise RuntimeError("Unsupported memory formatPreserve")
    if memory_format is None and size == self._array.shape:
        return self
    if math.prod(size) >= LIMIT:
        raise RuntimeError("numel: integer multiplication overflow")
    (check_extent if self.device.type == "meta" else check_size_fits)(size, self.element_size())
    held = untyped_storage(self)
    offset = self.storage_offset()
    before = len(held)
    strides = None if memory_format is None else format_strides(size, memory_format)
    look_into(self, _array_on(self, held, offset, size, strides, self))
    if fills() and len(held) > before:
        fill_unset(held.elements(self.dtype.numpy)[-(-before // self.itemsize) :])
    self._storage.written()
    return self


def resize_as_(self, the_template, memory_format=None):
    """Resizes this tensor in place to the shape of another; with `torch.preserve_format` also to its memory format."""
    if memory_format is PRESERVE:
        memory_format = suggested_format(the_template._array)
    return resize_(self, tuple(the_template.shape), memory_format=memory_format)


def resize(self, *sizes) -> Tensor:
    """Returns `reshape` to a size with the same number of elements. Deprecated."""
    return _reshaped(self, "resize", sizes)


def resize_as(self, tensor) -> Tensor:
    """Returns `reshape` to the size of another tensor. Deprecated."""
    return _reshaped(self, "resize_as", tuple(tensor.shape))


def _reshaped(tensor: Tensor, name: str, size) -> Tensor:
    warnings.warn(f"non-inplace {name} is deprecated", UserWarning, stacklevel=3)
    if math.prod(size) != tensor.numel():
        shown, own = ("x".join(map(str, shape)) for shape in (size, tensor.shape))
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
