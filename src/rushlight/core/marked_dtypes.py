"""Marked dtypes: equal to NumPy's, but different objects.

The generated fast paths compare dtypes by identity. An array that must not take them, because it is off the CPU or
has lazy values, has a marked dtype, and so takes the general path.
"""

from __future__ import annotations

import numpy as np

MARKED: dict = {}


def marked(plain: np.dtype) -> np.dtype:
    """Returns the marked copy of a dtype."""
    copy = MARKED.get(plain)
    if copy is None:
        copy = MARKED[plain] = np.dtype(plain, metadata={"off the CPU": True})
    return copy
