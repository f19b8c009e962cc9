"""Complex numbers, element by element: their parts and how they are put together."""

from __future__ import annotations

from numbers import Number

from rushlight.core.lazy_conj_neg import marks_of, unresolved
from rushlight.core.tensor import Tensor
from rushlight.declarations.checks.complex_numbers import check_polar_dtype, same_floats
from rushlight.declarations.declare import composite, elementwise, face, linear
from rushlight.declarations.dtype_rules import FOUND_DTYPE, is_complex, raw_dtype, refuse
from rushlight.declarations.samples import UNARY

# ---- conjugates and negatives that are not computed before somebody reads them


@linear(internal=True, view=True)
class conjugate:
    """The complex conjugate of a complex `input`: a view, of which nothing is computed until it is read."""

    def forward(xp, input: Tensor):
        return unresolved(input, conj=True)

    # Two statements: a single one would be generated for real numbers only, and lose its conjugate.
    def d_input(F, g):
        turned = F.conj(g)
        return turned

    samples = lambda r: []


face(conjugate, node="ConjBackward0")


@linear(view=True)
class _neg_view:
    """The negative of `input`: a view, of which nothing is computed until it is read."""

    def forward(xp, input: Tensor):
        refuse(input, "b", "neg_cpu")
        return unresolved(input, neg=True)

    def d_input(F, g):
        return F.neg(g)

    samples = UNARY


face(_neg_view, spaces=("torch",), method="_neg_view", node="NegViewBackward0")


@elementwise
class conjugate_in_memory:
    """The complex conjugate of a complex `input`."""

    def forward(xp, input: Tensor):
        return xp.conj(input)

    def d_input(F, g):
        return F.conj(g)


face(conjugate_in_memory, spaces=(), inplace=False, node="ConjPhysicalBackward0")


@composite(samples=UNARY)
def conj(F, input):
    """The complex conjugate of `input`, a view; the input itself where it is real."""
    if isinstance(input, Number):
        return input.conjugate()
    if not has_conjugate(input):
        return input
    return F.conjugate(input) if isinstance(input, Tensor) else F.conjugate_in_memory(input)


@composite(samples=UNARY)
def conj_physical(F, input):
    """The complex conjugate of `input` in memory of its own; the input itself where it is real."""
    return F.conjugate_in_memory(input) if has_conjugate(input) else input


face(conj_physical, out=True, overlap="full", out_same_dtype=FOUND_DTYPE, inplace=True)


@composite(samples=lambda r: [(r(2, 3),), (r(),)])
def resolve_conj(F, input):
    """The input itself, unless it is a conjugate that is not computed yet: then its numbers in memory of their own."""
    return F.clone(input) if is_marked(input, CONJ) else input


@composite(samples=lambda r: [(r(2, 3),), (r(),)])
def resolve_neg(F, input):
    """The input itself, unless it is a negative that is not computed yet: then its numbers in memory of their own."""
    return F.clone(input) if is_marked(input, NEG) else input


def has_conjugate(input) -> bool:
    """Whether numbers are complex, in half precision too: to NumPy complex32 is of a kind of its own."""
    return raw_dtype(input).kind in "cW"


CONJ, NEG = 0, 1  # the indices of the two flags


def is_marked(input, mark: int) -> bool:
    """Whether a tensor is an unresolved conjugate, or negative; raw arrays never are."""
    return marks_of(getattr(input, "_array", input))[mark]


# ---- their parts


def refusal_of_lazy_conjugate(input):
    """Returns the error for a conjugate that is not materialized."""
    if not is_marked(input, CONJ):
        return None
    return RuntimeError(
        "view_as_real doesn't work on unresolved conjugated tensors.  To resolve the conjugate tensor so you can "
        "view it as real, use self.resolve_conj(); however, be warned that the resulting tensor will NOT alias the "
        "original."
    )


@linear(view=True)
class view_as_real:
    """Complex numbers as pairs of real ones, in a last dimension."""

    def forward(xp, input: Tensor):
        return xp.as_real(input)

    def d_input(F, g):
        return F.complex_copy(g)

    samples = lambda r: [(r(3) * (2 + 1j),), (r() * 1j,), (r(0, 2) * 1j,)]


face(view_as_real, method=None, refuses=refusal_of_lazy_conjugate)


@linear(view=True)
class view_as_complex:
    """Pairs of real numbers, the last dimension, as complex ones."""

    def forward(xp, input: Tensor):
        return xp.as_complex(input)

    def d_input(F, g):
        return F.view_as_real(F.resolve_conj(g))

    samples = lambda r: [(r(3, 2),), (r(2),), (r(0, 2),)]


face(view_as_complex, method=None)


@composite(samples=lambda r: [(r(2, 3),), (r(),)])
def real(F, input):
    """The real parts, a view; `input` itself where it is real."""
    if not has_conjugate(input):
        return input
    return F.select(F.view_as_real(F.conjugate(input) if is_marked(input, CONJ) else input), -1, 0)


face(real, method=None)


@composite(samples=lambda r: [(r(3) * (2 + 1j),), (r() * 1j,)])
def imag(F, input):
    """The imaginary parts, a view. Raises RuntimeError where `input` is real."""
    if not has_conjugate(input):
        raise RuntimeError("imag is not implemented for tensors with non-complex dtypes.")
    if is_marked(input, CONJ):
        return F.select(F._neg_view(F.view_as_real(F.conjugate(input))), -1, 1)
    return F.select(F.view_as_real(input), -1, 1)


face(imag, method=None)


@elementwise(dtype="float")
class angle:
    """The angle of `input` in the complex plane: for real numbers 0 or pi."""

    def forward(xp, input: Tensor):
        return xp.angle(input)

    def d_input(F, g, input):
        if not is_complex(input):
            return F.zeros_of(g)
        radius = F.abs(input)
        return F.where(radius == 0, 0, g * 1j * input / (radius * radius))

    def jvp(F, input_t, input):
        if not is_complex(input):
            return F.zeros_of(input_t)
        radius = F.abs(input)
        return F.where(radius == 0, 0, F.imag(F.resolve_conj(F.conj(input) * input_t)) / (radius * radius))


face(angle, inplace=False)


OTHER_PARTS = "Expected object of scalar type {result} but got scalar type {out} for argument 'out'"


@elementwise(dtype="keep", exact=True, no_fp_errors=False, scalar_operands=False)
class complex:
    """`real + i imag`."""

    def forward(xp, real: Tensor, imag: Tensor):
        same_floats(real, imag)
        return xp.from_parts(real, imag)

    def d_real(F, g):
        return F.real(g)

    def d_imag(F, g):
        return F.imag(g)

    def jvp(F, real_t, imag_t, real, imag):
        return F.complex(F.zeros_of(real) if real_t is None else real_t, F.zeros_of(imag) if imag_t is None else imag_t)

    samples = lambda r: []


face(complex, method=None, out_same_dtype=OTHER_PARTS, inplace=False)


@elementwise(dtype="keep", exact=True, no_fp_errors=False, scalar_operands=False)
class polar:
    """The complex number of absolute value `abs` and angle `angle`."""

    def forward(xp, abs: Tensor, angle: Tensor):
        same_floats(abs, angle)
        check_polar_dtype(abs)
        return xp.polar(abs, angle)

    # Two statements each: a single one would be generated for real numbers only, and lose its conjugates.

    def d_abs(F, g, out):
        direction = F.conj(F.sgn(out))
        return F.real(g * direction)

    def d_angle(F, g, out):
        turned = F.conj(out * 1j)
        return F.real(g * turned)

    def jvp(F, abs_t, angle_t, angle, out):
        along = None if abs_t is None else abs_t * F.complex(F.cos(angle), F.sin(angle))
        across = None if angle_t is None else angle_t * (out * 1j)
        return along + across if along is not None and across is not None else across if along is None else along

    samples = lambda r: []


face(polar, method=None, out_same_dtype=OTHER_PARTS, inplace=False)
