"""`associative_scan`: cumulative results of an associative function, in a logarithmic number of steps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import rushlight._generated.functions as functions
from rushlight.core.errors import noted
from rushlight.core.tensor import Tensor
from rushlight.utils._pytree import tree_flatten, tree_unflatten

__all__ = ["associative_scan"]


def associative_scan(
    combine_fn: Callable, xs: Any, dim: int, reverse: bool = False, combine_mode: str = "pointwise"
) -> Any:
    """Returns the cumulative results of `combine_fn(left, right)` along `dim`, from the end if `reverse`.

    `combine_fn` must be associative; it takes two trees like `xs`, each a slice along `dim`.

    >>> import rushlight as torch
    >>> associative_scan(torch.mul, torch.tensor([1, 2, 3, 4]), 0, combine_mode="generic")
    tensor([ 1,  2,  6, 24])
    """
    if not callable(combine_fn):
        raise ValueError(f"Combine_fn must be a callable, but got {combine_fn}")
    leaves, tree = tree_flatten(xs)
    check(leaves, dim, reverse, combine_mode)
    dim %= leaves[0].ndim
    if any(dim >= leaf.ndim or not leaf.shape[dim] for leaf in leaves):
        raise ValueError("All xs leaves must at least have 'dim' number of dimensions and scan dimension > 0")

    def combined(left: list[Tensor], right: list[Tensor]) -> list[Tensor]:
        result = tree_flatten(combine_fn(tree_unflatten(left, tree), tree_unflatten(right, tree)))[0]
        if len(result) != len(leaves):
            raise RuntimeError(f"combine_fn returned {len(result)} tensors, expected {len(leaves)}")
        return result

    leaves = [functions.flip(leaf, (dim,)) for leaf in leaves] if reverse else leaves
    scanned = scan(combined, leaves, dim)
    return tree_unflatten([functions.flip(x, (dim,)) for x in scanned] if reverse else scanned, tree)


def check(leaves: list[Tensor], dim: int, reverse: bool, combine_mode: str) -> None:
    """Raises as PyTorch does for invalid arguments."""
    if combine_mode not in ("pointwise", "generic"):
        raise ValueError(f"Combine_mode must either 'pointwise' or 'generic', but got {combine_mode}")
    if not isinstance(dim, int):
        raise ValueError(f"Dim must be an int, but got {type(dim)}")
    if not isinstance(reverse, bool):
        raise RuntimeError(f"Reverse must be a bool, but got {type(reverse)}")
    if not leaves or not all(isinstance(leaf, Tensor) for leaf in leaves):
        raise ValueError("xs leaves must be tensors, and one at least")
    if combine_mode == "pointwise":
        raise noted(
            ValueError("For combine_mode='pointwise', all input tensors need to be on CUDA or XPU"),
            "combine_mode='generic' takes tensors of the CPU.",
        )
    if not leaves[0].ndim:
        raise ValueError("All xs leaves must at least have 'dim' number of dimensions and scan dimension > 0")
    if not -leaves[0].ndim <= dim < leaves[0].ndim:
        rank = leaves[0].ndim
        raise IndexError(f"Dimension out of range (expected to be in range of [{-rank}, {rank - 1}], but got {dim})")


def scan(combined: Callable, leaves: list[Tensor], dim: int) -> list[Tensor]:
    """Combines neighbours and scans the pairs, which gives every second result; one more step gives the others."""
    length = leaves[0].shape[dim]
    if length < 2:
        return leaves
    ahead, last = length // 2, length - 1
    odd = scan(combined, combined(every_other(leaves, dim, 0, last), every_other(leaves, dim, 1, length)), dim)
    if length == 2:
        even = [leaf.narrow(dim, 0, 1) for leaf in leaves]
    else:
        before = odd if length % 2 else [x.narrow(dim, 0, ahead - 1) for x in odd]
        rest = combined(before, every_other(leaves, dim, 2, length))
        first = [leaf.narrow(dim, 0, 1) for leaf in leaves]
        even = [functions.cat(pair, dim) for pair in zip(first, rest, strict=True)]
    return [woven(one, other, dim) for one, other in zip(even, odd, strict=True)]


def every_other(leaves: list[Tensor], dim: int, begin: int, end: int) -> list[Tensor]:
    return [leaf[(slice(None),) * dim + (slice(begin, end, 2),)] for leaf in leaves]


def woven(even: Tensor, odd: Tensor, dim: int) -> Tensor:
    """Interleaves the slices of two tensors; the first may have one more."""
    count = odd.shape[dim]
    pairs = functions.stack((even.narrow(dim, 0, count), odd), dim + 1).flatten(dim, dim + 1)
    return pairs if even.shape[dim] == count else functions.cat((pairs, even.narrow(dim, count, 1)), dim)
