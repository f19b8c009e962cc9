"""Adding to, and replacing, the slices along a dimension that a vector of positions names.

A slice is what lies behind one position of an array (before, length, after): a row of a table, the gradient of one
that was looked up, a column. One thread has all that goes to an element, in order: the result never depends on threads.
"""

from __future__ import annotations

import math

import numpy as np

from rushlight.arrays.embedding import are_rows
from rushlight.arrays.scatter import identity
from rushlight.core.policy import GRAIN, PICKED, PLACED
from rushlight.kernels.arguments import divided, number_of, packed, word_of
from rushlight.kernels.gather import add_all, within
from rushlight.kernels.reduce import times
from rushlight.kernels.vectors import (
    LANES,
    anywhere,
    first_lane,
    load,
    load_some,
    prefetch_lines,
    spread,
    store,
    store_some,
)
from rushlight.lower.language import clear, copy, larger, offset, smaller
from rushlight.lower.native import (
    OF_NUMPY,
    Element,
    bfloat16,
    boolean,
    float16,
    float32,
    float64,
    int32,
    int64,
    native,
    pointer,
    uint8,
)
from rushlight.lower.parallel import parallel_for
from rushlight.lower.registry import kernel_of

FLOATS, SMALL = (float32, float64), (float16, bfloat16)
FOUR = 4 * LANES  # columns of a row that are added up in registers
SOON = 8  # rows that are asked for before they are read: they lie anywhere
STRIP = 64  # columns that are combined together: few enough for every thread to have some

T = Element("T")
I = Element("I")  # noqa: E741


# ---- rows of a table


@native
def add_to_rows(out: pointer(T), table: pointer(T), copies: int64, index: pointer(int64), values: pointer(T),
                count: int64, width: int64, begin: int64, end: int64):  # fmt: skip
    """Rows [begin, end) of `out`: those of the table, or zeros, and all values that are sent to them, in order."""
    if copies != 0:
        copy(offset(out, begin * width), offset(table, begin * width), (end - begin) * width)
    else:
        clear(offset(out, begin * width), (end - begin) * width)
    for i in range(count):
        row = index[i]
        if begin <= row < end:
            add_row(offset(out, row * width), offset(values, i * width), width)


@native(inlined=True)
def add_row(to: pointer(T), row: pointer(T), width: int64):
    whole = width - width % LANES
    for k in range(0, whole, LANES):
        store(to, k, load(to, k) + load(row, k))
    for k in range(whole, width):
        to[k] += row[k]


@native(light=True)
def add_to_row_parts(out: pointer(T), table: pointer(T), copies: int64, index: pointer(int64), values: pointer(T),
                     count: int64, rows: int64, width: int64, grain: int64):  # fmt: skip
    parallel_for(add_to_rows, rows, grain, out, table, copies, index, values, count, width)


def rows_added(table, rows: int, index, values):
    """`table` (rows, width), or zeros if it is None, with each row of `values` added where `index` sends it."""
    kind = number_of(values)
    if values.size < PLACED or kind not in (float32, float64) or type(values) is not np.ndarray:
        return None
    if table is not None and (table.dtype != values.dtype or type(table) is not np.ndarray):
        return None
    out = np.empty((rows, values.shape[1]), values.dtype)
    index = packed(index.astype(np.int64, copy=False))
    if values.shape[1] == 1:
        given = np.zeros_like(out) if table is None else packed(table)
        add_all.machine(kind, int64)(
            out, given, True, packed(values), index, np.zeros(2, np.int64), 1, rows, len(index), 1, GRAIN
        )
        return out
    given = out if table is None else packed(table)
    # Every piece reads the whole index: as many pieces as cores, unless there is little to read.
    grain = math.ceil(rows / 4) if values.shape[1] > 8 else rows
    kernel = add_to_row_parts.machine(kind)
    kernel(out, given, table is not None, index, packed(values), len(index), *out.shape, grain)
    return out


@native(light=True)
def add_scaled(total: pointer(T), table: pointer(T), places: pointer(int64), factors: pointer(T),
               index: pointer(int64), own: boolean, count: int64, width: int64, begin: int64, end: int64):  # fmt: skip
    """Rows [begin, end) of `total`, each with all that is sent to it, in order."""
    first, last = 0, count
    if own:
        first, last = begin, end
    i = first
    while i < last:
        row, stop = i, i + 1
        if not own:
            row = index[i]
            stop = end_of_run(index, i, last)
        if begin <= row < end:
            add_scaled_run(offset(total, row * width), table, places, factors, i, stop, count, width)
        i = stop


@native(inlined=True)
def end_of_run(index: pointer(int64), first: int64, last: int64) -> int64:
    """Where what follows the first number, and equals it, ends."""
    number, stop = index[first], first + 1
    while stop + LANES <= last:
        other = load(index, stop) != spread(number)
        if anywhere(other):
            return stop + first_lane(other)
        stop += LANES
    while stop < last and index[stop] == number:
        stop += 1
    return stop


@native(inlined=True)
def add_scaled_run(to: pointer(T), table: pointer(T), places: pointer(int64), factors: pointer(T), first: int64,
                   last: int64, count: int64, width: int64):  # fmt: skip
    """Adds rows [first, last) of `count` to one, of which some columns stay in registers."""
    whole = width - width % FOUR
    for k in range(0, whole, FOUR):
        a, b, c, d = load(to, k), load(to, k + LANES), load(to, k + 2 * LANES), load(to, k + 3 * LANES)
        for i in range(first, last):
            prefetch_lines(table, places[min(i + SOON, count - 1)] * width + k, FOUR, 0)
            row, by = offset(table, places[i] * width + k), spread(factors[i])
            a, b = a + load(row, 0) * by, b + load(row, LANES) * by
            c, d = c + load(row, 2 * LANES) * by, d + load(row, 3 * LANES) * by
        store(to, k, a)
        store(to, k + LANES, b)
        store(to, k + 2 * LANES, c)
        store(to, k + 3 * LANES, d)
    for k in range(whole, width, LANES):
        a = load_some(to, k, 0, width - k)
        for i in range(first, last):
            a += load_some(table, places[i] * width + k, 0, width - k) * spread(factors[i])
        store_some(to, k, a, width - k)


@native(light=True)
def add_all_scaled(total: pointer(T), table: pointer(T), places: pointer(int64), factors: pointer(T),
                   index: pointer(int64), own: boolean, count: int64, rows: int64, width: int64,
                   grain: int64):  # fmt: skip
    parallel_for(add_scaled, rows, grain, total, table, places, factors, index, own, count, width)


@kernel_of("add_scaled_rows", sized=None)
def add_scaled_rows(total, table, places, factors, rows):
    return added_scaled(total, table, places, factors, rows) if number_of(total) in FLOATS else None


def added_scaled(total, table, places, factors, rows):
    """The same of any floats, each run of a row's numbers rounded once."""
    if len(places) * table.shape[-1] < PICKED:
        return None
    if any([type(each) is not np.ndarray for each in (total, factors, table)]):
        return None
    if not total.dtype == table.dtype == factors.dtype or not are_rows(table, places):
        return None
    if rows is not None and not are_rows(total, rows):
        return None
    places = packed(places.astype(np.int64, copy=False))
    index = places if rows is None else packed(rows.astype(np.int64, copy=False))
    grain = math.ceil(len(total) / 4)
    add_all_scaled.machine(number_of(total))(
        total, packed(table), places, packed(factors), index, rows is None, len(places), *total.shape, grain
    )
    return total


@kernel_of("bag_sums", sized=None)
def bag_sums(table, factors, indices, bags, count):
    if type(table) is not np.ndarray or len(indices) * table.shape[-1] < PICKED:
        return None
    if number_of(table) not in FLOATS and not (number_of(table) in SMALL and (bags[1:] >= bags[:-1]).all()):
        return None
    return added_scaled(np.zeros((count, table.shape[1]), table.dtype), table, indices, factors, bags)


@native(separate=True)
def best_of_bags(winners: pointer(int64), best: pointer(T), table: pointer(T), indices: pointer(int64),
                 bags: pointer(int64), counted: pointer(uint8), size: int64, width: int64):  # fmt: skip
    """The rows of the table that hold each bag's maxima, which are `best`; of nan, the first."""
    for at in range(size):
        if counted[at] != 0:
            row, source = indices[at], offset(table, indices[at] * width)
            to, most = offset(winners, bags[at] * width), offset(best, bags[at] * width)
            for k in range(width):
                now, before = source[k], most[k]
                better = (now > before) | (to[k] < 0) | ((now != now) & (before == before))
                most[k] = now if better else before
                to[k] = row if better else to[k]


@kernel_of("bag_winners")
def bag_winners(table, indices, bags, counted, count):
    kind = number_of(table) if type(table) is np.ndarray else None
    if kind not in (float32, float64) or len(indices) * table.shape[1] < PICKED:
        return None
    indices, bags = indices.astype(np.int64, copy=False), bags.astype(np.int64, copy=False)
    if bags.min() < 0 or indices.min() < 0 or indices.max() >= len(table):
        return None
    winners, best = np.full((count, table.shape[1]), -1), np.empty((count, table.shape[1]), table.dtype)
    given = packed(table), packed(indices), packed(bags), packed(counted.view(np.uint8))
    best_of_bags.machine(kind)(winners, best, *given, len(indices), table.shape[1])
    return winners


@kernel_of("sum_of_rows", sized=2, least=PLACED)
def sum_of_rows(rows, index, values):
    return rows_added(None, rows, index, values)


@kernel_of("with_rows_added", sized=2, least=PLACED)
def with_rows_added(table, index, values):
    return rows_added(table, len(table), index, values)


# ---- slices anywhere


@native
def add_slices(out: pointer(T), table: pointer(T), copies: int64, source: pointer(T), index: pointer(I),
               wrong: pointer(int64), length: int64, many: int64, after: int64, begin: int64, end: int64):  # fmt: skip
    """Blocks [begin, end) of `out`: those of the table, or zeros, and all slices that are sent to them, in order."""
    for block in range(begin, end):
        to, given = offset(out, block * length * after), offset(source, block * many * after)
        if copies != 0:
            copy(to, offset(table, block * length * after), length * after)
        else:
            clear(to, length * after)
        if after == 1:
            for k in range(many):
                to[within(int64(index[k]), length, wrong)] += given[k]
        else:
            for k in range(many):
                add_row(offset(to, within(int64(index[k]), length, wrong) * after), offset(given, k * after), after)


@native(light=True)
def add_all_slices(out: pointer(T), table: pointer(T), copies: int64, source: pointer(T), index: pointer(I),
                   wrong: pointer(int64), before: int64, length: int64, many: int64, after: int64,
                   grain: int64):  # fmt: skip
    blocks = max(1, grain // ((length + many) * after))
    parallel_for(add_slices, before, blocks, out, table, copies, source, index, wrong, length, many, after)


def slices_added(table, shape: tuple[int, ...], dim: int, index, source, negative: bool):
    """`table`, or zeros of `shape` if it is None, with slices of `source` added where a vector of positions says."""
    before, length, after = divided(shape, dim)
    if before == 1:  # rows: all threads work on the one block
        return None
    kind = number_of(source)
    if type(source) is not np.ndarray or kind not in ADDED or source.size != before * index.size * after:
        return None
    if table is not None and (table.dtype != source.dtype or type(table) is not np.ndarray):
        return None
    out, wrong = np.empty(shape, source.dtype), np.array([0, negative], np.int64)
    add_all_slices.machine(kind, OF_NUMPY[index.dtype])(
        out, out if table is None else packed(table), table is not None, packed(source), packed(index), wrong,
        before, length, index.size, after, GRAIN,
    )  # fmt: skip
    return None if wrong[0] else out


ADDED = (float32, float64, int64)


def combining(combine):
    """The kernel that combines slices with those of `out` that positions name; a strip of columns is one thread's."""

    @native
    def strips(out: pointer(T), source: pointer(T), index: pointer(I), wrong: pointer(int64), length: int64,
               many: int64, after: int64, begin: int64, end: int64):  # fmt: skip
        count = (after + STRIP - 1) // STRIP
        for piece in range(begin, end):
            block, left = piece // count, piece % count * STRIP
            some = min(STRIP, after - left)
            whole = some - some % LANES
            to, given = offset(out, block * length * after + left), offset(source, block * many * after + left)
            for k in range(many):
                row = offset(to, within(int64(index[k]), length, wrong) * after)
                other = offset(given, k * after)
                for i in range(0, whole, LANES):
                    # In this order: where what is stored is chosen from what was there, LLVM makes it a store of
                    # some lanes, for which AVX2's processors may take twenty times as long as for one of all.
                    store(row, i, combine(load(other, i), load(row, i)))
                for i in range(whole, some):
                    row[i] = combine(other[i], row[i])

    @native(light=True)
    def all_strips(out: pointer(T), source: pointer(T), index: pointer(I), wrong: pointer(int64), before: int64,
                   length: int64, many: int64, after: int64, grain: int64):  # fmt: skip
        pieces, each = before * ((after + STRIP - 1) // STRIP), max(1, grain // (many * min(after, STRIP)))
        parallel_for(strips, pieces, each, out, source, index, wrong, length, many, after)

    return all_strips


COMBINED = {"amax": combining(larger), "amin": combining(smaller), "prod": combining(times)}
ORDERED = (float32, float64, int64, int32)


@kernel_of("index_reduce", least=PLACED)
def index_reduce(array, dim, index, source, reduce, include_self):
    kind = number_of(array)
    if type(array) is not np.ndarray or not -array.ndim <= dim < array.ndim or index.dtype.char not in "ilq":
        return None
    if reduce not in COMBINED or kind not in (ORDERED if reduce != "prod" else FLOATS) or source.dtype != array.dtype:
        return None
    dim %= array.ndim
    before, length, after = divided(array.shape, dim)
    if source.size != before * index.size * after or not source.size:
        return None
    index = packed(index.reshape(-1))
    out, wrong = np.array(array, order="C"), np.zeros(2, np.int64)
    if not include_self:
        if not 0 <= index.min() <= index.max() < length:
            return None
        out[(slice(None),) * dim + (index,)] = identity(reduce, out.dtype)
    kernel = COMBINED[reduce].machine(kind, OF_NUMPY[index.dtype])
    kernel(out, packed(source), index, wrong, before, length, index.size, after, GRAIN)
    return None if wrong[0] else out


@kernel_of("index_add", sized=3, least=PLACED)
def index_add(input, dim, index, source, alpha=1):
    if alpha != 1 or not -input.ndim <= dim < input.ndim or index.dtype.char not in "ilq":
        return None
    return slices_added(input, input.shape, dim % input.ndim, index, source, False)


@kernel_of("placed_at", least=PICKED)
def placed_at(values, shape, indices):
    places = [at for at, each in enumerate(indices) if each is not None]
    index, dim = indices[places[0]], places[0]
    if len(places) > 1 or index.dtype.char not in "ilq":
        return None
    if values.shape != (*shape[:dim], *index.shape, *shape[dim + 1 :]):
        return None
    index = index.reshape(-1)
    if dim:
        return slices_added(None, shape, dim, index, values, True)
    index = np.where(index < 0, index + shape[0], index) if index.min() < 0 else index
    found = rows_added(None, shape[0], index, values.reshape(index.size, -1))
    return None if found is None else found.reshape(shape)


@native
def write_slices(out: pointer(T), array: pointer(T), source: pointer(T), step: int64, index: pointer(I),
                 wrong: pointer(int64), length: int64, many: int64, after: int64, begin: int64,
                 end: int64):  # fmt: skip
    """Blocks [begin, end) of `out`: those of the array, and slices of `source`, one element for all if `step` is 0."""
    for block in range(begin, end):
        to, given = offset(out, block * length * after), offset(source, block * many * after * step)
        copy(to, offset(array, block * length * after), length * after)
        if after == 1:
            for k in range(many):
                to[within(int64(index[k]), length, wrong)] = given[k * step]
        elif step == 0:
            for k in range(many):
                fill(offset(to, within(int64(index[k]), length, wrong) * after), given[0], after)
        else:
            for k in range(many):
                copy(offset(to, within(int64(index[k]), length, wrong) * after), offset(given, k * after), after)


@native(inlined=True)
def fill(to: pointer(T), value: T, count: int64):
    for k in range(count):
        to[k] = value


@native(light=True)
def write_all_slices(out: pointer(T), array: pointer(T), source: pointer(T), step: int64, index: pointer(I),
                     wrong: pointer(int64), before: int64, length: int64, many: int64, after: int64,
                     grain: int64):  # fmt: skip
    blocks = max(1, grain // ((length + many) * after))
    parallel_for(write_slices, before, blocks, out, array, source, step, index, wrong, length, many, after)


@kernel_of("index_write", least=PLACED)
def index_write(array, dim, index, source):
    kind = word_of(array)
    if type(array) is not np.ndarray or kind is None or not -array.ndim <= dim < array.ndim:
        return None
    dim %= array.ndim
    before, length, after = divided(array.shape, dim)
    if before == 1 or index.dtype.char not in "ilq":  # NumPy copies rows as fast
        return None
    source = np.asarray(source)
    if source.ndim and source.shape != (*array.shape[:dim], index.size, *array.shape[dim + 1 :]):
        return None
    source, index = packed(source.astype(array.dtype, copy=False)), packed(index.reshape(-1))
    out, wrong = np.empty(array.shape, array.dtype), np.array([0, True], np.int64)
    write_all_slices.machine(kind, OF_NUMPY[index.dtype])(
        out, packed(array), source, source.ndim > 0, index, wrong, before, length, index.size, after, GRAIN
    )
    return None if wrong[0] else out
