"""Runs a graph without generating code: each node is a step on a list of values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rushlight.fx.code import last_uses
from rushlight.fx.graph import NO_DEFAULT, Graph
from rushlight.fx.graph_module import _get_attr
from rushlight.fx.node import Node

Step = Callable[[Any, list[Any]], Any]


class Program:
    """A function of a module and arguments that computes a graph."""

    def __init__(self, graph: Graph, name: str) -> None:
        self.name = name
        nodes = list(graph.nodes)
        self.positions = {node: place for place, node in enumerate(nodes)}
        self.inputs = [
            (str(node.target), node.args[0] if node.args else NO_DEFAULT) for node in graph.find_nodes(op="placeholder")
        ]
        lets_go = last_uses(graph.nodes)
        self.steps = [
            (place, self._step(node), [self.positions[used] for used in lets_go.get(node, [])])
            for place, node in enumerate(nodes)
            if node.op != "placeholder"
        ]

    def __call__(self, module: Any, args: tuple, kwargs: dict[str, Any]) -> Any:
        values: list[Any] = [*self._bound(args, kwargs), *([None] * (len(self.positions) - len(self.inputs)))]
        result = None
        for place, step, done in self.steps:
            values[place] = result = step(module, values)
            for each in done:
                values[each] = None
        return result

    def _bound(self, args: tuple, kwargs: dict[str, Any]) -> list[Any]:
        names = [name for name, _ in self.inputs]
        if len(args) > len(names):
            raise RuntimeError(f"{self.name}() expected at most {len(names)} argument(s) but received {len(args)} "
                               f"argument(s). Declaration: {self._declaration()}")  # fmt: skip
        unknown = [name for name in kwargs if name not in names[len(args) :]]
        if unknown:
            raise RuntimeError(f"Unknown keyword argument '{unknown[0]}' for operator '{self.name}'. Schema: "
                               f"{self._declaration()}")  # fmt: skip
        values = list(args)
        for name, default in self.inputs[len(args) :]:
            value = kwargs.get(name, default)
            if value is NO_DEFAULT:
                raise RuntimeError(f"{self.name}() is missing value for argument '{name}'. Declaration: "
                                   f"{self._declaration()}")  # fmt: skip
            values.append(value)
        return values

    def _declaration(self) -> str:
        return f"{self.name}({', '.join(name for name, _ in self.inputs)})"

    def _step(self, node: Node) -> Step:
        target: Any = node.target
        args, kwargs = self._value(tuple(node.args)), self._value(dict(node.kwargs))
        if node.op == "get_attr":
            return lambda module, values: _get_attr(module, target)
        if node.op == "output":
            return lambda module, values: args(values)[0]
        if node.op == "call_function":
            return lambda module, values: target(*args(values), **kwargs(values))
        if node.op == "call_method":
            return lambda module, values: method(target, args(values), kwargs(values))
        return lambda module, values: _get_attr(module, target)(*args(values), **kwargs(values))

    def _value(self, argument: Any) -> Callable[[list[Any]], Any]:
        """Returns the function that computes an argument from the values of nodes."""
        if isinstance(argument, Node):
            place = self.positions[argument]
            return lambda values: values[place]
        if isinstance(argument, tuple | list):
            kind = tuple if isinstance(argument, tuple) else list
            parts = [self._value(part) for part in argument]
            return lambda values: kind([part(values) for part in parts])
        if isinstance(argument, dict):
            named = {key: self._value(value) for key, value in argument.items()}
            return lambda values: {key: part(values) for key, part in named.items()}
        if isinstance(argument, slice):
            ends = [self._value(part) for part in (argument.start, argument.stop, argument.step)]
            return lambda values: slice(*(end(values) for end in ends))
        return lambda values: argument


def method(name: str, args: tuple, kwargs: dict[str, Any]) -> Any:
    own, *others = args
    return getattr(own, name)(*others, **kwargs)
