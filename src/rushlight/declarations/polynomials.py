"""Orthogonal polynomials at `x` of degree `n`: Chebyshev, Hermite, Laguerre, Legendre.

Every one is determined by its first two and a recurrence, https://dlmf.nist.gov/18.9. PyTorch has no derivatives of
them: the results do not require grad.
"""

from __future__ import annotations

from rushlight.declarations.declare import elementwise, face
from rushlight.declarations.dtype_rules import wide_floats_only

DEGREES = (-1, 0, 1, 2, 5, 9, 12)
# Near 0 and beyond 1; degrees of all kinds, as a tensor and as a number.
DEGREE_AND_POINT = lambda r: [
    *((r(2, 3), n) for n in DEGREES),
    (r(2, 1), r.integers(12, 3)),
    (r(4).tanh(), r.integers(16, 4)),
    (0.5, r.integers(12, 4).double().requires_grad_()),
    (r(), r.integers(5)),
    (r(0), 3),
]


def polynomial_face(block) -> None:
    """Says how a polynomial is called."""
    kernel = f"{block.__name__.removeprefix('special_')}_cpu"
    face(block, documented_names={"x": "input"}, refuses=wide_floats_only(kernel))


# ---- Chebyshev


@elementwise(dtype="float")
class special_chebyshev_polynomial_t:
    """The Chebyshev polynomial of the first kind: `cos(n * acos(x))` between -1 and 1."""

    def forward(xp, x: Tensor, n: Tensor):
        return xp.chebyshev("t", x, n)

    samples = DEGREE_AND_POINT


polynomial_face(special_chebyshev_polynomial_t)


@elementwise(dtype="float")
class special_chebyshev_polynomial_u:
    """The Chebyshev polynomial of the second kind: `sin((n + 1) * acos(x)) / sin(acos(x))` between -1 and 1."""

    def forward(xp, x: Tensor, n: Tensor):
        return xp.chebyshev("u", x, n)

    samples = DEGREE_AND_POINT


polynomial_face(special_chebyshev_polynomial_u)


@elementwise(dtype="float")
class special_chebyshev_polynomial_v:
    """The Chebyshev polynomial of the third kind: `cos((n + 1/2) * acos(x)) / cos(acos(x) / 2)` between -1 and 1."""

    def forward(xp, x: Tensor, n: Tensor):
        return xp.chebyshev("v", x, n)

    samples = DEGREE_AND_POINT


polynomial_face(special_chebyshev_polynomial_v)


@elementwise(dtype="float")
class special_chebyshev_polynomial_w:
    """The Chebyshev polynomial of the fourth kind: `sin((n + 1/2) * acos(x)) / sin(acos(x) / 2)` between -1 and 1."""

    def forward(xp, x: Tensor, n: Tensor):
        return xp.chebyshev("w", x, n)

    samples = DEGREE_AND_POINT


polynomial_face(special_chebyshev_polynomial_w)


# ---- Chebyshev, at home between 0 and 1


@elementwise(dtype="float")
class special_shifted_chebyshev_polynomial_t:
    """The Chebyshev polynomial of the first kind at `2 * x - 1`."""

    def forward(xp, x: Tensor, n: Tensor):
        return xp.shifted_chebyshev("t", x, n)

    samples = DEGREE_AND_POINT


polynomial_face(special_shifted_chebyshev_polynomial_t)


@elementwise(dtype="float")
class special_shifted_chebyshev_polynomial_u:
    """The Chebyshev polynomial of the second kind at `2 * x - 1`."""

    def forward(xp, x: Tensor, n: Tensor):
        return xp.shifted_chebyshev("u", x, n)

    samples = DEGREE_AND_POINT


polynomial_face(special_shifted_chebyshev_polynomial_u)


@elementwise(dtype="float")
class special_shifted_chebyshev_polynomial_v:
    """The Chebyshev polynomial of the third kind at `2 * x - 1`."""

    def forward(xp, x: Tensor, n: Tensor):
        return xp.shifted_chebyshev("v", x, n)

    samples = DEGREE_AND_POINT


polynomial_face(special_shifted_chebyshev_polynomial_v)


@elementwise(dtype="float")
class special_shifted_chebyshev_polynomial_w:
    """The Chebyshev polynomial of the fourth kind at `2 * x - 1`."""

    def forward(xp, x: Tensor, n: Tensor):
        return xp.shifted_chebyshev("w", x, n)

    samples = DEGREE_AND_POINT


polynomial_face(special_shifted_chebyshev_polynomial_w)


# ---- Hermite, Laguerre, Legendre


@elementwise(dtype="float")
class special_hermite_polynomial_h:
    """The physicist's Hermite polynomial, whose leading coefficient is `2^n`."""

    def forward(xp, x: Tensor, n: Tensor):
        return xp.hermite_h(x, n)

    samples = DEGREE_AND_POINT


polynomial_face(special_hermite_polynomial_h)


@elementwise(dtype="float")
class special_hermite_polynomial_he:
    """The probabilist's Hermite polynomial, whose leading coefficient is 1."""

    def forward(xp, x: Tensor, n: Tensor):
        return xp.hermite_he(x, n)

    samples = DEGREE_AND_POINT


polynomial_face(special_hermite_polynomial_he)


@elementwise(dtype="float")
class special_laguerre_polynomial_l:
    """The Laguerre polynomial, orthogonal with the weight `exp(-x)` from 0 on."""

    def forward(xp, x: Tensor, n: Tensor):
        return xp.laguerre(x, n)

    samples = DEGREE_AND_POINT


polynomial_face(special_laguerre_polynomial_l)


@elementwise(dtype="float")
class special_legendre_polynomial_p:
    """The Legendre polynomial, orthogonal between -1 and 1."""

    def forward(xp, x: Tensor, n: Tensor):
        return xp.legendre(x, n)

    samples = DEGREE_AND_POINT


polynomial_face(special_legendre_polynomial_p)
