"""Initializes tensors in place, without gradients, with PyTorch's random draws.

The order of the draws is part of each function's contract: the same seed gives PyTorch's values.
"""

import functools
import inspect
import math
import warnings
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from rushlight._generated.functions import where
from rushlight.autograd.grad_mode import no_grad
from rushlight.core.generator import Generator
from rushlight.core.numbers import python_number
from rushlight.core.tensor import Tensor
from rushlight.create.filled import empty_like
from rushlight.create.filled import eye as identity
from rushlight.create.random import randperm
from rushlight.dispatch.torch_function import handle_torch_function, has_torch_function_variadic

F = TypeVar("F", bound=Callable[..., Any])

__all__ = [
    "calculate_gain",
    "constant",
    "constant_",
    "dirac",
    "dirac_",
    "eye",
    "eye_",
    "kaiming_normal",
    "kaiming_normal_",
    "kaiming_uniform",
    "kaiming_uniform_",
    "normal",
    "normal_",
    "ones_",
    "orthogonal",
    "orthogonal_",
    "sparse",
    "sparse_",
    "trunc_normal_",
    "uniform",
    "uniform_",
    "xavier_normal",
    "xavier_normal_",
    "xavier_uniform",
    "xavier_uniform_",
    "zeros_",
]

LINEAR = {
    "linear", "conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d", "sigmoid"
}  # fmt: skip
GAINS = {**dict.fromkeys(LINEAR, 1), "tanh": 5 / 3, "relu": math.sqrt(2), "selu": 3 / 4}


def calculate_gain(nonlinearity: str, param: int | float | None = None) -> float:
    """Returns the factor on the standard deviation that keeps variances equal through `nonlinearity`.

    `param` is the negative slope of "leaky_relu". Values: https://docs.pytorch.org/docs/stable/nn.init.html.

    >>> import rushlight as torch
    >>> torch.nn.init.calculate_gain("tanh")
    1.6666666666666667
    """
    if nonlinearity == "leaky_relu":
        slope = 0.01 if param is None else param
        if isinstance(slope, bool) or not isinstance(slope, int | float):
            raise ValueError(f"negative_slope {slope} not a valid number")
        return math.sqrt(2 / (1 + slope**2))
    if nonlinearity not in GAINS:
        raise ValueError(f"Unsupported nonlinearity {nonlinearity}")
    return GAINS[nonlinearity]


def may_be_overridden(function: F) -> F:
    """Offers calls of a function to modes and subclasses, which get every argument by name."""
    order = tuple(inspect.signature(function).parameters)

    @functools.wraps(function)
    def filling(tensor, *arguments, **keywords):
        if has_torch_function_variadic(tensor):
            passed = {**dict(zip(order, (tensor, *arguments), strict=False)), **keywords}
            defaults = {name: parameter.default for name, parameter in inspect.signature(function).parameters.items()}
            keywords_by_name = {name: passed.get(name, default) for name, default in defaults.items()}
            return handle_torch_function(filling, (tensor,), **keywords_by_name)
        return function(tensor, *arguments, **keywords)

    filling.__module__ = "torch.nn.init"  # overrides identify functions by module
    return filling  # type: ignore[return-value]


@may_be_overridden
@no_grad()
def uniform_(tensor: Tensor, a: float = 0.0, b: float = 1.0, generator: Generator | None = None) -> Tensor:
    """Draws every element uniformly from [`a`, `b`)."""
    return tensor.uniform_(a, b, generator=generator)


@may_be_overridden
@no_grad()
def normal_(tensor: Tensor, mean: float = 0.0, std: float = 1.0, generator: Generator | None = None) -> Tensor:
    """Draws every element from the normal distribution."""
    return tensor.normal_(mean, std, generator=generator)


@no_grad()
def trunc_normal_(
    tensor: Tensor,
    mean: float = 0.0,
    std: float = 1.0,
    a: float = -2.0,
    b: float = 2.0,
    generator: Generator | None = None,
) -> Tensor:
    """Draws every element from the normal distribution cut off at `a` and `b`.

    If the interval has at most 0.3 of the probability, draws from the uniform distribution are accepted in proportion
    to the density; otherwise draws outside the interval are repeated.
    """
    if tensor.is_meta:
        return tensor
    mean, std, a, b = map(python_number, (mean, std, a, b))
    if mean < a - 2 * std or mean > b + 2 * std:
        warnings.warn(
            "mean is more than 2 std from [a, b] in nn.init.trunc_normal_. The distribution of values may be "
            "incorrect.",
            stacklevel=3,
        )
    share = normal_cdf((b - mean) / std) - normal_cdf((a - mean) / std)
    if share > 0.3:
        return redraw_outside(tensor, mean, std, a, b, generator)
    return accept_by_density(tensor, mean, std, a, b, generator)


def normal_cdf(x):
    return (1 + math.erf(x / math.sqrt(2))) / 2


def redraw_outside(tensor, mean, std, a, b, generator):
    low, high = (tensor.new_tensor(bound, device="cpu").item() for bound in (a, b))  # rounded to the tensor's dtype
    result = tensor.normal_(mean, std, generator=generator)
    while (outside := (result < low) | (result > high)).any():
        result = where(outside, empty_like(result).normal_(mean, std, generator=generator), result)
    return tensor if result is tensor else tensor.copy_(result)


def accept_by_density(tensor, mean, std, a, b, generator):
    log_peak = -0.5 * ((max(a, min(mean, b)) - mean) / std) ** 2
    threshold = empty_like(tensor)

    def refused(candidates):
        log_density = candidates.clone().sub_(mean).div_(std).pow_(2).mul_(-0.5).sub_(log_peak)
        return threshold.uniform_(generator=generator).log_().gt(log_density)

    candidates = tensor.uniform_(a, b, generator=generator).clone()
    result = tensor
    pending = refused(candidates)
    while pending.any():
        candidates.uniform_(a, b, generator=generator)
        result = where(pending, candidates, result)
        pending = where(pending, refused(candidates), pending)
    return tensor if result is tensor else tensor.copy_(result)


@may_be_overridden
@no_grad()
def constant_(tensor: Tensor, val: float) -> Tensor:
    """Sets every element to `val`."""
    return tensor.fill_(val)


@no_grad()
def ones_(tensor: Tensor) -> Tensor:
    """Sets every element to 1."""
    return tensor.fill_(1.0)


@no_grad()
def zeros_(tensor: Tensor) -> Tensor:
    """Sets every element to 0."""
    return tensor.zero_()


@no_grad()
def eye_(tensor: Tensor) -> Tensor:
    """Makes a matrix the identity, as far as its shape allows."""
    if tensor.dim() != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    return tensor.copy_(identity(*tensor.shape, dtype=tensor.dtype, device=tensor.device))


@no_grad()
def dirac_(tensor: Tensor, groups: int = 1) -> Tensor:
    """Makes the weight of a convolution the identity on as many input channels as possible, in each group."""
    if tensor.dim() not in (3, 4, 5):
        raise ValueError("Only tensors with 3, 4, or 5 dimensions are supported")
    if tensor.size(0) % groups != 0:
        raise ValueError("dim 0 must be divisible by groups")
    if tensor.is_meta:
        return tensor
    tensor.zero_()
    middle = tuple(length // 2 for length in tensor.shape[2:])
    out_channels = tensor.size(0) // groups
    for group in range(groups):
        for channel in range(min(out_channels, tensor.size(1))):
            tensor[(group * out_channels + channel, channel, *middle)] = 1
    return tensor


def _calculate_fan_in_and_fan_out(tensor):
    """Returns the number of inputs per output, and of outputs per input."""
    if tensor.dim() < 2:
        raise ValueError("Fan in and fan out can not be computed for tensor with fewer than 2 dimensions")
    receptive_field = math.prod(tensor.shape[2:])
    return tensor.size(1) * receptive_field, tensor.size(0) * receptive_field


def _calculate_correct_fan(tensor, mode):
    modes = ["fan_in", "fan_out"]
    if mode.lower() not in modes:
        raise ValueError(f"Mode {mode.lower()} not supported, please use one of {modes}")
    return _calculate_fan_in_and_fan_out(tensor)[modes.index(mode.lower())]


def xavier_uniform_(tensor: Tensor, gain: float = 1.0, generator: Generator | None = None) -> Tensor:
    """Draws uniformly with standard deviation `gain * sqrt(2 / (fan_in + fan_out))` (Glorot and Bengio, 2010).

    >>> import rushlight as torch
    >>> weight = torch.nn.init.xavier_uniform_(torch.empty(3, 5))
    >>> bool(weight.abs().max() <= (6 / 8) ** 0.5)
    True
    """
    bound = math.sqrt(3) * (python_number(gain) * math.sqrt(2 / sum(_calculate_fan_in_and_fan_out(tensor))))
    return uniform_(tensor, -bound, bound, generator)


def xavier_normal_(tensor: Tensor, gain: float = 1.0, generator: Generator | None = None) -> Tensor:
    """Draws from the normal distribution with deviation `gain * sqrt(2 / (fan_in + fan_out))` (Glorot, 2010)."""
    return normal_(
        tensor, 0.0, python_number(gain) * math.sqrt(2 / sum(_calculate_fan_in_and_fan_out(tensor))), generator
    )


def kaiming_deviation(tensor, a, mode, nonlinearity):
    """Returns gain over the square root of the fan (He et al., 2015); None for a tensor without elements."""
    if 0 in tensor.shape:
        warnings.warn("Initializing zero-element tensors is a no-op", stacklevel=3)
        return None
    return calculate_gain(nonlinearity, a) / math.sqrt(_calculate_correct_fan(tensor, mode))


@may_be_overridden
def kaiming_uniform_(
    tensor: Tensor,
    a: float = 0,
    mode: str = "fan_in",
    nonlinearity: str = "leaky_relu",
    generator: Generator | None = None,
) -> Tensor:
    """Draws uniformly with standard deviation `gain / sqrt(fan)` (He et al., 2015).

    `a` is the negative slope of the leaky ReLU that follows; `mode` "fan_in" preserves the variance in the forward
    pass, "fan_out" in the backward pass.
    """
    deviation = kaiming_deviation(tensor, a, mode, nonlinearity)
    if deviation is None:
        return tensor
    bound = math.sqrt(3.0) * deviation
    return uniform_(tensor, -bound, bound, generator)


def kaiming_normal_(
    tensor: Tensor,
    a: float = 0,
    mode: str = "fan_in",
    nonlinearity: str = "leaky_relu",
    generator: Generator | None = None,
) -> Tensor:
    """Draws from the normal distribution with standard deviation `gain / sqrt(fan)` (He et al., 2015)."""
    deviation = kaiming_deviation(tensor, a, mode, nonlinearity)
    return tensor if deviation is None else normal_(tensor, 0, deviation, generator)


@no_grad()
def orthogonal_(tensor: Tensor, gain: float = 1, generator: Generator | None = None) -> Tensor:
    """Makes the rows or the columns, whichever are fewer, orthonormal times `gain`; later dimensions are flattened.

    Uniform over all such matrices: the signs of R's diagonal are moved into Q (Mezzadri, math-ph/0609050).
    """
    if tensor.dim() < 2:
        raise ValueError("Only tensors with 2 or more dimensions are supported")
    if tensor.numel() == 0 or tensor.is_meta:
        return tensor
    rows = tensor.size(0)
    columns = tensor.numel() // rows
    drawn = tensor.new_empty((rows, columns)).normal_(0, 1, generator=generator).cpu().numpy()
    q, r = np.linalg.qr(drawn.T if rows < columns else drawn)
    q = q * np.sign(np.diag(r))
    q = tensor.new_tensor(q.T if rows < columns else q)
    return tensor.copy_(q.view(tensor.shape)).mul_(gain)


@no_grad()
def sparse_(tensor: Tensor, sparsity: float, std: float = 0.01, generator: Generator | None = None) -> Tensor:
    """Draws a matrix from the normal distribution and zeroes the fraction `sparsity` of each column (Martens, 2010)."""
    if tensor.dim() != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    if tensor.is_meta:
        return tensor
    rows, columns = tensor.shape
    zeros = math.ceil(python_number(sparsity) * rows)
    tensor.normal_(0, std, generator=generator)
    for column in range(columns):
        tensor[randperm(rows)[:zeros], column] = 0
    return tensor


def old_name(function):
    """Returns the deprecated function whose name lacks the underscore."""
    name = function.__name__.removesuffix("_")

    def renamed(*args, **kwargs):
        warnings.warn(
            f"`nn.init.{name}` is now deprecated in favor of `nn.init.{function.__name__}`.",
            FutureWarning,
            stacklevel=2,
        )
        return function(*args, **kwargs)

    renamed.__name__ = renamed.__qualname__ = name
    renamed.__doc__ = f"{name}(...)\n\nThe old name of `{function.__name__}`."
    return renamed


uniform = old_name(uniform_)
normal = old_name(normal_)
constant = old_name(constant_)
eye = old_name(eye_)
dirac = old_name(dirac_)
xavier_uniform = old_name(xavier_uniform_)
xavier_normal = old_name(xavier_normal_)
kaiming_uniform = old_name(kaiming_uniform_)
kaiming_normal = old_name(kaiming_normal_)
orthogonal = old_name(orthogonal_)
sparse = old_name(sparse_)

# PyTorch's names of the functions without overrides.
_no_grad_uniform_, _no_grad_normal_ = uniform_.__wrapped__, normal_.__wrapped__  # type: ignore[attr-defined]
_no_grad_fill_ = constant_.__wrapped__  # type: ignore[attr-defined]
_no_grad_trunc_normal_, _no_grad_zero_ = trunc_normal_, zeros_
