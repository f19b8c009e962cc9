"""Softmax along a dimension behind which others lie: of vectors of columns, whatever lies side by side.

NumPy goes over all of the array for each step, and begins anew with each line. Here a vector of columns is read three
times, which the first cache, or the second, still has.
"""

from __future__ import annotations

import numpy as np

from rushlight.core.policy import GRAIN, REDUCED
from rushlight.kernels.arguments import divided, number_of
from rushlight.kernels.elementary import decay, log
from rushlight.kernels.vectors import LANES, chosen, load_some, spread, store_some
from rushlight.lower.native import Element, float32, float64, int64, native, pointer
from rushlight.lower.parallel import parallel_for
from rushlight.lower.registry import kernel_of

T = Element("T")
LINES, PAGE = 64, 4096  # bytes: more lines that lie whole pages apart are not in the first cache together


@native(light=True)
def softmax_all(out: pointer(T), x: pointer(T), rows: int64, length: int64, inner: int64, logarithm: int64,
                grain: int64):  # fmt: skip
    """Of x (rows, length, inner), along the second dimension; its logarithm if that is asked for."""
    vectors = (inner + LANES - 1) // LANES
    parallel_for(softmax_some, rows * vectors, grain, out, x, length, inner, vectors, logarithm)


@native(inlined=True)
def softmax_some(out: pointer(T), x: pointer(T), length: int64, inner: int64, vectors: int64, logarithm: int64,
                 begin: int64, end: int64):  # fmt: skip
    """Each vector of columns from `begin` to `end`. Of many exponentials the sum is taken in float64."""
    for piece in range(begin, end):
        column = piece % vectors * LANES
        start, many = piece // vectors * length * inner + column, min(LANES, inner - column)
        shift, total = load_some(x, start, 0, many), float64(spread(T(0)))
        for i in range(1, length):
            now = load_some(x, start + i * inner, 0, many)
            shift = chosen(now > shift, now, shift)
        for i in range(length):
            raised = decay(load_some(x, start + i * inner, 0, many) - shift)
            total = total + float64(raised)
            if logarithm == 0:
                store_some(out, start + i * inner, raised, many)
        sums = T(total)
        logarithms = log(sums)
        for i in range(length):
            at = start + i * inner
            if logarithm == 0:
                store_some(out, at, load_some(out, at, 0, many) / sums, many)
            else:
                store_some(out, at, load_some(x, at, 0, many) - shift - logarithms, many)


def along_columns(array, axis, logarithm: int):
    """The softmax along an axis that is not the last; None where there is no kernel."""
    if type(array) is not np.ndarray or not -array.ndim <= axis < array.ndim or not array.flags.c_contiguous:
        return None
    axis, kind = axis % array.ndim, number_of(array)
    if axis == array.ndim - 1 or not array.shape[axis] or kind not in (float32, float64):
        return None
    rows, length, inner = divided(array.shape, axis)
    if length > LINES and not inner * array.itemsize % PAGE:
        return None
    out = np.empty(array.shape, array.dtype)
    softmax_all.machine(kind)(out, array, rows, length, inner, logarithm, max(1, GRAIN // (length * LANES)))
    return out


@kernel_of("softmax", least=REDUCED)
def softmax(array, axis):
    return along_columns(array, axis, 0)


@kernel_of("log_softmax", least=REDUCED)
def log_softmax(array, axis):
    return along_columns(array, axis, 1)
