"""Functions that NumPy lacks, written in NumPy: their source is copied into exported files."""

from __future__ import annotations

import math

import numpy as np


def sigmoid(x):
    return np.exp(-np.logaddexp(0, -x))


def softmax(x, axis):
    powers = np.exp(x - x.max(axis, keepdims=True))
    return powers / powers.sum(axis, keepdims=True)


def log_softmax(x, axis):
    x = x - x.max(axis, keepdims=True)
    return x - np.log(np.exp(x).sum(axis, keepdims=True))


def erf(x):
    return np.vectorize(math.erf, otypes=[x.dtype])(x)


def gelu(x, approximate):
    if approximate == "tanh":
        return 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))
    return 0.5 * x * (1 + erf(x / math.sqrt(2)))


def softplus(x, beta, threshold):
    return np.where(x * beta > threshold, x, np.logaddexp(0, np.minimum(x * beta, threshold)) / beta).astype(x.dtype)


def elu(x, alpha, scale, input_scale):
    return scale * np.where(x > 0, x, alpha * np.expm1(np.minimum(x, 0) * input_scale))


def windows(x, kernel, stride, dilation):
    """Returns (batch, channels, *positions, *kernel): the window of a kernel at each position."""
    space = range(2, x.ndim)
    reach = [d * (k - 1) + 1 for k, d in zip(kernel, dilation, strict=True)]
    views = np.lib.stride_tricks.sliding_window_view(x, reach, tuple(space))
    steps = [slice(None, None, s) for s in stride] + [slice(None, None, d) for d in dilation]
    return views[(slice(None), slice(None), *steps)]


def padded(x, padding, value):
    return np.pad(x, [(0, 0), (0, 0), *((p, p) for p in padding)], constant_values=value)


def convolve(x, weight, bias, stride, padding, dilation, groups):
    """Convolves (batch, channels, *space) with a kernel (out, channels / groups, *kernel)."""
    kernel = weight.shape[2:]
    views = windows(padded(x, padding, 0), kernel, stride, dilation)
    axes = [1, *range(views.ndim - len(kernel), views.ndim)]
    pairs = zip(np.split(views, groups, axis=1), np.split(weight, groups), strict=True)
    out = [np.tensordot(part, kernels, (axes, range(1, weight.ndim))) for part, kernels in pairs]
    out = np.moveaxis(np.concatenate(out, axis=-1), -1, 1)
    return out if bias is None else out + bias.reshape(-1, *[1] * len(kernel))


def max_pool(x, kernel, stride, padding, dilation):
    views = windows(padded(x, padding, -np.inf), kernel, stride, dilation)
    return views.max(tuple(range(x.ndim, views.ndim)))


def avg_pool(x, kernel, stride, padding):
    views = windows(padded(x, padding, 0), kernel, stride, [1] * len(kernel))
    return views.mean(tuple(range(x.ndim, views.ndim)))


def batch_norm(x, weight, bias, mean, variance, eps):
    mean, variance = (item.reshape(-1, *[1] * (x.ndim - 2)) for item in (mean, variance))
    return scaled((x - mean) / np.sqrt(variance + eps), weight, bias, x.ndim - 2)


def layer_norm(x, shape, weight, bias, eps):
    axes = tuple(range(-len(shape), 0))
    x = (x - x.mean(axes, keepdims=True)) / np.sqrt(x.var(axes, keepdims=True) + eps)
    return scaled(x, weight, bias, None)


def group_norm(x, groups, weight, bias, eps):
    parts = x.reshape(len(x), groups, -1)
    parts = (parts - parts.mean(-1, keepdims=True)) / np.sqrt(parts.var(-1, keepdims=True) + eps)
    return scaled(parts.reshape(x.shape), weight, bias, x.ndim - 2)


def scaled(x, weight, bias, space):
    """Scales and shifts after a normalization; parameters have channels, followed by `space` dimensions."""
    for parameter, combine in ((weight, np.multiply), (bias, np.add)):
        if parameter is not None:
            x = combine(x, parameter if space is None else parameter.reshape(-1, *[1] * space))
    return x


def attention(query, key, value, bias, causal, scale):
    scores = query @ np.swapaxes(key, -2, -1) * scale
    if causal:
        scores = np.where(np.tril(np.ones(scores.shape[-2:], dtype=bool)), scores, -np.inf)
    if bias is not None:
        scores = scores + bias
    return softmax(scores, -1) @ value


def lstm(x, weight_ih, weight_hh, bias_ih, bias_hh, hidden, cell, steps, reverse):
    """Returns the hidden states of all steps, and the last hidden and cell state."""
    inputs = (x @ weight_ih.T + (0 if bias_ih is None else bias_ih + bias_hh)).reshape(steps, -1, len(weight_ih))
    states = []
    for gates in inputs[::-1] if reverse else inputs:
        i, f, g, o = np.split(gates + hidden @ weight_hh.T, 4, axis=1)
        cell = sigmoid(f) * cell + sigmoid(i) * np.tanh(g)
        hidden = sigmoid(o) * np.tanh(cell)
        states.append(hidden)
    return np.concatenate(states[::-1] if reverse else states), hidden, cell


def gru(x, weight_ih, weight_hh, bias_ih, bias_hh, hidden, steps, reverse):
    """Returns the hidden states of all steps, and the last."""
    inputs = (x @ weight_ih.T + (0 if bias_ih is None else bias_ih)).reshape(steps, -1, len(weight_ih))
    states = []
    for gates in inputs[::-1] if reverse else inputs:
        r, z, n = np.split(gates, 3, axis=1)
        hr, hz, hn = np.split(hidden @ weight_hh.T + (0 if bias_hh is None else bias_hh), 3, axis=1)
        z = sigmoid(z + hz)
        hidden = (1 - z) * np.tanh(n + sigmoid(r + hr) * hn) + z * hidden
        states.append(hidden)
    return np.concatenate(states[::-1] if reverse else states), hidden


def rnn(relu, x, weight_ih, weight_hh, bias_ih, bias_hh, hidden, steps, reverse):
    """Returns the hidden states of all steps, and the last."""
    inputs = (x @ weight_ih.T + (0 if bias_ih is None else bias_ih + bias_hh)).reshape(steps, -1, len(weight_ih))
    states = []
    for input_ in inputs[::-1] if reverse else inputs:
        hidden = input_ + hidden @ weight_hh.T
        hidden = np.maximum(hidden, 0) if relu else np.tanh(hidden)
        states.append(hidden)
    return np.concatenate(states[::-1] if reverse else states), hidden
