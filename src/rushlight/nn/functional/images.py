"""Interpolation of images at given points, with PyTorch's checks and its warning about a changed default."""

from __future__ import annotations

import warnings

from rushlight._generated import functions
from rushlight.core.annotations import Shape
from rushlight.core.tensor import Tensor
from rushlight.declarations.checks.sampling import MODES
from rushlight.declarations.sampling import PADDINGS
from rushlight.dispatch.override import overridable

CHANGED = (
    "Default grid_sample and affine_grid behavior has changed to align_corners=False since 1.3.0. Please specify "
    "align_corners=True if the old behavior is desired. See the documentation of grid_sample for details."
)
ONE_PIXEL = (
    "Since version 1.3.0, affine_grid behavior has changed for unit-size grids when align_corners=True. This is not an "
    "intended use case of affine_grid. See the documentation of affine_grid for details."
)


@overridable
def grid_sample(
    input: Tensor,
    grid: Tensor,
    mode: str = "bilinear",
    padding_mode: str = "zeros",
    align_corners: bool | None = None,
) -> Tensor:
    """Samples images (N, C, H, W) or (N, C, D, H, W) at the points `grid` (N, *points, 2) or (N, *points, 3).

    A point is x, y (and z) from -1 to 1 across the image: from center to center of the outermost pixels with
    `align_corners`, otherwise from edge to edge. `mode` is "bilinear", "nearest" or "bicubic"; `padding_mode` for
    points outside the image is "zeros", "border" or "reflection".

    >>> import rushlight as torch
    >>> image, centre = torch.arange(4.0).view(1, 1, 2, 2), torch.zeros(1, 1, 1, 2)
    >>> torch.nn.functional.grid_sample(image, centre, align_corners=True)
    tensor([[[[1.5000]]]])
    """
    if mode not in MODES:
        raise ValueError(
            f"nn.functional.grid_sample(): expected mode to be 'bilinear', 'nearest' or 'bicubic', but got: '{mode}'"
        )
    if padding_mode not in PADDINGS:
        raise ValueError(
            "nn.functional.grid_sample(): expected padding_mode to be 'zeros', 'border', or 'reflection', but got: "
            f"'{padding_mode}'"
        )
    if align_corners is None:
        warnings.warn(CHANGED, stacklevel=2)
        align_corners = False
    return functions.grid_sampler(input, grid, MODES.index(mode), PADDINGS.index(padding_mode), align_corners)


@overridable
def affine_grid(theta: Tensor, size: Shape, align_corners: bool | None = None) -> Tensor:
    """Returns the grid with which `grid_sample` reads images of `size` (N, C, *points) through the affine maps `theta`.

    `theta` is (N, 2, 3) for images, (N, 3, 4) for volumes. Raises ValueError for others.
    """
    if align_corners is None:
        warnings.warn(CHANGED, stacklevel=2)
        align_corners = False
    if not theta.is_floating_point():
        raise ValueError(f"Expected theta to have floating point type, but got {theta.dtype}")
    if len(size) not in (4, 5):
        raise NotImplementedError(
            "affine_grid only supports 4D and 5D sizes, for 2D and 3D affine transforms, respectively. Got size "
            f"{size}."
        )
    rank = len(size) - 2
    if theta.dim() != 3 or theta.shape[-2:] != (rank, rank + 1):
        raise ValueError(
            f"Expected a batch of {rank}D affine matrices of shape Nx{rank}x{rank + 1} for size {size}. Got "
            f"{theta.shape}."
        )
    if align_corners and min(size[2:]) == 1:
        warnings.warn(ONE_PIXEL, stacklevel=2)
    if min(size) <= 0:
        raise ValueError(f"Expected non-zero, positive output size. Got {size}")
    return functions.affine_grid_generator(theta, size, align_corners)
