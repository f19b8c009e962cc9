"""Softmax along an axis that is not the last, by vectors of columns; parallel over these. float32 and float64.

NumPy makes a pass over the whole array for each step. Here a vector of columns is read three times from the first or
second cache.
"""

from __future__ import annotations

import numpy as np

from rushlight.core.policy import GRAIN, REDUCED
from rushlight.kernels.arguments import divided, number_of
from rushlight.kernels.elementary import decay, log
from rushlight.kernels.vectors import LANES, load_some, select, splat, store_some
from rushlight.lower.native import Element, float32, float64, int64, native, pointer
from rushlight.lower.parallel import parallel_for
from rushlight.lower.registry import kernel_of

T = Element("T")
LINES, PAGE = 64, 4096  # bytes; more rows that are whole pages apart do not fit the first cache together


@native(light=True)
def softmax_all(out: pointer(T), x: pointer(T), rows: int64, length: int64, inner: int64, logarithm: int64,
                grain: int64):  # fmt: skip
    """Computes the softmax of x (rows, length, inner) along the second axis, or its logarithm."""
    vectors = (inner + LANES - 1) // LANES
    parallel_for(softmax_some, rows * vectors, grain, out, x, length, inner, vectors, logarithm)


@native(inlined=True)
def softmax_some(out: pointer(T), x: pointer(T), length: int64, inner: int64, vectors: int64, logarithm: int64,
                 begin: int64, end: int64):  # fmt: skip
    """Computes vectors of columns [begin, end); exponentials are summed in float64."""
    for piece in range(begin, end):
        column = piece % vectors * LANES
        start, many = piece // vectors * length * inner + column, min(LANES, inner - column)
        shift, total = load_some(x, start, 0, many), float64(splat(T(0)))
        for i in range(1, length):
            values = load_some(x, start + i * inner, 0, many)
            shift = select(values > shift, values, shift)
        for i in range(length):
            exponentials = decay(load_some(x, start + i * inner, 0, many) - shift)
            total = total + float64(exponentials)
            if logarithm == 0:
                store_some(out, start + i * inner, exponentials, many)
        sums = T(total)
        logarithms = log(sums)
        for i in range(length):
            at = start + i * inner
            if logarithm == 0:
                store_some(out, at, load_some(out, at, 0, many) / sums, many)
            else:
                store_some(out, at, load_some(x, at, 0, many) - shift - logarithms, many)


def along_columns(array, axis, logarithm: int):
    """Returns the softmax along an axis that is not the last; None if no kernel fits."""
    if type(array) is not np.ndarray or not -array.ndim <= axis < array.ndim or not array.flags.c_contiguous:
        return None
    axis, dtype = axis % array.ndim, number_of(array)
    if axis == array.ndim - 1 or not array.shape[axis] or dtype not in (float32, float64):
        return None
    rows, length, inner = divided(array.shape, axis)
    if length > LINES and not inner * array.itemsize % PAGE:
        return None
    out = np.empty(array.shape, array.dtype)
    softmax_all.machine(dtype)(out, array, rows, length, inner, logarithm, max(1, GRAIN // (length * LANES)))
    return out


@kernel_of("softmax", least=REDUCED)
def softmax(array, axis):
    return along_columns(array, axis, 0)


@kernel_of("log_softmax", least=REDUCED)
def log_softmax(array, axis):
    return along_columns(array, axis, 1)
