"""Bessel functions, and the Airy function, which is one of order 1/3 in disguise.

Names are those of https://dlmf.nist.gov/10: J and Y of the first and second kind; I and K their modified twins. PyTorch
has derivatives of the first four alone; the results of the others do not require grad.
"""

from __future__ import annotations

from rushlight.core.dtype import COMPLEX
from rushlight.declarations.declare import elementwise, face
from rushlight.declarations.dtype_rules import unimplemented, wide_floats_only
from rushlight.declarations.samples import POSITIVE

# ---- the modified functions I with derivatives


SMALL = 1e-30  # up to here the derivative of order 1 is 1/2, and a reciprocal may leave the range of the dtype


@elementwise(dtype="float")
class i0:
    """The modified Bessel function of order 0."""

    def forward(xp, input: Tensor):
        return xp.i0(input)

    def d_input(F, g, input):
        return g * F.special_i1(input)


face(i0, spaces=("torch", "special"), refuses={COMPLEX: unimplemented("i0_vml_cpu")})


@elementwise(dtype="float")
class special_i0e:
    """`i0(input) * exp(-|input|)`."""

    def forward(xp, input: Tensor):
        return xp.i0e(input)

    def d_input(F, g, input, out):
        return g * (F.special_i1e(input) - F.sgn(input) * out)


face(special_i0e, node="SpecialI0EBackward0", refuses={COMPLEX: unimplemented("i0e_cpu")})


@elementwise(dtype="float")
class special_i1:
    """The modified Bessel function of order 1, whose derivative at 0 is 1/2."""

    def forward(xp, input: Tensor):
        return xp.i1(input)

    def d_input(F, g, input, out):
        small = F.abs(input) < SMALL
        return g * F.where(small, 0.5, F.i0(input) - out / F.where(small, 1, input))


face(special_i1, node="SpecialI1Backward0", refuses={COMPLEX: unimplemented("i1_cpu")})


@elementwise(dtype="float")
class special_i1e:
    """`i1(input) * exp(-|input|)`."""

    def forward(xp, input: Tensor):
        return xp.i1e(input)

    def d_input(F, g, input, out):
        small = F.abs(input) < SMALL
        derivative = F.special_i0e(input) - out * (F.sgn(input) + 1 / F.where(small, 1, input))
        return g * F.where(small, 0.5, derivative)


face(special_i1e, node="SpecialI1EBackward0", refuses={COMPLEX: unimplemented("i1e_cpu")})


# ---- the functions J and Y


@elementwise(dtype="float")
class special_bessel_j0:
    """The Bessel function of the first kind of order 0."""

    def forward(xp, input: Tensor):
        return xp.j0(input)


face(special_bessel_j0, refuses=wide_floats_only("bessel_j0_cpu"))


@elementwise(dtype="float")
class special_bessel_j1:
    """The Bessel function of the first kind of order 1."""

    def forward(xp, input: Tensor):
        return xp.j1(input)


face(special_bessel_j1, refuses=wide_floats_only("bessel_j1_cpu"))


@elementwise(dtype="float")
class special_bessel_y0:
    """The Bessel function of the second kind of order 0, for positive numbers."""

    def forward(xp, input: Tensor):
        return xp.y0(input)

    samples = POSITIVE


face(special_bessel_y0, refuses=wide_floats_only("bessel_y0_cpu"))


@elementwise(dtype="float")
class special_bessel_y1:
    """The Bessel function of the second kind of order 1, for positive numbers."""

    def forward(xp, input: Tensor):
        return xp.y1(input)

    samples = POSITIVE


face(special_bessel_y1, refuses=wide_floats_only("bessel_y1_cpu"))


@elementwise(dtype="float")
class special_spherical_bessel_j0:
    """The spherical Bessel function of the first kind of order 0: `sin(x) / x`."""

    def forward(xp, x: Tensor):
        return xp.spherical_bessel_j0(x)


face(special_spherical_bessel_j0, documented_names={"x": "input"}, refuses=wide_floats_only("spherical_bessel_j0_cpu"))


# ---- the modified functions I and K


@elementwise(dtype="float")
class special_modified_bessel_i0:
    """The modified Bessel function of the first kind of order 0."""

    def forward(xp, input: Tensor):
        return xp.i0(input)


face(special_modified_bessel_i0, refuses=wide_floats_only("modified_bessel_i0_cpu"))


@elementwise(dtype="float")
class special_modified_bessel_i1:
    """The modified Bessel function of the first kind of order 1."""

    def forward(xp, input: Tensor):
        return xp.i1(input)


face(special_modified_bessel_i1, refuses=wide_floats_only("modified_bessel_i1_cpu"))


@elementwise(dtype="float")
class special_modified_bessel_k0:
    """The modified Bessel function of the second kind of order 0, for positive numbers."""

    def forward(xp, input: Tensor):
        return xp.k0(input)

    samples = POSITIVE


face(special_modified_bessel_k0, refuses=wide_floats_only("modified_bessel_k0_cpu"))


@elementwise(dtype="float")
class special_modified_bessel_k1:
    """The modified Bessel function of the second kind of order 1, for positive numbers."""

    def forward(xp, input: Tensor):
        return xp.k1(input)

    samples = POSITIVE


face(special_modified_bessel_k1, refuses=wide_floats_only("modified_bessel_k1_cpu"))


@elementwise(dtype="float")
class special_scaled_modified_bessel_k0:
    """`modified_bessel_k0(x) * exp(x)`."""

    def forward(xp, x: Tensor):
        return xp.k0e(x)

    samples = POSITIVE


face(
    special_scaled_modified_bessel_k0,
    documented_names={"x": "input"},
    refuses=wide_floats_only("scaled_modified_bessel_k0_cpu"),
)


@elementwise(dtype="float")
class special_scaled_modified_bessel_k1:
    """`modified_bessel_k1(x) * exp(x)`."""

    def forward(xp, x: Tensor):
        return xp.k1e(x)

    samples = POSITIVE


face(
    special_scaled_modified_bessel_k1,
    documented_names={"x": "input"},
    refuses=wide_floats_only("scaled_modified_bessel_k1_cpu"),
)


# ---- the Airy function


@elementwise(dtype="float")
class special_airy_ai:
    """The Airy function Ai, the solution of `y'' = x y` that vanishes at infinity."""

    def forward(xp, x: Tensor):
        return xp.airy_ai(x)


face(special_airy_ai, documented_names={"x": "input"}, refuses=wide_floats_only("airy_ai_cpu"))
