"""Parametrized tensors: computed when read, inverted when written; and the hooks that did this before them."""

import copy
import pickle

import pytest


@pytest.fixture
def symmetric(torch):
    """A parametrization: the upper triangle, mirrored."""

    class Symmetric(torch.nn.Module):
        def forward(self, x):
            return x.triu() + x.triu(1).mT

        def right_inverse(self, x):
            return x.triu()

    return Symmetric()


@pytest.fixture
def parametrize(torch):
    torch.manual_seed(0)
    return torch.nn.utils.parametrize


def test_a_parametrized_weight_is_computed_from_its_original(torch, parametrize, symmetric):
    layer = parametrize.register_parametrization(torch.nn.Linear(3, 3), "weight", symmetric)
    assert torch.equal(layer.weight, layer.weight.mT)
    assert list(layer.state_dict()) == ["bias", "parametrizations.weight.original"]
    assert type(layer).__name__ == "ParametrizedLinear" and isinstance(layer, torch.nn.Linear)
    layer(torch.ones(1, 3)).sum().backward()
    assert torch.equal(layer.parametrizations.weight.original.grad, torch.tensor([[1.0, 2, 2], [0, 1, 2], [0, 0, 1]]))


def test_assigning_goes_through_the_right_inverse(torch, parametrize, symmetric):
    layer = parametrize.register_parametrization(torch.nn.Linear(3, 3), "weight", symmetric)
    layer.weight = torch.ones(3, 3)
    assert torch.equal(layer.weight, torch.ones(3, 3))
    assert torch.equal(layer.parametrizations.weight.original, torch.ones(3, 3).triu())


@pytest.mark.parametrize("leave", [True, False])
def test_removing_leaves_the_value_or_the_original(torch, parametrize, symmetric, leave):
    layer = torch.nn.Linear(3, 3)
    parameter = layer.weight
    parametrize.register_parametrization(layer, "weight", symmetric)
    expected = (layer.weight if leave else layer.parametrizations.weight.original).detach().clone()
    parametrize.remove_parametrizations(layer, "weight", leave_parametrized=leave)
    assert type(layer) is torch.nn.Linear and layer.weight is parameter and torch.equal(layer.weight, expected)


def test_inside_of_cached_a_weight_is_computed_once(torch, parametrize, symmetric):
    layer = parametrize.register_parametrization(torch.nn.Linear(3, 3), "weight", symmetric)
    with parametrize.cached():
        first = layer.weight
        with parametrize.cached():
            assert layer.weight is first
        assert layer.weight is first
    assert layer.weight is not first


def test_a_parametrized_module_can_be_copied_and_not_pickled(torch, parametrize, symmetric):
    layer = parametrize.register_parametrization(torch.nn.Linear(3, 3), "weight", symmetric)
    other = copy.deepcopy(layer)
    other.weight = torch.zeros(3, 3)
    assert other.weight.abs().sum() == 0 and layer.weight.abs().sum() > 0
    with pytest.raises(RuntimeError, match="^Serialization of parametrized modules is only supported through"):
        pickle.dumps(layer)


def test_what_would_change_the_form_is_refused(torch, parametrize):
    class Double(torch.nn.Module):
        def forward(self, x):
            return x.double()

    class FirstRow(torch.nn.Module):
        def forward(self, x):
            return x[:1]

    for parametrization, what in ((Double(), "dtype"), (FirstRow(), "shape")):
        with pytest.raises(ValueError, match=f"^Registering a parametrization may not change the {what}"):
            parametrize.register_parametrization(torch.nn.Linear(3, 3), "weight", parametrization)
    layer = parametrize.register_parametrization(torch.nn.Linear(3, 3), "weight", Double(), unsafe=True)
    assert layer.weight.dtype == torch.float64


def test_parametrizations_can_be_transferred(torch, parametrize, symmetric):
    source = parametrize.register_parametrization(torch.nn.Linear(3, 3), "weight", symmetric)
    other = parametrize.transfer_parametrizations_and_params(source, torch.nn.Linear(3, 3))
    assert torch.equal(other.weight, source.weight)
    assert other.parametrizations.weight.original is source.parametrizations.weight.original


@pytest.mark.parametrize("dim", [0, 1])
def test_weight_norm_keeps_lengths_and_directions_apart(torch, parametrize, dim):
    layer = torch.nn.Linear(5, 3)
    weight = layer.weight.detach().clone()
    torch.nn.utils.parametrizations.weight_norm(layer, dim=dim)
    assert torch.allclose(layer.weight, weight)
    lengths = layer.parametrizations.weight.original0
    assert torch.allclose(lengths, weight.norm(dim=1 - dim, keepdim=True))
    with torch.no_grad():
        lengths.mul_(2)
    assert torch.allclose(layer.weight, 2 * weight)


def test_spectral_norm_makes_the_largest_singular_value_1(torch, parametrize):
    layer = torch.nn.utils.parametrizations.spectral_norm(torch.nn.Linear(5, 3), n_power_iterations=50)
    assert layer(torch.ones(1, 5)).shape == (1, 3)
    u, v = layer.parametrizations.weight[0]._u, layer.parametrizations.weight[0]._v
    assert torch.allclose(layer.eval().weight @ v, u, atol=1e-4)


def test_the_older_hooks_do_the_same(torch, parametrize):
    utils = torch.nn.utils
    layer = torch.nn.Linear(5, 3)
    weight = layer.weight.detach().clone()
    with pytest.warns(FutureWarning, match="is deprecated in favor of"):
        utils.weight_norm(layer)
    assert sorted(layer.state_dict()) == ["bias", "weight_g", "weight_v"]
    modern = utils.parametrizations.weight_norm(torch.nn.Linear(5, 3))
    modern.load_state_dict(layer.state_dict())
    assert torch.allclose(modern.weight, weight)
    assert torch.allclose(utils.remove_weight_norm(layer).weight, weight)
    with pytest.raises(ValueError, match="^weight_norm of 'weight' not found in Linear"):
        utils.remove_weight_norm(layer)
    utils.spectral_norm(layer, n_power_iterations=30)
    assert sorted(layer.state_dict()) == ["bias", "weight_orig", "weight_u", "weight_v"]
    layer(torch.ones(1, 5)).sum().backward()
    assert layer.weight_orig.grad is not None and "weight" not in dict(layer.named_parameters())
    assert type(utils.remove_spectral_norm(layer).weight) is torch.nn.Parameter
