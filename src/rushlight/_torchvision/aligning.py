"""`roi_align` and `ps_roi_align`: what is in a region, as means of points that need not be pixels."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from rushlight._torchvision.sampling import Line, line_of


class Region(NamedTuple):
    """A region of interest: its place among the regions, its image, and its two sides."""

    number: int
    image: int
    rows: Line
    columns: Line

    @property
    def window(self) -> tuple[int, slice, slice]:
        """The pixels that it reaches: image, rows and columns."""
        rows, columns = self.rows, self.columns
        return (
            self.image,
            slice(rows.first, rows.first + rows.weights.shape[1]),
            slice(columns.first, columns.first + columns.weights.shape[1]),
        )

    @property
    def points(self) -> int:
        """How many are in a bin."""
        return self.rows.points * self.columns.points


class Bins(NamedTuple):
    """How regions are divided."""

    scale: float
    height: int
    width: int
    ratio: int
    offset: float  # that is taken from every corner
    least: float  # the least side of a region


def regions(rois: np.ndarray, bins: Bins, height: int, width: int) -> Iterator[Region]:
    """The regions `(image, x1, y1, x2, y2)` of images of some size."""
    kind = rois.dtype.type
    corners = rois[:, 1:] * kind(bins.scale) - kind(bins.offset)  # (regions, 4)
    extents = corners[:, 2:] - corners[:, :2]
    if bins.least:
        extents = np.maximum(extents, kind(bins.least))
    for number, (image, (x, y), (across, down)) in enumerate(zip(rois[:, 0], corners[:, :2], extents, strict=True)):
        rows = line_of(y, down, bins.height, bins.ratio, height)
        yield Region(number, int(image), rows, line_of(x, across, bins.width, bins.ratio, width))


def roi_align(images: np.ndarray, rois: np.ndarray, bins: Bins) -> np.ndarray:
    """The mean of the points in each bin of each region: (regions, channels, height, width)."""
    result = np.zeros((len(rois), images.shape[1], bins.height, bins.width), images.dtype)
    for region in regions(rois, bins, *images.shape[2:]):
        image, down, across = region.window
        found = region.rows.weights @ images[image, :, down, across] @ region.columns.weights.T
        result[region.number] = found / found.dtype.type(max(region.points, 1))
    return result


def roi_align_backward(g: np.ndarray, rois: np.ndarray, bins: Bins, shape: tuple[int, ...]) -> np.ndarray:
    """The gradient of the images, of `shape`."""
    result = np.zeros(shape, g.dtype)
    for region in regions(rois, bins, *shape[2:]):
        image, down, across = region.window
        found = region.rows.weights.T @ g[region.number] @ region.columns.weights
        result[image, :, down, across] += found / found.dtype.type(max(region.points, 1))
    return result


def ps_roi_align(images: np.ndarray, rois: np.ndarray, bins: Bins) -> np.ndarray:
    """The same where every bin has channels of its own. A bin without points has no mean, which is nan."""
    channels = images.shape[1] // (bins.height * bins.width)
    result = np.zeros((len(rois), channels, bins.height, bins.width), images.dtype)
    for region in regions(rois, bins, *images.shape[2:]):
        image, down, across = region.window
        seen = images[image, :, down, across]
        seen = seen.reshape(channels, bins.height, bins.width, *seen.shape[1:])
        found = np.einsum("ih,cijhw,jw->cij", region.rows.weights, seen, region.columns.weights, optimize=True)
        result[region.number] = found / found.dtype.type(region.points) if region.points else np.nan
    return result


def ps_roi_align_backward(g: np.ndarray, rois: np.ndarray, bins: Bins, shape: tuple[int, ...]) -> np.ndarray:
    """The gradient of the images, of `shape`."""
    result = np.zeros(shape, g.dtype)
    for region in regions(rois, bins, *shape[2:]):
        image, down, across = region.window
        rows, columns = region.rows.weights, region.columns.weights
        if not region.points:
            continue
        found = np.einsum("ih,cij,jw->cijhw", rows, g[region.number] / g.dtype.type(region.points), columns)
        result[image, :, down, across] += found.reshape(shape[1], rows.shape[1], columns.shape[1])
    return result
