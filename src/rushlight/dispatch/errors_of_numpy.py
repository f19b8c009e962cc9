"""Floating-point flags: PyTorch is silent about overflow and 0/0, so we are too, without touching the user's NumPy.
And memory that there is not, which is a RuntimeError in PyTorch, with words that programs look for.

NumPy keeps its error state in a context variable. Setting and resetting it costs 0.13 us where `numpy.errstate` costs
1 us, so the variable and the state that ignores everything are looked up once here, through public calls. Sums and
products cost no more than that themselves: they are computed in the state as it is, and what NumPy then says of them
is filtered out. Where a program makes warnings errors, they fail and are computed again on the general path.
"""

from __future__ import annotations

import math
import warnings
from contextvars import copy_context

import numpy as np

from rushlight.arrays.elementwise import narrowed
from rushlight.core.dtype import HALVES
from rushlight.core.large import MEDIUM, WAITING, notice


def _state():
    with np.errstate(all="ignore"):
        for variable, value in copy_context().items():
            if "extobj" in variable.name or "errstate" in variable.name:
                return variable, value
    raise ImportError("this NumPy keeps its floating-point error state in an unknown place")


_VARIABLE, IGNORED = _state()
set_errors = _VARIABLE.set
reset_errors = _VARIABLE.reset
errors_now = _VARIABLE.get

# What formulas raise of arguments that do not fit: short ways give up then, and the long way explains.
FAILURES = (ArithmeticError, AttributeError, LookupError, MemoryError, RuntimeError, TypeError, ValueError, Warning)

warnings.filterwarnings("ignore", r"[a-z ]+ encountered in ", RuntimeWarning, r"rushlight\.")


def cast(array: np.ndarray, kind: np.dtype) -> np.ndarray:
    """A copy in another NumPy dtype; numbers that do not fit become infinite or wrap without a word, as in PyTorch."""
    if WAITING and array.size >= MEDIUM and (kind in HALVES or array.dtype in HALVES):
        notice(array.size)  # for NumPy each number is a dozen steps
    token = set_errors(IGNORED)
    try:
        return array.astype(kind) if array.dtype.kind == "c" else narrowed(array, kind)
    finally:
        reset_errors(token)


def cast_into(out: np.ndarray, array: np.ndarray) -> bool:
    """Writes numbers of another dtype, broadcast, as `cast` makes them. Raises ValueError where they do not fit."""
    out[...] = cast(array, out.dtype)
    return True


def out_of_memory(error: MemoryError) -> RuntimeError:
    """PyTorch's error for an array that does not fit into memory."""
    shape, kind = getattr(error, "shape", ()), getattr(error, "dtype", np.dtype(np.uint8))
    return RuntimeError(
        "[enforce fail at alloc_cpu.cpp:127] err == 0. DefaultCPUAllocator: can't allocate memory: you tried to "
        f"allocate {math.prod(shape) * kind.itemsize} bytes. Error code 12 (Cannot allocate memory)"
    )
