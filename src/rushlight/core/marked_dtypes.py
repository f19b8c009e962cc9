"""Marked dtypes: equal to NumPy's, but other objects.

The generated fast paths test a dtype for identity. An array that must not take them, because it is not in the CPU's
memory or holds other numbers than it shows, has a marked dtype, and so goes down the general path.
"""

from __future__ import annotations

import numpy as np

MARKED: dict = {}


def marked(plain: np.dtype) -> np.dtype:
    """The marked twin of a dtype."""
    twin = MARKED.get(plain)
    if twin is None:
        twin = MARKED[plain] = np.dtype(plain, metadata={"off the CPU": True})
    return twin
