"""Logic of bools and of bits, element by element."""

from __future__ import annotations

from rushlight.core.dtype import BOOL, COMPLEX, FLOAT
from rushlight.declarations.checks.bitwise import check_hash_tensor, check_invert_dtype
from rushlight.declarations.declare import composite, elementwise, face, op
from rushlight.declarations.dtype_rules import FOUND_DTYPE, unimplemented
from rushlight.declarations.samples import INTEGERS
from rushlight.declarations.shapes import nonempty_axes


def bits(name: str, *more) -> dict:
    """Returns the error for dtypes without bits: floating point and complex."""
    return dict.fromkeys((FLOAT, COMPLEX, *more), unimplemented(f"{name}_cpu"))


@elementwise(dtype="bool", no_fp_errors=True, scalar_operands=False)
class logical_and:
    """Whether both are nonzero."""

    def forward(xp, input: Tensor, other: Tensor):
        return xp.logical_and(input, other)


@elementwise(dtype="bool", no_fp_errors=True, scalar_operands=False)
class logical_or:
    """Whether either is nonzero."""

    def forward(xp, input: Tensor, other: Tensor):
        return xp.logical_or(input, other)


@elementwise(dtype="bool", no_fp_errors=True, scalar_operands=False)
class logical_xor:
    """Whether exactly one is nonzero."""

    def forward(xp, input: Tensor, other: Tensor):
        return xp.logical_xor(input, other)


@elementwise(dtype="bool", no_fp_errors=True)
class logical_not:
    """Whether `input` is zero."""

    def forward(xp, input: Tensor):
        return xp.logical_not(input)


@elementwise(no_fp_errors=True)
class bitwise_and:
    """The bits that are set in both."""

    def forward(xp, input: Tensor, other: Tensor):
        return xp.bitwise_and(input, other)

    samples = INTEGERS


face(bitwise_and, operators=("__and__", "__rand__"), refuses=bits("bitwise_and"))


@elementwise(no_fp_errors=True)
class bitwise_or:
    """The bits that are set in either."""

    def forward(xp, input: Tensor, other: Tensor):
        return xp.bitwise_or(input, other)

    samples = INTEGERS


face(bitwise_or, operators=("__or__", "__ror__"), refuses=bits("bitwise_or"))


@elementwise(no_fp_errors=True)
class bitwise_xor:
    """The bits that are set in exactly one."""

    def forward(xp, input: Tensor, other: Tensor):
        return xp.bitwise_xor(input, other)

    samples = INTEGERS


face(bitwise_xor, operators=("__xor__", "__rxor__"), refuses=bits("bitwise_xor"))


@elementwise(no_fp_errors=True)
class bitwise_not:
    """The inverted bits; for bools, the negation."""

    def forward(xp, input: Tensor):
        return xp.invert(input)

    samples = lambda r: [(r.integers(9, 2, 3),), (r.booleans(2, 3),)]


face(bitwise_not, out_same_dtype=FOUND_DTYPE, refuses=bits("bitwise_not"))


@composite(samples=lambda r: [(r.booleans(3),), (r.integers(4, 3),)])
def invert(F, input):
    """`bitwise_not` as the operator `~`."""
    check_invert_dtype(input)
    return F.bitwise_not(input)


face(invert, spaces=(), operators=("__invert__",))


@elementwise(no_fp_errors=True)
class bitwise_left_shift:
    """The bits shifted left by `other`."""

    def forward(xp, input: Tensor, other: Tensor):
        return xp.left_shift(input, other)

    samples = INTEGERS


face(bitwise_left_shift, operators=("__lshift__",), refuses=bits("lshift", BOOL))


@elementwise(no_fp_errors=True)
class bitwise_right_shift:
    """The bits shifted right by `other`."""

    def forward(xp, input: Tensor, other: Tensor):
        return xp.right_shift(input, other)

    samples = INTEGERS


face(bitwise_right_shift, operators=("__rshift__",), refuses=bits("rshift", BOOL))


@composite
def left_shift_by(F, input, other):
    """`other << input`."""
    return F.bitwise_left_shift(other, input)


face(left_shift_by, spaces=(), operators=("__rlshift__",))


@composite
def right_shift_by(F, input, other):
    """`other >> input`."""
    return F.bitwise_right_shift(other, input)


face(right_shift_by, spaces=(), operators=("__rrshift__",))


# ---- a fingerprint


@op
class hash_tensor:
    """The exclusive or of the bits of all elements, or of those along `dim`, each as a 64-bit float or integer."""

    def forward(xp, input: Tensor, dim: Ints | int | None = (), *, keepdim=False, mode=0):
        check_hash_tensor(input, mode)
        return xp.xor_of_bits(input, nonempty_axes("hash_tensor", input.shape, dim), keepdim)

    samples = lambda r: [
        (r(2, 3),),
        (r(2, 3), 1),
        (r(2, 3, 2), (0, -1), {"keepdim": True}),
        (r(),),
        (r(0, 2).detach(), 1),
    ]


face(
    hash_tensor,
    out_same_dtype="Expected result to be of dtype uint64, but got {out}",
    refuses={COMPLEX: unimplemented("xor_sum_cpu")},
)
