"""The explanation of a graph node."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rushlight.core.graph import Node
from rushlight.declarations.declare import OPS
from rushlight.explain.derivatives import derivative_text
from rushlight.explain.graph import graph_of
from rushlight.explain.result import Explanation, in_bytes
from rushlight.explain.source_rewriting import spoken


def explain_node(node: Node, names: Mapping[str, Any]) -> Explanation:
    """Explains what a recorded step computes in backward, from which values, and for which operands."""
    graph = graph_of(node, names)
    step = graph.steps[graph.roots[0]]
    explanation = Explanation(f"{step.name} is the node of {spoken(step.op)}.")
    explanation.facts |= {
        "kind": "node", "name": step.name, "op": step.op, "shape": step.shape, "freed": step.freed,
        "saved": [{"name": value.name, "shape": value.shape, "bytes": value.bytes} for value in step.saved],
        "operands": [link.operand for link in step.links], "hooks": step.hooks,
        "file": step.place.file if step.place else None, "line": step.place.line if step.place else None,
    }  # fmt: skip
    declared = OPS.get(step.op)
    explanation.say(
        "origin",
        f"Made at {step.place}." if step.place is not None else None,
        declared.doc.split("\n")[0] if declared is not None else None,
    )
    for link in step.links:
        made = graph.steps[link.step] if link.step is not None else None
        goes = (
            f"goes to {made.variable or made.name}"
            if made is not None
            else "is not computed: that operand does not require grad"
        )
        formula = derivative_text(step.op, link.operand)
        explanation.say(f"d {link.operand}", f"Its gradient {goes}.", f"It is {formula}." if formula else None)
    saved = ", ".join(f"`{value.name}` {value.shape}, {in_bytes(value.bytes)}" for value in step.saved)
    explanation.say("keeps", "Nothing: backward() has freed it." if step.freed else f"{saved or 'Nothing'}.")
    return explanation
