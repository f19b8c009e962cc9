"""Trigonometric and hyperbolic functions and their inverses, element by element."""

from __future__ import annotations

import math

from rushlight.core.dtype import COMPLEX
from rushlight.declarations.declare import elementwise, face
from rushlight.declarations.dtype_rules import is_complex, refusal, unimplemented
from rushlight.declarations.samples import UNIT

# ---- of an angle


@elementwise(dtype="float")
class sin:
    """The sine of `input`, in radians."""

    def forward(xp, input: Tensor):
        return xp.sin(input)

    def d_input(F, g, input):
        return g * F.conj(F.cos(input))


@elementwise(dtype="float")
class cos:
    """The cosine of `input`, in radians."""

    def forward(xp, input: Tensor):
        return xp.cos(input)

    def d_input(F, g, input):
        return g * -F.conj(F.sin(input))


@elementwise(dtype="float")
class tan:
    """The tangent of `input`, in radians."""

    def forward(xp, input: Tensor):
        return xp.tan(input)

    def d_input(F, g, out):
        return g * F.conj(1 + out * out)

    samples = UNIT


@elementwise(dtype="float")
class asin:
    """The angle whose sine is `input`."""

    def forward(xp, input: Tensor):
        return xp.asin(input)

    def d_input(F, g, input):
        return g * F.conj(F.rsqrt(1 - input * input))

    samples = UNIT


face(asin, aliases=("arcsin",))


@elementwise(dtype="float")
class acos:
    """The angle whose cosine is `input`."""

    def forward(xp, input: Tensor):
        return xp.acos(input)

    def d_input(F, g, input):
        return g * -F.conj(F.rsqrt(1 - input * input))

    samples = UNIT


face(acos, aliases=("arccos",))


@elementwise(dtype="float")
class atan:
    """The angle whose tangent is `input`."""

    def forward(xp, input: Tensor):
        return xp.atan(input)

    def d_input(F, g, input):
        return g / F.conj(input * input + 1)


face(atan, aliases=("arctan",))


@elementwise(dtype="float", scalar_operands=False)
class atan2:
    """The angle of the point (`other`, `input`), from -pi to pi; its derivatives at the origin are 0."""

    def forward(xp, input: Tensor, other: Tensor):
        return xp.atan2(input, other)

    def d_input(F, g, input, other):
        square = input * input + other * other
        return g * F.choose(square == 0, 0, other / square)

    def d_other(F, g, input, other):
        square = input * input + other * other
        return g * F.choose(square == 0, 0, -(input / square))


face(atan2, aliases=("arctan2",), refuses={COMPLEX: unimplemented("atan2_cpu")})


@elementwise(dtype="float")
class sinc:
    """`sin(pi input) / (pi input)`, 1 at 0."""

    def forward(xp, input: Tensor):
        return xp.sinc(input)

    def d_input(F, g, input):
        angle = input * math.pi
        square = angle * input  # tiny numbers have no such
        derivative = (angle * F.cos(angle) - F.sin(angle)) / square
        return g * F.conj(F.where(square == 0, 0, derivative))


face(sinc, spaces=("torch", "special"))


@elementwise(dtype="float")
class deg2rad:
    """Degrees in radians."""

    def forward(xp, input: Tensor):
        return input * (math.pi / 180)

    def d_input(F, g):
        return g * (math.pi / 180)


face(deg2rad, node="Deg2RadBackward0", refuses={COMPLEX: refusal("deg2rad is not supported for complex tensors.")})


@elementwise(dtype="float")
class rad2deg:
    """Radians in degrees."""

    def forward(xp, input: Tensor):
        return input * (180 / math.pi)

    def d_input(F, g):
        return g * (180 / math.pi)


face(rad2deg, node="Rad2DegBackward0", refuses={COMPLEX: refusal("rad2deg is not supported for complex tensors.")})


# ---- hyperbolic


@elementwise(dtype="float")
class sinh:
    """The hyperbolic sine of `input`."""

    def forward(xp, input: Tensor):
        return xp.sinh(input)

    def d_input(F, g, input):
        return g * F.conj(F.cosh(input))


@elementwise(dtype="float")
class cosh:
    """The hyperbolic cosine of `input`."""

    def forward(xp, input: Tensor):
        return xp.cosh(input)

    def d_input(F, g, input):
        return g * F.conj(F.sinh(input))


@elementwise(dtype="float", no_fp_errors=True)
class tanh:
    """The hyperbolic tangent of `input`."""

    def forward(xp, input: Tensor):
        return xp.tanh(input)

    def d_input(F, g, out):
        return g * F.conj(1 - out * out)


@elementwise(dtype="float")
class asinh:
    """The number whose hyperbolic sine is `input`."""

    def forward(xp, input: Tensor):
        return xp.asinh(input)

    def d_input(F, g, input):
        return g * F.conj(F.rsqrt(input * input + 1))


face(asinh, aliases=("arcsinh",))


@elementwise(dtype="float")
class acosh:
    """The positive number whose hyperbolic cosine is `input`."""

    def forward(xp, input: Tensor):
        return xp.acosh(input)

    def d_input(F, g, input):
        # One root of a product has another branch than the product of two roots.
        if is_complex(input):
            return g * F.conj(F.rsqrt(input + 1) * F.rsqrt(input - 1))
        return g * F.rsqrt(input * input - 1)

    samples = lambda r: [(r.positive(2, 3) + 1.5,), (r.positive() + 1.5,)]


face(acosh, aliases=("arccosh",))


@elementwise(dtype="float")
class atanh:
    """The number whose hyperbolic tangent is `input`."""

    def forward(xp, input: Tensor):
        return xp.atanh(input)

    def d_input(F, g, input):
        return g / F.conj(1 - input * input)

    samples = UNIT


face(atanh, aliases=("arctanh",))
