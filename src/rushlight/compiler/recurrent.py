"""Recurrent layers on large arrays by machine code. What it does not take goes to `arrays.recurrent`."""

from __future__ import annotations

import numpy as np

from rushlight.arrays import recurrent as plain
from rushlight.compiler.kernels import recurrent as kernels
from rushlight.compiler.kernels.multiplying import multiply
from rushlight.compiler.kernels.tile_product import COLUMNS

FLOAT32 = np.dtype(np.float32)
LARGE = 1 << 13  # numbers of all gates of all steps


def lstm(input, weight_ih, weight_hh, bias, weight_hr, hidden, cell, times):
    """`arrays.recurrent.lstm`."""
    if weight_hr is not None or not suits(len(input) * len(weight_ih), input, weight_ih, weight_hh, bias, hidden, cell):
        return plain.lstm(input, weight_ih, weight_hh, bias, weight_hr, hidden, cell, times)
    hidden, cell = np.array(hidden, order="C"), np.array(cell, order="C")
    batch, size = cell.shape
    gates = multiply.machine()(input, weight_ih, None, True)
    if gates is None:
        gates = input.dot(weight_ih.T)
    bias = np.zeros(4 * size, FLOAT32) if bias is None else np.ascontiguousarray(bias)
    output, cells = np.empty((2, len(gates), size), FLOAT32)
    steps = steps_of(times)
    kernels.lstm.machine()(
        gates, panels(weight_hh.T), bias, hidden, cell, output, cells, *steps, len(times), batch, size
    )
    return output, hidden, cell, gates, cells


def lstm_slopes(g_output, g_hidden, g_cell, weight_hh, weight_hr, gates, cells, begun, times):
    """`arrays.recurrent.lstm_slopes`."""
    given = g_output, g_hidden, g_cell, weight_hh, gates, cells, begun
    if weight_hr is not None or not suits(gates.size, *given):
        return plain.lstm_slopes(g_output, g_hidden, g_cell, weight_hh, weight_hr, gates, cells, begun, times)
    of_hidden, of_cell = np.array(g_hidden, order="C"), np.array(g_cell, order="C")
    of_output, cells, begun, gates = (np.ascontiguousarray(each) for each in (g_output, cells, begun, gates))
    slopes = np.empty_like(gates)
    kernels.lstm_slopes.machine()(
        gates, cells, begun, panels(weight_hh), of_output, of_hidden, of_cell, slopes,
        *steps_of(times), len(times), *of_cell.shape,
    )  # fmt: skip
    return slopes, of_hidden, of_cell, g_output


def suits(size, *arrays) -> bool:
    """Whether all is float32, and enough of it."""
    return size >= LARGE and all(each is None or each.dtype is FLOAT32 for each in arrays)


def panels(matrix) -> np.ndarray:
    """A matrix (depth, columns) as (columns / COLUMNS, depth, COLUMNS), filled up with zeros."""
    depth, columns = matrix.shape
    count = -(-columns // COLUMNS)
    whole = np.zeros((depth, count * COLUMNS), FLOAT32)
    whole[:, :columns] = matrix
    return np.ascontiguousarray(whole.reshape(depth, count, COLUMNS).swapaxes(0, 1))


def steps_of(times) -> tuple[np.ndarray, np.ndarray]:
    """Where each step begins, and how many rows it has."""
    starts, stops = np.array([(rows.start, rows.stop) for rows in times], np.int64).T
    return np.ascontiguousarray(starts), stops - starts
