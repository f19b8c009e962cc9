"""Normalizes over the batches of several processes, for `SyncBatchNorm`."""

from __future__ import annotations

from typing import Any

from rushlight import distributed as dist
from rushlight._generated import functions as F
from rushlight.autograd.function import Function
from rushlight.core.dtype import float32, float64
from rushlight.core.tensor import Tensor
from rushlight.create.filled import empty

__all__ = ["SyncedNormalization"]


class SyncedNormalization(Function):
    """Normalizes each channel by mean and variance over all processes; one exchange forward, one backward."""

    @staticmethod
    def forward(
        ctx: Any, input: Tensor, weight: Any, bias: Any, mean: Any, variance: Any, eps: float, factor: float, group: Any
    ) -> Tensor:
        wide = input.to(float64 if input.dtype is float64 else float32)
        dims = [dim for dim in range(input.ndim) if dim != 1]
        channels = [1, -1] + [1] * (input.ndim - 2)
        center, squares, count = combined(*own_statistics(wide, dims, channels), group)
        scale = F.rsqrt(squares / count + eps)
        if mean is not None:
            mean.lerp_(center.to(mean.dtype), factor)
            variance.lerp_((squares / (count - 1)).to(variance.dtype), factor)
        ctx.save_for_backward(input, weight, center, scale)
        ctx.settings = dims, channels, count, group
        result = (wide - center.view(channels)) * scale.view(channels)
        result = result if weight is None else result * weight.view(channels)
        result = result if bias is None else result + bias.view(channels)
        return result.to(input.dtype)

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> tuple:
        input, weight, center, scale = ctx.saved_tensors
        dims, channels, count, group = ctx.settings
        gradient = gradients[0].to(center.dtype)
        centered = input.to(center.dtype) - center.view(channels)
        sums = F.stack([gradient.sum(dims), (gradient * centered).sum(dims)])
        d_weight = None if weight is None else (sums[1] * scale).to(weight.dtype)
        d_bias = sums[0].to(input.dtype if weight is None else weight.dtype) if ctx.needs_input_grad[2] else None
        d_input = None
        if ctx.needs_input_grad[0]:
            everywhere = sums.clone()
            dist.all_reduce(everywhere, group=group)
            total, product = everywhere / count
            slope = scale if weight is None else scale * weight
            fall = centered * (scale * scale * product).view(channels)
            d_input = ((gradient - total.view(channels) - fall) * slope.view(channels)).to(input.dtype)
        return d_input, d_weight, d_bias, None, None, None, None, None


def own_statistics(input: Tensor, dims: list[int], channels: list[int]) -> tuple[Tensor, Tensor, int]:
    """Returns the mean, the sum of squared deviations and the number of elements per channel in this process."""
    count = input.numel() // input.shape[1]
    center = input.sum(dims) / max(count, 1)
    return center, ((input - center.view(channels)) ** 2).sum(dims), count


def combined(center: Tensor, squares: Tensor, count: int, group: Any) -> tuple[Tensor, Tensor, int]:
    """Returns the same over all processes, without the loss of digits of a sum of squares."""
    own = F.cat([center, squares, center.new_full((1,), count)])
    every = [empty(own.shape, dtype=own.dtype, device=own.device) for _ in range(dist.get_world_size(group))]
    dist.all_gather(every, own, group=group)
    rows = F.stack(every)  # (processes, 2 * channels + 1)
    counts, centers, deviations = rows[:, -1:], rows[:, : center.numel()], rows[:, center.numel() : -1]
    total = counts.sum()
    mean = (counts * centers).sum(0) / total
    return mean, (deviations + counts * (centers - mean) ** 2).sum(0), int(total)
