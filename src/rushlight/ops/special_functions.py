"""Error, gamma and Bessel functions, element by element."""

from __future__ import annotations

import math

from rushlight.core.dtype import BOOL, COMPLEX, INTEGER
from rushlight.ops.declare import composite, elementwise
from rushlight.ops.kinds import unimplemented
from rushlight.ops.samples import POSITIVE, UNARY, UNIT

ERF_SLOPE = 2 / math.sqrt(math.pi)
BOTH = ("torch", "special")

# ---- the error function


@elementwise(dtype="float", spaces=BOTH)
class erf:
    """The error function: `2 / sqrt(pi)` times the integral of `exp(-t^2)` from 0 to `input`."""

    def forward(xp, input: Tensor):
        return xp.erf(input)

    def d_input(F, g, input):
        return g * (ERF_SLOPE * F.exp(-input * input))

    refuses = {COMPLEX: unimplemented("erf_vml_cpu")}
    samples = UNARY


@elementwise(dtype="float", spaces=BOTH)
class erfc:
    """`1 - erf(input)`, exact where that is small."""

    def forward(xp, input: Tensor):
        return xp.erfc(input)

    def d_input(F, g, input):
        return g * (-ERF_SLOPE * F.exp(-input * input))

    refuses = {COMPLEX: unimplemented("erfc_vml_cpu")}
    samples = UNARY


@elementwise(dtype="float", spaces=BOTH)
class erfinv:
    """The number whose error function is `input`."""

    def forward(xp, input: Tensor):
        return xp.erfinv(input)

    def d_input(F, g, out):
        return g * (F.exp(out * out) / ERF_SLOPE)

    refuses = {COMPLEX: unimplemented("erfinv_vml_cpu")}
    samples = UNIT


# ---- the gamma function


@elementwise(dtype="float")
class lgamma:
    """The logarithm of the absolute value of the gamma function."""

    def forward(xp, input: Tensor):
        return xp.lgamma(input)

    def d_input(F, g, input):
        return g * F.digamma(input)

    refuses = {COMPLEX: unimplemented("lgamma_vml_cpu")}
    samples = POSITIVE


@elementwise(dtype="float", spaces=BOTH)
class digamma:
    """The derivative of `lgamma`."""

    def forward(xp, input: Tensor):
        return xp.digamma(input)

    def d_input(F, g, input):
        return g * F.digamma_derivative(input, 1)

    refuses = {COMPLEX: unimplemented("digamma")}
    samples = POSITIVE


@elementwise(dtype="float", spaces=(), method="polygamma")
class digamma_derivative:
    """The derivative of order `n` of `digamma`."""

    def forward(xp, input: Tensor, n):
        return xp.polygamma(n, input)

    def d_input(F, g, input, n):
        return g * F.digamma_derivative(input, n + 1)

    node = "PolygammaBackward0"
    refuses = {COMPLEX: unimplemented("trigamma")}
    samples = lambda r: [(each + 0.5, n) for n in (0, 1, 2, 3) for (each,) in POSITIVE(r)[:2]]


@composite(
    overlap="full", spaces=BOTH, method=None, out=True, samples=lambda r: [(n, r.positive(2, 3) + 0.5) for n in (0, 2)]
)
def polygamma(F, n, input):
    """The derivative of order `n` of `digamma`."""
    return F.digamma_derivative(input, n)


@elementwise(dtype="float")
class mvlgamma:
    """The logarithm of the multivariate gamma function of dimension `p`."""

    def forward(xp, input: Tensor, p):
        return xp.multigamma(input, p)

    def d_input(F, g, input, p):
        return g * sum((F.digamma(input - j / 2) for j in range(1, p)), F.digamma(input))

    refuses = {COMPLEX: unimplemented("mvlgamma")}
    samples = lambda r: [(r.positive(2, 3) + p, p) for p in (1, 2, 3)]


@elementwise(numbers=False)
class igamma:
    """The regularised lower incomplete gamma function of order `input` at `other`."""

    def forward(xp, input: Tensor, other: Tensor):
        return xp.gammainc(input, other)

    def d_input(F, g):
        raise NotImplementedError("the derivative for 'igamma: input' is not implemented.")

    def d_other(F, g, input, other):
        return g * F.exp((input - 1) * F.log(other) - other - F.lgamma(input))

    refuses = dict.fromkeys((BOOL, INTEGER, COMPLEX), unimplemented("igamma_cpu"))


@elementwise(numbers=False)
class igammac:
    """`1 - igamma(input, other)`, exact where that is small."""

    def forward(xp, input: Tensor, other: Tensor):
        return xp.gammaincc(input, other)

    def d_input(F, g):
        raise NotImplementedError("the derivative for 'igammac: input' is not implemented.")

    def d_other(F, g, input, other):
        return -g * F.exp((input - 1) * F.log(other) - other - F.lgamma(input))

    refuses = dict.fromkeys((BOOL, INTEGER, COMPLEX), unimplemented("igammac_cpu"))


# ---- modified Bessel functions of the first kind


@elementwise(dtype="float", spaces=BOTH)
class i0:
    """The modified Bessel function of order 0."""

    def forward(xp, input: Tensor):
        return xp.i0(input)

    def d_input(F, g, input):
        return g * F.i1(input)

    refuses = {COMPLEX: unimplemented("i0_vml_cpu")}
    samples = UNARY


@elementwise(dtype="float", spaces=("special",), inplace=False)
class i0e:
    """`i0(input) * exp(-|input|)`."""

    def forward(xp, input: Tensor):
        return xp.i0e(input)

    def d_input(F, g, input, out):
        return g * (F.i1e(input) - F.sgn(input) * out)

    node = "SpecialI0EBackward0"
    refuses = {COMPLEX: unimplemented("i0e_cpu")}
    samples = UNARY


@elementwise(dtype="float", spaces=("special",), inplace=False)
class i1:
    """The modified Bessel function of order 1, whose slope at 0 is 1/2."""

    def forward(xp, input: Tensor):
        return xp.i1(input)

    def d_input(F, g, input, out):
        return g * F.where(input == 0, 0.5, F.i0(input) - out / F.where(input == 0, 1, input))

    node = "SpecialI1Backward0"
    refuses = {COMPLEX: unimplemented("i1_cpu")}
    samples = UNARY


@elementwise(dtype="float", spaces=("special",), inplace=False)
class i1e:
    """`i1(input) * exp(-|input|)`."""

    def forward(xp, input: Tensor):
        return xp.i1e(input)

    def d_input(F, g, input, out):
        slope = F.i0e(input) - out * (F.sgn(input) + 1 / F.where(input == 0, 1, input))
        return g * F.where(input == 0, 0.5, slope)

    node = "SpecialI1EBackward0"
    refuses = {COMPLEX: unimplemented("i1e_cpu")}
    samples = UNARY
