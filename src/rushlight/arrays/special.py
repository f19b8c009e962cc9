"""Special functions from SciPy, which is imported on first use."""

from __future__ import annotations

import functools
import math

import numpy as np

from rushlight.arrays.reduce import is_within
from rushlight.core.policy import MEDIUM

HALF_ROOT = math.sqrt(0.5)
DENSITY = 1 / math.sqrt(2 * math.pi)  # of the standard normal distribution at 0


@functools.cache
def _scipy():
    import scipy.special

    return scipy.special


def _named(name: str):
    def function(*arrays):
        return getattr(_scipy(), name)(*arrays)

    function.__name__ = name
    return function


erf = _named("erf")
erfc = _named("erfc")


def normal_distribution(array):
    """The cumulative distribution function of the standard normal distribution."""
    return 0.5 * (1 + erf(array * HALF_ROOT))


def gelu_derivative(array):
    """The derivative of `x * normal_distribution(x)`."""
    return normal_distribution(array) + array * (DENSITY * np.exp(-0.5 * (array * array)))


erfcx = _named("erfcx")
gammainc = _named("gammainc")
gammaincc = _named("gammaincc")
i0 = _named("i0")
i0e = _named("i0e")
i1 = _named("i1")
i1e = _named("i1e")
j0 = _named("j0")
j1 = _named("j1")
y0 = _named("y0")
y1 = _named("y1")
k0 = _named("k0")
k0e = _named("k0e")
k1 = _named("k1")
k1e = _named("k1e")
_zeta = _named("zeta")


def zeta(array, start):
    """The Hurwitz zeta function; nan for an infinite `start`, as in PyTorch."""
    result = _zeta(array, start)
    return np.where((start == np.inf) & (array != 1), np.asarray(np.nan, result.dtype), result)


_erfinv, _psi = _named("erfinv"), _named("psi")


def erfinv(array):
    """The inverse of `erf`, nan beyond 1: SciPy takes 3 us to report such an element, and none to pass on nan."""
    if array.size >= MEDIUM and not is_within(array, 1):
        array = np.where(np.abs(array) <= 1, array, np.asarray(np.nan, array.dtype))
    return _erfinv(array)


def digamma(array):
    """The derivative of `lgamma`; reflected below 0, where SciPy takes 2 us per element near the root."""
    below = array < 0
    if not below.any():
        return _psi(array)
    result = _psi(np.where(below, 1 - array, array))
    rest = np.fmod(array, 1, dtype=np.float64)
    reflection = np.where(rest == 0, np.nan, np.pi / np.tan(np.pi * rest))
    return np.where(below, result - reflection, result).astype(array.dtype, copy=False)


entr = _named("entr")
xlog1py = _named("xlog1py")
log_ndtr = _named("log_ndtr")
ndtri = _named("ndtri")


def lgamma(array):
    """The logarithm of the absolute value of the gamma function; infinite at minus infinity, as in C."""
    result = _scipy().gammaln(array)
    return np.where(result == -np.inf, np.inf, result)


def spherical_bessel_j0(array):
    """`sin(x) / x`, 1 at 0 and 0 at infinity."""
    quotient = np.sin(array) / np.where(array == 0, 1, array)
    return np.where(np.isinf(array), 0, np.where(array == 0, 1, quotient)).astype(array.dtype, copy=False)


def airy_ai(array):
    """The Airy function Ai; where SciPy fails, far from 0, the first term of https://dlmf.nist.gov/9.7.E9, or 0."""
    result = _scipy().airy(array)[0]
    far = np.abs(array)
    waves = np.cos(2 / 3 * far**1.5 - np.pi / 4) / (np.sqrt(np.pi) * far**0.25)
    failed = np.isnan(result) & np.isfinite(array)
    return np.where(failed, np.where(array > 0, 0, waves), result).astype(array.dtype, copy=False)


def polygamma(n: int, array):
    """The derivative of order `n` of digamma."""
    if n < 0:
        raise RuntimeError("polygamma(n, x) does not support negative n.")
    if n == 0:
        return digamma(array)
    if n == 1:
        return trigamma(array)
    return (-1.0) ** (n + 1) * float(_scipy().gamma(n + 1.0)) * zeta(array.dtype.type(n + 1), array)


def trigamma(array):
    """The derivative of digamma, below 1/2 by reflection: `pi^2 / sin^2(pi x) - trigamma(1 - x)`."""
    left = array < 0.5
    result = _zeta(array.dtype.type(2), np.where(left, 1 - array, array))
    return np.where(left, (np.pi / np.sin(np.pi * array)) ** 2 - result, result)


def multigamma(array, p: int):
    """The logarithm of the multivariate gamma function of dimension `p`."""
    if p < 1:
        raise RuntimeError("p has to be greater than or equal to 1")
    total = lgamma(array)
    for j in range(1, p):
        total = total + lgamma(array - j / 2)
    return total + p * (p - 1) / 4 * float(np.log(np.pi))
