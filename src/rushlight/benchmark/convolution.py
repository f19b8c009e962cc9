"""Convolutions by themselves, forward and backward. The floor is that of products, which Winograd's method may beat."""

from __future__ import annotations

from rushlight.benchmark.case import Floor, case
from rushlight.benchmark.models import residual
from rushlight.benchmark.pointwise import backward_of, normal

BOUND = 1.0


@case(BOUND, Floor(flops=2 * 3 * 2 * 16 * 28 * 28 * 128 * 128 * 9), 5e-3, by_norm=True)
def residual_block(torch):
    """A residual block of 128 channels on 16 x 128 x 28 x 28, fwd+bwd."""
    torch.manual_seed(0)
    block = residual(torch)
    x = normal(torch, 16, 128, 28, 28, requires_grad=True)
    return backward_of(lambda: block(x), normal(torch, 16, 128, 28, 28), x, *block.parameters())


@case(BOUND, Floor(flops=3 * 2 * 16 * 15992 * 64 * 64 * 9), 1e-3)
def conv1d(torch):
    """Conv1d(64, 64, 9) on 16 x 64 x 16000, fwd+bwd."""
    torch.manual_seed(0)
    layer = torch.nn.Conv1d(64, 64, 9)
    x = normal(torch, 16, 64, 16000, requires_grad=True)
    return backward_of(lambda: layer(x), normal(torch, 16, 64, 15992), x, *layer.parameters())


@case(None, Floor(flops=3 * 2 * 16 * 28 * 28 * 128 * 9))
def depthwise(torch):
    """A depthwise 3 x 3 convolution on 16 x 128 x 28 x 28, fwd+bwd."""
    torch.manual_seed(0)
    layer = torch.nn.Conv2d(128, 128, 3, padding=1, groups=128)
    x = normal(torch, 16, 128, 28, 28, requires_grad=True)
    return backward_of(lambda: layer(x), normal(torch, 16, 128, 28, 28), x, *layer.parameters())


CASES = [residual_block, conv1d, depthwise]
