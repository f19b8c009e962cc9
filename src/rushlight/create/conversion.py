"""Conversions of tensors to another dtype, device or layout, and to DLPack."""

from __future__ import annotations

import warnings
from contextlib import nullcontext
from importlib import import_module
from numbers import Number
from operator import eq

import numpy as np

import rushlight._generated.functions as F
from rushlight.arrays.layouts import suggested_format
from rushlight.core import dtype as dtypes
from rushlight.core.device import CAPTURING, CPU, WAITS, as_device, device, resolved
from rushlight.core.dtype import DEFAULTS, dtype
from rushlight.core.errors import noted
from rushlight.core.formats import CONTIGUOUS, PRESERVE, check_format, is_in_format
from rushlight.core.formats import memory_format as MemoryFormat
from rushlight.core.strides import outermost_first
from rushlight.core.tensor import PLAIN_TYPES, Tensor, alias, wrap
from rushlight.core.warn_once import COMPLEX_HALF, warn_once
from rushlight.declarations.promote import PYTHON_DTYPES, as_dtype
from rushlight.dispatch import destination, inplace
from rushlight.dispatch.message import type_name
from rushlight.dispatch.override import overridable


def to(self, *arguments, **keywords):
    """Returns this tensor with another dtype, on another device, or both; itself if nothing changes.

    Takes a dtype, a device with an optional dtype, or another tensor whose dtype and device it copies.

    >>> import rushlight as torch
    >>> torch.ones(2).to(torch.int64)
    tensor([1, 1])
    """
    if len(arguments) == 1 and not keywords:
        target = arguments[0]
        if type(target) is dtype:
            return converted(self, target, None)
        if type(target) is device or type(target) is str:
            return converted(self, None, target)
    target_device, target_dtype, non_blocking, copies, layout = _parsed(arguments, keywords)
    layout = PRESERVE if layout is None else layout
    if non_blocking:
        with WAITS.without(queued=True):
            return converted(self, target_dtype, target_device, copies, layout)
    return converted(self, target_dtype, target_device, copies, layout)


def conversion_of(arguments: tuple, keywords: dict) -> tuple:
    """Returns device, dtype, non_blocking and memory format of a call of `to`; None for those that it leaves out."""
    target_device, target_dtype, non_blocking, _, layout = _parsed(arguments, keywords)
    return None if target_device is None else as_device(target_device), target_dtype, non_blocking, layout


def _parsed(arguments: tuple, keywords: dict):
    keywords = dict(keywords)
    target_device, target_dtype = keywords.pop("device", None), keywords.pop("dtype", None)
    layout = keywords.pop("memory_format", None)
    rest = list(arguments)
    other = keywords.pop("other", None)
    if rest and isinstance(rest[0], Tensor):
        other = rest.pop(0)
    if other is not None:
        target_device, target_dtype = other.device, other.dtype
    elif rest and _is_dtype(rest[0]):
        target_dtype = rest.pop(0)
    elif rest:
        target_device = rest.pop(0)
        if rest and (rest[0] is None or _is_dtype(rest[0])):
            target_dtype = rest.pop(0)
    non_blocking = keywords.pop("non_blocking", False)
    copies = keywords.pop("copy", False)
    if rest and isinstance(rest[0], bool):
        non_blocking = rest.pop(0)
    if rest and isinstance(rest[0], bool):
        copies = rest.pop(0)
    if keywords or rest or not (target_device is None or isinstance(target_device, (str, int, device))):
        raise _bad_conversion(arguments)
    return target_device, as_dtype("to", target_dtype), non_blocking, copies, layout


def _is_dtype(value) -> bool:
    return isinstance(value, dtype) or (isinstance(value, type) and value in PYTHON_DTYPES)


def _bad_conversion(arguments) -> TypeError:
    names = ", ".join(type(value).__name__ for value in arguments)
    return TypeError(
        f"to() received an invalid combination of arguments - got ({names}), but expected one of:\n"
        " * (torch.device device = None, torch.dtype dtype = None, bool non_blocking = False, bool copy = False)\n"
        " * (torch.dtype dtype, bool non_blocking = False, bool copy = False)\n"
        " * (Tensor other, bool non_blocking = False, bool copy = False)"
    )


def converted(tensor: Tensor, target_dtype, target_device, copies: bool = False, layout=PRESERVE) -> Tensor:
    """Returns a tensor with a dtype and on a device; the same object if it has them and `copies` is False."""
    target_device = None if target_device is None else resolved(target_device)
    target_dtype = None if target_dtype is None or target_dtype is tensor.dtype else target_dtype
    target_device = None if target_device is None or target_device == tensor.device else target_device
    if target_dtype is None and target_device is None and not copies:
        same = layout is PRESERVE or layout is suggested_format(tensor._array)
        return tensor if same else F.clone(tensor, memory_format=layout)
    if target_dtype is dtypes.complex32:
        warn_once(COMPLEX_HALF)
    if target_dtype is not None and tensor.is_complex() and not target_dtype.is_complex:
        warnings.warn("Casting complex values to real discards the imaginary part", UserWarning, stacklevel=3)
    if target_dtype is not None and target_dtype.category < dtypes.FLOAT:
        # No gradient flows through integers
        tensor = alias(tensor, type(tensor)) if type(tensor) in PLAIN_TYPES else tensor.detach()
    if target_device is not None and target_device.type == "cuda" and tensor.is_cpu:
        WAITS.begin("send")  # until the memory that is copied may be changed
    if target_device is not None and WAITS.queued and target_device == CPU and tensor.is_cuda and not CAPTURING:
        tensor = tensor if target_dtype is None else F.to_copy(tensor, target_dtype.numpy, None)  # before the copy
        tensor = tensor if layout is PRESERVE else contiguous(tensor, memory_format=layout)
        return import_module("rushlight.cuda._pinned").fetched(tensor)
    result = F.to_copy(tensor, None if target_dtype is None else target_dtype.numpy, target_device)
    return result if layout is PRESERVE or is_in_format(result, layout) else contiguous(result, memory_format=layout)


def to_dense(self, dtype=None, *, masked_grad=None):
    """Returns this tensor, which is dense already, converted to `dtype`.

    >>> import rushlight as torch
    >>> torch.ones(2).to_dense()
    tensor([1., 1.])
    """
    return converted(self, as_dtype("to_dense", dtype), None)


def cpu(self, memory_format=PRESERVE):
    """Returns this tensor on the CPU; itself if it is there already."""
    return converted(self, None, CPU, layout=memory_format)


def cuda(self, device=None, non_blocking=False, memory_format=PRESERVE):
    """Returns this tensor on the GPU; the program does not wait for a copy that is `non_blocking`."""
    with WAITS.without(queued=True) if non_blocking else nullcontext():
        return converted(self, None, "cuda" if device is None else device, layout=memory_format)


def type_(self, dtype=None, non_blocking=False, **keywords):
    """Returns the legacy type name of this tensor, or the tensor converted to a dtype or legacy type."""
    if keywords:
        raise TypeError(f"type() got an unexpected keyword argument '{next(iter(keywords))}'")
    if not isinstance(non_blocking, bool):
        words = f"argument 'non_blocking' (position 2) must be bool, not {type_name(non_blocking)}"
        raise TypeError(f"type(): {words}")
    if dtype is None:
        module = "torch.cuda" if self.is_cuda else "torch"
        return f"{module}.{dtypes.SCALAR_NAMES[self.dtype]}Tensor"
    return converted(self, dtype_of_type(dtype), device_of_type(dtype))


type_.__name__ = "type"  # as a method; the name with the underscore is that of one which writes


def device_of_type(legacy_type) -> str | None:
    """Returns the device type of a legacy tensor type or its name; None for a dtype, which has none."""
    if isinstance(legacy_type, str):
        return "cuda" if legacy_type.startswith("torch.cuda.") else "cpu" if legacy_type.endswith("Tensor") else None
    return getattr(legacy_type, "device_type", None)


def dtype_of_type(legacy_type) -> dtype:
    """Returns the dtype of a legacy tensor type or its name; a dtype itself."""
    if isinstance(legacy_type, dtype):
        return legacy_type
    if isinstance(legacy_type, str):
        name = legacy_type.removeprefix("torch.").removeprefix("cuda.").removeprefix("sparse.").removesuffix("Tensor")
        for result, scalar in dtypes.SCALAR_NAMES.items():
            if scalar == name or repr(result) == legacy_type:
                return result
        if name == "":
            return DEFAULTS.floating
        raise ValueError(f"invalid type: '{legacy_type}'")
    if legacy_type is Tensor:
        return DEFAULTS.floating
    if not isinstance(legacy_type, type):
        raise TypeError("dtype must be a type, str, or dtype object")
    own = getattr(legacy_type, "dtype", None)
    if not isinstance(own, dtype):
        raise ValueError(f"invalid type: '{getattr(legacy_type, '__name__', legacy_type)}'")
    return own


def type_as(self, other):
    """Returns this tensor with the dtype and on the device of another."""
    if not isinstance(other, Tensor):
        raise TypeError(f"type_as(): argument 'other' (position 1) must be Tensor, not {type_name(other)}")
    return converted(self, other.dtype, other.device)


def _caster(name: str, target_dtype: dtype):
    def method(self, memory_format=PRESERVE):
        if memory_format is not None and not isinstance(memory_format, MemoryFormat):
            raise TypeError(
                f"{name}(): argument 'memory_format' must be torch.memory_format, not {type_name(memory_format)}"
            )
        return converted(self, target_dtype, None, layout=memory_format or PRESERVE)

    method.__name__, method.__qualname__ = name, f"Tensor.{name}"
    method.__doc__ = f"Returns this tensor as `{target_dtype.name}`."
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
    """Returns this tensor in contiguous memory; itself if it is contiguous already."""
    if memory_format is not CONTIGUOUS:
        check_format("contiguous", memory_format)
    if is_in_format(self, memory_format):
        return self
    return F.clone(self, memory_format=memory_format)


def is_contiguous(self, memory_format=CONTIGUOUS) -> bool:
    """Returns whether the elements are contiguous in a memory format."""
    if memory_format is not CONTIGUOUS:
        check_format("is_contiguous", memory_format)
    return is_in_format(self, memory_format)


NO_ORDER = "The tensor does not have unique dim order, or cannot map to exact one of the given memory formats."


def dim_order(self, *, ambiguity_check=False) -> tuple[int, ...]:
    """Returns the dimensions in their order in memory, outermost first.

    With `ambiguity_check` it raises RuntimeError if sizes of 1 or equal strides allow several orders; with a list of
    memory formats, only if the tensor is not in exactly one of them.
    """
    formats = ambiguity_check if isinstance(ambiguity_check, list) else []
    if not isinstance(ambiguity_check, (bool, list)) or not all(isinstance(x, MemoryFormat) for x in formats):
        raise TypeError("The ambiguity_check argument must be a bool or a list of memory formats.")
    strides = self.stride()
    if ambiguity_check and (1 in self.shape or any(map(eq, strides, strides[1:]))):
        if sum(is_in_format(self, x) for x in formats) != 1:
            raise RuntimeError(NO_ORDER)
    return tuple(outermost_first(tuple(self.shape), strides))


def pin_memory(self, device=None):
    """Returns a copy in pinned memory, from which a GPU copies while the program goes on.

    Returns the tensor itself if it is pinned, or there is no GPU. Raises RuntimeError for a tensor on a GPU.
    """
    return import_module("rushlight.cuda._pinned").pinned(self)


def is_pinned(self, device=None) -> bool:
    """Returns whether the memory of this tensor is pinned."""
    return self._storage.pinned


def record_stream(self, s) -> None:
    """Says that a stream uses this tensor, so that its memory is not reused before that stream is done with it.

    A simulated GPU is done at once. Raises NotImplementedError for a tensor on the CPU.
    """
    if not hasattr(s, "stream_id"):
        raise RuntimeError("unknown parameter type")
    if not self.is_cuda:
        raise NotImplementedError(
            f"Could not run 'aten::record_stream' with arguments from the '{self.device.type.upper()}' backend."
        )


def dlpack_capsule(self, *, stream=None, max_version=None, dl_device=None, copy=None):
    """Returns a DLPack capsule on the memory of this tensor, to be read once."""
    dlpack = import_module("rushlight.memory.dlpack")
    dlpack.check_grad(self)
    dlpack.check_stream(stream)
    if dl_device is not None and dl_device[0] != dlpack.CPU[0]:
        self = self.to(dlpack.device_of(dl_device))
    return dlpack.exported(self, max_version=max_version, copy=copy)


def dlpack_device(self) -> tuple[int, int]:
    """Returns the CPU as DLPack writes it: device type and index."""
    return (1, 0)


def copy_(self, src, non_blocking=False):
    """Writes the values of `src`, broadcast and cast, into this tensor."""
    if non_blocking is not False and non_blocking is not True:
        words = f"copy_(): argument 'non_blocking' (position 2) must be bool, not {type_name(non_blocking)}"
        raise TypeError(words)
    if type(src) in PLAIN_TYPES and (
        destination.ufunc_in_place(destination.copy_array, F.copy_values, destination.MOVED, self, src)
        or destination.convert_in_place(self, src)
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
        return self  # it has no memory to write to
    if src.device == self.device:
        return inplace.write(F.copy_values, self, (src,), {})
    if non_blocking and src.is_cuda and self.is_cpu and import_module("rushlight.cuda._pinned").queue_copy(self, src):
        return self
    with WAITS.without(queued=not self.is_cpu) if non_blocking else nullcontext():
        src = converted(src, None, self.device)
    inplace.write(F.copy_values, self, (src,), {})
    if CAPTURING and self.is_cpu:
        CAPTURING[-1].wrote(self._array, src._array)
    return self


@overridable
def module_load(self, other, assign=False):
    """Returns the tensor that `load_state_dict` swaps with this parameter, if `torch.__future__` says so.

    Subclasses override it, to load what another class has saved.
    """
    return other.detach() if assign else self.copy_(other).detach()


METHODS = {
    "to": to, "to_dense": to_dense, "cpu": cpu, "cuda": cuda, "type": type_, "type_as": type_as,
    "contiguous": contiguous, "is_contiguous": is_contiguous, "dim_order": dim_order,
    "pin_memory": pin_memory, "is_pinned": is_pinned, "record_stream": record_stream,
    "copy_": copy_, "module_load": module_load,
    "__dlpack__": dlpack_capsule, "__dlpack_device__": dlpack_device, **CASTERS,
}  # fmt: skip


def attach() -> None:
    """Gives Tensor these methods; called once by the package root."""
    for name, function in METHODS.items():
        setattr(Tensor, name, function)
