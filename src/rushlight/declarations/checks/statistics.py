"""Checks of `statistics.py`: raise what PyTorch refuses, with its messages."""

from __future__ import annotations

import math

from rushlight.declarations.checks.arithmetic import underived
from rushlight.declarations.dtype_rules import refuse


def no_derivative_of_counts(F, g):
    raise underived("bincount")


def no_derivative_of_histograms(F, g):
    raise underived("histogram")


def check_numbered(input, minlength) -> None:
    """Raises for what is not to be counted."""
    refuse(input, "bfcV", "bincount_cpu")
    if minlength < 0:
        raise RuntimeError("minlength should be >= 0")
    if input.ndim != 1 or (input.size and input.min() < 0):
        raise RuntimeError("bincount only supports 1-d non-negative integral inputs.")


def check_cov_weights(weights, total) -> None:
    if weights is not None and total.item() == 0:
        raise RuntimeError("cov(): weights sum to zero, can't be normalized")


def check_weight_shape(input, weights) -> None:
    if weights.shape != input.shape:
        raise RuntimeError("weights should be 1-d and have the same length as input")


def check_histc_range(low, high) -> None:
    if not (math.isfinite(low) and math.isfinite(high)):
        raise RuntimeError(f"torch.histc: range of [{low:g}, {high:g}] is not finite")
    if low > high:
        raise RuntimeError("torch.histc: max must be larger than min")


def check_histogram_range(range) -> None:
    if range is not None and len(range) != 2:
        raise RuntimeError(
            f"torch.histogramdd: for a 1-dimensional histogram range should have 2 elements, but got {len(range)}"
        )


def check_histogramdd_rank(input) -> None:
    if input.ndim < 2:
        raise RuntimeError("torch.histogramdd: input tensor should have at least 2 dimensions")


def check_histogramdd_bins(bins, size) -> None:
    if len(bins) != size:
        raise RuntimeError("histogramdd: The size of bins must be equal to the innermost dimension of the input.")


def check_histogramdd_range(range, size) -> None:
    if range is not None and len(range) != 2 * size:
        raise RuntimeError(
            f"torch.histogramdd: for a {size}-dimensional histogram range should have {2 * size} elements, but got "
            f"{len(range)}"
        )
