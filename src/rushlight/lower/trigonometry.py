"""Sine, cosine, tangent and their inverses, atan2 and hypot: continues `elementary.py`.

Angles too large for Cody and Waite's reduction with three parts of pi / 2 are rare; vectors that contain one use the C
library.
"""

from __future__ import annotations

import math

from rushlight.lower.elementary import from_library, narrow, polynomial, rounded, wide
from rushlight.lower.ir import (
    F32,
    F64,
    Value,
    copysign,
    fma,
    integer,
    is_nan,
    promote,
    rarely,
    same,
    unary,
    where,
)

SIN = {
    F32: (-0.1666666664, 0.008333329305, -0.000198393122, 2.71812111e-6),
    F64: (
        -0.16666666666666666666, 0.0083333333333333314921, -0.00019841269841265064947, 2.7557319219339166517e-6,
        -2.5052106232447577313e-8, 1.6058531618986144877e-10, -7.586697117706820247e-13,
    ),
}  # fmt: skip
COS = {
    F32: (0.04166664568, -0.001388731615, 2.443314642e-5),
    F64: (
        0.041666666666666665389, -0.0013888888888887397237, 0.000024801587298765687927, -2.7557317271729792867e-7,
        2.0876146268403195477e-9, -1.1382632425521575557e-11,
    ),
}  # fmt: skip
ATAN = {
    F32: (-0.3333310164, 0.1998881555, -0.1410765759, 0.09833933078, -0.04593611885),
    F64: (
        -0.3333333333333333311, 0.19999999999999711433, -0.14285714285652279712, 0.11111111105847536693,
        -0.090909088569682581964, 0.076923014389938715067, -0.066665578262317338019, 0.058810582988834704052,
        -0.052523216806873615572, 0.046970696973580114591, -0.040691074414965165013, 0.031423417085315731772,
        -0.018328801371679389441, 0.0057121622515815825729,
    ),
}  # fmt: skip
ASIN = {
    F32: (0.1666675248, 0.07495297694, 0.04547036482, 0.02417958284, 0.04216617952),
    F64: (
        0.16666666666666667827, 0.074999999999984329332, 0.044642857146355429783, 0.030381944138531247241,
        0.022372172942149889336, 0.017352392720869943892, 0.013971212973553310434, 0.011479177415181616735,
        0.01032281435020519945, 0.0054575067185637820279, 0.017400879442887151689, -0.014851887071528912916,
        0.028757851367602327521,
    ),
}  # fmt: skip
# pi / 2 in three parts, each the error of the ones before it; and up to which angle they suffice.
HALF_PI = {
    F32: (1.5707963705062866, -4.371138828673793e-08, -1.7151245100058819e-15),
    F64: (1.5707963267948966, 6.123233995736766e-17, -1.4973849048591698e-33),
}
ANGLES = {F32: 2.0**16, F64: 2.0**22}
ATAN_SPLIT = 0.55  # where the polynomial of atan ends
HUGE = {F32: 2.0**120, F64: 2.0**1000}  # the sum of two of them is finite


def reduced_angle(x) -> tuple[Value, Value, Value]:
    """Returns the quadrant of an angle, and the rest in [-pi/4, pi/4] in two parts; for angles that are not large."""
    first, second, third = HALF_PI[x.type]
    whole, quadrant = rounded(x, 2 / math.pi)
    near = fma(-whole, first, x)  # exact
    product = whole * second
    error = fma(whole, second, -product)
    most = near - product
    rest = (near - most) - product - fma(whole, third, error)
    r = most + rest
    return quadrant, r, (most - r) + rest


def sin_and_cos(r) -> tuple[Value, Value]:
    """Returns sine and cosine of an angle in [-pi/4, pi/4]."""
    square = r * r
    cosine = fma(square * square, polynomial(square, COS[r.type]), fma(square, -0.5, 1.0))
    return fma(r * square, polynomial(square, SIN[r.type]), r), cosine


def exact_sin_and_cos(r, rest) -> tuple[tuple[Value, Value], tuple[Value, Value]]:
    """Returns sine and cosine of an angle with its error, each with its rounding error."""
    square = r * r
    most = fma(square, -0.5, 1.0)
    little = fma(square, -0.5, 1.0 - most) + fma(square * square, polynomial(square, COS[r.type]), -(r * rest))
    more = fma(r * square, polynomial(square, SIN[r.type]), rest)
    sine, cosine = more + r, most + little
    return (sine, (r - sine) + more), (cosine, (most - cosine) + little)


def large_by_library(name: str, x, value) -> Value:
    """Returns `value` for angles that are not large; the C library's result for others and NaN."""
    return rarely(~(unary("fabs", x) < ANGLES[x.type]), value, from_library(name)(x))


def negated_if(condition, x) -> Value:
    return where(condition, -x, x)


def is_odd(quadrant) -> Value:
    return same(integer("and", quadrant, 1), 1)


def sin(x) -> Value:
    quadrant, r, _ = reduced_angle(x)
    sine, cosine = sin_and_cos(r)
    value = negated_if(same(integer("and", quadrant, 2), 2), where(is_odd(quadrant), cosine, sine))
    return large_by_library("sin", x, where(x == 0, x, value))


def cos(x) -> Value:
    quadrant, r, _ = reduced_angle(x)
    sine, cosine = sin_and_cos(r)
    value = where(is_odd(quadrant), sine, cosine)
    return large_by_library("cos", x, negated_if(same(integer("and", integer("add", quadrant, 1), 2), 2), value))


def tan(x) -> Value:
    quadrant, r, rest = reduced_angle(x)
    (sine, sine_rest), (cosine, cosine_rest) = exact_sin_and_cos(r, rest)
    odd = is_odd(quadrant)
    above, below = where(odd, -cosine, sine), where(odd, sine, cosine)
    inverse = 1.0 / below
    value = above * inverse
    error = where(odd, -cosine_rest, sine_rest) - value * where(odd, sine_rest, cosine_rest)
    value = fma(fma(-value, below, above) + error, inverse, value)
    return large_by_library("tan", x, where(x == 0, x, value))


def asin(x) -> Value:
    """Returns asin: a polynomial up to 1/2, beyond it pi / 2 minus twice asin of `sqrt((1 - |x|) / 2)`."""
    far, most, rest = half_angle(unary("fabs", x))
    high, low = HALF_PI[x.type][:2]
    difference = high - most * 2.0
    error = fma(most, -2.0, high - difference)
    return copysign(where(far, difference - (rest * 2.0 - (low + error)), most + rest), x)


def acos(x) -> Value:
    """Returns acos: pi / 2 minus asin; near 1 and -1 twice the half angle, or pi minus that."""
    far, most, rest = half_angle(unary("fabs", x))
    high, low = HALF_PI[x.type][:2]
    value = most + rest
    behind = (high - most) * 2.0 - (rest - low) * 2.0
    return where(far, where(x < 0, behind, value * 2.0), high - (copysign(value, x) - low))


def half_angle(size) -> tuple[Value, Value, Value]:
    """Returns whether a size is above 1/2; asin of it, or of `sqrt((1 - size) / 2)`, in two parts."""
    far = size > 0.5
    square = where(far, fma(size, -0.5, 0.5), size * size)
    size = where(far, unary("sqrt", square), size)
    return far, size, size * square * polynomial(square, ASIN[size.type])


def atan(x) -> Value:
    return atan2(x, x.trace.constant(1.0, x.type))


def atan2(y, x) -> Value:
    """Returns the angle of a point: by a polynomial from the nearest direction 0, pi / 4 or pi / 2."""
    y, x = promote(y, x)
    a, b = unary("fabs", y), unary("fabs", x)
    large = (a > HUGE[x.type]) | (b > HUGE[x.type])
    a, b = where(large, a * 2.0**-4, a), where(large, b * 2.0**-4, b)
    low, high = a < b * ATAN_SPLIT, a * ATAN_SPLIT > b
    above = where(low, a, where(high, -b, a - b))
    below = where(low, b, where(high, a, a + b))
    r = where((a == b) | (above == 0), 0.0, above / below)
    square = r * r
    most, rest = HALF_PI[x.type][:2]
    share = where(low, 0.0, where(high, 1.0, 0.5, x.type))
    share = where((a == 0) & (b == 0), 0.0, share)
    angle = fma(r * square, polynomial(square, ATAN[x.type]), r)
    value = fma(share, most, fma(share, rest, angle))
    behind = copysign(1.0, x) < 0
    value = where(behind, most * 2.0 - (value - rest * 2.0), value)
    return where(is_nan(x) | is_nan(y), math.nan, copysign(value, y))


def hypot(x, y) -> Value:
    """Returns the length of a vector; infinite if one component is."""
    x, y = promote(x, y)
    a, b = wide(unary("fabs", x)), wide(unary("fabs", y))
    if x.type == F32:
        return where((a == math.inf) | (b == math.inf), math.inf, narrow(unary("sqrt", fma(a, a, b * b))))
    most = where(a > b, a, b)
    factor = where(most > 2.0**500, 2.0**-600, where(most < 2.0**-450, 2.0**600, 1.0, F64))
    back = where(most > 2.0**500, 2.0**600, where(most < 2.0**-450, 2.0**-600, 1.0, F64))
    a, b = a * factor, b * factor
    return where((a == math.inf) | (b == math.inf), math.inf, unary("sqrt", fma(a, a, b * b)) * back)
