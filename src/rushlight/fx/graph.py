"""A graph: nodes in execution order."""

from __future__ import annotations

import copy
import inspect
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from rushlight.fx.checks import check_graph
from rushlight.fx.code import CodeGen, PythonCode, Transform
from rushlight.fx.naming import Names, wished_name
from rushlight.fx.node import OPS, Argument, Node, Target, map_aggregate, map_arg
from rushlight.fx.pytree_code import _PyTreeCodeGen as _PyTreeCodeGen
from rushlight.fx.pytree_code import _PyTreeInfo as _PyTreeInfo
from rushlight.fx.tables import table
from rushlight.nn.modules.module import Module
from rushlight.nn.parameter import Parameter

__all__ = ["CodeGen", "Graph", "PythonCode"]

NO_ATTRIBUTE = (
    "Attempted to insert a get_attr Node with no underlying reference in the owning GraphModule! Call "
    "GraphModule.add_submodule to add the necessary submodule, GraphModule.add_parameter to add the necessary "
    "Parameter, or nn.Module.register_buffer to add the necessary buffer"
)


NO_DEFAULT: Any = inspect.Signature.empty


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

    def __reversed__(self) -> Iterator[Node]:
        return iter(NodeList(self.graph, "_prev" if self.direction == "_next" else "_next"))


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
        self._origin = ""  # where the function that was traced is
        self._codegen = CodeGen()
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
            raise AssertionError(f"op '{op}' is not in _legal_ops")
        args, kwargs = args or (), kwargs or {}
        if not isinstance(args, tuple):
            raise AssertionError(f"args must be a tuple, got {type(args)}")
        if not isinstance(kwargs, dict):
            raise AssertionError(f"kwargs must be a dict, got {type(kwargs)}")
        wished = name if name is not None else self._target_to_str(target)
        node = Node(self, self._names.fresh(wished), op, target, args, kwargs, type_expr)
        self._insert(node)
        self._len += 1
        return node

    def _target_to_str(self, target: Target | None) -> str:
        return wished_name(target if target is not None else "_unnamed")

    def placeholder(self, name: str, type_expr: Any = None, default_value: Any = NO_DEFAULT) -> Node:
        args = () if default_value is NO_DEFAULT else (default_value,)
        return self.create_node("placeholder", name, args, {}, name, type_expr)

    def get_attr(self, qualified_name: str, type_expr: Any = None) -> Node:
        if self.owning_module is not None and not has_member(self.owning_module, qualified_name):
            warnings.warn(NO_ATTRIBUTE, stacklevel=2)
        return self.create_node("get_attr", qualified_name, (), {}, type_expr=type_expr)

    def call_module(
        self,
        module_name: str,
        args: tuple[Argument, ...] | None = None,
        kwargs: dict[str, Argument] | None = None,
        type_expr: Any = None,
    ) -> Node:
        if self.owning_module is not None:
            self.owning_module.get_submodule(module_name)  # raises AttributeError if there is none
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
        here = val_map.__getitem__
        for node in (each for each in g.nodes if each not in val_map):
            if node.op != "output":
                val_map[node] = self.node_copy(node, here)
                continue
            value = map_arg(node.args[0], here)
            return (value, node) if return_output_node else value
        return None

    def __deepcopy__(self, memo: dict | None = None) -> Graph:
        copied = Graph(tracer_cls=self._tracer_cls)
        copied._codegen, copied._origin = copy.deepcopy(self._codegen, memo), self._origin
        known: dict[Node, Node] = {}
        if memo is not None:
            memo[id(self)] = copied
        for node in self.nodes:
            known[node] = copied.node_copy(node, lambda n: known[n])
        return copied

    def __reduce__(self) -> tuple:
        numbers = {node: index for index, node in enumerate(self.nodes)}

        def numbered(arguments: Argument) -> Argument:
            return map_arg(arguments, lambda node: Place(numbers[node]))

        rows = [
            (node.op, node.target, numbered(node.args), numbered(node.kwargs), node.name, node.type)
            for node in self.nodes
        ]
        return rebuilt, (rows, self._tracer_cls, self._codegen)

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
            warnings.warn(f"erase_node({to_erase}) on an already erased node", stacklevel=2)
            return
        to_erase._leave()
        to_erase._erased = True
        self._len -= 1
        to_erase._take((), {})

    def inserting_before(self, n: Node | None = None) -> InsertPoint:
        """Inserts nodes before `n`, or at the beginning: within `with`, otherwise from now on."""
        self._check_own(n, "before")
        return InsertPoint(self, self._root.append if n is None else n.prepend)

    def inserting_after(self, n: Node | None = None) -> InsertPoint:
        """Inserts nodes directly after `n`, or at the end: within `with`, otherwise from now on."""
        self._check_own(n, "after")
        return InsertPoint(self, self._root.prepend if n is None else n.append)

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
        changes = [self._len < before, *map(cleared, self._graphs_inside())]
        return any(changes)

    def _graphs_inside(self) -> list[Module]:
        """Returns the graph modules that the graph passes on to functions, as `torch.cond` takes them."""
        children = dict(self.owning_module.named_children()) if self.owning_module is not None else {}
        used = [children.get(str(node.target)) for node in self.find_nodes(op="get_attr")]
        graphs = [module for module in used if module is not None and isinstance(getattr(module, "graph", None), Graph)]
        return list(dict.fromkeys(graphs))

    def lint(self) -> None:
        """Raises RuntimeError if a node uses a result before it exists, a name occurs twice, or a member is missing."""
        check_graph(self)

    # Text

    def set_codegen(self, codegen: CodeGen) -> None:
        """Sets how the graph is written as Python."""
        self._codegen = codegen

    def on_generate_code(self, make_transformer: Callable[[Transform | None], Transform]) -> Any:
        """Changes the lines of generated code. `make_transformer` gets the function that did so before, or None.

        The function gets the list of lines, and returns the new one. Within `with`, it is in effect until the end.

        >>> import rushlight as torch
        >>> traced = torch.fx.symbolic_trace(lambda x: x + 1)
        >>> with traced.graph.on_generate_code(lambda before: lambda body: ["print(x)\\n", *body]):
        ...     _ = traced.recompile()
        >>> _ = traced(2)
        2
        """
        before = self._codegen._body_transformer
        self._codegen._body_transformer = make_transformer(before)
        return self._until_then(before)

    @contextmanager
    def _until_then(self, before: Transform | None) -> Iterator[None]:
        try:
            yield
        finally:
            self._codegen._body_transformer = before

    def process_inputs(self, *args: Any) -> Any:
        """Returns the values of the placeholders for the arguments of `forward`."""
        return self._codegen.process_inputs(*args)

    def process_outputs(self, out: Any) -> Any:
        """Returns the result of `forward` for the value of the output."""
        return self._codegen.process_outputs(out)

    def python_code(self, root_module: str, *, verbose: bool = False) -> PythonCode:
        """Returns the source of a `forward`, and the globals that it needs."""
        return self._codegen._gen_python_code(self.nodes, root_module, verbose=verbose)

    def print_tabular(self) -> None:
        """Prints a table of the nodes, a line for each.

        >>> import rushlight as torch
        >>> torch.fx.symbolic_trace(lambda x: x + 1).graph.print_tabular()
        opcode         name    target                   args    kwargs
        -------------  ------  -----------------------  ------  --------
        placeholder    x       x                        ()      {}
        call_function  add     <built-in function add>  (x, 1)  {}
        output         output  output                   (add,)  {}
        """
        rows = [[node.op, node.name, node.target, node.args, node.kwargs] for node in self.nodes]
        print(table(["opcode", "name", "target", "args", "kwargs"], rows))

    def __str__(self) -> str:
        lines = [line for node in self.nodes if (line := node.format_node())]
        return "\n    ".join(["graph():", *lines])


class InsertPoint:
    """Where new nodes are inserted; at the end of `with` they are inserted as before."""

    def __init__(self, graph: Graph, insert: Callable[[Node], None]) -> None:
        self.graph = graph
        self.before, graph._insert = graph._insert, insert

    def __enter__(self) -> None:
        pass

    def __exit__(self, *error: Any) -> None:
        self.graph._insert = self.before


def is_module(root: Module, path: str) -> bool:
    try:
        return isinstance(root.get_submodule(path), Module)
    except AttributeError:
        return False


def has_member(root: Module, path: str) -> bool:
    """Whether a module has a module, parameter or buffer of that dotted name."""
    place, _, name = path.rpartition(".")
    if not is_module(root, place):
        warnings.warn(f"Failed to fetch module {place}!", stacklevel=3)
        return False
    within = root.get_submodule(place)
    return isinstance(getattr(within, name, None), Module | Parameter) or name in within._buffers


def cleared(module: Any) -> bool:
    """Removes dead code of a graph module; returns whether there was any."""
    changed = module.graph.eliminate_dead_code()
    module.recompile()
    return changed


class Place(int):
    """The number of a node in a pickled graph."""


def rebuilt(rows: list[tuple], tracer_cls: type | None, codegen: CodeGen) -> Graph:
    """Returns a graph from the data of `Graph.__reduce__`."""
    graph = Graph(tracer_cls=tracer_cls)
    graph.set_codegen(codegen)
    nodes: list[Node] = []

    def placed(arguments: Argument) -> Argument:
        return map_aggregate(arguments, lambda x: nodes[x] if isinstance(x, Place) else x)

    for op, target, args, kwargs, name, kind in rows:
        nodes.append(graph.create_node(op, target, placed(args), placed(kwargs), name, kind))
    return graph
