"""`torch.library.infer_schema`: the schema of a Python function, from its annotations."""

from __future__ import annotations

import collections.abc
import inspect
import typing
from collections.abc import Callable, Iterable
from typing import Any, NoReturn

from rushlight.core.device import device
from rushlight.core.dtype import dtype
from rushlight.core.tensor import Tensor

NUMBER = int | float | bool
# Types that may occur alone, in lists, and in optional lists.
PLAIN: list[tuple[Any, str, bool, bool]] = [
    (Tensor, "Tensor", True, False),
    (int, "SymInt", True, True),
    (float, "float", True, True),
    (bool, "bool", True, True),
    (str, "str", False, False),
    (NUMBER, "Scalar", True, False),
    (dtype, "ScalarType", False, False),
    (device, "Device", False, False),
]
SEQUENCES: tuple[Any, ...] = (typing.Sequence, typing.List, collections.abc.Sequence, list)  # noqa: UP006


def optional(kind: Any) -> Any:
    return typing.Optional[kind]  # noqa: UP045  messages show it as PyTorch's do


def listed(kind: Any) -> list[Any]:
    return [sequence[kind] for sequence in SEQUENCES]


def parameter_types() -> dict[Any, str]:
    """Every annotation that an argument may have, with the type in the schema."""
    result: dict[Any, str] = {}
    for kind, name, lists, optional_lists in PLAIN:
        result |= {kind: name, optional(kind): f"{name}?"}
        if lists:
            result |= dict.fromkeys(listed(kind), f"{name}[]")
        if kind is Tensor:
            result |= dict.fromkeys(listed(optional(kind)), "Tensor?[]")
        if optional_lists:
            result |= dict.fromkeys(map(optional, listed(kind)), f"{name}[]?")
    return result


SUPPORTED_PARAM_TYPES = parameter_types()
SUPPORTED_RETURN_TYPES = {
    Tensor: "Tensor",
    typing.List[Tensor]: "Tensor[]",  # noqa: UP006
    list[Tensor]: "Tensor[]",
    int: "SymInt",
    float: "float",
    bool: "bool",
    NUMBER: "Scalar",
}


def infer_schema(
    prototype_function: Callable[..., Any],
    /,
    *,
    mutates_args: str | Iterable[str],
    op_name: str | None = None,
    tags: object = (),
) -> str:
    """Returns the schema of a function with annotated arguments and result.

    >>> import rushlight as torch
    >>> def scaled(x: torch.Tensor, factor: float = 2.0) -> torch.Tensor: ...
    >>> torch.library.infer_schema(scaled, mutates_args=())
    '(Tensor x, float factor=2.0) -> Tensor'
    """
    return Inference(prototype_function, mutates_args).schema(op_name)


def evaluated(function: Callable[..., Any]) -> inspect.Signature:
    """Returns the signature with string annotations evaluated. Raises ValueError."""
    signature = inspect.signature(function)
    names = getattr(inspect.unwrap(function), "__globals__", {})

    def meant(annotation: Any) -> Any:
        if not isinstance(annotation, str):
            return annotation
        try:
            return eval(annotation, names)
        except (AttributeError, NameError, SyntaxError, TypeError) as error:
            raise ValueError(
                f"infer_schema(func): Unsupported type annotation {annotation}. It is not a type. {reason(error)} "
                f"Got func with signature {signature})"
            ) from None

    parameters = [
        parameter.replace(annotation=meant(parameter.annotation)) for parameter in signature.parameters.values()
    ]
    return signature.replace(parameters=parameters, return_annotation=meant(signature.return_annotation))


def reason(error: Exception) -> str:
    """Returns why an annotation could not be evaluated."""
    if not isinstance(error, NameError):
        return f"({type(error).__name__}: {error})"
    return (
        f"({error}). If you are using 'from __future__ import annotations', note that annotations are evaluated lazily "
        "as strings; make sure all types referenced in annotations are importable at module scope, not only inside a "
        "local function."
    )


class Inference:
    """A function and its signature."""

    def __init__(self, function: Callable[..., Any], mutates_args: str | Iterable[str]):
        self.function = function
        self.unknown = mutates_args == "unknown"
        if isinstance(mutates_args, str) and not self.unknown:
            raise ValueError(
                "mutates_args must either be a sequence of the names of the arguments that are mutated or the string "
                "'unknown'. "
            )
        self.mutated = set() if self.unknown else set(mutates_args)
        self.signature = evaluated(function)

    def fail(self, words: str) -> NoReturn:
        raise ValueError(f"infer_schema(func): {words} Got func with signature {self.signature})")

    def schema(self, op_name: str | None) -> str:
        parameters, seen_star = [], False
        for position, (name, parameter) in enumerate(self.signature.parameters.items()):
            if parameter.kind not in (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY):
                self.fail("We do not support positional-only args, varargs, or varkwargs.")
            if parameter.kind is inspect.Parameter.KEYWORD_ONLY and not seen_star:
                parameters.append("*")
                seen_star = True
            parameters.append(self.parameter(name, parameter, position))
        if missing := self.mutated - self.signature.parameters.keys():
            self.fail(
                f"{missing} in mutates_args were not found in the custom op's signature. mutates_args should contain "
                "the names of all args that the custom op mutates, or just the string 'unknown' if you don't know."
            )
        return f"{op_name or ''}({', '.join(parameters)}) -> {self.returns()}"

    def parameter(self, name: str, parameter_: inspect.Parameter, position: int) -> str:
        annotation = parameter_.annotation
        if annotation is inspect.Parameter.empty:
            self.fail(f"Parameter {name} must have a type annotation.")
        try:
            spelled = SUPPORTED_PARAM_TYPES.get(annotation)
        except TypeError:  # an unhashable annotation
            spelled = None
        if spelled is None:
            self.refuse(name, annotation)
        if self.unknown or name in self.mutated:
            if spelled.startswith("Tensor"):
                spelled = f"Tensor(a{position}!){spelled.removeprefix('Tensor')}"
            elif not self.unknown:
                self.fail(
                    f"Parameter {name} is in mutable_args but only Tensors or collections of Tensors can be mutated"
                )
        if parameter_.default is inspect.Parameter.empty:
            return f"{spelled} {name}"
        return f"{spelled} {name}={self.default(name, parameter_.default)}"

    def refuse(self, name: str, annotation: Any) -> NoReturn:
        valid = f"The valid types are: {SUPPORTED_PARAM_TYPES.keys()}."
        if typing.get_origin(annotation) is tuple:
            lists: list[Any] = [
                list.__class_getitem__(arg) for arg in dict.fromkeys(typing.get_args(annotation)) if arg is not Ellipsis
            ]
            example = f" For example, {lists[0]}." if len(lists) == 1 else ""
            self.fail(
                f"Parameter {name} has unsupported type {annotation}. We do not support Tuple inputs in schema. As a "
                f"workaround, please try to use List instead.{example}\n\n{valid}"
            )
        self.fail(f"Parameter {name} has unsupported type {annotation}. {valid}")

    def default(self, name: str, value: Any) -> str:
        if value is None or isinstance(value, (int, float, bool)):
            return str(value)
        if isinstance(value, (str, device)):
            return f'"{value}"'
        if isinstance(value, dtype):
            return str(value).removeprefix("torch.")
        self.fail(
            f"Parameter {name} has an unsupported default value type {type(value)}. Please file an issue on GitHub so "
            "we can prioritize this."
        )

    def returns(self) -> str:
        annotation = self.signature.return_annotation
        if annotation is inspect.Signature.empty:
            self.fail("No return type annotation was provided. Please add one.")
        if annotation is None:
            return "()"
        if typing.get_origin(annotation) is not tuple:
            return self.result(annotation, annotation)
        types = [self.result(arg, annotation) for arg in typing.get_args(annotation)]
        return f"({', '.join(types)})"

    def result(self, annotation: Any, whole: Any) -> str:
        try:
            return SUPPORTED_RETURN_TYPES[annotation]
        except (KeyError, TypeError):
            self.fail(f"Return has unsupported type {whole}. The valid types are: {SUPPORTED_RETURN_TYPES}.")
