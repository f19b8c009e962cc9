"""Transforms of torch.func inside one another: forward mode, reverse mode and vmap, in every order."""

import pytest

# PyTorch's forward mode uses torch.jit.script, which is deprecated.
pytestmark = pytest.mark.filterwarnings("ignore:.torch.jit.script. is deprecated:DeprecationWarning")


@pytest.fixture
def x(torch):
    return torch.tensor([1.0, 2.0, 3.0], dtype=torch.float64)


@pytest.fixture
def t(torch):
    return torch.tensor([1.0, 0.5, 2.0], dtype=torch.float64)


def cubes(x):
    return (x**3).sum()


def test_forward_over_reverse(torch, x, t):
    gradient, moved = torch.func.jvp(torch.func.grad(cubes), (x,), (t,))
    assert torch.allclose(gradient, 3 * x**2)
    assert torch.allclose(moved, 6 * x * t)


def test_reverse_over_forward(torch, x, t):
    assert torch.allclose(torch.func.grad(lambda x: torch.func.jvp(cubes, (x,), (t,))[1])(x), 6 * x * t)


def test_forward_over_forward_over_forward(torch, x, t):
    def derivative(f):
        return lambda x: torch.func.jvp(f, (x,), (t,))[1]

    assert torch.allclose(derivative(derivative(derivative(torch.exp)))(x), t**3 * x.exp())


def test_levels_are_not_confused(torch):
    """The derivative of a * d/db (a + b) with respect to a is 1; 2 if both share a tangent."""
    one = torch.tensor(1.0)

    def forward(a):
        return a * torch.func.jvp(lambda b: a + b, (one,), (one,))[1]

    def reverse(a):
        return a * torch.func.grad(lambda b: a + b)(one)

    assert torch.func.jvp(forward, (one,), (one,))[1].item() == 1.0
    assert torch.func.jvp(reverse, (one,), (one,))[1].item() == 1.0


def test_a_batch_of_directions(torch, x):
    rows = torch.func.vmap(lambda t: torch.func.jvp(torch.sin, (x,), (t,))[1])(torch.eye(3, dtype=torch.float64))
    assert torch.allclose(rows, torch.diag(x.cos()))


def test_the_derivative_of_a_batch(torch, x, t):
    result, moved = torch.func.jvp(lambda y: torch.func.vmap(lambda a: a * y.sum())(y), (x,), (t,))
    assert torch.allclose(result, x * x.sum())
    assert torch.allclose(moved, t * x.sum() + x * t.sum())


@pytest.mark.parametrize("outer", ["jacfwd", "jacrev"])
@pytest.mark.parametrize("inner", ["jacfwd", "jacrev"])
def test_hessians(torch, x, outer, inner):
    second = getattr(torch.func, outer)(getattr(torch.func, inner)(lambda x: x.prod()))(x)
    assert torch.allclose(second, torch.tensor([[0.0, 3.0, 2.0], [3.0, 0.0, 1.0], [2.0, 1.0, 0.0]], dtype=x.dtype))


def test_a_batch_of_hessians(torch, x, t):
    result = torch.func.vmap(torch.func.hessian(cubes))(torch.stack([x, t]))
    assert torch.allclose(result, torch.diag_embed(6 * torch.stack([x, t])))


def in_place(torch, y):
    result = torch.zeros(3, dtype=y.dtype)
    result[0] = y[1]
    result[1:] += y[:2]
    result.mul_(y)
    return result


def test_writes_in_compositions(torch, x, t):
    """The function is (y1 y0, y0 y1, y1 y2)."""
    moved = torch.func.jvp(lambda y: in_place(torch, y), (x,), (t,))[1]
    assert moved.tolist() == [2.5, 2.5, 5.5]
    gradient = torch.func.grad(lambda y: torch.func.jvp(lambda z: in_place(torch, z), (y,), (t,))[1].sum())(x)
    assert gradient.tolist() == [1.0, 4.0, 0.5]
    moved = torch.func.jvp(torch.func.grad(lambda y: in_place(torch, y).sum()), (x,), (t,))[1]
    assert moved.tolist() == [1.0, 4.0, 0.5]


def test_gradients_of_leaves_outside(torch, x, t):
    leaf = x.clone().requires_grad_()
    result, moved = torch.func.jvp(cubes, (leaf,), (t,))
    moved.backward(retain_graph=True)
    assert torch.allclose(leaf.grad, 6 * x * t)
    leaf.grad = None
    result.backward()
    assert torch.allclose(leaf.grad, 3 * x**2)


@pytest.mark.parametrize(
    "function",
    [
        lambda torch, x: torch.softmax(x, 0),
        lambda torch, x: torch.nn.functional.normalize(x, dim=0),
        lambda torch, x: torch.linalg.inv(torch.outer(x, x) + torch.eye(3, dtype=x.dtype)),
        lambda torch, x: torch.fft.fft(x).abs(),
        lambda torch, x: torch.cat([x.sort().values, x.cumprod(0), x.norm()[None]]),
    ],
)
def test_the_orders_of_two_derivatives_agree(torch, x, t, function):
    one = torch.func.jacfwd(torch.func.jacrev(lambda x: function(torch, x)))(x)
    other = torch.func.jacrev(torch.func.jacfwd(lambda x: function(torch, x)))(x)
    assert torch.allclose(one, other)
    differences = torch.func.jacrev(lambda x: function(torch, x))
    step = 1e-5
    assert torch.allclose(one @ t, (differences(x + step * t) - differences(x - step * t)) / (2 * step), atol=1e-6)
