"""Products of matrices of whole numbers, exact and wrapping around, by products of floats that lose no digit.

A BLAS has no products of whole numbers, and NumPy's loop takes twenty times as long. The sums of a product are exact in
float32 if none can leave 24 bits, in float64 if none can leave 53; where one could, the numbers are cut into parts of
as many bits as go, and the products of the parts are shifted to their places and added up as whole numbers, which wrap.
"""

from __future__ import annotations

import numpy as np

from rushlight.core.tables import xp

FEW = 1 << 13  # products of numbers that NumPy's loop has done before anything has been found out about them
BITS_32, BITS_64 = 24, 53  # of whole numbers that are all floats


def whole_product(one, other):
    """`one @ other` of one dtype of whole numbers."""
    plain = type(one) is np.ndarray is type(other) and one.ndim > 1 < other.ndim
    if not plain or one.size * other.shape[-1] < FEW or not other.size:
        return np.matmul(one, other)
    kind = one.dtype
    if kind.char == "B":  # what wraps is the same with a sign, and smaller
        return whole_product(one.view(np.int8), other.view(np.int8)).view(np.uint8)
    sizes, depth = (largest(one), largest(other)), one.shape[-1]
    bits = (sizes[0] * sizes[1] * depth).bit_length()
    if bits <= BITS_32:
        found = xp.matmul(one.astype(np.float32), other.astype(np.float32))
        return found.astype(np.int64 if kind.itemsize == 8 else np.int32).astype(kind, copy=False)
    if bits <= BITS_64:
        return np.matmul(one.astype(np.float64), other.astype(np.float64)).astype(np.int64).astype(kind, copy=False)
    width = (BITS_64 + 2 - depth.bit_length()) // 2  # of parts between -2**(width - 1) and 2**(width - 1)
    ones, others = (parts(each, width, size) for each, size in zip((one, other), sizes, strict=True))
    return total_of_parts(ones, others, width, 8 * kind.itemsize).astype(kind, copy=False)


def largest(array) -> int:
    """The largest absolute value in an array that is not empty. Of bytes, which are few, the largest that there is."""
    if array.itemsize == 1:
        return 1 << 7
    return max(array.item(array.argmax()), -array.item(array.argmin()))


def parts(array, width: int, size: int) -> list:
    """Floats that add up to the numbers, none larger than `size`, the next always shifted by `width` bits.

    >>> [each.tolist() for each in parts(np.array([5, 100]), 6, 100)]
    [[5.0, -28.0], [0.0, 2.0]]
    """
    half, rest, found = 1 << width - 1, array.astype(np.int64), []
    for _ in range(size.bit_length() // width):
        low = (rest + half & 2 * half - 1) - half
        found.append(low.astype(np.float64))
        rest = rest - low >> width
    return [*found, rest.astype(np.float64)]


def total_of_parts(ones: list, others: list, width: int, bits: int):
    """The sum of the products of all parts that reach into the lowest `bits`."""
    total = 0
    for place, one in enumerate(ones):
        for shift, other in enumerate(others, place):
            if shift * width < bits:
                total = total + (np.matmul(one, other).astype(np.int64) << shift * width)
    return total
