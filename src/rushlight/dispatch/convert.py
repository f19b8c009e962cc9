"""From one dtype, device or layout to another, and out of the tensor world."""

from __future__ import annotations

import copy
import warnings

import numpy as np

import rushlight._generated.functions as F
from rushlight.core import dtype as dtypes
from rushlight.core.device import CPU, as_device, device
from rushlight.core.dtype import BY_NAME, DEFAULTS, dtype
from rushlight.core.graph import Leaf
from rushlight.core.storage import Storage, owner
from rushlight.core.strides import contiguous_strides
from rushlight.core.tensor import Tensor, alias, new, wrap
from rushlight.dispatch import inplace
from rushlight.core.formats import CONTIGUOUS, PRESERVE, is_in_format

def to(self, *arguments, **keywords):
    """This tensor in another dtype, on another device, or both; itself if nothing changes.

    Takes a dtype, a device with an optional dtype, or another tensor to be like.

    >>> import rushlight as torch
    >>> torch.ones(2).to(torch.int64)
    tensor([1, 1])
    """
    place, kind, copies, layout = _parsed(arguments, keywords)
    return converted(self, kind, place, copies, layout)


def _parsed(arguments: tuple, keywords: dict):
    keywords = dict(keywords)
    place, kind = keywords.pop("device", None), keywords.pop("dtype", None)
    layout = keywords.pop("memory_format", PRESERVE)
    rest = list(arguments)
    other = keywords.pop("other", None)
    if rest and isinstance(rest[0], Tensor):
        other = rest.pop(0)
    if other is not None:
        place, kind = other.device, other.dtype
    elif rest and isinstance(rest[0], dtype):
        kind = rest.pop(0)
    elif rest:
        place = rest.pop(0)
        if rest and (rest[0] is None or isinstance(rest[0], dtype)):
            kind = rest.pop(0)
    keywords.pop("non_blocking", None)
    copies = keywords.pop("copy", False)
    if rest:
        rest.pop(0)  # non_blocking: every copy is finished when it returns
    if rest:
        copies = rest.pop(0)
    if keywords or rest or not (place is None or isinstance(place, (str, int, device))):
        raise _bad_conversion(arguments)
    return place, kind, copies, layout


def _bad_conversion(arguments) -> TypeError:
    names = ", ".join(type(each).__name__ for each in arguments)
    return TypeError(
        f"to() received an invalid combination of arguments - got ({names}), but expected one of:\n"
        " * (torch.device device = None, torch.dtype dtype = None, bool non_blocking = False, bool copy = False)\n"
        " * (torch.dtype dtype, bool non_blocking = False, bool copy = False)\n"
        " * (Tensor other, bool non_blocking = False, bool copy = False)"
    )


def converted(tensor: Tensor, kind, place, copies: bool = False, layout=PRESERVE) -> Tensor:
    """A tensor in a dtype and on a device; the same object if it is so already and no copy is asked for."""
    place = None if place is None else resolved(place)
    kind = None if kind is None or kind is tensor.dtype else kind
    place = None if place is None or place == tensor.device else place
    if kind is None and place is None and not copies:
        return tensor if layout is PRESERVE or is_in_format(tensor, layout) else contiguous(tensor, memory_format=layout)
    if kind is not None and tensor.is_complex() and not kind.is_complex:
        warnings.warn("Casting complex values to real discards the imaginary part", UserWarning, stacklevel=3)
    result = F.to_copy(tensor, None if kind is None else kind.numpy, place)
    return result if layout is PRESERVE or is_in_format(result, layout) else contiguous(result, memory_format=layout)


def resolved(place) -> device:
    """A device with its index, where the kind has numbered devices."""
    place = as_device(place)
    return device("cuda", 0) if place.type == "cuda" and place.index is None else place


def cpu(self, memory_format=PRESERVE):
    """This tensor in the CPU's memory; itself if it is there already."""
    return converted(self, None, CPU, layout=memory_format)


def cuda(self, device=None, non_blocking=False, memory_format=PRESERVE):
    """This tensor on the GPU."""
    return converted(self, None, "cuda" if device is None else device, layout=memory_format)


def type_(self, dtype=None, non_blocking=False, **keywords):
    """The legacy type name of this tensor, or the tensor converted to a dtype or legacy type."""
    if dtype is None:
        module = "torch.cuda" if self.is_cuda else "torch"
        return f"{module}.{dtypes.SCALAR_NAMES[self.dtype]}Tensor"
    return converted(self, dtype_of_type(dtype), None)


def dtype_of_type(kind) -> dtype:
    """The dtype that a dtype, a legacy tensor type or its name stands for."""
    if isinstance(kind, dtype):
        return kind
    if isinstance(kind, str):
        name = kind.removeprefix("torch.").removeprefix("cuda.").removesuffix("Tensor")
        for found, scalar in dtypes.SCALAR_NAMES.items():
            if scalar == name or repr(found) == kind:
                return found
        if name == "":
            return DEFAULTS.floating
        raise ValueError(f"invalid type: '{kind}'")
    if kind is Tensor:
        return DEFAULTS.floating
    return kind.dtype


def type_as(self, other):
    """This tensor in the dtype and on the device of another."""
    return converted(self, other.dtype, other.device)


def _caster(name: str, kind: dtype):
    def method(self, memory_format=PRESERVE):
        return converted(self, kind, None, layout=memory_format)

    method.__name__ = name
    method.__doc__ = f"This tensor as `{kind.name}`."
    return method


CASTERS = {
    name: _caster(name, kind)
    for name, kind in {
        "float": dtypes.float32, "double": dtypes.float64, "half": dtypes.float16, "bfloat16": dtypes.bfloat16,
        "int": dtypes.int32, "long": dtypes.int64, "short": dtypes.int16, "char": dtypes.int8, "byte": dtypes.uint8,
        "bool": dtypes.bool, "cfloat": dtypes.complex64, "cdouble": dtypes.complex128,
    }.items()
}  # fmt: skip


def contiguous(self, memory_format=CONTIGUOUS):
    """This tensor with its elements in order; itself if they are already."""
    if is_in_format(self, memory_format):
        return self
    return F.clone(self, memory_format=memory_format)


def is_contiguous(self, memory_format=CONTIGUOUS) -> bool:
    """Whether the elements lie in order."""
    return is_in_format(self, memory_format)


def pin_memory(self, device=None):
    """The tensor itself: without a GPU there is nothing to pin for."""
    return self


def is_pinned(self, device=None) -> bool:
    """Never, without a GPU."""
    return False


def share_memory_(self):
    """The tensor itself; memory is shared between processes when it is sent."""
    return self


def copy_(self, src, non_blocking=False):
    """Writes the values of `src`, broadcast and cast, into this tensor."""
    if not isinstance(src, Tensor):
        raise TypeError(f"copy_(): argument 'other' (position 1) must be Tensor, not {type(src).__name__}")
    if src.device != self.device:
        src = converted(src, None, self.device)
    return inplace.write(F.copy_values, self, (src,), {})


def requires_grad_like(copied: Tensor, source: Tensor) -> Tensor:
    """Carries `requires_grad`, `grad` and attributes over to a copy."""
    if isinstance(source._edge, Leaf):
        copied.requires_grad = True
    return copied


def deepcopy(self, memo):
    """A copy with memory of its own; only tensors without history can be copied so."""
    if id(self) in memo:
        return memo[id(self)]
    if not self.is_leaf:
        error = RuntimeError(
            "Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol at the moment.  If "
            "you were attempting to deepcopy a module, this may be because of a torch.nn.utils.weight_norm usage, see "
            "https://github.com/pytorch/pytorch/pull/103001"
        )
        error.add_note("This tensor is the result of an operation: copy tensor.detach(), or use tensor.clone().")
        raise error
    copied = new(type(self))
    memo[id(self)] = copied
    copied._storage, copied._array = _copied_memory(self, memo)
    requires_grad_like(copied, self)
    if self.is_leaf and self.grad is not None:
        copied.grad = copy.deepcopy(self.grad, memo)
    for name, value in vars(self).items():
        if name not in INTERNAL:
            setattr(copied, name, copy.deepcopy(value, memo))
    return copied


INTERNAL = frozenset(("_array", "_storage", "_edge", "_base", "_path", "_creation", "_generation", "_grad"))


def _copied_memory(tensor: Tensor, memo: dict):
    """Tensors that share memory share it again after the copy."""
    array = tensor._array
    if type(array) is not np.ndarray:
        return Storage(), array.copy()
    root = owner(array) if tensor._storage.memory is None else tensor._storage.memory
    key = ("rushlight memory", id(root))
    if key not in memo:
        memo[key] = (Storage(), root.copy(order="K"), root)
    storage, copied, _ = memo[key]
    offset = array.__array_interface__["data"][0] - root.__array_interface__["data"][0]
    if not array.size or array.nbytes > copied.nbytes or copied.dtype != root.dtype or offset < 0:
        return Storage(), array.copy(order="K")
    return storage, np.ndarray(array.shape, array.dtype, copied.data if copied.flags.c_contiguous else copied, offset,
                               array.strides)  # fmt: skip


def reduce_ex(self, protocol):
    """How a tensor is pickled: the memory once, and where in it the tensor lies."""
    if not self.is_leaf:
        raise RuntimeError("Only Tensors created explicitly by the user (graph leaves) can be pickled")
    array = self.detach().cpu()._array
    root = owner(array)
    offset = (array.__array_interface__["data"][0] - root.__array_interface__["data"][0]) if array.size else 0
    attributes = {name: value for name, value in vars(self).items() if name not in INTERNAL}
    kind = self.dtype.name
    return rebuild, (type(self), root, offset, array.shape, array.strides, kind,
                     self.requires_grad, attributes)  # fmt: skip


def rebuild(kind, root, offset, shape, strides, dtype_name, requires_grad, attributes):
    """A tensor from its pickle."""
    array = np.ndarray(shape, BY_NAME[dtype_name].numpy, root, offset, strides)
    tensor = alias(wrap(array), kind)
    if requires_grad:
        tensor.requires_grad = True
    tensor.__dict__.update(attributes)
    return tensor


def set_(self, source=None, storage_offset=0, size=None, stride=None):
    """Makes this tensor look into the memory of another."""
    if source is None:
        self._array = np.empty(0, self._array.dtype)
        self._storage = Storage()
        return self
    if source.dtype is not self.dtype:
        raise RuntimeError(
            f"Could not set tensor of type {dtypes.C_NAMES[source.dtype]} to a tensor of type {dtypes.C_NAMES[self.dtype]}"
        )
    array = source._array
    if size is not None:
        size = tuple(size)
        steps = contiguous_strides(size) if stride is None else tuple(stride)
        root = owner(array)
        array = np.ndarray(size, array.dtype, root, storage_offset * array.itemsize, [s * array.itemsize for s in steps])
    version = self._storage.version
    self._array, self._storage = array, source._storage
    self._storage.version = max(version, source._storage.version) + 1
    if isinstance(self._edge, Leaf):
        self._edge.hold(self)
    return self


def resize_(self, *size, memory_format=CONTIGUOUS):
    """Another shape for this tensor, in place; elements beyond the old ones are undefined."""
    size = tuple(size[0]) if len(size) == 1 and not isinstance(size[0], int) else size
    if self.requires_grad:
        raise RuntimeError("cannot resize variables that require grad")
    needed = int(np.prod(size, dtype=np.int64))
    root = owner(self._array)
    if root.size < needed:
        grown = np.empty(needed, self._array.dtype)
        flat = self._array.reshape(-1)
        grown[: flat.size] = flat
        root = grown
    self._array = root.reshape(-1)[:needed].reshape(size)
    self._storage.version += 1
    return self


def resize_as_(self, the_template, memory_format=CONTIGUOUS):
    """The shape of another tensor for this one, in place."""
    return resize_(self, tuple(the_template.shape))


METHODS = {
    "to": to, "cpu": cpu, "cuda": cuda, "type": type_, "type_as": type_as, "contiguous": contiguous,
    "is_contiguous": is_contiguous, "pin_memory": pin_memory, "is_pinned": is_pinned, "share_memory_": share_memory_,
    "copy_": copy_, "set_": set_, "resize_": resize_, "resize_as_": resize_as_, "__deepcopy__": deepcopy,
    "__reduce_ex__": reduce_ex, **CASTERS,
}  # fmt: skip


def attach() -> None:
    """Gives Tensor these methods; called once by the package root."""
    for name, function in METHODS.items():
        setattr(Tensor, name, function)

