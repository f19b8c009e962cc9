"""The constructors of old: `torch.Tensor(...)`, `torch.FloatTensor(...)`, `Variable(...)`.

`Tensor(2, 3)` is an uninitialised tensor of that size, `Tensor([2, 3])` one with those values, in the default dtype.
"""

from __future__ import annotations

import numpy as np

from rushlight.core import dtype as dtypes
from rushlight.core.dtype import DEFAULTS
from rushlight.core.size import Size
from rushlight.core.tensor import LEGACY, Tensor, alias, wrap
from rushlight.dispatch.create import array_of


def construct(kind, *arguments, **keywords):
    """What `kind(...)` gives for Tensor and its subclasses."""
    data = keywords.pop("data", None)
    place = keywords.pop("device", None)
    if keywords:
        raise TypeError(f"new() got an unexpected keyword argument '{next(iter(keywords))}'")
    if data is not None:
        arguments = (data, *arguments)
    if place is not None and str(place) != "cpu":
        raise RuntimeError(f"legacy constructor expects device type: cpu but device type: {place} was passed")
    return typed(kind, DEFAULTS.floating, arguments)


def typed(kind, dtype, arguments: tuple):
    """A tensor of a type and dtype, from the arguments of a legacy constructor."""
    if not arguments:
        return alias(wrap(np.empty(0, dtype.numpy)), kind)
    first = arguments[0]
    if isinstance(first, Size) or all(isinstance(each, (int, np.integer)) for each in arguments):
        size = tuple(first) if isinstance(first, Size) else arguments
        negative = [each for each in size if each < 0]
        if negative:
            raise RuntimeError(f"Trying to create tensor with negative dimension {negative[0]}: {list(size)}")
        return alias(wrap(np.zeros(size, dtype.numpy)), kind)
    if len(arguments) > 1:
        names = ", ".join(type(each).__name__ for each in arguments)
        raise TypeError(f"new() received an invalid combination of arguments - got ({names})")
    if isinstance(first, Tensor):
        if kind is Tensor and first.dtype is not dtype:
            name = dtypes.SCALAR_NAMES[dtype]
            raise TypeError(f"expected {name} (got {dtypes.SCALAR_NAMES[first.dtype]})")
        return alias(first, kind)
    if isinstance(first, (bool, float, complex)) or not hasattr(first, "__len__"):
        raise TypeError(f"new(): data must be a sequence (got {type(first).__name__})")
    return alias(wrap(array_of(first, dtype)), kind)


class LegacyMeta(type):
    """Makes `isinstance(tensor, FloatTensor)` ask for the dtype."""

    def __instancecheck__(cls, instance):
        return isinstance(instance, Tensor) and instance.dtype is cls.dtype and instance.is_cpu


def legacy_type(dtype) -> type:
    """The legacy type of a dtype: `FloatTensor` and its kin."""

    def __new__(cls, *arguments, **keywords):
        return typed(Tensor, dtype, arguments)

    name = f"{dtypes.SCALAR_NAMES[dtype]}Tensor"
    doc = f"Makes a tensor of dtype `{dtype.name}`, or tells whether one is."
    body = {"__new__": __new__, "__init__": lambda self, *a, **k: None, "dtype": dtype, "__module__": "torch", "__doc__": doc}
    return LegacyMeta(name, (), body)


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
    """Every tensor is a Variable."""

    def __instancecheck__(cls, instance):
        return isinstance(instance, Tensor)


class Variable(metaclass=VariableMeta):
    """A tensor, from the days when tensors had no gradient: `Variable(tensor, requires_grad=True)`."""

    __module__ = "torch.autograd.variable"

    def __new__(cls, data=None, requires_grad=False, volatile=None):
        if data is None:
            data = construct(Tensor)
        variable = alias(data)
        if requires_grad:
            variable.requires_grad = True
        return variable


def attach() -> None:
    """Makes `Tensor(...)` call `construct`; called once by the package root."""
    LEGACY.construct = construct
