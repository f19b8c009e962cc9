"""Scaled dot-product attention, forward and backward: a head's scores are made, normalized and used while in the cache.

Queries, keys, values and gradients are given where they are: `shape` holds for each the steps from example to example,
from head to head and from row to row. Results lie as (batch, length, heads, size), rows of gradients so far apart as
`shape` says, the weights as (batch, heads, length, keys). Of causal attention only the tiles up to the diagonal are
computed.
"""

from typing import NamedTuple

from rushlight.arrays.threads import WANTED
from rushlight.kernels.elementary import decay
from rushlight.kernels.gemm import FEW, few_rows
from rushlight.kernels.gemm_tile import COLUMNS, ROWS, tile_product
from rushlight.kernels.matmul import is_array
from rushlight.kernels.vectors import (
    LANES,
    anywhere,
    chosen,
    lanes_before,
    largest_of,
    load_some,
    multiply_add,
    spread,
    store_some,
    sum_of,
    transpose,
)
from rushlight.lower.language import atomic_load, local, offset
from rushlight.lower.native import boolean, float32, int32, int64, native, pointer
from rushlight.lower.objects import (
    ADD_REFERENCE,
    ALLOCATE,
    DATA,
    NONE,
    NUMBER_OF,
    RANK,
    REAL_OF,
    RELEASE,
    RESTORE_THREAD,
    SAVE_THREAD,
    SIZES,
    STRIDES,
    TRUE,
    Object,
)
from rushlight.lower.parallel import parallel_for
from rushlight.lower.pool import STATE

LEAST, NAN = float("-inf"), float("nan")


class Shape(NamedTuple):
    """What the kernels are told; the steps are those from example to example, from head to head, from row to row."""

    batch: int
    heads: int
    length: int
    keys: int
    size: int
    causal: int
    biased: int
    jobs: int
    query: tuple[int, int, int]
    key: tuple[int, int, int]
    value: tuple[int, int, int]
    other: tuple[int, int, int]  # the bias, or the gradient
    apart: int  # from row to row of gradients


@native
def work_size(shape: pointer(int64)) -> int64:
    """The numbers that a job needs beside the weights."""
    panels = (shape[3] + COLUMNS - 1) // COLUMNS
    return panels * COLUMNS * shape[4] + shape[2] * shape[3]


@native
def place(shape: pointer(int64), which: int64, number: int64) -> int64:
    """Where the head of that number begins in an operand."""
    return number // shape[1] * shape[which] + number % shape[1] * shape[which + 1]


@native
def pack(source: pointer(float32), apart: int64, out: pointer(float32), rows: int64, size: int64):
    """Rows as the columns of a matrix in panels: (rows / COLUMNS, size, COLUMNS)."""
    for row in range(0, rows, LANES):
        panel = offset(out, row // COLUMNS * COLUMNS * size + row % COLUMNS)
        done = 0
        if row + LANES <= rows:
            done = size // LANES * LANES
            for i in range(0, done, LANES):
                transpose(offset(source, row * apart + i), apart, offset(panel, i * COLUMNS), COLUMNS)
        for k in range(min(LANES, rows - row)):
            for i in range(done, size):
                panel[i * COLUMNS + k] = source[(row + k) * apart + i]


@native
def scores(
    a: pointer(float32), apart: int64, panels: pointer(float32), out: pointer(float32), length: int64, keys: int64,
    size: int64, causal: boolean,
):  # fmt: skip
    """out (length, keys) = a (length, size) times the panels; of a causal one the tiles up to the diagonal."""
    for column in range(0, keys, COLUMNS):
        for row in range(0, length, ROWS):
            if not causal or column < row + ROWS:
                tile_product(
                    size, offset(a, row * apart), apart, 1, offset(panels, column * size), COLUMNS,
                    offset(out, row * keys + column), keys, length - row, keys - column, False,
                )  # fmt: skip


@native
def combine(
    a: pointer(float32), row_step: int64, step: int64, b: pointer(float32), apart: int64, out: pointer(float32),
    stride: int64, rows: int64, depth: int64, columns: int64, before: boolean, after: boolean,
):  # fmt: skip
    """out (rows, columns) = a (rows, depth) b (depth, columns).

    Of a causal matrix there are zeros beyond the diagonal (`before` it is what counts) or below it (`after`).
    """
    for column in range(0, columns, COLUMNS):
        for row in range(0, rows, ROWS):
            begin = 0
            end = depth
            if before:
                end = min(depth, row + ROWS)
            if after:
                begin = min(depth, row)
            tile_product(
                end - begin, offset(a, row * row_step + begin * step), row_step, step,
                offset(b, begin * apart + column), apart, offset(out, row * stride + column), stride, rows - row,
                columns - column, False,
            )  # fmt: skip


# ---- rows of scores


@native
def normalize(
    row: pointer(float32), bias: pointer(float32), biased: boolean, scale: float32, count: int64, whole: int64
):
    """Softmax of the first numbers, scaled, and zeros for the others; where nothing counts, zeros."""
    factor, found, strange = spread(scale), spread(LEAST), lanes_before(0)
    for i in range(0, count, LANES):
        now = load_some(row, i, 0, count - i) * factor
        if biased:
            now = now + load_some(bias, i, 0, count - i)
        store_some(row, i, now, count - i)
        found = chosen(lanes_before(count - i) & (now > found), now, found)
        strange = strange | (now != now)
    most = largest_of(found)
    if most == LEAST:
        most = float32(0.0)
    shift, sum = spread(most), spread(0.0)
    if anywhere(strange):
        shift = spread(NAN)
    for i in range(0, count, LANES):
        now = chosen(lanes_before(count - i), decay(load_some(row, i, 0, count - i) - shift), 0.0)
        store_some(row, i, now, whole - i)
        sum = sum + now
    total = sum_of(sum)
    if total == 0.0:
        total = float32(1.0)
    factor = spread(1.0 / total)
    for i in range(0, count, LANES):
        store_some(row, i, load_some(row, i, 0, whole - i) * factor, whole - i)
    clear(row, count, whole)


@native
def clear(row: pointer(float32), count: int64, whole: int64):
    """Zeros beyond the vector in which the last number is that counts."""
    for i in range((count + LANES - 1) // LANES * LANES, whole, LANES):
        store_some(row, i, spread(0.0), whole - i)


# ---- forward


@native(bare=True)
def attention(
    query: pointer(float32), key: pointer(float32), value: pointer(float32), bias: pointer(float32),
    out: pointer(float32), weights: pointer(float32), work: pointer(float32), shape: pointer(int64), scale: float32,
):  # fmt: skip
    """`arrays.attention.attention`."""
    parallel_for(attention_jobs, shape[7], 1, query, key, value, bias, out, weights, work, shape, scale)


@native
def attention_jobs(
    query: pointer(float32), key: pointer(float32), value: pointer(float32), bias: pointer(float32),
    out: pointer(float32), weights: pointer(float32), work: pointer(float32), shape: pointer(int64), scale: float32,
    first: int64, last: int64,
):  # fmt: skip
    heads, length, keys, size, jobs = shape[1], shape[2], shape[3], shape[4], shape[7]
    causal, total, nothing = shape[5] == 1, shape[0] * shape[1], pointer(float32)(0)
    for job in range(first, last):
        panels = offset(work, job * work_size(shape))
        for number in range(total * job // jobs, total * (job + 1) // jobs):
            own = offset(weights, number * length * keys)
            asked, known = offset(query, place(shape, 8, number)), offset(key, place(shape, 11, number))
            if length <= FEW:
                few_rows(asked, shape[10], known, shape[13], nothing, 0, own, keys, length, size, 0, keys)
            else:
                pack(known, shape[13], panels, keys, size)
                scores(asked, shape[10], panels, own, length, keys, size, causal)
            for row in range(length):
                count = keys
                if causal:
                    count = min(keys, row + 1)
                added = offset(bias, place(shape, 17, number) + row * shape[19])
                normalize(offset(own, row * keys), added, shape[6] == 1, scale, count, keys)
            values = offset(value, place(shape, 14, number))
            target = offset(out, (number // heads * length * heads + number % heads) * size)
            combine(own, keys, 1, values, shape[16], target, heads * size, length, keys, size, causal, False)


@native(of_objects=True, bare=True)
def attend(self: Object, given: pointer(Object), count: int64) -> Object:
    """`attend(query, key, value, out, weights, is_causal, scale, worth)`: the same without a bias; True if it could.

    So many weights are worth a thread. None where numbers of a row do not lie side by side.
    """
    query, key, value, out, weights, true = given[0], given[1], given[2], given[3], given[4], TRUE
    nothing, add_reference, number_of, real_of = NONE, ADD_REFERENCE, NUMBER_OF, REAL_OF
    shape = local(int64, 20)
    if not (takes(query, shape, 8) and takes(key, shape, 11) and takes(value, shape, 14)):
        add_reference(nothing)
        return nothing
    sizes, others, state = Object(query[SIZES]), Object(key[SIZES]), STATE
    shape[0], shape[1], shape[2], shape[3], shape[4] = sizes[0], sizes[1], sizes[2], others[2], sizes[3]
    shape[5], shape[6], shape[17], shape[18], shape[19] = 0, 0, 0, 0, 0
    if int64(given[5]) == int64(true):
        shape[5] = 1
    heads = shape[0] * shape[1]
    jobs = max(1, min(min(atomic_load(state, WANTED), heads), heads * shape[2] * shape[3] // number_of(given[7])))
    shape[7] = jobs
    scale = float32(real_of(given[6]))
    allocate, release, save_thread, restore_thread = ALLOCATE, RELEASE, SAVE_THREAD, RESTORE_THREAD
    memory = allocate(4 * (jobs * work_size(shape) + 2 * LANES))
    work = offset(pointer(float32)(memory), (64 - int64(memory) % 64) // 4)
    thread = save_thread()
    attention(
        pointer(float32)(query[DATA]), pointer(float32)(key[DATA]), pointer(float32)(value[DATA]), work,
        pointer(float32)(out[DATA]), pointer(float32)(weights[DATA]), work, shape, scale,
    )  # fmt: skip
    restore_thread(thread)
    release(memory)
    add_reference(true)
    return true


@native
def takes(array: Object, shape: pointer(int64), at: int64) -> boolean:
    """Whether it is an array (batch, heads, rows, size) whose rows can be read; writes down its steps."""
    if not is_array(array) or pointer(int32)(array)[2 * RANK] != 4:
        return False
    steps = Object(array[STRIDES])
    for dim in range(3):
        if steps[dim] % 4 != 0:
            return False
        shape[at + dim] = steps[dim] // 4
    return steps[3] == 4


# ---- backward


@native
def pull_back(row: pointer(float32), weights: pointer(float32), scale: float32, count: int64, whole: int64):
    """The gradients at the scores from those at the weights, and zeros for what does not count."""
    sum = spread(0.0)
    for i in range(0, count, LANES):
        sum = multiply_add(load_some(row, i, 0, count - i), load_some(weights, i, 0, count - i), sum)
    average, factor = spread(sum_of(sum)), spread(scale)
    for i in range(0, count, LANES):
        now = (load_some(row, i, 0, count - i) - average) * load_some(weights, i, 0, count - i) * factor
        store_some(row, i, chosen(lanes_before(count - i), now, 0.0), whole - i)
    clear(row, count, whole)


@native(bare=True)
def attention_gradients(
    grad: pointer(float32), query: pointer(float32), key: pointer(float32), value: pointer(float32),
    weights: pointer(float32), to_query: pointer(float32), to_key: pointer(float32), to_value: pointer(float32),
    work: pointer(float32), shape: pointer(int64), scale: float32,
):  # fmt: skip
    """`arrays.attention.attention_gradients`."""
    parallel_for(
        gradient_jobs, shape[7], 1, grad, query, key, value, weights, to_query, to_key, to_value, work, shape, scale
    )


@native
def gradient_jobs(
    grad: pointer(float32), query: pointer(float32), key: pointer(float32), value: pointer(float32),
    weights: pointer(float32), to_query: pointer(float32), to_key: pointer(float32), to_value: pointer(float32),
    work: pointer(float32), shape: pointer(int64), scale: float32, first: int64, last: int64,
):  # fmt: skip
    heads, length, keys, size, jobs = shape[1], shape[2], shape[3], shape[4], shape[7]
    causal, total = shape[5] == 1, shape[0] * shape[1]
    for job in range(first, last):
        panels = offset(work, job * work_size(shape))
        slopes = offset(panels, work_size(shape) - length * keys)
        for number in range(total * job // jobs, total * (job + 1) // jobs):
            own, given = offset(weights, number * length * keys), offset(grad, place(shape, 17, number))
            pack(offset(value, place(shape, 14, number)), shape[16], panels, keys, size)
            scores(given, shape[19], panels, slopes, length, keys, size, causal)
            for row in range(length):
                count = keys
                if causal:
                    count = min(keys, row + 1)
                pull_back(offset(slopes, row * keys), offset(own, row * keys), scale, count, keys)
            step = shape[20]
            at = number // heads * step
            queries = offset(to_query, at * length + number % heads * size)
            values = offset(to_value, at * keys + number % heads * size)
            targets = offset(to_key, at * keys + number % heads * size)
            k, q = offset(key, place(shape, 11, number)), offset(query, place(shape, 8, number))
            combine(slopes, keys, 1, k, shape[13], queries, step, length, keys, size, causal, False)
            combine(slopes, 1, keys, q, shape[10], targets, step, keys, length, size, False, causal)
            combine(own, 1, keys, given, shape[19], values, step, keys, length, size, False, causal)
