"""Elementary functions of `lower/elementary.py` in restricted Python, for scalars and vectors."""

import numpy as np

from rushlight.kernels.vectors import LANES, vector, wide
from rushlight.lower import elementary as formulas
from rushlight.lower.emit import Body
from rushlight.lower.ir import F32, F64, Trace
from rushlight.lower.language import compiled_as


def elementary(formula):
    """Returns the function that emits machine code for a formula."""

    def emit(translation, value):
        operand = Trace().operand(0, F32 if value.type.bits == 32 else F64)
        body = Body(f"{translation.name()[1:]}.", lanes=LANES if value.type in (vector, wide) else 0)
        body.known(operand, value.text)
        (result,) = body.compute([formula(operand)])
        for symbol, text in body.declared.items():
            translation.unit.declare(f"@{symbol}", text)
        translation.lines.extend(body.lines)
        return value._replace(text=result, literal=None)

    return emit


@compiled_as(elementary(formulas.tanh))
def tanh(value):
    """Returns the hyperbolic tangent."""
    return np.tanh(value)


@compiled_as(elementary(formulas.sigmoid))
def sigmoid(value):
    """Returns `1 / (1 + exp(-value))`."""
    return 1 / (1 + np.exp(-value))


@compiled_as(elementary(formulas.decay))
def decay(value):
    """Returns exp(value) for value <= 0."""
    return np.exp(value)


@compiled_as(elementary(formulas.log))
def log(value):
    """Returns the natural logarithm."""
    return np.log(value)
