"""Checks of `sampling.py`: raise what PyTorch refuses, with its messages."""

from __future__ import annotations

import math

from rushlight.arrays.size_limits import check_size_fits
from rushlight.core.dtype import BY_NUMPY, REDUCED_NUMPY
from rushlight.core.errors import noted
from rushlight.declarations.dtype_rules import raw_dtype, scalar_names, unimplemented

MODES = ("bilinear", "nearest", "bicubic")


def check_points(input, grid) -> None:
    """A point has a coordinate for each dimension of an image with something in it."""
    sizes = f"but got input with sizes {list(input.shape)} and grid with sizes {list(grid.shape)}"
    if not input.ndim or not grid.ndim or input.shape[0] != grid.shape[0]:
        raise RuntimeError(f"grid_sampler(): expected grid and input to have same batch size, {sizes}")
    if grid.shape[-1] != input.ndim - 2:
        raise noted(
            RuntimeError(
                f"grid_sampler(): expected grid to have size {input.ndim - 2} in last dimension, but got grid with "
                f"sizes {list(grid.shape)}"
            ),
            "The last dimension of a grid holds a point: x, y, and z where images have a depth.",
        )
    for dim in range(2, input.ndim):
        if input.shape[dim] == 0:
            raise RuntimeError(
                "grid_sampler(): expected input to have non-empty spatial dimensions, but input has sizes "
                f"{list(input.shape)} with dimension {dim} being empty"
            )


def check_ranks(input, grid, rank: int) -> None:
    """Images and grids have the same rank, and one dtype."""
    if not input.ndim == grid.ndim == rank:
        raise RuntimeError(
            f"grid_sampler(): expected {rank}D input and grid with same number of dimensions, but got input with sizes "
            f"{list(input.shape)} and grid with sizes {list(grid.shape)}"
        )
    if raw_dtype(input) != raw_dtype(grid):
        raise RuntimeError("expected scalar type {} but found {}".format(*scalar_names(input, grid)))


def check_affine(theta, size) -> None:
    """One map for each image of two or three dimensions."""
    if len(size) not in (4, 5):
        raise RuntimeError("AffineGridGenerator needs 4d (spatial) or 5d (volumetric) inputs.")
    kind = raw_dtype(theta)
    # One position, in the middle, has another kernel than a range.
    if kind.kind == "b" or (1 in size[2:] and kind in REDUCED_NUMPY):
        raise unimplemented("linspace_cpu" if kind.kind == "b" else "tensor_cpu")(BY_NUMPY[kind])
    rank, points = len(size) - 2, math.prod(size[2:])
    if not theta.is_meta and min(size) >= 0:
        check_size_fits((size[0], *size[2:], rank + 1), kind.itemsize)
    if theta.shape[0] != size[0] or theta.shape[2] != rank + 1:
        raise RuntimeError(
            f"Expected size for first two dimensions of batch2 tensor to be: [{size[0]}, {rank + 1}] but got: "
            f"[{theta.shape[0]}, {theta.shape[2]}]."
        )
    if theta.shape[1] != rank:
        result = theta.shape[0] * points * theta.shape[1]
        raise RuntimeError(f"shape '{[size[0], *size[2:], rank]}' is invalid for input of size {result}")


def check_grid_sampler_3d_mode(interpolation_mode) -> None:
    if interpolation_mode == MODES.index("bicubic"):
        raise RuntimeError("grid_sampler(): bicubic interpolation only supports 4D input")


def check_grid_sampler_ranks(input, grid) -> None:
    if input.ndim not in (4, 5) or input.ndim != grid.ndim:
        raise RuntimeError(
            "grid_sampler(): expected 4D or 5D input and grid with same number of dimensions, but got input with sizes "
            f"{list(input.shape)} and grid with sizes {list(grid.shape)}"
        )
