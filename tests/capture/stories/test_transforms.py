"""Transforms of functions that are made in the run: what they hold is that of the call, not of the run watched."""

import functools

import pytest

import rushlight as torch
from rushlight import func
from rushlight.utils.checkpoint import checkpoint

X, Y = torch.tensor([1.0, 2.0]), torch.tensor([[1.0, 2.0], [3.0, 4.0]])
HELD = {
    "vmap": lambda x, y: func.vmap(lambda row: row * x)(y),
    "vmap with dimensions": lambda x, y: func.vmap(lambda row, n: row * x + n, in_dims=(1, None), out_dims=1)(y, 2),
    "grad": lambda x, y: func.grad(lambda row: (row * x).sin().sum())(y),
    "grad of grad": lambda x, y: func.grad(lambda r: func.grad(lambda s: (s**3 * x).sum())(r).sum())(y),
    "grad_and_value": lambda x, y: func.grad_and_value(lambda row: (row * x).exp().sum())(y),
    "vmap of grad": lambda x, y: func.vmap(func.grad(lambda row: (row * x).sin().sum()))(y),
    "jacrev": lambda x, y: func.jacrev(lambda row: row.sum(0) * x)(y),
    "jacfwd": lambda x, y: func.jacfwd(lambda row: row.sum(0) * x)(y),
    "hessian": lambda x, y: func.hessian(lambda row: (row**2 * x).sum())(y[0]),
    "vjp": lambda x, y: func.vjp(lambda row: row * x, y)[1](torch.ones_like(y)),
    "jvp": lambda x, y: func.jvp(lambda row: row * x, (y,), (y,)),
    "linearize": lambda x, y: func.linearize(lambda row: row * x, y)[1](y),
    "a partial function": lambda x, y: func.vmap(functools.partial(torch.mul, x))(y),
    "made before it changes": lambda x, y: transformed_before_a_change(x, y),
    "used twice": lambda x, y: (lambda f: f(y) + f(y * 2))(func.vmap(lambda row: row * x)),
    "kept in a list": lambda x, y: [f(y) for f in [func.vmap(lambda row: row * x), func.grad(lambda r: (r * x).sum())]],
    "checkpoint": lambda x, y: checkpoint(lambda row: (row * x).sin(), y, use_reentrant=False),
    "no_grad": lambda x, y: torch.no_grad()(lambda row: row * x)(y),
    "functionalize": lambda x, y: func.functionalize(lambda row: row.clone().mul_(x))(y),
}


def transformed_before_a_change(x, y):
    def scaled(row):
        return row * factor

    f = func.vmap(scaled)
    factor = x
    first = f(y)
    factor = x + 1
    return first, f(y)


@pytest.mark.parametrize("name", HELD)
def test_what_a_transformed_function_holds(agree, name):
    def story(compile):
        f = compile(HELD[name])
        values = [f(X + change, Y) for change in (0, 0, 1, 2, 0)] + [f(X, Y + 1)]
        seen = []
        for change in range(3):
            x, y = (X + change).requires_grad_(), Y.clone().requires_grad_()
            out = f(x, y)
            leaves = [each for each in torch.utils._pytree.tree_leaves(out) if each.requires_grad]
            if leaves:
                sum(each.sum() for each in leaves).backward()
            seen.append((x.grad, y.grad))
        return values, seen

    agree(story)


def test_a_transform_of_the_program(agree):
    held = [2]

    def doubled(function):
        return lambda *args: function(*args) * held[0]

    def story(compile):
        held[0] = 2
        f = compile(lambda x, y: func.vmap(doubled(lambda row: row * x))(y))
        seen = [f(X, Y), f(X + 1, Y)]
        held[0] = 3
        return [*seen, f(X, Y), f(X + 2, Y)]

    agree(story)
