"""Elementary functions in restricted Python, of a number or a vector: those of `lower/elementary.py`."""

import numpy as np

from rushlight.kernels.vectors import LANES, vector, wide
from rushlight.lower import elementary as formulas
from rushlight.lower.emit import Body
from rushlight.lower.ir import F32, F64, Trace
from rushlight.lower.language import compiled_as


def elementary(formula):
    """What the function becomes in machine code: its formula, instruction by instruction."""

    def emit(translation, value):
        operand = Trace().operand(0, F32 if value.type.bits == 32 else F64)
        body = Body(f"{translation.name()[1:]}.", lanes=LANES if value.type in (vector, wide) else 0)
        body.known(operand, value.text)
        (found,) = body.compute([formula(operand)])
        for symbol, text in body.declared.items():
            translation.unit.declare(f"@{symbol}", text)
        translation.lines.extend(body.lines)
        return value._replace(text=found, literal=None)

    return emit


@compiled_as(elementary(formulas.tanh))
def tanh(value):
    """The hyperbolic tangent."""
    return np.tanh(value)


@compiled_as(elementary(formulas.sigmoid))
def sigmoid(value):
    """`1 / (1 + exp(-value))`."""
    return 1 / (1 + np.exp(-value))


@compiled_as(elementary(formulas.decay))
def decay(value):
    """The exponential of a number that is not above 0."""
    return np.exp(value)


@compiled_as(elementary(formulas.log))
def log(value):
    """The natural logarithm."""
    return np.log(value)
