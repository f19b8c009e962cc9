"""Images read between their pixels: for some points at a time the four pixels around each and their weights, then all
channels at those places. The steps are those of `arrays/sampling.py`.
"""

from __future__ import annotations

import math

import numpy as np

from rushlight.arrays.sampling import scale_of
from rushlight.compiler.kernels.replacing import packed, replaces
from rushlight.compiler.kernels.vectors import LANES, chosen, even, load_some, multiply_add, spread, store
from rushlight.compiler.language import floor, local, offset
from rushlight.compiler.native import float32, int64, native, pointer
from rushlight.compiler.parallel import parallel_for
from rushlight.compiler.sizes import GRAIN, POOLED, Patience

PATIENCE = Patience(passes=128)
TOGETHER = 64  # points


@native
def taps(places: pointer(int64), weights: pointer(float32), grid: pointer(float32), scale: float32, back: float32,
         size: int64, border: int64, order: int64, many: int64):  # fmt: skip
    """Two places along one dimension and their weights, for `many` coordinates that stand two apart; -1 is outside."""
    zero, one, last = spread(0.0), spread(1.0), spread(float32(size - 1))
    for k in range(0, many, LANES):
        some = 2 * (many - k) - 1
        given = even(load_some(grid, 2 * k, 0, some), load_some(grid, 2 * k + LANES, 0, some - LANES))
        at, slope = multiply_add(given + one, spread(scale), spread(-back)), one
        if order == 1:
            slope = spread(scale)
        if border != 0:
            inside = (at > zero) & (at < last)
            if order == 1:
                slope = chosen(inside, slope, zero)
            at = chosen(inside, at, chosen(at >= last, last, zero))
        first = floor(at)
        second, near, far = first + one, one - (at - first), at - first
        if order == 1:
            near, far = -one, one
        inside, beside = (first >= zero) & (first <= last), (second >= zero) & (second <= last)
        store(places, k, int64(chosen(inside, first, -one)))
        store(places, k + 64, int64(chosen(beside, second, -one)))
        store(weights, k, near * slope * chosen(inside, one, zero))
        store(weights, k + 64, far * slope * chosen(beside, one, zero))


@native
def pixel(plane: pointer(float32), row: int64, column: int64) -> float32:
    """What is in a row that begins at `row`; zero outside of the image, whatever is at its first place."""
    if row >= 0 and column >= 0:
        return plane[row + column]
    return float32(0.0)


@native
def sample(out: pointer(float32), input: pointer(float32), grid: pointer(float32), channels: int64, height: int64,
           width: int64, points: int64, blocks: int64, numbers: pointer(float32), border: int64, down: int64,
           across: int64, begin: int64, end: int64):  # fmt: skip
    """Blocks of points of all images; `numbers` are of both dimensions the scale, and what to go back by."""
    xs, ys, wx, wy = local(int64, 128), local(int64, 128), local(float32, 128), local(float32, 128)
    for piece in range(begin, end):
        image, start = piece // blocks, piece % blocks * 64
        many = min(64, points - start)
        here = offset(grid, 2 * (image * points + start))
        taps(xs, wx, here, numbers[0], numbers[1], width, border, across, many)
        taps(ys, wy, offset(here, 1), numbers[2], numbers[3], height, border, down, many)
        for k in range(many):
            ys[k] *= width
            ys[k + 64] *= width
        for channel in range(channels):
            plane = offset(input, (image * channels + channel) * height * width)
            to = offset(out, (image * channels + channel) * points + start)
            for k in range(many):
                above, below = offset(plane, ys[k]), offset(plane, ys[k + 64])
                left, right, near, far = xs[k], xs[k + 64], wx[k], wx[k + 64]
                if min(min(ys[k], ys[k + 64]), min(left, right)) >= 0:
                    found = above[left] * (wy[k] * near)
                    found += above[right] * (wy[k] * far)
                    found += below[left] * (wy[k + 64] * near)
                    found += below[right] * (wy[k + 64] * far)
                    to[k] = found
                else:
                    found = pixel(plane, ys[k], left) * (wy[k] * near)
                    found += pixel(plane, ys[k], right) * (wy[k] * far)
                    found += pixel(plane, ys[k + 64], left) * (wy[k + 64] * near)
                    found += pixel(plane, ys[k + 64], right) * (wy[k + 64] * far)
                    to[k] = found


@native(light=True)
def sample_all(out: pointer(float32), input: pointer(float32), grid: pointer(float32), batch: int64, channels: int64,
               height: int64, width: int64, points: int64, blocks: int64, numbers: pointer(float32), border: int64,
               down: int64, across: int64, grain: int64):  # fmt: skip
    parallel_for(sample, batch * blocks, grain, out, input, grid, channels, height, width, points, blocks, numbers,
                 border, down, across)  # fmt: skip


@replaces("sampling", "grid_sampled", sized=None)
def grid_sampled(input, grid, mode, padding, align_corners, orders):
    if mode != "bilinear" or padding == "reflection" or len(orders) != 2 or max(orders) > 1:
        return None
    if input.dtype != np.float32 or grid.dtype != np.float32 or type(input) is not np.ndarray or not input.size:
        return None
    (batch, channels, height, width), points = input.shape, math.prod(grid.shape[1:-1])
    size = batch * channels * points
    if not points or size < POOLED or not (PATIENCE.over or PATIENCE.ends(size)):
        return None
    numbers = [scale_of(n, align_corners) for n in (width, height)]
    out, blocks = np.empty((batch, channels, *grid.shape[1:-1]), np.float32), -(-points // TOGETHER)
    sample_all.machine()(
        out, packed(input), packed(grid), batch, channels, height, width, points, blocks,
        np.array(numbers, np.float32), padding == "border", *reversed(orders), max(1, GRAIN // (TOGETHER * channels)),
    )  # fmt: skip
    return out
