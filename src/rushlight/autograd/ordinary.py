"""The ordinary part of a backward pass: gradients on their way from node to node, with nothing else to think of.

Most passes are nothing but this from beginning to end, so every line here counts. Where something more is met (a hook,
a node with several results, a custom Function, one whose gradient is asked for), the loop stops and says what it has
not sent; `backward.Task` goes on.
"""

from __future__ import annotations

from heapq import heappop, heappush, heappushpop
from typing import Any

import rushlight._generated.raw as raw
from rushlight.arrays import cpu
from rushlight.autograd.arriving import fitted
from rushlight.autograd.saved_values import as_tensors, refuse_stale, second_time
from rushlight.core.graph import RELEASED, Leaf
from rushlight.core.storage import LAST_WRITE

ABSENT = object()  # no gradient has come to a node


def put_back(gradients: dict, waiting: list, node, g) -> None:
    """A node goes back to those that wait, with what has come to it."""
    gradients[node] = g
    heappush(waiting, (-node.created, node))


def walk(gradients: dict, waiting: list, leaves: dict, keep, freed, starts: tuple, F=raw, among=None) -> list | None:
    """Visits nodes, newest first, until none is waiting: then the result is None.

    Gradients are raw arrays, or Tensors where `F` is the language of these: `gradients` holds what has come to waiting
    nodes, `waiting` is their heap, of `(-created, node)`, and `leaves` takes what has come to leaves. Unless it is to
    `keep` what nodes have saved, it leaves `freed` there; `starts` are the edges at which the pass began. It ends early
    at a node that is not ordinary, or not `among` some, which is put back, with an empty list; and after a node some of
    whose gradients cannot go their way, with these, as (edge, gradient) pairs.
    """
    take, arrived, at_leaf = gradients.pop, gradients.get, leaves.get
    add: Any = cpu.plus if F is raw else F.add  # looked up now: machine code may have taken its place
    following = node = g = None  # the next node and its gradient, kept out of the heap: most graphs are chains
    left: list = []
    while True:
        if following is None:
            if not waiting:
                return None
            node = heappop(waiting)[1]
            g = take(node)
        elif waiting and waiting[0][0] < -following.created:
            gradients[following], node = g, heappushpop(waiting, (-following.created, following))[1]
            g = take(node)
        else:
            node = following
        following = None
        if node.special or g is None or (among is not None and node not in among):
            put_back(gradients, waiting, node, g)
            return left
        saved = node.saved
        if saved:
            if saved is RELEASED:
                raise second_time(node, starts)
            if node.created < LAST_WRITE.tick:
                refuse_stale(node)
            if F is not raw:
                saved = as_tensors(node)
            if not keep:
                node.saved, node.storages = RELEASED, freed
        results = node.backward(F, node, saved, g)
        if node.metas is not None:
            results = fitted(F, node.metas, results)
        g = saved = None
        for edge, result in zip(node.edges, results):  # noqa: B905  # `strict=` costs 0.1 us a node
            if edge is None:
                continue
            if result is None:
                left.append((edge, None))
            elif not edge.special:
                if edge is following:
                    g = add(g, result)
                elif (known := arrived(edge, ABSENT)) is not ABSENT:
                    gradients[edge] = result if known is None else add(known, result)
                elif following is None:
                    following, g = edge, result
                else:
                    gradients[edge] = result
                    heappush(waiting, (-edge.created, edge))
            elif type(edge) is Leaf and not edge.hooked:
                known = at_leaf(edge)
                leaves[edge] = result if known is None else add(known, result)
            else:
                left.append((edge, result))
        results = result = known = None
        if left:
            if following is not None:
                put_back(gradients, waiting, following, g)
            return left
