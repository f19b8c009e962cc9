"""Losses: how far a prediction is from a target. `reduction` is "none", "mean" or "sum".

The loss of each element is an operation of its own, so that it can have a kernel: `forward.NAME` is NumPy's
formula until `lower/install.py` enters a kernel, so it is looked up at each call.

https://docs.pytorch.org/docs/stable/nn.functional.html#loss-functions
"""

from __future__ import annotations

import math

from rushlight.arrays.elementwise import element
from rushlight.core.dtype import COMPLEX, FLOAT
from rushlight.core.errors import about
from rushlight.core.tables import forward
from rushlight.declarations.batches import fronts, padded, rank_of, reduced_samples, together
from rushlight.declarations.checks import loss as checks
from rushlight.declarations.declare import composite, elementwise, face, op
from rushlight.declarations.dtype_rules import raw_dtype, refuse, scalar_names
from rushlight.declarations.reduction import (
    reduce_losses,
    reduce_raw_losses,
    reduction_name,
    refuse_gradient,
    share_of_gradient,
)
from rushlight.declarations.shapes import broadcast

PAIRS = lambda r: [(r(2, 3), r(2, 3)), (r(4), r(4), "sum"), (r(2, 3), r(3), "none"), (r(), r()), (r(2, 1), r(3))]


# ---- differences


@elementwise(internal=True, scalar_operands=False)
class squared_difference:
    """The squared difference."""

    def forward(xp, input: Tensor, target: Tensor):
        difference = xp.subtract(input, target)
        return xp.multiply(difference, difference)

    def d_input(F, g, input, target):
        return F.square_gradient(input, target, g)

    def d_target(F, g, input, target):
        return F.square_gradient(target, input, g)

    samples = lambda r: [(r(2, 3), r(3)), (r(), r())]


@composite(internal=True, pointwise=True, samples=lambda r: [(r(2, 3), r(3), r()), (r(2, 3), r(2, 3), r(2, 3))])
def square_gradient(F, input, target, g):
    """`g` times the derivative of the squared difference."""
    return (input - target) * (g * 2)


@op(dtype="promote")
class mse_loss:
    """The squared difference."""

    def forward(xp, input: Tensor, target: Tensor, reduction="mean"):
        refuse(input, "biuc", "mse_cpu")
        return reduce_raw_losses(xp, forward.squared_difference(xp, input, target), reduction)

    def d_input(F, g, input, target, input_shape, input_dtype, target_shape, reduction):
        each = share_of_gradient(g, reduction, input_shape, target_shape)
        return F.fit(F.square_gradient(input, target, each), input_shape, input_dtype)

    def d_target(F, g, input, target, input_shape, target_shape, target_dtype, reduction):
        each = share_of_gradient(g, reduction, input_shape, target_shape)
        return F.fit(F.square_gradient(target, input, each), target_shape, target_dtype)

    def batch(F, b, input, target, reduction):
        return reduced_samples(F, F.mse_loss(*together(F, b, input=input, target=target), "none"), reduction)

    samples = PAIRS


face(mse_loss, spaces=("nn.functional",), out=False)


@composite(samples=PAIRS)
def l1_loss(F, input, target, reduction="mean"):
    """The absolute difference."""
    return reduce_losses(F, F.abs(input - target), reduction)


face(l1_loss, spaces=("nn.functional",))


@elementwise(internal=True, scalar_operands=False)
class rounded_off:
    """The absolute difference, a parabola `within` of zero; times `factor`."""

    def forward(xp, input: Tensor, target: Tensor, within: float, factor: float):
        distance = xp.abs(xp.subtract(input, target))
        near = xp.minimum(distance, within)
        return near * (distance - 0.5 * near) * factor

    def d_input(F, g, input, target, within, factor):
        return F.rounded_gradient(input, target, g, within, factor)

    def d_target(F, g, input, target, within, factor):
        return F.rounded_gradient(target, input, g, within, factor)

    samples = lambda r: [(r(2, 3), r(3), 1.0, 0.5), (r(), r(), 0.5, 1.0)]


@composite(
    internal=True,
    pointwise=True,
    samples=lambda r: [(r(2, 3), r(3), r(), 1.0, 0.5), (r(2, 3), r(2, 3), r(2, 3), 0.5, 1.0)],
)
def rounded_gradient(F, input, target, g, within: float, factor: float):
    """`g` times the derivative of `rounded_off`."""
    return F.clamp(input - target, -within, within) * (g * factor)


@op(internal=True, dtype="promote")
class smooth_absolute:
    """The absolute difference, rounded off within `beta`."""

    def forward(xp, input: Tensor, target: Tensor, reduction, beta):
        refuse(input, "biuc", "smooth_l1_cpu")
        return reduce_raw_losses(xp, forward.rounded_off(xp, input, target, beta, 1 / beta), reduction)

    def d_input(F, g, input, target, input_shape, input_dtype, target_shape, reduction, beta):
        each = share_of_gradient(g, reduction, input_shape, target_shape)
        return F.fit(F.rounded_gradient(input, target, each, beta, 1 / beta), input_shape, input_dtype)

    def d_target(F, g, input, target, input_shape, target_shape, target_dtype, reduction, beta):
        each = share_of_gradient(g, reduction, input_shape, target_shape)
        return F.fit(F.rounded_gradient(target, input, each, beta, 1 / beta), target_shape, target_dtype)

    def batch(F, b, input, target, reduction, beta):
        losses = F.smooth_absolute(*together(F, b, input=input, target=target), "none", beta)
        return reduced_samples(F, losses, reduction)

    samples = lambda r: [(*each[:2], reduction_name, beta) for each, reduction_name, beta in zip(
        PAIRS(r), ("mean", "sum", "none", "mean", "sum"), (1.0, 0.5, 2.0, 1.0, 1.0), strict=True
    )]  # fmt: skip


face(smooth_absolute, node="SmoothL1LossBackward0")


@composite(samples=lambda r: [*PAIRS(r), (r(2, 3), r(2, 3), "mean", 0)])
def smooth_l1_loss(F, input, target, reduction="mean", beta: float = 1.0):
    """The squared difference over 2 beta below `beta`, the absolute difference less beta / 2 above (Girshick 2015)."""
    checks.check_smooth_l1_beta(beta)
    if beta == 0:
        return F.l1_loss(input, target, reduction)
    return F.smooth_absolute(input, target, reduction, beta)


face(smooth_l1_loss, spaces=("nn.functional",))


@op(dtype="promote")
class huber_loss:
    """Half the squared difference d below `delta`, `delta * (abs(d) - delta / 2)` above (Huber 1964)."""

    def forward(xp, input: Tensor, target: Tensor, reduction="mean", delta=1.0):
        checks.check_huber_delta(delta)
        refuse(input, "biuc", "huber_cpu")
        return reduce_raw_losses(xp, forward.rounded_off(xp, input, target, delta, 1), reduction)

    def d_input(F, g, input, target, input_shape, input_dtype, target_shape, reduction, delta):
        each = share_of_gradient(g, reduction, input_shape, target_shape)
        return F.fit(F.rounded_gradient(input, target, each, delta, 1), input_shape, input_dtype)

    def d_target(F, g, input, target, input_shape, target_shape, target_dtype, reduction, delta):
        each = share_of_gradient(g, reduction, input_shape, target_shape)
        return F.fit(F.rounded_gradient(target, input, each, delta, 1), target_shape, target_dtype)

    def batch(F, b, input, target, reduction, delta):
        losses = F.huber_loss(*together(F, b, input=input, target=target), "none", delta)
        return reduced_samples(F, losses, reduction)

    samples = lambda r: [*PAIRS(r), (r(2, 3), r(2, 3), "mean", 0.5)]


face(huber_loss, spaces=("nn.functional",), out=False)


# ---- two classes


@elementwise(internal=True, dtype="float", scalar_operands=False)
class improbability:
    """-(y log x + (1 - y) log(1 - x)), the logarithms no lower than -100."""

    def forward(xp, input: Tensor, target: Tensor):
        missing = xp.maximum(xp.log1p(-input), -100)
        return (target - 1) * missing - target * xp.maximum(xp.log(input), -100)

    def d_input(F, g, input, target):
        return F.improbability_gradient(input, target, g)

    def d_target(F, g, input):
        return g * (F.clamp(F.log1p(-input), -100) - F.clamp(F.log(input), -100))

    samples = lambda r: [(r(2, 3).sigmoid(), r(2, 3).sigmoid()), (r(2, 3).sigmoid(), r(3).sigmoid())]


@composite(
    internal=True,
    pointwise=True,
    samples=lambda r: [(r(2, 3).sigmoid(), r(3).sigmoid(), r()), (r(3).sigmoid(), r(3), r(3))],
)
def improbability_gradient(F, input, target, g):
    """`g` times the derivative of `improbability`."""
    return (input - target) / F.clamp(input * (1 - input), 1e-12) * g


@op(internal=True)
class weighted_binary_cross_entropy:
    """-(y log x + (1 - y) log(1 - x)), the logarithms no lower than -100, weighted and reduced."""

    def forward(xp, input: Tensor, target: Tensor, weight: Constant | None, reduction):
        refuse(input, "biuc", "binary_cross_entropy")
        for name, each in (("input", input), ("target", target)):
            checks.check_probabilities(xp, each, name)
        losses = forward.improbability(xp, input, target)
        return reduce_raw_losses(xp, losses if weight is None else xp.astype(losses * weight, losses.dtype), reduction)

    def d_input(F, g, input, target, weight, input_shape, input_dtype, reduction):
        each = weighted_share(g, weight, input_shape, reduction)
        return F.fit(F.improbability_gradient(input, target, each), input_shape, input_dtype)

    def d_target(F, g, input, weight, input_shape, target_shape, target_dtype, reduction):
        derivative = F.clamp(F.log1p(-input), -100) - F.clamp(F.log(input), -100)
        return F.fit(derivative * weighted_share(g, weight, input_shape, reduction), target_shape, target_dtype)

    def batch(F, b, input, target, weight, reduction):
        input, target, weight = together(F, b, input=input, target=target, weight=weight)
        return reduced_samples(F, F.weighted_binary_cross_entropy(input, target, weight, "none"), reduction)

    samples = lambda r: [
        (r(2, 3).sigmoid(), r(2, 3).sigmoid(), None, "mean"),
        (r(3).sigmoid(), r(3).sigmoid(), r.positive(3).detach(), "sum"),
    ]  # fmt: skip


face(weighted_binary_cross_entropy, node="BinaryCrossEntropyBackward0")


def weighted_share(g, weight, shape, reduction):
    """Returns the gradient of each loss from that of the reduced loss, times its weight."""
    each = share_of_gradient(g, reduction, shape)
    return each if weight is None else each * weight


@composite(samples=lambda r: [(r(2, 3).sigmoid(), r(2, 3).sigmoid(), r.positive(3).detach())])
def binary_cross_entropy(F, input, target, weight=None, reduction="mean"):
    """-(y log x + (1 - y) log(1 - x)) of probabilities x."""
    refuse_gradient("binary_cross_entropy", "weight", weight)
    checks.check_target_dtype(input, target)
    if weight is not None:
        checks.fits_into("weight", weight, input)
    return F.weighted_binary_cross_entropy(input, target, weight, reduction_name(reduction))


face(binary_cross_entropy, spaces=("nn.functional",))


@elementwise(internal=True, dtype="float", scalar_operands=False)
class logistic_improbability:
    """`improbability` of sigmoid(input), stable for every input."""

    def forward(xp, input: Tensor, target: Tensor):
        return (1 - target) * input - xp.log_sigmoid(input)

    def d_input(F, g, input, target):
        return F.logistic_gradient(input, target, None, g)

    def d_target(F, g, input):
        return -g * input

    samples = lambda r: [(r(2, 3), r(3).sigmoid()), (r(2, 3), r(2, 3))]


@composite(
    internal=True,
    pointwise=True,
    samples=lambda r: [(r(2, 3), r(3).sigmoid(), None, r()), (r(3), r(3), r.positive(3).detach(), r(3))],
)
def logistic_gradient(F, input, target, pos_weight, g):
    """`g` times the derivative of `logistic_loss`."""
    return ((1 - target) - shares(target, pos_weight) * F.sigmoid(-input)) * g


@op(internal=True, dtype="promote")
class logistic_loss:
    """`binary_cross_entropy` of sigmoid(input): (1 - y) x - (1 + (p - 1) y) log sigmoid(x), weighted and reduced."""

    def forward(xp, input: Tensor, target: Tensor, weight: Constant | None, pos_weight: Constant | None, reduction):
        if pos_weight is None:
            losses = forward.logistic_improbability(xp, input, target)
        else:
            losses = (1 - target) * input - shares(target, pos_weight) * xp.log_sigmoid(input)
        return reduce_raw_losses(xp, losses if weight is None else losses * weight, reduction)

    def d_input(F, g, input, target, weight, pos_weight, input_shape, input_dtype, reduction):
        each = weighted_share(g, weight, input_shape, reduction)
        return F.fit(F.logistic_gradient(input, target, pos_weight, each), input_shape, input_dtype)

    def d_target(F, g, input, weight, pos_weight, input_shape, target_shape, target_dtype, reduction):
        derivative = -input if pos_weight is None else -input - (pos_weight - 1) * F.logsigmoid(input)
        return F.fit(derivative * weighted_share(g, weight, input_shape, reduction), target_shape, target_dtype)

    def batch(F, b, input, target, weight, pos_weight, reduction):
        operands = together(F, b, input=input, target=target, weight=weight, pos_weight=pos_weight)
        return reduced_samples(F, F.logistic_loss(*operands, "none"), reduction)

    samples = lambda r: [
        (r(2, 3), r(2, 3).sigmoid(), None, None, "mean"),
        (r(3), r(3).sigmoid(), None, r.positive(3).detach(), "sum"),
        (r(2, 3), r(2, 3), r.positive(3).detach(), None, "none"),
    ]


face(logistic_loss, node="BinaryCrossEntropyWithLogitsBackward0")


def shares(target, pos_weight):
    """How much the logarithm of the sigmoid counts: more for positive examples, if these weigh more."""
    return 1 if pos_weight is None else (pos_weight - 1) * target + 1


@composite(samples=lambda r: [(r(2, 3), r(2, 3).sigmoid()), (r(3), r(3), None, r.positive(3).detach(), "sum")])
def binary_cross_entropy_with_logits(F, input, target, weight=None, pos_weight=None, reduction=0):
    """`binary_cross_entropy` of sigmoid(input), computed without overflow; its dtype is that of `target`."""
    for name, each in (("weight", weight), ("pos_weight", pos_weight)):
        refuse_gradient("binary_cross_entropy_with_logits", name, each)
    checks.check_logits_dtype(input)
    checks.check_not_enlarged(target, input)
    kind = raw_dtype(target)
    if kind.kind in "iub":
        result, name = scalar_names(input, target)
        words = f"result type {result} can't be cast to the desired output type {name}"
        raise about(
            RuntimeError(words),
            "target_dtype",
            checks.PROBABILITIES,
            cast=checks.CASTS.get(raw_dtype(input).char, "float"),
        )
    result = F.logistic_loss(input, target, weight, pos_weight, reduction_name(reduction))
    return result if raw_dtype(result) == kind else F.cast(result, kind)


face(binary_cross_entropy_with_logits, method=None)


# ---- distributions


@composite(samples=lambda r: [
    (r(2, 3), r.positive(2, 3)), (r(2, 3), r.positive(2, 3), "sum"), (r(2, 3), r(2, 3), "none", {"log_target": True}),
])  # fmt: skip
def kl_div(F, input, target, reduction=0, *, log_target=False):
    """target (log target - input): the divergence of Kullback and Leibler, `input` being log-probabilities."""
    checks.check_kl_div_dtypes(input, target)
    if log_target:
        return reduce_losses(F, F.exp(target) * (target - input), reduction)
    return reduce_losses(F, F.xlogy(target, target) - target * input, reduction)


face(kl_div, method=None)


@composite(samples=lambda r: [(r(2, 3), r.positive(2, 3), True, True, 1e-8, "mean")])
def poisson_nll_loss(F, input, target, log_input, full, eps, reduction):
    """exp(input) - target * input, or input - target log(input); `full` adds Stirling's formula for log(target!)."""
    losses = F.exp(input) - target * input if log_input else input - target * F.log(input + eps)
    if full:
        stirling = target * F.log(target) - target + 0.5 * F.log(2 * math.pi * target)
        losses = losses + F.masked_fill(stirling, target <= 1, 0)
    return reduce_losses(F, losses, reduction)


face(poisson_nll_loss, method=None)


# ---- margins and rankings


@composite(samples=lambda r: [(r(4), r(4).sign().detach()), (r(2, 3), r(2, 3).sign().detach(), 0.5, "sum")])
def hinge_embedding_loss(F, input, target, margin: float = 1.0, reduction=0):
    """`input` where the target is 1, max(0, margin - input) where it is -1."""
    element(margin, raw_dtype(input))  # which refuses what is beyond the dtype
    zeros, rest = F.zeros_of(input), margin - input
    if input.dtype.category not in (FLOAT, COMPLEX):
        rest = F.cast(rest, raw_dtype(input))  # integers are kept
    apart = F.where(target != 1, F.clamp_min(rest, 0), zeros)
    return reduce_losses(F, apart + F.where(target != -1, input, zeros), reduction)


face(hinge_embedding_loss, method=None)


@elementwise(internal=True, scalar_operands=False)
class softened_margin:
    """log(1 + exp(-target * input))."""

    def forward(xp, input: Tensor, target: Tensor):
        return xp.log1p(xp.exp(-(target * input)))

    def d_input(F, g, input, target):
        return F.margin_gradient(input, target, g)

    def d_target(F, g, input, target):
        return F.margin_gradient(target, input, g)

    samples = lambda r: [(r(2, 3), r(3)), (r(), r())]


@composite(internal=True, pointwise=True, samples=lambda r: [(r(2, 3), r(3), r()), (r(2, 3), r(2, 3), r(2, 3))])
def margin_gradient(F, input, target, g):
    """`g` times the derivative of `softened_margin`."""
    return -(target * F.sigmoid(-(target * input)) * g)


@op(internal=True)
class soft_margin:
    """log(1 + exp(-target * input))."""

    def forward(xp, input: Tensor, target: Constant, reduction):
        checks.check_soft_margin_dtype(input)
        checks.check_not_enlarged(input, target)
        losses = forward.softened_margin(xp, input, target)
        return reduce_raw_losses(xp, xp.astype(losses, input.dtype), reduction)

    def d_input(F, g, input, target, input_shape, input_dtype, reduction):
        each = share_of_gradient(g, reduction, broadcast((input_shape, target.shape)))
        return F.fit(F.margin_gradient(input, target, each), input_shape, input_dtype)

    def batch(F, b, input, target, reduction):
        rank = max(rank_of(b, "input", input), rank_of(b, "target", target))
        operands = fronts(F, b, input=input, target=target)
        losses = F.soft_margin(*(padded(F, each, rank) for each in operands), "none")
        return reduced_samples(F, losses, reduction)

    samples = lambda r: [(r(4), r(4).sign().detach(), "mean"), (r(2, 3), r(3).sign().detach(), "sum")]


face(soft_margin, node="SoftMarginLossBackward0")


@composite(samples=lambda r: [(r(2, 3), r(2, 3).sign().detach(), "none")])
def soft_margin_loss(F, input, target, reduction="mean"):
    """log(1 + exp(-target * input))."""
    refuse_gradient("soft_margin_loss", "target", target)
    return F.soft_margin(input, target, reduction_name(reduction))


face(soft_margin_loss, spaces=("nn.functional",))


@composite(samples=lambda r: [(r(4), r(4), r(4).sign().detach()), (r(3), r(3), r(3).sign().detach(), 0.5, "sum")])
def margin_ranking_loss(F, input1, input2, target, margin: float = 0.0, reduction=0):
    """max(0, -target (input1 - input2) + margin)."""
    return reduce_losses(F, F.clamp_min(-target * (input1 - input2) + float(margin), 0), reduction)


face(margin_ranking_loss, method=None)


@composite(samples=lambda r: [(r(2, 3), r(2, 3), r(2).sign().detach()), (r(3), r(3), r().sign().detach(), 0.5)])
def cosine_embedding_loss(F, input1, input2, target, margin: float = 0.0, reduction=0):
    """1 - cos where the target is 1, max(0, cos - margin) where it is -1."""
    checks.check_cosine_embedding_ranks(input1, input2, target)
    dim = target.ndim
    lengths = (F.sum(input1 * input1, dim) + 1e-12) * (F.sum(input2 * input2, dim) + 1e-12)
    cosine = F.sum(input1 * input2, dim) / F.sqrt(lengths)
    zeros = F.zeros_of(cosine)
    losses = F.where(target == 1, 1 - cosine, zeros) + F.where(target == -1, F.clamp_min(cosine - margin, 0), zeros)
    return reduce_losses(F, losses, reduction)


face(cosine_embedding_loss, method=None)
