"""Recurrent layers over whole sequences: the input product for all steps first, then one step at a time.

Sequences are packed, (steps, features): the first time step of each, the second of each, ... `times` holds the rows of
each time step, in the order in which they are processed; sequences that have ended are the last of a batch, and their
state does not change. Values that the derivative needs are returned with the results.
"""

from functools import lru_cache

import numpy as np
from numpy import ascontiguousarray

from rushlight.core.tables import primitive

SHORT = 1 << 12  # maximum row length for which factors are cached
FEW = 4  # up to so many steps, copying a weight takes longer than multiplying by the transposed view


@primitive
def lstm(input, weight_ih, weight_hh, bias, weight_hr, hidden, cell, times):
    """Returns outputs, last hidden and cell states, the activated gates i, f, g, o and the cell state of every step."""
    hidden, cell = hidden.copy(), cell.copy()
    size = cell.shape[1]
    scale, offset = logistic_by_tanh(4 * size, slice(2 * size, 3 * size), input.dtype)
    gates, weight, factors = products(input, weight_ih, weight_hh, len(times), scale)
    bias = None if bias is None else bias * scale
    output = np.empty((len(gates), hidden.shape[1]), gates.dtype)
    cells = np.empty((len(gates), size), gates.dtype)
    for rows in times:
        count = rows.stop - rows.start
        gates_now, h, c = gates[rows], hidden[:count], cell[:count]
        recurrent = h.dot(weight)
        if factors is not None:
            recurrent *= factors
        activate(gates_now, recurrent, bias, scale, offset)
        i, f, g, o = (gates_now[:, at * size : (at + 1) * size] for at in range(4))
        c *= f
        c += i * g
        cells[rows] = c
        exposed = np.tanh(c)
        exposed *= o
        h[...] = output[rows] = exposed if weight_hr is None else exposed.dot(weight_hr.T)
    return output, hidden, cell, gates, cells


@primitive
def lstm_backward(g_output, g_hidden, g_cell, weight_hh, weight_hr, gates, cells, cells_before, times):
    """Backward through time: the gradients before activation, at the initial states, and at the outputs."""
    g_hidden, g_cell, g_output = g_hidden.copy(), g_cell.copy(), g_output.copy()
    size = cells.shape[1]
    g_gates = np.empty_like(gates)
    for rows in reversed(times):
        count = rows.stop - rows.start
        g_c, g_h = g_cell[:count], g_output[rows]
        # Gate by gate, because NumPy is slow on the short rows of one gate in `gates`.
        by_gate = (count, 4, size)
        i, f, g, o = gates[rows].reshape(by_gate).transpose(1, 0, 2).copy()
        g_now = np.empty((4, count, size), gates.dtype)
        g_i, g_f, g_g, g_o = g_now
        g_h += g_hidden[:count]
        flow = (g_h if weight_hr is None else g_h.dot(weight_hr)) * o
        # h = o tanh(c): to o, through the logistic function, and to c
        scratch = np.tanh(cells[rows])
        np.multiply(flow, scratch, out=g_o)
        g_c += flow
        scratch *= g_o
        g_c -= scratch
        g_o -= np.multiply(g_o, o, out=scratch)
        # c = f c' + i g
        np.multiply(g_c, i, out=flow)
        np.multiply(flow, g, out=g_i)
        np.subtract(flow, np.multiply(g_i, g, out=scratch), out=g_g)
        g_i -= np.multiply(g_i, i, out=scratch)
        g_c *= f
        np.multiply(g_c, cells_before[rows], out=g_f)
        g_f -= np.multiply(g_f, f, out=scratch)
        g_gates[rows].reshape(by_gate)[...] = g_now.transpose(1, 0, 2)
        g_hidden[:count] = g_gates[rows].dot(weight_hh)
    return g_gates, g_hidden, g_cell, g_output


@primitive
def gru(input, weight_ih, weight_hh, bias_ih, bias_hh, hidden, times):
    """Returns outputs, last states, activated gates r, z, n, and the state's part of n before r is applied."""
    hidden = hidden.copy()
    size = hidden.shape[1]
    scale, offset = logistic_by_tanh(3 * size, slice(2 * size, 3 * size), input.dtype)
    gates, weight, factors = products(input, weight_ih, weight_hh, len(times), scale)
    if bias_ih is not None:
        gates += bias_ih * scale
    bias_hh = None if bias_hh is None else bias_hh * scale
    output = np.empty((len(gates), size), gates.dtype)
    recalled = np.empty_like(output)
    for rows in times:
        gates_now, h = gates[rows], hidden[: rows.stop - rows.start]
        recurrent = h.dot(weight)
        if factors is not None:
            recurrent *= factors
        if bias_hh is not None:
            recurrent += bias_hh
        recalled[rows] = recurrent[:, 2 * size :]
        r, z, n = (gates_now[:, at * size : (at + 1) * size] for at in range(3))
        activate(gates_now[:, : 2 * size], recurrent[:, : 2 * size], None, scale[: 2 * size], offset[: 2 * size])
        n += r * recalled[rows]
        np.tanh(n, n)
        h -= n
        h *= z
        h += n
        output[rows] = h
    return output, hidden, gates, recalled


@primitive
def gru_backward(g_output, g_hidden, weight_hh, gates, recalled, states, times):
    """Backward through time: the gradients at the inputs' and at the states' contributions to the gates, and at the
    initial states; `states` are those at the start of each step.
    """
    g_hidden, size = g_hidden.copy(), g_hidden.shape[1]
    g_input, g_state = np.empty((2, *gates.shape), gates.dtype)
    for rows in reversed(times):
        h = g_hidden[: rows.stop - rows.start]
        r, z, n = (gates[rows, at * size : (at + 1) * size] for at in range(3))
        h += g_output[rows]
        g_n = h * (1 - z)
        g_n *= 1 - n * n
        g_input[rows, :size] = g_state[rows, :size] = g_n * recalled[rows] * (r * (1 - r))
        g_input[rows, size : 2 * size] = g_state[rows, size : 2 * size] = h * (states[rows] - n) * (z * (1 - z))
        g_input[rows, 2 * size :], g_state[rows, 2 * size :] = g_n, g_n * r
        h *= z
        h += g_state[rows].dot(weight_hh)
    return g_input, g_state, g_hidden


@primitive
def rnn_backward(g_output, g_hidden, weight_hh, output, relu, times):
    """Backward through time: the gradients before the activation, and at the initial states."""
    g_hidden, gradient = g_hidden.copy(), np.empty_like(output)
    for rows in reversed(times):
        h, now = g_hidden[: rows.stop - rows.start], output[rows]
        h += g_output[rows]
        gradient[rows] = np.where(now <= 0, 0, h) if relu else h * (1 - now * now)
        h[...] = gradient[rows].dot(weight_hh)
    return gradient, g_hidden


def rnn(input, weight_ih, weight_hh, bias, hidden, relu, times):
    """Returns outputs and last states."""
    output, weight, _ = products(input, weight_ih, weight_hh, len(times))
    hidden = hidden.copy()
    for rows in times:
        now, h = output[rows], hidden[: rows.stop - rows.start]
        now += h.dot(weight)
        if bias is not None:
            now += bias
        if relu:
            np.maximum(now, 0, out=now)
        else:
            np.tanh(now, now)
        h[...] = now
    return output, hidden


def products(input, weight_ih, weight_hh, steps, scale=None):
    """Returns the input products of the gates, and the weight for the states, in its fastest layout.

    Both include the scale, except for few steps: then the last result is the factor still to be applied to state
    products.
    """
    if scale is None:
        gates = input.dot(weight_ih.T)
    elif len(input) < weight_ih.shape[1]:
        gates = input.dot(weight_ih.T)
        gates *= scale
    else:
        gates = input.dot(weight_ih.T * scale)
    if steps <= FEW:
        return gates, weight_hh.T, scale
    weight = ascontiguousarray(weight_hh.T)
    return gates, weight if scale is None else weight * scale, None


def logistic_by_tanh(width, plain, dtype):
    """Returns a, b such that a * tanh(a * x) + b is the logistic function, or tanh on the `plain` gate.

    1 / (1 + exp(-x)) = tanh(x / 2) / 2 + 1 / 2: one function for all gates, and the inner factor goes into the weights.
    Those of short rows are cached.
    """
    make = factors_kept if width <= SHORT else factors_kept.__wrapped__
    return make(width, plain.start, plain.stop, dtype)


@lru_cache(maxsize=64)
def factors_kept(width, first, last, dtype):
    scale, offset = np.full(width, 0.5, dtype), np.full(width, 0.5, dtype)
    scale[first:last], offset[first:last] = 1, 0
    scale.flags.writeable = offset.flags.writeable = False
    return scale, offset


def activate(now, recurrent, bias, scale, offset):
    """Adds the parts of states and bias to `now`, that of the inputs; then applies the activation, in place."""
    if bias is not None:
        recurrent += bias
    now += recurrent
    np.tanh(now, now)
    now *= scale
    now += offset
