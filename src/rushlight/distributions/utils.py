"""`torch.distributions.utils`: broadcasting of parameters, probabilities and logits, triangles as vectors."""

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
    """The values as tensors of one shape; numbers take the dtype and device of the first tensor.

    Raises ValueError if a value is neither a tensor nor a number.

    >>> import rushlight as torch
    >>> torch.distributions.utils.broadcast_all(torch.zeros(2), 1.0)
    (tensor([0., 0.]), tensor([1., 1.]))
    """
    if not all(isinstance(each, (Tensor, int, float)) for each in values):
        raise ValueError(
            "Input arguments must all be instances of Number, torch.Tensor or objects implementing __torch_function__."
        )
    first = next((each for each in values if isinstance(each, Tensor)), None)
    dtype, device = (get_default_dtype(), None) if first is None else (first.dtype, first.device)
    tensors = [each if isinstance(each, Tensor) else tensor(each, dtype=dtype, device=device) for each in values]
    return tuple(F.broadcast_tensors(*tensors))


def _standard_normal(shape, dtype, device) -> Tensor:
    """Normal numbers of mean 0 and variance 1."""
    return empty(shape, dtype=dtype, device=device).normal_()


def _sum_rightmost(value: Tensor, dim: int) -> Tensor:
    """The sum over the last `dim` dimensions."""
    return value.reshape(value.shape[: value.ndim - dim] + (-1,)).sum(-1) if dim else value


def logits_to_probs(logits: Tensor, is_binary: bool = False) -> Tensor:
    """Probabilities from log odds (`is_binary`), or from log probabilities along the last dimension."""
    return F.sigmoid(logits) if is_binary else F.softmax(logits, -1)


def clamp_probs(probs: Tensor) -> Tensor:
    """The probabilities, none closer to 0 or 1 than the resolution of their dtype."""
    resolution = finfo(probs.dtype).eps
    return probs.clamp(min=resolution, max=1 - resolution)


def probs_to_logits(probs: Tensor, is_binary: bool = False) -> Tensor:
    """Log odds (`is_binary`) or log probabilities, finite also for probabilities 0 and 1."""
    inside = clamp_probs(probs)
    return inside.log() - (-inside).log1p() if is_binary else inside.log()


class lazy_property:
    """A property that is computed once, recording, and is then an ordinary attribute of the instance."""

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
    places = arange(size, device=device)
    return places < places.view(-1, 1) + (diag + 1)  # (row, column)


def tril_matrix_to_vec(mat: Tensor, diag: int = 0) -> Tensor:
    """The elements of square matrices on and below a diagonal, row by row.

    Raises ValueError if the matrices have no such diagonal.
    """
    size = mat.shape[-1]
    if not -size <= diag < size:
        raise ValueError(f"diag ({diag}) provided is outside [{-size}, {size - 1}].")
    return mat[..., _lower_triangle(size, diag, mat.device)]


def vec_to_tril_matrix(vec: Tensor, diag: int = 0) -> Tensor:
    """Square matrices with the elements of vectors on and below a diagonal, row by row, and zeros above.

    Raises ValueError if no square matrix has as many elements there.
    """
    length = vec.shape[-1]
    # size * (size + 1 + 2 * diag) / 2 elements, less the corner that a diagonal above the first column cuts off
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
