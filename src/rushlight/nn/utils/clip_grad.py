"""Limits gradients: by their total norm, or element by element."""

from __future__ import annotations

import math
import types
import warnings
from collections.abc import Callable, Container, Iterable

import numpy as np

from rushlight._generated import functions
from rushlight.autograd.grad_mode import no_grad
from rushlight.core.fp_errors import reset_errors, set_errors
from rushlight.core.policy import LARGE
from rushlight.core.tables import objects, xp
from rushlight.core.tensor import PLAIN_TYPES, Tensor, wrap
from rushlight.create.from_data import tensor
from rushlight.dispatch.destination import writable

FLOATS = frozenset(map(np.dtype, ("float32", "float64")))


def as_list(tensors) -> list[Tensor]:
    return [tensors] if isinstance(tensors, Tensor) else list(tensors)


def gradients_of(parameters):
    return [parameter.grad for parameter in parameters if parameter.grad is not None]


@no_grad()
def get_total_norm(
    tensors: Tensor | Iterable[Tensor],
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Tensor:
    """Returns the norm of all tensors as one vector.

    Raises RuntimeError with `error_if_nonfinite` if it is infinite or nan.

    >>> import rushlight as torch
    >>> torch.nn.utils.get_total_norm([torch.tensor([3.0]), torch.tensor([4.0])])
    tensor(5.)
    """
    tensors = as_list(tensors)
    norm_type = float(norm_type)
    if not tensors:
        return tensor(0.0)
    total_norm = euclidean_norm(tensors) if norm_type == 2 else None
    if total_norm is None:
        norms = [functions.linalg_vector_norm(x, norm_type).to(tensors[0].device) for x in tensors]
        total_norm = functions.linalg_vector_norm(functions.stack(norms), norm_type)
    if error_if_nonfinite and not functions.isfinite(total_norm):
        raise RuntimeError(
            f"The total norm of order {norm_type} for gradients from `parameters` is non-finite, so it cannot be "
            "clipped. To disable this error and scale the gradients by the non-finite norm anyway, set "
            "`error_if_nonfinite=False`"
        )
    return total_norm


def euclidean_norm(tensors) -> Tensor | None:
    """Returns the norm of plain CPU tensors of one floating dtype, at the cost of a sum each; None for others."""
    if not all([type(tensor) in PLAIN_TYPES for tensor in tensors]):
        return None
    arrays = [tensor._array for tensor in tensors]
    dtype = arrays[0].dtype
    if dtype not in FLOATS or not all([type(array) is np.ndarray and array.dtype is dtype for array in arrays]):
        return None
    norms = np.sqrt(np.array([xp.total_of_squares(array, None, False) for array in arrays], dtype))
    return wrap(np.asarray(np.sqrt(xp.total_of_squares(norms, None, False))))


@no_grad()
def clip_grads_with_norm_(
    parameters: Tensor | Iterable[Tensor], max_norm: float, total_norm: Tensor, foreach: bool | None = None
) -> None:
    """Multiplies all gradients by `max_norm / total_norm` if that is less than 1."""
    factor = functions.clamp(float(max_norm) / (total_norm + 1e-6), max=1.0)
    gradients = gradients_of(as_list(parameters))
    number = factor._array

    def scale(array) -> None:
        np.multiply(array, number, out=array)

    for gradient in write_small(gradients, scale, {number.dtype}, "mul_"):
        gradient.mul_(factor.to(gradient.device))


def write_small(gradients, change: Callable, dtypes: Container, by: str, most: float = LARGE) -> list:
    """Applies `change` to the arrays of small gradients of some dtypes, counted as one write; returns the others."""
    others, storages = [], []
    token = set_errors(xp.IGNORED)
    try:
        for gradient in gradients:
            array = writable(gradient)
            if array is None or array.size >= most or array.dtype not in dtypes or not array.flags.writeable:
                others.append(gradient)
            else:
                change(array)
                storages.append(gradient._storage)
    finally:
        reset_errors(token)
        objects.count_writes(storages, by)
    return others


@no_grad()
def clip_grad_norm_(
    parameters: Tensor | Iterable[Tensor],
    max_norm: float,
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Tensor:
    """Scales all gradients in place so that their total norm is at most `max_norm`; returns the norm before.

    >>> import rushlight as torch
    >>> weight = torch.nn.Parameter(torch.zeros(2))
    >>> weight.grad = torch.tensor([3.0, 4.0])
    >>> torch.nn.utils.clip_grad_norm_(weight, 1.0), weight.grad
    (tensor(5.), tensor([0.6000, 0.8000]))
    """
    is_generator = isinstance(parameters, types.GeneratorType)
    parameters = as_list(parameters)
    if is_generator and not parameters:
        warnings.warn("`parameters` is an empty generator, no gradient clipping will occur.", stacklevel=3)
    total_norm = get_total_norm(gradients_of(parameters), norm_type, error_if_nonfinite, foreach)
    clip_grads_with_norm_(parameters, max_norm, total_norm, foreach)
    return total_norm


def clip_grad_norm(
    parameters: Tensor | Iterable[Tensor],
    max_norm: float,
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Tensor:
    """Deprecated: `clip_grad_norm_`."""
    warnings.warn(
        "`torch.nn.utils.clip_grad_norm` is now deprecated in favor of `torch.nn.utils.clip_grad_norm_`.",
        FutureWarning,
        stacklevel=2,
    )
    return clip_grad_norm_(parameters, max_norm, norm_type, error_if_nonfinite, foreach)


@no_grad()
def clip_grad_value_(parameters: Tensor | Iterable[Tensor], clip_value: float, foreach: bool | None = None) -> None:
    """Clamps every element of the gradients to [-`clip_value`, `clip_value`] in place."""
    least, most = -float(clip_value), float(clip_value)

    def limit(array) -> None:
        number = array.dtype.type
        xp.limit(array, number(least), number(most))

    for gradient in write_small(gradients_of(as_list(parameters)), limit, FLOATS, "clamp_", math.inf):
        gradient.clamp_(least, most)
