"""Losses of margins: scores of the right classes against those of the others.

https://docs.pytorch.org/docs/stable/nn.functional.html#loss-functions
"""

from __future__ import annotations

from rushlight.arrays.elementwise import element
from rushlight.declarations.batches import folded, fronts, reduced_samples, unfolded
from rushlight.declarations.checks import classification as checks
from rushlight.declarations.classification import weights_of_targets
from rushlight.declarations.declare import composite, face, op
from rushlight.declarations.dtype_rules import raw_dtype
from rushlight.declarations.reduction import reduce_raw_losses, reduction_name, refuse_gradient, share_of_gradient


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
