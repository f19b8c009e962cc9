"""The functions that a checkpoint calls, once per object: they rebuild tensors and other objects from stored memory.

Their names in the file are those of `torch._utils`. Their arguments come from the file, which may be hostile, so each
checks all arguments before it creates anything.
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from contextvars import ContextVar
from functools import partial
from importlib import import_module
from pickle import UnpicklingError

from rushlight._library import wrappers
from rushlight.core.device import resolved
from rushlight.core.dtype import dtype
from rushlight.core.lazy_conj_neg import unresolved
from rushlight.core.shape_queries import named_layout
from rushlight.core.size import Size
from rushlight.core.slots import own_slots
from rushlight.core.tensor import OWN_ATTRIBUTES, Parameter, Tensor, alias, as_subclass, look_at
from rushlight.create.conversion import converted
from rushlight.create.filled import empty
from rushlight.memory.typed_storage import TypedStorage

LARGEST = 2**63 - 1
# In a file of the format before the zip archive the elements come last: checks of them wait until they are there.
CHECKED_LATER: ContextVar[list | None] = ContextVar("rushlight.checked_later", default=None)
MOST_PARTS = 10_000


class NoTensor(UnpicklingError):
    """The file holds a tensor of a kind that rushlight lacks."""

    def __init__(self, kind: str):
        super().__init__(f"rushlight has no {kind} tensors")
        self.kind = kind


class Unreadable:
    """Replaces the functions that rebuild, or describe, tensors of a kind that rushlight lacks."""

    def __init__(self, kind: str):
        self.kind = kind
        self.__name__ = f"a {kind} tensor"

    def __call__(self, *arguments, **keywords):
        raise NoTensor(self.kind)


class Jagged:
    """Replaces a class of which nested tensors hold an object."""

    def __new__(cls, *arguments):
        raise NoTensor("nested")


QUANTIZED, NESTED = Unreadable("quantized"), Unreadable("nested")


class StorageType:
    """Replaces `FloatStorage` and similar classes in a file: they only give the dtype of the memory."""

    __module__ = "torch.serialization"

    def __init__(self, dtype: dtype) -> None:
        self.dtype = dtype

    def __str__(self) -> str:
        return f"StorageType(dtype={self.dtype})"


def tensor_v1(storage, storage_offset, size, stride) -> Tensor:
    """Rebuilds a tensor as a view of stored memory."""
    return _view(storage, storage_offset, size, stride, None)


def tensor_v2(storage, storage_offset, size, stride, requires_grad, backward_hooks, metadata=None) -> Tensor:
    """Rebuilds a tensor with `requires_grad`; `metadata` holds lazy conjugation and negation."""
    return _finished(_view(storage, storage_offset, size, stride, None), requires_grad, metadata)


def tensor_v3(storage, storage_offset, size, stride, requires_grad, backward_hooks, dtype, metadata=None) -> Tensor:
    """Rebuilds a tensor of a dtype without storage type: the storage is one of bytes."""
    return _finished(_view(storage, storage_offset, size, stride, _a_dtype(dtype)), requires_grad, metadata)


def meta_tensor(dtype, size, stride, requires_grad) -> Tensor:
    """Rebuilds a meta tensor, which has no memory in the file."""
    size, stride = _lengths(size), _lengths(stride)
    reach = 0 if 0 in size else 1 + sum((length - 1) * step for length, step in zip(size, stride, strict=False))
    base = empty(_lengths((reach,)), dtype=_a_dtype(dtype), device="meta")
    return _finished(_strided(base, size, stride, 0), requires_grad, None)


def tensor_of_device(data, dtype, device, requires_grad) -> Tensor:
    """Rebuilds a tensor that was copied to the CPU to be stored."""
    return _finished(converted(_a_tensor(data), _a_dtype(dtype), resolved(device)), requires_grad, None)


SPARSE_PARTS = {
    "sparse_coo": (3, 4), "sparse_csr": (4,), "sparse_csc": (4,), "sparse_bsr": (4,), "sparse_bsc": (4,)
}  # fmt: skip


def sparse_tensor(layout, parts) -> Tensor:
    """Rebuilds a tensor of a sparse layout from its indices, values and size, which its constructor checks."""
    count = SPARSE_PARTS.get(str(getattr(layout, "name", None)))
    if count is None:
        raise UnpicklingError(f"no sparse tensor has the layout {layout!r:.80}")
    if type(parts) is not tuple or len(parts) not in count:
        raise UnpicklingError(f"a tensor of layout {layout} consists of {count[-1]} parts")
    tensors = parts[:2] if layout.name == "sparse_coo" else parts[:3]
    if any(type(each) is not Tensor for each in tensors):
        raise UnpicklingError("the indices and values of a sparse tensor are dense tensors")
    rest = parts[len(tensors) :]
    flags = [_a_bool(each) for each in rest[1:]]
    pickling = import_module("rushlight.sparse.pickling")
    parts = (*tensors, _lengths(rest[0]), *flags)
    if any(each.is_meta for each in tensors):
        return pickling.unchecked(layout, parts)  # of which only the contents are listed
    if (later := CHECKED_LATER.get()) is None:
        return pickling.rebuild(layout, parts)
    later.append(partial(pickling.rebuild, layout, parts))  # which raises, once the memory has its elements
    return pickling.unchecked(layout, parts)


def sparse_csr_tensor(layout, parts) -> Tensor:
    """Rebuilds a tensor of layout CSR from a file of an older PyTorch."""
    return sparse_tensor(layout, parts)


def parameter(data, requires_grad, backward_hooks) -> Parameter:
    """Rebuilds a parameter on the memory of a tensor."""
    return Parameter(_a_tensor(data), _a_bool(requires_grad))


def new_parameter(data=None, requires_grad=True) -> Parameter:
    """Creates a parameter as the class itself does."""
    return Parameter(None if data is None else _a_tensor(data), _a_bool(requires_grad))


def parameter_with_state(data, requires_grad, backward_hooks, state) -> Parameter:
    """Rebuilds a parameter with attributes."""
    return _with_state(parameter(data, requires_grad, backward_hooks), state)


def from_type(function, new_type, arguments, state):
    """Rebuilds a tensor of a subclass, or with attributes, from a plain one made by a function above."""
    if isinstance(function, Unreadable):
        function()
    if not any(function is rebuilder for rebuilder in REBUILDERS):
        raise UnpicklingError(f"{function!r} does not rebuild tensors")
    if not (isinstance(new_type, type) and issubclass(new_type, Tensor)) or type(arguments) is not tuple:
        raise UnpicklingError(f"{new_type!r} is no class of tensors")
    tensor = function(*arguments)
    if type(tensor) is not new_type:
        tensor = as_subclass(alias(tensor) if type(tensor) is not Tensor else tensor, new_type)
    if new_type.__setstate__ is not Tensor.__setstate__:
        tensor.__setstate__(state)
        return tensor
    return _with_state(tensor, state)


def layout(name):
    """Returns the memory layout with a name. Raises UnpicklingError if there is none."""
    result = named_layout(str(name).removeprefix("torch."))
    if result is None:
        raise UnpicklingError(f"rushlight has no tensors of layout {name}")
    return result


def size(lengths=()) -> Size:
    """Rebuilds a shape."""
    return Size(_lengths(lengths))


def encoded(text, encoding="utf-8") -> bytes:
    """Decodes bytes of protocol 2: text in Latin-1."""
    if type(text) is not str or encoding not in ("latin1", "latin-1", "utf-8", "ascii"):
        raise UnpicklingError("only text is encoded, and to Latin-1 or UTF-8 only")
    return text.encode(encoding)


def byte_array(content=b"", encoding="latin-1") -> bytearray:
    """Rebuilds a bytearray from content; never from an integer, which would allocate that many zeros."""
    return bytearray(content if isinstance(content, bytes) else encoded(content, encoding))


def ordered_dict(items=()) -> OrderedDict:
    """Rebuilds an OrderedDict whose keys are safe to hash."""
    return OrderedDict([_pair(item) for item in _elements(items)])


def counter(counts=()) -> Counter:
    """Rebuilds a Counter whose keys are safe to hash."""
    if isinstance(counts, dict):
        return Counter(counts)
    return Counter([safe_key(item) for item in _elements(counts)])


def set_of(elements=()) -> set:
    """Rebuilds a set whose elements are safe to hash."""
    return {safe_key(element) for element in _elements(elements)}


def safe_key(key):
    """Returns a key that is safe to hash: Python hashes nested tuples by recursion, and deep ones overflow the stack.

    Raises UnpicklingError for a tuple of too many parts, or an unhashable key.
    """
    pending, parts = [key], 0
    while pending:
        part = pending.pop()
        parts += 1
        if parts > MOST_PARTS:
            raise UnpicklingError("a key of a dictionary or set is nested too deeply")
        if isinstance(part, tuple):
            pending.extend(part)
        elif isinstance(part, (list, dict, set, bytearray)):
            raise UnpicklingError(f"unhashable type: {type(part).__name__!r}")
    return key


def _pair(item) -> tuple:
    if not isinstance(item, (list, tuple)) or len(item) != 2:
        raise UnpicklingError("an OrderedDict is made of pairs")
    return safe_key(item[0]), item[1]


def _elements(container):
    if isinstance(container, dict):
        return container.items()
    if not isinstance(container, (list, tuple, set, str)):
        raise UnpicklingError(f"{type(container).__name__} has no elements to collect")
    return container


def _view(storage, offset, size, stride, element_dtype: dtype | None) -> Tensor:
    if not isinstance(storage, TypedStorage):
        raise UnpicklingError(f"a tensor needs a storage, but the file gives it {type(storage).__name__}")
    (offset,), size, stride = _lengths((offset,)), _lengths(size), _lengths(stride)
    memory = storage._untyped_storage
    base = memory.as_tensor(element_dtype or storage.dtype)
    base._storage = memory.counted
    return _strided(base, size, stride, offset)


def _strided(base: Tensor, size: tuple, stride: tuple, offset: int) -> Tensor:
    if len(size) != len(stride):
        raise RuntimeError(
            f"mismatch in length of strides and shape: the shape is {list(size)}, the strides {list(stride)}"
        )
    try:
        return alias(base.as_strided(size, stride, offset))
    except ValueError as error:
        raise UnpicklingError(f"no tensor has the shape {list(size)} with strides {list(stride)}") from error


def _finished(tensor: Tensor, requires_grad, metadata) -> Tensor:
    if metadata is not None and (not isinstance(metadata, dict) or not metadata.keys() <= {"conj", "neg"}):
        raise UnpicklingError("the metadata of a tensor tells of conj and neg only")
    pending = metadata or {}
    look_at(tensor, unresolved(tensor._array, conj=bool(pending.get("conj")), neg=bool(pending.get("neg"))))
    if _a_bool(requires_grad):
        tensor.requires_grad = True
    return tensor


def _with_state(tensor: Tensor, state):
    """Sets the attributes of a tensor, except those of its implementation."""
    own, slots = state if isinstance(state, tuple) and len(state) == 2 else (state, None)
    for attributes in (own, slots):
        if attributes is None:
            continue
        if not isinstance(attributes, dict) or not all(isinstance(name, str) for name in attributes):
            raise UnpicklingError("the attributes of a tensor are no dictionary of names")
        if attributes.keys() & OWN_ATTRIBUTES:
            raise UnpicklingError("the file sets attributes by which tensors work")
        in_slots = own_slots(type(tensor), Tensor)
        for name, value in attributes.items():
            if name in in_slots:
                setattr(tensor, name, value)
            else:
                tensor.__dict__[name] = value
    return tensor


def _lengths(values) -> tuple[int, ...]:
    """Returns sizes, strides or offsets. Raises UnpicklingError unless they are integers in the range of an index."""
    if not isinstance(values, (tuple, list)) or not all(type(n) is int for n in values):
        raise UnpicklingError(f"sizes and strides are tuples of whole numbers, not {type(values).__name__}")
    if any(not 0 <= n <= LARGEST for n in values):
        raise UnpicklingError(f"no tensor has sizes, strides or offsets like {tuple(values)}")
    return tuple(values)


def _a_tensor(value) -> Tensor:
    if not isinstance(value, Tensor):
        raise UnpicklingError(f"expected a tensor, but the file gives {type(value).__name__}")
    return value


def _a_dtype(value) -> dtype:
    if not isinstance(value, dtype):
        raise UnpicklingError(f"expected a dtype, but the file gives {type(value).__name__}")
    return value


def _a_bool(value) -> bool:
    if type(value) is not bool:
        raise UnpicklingError(f"expected True or False, but the file gives {type(value).__name__}")
    return value


REBUILDERS = (
    tensor_v1, tensor_v2, tensor_v3, meta_tensor, tensor_of_device, sparse_tensor, parameter, parameter_with_state,
    wrappers.rebuilt,
)  # fmt: skip
