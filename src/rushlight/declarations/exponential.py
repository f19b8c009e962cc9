"""Exponentials and logarithms, element by element."""

from __future__ import annotations

import math

from rushlight.arrays.elementwise import element
from rushlight.core.dtype import BOOL, COMPLEX, INTEGER, REDUCED
from rushlight.declarations.declare import elementwise, face
from rushlight.declarations.dtype_rules import unimplemented
from rushlight.declarations.samples import BINARY, POSITIVE

LOG_2, LOG_10 = math.log(2), math.log(10)


@elementwise(dtype="float")
class exp:
    """e to the power `input`."""

    def forward(xp, input: Tensor):
        return xp.exp(input)

    def d_input(F, g, out):
        return g * F.conj(out)


@elementwise(dtype="float")
class exp2:
    """2 to the power `input`."""

    def forward(xp, input: Tensor):
        return xp.exp2(input)

    def d_input(F, g, out):
        return g * F.conj(out) * LOG_2


face(exp2, spaces=("torch", "special"))


@elementwise(dtype="float")
class expm1:
    """`exp(input) - 1`, exact near 0."""

    def forward(xp, input: Tensor):
        return xp.expm1(input)

    def d_input(F, g, out):
        return g * F.conj(out + 1)


face(expm1, spaces=("torch", "special"))


@elementwise(dtype="float")
class log:
    """The natural logarithm of `input`."""

    def forward(xp, input: Tensor):
        return xp.log(input)

    def d_input(F, g, input):
        return g / F.conj(input)

    samples = POSITIVE


@elementwise(dtype="float")
class log2:
    """The logarithm of `input` to the base 2."""

    def forward(xp, input: Tensor):
        return xp.log2(input)

    def d_input(F, g, input):
        return g / (F.conj(input) * LOG_2)

    samples = POSITIVE


@elementwise(dtype="float")
class log10:
    """The logarithm of `input` to the base 10."""

    def forward(xp, input: Tensor):
        return xp.log10(input)

    def d_input(F, g, input):
        return g / (F.conj(input) * LOG_10)

    samples = POSITIVE


@elementwise(dtype="float")
class log1p:
    """`log(1 + input)`, exact near 0."""

    def forward(xp, input: Tensor):
        return xp.log1p(input) if input.dtype.kind != "c" else xp.log1p_of_complex(input)

    def d_input(F, g, input):
        return g / F.conj(input + 1)

    samples = POSITIVE


face(log1p, spaces=("torch", "special"), node="Log1PBackward0")


@elementwise(scalar_operands=False)
class logaddexp:
    """`log(exp(input) + exp(other))`, without overflow on the way."""

    def forward(xp, input: Tensor, other: Tensor):
        return xp.logaddexp(input, other)

    def d_input(F, g, input, other):
        return g / F.conj(1 + F.exp(other - input))

    def d_other(F, g, input, other):
        return g / F.conj(1 + F.exp(input - other))


face(logaddexp, inplace=False, refuses=dict.fromkeys((BOOL, INTEGER), unimplemented("logaddexp_cpu")))


@elementwise(scalar_operands=False)
class logaddexp2:
    """`log2(2^input + 2^other)`, without overflow on the way."""

    def forward(xp, input: Tensor, other: Tensor):
        return xp.logaddexp2(input, other)

    def d_input(F, g, input, other):
        return g / (1 + F.exp2(other - input))

    def d_other(F, g, input, other):
        return g / (1 + F.exp2(input - other))


face(logaddexp2, inplace=False, refuses=dict.fromkeys((BOOL, INTEGER, COMPLEX), unimplemented("logaddexp2_cpu")))


@elementwise(dtype="float", scalar_operands=("input", "other"))
class xlogy:
    """`input * log(other)`, and 0 where `input` is 0."""

    def forward(xp, input: Tensor, other: Tensor):
        return xp.xlogy(input, other)

    def d_input(F, g, input, other):
        return F.where((input == 0) & (other <= 0), 0, F.xlogy(g, other))

    def d_other(F, g, input, other):
        return g * (input / other)

    samples = lambda r: [*((a, b * b + 0.5) for a, b in BINARY(r)), (2, r.positive(3)), (r(3), 2)]


face(
    xlogy,
    spaces=("torch", "special"),
    node=(
        "XlogyBackward2 if isinstance(other, (int, float)) "
        "else XlogyBackward1 if isinstance(input, (int, float)) else XlogyBackward0"
    ),
    refuses={COMPLEX: unimplemented("xlogy_cpu")},
)


@elementwise(dtype="float")
class sigmoid:
    """`1 / (1 + exp(-input))`, the logistic function."""

    def forward(xp, input: Tensor):
        return xp.sigmoid(input)

    def d_input(F, g, out):
        return g * F.conj((1 - out) * out)


@elementwise(dtype="float", casts_scalar={"eps": REDUCED})
class logit:
    """`log(input / (1 - input))`, the inverse of `sigmoid`; with `eps`, of the input kept so far away from 0 and 1."""

    def forward(xp, input: Tensor, eps=None):
        if eps is not None:
            element(eps, input.dtype)  # which refuses what is beyond the dtype
        return xp.logit(input, eps)

    def d_input(F, g, input, input_dtype, eps):
        low, outside = (0, math.nan) if eps is None else (float(input_dtype.type(eps)), 0)
        high = float(input_dtype.type(1 - low))  # both bounds in the precision of the input
        return F.where((input >= low) & (input <= high), g / (input * (1 - input)), outside)

    samples = lambda r: [(each,) for each in (r(2, 3).sigmoid(), r().sigmoid())] + [(r(4).sigmoid(), 0.2)]


face(logit, spaces=("torch", "special"), refuses={COMPLEX: unimplemented("logit_cpu")})
