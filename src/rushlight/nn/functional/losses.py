"""Losses: the deprecated `size_average` and `reduce`, broadcasting with a warning, and losses composed in Python."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

from rushlight._generated import functions
from rushlight.autograd.grad_mode import no_grad
from rushlight.core.tensor import Tensor
from rushlight.create.filled import ones_like
from rushlight.dispatch.message import type_name

from .._reduction import chosen, get_enum

MISMATCH = (
    "Using a target size ({}) that is different to the input size ({}). This will likely lead to incorrect results due "
    "to broadcasting. Please ensure they have the same size."
)


def _broadcast(input, target) -> tuple[Tensor, Tensor]:
    """Broadcasts both tensors, with a warning if their sizes differ; a scalar then counts as a tensor in promotion."""
    if target.size() != input.size():
        warnings.warn(MISMATCH.format(target.size(), input.size()), stacklevel=3)
        if input.dtype is not target.dtype:
            return functions.broadcast_tensors(input, target)
    return input, target


def _weighted(loss, weight, input, reduction, mean):
    """Reduces `loss * weight`; `mean` is the function for "mean"."""
    if weight.shape != input.shape:
        raise ValueError("Weights and input must have the same size.")
    loss = loss * weight
    if reduction == "none":
        return loss
    return loss.sum() / mean(weight) if reduction == "mean" else loss.sum()


def l1_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    weight: Tensor | None = None,
) -> Tensor:
    """Reduces the absolute difference."""
    input, target = _broadcast(input, target)
    reduction = chosen(size_average, reduce, reduction)
    if weight is None:
        return functions.l1_loss(input, target, reduction)
    return _weighted(functions.l1_loss(input, target, "none"), weight, input, reduction, functions.sum)


def mse_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    weight: Tensor | None = None,
) -> Tensor:
    """Reduces the squared difference."""
    input, target = _broadcast(input, target)
    reduction = chosen(size_average, reduce, reduction)
    if weight is None:
        return functions.mse_loss(input, target, reduction)
    return _weighted(functions.mse_loss(input, target, "none"), weight, input, reduction, functions.sum)


def smooth_l1_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    beta: float = 1.0,
) -> Tensor:
    """The squared difference over `2 * beta` below `beta`, the absolute difference less `beta / 2` above."""
    input, target = _broadcast(input, target)
    reduction = chosen(size_average, reduce, reduction)
    if beta == 0.0:
        return functions.l1_loss(input, target, reduction)
    return functions.smooth_l1_loss(input, target, reduction, beta)


def huber_loss(
    input: Tensor, target: Tensor, reduction: str = "mean", delta: float = 1.0, weight: Tensor | None = None
) -> Tensor:
    """Half the squared difference below `delta`, `delta` times the absolute difference less `delta / 2` above."""
    input, target = _broadcast(input, target)
    reduction = chosen(None, None, reduction)
    if weight is None:
        return functions.huber_loss(input, target, reduction, delta)
    return _weighted(functions.huber_loss(input, target, "none", delta), weight, input, reduction, Tensor.numel)


def nll_loss(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    ignore_index: int = -100,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """Reduces the negative log-probability of the target class."""
    return functions.nll_loss(input, target, weight, ignore_index, chosen(size_average, reduce, reduction))


def cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    ignore_index: int = -100,
    reduce: bool | None = None,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Tensor:
    """Reduces the cross entropy of softmax(input) and the target, which is class indices or probabilities."""
    reduction = chosen(size_average, reduce, reduction)
    return functions.cross_entropy(input, target, weight, ignore_index, reduction, label_smoothing)


def binary_cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """Reduces the cross entropy of two classes; the input is the probability of the second."""
    reduction = chosen(size_average, reduce, reduction)
    if target.size() != input.size():
        raise ValueError(
            f"Using a target size ({target.size()}) that is different to the input size ({input.size()}) is "
            "deprecated. Please ensure they have the same size."
        )
    return functions.binary_cross_entropy(input, target, weight, reduction)


def binary_cross_entropy_with_logits(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    pos_weight: Tensor | None = None,
) -> Tensor:
    """`binary_cross_entropy` of sigmoid(input), computed without overflow."""
    reduction = chosen(size_average, reduce, reduction)
    if target.size() != input.size():
        raise ValueError(f"Target size ({target.size()}) must be the same as input size ({input.size()})")
    return functions.binary_cross_entropy_with_logits(input, target, weight, pos_weight, reduction)


def poisson_nll_loss(
    input: Tensor,
    target: Tensor,
    log_input: bool = True,
    full: bool = False,
    size_average: bool | None = None,
    eps: float = 1e-8,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """Reduces the negative log-likelihood of counts under a Poisson distribution."""
    reduction = chosen(size_average, reduce, reduction)
    return functions.poisson_nll_loss(input, target, log_input, full, eps, reduction)


def ctc_loss(
    log_probs: Tensor,
    targets: Tensor,
    input_lengths: Any,
    target_lengths: Any,
    blank: int = 0,
    reduction: str = "mean",
    zero_infinity: bool = False,
) -> Tensor:
    """Computes the connectionist temporal classification loss; "mean" first divides each loss by its target length.

    `log_probs` is (T, N, C) or (T, C), `targets` (N, S) or all sequences concatenated.
    """
    return functions.ctc_loss(
        log_probs, targets, input_lengths, target_lengths, blank, get_enum(reduction), zero_infinity
    )


def kl_div(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    log_target: bool = False,
) -> Tensor:
    """Computes the divergence of the target from exp(input); "batchmean" divides by the batch size, the true mean."""
    if size_average is None and reduce is None and reduction == "mean":
        warnings.warn(
            "reduction: 'mean' divides the total loss by both the batch size and the support size."
            "'batchmean' divides only by the batch size, and aligns with the KL div math definition."
            "'mean' will be changed to behave the same as 'batchmean' in the next major release.",
            stacklevel=2,
        )
    if reduction != "batchmean":
        return functions.kl_div(input, target, chosen(size_average, reduce, reduction), log_target=log_target)
    total = functions.kl_div(input, target, "sum", log_target=log_target)
    return total / input.size(0) if input.dim() else total


def hinge_embedding_loss(
    input: Tensor,
    target: Tensor,
    margin: float = 1.0,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """Reduces the input where the target is 1, `max(0, margin - input)` where it is -1."""
    return functions.hinge_embedding_loss(input, target, margin, chosen(size_average, reduce, reduction))


def soft_margin_loss(
    input: Tensor, target: Tensor, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean"
) -> Tensor:
    """`log(1 + exp(-target * input))`."""
    return functions.soft_margin_loss(input, target, chosen(size_average, reduce, reduction))


def margin_ranking_loss(
    input1: Tensor,
    input2: Tensor,
    target: Tensor,
    margin: float = 0,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """`max(0, margin - target * (input1 - input2))`."""
    reduction = chosen(size_average, reduce, reduction)
    if not input1.dim() == input2.dim() == target.dim():
        raise RuntimeError(
            f"margin_ranking_loss : All input tensors should have same dimension but got sizes: input1: "
            f"{input1.size()}, input2: {input2.size()}, target: {target.size()} "
        )
    return functions.margin_ranking_loss(input1, input2, target, margin, reduction)


def cosine_embedding_loss(
    input1: Tensor,
    input2: Tensor,
    target: Tensor,
    margin: float = 0,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """Reduces one minus the cosine where the target is 1, the cosine minus `margin`, at least 0, where it is -1."""
    return functions.cosine_embedding_loss(input1, input2, target, margin, chosen(size_average, reduce, reduction))


def _reduced(losses, reduction):
    return losses if reduction == "none" else losses.mean() if reduction == "mean" else losses.sum()


def multilabel_soft_margin_loss(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """The mean over classes of the two-class cross entropy of sigmoid(input)."""
    reduction = chosen(size_average, reduce, reduction)
    losses = -(target * functions.logsigmoid(input) + (1 - target) * functions.logsigmoid(-input))
    losses = losses if weight is None else losses * weight
    # The dimensions of the input: a target with more dimensions is summed over that one, and divided by the classes.
    return _reduced(losses.sum(input.dim() - 1) / input.size(-1), reduction)


def gaussian_nll_loss(
    input: Tensor,
    target: Tensor,
    var: Tensor | float,
    full: bool = False,
    eps: float = 1e-6,
    reduction: str = "mean",
) -> Tensor:
    """Reduces the negative log-likelihood of the target under normal distributions of mean `input` and variance `var`.

    Variances below `eps` count as `eps`; their gradient ignores the clamp.
    """
    variance = var * ones_like(input) if isinstance(var, float) else var
    if (variance < 0).any():
        raise ValueError("var has negative entry/entries")
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(f"{reduction} is not valid")
    variance = _like_mean(variance, input).clone()
    with no_grad():
        variance.clamp_(min=eps)
    losses = 0.5 * (variance.log() + (input - target) ** 2 / variance)
    return _reduced(losses + 0.5 * math.log(2 * math.pi) if full else losses, reduction)


def _like_mean(variance, mean):
    """Reshapes variances to fit the means: the same shape, or one variance per row."""
    if variance.shape == mean.shape:
        return variance
    if mean.shape[:-1] == variance.shape:
        return variance.unsqueeze(-1)
    if mean.ndim == variance.ndim and sum(b for a, b in zip(mean.shape, variance.shape, strict=True) if a != b) == 1:
        return variance
    raise ValueError("var is of incorrect size")


def triplet_margin_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    margin: float = 1.0,
    p: float = 2,
    eps: float = 1e-6,
    swap: bool = False,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """`max(0, margin + |anchor - positive| - |anchor - negative|)` with p-norms (Balntas et al., 2016)."""
    reduction = chosen(size_average, reduce, reduction)
    for position, (name, x) in enumerate(
        zip(("anchor", "positive", "negative"), (anchor, positive, negative), strict=True), 1
    ):
        if not isinstance(x, Tensor):
            raise TypeError(
                f"triplet_margin_loss(): argument '{name}' (position {position}) must be Tensor, not {type_name(x)}"
            )
    distance = partial(functions.pairwise_distance, p=p, eps=eps)
    return _triplets(anchor, positive, negative, distance, margin, swap, reduction)


def triplet_margin_with_distance_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    *,
    distance_function: Callable[[Tensor, Tensor], Tensor] | None = None,
    margin: float = 1.0,
    swap: bool = False,
    reduction: str = "mean",
) -> Tensor:
    """Computes `triplet_margin_loss` with any distance function."""
    distance = functions.pairwise_distance if distance_function is None else distance_function
    return _triplets(anchor, positive, negative, distance, margin, swap, chosen(None, None, reduction))


def _triplets(anchor, positive, negative, distance, margin, swap, reduction):
    if margin <= 0:
        raise ValueError(f"margin must be greater than 0, got {margin}")
    if not anchor.ndim == positive.ndim == negative.ndim:
        raise RuntimeError(
            "The anchor, positive, and negative tensors are expected to have the same number of dimensions, but got: "
            f"anchor {anchor.ndim}D, positive {positive.ndim}D, and negative {negative.ndim}D inputs"
        )
    near, far = distance(anchor, positive), distance(anchor, negative)
    if swap:
        far = functions.minimum(far, distance(positive, negative))
    return _reduced((margin + near - far).clamp_min(0), reduction)


def multi_margin_loss(
    input: Tensor,
    target: Tensor,
    p: int = 1,
    margin: float = 1.0,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """The mean over classes of `max(0, margin - input of the target + input) ** p`."""
    return functions.multi_margin_loss(input, target, p, margin, weight, chosen(size_average, reduce, reduction))


def multilabel_margin_loss(
    input: Tensor, target: Tensor, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean"
) -> Tensor:
    """The mean over classes of `max(0, 1 - input of a target + input)`, summed over the targets before the first -1."""
    return functions.multilabel_margin_loss(input, target, chosen(size_average, reduce, reduction))
