"""Normal and other continuous distributions."""

import math

import numpy as np
from numpy import float32, float64, int32

from rushlight.arrays.mt19937.numbers import (
    FEW,
    FLOAT32,
    FLOAT64,
    MODERATE,
    PIECE,
    cast,
    chosen,
    complex_of,
    doubles,
    doubles_of,
    multiply_add,
    one_by_one,
    unit,
)
from rushlight.core.numbers import ARRAY_NUMBERS
from rushlight.core.policy import LARGE, MEDIUM, WAITING, notice
from rushlight.core.tables import primitive, xp


def normal(generator, shape, dtype, mean=0.0, std=1.0, in_turn=False):
    """Normal numbers by the Box-Muller transform (1958); complex ones have total variance `std` ** 2.

    Fewer than 16 numbers, or any count with `in_turn` (as PyTorch does when it fills a non-contiguous tensor), are made
    in pairs from float64 numbers; the second of a pair is kept for the next such call. 16 and more are made in groups
    of 16; if the count is not a multiple, the last 16 are made again. To the bit with fused multiply-add: groups in
    float32 and half precision use the polynomials of PyTorch's AVX2 kernel, which AVX-512 machines use too; on other
    processors PyTorch's own numbers differ by up to 2e-6.

    >>> from rushlight.core.generator import Generator
    >>> normal(Generator().manual_seed(0), (3,), float32)
    array([ 1.5409961, -0.2934289, -2.1787894], dtype=float32)
    """
    count = math.prod(shape)
    if dtype is FLOAT32 and count >= 16 and not in_turn:
        if count < FEW and not count % 16 and std == 1 and mean == 0:
            return cast(_normals_32(generator, count), dtype, shape)
        # PyTorch also draws words for the elements after the last full group, although it makes them again; not in half
        # precision.
        return cast(xp.normals_32(generator, count, std, mean, True), dtype, shape)
    dtype = np.dtype(dtype)
    if dtype.kind in "cW":  # W is NumPy's kind of complex32
        return complex_of(normal, generator, shape, dtype, mean, std / math.sqrt(2.0), in_turn)
    if count < 16 or in_turn:
        numbers = normals_in_turn(generator, count)
        if std == 1 and mean == 0 and dtype.itemsize > 2:
            numbers = numbers.astype(dtype)
            return numbers if len(shape) == 1 else numbers.reshape(shape)
        numbers = multiply_add(numbers.copy(), float64(std), float64(mean))
    elif dtype is FLOAT64:
        numbers = _in_groups(generator, count, float64, _normals_64, generator.words64)
        numbers = multiply_add(numbers, float64(std), float64(mean))
    else:
        numbers = xp.normals_32(generator, count, std, mean, dtype == FLOAT32)
    return cast(numbers, dtype, shape)


@primitive
def normals_32(generator, count, std, mean, skips):
    """Returns `count` >= 16 float32 numbers; `skips` says whether words are drawn for those that are made again."""
    if count >= MEDIUM and WAITING:
        notice(min(3 * count, LARGE - 1))  # takes as long as three elements of other arrays in steps
    numbers = _in_groups(generator, count, float32, _normals_32, generator.words32 if skips else None)
    return numbers if std == 1 and mean == 0 else multiply_add(numbers, float32(std), float32(mean))


def log_normal(generator, shape, dtype, mean=1.0, std=2.0):
    """exp of pairwise normal numbers; float64 to the bit with fused multiply-add, others to the last place."""
    numbers = multiply_add(normals_in_turn(generator, math.prod(shape)).copy(), float64(std), float64(mean))
    with np.errstate(over="ignore"):
        numbers = chosen(dtype, np.exp, _exp)(numbers)
    return cast(numbers, np.dtype(dtype), shape)


def normals_in_turn(generator, count):
    """Standard normal numbers, float64 (count,), in pairs; the second of a pair may be kept from an earlier call.

    The array is read-only.
    """
    if count == 0:
        return np.empty(0)
    with generator.lock:
        kept = generator.next_double_normal_sample
        if kept is not None and count == 1:
            generator.next_double_normal_sample = None
            return np.array((kept,))
        missing = count if kept is None else count - 1
        drawn = _standard(generator, (missing + 1) // 2)
        generator.next_double_normal_sample = drawn.item(missing) if missing % 2 else None
    if kept is None:
        return drawn[:count] if missing % 2 else drawn
    normals = np.empty(count)
    normals[0], normals[1:] = kept, drawn[:missing]
    return normals


def _standard(generator, pairs):
    if pairs >= 16:
        return xp.wide_pairs(doubles(generator, 2 * pairs))
    normals = generator.derived(_pairs_of_words, 4 * pairs, 4, 2)
    return _pairs_of_words(generator.words32(4 * pairs)) if normals is None else normals


def _pairs_of_words(words):
    return xp.wide_pairs(doubles_of(words))


@primitive
def wide_pairs(uniforms):
    """Converts pairs of uniform numbers to pairs of normal numbers."""
    radius = np.sqrt(-2.0 * one_by_one(math.log1p)(-uniforms[1::2]))
    angle = 2.0 * math.pi * uniforms[0::2]
    normals = np.empty_like(uniforms)
    np.multiply(radius, np.cos(angle), out=normals[0::2])
    np.multiply(radius, np.sin(angle), out=normals[1::2])
    normals += 0  # -0 becomes 0
    return normals


def _in_groups(generator, count, dtype, transform, skip):
    """Returns `count` >= 16 numbers that `transform` makes in groups of 16; `skip` draws the words of the remainder."""
    if count < FEW and not count % 16:
        return transform(generator, count)
    numbers = np.empty(count, dtype)
    whole = count // 16 * 16
    with generator.lock:
        for start in range(0, whole, PIECE):
            stop = min(start + PIECE, whole)
            numbers[start:stop] = transform(generator, stop - start)
        if whole < count:
            if skip:
                skip(count - whole)
            numbers[-16:] = transform(generator, 16)
    return numbers


def _normals_64(generator, count):
    return xp.wide_groups(doubles(generator, count))


@primitive
def wide_groups(uniforms):
    """`wide_pairs` with eight pairs at a time: first members, then second ones."""
    uniforms = uniforms.reshape(-1, 2, 8)  # (group, member of the pair, pair)
    radius = np.sqrt(-2.0 * one_by_one(math.log)(1.0 - uniforms[:, 0]))
    angle = 2.0 * math.pi * uniforms[:, 1]
    return _around(radius, np.cos(angle), np.sin(angle))


def _normals_32(generator, count):
    if count >= FEW:
        return _groups(generator.words32(count))
    normals = generator.derived(_groups, count, 16)
    return _groups(generator.words32(count)) if normals is None else normals.copy()


def _groups(words):
    words = words.reshape(-1, 2, 8)  # (group, member of the pair, pair)
    return _around(_radius(words[:, 0]), *_cosine_sine(words[:, 1]))


def _around(radius, cosine, sine):
    """Returns pairs of normal numbers (group, 8) in PyTorch's order."""
    normals = np.empty((len(radius), 2, 8), radius.dtype)
    np.multiply(radius, cosine, out=normals[:, 0])
    np.multiply(radius, sine, out=normals[:, 1])
    normals += normals.dtype.type(0)  # -0 becomes 0
    return normals.reshape(-1)


# float32 logarithm, sine and cosine as in the Cephes library (S. L. Moshier, 1984 to 1992: logf.c, sinf.c), which
# PyTorch's kernel evaluates: each step of a polynomial is one fused multiply-add in float32. Here it is a product and a
# sum in float64, where the product of two float32 numbers is exact, rounded to float32.


def _coefficients(*values):
    return [float64(float32(value)) for value in values]


LOG = _coefficients(
    7.0376836292e-2, -1.1514610310e-1, 1.1676998740e-1, -1.2420140846e-1, 1.4249322787e-1, -1.6668057665e-1,
    2.0000714765e-1, -2.4999993993e-1, 3.3333331174e-1,
)  # fmt: skip
COSINE = _coefficients(2.443315711809948e-5, -1.388731625493765e-3, 4.166664568298827e-2)
SINE = _coefficients(-1.9515295891e-4, 8.3321608736e-3, -1.6666654611e-1)
# log(2) and pi / 4 as sums, whose leading parts are so short that their products with small integers are exact.
LOG_2 = float32(0.693359375), float32(-2.12194440e-4)
QUARTER_PI = float32(0.78515625), float32(2.4187564849853515625e-4), float32(3.77489497744594108e-8)
FOUR_OVER_PI = float32(1.27323954473516)
TWO_PI = float32(2.0 * math.pi)
SQRT_HALF_BITS = np.array(0.707106781186547524, float32).view(int32)
ONE, HALF = float32(1.0), float32(0.5)
WIDE = ARRAY_NUMBERS[FLOAT64]


def _horner(coefficients, argument):
    """Evaluates a polynomial in float32, rounded after each fused step; `argument` is float64 with float32 values."""
    exact = coefficients[0] * argument
    exact += coefficients[1]
    value = exact.astype(float32)
    for coefficient in coefficients[2:]:
        exact[...] = value
        exact *= argument
        exact += coefficient
        value[...] = exact
    return value


def _radius(words):
    """Returns sqrt(-2 log(1 - u)) for the uniform number u of each word."""
    bits = (ONE - unit(words)).view(int32)
    exponent = (bits - SQRT_HALF_BITS) >> 23
    x = (bits - (exponent << 23)).view(float32)
    x -= ONE  # 1 - u = 2 ** exponent * (1 + x)
    exponent = exponent.astype(float32)
    square = x * x
    y = _horner(LOG, x.astype(float64))
    y *= x
    exact = y.astype(float64)
    exact *= square
    exact += exponent * LOG_2[1]
    y[...] = exact
    square *= HALF
    y -= square
    x += y
    exponent *= LOG_2[0]
    x += exponent
    x *= float32(-2)
    return np.sqrt(x, out=x)


def _cosine_sine(words):
    """Returns cosine and sine of 2 pi u for the uniform number u of each word."""
    angle = unit(words)
    angle *= TWO_PI
    octant = (angle * FOUR_OVER_PI).astype(int32)
    octant += 1
    octant &= -2
    x, exact = _less_octants(angle, octant)
    square = x * x
    wide = square.astype(float64)
    sine = _horner(SINE, wide)
    sine *= square
    exact[...] = sine
    exact *= x
    exact += x
    sine[...] = exact
    cosine = _horner(COSINE, wide)
    cosine *= square
    exact[...] = cosine
    exact *= wide
    square *= HALF
    exact -= square
    cosine[...] = exact
    cosine += ONE
    return _rotated(cosine, sine, octant)


def _less_octants(angle, octant):
    """Returns angle - octant * pi / 4 in float32, and in float64 before its last rounding."""
    octant = octant.astype(float32)
    angle -= octant * QUARTER_PI[0]
    angle -= octant * QUARTER_PI[1]
    exact = octant.astype(float64)
    exact *= -float64(QUARTER_PI[2])
    exact += angle
    return exact.astype(float32), exact


def _rotated(cosine, sine, octant):
    """Rotates cosine and sine in place by an even number of octants: swaps them and changes signs."""
    cosine_bits, sine_bits = cosine.view(int32), sine.view(int32)
    change = cosine_bits ^ sine_bits
    change &= -(octant >> 1 & 1)
    cosine_bits ^= change
    sine_bits ^= change
    sine_bits ^= (octant & 4) << 29
    octant += 2
    cosine_bits ^= (octant & 4) << 29
    return cosine, sine


def _exp(number):
    return math.exp(number) if number < 709 else float(np.exp(number))


# ---- other distributions


def exponential(generator, shape, dtype, rate=1.0):
    """-log(1 - u) / rate for a float64 number u in [0, 1); float64 to the bit, others to the last place.

    >>> from rushlight.core.generator import Generator
    >>> exponential(Generator().manual_seed(0), (2,), float64)
    array([3.50832619, 1.23038476])
    """
    count, dtype, factor = math.prod(shape), np.dtype(dtype), -1.0 / rate
    if dtype is FLOAT32 and 0 < count < FEW and factor > -MODERATE:
        logarithms = generator.derived(_logarithms, 2 * count, 2, 2)
        if logarithms is not None:
            return (logarithms * WIDE[factor]).astype(FLOAT32).reshape(shape)
    numbers = doubles(generator, count)
    numbers = chosen(dtype, np.log1p, math.log1p)(-numbers)
    numbers *= factor
    return cast(numbers, dtype, shape)


def _logarithms(words):
    """Returns log(1 - u) for the float64 numbers u of pairs of words."""
    return np.log1p(-doubles_of(words))


def geometric(generator, shape, dtype, probability):
    """The number of trials until the first success: ceil(log(u) / log(1 - p)), to the bit."""
    numbers = doubles(generator, math.prod(shape))
    with np.errstate(divide="ignore"):
        np.log(numbers, out=numbers)
    numbers /= math.log1p(-probability)
    return cast(np.ceil(numbers, out=numbers), np.dtype(dtype), shape)


def cauchy(generator, shape, dtype, median=0.0, sigma=1.0):
    """median + sigma * tan(pi (u - 1/2)); float64 to the bit with fused multiply-add, others to the last place."""
    numbers = doubles(generator, math.prod(shape))
    numbers -= 0.5
    numbers *= math.pi
    tangents = chosen(dtype, np.tan, math.tan)(numbers)
    if math.isfinite(median) and math.isfinite(sigma):
        numbers = multiply_add(tangents, float64(sigma), float64(median))
    else:  # a fused product has no exact remainders there
        numbers = tangents * sigma + median
    return cast(numbers, np.dtype(dtype), shape)
