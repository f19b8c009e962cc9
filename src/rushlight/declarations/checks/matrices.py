"""Checks of matrices that operators of `torch.linalg` share, with PyTorch's messages."""

from __future__ import annotations

from rushlight.core.dtype import BY_NUMPY, FLOAT, REDUCED, SCALAR_NAMES
from rushlight.core.errors import noted
from rushlight.declarations.checks.arguments import TO_FLOAT
from rushlight.declarations.dtype_rules import raw_dtype, scalar_names, unimplemented
from rushlight.declarations.shapes import broadcast


def check_matrix(name: str, input, argument: str = "A") -> None:
    """Raises unless the last two dimensions hold matrices."""
    if input.ndim < 2:
        raise noted(
            RuntimeError(f"{name}: The input tensor {argument} must have at least 2 dimensions."),
            f"Its shape is {tuple(input.shape)}; the last two dimensions are a matrix's.",
        )


def check_square(name: str, input, argument: str = "A") -> None:
    """Raises unless the last two dimensions hold square matrices."""
    check_matrix(name, input, argument)
    check_sides(f"{name}: ", input, argument)


def check_sides(before: str, input, argument: str = "A") -> None:
    """Raises unless matrices have as many rows as columns; `before` begins the message."""
    rows, columns = input.shape[-2:]
    if rows != columns:
        words = f"{argument} must be batches of square matrices, but they are {rows} by {columns} matrices"
        raise noted(RuntimeError(before + words), "For matrices of any shape there are linalg.lstsq and linalg.pinv.")


def check_floating(name: str, input, *, low_precision: bool = False) -> None:
    """Raises for integers, and for half precision unless `low_precision`."""
    kind = BY_NUMPY[raw_dtype(input)]
    if kind.category < FLOAT:
        words = f"{name}: Expected a floating point or complex tensor as input. Got {SCALAR_NAMES[kind]}"
        raise noted(RuntimeError(words), TO_FLOAT)
    if kind in REDUCED and not low_precision:
        words = f"{name}: Low precision dtypes not supported. Got {SCALAR_NAMES[kind]}"
        raise noted(RuntimeError(words), "LAPACK computes in float32 and float64: input.float() first.")


def check_kernel(kernel: str, input) -> None:
    """Raises unless PyTorch's `kernel`, which is LAPACK's, was written for the dtype."""
    kind = BY_NUMPY[raw_dtype(input)]
    if kind.category < FLOAT or kind in REDUCED:
        raise unimplemented(kernel)(kind)


def check_one_dtype(name: str, first: tuple, second: tuple) -> None:
    """Raises unless two operands, given as (name, operand), have one dtype."""
    (one, a), (two, b) = first, second
    if raw_dtype(a) != raw_dtype(b):
        kinds = scalar_names(a, b)
        raise noted(
            RuntimeError(
                f"{name}: Expected {one} and {two} to have the same dtype, but found {one} of type {kinds[0]} and "
                f"{two} of type {kinds[1]} instead"
            ),
            "This function does not promote dtypes: x.to(other.dtype).",
        )


def check_sizes(name: str, shape: tuple, other: tuple, *, left: bool) -> None:
    """Raises unless square matrices and the right-hand sides of their equations fit, batches included."""
    rows, columns = other[-2:]
    if shape[-1] != (rows if left else columns):
        raise RuntimeError(
            f"{name}: Incompatible shapes of A and B for the equation {'AX' if left else 'XA'} = B "
            f"({shape[-2]}x{shape[-1]} and {rows}x{columns})"
        )
    broadcast((other[:-2], shape[:-2]))
