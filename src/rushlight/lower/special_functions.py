"""Special functions as formulas, in addition to `elementary.py` and as accurate.

The inverse error function is nearly linear in `-log(1 - x^2)` (Giles, GPU Computing Gems, Jade edition, 2011, chapter
10); `scripts/fit_polynomials` prints the polynomials. The scaled `erfc`, and with it the log of the normal
distribution, is `elementary.py`'s `erfc` without its exponential.
"""

from __future__ import annotations

import math

from rushlight.arrays import special
from rushlight.lower import elementary as m
from rushlight.lower.ir import F32, F64, Value, copysign, fma, integer, rarely, unary, where

ERFINV = {
    F32: (
        0.2455768454, -0.001733977639, -0.001375913251, 0.0002032798787, -5.280405412e-6, -2.760843978e-6,
        4.401100359e-7, -2.996370518e-9, -7.042345408e-9, 6.082397001e-10, 2.029622967e-11,
    ),
    F64: (
        0.24557684391371030781, -0.0017339716761990347304, -0.001375903742473026401, 0.00020326438666193581244,
        -5.2896571648810937271e-6, -2.7497171934477513517e-6, 4.4295936449816664394e-7, -6.2337750783784697997e-9,
        -7.307716090449135552e-9, 1.0224176865362865524e-9, 9.2171931444827472709e-12, -2.0275220840105570519e-11,
        2.3350819538731201721e-12, 9.4528486458535672426e-14, -5.6134331825548957791e-14,
        5.1590254318815997526e-15, 4.4477658793671615102e-16, -1.5521879752460092584e-16,
        9.6420102223484021765e-18, 1.8983392076431519982e-18, -3.4988998902304321468e-19,
        -2.254544783954033314e-23, 3.9586654038634446361e-21, -2.2974750223473367195e-22,
    ),
}  # fmt: skip
BESIDE_DENSITY_32 = (
    0.129560981, 0.1065523549, 0.2126589575, -0.1564400967, 0.3989710314, -0.2360796667, 0.0447764366,
)  # fmt: skip
FAR = 26
NOTHING = (127 + FAR) * math.log(2)  # exp(-NOTHING) is 0, even scaled by 2**FAR
ERFINV_FAR = {
    F32: (
        3.083885614, 1.005258491, 0.005370569661, -0.003741653144, 0.002493785407, -0.001740719305,
        0.0009569380284, -0.0002478774909, -1.335331105e-5,
    ),
    F64: (
        3.0838856104922206763, 1.005258967694165383, 0.0053709145535550330329, -0.0037512085082247340335,
        0.0024914420979569603915, -0.0016882755354488555375, 0.00095328934157941372065,
        -0.00035503781378524517743, 0.000024031512865758356261, 0.000068287117392519557239,
        -0.000047320680665446968429, 0.000012465028224217455259, 2.9325784553853499679e-6,
        -3.9857059456481733275e-6, 1.4815977874022538655e-6, -2.7617162238162412496e-8, -2.4549818963339822496e-7,
        1.3158663683192965965e-7, -2.0914533347731259665e-8, -1.5305397964152548213e-8, 7.6802004790770527426e-9,
    ),
}  # fmt: skip
ERFINV_END = (
    4.8499064014085843423, 1.0103004648645449313, -0.00013871931838023270855, -0.00021503011980329156938,
    0.00007599527809894209376, -0.000019681771124632158097, 4.5260525045402408381e-6, -9.9302605807563065263e-7,
    2.2905292955975568538e-7, -6.7570326206121326976e-8, 2.9018312103155647554e-8, -1.5219730664402480673e-8,
    7.8220407384108339908e-9, -3.5249190822801066252e-9, 1.3153638724590328894e-9, -3.8910297337624270318e-10,
    6.9914550054955758474e-11, 1.8836261943277930264e-11, -2.0469026960933107402e-11, 5.0294638317171242145e-12,
)  # fmt: skip
# Where the first polynomials end; the shifts that center their variables.
ERFINV_SPLITS, ERFINV_MIDDLES = (6.25, 16.0), (3.125, 3.25, 5.0)
HALF_ROOT_PI = {F32: (0.8862269520759583, -2.662320023830404e-08), F64: (0.886226925452758, -3.8332932499128993e-17)}
ROOT_HALF = (0.70710678118654757, -4.8336466567264567e-17)  # with its rounding error
# Around 0, to a few percent: half the error function's derivative in x^2 / 2, and that of the log of the normal
# distribution in the distribution.
DENSITY, SLOPE = (0.564, -0.21), (2.0, -1.6, 1.0)
CLOSE = (0.58, 1.05)  # below these sizes (the second for x > 0) the error function is used instead of its complement


def erfinv(x) -> Value:
    """Returns the inverse error function: `x p(w)`; near 1 and -1, rare, in terms of the square root of w."""
    w = -m.log(fma(-x, x, 1.0))
    factor, (most, less) = m.polynomial(w - ERFINV_MIDDLES[0], ERFINV[x.type]), HALF_ROOT_PI[x.type]
    more = w * factor
    error = fma(w, factor, -more) + less
    near = fma(x, most, fma(x, more, x * error))
    root = unary("sqrt", w)
    far = m.horner(root - ERFINV_MIDDLES[1], ERFINV_FAR[x.type])
    if x.type == F64:  # float64 reaches closer to 1
        far = where(w < ERFINV_SPLITS[1], far, m.horner(root - ERFINV_MIDDLES[2], ERFINV_END))
    far = where(unary("fabs", x) == 1, math.inf, far)
    return copysign(rarely(~(w < ERFINV_SPLITS[0]), near, x * far), x)


@m.through_float64
def erfcx(x) -> Value:
    """Returns `exp(x^2) erfc(x)`: near 0 by erf, for negative x `2 exp(x^2)` minus that of -x."""
    size = unary("fabs", x)
    bounded = where(size > 28.0, 28.0, size)  # where it is infinite
    square = bounded * bounded
    change, k = m.reduced(square, less=-fma(bounded, bounded, -square))
    close = 1.0 - m.near_erf(x)
    near, double = fma(change, close, close), m.scaled(change + 1.0, integer("add", k, 1))
    part, error = far_erfcx(size)
    value = fma(error, part, part)
    return where(size < CLOSE[0], near, where(x < 0, double - value, value))


def far_erfcx(x, more: Value | None = None) -> tuple[Value, Value]:
    """Returns erfcx from 0.4 on, of x with rounding error `more`, and its relative error.

    For large x it is `1 / (x sqrt(pi))`.
    """
    part, error = m.scaled_complement(x, more)
    large = x > 2.0**60
    return where(large, 1 / math.sqrt(math.pi) / x, part), where(large, 0.0, error)


@m.through_float64
def log_ndtr(x) -> Value:
    """Returns the log of the normal distribution, from half of `erfcx(y) exp(-y^2)`, with y = |x| / sqrt(2).

    Below zero it is `log(erfcx / 2) - y^2`, above it the logarithm of 1 minus that half; near 0 by erf.
    """
    size = unary("fabs", x)
    y = size * ROOT_HALF[0]
    more = fma(size, ROOT_HALF[0], -y) + size * ROOT_HALF[1]
    part, rest = far_erfcx(y, more)
    half = part * 0.5
    bounded = where(size > 40.0, 40.0, size)  # where it vanishes
    square = bounded * bounded
    change, k = m.reduced(square * -0.5, less=fma(bounded, bounded, -square) * 0.5)
    beyond = -m.scaled(fma(rest + change, half, half), k)
    near, error = near_ndtr(copysign(y, x))
    error = error + copysign(more * m.horner(square, DENSITY), x * more)
    below, close = x < -CLOSE[0], x < CLOSE[1]
    less = where(below, fma(rest, half, half), where(close, near, beyond))
    value = m.log_of_sum(where(below, 0.0, 1.0, x.type), less)
    above = where(less == 0, less, value + where(close, error * m.horner(x, SLOPE), 0.0))
    return where(below, fma(x * x, -0.5, value), above)


def gelu_derivative(x) -> Value:
    """Returns the normal distribution at x plus x times its density.

    For float32, the tail beyond -|x| is the density times a polynomial in `1 / (1 + 0.32 |x|)`, so that both share one
    exponential. It is scaled by `2**FAR`, and the rest down: a normal number wherever the derivative is not 0. At
    infinity 0 * inf is NaN, as in PyTorch.
    """
    if x.type == F64:
        return m.normal_distribution(x) + x * (m.exp(x * x * -0.5) * special.DENSITY)
    size, square = unary("fabs", x), x * x
    half = where(square > 2 * NOTHING, NOTHING, square * 0.5)
    change, k = m.reduced(-half)
    scale = m.power_of_two(integer("add", k, FAR), F32)
    t = 1.0 / fma(size, 0.32, 1.0)
    share = t * m.polynomial(t, [c * 2.0**-FAR for c in BESIDE_DENSITY_32])
    beyond = fma(fma(change, scale, scale), fma(size, -special.DENSITY * 2.0**-FAR, share), 0.0)
    return where(x < 0, beyond, 1.0 - beyond)


def near_ndtr(x) -> tuple[Value, Value]:
    """Returns half of erf near 0 minus a half, and its error."""
    factor, tail = m.TWO_OVER_ROOT_PI[x.type][0] * 0.5, m.less_of_erf(x) * 0.5
    head = x * factor
    most = head - 0.5
    value = most + tail
    return value, fma(x, factor, -head) + (head - (most + 0.5)) + (tail - (value - most))
