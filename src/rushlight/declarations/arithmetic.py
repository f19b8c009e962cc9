"""Arithmetic, element by element."""

from __future__ import annotations

from rushlight.core.dtype import BOOL, COMPLEX, FLOAT, INTEGER, REDUCED
from rushlight.core.tensor import Tensor
from rushlight.declarations.checks import arithmetic as checks
from rushlight.declarations.declare import Direct, composite, elementwise, face
from rushlight.declarations.dtype_rules import FOUND_DTYPE, refusal, unimplemented
from rushlight.declarations.samples import INTEGERS, QUOTIENT, UNARY, WITH_NUMBER

NO_INTEGER_DIVISION = (
    "Integer division with addcdiv is no longer supported, and in a future  release addcdiv will perform a true "
    "division of tensor1 and tensor2. The historic addcdiv behavior can be implemented as (input + value * "
    "torch.trunc(tensor1 / tensor2)).to(input.dtype) for integer inputs and as (input + value * tensor1 / tensor2) for "
    "float inputs. The future addcdiv behavior is just the latter implementation: (input + value * tensor1 / tensor2), "
    "for all dtypes."
)


# ---- sums


@elementwise(no_fp_errors=True, all_scalars=True, casts_scalar={"alpha": REDUCED}, bools_for=("alpha",))
class add:
    """`input + alpha * other`, element by element."""

    def forward(xp, input: Tensor, other: Tensor, *, alpha=1):
        return xp.add(input, other) if alpha == 1 else xp.add_multiple(input, other, alpha)

    def d_input(F, g):
        return g

    def d_other(F, g, alpha):
        return g if alpha == 1 else g * F.conj(alpha)

    samples = lambda r: [*WITH_NUMBER(r), (r(2, 3), r(2, 3), {"alpha": 2})]


face(add, operators=("__add__", "__radd__"))


@elementwise(no_fp_errors=True, all_scalars=True, casts_scalar={"alpha": REDUCED}, bools_for=("alpha",))
class sub:
    """`input - alpha * other`, element by element."""

    def forward(xp, input: Tensor, other: Tensor, *, alpha=1):
        return xp.subtract(input, other) if alpha == 1 else xp.subtract_multiple(input, other, alpha)

    def d_input(F, g):
        return g

    def d_other(F, g, alpha):
        return -g if alpha == 1 else g * -F.conj(alpha)

    samples = lambda r: [*WITH_NUMBER(r), (r(2, 3), r(2, 3), {"alpha": 2})]


face(sub, aliases=("subtract",), operators=("__sub__",), refuses=checks.no_bools)


@elementwise(no_fp_errors=True, scalar_operands=("other",), casts_scalar={"alpha": REDUCED}, bools_for=("alpha",))
class rsub:
    """`other - alpha * input`, element by element."""

    def forward(xp, input: Tensor, other: Tensor, *, alpha=1):
        return xp.subtract(other, input) if alpha == 1 else xp.subtract_multiple(other, input, alpha)

    def d_input(F, g, alpha):
        return -g if alpha == 1 else g * -F.conj(alpha)

    def d_other(F, g):
        return g

    samples = lambda r: [*WITH_NUMBER(r), (r(2, 3), r(2, 3), {"alpha": 2})]


face(
    rsub,
    method=None,
    operators=("__rsub__",),
    out=False,
    inplace=False,
    node="RsubBackward1 if isinstance(other, (int, float)) else RsubBackward0",
    refuses=checks.no_bools,
)


@elementwise(no_fp_errors=True)
class neg:
    """`-input`."""

    def forward(xp, input: Tensor):
        return xp.negative(input)

    def d_input(F, g):
        return -g


face(
    neg,
    aliases=("negative",),
    operators=("__neg__",),
    out_same_dtype=FOUND_DTYPE,
    refuses={
        BOOL: refusal(
            "Negation, the `-` operator, on a bool tensor is not supported. If you are trying to invert a mask, use "
            "the `~` or `logical_not()` operator instead."
        )
    },
)


@composite(samples=UNARY)
def positive(F, input):
    """The input itself."""
    checks.check_not_bool(input)
    return input


face(positive, operators=("__pos__",))


# ---- products and quotients


@elementwise(no_fp_errors=True, all_scalars=True)
class mul:
    """`input * other`, element by element."""

    def forward(xp, input: Tensor, other: Tensor):
        return xp.multiply(input, other)

    def d_input(F, g, other):
        return g * F.conj(other)

    def d_other(F, g, input):
        return g * F.conj(input)

    samples = WITH_NUMBER


face(mul, aliases=("multiply",), operators=("__mul__", "__rmul__"))


@elementwise(dtype="float", all_scalars=True)
class true_divide:
    """`input / other`, element by element; integers give floating point."""

    def forward(xp, input: Tensor, other: Tensor):
        return xp.divide(input, other)

    def d_input(F, g, other):
        return g / F.conj(other)

    def d_other(F, g, input, other):
        return -g * F.conj(input / other / other)

    samples = QUOTIENT


face(
    true_divide,
    operators=("__truediv__",),
    documented_names={"input": "dividend", "other": "divisor"},
    method_names={"other": "value"},
    node="DivBackward0",
)


@elementwise(internal=True, all_scalars=True)
class rounded_divide:
    """`input / other`, rounded down ("floor") or towards zero ("trunc")."""

    def forward(xp, input: Tensor, other: Tensor, rounding_mode):
        return xp.floor_divide(input, other) if rounding_mode == "floor" else xp.truncated_divide(input, other)

    def d_input(F, g):
        return F.zeros_of(g)

    def d_other(F, g):
        return F.zeros_of(g)

    samples = lambda r: [(a, b, mode) for a, b in QUOTIENT(r) for mode in ("floor", "trunc")]


face(
    rounded_divide,
    node="DivBackward2",
    refuses={BOOL: unimplemented("div_floor_cpu"), COMPLEX: unimplemented("div_floor_cpu")},
)


@composite(samples=lambda r: [(r(3), r(3) + 3, {"rounding_mode": "floor"})])
def div(F, input: Tensor | Number, other: Tensor | Number, *, rounding_mode=None):
    """`input / other`, element by element; `rounding_mode` "floor" or "trunc" rounds the quotient."""
    if rounding_mode is None:
        return F.true_divide(input, other)
    checks.check_rounding_mode(rounding_mode)
    return F.rounded_divide(input, other, rounding_mode)


face(
    div,
    aliases=("divide",),
    method_names={"other": "value"},
    direct=(Direct("rounding_mode is None", "true_divide", {}),),
    out=True,
    overlap="full",
    inplace=True,
)


@elementwise(all_scalars=True)
class floor_divide:
    """`input / other` rounded down, element by element; it has no derivative."""

    def forward(xp, input: Tensor, other: Tensor):
        return xp.floor_divide(input, other)

    d_input = d_other = checks.no_derivative
    samples = lambda r: [
        (r(2, 3).detach(), r.positive(3).detach()),
        (r.integers(9, 4) - 4, r.integers(3, 4) + 1),
        (r(3).detach(), -0.5),
    ]


face(
    floor_divide,
    operators=("__floordiv__",),
    node="NotImplemented",
    method_names={"other": "value"},
    refuses={BOOL: unimplemented("div_floor_cpu"), COMPLEX: unimplemented("div_floor_cpu")},
)


@elementwise
class remainder:
    """The remainder of `input / other`, with the sign of `other`."""

    def forward(xp, input: Tensor, other: Tensor):
        return xp.remainder(input, other)

    def d_input(F, g):
        return g

    def d_other(F, g, input, other):
        checks.check_remainder_derivative(input)
        return -g * F.rounded_divide(input, other, "floor")

    samples = QUOTIENT


face(
    remainder,
    operators=("__mod__",),
    method_names={"other": "divisor"},
    node="RemainderBackward0 if isinstance(other, (int, float)) else RemainderBackward1",
    refuses={BOOL: unimplemented("remainder_cpu"), COMPLEX: unimplemented("remainder_cpu")},
)


@elementwise(scalar_operands=("other",))
class fmod:
    """The remainder of `input / other`, with the sign of `input`."""

    def forward(xp, input: Tensor, other: Tensor):
        return xp.fmod(input, other)

    def d_input(F, g):
        return g

    def d_other(F, g, input, other):
        return -g * F.rounded_divide(input, other, "trunc")

    samples = QUOTIENT


face(
    fmod,
    method_names={"other": "divisor"},
    node="FmodBackward0 if isinstance(other, (int, float)) else FmodBackward1",
    refuses={BOOL: unimplemented("fmod_cpu"), COMPLEX: unimplemented("fmod_cpu")},
)


@elementwise(dtype="float")
class reciprocal:
    """`1 / input`."""

    def forward(xp, input: Tensor):
        return xp.divide(1, input)

    def d_input(F, g, out):
        return -g * F.conj(out * out)

    samples = lambda r: [(r.positive(2, 3) + 1,), (r.positive(),)]


@elementwise(scalar_operands=False)
class gcd:
    """The greatest common divisor of integers."""

    def forward(xp, input: Tensor, other: Tensor):
        return xp.gcd(input, other)

    samples = INTEGERS


face(gcd, refuses=dict.fromkeys((BOOL, FLOAT, COMPLEX), unimplemented("gcd_cpu")))


@elementwise(scalar_operands=False)
class lcm:
    """The least common multiple of integers."""

    def forward(xp, input: Tensor, other: Tensor):
        return xp.lcm(input, other)

    samples = INTEGERS


face(lcm, refuses=dict.fromkeys((BOOL, FLOAT, COMPLEX), unimplemented("lcm_cpu")))


# ---- operators with the number on the left


@composite
def divide_into(F, input, other):
    """`other / input`."""
    return F.mul(F.reciprocal(input), other)


face(divide_into, spaces=(), operators=("__rtruediv__", "__rdiv__"))


@composite
def floor_divide_into(F, input, other):
    """`other // input`."""
    return F.floor_divide(other, input)


face(floor_divide_into, spaces=(), operators=("__rfloordiv__",))


@composite
def remainder_into(F, input, other):
    """`other % input`."""
    return F.remainder(other, input)


face(remainder_into, spaces=(), operators=("__rmod__",))


# ---- between three


@elementwise(scalar_operands=False)
class addcmul:
    """`input + value * tensor1 * tensor2`."""

    def forward(xp, input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value=1):
        return input + xp.factor_for(input, value) * tensor1 * tensor2

    def d_input(F, g):
        return g

    def d_tensor1(F, g, tensor2, value):
        return g * F.conj(tensor2 * value)

    def d_tensor2(F, g, tensor1, value):
        return g * F.conj(tensor1 * value)

    samples = lambda r: [(r(2, 3), r(2, 3), r(3)), (r(), r(2, 1), r(3), {"value": 0.5})]


face(addcmul, refuses={BOOL: unimplemented("addcmul_cpu_out")})


@elementwise(scalar_operands=False)
class addcdiv:
    """`input + value * tensor1 / tensor2`."""

    def forward(xp, input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value=1):
        return input + xp.factor_for(input, value) * tensor1 / tensor2

    def d_input(F, g):
        return g

    def d_tensor1(F, g, tensor2, value):
        return g * F.conj(value / tensor2)

    def d_tensor2(F, g, tensor1, tensor2, value):
        return -g * F.conj(value * tensor1 / (tensor2 * tensor2))

    samples = lambda r: [(r(2, 3), *pair) for pair in QUOTIENT(r)[:2]] + [(r(), r(2, 1), r(3) + 3, {"value": 0.5})]


face(
    addcdiv,
    refuses=dict.fromkeys((BOOL, INTEGER), refusal(NO_INTEGER_DIVISION)),
    refused_by=("tensor1", "tensor2"),
)


@elementwise(internal=True, scalar_operands=False)
class lerp_by_number:
    """The point `weight` of the way from `input` to `end`."""

    def forward(xp, input: Tensor, end: Tensor, weight):
        return xp.lerp(input, end, xp.factor_for(input, weight))

    def d_input(F, g, weight):
        return g * F.conj(1 - weight)

    def d_end(F, g, weight):
        return g * F.conj(weight)

    samples = lambda r: [(r(2, 3), r(3), 0.3), (r(), r(4), 0.8)]


face(lerp_by_number, node="LerpBackward0", refuses=dict.fromkeys((BOOL, INTEGER), unimplemented("lerp_kernel_scalar")))


@elementwise(internal=True, scalar_operands=False)
class lerp_by_tensor:
    """The point `weight` of the way from `input` to `end`."""

    def forward(xp, input: Tensor, end: Tensor, weight: Tensor):
        return xp.lerp(input, end, weight)

    def d_input(F, g, weight):
        return g * F.conj(1 - weight)

    def d_end(F, g, weight):
        return g * F.conj(weight)

    def d_weight(F, g, input, end):
        return g * F.conj(end - input)

    samples = lambda r: [(r(2, 1), r(3), r()), (r(2, 3), r(3), r(2, 1))]


face(lerp_by_tensor, node="LerpBackward1")


@composite(samples=lambda r: [(r(2, 3), r(3), 0.3), (r(3), r(3), r())])
def lerp(F, input, end, weight: Tensor | Number):
    """The point `weight` of the way from `input` to `end`; all must be of one floating-point dtype."""
    by_tensor = isinstance(weight, Tensor)
    checks.check_same_dtype(input, "end", end)
    if by_tensor and weight.dim():
        checks.check_same_dtype(input, "weight", weight)
    checks.check_lerp_dtype(input, by_tensor)
    return F.lerp_by_tensor(input, end, weight) if by_tensor else F.lerp_by_number(input, end, weight)


face(
    lerp,
    direct=(
        Direct("type(weight) is float", "lerp_by_number", {}),
        Direct("type(input) is type(weight) is Tensor and input._array.dtype.kind == 'f'", "lerp_by_tensor", {}),
    ),
    out=True,
    overlap="full",
    inplace=True,
)
