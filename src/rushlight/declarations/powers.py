"""Powers and roots, element by element."""

from __future__ import annotations

import cmath
import math

import numpy as np

from rushlight.core import dtype as dtypes
from rushlight.core.dtype import BOOL, COMPLEX, INTEGER, REDUCED, complex128, float64
from rushlight.core.tensor import Tensor
from rushlight.declarations.checks.powers import NUMBERS, check_exponent_not_bool, check_float_power_inplace
from rushlight.declarations.declare import composite, elementwise, face
from rushlight.declarations.dtype_rules import category_of, is_complex, raw_dtype, unimplemented
from rushlight.declarations.samples import BINARY, POSITIVE


def impossible_power(input, exponent):
    """Returns the error for integers to a negative integer, or bools to bools; None otherwise."""
    if max(category_of(input), category_of(exponent)) == BOOL and not isinstance(exponent, bool):
        return unimplemented("pow")(dtypes.bool)
    if isinstance(exponent, int) and exponent < 0 and category_of(input) <= INTEGER:
        return RuntimeError("Integers to negative integer powers are not allowed.")
    return None


@elementwise(scalar_operands=("input", "exponent"), casts_scalar={"exponent": (INTEGER, *REDUCED)})
class pow:
    """`input` to the power `exponent`, element by element; either may be a number."""

    def forward(xp, input: Tensor, exponent: Tensor):
        return xp.power(input, exponent)

    def d_input(F, g, input, exponent):
        return g * F.conj(F.power_derivative(input, exponent))

    def d_exponent(F, g, input, exponent, out):
        return g * F.conj(F.growth_of_power(input, exponent, out))

    samples = lambda r: [
        *((a * a + 1, b) for a, b in BINARY(r)),
        *((r(2, 3), n) for n in (0, 1, 2, 3)),
        *((r.positive(2, 3), n) for n in (-2, -1, 0.5, 2.5)),
        (2, r(2, 3)),
    ]


face(
    pow,
    operators=("__pow__",),
    node=(
        "PowBackward0 if isinstance(exponent, (int, float)) "
        "else PowBackward2 if isinstance(input, (int, float)) else PowBackward1"
    ),
    refuses=impossible_power,
)


@composite(internal=True)
def power_derivative(F, input, exponent):
    """The derivative of `input ** exponent` by `input`: 0 wherever the exponent is, even at 0."""
    check_exponent_not_bool(exponent)
    if type(exponent) is np.ndarray and not exponent.ndim and (exponent.dtype.kind != "c" or input.dtype.kind == "c"):
        exponent = exponent.item()
    if not isinstance(exponent, NUMBERS):
        return F.where(exponent == 0, 0, exponent * F.pow(input, exponent - 1))
    if exponent == 0:
        return F.zeros_of(input)
    numbers = F.numbers[input.dtype]
    return numbers[2] * input if exponent == 2 else numbers[exponent] * F.pow(input, exponent - 1)


@composite(internal=True)
def growth_of_power(F, input, exponent, out):
    """The derivative of `input ** exponent` by `exponent`: 0 where a 0 stays 0."""
    turns = is_complex(out)  # then a negative number, real or complex, has a logarithm
    if not isinstance(input, NUMBERS):
        logarithm = F.log(F.cast(input, raw_dtype(out)) if turns else input)
        return F.where((input == 0) & (F.real(exponent) >= 0), 0, out * logarithm)
    if input == 0:
        return F.where(F.real(exponent) >= 0, 0, out * -math.inf)
    return out * (cmath.log(input) if turns else math.log(input) if input > 0 else math.nan)


@composite
def power_of(F, input, other):
    """`other ** input`."""
    return F.pow(other, input)


face(power_of, spaces=(), operators=("__rpow__",))


@composite(samples=lambda r: [(r(2, 3),), (r(4),), (r(),)])
def square(F, input):
    """`input * input`."""
    return F.pow(input, 2)


face(square, out=True, overlap="full", inplace=True)


@composite(samples=lambda r: [(r.positive(2, 3), r(2, 3)), (r.positive(3), 2), (2, r(3))])
def float_power(F, input: Tensor | Number, exponent: Tensor | Number):
    """`input` to the power `exponent`, in double precision."""
    kind = double_precision(input, exponent)
    return F.pow(*(F.cast(each, kind.numpy) if isinstance(each, Tensor) else each for each in (input, exponent)))


face(
    float_power,
    out=True,
    overlap="full",
    out_same_dtype="the output given to float_power has dtype {out} but the operation's result requires dtype {result}",
)


@composite(samples=lambda r: [(r(2, 3).detach(), 1), (r.booleans(4).double(), 2)])
def float_power_(F, input, exponent: Tensor | Number):
    """Writes `input` to the power `exponent`, which has to be in double precision already."""
    kind = double_precision(input, exponent)
    check_float_power_inplace(input, kind)
    return F.pow_(input, F.cast(exponent, kind.numpy) if isinstance(exponent, Tensor) else exponent)


face(float_power_, spaces=(), method="float_power_")


def double_precision(*operands):
    """The dtype in which `float_power` computes."""
    dtypes = (each.dtype.is_complex if isinstance(each, Tensor) else isinstance(each, complex) for each in operands)
    return complex128 if any(dtypes) else float64


@elementwise(dtype="float")
class sqrt:
    """The square root of `input`; its derivative at 0 is infinite."""

    def forward(xp, input: Tensor):
        return xp.sqrt(input)

    def d_input(F, g, out):
        return g / (2 * F.conj(out))

    samples = POSITIVE


@elementwise(dtype="float")
class rsqrt:
    """`1 / sqrt(input)`."""

    def forward(xp, input: Tensor):
        return 1 / xp.sqrt(input)

    def d_input(F, g, out):
        return -0.5 * g * F.conj(out * out * out)

    samples = lambda r: [(each + 0.5,) for (each,) in POSITIVE(r)]


@elementwise(scalar_operands=False)
class hypot:
    """`sqrt(input^2 + other^2)`, without overflow on the way."""

    def forward(xp, input: Tensor, other: Tensor):
        return xp.hypot(input, other)

    def d_input(F, g, input, out):
        return g * (input / out)

    def d_other(F, g, other, out):
        return g * (other / out)


face(hypot, refuses=dict.fromkeys((BOOL, INTEGER, COMPLEX), unimplemented("hypot_cpu")))
