"""`torch.save`: writes the object as a pickle with PyTorch's names, and the memory of its tensors."""

from __future__ import annotations

import io
import os
import pickle
import struct
import sys
from collections import OrderedDict
from contextlib import nullcontext
from types import BuiltinFunctionType, CellType, FunctionType
from typing import Any

import numpy as np

from rushlight._library import wrappers
from rushlight.core import dtype as dtypes
from rushlight.core.device import BACKENDS, device
from rushlight.core.dtype import STORAGE_NAMES, dtype
from rushlight.core.errors import noted
from rushlight.core.generator import Generator
from rushlight.core.lazy_conj_neg import marks_of
from rushlight.core.shape_queries import layout
from rushlight.core.size import Size
from rushlight.core.storage import address
from rushlight.core.strides import extent
from rushlight.core.tensor import Parameter, Tensor
from rushlight.core.traced import WrapperArray
from rushlight.memory.layout import bytes_of, check_storage, elements_of
from rushlight.memory.pickling import reduce_ex, state_of, warn_of_hooks
from rushlight.memory.typed_storage import TypedStorage
from rushlight.memory.untyped_storage import UntypedStorage
from rushlight.serialization import legacy, rebuild
from rushlight.serialization.archive import ALIGNMENT, ArchiveWriter
from rushlight.serialization.atomic import replacing
from rushlight.serialization.locations import location_tag
from rushlight.serialization.names import STORAGE_TYPES, written_name
from rushlight.serialization.options import OPTIONS
from rushlight.serialization.rebuild import StorageType

DEFAULT_PROTOCOL = 2
# Python's pickler in its Python form: the C one has no way to set the name of a class.
PYTHON_PICKLER = pickle._Pickler  # type: ignore[attr-defined]


def save(
    obj: object,
    f: Any,
    pickle_module: Any = pickle,
    pickle_protocol: int = DEFAULT_PROTOCOL,
    _use_new_zipfile_serialization: bool = True,
    _disable_byteorder_record: bool = False,
) -> None:
    """Writes an object with its tensors to a path or file, from which `load`, here or in PyTorch, restores it.

    Views that share memory share it again after loading. At a path the new file replaces the old one atomically, once
    it is on disk: after a crash there is the old file or the new one.

    `_use_new_zipfile_serialization=False` writes the format before the zip archive, which every PyTorch reads.

    Raises AttributeError if `f` is neither path nor file, RuntimeError if its folder does not exist.

    >>> import io
    >>> import rushlight as torch
    >>> file = io.BytesIO()
    >>> torch.save(torch.arange(3), file)
    """
    is_path = isinstance(f, (str, os.PathLike))
    if not is_path and not hasattr(f, "write"):
        raise AttributeError("expected 'f' to be string, path, or a file-like object with a 'write' attribute")
    name = _archive_name(os.fsdecode(f)) if is_path else "archive"
    with replacing(f) if is_path else nullcontext(f) as file:
        if _use_new_zipfile_serialization:
            _write(obj, file, name, pickle_module, pickle_protocol, _disable_byteorder_record)
        else:
            _write_legacy(obj, file, pickle_module, pickle_protocol)
        if hasattr(file, "flush"):
            file.flush()


def _archive_name(path: str) -> str:
    """Returns the file's name without extension: the folder of the records."""
    name = os.path.splitext(os.path.basename(path))[0]
    return name if name and name.isascii() else "archive"


def _write(obj, file, name: str, pickle_module, protocol: int, no_byte_order: bool) -> None:
    memory = Memory()
    pickled = io.BytesIO()
    _pickler(pickle_module)(pickled, protocol, memory).dump(obj)
    archive = ArchiveWriter(file, name)
    archive.write("data.pkl", pickled.getbuffer())
    archive.write(".format_version", b"1")
    archive.write(".storage_alignment", str(ALIGNMENT).encode())
    if not no_byte_order:
        archive.write("byteorder", sys.byteorder.encode())
    for key in memory.roots:
        archive.write(f"data/{key}", memory.content(key).view(np.uint8))
    archive.close()


def _write_legacy(obj, file, pickle_module, protocol: int) -> None:
    """Writes the format before the zip archive: facts about it, the pickle, the keys of the storages, their bytes."""
    if OPTIONS.skip_data:
        raise RuntimeError("Cannot use skip_data=True with _use_new_zipfile_serialization=False")
    memory = Memory(legacy=True)
    writer = _pickler(pickle_module)
    for part in (legacy.MAGIC, legacy.PROTOCOL_VERSION, legacy.SYSTEM, obj):
        writer(file, protocol, memory).dump(part)
    writer(file, protocol, memory).dump(memory.sorted_keys())
    for key in memory.sorted_keys():
        elements = memory.elements(key)
        file.write(struct.pack("<q", elements.size))
        file.write(legacy.little_endian(elements, memory.dtypes[key]).view(np.uint8).data)


class Memory:
    """The root arrays of an object's tensors, numbered in the order of first use.

    A reference of the format before the zip archive has a last item, a view, which has long been None.
    """

    def __init__(self, *, legacy: bool = False):
        self.view = (None,) if legacy else ()
        self.keys: dict[tuple, str] = {}
        self.roots: dict[str, np.ndarray] = {}
        self.dtypes: dict[str, dtype] = {}

    def reference(self, stored: Stored) -> tuple:
        """Returns the pickle's reference to it: ("storage", type, key, location, count)."""
        root, dtype = stored.root, stored.dtype
        root_id = (address(root), root.nbytes) if root.nbytes else (id(root), dtype)
        key = self.keys.setdefault(root_id, str(len(self.keys)))
        self.roots[key] = root
        if self.dtypes.setdefault(key, dtype) is not dtype:
            raise RuntimeError("Cannot save multiple tensors or storages that view the same data as different types")
        # Bytes have their own class, which is that of every storage in memory
        storage_type = UntypedStorage if stored.as_bytes else STORAGE_TYPES[dtype]
        count = extent(root) // dtype.itemsize
        return "storage", storage_type, key, sys.intern(stored.location), count, *self.view

    def elements(self, key: str) -> np.ndarray:
        """Returns an array of the CPU with a key, as elements."""
        root = self.roots[key]
        return elements_of(bytes_of(BACKENDS.of(root).to_cpu(root)), self.dtypes[key].numpy)

    def content(self, key: str) -> np.ndarray:
        """Returns what is written for a key: its elements, or zeros in their place."""
        if OPTIONS.skip_data:
            return np.zeros(extent(self.roots[key]), np.uint8)
        return self.elements(key)

    def sorted_keys(self) -> list[str]:
        """Returns all keys, in the order of the bytes in the old format."""
        return sorted(self.roots)


class Stored:
    """Memory to be pickled: the root array, its dtype, and its device."""

    def __init__(self, root: np.ndarray, element_dtype: dtype, location: str, as_bytes: bool = False):
        self.root, self.location, self.as_bytes = root, location, as_bytes
        self.dtype = dtypes.uint8 if as_bytes else element_dtype


class Naming:
    """Mixed into a module's pickler: makes it write PyTorch's names."""

    def __init__(self, file, protocol: int, memory: Memory):
        super().__init__(file, protocol)  # type: ignore[call-arg]
        self.memory_of_tensors = memory
        self.protocol_number = protocol

    def persistent_id(self, value):
        """Returns the reference to memory; None for other objects, which are pickled."""
        cls = type(value)
        if cls is Stored:
            return self.memory_of_tensors.reference(value)
        if cls is UntypedStorage:
            return self.memory_of_tensors.reference(Stored(value._bytes, dtypes.uint8, location_tag(value), True))
        if cls is TypedStorage:
            location = location_tag(value._untyped_storage)
            return self.memory_of_tensors.reference(Stored(value._untyped_storage._bytes, value.dtype, location))
        return None

    def reducer_override(self, value):
        """Reduces objects that have another form in PyTorch's files."""
        if isinstance(value, Tensor):
            return reduced_tensor(value)
        reduce = REDUCED.get(type(value))
        if reduce is not None:
            return reduce(value)
        if isinstance(value, NAMED):
            name = written_name(value)
            return self._own_reduction(value) if name is None else name[1]
        return self._own_reduction(value)

    def _own_reduction(self, value):
        """Returns the reduction of the module's own pickler."""
        reduce = getattr(super(), "reducer_override", None)
        return NotImplemented if reduce is None else reduce(value)

    def save_global(self, value, name=None):
        """Writes a name, PyTorch's for objects of rushlight; it cannot be checked without PyTorch."""
        written = written_name(value)
        if written is None:
            return super().save_global(value, name)  # type: ignore[misc]
        if self.protocol_number >= 4:
            self.save(written[0])  # type: ignore[attr-defined]
            self.save(written[1])  # type: ignore[attr-defined]
            self.write(pickle.STACK_GLOBAL)  # type: ignore[attr-defined]
        else:
            self.write(pickle.GLOBAL + "\n".join((*written, "")).encode())  # type: ignore[attr-defined]
        self.memoize(value)  # type: ignore[attr-defined]


def _pickler(pickle_module) -> type:
    base = PYTHON_PICKLER if pickle_module.Pickler is pickle.Pickler else pickle_module.Pickler
    if not issubclass(base, PYTHON_PICKLER):
        base = on_python_pickler(base, pickle_module)
    return type("Pickler", (Naming, base), {})


def on_python_pickler(cls: type, pickle_module) -> type:
    """Rebases a pickler class that extends the C one, such as cloudpickle's, on the Python one.

    The C pickler imports the names that it writes, and PyTorch may not be installed. `super()` in a method refers to
    the class that defines it, so each method is copied with the new class.
    """
    if pickle.Pickler not in cls.__bases__:
        raise noted(
            TypeError(f"{pickle_module.__name__}.Pickler cannot write PyTorch's names"),
            "rushlight.save takes picklers that extend the one of pickle, as those of dill and cloudpickle do.",
        )
    bases = tuple(PYTHON_PICKLER if base is pickle.Pickler else base for base in cls.__bases__)
    cell = CellType()
    members = {
        name: with_class(value, cell) if isinstance(value, FunctionType) else value
        for name, value in vars(cls).items()
        if name not in ("__dict__", "__weakref__", "dispatch")  # the Python one has its own
    }
    cell.cell_contents = new_class = type(cls.__name__, bases, members)
    return new_class


def with_class(function: FunctionType, class_cell: CellType) -> FunctionType:
    """Copies a method so that `__class__`, and with it `super()`, refers to the content of `class_cell`."""
    names = function.__code__.co_freevars
    cells = tuple(
        class_cell if name == "__class__" else cell
        for name, cell in zip(names, function.__closure__ or (), strict=True)
    )
    copy = FunctionType(function.__code__, function.__globals__, function.__name__, function.__defaults__, cells)
    copy.__kwdefaults__ = function.__kwdefaults__
    return copy


def reduced_tensor(tensor: Tensor):
    """Reduces a tensor to a call of a function in `rebuild`."""
    cls = type(tensor)
    if tensor._carrier is not None:
        return reduced_sparse(tensor)
    plain = cls is Tensor or cls is Parameter
    if not plain and cls.__reduce_ex__ not in (reduce_ex, Parameter.__reduce_ex__):
        return NotImplemented  # a subclass with its own reduction
    warn_of_hooks(tensor)
    no_hooks: OrderedDict = OrderedDict()
    state = state_of(tensor)
    if issubclass(cls, Parameter):
        data = (tensor.data, tensor.requires_grad, no_hooks)
        return (rebuild.parameter_with_state, (*data, state)) if state else (rebuild.parameter, data)
    function, arguments = _plain(tensor, no_hooks)
    if plain and not state:
        return function, arguments
    return rebuild.from_type, (function, cls, arguments, state or None)


def reduced_sparse(tensor: Tensor):
    """Reduces a sparse tensor, or a parameter that is one, to the tensors of which it consists."""
    if isinstance(tensor, Parameter):
        return rebuild.parameter, (tensor.detach(), tensor.requires_grad, OrderedDict())
    reduced: Any = tensor.__reduce_ex__(DEFAULT_PROTOCOL)
    return rebuild.sparse_tensor, reduced[1]


def _plain(tensor: Tensor, no_hooks: OrderedDict):
    # Each tensor has its own tuples, as in PyTorch: a tuple used twice would be written as a reference.
    size, stride, requires_grad = (*tensor.shape,), (*tensor.stride(),), tensor.requires_grad
    if type(tensor._array) is WrapperArray:
        return wrappers.rebuilt, wrappers.facts_of(tensor)
    if tensor.is_meta:
        return rebuild.meta_tensor, (tensor.dtype, size, stride, requires_grad)
    check_storage(tensor)
    as_bytes = tensor.dtype not in STORAGE_TYPES
    stored = Stored(tensor._memory(), tensor.dtype, location_tag(tensor.untyped_storage()), as_bytes)
    arguments = (stored, tensor.storage_offset(), size, stride, requires_grad, no_hooks)
    marks = dict(zip(("conj", "neg"), marks_of(tensor._array), strict=True))
    metadata = ({name: True for name, marked in marks.items() if marked},) if any(marks.values()) else ()
    if as_bytes:
        return rebuild.tensor_v3, (*arguments, tensor.dtype, *metadata)
    return rebuild.tensor_v2, (*arguments, *metadata)


def _reduced_device(target: device):
    return device, ((target.type,) if target.index is None else (target.type, target.index))


def _reduced_generator(generator: Generator):
    return Generator, (generator.device,), (generator.initial_seed(), None, generator.get_state())


# Types that PyTorch's files write in another form than `__reduce__` gives.
REDUCED = {
    dtype: lambda value: value.name,
    StorageType: lambda value: STORAGE_NAMES[value.dtype],
    device: _reduced_device,
    Size: lambda value: (Size, (tuple(value),)),
    layout: lambda value: (rebuild.layout, (repr(value),)),
    Generator: _reduced_generator,
}
# Objects pickled by name, which may be of rushlight.
NAMED = (type, FunctionType, BuiltinFunctionType)
