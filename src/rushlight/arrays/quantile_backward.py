"""How quantiles move with the parameters of a distribution: `-(dF / da) / (dF / dx)` of the distribution function F.

It is the gradient of a sample that was drawn with random numbers that stay the same: Figurnov, Mohamed and Mnih,
Implicit reparameterization gradients, 2018, https://arxiv.org/abs/1805.08498.
"""

from __future__ import annotations

import numpy as np

from rushlight.arrays.special import digamma

# From this shape on the cube root of a gamma number is so nearly normal that slopes have five digits, and the series is
# long.
NEARLY_NORMAL = 2000.0
MOST_TERMS = 100_000


def gamma_grad(values, shapes):
    """Of gamma numbers of rate 1, with their shape; computed in float64."""
    dtype = values.dtype
    values, shapes = (np.asarray(each, np.float64) for each in (values, shapes))
    return np.where(shapes < NEARLY_NORMAL, _by_series(values, shapes), _by_cube_root(values, shapes)).astype(dtype)


def _by_series(values, shapes):
    """With the series of https://dlmf.nist.gov/8.7.E1, differentiated term by term and divided by the density."""
    shapes = np.minimum(shapes, NEARLY_NORMAL)
    values = np.minimum(values, 2 * NEARLY_NORMAL)
    term, total = 1 / shapes, np.zeros_like(values)
    slope = np.log(values) - digamma(shapes + 1)  # of the logarithm of the term
    for count in range(1, MOST_TERMS):
        total += term * slope
        term = term * values / (shapes + count)
        slope = slope - 1 / (shapes + count)
        if (term <= 1e-17 * np.abs(total)).all():
            break
    return -values * total


def _by_cube_root(values, shapes):
    """With the approximation of Wilson and Hilferty (1931)."""
    root = np.cbrt(values / shapes)
    # root = 1 - 1 / (9 a) + z / (3 sqrt(a)), where the normal number z stays as it is
    slope = 1 / (9 * shapes**2) - (root - 1 + 1 / (9 * shapes)) / (2 * shapes)
    return root**3 + 3 * shapes * root**2 * slope


def dirichlet_grad(shares, concentrations, totals):
    """Of a share with its concentration, the others' staying as they are, over what the share lacks to 1."""
    dtype = shares.dtype
    x, a, total = (np.asarray(each, np.float64) for each in (shares, concentrations, totals))
    b = total - a
    low = x <= a / total
    # The series of one end is short; at the other it is that of the rest, whose distribution is the mirror image
    below = -x * _beta_series(np.where(low, x, 0.0), a, b, np.log(x) + digamma(total) - digamma(a + 1), a + 1)
    above = x * _beta_series(np.where(low, 0.0, 1 - x), b, a, np.log(x) + digamma(total) - digamma(a), np.inf)
    return np.where(low, below, above).astype(dtype)


def _beta_series(x, a, b, slope, falling):
    """The series https://dlmf.nist.gov/8.17.E8 of the incomplete beta function in x, each term by its slope.

    `slope` is that of the logarithm of the first term: from term to term it grows by the step of digamma(a + b) and
    falls by that of digamma(falling), if that is finite.
    """
    term, total = 1 / a, np.zeros_like(x)
    for count in range(MOST_TERMS):
        total += term * slope
        term = term * x * (a + b + count) / (a + 1 + count)
        slope = slope + 1 / (a + b + count) - 1 / (falling + count)
        if (term <= 1e-17 * np.abs(total)).all():
            break
    return total
