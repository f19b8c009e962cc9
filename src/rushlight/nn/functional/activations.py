"""Activation functions: `inplace` selects one of two ops, an omitted `dim` is chosen as in PyTorch, with a warning."""

from __future__ import annotations

import warnings

from rushlight._generated import functions
from rushlight.core.annotations import Dtype
from rushlight.core.formats import CONTIGUOUS
from rushlight.core.tensor import Tensor
from rushlight.create.filled import empty_like, zeros_like


def threshold(input: Tensor, threshold: float, value: float, inplace: bool = False) -> Tensor:
    """Returns the input where it is greater than `threshold`, otherwise `value`."""
    return (functions.threshold_ if inplace else functions.threshold)(input, threshold, value)


def relu(input: Tensor, inplace: bool = False) -> Tensor:
    """Returns the input where it is positive, otherwise 0."""
    return functions.relu_(input) if inplace else functions.relu(input)


def tanh(input: Tensor) -> Tensor:
    """Returns the hyperbolic tangent."""
    return input.tanh()


def sigmoid(input: Tensor) -> Tensor:
    """Returns `1 / (1 + exp(-input))`."""
    return input.sigmoid()


def glu(input: Tensor, dim: int = -1) -> Tensor:
    """Returns the first half of the input along `dim` times the sigmoid of the second."""
    if input.dim() == 0:
        raise RuntimeError("glu does not support scalars because halving size must be even")
    return functions.glu(input, dim)


def hardtanh(input: Tensor, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> Tensor:
    """Clamps the input to [`min_val`, `max_val`]."""
    if min_val > max_val:
        raise ValueError("min_val cannot be greater than max_val")
    return (functions.hardtanh_ if inplace else functions.hardtanh)(input, min_val, max_val)


def relu6(input: Tensor, inplace: bool = False) -> Tensor:
    """Clamps the input to [0, 6]."""
    return (functions.relu6_ if inplace else functions.relu6)(input)


def elu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """Returns the input where it is positive, otherwise `alpha * (exp(input) - 1)`."""
    return (functions.elu_ if inplace else functions.elu)(input, alpha)


def selu(input: Tensor, inplace: bool = False) -> Tensor:
    """Applies the scaled `elu` of self-normalizing networks (Klambauer et al., 2017)."""
    return functions.selu_(input) if inplace else functions.selu(input)


def celu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """Returns the input where it is positive, otherwise `alpha * (exp(input / alpha) - 1)`."""
    return (functions.celu_ if inplace else functions.celu)(input, alpha)


def leaky_relu(input: Tensor, negative_slope: float = 0.01, inplace: bool = False) -> Tensor:
    """Returns the input where it is positive, otherwise `negative_slope * input`."""
    return (functions.leaky_relu_ if inplace else functions.leaky_relu)(input, negative_slope)


def rrelu(
    input: Tensor, lower: float = 1.0 / 8, upper: float = 1.0 / 3, training: bool = False, inplace: bool = False
) -> Tensor:
    """Leaky ReLU whose slope is drawn uniformly from [`lower`, `upper`] in training; their mean in evaluation."""
    return (functions.rrelu_ if inplace else functions.rrelu)(input, lower, upper, training)


def hardsigmoid(input: Tensor, inplace: bool = False) -> Tensor:
    """Returns `clamp(input / 6 + 1 / 2, 0, 1)`."""
    return functions.hardsigmoid_(input) if inplace else functions.hardsigmoid(input)


def silu(input: Tensor, inplace: bool = False) -> Tensor:
    """Returns `input * sigmoid(input)`."""
    return functions.silu_(input) if inplace else functions.silu(input)


def mish(input: Tensor, inplace: bool = False) -> Tensor:
    """Returns `input * tanh(softplus(input))`."""
    return functions.mish_(input) if inplace else functions.mish(input)


def hardswish(input: Tensor, inplace: bool = False) -> Tensor:
    """Returns `input * clamp(input + 3, 0, 6) / 6`."""
    return functions.hardswish_(input) if inplace else functions.hardswish(input)


def _get_softmax_dim(name, ndim, stacklevel):
    warnings.warn(
        f"Implicit dimension choice for {name} has been deprecated. Change the call to include dim=X as an argument.",
        stacklevel=stacklevel,
    )
    return 0 if ndim in (0, 1, 3) else 1


def softmax(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: Dtype | None = None) -> Tensor:
    """Returns exponentials divided by their sum along `dim`."""
    if dim is None:
        dim = _get_softmax_dim("softmax", input.dim(), _stacklevel)
    return input.softmax(dim, dtype=dtype)  # the method, as in PyTorch: other objects raise AttributeError


def softmin(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: Dtype | None = None) -> Tensor:
    """Returns `softmax(-input)`."""
    if dim is None:
        dim = _get_softmax_dim("softmin", input.dim(), _stacklevel)
    return (-input).softmax(dim, dtype=dtype)


def log_softmax(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: Dtype | None = None) -> Tensor:
    """Returns the logarithm of the softmax along `dim`."""
    if dim is None:
        dim = _get_softmax_dim("log_softmax", input.dim(), _stacklevel)
    return input.log_softmax(dim, dtype=dtype)


def gumbel_softmax(logits: Tensor, tau: float = 1, hard: bool = False, eps: float = 1e-10, dim: int = -1) -> Tensor:
    """Draws from the categories of `logits`, differentiably: the softmax of noisy logits divided by `tau`.

    With `hard` the result is one-hot, with the gradient of the soft one (Jang et al., 2017).
    """
    if eps != 1e-10:
        warnings.warn("`eps` parameter is deprecated and has no effect.", stacklevel=2)
    noise = -empty_like(logits, memory_format=CONTIGUOUS).exponential_().log()
    soft = functions.softmax((logits + noise) / tau, dim)
    if not hard:
        return soft
    largest = zeros_like(logits).scatter_(dim, soft.argmax(dim, keepdim=True), 1.0)
    return largest - soft.detach() + soft
