"""A graph: nodes in execution order."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from rushlight.fx.code import PythonCode, written
from rushlight.fx.naming import Names, wished_name
from rushlight.fx.node import Argument, Node, Target, map_aggregate, map_arg

__all__ = ["Graph", "PythonCode"]

OPS = ("call_function", "call_method", "get_attr", "call_module", "placeholder", "output")


class NodeList:
    """The nodes of a graph in order. Nodes may be erased and added during iteration."""

    def __init__(self, graph: Graph, direction: str = "_next") -> None:
        self.graph, self.direction = graph, direction

    def __len__(self) -> int:
        return self.graph._len

    def __iter__(self) -> Iterator[Node]:
        current = getattr(self.graph._root, self.direction)
        while current is not self.graph._root:
            if not current._erased:
                yield current
            current = getattr(current, self.direction)

    def __reversed__(self) -> NodeList:
        return NodeList(self.graph, "_prev" if self.direction == "_next" else "_next")


class Graph:
    """Nodes in execution order: arguments, calls, and the result.

    >>> import rushlight as torch
    >>> graph = torch.fx.Graph()
    >>> x = graph.placeholder("x")
    >>> _ = graph.output(graph.call_function(torch.relu, (x,)))
    >>> print(graph)
    graph():
        %x : [num_users=1] = placeholder[target=x]
        %relu : [num_users=1] = call_function[target=torch.relu](args = (%x,), kwargs = {})
        return relu
    """

    def __init__(
        self,
        owning_module: Any = None,
        tracer_cls: type | None = None,
        tracer_extras: dict[str, Any] | None = None,
    ) -> None:
        self.owning_module = owning_module
        self._tracer_cls = tracer_cls
        self._tracer_extras = tracer_extras
        self._names = Names()
        self._len = 0
        self._root = Node(self, "", "root", "", (), {})
        self._insert: Callable[[Node], None] = self._root.prepend

    @property
    def nodes(self) -> NodeList:
        return NodeList(self)

    def output_node(self) -> Node:
        return next(node for node in reversed(self.nodes) if node.op == "output")

    def find_nodes(self, *, op: str, target: Target | None = None, sort: bool = True) -> list[Node]:
        """Returns the nodes with an `op`, and with a target; for `call_function` the target is required."""
        if op == "call_function" and target is None:
            raise ValueError("target must be specified when op='call_function'")
        return [node for node in self.nodes if node.op == op and (target is None or node.target == target)]

    # New nodes

    def create_node(
        self,
        op: str,
        target: Target,
        args: tuple[Argument, ...] | None = None,
        kwargs: dict[str, Argument] | None = None,
        name: str | None = None,
        type_expr: Any = None,
    ) -> Node:
        """Adds a node at the insertion point, by default at the end."""
        if op not in OPS:
            raise AssertionError(f"op '{op}' is not a valid node operation")
        args, kwargs = args or (), kwargs or {}
        wished = name if name is not None else self._target_to_str(target)
        node = Node(self, self._names.fresh(wished), op, target, args, kwargs, type_expr)
        self._insert(node)
        self._len += 1
        return node

    def _target_to_str(self, target: Target | None) -> str:
        return wished_name(target if target is not None else "_unnamed")

    def placeholder(self, name: str, type_expr: Any = None, default_value: Any = ...) -> Node:
        args = () if default_value is ... else (default_value,)
        return self.create_node("placeholder", name, args, {}, name, type_expr)

    def get_attr(self, qualified_name: str, type_expr: Any = None) -> Node:
        return self.create_node("get_attr", qualified_name, (), {}, type_expr=type_expr)

    def call_module(
        self,
        module_name: str,
        args: tuple[Argument, ...] | None = None,
        kwargs: dict[str, Argument] | None = None,
        type_expr: Any = None,
    ) -> Node:
        return self.create_node("call_module", module_name, args, kwargs, type_expr=type_expr)

    def call_method(
        self,
        method_name: str,
        args: tuple[Argument, ...] | None = None,
        kwargs: dict[str, Argument] | None = None,
        type_expr: Any = None,
    ) -> Node:
        return self.create_node("call_method", method_name, args, kwargs, type_expr=type_expr)

    def call_function(
        self,
        the_function: Callable[..., Any],
        args: tuple[Argument, ...] | None = None,
        kwargs: dict[str, Argument] | None = None,
        type_expr: Any = None,
        name: str | None = None,
    ) -> Node:
        return self.create_node("call_function", the_function, args, kwargs, name, type_expr)

    def output(self, result: Argument, type_expr: Any = None) -> Node:
        return self.create_node("output", "output", (result,), {}, type_expr=type_expr)

    def node_copy(self, node: Node, arg_transform: Callable[[Node], Argument] = lambda node: node) -> Node:
        """Adds a copy of another graph's node; `arg_transform` maps its arguments to this graph."""
        args, kwargs = map_arg(node.args, arg_transform), map_arg(node.kwargs, arg_transform)
        copied = self.create_node(node.op, node.target, args, kwargs, node.name, node.type)
        copied.meta = copy.copy(node.meta)
        return copied

    def graph_copy(self, g: Graph, val_map: dict[Node, Node], return_output_node: bool = False) -> Argument | None:
        """Adds the nodes of another graph without its output; returns the output's value in this graph."""
        for node in g.nodes:
            if node in val_map:
                continue
            if node.op == "output":
                result = map_arg(node.args[0], lambda n: val_map[n])
                return (result, node) if return_output_node else result
            val_map[node] = self.node_copy(node, lambda n: val_map[n])
        return None

    def __deepcopy__(self, memo: dict | None = None) -> Graph:
        copied = Graph(tracer_cls=self._tracer_cls)
        known: dict[Node, Node] = {}
        if memo is not None:
            memo[id(self)] = copied
        for node in self.nodes:
            known[node] = copied.node_copy(node, lambda n: known[n])
        return copied

    def __reduce__(self) -> tuple:
        places = {node: index for index, node in enumerate(self.nodes)}

        def numbered(arguments: Argument) -> Argument:
            return map_arg(arguments, lambda node: Place(places[node]))

        rows = [
            (node.op, node.target, numbered(node.args), numbered(node.kwargs), node.name, node.type)
            for node in self.nodes
        ]
        return rebuilt, (rows, self._tracer_cls)

    # Changes

    def erase_node(self, to_erase: Node) -> None:
        """Removes an unused node."""
        if to_erase.users:
            raise RuntimeError(
                f"Tried to erase Node {to_erase} but it still had {len(to_erase.users)} users in the graph: "
                f"{to_erase.users}!"
            )
        if to_erase.graph is not self:
            raise RuntimeError(f"Attempting to remove {to_erase} from wrong graph!")
        if to_erase._erased:
            return
        to_erase._leave()
        to_erase._erased = True
        self._len -= 1
        to_erase._take((), {})

    @contextmanager
    def _inserting(self, insert: Callable[[Node], None]) -> Iterator[None]:
        before, self._insert = self._insert, insert
        try:
            yield
        finally:
            self._insert = before

    def inserting_before(self, n: Node | None = None) -> Any:
        """Within `with`, inserts nodes before `n`, or at the beginning."""
        self._check_own(n, "before")
        return self._inserting(self._root.append if n is None else n.prepend)

    def inserting_after(self, n: Node | None = None) -> Any:
        """Within `with`, inserts nodes directly after `n`, or at the end."""
        self._check_own(n, "after")
        return self._inserting(self._root.prepend if n is None else n.append)

    def _check_own(self, n: Node | None, where: str) -> None:
        if n is not None and n.graph is not self:
            raise AssertionError(f"Node to insert {where} is not in graph.")

    def eliminate_dead_code(self, is_impure_node: Callable[[Node], bool] | None = None) -> bool:
        """Removes unused nodes without side effects; returns whether there were any.

        >>> import rushlight as torch
        >>> traced = torch.fx.symbolic_trace(lambda x: (x.exp(), x + 1)[1])
        >>> traced.graph.eliminate_dead_code()
        True
        """
        self.lint()
        impure = is_impure_node or Node.is_impure
        before = self._len
        for node in reversed(self.nodes):
            if not node.users and not impure(node):
                self.erase_node(node)
        return self._len < before

    def lint(self) -> None:
        """Raises RuntimeError if a node uses a result before it exists, or a name occurs twice."""
        seen: set[Node] = set()
        for node in self.nodes:
            if node.op not in OPS:
                raise RuntimeError(f"Node {node} had unknown opcode {node.op}!")
            if node.graph is not self:
                raise RuntimeError(f"Node '{node}' does not belong to this Graph!")
            for used in node.all_input_nodes:
                if used.graph is not self:
                    raise RuntimeError(f"Argument '{used}' of Node '{node}' does not belong to this Graph, "
                                       "but was used as an argument! If you are copying nodes from another graph, "
                                       "make sure to use ``arg_transform`` on node_copy() to remap values")  # fmt: skip
                if used not in seen:
                    raise RuntimeError(f"Argument '{used}' of Node '{node}' was used before it has been defined! "
                                       "Please check that Nodes in the graph are topologically ordered")  # fmt: skip
            seen.add(node)

    # Text

    def python_code(self, root_module: str, *, verbose: bool = False) -> PythonCode:
        """Returns the source of a `forward`, and the globals that it needs."""
        return written(list(self.nodes), root_module)

    def __str__(self) -> str:
        lines = [node.format_node() for node in self.nodes]
        return "\n    ".join(["graph():", *(line for line in lines if line is not None)])


class Place(int):
    """The number of a node in a pickled graph."""


def rebuilt(rows: list[tuple], tracer_cls: type | None) -> Graph:
    """Returns a graph from the data of `Graph.__reduce__`."""
    graph = Graph(tracer_cls=tracer_cls)
    nodes: list[Node] = []

    def placed(arguments: Argument) -> Argument:
        return map_aggregate(arguments, lambda x: nodes[x] if isinstance(x, Place) else x)

    for op, target, args, kwargs, name, kind in rows:
        nodes.append(graph.create_node(op, target, placed(args), placed(kwargs), name, kind))
    return graph
