"""Single convolutions, forward and backward. The floor is that of products, which Winograd's method may beat."""

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


def layer_on(torch, layer, sizes, settings, shape):
    """Returns a step of a layer, forward and backward, on inputs of a shape."""
    torch.manual_seed(0)
    made, x = layer(*sizes, **settings), normal(torch, *shape, requires_grad=True)
    return backward_of(lambda: made(x), normal(torch, *made(x).shape), x, *made.parameters())


@case(BOUND, Floor(flops=3 * 2 * 16 * 15992 * 64 * 64 * 9), 1e-3)
def conv1d(torch):
    """Conv1d(64, 64, 9) on 16 x 64 x 16000, fwd+bwd."""
    return layer_on(torch, torch.nn.Conv1d, (64, 64, 9), {}, (16, 64, 16000))


@case(BOUND, Floor(flops=3 * 2 * 16 * 28 * 28 * 128 * 9))
def depthwise(torch):
    """A depthwise 3 x 3 convolution on 16 x 128 x 28 x 28, fwd+bwd."""
    return layer_on(torch, torch.nn.Conv2d, (128, 128, 3), {"padding": 1, "groups": 128}, (16, 128, 28, 28))


@case(BOUND, Floor(flops=3 * 2 * 8 * 28 * 28 * 64 * 8 * 9))
def grouped(torch):
    """A 3 x 3 convolution of 64 channels in 8 groups on 8 x 64 x 28 x 28, fwd+bwd."""
    return layer_on(torch, torch.nn.Conv2d, (64, 64, 3), {"padding": 1, "groups": 8}, (8, 64, 28, 28))


@case(BOUND, Floor(flops=3 * 2 * 16 * 28 * 28 * 64 * 128 * 9))
def strided(torch):
    """A 3 x 3 convolution of stride 2 from 64 to 128 channels on 16 x 64 x 56 x 56, fwd+bwd."""
    return layer_on(torch, torch.nn.Conv2d, (64, 128, 3), {"stride": 2, "padding": 1}, (16, 64, 56, 56))


@case(BOUND, Floor(flops=3 * 2 * 8 * 28 * 28 * 128 * 64 * 4))
def transposed(torch):
    """A transposed 2 x 2 convolution of stride 2 from 128 to 64 channels on 8 x 128 x 28 x 28, fwd+bwd."""
    return layer_on(torch, torch.nn.ConvTranspose2d, (128, 64, 2), {"stride": 2}, (8, 128, 28, 28))


CASES = [residual_block, conv1d, depthwise, grouped, strided, transposed]
