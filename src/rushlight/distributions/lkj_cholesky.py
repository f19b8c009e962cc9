"""The LKJ distribution of correlation matrices (Lewandowski, Kurowicka and Joe)."""

from __future__ import annotations

import math
from typing import Any

from rushlight._generated import functions as F
from rushlight.core.annotations import Shape, TensorOrFloat
from rushlight.core.dtype import finfo
from rushlight.core.size import Size
from rushlight.core.tensor import Tensor
from rushlight.create.random import randn
from rushlight.create.ranges import arange
from rushlight.distributions import constraints
from rushlight.distributions.beta import Beta
from rushlight.distributions.distribution import Distribution
from rushlight.distributions.utils import broadcast_all

__all__ = ["LKJCholesky"]


class LKJCholesky(Distribution):
    """Cholesky factors of `dim` x `dim` correlation matrices with density `det ** (concentration - 1)`, normalized.

    Lewandowski, Kurowicka and Joe, Generating random correlation matrices based on vines and extended onion method,
    Journal of Multivariate Analysis 100, 2009. Raises ValueError for a `dim` below 2.
    """

    arg_constraints = {"concentration": constraints.positive}
    support = constraints.corr_cholesky

    def __init__(self, dim: int, concentration: TensorOrFloat = 1.0, validate_args: bool | None = None) -> None:
        if dim < 2:
            raise ValueError(f"Expected dim to be an integer greater than or equal to 2. Found dim={dim}.")
        self.dim = dim
        (self.concentration,) = broadcast_all(concentration)
        # The squared lengths of the rows below the diagonal: section 3.2
        rows = arange(dim - 1, dtype=self.concentration.dtype, device=self.concentration.device)
        rows = F.cat([rows.new_zeros(1), rows])
        marginal = (self.concentration + 0.5 * (dim - 2)).unsqueeze(-1)
        self._beta = Beta(rows + 0.5, marginal - 0.5 * rows)
        super().__init__(self.concentration.shape, Size((dim, dim)), validate_args=validate_args)

    def expand(self, batch_shape: Shape, _instance: Any = None) -> Any:
        new = self._get_checked_instance(LKJCholesky, _instance)
        new.dim = self.dim
        new.concentration = self.concentration.expand(batch_shape)
        new._beta = self._beta.expand((*batch_shape, self.dim))
        return new._expanded_from(self, batch_shape)

    def sample(self, sample_shape: Shape = Size()) -> Tensor:
        squared = self._beta.sample(sample_shape).unsqueeze(-1)  # (..., row, 1)
        shape = self._extended_shape(sample_shape)
        normal = randn(shape, dtype=squared.dtype, device=squared.device).tril(-1)
        directions = normal / normal.norm(dim=-1, keepdim=True)
        directions[..., 0, :] = 0.0  # the first row has no elements there, so no direction
        below = squared.sqrt() * directions
        diagonal = (1 - (below**2).sum(-1)).clamp(min=finfo(below.dtype).tiny).sqrt()
        return below + F.diag_embed(diagonal)

    def log_prob(self, value: Tensor) -> Tensor:
        self._check_value(value)
        # Each diagonal element to the power 2 * (concentration - 1) from the determinant, and dim - row from the
        # Jacobian: https://mc-stan.org/docs/functions-reference/correlation_matrix_distributions.html
        rows = arange(2, self.dim + 1, device=self.concentration.device)
        powers = 2 * (self.concentration - 1).unsqueeze(-1) + self.dim - rows
        weight = (powers * value.diagonal(dim1=-1, dim2=-2)[..., 1:].log()).sum(-1)
        # Page 1999 of the article
        below = self.dim - 1
        alpha = self.concentration + 0.5 * below
        normalizer = 0.5 * below * math.log(math.pi) + F.mvlgamma(alpha - 0.5, below) - F.lgamma(alpha) * below
        return weight - normalizer
