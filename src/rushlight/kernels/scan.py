"""Cumulative sums, products and extremes, and linear recurrences, along a dimension.

Sums and products of float32 are accumulated in float64 and rounded per element, as in PyTorch. To hide the latency of
additions, four rows are scanned together; for float32 as many as a vector has lanes, in squares transposed in registers
and back. These are prefetched, since hardware prefetchers follow few streams. One long row is cut into parts whose
totals are computed first; cuts depend on its length only, so results do not depend on the number of threads. Parallel
over rows, strips of columns, or parts.
"""

from __future__ import annotations

import numpy as np

from rushlight.arrays.threads import get_num_threads
from rushlight.core.policy import GRAIN, RUNNING
from rushlight.kernels.arguments import divided, number_of, packed
from rushlight.kernels.vectors import LANES, load, prefetch_far, splat, store, sum_of, transpose
from rushlight.lower.language import is_float, local, offset
from rushlight.lower.native import OF_NUMPY, Element, boolean, float32, float64, int64, native, pointer
from rushlight.lower.parallel import parallel_for
from rushlight.lower.registry import kernel_of

T = Element("T")
S = Element("S")  # dtype of the array
A = Element("A")  # dtype of the computation

STRIP = 64  # columns of a recurrence that are carried
SOON = 64  # elements to prefetch ahead of the transposed square, in its rows or the next
PART = 8_000  # not a power of two: rows at such distances evict each other from cache
WIDE = {float32: float64, float64: float64, int64: int64}


@native(inlined=True)
def plus(a: A, b: A) -> A:
    return a + b


@native(inlined=True)
def times(a: A, b: A) -> A:
    return a * b


def running_lines(combine):
    """Returns the scan kernel of one operation along rows; `starts` holds the start value of each row."""

    @native
    def single(out: pointer(T), array: pointer(S), start: A, length: int64):
        total = start
        for k in range(length):
            total = combine(total, A(array[k]))
            out[k] = T(total)

    @native
    def lines(out: pointer(T), array: pointer(S), starts: pointer(A), length: int64, begin: int64, end: int64):
        """Four rows at a time; the last are repeated, but a single one is not; integers need no interleaving."""
        if not is_float(starts):
            for line in range(begin, end):
                single(offset(out, line * length), offset(array, line * length), starts[line], length)
            return
        for line in range(begin, end, 4):
            if line == end - 1:
                single(offset(out, line * length), offset(array, line * length), starts[line], length)
                continue
            two, three, four = min(line + 1, end - 1), min(line + 2, end - 1), min(line + 3, end - 1)
            a, b, c, d = starts[line], starts[two], starts[three], starts[four]
            to, source = offset(out, line * length), offset(array, line * length)
            second, third, fourth = (two - line) * length, (three - line) * length, (four - line) * length
            for k in range(length):
                a = combine(a, A(source[k]))
                b = combine(b, A(source[second + k]))
                c = combine(c, A(source[third + k]))
                d = combine(d, A(source[fourth + k]))
                to[k], to[second + k], to[third + k], to[fourth + k] = T(a), T(b), T(c), T(d)

    @native(light=True)
    def of_lines(out: pointer(T), array: pointer(S), starts: pointer(A), before: int64, length: int64, after: int64,
                 grain: int64):  # fmt: skip
        parallel_for(lines, before, max(4, grain // length), out, array, starts, length)

    return of_lines


def running_columns(combine):
    """Returns the scan kernel along columns; all start with the first of `starts`."""

    @native
    def columns(out: pointer(T), array: pointer(S), starts: pointer(A), length: int64, after: int64, width: int64,
                begin: int64, end: int64):  # fmt: skip
        for piece in range(begin, end):  # four vectors of columns of one block (length, after), or the rest
            block, first = piece // width, piece % width * (4 * LANES)
            block_start, many = block * length * after + first, after - first
            if many >= 4 * LANES:
                a, b, c, d = splat(starts[0]), splat(starts[0]), splat(starts[0]), splat(starts[0])
                for row in range(length):
                    at = block_start + row * after
                    a = combine(a, A(load(array, at)))
                    b = combine(b, A(load(array, at + LANES)))
                    c = combine(c, A(load(array, at + 2 * LANES)))
                    d = combine(d, A(load(array, at + 3 * LANES)))
                    store(out, at, T(a))
                    store(out, at + LANES, T(b))
                    store(out, at + 2 * LANES, T(c))
                    store(out, at + 3 * LANES, T(d))
            else:
                narrow(offset(out, block_start), offset(array, block_start), starts[0], length, after, many)

    @native
    def narrow(out: pointer(T), array: pointer(S), start: A, length: int64, after: int64, many: int64):
        carried, whole = local(A, 64), many - many % LANES
        for k in range(many):
            carried[k] = start
        for row in range(length):
            to, source = offset(out, row * after), offset(array, row * after)
            for k in range(0, whole, LANES):
                total = combine(load(carried, k), A(load(source, k)))
                store(carried, k, total)
                store(to, k, T(total))
            for k in range(whole, many):
                single = combine(carried[k], A(source[k]))
                carried[k] = single
                to[k] = T(single)

    @native(light=True)
    def of_columns(out: pointer(T), array: pointer(S), starts: pointer(A), before: int64, length: int64, after: int64,
                   grain: int64):  # fmt: skip
        width = (after + 4 * LANES - 1) // (4 * LANES)
        least = max(1, grain // (4 * LANES * length))
        parallel_for(columns, before * width, least, out, array, starts, length, after, width)

    return of_columns


@native
def totals_of_parts(totals: pointer(A), array: pointer(S), length: int64, begin: int64, end: int64):
    for part in range(begin, end):
        source, whole = offset(array, part * length), length - length % LANES
        sums = splat(A(0))
        for k in range(0, whole, LANES):
            sums += A(load(source, k))
        total = sum_of(sums)
        for k in range(whole, length):
            total += A(source[k])
        totals[part] = total


@native(light=True)
def total_parts(totals: pointer(A), array: pointer(S), length: int64, parts: int64, grain: int64):
    parallel_for(totals_of_parts, parts, grain, totals, array, length)


def running_squares(combine):
    """Returns `running_lines` for float32, as many rows at once as a vector has lanes; other rows are left."""

    @native
    def squares(out: pointer(float32), array: pointer(float32), start: float64, length: int64, begin: int64,
                end: int64):  # fmt: skip
        square, last = local(float32, LANES * LANES), local(float64, LANES)
        whole = length - length % LANES
        for band in range(begin, end):
            first = band * LANES * length
            carried = splat(start)
            for column in range(0, whole, LANES):
                soon = first + column + (SOON if column + SOON < whole else LANES * length - whole + SOON)
                for lane in range(LANES):
                    prefetch_far(array, soon + lane * length)
                    prefetch_far(out, soon + lane * length)
                transpose(offset(array, first + column), length, square, LANES)
                for step in range(0, LANES * LANES, LANES):
                    carried = combine(carried, float64(load(square, step)))
                    store(square, step, float32(carried))
                transpose(square, LANES, offset(out, first + column), length)
            store(last, 0, carried)
            for lane in range(LANES):
                total = last[lane]
                for i in range(first + lane * length + whole, first + (lane + 1) * length):
                    total = combine(total, float64(array[i]))
                    out[i] = float32(total)

    @native(light=True)
    def all_squares(out: pointer(float32), array: pointer(float32), start: float64, bands: int64, length: int64,
                    grain: int64):  # fmt: skip
        parallel_for(squares, bands, max(1, grain // (LANES * length)), out, array, start, length)

    return all_squares


KERNELS = {
    "running_sum": ((running_lines(plus), running_columns(plus)), running_squares(plus), 0),
    "running_product": ((running_lines(times), running_columns(times)), running_squares(times), 1),
}


def scan(name: str, array, axis: int, dtype):
    """Returns the cumulative sum or product; None if no kernel fits."""
    if array.size < RUNNING or type(array) is not np.ndarray:
        return None
    from_dtype, to_dtype = number_of(array), OF_NUMPY.get(np.dtype(dtype))
    if (
        to_dtype not in WIDE
        or from_dtype is None
        or (from_dtype is not to_dtype and (to_dtype is not int64 or from_dtype.kind == "f"))
    ):
        return None
    kernels, squares, identity = KERNELS[name]
    before, length, after = divided(array.shape, axis)
    array, shape, out = packed(array).reshape(-1), array.shape, np.empty(array.size, dtype)
    wide, types = WIDE[to_dtype].numpy, (to_dtype, from_dtype, WIDE[to_dtype])
    # Integer results do not depend on cuts, and one thread does not need them.
    cut_up = to_dtype is float32 or (to_dtype is int64 and get_num_threads() > 1)
    if before == after == 1 and cut_up and name == "running_sum":
        parts, cut = length // PART, length - length % PART
        totals = np.zeros(parts + 1, wide)
        total_parts.machine(WIDE[to_dtype], from_dtype)(totals[1:], array, PART, parts, GRAIN // PART)
        starts, kernel = totals.cumsum(), kernels[0].machine(*types)
        kernel(out, array, starts, parts, PART, 1, GRAIN)
        if cut < length:
            kernel(out[cut:], array[cut:], starts[parts:], 1, length - cut, 1, GRAIN)
    else:
        done = before // LANES * LANES if after == 1 and to_dtype is float32 and length >= LANES else 0
        if done:
            squares.machine()(out, array, identity, done // LANES, length, GRAIN)
        if done < before:
            rest, to = (x[done * length :] for x in (array, out))
            starts = np.full(before - done if after == 1 else 1, identity, wide)
            kernels[after != 1].machine(*types)(to, rest, starts, before - done, length, after, GRAIN)
    return out.reshape(shape)


@kernel_of("running_sum", least=RUNNING)
def running_sum(array, axis, dtype):
    return scan("running_sum", array, axis, dtype)


@kernel_of("running_product", least=RUNNING)
def running_product(array, axis, dtype):
    return scan("running_product", array, axis, dtype)


# ---- recurrences


@native
def recurring_lines(out: pointer(T), array: pointer(T), factor: pointer(T), length: int64, backwards: int64,
                    begin: int64, end: int64):  # fmt: skip
    """Four rows at a time; the last are repeated. The factor of the first element is not read."""
    for line in range(begin, end, 4):
        start, step = line * length, int64(1)
        if backwards != 0:
            start, step = start + length - 1, int64(-1)
        two, three, four = min(line + 1, end - 1) - line, min(line + 2, end - 1) - line, min(line + 3, end - 1) - line
        second, third, fourth = start + two * length, start + three * length, start + four * length
        a, b, c, d = float64(array[start]), float64(array[second]), float64(array[third]), float64(array[fourth])
        out[start], out[second], out[third], out[fourth] = T(a), T(b), T(c), T(d)
        for _ in range(length - 1):
            start, second, third, fourth = start + step, second + step, third + step, fourth + step
            a = float64(array[start]) + float64(factor[start]) * a
            b = float64(array[second]) + float64(factor[second]) * b
            c = float64(array[third]) + float64(factor[third]) * c
            d = float64(array[fourth]) + float64(factor[fourth]) * d
            out[start], out[second], out[third], out[fourth] = T(a), T(b), T(c), T(d)


@native
def recurring_columns(out: pointer(T), array: pointer(T), factor: pointer(T), length: int64, after: int64,
                      width: int64, backwards: int64, begin: int64, end: int64):  # fmt: skip
    """Strips of columns; the last may be narrower."""
    carried = local(float64, STRIP)
    for piece in range(begin, end):
        first = piece % width * STRIP
        many, step, at = min(STRIP, after - first), after, piece // width * length * after + first
        if backwards != 0:
            at, step = at + (length - 1) * after, -after
        whole = many - many % LANES
        for k in range(many):
            first_value = array[at + k]
            carried[k], out[at + k] = float64(first_value), first_value
        for _ in range(length - 1):
            at += step
            for k in range(0, whole, LANES):
                value = float64(load(array, at + k)) + float64(load(factor, at + k)) * load(carried, k)
                store(carried, k, value)
                store(out, at + k, T(value))
            for k in range(whole, many):
                single = float64(array[at + k]) + float64(factor[at + k]) * carried[k]
                carried[k] = single
                out[at + k] = T(single)


@native(light=True)
def all_recurring_lines(out: pointer(T), array: pointer(T), factor: pointer(T), lines: int64, length: int64,
                        backwards: int64, grain: int64):  # fmt: skip
    parallel_for(recurring_lines, lines, max(4, grain // length), out, array, factor, length, backwards)


@native(light=True)
def all_recurring_columns(out: pointer(T), array: pointer(T), factor: pointer(T), before: int64, length: int64,
                          after: int64, backwards: int64, grain: int64):  # fmt: skip
    width = (after + STRIP - 1) // STRIP
    least = max(1, grain // (STRIP * length))
    parallel_for(recurring_columns, before * width, least, out, array, factor, length, after, width, backwards)


@kernel_of("recurrence", least=RUNNING)
def recurrence(array, factor, axis, backwards):
    """Computes the recurrence sequentially, in float64."""
    dtype = number_of(array)
    if type(array) is not np.ndarray or dtype not in (float32, float64):
        return None
    if factor.shape != array.shape or factor.dtype != array.dtype:
        return None
    before, length, after = divided(array.shape, axis)
    out, array, factor = np.empty(array.shape, array.dtype), packed(array), packed(factor)
    if after == 1:
        all_recurring_lines.machine(dtype)(out, array, factor, before, length, backwards, GRAIN)
    else:
        all_recurring_columns.machine(dtype)(out, array, factor, before, length, after, backwards, GRAIN)
    return out


# ---- cumulative extremes


def running_extremes(stays):
    """Returns the kernel of cumulative extremes and their positions, the last of equal ones."""

    @native
    def extremes(values: pointer(T), positions: pointer(int64), array: pointer(T), length: int64, begin: int64,
                 end: int64):  # fmt: skip
        for line in range(begin, end):
            source, to, where = (
                offset(array, line * length),
                offset(values, line * length),
                offset(positions, line * length),
            )
            k = 0
            while k < length:  # from one extreme to the next: stores between do not wait for comparisons
                best, position = source[k], k
                to[k], where[k] = best, position
                k += 1
                while k < length and stays(best, source[k]):
                    to[k], where[k] = best, position
                    k += 1

    @native(light=True)
    def all_extremes(values: pointer(T), positions: pointer(int64), array: pointer(T), lines: int64, length: int64,
                     grain: int64):  # fmt: skip
        parallel_for(extremes, lines, max(1, grain // length), values, positions, array, length)

    return all_extremes


@native(inlined=True)
def maximum_stays(best: T, value: T) -> boolean:
    """Returns whether the maximum stays: NaN does, except against another NaN."""
    return value < best or (best != best and value == value)


@native(inlined=True)
def minimum_stays(best: T, value: T) -> boolean:
    return value > best or (best != best and value == value)


all_largest, all_smallest = running_extremes(maximum_stays), running_extremes(minimum_stays)


@kernel_of("running_extreme", least=RUNNING)
def running_extreme(array, axis, largest):
    dtype = number_of(array)
    if type(array) is not np.ndarray or dtype is None:
        return None
    lines = packed(array.swapaxes(axis, -1))
    values, positions = np.empty_like(lines), np.empty(lines.shape, np.int64)
    kernel, length = (all_largest if largest else all_smallest).machine(dtype), lines.shape[-1]
    kernel(values, positions, lines, lines.size // length, length, GRAIN)
    return tuple([packed(x.swapaxes(axis, -1)) for x in (values, positions)])
