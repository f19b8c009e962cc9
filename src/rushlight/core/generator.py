"""The state of a random stream, which can be saved, restored, copied and passed around.

The words are those of the Mersenne Twister MT19937 (Matsumoto and Nishimura, 1998), seeded from one 32-bit integer,
generated in blocks of 624. A stream holds a few blocks; the words up to a cursor have been drawn:

    _words   | block | block | block |
    taken    -----------^ _cursor    ^ _stop

PyTorch's state holds the current block, the cursor's position in it (`next`), and one more than the number of words
left in it (`left`). Blocks are stored as the twister keeps them, before tempering.
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

# The 5056 bytes of torch.get_rng_state(), including fields that PyTorch no longer uses.
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


def checked_seed(seed: Any) -> int:
    """Returns a seed as a number of 64 bits."""
    if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)):
        raise RuntimeError(f"manual_seed expected a long, but got {type_name(seed)}")
    if isinstance(seed, np.integer):
        raise noted(TypeError("an integer is required"), "Write manual_seed(int(seed)).")
    if not -(1 << 63) <= seed <= MASK_64:
        raise noted(
            ValueError("Overflow when unpacking long long"),
            f"A seed is from -2**63 to 2**64 - 1; {seed} does not fit into 64 bits.",
        )
    return seed & MASK_64


def in_pairs(words: np.ndarray) -> np.ndarray:
    """Combines pairs of words, uint32 (2 n,), to uint64 (n,), the first of each pair in the high bits."""
    pairs = words[0::2].astype(np.uint64)
    pairs <<= np.uint64(32)
    pairs |= words[1::2]
    return pairs


class Generator:
    """A stream of random numbers, the same as PyTorch's after the same seed; that of a GPU is a `PhiloxGenerator`.

    `device` is the type of the devices whose tensors it may fill. A new stream starts from PyTorch's default seed.
    Every method is safe to call from several threads; hold `lock` to keep several calls together.

    Raises RuntimeError for a device that has no generator.

    >>> generator = Generator().manual_seed(0)
    >>> [int(word) for word in generator.words32(3)]
    [2357136044, 2546248239, 3071714933]
    """

    __slots__ = (
        "__weakref__", "_bits", "_cursor", "_key", "_derived", "_seed", "_seeder", "_stop", "_last_key", "_words",
        "device", "lock", "next_double_normal_sample", "next_float_normal_sample",
    )  # fmt: skip

    _words: np.ndarray  # complete blocks, uint32
    _cursor: int
    _stop: int
    _derived: dict

    def __new__(cls, device: device | str | int | None = None) -> Generator:
        place = _place(device)
        return object.__new__(cls if place is CPU else BACKENDS.on(place).generator_kind)

    def __init__(self, device: device | str | int | None = None) -> None:
        self.device = _place(device)
        self.renew_lock()
        self._bits = self._seeder = self._key = None
        self._last_key: tuple | None = None
        self.manual_seed(DEFAULT_SEED)

    def renew_lock(self) -> None:
        """Replaces the lock with an unlocked one."""
        self.lock = threading.RLock()

    def manual_seed(self, seed: int) -> Generator:
        """Restarts the stream; returns the generator.

        `seed` is from -2**63 to 2**64 - 1; negative seeds count from 2**64; the words depend on the low 32 bits. Raises
        RuntimeError if it is not an integer, ValueError if it is out of range.

        >>> Generator().manual_seed(-1).initial_seed() == 2**64 - 1
        True
        """
        seed = checked_seed(seed)
        with self.lock:
            self._seed, self._key = seed, None
            if self._seeder is not None:
                self._seeder.seed(self._seed & MASK_32)
            self._hold(np.empty(0, np.uint32), 0, 0)
            self.next_double_normal_sample: float | None = None
            self.next_float_normal_sample: float | None = None
        return self

    def seed(self) -> int:
        """Restarts the stream from a seed of the operating system, and returns that seed."""
        seed = system_seed()
        self.manual_seed(seed)
        return seed

    def initial_seed(self) -> int:
        """Returns the seed that the stream was last started from."""
        return self._seed

    def words32(self, count: int) -> np.ndarray:
        """Returns the next `count` words, uint32 (count,): PyTorch's `random()`. The array is read-only."""
        with self.lock:
            start, stop = self._cursor, self._cursor + count
            if stop > self._stop:
                return self._words_beyond(count)
            self._cursor = stop
            return self._words[start:stop]

    def ahead(self, count: int) -> np.ndarray | None:
        """Returns the next words, at least `count`, without drawing them; None if a restored state ends within a block.

        For callers that find out how many words they need while reading: they draw the words that they used afterwards.
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
        """Returns the next `count` pairs of words, uint64 (count,), first word high: PyTorch's `random64()`."""
        return in_pairs(self.words32(2 * count))

    def word32(self) -> int:
        """Returns the next word."""
        return int(self.words32(1)[0])

    def word64(self) -> int:
        """Returns the next pair of words."""
        high, low = self.words32(2).tolist()
        return high << 32 | low

    def derived(self, function, count: int, group: int = 1, step: int = 1) -> np.ndarray | None:
        """Returns `function(words)` of the next `count` words, (count // step,); it handles each group separately.

        It is computed for all words in the buffer and cached, so that many small draws share the cost of one large one;
        the array is read-only. Returns None if the buffer ends within a requested group.
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
        """Applies a function to all groups of words in the buffer; the first group begins after `shift` words."""
        end = len(self._words) - (len(self._words) - shift) % group
        values = self._derived[function, shift] = function(self._words[shift:end])
        values.flags.writeable = False
        return values

    def get_state(self) -> Tensor:
        """Returns the whole state, a uint8 tensor (5056,), in PyTorch's layout."""
        return wrap(self.state_bytes())

    def state_bytes(self) -> np.ndarray:
        """Returns the whole state as a raw array."""
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
        """Returns the state's integers that a block of words was made from; cached for repeated calls."""
        cached = self._last_key
        if cached is None or cached[0] is not self._words or cached[1] != block:
            cached = self._last_key = self._words, block, xp.untempered(words)
        return cached[2]

    def set_state(self, new_state: Any) -> Generator:
        """Continues from a state returned by `get_state`, here or in PyTorch; returns the generator.

        Raises TypeError if it does not hold bytes, RuntimeError if it is not a state; the stream is then unchanged.

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
            words = xp.tempered(key)
            self._hold(words, cursor, cursor + int(record["left"]) - 1)
            self._last_key = words, 0, key
            has_double, has_float = record["has_double_normal_sample"], record["has_float_normal_sample"]
            self.next_double_normal_sample = float(record["next_double_normal_sample"]) if has_double else None
            self.next_float_normal_sample = float(record["next_float_normal_sample"]) if has_float else None
        return self

    def clone_state(self) -> Generator:
        """Returns a new generator that continues from the current state."""
        return type(self)(self.device).set_state(self.state_bytes())

    def get_offset(self) -> int:
        """Raises RuntimeError: only counter-based generators, as on a GPU, have an offset."""
        raise RuntimeError("CPU Generator does not use offset")

    def set_offset(self, offset: int) -> Generator:
        """Raises RuntimeError: only counter-based generators, as on a GPU, have an offset."""
        raise RuntimeError("CPU Generator does not use offset")

    def graphsafe_get_state(self) -> Generator:
        """Raises NotImplementedError: it is for CUDA graphs."""
        raise NotImplementedError("graphsafe_get_state is not supported in this Generator")

    def graphsafe_set_state(self, state: Generator) -> Generator:
        """Raises NotImplementedError: it is for CUDA graphs."""
        raise NotImplementedError("graphsafe_set_state is not supported in this Generator")

    def __repr__(self) -> str:
        return f"<torch._C.Generator object at {id(self):#x}>"

    def __reduce__(self):
        return type(self), (str(self.device),), self.state_bytes()

    def __setstate__(self, state):
        # PyTorch's pickle of a generator is (seed, offset, state)
        self.set_state(state[2] if isinstance(state, tuple) else state)

    def _source(self):
        """Returns NumPy's bit generator, made at the first draw: numpy.random is a third of our import time."""
        if self._bits is None:
            self._bits = np.random.MT19937(unseeded())
            self._seeder = np.random.RandomState(self._bits)
            self._seeder.seed(self._seed & MASK_32)
        if self._key is not None:  # takes NumPy 35 us, so it is delayed until the next draw
            self._bits.state = {"bit_generator": "MT19937", "state": {"key": self._key, "pos": BLOCK}}
            self._key = None
        return self._bits

    def _hold(self, words: np.ndarray, cursor: int, stop: int | None = None) -> None:
        words.flags.writeable = False
        self._words, self._cursor, self._derived = words, cursor, {}
        self._stop = len(words) if stop is None else stop

    def _drawn(self, missing: int) -> np.ndarray:
        """Draws at least `missing` new words, in whole blocks; more blocks each time, up to a limit."""
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
    """Returns a cheap seed for a bit generator that is seeded again before it draws: a real one takes NumPy 90 us."""
    zeros = {"generate_state": lambda self, count, dtype=None: [0] * count}
    return type("Unseeded", (np.random.bit_generator.ISeedSequence,), zeros)()


@primitive
def following(source, words: np.ndarray, blocks: int) -> np.ndarray:
    """Returns the next blocks of words of `source()`, NumPy's bit generator."""
    return source().random_raw(blocks * BLOCK).astype(np.uint32)


def _place(place) -> device:
    """Returns the device that a generator made for `place` reports."""
    requested = CPU if place is None else device(place)
    if requested.type == "cpu":
        return CPU
    if requested.type in BACKENDS.by_kind and requested.type != "meta":
        return BACKENDS.on(requested).place
    if requested.type == "cuda":
        raise noted(
            RuntimeError("Cannot get CUDA generator without ATen_cuda library."),
            "There is no GPU here; leave the device out, or simulate one with RUSHLIGHT_SIMULATE_CUDA=1.",
        )
    raise RuntimeError(f"{requested.type.upper()} device type not an accelerator.")


def _record(new_state) -> np.void:
    """Returns the fields of a state. Raises TypeError or RuntimeError if it is invalid."""
    if not hasattr(new_state, "__array__"):
        raise TypeError(f"expected a torch.ByteTensor, but got {type_name(new_state)}")
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


def system_seed() -> int:
    """Returns a seed from the operating system."""
    return int.from_bytes(os.urandom(8), "little")


default_generator = Generator().manual_seed(system_seed())


def generator_of(array) -> Generator:
    """Returns the generator that draws for a raw array's device, if the program names none."""
    if type(array) is np.ndarray:
        return default_generator
    return BACKENDS.of(array).generator or default_generator


def generator_on(place: device) -> Generator:
    """Returns the generator that draws for tensors on a device, if the program names none."""
    backend = BACKENDS.by_kind.get(place.type) if place.type == "cuda" else None
    return default_generator if backend is None else backend.at(place.index).generator


in_every_child(default_generator.renew_lock)
