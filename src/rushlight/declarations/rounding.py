"""Rounding, and the parts of floating-point numbers, element by element."""

from __future__ import annotations

import math

from rushlight.core.dtype import BOOL, COMPLEX, FLOAT, INTEGER
from rushlight.core.tensor import Tensor
from rushlight.declarations import results
from rushlight.declarations.checks.rounding import check_frexp_dtype, check_heaviside_dtypes, no_derivative
from rushlight.declarations.declare import composite, elementwise, face, op
from rushlight.declarations.dtype_rules import FOUND_DTYPE, category_of, refusal, unimplemented
from rushlight.declarations.samples import UNARY

LOG_2 = math.log(2)


def whole(name: str) -> dict:
    """Returns the error for rounding bools or complex numbers."""
    words = f"{name} is not supported for complex inputs"
    return {BOOL: unimplemented(f"{name}_vml_cpu"), COMPLEX: refusal(words, NotImplementedError)}


@elementwise(no_fp_errors=True)
class floor:
    """The largest integer that is not above `input`."""

    def forward(xp, input: Tensor):
        return xp.floor(input)

    def d_input(F, g):
        return F.zeros_of(g)


face(floor, out_same_dtype=FOUND_DTYPE, refuses=whole("floor"))


@elementwise(no_fp_errors=True)
class ceil:
    """The smallest integer that is not below `input`."""

    def forward(xp, input: Tensor):
        return xp.ceil(input)

    def d_input(F, g):
        return F.zeros_of(g)


face(ceil, out_same_dtype=FOUND_DTYPE, refuses=whole("ceil"))


@elementwise(no_fp_errors=True)
class trunc:
    """`input` without its fraction."""

    def forward(xp, input: Tensor):
        return xp.trunc(input)

    def d_input(F, g):
        return F.zeros_of(g)


face(trunc, aliases=("fix",), out_same_dtype=FOUND_DTYPE, refuses=whole("trunc"))


@elementwise
class round:
    """The nearest number with `decimals` digits after the point, the even one of two that are equally near."""

    def forward(xp, input: Tensor, *, decimals=0):
        return xp.round_to(input, decimals)

    def d_input(F, g):
        return F.zeros_of(g)

    samples = lambda r: [*UNARY(r), (r(2, 3), {"decimals": 2}), (r(2, 3) * 100, {"decimals": -1})]


face(
    round,
    spaces=("torch", "special"),
    method_positional=("decimals",),
    out_same_dtype=FOUND_DTYPE,
    node="RoundBackward1 if decimals else RoundBackward0",
    refuses=dict.fromkeys((BOOL, COMPLEX), unimplemented("round_vml_cpu")),
)


@elementwise
class frac:
    """The fraction of `input`, with its sign."""

    def forward(xp, input: Tensor):
        return input - xp.trunc(input)

    def d_input(F, g):
        return g


face(frac, out_same_dtype=FOUND_DTYPE, refuses=dict.fromkeys((BOOL, INTEGER, COMPLEX), unimplemented("frac_cpu")))


OTHER_PARTS = (
    "torch.frexp() expects mantissa to have dtype {result_c} but got {out_c}",
    "torch.frexp() expects exponent to have int dtype but got {out_c}",
)


@op
class frexp:
    """`input` as `mantissa * 2 ** exponent`, where the mantissa is between 1/2 and 1."""

    returns = "mantissa, exponent"

    def forward(xp, input: Tensor):
        check_frexp_dtype(input)
        return xp.frexp(input)

    def d_input(F, g_mantissa, exponent, input_shape, input_dtype):
        return F.fit(g_mantissa / F.exp2(exponent), input_shape, input_dtype)

    samples = UNARY


face(frexp, overlap="full", out_same_dtype=OTHER_PARTS, named_tuple=results.frexp)


def exponent_is_mask(input, other):
    """Returns the error of `ldexp` for a float and a mask; integers are multiplied by 2 or 1."""
    if category_of(input) == FLOAT and category_of(other) == BOOL and input.device.type != "meta":
        return unimplemented("ldexp_cpu_exp")(other.dtype)
    return None


@elementwise(dtype="float", scalar_operands=False)
class ldexp:
    """`input * 2 ** other`."""

    def forward(xp, input: Tensor, other: Tensor):
        return xp.ldexp(input, other)

    def d_input(F, g, other):
        return g * F.conj(F.exp2(other))

    def d_other(F, g, out):
        return g * F.conj(out) * LOG_2


face(ldexp, refuses=exponent_is_mask)


@elementwise(exact=True, dtype="common", scalar_operands=False)
class nextafter:
    """The next floating-point number after `input` towards `other`."""

    def forward(xp, input: Tensor, other: Tensor):
        return xp.nextafter(input, other)

    def d_input(F, g, input, other):
        return F.where(input != other, g, 0)

    def d_other(F, g):
        return F.zeros_of(g)


face(nextafter, refuses=dict.fromkeys((BOOL, INTEGER, COMPLEX), unimplemented("nextafter_cpu")))


@elementwise(exact=True)
class nan_to_num:
    """`input` with 0 for nan and the limits of the dtype for the infinities, unless others are given."""

    def forward(xp, input: Tensor, nan=None, posinf=None, neginf=None):
        return xp.nan_to_num(input, nan, posinf, neginf)

    def d_input(F, g, input):
        return g * F.isfinite(input)

    samples = lambda r: [*UNARY(r), (r(2, 3), 1.0, 2.0, 3.0)]


face(nan_to_num, out_same_dtype="nan_to_num: dtype of out: {out} should be same as input: {result}")


@elementwise(internal=True, scalar_operands=False)
class step:
    """0 where `input` is negative, 1 where it is positive, `values` where it is 0; it has no derivative."""

    def forward(xp, input: Tensor, values: Tensor):
        return xp.heaviside(input, values)

    d_input = d_values = no_derivative
    samples = None  # `heaviside` has them, without gradients


face(step, node="NotImplemented", refuses={COMPLEX: refusal("heaviside is not yet implemented for complex tensors.")})


@composite(samples=lambda r: [(r(2, 3).detach(), r(2, 3).detach()), (r(2, 1).detach(), r(3).detach())])
def heaviside(F, input, values):
    """0 where `input` is negative, 1 where it is positive, `values` where it is 0; it has no derivative."""
    check_heaviside_dtypes(input, values)
    return F.step(input, values)


face(
    heaviside,
    out=True,
    overlap="full",
    out_same_dtype="heaviside is not yet implemented for tensors with different dtypes.",
    inplace=True,
)
