"""What the formulas of the optimizers are written in: the same verbs on raw arrays and on tensors.

The names, and the order in which each verb rounds, are PyTorch's. A result is new; operands are left alone. A formula
is written once: on `Arrays` it costs nothing but the arithmetic, on `Tensors` every dtype and device works, and the
step can be differentiated.
"""

from __future__ import annotations

import numpy as np

import rushlight._generated.functions as functions
from rushlight.core.tensor import Tensor


class Arrays:
    """The verbs on NumPy arrays of one floating-point dtype."""

    sqrt, abs, sign, maximum = np.sqrt, np.abs, np.sign, np.maximum
    clamp, where = np.clip, np.where

    @staticmethod
    def add(input, other, alpha):
        """`input + alpha * other`."""
        found = np.multiply(other, alpha)
        found += input
        return found

    @staticmethod
    def lerp(start, end, weight):
        """The point `weight` of the way from `start` to `end`, from the nearer of the two."""
        found = np.subtract(end, start)
        near_start = abs(weight) < 0.5
        found *= weight if near_start else weight - 1
        found += start if near_start else end
        return found

    @staticmethod
    def addcmul(input, first, second, value):
        """`input + value * first * second`."""
        found = np.multiply(first, value)
        found *= second
        found += input
        return found

    @staticmethod
    def addcdiv(input, numerator, denominator, value):
        """`input + value * numerator / denominator`."""
        found = np.multiply(numerator, value)
        found /= denominator
        found += input
        return found

    @staticmethod
    def constant(input):
        """The values alone: on tensors, a copy into which no gradient flows."""
        return input


class Tensors:
    """The verbs on tensors. A number of the formula may be a tensor that requires grad, and then gets its gradient."""

    sqrt, abs, sign, maximum = functions.sqrt, functions.abs, functions.sign, functions.maximum
    clamp, where = functions.clamp, functions.where

    @staticmethod
    def add(input, other, alpha):
        """`input + alpha * other`."""
        return input + other * alpha if isinstance(alpha, Tensor) else functions.add(input, other, alpha=alpha)

    @staticmethod
    def lerp(start, end, weight):
        """The point `weight` of the way from `start` to `end`."""
        return functions.lerp(start, end, weight)

    @staticmethod
    def addcmul(input, first, second, value):
        """`input + value * first * second`."""
        if isinstance(value, Tensor):
            return input + value * first * second
        return functions.addcmul(input, first, second, value=value)

    @staticmethod
    def addcdiv(input, numerator, denominator, value):
        """`input + value * numerator / denominator`."""
        if isinstance(value, Tensor):
            return input + value * numerator / denominator
        return functions.addcdiv(input, numerator, denominator, value=value)

    @staticmethod
    def constant(input):
        """A copy into which no gradient flows."""
        return input.detach().clone()
