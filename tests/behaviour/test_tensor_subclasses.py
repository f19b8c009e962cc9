"""Subclasses of Tensor and other classes with `__torch_function__`: what they are told of a call, and what they get."""

import pytest


@pytest.fixture
def kind(torch):
    class Kind(torch.Tensor):
        """A subclass that overrides nothing."""

    return Kind


SAME_KIND = {
    "detach": lambda torch, x: x.detach(),
    "data": lambda torch, x: x.data,
    "slice": lambda torch, x: next(iter(x)),
    "named results": lambda torch, x: x.max(0).values,
    "results": lambda torch, x: x.sort()[1],
    "zeros_like": lambda torch, x: torch.zeros_like(x),
    "full_like": lambda torch, x: torch.full_like(x, 2.0),
    "new_zeros": lambda torch, x: x.new_zeros(2),
    "new_tensor": lambda torch, x: x.new_tensor([1]),
    "new_full": lambda torch, x: x.new_full((2,), 1.0),
}


@pytest.mark.parametrize("operation", SAME_KIND)
def test_what_comes_of_a_subclass_is_of_the_subclass(torch, kind, operation):
    assert type(SAME_KIND[operation](torch, torch.ones(2, 2).as_subclass(kind))) is kind


def test_named_results_keep_their_names(torch, kind):
    result = torch.tensor([[1.0, 3.0], [2.0, 0.0]]).as_subclass(kind).max(dim=1)
    assert type(result).__name__ == "max"
    assert result.indices.tolist() == [1, 0]


def test_a_detached_subclass_shares_memory_and_not_history(torch, kind):
    x = torch.ones(2, requires_grad=True).as_subclass(kind)
    y = x.detach()
    assert y.data_ptr() == x.data_ptr()
    assert not y.requires_grad
    assert not x.data.requires_grad


def duck(torch, calls):
    """A class that is no tensor and notes how it is called."""

    class Duck:
        @classmethod
        def __torch_function__(cls, function, types, arguments=(), keywords=None):
            calls.append((function.__name__, arguments[1:], keywords or {}))
            return 0

    return Duck()


@pytest.mark.parametrize(
    ("call", "seen"),
    [
        (lambda torch, x: torch.mean(x), ("mean", (), {})),
        (lambda torch, x: torch.sum(x, dim=1, keepdim=True), ("sum", (), {"dim": 1, "keepdim": True})),
        (lambda torch, x: torch.add(1, x, alpha=2), None),
        (lambda torch, x: torch.softmax(x, -1), ("softmax", (-1,), {})),
        (lambda torch, x: torch.clamp(x, max=2), ("clamp", (), {"max": 2})),
        (lambda torch, x: torch.exp(x), ("exp", (), {})),
    ],
)
def test_an_override_is_reported_what_was_written(torch, call, seen):
    calls = []
    call(torch, duck(torch, calls))
    ((name, arguments, keywords),) = calls
    if seen is None:
        assert (name, keywords) == ("add", {"alpha": 2})
    else:
        # By position or by name: a function that follows `def mean(input)` can be called either way
        assert (name, [*arguments, *keywords.values()]) == (seen[0], [*seen[1], *seen[2].values()])


def test_a_handler_needs_only_the_arguments_that_it_knows(torch):
    """The example of PyTorch's notes on extending: https://docs.pytorch.org/docs/stable/notes/extending.html"""

    class Scalar:
        def __init__(self, size, value):
            self.size, self.value = size, value

        @classmethod
        def __torch_function__(cls, function, types, arguments=(), keywords=None):
            if function is not torch.mean:
                return NotImplemented
            return mean(*arguments, **(keywords or {}))

    def mean(input):
        return input.value / input.size

    assert torch.mean(Scalar(5, 2.0)) == 0.4
    with pytest.raises(TypeError, match="^Multiple dispatch failed for 'torch.sub'; all __torch_function__ handlers"):
        torch.sub(Scalar(1, 1.0), Scalar(1, 1.0))


def test_a_class_that_refuses_an_operator_may_answer_by_a_method_of_its_own(torch):
    class Quantity:
        @classmethod
        def __torch_function__(cls, function, types, arguments=(), keywords=None):
            return NotImplemented

        def __radd__(self, other):
            return "reflected add"

        def __rmatmul__(self, other):
            return "reflected matmul"

        def __gt__(self, other):
            return "reflected gt"

    x, quantity = torch.ones(2), Quantity()
    assert x + quantity == "reflected add"
    assert x @ quantity == "reflected matmul"
    assert (x < quantity) == "reflected gt"
    for refused in (lambda: x - quantity, lambda: x / quantity, lambda: x & quantity):
        with pytest.raises(TypeError, match="unsupported operand type.* 'Tensor' and 'Quantity'"):
            refused()
    with pytest.raises(TypeError, match="^Multiple dispatch failed for 'torch.add'"):
        torch.add(x, quantity)


def test_the_repr_of_a_parameter(torch):
    parameter = torch.nn.Parameter(torch.ones(2))
    assert repr(parameter) == "Parameter containing:\ntensor([1., 1.], requires_grad=True)"
    assert str(torch.nn.Parameter(torch.arange(2), requires_grad=False)) == "Parameter containing:\ntensor([0, 1])"
    assert str(torch.nn.Linear(1, 1, bias=False).weight.detach().fill_(2)) == "tensor([[2.]])"
    assert f"{torch.nn.Parameter(torch.tensor(1.5)).item():.2f}" == "1.50"


def test_the_repr_of_a_subclass_of_parameter(torch):
    class Weight(torch.nn.Parameter):
        pass

    assert repr(Weight(torch.ones(1))) == "Parameter containing:\nParameter(Weight([1.], requires_grad=True))"


def test_a_subclass_says_how_a_parameter_is_made_of_it(torch):
    class Named(torch.Tensor):
        @classmethod
        def __torch_function__(cls, function, types, arguments=(), keywords=None):
            result = super().__torch_function__(function, types, arguments, keywords or {})
            if function.__name__ == "detach":
                result.label = arguments[0].label
            return result

    x = torch.ones(2).as_subclass(Named)
    x.label = "x"
    parameter = torch.nn.Parameter(x)
    assert (type(parameter), parameter.label, parameter.requires_grad) == (Named, "x", True)
    assert isinstance(parameter, torch.nn.Parameter)
    assert parameter.data_ptr() == x.data_ptr()
