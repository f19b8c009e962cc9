"""What programs ask about the backward pass under way: `torch._C._current_graph_task_id` and similar."""

from __future__ import annotations

from itertools import count
from typing import Any

from rushlight.autograd.function_context import node_behind
from rushlight.autograd.nesting import NESTING
from rushlight.core.errors import type_name
from rushlight.core.graph import Node

NUMBERS = count()


def current_graph_task_id() -> int:
    """Returns the number of the pass under way; -1 if there is none. A later pass has a higher number."""
    if not NESTING.tasks:
        return -1
    task = NESTING.tasks[-1]
    if task.number is None:
        task.number = next(NUMBERS)
    return task.number


def keeps_graph() -> bool:
    """Whether the pass under way keeps what was saved; True outside of a pass."""
    return not NESTING.tasks or NESTING.tasks[-1].keep


def will_execute(node: Any, /) -> bool:
    """Whether the pass under way runs a node.

    Raises RuntimeError outside of a pass, for what is no node, and for a leaf whose gradient `autograd.grad()`
    returns.
    """
    if not isinstance(node, Node):
        raise RuntimeError(f"_will_engine_execute_node expects an grad_fn, but got {type_name(node)}")
    if not NESTING.tasks:
        raise RuntimeError("_get_should_execute_nodes should only be called during the backward pass")
    return NESTING.tasks[-1].reaches(node_behind(node))
