"""Products of matrices whose rows, or columns, belong to groups: a matrix product for each."""

from __future__ import annotations

import numpy as np

from rushlight.arrays.gemm_half import FLOAT32
from rushlight.core.tables import xp


def grouped_shape(one, other, ends) -> tuple[int, ...]:
    """The shape of `grouped_product`."""
    if one.ndim == other.ndim == 2:
        return ends.shape[0], one.shape[0], other.shape[1]
    if one.ndim == other.ndim:
        return *one.shape[:2], other.shape[2]
    return one.shape[-2], other.shape[-1]


def grouped_product(one, other, ends):
    """`one @ other`, group by group: `ends` says where along their 2-D operands the groups end.

    The rows of a 2-D `one`, each times the matrix of its group; the columns of a 2-D `other`; or, of two 2-D operands,
    what is summed over. Behind the last end are zeros. Two batches are multiplied as they are, and have no ends.

    >>> grouped_product(np.ones((3, 2)), np.array([[[1.0], [1.0]], [[5.0], [5.0]]]), np.array([1, 3])).T
    array([[ 2., 10., 10.]])
    """
    kind = one.dtype
    if kind.itemsize < 4:  # half precision, which is summed in float32
        one, other = xp.astype(one, FLOAT32), xp.astype(other, FLOAT32)
    if ends is None:
        return xp.astype(xp.matmul(one, other), kind)
    found = np.zeros_like(one, shape=grouped_shape(one, other, ends), order="C")
    begin = 0
    for group, end in enumerate(ends.tolist()):
        part = slice(begin, end)
        left = one[group] if one.ndim == 3 else one[:, part] if other.ndim == 2 else one[part]
        right = other[group] if other.ndim == 3 else other[part] if one.ndim == 2 else other[:, part]
        if one.ndim == other.ndim:
            target = found[group]
        else:
            target = found[part] if one.ndim == 2 else found[:, part]
        if target.size and left.shape[1]:
            np.matmul(left, right, out=target)
        begin = end
    return xp.astype(found, kind)
