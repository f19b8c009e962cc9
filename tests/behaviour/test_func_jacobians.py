"""torch.func.jacrev, jacfwd, hessian and linearize: all rows or columns of a Jacobian, and its products."""

import pytest

# PyTorch's forward mode uses torch.jit.script, and its linearize a traced graph: they warn of that.
pytestmark = [
    pytest.mark.filterwarnings("ignore:.torch.jit.script. is deprecated:DeprecationWarning"),
    pytest.mark.filterwarnings("ignore:Attempted to insert a get_attr Node:UserWarning"),
]


def values(torch, *shape):
    return torch.linspace(0.5, 2, torch.Size(shape).numel(), dtype=torch.float64).reshape(shape)


@pytest.mark.parametrize("chunk_size", [None, 1, 2, 3, 10])
def test_rows_may_be_computed_in_chunks(torch, chunk_size):
    x = values(torch, 5)
    result = torch.func.jacrev(lambda a: a**2 * a.sum(), chunk_size=chunk_size)(x)
    assert torch.allclose(result, torch.diag(2 * x * x.sum()) + (x**2)[:, None])


@pytest.mark.parametrize("argnums", [0, 1, (0, 1), (1,)])
def test_jacobians_by_argument(torch, argnums):
    a, b = values(torch, 2, 3), values(torch, 3)
    result = torch.func.jacrev(lambda a, b: (a @ b, a.sum() * b), argnums=argnums)(a, b)
    expected = torch.autograd.functional.jacobian(lambda a, b: (a @ b, a.sum() * b), (a, b))
    for row, full in zip(result, expected, strict=True):
        if isinstance(argnums, int):
            assert torch.allclose(row, full[argnums])
        else:
            assert all(torch.allclose(each, full[number]) for each, number in zip(row, argnums, strict=True))


def test_a_jacobian_is_a_tree_of_trees(torch):
    tree = {"a": values(torch, 2), "b": values(torch, 2) + 1}
    result = torch.func.jacrev(lambda d: {"p": d["a"] * d["b"], "q": [d["a"].sum()]})(tree)
    assert torch.allclose(result["p"]["a"], torch.diag(tree["b"]))
    assert torch.equal(result["q"][0]["b"], torch.zeros(2, dtype=torch.float64))


def test_aux_comes_behind_the_jacobian(torch):
    x = values(torch, 3)
    jacobian, aux = torch.func.jacrev(lambda a: (a**2, a + 1), has_aux=True)(x)
    assert torch.allclose(jacobian, torch.diag(2 * x))
    assert torch.equal(aux, x + 1)


def test_jacobians_nest(torch):
    x = values(torch, 3)
    hessian = torch.func.jacrev(torch.func.jacrev(lambda a: (a**3).sum() + a[0] * a[1]))(x)
    expected = torch.diag(6 * x)
    expected[0, 1] = expected[1, 0] = 1
    assert torch.allclose(hessian, expected)


def test_jacobians_of_each_sample(torch):
    x = values(torch, 4, 3)
    result = torch.vmap(torch.func.jacrev(lambda a: a.sin() * a.sum()))(x)
    each = [torch.func.jacrev(lambda a: a.sin() * a.sum())(row) for row in x]
    assert torch.allclose(result, torch.stack(each))


def test_a_jacobian_can_be_differentiated_outside(torch):
    x = values(torch, 3).requires_grad_()
    jacobian = torch.func.jacrev(lambda a: a**3)(x)
    assert torch.allclose(torch.autograd.grad(jacobian.sum(), x)[0], 6 * x)
    assert not torch.func.jacrev(lambda a: a**3)(x.detach()).requires_grad


def test_complex_numbers_and_no_rows_at_once_are_refused(torch):
    with pytest.raises(RuntimeError, match="jacrev: Expected all inputs to be real but received complex tensor"):
        torch.func.jacrev(torch.sin)(torch.ones(2, dtype=torch.complex64))
    with pytest.raises(RuntimeError, match="jacfwd: Expected all inputs to be real but received complex tensor"):
        torch.func.jacfwd(torch.sin)(torch.ones(2, dtype=torch.complex64))
    with pytest.raises(RuntimeError, match="jacrev: Expected all outputs to be real"):
        torch.func.jacrev(lambda a: a * 1j)(torch.ones(2))
    with pytest.raises(ValueError, match="jacrev: `chunk_size` should be greater than 0"):
        torch.func.jacrev(torch.sin, chunk_size=0)


# ---- linearize


def test_linearize_runs_along_tangents(torch):
    x, first, second = values(torch, 3), values(torch, 3) + 1, values(torch, 3) + 2
    y, push = torch.func.linearize(lambda a: a.sin() * a, x)
    slope = x.cos() * x + x.sin()
    assert torch.equal(y, x.sin() * x)
    assert torch.allclose(push(first), slope * first)
    assert torch.allclose(push(second), slope * second)


def test_linearize_takes_trees(torch):
    a, b = values(torch, 2, 3), values(torch, 3)
    y, push = torch.func.linearize(lambda a, b: {"p": a @ b, "q": b}, a, b)
    result = push(a + 1, b + 2)
    assert list(y) == list(result) == ["p", "q"]
    assert torch.allclose(result["p"], (a + 1) @ b + a @ (b + 2))
    assert torch.equal(result["q"], b + 2)


def test_linearize_refuses_tangents_that_do_not_fit(torch):
    _, push = torch.func.linearize(torch.sin, values(torch, 3))
    with pytest.raises(RuntimeError, match="tangent:0 with shape .* doesn't match the shape"):
        push(values(torch, 2))
    with pytest.raises(RuntimeError, match="tangent:0 with dtype torch.float32 .* doesn't match the dtype"):
        push(torch.ones(3))
    with pytest.raises(RuntimeError, match="to have the same argspec as the primals"):
        push(values(torch, 3), values(torch, 3))


# ---- forward mode


@pytest.mark.parametrize("argnums", [0, 1, (0, 1), (1,)])
def test_columns_are_the_rows_of_the_transpose(torch, argnums):
    inputs = values(torch, 2, 3), values(torch, 3)

    def function(a, b):
        return {"p": a @ b, "q": a.sum() * b.exp()}

    columns = torch.func.jacfwd(function, argnums=argnums)(*inputs)
    rows = torch.func.jacrev(function, argnums=argnums)(*inputs)
    for name in rows:
        if isinstance(argnums, int):
            assert torch.allclose(columns[name], rows[name])
        else:
            assert all(torch.allclose(one, other) for one, other in zip(columns[name], rows[name], strict=True))


def test_aux_comes_behind_the_columns(torch):
    x = values(torch, 3)
    jacobian, aux = torch.func.jacfwd(lambda a: (a**2, a + 1), has_aux=True)(x)
    assert torch.allclose(jacobian, torch.diag(2 * x))
    assert torch.equal(aux, x + 1)


def test_a_hessian_is_the_same_in_any_mode(torch):
    forward, reverse = torch.func.jacfwd, torch.func.jacrev
    x = values(torch, 4)

    def function(a):
        return (a.sin() * a.roll(1)).sum()

    expected = torch.func.hessian(function)(x)
    for outer in (forward, reverse):
        for inner in (forward, reverse):
            assert torch.allclose(outer(inner(function))(x), expected)
    assert torch.allclose(expected, torch.autograd.functional.hessian(function, x))


def test_hessians_of_several_arguments_are_blocks(torch):
    a, b = values(torch, 2, 2), values(torch, 2)
    result = torch.func.hessian(lambda a, b: (a @ b).sin().sum(), argnums=(0, 1))(a, b)
    expected = torch.autograd.functional.hessian(lambda a, b: (a @ b).sin().sum(), (a, b))
    for row, other in zip(result, expected, strict=True):
        assert all(torch.allclose(each, block) for each, block in zip(row, other, strict=True))


def test_jvp_gives_value_and_derivative(torch):
    x, v = values(torch, 3), values(torch, 3) + 1
    y, slope = torch.func.jvp(lambda a: {"s": a.sin(), "n": (a.sum(),)}, (x,), (v,))
    assert torch.equal(y["s"], x.sin())
    assert torch.allclose(slope["s"], v * x.cos())
    assert torch.allclose(slope["n"][0], v.sum())


def test_jvp_of_an_independent_output_is_zero(torch):
    x = values(torch, 3)
    _, (_, slope) = torch.func.jvp(lambda a: (a, torch.ones(2)), (x,), (x,))
    assert torch.equal(slope, torch.zeros(2))
    with pytest.raises(RuntimeError, match="The output of f is independent of the inputs"):
        torch.func.jvp(lambda a: torch.ones(2), (x,), (x,), strict=True)


def test_jvp_has_aux(torch):
    x = values(torch, 3)
    y, slope, aux = torch.func.jvp(lambda a: (a**2, a + 1), (x,), (x,), has_aux=True)
    assert torch.allclose(slope, 2 * x * x)
    assert torch.equal(aux, x + 1)


def test_jvp_does_not_mind_no_grad(torch):
    x = values(torch, 3)
    with torch.no_grad():
        assert torch.allclose(torch.func.jvp(torch.sin, (x,), (x,))[1], x * x.cos())


def test_jvps_nest(torch):
    x = torch.tensor(0.5, dtype=torch.float64)
    one = torch.ones_like(x)

    def cosine(a):
        return torch.func.jvp(torch.sin, (a,), (one,))[1]

    assert torch.allclose(torch.func.jvp(cosine, (x,), (one,))[1], -x.sin())
    outer = torch.func.jvp(lambda a: a * torch.func.jvp(lambda b: a + b, (one,), (one,))[1], (x,), (one,))[1]
    assert outer == 1


def test_products_with_a_hessian(torch):
    func, x, v = torch.func, values(torch, 4), values(torch, 4) + 1

    def function(a):
        return (a.exp() * a.roll(1)).sum()

    expected = func.hessian(function)(x) @ v
    assert torch.allclose(func.jvp(func.grad(function), (x,), (v,))[1], expected)
    assert torch.allclose(func.grad(lambda y: func.jvp(function, (y,), (v,))[1])(x), expected)
    assert torch.allclose(func.vjp(func.grad(function), x)[1](v)[0], expected)


REFUSED = [
    (RuntimeError, lambda t, x: t.func.jvp(t.sin, x, x), "Expected primals to be a tuple"),
    (RuntimeError, lambda t, x: t.func.jvp(t.sin, (), ()), "Expected primals to contain at least one Tensor"),
    (RuntimeError, lambda t, x: t.func.jvp(t.sin, (x,), ()), "to have the same python structure"),
    (RuntimeError, lambda t, x: t.func.jvp(t.sin, (x,), (1,)), "Expected tangents to only contain Tensors, got"),
    (RuntimeError, lambda t, x: t.func.jvp(lambda a: 3, (x,), (x,)), "to return only tensors, got unsupported type"),
    (RuntimeError, lambda t, x: t.func.jvp(t.sin, (x,), (x[:2],)), "Trying to set a forward gradient that has"),
    (ValueError, lambda t, x: t.func.jvp(t.sin, (x.long(),), (x,)), "Expected primal to be floating point or complex"),
    (ValueError, lambda t, x: t.func.jvp(t.sin, (x,), (x.long(),)), "Expected tangent to be floating point or complex"),
    (RuntimeError, lambda t, x: t.func.jvp(t.sin, (x,), (x,), has_aux=True), "output of function f should be a tuple"),
    (ValueError, lambda t, x: t.func.jacfwd(t.sin)(x.long()), "Expected primal to be floating point or complex"),
]


@pytest.mark.parametrize(("error", "call", "words"), REFUSED)
def test_what_has_no_tangent_is_refused(torch, error, call, words):
    with pytest.raises(error, match=words):
        call(torch, values(torch, 3))
