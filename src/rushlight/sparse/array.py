"""The raw array of a sparse tensor: dense tensors of indices and values, with the shape that the program sees.

    layout       indices                                              values
    COO          one tensor: (sparse dims, entries)                   (entries, *dense dims)
    CSR, CSC     compressed (*batch, rows + 1), plain (*batch, entries)   (*batch, entries, *dense dims)
    BSR, BSC     the same of blocks                                       (*batch, blocks, height, width, *dense dims)

The history of a sparse tensor is that of its values: an operator on it is a composition of dense operators on these.
"""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from rushlight.core.dtype import int64
from rushlight.core.marked_dtypes import marked
from rushlight.core.shape_queries import SPARSE_BSC, SPARSE_BSR, SPARSE_COO, SPARSE_CSC, SPARSE_CSR
from rushlight.core.tensor import Tensor

REFUSAL = "this array is sparse: its elements are in the tensors of its indices and values"
SCATTERED = np.empty((2, 2)).T.flags  # of an array whose elements do not lie one after the other
BLOCKS = (SPARSE_BSR, SPARSE_BSC)
COMPRESSED = (SPARSE_CSR, SPARSE_CSC, *BLOCKS)
BY_ROWS = (SPARSE_CSR, SPARSE_BSR)


class SparseArray:
    """Indices, values and shape of a sparse tensor; it refuses to be read as an array of elements."""

    __slots__ = ("coalesced", "indices", "layout", "rows", "shape", "values")
    __array_ufunc__ = None  # universal functions, and operators of NumPy arrays, raise TypeError

    def __init__(self, layout, indices: tuple[Tensor, ...], values: Tensor, shape: tuple, coalesced: bool = False):
        self.layout, self.indices, self.values, self.shape = layout, indices, values, tuple(shape)
        self.coalesced = coalesced  # of COO: whether indices are sorted and distinct
        self.rows: Any = None  # the entries by rows, once a product has needed them

    ndim = property(lambda self: len(self.shape))
    size = property(lambda self: prod(self.shape))
    itemsize = property(lambda self: self.values._array.itemsize)
    nbytes = property(lambda self: self.values._array.nbytes + sum(each._array.nbytes for each in self.indices))
    strides = property(lambda self: (0,) * len(self.shape))
    flags = property(lambda self: SCATTERED)
    dtype = property(lambda self: marked(self.values._array.dtype))  # which the generated fast paths do not accept

    @property
    def sparse_dim(self) -> int:
        """The number of dimensions that indices count."""
        return self.indices[0]._array.shape[0] if self.layout is SPARSE_COO else 2

    @property
    def batch_dim(self) -> int:
        """The number of dimensions in front, each of whose items is a matrix of its own; 0 for COO."""
        return 0 if self.layout is SPARSE_COO else self.indices[0]._array.ndim - 1

    @property
    def dense_dim(self) -> int:
        """The number of dimensions at the end that every entry has whole."""
        return len(self.shape) - self.batch_dim - self.sparse_dim

    @property
    def blocksize(self) -> tuple[int, int] | None:
        """The height and the width of a block; None for layouts without blocks."""
        if self.layout not in BLOCKS:
            return None
        height, width = self.values._array.shape[self.batch_dim + 1 : self.batch_dim + 3]
        return height, width

    @property
    def entries(self) -> int:
        """The number of entries, or blocks, in each matrix of a batch."""
        return self.values._array.shape[self.batch_dim]

    def with_values(self, values: Tensor) -> SparseArray:
        """Returns an array with other values at the same indices."""
        made = SparseArray(self.layout, self.indices, values, self.shape, self.coalesced)
        made.rows = self.rows
        return made

    def index_arrays(self) -> list[np.ndarray]:
        """Returns the indices as NumPy arrays of 64-bit integers."""
        return [np.asarray(each._array).astype(int64.numpy, copy=False) for each in self.indices]

    def copy(self, order="C") -> SparseArray:
        """Returns an array with the same entries, in memory of its own."""
        made = self.with_values(self.values.detach().clone())
        made.indices = tuple([each.clone() for each in self.indices])
        return made

    def __array__(self, dtype=None, copy=None):
        raise TypeError(REFUSAL)

    def __array_function__(self, function, types, arguments, keywords):
        raise TypeError(REFUSAL)

    def __eq__(self, other):
        raise TypeError(REFUSAL)

    __hash__ = object.__hash__

    def __bool__(self):
        raise TypeError(REFUSAL)
