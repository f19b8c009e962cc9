"""A loss of (n, 1) against (n,)."""

from __future__ import annotations

import ast

from rushlight.core.graph import Node, node_of
from rushlight.core.origin import Place
from rushlight.explain.source_rewriting import in_brackets
from rushlight.explain.source_text import statement_at
from rushlight.explain.watch.backward_pass import Pass
from rushlight.explain.watch.graph_patterns import op_name
from rushlight.explain.watch.trap import Trap

REDUCED = ("mean", "sum")
BY_ELEMENT = ("pow", "modulus", "mul", "square", "neg", "true_divide")  # operations that a loss applies to a difference
MADE_ON_PURPOSE = ("unsqueeze", "view", "reshape")  # an intended column: all pairs are wanted


class BroadcastLoss(Trap):
    """Predictions of shape (n, 1) minus targets of shape (n,) give an (n, n) table of all pairs, not n differences.

    The loss compares every prediction with every target, so the model learns the mean of the targets. There is no
    error.
    """

    kind = "broadcast_loss"
    failing = """
import torch

x = torch.linspace(0, 1, 16).unsqueeze(1)  # (16, 1)
y = 3 * x.squeeze(1) + 1                   # (16,)
model = torch.nn.Linear(1, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(3):
    loss = ((model(x) - y) ** 2).mean()  # <- here
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""
    repaired = failing.replace("model(x) - y", "model(x).squeeze(1) - y").replace("  # <- here", "")

    def before_backward(self, graph: Pass) -> None:
        if not graph.is_read:
            return
        for node in graph.nodes:
            shapes = (
                _shapes_of_loss(node)
                if op_name(node) != "sub" or not _is_reduced(graph.roots[0], node)
                else _shapes_of_difference(node)
            )
            if shapes is not None:
                self._tell(node, graph, *shapes)

    def _tell(self, node: Node, graph: Pass, first: tuple, second: tuple) -> None:
        count = max(first[0], second[0])
        text = (
            f"Shapes {first} and {second} broadcast to ({count}, {count}): the loss compares every prediction with "
            "every target."
        )
        place = self.watching.node_lines.place_of(node) or graph.place
        constant = 0 if node.edges[0] is None else 1
        advice = fitted(place, constant, (first, second)[constant], op_name(node) == "sub")
        self.report(place, text, advice or "make the shapes equal: prediction.squeeze(-1), or target.unsqueeze(-1).")


def fitted(place: Place, constant: int, shape: tuple, is_difference: bool) -> str | None:
    """Returns the line of a loss with targets in the shape of the predictions; None if it cannot be rewritten."""
    statement = statement_at(place.code, place.line)
    if statement is None:
        return None
    changed = ast.parse(ast.unparse(statement)).body[0]
    method = "unsqueeze(1)" if len(shape) == 1 else "squeeze(1)"
    parts = list(ast.walk(changed))
    for part in parts if is_difference else ():
        if isinstance(part, ast.BinOp) and isinstance(part.op, ast.Sub):
            side = "right" if constant else "left"
            setattr(part, side, with_method(getattr(part, side), method))
            return ast.unparse(changed)
    call = next((part for part in parts if isinstance(part, ast.Call) and len(part.args) == 2), None)
    if call is None:
        return None
    call.args[constant] = with_method(call.args[constant], method)
    return ast.unparse(changed)


def with_method(expression: ast.expr, method: str) -> ast.expr:
    return ast.parse(f"{in_brackets(ast.unparse(expression))}.{method}", mode="eval").body


def _shapes_of_loss(node: Node) -> tuple[tuple, tuple] | None:
    """Returns the shapes of a loss's input and target if they broadcast to a table."""
    parameters = dict(zip(type(node).parameters, node.params, strict=False))
    first, second = parameters.get("input_shape"), parameters.get("target_shape")
    return (first, second) if first and second and _makes_a_table(first, second) else None


def _shapes_of_difference(node: Node) -> tuple[tuple, tuple] | None:
    if node.metas is None or any(meta is None for meta in node.metas):
        return None
    first, second = (meta[0] for meta in node.metas)
    if not _makes_a_table(first, second):
        return None
    column = node.edges[0] if len(first) == 2 else node.edges[1]
    return None if column is not None and op_name(node_of(column)) in MADE_ON_PURPOSE else (first, second)


def _makes_a_table(first: tuple, second: tuple) -> bool:
    column, row = (first, second) if len(first) > len(second) else (second, first)
    return len(column) == 2 and len(row) == 1 and column[1] == 1 and column[0] == row[0] > 1


def _is_reduced(root: Node, difference: Node) -> bool:
    """Whether a difference is only squared (or the like) and summed to the loss."""
    waiting, reduced = [root], False
    while waiting:
        node = waiting.pop()
        if node is difference:
            return reduced
        reduced = reduced or op_name(node) in REDUCED
        if op_name(node) in REDUCED or (op_name(node) in BY_ELEMENT):
            waiting += [node_of(edge) for edge in node.edges if edge is not None]
    return False
