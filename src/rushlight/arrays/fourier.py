"""Discrete Fourier transforms over several axes, from NumPy, or from SciPy where NumPy is slow.

NumPy transforms single precision in double, line by line: that is two to four times as exact as PyTorch, and two to
three times as slow as SciPy, which transforms several lines at once in their own precision. A normalization is encoded
as in PyTorch's nodes: divide by nothing (0), by the square root of the number of elements (1) or by that number (2).
"""

from __future__ import annotations

import functools

import numpy as np

# The libraries' names of it, for both directions: "backward" divides the backward transform.
FORWARD = ("backward", "ortho", "forward")
BACKWARD = ("forward", "ortho", "backward")
SINGLE = frozenset(map(np.dtype, (np.float32, np.complex64)))
# From so many elements on, half a millisecond, importing SciPy pays off; rough lengths take eight times as long.
MANY, ROUGH = 1 << 16, 8


def library(array, axes: tuple, last: int | None = None):
    """Returns `numpy.fft` or `scipy.fft` for a transform; `last` replaces the length of the last axis."""
    if array.size * ROUGH < MANY or array.dtype not in SINGLE:
        return np.fft
    lengths = [array.shape[axis] for axis in axes]
    rough = any(map(is_rough, lengths if last is None else [*lengths[:-1], last]))
    return _scipy() if rough or array.size >= MANY else np.fft


@functools.lru_cache(maxsize=256)
def is_rough(length: int) -> bool:
    """Whether a length has a prime factor above 11, for which the libraries have no special step."""
    for factor in (2, 3, 5, 7, 11):
        while length > 1 and length % factor == 0:
            length //= factor
    return length > 1


@functools.cache
def _scipy():
    import scipy.fft

    return scipy.fft


def fourier(array, axes, normalization: int, forward: bool = True):
    """The forward transform of complex or real values, or with `forward=False` the inverse."""
    if not axes:
        return array.copy()
    functions, norm = library(array, axes), (FORWARD if forward else BACKWARD)[normalization]
    if len(axes) == 1:  # NumPy's functions of several axes have twice the overhead
        return (functions.fft if forward else functions.ifft)(array, None, axes[0], norm)
    return (functions.fftn if forward else functions.ifftn)(array, axes=axes, norm=norm)


def fourier_half(array, axes, normalization: int):
    """The coefficients of real values; the last axis holds one of each conjugate pair."""
    if len(axes) == 1:
        return library(array, axes).rfft(array, None, axes[0], FORWARD[normalization])
    return library(array, axes).rfftn(array, axes=axes, norm=FORWARD[normalization])


def fourier_from_half(array, axes, normalization: int, size: int):
    """The real values with these half coefficients, `size` of them along the last axis."""
    if len(axes) == 1:
        return library(array, axes, size).irfft(array, size, axes[0], BACKWARD[normalization])
    sizes = [array.shape[axis] for axis in axes[:-1]]
    return library(array, axes, size).irfftn(array, (*sizes, size), axes, BACKWARD[normalization])


def scaled_pairs(array, axis: int, size: int, factor: float):
    """Scales those of `size` real values' half coefficients whose conjugates are left out by `factor`."""
    out = array.copy()
    paired = (slice(None),) * axis + (slice(1, (size + 1) // 2),)
    out[paired] *= array.real.dtype.type(factor)
    return out
