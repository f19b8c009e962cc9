"""Grouped matrix products: one product for each group of rows or columns."""

from __future__ import annotations

import numpy as np

from rushlight.arrays.gemm_half import FLOAT32
from rushlight.core.tables import xp


def grouped_shape(one, other, ends) -> tuple[int, ...]:
    """Returns the shape of `grouped_product`."""
    if one.ndim == other.ndim == 2:
        return ends.shape[0], one.shape[0], other.shape[1]
    if one.ndim == other.ndim:
        return *one.shape[:2], other.shape[2]
    return one.shape[-2], other.shape[-1]


def grouped_product(one, other, ends):
    """`one @ other`, group by group: `ends` are the ends of the groups along dimensions of 2-D operands.

    Rows of a 2-D `one` are multiplied by the matrix of their group; columns of a 2-D `other` likewise; for two 2-D
    operands the summed dimension is grouped. After the last end are zeros. Two batches are multiplied normally, and
    have no ends.

    >>> grouped_product(np.ones((3, 2)), np.array([[[1.0], [1.0]], [[5.0], [5.0]]]), np.array([1, 3])).T
    array([[ 2., 10., 10.]])
    """
    dtype = one.dtype
    if dtype.itemsize < 4:  # half precision is summed in float32
        one, other = xp.astype(one, FLOAT32), xp.astype(other, FLOAT32)
    if ends is None:
        return xp.astype(xp.matmul(one, other), dtype)
    result = np.zeros_like(one, shape=grouped_shape(one, other, ends), order="C")
    begin = 0
    for group, end in enumerate(ends.tolist()):
        part = slice(begin, end)
        left = one[group] if one.ndim == 3 else one[:, part] if other.ndim == 2 else one[part]
        right = other[group] if other.ndim == 3 else other[part] if one.ndim == 2 else other[:, part]
        if one.ndim == other.ndim:
            target = result[group]
        else:
            target = result[part] if one.ndim == 2 else result[:, part]
        if target.size and left.shape[1]:
            np.matmul(left, right, out=target)
        begin = end
    return xp.astype(result, dtype)
