"""The standard normal distribution: the area below its curve, the logarithm and the inverse of that."""

from __future__ import annotations

import math

from rushlight.arrays.special import DENSITY
from rushlight.declarations.declare import composite, elementwise, face
from rushlight.declarations.dtype_rules import wide_floats_only
from rushlight.declarations.samples import UNARY

# Between 0 and 1, the domain of the inverse.
PROBABILITIES = lambda r: [(r(2, 3).sigmoid(),), (r().sigmoid(),), (r(0),), (r(3, 2).T.sigmoid(),)]


@elementwise(internal=True)
class normal_distribution:
    """The probability that a standard normal variable is below `input`."""

    def forward(xp, input: Tensor):
        return xp.normal_distribution(input)

    def d_input(F, g, input):
        return g * (DENSITY * F.exp(-0.5 * (input * input)))


@elementwise(internal=True)
class gelu_derivative:
    """The distribution function at `input`, and `input` times the density there."""

    def forward(xp, input: Tensor):
        return xp.gelu_derivative(input)

    def d_input(F, g, input):
        square = input * input
        return g * ((2 - square) * (DENSITY * F.exp(-0.5 * square)))


@composite(samples=UNARY)
def special_ndtr(F, input):
    """The probability that a standard normal variable is below `input`."""
    return (1 + F.erf(input * math.sqrt(0.5))) * 0.5


face(special_ndtr, out=True)


@elementwise(dtype="float")
class special_log_ndtr:
    """The logarithm of `ndtr(input)`, exact where that is nearly 0."""

    def forward(xp, input: Tensor):
        return xp.log_ndtr(input)

    def d_input(F, g, input):
        return g / F.special_erfcx(input * -math.sqrt(0.5)) * math.sqrt(2 / math.pi)


face(special_log_ndtr, refuses=wide_floats_only("log_ndtr_cpu"))


@elementwise(dtype="float")
class special_ndtri:
    """The number below which a standard normal variable is with probability `input`: the inverse of `ndtr`."""

    def forward(xp, input: Tensor):
        return xp.ndtri(input)

    def d_input(F, g, out):
        return g * (math.sqrt(2 * math.pi) * F.exp(out * out / 2))

    samples = PROBABILITIES


face(special_ndtri, refuses=wide_floats_only("ndtri_cpu"))
