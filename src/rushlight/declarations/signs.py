"""Absolute values and signs, element by element."""

from __future__ import annotations

from rushlight.core.dtype import BOOL, COMPLEX
from rushlight.declarations.checks.signs import check_abs_inplace, check_abs_out
from rushlight.declarations.declare import composite, elementwise, face
from rushlight.declarations.dtype_rules import FOUND_DTYPE, is_complex, refusal, unimplemented
from rushlight.declarations.samples import UNARY, WITH_NUMBER


@elementwise(no_fp_errors=True)
class modulus:
    """The absolute value of `input`, whose derivative at 0 is 0."""

    def forward(xp, input: Tensor):
        return xp.abs(input)

    def d_input(F, g, input):
        return g * F.sgn(input)

    def jvp(F, input_t, input):
        direction = F.sgn(input)
        return F.real(input_t * F.conj(direction)) if is_complex(input) else input_t * direction


face(
    modulus, spaces=(), operators=("__abs__",), out=False, node="AbsBackward0", refuses={BOOL: unimplemented("abs_cpu")}
)


@composite(samples=UNARY)
def abs(F, input):
    """The absolute value of `input`, whose derivative at 0 is 0."""
    return F.modulus(input)


face(abs, aliases=("absolute",), out=True, overlap="full", checks_out=check_abs_out)


@composite(samples=lambda r: [(r(2, 3).detach(),), (r().detach(),)])
def abs_(F, input):
    """Replaces the elements of `input` by their absolute values, which those of complex numbers cannot be."""
    check_abs_inplace(input)
    return F.modulus_(input)


face(abs_, aliases=("absolute_",))


@elementwise
class sign:
    """-1, 0 or 1, as `input` is negative, zero or positive."""

    def forward(xp, input: Tensor):
        return xp.sign(input)

    def d_input(F, g):
        return F.zeros_of(g)


face(
    sign,
    out_same_dtype=FOUND_DTYPE,
    refuses={
        COMPLEX: refusal(
            "Unlike NumPy, torch.sign is not intended to support complex numbers. Please use torch.sgn instead.",
            NotImplementedError,
        )
    },
)


@elementwise
class sgn:
    """`sign`, and for complex numbers their direction `input / |input|`, 0 at 0."""

    def forward(xp, input: Tensor):
        return xp.sign(input)

    def d_input(F, g, input, out):
        if not is_complex(input):
            return F.zeros_of(g)
        radius = F.abs(input)
        return F.where(radius == 0, 0, (g - F.real(g * F.conj(out)) * out) / radius)

    def jvp(F, input_t, input, out):  # the part of the tangent across the direction, which moves only that way
        if not is_complex(input):
            return F.zeros_of(input_t)
        radius = F.abs(input)
        return F.where(radius == 0, 0, (input_t - F.real(input_t * F.conj(out)) * out) / radius)


face(sgn, out_same_dtype=FOUND_DTYPE)


@elementwise(dtype="float", scalar_operands=("other",))
class copysign:
    """The absolute value of `input` with the sign of `other`."""

    def forward(xp, input: Tensor, other: Tensor):
        return xp.copysign(input, other)

    def d_input(F, g, input, out):
        return g * F.where(input == 0, 0, out / input)

    def d_other(F, g):
        return F.zeros_of(g)

    samples = WITH_NUMBER


face(
    copysign,
    node="CopysignBackward1 if isinstance(other, (int, float)) else CopysignBackward0",
    refuses={COMPLEX: unimplemented("copysign_cpu")},
)


@elementwise(no_fp_errors=True, dtype="bool")
class signbit:
    """Whether the sign of `input` is minus, that of -0.0 included."""

    def forward(xp, input: Tensor):
        return xp.signbit(input)


face(
    signbit,
    out_same_dtype="signbit does not support non-boolean outputs.",
    inplace=False,
    refuses={COMPLEX: refusal("signbit is not implemented for complex tensors.", NotImplementedError)},
)
