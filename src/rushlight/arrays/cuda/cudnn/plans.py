"""A call as a graph of cuDNN's, and the plans that execute it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from rushlight.arrays.cuda.cudnn.layouts import Layout
from rushlight.arrays.cuda.cudnn.library import TYPES


class Call(NamedTuple):
    """One operator: the method of a graph that adds it, the names of its operands, settings, kernels to avoid."""

    operator: str
    operands: tuple[str, ...]
    settings: tuple[tuple[str, Any], ...] = ()
    avoided: tuple[str, ...] = ()  # of `numerical_note`


class Plan(NamedTuple):
    """A graph that has been built, its tensors (the operands', then the results'), and the bytes it works in."""

    graph: Any
    tensors: tuple
    workspace: int
    number: int | None = None  # of the plan among those of the graph; None for the one that heuristics have chosen


def planned(library: Any, handle: Any, call: Call, layouts: Sequence[Layout], most: int | None = None) -> list[Plan]:
    """Returns the plan that cuDNN's heuristics choose for operands and results in these layouts.

    If `most` is not None, returns up to so many plans to choose from, the likely ones first, or all of them for 0. The
    list is empty if there is no kernel.
    """
    graph, tensors = graph_of(library, handle, call, layouts)
    try:
        graph.validate()
        graph.build_operation_graph()
        graph.create_execution_plans([library.heur_mode.A, library.heur_mode.FALLBACK])
        if call.avoided:
            graph.deselect_numeric_notes([getattr(library.numerical_note, name) for name in call.avoided])
        graph.check_support()
        if most is None:
            graph.build_plans()
            return [Plan(graph, tensors, graph.get_workspace_size())]
    except library.cudnnGraphNotSupportedError:
        return []
    return built(library, graph, tensors, most)


def built(library: Any, graph: Any, tensors: tuple, most: int) -> list[Plan]:
    """Builds plans of a graph by their numbers; one that is avoided, or has no kernel after all, is refused."""
    # The last three are what the kernels raise that the frontend has in Python, as its own engines expect.
    refusals = library.cudnnGraphNotSupportedError, NotImplementedError, ImportError, ValueError
    plans: list[Plan] = []
    for number in range(graph.get_execution_plan_count()):
        try:
            graph.build_plan_at_index(number)
        except refusals:
            continue
        plans.append(Plan(graph, tensors, graph.get_workspace_size_plan_at_index(number), number))
        if len(plans) == most:
            break
    return plans


def graph_of(library: Any, handle: Any, call: Call, layouts: Sequence[Layout]) -> tuple[Any, tuple]:
    """Returns a graph of one operator, and its tensors. It computes in float32, or in float64 for operands of it."""
    types = library.data_type
    storage = getattr(types, TYPES[layouts[0].dtype])
    compute = types.DOUBLE if layouts[0].dtype == "float64" else types.FLOAT
    graph = library.pygraph(
        io_data_type=storage, intermediate_data_type=compute, compute_data_type=compute, handle=handle
    )
    operands = {
        name: graph.tensor(
            name=name, dim=list(layout.shape), stride=list(layout.strides),
            data_type=getattr(types, TYPES[layout.dtype]), is_pass_by_value=layout.by_value,
        )
        for name, layout in zip(call.operands, layouts, strict=False)
    }  # fmt: skip
    settings = {name: list(value) if isinstance(value, tuple) else value for name, value in call.settings}
    outcome = getattr(graph, call.operator)(**operands, **settings)
    several = outcome if isinstance(outcome, list | tuple) else [outcome]
    results = [result for result in several if result is not None]
    for result, layout in zip(results, layouts[len(operands) :], strict=True):
        result.set_output(True).set_data_type(getattr(types, TYPES[layout.dtype]))
        result.set_dim(list(layout.shape)).set_stride(list(layout.strides))
    return graph, (*operands.values(), *results)
