"""Adds to, reduces into and replaces slices along a dimension at a vector of indices.

A slice is one index of an array (before, length, after): a table's row, the gradient of a lookup, a column. One thread
handles all updates of an element in order, so results do not depend on the number of threads.
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
    any_lane,
    first_lane,
    load,
    load_some,
    prefetch_lines,
    splat,
    store,
    store_some,
    sum_of,
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
FOUR = 4 * LANES  # columns of a row that are accumulated in registers
SOON = 8  # rows to prefetch ahead: their order is random
STRIP = 64  # columns per piece: enough pieces for every thread

T = Element("T")
I = Element("I")  # noqa: E741


# ---- rows of a table


@native
def add_to_rows(out: pointer(T), table: pointer(T), copies: int64, index: pointer(int64), values: pointer(T),
                count: int64, width: int64, begin: int64, end: int64):  # fmt: skip
    """Computes rows [begin, end) of `out`: those of the table, or zeros, plus the values sent to them, in order."""
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


def scatter_rows(table, rows: int, index, values):
    """Returns `table` (rows, width), or zeros if None, plus each row of `values` at its index."""
    dtype = number_of(values)
    if values.size < PLACED or dtype not in (float32, float64) or type(values) is not np.ndarray:
        return None
    if table is not None and (table.dtype != values.dtype or type(table) is not np.ndarray):
        return None
    out = np.empty((rows, values.shape[1]), values.dtype)
    index = packed(index.astype(np.int64, copy=False))
    if values.shape[1] == 1:
        start = np.zeros_like(out) if table is None else packed(table)
        add_all.machine(dtype, int64)(
            out, start, True, packed(values), index, np.zeros(2, np.int64), 1, rows, len(index), 1, GRAIN
        )
        return out
    start = out if table is None else packed(table)
    # Every piece reads the whole index: as many pieces as cores, unless there is little to read.
    grain = math.ceil(rows / 4) if values.shape[1] > 8 else rows
    kernel = add_to_row_parts.machine(dtype)
    kernel(out, start, table is not None, index, packed(values), len(index), *out.shape, grain)
    return out


@native(light=True)
def add_scaled(total: pointer(T), table: pointer(T), positions: pointer(int64), factors: pointer(T),
               index: pointer(int64), own: boolean, count: int64, width: int64, begin: int64, end: int64):  # fmt: skip
    """Computes rows [begin, end) of `total`, adding all rows sent to each in order."""
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
            add_scaled_run(offset(total, row * width), table, positions, factors, i, stop, count, width)
        i = stop


@native(inlined=True)
def end_of_run(index: pointer(int64), first: int64, last: int64) -> int64:
    """Returns the end of the run of elements equal to the first."""
    first_value, stop = index[first], first + 1
    while stop + LANES <= last:
        other = load(index, stop) != splat(first_value)
        if any_lane(other):
            return stop + first_lane(other)
        stop += LANES
    while stop < last and index[stop] == first_value:
        stop += 1
    return stop


@native(inlined=True)
def add_scaled_run(to: pointer(T), table: pointer(T), positions: pointer(int64), factors: pointer(T), first: int64,
                   last: int64, count: int64, width: int64):  # fmt: skip
    """Adds rows [first, last) of `count` to one row, some columns at a time in registers."""
    whole = width - width % FOUR
    for k in range(0, whole, FOUR):
        a, b, c, d = load(to, k), load(to, k + LANES), load(to, k + 2 * LANES), load(to, k + 3 * LANES)
        for i in range(first, last):
            prefetch_lines(table, positions[min(i + SOON, count - 1)] * width + k, FOUR, 0)
            row, by = offset(table, positions[i] * width + k), splat(factors[i])
            a, b = a + load(row, 0) * by, b + load(row, LANES) * by
            c, d = c + load(row, 2 * LANES) * by, d + load(row, 3 * LANES) * by
        store(to, k, a)
        store(to, k + LANES, b)
        store(to, k + 2 * LANES, c)
        store(to, k + 3 * LANES, d)
    for k in range(whole, width, LANES):
        a = load_some(to, k, 0, width - k)
        for i in range(first, last):
            a += load_some(table, positions[i] * width + k, 0, width - k) * splat(factors[i])
        store_some(to, k, a, width - k)


@native(light=True)
def add_all_scaled(total: pointer(T), table: pointer(T), positions: pointer(int64), factors: pointer(T),
                   index: pointer(int64), own: boolean, count: int64, rows: int64, width: int64,
                   grain: int64):  # fmt: skip
    parallel_for(add_scaled, rows, grain, total, table, positions, factors, index, own, count, width)


@kernel_of("add_scaled_rows", sized=None)
def add_scaled_rows(total, table, indices, factors, rows):
    return with_scaled_rows(total, table, indices, factors, rows) if number_of(total) in FLOATS else None


def with_scaled_rows(total, table, positions, factors, rows):
    """Adds like `add_scaled_rows`, for any float dtype; each run of a row is rounded once."""
    if len(positions) * table.shape[-1] < PICKED:
        return None
    if any([type(x) is not np.ndarray for x in (total, factors, table)]):
        return None
    if not total.dtype == table.dtype == factors.dtype or not are_rows(table, positions):
        return None
    if rows is not None and not are_rows(total, rows):
        return None
    positions = packed(positions.astype(np.int64, copy=False))
    index = positions if rows is None else packed(rows.astype(np.int64, copy=False))
    grain = math.ceil(len(total) / 4)
    add_all_scaled.machine(number_of(total))(
        total, packed(table), positions, packed(factors), index, rows is None, len(positions), *total.shape, grain
    )
    return total


@kernel_of("bag_sums", sized=None)
def bag_sums(table, factors, indices, bags, count):
    if type(table) is not np.ndarray or len(indices) * table.shape[-1] < PICKED:
        return None
    if number_of(table) not in FLOATS and not (number_of(table) in SMALL and (bags[1:] >= bags[:-1]).all()):
        return None
    return with_scaled_rows(np.zeros((count, table.shape[1]), table.dtype), table, indices, factors, bags)


@kernel_of("sparse_matmul", sized=None)
def sparse_matmul(values, dense, rows, columns, count):
    if type(dense) is not np.ndarray or number_of(dense) not in FLOATS or len(values) * dense.shape[-1] < PICKED:
        return None
    return with_scaled_rows(np.zeros((count, dense.shape[1]), dense.dtype), dense, columns, values, rows)


@native
def multiply_rows(out: pointer(T), left: pointer(T), right: pointer(T), rows: pointer(int64), columns: pointer(int64),
                  width: int64, begin: int64, end: int64):  # fmt: skip
    """Computes elements [begin, end) of `out`: the products of a row of `left` and one of `right`."""
    whole = width - width % LANES
    for i in range(begin, end):
        prefetch_lines(right, columns[min(i + SOON, end - 1)] * width, FOUR, 0)
        first, second = offset(left, rows[i] * width), offset(right, columns[i] * width)
        total = out[i] - out[i]
        if whole > 0:
            sums = load(first, 0) * load(second, 0)
            for k in range(LANES, whole, LANES):
                sums += load(first, k) * load(second, k)
            total = sum_of(sums)
        for k in range(whole, width):
            total += first[k] * second[k]
        out[i] = total


@native(light=True)
def multiply_all_rows(out: pointer(T), left: pointer(T), right: pointer(T), rows: pointer(int64),
                      columns: pointer(int64), count: int64, width: int64, grain: int64):  # fmt: skip
    parallel_for(multiply_rows, count, grain, out, left, right, rows, columns, width)


@kernel_of("entry_products", sized=None)
def entry_products(left, right, rows, columns):
    if any([type(x) is not np.ndarray for x in (left, right)]) or len(rows) * left.shape[-1] < PICKED:
        return None
    if number_of(left) not in FLOATS or left.dtype != right.dtype:
        return None
    if not are_rows(left, rows) or not are_rows(right, columns):
        return None
    out = np.zeros(len(rows), left.dtype)
    indices = [packed(x.astype(np.int64, copy=False)) for x in (rows, columns)]
    grain = max(1, GRAIN // left.shape[1])
    multiply_all_rows.machine(number_of(left))(
        out, packed(left), packed(right), *indices, len(rows), left.shape[1], grain
    )
    return out


@native(separate=True)
def best_of_bags(winners: pointer(int64), best: pointer(T), table: pointer(T), indices: pointer(int64),
                 bags: pointer(int64), counted: pointer(uint8), size: int64, width: int64):  # fmt: skip
    """Finds the rows of the table with each bag's maxima `best`; for NaN, the first."""
    for at in range(size):
        if counted[at] != 0:
            row, source = indices[at], offset(table, indices[at] * width)
            to, most = offset(winners, bags[at] * width), offset(best, bags[at] * width)
            for k in range(width):
                value, before = source[k], most[k]
                better = (value > before) | (to[k] < 0) | ((value != value) & (before == before))
                most[k] = value if better else before
                to[k] = row if better else to[k]


@kernel_of("bag_winners")
def bag_winners(table, indices, bags, counted, count):
    dtype = number_of(table) if type(table) is np.ndarray else None
    if dtype not in (float32, float64) or len(indices) * table.shape[1] < PICKED:
        return None
    indices, bags = indices.astype(np.int64, copy=False), bags.astype(np.int64, copy=False)
    if bags.min() < 0 or indices.min() < 0 or indices.max() >= len(table):
        return None
    winners, best = np.full((count, table.shape[1]), -1), np.empty((count, table.shape[1]), table.dtype)
    operands = packed(table), packed(indices), packed(bags), packed(counted.view(np.uint8))
    best_of_bags.machine(dtype)(winners, best, *operands, len(indices), table.shape[1])
    return winners


@kernel_of("sum_of_rows", sized=2, least=PLACED)
def sum_of_rows(rows, index, values):
    return scatter_rows(None, rows, index, values)


@kernel_of("with_rows_added", sized=2, least=PLACED)
def with_rows_added(table, index, values):
    return scatter_rows(table, len(table), index, values)


# ---- slices along any dimension


@native
def add_slices(out: pointer(T), table: pointer(T), copies: int64, source: pointer(T), index: pointer(I),
               wrong: pointer(int64), length: int64, many: int64, after: int64, begin: int64, end: int64):  # fmt: skip
    """Computes blocks [begin, end) of `out`: those of the table, or zeros, plus the slices sent to them, in order."""
    for block in range(begin, end):
        to, slices = offset(out, block * length * after), offset(source, block * many * after)
        if copies != 0:
            copy(to, offset(table, block * length * after), length * after)
        else:
            clear(to, length * after)
        if after == 1:
            for k in range(many):
                to[within(int64(index[k]), length, wrong)] += slices[k]
        else:
            for k in range(many):
                add_row(offset(to, within(int64(index[k]), length, wrong) * after), offset(slices, k * after), after)


@native(light=True)
def add_all_slices(out: pointer(T), table: pointer(T), copies: int64, source: pointer(T), index: pointer(I),
                   wrong: pointer(int64), before: int64, length: int64, many: int64, after: int64,
                   grain: int64):  # fmt: skip
    blocks = max(1, grain // ((length + many) * after))
    parallel_for(add_slices, before, blocks, out, table, copies, source, index, wrong, length, many, after)


def scatter_slices(table, shape: tuple[int, ...], dim: int, index, source, negative: bool):
    """Returns `table`, or zeros of `shape` if None, plus slices of `source` at a vector of indices."""
    before, length, after = divided(shape, dim)
    if before == 1:  # rows: all threads share the one block
        return None
    dtype = number_of(source)
    if type(source) is not np.ndarray or dtype not in ADDED or source.size != before * index.size * after:
        return None
    if table is not None and (table.dtype != source.dtype or type(table) is not np.ndarray):
        return None
    out, wrong = np.empty(shape, source.dtype), np.array([0, negative], np.int64)
    add_all_slices.machine(dtype, OF_NUMPY[index.dtype])(
        out, out if table is None else packed(table), table is not None, packed(source), packed(index), wrong,
        before, length, index.size, after, GRAIN,
    )  # fmt: skip
    return None if wrong[0] else out


ADDED = (float32, float64, int64)


def combining(combine):
    """Returns the kernel that combines slices with those of `out` at the indices; parallel over strips of columns."""

    @native
    def strips(out: pointer(T), source: pointer(T), index: pointer(I), wrong: pointer(int64), length: int64,
               many: int64, after: int64, begin: int64, end: int64):  # fmt: skip
        count = (after + STRIP - 1) // STRIP
        for piece in range(begin, end):
            block, left = piece // count, piece % count * STRIP
            some = min(STRIP, after - left)
            whole = some - some % LANES
            to, slices = offset(out, block * length * after + left), offset(source, block * many * after + left)
            for k in range(many):
                row = offset(to, within(int64(index[k]), length, wrong) * after)
                other = offset(slices, k * after)
                for i in range(0, whole, LANES):
                    # In this order: if the stored value were selected from the old one, LLVM would emit a masked store,
                    # which takes up to twenty times as long with AVX2.
                    store(row, i, combine(load(other, i), load(row, i)))
                for i in range(whole, some):
                    row[i] = combine(other[i], row[i])

    @native(light=True)
    def all_strips(out: pointer(T), source: pointer(T), index: pointer(I), wrong: pointer(int64), before: int64,
                   length: int64, many: int64, after: int64, grain: int64):  # fmt: skip
        pieces, grain_pieces = before * ((after + STRIP - 1) // STRIP), max(1, grain // (many * min(after, STRIP)))
        parallel_for(strips, pieces, grain_pieces, out, source, index, wrong, length, many, after)

    return all_strips


COMBINED = {"amax": combining(larger), "amin": combining(smaller), "prod": combining(times)}
ORDERED = (float32, float64, int64, int32)


@kernel_of("index_reduce", least=PLACED)
def index_reduce(array, dim, index, source, reduce, include_self):
    dtype = number_of(array)
    if type(array) is not np.ndarray or not -array.ndim <= dim < array.ndim or index.dtype.char not in "ilq":
        return None
    if reduce not in COMBINED or dtype not in (ORDERED if reduce != "prod" else FLOATS) or source.dtype != array.dtype:
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
    kernel = COMBINED[reduce].machine(dtype, OF_NUMPY[index.dtype])
    kernel(out, packed(source), index, wrong, before, length, index.size, after, GRAIN)
    return None if wrong[0] else out


@kernel_of("index_add", sized=3, least=PLACED)
def index_add(input, dim, index, source, alpha=1):
    if alpha != 1 or not -input.ndim <= dim < input.ndim or index.dtype.char not in "ilq":
        return None
    return scatter_slices(input, input.shape, dim % input.ndim, index, source, False)


@kernel_of("placed_at", least=PICKED)
def placed_at(values, shape, indices):
    dims = [dim_index for dim_index, x in enumerate(indices) if x is not None]
    index, dim = indices[dims[0]], dims[0]
    if len(dims) > 1 or index.dtype.char not in "ilq":
        return None
    if values.shape != (*shape[:dim], *index.shape, *shape[dim + 1 :]):
        return None
    index = index.reshape(-1)
    if dim:
        return scatter_slices(None, shape, dim, index, values, True)
    index = np.where(index < 0, index + shape[0], index) if index.min() < 0 else index
    result = scatter_rows(None, shape[0], index, values.reshape(index.size, -1))
    return None if result is None else result.reshape(shape)


@native
def write_slices(out: pointer(T), array: pointer(T), source: pointer(T), step: int64, index: pointer(I),
                 wrong: pointer(int64), length: int64, many: int64, after: int64, begin: int64,
                 end: int64):  # fmt: skip
    """Computes blocks [begin, end) of `out`: those of the array, with slices of `source` (one element for all if `step`
    is 0).
    """
    for block in range(begin, end):
        to, slices = offset(out, block * length * after), offset(source, block * many * after * step)
        copy(to, offset(array, block * length * after), length * after)
        if after == 1:
            for k in range(many):
                to[within(int64(index[k]), length, wrong)] = slices[k * step]
        elif step == 0:
            for k in range(many):
                fill(offset(to, within(int64(index[k]), length, wrong) * after), slices[0], after)
        else:
            for k in range(many):
                copy(offset(to, within(int64(index[k]), length, wrong) * after), offset(slices, k * after), after)


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
    word = word_of(array)
    if type(array) is not np.ndarray or word is None or not -array.ndim <= dim < array.ndim:
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
    write_all_slices.machine(word, OF_NUMPY[index.dtype])(
        out, packed(array), source, source.ndim > 0, index, wrong, before, length, index.size, after, GRAIN
    )
    return None if wrong[0] else out
