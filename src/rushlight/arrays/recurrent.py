"""Recurrent layers from beginning to end: the product with the whole sequence first, then one step at a time.

Sequences are packed, (steps, features): the first time step of each, the second of each, ... `times` says which rows
are of one time step, in the order in which they are taken; sequences that have ended are the last ones of a batch, and
their state stays as it is. What the derivative needs beside the results is returned with them.
"""

import numpy as np


def lstm(input, weight_ih, weight_hh, bias, weight_hr, hidden, cell, times):
    """Outputs, last hidden and cell states, the activated gates i, f, g, o and the cell state of every step."""
    gates, across = products(input, weight_ih, weight_hh)
    hidden, cell = hidden.copy(), cell.copy()
    size = cell.shape[1]
    output = np.empty((len(gates), hidden.shape[1]), gates.dtype)
    cells = np.empty((len(gates), size), gates.dtype)
    for rows in times:
        count = rows.stop - rows.start
        now, h, c = gates[rows], hidden[:count], cell[:count]
        now += h.dot(across)
        if bias is not None:
            now += bias
        i, f, g, o = (now[:, at : at + size] for at in range(0, 4 * size, size))
        squash(now[:, : 2 * size])
        np.tanh(g, g)
        squash(o)
        c *= f
        c += i * g
        cells[rows] = c
        exposed = np.tanh(c)
        exposed *= o
        h[...] = output[rows] = exposed if weight_hr is None else exposed.dot(weight_hr.T)
    return output, hidden, cell, gates, cells


def gru(input, weight_ih, weight_hh, bias_ih, bias_hh, hidden, times):
    """Outputs, last states, the activated gates r, z, n, and what the state gave to n before r came to it."""
    gates, across = products(input, weight_ih, weight_hh)
    if bias_ih is not None:
        gates += bias_ih
    hidden = hidden.copy()
    size = hidden.shape[1]
    output = np.empty((len(gates), size), gates.dtype)
    recalled = np.empty_like(output)
    for rows in times:
        now, h = gates[rows], hidden[: rows.stop - rows.start]
        own = h.dot(across)
        if bias_hh is not None:
            own += bias_hh
        recalled[rows] = own[:, 2 * size :]
        r, z, n = (now[:, at : at + size] for at in range(0, 3 * size, size))
        both = now[:, : 2 * size]
        both += own[:, : 2 * size]
        squash(both)
        n += r * recalled[rows]
        np.tanh(n, n)
        h -= n
        h *= z
        h += n
        output[rows] = h
    return output, hidden, gates, recalled


def rnn(input, weight_ih, weight_hh, bias, hidden, relu, times):
    """Outputs and last states."""
    output, across = products(input, weight_ih, weight_hh)
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


def products(input, weight_ih, weight_hh):
    """What the inputs give to the gates, and the weight that the states are multiplied by, in its best layout."""
    return input.dot(weight_ih.T), np.ascontiguousarray(weight_hh.T)


def squash(array):
    """The logistic function in place."""
    np.negative(array, array)
    np.exp(array, array)
    array += 1
    np.reciprocal(array, array)
