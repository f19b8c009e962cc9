"""Recurrent layers from beginning to end: the product with the whole sequence first, then one step at a time.

Sequences are packed, (steps, features): the first time step of each, the second of each, ... `times` says which rows
are of one time step, in the order in which they are taken; sequences that have ended are the last ones of a batch, and
their state stays as it is. What the derivative needs beside the results is returned with them.
"""

from functools import lru_cache

import numpy as np
from numpy import ascontiguousarray

from rushlight.core.tables import primitive

SHORT = 1 << 12  # numbers of a row, of which what is kept takes little memory
FEW = 4  # steps, for which to copy a weight would take longer than to multiply by it as it is


@primitive
def lstm(input, weight_ih, weight_hh, bias, weight_hr, hidden, cell, times):
    """Outputs, last hidden and cell states, the activated gates i, f, g, o and the cell state of every step."""
    hidden, cell = hidden.copy(), cell.copy()
    size = cell.shape[1]
    half, centre = logistic_by_tanh(4 * size, slice(2 * size, 3 * size), input.dtype)
    gates, across, factors = products(input, weight_ih, weight_hh, len(times), half)
    bias = None if bias is None else bias * half
    output = np.empty((len(gates), hidden.shape[1]), gates.dtype)
    cells = np.empty((len(gates), size), gates.dtype)
    for rows in times:
        count = rows.stop - rows.start
        now, h, c = gates[rows], hidden[:count], cell[:count]
        own = h.dot(across)
        if factors is not None:
            own *= factors
        activate(now, own, bias, half, centre)
        i, f, g, o = (now[:, at * size : (at + 1) * size] for at in range(4))
        c *= f
        c += i * g
        cells[rows] = c
        exposed = np.tanh(c)
        exposed *= o
        h[...] = output[rows] = exposed if weight_hr is None else exposed.dot(weight_hr.T)
    return output, hidden, cell, gates, cells


@primitive
def lstm_backward(g_output, g_hidden, g_cell, weight_hh, weight_hr, gates, cells, begun, times):
    """Back through time: the gradients at the gates before activation, at the initial states, and at the outputs."""
    g_hidden, g_cell, g_output = g_hidden.copy(), g_cell.copy(), g_output.copy()
    size = cells.shape[1]
    slopes = np.empty_like(gates)
    for rows in reversed(times):
        count = rows.stop - rows.start
        of_c, pull = g_cell[:count], g_output[rows]
        # Gate by gate, because NumPy is slow on the short rows that each gate has of `gates`.
        apart = (count, 4, size)
        i, f, g, o = gates[rows].reshape(apart).transpose(1, 0, 2).copy()
        now = np.empty((4, count, size), gates.dtype)
        of_i, of_f, of_g, of_o = now
        pull += g_hidden[:count]
        reached = (pull if weight_hr is None else pull.dot(weight_hr)) * o
        # h = o tanh(c): to o, through its logistic function, and to c
        raised = np.tanh(cells[rows])
        np.multiply(reached, raised, out=of_o)
        of_c += reached
        raised *= of_o
        of_c -= raised
        of_o -= np.multiply(of_o, o, out=raised)
        # c = f c' + i g
        np.multiply(of_c, i, out=reached)
        np.multiply(reached, g, out=of_i)
        np.subtract(reached, np.multiply(of_i, g, out=raised), out=of_g)
        of_i -= np.multiply(of_i, i, out=raised)
        of_c *= f
        np.multiply(of_c, begun[rows], out=of_f)
        of_f -= np.multiply(of_f, f, out=raised)
        slopes[rows].reshape(apart)[...] = now.transpose(1, 0, 2)
        g_hidden[:count] = slopes[rows].dot(weight_hh)
    return slopes, g_hidden, g_cell, g_output


@primitive
def gru(input, weight_ih, weight_hh, bias_ih, bias_hh, hidden, times):
    """Outputs, last states, the activated gates r, z, n, and what the state gave to n before r came to it."""
    hidden = hidden.copy()
    size = hidden.shape[1]
    half, centre = logistic_by_tanh(3 * size, slice(2 * size, 3 * size), input.dtype)
    gates, across, factors = products(input, weight_ih, weight_hh, len(times), half)
    if bias_ih is not None:
        gates += bias_ih * half
    bias_hh = None if bias_hh is None else bias_hh * half
    output = np.empty((len(gates), size), gates.dtype)
    recalled = np.empty_like(output)
    for rows in times:
        now, h = gates[rows], hidden[: rows.stop - rows.start]
        own = h.dot(across)
        if factors is not None:
            own *= factors
        if bias_hh is not None:
            own += bias_hh
        recalled[rows] = own[:, 2 * size :]
        r, z, n = (now[:, at * size : (at + 1) * size] for at in range(3))
        activate(now[:, : 2 * size], own[:, : 2 * size], None, half[: 2 * size], centre[: 2 * size])
        n += r * recalled[rows]
        np.tanh(n, n)
        h -= n
        h *= z
        h += n
        output[rows] = h
    return output, hidden, gates, recalled


@primitive
def gru_backward(g_output, g_hidden, weight_hh, gates, recalled, states, times):
    """Back through time: the gradients at what the inputs and what the states gave to the gates, and at the initial
    states; `states` are those that each step began with."""
    g_hidden, size = g_hidden.copy(), g_hidden.shape[1]
    given, own = np.empty((2, *gates.shape), gates.dtype)
    for rows in reversed(times):
        h = g_hidden[: rows.stop - rows.start]
        r, z, n = (gates[rows, at * size : (at + 1) * size] for at in range(3))
        h += g_output[rows]
        of_n = h * (1 - z)
        of_n *= 1 - n * n
        given[rows, :size] = own[rows, :size] = of_n * recalled[rows] * (r * (1 - r))
        given[rows, size : 2 * size] = own[rows, size : 2 * size] = h * (states[rows] - n) * (z * (1 - z))
        given[rows, 2 * size :], own[rows, 2 * size :] = of_n, of_n * r
        h *= z
        h += own[rows].dot(weight_hh)
    return given, own, g_hidden


@primitive
def rnn_backward(g_output, g_hidden, weight_hh, output, relu, times):
    """Back through time: the gradients before the tanh, or the rectifier, and at the initial states."""
    g_hidden, slopes = g_hidden.copy(), np.empty_like(output)
    for rows in reversed(times):
        h, now = g_hidden[: rows.stop - rows.start], output[rows]
        h += g_output[rows]
        slopes[rows] = np.where(now <= 0, 0, h) if relu else h * (1 - now * now)
        h[...] = slopes[rows].dot(weight_hh)
    return slopes, g_hidden


def rnn(input, weight_ih, weight_hh, bias, hidden, relu, times):
    """Outputs and last states."""
    output, across, _ = products(input, weight_ih, weight_hh, len(times))
    hidden = hidden.copy()
    for rows in times:
        now, h = output[rows], hidden[: rows.stop - rows.start]
        now += h.dot(across)
        if bias is not None:
            now += bias
        if relu:
            np.maximum(now, 0, out=now)
        else:
            np.tanh(now, now)
        h[...] = now
    return output, hidden


def products(input, weight_ih, weight_hh, steps, scale=None):
    """What the inputs give to the gates, and the weight that the states are multiplied by, in its best layout.

    Both times the scale, but for a few steps: then by what the products of the states are yet to be multiplied is last.
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
    across = ascontiguousarray(weight_hh.T)
    return gates, across if scale is None else across * scale, None


def logistic_by_tanh(width, plain, dtype):
    """Factors and summands a, b that make a * tanh(a * x) + b the logistic function, but tanh on the `plain` gate.

    1 / (1 + exp(-x)) = tanh(x / 2) / 2 + 1 / 2: one function for all gates, and the inner factor goes into the weights.
    Those of short rows are kept for the next call.
    """
    made = factors_kept if width <= SHORT else factors_kept.__wrapped__
    return made(width, plain.start, plain.stop, dtype)


@lru_cache(maxsize=64)
def factors_kept(width, first, last, dtype):
    half, centre = np.full(width, 0.5, dtype), np.full(width, 0.5, dtype)
    half[first:last], centre[first:last] = 1, 0
    half.flags.writeable = centre.flags.writeable = False
    return half, centre


def activate(now, own, bias, half, centre):
    """Adds to `now`, what the inputs gave to the gates, what states and bias give; then the function, in place."""
    if bias is not None:
        own += bias
    now += own
    np.tanh(now, now)
    now *= half
    now += centre
