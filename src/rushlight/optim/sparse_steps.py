"""Steps with sparse gradients, in which only the rows that have entries change."""

from __future__ import annotations

from math import prod

from rushlight.core.tensor import Tensor


def is_sparse(gradient: Tensor) -> bool:
    """Whether a gradient has a sparse layout."""
    return gradient._carrier is not None


def refuse_sparse(optimizer: str, gradient: Tensor) -> None:
    """Raises RuntimeError for a sparse gradient."""
    if is_sparse(gradient):
        raise RuntimeError(f"{optimizer} does not support sparse gradients")


class Rows:
    """The rows of dense tensors in which a sparse gradient has entries; its sparse dimensions count as one."""

    def __init__(self, gradient: Tensor, distinct: bool = True):
        """Takes the entries of a gradient; unless they must be `distinct`, several may be of one row."""
        gradient = gradient.coalesce() if distinct else gradient
        self.sizes = tuple(gradient.shape[: gradient.sparse_dim()])
        self.values = gradient._values()
        self.index = gradient._indices()[0]
        for size, indices in zip(self.sizes[1:], gradient._indices()[1:], strict=True):
            self.index = self.index * size + indices

    def flat(self, tensor: Tensor) -> Tensor:
        """Returns a tensor as rows. Raises RuntimeError for memory with gaps, of which this is no view."""
        sparse = len(self.sizes)
        return tensor if sparse == 1 else tensor.view(prod(self.sizes), *tensor.shape[sparse:])

    def of(self, tensor: Tensor) -> Tensor:
        """Returns the rows of a tensor."""
        return self.flat(tensor).index_select(0, self.index)

    def add(self, tensor: Tensor, values: Tensor, factor: float = 1) -> None:
        """Adds `factor * values` to the rows of a tensor, in place."""
        self.flat(tensor).index_add_(0, self.index, values, alpha=factor)
