"""Matrix products with many rows (float32): the second matrix is packed block by block and read from the second cache.

Parallel over pieces of the result. For each block the second matrix is packed into panels of `WIDE_COLUMNS` columns, as
`wide_product` reads them. Strips of a few rows of the first matrix are read in place and stay in the first cache while
all panels use them.

Source: Goto and van de Geijn, "Anatomy of high-performance matrix multiplication", 2008, with the two matrices swapped.
"""

from rushlight.kernels.gemm_packing import STRIPS, pack_panels, pack_turned, pack_wide_strips
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
    Numbers,
    even_part,
)
from rushlight.kernels.gemm_tile import WIDE_COLUMNS, WIDE_ROWS, wide_tile
from rushlight.kernels.vectors import LANES
from rushlight.lower.language import copy, offset
from rushlight.lower.lazy_compile import deferred
from rushlight.lower.native import int64, native, pointer
from rushlight.lower.objects import ALLOCATE, RELEASE
from rushlight.lower.parallel import parallel_for

DEPTH = 512  # terms per part of the sum: a strip takes a quarter of the first cache
TURNED_DEPTH = 256  # the same where the first matrix is packed: for more columns at a time, and less often
BLOCK = 1 << 17  # elements of the second matrix: half of the smallest second cache of processors with such registers
WIDEST = 2048  # columns of a block
PIECES = 4  # per thread
WHOLE = 1 << 22  # multiplications of a piece that is not split just to have more pieces than threads
LOWEST = 48  # rows of a piece
TURNED_WIDTH = 256  # columns of a piece where the first matrix is packed for each
AS_IT_IS = 1 << 15  # elements of a second matrix that is compact enough without packing
FEW = 128  # up to FEW rows a second matrix is not packed if its row stride is at most APART
APART = 1024


@deferred
@native(cold=True)
def products_by_blocks(a: Numbers, b: Numbers, bias: Numbers, out: Numbers, shape: pointer(int64), threads: int64):
    """Cuts the result into pieces; those of few columns come first, since each piece packs its part of the matrices."""
    count, rows, columns = shape[COUNT_AT], shape[ROWS_AT], shape[COLUMNS_AT]
    pieces, narrowest = 1, WIDE_COLUMNS
    if threads > 1:
        pieces = min(PIECES * threads, max(threads, count * rows * columns * shape[DEPTH_AT] // WHOLE))
    if shape[A_COLUMN] != 1:
        narrowest = TURNED_WIDTH
    across = max(1, min(columns // narrowest, (pieces + count - 1) // count))
    down = max(1, min(rows // LOWEST, pieces // (count * across)))
    shape[WIDTH_AT] = even_part(columns, (columns + across - 1) // across, WIDE_COLUMNS)
    shape[HEIGHT_AT] = even_part(rows, (rows + down - 1) // down, WIDE_ROWS)
    across = (columns + shape[WIDTH_AT] - 1) // shape[WIDTH_AT]
    down = (rows + shape[HEIGHT_AT] - 1) // shape[HEIGHT_AT]
    parallel_for(some_pieces, count * down * across, 1, a, b, bias, out, shape, across, down)


@native(cold=True)
def some_pieces(
    a: Numbers, b: Numbers, bias: Numbers, out: Numbers, shape: pointer(int64), across: int64, down: int64,
    first: int64, last: int64,
):  # fmt: skip
    allocate, release = ALLOCATE, RELEASE
    rows, columns, height_of_piece, width_of_piece = (
        shape[ROWS_AT],
        shape[COLUMNS_AT],
        shape[HEIGHT_AT],
        shape[WIDTH_AT],
    )
    most, copied = DEPTH, 1
    if shape[A_COLUMN] != 1:
        most, copied = TURNED_DEPTH, STRIPS
    depth = even_part(shape[DEPTH_AT], most, 1)
    width = even_part(min(columns, width_of_piece), min(WIDEST, BLOCK // depth), WIDE_COLUMNS)
    height = (depth + LANES - 1) // LANES * LANES  # of a panel, in whole squares of a transposition
    memory = allocate((width * (height + WIDE_ROWS) + copied * WIDE_ROWS * depth + LINE) * 4)
    workspace = offset(Numbers(memory), (64 - int64(memory) % 64) // 4)
    for piece in range(first, last):
        number, top, left = (
            piece // (down * across),
            piece // across % down * height_of_piece,
            piece % across * width_of_piece,
        )
        product_of_piece(
            offset(a, number * shape[A_NEXT]), offset(b, number * shape[B_NEXT]), bias,
            offset(out, number * rows * columns), workspace, shape, depth, height, width, top,
            min(rows, top + height_of_piece), left, min(columns, left + width_of_piece),
        )  # fmt: skip
    release(memory)


@native(cold=True)
def product_of_piece(
    a: Numbers, b: Numbers, bias: Numbers, out: Numbers, workspace: Numbers, shape: pointer(int64), most: int64,
    height: int64, width: int64, top: int64, bottom: int64, first: int64, last: int64,
):  # fmt: skip
    """Computes some rows and columns of a product, by blocks of terms and columns."""
    down, across, whole, rows = shape[B_ROW], shape[B_COLUMN], shape[DEPTH_AT], bottom - top
    for block in range((last - first + width - 1) // width):
        for part in range((whole + most - 1) // most):
            left, begin = first + block * width, part * most
            columns, depth = min(width, last - left), min(most, whole - begin)
            source = offset(b, begin * down + left * across)
            panels, panel_row, panel_step = workspace, WIDE_COLUMNS, height
            if across != 1:
                pack_turned(source, across, workspace, height, depth, columns, WIDE_COLUMNS)
            elif depth * down > AS_IT_IS and (rows > FEW or down > APART):
                pack_panels(source, down, workspace, height, depth, columns)
            else:
                panels, panel_row, panel_step = source, down, 1
            multiply_strips(
                a, panels, panel_row, panel_step, bias, out, offset(workspace, width * height), width, shape, begin,
                depth, left, columns, top, bottom,
            )  # fmt: skip


@native(cold=True)
def multiply_strips(
    a: Numbers, panels: Numbers, panel_row: int64, panel_step: int64, bias: Numbers, out: Numbers, workspace: Numbers,
    width: int64, shape: pointer(int64), begin: int64, depth: int64, left: int64, columns: int64, top: int64,
    bottom: int64,
):  # fmt: skip
    """Multiplies strips of the first matrix by a block of the second; the last strip may be partial."""
    stride, transposed = shape[COLUMNS_AT], shape[A_COLUMN] != 1
    strips = offset(workspace, WIDE_ROWS * width)
    for strip in range((bottom - top + WIDE_ROWS - 1) // WIDE_ROWS):
        i = top + strip * WIDE_ROWS
        rows = min(WIDE_ROWS, bottom - i)
        source, row, step = offset(a, i * shape[A_ROW] + begin * shape[A_COLUMN]), shape[A_ROW], 1
        result, apart_there = offset(out, i * stride + left), stride
        if transposed:
            if strip % STRIPS == 0:
                pack_wide_strips(source, shape[A_COLUMN], strips, depth, min(STRIPS * WIDE_ROWS, bottom - i))
            source, row, step = offset(strips, strip % STRIPS * WIDE_ROWS * depth), 1, WIDE_ROWS
        if rows < WIDE_ROWS:
            if not transposed:
                copy_lines(source, row, strips, depth, depth, rows, WIDE_ROWS)
                source, row = strips, depth
            if begin > 0:
                copy_lines(result, stride, workspace, columns, columns, rows, rows)
            result, apart_there = workspace, columns
        before, above, onward = bias, 0, 0
        if begin > 0:
            before, above, onward = result, apart_there, WIDE_COLUMNS
        elif int64(bias) != 0:
            before, onward = offset(bias, left), WIDE_COLUMNS
        for j in range(0, columns, WIDE_COLUMNS):
            panel = offset(panels, j * panel_step)
            wide_tile(
                depth, source, row, step, panel, panel_row, before, above, offset(result, j), apart_there, columns - j
            )
            before = offset(before, onward)
        if rows < WIDE_ROWS:
            copy_lines(workspace, columns, offset(out, i * stride + left), stride, columns, rows, rows)


@native(cold=True)
def copy_lines(
    source: Numbers, stride: int64, out: Numbers, out_apart: int64, size: int64, count: int64, wanted: int64
):
    """Copies `count` rows and repeats the last one up to `wanted`."""
    for line in range(wanted):
        copy(offset(out, line * out_apart), offset(source, min(line, count - 1) * stride), size)
