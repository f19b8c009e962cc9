"""Lazy modules: parameters without a shape, and what becomes of the module when it sees its first input."""

import copy
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


def test_a_module_that_forgets_a_parameter_is_told(torch):
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
