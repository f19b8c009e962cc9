"""From one dtype, device or layout to another, and out of the tensor world."""

from __future__ import annotations

import copy
import warnings
from importlib import import_module
from numbers import Number

import numpy as np

import rushlight._generated.functions as F
from rushlight.arrays.layouts import suggested_format
from rushlight.core import dtype as dtypes
from rushlight.core.device import CPU, as_device, device, resolved
from rushlight.core.dtype import BY_NAME, DEFAULTS, dtype
from rushlight.core.errors import noted
from rushlight.core.formats import CONTIGUOUS, PRESERVE, check_format, is_in_format
from rushlight.core.formats import memory_format as MemoryFormat
from rushlight.core.graph import Leaf
from rushlight.core.lazy_conj_neg import marks_of, unresolved
from rushlight.core.storage import Storage
from rushlight.core.tables import objects
from rushlight.core.tensor import OWN_ATTRIBUTES, PLAIN_TYPES, Tensor, alias, wrap
from rushlight.core.warn_once import COMPLEX_HALF, warn_once
from rushlight.declarations.promote import PYTHON_DTYPES, as_dtype
from rushlight.dispatch import in_place_numbers, inplace
from rushlight.dispatch.memory import bytes_of, copied_memory, in_memory, memory_and_layout
from rushlight.dispatch.message import type_name


def to(self, *arguments, **keywords):
    """This tensor in another dtype, on another device, or both; itself if nothing changes.

    Takes a dtype, a device with an optional dtype, or another tensor to be like.

    >>> import rushlight as torch
    >>> torch.ones(2).to(torch.int64)
    tensor([1, 1])
    """
    if len(arguments) == 1 and not keywords:
        place = arguments[0]
        if type(place) is dtype:
            return converted(self, place, None)
        if type(place) is device or type(place) is str:
            return converted(self, None, place)
    place, kind, _, copies, layout = _parsed(arguments, keywords)
    return converted(self, kind, place, copies, PRESERVE if layout is None else layout)


def conversion_of(arguments: tuple, keywords: dict) -> tuple:
    """What a call of `to` asks for: device, dtype, non_blocking, memory format; None where it does not."""
    place, kind, without_waiting, _, layout = _parsed(arguments, keywords)
    return None if place is None else as_device(place), kind, without_waiting, layout


def _parsed(arguments: tuple, keywords: dict):
    keywords = dict(keywords)
    place, kind = keywords.pop("device", None), keywords.pop("dtype", None)
    layout = keywords.pop("memory_format", None)
    rest = list(arguments)
    other = keywords.pop("other", None)
    if rest and isinstance(rest[0], Tensor):
        other = rest.pop(0)
    if other is not None:
        place, kind = other.device, other.dtype
    elif rest and _is_dtype(rest[0]):
        kind = rest.pop(0)
    elif rest:
        place = rest.pop(0)
        if rest and (rest[0] is None or _is_dtype(rest[0])):
            kind = rest.pop(0)
    without_waiting = keywords.pop("non_blocking", False)  # every copy is finished when it returns
    copies = keywords.pop("copy", False)
    if rest and isinstance(rest[0], bool):
        without_waiting = rest.pop(0)
    if rest and isinstance(rest[0], bool):
        copies = rest.pop(0)
    if keywords or rest or not (place is None or isinstance(place, (str, int, device))):
        raise _bad_conversion(arguments)
    return place, as_dtype("to", kind), without_waiting, copies, layout


def _is_dtype(value) -> bool:
    return isinstance(value, dtype) or (isinstance(value, type) and value in PYTHON_DTYPES)


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
        same = layout is PRESERVE or layout is suggested_format(tensor._array)
        return tensor if same else F.clone(tensor, memory_format=layout)
    if kind is dtypes.complex32:
        warn_once(COMPLEX_HALF)
    if kind is not None and tensor.is_complex() and not kind.is_complex:
        warnings.warn("Casting complex values to real discards the imaginary part", UserWarning, stacklevel=3)
    if kind is not None and kind.category < dtypes.FLOAT:
        # No gradient comes back through whole numbers
        tensor = alias(tensor, type(tensor))
    result = F.to_copy(tensor, None if kind is None else kind.numpy, place)
    return result if layout is PRESERVE or is_in_format(result, layout) else contiguous(result, memory_format=layout)


def to_dense(self, dtype=None, *, masked_grad=None):
    """This tensor, which is dense already; converted if it has another dtype.

    >>> import rushlight as torch
    >>> torch.ones(2).to_dense()
    tensor([1., 1.])
    """
    return converted(self, as_dtype("to_dense", dtype), None)


def cpu(self, memory_format=PRESERVE):
    """This tensor in the CPU's memory; itself if it is there already."""
    return converted(self, None, CPU, layout=memory_format)


def cuda(self, device=None, non_blocking=False, memory_format=PRESERVE):
    """This tensor on the GPU."""
    return converted(self, None, "cuda" if device is None else device, layout=memory_format)


def type_(self, dtype=None, non_blocking=False, **keywords):
    """The legacy type name of this tensor, or the tensor converted to a dtype or legacy type."""
    if keywords:
        raise TypeError(f"type() got an unexpected keyword argument '{next(iter(keywords))}'")
    if not isinstance(non_blocking, bool):
        words = f"argument 'non_blocking' (position 2) must be bool, not {type_name(non_blocking)}"
        raise TypeError(f"type(): {words}")
    if dtype is None:
        module = "torch.cuda" if self.is_cuda else "torch"
        return f"{module}.{dtypes.SCALAR_NAMES[self.dtype]}Tensor"
    return converted(self, dtype_of_type(dtype), place_of_type(dtype))


def place_of_type(kind) -> str | None:
    """The kind of device that a legacy tensor type or its name stands for; None of a dtype, which leaves it."""
    if isinstance(kind, str):
        return "cuda" if kind.startswith("torch.cuda.") else "cpu" if kind.endswith("Tensor") else None
    return getattr(kind, "device_type", None)


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
    if not isinstance(kind, type):
        raise TypeError("dtype must be a type, str, or dtype object")
    held = getattr(kind, "dtype", None)
    if not isinstance(held, dtype):
        raise ValueError(f"invalid type: '{getattr(kind, '__name__', kind)}'")
    return held


def type_as(self, other):
    """This tensor in the dtype and on the device of another."""
    if not isinstance(other, Tensor):
        raise TypeError(f"type_as(): argument 'other' (position 1) must be Tensor, not {type_name(other)}")
    return converted(self, other.dtype, other.device)


def _caster(name: str, kind: dtype):
    def method(self, memory_format=PRESERVE):
        if memory_format is not None and not isinstance(memory_format, MemoryFormat):
            raise TypeError(
                f"{name}(): argument 'memory_format' must be torch.memory_format, not {type_name(memory_format)}"
            )
        return converted(self, kind, None, layout=memory_format or PRESERVE)

    method.__name__, method.__qualname__ = name, f"Tensor.{name}"
    method.__doc__ = f"This tensor as `{kind.name}`."
    return method


CASTERS = {
    name: _caster(name, kind)
    for name, kind in {
        "float": dtypes.float32, "double": dtypes.float64, "half": dtypes.float16, "bfloat16": dtypes.bfloat16,
        "int": dtypes.int32, "long": dtypes.int64, "short": dtypes.int16, "char": dtypes.int8, "byte": dtypes.uint8,
        "bool": dtypes.bool, "chalf": dtypes.complex32, "cfloat": dtypes.complex64, "cdouble": dtypes.complex128,
    }.items()
}  # fmt: skip


def contiguous(self, memory_format=CONTIGUOUS):
    """This tensor with its elements in order; itself if they are already."""
    if memory_format is not CONTIGUOUS:
        check_format("contiguous", memory_format)
    if is_in_format(self, memory_format):
        return self
    return F.clone(self, memory_format=memory_format)


def is_contiguous(self, memory_format=CONTIGUOUS) -> bool:
    """Whether the elements lie in order."""
    if memory_format is not CONTIGUOUS:
        check_format("is_contiguous", memory_format)
    return is_in_format(self, memory_format)


def pin_memory(self, device=None):
    """The tensor itself: without a GPU there is nothing to pin for."""
    return self


def is_pinned(self, device=None) -> bool:
    """Never, without a GPU."""
    return False


def dlpack(self, *, stream=None, max_version=None, dl_device=None, copy=None):
    """A capsule on the memory of this tensor, for another library to read once."""
    capsules = import_module("rushlight.dispatch.dlpack")
    capsules.check_grad(self)
    capsules.check_stream(stream)
    if dl_device is not None and dl_device[0] != capsules.CPU[0]:
        self = self.to(capsules.place_of(dl_device))
    return capsules.exported(self, max_version=max_version, copy=copy)


def dlpack_device(self) -> tuple[int, int]:
    """The CPU, in DLPack's numbers."""
    return (1, 0)


def copy_(self, src, non_blocking=False):
    """Writes the values of `src`, broadcast and cast, into this tensor."""
    if non_blocking is not False and non_blocking is not True:
        words = f"copy_(): argument 'non_blocking' (position 2) must be bool, not {type_name(non_blocking)}"
        raise TypeError(words)
    if type(src) in PLAIN_TYPES and (
        in_place_numbers.written_by(in_place_numbers.replaced, F.copy_values, in_place_numbers.MOVED, self, src)
        or in_place_numbers.converted_into(self, src)
    ):
        return self
    if isinstance(src, Number):
        src = wrap(np.asarray(src))
    if not isinstance(src, Tensor):
        raise noted(
            TypeError(f"copy_(): argument 'other' (position 1) must be Tensor, not {type_name(src)}"),
            "Make it a tensor first: copy_(torch.as_tensor(values)).",
        )
    if self.is_meta:
        return self  # there are no numbers to write to
    if src.device != self.device:
        src = converted(src, None, self.device)
    return inplace.write(F.copy_values, self, (src,), {})


def deepcopy(self, memo):
    """A copy with memory of its own; only tensors without history can be copied so."""
    if id(self) in memo:
        return memo[id(self)]
    if not self.is_leaf:
        raise noted(
            RuntimeError(
                "Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol at the "
                "moment.  If you were attempting to deepcopy a module, this may be because of a "
                "torch.nn.utils.weight_norm usage, see https://github.com/pytorch/pytorch/pull/103001"
            ),
            "This tensor is the result of an operation: copy tensor.detach(), or use tensor.clone().",
        )
    copied = objects.instance(type(self))
    copied._alike = copied._base = copied._edge = copied._generation = copied._store = None
    memo[id(self)] = copied
    copied._storage, copied._array = _copied_memory(self, memo)
    if isinstance(self._edge, Leaf):
        copied.requires_grad = True
    if self.grad is not None:
        copied.grad = copy.deepcopy(self.grad, memo)
    for name, value in vars(self).items():
        if name not in OWN_ATTRIBUTES:
            setattr(copied, name, copy.deepcopy(value, memo))
    return copied


def _copied_memory(tensor: Tensor, memo: dict):
    """Tensors that share memory share it again after the copy."""
    if type(tensor._array) is not np.ndarray:
        return Storage(), tensor._array.copy(order="K")
    root, layout = memory_and_layout(tensor)
    storage, copied, _ = copied_memory(root, memo)
    return storage, in_memory(copied, *layout)


def warn_of_hooks(tensor: Tensor) -> None:
    """Says that a tensor's hooks stay behind when it is pickled."""
    if isinstance(tensor._edge, Leaf) and tensor._edge.tensor_hooks:
        warnings.warn(
            "backward hooks will not be serialized: the pickled tensor has none of those registered on this one.",
            UserWarning,
            stacklevel=3,
        )


def reduce_ex(self, protocol):
    """How a tensor is pickled: its memory, and where in it the tensor lies."""
    warn_of_hooks(self)
    stored = self.detach().cpu()
    root, layout = memory_and_layout(stored)
    attributes = {name: value for name, value in vars(self).items() if name not in OWN_ATTRIBUTES}
    # Tensor itself by None: pickle would look the class up in a module of the name `torch`.
    subclass = None if type(self) is Tensor else type(self)
    marks = marks_of(stored._array)
    return rebuild, (subclass, bytes_of(root), self.dtype.name, layout[1:], self.requires_grad, attributes, marks)


def rebuild(kind, memory, dtype_name, layout, requires_grad, attributes, marks=(False, False)):
    """A tensor from its pickle."""
    conj, neg = marks
    array = unresolved(in_memory(memory, BY_NAME[dtype_name].numpy, *layout), conj=conj, neg=neg)
    tensor = alias(wrap(array), kind or Tensor)
    if requires_grad:
        tensor.requires_grad = True
    tensor.__dict__.update(attributes)
    return tensor


METHODS = {
    "to": to, "to_dense": to_dense, "cpu": cpu, "cuda": cuda, "type": type_, "type_as": type_as,
    "contiguous": contiguous, "is_contiguous": is_contiguous, "pin_memory": pin_memory, "is_pinned": is_pinned,
    "copy_": copy_, "__deepcopy__": deepcopy,
    "__reduce_ex__": reduce_ex, "__dlpack__": dlpack, "__dlpack_device__": dlpack_device, **CASTERS,
}  # fmt: skip


def attach() -> None:
    """Gives Tensor these methods; called once by the package root."""
    for name, function in METHODS.items():
        setattr(Tensor, name, function)
