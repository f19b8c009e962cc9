"""Discrete Fourier transforms over several axes, from NumPy, or where those take long from SciPy.

NumPy transforms single precision in double, line by line: that is two to four times as exact as PyTorch, and two to
three times as slow as SciPy, which transforms several lines at once in the precision that they have. A normalization
counts, as PyTorch's nodes do, whether a transform is divided by nothing (0), by the square root of its number of
elements (1) or by that number (2).
"""

from __future__ import annotations

import functools

import numpy as np

# The libraries' names for it, from the two ends: their "backward" divides the backward transform.
FORWARD = ("backward", "ortho", "forward")
BACKWARD = ("forward", "ortho", "backward")
SINGLE = frozenset(map(np.dtype, (np.float32, np.complex64)))
# From so many elements on, half a millisecond, SciPy is worth its import.
MANY = 1 << 16


def library(array):
    """`numpy.fft` or `scipy.fft`: the functions have the same names and arguments."""
    return _scipy() if array.size >= MANY and array.dtype in SINGLE else np.fft


@functools.cache
def _scipy():
    import scipy.fft

    return scipy.fft


def fourier(array, axes, normalization: int, forward: bool = True):
    """All coefficients of complex or real numbers, or with `forward=False` what has them as its coefficients."""
    if not axes:
        return array.copy()
    functions, norm = library(array), (FORWARD if forward else BACKWARD)[normalization]
    if len(axes) == 1:  # NumPy's functions of several axes take twice as long to begin
        return (functions.fft if forward else functions.ifft)(array, None, axes[0], norm)
    return (functions.fftn if forward else functions.ifftn)(array, axes=axes, norm=norm)


def fourier_half(array, axes, normalization: int):
    """The coefficients of real numbers, of which the last axis holds one of each conjugate pair."""
    if len(axes) == 1:
        return library(array).rfft(array, None, axes[0], FORWARD[normalization])
    return library(array).rfftn(array, axes=axes, norm=FORWARD[normalization])


def fourier_from_half(array, axes, normalization: int, size: int):
    """The real numbers that have such coefficients, `size` of them along the last axis."""
    if len(axes) == 1:
        return library(array).irfft(array, size, axes[0], BACKWARD[normalization])
    sizes = [array.shape[axis] for axis in axes[:-1]]
    return library(array).irfftn(array, (*sizes, size), axes, BACKWARD[normalization])


def scaled_pairs(array, axis: int, size: int, factor: float):
    """Half the coefficients of `size` real numbers, those whose conjugates are left out times `factor`."""
    out = array.copy()
    paired = (slice(None),) * axis + (slice(1, (size + 1) // 2),)
    out[paired] *= array.real.dtype.type(factor)
    return out
