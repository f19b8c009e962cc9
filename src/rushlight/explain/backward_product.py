"""The product that `backward(gradient)` computes: the gradient, as a row, times the Jacobian.

https://docs.pytorch.org/tutorials/beginner/blitz/autograd_tutorial.html#optional-reading-vector-calculus-using-autograd
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from rushlight.autograd.gradients import grad
from rushlight.core.tensor import Tensor, wrap
from rushlight.explain.graph import graph_of
from rushlight.explain.numbers import length, wide
from rushlight.explain.result import Explanation, counted
from rushlight.explain.tensors import name_of

MOST_SHOWN = 6  # elements of a tensor whose Jacobian is written out


def explain_product(y: Tensor, gradient: Tensor | None, names: Mapping[str, Any]) -> Explanation:
    """Returns `y.backward(gradient)` written out: all elements for small tensors, norms for large ones.

    Raises RuntimeError as `backward` does; accumulates nothing and keeps the graph.
    """
    name = name_of(y, names) or "y"
    graph = graph_of(y, names)
    leaves = [(step.variable or f"leaf{number}", step.node.variable) for number, step in enumerate(graph.leaves)]  # type: ignore[attr-defined]
    gradients = grad(y, [value for _, value in leaves] or [y], gradient, retain_graph=True, allow_unused=True)
    v = np.ones(y.shape) if gradient is None else wide(gradient)
    explanation = Explanation(
        f"`{name}.backward({'' if gradient is None else 'gradient'})` with {name} of shape {tuple(y.shape)}:"
    )
    explanation.facts |= {"kind": "explain_backward", "y": name, "gradient": v.tolist(), "leaves": {}}
    explanation.say(
        "gradient", f"v = {_numbers(v)}" + ("   (there is one number, so it weighs 1)" if gradient is None else "")
    )
    for (called, leaf), product in zip(leaves, gradients, strict=True):
        if product is not None:
            _leaf(explanation, y, v, name, called, leaf, product)
    return explanation


def _leaf(explanation: Explanation, y: Tensor, v, name: str, called: str, leaf: Tensor, product: Tensor) -> None:
    array = wide(product)
    facts = explanation.facts["leaves"][called] = {"grad": array.tolist(), "norm": length(array)}
    if max(y.numel(), leaf.numel()) > MOST_SHOWN or y.is_complex() or leaf.is_complex():
        lengths = f"|v| = {length(v):.4g}, |{called}.grad| = {facts['norm']:.4g}"
        size = f"{counted(y.numel(), 'row')} and {counted(leaf.numel(), 'column')}"
        matrix = f"a matrix of {size}, which is never built"
        explanation.say(f"{called}.grad", f"v times {matrix}: {lengths}, shape {tuple(leaf.shape)}")
        return
    rows = jacobian(y, leaf)
    facts["jacobian"] = rows.tolist()
    explanation.say(f"{called}.grad", *_written_out(rows, v, name, called, y.shape, leaf.shape))


def jacobian(y: Tensor, leaf: Tensor) -> np.ndarray:
    """Computes the Jacobian of `y` with respect to `leaf`: one backward pass per row."""
    rows = []
    for number in range(y.numel()):
        seed = np.zeros(y.numel(), y._array.dtype)
        seed[number] = 1
        (row,) = grad(y, [leaf], wrap(seed.reshape(y.shape)), retain_graph=True, allow_unused=True)
        rows.append(np.zeros(leaf.numel()) if row is None else wide(row).ravel())
    return np.array(rows).reshape(y.numel(), leaf.numel())


def _written_out(rows, v, name: str, called: str, shape: tuple, leaf_shape: tuple):
    """Yields the matrix with its borders, then the sum for each element of the result."""
    of, by = elements(name, shape), elements(called, leaf_shape)
    cells = [["", *(f"d/d {x}" for x in by), "v"]]
    cells += [[value, *map(_number, row), _number(w)] for value, row, w in zip(of, rows, v.ravel(), strict=True)]
    widths = [max(len(row[column]) for row in cells) for column in range(len(cells[0]))]
    for row in cells:
        *entries, weight = [text.rjust(width) for text, width in zip(row, widths, strict=True)]
        yield "  ".join([*entries, "|", weight])
    for column, element in enumerate(elements(f"{called}.grad", leaf_shape)):
        terms = [f"{_number(w)}*{_number(slope)}" for w, slope in zip(v.ravel(), rows[:, column], strict=True)]
        symbols = [f"v{_subscript(x, name)}*d{x}/d{by[column]}" for x in of]
        yield f"{element} = {' + '.join(symbols)}"
        yield f"{' ' * len(element)} = {' + '.join(terms)} = {_number(v.ravel() @ rows[:, column])}"


def _subscript(element: str, name: str) -> str:
    return element.removeprefix(name)


def elements(name: str, shape: tuple) -> list[str]:
    """Returns the elements of a tensor as source text: `x[0, 1]`, or `x` for a scalar tensor."""
    return [f"{name}[{', '.join(map(str, index))}]" if index else name for index in np.ndindex(*shape)]


def _number(value) -> str:
    return f"{float(value):.4g}"


def _numbers(array) -> str:
    if array.size > MOST_SHOWN:
        return f"{array.size:,} numbers of shape {array.shape}, length {length(array):.4g}"
    return np.array2string(array, formatter={"float_kind": _number}, separator=", ").replace("\n", "")
