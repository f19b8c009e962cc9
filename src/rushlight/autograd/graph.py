"""`torch.autograd.graph`: nodes, edges, and hooks on saved tensors and on several gradients at once."""

from __future__ import annotations

from rushlight.autograd.methods import get_gradient_edge
from rushlight.core.graph import GradientEdge, Node

__all__ = ["GradientEdge", "Node", "get_gradient_edge"]
