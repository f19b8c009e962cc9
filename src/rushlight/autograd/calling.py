"""A node that is called like a function: `y.grad_fn(gradient)` gives the gradients of its inputs."""

from __future__ import annotations

from rushlight.autograd import accumulate
from rushlight.autograd.backward import Task
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
    for number, each in enumerate(gradients):
        if not (each is None or isinstance(each, Tensor)):
            raise TypeError(f"argument {number} is not a Variable")
    errors = set_errors(xp.IGNORED)
    try:
        results = step(Task((), keep=True, create=recording()), node, gradients)
    finally:
        reset_errors(errors)
    return results[0] if len(results) == 1 else results


def step(task: Task, node, gradients: tuple) -> tuple:
    """One step of a pass that has no other."""
    task.prepare(node)
    task.starts = (node,)
    g = task.as_waiting(gradients)
    if isinstance(node, Leaf):
        accumulate.into_leaf(node, g, task.create)
        return ()
    if g is None and not node.takes_tensors:
        return (None,) * len(node.edges)
    return tuple(map(task._as_tensor, task._call(node, g, node.edges)))
