"""The explanation of a tensor: leaf or result, origin, memory, what backward would do, and `.grad`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rushlight.core.dtype import FLOAT
from rushlight.core.graph import Leaf
from rushlight.core.history import edge_of
from rushlight.core.lazy_conj_neg import marks_of
from rushlight.core.tensor import Parameter, Tensor
from rushlight.declarations.declare import OPS
from rushlight.explain.error_notes import cure_of, cut_off
from rushlight.explain.graph import Graph, Step, graph_of, named_tensors, nearest_cut
from rushlight.explain.memory import relatives
from rushlight.explain.numbers import length, numpy_of, wide
from rushlight.explain.records import record_of, writes_to
from rushlight.explain.result import Explanation, counted, in_bytes, listed
from rushlight.explain.source_rewriting import assigned, spoken

SWITCH_ON = "To see the line, call `rushlight.explain.lines()` before it or set RUSHLIGHT_LINES=1."


def explain_tensor(tensor: Tensor, names: Mapping[str, Any]) -> Explanation:
    """Explains a tensor: what it is, its graph, and code for likely next steps."""
    name = name_of(tensor, names)
    explanation = Explanation(title_of(tensor, name))
    explanation.facts |= {
        "kind": "parameter" if isinstance(tensor, Parameter) else "tensor", "name": name,
        "shape": tuple(tensor.shape), "dtype": tensor.dtype.name, "device": str(tensor.device),
        "requires_grad": tensor.requires_grad, "is_leaf": tensor.is_leaf,
    }  # fmt: skip
    graph = graph_of(tensor, names)
    say_origin(explanation, tensor)
    _leaf(explanation, tensor)
    _memory(explanation, tensor, names)
    _backward(explanation, tensor, graph)
    _grad(explanation, tensor)
    _keeps(explanation, graph)
    _advice(explanation, tensor, name)
    return explanation


def name_of(tensor: Tensor, names: Mapping[str, Any]) -> str | None:
    """Returns the caller's name for a tensor; else the name in the line that made it."""
    called = next((name for name, value in named_tensors(names) if value is tensor), None)
    return called or assigned(record_of(tensor).place)


def title_of(tensor: Tensor, name: str | None) -> str:
    """Returns the first sentence about a tensor: name, shape, dtype and device."""
    kind = "a parameter" if isinstance(tensor, Parameter) else "a tensor"
    shape = f"of shape {tuple(tensor.shape)}" if tensor.dim() else "with one number and no dimensions"
    return f"{f'`{name}`' if name else 'This'} is {kind} {shape}, {tensor.dtype!r}, on {tensor.device}."


# ---- origin


def say_origin(explanation: Explanation, tensor: Tensor) -> None:
    """Says which operation made a tensor, and on which line."""
    made, node = record_of(tensor), tensor.grad_fn
    op = made.op or getattr(getattr(type(node), "op", None), "name", "")
    place = made.place
    declared = OPS.get(op)
    doc = declared.doc.split("\n")[0] if declared is not None else ""
    explanation.facts["made"] = {
        "op": op or None, "doc": doc or None, "file": place.file if place else None,
        "line": place.line if place else None, "source": place.text if place else None,
        "node": node.name() if node is not None else None,
    }  # fmt: skip
    if not op and place is None:
        return
    sentence = f"{spoken(op)} made it" + (f" at {place}." if place is not None else ".")
    recorded = f"Recorded as {node.name()}." if node is not None else None
    explanation.say("origin", sentence, f"That is: {doc}" if doc else None, recorded, None if place else SWITCH_ON)


def _leaf(explanation: Explanation, tensor: Tensor) -> None:
    edge = edge_of(tensor)
    if isinstance(edge, Leaf):
        reason = "requires grad"
        sentence = "It is a leaf that requires grad: backward() adds its gradient to `.grad`."
    elif edge is not None:
        reason = "result"
        sentence = "It is not a leaf: it was computed from a tensor that requires grad."
    else:
        made = record_of(tensor)
        cut = nearest_cut(made)
        reason = cut.cut if cut is not None and cut.cut is not None else "constant"
        sentence = "It is a leaf that does not require grad: autograd treats it as a constant."
        if cut is not None and cut.cut is not None:
            sentence += f"\nIts graph is cut: {cut_off(cut)}.\n{cure_of(cut.cut, cut.place)}"
    explanation.facts["leaf_reason"] = reason
    explanation.say("leaf", sentence)


UNRESOLVED = {(True, False): "conjugates", (False, True): "negatives", (True, True): "negatives of the conjugates"}


def _memory(explanation: Explanation, tensor: Tensor, names: Mapping[str, Any]) -> None:
    shared = relatives(tensor, names)
    explanation.facts["shares_memory"] = [{"name": relative.name, "relation": relative.relation} for relative in shared]
    explanation.facts["bytes"] = tensor.nbytes
    sentences = list(dict.fromkeys(relative.sentence for relative in shared))
    writes = [(place, op) for _, place, op in writes_to(tensor._storage)]
    if writes:
        sentences.append(f"The last write to it: {spoken(writes[-1][1])} at {writes[-1][0]}.")
    if state := UNRESOLVED.get(marks_of(tensor._array)):
        sentences.append(f"The memory holds the {state} of its values; they are resolved when they are read.")
    explanation.say(
        "memory", *(sentences or [f"Nothing else is known to share its memory of {in_bytes(tensor.nbytes)}."])
    )


# ---- gradients


def _backward(explanation: Explanation, tensor: Tensor, graph: Graph) -> None:
    facts = explanation.facts["backward"] = {
        "possible": False, "steps": len(graph.operations), "leaves": [_called(leaf) for leaf in graph.leaves[::-1]],
        "needs_gradient": tensor.numel() != 1,
    }  # fmt: skip
    if not graph.steps:
        facts["reason"] = "does not require grad"
        explanation.say("backward", "backward() would raise: the tensor has no graph.")
        return
    freed = next((step for step in graph.steps if step.freed), None)
    if freed is not None:
        facts["reason"] = "freed"
        where = f" at {freed.freed_at}" if freed.freed_at is not None else ""
        explanation.say("backward", f"backward() would raise: an earlier backward(){where} has freed the graph.")
        return
    facts["possible"] = True
    if isinstance(edge_of(tensor), Leaf):
        explanation.say("backward", "backward() would add ones to its own `.grad`, because it is a leaf.")
        return
    reached = f"add to the `.grad` of {listed(map(_called, graph.leaves[::-1]))}"
    weight = "" if tensor.numel() == 1 else f" It needs a gradient of shape {tuple(tensor.shape)}, or sum() first."
    explanation.say(
        "backward",
        f"backward() would run through {counted(len(graph.operations), 'operation')} and {reached}.{weight}",
        f"Then it would free {in_bytes(graph.bytes)}; a second backward() would raise.",
        *(_cut_sentence(step, link) for step, link in graph.cuts[:3]),
    )


def _called(step: Step) -> str:
    name = step.variable or assigned(step.place)
    return f"`{name}`" if name else f"a leaf {step.shape}"


def _cut_sentence(step: Step, link) -> str:
    where = f" ({step.place})" if step.place is not None else ""
    return f"Operand `{link.operand}` of {spoken(step.op)}{where} gets no gradient: {cut_off(link.cut.made)}."


def _grad(explanation: Explanation, tensor: Tensor) -> None:
    edge = edge_of(tensor)
    grad = edge.grad if isinstance(edge, Leaf) else tensor._grad
    facts = explanation.facts["grad"] = {"is_none": grad is None, "contributions": []}
    if grad is not None:
        calls = contributions(grad)
        facts["contributions"] = [{"file": call.file, "line": call.line} for call in calls]
        norm = "" if tensor.is_meta else f", of norm {length(wide(grad)):.4g}"
        explanation.say(
            "grad",
            f"`.grad` holds a gradient of the same shape{norm}.",
            _added_up(grad, calls) if calls else None,
            "The next backward() adds to it: call zero_grad() between steps." if len(calls) > 1 else None,
        )
        return
    facts["reason"] = reason = _why_none(tensor, edge)
    explanation.say("grad", f"`.grad` is None: {reason}")


def _added_up(grad: Tensor, calls: list) -> str:
    """Returns a sentence about the backward calls that a gradient sums; of many only the last ones are known."""
    forgotten = grad._storage.version > len(grad._storage.writes)
    number = f"{'at least ' if forgotten else ''}{counted(len(calls), 'call')}"
    return f"{number[0].upper()}{number[1:]} of backward() added to it: {_times(calls)}."


def _times(lines: list) -> str:
    """Lists lines, each one once with its count."""
    counts: dict = {}
    for place_ in lines:
        counts[place_] = counts.get(place_, 0) + 1
    return listed(f"{place}{f', {count} times' if count > 1 else ''}" for place, count in counts.items())


def _why_none(tensor: Tensor, edge) -> str:
    if isinstance(edge, Leaf):
        return "no backward() has reached it since it was made or since the last zero_grad()."
    if edge is None:
        return "it does not require grad."
    return "it is not a leaf, and backward() stores gradients in leaves only. Call retain_grad() before backward()."


def contributions(grad: Tensor) -> list:
    """Returns the lines of the backward calls that a gradient sums, oldest first; empty if lines were not recorded."""
    made = grad._made
    first = [made.place] if made is not None and made.op == "backward" and made.place is not None else []
    return first + [place for _, place, op in grad._storage.writes if op == "backward"]


def _keeps(explanation: Explanation, graph: Graph) -> None:
    values = [(value.bytes, value, step) for step in graph.steps for value in step.saved if value.bytes]
    largest = sorted(values, key=lambda value: value[0], reverse=True)[:3]
    explanation.facts["graph"] = {
        "steps": len(graph.operations), "leaves": len(graph.leaves), "bytes": graph.bytes,
        "largest": [
            {"op": step.op, "value": value.name, "shape": value.shape, "bytes": size} for size, value, step in largest
        ],
    }  # fmt: skip
    if not graph.operations:
        return
    saved = [
        f"`{value.name}` of {spoken(step.op)}{f' at {step.place.short}' if step.place else ''}, {in_bytes(size)}"
        for size, value, step in largest
    ]
    explanation.say(
        "keeps",
        f"Its graph of {counted(len(graph.operations), 'operation')} keeps {in_bytes(graph.bytes)} for backward while "
        "this tensor lives.",
        f"The largest values: {listed(saved)}." if saved else None,
    )


# ---- what to write


def _advice(explanation: Explanation, tensor: Tensor, name: str | None) -> None:
    explanation.facts["advice"] = advice = list(_likely(tensor, edge_of(tensor), name or "x"))
    explanation.say("to write", *advice)


def _likely(tensor: Tensor, edge, name: str):
    if isinstance(edge, Leaf):
        yield f"To change it by hand: `with torch.no_grad(): {name} -= ...`"
        yield f"To look at its numbers in NumPy: `{name}.detach().{numpy_of(tensor)}`"
    elif edge is not None and tensor.numel() == 1:
        yield f"To log it or add it up: `{name}.item()`, which drops the graph. To train: `{name}.backward()`"
    elif edge is not None:
        array = f"{name}.detach().{numpy_of(tensor)}"
        yield f"To carry it over to the next step: `{name}.detach()`. As a NumPy array: `{array}`"
        yield f"From a GPU: `{name}.detach().cpu().numpy()`"
    elif tensor.dtype.category < FLOAT:
        yield f"Its dtype {tensor.dtype!r} has no gradients; that of `{name}.float()` has."
    else:
        yield f"To get gradients for it: `{name}.requires_grad_()` before it is used."
