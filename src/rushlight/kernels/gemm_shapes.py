"""Indices of the arguments of a matrix product, and how sizes are split."""

from rushlight.lower.native import float32, int64, native, pointer

LINE = 16  # float32 of a cache line
WORTH = 1 << 18  # multiplications per thread that pay off

# Per matrix: sizes, strides of rows, columns and matrices (in elements), and the number of matrices; then the size of a
# piece.
ROWS_AT, DEPTH_AT, A_ROW, A_COLUMN, A_NEXT, COUNT_AT = range(6)
B_DEPTH, COLUMNS_AT, B_ROW, B_COLUMN, B_NEXT, B_COUNT, HEIGHT_AT, WIDTH_AT = range(6, 14)

Numbers = pointer(float32)


@native(cold=True)
def even_part(size: int64, most: int64, unit: int64) -> int64:
    """Returns the size of equal parts of at most `most`, rounded up to a multiple of `unit`."""
    count = max(1, (size + most - 1) // max(1, most))
    return (size + count * unit - 1) // (count * unit) * unit
