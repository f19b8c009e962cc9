"""The Wishart distribution."""

from __future__ import annotations

import math
import warnings
from typing import Any

from rushlight._generated import functions as F
from rushlight.core.annotations import Shape, TensorOrFloat
from rushlight.core.dtype import finfo
from rushlight.core.size import Size
from rushlight.core.tensor import Tensor
from rushlight.create.from_data import tensor
from rushlight.create.random import randn
from rushlight.create.ranges import arange
from rushlight.distributions import constraints
from rushlight.distributions._factored import ONE_OF_THREE, Factored, only_matrix
from rushlight.distributions.chi2 import Chi2
from rushlight.distributions.exp_family import ExponentialFamily

__all__ = ["Wishart"]

MOST_TRIES = 10


class Wishart(Factored, ExponentialFamily):
    """The sum of `df` outer products of normal vectors with themselves; their covariance is given in one of three ways.

    Sawyer, Wishart Distributions and Inverse-Wishart Sampling, 2007.
    """

    support = constraints.positive_definite
    has_rsample = True
    _mean_carrier_measure = 0

    def __init__(
        self,
        df: TensorOrFloat,
        covariance_matrix: Tensor | None = None,
        precision_matrix: Tensor | None = None,
        scale_tril: Tensor | None = None,
        validate_args: bool | None = None,
    ) -> None:
        name, matrix = only_matrix(covariance_matrix, precision_matrix, scale_tril)
        if name is None:
            raise AssertionError(ONE_OF_THREE)
        if matrix.ndim < 2:
            raise ValueError("scale_tril must be at least two-dimensional, with optional leading batch dimensions")
        if not isinstance(df, Tensor):
            batch_shape, self.df = matrix.shape[:-2], tensor(df, dtype=matrix.dtype, device=matrix.device)
        else:
            batch_shape = F.broadcast_shapes(matrix.shape[:-2], df.shape)
            self.df = df.expand(batch_shape)
        size = matrix.shape[-1]
        if (self.df <= size - 1).any():
            raise ValueError(f"Value of df={df} expected to be greater than ndim - 1 = {size - 1}.")
        self._keep_matrix(name, matrix, batch_shape)
        if (self.df < size).any():
            warnings.warn(
                "Low df values detected. Singular samples are highly likely to occur for ndim - 1 < df < ndim.",
                stacklevel=2,
            )
        super().__init__(batch_shape, matrix.shape[-2:], validate_args=validate_args)
        self._factorize(name, matrix)
        self._dist_chi2 = self._squares_of_diagonal()

    @property
    def arg_constraints(self) -> Any:
        return {
            "covariance_matrix": constraints.positive_definite,
            "precision_matrix": constraints.positive_definite,
            "scale_tril": constraints.lower_cholesky,
            "df": constraints.greater_than(self.event_shape[-1] - 1),
        }

    def _squares_of_diagonal(self):
        steps = arange(self._event_shape[-1], dtype=self.df.dtype, device=self.df.device)
        return Chi2((self.df.unsqueeze(-1) - steps).expand((*self._batch_shape, -1)))

    def expand(self, batch_shape: Shape, _instance: Any = None) -> Any:
        new = self._get_checked_instance(Wishart, _instance)
        new.df = self.df.expand(batch_shape)
        self._expand_matrices(new, batch_shape)
        new._expanded_from(self, batch_shape)
        new._dist_chi2 = new._squares_of_diagonal()
        return new

    def _for_matrices(self, values):
        return values.reshape(values.shape + (1, 1))

    @property
    def mean(self) -> Tensor:
        return self._for_matrices(self.df) * self.covariance_matrix

    @property
    def mode(self) -> Tensor:
        factor = self.df - self._event_shape[-1] - 1
        return self._for_matrices(F.where(factor <= 0, math.nan, factor)) * self.covariance_matrix

    @property
    def variance(self) -> Tensor:
        diagonal = self.covariance_matrix.diagonal(dim1=-2, dim2=-1)
        products = diagonal.unsqueeze(-1) * diagonal.unsqueeze(-2)
        return self._for_matrices(self.df) * (self.covariance_matrix**2 + products)

    def _drawn(self, sample_shape):
        """Draws samples by Bartlett's decomposition: chi-squared variables on the diagonal, normal ones below."""
        size = self._event_shape[-1]
        diagonal = self._dist_chi2.rsample(sample_shape).sqrt()
        noise = F.diag_embed(diagonal.clamp(min=finfo(diagonal.dtype).eps))
        rows, columns = F.tril_indices(size, size, offset=-1)
        shape = (*sample_shape, *self._batch_shape, size * (size - 1) // 2)
        noise[..., rows, columns] = randn(shape, dtype=noise.dtype, device=noise.device)
        factor = self._unbroadcasted_scale_tril @ noise
        return factor @ factor.mT

    def _over_batch(self, flags):
        return flags.amax(tuple(range(-len(self._batch_shape), 0))) if self._batch_shape else flags

    def rsample(self, sample_shape: Shape = Size(), max_try_correction: int | None = None) -> Tensor:
        """Draws samples; singular ones are drawn again, up to `max_try_correction` times (default 10)."""
        sample = self._drawn(sample_shape)
        # PyTorch redraws every sample that is not singular: matching its seeds needs this second draw
        again = self._over_batch(self.support.check(sample))
        if not again.any():
            return sample
        warnings.warn("Singular sample detected.", stacklevel=2)
        for _ in range(MOST_TRIES if max_try_correction is None else max_try_correction):
            new = self._drawn(again[again].shape)
            sample[again] = new
            still = again.clone()
            still[again] = self._over_batch(~self.support.check(new))
            again = still
            if not again.any():
                break
        return sample

    def log_prob(self, value: Tensor) -> Tensor:
        self._check_value(value)
        size = self._event_shape[-1]
        relative = F.cholesky_solve(value, self._unbroadcasted_scale_tril).diagonal(dim1=-2, dim2=-1).sum(-1)
        return (
            -self.df * (size * math.log(2) / 2 + self._half_log_det)
            - F.mvlgamma(self.df / 2, size)
            + (self.df - size - 1) / 2 * F.linalg_slogdet(value)[1]
            - relative / 2
        )

    def entropy(self) -> Tensor:
        size = self._event_shape[-1]
        steps = arange(size, dtype=self.df.dtype, device=self.df.device) / 2
        digammas = F.digamma((self.df / 2).unsqueeze(-1) - steps).sum(-1)
        return (
            (size + 1) * (size * math.log(2) / 2 + self._half_log_det)
            + F.mvlgamma(self.df / 2, size)
            - (self.df - size - 1) / 2 * digammas
            + self.df * size / 2
        )

    @property
    def _natural_params(self):
        return -self.precision_matrix / 2, (self.df - self._event_shape[-1] - 1) / 2

    def _log_normalizer(self, x, y):
        size = self._event_shape[-1]
        half = y + (size + 1) / 2
        return half * (-F.linalg_slogdet(-2 * x)[1] + math.log(2) * size) + F.mvlgamma(half, size)
