"""Running sums, products, extremes and recurrences along a dimension.

Sums and products of float32 are made in float64 and rounded once for every element, as in PyTorch.
A sum waits for the one before it, so four lines are added up side by side; of float32 as many as a vector has lanes, in
squares that are turned over for it and back. These are asked for beforehand, since processors read ahead in few lines
only. One long line is cut into parts whose totals are found first; the cuts depend on its length alone, so that the
number of threads changes no digit.
"""

from __future__ import annotations

import numpy as np

from rushlight.arrays.threads import get_num_threads
from rushlight.core.policy import GRAIN, RUNNING
from rushlight.kernels.arguments import divided, number_of, packed
from rushlight.kernels.vectors import LANES, load, prefetch_far, spread, store, sum_of, transpose
from rushlight.lower.language import is_float, local, offset
from rushlight.lower.native import OF_NUMPY, Element, boolean, float32, float64, int64, native, pointer
from rushlight.lower.parallel import parallel_for
from rushlight.lower.registry import kernel_of

T = Element("T")
S = Element("S")  # of the array
A = Element("A")  # what is computed in

STRIP = 64  # columns of a recurrence that are carried along
SOON = 64  # numbers from the square that is turned over to the one that is asked for, in its lines or the next
PART = 8_000  # not a power of two: lines that lie so apart hinder each other in the cache
WIDE = {float32: float64, float64: float64, int64: int64}


@native(inlined=True)
def plus(a: A, b: A) -> A:
    return a + b


@native(inlined=True)
def times(a: A, b: A) -> A:
    return a * b


def running_lines(combine):
    """The kernel of one operation along lines; `starts` holds what each line begins with."""

    @native
    def single(out: pointer(T), array: pointer(S), start: A, length: int64):
        found = start
        for k in range(length):
            found = combine(found, A(array[k]))
            out[k] = T(found)

    @native
    def lines(out: pointer(T), array: pointer(S), starts: pointer(A), length: int64, begin: int64, end: int64):
        """Four at a time, at the end some of them once more, but never one alone; whole numbers need not wait."""
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
    """The same along columns, all of which begin with the first of `starts`."""

    @native
    def columns(out: pointer(T), array: pointer(S), starts: pointer(A), length: int64, after: int64, width: int64,
                begin: int64, end: int64):  # fmt: skip
        for piece in range(begin, end):  # four vectors of columns of one block (length, after), or what is left
            block, first = piece // width, piece % width * (4 * LANES)
            place, many = block * length * after + first, after - first
            if many >= 4 * LANES:
                a, b, c, d = spread(starts[0]), spread(starts[0]), spread(starts[0]), spread(starts[0])
                for row in range(length):
                    at = place + row * after
                    a = combine(a, A(load(array, at)))
                    b = combine(b, A(load(array, at + LANES)))
                    c = combine(c, A(load(array, at + 2 * LANES)))
                    d = combine(d, A(load(array, at + 3 * LANES)))
                    store(out, at, T(a))
                    store(out, at + LANES, T(b))
                    store(out, at + 2 * LANES, T(c))
                    store(out, at + 3 * LANES, T(d))
            else:
                narrow(offset(out, place), offset(array, place), starts[0], length, after, many)

    @native
    def narrow(out: pointer(T), array: pointer(S), start: A, length: int64, after: int64, many: int64):
        carried, whole = local(A, 64), many - many % LANES
        for k in range(many):
            carried[k] = start
        for row in range(length):
            to, source = offset(out, row * after), offset(array, row * after)
            for k in range(0, whole, LANES):
                found = combine(load(carried, k), A(load(source, k)))
                store(carried, k, found)
                store(to, k, T(found))
            for k in range(whole, many):
                one = combine(carried[k], A(source[k]))
                carried[k] = one
                to[k] = T(one)

    @native(light=True)
    def of_columns(out: pointer(T), array: pointer(S), starts: pointer(A), before: int64, length: int64, after: int64,
                   grain: int64):  # fmt: skip
        width = (after + 4 * LANES - 1) // (4 * LANES)
        least = max(1, grain // (4 * LANES * length))
        parallel_for(columns, before * width, least, out, array, starts, length, after, width)

    return of_columns


@native
def part_totals(totals: pointer(A), array: pointer(S), length: int64, begin: int64, end: int64):
    for part in range(begin, end):
        source, whole = offset(array, part * length), length - length % LANES
        found = spread(A(0))
        for k in range(0, whole, LANES):
            found += A(load(source, k))
        total = sum_of(found)
        for k in range(whole, length):
            total += A(source[k])
        totals[part] = total


@native(light=True)
def total_parts(totals: pointer(A), array: pointer(S), length: int64, parts: int64, grain: int64):
    parallel_for(part_totals, parts, grain, totals, array, length)


def running_squares(combine):
    """`running_lines` of float32, as many at once as a vector has lanes; what follows them is another's."""

    @native
    def squares(out: pointer(float32), array: pointer(float32), start: float64, length: int64, begin: int64,
                end: int64):  # fmt: skip
        square, last = local(float32, LANES * LANES), local(float64, LANES)
        whole = length - length % LANES
        for band in range(begin, end):
            first = band * LANES * length
            carried = spread(start)
            for place in range(0, whole, LANES):
                soon = first + place + (SOON if place + SOON < whole else LANES * length - whole + SOON)
                for lane in range(LANES):
                    prefetch_far(array, soon + lane * length)
                    prefetch_far(out, soon + lane * length)
                transpose(offset(array, first + place), length, square, LANES)
                for step in range(0, LANES * LANES, LANES):
                    carried = combine(carried, float64(load(square, step)))
                    store(square, step, float32(carried))
                transpose(square, LANES, offset(out, first + place), length)
            store(last, 0, carried)
            for lane in range(LANES):
                one = last[lane]
                for at in range(first + lane * length + whole, first + (lane + 1) * length):
                    one = combine(one, float64(array[at]))
                    out[at] = float32(one)

    @native(light=True)
    def all_squares(out: pointer(float32), array: pointer(float32), start: float64, bands: int64, length: int64,
                    grain: int64):  # fmt: skip
        parallel_for(squares, bands, max(1, grain // (LANES * length)), out, array, start, length)

    return all_squares


KERNELS = {
    "running_sum": ((running_lines(plus), running_columns(plus)), running_squares(plus), 0),
    "running_product": ((running_lines(times), running_columns(times)), running_squares(times), 1),
}


def scanned(name: str, array, axis: int, dtype):
    """The running sum or product, None where there is no kernel."""
    if array.size < RUNNING or type(array) is not np.ndarray:
        return None
    given, kind = number_of(array), OF_NUMPY.get(np.dtype(dtype))
    if kind not in WIDE or given is None or (given is not kind and (kind is not int64 or given.kind == "f")):
        return None
    kernels, squares, identity = KERNELS[name]
    before, length, after = divided(array.shape, axis)
    array, shape, out = packed(array).reshape(-1), array.shape, np.empty(array.size, dtype)
    wide, types = WIDE[kind].numpy, (kind, given, WIDE[kind])
    # Of whole numbers no digit depends on the cuts, which one thread does not need.
    cut_up = kind is float32 or (kind is int64 and get_num_threads() > 1)
    if before == after == 1 and cut_up and name == "running_sum":
        parts, cut = length // PART, length - length % PART
        totals = np.zeros(parts + 1, wide)
        total_parts.machine(WIDE[kind], given)(totals[1:], array, PART, parts, GRAIN // PART)
        starts, kernel = totals.cumsum(), kernels[0].machine(*types)
        kernel(out, array, starts, parts, PART, 1, GRAIN)
        if cut < length:
            kernel(out[cut:], array[cut:], starts[parts:], 1, length - cut, 1, GRAIN)
    else:
        done = before // LANES * LANES if after == 1 and kind is float32 and length >= LANES else 0
        if done:
            squares.machine()(out, array, identity, done // LANES, length, GRAIN)
        if done < before:
            there, to = (each[done * length :] for each in (array, out))
            starts = np.full(before - done if after == 1 else 1, identity, wide)
            kernels[after != 1].machine(*types)(to, there, starts, before - done, length, after, GRAIN)
    return out.reshape(shape)


@kernel_of("running_sum", least=RUNNING)
def running_sum(array, axis, dtype):
    return scanned("running_sum", array, axis, dtype)


@kernel_of("running_product", least=RUNNING)
def running_product(array, axis, dtype):
    return scanned("running_product", array, axis, dtype)


# ---- recurrences


@native
def recurring_lines(out: pointer(T), array: pointer(T), factor: pointer(T), length: int64, backwards: int64,
                    begin: int64, end: int64):  # fmt: skip
    """Four lines side by side, at the end some of them once more. What the first element is times is not looked at."""
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
    """Strips of columns, of which the last may be narrower than the others."""
    carried = local(float64, STRIP)
    for piece in range(begin, end):
        first = piece % width * STRIP
        many, step, at = min(STRIP, after - first), after, piece // width * length * after + first
        if backwards != 0:
            at, step = at + (length - 1) * after, -after
        whole = many - many % LANES
        for k in range(many):
            one = array[at + k]
            carried[k], out[at + k] = float64(one), one
        for _ in range(length - 1):
            at += step
            for k in range(0, whole, LANES):
                found = float64(load(array, at + k)) + float64(load(factor, at + k)) * load(carried, k)
                store(carried, k, found)
                store(out, at + k, T(found))
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
    """In float64, one element after the other."""
    kind = number_of(array)
    if type(array) is not np.ndarray or kind not in (float32, float64):
        return None
    if factor.shape != array.shape or factor.dtype != array.dtype:
        return None
    before, length, after = divided(array.shape, axis)
    out, array, factor = np.empty(array.shape, array.dtype), packed(array), packed(factor)
    if after == 1:
        all_recurring_lines.machine(kind)(out, array, factor, before, length, backwards, GRAIN)
    else:
        all_recurring_columns.machine(kind)(out, array, factor, before, length, after, backwards, GRAIN)
    return out


# ---- running extremes


def running_extremes(is_kept):
    """The kernel of running extremes and where they are, the last of equals."""

    @native
    def extremes(values: pointer(T), places: pointer(int64), array: pointer(T), length: int64, begin: int64,
                 end: int64):  # fmt: skip
        for line in range(begin, end):
            source, to, where = (
                offset(array, line * length),
                offset(values, line * length),
                offset(places, line * length),
            )
            k = 0
            while k < length:  # from one extreme to the next: what lies between is known before it has been compared
                best, place = source[k], k
                to[k], where[k] = best, place
                k += 1
                while k < length and is_kept(best, source[k]):
                    to[k], where[k] = best, place
                    k += 1

    @native(light=True)
    def all_extremes(values: pointer(T), places: pointer(int64), array: pointer(T), lines: int64, length: int64,
                     grain: int64):  # fmt: skip
        parallel_for(extremes, lines, max(1, grain // length), values, places, array, length)

    return all_extremes


@native(inlined=True)
def is_kept_above(best: T, value: T) -> boolean:
    """Whether the largest stays the largest: NaN does, but for another NaN."""
    return value < best or (best != best and value == value)


@native(inlined=True)
def is_kept_below(best: T, value: T) -> boolean:
    return value > best or (best != best and value == value)


all_largest, all_smallest = running_extremes(is_kept_above), running_extremes(is_kept_below)


@kernel_of("running_extreme", least=RUNNING)
def running_extreme(array, axis, largest):
    kind = number_of(array)
    if type(array) is not np.ndarray or kind is None:
        return None
    lines = packed(array.swapaxes(axis, -1))
    values, places = np.empty_like(lines), np.empty(lines.shape, np.int64)
    kernel, length = (all_largest if largest else all_smallest).machine(kind), lines.shape[-1]
    kernel(values, places, lines, lines.size // length, length, GRAIN)
    return tuple([packed(each.swapaxes(axis, -1)) for each in (values, places)])
