"""Exact integer matrix products, with wrap-around, by exact floating-point products.

BLAS has no integer products, and NumPy's loop takes twenty times as long. The sums of a product are exact in float32 if
they fit in 24 bits, in float64 if they fit in 53; otherwise the values are split into parts of as many bits as fit, and
the products of the parts are shifted and added as integers, which wrap.
"""

from __future__ import annotations

import numpy as np

from rushlight.core.tables import xp

FEW = 1 << 13  # multiplications that NumPy's loop finishes before the ranges are computed
BITS_32, BITS_64 = 24, 53  # integers of so many bits are exact floats


def integer_product(one, other):
    """`one @ other` for two arrays of one integer dtype."""
    plain = type(one) is np.ndarray is type(other) and one.ndim > 1 < other.ndim
    if not plain or one.size * other.shape[-1] < FEW or not other.size:
        return np.matmul(one, other)
    dtype = one.dtype
    if dtype.char == "B":  # wraps the same as int8, whose values are smaller
        return integer_product(one.view(np.int8), other.view(np.int8)).view(np.uint8)
    sizes, depth = (largest(one), largest(other)), one.shape[-1]
    bits = (sizes[0] * sizes[1] * depth).bit_length()
    if bits <= BITS_32:
        result = xp.matmul(one.astype(np.float32), other.astype(np.float32))
        return result.astype(np.int64 if dtype.itemsize == 8 else np.int32).astype(dtype, copy=False)
    if bits <= BITS_64:
        return np.matmul(one.astype(np.float64), other.astype(np.float64)).astype(np.int64).astype(dtype, copy=False)
    width = (BITS_64 + 2 - depth.bit_length()) // 2  # of parts between -2**(width - 1) and 2**(width - 1)
    ones, others = (parts(x, width, size) for x, size in zip((one, other), sizes, strict=True))
    return total_of_parts(ones, others, width, 8 * dtype.itemsize).astype(dtype, copy=False)


def largest(array) -> int:
    """The largest absolute value in a non-empty array; for bytes, the largest of the dtype."""
    if array.itemsize == 1:
        return 1 << 7
    return max(array.item(array.argmax()), -array.item(array.argmin()))


def parts(array, width: int, size: int) -> list:
    """Splits values into floats no larger than `size`, each shifted by `width` bits more than the one before.

    >>> [each.tolist() for each in parts(np.array([5, 100]), 6, 100)]
    [[5.0, -28.0], [0.0, 2.0]]
    """
    half, rest, result = 1 << width - 1, array.astype(np.int64), []
    for _ in range(size.bit_length() // width):
        low = (rest + half & 2 * half - 1) - half
        result.append(low.astype(np.float64))
        rest = rest - low >> width
    return [*result, rest.astype(np.float64)]


def total_of_parts(ones: list, others: list, width: int, bits: int):
    """The sum of the products of all parts that contribute to the lowest `bits`."""
    total = 0
    for index, one in enumerate(ones):
        for shift, other in enumerate(others, index):
            if shift * width < bits:
                total = total + (np.matmul(one, other).astype(np.int64) << shift * width)
    return total
