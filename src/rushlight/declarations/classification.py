"""Losses of classification: scores of classes against the right ones, or against label sequences.

https://docs.pytorch.org/docs/stable/nn.functional.html#loss-functions
"""

from __future__ import annotations

import math

import numpy as np

from rushlight.arrays.elementwise import element
from rushlight.arrays.meta import MetaArray
from rushlight.core.device import BACKENDS
from rushlight.core.dtype import BOOL, INTEGER
from rushlight.core.tensor import wrap
from rushlight.declarations.batches import (
    flat,
    folded,
    front,
    fronts,
    into_channels,
    out_of_channels,
    reduced_samples,
    unfolded,
)
from rushlight.declarations.checks import classification as checks
from rushlight.declarations.declare import Direct, composite, face, op
from rushlight.declarations.dtype_rules import raw_dtype, refuse, unimplemented, wide_floats_only
from rushlight.declarations.reduction import (
    reduce_losses,
    reduce_raw_losses,
    reduction_name,
    refuse_gradient,
    share_of_gradient,
)

ROWS, INT64 = (np.dtype(np.float32), np.dtype(np.float64)), np.dtype(np.int64)


# ---- classes


def weights_of_targets(F, b, target, weight, ignore_index):
    """The weight of each target of a batch, 0 of those that do not count."""
    counted = F.ne(target, ignore_index)
    if weight is None:
        return counted
    positions = flat(F, F.where(counted, target, 0))
    elements = F.reshape(F.gather(front(F, b, "weight", weight), 1, positions), tuple(target.shape))
    return F.where(counted, elements, 0)


def is_one_count(weights) -> bool:
    """Whether weights say of one target in each sample whether it counts: its mean and its sum are the loss."""
    return weights.ndim == 1 and weights.dtype.category is BOOL


def of_each_loss(F, grad, weights, reduction):
    """The gradients of all losses of a batch, from those of the reduced ones; a mean is over the weights."""
    name = reduction_name(reduction)
    if name == "none" or is_one_count(weights):
        return grad
    grad = grad / F.sum(flat(F, weights), 1) if name == "mean" else grad
    return F.expand(F.reshape(grad, (grad.shape[0], *[1] * (weights.ndim - 1))), tuple(weights.shape))


@op(internal=True, zero_second_derivative=True)
class negative_log_likelihood:
    """Minus the score of the class that `target` names, weighted; `ignore_index` counts nothing."""

    def forward(xp, input: Tensor, target: Constant, weight: Constant | None, ignore_index, reduction):
        checks.check_likelihood(input, target, weight)
        refuse(input, "biuc", "nll_loss_out_frame" if input.ndim < 3 else "nll_loss2d_forward_out_frame")
        return xp.negative_log_likelihood(input, target, weight, ignore_index, reduction_name(reduction))

    def shape(input, target, weight, ignore_index, reduction):
        checks.check_likelihood(input, target, weight)
        return MetaArray(target.shape if reduction_name(reduction) == "none" else (), input.dtype)

    def d_input(F, g, input_shape, target, weight, ignore_index, reduction):
        return F.spread_over_classes(g, target, weight, input_shape, ignore_index, reduction)

    def batch(F, b, input, target, weight, ignore_index, reduction):
        input, target = fronts(F, b, input=input, target=target)
        several = input.ndim > 2
        rows, labels = (folded(F, input), folded(F, target)) if several else (input, target)
        losses = F.negative_log_likelihood(rows, labels, None, ignore_index, "none")
        losses = unfolded(F, losses, b.size) if several else losses
        name, weights = reduction_name(reduction), weights_of_targets(F, b, target, weight, ignore_index)
        losses = losses if weight is None else losses * weights
        if name == "none":
            return losses
        if is_one_count(weights):
            return F.where(weights, losses, math.nan) if name == "mean" else losses
        total = F.sum(flat(F, losses), 1)
        return total / F.sum(flat(F, weights), 1) if name == "mean" else total

    def jvp(F, input_t, target, weight, ignore_index, reduction):  # linear in the scores
        return F.negative_log_likelihood(input_t, target, weight, ignore_index, reduction)

    samples = lambda r: [
        (r(3, 4), r.integers(4, 3), None, -100, "mean"),
        (r(3, 4), r.integers(4, 3), r.positive(4).detach(), 1, "sum"),
        (r(2, 4, 3, 1), r.integers(4, 2, 3, 1), None, -100, "none"),
        (r(4), r.integers(4), r.positive(4).detach(), -100, "mean"),
    ]


face(negative_log_likelihood, node="NllLoss2DBackward0 if input.ndim == 4 else NllLossBackward0")


@op(internal=True)
class spread_over_classes:
    """The transpose of `negative_log_likelihood`: each loss's gradient goes to its class."""

    def forward(xp, grad: Tensor, target: Constant, weight: Constant | None, shape, ignore_index, reduction):
        return xp.spread_over_classes(grad, target, weight, shape, ignore_index, reduction)

    def shape(grad, target, weight, shape, ignore_index, reduction):
        return MetaArray(shape, grad.dtype)

    def d_grad(F, g, target, weight, ignore_index, reduction):
        return F.negative_log_likelihood(g, target, weight, ignore_index, reduction)

    def batch(F, b, grad, target, weight, shape, ignore_index, reduction):
        grad, target = fronts(F, b, grad=grad, target=target)
        weights = weights_of_targets(F, b, target, weight, ignore_index)
        grad = of_each_loss(F, grad, weights, reduction)
        grad = grad if weight is None else grad * weights
        if len(shape) < 2:
            return F.spread_over_classes(grad, target, None, (b.size, *shape), ignore_index, "none")
        size = (b.size * shape[0], *shape[1:])
        spread = F.spread_over_classes(folded(F, grad), folded(F, target), None, size, ignore_index, "none")
        return unfolded(F, spread, b.size)

    samples = lambda r: [
        (r(), r.integers(4, 3), None, (3, 4), -100, "mean"),
        (r(3), r.integers(4, 3), None, (3, 4), 1, "none"),
    ]


@op(internal=True)
class smoothed_likelihood:
    """The negative log-likelihood of rows of scores, with a share of each target for all classes alike."""

    def forward(xp, input: Tensor, target: Constant, ignore_index, smoothing, reduction):
        checks.check_likelihood(input, target, None)
        return xp.smoothed_likelihood(input, target, ignore_index, smoothing, reduction_name(reduction))

    def shape(input, target, ignore_index, smoothing, reduction):
        checks.check_likelihood(input, target, None)
        return MetaArray(target.shape if reduction_name(reduction) == "none" else (), input.dtype)

    def d_input(F, g, input_shape, target, ignore_index, smoothing, reduction):
        return F.spread_smoothly(g, target, input_shape, ignore_index, smoothing, reduction)

    def batch(F, b, input, target, ignore_index, smoothing, reduction):
        input, target = fronts(F, b, input=input, target=target)
        losses = F.smoothed_likelihood(folded(F, input), folded(F, target), ignore_index, smoothing, "none")
        name, losses = reduction_name(reduction), unfolded(F, losses, b.size)
        if name == "none":
            return losses
        total = F.sum(losses, 1)
        return total / F.sum(F.ne(target, ignore_index), 1) if name == "mean" else total

    samples = lambda r: [
        (r(3, 4), r.integers(4, 3), -100, 0.1, "mean"),
        (r(3, 4), r.integers(4, 3), 1, 0.25, "sum"),
        (r(3, 4), r.integers(4, 3), 1, 1.0, "none"),
        (r(0, 4), r.integers(4, 0), -100, 0.5, "sum"),
    ]


@op(internal=True)
class spread_smoothly:
    """The transpose of `smoothed_likelihood`."""

    def forward(xp, grad: Tensor, target: Constant, shape, ignore_index, smoothing, reduction):
        return xp.spread_smoothly(grad, target, shape, ignore_index, smoothing, reduction)

    def shape(grad, target, shape, ignore_index, smoothing, reduction):
        return MetaArray(shape, grad.dtype)

    def d_grad(F, g, target, ignore_index, smoothing, reduction):
        return F.smoothed_likelihood(g, target, ignore_index, smoothing, reduction)

    def batch(F, b, grad, target, shape, ignore_index, smoothing, reduction):
        grad, target = fronts(F, b, grad=grad, target=target)
        grad = of_each_loss(F, grad, F.ne(target, ignore_index), reduction)
        size = (b.size * shape[0], *shape[1:])
        spread = F.spread_smoothly(folded(F, grad), folded(F, target), size, ignore_index, smoothing, "none")
        return unfolded(F, spread, b.size)

    samples = lambda r: [
        (r(), r.integers(4, 3), (3, 4), -100, 0.1, "mean"),
        (r(3), r.integers(4, 3), (3, 4), 1, 0.25, "none"),
    ]


OF_ROWS = (
    "type(input) in PLAIN_TYPES and input._array.ndim == 2 and type(target) in PLAIN_TYPES and "
    "target._array.shape == input._array.shape[:1] and type(ignore_index) is int and "
    "(weight is None or type(weight) in PLAIN_TYPES and weight._array.dtype is input._array.dtype "
    "and not weight.requires_grad)"
)


@composite(samples=lambda r: [
    (r(3, 4), r.integers(4, 3)), (r(4), r.integers(4)), (r(2, 4, 3), r.integers(4, 2, 3), None, 1),
    (r(2, 4, 1, 3, 2), r.integers(4, 2, 1, 3, 2), None, -100, "none"),
])  # fmt: skip
def nll_loss(F, input, target, weight=None, ignore_index=-100, reduction="mean"):
    """Minus the log-probability of the right class, for `input` (N, C, ...) or (C,) and classes (N, ...) or ()."""
    rank = input.ndim
    checks.check_nll_rank(rank)
    if rank > 1 and (not target.ndim or len(target) != len(input)):
        batch = target.shape[0] if target.ndim else 0
        raise ValueError(f"Expected input batch_size ({input.shape[0]}) to match target batch_size ({batch}).")
    checks.check_nll_target_size(target, rank)
    refuse_gradient("nll_loss_forward" if rank < 3 else "nll_loss2d_forward", "weight", weight)
    checks.check_nll_weight_dtype(input, weight)
    if rank == target.ndim == 1:  # a batch of one target is one loss
        target = F.reshape(target, ())
    if rank in (1, 2, 4):
        return F.negative_log_likelihood(input, target, weight, ignore_index, reduction)
    batch, classes, *size = input.shape
    checks.check_nll_target_shape(target, batch, size)
    count = math.prod(size)
    rows, indices = F.reshape(input, (batch, classes, 1, count)), F.reshape(target, (batch, 1, count))
    losses = F.negative_log_likelihood(rows, indices, weight, ignore_index, reduction)
    return F.view(losses, (batch, *size)) if reduction_name(reduction) == "none" else losses


face(nll_loss, spaces=("nn.functional",), direct=(Direct(OF_ROWS, "negative_log_likelihood", {}),))


# ---- cross entropy of rows, which a GPU computes in one pass


@op(internal=True)
class cross_entropy_of_rows:
    """The cross entropy of each row of scores; 0 for a target that is `ignore_index`."""

    def forward(xp, input: Tensor, target: Constant, ignore_index):
        return xp.negative_log_likelihood(xp.log_softmax(input, 1), target, None, ignore_index, "none")

    def shape(input, target, ignore_index):
        return MetaArray(target.shape, input.dtype)

    def d_input(F, g, input, target, ignore_index):
        return F.cross_entropy_gradient(g, input, target, ignore_index)

    def jvp(F, input_t, input, target, ignore_index):
        return along_gradient(F, input_t, F.softmax(input, 1), target, ignore_index)

    def batch(F, b, input, target, ignore_index):
        input, target = fronts(F, b, input=input, target=target)
        return unfolded(F, F.cross_entropy_of_rows(folded(F, input), folded(F, target), ignore_index), b.size)

    samples = lambda r: [(r(3, 4), r.integers(4, 3), -100), (r(3, 4), r.integers(4, 3), 1)]


@op(internal=True)
class cross_entropy_gradient:
    """The gradient of `cross_entropy_of_rows`: the softmax less 1 at the target, times the gradient of the row."""

    def forward(xp, grad: Tensor, input: Tensor, target: Constant, ignore_index):
        spread = xp.spread_over_classes(grad, target, None, input.shape, ignore_index, "none")
        counted = xp.where(target != ignore_index, grad, 0).astype(grad.dtype)
        return spread + xp.softmax(input, 1) * counted[:, None]

    def shape(grad, input, target, ignore_index):
        return MetaArray(input.shape, input.dtype)

    def d_grad(F, g, input, target, ignore_index):
        return along_gradient(F, g, F.softmax(input, 1), target, ignore_index)

    def d_input(F, g, grad, input, target, ignore_index):
        share = F.softmax(input, 1)
        counted = F.unsqueeze(F.where(F.ne(target, ignore_index), grad, 0), 1)
        return share * (g - F.sum(g * share, 1, True)) * counted

    def batch(F, b, grad, input, target, ignore_index):
        grad, input, target = fronts(F, b, grad=grad, input=input, target=target)
        spread = F.cross_entropy_gradient(folded(F, grad), folded(F, input), folded(F, target), ignore_index)
        return unfolded(F, spread, b.size)

    samples = lambda r: [(r(3), r(3, 4), r.integers(4, 3), -100), (r(3), r(3, 4), r.integers(4, 3), 1)]


def along_gradient(F, direction, share, target, ignore_index):
    """By how much the loss of each row changes in a direction, from the softmax of the row."""
    changes = F.where(F.ne(target, ignore_index), F.sum(direction * share, 1), 0)
    return changes + F.negative_log_likelihood(direction, target, None, ignore_index, "none")


def are_rows(input, target, weight) -> bool:
    """Whether scores on a GPU are rows of classes for which it has a kernel."""
    return (
        weight is None and input.is_cuda and BACKENDS.on(input.device).formulas is not None
        and input.ndim == 2 and target.ndim == 1 and 0 not in input.shape and raw_dtype(input) in ROWS
        and raw_dtype(target) == INT64
    )  # fmt: skip


def loss_of_rows(F, input, target, ignore_index, reduction):
    """The cross entropy of rows of scores."""
    checks.check_nll_target_shape(target, input.shape[0], [])
    losses, name = F.cross_entropy_of_rows(input, target, ignore_index), reduction_name(reduction)
    if name == "none":
        return losses
    total = F.sum(losses)
    return total / F.sum(F.ne(target, ignore_index)) if name == "mean" else total


@composite(samples=lambda r: [
    (r(3, 4), r.integers(4, 3)), (r(4), r.integers(4)), (r(2, 4, 3), r.integers(4, 2, 3), None, -100, "sum"),
    (r(3, 4), r(3, 4).softmax(1)), (r(3, 4), r.integers(4, 3), r.positive(4).detach(), 1, "mean", 0.1),
    (r(3, 4), r(3, 4).softmax(1), r.positive(4).detach(), -100, "none", 0.1), (r(4), r(4).softmax(0)),
    (r(3, 4), r.integers(4, 3), None, 1, "none", 0.1),
])  # fmt: skip
def cross_entropy(F, input, target, weight=None, ignore_index=-100, reduction="mean", label_smoothing=0.0):
    """The negative log-likelihood of the softmax of scores, against classes or probabilities of classes."""
    dim = 1 if input.ndim > 1 else 0
    if input.ndim == target.ndim and tuple(input.shape) == tuple(target.shape):
        checks.check_probabilities(target, ignore_index)
        return against_probabilities(F, F.log_softmax(input, dim), target, weight, reduction, label_smoothing, dim)
    if not label_smoothing and are_rows(input, target, weight):
        return loss_of_rows(F, input, target, ignore_index, reduction)
    scores = F.log_softmax(input, dim)
    if not label_smoothing:
        return F.nll_loss(scores, target, weight, ignore_index, reduction)
    return smoothed(F, scores, target, weight, ignore_index, reduction, label_smoothing, dim)


face(cross_entropy, spaces=("nn.functional",))


def against_probabilities(F, scores, target, weight, reduction, smoothing: float, dim: int):
    """The cross entropy with given distributions."""
    checks.check_smoothing(smoothing)
    classes = scores.shape[dim]
    if smoothing:
        target = target * (1 - smoothing) + share_of_each(smoothing, classes)
    terms = scores * target
    if weight is not None:
        terms = terms * along(F, weight, dim, scores.ndim)
    name = reduction_name(reduction)
    if name == "none":
        return -F.sum(terms, dim)
    rows = math.prod(scores.shape) / classes if classes else math.nan
    return -(F.sum(terms) / rows) if name == "mean" else -F.sum(terms)


def share_of_each(smoothing: float, classes: int) -> float:
    """Returns the share of each class in a smoothed target; any value if there are no classes."""
    return smoothing / classes if classes else math.nan


def along(F, weight, dim: int, rank: int):
    """One weight per class, to be combined with scores."""
    return weight if rank == 1 else F.reshape(weight, tuple(-1 if each == dim else 1 for each in range(rank)))


def smoothed(F, scores, target, weight, ignore_index, reduction, smoothing: float, dim: int):
    """The likelihood of the targets, and a share of that of all classes (Szegedy et al., 2016)."""
    checks.check_smoothing(smoothing)
    if weight is None and scores.ndim == 2 and tuple(target.shape) == tuple(scores.shape[:1]):
        if raw_dtype(scores).char in "fd" and scores.shape[dim]:
            return F.smoothed_likelihood(scores, target, ignore_index, smoothing, reduction)
    classes = scores.shape[dim]
    likelihood = F.nll_loss(scores, target, weight, ignore_index, reduction)
    spread = -F.sum(scores if weight is None else scores * along(F, weight, dim, scores.ndim), dim)
    ignored = target == ignore_index
    spread = F.masked_fill(spread, ignored, 0.0)
    if reduction_name(reduction) == "mean":
        spread = F.sum(spread) / total_weight(F, target, ignored, weight)
    else:
        spread = reduce_losses(F, spread, reduction)
    return likelihood * (1 - smoothing) + spread * share_of_each(smoothing, classes)


def total_weight(F, target, ignored, weight):
    """How much the targets weigh together."""
    if weight is None:
        return F.sum(~ignored)
    rows = F.embedding(F.reshape(weight, (-1, 1)), F.masked_fill(target, ignored, 0))
    return F.sum(F.masked_fill(F.squeeze(rows, -1), ignored, 0.0))


@composite(samples=lambda r: [(r(3, 2), r(4, 2), r.integers(4, 3)), (r(2), r(4, 2), r.integers(4))])
def linear_cross_entropy(
    F, input, linear_weight, target, *, linear_bias=None, weight=None, reduction="mean", ignore_index=None,
    label_smoothing=0.0, options=None,
):  # fmt: skip
    """`cross_entropy` of `linear(input, linear_weight, linear_bias)`; `options` to save memory change nothing here."""
    checks.check_linear_scores(input, linear_weight, linear_bias)
    classes, *size, features = linear_weight.shape
    rows = F.reshape(linear_weight, (-1, features))
    bias = None if linear_bias is None else F.reshape(linear_bias, (-1,))
    scores = F.reshape(F.linear(input, rows, bias), (*input.shape[:-1], classes, *size))
    checks.check_ignore_index(target, ignore_index, scores)
    ignored = -100 if ignore_index is None else ignore_index
    return F.cross_entropy(scores, target, weight, ignored, reduction, label_smoothing)


face(linear_cross_entropy, spaces=("nn.functional",))


# ---- margins


@op(internal=True)
class margin_losses:
    """How far the scores of other classes come within `margin` of the target's, to a power, reduced."""

    def forward(xp, input: Tensor, target: Constant, weight: Constant | None, p, margin, reduction):
        rows = input if input.ndim == 2 else xp.reshape(input, (1, -1))
        losses = xp.margin_losses(rows, target.reshape(-1), weight, p, margin)
        return reduce_raw_losses(xp, losses if input.ndim == 2 else losses.reshape(()), reduction)

    def d_input(F, g, input, target, weight, p, margin, input_shape, reduction):
        each = share_of_gradient(g, reduction, input_shape[:-1])
        if reduction == "none":
            each = F.unsqueeze(each, -1)
        return F.margin_backward(input, target, weight, p, margin) * each

    def batch(F, b, input, target, weight, p, margin, reduction):
        input, target = fronts(F, b, input=input, target=target)
        several = input.ndim > 2
        rows, labels = (folded(F, input), folded(F, target)) if several else (input, target)
        losses = F.margin_losses(rows, labels, None, p, margin, "none")
        losses = unfolded(F, losses, b.size) if several else losses
        losses = losses if weight is None else losses * weights_of_targets(F, b, target, weight, -1)
        return reduced_samples(F, losses, reduction)

    samples = lambda r: [
        (r(2, 3), r.integers(3, 2), None, 1, 1.0, "mean"), (r(3), r.integers(3), None, 2, 0.5, "sum"),
        (r(2, 3), r.integers(3, 2), r.positive(3).detach(), 2, 1.0, "none"),
    ]  # fmt: skip


face(margin_losses, node="MultiMarginLossBackward0")


@op(internal=True)
class margin_backward:
    """The derivative of the sum of each row's `margin_losses`."""

    def forward(xp, input: Tensor, target: Constant, weight: Constant | None, p, margin):
        rows = input if input.ndim == 2 else xp.reshape(input, (1, -1))
        return xp.margin_backward(rows, target.reshape(-1), weight, p, margin).reshape(input.shape)

    def d_input(F, g, input, target, weight, p, margin):
        if p == 1:
            return F.zeros_of(g)
        # the derivatives of a row are 2 w / classes times its gaps, and minus their sum for the target
        classes = input.shape[-1]
        at = F.reshape(target, (*input.shape[:-1], 1))
        factor = 2 / classes if weight is None else F.reshape(weight[target], (*input.shape[:-1], 1)) * (2 / classes)
        gaps = margin - F.gather(input, -1, at) + input
        change = F.where(gaps > 0, g - F.gather(g, -1, at), F.zeros_of(g)) * factor
        change = F.scatter(change, -1, at, 0.0)
        return F.scatter_add(change, -1, at, -F.sum(change, -1, True))

    def batch(F, b, input, target, weight, p, margin):
        input, target = fronts(F, b, input=input, target=target)
        several = input.ndim > 2
        rows, labels = (folded(F, input), folded(F, target)) if several else (input, target)
        pull = F.margin_backward(rows, labels, None, p, margin)
        pull = unfolded(F, pull, b.size) if several else pull
        return pull if weight is None else pull * F.unsqueeze(weights_of_targets(F, b, target, weight, -1), -1)

    samples = lambda r: [(r(2, 3), r.integers(3, 2), None, 2, 1.0), (r(3), r.integers(3), None, 1, 0.5)]


@composite(samples=lambda r: [(r(2, 3), r.integers(3, 2)), (r(2, 3), r.integers(3, 2), 2)])
def multi_margin_loss(F, input, target, p=1, margin=1.0, weight=None, reduction="mean"):
    """The sum over other classes of max(0, margin - score of the target + score) ** p, over the number of classes."""
    reduction_name(reduction)
    checks.check_margin_settings(p, weight)
    checks.check_scores(input, "multi_margin_loss_cpu_kernel")
    if not input.ndim:
        input = F.reshape(input, (1,))
    checks.check_margin_target_shape(input, target)
    if weight is not None:
        refuse_gradient("multi_margin_loss", "weight", weight)
        checks.check_margin_weight(input, weight)
    checks.check_labels(target)
    checks.check_margin_target_range(input, target)
    element(margin, raw_dtype(input))  # which refuses what is beyond the dtype
    result = F.margin_losses(input, target, weight, p, margin, reduction_name(reduction))
    is_of_target = reduction_name(reduction) != "none" or result.shape == target.shape
    return result if is_of_target else F.reshape(result, target.shape)


face(multi_margin_loss, spaces=("nn.functional",))


@op(internal=True, zero_second_derivative=True)
class multilabel_margin:
    """How far the scores of other classes come within 1 of each target's, reduced."""

    def forward(xp, input: Tensor, target: Constant, reduction):
        losses, _ = xp.multilabel_margin_losses(*(each.reshape(-1, input.shape[-1]) for each in (input, target)))
        return reduce_raw_losses(xp, losses.reshape(input.shape[:-1]), reduction)

    def d_input(F, g, input, target, input_shape, reduction):
        each = share_of_gradient(g, reduction, input_shape[:-1])
        return F.multilabel_backward(input, target) * (F.unsqueeze(each, -1) if reduction == "none" else each)

    def batch(F, b, input, target, reduction):
        input, target = fronts(F, b, input=input, target=target)
        return reduced_samples(F, F.multilabel_margin(input, target, "none"), reduction)

    samples = lambda r: [
        (r(2, 3), r.integers(3, 2, 3), "mean"),
        (r(3), r.integers(3, 3), "sum"),
        (r(2, 3), r.integers(3, 2, 3) - 1, "none"),
    ]


face(multilabel_margin, node="MultilabelMarginLossBackward0")


@op(internal=True)
class multilabel_backward:
    """The derivative of the sum of each row's `multilabel_margin`: constant between kinks."""

    def forward(xp, input: Constant, target: Constant):
        rows, labels = (each.reshape(-1, input.shape[-1]) for each in (input, target))
        return xp.multilabel_margin_losses(rows, labels)[1].reshape(input.shape)

    def batch(F, b, input, target):
        return F.multilabel_backward(*fronts(F, b, input=input, target=target))


@composite(samples=lambda r: [(r(2, 3), r.integers(3, 2, 3))])
def multilabel_margin_loss(F, input, target, reduction="mean"):
    """The sum over targets and other classes of max(0, 1 - target's score + other's), over the number of classes."""
    reduction_name(reduction)
    checks.check_scores(input, "multilabel_margin_loss_forward_out_frame")
    if not input.ndim:
        input, target = F.reshape(input, (1,)), F.reshape(target, (1,))
    checks.check_multilabel_target_shape(input, target)
    checks.check_labels(target)
    checks.check_multilabel_target_range(input, target)
    return F.multilabel_margin(input, target, reduction_name(reduction))


face(multilabel_margin_loss, spaces=("nn.functional",))


# ---- sequences


@op(internal=True)
class alignment:
    """Minus the log-probability of each sequence of labels, over all its alignments with the input."""

    def forward(xp, log_probs: Tensor, targets, lengths, target_lengths, blank, zero_infinity):
        return xp.alignment_loss(log_probs, targets, lengths, target_lengths, blank)

    def d_log_probs(F, g, log_probs, out, targets, lengths, target_lengths, blank, zero_infinity):
        return F.alignment_gradients(g, log_probs, out, targets, lengths, target_lengths, blank, zero_infinity)

    def batch(F, b, log_probs, targets, lengths, target_lengths, blank, zero_infinity):
        wide = into_channels(F, log_probs, 1, 1)
        settings = targets * b.size, lengths * b.size, target_lengths * b.size, blank, zero_infinity
        return F.reshape(F.alignment(wide, *settings), (b.size, len(lengths)))


face(
    alignment,
    node="CtcLossBackward0",
    refuses=wide_floats_only("ctc_loss_cpu") | dict.fromkeys((BOOL, INTEGER), unimplemented("ctc_loss_cpu")),
)


@op(internal=True)
class alignment_gradients:
    """The derivative of `alignment`, which PyTorch gives at the scores whose log softmax `log_probs` must be."""

    def forward(
        xp, grad: Tensor, log_probs: Tensor, losses: Constant, targets, lengths, target_lengths, blank, zero_infinity
    ):
        settings = targets, lengths, target_lengths, blank, zero_infinity
        return xp.alignment_gradient(grad, log_probs, losses, *settings)

    def d_grad(F, g):
        raise RuntimeError("derivative for aten::_ctc_loss_backward is not implemented")

    def d_log_probs(F, g):
        raise RuntimeError("derivative for aten::_ctc_loss_backward is not implemented")

    def batch(F, b, grad, log_probs, losses, targets, lengths, target_lengths, blank, zero_infinity):
        grad, log_probs, losses = fronts(F, b, grad=grad, log_probs=log_probs, losses=losses)
        settings = targets * b.size, lengths * b.size, target_lengths * b.size, blank, zero_infinity
        pulled = F.alignment_gradients(folded(F, grad), into_channels(F, log_probs, 1, 1), folded(F, losses), *settings)
        return out_of_channels(F, pulled, 1, 1, b.size)


@composite(
    # No gradients: PyTorch's are those of the scores before their log softmax, which finite differences do not show.
    samples=lambda r: [
        (r(5, 2, 4).log_softmax(2).detach(), r.integers(3, 2, 3) + 1, (5, 5), (3, 2)),
        (r(5, 2, 4).log_softmax(2).detach(), r.integers(3, 2, 3) + 1, (5, 4), (3, 2), 0, 1),
        (r(5, 2, 4).log_softmax(2).detach(), r.integers(3, 2, 2) + 1, (5, 4), (2, 1), 0, 0),
        (r(4, 3).log_softmax(1).detach(), r.integers(2, 2), (4,), (2,), 2, 2, True),
    ]
)
def ctc_loss(F, log_probs, targets, input_lengths, target_lengths, blank=0, reduction=0, zero_infinity=False):
    """The loss of connectionist temporal classification (Graves et al., 2006).

    `log_probs` is (T, N, C) or (T, C), `targets` (N, S), or all sequences one after the other; "mean" divides each loss
    by the length of its target first.
    """
    name = reduction_name(reduction)
    unbatched = log_probs.ndim == 2
    if log_probs.ndim != 3:
        log_probs = F.unsqueeze(log_probs, 1)
    lengths, target_lengths = whole("input_lengths", input_lengths), whole("target_lengths", target_lengths)
    rows = sequences(log_probs, targets, lengths, target_lengths, blank)
    losses = F.alignment(log_probs, rows, lengths, target_lengths, blank, zero_infinity)
    if zero_infinity:
        losses = F.where(losses == math.inf, F.zeros_of(losses), losses)
    if name == "mean":
        most = wrap(np.maximum(np.array(target_lengths, raw_dtype(losses)), 1))
        return F.mean(losses / F.to_copy(most, None, losses.device))
    if name == "sum":
        return F.sum(losses)
    return F.squeeze(losses, 0) if unbatched else losses


face(
    ctc_loss,
    method=None,
    forms=("Tensor, Tensor, Ints, Ints, int, int, bool", "Tensor, Tensor, Tensor, Tensor, int, int, bool"),
)


def whole(name: str, lengths) -> tuple:
    """Lengths given as a tensor or as numbers."""
    if hasattr(lengths, "_array"):
        if raw_dtype(lengths).kind not in "iu":
            raise RuntimeError(f"{name} must be integral")
        lengths = numbers_of(lengths)
    return tuple(int(each) for each in lengths)


def numbers_of(tensor) -> list:
    """The numbers of a tensor of one dimension or none."""
    result = tensor.tolist()
    return result if isinstance(result, list) else [result]


def sequences(log_probs, targets, lengths: tuple, target_lengths: tuple, blank: int) -> tuple:
    """The label sequences, checked, as raw vectors."""
    where = "(while checking arguments for ctc_loss_allocate_outputs)"
    if log_probs.ndim != 3:
        raise RuntimeError(
            f"Expected 3-dimensional tensor, but got {log_probs.ndim}-dimensional tensor for argument #1 'log_probs' "
            f"{where}"
        )
    if targets.ndim not in (1, 2):
        raise RuntimeError(
            f"Expected 1 to 2 dimensions, but got {targets.ndim}-dimensional tensor for argument #2 'targets' {where}"
        )
    steps, batch, classes = log_probs.shape
    if 0 in (steps, batch, classes):
        raise RuntimeError("log_probs tensor must not be empty")
    if not 0 <= blank < classes:
        raise RuntimeError("blank must be in label range")
    for name, each in (("input_lengths", lengths), ("target_lengths", target_lengths)):
        if len(each) != batch:
            raise RuntimeError(f"{name} must be of size batch_size")
        if min(each) < 0:
            raise RuntimeError(f"Expected {name} to have value at least 0, but got value {min(each)} {where}")
    if max(lengths) > steps:
        raise RuntimeError(
            f"Expected input_lengths to have value at most {steps}, but got value {max(lengths)} {where}"
        )
    numbers = numbers_of(targets)
    if targets.ndim == 1:
        if len(numbers) != sum(target_lengths):
            raise RuntimeError(
                f"Expected tensor to have size {sum(target_lengths)} at dimension 0, but got size {len(numbers)} for "
                f"argument #2 'targets' {where}"
            )
        begins = [sum(target_lengths[:row]) for row in range(batch)]
        numbers = [numbers[begin : begin + length] for begin, length in zip(begins, target_lengths, strict=True)]
    elif targets.shape[1] < max(target_lengths):
        raise RuntimeError(
            f"Expected tensor to have size at least {max(target_lengths)} at dimension 1, but got size "
            f"{targets.shape[1]} for argument #2 'targets' {where}"
        )
    return tuple(tuple(int(each) for each in row) for row in numbers)
