"""Groups of calls as `torch.fx` graphs, for backends of one's own.

https://docs.pytorch.org/docs/stable/torch.compiler_custom_backends.html
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from importlib import import_module
from types import MethodType
from typing import Any

from rushlight.capture.calls import Built, Constant, Value
from rushlight.capture.grouping import Group
from rushlight.capture.words import place
from rushlight.core.tensor import Tensor
from rushlight.create.filled import empty_strided
from rushlight.fx import Graph, GraphModule, Node

BINARY = "add sub mul truediv floordiv mod pow matmul and or xor lshift rshift".split()
NAMES = [*BINARY, *[f"i{name}" for name in BINARY], *"eq ne lt le gt ge neg pos invert getitem".split()]
OPERATORS: dict[str, Callable] = {f"__{name}__": getattr(operator, f"__{name}__") for name in NAMES}
REFLECTED: dict[str, Callable] = {f"r{name}": getattr(operator, f"__{name}__") for name in BINARY}


class Compiled:
    """The function that a backend returned: it gives a tensor, a tuple or a list; this one always a list."""

    def __init__(self, function: Callable):
        self.function = function

    def __call__(self, *inputs: Tensor) -> list:
        made = self.function(*inputs)
        return [made] if isinstance(made, Tensor) else list(made)


def compiled_by(backend: Callable, group: Group, sample: Callable[[Any], Any], keywords: dict[str, Any]) -> Compiled:
    """Returns what a backend makes of the graph of a group.

    Raises `torch._dynamo.exc.BackendCompilerFailed` if it raises an error, or returns what cannot be called.
    """
    inputs = [*map(sample, group.inputs)]
    try:
        module = graph_module(group, sample)
        function = backend(module, inputs, **keywords)
        forget_elements(module.graph)
        if not callable(function):
            raise TypeError(f"compiler_fn did not return callable, but a {type(function).__name__}")
    except Exception as error:
        raise import_module("rushlight._dynamo.exc").BackendCompilerFailed(backend, error) from error
    return Compiled(function)


def forget_elements(graph: Graph) -> None:
    """Keeps sizes and dtypes of the values that nodes had: the tensors of a run are let go after it."""
    for node in graph.nodes:
        if "val" in node.meta:
            node.meta["val"] = without_elements(node.meta["val"])


def without_elements(value: Any) -> Any:
    """Returns a value with tensors on the meta device in place of its tensors."""
    if isinstance(value, Tensor):
        return empty_strided(value.shape, value.stride(), dtype=value.dtype, device="meta")
    return [*map(without_elements, value)] if isinstance(value, (list, tuple)) else value


def graph_module(group: Group, sample: Callable[[Any], Any]) -> GraphModule:
    """Returns the graph of a group: a placeholder for each input, and a node for each call of a public function.

    Modes that the program holds are attributes of the module.
    """
    graph = Graph()
    nodes: dict[Any, Any] = {}
    names: set[str] = set()
    for number, expression in enumerate(group.inputs):
        name = input_name(expression, number)
        name = f"{name}{number}" if name in names else name
        names.add(name)
        nodes[expression] = node = graph.placeholder(name)
        node.meta["val"] = sample(expression)
    held = {f"{input_name(each, number)}{number}": each for number, each in enumerate(group.objects)}
    nodes.update({each: graph.get_attr(name) for name, each in held.items()})

    def argument(expression: Any) -> Any:
        if type(expression) is Constant:
            return expression.value
        if type(expression) is Built:  # it may have no hash
            return built(expression)
        if expression in nodes:
            return nodes[expression]
        made = graph.call_function(operator.getitem, (argument(expression.whole), expression.index))
        made.meta["val"] = sample(expression)
        nodes[expression] = made
        return made

    def built(expression: Built) -> Any:
        if expression.kind is dict:
            return {argument(key): argument(value) for key, value in expression.items}
        parts = [argument(each) for each in expression.items]
        if expression.kind in (tuple, list, set):
            return expression.kind(parts)
        return MethodType(*parts) if expression.kind is MethodType else expression.kind(*parts)

    for call in group.calls:
        arguments = tuple([argument(each) for each in call.arguments])
        keywords = {name: argument(value) for name, value in call.keywords.items()}
        node = node_of(graph, call.function, arguments, keywords)
        result = group.result_of(call)
        nodes[result] = node
        node.meta["val"] = sample(result)
    graph.output(tuple([argument(each) for each in group.outputs]))
    return GraphModule({name: sample(each) for name, each in held.items()}, graph)


def input_name(expression: Any, number: int) -> str:
    """Returns the name of an input: that of the argument or the attribute that it was read from."""
    if type(expression) is not Value:
        return f"arg{number}"
    name = re.sub(r"\W+", "_", place(expression.path)).strip("_").lower()
    return f"l_{name}_" if name else f"arg{number}"


def node_of(graph: Graph, function: Any, arguments: tuple, keywords: dict[str, Any]) -> Node:
    """Returns a new node: an operator of Python for `x + y`, a method for `x.sum()`, a function for others."""
    name = getattr(function, "__name__", "")
    if getattr(Tensor, name, None) is not function or not arguments or not isinstance(arguments[0], Node):
        return graph.call_function(function, arguments, keywords)
    sign = OPERATORS.get(name)
    if sign is not None and not keywords:
        return graph.call_function(sign, arguments)
    if name[2:-2] in REFLECTED and len(arguments) == 2:
        return graph.call_function(REFLECTED[name[2:-2]], arguments[::-1])
    return graph.call_method(name, arguments, keywords)
