"""The generator of a GPU: a seed, and how far its stream has been drawn."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np

from rushlight.arrays.philox.words import BLOCK, WORDS, words_at
from rushlight.core.device import BACKENDS
from rushlight.core.errors import noted
from rushlight.core.generator import MASK_64, Generator, checked_seed
from rushlight.core.tensor import Tensor, wrap

AHEAD = 1024  # positions whose words are computed at once: one alone takes as long
STATE = np.dtype([("seed", np.uint64), ("offset", np.int64)])


class Counter:
    """The state of a stream, which several generators may share, and words of its first thread drawn ahead."""

    __slots__ = ("ahead", "offset", "seed")

    def __init__(self, seed: int, offset: int = 0) -> None:
        self.seed, self.offset = seed, offset
        self.ahead: tuple[int, np.ndarray] = (0, np.empty((0, WORDS), np.uint32))  # from a position on

    def words_from(self, position: int, count: int) -> np.ndarray:
        """Returns the words of `count` positions of the first thread, uint32 (count, 4)."""
        first, words = self.ahead
        if not first <= position <= first + len(words) - count:
            positions = position + np.arange(max(count, AHEAD))
            first, words = self.ahead = position, words_at(positions, np.zeros_like(positions), self.seed)
            words.flags.writeable = False
        return words[position - first : position - first + count]


class PhiloxGenerator(Generator):
    """A stream of random numbers of a GPU, the same as PyTorch's after the same seed."""

    __slots__ = ("counter",)

    def manual_seed(self, seed: int) -> Generator:
        """Restarts the stream; returns the generator. `seed` is from -2**63 to 2**64 - 1.

        >>> import rushlight as torch
        >>> with torch.cuda.simulate():
        ...     torch.rand(3, device="cuda", generator=torch.Generator("cuda").manual_seed(0))
        tensor([0.3990, 0.5167, 0.0249], device='cuda:0')
        """
        self.counter = Counter(checked_seed(seed))
        return self

    def renew_lock(self) -> None:
        """Repositions the lock with an unlocked one."""
        self.lock = threading.RLock()

    def initial_seed(self) -> int:
        """Returns the seed that the stream was last started from."""
        return self.counter.seed

    def most_threads(self) -> int:
        """Returns the threads that run at once on the GPU."""
        properties = BACKENDS.on(self.device).properties
        return properties["multiProcessorCount"] * (properties["maxThreadsPerMultiProcessor"] // BLOCK * BLOCK)

    def taken(self, words: int) -> int:
        """Draws `words` words of each thread, rounded up to whole counters; returns the offset before."""
        with self.lock:
            before = self.counter.offset
            self.counter.offset = before + -(-words // WORDS) * WORDS
            return before

    # ---- words in sequence, for distributions that are computed as on the CPU

    @property
    def next_double_normal_sample(self) -> None:
        """None: the second number of a pair is not kept, for the state has no place for it."""

    @next_double_normal_sample.setter
    def next_double_normal_sample(self, value: float | None) -> None:
        pass

    def words32(self, count: int) -> np.ndarray:
        """Returns the next `count` words of the first thread, uint32 (count,)."""
        return self.counter.words_from(self.taken(count) // WORDS, -(-count // WORDS)).reshape(-1)[:count]

    def ahead(self, count: int) -> None:
        """Returns None: words are drawn one by one."""

    def derived(self, function, count: int, group: int = 1, step: int = 1) -> np.ndarray:
        """Returns `function(words)` of the next `count` words."""
        return function(self.words32(count))

    # ---- the state

    def state_bytes(self) -> np.ndarray:
        """Returns the state, uint8 (16,): the seed and the offset."""
        return np.array([(self.counter.seed, self.counter.offset)], STATE).view(np.uint8)

    def get_state(self) -> Tensor:
        """Returns the state, a uint8 tensor (16,) on the CPU, in PyTorch's layout.

        >>> import rushlight as torch
        >>> with torch.cuda.simulate():
        ...     torch.Generator("cuda").manual_seed(5).get_state()
        tensor([5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], dtype=torch.uint8)
        """
        return wrap(self.state_bytes())

    def set_state(self, new_state: Any) -> Generator:
        """Continues from a state returned by `get_state`; a seed alone starts its stream.

        Raises TypeError if it does not hold bytes, RuntimeError if it has another size; the stream is then unchanged.
        """
        content = np.asarray(new_state)
        if content.dtype != np.uint8:
            raise TypeError("RNG state must be a torch.ByteTensor")
        if content.size not in (STATE.itemsize, 8):
            raise noted(
                RuntimeError("RNG state is wrong size"),
                "That of a GPU has 16 bytes: pass on what torch.cuda.get_rng_state() returned.",
            )
        padded = np.zeros(STATE.itemsize, np.uint8)
        padded[: content.size] = content.reshape(-1)
        seed, offset = padded.view(STATE)[0]
        self.counter = Counter(int(seed))
        return self.set_offset(int(offset))

    def get_offset(self) -> int:
        """Returns how many words each thread has drawn."""
        return self.counter.offset

    def set_offset(self, offset: int) -> Generator:
        """Continues after so many words of each thread. Raises RuntimeError unless it is a multiple of 4."""
        if offset % WORDS:
            raise RuntimeError("offset must be a multiple of 4")
        self.counter.offset = offset & MASK_64
        return self

    def graphsafe_get_state(self) -> Generator:
        """Returns a generator that shares the state of this one."""
        other = type(self)(self.device)
        other.counter = self.counter
        return other

    def graphsafe_set_state(self, state: Generator) -> Generator:
        """Shares the state of another generator from now on."""
        assert isinstance(state, PhiloxGenerator)
        self.counter = state.counter
        return self
