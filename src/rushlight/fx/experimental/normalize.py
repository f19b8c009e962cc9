"""`torch.fx.experimental.normalize`: one way to write each call."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from rushlight._generated import functions
from rushlight.fx.experimental.schema_type_annotation import AnnotateTypesWithSchema
from rushlight.fx.graph_module import GraphModule
from rushlight.fx.interpreter import Transformer
from rushlight.fx.node import Argument, Node, Target, map_aggregate
from rushlight.fx.operator_schemas import create_type_hint, normalize_function, normalize_module
from rushlight.fx.proxy import Proxy

__all__ = ["NormalizeArgs", "NormalizeOperators"]


class NormalizeArgs(Transformer):
    """Writes arguments by name with defaults added; without `normalize_to_only_use_kwargs`, given positions stay.

    The types of arguments, `node.meta["type"]`, decide between overloads of an operator.

    >>> import rushlight as torch
    >>> traced = torch.fx.symbolic_trace(lambda x: torch.nn.functional.leaky_relu(x, 0.1))
    >>> print(NormalizeArgs(traced).transform().code.strip().splitlines()[1].strip())
    leaky_relu = torch.nn.functional.leaky_relu(input = x, negative_slope = 0.1, inplace = False);  x = None
    """

    def __init__(self, module: GraphModule, normalize_to_only_use_kwargs: bool = True) -> None:
        super().__init__(module)
        self.node_map: dict[Proxy, Node] = {}
        self.normalize_to_only_use_kwargs = normalize_to_only_use_kwargs

    def run_node(self, n: Node) -> Any:
        args, kwargs = self.fetch_args_kwargs_from_env(n)
        if n.op == "call_function":
            arg_types, kwarg_types = self._types(n)
            out = self.call_function(n.target, args, kwargs, arg_types, kwarg_types)
        else:
            out = super().run_node(n)
        if n.op != "output":
            self.node_map[out] = n
            out.node.meta, out.node.type = n.meta, n.type
        return out

    def _types(self, node: Node) -> tuple[tuple[Any, ...], dict[str, Any]]:
        def kind(value: Any) -> Any:
            return value.meta.get("type") if isinstance(value, Node) else type(value)

        arg_types = tuple(create_type_hint(each) for each in map_aggregate(node.args, kind))
        return arg_types, {name: map_aggregate(value, kind) for name, value in node.kwargs.items()}

    def call_function(  # type: ignore[override]
        self,
        target: Target,
        args: tuple[Argument, ...],
        kwargs: dict[str, Any],
        arg_types: tuple[Any, ...] | None = None,
        kwarg_types: dict[str, Any] | None = None,
    ) -> Any:
        only_names = self.normalize_to_only_use_kwargs
        new = normalize_function(target, args, kwargs, arg_types, kwarg_types, only_names)  # type: ignore[arg-type]
        return super().call_function(target, *(new or (args, kwargs)))

    def call_module(self, target: Target, args: tuple[Argument, ...], kwargs: dict[str, Any]) -> Any:
        new = normalize_module(self.module, str(target), args, kwargs, self.normalize_to_only_use_kwargs)
        return super().call_module(target, *(new or (args, kwargs)))


class NormalizeOperators(AnnotateTypesWithSchema):
    """Writes `torch.add(x, y)` as `x + y`, and likewise other functions of two arguments that have an operator.

    >>> import rushlight as torch
    >>> traced = torch.fx.symbolic_trace(lambda x: torch.add(x, 1))
    >>> print(NormalizeOperators(traced).transform().code.strip().splitlines()[1].strip())
    add = x + 1;  x = None
    """

    binary_magic_method_remap: dict[Callable[..., Any], Callable[[Any, Any], Any]] = {
        functions.add: operator.add, functions.mul: operator.mul, functions.sub: operator.sub,
        functions.div: operator.truediv, functions.floor_divide: operator.floordiv, functions.remainder: operator.mod,
        functions.eq: operator.eq, functions.ne: operator.ne, functions.lt: operator.lt, functions.le: operator.le,
        functions.gt: operator.gt, functions.ge: operator.ge,
    }  # fmt: skip

    def call_function(self, target: Target, args: tuple[Argument, ...], kwargs: dict[str, Any]) -> Any:
        if target in self.binary_magic_method_remap and len(args) == 2 and not kwargs:
            return super().call_function(self.binary_magic_method_remap[target], args, {})  # type: ignore[index]
        return super().call_function(target, args, kwargs)
