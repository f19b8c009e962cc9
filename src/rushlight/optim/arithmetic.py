"""Operations that the optimizers' formulas use, on raw arrays and on tensors.

Names and the order of rounding are PyTorch's. Every operation returns a new result and leaves its operands alone. Each
formula is written once: `Arrays` adds no overhead, `Tensors` supports every dtype and device and is differentiable, and
`Steps` is for recordings of training steps.
"""

from __future__ import annotations

import numpy as np

import rushlight._generated.functions as functions
from rushlight.core.tensor import Tensor


class Arrays:
    """Operations on NumPy arrays of one floating-point dtype."""

    sqrt, abs, sign, maximum = np.sqrt, np.abs, np.sign, np.maximum
    clamp, where = np.clip, np.where

    @staticmethod
    def add(input, other, alpha):
        """`input + alpha * other`."""
        out = np.multiply(other, alpha)
        out += input
        return out

    @staticmethod
    def lerp(start, end, weight):
        """Interpolates from `start` to `end`, computed from the nearer of the two."""
        out = np.subtract(end, start)
        near_start = abs(weight) < 0.5
        out *= weight if near_start else weight - 1
        out += start if near_start else end
        return out

    @staticmethod
    def addcmul(input, first, second, value):
        """`input + value * first * second`."""
        out = np.multiply(first, value)
        out *= second
        out += input
        return out

    @staticmethod
    def addcdiv(input, numerator, denominator, value):
        """`input + value * numerator / denominator`."""
        out = np.multiply(numerator, value)
        out /= denominator
        out += input
        return out

    @staticmethod
    def constant(input):
        """Returns the input; on tensors, a detached copy."""
        return input


class Tensors:
    """Operations on tensors. A scalar of the formula may be a tensor that requires grad, and then gets a gradient."""

    sqrt, abs, sign, maximum = functions.sqrt, functions.abs, functions.sign, functions.maximum
    clamp, where = functions.clamp, functions.where

    @staticmethod
    def add(input, other, alpha):
        """`input + alpha * other`."""
        return input + other * alpha if isinstance(alpha, Tensor) else functions.add(input, other, alpha=alpha)

    @staticmethod
    def lerp(start, end, weight):
        """Interpolates from `start` to `end`."""
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
        """Returns a detached copy."""
        return input.detach().clone()


class Steps:
    """Operations on tensors whose calls are recorded: steps in the order in which `Arrays` rounds.

    A number may be a recorded one, which meets a tensor only as an operand of an operator.
    """

    sqrt, abs, sign, maximum = functions.sqrt, functions.abs, functions.sign, functions.maximum
    clamp, where = functions.clamp, functions.where

    @staticmethod
    def add(input, other, alpha):
        """`input + alpha * other`."""
        return scaled(other, alpha) + input

    @staticmethod
    def lerp(start, end, weight):
        """Interpolates from `start` to `end`, computed from the nearer of the two."""
        near_start = abs(weight) < 0.5
        return (end - start) * (weight if near_start else weight - 1) + (start if near_start else end)

    @staticmethod
    def addcmul(input, first, second, value):
        """`input + value * first * second`."""
        return scaled(first, value) * second + input

    @staticmethod
    def addcdiv(input, numerator, denominator, value):
        """`input + value * numerator / denominator`."""
        return scaled(numerator, value) / denominator + input

    @staticmethod
    def constant(input):
        """Returns the input."""
        return input


def scaled(tensor, value):
    """Returns `tensor * value`, the tensor itself if the value is a constant 1."""
    return tensor if type(value) in (int, float) and value == 1 else tensor * value
