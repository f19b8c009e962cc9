"""Sorting by digits: stable, with as many passes as the keys have digits that differ.

A number becomes a key, an unsigned one that is ordered as PyTorch orders numbers: NaN above all, and both zeros alike.
Turned over, the keys sort in descending order and equal elements still keep theirs. Each pass deals keys and positions
out by one digit, beginning with the lowest (radix sort: Knuth, The Art of Computer Programming 3, 5.2.5).
"""

from __future__ import annotations

import numpy as np

from rushlight.arrays.sort import begins_of
from rushlight.core.policy import GRAIN, SORTED
from rushlight.kernels.arguments import number_of, packed
from rushlight.lower.language import bits, clear, is_float, local, offset
from rushlight.lower.llvm import host
from rushlight.lower.native import Element, float32, float64, int32, int64, native, pointer, uint32, uint64
from rushlight.lower.parallel import parallel_for
from rushlight.lower.registry import kernel_of

T = Element("T")
K = Element("K")  # unsigned numbers as wide as T

KEYS = {float32: uint32, float64: uint64, int32: uint32, int64: uint64}
SHORT = 1 << 13  # lines so short have digits of 8 bits, longer ones of 11
INSERTED = 40  # such lines are sorted by putting each number where it belongs, one after the other
SHARES = 16  # in which lines are sorted at the same time, each with memory of its own
FEW = 64  # the most that are kept in order while the rest goes by


@native(inlined=True)
def key_of(value: T, top: K, turned: K, width: int64) -> K:
    """The key of a number; `top` is the highest bit, `turned` all bits to sort the other way."""
    if is_float(value):
        every = top | (top - 1)
        if value != value:
            return every ^ turned
        found = K(bits(value + T(0)))  # plus zero: the negative zero becomes the positive one
        # Negative numbers have all bits turned: without a comparison, of which LLVM might make a branch.
        return (found ^ (top | K(K(0) - (found >> K(width - 1))))) ^ turned
    return (K(value) ^ top) ^ turned


@native
def keep(keys: pointer(K), where: pointer(int64), last: int64, key: K, i: int64):
    """Puts a key among those before `last`, which are in order; what stands there is lost."""
    place = last
    while place > 0 and key < keys[place - 1]:
        keys[place] = keys[place - 1]
        where[place] = where[place - 1]
        place -= 1
    keys[place] = key
    where[place] = i


@native
def sort_line(values: pointer(T), places: pointer(int64), array: pointer(T), keys: pointer(K), orders: pointer(uint32),
              length: int64, top: K, turned: K, digit: int64, width: int64):  # fmt: skip
    """Sorts one line by keys of `width` bits. `keys` and `orders` have room for two lines each."""
    if length <= INSERTED:
        for i in range(length):
            keep(keys, places, i, key_of(array[i], top, turned, width), i)
        for i in range(length):
            values[i] = array[places[i]]
        return
    differing, first = K(0), key_of(array[0], top, turned, width)
    for i in range(length):
        key = key_of(array[i], top, turned, width)
        keys[i] = key
        orders[i] = uint32(i)
        differing = differing | (key ^ first)
    here, there, low = int64(0), length, int64(0)
    counts = local(uint32, 2048)
    mask = (K(1) << K(digit)) - K(1)
    while low < width and differing >> K(low) != 0:
        if (differing >> K(low)) & mask != 0:
            count_digits(counts, offset(keys, here), length, low, mask)
            for i in range(here, here + length):
                key = keys[i]
                d = int64((key >> K(low)) & mask)
                to = there + int64(counts[d])
                counts[d] += 1
                keys[to] = key
                orders[to] = orders[i]
            here, there = there, here
        low += digit
    for i in range(length):
        place = int64(orders[here + i])
        places[i] = place
        values[i] = array[place]


@native
def count_digits(counts: pointer(uint32), keys: pointer(K), length: int64, low: int64, mask: K):
    """Where the first key with each digit goes."""
    clear(counts, int64(mask) + 1)
    for i in range(length):
        counts[int64((keys[i] >> K(low)) & mask)] += 1
    total = uint32(0)
    for d in range(int64(mask) + 1):
        count = counts[d]
        counts[d] = total
        total += count


@native
def sort_share(values: pointer(T), places: pointer(int64), array: pointer(T), keys: pointer(K),
               orders: pointer(uint32), length: int64, top: K, turned: K, digit: int64, width: int64, lines: int64,
               share: int64, begin: int64, end: int64):  # fmt: skip
    for piece in range(begin, end):  # each has room of its own
        room = piece * 2 * length
        for line in range(piece * share, min((piece + 1) * share, lines)):
            at = line * length
            sort_line(offset(values, at), offset(places, at), offset(array, at), offset(keys, room),
                      offset(orders, room), length, top, turned, digit, width)  # fmt: skip


@native(light=True)
def sort_lines(values: pointer(T), places: pointer(int64), array: pointer(T), keys: pointer(K),
               orders: pointer(uint32), length: int64, top: K, turned: K, digit: int64, width: int64, lines: int64,
               share: int64, shares: int64):  # fmt: skip
    parallel_for(sort_share, shares, 1, values, places, array, keys, orders, length, top, turned, digit, width, lines,
                 share)  # fmt: skip


def sorted_lines(lines, descending: bool):
    """(values, positions) of an array (lines, length), each line sorted."""
    kind = number_of(lines)
    key = KEYS[kind]
    count, length = lines.shape
    share = -(-count // SHARES)
    shares = -(-count // share)
    values, places = np.empty_like(lines), np.empty(lines.shape, np.int64)
    keys, orders = np.empty((shares, 2, length), key.numpy), np.empty((shares, 2, length), np.uint32)
    kernel = sort_lines.machine(kind, key)
    digit = 8 if length < SHORT else 11
    kernel(
        values, places, lines, keys, orders, length, *turning(key, descending), digit, key.bits, count, share, shares
    )
    return values, places


def turning(key, descending: bool) -> tuple[int, int]:
    """The highest bit, and the bits that turn keys round."""
    return 1 << (key.bits - 1), (1 << key.bits) - 1 if descending else 0


# ---- the best few


@native
def best_of_lines(values: pointer(T), places: pointer(int64), array: pointer(T), few: int64, length: int64, top: K,
                  turned: K, width: int64, begin: int64, end: int64):  # fmt: skip
    keys = local(K, 64)
    for line in range(begin, end):
        source, to, where = offset(array, line * length), offset(values, line * few), offset(places, line * few)
        for i in range(few):
            keep(keys, where, i, key_of(source[i], top, turned, width), i)
        worst = keys[few - 1]
        for i in range(few, length):
            key = key_of(source[i], top, turned, width)
            if key < worst:
                keep(keys, where, few - 1, key, i)
                worst = keys[few - 1]
        for i in range(few):
            to[i] = source[where[i]]


@native(light=True)
def best_of_all(values: pointer(T), places: pointer(int64), array: pointer(T), few: int64, length: int64, top: K,
                turned: K, width: int64, lines: int64, grain: int64):  # fmt: skip
    parallel_for(best_of_lines, lines, grain, values, places, array, few, length, top, turned, width)


def best(lines, few: int, largest: bool):
    """(values, positions) of the best few of each line of an array (lines, length), the first of equals first."""
    kind = number_of(lines)
    key = KEYS[kind]
    count, length = lines.shape
    values, places = np.empty((count, few), lines.dtype), np.empty((count, few), np.int64)
    kernel = best_of_all.machine(kind, key)
    grain = max(1, GRAIN // length)
    kernel(values, places, lines, few, length, *turning(key, largest), key.bits, count, grain)
    return values, places


# ---- along any dimension


def by_lines(function, array, axis: int, *arguments):
    """What a function of lines finds along an axis; None where there is no kernel."""
    if array.size < SORTED or type(array) is not np.ndarray or number_of(array) not in KEYS or array.shape[axis] < 2:
        return None
    moved = packed(array.swapaxes(axis, -1))
    shape = moved.shape[:-1]
    found = function(moved.reshape(-1, moved.shape[-1]), *arguments)
    return tuple([packed(each.reshape(*shape, each.shape[-1]).swapaxes(axis, -1)) for each in found])


# NumPy sorts numbers of 32 bits with their positions in vectors, where a processor has the instructions: that is beaten
# by several threads alone.
IN_VECTORS = 1 << 16 if "+avx2" in host().features.split(",") else 0


@kernel_of("sort", least=SORTED)
def sort(array, axis, descending=False):
    if array.size < IN_VECTORS and number_of(array) in (float32, int32):
        return None
    return by_lines(sorted_lines, array, axis, descending)


@kernel_of("order", least=SORTED)
def order(array, axis, descending=False):
    found = sort(array, axis, descending)
    return None if found is None else found[1]


@kernel_of("different", least=SORTED)
def different(array):
    found = sort(array.reshape(-1), 0)
    return None if found is None else found[0][begins_of(found[0])]


@kernel_of("top", least=SORTED)
def top(array, count, axis, largest):
    if not array.ndim or not 0 < count <= min(FEW, array.shape[axis] // 4):
        return None
    if array.size == array.shape[axis]:  # a line alone takes NumPy less, which leaves most of it out
        return None
    return by_lines(best, array, axis, count, largest)
