"""How a call of a function of `torch.nn.functional` is written in a graph: with all arguments, defaults included."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import cache
from typing import Any

from rushlight.nn import functional

# These are single operators, whose arguments stay as the program wrote them.
OPERATORS = frozenset(
    "adaptive_avg_pool1d avg_pool1d avg_pool2d avg_pool3d bilinear celu_ channel_shuffle conv1d conv2d conv3d conv_tbc "
    "conv_transpose1d conv_transpose2d conv_transpose3d cosine_similarity elu_ gelu hardshrink hardtanh_ leaky_relu_ "
    "linear logsigmoid native_channel_shuffle one_hot pairwise_distance pdist pixel_shuffle pixel_unshuffle prelu "
    "relu_ rrelu_ scaled_dot_product_attention selu_ softplus softshrink threshold_".split()
)


# Their nodes are calls of methods.
METHODS = frozenset(("sigmoid", "tanh"))


@cache
def composites() -> dict[Callable, str]:
    """Returns the functions of `torch.nn.functional` that are more than an operator, with their names."""
    return {
        value: name
        for name, value in vars(functional).items()
        if inspect.isfunction(value) and not name.startswith("_") and name not in OPERATORS
    }


def spelled(function: Callable, args: tuple, kwargs: dict[str, Any]) -> tuple[tuple, dict[str, Any]]:
    """Returns the arguments of a call as its node has them: arguments with a default by name, others by position."""
    if function not in composites():
        return args, kwargs
    signature = inspect.signature(function)
    try:
        bound = signature.bind(*args, **kwargs)
    except TypeError:
        return args, kwargs  # the call raises the error
    bound.apply_defaults()
    by_name = [name for name, parameter in signature.parameters.items() if parameter.default is not parameter.empty]
    values = bound.arguments
    return (
        tuple(value for name, value in values.items() if name not in by_name),
        {name: values[name] for name in by_name},
    )
