"""The largest and the smallest elements, and where they are.

Where several elements are extreme, `amax`, `amin` and the `max` and `min` of a whole tensor share the gradient out
evenly; `max` and `min` along a dimension give it to the element at the index that they return.
"""

from __future__ import annotations

from rushlight.core.policy import MEDIUM
from rushlight.core.tensor import Tensor
from rushlight.declarations import results
from rushlight.declarations.batches import flat
from rushlight.declarations.checks.arguments import must_be_tensor
from rushlight.declarations.checks.extreme import (
    check_aminmax,
    check_aminmax_input,
    check_aminmax_not_empty,
    check_ordered,
)
from rushlight.declarations.declare import Direct, composite, face, op
from rushlight.declarations.dtype_rules import INT64, raw_dtype, refuse
from rushlight.declarations.shapes import keepdim_shape, nonempty_axes

OVER_DIMS = lambda r: [(r.distinct(2, 3),), (r.distinct(2, 3), 1), (r.distinct(2, 3, 2), (0, -1), True), (r(), 0)]
OVER_ONE = lambda r: [(r.distinct(2, 3), 1), (r.distinct(2, 3), -2, True), (r(), 0), (r(0, 3), 1)]
WHOLE = lambda r: [(r.distinct(2, 3),), (r(),)]
POSITIONS = lambda r: [*WHOLE(r), *OVER_ONE(r), (r.distinct(2, 3), None, True)]


def shared_out(F, g, input, out, dim, input_shape):
    """The gradient of an extreme, in even parts for the elements that reach it."""
    size = keepdim_shape(input_shape, dim)
    reached = F.cast(input == F.reshape(out, size), raw_dtype(g))
    return F.reshape(g, size) * reached / F.sum(reached, dim, True)


def shared_by_all(F, g, input, out):
    """The gradient of one element of all, in even parts for those equal to it; for every NaN if it is one."""
    reached = F.cast(F.choose(out == out, input == out, input != input), raw_dtype(g))
    return g / F.sum(reached) * reached


def mean_where_reached(F, tangent, input, out, dim, keepdim, shape):
    """The tangent of an extreme: the mean of the tangents of the elements that reach it."""
    reached = F.cast(input == F.reshape(out, keepdim_shape(shape, dim)), raw_dtype(tangent))
    return F.sum(tangent * reached, dim, keepdim) / F.sum(reached, dim, keepdim)


def placed_at(F, g_values, indices, dim, keepdim, input_shape):
    """Returns zeros with a gradient at the positions of the selected elements."""
    if input_shape and not keepdim:
        g_values, indices = F.unsqueeze(g_values, dim), F.unsqueeze(indices, dim)
    return F.scatter_source(F.new_zeros_of(g_values, input_shape), dim, indices, g_values)


def taken_at(F, tangent, indices, dim, keepdim, shape):
    """Returns the tangents of the selected elements."""
    if not shape or keepdim:
        return F.gather(tangent, dim, indices)
    return F.squeeze(F.gather(tangent, dim, F.unsqueeze(indices, dim)), dim)


# ---- over any dimensions


OTHER_EXTREME = (
    "Expected the dtype for input and out to match, but got {result} for input's dtype and {out} for out's dtype."
)


@op
class amax:
    """The largest elements along `dim`; of all of them if `dim` is empty."""

    def forward(xp, input: Tensor, dim: Ints | int | None = (), keepdim=False):
        refuse(input, "c", "max_values_cpu")
        result = xp.amax(input, nonempty_axes("amax()", input.shape, dim), None, None, keepdim)
        return result if result.ndim < 2 else xp.in_planes(result)

    d_input = shared_out

    def jvp(F, input_t, input, out, dim, keepdim, input_shape):
        return mean_where_reached(F, input_t, input, out, dim, keepdim, input_shape)

    samples = OVER_DIMS


face(amax, out_same_dtype=OTHER_EXTREME)


@op
class amin:
    """The smallest elements along `dim`; of all of them if `dim` is empty."""

    def forward(xp, input: Tensor, dim: Ints | int | None = (), keepdim=False):
        refuse(input, "c", "min_values_cpu")
        result = xp.amin(input, nonempty_axes("amin()", input.shape, dim), None, None, keepdim)
        return result if result.ndim < 2 else xp.in_planes(result)

    d_input = shared_out

    def jvp(F, input_t, input, out, dim, keepdim, input_shape):
        return mean_where_reached(F, input_t, input, out, dim, keepdim, input_shape)

    samples = OVER_DIMS


face(amin, out_same_dtype=OTHER_EXTREME)


@op
class min_and_max:
    """The smallest and the largest elements along `dim`; of all of them if `dim` is None."""

    returns = "min, max"

    def forward(xp, input: Tensor, dim, keepdim):
        refuse(input, "c", "aminmax_cpu")
        check_aminmax_not_empty(input, dim)
        axes = nonempty_axes("aminmax", input.shape, dim)
        low, high = xp.amin(input, axes, None, None, keepdim), xp.amax(input, axes, None, None, keepdim)
        return xp.in_planes(low), xp.in_planes(high)

    def d_input(F, g_min, g_max, input, min, max, dim, input_shape):
        low = shared_out(F, g_min, input, min, dim, input_shape)
        return low + shared_out(F, g_max, input, max, dim, input_shape)

    def jvp(F, input_t, input, min, max, dim, keepdim, input_shape):
        return tuple(mean_where_reached(F, input_t, input, out, dim, keepdim, input_shape) for out in (min, max))

    samples = lambda r: [(r.distinct(2, 3), None, False), (r.distinct(2, 3), 1, True), (r(), 0, False)]


face(min_and_max, spaces=(), named_tuple=results.aminmax, node="AminmaxBackward0")


@composite(samples=lambda r: [(r.distinct(2, 3),), (r.distinct(2, 3), {"dim": 1, "keepdim": True}), (r(), {"dim": 0})])
def aminmax(F, input, *, dim: int = None, keepdim=False, out=None):
    """The smallest and the largest elements along `dim`; of all of them if `dim` is None."""
    check_aminmax(out)
    for each in out or ():
        check_aminmax_input(input, each)
    return F.min_and_max(input, dim, keepdim, **({} if out is None else {"out": out}))


# ---- of all elements


@op
class max_all:
    """The largest of all elements."""

    def forward(xp, input: Tensor):
        refuse(input, "c", "max_all")
        return xp.amax(input, nonempty_axes("max()", input.shape, None))

    d_input = shared_by_all

    def batch(F, b, input):
        return F.amax(flat(F, input), 1)

    samples = WHOLE


face(max_all, spaces=(), node="MaxBackward1")


@op
class min_all:
    """The smallest of all elements."""

    def forward(xp, input: Tensor):
        refuse(input, "c", "min_all")
        return xp.amin(input, nonempty_axes("min()", input.shape, None))

    d_input = shared_by_all

    def batch(F, b, input):
        return F.amin(flat(F, input), 1)

    samples = WHOLE


face(min_all, spaces=(), node="MinBackward1")


# ---- along one dimension, with their indices


@op
class max_dim:
    """The largest elements along `dim`, and their indices."""

    returns = "values, indices"

    def forward(xp, input: Tensor, dim, keepdim=False):
        check_ordered("max", input)
        return xp.extreme(input, nonempty_axes("max()", input.shape, dim, one=True), keepdim, True)

    d_input = placed_at

    def jvp(F, input_t, indices, dim, keepdim, input_shape):
        return taken_at(F, input_t, indices, dim, keepdim, input_shape), None

    shape = results.values_and_indices_along
    samples = OVER_ONE


face(max_dim, spaces=(), named_tuple=results.max, node="MaxBackward0")


@op
class min_dim:
    """The smallest elements along `dim`, and their indices."""

    returns = "values, indices"

    def forward(xp, input: Tensor, dim, keepdim=False):
        check_ordered("min", input)
        return xp.extreme(input, nonempty_axes("min()", input.shape, dim, one=True), keepdim, False)

    d_input = placed_at

    def jvp(F, input_t, indices, dim, keepdim, input_shape):
        return taken_at(F, input_t, indices, dim, keepdim, input_shape), None

    shape = results.values_and_indices_along
    samples = OVER_ONE


face(min_dim, spaces=(), named_tuple=results.min, node="MinBackward0")


def of_few(place: str, reduction: str) -> str:
    """Source of an extreme of all elements: NumPy's argmax takes a third of the time of its max."""
    return f"input_array.take(input_array.{place}()) if input_array.size < {MEDIUM} else {reduction}(input_array, None)"


def of_two(dim, other):
    """The second tensor of `max(input, other)`, if it is that."""
    return dim if isinstance(dim, Tensor) else other


@composite(samples=lambda r: [*WHOLE(r), *OVER_ONE(r), (r.distinct(2, 3), r.distinct(3))])
def max(F, input, dim: int | Tensor = None, keepdim=False, *, other=None):
    """The largest element; with `dim` the largest along it, and their indices; with `other` the larger of two."""
    second = of_two(dim, other)
    if second is not None:
        return F.maximum(input, second)
    must_be_tensor("max", input)
    return F.max_all(input) if dim is None else F.max_dim(input, dim, keepdim)


face(
    max,
    direct=(
        Direct("dim is None and other is None", "max_all", {}, of_few("argmax", "xp.amax")),
        Direct("type(dim) is int and other is None", "max_dim", {}),
    ),
    out=True,
    overlap="full",
    outs_same_dtype=True,
)


@composite(samples=lambda r: [*WHOLE(r), *OVER_ONE(r), (r.distinct(2, 3), r.distinct(3))])
def min(F, input, dim: int | Tensor = None, keepdim=False, *, other=None):
    """The smallest element; with `dim` the smallest along it, and their indices; with `other` the smaller of two."""
    second = of_two(dim, other)
    if second is not None:
        return F.minimum(input, second)
    must_be_tensor("min", input)
    return F.min_all(input) if dim is None else F.min_dim(input, dim, keepdim)


face(
    min,
    direct=(
        Direct("dim is None and other is None", "min_all", {}, of_few("argmin", "xp.amin")),
        Direct("type(dim) is int and other is None", "min_dim", {}),
    ),
    out=True,
    overlap="full",
    outs_same_dtype=True,
)


# ---- indices alone


def position_axis(name: str, input, dim):
    """The axis along which an extreme is looked for, None for all."""
    if input.dtype.kind in "bc":
        raise RuntimeError(f"{name}(): does not support {'bool' if input.dtype.kind == 'b' else 'complex'} input")
    if dim is None and not input.size:
        raise IndexError(f"{name}(): Expected reduction dim to be specified for input.numel() == 0.")
    return nonempty_axes(f"{name}()", input.shape, dim, one=True)


def positions_alone(input, dim=None, keepdim=False):
    """The shape of the indices of extremes."""
    if dim is None:
        return results.MetaArray((1,) * input.ndim if keepdim else (), INT64)
    return results.values_and_indices_along(input, dim, keepdim)[1]


@op
class argmax:
    """The index of the largest element along `dim`, the first of several; among all elements if `dim` is None."""

    def forward(xp, input: Tensor, dim: int = None, keepdim=False):
        return xp.argmax(input, position_axis("argmax", input, dim), None, keepdims=keepdim)

    shape = positions_alone
    samples = POSITIONS


face(argmax, out_same_dtype=True)


@op
class argmin:
    """The index of the smallest element along `dim`, the first of several; among all elements if `dim` is None."""

    def forward(xp, input: Tensor, dim: int = None, keepdim=False):
        return xp.argmin(input, position_axis("argmin", input, dim), None, keepdims=keepdim)

    shape = positions_alone
    samples = POSITIONS


face(argmin, out_same_dtype=True)
