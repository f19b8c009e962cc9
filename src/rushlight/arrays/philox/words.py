"""The words of Philox4x32-10 (Salmon et al., 2011), and the order in which the elements of an array get them.

A GPU fills an array by a grid of threads. Thread `t` draws from the subsequence `t` of the stream: its step `s` takes
the four words of the counter (offset / 4 + s, t). They go to elements that lie a whole grid apart.
"""

from __future__ import annotations

import numpy as np
from numpy import uint32, uint64

MULTIPLIERS = uint64(0xD2511F53), uint64(0xCD9E8D57)
STEPS = 0x9E3779B9, 0xBB67AE85  # what is added to the key after each round
ROUNDS = 10
WORDS = 4  # of one counter
BLOCK = 256  # threads
LOW = uint64(0xFFFFFFFF)
HALF = uint64(32)


def philox(counter: tuple[np.ndarray, ...], seed: int) -> np.ndarray:
    """Returns the words for counters of four words, each uint64 (n,) of 32 bits: uint32 (n, 4)."""
    a, b, c, d = counter
    first, second = seed & 0xFFFFFFFF, seed >> 32
    for _ in range(ROUNDS):
        product, other = a * MULTIPLIERS[0], c * MULTIPLIERS[1]
        a, b, c, d = (
            (other >> HALF) ^ b ^ uint64(first), other & LOW, (product >> HALF) ^ d ^ uint64(second), product & LOW,
        )  # fmt: skip
        first, second = (first + STEPS[0]) & 0xFFFFFFFF, (second + STEPS[1]) & 0xFFFFFFFF
    return np.stack([a, b, c, d], -1).astype(uint32)


def words_at(positions: np.ndarray, subsequences: np.ndarray, seed: int) -> np.ndarray:
    """Returns the words of counters (position, subsequence), two integers of 64 bits: uint32 (n, 4)."""
    positions, subsequences = positions.astype(uint64), subsequences.astype(uint64)
    return philox((positions & LOW, positions >> HALF, subsequences & LOW, subsequences >> HALF), seed)


def threads_for(count: int, most: int) -> int:
    """Returns the threads of the grid that fills so many elements, of which at most `most` run at once."""
    return min(-(-count // BLOCK) * BLOCK, most)


def steps_for(count: int, threads: int, per_step: int) -> int:
    """Returns the steps of each thread."""
    return -(-count // (threads * per_step))


def words_in_order(count: int, threads: int, per_step: int, seed: int, offset: int) -> np.ndarray:
    """Returns words for the numbers of an array in their order, uint32 (count, words of a number).

    A step of a thread gives `per_step` numbers, of 4 / per_step words each. `offset` is a multiple of 4.
    """
    steps, width = steps_for(count, threads, per_step), WORDS // per_step
    active = min(threads, count)  # the others have no element
    step, thread = np.divmod(np.arange(steps * active), active)
    words = words_at(step + offset // WORDS, thread, seed).reshape(steps, active, per_step, width)
    if steps == 1 and count <= threads:
        return words[0, :, 0]
    return words.transpose(0, 2, 1, 3).reshape(-1, width)[:count]


def words_of_vectors(count: int, threads: int, width: int, seed: int, offset: int) -> np.ndarray:
    """Returns a word for each element, uint32 (count,), if a thread has `width` neighbours in each of its turns.

    A turn takes one counter for up to four elements, and two for eight.
    """
    element = np.arange(count)
    vector, inside = np.divmod(element, width)
    turn, thread = np.divmod(vector, threads)
    counters = -(-width // WORDS)
    place = turn * counters + inside // WORDS + offset // WORDS
    each = min(width, WORDS)
    return words_at(place[::each], thread[::each], seed)[:, :each].reshape(-1)
