"""The standard's reductions and scans.

Unlike PyTorch's they all accept several axes, `()` means no axis instead of all, and integers are summed in 64 bits of
the same signedness. https://data-apis.org/array-api/2024.12/API_specification/statistical_functions.html
"""

from __future__ import annotations

from rushlight._generated import functions as F
from rushlight.core import dtype as dtypes
from rushlight.core.dtype import FLOAT, dtype
from rushlight.core.tensor import Tensor
from rushlight.declarations.shapes import wrap_dim

Axes = int | tuple[int, ...] | None


def _dims(x: Tensor, axis: Axes) -> tuple[int, ...]:
    if axis is None:
        return tuple(range(x.ndim))
    return axis if isinstance(axis, tuple) else (axis,)


def _reduced(function, x: Tensor, axis: Axes, keepdims: bool, **options) -> Tensor:
    dims = _dims(x, axis)
    if not dims:  # PyTorch would take all axes: each element is reduced separately instead
        return function(x.unsqueeze(-1), (-1,), **options)
    return function(x, dims, keepdim=keepdims, **options)


def _added_in(x: Tensor, dtype: dtype | None) -> dtype:
    """Returns the dtype of a sum or a product of elements."""
    if dtype is not None or x.dtype.category >= FLOAT:
        return dtype or x.dtype
    return dtypes.int64 if x.dtype.is_signed or x.dtype is dtypes.bool else dtypes.uint64


def sum(x: Tensor, /, *, axis: Axes = None, dtype: dtype | None = None, keepdims: bool = False) -> Tensor:
    """Returns the sum along axes, of unsigned integers in uint64."""
    return _reduced(F.sum, x, axis, keepdims, dtype=_added_in(x, dtype))


def prod(x: Tensor, /, *, axis: Axes = None, dtype: dtype | None = None, keepdims: bool = False) -> Tensor:
    """Returns the product along axes, of unsigned integers in uint64."""
    x = x.to(_added_in(x, dtype))
    for dim in sorted((wrap_dim(axis_, x.ndim) for axis_ in _dims(x, axis)), reverse=True):
        x = F.prod(x, dim, keepdims, dtype=x.dtype)
    return x


def mean(x: Tensor, /, *, axis: Axes = None, keepdims: bool = False) -> Tensor:
    """Returns the mean along axes."""
    return _reduced(F.mean, x, axis, keepdims)


def std(x: Tensor, /, *, axis: Axes = None, correction: float = 0.0, keepdims: bool = False) -> Tensor:
    """Returns the standard deviation along axes, by default of the whole population."""
    return _reduced(F.std, x, axis, keepdims, correction=correction)


def var(x: Tensor, /, *, axis: Axes = None, correction: float = 0.0, keepdims: bool = False) -> Tensor:
    """Returns the variance along axes, by default of the whole population."""
    return _reduced(F.var, x, axis, keepdims, correction=correction)


def max(x: Tensor, /, *, axis: Axes = None, keepdims: bool = False) -> Tensor:
    """Returns the maxima along axes, without indices."""
    return _reduced(F.amax, x, axis, keepdims)


def min(x: Tensor, /, *, axis: Axes = None, keepdims: bool = False) -> Tensor:
    """Returns the minima along axes, without indices."""
    return _reduced(F.amin, x, axis, keepdims)


def all(x: Tensor, /, *, axis: Axes = None, keepdims: bool = False) -> Tensor:
    """Whether all elements along axes are nonzero, as bool also for uint8."""
    return _reduced(F.all, F.ne(x, 0), axis, keepdims)


def any(x: Tensor, /, *, axis: Axes = None, keepdims: bool = False) -> Tensor:
    """Whether any element along axes is nonzero, as bool also for uint8."""
    return _reduced(F.any, F.ne(x, 0), axis, keepdims)


def count_nonzero(x: Tensor, /, *, axis: Axes = None, keepdims: bool = False) -> Tensor:
    """Counts the nonzero elements along axes."""
    return sum(F.ne(x, 0), axis=axis, keepdims=keepdims)


def cumulative_sum(
    x: Tensor, /, *, axis: int | None = None, dtype: dtype | None = None, include_initial: bool = False
) -> Tensor:
    """Returns the cumulative sums along an axis, optional in one dimension; with 0 first if `include_initial`.

    >>> import rushlight as torch
    >>> torch.cumulative_sum(torch.tensor([1, 2, 3]), include_initial=True)
    tensor([0, 1, 3, 6])
    """
    return _scan("cumulative_sum", F.cumsum, x, axis, dtype, 0 if include_initial else None)


def cumulative_prod(
    x: Tensor, /, *, axis: int | None = None, dtype: dtype | None = None, include_initial: bool = False
) -> Tensor:
    """Returns the cumulative products along an axis, optional in one dimension; with 1 first if `include_initial`."""
    return _scan("cumulative_prod", F.cumprod, x, axis, dtype, 1 if include_initial else None)


def _scan(name: str, function, x: Tensor, axis: int | None, dtype: dtype | None, initial: int | None) -> Tensor:
    if x.ndim == 0:
        raise ValueError(f"{name}() needs an array with at least one dimension")
    if axis is None and x.ndim > 1:
        raise ValueError(f"{name}() needs an axis for an array of {x.ndim} dimensions")
    dim = axis or 0
    result = function(x, dim, dtype=_added_in(x, dtype))
    if initial is None:
        return result
    first = result.new_full([1 if i == wrap_dim(dim, x.ndim) else n for i, n in enumerate(x.shape)], initial)
    return F.cat((first, result), dim)
