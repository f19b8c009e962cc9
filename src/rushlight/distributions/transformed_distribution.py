"""Distributions of transformed samples."""

from __future__ import annotations

from typing import Any

from rushlight.autograd.grad_mode import no_grad
from rushlight.core.annotations import Shape
from rushlight.core.size import Size
from rushlight.core.tensor import Tensor
from rushlight.distributions import constraints
from rushlight.distributions.distribution import Distribution
from rushlight.distributions.independent import Independent
from rushlight.distributions.transforms import ComposeTransform, Transform
from rushlight.distributions.utils import _sum_rightmost

__all__ = ["TransformedDistribution"]


def _listed(transforms) -> list:
    if isinstance(transforms, Transform):
        return [transforms]
    if not isinstance(transforms, list):
        raise ValueError(f"transforms must be a Transform or list, but was {transforms}")
    if not all(isinstance(transform, Transform) for transform in transforms):
        raise ValueError("transforms must be a Transform or a list of Transforms")
    return transforms


class TransformedDistribution(Distribution):
    """The distribution of samples of `base_distribution` after `transforms`, one or a list, in order.

    The log density is that of the base at the inverse, minus the log Jacobian determinant.
    """

    arg_constraints: dict[str, constraints.Constraint] = {}

    def __init__(self, base_distribution: Distribution, transforms: Any, validate_args: bool | None = None) -> None:
        self.transforms = _listed(transforms)
        base_shape = base_distribution.batch_shape + base_distribution.event_shape
        composed = ComposeTransform(self.transforms)
        dims = composed.domain.event_dim
        if len(base_shape) < dims:
            raise ValueError(f"base_distribution needs to have shape with size at least {dims}, but got {base_shape}.")
        shape = composed.forward_shape(base_shape)
        needed = composed.inverse_shape(shape)
        if needed != base_shape:
            base_distribution = base_distribution.expand(_batch_of(base_distribution, needed))
        missing = dims - len(base_distribution.event_shape)
        self.base_dist: Any = Independent(base_distribution, missing) if missing > 0 else base_distribution
        # Event dimensions of the base that the transforms treat as batch remain part of the event
        changed = composed.codomain.event_dim - dims
        event_dim = max(composed.codomain.event_dim, len(self.base_dist.event_shape) + changed)
        cut = len(shape) - event_dim
        super().__init__(shape[:cut], shape[cut:], validate_args=validate_args)

    def expand(self, batch_shape: Shape, _instance: Any = None) -> Any:
        new = self._get_checked_instance(TransformedDistribution, _instance)
        new.transforms = self.transforms
        composed = ComposeTransform(self.transforms)
        shape = composed.inverse_shape(Size(batch_shape) + self.event_shape)
        new.base_dist = self.base_dist.expand(_batch_of(self.base_dist, shape))
        return new._expanded_from(self, batch_shape)

    @constraints.dependent_property(is_discrete=False)
    def support(self) -> Any:
        if not self.transforms:
            return self.base_dist.support
        support = self.transforms[-1].codomain
        missing = len(self.event_shape) - support.event_dim
        return constraints.independent(support, missing) if missing > 0 else support

    @property
    def has_rsample(self):
        return self.base_dist.has_rsample

    def _forward(self, values):
        for transform in self.transforms:
            values = transform(values)
        return values

    def sample(self, sample_shape: Shape = Size()) -> Tensor:
        with no_grad():
            return self._forward(self.base_dist.sample(sample_shape))

    def rsample(self, sample_shape: Shape = Size()) -> Tensor:
        return self._forward(self.base_dist.rsample(sample_shape))

    def log_prob(self, value: Tensor) -> Tensor:
        self._check_value(value)
        dims, result = len(self.event_shape), 0.0
        for transform in reversed(self.transforms):
            before = transform.inv(value)
            dims += transform.domain.event_dim - transform.codomain.event_dim
            change = transform.log_abs_det_jacobian(before, value)
            result = result - _sum_rightmost(change, dims - transform.domain.event_dim)
            value = before
        density = self.base_dist.log_prob(value)
        return result + _sum_rightmost(density, dims - len(self.base_dist.event_shape))

    def _falling(self, value):
        """Returns the cumulative probability `value`, or one minus it if the composed transform is decreasing."""
        sign = 1
        for transform in self.transforms:
            sign = sign * transform.sign
        return value if isinstance(sign, int) and sign == 1 else sign * (value - 0.5) + 0.5

    def cdf(self, value: Tensor) -> Tensor:
        for transform in reversed(self.transforms):
            value = transform.inv(value)
        self.base_dist._check_value(value)
        return self._falling(self.base_dist.cdf(value))

    def icdf(self, value: Tensor) -> Tensor:
        return self._forward(self.base_dist.icdf(self._falling(value)))


def _batch_of(distribution, shape):
    """Returns the batch shape for which samples of a distribution have `shape`."""
    return shape[: len(shape) - len(distribution.event_shape)]
