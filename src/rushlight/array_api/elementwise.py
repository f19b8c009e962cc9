"""The standard's functions of two operands, and unary ones that differ from PyTorch's.

In PyTorch a 0-d array changes the result's dtype only if it is of a higher category; in the standard always.
https://data-apis.org/array-api/2024.12/API_specification/elementwise_functions.html
"""

from __future__ import annotations

from rushlight._generated import functions as F
from rushlight.array_api.promotion import together
from rushlight.core.constants import nan
from rushlight.core.dtype import COMPLEX, FLOAT
from rushlight.core.tensor import Tensor
from rushlight.create import filled


def _of_two(name: str, function):
    """Wraps a function so that its operands are promoted by the standard's rules."""

    def standard(x1: Tensor | complex, x2: Tensor | complex, /) -> Tensor:
        return function(*together(x1, x2))

    standard.__name__ = standard.__qualname__ = name
    standard.__doc__ = f"`rushlight.{name}` of operands promoted by the standard's rules."
    return standard


add = _of_two("add", F.add)
atan2 = _of_two("atan2", F.atan2)
bitwise_and = _of_two("bitwise_and", F.bitwise_and)
bitwise_left_shift = _of_two("bitwise_left_shift", F.bitwise_left_shift)
bitwise_or = _of_two("bitwise_or", F.bitwise_or)
bitwise_right_shift = _of_two("bitwise_right_shift", F.bitwise_right_shift)
bitwise_xor = _of_two("bitwise_xor", F.bitwise_xor)
copysign = _of_two("copysign", F.copysign)
divide = _of_two("divide", F.div)
equal = _of_two("equal", F.eq)
greater = _of_two("greater", F.gt)
greater_equal = _of_two("greater_equal", F.ge)
hypot = _of_two("hypot", F.hypot)
less = _of_two("less", F.lt)
less_equal = _of_two("less_equal", F.le)
logaddexp = _of_two("logaddexp", F.logaddexp)
logical_and = _of_two("logical_and", F.logical_and)
logical_or = _of_two("logical_or", F.logical_or)
logical_xor = _of_two("logical_xor", F.logical_xor)
maximum = _of_two("maximum", F.maximum)
minimum = _of_two("minimum", F.minimum)
multiply = _of_two("multiply", F.mul)
nextafter = _of_two("nextafter", F.nextafter)
not_equal = _of_two("not_equal", F.ne)
pow = _of_two("pow", F.pow)
remainder = _of_two("remainder", F.remainder)
subtract = _of_two("subtract", F.sub)


def floor_divide(x1: Tensor | complex, x2: Tensor | complex, /) -> Tensor:
    """Returns the quotients rounded down; infinity divided by a finite number is infinite, in PyTorch nan."""
    dividend, divisor = together(x1, x2)
    quotient = F.floor_divide(dividend, divisor)
    if quotient.dtype.category < FLOAT:
        return quotient
    return F.where(F.isinf(dividend) & F.isfinite(divisor), F.div(dividend, divisor), quotient)


def expm1(x: Tensor, /) -> Tensor:
    """Returns `exp(x) - 1`; for complex numbers with an infinite part its limit, in PyTorch nan."""
    result = F.expm1(x)
    if result.dtype.category != COMPLEX:
        return result
    real, imag = x.real, x.imag
    endless = F.isinf(real) & ~F.isfinite(imag)  # the absolute value has a limit, the angle does not
    vanishing = endless & (real < 0)
    limit = F.where(vanishing, -1.0, F.where(endless, real, result.real))
    return F.complex(limit, F.where(vanishing, 0.0, F.where(imag == 0, imag, result.imag)))


def where(condition: Tensor, x1: Tensor | complex, x2: Tensor | complex, /) -> Tensor:
    """Returns the elements of `x1` where the condition is true, of `x2` elsewhere."""
    return F.where(condition, *together(x1, x2))


def conj(x: Tensor, /) -> Tensor:
    """Returns the complex conjugates, computed eagerly."""
    return F.conj_physical(x)


def clip(x: Tensor, /, min: Tensor | complex | None = None, max: Tensor | complex | None = None) -> Tensor:
    """Clamps the elements, in the dtype of `x`; without bounds returns a copy."""
    if min is None and max is None:
        return F.clone(x)
    if isinstance(min, Tensor) or isinstance(max, Tensor):
        min, max = _bound(min, x), _bound(max, x)
    return F.clamp(x, min, max).to(x.dtype)


def _bound(bound, x: Tensor) -> Tensor | None:
    """Converts a bound to an array: PyTorch needs two numbers or two arrays."""
    if bound is None or isinstance(bound, Tensor):
        return bound
    return filled.full((), bound, dtype=x.dtype, device=x.device)


def round(x: Tensor, /) -> Tensor:
    """Rounds to the nearest integer, half to even; for complex numbers both parts, which PyTorch does not support."""
    return F.complex(F.round(x.real), F.round(x.imag)) if x.dtype.category == COMPLEX else F.round(x)


def sign(x: Tensor, /) -> Tensor:
    """Returns -1, 0 or 1, or `x / abs(x)` for complex numbers; nan for nan, where PyTorch returns 0 or one nan part."""
    result, category = F.sgn(x), x.dtype.category
    if category < FLOAT:
        return result
    return F.where(F.isnan(x), complex(nan, nan) if category == COMPLEX else nan, result)
