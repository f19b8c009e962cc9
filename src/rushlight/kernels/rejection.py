"""Random numbers by rejection sampling, sequentially, from the words of `mt19937`.

The number of words that a sample takes is not known in advance: a kernel gets the unused words, stops where they end
within a sample, and returns how many samples and words are done. Formulas are those of `arrays/mt19937/rejection.py`;
both use the C library's logarithms, and no product is contracted with a sum, so results are bit-identical.
"""

from __future__ import annotations

import math

import numpy as np

from rushlight.arrays.mt19937.numbers import STEP_53
from rushlight.arrays.mt19937.rejection import OUTSIDE, SQUEEZE, STIRLING_TAILS, THIRD
from rushlight.core.policy import FEW, Warmup
from rushlight.kernels.arguments import number_of, packed
from rushlight.kernels.library import cos, exp, log, log1p, log_gamma, power, sin
from rushlight.lower.language import floor, local, offset, sqrt
from rushlight.lower.machine_types import Element, float32, float64, int64, pointer, uint32
from rushlight.lower.native import native
from rushlight.lower.registry import kernel_of

T = Element("T")

WARMUP = Warmup(passes=200)  # Python takes microseconds per number
PIECE = 1 << 14  # words per call
THIRD, SQUEEZE, TWO_PI = float(THIRD), float(SQUEEZE), 2.0 * math.pi
UNIT, FARTHEST = float(STEP_53), float(OUTSIDE)
TAILS = np.array(STIRLING_TAILS)
SHORT = len(STIRLING_TAILS)
TWELFTH, BY_360, BY_1260 = 1 / 12, 1 / 360, 1 / 1260


def pays_off(array) -> bool:
    """Returns whether a kernel pays off for so many numbers."""
    return array.size >= FEW and (WARMUP.over or WARMUP.pays_off(array.size))


@native
def uniform(words: pointer(uint32), at: int64) -> float64:
    """Returns the number in [0, 1) of a pair of words."""
    return float64((int64(words[at]) & 0x1FFFFF) << 32 | int64(words[at + 1])) * UNIT


@native(rounded=True)
def under_hat(a: float64, b: float64, centre: float64, u: float64, margin: float64) -> float64:
    """Returns an integer under Hoermann's table mountain hat."""
    if margin == 0.0:
        return -FARTHEST
    position = (2.0 * a / margin + b) * u + centre
    return floor(position) if abs(position) < FARTHEST else -FARTHEST


# ---- Poisson


@native(rounded=True)
def by_products(out: pointer(float64), rate: float64, words: pointer(uint32), begin: int64, end: int64) -> int64:
    """Samples a small rate; returns the index of the first unused word, or -1 if there are too few."""
    bound, product, number, at = exp(-rate), 1.0, -1.0, begin
    while at + 2 <= end:
        product *= uniform(words, at)
        number += 1.0
        at += 2
        if product <= bound:
            out[0] = number
            return at
    return -1


@native(rounded=True)
def by_hat(out: pointer(float64), rate: float64, words: pointer(uint32), begin: int64, end: int64) -> int64:
    """Samples a rate of at least 10, like `by_products`."""
    b, at = 0.931 + 2.53 * sqrt(rate), begin
    a = -0.059 + 0.02483 * b
    inverse_alpha, inner = 1.1239 + 1.1328 / (b - 3.4), 0.9277 - 3.6224 / (b - 2.0)
    while at + 4 <= end:
        u, v = uniform(words, at) - 0.5, uniform(words, at + 2)
        at += 4
        margin = 0.5 - abs(u)
        number = under_hat(a, b, rate + 0.43, u, margin)
        if margin >= 0.07 and v <= inner:
            out[0] = number
            return at
        if number >= 0.0 and (margin >= 0.013 or v <= margin):
            height = log(v) + log(inverse_alpha) - log(a / (margin * margin) + b)
            if height <= -rate + number * log(rate) - log_gamma(number + 1.0):
                out[0] = number
                return at
    return -1


@native(light=True)
def poisson_all(progress: pointer(int64), out: pointer(float64), rates: pointer(float64), words: pointer(uint32),
                end: int64, size: int64):  # fmt: skip
    at, done = int64(0), progress[0]
    while done < size:
        rate, further, target = rates[done], at, offset(out, done)
        if rate >= 10.0:
            further = by_hat(target, rate, words, at, end)
        elif rate != 0.0:
            further = by_products(target, rate, words, at, end)
        else:
            target[0] = 0.0
        if further < 0:
            break
        at = further
        done += 1
    progress[0], progress[1] = done, at


@kernel_of("poisson_numbers", sized=None)
def poisson_numbers(generator, rates):
    if not pays_off(rates):
        return None
    return sample(poisson_all.machine(), generator, np.empty(rates.shape), packed(rates))


def sample(kernel, generator, out, *arrays):
    """Returns an array filled by a kernel, one piece of words after the other."""
    progress = np.zeros(2, np.int64)
    with generator.lock:
        words = generator.ahead(0)  # samples that take no words do not advance the stream
        while words is not None:
            kernel(progress, out, *arrays, words, len(words), out.size)
            done, used = progress.tolist()
            generator.words32(used)
            if done == out.size:
                return out
            words = generator.ahead(len(words) - used + min(8 * (out.size - done), PIECE))
    return None


# ---- binomial


@native(rounded=True)
def by_geometric(count: float64, log_failure: float64, words: pointer(uint32), begin: int64, end: int64,
                 out: pointer(float64)) -> int64:  # fmt: skip
    """Samples with few expected successes."""
    trials, successes, at = 0.0, 0.0, begin
    while at + 2 <= end:
        trials_of_one = log(uniform(words, at)) / log_failure
        at += 2
        if trials + trials_of_one > count:
            out[0] = successes
            return at
        trials -= floor(-trials_of_one)
        successes += 1.0
    return -1


@native(rounded=True)
def stirling_tail(tails: pointer(float64), k: float64) -> float64:
    """Returns log(k!) minus Stirling's approximation in k + 1."""
    if k < SHORT:
        return tails[int64(k)]
    square = (k + 1.0) * (k + 1.0)
    return (TWELFTH - (BY_360 - BY_1260 / square) / square) / (k + 1.0)


@native(rounded=True)
def by_table(count: T, probability: T, tails: pointer(float64), words: pointer(uint32), begin: int64, end: int64,
             out: pointer(float64)) -> int64:  # fmt: skip
    """Samples with more expected successes."""
    one, at = T(1), begin
    expected = count * probability
    spread, odds = float64(sqrt(expected * (one - probability))), float64(probability / (one - probability))
    mode, centre, many = float64(floor((count + one) * probability)), float64(expected) + 0.5, float64(count)
    b = 1.15 + 2.53 * spread
    a = -0.0873 + 0.0248 * b + 0.01 * float64(probability)
    inner, alpha = 0.92 - 4.2 / b, (2.83 + 5.1 / b) * spread
    while at + 4 <= end:
        u, v = uniform(words, at) - 0.5, uniform(words, at + 2)
        at += 4
        margin = 0.5 - abs(u)
        number = under_hat(a, b, centre, u, margin)
        if number >= 0.0 and number <= many:
            if margin >= 0.07 and v <= inner:
                out[0] = number
                return at
            if log(v * alpha / (a / (margin * margin) + b)) <= (
                (mode + 0.5) * log((mode + 1.0) / (odds * (many - mode + 1.0)))
                + (many + 1.0) * log((many - mode + 1.0) / (many - number + 1.0))
                + (number + 0.5) * log(odds * (many - number + 1.0) / (number + 1.0))
                + (stirling_tail(tails, mode) + stirling_tail(tails, many - mode))
                - (stirling_tail(tails, number) + stirling_tail(tails, many - number))
            ):
                out[0] = number
                return at
    return -1


@native
def successes(count: T, probability: T, tails: pointer(float64), words: pointer(uint32), begin: int64, end: int64,
              out: pointer(float64)) -> int64:  # fmt: skip
    """Samples for a probability of at most a half."""
    if count * probability >= T(10):
        return by_table(count, probability, tails, words, begin, end, out)
    return by_geometric(float64(count), float64(T(log1p(float64(-probability)))), words, begin, end, out)


@native(light=True)
def binomial_all(progress: pointer(int64), out: pointer(T), counts: pointer(T), probabilities: pointer(T),
                 tails: pointer(float64), sample: pointer(float64), words: pointer(uint32), end: int64,
                 size: int64):  # fmt: skip
    at, done = int64(0), progress[0]
    while done < size:
        count, probability, further = counts[done], probabilities[done], at
        failure = T(1) - probability
        if count <= T(0) or probability <= T(0):
            out[done] = T(0)
        elif probability <= T(0.5):
            further = successes(count, probability, tails, words, at, end, sample)
            out[done] = T(sample[0])
        elif probability < T(1):
            further = successes(count, failure, tails, words, at, end, sample)
            out[done] = count - T(sample[0])
        else:
            out[done] = count if probability >= T(1) else probability
        if further < 0:
            break
        at = further
        done += 1
    progress[0], progress[1] = done, at


@kernel_of("binomial_numbers", sized=None)
def binomial_numbers(generator, counts, probabilities):
    dtype = number_of(counts)
    if dtype not in (float32, float64) or probabilities.dtype != counts.dtype or not pays_off(counts):
        return None
    out, buffer = np.empty(counts.shape, counts.dtype), np.zeros(1)
    kernel = binomial_all.machine(dtype)
    return sample(kernel, generator, out, packed(counts), packed(probabilities), TAILS, buffer)


# ---- gamma


@native(rounded=True)
def normal(normals: pointer(float64), words: pointer(uint32), word: int64) -> int64:
    """Stores a normal number in `normals[0]`, the spare one if there is one; returns the index of the next word."""
    if normals[1] != 0.0:
        normals[0], normals[1] = normals[2], 0.0
        return word
    angle, radius = TWO_PI * uniform(words, word), sqrt(-2.0 * log1p(-uniform(words, word + 2)))
    normals[0], normals[1], normals[2] = radius * cos(angle) + 0.0, 1.0, radius * sin(angle) + 0.0
    return word + 4


@native(rounded=True)
def gamma_number(out: pointer(float64), alpha: T, normals: pointer(float64), words: pointer(uint32), begin: int64,
                 end: int64) -> int64:  # fmt: skip
    shape, scale, at = alpha, 1.0, begin
    if shape < T(1):
        if at + 2 > end:
            return -1
        scale = power(1.0 - uniform(words, at), float64(T(1) / shape))
        shape += T(1)
        at += 2
    d = float64(shape - T(THIRD))
    c = 1.0 / sqrt(9.0 * d)
    while at + 6 <= end:
        at = normal(normals, words, at)
        x = normals[0]
        y = 1.0 + c * x
        if not y <= 0.0:
            v, u, square = y * y * y, 1.0 - uniform(words, at), x * x
            at += 2
            if u < 1.0 - SQUEEZE * square * square or log(u) < 0.5 * square + d * (1.0 - v + log(v)):
                out[0] = scale * d * v
                return at
    return -1


@native(light=True)
def gamma_all(progress: pointer(int64), out: pointer(float64), shapes: pointer(T), normals: pointer(float64),
              words: pointer(uint32), end: int64, size: int64):  # fmt: skip
    """`normals` holds a normal number, whether there is a spare one, and that."""
    at, done, state = int64(0), progress[0], local(float64, 3)
    while done < size:
        state[1], state[2] = normals[1], normals[2]
        further, target = at, offset(out, done)
        if shapes[done] == T(0):
            target[0] = 0.0
        else:
            further = gamma_number(target, shapes[done], state, words, at, end)
        if further < 0:
            break
        normals[1], normals[2] = state[1], state[2]
        at = further
        done += 1
    progress[0], progress[1] = done, at


@kernel_of("gamma_numbers", sized=None)
def gamma_numbers(generator, shapes):
    dtype = number_of(shapes)
    if dtype not in (float32, float64) or not pays_off(shapes):
        return None
    with generator.lock:
        spare = generator.next_double_normal_sample
        normals = np.array([0.0, spare is not None, spare or 0.0])
        samples = sample(gamma_all.machine(dtype), generator, np.empty(shapes.shape), packed(shapes), normals)
        if samples is not None:
            generator.next_double_normal_sample = float(normals[2]) if normals[1] else None
    return samples
