"""Why a parameter has no gradient: the line at which the graph between it and the loss is cut."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from typing import Any

from rushlight.core.dtype import FLOAT
from rushlight.core.graph import Leaf, Node, node_of
from rushlight.core.history import edge_of
from rushlight.core.lazy_conj_neg import beneath
from rushlight.core.origin import Made, Place
from rushlight.core.storage import owner
from rushlight.core.tensor import Tensor
from rushlight.explain.error_notes import LOST, cure_of, cut_off, origins_of
from rushlight.explain.graph import Graph, graph_of, memory_of
from rushlight.explain.records import record_of
from rushlight.explain.result import Explanation, counted
from rushlight.explain.source_history import cut_in_text
from rushlight.explain.source_rewriting import at, spoken
from rushlight.explain.tensors import SWITCH_ON, name_of

# Functions that make tensors from plain Python or NumPy values.
FROM_NUMBERS = frozenset(("tensor", "as_tensor", "from_numpy", "asarray", "full", "scalar_tensor"))


def why_no_grad(parameter: Tensor, loss: Tensor, names: Mapping[str, Any]) -> Explanation:
    """Explains where the path from a loss back to a parameter is cut, and what to write instead."""
    for tensor in (parameter, loss):
        if not isinstance(tensor, Tensor):
            raise TypeError(f"why_no_grad(): expected two tensors, a parameter and a loss, not {type(tensor).__name__}")
    of, to = name_of(parameter, names), name_of(loss, names)
    explanation = Explanation(
        f"The gradient of {f'`{of}`' if of else 'the parameter'} from {f'`{to}`' if to else 'the loss'}:"
    )
    explanation.facts |= {"kind": "why_no_grad", "parameter": of, "loss": to, "file": None, "line": None}
    for check in (_of_the_parameter, _in_the_graph, _by_the_records, _unrelated):
        if check(explanation, parameter, loss):
            break
    return explanation


def _answer(explanation: Explanation, reason: str, *sentences: str | None, place: Place | None = None) -> bool:
    explanation.facts["reason"] = reason
    if place is not None:
        explanation.facts |= {"file": place.file, "line": place.line, "source": place.text}
    explanation.say("because", *sentences)
    return True


# ---- the parameter itself


def _of_the_parameter(explanation: Explanation, parameter: Tensor, loss: Tensor) -> bool:
    edge = edge_of(parameter)
    if edge is None and parameter.dtype.category < FLOAT:
        sentence = f"Its dtype is {parameter.dtype!r}, and only floating point and complex tensors have gradients."
        cure = f"Cure: {explanation.facts['parameter'] or 'parameter'}.float().requires_grad_()"
        return _answer(explanation, "integer dtype", sentence, cure)
    if edge is None:
        sentence = "It does not require grad: requires_grad is False."
        cure = f"Cure: {explanation.facts['parameter'] or 'parameter'}.requires_grad_()   (before the loss is computed)"
        return _answer(explanation, "requires_grad is False", sentence, cure)
    if not isinstance(edge, Leaf) and node_of(edge) in graph_of(loss).index and not parameter.retains_grad:
        made = at(record_of(parameter))
        sentence = f"It is not a leaf: {made} computed it, and backward() stores gradients in leaves only."
        cure = f"Cure: {explanation.facts['parameter'] or 'parameter'}.retain_grad()   (before backward() is called)"
        return _answer(explanation, "not a leaf", sentence, cure)
    return False


# ---- the graph


def _in_the_graph(explanation: Explanation, parameter: Tensor, loss: Tensor) -> bool:
    graph = graph_of(loss)
    node = node_of(edge_of(parameter))
    if node not in graph.index:
        return _replaced(explanation, parameter, graph)
    if any(step.freed for step in graph.steps):
        reason = "its gradient is in `.grad`" if parameter.grad is not None else "zero_grad() has cleared `.grad` since"
        return _answer(explanation, "reached", f"The loss depends on it: backward() has run, and {reason}.")
    if parameter.grad is not None:
        return _answer(explanation, "reached", "The loss depends on it, and an earlier backward() has set `.grad`.")
    distance = counted(_distance(graph, node), "operation")
    sentence = f"The loss depends on it through {distance}, but backward() has not been called."
    return _answer(explanation, "no backward yet", sentence)


def _distance(graph: Graph, target: Node) -> int:
    """Returns the length of the shortest path from the roots to a node."""
    waiting, far = deque((root, 0) for root in graph.roots), {root: 0 for root in graph.roots}
    while waiting:
        index, steps = waiting.popleft()
        if graph.steps[index].node is target:
            return steps
        for link in graph.steps[index].links:
            if link.step is not None and link.step not in far:
                far[link.step] = steps + 1
                waiting.append((link.step, steps + 1))
    return 0


def _replaced(explanation: Explanation, parameter: Tensor, graph: Graph) -> bool:
    """Reports another leaf with the parameter's memory: from `.data`, or the same storage in another Parameter."""
    for step in graph.leaves:
        array = step.node.array  # type: ignore[attr-defined]
        if memory_of(array) == id(owner(beneath(parameter._array))):
            return _answer(
                explanation,
                "another tensor",
                "The loss uses another tensor with the same memory. That tensor is a leaf and gets the gradient.",
                "Cure: use the parameter itself in the loss, not its .data and not a new Parameter made from it.",
            )
    return False


# ---- the records


def _by_the_records(explanation: Explanation, parameter: Tensor, loss: Tensor) -> bool:
    """Follows recorded operands where the graph has no edge."""
    records = path(record_of(loss), record_of(parameter))
    if records is None:
        return False
    cutting = next((x for x in reversed(records) if x.cut is not None), None)
    if cutting is None or cutting.cut is None:
        return False
    return _answer(
        explanation, cutting.cut, f"{cut_off(cutting)}.", cure_of(cutting.cut, cutting.place), place=cutting.place
    )


def path(start: Made, end: Made) -> list[Made] | None:
    """Returns the records from `start` back to `end`, both included; None if there is no path."""
    before: dict[int, Made | None] = {id(start): None}
    waiting = deque([start])
    while waiting:
        record = waiting.popleft()
        if record is end:
            return _traced(record, before)
        for _, source, _ in record.sources:
            if id(source) not in before:
                before[id(source)] = record
                waiting.append(source)
    return None


def _traced(last: Made, before: dict[int, Made | None]) -> list[Made]:
    records: list[Made] = []
    record: Made | None = last
    while record is not None:
        records.append(record)
        record = before[id(record)]
    return records[::-1]


def _unrelated(explanation: Explanation, parameter: Tensor, loss: Tensor) -> bool:
    """No path exists: reports what is known of the loss."""
    made = record_of(loss)
    if made.place is None:
        if not loss.requires_grad and (cut := cut_in_text(loss)) is not None:
            place = cut.steps[-1][1]
            sentence = f"At {place} {LOST[cut.kind].format(cut.by)}, according to the source text."
            return _answer(explanation, cut.kind, sentence, cure_of(cut.kind, place), place=place)
        return _answer(
            explanation,
            "not in the graph",
            "The loss does not depend on it. Either it was not used, or the graph between the two was cut by detach(), "
            ".data, .item(), numpy(), no_grad or an integer operation.",
            SWITCH_ON,
        )
    fresh = [origin for origin in origins_of(made) if origin.op in FROM_NUMBERS and origin.place is not None][:3]
    return _answer(
        explanation,
        "not in the graph",
        f"The loss, made at {made.place}, was not computed from it.",
        *(
            f"{spoken(x.op)} at {x.place} makes a new tensor from plain numbers, and that has no graph. If the "
            "numbers come from the parameter by item(), tolist() or numpy(), use the tensor itself."
            for x in fresh
        ),
        place=fresh[0].place if fresh else None,
    )
