"""Distributions by rejection sampling, element by element."""

import math

import numpy as np
from numpy import float32, float64

from rushlight.arrays.mt19937.normals import normals_in_turn
from rushlight.arrays.mt19937.numbers import double_of, doubles_of
from rushlight.core.errors import noted
from rushlight.core.policy import LARGE, notice
from rushlight.core.tables import primitive, xp


def poisson(generator, rates):
    """Draws a Poisson number for each rate, in the shape and dtype of `rates`, to the bit.

    Rates below 10 multiply uniform numbers (Knuth, The Art of Computer Programming 3.4.1), others use transformed
    rejection (PTRS of Hoermann, 1993). Raises RuntimeError for a negative rate.

    >>> from rushlight.core.generator import Generator
    >>> poisson(Generator().manual_seed(0), np.array([0.0, 1.0, 100.0]))
    array([  0.,   2., 117.])
    """
    if not (rates >= 0).all():
        raise noted(
            RuntimeError("invalid Poisson rate, expected rate to be non-negative"),
            f"The input holds a rate of {rates[~(rates >= 0)][0]}.",
        )
    return xp.poisson_numbers(generator, rates.astype(float64)).astype(rates.dtype)


@primitive
def poisson_numbers(generator, rates):
    """Draws a Poisson number for each rate, both float64."""
    take_notice(rates.size)
    with generator.lock:
        numbers = [_poisson(generator, rate) for rate in rates.reshape(-1).tolist()]
    return np.array(numbers, float64).reshape(rates.shape)


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


OUTSIDE = 1 << 63  # C++ converts a number beyond int64 to minus this


def _hat(generator, a, b, centre):
    """Draws an integer under Hoermann's table mountain hat; returns also the test height and the edge distance."""
    u = _double(generator) - 0.5
    v = _double(generator)
    margin = 0.5 - abs(u)
    position = (2.0 * a / margin + b) * u + centre if margin else -math.inf
    return math.floor(position) if abs(position) < OUTSIDE else -OUTSIDE, v, margin


def binomial(generator, counts, probabilities):
    """Draws the number of successes in `counts` trials, in the dtype of `counts`, to the bit; shapes are equal.

    Fewer than 10 expected successes are counted by geometric numbers (Devroye, Non-Uniform Random Variate Generation,
    1986, X.4.3), more by transformed rejection (BTRS of Hoermann, 1993).

    >>> from rushlight.core.generator import Generator
    >>> binomial(Generator().manual_seed(0), np.array([10.0, 1000.0]), np.array([0.5, 0.5]))
    array([  7., 504.])
    """
    if not np.isfinite(counts).all():
        raise noted(RuntimeError("binomial expects finite counts"), "PyTorch does not terminate for this input.")
    return xp.binomial_numbers(generator, counts, probabilities)


@primitive
def binomial_numbers(generator, counts, probabilities):
    """Draws binomial numbers for finite counts."""
    take_notice(counts.size)
    result = np.empty(counts.shape, counts.dtype)
    one = counts.dtype.type(1)
    with generator.lock:
        for index, count in np.ndenumerate(counts):
            probability = probabilities[index]
            if count <= 0 or probability <= 0:
                result[index] = 0
            elif probability <= 0.5:
                result[index] = _binomial(generator, count, probability)
            elif probability < 1:
                result[index] = count - _binomial(generator, count, one - probability)
            else:
                result[index] = count if probability >= 1 else math.nan
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
    # In the dtype of the arrays up to here, in float64 below.
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
    """Returns log(k!) minus Stirling's approximation in k + 1."""
    if k < len(STIRLING_TAILS):
        return STIRLING_TAILS[int(k)]
    square = (k + 1.0) * (k + 1.0)
    return (1 / 12 - (1 / 360 - 1 / 1260 / square) / square) / (k + 1)


def standard_gamma(generator, shapes):
    """Draws a Gamma(shape, 1) number for each of `shapes`, in their dtype (float32 or float64), to the bit.

    By rejection from a normal number (Marsaglia and Tsang, 2000); a shape below 1 is raised by 1 and the number scaled
    by a power of a uniform one.
    """
    return np.fmax(xp.gamma_numbers(generator, shapes).astype(shapes.dtype), np.finfo(shapes.dtype).tiny)


@primitive
def gamma_numbers(generator, shapes):
    """Draws gamma numbers in float64, however small."""
    take_notice(shapes.size)
    with generator.lock:
        numbers = [_gamma(generator, shape) for shape in shapes.reshape(-1)]
    return np.array(numbers, float64).reshape(shapes.shape)


def _gamma(generator, shape):
    dtype = shape.dtype.type
    scale = 1.0
    if shape < 1:
        if shape == 0:
            return 0.0
        scale = math.pow(1.0 - _double(generator), dtype(1) / shape)
        shape = shape + dtype(1)
    # The constants are float32 in PyTorch, for any dtype.
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
    """Draws rows (..., categories) of positive numbers that sum to 1, in the dtype of `concentrations`: float64 gamma
    numbers divided by their sum, to the last place.
    """
    gammas = standard_gamma(generator, concentrations.astype(float64))
    dtype = concentrations.dtype
    shares = (gammas / gammas.sum(axis=-1, keepdims=True)).astype(dtype)
    return np.clip(shares, np.finfo(dtype).tiny, np.nextafter(dtype.type(1), dtype.type(0)))


def take_notice(count: int) -> None:
    """Reports `count` drawn numbers to the policy; each takes Python as long as hundreds of elements take NumPy."""
    notice(min(256 * count, LARGE - 1))


def _double(generator):
    number = generator.derived(doubles_of, 2, 2, 2)
    return double_of(*generator.words32(2).tolist()) if number is None else number.item()


def _normal(generator):
    return float(normals_in_turn(generator, 1)[0])


def _log_of(number):
    return math.log(number) if number > 0 else -math.inf
