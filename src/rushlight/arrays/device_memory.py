"""The memory of a simulated GPU, counted as PyTorch's caching allocator counts it.

An array of the simulated GPU is in the CPU's memory; here each gets a block of an address space of its own. Blocks
are multiples of 512 bytes, taken from segments that the device gives out: 2 MB for requests of at most 1 MB, 20 MB
below 10 MB, else the request in multiples of 2 MB. A freed block is kept for later requests of the same stream and
pool, and joined with its free neighbours; `release` returns segments without a block in use.
https://docs.pytorch.org/docs/stable/notes/cuda.html#memory-management
"""

from __future__ import annotations

import weakref
from bisect import bisect_left, insort
from collections import deque
from collections.abc import Callable, Iterator
from threading import RLock
from typing import Any, NamedTuple

from rushlight.core.errors import OutOfMemoryError
from rushlight.core.origin import Place, here

KIB, MIB, GIB = 1 << 10, 1 << 20, 1 << 30
ROUNDED = 512  # bytes that every block is a multiple of
SMALL = MIB  # largest request of the small pool
SMALL_SEGMENT, LARGE_SEGMENT, UNIT = 2 * MIB, 20 * MIB, 2 * MIB
OWN_SEGMENT = 10 * MIB  # requests of at least this size get a segment of their size
FIRST_ADDRESS = 0x7F00_0000_0000

POOLS = ("all", "small_pool", "large_pool")
COUNTS = ("allocation", "segment", "active", "inactive_split")
BYTES = ("allocated_bytes", "reserved_bytes", "active_bytes", "inactive_split_bytes", "requested_bytes")
OVERSIZE = ("oversize_allocations", "oversize_segments")  # for a largest size to split, which has no limit here
EVENTS = (
    "num_alloc_retries", "num_ooms", "num_sync_all_streams", "num_device_alloc", "num_device_free",
    "num_oom_rejections",
)  # fmt: skip
ADVICE = (
    "If reserved but unallocated memory is large try setting PYTORCH_ALLOC_CONF=expandable_segments:True to avoid "
    "fragmentation.  See documentation for Memory Management  "
    "(https://docs.pytorch.org/docs/stable/notes/cuda.html#optimizing-memory-usage-with-pytorch-alloc-conf)"
)


class Stat:
    """A quantity: its current value, its peak, and all that was ever added and taken away."""

    __slots__ = ("allocated", "current", "freed", "peak")

    def __init__(self) -> None:
        self.current = self.peak = self.allocated = self.freed = 0

    def add(self, amount: int) -> None:
        if amount > 0:
            self.allocated += amount
        else:
            self.freed -= amount
        self.current += amount
        self.peak = max(self.peak, self.current)

    def as_dict(self) -> dict[str, int]:
        return {"current": self.current, "peak": self.peak, "allocated": self.allocated, "freed": self.freed}


class Where(NamedTuple):
    """What shares free blocks: a stream, a pool of a graph or None, and a size class."""

    stream: int
    pool: Any
    small: bool


class Segment:
    """Memory that the device gave out at once."""

    def __init__(self, address: int, size: int, where: Where) -> None:
        self.address, self.size, self.where = address, size, where
        self.first = Block(self, address, size)

    def blocks(self) -> Iterator[Block]:
        block: Block | None = self.first
        while block is not None:
            yield block
            block = block.next


class Block:
    """A part of a segment, free or in use by one array."""

    __slots__ = ("address", "free", "next", "place", "previous", "requested", "segment", "size")

    def __init__(self, segment: Segment, address: int, size: int) -> None:
        self.segment, self.address, self.size = segment, address, size
        self.requested, self.free = 0, True
        self.previous: Block | None = None
        self.next: Block | None = None
        self.place: Place | None = None  # the line of the program that made the array

    @property
    def is_split(self) -> bool:
        """Whether it is a part of its segment only."""
        return self.previous is not None or self.next is not None


class Held(weakref.ref):
    """A reference to an array that owns memory; when the array dies, its block becomes free."""

    __slots__ = ("block", "key")

    key: int
    block: Block


class DeviceMemory:
    """The memory of one device.

    `total` is its size in bytes, `fraction` the part of it that the program may use. `explain` returns a note for an
    error of full memory, from the blocks in use.
    """

    explain: Callable[[DeviceMemory], str] | None = None

    def __init__(self, index: int, total: int) -> None:
        self.index, self.total, self.fraction = index, total, 1.0
        self.caching = True  # whether freed memory is kept for later
        self.lock = RLock()
        self.held: dict[int, Held] = {}
        self.dead: deque[Block] = deque()  # blocks of arrays that died; a collection of garbage may run at any line
        self.segments: dict[int, Segment] = {}
        self.free: dict[Where, list[tuple[int, int, Block]]] = {}
        self.next_address = FIRST_ADDRESS + (index << 40)
        self.stats = {(name, pool): Stat() for name in (*COUNTS, *BYTES) for pool in POOLS}
        self.oversize = {name: Stat() for name in OVERSIZE}
        self.events = dict.fromkeys(EVENTS, 0)

    # ---- arrays

    def hold(self, array: Any, stream: int = 0, pool: Any = None) -> None:
        """Counts the memory of an array, once, until it dies. Raises OutOfMemoryError if it does not fit."""
        root = owner_of(array)
        if id(root) in self.held or not root.nbytes:
            return
        with self.lock:
            if id(root) not in self.held:  # as another thread may have found
                block = self.allocate(root.nbytes, stream, pool)
                block.place = here()
                held = Held(root, self._died)
                held.key, held.block = id(root), block
                self.held[held.key] = held

    def block_of(self, array: Any) -> Block | None:
        """Returns the block of an array; None if it has no memory."""
        held = self.held.get(id(owner_of(array)))
        return None if held is None else held.block

    def _died(self, held: Any) -> None:
        self.held.pop(held.key, None)
        self.dead.append(held.block)

    def collect(self) -> None:
        """Frees the blocks of arrays that died."""
        with self.lock:
            while self.dead:
                self._release(self.dead.popleft())

    # ---- blocks

    def allocate(self, requested: int, stream: int = 0, pool: Any = None) -> Block:
        """Returns a block for this many bytes. Raises OutOfMemoryError if none is free and no segment fits."""
        size = -(-requested // ROUNDED) * ROUNDED
        where = Where(stream, pool, size <= SMALL)
        with self.lock:
            self.collect()
            block = self._found(where, size) or self._new_segment(where, size)
            if block is None:
                self.events["num_alloc_retries"] += 1
                self.release()
                block = self._new_segment(where, size)
            if block is None:
                raise self.out_of_memory(requested)
            self._split(block, size)
            block.requested, block.free, block.place = requested, False, None
            self._count(where, 1, "allocation", "active")
            self._count(where, block.size, "allocated_bytes", "active_bytes")
            self._count(where, requested, "requested_bytes")
            return block

    def free_block(self, block: Block) -> None:
        """Frees a block that `allocate` returned."""
        with self.lock:
            self._release(block)

    def _release(self, block: Block) -> None:
        where = block.segment.where
        block.free = True
        self._count(where, -1, "allocation", "active")
        self._count(where, -block.size, "allocated_bytes", "active_bytes")
        self._count(where, -block.requested, "requested_bytes")
        block.requested, block.place = 0, None
        for neighbour in (block.previous, block.next):
            if neighbour is not None and neighbour.free:
                self._take(neighbour)
                block = self._joined(block, neighbour)
        self._put(block)
        if not self.caching:
            self._return_segments()

    def _joined(self, block: Block, other: Block) -> Block:
        left, right = (block, other) if block.address < other.address else (other, block)
        left.size += right.size
        left.next = right.next
        if right.next is not None:
            right.next.previous = left
        return left

    def _found(self, where: Where, size: int) -> Block | None:
        """Takes the smallest free block that is large enough."""
        blocks = self.free.get(where, [])
        position = bisect_left(blocks, size, key=lambda entry: entry[0])
        if position == len(blocks):
            return None
        block = blocks[position][2]
        self._take(block)
        return block

    def _new_segment(self, where: Where, size: int) -> Block | None:
        if where.small:
            wanted = SMALL_SEGMENT
        else:
            wanted = LARGE_SEGMENT if size < OWN_SEGMENT else -(-size // UNIT) * UNIT
        if self.reserved + wanted > self.limit:
            return None
        segment = Segment(self.next_address, wanted, where)
        self.next_address += -(-wanted // LARGE_SEGMENT) * LARGE_SEGMENT
        self.segments[segment.address] = segment
        self.events["num_device_alloc"] += 1
        self._count(where, 1, "segment")
        self._count(where, wanted, "reserved_bytes")
        return segment.first

    def _split(self, block: Block, size: int) -> None:
        """Makes a block as small as asked for, if what remains is of use."""
        rest = block.size - size
        if rest < ROUNDED if block.segment.where.small else rest <= SMALL:
            return
        other = Block(block.segment, block.address + size, rest)
        other.previous, other.next = block, block.next
        if block.next is not None:
            block.next.previous = other
        block.next, block.size = other, size
        self._put(other)

    def _put(self, block: Block) -> None:
        """Adds a block to the free ones."""
        where = block.segment.where
        insort(self.free.setdefault(where, []), (block.size, block.address, block))
        if block.is_split:
            self._count(where, 1, "inactive_split")
            self._count(where, block.size, "inactive_split_bytes")

    def _take(self, block: Block) -> None:
        """Removes a block from the free ones."""
        where = block.segment.where
        blocks = self.free[where]
        del blocks[bisect_left(blocks, (block.size, block.address), key=lambda entry: entry[:2])]
        if block.is_split:
            self._count(where, -1, "inactive_split")
            self._count(where, -block.size, "inactive_split_bytes")

    def release(self) -> None:
        """Returns to the device all segments without a block in use."""
        with self.lock:
            self.collect()
            self._return_segments()

    def _return_segments(self) -> None:
        for blocks in self.free.values():
            for _, _, block in [entry for entry in blocks if not entry[2].is_split]:
                self._take(block)
                del self.segments[block.segment.address]
                self.events["num_device_free"] += 1
                self._count(block.segment.where, -1, "segment")
                self._count(block.segment.where, -block.size, "reserved_bytes")

    # ---- counting

    def _count(self, where: Where, amount: int, *names: str) -> None:
        for name in names:
            self.stats[name, "all"].add(amount)
            self.stats[name, "small_pool" if where.small else "large_pool"].add(amount)

    @property
    def reserved(self) -> int:
        return self.stats["reserved_bytes", "all"].current

    @property
    def allocated(self) -> int:
        return self.stats["allocated_bytes", "all"].current

    @property
    def limit(self) -> int:
        """The bytes that the program may use."""
        return int(self.total * self.fraction)

    def counters(self) -> dict[str, Any]:
        """Returns all statistics, nested as PyTorch nests them."""
        self.collect()
        nested: dict[str, Any] = {name: {} for name in (*COUNTS, *BYTES)}
        for (name, pool), stat in self.stats.items():
            nested[name][pool] = stat.as_dict()
        nested |= {name: stat.as_dict() for name, stat in self.oversize.items()}
        return nested | self.events | {"max_split_size": -1}

    def reset_peaks(self) -> None:
        """Makes the current values the peaks."""
        self.collect()
        for stat in (*self.stats.values(), *self.oversize.values()):
            stat.peak = stat.current

    def reset_accumulated(self) -> None:
        """Forgets what was added and taken away before."""
        self.collect()
        for stat in (*self.stats.values(), *self.oversize.values()):
            stat.allocated = stat.freed = 0
        self.events = dict.fromkeys(EVENTS, 0)

    def in_use(self) -> list[tuple[Block, Any]]:
        """Returns the blocks in use and their arrays, the largest first."""
        self.collect()
        pairs = [(held.block, held()) for held in list(self.held.values())]
        alive = [(block, array) for block, array in pairs if array is not None]
        return sorted(alive, key=lambda pair: -pair[0].size)

    def out_of_memory(self, requested: int) -> OutOfMemoryError:
        """Returns PyTorch's error for memory that is not there, with what holds the rest."""
        self.events["num_ooms"] += 1
        limited = "" if self.fraction == 1 else f"{size_text(self.limit)} allowed; "
        error = OutOfMemoryError(
            f"CUDA out of memory. Tried to allocate {size_text(requested)}. GPU {self.index} has a total capacity of "
            f"{size_text(self.total)} of which {size_text(self.total - self.reserved)} is free. {limited}Including "
            f"non-PyTorch memory, this process has {size_text(self.reserved)} memory in use. Of the allocated memory "
            f"{size_text(self.allocated)} is allocated by PyTorch, and {size_text(self.reserved - self.allocated)} is "
            f"reserved by PyTorch but unallocated. {ADVICE}"
        )
        if self.explain is not None and (note := self.explain(self)):
            error.add_note(note)
        return error


def owner_of(array: Any) -> Any:
    """Returns the array that owns the memory of one."""
    while (base := getattr(array, "base", None)) is not None:
        array = base
    return array


def size_text(size: int) -> str:
    """Returns a number of bytes as PyTorch's errors write it."""
    for unit, name in ((GIB, "GiB"), (MIB, "MiB"), (KIB, "KiB")):
        if size >= unit:
            return f"{size / unit:.2f} {name}"
    return f"{size} bytes"
