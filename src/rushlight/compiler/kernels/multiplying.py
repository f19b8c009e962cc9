"""Products of matrices and batches of them as one builtin function, which costs little more than what it computes."""

from rushlight.arrays.threads import WANTED
from rushlight.compiler.kernels import products
from rushlight.compiler.kernels.products import product
from rushlight.compiler.kernels.vectors import LANES
from rushlight.compiler.language import atomic_load, local
from rushlight.compiler.native import boolean, float32, int32, int64, native, pointer
from rushlight.compiler.objects import (
    ADD_REFERENCE,
    ARRAY,
    CLASS,
    DATA,
    DTYPE,
    FLOAT,
    FLOAT32,
    MAKE_ARRAY,
    NONE,
    NUMBER_OF,
    RANK,
    RESTORE_THREAD,
    SAVE_THREAD,
    SIZES,
    STRIDES,
    Object,
)
from rushlight.compiler.pool import STATE

FLIPPED = 1
TINY = 1 << 10  # products of numbers, for fewer of which the way to the BLAS takes longer than any tile
NARROW = 8  # columns, or a depth, that fill tiles badly
LEAST = 1 << 12  # the same for tiles of few rows
FLAT = 6  # rows for which the second matrix must lie column by column
WIDE = 32  # columns for which the first one may do so
DEEP, HUGE = 1 << 10, 1 << 22  # terms of a sum for more results than which the BLAS has the better blocks
TERMS = 1 << 40 if LANES == 16 else 128  # of a sum: of more, BLAS is as quick where vectors are narrower
LONG = 1 << 20  # products of numbers during which other threads of Python may run
ROWS, COLUMNS, DEPTH = products.ROWS_AT, products.COLUMNS_AT, products.DEPTH_AT
COUNT, A_NEXT, B_NEXT = products.COUNT_AT, products.A_NEXT, products.B_NEXT
A_ROW, A_COLUMN, B_ROW, B_COLUMN = products.A_ROW, products.A_COLUMN, products.B_ROW, products.B_COLUMN


@native(of_objects=True, bare=True)
def multiply(self: Object, given: pointer(Object), count: int64) -> Object:
    """`multiply(a, b, bias, form)`: a @ b, or a @ b.T if `form` is True, and `bias` if it is not None.

    Of matrices, of two batches of them, or of a batch and one matrix; with 2 or 3 for `form`, both have so many
    dimensions. None where it is not for this kernel: another dtype, a step of neither 1, a shape that does not fit.
    """
    a, b, bias, nothing, add_reference, number_of = given[0], given[1], given[2], NONE, ADD_REFERENCE, NUMBER_OF
    shape = local(int64, 16)
    work, added = 0, pointer(float32)(0)
    if count == 4:
        work = describe(a, b, number_of(given[3]), shape)
    if work > 0 and int64(bias) != int64(nothing):
        if is_row(bias, shape[COLUMNS]):
            added = pointer(float32)(bias[DATA])
        else:
            work = 0
    if work == 0:
        add_reference(nothing)
        return nothing
    out = make(a, shape[COLUMNS])
    if int64(out) == 0:
        return out
    state = STATE
    threads = atomic_load(state, WANTED)
    one, other, result = pointer(float32)(a[DATA]), pointer(float32)(b[DATA]), pointer(float32)(out[DATA])
    if work < LONG:
        product(one, other, added, result, shape, 1)
    else:
        save_thread, restore_thread = SAVE_THREAD, RESTORE_THREAD
        thread = save_thread()
        product(one, other, added, result, shape, threads)
        restore_thread(thread)
    return out


@native
def describe(a: Object, b: Object, form: int64, shape: pointer(int64)) -> int64:
    """Finds out what the product is like; gives how many products of numbers it has, 0 if it is not for this kernel."""
    if not is_array(a) or not is_array(b):
        return 0
    rank, other_rank = int64(pointer(int32)(a)[2 * RANK]), int64(pointer(int32)(b)[2 * RANK])
    if rank < 2 or rank > 3 or other_rank < 2 or other_rank > rank:
        return 0
    if form > 1 and (rank != form or other_rank != form):
        return 0
    if not is_matrix(a, rank) or not is_matrix(b, other_rank):
        return 0
    sizes, other, steps, other_steps = Object(a[SIZES]), Object(b[SIZES]), Object(a[STRIDES]), Object(b[STRIDES])
    down, along = rank - 2, rank - 1
    depth, across, count = sizes[along], steps[along] // 4, 1
    shape[ROWS], shape[A_ROW] = sizes[down], steps[down] // 4
    if rank > other_rank:
        if not fold(shape, sizes, steps):
            return 0
        down, along = 0, 1
    if form == FLIPPED:
        down, along = along, down
    columns, below = other[along], other_steps[down] // 4
    if other_rank == 3:
        if sizes[0] != other[0]:
            return 0
        count = sizes[0]
    shape[DEPTH], shape[COLUMNS], shape[COUNT] = depth, columns, count
    shape[A_COLUMN], shape[B_ROW], shape[B_COLUMN] = across, below, other_steps[along] // 4
    shape[A_NEXT], shape[B_NEXT] = steps[0] // 4, other_steps[0] // 4
    rows = shape[ROWS]
    work = count * rows * columns * depth
    if other[down] != depth or depth > TERMS:
        return 0
    if work < TINY:
        return work
    if columns < NARROW or depth < NARROW or across != 1 and columns < WIDE:
        return 0
    if rows < FLAT and below != 1 and work >= LEAST or depth >= DEEP and rows * columns > HUGE:
        return 0
    return work


@native
def fold(shape: pointer(int64), sizes: Object, steps: Object) -> boolean:
    """Takes the rows of a batch for those of one matrix; says whether they lie at equal distances."""
    if steps[2] != 4 or (sizes[0] > 1 and sizes[1] > 1 and steps[0] != sizes[1] * steps[1]):
        return False
    if sizes[1] == 1:
        shape[A_ROW] = steps[0] // 4
    shape[ROWS] = sizes[0] * sizes[1]
    return True


@native
def is_array(array: Object) -> boolean:
    """Whether it is an array of float32."""
    arrays, floats = ARRAY, FLOAT32
    return array[CLASS] == int64(arrays) and array[DTYPE] == int64(floats)


@native
def is_matrix(array: Object, rank: int64) -> boolean:
    """Whether the numbers of a row lie side by side, or those of a column."""
    steps = Object(array[STRIDES])
    row, column = steps[rank - 2], steps[rank - 1]
    if row < 0 or column < 0 or (row | column | steps[0]) % 4 != 0:
        return False
    return row == 4 or column == 4


@native
def is_row(array: Object, size: int64) -> boolean:
    """Whether it is a vector of so many float32, one beside the other."""
    if not is_array(array) or pointer(int32)(array)[2 * RANK] != 1:
        return False
    return Object(array[SIZES])[0] == size and Object(array[STRIDES])[0] == 4


@native
def make(a: Object, columns: int64) -> Object:
    """The array for the result: of the shape of `a` but for the columns."""
    arrays, make_array, none = ARRAY, MAKE_ARRAY, Object(0)
    rank, sizes, given = pointer(int32)(a)[2 * RANK], local(int64, 3), Object(a[SIZES])
    sizes[0], sizes[1] = given[0], given[1]
    sizes[int64(rank) - 1] = columns
    return make_array(arrays, rank, sizes, FLOAT, none, none, 0, 0, none)
