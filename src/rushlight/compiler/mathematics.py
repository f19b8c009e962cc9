"""Elementary functions as formulas without branches or calls, so that a loop over them becomes vectors.

All are within 2 units in the last place, over the whole range, with infinities, NaN, signed zeros and denormal numbers
as C has them. Reductions of the argument follow Muller et al., Handbook of Floating-Point Arithmetic (2nd ed., 2018),
chapter 11: Cody and Waite's for exponentials, the powers of two taken out for logarithms, Payne and Hanek's for angles.
The polynomials are printed by `scripts/fit_polynomials`. float32 goes through float64 where few programs spend their
time; of float64, what is left to the C library is named at the end.
"""

from __future__ import annotations

import math
from functools import cache

from rushlight.compiler.ir import (
    F32,
    F64,
    I32,
    I64,
    Value,
    bits,
    cast,
    copysign,
    fma,
    integer,
    is_nan,
    ldexp,
    library,
    lookup,
    same,
    unary,
    where,
)
from rushlight.compiler.llvm import host

EXP = {
    F32: (0.5000000103, 0.1666651859, 0.0416661743, 0.008368919252, 0.001395294695),
    F64: (
        0.50000000000000010263, 0.16666666666666668935, 0.041666666666623987476, 0.0083333333333280825965,
        0.0013888888917283766896, 0.00019841269869983617855, 0.00002480152118721967163, 2.7557259661758396055e-6,
        2.7620140113224375913e-7, 2.5104049265647784446e-8,
    ),
}  # fmt: skip
ROUGH_EXP_32 = (0.4999914018, 0.166664673, 0.04189898599, 0.008373950431)
LOG_32 = (
    0.3333333172, -0.2500082116, 0.2000122561, -0.1662335245, 0.142017851, -0.1316025586, 0.1276141459, -0.0763410063,
)  # fmt: skip
LOG_64 = (
    0.66666666666666666448, 0.40000000000000941266, 0.28571428570764450116, 0.22222222400547757362,
    0.18181794700897794256, 0.15386290534659226766, 0.13267418596469616201, 0.13100721383550755043,
)  # fmt: skip
TANH = {
    F32: (-0.3333331756, 0.1333258605, -0.05385230214, 0.02107165001, -0.00627420157),
    F64: (
        -0.33333333333333333319, 0.13333333333333320761, -0.053968253968235901344, 0.021869488535133222007,
        -0.0088632354998019925673, 0.0035921275075992522056, -0.001455828399830324392, 0.00058998181583882213229,
        -0.00023888944636750770128, 0.000096041091570252524451, -0.000037081069215426053172,
        0.000012209921790147650115, -2.4388316314658990141e-6,
    ),
}  # fmt: skip
ERF_32 = (-0.3761261251, 0.1128321148, -0.02682434626, 0.005090667909, -0.0006566697018)
ERF_TAIL_32 = (-1.128534013, -0.6356507128, -0.1053523246, 0.02294882021, -0.003233553198, 0.0002162681974)
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

# Where the polynomials of tanh and erf end.
TANH_SPLIT, ERF_SPLIT = {F32: 0.55, F64: 0.625}, 0.8
MANTISSA, BIAS, WHOLE = {F32: 23, F64: 52}, {F32: 127, F64: 1023}, {F32: I32, F64: I64}
# Added to a small number, it leaves the nearest whole number in the last bits.
MAGIC = {F32: 1.5 * 2**23, F64: 1.5 * 2**52}
# log(2) in two parts, the first with so many zeros at its end that its product with an exponent is exact.
LOG_2 = {F32: (0.693145751953125, 1.42860682030941723212e-6), F64: (0.6931471803691238, 1.9082149292705877e-10)}
# Where exp is infinite, where it is 0, and where expm1 is -1.
RANGE = {F32: (-104.0, 89.0, -18.0), F64: (-746.0, 710.0, -40.0)}
# Of -x, where sigmoid is 1, and where it is 0.
ONE = {F32: (-30.0, 104.0), F64: (-60.0, 746.0)}
SMALLEST = {F32: 2.0**-126, F64: 2.0**-1022}  # of the normal numbers


def polynomial(x, coefficients) -> Value:
    """Horner's rule; the coefficients lowest first."""
    *rest, found = coefficients
    for each in reversed(rest):
        found = fma(found, x, each)
    return found


def between(x, low: float, high: float) -> Value:
    """Within bounds; NaN stays."""
    lifted = where(x < low, low, x)
    return where(lifted > high, high, lifted)


def power_of_two(exponent, type: str) -> Value:
    """2 to a whole power within the range of normal numbers."""
    return bits(integer("shl", integer("add", exponent, BIAS[type]), MANTISSA[type]))


def rounded(x, factor: float) -> tuple[Value, Value]:
    """The whole number nearest to `x * factor`, which must be small: as a float, and as an integer's last bits."""
    shifted = fma(x, factor, MAGIC[x.type])
    return shifted - MAGIC[x.type], integer("sub", bits(shifted), bits(x.trace.constant(MAGIC[x.type], x.type)))


def scaled(x, exponent) -> Value:
    """`x * 2**exponent` for every exponent of a result."""
    if host().scales:
        return ldexp(x, exponent)
    half = integer("ashr", exponent, 1)  # in two steps, since 2**exponent may be no normal number
    return x * power_of_two(half, x.type) * power_of_two(integer("sub", exponent, half), x.type)


# ---- exponentials


def reduced(x, *, all_of_it: bool = False) -> tuple[Value, Value]:
    """`exp(r) - 1` and k, where x = k log(2) + r; `all_of_it`, with what the rounding of r takes away."""
    high, low = LOG_2[x.type]
    whole, k = rounded(x, 1 / math.log(2))
    most = fma(-whole, high, x)
    r = fma(-whole, low, most)
    if not all_of_it:
        return fma(r * r, polynomial(r, EXP[x.type]), r), k
    lost = fma(-whole, low, most - r)
    return fma(r * r, polynomial(r, EXP[x.type]), lost) + r, k


def exp(x) -> Value:
    """e to the power x."""
    low, high, _ = RANGE[x.type]
    change, k = reduced(between(x, low, high))
    return scaled(change + 1.0, k)


def normal_exp(x) -> Value:
    """e to the power x, where that is known to be a normal number."""
    change, k = reduced(x)
    scale = power_of_two(k, x.type)
    return fma(change, scale, scale)


def rough_exp(x) -> Value:
    """e to the power of a float32 between -20 and 0, with an error of 2 units at 1, as a small part of a sum."""
    whole, k = rounded(x, 1 / math.log(2))
    r, scale = fma(-whole, math.log(2), x), power_of_two(k, x.type)
    return fma(fma(r * r, polynomial(r, ROUGH_EXP_32), r), scale, scale)


def exp2(x) -> Value:
    """2 to the power x."""
    if x.type == F32:
        return narrow(exp2(wide(x)))
    bounded = between(x, -1080.0, 1030.0)
    whole, k = rounded(bounded, 1.0)
    r = (bounded - whole) * math.log(2)
    return scaled(fma(r * r, polynomial(r, EXP[x.type]), r) + 1.0, k)


def expm1(x) -> Value:
    """`exp(x) - 1`; as twice its half, lest 2**k overflow before it does."""
    _, high, low = RANGE[x.type]
    change, k = reduced(between(x, low, high), all_of_it=True)
    half = power_of_two(integer("sub", k, 1), x.type)
    return where(x == 0, x, fma(change, half, half - 0.5) * 2.0)


def sigmoid(x) -> Value:
    """`1 / (1 + exp(-x))` as `q / (q + y)`, where exp(-x) = y / q and q is a power of 2: nothing overflows."""
    low, high = ONE[x.type]
    change, k = reduced(between(-x, low, high))
    part = scaled(x.trace.constant(1.0, x.type), integer("sub", k.trace.constant(0, k.type), k))
    return part / (part + (change + 1.0))


def tanh(x) -> Value:
    """A polynomial near 0, `1 - 2 / (exp(2|x|) + 1)` elsewhere."""
    size, square = unary("fabs", x), x * x
    near = fma(size * square, polynomial(square, TANH[x.type]), size)
    far = 1.0 - 2.0 / (normal_exp(where(size > 20.0, 20.0, size) * 2.0) + 1.0)
    return copysign(where(size < TANH_SPLIT[x.type], near, far), x)


def sinh(x) -> Value:
    if x.type == F64:
        return library("sinh", x)
    change = expm1(wide(unary("fabs", x)))
    half = (change + change / (change + 1.0)) * 0.5
    return copysign(narrow(where(change > 1e300, change, half)), x)


def cosh(x) -> Value:
    if x.type == F64:
        return library("cosh", x)
    grown = exp(wide(x))
    return narrow((grown + 1.0 / grown) * 0.5)


# ---- logarithms


def parts(x) -> tuple[Value, Value]:
    """k and m, where x = 2**k m and m lies between sqrt(1/2) and sqrt(2); of positive, normal numbers."""
    type = x.type
    root = bits(x.trace.constant(math.sqrt(0.5), type))
    k = integer("ashr", integer("sub", bits(x), root), MANTISSA[type])
    return k, bits(integer("sub", bits(x), integer("shl", k, MANTISSA[type])))


def log_of(f, k) -> Value:
    """`k log(2) + log(1 + f)`, f as `parts` leaves it."""
    high, low = LOG_2[f.type]
    half = f * f * 0.5
    if f.type == F32:
        rest = fma(f * f * f, polynomial(f, LOG_32), -half)
        return fma(k, high, f + fma(k, low, rest))
    s = f / (f + 2.0)
    rest = fma(s, fma(s * s, polynomial(s * s, LOG_64), half), k * low)
    return fma(k, high, f - (half - rest))


def limits_of_log(x, found, at_zero: float = -math.inf) -> Value:
    """NaN below zero, infinity at infinity; NaN stays."""
    found = where(x == math.inf, x, where(x == 0, at_zero, found))
    return where((x < 0) | is_nan(x), math.nan, found)


def normal_parts(x) -> tuple[Value, Value]:
    """`parts` of any positive number, k as a float."""
    type = x.type
    small, shift = x < SMALLEST[type], MANTISSA[type] + 1
    k, m = parts(where(small, x * 2.0**shift, x))
    return cast(k, type) - where(small, float(shift), 0.0, type), m


def log(x) -> Value:
    """The natural logarithm."""
    k, m = normal_parts(x)
    return limits_of_log(x, log_of(m - 1.0, k))


def log1p(x) -> Value:
    """`log(1 + x)`; what 1 + x loses is kept, since f is rounded once. Of large numbers the 1 is left out."""
    type = x.type
    large = x > 2.0**60
    one, less = where(large, 0.0, 1.0, type), where(large, x * 2.0**-64, x)
    k, _ = parts(less + one)
    scale = power_of_two(integer("sub", k.trace.constant(0, k.type), k), type)
    f = fma(less, scale, fma(one, scale, -1.0))
    found = log_of(f, cast(k, type) + where(large, 64.0, 0.0, type))
    found = where(x == 0, x, limits_of_log(x + 1.0, found))
    return found


def log_to(x, base: int) -> Value:
    """The logarithm to a base of which few have fewer digits than float64; exact for powers of 2 to the base 2."""
    if x.type == F32:
        return narrow(log_to(wide(x), base))
    k, m = normal_parts(x)
    fraction = log_of(m - 1.0, k * 0.0)
    factor, rest = FACTORS[base]
    product = fraction * factor
    error = fma(fraction, factor, -product) + fraction * rest
    if base == 2:
        return limits_of_log(x, k + (product + error))
    high, low = LOG10_2
    return limits_of_log(x, fma(k, high, product + fma(k, low, error)))


# 1 / log(base) and log10(2), each with what it lacks.
FACTORS = {2: (1.4426950408889634, 2.0355273740931033e-17), 10: (0.4342944819032518, 1.098319650216765e-17)}
LOG10_2 = (0.30102999566406652, -8.5323443170571066e-14)


def log2(x) -> Value:
    return log_to(x, 2)


def log10(x) -> Value:
    return log_to(x, 10)


# ---- powers


def power(x, y) -> Value:
    """x to the power y; float32 as 2 to the power `y log2(x)` in float64."""
    if x.type == F64:
        return library("pow", x, y)
    size = wide(unary("fabs", x))
    found = exp2(wide(y) * log2(size))
    whole = unary("trunc", y) == y
    half = y * 0.5
    odd = whole & (unary("trunc", half) != half)
    found = where(is_nan(x) | is_nan(y), math.nan, found)
    found = where((x < 0) & ~whole & (x != -math.inf), math.nan, found)
    found = where((y == 0) | (x == 1) | ((x == -1) & (unary("fabs", y) == math.inf)), 1.0, found)
    return narrow(where(odd, copysign(found, wide(x)), found))


def rsqrt(x) -> Value:
    return 1.0 / unary("sqrt", x)


# ---- the error function


def erf(x) -> Value:
    """A polynomial near 0, elsewhere `1 - exp(p(|x|))`."""
    if x.type == F64:
        return library("erf", x)
    size, square = unary("fabs", x), x * x
    leading = 2 / math.sqrt(math.pi)
    high = float.fromhex("0x1.20dd76p+0")
    near = fma(size, high, size * fma(square, polynomial(square, ERF_32), leading - high))
    bounded = where(size > 3.93, 3.93, size)
    far = 1.0 - rough_exp(bounded * polynomial(bounded, ERF_TAIL_32))
    return copysign(where(size < ERF_SPLIT, near, far), x)


# ---- angles


@cache
def turns() -> tuple[tuple[float, ...], tuple[float, ...]]:
    """For each exponent of a float32, what its last digit is worth in right angles, less whole turns, in two parts.

    The first has 28 bits, so that its product with a mantissa of 24 is exact in float64. 2 / pi is taken to 320 bits
    from Machin's formula.
    """
    digits = 400
    unit = 1 << digits
    pi = 4 * (4 * arctangent(5, unit) - arctangent(239, unit))
    first, second = [], []
    for exponent in range(256):
        power = max(exponent, 1) - 150
        worth = (2 * unit * unit // pi) << power if power >= 0 else (2 * unit * unit // pi) >> -power
        worth %= 4 * unit
        high = worth >> (digits - 26) << (digits - 26)
        first.append(float(high >> (digits - 26)) * 2.0**-26)
        second.append((worth - high) / unit)
    return tuple(first), tuple(second)


def arctangent(inverse: int, unit: int) -> int:
    """`unit * atan(1 / inverse)` by its series."""
    term = total = unit // inverse
    count = 1
    while term:
        term //= -inverse * inverse
        count += 2
        total += term // count
    return total


def angle(x) -> tuple[Value, Value]:
    """The quadrant of the size of a float32, and what is left of it: an angle between -pi/4 and pi/4."""
    raw = bits(x)
    exponent = integer("and", integer("lshr", raw, 23), 255)
    mantissa = integer("and", raw, (1 << 23) - 1)
    mantissa = where(same(exponent, 0), mantissa, integer("or", mantissa, 1 << 23))
    first, second = (cast(mantissa, F64) * lookup(table, exponent) for table in turns())
    whole = unary("roundeven", first + second)
    left = ((first - whole) + second) * (math.pi / 2)
    return integer("and", cast(whole, I32), 3), narrow(where(same(exponent, 255), math.nan, left))


def sin_and_cos(r) -> tuple[Value, Value]:
    """Of an angle between -pi/4 and pi/4."""
    square = r * r
    cosine = fma(square * square, polynomial(square, COS[r.type]), fma(square, -0.5, 1.0))
    return fma(r * square, polynomial(square, SIN[r.type]), r), cosine


def negated_if(condition, x) -> Value:
    return where(condition, -x, x)


def sin(x) -> Value:
    if x.type == F64:
        return library("sin", x)
    quadrant, r = angle(x)
    sine, cosine = sin_and_cos(r)
    found = where(same(integer("and", quadrant, 1), 0), sine, cosine)
    found = negated_if(same(integer("and", quadrant, 2), 2), found)
    return where(x == 0, x, negated_if(copysign(1.0, x) < 0, found))


def cos(x) -> Value:
    if x.type == F64:
        return library("cos", x)
    quadrant, r = angle(x)
    sine, cosine = sin_and_cos(r)
    found = where(same(integer("and", quadrant, 1), 0), cosine, sine)
    return negated_if(same(integer("and", integer("add", quadrant, 1), 2), 2), found)


def tan(x) -> Value:
    if x.type == F64:
        return library("tan", x)
    quadrant, r = angle(x)
    sine, cosine = sin_and_cos(wide(r))
    even = same(integer("and", quadrant, 1), 0)
    found = narrow(where(even, sine, -cosine) / where(even, cosine, sine))
    return where(x == 0, x, negated_if(copysign(1.0, x) < 0, found))


# ---- what the C library computes: right to 1 unit, one element at a time


def from_library(name: str):
    """A function of the C library; of float32 in float64, then rounded."""

    def function(*values):
        if values[0].type == F32:
            return narrow(library(name, *map(wide, values)))
        return library(name, *values)

    function.__name__ = name
    return function


erfc = from_library("erfc")
asin, acos, atan, atan2 = map(from_library, ("asin", "acos", "atan", "atan2"))
asinh, acosh, atanh = map(from_library, ("asinh", "acosh", "atanh"))


def wide(x) -> Value:
    return cast(x, F64)


def narrow(x) -> Value:
    return cast(x, F32)
