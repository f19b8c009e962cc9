"""`torch.nn.functional`: the operations on tensors that layers are made of, with PyTorch's arguments and checks.

The mathematics is in the ops. Here are arguments that only choose between two of them (`inplace`, `return_indices`,
`size_average`), checks that PyTorch makes before it begins, and what it puts together from other functions in Python.
"""

import math
import warnings

from rushlight._generated import functions
from rushlight.autograd.grad_mode import no_grad
from rushlight.core.tensor import Tensor
from rushlight.dispatch.create import empty_like, ones_like, zeros_like

from ._reduction import chosen
from .multi_head_attention import multi_head_attention_forward as multi_head_attention_forward

# Those that need no more than the operation itself.
adaptive_avg_pool1d = functions.adaptive_avg_pool1d
adaptive_avg_pool2d = functions.adaptive_avg_pool2d
adaptive_avg_pool3d = functions.adaptive_avg_pool3d
avg_pool1d = functions.avg_pool1d
avg_pool2d = functions.avg_pool2d
avg_pool3d = functions.avg_pool3d
bilinear = functions.bilinear
celu_ = functions.celu_
conv1d = functions.conv1d
conv2d = functions.conv2d
conv3d = functions.conv3d
conv_transpose1d = functions.conv_transpose1d
conv_transpose2d = functions.conv_transpose2d
conv_transpose3d = functions.conv_transpose3d
cosine_similarity = functions.cosine_similarity
elu_ = functions.elu_
gelu = functions.gelu
hardshrink = functions.hardshrink
hardtanh_ = functions.hardtanh_
instance_norm = functions.instance_norm
leaky_relu_ = functions.leaky_relu_
linear = functions.linear
local_response_norm = functions.local_response_norm
logsigmoid = functions.logsigmoid
lp_pool1d = functions.lp_pool1d
lp_pool2d = functions.lp_pool2d
lp_pool3d = functions.lp_pool3d
max_unpool1d = functions.max_unpool1d
max_unpool2d = functions.max_unpool2d
max_unpool3d = functions.max_unpool3d
normalize = functions.normalize
one_hot = functions.one_hot
pad = functions.pad
pairwise_distance = functions.pairwise_distance
pdist = functions.pdist
prelu = functions.prelu
relu_ = functions.relu_
rms_norm = functions.rms_norm
rrelu_ = functions.rrelu_
selu_ = functions.selu_
sigmoid = functions.sigmoid
softplus = functions.softplus
softshrink = functions.softshrink
softsign = functions.softsign
tanh = functions.tanh
tanhshrink = functions.tanhshrink
threshold_ = functions.threshold_

MISMATCH = (
    "Using a target size ({}) that is different to the input size ({}). This will likely lead to incorrect results due "
    "to broadcasting. Please ensure they have the same size."
)


def threshold(input: Tensor, threshold: float, value: float, inplace: bool = False) -> Tensor:
    """The input where it is greater than `threshold`, otherwise `value`."""
    return (functions.threshold_ if inplace else functions.threshold)(input, threshold, value)


def relu(input: Tensor, inplace: bool = False) -> Tensor:
    """The input where it is positive, otherwise 0."""
    return functions.relu_(input) if inplace else functions.relu(input)


def glu(input: Tensor, dim: int = -1) -> Tensor:
    """The first half of the input along `dim` times the sigmoid of the second."""
    if input.dim() == 0:
        raise RuntimeError("glu does not support scalars because halving size must be even")
    return functions.glu(input, dim)


def hardtanh(input: Tensor, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> Tensor:
    """The input, cut off at `min_val` and `max_val`."""
    if min_val > max_val:
        raise ValueError("min_val cannot be greater than max_val")
    return (functions.hardtanh_ if inplace else functions.hardtanh)(input, min_val, max_val)


def relu6(input: Tensor, inplace: bool = False) -> Tensor:
    """The input, cut off at 0 and 6."""
    return (functions.hardtanh_ if inplace else functions.hardtanh)(input, 0.0, 6.0)


def elu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """The input where it is positive, otherwise `alpha * (exp(input) - 1)`."""
    return (functions.elu_ if inplace else functions.elu)(input, alpha)


def selu(input: Tensor, inplace: bool = False) -> Tensor:
    """The scaled `elu` of self-normalising networks (Klambauer et al., 2017)."""
    return functions.selu_(input) if inplace else functions.selu(input)


def celu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """The input where it is positive, otherwise `alpha * (exp(input / alpha) - 1)`."""
    return (functions.celu_ if inplace else functions.celu)(input, alpha)


def leaky_relu(input: Tensor, negative_slope: float = 0.01, inplace: bool = False) -> Tensor:
    """The input where it is positive, otherwise `negative_slope * input`."""
    return (functions.leaky_relu_ if inplace else functions.leaky_relu)(input, negative_slope)


def rrelu(
    input: Tensor, lower: float = 1.0 / 8, upper: float = 1.0 / 3, training: bool = False, inplace: bool = False
) -> Tensor:
    """A rectifier with a slope drawn from between `lower` and `upper` in training, their mean otherwise."""
    return (functions.rrelu_ if inplace else functions.rrelu)(input, lower, upper, training)


def hardsigmoid(input: Tensor, inplace: bool = False) -> Tensor:
    """`clamp(input / 6 + 1 / 2, 0, 1)`."""
    return functions.hardsigmoid_(input) if inplace else functions.hardsigmoid(input)


def silu(input: Tensor, inplace: bool = False) -> Tensor:
    """`input * sigmoid(input)`."""
    return functions.silu_(input) if inplace else functions.silu(input)


def mish(input: Tensor, inplace: bool = False) -> Tensor:
    """`input * tanh(softplus(input))`."""
    return functions.mish_(input) if inplace else functions.mish(input)


def hardswish(input: Tensor, inplace: bool = False) -> Tensor:
    """`input * clamp(input + 3, 0, 6) / 6`."""
    return functions.hardswish_(input) if inplace else functions.hardswish(input)


def _get_softmax_dim(name, ndim, stacklevel):
    warnings.warn(
        f"Implicit dimension choice for {name} has been deprecated. Change the call to include dim=X as an argument.",
        stacklevel=stacklevel,
    )
    return 0 if ndim in (0, 1, 3) else 1


def softmax(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype=None) -> Tensor:
    """Exponentials divided by their sum along `dim`."""
    if dim is None:
        dim = _get_softmax_dim("softmax", input.dim(), _stacklevel)
    return functions.softmax(input, dim, dtype=dtype)


def softmin(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype=None) -> Tensor:
    """`softmax(-input)`."""
    if dim is None:
        dim = _get_softmax_dim("softmin", input.dim(), _stacklevel)
    return functions.softmax(-input, dim, dtype=dtype)


def log_softmax(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype=None) -> Tensor:
    """The logarithm of the softmax along `dim`."""
    if dim is None:
        dim = _get_softmax_dim("log_softmax", input.dim(), _stacklevel)
    return functions.log_softmax(input, dim, dtype=dtype)


def _check_probability(p):
    if p < 0.0 or p > 1.0:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")


def dropout(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """In training zeroes each element with probability `p` and multiplies the others by `1 / (1 - p)`."""
    _check_probability(p)
    return (functions.dropout_ if inplace else functions.dropout)(input, p, training)


def alpha_dropout(input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False) -> Tensor:
    """Dropout that keeps mean and variance under `selu`."""
    _check_probability(p)
    return (functions.alpha_dropout_ if inplace else functions.alpha_dropout)(input, p, training)


def feature_alpha_dropout(input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False) -> Tensor:
    """`alpha_dropout` of whole channels."""
    _check_probability(p)
    return (functions.feature_alpha_dropout_ if inplace else functions.feature_alpha_dropout)(input, p, training)


def dropout1d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Dropout of whole channels of (N, C, L) or (C, L)."""
    _check_probability(p)
    if input.dim() not in (2, 3):
        raise RuntimeError(
            f"dropout1d: Expected 2D or 3D input, but received a {input.dim()}D input. Note that dropout1d exists to "
            "provide channel-wise dropout on inputs with 1 spatial dimension, a channel dimension, and an optional "
            "batch dimension (i.e. 2D or 3D inputs)."
        )
    return _batched_feature_dropout(input, p, training, inplace, input.dim() == 3)


def dropout2d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Dropout of whole channels of (N, C, H, W)."""
    _check_probability(p)
    _warn_of_rank("dropout2d", input.dim(), 2)
    if input.dim() == 3:
        warnings.warn(
            "dropout2d: Received a 3D input to dropout2d and assuming that channel-wise 1D dropout behavior is desired "
            "- input is interpreted as shape (N, C, L), where C is the channel dim. This behavior will change in a "
            "future release to interpret the input as one without a batch dimension, i.e. shape (C, H, W). To maintain "
            "the 1D channel-wise dropout behavior, please switch to using dropout1d instead.",
            stacklevel=2,
        )
    return _batched_feature_dropout(input, p, training, inplace, True)


def dropout3d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Dropout of whole channels of (N, C, D, H, W) or (C, D, H, W)."""
    _check_probability(p)
    _warn_of_rank("dropout3d", input.dim(), 3)
    return _batched_feature_dropout(input, p, training, inplace, input.dim() == 5)


def _warn_of_rank(name, rank, spatial):
    if rank not in (spatial + 1, spatial + 2):
        warnings.warn(
            f"{name}: Received a {rank}-D input to {name}, which is deprecated and will result in an error in a future "
            "release. To retain the behavior and silence this warning, please use dropout instead. Note that "
            f"{name} exists to provide channel-wise dropout on inputs with {spatial} spatial dimensions, a channel "
            f"dimension, and an optional batch dimension (i.e. {spatial + 1}D or {spatial + 2}D inputs).",
            stacklevel=3,
        )


def _batched_feature_dropout(input, p, training, inplace, batched):
    drop = functions.feature_dropout_ if inplace else functions.feature_dropout
    if batched:
        return drop(input, p, training)
    result = drop(input.unsqueeze(0), p, training).squeeze(0)
    return input if inplace else result


def embedding(
    input: Tensor,
    weight: Tensor,
    padding_idx: int | None = None,
    max_norm: float | None = None,
    norm_type: float = 2.0,
    scale_grad_by_freq: bool = False,
    sparse: bool = False,
) -> Tensor:
    """The rows of `weight` at the integers of `input`."""
    if padding_idx is not None:
        rows = weight.size(0)
        if padding_idx != 0 and not -rows <= padding_idx < rows:
            raise AssertionError("Padding_idx must be within num_embeddings")
        padding_idx = padding_idx % rows if padding_idx < 0 else padding_idx
    if max_norm is not None:
        with no_grad():
            functions.embedding_renorm_(weight, input, max_norm, norm_type)
    return functions.embedding(weight, input, -1 if padding_idx is None else padding_idx, scale_grad_by_freq, sparse)


def _verify_batch_size(size):
    count = size[0]
    for length in size[2:]:
        count *= length
    if count == 1:
        raise ValueError(f"Expected more than 1 value per channel when training, got input size {size}")


def batch_norm(
    input: Tensor,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Tensor:
    """Each channel less its mean over its deviation: of the batch in training, the running ones otherwise."""
    if training:
        _verify_batch_size(input.size())
    if training and eps <= 0.0:
        raise ValueError(f"batch_norm eps must be positive during training, but got {eps}")
    if eps < 0.0:
        raise ValueError(f"batch_norm eps must be non-negative, but got {eps}")
    return functions.batch_norm(input, running_mean, running_var, weight, bias, training, momentum, eps)


def layer_norm(
    input: Tensor,
    normalized_shape,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
) -> Tensor:
    """The last dimensions less their mean over their deviation."""
    return functions.layer_norm(input, normalized_shape, weight, bias, eps)


def group_norm(
    input: Tensor, num_groups: int, weight: Tensor | None = None, bias: Tensor | None = None, eps: float = 1e-5
) -> Tensor:
    """Each group of channels less its mean over its deviation."""
    if input.dim() < 2:
        raise RuntimeError(f"Expected at least 2 dimensions for input tensor but received {input.dim()}")
    _verify_batch_size([input.size(0) * input.size(1) // num_groups, num_groups, *input.size()[2:]])
    return functions.group_norm(input, num_groups, weight, bias, eps)


def max_pool1d(
    input: Tensor,
    kernel_size,
    stride=None,
    padding=0,
    dilation=1,
    ceil_mode: bool = False,
    return_indices: bool = False,
):
    """The largest value of each window of the last dimension; with `return_indices` also where it stood."""
    pool = functions.max_pool1d_with_indices if return_indices else functions.max_pool1d
    return pool(input, kernel_size, stride, padding, dilation, ceil_mode)


def max_pool2d(
    input: Tensor,
    kernel_size,
    stride=None,
    padding=0,
    dilation=1,
    ceil_mode: bool = False,
    return_indices: bool = False,
):
    """The largest value of each window of the last two dimensions; with `return_indices` also where it stood."""
    pool = functions.max_pool2d_with_indices if return_indices else functions.max_pool2d
    return pool(input, kernel_size, stride, padding, dilation, ceil_mode)


def max_pool3d(
    input: Tensor,
    kernel_size,
    stride=None,
    padding=0,
    dilation=1,
    ceil_mode: bool = False,
    return_indices: bool = False,
):
    """The largest value of each window of the last three dimensions; with `return_indices` also where it stood."""
    pool = functions.max_pool3d_with_indices if return_indices else functions.max_pool3d
    return pool(input, kernel_size, stride, padding, dilation, ceil_mode)


def adaptive_max_pool1d(input: Tensor, output_size, return_indices: bool = False):
    """The largest value of each of `output_size` windows; with `return_indices` also where it stood."""
    pooled = functions.adaptive_max_pool1d(input, output_size)
    return pooled if return_indices else pooled[0]


def adaptive_max_pool2d(input: Tensor, output_size, return_indices: bool = False):
    """The largest value of each of `output_size` windows; with `return_indices` also where it stood."""
    pooled = functions.adaptive_max_pool2d(input, output_size)
    return pooled if return_indices else pooled[0]


def adaptive_max_pool3d(input: Tensor, output_size, return_indices: bool = False):
    """The largest value of each of `output_size` windows; with `return_indices` also where it stood."""
    pooled = functions.adaptive_max_pool3d(input, output_size)
    return pooled if return_indices else pooled[0]


def _warn_of_broadcast(input, target):
    if target.shape != input.shape:
        warnings.warn(MISMATCH.format(target.size(), input.size()), stacklevel=3)


def _weighted(loss, weight, input, reduction, mean):
    """The reduction of `loss * weight`, where `mean` says what the sum is divided by."""
    if weight.shape != input.shape:
        raise ValueError("Weights and input must have the same size.")
    loss = loss * weight
    if reduction == "none":
        return loss
    return loss.sum() / mean(weight) if reduction == "mean" else loss.sum()


def l1_loss(
    input: Tensor,
    target: Tensor,
    size_average=None,
    reduce=None,
    reduction: str = "mean",
    weight: Tensor | None = None,
) -> Tensor:
    """The absolute difference."""
    _warn_of_broadcast(input, target)
    reduction = chosen(size_average, reduce, reduction)
    if weight is None:
        return functions.l1_loss(input, target, reduction)
    return _weighted(functions.l1_loss(input, target, "none"), weight, input, reduction, functions.sum)


def mse_loss(
    input: Tensor,
    target: Tensor,
    size_average=None,
    reduce=None,
    reduction: str = "mean",
    weight: Tensor | None = None,
) -> Tensor:
    """The squared difference."""
    _warn_of_broadcast(input, target)
    reduction = chosen(size_average, reduce, reduction)
    if weight is None:
        return functions.mse_loss(input, target, reduction)
    return _weighted(functions.mse_loss(input, target, "none"), weight, input, reduction, functions.sum)


def smooth_l1_loss(
    input: Tensor, target: Tensor, size_average=None, reduce=None, reduction: str = "mean", beta: float = 1.0
) -> Tensor:
    """The squared difference over `2 * beta` below `beta`, the absolute difference less `beta / 2` above."""
    _warn_of_broadcast(input, target)
    reduction = chosen(size_average, reduce, reduction)
    if beta == 0.0:
        return functions.l1_loss(input, target, reduction)
    return functions.smooth_l1_loss(input, target, reduction, beta)


def huber_loss(
    input: Tensor, target: Tensor, reduction: str = "mean", delta: float = 1.0, weight: Tensor | None = None
) -> Tensor:
    """Half the squared difference below `delta`, `delta` times the absolute difference less `delta / 2` above."""
    _warn_of_broadcast(input, target)
    reduction = chosen(None, None, reduction)
    if weight is None:
        return functions.huber_loss(input, target, reduction, delta)
    return _weighted(functions.huber_loss(input, target, "none", delta), weight, input, reduction, Tensor.numel)


def nll_loss(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average=None,
    ignore_index: int = -100,
    reduce=None,
    reduction: str = "mean",
) -> Tensor:
    """The negated log-probability of the target class."""
    return functions.nll_loss(input, target, weight, ignore_index, chosen(size_average, reduce, reduction))


def cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average=None,
    ignore_index: int = -100,
    reduce=None,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Tensor:
    """The cross entropy of softmax(input) and the target, which is class numbers or probabilities."""
    reduction = chosen(size_average, reduce, reduction)
    return functions.cross_entropy(input, target, weight, ignore_index, reduction, label_smoothing)


def binary_cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average=None,
    reduce=None,
    reduction: str = "mean",
) -> Tensor:
    """The cross entropy of two classes, of which the input is the probability of the second."""
    reduction = chosen(size_average, reduce, reduction)
    if target.shape != input.shape:
        raise ValueError(
            f"Using a target size ({target.size()}) that is different to the input size ({input.size()}) is "
            "deprecated. Please ensure they have the same size."
        )
    return functions.binary_cross_entropy(input, target, weight, reduction)


def binary_cross_entropy_with_logits(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average=None,
    reduce=None,
    reduction: str = "mean",
    pos_weight: Tensor | None = None,
) -> Tensor:
    """`binary_cross_entropy` of sigmoid(input), computed without overflow."""
    reduction = chosen(size_average, reduce, reduction)
    if target.shape != input.shape:
        raise ValueError(f"Target size ({target.size()}) must be the same as input size ({input.size()})")
    return functions.binary_cross_entropy_with_logits(input, target, weight, pos_weight, reduction)


def poisson_nll_loss(
    input: Tensor,
    target: Tensor,
    log_input: bool = True,
    full: bool = False,
    size_average=None,
    eps: float = 1e-8,
    reduce=None,
    reduction: str = "mean",
) -> Tensor:
    """The negated log-likelihood of counts under a Poisson distribution."""
    reduction = chosen(size_average, reduce, reduction)
    return functions.poisson_nll_loss(input, target, log_input, full, eps, reduction)


def kl_div(
    input: Tensor,
    target: Tensor,
    size_average=None,
    reduce=None,
    reduction: str = "mean",
    log_target: bool = False,
) -> Tensor:
    """The divergence of the target from exp(input); "batchmean" divides by the batch, as mathematics does."""
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
    size_average=None,
    reduce=None,
    reduction: str = "mean",
) -> Tensor:
    """The input where the target is 1, `max(0, margin - input)` where it is -1."""
    return functions.hinge_embedding_loss(input, target, margin, chosen(size_average, reduce, reduction))


def soft_margin_loss(input: Tensor, target: Tensor, size_average=None, reduce=None, reduction: str = "mean") -> Tensor:
    """`log(1 + exp(-target * input))`."""
    return functions.soft_margin_loss(input, target, chosen(size_average, reduce, reduction))


def margin_ranking_loss(
    input1: Tensor,
    input2: Tensor,
    target: Tensor,
    margin: float = 0,
    size_average=None,
    reduce=None,
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
    size_average=None,
    reduce=None,
    reduction: str = "mean",
) -> Tensor:
    """One less the cosine where the target is 1, the cosine beyond `margin` where it is -1."""
    return functions.cosine_embedding_loss(input1, input2, target, margin, chosen(size_average, reduce, reduction))


def _reduced(losses, reduction):
    return losses if reduction == "none" else losses.mean() if reduction == "mean" else losses.sum()


def multilabel_soft_margin_loss(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average=None,
    reduce=None,
    reduction: str = "mean",
) -> Tensor:
    """The mean over classes of the two-class cross entropy of sigmoid(input)."""
    reduction = chosen(size_average, reduce, reduction)
    losses = -(target * logsigmoid(input) + (1 - target) * logsigmoid(-input))
    return _reduced((losses if weight is None else losses * weight).mean(-1), reduction)


def gaussian_nll_loss(
    input: Tensor,
    target: Tensor,
    var: Tensor | float,
    full: bool = False,
    eps: float = 1e-6,
    reduction: str = "mean",
) -> Tensor:
    """The negated log-likelihood of the target under normal distributions of mean `input` and variance `var`.

    Variances count as `eps` where they are less, and their gradient does not notice.
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
    """Variances in a shape that fits the means: the same, or one for each row."""
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
    size_average=None,
    reduce=None,
    reduction: str = "mean",
) -> Tensor:
    """`max(0, margin + |anchor - positive| - |anchor - negative|)` with p-norms (Balntas et al., 2016)."""
    reduction = chosen(size_average, reduce, reduction)
    return _triplets(anchor, positive, negative, lambda a, b: pairwise_distance(a, b, p, eps), margin, swap, reduction)


def triplet_margin_with_distance_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    *,
    distance_function=None,
    margin: float = 1.0,
    swap: bool = False,
    reduction: str = "mean",
) -> Tensor:
    """`triplet_margin_loss` with any distance."""
    distance = pairwise_distance if distance_function is None else distance_function
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


def gumbel_softmax(logits: Tensor, tau: float = 1, hard: bool = False, eps: float = 1e-10, dim: int = -1) -> Tensor:
    """A draw from the categories of `logits` that has a gradient: the softmax of noisy logits over `tau`.

    With `hard` it is one-hot, with the gradient of the soft one (Jang et al., 2017).
    """
    if eps != 1e-10:
        warnings.warn("`eps` parameter is deprecated and has no effect.", stacklevel=2)
    noise = -empty_like(logits).exponential_().log()
    soft = functions.softmax((logits + noise) / tau, dim)
    if not hard:
        return soft
    largest = zeros_like(logits).scatter_(dim, soft.argmax(dim, keepdim=True), 1.0)
    return largest - soft.detach() + soft
