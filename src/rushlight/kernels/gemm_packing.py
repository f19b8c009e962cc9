"""Matrices copied into the order in which products read them: rows, strips of a few rows, panels of a few columns."""

from rushlight.kernels.gemm_shapes import LINE, Numbers
from rushlight.kernels.gemm_tile import COLUMNS, ROWS, WIDE_COLUMNS, WIDE_ROWS
from rushlight.kernels.vectors import LANES, load_some, prefetch_far, store, transpose_some
from rushlight.lower.language import copy, offset
from rushlight.lower.lazy_compile import deferred
from rushlight.lower.native import int64, native

SPACE = LINE // ROWS  # rows between strips, so that these do not fall onto each other
STRIPS = 16  # of the first matrix that are copied at a time, where it lies column by column
SOON = 8  # rows that are fetched before they are copied


@deferred
@native(bare=True, separate=True)
def pack_rows(source: Numbers, apart: int64, out: Numbers, out_apart: int64, depth: int64, rows: int64):
    """The first matrix, row by row: where one ends, the processor does not foresee the next."""
    for i in range(rows):
        for p in range(0, depth, LINE):
            prefetch_far(source, (i + SOON) * apart + p)
        copy(offset(out, i * out_apart), offset(source, i * apart), depth)


@deferred
@native(bare=True, separate=True)
def pack_strips(source: Numbers, apart: int64, out: Numbers, depth: int64, rows: int64):
    """The first matrix, where it lies column by column, as strips (depth, ROWS)."""
    for i in range(0, rows, STRIPS * ROWS):
        whole = min(STRIPS * ROWS, rows - i) // ROWS * ROWS
        for p in range(depth):
            for k in range(0, whole, ROWS):
                copy(offset(out, (i + k) * (depth + SPACE) + p * ROWS), offset(source, p * apart + i + k), ROWS)
    last = rows // ROWS * ROWS
    for p in range(depth):
        for k in range(last, rows):
            out[last * (depth + SPACE) + p * ROWS + k - last] = source[p * apart + k]


@native(separate=True)
def pack_panel(source: Numbers, apart: int64, out: Numbers, depth: int64, columns: int64):
    """The first columns of the second matrix as a panel (depth, COLUMNS), two vectors wide."""
    for p in range(depth):
        store(out, p * COLUMNS, load_some(source, p * apart, 0, columns))
        store(out, p * COLUMNS + LANES, load_some(source, p * apart + LANES, 0, columns - LANES))


@deferred
@native(bare=True, separate=True)
def pack_turned(source: Numbers, apart: int64, out: Numbers, height: int64, depth: int64, columns: int64, width: int64):
    """Columns of the second matrix, where it lies column by column, into panels so many columns wide, a power of two.

    Squares are turned whole: the height of a panel is that of whole vectors.
    """
    for j in range(0, columns, LANES):
        inside = j & (width - 1)
        panel = offset(out, (j - inside) * height + inside)
        for p in range(0, depth, LANES):
            place = offset(source, j * apart + p)
            transpose_some(place, apart, columns - j, depth - p, offset(panel, p * width), width)


@deferred
@native(bare=True, separate=True)
def pack_panels(source: Numbers, apart: int64, out: Numbers, height: int64, depth: int64, columns: int64):
    """Rows of the second matrix into wide panels."""
    whole = columns // WIDE_COLUMNS
    left = columns - whole * WIDE_COLUMNS
    for p in range(depth):
        row = offset(source, p * apart)
        for j in range(0, columns, LINE):
            prefetch_far(row, SOON * apart + j)
        for panel in range(whole):
            copy(offset(out, (panel * height + p) * WIDE_COLUMNS), offset(row, panel * WIDE_COLUMNS), WIDE_COLUMNS)
        for j in range(0, left, LANES):
            found = load_some(row, whole * WIDE_COLUMNS + j, 0, left - j)
            store(out, (whole * height + p) * WIDE_COLUMNS + j, found)


@deferred
@native(bare=True, separate=True)
def pack_wide_strips(source: Numbers, apart: int64, out: Numbers, depth: int64, rows: int64):
    """Strips of the first matrix, where it lies column by column, each as (depth, WIDE_ROWS).

    What the last one lacks is its last row once more: numbers that happen to be there may be slow to compute with.
    """
    whole = rows // WIDE_ROWS
    for p in range(depth):
        for strip in range(whole):
            prefetch_far(source, (p + SOON) * apart + strip * WIDE_ROWS)
            copy(offset(out, (strip * depth + p) * WIDE_ROWS), offset(source, p * apart + strip * WIDE_ROWS), WIDE_ROWS)
    left = rows - whole * WIDE_ROWS
    if left > 0:
        for p in range(depth):
            for k in range(WIDE_ROWS):
                last = source[p * apart + whole * WIDE_ROWS + min(k, left - 1)]
                out[(whole * depth + p) * WIDE_ROWS + k] = last
