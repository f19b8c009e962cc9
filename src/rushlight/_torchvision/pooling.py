"""`roi_pool` and `ps_roi_pool`: what is in a region, as maxima or means of whole pixels."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from rushlight._torchvision.sampling import rounded


class Grid(NamedTuple):
    """How regions are divided."""

    scale: float
    height: int
    width: int


class Bin(NamedTuple):
    """One bin of one region, with the pixels in it."""

    number: int  # of the region
    image: int
    row: int
    column: int
    down: slice
    across: slice

    @property
    def empty(self) -> bool:
        """Whether there is no pixel in it."""
        return self.down.stop <= self.down.start or self.across.stop <= self.across.start


def edges(start: np.ndarray, extent: np.ndarray, bins: int, most: int) -> tuple[np.ndarray, np.ndarray]:
    """Where each bin of each side begins and ends, (sides, bins) each, cut off at `most`."""
    width = (extent / extent.dtype.type(bins))[:, None]
    places = np.arange(bins, dtype=extent.dtype)
    low = np.floor(places * width) + start[:, None]
    high = np.ceil((places + 1) * width) + start[:, None]
    return np.clip(low, 0, most).astype(np.int64), np.clip(high, 0, most).astype(np.int64)


def bins_of(rois: np.ndarray, grid: Grid, height: int, width: int, whole: bool) -> Iterator[Bin]:
    """The bins of regions `(image, x1, y1, x2, y2)`. `whole` counts the last pixel of a side as part of it."""
    corners = rounded(rois[:, 1:] * rois.dtype.type(grid.scale))
    extents = np.maximum(corners[:, 2:] - corners[:, :2] + int(whole), 1)
    beyond = int(not whole)
    left, right = edges(corners[:, 0], extents[:, 0], grid.width, width - beyond)
    top, bottom = edges(corners[:, 1], extents[:, 1], grid.height, height - beyond)
    for number, image in enumerate(rois[:, 0]):
        for row in range(grid.height):
            down = slice(int(top[number, row]), int(bottom[number, row]))
            for column in range(grid.width):
                across = slice(int(left[number, column]), int(right[number, column]))
                yield Bin(number, int(image), row, column, down, across)


def roi_pool(images: np.ndarray, rois: np.ndarray, grid: Grid) -> tuple[np.ndarray, np.ndarray]:
    """The greatest pixel of each bin, and its place in the image; 0 and -1 where there is none."""
    channels, height, width = images.shape[1:]
    result = np.zeros((len(rois), channels, grid.height, grid.width), images.dtype)
    places = np.full(result.shape, -1, np.int32)
    for each in bins_of(rois, grid, height, width, whole=True):
        if each.empty:
            continue
        seen = images[each.image, :, each.down, each.across]
        across = seen.shape[2]
        flat = seen.reshape(channels, -1)
        best = flat.argmax(1)
        result[each.number, :, each.row, each.column] = flat[np.arange(channels), best]
        places[each.number, :, each.row, each.column] = (each.down.start + best // across) * width + (
            each.across.start + best % across
        )
    return result, places


def roi_pool_backward(g: np.ndarray, rois: np.ndarray, places: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """The gradient of the images: each goes to the pixel that was the greatest."""
    result = np.zeros((shape[0], shape[1], shape[2] * shape[3]), g.dtype)
    images = np.broadcast_to(rois[:, 0].astype(np.int64)[:, None, None, None], g.shape)
    channels = np.broadcast_to(np.arange(shape[1])[None, :, None, None], g.shape)
    there = places >= 0
    np.add.at(result, (images[there], channels[there], places[there]), g[there])
    return result.reshape(shape)


def ps_roi_pool(images: np.ndarray, rois: np.ndarray, grid: Grid) -> np.ndarray:
    """The mean of the pixels in each bin, each of channels of its own; 0 where there is none."""
    cells = grid.height * grid.width
    channels = images.shape[1] // cells
    result = np.zeros((len(rois), channels, grid.height, grid.width), images.dtype)
    for each in bins_of(rois, grid, images.shape[2], images.shape[3], whole=False):
        if not each.empty:
            own = slice(each.row * grid.width + each.column, None, cells)
            seen = images[each.image, own, each.down, each.across]
            result[each.number, :, each.row, each.column] = seen.mean((1, 2))
    return result


def ps_roi_pool_backward(g: np.ndarray, rois: np.ndarray, grid: Grid, shape: tuple[int, ...]) -> np.ndarray:
    """The gradient of the images: each pixel of a bin has the same share."""
    result = np.zeros(shape, g.dtype)
    cells = grid.height * grid.width
    for each in bins_of(rois, grid, shape[2], shape[3], whole=False):
        if not each.empty:
            own = slice(each.row * grid.width + each.column, None, cells)
            count = (each.down.stop - each.down.start) * (each.across.stop - each.across.start)
            share = g[each.number, :, each.row, each.column] / g.dtype.type(count)
            result[each.image, own, each.down, each.across] += share[:, None, None]
    return result
