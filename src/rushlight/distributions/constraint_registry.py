"""`biject_to` and `transform_to`: from a constraint to a transform whose results satisfy it."""

from __future__ import annotations

from functools import partial
from numbers import Number
from typing import Any

from rushlight.distributions import constraints, transforms

__all__ = ["ConstraintRegistry", "biject_to", "transform_to"]


class ConstraintRegistry:
    """A registry of transforms from the real numbers to constraints; a call looks one up.

    >>> import rushlight as torch
    >>> from rushlight.distributions import constraints, transform_to
    >>> transform_to(constraints.positive)(torch.zeros(2))
    tensor([1., 1.])
    """

    def __init__(self) -> None:
        self._registry: dict[type, Any] = {}
        super().__init__()

    def register(self, constraint: Any, factory: Any = None):
        """Registers a function from constraints of a class to transforms; without `factory` it is a decorator.

        Raises TypeError if `constraint` is neither a subclass nor an instance of Constraint.
        """
        if factory is None:
            return lambda function: self.register(constraint, function)
        cls = type(constraint) if isinstance(constraint, constraints.Constraint) else constraint
        if not (isinstance(cls, type) and issubclass(cls, constraints.Constraint)):
            raise TypeError(f"Expected constraint to be either a Constraint subclass or instance, but got {cls}")
        self._registry[cls] = factory
        return factory

    def __call__(self, constraint: Any) -> Any:
        try:
            factory = self._registry[type(constraint)]
        except KeyError:
            raise NotImplementedError(f"Cannot transform {type(constraint).__name__} constraints") from None
        return factory(constraint)


biject_to = ConstraintRegistry()
transform_to = ConstraintRegistry()


def _in_both(*kinds):
    """Registers a function of a registry and a constraint in both registries."""

    def decorate(function):
        for registry in (biject_to, transform_to):
            for cls in kinds:
                registry.register(cls, partial(function, registry))
        return function

    return decorate


@_in_both(constraints.real)
def _to_real(registry, constraint):
    return transforms.identity_transform


@_in_both(constraints.independent)
def _to_independent(registry, constraint):
    return transforms.IndependentTransform(registry(constraint.base_constraint), constraint.reinterpreted_batch_ndims)


@_in_both(constraints.greater_than, constraints.greater_than_eq)
def _to_above(registry, constraint):
    return _affine_after(transforms.ExpTransform(), constraint.lower_bound, 1)


@_in_both(constraints.less_than)
def _to_below(registry, constraint):
    return _affine_after(transforms.ExpTransform(), constraint.upper_bound, -1)


@_in_both(constraints.interval, constraints.half_open_interval)
def _to_interval(registry, constraint):
    low, high = constraint.lower_bound, constraint.upper_bound
    if isinstance(low, Number) and isinstance(high, Number) and (low, high) == (0, 1):
        return transforms.SigmoidTransform()
    return _affine_after(transforms.SigmoidTransform(), low, high - low)


def _affine_after(transform, loc, scale):
    return transforms.ComposeTransform([transform, transforms.AffineTransform(loc, scale)])


@_in_both(constraints.corr_cholesky)
def _to_corr_cholesky(registry, constraint):
    return transforms.CorrCholeskyTransform()


@_in_both(constraints.cat)
def _to_cat(registry, constraint):
    parts = [registry(part) for part in constraint.cseq]
    return transforms.CatTransform(parts, constraint.dim, constraint.lengths)


@_in_both(constraints.stack)
def _to_stack(registry, constraint):
    return transforms.StackTransform([registry(part) for part in constraint.cseq], constraint.dim)


@biject_to.register(constraints.simplex)
def _one_to_one_to_simplex(constraint):
    return transforms.StickBreakingTransform()


@transform_to.register(constraints.simplex)
def _to_simplex(constraint):
    return transforms.SoftmaxTransform()


@transform_to.register(constraints.lower_cholesky)
def _to_lower_cholesky(constraint):
    return transforms.LowerCholeskyTransform()


@transform_to.register(constraints.positive_definite)
@transform_to.register(constraints.positive_semidefinite)
def _to_positive_definite(constraint):
    return transforms.PositiveDefiniteTransform()
