"""`torch.save`: the object as a pickle in PyTorch's names, and beside it the memory that its tensors look into."""

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

from rushlight.core import dtype as dtypes
from rushlight.core.device import BACKENDS, device
from rushlight.core.dtype import STORAGE_NAMES, dtype
from rushlight.core.errors import noted
from rushlight.core.generator import Generator
from rushlight.core.lazy_conj_neg import marks_of
from rushlight.core.shape_queries import layout
from rushlight.core.size import Size
from rushlight.core.storage import address
from rushlight.core.tensor import OWN_ATTRIBUTES, Parameter, Tensor
from rushlight.memory.layout import bytes_of, elements_of
from rushlight.memory.pickling import reduce_ex, warn_of_hooks
from rushlight.memory.typed_storage import TypedStorage
from rushlight.memory.untyped_storage import UntypedStorage
from rushlight.serialization import legacy, rebuild
from rushlight.serialization.archive import ALIGNMENT, ArchiveWriter
from rushlight.serialization.atomic import replacing
from rushlight.serialization.names import STORAGE_TYPES, written_name
from rushlight.serialization.rebuild import StorageType

DEFAULT_PROTOCOL = 2
# Python's own pickler in its Python form: the one written in C offers no way to choose the name of a class.
PYTHON_PICKLER = pickle._Pickler  # type: ignore[attr-defined]


def save(
    obj: object,
    f: Any,
    pickle_module: Any = pickle,
    pickle_protocol: int = DEFAULT_PROTOCOL,
    _use_new_zipfile_serialization: bool = True,
    _disable_byteorder_record: bool = False,
) -> None:
    """Writes an object with its tensors to a path or file, so that `load`, here or in PyTorch, gives it back.

    Views that share memory share it again after loading. At a path the new file takes the place of the old one only
    when it is whole and on the disk: after a crash there is the old file or the new one.

    `_use_new_zipfile_serialization=False` writes the format before the zip archive, which every PyTorch reads.

    Raises AttributeError if `f` is neither path nor file, RuntimeError if its folder is not there.

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
    """The file's name without its ending: the folder that one finds on unpacking it."""
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
        archive.write(f"data/{key}", memory.elements(key).view(np.uint8))
    archive.close()


def _write_legacy(obj, file, pickle_module, protocol: int) -> None:
    """The format before the zip archive: facts about it, the pickle, the keys of the storages, and their bytes."""
    memory = Memory(legacy=True)
    writer = _pickler(pickle_module)
    for each in (legacy.MAGIC, legacy.PROTOCOL_VERSION, legacy.SYSTEM, obj):
        writer(file, protocol, memory).dump(each)
    writer(file, protocol, memory).dump(memory.sorted_keys())
    for key in memory.sorted_keys():
        elements = memory.elements(key)
        file.write(struct.pack("<q", elements.size))
        file.write(legacy.little_endian(elements, memory.dtypes[key]).view(np.uint8).data)


class Memory:
    """The pieces of memory that the tensors of an object look into, numbered as they are met.

    A reference of the format before the zip archive has a last part, a view, which has long been None.
    """

    def __init__(self, *, legacy: bool = False):
        self.view = (None,) if legacy else ()
        self.keys: dict[tuple, str] = {}
        self.roots: dict[str, np.ndarray] = {}
        self.dtypes: dict[str, dtype] = {}

    def reference(self, stored: Stored) -> tuple:
        """How the pickle refers to it: ("storage", type, key, location, count)."""
        root, kind = stored.root, stored.dtype
        place = (address(root), root.nbytes) if root.nbytes else (id(root), kind)
        key = self.keys.setdefault(place, str(len(self.keys)))
        self.roots[key] = root
        if self.dtypes.setdefault(key, kind) is not kind:
            raise RuntimeError("Cannot save multiple tensors or storages that view the same data as different types")
        # Bytes are of a class of their own, as every storage is in memory
        storage_type = UntypedStorage if stored.as_bytes else STORAGE_TYPES[kind]
        count = root.nbytes // kind.itemsize
        return "storage", storage_type, key, sys.intern(stored.location), count, *self.view

    def elements(self, key: str) -> np.ndarray:
        """A piece of memory in the CPU's, as elements."""
        root = self.roots[key]
        return elements_of(bytes_of(BACKENDS.of(root).to_cpu(root)), self.dtypes[key].numpy)

    def sorted_keys(self) -> list[str]:
        """All keys, in the order in which the old format has the bytes."""
        return sorted(self.roots)


class Stored:
    """Memory as the pickle meets it: the root array, what it is read as, and where it was."""

    def __init__(self, root: np.ndarray, kind: dtype, location: str, as_bytes: bool = False):
        self.root, self.location, self.as_bytes = root, location, as_bytes
        self.dtype = dtypes.uint8 if as_bytes else kind


class Naming:
    """What makes a pickler write PyTorch's names: mixed into the pickler of a module."""

    def __init__(self, file, protocol: int, memory: Memory):
        super().__init__(file, protocol)  # type: ignore[call-arg]
        self.memory_of_tensors = memory
        self.protocol_number = protocol

    def persistent_id(self, value):
        """Memory is referred to; everything else is pickled."""
        kind = type(value)
        if kind is Stored:
            return self.memory_of_tensors.reference(value)
        if kind is UntypedStorage:
            return self.memory_of_tensors.reference(Stored(value._bytes, dtypes.uint8, str(value.device), True))
        if kind is TypedStorage:
            place = str(value._untyped_storage.device)
            return self.memory_of_tensors.reference(Stored(value._untyped_storage._bytes, value.dtype, place))
        return None

    def reducer_override(self, value):
        """How to pickle what has another form in PyTorch's files."""
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
        """What the pickler of the module itself makes of a value."""
        reduce = getattr(super(), "reducer_override", None)
        return NotImplemented if reduce is None else reduce(value)

    def save_global(self, value, name=None):
        """Writes a name, PyTorch's where the value is ours; it cannot be checked without PyTorch."""
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


def on_python_pickler(kind: type, pickle_module) -> type:
    """A pickler that extends the one in C, such as that of cloudpickle, as an extension of the one in Python.

    The one in C imports what it names, and PyTorch's names may not be there. `super()` in a method means the class that
    the method was written in, so each method gets the new class in its place.
    """
    if pickle.Pickler not in kind.__bases__:
        raise noted(
            TypeError(f"{pickle_module.__name__}.Pickler cannot write PyTorch's names"),
            "rushlight.save takes picklers that extend the one of pickle, as those of dill and cloudpickle do.",
        )
    bases = tuple(PYTHON_PICKLER if each is pickle.Pickler else each for each in kind.__bases__)
    here = CellType()
    members = {
        name: with_class(value, here) if isinstance(value, FunctionType) else value
        for name, value in vars(kind).items()
        if name not in ("__dict__", "__weakref__", "dispatch")  # of which the one in Python has its own
    }
    here.cell_contents = made = type(kind.__name__, bases, members)
    return made


def with_class(function: FunctionType, here: CellType) -> FunctionType:
    """A method, for which `__class__` and with it `super()` mean what `here` holds."""
    names = function.__code__.co_freevars
    cells = tuple(
        here if name == "__class__" else cell for name, cell in zip(names, function.__closure__ or (), strict=True)
    )
    made = FunctionType(function.__code__, function.__globals__, function.__name__, function.__defaults__, cells)
    made.__kwdefaults__ = function.__kwdefaults__
    return made


def reduced_tensor(tensor: Tensor):
    """A tensor as a call of one of the functions of `rebuild`."""
    kind = type(tensor)
    plain = kind is Tensor or kind is Parameter
    if not plain and kind.__reduce_ex__ not in (reduce_ex, Parameter.__reduce_ex__):
        return NotImplemented  # a subclass that knows better
    warn_of_hooks(tensor)
    no_hooks: OrderedDict = OrderedDict()
    state = {name: value for name, value in vars(tensor).items() if name not in OWN_ATTRIBUTES}
    if issubclass(kind, Parameter):
        data = (tensor.data, tensor.requires_grad, no_hooks)
        return (rebuild.parameter_with_state, (*data, state)) if state else (rebuild.parameter, data)
    function, arguments = _plain(tensor, no_hooks)
    if plain and not state:
        return function, arguments
    return rebuild.from_type, (function, kind, arguments, state or None)


def _plain(tensor: Tensor, no_hooks: OrderedDict):
    # Each tensor has tuples of its own, as in PyTorch: one that comes again would be written as a reference.
    size, stride, requires_grad = (*tensor.shape,), (*tensor.stride(),), tensor.requires_grad
    if tensor.is_meta:
        return rebuild.meta_tensor, (tensor.dtype, size, stride, requires_grad)
    as_bytes = tensor.dtype not in STORAGE_TYPES
    stored = Stored(tensor._memory(), tensor.dtype, str(tensor.device), as_bytes)
    arguments = (stored, tensor.storage_offset(), size, stride, requires_grad, no_hooks)
    marks = dict(zip(("conj", "neg"), marks_of(tensor._array), strict=True))
    metadata = ({name: True for name, marked in marks.items() if marked},) if any(marks.values()) else ()
    if as_bytes:
        return rebuild.tensor_v3, (*arguments, tensor.dtype, *metadata)
    return rebuild.tensor_v2, (*arguments, *metadata)


def _reduced_device(place: device):
    return device, ((place.type,) if place.index is None else (place.type, place.index))


def _reduced_generator(generator: Generator):
    return Generator, (generator.device,), (generator.initial_seed(), None, generator.get_state())


# Types of ours that PyTorch's files spell in another way than `__reduce__` does.
REDUCED = {
    dtype: lambda value: value.name,
    StorageType: lambda value: STORAGE_NAMES[value.dtype],
    device: _reduced_device,
    Size: lambda value: (Size, (tuple(value),)),
    layout: lambda value: (rebuild.layout, (repr(value),)),
    Generator: _reduced_generator,
}
# What is pickled by name, where the name may be ours.
NAMED = (type, FunctionType, BuiltinFunctionType)
