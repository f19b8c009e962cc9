"""The state of a random stream: a value that can be saved, restored, copied and passed around.

The words are those of the Mersenne Twister MT19937 (Matsumoto and Nishimura, 1998), seeded from one 32-bit number. It
makes them in blocks of 624. A stream holds a few blocks, of which the words up to a cursor have been handed out:

    _words   | block | block | block |
    taken    -----------^ _cursor    ^ _stop

PyTorch's state holds the block of the cursor, its place in it (`next`), and one more than what is left of it (`left`);
a block is told by what the twister keeps, before the tempering that makes words of it.
"""

from __future__ import annotations

import os
import threading
from functools import cache
from typing import Any

import numpy as np

from rushlight.core.device import BACKENDS, CPU, device
from rushlight.core.errors import noted, type_name
from rushlight.core.fork_locks import in_every_child
from rushlight.core.tables import primitive, xp
from rushlight.core.tensor import Tensor, wrap

BLOCK = 624
MOST_BLOCKS = 8
DEFAULT_SEED = 67280421310721
MASK_32 = 0xFFFFFFFF
MASK_64 = 0xFFFFFFFFFFFFFFFF

# The 5056 bytes of torch.get_rng_state(); the fields that PyTorch no longer uses are named after what they were.
STATE = np.dtype(
    [
        ("seed", np.uint64),
        ("left", np.int32),
        ("seeded", np.int32),
        ("next", np.uint64),
        ("words", np.uint64, BLOCK),
        ("normal_x", np.float64),
        ("next_double_normal_sample", np.float64),
        ("normal_rho", np.float64),
        ("has_double_normal_sample", np.int32),
        ("next_float_normal_sample", np.float32),
        ("has_float_normal_sample", np.bool_),
    ],
    align=True,
)


def in_pairs(words: np.ndarray) -> np.ndarray:
    """Pairs of words, uint32 (2 n,), as uint64 (n,), the first of each pair above."""
    pairs = words[0::2].astype(np.uint64)
    pairs <<= np.uint64(32)
    pairs |= words[1::2]
    return pairs


class Generator:
    """A stream of random numbers, the same as PyTorch's on the CPU after the same seed.

    `device` is the kind of device whose tensors it may fill. A new one starts from PyTorch's default seed. Every method
    is safe to call from several threads; hold `lock` to keep several calls together.

    Raises RuntimeError for a device that has no generator.

    >>> generator = Generator().manual_seed(0)
    >>> [int(word) for word in generator.words32(3)]
    [2357136044, 2546248239, 3071714933]
    """

    __slots__ = (
        "__weakref__", "_bits", "_cursor", "_key", "_derived", "_seed", "_seeder", "_stop", "_told", "_words", "device",
        "lock", "next_double_normal_sample", "next_float_normal_sample",
    )  # fmt: skip

    _words: np.ndarray  # whole blocks, uint32
    _cursor: int
    _stop: int
    _derived: dict

    def __init__(self, device: device | str | int | None = None) -> None:
        self.device = _place(device)
        self.renew_lock()
        self._bits = self._seeder = self._key = None
        self._told: tuple | None = None
        self.manual_seed(DEFAULT_SEED)

    def renew_lock(self) -> None:
        """A lock that nobody holds."""
        self.lock = threading.RLock()

    def manual_seed(self, seed: int) -> Generator:
        """Starts the stream anew; returns the generator.

        `seed` is from -2**63 to 2**64 - 1, negative ones counted from 2**64; the words depend on its low 32 bits.
        Raises RuntimeError if it is not an integer, ValueError if it is out of range.

        >>> Generator().manual_seed(-1).initial_seed() == 2**64 - 1
        True
        """
        if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)):
            raise RuntimeError(f"manual_seed expected a long, but got {type_name(seed)}")
        if isinstance(seed, np.integer):
            raise noted(TypeError("an integer is required"), "Write manual_seed(int(seed)).")
        if not -(1 << 63) <= seed <= MASK_64:
            raise noted(
                ValueError("Overflow when unpacking long long"),
                f"A seed is from -2**63 to 2**64 - 1; {seed} does not fit into 64 bits.",
            )
        with self.lock:
            self._seed, self._key = int(seed) & MASK_64, None
            if self._seeder is not None:
                self._seeder.seed(self._seed & MASK_32)
            self._hold(np.empty(0, np.uint32), 0, 0)
            self.next_double_normal_sample: float | None = None
            self.next_float_normal_sample: float | None = None
        return self

    def seed(self) -> int:
        """Starts the stream from a number that the operating system gives, and returns that number."""
        seed = unforeseen()
        self.manual_seed(seed)
        return seed

    def initial_seed(self) -> int:
        """The number that the stream was last started from."""
        return self._seed

    def words32(self, count: int) -> np.ndarray:
        """The next `count` words, uint32 (count,): PyTorch's `random()`. The array is for reading only."""
        with self.lock:
            start, stop = self._cursor, self._cursor + count
            if stop > self._stop:
                return self._words_beyond(count)
            self._cursor = stop
            return self._words[start:stop]

    def ahead(self, count: int) -> np.ndarray | None:
        """The next words, at least `count`, which stay to be drawn; None in a state that ends within a block.

        Whoever finds out how many he takes as he goes looks at them first, and then draws those that he took.
        """
        with self.lock:
            if self._stop < len(self._words):
                return None
            missing = count - (self._stop - self._cursor)
            if missing > 0:
                first = max(self._cursor - 1, 0) // BLOCK * BLOCK
                words = np.concatenate((self._words[first:], self._drawn(missing)))
                self._hold(words, self._cursor - first)
            return self._words[self._cursor :]

    def words64(self, count: int) -> np.ndarray:
        """The next `count` pairs of words, uint64 (count,), the first of each pair above: PyTorch's `random64()`."""
        return in_pairs(self.words32(2 * count))

    def word32(self) -> int:
        """The next word."""
        return int(self.words32(1)[0])

    def word64(self) -> int:
        """The next pair of words."""
        high, low = self.words32(2).tolist()
        return high << 32 | low

    def derived(self, function, count: int, group: int = 1, step: int = 1) -> np.ndarray | None:
        """`function(words)` of the next `count` words, (count // step,), where it looks at each group of words alone.

        It is computed for all words at hand and kept, so that many small draws share the cost of one large one; the
        array is for reading only. None if the words at hand end within one of the groups wanted.
        """
        with self.lock:
            start = self._cursor
            stop = start + count
            if stop <= self._stop:
                shift = start % group
                values = self._derived.get((function, shift))
                if values is None:
                    values = self._derive(function, shift, group)
                self._cursor = stop
                return values[(start - shift) // step : (stop - shift) // step]
            if (self._stop - start) % group:
                return None
            parts: list = []
            while count:
                if self._cursor == self._stop:
                    self._hold(self._drawn(1), 0)
                taken = min(count, self._stop - self._cursor)
                parts.append(self.derived(function, taken, group, step))
                count -= taken
            return np.concatenate(parts)

    def _derive(self, function, shift: int, group: int) -> np.ndarray:
        """What a function makes of all groups of words at hand, of which the first begins after `shift` words."""
        end = len(self._words) - (len(self._words) - shift) % group
        values = self._derived[function, shift] = function(self._words[shift:end])
        values.flags.writeable = False
        return values

    def get_state(self) -> Tensor:
        """The whole state, a uint8 tensor (5056,), laid out as PyTorch's."""
        return wrap(self.state_bytes())

    def state_bytes(self) -> np.ndarray:
        """The whole state as a raw array."""
        record = np.zeros(1, STATE)
        with self.lock:
            block = max(self._cursor - 1, 0) // BLOCK * BLOCK
            words = self._words[block : block + BLOCK]
            record["seed"] = self._seed
            record["left"] = min(self._stop, block + BLOCK) - self._cursor + 1
            record["seeded"] = 1
            record["next"] = self._cursor - block
            record["words"] = self._key_of(block, words) if len(words) else self._source().state["state"]["key"]
            if self.next_double_normal_sample is not None:
                record["next_double_normal_sample"] = self.next_double_normal_sample
                record["has_double_normal_sample"] = 1
            if self.next_float_normal_sample is not None:
                record["next_float_normal_sample"] = self.next_float_normal_sample
                record["has_float_normal_sample"] = True
        return record.view(np.uint8)

    def _key_of(self, block: int, words: np.ndarray) -> np.ndarray:
        """The numbers in the state that a block of words was made from, which programs ask for more than once."""
        told = self._told
        if told is None or told[0] is not self._words or told[1] != block:
            told = self._told = self._words, block, _untempered(words)
        return told[2]

    def set_state(self, new_state: Any) -> Generator:
        """Goes on from a state that `get_state` gave, here or in PyTorch; returns the generator.

        Raises TypeError if it does not hold bytes, RuntimeError if it is no state; the stream is then as before.

        >>> generator = Generator()
        >>> state = generator.get_state()
        >>> first = generator.word32()
        >>> generator.set_state(state).word32() == first
        True
        """
        record = _record(new_state)
        key = record["words"].astype(np.uint32)
        cursor = int(record["next"])
        with self.lock:
            self._key, self._seed = key, int(record["seed"])
            words = _tempered(key)
            self._hold(words, cursor, cursor + int(record["left"]) - 1)
            self._told = words, 0, key
            has_double, has_float = record["has_double_normal_sample"], record["has_float_normal_sample"]
            self.next_double_normal_sample = float(record["next_double_normal_sample"]) if has_double else None
            self.next_float_normal_sample = float(record["next_float_normal_sample"]) if has_float else None
        return self

    def clone_state(self) -> Generator:
        """A new generator that goes on from where this one stands."""
        return type(self)(self.device).set_state(self.state_bytes())

    def get_offset(self) -> int:
        """Raises RuntimeError: only counter-based streams, as on a GPU, have an offset."""
        raise RuntimeError("CPU Generator does not use offset")

    def set_offset(self, offset: int) -> Generator:
        """Raises RuntimeError: only counter-based streams, as on a GPU, have an offset."""
        raise RuntimeError("CPU Generator does not use offset")

    def graphsafe_get_state(self) -> Generator:
        """Raises NotImplementedError: it serves CUDA graphs."""
        raise NotImplementedError("graphsafe_get_state is not supported in this Generator")

    def graphsafe_set_state(self, state: Generator) -> Generator:
        """Raises NotImplementedError: it serves CUDA graphs."""
        raise NotImplementedError("graphsafe_set_state is not supported in this Generator")

    def __reduce__(self):
        return type(self), (str(self.device),), self.state_bytes()

    def __setstate__(self, state):
        # PyTorch's pickle of a generator is (seed, offset, state)
        self.set_state(state[2] if isinstance(state, tuple) else state)

    def _source(self):
        """NumPy's bit generator, made with the first draw: importing numpy.random takes a third of our time."""
        if self._bits is None:
            self._bits = np.random.MT19937(unseeded())
            self._seeder = np.random.RandomState(self._bits)
            self._seeder.seed(self._seed & MASK_32)
        if self._key is not None:  # NumPy takes it in 35 us, which nobody waits for who puts an older state back
            self._bits.state = {"bit_generator": "MT19937", "state": {"key": self._key, "pos": BLOCK}}
            self._key = None
        return self._bits

    def _hold(self, words: np.ndarray, cursor: int, stop: int | None = None) -> None:
        words.flags.writeable = False
        self._words, self._cursor, self._derived = words, cursor, {}
        self._stop = len(words) if stop is None else stop

    def _drawn(self, missing: int) -> np.ndarray:
        """At least so many new words, in whole blocks; more each time, as long as only a few are asked for."""
        blocks = max(-(-missing // BLOCK), min(2 * len(self._words) // BLOCK, MOST_BLOCKS), 1)
        return xp.following(self._source, self._words, blocks)

    def _words_beyond(self, count: int) -> np.ndarray:
        remaining = self._words[self._cursor : self._stop]
        missing = count - len(remaining)
        drawn = self._drawn(missing)
        done = (missing - 1) // BLOCK * BLOCK
        self._hold(drawn[done:].copy() if done else drawn, missing - done)
        return np.concatenate((remaining, drawn[:missing])) if len(remaining) else drawn[:missing]


@cache
def unseeded():
    """A seed for a bit generator that is seeded again before it draws: to spread a real one takes NumPy 90 us."""
    zeros = {"generate_state": lambda self, count, dtype=None: [0] * count}
    return type("Unseeded", (np.random.bit_generator.ISeedSequence,), zeros)()


@primitive
def following(source, words: np.ndarray, blocks: int) -> np.ndarray:
    """Whole blocks of words: what `source()`, NumPy's bit generator, makes after those that it made last."""
    return source().random_raw(blocks * BLOCK).astype(np.uint32)


def _place(place) -> device:
    """The device that a generator made for `place` reports."""
    wanted = CPU if place is None else device(place)
    if wanted.type == "cpu":
        return CPU
    if wanted.type in BACKENDS.by_kind and wanted.type != "meta":
        return device(wanted.type, wanted.index or 0)
    if wanted.type == "cuda":
        raise noted(
            RuntimeError("Cannot get CUDA generator without ATen_cuda library."),
            "There is no GPU here; leave the device out, or simulate one with RUSHLIGHT_SIMULATE_CUDA=1.",
        )
    raise RuntimeError(f"{wanted.type.upper()} device type not an accelerator.")


def _record(new_state) -> np.void:
    """The fields of a state, checked."""
    content = np.asarray(new_state)
    if content.dtype != np.uint8:
        raise TypeError("RNG state must be a torch.ByteTensor")
    if not content.flags.c_contiguous:
        raise RuntimeError("RNG state must be contiguous")
    if content.size != STATE.itemsize:
        raise RuntimeError(
            f"Expected a CPUGeneratorImplState of size {STATE.itemsize} but found the input RNG state size to be "
            f"{content.size}"
        )
    record = content.reshape(-1).copy().view(STATE)[0]
    left, following = int(record["left"]), int(record["next"])
    if not record["seeded"] or not 0 < left <= BLOCK or left + following > BLOCK + 1:
        raise noted(
            RuntimeError("Invalid mt19937 state"),
            "Pass on, unchanged, what get_state() or torch.get_rng_state() returned.",
        )
    return record


def _tempered(key: np.ndarray) -> np.ndarray:
    """The words that the generator hands out for the numbers in its state."""
    words = key ^ (key >> np.uint32(11))
    words ^= (words << np.uint32(7)) & np.uint32(0x9D2C5680)
    words ^= (words << np.uint32(15)) & np.uint32(0xEFC60000)
    words ^= words >> np.uint32(18)
    return words


def _untempered(words: np.ndarray) -> np.ndarray:
    """The numbers in the state that `words` were made from: each step of `_tempered` undone, the last one first."""
    key = words ^ (words >> np.uint32(18))
    key ^= (key << np.uint32(15)) & np.uint32(0xEFC60000)
    mixed = key
    for _ in range(4):  # each round settles seven more bits
        key = mixed ^ ((key << np.uint32(7)) & np.uint32(0x9D2C5680))
    mixed = key
    for _ in range(2):  # each round settles eleven more bits
        key = mixed ^ (key >> np.uint32(11))
    return key


def unforeseen() -> int:
    """A seed from the operating system."""
    return int.from_bytes(os.urandom(8), "little")


default_generator = Generator().manual_seed(unforeseen())
in_every_child(default_generator.renew_lock)
