"""`torch.distributions.constraints`: sets of valid parameters and samples."""

from __future__ import annotations

from typing import Any

from rushlight._generated import functions as F
from rushlight.core.dtype import bool as boolean_dtype
from rushlight.core.dtype import finfo
from rushlight.core.tensor import Tensor
from rushlight.create.filled import full

__all__ = [
    "Constraint", "MixtureSameFamilyConstraint", "boolean", "cat", "corr_cholesky", "dependent", "dependent_property",
    "greater_than", "greater_than_eq", "half_open_interval", "independent", "integer_interval", "interval",
    "is_dependent", "less_than", "lower_cholesky", "lower_triangular", "multinomial", "nonnegative",
    "nonnegative_integer", "one_hot", "positive", "positive_definite", "positive_integer", "positive_semidefinite",
    "real", "real_vector", "simplex", "square", "stack", "symmetric", "unit_interval",
]  # fmt: skip


class Constraint:
    """A set of valid values. Its points have `event_dim` dimensions; `is_discrete` says whether they are isolated."""

    is_discrete = False
    event_dim = 0

    def check(self, value: Tensor) -> Tensor:
        """Returns whether each point is valid, as a tensor of bools without the event dimensions."""
        raise NotImplementedError

    def __repr__(self) -> str:
        return f"{type(self).__name__[1:]}({self._described()})"  # class names begin with an underscore

    def _described(self) -> str:
        return ""


class _Above(Constraint):
    def __init__(self, lower_bound: Any) -> None:
        self.lower_bound = lower_bound

    def _described(self):
        return f"lower_bound={self.lower_bound}"


class _Below(Constraint):
    def __init__(self, upper_bound: Any) -> None:
        self.upper_bound = upper_bound

    def _described(self):
        return f"upper_bound={self.upper_bound}"


class _Between(Constraint):
    def __init__(self, lower_bound: Any, upper_bound: Any) -> None:
        self.lower_bound, self.upper_bound = lower_bound, upper_bound

    def _described(self):
        return f"lower_bound={self.lower_bound}, upper_bound={self.upper_bound}"


# ---- constraints that depend on other parameters


class _Dependent(Constraint):
    """A constraint that needs an instance to be checked: the support depends on other parameters."""

    def __init__(self, *, is_discrete: bool = NotImplemented, event_dim: int = NotImplemented) -> None:
        self._is_discrete, self._event_dim = is_discrete, event_dim

    def _known(self, name):
        value = getattr(self, f"_{name}")
        if value is NotImplemented:
            raise NotImplementedError(f".{name} cannot be determined statically")
        return value

    @property
    def is_discrete(self):
        return self._known("is_discrete")

    @property
    def event_dim(self):
        return self._known("event_dim")

    def __call__(self, *, is_discrete: bool = NotImplemented, event_dim: int = NotImplemented) -> _Dependent:
        """Returns the constraint with more properties: `constraints.dependent(event_dim=1)`."""
        return _Dependent(
            is_discrete=self._is_discrete if is_discrete is NotImplemented else is_discrete,
            event_dim=self._event_dim if event_dim is NotImplemented else event_dim,
        )

    def check(self, x: Tensor) -> Tensor:
        raise ValueError("Cannot determine validity of dependent constraint")


class _DependentProperty(property, _Dependent):
    """A property of instances that is a dependent constraint of the class."""

    def __init__(self, fn: Any = None, *, is_discrete: bool = NotImplemented, event_dim: int = NotImplemented) -> None:
        property.__init__(self, fn)
        _Dependent.__init__(self, is_discrete=is_discrete, event_dim=event_dim)

    def __call__(self, fn: Any) -> Any:  # type: ignore[override]
        """Applies the decorator with arguments: `@constraints.dependent_property(event_dim=1)`."""
        return _DependentProperty(fn, is_discrete=self._is_discrete, event_dim=self._event_dim)


def is_dependent(constraint: Any) -> bool:
    """Whether a constraint cannot be checked without an instance.

    >>> from rushlight.distributions import constraints
    >>> constraints.is_dependent(constraints.dependent), constraints.is_dependent(constraints.real)
    (True, False)
    """
    return isinstance(constraint, _Dependent)


# ---- composed constraints


def _assert_constraint(constraint) -> None:
    if not isinstance(constraint, Constraint):
        raise AssertionError(f"base_constraint must be a Constraint, got {type(constraint).__name__}")


def _over_last(valid, dims: int):
    """Returns whether all values along the last `dims` dimensions are valid."""
    if dims == 1:
        return valid.all(-1)
    return valid.reshape(valid.shape[: valid.ndim - dims] + (-1,)).all(-1)


class _OfBase(Constraint):
    """A constraint based on another one with other points."""

    def __init__(self, base_constraint: Any) -> None:
        _assert_constraint(base_constraint)
        self.base_constraint = base_constraint

    @property
    def is_discrete(self):
        return self.base_constraint.is_discrete

    @property
    def event_dim(self):
        return self.base_constraint.event_dim

    def _described(self):
        return repr(self.base_constraint)


class _IndependentConstraint(_OfBase):
    """A constraint whose points have `reinterpreted_batch_ndims` more dimensions than those of its base."""

    def __init__(self, base_constraint: Any, reinterpreted_batch_ndims: int) -> None:
        super().__init__(base_constraint)
        if not isinstance(reinterpreted_batch_ndims, int):
            type_name = type(reinterpreted_batch_ndims).__name__
            raise AssertionError(f"reinterpreted_batch_ndims must be an int, got {type_name}")
        if reinterpreted_batch_ndims < 0:
            raise AssertionError(f"reinterpreted_batch_ndims must be >= 0, got {reinterpreted_batch_ndims}")
        self.reinterpreted_batch_ndims = reinterpreted_batch_ndims

    @property
    def event_dim(self):
        return self.base_constraint.event_dim + self.reinterpreted_batch_ndims

    def check(self, value: Tensor) -> Tensor:
        valid = self.base_constraint.check(value)
        if valid.ndim < self.reinterpreted_batch_ndims:
            raise ValueError(f"Expected value.dim() >= {self.event_dim} but got {value.ndim}")
        return _over_last(valid, self.reinterpreted_batch_ndims)

    def _described(self):
        return f"{self.base_constraint!r}, {self.reinterpreted_batch_ndims}"


class MixtureSameFamilyConstraint(_OfBase):
    """The support of a mixture: that of its components, which have one more batch dimension."""

    def check(self, value: Tensor) -> Tensor:
        valid = self.base_constraint.check(value.unsqueeze(-1 - self.event_dim))
        if value.ndim < self.event_dim:
            raise ValueError(f"Expected value.dim() >= {self.event_dim} but got {value.ndim}")
        return _over_last(valid, valid.ndim - (value.ndim - self.event_dim))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._described()})"


class _OfParts(Constraint):
    """Several constraints, each for its part of a dimension."""

    def __init__(self, cseq: Any, dim: int) -> None:
        self.cseq = list(cseq)
        if not all(isinstance(part, Constraint) for part in self.cseq):
            raise AssertionError("All elements of cseq must be Constraint instances")
        self.dim = dim

    @property
    def is_discrete(self):
        return any(part.is_discrete for part in self.cseq)

    @property
    def event_dim(self):
        return max(part.event_dim for part in self.cseq)

    def _assert_dim(self, value):
        if not -value.ndim <= self.dim < value.ndim:
            raise AssertionError(f"dim {self.dim} out of range for value with {value.ndim} dimensions")


class _Cat(_OfParts):
    """Constraints of the parts, of `lengths`, of a concatenation."""

    def __init__(self, cseq: Any, dim: int = 0, lengths: Any = None) -> None:
        super().__init__(cseq, dim)
        self.lengths = [1] * len(self.cseq) if lengths is None else list(lengths)
        if len(self.lengths) != len(self.cseq):
            raise AssertionError(f"lengths ({len(self.lengths)}) must match cseq ({len(self.cseq)})")

    def check(self, value: Tensor) -> Tensor:
        self._assert_dim(value)
        starts = [sum(self.lengths[:index]) for index in range(len(self.lengths))]
        parts = zip(self.cseq, starts, self.lengths, strict=True)
        return F.cat([part.check(value.narrow(self.dim, start, length)) for part, start, length in parts], self.dim)


class _Stack(_OfParts):
    """Constraints of the slices of a stack."""

    def __init__(self, cseq: Any, dim: int = 0) -> None:
        super().__init__(cseq, dim)

    @property
    def event_dim(self):
        dim = max(part.event_dim for part in self.cseq)
        return dim + (self.dim + dim < 0)

    def check(self, value: Tensor) -> Tensor:
        self._assert_dim(value)
        return F.stack(
            [constraint.check(part) for part, constraint in zip(value.unbind(self.dim), self.cseq, strict=False)],
            self.dim,
        )


# ---- numbers


class _Boolean(Constraint):
    is_discrete = True

    def check(self, value):
        return (value == 0) | (value == 1)


class _Real(Constraint):
    def check(self, value):
        return value == value  # false for nan


class _GreaterThan(_Above):
    def check(self, value: Tensor) -> Tensor:
        return value > self.lower_bound


class _GreaterThanEq(_Above):
    def check(self, value: Tensor) -> Tensor:
        return value >= self.lower_bound


class _LessThan(_Below):
    def check(self, value: Tensor) -> Tensor:
        return value < self.upper_bound


class _Interval(_Between):
    def check(self, value: Tensor) -> Tensor:
        return (value >= self.lower_bound) & (value <= self.upper_bound)


class _HalfOpenInterval(_Between):
    def check(self, value: Tensor) -> Tensor:
        return (value >= self.lower_bound) & (value < self.upper_bound)


def _whole(value):
    return value % 1 == 0


class _IntegerInterval(_Between):
    is_discrete = True

    def check(self, value: Tensor) -> Tensor:
        inside = (value >= self.lower_bound) & (value <= self.upper_bound)
        return inside & _whole(value) if value.is_floating_point() else inside


class _IntegerGreaterThan(_Above):
    is_discrete = True

    def check(self, value):
        return _whole(value) & (value >= self.lower_bound)


# ---- vectors


class _OneHot(Constraint):
    is_discrete = True
    event_dim = 1

    def check(self, value):
        return boolean.check(value).all(-1) & (value.sum(-1) == 1)


class _Simplex(Constraint):
    event_dim = 1

    def check(self, value):
        return (value >= 0).all(-1) & ((value.sum(-1) - 1).abs() < 1e-6)


class _Multinomial(_Below):
    """Counts that sum to at most `upper_bound`, which may differ within a batch."""

    is_discrete = True
    event_dim = 1

    def check(self, x: Tensor) -> Tensor:
        return (x >= 0).all(-1) & (x.sum(-1) <= self.upper_bound)

    def _described(self):
        return ""


# ---- matrices


class _LowerTriangular(Constraint):
    event_dim = 2

    def check(self, value):
        return _over_last(value.tril() == value, 2)


class _LowerCholesky(_LowerTriangular):
    """Lower triangular matrices with a positive diagonal."""

    def check(self, value):
        return super().check(value) & (value.diagonal(dim1=-2, dim2=-1) > 0).all(-1)


class _CorrCholesky(_LowerCholesky):
    """Cholesky factors of correlation matrices: their rows have length 1."""

    def check(self, value):
        tolerance = 10 * finfo(value.dtype).eps * value.shape[-1]
        lengths = F.linalg_vector_norm(value.detach(), dim=-1)
        return super().check(value) & ((lengths - 1.0).abs() <= tolerance).all(-1)


class _Square(Constraint):
    event_dim = 2

    def check(self, value):
        is_square = value.shape[-2] == value.shape[-1]
        return full(value.shape[:-2], is_square, dtype=boolean_dtype, device=value.device)


class _Symmetric(_Square):
    def check(self, value):
        valid = super().check(value)
        return F.isclose(value, value.mT, atol=1e-6).all(-2).all(-1) if valid.all() else valid


class _PositiveSemidefinite(_Symmetric):
    def check(self, value):
        valid = super().check(value)
        return (F.linalg_eigvalsh(value) >= 0).all(-1) if valid.all() else valid


class _PositiveDefinite(_Symmetric):
    def check(self, value):
        valid = super().check(value)
        return F.linalg_cholesky_ex(value)[1] == 0 if valid.all() else valid


dependent = _Dependent()
dependent_property = _DependentProperty
independent = _IndependentConstraint
cat = _Cat
stack = _Stack
boolean = _Boolean()
real = _Real()
positive = _GreaterThan(0.0)
nonnegative = _GreaterThanEq(0.0)
greater_than = _GreaterThan
greater_than_eq = _GreaterThanEq
less_than = _LessThan
unit_interval = _Interval(0.0, 1.0)
interval = _Interval
half_open_interval = _HalfOpenInterval
integer_interval = _IntegerInterval
nonnegative_integer = _IntegerGreaterThan(0)
positive_integer = _IntegerGreaterThan(1)
real_vector = independent(real, 1)
one_hot = _OneHot()
simplex = _Simplex()
multinomial = _Multinomial
lower_triangular = _LowerTriangular()
lower_cholesky = _LowerCholesky()
corr_cholesky = _CorrCholesky()
square = _Square()
symmetric = _Symmetric()
positive_semidefinite = _PositiveSemidefinite()
positive_definite = _PositiveDefinite()
