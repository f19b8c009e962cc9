"""Images whose channels come last: results lie in memory as PyTorch's, and hold the same numbers, small and large.

Large ones are worked on by kernels where the extra jit is installed; it takes a few calls until they are.
"""

import numpy as np
import pytest

import rushlight

LAYERS = {
    "max_pool2d": lambda f, x: f.max_pool2d(x, 3, 2, 1),
    "max_pool2d, dilated, ceil": lambda f, x: f.max_pool2d(x, (2, 3), 2, 1, 2, ceil_mode=True),
    "adaptive_max_pool2d": lambda f, x: f.adaptive_max_pool2d(x, (3, 4)),
    "avg_pool2d": lambda f, x: f.avg_pool2d(x, 2),
    "avg_pool2d, overlapping": lambda f, x: f.avg_pool2d(x, 3, 2, 1, ceil_mode=True, count_include_pad=False),
    "avg_pool2d, divisor": lambda f, x: f.avg_pool2d(x, 3, 1, 1, divisor_override=5),
    "adaptive_avg_pool2d": lambda f, x: f.adaptive_avg_pool2d(x, (3, 5)),
    "nearest": lambda f, x: f.interpolate(x, size=(13, 7)),
    "bilinear": lambda f, x: f.interpolate(x, scale_factor=2, mode="bilinear"),
    "bicubic": lambda f, x: f.interpolate(x, size=(13, 7), mode="bicubic"),
    "constant": lambda f, x: f.pad(x, (1, -2, 3, 0), value=2.0),
    "reflect": lambda f, x: f.pad(x, (1, 2, 3, 0), mode="reflect"),
    "replicate": lambda f, x: f.pad(x, (1, 2, -1, 12), mode="replicate"),
    "circular": lambda f, x: f.pad(x, (1, 2, 3, 0), mode="circular"),
    "batch_norm": lambda f, x: f.batch_norm(x, None, None, training=True),
    "group_norm": lambda f, x: f.group_norm(x, 1),
}
SPECIAL = [name for name in LAYERS if not name.endswith("_norm")]


@pytest.fixture(autouse=True, scope="module")
def kernels():
    """Machine code takes over with the first large array, where there is any."""
    rushlight.relu(rushlight.zeros(1 << 20))


def drawn(shape, dtype="float32", order=(0, 2, 3, 1)):
    """Numbers whose dimensions lie in that order."""
    memory = np.random.default_rng(0).standard_normal([shape[dim] for dim in order]).astype(dtype)
    return memory.transpose(np.argsort(order))


def alike(found, expected, dtype="float32"):
    assert found.shape == expected.shape
    if 1 not in found.shape:  # where strides mean nothing
        assert found.stride() == expected.stride()
    # float32: sums of windows and of channels are taken in another order.
    bounds = {"rtol": 1e-4, "atol": 1e-5} if dtype == "float32" else {"rtol": 1e-9, "atol": 1e-12}
    np.testing.assert_allclose(found.detach().numpy(), expected.detach().numpy(), **bounds)


def both_ways(pytorch, layer, array, dtype="float32"):
    """The layer and its gradient for the image, of rushlight and of PyTorch."""
    results = []
    for torch in (rushlight, pytorch):
        x = torch.from_numpy(array.copy("K")).requires_grad_()
        y = layer(torch.nn.functional, x)
        g = torch.from_numpy(drawn(tuple(y.shape), dtype))
        results.append((y, *torch.autograd.grad(y, x, g)))
    for found, expected in zip(*results, strict=True):
        alike(found, expected, dtype)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("shape", [(2, 3, 9, 10), (2, 17, 12, 15), (2, 64, 24, 20)], ids=str)
@pytest.mark.parametrize("name", LAYERS)
def test_layers_keep_channels_last(name, shape, dtype, pytorch):
    for _ in range(4):
        both_ways(pytorch, LAYERS[name], drawn(shape, dtype), dtype)


@pytest.mark.parametrize("order", [(1, 2, 3, 0), (0, 1, 3, 2), (3, 2, 1, 0)], ids=str)
@pytest.mark.parametrize("name", LAYERS)
def test_other_orders_give_the_order_of_dimensions(name, order, pytorch):
    image = drawn((2, 3, 9, 10), order=order)
    ours, theirs = (LAYERS[name](torch.nn.functional, torch.from_numpy(image)) for torch in (rushlight, pytorch))
    alike(ours, theirs)


@pytest.mark.parametrize("name", SPECIAL)
def test_gaps_and_images_without_a_batch(name, pytorch):
    image = drawn((2, 6, 9, 20))
    batched = name in ("nearest", "bilinear", "bicubic")
    for view in (image[:, :, :, ::2], image[:, ::2], image[:1], image[0]):
        if view.ndim == 4 or not batched:
            ours, theirs = (LAYERS[name](torch.nn.functional, torch.from_numpy(view)) for torch in (rushlight, pytorch))
            alike(ours, theirs)


@pytest.mark.parametrize("name", SPECIAL)
def test_infinities_stay_where_pytorch_has_them(name, pytorch):
    image = drawn((2, 32, 16, 16))
    image[0, 0, :3, :4], image[1, 1], image[1, 2, 3, 3] = np.nan, -np.inf, np.inf
    for _ in range(4):
        ours, theirs = (LAYERS[name](torch.nn.functional, torch.from_numpy(image)) for torch in (rushlight, pytorch))
        alike(ours, theirs)


def test_places_of_maxima(pytorch):
    image = np.round(drawn((2, 20, 16, 16)))  # with ties
    for _ in range(4):
        ours, theirs = (
            torch.nn.functional.max_pool2d(torch.from_numpy(image), 3, 2, 1, return_indices=True)
            for torch in (rushlight, pytorch)
        )
        for found, expected in zip(ours, theirs, strict=True):
            alike(found, expected)


@pytest.mark.parametrize("output_size", [(7, 5), (4, 4), (1, 1), (20, 3)], ids=str)
@pytest.mark.parametrize("order", [(0, 2, 3, 1), (0, 1, 2, 3)], ids=["channels last", "in order"])
def test_adaptive_maxima_of_large_images(order, output_size, pytorch):
    image = np.round(drawn((4, 20, 16, 16), order=order))
    image[0, 0, 2, 2:6] = np.nan
    for _ in range(4):
        ours, theirs = (
            torch.nn.functional.adaptive_max_pool2d(torch.from_numpy(image), output_size, return_indices=True)
            for torch in (rushlight, pytorch)
        )
        for found, expected in zip(ours, theirs, strict=True):
            alike(found, expected)


CONVOLUTIONS = {
    "points": ((24, 20, 1, 1), {}),
    "points, two steps": ((24, 20, 1, 1), {"stride": 2}),
    "three by three": ((24, 20, 3, 3), {"padding": 1}),
    "two steps": ((24, 20, 3, 3), {"padding": 1, "stride": 2}),
    "depthwise": ((20, 1, 3, 3), {"padding": 1, "groups": 20}),
    "whole": ((24, 20, 16, 12), {}),
}


@pytest.mark.parametrize("last", ["input", "weight", "both"])
@pytest.mark.parametrize("name", CONVOLUTIONS)
@pytest.mark.parametrize("batch", [1, 6])
def test_convolutions_keep_channels_last(name, batch, last, pytorch):
    shape, settings = CONVOLUTIONS[name]
    image = drawn((batch, 20, 16, 12), order=(0, 1, 2, 3) if last == "weight" else (0, 2, 3, 1))
    kernel = drawn(shape, order=(0, 1, 2, 3) if last == "input" else (0, 2, 3, 1)) / 10
    results = []
    for torch in (rushlight, pytorch):
        x, w, b = (
            torch.from_numpy(each.copy("K")).requires_grad_() for each in (image, kernel, drawn(shape[:1], order=[0]))
        )
        y = torch.nn.functional.conv2d(x, w, b, **settings)
        y.backward(torch.from_numpy(drawn(tuple(y.shape))))
        results.append((y, x.grad, w.grad, b.grad))
    (found, *ours), (expected, *theirs) = results
    if 1 not in found.shape:
        assert found.stride() == expected.stride()
    # Winograd's sums have another order than PyTorch's, and the kernel's gradient is one of 1,152 products.
    for one, other in zip((found, *ours), (expected, *theirs), strict=True):
        np.testing.assert_allclose(one.detach().numpy(), other.detach().numpy(), rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("channels", [(3, 5), (16, 32), (64, 64)], ids=str)
@pytest.mark.parametrize("dim", [0, 1, 2, -1])
def test_joined_channels_stay_last(dim, channels, pytorch):
    images = [drawn((2, channels[0] if dim != 1 else many, 24, 20)) for many in channels]
    alike(*(torch.cat([torch.from_numpy(each) for each in images], dim) for torch in (rushlight, pytorch)))
