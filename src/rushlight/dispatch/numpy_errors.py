"""What NumPy warns of and raises, and PyTorch does not or in other words: overflow, and memory that there is not.

Formulas are computed while flags are ignored (`core.fp_errors`). Sums and products cost no more than that would: they
are computed in the state as it is, and what NumPy then says of them is filtered out. Where a program makes warnings
errors, they fail and are computed again on the general path.
"""

from __future__ import annotations

import math
import warnings

import numpy as np

from rushlight.arrays.elementwise import narrowed
from rushlight.arrays.room import no_memory
from rushlight.core.dtype import HALVES
from rushlight.core.fp_errors import reset_errors, set_errors
from rushlight.core.policy import MEDIUM, WAITING, notice
from rushlight.core.tables import primitive, xp

# What formulas raise of arguments that do not fit: short ways give up then, and the long way explains.
FAILURES = (ArithmeticError, AttributeError, LookupError, MemoryError, RuntimeError, TypeError, ValueError, Warning)

warnings.filterwarnings("ignore", r"[a-z ]+ encountered in ", RuntimeWarning, r"rushlight\.")


@primitive
def cast(array: np.ndarray, kind: np.dtype) -> np.ndarray:
    """A copy in another NumPy dtype; numbers that do not fit become infinite or wrap without a word, as in PyTorch."""
    if WAITING and array.size >= MEDIUM and (kind in HALVES or array.dtype in HALVES):
        notice(array.size)  # for NumPy each number is a dozen steps
    token = set_errors(xp.IGNORED)
    try:
        return array.astype(kind) if array.dtype.kind == "c" else narrowed(array, kind)
    finally:
        reset_errors(token)


@primitive
def cast_into(out: np.ndarray, array: np.ndarray) -> bool:
    """Writes numbers of another dtype, broadcast, as `cast` makes them. Raises ValueError where they do not fit."""
    out[...] = xp.cast(array, out.dtype)
    return True


def out_of_memory(error: MemoryError) -> RuntimeError:
    """PyTorch's error for an array that does not fit into memory."""
    shape, kind = getattr(error, "shape", ()), getattr(error, "dtype", np.dtype(np.uint8))
    return no_memory(math.prod(shape) * kind.itemsize)
