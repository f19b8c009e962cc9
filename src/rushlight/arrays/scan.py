"""Running reductions along one axis: every element of the result has seen all elements before it."""

from __future__ import annotations

import numpy as np

from rushlight.arrays.elementwise import log1p_of_complex
from rushlight.arrays.layouts import in_planes
from rushlight.core.tables import primitive

# Longer lines are accumulated in the wider dtype and rounded once, as in PyTorch; so short they lose nothing.
SHORT = 16
WIDER = {np.dtype(np.float32): np.dtype(np.float64), np.dtype(np.complex64): np.dtype(np.complex128)}
# From so many lines side by side on, one step at a time for all of them costs less than line by line.
MANY_LINES = 128


def running(ufunc):
    """The running version of a ufunc's reduction; an array without dimensions has one element."""

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
    lines, places = np.moveaxis(array, axis, 0), np.moveaxis(out, axis, 0)
    carried = lines[0].astype(wide)
    places[0] = carried
    for line, place in zip(lines[1:], places[1:], strict=True):
        ufunc(carried, line, carried)
        place[...] = carried
    return out


running_sum = running(np.add)
running_product = running(np.multiply)


@primitive
def running_extreme(array, axis: int, largest: bool) -> tuple:
    """(values, positions) of the extreme so far: the last of equals; NaN stays."""
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
    found = np.logaddexp.accumulate(in_planes(array), axis, wide) if array.ndim else array.copy()
    return found if wide is None else found.astype(array.dtype)


def _running_complex_logsumexp(array, axis: int):
    out = array.copy()
    lines = np.moveaxis(out, axis, 0) if array.ndim else out[None]
    for place in range(1, len(lines)):
        before, here = lines[place - 1], lines[place]
        high = np.where(before.real > here.real, before, here)
        low = np.where(before.real > here.real, here, before)
        found = np.where(np.isneginf(low.real), high, high + log1p_of_complex(np.exp(low - high)))
        infinite = np.isposinf(low.real)  # then their difference is nan, and only the angle of the sum is to be found
        found = np.where(infinite, np.log(np.exp(low) + np.exp(high)), found) if infinite.any() else found
        lines[place] = np.where(np.isnan(low) | np.isnan(high), complex(np.nan, np.nan), found)
    return out


@primitive
def recurrence(array, factor, axis: int, backwards: bool):
    """The solution of `out[i] = array[i] + factor[i] * out[i - 1]`; of `... out[i + 1]` if it runs backwards."""
    if not array.ndim or not array.size:
        return array.copy()
    flipped = (np.flip(each, axis) if backwards else each for each in (array, factor))
    out, decay = (np.moveaxis(each, axis, 0).copy() for each in flipped)
    if out.size > MANY_LINES * len(out):
        _step_by_step(out, decay)
    else:
        _by_doubling(out, decay)
    out = np.moveaxis(out, 0, axis)
    return np.ascontiguousarray(np.flip(out, axis) if backwards else out)


def _step_by_step(out, decay) -> None:
    carried = np.empty_like(out[0])
    for before, factor, here in zip(out[:-1], decay[1:], out[1:], strict=True):
        np.multiply(factor, before, carried)
        np.add(here, carried, here)


def _by_doubling(out, decay) -> None:
    """Solves for 1, 2, 4, ... steps at a time; unlike a quotient of products, right where a factor is zero."""
    step = 1
    while step < len(out):
        out[step:] += decay[step:] * out[:-step]
        decay[step:] *= decay[:-step]
        step *= 2


def shifted(array, axis: int, step: int, fill):
    """The elements one or more places further along an axis, with `fill` in the places that become free."""
    if not array.ndim or abs(step) >= array.shape[axis]:
        return np.full_like(array, fill)
    out, before = np.empty_like(array), (slice(None),) * axis
    ahead, behind = slice(max(step, 0), min(step, 0) or None), slice(max(-step, 0), min(-step, 0) or None)
    out[(*before, ahead)] = array[(*before, behind)]
    out[(*before, slice(step) if step >= 0 else slice(step, None))] = fill
    return out
