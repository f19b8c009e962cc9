"""C library functions that PyTorch calls per random number: results agree to the last bit."""

from __future__ import annotations

import math

from rushlight.lower.language import compiled_as
from rushlight.lower.machine_types import float64

__all__ = ["cos", "exp", "log", "log1p", "log_gamma", "power", "sin"]


def of_c(name: str):
    """Returns the function that emits a call of a float64 function of the C library."""

    def emit(translation, *values):
        values = [translation.converted(value, float64) for value in values]
        translation.unit.declare(f"@{name}", f"declare double @{name}({', '.join(['double'] * len(values))})")
        return translation.call_of(f"@{name}", [float64] * len(values), float64, values)

    return emit


@compiled_as(of_c("exp"))
def exp(value):
    """Returns the exponential."""
    return math.exp(value)


@compiled_as(of_c("log"))
def log(value):
    """Returns the logarithm; minus infinity for 0."""
    return math.log(value) if value > 0 else -math.inf


@compiled_as(of_c("log1p"))
def log1p(value):
    """Returns the logarithm of 1 + value."""
    return math.log1p(value)


@compiled_as(of_c("lgamma"))
def log_gamma(value):
    """Returns the logarithm of the gamma function."""
    return math.lgamma(value)


@compiled_as(of_c("cos"))
def cos(value):
    """Returns the cosine."""
    return math.cos(value)


@compiled_as(of_c("sin"))
def sin(value):
    """Returns the sine."""
    return math.sin(value)


@compiled_as(of_c("pow"))
def power(base, exponent):
    """Returns a power."""
    return math.pow(base, exponent)
