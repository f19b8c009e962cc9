"""`torch.fx.passes.shape_prop`: runs a graph on an example and notes shape and dtype of each result."""

from __future__ import annotations

from typing import Any, NamedTuple

from rushlight.core.dtype import dtype
from rushlight.core.formats import CHANNELS_LAST, CHANNELS_LAST_3D, CONTIGUOUS, memory_format
from rushlight.core.size import Size
from rushlight.core.tensor import Tensor
from rushlight.fx.graph_module import GraphModule
from rushlight.fx.interpreter import Interpreter
from rushlight.fx.node import Node, map_aggregate

__all__ = ["ShapeProp", "TensorMetadata"]

FORMATS = (CONTIGUOUS, CHANNELS_LAST, CHANNELS_LAST_3D)


class TensorMetadata(NamedTuple):
    """What is known of a tensor without its elements."""

    shape: Size
    dtype: dtype
    requires_grad: bool
    stride: tuple[int, ...]
    memory_format: memory_format | None
    is_quantized: bool
    qparams: dict[str, Any]


def _extract_tensor_metadata(result: Tensor, include_contiguity: bool = True) -> TensorMetadata:
    """Returns what is known of a tensor without its elements."""
    formats = [each for each in FORMATS if fits(result, each)] if include_contiguity else []
    kind = formats[0] if formats else None
    return TensorMetadata(result.shape, result.dtype, result.requires_grad, result.stride(), kind, False, {})


def fits(tensor: Tensor, kind: memory_format) -> bool:
    ranks = {CHANNELS_LAST: 4, CHANNELS_LAST_3D: 5}
    return tensor.ndim == ranks.get(kind, tensor.ndim) and tensor.is_contiguous(memory_format=kind)


class ShapeProp(Interpreter):
    """Notes in `node.meta["tensor_meta"]` shape, dtype and strides, and in `node.meta["type"]` the class of results.

    >>> import rushlight as torch
    >>> traced = torch.fx.symbolic_trace(torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.ReLU()))
    >>> _ = ShapeProp(traced).propagate(torch.zeros(2, 3))
    >>> [(node.name, node.meta["tensor_meta"].shape) for node in traced.graph.nodes][1]
    ('_0', torch.Size([2, 4]))
    """

    def __init__(self, gm: GraphModule) -> None:
        super().__init__(gm)

    def run_node(self, n: Node) -> Any:
        try:
            result = super().run_node(n)
        except Exception as error:  # whatever the node raises
            raise RuntimeError(f"ShapeProp error for: node={n.format_node()} with meta={n.meta}") from error
        seen: list[Tensor] = []

        def noted(value: Any) -> Any:
            if not isinstance(value, Tensor):
                return value
            seen.append(value)
            return _extract_tensor_metadata(value)

        known = map_aggregate(result, noted)
        if seen:
            n.meta["tensor_meta"] = known
        n.meta["type"] = type(result)
        return result

    def propagate(self, *args: Any) -> Any:
        """Runs the module on example inputs; returns its result."""
        return super().run(*args)
