"""Subclasses that hold tensors and compute operators in `__torch_dispatch__`, and modes that see operators."""

import copy
import io
import pickle

import pytest


def mapped(kind, change, value):
    """Returns a value in which `change` has replaced the tensors of a class."""
    if isinstance(value, kind):
        return change(value)
    if isinstance(value, dict):
        return {name: mapped(kind, change, each) for name, each in value.items()}
    return type(value)([mapped(kind, change, each) for each in value]) if type(value) in (list, tuple) else value


def class_of_logs(torch):
    """Returns a class that notes the operators it computes on the tensor inside."""

    class Log(torch.Tensor):
        __torch_function__ = torch._C._disabled_torch_function_impl
        seen = []

        @staticmethod
        def __new__(cls, inner):
            made = torch.Tensor._make_wrapper_subclass(
                cls, inner.size(), inner.stride(), dtype=inner.dtype, requires_grad=inner.requires_grad
            )
            made.inner = inner.detach()
            return made

        @classmethod
        def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
            cls.seen.append(str(func))
            args, kwargs = mapped(cls, lambda each: each.inner, (args, kwargs or {}))
            return mapped(torch.Tensor, cls, func(*args, **kwargs))

    return Log


def class_of_pairs(torch):
    """Returns a class of two tensors, in this module so that it can be pickled."""

    class Pair(torch.Tensor):
        @staticmethod
        def __new__(cls, first, second):
            return torch.Tensor._make_wrapper_subclass(
                cls, first.size(), first.stride(), dtype=first.dtype, requires_grad=first.requires_grad
            )

        def __init__(self, first, second):
            self.first, self.second = first, second

        def __repr__(self):
            return f"Pair({self.first}, {self.second})"

        def __tensor_flatten__(self):
            return ["first", "second"], None

        @staticmethod
        def __tensor_unflatten__(inner, context, size, stride):
            return Pair(inner["first"], inner["second"])

        @classmethod
        def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
            values = args, kwargs or {}
            results = []
            for half in ("first", "second"):
                inner, named = mapped(cls, lambda each, half=half: getattr(each, half), values)
                results.append(func(*inner, **named))
            made = cls(*results) if isinstance(results[0], torch.Tensor) else results[0]
            return torch.utils._python_dispatch.return_and_correct_aliasing(func, *values, made)

    Pair.__qualname__, Pair.__module__ = "Pair", __name__
    return Pair


def class_of_weights(torch):
    """Returns a class of weights in int8 that has products and copies and nothing else."""
    aten = torch.ops.aten

    class Weight(torch.Tensor):
        __torch_function__ = torch._C._disabled_torch_function_impl

        @staticmethod
        def __new__(cls, numbers, scale):
            made = torch.Tensor._make_wrapper_subclass(cls, numbers.shape, dtype=torch.float32)
            made.numbers, made.scale = numbers, scale
            return made

        def whole(self):
            return self.numbers.to(torch.float32) * self.scale

        def __repr__(self):
            return f"Weight{tuple(self.shape)}"

        @classmethod
        def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
            if func in (aten.detach.default, aten.clone.default):
                return cls(args[0].numbers.clone(), args[0].scale)
            if func is aten.t.default:
                return cls(args[0].numbers.t(), args[0].scale.t())
            if func is aten.copy_.default:
                args[0].numbers.copy_(args[1].numbers)
                args[0].scale.copy_(args[1].scale)
                return args[0]
            if func in (aten.mm.default, aten.addmm.default):
                return func(*mapped(cls, cls.whole, args))
            raise NotImplementedError(f"{func}")

    return Weight


def quantized(torch, weight):
    scale = weight.abs().amax(1, keepdim=True) / 127
    return class_of_weights(torch)((weight / scale).round().to(torch.int8), scale)


@pytest.fixture
def pair(torch):
    globals()["Pair"] = class_of_pairs(torch)
    yield globals()["Pair"]
    globals().pop("Pair")


OPERATORS = {
    "product, sum and reduction": lambda torch, x: ((x @ x.t() + 1).relu()).sum(),
    "scaled": lambda torch, x: (2 * x / 3 - x) ** 2,
    "views": lambda torch, x: x.view(6).unsqueeze(0).transpose(0, 1),
    "select": lambda torch, x: x[0],
    "slice": lambda torch, x: x[:, 1:],
    "index": lambda torch, x: x[torch.tensor([1])],
    "joined": lambda torch, x: torch.stack([torch.cat([x, x])]),
    "softmax": lambda torch, x: x.softmax(1).log_softmax(0),
    "deviation": lambda torch, x: x.std(1),
    "extremes": lambda torch, x: x.max(1).values.max(),
    "chosen": lambda torch, x: torch.where(x > 0, x, 0).masked_fill(x > 1, 1.0),
    "normalized": lambda torch, x: torch.nn.functional.layer_norm(x, (3,)),
    "convolved": lambda torch, x: torch.nn.functional.conv1d(x.unsqueeze(0), x.unsqueeze(2)[:1, :2].expand(1, 2, 1)),
    "linear": lambda torch, x: torch.nn.functional.linear(x, x, x[0][:2]),
    "cast": lambda torch, x: x.double().clone(),
    "in place": lambda torch, x: x.add_(1).mul_(2).zero_().fill_(3).copy_(torch.ones(2, 3)),
    "alike": lambda torch, x: (torch.zeros_like(x) + x.new_zeros(3)).detach(),
    "number": lambda torch, x: x.sum().item(),
}


@pytest.mark.parametrize("name", OPERATORS)
def test_a_class_gets_the_operators_of_aten(torch, pytorch, name):
    def noted(torch):
        kind = class_of_logs(torch)
        result = OPERATORS[name](torch, kind(torch.arange(6.0).reshape(2, 3) - 2))
        return torch.as_tensor(result.inner if isinstance(result, kind) else result).tolist(), kind.seen

    (numbers, seen), (expected, operators) = noted(torch), noted(pytorch)
    assert torch.allclose(torch.tensor(numbers), torch.tensor(expected))
    assert seen == operators


@pytest.mark.parametrize("name", ["zeros_like", "ones_like", "rand_like"])
def test_a_tensor_like_a_wrapper_that_requires_grad(torch, name):
    kind = class_of_logs(torch)
    made = getattr(torch, name)(kind(torch.ones(3)), requires_grad=True)
    assert type(made) is kind and made.requires_grad and made.is_leaf and made.shape == (3,)
    assert kind.seen[-1].startswith(f"aten.{name}.")
    (made * 2).sum().backward()
    assert type(made.grad) is kind and made.grad.inner.tolist() == [2.0] * 3


def test_gradients_of_a_class(torch, pair):
    x = pair(torch.ones(2, 2), torch.full((2, 2), 2.0)).requires_grad_()
    y = (x @ x).exp().sum()
    y.backward()
    assert type(x.grad) is pair and type(y) is pair and y.grad_fn.name() == "SumBackward0"
    for half in ("first", "second"):
        leaf = getattr(x, half).clone().requires_grad_()
        (leaf @ leaf).exp().sum().backward()
        assert torch.allclose(getattr(x.grad, half), leaf.grad)


def test_second_derivatives_of_a_class(torch, pair):
    x = pair(torch.full((2,), 3.0), torch.ones(2)).requires_grad_()
    (first,) = torch.autograd.grad((x**3).sum(), x, create_graph=True)
    (second,) = torch.autograd.grad(first.sum(), x)
    assert repr(first.detach()) == f"Pair({torch.tensor([27.0, 27.0])}, {torch.tensor([3.0, 3.0])})"
    assert repr(second) == f"Pair({torch.tensor([18.0, 18.0])}, {torch.tensor([6.0, 6.0])})"


def test_a_checkpoint_of_a_class(torch, pair):
    x = pair(torch.ones(2), torch.full((2,), 2.0)).requires_grad_()
    torch.utils.checkpoint.checkpoint(lambda y: y.exp().sin(), x, use_reentrant=False).sum().backward()
    assert torch.allclose(x.grad.second, x.second.exp().cos() * x.second.exp())


def test_nothing_is_recorded_inside(torch):
    inside = []

    class Wrapper(class_of_logs(torch)):
        @classmethod
        def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
            result = super().__torch_dispatch__(func, types, args, kwargs)
            inside.append(result.inner.requires_grad)
            return result

    x = Wrapper(torch.ones(2, requires_grad=True))
    y = x * torch.ones(2, requires_grad=True)
    assert y.requires_grad and not y.is_leaf and not any(inside)


def test_a_write_to_a_saved_wrapper_is_found(torch, pair):
    x = pair(torch.ones(2), torch.ones(2)).requires_grad_()
    y = x * 2
    z = y * y
    y.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        z.sum().backward()
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad"):
        x.add_(1)


def test_a_recorded_write(torch, pair):
    x = pair(torch.ones(2), torch.full((2,), 2.0)).requires_grad_()
    y = x * 3
    assert y.mul_(2) is y
    y.sum().backward()
    assert x.grad.first.tolist() == x.grad.second.tolist() == [6.0, 6.0] and y.second.tolist() == [12.0, 12.0]


def test_a_quantized_weight_in_a_layer(torch):
    layer, x = torch.nn.Linear(3, 4), torch.randn(2, 3, requires_grad=True)
    weight = quantized(torch, torch.randn(4, 3))
    layer.weight = torch.nn.Parameter(weight, requires_grad=False)
    y = layer(x)
    y.sum().backward()
    assert torch.allclose(y, torch.nn.functional.linear(x, weight.whole(), layer.bias))
    assert torch.allclose(x.grad, weight.whole().sum(0).expand(2, 3)) and layer.bias.grad.tolist() == [2.0] * 4
    assert type(layer.weight).__name__ == "Weight" and isinstance(layer.weight, torch.nn.Parameter)
    with pytest.raises(NotImplementedError, match=r"aten\.exp\.default"):
        layer.weight.exp()


def test_the_state_of_a_layer(torch):
    def layer():
        made = torch.nn.Linear(3, 4, bias=False)
        made.weight = torch.nn.Parameter(quantized(torch, torch.randn(4, 3)), requires_grad=False)
        return made

    one, other = layer(), layer()
    other.weight.__class__ = one.weight.__class__
    other.load_state_dict(one.state_dict())
    assert torch.equal(other.weight.numbers, one.weight.numbers) and type(other.weight) is type(one.weight)


def test_training_and_conversion(torch, pair):
    layer = torch.nn.Linear(3, 2, bias=False)
    start = layer.weight.detach().clone()
    layer.weight = torch.nn.Parameter(pair(start.clone(), start.clone()))
    optimizer = torch.optim.SGD(layer.parameters(), lr=0.5)
    layer(torch.ones(1, 3)).sum().backward()
    optimizer.step()
    assert torch.allclose(layer.weight.second, start - 0.5) and type(layer.weight) is pair
    assert layer.double().weight.first.dtype is torch.float64 is layer.weight.dtype


def test_copies_and_pickles(torch, pair):
    x = pair(torch.ones(2), torch.zeros(2))
    file = io.BytesIO()
    torch.save(x, file)
    file.seek(0)
    loaded = torch.load(file, weights_only=False)
    for made in (copy.deepcopy(x), pickle.loads(pickle.dumps(x)), loaded):
        assert type(made) is pair and repr(made) == repr(x) and made.first is not x.first
        assert made.shape == x.shape and made.dtype is x.dtype and made.stride() == x.stride()


def test_the_copy_of_a_class_without_clone_is_refused(torch):
    class Number(class_of_logs(torch)):
        @classmethod
        def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
            return super().__torch_dispatch__(func, types, args, kwargs).inner

    with pytest.raises(RuntimeError, match="default implementation of __deepcopy__"):
        copy.deepcopy(Number(torch.ones(2)))


def test_properties_and_refusals(torch):
    class Silent(torch.Tensor):
        @classmethod
        def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
            return NotImplemented

    make = torch.Tensor._make_wrapper_subclass
    x = make(Silent, (2, 3), requires_grad=True)
    assert (x.shape, x.stride(), x.dtype, x.device.type) == ((2, 3), (3, 1), torch.float32, "cpu")
    assert x.requires_grad and x.is_leaf and x.is_contiguous() and len(x) == 2 and x.numel() == 6
    for error, message, call in (
        (TypeError, "Plain must define __torch_dispatch__", lambda: make(type("Plain", (torch.Tensor,), {}), (2,))),
        (TypeError, "does not inherit from Tensor is not possible", lambda: make(int, (2,))),
        (TypeError, "'size' .position 2. must be tuple of ints, not int", lambda: make(Silent, 3)),
        (ValueError, "Unknown sizes_strides_policy", lambda: make(Silent, (2,), dispatch_sizes_strides_policy="no")),
        (RuntimeError, "dimensionality of sizes .2. must match", lambda: make(Silent, (2, 3), (1,))),
        (RuntimeError, "Only Tensors of floating", lambda: make(Silent, (), dtype=torch.int32, requires_grad=True)),
        (TypeError, "Multiple dispatch failed for 'torch._ops.aten.mul.Tensor'", lambda: torch.mul(x, 1)),
        (RuntimeError, "numpy.. is not supported for tensor subclasses", lambda: x.numpy()),
        (RuntimeError, "a Tensor with 6 elements cannot be converted to Scalar", lambda: x.item()),
    ):
        with pytest.raises(error, match=message):
            call()


def test_a_mode_sees_operators(torch):
    seen = []

    class Mode(torch.utils._python_dispatch.TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            seen.append(str(func))
            if func is torch.ops.aten.add.Tensor:
                return torch.ops.aten.mul.Tensor(*args)
            return func(*args, **(kwargs or {}))

    w, x = torch.ones(3, 2, requires_grad=True), torch.ones(2, 3)
    z = x.clone()
    with Mode():
        y = ((x @ w) + 2).sum()
        view = z.view(6)
        view.mul_(2)
    assert seen == ["aten.mm.default", "aten.add.Tensor", "aten.sum.default", "aten.view.default", "aten.mul_.Tensor"]
    y.backward()
    assert y.item() == 24.0 and w.grad.tolist() == [[2.0, 2.0]] * 3 and view._base is z and z[0, 0] == 2
    assert (z + z).tolist() == [[4.0] * 3] * 2 and len(seen) == 5


def test_queries_of_wrappers_and_modes(torch, pair):
    from_module = torch.utils._python_dispatch
    x = pair(torch.ones(2), torch.zeros(2))
    assert from_module.is_traceable_wrapper_subclass(x) and not from_module.is_traceable_wrapper_subclass(x.first)
    moved = from_module.transform_subclass(x, lambda name, inner: inner + 1)
    assert repr(moved) == f"Pair({torch.tensor([2.0, 2.0])}, {torch.tensor([1.0, 1.0])})"
    with from_module.TorchDispatchMode() as mode:
        assert from_module._get_current_dispatch_mode() is mode
        with from_module._disable_current_modes():
            assert from_module._get_current_dispatch_mode_stack() == []


def test_a_plain_tensor_that_is_written_to_stays_plain(torch):
    class Marked(torch.Tensor):
        pass

    x = torch.ones(2)
    result = x.add_(torch.ones(2).as_subclass(Marked))
    assert type(result) is Marked and type(x) is torch.Tensor and x.tolist() == [2.0, 2.0]
