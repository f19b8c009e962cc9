"""The steps of a backward pass: what a node does with its gradient.

`node.step(task, node, g, edges)` returns one gradient per edge. `g` is a raw array, a Tensor in a pass on Tensors, a
list of one per output for a node with several outputs, or None if undefined. `edges` has None where no gradient is
needed. A class of nodes has one of these steps; hooks and special nodes choose another when they are made.
"""

from __future__ import annotations

from typing import Any

from rushlight.autograd import accumulate
from rushlight.autograd.anomaly import watched
from rushlight.autograd.gradient_forms import all_outputs, as_tensor, stepped
from rushlight.autograd.node_hooks import run_node_hooks, run_post_hooks, run_pre_hooks
from rushlight.autograd.saved_values import (
    as_constants,
    as_tensors,
    refuse,
    release,
    saved_raw,
    saved_tensors,
    second_time,
)
from rushlight.core.clock import LAST_WRITE
from rushlight.core.graph import RELEASED, Leaf, Node, TensorNode
from rushlight.core.lazy_conj_neg import plain
from rushlight.core.tables import raw
from rushlight.core.tensor import Tensor
from rushlight.core.traced import TRACED


def formula_step(task, node, g, edges) -> Any:
    """Calls the backward function of a node on Tensors, or in a wider dtype than its operands have."""
    if g is None:
        return (None,) * len(edges)
    if task.tensors and (at_level := level_step(task, node, g, edges)) is not None:
        return at_level
    results = stepped(task.F, node, node.saved and take_saved(task, node), g, edges)
    return results if node.metas is None else raw.fitted(task.F, node.metas, results)


def take_saved(task, node) -> tuple:
    """Returns what a node saved, and frees it unless the graph is kept. Raises RuntimeError if it is stale or freed."""
    if node.saved is RELEASED or node.created < LAST_WRITE.tick:
        refuse(node, task.starts)
    if task.tensors:
        saved = as_tensors(node) if task.create or node.packed is not None else as_constants(node)
    else:
        saved = node.saved
    if not task.keep:
        node.saved, node.storages = RELEASED, task.freed
    return saved


def general_step(task, node, g, edges) -> tuple:
    """Runs a node that has packed saved values, that is off the CPU or whose backward works on Tensors."""
    task.enter()
    return call(task, node, task.on_device(node, g), edges)


def traced_step(task, node, g, edges) -> tuple:
    """Runs a node of a call inside a transform, which has saved its values as they were."""
    if not task.tensors:
        task.enter()
        g = task.on_device(node, g)
    return formula_step(task, node, g, edges)


def hooked_step(task, node, g, edges) -> tuple:
    """Runs a node with everything that may be attached to it: hooks, `retain_grad`, capture, anomaly mode."""
    task.enter()
    g = task.on_device(node, g)
    must_run = task.needed is None or node in task.needed
    as_it_came = (
        must_run and not task.accumulates
    )  # PyTorch runs the hooks first only where the pass ends, or `grad` is set
    if as_it_came:
        task.capture(node, g)
    if node.tensor_hooks or node.retained:
        g = run_node_hooks(task, node, g)
    if not as_it_came:
        task.capture(node, g)
    if not must_run:
        return ()
    if node.pre_hooks:
        g = run_pre_hooks(task, node, g)
    if task.anomaly is None or (g is None and not node.takes_tensors):
        results = call(task, node, g, edges)
    else:
        results = watched(task.anomaly, node, lambda: call(task, node, g, edges))
    return run_post_hooks(task, node, results, g) if node.post_hooks else results


def leaf_step(task, leaf, g, edges) -> tuple:
    """Accumulates into a leaf with hooks as soon as its gradient is complete, so that they may use and free it."""
    if task.is_awaited(leaf):
        task.leaves[leaf] = g
    else:
        arrive(task, leaf, g)
    return ()


def arrive(task, leaf, g) -> None:
    """Accumulates a gradient into a leaf, or captures it."""
    if leaf.hooked:
        task.enter()
    g = task.on_device(leaf, g)
    if leaf.tensor_hooks:
        g = run_node_hooks(task, leaf, g)
    if task.targets is not None and not task.accumulates:
        task.capture(leaf, g)
    elif (g is not None or leaf.hooked) and (task.needed is None or leaf in task.needed):
        accumulate.into_leaf(task, leaf, g)


def call(task, node, g, edges) -> Any:
    """The gradients that a node sends, without its hooks."""
    if (at_level := level_step(task, node, g, edges)) is not None:
        return at_level
    if g is None and not node.takes_tensors:
        return (None,) * len(edges)
    if node.saved is RELEASED or node.packed is RELEASED:
        raise second_time(node, task.starts)
    if node.takes_tensors:
        return call_on_tensors(task, node, g)
    saved = (saved_tensors if task.tensors else saved_raw)(node, task.starts)
    results = stepped(task.F, node, saved, g, edges) if any(edges) else (None,) * len(edges)
    if not task.keep:
        release(node, task.freed)
    return results if node.metas is None else raw.fitted(task.F, node.metas, results)


def level_step(task, node, g, edges) -> Any:
    """Returns the gradients of a node by the level of a transform; None if it does not take the step."""
    if task.create or type(g) is not Tensor or node.takes_tensors:
        return None
    if type(array := g._array) in TRACED:
        return array.level.step(task, node, g, edges)
    for each in () if node.saved is RELEASED else node.saved:
        if type(each) in TRACED:
            return each.level.step(task, node, g, edges)
    return None


def call_on_tensors(task, node, g) -> tuple:
    results = node.run(list(map(as_tensor, all_outputs(node, g))))
    if not task.keep:
        release(node, task.freed)
    if not task.tensors and any([x is not None and x._carrier is not None for x in results]):
        task.travel_as_tensors()  # as a raw array a sparse gradient would be dense
    return results if task.tensors else tuple(None if x is None else plain(x._array) for x in results)


def attach() -> None:
    """Gives the classes of nodes their steps; called once by the package root."""
    Node.formula_step, Node.general_step = staticmethod(formula_step), staticmethod(general_step)
    Node.hooked_step, Node.traced_step = staticmethod(hooked_step), staticmethod(traced_step)
    TensorNode.own_step = staticmethod(general_step)
    Leaf.own_step = Leaf.hooked_step = staticmethod(leaf_step)
