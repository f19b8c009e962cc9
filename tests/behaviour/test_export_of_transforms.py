"""Graphs of functions that use torch.func: they have the operators on whole batches, and on derivatives."""

import pytest

import rushlight as torch
from rushlight import func
from rushlight.fx.experimental.proxy_tensor import make_fx

W = torch.linspace(-1, 1, 8).reshape(2, 4)
X = torch.linspace(-1, 1, 6).reshape(2, 3)
PLACES = torch.arange(3)
FUNCTIONS = {
    "vmap": lambda x: func.vmap(lambda row: (row * 2).sin().sum())(x),
    "dimensions": lambda x: func.vmap(lambda column, w: column @ w, in_dims=(1, None), out_dims=1)(x, W),
    "nested": lambda x: func.vmap(lambda a: func.vmap(lambda b: (a * b).sum())(x.t()))(x.t()),
    "a causal mask": lambda x: func.vmap(func.vmap(torch.ge, (None, 0)), (0, None))(PLACES, PLACES) * x.sum(),
    "grad": lambda x: func.grad(lambda row: (row**3).sum())(x),
    "gradients of samples": lambda x: func.vmap(func.grad(lambda row: (row.sin() * row).sum()))(x),
    "jacrev": lambda x: func.jacrev(lambda rows: rows.sin().sum(0))(x),
    "jacfwd": lambda x: func.jacfwd(lambda rows: rows.sin().sum(0))(x),
    "hessian": lambda x: func.hessian(lambda row: (row**3).sum())(x[0]),
    "jvp": lambda x: func.jvp(torch.sin, (x,), (x,))[1],
    "vjp": lambda x: func.vjp(torch.sin, x)[1](x)[0],
    "in place": lambda x: func.vmap(lambda row: row.clone().add_(1).mul_(row))(x),
    "where": lambda x: func.vmap(lambda row: torch.where(row > 0, row, torch.softmax(row, 0)))(x),
    "cat": lambda x: func.vmap(lambda row: torch.cat([row, row + torch.ones(3)]))(x),
}


def exported(function):
    class Called(torch.nn.Module):
        def forward(self, x):
            return function(x)

    return torch.export.export(Called(), (X,)).module()


@pytest.mark.parametrize("graph_of", [exported, lambda function: make_fx(function)(X)], ids=["export", "make_fx"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_graph_computes_the_transform(name, graph_of):
    graph = graph_of(FUNCTIONS[name])
    for x in (X, X + 0.5, -2 * X):
        assert torch.allclose(graph(x), FUNCTIONS[name](x), atol=1e-6)
