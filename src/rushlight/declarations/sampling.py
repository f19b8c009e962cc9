"""Reading images between their pixels at the points of a grid, and grids from affine maps.

https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.grid_sample.html
Jaderberg et al., "Spatial transformer networks", 2015.
"""

from __future__ import annotations

import math

from rushlight.arrays.meta import MetaArray
from rushlight.declarations.batches import folded, fronts, unfolded
from rushlight.declarations.checks import sampling as checks
from rushlight.declarations.declare import composite, face, linear, op
from rushlight.declarations.dtype_rules import refuse

PADDINGS = ("zeros", "border", "reflection")


@op(internal=True)
class grid_sampled:
    """`input` (N, C, *size) at points `grid` (N, *points, rank), differentiated `orders` times by each coordinate."""

    def forward(xp, input: Tensor, grid: Tensor, mode, padding, align_corners, orders):
        refuse(input, "biuc", f"grid_sampler_{len(orders)}d_cpu{'_kernel_impl' if len(orders) == 2 else ''}")
        return xp.grid_sampled(input, grid, mode, padding, align_corners, orders)

    def shape(input, grid, mode, padding, align_corners, orders):
        return MetaArray((*input.shape[:2], *grid.shape[1:-1]), input.dtype)

    def d_input(F, g, input_shape, grid, mode, padding, align_corners, orders):
        return F.grid_spread(g, grid, input_shape, mode, padding, align_corners, orders)

    def d_grid(F, g, input, grid, mode, padding, align_corners, orders):
        if mode == "nearest":  # constant around a point, for any image and gradient
            return F.new_zeros_of(grid, tuple(grid.shape))
        derivatives = [F.grid_sampled(input, grid, mode, padding, align_corners, each) for each in next_orders(orders)]
        return F.stack([F.sum(g * derivative, 1) for derivative in derivatives], -1)

    samples = lambda r: [
        (r(2, 3, 4, 5), r(2, 2, 3, 2).tanh(), mode, padding, align_corners, (0, 0))
        for mode in checks.MODES for padding in PADDINGS for align_corners in (False, True)
    ] + [
        (r(1, 2, 3, 2, 4), r(1, 2, 1, 2, 3).tanh(), mode, padding, False, (0, 0, 0))
        for mode in checks.MODES[:2] for padding in PADDINGS
    ]  # fmt: skip


face(grid_sampled, node="GridSampler2DBackward0 if input.ndim == 4 else GridSampler3DBackward0")


@op(internal=True)
class grid_spread:
    """The transpose of `grid_sampled`: `grad` (N, C, *points) brought back to an image of `shape`."""

    def forward(xp, grad: Tensor, grid: Tensor, shape, mode, padding, align_corners, orders):
        return xp.grid_spread(grad, grid, shape, mode, padding, align_corners, orders)

    def shape(grad, grid, shape, mode, padding, align_corners, orders):
        return MetaArray(shape, grad.dtype)

    def d_grad(F, g, grid, mode, padding, align_corners, orders):
        return F.grid_sampled(g, grid, mode, padding, align_corners, orders)

    def d_grid(F, g, grad, grid, mode, padding, align_corners, orders):
        derivatives = [F.grid_sampled(g, grid, mode, padding, align_corners, each) for each in next_orders(orders)]
        return F.stack([F.sum(grad * derivative, 1) for derivative in derivatives], -1)

    def batch(F, b, grad, grid, shape, mode, padding, align_corners, orders):
        grad, grid = (folded(F, each) for each in fronts(F, b, grad=grad, grid=grid))
        shape = (b.size * shape[0], *shape[1:])
        return unfolded(F, F.grid_spread(grad, grid, shape, mode, padding, align_corners, orders), b.size)

    samples = lambda r: [(r(1, 2, 2, 3), r(1, 2, 3, 2).tanh(), (1, 2, 3, 4), "bicubic", "zeros", False, (0, 0))]


face(grid_spread, node="GridSampler2DBackwardBackward0 if len(shape) == 4 else GridSampler3DBackwardBackward0")


def next_orders(orders: tuple) -> list:
    """`orders`, with one derivative more of each coordinate in turn."""
    return [(*orders[:axis], orders[axis] + 1, *orders[axis + 1 :]) for axis in range(len(orders))]


def _read(F, input, grid, interpolation_mode, padding_mode, align_corners):
    rank = input.ndim - 2
    settings = checks.MODES[interpolation_mode], PADDINGS[padding_mode], bool(align_corners)
    return F.grid_sampled(input, grid, *settings, (0,) * rank)


@composite(samples=lambda r: [(r(1, 2, 3, 4), r(1, 2, 2, 2).tanh(), 0, 0, True)])
def grid_sampler_2d(F, input, grid, interpolation_mode, padding_mode, align_corners):
    """`input` (N, C, H, W) at the points of `grid` (N, *points, 2); `grid_sample` with modes and paddings by number."""
    checks.check_points(input, grid)
    checks.check_ranks(input, grid, 4)
    return _read(F, input, grid, interpolation_mode, padding_mode, align_corners)


face(grid_sampler_2d, method=None)


@composite(samples=lambda r: [(r(1, 2, 3, 2, 4), r(1, 2, 1, 2, 3).tanh(), 0, 1, False)])
def grid_sampler_3d(F, input, grid, interpolation_mode, padding_mode, align_corners):
    """`input` (N, C, D, H, W) at the points of `grid` (N, *points, 3), with modes and paddings by number."""
    checks.check_points(input, grid)
    checks.check_ranks(input, grid, 5)
    checks.check_grid_sampler_3d_mode(interpolation_mode)
    return _read(F, input, grid, interpolation_mode, padding_mode, align_corners)


face(grid_sampler_3d, method=None)


@composite(samples=lambda r: [(r(1, 2, 3, 4), r(1, 2, 2, 2).tanh(), 2, 0, True)])
def grid_sampler(F, input, grid, interpolation_mode, padding_mode, align_corners):
    """`grid_sampler_2d` or `grid_sampler_3d`, as the input's rank has it."""
    checks.check_points(input, grid)
    checks.check_grid_sampler_ranks(input, grid)
    reader = F.grid_sampler_2d if input.ndim == 4 else F.grid_sampler_3d
    return reader(input, grid, interpolation_mode, padding_mode, align_corners)


face(grid_sampler, method=None)


# ---- grids from affine maps


@linear(internal=True)
class affine_grid:
    """`affine_grid_generator`, of arguments that go together."""

    def forward(xp, theta: Tensor, size, align_corners):
        points = xp.affine_points(tuple(size[2:]), align_corners, theta.dtype)
        return xp.matmul(points, xp.moveaxis(theta, 1, 2)).reshape((size[0], *size[2:], len(size) - 2))

    def shape(theta, size, align_corners):
        return MetaArray((size[0], *size[2:], len(size) - 2), theta.dtype)

    def d_theta(F, g, size, align_corners):
        return F.affine_grid_transposed(g, size, align_corners)

    def batch(F, b, theta, size, align_corners):
        return unfolded(F, F.affine_grid(folded(F, theta), (b.size * size[0], *size[1:]), align_corners), b.size)

    samples = lambda r: [(r(2, 2, 3), (2, 1, 2, 3), True), (r(1, 3, 4), (1, 1, 2, 1, 3), False)]


face(affine_grid, node="AffineGridGeneratorBackward0")


@linear(internal=True)
class affine_grid_transposed:
    """The transpose of `affine_grid`."""

    def forward(xp, grad: Tensor, size, align_corners):
        rank = len(size) - 2
        points = xp.affine_points(tuple(size[2:]), align_corners, grad.dtype)
        return xp.matmul(xp.moveaxis(grad.reshape((size[0], math.prod(size[2:]), rank)), 1, 2), points)

    def shape(grad, size, align_corners):
        return MetaArray((size[0], len(size) - 2, len(size) - 1), grad.dtype)

    def d_grad(F, g, size, align_corners):
        return F.affine_grid(g, size, align_corners)

    def batch(F, b, grad, size, align_corners):
        size = (b.size * size[0], *size[1:])
        return unfolded(F, F.affine_grid_transposed(folded(F, grad), size, align_corners), b.size)

    samples = lambda r: [(r(2, 2, 3, 2), (2, 1, 2, 3), True)]


@composite(samples=lambda r: [(r(2, 2, 3), (2, 1, 2, 3), True), (r(1, 3, 4), (1, 1, 2, 1, 3), False)])
def affine_grid_generator(F, theta, size, align_corners):
    """The points that the maps `theta` (N, rank, rank + 1) make of an even grid over `size` (N, C, *points)."""
    checks.check_affine(theta, size)
    return F.affine_grid(theta, tuple(size), bool(align_corners))


face(affine_grid_generator, method=None)
