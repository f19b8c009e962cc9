"""`torch.fx.passes.utils.matcher_with_name_node_map_utils`: patterns that give names to nodes."""

from __future__ import annotations

from rushlight.fx.graph import Graph
from rushlight.fx.graph_module import GraphModule
from rushlight.fx.node import Node
from rushlight.fx.passes.utils.matcher_utils import InternalMatch, SubgraphMatcher

__all__ = ["SubgraphMatcherWithNameNodeMap"]


class SubgraphMatcherWithNameNodeMap(SubgraphMatcher):
    """Finds a pattern that returns its result and, last, a dict of names and nodes: `match.name_node_map`.

    >>> import rushlight as torch
    >>> def pattern(x):
    ...     relu = torch.relu(x)
    ...     return relu * 2, {"relu": relu}
    >>> matcher = SubgraphMatcherWithNameNodeMap(torch.fx.symbolic_trace(pattern))
    >>> traced = torch.fx.symbolic_trace(lambda x: torch.relu(x + 1) * 2)
    >>> matcher.match(traced.graph)[0].name_node_map
    {'relu': relu}
    """

    def __init__(
        self,
        pattern_gm: GraphModule,
        match_output: bool = False,
        match_placeholder: bool = False,
        remove_overlapping_matches: bool = True,
        ignore_literals: bool = False,
    ) -> None:
        graph, self.names = without_names(pattern_gm)
        self.pattern_gm = pattern_gm
        super().__init__(graph, match_output, match_placeholder, remove_overlapping_matches, ignore_literals)

    def match(self, graph: Graph, node_name_match: str = "") -> list[InternalMatch]:
        matches = super().match(graph, node_name_match)
        for match in matches:
            match.name_node_map = {name: match.nodes_map[node] for name, node in self.names.items()}
        return matches


def without_names(pattern: GraphModule) -> tuple[Graph, dict[str, Node]]:
    """Takes the dict of names out of the result of a pattern; returns its graph and the dict."""
    output = pattern.graph.output_node()
    result = output.args[0]
    if not (isinstance(result, list | tuple) and result and isinstance(result[-1], dict)):
        raise AssertionError("expecting the result of the pattern to be a sequence that ends with a dict of names")
    *values, names = result
    output.args = (type(result)(values) if len(values) > 1 else values[0],) if values else ((),)
    pattern.recompile()
    return pattern.graph, dict(names)
