"""Losses of classification: scores of classes against the right ones.

https://docs.pytorch.org/docs/stable/nn.functional.html#loss-functions
"""

from __future__ import annotations

import math

import numpy as np

from rushlight.arrays.meta import MetaArray
from rushlight.core.device import BACKENDS
from rushlight.core.dtype import BOOL
from rushlight.declarations.batches import flat, folded, front, fronts, unfolded
from rushlight.declarations.checks import classification as checks
from rushlight.declarations.declare import Direct, composite, face, op
from rushlight.declarations.dtype_rules import raw_dtype, refuse
from rushlight.declarations.reduction import reduce_losses, reduction_name, refuse_gradient

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
