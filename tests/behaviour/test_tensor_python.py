"""A tensor among Python's own things: iteration, `in`, `len`, `bool`, hashing, operators and what they refuse."""

import weakref

import pytest


def test_len_and_iteration(torch):
    x = torch.arange(6).reshape(2, 3)
    assert len(x) == 2
    assert [row.tolist() for row in x] == [[0, 1, 2], [3, 4, 5]]
    first, second = x
    assert (first.shape, second.shape) == ((3,), (3,))
    assert [element.item() for element in torch.tensor([1, 2])] == [1, 2]
    assert all(element.dim() == 0 for element in torch.tensor([1, 2]))
    assert list(torch.zeros(0, 3)) == []
    assert [int(a) + int(b) for a, b in zip(torch.tensor([1, 2]), torch.tensor([3, 4]), strict=True)] == [4, 6]
    assert reversed(torch.tensor([1, 2])).tolist() == [2, 1]


def test_iteration_gives_views(torch):
    x = torch.zeros(2, 2)
    for number, row in enumerate(x):
        row.fill_(number)
    assert x.tolist() == [[0, 0], [1, 1]]


def test_builtins(torch):
    x = torch.tensor([2.0, 1.0, 3.0])
    assert sum(x).item() == 6
    assert (max(x).item(), min(x).item()) == (3, 1)
    assert [element.item() for element in sorted(x)] == [1, 2, 3]
    assert any(x) and all(x)
    assert abs(-x).tolist() == [2, 1, 3]
    assert (+x).tolist() == x.tolist()
    assert (-torch.tensor([1, -2])).tolist() == [-1, 2]
    assert (~torch.tensor([2])).tolist() == [-3]
    assert (~torch.tensor([True, False])).tolist() == [False, True]
    assert {"value": x}["value"] is x


@pytest.mark.parametrize(
    ("expression", "result"),
    [
        ("1 in torch.tensor([1, 2])", True),
        ("3 in torch.tensor([1, 2])", False),
        ("1.5 in torch.tensor([1, 2])", False),
        ("True in torch.tensor([0, 1])", True),
        ("torch.tensor(1) in torch.tensor([1, 2])", True),
        ("torch.tensor([1, 2]) in torch.tensor([[1, 5], [3, 4]])", True),
        ("torch.tensor([7, 2]) in torch.tensor([[1, 5], [3, 4]])", False),
        ("float('nan') in torch.tensor([float('nan')])", False),
        ("bool(torch.tensor(0.0))", False),
        ("bool(torch.tensor([[3]]))", True),
        ("bool(torch.tensor(0j))", False),
        ("not torch.tensor([0.0])", True),
        ("bool(torch.tensor([1, 2]) == None)", False),
        ("bool(torch.tensor([1, 2]) != None)", True),
        ("torch.tensor([1, 2]) == 'a'", False),
        ("torch.tensor([1, 2]) == [1, 2]", False),
        ("torch.tensor([1]) in [torch.tensor([1])]", True),
    ],
)
def test_truth(torch, expression, result):
    assert eval(expression, {"torch": torch}) is result


def test_hashing_is_by_identity(torch):
    x, y = torch.tensor(1), torch.tensor(1)
    assert hash(x) == id(x)
    assert len({x, y, x}) == 2
    table = {x: "x", y: "y"}
    assert (table[x], table[y]) == ("x", "y")
    before = hash(x)
    x.add_(1)
    assert hash(x) == before


def test_membership_of_a_list_is_by_identity_first(torch):
    x = torch.tensor([1, 2])
    assert x in [x]
    assert [x].index(x) == 0
    with pytest.raises(RuntimeError, match="^Boolean value of Tensor with more than one value is ambiguous"):
        _ = torch.tensor([1, 2]) in [torch.tensor([1, 2])]


def test_comparison_gives_a_tensor(torch):
    x, y = torch.tensor([1, 2, 3]), torch.tensor([1, 5, 2])
    assert (x == y).tolist() == [True, False, False]
    assert (x != y).tolist() == [False, True, True]
    assert (x < y).tolist() == [False, True, False]
    assert (2 <= x).tolist() == (x >= 2).tolist() == [False, True, True]
    assert (x == y).dtype is torch.bool
    assert torch.equal(x, x.clone())
    assert not torch.equal(x, y)
    assert not torch.equal(x, x[:2])


def test_weak_references(torch):
    x = torch.ones(1)
    reference = weakref.ref(x)
    assert reference() is x
    del x
    assert reference() is None


def test_reflected_operators(torch):
    x = torch.tensor([1.0, 2.0])
    assert (3 - x).tolist() == [2, 1]
    assert (3 / x).tolist() == [3, 1.5]
    assert (3 // x).tolist() == [3, 1]
    assert (3 % x).tolist() == [0, 1]
    assert (3**x).tolist() == [3, 9]
    assert (3 + x).tolist() == [4, 5]
    assert (3 * x).tolist() == [3, 6]
    assert (7 & torch.tensor([5])).tolist() == [5]
    assert (2 | torch.tensor([5])).tolist() == [7]
    assert (1 ^ torch.tensor([5])).tolist() == [4]
    assert (1 << torch.tensor([3])).tolist() == [8]
    assert (16 >> torch.tensor([3])).tolist() == [2]


def test_matrix_operator(torch):
    x = torch.arange(6.0).reshape(2, 3)
    assert (x @ x.t()).tolist() == [[5, 14], [14, 50]]
    assert (x @ torch.ones(3)).tolist() == [3, 12]
    assert (torch.ones(2) @ x).tolist() == [3, 5, 7]
    assert (torch.tensor([1, 2]) @ torch.tensor([3, 4])).tolist() == 11
    assert (torch.ones(5, 2, 3) @ torch.ones(3, 4)).shape == (5, 2, 4)


class Other:
    """A class that answers for itself beside a tensor."""

    def __radd__(self, tensor):
        return "radd"

    def __rmatmul__(self, tensor):
        return "rmatmul"

    def __gt__(self, tensor):
        return "gt"


def test_an_operator_leaves_the_answer_to_the_other_class(torch):
    x = torch.ones(2)
    assert x + Other() == "radd"
    assert x @ Other() == "rmatmul"
    assert (x < Other()) == "gt"


SIZES = "The size of tensor a (2) must match the size of tensor b (3) at non-singleton dimension 0"


@pytest.mark.parametrize(
    ("expression", "error", "first_line"),
    [
        ("len(torch.tensor(1))", TypeError, "len() of a 0-d tensor"),
        ("list(torch.tensor(1))", TypeError, "iteration over a 0-d tensor"),
        ("iter(torch.tensor(1))", TypeError, "iteration over a 0-d tensor"),
        (
            "'a' in x",
            RuntimeError,
            "Tensor.__contains__ only supports Tensor or scalar, but you passed in a <class 'str'>.",
        ),
        (
            "None in x",
            RuntimeError,
            "Tensor.__contains__ only supports Tensor or scalar, but you passed in a <class 'NoneType'>.",
        ),
        ("x + 'a'", TypeError, "unsupported operand type(s) for +: 'Tensor' and 'str'"),
        ("x + None", TypeError, "unsupported operand type(s) for +: 'Tensor' and 'NoneType'"),
        ("x + [1, 2]", TypeError, "unsupported operand type(s) for +: 'Tensor' and 'list'"),
        ("x - {}", TypeError, "unsupported operand type(s) for -: 'Tensor' and 'dict'"),
        ("x @ 3", TypeError, "unsupported operand type(s) for @: 'Tensor' and 'int'"),
        ("None - x", TypeError, "unsupported operand type(s) for -: 'NoneType' and 'Tensor'"),
        ("x < 'a'", TypeError, "'<' not supported between instances of 'Tensor' and 'str'"),
        ("x >= None", TypeError, "'>=' not supported between instances of 'Tensor' and 'NoneType'"),
        ("x + torch.ones(3)", RuntimeError, SIZES),
        ("x * torch.ones(3)", RuntimeError, SIZES),
        ("x == torch.ones(3)", RuntimeError, SIZES),
        (
            "torch.ones(2, 3, 4) + torch.ones(2, 4)",
            RuntimeError,
            "The size of tensor a (3) must match the size of tensor b (2) at non-singleton dimension 1",
        ),
        (
            "torch.ones(2, 2) @ torch.ones(3, 2)",
            RuntimeError,
            "mat1 and mat2 shapes cannot be multiplied (2x2 and 3x2)",
        ),
        (
            "torch.ones(2) @ torch.ones(3)",
            RuntimeError,
            "inconsistent tensor size, expected tensor [2] and src [3] to have the same number of elements, but got 2 "
            "and 3 elements respectively",
        ),
        (
            "torch.tensor(1) @ torch.tensor(2)",
            RuntimeError,
            "both arguments to matmul need to be at least 1D, but they are 0D and 0D",
        ),
        ("divmod(x, 3)", TypeError, "unsupported operand type(s) for divmod(): 'Tensor' and 'int'"),
    ],
)
def test_refused(torch, expression, error, first_line):
    with pytest.raises(error) as caught:
        eval(expression, {"torch": torch, "x": torch.tensor([1, 2])})
    assert str(caught.value).splitlines()[0] == first_line


@pytest.mark.parametrize("count", [1, 3])
def test_unpacking_another_number_of_rows(torch, count):
    with pytest.raises(ValueError, match="values to unpack"):
        exec("a, = x" if count == 1 else "a, b, c = x", {"x": torch.ones(2, 2)})


def test_subclasses(torch):
    class Named(torch.Tensor):
        pass

    named = torch.ones(2).as_subclass(Named)
    assert type(named) is type(named + 1) is type(1 + named) is type(named[0]) is type(named.sum()) is Named
    assert isinstance(named, torch.Tensor)
    assert torch.ones(2).as_subclass(torch.Tensor).tolist() == [1, 1]


def test_parameters(torch):
    parameter = torch.nn.Parameter(torch.ones(2))
    assert isinstance(parameter, torch.Tensor)
    assert (parameter.requires_grad, parameter.is_leaf) == (True, True)
    assert type(parameter + 1) is type(parameter.data) is type(parameter.detach()) is torch.Tensor
    assert not torch.nn.Parameter(torch.ones(2), requires_grad=False).requires_grad


def test_vars_of_a_tensor_are_what_a_program_has_put_there(torch):
    parameter = torch.nn.Linear(2, 2).weight
    assert vars(parameter) == vars(torch.ones(2, requires_grad=True)) == vars(torch.nn.Buffer(torch.ones(2)).data) == {}
    parameter.sum().backward()
    gradient = parameter.grad
    parameter.requires_grad_(False)
    assert parameter.grad is gradient
    parameter.requires_grad_(True)
    assert parameter.grad is gradient
    parameter.grad = None
    parameter.requires_grad_(False)
    parameter.grad = None
    parameter.mark = 3
    assert vars(parameter) == {"mark": 3}
    assert type(parameter)(parameter.to("meta"), **{"requires_grad": False}).device.type == "meta"
