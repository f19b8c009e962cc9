"""Matrix products of float16 and bfloat16 in float32, in which products of two elements are exact."""

from __future__ import annotations

import numpy as np

from rushlight.core.tables import primitive, xp

FLOAT32 = np.dtype(np.float32)


@primitive
def half_product(one, other):
    """`one @ other` for (batches of) half precision matrices; the result is float32, not rounded to half precision.

    >>> half_product(np.ones((1, 3), np.float16), np.full((3, 1), 0.1, np.float16))
    array([[0.29992676]], dtype=float32)
    """
    return xp.matmul(xp.astype(one, FLOAT32), xp.astype(other, FLOAT32))
