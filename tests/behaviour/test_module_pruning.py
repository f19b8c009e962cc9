"""Pruning: masks on parameters, one upon the other, and their removal."""

import importlib

import pytest


@pytest.fixture
def prune(torch):
    torch.manual_seed(0)
    return importlib.import_module(f"{torch.__name__}.nn.utils.prune")


@pytest.fixture
def layer(torch):
    layer = torch.nn.Linear(3, 2)
    with torch.no_grad():
        layer.weight.copy_(torch.tensor([[1.0, -2, 3], [-4, 5, -6]]))
    return layer


def test_the_smallest_elements_go(torch, prune, layer):
    prune.l1_unstructured(layer, "weight", amount=2)
    assert layer.weight.tolist() == [[0, 0, 3], [-4, 5, -6]]
    assert sorted(layer.state_dict()) == ["bias", "weight_mask", "weight_orig"] and prune.is_pruned(layer)
    layer(torch.ones(1, 3)).sum().backward()
    assert torch.equal(layer.weight_orig.grad, layer.weight_mask)


def test_a_second_method_looks_at_what_the_first_has_left(prune, layer):
    prune.l1_unstructured(layer, "weight", amount=2)
    prune.l1_unstructured(layer, "weight", amount=0.5)
    assert layer.weight.tolist() == [[0, 0, 0], [0, 5, -6]]
    (container,) = layer._forward_pre_hooks.values()
    assert [type(method).__name__ for method in container] == ["L1Unstructured", "L1Unstructured"]


def test_whole_channels_go(prune, layer):
    prune.ln_structured(layer, "weight", amount=1, n=2, dim=0)
    assert layer.weight.tolist() == [[0, 0, 0], [-4, 5, -6]]
    prune.random_structured(layer, "weight", amount=1, dim=1)
    assert (layer.weight == 0).sum() == 4


def test_several_parameters_are_pruned_as_one(torch, prune, layer):
    other = torch.nn.Linear(1, 1)
    with torch.no_grad():
        other.weight.fill_(2.5)
    prune.global_unstructured([(layer, "weight"), (other, "weight")], prune.L1Unstructured, amount=3)
    assert layer.weight.tolist() == [[0, 0, 3], [-4, 5, -6]] and other.weight.item() == 0


def test_removing_makes_the_pruned_values_the_parameter(torch, prune, layer):
    parameter = layer.weight
    prune.custom_from_mask(layer, "weight", torch.tensor([[1, 0, 1], [0, 1, 0]]))
    prune.remove(layer, "weight")
    assert layer.weight is parameter and layer.weight.tolist() == [[1, 0, 3], [0, 5, 0]]
    assert list(layer.state_dict())[-1] == "weight" and not prune.is_pruned(layer)
    with pytest.raises(ValueError, match="has to be pruned before pruning can be removed$"):
        prune.remove(layer, "weight")


@pytest.mark.parametrize(
    ("amount", "error"), [(-1, ValueError), (1.5, ValueError), ("half", TypeError), (7, ValueError)]
)
def test_amounts_are_numbers_or_shares(prune, layer, amount, error):
    with pytest.raises(error):
        prune.l1_unstructured(layer, "weight", amount)
    assert layer.weight.numel() == 6 and not prune.is_pruned(layer)


@pytest.mark.parametrize(("amount", "size", "count"), [(0.5, 3, 2), (0.1, 15, 2), (4, 15, 4), (20, 15, 20), (0, 3, 0)])
def test_own_methods_use_the_helpers_of_the_module(torch, amount, size, count):
    prune = torch.nn.utils.prune
    assert prune._compute_nparams_toprune(amount, tensor_size=size) == count
    if count > size:
        with pytest.raises(ValueError, match="amount=20 should be smaller than the number of parameters to prune=15"):
            prune._validate_pruning_amount(count, tensor_size=size)
    else:
        prune._validate_pruning_amount(count, tensor_size=size)
