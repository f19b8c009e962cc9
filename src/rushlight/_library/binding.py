"""Binds the arguments of a call to a schema, in order and converted to its types.

PyTorch's dispatcher checks every value before a kernel runs; so does this. Arguments that do not match raise
`Mismatch`, a RuntimeError with PyTorch's message, so that an operator with several overloads can try the next.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from rushlight._library.schema import Argument, FunctionSchema, Type
from rushlight.core.device import device
from rushlight.core.dtype import bool as bool_
from rushlight.core.dtype import (
    complex32,
    complex64,
    complex128,
    dtype,
    float16,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    uint8,
)
from rushlight.core.formats import memory_format
from rushlight.core.shape_queries import layout as Layout
from rushlight.core.tensor import Tensor

UNABLE = "Unable to cast Python instance of type {} to C++ type '?' (#define PYBIND11_DETAILED_ERROR_MESSAGES or "
UNABLE += "compile in debug mode for details)"
NUMBERS = (int, float, complex)
# Types that are numbers to the dispatcher and objects in Python.
OBJECTS = {"Layout": Layout, "MemoryFormat": memory_format}
# Dtypes by PyTorch's numbers, as far as schemas use them.
DTYPES = (uint8, int8, int16, int32, int64, float16, float32, float64, complex32, complex64, complex128, bool_)


class Mismatch(RuntimeError):
    """Arguments that do not match a schema. It has the name of its base class, as PyTorch raises that."""


Mismatch.__module__, Mismatch.__name__, Mismatch.__qualname__ = "builtins", "RuntimeError", "RuntimeError"


class NoCast(Exception):
    """A value does not have a type; the message says why."""


def bound(schema: FunctionSchema, args: Sequence[Any], kwargs: Mapping[str, Any], numbers: bool = False) -> list[Any]:
    """Returns a value for each argument of a schema, in order. Raises Mismatch.

    `numbers` allows Python numbers for tensors.
    """
    check_count(schema, args, kwargs)
    values, used = [], 0
    for position, argument in enumerate(schema.arguments):
        if position < len(args):
            if argument.kwarg_only:
                raise Mismatch(
                    f"{schema.name}() takes {position} positional argument(s) but {len(args)} was/were given.  "
                    f"Declaration: {schema}"
                )
            value = args[position]
        elif argument.name in kwargs:
            value, used = kwargs[argument.name], used + 1
        elif argument.has_default_value():
            values.append(default_of(argument))
            continue
        else:
            raise Mismatch(f"{schema.name}() is missing value for argument '{argument.name}'. Declaration: {schema}")
        values.append(as_argument(schema, argument, position, value, numbers))
    if used < len(kwargs):
        check_names(schema, args, kwargs)
    return values


def default_of(argument: Argument) -> Any:
    """Returns the default of an argument; a dtype where the schema has its number."""
    default = argument.default_value
    return DTYPES[default] if type(default) is int and "ScalarType" in argument.real_type.spelled else default


def check_count(schema: FunctionSchema, args: Sequence[Any], kwargs: Mapping[str, Any]) -> None:
    count, most = len(args) + len(kwargs), len(schema.arguments)
    if count > most and not schema.variadic:
        raise Mismatch(
            f"{schema.name}() expected at most {most} argument(s) but received {count} argument(s). "
            f"Declaration: {schema}"
        )


def check_names(schema: FunctionSchema, args: Sequence[Any], kwargs: Mapping[str, Any]) -> None:
    """Raises for a name that the schema lacks, or whose value was also given by position."""
    names = [argument.name for argument in schema.arguments]
    for name in kwargs:
        if name not in names:
            raise Mismatch(f"Unknown keyword argument '{name}' for operator '{schema.name}'. Schema: {schema}")
        if names.index(name) < len(args):
            raise Mismatch(f"Argument '{name}' specified both as positional and keyword argument. Schema: {schema}")


def as_argument(schema: FunctionSchema, argument: Argument, position: int, value: Any, numbers: bool) -> Any:
    """Converts a value for the kernel. Raises Mismatch."""
    kind = argument.real_type
    if numbers and kind.kind == "Tensor" and isinstance(value, NUMBERS):
        return value
    try:
        return cast(value, kind)
    except NoCast as error:
        raise Mismatch(
            f"{schema.name}() Expected a value of type '{kind}' for argument '{argument.name}' but instead found type "
            f"'{type(value).__name__}'.\nPosition: {position}\nValue: {value!r}\nDeclaration: {schema}\n{error}"
        ) from None


def cast(value: Any, kind: Type) -> Any:
    """Converts a value to a type. Raises NoCast."""
    if kind.kind == "optional":
        return None if value is None else cast(value, kind.inner[0])
    if kind.kind == "list":
        return as_list(value, kind)
    if kind.kind == "tuple":
        return tuple(cast(value, inner) for value, inner in zip(value, kind.inner, strict=True))
    return CASTS.get(kind.kind, as_it_is)(value, kind)


def as_it_is(value: Any, kind: Type) -> Any:
    return value


def as_tensor(value: Any, kind: Type) -> Any:
    if value is None or isinstance(value, Tensor):
        return value
    raise NoCast(f"Cast error details: Unable to cast {value} to Tensor")


def as_int(value: Any, kind: Type) -> Any:
    if type(value) is int:
        return value
    if isinstance(value, (np.number, Tensor)):
        return int(value)
    if isinstance(value, dtype):
        return DTYPES.index(value)
    if hasattr(type(value), "__index__"):
        return operator.index(value)
    raise unable(value)


def as_dtype(value: Any, kind: Type) -> dtype:
    return value if isinstance(value, dtype) else DTYPES[as_int(value, kind)]


def as_object(value: Any, kind: Type) -> Any:
    return value if isinstance(value, OBJECTS[kind.kind]) else as_int(value, kind)


def as_float(value: Any, kind: Type) -> float:
    if isinstance(value, (int, float, np.number, Tensor)):
        return float(value)
    raise unable(value)


def as_complex(value: Any, kind: Type) -> complex:
    if isinstance(value, (*NUMBERS, np.number, Tensor)):
        return complex(value)
    raise unable(value)


def as_bool(value: Any, kind: Type) -> bool:
    if value is None or isinstance(value, (*NUMBERS, np.generic, Tensor)):
        return bool(value)
    raise unable(value)


def as_str(value: Any, kind: Type) -> str:
    if isinstance(value, str):
        return value
    raise unable(value)


def as_scalar(value: Any, kind: Type) -> Any:
    if isinstance(value, NUMBERS):
        return value
    raise NoCast(f"Cast error details: Cannot cast {value} to number")


def as_device(value: Any, kind: Type) -> Any:
    if isinstance(value, device):
        return value
    if isinstance(value, str):
        return device(value)
    raise unable(value)


def as_list(value: Any, kind: Type) -> list[Any]:
    inner = kind.inner[0]
    if kind.length is not None and inner.kind in ("int", "SymInt", "float") and isinstance(value, (int, float)):
        return [cast(value, inner)] * kind.length
    if inner.kind == "str":
        try:
            return [as_str(x, inner) for x in value]
        except TypeError as error:
            raise NoCast(f" Python error details: TypeError: {error}") from None
    if not isinstance(value, (list, tuple)):
        raise unable(value)
    try:
        result = [cast(x, inner) for x in value]
    except NoCast:
        raise unable(value) from None
    if inner.kind == "Tensor" and any(x is None for x in result):
        raise unable(value)
    return result


def unable(value: Any) -> NoCast:
    return NoCast(f"Cast error details: {UNABLE.format(type(value))}")


CASTS: dict[str, Callable[[Any, Type], Any]] = {
    "Tensor": as_tensor,
    "float": as_float,
    "SymFloat": as_float,
    "bool": as_bool,
    "SymBool": as_bool,
    "str": as_str,
    "Scalar": as_scalar,
    "number": as_scalar,
    "complex": as_complex,
    "Device": as_device,
    "ScalarType": as_dtype,
    **dict.fromkeys(("int", "SymInt"), as_int),
    **dict.fromkeys(("Layout", "MemoryFormat"), as_object),
}


def for_kernel(schema: FunctionSchema, values: Sequence[Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Returns args and kwargs for a Python kernel: trailing defaults are left out."""
    arguments = schema.arguments
    count = schema.positional
    named = {
        argument.name: value
        for argument, value in zip(arguments[count:], values[count:], strict=True)
        if not is_default(argument, value)
    }
    while count and is_default(arguments[count - 1], values[count - 1]):
        count -= 1
    return tuple(values[:count]), named


def is_default(argument: Argument, value: Any) -> bool:
    """Whether a value is the argument's default."""
    if not argument._has_default or isinstance(value, Tensor):
        return False
    default = default_of(argument)
    return type(value) is type(default) and bool(value == default)


def returned(schema: FunctionSchema, result: Any) -> Any:
    """Converts a kernel's result to the schema's types. Raises PyTorch's error for other types."""
    kinds = [x.real_type for x in schema.returns]
    if not kinds:
        if result is not None:
            raise RuntimeError(
                f"Expected PythonKernelHolder for {schema.name} to return None but it returned something else instead."
            )
        return None
    if len(kinds) == 1:
        return one_returned(result, kinds[0])
    if isinstance(result, Tensor) or not isinstance(result, (list, tuple)):
        raise TypeError(f"Object of type '{type(result).__name__}' is not an instance of 'sequence'")
    if len(result) != len(kinds):
        raise RuntimeError(f"{schema.name}: expected {len(kinds)} results, and the kernel returned {len(result)}")
    return tuple(map(one_returned, result, kinds))


def one_returned(value: Any, kind: Type) -> Any:
    if kind.kind == "ScalarType" and isinstance(value, dtype):
        return DTYPES.index(value)
    try:
        return cast(value, kind)
    except NoCast as error:
        raise RuntimeError(str(error).removeprefix("Cast error details: ")) from None


def tensors_in(values: Any) -> list[Tensor]:
    """Yields the tensors among values, and in lists of them."""
    result: list[Tensor] = []
    for value in values:
        if isinstance(value, Tensor):
            result.append(value)
        elif isinstance(value, (list, tuple)):
            result.extend(tensors_in(value))
        elif isinstance(value, dict):
            result.extend(tensors_in(value.values()))
    return result
