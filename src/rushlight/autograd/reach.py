"""Which nodes a backward pass will come to, where it has to know beforehand."""

from __future__ import annotations

from collections.abc import Iterable
from operator import attrgetter

from rushlight.core.graph import Leaf, Node, Output, node_of

created = attrgetter("created")


def reached(starts: Iterable[Node]) -> list[Node]:
    """Every node that some nodes lead to, they included, in some order."""
    found = list(dict.fromkeys(starts))
    seen: set[Node | Output | None] = {None, *found}
    for node in found:  # which grows
        for edge in node.edges:
            if edge not in seen:
                seen.add(edge)
                if type(edge) is not Output:
                    found.append(edge)
                elif edge.node not in seen:
                    seen.add(edge.node)
                    found.append(edge.node)
    return found


def newest_first(starts: Iterable[Node]) -> list[Node]:
    """Every node that some nodes lead to, they included: each before what it came from."""
    return sorted(reached(starts), key=created, reverse=True)


def wanted(targets) -> dict[Node, set[int]]:
    """The nodes of the edges whose gradients are asked for, with the output numbers asked of each."""
    numbers: dict = {}
    for edge in targets:
        numbers.setdefault(node_of(edge), set()).add(edge.number if type(edge) is Output else 0)
    return numbers


def needed(starts: Iterable[Node], targets: Iterable[Node], *, run_targets: bool) -> dict[Node, tuple] | None:
    """The nodes that must run for gradients to arrive at the targets, each with its edges, None in the place of others.

    With `run_targets` they run as well. None if the targets are all the leaves that there are: then all lead to them.
    """
    leads = set(targets)
    nodes = reached(starts)
    if {node for node in nodes if not node.edges} == leads:
        return None
    nodes.sort(key=created)
    found: dict[Node, tuple] = {}
    for node in nodes:
        edges = tuple([edge if edge is not None and node_of(edge) in leads else None for edge in node.edges])
        if edges.count(None) < len(edges):
            leads.add(node)
            found[node] = edges
        elif run_targets and node in leads:
            found[node] = edges
    return found


def still_to_come(unsettled: Iterable[Leaf], waiting: Iterable[Node], needed: dict | None) -> dict[Leaf, int]:
    """How many gradients the nodes that have not run yet will send to each leaf with hooks."""
    awaited = dict.fromkeys(unsettled, 0)
    for node in newest_first(waiting):
        for edge in node.edges if needed is None else needed.get(node, ()):
            if type(edge) is Leaf and edge.hooked:
                awaited[edge] = awaited.get(edge, 0) + 1
    return awaited
