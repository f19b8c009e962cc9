"""Legacy constructors: `torch.Tensor(...)`, `torch.FloatTensor(...)`, `Variable(...)`.

`Tensor(2, 3)` is an uninitialized tensor of that size, `Tensor([2, 3])` has those values, of the default dtype.
"""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Callable

import numpy as np

from rushlight.core import dtype as dtypes
from rushlight.core.determinism import fills
from rushlight.core.device import BACKENDS, DEFAULT, as_device, set_default
from rushlight.core.dtype import DEFAULTS, set_default_dtype
from rushlight.core.errors import noted
from rushlight.core.history import edge_of
from rushlight.core.shape_queries import STRIDED, layout
from rushlight.core.size import Size
from rushlight.core.storage import AnyStorage
from rushlight.core.tensor import LEGACY, Tensor, alias, wrap
from rushlight.create.convert_data import array_of
from rushlight.create.filled import empty, zeros
from rushlight.create.sizes import size_tuple
from rushlight.dispatch.message import type_name


def construct(cls, *arguments, **keywords):
    """Returns `cls(...)` for Tensor and its subclasses."""
    arguments = _positional(arguments, keywords)
    if len(arguments) == 1 and isinstance(arguments[0], Tensor):
        # A tensor keeps its dtype and history
        if keywords.get("device") is not None:
            raise RuntimeError(CONSTRUCTOR)
        source = arguments[0]
        if source._carrier is not None:
            return alias(source, type(source))  # sparse tensors have a class of their own
        tensor = alias(source, cls)
        tensor._edge = edge_of(source)
        return tensor
    return typed(cls, DEFAULTS.floating, arguments)


CONSTRUCTOR = (
    "Legacy tensor constructor of the form torch.Tensor(tensor, device=device) is not supported.  Use "
    "torch.tensor(...) or torch.as_tensor(...) instead."
)
METHOD = (
    "Legacy tensor new of the form tensor.new(tensor, device=device) is not supported.  Use torch.as_tensor(...) "
    "instead."
)
DATA = ("data", "other", "storage")  # names of the first argument


def _positional(arguments: tuple, keywords: dict, with_device: str = CONSTRUCTOR) -> tuple:
    """Returns the positional arguments of a legacy constructor. Raises TypeError for unknown keywords."""
    unknown = [name for name in keywords if name not in (*DATA, "device")]
    if unknown:
        args = [type(value).__name__ for value in arguments]
        args += [f"{name}={type(value).__name__}" for name, value in keywords.items()]
        raise TypeError(
            f"new() received an invalid combination of arguments - got ({', '.join(args)}), but expected one of:\n"
            " * (*, torch.device device = None)\n * (tuple of ints size, *, torch.device device = None)\n"
            " * (object data, *, torch.device device = None)"
        )
    device = keywords.get("device")
    named = tuple(keywords[name] for name in DATA if name in keywords)
    if device is not None and isinstance((*named, *arguments, None)[0], Tensor):
        raise RuntimeError(with_device)
    check_device(device)
    return (*named, *arguments)


def check_device(device) -> None:
    """Raises RuntimeError for a device that a legacy constructor does not take."""
    if device is not None and as_device(device).type != "cpu":
        raise RuntimeError(
            f"legacy constructor expects device type: cpu but device type: {as_device(device).type} was passed"
        )


def typed(cls, dtype, arguments: tuple):
    """Returns a tensor of a class and dtype, from the arguments of a legacy constructor."""
    if not arguments:
        return alias(wrap(np.empty(0, dtype.numpy)), cls)
    first = arguments[0]
    if isinstance(first, Size) or all(isinstance(value, (int, np.integer)) for value in arguments):
        size = size_tuple("new", first if isinstance(first, Size) else arguments)
        return alias((empty if fills() else zeros)(size, dtype=dtype), cls)
    if len(arguments) > 1:
        raise TypeError(
            "new() received an invalid combination of arguments - got "
            f"({', '.join(type(value).__name__ for value in arguments)})"
        )
    if isinstance(first, Tensor):
        if first.dtype is not dtype:
            raise TypeError(f"expected {_options(dtype)} (got {_options(first.dtype)})")
        return alias(first, cls) if first._carrier is None else first.detach()
    if isinstance(first, AnyStorage):
        return alias(wrap(np.empty(0, dtype.numpy)).set_(_of_dtype(first, dtype)), cls)
    if isinstance(first, str):
        raise TypeError("new(): invalid data type 'str'")
    if not hasattr(first, "__len__"):
        raise TypeError(f"new(): data must be a sequence (got {type(first).__name__})")
    return alias(wrap(array_of(first, dtype)), cls)


def made(dtype, arguments: tuple, keywords: dict) -> Tensor:
    """Returns what the legacy type of a dtype makes."""
    return typed(Tensor, dtype, _positional(arguments, keywords))


def _of_dtype(storage: AnyStorage, dtype) -> AnyStorage:
    """Returns a storage. Raises RuntimeError if it has another dtype."""
    own = getattr(storage, "dtype", dtype)
    if own is not dtype:
        raise RuntimeError(
            f"Expected a Storage of type {dtypes.SCALAR_NAMES[dtype]} or an UntypedStorage, but got type "
            f"{dtypes.SCALAR_NAMES[own]} for argument 1 'storage'"
        )
    return storage


def new(self, *arguments, **keywords):
    """Returns a tensor of this dtype, from a size, data or nothing, as the legacy type of the dtype does."""
    if "size" in keywords:
        arguments = (Size(keywords.pop("size")), *arguments)
    return typed(Tensor, self.dtype, _positional(arguments, keywords, METHOD))


def _options(dtype) -> str:
    """Returns PyTorch's text for dtype, device and layout."""
    return (
        f"TensorOptions(dtype={dtypes.C_NAMES[dtype]}, device=cpu, layout=Strided, requires_grad=false (default), "
        "pinned_memory=false (default), memory_format=(nullopt))"
    )


def make_subclass(cls: type, data, require_grad: bool = False) -> Tensor:
    """Returns a leaf of a subclass on the memory of a tensor, for `__new__` of the subclass."""
    if not isinstance(data, Tensor):
        raise TypeError(f"_make_subclass(): argument 'data' (position 2) must be Tensor, not {type_name(data)}")
    if type(require_grad) is not bool:
        words = f"argument 'require_grad' (position 3) must be bool, not {type_name(require_grad)}"
        raise TypeError(f"_make_subclass(): {words}")
    return data.detach().as_subclass(cls)._require_grad(require_grad)


class LegacyMeta(type):
    """Makes `isinstance(tensor, FloatTensor)` test dtype, layout and device type; such a class has no subclasses."""

    dtype: dtypes.dtype
    device_type: str
    layout: layout

    def __new__(cls, name, bases, body):
        if bases:
            words = f"type '{bases[0].__module__}.{bases[0].__name__}' is not an acceptable base type"
            raise noted(TypeError(words), "Inherit from torch.Tensor.")
        return super().__new__(cls, name, bases, body)

    def __instancecheck__(cls, instance):
        is_alike = isinstance(instance, Tensor) and instance.dtype is cls.dtype and instance.layout is cls.layout
        return is_alike and instance.device.type == cls.device_type


def legacy_type(dtype, device_type: str = "cpu", layout=STRIDED, make: Callable = made) -> type:
    """Returns the legacy type of a dtype, device type and layout, such as `FloatTensor`.

    `make(dtype, arguments, keywords)` makes a tensor on the CPU from what the type is called with.
    """
    module = ".".join(["torch"] + ["cuda"] * (device_type == "cuda") + ["sparse"] * (layout is not STRIDED))

    def __new__(cls, *arguments, **keywords):
        check_available(cls)
        return make(dtype, arguments, keywords).to(device_type)

    body = {"__new__": __new__, "__module__": module, "dtype": dtype, "layout": layout, "device_type": device_type}
    body["__doc__"] = f"Makes a tensor of dtype `{dtype.name}`; `isinstance` tests for that dtype."
    body |= {"is_cuda": device_type == "cuda", "is_sparse": layout is not STRIDED}
    return LegacyMeta(f"{dtypes.SCALAR_NAMES[dtype]}Tensor", (), body)


def set_default_tensor_type(t) -> None:
    """Sets the default dtype and device type to those of a legacy tensor type, or of the one that has the name `t`."""
    warnings.warn(
        "torch.set_default_tensor_type() is deprecated as of PyTorch 2.1, please use torch.set_default_dtype() and "
        "torch.set_default_device() as alternatives.",
        UserWarning,
        stacklevel=2,
    )
    kind = named(t) if isinstance(t, str) else t
    if not isinstance(kind, LegacyMeta):
        raise TypeError("invalid type object: only floating-point types are supported as the default type")
    check_available(kind)
    if kind.layout is not STRIDED:
        raise TypeError("only dense types are supported as the default type")
    set_default_dtype(kind.dtype)
    if DEFAULT.get().type != kind.device_type and {DEFAULT.get().type, kind.device_type} == {"cpu", "cuda"}:
        set_default(as_device(kind.device_type))


def named(path: str) -> object:
    """Returns what has a dotted name; the first part is a module."""
    first, *rest = path.split(".")
    result: object = importlib.import_module(__package__.partition(".")[0] if first == "torch" else first)
    for part in rest:
        result = getattr(result, part)
    return result


def check_available(kind: LegacyMeta) -> None:
    """Raises TypeError for a legacy type of a device that is not there."""
    if kind.device_type not in BACKENDS.by_kind:
        raise TypeError(f"type {kind.__module__}.{kind.__name__} not available. Torch not compiled with CUDA enabled.")


BFloat16Tensor = legacy_type(dtypes.bfloat16)
BoolTensor = legacy_type(dtypes.bool)
ByteTensor = legacy_type(dtypes.uint8)
CharTensor = legacy_type(dtypes.int8)
DoubleTensor = legacy_type(dtypes.float64)
FloatTensor = legacy_type(dtypes.float32)
HalfTensor = legacy_type(dtypes.float16)
IntTensor = legacy_type(dtypes.int32)
LongTensor = legacy_type(dtypes.int64)
ShortTensor = legacy_type(dtypes.int16)


class VariableMeta(type):
    """Makes every tensor an instance of Variable."""

    def __instancecheck__(cls, instance):
        return isinstance(instance, Tensor)


class Variable(metaclass=VariableMeta):
    """Legacy wrapper of tensors: `Variable(tensor, requires_grad=True)` returns a tensor."""

    __module__ = "torch.autograd.variable"
    _execution_engine: object  # attached by autograd

    def __new__(cls, data=None, requires_grad=False, volatile=None):
        if data is None:
            data = construct(Tensor)
        if not isinstance(data, Tensor):
            raise TypeError(f"Variable data has to be a tensor, but got {type_name(data)}")
        if volatile is not None:
            warnings.warn(
                "volatile was removed and now has no effect. Use `with torch.no_grad():` instead.",
                UserWarning,
                stacklevel=2,
            )
        if requires_grad and not (data.is_floating_point() or data.is_complex()):
            raise RuntimeError("Only Tensors of floating point and complex dtype can require gradients")
        variable = alias(data) if data._carrier is None else data.detach()
        variable.requires_grad = requires_grad
        return variable


def attach() -> None:
    """Makes `Tensor(...)` call `construct`, and gives Tensor `new`; called once by the package root."""
    LEGACY.construct = construct
    Tensor.new = new
    setattr(Tensor, "_make_subclass", staticmethod(make_subclass))  # noqa: B010
