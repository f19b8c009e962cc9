"""`total += loss`, `losses.append(loss)`."""

from __future__ import annotations

import ast
import weakref
from collections import deque
from typing import Any

from rushlight.autograd.function_context import node_behind
from rushlight.autograd.reach import newest_first
from rushlight.core.graph import Node
from rushlight.core.tensor import Tensor
from rushlight.explain.old_graphs import is_statement
from rushlight.explain.watch import source
from rushlight.explain.watch.backward_pass import Pass, Start
from rushlight.explain.watch.program_lines import Line
from rushlight.explain.watch.trap import Trap

PASSES = 10  # consecutive graphs that must outlive their backward
LOOKED_AT = 100_000  # nodes of a sum that are read


class CollectedLosses(Trap):
    """A loss keeps its graph alive, so a sum or list of losses keeps the graphs of all steps.

    Memory grows with every step until none is left. A log only needs the number.
    """

    kind = "collected_losses"
    failing = """
import torch

model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
total = 0.0
for step in range(20):
    loss = model(torch.randn(8, 4)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    total += loss  # <- here
print(f"mean loss: {total / 20:.3f}")
"""
    repaired = failing.replace("total += loss  # <- here", "total += loss.item()")

    def __init__(self, watching) -> None:
        super().__init__(watching)
        self.roots: dict[Start, deque] = {}  # weak references to the roots of the last passes of each line
        self.reported: set[Start] = set()

    def before_backward(self, graph: Pass) -> None:
        roots = self.roots.get(graph.start)
        if roots is None:
            roots = self.roots[graph.start] = deque(maxlen=PASSES)
        if len(roots) == PASSES and roots[0]() is not None:
            alive = {root for x in roots if (root := x()) is not None}
            if len(alive) == PASSES and graph.start not in self.reported:
                self.reported.add(graph.start)
                self._tell(alive, graph)
        roots.append(weakref.ref(graph.roots[0]))

    def _tell(self, alive: set[Node], graph: Pass) -> None:
        name, line = holder(alive)
        if name is None:
            text = f"The graphs of the last {PASSES} losses from this line are still in memory after backward()."
            self.report(graph.place, text, "keep loss.item() or loss.detach(), not the loss itself.")
            return
        text = f"`{name}` keeps the graph of every loss: {PASSES} graphs so far. Memory use grows with each step."
        advice = (
            with_number(line, graph) or "collect loss.item(), a number, or loss.detach(), a tensor without a graph."
        )
        self.report(line or graph.place, text, advice)


def with_number(line: Line | None, graph: Pass) -> str | None:
    """Returns a line that keeps losses with `item()` of the loss."""
    if line is None or not is_statement(line.text):
        return None
    tree = ast.parse(line.text)
    names = {name for name, value, _ in source.variables() if any(value is output for output in graph.outputs)}
    changed = Numbers(names).visit(tree)
    if ast.dump(changed) == ast.dump(ast.parse(line.text)):
        match changed.body:
            case [ast.AugAssign() as statement]:
                statement.value = item_of(statement.value)
            case [ast.Expr(value=ast.Call(args=[*_, last]) as call)]:
                call.args[-1] = item_of(last)
            case _:
                return None
    return ast.unparse(ast.fix_missing_locations(changed))


def item_of(expression: ast.expr) -> ast.Call:
    return ast.Call(ast.Attribute(expression, "item", ast.Load()), [], [])


class Numbers(ast.NodeTransformer):
    """Appends `item()` to variables that hold a loss."""

    def __init__(self, names: set[str]):
        self.names = names

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return item_of(node) if node.id in self.names and isinstance(node.ctx, ast.Load) else node


def holder(alive: set[Node]) -> tuple[str | None, Line | None]:
    """Returns the variable that keeps the graphs, and the line that adds to it."""
    for name, value, frame in source.variables():
        if holds(value, alive):
            return name, source.find(frame.f_code, source.adds_to(name))
    return None, None


def holds(value: Any, alive: set[Node]) -> bool:
    """Whether a variable is a container of the losses, or a tensor computed from them."""
    if isinstance(value, Tensor):
        node = node_behind(value.grad_fn)
        if node is None or node in alive:
            return False
        return sum(x in alive for x in newest_first([node])[:LOOKED_AT]) > PASSES // 2
    if isinstance(value, dict):
        value = list(value.values())
    if not isinstance(value, (list, tuple, deque)):
        return False
    inner = [x for item in list(value) for x in (item if isinstance(item, (list, tuple)) else (item,))]
    return sum(isinstance(x, Tensor) and node_behind(x.grad_fn) in alive for x in inner) > PASSES // 2
