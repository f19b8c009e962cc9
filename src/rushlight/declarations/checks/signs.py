"""Checks of `signs.py`: raise what PyTorch refuses, with its messages."""

from __future__ import annotations

from rushlight.core.dtype import COMPLEX, SCALAR_NAMES, can_cast
from rushlight.core.errors import noted
from rushlight.declarations.dtype_rules import FOUND_DTYPE, is_complex, no_cast


def check_abs_out(out, result, arguments: tuple) -> None:
    """The modulus of complex numbers may be written to real ones, or to complex ones of the same dtype."""
    wanted = arguments[0].dtype
    if wanted.category != COMPLEX or out.dtype.category == COMPLEX:
        if out.dtype is not wanted:
            raise noted(
                RuntimeError(FOUND_DTYPE.format(out=SCALAR_NAMES[out.dtype], result=SCALAR_NAMES[wanted])),
                f"Give it an out= of dtype {wanted!r}, or convert the result: .to({out.dtype!r}).",
            )
    elif not can_cast(result.dtype, out.dtype):
        raise no_cast(result.dtype, out.dtype)


def check_abs_inplace(input) -> None:
    if is_complex(input):
        raise RuntimeError("In-place abs is not supported for complex tensors.")
