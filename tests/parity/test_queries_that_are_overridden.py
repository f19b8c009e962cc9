"""`__torch_function__` gets attributes and queries that compute nothing, too, as in PyTorch."""

import copy
import inspect

import pytest

import rushlight as ours
from rushlight.dispatch.offered_queries import ATTRIBUTES, METHODS

theirs = pytest.importorskip("torch")

ARGUMENTS = {
    **dict.fromkeys(["is_same_size", "is_set_to", "resize_as", "resize_as_", "smm", "sparse_mask", "sspaddmm"], "x"),
    **dict.fromkeys(["type_as"], "x"), **dict.fromkeys(["resize", "resize_", "split", "multinomial"], "1"),
    **dict.fromkeys(["apply_", "register_hook", "register_post_accumulate_grad_hook"], "abs"),
    "__deepcopy__": "{}", "__format__": "''", "__reduce_ex__": "2", "__setstate__": "()", "fill_diagonal_": "1.0",
    "geometric_": "0.5", "map_": "x, max", "map2_": "x, x, max", "to": "torch.float64", "sspaddmm": "x, x",
}  # fmt: skip
ALIASES = {"ndimension": "dim", "nelement": "numel"}
ELSEWHERE = ("__dlpack__",)  # PyTorch passes the arguments' defaults along


def answering(torch):
    """A class that answers every call with what it gets."""

    class Answering(torch.Tensor):
        @classmethod
        def __torch_function__(cls, function, types, arguments=(), keywords=None):
            return function, types, arguments, keywords

    return Answering


def received(torch, name, call):
    """The arguments that a class gets for a use; the function is checked."""
    x = torch.ones(2, 2).as_subclass(kind := answering(torch))
    member = inspect.getattr_static(torch.Tensor, name)
    function = getattr(torch.Tensor, ALIASES.get(name, name)) if call else member.__get__
    result = eval(f"x.{name}({ARGUMENTS.get(name, '')})" if call else f"x.{name}", {"x": x, "torch": torch})
    assert result[0] == function and result[1] == (kind,) and result[2][0] is x, name
    plain = [each for each in result[2][1:] if not isinstance(each, torch.Tensor)]
    return [str(each).replace("rushlight", "torch") for each in plain]


@pytest.mark.parametrize("name", ATTRIBUTES)
def test_an_attribute_is_seen_as_its_getter(name):
    assert received(ours, name, False) == received(theirs, name, False)


@pytest.mark.parametrize("name", METHODS)
def test_a_query_is_seen_as_the_method(name):
    mine, other = received(ours, name, True), received(theirs, name, True)
    assert mine == other or name in ELSEWHERE


@pytest.mark.parametrize("torch", [ours, theirs])
def test_writes_of_attributes_are_seen_as_setters(torch):
    seen = []

    class Seeing(torch.Tensor):
        @classmethod
        def __torch_function__(cls, function, types, arguments=(), keywords=None):
            seen.append(function)
            return super().__torch_function__(function, types, arguments, keywords or {})

    x = torch.ones(2).as_subclass(Seeing)
    x.requires_grad = True
    x.grad = torch.ones(2)
    x.data = torch.zeros(2)
    del x.grad
    Tensor = torch.Tensor
    assert seen[:2] == [Tensor.requires_grad.__set__, Tensor.grad.__set__]
    assert seen[2:] == [Tensor.data.__set__, Tensor.grad.__delete__]
    with torch._C.DisableTorchFunctionSubclass():
        assert x.requires_grad and x.grad is None and x.tolist() == [0.0, 0.0]


@pytest.mark.parametrize("torch", [ours, theirs])
def test_a_class_that_passes_everything_on_works_as_a_tensor(torch):
    class Passing(torch.Tensor):
        @classmethod
        def __torch_function__(cls, function, types, arguments=(), keywords=None):
            return super().__torch_function__(function, types, arguments, keywords or {})

        def new_empty(self, *arguments, **keywords):
            return super().new_empty(*arguments, **keywords).as_subclass(Passing)

    layer, x = torch.nn.Linear(2, 1), torch.ones(3, 2).as_subclass(Passing).requires_grad_()
    layer.weight = torch.nn.Parameter(torch.ones(1, 2).as_subclass(Passing))
    layer(x).sum().backward()
    assert type(x.grad) is torch.Tensor and x.grad is x.grad and x.grad.tolist() == [[1.0, 1.0]] * 3
    optimizer = torch.optim.Adam(layer.parameters(), lr=0.5)
    optimizer.step()
    assert layer.weight.tolist() == [[0.5, 0.5]]
    detached = x.detach()
    assert type(detached) is Passing and detached.shape == (3, 2) and len(detached) == 3 and not detached.requires_grad
    assert type(x.to(torch.float64)) is Passing and x.double().dtype is torch.float64
    assert type(copy.deepcopy(detached)) is Passing and bool(x[0, 0] > 0)
    assert detached.numpy().tolist() == [[1.0, 1.0]] * 3 and detached.stride() == (2, 1)


@pytest.mark.parametrize("torch", [ours, theirs])
def test_a_class_may_have_its_own_and_subclasses_may_decline(torch):
    class Own(answering(torch)):
        def cpu(self):
            return "own"

        @property
        def shape(self):
            return "mine"

    class Declining(Own):
        __torch_function__ = torch._C._disabled_torch_function_impl

    x, y = torch.ones(2).as_subclass(Own), torch.ones(2).as_subclass(Declining)
    assert x.cpu() == "own" and x.shape == "mine" and x.dim()[2][0] is x
    assert y.cpu() == "own" and y.dim() == 1 and y.dtype is torch.float32
    with torch._C.DisableTorchFunctionSubclass():
        assert x.dim() == 1 and x.item is not None and x.dtype is torch.float32


def test_a_class_of_another_base_first_and_operators_inside():
    torch, seen = ours, []

    class Base:
        @classmethod
        def __torch_function__(cls, function, types, arguments=(), keywords=None):
            seen.append(function.__name__)
            with torch._C.DisableTorchFunctionSubclass():
                return function(*arguments, **(keywords or {}))

        def numel(self):
            return 17

    class Mixed(Base, torch.Tensor):
        pass

    x = torch.ones(2, 3).as_subclass(Mixed)
    assert x.numel() == 17 and x.size() == (2, 3) and seen == ["size"]
    torch.nn.functional.softmax(x @ x.T, -1)
    assert seen == ["size", "__get__", "matmul", "softmax"] or "shape" not in seen
