"""`torch.fx.operator_schemas`: arguments of calls by the names in the signature, defaults included."""

from __future__ import annotations

import inspect
import typing
import warnings
from collections.abc import Callable
from numbers import Number
from typing import Any, Literal, NamedTuple, Union, overload

from rushlight._library.schema import FunctionSchema
from rushlight.core.dtype import dtype
from rushlight.create.queries import typename
from rushlight.fx.signatures import binds, schemas_of, signature
from rushlight.nn.modules.module import Module

__all__ = [
    "ArgsKwargsPair", "check_for_mutable_operation", "create_type_hint", "get_signature_for_torch_op",
    "normalize_function", "normalize_module", "type_matches",
]  # fmt: skip

NAMED = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)


class ArgsKwargsPair(NamedTuple):
    """The arguments of a call."""

    args: tuple[Any, ...]
    kwargs: dict[str, Any]


def normalize_function(
    target: Callable,
    args: tuple[Any, ...],
    kwargs: dict[str, Any] | None = None,
    arg_types: tuple[Any, ...] | None = None,
    kwarg_types: dict[str, Any] | None = None,
    normalize_to_only_use_kwargs: bool = False,
) -> ArgsKwargsPair | None:
    """Returns the arguments of a call with defaults added, those written by position first; by name if wanted.

    Returns None if no signature fits, or takes any number of arguments. If several fit, the types of the arguments
    decide; without them, RuntimeError is raised.

    >>> import rushlight as torch
    >>> normalize_function(torch.nn.functional.relu, (1,), {}, normalize_to_only_use_kwargs=True)
    ArgsKwargsPair(args=(), kwargs={'input': 1, 'inplace': False})
    """
    kwargs = kwargs or {}
    operators = get_signature_for_torch_op(target)
    signatures = operators or own_signature(target)
    fitting = [each for each in signatures if not operators or binds(each, args, kwargs)]
    if len(fitting) > 1 and arg_types is None and kwarg_types is None:
        schemas = "\n".join(map(str, fitting))
        raise RuntimeError(
            f"Tried to normalize arguments to {typename(target)} but the schema match was ambiguous! Please provide "
            f"argument types to the normalize_arguments() call. Available schemas:\n{schemas}"
        )
    if len(fitting) > 1:
        fitting = [each for each in signatures if takes(each, arg_types or (), kwarg_types or {})]
    return normalized(fitting[0], args, kwargs, normalize_to_only_use_kwargs) if fitting else None


def takes(signature: inspect.Signature, arg_types: tuple[Any, ...], kwarg_types: dict[str, Any]) -> bool:
    """Whether a signature has arguments of these types."""
    if not binds(signature, arg_types, kwarg_types):
        return False
    kinds = signature.bind(*arg_types, **kwarg_types).arguments
    return all(type_matches(signature.parameters[name].annotation, kind) for name, kind in kinds.items())


@overload
def get_signature_for_torch_op(
    op: Callable[..., Any], return_schemas: Literal[False] = ...
) -> list[inspect.Signature] | None: ...
@overload
def get_signature_for_torch_op(
    op: Callable[..., Any], return_schemas: Literal[True]
) -> tuple[list[inspect.Signature] | None, list[FunctionSchema] | None]: ...
def get_signature_for_torch_op(op: Callable[..., Any], return_schemas: bool = False) -> Any:
    """Returns the signatures of an operator, one for each of its overloads; None for other functions.

    With `return_schemas` it returns a pair, with the schemas.

    >>> import rushlight as torch
    >>> [list(each.parameters) for each in get_signature_for_torch_op(torch.relu)]
    [['input'], ['input', 'out']]
    """
    schemas = schemas_of(op)
    signatures = list(map(signature, schemas))
    return (signatures or None, schemas or None) if return_schemas else signatures or None


def own_signature(function: Callable[..., Any]) -> list[inspect.Signature]:
    """Returns the signature that a function has in Python, in a list; an empty list if it has none."""
    try:
        return [inspect.signature(inspect.unwrap(function))]
    except (TypeError, ValueError):  # a function in C without a signature
        return []


def check_for_mutable_operation(target: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Raises RuntimeError if an operator writes to an argument. If arguments fit several overloads, none is raised."""
    fitting = [schema for schema in schemas_of(target) if binds(signature(schema), args, kwargs)]
    if len(fitting) == 1 and fitting[0].is_mutable:
        raise RuntimeError(
            f"Tried to trace mutable operation {fitting[0]}. FX only supports functional code, so operations that "
            "mutate operands in-place (e.g. via `out` arguments) are not supported"
        )


def create_type_hint(x: object) -> object:
    """Returns the type of a list or tuple of types: `list[int]` for `[int, bool]`. Another value stays.

    >>> create_type_hint((int, int))
    tuple[int, ...]
    """
    if not isinstance(x, list | tuple):
        return x
    if not all(isinstance(each, type) for each in x):
        warnings.warn(f"We were not able to successfully create type hint from the type {x}", stacklevel=2)
        return x
    common = next((each for each in x if all(issubclass(other, each) for other in x)), Any)
    return list[common] if isinstance(x, list) else tuple[common, ...]  # type: ignore[valid-type]


def type_matches(signature_type: Any, argument_type: Any) -> bool:
    """Whether an argument of one type may be passed where a signature has another one."""
    if signature_type is argument_type:
        return True
    origin, parts = typing.get_origin(signature_type), typing.get_args(signature_type)
    if origin is Union:
        return any(type_matches(part, argument_type) for part in parts)
    if origin is list:
        return fits_list(parts[0], argument_type)
    if (signature_type, argument_type) == (int, dtype):
        return True
    if signature_type is Number and argument_type in (int, float):
        return True
    return (
        isinstance(argument_type, type)
        and isinstance(signature_type, type)
        and issubclass(argument_type, signature_type)
    )


def fits_list(item: Any, argument_type: Any) -> bool:
    """Whether an argument of a type may be passed for a list; a number is one for all dimensions."""
    if item is int and argument_type is int:
        return True
    if not isinstance(item, type):
        warnings.warn(f"Does not support nested parametric types, got {list[item]}. Please file a bug.", stacklevel=3)
        return False
    origin, parts = typing.get_origin(argument_type), typing.get_args(argument_type)
    if origin is list:
        return issubclass(parts[0], item)
    return origin is tuple and all(part is ... or issubclass(part, item) for part in parts if part != ())


def normalize_module(
    root: Module,
    target: str,
    args: tuple[Any, ...],
    kwargs: dict[str, Any] | None = None,
    normalize_to_only_use_kwargs: bool = False,
) -> ArgsKwargsPair | None:
    """Returns the arguments of the call of a submodule, as `normalize_function`."""
    try:
        module = root.get_submodule(target)
    except AttributeError as error:
        raise RuntimeError(
            f"Tried to normalize node with target {target} but root did not have that target!"
        ) from error
    signature = inspect.signature(inspect.unwrap(module.forward))
    return normalized(signature, args, kwargs or {}, normalize_to_only_use_kwargs)


def normalized(signature: inspect.Signature, args: tuple, kwargs: dict, only_kwargs: bool) -> ArgsKwargsPair | None:
    if any(parameter.kind not in NAMED for parameter in signature.parameters.values()):
        return None
    bound = signature.bind(*args, **kwargs)
    bound.apply_defaults()
    count = 0 if only_kwargs else len(args)
    pairs = list(bound.arguments.items())
    return ArgsKwargsPair(tuple(value for _, value in pairs[:count]), dict(pairs[count:]))
