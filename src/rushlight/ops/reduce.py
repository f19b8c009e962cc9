"""Reductions over some or all dimensions."""

from __future__ import annotations

from rushlight.ops.declare import linear
from rushlight.ops.kinds import accumulated, numpy_of
from rushlight.ops.shapes import dims, kept


@linear
class sum:
    """The sum of the elements along `dim`; of all of them if `dim` is None."""

    def forward(xp, input: Tensor, dim=None, keepdim=False, *, dtype=None):
        return xp.sum(input, dims(dim, input.ndim), numpy_of(dtype) or accumulated(input), None, keepdim)

    def d_input(F, g, input_shape, dim):
        return F.expand(F.reshape(g, kept(input_shape, dim)), input_shape)

    node = "SumBackward0 if dim is None else SumBackward1"
    samples = lambda r: [(r(2, 3),), (r(2, 3), 1), (r(2, 3), (0, -1), True), (r(),), (r(0, 3), 0)]


@linear(spaces=(), out=False)
class sum_to_size_of:
    """The sum over the dimensions along which `shape` would have to be expanded."""

    def forward(xp, input: Tensor, shape):
        extra = input.ndim - len(shape)
        axes = tuple(range(extra)) + tuple(
            extra + i for i, length in enumerate(shape) if length == 1 and input.shape[extra + i] != 1
        )
        return xp.reshape(xp.sum(input, axes), shape)

    def d_input(F, g, input_shape):
        return F.expand(g, input_shape)

    samples = lambda r: [(r(2, 3), (3,)), (r(2, 3), (2, 1)), (r(2, 3), ())]
