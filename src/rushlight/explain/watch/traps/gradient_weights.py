"""backward(gradient) with a gradient that is not a weight."""

from __future__ import annotations

import ast
from typing import NamedTuple

import numpy as np

from rushlight.core.graph import Leaf
from rushlight.core.origin import Place
from rushlight.core.storage import owner
from rushlight.explain.old_graphs import loss_name
from rushlight.explain.source_text import last_assignment, statement_at
from rushlight.explain.watch.aliases import array_of, sample
from rushlight.explain.watch.backward_pass import Pass
from rushlight.explain.watch.trap import Trap

STEPS = 2  # consecutive steps with gradients of the same backward
APART = 5.0  # ratio between weights of elements
SHOWN = 4


class Weighed(NamedTuple):
    """A backward whose gradient is probably a mistake."""

    place: Place
    text: str
    advice: str
    leaf: Leaf | None  # a leaf that gets the gradient
    values: np.ndarray | None  # its values then


class GradientWeights(Trap):
    """y.backward(gradient) computes the gradient of (y * gradient).sum(): `gradient` weighs the elements of y.

    If it is y itself, y * y is differentiated; if it is zero, nothing is trained; if it is a leaf, it weighs, and does
    not choose what to differentiate by; with values copied from an example, most elements hardly count.
    """

    kind = "gradient_weights"
    failing = """
import torch

w = torch.zeros(3, requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.1)
target = torch.tensor([1.0, 2.0, 3.0])
for step in range(5):
    losses = (w - target) ** 2
    optimizer.zero_grad()
    losses.backward(torch.tensor([1.0, 0.1, 0.001]))  # <- here
    optimizer.step()
"""
    repaired = failing.replace("losses.backward(torch.tensor([1.0, 0.1, 0.001]))  # <- here", "losses.sum().backward()")

    def __init__(self, watching) -> None:
        super().__init__(watching)
        self.weighed: Weighed | None = None  # the last backward, if it was suspicious
        self.count: dict[Place, int] = {}

    def before_backward(self, graph: Pass) -> None:
        before, self.weighed = self.weighed, None
        if before is not None and before.place == graph.place and was_updated(before):
            self._count(before)
        if graph.gradient is None or not graph.accumulates:
            return
        gradient, output = array_of(graph.gradient), array_of(graph.outputs[0])
        if gradient is None or output is None or not gradient.size:
            return
        name = loss_name(graph.place) or "y"
        advice = without_gradient(graph.place) or f"{name}.sum().backward()"
        argument = gradient_in(graph.place)
        if isinstance(argument, ast.Name) and any(graph.gradient is leaf.variable for leaf in graph.leaves):
            self.report(graph.place, differentiated_by(argument.id, name), advice)
            return
        if owner(gradient) is owner(output) and gradient.shape == output.shape:
            text = (
                f"backward() is given `{name}` itself as the gradient: this computes the gradient of the sum of "
                f"{name} * {name} / 2."
            )
        elif not gradient.any():
            text = f"The gradient that backward() is given is 0 everywhere: no element of `{name}` counts."
        elif gradient.size > 1 and weighs_apart(gradient) and is_literal(graph.place):
            values = ", ".join(f"{x:.4g}" for x in gradient.reshape(-1)[:SHOWN])
            more = ", ..." if gradient.size > SHOWN else ""
            text = (
                f"The gradient that backward() is given weights the elements of `{name}` by {values}{more}: those "
                "with small weights are hardly trained."
            )
        else:
            return
        leaf = next(graph.leaves, None)
        array = None if leaf is None else array_of(leaf.variable)
        self.weighed = Weighed(graph.place, text, advice, leaf, None if array is None else sample(array))

    def before_step(self, optimizer) -> None:
        weighed, self.weighed = self.weighed, None
        if weighed is not None:
            self._count(weighed)

    def _count(self, weighed: Weighed) -> None:
        self.count[weighed.place] = self.count.get(weighed.place, 0) + 1
        if self.count[weighed.place] == STEPS:
            self.report(weighed.place, weighed.text, weighed.advice)


def differentiated_by(leaf: str, output: str) -> str:
    """Returns the text for a leaf as the argument of backward()."""
    return (
        f"backward({leaf}) does not mean the derivative by `{leaf}`: it weights the elements of `{output}` by the "
        f"numbers of `{leaf}`. backward() computes the gradients of all leaves, that of `{leaf}` is in `{leaf}.grad`."
    )


def was_updated(weighed: Weighed) -> bool:
    """Whether the program has updated a parameter itself since a backward."""
    array = None if weighed.leaf is None else array_of(weighed.leaf.variable)
    return array is not None and weighed.values is not None and not np.array_equal(weighed.values, sample(array))


def weighs_apart(gradient: np.ndarray) -> bool:
    """Whether some elements weigh far more than others, and none is 0."""
    sizes = np.abs(gradient)
    return bool(sizes.min() > 0) and sizes.max() / sizes.min() >= APART


def gradient_in(place: Place) -> ast.expr | None:
    """Returns the argument of backward() in a line."""
    for node in ast.walk(statement_at(place.code, place.line) or ast.Pass()):
        match node:
            case ast.Call(func=ast.Attribute(attr="backward"), args=[gradient, *_]):
                return gradient
            case ast.Call(func=ast.Attribute(attr="backward"), keywords=keywords):
                return next((key.value for key in keywords if key.arg == "gradient"), None)
    return None


def is_literal(place: Place) -> bool:
    """Whether the gradient is written as literal numbers, in the line or in its variable's assignment."""
    gradient = gradient_in(place)
    if isinstance(gradient, ast.Name):
        statement = last_assignment(place.code, gradient.id, place.line)
        gradient = None if statement is None else statement.value
    match gradient:
        case ast.Call(func=function, args=[ast.List() as numbers, *_]) if "ensor" in ast.unparse(function):
            return not any(isinstance(node, ast.Name) for node in ast.walk(numbers))
    return False


def without_gradient(place: Place) -> str | None:
    """Returns the line of a backward() as one on the sum."""
    statement = statement_at(place.code, place.line)
    for node in ast.walk(statement or ast.Pass()):
        match node:
            case ast.Call(func=ast.Attribute(value=value, attr="backward")):
                return f"{ast.unparse(value)}.sum().backward()"
    return None
