"""Distributions from the words of a GPU's stream."""

from __future__ import annotations

import math

import numpy as np
from numpy import float32, float64, int64, uint64

from rushlight.arrays import mt19937
from rushlight.arrays.mt19937.numbers import cast, complex_of
from rushlight.arrays.mt19937.uniforms import check_full, checked_ends, checked_probabilities
from rushlight.arrays.philox.generator import PhiloxGenerator
from rushlight.arrays.philox.words import WORDS, steps_for, threads_for, words_in_order, words_of_vectors
from rushlight.core.device import BACKENDS

VECTOR = 16  # bytes that a thread of dropout reads at once
FLOATS = frozenset(("float16", "bfloat16", "float32", "float64"))  # of which kernels fill arrays
LARGE = 1 << 28  # from this range on an integer takes two words


def drawn_words(generator: PhiloxGenerator, count: int, per_step: int) -> np.ndarray:
    """Draws the words for `count` numbers, uint32 (count, words of a number)."""
    if not count:
        return np.empty((0, WORDS // per_step), np.uint32)
    threads = threads_for(count, generator.most_threads())
    with generator.lock:
        offset = generator.taken(WORDS * steps_for(count, threads, per_step))
        return words_in_order(count, threads, per_step, generator.counter.seed, offset)


def pairs(words: np.ndarray) -> np.ndarray:
    """Returns integers of 64 bits, the first word high."""
    return words[:, 0].astype(uint64) << uint64(32) | words[:, 1]


def unit(words: np.ndarray) -> np.ndarray:
    """Returns numbers in (0, 1]: float32 of one word, float64 of two."""
    if words.shape[1] == 1:
        return words[:, 0].astype(float32) * float32(2**-32) + float32(2**-33)
    whole = words[:, 0].astype(uint64) ^ words[:, 1].astype(uint64) << uint64(21)
    return whole.astype(float64) * 2.0**-53 + 2.0**-54


def units(generator: PhiloxGenerator, shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    """Draws numbers in (0, 1], float64 for float64 and float32 for all others: flat."""
    return unit(drawn_words(generator, math.prod(shape), 2 if dtype == float64 else WORDS))


def scaled(numbers: np.ndarray, factor: float, term: float) -> np.ndarray:
    """Returns numbers * factor + term; of float32 it is rounded once."""
    kind = numbers.dtype
    return (numbers.astype(float64) * float64(kind.type(factor)) + float64(kind.type(term))).astype(kind)


def by_kernel(generator, distribution: str, shape: tuple[int, ...], dtype: np.dtype, *parameters: float):
    """Returns an array that a kernel on the GPU has filled, or None where there are no kernels."""
    backend, counter = BACKENDS.on(generator.device), generator.counter
    if backend.draws is None or not math.prod(shape):
        return None
    with generator.lock:
        array, counter.offset = backend.drawn(distribution, shape, dtype, counter.seed, counter.offset, *parameters)
    return array


def uniform(generator, shape, dtype, low=0.0, high=1.0):
    """Draws uniform numbers in [low, high): what would be the upper bound is the lower one."""
    dtype = np.dtype(dtype)
    if dtype.kind in "cW":
        return complex_of(uniform, generator, shape, dtype, low, high)
    array = by_kernel(generator, "uniform", shape, dtype, low, high)
    if array is not None:
        return array
    low, high = dtype.type(low), dtype.type(high)
    numbers = cast(scaled(units(generator, shape, dtype), high - low, low), dtype, shape)
    numbers[numbers == high] = low
    return numbers


def normal(generator, shape, dtype, mean=0.0, std=1.0, in_turn=False):
    """Draws normal numbers by the Box-Muller transform (1958); complex ones have total variance `std` ** 2."""
    dtype = np.dtype(dtype)
    if dtype.kind in "cW":
        return complex_of(normal, generator, shape, dtype, mean, std / math.sqrt(2.0))
    array = by_kernel(generator, "normal", shape, dtype, mean, std)
    return cast(normals(generator, shape, dtype, mean, std), dtype, shape) if array is None else array


def normals(generator, shape, dtype, mean, std):
    """Draws normal numbers of float32 or float64: flat."""
    count, wide = math.prod(shape), dtype == float64
    if not count:
        return np.empty(0, float64 if wide else float32)
    threads = threads_for(count, generator.most_threads())
    per_step = 2 if wide else WORDS
    steps, active = steps_for(count, threads, per_step), min(threads, count)
    with generator.lock:
        offset = generator.taken(WORDS * steps)
        words = words_in_order(steps * active * WORDS, active, WORDS, generator.counter.seed, offset)
    words = words.reshape(steps, WORDS, active)
    first, second = words_of_pairs(words, wide)
    u = unit(first)
    size, turn = np.sqrt(-2 * np.log(u.astype(float64))), angle(second)
    values = np.stack([np.sin(turn) * size, np.cos(turn) * size], -1).astype(u.dtype)  # (steps * pairs * active, 2)
    values = values.reshape(steps, -1, active, 2).transpose(0, 1, 3, 2).reshape(-1)[:count]
    return scaled(values, std, mean)


def angle(words: np.ndarray) -> np.ndarray:
    """Returns angles in (0, 2 pi], float64, with the rounding of the words' dtype."""
    if words.shape[1] == 2:
        return unit(words) * (2 * math.pi)
    step = float32(2**-32) * float32(2 * math.pi)
    return scaled(words[:, 0].astype(float32), step, step / 2).astype(float64)


def words_of_pairs(words: np.ndarray, wide: bool) -> tuple[np.ndarray, np.ndarray]:
    """Returns the words of both uniform numbers of each pair, each (n, words of a number), of (steps, 4, threads)."""
    if wide:
        return tuple(words[:, each].transpose(0, 2, 1).reshape(-1, 2) for each in ([0, 1], [2, 3]))
    return words[:, 0::2].reshape(-1, 1), words[:, 1::2].reshape(-1, 1)


def log_normal(generator, shape, dtype, mean=1.0, std=2.0):
    """Draws numbers whose logarithm is normal."""
    dtype = np.dtype(dtype)
    with np.errstate(over="ignore"):
        return cast(np.exp(normals(generator, shape, dtype, mean, std)), dtype, shape)


def integers(generator, shape, dtype, low, high):
    """Draws integers in [low, high)."""
    dtype, span = np.dtype(dtype), high - low
    if span == 1 << 64:
        check_full(dtype, "cuda")
        return cast(pairs(drawn_words(generator, math.prod(shape), 2)).view(int64), dtype, shape)
    low, high = checked_ends(dtype, low, high)
    return remainders(generator, shape, dtype, high - low, low, high - low >= LARGE)


def all_integers(generator, shape, dtype):
    """Draws integers from 0 to the largest of `dtype`, of a floating-point one to 2 ** its digits."""
    dtype = np.dtype(dtype)
    return remainders(generator, shape, dtype, mt19937.above_all(dtype), 0, dtype in (int64, float64))


def remainders(generator, shape, dtype, choices: int, low: int, wide: bool):
    """Draws words modulo `choices`, plus `low`."""
    words = drawn_words(generator, math.prod(shape), 2 if wide else WORDS)
    rest = (pairs(words) if wide else words[:, 0].astype(uint64)) % uint64(choices)
    return cast(rest.astype(int64) + int64(low) if low else rest, dtype, shape)


def bernoulli(generator, shape, dtype, probability):
    """Draws 1 with the given probability, else 0. An array of probabilities is broadcast to `shape`.

    Raises RuntimeError if an element of the array is no probability.
    """
    if not isinstance(probability, np.ndarray):
        dtype = np.dtype(dtype)
        array = by_kernel(generator, "bernoulli", shape, dtype, probability, 0.0) if dtype.name in FLOATS else None
        return flips(generator, shape, dtype, probability) if array is None else array
    probability = checked_probabilities(np.broadcast_to(probability, shape)).reshape(-1)
    if not probability.size:
        return np.empty(shape, dtype)
    with generator.lock:
        offset, seed = generator.taken(10), generator.counter.seed
        words = words_of_vectors(probability.size, probability.size, WORDS, seed, offset)
    kind = float64 if dtype == float64 else float32
    drawn = unit(words[: probability.size, None]) <= probability.astype(kind)
    return drawn.astype(dtype).reshape(shape)


def flips(generator, shape, dtype, probability: float) -> np.ndarray:
    """Draws 1 with the given probability, else 0, on the CPU."""
    drawn = units(generator, shape, dtype)
    return (drawn < drawn.dtype.type(probability)).astype(dtype).reshape(shape)


def dropout_mask(generator, shape, dtype, probability):
    """Draws the factors of dropout: 0 with the given probability, else 1 / (1 - probability)."""
    array = by_kernel(generator, "dropout", shape, np.dtype(dtype), 1.0 - probability, 0.0)
    if array is not None:
        return array
    count, kind = math.prod(shape), float64 if dtype == float64 else float32
    if not count:
        return np.empty(shape, dtype)
    threads, width = threads_for(count, generator.most_threads()), vector_for(count, np.dtype(dtype).itemsize)
    with generator.lock:
        offset, seed = generator.taken(WORDS * steps_for(count, threads, WORDS)), generator.counter.seed
        if width == 1:
            words = words_in_order(count, threads, WORDS, seed, offset)
        else:
            words = words_of_vectors(count, threads, width, seed, offset)[:, None]
    keep = 1.0 - probability
    return factors(unit(words) < kind(keep), keep, dtype, shape)


def vector_for(count: int, itemsize: int) -> int:
    """Returns how many neighbours a thread of dropout takes at once."""
    width = VECTOR // itemsize
    while count % width:
        width //= 2
    return width


def channel_mask(generator, shape, dtype, probability):
    """Draws the factors of dropout of whole channels."""
    keep = 1.0 - probability
    return factors(flips(generator, shape, np.dtype(dtype), keep) != 0, keep, dtype, shape)


def factors(kept: np.ndarray, keep: float, dtype: np.dtype, shape: tuple[int, ...]) -> np.ndarray:
    """Returns 1 / keep where elements are kept, else 0."""
    kind = float64 if dtype == float64 else float32
    return (kept * (kind(1) / kind(keep))).astype(dtype).reshape(shape)


def exponential(generator, shape, dtype, rate=1.0):
    """Draws exponential numbers."""
    dtype = np.dtype(dtype)
    numbers = units(generator, shape, dtype)
    kind = numbers.dtype.type
    least = kind(-np.finfo(kind).eps / 2)
    logarithms = np.where(numbers >= 1 + least, least, np.log(numbers))
    return cast(kind(-1) / kind(rate) * logarithms, dtype, shape)


def geometric(generator, shape, dtype, probability):
    """Draws the number of trials until the first success."""
    dtype = np.dtype(dtype)
    numbers = units(generator, shape, dtype)
    failure = np.log1p(-numbers.dtype.type(probability))
    return cast(np.ceil(np.log(numbers) / failure), dtype, shape)


def cauchy(generator, shape, dtype, median=0.0, sigma=1.0):
    """Draws Cauchy numbers."""
    dtype = np.dtype(dtype)
    numbers = units(generator, shape, dtype)
    kind = numbers.dtype.type
    if kind is float32:  # at the ends the tangent of a GPU overflows
        epsilon = np.finfo(float32).eps
        numbers = numbers.clip(epsilon, 1 - epsilon)
    return cast(kind(median) + kind(sigma) * np.tan(kind(math.pi) * (numbers - kind(0.5))), dtype, shape)


def multinomial(generator, weights, count, replacement=False):
    """Draws indices with the weights in the last dimension, as on the CPU, by exponential numbers of this stream."""
    return mt19937.multinomial(generator, weights, count, replacement, exponential)
