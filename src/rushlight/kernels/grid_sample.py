"""Images read between their pixels: for some points at a time the pixels around each and their weights, then all
channels at those places. The steps are those of `arrays/sampling.py`.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from rushlight.arrays.sampling import POLYNOMIALS, derived, scale_of
from rushlight.core.policy import FEW, GRAIN, Warmup
from rushlight.kernels.arguments import packed
from rushlight.kernels.vectors import LANES, chosen, even, load, load_some, multiply_add, spread, store
from rushlight.lower.language import floor, local, offset
from rushlight.lower.lazy_compile import deferred
from rushlight.lower.native import float32, int64, native, pointer
from rushlight.lower.parallel import parallel_for
from rushlight.lower.registry import kernel_of

WARMUP = Warmup(passes=128)
TOGETHER = 64  # points
OUTSIDE = -(2.0**32)  # a place so far before a plane that no other dimension brings it back
ROUNDED = 1.5 * 2**23  # added, and taken away, it leaves a whole number
PADDINGS = ("zeros", "border", "reflection")


@deferred
@native
def fold(found: pointer(float32), low: float32, span: float32, size: int64, padding: int64):
    """A vector of places, and behind it of the slope with which they move, brought into an image."""
    at, slope, zero, last = load(found, 0), load(found, LANES), spread(0.0), spread(float32(size - 1))
    if padding == 2:
        less, whole = at - spread(low), spread(span)
        distance = chosen(less < zero, -less, less)
        turns = floor(distance / whole)
        rest = multiply_add(-turns, whole, distance)
        rest = chosen(rest < zero, rest + whole, rest)
        half = turns * spread(0.5)
        back = floor(half) != half
        slope = chosen(less < zero, -slope, slope)
        at, slope = chosen(back, whole - rest, rest) + spread(low), chosen(back, -slope, slope)
    inside = (at > zero) & (at < last)
    store(found, 0, chosen(inside, at, chosen(at >= last, last, zero)))
    store(found, LANES, chosen(inside, slope, zero))


@native
def taps(places: pointer(int64), weights: pointer(float32), grid: pointer(float32), numbers: pointer(float32),
         size: int64, count: int64, padding: int64, order: int64, many: int64):  # fmt: skip
    """Places along one dimension and their weights, for `many` coordinates that stand two apart."""
    zero, one, last, room = spread(0.0), spread(1.0), spread(float32(size - 1)), local(float32, 32)
    for k in range(0, many, LANES):
        some = 2 * (many - k) - 1
        given = even(load_some(grid, 2 * k, 0, some), load_some(grid, 2 * k + LANES, 0, some - LANES))
        at, slope = multiply_add(given + one, spread(numbers[0]), spread(-numbers[1])), spread(numbers[4])
        if padding != 0 and count < 4:
            store(room, 0, at)
            store(room, LANES, slope)
            fold(room, numbers[2], numbers[3], size, padding)
            at = load(room, 0)
            if order != 0:
                slope = load(room, LANES)
        first = floor(at)
        if count == 1:
            first = (at + spread(ROUNDED)) - spread(ROUNDED)
        for tap in range(count):
            place, terms, distance = first + spread(float32(tap - count // 4)), offset(numbers, 5 + 4 * tap), at - first
            if padding != 0 and count == 4:
                store(room, 0, place)
                fold(room, numbers[2], numbers[3], size, padding)
                place = load(room, 0)
            inside = (place >= zero) & (place <= last)
            weight = spread(terms[0])
            if count > 1:
                weight = (spread(terms[3]) * distance + spread(terms[2])) * distance
                weight = (weight + spread(terms[1])) * distance + spread(terms[0])
            store(places, k + 64 * tap, int64(chosen(inside, place, spread(OUTSIDE))))
            store(weights, k + 64 * tap, weight * slope)


@native(inlined=True)
def pixel(plane: pointer(float32), place: int64) -> float32:
    """What is at a place; zero outside of the image, whatever is at its first place."""
    if place >= 0:
        return plane[place]
    return float32(0.0)


@native
def sample(out: pointer(float32), input: pointer(float32), grid: pointer(float32), channels: int64, height: int64,
           width: int64, points: int64, blocks: int64, numbers: pointer(float32), count: int64, padding: int64,
           down: int64, across: int64, begin: int64, end: int64):  # fmt: skip
    """Blocks of points of all images; `numbers` are those of both dimensions."""
    xs, ys, wx, wy = local(int64, 256), local(int64, 256), local(float32, 256), local(float32, 256)
    places, weights = local(int64, 1024), local(float32, 1024)
    for piece in range(begin, end):
        image, start = piece // blocks, piece % blocks * 64
        many = min(64, points - start)
        here = offset(grid, 2 * (image * points + start))
        taps(xs, wx, here, numbers, width, count, padding, across, many)
        taps(ys, wy, offset(here, 1), offset(numbers, 21), height, count, padding, down, many)
        for tap in range(count * count):
            row, column, at = tap // count * 64, tap % count * 64, tap * 64
            for k in range(many):
                weights[at + k] = wy[row + k] * wx[column + k]
                places[at + k] = ys[row + k] * width + xs[column + k]
        for channel in range(channels):
            plane = offset(input, (image * channels + channel) * height * width)
            to = offset(out, (image * channels + channel) * points + start)
            if count == 1:
                for k in range(many):
                    to[k] = pixel(plane, places[k]) * weights[k]
            elif count == 2:
                for k in range(many):
                    found = pixel(plane, places[k]) * weights[k]
                    found += pixel(plane, places[k + 64]) * weights[k + 64]
                    found += pixel(plane, places[k + 128]) * weights[k + 128]
                    to[k] = found + pixel(plane, places[k + 192]) * weights[k + 192]
            else:
                for k in range(many):
                    found = float32(0.0)
                    for tap in range(k, 1024, 64):
                        found += pixel(plane, places[tap]) * weights[tap]
                    to[k] = found


@native(light=True)
def sample_all(out: pointer(float32), input: pointer(float32), grid: pointer(float32), batch: int64, channels: int64,
               height: int64, width: int64, points: int64, blocks: int64, numbers: pointer(float32), count: int64,
               padding: int64, down: int64, across: int64, grain: int64):  # fmt: skip
    parallel_for(sample, batch * blocks, grain, out, input, grid, channels, height, width, points, blocks, numbers,
                 count, padding, down, across)  # fmt: skip


@kernel_of("grid_sampled", sized=None)
def grid_sampled(input, grid, mode, padding, align_corners, orders):
    if len(orders) != 2 or max(orders) > (mode != "nearest"):
        return None
    if input.dtype != np.float32 or grid.dtype != np.float32 or type(input) is not np.ndarray or not input.size:
        return None
    (batch, channels, height, width), points = input.shape, math.prod(grid.shape[1:-1])
    size = batch * channels * points
    if size < FEW or not (WARMUP.over or WARMUP.pays_off(size)):
        return None
    across, down = orders
    numbers = np.concatenate((of_axis(width, mode, align_corners, across), of_axis(height, mode, align_corners, down)))
    out, blocks = np.empty((batch, channels, *grid.shape[1:-1]), np.float32), -(-points // TOGETHER)
    sample_all.machine()(
        out, packed(input), packed(grid), batch, channels, height, width, points, blocks, numbers,
        len(POLYNOMIALS[mode][1]), PADDINGS.index(padding), down, across,
        max(1, GRAIN // (TOGETHER * channels)),
    )  # fmt: skip
    return out


@lru_cache(maxsize=256)
def of_axis(size, mode, align_corners, order) -> np.ndarray:
    """The numbers of a dimension: scale, what to go back by, where it is reflected, the slope, terms of each tap."""
    scale, back = scale_of(size, align_corners)
    low, span = (0.0, size - 1.0) if align_corners else (-0.5, float(size))
    terms = np.zeros((4, 4), np.float32)
    for row, coefficients in zip(terms, POLYNOMIALS[mode][1], strict=False):
        values = derived(list(coefficients), order)
        row[: len(values)] = values
    return np.array([scale, back, low, span, scale**order, *terms.ravel()], np.float32)
