"""`torch.distributions.utils`: broadcasting of parameters, probabilities and logits, triangular matrices as vectors."""

from __future__ import annotations

from functools import update_wrapper
from typing import Any

from rushlight._generated import functions as F
from rushlight.autograd.grad_mode import enable_grad
from rushlight.core.dtype import finfo, get_default_dtype
from rushlight.core.tensor import Tensor
from rushlight.create.filled import empty
from rushlight.create.from_data import tensor
from rushlight.create.ranges import arange

__all__ = [
    "broadcast_all", "clamp_probs", "lazy_property", "logits_to_probs", "probs_to_logits", "tril_matrix_to_vec",
    "vec_to_tril_matrix",
]  # fmt: skip

euler_constant = 0.57721566490153286060  # https://oeis.org/A001620


def broadcast_all(*values: Any) -> tuple[Tensor, ...]:
    """Returns the values as tensors of one shape; numbers take the dtype and device of the first tensor.

    Raises ValueError if a value is neither a tensor nor a number.

    >>> import rushlight as torch
    >>> torch.distributions.utils.broadcast_all(torch.zeros(2), 1.0)
    (tensor([0., 0.]), tensor([1., 1.]))
    """
    if not all(isinstance(value, (Tensor, int, float)) for value in values):
        raise ValueError(
            "Input arguments must all be instances of Number, torch.Tensor or objects implementing __torch_function__."
        )
    first = next((value for value in values if isinstance(value, Tensor)), None)
    dtype, device = (get_default_dtype(), None) if first is None else (first.dtype, first.device)
    tensors = [value if isinstance(value, Tensor) else tensor(value, dtype=dtype, device=device) for value in values]
    return tuple(F.broadcast_tensors(*tensors))


def _standard_normal(shape, dtype, device) -> Tensor:
    """Draws standard normal samples."""
    return empty(shape, dtype=dtype, device=device).normal_()


def _sum_rightmost(value: Tensor, dim: int) -> Tensor:
    """Sums over the last `dim` dimensions."""
    return value.reshape(value.shape[: value.ndim - dim] + (-1,)).sum(-1) if dim else value


def logits_to_probs(logits: Tensor, is_binary: bool = False) -> Tensor:
    """Converts log odds (`is_binary`), or log probabilities along the last dimension, to probabilities."""
    return F.sigmoid(logits) if is_binary else F.softmax(logits, -1)


def clamp_probs(probs: Tensor) -> Tensor:
    """Clamps probabilities away from 0 and 1, by the resolution of their dtype."""
    resolution = finfo(probs.dtype).eps
    return probs.clamp(min=resolution, max=1 - resolution)


def probs_to_logits(probs: Tensor, is_binary: bool = False) -> Tensor:
    """Converts probabilities to log odds (`is_binary`) or log probabilities, finite also for 0 and 1."""
    inside = clamp_probs(probs)
    return inside.log() - (-inside).log1p() if is_binary else inside.log()


class lazy_property:
    """A property that is computed once, with gradients, and then stored as an attribute of the instance."""

    def __init__(self, wrapped: Any) -> None:
        self.wrapped = wrapped
        update_wrapper(self, wrapped)  # type: ignore[arg-type]

    def __get__(self, instance: object, obj_type: Any = None) -> Any:
        if instance is None:
            return self
        with enable_grad():
            value = self.wrapped(instance)
        setattr(instance, self.wrapped.__name__, value)
        return value


def _lower_triangle(size: int, diag: int, device) -> Tensor:
    indices = arange(size, device=device)
    return indices < indices.view(-1, 1) + (diag + 1)  # (row, column)


def tril_matrix_to_vec(mat: Tensor, diag: int = 0) -> Tensor:
    """Returns the elements of square matrices on and below a diagonal, row by row.

    Raises ValueError if the matrices have no such diagonal.
    """
    size = mat.shape[-1]
    if not -size <= diag < size:
        raise ValueError(f"diag ({diag}) provided is outside [{-size}, {size - 1}].")
    return mat[..., _lower_triangle(size, diag, mat.device)]


def vec_to_tril_matrix(vec: Tensor, diag: int = 0) -> Tensor:
    """Returns square matrices with the elements of vectors on and below a diagonal, row by row, and zeros above.

    Raises ValueError if no square matrix has that many elements there.
    """
    length = vec.shape[-1]
    # size * (size + 1 + 2 * diag) / 2 elements, minus the corner that a diagonal right of the first column cuts off
    square = (1 + 2 * diag) ** 2 + 8 * length + 4 * abs(diag) * (diag + 1)
    exact = (square**0.5 - (1 + 2 * diag)) / 2
    size = round(exact)
    if size - exact > finfo(vec.dtype).eps:
        raise ValueError(
            f"The size of last dimension is {length} which cannot be expressed as "
            "the lower triangular part of a square D x D matrix."
        )
    matrix = vec.new_zeros((*vec.shape[:-1], size, size))
    matrix[..., _lower_triangle(size, diag, vec.device)] = vec
    return matrix
