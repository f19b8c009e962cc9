"""Uniform numbers, integers, permutations, Bernoulli numbers."""

import math
from functools import cache, lru_cache

import numpy as np
from numpy import float32, float64, int64, uint32, uint64

from rushlight.arrays.mt19937.numbers import (
    DIGITS,
    FEW,
    FLOAT32,
    FLOAT64,
    LARGEST_UNIT,
    MODERATE,
    PIECE,
    cast,
    complex_of,
    doubles,
    floats,
    multiply_add,
    whole_of,
    wide,
    wide_unit,
)
from rushlight.arrays.reduce import highest, is_between
from rushlight.core.dtype import BY_NUMPY, C_NAMES, SCALAR_NAMES
from rushlight.core.errors import noted
from rushlight.core.numbers import ARRAY_NUMBERS
from rushlight.core.tables import primitive, xp

INT64 = np.dtype(int64)
UNSIGNED_32, UNSIGNED_64, WHOLE = (ARRAY_NUMBERS[np.dtype(kind)] for kind in (uint32, uint64, int64))

# NumPy divides with vector instructions, but takes remainders one by one: faster only for few words.
FEW_REMAINDERS = 256


def uniform(generator, shape, dtype, low=0.0, high=1.0):
    """Draws numbers in [low, high); for complex ones, both parts.

    float32 and half precision use the low 24 bits of a word, float64 the low 53 of a pair. To the bit for [0, 1), for
    other intervals to the bit with fused multiply-add.

    >>> from rushlight.core.generator import Generator
    >>> uniform(Generator().manual_seed(0), (3,), float32)
    array([0.4962566 , 0.7682218 , 0.08847743], dtype=float32)
    """
    standard = low == 0 and high == 1
    if dtype is FLOAT32:
        count = math.prod(shape)
        return cast(floats(generator, count) if standard else xp.uniforms_32(generator, count, low, high), dtype, shape)
    dtype = np.dtype(dtype)
    if dtype.kind in "cW":  # W is NumPy's kind of complex32
        return complex_of(uniform, generator, shape, dtype, low, high)
    if dtype is not FLOAT64:
        numbers = xp.uniforms_32(generator, math.prod(shape), low, high)
    else:
        numbers = doubles(generator, math.prod(shape))
        if not standard:
            numbers = multiply_add(numbers, float64(high) - float64(low), float64(low))
    numbers = cast(numbers, dtype, shape)
    if dtype.itemsize < 4 or dtype is FLOAT64 and not standard:
        keep_below(numbers, dtype.type(high), dtype.type(low))
    return numbers


@primitive
def uniforms_32(generator, count, low, high):
    """Draws `count` float32 numbers from `low` to `high`."""
    if low == 0 and high == 1:
        return floats(generator, count)
    span, start, high, low, is_below = _interval_32(low, high)
    if 0 < count < FEW and is_below:
        numbers = generator.derived(wide_unit, count) * span
        numbers += start
        return numbers.astype(FLOAT32)
    numbers = multiply_add(floats(generator, count), high - low, low)
    if not is_below:
        keep_below(numbers, high, low)
    return numbers


@lru_cache
def _interval_32(low, high):
    """Returns the length and the start of an interval as 0-d float64 arrays, its ends as float32, and whether they are
    moderate and no drawn number is rounded up to the end.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        low, high = float32(low), float32(high)
        span, start = float64(high - low), float64(low)
        is_below = float32(span * LARGEST_UNIT + start) < high
    is_below = bool(is_below and span < MODERATE and abs(start) < MODERATE)
    return np.array(span), np.array(start), high, low, is_below


def keep_below(numbers, high, low):
    """Replaces numbers that were rounded up to the excluded end of the interval by its start."""
    if numbers.size and highest(numbers) >= high:
        numbers[numbers == high] = low


def integers(generator, shape, dtype, low, high):
    """Draws integers in [low, high), to the bit; ends are moved to numbers that a floating-point dtype holds.

    A range of 2**28 and more takes a pair of words per number, a smaller one a single word; the range 2**64 takes the
    bits unchanged. Raises RuntimeError if a floating-point dtype has no number in the range, or an end is beyond
    `dtype`.

    >>> from rushlight.core.generator import Generator
    >>> integers(Generator().manual_seed(0), (5,), int64, 0, 10)
    array([4, 9, 3, 0, 3])
    """
    dtype = np.dtype(dtype)
    if high - low == 1 << 64:
        check_full(dtype, "cpu")
        return cast(generator.words64(math.prod(shape)).view(int64), dtype, shape)
    low, high = checked_ends(dtype, low, high)
    if dtype is INT64 and high - low < 1 << 28 and 0 < (count := math.prod(shape)) < FEW_REMAINDERS:
        rest = generator.derived(wide, count) % WHOLE[high - low]
        if low:
            rest += WHOLE[low]
        return rest if len(shape) == 1 else rest.reshape(shape)
    if high - low >= 1 << 28:
        return _remainders(generator, generator.words64, UNSIGNED_64[high - low], low, dtype, shape)
    return _remainders(generator, generator.words32, UNSIGNED_32[high - low], low, dtype, shape)


def check_full(dtype, place: str) -> None:
    """Raises PyTorch's error for dtypes with fewer than 64 bits."""
    kernel = f"random_full_64_bits_range_kernel_{place}"
    if dtype in (np.bool_, np.float16):
        raise NotImplementedError(f"\"{kernel}\" not implemented for '{SCALAR_NAMES[BY_NUMPY[dtype]]}'")
    if dtype.kind in "iu" and dtype != int64:
        raise RuntimeError(f"{kernel} handles only int64, double, float and bfloat16")


def checked_ends(dtype, low: int, high: int) -> tuple[int, int]:
    """Returns the ends of a range of integers, moved inwards to those that a floating-point dtype holds.

    Raises RuntimeError if the smallest or the largest possible number does not fit the dtype.
    """
    least, most = _ends(dtype)
    if least <= low and high - 1 <= most:
        return _within(dtype, low, high) if dtype in DIGITS else (low, high)
    for name, value in (("from", low), ("to - 1", high - 1)):
        if not least <= value <= most:
            raise RuntimeError(f"{name} is out of bounds for {C_NAMES[BY_NUMPY[dtype]]}")
    raise AssertionError("one of the ends does not fit")


@cache
def _ends(dtype) -> tuple[float, float]:
    """Returns the smallest and the largest integer of a dtype; infinite for most floating-point dtypes."""
    if dtype == np.bool_:
        return 0, 1
    if dtype in DIGITS and dtype != np.float16:
        return -math.inf, math.inf
    held = np.finfo(dtype) if dtype == np.float16 else np.iinfo(dtype)
    return int(held.min), int(held.max)


def all_integers(generator, shape, dtype):
    """Draws integers from 0 to the largest of `dtype`, like `random_()` without arguments, to the bit.

    A floating-point dtype gets 0 to 2 ** its digits, inclusive. int64 and float64 take a pair of words per number,
    every other dtype one word.

    >>> from rushlight.core.generator import Generator
    >>> all_integers(Generator().manual_seed(0), (4,), np.uint8)
    array([172,  47, 117, 192], dtype=uint8)
    """
    dtype = np.dtype(dtype)
    choices = above_all(dtype)
    if dtype in (int64, float64):
        return _remainders(generator, generator.words64, UNSIGNED_64[choices], 0, dtype, shape)
    return _remainders(generator, generator.words32, UNSIGNED_32[choices], 0, dtype, shape)


def above_all(dtype) -> int:
    """Returns the first integer above those that `all_integers` draws."""
    if dtype in DIGITS:
        return (1 << DIGITS[dtype]) + 1
    return 2 if dtype.kind == "b" else int(np.iinfo(dtype).max) + 1


def _within(dtype, low, high):
    """Moves `low` and `high` inwards to integers that are not rounded out of [low, high) in `dtype`."""
    above, below = int(dtype.type(low + 1)), int(dtype.type(high - 1))
    if above < low:
        low = above + (1 << (abs(low + 1).bit_length() - DIGITS[dtype]))
    if below >= high:
        high = below - (1 << (abs(high - 1).bit_length() - DIGITS[dtype]))
    if low >= high:
        raise RuntimeError(
            "random_ expects 'from' casted to dtype to be less than 'to' casted to dtype, but got "
            f"from={low} >= to={high}"
        )
    return low, high


def _remainders(generator, draw, divisor, low, dtype, shape):
    """Returns the words of `draw` modulo `divisor`, plus `low`."""
    count = math.prod(shape)
    float_dtype = float32 if dtype in DIGITS and dtype.itemsize == 2 else dtype
    if count <= PIECE:
        return cast(_rest(draw(count), divisor, low).astype(float_dtype, copy=False), dtype, shape)
    result = np.empty(count, float_dtype)
    with generator.lock:
        for start in range(0, count, PIECE):
            stop = min(start + PIECE, count)
            result[start:stop] = _rest(draw(stop - start), divisor, low)
    return cast(result, dtype, shape)


def _rest(words, divisor, low):
    rest = words % divisor if len(words) < FEW_REMAINDERS else words - words // divisor * divisor
    return rest if low == 0 else rest.astype(int64) + int64(low)


# ---- permutations


# From here on, a word has too few values for an even choice of a position, and PyTorch uses pairs.
MANY_PLACES = 0xFFFFFFFF // 20
# Up to here a loop in Python is faster than sorting.
FEW_PLACES = 400
STEPS = np.arange(FEW_PLACES, dtype=uint32)


def permutation(generator, count, dtype=int64):
    """Returns the numbers from 0 to count - 1 in random order, to the bit.

    Below 2**32 / 20 numbers, the Fisher-Yates shuffle (1938) from the front, with one word per step; from there on the
    inside-out form, with a pair of words per step.

    >>> from rushlight.core.generator import Generator
    >>> permutation(Generator().manual_seed(0), 6)
    array([2, 5, 3, 0, 1, 4])
    """
    if count >= MANY_PLACES:
        return cast(_inside_out(generator, count), np.dtype(dtype), (count,))
    return cast(xp.shuffled(generator, count), np.dtype(dtype), (count,))


@primitive
def shuffled(generator, count):
    """Shuffles 0 to count - 1: swaps each in turn with itself or a later one."""
    if count <= FEW_PLACES:
        steps, left = _few_steps(count)
        return _traded_in_turn(generator.words32(len(steps)) % left + steps, count)
    steps = np.arange(count - 1, dtype=uint32)
    return _traded(generator.words32(len(steps)) % (uint32(count) - steps) + steps, count)


@lru_cache(maxsize=64)
def _few_steps(count):
    """Returns the step numbers of a shuffle, and the number of choices of each step."""
    steps = STEPS[: max(count - 1, 0)]
    return steps, uint32(count) - steps


def _traded_in_turn(targets, count):
    """Returns 0, 1, ... after swapping, for every step i in turn, the values at positions i and targets[i] >= i."""
    values = list(range(count))
    for step, target in enumerate(targets.tolist()):
        values[step], values[target] = values[target], values[step]
    return np.fromiter(values, int64, count)


def _traded(targets, count):
    """Returns the same as `_traded_in_turn`, for all steps at once.

    The value at position k was left there by the last step m < k with targets[m] == k: it is the value that position m
    had just before. Every value is found by following such steps back.
    """
    positions = np.arange(count)
    targets = np.append(targets.astype(int64), count - 1)
    order = np.sort(targets << 32 | positions)
    target, step = order >> 32, order & 0xFFFFFFFF
    again = np.flatnonzero(target[1:] == target[:-1])
    previous = np.full(count, -1)  # the last earlier step with the same target
    previous[step[again + 1]] = step[again]

    held = positions.copy()  # initially the step that left its value at each position, finally that value
    held[targets] = positions
    stays = np.flatnonzero(targets == positions)
    held[stays] = np.where(previous[stays] < 0, stays, previous[stays])
    while not np.array_equal(further := held[held], held):
        held = further
    return np.where(previous < 0, targets, held[previous])


def _inside_out(generator, count):
    result = np.empty(count, int64)
    values = memoryview(result)
    with generator.lock:
        for start in range(0, count, PIECE):
            sizes = np.arange(start + 1, min(start + PIECE, count) + 1, dtype=uint64)
            targets = generator.words64(len(sizes)) % sizes
            for step, target in enumerate(targets.tolist(), start):
                values[step] = step
                values[step], values[target] = values[target], step
    return result


# ---- Bernoulli


def bernoulli(generator, shape, dtype, probability):
    """Draws 1 with the given probability, else 0, to the bit.

    One probability for all takes a pair of words per element. An array, broadcast to `shape`, takes a pair if it is
    float64 and one word for other floating-point dtypes. Raises RuntimeError if an element of the array is no
    probability.

    PyTorch 2.13's wheels for the CPU contain no random streams of MKL: its own kernel runs on every processor.

    >>> from rushlight.core.generator import Generator
    >>> bernoulli(Generator().manual_seed(0), (6,), float32, 0.5)
    array([0., 0., 1., 0., 0., 0.], dtype=float32)
    """
    if isinstance(probability, np.ndarray):
        probabilities = probability if probability.shape == shape else np.broadcast_to(probability, shape)
        return _bernoulli_each(generator, dtype, probabilities)
    count = math.prod(shape)
    # u < p for u = k * 2**-53, without computing u.
    bound = WHOLE[math.ceil(math.ldexp(probability, 53))]
    cached = generator.derived(whole_of, 2 * count, 2, 2) if 0 < count < FEW else None
    if cached is not None:
        return (cached < bound).astype(dtype).reshape(shape)
    result = np.empty(count, dtype)
    with generator.lock:
        for start in range(0, count, PIECE):
            stop = min(start + PIECE, count)
            result[start:stop] = whole_of(generator.words32(2 * (stop - start))) < bound
    return result.reshape(shape)


def checked_probabilities(probability):
    """Returns an array. Raises RuntimeError unless its elements are probabilities."""
    if probability.size and not is_between(probability, 0, 1):
        raise noted(
            RuntimeError(
                "Expected p_in >= 0 && p_in <= 1 to be true, but got false.  (Could this error message be improved?  "
                "If so, please report an enhancement request to PyTorch.)"
            ),
            "Every element of the input is a probability, from 0 to 1 and not NaN.",
        )
    return probability


def _bernoulli_each(generator, dtype, probability):
    checked_probabilities(probability)
    draw = doubles if probability.dtype is FLOAT64 else floats
    drawn = draw(generator, probability.size) < probability.reshape(-1)
    return drawn.astype(dtype).reshape(probability.shape)


def dropout_mask(generator, shape, dtype, probability):
    """Draws the factors of dropout: 0 with the given probability, else 1 / (1 - probability), to the bit.

    >>> from rushlight.core.generator import Generator
    >>> dropout_mask(Generator().manual_seed(0), (6,), float32, 0.5)
    array([0., 0., 2., 0., 0., 0.], dtype=float32)
    """
    dtype = np.dtype(dtype)
    keep = 1.0 - probability
    mask = bernoulli(generator, shape, dtype, keep)
    if keep:
        wide = float64 if dtype == float64 else float32
        mask *= (wide(1) / wide(keep)).astype(dtype)
    return mask


def channel_mask(generator, shape, dtype, probability):
    """Draws the factors of dropout of whole channels: the same as for single elements."""
    return dropout_mask(generator, shape, dtype, probability)
