"""The ordinary part of a backward pass: gradients on their way from node to node, with nothing else to think of.

Most passes are nothing but this from beginning to end, so every line here counts. Where something more is met (a hook,
a custom Function, a node whose gradient is asked for), the loop stops and says what it has not sent; `backward.Task`
goes on.
"""

from __future__ import annotations

from heapq import heappop, heappush, heappushpop
from typing import Any

from rushlight.autograd.arriving import stepped
from rushlight.autograd.saved_values import as_tensors, refuse_stale, second_time
from rushlight.core.clock import LAST_WRITE
from rushlight.core.graph import RELEASED, SEVERAL, WIDER, Leaf, Output
from rushlight.core.tables import raw, xp

ENDS = frozenset((Leaf, Output))  # the edges that are no nodes to go on with
ABSENT = object()  # no gradient has come to a node


def is_ordinary(special: int, g) -> bool:
    """Whether what is special about a node needs no more than is done here."""
    return type(g) is list if special == SEVERAL else g is not None and (not special or special is WIDER)


def put_back(gradients: dict, waiting: list, node, g) -> list:
    """A node goes back to those that wait, with what has come to it: nothing is left to be sent."""
    gradients[node] = g
    heappush(waiting, (-node.created, node))
    return []


def put(gradients: dict, waiting: list, edge: Output, g, add) -> None:
    """The gradient of one of several results waits with those of the others."""
    node, number = edge.node, edge.number
    known = gradients.get(node)
    if known is None:
        if node not in gradients:
            heappush(waiting, (-node.created, node))
        known = gradients[node] = [None] * node.outputs
    known[number] = g if known[number] is None else add(known[number], g)


def refuse(node, starts: tuple) -> None:
    """Raises RuntimeError if what a node saved has been freed, or changed since."""
    if node.saved is RELEASED:
        raise second_time(node, starts)
    refuse_stale(node, starts)


def walk(following, g, gradients, waiting, leaves, keep, freed, starts: tuple, F=raw, among=None) -> list | None:
    """Visits nodes, newest first, until none is left: then the result is None.

    Gradients are raw arrays, or Tensors where `F` is the language of these: `g` is that of the node `following`, if
    there is one, `gradients` holds what has come to waiting nodes, `waiting` is their heap, of `(-created, node)`, and
    `leaves` takes what has come to leaves. A node that follows is kept out of the heap: most graphs are chains. Unless
    it is to `keep` what nodes have saved, it leaves `freed` there; `starts` are the edges at which the pass began.
    Where not all gradients are wanted, `among` has the nodes that it may visit, each with its edges, None for those of
    no use. It ends early at a node that is not ordinary, or not among these, which is put back, with an empty list; and
    after a node some of whose gradients cannot go their way, with these, as (edge, gradient) pairs.
    """
    take, arrived, at_leaf, tensors = gradients.pop, gradients.get, leaves.get, F is not raw
    add: Any = xp.plus if F is raw else F.add  # looked up now: machine code may have taken its place
    left: list = []
    while True:
        if following is None:
            if not waiting:
                return None
            g = take(node := heappop(waiting)[1])
        elif waiting and waiting[0][0] < -following.created:
            gradients[following], node = g, heappushpop(waiting, (-following.created, following))[1]
            g = take(node)
        else:
            node = following
        following, edges = None, node.edges
        if (special := node.special) or g is None or among is not None:
            if (edges := edges if among is None else among.get(node)) is None or not is_ordinary(special, g):
                return put_back(gradients, waiting, node, g)
            g = tuple(g) if special == SEVERAL else g
        saved = node.saved
        if saved:
            if saved is RELEASED or node.created < LAST_WRITE.tick:
                refuse(node, starts)
            if tensors:
                saved = as_tensors(node)
            if not keep:
                node.saved, node.storages = RELEASED, freed
        results = (stepped if tensors or special is WIDER else node.backward)(F, node, saved, g, edges)
        if node.metas is not None:
            results = raw.fitted(F, node.metas, results)
        g = saved = None
        if len(edges) == 1 and not gradients and type(edges[0]) not in ENDS and results[0] is not None:
            following, g, results = edges[0], results[0], None
            continue
        position = -1  # counted by hand: `zip` takes 0.15 us to begin
        for edge in edges:
            result = results[(position := position + 1)]
            if edge is None:
                continue
            if result is None or ((kind := type(edge)) is Leaf and edge.hooked):
                left.append((edge, result))
            elif kind is Output:
                put(gradients, waiting, edge, result, add)
            elif kind is Leaf:
                known = at_leaf(edge)
                leaves[edge] = result if known is None else add(known, result)
            elif edge is following:
                g = add(g, result)
            elif gradients and (known := arrived(edge, ABSENT)) is not ABSENT:
                gradients[edge] = result if known is None else add(known, result)
            elif following is None:
                following, g = edge, result
            else:
                gradients[edge] = result
                heappush(waiting, (-edge.created, edge))
        results = result = known = None
        if left:
            if following is not None:
                put_back(gradients, waiting, following, g)
            return left
