"""Reading images (batch, channels, *size) between their pixels, at the points of a grid (batch, *points, rank).

A grid holds a point's coordinates last dimension first, from -1 to 1 across the image. Each dimension has a few taps
near the point, with weights that are polynomials of the distance to the first; their derivatives give the derivatives
of what is read. Cubic convolution with a = -0.75: Keys, 1981. Source of the conventions:
https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.grid_sample.html
"""

import math
from itertools import product

import numpy as np

from rushlight.arrays.convolution import widened
from rushlight.arrays.spacing import WIDER, evenly_spaced
from rushlight.core.tables import primitive, xp

A = -0.75
# By the name of a mode: how far before the point its first tap is, and each tap's polynomial, lowest power first.
POLYNOMIALS = {
    "bilinear": (0, ((1, -1), (0, 1))),
    "nearest": (0, ((1,),)),
    "bicubic": (1, ((0, A, -2 * A, A), (1, 0, -A - 3, A + 2), (0, -A, 2 * A + 3, -A - 2), (0, 0, A, -A))),
}


@primitive
def grid_sampled(input, grid, mode, padding, align_corners, orders):
    """`input` at the points of `grid`; `orders` asks for a derivative of each coordinate, as often as it says.

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
    for places, weights in corners(grid, size, mode, padding, align_corners, orders):
        total = xp.add_scaled_rows(total, pixels, places, weights, None)
    return channels_first(total.astype(input.dtype, copy=False), (batch, channels, *points))


def grid_spread(grad, grid, shape, mode, padding, align_corners, orders):
    """The transpose of `grid_sampled`: `grad` (batch, channels, *points) brought back to an image of `shape`.

    >>> grid_spread(np.ones((1, 1, 1, 1)), np.zeros((1, 1, 1, 2)), (1, 1, 2, 2), "bilinear", "zeros", True, (0, 0))
    array([[[[0.25, 0.25],
             [0.25, 0.25]]]])
    """
    batch, channels, *size = shape
    rows = channels_last(widened(grad))
    total = np.zeros((batch * math.prod(size) + 1, channels), rows.dtype)
    points = np.arange(len(rows))
    for places, weights in corners(grid, size, mode, padding, align_corners, orders):
        total = xp.add_scaled_rows(total, rows, points, weights, places)
    return channels_first(total[:-1].astype(grad.dtype, copy=False), shape)


def channels_last(array):
    """(batch, channels, *size) as (batch * places, channels)."""
    batch, channels, *size = array.shape
    places = math.prod(size)
    return array.reshape(batch, channels, places).swapaxes(1, 2).reshape(batch * places, channels)


def channels_first(rows, shape):
    """(batch * places, channels) as `shape` (batch, channels, *size)."""
    batch, channels, *size = shape
    by_image = rows.reshape(batch, math.prod(size), channels).swapaxes(1, 2)
    return np.ascontiguousarray(by_image).reshape(shape)


def corners(grid, size, mode, padding, align_corners, orders):
    """For each pixel near a point its place, counted through the batch, and its weight: (points,) both.

    What is outside the image has the place behind the last, where no number is that a weight of zero would not undo.
    """
    points = widened(grid).reshape(-1, len(size))
    settings = mode, padding, align_corners
    # PyTorch reads images by vectors, and volumes one number after another: NaN is then outside, or at the far border.
    volume = len(size) == 3
    wider = points.dtype if volume else WIDER[points.dtype]
    taps = [
        taps_of(
            points[:, axis], size[-1 - axis], *settings, orders[axis], wider.type, size[-1 - axis] - 1 if volume else 0
        )
        for axis in reversed(range(len(size)))
    ]
    begins = np.repeat(np.arange(len(grid)), len(points) // max(len(grid), 1))
    end = len(grid) * math.prod(size)
    for chosen in product(*taps):
        places, weights, is_there = begins, 1, True
        for length, (place, weight, inside) in zip(size, chosen, strict=True):
            places, weights, is_there = places * length + place, weights * weight, is_there & inside
        yield np.where(is_there, places, end), np.where(is_there, weights, 0) if volume else weights


def taps_of(coordinates, size, mode, padding, align_corners, order, wider, of_nan):
    """(place, weight, whether it is inside) of each tap of one dimension; weights are derivatives of `order`.

    Places are multiplied in the type `wider`, and rounded once if that is wider, as vector units do it: of a point in a
    pixel's middle, the last bit decides on which of its sides the derivative is taken.
    """
    kind = coordinates.dtype.type
    scale, back = map(kind, scale_of(size, align_corners))
    at = ((coordinates + kind(1)) * wider(scale) - wider(back)).astype(kind)
    slope = scale**order
    if mode != "bicubic":  # which folds each of its taps instead, below
        at, turned = folded(at, size, padding, align_corners, of_nan)
        if order and turned is not None:
            slope = slope * turned**order
    before, polynomials = POLYNOMIALS[mode]
    first = np.rint(at) if mode == "nearest" else np.floor(at)
    distance = at - first
    taps = []
    for tap, coefficients in enumerate(polynomials, -before):
        place = first + kind(tap)
        if mode == "bicubic":
            place, _ = folded(place, size, padding, align_corners, of_nan)
        inside = (place >= 0) & (place < size)
        weight = value_at(distance, derived(coefficients, order)) * slope
        taps.append((np.where(inside, place, kind(0)).astype(np.int64), weight * inside, inside))
    return taps


def scale_of(size, align_corners):
    """How many pixels 1 is along a dimension, and how far the first pixel's middle is behind the place of -1."""
    return ((size - 1) / 2, 0.0) if align_corners else (size / 2, 0.5)


def value_at(x, coefficients):
    """A polynomial by Horner's rule."""
    value = x.dtype.type(coefficients[-1])
    for each in reversed(coefficients[:-1]):
        value = value * x + x.dtype.type(each)
    return value


def derived(coefficients, order):
    """The coefficients of a polynomial's derivative."""
    for _ in range(order):
        coefficients = [power * value for power, value in enumerate(coefficients)][1:] or [0]
    return coefficients


def folded(at, size, padding, align_corners, of_nan):
    """Places brought into an image, and the slope with which that moves them: 0 where they are held at a border.

    The slope is None where places stay as they are. NaN is brought to `of_nan`, the first place or the last.
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
    held = ~((at > 0) & (at < size - 1))
    inside = np.fmax(np.fmin(at, size - 1), 0) if of_nan else np.fmin(np.fmax(at, 0), size - 1)
    return inside, np.where(held, 0, slope)


def affine_points(size, align_corners, dtype):
    """The points of a grid that covers an image of `size` evenly, each followed by a 1: (points, rank + 1).

    >>> affine_points((1, 2), True, np.float64)
    array([[-1.,  0.,  1.],
           [ 1.,  0.,  1.]])
    """
    steps = [even_steps(length, align_corners, dtype) for length in size]
    axes = np.meshgrid(*steps, indexing="ij")
    return np.stack([*(axis.reshape(-1) for axis in reversed(axes)), np.ones(math.prod(size), dtype)], 1)


def even_steps(count, align_corners, dtype):
    """`count` places from -1 to 1: the ends among them, or the middles of as many parts; 0 if there is but one."""
    if count == 1:
        return np.zeros(1, dtype)
    kind = np.dtype(np.float64 if np.dtype(dtype).kind in "iu" else dtype)
    steps = evenly_spaced(-1, 1, count, kind)
    steps = steps if align_corners else steps * kind.type(count - 1) / kind.type(count)
    return steps.astype(dtype, copy=False)
