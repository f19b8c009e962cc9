"""Orthogonal polynomials of a degree that is an array as well, by their recurrences: https://dlmf.nist.gov/18.9.

The degree is taken without its fraction; the polynomials of negative degree are 0, as in PyTorch.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from typing import NamedTuple

import numpy as np

# Up to this degree Chebyshev polynomials are computed by recurrence between -1 and 1 too.
SMALL_DEGREE = 8


class Chebyshev(NamedTuple):
    """What tells the four kinds of Chebyshev polynomials apart; their recurrence is the same."""

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
    found = by_recurrence(x, stepped, of_kind.first(x), lambda k, q, p: (x + x) * q - p)
    found = np.where(inside, of_kind.inside(degree, np.arccos(np.where(inside, x, 0))), found)
    end = np.where(x > 0, of_kind.at_one(degree), of_kind.at_minus_one(degree) * (1 - 2 * (degree % 2)))
    return np.where(at_end, end, found).astype(x.dtype, copy=False)


def shifted_chebyshev(kind: str, x, n):
    """The same, moved from the interval between -1 and 1 to that between 0 and 1."""
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
    """The degree without its fraction, -1 where it is beyond whole numbers of 64 bits or not a number."""
    return np.where(np.abs(n) < 2.0**63, np.trunc(n), -1)


def by_recurrence(x, degree, first, step: Callable):
    """The polynomials that `step` makes of the last two, `step(k, q, p)` that of degree k + 1, from 1 and `first`."""
    p, q = np.ones_like(first), first
    found = np.where(degree > 0, first, np.where(degree == 0, p, 0))
    for k in count(1):
        unfinished = degree > k
        # What has run out of range stays not a number, whatever the degree.
        if not (unfinished & ~np.isnan(q)).any():
            return found.astype(x.dtype, copy=False)
        p, q = q, step(k, q, p)
        found = np.where(unfinished, q, found)
