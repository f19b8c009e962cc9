"""The graph of gradients that follow from an input in steps, or not at all: they lead back there, and are flat."""

import pytest

IMAGE = (1, 2, 4, 4)
FLAT = {
    "max_pool1d": ((1, 2, 4), lambda F, x: F.max_pool1d(x, 2)),
    "max_pool2d": (IMAGE, lambda F, x: F.max_pool2d(x, 2)),
    "max_pool3d": ((1, *IMAGE), lambda F, x: F.max_pool3d(x, 2)),
    "avg_pool2d": (IMAGE, lambda F, x: F.avg_pool2d(x, 2)),
    "adaptive_max_pool2d": (IMAGE, lambda F, x: F.adaptive_max_pool2d(x, 3)),
    "adaptive_avg_pool2d": (IMAGE, lambda F, x: F.adaptive_avg_pool2d(x, 3)),
    "max_unpool2d": (IMAGE, lambda F, x: F.max_unpool2d(*F.max_pool2d(x, 2, return_indices=True), 2)),
    "fractional_max_pool2d": (IMAGE, lambda F, x: F.fractional_max_pool2d(x, 2, output_size=2)),
    "reflect": (IMAGE, lambda F, x: F.pad(x, (1, 1, 1, 1), mode="reflect")),
    "replicate": (IMAGE, lambda F, x: F.pad(x, (1, 1, 0, 1), mode="replicate")),
    "relu": (IMAGE, lambda F, x: F.relu(x)),
    "hardtanh": (IMAGE, lambda F, x: F.hardtanh(x)),
    "prelu": (IMAGE, lambda F, x: F.prelu(x, x.detach()[0, :, 0, 0])),
}


def gradient(torch, x, y):
    (result,) = torch.autograd.grad(y, x, torch.ones_like(y), create_graph=True)
    return result


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
@pytest.mark.parametrize("name", FLAT)
def test_the_gradient_leads_back_to_the_input_where_it_is_zero(torch, name, dtype):
    shape, function = FLAT[name]
    if (name, dtype) == ("fractional_max_pool2d", "bfloat16") or name.startswith("adaptive_max"):
        dtype = "float64"  # PyTorch has no other here
    x = torch.randn(shape).to(getattr(torch, dtype)).requires_grad_()
    first = gradient(torch, x, function(torch.nn.functional, x))
    assert first.requires_grad
    (second,) = torch.autograd.grad(first.sum(), x)
    assert second.dtype is x.dtype and second.shape == x.shape and not second.any()


@pytest.mark.parametrize("shape", [(3, 4), (2, 4, 2, 2)])
def test_the_gradient_of_likelihood_leads_back_to_the_scores(torch, shape):
    x = torch.randn(shape, requires_grad=True)
    target = torch.zeros(shape[:1] + shape[2:], dtype=torch.int64)
    first = gradient(torch, x, torch.nn.functional.nll_loss(x, target))
    first.sum().backward()
    assert not x.grad.any()


def test_the_gradient_of_a_slope_leads_back_to_it(torch):
    weight = torch.tensor([0.25], requires_grad=True)
    first = gradient(torch, weight, torch.nn.functional.prelu(torch.tensor([[-2.0], [3.0]]), weight))
    assert first.tolist() == [-2.0]
    first.backward()
    assert weight.grad.tolist() == [0.0]


def test_what_has_a_graph_already_keeps_its_own(torch):
    x = torch.randn(IMAGE, requires_grad=True)
    first = gradient(torch, x, torch.nn.functional.avg_pool2d(x, 2) ** 2)
    (second,) = torch.autograd.grad(first.sum(), x)
    assert torch.allclose(second, torch.full(IMAGE, 0.5))
