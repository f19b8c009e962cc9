"""The node of a compiled function: its backward is a program, or the function itself as ordinary calls.

It *unfolds* where a graph of the gradients is wanted, or gradients are not plain arrays: the function runs again on the
inputs that the node holds, and the pass goes on through the graph of that run.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np

from rushlight.autograd.gradients import grad
from rushlight.core.generator import default_generator
from rushlight.core.graph import Saving, TensorNode, make_node
from rushlight.core.lazy_conj_neg import plain
from rushlight.core.modes import MODE, recording
from rushlight.core.tables import objects, raw
from rushlight.core.tensor import Tensor, wrap


class CompiledFunctionBackward(Saving):
    """A call of a compiled function. Each `Segment` has a subclass of it, with its programs.

    `saved` has the arrays that the backward program reads, then the tuple of the inputs. If the program reads none, the
    inputs are in `params`, and the graph may be used twice, as one without saved values may.
    """

    __slots__ = ()
    parameters = ()
    derivative: Any  # of the Segment


class Through(TensorNode):
    """The node of an input of a function that runs again: its gradient goes on to the edge of the input."""

    __slots__ = ()

    def run(self, gradients: list) -> tuple:
        """Returns the gradient."""
        return tuple(gradients)


def node_class(
    derivative, names: Sequence[str], inputs: Sequence[str], results: Sequence[str], function: Callable
) -> type[Saving]:
    """Returns the class of the nodes of a Segment; `names` are those of the saved values, `function` runs backward."""
    kind: Any = type(CompiledFunctionBackward)
    op = SimpleNamespace(
        name="compiled_function",
        results=tuple(results),
        differentiable_results=tuple(results),
        arguments=[SimpleNamespace(name=name) for name in inputs],
        derivatives=dict.fromkeys(inputs),
        zero_second_derivative=False,
    )
    contents = {
        "__slots__": (),
        "__module__": CompiledFunctionBackward.__module__,
        "op": op,
        "saves": tuple(names),
        "outputs": len(results),
        "derivative": derivative,
        "backward": staticmethod(function),
        "backward_complex": staticmethod(function),
    }
    return kind("CompiledFunctionBackward", (CompiledFunctionBackward,), contents)


def backward(F, node, saved: tuple, g, edges: tuple) -> tuple:
    """Returns the gradients of the inputs, for one gradient, or a list of one per result with None if undefined.

    This is any pass; that of `Derivative` is the usual one.
    """
    derivative = node.derivative
    pulls = g if type(g) is list else [g]
    if F is raw:
        run = derivative.program(node, saved, edges, pulls)
        if run is not None:
            return run(saved, pulls)
        gradients_of_inputs = unfolded(node, saved, pulls, edges, create=False)
        return tuple([None if each is None else plain(each._array) for each in gradients_of_inputs])
    if recording() or not all([pull is None or type(pull._array) is np.ndarray for pull in pulls]):
        return unfolded(node, saved, pulls, edges, create=recording())
    if saved:
        saved = (*[plain(each._array) for each in saved[:-1]], saved[-1])
    arrays = backward(raw, node, saved, [None if pull is None else pull._array for pull in pulls], edges)
    return tuple([None if array is None else wrap(array) for array in arrays])


def inputs_of(node, saved: tuple) -> tuple:
    """Returns the inputs that a node holds."""
    return saved[-1] if saved else node.params[0]


def unfolded(node, saved: tuple, pulls: list, edges: tuple, *, create: bool) -> tuple:
    """Runs the function again, and a pass through its graph; returns the gradients of the inputs, as tensors."""
    derivative = node.derivative
    linked = list(inputs_of(node, saved))
    state = linked.pop() if derivative.draws else None
    for position, edge in zip(derivative.wanted, node.edges, strict=True):
        linked[position] = linked_to(linked[position], edge)
    token = MODE.set(derivative.mode)
    now = default_generator.get_state() if state is not None else None
    try:
        if state is not None:
            default_generator.set_state(state)  # for the draws of the call
        results = derivative.function(*linked)
    finally:
        MODE.reset(token)
        if now is not None:
            default_generator.set_state(now)
    roots, gradients = [], []
    for root, pull in zip(derivative.roots, pulls, strict=True):
        if pull is not None:
            roots.append(root.of(results))
            gradients.append(pull if isinstance(pull, Tensor) else wrap(pull))
    targets = [linked[position] for position, edge in zip(derivative.wanted, edges, strict=True) if edge is not None]
    arrived = iter(grad(roots, targets, gradients, create_graph=create, allow_unused=True))
    return tuple([None if edge is None else next(arrived) for edge in edges])


def linked_to(tensor: Any, edge) -> Tensor:
    """Returns a tensor on the same memory, whose history begins anew and leads to an edge."""
    node: Any = make_node(Through, (edge,))
    linked = objects.tensor(None)
    linked._array, linked._store, linked._edge = tensor._array, tensor._storage, node
    linked._meta_key = linked._base = linked._generation = None
    return linked
