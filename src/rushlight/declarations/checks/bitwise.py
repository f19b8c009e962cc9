"""Checks of `bitwise.py`: raise what PyTorch refuses, with its messages."""

from __future__ import annotations

from rushlight.core.dtype import BY_NUMPY, FLOAT8, LIMITED_UNSIGNED
from rushlight.declarations.dtype_rules import raw_dtype, unimplemented


def check_invert_dtype(input) -> None:
    if raw_dtype(input).kind not in "biu":
        raise TypeError("~ (operator.invert) is only implemented on integer and Boolean-type tensors")


def check_hash_tensor(input, mode) -> None:
    if mode:
        raise RuntimeError(f"Unknown hash_tensor mode: {mode}")
    dtype = BY_NUMPY[input.dtype]
    if dtype in FLOAT8 or dtype in LIMITED_UNSIGNED:
        raise unimplemented("xor_sum_cpu")(dtype)
