"""`torch.ops.aten`: our own operators under PyTorch's names and schemas.

`aten.txt` has a schema per line, as PyTorch prints it, then a `;` and the overloads derived from it: `_` is the
in-place one, another name the one with `out=`. The functions are those of the library; names without a function are
left out.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from rushlight._generated.names_of_torch import LATER
from rushlight._library import registry
from rushlight._library.parsing import parse_schema
from rushlight._library.registry import Kernel, Operator
from rushlight._library.schema import AliasInfo, Argument, FunctionSchema
from rushlight.core.tensor import Tensor
from rushlight.declarations.declare import OPS, VARIADIC, Op

TABLE = Path(__file__).with_name("aten.txt")
WRITTEN = AliasInfo(True, ("a",), ("a",))
# Modules of functions that are not methods: indexing, declared operators, constructors.
PLACES = (
    "_library.aten_forms",
    "_generated.functions",
    "create.filled",
    "create.ranges",
    "create.random",
    "create.queries",
    "create.windows",
)
SPACES = ("special", "linalg", "fft")  # namespaces whose functions have a prefix here, such as `special_erf`
# Operators whose tensors may be Python numbers.
NUMBERS = frozenset("add sub mul div divide multiply subtract true_divide floor_divide".split())
REDUCTIONS = ("none", "mean", "sum")
BUILT_IN = -1  # owner of these kernels


def lines() -> Iterator[tuple[str, list[str]]]:
    """Returns the schemas, each with the overloads derived from it."""
    for line in TABLE.read_text("utf-8").splitlines():
        schema, _, overloads_ = line.partition(" ; ")
        yield schema, overloads_.split()


def index() -> dict[str, list[tuple[str, str]]]:
    """Maps each operator to its schemas, and to the overload of each: "" is the schema's own."""
    result: dict[str, list[tuple[str, str]]] = {}
    for schema, others in lines():
        name = schema.partition("(")[0].partition(".")[0]
        result.setdefault(name, []).append((schema, ""))
        for other in others:
            result.setdefault(f"{name}_" if other == "_" else name, []).append((schema, other))
    return result


INDEX = index()


def define(name: str) -> None:
    """Defines all overloads of an operator, if the library has its function."""
    for text, other in sorted(INDEX[name], key=lambda pair: bool(pair[1])):
        schema = parse_schema(text)
        if other == "_":
            schema = in_place(schema)
        elif other:
            schema = with_out(schema, other)
        function = function_of(name)  # imports the declaration
        declared = declaration_of(name)
        operator = Operator(qualified(schema), (), "registered in rushlight")
        operator.built_in, operator.numbers = True, name.removesuffix("_") in NUMBERS
        registry.OPERATORS.setdefault(f"aten::{name}", {})[schema.overload_name] = operator
        kernel = adapted(function, declared, schema)
        if schema.arguments and schema.arguments[-1].is_out and declared is not None and not declared.out:
            kernel = copying(kernel)
        registry.KERNELS[operator.name] = {"CompositeImplicitAutograd": [Kernel(kernel, False, BUILT_IN)]}


def qualified(schema: FunctionSchema) -> FunctionSchema:
    return FunctionSchema(f"aten::{schema.name}", schema.overload_name, schema.arguments, schema.returns)


def written(argument: Argument, name: str | None = None) -> Argument:
    """Returns an argument that is written to."""
    return Argument(name or argument.name, argument.real_type, WRITTEN, (), argument.kwarg_only)


def in_place(schema: FunctionSchema) -> FunctionSchema:
    """Returns the in-place schema: the first argument is written to, and is the result."""
    first, *rest = schema.arguments
    returned = Argument("", first.real_type, WRITTEN, (), False)
    return FunctionSchema(f"{schema.name}_", schema.overload_name, [written(first), *rest], [returned])


def with_out(schema: FunctionSchema, overload: str) -> FunctionSchema:
    """Returns the schema of the overload with `out=`."""
    kind = schema.returns[0].real_type
    out = Argument("out", kind, WRITTEN, (), True)
    returned = Argument("", kind, WRITTEN, (), False)
    return FunctionSchema(schema.name, overload, [*schema.arguments, out], [returned])


def function_of(name: str) -> Callable[..., Any]:
    """Returns the function of an operator. Raises AttributeError if the library has none."""
    for place in PLACES:
        result = getattr(importlib.import_module(f"rushlight.{place}"), LATER.get(name, name), None)
        if callable(result) and (is_public(name) or not callable(getattr(Tensor, name, None))):
            return result
    space, _, rest = name.partition("_")
    if space in SPACES and (result := getattr(importlib.import_module(f"rushlight.{space}"), rest, None)):
        return result
    return getattr(Tensor, name)


def spread(function: Callable[..., Any], tensors: list[Tensor], **named: Any) -> Any:
    """Calls a variadic function with a list of tensors."""
    return function(*tensors, **named)


def copying(function: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a function with `out=`, to which the result is copied."""

    def writing(*args: Any, out: Tensor, **kwargs: Any) -> Tensor:
        result = function(*args, **kwargs)
        if out.shape != result.shape:
            out.resize_(result.shape)
        return out.copy_(result)

    return writing


def is_public(name: str) -> bool:
    """Whether an operator is public, not only used by other operators."""
    declared = declaration_of(name)
    return declared is None or bool(declared.spaces or declared.method)


def declaration_of(name: str) -> Op | None:
    """Returns the declaration of an operator; None if its function is hand-written."""
    return OPS.get(LATER.get(name, name).removesuffix("_"))


def adapted(function: Callable[..., Any], declared: Op | None, schema: FunctionSchema) -> Callable[..., Any]:
    """Wraps a function so that it takes arguments as its schema does, by position and name.

    Keyword-only parameters of the function may be positional here; `reduction` is an integer here, and often a string
    there.
    """
    names = [argument.name for argument in schema.arguments]
    positional = [argument for argument in schema.arguments if not argument.kwarg_only]
    arguments = declared.arguments if declared else ()
    most = sum(not argument.keyword_only for argument in arguments) if declared else len(positional)
    reduces = "reduction" in names
    variadic = [at for at, argument in enumerate(arguments) if argument.role == VARIADIC]
    if variadic == [0] and positional[0].real_type.kind == "list":
        return partial(spread, function)
    if (most >= len(positional) or variadic) and not reduces:
        return function
    words = reduces and not any(type(argument.default) is int for argument in arguments if argument.name == "reduction")
    if reduces:
        most = min(most, names.index("reduction"))

    def adapting(*args: Any, **kwargs: Any) -> Any:
        kwargs |= dict(zip(names[most:], args[most:], strict=False))
        if reduces:
            number = kwargs.get("reduction", 1)
            kwargs["reduction"] = REDUCTIONS[number] if words else number
        return function(*args[:most], **kwargs)

    return adapting


registry.LAZY.update({f"aten::{name}": partial(define, name) for name in INDEX})
