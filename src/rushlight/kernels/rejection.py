"""Random numbers by rejection, one after the other, out of the words of `mt19937`.

How many words a number takes turns out as it is made: a kernel is given words that are not used up yet, stops where
they end within a number, and says how many numbers and words it is done with. The formulas are those of
`arrays/mt19937/rejection.py`, logarithms and the like the C library's in both, and no product is fused with a sum.
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

WARMUP = Warmup(passes=200)  # Python takes microseconds for a number
PIECE = 1 << 14  # words that are looked at together
THIRD, SQUEEZE, TWO_PI = float(THIRD), float(SQUEEZE), 2.0 * math.pi
UNIT, FARTHEST = float(STEP_53), float(OUTSIDE)
TAILS = np.array(STIRLING_TAILS)
SHORT = len(STIRLING_TAILS)
TWELFTH, BY_360, BY_1260 = 1 / 12, 1 / 360, 1 / 1260


def is_worth(array) -> bool:
    """Whether a number for each element is worth a kernel."""
    return array.size >= FEW and (WARMUP.over or WARMUP.pays_off(array.size))


@native
def uniform(words: pointer(uint32), at: int64) -> float64:
    """The number in [0, 1) that a pair of words gives."""
    return float64((int64(words[at]) & 0x1FFFFF) << 32 | int64(words[at + 1])) * UNIT


@native(rounded=True)
def under_hat(a: float64, b: float64, centre: float64, u: float64, margin: float64) -> float64:
    """A whole number under Hoermann's table mountain hat."""
    if margin == 0.0:
        return -FARTHEST
    place = (2.0 * a / margin + b) * u + centre
    return floor(place) if abs(place) < FARTHEST else -FARTHEST


# ---- Poisson numbers


@native(rounded=True)
def by_products(out: pointer(float64), rate: float64, words: pointer(uint32), begin: int64, room: int64) -> int64:
    """One number of a small rate; gives the place of the first word that it left, or -1 if there are too few."""
    bound, product, number, at = exp(-rate), 1.0, -1.0, begin
    while at + 2 <= room:
        product *= uniform(words, at)
        number += 1.0
        at += 2
        if product <= bound:
            out[0] = number
            return at
    return -1


@native(rounded=True)
def by_hat(out: pointer(float64), rate: float64, words: pointer(uint32), begin: int64, room: int64) -> int64:
    """The same of a rate of 10 and more."""
    b, at = 0.931 + 2.53 * sqrt(rate), begin
    a = -0.059 + 0.02483 * b
    inverse_alpha, inner = 1.1239 + 1.1328 / (b - 3.4), 0.9277 - 3.6224 / (b - 2.0)
    while at + 4 <= room:
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
                room: int64, size: int64):  # fmt: skip
    at, done = int64(0), progress[0]
    while done < size:
        rate, further, here = rates[done], at, offset(out, done)
        if rate >= 10.0:
            further = by_hat(here, rate, words, at, room)
        elif rate != 0.0:
            further = by_products(here, rate, words, at, room)
        else:
            here[0] = 0.0
        if further < 0:
            break
        at = further
        done += 1
    progress[0], progress[1] = done, at


@kernel_of("poisson_numbers", sized=None)
def poisson_numbers(generator, rates):
    if not is_worth(rates):
        return None
    return drawn(poisson_all.machine(), generator, np.empty(rates.shape), packed(rates))


def drawn(kernel, generator, out, *arrays):
    """An array that is filled by a kernel, piece after piece of the words."""
    progress = np.zeros(2, np.int64)
    with generator.lock:
        words = generator.ahead(0)  # numbers that take no words leave the stream alone
        while words is not None:
            kernel(progress, out, *arrays, words, len(words), out.size)
            done, used = progress.tolist()
            generator.words32(used)
            if done == out.size:
                return out
            words = generator.ahead(len(words) - used + min(8 * (out.size - done), PIECE))
    return None


# ---- binomial numbers


@native(rounded=True)
def by_geometric(count: float64, log_failure: float64, words: pointer(uint32), begin: int64, room: int64,
                 found: pointer(float64)) -> int64:  # fmt: skip
    """One number of which few are expected."""
    trials, successes, at = 0.0, 0.0, begin
    while at + 2 <= room:
        trials_of_one = log(uniform(words, at)) / log_failure
        at += 2
        if trials + trials_of_one > count:
            found[0] = successes
            return at
        trials -= floor(-trials_of_one)
        successes += 1.0
    return -1


@native(rounded=True)
def stirling_tail(tails: pointer(float64), k: float64) -> float64:
    """log(k!) less Stirling's approximation in k + 1."""
    if k < SHORT:
        return tails[int64(k)]
    square = (k + 1.0) * (k + 1.0)
    return (TWELFTH - (BY_360 - BY_1260 / square) / square) / (k + 1.0)


@native(rounded=True)
def by_table(count: T, probability: T, tails: pointer(float64), words: pointer(uint32), begin: int64, room: int64,
             found: pointer(float64)) -> int64:  # fmt: skip
    """One number of which more are expected."""
    one, at = T(1), begin
    expected = count * probability
    spread, odds = float64(sqrt(expected * (one - probability))), float64(probability / (one - probability))
    mode, centre, many = float64(floor((count + one) * probability)), float64(expected) + 0.5, float64(count)
    b = 1.15 + 2.53 * spread
    a = -0.0873 + 0.0248 * b + 0.01 * float64(probability)
    inner, alpha = 0.92 - 4.2 / b, (2.83 + 5.1 / b) * spread
    while at + 4 <= room:
        u, v = uniform(words, at) - 0.5, uniform(words, at + 2)
        at += 4
        margin = 0.5 - abs(u)
        number = under_hat(a, b, centre, u, margin)
        if number >= 0.0 and number <= many:
            if margin >= 0.07 and v <= inner:
                found[0] = number
                return at
            if log(v * alpha / (a / (margin * margin) + b)) <= (
                (mode + 0.5) * log((mode + 1.0) / (odds * (many - mode + 1.0)))
                + (many + 1.0) * log((many - mode + 1.0) / (many - number + 1.0))
                + (number + 0.5) * log(odds * (many - number + 1.0) / (number + 1.0))
                + (stirling_tail(tails, mode) + stirling_tail(tails, many - mode))
                - (stirling_tail(tails, number) + stirling_tail(tails, many - number))
            ):
                found[0] = number
                return at
    return -1


@native
def successes(count: T, probability: T, tails: pointer(float64), words: pointer(uint32), begin: int64, room: int64,
              found: pointer(float64)) -> int64:  # fmt: skip
    """One number of a probability of at most a half."""
    if count * probability >= T(10):
        return by_table(count, probability, tails, words, begin, room, found)
    return by_geometric(float64(count), float64(T(log1p(float64(-probability)))), words, begin, room, found)


@native(light=True)
def binomial_all(progress: pointer(int64), out: pointer(T), counts: pointer(T), probabilities: pointer(T),
                 tails: pointer(float64), found: pointer(float64), words: pointer(uint32), room: int64,
                 size: int64):  # fmt: skip
    at, done = int64(0), progress[0]
    while done < size:
        count, probability, further = counts[done], probabilities[done], at
        failure = T(1) - probability
        if count <= T(0) or probability <= T(0):
            out[done] = T(0)
        elif probability <= T(0.5):
            further = successes(count, probability, tails, words, at, room, found)
            out[done] = T(found[0])
        elif probability < T(1):
            further = successes(count, failure, tails, words, at, room, found)
            out[done] = count - T(found[0])
        else:
            out[done] = count if probability >= T(1) else probability
        if further < 0:
            break
        at = further
        done += 1
    progress[0], progress[1] = done, at


@kernel_of("binomial_numbers", sized=None)
def binomial_numbers(generator, counts, probabilities):
    kind = number_of(counts)
    if kind not in (float32, float64) or probabilities.dtype != counts.dtype or not is_worth(counts):
        return None
    out, found = np.empty(counts.shape, counts.dtype), np.zeros(1)
    kernel = binomial_all.machine(kind)
    return drawn(kernel, generator, out, packed(counts), packed(probabilities), TAILS, found)


# ---- gamma numbers


@native(rounded=True)
def normal(kept: pointer(float64), words: pointer(uint32), at: int64) -> int64:
    """Puts a normal number before the one that is kept, if there is one; gives the place of the next word."""
    if kept[1] != 0.0:
        kept[0], kept[1] = kept[2], 0.0
        return at
    angle, radius = TWO_PI * uniform(words, at), sqrt(-2.0 * log1p(-uniform(words, at + 2)))
    kept[0], kept[1], kept[2] = radius * cos(angle) + 0.0, 1.0, radius * sin(angle) + 0.0
    return at + 4


@native(rounded=True)
def gamma_number(out: pointer(float64), given: T, kept: pointer(float64), words: pointer(uint32), begin: int64,
                 room: int64) -> int64:  # fmt: skip
    shape, scale, at = given, 1.0, begin
    if shape < T(1):
        if at + 2 > room:
            return -1
        scale = power(1.0 - uniform(words, at), float64(T(1) / shape))
        shape += T(1)
        at += 2
    d = float64(shape - T(THIRD))
    c = 1.0 / sqrt(9.0 * d)
    while at + 6 <= room:
        at = normal(kept, words, at)
        x = kept[0]
        y = 1.0 + c * x
        if not y <= 0.0:
            v, u, square = y * y * y, 1.0 - uniform(words, at), x * x
            at += 2
            if u < 1.0 - SQUEEZE * square * square or log(u) < 0.5 * square + d * (1.0 - v + log(v)):
                out[0] = scale * d * v
                return at
    return -1


@native(light=True)
def gamma_all(progress: pointer(int64), out: pointer(float64), shapes: pointer(T), kept: pointer(float64),
              words: pointer(uint32), room: int64, size: int64):  # fmt: skip
    """`kept` has a normal number, whether another is left over, and that one."""
    at, done, now = int64(0), progress[0], local(float64, 3)
    while done < size:
        now[1], now[2] = kept[1], kept[2]
        further, here = at, offset(out, done)
        if shapes[done] == T(0):
            here[0] = 0.0
        else:
            further = gamma_number(here, shapes[done], now, words, at, room)
        if further < 0:
            break
        kept[1], kept[2] = now[1], now[2]
        at = further
        done += 1
    progress[0], progress[1] = done, at


@kernel_of("gamma_numbers", sized=None)
def gamma_numbers(generator, shapes):
    kind = number_of(shapes)
    if kind not in (float32, float64) or not is_worth(shapes):
        return None
    with generator.lock:
        left = generator.next_double_normal_sample
        kept = np.array([0.0, left is not None, left or 0.0])
        found = drawn(gamma_all.machine(kind), generator, np.empty(shapes.shape), packed(shapes), kept)
        if found is not None:
            generator.next_double_normal_sample = float(kept[2]) if kept[1] else None
    return found
