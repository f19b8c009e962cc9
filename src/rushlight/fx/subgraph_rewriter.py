"""`torch.fx.subgraph_rewriter`: replaces every place in a graph that has the shape of a pattern."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from rushlight.fx._symbolic_trace import symbolic_trace
from rushlight.fx.graph import Graph
from rushlight.fx.graph_module import GraphModule
from rushlight.fx.node import Node
from rushlight.fx.passes.utils.matcher_utils import InternalMatch, SubgraphMatcher
from rushlight.nn.modules.module import Module

__all__ = ["Match", "ReplacedPatterns", "replace_pattern", "replace_pattern_with_filters"]

Pattern = Callable[..., Any] | Graph | GraphModule
Filter = Callable[[InternalMatch, Graph, Graph], bool]


class Match(NamedTuple):
    """A place that was replaced: the last node of the pattern, and what its nodes were there."""

    anchor: Node
    nodes_map: dict[Node, Node]


@dataclass
class ReplacedPatterns:
    """A place that was replaced, and the new nodes."""

    anchor: Node
    nodes_map: dict[Node, Node]
    replacements: list[Node]


def replace_pattern(
    gm: GraphModule, pattern: Callable[..., Any] | GraphModule, replacement: Callable[..., Any] | GraphModule
) -> list[Match]:
    """Replaces each place in a graph that does what `pattern` does, by what `replacement` does; returns these places.

    Both are functions, modules or graphs; their arguments are any value. Places do not overlap.

    >>> import rushlight as torch
    >>> traced = torch.fx.symbolic_trace(lambda x: torch.relu(x) + torch.relu(x * 2))
    >>> len(replace_pattern(traced, lambda x: torch.relu(x), lambda x: torch.tanh(x)))
    2
    >>> print(traced.code.strip())
    def forward(self, x):
        mul = x * 2
        tanh = torch.tanh(x);  x = None
        tanh_1 = torch.tanh(mul);  mul = None
        add = tanh + tanh_1;  tanh = tanh_1 = None
        return add
    """
    return [Match(each.anchor, each.nodes_map) for each in replace_pattern_with_filters(gm, pattern, replacement)]


def replace_pattern_with_filters(
    gm: GraphModule,
    pattern: Pattern,
    replacement: Pattern | None = None,
    match_filters: list[Filter] | None = None,
    ignore_literals: bool = False,
    replacement_callback: Callable[[InternalMatch, Graph, Graph], Graph] | None = None,
    node_name_match: str = "",
) -> list[ReplacedPatterns]:
    """Replaces the places that all filters accept.

    A filter gets the place, the graph and the pattern's graph; so does `replacement_callback`, which returns the graph
    that replaces a place. With `ignore_literals` constants in the pattern are any value.
    """
    wanted = graph_of(pattern)
    matcher = SubgraphMatcher(wanted, ignore_literals=ignore_literals)
    matches = [
        match
        for match in matcher.match(gm.graph, node_name_match)
        if all(accepts(match, gm.graph, wanted) for accepts in match_filters or [])
    ]
    if replacement is None and replacement_callback is None:
        raise AssertionError("Must provide either a replacement GraphModule or a replacement callback")
    common = None if replacement_callback is not None or replacement is None else graph_of(replacement)
    changed: dict[Node, Node] = {}
    replaced = []
    for match in matches:
        new = common if replacement_callback is None else replacement_callback(match, gm.graph, wanted)
        replaced.append(replace_one(gm.graph, match, wanted, new, changed))  # type: ignore[arg-type]
    gm.recompile()
    if isinstance(replacement, Module):
        take_members(gm, replacement)
    return replaced


def graph_of(pattern: Pattern) -> Graph:
    if isinstance(pattern, Graph):
        return pattern
    return pattern.graph if isinstance(pattern, GraphModule) else symbolic_trace(pattern).graph


def replace_one(
    graph: Graph, match: InternalMatch, pattern: Graph, replacement: Graph, changed: dict[Node, Node]
) -> ReplacedPatterns:
    """Replaces one place. `changed` has the nodes that took the part of returned nodes of places before it."""
    follow(match, changed)
    placeholders = replacement.find_nodes(op="placeholder")
    if len(match.placeholder_nodes) != len(placeholders):
        raise AssertionError(f"Placeholder count mismatch: {len(match.placeholder_nodes)} vs {len(placeholders)}")
    new: dict[Node, Any] = dict(zip(placeholders, match.placeholder_nodes, strict=True))
    with graph.inserting_before(after(graph, match.returning_nodes)):
        result: Any = graph.graph_copy(replacement, new)
    results = (result,) if isinstance(result, Node) else tuple(result)
    if len(match.returning_nodes) != len(results):
        raise AssertionError(f"Returning nodes count mismatch: {len(match.returning_nodes)} vs {len(results)}")
    for old, copied in zip(match.returning_nodes, results, strict=True):
        old.replace_all_uses_with(copied)
        changed[old] = copied
    for node in reversed(pattern.nodes):
        if node.op not in ("placeholder", "output"):
            graph.erase_node(match.nodes_map[node])
    added = [node for node in new.values() if node not in match.placeholder_nodes]
    return ReplacedPatterns(match.anchors[0], match.nodes_map, added)


def follow(match: InternalMatch, changed: dict[Node, Node]) -> None:
    """Lets a place take the new nodes where its arguments were nodes that have been replaced."""

    def now(value: Any) -> Any:
        return changed.get(value, value) if isinstance(value, Node) else value

    match.placeholder_nodes = [now(value) for value in match.placeholder_nodes]
    for node, value in match.nodes_map.items():
        if node.op == "placeholder":
            match.nodes_map[node] = now(value)


def after(graph: Graph, returning: list[Node]) -> Node:
    """Returns the node before which new nodes are inserted: the first that uses a result, else the next one."""
    users = {user for node in returning for user in node.users}
    first = next((node for node in graph.nodes if node in users), None)
    return first if first is not None else next(node for node in reversed(graph.nodes) if node in returning).next


def take_members(gm: GraphModule, replacement: Module) -> None:
    """Gives a module the members of the replacement that its graph uses and that it lacks. Removes unused modules."""
    gm.delete_all_unused_submodules()
    if isinstance(replacement, GraphModule):
        replacement.graph.lint()
    for node in gm.graph.nodes:
        if node.op not in ("call_module", "get_attr") or member(gm, str(node.target)) is not None:
            continue
        value = member(replacement, str(node.target))
        if value is None:
            raise RuntimeError(f'Attempted to create a "{node.op}" node during subgraph rewriting with target '
                               f"{node.target}, but the referenced attribute does not exist in the replacement "
                               "GraphModule")  # fmt: skip
        if isinstance(value, Module):
            gm.add_submodule(str(node.target), copy.deepcopy(value))
        else:
            setattr(gm, str(node.target), copy.deepcopy(value))
    gm.graph.lint()


def member(module: Module, path: str) -> Any:
    place, _, name = path.rpartition(".")
    try:
        return getattr(module.get_submodule(place), name, None)
    except AttributeError:
        return None
