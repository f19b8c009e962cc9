"""The derivatives of quantiles with respect to distribution parameters: `-(dF / da) / (dF / dx)` of the CDF F.

This is the gradient of a sample for fixed random numbers: Figurnov, Mohamed and Mnih, Implicit reparameterization
gradients, 2018, https://arxiv.org/abs/1805.08498.
"""

from __future__ import annotations

import numpy as np

from rushlight.arrays.special import digamma

# From this shape on, the cube root of a gamma sample is so nearly normal that derivatives have five digits, and the
# series is long.
NEARLY_NORMAL = 2000.0
MOST_TERMS = 100_000


def gamma_grad(values, shapes):
    """The derivative of gamma samples of rate 1 with respect to their shape; computed in float64."""
    dtype = values.dtype
    values, shapes = (np.asarray(x, np.float64) for x in (values, shapes))
    return np.where(shapes < NEARLY_NORMAL, _by_series(values, shapes), _by_cube_root(values, shapes)).astype(dtype)


def _by_series(values, shapes):
    """Uses the series of https://dlmf.nist.gov/8.7.E1, differentiated term by term and divided by the density."""
    shapes = np.minimum(shapes, NEARLY_NORMAL)
    values = np.minimum(values, 2 * NEARLY_NORMAL)
    term, total = 1 / shapes, np.zeros_like(values)
    log_derivative = np.log(values) - digamma(shapes + 1)  # of the term
    for count in range(1, MOST_TERMS):
        total += term * log_derivative
        term = term * values / (shapes + count)
        log_derivative = log_derivative - 1 / (shapes + count)
        if (term <= 1e-17 * np.abs(total)).all():
            break
    return -values * total


def _by_cube_root(values, shapes):
    """Uses the approximation of Wilson and Hilferty (1931)."""
    root = np.cbrt(values / shapes)
    # root = 1 - 1 / (9 a) + z / (3 sqrt(a)), with a fixed normal number z
    derivative = 1 / (9 * shapes**2) - (root - 1 + 1 / (9 * shapes)) / (2 * shapes)
    return root**3 + 3 * shapes * root**2 * derivative


def dirichlet_grad(shares, concentrations, totals):
    """The derivative of a share with respect to its concentration, with the others fixed, divided by 1 - share."""
    dtype = shares.dtype
    x, a, total = (np.asarray(x, np.float64) for x in (shares, concentrations, totals))
    b = total - a
    low = x <= a / total
    # The series converges fast at one end; at the other, that of the complement is used, by symmetry
    below = -x * _beta_series(np.where(low, x, 0.0), a, b, np.log(x) + digamma(total) - digamma(a + 1), a + 1)
    above = x * _beta_series(np.where(low, 0.0, 1 - x), b, a, np.log(x) + digamma(total) - digamma(a), np.inf)
    return np.where(low, below, above).astype(dtype)


def _beta_series(x, a, b, log_derivative, falling):
    """The series https://dlmf.nist.gov/8.17.E8 of the incomplete beta function in x, differentiated term by term.

    `log_derivative` is that of the first term: from term to term it grows by the step of digamma(a + b) and falls by
    that of digamma(falling), if that is finite.
    """
    term, total = 1 / a, np.zeros_like(x)
    for count in range(MOST_TERMS):
        total += term * log_derivative
        term = term * x * (a + b + count) / (a + 1 + count)
        log_derivative = log_derivative + 1 / (a + b + count) - 1 / (falling + count)
        if (term <= 1e-17 * np.abs(total)).all():
            break
    return total
