"""Packs matrices in the order in which products read them: rows, strips of a few rows, panels of a few columns."""

from rushlight.kernels.gemm_shapes import LINE, Numbers
from rushlight.kernels.gemm_tile import COLUMNS, ROWS, WIDE_COLUMNS, WIDE_ROWS
from rushlight.kernels.vectors import LANES, load_some, prefetch_far, store, transpose_some
from rushlight.lower.language import copy, offset
from rushlight.lower.lazy_compile import deferred
from rushlight.lower.native import int64, native

SPACE = LINE // ROWS  # rows between strips, so that they use different cache sets
STRIPS = 16  # strips packed at a time from a transposed first matrix
SOON = 8  # rows to prefetch ahead


@deferred
@native(bare=True, separate=True)
def pack_rows(source: Numbers, stride: int64, out: Numbers, out_stride: int64, depth: int64, rows: int64):
    """Packs the first matrix by rows; the hardware does not foresee the start of the next row."""
    for i in range(rows):
        for p in range(0, depth, LINE):
            prefetch_far(source, (i + SOON) * stride + p)
        copy(offset(out, i * out_stride), offset(source, i * stride), depth)


@deferred
@native(bare=True, separate=True)
def pack_strips(source: Numbers, stride: int64, out: Numbers, depth: int64, rows: int64):
    """Packs a transposed first matrix as strips (depth, ROWS)."""
    for i in range(0, rows, STRIPS * ROWS):
        whole = min(STRIPS * ROWS, rows - i) // ROWS * ROWS
        for p in range(depth):
            for k in range(0, whole, ROWS):
                copy(offset(out, (i + k) * (depth + SPACE) + p * ROWS), offset(source, p * stride + i + k), ROWS)
    last = rows // ROWS * ROWS
    for p in range(depth):
        for k in range(last, rows):
            out[last * (depth + SPACE) + p * ROWS + k - last] = source[p * stride + k]


@native(separate=True)
def pack_panel(source: Numbers, stride: int64, out: Numbers, depth: int64, columns: int64):
    """Packs the first columns of the second matrix as a panel (depth, COLUMNS), two vectors wide."""
    for p in range(depth):
        store(out, p * COLUMNS, load_some(source, p * stride, 0, columns))
        store(out, p * COLUMNS + LANES, load_some(source, p * stride + LANES, 0, columns - LANES))


@deferred
@native(bare=True, separate=True)
def pack_turned(
    source: Numbers, stride: int64, out: Numbers, height: int64, depth: int64, columns: int64, width: int64
):
    """Packs a transposed second matrix into panels of `width` columns, a power of two.

    Whole squares are transposed: a panel's height is padded to whole vectors.
    """
    for j in range(0, columns, LANES):
        inside = j & (width - 1)
        panel = offset(out, (j - inside) * height + inside)
        for p in range(0, depth, LANES):
            square = offset(source, j * stride + p)
            transpose_some(square, stride, columns - j, depth - p, offset(panel, p * width), width)


@deferred
@native(bare=True, separate=True)
def pack_panels(source: Numbers, stride: int64, out: Numbers, height: int64, depth: int64, columns: int64):
    """Packs rows of the second matrix into wide panels."""
    whole = columns // WIDE_COLUMNS
    left = columns - whole * WIDE_COLUMNS
    for p in range(depth):
        row = offset(source, p * stride)
        for j in range(0, columns, LINE):
            prefetch_far(row, SOON * stride + j)
        for panel in range(whole):
            copy(offset(out, (panel * height + p) * WIDE_COLUMNS), offset(row, panel * WIDE_COLUMNS), WIDE_COLUMNS)
        for j in range(0, left, LANES):
            values = load_some(row, whole * WIDE_COLUMNS + j, 0, left - j)
            store(out, (whole * height + p) * WIDE_COLUMNS + j, values)


@deferred
@native(bare=True, separate=True)
def pack_wide_strips(source: Numbers, stride: int64, out: Numbers, depth: int64, rows: int64):
    """Packs a transposed first matrix as strips (depth, WIDE_ROWS).

    The last strip repeats its last row: leftover memory may hold denormals, which are slow.
    """
    whole = rows // WIDE_ROWS
    for p in range(depth):
        for strip in range(whole):
            prefetch_far(source, (p + SOON) * stride + strip * WIDE_ROWS)
            copy(
                offset(out, (strip * depth + p) * WIDE_ROWS), offset(source, p * stride + strip * WIDE_ROWS), WIDE_ROWS
            )
    left = rows - whole * WIDE_ROWS
    if left > 0:
        for p in range(depth):
            for k in range(WIDE_ROWS):
                last = source[p * stride + whole * WIDE_ROWS + min(k, left - 1)]
                out[(whole * depth + p) * WIDE_ROWS + k] = last
