"""Interpolates images (batch, channels, *size) at the points of a grid (batch, *points, rank).

A grid holds a point's coordinates, last dimension first, from -1 to 1 across the image. Each dimension has a few taps
near the point, with weights that are polynomials of the distance to the first; derivatives of the polynomials give the
derivatives of the result. Cubic convolution with a = -0.75: Keys, 1981. Source of the conventions:
https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.grid_sample.html
"""

import math
from itertools import product

import numpy as np

from rushlight.arrays.convolution import widened
from rushlight.arrays.spacing import WIDER, evenly_spaced
from rushlight.core.tables import primitive, xp

A = -0.75
# By mode: the offset of the first tap before the point, and each tap's polynomial, lowest power first.
POLYNOMIALS = {
    "bilinear": (0, ((1, -1), (0, 1))),
    "nearest": (0, ((1,),)),
    "bicubic": (1, ((0, A, -2 * A, A), (1, 0, -A - 3, A + 2), (0, -A, 2 * A + 3, -A - 2), (0, 0, A, -A))),
}


@primitive
def grid_sampled(input, grid, mode, padding, align_corners, orders):
    """Returns `input` at the points of `grid`; `orders` is the order of the derivative per coordinate.

    >>> image, point = np.array([[[[1.0, 2.0], [3.0, 4.0]]]]), np.zeros((1, 1, 1, 2))
    >>> grid_sampled(image, point, "bilinear", "zeros", True, (0, 0))
    array([[[[2.5]]]])
    >>> grid_sampled(image, point, "bilinear", "zeros", True, (1, 0))
    array([[[[0.5]]]])
    """
    batch, channels, *size = input.shape
    points = grid.shape[1:-1]
    pixels = channels_last(widened(input))
    total = np.zeros((batch * math.prod(points), channels), pixels.dtype)
    pixels = np.concatenate((pixels, np.zeros((1, channels), pixels.dtype)))
    for indices, weights in corners(grid, size, mode, padding, align_corners, orders):
        total = xp.add_scaled_rows(total, pixels, indices, weights, None)
    return channels_first(total.astype(input.dtype, copy=False), (batch, channels, *points))


def grid_spread(grad, grid, shape, mode, padding, align_corners, orders):
    """The transpose of `grid_sampled`: scatters `grad` (batch, channels, *points) to an image of `shape`.

    >>> grid_spread(np.ones((1, 1, 1, 1)), np.zeros((1, 1, 1, 2)), (1, 1, 2, 2), "bilinear", "zeros", True, (0, 0))
    array([[[[0.25, 0.25],
             [0.25, 0.25]]]])
    """
    batch, channels, *size = shape
    rows = channels_last(widened(grad))
    total = np.zeros((batch * math.prod(size) + 1, channels), rows.dtype)
    points = np.arange(len(rows))
    for indices, weights in corners(grid, size, mode, padding, align_corners, orders):
        total = xp.add_scaled_rows(total, rows, points, weights, indices)
    return channels_first(total[:-1].astype(grad.dtype, copy=False), shape)


def channels_last(array):
    """Converts (batch, channels, *size) to (batch * pixels, channels)."""
    batch, channels, *size = array.shape
    pixels = math.prod(size)
    return array.reshape(batch, channels, pixels).swapaxes(1, 2).reshape(batch * pixels, channels)


def channels_first(rows, shape):
    """Converts (batch * pixels, channels) to `shape` (batch, channels, *size)."""
    batch, channels, *size = shape
    by_image = rows.reshape(batch, math.prod(size), channels).swapaxes(1, 2)
    return np.ascontiguousarray(by_image).reshape(shape)


def corners(grid, size, mode, padding, align_corners, orders):
    """Yields, for each pixel near a point, its index within the batch and its weight, both (points,).

    Pixels outside the image have the index after the last, which is a row of zeros, so that NaN and infinity times a
    zero weight do not matter.
    """
    points = widened(grid).reshape(-1, len(size))
    settings = mode, padding, align_corners
    # PyTorch processes images with vectors and volumes element by element: NaN is then outside, or at the far border.
    volume = len(size) == 3
    wide = points.dtype if volume else WIDER[points.dtype]
    taps = [
        taps_of(
            points[:, axis], size[-1 - axis], *settings, orders[axis], wide.type, size[-1 - axis] - 1 if volume else 0
        )
        for axis in reversed(range(len(size)))
    ]
    begins = np.repeat(np.arange(len(grid)), len(points) // max(len(grid), 1))
    end = len(grid) * math.prod(size)
    for chosen in product(*taps):
        indices, weights, in_image = begins, 1, True
        for length, (index, weight, inside) in zip(size, chosen, strict=True):
            indices, weights, in_image = indices * length + index, weights * weight, in_image & inside
        yield np.where(in_image, indices, end), np.where(in_image, weights, 0) if volume else weights


def taps_of(coordinates, size, mode, padding, align_corners, order, wide, of_nan):
    """Returns (pixel, weight, whether it is inside) of each tap of one dimension; weights are derivatives of `order`.

    Positions are computed in the type `wide` and rounded once, as vector units do: for a point in the middle of a
    pixel, the last bit decides on which side the derivative is taken.
    """
    dtype = coordinates.dtype.type
    scale, back = map(dtype, scale_of(size, align_corners))
    position = ((coordinates + dtype(1)) * wide(scale) - wide(back)).astype(dtype)
    scale_power = scale**order
    if mode != "bicubic":  # bicubic folds each of its taps instead, below
        position, sign = folded(position, size, padding, align_corners, of_nan)
        if order and sign is not None:
            scale_power = scale_power * sign**order
    before, polynomials = POLYNOMIALS[mode]
    first = np.rint(position) if mode == "nearest" else np.floor(position)
    distance = position - first
    taps = []
    for tap, coefficients in enumerate(polynomials, -before):
        pixel = first + dtype(tap)
        if mode == "bicubic":
            pixel, _ = folded(pixel, size, padding, align_corners, of_nan)
        inside = (pixel >= 0) & (pixel < size)
        weight = value_at(distance, derived(coefficients, order)) * scale_power
        taps.append((np.where(inside, pixel, dtype(0)).astype(np.int64), weight * inside, inside))
    return taps


def scale_of(size, align_corners):
    """Returns the pixels per unit of a dimension, and the offset of the first pixel's center from -1."""
    return ((size - 1) / 2, 0.0) if align_corners else (size / 2, 0.5)


def value_at(x, coefficients):
    """Evaluates a polynomial by Horner's rule."""
    value = x.dtype.type(coefficients[-1])
    for coefficient in reversed(coefficients[:-1]):
        value = value * x + x.dtype.type(coefficient)
    return value


def derived(coefficients, order):
    """Returns the coefficients of a polynomial's derivative of an order."""
    for _ in range(order):
        coefficients = [power * value for power, value in enumerate(coefficients)][1:] or [0]
    return coefficients


def folded(at, size, padding, align_corners, of_nan):
    """Folds positions into an image; also returns the derivative of the folding: 0 where clamped at a border.

    The derivative is None if positions do not change. NaN becomes `of_nan`, the first position or the last.
    """
    if padding == "zeros":
        return at, None
    slope = np.ones_like(at)
    if padding == "reflection":
        low, span = (0, size - 1) if align_corners else (-0.5, size)
        if not span:
            return np.zeros_like(at), np.zeros_like(at)
        distance = np.abs(at - low)
        turns, rest = np.floor(distance / span), np.fmod(distance, span)
        back = turns % 2 == 1
        slope = np.where(at < low, -slope, slope) * np.where(back, -1, 1).astype(at.dtype)
        at = np.where(back, span - rest, rest) + at.dtype.type(low)
    clamped = ~((at > 0) & (at < size - 1))
    inside = np.fmax(np.fmin(at, size - 1), 0) if of_nan else np.fmin(np.fmax(at, 0), size - 1)
    return inside, np.where(clamped, 0, slope)


def affine_points(size, align_corners, dtype):
    """Returns the points of a grid that covers an image of `size` evenly, each followed by a 1: (points, rank + 1).

    >>> affine_points((1, 2), True, np.float64)
    array([[-1.,  0.,  1.],
           [ 1.,  0.,  1.]])
    """
    steps = [even_steps(length, align_corners, dtype) for length in size]
    axes = np.meshgrid(*steps, indexing="ij")
    return np.stack([*(axis.reshape(-1) for axis in reversed(axes)), np.ones(math.prod(size), dtype)], 1)


def even_steps(count, align_corners, dtype):
    """Returns `count` points from -1 to 1: including the ends, or the centers of equal parts; 0 for a single one."""
    if count == 1:
        return np.zeros(1, dtype)
    float_dtype = np.dtype(np.float64 if np.dtype(dtype).kind in "iu" else dtype)
    steps = evenly_spaced(-1, 1, count, float_dtype)
    steps = steps if align_corners else steps * float_dtype.type(count - 1) / float_dtype.type(count)
    return steps.astype(dtype, copy=False)
