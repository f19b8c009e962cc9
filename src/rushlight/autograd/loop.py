"""The loop of a backward pass: from node to node, newest first.

A node is always newer than its inputs. So the newest node that has a gradient has all of it, and a heap gives the order
without a look at the graph beforehand. Nothing recurses: a graph may be millions of nodes deep. What a node does with
its gradient is its `step`; see `steps.py`.
"""

from __future__ import annotations

from heapq import heappop, heappush, heappushpop

from rushlight.autograd.saved_values import refuse
from rushlight.core.clock import LAST_WRITE
from rushlight.core.graph import RELEASED, Leaf, Output
from rushlight.core.tables import raw

ABSENT = object()  # no gradient has come to a node


def undefined_step(task, node, g, edges) -> tuple:
    """Sends nothing, for a node that nothing came to."""
    return (None,) * len(edges)


def run_nodes(task, node, g) -> None:
    """Runs the steps of `node`, whose gradient is `g`, and of all nodes that gradients reach from there or wait at.

    One node is kept out of the heap, in `following`: most graphs are chains. Undefined gradients, and those of leaves
    with hooks and of nodes with several outputs, take `task.send`.
    """
    gradients, waiting, leaves, needed, choose = task.gradients, task.waiting, task.leaves, task.needed, task.choose
    keep, freed, take, at_node, at_leaf = task.keep, task.freed, gradients.pop, gradients.get, leaves.get
    while node is not None:
        edges = node.edges if needed is None else needed.get(node, ())
        if (step := node.step if choose is None else choose(task, node)) is not None or g is None:
            results, choose = (step or undefined_step)(task, node, g, edges), task.choose
        else:
            if saved := node.saved:
                if saved is RELEASED or node.created < LAST_WRITE.tick:
                    refuse(node, task.starts)
                if not keep:
                    node.saved, node.storages = RELEASED, freed
            results = node.backward(raw, node, saved, g, edges)
            results = results if node.metas is None else raw.fitted(raw, node.metas, results)
        following, g, saved, position = None, None, None, -1  # counted by hand: `zip` takes 0.15 us to begin
        for edge in edges:
            result = results[(position := position + 1)]
            if edge is None:
                continue
            if result is None or (kind := type(edge)) is Output or (kind is Leaf and edge.hooked):
                task.send(edge, result, following)
            elif kind is Leaf:
                leaves[edge] = result if (known := at_leaf(edge)) is None else task.add(known, result)
            elif edge is following:
                g = task.add(g, result)
            elif gradients and (known := at_node(edge, ABSENT)) is not ABSENT:
                gradients[edge] = result if known is None else task.add(known, result)
            elif following is None:
                following, g = edge, result
            else:
                gradients[edge] = result
                heappush(waiting, (-edge.created, edge))
        results = result = known = None  # no reference stays behind: gradients are taken over, and hooks may free them
        if following is not None and waiting and waiting[0][0] < -following.created:
            gradients[following], following = g, heappushpop(waiting, (-following.created, following))[1]
            g = take(following)
        elif following is None and waiting:
            g = take(following := heappop(waiting)[1])
        node = following
