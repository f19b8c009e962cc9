"""Products of matrices in any layout, in blocks that stay in the caches and tiles that stay in the registers.

The result is cut into pieces, and a thread does a piece at a time. Part by part along the sum it copies `COLUMNS`
columns of the second matrix into a panel, which lies as `tile_product` reads it and stays in the first-level cache
while all rows of the piece are multiplied by it. The first matrix is read where it is, unless it lies column by column.
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

DEPTH = 256  # of a part of the sum: a panel of it takes two thirds of the first-level cache
WIDTH = 4096  # columns of a piece: for each, the first matrix is copied
BLOCK = 1 << 17  # numbers of the first matrix that a piece takes: some of the second-level cache
PANEL = COLUMNS * (DEPTH + LANES)
NARROW = 256  # columns for which the first matrix is not copied
CLOSE = 256  # from row to row of a first matrix that is not copied, however many columns there are
SETS = 1024  # numbers of a whole set of lines of the first-level cache: rows so far apart drive each other out of it
NEAR = 128  # from column to column of a turned first matrix that is not copied for fewer columns of the second
MANY, SOME = 64, 16  # rows that are worth a block of the second matrix; rows of each matrix of a batch
DIRECT = 64  # rows for which a panel of columns is not copied
SMALL = 1 << 13  # numbers of a second matrix that is in the first-level cache as it is
HIGH = 128  # rows during which there is time to fetch what comes next
FEW = 4  # rows that are not worth a panel of columns that must be turned
SQUARE = 1 << 16  # results of a piece that is as quick as a larger one: many end at about the same time


@native
def is_one_piece(shape: pointer(int64), threads: int64) -> boolean:
    """Whether one thread does it in one piece that reads the first matrix where it is: without memory or a plan."""
    rows, columns, depth, across = shape[ROWS_AT], shape[COLUMNS_AT], shape[DEPTH_AT], shape[A_COLUMN]
    if shape[COUNT_AT] > 1 or (WIDE_COLUMNS > 0 or threads > 1) and rows * columns * depth > WORTH:
        return False
    return depth <= DEPTH and columns <= NEAR and across <= NEAR or is_of_few_rows(shape)


@native
def is_of_few_rows(shape: pointer(int64)) -> boolean:
    """Whether there are so few rows that columns are not turned for them."""
    return shape[ROWS_AT] <= FEW and shape[B_ROW] == 1 and shape[A_COLUMN] == 1


@native
def product(
    a: pointer(float32), b: pointer(float32), bias: pointer(float32), out: pointer(float32), shape: pointer(int64),
    threads: int64,
):  # fmt: skip
    """out (rows, columns) = a (rows, depth) b (depth, columns), and `bias` (columns) if it is not null.

    For so many threads, which need the interpreter where a part is not compiled yet; for 0 of them if it is one piece.
    """
    rows = shape[ROWS_AT]
    if threads == 0:
        small_product(a, b, bias, out, shape)
    elif WIDE_COLUMNS > 0 and (rows >= MANY and shape[COLUMNS_AT] > LANES or rows >= SOME and shape[COUNT_AT] > 1):
        products_by_blocks(a, b, bias, out, shape, threads)
    else:
        product_of_pieces(a, b, bias, out, shape, threads)


@deferred
@native(cold=True)
def small_product(
    a: pointer(float32), b: pointer(float32), bias: pointer(float32), out: pointer(float32), shape: pointer(int64)
):
    rows, columns, row = shape[ROWS_AT], shape[COLUMNS_AT], shape[A_ROW]
    if is_of_few_rows(shape):
        few_rows(a, row, b, shape[B_COLUMN], bias, 0, out, columns, rows, shape[DEPTH_AT], 0, columns)
    else:
        room = local(float32, PANEL)
        multiply_block(shape[DEPTH_AT], a, row, shape[A_COLUMN], row, b, 0, bias, out, room, shape, 0, rows, 0, columns)


@deferred
@native(cold=True)
def product_of_pieces(
    a: pointer(float32), b: pointer(float32), bias: pointer(float32), out: pointer(float32),
    shape: pointer(int64), threads: int64,
):  # fmt: skip
    """In a module of its own, which LLVM does not optimise."""
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
    """Whether the first matrix is copied before it is multiplied by so many columns."""
    if shape[A_COLUMN] != 1:
        return shape[A_COLUMN] > NEAR or columns >= NEAR
    row = shape[A_ROW]
    return columns > NARROW and row > CLOSE or columns > NEAR and row % SETS == 0


@native(cold=True)
def apart_of(depth: int64) -> int64:
    """From row to row of a copy of the first matrix: an odd number of lines, so that rows do not share their sets."""
    return (depth + 2 * LINE - 1) // (2 * LINE) * (2 * LINE) + LINE


@native(cold=True)
def product_pieces(
    a: pointer(float32), b: pointer(float32), bias: pointer(float32), out: pointer(float32),
    shape: pointer(int64), first: int64, last: int64,
):  # fmt: skip
    rows, columns, height, width = shape[ROWS_AT], shape[COLUMNS_AT], shape[HEIGHT_AT], shape[WIDTH_AT]
    across = (columns + width - 1) // width
    each = (rows + height - 1) // height * across
    room = PANEL + LINE
    if is_copied(shape, width):
        room += (height + ROWS) * apart_of(min(shape[DEPTH_AT], DEPTH))
    allocate, release = ALLOCATE, RELEASE
    memory = allocate(room * 4)
    work = offset(pointer(float32)(memory), (64 - int64(memory) % 64) // 4)
    for piece in range(first, last):
        number, i, j = piece // each, piece % each // across * height, piece % across * width
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
    turned, copied = shape[A_COLUMN] != 1, is_copied(shape, right - left)
    row, step, further = shape[A_ROW], 1, shape[A_ROW]
    if is_of_few_rows(shape):
        stride, a, out = shape[COLUMNS_AT], offset(a, top * row), offset(out, top * shape[COLUMNS_AT])
        few_rows(a, row, b, shape[B_COLUMN], bias, 0, out, stride, bottom - top, whole, left, right)
        return
    parts = (whole + DEPTH - 1) // DEPTH
    for part in range(parts):
        begin, end = whole * part // parts, whole * (part + 1) // parts
        depth = end - begin
        block = offset(a, top * shape[A_ROW] + begin * shape[A_COLUMN])
        if turned and not copied:
            row, step, further = 1, shape[A_COLUMN], 1
        elif turned:
            pack_strips(block, shape[A_COLUMN], offset(work, PANEL), depth, bottom - top)
            row, step, further = 1, ROWS, depth + SPACE
        elif copied:
            row = apart_of(depth)
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
    """A block of the first matrix times the columns of the second: strip by strip, while the next numbers come in."""
    stride, rows, down, across = shape[COLUMNS_AT], bottom - top, shape[B_ROW], shape[B_COLUMN]
    near, far, share = down, COLUMNS * down, (depth * ROWS + rows - 1) // rows
    if across != 1:
        near, far = across, COLUMNS
    for j in range(left, right, COLUMNS):
        source, panel, apart = offset(b, begin * down + j * across), work, COLUMNS
        coming = offset(source, COLUMNS * across)
        if j + COLUMNS >= right:
            coming = offset(source, shape[B_NEXT] - (j - left) * across)
        if across != 1:
            pack_turned(source, across, work, 0, depth, min(COLUMNS, right - j), COLUMNS)
        elif rows > DIRECT and depth * down > SMALL:
            pack_panel(source, down, work, depth, right - j)
        else:
            panel, apart = source, down
        before, above = bias, 0
        if int64(bias) != 0:
            before = offset(bias, j)
        for i in range(0, rows, ROWS):
            tile = offset(out, (top + i) * stride + j)
            if begin > 0:
                before, above = tile, stride
            if rows >= HIGH:
                for p in range(i // ROWS * share, min(depth, (i // ROWS + 1) * share)):
                    place = p % COLUMNS * near + p // COLUMNS * far  # of a row of which the last panel's end is there
                    prefetch_far(coming, place + LINE - 1)
                    prefetch_far(coming, place + 2 * LINE - 1)
            tile_of_sum(
                depth, offset(block, i * further), row, step, panel, apart, before, above, tile, stride, rows - i,
                right - j,
            )  # fmt: skip


@deferred
@native(bare=True)
def few_rows(
    a: pointer(float32), row: int64, b: pointer(float32), apart: int64, before: pointer(float32), above: int64,
    out: pointer(float32), stride: int64, rows: int64, depth: int64, left: int64, right: int64,
):  # fmt: skip
    """Sums of products along the lines of both matrices, where turning the second one would take longer.

    What is added to lies at `before`, if not null, with its rows `above` apart.
    """
    for j in range(left, right, LANES):
        for i in range(rows):
            found = dots(offset(a, i * row), offset(b, j * apart), apart, depth, right - j)
            if int64(before) != 0:
                found = found + load_some(before, i * above + j, 0, right - j)
            store_some(out, i * stride + j, found, right - j)
