"""Error functions, the gamma function and its relatives, entropies, element by element."""

from __future__ import annotations

import math

from rushlight.arrays.size_limits import check_size_fits
from rushlight.core.dtype import BOOL, COMPLEX, INTEGER
from rushlight.declarations.declare import composite, elementwise, face
from rushlight.declarations.dtype_rules import refusal, unimplemented, wide_floats_only
from rushlight.declarations.samples import BINARY, POSITIVE, UNARY, UNIT
from rushlight.declarations.shapes import as_int

ERF_SLOPE = 2 / math.sqrt(math.pi)
BOTH = ("torch", "special")

OF_DIMENSION = lambda r: [(r.positive(2, 3) + p, p) for p in (1, 2, 3)]
# The order is a constant: there is no derivative with respect to it.
OF_ORDER = lambda r: [(a.detach(), b) for a, b in ((r.positive(2, 3), r.positive(3)), (r.positive(), r.positive(2)))]

# ---- the error function


@elementwise(dtype="float")
class erf:
    """The error function: `2 / sqrt(pi)` times the integral of `exp(-t^2)` from 0 to `input`."""

    def forward(xp, input: Tensor):
        return xp.erf(input)

    def d_input(F, g, input):
        return g * (ERF_SLOPE * F.exp(-input * input))


face(erf, spaces=BOTH, refuses={COMPLEX: unimplemented("erf_vml_cpu")})


@elementwise(dtype="float")
class erfc:
    """`1 - erf(input)`, exact where that is small."""

    def forward(xp, input: Tensor):
        return xp.erfc(input)

    def d_input(F, g, input):
        return g * (-ERF_SLOPE * F.exp(-input * input))


face(erfc, spaces=BOTH, refuses={COMPLEX: unimplemented("erfc_vml_cpu")})


@elementwise(dtype="float")
class erfinv:
    """The number whose error function is `input`."""

    def forward(xp, input: Tensor):
        return xp.erfinv(input)

    def d_input(F, g, out):
        return g * (F.exp(out * out) / ERF_SLOPE)

    samples = UNIT


face(erfinv, spaces=BOTH, refuses={COMPLEX: unimplemented("erfinv_vml_cpu")})


@elementwise(dtype="float")
class special_erfcx:
    """`erfc(input) * exp(input^2)`, which stays in range where `erfc` alone is nearly 0."""

    def forward(xp, input: Tensor):
        return xp.erfcx(input)

    def d_input(F, g, input, out):
        return g * (2 * input * out - ERF_SLOPE)


face(special_erfcx, refuses=wide_floats_only("erfcx_cpu"))


# ---- the gamma function


@elementwise(dtype="float")
class lgamma:
    """The logarithm of the absolute value of the gamma function."""

    def forward(xp, input: Tensor):
        return xp.lgamma(input)

    def d_input(F, g, input):
        return g * F.digamma(input)

    samples = POSITIVE


face(lgamma, refuses={COMPLEX: unimplemented("lgamma_vml_cpu")})


@composite(samples=POSITIVE)
def special_gammaln(F, input):
    """The logarithm of the absolute value of the gamma function: `lgamma` by its other name."""
    return F.lgamma(input)


face(special_gammaln, out=True)


@elementwise(dtype="float")
class digamma:
    """The derivative of `lgamma`."""

    def forward(xp, input: Tensor):
        return xp.digamma(input)

    def d_input(F, g, input):
        return g * F.digamma_derivative(input, 1)

    samples = POSITIVE


face(digamma, spaces=BOTH, refuses={COMPLEX: unimplemented("digamma")})


@composite(samples=POSITIVE)
def special_psi(F, input):
    """The derivative of `lgamma`: `digamma` by its other name."""
    return F.digamma(input)


face(special_psi, out=True)


@elementwise(dtype="float")
class digamma_derivative:
    """The derivative of order `n` of `digamma`."""

    def forward(xp, input: Tensor, n):
        return xp.polygamma(as_int("polygamma", "n", n, " (position 1)"), input)

    def d_input(F, g, input, n):
        return g * F.digamma_derivative(input, n + 1)

    samples = lambda r: [(each + 0.5, n) for n in (0, 1, 2, 3) for (each,) in POSITIVE(r)[:2]]


face(
    digamma_derivative,
    spaces=(),
    method="polygamma",
    node="PolygammaBackward0",
    refuses={COMPLEX: unimplemented("trigamma")},
)


@composite(samples=lambda r: [(n, r.positive(2, 3) + 0.5) for n in (0, 2)])
def polygamma(F, n, input):
    """The derivative of order `n` of `digamma`."""
    return F.digamma_derivative(input, n)


face(polygamma, spaces=BOTH, method=None, out=True, overlap="full")


@elementwise(dtype="float")
class mvlgamma:
    """The logarithm of the multivariate gamma function of dimension `p`."""

    def forward(xp, input: Tensor, p: int):
        p = as_int("mvlgamma", "p", p, " (position 2)")
        check_size_fits((*input.shape, p), input.dtype.itemsize)
        return xp.multigamma(input, p)

    def d_input(F, g, input, p):
        return g * sum((F.digamma(input - j / 2) for j in range(1, p)), F.digamma(input))

    samples = OF_DIMENSION


face(
    mvlgamma,
    refuses={BOOL: refusal("The input tensor may not be a boolean tensor."), COMPLEX: unimplemented("arange_cpu")},
)


@composite(samples=OF_DIMENSION)
def special_multigammaln(F, input, p: int):
    """The logarithm of the multivariate gamma function of dimension `p`: `mvlgamma` by its other name."""
    return F.mvlgamma(input, as_int("special_multigammaln", "p", p, " (position 2)"))


face(special_multigammaln, out=True)


@elementwise(scalar_operands=False)
class igamma:
    """The regularised lower incomplete gamma function of order `input` at `other`."""

    def forward(xp, input: Tensor, other: Tensor):
        return xp.gammainc(input, other)

    def d_input(F, g):
        raise NotImplementedError("the derivative for 'igamma: input' is not implemented.")

    def d_other(F, g, input, other):
        return g * F.exp((input - 1) * F.log(other) - other - F.lgamma(input))

    samples = OF_ORDER


face(igamma, refuses=dict.fromkeys((BOOL, INTEGER, COMPLEX), unimplemented("igamma_cpu")))


@composite(samples=OF_ORDER)
def special_gammainc(F, input, other):
    """The regularised lower incomplete gamma function of order `input` at `other`: `igamma` by its other name."""
    return F.igamma(input, other)


face(special_gammainc, out=True)


@elementwise(scalar_operands=False)
class igammac:
    """`1 - igamma(input, other)`, exact where that is small."""

    def forward(xp, input: Tensor, other: Tensor):
        return xp.gammaincc(input, other)

    def d_input(F, g):
        raise NotImplementedError("the derivative for 'igammac: input' is not implemented.")

    def d_other(F, g, input, other):
        return -g * F.exp((input - 1) * F.log(other) - other - F.lgamma(input))

    samples = OF_ORDER


face(igammac, refuses=dict.fromkeys((BOOL, INTEGER, COMPLEX), unimplemented("igammac_cpu")))


@composite(samples=OF_ORDER)
def special_gammaincc(F, input, other):
    """The regularised upper incomplete gamma function of order `input` at `other`: `igammac` by its other name."""
    return F.igammac(input, other)


face(special_gammaincc, out=True)


# ---- the zeta function


@elementwise(dtype="float")
class special_zeta:
    """The Hurwitz zeta function: the sum of `(k + other)^-input` over k = 0, 1, 2, ..."""

    def forward(xp, input: Tensor, other: Tensor):
        return xp.zeta(input, other)

    def d_input(F, g):
        raise NotImplementedError("the derivative for 'zeta' is not implemented.")

    def d_other(F, g, input, other):
        return g * -input * F.special_zeta(input + 1, other)

    samples = lambda r: [(order + 1, other) for order, other in OF_ORDER(r)]


face(special_zeta, refuses=wide_floats_only("zeta_cpu"))


# ---- entropies, and the logistic function


@elementwise(dtype="float", scalar_operands=("input", "other"))
class special_xlog1py:
    """`input * log1p(other)`, and 0 where `input` is 0."""

    def forward(xp, input: Tensor, other: Tensor):
        return xp.xlog1py(input, other)

    def d_input(F, g, input, other):
        return F.where((input == 0) & (other <= -1), 0, F.special_xlog1py(g, other))

    def d_other(F, g, input, other):
        return g * (input / (other + 1))

    samples = lambda r: [*((a, b * b - 0.5) for a, b in BINARY(r)), (2, r.positive(3)), (r(3), 2)]


face(
    special_xlog1py,
    node=(
        "SpecialXlog1PyBackward2 if isinstance(other, (int, float)) "
        "else SpecialXlog1PyBackward1 if isinstance(input, (int, float)) else SpecialXlog1PyBackward0"
    ),
    refuses={COMPLEX: unimplemented("xlog1py_cpu")},
)


@elementwise(dtype="float")
class special_entr:
    """The entropy `-input * log(input)`: 0 at 0, minus infinity below."""

    def forward(xp, input: Tensor):
        return xp.entr(input)

    def d_input(F, g, input):
        return g * (-F.log(input) - 1)

    samples = POSITIVE


face(special_entr, refuses={COMPLEX: unimplemented("entr_cpu")})


@composite(samples=UNARY)
def special_expit(F, input):
    """`1 / (1 + exp(-input))`: `sigmoid` by its other name."""
    return F.sigmoid(input)


face(special_expit, out=True)
