"""Floating-point warnings and memory errors of NumPy, which PyTorch does not have or words differently.

Formulas run with floating-point errors ignored (`core.fp_errors`). Sums and products cost less than setting that state,
so they run in the current one, and a filter drops NumPy's warnings. If a program makes warnings errors, the call fails
and runs again on the general path.
"""

from __future__ import annotations

import math
import warnings

import numpy as np

from rushlight.arrays.elementwise import narrowed
from rushlight.arrays.size_limits import no_memory
from rushlight.core.dtype import HALVES
from rushlight.core.fp_errors import reset_errors, set_errors
from rushlight.core.policy import MEDIUM, WAITING, notice
from rushlight.core.tables import primitive, xp

# What formulas raise for wrong arguments: fast paths give up then, and the general path raises PyTorch's error.
FAILURES = (ArithmeticError, AttributeError, LookupError, MemoryError, RuntimeError, TypeError, ValueError, Warning)

warnings.filterwarnings("ignore", r"[a-z ]+ encountered in ", RuntimeWarning, r"rushlight\.")


@primitive
def cast(array: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """Returns a copy of another NumPy dtype; values out of range become infinite or wrap, without a warning."""
    if WAITING and array.size >= MEDIUM and (dtype in HALVES or array.dtype in HALVES):
        notice(array.size)  # NumPy takes a dozen steps per element
    token = set_errors(xp.IGNORED)
    try:
        return array.astype(dtype) if array.dtype.kind == "c" else narrowed(array, dtype)
    finally:
        reset_errors(token)


@primitive
def cast_into(out: np.ndarray, array: np.ndarray) -> bool:
    """Writes an array of another dtype to `out`, cast and broadcast. Raises ValueError if shapes do not fit."""
    out[...] = xp.cast(array, out.dtype)
    return True


def out_of_memory(error: MemoryError) -> RuntimeError:
    """Returns PyTorch's error for an array that does not fit into memory."""
    shape, dtype = getattr(error, "shape", ()), getattr(error, "dtype", np.dtype(np.uint8))
    return no_memory(math.prod(shape) * dtype.itemsize)
