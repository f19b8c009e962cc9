"""Products of sparse matrices, given by their entries, with dense ones: SciPy's, or NumPy's for few elements.

An entry is `values[i]` at (`rows[i]`, `columns[i]`), in any order; entries at the same place add up.
"""

from __future__ import annotations

import numpy as np

from rushlight.arrays.convolution import widened
from rushlight.arrays.scatter import MANY, add_rows
from rushlight.core.tables import primitive

BLOCK = 1 << 16  # elements of a block of entries, which stays in the cache


@primitive
def sparse_matmul(values, dense, rows, columns, count):
    """Returns the product (`count`, width) of a sparse matrix with a dense one.

    >>> sparse_matmul(np.array([2.0, 3.0]), np.array([[1.0], [5.0]]), np.array([0, 0]), np.array([1, 0]), 2)
    array([[13.],
           [ 0.]])
    """
    kept = values.dtype
    values, dense = widened(values), widened(dense)
    if len(values) * dense.shape[1] < MANY or values.dtype.kind not in "fciu":
        out = np.zeros((count, dense.shape[1]), values.dtype)
        if out.size:
            add_rows(out, rows, dense.take(columns, 0) * values[:, None])
        return out.astype(kept, copy=False)
    from scipy.sparse import coo_array

    out = coo_array((values, (rows, columns)), (count, len(dense))) @ np.ascontiguousarray(dense)
    return out.astype(kept, copy=False)


@primitive
def entry_products(left, right, rows, columns):
    """Returns, for each entry, the sum of the products of a row of `left` and a row of `right`: parts of a product.

    >>> entry_products(np.array([[1.0, 2.0]]), np.array([[3.0, 1.0], [0.0, 5.0]]), np.array([0]), np.array([1]))
    array([10.])
    """
    kept = left.dtype
    left, right = widened(left), widened(right)
    out = np.empty(len(rows), left.dtype)
    step = max(1, BLOCK // max(left.shape[1], 1))
    for start in range(0, len(rows), step):
        part = slice(start, start + step)
        np.einsum("ij,ij->i", left.take(rows[part], 0), right.take(columns[part], 0), out=out[part])
    return out.astype(kept, copy=False)
