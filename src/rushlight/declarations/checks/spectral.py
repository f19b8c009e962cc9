"""Checks of `spectral.py`: raise what PyTorch refuses, with its messages."""

from __future__ import annotations

from rushlight.declarations.checks.matrices import check_floating, check_kernel, check_matrix, check_square
from rushlight.declarations.dtype_rules import scalar_names


def check_hermitian(A, triangle) -> None:
    """Raises unless there are square matrices, and it is known which triangle counts."""
    check_square("linalg.eigh", A)
    if triangle not in ("L", "U", "l", "u"):
        raise RuntimeError(f"Expected UPLO argument to be 'L' or 'U', but got {triangle}")
    check_kernel("linalg_eigh_cpu", A)


def check_diagonalizable(name: str, A) -> None:
    """Raises unless there are square matrices of floating-point numbers."""
    if A.dtype.kind in "biu":
        raise RuntimeError(f"Unknown Complex ScalarType for {scalar_names(A)[0]}")
    check_square(name, A)
    check_kernel("linalg_eig_out_cpu", A)


def check_svd(A, driver) -> None:
    """Raises unless there are matrices, and no choice among the algorithms of CUDA."""
    check_matrix("linalg.svd", A)
    check_floating("linalg.svd", A, low_precision=True)
    if driver is not None:
        raise RuntimeError(
            "torch.linalg.svd: keyword argument `driver=` is only supported on CUDA inputs with cuSOLVER backend."
        )
    check_kernel("linalg_svd_cpu", A)


def check_svd_rank(input) -> None:
    if input.ndim < 2:
        raise RuntimeError(
            f"linalg.svd: input should have at least 2 dimensions, but has {input.ndim} dimensions instead"
        )
