"""Eigenvalues and singular values on the device: CuPy looks at their convergence only within `errstate`."""

from __future__ import annotations

import numpy as np

from rushlight.arrays.cuda.conditions import is_deferred
from rushlight.arrays.spectra import _converged as computed


def _converged(name: str, array, function, *arguments):
    """Returns what a function computes. Raises LinAlgError if that has not converged; not in a capture."""
    if is_deferred():
        return computed(name, array, function, *arguments)
    with np.linalg.checked():
        return computed(name, array, function, *arguments)
