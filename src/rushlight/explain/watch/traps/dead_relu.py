"""A last ReLU that outputs only zeros."""

from __future__ import annotations

from collections import Counter

import numpy as np

from rushlight.core.graph import Leaf, Node, node_of
from rushlight.core.origin import Place
from rushlight.explain.watch.backward_pass import Pass
from rushlight.explain.watch.graph_patterns import op_name, saved_arrays
from rushlight.explain.watch.optimizers import gradient_of, is_nonzero, parameters_of
from rushlight.explain.watch.removed_activation import without
from rushlight.explain.watch.trap import Trap

RELU = ("relu", "clamp_min", "threshold")
STEPS = 3  # consecutive passes with only zeros and no gradient
CLOSE = 8  # nodes before the loss in which the last ReLU is searched
OFTEN = 50  # passes of a line that are all read; then every tenth


class DeadRelu(Trap):
    """A ReLU passes no gradient where its output is zero: if the last one outputs only zeros, no gradient passes.

    Then nothing before it is ever trained again. It happens if the targets are negative, or if a large step has pushed
    the bias below zero. The last layer of a regression needs no ReLU.
    """

    kind = "dead_relu"
    failing = """
import torch
from torch import nn

model = nn.Sequential(nn.Linear(1, 4), nn.Tanh(), nn.Linear(4, 1), nn.ReLU())
nn.init.constant_(model[2].bias, -3.0)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x = torch.linspace(-1, 1, 20).unsqueeze(1)
for step in range(6):
    loss = nn.functional.mse_loss(model(x), -x.abs())  # <- here
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""
    repaired = failing.replace("nn.Linear(4, 1), nn.ReLU())", "nn.Linear(4, 1))").replace("  # <- here", "")

    def __init__(self, watching) -> None:
        super().__init__(watching)
        self.dead: Place | None = None  # line of a ReLU that gave only zeros in the last backward
        self.count: Counter[Place] = Counter()

    def before_backward(self, graph: Pass) -> None:
        self.dead = None
        if any(not is_nonzero(output) for output in graph.outputs):
            return  # a hinge loss of 0 has converged
        if graph.accumulates and (graph.number <= OFTEN or not graph.number % 10):
            dead = next((step for step in last_steps(graph.roots) if gives_zeros(step)), None)
            self.dead = None if dead is None else self.watching.node_lines.place_of(dead) or graph.place

    def before_step(self, optimizer) -> None:
        dead, self.dead = self.dead, None
        if dead is None:
            return
        gradients = [
            gradient for parameter in parameters_of(optimizer) if (gradient := gradient_of(parameter)) is not None
        ]
        if not gradients or any(is_nonzero(gradient) for gradient in gradients):
            self.count[dead] = 0
            return
        self.count[dead] += 1
        if self.count[dead] == STEPS:
            self._tell(dead)

    def _tell(self, place: Place) -> None:
        line = without(place, "relu", "ReLU")
        where = f"the ReLU at line {line.line}" if line is not None and line.is_layer else "this ReLU"
        text = (
            f"Every prediction is 0: {where} gets only negative numbers. Its slope is 0 there, so all gradients have "
            f"been 0 for {STEPS} steps."
        )
        self.report(place, text, "leave the last ReLU out." if line is None else line.instead_of(place.line))


def last_steps(roots: tuple[Node, ...]) -> list[Node]:
    """Yields the nodes nearest to a loss, while each has one operand with history."""
    result: list[Node] = []
    node = roots[0] if len(roots) == 1 else None
    while node is not None and len(result) < CLOSE and not isinstance(node, Leaf):
        result.append(node)
        edges = [edge for edge in node.edges if edge is not None]
        node = node_of(edges[0]) if len(edges) == 1 else None
    return result


def gives_zeros(node: Node) -> bool:
    """Whether a node is a ReLU whose result is all zeros."""
    if op_name(node) not in RELU:
        return False
    kept = dict(saved_arrays(node)).get("out")
    return isinstance(kept, np.ndarray) and bool(kept.size) and not kept.any()
