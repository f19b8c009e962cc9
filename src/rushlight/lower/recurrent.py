"""Recurrent layers on large arrays by machine code; other calls go to `arrays.recurrent`."""

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
PRODUCTS = 16  # multiplications in the time of one gate activation


def lstm(input, weight_ih, weight_hh, bias, weight_hr, hidden, cell, times):
    """`arrays.recurrent.lstm`."""
    operands = input, weight_ih, weight_hh, bias, hidden, cell
    if weight_hr is not None or not is_suited(work_of(input, weight_hh), *operands):
        return plain.lstm(input, weight_ih, weight_hh, bias, weight_hr, hidden, cell, times)
    hidden, cell = np.array(hidden, order="C"), np.array(cell, order="C")
    batch, size = cell.shape
    gates, single_step = product(input, weight_ih), len(times) == 1
    if single_step:  # a single step needs no panels
        gates += product(hidden, weight_hh)
    bias = np.zeros(4 * size, FLOAT32) if bias is None else np.ascontiguousarray(bias)
    output, cells = np.empty((2, len(gates), size), FLOAT32)
    weight, steps = packed(weight_hh), (*steps_of(times), len(times))
    if single_step or batch <= FEW:
        kernels.lstm_of_few.machine()(gates, weight, bias, hidden, cell, output, cells, *steps, size, single_step)
    else:
        workspace = allocate_panels(4 * size, size)
        kernels.lstm.machine()(gates, weight, workspace, bias, hidden, cell, output, cells, *steps, batch, size)
    return output, hidden, cell, gates, cells


def lstm_backward(g_output, g_hidden, g_cell, weight_hh, weight_hr, gates, cells, begun, times):
    """`arrays.recurrent.lstm_backward`."""
    operands = g_output, g_hidden, g_cell, weight_hh, gates, cells, begun
    if weight_hr is not None or not is_suited(gates.size, *operands):
        return plain.lstm_backward(g_output, g_hidden, g_cell, weight_hh, weight_hr, gates, cells, begun, times)
    of_hidden, of_cell = np.array(g_hidden, order="C"), np.array(g_cell, order="C")
    of_output, cells, begun, gates = (packed(each) for each in (g_output, cells, begun, gates))
    gate_grads = np.empty_like(gates)
    kernels.lstm_backward.machine()(
        gates, cells, begun, panels(weight_hh), of_output, of_hidden, of_cell, gate_grads,
        *steps_of(times), len(times), *of_cell.shape,
    )  # fmt: skip
    return gate_grads, of_hidden, of_cell, g_output


def gru(input, weight_ih, weight_hh, bias_ih, bias_hh, hidden, times):
    """`arrays.recurrent.gru`."""
    operands = input, weight_ih, weight_hh, bias_ih, bias_hh, hidden
    if not is_suited(work_of(input, weight_hh), *operands):
        return plain.gru(*operands, times)
    hidden = np.array(hidden, order="C")
    batch, size = hidden.shape
    gates, single_step = product(input, weight_ih), len(times) == 1
    own = product(hidden, weight_hh) if single_step else np.empty((batch, 3 * size), FLOAT32)
    bias = np.zeros(4 * size, FLOAT32)
    if bias_ih is not None:
        bias[: 3 * size] = bias_ih
    if bias_hh is not None:
        bias[: 2 * size] += bias_hh[: 2 * size]
        bias[3 * size :] = bias_hh[2 * size :]
    output, recalled = np.empty((2, len(gates), size), FLOAT32)
    weight, steps = packed(weight_hh), (*steps_of(times), len(times))
    if single_step or batch <= FEW:
        kernels.gru_of_few.machine()(gates, weight, bias, hidden, output, recalled, own, *steps, size, single_step)
    else:
        workspace = allocate_panels(3 * size, size)
        kernels.gru.machine()(gates, weight, workspace, bias, hidden, output, recalled, own, *steps, batch, size)
    return output, hidden, gates, recalled


def gru_backward(g_output, g_hidden, weight_hh, gates, recalled, states, times):
    """`arrays.recurrent.gru_backward`."""
    operands = g_output, g_hidden, weight_hh, gates, recalled, states
    if not is_suited(gates.size, *operands):
        return plain.gru_backward(*operands, times)
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
    if not is_suited(output.size, g_output, g_hidden, weight_hh, output):
        return plain.rnn_backward(g_output, g_hidden, weight_hh, output, relu, times)
    of_hidden, grads = np.array(g_hidden, order="C"), np.empty(output.shape, FLOAT32)
    kernels.rnn_backward.machine()(
        packed(output), panels(weight_hh), packed(g_output), of_hidden, grads, relu,
        *steps_of(times), len(times), *of_hidden.shape,
    )  # fmt: skip
    return grads, of_hidden


def product(rows, weight) -> np.ndarray:
    """Returns rows times a transposed weight."""
    result = multiply.machine()(rows, weight, None, True)
    return rows.dot(weight.T) if result is None else result


def work_of(rows, weight_hh) -> int:
    """Returns the work of the steps: gates, or products with the states in units of `PRODUCTS`."""
    return len(rows) * max(len(weight_hh), weight_hh.size // PRODUCTS)


def is_suited(size, *arrays) -> bool:
    """Returns whether all are float32 and large enough."""
    return size >= STEPS and all(x is None or x.dtype is FLOAT32 for x in arrays)


def allocate_panels(columns: int, depth: int) -> np.ndarray:
    """Allocates the packed transpose of a weight (columns, depth), padded to whole squares."""
    return np.zeros((-(-columns // COLUMNS) * depth + LANES, COLUMNS), FLOAT32)


def panels(matrix) -> np.ndarray:
    """Returns a matrix (depth, columns) packed as (columns / COLUMNS, depth, COLUMNS), zero-padded."""
    depth, columns = matrix.shape
    count = -(-columns // COLUMNS)
    if columns % COLUMNS:
        padded = np.zeros((depth, count * COLUMNS), FLOAT32)
        padded[:, :columns] = matrix
        matrix = padded
    return np.ascontiguousarray(matrix.reshape(depth, count, COLUMNS).swapaxes(0, 1))


def steps_of(times) -> tuple[np.ndarray, np.ndarray]:
    """Returns the start and the number of rows of each step."""
    starts, stops = np.array([(rows.start, rows.stop) for rows in times], np.int64).T
    return np.ascontiguousarray(starts), stops - starts
