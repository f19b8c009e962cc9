"""The standard's functions that sort, search, and find distinct elements.

https://data-apis.org/array-api/2024.12/API_specification/sorting_functions.html, searching_functions.html and
set_functions.html
"""

from __future__ import annotations

from typing import NamedTuple

from rushlight._generated import functions as F
from rushlight.array_api.promotion import together
from rushlight.core import dtype as dtypes
from rushlight.core.dtype import COMPLEX
from rushlight.core.tensor import Tensor


def sort(x: Tensor, /, *, axis: int = -1, descending: bool = False, stable: bool = True) -> Tensor:
    """Sorts the elements along an axis, without returning indices."""
    return F.sort(x, dim=axis, descending=descending, stable=stable)[0]


def argsort(x: Tensor, /, *, axis: int = -1, descending: bool = False, stable: bool = True) -> Tensor:
    """Returns the indices that sort the elements; of equal ones the first comes first unless `stable` is False."""
    return F.argsort(x, axis, descending, stable=stable)


def argmax(x: Tensor, /, *, axis: int | None = None, keepdims: bool = False) -> Tensor:
    """Returns the indices of the maxima."""
    return F.argmax(x, axis, keepdims)


def argmin(x: Tensor, /, *, axis: int | None = None, keepdims: bool = False) -> Tensor:
    """Returns the indices of the minima."""
    return F.argmin(x, axis, keepdims)


def nonzero(x: Tensor, /) -> tuple[Tensor, ...]:
    """Returns the indices of nonzero elements, one array per axis."""
    if x.ndim == 0:
        raise ValueError("nonzero() needs an array with at least one dimension")
    return tuple(F.nonzero(x, as_tuple=True))


def searchsorted(x1: Tensor, x2: Tensor, /, *, side: str = "left", sorter: Tensor | None = None) -> Tensor:
    """Returns the insertion indices of `x2` in `x1`, which is sorted, or which `sorter` sorts."""
    sequence, values = together(x1, x2)
    return F.searchsorted(sequence, values, side=side, sorter=None if sorter is None else sorter.to(dtypes.int64))


class unique_all_result(NamedTuple):
    """The result of `unique_all`."""

    values: Tensor
    indices: Tensor
    inverse_indices: Tensor
    counts: Tensor


class unique_counts_result(NamedTuple):
    """The result of `unique_counts`."""

    values: Tensor
    counts: Tensor


class unique_inverse_result(NamedTuple):
    """The result of `unique_inverse`."""

    values: Tensor
    inverse_indices: Tensor


def unique_all(x: Tensor, /) -> unique_all_result:
    """Returns the sorted distinct elements, the index of their first occurrence, the inverse indices, and the counts.

    >>> import rushlight as torch
    >>> torch.unique_all(torch.tensor([3, 1, 3])).indices
    tensor([1, 0])
    """
    values, inverse, counts = _unique(x)
    by_value = F.argsort(F.flatten(inverse), stable=True)
    first = F.index_select(by_value, 0, F.cumsum(counts, 0) - counts)
    return unique_all_result(values, first, inverse, counts)


def unique_counts(x: Tensor, /) -> unique_counts_result:
    """Returns the sorted distinct elements and their counts."""
    values, _, counts = _unique(x)
    return unique_counts_result(values, counts)


def unique_inverse(x: Tensor, /) -> unique_inverse_result:
    """Returns the sorted distinct elements and the inverse indices."""
    values, inverse, _ = _unique(x)
    return unique_inverse_result(values, inverse)


def unique_values(x: Tensor, /) -> Tensor:
    """Returns the sorted distinct elements."""
    return _unique(x)[0]


def _unique(x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Returns distinct elements, inverse indices and counts; also of complex numbers, unlike PyTorch."""
    if x.dtype.category != COMPLEX:
        return F.unique(x, return_inverse=True, return_counts=True)
    pairs = F.view_as_real(F.flatten(x))  # (elements, 2)
    values, inverse, counts = F.unique(pairs, return_inverse=True, return_counts=True, dim=0)
    return F.view_as_complex(values), F.reshape(inverse, x.shape), counts
