"""Checks of `powers.py`: raise what PyTorch refuses, with its messages."""

from __future__ import annotations

from rushlight.core.dtype import SCALAR_NAMES
from rushlight.declarations.checks.arithmetic import NO_MASK
from rushlight.declarations.dtype_rules import raw_dtype

NUMBERS = (int, float, complex)


def check_exponent_not_bool(exponent) -> None:
    if not isinstance(exponent, NUMBERS) and raw_dtype(exponent).char == "?":
        raise RuntimeError(NO_MASK)  # as `exponent - 1` does


def check_float_power_inplace(input, kind) -> None:
    if input.dtype is not kind:
        have, need = SCALAR_NAMES[input.dtype], SCALAR_NAMES[kind]
        raise RuntimeError(
            f"the base given to float_power_ has dtype {have} but the operation's result requires dtype {need}"
        )
