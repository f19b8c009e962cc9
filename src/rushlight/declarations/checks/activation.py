"""Checks of `activation.py`: raise what PyTorch refuses, with its messages."""

from __future__ import annotations

import math

from rushlight.core.dtype import BY_NUMPY, SCALAR_NAMES
from rushlight.core.traced import ENTERED, drawing_level
from rushlight.declarations.dtype_rules import raw_dtype


def check_prelu_weight(shape, given) -> None:
    channels = shape[1] if len(shape) > 1 else 1
    if given not in ((), (1,)):
        if not shape:
            raise RuntimeError("Not allow zero-dim input tensor.")
        if math.prod(given) != channels:
            raise RuntimeError(
                "Mismatch of parameter numbers and input channel size. Found parameter numbers = "
                f"{math.prod(given)} and channel size = {channels}."
            )
    if len(given) > 1:
        raise RuntimeError(f"prelu: Expected `weight` to be a scalar or 1D tensor, but got: ndim = {len(given)}")


def check_finite_bound(bound, name) -> None:
    if not math.isfinite(bound):
        raise RuntimeError(f"rrelu: {name} bound must be finite, got {bound}")


def check_bounds_ordered(lower, upper) -> None:
    if lower > upper:
        raise RuntimeError("Lower bound should be less than or equal to the upper bound")


def check_celu_alpha(alpha) -> None:
    if alpha == 0:
        raise RuntimeError("ZeroDivisionError: alpha cannot be 0 for CELU")


def check_gelu_approximation(approximate) -> None:
    if approximate != "tanh":
        raise RuntimeError("approximate argument must be either none or tanh.")


def check_glu_rank(input) -> None:
    if not input.ndim:
        raise RuntimeError("glu does not support 0-dimensional tensors")


def check_halves(input, axis) -> None:
    if input.shape[axis] % 2:
        raise RuntimeError(f"Halving dimension must be even, but dimension {axis} is size {input.shape[axis]}")


def check_hardtanh_limits(input, min_val) -> None:
    if input.dtype.kind == "u" and min_val < 0:
        raise RuntimeError("cannot do hardtanh on an unsigned type with negative limits")


def check_prelu_dtypes(input, weight) -> None:
    if raw_dtype(input) != raw_dtype(weight):
        names = " and ".join(SCALAR_NAMES[BY_NUMPY[raw_dtype(each)]] for each in (input, weight))
        raise RuntimeError(f"prelu: Type promoting not supported. Got {names}")


def check_lambda(xp, input, lambd) -> None:
    limit = xp.largest_in(input)
    if not 0 <= lambd <= limit:
        name = SCALAR_NAMES[BY_NUMPY[input.dtype]]
        raise RuntimeError(f"lambda must be in range [0, {limit:g}] for input dtype {name}, but found {lambd:g}")


def check_rrelu_draws() -> None:
    """Raises RuntimeError under `vmap`, as PyTorch does for slopes that are drawn."""
    if ENTERED and drawing_level() is not None:
        raise RuntimeError("vmap: we do not yet support aten::rrelu. Please file an issue")
