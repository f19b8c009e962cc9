"""`torch.fx.experimental.schema_type_annotation`: types of nodes, from the annotations of what they call."""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable
from typing import Any

from rushlight.core.tensor import Tensor
from rushlight.fx.graph_module import GraphModule
from rushlight.fx.interpreter import Transformer
from rushlight.fx.node import Argument, Target
from rushlight.fx.proxy import Proxy
from rushlight.fx.spelling import composites

__all__ = ["AnnotateTypesWithSchema"]


class AnnotateTypesWithSchema(Transformer):
    """Adds types to nodes that call functions of `torch.nn.functional` or modules of `torch.nn`, or read attributes.

    >>> import rushlight as torch
    >>> traced = torch.fx.symbolic_trace(torch.nn.Sequential(torch.nn.ReLU()))
    >>> print(AnnotateTypesWithSchema(traced).transform().code.strip().splitlines()[2].strip())
    _0 : torch.Tensor = getattr(self, "0")(input_1);  input_1 = None
    """

    def __init__(
        self,
        module: GraphModule,
        annotate_functionals: bool = True,
        annotate_modules: bool = True,
        annotate_get_attrs: bool = True,
    ) -> None:
        super().__init__(module)
        self.annotate_functionals = annotate_functionals
        self.annotate_modules = annotate_modules
        self.annotate_get_attrs = annotate_get_attrs

    def call_function(self, target: Target, args: tuple[Argument, ...], kwargs: dict[str, Any]) -> Any:
        annotated = self.annotate_functionals and inspect.isfunction(target) and target in composites()
        kind = returned(target) if annotated else None  # type: ignore[arg-type]
        return typed(super().call_function(target, args, kwargs), kind)

    def call_module(self, target: Target, args: tuple[Argument, ...], kwargs: dict[str, Any]) -> Any:
        module = self.fetch_attr(str(target))
        annotated = self.annotate_modules and type(module).__module__.startswith(("torch.nn.", "rushlight.nn."))
        return typed(super().call_module(target, args, kwargs), returned(module.forward) if annotated else None)

    def get_attr(self, target: Target, args: tuple[Argument, ...], kwargs: dict[str, Any]) -> Proxy:
        value = self.fetch_attr(str(target))
        return typed(super().get_attr(target, args, kwargs), type_of(value) if self.annotate_get_attrs else None)


def typed(proxy: Proxy, kind: Any) -> Proxy:
    proxy.node.type = proxy.node.type or kind
    return proxy


def returned(function: Callable) -> Any:
    """Returns the type that a function is annotated to return, or None."""
    try:
        return typing.get_type_hints(function).get("return")
    except (NameError, TypeError):  # annotations of a program that name nothing
        return None


def type_of(value: Any) -> Any:
    """Returns the type of an attribute: of lists, tuples and dicts with that of their items. None if they differ."""
    if isinstance(value, Tensor):
        return Tensor
    if isinstance(value, bool | int | float | complex | str | None):
        return type(value)
    if isinstance(value, tuple):
        kinds = [type_of(each) for each in value]
        return tuple[tuple(kinds)] if all(kinds) else None  # type: ignore[misc]
    if isinstance(value, list | dict) and value:
        items = value.values() if isinstance(value, dict) else value
        kinds = list(dict.fromkeys(map(type_of, items)))
        keys = list(dict.fromkeys(map(type, value))) if isinstance(value, dict) else []
        if len(kinds) > 1 or len(keys) > 1 or kinds == [None]:
            return None
        return dict[keys[0], kinds[0]] if keys else list[kinds[0]]  # type: ignore[valid-type]
    return None
