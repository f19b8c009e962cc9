"""A graph as plain data, which a file may contain, and back. Reading it runs nothing and calls no name of the file.

A row is a node: kind, name, target, arguments. A target is the name of an operator in the tables here.
"""

from __future__ import annotations

import keyword
import operator
import re
import sys
from collections.abc import Callable, Container
from types import FunctionType
from typing import Any

from rushlight._library.aten import index
from rushlight.core.device import device
from rushlight.core.dtype import BY_NAME, dtype
from rushlight.core.errors import noted
from rushlight.core.formats import FORMATS, memory_format
from rushlight.core.tensor import Tensor
from rushlight.fx.code import IN_PLACE, SIGNS
from rushlight.fx.graph import Graph
from rushlight.fx.naming import public_place, root
from rushlight.fx.node import OPS, Node
from rushlight.fx.spelling import composites

PLAIN = (bool, int, float, str, type(None))
DEPTH = 64  # of nested arguments
PLACES = ("", "nn.functional", "linalg", "fft", "special")
PYTHON = {
    f"operator.{each.__name__}": each for each in (*SIGNS, *IN_PLACE, operator.abs, operator.not_, operator.index)
}
# Operators that read or write files, or hand out memory.
REFUSED = frozenset(("from_file", "set_", "share_memory_", "data_ptr", "tofile"))
# Methods that are no operators of their own.
METHODS = frozenset(
    "size dim numel stride to type_as float double half bfloat16 int long short char byte bool cpu contiguous "
    "expand_as view_as reshape_as new_tensor requires_grad_ item tolist unflatten norm split is_floating_point "
    "is_complex".split()
)
ATTRIBUTES = frozenset("shape dtype device ndim T mT H mH real imag requires_grad is_cuda layout data".split())
NAME = re.compile(r"\w[\w \-]*")  # of a member; of a node it is also an identifier


def operators() -> frozenset[str]:
    """Returns the names of PyTorch's operators."""
    if not NAMES:
        NAMES.update(index())
    return frozenset(NAMES) - REFUSED


NAMES: set[str] = set()


# Writing


def rows_of(graph: Graph) -> list[list[Any]]:
    """Returns a graph as plain data. Raises RuntimeError for a node that a file cannot contain."""
    positions = {node: place for place, node in enumerate(graph.nodes)}
    return [
        [
            node.op,
            node.name,
            target_name(node),
            encoded(tuple(node.args), positions),
            encoded(dict(node.kwargs), positions),
        ]
        for node in graph.nodes
    ]


def target_name(node: Node) -> str:
    """Returns the name of what a node calls. Raises RuntimeError if a file cannot name it."""
    if node.op == "call_module":
        raise RuntimeError(f"a saved graph has no calls of modules, and `{node.name}` is one")
    name = node.target if isinstance(node.target, str) else name_of(node.target)
    wanted = FUNCTIONS if node.op == "call_function" else METHOD if node.op == "call_method" else None
    if name is None or (wanted is not None and wanted(name) is None):
        called = getattr(node.target, "__name__", node.target)
        raise noted(
            RuntimeError(f"Could not export Python function call '{called}'"),
            f"`{node.name}` calls what is no operator of torch, so a file cannot contain it: write it with operators.",
        )
    return name


def name_of(function: Callable) -> str | None:
    if getattr(function, "__module__", None) == "_operator":
        return f"operator.{function.__name__}"
    return "getattr" if function is getattr else public_place(function)


def encoded(value: Any, positions: dict[Node, int]) -> Any:
    """Returns an argument as plain data: pairs of a kind and a value."""
    if isinstance(value, Node):
        return ["node", positions[value]]
    if isinstance(value, tuple | list):
        return ["tuple" if isinstance(value, tuple) else "list", [encoded(x, positions) for x in value]]
    if isinstance(value, dict):
        return ["dict", [[encoded(key, positions), encoded(x, positions)] for key, x in value.items()]]
    if isinstance(value, slice):
        return ["slice", [encoded(x, positions) for x in (value.start, value.stop, value.step)]]
    if isinstance(value, dtype):
        return ["dtype", value.name]
    if isinstance(value, device):
        return ["device", str(value)]
    if isinstance(value, memory_format):
        return ["memory_format", value.name]
    if isinstance(value, complex):
        return ["complex", [value.real, value.imag]]
    if value is ...:
        return ["ellipsis", None]
    if isinstance(value, PLAIN):
        return ["value", plain(value)]
    raise noted(
        RuntimeError(f"a saved graph cannot contain a {type(value).__name__}"), f"It is an argument: {value!r}."
    )


def plain(value: Any) -> Any:
    """Returns a constant of exactly one of the plain types: sizes of a trace and NumPy's numbers are subclasses."""
    kinds: Any = PLAIN
    return value if type(value) in PLAIN else next(kind(value) for kind in kinds if isinstance(value, kind))


# Reading


class Malformed(RuntimeError):
    """A file that is no module, or one that names what it must not."""

    __module__, __qualname__ = "builtins", "RuntimeError"


def graph_of(rows: Any, members: Container[str]) -> Graph:
    """Returns the graph of plain data, which reads the named members of a module.

    Raises RuntimeError for anything but a sound graph of known operators.
    """
    check(type(rows) is list, "a graph is a list of nodes")
    graph = Graph()
    nodes: list[Node] = []
    for row in rows:
        check(type(row) in (list, tuple) and len(row) == 5, "a node has five parts")
        op, name, target, args, kwargs = row
        check(op in OPS and op != "call_module" and type(name) is str and type(target) is str, "a node has a kind")
        check(name.isidentifier() and not keyword.iskeyword(name), f"{name!r} is no name")
        positional, named = decoded(args, nodes), decoded(kwargs, nodes)
        check(type(positional) is tuple and type(named) is dict, "arguments are a tuple and a dict")
        check(all(type(key) is str and key.isidentifier() for key in named), "keywords are names")
        check(op != "get_attr" or target in members, f"it reads {target!r}, which is no tensor of the file")
        nodes.append(graph.create_node(op, resolved(op, target, positional), positional, named, name))
    check(
        bool(nodes) and nodes[-1].op == "output" and sum(node.op == "output" for node in nodes) == 1,
        "one output ends it",
    )
    return graph


def check(sound: bool, words: str) -> None:
    if not sound:
        raise Malformed(f"the file is no saved module: {words}")


def resolved(op: str, name: str, args: tuple) -> Any:
    """Returns the function, or the name, of a target."""
    if op == "call_function":
        function = FUNCTIONS(name)
        check(function is not None, f"it calls {name!r}, which is no operator")
        if function is getattr:
            check(len(args) == 2 and type(args[1]) is str and args[1] in ATTRIBUTES, f"it reads {args[1:]!r}")
        return function
    if op == "call_method":
        check(METHOD(name) is not None, f"it calls the method {name!r}, which is no operator")
    elif op == "placeholder":
        check(name.isidentifier() and not keyword.iskeyword(name), f"{name!r} is no name of an argument")
    return name


def function_named(name: str) -> Callable | None:
    """Returns the operator of a public name, or None if there is none."""
    if name == "getattr":
        return getattr
    if name in PYTHON:
        return PYTHON[name]  # type: ignore[return-value]
    place, _, short = name.rpartition(".")
    if place != "torch" and place.removeprefix("torch.") not in PLACES:
        return None
    holder = root() if place == "torch" else sys.modules.get(f"rushlight.{place.removeprefix('torch.')}")
    function: Any = getattr(holder, short, None) if holder is not None and NAME.fullmatch(short) else None
    if not isinstance(function, FunctionType):
        return None
    prefix = place.removeprefix("torch").lstrip(".")
    known = short in operators() or f"{prefix}_{short}" in operators() or function in composites()
    if not known or short in REFUSED:
        return None
    return function


def method_named(name: str) -> str | None:
    """Returns a name if it is a method of tensors that is an operator."""
    known = name in operators() or name in METHODS or (name.startswith("__") and name.strip("_") in DUNDER)
    return name if known and name not in REFUSED and hasattr(Tensor, name) else None


FUNCTIONS, METHOD = function_named, method_named
DUNDER = frozenset(
    "add radd iadd sub rsub isub mul rmul imul truediv rtruediv itruediv floordiv rfloordiv mod rmod pow rpow matmul "
    "rmatmul and or xor invert neg pos abs eq ne lt le gt ge getitem setitem lshift rshift".split()
)


def decoded(value: Any, nodes: list[Node], depth: int = DEPTH) -> Any:
    """Returns an argument of plain data."""
    check(depth > 0, "its arguments are nested too deeply")
    check(type(value) in (list, tuple) and len(value) == 2 and type(value[0]) is str, "an argument is a pair")
    kind, inside = value
    if kind in ("tuple", "list", "slice", "dict"):
        check(type(inside) in (list, tuple), f"a {kind} has items")
    if kind == "dict":
        pairs = [decoded(["tuple", pair], nodes, depth - 1) for pair in inside]
        check(all(len(pair) == 2 and type(pair[0]) in PLAIN for pair in pairs), "a dict has keys and values")
        return dict(pairs)
    if kind in ("tuple", "list", "slice"):
        parts = [decoded(part, nodes, depth - 1) for part in inside]
        check(kind != "slice" or len(parts) == 3, "a slice has three parts")
        return slice(*parts) if kind == "slice" else (tuple if kind == "tuple" else list)(parts)
    return single(kind, inside, nodes)


def single(kind: str, inside: Any, nodes: list[Node]) -> Any:
    if kind == "node":
        check(type(inside) is int and 0 <= inside < len(nodes), "a node uses results of earlier nodes")
        return nodes[inside]
    if kind == "value":
        check(type(inside) in PLAIN, "a constant is a number or text")
        return inside
    if kind == "dtype":
        check(type(inside) is str and inside in BY_NAME, f"{inside!r} is no dtype")
        return BY_NAME[inside]
    if kind == "device":
        check(type(inside) is str, f"{inside!r} is no device")
        return device(inside)
    if kind == "memory_format":
        formats = [each for each in FORMATS if each.name == inside]
        check(len(formats) == 1, f"{inside!r} is no memory format")
        return formats[0]
    if kind == "complex":
        check(
            type(inside) in (list, tuple) and [type(x) for x in inside] == [float, float], "a complex number is a pair"
        )
        return complex(*inside)
    check(kind == "ellipsis", f"{kind!r} is no kind of argument")
    return ...
