"""Copies of tensors and of structures that hold them: `copy`, `deepcopy`, `pickle`."""

import copy
import pickle

import pytest


class Holder:
    """Something of the user's that holds tensors, and itself."""


def repickled(value):
    return pickle.loads(pickle.dumps(value))


both_ways = pytest.mark.parametrize("duplicate", [copy.deepcopy, repickled], ids=["deepcopy", "pickle"])


@both_ways
@pytest.mark.parametrize(
    "expression",
    [
        "torch.tensor([1.5, 2.5])",
        "torch.tensor(3)",
        "torch.tensor([True, False])",
        "torch.tensor([1 + 2j])",
        "torch.tensor([1, 2], dtype=torch.bfloat16)",
        "torch.tensor([1, 2], dtype=torch.uint8)",
        "torch.zeros(0, 3)",
        "torch.ones(2, requires_grad=True)",
        "torch.arange(6).reshape(2, 3).t()",
        "torch.arange(6).reshape(2, 3)[1]",
        "torch.arange(3).expand(2, 3)",
    ],
)
def test_values_and_layout(torch, duplicate, expression):
    x = eval(expression, {"torch": torch})
    y = duplicate(x)
    assert type(y) is torch.Tensor
    assert (y.dtype, y.shape, y.tolist()) == (x.dtype, x.shape, x.tolist())
    assert (y.stride(), y.storage_offset()) == (x.stride(), x.storage_offset())
    assert (y.requires_grad, y.is_leaf) == (x.requires_grad, True)
    assert y.untyped_storage().nbytes() == x.untyped_storage().nbytes()
    if x.numel():
        assert y.data_ptr() != x.data_ptr()


def test_copy_shares_memory(torch):
    x = torch.ones(2, requires_grad=True)
    x.grad = torch.full((2,), 3.0)
    y = copy.copy(x)
    assert y is not x
    assert y.data_ptr() == x.data_ptr()
    assert (y.requires_grad, y.grad) == (True, None)


def test_deepcopy_copies_the_gradient(torch):
    x = torch.ones(2, requires_grad=True)
    x.grad = torch.full((2,), 3.0)
    y = copy.deepcopy(x)
    assert (y.requires_grad, y.is_leaf, y.grad.tolist()) == (True, True, [3, 3])
    y.grad.zero_()
    y.data.zero_()
    assert (x.tolist(), x.grad.tolist()) == ([1, 1], [3, 3])


def test_pickle_leaves_the_gradient_behind(torch):
    x = torch.ones(2, requires_grad=True)
    x.grad = torch.full((2,), 3.0)
    y = repickled(x)
    assert (y.requires_grad, y.grad) == (True, None)


def test_the_history_is_not_copied(torch):
    x = torch.ones(2, requires_grad=True) * 2
    for y in [repickled(x), copy.copy(x)]:
        assert (y.tolist(), y.grad_fn, y.is_leaf, y.requires_grad) == ([2, 2], None, True, True)
    with pytest.raises(
        RuntimeError, match=r"^Only Tensors created explicitly by the user \(graph leaves\) support the"
    ):
        copy.deepcopy(x)


@both_ways
def test_one_tensor_twice_stays_one(torch, duplicate):
    x = torch.ones(2)
    first, second = duplicate([x, x])
    assert first is second
    named = duplicate({"a": x, "b": (x,)})
    assert named["a"] is named["b"][0]


def test_deepcopy_keeps_views_together(torch):
    base = torch.arange(6.0).reshape(2, 3)
    again, row = copy.deepcopy((base, base[0]))
    row.zero_()
    assert again.tolist() == [[0, 0, 0], [3, 4, 5]]
    assert base.tolist() == [[0, 1, 2], [3, 4, 5]]


def test_deepcopy_of_a_cycle(torch):
    holder = Holder()
    holder.tensor, holder.itself = torch.ones(2), holder
    again = copy.deepcopy(holder)
    assert again.itself is again
    assert again.tensor is not holder.tensor
    assert again.tensor.tolist() == [1, 1]


def test_deepcopy_through_a_tensors_own_attribute(torch):
    x = torch.ones(2)
    x.partner = [x]
    again = copy.deepcopy(x)
    assert again.partner[0] is not x
    assert again.partner[0].tolist() == [1, 1]


def test_own_attributes_are_copied(torch):
    x = torch.ones(1)
    x.note = ["kept"]
    assert copy.copy(x).note is x.note
    assert copy.deepcopy(x).note == repickled(x).note == ["kept"]
    assert copy.deepcopy(x).note is not x.note


@both_ways
def test_parameters(torch, duplicate):
    for requires_grad in [True, False]:
        parameter = torch.nn.Parameter(torch.ones(2), requires_grad=requires_grad)
        again = duplicate(parameter)
        assert type(again) is torch.nn.Parameter
        assert again.requires_grad is requires_grad
        assert again.data_ptr() != parameter.data_ptr()
    assert type(copy.copy(parameter)) is torch.nn.Parameter


@both_ways
def test_modules(torch, duplicate):
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.BatchNorm1d(3))
    model[0].weight.requires_grad = False
    model[0].bias = model[1].bias  # one parameter under two names
    again = duplicate(model)
    assert [name for name, _ in again.named_parameters()] == [name for name, _ in model.named_parameters()]
    assert again[0].bias is again[1].bias
    assert not again[0].weight.requires_grad
    assert torch.equal(again[0].weight, model[0].weight)
    assert again[0].weight.data_ptr() != model[0].weight.data_ptr()


def test_the_version_starts_at_a_copy(torch):
    x = torch.ones(2)
    x.add_(1)
    assert (x._version, x.clone()._version) == (1, 0)


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_pickle_protocols(torch, protocol):
    assert pickle.loads(pickle.dumps(torch.tensor([1.5, 2]), protocol=protocol)).tolist() == [1.5, 2]


@both_ways
@pytest.mark.parametrize(
    "expression",
    ["torch.float32", "torch.bfloat16", "torch.device('cpu')", "torch.device('cuda:1')", "torch.Size([1, 2])"],
)
def test_the_small_types(torch, duplicate, expression):
    value = eval(expression, {"torch": torch})
    again = duplicate(value)
    assert (again, type(again)) == (value, type(value))
    if isinstance(value, torch.dtype):
        assert again is value


def test_hooks_are_not_pickled(torch):
    x = torch.ones(1, requires_grad=True)
    x.register_hook(lambda gradient: gradient * 2)
    with pytest.warns(UserWarning, match="will not be serialized"):
        assert repickled(x).tolist() == [1]


@pytest.mark.parametrize("name", ["float16", "bfloat16"])
def test_joining_keeps_every_bit_of_a_small_float(torch, name):
    bits = torch.arange(65536).to(torch.int16)
    numbers = bits.view(getattr(torch, name))  # signalling NaNs are among them: computing with one makes it quiet
    assert torch.equal(torch.cat([numbers[:5], numbers[5:]]).view(torch.int16), bits)
    assert torch.equal(torch.stack([numbers, numbers], 1)[:, 1].view(torch.int16), bits)
    assert torch.equal(torch.block_diag(numbers[-9:], numbers[:1])[0, :9].view(torch.int16), bits[-9:])
