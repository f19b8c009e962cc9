"""Sums over the rows of a matrix, one for each of its columns: the gradients of a layer norm's weight and bias."""

from __future__ import annotations

from rushlight.compiler.native import Element, float64, int64, native, pointer
from rushlight.compiler.parallel import parallel_for

T = Element("T")
S = Element("S")  # of statistics


@native(separate=True)
def sums_between(weight: pointer(float64), bias: pointer(float64), g: pointer(T), x: pointer(T), mean: pointer(S),
                 scale: pointer(S), rows: int64, length: int64, begin: int64, end: int64):  # fmt: skip
    """Of the places from `begin` to `end`: the sums over the rows of g times the normalized x, and of g.

    Four rows are added up in their own precision, since a sum in float64 is read and written each time.
    """
    for j in range(begin, end):
        weight[j] = 0.0
        bias[j] = 0.0
    for four in range(rows // 4):
        i = 4 * four
        a = i * length
        b = a + length
        c = b + length
        d = c + length
        for j in range(begin, end):
            low = g[a + j] * ((x[a + j] - mean[i]) * scale[i]) + g[b + j] * ((x[b + j] - mean[i + 1]) * scale[i + 1])
            high = g[c + j] * ((x[c + j] - mean[i + 2]) * scale[i + 2]) + g[d + j] * (
                (x[d + j] - mean[i + 3]) * scale[i + 3]
            )
            weight[j] = weight[j] + float64(low + high)
            bias[j] = bias[j] + float64((g[a + j] + g[b + j]) + (g[c + j] + g[d + j]))
    for i in range(rows - rows % 4, rows):
        at = i * length
        for j in range(begin, end):
            weight[j] = weight[j] + float64(g[at + j] * ((x[at + j] - mean[i]) * scale[i]))
            bias[j] = bias[j] + float64(g[at + j])


@native(separate=True)
def feature_sums(weight: pointer(float64), bias: pointer(float64), g: pointer(T), x: pointer(T),
                     mean: pointer(S), scale: pointer(S), rows: int64, length: int64):  # fmt: skip
    """`sums_between` of all places."""
    parallel_for(sums_between, length, 64, weight, bias, g, x, mean, scale, rows, length)
