"""The array language of tensors on meta: shapes of results where a function would read or write elements.

What computes with ufuncs and views finds shapes by the rules of `MetaArray`. The functions here index, search, loop
over parts of an array or look at its elements; all others are those of the array language.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rushlight.arrays.meta import MetaArray, kept
from rushlight.arrays.strided import axis
from rushlight.core.tables import xp

__all__ = ["LANGUAGE"]


def like(array, *arguments) -> MetaArray:
    """An array of the shape and dtype of the first."""
    return MetaArray(array.shape, array.dtype)


def index_select(array, dim: int, index) -> MetaArray:
    """As many slices along a dimension as there are indices."""
    if index.ndim > 1:
        raise IndexError("index_select(): Index is supposed to be a vector")
    dim = axis(dim, array.ndim)
    return MetaArray((*array.shape[:dim], index.size, *array.shape[dim + 1 :])[: array.ndim], array.dtype)


def ones_at(classes, count: int) -> MetaArray:
    """Zeros and ones in another dimension. Raises RuntimeError if the number of classes depends on elements."""
    if count == -1:
        raise RuntimeError("The number of classes depends on elements, which a tensor on meta does not have")
    return MetaArray((*classes.shape, count), classes.dtype)


def spread(array, axes, correction: float, keepdims: bool, root: bool) -> tuple:
    """A deviation and a mean along axes."""
    shape = kept(array.shape, axes, keepdims)
    return MetaArray(shape, array.real.dtype), MetaArray(shape, array.dtype)


def block_diagonal(arrays) -> MetaArray:
    """A matrix as large as all together."""
    sizes = [((1, 1, *array.shape)[-2:]) for array in arrays]
    return MetaArray([sum(size[dim] for size in sizes) for dim in (0, 1)], arrays[0].dtype)


RULES = {
    "bag_factors": lambda indices, bags, padding, count, mean, dtype: MetaArray(indices.shape, dtype),
    "bag_of_each": lambda offsets, length, count: MetaArray((length,), np.int64),
    "bag_sums": lambda table, factors, indices, bags, count: MetaArray((count, table.shape[1]), table.dtype),
    "bag_winners": lambda table, indices, bags, counted, count: MetaArray((count, table.shape[1]), np.int64),
    "block_diagonal": block_diagonal,
    "check_filled": lambda array, dim, index: None,  # looks at indices
    "gather": lambda array, dim, index: MetaArray(index.shape, array.dtype),
    "index_add": like,
    "index_select": index_select,
    "index_write": like,
    "is_between": lambda array, low, high: True,
    "log_softmax": like,
    "logsumexp": lambda array, axes, keepdims: MetaArray(kept(array.shape, axes, keepdims), np.exp(array).dtype),
    "masked_scatter": lambda array, mask, source: MetaArray(np.broadcast_shapes(array.shape, mask.shape), array.dtype),
    "median_of_all": lambda array, ignore_nan: MetaArray((), array.dtype),
    "ones_at": ones_at,
    "resampled": lambda array, settings: MetaArray(
        (*array.shape[: array.ndim - len(settings)], *(size for _, size, *_ in settings)), array.dtype
    ),
    "rows_of": lambda table, indices: MetaArray((*indices.shape, *table.shape[1:]), table.dtype),
    "scatter": like,
    "search": lambda sorted_sequence, values, right, dtype: MetaArray(values.shape, dtype),
    "softmax": like,
    "spread": spread,
    "take": lambda array, index: MetaArray(index.shape, array.dtype),
}


class MetaLanguage:
    """The array language with other functions instead of some."""

    def __init__(self, functions: dict[str, Any]):
        vars(self).update(functions)

    def __getattr__(self, name: str) -> Any:
        return getattr(xp, name)


LANGUAGE = MetaLanguage(RULES)
