"""`torch._dynamo.testing`: backends that count, for tests of programs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rushlight._dynamo import lookup_backend
from rushlight._dynamo.utils import counters as counters
from rushlight.fx.graph_module import GraphModule


class CompileCounter:
    """A backend that counts graphs (`frame_count`) and the operations in them (`op_count`), and runs them.

    >>> import rushlight as torch
    >>> counter = CompileCounter()
    >>> y = torch.compile(lambda x: x + 1, backend=counter)(torch.zeros(1))
    >>> counter.frame_count, counter.op_count
    (1, 1)
    """

    def __init__(self) -> None:
        self.clear()

    def __call__(self, gm: GraphModule, example_inputs: list[Any]) -> Callable:
        self.frame_count += 1
        self.op_count += sum("call" in node.op for node in gm.graph.nodes)
        return gm.forward

    def clear(self) -> None:
        """Begins to count anew."""
        self.frame_count, self.op_count = 0, 0


class CompileCounterWithBackend(CompileCounter):
    """The same, with a backend that is called for each graph; `graphs` keeps them."""

    def __init__(self, backend: str) -> None:
        self.backend = backend
        super().__init__()

    def __call__(self, gm: GraphModule, example_inputs: list[Any]) -> Callable:
        super().__call__(gm, example_inputs)
        self.graphs.append(gm)
        return lookup_backend(self.backend)(gm, example_inputs)

    def clear(self) -> None:
        super().clear()
        self.graphs: list[GraphModule] = []


class EagerAndRecordGraphs:
    """A backend that keeps the graphs in `graphs`, and runs them."""

    def __init__(self) -> None:
        self.graphs: list[GraphModule] = []

    def __call__(self, gm: GraphModule, example_inputs: list[Any]) -> Callable:
        self.graphs.append(gm)
        return gm.forward
