"""Checks of `arithmetic.py`: raise what PyTorch refuses, with its messages."""

from __future__ import annotations

from rushlight.core.dtype import BOOL, C_NAMES, FLOAT
from rushlight.declarations.dtype_rules import category_of, raw_dtype, unimplemented

NO_MASK = (
    "Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying to invert a mask, use the "
    "`~` or `logical_not()` operator instead."
)


def no_bools(input, other):
    """Returns the error for a difference of bools, None for other dtypes."""
    bools = [category_of(each) for each in (input, other)].count(BOOL)
    if bools == 2:
        return RuntimeError(
            "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or `logical_xor()` "
            "operator instead."
        )
    if bools:
        return RuntimeError(NO_MASK)
    return None


def no_derivative(F, g):
    raise underived("floor_divide")


def no_derivative_of(function: str):
    """Where PyTorch has no derivative: backward through the call of a function raises RuntimeError."""
    raise underived(function)


def underived(name: str) -> RuntimeError:
    """The complaint of a backward pass that meets what PyTorch has no derivative of."""
    return RuntimeError(f"derivative for aten::{name} is not implemented")


def check_same_dtype(input, name: str, other) -> None:
    """Where PyTorch does not promote."""
    if input.dtype is not other.dtype:
        have, result = C_NAMES[input.dtype], C_NAMES[other.dtype]
        raise RuntimeError(f"expected dtype {have} for `{name}` but got dtype {result}")


def check_not_bool(input) -> None:
    if raw_dtype(input).kind == "b":
        raise RuntimeError("The `+` operator, on a bool tensor is not supported.")


def check_rounding_mode(rounding_mode) -> None:
    if rounding_mode not in ("floor", "trunc"):
        raise RuntimeError(
            f"div expected rounding_mode to be one of None, 'trunc', or 'floor' but found '{rounding_mode}'"
        )


def check_remainder_derivative(input) -> None:
    if isinstance(input, (int, float)):
        raise underived("remainder")


def check_lerp_dtype(input, by_tensor) -> None:
    if input.dtype.category < FLOAT:
        raise unimplemented("lerp_kernel_tensor" if by_tensor else "lerp_kernel_scalar")(input.dtype)
