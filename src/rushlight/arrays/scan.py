"""Scans along one axis: each element of the result combines all elements up to it."""

from __future__ import annotations

import numpy as np

from rushlight.arrays.elementwise import log1p_of_complex
from rushlight.arrays.layouts import in_planes
from rushlight.core.tables import primitive

# Longer rows are accumulated in the wider dtype and rounded once, as in PyTorch; shorter ones lose nothing.
SHORT = 16
WIDER = {np.dtype(np.float32): np.dtype(np.float64), np.dtype(np.complex64): np.dtype(np.complex128)}
# From so many rows on, one step at a time for all of them is faster than row by row.
MANY_LINES = 128


def running(ufunc):
    """Returns the scan for a ufunc; a 0-d array has one element."""

    def accumulate(array, axis: int, dtype):
        if not array.ndim:
            return array.astype(dtype)
        array, length = array if array.flags.c_contiguous else in_planes(array), array.shape[axis]
        wide = WIDER.get(dtype) if length > SHORT else None
        if wide is None:
            return ufunc.accumulate(array, axis, dtype)
        if axis < array.ndim - 1 and array.size > MANY_LINES * length:
            return _line_after_line(ufunc, array, axis, dtype, wide)
        return ufunc.accumulate(array, axis, wide).astype(dtype)

    return accumulate


def _line_after_line(ufunc, array, axis: int, dtype, wide):
    out = np.empty_like(array, dtype)
    lines, out_lines = np.moveaxis(array, axis, 0), np.moveaxis(out, axis, 0)
    carried = lines[0].astype(wide)
    out_lines[0] = carried
    for line, out_line in zip(lines[1:], out_lines[1:], strict=True):
        ufunc(carried, line, carried)
        out_line[...] = carried
    return out


running_sum = running(np.add)
running_product = running(np.multiply)


@primitive
def running_extreme(array, axis: int, largest: bool) -> tuple:
    """Returns (values, indices) of the extreme so far: the last of equals; NaN stays."""
    if not array.ndim:
        return array.copy(), np.zeros((), np.int64)
    array = in_planes(array)
    values = (np.maximum if largest else np.minimum).accumulate(array, axis)
    steps = np.arange(array.shape[axis]).reshape((-1,) + (1,) * (array.ndim - 1 - axis))
    reached = (array == values) | (array != array)
    return values, np.maximum.accumulate(np.where(reached, steps, 0), axis)


def running_logsumexp(array, axis: int):
    """The logarithm of the running sum of exponentials."""
    if array.dtype.kind == "c":
        return _running_complex_logsumexp(array, axis)
    wide = WIDER.get(array.dtype) if array.ndim and array.shape[axis] > SHORT else None
    result = np.logaddexp.accumulate(in_planes(array), axis, wide) if array.ndim else array.copy()
    return result if wide is None else result.astype(array.dtype)


def _running_complex_logsumexp(array, axis: int):
    out = array.copy()
    lines = np.moveaxis(out, axis, 0) if array.ndim else out[None]
    before = np.full_like(lines[0], -np.inf) if len(lines) else None
    for step, current in enumerate(lines):
        high = np.where(before.real > current.real, before, current)
        low = np.where(before.real > current.real, current, before)
        combined = np.where(np.isneginf(low.real), high, high + log1p_of_complex(np.exp(low - high)))
        combined = np.where(np.isneginf(high.real), complex(-np.inf, 0), combined)  # nothing has no angle
        infinite = np.isposinf(low.real)  # their difference is nan, and only the angle of the sum is needed
        combined = np.where(infinite, np.log(np.exp(low) + np.exp(high)), combined) if infinite.any() else combined
        lines[step] = np.where(np.isnan(low) | np.isnan(high), complex(np.nan, np.nan), combined)
        before = lines[step]
    return out


@primitive
def recurrence(array, factor, axis: int, backwards: bool):
    """Solves `out[i] = array[i] + factor[i] * out[i - 1]`, or with `out[i + 1]` if it runs backwards."""
    if not array.ndim or not array.size:
        return array.copy()
    flipped = (np.flip(x, axis) if backwards else x for x in (array, factor))
    out, decay = (np.moveaxis(x, axis, 0).copy() for x in flipped)
    if out.size > MANY_LINES * len(out):
        _step_by_step(out, decay)
    else:
        _by_doubling(out, decay)
    out = np.moveaxis(out, 0, axis)
    return np.ascontiguousarray(np.flip(out, axis) if backwards else out)


def _step_by_step(out, decay) -> None:
    carried = np.empty_like(out[0])
    for before, factor, current in zip(out[:-1], decay[1:], out[1:], strict=True):
        np.multiply(factor, before, carried)
        np.add(current, carried, current)


def _by_doubling(out, decay) -> None:
    """Solves for 1, 2, 4, ... steps at a time; unlike a quotient of products, correct if a factor is zero."""
    step = 1
    while step < len(out):
        out[step:] += decay[step:] * out[:-step]
        decay[step:] *= decay[:-step]
        step *= 2


def shifted(array, axis: int, step: int, fill):
    """Returns the elements shifted by `step` along an axis, with `fill` at the free positions."""
    if not array.ndim or abs(step) >= array.shape[axis]:
        return np.full_like(array, fill)
    out, before = np.empty_like(array), (slice(None),) * axis
    ahead, behind = slice(max(step, 0), min(step, 0) or None), slice(max(-step, 0), min(-step, 0) or None)
    out[(*before, ahead)] = array[(*before, behind)]
    out[(*before, slice(step) if step >= 0 else slice(step, None))] = fill
    return out
