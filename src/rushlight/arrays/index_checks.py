"""Argument checks of indexed reads and writes, with PyTorch's errors."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from rushlight.arrays.indexing import check_range, scalar_name
from rushlight.arrays.strided import axis

POSITIONS = (np.dtype(np.int64), np.dtype(np.int32))


def check_index(name: str, index, words: str = "int32/int64 for index") -> None:
    """Raises RuntimeError if a raw array is not an index."""
    if index.dtype not in POSITIONS:
        raise RuntimeError(f"{name}(): Expected dtype {words}")


def check_scatter(name: str, input, dim, index, src=None) -> None:
    """Raises RuntimeError unless the shapes of index and source fit each other and the target."""
    if index.size:
        check_index(name, index)
    dim = axis(dim, input.ndim)
    if src is not None and input.dtype != src.dtype:
        raise RuntimeError("scatter(): Expected self.dtype to be equal to src.dtype")
    if not index.size or (index.shape == input.shape and (src is None or index.shape == src.shape)):
        return
    if (index.ndim or 1) != (input.ndim or 1):
        raise RuntimeError("Index tensor must have the same number of dimensions as self tensor")
    too_large = input.ndim and larger_at(index.shape, input.shape, dim) is not None
    if src is None:
        if too_large:
            raise _misfit(index, input, dim, "")
        return
    if (index.ndim or 1) != (src.ndim or 1):
        raise RuntimeError("Index tensor must have the same number of dimensions as src tensor")
    if too_large or any(n > m for n, m in zip(index.shape, src.shape, strict=False)):
        raise _misfit(index, input, dim, f" and to be no larger size than src {list(src.shape)}")


@lru_cache(maxsize=256)
def larger_at(index_shape: tuple, shape: tuple, dim: int) -> int | None:
    """Returns the first dimension, except `dim`, along which an index is longer than its target, or None."""
    for at, (length, most) in enumerate(zip(index_shape, shape, strict=False)):
        if at != dim and length > most:
            return at
    return None


def _misfit(index, input, dim: int, rest: str) -> RuntimeError:
    return RuntimeError(
        f"Expected index {list(index.shape)} to be no larger than self {list(input.shape)} apart from dimension "
        f"{dim}{rest}"
    )


def check_vector(name: str, input, dim, index, source) -> None:
    """Raises unless a vector selects as many slices as the source has, and the other sizes agree."""
    dim = axis(dim, input.ndim)
    if index.ndim > 1:
        raise IndexError(
            f"{name}(): Index is supposed to be a vector, but got dim: {index.ndim} with type: "
            f"{scalar_name(index)} and "
            f"size: {list(index.shape)}"
        )
    if index.dtype not in POSITIONS:
        raise RuntimeError(f"{name}(): Expected dtype int32/int64 for index but got: {scalar_name(index)}")
    if input.dtype != source.dtype:
        names = f"self ({scalar_name(input)}) and source ({scalar_name(source)})"
        raise RuntimeError(f"{name}(): {names} must have the same scalar type")
    if source.ndim and dim >= source.ndim:
        raise IndexError(f"{name}(): Indexing dim {dim} is out of bounds of the source tensor with dim {source.ndim}")
    length = source.shape[dim] if source.ndim else 1
    if length != index.size:
        raise RuntimeError(
            f"{name}(): Number of indices ({index.size}) should be equal to source.size(dim): ({length}), for "
            f"dim: {dim}"
        )
    ours, theirs = input.shape, source.shape
    if len(ours) != len(theirs) or ours[:dim] != theirs[:dim] or ours[dim + 1 :] != theirs[dim + 1 :]:
        raise RuntimeError(
            "source tensor shape must match self tensor shape, excluding the specified dimension. Got self.shape = "
            f"{list(input.shape)} source.shape = {list(source.shape)}"
        )


def check_copied(input, dim, index, source) -> None:
    """Raises if arguments are invalid for `index_copy`."""
    dim = axis(dim, input.ndim)
    if index.ndim > 1:
        raise IndexError(f"index_copy_(): Index should have dimension 1 or 0 (got {index.ndim})")
    if source.ndim == 0 and index.size != 1:
        raise IndexError(f"index_copy_(): When source is scalar, index should have one element (got {index.size})")
    if source.ndim and input.ndim and source.ndim != input.ndim:
        raise IndexError(
            "index_copy_(): When source and destination are not scalars, their dimensionality must match. Source "
            f"dimensionality ({source.ndim}), destination dimensionality ({input.ndim})"
        )
    if index.dtype != np.int64:
        raise RuntimeError(f"index_copy_(): Expected a long tensor for index, but got {scalar_name(index)}")
    if input.dtype != source.dtype:
        raise RuntimeError(
            "index_copy_(): self and source expected to have the same dtype, but got (self) "
            f"{scalar_name(input)} and (source) {scalar_name(source)}"
        )
    if source.ndim and index.size != source.shape[dim]:
        raise IndexError(
            f"index_copy_(): Number of indices ({index.size}) should be equal to source.size(dim) ({source.shape[dim]})"
        )
    ours, theirs = (tuple(n for at, n in enumerate(x.shape) if at != dim) for x in (input, source))
    if ours != theirs:
        raise RuntimeError(
            "index_copy_(): Source/destination tensor must have same slice shapes. Destination slice shape: "
            f"{' '.join(map(str, ours))} at dimension {dim} and source slice shape: {' '.join(map(str, theirs))} at "
            f"dimension {0 if source.ndim == 0 else dim}."
        )
    check_range(index, input.shape[dim] if input.ndim else 1, dim, IndexError, name="index_copy_(): ")


def check_filled(input, dim, index) -> None:
    """Raises if the index is invalid for `index_fill`."""
    dim = axis(dim, input.ndim)
    if index.ndim > 1:
        raise RuntimeError("Index has to be a vector/scalar")
    if index.dtype != np.int64:
        raise IndexError("index_fill_(): Expected dtype int64 for index.")
    if not input.size:
        return  # there is nothing to fill
    length = input.shape[dim] if input.ndim else 1
    wrong = (index < -length) | (index >= length)
    if wrong.any():
        raise IndexError(f"index {index[wrong].flat[0]} is out of bounds for dimension {dim} with size {length}")


def check_gather(array, dim, index) -> None:
    """Raises unless an index fits into an array in all dimensions but one."""
    dim = axis(dim, array.ndim)
    if index.shape == array.shape:
        return
    if (index.ndim or 1) != (array.ndim or 1):
        raise RuntimeError("Index tensor must have the same number of dimensions as input tensor")
    at = larger_at(index.shape, array.shape, dim)
    if at is not None:
        raise RuntimeError(
            f"Size does not match at dimension {at} expected index {list(index.shape)} to be no larger than self "
            f"{list(array.shape)} apart from dimension {dim}"
        )


def check_reducible(kernel: str, reduce: str, input) -> None:
    """Raises NotImplementedError for the mean of bools and extremes of complex numbers."""
    kind = input.dtype.kind
    if (reduce == "mean" and kind == "b") or (reduce in ("amax", "amin") and kind == "c"):
        raise NotImplementedError(f"\"{kernel}\" not implemented for '{scalar_name(input)}'")
