"""Signatures of operators, from their schemas in `torch.ops.aten`."""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable
from functools import cache
from importlib import import_module
from numbers import Number
from types import FunctionType
from typing import Any

from rushlight._library.schema import Argument, FunctionSchema, Type
from rushlight.core.device import device
from rushlight.core.generator import Generator
from rushlight.core.tensor import Tensor
from rushlight.fx.spelling import composites

# Of types in schemas; the others are integers.
PYTHON: dict[str, Any] = {
    "Tensor": Tensor, "Scalar": Number, "float": float, "SymFloat": float, "bool": bool, "SymBool": bool, "str": str,
    "complex": complex, "Device": device, "Generator": Generator, "Any": Any, "NoneType": type(None), "Dimname": str,
}  # fmt: skip
GENERIC: dict[str, Any] = {"list": typing.List, "optional": typing.Optional, "dict": typing.Dict}  # noqa: UP006
SPACES = ("", "linalg_", "special_", "fft_")


def schemas_of(op: Any) -> list[FunctionSchema]:
    """Returns the schemas of an operator, empty if the function is none."""
    if type(op).__module__ == "torch._ops":  # an operator of `torch.ops`, or the packet of its overloads
        return [getattr(op, name)._schema for name in op.overloads()] if hasattr(op, "overloads") else [op._schema]
    name = aten_name(op) if isinstance(op, FunctionType) else None
    overloads = import_module("rushlight._library.registry").overloads(f"aten::{name}") if name else {}
    return [operator.schema for operator in overloads.values()]


@cache
def aten_name(function: Callable[..., Any]) -> str | None:
    """Returns the name in `torch.ops.aten` of one of our functions; None if PyTorch has it as a Python function."""
    if function in composites() or getattr(Tensor, function.__name__, None) is function:
        return None
    index = import_module("rushlight._library.aten").INDEX  # on first use: it reads the schemas
    names = [space + function.__name__ for space in SPACES]
    return next((name for name in names if name in index and is_function_of(name, function)), None)


def is_function_of(name: str, function: Callable[..., Any]) -> bool:
    try:
        return import_module("rushlight._library.aten").function_of(name) is function
    except AttributeError:  # the library has no function for this schema
        return False


@cache
def signature(schema: FunctionSchema) -> inspect.Signature:
    """Returns a schema as a signature of Python, in which `self` is `input`."""
    parameters = [parameter(argument) for argument in schema.arguments]
    if any(each.name == "from" for each in parameters):  # a keyword of Python, so only by position
        last = next(index for index, each in enumerate(parameters) if each.name == "from")
        parameters[: last + 1] = [each.replace(kind=each.POSITIONAL_ONLY) for each in parameters[: last + 1]]
    results = [python_type(result.type) for result in schema.returns]
    returned = None if not results else results[0] if len(results) == 1 else tuple(results)
    return inspect.Signature(parameters, return_annotation=returned)


def parameter(argument: Argument) -> inspect.Parameter:
    kind = inspect.Parameter.KEYWORD_ONLY if argument.kwarg_only else inspect.Parameter.POSITIONAL_OR_KEYWORD
    default = argument.default_value if argument.has_default_value() else inspect.Parameter.empty
    name = "input" if argument.name == "self" else argument.name
    return inspect.Parameter(name, kind, default=default, annotation=python_type(argument.type))


def python_type(kind: Type) -> Any:
    """Returns the type of Python for a type in a schema."""
    if kind.kind in GENERIC:
        inner = tuple(map(python_type, kind.inner))
        return GENERIC[kind.kind][inner if len(inner) > 1 else inner[0]]
    if kind.kind == "tuple":
        return tuple[tuple(map(python_type, kind.inner))]  # type: ignore[misc]
    return PYTHON.get(kind.kind, int)


def binds(signature: inspect.Signature, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Whether arguments fit a signature by number and name."""
    try:
        signature.bind(*args, **kwargs)
    except TypeError:
        return False
    return True
