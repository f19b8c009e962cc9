"""A node that is called like a function: `y.grad_fn(gradient)` gives the gradients of its inputs."""

from __future__ import annotations

from rushlight.autograd import accumulate
from rushlight.autograd.gradient_forms import as_tensor, joined
from rushlight.autograd.steps import call as call_node
from rushlight.autograd.tasks import Task
from rushlight.core.errors import noted
from rushlight.core.fp_errors import reset_errors, set_errors
from rushlight.core.graph import Leaf
from rushlight.core.modes import recording
from rushlight.core.tables import xp
from rushlight.core.tensor import Tensor


def call(node, *gradients):
    """The gradients of a node's inputs for those of its outputs, None where there is none; several as a tuple.

    Its hooks are not called, and what it has saved is kept. Under grad mode the result has a graph. Raises TypeError
    for another number of gradients than the node has outputs.
    """
    if len(gradients) != node.outputs:
        raise noted(
            TypeError(f"expected {node.outputs} arguments, got {len(gradients)} instead"),
            f"{node.name()} takes one gradient for each of its {node.outputs} outputs.",
        )
    for number, g in enumerate(gradients):
        if not (g is None or isinstance(g, Tensor)):
            raise TypeError(f"argument {number} is not a Variable")
    errors = set_errors(xp.IGNORED)
    try:
        results = step(Task((), keep=True, create=recording()), node, gradients)
    finally:
        reset_errors(errors)
    return results[0] if len(results) == 1 else results


def step(task: Task, node, gradients: tuple) -> tuple:
    """Runs one node, in a pass of its own."""
    task.prepare(node)
    task.starts = (node,)
    g = joined(list(map(task.as_waiting, gradients)))
    if isinstance(node, Leaf):
        accumulate.into_leaf(task, node, g)
        return ()
    return tuple(map(as_tensor, call_node(task, node, g, node.edges)))
