"""Linear maps of the last dimension."""

from __future__ import annotations

import math
from typing import Any

from rushlight.core.annotations import Device, Dtype
from rushlight.core.tensor import Parameter, Tensor
from rushlight.create.filled import empty

from .. import functional as F
from .. import init
from .elsewhere import finder
from .module import Module, look_up


class Identity(Module):
    """Returns its input; accepts any constructor arguments."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()

    def forward(self, input: Tensor) -> Tensor:
        return input


class Linear(Module):
    """`input @ weight.T + bias`: (..., in_features) to (..., out_features).

    Weight and bias are drawn uniformly within `1 / sqrt(in_features)` of 0.

    >>> import rushlight as torch
    >>> torch.nn.Linear(4, 3)(torch.zeros(2, 4)).shape
    torch.Size([2, 3])
    """

    def __init__(
        self, in_features: int, out_features: int, bias: bool = True, device: Device = None, dtype: Dtype | None = None
    ) -> None:
        super().__init__()
        self.in_features = in_features
        self.out_features = out_features
        self.weight = Parameter(empty((out_features, in_features), device=device, dtype=dtype))
        self.register_parameter("bias", Parameter(empty(out_features, device=device, dtype=dtype)) if bias else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draws weight and bias again."""
        reset_weight_and_bias(self)

    def forward(self, input: Tensor) -> Tensor:
        if type(self) is Linear and Linear.__getattr__ is look_up:  # inlines `pair`
            own = self.__dict__
            if "weight" not in own and "bias" not in own:
                parameters = own["_parameters"]
                if "weight" in parameters and "bias" in parameters:
                    return F.linear(input, parameters["weight"], parameters["bias"])
        return F.linear(input, self.weight, self.bias)

    def extra_repr(self) -> str:
        return f"in_features={self.in_features}, out_features={self.out_features}, bias={self.bias is not None}"


def reset_weight_and_bias(module):
    """Draws weight and bias uniformly within one over the square root of the fan-in."""
    init.kaiming_uniform_(module.weight, a=math.sqrt(5))
    if module.bias is not None:
        fan_in, _ = init._calculate_fan_in_and_fan_out(module.weight)
        bound = 1 / math.sqrt(fan_in) if fan_in > 0 else 0
        init.uniform_(module.bias, -bound, bound)


class Bilinear(Module):
    """`input1 @ weight[k] @ input2 + bias[k]` for each output k: (..., in1), (..., in2) to (..., out)."""

    def __init__(
        self,
        in1_features: int,
        in2_features: int,
        out_features: int,
        bias: bool = True,
        device: Device = None,
        dtype: Dtype | None = None,
    ) -> None:
        super().__init__()
        self.in1_features = in1_features
        self.in2_features = in2_features
        self.out_features = out_features
        self.weight = Parameter(empty((out_features, in1_features, in2_features), device=device, dtype=dtype))
        self.register_parameter("bias", Parameter(empty(out_features, device=device, dtype=dtype)) if bias else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draws weight and bias again."""
        if self.in1_features <= 0:
            raise ValueError(f"in1_features must be > 0, but got (in1_features={self.in1_features})")
        bound = 1 / math.sqrt(self.in1_features)
        init.uniform_(self.weight, -bound, bound)
        if self.bias is not None:
            init.uniform_(self.bias, -bound, bound)

    def forward(self, input1: Tensor, input2: Tensor) -> Tensor:
        return F.bilinear(input1, input2, self.weight, self.bias)

    def extra_repr(self) -> str:
        return (
            f"in1_features={self.in1_features}, in2_features={self.in2_features}, out_features={self.out_features}, "
            f"bias={self.bias is not None}"
        )


__getattr__ = finder(__name__, "lazy", "LazyLinear")
