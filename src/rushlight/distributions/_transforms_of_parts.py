"""Transforms of parts of a tensor: concatenated or stacked."""

from __future__ import annotations

from typing import Any

from rushlight._generated import functions as F
from rushlight.core.tensor import Tensor
from rushlight.distributions import constraints
from rushlight.distributions._transform import Transform
from rushlight.distributions.utils import _sum_rightmost, lazy_property


class _OfParts(Transform):
    """Several transforms, each applied to its part along `dim`."""

    def __init__(self, tseq: Any, dim: int, cache_size: int) -> None:
        self.transforms = list(tseq)
        if not all(isinstance(transform, Transform) for transform in self.transforms):
            raise AssertionError("All elements of tseq must be Transform instances")
        if cache_size:
            self.transforms = [transform.with_cache(cache_size) for transform in self.transforms]
        super().__init__(cache_size=cache_size)
        self.dim = dim

    def _assert_fits(self, value, length: int, text: str, name: str = "x", what: str = "tensor") -> None:
        if not -value.ndim <= self.dim < value.ndim:
            raise AssertionError(f"dim {self.dim} out of range for {what} with {value.ndim} dimensions")
        size = value.shape[self.dim]
        if size != length:
            raise AssertionError(f"{name}.size({self.dim}) = {size} must equal {text} {length}")

    def _call(self, x):
        return self._join([transform(part) for transform, part in zip(self.transforms, self._parts(x), strict=True)])

    def _inverse(self, y):
        parts = self._parts(y, "y")
        return self._join([transform.inv(part) for transform, part in zip(self.transforms, parts, strict=True)])

    def _jacobians(self, x, y):
        parts = zip(self.transforms, self._parts(x, "x", "x"), self._parts(y, "y", "y"), strict=True)
        return [transform.log_abs_det_jacobian(*pair) for transform, *pair in parts]

    @property
    def bijective(self):
        return all(transform.bijective for transform in self.transforms)


class CatTransform(_OfParts):
    """Applies the transforms `tseq` to the parts of a concatenation along `dim`, of `lengths` (default 1)."""

    def __init__(self, tseq: Any, dim: int = 0, lengths: Any = None, cache_size: int = 0) -> None:
        super().__init__(tseq, dim, cache_size)
        self.lengths = [1] * len(self.transforms) if lengths is None else list(lengths)
        if len(self.lengths) != len(self.transforms):
            raise AssertionError(f"lengths ({len(self.lengths)}) must match transforms ({len(self.transforms)})")

    def _constructor_arguments(self):
        return self.transforms, self.dim, self.lengths

    @lazy_property
    def event_dim(self):
        return max(transform.event_dim for transform in self.transforms)

    @lazy_property
    def length(self):
        """The total length of all parts."""
        return sum(self.lengths)

    def _parts(self, value, name="x", what="tensor"):
        self._assert_fits(value, self.length, "length", name, what)
        return value.split(self.lengths, self.dim)

    def _join(self, parts):
        return F.cat(parts, self.dim)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        summed = [
            _sum_rightmost(jacobian, self.event_dim - transform.event_dim)
            for transform, jacobian in zip(self.transforms, self._jacobians(x, y), strict=True)
        ]
        # The dimension in the remaining shape of x, counted from the end; in an event the parts are summed
        dim = (self.dim - x.ndim if self.dim >= 0 else self.dim) + self.event_dim
        return F.cat(summed, dim) if dim < 0 else sum(summed)  # type: ignore[return-value]

    @constraints.dependent_property
    def domain(self) -> Any:
        return constraints.cat([transform.domain for transform in self.transforms], self.dim, self.lengths)

    @constraints.dependent_property
    def codomain(self) -> Any:
        return constraints.cat([transform.codomain for transform in self.transforms], self.dim, self.lengths)


class StackTransform(_OfParts):
    """Applies the transforms `tseq` to the slices of a stack along `dim`."""

    def __init__(self, tseq: Any, dim: int = 0, cache_size: int = 0) -> None:
        super().__init__(tseq, dim, cache_size)

    def _constructor_arguments(self):
        return self.transforms, self.dim

    def _parts(self, value, name="x", what="tensor"):
        self._assert_fits(value, len(self.transforms), "len(transforms)", name, what)
        return value.unbind(self.dim)

    def _join(self, parts):
        return F.stack(parts, self.dim)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return self._join(self._jacobians(x, y))

    @constraints.dependent_property
    def domain(self) -> Any:
        return constraints.stack([transform.domain for transform in self.transforms], self.dim)

    @constraints.dependent_property
    def codomain(self) -> Any:
        return constraints.stack([transform.codomain for transform in self.transforms], self.dim)
