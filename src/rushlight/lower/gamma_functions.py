"""Formulas of the gamma function's logarithm, digamma and trigamma.

float32: log-gamma and trigamma are Stirling's series (https://dlmf.nist.gov/5.11.E1, https://dlmf.nist.gov/5.15.E8),
shifted by seven or eight steps so that a few terms suffice.

float64: log-gamma is `y (y - 1) p(y)` at 1 + y near its zeros; the step from there to x adds a logarithm, of x or,
below zero, of `sin(pi x) / pi`. Elsewhere it is Stirling's leading terms around w = x - 1/2, where all others are odd.
All share one logarithm; below -3/2 two would be needed.

Digamma is that of x + 1 minus a step: 1 / x, or below zero `pi / tan(pi x)` by reflection
(https://dlmf.nist.gov/5.5.E4). At x + 1 there is no pole: near its root it is a polynomial in the distance, elsewhere a
logarithm and a polynomial. Near the first negative root that would lose too many digits, so it has its own polynomial;
near the others, results closer to 0 than 1/32 have the absolute accuracy of 1/32.

Sums have two parts each, so that little is lost by cancellation. `scripts/fit_polynomials` prints the polynomials.
"""

from __future__ import annotations

import math

from rushlight.lower import elementary as m
from rushlight.lower import trigonometry
from rushlight.lower.ir import F32, F64, Untraceable, Value, cast, fma, rarely, unary, where

STEPS_OF_LGAMMA, STEPS_OF_TRIGAMMA = 7, 8
STIRLING = (1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360, 1 / 156)
BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510, 43867 / 798)
LGAMMA_NEAR = (
    0.45013931210925629844, -0.11948158662524267206, 0.044520447198509646504, -0.019053957830260833037,
    0.0087763704252573020768, -0.0042261941251894178839, 0.0020955338799232407149, -0.0010605660937984333658,
    0.00054489699072127430834, -0.00028319036037842407326, 0.00014851676126039419449,
    -0.00007846405039294499532, 0.000041705474569413286924, -0.000022268214498975368184,
    0.0000119492503664564903, -6.4878597970946739269e-6, 3.5071990932812468739e-6, -1.7676437582781799296e-6,
    9.5971096164981410427e-7, -7.5626124634594154994e-7, 4.1427611092487883716e-7, 3.4043248948969228866e-8,
    -1.9561462574604244023e-8, -1.5777234102106789417e-7, 8.7028541494622733663e-8,
)  # fmt: skip
LGAMMA_LOST = 1.41e-17  # rounding error of the leading coefficient
LGAMMA_FAR = (
    -0.041373869696745434537, 0.00028263408147362691492, -9.4106389960532588411e-6, 6.6333972235881141204e-7,
    -7.4458007711605154309e-8, 1.1494378959053170024e-8, -2.2372148202078628747e-9, 5.1934523304826082851e-10,
    -1.3842887009165172578e-10, 4.089343934324066514e-11, -1.329105436136086056e-11, 5.3391011289602221085e-12,
    -2.0958948957562316652e-12, 1.4282983110851483714e-13, -3.7228027466223505466e-15,
    3.9358208814213701877e-13, -1.939714154137124821e-13,
)  # fmt: skip
HALF_LOG = (0.9189385332046728, -3.8782941580672414e-17)  # of 2 pi
SINE = (
    -1.6449340668482264365, 0.81174242528335364047, -0.19075182412208387582, 0.026147847817640921053,
    -0.0023460810351701678888, 0.00014842878972770887955, -6.9758512121423474301e-6, 2.5303274566671354333e-7,
    -7.1140528187693923837e-9,
)  # fmt: skip
NEAR_ROOT = (
    -0.44276316898359218023, 0.25849976095565108587, -0.16394270544240650396, 0.10782405069125749447,
    -0.072199561256466490772, 0.048804288164708974385, -0.033161126474228912117, 0.022597648202106178138,
    -0.015424765915916454221, 0.010538792506609429622, -0.0072045345042440937991, 0.0049267653664745948657,
    -0.0033697934609430115347, 0.0023053105397293523766, -0.0015770886566769396042, 0.0010774560322173645684,
    -0.00073655730361561984164, 0.00051140403541373511883, -0.00035442774378646182424,
    0.00021850039797515080228, -0.00013050849787302215851, 0.00013325136083509607268,
    -0.00013290983494598969989, 0.000055786765999098597059,
)  # fmt: skip
DIGAMMA_FAR = (
    0.040202730538630498751, -0.0013328175329768754918, 0.0001114674936557009065, -0.000015565555271608332778,
    3.0220225836107909248e-6, -7.3756899242475780335e-7, 2.1288401489516803978e-7, -6.9838613329731448451e-8,
    2.5349944422485946394e-8, -1.0022730937534939146e-8, 4.2351410121753506196e-9, -1.7511303633365112484e-9,
    7.9272243491378572483e-10, -7.4991898414556719322e-10, 4.3765950375884984511e-10, 3.8565864580547602874e-10,
    -2.8102259694857608558e-10, -5.2573695462509148311e-10, 3.5551865916584912625e-10, 2.680173131761193117e-10,
    -1.8364677058940514443e-10, -7.7547195399146089137e-11, 5.2222553012251762904e-11,
)  # fmt: skip
NEAR_ROOT_BELOW = (
    -0.80934546253068672542, 32.258572064916509618, -2.7610116222864162474, 128.27342270815519542,
    -14.70954876183701376, 513.34755423137086548,
)  # fmt: skip
COTANGENT = (
    0.71013186630354713631, 0.67588099779189547023, 0.66883786720371061141, 0.66719675581744488816,
    0.66679791096245534337, 0.66669801872418102998, 0.66670611702023749031, 0.66615817846343191894,
    0.67251405660248045485, 0.61899512660952394155, 0.94348644042057001647, -0.46123829853458600769,
    3.7732941700205724325, -4.6697121190834200557, 5.3368138510234424121,
)  # fmt: skip
COTANGENT_LOST = -5.156e-17  # rounding error of the leading coefficient
# The numbers nearest to the first two roots of digamma: value there, slope there, and the slope's rounding error.
ROOT = (1.4616321449683622, -9.241265521729427e-17, 0.9676722454476212, 5.0688981776619267e-17)
ROOT_BELOW = (-0.5040830082644554, 7.289763902976895e-17, 8.939798558792134, 4.529738181690126e-16)
CLOSE = 0.005  # to the second of them


def lgamma(x) -> Value:
    """Returns log(|gamma(x)|)."""
    return m.narrow(lgamma_in_few_steps(m.wide(x))) if x.type == F32 else lgamma_in_parts(x)


def lgamma_in_few_steps(x) -> Value:
    """Returns log(|gamma(x)|) for x that is a float32."""
    size, below = unary("fabs", x), x < 0
    product, far = size + 1.0, size + float(STEPS_OF_LGAMMA)
    for step in range(2, STEPS_OF_LGAMMA):
        product = product * (size + float(step))
    inverse = 1.0 / far
    series = inverse * m.polynomial(inverse * inverse, STIRLING)
    factors = where(below, product / sine(x)[0], product * size)
    value = (far - 0.5) * (m.log(far) - 1.0) + (0.5 * math.log(2 * math.pi) - 0.5 + series) - m.log(factors)
    return where(size == math.inf, size, where(below, -value, value))


def lgamma_in_parts(x) -> Value:
    """Returns log(|gamma(x)|) of float64; below -3/2 and at the extremes by the C library."""
    below, direct = x < 0, x >= 1
    before = where(direct, x - 1.0, x)
    y = unary("fabs", before)
    close, w = y < 1.5, y + 0.5
    reflected, reflected_rest = sine(x)
    factor = where(close, where(below, reflected, where(direct, 1.0, x)), w)
    k, mantissa = m.parts(factor)
    logarithm, rest = log_in_parts(mantissa - 1.0, cast(k, F64))
    near, near_rest = lgamma_near_1(before, y)
    near_rest = near_rest - (rest + where(below, reflected_rest / reflected, 0.0))
    less, inverse = logarithm - 1.0, 1.0 / w
    far = w * less
    series = inverse * m.polynomial(fma(inverse * inverse, 8.0, -1.0), LGAMMA_FAR)
    far_rest = fma(w, rest, fma(w, less, -far)) + (fma(0.5 - (w - y), logarithm, HALF_LOG[1]) + series)
    value, error = m.two_sum(where(close, near, far), where(close, -logarithm, HALF_LOG[0]))
    value = value + (error + where(close, near_rest, far_rest))
    usual = (where(below, unary("fabs", x - unary("roundeven", x)), x) > 2.0**-1000) & (x > -1.5) & (x < 1e305)
    return rarely(~usual, value, m.from_library("lgamma")(x))


def lgamma_near_1(before, y) -> tuple[Value, Value]:
    """Returns log(gamma(1 + y)) and its error, with the sign of `before`; y = |before|."""
    distance, other = y - 0.75, y - 1.0
    more = m.polynomial(distance, LGAMMA_NEAR[1:])
    bend = fma(distance, more, LGAMMA_NEAR[0])
    bend_rest = fma(distance, more, LGAMMA_NEAR[0] - bend) + LGAMMA_LOST
    product = before * other
    value = product * bend
    return value, fma(product, bend, -value) + fma(product, bend_rest, fma(before, other, -product) * bend)


def sine(x) -> tuple[Value, Value]:
    """Returns `|sin(pi x)| / pi` and its error."""
    r = unary("fabs", x - unary("roundeven", x))
    square = r * r
    more, cube = m.polynomial(square, SINE), r * square
    value = fma(cube, more, r)
    return value, fma(cube, more, r - value)


@m.through_float64
def digamma(x) -> Value:
    """Returns the derivative of log-gamma."""
    near = (x >= 1) & (x < 2)
    following, rest = following_digamma(where(near, x - 1.0, unary("fabs", x)))
    step, step_rest = step_of_digamma(x, near)
    value, error = m.two_sum(following, -step)
    value = where(unary("fabs", step) < math.inf, value + (error + (rest - step_rest)), -step)
    distance = x - ROOT_BELOW[0]
    most, rest = near_root(distance, ROOT_BELOW, NEAR_ROOT_BELOW)
    value = where(unary("fabs", distance) < CLOSE, most + rest, value)
    return where((x < 0) & (step == math.inf), math.nan, where(x == math.inf, x, value))


def following_digamma(y) -> tuple[Value, Value]:
    """Returns digamma at 1 + y and its error, for y >= 0."""
    near, near_rest = near_root(y - (ROOT[0] - 1.0), ROOT, NEAR_ROOT)
    w = y + 0.5
    k, mantissa = m.parts(w)
    far, far_rest = log_in_parts(mantissa - 1.0, cast(k, F64))
    inverse = 1.0 / w
    square = inverse * inverse
    more = fma(square, m.polynomial(fma(square, 4.5, -1.0), DIGAMMA_FAR), (0.5 - (w - y)) * inverse)
    close = y < 1
    return where(close, near, far), where(close, near_rest, far_rest + more)


def near_root(distance, root, bend) -> tuple[Value, Value]:
    """Returns digamma from the distance to a root, and its error."""
    _, value, slope, less = root
    most = distance * slope
    return most, fma(distance, slope, -most) + fma(
        distance * distance, m.polynomial(distance, bend), fma(distance, less, value)
    )


def log_in_parts(f, k) -> tuple[Value, Value]:
    """Returns `k log(2) + log(1 + f)` and its error, with f from `m.parts`."""
    half, rest = m.rest_of_log(f)
    high, low = m.LOG_2[F64]
    whole = k * high  # larger than f, or 0
    most = whole + f
    value = most - half
    error = ((whole - most) + f) + (((most - value) - half) - fma(f * 0.5, f, -half))
    return value, fma(k, low, rest) + error


def step_of_digamma(x, near) -> tuple[Value, Value]:
    """Returns digamma at `1 + |x|` minus that at x, and its error; 0 where there is no step.

    Below zero it is `(1 - 4 r^2) (1 + r^2 p(r^2)) / r`, where r is the distance of x from an integer.
    """
    below, distance = x < 0, x - unary("roundeven", x)
    r = where(below, distance, 0.0)
    square = r * r
    square_rest, part = fma(r, r, -square), square * 4.0
    above = 1.0 - part
    above_rest = ((1.0 - above) - part) - square_rest * 4.0
    more = m.polynomial(square, COTANGENT[1:])
    bend = fma(square, more, COTANGENT[0])
    bend_rest = fma(square, more, COTANGENT[0] - bend) + COTANGENT_LOST
    factor = fma(square, bend, 1.0)
    factor_rest = fma(square, bend, 1.0 - factor) + fma(square, bend_rest, square_rest * bend)
    product = above * factor
    product_rest = fma(above, factor, -product) + fma(above, factor_rest, above_rest * factor)
    divisor = where(below, distance, x)
    inverse = where(near, 0.0, 1.0 / divisor)
    step = product * inverse
    return step, (fma(-step, divisor, product) + product_rest) * inverse


def polygamma(n, x) -> Value:
    """Returns digamma or trigamma."""
    if n not in (0, 1):
        raise Untraceable(f"polygamma({n})")
    return trigamma(x) if n else digamma(x)


def trigamma(x) -> Value:
    """Returns the derivative of digamma; below zero `pi^2 / sin^2(pi x) - trigamma(1 - x)`."""
    slope = math.pi / trigonometry.sin(x * math.pi)
    return rarely(x < 0, positive_trigamma(x), slope * slope - positive_trigamma(1.0 - x))


@m.through_float64
def positive_trigamma(x) -> Value:
    low = x < 9.0
    inverse = 1.0 / where(low, x + float(STEPS_OF_TRIGAMMA), x)
    square = inverse * inverse
    far = square * fma(inverse, m.polynomial(square, BERNOULLI), 0.5) + inverse
    zeroth = 1.0 / (x * x)
    terms = [both_squares(x + float(step), x + (step + 1.0)) for step in range(1, STEPS_OF_TRIGAMMA - 1, 2)]
    last = x + (STEPS_OF_TRIGAMMA - 1.0)
    value = (far + 1.0 / (last * last)) + sum(terms[:0:-1], terms[0])
    return where(low, value + zeroth, far)


def both_squares(a, b) -> Value:
    """Returns `1 / a^2 + 1 / b^2`."""
    product = a * b
    return fma(a, a, b * b) / (product * product)
