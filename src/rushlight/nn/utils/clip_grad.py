"""Keeping gradients small: by their common norm, or element by element."""

import types
import warnings

from rushlight._generated import functions
from rushlight.autograd.grad_mode import no_grad
from rushlight.core.tensor import Tensor
from rushlight.dispatch.from_data import tensor


def as_list(tensors):
    return [tensors] if isinstance(tensors, Tensor) else list(tensors)


def gradients_of(parameters):
    return [parameter.grad for parameter in parameters if parameter.grad is not None]


@no_grad()
def get_total_norm(
    tensors, norm_type: float = 2.0, error_if_nonfinite: bool = False, foreach: bool | None = None
) -> Tensor:
    """The norm of all tensors together, as if they were one vector.

    Raises RuntimeError with `error_if_nonfinite` if it is infinite or not a number.

    >>> import rushlight as torch
    >>> torch.nn.utils.get_total_norm([torch.tensor([3.0]), torch.tensor([4.0])])
    tensor(5.)
    """
    tensors = as_list(tensors)
    norm_type = float(norm_type)
    if not tensors:
        return tensor(0.0)
    norms = [functions.linalg_vector_norm(each, norm_type).to(tensors[0].device) for each in tensors]
    total_norm = functions.linalg_vector_norm(functions.stack(norms), norm_type)
    if error_if_nonfinite and not functions.isfinite(total_norm):
        raise RuntimeError(
            f"The total norm of order {norm_type} for gradients from `parameters` is non-finite, so it cannot be "
            "clipped. To disable this error and scale the gradients by the non-finite norm anyway, set "
            "`error_if_nonfinite=False`"
        )
    return total_norm


@no_grad()
def clip_grads_with_norm_(parameters, max_norm: float, total_norm: Tensor, foreach: bool | None = None) -> None:
    """Multiplies all gradients by `max_norm / total_norm` where that is less than 1."""
    factor = functions.clamp(float(max_norm) / (total_norm + 1e-6), max=1.0)
    for gradient in gradients_of(as_list(parameters)):
        gradient.mul_(factor.to(gradient.device))


@no_grad()
def clip_grad_norm_(
    parameters,
    max_norm: float,
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Tensor:
    """Scales all gradients in place so that their common norm is at most `max_norm`; returns the norm before.

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
    parameters,
    max_norm: float,
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Tensor:
    """The old name of `clip_grad_norm_`."""
    warnings.warn(
        "`torch.nn.utils.clip_grad_norm` is now deprecated in favor of `torch.nn.utils.clip_grad_norm_`.",
        FutureWarning,
        stacklevel=2,
    )
    return clip_grad_norm_(parameters, max_norm, norm_type, error_if_nonfinite, foreach)


@no_grad()
def clip_grad_value_(parameters, clip_value: float, foreach: bool | None = None) -> None:
    """Cuts every element of the gradients off at `clip_value` and its negative, in place."""
    for gradient in gradients_of(as_list(parameters)):
        gradient.clamp_(-float(clip_value), float(clip_value))
