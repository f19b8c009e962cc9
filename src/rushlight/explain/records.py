"""The record of how a tensor came about, as far as there is one."""

from __future__ import annotations

from rushlight.autograd.arriving import node_of
from rushlight.core.origin import Made
from rushlight.core.tensor import Tensor


def record_of(tensor: Tensor) -> Made:
    """How a tensor came about; of one that is older than the recording, a record without a place."""
    edge = tensor._edge
    node = None if edge is None else node_of(edge)
    made = (node.made if node is not None else None) or tensor._made
    if made is None:
        tensor._made = made = Made("", shape=tensor._array.shape, dtype=tensor._array.dtype)
    return made
