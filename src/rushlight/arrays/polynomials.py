"""Orthogonal polynomials whose degree is an array too, by recurrences: https://dlmf.nist.gov/18.9.

The degree is truncated to an integer; polynomials of negative degree are 0, as in PyTorch.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from typing import NamedTuple

import numpy as np

# Up to this degree Chebyshev polynomials are computed by recurrence between -1 and 1 too.
SMALL_DEGREE = 8


class Chebyshev(NamedTuple):
    """The differences between the four kinds of Chebyshev polynomials; the recurrence is the same."""

    first: Callable  # the polynomial of degree 1
    at_one: Callable  # of the degree
    at_minus_one: Callable  # of the degree, up to the sign, which alternates
    inside: Callable  # of the degree and the angle whose cosine is x: https://dlmf.nist.gov/18.5.T1


CHEBYSHEV = {
    "t": Chebyshev(
        lambda x: x,
        lambda n: 1,
        lambda n: 1,
        lambda n, angle: np.cos(n * angle),
    ),
    "u": Chebyshev(
        lambda x: x + x,
        lambda n: n + 1,
        lambda n: n + 1,
        lambda n, angle: np.sin((n + 1) * angle) / np.sin(angle),
    ),
    "v": Chebyshev(
        lambda x: x + x - 1,
        lambda n: 1,
        lambda n: n + n + 1,
        lambda n, angle: np.cos((n + 0.5) * angle) / np.cos(angle / 2),
    ),
    "w": Chebyshev(
        lambda x: x + x + 1,
        lambda n: n + n + 1,
        lambda n: 1,
        lambda n, angle: np.sin((n + 0.5) * angle) / np.sin(angle / 2),
    ),
}


def chebyshev(kind: str, x, n):
    """The Chebyshev polynomials of the kinds t, u, v and w."""
    of_kind, degree = CHEBYSHEV[kind], degree_of(n)
    inside = (np.abs(x) < 1) & (degree > SMALL_DEGREE)
    at_end = (np.abs(x) == 1) & (degree >= 0)
    stepped = np.where(inside | at_end, 0, degree)
    result = by_recurrence(x, stepped, of_kind.first(x), lambda k, q, p: (x + x) * q - p)
    result = np.where(inside, of_kind.inside(degree, np.arccos(np.where(inside, x, 0))), result)
    end = np.where(x > 0, of_kind.at_one(degree), of_kind.at_minus_one(degree) * (1 - 2 * (degree % 2)))
    return np.where(at_end, end, result).astype(x.dtype, copy=False)


def shifted_chebyshev(kind: str, x, n):
    """The Chebyshev polynomials, shifted from the interval [-1, 1] to [0, 1]."""
    return chebyshev(kind, x + x - 1, n)


def hermite_h(x, n):
    """The physicist's Hermite polynomials."""
    return by_recurrence(x, degree_of(n), x + x, lambda k, q, p: (x + x) * q - 2 * k * p)


def hermite_he(x, n):
    """The probabilist's Hermite polynomials."""
    return by_recurrence(x, degree_of(n), x, lambda k, q, p: x * q - k * p)


def laguerre(x, n):
    """The Laguerre polynomials."""
    return by_recurrence(x, degree_of(n), 1 - x, lambda k, q, p: ((2 * k + (1 - x)) * q - k * p) / (k + 1))


def legendre(x, n):
    """The Legendre polynomials."""
    return by_recurrence(x, degree_of(n), x, lambda k, q, p: ((2 * k + 1) * x * q - k * p) / (k + 1))


def degree_of(n):
    """Truncates the degree; -1 if it is beyond int64 or nan."""
    return np.where(np.abs(n) < 2.0**63, np.trunc(n), -1)


def by_recurrence(x, degree, first, step: Callable):
    """Computes polynomials from 1 and `first` by a recurrence; `step(k, q, p)` is that of degree k + 1."""
    p, q = np.ones_like(first), first
    result = np.where(degree > 0, first, np.where(degree == 0, p, 0))
    for k in count(1):
        unfinished = degree > k
        # Polynomials that overflowed stay nan for any degree.
        if not (unfinished & ~np.isnan(q)).any():
            return result.astype(x.dtype, copy=False)
        p, q = q, step(k, q, p)
        result = np.where(unfinished, q, result)
