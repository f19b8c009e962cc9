"""`torch.fx.passes.infra.pass_base`: the base of passes that are classes."""

from __future__ import annotations

import abc
from typing import NamedTuple

from rushlight.fx.graph_module import GraphModule
from rushlight.nn.modules.module import Module

__all__ = ["PassBase", "PassResult"]


class PassResult(NamedTuple):
    """The module that a pass returns, and whether it has changed."""

    graph_module: Module
    modified: bool


class PassBase(abc.ABC):
    """A pass: subclasses implement `call`, and may check the graph before and after it."""

    def __call__(self, graph_module: GraphModule) -> PassResult | None:
        self.requires(graph_module)
        result = self.call(graph_module)
        self.ensures(graph_module)
        return result

    @abc.abstractmethod
    def call(self, graph_module: GraphModule) -> PassResult | None:
        """Changes a module; returns it, and whether it has changed."""

    def requires(self, graph_module: GraphModule) -> None:  # noqa: B027
        """Raises an error if the pass cannot run on a module."""

    def ensures(self, graph_module: GraphModule) -> None:  # noqa: B027
        """Raises an error if a module is not as the pass should leave it."""
