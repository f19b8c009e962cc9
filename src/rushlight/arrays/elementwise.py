"""Elementwise functions that NumPy lacks, or computes by other rules than PyTorch."""

from __future__ import annotations

import math

import ml_dtypes
import numpy as np
from numpy._core.umath import clip as between

from rushlight.arrays.mt19937 import uniform
from rushlight.arrays.reduce import highest
from rushlight.core.dtype import REDUCED_NUMPY, complex32
from rushlight.core.fp_errors import reset_errors, set_errors
from rushlight.core.numbers import ARRAY_NUMBERS, ArrayNumbers, NumbersOf
from rushlight.core.policy import MEDIUM
from rushlight.core.tables import primitive, xp

FLOAT32, FLOAT64 = np.dtype(np.float32), np.dtype(np.float64)

# ---- arithmetic


def scaled(array, factor):
    """Returns `factor * array`, for sums; raises PyTorch's error for a factor that does not fit the array's dtype."""
    if type(factor) is float and array.dtype in WIDE_FLOATS:
        return np.multiply(array, FITTING_NUMBERS[array.dtype][factor])
    kind = array.dtype.kind
    if isinstance(factor, (float, complex)) and kind in "biu":
        raise RuntimeError("For integral input tensors, argument alpha must not be a floating point number.")
    if isinstance(factor, complex) and kind != "c":
        raise RuntimeError("For non-complex input tensors, argument alpha must not be a complex number.")
    if isinstance(factor, bool) and kind != "b":
        raise RuntimeError("Boolean alpha only supported for Boolean results.")
    if type(factor) is int and not -(2**63) <= factor < 2**64:
        raise OverflowError("int too big to convert")
    return np.multiply(array, factor_for(array, factor))


def add_multiple(array, other, factor):
    """Returns `array + factor * other`."""
    return np.add(array, scaled(other, factor))


def subtract_multiple(array, other, factor):
    """Returns `array - factor * other`."""
    return np.subtract(array, scaled(other, factor))


def factor_for(array, factor):
    """Converts a factor to the array's dtype; for integer arrays, without its fraction."""
    if type(factor) is float and array.dtype in WIDE_FLOATS:
        return FITTING_NUMBERS[array.dtype][factor]
    if not isinstance(factor, (int, float, complex, np.generic)):
        raise TypeError("a factor is a number")  # the general path converts it, or raises PyTorch's error
    kind = array.dtype.kind
    must_fit = kind in "biuc" or array.dtype in WIDE_FLOATS or isinstance(factor, complex)
    return element(factor, array.dtype) if must_fit else factor


def clip_to_numbers(array, low, high):
    """Clips elements to two numbers, either of which may be None."""
    if array.dtype.kind in "iu":
        low, high = (None if bound is None else element(bound, array.dtype) for bound in (low, high))
    elif array.dtype.kind == "f" and type(low) in BOUNDS and type(high) in BOUNDS:
        numbers = (FITTING_NUMBERS if array.dtype in WIDE_FLOATS else ARRAY_NUMBERS)[array.dtype]
        low, high = None if low is None else numbers[low], None if high is None else numbers[high]
    return clip(array, low, high)


BOUNDS = frozenset((int, float, type(None)))


def clip(array, low, high, out=None):
    """Clips elements to bounds that may be None; if they cross, the upper one wins."""
    if not isinstance(array, np.ndarray):
        return np.clip(array, low, high)
    # The functions behind np.clip, which takes three times as long to choose between them
    if low is None:
        return np.minimum(array, high, out=out)
    return np.maximum(array, low, out=out) if high is None else between(array, low, high, out=out)


@primitive
def add_into(array, values):
    """Adds values to an array in place."""
    np.add(array, values, out=array)


@primitive
def limit(array, low, high):
    """Clips the elements of an array to two numbers of its dtype, in place."""
    clip(array, low, high, array)


def power(base, exponent):
    """Returns `base ** exponent`; negative powers of integers are rounded towards 0."""
    if type(exponent) is int and base.dtype in WIDE_FLOATS:
        exponent = float(ARRAY_NUMBERS[base.dtype][exponent])
    elif type(exponent) is np.ndarray:
        if exponent.dtype.kind == "b":
            return base | ~exponent
        if not exponent.ndim and exponent.dtype is base.dtype:
            exponent = exponent.item()
    if base.dtype.kind == "c" and not np.ndim(exponent) and exponent == 2:
        return np.square(base)  # a tenth of the time
    if type(exponent) is float and base.dtype.kind == "f":
        return power_of_floats(base, exponent)
    try:
        return base**exponent
    except ValueError:
        if base.dtype.kind not in "iu":  # shapes that do not broadcast
            raise
        inverse = np.where(base == 1, 1, np.where(base == -1, 1 - 2 * (exponent % 2), 0))
        return np.where(exponent < 0, inverse, base ** np.maximum(exponent, 0)).astype(np.result_type(base, exponent))


def power_of_floats(base, exponent):
    """Powers of floats: short ones are products, as in PyTorch; NumPy is 100 times slower for negative bases."""
    product = PRODUCTS.get(exponent)
    if product is not None:
        return product(base)
    if exponent in BUILT_IN or not exponent.is_integer():
        return base**exponent
    size = np.abs(base) ** exponent
    return np.copysign(size, base) if exponent % 2 else size


BUILT_IN = (0.5, -1, 0, 1)  # in NumPy
PRODUCTS = {
    2: np.square,
    3: lambda base: base * base * base,
    -2: lambda base: 1 / (base * base),
    -0.5: lambda base: 1 / np.sqrt(base),
}


def floor_divide(numerator, denominator):
    """Returns the quotient rounded down."""
    refuse_zero(numerator, denominator)
    return np.floor_divide(numerator, denominator)


def truncated_divide(numerator, denominator):
    """Returns the quotient rounded towards zero."""
    refuse_zero(numerator, denominator)
    if {np.asarray(x).dtype.kind for x in (numerator, denominator)} - {*"biu"}:
        return np.trunc(np.divide(numerator, denominator))
    quotient, rest = np.divmod(numerator, denominator)
    return quotient + ((rest != 0) & ((numerator < 0) != (denominator < 0)))


def remainder(numerator, denominator):
    """Returns the remainder of `floor_divide`; it has the sign of the denominator."""
    refuse_zero(numerator, denominator)
    return np.remainder(numerator, denominator)


def fmod(numerator, denominator):
    """Returns the remainder of `truncated_divide`; it has the sign of the numerator."""
    refuse_zero(numerator, denominator)
    return np.fmod(numerator, denominator)


def refuse_zero(numerator, denominator) -> None:
    """Raises RuntimeError for integer division by zero, unless the numerator is empty."""
    denominator = np.asarray(denominator)
    if denominator.dtype.kind in "iu" and not (denominator.all() if denominator.ndim else denominator):
        if isinstance(numerator, np.ndarray) and not numerator.size:
            return
        raise RuntimeError("ZeroDivisionError")


def sign(array):
    """Returns -1, 0 or 1, and 0 for nan; for complex numbers the direction."""
    if array.dtype.kind == "b":
        return np.copy(array)
    if array.dtype.kind == "c":  # NumPy's own takes one part of what is as far as infinity
        radius = np.abs(array)
        parts = np.ascontiguousarray(array).view(radius.dtype).reshape(*array.shape, 2)
        result = (parts / np.where(radius == 0, 1, radius)[..., None]).view(array.dtype)
        return result.reshape(array.shape)
    result = np.sign(array, out=...)
    if array.dtype.kind == "f":
        result[np.isnan(result)] = 0
    return result


def lerp(start, end, weight):
    """Interpolates from `start` to `end` by `weight`, starting from the nearer of the two."""
    difference = end - start
    if isinstance(weight, (int, float, complex)):
        return start + weight * difference if abs(weight) < 0.5 else end - difference * (1 - weight)
    if type(weight) is np.ndarray and not weight.ndim:  # compute only the chosen formula
        return start + weight * difference if abs(weight.item()) < 0.5 else end - difference * (1 - weight)
    is_far = np.abs(weight) >= 0.5
    return np.where(is_far, end, start) + (weight - is_far) * difference


AHEAD, BEHIND = np.array([1, 2, 0]), np.array([2, 0, 1])


def cross(one, two, axis):
    """The cross products of vectors of three elements along an axis; small arrays are permuted as a whole.

    >>> cross(np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0, 0.0]), 0)
    array([0., 0., 1.])
    """
    if one.size < MEDIUM > two.size:
        result = one.take(AHEAD, axis) * two.take(BEHIND, axis)
        result -= one.take(BEHIND, axis) * two.take(AHEAD, axis)
        return result
    components = [(slice(None),) * axis + (component, ...) for component in range(3)]
    first, second = ([x[component] for component in components] for x in (one, two))
    result = np.empty(np.broadcast_shapes(one.shape, two.shape), one.dtype)
    for component, i, j in zip(components, AHEAD.tolist(), BEHIND.tolist(), strict=True):
        np.subtract(first[i] * second[j], first[j] * second[i], result[component])
    return result


def heaviside(array, values):
    """0 below zero, 1 above, `values` at zero; 0 for nan."""
    return np.where(array == 0, values, array > 0)


def ldexp(mantissa, exponent):
    """Returns `mantissa * 2 ** exponent`."""
    return mantissa * np.exp2(exponent)


def isclose(array, other, rtol, atol, equal_nan):
    """Whether `|array - other| <= atol + rtol * |other|`; equal infinities are close.

    The code for floats takes a third of the time of NumPy's function on small arrays.
    """
    if not array.dtype is other.dtype in (FLOAT32, FLOAT64):
        return np.isclose(array, other, rtol, atol, equal_nan)
    numbers = ARRAY_NUMBERS[array.dtype]
    close = np.abs(array - other) <= np.abs(other) * numbers[rtol] + numbers[atol]
    close &= np.isfinite(other)
    close |= array == other
    if equal_nan:
        close |= np.isnan(array) & np.isnan(other)
    return close


def full(value, shape, dtype):
    """Returns an array filled with a number, which must be in the dtype's range."""
    array = np.empty(shape, dtype)
    value = fitting(value, dtype, array.size)
    if dtype is FLOAT32 and type(value) in (float, int) or is_bfloat16(dtype):
        xp.fill(array, value)
    else:
        np.copyto(array, value, casting="unsafe")
    return array


@primitive
def fill(array, value) -> None:
    """Fills an array; bfloat16, which NumPy fills one element at a time, as 16-bit words."""
    if is_bfloat16(array.dtype):
        array.view(np.uint16).fill(np.asarray(value).astype(array.dtype).view(np.uint16))
    else:
        array.fill(value)


def is_bfloat16(dtype) -> bool:
    return dtype.kind == "V" and dtype.itemsize == 2


# ---- rounding

FLOAT16 = np.dtype(np.float16)
FLOAT8_FINITE = np.dtype(ml_dtypes.float8_e4m3fn)


def to_float16(array):
    """Converts to float16 through float32, as PyTorch does; values out of range silently become infinite."""
    token = set_errors(xp.IGNORED)
    try:
        return array.astype(np.float32, copy=False).astype(FLOAT16)
    finally:
        reset_errors(token)


def narrowed(array, dtype):
    """Converts to another dtype; in float8_e4m3fn, without infinity, values out of range become the largest."""
    if dtype is FLOAT16:
        return to_float16(array)
    if dtype is FLOAT8_FINITE:
        array = np.clip(array.astype(np.float32, copy=False), -largest(dtype), largest(dtype))
    return array.astype(dtype)


def round_to(array, decimals):
    """Rounds to a number of decimals, ties to even."""
    if decimals and array.dtype.kind in "iu":
        raise NotImplementedError(f"\"round_cpu\" not implemented for '{'Long' if array.itemsize == 8 else 'Int'}'")
    return np.round(array, decimals) if decimals or array.dtype.kind != "f" else np.rint(array, out=...)


def nan_to_num(array, nan, posinf, neginf):
    """Replaces nan and infinities: by default by 0 and the limits of the dtype."""
    if array.dtype.kind in "biu":
        return np.copy(array)
    if array.dtype.kind == "c":
        result = np.empty_like(array)
        result.real, result.imag = (nan_to_num(part, nan, posinf, neginf) for part in (array.real, array.imag))
        return result
    if array.flags.c_contiguous and np.logical_and.reduce(np.isfinite(array), axis=None):
        return array.copy()
    result = np.where(np.isnan(array), 0.0 if nan is None else nan, array)
    result = np.where(array == np.inf, largest(array.dtype) if posinf is None else posinf, result)
    result = np.where(array == -np.inf, -largest(array.dtype) if neginf is None else neginf, result)
    return result.astype(array.dtype)


# ---- exponentials


def sigmoid(array):
    """`1 / (1 + exp(-x))`, with the correct limit on overflow."""
    result = np.exp(np.negative(array), out=...)
    np.add(result, ARRAY_NUMBERS[result.dtype][1], result)
    return np.reciprocal(result, result)


def logit(array, eps):
    """`log(x / (1 - x))`, with x clipped to `eps` from 0 and 1 if that is given."""
    if eps is not None:
        array = clip(array, eps, 1 - eps)
    return np.log(array / (1 - array))


def log1p_of_complex(array):
    """`log(1 + z)`, accurate near 0, unlike NumPy's: the logarithm of the absolute value follows from its square."""
    x, y = array.real, array.imag
    near = np.abs(array) < 0.5
    square = np.where(near, x * (2 + x) + y * y, 0)
    result = np.empty_like(array)
    result.real = np.where(near, 0.5 * np.log1p(square), np.log(np.hypot(1 + x, y)))
    result.imag = np.arctan2(y, 1 + x)
    return result


def logaddexp(first, second):
    """`log(exp(first) + exp(second))`; for complex numbers, the one with the larger real part is factored out."""
    if np.result_type(first, second).kind != "c":
        return np.logaddexp(first, second)
    above = first.real >= second.real
    large, small = np.where(above, first, second), np.where(above, second, first)
    return np.where(large == small, large + math.log(2), large + log1p_of_complex(np.exp(small - large)))


def xlogy(first, second):
    """`first * log(second)`, and 0 where `first` is 0."""
    logarithm = np.log(second)
    if isinstance(second, (float, int)):
        logarithm = float(logarithm)  # a Python float, to promote like the argument
    return np.where((first == 0) & ~np.isnan(second), 0, first * logarithm)


def softplus(array, beta, threshold):
    """`log(1 + exp(beta * x)) / beta`, and `x` beyond `threshold`."""
    element(beta, array.dtype), element(threshold, array.dtype)  # raises if they are out of range
    scaled = array if beta == 1 else array * beta
    if array.size and highest(scaled) <= threshold:
        result = np.log1p(np.exp(scaled))
        return result if beta == 1 else result / beta
    return np.where(scaled > threshold, array, np.log1p(np.exp(np.minimum(scaled, threshold))) / beta)


def leaky_relu(array, slope):
    """`x` where it is positive, otherwise `slope * x`."""
    scaled_down = np.multiply(array, element(slope, array.dtype), out=...)
    if type(slope) in PLAIN and 0 < slope <= 1:  # np.maximum takes half the time of np.where
        return np.maximum(array, scaled_down, out=scaled_down)
    return np.where(array > 0, array, scaled_down)


def elu(array, alpha, scale, input_scale):
    """`scale * x` where it is not negative, otherwise `scale * alpha * (exp(input_scale * x) - 1)`."""
    dtype = array.dtype
    zero = ARRAY_NUMBERS[dtype].zero
    result = np.minimum(zero, array, out=...)
    if alpha == scale == input_scale == 1:  # the curve is nowhere below the line
        return np.maximum(np.expm1(result, result), array, out=result)
    rising, falling, within = [element(factor, dtype) for factor in (scale, alpha * scale, input_scale)]
    np.expm1(np.multiply(result, within, result), result)
    if 0 < alpha * scale < math.inf:  # adding terms that are 0 on one side is faster than choosing
        np.multiply(result, falling, result)
        return np.add(np.maximum(zero, array) * rising, result, out=result)
    straight = np.multiply(array, rising, out=...)
    return np.multiply(result, falling, out=straight, where=array < zero)


def random_factors(generator, array, low, high):
    """Draws a number from [low, high) for every element that is not positive; 1 for the other elements."""
    factors = np.ones(array.shape, array.dtype)
    falling = array <= 0
    factors[falling] = uniform(generator, (np.count_nonzero(falling),), np.float64, low, high)
    return factors


def log_sigmoid(array):
    """`log(sigmoid(x))`, computed without overflow."""
    return np.minimum(array, 0) - np.log1p(np.exp(-np.abs(array)))


# ---- scalars as elements

# The C++ type names in PyTorch's overflow errors.
NAMES = {
    "int8": "int8_t", "uint8": "uint8_t", "int16": "int16_t", "int32": "int", "int64": "int64_t",
    "uint16": "uint16_t", "uint32": "uint32_t", "uint64": "uint64_t",
    "float8_e4m3fn": "c10::Float8_e4m3fn", "float8_e5m2": "c10::Float8_e5m2",
    "float8_e4m3fnuz": "c10::Float8_e4m3fnuz", "float8_e5m2fnuz": "c10::Float8_e5m2fnuz",
    "complex32": "c10::complex<c10::Half>",
    "float16": "c10::Half", "bfloat16": "c10::BFloat16", "float32": "float", "float64": "double",
    "complex64": "c10::complex<float>", "complex128": "c10::complex<double>",
}  # fmt: skip


PLAIN, WIDE_FLOATS, SAFE = frozenset((int, float)), frozenset((np.dtype("float32"), np.dtype("float64"))), 3e38


class NumbersThatFit(NumbersOf):
    """0-d arrays of a dtype by number, in its range: PyTorch checks arguments; operands become infinite."""

    def __init__(self, dtype):
        super().__init__(dtype)
        self.largest = math.inf if self.dtype.kind in "biu" else largest(self.dtype)

    def __missing__(self, number):
        if not number and math.copysign(1, number) > 0:
            return self.zero
        if type(number) is float and self.largest < abs(number) < math.inf:
            raise overflow(self.dtype)
        return super().__missing__(number)


FITTING_NUMBERS = ArrayNumbers(NumbersThatFit)


def element(number, dtype):
    """Converts a number to a 0-d array; it may lose its fraction, but must be in the dtype's range."""
    if type(number) in PLAIN and dtype in WIDE_FLOATS:
        return FITTING_NUMBERS[dtype][number]
    dtype = np.dtype(dtype)
    if type(number) is int:
        if 0 <= number < 128:  # fits every dtype
            return ARRAY_NUMBERS[dtype][number]
        check_size(number)
    if dtype.kind not in "cbW":  # complex32 is of kind W
        if number.imag:
            raise overflow(dtype)
        number = number.real
    if dtype.kind in "iu":
        number = to_integer(number, dtype)
    elif dtype.kind in "fVcW" and any([largest(dtype) < abs(part) < math.inf for part in (number.real, number.imag)]):
        raise overflow(dtype)
    return np.asarray(number).astype(dtype)


def fitting(number, dtype, count: int = 2):
    """Returns a number to fill `count` elements of a dtype with: the number itself if it is simple, else a 0-d array.

    PyTorch fills a single element through a double, which never overflows in half precision.
    """
    if type(number) is int and 0 <= number < 128:
        return number
    if type(number) is float and (dtype is FLOAT32 or dtype is FLOAT64) and -SAFE < number < SAFE:
        return number
    if count == 1 and dtype in REDUCED_NUMPY and type(number) is not complex:
        with np.errstate(over="ignore"):
            return narrowed(element(number, np.float64), dtype)
    return element(number, dtype)


def check_size(number: int) -> None:
    """Raises OverflowError for an integer that fits neither int64 nor uint64."""
    if not -(2**63) <= number < 2**64:
        raise OverflowError("int too big to convert" if number > 0 else "can't convert negative int to unsigned")


def largest(dtype) -> float:
    """Returns the largest finite number of a floating-point dtype."""
    return float(ml_dtypes.finfo(dtype).max)


def largest_in(array) -> float:
    """Returns the largest finite number of an array's floating-point dtype."""
    return largest(array.dtype)


def to_integer(number, dtype) -> int:
    """Converts a number to an integer, without its fraction; negative integers wrap around in unsigned dtypes."""
    limits = np.iinfo(dtype)
    low = limits.min if limits.min or isinstance(number, float) else -limits.max
    if not low <= number <= limits.max:  # also true for NaN
        raise overflow(dtype)
    return int(number)


def overflow(dtype) -> RuntimeError:
    """Returns the error for a number that a dtype cannot hold."""
    return RuntimeError(f"value cannot be converted to type {NAMES.get(dtype.name, dtype.name)} without overflow")


# ---- complex numbers


def from_parts(real, imag):
    """`real + i * imag`; in half precision as pairs, because NumPy has no parts of complex32."""
    if real.dtype == FLOAT16:
        pairs = np.stack(np.broadcast_arrays(real, imag), -1)
        return pairs.view(complex32.numpy)[..., 0]
    result = np.empty(np.broadcast_shapes(np.shape(real), np.shape(imag)), np.result_type(real, np.complex64))
    result.real, result.imag = real, imag
    return result


def angle(array):
    """The angle of complex numbers; for real ones pi below zero, else 0."""
    if array.dtype.kind == "c":
        return np.angle(array)
    zero = np.zeros((), array.dtype)
    return np.where(np.isnan(array), array, np.where(array < zero, np.asarray(np.pi, array.dtype), zero))


def polar(radius, angle):
    """Complex numbers from absolute values and angles."""
    return from_parts(radius * np.cos(angle), radius * np.sin(angle))
