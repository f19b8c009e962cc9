"""The nodes that a backward pass reaches, for passes that need to know beforehand."""

from __future__ import annotations

from collections.abc import Iterable
from operator import attrgetter

from rushlight.core.graph import Leaf, Node, Output, node_of

created = attrgetter("created")


def reached(starts: Iterable[Node]) -> list[Node]:
    """Returns all nodes reachable from some nodes, including these, in no particular order."""
    nodes = list(dict.fromkeys(starts))
    seen: set[Node | Output | None] = {None, *nodes}
    for node in nodes:  # which grows
        for edge in node.edges:
            if edge not in seen:
                seen.add(edge)
                if type(edge) is not Output:
                    nodes.append(edge)
                elif edge.node not in seen:
                    seen.add(edge.node)
                    nodes.append(edge.node)
    return nodes


def newest_first(starts: Iterable[Node]) -> list[Node]:
    """Returns all nodes reachable from some nodes, including these, newest first."""
    return sorted(reached(starts), key=created, reverse=True)


def wanted(targets) -> dict[Node, set[int]]:
    """Maps the nodes of target edges to their requested output numbers."""
    numbers: dict = {}
    for edge in targets:
        numbers.setdefault(node_of(edge), set()).add(edge.number if type(edge) is Output else 0)
    return numbers


def needed(starts: Iterable[Node], targets: Iterable[Node], *, run_targets: bool) -> dict[Node, tuple] | None:
    """Maps the nodes that must run for the targets to their edges, with None for edges that lead to no target.

    With `run_targets` the targets run too. Returns None if the targets are all leaves of the graph: all nodes run.
    """
    leads = set(targets)
    nodes = reached(starts)
    if {node for node in nodes if not node.edges} == leads:
        return None
    nodes.sort(key=created)
    result: dict[Node, tuple] = {}
    for node in nodes:
        edges = tuple([edge if edge is not None and node_of(edge) in leads else None for edge in node.edges])
        if edges.count(None) < len(edges):
            leads.add(node)
            result[node] = edges
        elif run_targets and node in leads:
            result[node] = edges
    return result


def still_to_come(unsettled: Iterable[Leaf], waiting: Iterable[Node], needed: dict | None) -> dict[Leaf, int]:
    """Counts the gradients that nodes that have not run yet will send to each leaf with hooks."""
    awaited = dict.fromkeys(unsettled, 0)
    for node in newest_first(waiting):
        for edge in node.edges if needed is None else needed.get(node, ()):
            if type(edge) is Leaf and edge.hooked:
                awaited[edge] = awaited.get(edge, 0) + 1
    return awaited
