"""What PyTorch refuses in `signs.py`, in its words."""

from __future__ import annotations

from rushlight.declarations.dtype_rules import is_complex


def check_abs_inplace(input) -> None:
    if is_complex(input):
        raise RuntimeError("In-place abs is not supported for complex tensors.")
