"""Writes a graph as Python: the source of a `forward`, and the globals that it needs."""

from __future__ import annotations

import builtins
import math
import operator
from collections.abc import Iterator, Reversible
from typing import Any, NamedTuple

from rushlight.core.device import device
from rushlight.core.dtype import dtype
from rushlight.core.formats import memory_format
from rushlight.core.shape_queries import layout
from rushlight.fx.naming import public_place, qualified, root, type_in_words
from rushlight.fx.node import Argument, Node, nodes_of

SIGNS = {
    operator.add: "{} + {}", operator.sub: "{} - {}", operator.mul: "{} * {}", operator.truediv: "{} / {}",
    operator.floordiv: "{} // {}", operator.mod: "{} % {}", operator.pow: "{} ** {}", operator.matmul: "{} @ {}",
    operator.lshift: "{} << {}", operator.rshift: "{} >> {}", operator.and_: "{} & {}", operator.or_: "{} | {}",
    operator.xor: "{} ^ {}", operator.eq: "{} == {}", operator.ne: "{} != {}", operator.lt: "{} < {}",
    operator.le: "{} <= {}", operator.gt: "{} > {}", operator.ge: "{} >= {}", operator.neg: "-{}",
    operator.pos: "+{}", operator.invert: "~{}", operator.getitem: "{}[{}]",
}  # fmt: skip
IN_PLACE = {
    operator.iadd: "+=", operator.isub: "-=", operator.imul: "*=", operator.itruediv: "/=", operator.ifloordiv: "//=",
    operator.imod: "%=", operator.ipow: "**=", operator.imatmul: "@=", operator.iand: "&=", operator.ior: "|=",
    operator.ixor: "^=", operator.ilshift: "<<=", operator.irshift: ">>=",
}  # fmt: skip
PLAIN = (bool, int, float, complex, str, bytes, type(None), type(...))


class PythonCode(NamedTuple):
    src: str
    globals: dict[str, Any]


def written(nodes: Reversible[Node], root_module: str) -> PythonCode:
    """Returns the source; names are released after their last use, so tensors live no longer than in the original."""
    return Writer(root_module).write(nodes)


class Writer:
    def __init__(self, root_module: str) -> None:
        self.root = root_module
        self.globals: dict[str, Any] = {"torch": root(), "inf": math.inf, "nan": math.nan, "NoneType": type(None),
                                        "device": device}  # fmt: skip
        self.free: list[str] = []  # arguments of `forward`

    def write(self, nodes: Reversible[Node]) -> PythonCode:
        lets_go = last_uses(nodes)
        lines = []
        for node in nodes:
            line = self.line(node)
            unused = [] if node.op in ("placeholder", "output") else lets_go.get(node, [])
            names = [x.name for x in unused]
            if not node.users and node.op not in ("placeholder", "output"):
                names.append(node.name)
            if line or names:
                let_go = f";  {' = '.join(names)} = None" if names else ""
                lines.append(f"    {line}{let_go}\n")
        arguments = ", ".join([self.root, *self.free])
        source = f"\n\n\ndef forward({arguments}):\n{''.join(lines) or '    pass'}    "
        return PythonCode(source, self.globals)

    def line(self, node: Node) -> str:
        if node.op == "placeholder":
            return self.argument(node)
        if node.op == "output":
            return f"return {self.words(node.args[0])}"
        if node.target in IN_PLACE and node.op == "call_function":
            first, second = (self.words(arg) for arg in node.args)
            return f"{first} {IN_PLACE[node.target]} {second};  {node.name} = {first}"
        return f"{node.name} = {self.value(node)}"

    def argument(self, node: Node) -> str:
        """Adds a placeholder to the arguments, and a line if its name differs there."""
        name = str(node.target)
        default = f" = {self.words(node.args[0])}" if node.args else ""
        kind = f" : {self.kind(node.type)}" if node.type is not None else ""
        self.free.append(f"{name}{kind}{default}")
        bare = name.lstrip("*")
        return "" if bare == node.name else f"{node.name} = {bare}"

    def value(self, node: Node) -> str:
        if node.op == "get_attr":
            return attribute(self.root, str(node.target))
        if node.op == "call_module":
            return f"{attribute(self.root, str(node.target))}({self.arguments(node.args, node.kwargs)})"
        if node.op == "call_method":
            called = attribute(self.words(node.args[0]), str(node.target))
            return f"{called}({self.arguments(node.args[1:], node.kwargs)})"
        return self.call(node)

    def call(self, node: Node) -> str:
        target, args = node.target, node.args
        if target in SIGNS and not node.kwargs:
            return SIGNS[target].format(*(self.operand(arg) for arg in args))
        if target is getattr and len(args) == 2 and isinstance(args[1], str) and args[1].isidentifier():
            return attribute(self.words(args[0]), args[1])
        return f"{self.known(target)}({self.arguments(args, node.kwargs)})"

    def operand(self, a: Argument) -> str:
        words = self.words(a)
        return f"({words})" if words.startswith("-") else words  # -1 ** x is -(1 ** x)

    def arguments(self, args: tuple, kwargs: dict) -> str:
        named = (f"{name} = {self.words(value)}" for name, value in kwargs.items())
        return ", ".join([*(self.words(arg) for arg in args), *named])

    def words(self, a: Argument) -> str:
        """Returns an argument as Python."""
        if isinstance(a, Node):
            return a.name
        if isinstance(a, tuple) and hasattr(a, "_fields"):
            return f"{self.known(type(a))}({', '.join(map(self.words, a))})"
        if isinstance(a, tuple):
            return f"({', '.join(map(self.words, a))}{',' if len(a) == 1 else ''})"
        if isinstance(a, list):
            return f"[{', '.join(map(self.words, a))}]"
        if isinstance(a, dict):
            return "{" + ", ".join(f"{self.words(key)}: {self.words(value)}" for key, value in a.items()) + "}"
        if isinstance(a, slice):
            return f"slice({', '.join(self.words(x) for x in (a.start, a.stop, a.step))})"
        if type(a) in PLAIN or isinstance(a, dtype | device | layout | memory_format):
            return repr(a)
        return self.known(a)

    def kind(self, kind: Any) -> str:
        words = type_in_words(kind)
        if words == "torch.Tensor" or kind is getattr(builtins, words, None):
            return words
        return self.known(kind)

    def known(self, value: Any) -> str:
        """Returns the name of an object in the code: `torch.relu` as it is, other objects as globals."""
        name = getattr(value, "__name__", type(value).__name__)
        if value is getattr(builtins, name, None):
            return name
        public = public_place(value) if callable(value) else None
        if public is not None:
            return public
        wished = "".join(c if c.isalnum() else "_" for c in (qualified(value) if callable(value) else name))
        number, name = 1, wished
        while name in self.globals and self.globals[name] is not value:
            name, number = f"{wished}_{number}", number + 1
        self.globals[name] = value
        return name


def attribute(of: str, path: str) -> str:
    """Returns `self.layer.0` as Python: `getattr(self.layer, "0")`."""
    for name in path.split("."):
        of = f"{of}.{name}" if name.isidentifier() else f'getattr({of}, "{name}")'
    return of


def last_uses(nodes: Reversible[Node]) -> dict[Node, list[Node]]:
    """Maps each node to the nodes whose results are last used there."""
    result: dict[Node, list[Node]] = {}
    seen: set[Node] = set()
    for node in reversed(nodes):
        for argument in arguments_of(node):
            if argument not in seen:
                seen.add(argument)
                result.setdefault(node, []).append(argument)
    return result


def arguments_of(node: Node) -> Iterator[Node]:
    return nodes_of([list(node.args), node.kwargs])
