"""Checks of `classification.py`: raise what PyTorch refuses, with its messages."""

from __future__ import annotations

import math

from rushlight.core.dtype import BY_NUMPY
from rushlight.core.errors import about
from rushlight.core.traced import every_sample
from rushlight.declarations.dtype_rules import raw_dtype, scalar_names, unimplemented


def check_classes(target) -> None:
    """Raises unless class indices are integers."""
    if target.dtype.char not in "lqB":
        words = f"expected target dtype to be Long or Byte, but got {scalar_names(target)[0]}"
        note = "Class indices are integers: target.long(). Probabilities of classes have the shape of the input."
        raise about(RuntimeError(words), "target_dtype", note, cast="long")


def check_likelihood(input, target, weight) -> None:
    """Targets are class numbers, one for each row or pixel; weights one for each class."""
    if weight is None and input.ndim == 2 and target.shape == input.shape[:1]:
        if target.dtype.char in "lqB":
            return
    shape, rank = list(input.shape), input.ndim
    if rank == 4:
        check_classes(target)
        if target.ndim != 3:
            raise RuntimeError(
                f"only batches of spatial targets supported (3D tensors) but got targets of dimension: {target.ndim}"
            )
        if (target.shape[0], *target.shape[1:]) != (shape[0], *shape[2:]):
            raise RuntimeError(f"size mismatch (got input: {shape} , target: {list(target.shape)}")
    elif target.ndim > 1:
        raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
    elif target.size != (1 if rank == 1 else shape[0]):
        raise RuntimeError(f"size mismatch (got input: {shape}, target: {list(target.shape)})")
    check_classes(target)
    classes = shape[1] if rank > 1 else shape[0]
    if weight is not None:
        if weight.shape != (classes,):
            raise RuntimeError(
                f"weight tensor should be defined either for all {classes} classes or no classes but got weight tensor "
                f"of shape: {list(weight.shape)}"
            )


def check_probabilities(target, ignore_index: int) -> None:
    """A target of the input's shape holds probabilities."""
    if raw_dtype(target).kind not in "fV":
        raise RuntimeError(
            f"Expected floating point type for target with class probabilities, got {scalar_names(target)[0]}"
        )
    if ignore_index >= 0:
        raise RuntimeError("ignore_index is not supported for floating point target")


def check_smoothing(smoothing: float) -> None:
    """How much of a target is given to all classes alike."""
    if not 0.0 <= smoothing <= 1.0:
        raise RuntimeError(f"label_smoothing must be between 0.0 and 1.0. Got: {smoothing:g}")


def check_linear_scores(input, linear_weight, linear_bias) -> None:
    """The shapes of a linear map to scores, in PyTorch's words."""
    if not 1 <= input.ndim <= 2:
        raise RuntimeError(f"expected input with dimensionality 1 or 2, got {input.ndim}")
    if linear_weight.ndim < 2:
        raise RuntimeError(f"expected linear_weight with dimensionality at least 2, got {linear_weight.ndim}")
    if input.shape[-1] != linear_weight.shape[-1]:
        raise RuntimeError(
            "expected equal input and linear_weight last dimensions (in_features), got "
            f"{input.shape[-1]} and {linear_weight.shape[-1]}, respectively"
        )
    shape = tuple(linear_weight.shape[:-1])
    if linear_bias is not None and tuple(linear_bias.shape) != shape:
        raise RuntimeError(f"expected linear_bias shape {shape}, got {tuple(linear_bias.shape)}")
    if len(shape) > 1 and input.ndim == 1:
        raise RuntimeError(
            f"K-dimensional loss defined by linear_weight shape {tuple(linear_weight.shape)} requires batched input, "
            f"(N, {input.shape[-1]}), got unbatched input with shape {tuple(input.shape)}"
        )


def check_scores(input, kernel: str) -> None:
    """Scores of one example or of a batch, in float32 or float64."""
    if raw_dtype(input).char not in "fd":
        raise unimplemented(kernel)(BY_NUMPY[raw_dtype(input)])
    if input.ndim > 2 or (input.ndim and input.shape[-1] == 0):
        raise RuntimeError(
            f"Expected non-empty vector or matrix with optional 0-dim batch size, but got: {list(input.shape)}"
        )


def check_labels(target) -> None:
    """Class numbers are int64."""
    if raw_dtype(target).char not in "lq":
        raise RuntimeError(f"expected scalar type Long but found {scalar_names(target)[0]}")


def check_nll_rank(rank) -> None:
    if rank == 0:
        raise ValueError("Expected 1 or more dimensions (got 0)")


def check_nll_target_size(target, rank) -> None:
    if rank == target.ndim == 1 and len(target) != 1:
        raise ValueError(f"For 1D input, 1D target must have size 1, but got target size: {len(target)}")


def check_nll_weight_dtype(input, weight) -> None:
    if weight is not None and raw_dtype(weight) != raw_dtype(input):
        raise RuntimeError("expected scalar type {} but found {}".format(*scalar_names(input, weight)))


def check_nll_target_shape(target, batch, size) -> None:
    if tuple(target.shape) != (batch, *size):
        raise RuntimeError(f"Expected target size {[batch, *size]}, got {list(target.shape)}")


def check_ignore_index(target, ignore_index, scores) -> None:
    if tuple(target.shape) == tuple(scores.shape) and ignore_index is not None:
        raise RuntimeError("ignore_index cannot be specified when target contains probabilities")


def check_margin_settings(p, weight) -> None:
    if p not in (1, 2):
        raise ValueError("only p == 1 and p == 2 supported")
    if weight is not None and weight.ndim != 1:
        raise ValueError("weight must be one-dimensional")


def check_margin_target_shape(input, target) -> None:
    rows = tuple(input.shape[:-1])
    if target.ndim > 1 or math.prod(target.shape) != math.prod(rows):
        raise RuntimeError(
            "multi_margin_loss: target tensor should be 1-D with size equal to the number of input samples (batch "
            f"size). Expected target size [{math.prod(rows)}], but got {list(target.shape)}. Input has shape "
            f"{list(input.shape)}."
        )


def check_margin_weight(input, weight) -> None:
    if tuple(weight.shape) != tuple(input.shape[-1:]):
        raise RuntimeError(f"inconsistent weight size, expected {input.shape[-1]} but got {list(weight.shape)}")
    if raw_dtype(weight) != raw_dtype(input):
        raise RuntimeError("expected scalar type {} but found {}".format(*scalar_names(input, weight)))


def check_margin_target_range(input, target) -> None:
    target = every_sample(target)
    if math.prod(target.shape) and (bool((target < 0).any()) or bool((target >= input.shape[-1]).any())):
        raise RuntimeError("target out of range")


def check_multilabel_target_shape(input, target) -> None:
    if tuple(target.shape) != tuple(input.shape):
        raise RuntimeError(f"inconsistent target size: {list(target.shape)} for input of size: {list(input.shape)}")


def check_multilabel_target_range(input, target) -> None:
    target = every_sample(target)
    if math.prod(target.shape) and (bool((target < -1).any()) or bool((target >= input.shape[-1]).any())):
        raise RuntimeError("argument #2 'target' is out of range")
