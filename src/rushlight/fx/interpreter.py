"""Runs a graph node by node; subclasses override how nodes are handled."""

from __future__ import annotations

from typing import Any

from rushlight.fx._symbolic_trace import Tracer
from rushlight.fx.code import last_uses
from rushlight.fx.graph import NO_DEFAULT, Graph
from rushlight.fx.graph_module import GraphModule
from rushlight.fx.immutable_collections import immutable_dict, immutable_list
from rushlight.fx.node import Argument, Node, Target, map_arg
from rushlight.fx.proxy import Proxy
from rushlight.fx.traceback import preserve_node_meta, set_current_meta
from rushlight.nn.modules.module import Module

__all__ = ["Interpreter", "Transformer"]


class Interpreter:
    """Runs a graph node by node.

    >>> import rushlight as torch
    >>> class Loud(torch.fx.Interpreter):
    ...     def call_function(self, target, args, kwargs):
    ...         print(target.__name__)
    ...         return super().call_function(target, args, kwargs)
    >>> Loud(torch.fx.symbolic_trace(lambda x: torch.exp(x) + 1)).run(torch.zeros(1))
    exp
    add
    tensor([2.])
    """

    def __init__(self, module: Module, garbage_collect_values: bool = True, graph: Graph | None = None) -> None:
        self.module = module
        self.submodules = dict(module.named_modules())
        self.graph: Graph = graph if graph is not None else module.graph
        self.env: dict[Node, Any] = {}
        self.name = "Interpreter"
        self.garbage_collect_values = garbage_collect_values
        self.extra_traceback = True  # whether an error gets a note with the node

    def run(self, *args: Any, initial_env: dict[Node, Any] | None = None, enable_io_processing: bool = True) -> Any:
        """Returns the result for some arguments. `initial_env` has known values, which are not computed.

        Without `enable_io_processing`, the arguments and the result are those of the graph, also where its `forward`
        takes nested lists and dicts.
        """
        self.env = dict(initial_env or {})
        self.args_iter = iter(self.graph.process_inputs(*args) if enable_io_processing else args)
        lets_go = last_uses(self.graph.nodes) if self.garbage_collect_values else {}
        for node in self.graph.nodes:
            if node in self.env:
                continue
            self.env[node] = self._noted(node)
            for used in lets_go.get(node, ()):
                del self.env[used]
            if node.op == "output":
                result = self.env[node]
                return self.graph.process_outputs(result) if enable_io_processing else result
        return None

    def boxed_run(self, args_list: list[Any]) -> Any:
        """Returns the result for arguments in a list, which is emptied, so that they are not kept alive."""
        values = dict(zip(self.graph.find_nodes(op="placeholder"), args_list, strict=True))
        args_list.clear()
        return self.run(initial_env=values)

    def _noted(self, node: Node) -> Any:
        try:
            return self.run_node(node)
        except Exception as error:  # every error, and it is raised again
            if self.extra_traceback:
                error.add_note(f"While executing {node.format_node()}")
                error.add_note(f"Original traceback:\n{node.stack_trace}")
            raise

    def run_node(self, n: Node) -> Any:
        """Returns the value of a node, from the method with the name of its `op`."""
        with set_current_meta(n, f"Interpreter_{type(self).__name__}"):
            args, kwargs = self.fetch_args_kwargs_from_env(n)
            return getattr(self, n.op)(n.target, args, kwargs)

    def placeholder(self, target: Target, args: tuple[Argument, ...], kwargs: dict[str, Any]) -> Any:
        if str(target).startswith("*"):
            return list(self.args_iter)
        for value in self.args_iter:
            return value
        if args:
            return args[0]
        raise RuntimeError(f"Expected positional argument for parameter {target}, but one was not passed in!")

    def get_attr(self, target: Target, args: tuple[Argument, ...], kwargs: dict[str, Any]) -> Any:
        return self.fetch_attr(str(target))

    def call_function(self, target: Target, args: tuple[Argument, ...], kwargs: dict[str, Any]) -> Any:
        return target(*args, **kwargs)  # type: ignore[operator]

    def call_method(self, target: Target, args: tuple[Argument, ...], kwargs: dict[str, Any]) -> Any:
        own, *others = args
        return getattr(own, str(target))(*others, **kwargs)

    def call_module(self, target: Target, args: tuple[Argument, ...], kwargs: dict[str, Any]) -> Any:
        return self.fetch_attr(str(target))(*args, **kwargs)

    def output(self, target: Target, args: tuple[Argument, ...], kwargs: dict[str, Any]) -> Any:
        return args[0]

    def fetch_attr(self, target: str) -> Any:
        result: Any = self.module
        parts = target.split(".")
        for count, part in enumerate(parts):
            if not hasattr(result, part):
                raise RuntimeError(
                    f"Node referenced nonexistent target {'.'.join(parts[: count + 1])}; original target {target}"
                )
            result = getattr(result, part)
        return result

    def fetch_args_kwargs_from_env(self, n: Node) -> tuple[tuple, dict]:
        return self.map_nodes_to_values(n.args, n), self.map_nodes_to_values(n.kwargs, n)

    def map_nodes_to_values(self, args: Argument, n: Node) -> Argument:
        def value(node: Node) -> Any:
            if node not in self.env:
                raise RuntimeError(f"Node {n} referenced nonexistent value {node}! Run Graph.lint() to diagnose such "
                                   "issues")  # fmt: skip
            return self.env[node]

        return plain(map_arg(args, value))


def plain(values: Any) -> Any:
    """Returns arguments whose lists and dicts are Python's, as functions expect."""
    if isinstance(values, tuple):
        items = [plain(x) for x in values]
        return type(values)(*items) if hasattr(values, "_fields") else tuple(items)
    if isinstance(values, immutable_list):
        return [plain(x) for x in values]
    if isinstance(values, immutable_dict):
        return {key: plain(value) for key, value in values.items()}
    return values


class Transformer(Interpreter):
    """Makes a new graph from a graph: a node is replaced by what the method for it returns.

    >>> import rushlight as torch
    >>> class Softer(torch.fx.Transformer):
    ...     def call_function(self, target, args, kwargs):
    ...         return super().call_function(torch.tanh if target is torch.relu else target, args, kwargs)
    >>> traced = torch.fx.symbolic_trace(lambda x: torch.relu(x) * 2)
    >>> Softer(traced).transform()(torch.zeros(2))
    tensor([0., 0.])
    """

    def __init__(self, module: GraphModule) -> None:
        super().__init__(module)
        self.new_graph = Graph()
        self.new_graph.set_codegen(module.graph._codegen)
        self.tracer = TransformerTracer(self.new_graph)
        self.tracer.root = module

    def placeholder(self, target: Target, args: tuple[Argument, ...], kwargs: dict[str, Any]) -> Proxy:
        default = args[0] if args else NO_DEFAULT
        return Proxy(self.new_graph.placeholder(str(target), default_value=default), self.tracer)

    def get_attr(self, target: Target, args: tuple[Argument, ...], kwargs: dict[str, Any]) -> Proxy:
        return self.tracer.create_proxy("get_attr", target, args, kwargs)

    def call_module(self, target: Target, args: tuple[Argument, ...], kwargs: dict[str, Any]) -> Any:
        return self.tracer.create_proxy("call_module", target, args, kwargs)

    def call_function(self, target: Target, args: tuple[Argument, ...], kwargs: dict[str, Any]) -> Any:
        return self.tracer.create_proxy("call_function", target, args, kwargs)

    def transform(self) -> GraphModule:
        """Returns a module with the new graph."""
        with preserve_node_meta():
            result = super().run(enable_io_processing=False)
        if result is not None:
            output = self.new_graph.output(self.tracer.create_arg(result))
            output.meta.update(self.graph.output_node().meta)
        return GraphModule(self.module, self.new_graph)


class TransformerTracer(Tracer):
    """Appends to the new graph; every module is a node."""

    def __init__(self, graph: Graph) -> None:
        super().__init__()
        self.graph = graph
        self.tensor_attrs = {}

    def is_leaf_module(self, m: Module, module_qualified_name: str) -> bool:
        return True
