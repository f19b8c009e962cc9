"""Elementary functions as formulas without branches or calls, so that loops over them vectorize.

All are within 2 units in the last place over the whole range, and treat infinities, NaN, signed zeros and denormals as
C does. Argument reductions follow Muller et al., Handbook of Floating-Point Arithmetic (2nd ed., 2018), chapter 11:
Cody and Waite's for exponentials, and for the angles of `trigonometry.py`; extraction of powers of two for logarithms.
`scripts/fit_polynomials` prints the polynomials. Rarely used functions compute float32 in float64; those left to the C
library are at the end.
"""

from __future__ import annotations

import math
from functools import wraps

from rushlight.lower.ir import (
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
    promote,
    rarely,
    unary,
    where,
)
from rushlight.lower.llvm import host

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
# log2((1 + s) / (1 - s)) / s in s squared, and (2**r - 1) / r: Chebyshev approximations, right to 37 and 27 bits.
LOG2_OF_FLOAT32 = (
    2.8853900817899871,
    0.96179667345154016,
    0.57708356600656431,
    0.41167376612987952,
    0.34071204365698994,
)
EXP2_OF_FLOAT32 = (
    0.69314718802622878, 0.24022650760568127, 0.055503571142190778, 0.0096180825572778515, 0.0013390863364671234,
    0.0001545316294512069,
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
ERF = {
    F32: (-0.3761261251, 0.1128321148, -0.02682434626, 0.005090667909, -0.0006566697018),
    F64: (
        -0.37612638903183752437, 0.11283791670955115962, -0.026866170645125135401, 0.0052239776252928312984,
        -0.00085483270047285137625, 0.00012055331610951861693, -0.000014925587671621067628, 1.6460268178618887841e-6,
        -1.6330744286812824288e-7, 1.438873651490544445e-8, -9.4026095664881328368e-10,
    ),
}  # fmt: skip
ERFC = {
    F32: (
        1.237512614, -0.1402407969, 0.00358754262, 0.08228545024, -0.1088428655, 0.09218896842, -0.05847827711,
        0.02897714331, -0.01003988374, 0.0005545550255,
    ),
    F64: (
        1.2375126308378275819, -0.14024059858554696191, 0.0035854154854637749642, 0.082276738490145159127,
        -0.10880393014171785778, 0.092304321160378767003, -0.058693398590212367363, 0.028362277418940666694,
        -0.00974657955250424107, 0.0017556258530017114348, 0.00029371363428499373759, -0.00029015408097946112559,
        0.000051649211390768987479, 0.000022384240314030880708, -0.000011444412439365663385, -9.7356190114840085838e-7,
        1.7520579705369148615e-6, -5.7215973018270448393e-8, -2.5910696923893262008e-7, 2.3261913631655786053e-8,
        3.8965452904647002577e-8, -3.7435681896403532241e-9, -5.2842871359456409812e-9, 3.110311016770023245e-10,
        4.434959367527570209e-10,
    ),
}  # fmt: skip
ERFC_LOST = {F32: 2.55e-08, F64: 1.05e-16}  # rounding errors of the leading coefficients
ERF_TAIL = {
    F32: (-1.128534013, -0.6356507128, -0.1053523246, 0.02294882021, -0.003233553198, 0.0002162681974),
    F64: (
        -1.1283791788869947501, -0.63661960810837046856, -0.10277366072518538598, 0.019132638925950580137,
        0.00019769974015802137227, -0.0016730062547915841769, 0.00055435222405139358249,
        0.00001725317113251966965, -0.00010570795643950244086, 0.000061094042125574963214,
        -0.000022320793915072341844, 5.986057749247892437e-6, -1.2199047531322256206e-6,
        1.8835923631215789251e-7, -2.1441819736268965814e-8, 1.700652617687321763e-9,
        -8.3978355412323831506e-11, 1.9434657268250595459e-12,
    ),
}  # fmt: skip
BELOW_32 = (
    -0.7978859031, -0.3182926064, -0.03640827225, 0.004923685423, -0.0001087130181, -0.000130750461, 3.134679781e-5,
    -3.296099094e-6, 1.381932356e-7,
)  # fmt: skip
SINH_64 = (
    0.16666666666666666667, 0.0083333333333333333658, 0.00019841269841269773197, 2.7557319224040338598e-6,
    2.5052108364058040751e-8, 1.6059048396350561659e-10, 7.6466253616566564107e-13, 2.8445264169895617802e-15,
)  # fmt: skip

# Where the polynomials of tanh and erf end, and where 1 - erf is less accurate than erfc itself.
TANH_SPLIT, ERF_SPLIT, ERFC_SPLIT = {F32: 0.55, F64: 0.625}, 0.8, 0.62
MANY = 9  # coefficients
MANTISSA, BIAS, WHOLE = {F32: 23, F64: 52}, {F32: 127, F64: 1023}, {F32: I32, F64: I64}
# Adding it to a small number leaves the nearest integer in the last bits.
MAGIC = {F32: 1.5 * 2**23, F64: 1.5 * 2**52}
# log(2) in two parts; the first ends in enough zero bits that its product with an exponent is exact.
LOG_2 = {F32: (0.693145751953125, 1.42860682030941723212e-6), F64: (0.6931471803691238, 1.9082149292705877e-10)}
# Where exp is infinite, where it is 0, and where expm1 is -1.
RANGE = {F32: (-104.0, 89.0, -18.0), F64: (-746.0, 710.0, -40.0)}
RANGE_OF_FLOAT32 = (-160.0, 140.0)  # beyond it powers of two are 0 and infinite
# Of -x: where sigmoid is 1, and where it is 0.
ONE = {F32: (-30.0, 104.0), F64: (-60.0, 746.0)}
# With rounding errors.
TWO_OVER_ROOT_PI = {F32: (1.128379225730896, -5.863538342219759e-08), F64: (1.1283791670955126, 1.533545961316588e-17)}
ERF_END = {F32: 3.93, F64: 5.95}  # where erf is 1
# Where erfc is 0.
ERFC_END = {F32: 10.2, F64: 28.0}
SMALLEST = {F32: 2.0**-126, F64: 2.0**-1022}  # the smallest normal numbers


def wide(x) -> Value:
    return cast(x, F64)


def narrow(x) -> Value:
    return cast(x, F32)


def through_float64(function):
    """Returns a function that computes float32 in float64 and rounds."""

    @wraps(function)
    def way(x) -> Value:
        return function(x) if x.type == F64 else narrow(function(wide(x)))

    return way


def horner(x, coefficients) -> Value:
    """Returns a polynomial by Horner's rule; coefficients lowest first."""
    *rest, value = coefficients
    for coefficient in reversed(rest):
        value = fma(value, x, coefficient)
    return value


def polynomial(x, coefficients) -> Value:
    """Returns a polynomial; a long one as two independent halves, which may cost half a unit more."""
    if len(coefficients) < MANY:
        return horner(x, coefficients)
    square = x * x
    return fma(x, polynomial(square, coefficients[1::2]), polynomial(square, coefficients[::2]))


def between(x, low: float, high: float) -> Value:
    """Clamps to bounds; NaN stays."""
    lifted = where(x < low, low, x)
    return where(lifted > high, high, lifted)


def power_of_two(exponent, type: str) -> Value:
    """Returns 2 to an integer power in the range of normal numbers."""
    return bits(integer("shl", integer("add", exponent, BIAS[type]), MANTISSA[type]))


def rounded(x, factor: float) -> tuple[Value, Value]:
    """Returns the integer nearest to `x * factor`, which must be small: as float, and in an integer's last bits."""
    shifted = fma(x, factor, MAGIC[x.type])
    return shifted - MAGIC[x.type], integer("sub", bits(shifted), bits(x.trace.constant(MAGIC[x.type], x.type)))


def scaled(x, exponent) -> Value:
    """Returns `x * 2**exponent` for every exponent of a result."""
    if x.trace.scales and host().scales:
        return ldexp(x, exponent)
    half = integer("ashr", exponent, 1)  # in two steps, since 2**exponent may not be a normal number
    return x * power_of_two(half, x.type) * power_of_two(integer("sub", exponent, half), x.type)


# ---- exponentials


def reduced(x, less: Value | None = None) -> tuple[Value, Value]:
    """Returns `exp(r) - 1` and k, where `x - less` = k log(2) + r."""
    k, r, _ = remainder_of_log(x)
    r = r if less is None else r - less
    return fma(r * r, polynomial(r, EXP[x.type]), r), k


def remainder_of_log(x) -> tuple[Value, Value, Value]:
    """Returns k and r, where x = k log(2) + r, and the rounding error of r."""
    high, low = LOG_2[x.type]
    whole, k = rounded(x, 1 / math.log(2))
    most = fma(-whole, high, x)
    r = fma(-whole, low, most)
    return k, r, fma(-whole, low, most - r)


def exp(x) -> Value:
    """Returns e**x."""
    high = RANGE[x.type][1]
    return decay(where(x > high, high, x))


def decay(x) -> Value:
    """Returns e**x for x small enough not to overflow.

    Underflow to 0 is explicit: processors take a hundred times as long to produce denormals.
    """
    underflows = x < RANGE[x.type][0]
    change, k = reduced(where(underflows, 0.0, x))
    return where(underflows, 0.0, scaled(change + 1.0, k))


def normal_exp(x) -> Value:
    """Returns e**x where that is a normal number."""
    change, k = reduced(x)
    scale = power_of_two(k, x.type)
    return fma(change, scale, scale)


def rough_exp(x) -> Value:
    """Returns e**x for a float32 in [-20, 0], with an error of 2 units at 1, for use as a small part of a sum."""
    whole, k = rounded(x, 1 / math.log(2))
    r, scale = fma(-whole, math.log(2), x), power_of_two(k, x.type)
    return fma(fma(r * r, polynomial(r, ROUGH_EXP_32), r), scale, scale)


def exp2(x) -> Value:
    """Returns 2**x."""
    low, high, _ = RANGE[x.type]
    underflows = x < 1.5 * low
    bounded = where(underflows, 0.0, where(x > 1.5 * high, 1.5 * high, x))
    whole, k = rounded(bounded, 1.0)
    r = (bounded - whole) * math.log(2)
    return where(underflows, 0.0, scaled(fma(r * r, polynomial(r, EXP[x.type]), r) + 1.0, k))


def expm1(x) -> Value:
    """Returns `exp(x) - 1`; as twice its half, since 2**k may overflow earlier."""
    _, high, low = RANGE[x.type]
    k, r, lost = remainder_of_log(between(x, low, high))
    more = fma(r * r, polynomial(r, EXP[x.type]), lost)
    half = power_of_two(integer("sub", k, 1), x.type)
    return where(x == 0, x, fma(more, half, fma(r, half, half - 0.5)) * 2.0)


def sigmoid(x) -> Value:
    """Returns `1 / (1 + exp(-x))` as `q / (q + y)`, where exp(-x) = y / q and q is a power of 2: nothing overflows."""
    low, high = ONE[x.type]
    saturates, bounded = x < -high, where(-x < low, low, -x)
    change, k = reduced(where(saturates, 0.0, bounded))
    part = scaled(x.trace.constant(1.0, x.type), integer("sub", k.trace.constant(0, k.type), k))
    less, more = where(part < 1.0, part, 1.0), where(part < 1.0, 1.0, part)
    return where(saturates, 0.0, part / ((less + change) + more))  # of the two sums only the last rounds noticeably


def tanh(x) -> Value:
    """Returns tanh: a polynomial near 0, else `1 - 2 / (exp(2|x|) + 1)`."""
    size, square = unary("fabs", x), x * x
    near = fma(size * square, polynomial(square, TANH[x.type]), size)
    far = 1.0 - 2.0 / (normal_exp(where(size > 20.0, 20.0, size) * 2.0) + 1.0)
    return copysign(where(size < TANH_SPLIT[x.type], near, far), x)


@through_float64
def sinh(x) -> Value:
    """Returns sinh: a polynomial near 0, else half the difference of exponentials."""
    size, square = unary("fabs", x), x * x
    near, half = fma(size * square, polynomial(square, SINH_64), size), half_exp(size)
    return copysign(where(size < 1.0, near, half - 0.25 / half), x)


@through_float64
def cosh(x) -> Value:
    half = half_exp(unary("fabs", x))
    return half + 0.25 / half


def half_exp(x) -> Value:
    """Returns `exp(x) / 2` for x >= 0, which overflows later than `exp`."""
    change, k = reduced(between(x, 0.0, RANGE[x.type][1] + 1.0))
    return scaled(change + 1.0, integer("sub", k, 1))


# ---- logarithms


def parts(x) -> tuple[Value, Value]:
    """Returns k and m, where x = 2**k m and sqrt(1/2) <= m < sqrt(2), for positive normal x."""
    type = x.type
    root = bits(x.trace.constant(math.sqrt(0.5), type))
    k = integer("ashr", integer("sub", bits(x), root), MANTISSA[type])
    return k, bits(integer("sub", bits(x), integer("shl", k, MANTISSA[type])))


def log_of(f, k) -> Value:
    """Returns `k log(2) + log(1 + f)`, with f from `parts`."""
    high, low = LOG_2[f.type]
    if f.type == F32:
        return fma(k, high, f + fma(k, low, less_of_log(f)))
    half, rest = rest_of_log(f)
    return fma(k, high, f - (half - fma(k, low, rest)))


def rest_of_log(f) -> tuple[Value, Value]:
    """Returns f * f / 2 and `log(1 + f) - f + f * f / 2` for a float64 f from `parts`."""
    half, s = f * f * 0.5, f / (f + 2.0)
    return half, s * fma(s * s, polynomial(s * s, LOG_64), half)


def less_of_log(f) -> Value:
    """Returns `log(1 + f) - f` for a float32 f from `parts`."""
    return fma(f * f * f, polynomial(f, LOG_32), f * f * -0.5)


def limits_of_log(x, value) -> Value:
    """Returns minus infinity at zero, NaN below; infinity and NaN stay."""
    value = where(x > 0, value, where(x == 0, -math.inf, math.nan, x.type))
    return where(x < math.inf, value, x)


def normal_parts(x) -> tuple[Value, Value]:
    """Returns `parts` of any positive number, with k as a float."""
    type = x.type
    small, shift = x < SMALLEST[type], MANTISSA[type] + 1
    k, m = parts(where(small, x * 2.0**shift, x))
    return cast(k, type) - where(small, float(shift), 0.0, type), m


def log(x) -> Value:
    """Returns the natural logarithm."""
    k, m = normal_parts(x)
    return limits_of_log(x, log_of(m - 1.0, k))


def log1p(x) -> Value:
    """Returns `log(1 + x)`; for large x the 1 is dropped."""
    large = x > 2.0**60
    one, less = where(large, 0.0, 1.0, x.type), where(large, x * 2.0**-64, x)
    value = log_of_sum(one, less, where(large, 64.0, 0.0, x.type))
    return where(x == 0, x, limits_of_log(x + 1.0, value))


def log_of_sum(one, less, more=-0.0) -> Value:
    """Returns `more log(2) + log(one + less)` for `one` 0 or 1, without the rounding error of their sum."""
    k, _ = parts(less + one)
    scale = power_of_two(integer("sub", k.trace.constant(0, k.type), k), less.type)
    return log_of(fma(less, scale, fma(one, scale, -1.0)), cast(k, less.type) + more)


def log_to(x, base: int) -> Value:
    """Returns the logarithm to a base whose factor has two parts; exact for powers of 2 to base 2."""
    k, m = normal_parts(x)
    fraction, (factor, rest) = m - 1.0, FACTORS[base][x.type]
    little = less_of_log(fraction) if x.type == F32 else None
    if little is None:
        half, more = rest_of_log(fraction)
        fraction = fraction - (half - more)
    product = fraction * factor
    error = fma(fraction, rest, fma(fraction, factor, -product))
    error = error if little is None else fma(little, factor, error)
    if base == 2:
        return limits_of_log(x, k + (product + error))
    high, low = LOG10_2[x.type]
    return limits_of_log(x, fma(k, high, product + fma(k, low, error)))


# 1 / log(base) and log10(2), each with its rounding error.
FACTORS = {
    2: {F32: (1.4426950216293335, 1.9259629911266175e-08), F64: (1.4426950408889634, 2.0355273740931033e-17)},
    10: {F32: (0.4342944920063019, -1.0103049952192578e-08), F64: (0.4342944819032518, 1.098319650216765e-17)},
}
LOG10_2 = {F32: (0.301025390625, 4.6050389811952137e-06), F64: (0.30102999566406652, -8.5323443170571066e-14)}


def log2(x) -> Value:
    return log_to(x, 2)


def log10(x) -> Value:
    return log_to(x, 10)


@through_float64
def asinh(x) -> Value:
    """Returns `log(|x| + sqrt(x^2 + 1))`, with the part above 1 kept separate."""
    size = unary("fabs", x)
    square = size * size
    value = log_of_both(size, size + square / (unary("sqrt", square + 1.0) + 1.0))
    return copysign(where((x == 0) | (size == math.inf), size, value), x)


@through_float64
def acosh(x) -> Value:
    """Returns `log(x + sqrt(x^2 - 1))`, with the part above 1 kept separate."""
    more = x - 1.0
    root = unary("sqrt", fma(more, more, more * 2.0))
    less = more + root
    lost = where(less < 1.0, (more - (less - root)) * (x - root), 0.0)
    value = log_of_both(x, less) + lost
    return where(x < 1, math.nan, where(x == math.inf, x, value))


def log_of_both(x, less) -> Value:
    """Returns `log(1 + less)`, or `log(2 x)` for x so large that they agree."""
    large = x > 2.0**28
    one, less = where(large, 0.0, 1.0, x.type), where(large, x * 2.0**-64, less)
    return log_of_sum(one, less, where(large, 65.0, 0.0, x.type))


def atanh(x) -> Value:
    """Returns half the logarithm of `(1 + x) / (1 - x)`."""
    size = unary("fabs", x)
    twice = size * 2.0
    value = log_of_sum(x.trace.constant(1.0, x.type), fma(twice, size / (1.0 - size), twice)) * 0.5
    value = where(size == 1, math.inf, where(x == 0, size, value))
    return copysign(where(size > 1, math.nan, value), x)


# ---- powers


def power(x, y) -> Value:
    """Returns x**y from the logarithm of |x|: float32 in float64, float64 in two parts."""
    size = unary("fabs", x)
    value = power_in_float64(size, y) if x.type == F32 else power_of_size(size, y)
    ends = where((x == 0) ^ (y < 0), 0.0, math.inf, x.type)
    value = where((x == 0) | (size == math.inf), ends, value)
    whole = unary("trunc", y) == y
    half = y * 0.5
    odd = whole & (unary("trunc", half) != half)
    value = where(is_nan(x) | is_nan(y), math.nan, value)
    value = where((x < 0) & ~whole & (x != -math.inf), math.nan, value)
    value = where((y == 0) | (x == 1) | ((x == -1) & (unary("fabs", y) == math.inf)), 1.0, value)
    return where(odd, copysign(value, x), value)


def power_in_float64(x, y) -> Value:
    """Returns x**y of float32 for finite x > 0; the logarithm is 2 atanh((m - 1) / (m + 1))."""
    k, m = normal_parts(x)
    s = wide(m - 1.0) / (wide(m) + 1.0)
    product = between(wide(y) * fma(s, polynomial(s * s, LOG2_OF_FLOAT32), wide(k)), *RANGE_OF_FLOAT32)
    shifted = product + MAGIC[F64]
    r = product - (shifted - MAGIC[F64])
    exponent = integer("shl", bits(shifted), MANTISSA[F64])  # shifts out the bits of the magic number
    return narrow(bits(integer("add", bits(fma(r, polynomial(r, EXP2_OF_FLOAT32), 1.0)), exponent)))


def power_of_size(x, y) -> Value:
    """Returns x**y of float64 for finite x > 0."""
    most, rest = exact_log(where((x == 0) | (x == math.inf), 1.0, x))
    y = between(y, -1e25, 1e25)  # larger exponents overflow for every base but 1
    product = y * most
    low, high, _ = RANGE[F64]
    bounded = between(product, low, high)
    rest = where(bounded == product, fma(y, most, -product) + y * rest, 0.0)
    change, k = reduced(bounded, less=-rest)
    return scaled(change + 1.0, k)


def exact_log(x) -> tuple[Value, Value]:
    """Returns the logarithm of a positive float64 in two parts, right to 66 bits: 2 atanh(s), where s = f / (2 + f)."""
    k, m = normal_parts(x)
    f = m - 1.0
    below = f + 2.0
    inverse = 1.0 / below
    s = f * inverse
    s_rest = (fma(-s, below, f) - s * (f - (below - 2.0))) * inverse
    square = s * s
    square_rest = fma(s, s, -square) + s * s_rest * 2.0
    # Twice s, two thirds of its cube, and the small rest.
    cube = s * square
    cube_rest = fma(s, square, -cube) + (s * square_rest + s_rest * square)
    third, third_rest = 0.66666666666666663, 3.7007434154171886e-17
    second = cube * third
    second_rest = fma(cube, third, -second) + (cube * third_rest + cube_rest * third)
    little = cube * square * polynomial(square, LOG_64[1:])
    high, low = LOG_2[F64]
    most, first_rest = two_sum(k * high, s * 2.0)
    most, next_rest = two_sum(most, second)
    rest = k * low + (little + (second_rest + s_rest * 2.0)) + (first_rest + next_rest)
    value = most + rest
    return value, (most - value) + rest


def two_sum(a, b) -> tuple[Value, Value]:
    """Returns a sum and its rounding error."""
    total = a + b
    part = total - a
    return total, (a - (total - part)) + (b - part)


def rsqrt(x) -> Value:
    return 1.0 / unary("sqrt", x)


# ---- the error function


def erf(x) -> Value:
    """Returns erf: a polynomial near 0, else `1 - exp(|x| p(|x|))`."""
    size, end = unary("fabs", x), ERF_END[x.type]
    bounded = where(size > end, end, size)
    power = bounded * polynomial(bounded, ERF_TAIL[x.type])
    far = 1.0 - (rough_exp(power) if x.type == F32 else normal_exp(power))
    return copysign(where(size < ERF_SPLIT, near_erf(size), far), x)


def near_erf(x) -> Value:
    """Returns erf near 0."""
    return fma(x, TWO_OVER_ROOT_PI[x.type][0], less_of_erf(x))


def less_of_erf(x) -> Value:
    """Returns erf minus `2 / sqrt(pi)`, rounded, times x."""
    square = x * x
    return x * fma(square, polynomial(square, ERF[x.type]), TWO_OVER_ROOT_PI[x.type][1])


def erfc(x) -> Value:
    """Returns 1 - erf(x)."""
    size, end = unary("fabs", x), ERFC_END[x.type]
    value = complement(where(size > end, end, size))
    return where(size < ERFC_SPLIT, 1.0 - near_erf(x), where(x < 0, 2.0 - value, value))


def complement(x) -> Value:
    """Returns erfc from 0.4 to where it is 0."""
    part, lost = scaled_complement(x)
    square = x * x
    change, k = reduced(-square, less=fma(x, x, -square) - lost)
    return scaled(fma(change, part, part), k)


def scaled_complement(x, more: Value | None = None) -> tuple[Value, Value]:
    """Returns `exp(x^2) erfc(x)` as `1 / (1 + 2 x)` times a polynomial, and its relative error.

    `more` is the rounding error of x.
    """
    t, below = (x - 3.75) / (x + 3.75), fma(x, 2.0, 1.0)
    first, rest = ERFC[x.type][0], polynomial(t, ERFC[x.type][1:])
    above = fma(t, rest, first)
    part = above / below
    # Errors of each step relative to `above`, which is 1.1 to 1.3: its exact value does not matter.
    lost = fma(t, rest, first - above) + ERFC_LOST[x.type]
    lost_below = 1.0 - fma(x, -2.0, below)
    if more is not None:
        lost_below = fma(more, 2.0, lost_below)
    return part, (fma(-part, below, above) + lost - lost_below * part) * 0.8


def normal_distribution(x) -> Value:
    """Returns `(1 + erf(x / sqrt(2))) / 2`; for float32, `exp(p(|x|))` is the tail beyond x."""
    if x.type == F64:
        return (erf(x * math.sqrt(0.5)) + 1.0) * 0.5
    size = unary("fabs", x)
    beyond = rough_exp(fma(size, polynomial(size, BELOW_32), -math.log(2)))
    beyond = where(size > 5.6, 0.0, beyond)  # below the precision of 1
    return where(x < 0, beyond, 1.0 - beyond)


# ---- remainders


def fmod(x, y) -> Value:
    """Returns `x - y trunc(x / y)`, exactly; by the C library where the quotient has more digits than a float."""
    x, y = promote(x, y)
    a, b = unary("fabs", x), unary("fabs", y)
    quotient = a / b
    left = fma(-unary("trunc", quotient), b, a)
    left = where(left < 0, left + b, left)
    left = where((b == math.inf) & (a < math.inf), a, left)
    value = copysign(left, x)
    return rarely(~(quotient < 2.0 ** MANTISSA[x.type]), value, from_library("fmod")(x, y))


def remainder(x, y) -> Value:
    """Returns the remainder of floor division, with the sign of the divisor."""
    x, y = promote(x, y)
    left = fmod(x, y)
    return where((left != 0) & ((y < 0) ^ (left < 0)), left + y, where(left == 0, copysign(0.0, y), left))


def floor_divide(x, y) -> Value:
    """Returns the floor of the quotient, consistent with `remainder`."""
    x, y = promote(x, y)
    left = fmod(x, y)
    quotient = (x - left) / y
    quotient = where((left != 0) & ((y < 0) ^ (left < 0)), quotient - 1.0, quotient)
    whole = unary("floor", quotient)
    whole = where(quotient - whole > 0.5, whole + 1.0, whole)
    value = where(quotient == 0, copysign(0.0, x / y), whole)
    return where(y == 0, x / y, value)


# ---- C library functions: within 1 unit, one element at a time


def from_library(name: str):
    """Returns a C library function; float32 is computed in float64."""

    def function(*values):
        if values[0].type == F32:
            return narrow(library(name, *map(wide, values)))
        return library(name, *values)

    function.__name__ = name
    return function
