"""What layers keep and check of their own, beside the function that they call."""

import math
import re

import numpy as np
import pytest


@pytest.fixture
def nn(torch):
    torch.manual_seed(0)
    return torch.nn


def close(tensor, expected):
    return tensor.flatten().tolist() == pytest.approx(expected, rel=1e-5)


def test_batch_norm_keeps_running_statistics(torch, nn):
    layer = nn.BatchNorm1d(1)
    layer(torch.tensor([[1.0], [3.0]]))
    assert close(layer.running_mean, [0.2]) and close(layer.running_var, [1.1])
    layer(torch.tensor([[3.0], [5.0]]))
    assert close(layer.running_mean, [0.58]) and close(layer.running_var, [1.19])
    assert layer.num_batches_tracked.item() == 2
    layer.reset_running_stats()
    assert layer.running_mean.item() == 0 and layer.running_var.item() == 1 and layer.num_batches_tracked.item() == 0


def test_batch_norm_without_momentum_averages_all_batches(torch, nn):
    layer = nn.BatchNorm1d(1, momentum=None)
    for first in (1.0, 3.0, 8.0):
        layer(torch.tensor([[first], [first + 2]]))
    assert close(layer.running_mean, [5.0]) and close(layer.running_var, [2.0])


def test_batch_norm_uses_the_running_statistics_in_evaluation(torch, nn):
    layer = nn.BatchNorm1d(1, eps=1e-12)
    layer.running_mean.fill_(1)
    layer.running_var.fill_(4)
    x = torch.tensor([[3.0], [5.0]])
    assert close(layer.eval()(x), [1.0, 2.0]) and layer.num_batches_tracked.item() == 0
    assert close(layer.train()(x), [-1.0, 1.0])


def test_batch_norm_without_statistics_normalises_by_the_batch_always(torch, nn):
    layer = nn.BatchNorm1d(1, track_running_stats=False, affine=False).eval()
    assert layer.running_mean is None and list(layer.state_dict()) == []
    assert close(layer(torch.tensor([[3.0], [5.0]])), [-0.999995, 0.999995])


@pytest.mark.parametrize(
    ("statement", "kind", "message"),
    [
        ("nn.BatchNorm1d(2)(torch.ones(2))", ValueError, "expected 2D or 3D input (got 1D input)"),
        ("nn.BatchNorm2d(2)(torch.ones(2, 2))", ValueError, "expected 4D input (got 2D input)"),
        ("nn.BatchNorm3d(2)(torch.ones(2, 2))", ValueError, "expected 5D input (got 2D input)"),
        (
            "nn.BatchNorm1d(2)(torch.ones(1, 2))",
            ValueError,
            "Expected more than 1 value per channel when training, got input size torch.Size([1, 2])",
        ),
        ("nn.Dropout(1.5)", ValueError, "dropout probability has to be between 0 and 1, but got 1.5"),
        ("nn.Conv2d(3, 4, 3, groups=2)", ValueError, "in_channels must be divisible by groups"),
        ("nn.Conv2d(4, 3, 3, groups=2)", ValueError, "out_channels must be divisible by groups"),
        ("nn.Conv2d(1, 1, 3, groups=0)", ValueError, "groups must be a positive integer"),
        ("nn.Conv2d(1, 1, 3, padding='full')", ValueError, "Invalid padding string 'full', should be one of"),
        ("nn.Conv2d(1, 1, 3, 2, 'same')", ValueError, "padding='same' is not supported for strided convolutions"),
        ("nn.Conv2d(1, 1, 3, padding_mode='x')", ValueError, "padding_mode must be one of"),
        ("nn.Embedding(3, 2, padding_idx=3)", AssertionError, "Padding_idx must be within num_embeddings"),
        ("nn.Embedding(3, 2, padding_idx=-4)", AssertionError, "Padding_idx must be within num_embeddings"),
        (
            "nn.Embedding.from_pretrained(torch.ones(2))",
            AssertionError,
            "Embeddings parameter is expected to be 2-dimen",
        ),
        (
            "nn.Embedding(2, 2, _weight=torch.ones(2, 3))",
            AssertionError,
            "Shape of weight does not match num_embeddings",
        ),
        ("nn.GroupNorm(2, 3)", ValueError, "num_channels (3) must be divisible by num_groups (2)"),
        ("nn.Hardtanh(1, 0)", AssertionError, "max_val (0) must be greater than min_val (1)"),
        ("nn.Softmax2d()(torch.ones(2))", ValueError, "Softmax2d: expected input to be 3D or 4D, got 1D instead"),
        (
            "nn.Unflatten(0, (2, 'a'))",
            TypeError,
            "unflattened_size must be tuple of ints, but found element of type str",
        ),
        ("nn.Unflatten(0, 3)", TypeError, "unflattened_size must be a tuple of ints, but found type int"),
        ("nn.HuberLoss(delta='a')", TypeError, "delta must be a float or int, got: <class 'str'>"),
        (
            "nn.MSELoss(reduction='max')(torch.ones(1), torch.ones(1))",
            ValueError,
            "max is not a valid value for reduction",
        ),
        (
            "nn.BCELoss()(torch.ones(2), torch.ones(3))",
            ValueError,
            "Using a target size (torch.Size([3])) that is diff",
        ),
        (
            "nn.BCEWithLogitsLoss()(torch.ones(2), torch.ones(3))",
            ValueError,
            "Target size (torch.Size([3])) must be the same as input size (torch.Size([2]))",
        ),
    ],
)
def test_what_layers_refuse(torch, nn, statement, kind, message):
    with pytest.raises(kind) as caught:
        eval(statement, {"nn": nn, "torch": torch})
    assert message in str(caught.value)


def test_a_loss_warns_of_sizes_that_broadcast(torch, nn):
    with pytest.warns(
        UserWarning, match="Using a target size \\(torch.Size\\(\\[3\\]\\)\\) that is different to the input"
    ):
        nn.MSELoss()(torch.ones(3, 1), torch.ones(3))


@pytest.mark.parametrize(
    ("arguments", "reduction"),
    [
        ({"size_average": False}, "sum"),
        ({"reduce": False}, "none"),
        ({"size_average": True, "reduce": True}, "mean"),
    ],
)
def test_the_old_arguments_of_losses(nn, arguments, reduction):
    with pytest.warns(UserWarning, match="size_average and reduce args will be deprecated, please use reduction='"):
        assert nn.MSELoss(**arguments).reduction == reduction


def test_softmax_without_a_dimension_is_warned_of(torch, nn):
    with pytest.warns(UserWarning, match="Implicit dimension choice for softmax has been deprecated"):
        assert nn.Softmax()(torch.zeros(2, 4))[0, 0].item() == 0.25


def test_the_padding_row_of_an_embedding(torch, nn):
    layer = nn.Embedding(4, 2, padding_idx=-2)
    assert layer.padding_idx == 2 and not layer.weight[2].any()
    layer(torch.tensor([2, 1, 2])).sum().backward()
    assert layer.weight.grad.tolist() == [[0, 0], [1, 1], [0, 0], [0, 0]]


def test_a_pretrained_embedding_is_frozen_and_shared(torch, nn):
    table = torch.ones(3, 2)
    layer = nn.Embedding.from_pretrained(table)
    assert not layer.weight.requires_grad and layer.weight.data_ptr() == table.data_ptr()
    assert nn.Embedding.from_pretrained(table, freeze=False).weight.requires_grad


def test_max_norm_scales_the_rows_that_are_looked_up(torch, nn):
    layer = nn.Embedding.from_pretrained(torch.tensor([[3.0, 4.0], [6.0, 8.0]]), max_norm=1.0)
    assert close(layer(torch.tensor([0])), [0.6, 0.8])
    assert close(layer.weight, [0.6, 0.8, 6.0, 8.0])


@pytest.mark.parametrize("mode", ["reflect", "replicate", "circular"])
def test_padding_modes_of_convolutions(torch, nn, mode):
    layer = nn.Conv1d(1, 1, 3, padding=1, padding_mode=mode, bias=False)
    x = torch.tensor([[[1.0, 2.0, 3.0, 4.0]]])
    padded = {"reflect": [2, 1, 2, 3, 4, 3], "replicate": [1, 1, 2, 3, 4, 4], "circular": [4, 1, 2, 3, 4, 1]}[mode]
    expected = torch.nn.functional.conv1d(torch.tensor([[padded]], dtype=torch.float32), layer.weight)
    assert torch.allclose(layer(x), expected)


@pytest.mark.filterwarnings("ignore:Using padding='same' with even kernel lengths")
def test_same_padding_of_an_even_kernel_puts_more_at_the_end(torch, nn):
    layer = nn.Conv1d(1, 1, 4, padding="same", bias=False)
    assert layer._reversed_padding_repeated_twice == [1, 2] and layer(torch.ones(1, 1, 5)).shape == (1, 1, 5)


@pytest.mark.parametrize(
    ("size", "padding", "said"),
    [
        ((1,), 1, "(1 x 1). Calculated output size per channel: (1 x 0)"),
        ((1, 13), 2, "(1 x 13). Calculated output size per channel: (-2 x 10)"),
        ((1, 5, 2), (1, 0, 0), "(1 x 5 x 2). Calculated output size per channel: (0 x 6 x 3)"),
    ],
)
def test_a_transposed_convolution_says_how_small_its_result_is(torch, nn, size, padding, said):
    given = torch.ones(2, 1, *size, dtype=torch.float64)
    weight = torch.ones(1, 1, *[2] * len(size), dtype=torch.float64)
    convolve = getattr(nn.functional, f"conv_transpose{len(size)}d")
    with pytest.raises(RuntimeError) as caught:
        convolve(given, weight, padding=padding)
    assert str(caught.value) == f"Given input size per channel: {said}. Output size is too small"


def test_the_forward_of_a_convolution_may_take_another_weight(torch, nn):
    class Doubled(nn.Conv1d):
        def forward(self, x):
            return self._conv_forward(x, self.weight * 2, None)

    layer = Doubled(1, 1, 1)
    assert close(layer(torch.ones(1, 1, 1)), [2 * layer.weight.item()])


def test_dropout_draws_in_training_only(torch, nn):
    layer, x = nn.Dropout(0.5), torch.ones(1000)
    result = layer(x)
    assert set(result.tolist()) == {0.0, 2.0} and 350 < int((result == 0).sum()) < 650
    assert torch.equal(layer.eval()(x), x) and not nn.Dropout(1.0)(x).any()


def test_in_place_activations_change_their_input(torch, nn):
    x = torch.tensor([-1.0, 1.0])
    assert nn.ReLU(inplace=True)(x) is x and x.tolist() == [0, 1]
    assert nn.LeakyReLU(0.1)(torch.tensor([-1.0])).item() == pytest.approx(-0.1)


def test_weights_of_losses_are_buffers(torch, nn):
    loss = nn.CrossEntropyLoss(weight=torch.ones(3))
    assert list(loss.state_dict()) == ["weight"] and loss.double().weight.dtype == torch.float64


def test_flatten_and_unflatten(torch, nn):
    x = torch.arange(24.0).view(2, 3, 4)
    assert nn.Flatten()(x).shape == (2, 12) and nn.Flatten(0, 1)(x).shape == (6, 4)
    assert torch.equal(nn.Unflatten(1, (3, 4))(nn.Flatten()(x)), x)


def test_a_weight_that_is_computed_elsewhere_is_used(torch, nn):
    layer = nn.Linear(2, 1, bias=False)
    del layer.weight
    layer.weight = torch.tensor([[1.0, 2.0]])
    assert layer(torch.ones(2)).item() == 3


@pytest.mark.parametrize("mode", ["sum", "mean", "max"])
@pytest.mark.parametrize("lengths", [(3, 3, 3), (0, 2, 0, 5, 1), (4,), (0, 0), (1,) * 40], ids=str)
def test_bags_of_embeddings(torch, lengths, mode):
    generator = np.random.default_rng(0)
    table = generator.normal(size=(7, 5)).astype("f")
    positions = generator.integers(0, 7, sum(lengths))
    padding = 2
    starts = np.concatenate(([0], np.cumsum(lengths)[:-1]))
    result = torch.nn.functional.embedding_bag(
        torch.from_numpy(positions), torch.from_numpy(table), torch.from_numpy(starts), mode=mode, padding_idx=padding
    )
    reduce = {"sum": np.sum, "mean": np.mean, "max": np.max}[mode]
    for row, start, length in zip(result.numpy(), starts, lengths, strict=True):
        bag = [table[each] for each in positions[start : start + length] if each != padding]
        np.testing.assert_allclose(row, reduce(bag, 0) if bag else np.zeros(5), rtol=1e-5, atol=1e-6)


def test_bags_of_one_length_have_weights_and_gradients(torch):
    generator = np.random.default_rng(0)
    table = torch.from_numpy(generator.normal(size=(6, 4))).requires_grad_()
    weights = torch.from_numpy(generator.normal(size=(3, 2))).requires_grad_()
    positions = torch.tensor([[0, 5], [5, 5], [1, 0]])
    result = torch.nn.functional.embedding_bag(positions, table, mode="sum", per_sample_weights=weights)
    expected = (table[positions] * weights[..., None]).sum(1)
    torch.testing.assert_close(result, expected)
    pull = torch.from_numpy(generator.normal(size=(3, 4)))
    ours, theirs = (torch.autograd.grad(each, (table, weights), pull) for each in (result, expected))
    torch.testing.assert_close(ours, theirs)


@pytest.mark.parametrize("mode", ["sum", "mean"])
def test_a_last_offset_alone_makes_no_bag(torch, mode):
    positions, offsets = torch.tensor([0, 1, 2]), torch.tensor([0])
    result = torch.nn.functional.embedding_bag(
        positions, torch.ones(4, 2), offsets, mode=mode, include_last_offset=True
    )
    assert result.shape == (0, 2)


@pytest.mark.parametrize(
    "view",
    [
        lambda x: x,
        lambda x: x.transpose(0, 1),
        lambda x: x[:, -1:],
        lambda x: x[:, ::2],
        lambda x: x[:0],
        lambda x: x[None],
    ],
    ids=["whole", "transposed", "last", "others", "none", "batches"],
)
@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("size", [5, 80])
def test_a_linear_layer_of_batches_gives_the_same_without_recording(torch, nn, view, size, bias):
    # Of small integers no order of additions rounds, and another one may be taken from the second call on.
    layer, x = nn.Linear(size, 2 * size, bias=bias), view(torch.randint(-4, 5, (3, 4, size)).float())
    for each in layer.parameters():
        nn.init.uniform_(each, -4, 4).detach().round_()
    recorded = layer(x)
    with torch.no_grad():
        result = layer(x)
    assert recorded.requires_grad and not result.requires_grad
    assert result.shape == recorded.shape and result.is_contiguous()
    assert result.tolist() == recorded.tolist()
    assert (result.add_(1) - recorded - 1).abs().sum() == 0  # memory of its own
    # What differs: PyTorch multiplies matrices, and shows the product in another shape.
    if view(torch.ones(3, 4, size)).is_contiguous() and result.numel():
        assert result._is_view() == (bias and torch.__name__ == "torch")


@pytest.mark.parametrize(
    ("weight", "bias", "refusal"),
    [
        ((5, 7), (5,), "mat1 and mat2 shapes cannot be multiplied (6x8 and 7x5)"),
        ((5, 8), (4,), "The expanded size of the tensor (5) must match the existing size (4)"),
        ((5, 7), None, "mat1 and mat2 shapes cannot be multiplied (6x8 and 7x5)"),
        ((2, 5, 8), None, "t() expects a tensor with <= 2 dimensions, but self is 3D"),
    ],
)
def test_a_linear_map_of_batches_is_refused_the_same_without_recording(torch, weight, bias, refusal):
    for recording in (True, False):
        with torch.set_grad_enabled(recording), pytest.raises(RuntimeError, match=re.escape(refusal)):
            torch.nn.functional.linear(torch.ones(2, 3, 8), torch.ones(weight), bias and torch.ones(bias))


@pytest.mark.parametrize("size", [(3,), (1, 3), (5, 3), (0, 3), (1, 1, 3), (2, 5, 3), (2, 0, 3)])
@pytest.mark.parametrize("out_features", [1, 4])
@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_linear_gives_the_same_whether_it_records_or_not(torch, nn, size, out_features, bias, dtype):
    layer = nn.Linear(3, out_features, bias, dtype=getattr(torch, dtype))
    input = torch.arange(math.prod(size), dtype=getattr(torch, dtype)).reshape(size) / 7
    recorded = layer(input)
    with torch.no_grad():
        result = layer(input)
    weight, row = layer.weight.detach().numpy(), layer.bias.detach().numpy() if bias else 0
    np.testing.assert_allclose(result.numpy(), input.numpy() @ weight.T + row, rtol=1e-5, strict=True)
    torch.testing.assert_close(result, recorded.detach(), rtol=1e-6, atol=1e-7)  # kernels add up in an order of theirs
    assert recorded.requires_grad and not result.requires_grad


@pytest.mark.parametrize("bias", [(), (1,), (1, 2), (5, 1), (5, 2)])
def test_linear_adds_what_broadcasts(torch, nn, bias):
    input, weight = torch.ones(5, 3), torch.ones(2, 3)
    assert nn.functional.linear(input, weight, torch.ones(bias)).tolist() == [[4.0, 4.0]] * 5


@pytest.mark.parametrize("shape", [(3,), (2, 2)])
def test_linear_refuses_a_bias_that_does_not_fit(torch, nn, shape):
    with torch.no_grad(), pytest.raises(RuntimeError, match="must match the existing size"):
        nn.functional.linear(torch.ones(1, 3), torch.ones(2, 3), torch.ones(shape))


@pytest.mark.parametrize("layer", ["Tanh", "Sigmoid"])
def test_activations_ask_for_a_tensor(nn, layer):
    with pytest.raises(
        TypeError, match=rf"^{layer.lower()}\(\): argument 'input' \(position 1\) must be Tensor, not list"
    ):
        getattr(nn, layer)()([1.0])


@pytest.mark.parametrize("size", [(3, 4), (1, 32), (16, 32), (17, 32), (3, 33), (2, 3, 4), (0, 4), (5, 1)])
@pytest.mark.parametrize("offset", [0, 100])
@pytest.mark.parametrize("turned", [False, True])
def test_layer_norm_of_rows_of_any_length(torch, nn, size, offset, turned):
    given = np.random.default_rng(0).standard_normal(size)
    x = torch.tensor((given if not turned else given.swapaxes(0, -1)) + offset)
    x = (x.transpose(0, -1) if turned else x).requires_grad_()
    layer = nn.LayerNorm(size[-1], dtype=torch.float64)
    with torch.no_grad():
        layer.weight.copy_(torch.arange(size[-1]) + 1.0)
        layer.bias.fill_(0.5)
    expected = (given - given.mean(-1, keepdims=True)) / np.sqrt(given.var(-1, keepdims=True) + 1e-5)
    result = layer(x)
    np.testing.assert_allclose(result.detach().numpy(), expected * np.arange(1, size[-1] + 1) + 0.5, atol=1e-8)
    (result * torch.tensor(given)).sum().backward()
    np.testing.assert_allclose(layer.weight.grad.numpy(), (expected * given).reshape(-1, size[-1]).sum(0), atol=1e-8)
    pull = given * np.arange(1, size[-1] + 1)
    slope = pull - pull.mean(-1, keepdims=True) - expected * (pull * expected).mean(-1, keepdims=True)
    slope /= np.sqrt(given.var(-1, keepdims=True) + 1e-5)
    np.testing.assert_allclose(x.grad.numpy(), slope, atol=1e-7)


def test_an_empty_batch_is_normalized_in_its_own_dtype(torch):
    layer = torch.nn.BatchNorm2d(3)
    x = torch.randn(0, 3, 2, 2, dtype=torch.float64, requires_grad=True)
    for mode in (True, False):
        y = layer.train(mode)(x)
        assert y.dtype == torch.float64 and y.shape == x.shape
    y.sum().backward()
    assert x.grad.shape == x.shape and x.grad.dtype == torch.float64
    with pytest.raises(RuntimeError, match="mixed dtype"):
        layer(torch.randn(2, 3, 2, 2, dtype=torch.float64))


@pytest.mark.filterwarnings("ignore:.torch.jit.script. is deprecated:DeprecationWarning")  # by PyTorch's forward mode
def test_running_statistics_have_no_forward_gradient(torch):
    ad, x, ones = torch.autograd.forward_ad, torch.randn(2, 3), torch.ones(3)
    normalize = torch.nn.functional.batch_norm
    with ad.dual_level():
        mean = ad.make_dual(torch.zeros(3), ones)
        assert ad.unpack_dual(normalize(x, mean, ones)).tangent is None
        with pytest.raises(RuntimeError, match="batch_norm is not differentiable wrt running_mean and running_var"):
            normalize(ad.make_dual(x, x), mean, ones)
