"""The graph of a module or function that is not traced with an example."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rushlight.core.errors import noted
from rushlight.core.tensor import Tensor
from rushlight.fx._symbolic_trace import Tracer
from rushlight.fx.graph import Graph
from rushlight.fx.graph_module import _get_attr
from rushlight.fx.proxy import TraceError
from rushlight.nn.modules.module import Module


class Deep(Tracer):
    """Enters every module, so that a graph has calls of functions only."""

    def __init__(self, method: str = "forward") -> None:
        super().__init__()
        self.traced_func_name = method

    proxy_buffer_attributes = True

    def is_leaf_module(self, m: Module, module_qualified_name: str) -> bool:
        return False

    def call_module(self, m: Module, forward: Callable, args: tuple, kwargs: dict[str, Any]) -> Any:
        """Enters a module; what checks the number of dimensions is left out, because it is not known."""
        checks = "_check_input_dim"
        if not hasattr(m, checks):
            return super().call_module(m, forward, args, kwargs)
        vars(m)[checks] = lambda input: None
        try:
            return super().call_module(m, forward, args, kwargs)
        finally:
            del vars(m)[checks]


def symbolic(root: Module | Callable, method: str = "forward") -> tuple[Graph, dict[str, Tensor]]:
    """Returns the graph of a method or function, and the tensors that it reads other than parameters and buffers.

    Raises RuntimeError if its control flow depends on its inputs.
    """
    tracer = Deep(method)
    before = set(vars(root)) if isinstance(root, Module) else set()
    try:
        graph = tracer.trace(root)
    except (TraceError, TypeError, RuntimeError) as error:
        name = type(root).__name__ if isinstance(root, Module) else getattr(root, "__name__", repr(root))
        raise noted(
            RuntimeError(f"{name} cannot be written as a graph: {error}"),
            "Its control flow depends on its inputs. torch.jit.trace(model, example) records what it does for an "
            "example; torch.save(model.state_dict(), path) stores its parameters.",
        ) from error
    known = {name for name, _ in (*tracer.root.named_parameters(), *tracer.root.named_buffers())}
    names = [str(node.target) for node in graph.find_nodes(op="get_attr")]
    constants = {name: _get_attr(tracer.root, name) for name in names if name not in known}
    if isinstance(root, Module):
        for name in set(vars(root)) - before:  # that the trace has added
            delattr(root, name)
    return graph, constants
