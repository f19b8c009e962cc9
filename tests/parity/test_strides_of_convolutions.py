"""Strides of convolutions and their gradients, where dimensions of size 1 may have any."""

import itertools

import pytest

SHAPES = list(itertools.product((1, 2), (1, 2), (1, 3)))  # batch, channels, channels of the result


@pytest.mark.parametrize("spatial", [1, 2, 3])
@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize("dtype", ["float32", "float64", "bfloat16"])
def test_strides_are_those_of_pytorch(pytorch, spatial, transposed, dtype):
    import rushlight

    def strides(torch, batch, channels, out, size):
        kind = getattr(torch, dtype)
        pair = (channels, out) if transposed else (out, channels)
        x = torch.ones(batch, channels, *[size] * spatial, dtype=kind, requires_grad=True)
        w = torch.ones(*pair, *[2] * spatial, dtype=kind, requires_grad=True)
        function = getattr(torch.nn.functional, f"conv{'_transpose' if transposed else ''}{spatial}d")
        options = {"dilation": 2, "output_padding": 1} if transposed else {}
        y = function(x, w, **options)
        return [each.stride() for each in (y, *torch.autograd.grad(y.sum(), (x, w)))]

    for (batch, channels, out), size in itertools.product(SHAPES, (2, 4)):
        case = batch, channels, out, size
        assert strides(rushlight, *case) == strides(pytorch, *case), case
