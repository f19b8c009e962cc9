"""Random arrays from a stream of 32-bit words, number for number as PyTorch's CPU kernels make them.

Every function takes the stream (a `rushlight.core.generator.Generator`), the shape (a tuple) and the NumPy dtype, uses
up exactly the words that PyTorch 2.13 would, and returns a fresh C-contiguous array. What is said of exactness below:

- *to the bit*: the same bits as PyTorch on every machine. The float64 logarithms, exponentials, sines, cosines and
  tangents in it come from the C library, here as there;
- *to the bit with fused multiply-add*: the same bits as PyTorch wherever its kernels run with AVX2 or AVX-512, which
  round `a * b + c` once. On other processors it rounds twice, and differs in the last place.

The conversions are those of the headers that ship with PyTorch: ATen/core/TransformationHelper.h and
DistributionsHelper.h (words to numbers), ATen/native/cpu/DistributionTemplates.h and ATen/native/Distributions.h (which
words a kernel uses).
"""

import math

import ml_dtypes
import numpy as np
from numpy import float16, float32, float64, int32, int64, uint32, uint64

# Significant bits of the floating dtypes, the leading one included.
DIGITS = {np.dtype(float16): 11, np.dtype(ml_dtypes.bfloat16): 8, np.dtype(float32): 24, np.dtype(float64): 53}
MASK_24, MASK_53 = uint32((1 << 24) - 1), uint64((1 << 53) - 1)
STEP_24, STEP_53 = float32(2.0**-24), 2.0**-53
# Words are turned into numbers in pieces that stay in a core's second-level cache, whole groups of 16.
PIECE = 1 << 15


# Uniform and integer numbers ------------------------------------------------------------------------------------------


def uniform(generator, shape, dtype, low=0.0, high=1.0):
    """Numbers in [low, high); the complex ones have both parts there.

    float32 and the halves take the low 24 bits of a word, float64 the low 53 of a pair. To the bit for [0, 1), for
    other ends to the bit with fused multiply-add.

    >>> from rushlight.core.generator import Generator
    >>> uniform(Generator().manual_seed(0), (3,), float32)
    array([0.4962566 , 0.7682218 , 0.08847743], dtype=float32)
    """
    dtype = np.dtype(dtype)
    if dtype.kind == "c":
        return _complex(uniform, generator, shape, dtype, low, high)
    double = dtype == float64
    numbers = (_doubles if double else _floats)(generator, math.prod(shape))
    standard = low == 0 and high == 1
    if not standard:
        low, high = (float64(low), float64(high)) if double else (float32(low), float32(high))
        numbers = _multiply_add(numbers, high - low, low)
    numbers = _cast(numbers, dtype, shape)
    if not standard or dtype.itemsize < 4:
        # Rounding may have reached the end of the interval, which does not belong to it.
        numbers[numbers == dtype.type(high)] = dtype.type(low)
    return numbers


def integers(generator, shape, dtype, low, high):
    """Whole numbers in [low, high), to the bit; for a floating dtype the ends are moved to numbers that it can hold.

    A range of 2**28 and more takes a pair of words per number, a smaller one a single word; the range 2**64 takes the
    bits as they are. Raises RuntimeError if a floating dtype has no number in the range.

    >>> from rushlight.core.generator import Generator
    >>> integers(Generator().manual_seed(0), (5,), int64, 0, 10)
    array([4, 9, 3, 0, 3])
    """
    dtype = np.dtype(dtype)
    if high - low == 1 << 64:
        return _cast(generator.words64(math.prod(shape)).view(int64), dtype, shape)
    if dtype in DIGITS:
        low, high = _within(dtype, low, high)
    if high - low >= 1 << 28:
        return _remainders(generator, generator.words64, uint64(high - low), low, dtype, shape)
    return _remainders(generator, generator.words32, uint32(high - low), low, dtype, shape)


def all_integers(generator, shape, dtype):
    """Whole numbers from 0 to the largest of `dtype`, as `random_()` without arguments gives them, to the bit.

    A floating dtype gets 0 to 2 ** its digits, that number included. int64 and float64 take a pair of words per number,
    every other dtype one word.

    >>> from rushlight.core.generator import Generator
    >>> all_integers(Generator().manual_seed(0), (4,), np.uint8)
    array([172,  47, 117, 192], dtype=uint8)
    """
    dtype = np.dtype(dtype)
    if dtype in DIGITS:
        choices = (1 << DIGITS[dtype]) + 1
    else:
        choices = 2 if dtype.kind == "b" else int(np.iinfo(dtype).max) + 1
    if dtype in (int64, float64):
        return _remainders(generator, generator.words64, uint64(choices), 0, dtype, shape)
    return _remainders(generator, generator.words32, uint32(choices), 0, dtype, shape)


def _within(dtype, low, high):
    """`low` and `high` moved inwards to whole numbers that are not rounded out of [low, high) in `dtype`."""
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
    """The words that `draw` gives, modulo `divisor`, plus `low`."""
    count = math.prod(shape)
    result = np.empty(count, float32 if dtype in DIGITS and dtype.itemsize == 2 else dtype)
    with generator.lock:
        for start in range(0, count, PIECE):
            stop = min(start + PIECE, count)
            words = draw(stop - start)
            # NumPy divides by one number with vector instructions, but takes remainders one by one.
            remainders = words - words // divisor * divisor
            result[start:stop] = remainders if low == 0 else remainders.astype(int64) + int64(low)
    return _cast(result, dtype, shape)


# Permutations ---------------------------------------------------------------------------------------------------------

# From here on a word has too few values for an even choice of a place, and PyTorch takes pairs.
MANY_PLACES = 0xFFFFFFFF // 20
# Up to here a loop in Python is faster than sorting.
FEW_PLACES = 400


def permutation(generator, count, dtype=int64):
    """The numbers from 0 to count - 1 in random order, to the bit.

    Below 2**32 / 20 numbers it is the shuffle of Fisher and Yates (1938) from the front, with one word per step; from
    there on its inside-out form, with a pair of words per step.

    >>> from rushlight.core.generator import Generator
    >>> permutation(Generator().manual_seed(0), 6)
    array([2, 5, 3, 0, 1, 4])
    """
    if count >= MANY_PLACES:
        return _cast(_inside_out(generator, count), np.dtype(dtype), (count,))
    steps = np.arange(max(count - 1, 0), dtype=uint32)
    targets = generator.words32(len(steps)) % (uint32(count) - steps) + steps
    shuffled = (_traded_in_turn if count <= FEW_PLACES else _traded)(targets, count)
    return _cast(shuffled, np.dtype(dtype), (count,))


def _traded_in_turn(targets, count):
    """0, 1, ... after step i, for every i in turn, has traded the values at the places i and targets[i] >= i."""
    values = list(range(count))
    for step, target in enumerate(targets.tolist()):
        values[step], values[target] = values[target], values[step]
    return np.array(values, int64)


def _traded(targets, count):
    """The same as `_traded_in_turn`, for all steps at once.

    What stands at a place k was left there by the last step m < k with targets[m] == k: it is what place m held just
    before. Every value is found by following such steps back.
    """
    places = np.arange(count)
    targets = np.append(targets.astype(int64), count - 1)
    order = np.sort(targets << 32 | places)
    target, step = order >> 32, order & 0xFFFFFFFF
    again = np.flatnonzero(target[1:] == target[:-1])
    previous = np.full(count, -1)  # the last earlier step with the same target
    previous[step[again + 1]] = step[again]

    held = places.copy()  # at first the step that left its value at each place, in the end that value
    held[targets] = places
    stays = np.flatnonzero(targets == places)
    held[stays] = np.where(previous[stays] < 0, stays, previous[stays])
    while not np.array_equal(further := held[held], held):
        held = further
    return np.where(previous < 0, targets, held[previous])


def _inside_out(generator, count):
    result = np.empty(count, int64)
    places = memoryview(result)
    with generator.lock:
        for start in range(0, count, PIECE):
            sizes = np.arange(start + 1, min(start + PIECE, count) + 1, dtype=uint64)
            targets = generator.words64(len(sizes)) % sizes
            for step, target in enumerate(targets.tolist(), start):
                places[step] = step
                places[step], places[target] = places[target], step
    return result


# Yes or no ------------------------------------------------------------------------------------------------------------


def bernoulli(generator, shape, dtype, probability):
    """1 with the given probability, else 0, to the bit.

    One number for all takes a pair of words per element. An array, broadcast to `shape`, takes a pair if it is float64
    and one word if it has another floating dtype. Raises RuntimeError if an element of the array is no probability.

    PyTorch 2.13's wheels for the CPU contain no random streams of MKL: this is their kernel on every processor.

    >>> from rushlight.core.generator import Generator
    >>> bernoulli(Generator().manual_seed(0), (6,), float32, 0.5)
    array([0., 0., 1., 0., 0., 0.], dtype=float32)
    """
    if isinstance(probability, np.ndarray):
        return _bernoulli_each(generator, dtype, np.broadcast_to(probability, shape))
    count = math.prod(shape)
    result = np.empty(count, dtype)
    # u < p for u = k * 2**-53, without making u.
    bound = uint64(math.ceil(math.ldexp(probability, 53)))
    with generator.lock:
        for start in range(0, count, PIECE):
            stop = min(start + PIECE, count)
            words = generator.words64(stop - start)
            words &= MASK_53
            result[start:stop] = words < bound
    return result.reshape(shape)


def _bernoulli_each(generator, dtype, probability):
    if not ((probability >= 0) & (probability <= 1)).all():
        error = RuntimeError(
            "Expected p_in >= 0 && p_in <= 1 to be true, but got false.  (Could this error message be improved?  "
            "If so, please report an enhancement request to PyTorch.)"
        )
        error.add_note("Every element of the input is a probability, from 0 to 1; NaN is none.")
        raise error
    draw = _doubles if probability.dtype == float64 else _floats
    drawn = draw(generator, probability.size) < probability.reshape(-1)
    return drawn.astype(dtype).reshape(probability.shape)


def dropout_mask(generator, shape, dtype, probability):
    """What dropout multiplies by: 0 with the given probability, else 1 / (1 - probability), to the bit.

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


# Normal numbers -------------------------------------------------------------------------------------------------------


def normal(generator, shape, dtype, mean=0.0, std=1.0, in_turn=False):
    """Normal numbers by the transform of Box and Muller (1958); the complex ones have variance `std` ** 2 in all.

    Fewer than 16 numbers, or any number of them `in_turn` (as PyTorch does when it fills a tensor that is not
    contiguous), come in pairs from float64 numbers; the second of a pair is kept for the next such call. 16 and more
    come in groups of 16; if they do not come out even, the last 16 are made anew. To the bit with fused multiply-add:
    groups in float32 and halves are computed with the polynomials of PyTorch's AVX2 kernel, which AVX-512 machines use
    too; on other processors PyTorch's own numbers differ by up to 2e-6.

    >>> from rushlight.core.generator import Generator
    >>> normal(Generator().manual_seed(0), (3,), float32)
    array([ 1.5409961, -0.2934289, -2.1787894], dtype=float32)
    """
    dtype = np.dtype(dtype)
    if dtype.kind == "c":
        return _complex(normal, generator, shape, dtype, mean, std / math.sqrt(2.0), in_turn)
    count = math.prod(shape)
    if count < 16 or in_turn:
        numbers = _multiply_add(_normals_in_turn(generator, count), float64(std), float64(mean))
    elif dtype == float64:
        numbers = _in_groups(generator, count, float64, _normals_64, generator.words64)
        numbers = _multiply_add(numbers, float64(std), float64(mean))
    else:
        # PyTorch draws words for the elements behind the last whole group although it makes them anew; not for halves.
        numbers = _in_groups(generator, count, float32, _normals_32, generator.words32 if dtype == float32 else None)
        numbers = _multiply_add(numbers, float32(std), float32(mean))
    return _cast(numbers, dtype, shape)


def log_normal(generator, shape, dtype, mean=1.0, std=2.0):
    """exp of normal numbers that come in turn; float64 to the bit with fused multiply-add, others to the last place."""
    numbers = _multiply_add(_normals_in_turn(generator, math.prod(shape)), float64(std), float64(mean))
    with np.errstate(over="ignore"):
        numbers = _chosen(dtype, np.exp, _exp)(numbers)
    return _cast(numbers, np.dtype(dtype), shape)


def _normals_in_turn(generator, count):
    """Standard normal numbers, float64 (count,), in pairs; the second of one may be kept from an earlier call."""
    if count == 0:
        return np.empty(0)
    with generator.lock:
        kept = generator.next_double_normal_sample
        pairs = (count + (kept is None)) // 2
        normals = (_few_pairs if pairs < 16 else _pairs)(generator, pairs)
        if kept is not None:
            normals = np.append(kept, normals)
        generator.next_double_normal_sample = float(normals[count]) if len(normals) > count else None
    return normals[:count]


def _few_pairs(generator, count):
    normals = []
    following = iter(generator.words32(4 * count).tolist())
    for high, low, second_high, second_low in zip(following, following, following, following, strict=True):
        radius = math.sqrt(-2.0 * math.log1p(-_double_of(second_high, second_low)))
        angle = 2.0 * math.pi * _double_of(high, low)
        normals += radius * math.cos(angle), radius * math.sin(angle)
    return np.array(normals, float64)


def _pairs(generator, count):
    uniforms = _doubles(generator, 2 * count)
    radius = np.sqrt(-2.0 * _one_by_one(math.log1p)(-uniforms[1::2]))
    angle = 2.0 * math.pi * uniforms[0::2]
    normals = np.empty_like(uniforms)
    np.multiply(radius, np.cos(angle), out=normals[0::2])
    np.multiply(radius, np.sin(angle), out=normals[1::2])
    return normals


def _in_groups(generator, count, dtype, transform, skip):
    """`count` >= 16 numbers that `transform` makes in groups of 16; `skip` uses up the words of those left over."""
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
    uniforms = _doubles(generator, count).reshape(-1, 2, 8)  # (group, member of the pair, pair)
    radius = np.sqrt(-2.0 * _one_by_one(math.log)(1.0 - uniforms[:, 0]))
    angle = 2.0 * math.pi * uniforms[:, 1]
    return _around(radius, np.cos(angle), np.sin(angle))


def _normals_32(generator, count):
    if count < PIECE // 16:
        # A call on a few words costs nearly as much as one on a whole block of them.
        radius, cosine, sine = generator.derived(_polar, count).reshape(3, -1, 2, 8)
        return _around(radius[:, 0], cosine[:, 1], sine[:, 1])
    words = generator.words32(count).reshape(-1, 2, 8)  # (group, member of the pair, pair)
    return _around(_radius(words[:, 0]), *_cosine_sine(words[:, 1]))


def _around(radius, cosine, sine):
    """Pairs of normal numbers (group, 8) in the order in which PyTorch lays them out."""
    normals = np.empty((len(radius), 2, 8), radius.dtype)
    np.multiply(radius, cosine, out=normals[:, 0])
    np.multiply(radius, sine, out=normals[:, 1])
    return normals.reshape(-1)


def _polar(words):
    return np.stack((_radius(words), *_cosine_sine(words)))


# float32 logarithm, sine and cosine as in the Cephes library (S. L. Moshier, 1984 to 1992: logf.c, sinf.c), which is
# what PyTorch's kernel evaluates: each step of a polynomial is one fused multiply-add in float32. That is a product and
# a sum in float64, where the product of two float32 numbers is exact, rounded to float32.


def _coefficients(*values):
    return [float64(float32(value)) for value in values]


LOG = _coefficients(
    7.0376836292e-2, -1.1514610310e-1, 1.1676998740e-1, -1.2420140846e-1, 1.4249322787e-1, -1.6668057665e-1,
    2.0000714765e-1, -2.4999993993e-1, 3.3333331174e-1,
)  # fmt: skip
COSINE = _coefficients(2.443315711809948e-5, -1.388731625493765e-3, 4.166664568298827e-2)
SINE = _coefficients(-1.9515295891e-4, 8.3321608736e-3, -1.6666654611e-1)
# log(2) and pi / 4 as sums, whose leading parts have so few bits that their products with small integers are exact.
LOG_2 = float32(0.693359375), float32(-2.12194440e-4)
QUARTER_PI = float32(0.78515625), float32(2.4187564849853515625e-4), float32(3.77489497744594108e-8)
FOUR_OVER_PI = float32(1.27323954473516)
TWO_PI = float32(2.0 * math.pi)
SQRT_HALF_BITS = np.array(0.707106781186547524, float32).view(int32)
ONE, HALF = float32(1.0), float32(0.5)


def _horner(coefficients, argument):
    """The polynomial in float32, rounded after each fused step; `argument` is float64 and holds float32 numbers."""
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
    """sqrt(-2 log(1 - u)) for the uniform number u that each word gives."""
    bits = (ONE - _unit(words)).view(int32)
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
    """The cosine and sine of 2 pi u for the uniform number u that each word gives."""
    angle = _unit(words)
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
    return _turned(cosine, sine, octant)


def _less_octants(angle, octant):
    """angle - octant * pi / 4, in float32, and that in float64 before its last rounding."""
    octant = octant.astype(float32)
    angle -= octant * QUARTER_PI[0]
    angle -= octant * QUARTER_PI[1]
    exact = octant.astype(float64)
    exact *= -float64(QUARTER_PI[2])
    exact += angle
    return exact.astype(float32), exact


def _turned(cosine, sine, octant):
    """Cosine and sine, in place, after a turn by an even number of octants: they change places and signs."""
    cosine_bits, sine_bits = cosine.view(int32), sine.view(int32)
    change = cosine_bits ^ sine_bits
    change &= -(octant >> 1 & 1)
    cosine_bits ^= change
    sine_bits ^= change
    sine_bits ^= (octant & 4) << 29
    octant += 2
    cosine_bits ^= (octant & 4) << 29
    return cosine, sine


# Other distributions over the line ------------------------------------------------------------------------------------


def exponential(generator, shape, dtype, rate=1.0):
    """-log(1 - u) / rate for a float64 number u in [0, 1); float64 to the bit, others to the last place.

    >>> from rushlight.core.generator import Generator
    >>> exponential(Generator().manual_seed(0), (2,), float64)
    array([3.50832619, 1.23038476])
    """
    numbers = _doubles(generator, math.prod(shape))
    numbers = _chosen(dtype, np.log1p, math.log1p)(-numbers)
    numbers *= np.divide(-1.0, rate)
    return _cast(numbers, np.dtype(dtype), shape)


def geometric(generator, shape, dtype, probability):
    """How many trials it takes until one with the given probability succeeds: ceil(log(u) / log(1 - p)), to the bit."""
    numbers = _doubles(generator, math.prod(shape))
    with np.errstate(divide="ignore"):
        np.log(numbers, out=numbers)
    numbers /= math.log1p(-probability)
    return _cast(np.ceil(numbers, out=numbers), np.dtype(dtype), shape)


def cauchy(generator, shape, dtype, median=0.0, sigma=1.0):
    """median + sigma * tan(pi (u - 1/2)); float64 to the bit with fused multiply-add, others to the last place."""
    numbers = _doubles(generator, math.prod(shape))
    numbers -= 0.5
    numbers *= math.pi
    numbers = _multiply_add(_chosen(dtype, np.tan, math.tan)(numbers), float64(sigma), float64(median))
    return _cast(numbers, np.dtype(dtype), shape)


# Categories -----------------------------------------------------------------------------------------------------------


def multinomial(generator, weights, count, replacement=False):
    """`count` indices into the last dimension of `weights` (categories,) or (rows, categories), as probable as their
    weights: int64 (count,) or (rows, count).

    With replacement a float64 number is looked up in the cumulated weights, to the bit. Without, or for one sample, the
    indices are those of the largest weights divided by exponential numbers (the Gumbel-max trick, Gumbel 1954): to the
    bit where the quotients differ; equal ones, as of several zero weights, come in the order of their indices. Raises
    RuntimeError for weights that make no distribution.

    >>> from rushlight.core.generator import Generator
    >>> multinomial(Generator().manual_seed(0), np.array([1.0, 0.0, 3.0]), 5, replacement=True)
    array([2, 2, 2, 2, 2])
    """
    rows = weights.reshape(-1, weights.shape[-1])
    picked = (_picked_again if replacement and count > 1 else _picked_once)(generator, rows, count)
    return picked.reshape(*weights.shape[:-1], count)


def _picked_again(generator, rows, count):
    picked = np.empty((len(rows), count), int64)
    with generator.lock:
        for row, result in zip(rows, picked, strict=True):
            cumulated = _cumulated(row if row.itemsize >= 4 else row.astype(float32))
            result[:] = np.searchsorted(cumulated.astype(float64), _doubles(generator, count))
    return picked


def _cumulated(row):
    invalid = row[~((row >= 0) & np.isfinite(row))]
    if len(invalid):
        reason = "= infinity or NaN" if invalid[0] > 0 else "< 0"
        raise _no_distribution(f"invalid multinomial distribution (encountering probability entry {reason})")
    cumulated = np.cumsum(row, dtype=row.dtype)
    if not cumulated[-1] > 0:
        raise _no_distribution("invalid multinomial distribution (sum of probabilities <= 0)")
    cumulated /= cumulated[-1]
    cumulated[-1] = 1
    return cumulated


def _picked_once(generator, rows, count):
    if not ((rows >= 0) & np.isfinite(rows)).all():
        raise _no_distribution("probability tensor contains either `inf`, `nan` or element < 0")
    if (rows.sum(axis=1) == 0).any():
        raise _no_distribution("invalid multinomial distribution (sum of probabilities <= 0)")
    with np.errstate(divide="ignore", over="ignore"):
        quotients = rows / exponential(generator, rows.shape, rows.dtype)
    if count == 1:
        return quotients.argmax(axis=1)[:, None]
    return np.argsort(-quotients, axis=1, kind="stable")[:, :count]


def _no_distribution(message):
    error = RuntimeError(message)
    error.add_note("The weights of a row must be finite, at least 0, and not all 0; they need not sum to 1.")
    return error


# Distributions by rejection, one number after the other ---------------------------------------------------------------


def poisson(generator, rates):
    """A Poisson number for each rate, in the shape and dtype of `rates`, to the bit.

    Rates below 10 multiply uniform numbers (Knuth, The Art of Computer Programming 3.4.1), others use transformed
    rejection (PTRS of Hoermann, 1993). Raises RuntimeError for a negative rate.

    >>> from rushlight.core.generator import Generator
    >>> poisson(Generator().manual_seed(0), np.array([0.0, 1.0, 100.0]))
    array([  0.,   2., 117.])
    """
    if not (rates >= 0).all():
        error = RuntimeError("invalid Poisson rate, expected rate to be non-negative")
        error.add_note(f"The input holds a rate of {rates[~(rates >= 0)][0]}.")
        raise error
    with generator.lock:
        numbers = [_poisson(generator, rate) for rate in rates.astype(float64).reshape(-1).tolist()]
    return np.array(numbers, float64).astype(rates.dtype).reshape(rates.shape)


def _poisson(generator, rate):
    if rate >= 10:
        return _poisson_by_rejection(generator, rate)
    if rate == 0:
        return 0
    bound, product, number = math.exp(-rate), _double(generator), 0
    while product > bound:
        product *= _double(generator)
        number += 1
    return number


def _poisson_by_rejection(generator, rate):
    b = 0.931 + 2.53 * math.sqrt(rate)
    a = -0.059 + 0.02483 * b
    inverse_alpha = 1.1239 + 1.1328 / (b - 3.4)
    inner = 0.9277 - 3.6224 / (b - 2)
    while True:
        number, v, margin = _hat(generator, a, b, rate + 0.43)
        if margin >= 0.07 and v <= inner:
            return number
        if number < 0 or (margin < 0.013 and v > margin):
            continue
        height = _log_of(v) + math.log(inverse_alpha) - math.log(a / (margin * margin) + b)
        if height <= -rate + number * math.log(rate) - math.lgamma(number + 1.0):
            return number


OUTSIDE = 1 << 63  # what C++ makes of a number that no int64 holds, with a minus


def _hat(generator, a, b, centre):
    """A whole number under Hoermann's table mountain hat, the height to test it at, and its distance from the edge."""
    u = _double(generator) - 0.5
    v = _double(generator)
    margin = 0.5 - abs(u)
    place = (2.0 * a / margin + b) * u + centre if margin else -math.inf
    return math.floor(place) if abs(place) < OUTSIDE else -OUTSIDE, v, margin


def binomial(generator, counts, probabilities):
    """The number of successes in `counts` trials, in the dtype of `counts`, to the bit; both arrays have one shape.

    Fewer than 10 expected ones are counted by geometric numbers (Devroye, Non-Uniform Random Variate Generation, 1986,
    X.4.3), more come by transformed rejection (BTRS of Hoermann, 1993).

    >>> from rushlight.core.generator import Generator
    >>> binomial(Generator().manual_seed(0), np.array([10.0, 1000.0]), np.array([0.5, 0.5]))
    array([  7., 504.])
    """
    if not np.isfinite(counts).all():
        error = RuntimeError("binomial expects finite counts")
        error.add_note("PyTorch would look for a number of successes for ever.")
        raise error
    result = np.empty(counts.shape, counts.dtype)
    one = counts.dtype.type(1)
    with generator.lock:
        for place, count in np.ndenumerate(counts):
            probability = probabilities[place]
            if count <= 0 or probability <= 0:
                result[place] = 0
            elif probability <= 0.5:
                result[place] = _binomial(generator, count, probability)
            elif probability < 1:
                result[place] = count - _binomial(generator, count, one - probability)
            else:
                result[place] = count if probability >= 1 else math.nan
    return result


def _binomial(generator, count, probability):
    if count * probability >= 10:
        return _binomial_by_rejection(generator, count, probability)
    log_failure = float(probability.dtype.type(math.log1p(-probability)))
    trials = successes = 0
    while True:
        trials_of_one = _log_of(_double(generator)) / log_failure
        if trials + trials_of_one > count:
            return successes
        trials += math.ceil(trials_of_one)
        successes += 1


def _binomial_by_rejection(generator, count, probability):
    one = count.dtype.type(1)
    # Up to here in the dtype of the arrays, from here on in float64.
    spread = float(np.sqrt(count * probability * (one - probability)))
    odds = float(probability / (one - probability))
    mode = math.floor((count + one) * probability)
    centre = float(count * probability) + 0.5
    b = 1.15 + 2.53 * spread
    a = -0.0873 + 0.0248 * b + 0.01 * float(probability)
    inner = 0.92 - 4.2 / b
    alpha = (2.83 + 5.1 / b) * spread
    count = float(count)
    while True:
        number, v, margin = _hat(generator, a, b, centre)
        if not 0 <= number <= count:
            continue
        if margin >= 0.07 and v <= inner:
            return number
        height = _log_of(v * alpha / (a / (margin * margin) + b))
        if height <= (
            (mode + 0.5) * math.log((mode + 1) / (odds * (count - mode + 1)))
            + (count + 1) * math.log((count - mode + 1) / (count - number + 1))
            + (number + 0.5) * math.log(odds * (count - number + 1) / (number + 1))
            + (_stirling_tail(mode) + _stirling_tail(count - mode))
            - (_stirling_tail(number) + _stirling_tail(count - number))
        ):
            return number


STIRLING_TAILS = [
    math.log(math.factorial(k)) - (0.5 * math.log(2 * math.pi) + (k + 0.5) * math.log(k + 1) - (k + 1))
    for k in range(10)
]


def _stirling_tail(k):
    """log(k!) less Stirling's approximation in k + 1."""
    if k < len(STIRLING_TAILS):
        return STIRLING_TAILS[int(k)]
    square = (k + 1.0) * (k + 1.0)
    return (1 / 12 - (1 / 360 - 1 / 1260 / square) / square) / (k + 1)


def standard_gamma(generator, shapes):
    """A Gamma(shape, 1) number for each of `shapes`, in their dtype (float32 or float64), to the bit.

    By rejection from a normal number (Marsaglia and Tsang, 2000); a shape below 1 is raised by 1 and the number scaled
    by a power of a uniform one.
    """
    with generator.lock:
        numbers = [_gamma(generator, shape) for shape in shapes.reshape(-1)]
    gammas = np.array(numbers, float64).astype(shapes.dtype)
    return np.fmax(gammas, np.finfo(shapes.dtype).tiny).reshape(shapes.shape)


def _gamma(generator, shape):
    dtype = shape.dtype.type
    scale = 1.0
    if shape < 1:
        if shape == 0:
            return 0.0
        scale = math.pow(1.0 - _double(generator), dtype(1) / shape)
        shape = shape + dtype(1)
    # The constants are float32 in PyTorch, whatever the dtype.
    d = float(shape - dtype(THIRD))
    c = 1.0 / math.sqrt(9.0 * d) if d > 0 else math.nan
    while True:
        x = _normal(generator)
        y = 1.0 + c * x
        if y <= 0:
            continue
        v = y * y * y
        u = 1.0 - _double(generator)
        square = x * x
        if u < 1.0 - SQUEEZE * square * square:
            return scale * d * v
        if math.log(u) < 0.5 * square + d * (1.0 - v + _log_of(v)):
            return scale * d * v


THIRD, SQUEEZE = float32(1) / float32(3), float(float32(0.0331))


def dirichlet(generator, concentrations):
    """Rows (..., categories) of positive numbers that sum to 1, in the dtype of `concentrations`, to the last place:
    gamma numbers in float64 over their sum.
    """
    gammas = standard_gamma(generator, concentrations.astype(float64))
    dtype = concentrations.dtype
    shares = (gammas / gammas.sum(axis=-1, keepdims=True)).astype(dtype)
    return np.clip(shares, np.finfo(dtype).tiny, np.nextafter(dtype.type(1), dtype.type(0)))


# Words to uniform numbers, and rounding -------------------------------------------------------------------------------


def _unit(words):
    """The numbers in [0, 1) that words give, float32."""
    numbers = (words & MASK_24).view(int32).astype(float32)
    numbers *= STEP_24
    return numbers


def _floats(generator, count):
    if count <= PIECE:
        return _unit(generator.words32(count))
    numbers = np.empty(count, float32)
    with generator.lock:
        for start in range(0, count, PIECE):
            stop = min(start + PIECE, count)
            numbers[start:stop] = _unit(generator.words32(stop - start))
    return numbers


def _doubles(generator, count):
    numbers = np.empty(count)
    with generator.lock:
        for start in range(0, count, PIECE):
            stop = min(start + PIECE, count)
            words = generator.words64(stop - start)
            words &= MASK_53
            np.multiply(words.view(int64), STEP_53, out=numbers[start:stop])
    return numbers


def _double_of(high, low):
    return ((high & 0x1FFFFF) << 32 | low) * STEP_53


def _double(generator):
    return _double_of(*generator.words32(2).tolist())


def _normal(generator):
    return float(_normals_in_turn(generator, 1)[0])


def _complex(function, generator, shape, dtype, *arguments):
    parts = function(generator, (*shape, 2), np.dtype(f"f{dtype.itemsize // 2}"), *arguments)
    return parts.reshape(-1).view(dtype).reshape(shape)


def _cast(numbers, dtype, shape):
    """`numbers` in the dtype asked for; C++ rounds to a half by way of float32."""
    if dtype.itemsize == 2 and dtype in DIGITS:
        numbers = numbers.astype(float32, copy=False)
    if numbers.dtype != dtype:
        with np.errstate(over="ignore", invalid="ignore"):
            numbers = numbers.astype(dtype)
    return numbers.reshape(shape)


def _chosen(dtype, vectorized, scalar):
    """An elementwise function: float64 results need the C library's bits, others only its first eight digits."""
    return _one_by_one(scalar) if np.dtype(dtype) == float64 else vectorized


def _one_by_one(function):
    """The C library's function on an array; on some processors NumPy has its own, with other last bits."""
    return lambda array: np.fromiter(map(function, array.ravel().tolist()), float64, array.size).reshape(array.shape)


def _exp(number):
    return math.exp(number) if number < 709 else float(np.exp(number))


def _log_of(number):
    return math.log(number) if number > 0 else -math.inf


def _multiply_add(numbers, factor, term):
    """numbers * factor + term, rounded once, in place; all three have one dtype."""
    if term == 0:
        if factor != 1:
            numbers *= factor
        numbers += 0  # -0 becomes 0
        return numbers
    rounded_once = _multiply_add_32 if numbers.dtype == float32 else _multiply_add_64
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
    """With the rounding errors of the product (Dekker, 1971) and of the sum (Knuth) added back."""
    product = numbers * factor
    if abs(factor) > 1e290:  # too large to be split
        return product + term
    high, low = _halves(numbers)
    factor_high, factor_low = _halves(factor)
    error = ((high * factor_high - product) + high * factor_low + low * factor_high) + low * factor_low
    total = product + term
    part = total - product
    error += (product - (total - part)) + (term - part)
    total += error
    return total


def _halves(numbers):
    """`numbers` as sums of two that have half of the bits each."""
    shifted = numbers * 134217729.0  # 2**27 + 1
    high = shifted - (shifted - numbers)
    return high, numbers - high
