"""Spread, quantiles, correlation and histograms."""

from __future__ import annotations

import math
import warnings
from operator import index

import numpy as np

from rushlight.core.dtype import COMPLEX, FLOAT, INTEGER, REDUCED
from rushlight.core.errors import noted
from rushlight.core.tensor import Tensor
from rushlight.core.traced import every_sample
from rushlight.declarations import results
from rushlight.declarations.batches import fronts
from rushlight.declarations.checks import arguments as checks
from rushlight.declarations.checks.statistics import (
    check_cov_weights,
    check_histc_range,
    check_histogram_range,
    check_histogramdd_bins,
    check_histogramdd_range,
    check_histogramdd_rank,
    check_numbered,
    check_weight_shape,
    no_derivative_of_counts,
    no_derivative_of_histograms,
)
from rushlight.declarations.declare import composite, face, op
from rushlight.declarations.dtype_rules import INT64, is_complex, raw_dtype, refuse
from rushlight.declarations.reduce import count
from rushlight.declarations.shapes import dims, keepdim_shape, wrap_dim

SPREAD = lambda r: [
    (r(2, 3),), (r(2, 3), False), (r(2, 3), 1), (r(2, 3, 2), (0, -1), False, True), (r(2, 3), {"correction": 0}),
    (r(2, 3), 1, {"correction": 1.5, "keepdim": True}),
]  # fmt: skip

# ---- standard deviation and variance


def chosen(dim, unbiased, correction) -> tuple:
    """(dim, correction), from PyTorch's several ways to ask for them."""
    if isinstance(dim, bool):  # var(input, unbiased)
        dim, unbiased = None, dim
    return dim, int(unbiased) if correction is None else correction


def spread(xp, name: str, input, dim, unbiased, keepdim: bool, correction) -> tuple:
    """(variance or standard deviation, mean) along `dim`."""
    dim, correction = chosen(dim, unbiased, correction)
    if input.dtype.kind in "biu":
        which = "std and var" if "_" not in name else name
        raise noted(RuntimeError(f"{which} only support floating point and complex dtypes"), checks.TO_FLOAT)
    result = xp.spread(input, dims(dim, input.ndim), correction, keepdim, name in ("std", "std_mean"))
    if input.size <= correction * result[0].size:
        warnings.warn(
            f"{name}(): degrees of freedom is <= 0. Correction should be strictly less than the reduction factor "
            "(input numel divided by output numel).",
            stacklevel=4,
        )
    return result


def variance_gradient(F, g, input, dim, unbiased, correction, input_shape):
    """The gradient of a variance along `dim`."""
    dim, correction = chosen(dim, unbiased, correction)
    freedom = count(input_shape, dim) - correction
    g, away = F.reshape(g, keepdim_shape(input_shape, dim)), input - F.mean(input, dim, True)
    if freedom <= 0 and (dim is None or not input_shape):
        return g * (F.abs(away) * math.inf)  # NaN at the mean, as in PyTorch
    return g * away * (2 / freedom if freedom else math.inf)


def deviation_gradient(F, g, input, out, dim, unbiased, correction, input_shape):
    """The gradient of a standard deviation along `dim`: 0 where there is none."""
    return variance_gradient(F, F.choose(out == 0, 0, g / (out * 2)), input, dim, unbiased, correction, input_shape)


def mean_gradient(F, g, dim, shape):
    """The gradient of a mean along `dim`."""
    dim, _ = chosen(dim, True, None)
    return F.reshape(g, keepdim_shape(shape, dim)) / count(shape, dim)


def along_slope(F, slope, tangent, dim, keepdim):
    """The tangent of a number whose gradient is `slope`, along `dim`."""
    dim, _ = chosen(dim, True, None)
    return F.sum(F.real(F.conj(slope) * tangent) if is_complex(slope) else slope * tangent, dim, keepdim)


def variance_tangent(F, tangent, input, out, dim, unbiased, correction, keepdim, shape):
    """The tangent of a variance along `dim`."""
    slope = variance_gradient(F, F.zeros_of(out) + 1, input, dim, unbiased, correction, shape)
    return along_slope(F, slope, tangent, dim, keepdim)


def deviation_tangent(F, tangent, input, out, dim, unbiased, correction, keepdim, shape):
    """The tangent of a standard deviation along `dim`."""
    slope = deviation_gradient(F, F.zeros_of(out) + 1, input, out, dim, unbiased, correction, shape)
    return along_slope(F, slope, tangent, dim, keepdim)


def mean_tangent(F, tangent, dim, keepdim):
    """The tangent of a mean along `dim`."""
    return F.mean(tangent, chosen(dim, True, None)[0], keepdim)


@op
class var:
    """The variance along `dim`: the squared distances from the mean, over their number less `correction`."""

    def forward(xp, input: Tensor, dim: Ints | int | bool = None, unbiased=True, keepdim=False, *, correction=None):
        return spread(xp, "var", input, dim, unbiased, keepdim, correction)[0]

    d_input = variance_gradient

    def jvp(F, input_t, input, out, dim, unbiased, correction, keepdim, input_shape):
        return variance_tangent(F, input_t, input, out, dim, unbiased, correction, keepdim, input_shape)

    samples = SPREAD


@op
class std:
    """The standard deviation along `dim`: the square root of `var`."""

    def forward(xp, input: Tensor, dim: Ints | int | bool = None, unbiased=True, keepdim=False, *, correction=None):
        return spread(xp, "std", input, dim, unbiased, keepdim, correction)[0]

    d_input = deviation_gradient

    def jvp(F, input_t, input, out, dim, unbiased, correction, keepdim, input_shape):
        return deviation_tangent(F, input_t, input, out, dim, unbiased, correction, keepdim, input_shape)

    samples = SPREAD


@op
class var_mean:
    """The variance and the mean along `dim`."""

    returns = "var, mean"

    def forward(xp, input: Tensor, dim: Ints | int | bool = None, unbiased=True, keepdim=False, *, correction=None):
        return spread(xp, "var_mean", input, dim, unbiased, keepdim, correction)

    def d_input(F, g_var, g_mean, input, dim, unbiased, correction, input_shape):
        gradient = variance_gradient(F, g_var, input, dim, unbiased, correction, input_shape)
        return gradient + mean_gradient(F, g_mean, dim, input_shape)

    def jvp(F, input_t, input, var, dim, unbiased, correction, keepdim, input_shape):
        of_var = variance_tangent(F, input_t, input, var, dim, unbiased, correction, keepdim, input_shape)
        return of_var, mean_tangent(F, input_t, dim, keepdim)

    samples = SPREAD


face(var_mean, method=None)


@op
class std_mean:
    """The standard deviation and the mean along `dim`."""

    returns = "std, mean"

    def forward(xp, input: Tensor, dim: Ints | int | bool = None, unbiased=True, keepdim=False, *, correction=None):
        return spread(xp, "std_mean", input, dim, unbiased, keepdim, correction)

    def d_input(F, g_std, g_mean, input, std, dim, unbiased, correction, input_shape):
        gradient = deviation_gradient(F, g_std, input, std, dim, unbiased, correction, input_shape)
        return gradient + mean_gradient(F, g_mean, dim, input_shape)

    def jvp(F, input_t, input, std, dim, unbiased, correction, keepdim, input_shape):
        of_std = deviation_tangent(F, input_t, input, std, dim, unbiased, correction, keepdim, input_shape)
        return of_std, mean_tangent(F, input_t, dim, keepdim)

    samples = SPREAD


face(std_mean, method=None)


# ---- quantiles

QUANTILES = lambda r: [
    (r.distinct(5), 0.3), (r.distinct(2, 4), 0.5, 1), (r.distinct(4, 2), 0.25, 0, True), (r.distinct(3), 1),
    *((r.distinct(4), 0.4, {"interpolation": name}) for name in ("lower", "higher", "nearest", "midpoint")),
]  # fmt: skip


@composite(samples=QUANTILES)
def quantile(F, input, q: Tensor | Number, dim: int = None, keepdim=False, *, interpolation="linear"):
    """The quantiles `q` of the elements along `dim`; NaN if one is NaN."""
    checks.check_quantile(input, q, interpolation)
    return quantiles(F, input, q, dim, keepdim, interpolation, False)


face(quantile, out=True, out_same_dtype="quantile() out tensor must be same dtype as the input tensor")


@composite(samples=QUANTILES)
def nanquantile(F, input, q: Tensor | Number, dim: int = None, keepdim=False, *, interpolation="linear"):
    """The quantiles `q` of the elements along `dim` that are not NaN."""
    checks.check_quantile(input, q, interpolation)
    return quantiles(F, input, q, dim, keepdim, interpolation, True)


face(nanquantile, out=True, out_same_dtype="quantile() out tensor must be same dtype as the input tensor")


def quantiles(F, input, q, dim, keepdim: bool, interpolation: str, ignore_nan: bool):
    """Elements picked from the sorted input, or mixed from two neighbours."""
    shape = keepdim_shape(tuple(input.shape), dim)
    lines = F.reshape(input, (-1,)) if dim is None else F.movedim(F.atleast_1d(input), dim, -1)
    lines = F.sort(lines)[0]  # (..., elements)
    fractions = F.reshape(q, (-1,)) if isinstance(q, Tensor) else lines.new_full((1,), q)
    result = _picked(F, lines, _ranks(F, lines, fractions, ignore_nan), interpolation)  # (..., quantiles)
    result = F.movedim(result, -1, 0)
    result = F.reshape(result, (result.shape[0], *(shape if keepdim else reduced(shape, dim))))
    return result if isinstance(q, Tensor) and q.ndim else F.squeeze(result, 0)


def reduced(shape: tuple, dim) -> tuple:
    """A shape without `dim`."""
    if dim is None or not shape:
        return ()
    axis = wrap_dim(dim, len(shape))
    return shape[:axis] + shape[axis + 1 :]


def _ranks(F, lines, fractions, ignore_nan: bool):
    """The positions of the quantiles among the sorted elements, in general between two."""
    size = lines.shape[-1]
    missing = F.isnan(lines)
    if ignore_nan:
        numbers = F.sum(F.logical_not(missing), -1, True)
        return F.cast(F.clamp_min(numbers - 1, 0), lines.dtype.numpy) * fractions
    return F.where(F.any(missing, -1, True), size - 1, fractions * (size - 1))


def _picked(F, lines, ranks, interpolation: str):
    if interpolation in ("lower", "higher", "nearest"):
        rounding = {"lower": F.floor, "higher": F.ceil, "nearest": F.round}[interpolation]
        return F.gather(lines, -1, F.cast(rounding(ranks), INT64))
    below = F.floor(ranks)
    low, high = (F.gather(lines, -1, F.cast(each, INT64)) for each in (below, F.ceil(ranks)))
    return F.lerp(low, high, 0.5 if interpolation == "midpoint" else ranks - below)


# ---- correlation


@composite(samples=lambda r: [(r(2, 4),), (r(4),), (r(2, 3), {"correction": 0, "aweights": r.positive(3)})])
def cov(F, input, *, correction: int = 1, fweights=None, aweights=None):
    """The covariances of the rows of a matrix, whose columns are observations with optional counts and weights."""
    checks.check_observations("cov()", input)
    rows = F.reshape(input, (1, -1)) if input.ndim < 2 else input  # (variables, observations)
    number = rows.shape[1]
    weights = _weights(F, number, fweights, aweights)
    total = number if weights is None else F.sum(weights)
    check_cov_weights(weights, total)
    weighted = rows if weights is None else rows * weights
    away = rows - F.sum(weighted, 1, True) / total
    freedom = total - correction
    if weights is not None and aweights is not None and correction:
        freedom = total - correction * F.sum(weights * aweights) / total
    if freedom <= 0:
        warnings.warn(
            "cov(): degrees of freedom is <= 0. Correction should be strictly less than the number of observations.",
            stacklevel=4,
        )
        freedom = freedom * 0
    spread = away if weights is None else away * weights
    products = F.matmul(away, F.conj(F.t(spread)))
    return F.squeeze(F.true_divide(products, freedom))


def _weights(F, number: int, fweights, aweights):
    for name, each, category, wanted in (
        ("fweights", fweights, INTEGER, "integral"),
        ("aweights", aweights, FLOAT, "floating point"),
    ):
        if each is not None:
            checks.check_observation_weights(name, each, category, wanted, number)
    if fweights is None or aweights is None:
        return aweights if fweights is None else fweights
    return fweights * aweights


@composite(samples=lambda r: [(r(2, 4),), (r(4),), (r(3, 5),)])
def corrcoef(F, input):
    """Pearson's correlation coefficients of the rows of a matrix."""
    checks.check_observations("corrcoef()", input)
    covariance = F.cov(input)
    if not covariance.ndim:
        return covariance / covariance
    deviation = F.sqrt(F.real(F.diagonal(covariance, 0, 0, 1)))
    result = covariance / F.unsqueeze(deviation, 1) / F.unsqueeze(deviation, 0)
    if result.dtype.category == COMPLEX:
        return F.complex(F.clamp(F.real(result), -1, 1), F.clamp(F.imag(result), -1, 1))
    return F.clamp(result, -1, 1)


# ---- counts


@composite(samples=lambda r: [(r.integers(5, 8),), (r.integers(3, 4), r.integers(9, 4)), (r.integers(3, 4), None, 6)])
def bincount(F, input, weights=None, minlength=0):
    """The count of each integer, or the sum of its weights; at least `minlength` elements."""
    return F.counts(input, minlength) if weights is None else F.weighted_counts(input, weights, minlength)


FLOAT32, FLOAT64 = np.dtype(np.float32), np.dtype(np.float64)


def common_length(F, input, minlength: int) -> int | None:
    """Returns how many integers the samples of a batch (B, n) count to; None if that differs between them."""
    if not input.shape[1]:
        return minlength
    highest = {max(each + 1, minlength) for each in every_sample(F.amax(input, 1)).reshape(-1).tolist()}
    return highest.pop() if len(highest) == 1 else None


@op(internal=True, exact=True)
class counts:
    """The count of each integer."""

    def forward(xp, input: Tensor, minlength):
        check_numbered(input, minlength)
        return xp.bincount(input, None, minlength)

    shape = results.data_dependent("bincount")

    def batch(F, b, input, minlength):
        if (length := common_length(F, input, minlength)) is None:
            return NotImplemented
        ones = F.expand(F.cast(F.new_zeros_of(input, ()) + 1, INT64), tuple(input.shape))
        return F.scatter_add(F.new_zeros_of(ones, (b.size, length)), 1, F.cast(input, INT64), ones)

    samples = lambda r: [(r.integers(5, 8), 0), (r.integers(3, 4), 6)]


@op(internal=True)
class weighted_counts:
    """The sum of the weights of each integer."""

    def forward(xp, input: Constant, weights: Tensor, minlength):
        check_numbered(input, minlength)
        check_weight_shape(input, weights)
        return xp.bincount(input, weights if input.size else None, minlength)

    d_weights = no_derivative_of_counts
    shape = results.data_dependent("bincount")

    def batch(F, b, input, weights, minlength):
        input, weights = fronts(F, b, input=input, weights=weights)
        if (length := common_length(F, input, minlength)) is None:
            return NotImplemented
        weights = weights if raw_dtype(weights) == FLOAT32 else F.cast(weights, FLOAT64)
        return F.scatter_add(F.new_zeros_of(weights, (b.size, length)), 1, F.cast(input, INT64), weights)

    samples = lambda r: [(r.integers(3, 4), r(4).detach(), 0), (r.integers(3, 4), r(4).detach(), 6)]


@op(casts_scalar=dict.fromkeys(("min", "max"), REDUCED))
class histc:
    """How many elements fall into each of `bins` of one width from `min` to `max`; from end to end if those are one."""

    def forward(xp, input: Tensor, bins: int = 100, min=0, max=0):
        checks.check_bins(bins)
        refuse(input, "c", "aminmax_cpu" if min == max else "histogram_cpu")
        low, high = limits(input, *(xp.element(each, input.dtype).item() for each in (min, max)), 1)
        check_histc_range(low, high)
        refuse(input, "b", "linspace_cpu")
        refuse(input, "iu", "histogram_cpu")
        return xp.even_counts(input, *(xp.element(each, input.dtype) for each in (low, high)), bins)

    shape = lambda input, bins, min, max: results.MetaArray((bins,), input.dtype)
    samples = lambda r: [(r.distinct(2, 5), 4), (r.distinct(6), 3, -1, 1), (r(0), 2)]


face(
    histc,
    out_same_dtype=(
        "torch.histogram: input tensor and hist tensor should have the same dtype, but got input "
        "{result_c} and hist {out_c}"
    ),
)


def limits(values, low, high, margin=0.5) -> tuple:
    """Returns the ends of a histogram: as given, else those of the values; widened if they are equal."""
    if low == high:
        if values.size:
            low, high = float(values.min()), float(values.max())
        if low == high:
            return (low - margin, high + margin) if values.size or low else (0.0, 1.0)
    return low, high


@op(internal=True, multi_output=True)
class histogram_in_ranges:
    """The histogram of points over a grid of even bins, and the limits of the bins in each dimension."""

    d_input = d_weight = no_derivative_of_histograms

    def forward(xp, input: Tensor, weight: Tensor | None, bins, range, density):
        checks.check_counted(input, bounded=range is not None)
        points = xp.reshape(input, (math.prod(input.shape[:-1]), input.shape[-1]))
        edges = [
            xp.even_edges(*bounds(dim, column, range), bins[dim], input.dtype) for dim, column in enumerate(points.T)
        ]
        return xp.histogram(points, edges, weight, density), *edges


face(histogram_in_ranges, node="NotImplemented")


def bounds(dim: int, values, range) -> tuple:
    """The ends of one dimension of a histogram."""
    if range is None:
        low, high = limits(values, 0, 0)
    else:
        low, high = range[2 * dim : 2 * dim + 2]
        low, high = (low - 0.5, high + 0.5) if low == high else (low, high)
    if not (math.isfinite(low) and math.isfinite(high)):
        raise RuntimeError(f"torch.histogramdd: dimension {dim}'s range [{low:g}, {high:g}] is not finite")
    if low > high:
        raise RuntimeError(
            f"torch.histogramdd: min should not exceed max, but got min {low:g} max {high:g} for dimension {dim}"
        )
    return low, high


@op(internal=True)
class histogram_in_edges:
    """The histogram of points over a grid of bins with given limits."""

    d_input = d_weight = no_derivative_of_histograms

    def forward(xp, input: Tensor, weight: Tensor | None, edges: Tensors, density):
        checks.check_counted(input, bounded=True)
        return xp.histogram(xp.reshape(input, (-1, input.shape[-1])), edges, weight, density)


face(histogram_in_edges, node="NotImplemented")


HISTOGRAM = lambda r: [
    (r(6).detach(), 3), (r(2, 4).detach(), 4, {"range": (-1.0, 1.0)}), (r(5).detach(), 2, {"density": True})
]  # fmt: skip


@composite(samples=HISTOGRAM)
def histogram(F, input, bins: Tensor | int = 100, *, range: Sequence = None, weight=None, density=False):
    """How many elements, or how much of their `weight`, falls between the limits `bins`, or into so many even bins."""
    checks.check_weight(input, tuple(input.shape) + (1,), tuple(input.shape), weight)
    points = F.reshape(input, (-1, 1))
    if isinstance(bins, Tensor):
        checks.check_no_range(range)
        checks.check_edges(input, [bins])
        return results.histogram(F.histogram_in_edges(points, weight, [bins], density), bins)
    checks.check_bins(bins)
    check_histogram_range(range)
    return results.histogram(*F.histogram_in_ranges(points, weight, (bins,), range, density))


face(
    histogram,
    out=True,
    out_same_dtype=(
        "torch.histogram: input tensor and hist tensor should have the same dtype, but got input {result_c} and "
        "hist {out_c}",
        "torch.histogram: input tensor and bin_edges tensor should have the same dtype, but got input {result_c} and "
        "bin_edges {out_c} for dimension 0",
    ),
)


@composite(samples=lambda r: [(r(5, 2).detach(), [2, 3]), (r(5, 2).detach(), 2, {"density": True})])
def histogramdd(F, input, bins: Ints | int | Tensors, *, range: Sequence = None, weight=None, density=False):
    """The histogram of points, the rows of `input`, over a grid of bins: their number or limits in each dimension."""
    check_histogramdd_rank(input)
    size = input.shape[-1]
    bins = (
        [bins] * size
        if isinstance(bins, int)
        else [each if isinstance(each, Tensor) and each.ndim else index(each) for each in bins]
    )
    check_histogramdd_bins(bins, size)
    checks.check_weight(input, tuple(input.shape), tuple(input.shape[:-1]), weight)
    if bins and isinstance(bins[0], Tensor):
        checks.check_edges(input, bins)
        return results.histogramdd(F.histogram_in_edges(input, weight, bins, density), tuple(bins))
    for dim, each in enumerate(bins):
        checks.check_bins(each, dim)
    check_histogramdd_range(range, size)
    result, *edges = F.histogram_in_ranges(input, weight, tuple(bins), range, density)
    return results.histogramdd(result, tuple(edges))


face(histogramdd, method=None)
