"""`roi_pool` and `ps_roi_pool`: pool regions by maxima or means of whole pixels."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from rushlight._torchvision.sampling import rounded


class Grid(NamedTuple):
    """The division of regions into bins."""

    scale: float
    height: int
    width: int


class Bin(NamedTuple):
    """One bin of one region, with its pixels."""

    number: int  # of the region
    image: int
    row: int
    column: int
    down: slice
    across: slice

    @property
    def empty(self) -> bool:
        """Whether it has no pixels."""
        return self.down.stop <= self.down.start or self.across.stop <= self.across.start


def edges(start: np.ndarray, extent: np.ndarray, bins: int, most: int) -> tuple[np.ndarray, np.ndarray]:
    """Returns the start and end of each bin of each side, (sides, bins) each, clipped to `most`."""
    width = (extent / extent.dtype.type(bins))[:, None]
    indices = np.arange(bins, dtype=extent.dtype)
    low = np.floor(indices * width) + start[:, None]
    high = np.ceil((indices + 1) * width) + start[:, None]
    return np.clip(low, 0, most).astype(np.int64), np.clip(high, 0, most).astype(np.int64)


def bins_of(rois: np.ndarray, grid: Grid, height: int, width: int, inclusive: bool) -> Iterator[Bin]:
    """Yields the bins of regions `(image, x1, y1, x2, y2)`. With `inclusive` the last pixel of a side is included."""
    corners = rounded(rois[:, 1:] * rois.dtype.type(grid.scale))
    extents = np.maximum(corners[:, 2:] - corners[:, :2] + int(inclusive), 1)
    beyond = int(not inclusive)
    left, right = edges(corners[:, 0], extents[:, 0], grid.width, width - beyond)
    top, bottom = edges(corners[:, 1], extents[:, 1], grid.height, height - beyond)
    for number, image in enumerate(rois[:, 0]):
        for row in range(grid.height):
            down = slice(int(top[number, row]), int(bottom[number, row]))
            for column in range(grid.width):
                across = slice(int(left[number, column]), int(right[number, column]))
                yield Bin(number, int(image), row, column, down, across)


def roi_pool(images: np.ndarray, rois: np.ndarray, grid: Grid) -> tuple[np.ndarray, np.ndarray]:
    """Returns the maximum of each bin, and its index in the image; 0 and -1 for an empty bin."""
    channels, height, width = images.shape[1:]
    result = np.zeros((len(rois), channels, grid.height, grid.width), images.dtype)
    indices = np.full(result.shape, -1, np.int32)
    for part in bins_of(rois, grid, height, width, inclusive=True):
        if part.empty:
            continue
        pixels = images[part.image, :, part.down, part.across]
        across = pixels.shape[2]
        flat = pixels.reshape(channels, -1)
        best = flat.argmax(1)
        result[part.number, :, part.row, part.column] = flat[np.arange(channels), best]
        indices[part.number, :, part.row, part.column] = (part.down.start + best // across) * width + (
            part.across.start + best % across
        )
    return result, indices


def roi_pool_backward(g: np.ndarray, rois: np.ndarray, indices: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """Returns the gradient of the images: that of a bin goes to its maximum."""
    result = np.zeros((shape[0], shape[1], shape[2] * shape[3]), g.dtype)
    images = np.broadcast_to(rois[:, 0].astype(np.int64)[:, None, None, None], g.shape)
    channels = np.broadcast_to(np.arange(shape[1])[None, :, None, None], g.shape)
    valid = indices >= 0
    np.add.at(result, (images[valid], channels[valid], indices[valid]), g[valid])
    return result.reshape(shape)


def ps_roi_pool(images: np.ndarray, rois: np.ndarray, grid: Grid) -> np.ndarray:
    """Returns the mean of each bin, with separate channels per bin; 0 for an empty bin."""
    cells = grid.height * grid.width
    channels = images.shape[1] // cells
    result = np.zeros((len(rois), channels, grid.height, grid.width), images.dtype)
    for part in bins_of(rois, grid, images.shape[2], images.shape[3], inclusive=False):
        if not part.empty:
            own = slice(part.row * grid.width + part.column, None, cells)
            pixels = images[part.image, own, part.down, part.across]
            result[part.number, :, part.row, part.column] = pixels.mean((1, 2))
    return result


def ps_roi_pool_backward(g: np.ndarray, rois: np.ndarray, grid: Grid, shape: tuple[int, ...]) -> np.ndarray:
    """Returns the gradient of the images: that of a bin is divided among its pixels."""
    result = np.zeros(shape, g.dtype)
    cells = grid.height * grid.width
    for part in bins_of(rois, grid, shape[2], shape[3], inclusive=False):
        if not part.empty:
            own = slice(part.row * grid.width + part.column, None, cells)
            count = (part.down.stop - part.down.start) * (part.across.stop - part.across.start)
            share = g[part.number, :, part.row, part.column] / g.dtype.type(count)
            result[part.image, own, part.down, part.across] += share[:, None, None]
    return result
