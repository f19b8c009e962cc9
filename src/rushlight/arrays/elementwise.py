"""Element by element, what NumPy has no function for, or does by other rules than PyTorch."""

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
    """`factor * array`, the factor of a sum; one that the array's dtype cannot take is refused in PyTorch's words."""
    if type(factor) is float and array.dtype in WIDE_FLOATS:
        return np.multiply(array, FITTING_NUMBERS[array.dtype][factor])
    kind = array.dtype.kind
    if isinstance(factor, complex) and kind != "c":
        raise RuntimeError("For non-complex input tensors, argument alpha must not be a complex number.")
    if isinstance(factor, float) and kind in "biu":
        raise RuntimeError("For integral input tensors, argument alpha must not be a floating point number.")
    if isinstance(factor, bool) and kind != "b":
        raise RuntimeError("Boolean alpha only supported for Boolean results.")
    if type(factor) is int and not -(2**63) <= factor < 2**64:
        raise OverflowError("int too big to convert")
    return np.multiply(array, factor_for(array, factor))


def add_multiple(array, other, factor):
    """`array + factor * other`."""
    return np.add(array, scaled(other, factor))


def subtract_multiple(array, other, factor):
    """`array - factor * other`."""
    return np.subtract(array, scaled(other, factor))


def factor_for(array, factor):
    """A factor as the array takes it: without its fraction if the array is of whole numbers."""
    if type(factor) is float and array.dtype in WIDE_FLOATS:
        return FITTING_NUMBERS[array.dtype][factor]
    if not isinstance(factor, (int, float, complex, np.generic)):
        raise TypeError("a factor is a number")  # the general path makes one of it, or says what PyTorch says
    kind = array.dtype.kind
    must_fit = kind in "biuc" or array.dtype in WIDE_FLOATS or isinstance(factor, complex)
    return element(factor, array.dtype) if must_fit else factor


def clip_to_numbers(array, low, high):
    """The elements kept between two numbers, either of which may be None."""
    if array.dtype.kind in "iu":
        low, high = (None if each is None else element(each, array.dtype) for each in (low, high))
    elif array.dtype.kind == "f" and type(low) in BOUNDS and type(high) in BOUNDS:
        numbers = (FITTING_NUMBERS if array.dtype in WIDE_FLOATS else ARRAY_NUMBERS)[array.dtype]
        low, high = None if low is None else numbers[low], None if high is None else numbers[high]
    return clip(array, low, high)


BOUNDS = frozenset((int, float, type(None)))


def clip(array, low, high, out=None):
    """The elements kept between bounds that may be None; where they cross, the upper one wins."""
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
    """Keeps the elements of an array between two numbers of its dtype, in place."""
    clip(array, low, high, array)


def power(base, exponent):
    """`base ** exponent`; among whole numbers a negative power is rounded towards 0."""
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
        if base.dtype.kind not in "iu":  # shapes that do not fit
            raise
        inverse = np.where(base == 1, 1, np.where(base == -1, 1 - 2 * (exponent % 2), 0))
        return np.where(exponent < 0, inverse, base ** np.maximum(exponent, 0)).astype(np.result_type(base, exponent))


def power_of_floats(base, exponent):
    """A power of floats, as PyTorch a product where it is a short one; NumPy takes 100 times as long below zero."""
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
    """The quotient rounded down."""
    refuse_zero(numerator, denominator)
    return np.floor_divide(numerator, denominator)


def truncated_divide(numerator, denominator):
    """The quotient rounded towards zero."""
    refuse_zero(numerator, denominator)
    if {np.asarray(each).dtype.kind for each in (numerator, denominator)} - {*"biu"}:
        return np.trunc(np.divide(numerator, denominator))
    quotient, rest = np.divmod(numerator, denominator)
    return quotient + ((rest != 0) & ((numerator < 0) != (denominator < 0)))


def remainder(numerator, denominator):
    """What is left of `floor_divide`: it has the sign of the denominator."""
    refuse_zero(numerator, denominator)
    return np.remainder(numerator, denominator)


def fmod(numerator, denominator):
    """What is left of `truncated_divide`: it has the sign of the numerator."""
    refuse_zero(numerator, denominator)
    return np.fmod(numerator, denominator)


def refuse_zero(numerator, denominator) -> None:
    """Division of whole numbers by zero has no result, unless there is nothing to divide."""
    denominator = np.asarray(denominator)
    if denominator.dtype.kind in "iu" and not (denominator.all() if denominator.ndim else denominator):
        if isinstance(numerator, np.ndarray) and not numerator.size:
            return
        raise RuntimeError("ZeroDivisionError")


def sign(array):
    """-1, 0 or 1, and 0 for nan; for a complex number its direction."""
    if array.dtype.kind == "b":
        return np.copy(array)
    found = np.sign(array, out=...)
    if array.dtype.kind == "f":
        found[np.isnan(found)] = 0
    return found


def lerp(start, end, weight):
    """The point `weight` of the way from `start` to `end`, computed from the nearer of the two."""
    way = end - start
    if isinstance(weight, (int, float, complex)):
        return start + weight * way if abs(weight) < 0.5 else end - way * (1 - weight)
    if type(weight) is np.ndarray and not weight.ndim:  # nor is what is not chosen computed
        return start + weight * way if abs(weight.item()) < 0.5 else end - way * (1 - weight)
    is_far = np.abs(weight) >= 0.5
    return np.where(is_far, end, start) + (weight - is_far) * way


AHEAD, BEHIND = np.array([1, 2, 0]), np.array([2, 0, 1])


def cross(one, two, axis):
    """The cross products of vectors of three elements along an axis; of few, all elements are turned at a time.

    >>> cross(np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0, 0.0]), 0)
    array([0., 0., 1.])
    """
    if one.size < MEDIUM > two.size:
        found = one.take(AHEAD, axis) * two.take(BEHIND, axis)
        found -= one.take(BEHIND, axis) * two.take(AHEAD, axis)
        return found
    places = [(slice(None),) * axis + (place, ...) for place in range(3)]
    first, second = ([each[place] for place in places] for each in (one, two))
    found = np.empty(np.broadcast_shapes(one.shape, two.shape), one.dtype)
    for place, i, j in zip(places, AHEAD.tolist(), BEHIND.tolist(), strict=True):
        np.subtract(first[i] * second[j], first[j] * second[i], found[place])
    return found


def heaviside(array, values):
    """0 below zero, 1 above, `values` at zero; nan is not above."""
    return np.where(array == 0, values, array > 0)


def ldexp(mantissa, exponent):
    """`mantissa * 2 ** exponent`."""
    return mantissa * np.exp2(exponent)


def isclose(array, other, rtol, atol, equal_nan):
    """Whether `|array - other| <= atol + rtol * |other|`; what is infinite is close to itself.

    By steps of its own for floats, which of a few take a third of the time of NumPy's function.
    """
    if not array.dtype is other.dtype in (FLOAT32, FLOAT64):
        return np.isclose(array, other, rtol, atol, equal_nan)
    numbers = ARRAY_NUMBERS[array.dtype]
    found = np.abs(array - other) <= np.abs(other) * numbers[rtol] + numbers[atol]
    found &= np.isfinite(other)
    found |= array == other
    if equal_nan:
        found |= np.isnan(array) & np.isnan(other)
    return found


def full(value, shape, kind):
    """An array full of a number, which has to be within the dtype's range."""
    array = np.empty(shape, kind)
    value = fitting(value, kind, array.size)
    if kind is FLOAT32 and type(value) in (float, int) or is_bfloat16(kind):
        xp.fill(array, value)
    else:
        np.copyto(array, value, casting="unsafe")
    return array


@primitive
def fill(array, value) -> None:
    """Writes a number to every element; of bfloat16, which NumPy copies one by one, as the word that it is."""
    if is_bfloat16(array.dtype):
        array.view(np.uint16).fill(np.asarray(value).astype(array.dtype).view(np.uint16))
    else:
        array.fill(value)


def is_bfloat16(kind) -> bool:
    return kind.kind == "V" and kind.itemsize == 2


# ---- rounding

FLOAT16 = np.dtype(np.float16)
FLOAT8_FINITE = np.dtype(ml_dtypes.float8_e4m3fn)


def halved(array):
    """A copy in float16, by way of float32 as in PyTorch; what is too large becomes infinite without a word."""
    token = set_errors(xp.IGNORED)
    try:
        return array.astype(np.float32, copy=False).astype(FLOAT16)
    finally:
        reset_errors(token)


def narrowed(array, kind):
    """A copy in another dtype. Beyond float8_e4m3fn, which has no infinity, a number becomes the largest one."""
    if kind is FLOAT16:
        return halved(array)
    if kind is FLOAT8_FINITE:
        array = np.clip(array.astype(np.float32, copy=False), -largest(kind), largest(kind))
    return array.astype(kind)


def round_to(array, decimals):
    """Rounded to the nearest number with so many decimals, the even one of two that are equally near."""
    if decimals and array.dtype.kind in "iu":
        raise NotImplementedError(f"\"round_cpu\" not implemented for '{'Long' if array.itemsize == 8 else 'Int'}'")
    return np.round(array, decimals) if decimals or array.dtype.kind != "f" else np.rint(array, out=...)


def nan_to_num(array, nan, posinf, neginf):
    """The array with numbers in the place of what is not finite: by default 0 and the limits of the dtype."""
    if array.dtype.kind in "biu":
        return np.copy(array)
    if array.dtype.kind == "c":
        found = np.empty_like(array)
        found.real, found.imag = (nan_to_num(part, nan, posinf, neginf) for part in (array.real, array.imag))
        return found
    if array.flags.c_contiguous and np.logical_and.reduce(np.isfinite(array), axis=None):
        return array.copy()
    found = np.where(np.isnan(array), 0.0 if nan is None else nan, array)
    found = np.where(array == np.inf, largest(array.dtype) if posinf is None else posinf, found)
    found = np.where(array == -np.inf, -largest(array.dtype) if neginf is None else neginf, found)
    return found.astype(array.dtype)


# ---- exponentials


def sigmoid(array):
    """`1 / (1 + exp(-x))`, which overflows to the right limit."""
    found = np.exp(np.negative(array), out=...)
    np.add(found, ARRAY_NUMBERS[found.dtype][1], found)
    return np.reciprocal(found, found)


def logit(array, eps):
    """`log(x / (1 - x))`, of x kept `eps` away from 0 and 1 if that is given."""
    if eps is not None:
        array = clip(array, eps, 1 - eps)
    return np.log(array / (1 - array))


def log1p_of_complex(array):
    """`log(1 + z)`, exact near 0, as NumPy's is not: the logarithm of the absolute value follows from its square."""
    x, y = array.real, array.imag
    near = np.abs(array) < 0.5
    square = np.where(near, x * (2 + x) + y * y, 0)
    found = np.empty_like(array)
    found.real = np.where(near, 0.5 * np.log1p(square), np.log(np.hypot(1 + x, y)))
    found.imag = np.arctan2(y, 1 + x)
    return found


def logaddexp(first, second):
    """`log(exp(first) + exp(second))`; of complex numbers the one with the larger real part is taken out."""
    if np.result_type(first, second).kind != "c":
        return np.logaddexp(first, second)
    above = first.real >= second.real
    large, small = np.where(above, first, second), np.where(above, second, first)
    return np.where(large == small, large + math.log(2), large + log1p_of_complex(np.exp(small - large)))


def xlogy(first, second):
    """`first * log(second)`, and 0 where `first` is."""
    logarithm = np.log(second)
    if isinstance(second, (float, int)):
        logarithm = float(logarithm)  # as weak as the number that it is of
    return np.where((first == 0) & ~np.isnan(second), 0, first * logarithm)


def softplus(array, beta, threshold):
    """`log(1 + exp(beta * x)) / beta`; beyond `threshold` the line that it has become."""
    element(beta, array.dtype), element(threshold, array.dtype)  # which refuse what is beyond the dtype
    scaled = array if beta == 1 else array * beta
    if array.size and highest(scaled) <= threshold:
        found = np.log1p(np.exp(scaled))
        return found if beta == 1 else found / beta
    return np.where(scaled > threshold, array, np.log1p(np.exp(np.minimum(scaled, threshold))) / beta)


def leaky_relu(array, slope):
    """`x` where it is positive, otherwise `slope * x`."""
    falling = np.multiply(array, element(slope, array.dtype), out=...)
    if type(slope) in PLAIN and 0 < slope <= 1:  # NumPy finds the larger one in half the time that a choice takes
        return np.maximum(array, falling, out=falling)
    return np.where(array > 0, array, falling)


def elu(array, alpha, scale, input_scale):
    """`scale * x` where it is not negative, otherwise `scale * alpha * (exp(input_scale * x) - 1)`."""
    kind = array.dtype
    zero = ARRAY_NUMBERS[kind].zero
    found = np.minimum(zero, array, out=...)
    if alpha == scale == input_scale == 1:  # a curve that lies nowhere below the line
        return np.maximum(np.expm1(found, found), array, out=found)
    rising, falling, within = [element(each, kind) for each in (scale, alpha * scale, input_scale)]
    np.expm1(np.multiply(found, within, found), found)
    if 0 < alpha * scale < math.inf:  # to add what is 0 on either side takes less than to choose
        np.multiply(found, falling, found)
        return np.add(np.maximum(zero, array) * rising, found, out=found)
    straight = np.multiply(array, rising, out=...)
    return np.multiply(found, falling, out=straight, where=array < zero)


def random_slopes(generator, array, low, high):
    """A number drawn from [low, high) for every element that is not positive, 1 for the others."""
    slopes = np.ones(array.shape, array.dtype)
    falling = array <= 0
    slopes[falling] = uniform(generator, (np.count_nonzero(falling),), np.float64, low, high)
    return slopes


def log_sigmoid(array):
    """`log(sigmoid(x))`, from the side on which nothing overflows."""
    return np.minimum(array, 0) - np.log1p(np.exp(-np.abs(array)))


# ---- numbers as elements

# The names of C++ types, which PyTorch's message of overflow uses.
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
    """0-d arrays of a dtype by number, within its range: PyTorch wants arguments so, while operands become infinite."""

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
    """A number as an array without dimensions; it may lose its fraction, but has to be within the dtype's range."""
    if type(number) in PLAIN and dtype in WIDE_FLOATS:
        return FITTING_NUMBERS[dtype][number]
    dtype = np.dtype(dtype)
    if type(number) is int:
        if 0 <= number < 128:  # which every dtype holds
            return ARRAY_NUMBERS[dtype][number]
        check_size(number)
    if dtype.kind not in "cbW":  # ml_dtypes has W for complex32
        if number.imag:
            raise overflow(dtype)
        number = number.real
    if dtype.kind in "iu":
        number = whole(number, dtype)
    elif dtype.kind in "fVcW" and any([largest(dtype) < abs(part) < math.inf for part in (number.real, number.imag)]):
        raise overflow(dtype)
    return np.asarray(number).astype(dtype)


def fitting(number, dtype, count: int = 2):
    """A number that so many elements of a dtype can be filled with: itself where that is plain, or else as an element.

    PyTorch fills a single element by way of a double, and for small floats that is never too large.
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
    """Raises OverflowError for a whole number that neither a signed nor an unsigned 64-bit integer holds."""
    if not -(2**63) <= number < 2**64:
        raise OverflowError("int too big to convert" if number > 0 else "can't convert negative int to unsigned")


def largest(dtype) -> float:
    """The largest finite number of a floating-point dtype."""
    return float(ml_dtypes.finfo(dtype).max)


def largest_in(array) -> float:
    """The largest finite number that an array of floats can hold."""
    return largest(array.dtype)


def whole(number, dtype) -> int:
    """A number without its fraction; whole ones below 0 wrap around in unsigned dtypes."""
    limits = np.iinfo(dtype)
    low = limits.min if limits.min or isinstance(number, float) else -limits.max
    if not low <= number <= limits.max:  # nor is NaN
        raise overflow(dtype)
    return int(number)


def overflow(dtype) -> RuntimeError:
    """A number that a dtype cannot hold."""
    return RuntimeError(f"value cannot be converted to type {NAMES.get(dtype.name, dtype.name)} without overflow")


# ---- complex numbers


def from_parts(real, imag):
    """`real + i * imag`; in half precision two numbers beside each other, for NumPy has no parts of those."""
    if real.dtype == FLOAT16:
        pairs = np.stack(np.broadcast_arrays(real, imag), -1)
        return pairs.view(complex32.numpy)[..., 0]
    found = np.empty(np.broadcast_shapes(np.shape(real), np.shape(imag)), np.result_type(real, np.complex64))
    found.real, found.imag = real, imag
    return found


def angle(array):
    """The angle of complex numbers; of real ones pi below zero, else 0."""
    if array.dtype.kind == "c":
        return np.angle(array)
    zero = np.zeros((), array.dtype)
    return np.where(np.isnan(array), array, np.where(array < zero, np.asarray(np.pi, array.dtype), zero))


def polar(radius, angle):
    """The complex numbers of those absolute values and angles."""
    return from_parts(radius * np.cos(angle), radius * np.sin(angle))
