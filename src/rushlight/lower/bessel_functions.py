"""Modified Bessel functions of the first kind as formulas, of orders 0 and 1: plain, and times `exp(-|x|)`.

Up to 8: the truncated power series, whose terms are all positive (https://dlmf.nist.gov/10.25.E2); beyond: `exp(x) /
sqrt(x)` times a polynomial in 1 / x (https://dlmf.nist.gov/10.40.E1), after Blair and Edwards (Stable rational minimax
approximations to the modified Bessel functions, AECL-4928, 1974). `scripts/fit_polynomials` prints the polynomials. All
is computed in float64.
"""

from __future__ import annotations

import math

from rushlight.lower import elementary as m
from rushlight.lower.ir import Value, fma, unary, where

SPLIT, END = 8.0, 709.782712893384
# In a = x^2 / 4: `I(x) / (x / 2)^order` less 1, over a; in 16 / x - 1: `sqrt(x) exp(-x) I(x)`.
NEAR = (
    (
        0.9999999999999999999, 0.25000000000000000322, 0.027777777777777760677, 0.0017361111111111469919,
        0.000069444444444404929976, 1.9290123457053090555e-6, 3.9367598879930343916e-8, 6.1511873613641929025e-10,
        7.5940576853811565223e-12, 7.5940700194944733467e-14, 6.2759487968221223496e-16, 4.359498405380121735e-18,
        2.5722398177811722667e-20, 1.3440225063774093804e-22, 5.0623537404727381184e-25, 3.54883665797561673e-27,
    ),
    (
        0.50000000000000000043, 0.083333333333333321336, 0.0069444444444445003987, 0.0003472222222221192793,
        0.000011574074074173186719, 2.7557319218244204196e-7, 4.9209498831124465446e-9, 6.8346520244322654674e-11,
        7.5940686596112492754e-13, 6.9035557974464228602e-15, 5.2313226758886816793e-17, 3.3442300506385277721e-19,
        1.8807713549515514405e-21, 7.6067529448271095461e-24, 5.6695792778546096051e-26,
    ),
)  # fmt: skip
FAR = (
    (
        0.40217650944500808589, 0.003360551983667891163, 0.00013621607438951463894, 0.000011143033788451760129,
        1.4838476780922645236e-6, 2.9735992084667733045e-7, 8.8720145856615549993e-8, 3.932512321137824429e-8,
        2.1567806761156730517e-8, 7.5593640986654369203e-9, -6.8564845459624424293e-9, -1.3427511481900906047e-8,
        -5.0175940345046713177e-9, 7.6002544864335084741e-9, 6.5222648620322706433e-9, -3.5862834111582306502e-9,
        -4.5305710768621192799e-9, 1.6084886155781771063e-9, 2.1636812784138757211e-9, -6.3279099219970270832e-10,
        -6.4945911144011184787e-10, 1.7698085539456534847e-10, 9.1147601575142526606e-11, -2.4421972688131831461e-11,
    ),
    (
        0.3893984590258723195, -0.0097495771932357642528, -0.00021923576383137776464, -0.000015038547198221758676,
        -1.8349102493990176613e-6, -3.4838563464253132987e-7, -1.0001075046243961426e-7, -4.3128498031006731136e-8,
        -2.3394122958362556694e-8, -8.4321689729324166736e-9, 6.8475782992693399814e-9, 1.4051746928735542589e-8,
        5.5720183980930357403e-9, -7.6872513087659921283e-9, -6.9444186339873876052e-9, 3.5017651932901760372e-9,
        4.7637800780202541178e-9, -1.5218214060680733221e-9, -2.262440110920444729e-9, 5.8706646184714864452e-10,
        6.7727478454462000752e-10, -1.6283264322621243544e-10, -9.49189039299204836e-11, 2.2421768596847443325e-11,
    ),
)  # fmt: skip
FAR_LOST = (-1.54e-17, -1.49e-17)  # rounding errors of the leading coefficients
# In x: the relative growth of the first with the square of x, to five percent.
GROWTH = (
    (0.2552, -0.03134, -0.007516, 0.002031, -0.0001236),
    (0.1252, -0.0008839, -0.005363, 0.0009117, -4.658e-5),
)


def near(order: int, x) -> tuple[Value, Value]:
    """Returns the function for x up to 8, and a correction that includes the rounding of x * x."""
    square, first = x * x, 1.0 if order == 0 else x * 0.5
    quarter = square * 0.25
    terms, factor = m.polynomial(quarter, NEAR[order]), quarter * first
    value = fma(factor, terms, first)
    correction = fma(factor, terms, -value) + first
    if order == 1:
        correction = fma(fma(quarter, first, -factor), terms, correction)
    return value, fma(fma(x, x, -square) * m.horner(x, GROWTH[order]), value, correction)


def far(order: int, x) -> tuple[Value, Value]:
    """Returns `exp(-x)` times the function for x from 8 on, and a relative correction."""
    inverse, root = 1.0 / x, unary("sqrt", x)
    t, (first, *coefficients) = fma(inverse, 2 * SPLIT, -1.0), FAR[order]
    rest = m.polynomial(t, coefficients)
    above = fma(t, rest, first)
    value = above / root
    correction = fma(-value, root, above) + fma(t, rest, first - above) + FAR_LOST[order]
    # Relative to `above`, which is about 1 / sqrt(2 pi), minus the error of the root.
    return value, fma(fma(-root, root, x) * inverse, -0.5, correction * math.sqrt(2 * math.pi))


def bessel(order: int, x) -> Value:
    """Returns the function for x >= 0; it overflows where `exp` does and is NaN at infinity, as in PyTorch."""
    small, lost_near = near(order, x)
    large, lost_far = far(order, x)
    change, k = m.reduced(m.between(x, 0.0, END))
    large = m.scaled(fma(lost_far + change, large, large), k) * where(x > END, math.inf, 1.0, x.type)
    return where(x < SPLIT, small + lost_near, large)


def scaled_bessel(order: int, x) -> Value:
    """Returns `exp(-x)` times the function for x >= 0."""
    small, lost_near = near(order, x)
    large, lost_far = far(order, x)
    change, k = m.reduced(-where(x < SPLIT, x, 0.0))
    small = (small + fma(change, small, lost_near)) * m.power_of_two(k, x.type)
    return where(x < SPLIT, small, where(x == math.inf, 0.0, fma(lost_far, large, large)))


@m.through_float64
def i0(x) -> Value:
    return bessel(0, unary("fabs", x))


@m.through_float64
def i0e(x) -> Value:
    return scaled_bessel(0, unary("fabs", x))


@m.through_float64
def i1(x) -> Value:
    return with_sign_of(x, bessel(1, unary("fabs", x)))


@m.through_float64
def i1e(x) -> Value:
    return with_sign_of(x, scaled_bessel(1, unary("fabs", x)))


def with_sign_of(x, size) -> Value:
    """Returns an odd function from its value at |x|; 0.0 at -0.0, as in PyTorch."""
    return where(x < 0, -size, size)
