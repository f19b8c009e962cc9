"""Batch norm by cuDNN: in training, with running statistics, and its derivatives.

Statistics, weight and bias are float32, whatever the dtype of the input is, as in PyTorch.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from rushlight.arrays.cuda.cudnn.graphs import Graphs
from rushlight.arrays.cuda.cudnn.layouts import compact, empty_as, is_aligned, spread
from rushlight.arrays.cuda.cudnn.plans import Call
from rushlight.arrays.layouts import channels_are_last

INPUTS = ("float16", "bfloat16", "float32")
FORWARD = Call(
    "batchnorm", ("input", "scale", "bias", "in_running_mean", "in_running_var", "epsilon", "momentum")
)  # fmt: skip
FIXED = Call("batchnorm_inference", ("input", "mean", "inv_variance", "scale", "bias"))
BACKWARD = Call("batchnorm_backward", ("grad", "input", "scale", "mean", "inv_variance"))


def is_suited(input: Any, *of_channels: Any) -> bool:
    """Whether cuDNN normalizes an input by these numbers of its channels; None counts as one that is not there."""
    fits = input.dtype.name in INPUTS and 3 <= input.ndim <= 5 and input.size > 0
    return fits and all(
        each is not None and each.dtype.name == "float32" and each.flags.c_contiguous and is_aligned(each)
        for each in of_channels
    )


def batch_normalized(
    graphs: Graphs, input: Any, weight: Any, bias: Any, running: Sequence[Any], momentum: float, eps: float
) -> tuple | None:
    """Returns the normalized input, and the means and inverse deviations of its channels; None without a kernel.

    `running` are the running mean and variance, which are updated in place. If there are none, others are: the frontend
    has no call without them.
    """
    cupy, last = graphs.cupy, is_channels_last(input)
    x, result = spread(compact(cupy, input, last)), empty_as(cupy, input, last)
    channels = x.shape[1]
    running = running or [cupy.zeros(channels, np.float32) for _ in range(2)]
    weight, bias, *running = (per_channel(x, each) for each in (weight, bias, *running))
    mean, scale = (per_channel(x, cupy.empty(channels, np.float32)) for _ in range(2))
    operands = [x, weight, bias, *running, by_value(x, eps), by_value(x, momentum)]
    done = graphs.run(FORWARD, operands, [spread(result), mean, scale, *running])
    return (result, mean.reshape(-1), scale.reshape(-1)) if done else None


def fixed_normalized(graphs: Graphs, input: Any, mean: Any, scale: Any, weight: Any, bias: Any) -> Any:
    """Returns the input normalized by these means and inverse deviations; None without a kernel."""
    cupy, last = graphs.cupy, is_channels_last(input)
    x, result = spread(compact(cupy, input, last)), empty_as(cupy, input, last)
    operands = [x, *(per_channel(x, each) for each in (mean, scale, weight, bias))]
    return result if graphs.run(FIXED, operands, [spread(result)]) else None


def batch_normalized_gradients(
    graphs: Graphs, grad: Any, input: Any, weight: Any, mean: Any, scale: Any
) -> list | None:  # fmt: skip
    """Returns the gradients of `batch_normalized` for the input, weight and bias; None without a kernel."""
    cupy, last = graphs.cupy, is_channels_last(input)
    pull, x = (spread(compact(cupy, each, last)) for each in (grad, input))
    result = empty_as(cupy, input, last)
    sums = [per_channel(x, cupy.empty(x.shape[1], np.float32)) for _ in range(2)]
    operands = [pull, x, *(per_channel(x, each) for each in (weight, mean, scale))]
    if not graphs.run(BACKWARD, operands, [spread(result), *sums]):
        return None
    return [result, *(each.reshape(-1) for each in sums)]


def is_channels_last(input: Any) -> bool:
    """Whether an input is stored with its channels last; not where that is the order of its dimensions too."""
    return channels_are_last(input) and input.shape[1] > 1 and math.prod(input.shape[2:]) > 1


def per_channel(image: Any, numbers: Any) -> Any:
    """Returns one number for each channel of an image with its number of dimensions."""
    return numbers.reshape(1, -1, *[1] * (image.ndim - 2))


def by_value(image: Any, number: float) -> np.ndarray:
    """Returns a number that is passed by value, with the number of dimensions of an image."""
    return np.full([1] * image.ndim, number, np.float32)
