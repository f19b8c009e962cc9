"""`torch.fx.experimental.unify_refinements`: names of sizes in a graph, the same for sizes that are equal."""

from __future__ import annotations

from typing import Any

from rushlight.fx.experimental.graph_gradual_typechecker import Refine, replaced
from rushlight.fx.experimental.refinement_types import Equality
from rushlight.fx.experimental.unification import reify, unify
from rushlight.fx.graph import Graph
from rushlight.fx.graph_module import GraphModule

__all__ = [
    "check_for_type_equality", "convert_eq", "infer_symbolic_types", "infer_symbolic_types_single_pass",
    "substitute_all_types", "substitute_solution_one_type", "unify_eq",
]  # fmt: skip


def infer_symbolic_types_single_pass(traced: GraphModule) -> Refine:
    """Gives unknown sizes names; sizes that are equal get one. Raises TypeError for sizes that cannot be equal."""
    refine = Refine(traced)
    refine.refine()
    substitute_all_types(traced.graph, unify_eq(refine.constraints))
    return refine


def infer_symbolic_types(traced: GraphModule) -> None:
    """Does so twice, because sums show equal sizes only then, and writes sizes as expressions of sympy.

    >>> import rushlight as torch
    >>> from rushlight.fx.tensor_type import Dyn, TensorType
    >>> from rushlight.fx.experimental.graph_gradual_typechecker import GraphTypeChecker
    >>> traced = torch.fx.symbolic_trace(torch.nn.Sequential(torch.nn.Linear(3, 2)))
    >>> next(iter(traced.graph.nodes)).type = TensorType((Dyn, 3))
    >>> _ = GraphTypeChecker({}, traced).type_check()
    >>> infer_symbolic_types_single_pass(traced).constraints
    [~0 = ~1]
    >>> traced.graph.output_node().type
    TensorType[(~1, 2)]
    """
    infer_symbolic_types_single_pass(traced)
    infer_symbolic_types_single_pass(traced).symbolic_relations()


def convert_eq(list_of_eq: list[Equality]) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """Returns the left and the right sides of equalities."""
    return tuple(each.lhs for each in list_of_eq), tuple(each.rhs for each in list_of_eq)


def unify_eq(list_of_eq: list[Equality]) -> dict[Any, Any]:
    """Returns values of unknown sizes. Raises TypeError if there are none."""
    values = unify(*convert_eq(list_of_eq))
    if isinstance(values, bool):
        raise TypeError(f"These sizes cannot be equal: {list_of_eq}")
    return values


def substitute_solution_one_type(mapping: dict[Any, Any], t: Any) -> Any:
    """Returns a type with the values of its unknown sizes."""
    return replaced(t, lambda size: reify(size, mapping))


def substitute_all_types(graph: Graph, mapping: dict[Any, Any]) -> None:
    """Replaces unknown sizes in the types of all nodes by their values."""
    for node in graph.nodes:
        node.type = substitute_solution_one_type(mapping, node.type)


def check_for_type_equality(g1: Graph, g2: Graph) -> bool:
    """Whether the nodes of two graphs have the same types."""
    return all(one.type == other.type for one, other in zip(g1.nodes, g2.nodes, strict=False))
