"""Matrix products in any layout (float32), blocked for the caches and tiled for the registers.

Parallel over pieces of the result. Per part of the sum, `COLUMNS` columns of the second matrix are packed into a panel
that `tile_product` reads; it stays in the first cache while all rows of the piece use it. The first matrix is read in
place, unless it is transposed.

Source: Goto and van de Geijn, "Anatomy of high-performance matrix multiplication", 2008.
"""

from rushlight.kernels.gemm_packed import products_by_blocks
from rushlight.kernels.gemm_packing import SPACE, pack_panel, pack_rows, pack_strips, pack_turned
from rushlight.kernels.gemm_shapes import (
    A_COLUMN,
    A_NEXT,
    A_ROW,
    B_COLUMN,
    B_NEXT,
    B_ROW,
    COLUMNS_AT,
    COUNT_AT,
    DEPTH_AT,
    HEIGHT_AT,
    LINE,
    ROWS_AT,
    WIDTH_AT,
    WORTH,
    even_part,
)
from rushlight.kernels.gemm_tile import COLUMNS, ROWS, WIDE_COLUMNS, tile_of_sum
from rushlight.kernels.gemv import dots
from rushlight.kernels.vectors import LANES, load_some, prefetch_far, store_some
from rushlight.lower.language import local, offset
from rushlight.lower.lazy_compile import deferred
from rushlight.lower.native import boolean, float32, int64, native, pointer
from rushlight.lower.objects import ALLOCATE, RELEASE
from rushlight.lower.parallel import parallel_for

DEPTH = 256  # terms per part of the sum: a panel takes two thirds of the first cache
WIDTH = 4096  # columns of a piece: the first matrix is packed once per piece
BLOCK = 1 << 17  # elements of the first matrix per piece: part of the second cache
PANEL = COLUMNS * (DEPTH + LANES)
NARROW = 256  # with at most so many columns the first matrix is not packed
CLOSE = 256  # largest row stride of a first matrix that is not packed, for any number of columns
SETS = 1024  # elements of all sets of the first cache: rows at this stride evict each other
NEAR = 128  # largest column stride of a transposed first matrix that is not packed, for fewer columns of the second
MANY, SOME = 64, 16  # rows for which blocking the second matrix pays off; the same in a batch
DIRECT = 64  # up to so many rows columns are not packed
SMALL = 1 << 13  # elements of a second matrix that fits the first cache without packing
HIGH = 128  # rows that take long enough to prefetch the next panel
FEW = 4  # rows for which transposing columns does not pay off
SQUARE = 1 << 16  # results of a piece that is as fast as a larger one: many pieces balance the threads


@native
def is_one_piece(shape: pointer(int64), threads: int64) -> boolean:
    """Returns whether one thread computes the product in one piece, in place: no workspace, no plan."""
    rows, columns, depth, across = shape[ROWS_AT], shape[COLUMNS_AT], shape[DEPTH_AT], shape[A_COLUMN]
    if shape[COUNT_AT] > 1 or (WIDE_COLUMNS > 0 or threads > 1) and rows * columns * depth > WORTH:
        return False
    return depth <= DEPTH and columns <= NEAR and across <= NEAR or has_few_rows(shape)


@native
def has_few_rows(shape: pointer(int64)) -> boolean:
    """Returns whether the rows are so few that columns are not transposed for them."""
    return shape[ROWS_AT] <= FEW and shape[B_ROW] == 1 and shape[A_COLUMN] == 1


@native
def product(
    a: pointer(float32), b: pointer(float32), bias: pointer(float32), out: pointer(float32), shape: pointer(int64),
    threads: int64,
):  # fmt: skip
    """Computes out (rows, columns) = a (rows, depth) b (depth, columns), plus `bias` (columns) if not null.

    `threads` is 0 for one piece; more threads need the GIL where a part is not compiled yet.
    """
    rows = shape[ROWS_AT]
    if threads == 0:
        small_product(a, b, bias, out, shape)
    elif WIDE_COLUMNS > 0 and (rows >= MANY and shape[COLUMNS_AT] > LANES or rows >= SOME and shape[COUNT_AT] > 1):
        products_by_blocks(a, b, bias, out, shape, threads)
    else:
        blocked_product(a, b, bias, out, shape, threads)


@deferred
@native(cold=True)
def small_product(
    a: pointer(float32), b: pointer(float32), bias: pointer(float32), out: pointer(float32), shape: pointer(int64)
):
    rows, columns, row = shape[ROWS_AT], shape[COLUMNS_AT], shape[A_ROW]
    if has_few_rows(shape):
        few_rows(a, row, b, shape[B_COLUMN], bias, 0, out, columns, rows, shape[DEPTH_AT], 0, columns)
    else:
        workspace = local(float32, PANEL)
        multiply_block(
            shape[DEPTH_AT], a, row, shape[A_COLUMN], row, b, 0, bias, out, workspace, shape, 0, rows, 0, columns
        )


@deferred
@native(cold=True)
def blocked_product(
    a: pointer(float32), b: pointer(float32), bias: pointer(float32), out: pointer(float32),
    shape: pointer(int64), threads: int64,
):  # fmt: skip
    """Parallel over pieces; in a module of its own, which LLVM does not optimise."""
    rows, columns = shape[ROWS_AT], shape[COLUMNS_AT]
    height = even_part(rows, BLOCK // max(1, min(shape[DEPTH_AT], DEPTH)), ROWS)
    width = even_part(columns, WIDTH, COLUMNS)
    if threads > 1:
        results = shape[COUNT_AT] * rows * columns
        share = min(results // (2 * threads), max(results // (4 * threads), SQUARE))
        while height * width > share and height * width * shape[DEPTH_AT] > WORTH and height + width > ROWS + COLUMNS:
            if height > width or width <= COLUMNS:
                height = even_part(height, height // 2, ROWS)
            else:
                width = even_part(width, width // 2, COLUMNS)
    shape[HEIGHT_AT], shape[WIDTH_AT] = height, width
    pieces = shape[COUNT_AT] * ((rows + height - 1) // height) * ((columns + width - 1) // width)
    parallel_for(product_pieces, pieces, 1, a, b, bias, out, shape)


@native(cold=True)
def is_copied(shape: pointer(int64), columns: int64) -> boolean:
    """Returns whether the first matrix is packed before it is multiplied by `columns` columns."""
    if shape[A_COLUMN] != 1:
        return shape[A_COLUMN] > NEAR or columns >= NEAR
    row = shape[A_ROW]
    return columns > NARROW and row > CLOSE or columns > NEAR and row % SETS == 0


@native(cold=True)
def packed_stride(depth: int64) -> int64:
    """Returns the row stride of a packed first matrix: an odd number of cache lines, so that rows use all sets."""
    return (depth + 2 * LINE - 1) // (2 * LINE) * (2 * LINE) + LINE


@native(cold=True)
def product_pieces(
    a: pointer(float32), b: pointer(float32), bias: pointer(float32), out: pointer(float32),
    shape: pointer(int64), first: int64, last: int64,
):  # fmt: skip
    rows, columns, height, width = shape[ROWS_AT], shape[COLUMNS_AT], shape[HEIGHT_AT], shape[WIDTH_AT]
    across = (columns + width - 1) // width
    per_matrix = (rows + height - 1) // height * across
    workspace = PANEL + LINE
    if is_copied(shape, width):
        workspace += (height + ROWS) * packed_stride(min(shape[DEPTH_AT], DEPTH))
    allocate, release = ALLOCATE, RELEASE
    memory = allocate(workspace * 4)
    work = offset(pointer(float32)(memory), (64 - int64(memory) % 64) // 4)
    for piece in range(first, last):
        number, i, j = piece // per_matrix, piece % per_matrix // across * height, piece % across * width
        product_piece(
            offset(a, number * shape[A_NEXT]), offset(b, number * shape[B_NEXT]), bias,
            offset(out, number * rows * columns), work, shape, i, min(rows, i + height), j, min(columns, j + width),
        )  # fmt: skip
    release(memory)


@native(cold=True)
def product_piece(
    a: pointer(float32), b: pointer(float32), bias: pointer(float32), out: pointer(float32),
    work: pointer(float32), shape: pointer(int64), top: int64, bottom: int64, left: int64, right: int64,
):  # fmt: skip
    whole = shape[DEPTH_AT]
    transposed, copied = shape[A_COLUMN] != 1, is_copied(shape, right - left)
    row, step, further = shape[A_ROW], 1, shape[A_ROW]
    if has_few_rows(shape):
        stride, a, out = shape[COLUMNS_AT], offset(a, top * row), offset(out, top * shape[COLUMNS_AT])
        few_rows(a, row, b, shape[B_COLUMN], bias, 0, out, stride, bottom - top, whole, left, right)
        return
    parts = (whole + DEPTH - 1) // DEPTH
    for part in range(parts):
        begin, end = whole * part // parts, whole * (part + 1) // parts
        depth = end - begin
        block = offset(a, top * shape[A_ROW] + begin * shape[A_COLUMN])
        if transposed and not copied:
            row, step, further = 1, shape[A_COLUMN], 1
        elif transposed:
            pack_strips(block, shape[A_COLUMN], offset(work, PANEL), depth, bottom - top)
            row, step, further = 1, ROWS, depth + SPACE
        elif copied:
            row = packed_stride(depth)
            further = row
            pack_rows(block, shape[A_ROW], offset(work, PANEL), row, depth, bottom - top)
        if copied:
            block = offset(work, PANEL)
        multiply_block(depth, block, row, step, further, b, begin, bias, out, work, shape, top, bottom, left, right)


@deferred
@native(bare=True)
def multiply_block(
    depth: int64, block: pointer(float32), row: int64, step: int64, further: int64, b: pointer(float32), begin: int64,
    bias: pointer(float32), out: pointer(float32), work: pointer(float32), shape: pointer(int64),
    top: int64, bottom: int64, left: int64, right: int64,
):  # fmt: skip
    """Multiplies a block of the first matrix by columns of the second, panel by panel; prefetches the next one."""
    stride, rows, down, across = shape[COLUMNS_AT], bottom - top, shape[B_ROW], shape[B_COLUMN]
    near, far, share = down, COLUMNS * down, (depth * ROWS + rows - 1) // rows
    if across != 1:
        near, far = across, COLUMNS
    for j in range(left, right, COLUMNS):
        source, panel, panel_stride = offset(b, begin * down + j * across), work, COLUMNS
        coming = offset(source, COLUMNS * across)
        if j + COLUMNS >= right:
            coming = offset(source, shape[B_NEXT] - (j - left) * across)
        if across != 1:
            pack_turned(source, across, work, 0, depth, min(COLUMNS, right - j), COLUMNS)
        elif rows > DIRECT and depth * down > SMALL:
            pack_panel(source, down, work, depth, right - j)
        else:
            panel, panel_stride = source, down
        before, above = bias, 0
        if int64(bias) != 0:
            before = offset(bias, j)
        for i in range(0, rows, ROWS):
            tile = offset(out, (top + i) * stride + j)
            if begin > 0:
                before, above = tile, stride
            if rows >= HIGH:
                for p in range(i // ROWS * share, min(depth, (i // ROWS + 1) * share)):
                    # Of a row whose cache line at the last panel's end is loaded.
                    index = p % COLUMNS * near + p // COLUMNS * far
                    prefetch_far(coming, index + LINE - 1)
                    prefetch_far(coming, index + 2 * LINE - 1)
            tile_of_sum(
                depth, offset(block, i * further), row, step, panel, panel_stride, before, above, tile, stride,
                rows - i, right - j,
            )  # fmt: skip


@deferred
@native(bare=True)
def few_rows(
    a: pointer(float32), row: int64, b: pointer(float32), b_stride: int64, before: pointer(float32), above: int64,
    out: pointer(float32), stride: int64, rows: int64, depth: int64, left: int64, right: int64,
):  # fmt: skip
    """Computes dot products of the rows of both matrices, where transposing the second one would take longer.

    Adds the matrix at `before` with row stride `above`, if not null.
    """
    for j in range(left, right, LANES):
        for i in range(rows):
            sums = dots(offset(a, i * row), offset(b, j * b_stride), b_stride, depth, right - j)
            if int64(before) != 0:
                sums = sums + load_some(before, i * above + j, 0, right - j)
            store_some(out, i * stride + j, sums, right - j)
