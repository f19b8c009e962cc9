"""Matrix products and batched ones as one builtin function with little call overhead. float32."""

from rushlight.arrays.threads import WANTED
from rushlight.kernels.gemm import is_one_piece, product
from rushlight.kernels.gemm_shapes import (
    A_COLUMN,
    A_NEXT,
    A_ROW,
    B_COUNT,
    B_DEPTH,
    B_ROW,
    COLUMNS_AT,
    COUNT_AT,
    DEPTH_AT,
    ROWS_AT,
)
from rushlight.kernels.gemm_tile import WIDE_COLUMNS
from rushlight.lower.language import atomic_load, local, offset
from rushlight.lower.native import boolean, float32, int32, int64, native, pointer, void
from rushlight.lower.objects import (
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
from rushlight.lower.pool import STATE

FLIPPED = 1
TINY = 1 << 10  # multiplications; below, the call of BLAS takes longer than any tile
NARROW = 8  # fewer columns fill tiles badly
LEAST = 1 << 12  # the same for tiles of few rows
FLAT = 6  # rows below which the second matrix must be transposed
WIDE = 32  # columns from which the first one may be
DEEP, HUGE = 1 << 10, 1 << 22  # terms and results above which BLAS has better blocks
LONG = 1 << 20  # multiplications during which the GIL is released


@native(of_objects=True, bare=True)
def multiply(self: Object, args: pointer(Object), count: int64) -> Object:
    """`multiply(a, b, bias, form)`: a @ b, or a @ b.T if `form` is True; plus `bias` if not None.

    For two matrices, two batches, or a batch and one matrix; `form` 2 or 3 requires both to have that rank. Returns
    None for other dtypes, strides (rows or columns must be contiguous) or shapes.
    """
    a, b, bias, nothing, add_reference, number_of = args[0], args[1], args[2], NONE, ADD_REFERENCE, NUMBER_OF
    shape = local(int64, 16)
    work, added = 0, pointer(float32)(0)
    if count == 4:
        work = describe(a, b, number_of(args[3]), shape)
    if work > 0 and int64(bias) != int64(nothing):
        if is_row(bias, shape[COLUMNS_AT]):
            added = pointer(float32)(bias[DATA])
        else:
            work = 0
    if work == 0:
        add_reference(nothing)
        return nothing
    out = make(a, shape[COLUMNS_AT])
    if int64(out) == 0:
        return out
    state = STATE
    threads = atomic_load(state, WANTED)
    if is_one_piece(shape, threads):
        threads = 0
    one, other, result = pointer(float32)(a[DATA]), pointer(float32)(b[DATA]), pointer(float32)(out[DATA])
    save_thread, restore_thread, thread = SAVE_THREAD, RESTORE_THREAD, pointer(void)(0)
    if threads > 0 or work >= LONG:
        thread = save_thread()
    product(one, other, added, result, shape, threads)
    if int64(thread) != 0:
        restore_thread(thread)
    return out


@native
def describe(a: Object, b: Object, form: int64, shape: pointer(int64)) -> int64:
    """Reads the operands into `shape`; returns the number of multiplications, 0 if the kernel does not fit."""
    rank, other_rank = read(a, shape, False), read(b, offset(shape, B_DEPTH), form == FLIPPED)
    if other_rank == 0 or rank < other_rank or form > 1 and (rank != form or other_rank != form):
        return 0
    if rank > other_rank and not fold(shape):
        return 0
    rows, depth, columns, below = shape[ROWS_AT], shape[DEPTH_AT], shape[COLUMNS_AT], shape[B_ROW]
    work = shape[COUNT_AT] * rows * columns * depth
    if shape[COUNT_AT] != shape[B_COUNT] or shape[B_DEPTH] != depth:
        return 0
    if work < TINY:
        return work
    if columns < NARROW or shape[A_COLUMN] != 1 and columns < WIDE:
        return 0
    if rows < FLAT and below != 1 and work >= LEAST:
        return 0
    if depth >= DEEP and rows * columns > HUGE and WIDE_COLUMNS == 0:
        return 0
    return work


@native
def read(array: Object, shape: pointer(int64), transposed: boolean) -> int64:
    """Reads a float32 matrix, or a batch; returns the rank, 0 for anything else.

    Rows or columns must be contiguous.
    """
    if not is_array(array):
        return 0
    rank, sizes, steps = int64(pointer(int32)(array)[2 * RANK]), Object(array[SIZES]), Object(array[STRIDES])
    if rank < 2 or rank > 3:
        return 0
    down, along = rank - 2, rank - 1
    row, column = steps[down], steps[along]
    if row < 0 or column < 0 or row != 4 and column != 4 or (row | column | steps[0]) % 4 != 0:
        return 0
    if transposed:
        down, along = along, down
    shape[ROWS_AT], shape[DEPTH_AT] = sizes[down], sizes[along]
    shape[A_ROW], shape[A_COLUMN], shape[A_NEXT], shape[COUNT_AT] = (
        steps[down] // 4,
        steps[along] // 4,
        steps[0] // 4,
        1,
    )
    if rank == 3:
        shape[COUNT_AT] = sizes[0]
    return rank


@native
def fold(shape: pointer(int64)) -> boolean:
    """Merges the rows of a batch into one matrix; returns whether they are equidistant."""
    count, rows, row, next = shape[COUNT_AT], shape[ROWS_AT], shape[A_ROW], shape[A_NEXT]
    if shape[A_COLUMN] != 1 or count > 1 and rows > 1 and next != rows * row:
        return False
    if rows == 1:
        shape[A_ROW] = next
    shape[ROWS_AT], shape[COUNT_AT] = rows * count, 1
    return True


@native
def is_array(array: Object) -> boolean:
    """Returns whether it is a float32 array."""
    arrays, floats = ARRAY, FLOAT32
    return array[CLASS] == int64(arrays) and array[DTYPE] == int64(floats)


@native
def is_row(array: Object, size: int64) -> boolean:
    """Returns whether it is a contiguous float32 vector of `size` elements."""
    if not is_array(array) or pointer(int32)(array)[2 * RANK] != 1:
        return False
    return Object(array[SIZES])[0] == size and Object(array[STRIDES])[0] == 4


@native
def make(a: Object, columns: int64) -> Object:
    """Allocates the result: the shape of `a` with `columns` columns."""
    arrays, make_array, none = ARRAY, MAKE_ARRAY, Object(0)
    rank, sizes, a_sizes = pointer(int32)(a)[2 * RANK], local(int64, 3), Object(a[SIZES])
    sizes[0], sizes[1] = a_sizes[0], a_sizes[1]
    sizes[int64(rank) - 1] = columns
    return make_array(arrays, rank, sizes, FLOAT, none, none, 0, 0, none)
