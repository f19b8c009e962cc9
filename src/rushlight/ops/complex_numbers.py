"""Complex numbers, element by element: their parts and how they are put together."""

from __future__ import annotations

from numbers import Number

from rushlight.core.dtype import BY_NUMPY, SCALAR_NAMES
from rushlight.core.tensor import Tensor
from rushlight.ops.declare import composite, elementwise
from rushlight.ops.kinds import FOUND_DTYPE, is_complex
from rushlight.ops.samples import UNARY

# Conjugates are computed at once, so nothing is ever left to be resolved.


@elementwise(spaces=(), inplace=False)
class conjugate:
    """The complex conjugate of a complex `input`."""

    def forward(xp, input: Tensor):
        return xp.conj(input)

    def d_input(F, g):
        return F.conjugate(g)

    node = "ConjBackward0"
    samples = UNARY


@elementwise(spaces=(), inplace=False)
class conjugate_in_memory:
    """The complex conjugate of a complex `input`."""

    def forward(xp, input: Tensor):
        return xp.conj(input)

    def d_input(F, g):
        return F.conjugate(g)

    node = "ConjPhysicalBackward0"
    samples = UNARY


@composite(samples=UNARY)
def conj(F, input):
    """The complex conjugate of `input`; the input itself where it is real."""
    if isinstance(input, Number):
        return input.conjugate()
    return F.conjugate(input) if is_complex(input) else input


@composite(overlap="full", same_dtype=FOUND_DTYPE, inplace=True, out=True, samples=UNARY)
def conj_physical(F, input):
    """The complex conjugate of `input`; the input itself where it is real."""
    return F.conjugate_in_memory(input) if is_complex(input) else input


@composite(samples=lambda r: [(r(2, 3),), (r(),)])
def resolve_conj(F, input):
    """The input itself."""
    return input


@composite(samples=lambda r: [(r(2, 3),), (r(),)])
def resolve_neg(F, input):
    """The input itself."""
    return input


@elementwise(dtype="float", inplace=False)
class angle:
    """The angle of `input` in the complex plane: for real numbers 0 or pi."""

    def forward(xp, input: Tensor):
        return xp.angle(input)

    def d_input(F, g, input):
        if not is_complex(input):
            return F.zeros_of(g)
        radius = F.abs(input)
        return F.where(radius == 0, 0, g * 1j * input / (radius * radius))

    samples = UNARY


OTHER_PARTS = "Expected object of scalar type {result} but got scalar type {out} for argument 'out'"


@elementwise(same_dtype=OTHER_PARTS, dtype="keep", numbers=False, method=None, inplace=False)
class complex:
    """`real + i imag`."""

    def forward(xp, real: Tensor, imag: Tensor):
        same_floats(real, imag)
        if real.dtype != imag.dtype:
            names = (SCALAR_NAMES[BY_NUMPY[each.dtype]] for each in (real, imag))
            raise RuntimeError(
                "Expected object of scalar type {} but got scalar type {} for second argument".format(*names)
            )
        return xp.from_parts(real, imag)

    def d_real(F, g):
        return F.real(g)

    def d_imag(F, g):
        return F.imag(g)

    samples = lambda r: []


@elementwise(same_dtype=OTHER_PARTS, dtype="keep", numbers=False, method=None, inplace=False)
class polar:
    """The complex number of absolute value `abs` and angle `angle`."""

    def forward(xp, abs: Tensor, angle: Tensor):
        same_floats(abs, angle)
        return xp.polar(abs, angle)

    # Two lines each: one alone would be taken for one on real numbers, and lose its conjugates.

    def d_abs(F, g, out):
        direction = F.conj(F.sgn(out))
        return F.real(g * direction)

    def d_angle(F, g, out):
        turned = F.conj(out * 1j)
        return F.real(g * turned)

    samples = lambda r: []


def same_floats(one, other) -> None:
    """The parts of a complex number are floating-point numbers of one dtype."""
    if one.dtype.kind != "f" or other.dtype.kind != "f":
        names = (SCALAR_NAMES[BY_NUMPY[each.dtype]] for each in (one, other))
        raise RuntimeError("Expected both inputs to be Half, Float or Double tensors but got {} and {}".format(*names))
