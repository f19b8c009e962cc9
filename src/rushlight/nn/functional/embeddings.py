"""Embedding lookup."""

from importlib import import_module
from typing import Any

from rushlight._generated import functions
from rushlight.autograd.grad_mode import no_grad
from rushlight.core.tensor import PLAIN_TYPES, Tensor


def embedding(
    input: Tensor,
    weight: Tensor,
    padding_idx: int | None = None,
    max_norm: float | None = None,
    norm_type: float = 2.0,
    scale_grad_by_freq: bool = False,
    sparse: bool = False,
) -> Tensor:
    """Returns the rows of `weight` at the indices in `input`: the shape of `input`, then the size of a row."""
    if padding_idx is not None:
        rows = weight.size(0)
        if padding_idx != 0 and not -rows <= padding_idx < rows:
            raise AssertionError("Padding_idx must be within num_embeddings")
        padding_idx = padding_idx % rows if padding_idx < 0 else padding_idx
    if max_norm is not None:
        with no_grad():
            functions.embedding_renorm_(weight.detach(), input, max_norm, norm_type)  # tangents stay
    padding_idx = -1 if padding_idx is None else padding_idx
    if sparse and type(weight) in PLAIN_TYPES and type(input) in PLAIN_TYPES:
        return import_module("rushlight.sparse.lookup").embedding(weight, input, padding_idx, scale_grad_by_freq)
    return functions.embedding(weight, input, padding_idx, scale_grad_by_freq, sparse)


def embedding_bag(
    input: Tensor,
    weight: Tensor,
    offsets: Any = None,
    max_norm: Any = None,
    norm_type: float = 2.0,
    scale_grad_by_freq: bool = False,
    mode: str = "mean",
    sparse: bool = False,
    per_sample_weights: Any = None,
    include_last_offset: bool = False,
    padding_idx: Any = None,
) -> Any:
    """Returns sums, means or maxima of bags of rows of a table: rows of a 2-D `input`, or from each of `offsets` on."""
    options = offsets, max_norm, norm_type, scale_grad_by_freq, mode, sparse, per_sample_weights
    result = functions.bags_of_embeddings(input, weight, *options, include_last_offset, padding_idx)
    if not sparse or type(result) is not Tensor or result._edge is None:
        return result
    return import_module("rushlight.sparse.lookup").with_sparse_bags(
        result, input, weight, offsets, mode, per_sample_weights, include_last_offset, padding_idx
    )
