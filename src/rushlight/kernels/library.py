"""Functions of the C library: those that PyTorch calls for a random number at a time, to the last digit."""

from __future__ import annotations

import math

from rushlight.lower.language import compiled_as
from rushlight.lower.machine_types import float64

__all__ = ["cos", "exp", "log", "log1p", "log_gamma", "power", "sin"]


def of_c(name: str):
    """A function of the C library, of float64."""

    def emit(translation, *values):
        values = [translation.converted(each, float64) for each in values]
        translation.unit.declare(f"@{name}", f"declare double @{name}({', '.join(['double'] * len(values))})")
        return translation.call_of(f"@{name}", [float64] * len(values), float64, values)

    return emit


@compiled_as(of_c("exp"))
def exp(value):
    """The exponential function."""
    return math.exp(value)


@compiled_as(of_c("log"))
def log(value):
    """The logarithm, of 0 minus infinity."""
    return math.log(value) if value > 0 else -math.inf


@compiled_as(of_c("log1p"))
def log1p(value):
    """The logarithm of one more."""
    return math.log1p(value)


@compiled_as(of_c("lgamma"))
def log_gamma(value):
    """The logarithm of the gamma function."""
    return math.lgamma(value)


@compiled_as(of_c("cos"))
def cos(value):
    """The cosine."""
    return math.cos(value)


@compiled_as(of_c("sin"))
def sin(value):
    """The sine."""
    return math.sin(value)


@compiled_as(of_c("pow"))
def power(base, exponent):
    """A power."""
    return math.pow(base, exponent)
