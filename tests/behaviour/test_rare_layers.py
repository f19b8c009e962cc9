"""Layers that few programs use, and names that are there for programs that list them."""

import copy
import importlib

import pytest

import rushlight


def test_synchronized_batch_norm_of_one_process_is_batch_norm(torch):
    torch.manual_seed(0)
    plain = torch.nn.Sequential(torch.nn.Conv1d(2, 3, 1), torch.nn.Sequential(torch.nn.BatchNorm1d(3)))
    model = torch.nn.SyncBatchNorm.convert_sync_batchnorm(copy.deepcopy(plain))
    x = torch.randn(4, 2, 5)
    assert torch.equal(model(x), plain(x)) and torch.equal(model.eval()(x), plain.eval()(x))
    assert type(model[1][0]) is torch.nn.SyncBatchNorm and model.state_dict().keys() == plain.state_dict().keys()
    assert model[1][0].num_batches_tracked.item() == 1


def test_conversion_to_synchronized_batch_norm_keeps_members_and_mode(torch):
    layer = torch.nn.BatchNorm2d(3, eps=0.1, momentum=None, affine=True, track_running_stats=False).eval()
    converted = torch.nn.SyncBatchNorm.convert_sync_batchnorm(layer, process_group="group")
    assert converted.weight is layer.weight and converted.bias is layer.bias and converted.running_mean is None
    assert (converted.eps, converted.momentum, converted.training) == (0.1, None, False)
    assert converted.process_group == "group"
    with pytest.raises(ValueError, match=r"expected at least 2D input \(got 1D input\)"):
        converted(torch.ones(3))


def test_the_old_negative_log_likelihood_warns(torch):
    with pytest.warns(FutureWarning, match="`NLLLoss2d` has been deprecated"):
        loss = torch.nn.NLLLoss2d()
    assert isinstance(loss, torch.nn.NLLLoss)


@pytest.mark.parametrize("channels", [1, 3, 8])
@pytest.mark.parametrize("size", [1, 3, 4, 5])
def test_normalization_across_maps(torch, channels, size):
    layer = torch.nn.CrossMapLRN2d(size, alpha=0.5, beta=0.75, k=2)
    x = torch.linspace(-1, 2, channels * 8, dtype=torch.float64).reshape(2, channels, 2, 2)
    reach = (size + 1) // 2
    for channel in range(channels):
        # The window as PyTorch has it: what it has left behind is dropped, but for the first channel
        window = [each for each in range(min(channel + reach, channels)) if not 1 <= each <= channel - reach]
        wanted = x[:, channel] * (2 + 0.5 / size * (x[:, window] ** 2).sum(1)) ** -0.75
        torch.testing.assert_close(layer(x)[:, channel], wanted)
    assert repr(layer) == f"CrossMapLRN2d({size}, alpha=0.5, beta=0.75, k=2)"
    with pytest.raises(ValueError, match="Expected input to be 4D, got 3D instead"):
        layer(x[0])


@pytest.mark.parametrize("rank", [1, 2, 3])
@pytest.mark.parametrize(("stride", "padding", "dilation", "groups"), [(1, 0, 1, 1), (2, 1, 1, 2), (1, (1,), 2, 1)])
def test_gradients_of_convolutions_by_name(torch, rank, stride, padding, dilation, groups):
    torch.manual_seed(0)
    settings = stride, padding if isinstance(padding, int) else padding * rank, dilation, groups
    x = torch.randn(2, 4, *[7] * rank, dtype=torch.float64, requires_grad=True)
    weight = torch.randn(6, 4 // groups, *[3] * rank, dtype=torch.float64, requires_grad=True)
    out = getattr(torch.nn.functional, f"conv{rank}d")(x, weight, None, *settings)
    grad = torch.randn_like(out)
    of_input, of_weight = torch.autograd.grad(out, (x, weight), grad)
    gradients = importlib.import_module(f"{torch.__name__}.nn.grad")
    assert torch.nn.functional.grad is gradients
    result = getattr(gradients, f"conv{rank}d_input")(x.shape, weight, grad, *settings)
    torch.testing.assert_close(result, of_input)
    result = getattr(gradients, f"conv{rank}d_weight")(x, weight.shape, grad, *settings)
    torch.testing.assert_close(result, of_weight)


def test_a_gradient_of_another_size_than_the_result_is_refused(torch):
    weight, grad = torch.ones(2, 3, 3, 3), torch.ones(1, 2, 9, 9)
    with pytest.raises(RuntimeError, match=r"dimension 4 and tensor.size\[2\] == 3 but got: dimension 4 .* = 9"):
        torch.nn.grad.conv2d_input((1, 3, 5, 5), weight, grad)
    with pytest.raises(RuntimeError, match="same number of dimensions, but got: 4 and 3"):
        torch.nn.grad.conv2d_weight(torch.ones(1, 3, 5, 5), weight.shape, grad[0])


@pytest.mark.parametrize("namespace", ["qat", "quantizable", "quantized"])
def test_layers_of_quantized_numbers_are_names_as_in_pytorch(namespace):
    pytorch = pytest.importorskip("torch")
    ours, theirs = getattr(rushlight.nn, namespace), getattr(pytorch.nn, namespace)
    assert sorted(ours.modules.__all__) == sorted(set(theirs.modules.__all__) - {"MaxPool2d"})
    for name in ours.__all__:
        assert getattr(ours, name).__module__.startswith(f"torch.ao.nn.{namespace}")


def test_a_layer_of_quantized_numbers_cannot_be_made():
    layers = importlib.import_module("rushlight.ao.nn.quantized")
    assert layers is rushlight.nn.quantized and issubclass(layers.Linear, rushlight.nn.Module)
    for name in layers.__all__:
        with pytest.raises(
            NotImplementedError, match=f"torch.ao.nn.quantized.{name} needs quantized tensors"
        ) as caught:
            getattr(layers, name)(2, 3)
    with pytest.raises(NotImplementedError) as caught:
        rushlight.ao.nn.qat.Linear(2, 3)
    assert caught.value.__notes__ == ["Write torch.nn.Linear(...), the layer of floating numbers."]
    assert not isinstance(rushlight.nn.Linear(2, 3), layers.Linear)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"size": 4, "align_corners": 3}, r"upsample_bilinear2d\(\) .* got \(Tensor, list, int, NoneType\)"),
        ({"scale_factor": 2, "align_corners": "a"}, r"upsample_bilinear2d\(\) .* got \(Tensor, NoneType, str, list\)"),
        ({"size": 4, "align_corners": 3, "antialias": True}, r"_upsample_bilinear2d_aa\(\) .* got \(Tensor, list, int"),
        ({"scale_factor": ("2", "2")}, r"upsample_bilinear2d\(\) .* got \(Tensor, NoneType, bool, tuple\)"),
        ({"scale_factor": (None, 2)}, r"upsample_bilinear2d\(\) .* got \(Tensor, NoneType, bool, tuple\)"),
    ],
)
def test_corners_and_factors_of_another_kind_are_refused(torch, options, words):
    with pytest.raises(TypeError, match=words):
        torch.nn.functional.interpolate(torch.zeros(1, 1, 2, 2), mode="bilinear", **options)
