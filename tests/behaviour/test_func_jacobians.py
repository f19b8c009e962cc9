"""torch.func.jacrev and linearize: all rows of a Jacobian, and its products."""

import pytest


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
    with pytest.raises(RuntimeError, match="jacrev: Expected all inputs to be real but received complex tensor at flat"):
        torch.func.jacrev(torch.sin)(torch.ones(2, dtype=torch.complex64))
    with pytest.raises(RuntimeError, match="jacfwd: Expected all inputs to be real but received complex tensor at flat"):
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
