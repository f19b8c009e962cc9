"""Transforms of vectors and matrices: to simplices, Cholesky factors and other shapes."""

from __future__ import annotations

import math
from typing import Any

from rushlight._generated import functions as F
from rushlight.core.annotations import Shape
from rushlight.core.dtype import finfo
from rushlight.core.size import Size
from rushlight.core.tensor import Tensor
from rushlight.create.filled import eye
from rushlight.distributions import constraints
from rushlight.distributions._transform import Transform
from rushlight.distributions._transforms_elementwise import inside_unit
from rushlight.distributions.utils import tril_matrix_to_vec, vec_to_tril_matrix


def _require_dims(shape, dims: int) -> None:
    if len(shape) < dims:
        raise ValueError("Too few dimensions on input")


class ReshapeTransform(Transform):
    """Reshapes events from `in_shape` to `out_shape`.

    Raises ValueError if the numbers of elements differ.
    """

    bijective = True

    def __init__(self, in_shape: Shape, out_shape: Shape, cache_size: int = 0) -> None:
        self.in_shape, self.out_shape = Size(in_shape), Size(out_shape)
        if self.in_shape.numel() != self.out_shape.numel():
            raise ValueError("in_shape, out_shape have different numbers of elements")
        super().__init__(cache_size=cache_size)

    def _constructor_arguments(self):
        return self.in_shape, self.out_shape

    @constraints.dependent_property
    def domain(self) -> Any:
        return constraints.independent(constraints.real, len(self.in_shape))

    @constraints.dependent_property
    def codomain(self) -> Any:
        return constraints.independent(constraints.real, len(self.out_shape))

    def _call(self, x):
        return x.reshape(x.shape[: x.ndim - len(self.in_shape)] + self.out_shape)

    def _inverse(self, y):
        return y.reshape(y.shape[: y.ndim - len(self.out_shape)] + self.in_shape)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return x.new_zeros(x.shape[: x.ndim - len(self.in_shape)])

    def forward_shape(self, shape: Any) -> Any:
        return _exchanged(shape, self.in_shape, self.out_shape)

    def inverse_shape(self, shape: Any) -> Any:
        return _exchanged(shape, self.out_shape, self.in_shape)


def _exchanged(shape, old, new):
    """Replaces the last dimensions `old` of `shape` by `new`."""
    _require_dims(shape, len(old))
    cut = len(shape) - len(old)
    if shape[cut:] != old:
        raise ValueError(f"Shape mismatch: expected {shape[cut:]} but got {old}")
    return shape[:cut] + new


class SoftmaxTransform(Transform):
    """`exp(x)`, divided by its sum over the last dimension. Its inverse, `log`, is not unique."""

    domain = constraints.real_vector
    codomain = constraints.simplex

    def __eq__(self, other: Any) -> bool:
        return isinstance(other, SoftmaxTransform)

    def _call(self, x):
        weights = (x - x.max(-1, keepdim=True)[0]).exp()
        return weights / weights.sum(-1, keepdim=True)

    def _inverse(self, y):
        return y.log()

    def forward_shape(self, shape: Any) -> Any:
        _require_dims(shape, 1)
        return shape

    inverse_shape = forward_shape


class StickBreakingTransform(Transform):
    """Maps a vector to the simplex with one more dimension: each element is the fraction broken off a stick's rest.

    The zero vector maps to the center. https://mc-stan.org/docs/reference-manual/transforms.html
    """

    domain = constraints.real_vector
    codomain = constraints.simplex
    bijective = True

    def __eq__(self, other: Any) -> bool:
        return isinstance(other, StickBreakingTransform)

    @staticmethod
    def _left(x):
        """Returns for each element the number of pieces after it."""
        return x.shape[-1] + 1 - x.new_ones(x.shape[-1]).cumsum(-1)

    def _call(self, x):
        shares = inside_unit(F.sigmoid(x - self._left(x).log()))
        rests = (1 - shares).cumprod(-1)
        return F.pad(shares, [0, 1], value=1) * F.pad(rests, [1, 0], value=1)

    def _inverse(self, y):
        pieces = y[..., :-1]
        # The remainder must be positive, even if the earlier pieces are rounded to the whole stick
        rests = (1 - pieces.cumsum(-1)).clamp(min=finfo(y.dtype).tiny)
        return pieces.log() - rests.log() + self._left(pieces).log()

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        x = x - self._left(x).log()
        # d share / dx = share * (1 - share), and log(1 - sigmoid(x)) = logsigmoid(x) - x
        return (F.logsigmoid(x) - x + y[..., :-1].log()).sum(-1)

    def forward_shape(self, shape: Any) -> Any:
        _require_dims(shape, 1)
        return shape[:-1] + (shape[-1] + 1,)

    def inverse_shape(self, shape: Any) -> Any:
        _require_dims(shape, 1)
        return shape[:-1] + (shape[-1] - 1,)


class CorrCholeskyTransform(Transform):
    """Maps a vector of D * (D - 1) / 2 elements to the Cholesky factor of a D x D correlation matrix.

    The rows of the factor have length 1. Each is broken from a stick of that length; the hyperbolic tangent of an
    element is the signed fraction of the remainder.
    https://mc-stan.org/docs/reference-manual/transforms.html#cholesky-factors-of-correlation-matrices
    """

    domain = constraints.real_vector
    codomain = constraints.corr_cholesky
    bijective = True

    def _call(self, x):
        resolution = finfo(x.dtype).eps
        shares = vec_to_tril_matrix(x.tanh().clamp(min=resolution - 1, max=1 - resolution), diag=-1)
        rests = (1 - shares**2).sqrt().cumprod(-1)
        shares = shares + eye(shares.shape[-1], dtype=shares.dtype, device=shares.device)
        return shares * F.pad(rests[..., :-1], [1, 0], value=1)

    def _inverse(self, y):
        rests = F.pad((1 - (y * y).cumsum(-1))[..., :-1], [1, 0], value=1)
        shares = tril_matrix_to_vec(y, diag=-1) / tril_matrix_to_vec(rests, diag=-1).sqrt()
        return (shares.log1p() - (-shares).log1p()) / 2

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor, intermediates: Any = None) -> Tensor:
        """Returns the log Jacobian determinant for the elements below the diagonal, which determine the diagonal."""
        rests = tril_matrix_to_vec(1 - (y * y).cumsum(-1), diag=-2)
        squashed = -2 * (x + F.softplus(-2 * x) - math.log(2.0)).sum(-1)
        return 0.5 * rests.log().sum(-1) + squashed

    def forward_shape(self, shape: Any) -> Any:
        _require_dims(shape, 1)
        size = round((0.25 + 2 * shape[-1]) ** 0.5 + 0.5)
        if size * (size - 1) // 2 != shape[-1]:
            raise ValueError("Input is not a flattened lower-diagonal number")
        return shape[:-1] + (size, size)

    def inverse_shape(self, shape: Any) -> Any:
        _require_dims(shape, 2)
        if shape[-2] != shape[-1]:
            raise ValueError("Input is not square")
        return shape[:-2] + (shape[-1] * (shape[-1] - 1) // 2,)


class LowerCholeskyTransform(Transform):
    """Maps a square matrix to a lower triangular one, with `exp` applied to the diagonal."""

    domain = constraints.independent(constraints.real, 2)
    codomain = constraints.lower_cholesky

    def __eq__(self, other: Any) -> bool:
        return isinstance(other, LowerCholeskyTransform)

    def _call(self, x):
        return x.tril(-1) + F.diag_embed(x.diagonal(dim1=-2, dim2=-1).exp())

    def _inverse(self, y):
        return y.tril(-1) + F.diag_embed(y.diagonal(dim1=-2, dim2=-1).log())


class PositiveDefiniteTransform(Transform):
    """Maps a square matrix to a positive definite one, through its Cholesky factor."""

    domain = constraints.independent(constraints.real, 2)
    codomain = constraints.positive_definite

    def __eq__(self, other: Any) -> bool:
        return isinstance(other, PositiveDefiniteTransform)

    def _call(self, x):
        factor = LowerCholeskyTransform()(x)
        return factor @ factor.mT

    def _inverse(self, y):
        return LowerCholeskyTransform().inv(F.linalg_cholesky(y))
