"""Permutations: the numbers from 0 on, sorted by random keys, as a GPU does it."""

from __future__ import annotations

import math

import numpy as np
from numpy import int32, int64, uint64

from rushlight.arrays.mt19937.numbers import cast
from rushlight.arrays.philox.distributions import integers
from rushlight.arrays.philox.words import WORDS, words_at

UNLIKELY = math.log(0.9) * 12  # the keys have so many bits that all differ with a probability of 0.9


def permutation(generator, count, dtype=int64):
    """Returns the numbers from 0 to count - 1 in random order. Those of equal keys are shuffled among themselves."""
    if not count:
        return np.empty(0, dtype)
    bits = min(64, math.ceil(math.log2(count - (6 * float(count) ** 2 + 1) / UNLIKELY)))
    kind, width = (int32, 32) if bits <= 32 else (int64, 64)
    limits = np.iinfo(kind)
    with generator.lock:
        drawn = integers(generator, (count,), kind, int(limits.min), int(limits.max))
        offset, seed = generator.taken(count), generator.counter.seed
    keys = drawn.astype(int64).view(uint64) & uint64((1 << bits) - 1)
    if bits == width:
        keys ^= uint64(1 << bits - 1)  # the sign counts
    order = np.argsort(keys, kind="stable")
    shuffle_equal(order, keys[order], seed, offset)
    return cast(order, np.dtype(dtype), (count,))


def shuffle_equal(order: np.ndarray, keys: np.ndarray, seed: int, offset: int) -> None:
    """Shuffles the elements of equal keys, which are sorted, in place: Fisher and Yates from the end."""
    starts = np.flatnonzero(np.concatenate(([True], keys[1:] != keys[:-1])))
    lengths = np.diff(np.append(starts, len(keys)))
    for start, length in zip(starts[lengths > 1].tolist(), lengths[lengths > 1].tolist(), strict=True):
        positions = offset // WORDS + np.arange(-(-(length - 1) // WORDS))
        words = words_at(positions, np.full_like(positions, start), seed).reshape(-1).tolist()
        for last, word in zip(range(length - 1, 0, -1), words, strict=False):
            other = word % (last + 1)
            order[start + last], order[start + other] = order[start + other], order[start + last]
