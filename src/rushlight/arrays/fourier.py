"""Discrete Fourier transforms over several axes, from SciPy, which is imported when the first of them is called.

NumPy has the same library, but transforms one line at a time: in single precision that takes twice to three times as
long. A normalization counts, as PyTorch's nodes do, whether a transform is divided by nothing (0), by the square root
of its number of elements (1) or by that number (2).
"""

from __future__ import annotations

import functools

# The library's names for it, from the two ends: its "backward" divides the backward transform.
FORWARD = ("backward", "ortho", "forward")
BACKWARD = ("forward", "ortho", "backward")


@functools.cache
def _scipy():
    import scipy.fft

    return scipy.fft


def fourier(array, axes, normalization: int, forward: bool = True):
    """All coefficients of complex or real numbers, or with `forward=False` what has them as its coefficients."""
    if not axes:
        return array.copy()
    if forward:
        return _scipy().fftn(array, axes=axes, norm=FORWARD[normalization])
    return _scipy().ifftn(array, axes=axes, norm=BACKWARD[normalization])


def fourier_half(array, axes, normalization: int):
    """The coefficients of real numbers, of which the last axis holds one of each conjugate pair."""
    return _scipy().rfftn(array, axes=axes, norm=FORWARD[normalization])


def fourier_from_half(array, axes, normalization: int, size: int):
    """The real numbers that have such coefficients, `size` of them along the last axis."""
    sizes = [array.shape[axis] for axis in axes[:-1]]
    return _scipy().irfftn(array, (*sizes, size), axes, BACKWARD[normalization])


def scaled_pairs(array, axis: int, size: int, factor: float):
    """Half the coefficients of `size` real numbers, those whose conjugates are left out times `factor`."""
    out = array.copy()
    paired = (slice(None),) * axis + (slice(1, (size + 1) // 2),)
    out[paired] *= array.real.dtype.type(factor)
    return out
