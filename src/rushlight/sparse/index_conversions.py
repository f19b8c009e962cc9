"""Private functions of PyTorch by which packages convert row indices and row starts into each other."""

from __future__ import annotations

import numpy as np

from rushlight.core.dtype import int32, int64
from rushlight.core.tensor import Tensor
from rushlight.core.tensor import wrap as dense
from rushlight.sparse.compressed import owners_of, starts_of


def _convert_indices_from_coo_to_csr(input: Tensor, size: int, *, out_int32: bool = False) -> Tensor:
    """Returns where the entries of each of `size` rows begin and end, given the sorted row of each entry.

    Raises RuntimeError for a row that is not there.

    >>> import rushlight as torch
    >>> torch._convert_indices_from_coo_to_csr(torch.tensor([0, 0, 2]), 3)
    tensor([0, 2, 2, 3])
    """
    rows = np.asarray(input._array)
    if input.ndim > 1:
        raise RuntimeError(f"Input is supposed to be a vector, but got {input.ndim} dimensional tensor.")
    if rows.size and not 0 <= rows.min() <= rows.max() < size:
        raise RuntimeError(f"row indices must be between 0 and {size - 1}")
    return dense(starts_of(rows, size)).to(int32 if out_int32 else int64)


def _convert_indices_from_csr_to_coo(
    crow_indices: Tensor, col_indices: Tensor, *, out_int32: bool = False, transpose: bool = False
) -> Tensor:
    """Returns the indices (2, entries) of a matrix, rows first or with `transpose` columns first.

    >>> import rushlight as torch
    >>> torch._convert_indices_from_csr_to_coo(torch.tensor([0, 2, 2, 3]), torch.tensor([0, 1, 1]))
    tensor([[0, 0, 2],
            [0, 1, 1]])
    """
    starts, columns = (np.asarray(each._array) for each in (crow_indices, col_indices))
    if starts.ndim != 1 or columns.ndim != 1:
        raise RuntimeError("crow_indices and col_indices are supposed to be vectors")
    if starts[0] != 0 or starts[-1] != len(columns) or (np.diff(starts) < 0).any():
        raise RuntimeError("crow_indices must grow from 0 to the number of col_indices")
    pair = owners_of(starts), columns
    indices = np.stack(pair[::-1] if transpose else pair)
    return dense(indices.astype(np.int32 if out_int32 else np.int64))
