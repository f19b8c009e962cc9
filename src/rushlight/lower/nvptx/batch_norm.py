"""How the operators of batch norm compute on a GPU: by cuDNN where it has a kernel, else by the array language."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rushlight.arrays.cuda.cudnn.graphs import Graphs
from rushlight.arrays.cuda.cudnn.normalization import (
    batch_normalized,
    batch_normalized_gradients,
    fixed_normalized,
    is_suited,
)
from rushlight.declarations.checks.batch_norm import check_batch_norm
from rushlight.declarations.declare import Op
from rushlight.declarations.normalize import widened


class Normalize:
    """`native_batch_normalization`: cuDNN normalizes images with a weight and a bias."""

    def __init__(self, op: Op, graphs: Graphs) -> None:
        self.forward, self.graphs = op.forward, graphs

    def __call__(
        self, language: Any, input: Any, weight: Any, bias: Any, running_mean: Any, running_var: Any, training: bool,
        momentum: float, eps: float, statistics: Any,
    ) -> Any:  # fmt: skip
        operands = input, weight, bias, running_mean, running_var
        check_batch_norm(*operands, training=training)
        results = (self.in_training if training else self.fixed)(language, *operands, momentum, eps)
        if results is None:
            return self.forward(language, *operands, training, momentum, eps, statistics)
        result, statistics.mean, statistics.scale = results
        return result

    def in_training(
        self, language: Any, input: Any, weight: Any, bias: Any, running_mean: Any, running_var: Any, momentum: float,
        eps: float,
    ) -> tuple | None:  # fmt: skip
        """Returns the result, means and inverse deviations; updates the running statistics."""
        weight, bias = widened(language, weight), widened(language, bias)
        running = [] if running_mean is running_var is None else [running_mean, running_var]
        several = input.ndim > 1 and input.size > input.shape[1]  # the variance of one number is not defined
        if not several or not is_suited(input, weight, bias, *running):
            return None
        return batch_normalized(self.graphs, input, weight, bias, running, momentum, eps)

    def fixed(
        self, language: Any, input: Any, weight: Any, bias: Any, running_mean: Any, running_var: Any, momentum: float,
        eps: float,
    ) -> tuple | None:  # fmt: skip
        """Returns the result, normalized by the running statistics, and these as means and inverse deviations."""
        mean, variance, *affine = (widened(language, each) for each in (running_mean, running_var, weight, bias))
        if not is_suited(input, mean, variance, *affine):
            return None
        scale = 1 / language.sqrt(variance + eps)
        result = fixed_normalized(self.graphs, input, mean, scale, *affine)
        return None if result is None else (result, mean, scale)


class Gradients:
    """`batch_norm_backward`: cuDNN computes the gradients of a call in training."""

    def __init__(self, op: Op, graphs: Graphs) -> None:
        self.forward, self.graphs = op.forward, graphs

    def __call__(
        self, language: Any, grad: Any, input: Any, weight: Any, mean: Any, scale: Any, training: bool
    ) -> Any:  # fmt: skip
        wide = widened(language, weight)
        gradients = None
        if training and grad.dtype == input.dtype and is_suited(input, wide, mean, scale):
            gradients = batch_normalized_gradients(self.graphs, grad, input, wide, mean, scale)
        return self.forward(language, grad, input, weight, mean, scale, training) if gradients is None else gradients


FORMULAS: dict[str, Callable[[Op, Graphs], Callable]] = {
    "native_batch_normalization": Normalize, "batch_norm_backward": Gradients,
}  # fmt: skip
