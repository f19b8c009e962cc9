"""`torch.fx.experimental.optimization`: models with fewer steps, for inference."""

from __future__ import annotations

import copy
from collections.abc import Iterable
from typing import Any

from rushlight.fx._symbolic_trace import Tracer, symbolic_trace
from rushlight.fx.graph import Graph
from rushlight.fx.graph_module import GraphModule
from rushlight.fx.interpreter import Transformer
from rushlight.fx.node import Argument, Node, Target
from rushlight.nn.modules.batchnorm import BatchNorm1d, BatchNorm2d, BatchNorm3d
from rushlight.nn.modules.conv import Conv1d, Conv2d, Conv3d
from rushlight.nn.modules.dropout import Dropout
from rushlight.nn.modules.linear import Linear
from rushlight.nn.modules.module import Module
from rushlight.nn.utils.fusion import fuse_conv_bn_eval, fuse_linear_bn_eval

__all__ = [
    "extract_subgraph", "fuse", "matches_module_pattern", "optimize_for_inference", "remove_dropout",
    "replace_node_module",
]  # fmt: skip

FUSED: tuple[tuple[type, type], ...] = (
    (Conv1d, BatchNorm1d),
    (Conv2d, BatchNorm2d),
    (Conv3d, BatchNorm3d),
    (Linear, BatchNorm1d),
)


def matches_module_pattern(pattern: Iterable[type], node: Node, modules: dict[str, Module]) -> bool:
    """Whether a node calls a module of the second class with the result of one of the first class."""
    if not node.args:
        return False
    return all(
        isinstance(each, Node) and each.op == "call_module" and type(modules.get(str(each.target))) is kind
        for kind, each in zip(pattern, (node.args[0], node), strict=False)
    )


def replace_node_module(node: Node, modules: dict[str, Module], new_module: Module) -> None:
    """Replaces the module that a node calls, in its parent and in a dict of modules by name."""
    parent, _, name = str(node.target).rpartition(".")
    modules[str(node.target)] = new_module
    setattr(modules[parent], name, new_module)


def fuse(model: Module, inplace: bool = False, no_trace: bool = False) -> Module:
    """Returns a model whose convolutions and linear layers include the batch normalization after them.

    The model is in evaluation mode. It is copied unless `inplace`. `no_trace` takes a GraphModule as it is.

    >>> import rushlight as torch
    >>> model = torch.nn.Sequential(torch.nn.Conv2d(1, 2, 3), torch.nn.BatchNorm2d(2)).eval()
    >>> print(fuse(model).code.strip().splitlines()[-1].strip())
    return _0
    """
    model = model if inplace else copy.deepcopy(model)
    traced = model if no_trace and isinstance(model, GraphModule) else symbolic_trace(model)
    modules, graph = dict(traced.named_modules()), copy.deepcopy(traced.graph)
    for pattern in FUSED:
        for node in graph.nodes:
            if matches_module_pattern(pattern, node, modules) and len(node.args[0].users) == 1:
                fuse_into(node.args[0], node, modules)
    return GraphModule(traced, graph)


def fuse_into(layer: Node, norm: Node, modules: dict[str, Module]) -> None:
    """Replaces a layer by one that includes the batch normalization after it, if that has running statistics."""
    first: Any = modules[str(layer.target)]
    second: Any = modules[str(norm.target)]
    if second.track_running_stats:
        fused = (fuse_linear_bn_eval if isinstance(first, Linear) else fuse_conv_bn_eval)(first, second)
        replace_node_module(layer, modules, fused)
        norm.replace_all_uses_with(layer)
        norm.graph.erase_node(norm)


class WithoutDropout(Transformer):
    """Returns the argument of a dropout layer in its place."""

    def call_module(self, target: Target, args: tuple[Argument, ...], kwargs: dict[str, Any]) -> Any:
        if isinstance(self.submodules[str(target)], Dropout):
            return args[0] if args else kwargs["input"]
        return super().call_module(target, args, kwargs)


def remove_dropout(model: Module) -> Module:
    """Returns the model without dropout layers."""
    return WithoutDropout(symbolic_trace(model)).transform()


def extract_subgraph(orig_module: Module, nodes: list[Node], inputs: list[Node], outputs: list[Node]) -> GraphModule:
    """Returns a module of some nodes of a graph that takes and returns lists of results."""
    graph, new = Graph(), dict[Node, Node]()
    for node in inputs:
        new[node] = graph.placeholder(node.name)
    for node in nodes:
        new[node] = graph.node_copy(node, lambda x: new[x])
    graph.output([new[node] for node in outputs])
    graph.lint()
    return GraphModule(orig_module, graph)


def optimize_for_inference(
    model: Module, pass_config: dict[str, Any] | None = None, tracer: type[Tracer] = Tracer
) -> Module:
    """Returns the model with batch normalization fused and without dropout, traced with `tracer`.

    `pass_config` may have `conv_bn_fuse` and `remove_dropout`, true if absent. PyTorch's third step,
    `mkldnn_layout_optimize`, has nothing to do here: there is one layout.
    """
    config = {"conv_bn_fuse": True, "remove_dropout": True, "mkldnn_layout_optimize": {"heuristic": None}}
    config.update(pass_config or {})
    layout = config["mkldnn_layout_optimize"]
    if layout is not False and not isinstance(layout, dict):
        raise RuntimeError("mkldnn_layout_optimize config is not a dict")
    if isinstance(layout, dict) and "heuristic" not in layout:
        raise RuntimeError("Heuristic not found in mkldnn_layout_optimize config")
    model = fuse(model) if config["conv_bn_fuse"] else model
    model = remove_dropout(model) if config["remove_dropout"] else model
    if layout is False:
        return model
    used = tracer()
    graph = used.trace(copy.deepcopy(model))
    return GraphModule(used.root, graph)
