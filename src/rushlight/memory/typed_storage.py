"""`torch.TypedStorage`, `torch.FloatStorage` and the like: memory as elements of one dtype.

They are deprecated: the first use warns. Methods that begin with an underscore do the same without a warning.
"""

from __future__ import annotations

import functools
import warnings
from collections.abc import Iterator, Sequence
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from rushlight.core import dtype as dtypes
from rushlight.core.device import resolved
from rushlight.core.dtype import DEFAULTS, SCALAR_NAMES, STORAGE_NAMES, dtype
from rushlight.core.storage import AnyStorage
from rushlight.core.tensor import Tensor
from rushlight.create.convert_data import array_of
from rushlight.memory.untyped_storage import (
    CASTS,
    UntypedStorage,
    numbers_of,
    of_memory,
    read_buffer,
    refuse_meta,
    shown,
)  # fmt: skip


class Deprecation:
    """Whether the deprecation warning was issued, and whether every use issues it."""

    def __init__(self):
        self.issued = self.always = False

    def warn(self, stacklevel: int = 2) -> None:
        """Warns of the deprecation, if the warning is due."""
        if self.issued and not self.always:
            return
        warnings.warn(
            "TypedStorage is deprecated. It will be removed in the future and UntypedStorage will be the only storage "
            "class. This should only matter to you if you are using storages directly.  To access UntypedStorage "
            "directly, use tensor.untyped_storage() instead of tensor.storage()",
            UserWarning,
            stacklevel=stacklevel + 1,
        )
        self.issued = True


WARNING = Deprecation()


def public(method):
    """Returns the public form of a method: it warns and calls the method."""

    @functools.wraps(method)
    def warns(self, *arguments, **keywords):
        WARNING.warn(2)
        return method(self, *arguments, **keywords)

    warns.__name__ = method.__name__.removeprefix("_")
    return warns


class TypedStorage(AnyStorage):
    """The memory of a tensor as elements of its dtype. Deprecated.

    Constructed from a number of elements, a sequence of numbers, or an untyped storage (`wrap_storage`).
    """

    if TYPE_CHECKING:  # attached below

        def __len__(self) -> int: ...
        def __getitem__(self, index: Any) -> Any: ...
        def __setitem__(self, index: Any, value: Any) -> None: ...
        def __iter__(self) -> Iterator[Any]: ...
        def __getattr__(self, name: str) -> Any: ...

    __module__ = "torch.storage"
    is_sparse = is_hpu = False
    dtype: Any
    _untyped_storage: UntypedStorage

    def __init__(self, *arguments, device=None, dtype=None, wrap_storage=None, _internal=False):
        if not _internal:
            WARNING.warn()
        if wrap_storage is not None:
            _check_wrapped(arguments, device, dtype, wrap_storage)
            self.dtype, self._untyped_storage = dtype, wrap_storage
            return
        if len(arguments) > 1:
            raise RuntimeError(f"{TYPED_FORMS}\nToo many positional arguments")
        self.dtype = dtype or DEFAULTS.floating
        self._untyped_storage = _new_memory(arguments[0] if arguments else 0, self.dtype, device, TYPED_FORMS)

    # ---- properties

    _dtype = property(lambda self: self.dtype)
    _cdata = property(lambda self: self._untyped_storage._cdata)
    filename = property(lambda self: self._untyped_storage.filename)

    @property
    def _elements(self):
        """The elements as an array of the backend."""
        return self._untyped_storage.elements(self.dtype.numpy)

    def _elements_for(self, dtype: dtype | None):
        refuse_meta(self._untyped_storage)
        dtype = dtype or DEFAULTS.floating
        if self.dtype is not dtype:
            raise RuntimeError(
                f"Expected a Storage of type {SCALAR_NAMES[dtype]} or an UntypedStorage, but got "
                f"{SCALAR_NAMES[self.dtype]}"
            )
        return self._elements

    def _as_tensor(self) -> Tensor:
        return self._untyped_storage.as_tensor(self.dtype)

    def _around(self, storage: UntypedStorage) -> TypedStorage:
        return TypedStorage(wrap_storage=storage, dtype=self.dtype, _internal=True)

    @property
    def device(self) -> Any:
        WARNING.warn()
        return self._untyped_storage.device

    @property
    def is_cuda(self) -> bool:
        WARNING.warn()
        return self._untyped_storage.is_cuda

    def _untyped(self) -> UntypedStorage:
        """Returns the untyped storage."""
        return self._untyped_storage

    def _size(self) -> int:
        """Returns the number of elements."""
        return self._nbytes() // self._element_size()

    def _element_size(self) -> int:
        """Returns the size of one element in bytes."""
        return self.dtype.itemsize

    def _get_legacy_storage_class(self) -> type | None:
        return LEGACY.get((self._untyped_storage.device.type, self.dtype))

    def _type(self) -> str:
        """Returns the name of the legacy class for this dtype and device: "torch.FloatStorage"."""
        cls = self._get_legacy_storage_class() or TypedStorage
        return f"{cls.__module__}.{cls.__name__}"

    def _pickle_storage_type(self) -> str:
        """Returns the name of this dtype in checkpoints."""
        if self.dtype not in STORAGE_NAMES:
            raise KeyError(f"dtype {self.dtype} is not recognized")
        return STORAGE_NAMES[self.dtype]

    def _shown(self) -> str:
        return shown(self, f"dtype={self.dtype}, device={self._untyped_storage.device}")

    def _sizeof(self) -> int:
        return object.__sizeof__(self) + self._nbytes()

    # ---- elements

    def _tolist(self) -> list:
        """Returns the elements as Python numbers."""
        return numbers_of(self._untyped_storage, self.dtype)

    def _iter(self):
        return iter(self._tolist())

    def _getitem(self, index):
        refuse_meta(self._untyped_storage)
        if isinstance(index, slice):
            raise RuntimeError("slices are only supported in UntypedStorage.__getitem__")
        _check_index(self, index)
        if type(index) is not int:
            raise TypeError(f"can't index a {type(self)} with {type(index)}")
        if not -self._size() <= index < self._size():
            raise IndexError(f"index {index} out of range for storage of size {self._size()}")
        return self._as_tensor()[index].item()

    def _setitem(self, index, value) -> None:
        if not isinstance(index, slice):
            _check_index(self, index)
        if isinstance(value, AnyStorage):
            raise RuntimeError(f"cannot set item with value type {type(value)}")
        self._as_tensor()[index] = value

    def _fill_(self, value) -> TypedStorage:
        """Fills the storage with a number."""
        self._setitem(slice(None), value)
        return self

    def _deepcopy(self, memo) -> TypedStorage:
        return self._around(self._untyped_storage.__deepcopy__(memo))

    def __reduce__(self):
        return rebuilt, (self._untyped_storage, self.dtype.name)

    # ---- other devices and dtypes

    def _to(self, element_dtype: Any) -> TypedStorage:
        result = self._as_tensor().to(element_dtype)._typed_storage()
        return result._clone() if result._data_ptr() == self._data_ptr() else result

    def _resize_(self, size: int) -> None:
        """Changes the number of elements; new ones are uninitialized."""
        self._untyped_storage.resize_(size * self._element_size())

    def _share_fd_cpu_(self) -> tuple[int, int]:
        descriptor, size = self._untyped_storage._share_fd_cpu_()
        return descriptor, size // self._element_size()

    def _new_shared(self, size: int, *, device="cpu") -> TypedStorage:
        """Returns a storage of the same dtype in shared memory."""
        return self._around(UntypedStorage._new_shared(size * self._element_size(), device=device))

    @classmethod
    def from_buffer(cls, buffer, byte_order=None, count=-1, offset=0, dtype=None, device=None) -> TypedStorage:
        """Returns a copy of the elements in a buffer, which have a byte order."""
        WARNING.warn()
        if resolved("cpu" if device is None else device).type != "cpu":
            raise RuntimeError(f"TypedStorage.from_buffer: Not available for device {resolved(device).type}")
        return _read(buffer, byte_order, count, offset, dtype or DEFAULTS.floating)

    @classmethod
    def from_file(cls, filename: str, shared: bool, size: int) -> TypedStorage:
        """Returns the first elements of a mapped file; writes reach the file if it is `shared`."""
        raise RuntimeError("from_file can only be called on derived classes")


def forwarded(name: str):
    """Returns a method of the untyped storage; a storage that it returns becomes one of the same dtype."""
    plain = getattr(UntypedStorage, name)

    @functools.wraps(plain)
    def method(self, *arguments, **keywords):
        result = plain(self._untyped_storage, *arguments, **keywords)
        if result is self._untyped_storage and name in CHANGING:
            return self
        return self._around(result) if isinstance(result, UntypedStorage) else result

    return method


CHANGING = frozenset(("copy_", "share_memory_"))  # return the storage itself
FORWARDED = "nbytes get_device data_ptr resizable is_shared is_pinned copy_ clone cpu cuda pin_memory share_memory_"
for _name, _plain in {
    **{f"_{name}": name for name in FORWARDED.split()},
    "_to_device": "to", "_share_filename_cpu_": "_share_filename_cpu_", "_write_file": "_write_file",
}.items():  # fmt: skip
    setattr(TypedStorage, _name, forwarded(_plain))

for _name in (
    "untyped size nbytes element_size get_device data_ptr resizable is_shared is_pinned type pickle_storage_type "
    "tolist fill_ copy_ clone cpu cuda pin_memory resize_ share_memory_"
).split():
    setattr(TypedStorage, _name, public(getattr(TypedStorage, f"_{_name}")))
for _name, _silent in {
    "__len__": "_size", "__iter__": "_iter", "__getitem__": "_getitem", "__setitem__": "_setitem",
    "__copy__": "_clone", "__deepcopy__": "_deepcopy", "__repr__": "_shown", "__sizeof__": "_sizeof",
    "to": "_to_device",
}.items():  # fmt: skip
    setattr(TypedStorage, _name, public(getattr(TypedStorage, _silent)))
for _name in CASTS:
    setattr(TypedStorage, _name, public(getattr(UntypedStorage, _name)))


TYPED_FORMS = (
    "TypedStorage.__init__ received an invalid combination of arguments. Expected one of:\n"
    " * (*, torch.device device, torch.dtype dtype)\n * (int size, *, torch.device device, torch.dtype dtype)\n"
    " * (Sequence data, *, torch.device device, torch.dtype dtype)\n"
    " * (*, UntypedStorage wrap_storage, torch.dtype dtype)"
)
WRAPPED_ALONE = "\nNo positional arguments should be given when using 'wrap_storage'"


def _check_wrapped(arguments: tuple, target, element_dtype, storage) -> None:
    if arguments:
        raise RuntimeError(TYPED_FORMS + WRAPPED_ALONE)
    if element_dtype is None:
        raise RuntimeError(f"{TYPED_FORMS}\nArgument 'dtype' must be specified")
    if not isinstance(element_dtype, dtype):
        raise TypeError(f"{TYPED_FORMS}\nArgument 'dtype' must be torch.dtype, not {type(element_dtype)}")
    if target is not None:
        raise RuntimeError(f"{TYPED_FORMS}\nArgument 'device' should not be specified when 'wrap_storage' is given")
    _check_bytes(storage, TYPED_FORMS)


def _check_bytes(storage, forms: str) -> None:
    if not isinstance(storage, UntypedStorage):
        raise TypeError(f"{forms}\nArgument 'wrap_storage' must be UntypedStorage, but got {type(storage)}")


def _new_memory(content, element_dtype: dtype, target, forms: str) -> UntypedStorage:
    """Returns new memory for a number of elements, or with those of a sequence."""
    target = resolved("cpu" if target is None else target)
    if isinstance(content, (int, np.integer)):
        return UntypedStorage(int(content) * element_dtype.itemsize, device=target)
    if not isinstance(content, (Sequence, TypedStorage)):
        raise TypeError(f"{forms}\nArgument type not recognized: {type(content)}")
    return of_memory(array_of(content, element_dtype))._on_device(target)


def _check_index(storage: TypedStorage, index) -> None:
    if not isinstance(index, int):
        raise RuntimeError(f"can't index a {type(storage)} with {type(index)}")


def _read(buffer, byte_order, count: int, offset: int, element_dtype: dtype) -> TypedStorage:
    storage = of_memory(read_buffer(buffer, byte_order, count, offset, element_dtype))
    return TypedStorage(wrap_storage=storage, dtype=element_dtype, _internal=True)


def rebuilt(storage: UntypedStorage, name: str) -> TypedStorage:
    """Returns a storage from its pickle."""
    return TypedStorage(wrap_storage=storage, dtype=dtypes.BY_NAME[name], _internal=True)


# ---- one class for each dtype


class LegacyMeta(type):
    """Makes `isinstance(storage, FloatStorage)` test dtype and device."""

    _dtype: dtype
    _place: str

    @property
    def dtype(cls) -> Any:
        WARNING.warn()
        return cls._dtype

    def __instancecheck__(cls, instance):
        if type(instance) is not TypedStorage:
            return False
        return instance._untyped_storage.device.type == cls._place and instance.dtype is cls._dtype


class LegacyStorage(TypedStorage, metaclass=LegacyMeta):
    """Base class of `FloatStorage` and the like, which make a TypedStorage of their dtype."""

    def __new__(cls, *arguments, wrap_storage=None, dtype=None, device=None, _internal=False):
        if not _internal:
            WARNING.warn()
        if cls is LegacyStorage:
            raise RuntimeError("Only child classes of _LegacyStorage can be instantiated")
        forms = (
            f"{cls}.__new__ received an invalid combination of arguments. Expected one of:\n * no arguments\n"
            " * (int size)\n * (Sequence data)\n * (*, UntypedStorage wrap_storage)"
        )
        for name, value in (("device", device), ("dtype", dtype)):
            if value is not None:
                raise RuntimeError(f"{forms}\nKeyword argument '{name}' cannot be specified")
        if wrap_storage is None:
            if len(arguments) > 1:
                raise RuntimeError(f"{forms}\nToo many positional arguments")
            wrap_storage = _new_memory(arguments[0] if arguments else 0, cls._dtype, cls._place, forms)
        else:
            _check_wrapped_by(cls, arguments, wrap_storage, forms)
        return TypedStorage(wrap_storage=wrap_storage, dtype=cls._dtype, _internal=True)

    @classmethod
    def _new_shared(cls, size: int) -> TypedStorage:  # type: ignore[override]
        """Returns a storage of this dtype in shared memory."""
        return cls(wrap_storage=UntypedStorage._new_shared(size * cls._dtype.itemsize), _internal=True)

    @classmethod
    def from_buffer(cls, buffer=None, byte_order=None, count=-1, offset=0, dtype=None, device=None):
        """Returns a copy of the elements in a buffer, which have a byte order."""
        WARNING.warn()
        if cls._place != "cpu":
            raise RuntimeError("from_buffer: Not available for CUDA storage")
        for name, value in (("dtype", dtype), ("device", device)):
            if value is not None:
                raise RuntimeError(
                    f"from_buffer: '{name}' can only be specified in UntypedStorage.from_buffer and "
                    "TypedStorage.from_buffer"
                )
        return _read(buffer, byte_order, count, offset, cls._dtype)

    @classmethod
    def from_file(cls, filename: str, shared: bool, size: int) -> TypedStorage:
        """Returns the first elements of a mapped file; writes reach the file if it is `shared`."""
        WARNING.warn()
        storage = UntypedStorage.from_file(filename, shared, size * cls._dtype.itemsize)
        return cls(wrap_storage=storage, _internal=True)


LegacyStorage.__name__ = LegacyStorage.__qualname__ = "_LegacyStorage"


def _check_wrapped_by(cls: type[LegacyStorage], arguments: tuple, storage, forms: str) -> None:
    if arguments:
        raise RuntimeError(forms + WRAPPED_ALONE)
    _check_bytes(storage, forms)
    if storage.device.type != cls._place:
        raise RuntimeError(f"{forms}\nDevice of 'wrap_storage' must be {cls._place}, but got {storage.device.type}")


def _legacy(element_dtype: dtype, device_type: str) -> Any:
    module = "torch" if device_type == "cpu" else f"torch.{device_type}"
    doc = f"Makes a storage of dtype `{element_dtype.name}`; `isinstance` tests for that dtype. Deprecated."
    return LegacyMeta(
        STORAGE_NAMES[element_dtype], (LegacyStorage,),
        {"_dtype": element_dtype, "_place": device_type, "__module__": module, "__doc__": doc},
    )  # fmt: skip


LEGACY = {(name, element): _legacy(element, name) for name in ("cpu", "cuda") for element in STORAGE_NAMES}


class Names(SimpleNamespace):
    """The legacy classes of one device type."""

    @property
    def Storage(self) -> Any:
        """The class of the default dtype."""
        return getattr(self, STORAGE_NAMES[DEFAULTS.floating])


# The legacy classes of `torch` and `torch.cuda`.
OF_TORCH, OF_CUDA = (
    Names(**{name: LEGACY[device_type, element] for element, name in STORAGE_NAMES.items()})
    for device_type in ("cpu", "cuda")
)
