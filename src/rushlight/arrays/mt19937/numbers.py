"""Conversion of words to uniform numbers, and rounding."""

import ml_dtypes
import numpy as np
from numpy import float16, float32, float64, int32, int64, uint32, uint64

from rushlight.core.fp_errors import reset_errors, set_errors
from rushlight.core.generator import in_pairs
from rushlight.core.tables import xp

# Significant bits of the floating-point dtypes, including the leading one.
DIGITS = {np.dtype(float16): 11, np.dtype(ml_dtypes.bfloat16): 8, np.dtype(float32): 24, np.dtype(float64): 53}
MASK_24, MASK_53 = uint32((1 << 24) - 1), uint64((1 << 53) - 1)
STEP_24, STEP_24_WIDE, STEP_53 = float32(2.0**-24), float64(2.0**-24), 2.0**-53
LARGEST_UNIT = 1.0 - 2.0**-24  # largest float32 number below 1
# The shared dtype objects; NumPy would first make a dtype of a type to compare them.
FLOAT32, FLOAT64 = np.dtype(float32), np.dtype(float64)
# Words are converted in pieces that fit a core's second-level cache, a multiple of 16 words.
PIECE = 1 << 15
# Any uniform number, times a factor below this, plus a term below this, is finite in float32.
MODERATE = 1e9
# A call on a few words costs nearly as much as one on the whole buffer, which many small draws then share.
FEW = PIECE // 16


def unit(words):
    """Converts words to float32 numbers in [0, 1)."""
    numbers = (words & MASK_24).view(int32).astype(float32)
    numbers *= STEP_24
    return numbers


def wide(words):
    """Converts words to int64."""
    return words.astype(int64)


def wide_unit(words):
    """Converts words to the numbers of `unit`, as float64."""
    return (words & MASK_24) * STEP_24_WIDE


def floats(generator, count):
    if 0 < count < FEW:
        return generator.derived(unit, count).copy()
    if count <= PIECE:
        return unit(generator.words32(count))
    numbers = np.empty(count, float32)
    with generator.lock:
        for start in range(0, count, PIECE):
            stop = min(start + PIECE, count)
            numbers[start:stop] = unit(generator.words32(stop - start))
    return numbers


def doubles(generator, count):
    cached = generator.derived(doubles_of, 2 * count, 2, 2) if 0 < count < FEW else None
    if cached is not None:
        return cached.copy()
    numbers = np.empty(count)
    with generator.lock:
        for start in range(0, count, PIECE):
            stop = min(start + PIECE, count)
            np.multiply(whole_of(generator.words32(2 * (stop - start))), STEP_53, out=numbers[start:stop])
    return numbers


def doubles_of(words):
    """Converts pairs of words to float64 numbers in [0, 1)."""
    return whole_of(words) * STEP_53


def whole_of(words):
    """Returns the numbers of `doubles_of` times 2**53, as int64."""
    pairs = in_pairs(words)
    pairs &= MASK_53
    return pairs.view(int64)


def double_of(high, low):
    return ((high & 0x1FFFFF) << 32 | low) * STEP_53


def complex_of(function, generator, shape, dtype, *arguments):
    parts = function(generator, (*shape, 2), np.dtype(f"f{dtype.itemsize // 2}"), *arguments)
    return parts.reshape(-1).view(dtype).reshape(shape)


def cast(numbers, dtype, shape):
    """Converts `numbers` to a dtype; like C++, rounds to half precision through float32."""
    if numbers.dtype is dtype:
        return numbers if len(shape) == 1 else numbers.reshape(shape)
    if dtype.itemsize == 2 and dtype in DIGITS:
        numbers = numbers.astype(float32, copy=False)
    if numbers.dtype != dtype:
        token = set_errors(xp.IGNORED)
        try:
            numbers = numbers.astype(dtype)
        finally:
            reset_errors(token)
    return numbers.reshape(shape)


def chosen(dtype, vectorized, scalar):
    """Returns an elementwise function: float64 needs the C library's bits, other dtypes only eight digits."""
    return one_by_one(scalar) if np.dtype(dtype) is FLOAT64 else vectorized


def one_by_one(function):
    """Maps a C library function over an array; on some processors NumPy's version has other last bits."""
    return lambda array: np.fromiter(map(function, array.ravel().tolist()), float64, array.size).reshape(array.shape)


def multiply_add(numbers, factor, term):
    """Computes numbers * factor + term in place, rounded once; all have one dtype."""
    if term == 0:
        if factor != 1:
            numbers *= factor
        numbers += 0  # -0 becomes 0
        return numbers
    rounded_once = _multiply_add_32 if numbers.dtype is FLOAT32 else _multiply_add_64
    if len(numbers) <= PIECE and abs(factor) < MODERATE and abs(term) < MODERATE:
        numbers[...] = rounded_once(numbers, factor, term)
        return numbers
    with np.errstate(over="ignore"):
        for start in range(0, len(numbers), PIECE):
            part = numbers[start : start + PIECE]
            part[...] = rounded_once(part, factor, term)
    return numbers


def _multiply_add_32(numbers, factor, term):
    exact = numbers.astype(float64)
    exact *= float64(factor)
    exact += float64(term)
    return exact


def _multiply_add_64(numbers, factor, term):
    """Adds the rounding errors of the product (Dekker, 1971) and of the sum (Knuth)."""
    product = numbers * factor
    if abs(factor) > 1e290:  # too large to split
        return product + term
    high, low = _split_bits(numbers)
    factor_high, factor_low = _split_bits(factor)
    error = ((high * factor_high - product) + high * factor_low + low * factor_high) + low * factor_low
    total = product + term
    part = total - product
    error += (product - (total - part)) + (term - part)
    total += error
    return total


def _split_bits(numbers):
    """Splits `numbers` into sums of two numbers with half of the bits each."""
    shifted = numbers * 134217729.0  # 2**27 + 1
    high = shifted - (shifted - numbers)
    return high, numbers - high
