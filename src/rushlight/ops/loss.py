"""Losses: how far a prediction is from a target. `reduction` is "none", "mean" or "sum".

https://docs.pytorch.org/docs/stable/nn.functional.html#loss-functions
"""

from __future__ import annotations

from rushlight.ops.declare import composite, op

PAIRS = lambda r: [(r(2, 3), r(2, 3)), (r(4), r(4), "sum"), (r(2, 3), r(2, 3), "none"), (r(), r())]


def reduced(F, losses, reduction: str):
    """The losses themselves, their mean or their sum. Raises ValueError for another word."""
    if reduction == "none":
        return losses
    if reduction == "mean":
        return F.mean(losses)
    if reduction == "sum":
        return F.sum(losses)
    raise ValueError(f"{reduction} is not a valid value for reduction")


def shared_out(F, g, shape, reduction: str):
    """What each loss gets of the gradient of the reduced one."""
    if reduction == "none":
        return g
    count = 1
    for length in shape:
        count *= length
    return g / max(count, 1) if reduction == "mean" else g


def collected(xp, losses, reduction: str):
    """The reduction of raw losses."""
    if reduction == "none":
        return losses
    if reduction not in ("mean", "sum"):
        raise ValueError(f"{reduction} is not a valid value for reduction")
    total = xp.total(losses)
    return total / losses.dtype.type(losses.size) if reduction == "mean" else total


@composite(spaces=("nn.functional",), samples=PAIRS)
def mse_loss(F, input, target, reduction="mean"):
    """The squared difference."""
    return F.squared_error(*F.broadcast_tensors(input, target), reduction)


@op(spaces=(), dtype="promote", out=False)
class squared_error:
    """The squared difference of tensors of one shape, reduced."""

    def forward(xp, input: Tensor, target: Tensor, reduction):
        difference = xp.subtract(input, target)
        return collected(xp, xp.multiply(difference, difference), reduction)

    def d_input(F, g, input, target, input_shape, reduction):
        return shared_out(F, g, input_shape, reduction) * ((input - target) * 2)

    def d_target(F, g, input, target, input_shape, reduction):
        return shared_out(F, g, input_shape, reduction) * ((target - input) * 2)

    node = "MseLossBackward0"
    samples = lambda r: [(r(2, 3), r(2, 3), "mean"), (r(4), r(4), "sum"), (r(2), r(2), "none")]


@composite(spaces=("nn.functional",), samples=PAIRS)
def l1_loss(F, input, target, reduction="mean"):
    """The absolute difference."""
    return reduced(F, F.abs(input - target), reduction)


@op(spaces=(), dtype="promote", out=False)
class smooth_absolute_error:
    """The absolute difference, rounded off to a parabola within `beta` of zero, and scaled to slope `slope`."""

    def forward(xp, input: Tensor, target: Tensor, reduction, beta, slope):
        difference = xp.abs(xp.subtract(input, target))
        inside = difference < beta
        losses = xp.where(inside, difference * difference * (0.5 * slope / beta), (difference - 0.5 * beta) * slope)
        return collected(xp, losses, reduction)

    def d_input(F, g, input, target, input_shape, reduction, beta, slope):
        return shared_out(F, g, input_shape, reduction) * (F.clamp(input - target, -beta, beta) * (slope / beta))

    def d_target(F, g, input, target, input_shape, reduction, beta, slope):
        return shared_out(F, g, input_shape, reduction) * (F.clamp(target - input, -beta, beta) * (slope / beta))

    node = "HuberLossBackward0 if slope == beta and beta != 1 else SmoothL1LossBackward0"
    samples = lambda r: [
        (r(2, 3), r(2, 3), "mean", 0.5, 1),
        (r(4), r(4), "sum", 1.0, 1),
        (r(2), r(2), "none", 2.0, 2.0),
    ]


@composite(
    spaces=("nn.functional",), samples=lambda r: [*PAIRS(r), (r(2, 3), r(2, 3), "mean", 0.5), (r(2), r(2), "sum", 0)]
)
def smooth_l1_loss(F, input, target, reduction="mean", beta=1.0):
    """The squared difference over 2 beta below `beta`, the absolute difference less beta / 2 above (Girshick 2015)."""
    if beta < 0:
        raise RuntimeError("smooth_l1_loss does not support negative values for beta.")
    if beta == 0:
        return F.l1_loss(input, target, reduction)
    return F.smooth_absolute_error(*F.broadcast_tensors(input, target), reduction, beta, 1)


@composite(spaces=("nn.functional",), samples=lambda r: [*PAIRS(r), (r(2, 3), r(2, 3), "mean", 0.5)])
def huber_loss(F, input, target, reduction="mean", delta=1.0):
    """Half the squared difference below `delta`, delta times the absolute difference less delta / 2 above (Huber 1964)."""
    if delta <= 0:
        raise RuntimeError("huber_loss does not support non-positive values for delta.")
    return F.smooth_absolute_error(*F.broadcast_tensors(input, target), reduction, delta, delta)


# ---- classification


def check_classes(input, target, weight, ignore_index: int) -> None:
    """What PyTorch refuses of scores (N, C, ...) and classes (N, ...)."""
    rank = len(input.shape)
    if rank == 0:
        raise ValueError(f"Expected 1 or more dimensions (got {rank})")
    expected = input.shape[:1] + input.shape[2:] if rank > 1 else ()
    if tuple(target.shape) != tuple(expected):
        if rank > 1 and target.shape[:1] != input.shape[:1]:
            batch = target.shape[0] if len(target.shape) else 1
            raise ValueError(f"Expected input batch_size ({input.shape[0]}) to match target batch_size ({batch}).")
        raise RuntimeError(f"Expected target size {list(expected)}, got {list(target.shape)}")
    classes = input.shape[1 if rank > 1 else 0]
    if weight is not None and tuple(weight.shape) != (classes,):
        raise RuntimeError(
            "weight tensor should be defined either for all or no classes but got weight tensor of shape: "
            f"{list(weight.shape)}"
        )


@op(spaces=(), out=False)
class negative_log_likelihood:
    """Minus the score of the class named by `target`, weighted; `ignore_index` counts nothing. Input (N, C, ...)."""

    returns = "out, total_weight"

    def forward(xp, input: Tensor, target: Constant, weight: Constant | None, ignore_index, reduction):
        return xp.negative_log_likelihood(input, target, weight, ignore_index, reduction)

    def d_input(F, g_out, input_shape, target, weight, ignore_index, reduction, total_weight):
        return F.spread_over_classes(g_out, target, weight, total_weight, input_shape, ignore_index, reduction)

    node = "NllLossBackward0 if len(input.shape) < 3 else NllLoss2DBackward0"
    samples = lambda r: [
        (r(3, 4), r.integers(4, 3), None, -100, "mean"),
        (r(3, 4), r.integers(4, 3), r.positive(4).detach(), 1, "sum"),
        (r(2, 4, 3), r.integers(4, 2, 3), None, -100, "none"),
    ]


@op(spaces=(), out=False)
class spread_over_classes:
    """The transpose of `negative_log_likelihood`: each gradient goes to the place of its class."""

    def forward(
        xp, g: Tensor, target: Constant, weight: Constant | None, total_weight: Constant, shape, ignore_index, reduction
    ):
        return xp.spread_over_classes(g, target, weight, total_weight, shape, ignore_index, reduction)

    def d_g(F, g, target, weight, ignore_index, reduction):
        return F.negative_log_likelihood(g, target, weight, ignore_index, reduction)[0]

    node = "NllLossBackwardBackward0"


@composite(spaces=("nn.functional",), samples=lambda r: [(r(3, 4), r.integers(4, 3)), (r(4), r.integers(4))])
def nll_loss(F, input, target, weight=None, ignore_index=-100, reduction="mean"):
    """Minus the log-probability of the right class."""
    check_classes(input, target, weight, ignore_index)
    if target.dtype.name not in ("int64", "uint8"):
        raise RuntimeError(f"expected scalar type Long but found {target.type().split('.')[-1].removesuffix('Tensor')}")
    return F.negative_log_likelihood(input, target, weight, ignore_index, reduction)[0]


@composite(
    spaces=("nn.functional",),
    samples=lambda r: [
        (r(3, 4), r.integers(4, 3)), (r(4), r.integers(4)), (r(2, 4, 3), r.integers(4, 2, 3), None, -100, "sum"),
        (r(3, 4), r(3, 4).softmax(1)), (r(3, 4), r.integers(4, 3), r.positive(4).detach(), -100, "mean", 0.1),
    ],
)  # fmt: skip
def cross_entropy(F, input, target, weight=None, ignore_index=-100, reduction="mean", label_smoothing=0.0):
    """The negative log-likelihood of the softmax of scores, against classes or probabilities."""
    if not 0.0 <= label_smoothing <= 1.0:
        raise RuntimeError(f"label_smoothing must be between 0.0 and 1.0. Got: {label_smoothing}")
    dim = 0 if input.dim() == 1 else 1
    if tuple(target.shape) == tuple(input.shape) and (target.is_floating_point() or input.dim() > 1):
        return _against_probabilities(F, F.log_softmax(input, dim), target, weight, reduction, label_smoothing, dim)
    scores = F.log_softmax(input, dim)
    if not label_smoothing:
        return F.nll_loss(scores, target, weight, ignore_index, reduction)
    return _smoothed(F, scores, target, weight, ignore_index, reduction, label_smoothing, dim)


def _against_probabilities(F, scores, target, weight, reduction, smoothing, dim):
    if not target.is_floating_point():
        raise RuntimeError(f"Expected floating point type for target with class probabilities, got {target.dtype.name}")
    classes = scores.shape[dim]
    if smoothing:
        target = target * (1 - smoothing) + smoothing / classes
    terms = scores * target
    if weight is not None:
        terms = terms * _along(weight, dim, scores.dim())
    losses = -F.sum(terms, dim)
    if reduction == "mean":
        return F.sum(losses) / max(scores.numel() // max(classes, 1), 1)
    return reduced(F, losses, reduction)


def _along(weight, dim: int, rank: int):
    return weight if rank == 1 else weight.reshape([-1 if i == dim else 1 for i in range(rank)])


def _smoothed(F, scores, target, weight, ignore_index, reduction, smoothing, dim):
    classes = scores.shape[dim]
    likelihood, total = F.negative_log_likelihood(scores, target, weight, ignore_index, reduction)
    check_classes(scores, target, weight, ignore_index)
    weighted = scores if weight is None else scores * _along(weight, dim, scores.dim())
    spread = -F.sum(weighted, dim)
    spread = F.where(target == ignore_index, F.zeros_of(spread), spread)
    if reduction == "mean":
        spread = F.sum(spread) / total
    else:
        spread = reduced(F, spread, reduction)
    return likelihood * (1 - smoothing) + spread * (smoothing / classes)


@op(spaces=(), dtype="promote", out=False)
class weighted_binary_cross_entropy:
    """-(y log x + (1 - y) log(1 - x)), the logarithms no lower than -100, weighted and reduced."""

    def forward(xp, input: Tensor, target: Tensor, weight: Constant | None, reduction):
        if input.size and (input.min() < 0 or input.max() > 1):
            raise RuntimeError("all elements of input should be between 0 and 1")
        losses = (target - 1) * xp.maximum(xp.log1p(-input), -100) - target * xp.maximum(xp.log(input), -100)
        return collected(xp, losses if weight is None else losses * weight, reduction)

    def d_input(F, g, input, target, weight, input_shape, reduction):
        scaled = shared_out(F, g, input_shape, reduction) * (1 if weight is None else weight)
        return scaled * ((input - target) / F.clamp(input * (1 - input), 1e-12))

    def d_target(F, g, input, weight, input_shape, reduction):
        scaled = shared_out(F, g, input_shape, reduction) * (1 if weight is None else weight)
        return scaled * (F.clamp(F.log1p(-input), -100) - F.clamp(F.log(input), -100))

    node = "BinaryCrossEntropyBackward0"
    samples = lambda r: [(r(2, 3).sigmoid(), r(2, 3).sigmoid(), None, "mean"), (r(3).sigmoid(), r(3), None, "sum")]


@composite(spaces=("nn.functional",))
def binary_cross_entropy(F, input, target, weight=None, reduction="mean"):
    """-(y log x + (1 - y) log(1 - x)) of probabilities x."""
    if weight is not None:
        weight = F.expand(weight, input.shape)
    return F.weighted_binary_cross_entropy(input, target, weight, reduction)


@op(dtype="promote", method=None, out=False)
class binary_cross_entropy_with_logits:
    """(1 - y) x + l log(1 + exp(-x)) with l = 1 + (p - 1) y: binary cross entropy of a sigmoid, stable for every x."""

    def forward(
        xp,
        input: Tensor,
        target: Tensor,
        weight: Constant | None = None,
        pos_weight: Constant | None = None,
        reduction="mean",
    ):
        softplus = xp.maximum(-input, 0) + xp.log1p(xp.exp(-xp.abs(input)))
        share = 1 if pos_weight is None else (pos_weight - 1) * target + 1
        losses = (1 - target) * input + share * softplus
        return collected(xp, losses if weight is None else losses * weight, reduction)

    def d_input(F, g, input, target, weight, pos_weight, input_shape, reduction):
        share = 1 if pos_weight is None else (pos_weight - 1) * target + 1
        scaled = shared_out(F, g, input_shape, reduction) * (1 if weight is None else weight)
        return scaled * ((1 - target) - share * F.sigmoid(-input))

    def d_target(F, g, input, weight, pos_weight, input_shape, reduction):
        scaled = shared_out(F, g, input_shape, reduction) * (1 if weight is None else weight)
        rewarded = 0 if pos_weight is None else (pos_weight - 1) * F.softplus(-input)
        return scaled * (rewarded - input)

    samples = lambda r: [
        (r(2, 3), r(2, 3).sigmoid()),
        (r(3), r(3).sigmoid(), None, r.positive(3).detach(), "sum"),
        (r(2, 3), r(2, 3), r.positive(3).detach(), None, "none"),
    ]


# ---- margins and rankings


@composite(method=None, samples=lambda r: [(r(2, 3), r(2, 3)), (r(2, 3), r.positive(2, 3), "sum")])
def kl_div(F, input, target, reduction="mean", *, log_target=False):
    """target (log target - input): the divergence of Kullback and Leibler, `input` being log-probabilities."""
    if log_target:
        return reduced(F, F.exp(target) * (target - input), reduction)
    return reduced(F, F.xlogy(target, target) - target * input, reduction)


@composite(method=None)
def hinge_embedding_loss(F, input, target, margin=1.0, reduction="mean"):
    """`input` where the target is 1, max(0, margin - input) where it is -1."""
    zeros = F.zeros_of(input)
    apart = F.where(target != 1, F.clamp_min(margin - input, 0), zeros)
    return reduced(F, apart + F.where(target != -1, input, zeros), reduction)


@composite(spaces=("nn.functional",))
def soft_margin_loss(F, input, target, reduction="mean"):
    """log(1 + exp(-target * input))."""
    return reduced(F, F.log1p(F.exp(-target * input)), reduction)


@composite(method=None)
def margin_ranking_loss(F, input1, input2, target, margin=0.0, reduction="mean"):
    """max(0, -target (input1 - input2) + margin)."""
    return reduced(F, F.clamp_min(-target * (input1 - input2) + margin, 0), reduction)


@composite(method=None)
def cosine_embedding_loss(F, input1, input2, target, margin=0.0, reduction="mean"):
    """1 - cos where the target is 1, max(0, cos - margin) where it is -1."""
    if target.dim() not in (0, 1):
        raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
    if target.dim() == 1 and input1.dim() != 2:
        raise RuntimeError(
            "1D target tensor expects 2D input tensors, but found inputs with sizes "
            f"{list(input1.shape)} and {list(input2.shape)}."
        )
    cosine = F.cosine_similarity(input1, input2, 1 if target.dim() else 0, 1e-12**0.5)
    zeros = F.zeros_of(cosine)
    losses = F.where(target == 1, 1 - cosine, zeros) + F.where(target == -1, F.clamp_min(cosine - margin, 0), zeros)
    return reduced(F, losses, reduction)


@composite(method=None)
def poisson_nll_loss(F, input, target, log_input, full, eps, reduction):
    """exp(input) - target * input, or input - target log(input); `full` adds Stirling's approximation."""
    losses = F.exp(input) - target * input if log_input else input - target * F.log(input + eps)
    if full:
        stirling = target * F.log(target) - target + F.log(target * 6.283185307179586) * 0.5
        losses = losses + F.masked_fill(stirling, target <= 1, 0)
    return reduced(F, losses, reduction)
