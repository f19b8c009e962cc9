"""Formulas over large arrays, forward and backward: memory traffic and arithmetic per element."""

from __future__ import annotations

import numpy as np

from rushlight.benchmark.case import Case, Floor, case

BOUND = 0.9
MILLIONS = 4 * 1024 * 1024
ROWS, COLUMNS, CLASSES = 4096, 1024, 1000


def normal(torch, *shape: int, requires_grad: bool = False):
    """Returns normal values, the same in both libraries; other ones if they require grad."""
    drawn = np.random.default_rng(int(requires_grad)).standard_normal(shape, "float32")
    return torch.tensor(drawn, requires_grad=requires_grad)


def backward_of(function, weight, *leaves):
    """Returns a step: `function()` forward, then backward from its product with `weight`; returns leaf gradients."""

    def step():
        for leaf in leaves:
            leaf.grad = None
        function().backward(weight)
        return [leaf.grad for leaf in leaves]

    return step


def over_rows(name: str, arrays: int, function) -> Case:
    """A case: `function(torch, x)` over 4096 rows of 1024; `arrays` arrays must be read or written."""

    def program(torch):
        x = normal(torch, ROWS, COLUMNS, requires_grad=True)
        return backward_of(lambda: function(torch, x), normal(torch, ROWS, COLUMNS), x)

    return Case(
        name, program, f"{name} of {ROWS} x {COLUMNS}, fwd+bwd", BOUND, Floor(bytes=4 * arrays * ROWS * COLUMNS)
    )


@case(BOUND, Floor(bytes=3 * 4 * MILLIONS))
def fused_formula(torch):
    """(x * sigmoid(1.702 x) + tanh(x)).sum() of 4 M elements, fwd+bwd."""
    x = normal(torch, MILLIONS, requires_grad=True)
    return backward_of(lambda: (x * torch.sigmoid(1.702 * x) + torch.tanh(x)).sum(), None, x)


gelu = over_rows("gelu", 5, lambda torch, x: torch.nn.functional.gelu(x))
softmax = over_rows("softmax", 5, lambda torch, x: torch.softmax(x, 1))


@case(BOUND, Floor(bytes=5 * 4 * ROWS * COLUMNS))
def layer_norm(torch):
    """layer_norm of 4096 x 1024 with weight and bias, fwd+bwd."""
    x = normal(torch, ROWS, COLUMNS, requires_grad=True)
    weight, bias = (torch.full((COLUMNS,), value, requires_grad=True) for value in (1.5, 0.5))
    normed = torch.nn.functional.layer_norm
    return backward_of(lambda: normed(x, (COLUMNS,), weight, bias), normal(torch, ROWS, COLUMNS), x, weight, bias)


@case(BOUND, Floor(bytes=3 * 4 * ROWS * CLASSES))
def cross_entropy(torch):
    """cross_entropy of 4096 x 1000, fwd+bwd."""
    x = normal(torch, ROWS, CLASSES, requires_grad=True)
    target = torch.arange(ROWS) * 7 % CLASSES
    return backward_of(lambda: torch.nn.functional.cross_entropy(x, target), None, x)


@case(None, Floor(bytes=3 * 4 * MILLIONS))
def large_add(torch):
    """x + y of 4 M elements, without gradients."""
    x, y = normal(torch, MILLIONS), normal(torch, MILLIONS)
    return lambda: x + y


@case(None, Floor(bytes=2 * 4 * MILLIONS))
def large_exp(torch):
    """exp of 4 M elements, without gradients."""
    x = normal(torch, MILLIONS)
    return lambda: torch.exp(x)


CASES = [fused_formula, gelu, softmax, layer_norm, cross_entropy, large_add, large_exp]
