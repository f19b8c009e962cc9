"""Arithmetic in place: same object, memory and dtype; refused, and nothing changed, where the result would not fit."""

import re

import numpy as np
import pytest

changes = [
    ("x += 1", [3, 4]),
    ("x -= 1", [1, 2]),
    ("x *= 3", [6, 9]),
    ("x /= 2", [1, 1.5]),
    ("x //= 2", [1, 1]),
    ("x %= 2", [0, 1]),
    ("x **= 2", [4, 9]),
    ("x += torch.tensor([1.0, 2.0])", [3, 5]),
    ("x += torch.tensor([1.0, 2.0], dtype=torch.float64)", [3, 5]),
    ("x += torch.tensor(1)", [3, 4]),
    ("x *= torch.tensor([True, False])", [2, 0]),
    ("x.add_(1)", [3, 4]),
    ("x.add_(torch.ones(2), alpha=2)", [4, 5]),
    ("x.sub_(torch.ones(2), alpha=0.5)", [1.5, 2.5]),
    ("x.mul_(2).add_(1)", [5, 7]),
    ("x.div_(2, rounding_mode='floor')", [1, 1]),
    ("x.addcmul_(torch.ones(2), torch.full((2,), 3.0), value=2)", [8, 9]),
    ("x.addcdiv_(torch.ones(2), torch.full((2,), 4.0))", [2.25, 3.25]),
    ("x.lerp_(torch.zeros(2), 0.5)", [1, 1.5]),
    ("x.neg_()", [-2, -3]),
    ("x.neg_().abs_()", [2, 3]),
    ("x.square_()", [4, 9]),
    ("x.reciprocal_()", [0.5, pytest.approx(1 / 3)]),
    ("x.clamp_(max=2.5)", [2, 2.5]),
    ("x.clamp_(2.5, 10)", [2.5, 3]),
    ("x.fmod_(2)", [0, 1]),
    ("x.sub_(2).relu_()", [0, 1]),
    ("x.div_(4).round_()", [0, 1]),
    ("x.zero_()", [0, 0]),
    ("x.fill_(7)", [7, 7]),
    ("x.fill_(torch.tensor(7))", [7, 7]),
    ("x.copy_(torch.tensor([5, 6]))", [5, 6]),
    ("x.copy_(torch.tensor(5))", [5, 5]),
    ("x.copy_(1)", [1, 1]),
    ("x.lt_(3)", [1, 0]),
    ("x.eq_(2)", [1, 0]),
    ("x.logical_not_()", [0, 0]),
    ("x.add_(x)", [4, 6]),
    ("x.mul_(x)", [4, 9]),
    ("x.copy_(x)", [2, 3]),
    ("x.sub_(x[0].clone())", [0, 1]),
    ("x.cumsum_(0)", [2, 5]),
]


@pytest.mark.parametrize(("statement", "values"), changes)
def test_changes_the_tensor_itself(torch, statement, values):
    x = torch.tensor([2.0, 3.0])
    names = {"torch": torch, "x": x}
    exec(statement, names)
    assert names["x"] is x
    assert x.tolist() == values
    assert x.dtype is torch.float32


@pytest.mark.parametrize("name", ["add_", "mul_", "sub_", "div_", "fill_", "pow_", "remainder_"])
def test_returns_the_tensor_itself(torch, name):
    x = torch.tensor([2.0, 3.0])
    assert getattr(x, name)(2) is x


@pytest.mark.parametrize(
    ("dtype", "statement", "values"),
    [
        ("int64", "x //= 2", [1, 1]),
        ("int64", "x |= 4", [6, 7]),
        ("int64", "x ^= 1", [3, 2]),
        ("int64", "x <<= 2", [8, 12]),
        ("int64", "x >>= 1", [1, 1]),
        ("int64", "x **= 3", [8, 27]),
        ("int64", "x.fill_(2.5)", [2, 2]),
        ("int64", "x.copy_(torch.tensor([2.7, -2.7]))", [2, -2]),
        ("int8", "x += torch.tensor([200, 1])", [-54, 4]),
        ("int8", "x += 200", [-54, -53]),
        ("uint8", "x -= 3", [255, 0]),
        ("float16", "x *= torch.tensor([1e6, 2.0])", [float("inf"), 6]),
        ("bfloat16", "x += 256", [258, 260]),
        ("complex64", "x *= 1j", [2j, 3j]),
        ("complex64", "x += 1", [3 + 0j, 4 + 0j]),
        ("bool", "x &= False", [False, False]),
        ("bool", "x += True", [True, True]),
        ("bool", "x ^= torch.tensor([True, False])", [False, True]),
    ],
)
def test_keeps_its_dtype(torch, dtype, statement, values):
    names = {"torch": torch, "x": torch.tensor([2, 3]).to(getattr(torch, dtype))}
    exec(statement, names)
    assert (names["x"].dtype, names["x"].tolist()) == (getattr(torch, dtype), values)


def test_every_view_sees_the_change(torch):
    base = torch.zeros(2, 3)
    alias, column, window = base, base[:, 0], base.numpy()
    base += 1
    column *= 5
    assert alias.tolist() == base.tolist() == window.tolist() == [[5, 1, 1], [5, 1, 1]]


def test_broadcasts_into_the_target(torch):
    x = torch.zeros(2, 3)
    x += torch.arange(3.0)
    x += torch.tensor([[10.0], [20.0]])
    assert x.tolist() == [[10, 11, 12], [20, 21, 22]]


def test_shape_changes_in_place(torch):
    x = torch.arange(6.0).reshape(2, 3)
    assert x.t_() is x
    assert (x.shape, x.stride()) == ((3, 2), (1, 3))
    assert x.transpose_(0, 1).shape == (2, 3)
    assert x.unsqueeze_(0).shape == (1, 2, 3)
    assert x.squeeze_(0).shape == (2, 3)
    assert x.tolist() == [[0, 1, 2], [3, 4, 5]]


def test_random_fills(torch):
    torch.manual_seed(0)
    x = torch.zeros(1000)
    assert 1 <= x.uniform_(1, 2).min() <= x.max() < 2
    assert abs(x.normal_(5, 0.1).mean() - 5) < 0.05
    assert set(x.bernoulli_(0.5).tolist()) == {0, 1}
    assert set(x.random_(3).tolist()) == set(x.random_(to=3).tolist()) == {0, 1, 2}
    assert set(x.random_(2, to=4).tolist()) == {2, 3}
    assert 2**20 < x.random_().max() <= 2**24 and 2**20 < x.random_(2, None).max() <= 2**24
    with pytest.raises(TypeError):
        x.uniform_(low=1)
    with pytest.raises(TypeError):
        x.random_(low=1)
    assert x.exponential_().min() >= 0


def test_out_argument(torch):
    target = torch.empty(2, dtype=torch.float64)
    assert torch.add(torch.ones(2), 1, out=target) is target
    assert target.tolist() == [2, 2]
    empty = torch.empty(0)
    torch.mul(torch.ones(2, 3), 2, out=empty)
    assert empty.tolist() == [[2, 2, 2], [2, 2, 2]]
    values, indices = torch.empty(0), torch.empty(0, dtype=torch.int64)
    torch.max(torch.tensor([[1.0, 3.0], [4.0, 2.0]]), dim=1, out=(values, indices))
    assert (values.tolist(), indices.tolist()) == ([3, 4], [1, 0])


def test_an_out_tensor_of_another_shape_is_resized_with_a_warning(torch):
    target = torch.zeros(3)
    with pytest.warns(UserWarning, match="An output with one or more elements was resized since it had shape"):
        torch.add(torch.ones(2), 1, out=target)
    assert target.tolist() == [2, 2]


OLDEST = {
    "x.add(2, y)": ("add", "Number alpha, Tensor other", "Tensor other, *, Number alpha = 1"),
    "x.add_(2, y)": ("add_", "Number alpha, Tensor other", "Tensor other, *, Number alpha = 1"),
    "x.sub_(2, y)": ("sub_", "Number alpha, Tensor other", "Tensor other, *, Number alpha = 1"),
    "x.addcmul_(2, y, z)": (
        "addcmul_", "Number value, Tensor tensor1, Tensor tensor2",
        "Tensor tensor1, Tensor tensor2, *, Number value = 1",
    ),
    "x.addmm_(2, 3, y, z)": (
        "addmm_", "Number beta, Number alpha, Tensor mat1, Tensor mat2",
        "Tensor mat1, Tensor mat2, *, Number beta = 1, Number alpha = 1",
    ),
    "torch.add(x, 2, y)": (
        "add", "Tensor input, Number alpha, Tensor other, *, Tensor out = None",
        "Tensor input, Tensor other, *, Number alpha = 1, Tensor out = None",
    ),
}  # fmt: skip


@pytest.mark.parametrize("call", OLDEST)
def test_the_oldest_spelling_still_works(torch, call):
    x, y, z = torch.ones(2, 2), torch.full((2, 2), 3.0), torch.full((2, 2), 5.0)
    name, old, wanted = OLDEST[call]
    words = (
        f"This overload of {name} is deprecated:\n\t{name}({old})\n"
        f"Consider using one of the following signatures instead:\n\t{name}({wanted})"
    )
    torch.set_warn_always(True)
    try:
        with pytest.warns(UserWarning, match=re.escape(words)):
            result = eval(call, {"torch": torch, "x": x, "y": y, "z": z})
    finally:
        torch.set_warn_always(False)
    expected = {"add": 7, "add_": 7, "sub_": -5, "addcmul_": 31, "addmm_": 92}[name]
    assert result.tolist() == [[expected] * 2] * 2


NO_CAST = "result type %s can't be cast to the desired output type %s"
OVERLAP = (
    "unsupported operation: more than one element of the written-to tensor refers to a single memory location. "
    "Please clone() the tensor before performing the operation."
)
SHARED = (
    "unsupported operation: some elements of the input tensor and the written-to tensor refer to a single memory "
    "location. Please clone() the tensor before performing the operation."
)

refused = [
    # the result would have another shape
    ("torch.ones(3)", "x.add_(torch.ones(2, 3))", "output with shape [3] doesn't match the broadcast shape [2, 3]"),
    ("torch.ones(3)", "x += torch.ones(2, 3)", "output with shape [3] doesn't match the broadcast shape [2, 3]"),
    ("torch.ones(1)", "x *= torch.ones(3)", "output with shape [1] doesn't match the broadcast shape [3]"),
    ("torch.ones(())", "x -= torch.ones(1)", "output with shape [] doesn't match the broadcast shape [1]"),
    (
        "torch.ones(3)",
        "x += torch.ones(4)",
        "The size of tensor a (3) must match the size of tensor b (4) at non-singleton dimension 0",
    ),
    (
        "torch.ones(2, 3)",
        "x.copy_(torch.ones(2))",
        "The size of tensor a (3) must match the size of tensor b (2) at non-singleton dimension 1",
    ),
    (
        "torch.ones(2, 3)",
        "x.copy_(torch.ones(1, 2, 3))",
        "output with shape [2, 3] doesn't match the broadcast shape [1, 2, 3]",
    ),
    # the result would have another kind of dtype
    ("torch.tensor([1])", "x += 1.5", NO_CAST % ("Float", "Long")),
    ("torch.tensor([1])", "x += torch.tensor(1.5)", NO_CAST % ("Float", "Long")),
    ("torch.tensor([1])", "x += torch.tensor([1.5], dtype=torch.float64)", NO_CAST % ("Double", "Long")),
    ("torch.tensor([1])", "x /= 2", NO_CAST % ("Float", "Long")),
    ("torch.tensor([1])", "x *= 1j", NO_CAST % ("ComplexFloat", "Long")),
    ("torch.tensor([1.0])", "x *= 1j", NO_CAST % ("ComplexFloat", "Float")),
    ("torch.tensor([True])", "x += 1", NO_CAST % ("Long", "Bool")),
    ("torch.tensor([4])", "x.sqrt_()", NO_CAST % ("Float", "Long")),
    ("torch.tensor([4])", "x.exp_()", NO_CAST % ("Float", "Long")),
    ("torch.tensor([1])", "torch.add(torch.ones(1), 1, out=x)", NO_CAST % ("Float", "Long")),
    (
        "torch.tensor([True])",
        "x -= True",
        "Subtraction, the `-` operator, with two bool tensors is not supported. "
        "Use the `^` or `logical_xor()` operator instead.",
    ),
    (
        "torch.tensor([1])",
        "x.add_(torch.tensor([1]), alpha=2.5)",
        "For integral input tensors, argument alpha must not be a floating point number.",
    ),
    # the memory would be written twice, or read after it was written
    ("torch.ones(1).expand(3)", "x.add_(1)", OVERLAP),
    ("torch.ones(1).expand(3)", "x.copy_(torch.zeros(3))", OVERLAP),
    ("torch.arange(4)", "x[1:] += x[:-1]", SHARED),
    ("torch.arange(3.0)", "x.mul_(x[0])", SHARED),
    ("torch.arange(4.0).reshape(2, 2)", "x.add_(x.t())", SHARED),
    ("torch.arange(4.0).reshape(2, 2)", "x.copy_(x.t())", SHARED),
    # it is recorded
    (
        "torch.zeros(2, requires_grad=True)",
        "x += 1",
        "a leaf Variable that requires grad is being used in an in-place operation.",
    ),
    (
        "torch.zeros(2, requires_grad=True)",
        "x.zero_()",
        "a leaf Variable that requires grad is being used in an in-place operation.",
    ),
    (
        "torch.zeros(2, requires_grad=True)",
        "x[0] = 1",
        "a view of a leaf Variable that requires grad is being used in an in-place operation.",
    ),
    (
        "torch.zeros(2)",
        "torch.add(torch.ones(2, requires_grad=True), 1, out=x)",
        "add(): functions with out=... arguments don't support automatic differentiation, but one of the arguments "
        "requires grad.",
    ),
    # the argument makes no sense
    (
        "torch.zeros(3)",
        "x.fill_(torch.tensor([2.0, 1.0]))",
        "fill_ only supports 0-dimension value tensor but got tensor with 1 dimensions.",
    ),
    ("torch.zeros(2)", "x.normal_(0, -1)", "normal expects std >= 0.0, but found std -1"),
    ("torch.tensor([7])", "x //= 0", "ZeroDivisionError"),
]


@pytest.mark.parametrize(("made", "statement", "first_line"), refused)
def test_a_refused_change_changes_nothing(torch, made, statement, first_line):
    x = eval(made, {"torch": torch})
    before = x.tolist(), x.shape, x.dtype, x._version
    with pytest.raises(RuntimeError) as caught:
        exec(statement, {"torch": torch, "x": x})
    assert str(caught.value).splitlines()[0] == first_line
    assert (x.tolist(), x.shape, x.dtype, x._version) == before


@pytest.mark.parametrize(
    ("statement", "error", "first_line"),
    [
        ("x.copy_(np.ones(2))", TypeError, "copy_(): argument 'other' (position 1) must be Tensor, not numpy.ndarray"),
        ("x.add_('a')", TypeError, "add_(): argument 'other' (position 1) must be Tensor, not str"),
        (
            "x.fill_('a')",
            TypeError,
            "fill_() received an invalid combination of arguments - got (str), but expected one of:",
        ),
        ("x &= 1", NotImplementedError, "\"bitwise_and_cpu\" not implemented for 'Float'"),
    ],
)
def test_refused_types(torch, statement, error, first_line):
    x = torch.zeros(2)
    with pytest.raises(error) as caught:
        exec(statement, {"torch": torch, "np": np, "x": x})
    assert str(caught.value).splitlines()[0] == first_line
    assert x.tolist() == [0, 0]


def test_clamp_refuses_a_bound_of_another_kind(torch):
    with pytest.raises(RuntimeError, match="^result type Float can't be cast to the desired output type long int$"):
        torch.tensor([1, 2, 3]).clamp_(max=2.5)


def test_a_number_that_is_too_large_is_infinite_where_it_computes_and_refused_where_it_is_stored(torch):
    x = torch.ones(2)
    assert (x * 1e300).tolist() == [float("inf")] * 2
    assert x.mul_(1e300).tolist() == [float("inf")] * 2
    with pytest.raises(RuntimeError, match="value cannot be converted to type float without overflow"):
        x.fill_(1e300)


def test_what_cannot_be_written_is_refused(torch):
    with pytest.raises(RuntimeError, match="result type Long can't be cast to the desired output type Bool"):
        torch.tensor([True]).add_(1)
    with pytest.raises(RuntimeError, match="result type Float can't be cast to the desired output type Long"):
        torch.tensor([1]).div_(2)
    with pytest.raises(RuntimeError, match="fill_ only supports 0-dimension value tensor but got tensor with 1 dim"):
        torch.ones(2).fill_(torch.ones(2))


def test_a_write_without_gradients_changes_a_leaf_and_counts(torch):
    x = torch.ones(2, requires_grad=True)
    product = x * x
    with torch.no_grad():
        x.sub_(torch.ones(2), alpha=0.5)
        x[0].zero_()
    assert x.tolist() == [0, 0.5] and x.is_leaf and x.requires_grad and x._version == 2
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        product.sum().backward()


def test_a_written_view_of_what_has_a_history_is_recorded(torch):
    x = torch.ones(2, requires_grad=True)
    y = x * 2
    part = y[0]
    part.mul_(3.0)
    y.add_(y.detach())
    y.sum().backward()
    assert y.tolist() == [12, 4] and x.grad.tolist() == [6, 2]


def test_a_write_of_what_has_a_history_begins_one(torch):
    x, weight = torch.zeros(2), torch.ones(2, requires_grad=True)
    x.copy_(weight)
    x.mul_(2)
    x.sum().backward()
    assert weight.grad.tolist() == [2, 2]


KINDS = ["uint8", "int8", "int64", "bool", "float16", "bfloat16", "float32", "float64"]


@pytest.mark.parametrize("source", KINDS)
@pytest.mark.parametrize("target", KINDS)
def test_copies_from_another_dtype(torch, source, target):
    x, y = torch.zeros(2, 3).to(getattr(torch, target)), torch.tensor([0, 1, 3]).to(getattr(torch, source))
    assert x.copy_(y) is x and x.dtype is getattr(torch, target) and x._version == 1
    assert x.tolist() == [y.to(x.dtype).tolist()] * 2
    x.t().copy_(y.reshape(3, 1))
    assert x.tolist() == [y.to(x.dtype).tolist()] * 2 and x._version == 2


def test_a_copy_from_another_dtype_is_recorded(torch):
    x, y = torch.zeros(3), torch.ones(3, dtype=torch.float64, requires_grad=True)
    x.copy_(y)
    (x * 2).sum().backward()
    assert y.grad.dtype is torch.float64 and y.grad.tolist() == [2, 2, 2]
    with pytest.raises(RuntimeError, match="must match the size of tensor|output with shape"):
        torch.zeros(3).copy_(torch.ones(2, dtype=torch.float64))


@pytest.mark.parametrize("torch", ["rushlight"], indirect=True)
def test_small_copies_and_diagonals_are_written_at_once(torch, monkeypatch):
    monkeypatch.setattr("rushlight.dispatch.inplace.write", lambda *_: pytest.fail("the long way"))
    assert torch.zeros(2).copy_(torch.ones(2, dtype=torch.float64)).tolist() == [1, 1]
    assert torch.zeros(3, 2).fill_diagonal_(2.5).tolist() == [[2.5, 0], [0, 2.5], [0, 0]]
