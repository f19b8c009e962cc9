"""Passes inside transforms whose steps compute on raw arrays, against a loop over samples or a second reverse pass."""

import pytest

# PyTorch's forward mode uses torch.jit.script, which is deprecated.
pytestmark = pytest.mark.filterwarnings("ignore:.torch.jit.script. is deprecated:DeprecationWarning")


def values(torch, *shape, begin=0.5):
    return torch.linspace(begin, begin + 1.5, torch.Size(shape).numel(), dtype=torch.float64).reshape(shape)


STEPS = {
    "product and row": lambda torch, x: torch.nn.functional.linear(x, values(torch, 4, 3), values(torch, 4)),
    "product of a vector": lambda torch, x: torch.nn.functional.linear(x[0], values(torch, 4, 3), values(torch, 4)),
    "product from the left": lambda torch, x: values(torch, 5, 2) @ x,
    "product from both sides": lambda torch, x: x @ x.t(),
    "matrix and vector": lambda torch, x: x @ values(torch, 3),
    "vector that moves": lambda torch, x: values(torch, 4, 3) @ x[1],
    "addmm": lambda torch, x: torch.addmm(values(torch, 1, 4), x, values(torch, 3, 4)),
    "scaled addmm": lambda torch, x: torch.addmm(x[:, :1], x, values(torch, 3, 4), beta=2, alpha=0.5),
    "log softmax": lambda torch, x: torch.log_softmax(x, 0),
    "log softmax from the end": lambda torch, x: torch.log_softmax(x, -1),
    "sum": lambda torch, x: x.sum() * x,
    "sum of a dimension": lambda torch, x: x.sum(1) * x[:, 0],
    "sum that keeps it": lambda torch, x: x.sum(1, keepdim=True) * x,
    "slices": lambda torch, x: x[1:] * x[:-1, ::2].sum(),
    "views": lambda torch, x: x.reshape(3, 2).view(6).tanh(),
    "elements": lambda torch, x: torch.exp(x) * torch.sin(x) / (x**2 + 1) - torch.relu(x - 1) ** 3,
    "broadcast elements": lambda torch, x: x * values(torch, 3) + x[:, :1],
    "chosen elements": lambda torch, x: torch.where(x > 1, x * x, x.sqrt()) + torch.sigmoid(x).log(),
}


@pytest.fixture(params=STEPS)
def function(request, torch):
    return lambda x: STEPS[request.param](torch, x)


def test_gradients_of_a_batch_of_cotangents(torch, function):
    y, pull = torch.func.vjp(function, values(torch, 2, 3))
    cotangents = values(torch, 4, *y.shape, begin=-1)
    (rows,) = torch.vmap(pull)(cotangents)
    (again,) = torch.vmap(pull)(cotangents)  # nothing that was saved is freed
    assert torch.equal(rows, again)
    assert torch.allclose(rows, torch.stack([pull(each)[0] for each in cotangents]))


def test_gradients_of_samples(torch, function):
    gradient = torch.func.grad(lambda x: (function(x) ** 2).sum())
    batch = values(torch, 4, 2, 3)
    assert torch.allclose(torch.vmap(gradient)(batch), torch.stack([gradient(each) for each in batch]))


@pytest.mark.parametrize("dims", [(0, None), (None, 0), (0, 0)])
def test_gradients_along_batches_of_tangents(torch, function, dims):
    gradient = torch.func.grad(lambda x: function(x).pow(2).sum())

    def along(x, direction):
        return torch.func.jvp(gradient, (x,), (direction,))[1]

    def by_reverse(x, direction):
        return torch.func.grad(lambda x: (gradient(x) * direction).sum())(x)

    shapes = [(2, 3) if dim is None else (4, 2, 3) for dim in dims]
    x, directions = values(torch, *shapes[0]), values(torch, *shapes[1], begin=-1)
    rows = [(x if dims[0] is None else x[i], directions if dims[1] is None else directions[i]) for i in range(4)]
    expected = torch.stack([by_reverse(*row) for row in rows])
    assert torch.allclose(torch.vmap(along, in_dims=dims)(x, directions), expected)


def test_the_jacobian_of_a_gradient_is_symmetric(torch, function):
    x = values(torch, 2, 3)
    hessian = torch.func.hessian(lambda x: function(x).sin().sum())(x).reshape(6, 6)
    assert torch.allclose(hessian, hessian.t())
    rows = torch.autograd.functional.hessian(lambda x: function(x).sin().sum(), x).reshape(6, 6)
    assert torch.allclose(hessian, rows)


def test_gradients_through_gradients_of_samples(torch):
    """A graph is made of the pass inside `vmap`, so its steps call operators."""
    batch = values(torch, 4, 3)

    def loss(scale):
        return torch.vmap(torch.func.grad(lambda x: (x**3 * scale).sum()))(batch).sum()

    assert torch.allclose(torch.func.grad(loss)(torch.tensor(2.0, dtype=torch.float64)), (3 * batch**2).sum())


def test_a_saved_value_that_was_changed_is_found(torch):
    def changed(x):
        y = x.exp()
        result = y.sum()
        y.add_(1)
        return result + 0 * y.sum()

    def gradient(x):
        y = x.exp()
        z = y * y
        y.mul_(2)
        return torch.autograd.grad(z.sum(), x)

    x = values(torch, 3).requires_grad_()
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        gradient(x)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        torch.vmap(torch.func.grad(changed))(values(torch, 2, 3))


def test_the_jacobian_of_one_number_by_a_function_without_a_rule_for_batches(torch):
    class Square(torch.autograd.Function):
        @staticmethod
        def forward(x):
            return x * x

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.save_for_backward(*inputs)

        @staticmethod
        def backward(ctx, g):
            assert g.dim() == 0
            (x,) = ctx.saved_tensors
            return 2 * x * g

    x = torch.tensor(3.0)
    assert torch.func.jacrev(Square.apply, chunk_size=1)(x).item() == 6.0
    assert torch.func.jacrev(Square.apply)(x).item() == 6.0


@pytest.mark.filterwarnings("ignore:ComplexHalf support is experimental:UserWarning")
def test_samples_in_half_of_complex64_have_gradients(torch):
    x = torch.tensor([1.0, 2.0])
    cotangents = torch.tensor([1 + 1j, 2 - 1j]).chalf()

    def gradient(x, g):
        return torch.func.vjp(lambda x: x.chalf(), x)[1](g)[0]

    assert torch.vmap(gradient)(x, cotangents).tolist() == [1.0, 2.0]
