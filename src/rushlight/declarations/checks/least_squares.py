"""Checks of `least_squares.py`: raise what PyTorch refuses, with its messages."""

from __future__ import annotations

from rushlight.core.dtype import BY_NUMPY, FLOAT, REDUCED
from rushlight.core.errors import noted
from rushlight.declarations.checks.arguments import TO_FLOAT
from rushlight.declarations.dtype_rules import raw_dtype, scalar_names


def has_lapack(input) -> bool:
    """Whether LAPACK computes in the dtype of a raw array or tensor."""
    kind = BY_NUMPY[raw_dtype(input)]
    return kind.category >= FLOAT and kind not in REDUCED


def check_doubles(input) -> None:
    """Raises for a dtype that LAPACK has not, in the words of functions that ask for its digits."""
    if not has_lapack(input):
        raise noted(RuntimeError("This function doesn't handle types other than float and double"), TO_FLOAT)


def check_pinv_matrix(A) -> None:
    if A.ndim < 2 or not has_lapack(A):
        raise RuntimeError(
            f"linalg.pinv({scalar_names(A)[0]}{{{list(A.shape)}}}): expected a tensor with 2 or more dimensions of "
            "float, double, cfloat or cdouble types"
        )
