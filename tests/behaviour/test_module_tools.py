"""Tools around modules: fusing normalisation, calling with other weights, making modules without drawing."""

import copy
import importlib

import pytest


@pytest.mark.parametrize("transpose", [False, True])
def test_a_convolution_and_its_normalisation_become_one(torch, transpose):
    torch.manual_seed(0)
    conv = (torch.nn.ConvTranspose2d if transpose else torch.nn.Conv2d)(2, 3, 2)
    norm = torch.nn.BatchNorm2d(3)
    norm(torch.randn(8, 3, 2, 2))
    with pytest.raises(AssertionError, match="^Fusion only for eval!$"):
        torch.nn.utils.fuse_conv_bn_eval(conv, norm, transpose)
    x = torch.randn(2, 2, 4, 4)
    fused = torch.nn.utils.fuse_conv_bn_eval(conv.eval(), norm.eval(), transpose)
    assert torch.allclose(fused(x), norm(conv(x)), atol=1e-6)


def test_a_linear_layer_and_its_normalisation_become_one(torch):
    torch.manual_seed(0)
    linear, norm = torch.nn.Linear(5, 3, bias=False), torch.nn.BatchNorm1d(3)
    norm(torch.randn(8, 3))
    x = torch.randn(4, 5)
    fused = torch.nn.utils.fuse_linear_bn_eval(linear.eval(), norm.eval())
    assert torch.allclose(fused(x), norm(linear(x)), atol=1e-6)
    with pytest.raises(AssertionError, match="^To fuse, linear.out_features == bn.num_features"):
        torch.nn.utils.fuse_linear_bn_eval(linear, torch.nn.BatchNorm1d(2).eval())


@pytest.mark.filterwarnings("ignore:.*functional_call. is deprecated:FutureWarning")
def test_a_module_is_called_with_other_tensors(torch):
    layer = torch.nn.Sequential(torch.nn.Linear(2, 1, bias=False), torch.nn.BatchNorm1d(1))
    given = {"0.weight": torch.ones(1, 2), "1.running_mean": torch.full((1,), 3.0)}
    own = layer[0].weight
    call = torch.nn.utils.stateless.functional_call
    result = call(layer.eval(), given, torch.tensor([[2.0, 3.0]]))
    assert result.item() == pytest.approx(2, rel=1e-4)
    assert layer[0].weight is own and layer[1].running_mean.item() == 0
    with pytest.raises(RuntimeError, match="^Error.s. in reparametrizing for Sequential:\n\tMissing key"):
        call(layer, given, torch.ones(1, 2), strict=True)


@pytest.mark.filterwarnings("ignore:.*functional_call. is deprecated:FutureWarning")
def test_a_tied_weight_is_replaced_under_all_its_names(torch):
    class Tied(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.there = torch.nn.Linear(1, 1, bias=False)
            self.back = torch.nn.Linear(1, 1, bias=False)
            self.back.weight = self.there.weight

        def forward(self, x):
            return self.back(self.there(x))

    call, three, two = torch.nn.utils.stateless.functional_call, torch.full((1, 1), 3.0), torch.full((1, 1), 2.0)
    assert call(Tied(), {"there.weight": three}, torch.ones(1, 1)).item() == 9
    with pytest.raises(ValueError, match="^functional_call got multiple values for keys"):
        call(Tied(), {"there.weight": three, "back.weight": two}, torch.ones(1, 1))


def test_torch_func_calls_a_module_with_tensors_from_several_dictionaries(torch):
    func = importlib.import_module(f"{torch.__name__}.func")
    layer = torch.nn.Sequential(torch.nn.Linear(2, 1, bias=False), torch.nn.BatchNorm1d(1)).eval()
    own, mean = {"0.weight": torch.ones(1, 2)}, {"1.running_mean": torch.full((1,), 3.0)}
    x = torch.tensor([[2.0, 3.0]])
    assert func.functional_call(layer, [own, mean], x).item() == pytest.approx(2, rel=1e-4)
    assert func.functional_call(layer, {**own, **mean}, (), {"input": x}).item() == pytest.approx(2, rel=1e-4)
    with pytest.raises(ValueError, match=r"^\['0.weight'\] appeared in multiple dictionaries; behavior of"):
        func.functional_call(layer, (own, own), x)
    with pytest.raises(ValueError, match="^Expected all elements of parameter_and_buffer_dicts to be dictionaries"):
        func.functional_call(layer, [own, 5], x)
    with pytest.raises(ValueError, match="^Expected parameter_and_buffer_dicts to be a dict, or a list/tuple of dicts"):
        func.functional_call(layer, 5, x)
    with pytest.raises(RuntimeError, match="^Error.s. in reparametrizing for Sequential:\n\tMissing key"):
        func.functional_call(layer, own, x, strict=True)


def test_a_step_of_gradient_descent_is_differentiated(torch):
    """The inner step of MAML: https://docs.pytorch.org/docs/stable/generated/torch.func.functional_call.html"""
    func = importlib.import_module(f"{torch.__name__}.func")
    layer = torch.nn.Linear(1, 1, bias=False)
    torch.nn.init.constant_(layer.weight, 2.0)
    weights = dict(layer.named_parameters())
    loss = func.functional_call(layer, weights, torch.ones(1, 1)).pow(2).sum()  # w**2
    (gradient,) = torch.autograd.grad(loss, tuple(weights.values()), create_graph=True)
    adapted = {"weight": weights["weight"] - 0.25 * gradient}  # w / 2
    func.functional_call(layer, adapted, torch.ones(1, 1)).pow(2).sum().backward()
    assert layer.weight.grad.item() == 1.0


def test_skip_init_draws_nothing(torch):
    torch.manual_seed(0)
    expected = torch.rand(1)
    torch.manual_seed(0)
    layer = torch.nn.utils.skip_init(torch.nn.Linear, 2, 3)
    assert layer.weight.shape == (3, 2) and layer.weight.device.type == "cpu" and torch.equal(torch.rand(1), expected)
    with pytest.raises(RuntimeError, match="^Module must support a 'device' arg"):
        torch.nn.utils.skip_init(torch.nn.ReLU)


@pytest.mark.parametrize("mode", ["bilinear", "nearest", "bicubic"])
def test_the_identity_map_reads_the_image_itself(torch, mode):
    functional = torch.nn.functional
    image = torch.randn(2, 3, 4, 5)
    theta = torch.tensor([[1.0, 0, 0], [0, 1, 0]]).expand(2, 2, 3)
    for align_corners in (False, True):
        grid = functional.affine_grid(theta, image.shape, align_corners=align_corners)
        read = functional.grid_sample(image, grid, mode, "border", align_corners=align_corners)
        assert torch.allclose(read, image, atol=1e-5)


def test_the_default_of_align_corners_is_warned_of(torch):
    with pytest.warns(UserWarning, match="^Default grid_sample and affine_grid behavior has changed"):
        torch.nn.functional.grid_sample(torch.ones(1, 1, 2, 2), torch.zeros(1, 1, 1, 2))


def test_fold_adds_what_unfold_has_taken_apart(torch):
    image = torch.randn(1, 2, 4, 5)
    blocks = torch.nn.Unfold((2, 3), stride=(2, 1))
    fold = torch.nn.Fold((4, 5), (2, 3), stride=(2, 1))
    assert torch.allclose(fold(blocks(image)), image * fold(blocks(torch.ones_like(image))), atol=1e-6)


def test_fold_names_the_dimensions_of_a_batch(torch):
    for columns in (torch.ones(2, 3), torch.ones(1, 2, 3)):
        with pytest.raises(RuntimeError, match=r"^Expected size of input's dimension 1 to .* got input.size\(1\)=2 "):
            torch.nn.functional.fold(columns, 2, 2)
    for columns in (torch.ones(4, 3), torch.ones(1, 4, 3)):
        with pytest.raises(RuntimeError, match=r"expected size of input's dimension 2 to .* got input.size\(2\)=3\.$"):
            torch.nn.functional.fold(columns, 2, 2)


def test_fractional_pooling_draws_its_windows(torch):
    torch.manual_seed(5)
    samples = torch.rand(2, 3, 2)
    image = torch.randn(2, 3, 7, 8)
    pool = torch.nn.FractionalMaxPool2d(2, output_ratio=0.5, return_indices=True)
    torch.manual_seed(5)
    values, indices = pool(image)
    given = torch.nn.FractionalMaxPool2d(2, output_ratio=0.5, _random_samples=samples)(image)
    assert values.shape == (2, 3, 3, 4) and torch.equal(values, given)
    assert torch.equal(image.flatten(2).gather(2, indices.flatten(2)), values.flatten(2))


def test_the_adaptive_softmax_is_a_distribution(torch):
    torch.manual_seed(0)
    layer = torch.nn.AdaptiveLogSoftmaxWithLoss(16, 20, [5, 10], div_value=2.0)
    x, target = torch.randn(4, 16), torch.tensor([0, 7, 19, 4])
    every = layer.log_prob(x)
    assert torch.allclose(every.exp().sum(1), torch.ones(4))
    output, loss = layer(x, target)
    assert torch.allclose(output, every[torch.arange(4), target]) and torch.allclose(loss, -output.mean())
    assert torch.equal(layer.predict(x), every.argmax(1))
    with pytest.raises(RuntimeError, match="^Target values should be in .0, 19., but values in range"):
        layer(x, target + 1)


@pytest.mark.parametrize("out_features", [(), (2,)])
def test_a_loss_may_own_the_linear_layer_before_it(torch, out_features):
    torch.manual_seed(0)
    loss = torch.nn.LinearCrossEntropyLoss(5, 3, out_features=out_features, bias=True)
    x, target = torch.randn(4, 5), torch.randint(0, 3, (4, *out_features))
    scores = loss.linear(x).reshape(4, 3, *out_features)
    assert torch.allclose(loss(x, target), torch.nn.functional.cross_entropy(scores, target))


@pytest.mark.parametrize(
    "wrong", [{"acc_policy": "fast"}, {"chunking_method": "aspect_ratio:0"}, {"batch_chunk_size": 0}]
)
def test_options_of_the_linear_cross_entropy_are_checked(torch, wrong):
    assert torch.nn.LinearCrossEntropyOptions().acc_policy == "auto"
    with pytest.raises(ValueError, match=next(iter(wrong))):
        torch.nn.LinearCrossEntropyOptions(**wrong)


def test_a_bag_is_the_sum_of_its_rows(torch):
    table = torch.arange(12.0).view(6, 2)
    layer = torch.nn.EmbeddingBag.from_pretrained(table, mode="sum", padding_idx=0)
    bags = layer(torch.tensor([1, 2, 0, 5]), torch.tensor([0, 2]))
    assert bags.tolist() == [[6.0, 8.0], [10.0, 11.0]] and not layer.weight.requires_grad


def test_handles_of_a_copied_module_remove_its_own_hooks(torch):
    module = torch.nn.Identity()
    module.handle = module.register_forward_pre_hook(lambda module, args: (args[0] + 1,))
    other = copy.deepcopy(module)
    other.handle.remove()
    assert other(torch.zeros(1)).item() == 0 and module(torch.zeros(1)).item() == 1
