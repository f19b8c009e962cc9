"""`state_dict` and `load_state_dict`: what is saved, what is copied, what is missing and how it is told."""

from collections import OrderedDict

import pytest


@pytest.fixture
def nn(torch):
    return torch.nn


@pytest.fixture
def model(torch, nn):
    torch.manual_seed(0)
    return nn.Sequential(OrderedDict(first=nn.Linear(2, 3), norm=nn.BatchNorm1d(3)))


KEYS = [
    "first.weight",
    "first.bias",
    "norm.weight",
    "norm.bias",
    "norm.running_mean",
    "norm.running_var",
    "norm.num_batches_tracked",
]


def test_keys_order_and_metadata(model):
    state = model.state_dict()
    assert type(state) is OrderedDict and list(state) == KEYS
    assert dict(state._metadata) == {"": {"version": 1}, "first": {"version": 1}, "norm": {"version": 2}}


def test_the_state_shares_memory_and_does_not_require_grad(torch, model):
    state = model.state_dict()
    assert not state["first.weight"].requires_grad and state["first.weight"].is_leaf
    assert state["first.weight"].data_ptr() == model.first.weight.data_ptr()
    with torch.no_grad():
        model.first.weight.fill_(7)
    assert (state["first.weight"] == 7).all()


def test_keep_vars_prefix_and_destination(torch, model):
    destination = OrderedDict(before=1)
    state = model.state_dict(destination=destination, prefix="net.", keep_vars=True)
    assert state is destination and list(state) == ["before", *("net." + key for key in KEYS)]
    assert state["net.first.weight"] is model.first.weight


def test_positional_arguments_are_deprecated(model):
    destination = OrderedDict()
    with pytest.warns(FutureWarning, match="Positional args are being deprecated, use kwargs instead"):
        state = model.state_dict(destination, "net.")
    assert state is destination and next(iter(state)) == "net.first.weight"


def test_loading_copies_into_the_same_parameters(torch, nn, model):
    other = nn.Sequential(OrderedDict(first=nn.Linear(2, 3), norm=nn.BatchNorm1d(3)))
    weight = other.first.weight
    result = other.load_state_dict(model.state_dict())
    assert other.first.weight is weight and torch.equal(weight, model.first.weight)
    assert weight.data_ptr() != model.first.weight.data_ptr() and weight.requires_grad
    assert result.missing_keys == [] and result.unexpected_keys == []
    assert repr(result) == "<All keys matched successfully>" == str(result)
    partly = nn.Linear(1, 1, bias=False).load_state_dict({"bias": torch.ones(1)}, strict=False)
    assert repr(partly) == "_IncompatibleKeys(missing_keys=['weight'], unexpected_keys=['bias'])"


def test_loading_converts_dtypes(torch, model):
    model.load_state_dict({key: value.double() for key, value in model.state_dict().items()})
    assert model.first.weight.dtype == torch.float32


def test_keys_that_do_not_match(torch, model):
    state = model.state_dict()
    del state["first.bias"], state["norm.running_mean"]
    state["extra"] = state["norm.wheel"] = state["norm.weight.part"] = torch.ones(1)
    with pytest.raises(RuntimeError) as caught:
        model.load_state_dict(state)
    assert str(caught.value) == (
        "Error(s) in loading state_dict for Sequential:\n"
        '\tMissing key(s) in state_dict: "first.bias", "norm.running_mean". \n'
        '\tUnexpected key(s) in state_dict: "extra", "norm.wheel", "norm.weight.part". '
    )


def test_keys_that_do_not_match_when_not_strict(torch, model):
    state = model.state_dict()
    state["extra"] = state.pop("first.bias")
    state["first.weight"] = torch.full((3, 2), 5.0)
    result = model.load_state_dict(state, strict=False)
    assert result.missing_keys == ["first.bias"] and result.unexpected_keys == ["extra"]
    assert repr(result) == "IncompatibleKeys(missing_keys=['first.bias'], unexpected_keys=['extra'])".replace(
        "IncompatibleKeys", type(result).__name__
    )
    missing, unexpected = result
    assert (missing, unexpected) == (["first.bias"], ["extra"]) and (model.first.weight == 5).all()


def test_shapes_that_differ_are_refused_even_when_not_strict(torch, model):
    state = model.state_dict()
    state["first.weight"] = torch.ones(3, 3)
    state["first.bias"] = torch.ones(4)
    with pytest.raises(RuntimeError) as caught:
        model.load_state_dict(state, strict=False)
    assert str(caught.value) == (
        "Error(s) in loading state_dict for Sequential:\n"
        "\tsize mismatch for first.weight: copying a param with shape torch.Size([3, 3]) from checkpoint, the shape in "
        "current model is torch.Size([3, 2]).\n"
        "\tsize mismatch for first.bias: copying a param with shape torch.Size([4]) from checkpoint, the shape in "
        "current model is torch.Size([3])."
    )


def test_the_rest_is_loaded_before_an_error_is_raised(torch, model):
    state = {key: value.clone() for key, value in model.state_dict().items()}
    state["first.bias"] = torch.ones(4)
    state["norm.weight"] = torch.full((3,), 9.0)
    with pytest.raises(RuntimeError, match="size mismatch for first.bias"):
        model.load_state_dict(state)
    assert (model.norm.weight == 9).all()


def test_values_that_are_no_tensors(model):
    with pytest.raises(RuntimeError) as caught:
        model.load_state_dict({"first.weight": 3}, strict=False)
    assert (
        'While copying the parameter named "first.weight", expected torch.Tensor or Tensor-like object from checkpoint '
        "but received <class 'int'>"
    ) in str(caught.value)


def test_a_state_that_is_no_mapping(model):
    with pytest.raises(TypeError, match="Expected state_dict to be dict-like, got <class 'list'>."):
        model.load_state_dict([])


def test_one_element_is_loaded_into_a_scalar(torch, nn):
    module = nn.Module()
    module.scale = nn.Parameter(torch.tensor(1.0))
    module.load_state_dict({"scale": torch.tensor([4.0])})
    assert module.scale.item() == 4 and module.scale.dim() == 0


def test_the_state_that_was_given_is_not_changed(model):
    state = model.state_dict()
    model.norm.register_load_state_dict_pre_hook(lambda module, state_dict, *rest: state_dict.clear())
    model.load_state_dict(state, strict=False)
    assert list(state) == KEYS


def test_assign_takes_the_tensors_of_the_state(torch, nn, model):
    model.first.bias.requires_grad_(False)
    state = {key: value.double() if value.is_floating_point() else value for key, value in model.state_dict().items()}
    state["first.bias"] = nn.Parameter(state["first.bias"])
    weight = model.first.weight
    model.load_state_dict(state, assign=True)
    assert model.first.weight is not weight and model.first.weight.dtype == torch.float64
    assert isinstance(model.first.weight, nn.Parameter) and model.first.weight.requires_grad
    assert model.first.weight.data_ptr() == state["first.weight"].data_ptr()
    assert model.first.bias is state["first.bias"] and not model.first.bias.requires_grad
    assert model.norm.running_mean is state["norm.running_mean"]


def test_copying_into_the_meta_device_is_warned_of(torch, nn):
    layer = nn.Linear(2, 2, bias=False, device="meta")
    state = nn.Linear(2, 2, bias=False).state_dict()
    with pytest.warns(UserWarning, match="for weight: copying from a non-meta parameter in the checkpoint to a meta"):
        layer.load_state_dict(state)
    layer.load_state_dict(state, assign=True)
    assert torch.equal(layer.weight, state["weight"])


def test_extra_state(torch, nn):
    class Counter(nn.Module):
        def __init__(self):
            super().__init__()
            self.count = 0

        def get_extra_state(self):
            return {"count": self.count}

        def set_extra_state(self, state):
            self.count = state["count"]

    model, other = nn.Sequential(Counter()), nn.Sequential(Counter())
    model[0].count = 5
    state = model.state_dict()
    assert state == {"0._extra_state": {"count": 5}}
    other.load_state_dict(state)
    assert other[0].count == 5
    with pytest.raises(RuntimeError, match='Missing key\\(s\\) in state_dict: "0._extra_state"'):
        other.load_state_dict({})
    with pytest.raises(RuntimeError, match='Unexpected key\\(s\\) in state_dict: "0._extra_state"'):
        nn.Sequential(nn.Identity()).load_state_dict(state)


def test_hooks_before_and_after_saving(model):
    log = []
    model.first.register_state_dict_pre_hook(lambda module, prefix, keep_vars: log.append((prefix, keep_vars)))

    def post(module, state_dict, prefix, local_metadata):
        log.append((prefix, list(state_dict), local_metadata))
        state_dict[prefix + "added"] = 1

    model.first.register_state_dict_post_hook(post)
    state = model.state_dict()
    assert log == [("first.", False), ("first.", KEYS[:2], {"version": 1})]
    assert state["first.added"] == 1


def test_a_public_hook_after_saving_may_not_return_a_value(model):
    handle = model.register_state_dict_post_hook(lambda *seen: {})
    with pytest.raises(RuntimeError, match="state_dict post-hook must return None"):
        model.state_dict()
    handle.remove()
    assert list(model.state_dict()) == KEYS


def test_a_private_hook_after_saving_may(model):
    model._register_state_dict_hook(lambda *seen: {"other": 1})
    assert model.state_dict() == {"other": 1}


def test_one_function_is_not_a_hook_of_both_kinds(model):
    def hook(*seen):
        return None

    model.register_state_dict_post_hook(hook)
    with pytest.raises(RuntimeError, match="Cannot register the same function as the state dict post hook that was"):
        model._register_state_dict_hook(hook)


def test_hooks_before_loading_may_rename_keys(torch, model):
    def rename(module, state_dict, prefix, metadata, strict, missing_keys, unexpected_keys, error_msgs):
        assert module is model.first and prefix == "first." and strict is True
        state_dict[prefix + "weight"] = state_dict.pop(prefix + "kernel")

    model.first.register_load_state_dict_pre_hook(rename)
    seen = []
    model._register_load_state_dict_pre_hook(lambda state_dict, prefix, *rest: seen.append((prefix, len(rest))))
    state = model.state_dict()
    state["first.kernel"] = torch.full_like(state.pop("first.weight"), 3.0)
    model.load_state_dict(state)
    assert (model.first.weight == 3).all() and seen == [("", 5)]


def test_hooks_before_loading_may_add_errors(model):
    def complain(module, state_dict, prefix, metadata, strict, missing_keys, unexpected_keys, error_msgs):
        error_msgs.append("not today")

    model.norm.register_load_state_dict_pre_hook(complain)
    with pytest.raises(RuntimeError, match="Error\\(s\\) in loading state_dict for Sequential:\n\tnot today"):
        model.load_state_dict(model.state_dict())


def test_hooks_after_loading_may_forgive(model):
    model.first.register_load_state_dict_post_hook(lambda module, incompatible: incompatible.missing_keys.clear())
    state = model.state_dict()
    del state["first.bias"]
    assert model.load_state_dict(state).missing_keys == []


def test_hooks_after_loading_may_not_return(model):
    model.register_load_state_dict_post_hook(lambda module, incompatible: incompatible)
    with pytest.raises(
        AssertionError, match="Hooks registered with ``register_load_state_dict_post_hook`` are not exp"
    ):
        model.load_state_dict(model.state_dict())


def test_loading_may_be_overridden_by_version(torch, nn):
    class Newer(nn.Linear):
        _version = 3

        def _load_from_state_dict(self, state_dict, prefix, local_metadata, *arguments):
            if local_metadata.get("version", 1) < 3:
                state_dict[prefix + "weight"] = state_dict[prefix + "weight"] * 2
            super()._load_from_state_dict(state_dict, prefix, local_metadata, *arguments)

    old, new = nn.Sequential(nn.Linear(1, 1)), nn.Sequential(Newer(1, 1))
    new.load_state_dict(old.state_dict())
    assert torch.equal(new[0].weight, old[0].weight * 2)
    new.load_state_dict(nn.Sequential(new[0]).state_dict())
    assert torch.equal(new[0].weight, old[0].weight * 2)


def test_batch_norm_loads_a_state_from_before_it_counted(torch, nn):
    layer = nn.BatchNorm1d(2)
    state = layer.state_dict()
    del state["num_batches_tracked"], state._metadata
    layer.num_batches_tracked.fill_(5)
    layer.load_state_dict(state)
    assert layer.num_batches_tracked.item() == 5


def test_a_child_that_is_none_is_left_out(nn):
    model = nn.Module()
    model.absent = nn.Linear(1, 1)
    model.absent = None
    assert model.state_dict() == {}
    model.load_state_dict({})


def test_saving_may_be_overridden(torch, nn):
    class Quiet(nn.Linear):
        def _save_to_state_dict(self, destination, prefix, keep_vars):
            destination[prefix + "sum"] = self.weight.sum()

    assert list(nn.Sequential(Quiet(1, 1)).state_dict()) == ["0.sum"]
