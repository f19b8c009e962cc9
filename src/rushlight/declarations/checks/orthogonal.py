"""Checks of `orthogonal.py`: raise what PyTorch refuses, with its messages."""

from __future__ import annotations

from rushlight.declarations.checks.matrices import check_floating, check_kernel, check_matrix
from rushlight.declarations.dtype_rules import scalar_names
from rushlight.declarations.shapes import length

MODES = ("reduced", "complete", "r")


def check_qr(A, mode) -> None:
    """Raises unless there are matrices and a known mode."""
    check_matrix("linalg.qr", A)
    check_floating("linalg.qr", A, low_precision=True)
    if mode not in MODES:
        raise RuntimeError(f"qr received unrecognized mode '{mode}' but expected one of 'reduced' (default), 'r', or "
                           "'complete'")  # fmt: skip
    check_kernel("geqrf_cpu", A)


def check_reflected(input) -> None:
    """Raises unless there are matrices of a dtype that LAPACK has."""
    if input.ndim < 2:
        raise RuntimeError("torch.geqrf: input must have at least 2 dimensions.")
    check_kernel("geqrf_cpu", input)


def check_reflections(name: str, input, tau) -> None:
    """Raises unless there are reflections to be multiplied."""
    if input.ndim < 2:
        raise RuntimeError(f"{name}: input must have at least 2 dimensions.")
    rows, columns = input.shape[-2:]
    if rows < columns:
        raise RuntimeError(f"{name}: input.shape[-2] must be greater than or equal to input.shape[-1]")
    if tau.ndim and columns < tau.shape[-1]:
        raise RuntimeError(f"{name}: input.shape[-1] must be greater than or equal to tau.shape[-1]")
    check_factors(name, input, tau)
    if tau.dtype != input.dtype:
        one, other = scalar_names(tau, input)
        raise RuntimeError(f"{name}: tau dtype {one} does not match input dtype {other}")
    check_kernel("orgqr_cpu", input)


def check_factors(name: str, input, tau) -> None:
    """Raises unless there is a vector of factors for each matrix."""
    if input.ndim - tau.ndim != 1:
        raise RuntimeError(
            f"{name}: Expected tau to have one dimension less than input, but got tau.ndim equal to {tau.ndim} and "
            f"input.ndim is equal to {input.ndim}"
        )
    if tau.shape[:-1] != input.shape[:-2]:
        raise RuntimeError(
            f"{name}: Expected batch dimensions of tau to be equal to input.shape[:-2], but got {list(tau.shape[:-1])}"
        )


def check_product(input, tau, other, left: bool) -> None:
    """Raises unless matrices can be multiplied with a product of reflections."""
    name, inner = "torch.ormqr", -2 if left else -1
    for label, each in (("input", input), ("other", other)):
        if each.ndim < 2:
            raise RuntimeError(f"{name}: {label} must have at least 2 dimensions.")
    if other.shape[inner] < length(tau, -1):
        raise RuntimeError(f"{name}: other.shape[{inner}] must be greater than or equal to tau.shape[-1]")
    if other.shape[inner] != input.shape[-2]:
        raise RuntimeError(f"{name}: other.shape[{inner}] must be equal to input.shape[-2]")
    if tau.shape[-1] != min(other.shape[inner], input.shape[-1]):
        raise RuntimeError(f"{name}: tau.shape[-1] must be equal to min(other.shape[{inner}], input.shape[-1])")
    check_factors(name, input, tau)
    if other.shape[:-2] != input.shape[:-2]:
        raise RuntimeError(
            f"{name}: Expected batch dimensions of other to be equal to input.shape[:-2], but got "
            f"{list(other.shape[:-2])}"
        )
    for label, each in (("tau", tau), ("other", other)):
        if each.dtype != input.dtype:
            one, two = scalar_names(input, each)
            raise RuntimeError(
                f"{name}: Expected input and {label} to have the same dtype, but input has dtype{one} and {label} has "
                f"dtype {two}"
            )
    check_kernel("ormqr_cpu", input)


def check_qr_differentiable(Q, R, mode) -> None:
    if mode == "r":
        raise RuntimeError(
            "The derivative of linalg.qr depends on Q, which is not computed when mode='r'. Please use "
            "linalg.qr(A, mode='reduced') if you are going to differentiate through linalg.qr."
        )
    if mode == "complete" and Q.shape[-1] > R.shape[-1]:
        raise RuntimeError("The QR decomposition is not differentiable when mode='complete' and nrows > ncols.")
