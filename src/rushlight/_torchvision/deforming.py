"""`deform_conv2d`: a convolution whose kernel reads at positions shifted by offsets.

https://arxiv.org/abs/1703.06211, https://arxiv.org/abs/1811.11168
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class Window(NamedTuple):
    """The movement of a kernel over an image; pairs are (rows, columns)."""

    stride: tuple[int, int]
    padding: tuple[int, int]
    dilation: tuple[int, int]
    groups: int
    offset_groups: int


class Points(NamedTuple):
    """The points that the kernel reads: for each of the four pixels around a point its index, its weight, and the
    derivatives of the weight with respect to the row and the column of the point. All are (images, offset groups,
    points), four times.
    """

    indices: list[np.ndarray]
    weights: list[np.ndarray]
    by_row: list[np.ndarray]
    by_column: list[np.ndarray]


def points_of(offset: np.ndarray, kernel: tuple[int, int], image: tuple[int, int], window: Window) -> Points:
    """Returns the points of every output position, from the offsets (images, groups * 2 * kernel, rows, columns)."""
    count, _, rows, columns = offset.shape
    scalar = offset.dtype.type
    shifts = offset.reshape(count, window.offset_groups, kernel[0] * kernel[1], 2, rows, columns)
    row, column = (shifts[:, :, :, side] + start(kernel, (rows, columns), window, side, scalar) for side in (0, 1))
    row, column = (axis.reshape(count, window.offset_groups, -1) for axis in (row, column))
    height, width = image
    inside = (row > -1) & (row < height) & (column > -1) & (column < width)
    top, left = np.floor(row), np.floor(column)
    down, across = row - top, column - left
    points = Points([], [], [], [])
    for lower, right in ((0, 0), (0, 1), (1, 0), (1, 1)):
        y, x = top.astype(np.int64) + lower, left.astype(np.int64) + right
        valid = inside & (y >= 0) & (y < height) & (x >= 0) & (x < width)
        part_down, part_across = (down if lower else 1 - down), (across if right else 1 - across)
        points.indices.append(np.where(valid, y * width + x, 0))
        points.weights.append(valid * part_down * part_across)
        points.by_row.append(valid * part_across * scalar(1 if lower else -1))
        points.by_column.append(valid * part_down * scalar(1 if right else -1))
    return points


def start(kernel: tuple[int, int], size: tuple[int, int], window: Window, side: int, scalar: type) -> np.ndarray:
    """Returns the positions that the kernel reads without offsets, in rows or columns: (kernel, rows, columns)."""
    within = np.arange(kernel[side]) * window.dilation[side]
    within = np.repeat(within, kernel[1]) if side == 0 else np.tile(within, kernel[0])
    positions = np.arange(size[side]) * window.stride[side] - window.padding[side]
    positions = positions[:, None] if side == 0 else positions[None, :]
    return np.asarray(within[:, None, None] + positions, scalar)


def gathered(images: np.ndarray, points: Points, window: Window) -> list[np.ndarray]:
    """Gathers the four pixels around each point: (images, offset groups, channels of a group, points), four times."""
    count, channels = images.shape[:2]
    flat = images.reshape(count, window.offset_groups, channels // window.offset_groups, -1)
    return [np.take_along_axis(flat, indices[:, :, None, :], 3) for indices in points.indices]


def combined(pixels: list[np.ndarray], weights: list[np.ndarray]) -> np.ndarray:
    total = pixels[0] * weights[0][:, :, None, :]
    for pixel, weight in zip(pixels[1:], weights[1:], strict=True):
        total += pixel * weight[:, :, None, :]
    return total


class Convolution:
    """One call: the values that its kernel reads, as the columns of a matrix product."""

    def __init__(
        self, images: np.ndarray, weight: np.ndarray, offset: np.ndarray, mask: np.ndarray | None, window: Window
    ):
        self.images, self.weight, self.window = images, weight, window
        self.kernel = weight.shape[2:]
        self.size = offset.shape[2:]
        self.points = points_of(offset, self.kernel, images.shape[2:], window)
        self.pixels = gathered(images, self.points, window)
        self.mask = None if mask is None else mask.reshape(len(images), window.offset_groups, 1, -1)
        self.values = combined(self.pixels, self.points.weights)

    def columns(self) -> np.ndarray:
        """Returns (images, groups, channels of a group * kernel, positions)."""
        values = self.values if self.mask is None else self.values * self.mask
        return values.reshape(len(self.images), self.window.groups, -1, self.size[0] * self.size[1])

    def weights(self) -> np.ndarray:
        """Returns (groups, outputs of a group, channels of a group * kernel)."""
        return self.weight.reshape(self.window.groups, len(self.weight) // self.window.groups, -1)

    def forward(self) -> np.ndarray:
        """Returns the result: (images, outputs, rows, columns)."""
        product = self.weights() @ self.columns()  # (images, groups, outputs of a group, positions)
        return product.reshape(len(self.images), len(self.weight), *self.size)

    def backward(self, g: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray | None]:
        """Returns the gradients of images, weight, offset and mask."""
        count = len(self.images)
        g = g.reshape(count, self.window.groups, len(self.weight) // self.window.groups, -1)
        columns = self.columns()
        by_weight = np.einsum("ngop,ngkp->gok", g, columns, optimize=True).reshape(self.weight.shape)
        by_columns = (np.swapaxes(self.weights(), 1, 2) @ g).reshape(self.values.shape)
        by_mask = None
        if self.mask is not None:
            by_mask = (by_columns * self.values).sum(2).reshape(count, -1, *self.size)
            by_columns = by_columns * self.mask
        return self._by_images(by_columns), by_weight, self._by_offset(by_columns), by_mask

    def _by_images(self, g: np.ndarray) -> np.ndarray:
        """Scatters the gradient of the columns to the pixels."""
        count, groups, channels = g.shape[:3]
        pixels = self.images.shape[2] * self.images.shape[3]
        lines = count * groups * channels
        first = (np.arange(lines) * pixels).reshape(count, groups, channels, 1)
        total = np.zeros(lines * pixels, np.float64)
        for indices, weights in zip(self.points.indices, self.points.weights, strict=True):
            at = (indices[:, :, None, :] + first).reshape(-1)
            total += np.bincount(at, (g * weights[:, :, None, :]).reshape(-1), lines * pixels)
        return total.reshape(self.images.shape).astype(g.dtype)

    def _by_offset(self, g: np.ndarray) -> np.ndarray:
        """Returns the gradient with respect to the offsets of the points."""
        count, groups = g.shape[:2]
        kernel = self.kernel[0] * self.kernel[1]
        result = np.empty((count, groups, kernel, 2, *self.size), g.dtype)
        for side, slopes in enumerate((self.points.by_row, self.points.by_column)):
            result[:, :, :, side] = (
                (g * combined(self.pixels, slopes)).sum(2).reshape(count, groups, kernel, *self.size)
            )
        return result.reshape(count, -1, *self.size)
