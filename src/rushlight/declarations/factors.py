"""Errors that depend on results, and steps of formulas, that factorizations share."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from rushlight.arrays.meta import MetaArray
from rushlight.core.device import BACKENDS, CAPTURING
from rushlight.core.errors import LinAlgError, noted
from rushlight.core.tensor import Tensor
from rushlight.core.traced import every_sample
from rushlight.declarations.dtype_rules import is_complex


def check_pivoting(pivot: bool) -> None:
    """Raises RuntimeError for a factorization without pivoting."""
    if not pivot:
        raise RuntimeError("linalg.lu_factor: LU without pivoting is not implemented on the CPU")


def check_info(name: str, info, words: str, error: type[Exception] = LinAlgError, note: str = "") -> None:
    """Raises if LAPACK reports a matrix: `words` has a field for its code; `note` is our advice.

    It waits for a GPU, but in a capture: there each replay checks.
    """
    numbers = every_sample(info)._array if isinstance(info, Tensor) else info
    if isinstance(numbers, MetaArray):
        return  # without elements there is no error

    def complaint(code: int | str, position: str = "") -> Exception:
        raised = error(f"{name}: {position}{words.format(code)}")
        return noted(raised, note) if note else raised

    if CAPTURING and CAPTURING[-1].is_on and not isinstance(numbers, (np.ndarray, np.generic)):
        CAPTURING[-1].reports(numbers, complaint)
    else:
        raise_for(on_cpu(numbers), complaint)


def raise_for(codes: np.ndarray, complaint: Callable[..., Exception]) -> None:
    """Raises a complaint about the first code that is not 0."""
    wrong = np.flatnonzero(codes)
    if wrong.size:
        raise complaint(codes.ravel()[wrong[0]], f"(Batch element {wrong[0]}): " if codes.ndim else "")


def on_cpu(array) -> np.ndarray:
    """Returns an array in the CPU's memory; one that a formula has computed on a GPU may not be of a tensor's class."""
    if isinstance(array, (np.ndarray, np.generic)):
        return np.asarray(array)
    return BACKENDS.by_array.get(type(array), BACKENDS.by_kind["cuda"]).to_cpu(array)


def check_phase(products, words: str) -> None:
    """Raises RuntimeError if a loss depends on the phase of complex vectors, which is arbitrary."""
    numbers = getattr(products, "_array", products)
    if isinstance(numbers, np.ndarray) and numbers.dtype.kind == "c":
        phases = np.diagonal(numbers, 0, -2, -1).imag
        if not np.allclose(phases, 0, 1e-2, 1e-2):
            raise RuntimeError(words)


# ---- steps of formulas, on tensors and on raw arrays


def skew(F, matrix):
    """Returns a matrix minus its adjoint."""
    return matrix - F.adjoint(matrix)


def triangle_reflected(F, matrix):
    """Returns the Hermitian matrix with this lower triangle; of the diagonal only the real part is used."""
    below = F.tril(matrix, -1)
    diagonal = F.diagonal(matrix, 0, -2, -1)
    return below + F.adjoint(below) + F.diag_embed(F.real(diagonal) if is_complex(diagonal) else diagonal)


def gaps(F, values):
    """`values[j] - values[i]` off the diagonal and 1 on it."""
    return F.unsqueeze(values, -2) - F.unsqueeze(values, -1) + F.diag_embed(F.zeros_of(values) + 1)


def solved(F, matrix, right, *, upper: bool, left: bool = True, unit: bool = False):
    """X of `matrix @ X = right`, or `X @ matrix = right` unless `left`, for triangular matrices."""
    return F.linalg_solve_triangular(matrix, right, upper=upper, left=left, unitriangular=unit)
