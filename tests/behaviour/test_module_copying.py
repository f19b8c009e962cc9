"""Copies of modules: deep, shallow and pickled."""

import copy
import io
import pickle

import pytest


@pytest.fixture
def nn(torch):
    return torch.nn


@pytest.fixture
def model(torch, nn):
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3), nn.Dropout(0.2)).eval()


def pickled(value):
    return pickle.load(io.BytesIO(pickle.dumps(value)))


@pytest.fixture(params=[copy.deepcopy, pickled], ids=["deepcopy", "pickle"])
def duplicate(request):
    return request.param


def test_a_duplicate_is_equal_and_independent(torch, model, duplicate):
    x = torch.ones(4, 2)
    expected = model(x)
    other = duplicate(model)
    assert torch.equal(other(x), expected) and repr(other) == repr(model)
    assert [module.training for module in other.modules()] == [False] * 4
    with torch.no_grad():
        other[0].weight.fill_(0)
    assert torch.equal(model(x), expected)
    assert isinstance(other[0].weight, torch.nn.Parameter) and other[0].weight.requires_grad


def test_attributes_of_a_duplicate_are_its_members(torch, model, duplicate):
    other = duplicate(model)
    assert other[0].weight is other[0]._parameters["weight"] and other[0].weight is not model[0].weight
    other[0].weight = weight = torch.nn.Parameter(torch.ones(3, 2))
    assert other[0].weight is weight is other.get_parameter("0.weight")
    other.double()
    assert other[1].running_mean.dtype == torch.float64


def test_sharing_survives(nn, duplicate):
    model = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 2))
    model[1].weight = model[0].weight
    model.append(model[0])
    other = duplicate(model)
    assert other[1].weight is other[0].weight and other[2] is other[0]


def test_none_and_transient_members_survive(torch, nn, duplicate):
    layer = nn.Linear(2, 2, bias=False)
    layer.register_buffer("cache", torch.ones(1), persistent=False)
    other = duplicate(layer)
    assert other.bias is None and "bias" in other._parameters
    assert other.cache.item() == 1 and list(other.state_dict()) == ["weight"]


def test_hooks_are_copied_and_independent(torch, nn):
    model = nn.ReLU()
    handle = model.register_forward_hook(lambda module, args, output: output + 1)
    other = copy.deepcopy(model)
    handle.remove()
    assert model(torch.zeros(1)).item() == 0 and other(torch.zeros(1)).item() == 1
    other._forward_hooks.clear()
    other.register_forward_pre_hook(lambda module, args: args[0] + 5)
    assert other(torch.zeros(1)).item() == 5 and model(torch.zeros(1)).item() == 0


def test_own_attributes_and_requires_grad_survive(nn, duplicate):
    layer = nn.Linear(2, 2)
    layer.weight.requires_grad_(False)
    layer.note = {"size": [1, 2]}
    other = duplicate(layer)
    assert other.note == {"size": [1, 2]} and other.note is not layer.note
    assert not other.weight.requires_grad and other.bias.requires_grad


def test_a_shallow_copy_shares_members_and_hooks(torch, nn):
    layer = nn.Linear(2, 2)
    layer.register_forward_hook(lambda module, args, output: output * 0)
    other = copy.copy(layer)
    assert other.weight is layer.weight and other._parameters is layer._parameters
    other.bias = torch.nn.Parameter(torch.ones(2))
    assert layer.bias is other.bias
    layer.weight = torch.nn.Parameter(torch.ones(2, 2))
    assert other.weight is layer.weight
    assert not other(torch.ones(2)).any() and not layer(torch.ones(2)).any()


def test_a_clone_by_its_dictionaries(torch, nn):
    layer = nn.Linear(2, 2)
    weight = layer.weight
    clone = layer.__new__(type(layer))
    clone.__dict__ = layer.__dict__.copy()
    clone._parameters = clone._parameters.copy()
    clone._parameters["weight"] = fast = layer.weight * 2
    assert clone.weight is fast and layer.weight is weight and clone.bias is layer.bias
    assert torch.equal(clone(torch.zeros(2)), layer(torch.zeros(2)))


def test_own_state_methods(torch, nn):
    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = nn.Linear(1, 1)
            self.file = open

        def __getstate__(self):
            state = self.__dict__.copy()
            del state["file"]
            return state

        def __setstate__(self, state):
            self.__dict__.update(state)
            self.file = None

    other = copy.deepcopy(Model())
    assert other.file is None and other.layer.in_features == 1
    other.layer = nn.Linear(2, 2)
    assert other.layer.in_features == 2 and [name for name, _ in other.named_children()] == ["layer"]


def test_own_deepcopy_by_attributes(torch, nn):
    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = nn.Linear(1, 1)
            self.size = 3

        def __deepcopy__(self, memo):
            other = Model.__new__(Model)
            memo[id(self)] = other
            nn.Module.__init__(other)
            for name, value in self.__dict__.items():
                setattr(other, name, copy.deepcopy(value, memo))
            return other

    model = Model()
    other = copy.deepcopy(model)
    assert other.size == 3 and other.layer is not model.layer and torch.equal(other.layer.weight, model.layer.weight)


def test_a_module_that_contains_itself_in_its_state(nn, duplicate):
    child = nn.ReLU()
    model = nn.Sequential(child)
    child.__dict__["owner"] = model
    other = duplicate(model)
    assert other[0].owner is other


def test_modules_are_freed_without_the_garbage_collector(nn):
    import gc
    import weakref

    gc.collect()
    gc.disable()
    try:
        model = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2))
        watched = weakref.ref(model), weakref.ref(model[0])
        del model
        assert watched[0]() is None and watched[1]() is None
    finally:
        gc.enable()
