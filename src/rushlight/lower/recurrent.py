"""Recurrent layers on large arrays by machine code. What it does not take goes to `arrays.recurrent`."""

from __future__ import annotations

import numpy as np

from rushlight.arrays import recurrent as plain
from rushlight.core.policy import STEPS
from rushlight.kernels import recurrent as kernels
from rushlight.kernels.arguments import packed
from rushlight.kernels.gemm import FEW
from rushlight.kernels.gemm_tile import COLUMNS
from rushlight.kernels.matmul import multiply
from rushlight.kernels.vectors import LANES

FLOAT32 = np.dtype(np.float32)
PRODUCTS = 16  # products of numbers during which a gate is activated


def lstm(input, weight_ih, weight_hh, bias, weight_hr, hidden, cell, times):
    """`arrays.recurrent.lstm`."""
    given = input, weight_ih, weight_hh, bias, hidden, cell
    if weight_hr is not None or not suits(work_of(input, weight_hh), *given):
        return plain.lstm(input, weight_ih, weight_hh, bias, weight_hr, hidden, cell, times)
    hidden, cell = np.array(hidden, order="C"), np.array(cell, order="C")
    batch, size = cell.shape
    gates, known = product(input, weight_ih), len(times) == 1
    if known:  # a single step takes no panels
        gates += product(hidden, weight_hh)
    bias = np.zeros(4 * size, FLOAT32) if bias is None else np.ascontiguousarray(bias)
    output, cells = np.empty((2, len(gates), size), FLOAT32)
    weight, steps = packed(weight_hh), (*steps_of(times), len(times))
    if known or batch <= FEW:
        kernels.lstm_of_few.machine()(gates, weight, bias, hidden, cell, output, cells, *steps, size, known)
    else:
        room = room_for_panels(4 * size, size)
        kernels.lstm.machine()(gates, weight, room, bias, hidden, cell, output, cells, *steps, batch, size)
    return output, hidden, cell, gates, cells


def lstm_backward(g_output, g_hidden, g_cell, weight_hh, weight_hr, gates, cells, begun, times):
    """`arrays.recurrent.lstm_backward`."""
    given = g_output, g_hidden, g_cell, weight_hh, gates, cells, begun
    if weight_hr is not None or not suits(gates.size, *given):
        return plain.lstm_backward(g_output, g_hidden, g_cell, weight_hh, weight_hr, gates, cells, begun, times)
    of_hidden, of_cell = np.array(g_hidden, order="C"), np.array(g_cell, order="C")
    of_output, cells, begun, gates = (packed(each) for each in (g_output, cells, begun, gates))
    slopes = np.empty_like(gates)
    kernels.lstm_backward.machine()(
        gates, cells, begun, panels(weight_hh), of_output, of_hidden, of_cell, slopes,
        *steps_of(times), len(times), *of_cell.shape,
    )  # fmt: skip
    return slopes, of_hidden, of_cell, g_output


def gru(input, weight_ih, weight_hh, bias_ih, bias_hh, hidden, times):
    """`arrays.recurrent.gru`."""
    given = input, weight_ih, weight_hh, bias_ih, bias_hh, hidden
    if not suits(work_of(input, weight_hh), *given):
        return plain.gru(*given, times)
    hidden = np.array(hidden, order="C")
    batch, size = hidden.shape
    gates, known = product(input, weight_ih), len(times) == 1
    own = product(hidden, weight_hh) if known else np.empty((batch, 3 * size), FLOAT32)
    bias = np.zeros(4 * size, FLOAT32)
    if bias_ih is not None:
        bias[: 3 * size] = bias_ih
    if bias_hh is not None:
        bias[: 2 * size] += bias_hh[: 2 * size]
        bias[3 * size :] = bias_hh[2 * size :]
    output, recalled = np.empty((2, len(gates), size), FLOAT32)
    weight, steps = packed(weight_hh), (*steps_of(times), len(times))
    if known or batch <= FEW:
        kernels.gru_of_few.machine()(gates, weight, bias, hidden, output, recalled, own, *steps, size, known)
    else:
        room = room_for_panels(3 * size, size)
        kernels.gru.machine()(gates, weight, room, bias, hidden, output, recalled, own, *steps, batch, size)
    return output, hidden, gates, recalled


def gru_backward(g_output, g_hidden, weight_hh, gates, recalled, states, times):
    """`arrays.recurrent.gru_backward`."""
    given = g_output, g_hidden, weight_hh, gates, recalled, states
    if not suits(gates.size, *given):
        return plain.gru_backward(*given, times)
    of_hidden = np.array(g_hidden, order="C")
    of_output, gates, recalled, states = (packed(each) for each in (g_output, gates, recalled, states))
    to_given, to_own = np.empty((2, *gates.shape), FLOAT32)
    kernels.gru_backward.machine()(
        gates, recalled, states, panels(weight_hh), of_output, of_hidden, to_given, to_own,
        *steps_of(times), len(times), *of_hidden.shape,
    )  # fmt: skip
    return to_given, to_own, of_hidden


def rnn_backward(g_output, g_hidden, weight_hh, output, relu, times):
    """`arrays.recurrent.rnn_backward`."""
    if not suits(output.size, g_output, g_hidden, weight_hh, output):
        return plain.rnn_backward(g_output, g_hidden, weight_hh, output, relu, times)
    of_hidden, slopes = np.array(g_hidden, order="C"), np.empty(output.shape, FLOAT32)
    kernels.rnn_backward.machine()(
        packed(output), panels(weight_hh), packed(g_output), of_hidden, slopes, relu,
        *steps_of(times), len(times), *of_hidden.shape,
    )  # fmt: skip
    return slopes, of_hidden


def product(rows, weight) -> np.ndarray:
    """Rows times the transpose of a weight."""
    found = multiply.machine()(rows, weight, None, True)
    return rows.dot(weight.T) if found is None else found


def work_of(rows, weight_hh) -> int:
    """What steps are worth: the gates of each, or products with the states, `PRODUCTS` of which take as long."""
    return len(rows) * max(len(weight_hh), weight_hh.size // PRODUCTS)


def suits(size, *arrays) -> bool:
    """Whether all is float32, and enough of it."""
    return size >= STEPS and all(each is None or each.dtype is FLOAT32 for each in arrays)


def room_for_panels(columns: int, depth: int) -> np.ndarray:
    """Where the transpose of a weight (columns, depth) is laid out; squares are turned whole."""
    return np.zeros((-(-columns // COLUMNS) * depth + LANES, COLUMNS), FLOAT32)


def panels(matrix) -> np.ndarray:
    """A matrix (depth, columns) as (columns / COLUMNS, depth, COLUMNS), filled up with zeros."""
    depth, columns = matrix.shape
    count = -(-columns // COLUMNS)
    if columns % COLUMNS:
        whole = np.zeros((depth, count * COLUMNS), FLOAT32)
        whole[:, :columns] = matrix
        matrix = whole
    return np.ascontiguousarray(matrix.reshape(depth, count, COLUMNS).swapaxes(0, 1))


def steps_of(times) -> tuple[np.ndarray, np.ndarray]:
    """Where each step begins, and how many rows it has."""
    starts, stops = np.array([(rows.start, rows.stop) for rows in times], np.int64).T
    return np.ascontiguousarray(starts), stops - starts
