"""The names of arguments in methods: PyTorch's, and what subclasses are told that a method is."""

import inspect

import pytest


@pytest.mark.parametrize(
    "call",
    [
        "x.add(other=y, alpha=2)",
        "x.add_(other=y)",
        "x.sum(dim=0, keepdim=True, dtype=torch.float64)",
        "x.sum(axis=0)",
        "x.view(size=(3, 2))",
        "x.flip(dims=(0, 1))",
        "x.flip(0, 1)",
        "x.tile(dims=(2,))",
        "x.fmod(other=2)",
        "x.remainder(other=y)",
        "x.true_divide(other=2)",
        "x.floor_divide(other=y)",
        "x.narrow(dim=0, start=0, length=1)",
        "x.index_copy(0, torch.tensor([0]), source=x[:1])",
        "x.index_copy_(0, torch.tensor([0]), source=y[:1])",
        "x.masked_scatter(x > 1, source=x)",
        "x.masked_scatter_(x > 1, source=x)",
        "x.div(other=y, rounding_mode='floor')",
        "x.divide_(other=2)",
        "x[0].dot(tensor=y[0])",
        "torch.dot(x[0], tensor=y[0])",
        "x.uniform_(**{'from': 0.5, 'to': 0.75})",
        "x.random_(**{'from': 2, 'to': 5})",
        "x.random_(to=5)",
        "x.take(index=torch.tensor([0]))",
        "x.hsplit(sections=3)",
        "x.hsplit(indices=(1, 2))",
        "x.sum_to_size(size=(1, 3))",
        "x.new_zeros(size=(2,))",
        "x.multinomial(num_samples=1, replacement=True).shape",
        "x.unsafe_split(split_size=1)",
        "x.polygamma_(n=1)",
        "torch.unsafe_split(input=x, split_size=1)",
        "torch.broadcast_to(input=x, size=(2, 2, 3))",
        "torch.concatenate([x, y], axis=1)",
        "torch.concatenate([x, y], dim=1)",
        "torch.true_divide(input=x, other=y)",
        "torch.searchsorted(x[0], input=y)",
        "torch.matrix_exp(input=x.T @ x)",
        "torch.special.airy_ai(x=x)",
        "torch.special.hermite_polynomial_h(x=x, n=2)",
        "torch.linalg.pinv(input=x)",
        "torch.linalg.lstsq(input=x.T, b=y.T).solution",
        "torch.linalg.vector_norm(x=x)",
        "torch.linalg.vector_norm(input=x)",
        "torch.tensordot(x, y.T, 1, None)",
        "torch.nn.functional.normalize(x, 2.0, 1, 1e-12, None)",
    ],
)
def test_arguments_are_taken_by_their_names(torch, call):
    names = {"torch": torch, "x": torch.tensor([[0.5, 1.0, 2.0], [3.0, 4.0, 6.0]])}
    eval(call, {**names, "y": torch.full((2, 3), 1.5)})


@pytest.mark.parametrize("call", ["x.add(x, out=x)", "x.sum(out=x)", "x.gather(0, x.long(), out=x)", "x.abs(out=x)"])
def test_methods_take_no_out(torch, call):
    with pytest.raises(TypeError):
        eval(call, {"x": torch.ones(3)})


@pytest.mark.parametrize(
    ("call", "first_line"),
    [
        ("x.add('a')", "add(): argument 'other' (position 1) must be Tensor, not str"),
        ("x.bmm(3)", "bmm(): argument 'mat2' (position 1) must be Tensor, not int"),
        ("x.absolute_(1)", None),
        ("x.cumsum()", 'cumsum() missing 1 required positional arguments: "dim"'),
        ("x.index_select(0, [1])", "index_select(): argument 'index' (position 2) must be Tensor, not list"),
        ("torch.special.airy_ai(3)", "special_airy_ai(): argument 'x' (position 1) must be Tensor, not int"),
        ("torch.special.airy_ai()", 'special_airy_ai() missing 1 required positional arguments: "x"'),
        (
            "torch.Tensor.add(3, x)",
            "descriptor 'add' for 'torch._C.TensorBase' objects doesn't apply to a 'int' object",
        ),
    ],
)
def test_complaints_count_from_the_first_argument_after_the_dot(torch, call, first_line):
    with pytest.raises(TypeError) as caught:
        eval(call, {"torch": torch, "x": torch.ones(3)})
    assert first_line is None or str(caught.value).splitlines()[0] == first_line


@pytest.mark.parametrize(
    ("call", "seen"),
    [
        ("x + y", "torch.Tensor.add"),
        ("1 + x", "torch.Tensor.add"),
        ("x.add(y)", "torch.Tensor.add"),
        ("torch.add(x, y)", "torch.add"),
        ("x - y", "torch.Tensor.sub"),
        ("1 - x", "torch.Tensor.__rsub__"),
        ("x / y", "torch.Tensor.div"),
        ("x // y", "torch.Tensor.__floordiv__"),
        ("x ** y", "torch.Tensor.__pow__"),
        ("x == y", "torch.Tensor.__eq__"),
        ("x @ y", "torch.Tensor.matmul"),
        ("y @ x", "torch.Tensor.matmul"),
        ("x.add_(y)", "torch.Tensor.add_"),
        ("x.__iadd__(y)", "torch.Tensor.add_"),
        ("x.relu_()", "torch.Tensor.relu_"),
        ("torch.relu_(x)", "torch.relu_"),
        ("x.absolute()", "torch.Tensor.absolute"),
        ("x.sum(axis=0)", "torch.Tensor.sum"),
        ("x.view(-1)", "torch.Tensor.view"),
        ("x.t_()", "torch.Tensor.t_"),
    ],
)
def test_a_subclass_is_told_of_the_method_or_of_the_function(torch, call, seen):
    reported = []

    class Told(torch.Tensor):
        @classmethod
        def __torch_function__(cls, function, types, arguments=(), keywords=None):
            reported.append(function)
            return super().__torch_function__(function, types, arguments, keywords or {})

    x, y = torch.ones(2, 2).as_subclass(Told), torch.ones(2, 2)
    assert type(eval(call, {"torch": torch, "x": x, "y": y})) is Told
    assert reported[0] is eval(seen, {"torch": torch})


def test_a_method_is_made_once(torch):
    assert torch.Tensor.add is torch.Tensor.add
    assert torch.Tensor.add is not torch.add
    assert torch.Tensor.add.__name__ == "add"
    assert torch.Tensor.erf(torch.zeros(1)).item() == 0


@pytest.mark.parametrize(
    ("method", "signature"),
    [
        ("add", "(self, other, *, alpha=1)"),
        ("sum", "(self, dim=None, keepdim=False, dtype=None)"),
        ("fmod", "(self, divisor)"),
        ("cumsum", "(self, dim, dtype=None)"),
        ("clamp_", "(self, min=None, max=None)"),
        ("flip", "(self, dims, *more)"),
        ("cholesky_solve", "(self, input2, upper=False)"),
        ("index_copy", "(self, dim, index, tensor2)"),
        ("index_copy_", "(self, dim, index, tensor)"),
        ("masked_scatter", "(self, mask, tensor)"),
        ("masked_scatter_", "(self, mask, source)"),
        ("uniform_", "(self, from=0.0, /, to=1.0, *, generator=None)"),
        ("multinomial", "(self, num_samples, replacement=False, *, generator=None)"),
    ],
)
def test_the_signature_is_the_documented_one(method, signature):
    import rushlight

    assert str(
        inspect.signature(getattr(rushlight.Tensor, method)).replace(return_annotation=inspect.Signature.empty)
    ) == (signature)


@pytest.mark.parametrize(
    "call",
    [
        "x.fmod(divisor=2)",
        "x.div(value=2, rounding_mode='floor')",
        "x.divide_(value=2)",
        "x[0].dot(other=x[0])",
        "x.index_copy(0, torch.tensor([0]), tensor2=x[:1])",
        "x.index_copy_(0, torch.tensor([0]), tensor=x[:1] + 1)",
        "x.masked_scatter(x > 1, tensor=x)",
        "x.sum(0, False, torch.float64)",
        "x.round(2)",
        "torch.true_divide(dividend=x, divisor=x)",
        "torch.special.airy_ai(input=x)",
        "torch.linalg.pinv(A=x)",
    ],
)
def test_names_that_pytorch_documents_but_does_not_take_are_taken_too(call):
    """docs/what-differs.md."""
    import rushlight

    eval(call, {"torch": rushlight, "x": rushlight.ones(2, 2)})
