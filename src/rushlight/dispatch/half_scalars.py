"""Python numbers next to tensors of half precision, as the float32 values that are computed with."""

from __future__ import annotations

import math

import numpy as np

from rushlight.arrays.elementwise import largest
from rushlight.core.dtype import HALVES
from rushlight.core.numbers import ARRAY_NUMBERS, MANY
from rushlight.core.tables import xp
from rushlight.dispatch.operands import WIDE_FACTORS

FLOAT32 = np.dtype(np.float32)
ROUNDED: dict = {half: {} for half in HALVES}  # rounded numbers as float32


class Fitted(dict):
    """Maps numbers to their values in half precision, as Python floats; to None beyond its range."""

    def __init__(self, half):
        super().__init__()
        self.half = half

    def __missing__(self, number):
        if not number:
            return number  # 0.0 and -0.0 are one key
        if len(self) >= MANY:
            self.clear()
        rounded = float(xp.cast(ARRAY_NUMBERS[FLOAT32][number], self.half))
        self[number] = result = rounded if abs(number) <= largest(self.half) or math.isinf(number) else None
        return result


FITTED = {half: Fitted(half) for half in HALVES}


def number_beside(name: str, half, number):
    """Returns a number as float32, rounded to the dtype next to it first unless it multiplies or divides."""
    exact = ARRAY_NUMBERS[FLOAT32][number]
    if name in WIDE_FACTORS or not number:  # 0.0 and -0.0 are one key
        return exact
    rounded = ROUNDED[half]
    if number not in rounded:
        if len(rounded) >= MANY:
            rounded.clear()
        rounded[number] = xp.cast(xp.cast(exact, half), FLOAT32)
    return rounded[number]
