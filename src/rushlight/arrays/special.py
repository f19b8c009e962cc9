"""Special functions from SciPy, which is imported when the first of them is called."""

from __future__ import annotations

import functools

import numpy as np


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
erfinv = _named("erfinv")
lgamma = _named("gammaln")
digamma = _named("psi")
gammainc = _named("gammainc")
gammaincc = _named("gammaincc")
i0 = _named("i0")
i0e = _named("i0e")
i1 = _named("i1")
i1e = _named("i1e")
zeta = _named("zeta")


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
    """The derivative of digamma, reflected where the series does not reach: `pi^2 / sin^2(pi x) - trigamma(1 - x)`."""
    left = array < 0.5
    found = zeta(array.dtype.type(2), np.where(left, 1 - array, array))
    return np.where(left, (np.pi / np.sin(np.pi * array)) ** 2 - found, found)


def multigamma(array, p: int):
    """The logarithm of the multivariate gamma function of dimension `p`."""
    if p < 1:
        raise RuntimeError("p has to be greater than or equal to 1")
    total = lgamma(array)
    for j in range(1, p):
        total = total + lgamma(array - j / 2)
    return total + p * (p - 1) / 4 * float(np.log(np.pi))
