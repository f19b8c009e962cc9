"""Embedding lookup."""

from rushlight._generated import functions
from rushlight.autograd.grad_mode import no_grad
from rushlight.core.tensor import Tensor


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
            functions.embedding_renorm_(weight, input, max_norm, norm_type)
    return functions.embedding(weight, input, -1 if padding_idx is None else padding_idx, scale_grad_by_freq, sparse)
