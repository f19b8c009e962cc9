"""Scaled dot-product attention, forward and backward.

Parallel over heads (batch x heads); the scores of one head are computed, normalized and used while in cache. float32.
Queries, keys, values and gradients may have any strides between examples, heads and rows; `shape` holds them. Results
are laid out as (batch, length, heads, size), with row stride `grad_row` for gradients; weights as (batch, heads,
length, keys). With a causal mask only the tiles up to the diagonal are computed.
"""

from typing import NamedTuple

from rushlight.arrays.threads import WANTED
from rushlight.kernels.elementary import decay
from rushlight.kernels.gemm import FEW, few_rows
from rushlight.kernels.gemm_tile import COLUMNS, ROWS, tile_product
from rushlight.kernels.matmul import is_array
from rushlight.kernels.vectors import (
    LANES,
    any_lane,
    lanes_before,
    largest_of,
    load_some,
    multiply_add,
    select,
    splat,
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
    """Sizes and strides that the kernels take; strides are those of example, head and row."""

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
    other: tuple[int, int, int]  # of the bias, or of the gradient
    grad_row: int  # row stride of the gradients


@native
def work_size(shape: pointer(int64)) -> int64:
    """Returns the elements of workspace per job, without the weights."""
    panels = (shape[3] + COLUMNS - 1) // COLUMNS
    return panels * COLUMNS * shape[4] + shape[2] * shape[3]


@native
def head_offset(shape: pointer(int64), which: int64, number: int64) -> int64:
    """Returns the offset of head `number` in the operand whose strides begin at `which`."""
    return number // shape[1] * shape[which] + number % shape[1] * shape[which + 1]


@native
def pack(source: pointer(float32), stride: int64, out: pointer(float32), rows: int64, size: int64):
    """Packs rows as columns of a matrix, in panels (rows / COLUMNS, size, COLUMNS)."""
    for row in range(0, rows, LANES):
        panel = offset(out, row // COLUMNS * COLUMNS * size + row % COLUMNS)
        packed = 0
        if row + LANES <= rows:
            packed = size // LANES * LANES
            for i in range(0, packed, LANES):
                transpose(offset(source, row * stride + i), stride, offset(panel, i * COLUMNS), COLUMNS)
        for k in range(min(LANES, rows - row)):
            for i in range(packed, size):
                panel[i * COLUMNS + k] = source[(row + k) * stride + i]


@native
def scores(
    a: pointer(float32), stride: int64, panels: pointer(float32), out: pointer(float32), length: int64, keys: int64,
    size: int64, causal: boolean,
):  # fmt: skip
    """Computes out (length, keys) = a (length, size) times the panels; if causal, only the tiles up to the diagonal."""
    for column in range(0, keys, COLUMNS):
        for row in range(0, length, ROWS):
            if not causal or column < row + ROWS:
                tile_product(
                    size, offset(a, row * stride), stride, 1, offset(panels, column * size), COLUMNS,
                    offset(out, row * keys + column), keys, length - row, keys - column, False,
                )  # fmt: skip


@native
def combine(
    a: pointer(float32), a_row: int64, a_column: int64, b: pointer(float32), b_row: int64, out: pointer(float32),
    out_row: int64, rows: int64, depth: int64, columns: int64, before: boolean, after: boolean,
):  # fmt: skip
    """Computes out (rows, columns) = a (rows, depth) b (depth, columns).

    For a causal `a`, entries above the diagonal are zeros (`before`), or those below it (`after`); these are skipped.
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
                end - begin, offset(a, row * a_row + begin * a_column), a_row, a_column,
                offset(b, begin * b_row + column), b_row, offset(out, row * out_row + column), out_row, rows - row,
                columns - column, False,
            )  # fmt: skip


# ---- rows of scores


@native
def normalize(
    row: pointer(float32), bias: pointer(float32), biased: boolean, scale: float32, count: int64, width: int64
):
    """Computes the scaled softmax of the first `count` scores; the others, and rows without finite scores, become
    zeros.
    """
    factor, largest, has_nan = splat(scale), splat(LEAST), lanes_before(0)
    for i in range(0, count, LANES):
        value = load_some(row, i, 0, count - i) * factor
        if biased:
            value = value + load_some(bias, i, 0, count - i)
        store_some(row, i, value, count - i)
        largest = select(lanes_before(count - i) & (value > largest), value, largest)
        has_nan = has_nan | (value != value)
    maximum = largest_of(largest)
    if maximum == LEAST:
        maximum = float32(0.0)
    shift, partial = splat(maximum), splat(0.0)
    if any_lane(has_nan):
        shift = splat(NAN)
    for i in range(0, count, LANES):
        value = select(lanes_before(count - i), decay(load_some(row, i, 0, count - i) - shift), 0.0)
        store_some(row, i, value, width - i)
        partial = partial + value
    total = sum_of(partial)
    if total == 0.0:
        total = float32(1.0)
    factor = splat(1.0 / total)
    for i in range(0, count, LANES):
        store_some(row, i, load_some(row, i, 0, width - i) * factor, width - i)
    clear(row, count, width)


@native
def clear(row: pointer(float32), count: int64, width: int64):
    """Fills the row with zeros after the vector that holds the last counted element."""
    for i in range((count + LANES - 1) // LANES * LANES, width, LANES):
        store_some(row, i, splat(0.0), width - i)


# ---- forward


@native(bare=True)
def attention(
    query: pointer(float32), key: pointer(float32), value: pointer(float32), bias: pointer(float32),
    out: pointer(float32), weights: pointer(float32), work: pointer(float32), shape: pointer(int64), scale: float32,
):  # fmt: skip
    """`arrays.attention.attention`: parallel over jobs of several heads."""
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
            head_weights = offset(weights, number * length * keys)
            q, k = offset(query, head_offset(shape, 8, number)), offset(key, head_offset(shape, 11, number))
            if length <= FEW:
                few_rows(q, shape[10], k, shape[13], nothing, 0, head_weights, keys, length, size, 0, keys)
            else:
                pack(k, shape[13], panels, keys, size)
                scores(q, shape[10], panels, head_weights, length, keys, size, causal)
            for row in range(length):
                count = keys
                if causal:
                    count = min(keys, row + 1)
                bias_row = offset(bias, head_offset(shape, 17, number) + row * shape[19])
                normalize(offset(head_weights, row * keys), bias_row, shape[6] == 1, scale, count, keys)
            v = offset(value, head_offset(shape, 14, number))
            target = offset(out, (number // heads * length * heads + number % heads) * size)
            combine(head_weights, keys, 1, v, shape[16], target, heads * size, length, keys, size, causal, False)


@native(of_objects=True, bare=True)
def attend(self: Object, args: pointer(Object), count: int64) -> Object:
    """`attend(query, key, value, out, weights, is_causal, scale, grain)`: attention without bias; returns True.

    `grain` is the number of weights per thread. Returns None if the elements of a row are not contiguous.
    """
    query, key, value, out, weights, true = args[0], args[1], args[2], args[3], args[4], TRUE
    nothing, add_reference, number_of, real_of = NONE, ADD_REFERENCE, NUMBER_OF, REAL_OF
    shape = local(int64, 20)
    if not (read_strides(query, shape, 8) and read_strides(key, shape, 11) and read_strides(value, shape, 14)):
        add_reference(nothing)
        return nothing
    sizes, key_sizes, state = Object(query[SIZES]), Object(key[SIZES]), STATE
    shape[0], shape[1], shape[2], shape[3], shape[4] = sizes[0], sizes[1], sizes[2], key_sizes[2], sizes[3]
    shape[5], shape[6], shape[17], shape[18], shape[19] = 0, 0, 0, 0, 0
    if int64(args[5]) == int64(true):
        shape[5] = 1
    heads = shape[0] * shape[1]
    jobs = max(1, min(min(atomic_load(state, WANTED), heads), heads * shape[2] * shape[3] // number_of(args[7])))
    shape[7] = jobs
    scale = float32(real_of(args[6]))
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
def read_strides(array: Object, shape: pointer(int64), index: int64) -> boolean:
    """Returns whether `array` is (batch, heads, rows, size) with contiguous rows; writes its strides to `shape`."""
    if not is_array(array) or pointer(int32)(array)[2 * RANK] != 4:
        return False
    strides = Object(array[STRIDES])
    for dim in range(3):
        if strides[dim] % 4 != 0:
            return False
        shape[index + dim] = strides[dim] // 4
    return strides[3] == 4


# ---- backward


@native
def softmax_backward(row: pointer(float32), weights: pointer(float32), scale: float32, count: int64, width: int64):
    """Computes the gradient of the scores from that of the weights (in place); zeros for masked elements."""
    partial = splat(0.0)
    for i in range(0, count, LANES):
        partial = multiply_add(load_some(row, i, 0, count - i), load_some(weights, i, 0, count - i), partial)
    mean, factor = splat(sum_of(partial)), splat(scale)
    for i in range(0, count, LANES):
        value = (load_some(row, i, 0, count - i) - mean) * load_some(weights, i, 0, count - i) * factor
        store_some(row, i, select(lanes_before(count - i), value, 0.0), width - i)
    clear(row, count, width)


@native(bare=True)
def attention_gradients(
    grad: pointer(float32), query: pointer(float32), key: pointer(float32), value: pointer(float32),
    weights: pointer(float32), to_query: pointer(float32), to_key: pointer(float32), to_value: pointer(float32),
    work: pointer(float32), shape: pointer(int64), scale: float32,
):  # fmt: skip
    """`arrays.attention.attention_gradients`: parallel over jobs of several heads."""
    parallel_for(
        backward_jobs, shape[7], 1, grad, query, key, value, weights, to_query, to_key, to_value, work, shape, scale
    )


@native
def backward_jobs(
    grad: pointer(float32), query: pointer(float32), key: pointer(float32), value: pointer(float32),
    weights: pointer(float32), to_query: pointer(float32), to_key: pointer(float32), to_value: pointer(float32),
    work: pointer(float32), shape: pointer(int64), scale: float32, first: int64, last: int64,
):  # fmt: skip
    heads, length, keys, size, jobs = shape[1], shape[2], shape[3], shape[4], shape[7]
    causal, total = shape[5] == 1, shape[0] * shape[1]
    for job in range(first, last):
        panels = offset(work, job * work_size(shape))
        scores_grad = offset(panels, work_size(shape) - length * keys)
        for number in range(total * job // jobs, total * (job + 1) // jobs):
            w, g = offset(weights, number * length * keys), offset(grad, head_offset(shape, 17, number))
            pack(offset(value, head_offset(shape, 14, number)), shape[16], panels, keys, size)
            scores(g, shape[19], panels, scores_grad, length, keys, size, causal)
            for row in range(length):
                count = keys
                if causal:
                    count = min(keys, row + 1)
                softmax_backward(offset(scores_grad, row * keys), offset(w, row * keys), scale, count, keys)
            stride = shape[20]
            example = number // heads * stride
            grad_q = offset(to_query, example * length + number % heads * size)
            grad_v = offset(to_value, example * keys + number % heads * size)
            grad_k = offset(to_key, example * keys + number % heads * size)
            k, q = offset(key, head_offset(shape, 11, number)), offset(query, head_offset(shape, 8, number))
            combine(scores_grad, keys, 1, k, shape[13], grad_q, stride, length, keys, size, causal, False)
            combine(scores_grad, 1, keys, q, shape[10], grad_k, stride, keys, length, size, False, causal)
            combine(w, 1, keys, g, shape[19], grad_v, stride, keys, length, size, False, causal)
