"""Lazy modules: parameters without a shape, and what becomes of the module when it sees its first input."""

import copy
import importlib
import pickle

import pytest


@pytest.mark.parametrize(
    ("name", "settings", "shape", "becomes"),
    [
        ("LazyLinear", (3,), (2, 5), "Linear(in_features=5, out_features=3, bias=True)"),
        ("LazyConv2d", (4, 3), (1, 2, 8, 8), "Conv2d(2, 4, kernel_size=(3, 3), stride=(1, 1))"),
        ("LazyConv2d", (4, 3), (2, 8, 8), "Conv2d(2, 4, kernel_size=(3, 3), stride=(1, 1))"),
        ("LazyConvTranspose1d", (4, 3), (1, 2, 8), "ConvTranspose1d(2, 4, kernel_size=(3,), stride=(1,))"),
        ("LazyBatchNorm1d", (), (4, 5), None),
        ("LazyInstanceNorm2d", (), (2, 3, 4, 4), None),
    ],
)
def test_the_first_input_gives_the_sizes_and_the_class(torch, name, settings, shape, becomes):
    layer = getattr(torch.nn, name)(*settings)
    assert layer.has_uninitialized_params()
    layer(torch.randn(shape))
    assert type(layer) is getattr(torch.nn, name.removeprefix("Lazy")) and not layer._forward_pre_hooks
    assert becomes is None or repr(layer) == becomes


def test_a_lazy_layer_draws_the_weights_of_the_layer_it_becomes(torch):
    torch.manual_seed(3)
    lazy = torch.nn.LazyLinear(4)
    lazy(torch.ones(1, 6))
    torch.manual_seed(3)
    assert torch.equal(lazy.weight, torch.nn.Linear(6, 4).weight)


def test_an_uninitialized_parameter_can_be_moved_and_cast_and_nothing_else(torch):
    layer = torch.nn.LazyLinear(2).double()
    assert layer.weight.dtype == torch.float64 and repr(layer.weight) == "<UninitializedParameter>"
    assert isinstance(layer.weight, torch.nn.Parameter)
    with pytest.raises(ValueError, match="^Attempted to use an uninitialized parameter in"):
        layer.weight + 1
    with pytest.raises(RuntimeError, match="^Can't access the shape of an uninitialized parameter or buffer"):
        assert layer.weight.shape


def test_state_is_loaded_into_a_lazy_layer(torch):
    full = torch.nn.Linear(5, 3)
    lazy = torch.nn.LazyLinear(3)
    lazy.load_state_dict(full.state_dict())
    x = torch.randn(2, 5)
    assert torch.equal(lazy(x), full(x)) and type(lazy) is torch.nn.Linear and lazy.in_features == 5
    with pytest.raises(RuntimeError, match="Can't access the shape of an uninitialized parameter"):
        full.load_state_dict(torch.nn.LazyLinear(3).state_dict())


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda layer: pickle.loads(pickle.dumps(layer))])
def test_a_copy_initialises_itself_and_leaves_the_original_lazy(torch, copied):
    layer = torch.nn.LazyLinear(3)
    other = copied(layer)
    other(torch.ones(1, 2))
    assert type(other) is torch.nn.Linear and type(layer) is torch.nn.LazyLinear
    layer(torch.ones(1, 4))
    assert layer.in_features == 4 and other.in_features == 2


def test_a_buffer_without_a_shape_becomes_a_tensor(torch):
    buffer = torch.nn.UninitializedBuffer()
    assert isinstance(buffer, torch.nn.Buffer)
    buffer.materialize((2, 3))
    assert type(buffer) is torch.Tensor and buffer.shape == (2, 3)


def test_a_module_that_forgets_a_parameter_is_reported(torch):
    class Forgetful(torch.nn.modules.lazy.LazyModuleMixin, torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.weight = torch.nn.UninitializedParameter()

        def initialize_parameters(self, input):
            pass

    with pytest.raises(RuntimeError, match="^module Forgetful has not been fully initialized$"):
        Forgetful()(torch.ones(1))
    with pytest.raises(ValueError, match="^in_channels must be divisible by groups$"):
        torch.nn.LazyConv1d(4, 3, groups=2)(torch.ones(1, 3, 8))


def test_the_elements_of_a_lazy_parameter_cannot_be_counted(torch):
    layer = torch.nn.LazyLinear(2)
    with pytest.raises(ValueError, match="^Attempted to use an uninitialized parameter in"):
        sum(each.numel() for each in layer.parameters())
    layer(torch.ones(1, 3))
    assert sum(each.numel() for each in layer.parameters()) == 8


@pytest.mark.parametrize(
    ("name", "settings", "shape"),
    [
        ("LazyLinear", (3,), (2, 5)),
        ("LazyConv2d", (4, 3), (1, 2, 8, 8)),
        ("LazyConvTranspose1d", (4, 3), (1, 2, 8)),
        ("LazyBatchNorm3d", (), (2, 3, 2, 2, 2)),
        ("LazyInstanceNorm1d", (), (2, 3, 4)),
    ],
)
def test_a_layer_is_pickled_before_and_after_its_first_input(torch, name, settings, shape):
    layer = pickle.loads(pickle.dumps(pickle.loads(pickle.dumps(getattr(torch.nn, name)(*settings)))))
    assert layer.has_uninitialized_params()
    x = torch.randn(shape)
    layer(x)
    other = pickle.loads(pickle.dumps(layer))
    assert type(other) is getattr(torch.nn, name.removeprefix("Lazy"))
    assert not (other._forward_pre_hooks or other._load_state_dict_pre_hooks or "_load_hook" in vars(other))
    assert torch.equal(other.eval()(x), layer.eval()(x))


def lazy_module(torch, member):
    class Module(importlib.import_module(f"{torch.__name__}.nn.modules.lazy").LazyModuleMixin, torch.nn.Module):
        pass

    module = Module()
    module.member = member
    return module


@pytest.mark.parametrize("kind", ["UninitializedParameter", "UninitializedBuffer"])
def test_what_has_no_shape_is_loaded_shared_and_frozen_as_in_pytorch(torch, kind):
    make = getattr(torch.nn, kind)
    module = lazy_module(torch, make())
    module.load_state_dict(lazy_module(torch, make()).state_dict())
    assert module.has_uninitialized_params()
    with pytest.raises(RuntimeError, match="Can't share memory on an uninitialized parameter or buffer"):
        module.share_memory()
    with pytest.raises(RuntimeError, match="Modules with uninitialized parameters can't be used with `DataParallel`"):
        module._replicate_for_data_parallel()
    for call in (lambda: module.member.requires_grad_(False), module.member.dim, module.member.item):
        with pytest.raises(ValueError, match="^Attempted to use an uninitialized parameter in"):
            call()
    full = lazy_module(torch, torch.nn.Buffer(torch.ones(5)) if "Buffer" in kind else torch.nn.Parameter(torch.ones(5)))
    with pytest.raises(RuntimeError, match="shape of an uninitialized"):
        full.load_state_dict(module.state_dict())
    module.load_state_dict(full.state_dict())
    assert torch.equal(module.member, torch.ones(5))


def test_members_of_a_module_are_moved_to_shared_memory(torch):
    layer = torch.nn.BatchNorm1d(2)
    weight = layer.weight
    assert layer.share_memory() is layer and layer.weight is weight
    assert torch.equal(
        layer(torch.tensor([[1.0, 2.0], [3.0, 4.0]])), torch.nn.BatchNorm1d(2)(torch.tensor([[1.0, 2], [3, 4]]))
    )
