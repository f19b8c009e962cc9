"""Activations as modules: each calls the function of the same name in `functional`."""

from __future__ import annotations

import warnings

from rushlight._generated import functions
from rushlight.core.annotations import Device, Dtype
from rushlight.core.tensor import Parameter, Tensor
from rushlight.create.filled import empty

from .. import functional as F
from .. import init
from .elsewhere import finder
from .module import Module


class InPlaceable(Module):
    """Base of activations that can overwrite their input."""

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def extra_repr(self) -> str:
        return ", ".join(filter(None, (super().extra_repr(), "inplace=True" if self.inplace else "")))


class Threshold(InPlaceable):
    """The input where it is greater than `threshold`, otherwise `value`."""

    _shown = ("threshold", "value")

    def __init__(self, threshold: float, value: float, inplace: bool = False) -> None:
        super().__init__(inplace)
        self.threshold = threshold
        self.value = value

    def forward(self, input: Tensor) -> Tensor:
        return F.threshold(input, self.threshold, self.value, self.inplace)


class ReLU(InPlaceable):
    """The input where it is positive, otherwise 0.

    >>> import rushlight as torch
    >>> torch.nn.ReLU()(torch.tensor([-1.0, 2.0]))
    tensor([0., 2.])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.relu(input, self.inplace)


class RReLU(InPlaceable):
    """Leaky ReLU whose slope is drawn uniformly from [`lower`, `upper`] in training; their mean in evaluation."""

    _shown = ("lower", "upper")

    def __init__(self, lower: float = 1.0 / 8, upper: float = 1.0 / 3, inplace: bool = False) -> None:
        super().__init__(inplace)
        self.lower = lower
        self.upper = upper

    def forward(self, input: Tensor) -> Tensor:
        return F.rrelu(input, self.lower, self.upper, self.training, self.inplace)


class Hardtanh(InPlaceable):
    """Clamps the input to [`min_val`, `max_val`]."""

    _shown: tuple[str, ...] = ("min_val", "max_val")

    def __init__(
        self,
        min_val: float = -1.0,
        max_val: float = 1.0,
        inplace: bool = False,
        min_value: float | None = None,
        max_value: float | None = None,
    ) -> None:
        super().__init__(inplace)
        self.min_val = renamed(min_val, min_value, "min")
        self.max_val = renamed(max_val, max_value, "max")
        if self.max_val <= self.min_val:
            raise AssertionError(f"max_val ({self.max_val}) must be greater than min_val ({self.min_val})")

    def forward(self, input: Tensor) -> Tensor:
        return F.hardtanh(input, self.min_val, self.max_val, self.inplace)


def renamed(value, old_value, which):
    if old_value is None:
        return value
    warnings.warn(
        f"keyword argument `{which}_value` is deprecated and renamed to `{which}_val`", FutureWarning, stacklevel=4
    )
    return old_value


class ReLU6(Hardtanh):
    """Clamps the input to [0, 6]."""

    _shown = ()

    def __init__(self, inplace: bool = False) -> None:
        super().__init__(0.0, 6.0, inplace)


class Sigmoid(Module):
    """`1 / (1 + exp(-input))`."""

    def forward(self, input: Tensor) -> Tensor:
        return functions.sigmoid(input)  # `F.sigmoid` calls a method, as PyTorch's does


class Hardsigmoid(InPlaceable):
    """`clamp(input / 6 + 1 / 2, 0, 1)`."""

    def forward(self, input: Tensor) -> Tensor:
        return F.hardsigmoid(input, self.inplace)

    def extra_repr(self) -> str:
        return ""


class Tanh(Module):
    """The hyperbolic tangent."""

    def forward(self, input: Tensor) -> Tensor:
        return functions.tanh(input)  # `F.tanh` calls a method, as PyTorch's does


class SiLU(InPlaceable):
    """`input * sigmoid(input)`, also called swish."""

    def forward(self, input: Tensor) -> Tensor:
        return F.silu(input, self.inplace)


class Mish(InPlaceable):
    """`input * tanh(softplus(input))` (Misra, 2019)."""

    def forward(self, input: Tensor) -> Tensor:
        return F.mish(input, self.inplace)


class Hardswish(InPlaceable):
    """`input * clamp(input + 3, 0, 6) / 6`."""

    def forward(self, input: Tensor) -> Tensor:
        return F.hardswish(input, self.inplace)

    def extra_repr(self) -> str:
        return ""


class ELU(InPlaceable):
    """The input where it is positive, otherwise `alpha * (exp(input) - 1)`."""

    _shown = ("alpha",)

    def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None:
        super().__init__(inplace)
        self.alpha = alpha

    def forward(self, input: Tensor) -> Tensor:
        return F.elu(input, self.alpha, self.inplace)


class CELU(ELU):
    """The input where it is positive, otherwise `alpha * (exp(input / alpha) - 1)`."""

    def forward(self, input: Tensor) -> Tensor:
        return F.celu(input, self.alpha, self.inplace)


class SELU(InPlaceable):
    """The scaled `ELU` under which activations keep mean 0 and variance 1 (Klambauer et al., 2017)."""

    def forward(self, input: Tensor) -> Tensor:
        return F.selu(input, self.inplace)


class GLU(Module):
    """The first half of the input along `dim` times the sigmoid of the second."""

    _shown = ("dim",)

    def __init__(self, dim: int = -1) -> None:
        super().__init__()
        self.dim = dim

    def forward(self, input: Tensor) -> Tensor:
        return F.glu(input, self.dim)


class GELU(Module):
    """The input times its normal distribution function, with `approximate="tanh"` approximately."""

    def __init__(self, approximate: str = "none") -> None:
        super().__init__()
        self.approximate = approximate

    def forward(self, input: Tensor) -> Tensor:
        return F.gelu(input, approximate=self.approximate)

    def extra_repr(self) -> str:
        return f"approximate={self.approximate!r}"


class Hardshrink(Module):
    """0 where the absolute input is at most `lambd`, otherwise the input."""

    def __init__(self, lambd: float = 0.5) -> None:
        super().__init__()
        self.lambd = lambd

    def forward(self, input: Tensor) -> Tensor:
        return F.hardshrink(input, self.lambd)

    def extra_repr(self) -> str:
        return str(self.lambd)


class LeakyReLU(InPlaceable):
    """The input where it is positive, otherwise `negative_slope * input`."""

    _shown = ("negative_slope",)

    def __init__(self, negative_slope: float = 1e-2, inplace: bool = False) -> None:
        super().__init__(inplace)
        self.negative_slope = negative_slope

    def forward(self, input: Tensor) -> Tensor:
        return F.leaky_relu(input, self.negative_slope, self.inplace)


class LogSigmoid(Module):
    """The logarithm of the sigmoid."""

    def forward(self, input: Tensor) -> Tensor:
        return F.logsigmoid(input)


class Softplus(Module):
    """`log(1 + exp(beta * input)) / beta`, and the input itself where `beta * input` exceeds `threshold`."""

    _shown = ("beta", "threshold")

    def __init__(self, beta: float = 1.0, threshold: float = 20.0) -> None:
        super().__init__()
        self.beta = beta
        self.threshold = threshold

    def forward(self, input: Tensor) -> Tensor:
        return F.softplus(input, self.beta, self.threshold)


class Softshrink(Hardshrink):
    """The input moved towards 0 by `lambd`; 0 if it is within `lambd` of 0."""

    def forward(self, input: Tensor) -> Tensor:
        return F.softshrink(input, self.lambd)


class PReLU(Module):
    """The input where it is positive, otherwise a learned slope times the input: one slope, or one per channel.

    The weight has shape (num_parameters,) and starts at `init`.
    """

    _shown = ("num_parameters",)

    def __init__(
        self, num_parameters: int = 1, init: float = 0.25, device: Device = None, dtype: Dtype | None = None
    ) -> None:
        super().__init__()
        self.num_parameters = num_parameters
        self.init = init
        self.weight = Parameter(empty(num_parameters, device=device, dtype=dtype))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Sets all slopes to the initial one."""
        init.constant_(self.weight, self.init)

    def forward(self, input: Tensor) -> Tensor:
        return F.prelu(input, self.weight)


class Softsign(Module):
    """`input / (1 + abs(input))`."""

    def forward(self, input: Tensor) -> Tensor:
        return F.softsign(input)


class Tanhshrink(Module):
    """`input - tanh(input)`."""

    def forward(self, input: Tensor) -> Tensor:
        return F.tanhshrink(input)


class AlongDimension(Module):
    """Base of activations that normalize along one dimension."""

    _shown = ("dim",)

    def __init__(self, dim: int | None = None) -> None:
        super().__init__()
        self.dim = dim


class Softmin(AlongDimension):
    """`softmax(-input)`."""

    def forward(self, input: Tensor) -> Tensor:
        return F.softmin(input, self.dim, _stacklevel=5)


class Softmax(AlongDimension):
    """Exponentials divided by their sum along `dim`.

    >>> import rushlight as torch
    >>> torch.nn.Softmax(dim=0)(torch.zeros(4))
    tensor([0.2500, 0.2500, 0.2500, 0.2500])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.softmax(input, self.dim, _stacklevel=5)


class Softmax2d(Module):
    """Softmax over the channels of (N, C, H, W) or (C, H, W)."""

    def forward(self, input: Tensor) -> Tensor:
        if input.dim() not in (3, 4):
            raise ValueError(f"Softmax2d: expected input to be 3D or 4D, got {input.dim()}D instead")
        return F.softmax(input, -3, _stacklevel=5)


class LogSoftmax(AlongDimension):
    """The logarithm of the softmax along `dim`."""

    def forward(self, input: Tensor) -> Tensor:
        return F.log_softmax(input, self.dim, _stacklevel=5)


__getattr__ = finder(__name__, "attention", "MultiheadAttention")
