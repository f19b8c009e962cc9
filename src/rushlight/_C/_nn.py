"""`torch._C._nn`: the functions that PyTorch's `nn.functional` calls, which packages call too."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any

from rushlight._generated.functions import linear as linear
from rushlight.create.conversion import conversion_of

# Each is the operator of that name.
OPERATORS = frozenset(
    """
    adaptive_avg_pool2d adaptive_avg_pool3d adaptive_max_pool2d adaptive_max_pool3d avg_pool2d avg_pool3d
    binary_cross_entropy elu elu_ gelu gelu_ glu hardsigmoid hardsigmoid_ hardswish hardswish_ hardtanh hardtanh_
    huber_loss l1_loss leaky_relu leaky_relu_ max_pool2d_with_indices max_pool3d_with_indices mish mish_ mse_loss
    multi_margin_loss multilabel_margin_loss nll_loss one_hot pad relu6 relu6_ scaled_dot_product_attention silu silu_
    smooth_l1_loss soft_margin_loss softplus softshrink
    """.split()
)


@cache
def __getattr__(name: str) -> Callable[..., Any]:
    if name not in OPERATORS:
        raise AttributeError(f"module 'torch._C._nn' has no attribute {name!r}")
    operator = getattr(import_module("rushlight._ops").ops.aten, name)

    def function(*args: Any, **kwargs: Any) -> Any:
        if "input" in kwargs:  # which the operator calls `self`
            kwargs["self"] = kwargs.pop("input")
        return operator(*args, **kwargs)

    function.__name__ = function.__qualname__ = name
    return function


def _parse_to(*args, **kwargs) -> tuple:
    """Parses arguments of `to`: returns (device, dtype, non_blocking, memory_format), with None for missing ones.

    >>> import rushlight as torch
    >>> _parse_to("cpu", torch.float16)
    (device(type='cpu'), torch.float16, False, None)
    """
    return conversion_of(args, kwargs)
