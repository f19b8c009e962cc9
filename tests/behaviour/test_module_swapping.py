"""`torch.__future__`: whether converted and loaded parameters get new data, are new objects, or are swapped."""

import copy
import weakref

import pytest


@pytest.fixture
def swaps(torch):
    torch.__future__.set_swap_module_params_on_conversion(True)
    yield
    torch.__future__.set_swap_module_params_on_conversion(False)


@pytest.fixture
def overwrites(torch):
    torch.__future__.set_overwrite_module_params_on_conversion(True)
    yield
    torch.__future__.set_overwrite_module_params_on_conversion(False)


def with_gradients(torch):
    model = torch.nn.Linear(2, 1)
    model(torch.ones(1, 2)).sum().backward()
    return model


def test_both_are_off_at_first(torch):
    assert not torch.__future__.get_swap_module_params_on_conversion()
    assert not torch.__future__.get_overwrite_module_params_on_conversion()


@pytest.mark.parametrize("convert", [lambda m: m.double(), lambda m: m.to("meta"), lambda m: m.to_empty(device="cpu")])
def test_a_swapped_parameter_stays_the_same_object(torch, swaps, convert):
    model = with_gradients(torch)
    before, gradients = list(model.parameters()), [x.grad for x in model.parameters()]
    convert(model)
    assert all(x is y for x, y in zip(model.parameters(), before, strict=True))
    assert all(x.grad is y for x, y in zip(model.parameters(), gradients, strict=True))
    assert all((x.dtype, x.device) == (x.grad.dtype, x.grad.device) for x in model.parameters())
    assert all(type(x) is torch.nn.Parameter and x.requires_grad for x in model.parameters())


def test_a_swapped_parameter_goes_on_training(torch, swaps):
    model = with_gradients(torch)
    optimizer = torch.optim.SGD(model.parameters(), lr=1.0)
    expected = [x.detach().double() - x.grad.double() for x in model.parameters()]
    model.double()
    optimizer.step()
    assert all(torch.equal(x, y) for x, y in zip(model.parameters(), expected, strict=True))


def test_an_overwritten_parameter_is_a_new_object(torch, overwrites):
    model = with_gradients(torch)
    before, gradient = model.weight, model.weight.grad
    model.double()
    assert model.weight is not before and before.dtype == torch.float32
    assert model.weight.grad is not gradient and model.weight.grad.dtype == torch.float64


def test_a_parameter_with_a_weak_reference_is_not_swapped(torch, swaps):
    model = with_gradients(torch)
    gradient = model.weight.grad
    held = weakref.ref(model.weight, print)
    with pytest.raises(RuntimeError, match=r"_apply\(\): Couldn't swap Linear.weight"):
        model.double()
    assert held() is model.weight and model.weight.grad is gradient and model.weight.dtype == torch.float32


@pytest.mark.parametrize("assign", [False, True])
def test_a_state_is_swapped_in(torch, swaps, assign):
    model, other = torch.nn.Linear(2, 2), torch.nn.Linear(2, 2).double()
    before, state = list(model.parameters()), copy.deepcopy(other.state_dict())
    model.load_state_dict(state, assign=assign)
    assert all(x is y for x, y in zip(model.parameters(), before, strict=True))
    assert {x.dtype for x in model.parameters()} == {torch.float64 if assign else torch.float32}
    assert torch.equal(model.weight.double(), state["weight"].to(model.weight.dtype).double())
    assert model.weight.requires_grad and type(model.weight) is torch.nn.Parameter


def test_a_subclass_loads_what_another_class_saved(torch, swaps):
    class Halved(torch.Tensor):
        @classmethod
        def __torch_function__(cls, function, types, args=(), kwargs=None):
            if function is torch.Tensor.module_load:
                return (args[1] / 2).detach().as_subclass(torch.Tensor)
            return super().__torch_function__(function, types, args, kwargs or {})

    model = torch.nn.Linear(2, 2, bias=False)
    model.weight = torch.nn.Parameter(model.weight.detach().as_subclass(Halved))
    model.load_state_dict({"weight": torch.ones(2, 2)})
    assert model.weight.tolist() == [[0.5, 0.5], [0.5, 0.5]]


def test_what_is_loaded_must_be_another_tensor(torch, swaps):
    class Itself(torch.Tensor):
        @classmethod
        def __torch_function__(cls, function, types, args=(), kwargs=None):
            if function is torch.Tensor.module_load:
                return args[0]
            return super().__torch_function__(function, types, args, kwargs or {})

    model = torch.nn.Linear(2, 2, bias=False)
    model.weight = torch.nn.Parameter(model.weight.detach().as_subclass(Itself))
    with pytest.raises(RuntimeError, match="While swapping the parameter.*module_load returned one of self or other"):
        model.load_state_dict({"weight": torch.ones(2, 2)})


def test_a_graph_from_before_the_swap_is_refused(torch, swaps):
    model = torch.nn.Linear(2, 3)
    loss = model(torch.ones(1, 2)).sum()
    model.double()
    with pytest.raises(RuntimeError, match="Trying to execute AccumulateGrad node that was poisoned by swap_tensors"):
        loss.backward()
    model(torch.ones(1, 2, dtype=torch.float64)).sum().backward()
    assert model.bias.grad.tolist() == [1, 1, 1] and model.bias.grad.dtype == torch.float64


def test_hooks_and_gradients_are_swapped_with_the_tensors(torch):
    a, b, seen = torch.ones(1, requires_grad=True), torch.zeros(1, requires_grad=True), []
    a.register_hook(lambda grad: seen.append(grad.item()))
    (3 * a).sum().backward()
    torch.utils.swap_tensors(a, b)
    assert a.grad is None and b.grad.tolist() == [3]
    (2 * a).sum().backward()
    (5 * b).sum().backward()
    assert seen == [3, 5] and a.grad.tolist() == [2] and b.grad.tolist() == [8]


def test_a_parameter_that_becomes_sparse_is_a_new_one(torch):
    model = torch.nn.Linear(2, 2)
    model.weight.grad = torch.ones(2, 2)
    before = model.weight
    model._apply(lambda tensor: tensor.detach().to_sparse())
    assert model.weight is not before and model.weight.is_sparse and model.weight.grad.is_sparse


def test_a_swap_gives_each_tensor_another_number_of_its_contents(torch):
    weight, other, untouched = torch.nn.Parameter(torch.ones(2)), torch.zeros(3), torch.ones(2)
    before = weight._cdata, other._cdata, untouched._cdata
    torch.utils.swap_tensors(weight, other)
    assert weight._cdata != before[0] and other._cdata != before[1] and weight._cdata != other._cdata
    assert untouched._cdata == before[2]
    number = weight._cdata
    torch.utils.swap_tensors(weight, other)
    assert other._cdata == number != weight._cdata


def test_the_number_of_swapped_contents_is_no_other_tensors(torch):
    weight, other = torch.ones(2), torch.zeros(2)
    torch.utils.swap_tensors(weight, other)
    del other
    later = [torch.zeros(2) for _ in range(100)]
    assert weight._cdata not in [tensor._cdata for tensor in later]


def test_a_converted_module_has_other_contents_only_if_its_parameters_are_swapped(torch, swaps):
    layer = torch.nn.Linear(2, 1)
    number = layer.weight._cdata
    layer.to(torch.float64)
    layer.to(torch.float32)  # a second time: our own weak references are none of a program
    assert layer.weight._cdata != number
