"""Arithmetic and mathematics, element by element."""

from __future__ import annotations


from rushlight.ops.declare import composite, elementwise

BINARY = lambda r: [(r(2, 3), r(2, 3)), (r(2, 3), r(3)), (r(2, 1), r(1, 3)), (r(), r(4)), (r(0, 3), r(1, 3))]
UNARY = lambda r: [(r(2, 3),), (r(),), (r(0),), (r(3, 2).T,)]


@elementwise(quiet=True, operators=("__add__", "__radd__"))
class add:
    """`input + alpha * other`, element by element."""

    def forward(xp, input: Tensor, other: Tensor, *, alpha=1):
        return xp.add(input, other) if alpha == 1 else xp.add(input, xp.multiply(other, alpha))

    def d_input(F, g):
        return g

    def d_other(F, g, alpha):
        return g if alpha == 1 else g * alpha

    samples = lambda r: [*BINARY(r), (r(2, 3), r(2, 3), {"alpha": 2})]


@elementwise(quiet=True, operators=("__sub__",), aliases=("subtract",))
class sub:
    """`input - alpha * other`, element by element."""

    def forward(xp, input: Tensor, other: Tensor, *, alpha=1):
        return xp.subtract(input, other) if alpha == 1 else xp.subtract(input, xp.multiply(other, alpha))

    def d_input(F, g):
        return g

    def d_other(F, g, alpha):
        return -g if alpha == 1 else g * -alpha

    samples = lambda r: [*BINARY(r), (r(2, 3), r(2, 3), {"alpha": 2})]


@elementwise(quiet=True, operators=("__rsub__",), method=None)
class rsub:
    """`other - alpha * input`, element by element."""

    def forward(xp, input: Tensor, other: Tensor, *, alpha=1):
        return xp.subtract(other, input) if alpha == 1 else xp.subtract(other, xp.multiply(input, alpha))

    def d_input(F, g, alpha):
        return -g if alpha == 1 else g * -alpha

    def d_other(F, g):
        return g

    node = "RsubBackward1"
    samples = lambda r: [*BINARY(r), (r(2, 3), r(2, 3), {"alpha": 2})]


@elementwise(quiet=True, operators=("__mul__", "__rmul__"), aliases=("multiply",))
class mul:
    """`input * other`, element by element."""

    def forward(xp, input: Tensor, other: Tensor):
        return xp.multiply(input, other)

    def d_input(F, g, other):
        return g * F.conj(other)

    def d_other(F, g, input):
        return g * F.conj(input)

    samples = BINARY


@elementwise(dtype="float", operators=("__truediv__",))
class true_divide:
    """`input / other`, element by element; whole numbers give fractions."""

    def forward(xp, input: Tensor, other: Tensor):
        return xp.divide(input, other)

    def d_input(F, g, other):
        return g / F.conj(other)

    def d_other(F, g, input, other):
        return -g * F.conj(input / other / other)

    node = "DivBackward0"
    samples = lambda r: [(a, b + 3) for a, b in BINARY(r)]


@elementwise(quiet=True, operators=("__neg__",), aliases=("negative",))
class neg:
    """`-input`."""

    def forward(xp, input: Tensor):
        return xp.negative(input)

    def d_input(F, g):
        return -g

    samples = UNARY


@elementwise(dtype="float")
class exp:
    """e to the power `input`."""

    def forward(xp, input: Tensor):
        return xp.exp(input)

    def d_input(F, g, out):
        return g * F.conj(out)

    samples = UNARY


@elementwise(dtype="float")
class log:
    """The natural logarithm of `input`."""

    def forward(xp, input: Tensor):
        return xp.log(input)

    def d_input(F, g, input):
        return g / F.conj(input)

    samples = lambda r: [(F * F + 1,) for (F,) in UNARY(r)]


@elementwise(dtype="float", quiet=True)
class tanh:
    """The hyperbolic tangent of `input`."""

    def forward(xp, input: Tensor):
        return xp.tanh(input)

    def d_input(F, g, out):
        return g * F.conj(1 - out * out)

    samples = UNARY


@elementwise
class conj:
    """The complex conjugate of `input`; the input itself where it is real."""

    def forward(xp, input: Tensor):
        return xp.conj(input)

    def d_input(F, g):
        return F.conj(g)

    samples = UNARY


@elementwise(dtype="bool", quiet=True, operators=("__eq__",))
class eq:
    """Whether `input == other`, element by element."""

    def forward(xp, input: Tensor, other: Tensor):
        return xp.equal(input, other)

    samples = BINARY


@composite(inplace=True, samples=lambda r: [(r(2, 3),), (r(4),)])
def square(F, input):
    """`input * input`."""
    return F.pow(input, 2)


