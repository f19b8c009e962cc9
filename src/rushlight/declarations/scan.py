"""Running reductions along one dimension, differences, and integrals of sampled functions."""

from __future__ import annotations

import math

from rushlight.core.dtype import BOOL
from rushlight.core.tensor import Tensor
from rushlight.declarations import results
from rushlight.declarations.checks.arguments import check_concatenated, check_gradient, check_spacing, refuse_bools
from rushlight.declarations.checks.scan import check_diff, check_trapezoid_rank
from rushlight.declarations.declare import composite, face, linear, multilinear, op
from rushlight.declarations.dtype_rules import cast_to, refuse, sum_dtype, unimplemented
from rushlight.declarations.promote import result_type
from rushlight.declarations.shapes import axis_of, wrap_dim

ALONG_DIM = lambda r: [(r(2, 3), 1), (r(2, 3), 0), (r(4), -1), (r(), 0), (r(0, 3), 0), (r(2, 0), 1)]
DISTINCT = lambda r: [(r.distinct(2, 4), 1), (r.distinct(2, 3), 0), (r(), 0), (r(0, 3), 0)]

# ---- sums and products


def summed(xp, input, dtype, name: str):
    """Returns the input in the dtype of a running sum or product. Raises for bool."""
    if dtype is not None and dtype.category == BOOL:
        raise unimplemented(f"{name}_out_cpu")(dtype)
    return cast_to(xp, input, dtype)


def accumulated_alike(input, dim, *, dtype=None):
    """The shape and dtype of a running sum or product."""
    return results.like(input, sum_dtype(input) if dtype is None else dtype.numpy)


@linear
class cumsum:
    """The sum of all elements up to each, along `dim`."""

    def forward(xp, input: Tensor, dim, *, dtype=None):
        input = summed(xp, input, dtype, "cumsum")
        return xp.running_sum(input, wrap_dim(dim, input.ndim), sum_dtype(input, dtype))

    def d_input(F, g, dim):
        return F.flip(F.cumsum(F.flip(g, (dim,)), dim), (dim,))

    shape = accumulated_alike
    samples = ALONG_DIM


face(cumsum, method_positional=("dtype",), overlap="full", computes_in_out_dtype=True, inplace=True)


@op
class cumprod:
    """The product of all elements up to each, along `dim`."""

    def forward(xp, input: Tensor, dim, *, dtype=None):
        input = summed(xp, input, dtype, "cumprod")
        return xp.running_product(input, wrap_dim(dim, input.ndim), sum_dtype(input, dtype))

    def d_input(F, g, input, out, dim):
        # (product before) * (gradients from here on, each times the products between): correct for zeros
        before, after = F.shifted(out, dim, 1, 1), F.shifted(input, dim, -1, 0)
        return F.conj(before) * F.recurrence(g, F.conj(after), dim, True)

    def jvp(F, input_t, input, out, dim):
        return F.recurrence(input_t * F.shifted(out, dim, 1, 1), input, dim)

    shape = accumulated_alike
    samples = ALONG_DIM


face(cumprod, method_positional=("dtype",), overlap="full", computes_in_out_dtype=True, inplace=True)


@multilinear(internal=True)
class recurrence:
    """`out[i] = input[i] + factor[i] * out[i - 1]` along `dim`; with `out[i + 1]` instead if it runs `backwards`."""

    def forward(xp, input: Tensor, factor: Tensor, dim, backwards=False):
        return xp.recurrence(input, factor, wrap_dim(dim, input.ndim), backwards)

    def d_input(F, g, factor, dim, backwards):
        return F.recurrence(g, F.conj(F.shifted(factor, dim, 1 if backwards else -1, 0)), dim, not backwards)

    def d_factor(F, g, factor, out, dim, backwards):
        step = -1 if backwards else 1
        carried = F.recurrence(g, F.conj(F.shifted(factor, dim, -step, 0)), dim, not backwards)
        return carried * F.conj(F.shifted(out, dim, step, 0))

    def jvp(F, input_t, factor_t, factor, out, dim, backwards):
        if factor_t is not None:
            term = factor_t * F.shifted(out, dim, -1 if backwards else 1, 0)
            input_t = term if input_t is None else input_t + term
        return F.recurrence(input_t, factor, dim, backwards)

    samples = lambda r: [(r(2, 4), r(2, 4), 1), (r(3, 2), r(3, 2), 0, True), (r(), r(), 0)]


@linear(internal=True)
class shifted:
    """The elements `step` places further along `dim`, with `fill` at the positions that become free."""

    def forward(xp, input: Tensor, dim, step, fill):
        return xp.shifted(input, wrap_dim(dim, input.ndim), step, fill)

    def d_input(F, g, dim, step):
        return F.shifted(g, dim, -step, 0)

    samples = lambda r: [(r(2, 3), 1, 1, 1), (r(2, 3), 0, -1, 0), (r(), 0, 1, 1)]


@op
class logcumsumexp:
    """The logarithm of the sum of the exponentials of all elements up to each, along `dim`."""

    def forward(xp, input: Tensor, dim):
        refuse(input, "biu", "logcumsumexp_out_cpu")
        return xp.running_logsumexp(input, wrap_dim(dim, input.ndim))

    def d_input(F, g, input, out, dim):
        # Only differences of logarithms are exponentiated, and none of those is positive.
        carried = F.recurrence(g, F.conj(F.exp(out - F.shifted(out, dim, -1, math.inf))), dim, True)
        return F.conj(F.exp(input - out)) * carried

    def jvp(F, input_t, input, out, dim):
        kept = F.exp(F.shifted(out, dim, 1, -math.inf) - out)
        return F.recurrence(input_t * F.exp(input - out), kept, dim)

    shape = lambda input, dim: results.like(input)
    samples = ALONG_DIM


face(logcumsumexp, overlap="full", out_same_dtype="expected scalar_type {result} but found {out}")


# ---- extremes


def where_reached(F, g_values, indices, dim, input_shape):
    """The gradients of running extremes, added up at the elements that were the extremes."""
    return F.scatter_add(F.new_zeros_of(g_values, input_shape), dim, indices, g_values)


@op
class cummax:
    """The largest of all elements up to each along `dim`, and their indices: the last of several."""

    returns = "values, indices"

    def forward(xp, input: Tensor, dim):
        refuse(input, "c", "cummax_cpu")
        return xp.running_extreme(input, wrap_dim(dim, input.ndim), True)

    d_input = where_reached

    def jvp(F, input_t, indices, dim):
        return F.gather(input_t, dim, indices), None

    shape = lambda input, dim: results.values_and_indices(input)
    samples = DISTINCT


face(cummax, out_same_dtype="expected scalar_type {result} but found {out}", named_tuple=results.cummax)


@op
class cummin:
    """The smallest of all elements up to each along `dim`, and their indices: the last of several."""

    returns = "values, indices"

    def forward(xp, input: Tensor, dim):
        refuse(input, "c", "cummin_cpu")
        return xp.running_extreme(input, wrap_dim(dim, input.ndim), False)

    d_input = where_reached

    def jvp(F, input_t, indices, dim):
        return F.gather(input_t, dim, indices), None

    shape = lambda input, dim: results.values_and_indices(input)
    samples = DISTINCT


face(cummin, out_same_dtype="expected scalar_type {result} but found {out}", named_tuple=results.cummin)


# ---- differences


def neighbours(F, input, dim: int) -> tuple:
    """All elements but the last, and all but the first, along `dim`: none of none."""
    length = max(input.shape[dim] - 1, 0)
    return F.narrow(input, dim, 0, length), F.narrow(input, dim, input.shape[dim] - length, length)


DIFFERENCES = lambda r: [(r(2, 4),), (r(2, 4), 2, 0), (r(4), 9), (r(2, 3), 1, -1, r(2, 1), r(2, 2)), (r(0, 3), 1, 0)]


@composite(samples=DIFFERENCES)
def diff(F, input, n=1, dim=-1, prepend=None, append=None):
    """The `n`-th differences of neighbours along `dim`, of `input` with `prepend` before and `append` after it."""
    check_diff(input, n)
    dim = wrap_dim(dim, input.ndim)
    check_concatenated(input, [prepend, append], dim)
    if not n:
        return F.clone(input)
    parts = [each for each in (prepend, input, append) if each is not None]
    input = F.cat(parts, dim) if len(parts) > 1 else input
    for _ in range(min(n, input.shape[dim])):
        first, second = neighbours(F, input, dim)
        input = F.logical_xor(second, first) if second.dtype.category == BOOL else second - first
    return input


face(diff, out=True)


# ---- integrals


def widths(F, y, x, dim: int, name: str):
    """The distances between the sample points `x`, shaped to go with the elements of `y` between them."""
    if x.ndim == 1:
        if x.shape[0] != y.shape[dim]:
            raise RuntimeError(f"{name}: There must be one `x` value for each sample point")
        x = F.reshape(x, (-1,) + (1,) * (y.ndim - 1 - dim))
    x = F.reshape(x, (1,) * (y.ndim - x.ndim) + tuple(x.shape))
    first, second = neighbours(F, x, dim)
    return second - first


def areas(F, y, x, dx, dim: int, name: str):
    """Twice the area under each piece of a sampled function; without their width if that is the number `dx`."""
    refuse_bools(name, y, x)
    first, second = neighbours(F, y, dim)
    return first + second if x is None else (first + second) * widths(F, y, x, dim, name)


INTEGRALS = lambda r: [(r(2, 4),), (r(4, 2), {"dim": 0, "dx": 0.5}), (r(2, 3), r(3)), (r(2, 3), r(2, 3)), (r(2, 1),)]


@composite(samples=lambda r: [*INTEGRALS(r), (r(0, 3), {"dim": 0})])
def trapezoid(F, y, x=None, *, dx=1, dim=-1):
    """The integral along `dim` of a function known at points `x`, or `dx` apart, by the trapezoidal rule."""
    dim = axis_of(dim, y.ndim)
    if not y.shape[dim]:
        return F.sum(y, dim, dtype=y.dtype)
    if x is not None:
        return F.sum(areas(F, y, x, dx, dim, "trapezoid"), dim) / 2
    refuse_bools("trapezoid", y)
    ends = F.select(y, dim, 0) + F.select(y, dim, -1)
    return (F.sum(y, dim) - ends * 0.5) * dx


face(trapezoid, aliases=("trapz",), method=None)


@composite(samples=INTEGRALS)
def cumulative_trapezoid(F, y, x=None, *, dx=1, dim=-1):
    """The integrals up to each point but the first, by the trapezoidal rule: `trapezoid` of each beginning."""
    check_trapezoid_rank(y)
    dim = wrap_dim(dim, y.ndim)
    pieces = areas(F, y, x, dx, dim, "cumulative_trapezoid")
    return F.cumsum(pieces * (dx / 2), dim) if x is None else F.cumsum(pieces, dim) / 2


face(cumulative_trapezoid, method=None)


# ---- derivatives of sampled functions


SAMPLED = lambda r: [(r(3, 4),), (r(4), {"spacing": 0.5}), (r(3, 4), {"dim": 1, "edge_order": 2})]


@composite(samples=SAMPLED)
def gradient(F, input, *, spacing: Tensor | Sequence | Number = None, dim=None, edge_order=1):
    """The derivatives along `dim` of a function known at points `spacing` apart, or at those coordinates."""
    axes = [wrap_dim(each, input.ndim) for each in _listed(range(input.ndim) if dim is None else dim)]
    if isinstance(spacing, (tuple, list)):
        check_spacing(spacing, axes, dim, input.ndim)
    else:
        spacing = [1 if spacing is None else spacing] * len(axes)
    check_gradient(input, axes, edge_order)
    return tuple(_slopes(F, input, axis, step, edge_order) for axis, step in zip(axes, spacing, strict=True))


face(gradient, method=None)


def _listed(values) -> list:
    return list(values) if isinstance(values, (tuple, list, range)) else [values]


def _slopes(F, input, dim: int, spacing, order: int):
    """The derivative along one dimension: in the middle from both sides, at the ends from inside."""
    length = input.shape[dim]
    at = lambda start, size=1: F.narrow(input, dim, start, size)
    if isinstance(spacing, Tensor) and spacing.ndim:
        steps = F.diff(spacing)
        input = F.cast(input, result_type([(each.dtype, each.ndim) for each in (input, steps)]).numpy)
        before, after = (F.reshape(each, (-1,) + (1,) * (input.ndim - 1 - dim)) for each in neighbours(F, steps, 0))
        ends = [steps[0], steps[min(1, length - 2)], steps[max(0, length - 3)], steps[length - 2]]
    else:
        before = after = spacing
        ends = [spacing] * 4
    parts = [at(0, length - 2), at(1, length - 2), at(2, length - 2)]
    middle = _parabola_in_the_middle(parts, before, after)
    if order == 1:
        first, last = (at(1) - at(0)) / ends[0], (at(length - 1) - at(length - 2)) / ends[3]
    else:
        first = _parabola_at_an_end([at(0), at(1), at(2)], ends[0], ends[1])
        last = -_parabola_at_an_end([at(length - 1), at(length - 2), at(length - 3)], ends[3], ends[2])
    return F.cat([first, middle, last], dim)


def _parabola_in_the_middle(values, before, after):
    """The derivative, at the second of three points, of the parabola through them."""
    first, second, third = values
    if before is after:
        return (third - first) / before / 2
    return ((second - first) * (after / before) + (third - second) * (before / after)) / (before + after)


def _parabola_at_an_end(values, near, far):
    """The derivative, at the first of three points, of the parabola through them."""
    first, second, third = values
    rise = (second - first) / near
    return rise + (rise - (third - second) / far) * (near / (near + far))
