"""`roi_align` and `ps_roi_align`: pool regions by means of interpolated points."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from rushlight._torchvision.sampling import Line, line_of


class Region(NamedTuple):
    """A region of interest: its index, its image, and its two sides."""

    number: int
    image: int
    rows: Line
    columns: Line

    @property
    def window(self) -> tuple[int, slice, slice]:
        """The pixels of the region: image, rows and columns."""
        rows, columns = self.rows, self.columns
        return (
            self.image,
            slice(rows.first, rows.first + rows.weights.shape[1]),
            slice(columns.first, columns.first + columns.weights.shape[1]),
        )

    @property
    def points(self) -> int:
        """The number of points in a bin."""
        return self.rows.points * self.columns.points


class Bins(NamedTuple):
    """The division of regions into bins."""

    scale: float
    height: int
    width: int
    ratio: int
    offset: float  # subtracted from every corner
    least: float  # the minimum side of a region


def regions(rois: np.ndarray, bins: Bins, height: int, width: int) -> Iterator[Region]:
    """Yields the regions `(image, x1, y1, x2, y2)` of images of a size."""
    scalar = rois.dtype.type
    corners = rois[:, 1:] * scalar(bins.scale) - scalar(bins.offset)  # (regions, 4)
    extents = corners[:, 2:] - corners[:, :2]
    if bins.least:
        extents = np.maximum(extents, scalar(bins.least))
    for number, (image, (x, y), (across, down)) in enumerate(zip(rois[:, 0], corners[:, :2], extents, strict=True)):
        rows = line_of(y, down, bins.height, bins.ratio, height)
        yield Region(number, int(image), rows, line_of(x, across, bins.width, bins.ratio, width))


def roi_align(images: np.ndarray, rois: np.ndarray, bins: Bins) -> np.ndarray:
    """Returns the mean of the points in each bin of each region: (regions, channels, height, width)."""
    result = np.zeros((len(rois), images.shape[1], bins.height, bins.width), images.dtype)
    for region in regions(rois, bins, *images.shape[2:]):
        image, down, across = region.window
        sums = region.rows.weights @ images[image, :, down, across] @ region.columns.weights.T
        result[region.number] = sums / sums.dtype.type(max(region.points, 1))
    return result


def roi_align_backward(g: np.ndarray, rois: np.ndarray, bins: Bins, shape: tuple[int, ...]) -> np.ndarray:
    """Returns the gradient of the images, of `shape`."""
    result = np.zeros(shape, g.dtype)
    for region in regions(rois, bins, *shape[2:]):
        image, down, across = region.window
        spread = region.rows.weights.T @ g[region.number] @ region.columns.weights
        result[image, :, down, across] += spread / spread.dtype.type(max(region.points, 1))
    return result


def ps_roi_align(images: np.ndarray, rois: np.ndarray, bins: Bins) -> np.ndarray:
    """Like `roi_align` with separate channels for every bin. The mean of a bin without points is nan."""
    channels = images.shape[1] // (bins.height * bins.width)
    result = np.zeros((len(rois), channels, bins.height, bins.width), images.dtype)
    for region in regions(rois, bins, *images.shape[2:]):
        image, down, across = region.window
        pixels = images[image, :, down, across]
        pixels = pixels.reshape(channels, bins.height, bins.width, *pixels.shape[1:])
        sums = np.einsum("ih,cijhw,jw->cij", region.rows.weights, pixels, region.columns.weights, optimize=True)
        result[region.number] = sums / sums.dtype.type(region.points) if region.points else np.nan
    return result


def ps_roi_align_backward(g: np.ndarray, rois: np.ndarray, bins: Bins, shape: tuple[int, ...]) -> np.ndarray:
    """Returns the gradient of the images, of `shape`."""
    result = np.zeros(shape, g.dtype)
    for region in regions(rois, bins, *shape[2:]):
        image, down, across = region.window
        rows, columns = region.rows.weights, region.columns.weights
        if not region.points:
            continue
        spread = np.einsum("ih,cij,jw->cijhw", rows, g[region.number] / g.dtype.type(region.points), columns)
        result[image, :, down, across] += spread.reshape(shape[1], rows.shape[1], columns.shape[1])
    return result
