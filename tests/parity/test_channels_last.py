"""Images whose channels come last: results are laid out as PyTorch's, and hold the same values, small and large.

Large ones are worked on by kernels where the extra jit is installed; it takes a few calls until they are.
"""

import math

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
    "group_norm, a group for each": lambda f, x: f.group_norm(x, x.shape[1]),
}
SPECIAL = [name for name in LAYERS if "_norm" not in name]


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
    for result, expected in zip(*results, strict=True):
        alike(result, expected, dtype)


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


def test_positions_of_maxima(pytorch):
    image = np.round(drawn((2, 20, 16, 16)))  # with ties
    for _ in range(4):
        ours, theirs = (
            torch.nn.functional.max_pool2d(torch.from_numpy(image), 3, 2, 1, return_indices=True)
            for torch in (rushlight, pytorch)
        )
        for result, expected in zip(ours, theirs, strict=True):
            alike(result, expected)


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
        for result, expected in zip(ours, theirs, strict=True):
            alike(result, expected)


CONVOLUTIONS = {
    "points": ((24, 20, 1, 1), {}),
    "points, two steps": ((24, 20, 1, 1), {"stride": 2}),
    "points, uneven steps": ((24, 20, 1, 1), {"stride": (3, 1), "bias": False}),
    "three by three": ((24, 20, 3, 3), {"padding": 1}),
    "two steps": ((24, 20, 3, 3), {"padding": 1, "stride": 2}),
    "depthwise": ((20, 1, 3, 3), {"padding": 1, "groups": 20}),
    "depthwise, two steps": ((20, 1, 5, 3), {"padding": (2, 1), "stride": 2, "groups": 20, "bias": False}),
    "depthwise, dilated": ((20, 1, 3, 4), {"padding": 2, "stride": (3, 2), "dilation": (2, 3), "groups": 20}),
    "depthwise, several of each": ((40, 1, 3, 3), {"padding": 1, "groups": 20}),
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
        args = (x, w, b) if settings.get("bias", True) else (x, w)
        y = torch.nn.functional.conv2d(*args, **{key: each for key, each in settings.items() if key != "bias"})
        y.backward(torch.from_numpy(drawn(tuple(y.shape))))
        results.append((y, *(each.grad for each in args)))
    (result, *ours), (expected, *theirs) = results
    if 1 not in result.shape:
        assert result.stride() == expected.stride()
    # Winograd's sums have another order than PyTorch's, and the kernel's gradient is one of 1,152 products.
    for one, other in zip((result, *ours), (expected, *theirs), strict=True):
        np.testing.assert_allclose(one.detach().numpy(), other.detach().numpy(), rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16"])
@pytest.mark.parametrize("settings", [{}, {"stride": 2, "output_padding": 1}, {"dilation": 2}], ids=str)
def test_depthwise_convolutions_transposed(settings, dtype, pytorch):
    image, kernel, bias = drawn((6, 20, 16, 12), dtype), drawn((20, 1, 3, 3), dtype), drawn((20,), dtype, [0])
    results = []
    for torch in (rushlight, pytorch):
        x, w, b = (torch.from_numpy(each.copy("K")).requires_grad_() for each in (image, kernel, bias))
        y = torch.nn.functional.conv_transpose2d(x, w, b, padding=1, groups=20, **settings)
        results.append((y, *torch.autograd.grad(y, (x, w, b), torch.from_numpy(drawn(tuple(y.shape), dtype)))))
    # Of 1,152 products, whose order is another than PyTorch's; half precision is rounded once, to 11 bits.
    bound = {"float16": 1e-2, "float32": 1e-4, "float64": 1e-10}[dtype]
    for one, other in zip(*results, strict=True):
        np.testing.assert_allclose(one.detach().numpy(), other.detach().numpy(), rtol=bound, atol=20 * bound)


@pytest.mark.parametrize("channels", [9, 16, 27])
@pytest.mark.parametrize("width", range(3, 14))
def test_depthwise_convolutions_of_any_width(width, channels, pytorch):
    """Columns are done four at a time where they have the same taps, whatever is left over."""
    image = drawn((4, channels, 30, width))
    for settings in ({"padding": 1}, {"padding": (0, 2), "dilation": (1, 2)}, {"stride": 2, "padding": 1}):
        results = []
        for torch in (rushlight, pytorch):
            x = torch.from_numpy(image.copy("K")).requires_grad_()
            w, b = torch.from_numpy(drawn((channels, 1, 3, 3))), torch.from_numpy(drawn((channels,), order=[0]))
            y = torch.nn.functional.conv2d(x, w, b, groups=channels, **settings)
            results.append((y, *torch.autograd.grad(y, x, torch.ones_like(y))))
        for one, other in zip(*results, strict=True):
            alike(one, other)


def test_depthwise_convolutions_of_what_is_not_finite(pytorch):
    image = drawn((6, 20, 16, 12))
    image[0, 0, :3, :4], image[1, 1], image[1, 2, 3, 3] = np.nan, -np.inf, np.inf
    results = []
    for torch in (rushlight, pytorch):
        x, w = (torch.from_numpy(each.copy("K")).requires_grad_() for each in (image, drawn((20, 1, 3, 3))))
        y = torch.nn.functional.conv2d(x, w, padding=1, groups=20)
        results.append((y, *torch.autograd.grad(y, (x, w), torch.ones_like(y))))
    for one, other in zip(*results, strict=True):
        np.testing.assert_allclose(one.detach().numpy(), other.detach().numpy(), rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("groups", [1, 2, 11, 33])
@pytest.mark.parametrize("shape", [(3, 66, 8, 9), (2, 66, 40, 3), (5, 66, 12, 1)], ids=str)
def test_groups_of_channels_that_come_last(shape, groups, dtype, pytorch):
    """Far from zero, each channel elsewhere: squares of the numbers themselves would have lost the variance."""
    image, derivatives = drawn(shape, dtype), drawn(shape, dtype)[::-1]
    image += 50 * np.arange(shape[1]).reshape(-1, 1, 1).astype(dtype)
    results = []
    for torch, kind in ((rushlight, dtype), (pytorch, "float64")):
        x, w, b = (
            torch.from_numpy(each.astype(kind, order="K")).requires_grad_()
            for each in (image, drawn((66,), dtype, [0]), drawn((66,), dtype, [0])[::-1])
        )
        y = torch.nn.functional.group_norm(x, groups, w, b)
        results.append((y, *torch.autograd.grad(y, (x, w, b), torch.from_numpy(derivatives.astype(kind)))))
    # A number has lost the digits of 3,300 before it gets here; gradients are sums of up to 240.
    bound = 2e-3 if dtype == "float32" else 1e-9
    for one, other in zip(*results, strict=True):
        np.testing.assert_allclose(one.detach().numpy(), other.detach().numpy(), rtol=bound, atol=bound)


@pytest.mark.parametrize("order", [(0, 2, 3, 1), (0, 1, 2, 3)], ids=["channels last", "in order"])
def test_groups_of_what_is_not_finite(order, pytorch):
    image = drawn((4, 16, 8, 9), order=order)
    image[0, 0, 0, 0], image[1, 5], image[2, 9, 1, 1] = np.nan, np.inf, -np.inf
    ours, theirs = (torch.nn.functional.group_norm(torch.from_numpy(image), 4) for torch in (rushlight, pytorch))
    alike(ours, theirs)


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16"])
@pytest.mark.parametrize("order", [(0, 2, 3, 1), (3, 2, 1, 0), (0, 1, 2, 3)], ids=str)
@pytest.mark.parametrize("shape", [(2, 5, 4, 3), (4, 33, 40, 41)], ids=str)
@pytest.mark.parametrize("name", ["softmax", "log_softmax"])
def test_softmax_of_any_dimension_in_any_order(name, shape, order, dtype, pytorch):
    image, derivatives = drawn(shape, dtype, order), drawn(shape, dtype, order)[:, ::-1]
    image[0, 1, :2], image[1, 2, 3] = -np.inf, np.nan
    for dim in range(4):
        results = []
        for torch in (rushlight, pytorch):
            x = torch.from_numpy(image.copy("K")).requires_grad_()
            y = getattr(x, name)(dim)
            results.append((y, *torch.autograd.grad(y, x, torch.from_numpy(derivatives.copy("K")))))
        # Sums of 41 terms in another order; half precision is rounded once or twice, to 11 bits.
        bound = {"float16": 5e-3, "float32": 1e-5, "float64": 1e-12}[dtype]
        assert results[0][0].stride() == results[1][0].stride()
        for result, expected in zip(*results, strict=True):
            np.testing.assert_allclose(result.detach().numpy(), expected.detach().numpy(), rtol=bound, atol=bound)


SHUFFLES = {
    "pixel_shuffle": lambda f, x: f.pixel_shuffle(x, 2),
    "pixel_unshuffle": lambda f, x: f.pixel_unshuffle(x, 2),
    "channel_shuffle": lambda f, x: f.channel_shuffle(x, 4),
}


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "int64", "bool"])
@pytest.mark.parametrize("order", [(0, 2, 3, 1), (0, 1, 2, 3), (1, 0, 3, 2)], ids=str)
@pytest.mark.parametrize("shape", [(2, 8, 4, 6), (3, 16, 40, 34), (1, 16, 64, 64)], ids=str)
@pytest.mark.parametrize("name", SHUFFLES)
def test_shuffles_keep_the_order(name, shape, order, dtype, pytorch):
    image = (np.arange(np.prod(shape)) % 2039).reshape([shape[dim] for dim in order]).transpose(np.argsort(order))
    image = image.astype(dtype)
    ours, theirs = (SHUFFLES[name](torch.nn.functional, torch.from_numpy(image)) for torch in (rushlight, pytorch))
    assert ours.stride() == theirs.stride()
    np.testing.assert_array_equal(ours.numpy(), theirs.numpy())


def test_a_shuffle_of_nothing_is_a_copy(pytorch):
    for torch in (rushlight, pytorch):
        x = torch.zeros(1, 2, 4, 4).contiguous(memory_format=torch.channels_last)
        torch.nn.functional.pixel_shuffle(x, 1).add_(1)
        assert not x.any()


@pytest.mark.parametrize("channels", [(3, 5), (16, 32), (64, 64)], ids=str)
@pytest.mark.parametrize("dim", [0, 1, 2, -1])
def test_joined_channels_stay_last(dim, channels, pytorch):
    images = [drawn((2, channels[0] if dim != 1 else many, 24, 20)) for many in channels]
    alike(*(torch.cat([torch.from_numpy(each) for each in images], dim) for torch in (rushlight, pytorch)))


VOLUMES = {
    "max_pool3d": lambda functional, x: functional.max_pool3d(x, 2, 1, 1),
    "max_pool3d with indices": lambda functional, x: functional.max_pool3d(x, 2, return_indices=True)[1],
    "avg_pool3d": lambda functional, x: functional.avg_pool3d(x, 2),
    "adaptive_max_pool3d": lambda functional, x: functional.adaptive_max_pool3d(x, 2),
    "fractional_max_pool3d": lambda functional, x: functional.fractional_max_pool3d(x, 2, output_size=2),
}


@pytest.mark.parametrize("name", VOLUMES)
@pytest.mark.parametrize("shape", [(2, 3, 4, 5, 6), (3, 4, 5, 6), (1, 4, 5, 6)])
@pytest.mark.parametrize("inside", [-4, -1])
def test_pooled_volumes_have_pytorchs_strides(name, shape, inside, pytorch):
    results = []
    for library in (pytorch, rushlight):
        library.manual_seed(1)
        x = library.arange(math.prod(shape)).reshape(shape).float().movedim(inside, -1).contiguous().movedim(-1, inside)
        pooled = VOLUMES[name](library.nn.functional, x)
        results.append((pooled.stride(), pooled.tolist()))
    assert results[0] == results[1]
