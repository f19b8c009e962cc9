"""Functions that PyTorch keeps only to raise an error, with their replacements."""

from __future__ import annotations

from collections.abc import Callable
from typing import NoReturn

from rushlight.core.errors import noted

__all__ = ["eig", "lstsq", "matrix_rank", "solve", "symeig"]

GONE = "This function was deprecated since version 1.9 and is now removed."


def removed(name: str, reason: str, cure: str) -> Callable[..., NoReturn]:
    """Returns a function that raises RuntimeError: PyTorch's message, then the replacement."""

    def function(*args: object, **kwargs: object) -> NoReturn:
        raise noted(RuntimeError(GONE + reason), f"Cure: {cure}")

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"Raises RuntimeError: PyTorch has removed it. Write `{cure}`."
    return function


eig = removed(
    "eig",
    " `torch.linalg.eig` returns complex tensors of dtype `cfloat` or `cdouble` rather than real tensors mimicking "
    "complex tensors.",
    "L, V = torch.linalg.eig(A)",
)
lstsq = removed(
    "lstsq",
    " `torch.lstsq` is deprecated in favor of `torch.linalg.lstsq`.",
    "X = torch.linalg.lstsq(A, B).solution   (the arguments in the other order)",
)
matrix_rank = removed("matrix_rank", "", "rank = torch.linalg.matrix_rank(A)")
solve = removed(
    "solve",
    " `torch.solve` is deprecated in favor of `torch.linalg.solve`. `torch.linalg.solve` has its arguments reversed "
    "and does not return the LU factorization.",
    "X = torch.linalg.solve(A, B)   (the arguments in the other order)",
)
symeig = removed(
    "symeig",
    " The default behavior has changed from using the upper triangular portion of the matrix by default to using the "
    "lower triangular portion.",
    'L, V = torch.linalg.eigh(A, UPLO="U")',
)
