"""Lookups in tables whose gradients are sparse: the rows that were looked up, as `Embedding(sparse=True)` wants."""

from __future__ import annotations

from typing import Any

import numpy as np

import rushlight._generated.functions as F
from rushlight.core.graph import Leaf, TensorNode, make_node
from rushlight.core.history import edge_of
from rushlight.core.modes import recording
from rushlight.core.tensor import Tensor
from rushlight.declarations.embedding import in_new_order, located
from rushlight.sparse.coordinates import coo, taken
from rushlight.sparse.tensor import wrap


class LookupNode(TensorNode):
    """A node that sends the table a sparse gradient: one entry for each row that was looked up."""

    off_cpu = True  # gradients travel as Tensors from here on: as a raw array, that of the table would be dense
    saved: tuple  # the indices of the rows
    rows: int
    gradient_of_rows: Any  # from the gradient of the result to those of the rows that were looked up

    def run(self, gradients: list) -> tuple:
        """Returns the gradient of the table, and that of the same result as a function of its other operands."""
        (gradient,) = gradients
        if gradient is None:
            return None, None
        values = self.gradient_of_rows(gradient)
        (indices,) = self.saved
        array = coo(indices[None], values, (self.rows, values.shape[-1]), len(indices) < 2)
        return wrap(array), gradient


class EmbeddingBackward0(LookupNode):
    """The node of a lookup."""


class EmbeddingBagBackward0(LookupNode):
    """The node of sums of bags of rows."""


def with_sparse_gradient(result: Tensor, weight: Tensor, indices: np.ndarray, kind: type, gradient_of_rows) -> Tensor:
    """Gives a result one more node, by which its table, a leaf, gets a sparse gradient."""
    node = make_node(kind, (edge_of(weight), edge_of(result)))
    node.saved = (indices,)  # which the pass frees
    node.rows, node.gradient_of_rows = weight.shape[0], gradient_of_rows
    result._edge = node
    return result


def takes_sparse_gradient(weight: Tensor) -> bool:
    """Whether the gradient of a table may be sparse: it is that of a leaf, not of a result or inside a transform."""
    return recording() and type(weight._array) is np.ndarray and type(edge_of(weight)) is Leaf


def embedding(weight: Tensor, indices: Tensor, padding_idx: int, scale_grad_by_freq: bool) -> Tensor:
    """Returns rows of a table, as `torch.embedding` does."""
    if not takes_sparse_gradient(weight):
        return F.embedding(weight, indices, padding_idx, scale_grad_by_freq)
    result = F.embedding(weight.detach(), indices, padding_idx, scale_grad_by_freq)
    rows = np.asarray(indices._array).reshape(-1).astype(np.int64)
    kept = np.flatnonzero(rows != padding_idx)

    def gradient_of_rows(g: Tensor) -> Tensor:
        if scale_grad_by_freq:
            raise RuntimeError("embedding_backward: scale_grad_by_freq not supported with sparse gradients")
        return taken(F.reshape(g, (rows.size, g.shape[-1])), kept)

    return with_sparse_gradient(result, weight, rows[kept], EmbeddingBackward0, gradient_of_rows)


def with_sparse_bags(
    result: Tensor, input: Tensor, weight: Tensor, offsets, mode: str, per_sample_weights, include_last_offset: bool,
    padding_idx,
) -> Tensor:  # fmt: skip
    """Returns the sums or means of bags with a sparse gradient for the table, given those with a dense one."""
    input, weight = in_new_order(input, weight)
    if not takes_sparse_gradient(weight):
        return result
    if input.ndim == 2:
        offsets, include_last_offset = F.arange_of(input, *input.shape), False
    indices = F.reshape(input, (-1,))
    bags, count, padding = located(F, weight, indices, offsets, include_last_offset, padding_idx)
    factors = F.bag_factors(indices, bags, padding, count, mode == "mean", weight._array.dtype)
    if per_sample_weights is not None:
        factors = factors * F.reshape(per_sample_weights, (-1,))
    rows = np.asarray(indices._array).astype(np.int64)
    kept = np.flatnonzero(rows != padding)
    bag_of_each, factor = taken(bags, kept), F.unsqueeze(taken(factors, kept), 1)
    without_table = F.bag_sums(weight.detach(), factors, indices, bags, count, padding, False)
    return with_sparse_gradient(
        without_table, weight, rows[kept], EmbeddingBagBackward0, lambda g: F.index_select(g, 0, bag_of_each) * factor
    )
