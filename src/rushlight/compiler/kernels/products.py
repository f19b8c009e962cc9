"""Products of matrices in any layout, in blocks that stay in the caches and tiles that stay in the registers.

There is one product or there are many, each cut into `down` by `across` pieces, and every job takes some of the pieces.
Part by part along the sum it copies the second matrix into panels of `COLUMNS` columns, which lie as `tile_product`
reads them, and the first one into a block whose rows do not fall onto each other in the cache. Source: Goto and van de
Geijn, "Anatomy of high-performance matrix multiplication", 2008.
"""

from typing import NamedTuple

from rushlight.compiler.kernels.tile_product import COLUMNS, ROWS, tile_product
from rushlight.compiler.kernels.vectors import LANES, load, store, transpose
from rushlight.compiler.language import offset
from rushlight.compiler.native import float32, int64, native, pointer
from rushlight.compiler.parallel import parallel_for

DEPTH = 256  # of a piece of the sum: a panel of it takes most of the first-level cache
WIDTH = 512  # columns of a block of the second matrix
HEIGHT = 128  # rows of a block of the first
NARROW = 128  # columns for which a copy of the first matrix does not pay
APART = DEPTH + LANES  # from row to row of that block
ACROSS = HEIGHT + LANES
WORK = DEPTH * WIDTH + max(HEIGHT * APART, DEPTH * ACROSS)  # numbers that a job needs for its copies


class Shape(NamedTuple):
    """What the kernel is told of a product; the steps are counted in numbers."""

    rows: int
    columns: int
    depth: int
    a_row: int  # from row to row of the first matrix, and from column to column; one of them is 1
    a_column: int
    b_row: int
    b_column: int
    stride: int  # from row to row of the result
    count: int  # products, and the steps from one to the next
    a_next: int
    b_next: int
    out_next: int
    down: int  # pieces of each
    across: int
    jobs: int


@native
def product(
    a: pointer(float32), b: pointer(float32), out: pointer(float32), work: pointer(float32), shape: pointer(int64)
):
    """out (rows, columns) = a (rows, depth) b (depth, columns)."""
    parallel_for(product_jobs, shape[14], 1, a, b, out, work, shape)


@native
def product_jobs(
    a: pointer(float32), b: pointer(float32), out: pointer(float32), work: pointer(float32), shape: pointer(int64),
    first: int64, last: int64,
):  # fmt: skip
    down, across, jobs = shape[12], shape[13], shape[14]
    pieces = shape[8] * down * across
    strips, panels = (shape[0] + ROWS - 1) // ROWS, (shape[1] + COLUMNS - 1) // COLUMNS
    for job in range(first, last):
        own = offset(work, job * WORK)
        for piece in range(pieces * job // jobs, pieces * (job + 1) // jobs):
            number, i, j = piece // (down * across), piece // across % down, piece % across
            one, other = offset(a, number * shape[9]), offset(b, number * shape[10])
            result = offset(out, number * shape[11])
            top, bottom = strips * i // down * ROWS, min(strips * (i + 1) // down * ROWS, shape[0])
            left, right = panels * j // across * COLUMNS, min(panels * (j + 1) // across * COLUMNS, shape[1])
            for column in range(left, right, WIDTH):
                product_block(one, other, result, own, shape, top, bottom, column, min(column + WIDTH, right))


@native
def product_block(
    a: pointer(float32), b: pointer(float32), out: pointer(float32), work: pointer(float32), shape: pointer(int64),
    top: int64, bottom: int64, left: int64, right: int64,
):  # fmt: skip
    """Rows `top` to `bottom` of at most WIDTH columns."""
    block = offset(work, DEPTH * WIDTH)
    row, column = APART, 1
    if shape[4] != 1:
        row, column = 1, ACROSS
    narrow = shape[4] == 1 and right - left <= NARROW
    if narrow:
        row = shape[3]
    for begin in range(0, shape[2], DEPTH):
        depth = min(DEPTH, shape[2] - begin)
        if shape[6] == 1:
            pack_panels(offset(b, begin * shape[5] + left), shape[5], work, depth, right - left)
        else:
            pack_turned(offset(b, begin + left * shape[6]), shape[6], work, depth, right - left)
        for i in range(top, bottom, HEIGHT):
            rows = min(HEIGHT, bottom - i)
            if narrow:
                block = offset(a, i * row + begin)
            elif shape[4] == 1:
                pack_lines(offset(a, i * shape[3] + begin), shape[3], block, APART, rows, depth)
            else:
                pack_lines(offset(a, i + begin * shape[4]), shape[4], block, ACROSS, depth, rows)
            for j in range(left, right, COLUMNS):
                panel = offset(work, (j - left) * DEPTH)
                for k in range(0, rows, ROWS):
                    tile_product(
                        depth, offset(block, k * row), row, column, panel, COLUMNS, offset(out, (i + k) * shape[7] + j),
                        shape[7], rows - k, right - j, begin > 0,
                    )  # fmt: skip


@native(separate=True)
def pack_lines(
    source: pointer(float32), apart: int64, out: pointer(float32), width: int64, rows: int64, columns: int64
):
    """Lines that lie `apart`, `width` apart."""
    for i in range(rows):
        for j in range(columns):
            out[i * width + j] = source[i * apart + j]


@native(separate=True)
def pack_panels(source: pointer(float32), apart: int64, out: pointer(float32), depth: int64, columns: int64):
    """Rows of `columns` numbers as panels (depth, COLUMNS)."""
    whole = columns // COLUMNS * COLUMNS
    for i in range(depth):
        for j in range(0, whole, LANES):
            panel = offset(out, j // COLUMNS * COLUMNS * DEPTH + i * COLUMNS + j % COLUMNS)
            store(panel, 0, load(source, i * apart + j))
        for j in range(whole, columns):
            out[whole * DEPTH + i * COLUMNS + j - whole] = source[i * apart + j]


@native(separate=True)
def pack_turned(source: pointer(float32), apart: int64, out: pointer(float32), depth: int64, columns: int64):
    """The same of a matrix that lies column by column."""
    for j in range(columns // LANES):
        panel = offset(out, j * LANES // COLUMNS * COLUMNS * DEPTH + j * LANES % COLUMNS)
        for i in range(depth // LANES):
            transpose(offset(source, j * LANES * apart + i * LANES), apart, offset(panel, i * LANES * COLUMNS), COLUMNS)
        for i in range(depth // LANES * LANES, depth):
            for k in range(LANES):
                panel[i * COLUMNS + k] = source[(j * LANES + k) * apart + i]
    for j in range(columns // LANES * LANES, columns):
        panel = offset(out, j // COLUMNS * COLUMNS * DEPTH + j % COLUMNS)
        for i in range(depth):
            panel[i * COLUMNS] = source[j * apart + i]
