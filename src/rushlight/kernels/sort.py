"""Stable radix sort, with as many passes as the keys have differing digits.

An element becomes an unsigned key in PyTorch's order: NaN above all, zeros of both signs equal. Inverted keys sort in
descending order and stay stable. Each pass distributes keys and positions by one digit, lowest first (Knuth, The Art of
Computer Programming 3, 5.2.5). Parallel over shares of rows.
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
K = Element("K")  # unsigned integers as wide as T

KEYS = {float32: uint32, float64: uint64, int32: uint32, int64: uint64}
SHORT = 1 << 13  # shorter rows use digits of 8 bits, longer ones of 11
INSERTED = 40  # rows up to this length are sorted by insertion
SHARES = 16  # groups of rows that are sorted at the same time, each with its own workspace
FEW = 64  # largest k that is kept sorted while the row is scanned


@native(inlined=True)
def key_of(value: T, top: K, inverted: K, width: int64) -> K:
    """Returns the key of a value; `top` is the highest bit, `inverted` the mask that inverts the order."""
    if is_float(value):
        every = top | (top - 1)
        if value != value:
            return every ^ inverted
        key = K(bits(value + T(0)))  # adding zero makes negative zero positive
        # Negative floats have all bits inverted; computed without a comparison, which LLVM might turn into a branch.
        return (key ^ (top | K(K(0) - (key >> K(width - 1))))) ^ inverted
    return (K(value) ^ top) ^ inverted


@native
def insert(keys: pointer(K), where: pointer(int64), last: int64, key: K, i: int64):
    """Inserts a key into the sorted ones before `last`; overwrites the key at `last`."""
    index = last
    while index > 0 and key < keys[index - 1]:
        keys[index] = keys[index - 1]
        where[index] = where[index - 1]
        index -= 1
    keys[index] = key
    where[index] = i


@native
def sort_line(values: pointer(T), positions: pointer(int64), array: pointer(T), keys: pointer(K),
              orders: pointer(uint32), length: int64, top: K, inverted: K, digit: int64, width: int64):  # fmt: skip
    """Sorts one row by keys of `width` bits. `keys` and `orders` hold two rows each."""
    if length <= INSERTED:
        for i in range(length):
            insert(keys, positions, i, key_of(array[i], top, inverted, width), i)
        for i in range(length):
            values[i] = array[positions[i]]
        return
    differing, first = K(0), key_of(array[0], top, inverted, width)
    for i in range(length):
        key = key_of(array[i], top, inverted, width)
        keys[i] = key
        orders[i] = uint32(i)
        differing = differing | (key ^ first)
    source, target, low = int64(0), length, int64(0)
    counts = local(uint32, 2048)
    mask = (K(1) << K(digit)) - K(1)
    while low < width and differing >> K(low) != 0:
        if (differing >> K(low)) & mask != 0:
            count_digits(counts, offset(keys, source), length, low, mask)
            for i in range(source, source + length):
                key = keys[i]
                d = int64((key >> K(low)) & mask)
                to = target + int64(counts[d])
                counts[d] += 1
                keys[to] = key
                orders[to] = orders[i]
            source, target = target, source
        low += digit
    for i in range(length):
        position = int64(orders[source + i])
        positions[i] = position
        values[i] = array[position]


@native
def count_digits(counts: pointer(uint32), keys: pointer(K), length: int64, low: int64, mask: K):
    """Computes the first position of each digit."""
    clear(counts, int64(mask) + 1)
    for i in range(length):
        counts[int64((keys[i] >> K(low)) & mask)] += 1
    total = uint32(0)
    for d in range(int64(mask) + 1):
        count = counts[d]
        counts[d] = total
        total += count


@native
def sort_share(values: pointer(T), positions: pointer(int64), array: pointer(T), keys: pointer(K),
               orders: pointer(uint32), length: int64, top: K, inverted: K, digit: int64, width: int64, lines: int64,
               share: int64, begin: int64, end: int64):  # fmt: skip
    for piece in range(begin, end):  # each has its own workspace
        workspace = piece * 2 * length
        for line in range(piece * share, min((piece + 1) * share, lines)):
            at = line * length
            sort_line(offset(values, at), offset(positions, at), offset(array, at), offset(keys, workspace),
                      offset(orders, workspace), length, top, inverted, digit, width)  # fmt: skip


@native(light=True)
def sort_lines(values: pointer(T), positions: pointer(int64), array: pointer(T), keys: pointer(K),
               orders: pointer(uint32), length: int64, top: K, inverted: K, digit: int64, width: int64, lines: int64,
               share: int64, shares: int64):  # fmt: skip
    parallel_for(sort_share, shares, 1, values, positions, array, keys, orders, length, top, inverted, digit, width,
                 lines, share)  # fmt: skip


def sorted_lines(lines, descending: bool):
    """Returns (values, positions) of an array (lines, length), each row sorted."""
    dtype = number_of(lines)
    key = KEYS[dtype]
    count, length = lines.shape
    share = -(-count // SHARES)
    shares = -(-count // share)
    values, positions = np.empty_like(lines), np.empty(lines.shape, np.int64)
    keys, orders = np.empty((shares, 2, length), key.numpy), np.empty((shares, 2, length), np.uint32)
    kernel = sort_lines.machine(dtype, key)
    digit = 8 if length < SHORT else 11
    kernel(
        values,
        positions,
        lines,
        keys,
        orders,
        length,
        *key_bits(key, descending),
        digit,
        key.bits,
        count,
        share,
        shares,
    )
    return values, positions


def key_bits(key, descending: bool) -> tuple[int, int]:
    """Returns the highest bit and the mask that inverts keys."""
    return 1 << (key.bits - 1), (1 << key.bits) - 1 if descending else 0


# ---- top k


@native
def best_of_lines(values: pointer(T), positions: pointer(int64), array: pointer(T), k: int64, length: int64, top: K,
                  inverted: K, width: int64, begin: int64, end: int64):  # fmt: skip
    keys = local(K, 64)
    for line in range(begin, end):
        source, to, where = offset(array, line * length), offset(values, line * k), offset(positions, line * k)
        for i in range(k):
            insert(keys, where, i, key_of(source[i], top, inverted, width), i)
        worst = keys[k - 1]
        for i in range(k, length):
            key = key_of(source[i], top, inverted, width)
            if key < worst:
                insert(keys, where, k - 1, key, i)
                worst = keys[k - 1]
        for i in range(k):
            to[i] = source[where[i]]


@native(light=True)
def best_of_all(values: pointer(T), positions: pointer(int64), array: pointer(T), k: int64, length: int64, top: K,
                inverted: K, width: int64, lines: int64, grain: int64):  # fmt: skip
    parallel_for(best_of_lines, lines, grain, values, positions, array, k, length, top, inverted, width)


def best(lines, k: int, largest: bool):
    """Returns (values, positions) of the best `k` of each row of an array (lines, length); stable."""
    dtype = number_of(lines)
    key = KEYS[dtype]
    count, length = lines.shape
    values, positions = np.empty((count, k), lines.dtype), np.empty((count, k), np.int64)
    kernel = best_of_all.machine(dtype, key)
    grain = max(1, GRAIN // length)
    kernel(values, positions, lines, k, length, *key_bits(key, largest), key.bits, count, grain)
    return values, positions


# ---- along any dimension


def by_lines(function, array, axis: int, *arguments):
    """Returns a function of rows applied along an axis; None if no kernel fits."""
    if array.size < SORTED or type(array) is not np.ndarray or number_of(array) not in KEYS or array.shape[axis] < 2:
        return None
    moved = packed(array.swapaxes(axis, -1))
    shape = moved.shape[:-1]
    result = function(moved.reshape(-1, moved.shape[-1]), *arguments)
    return tuple([packed(x.reshape(*shape, x.shape[-1]).swapaxes(axis, -1)) for x in result])


# NumPy sorts 32-bit elements with vector instructions where available, which only several threads beat.
IN_VECTORS = 1 << 16 if "+avx2" in host().features.split(",") else 0


@kernel_of("sort", least=SORTED)
def sort(array, axis, descending=False):
    if array.size < IN_VECTORS and number_of(array) in (float32, int32):
        return None
    return by_lines(sorted_lines, array, axis, descending)


@kernel_of("order", least=SORTED)
def order(array, axis, descending=False):
    result = sort(array, axis, descending)
    return None if result is None else result[1]


@kernel_of("different", least=SORTED)
def different(array):
    result = sort(array.reshape(-1), 0)
    return None if result is None else result[0][begins_of(result[0])]


@kernel_of("top", least=SORTED)
def top(array, count, axis, largest):
    if not array.ndim or not 0 < count <= min(FEW, array.shape[axis] // 4):
        return None
    if array.size == array.shape[axis]:  # for a single row NumPy's partition is faster
        return None
    return by_lines(best, array, axis, count, largest)
