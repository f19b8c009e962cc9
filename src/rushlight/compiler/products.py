"""Products of large matrices by machine code, where it is quicker than the BLAS that NumPy brings."""

from __future__ import annotations

import numpy as np

from rushlight.arrays.threads import get_num_threads
from rushlight.compiler.convolution import aligned
from rushlight.compiler.kernels import products as kernels
from rushlight.compiler.kernels.tile_product import COLUMNS, ROWS

FLOAT32 = np.dtype(np.float32)
LARGE = 1 << 20  # products of numbers; fewer are done before a kernel has begun
DEEP = 1024  # the BLAS is better at longer sums
LEAST = 8  # rows or columns that fill tiles badly
WORTH = 1 << 19  # products of numbers that are worth a thread


def product(a: np.ndarray, b: np.ndarray) -> np.ndarray | None:
    """(..., rows, depth) times (..., depth, columns) with at most one dimension before; None if BLAS does it better."""
    rows, depth = a.shape[-2:]
    columns = b.shape[-1]
    if a.dtype is not FLOAT32 or b.dtype is not FLOAT32 or a.size * columns < LARGE:
        return None
    if min(rows, columns) < LEAST or not 0 < depth <= DEEP:
        return None
    a_steps, b_steps = steps_of(a), steps_of(b)
    if a_steps is None or b_steps is None or b.shape[-2] != depth or a.shape[:-2] != b.shape[:-2]:
        return None
    count = len(a) if a.ndim == 3 else 1
    out = np.empty((*a.shape[:-1], columns), FLOAT32)
    jobs = max(1, min(get_num_threads(), count * rows * columns * depth // WORTH))
    down, across = cut(rows, columns, -(-jobs // count))
    a_next, b_next = (each.strides[0] // 4 if each.ndim == 3 else 0 for each in (a, b))
    shape = kernels.Shape(
        rows, columns, depth, *a_steps, *b_steps, columns, count, a_next, b_next, rows * columns, down, across, jobs
    )
    kernels.product.machine()(a, b, out, aligned(jobs * kernels.WORK), np.array(shape))
    return out


def steps_of(matrix: np.ndarray) -> tuple[int, int] | None:
    """The steps from row to row and from column to column, in numbers; None unless one of them is 1."""
    row, column = matrix.strides[-2:]
    if column != 4 and row != 4:
        return None
    if row % 4 or column % 4 or min(row, column) < 0 or (matrix.ndim == 3 and matrix.strides[0] % 4):
        return None
    return row // 4, column // 4


def cut(rows: int, columns: int, pieces: int) -> tuple[int, int]:
    """How many pieces down and across: as square as can be, and none too small for whole tiles."""
    found = [(down, -(-pieces // down)) for down in range(1, pieces + 1)]
    down, across = min(found, key=lambda each: abs(rows / each[0] - columns / each[1]))
    return max(1, min(down, rows // ROWS)), max(1, min(across, columns // COLUMNS))
