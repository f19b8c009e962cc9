"""`torch.tensor(loss, requires_grad=True)`."""

from __future__ import annotations

import ast
import weakref
from collections.abc import Iterator
from typing import Any

from rushlight.core.graph import Leaf
from rushlight.core.origin import Place, here
from rushlight.core.tensor import Tensor
from rushlight.explain.source_text import names_read, statement_at, statements_in, targets_of
from rushlight.explain.watch.backward_pass import Pass
from rushlight.explain.watch.optimizers import gradient_of, parameters_of
from rushlight.explain.watch.taps import ROOT, Taps
from rushlight.explain.watch.trap import Trap


class CopiedLoss(Trap):
    """torch.tensor() copies values: a tensor, or a list of tensors, loses its history.

    With requires_grad=True the copy starts a new graph, so backward runs without an error and ends at the copy.
    """

    kind = "copied_loss"
    failing = """
import torch

model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for step in range(3):
    losses = [model(torch.randn(8, 4)).pow(2).mean() for part in range(2)]
    loss = torch.tensor(losses, requires_grad=True).sum()  # <- here
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""
    repaired = failing.replace("torch.tensor(losses, requires_grad=True).sum()  # <- here", "torch.stack(losses).sum()")

    def __init__(self, watching) -> None:
        super().__init__(watching)
        self.copies: weakref.WeakKeyDictionary[Leaf, Place] = weakref.WeakKeyDictionary()  # with history
        self.made: weakref.WeakKeyDictionary[Leaf, Place] = weakref.WeakKeyDictionary()  # of plain values
        self.noted = False  # whether there are any
        self.ended: Place | None = None  # line of the loss if the last backward reached nothing but it

    def tap(self, taps: Taps) -> None:
        taps.attribute(ROOT, "tensor", self._around)

    def _around(self, make):
        def tensor(data, **keywords):
            copied = make(data, **keywords)
            leaf = copied._edge
            if isinstance(leaf, Leaf):
                self.noted = True
                (self.copies if has_history(data) else self.made)[leaf] = here()
            return copied

        tensor.__doc__ = make.__doc__
        return tensor

    def before_backward(self, graph: Pass) -> None:
        self.ended = None
        if not self.noted:
            return
        leaves = list(graph.leaves)
        for leaf in leaves:
            if leaf in self.copies:
                text = "torch.tensor() copies the values without the graph: backward() stops here and trains nothing."
                self.report(self.copies[leaf], text, kept_history(self.copies[leaf]))
        if leaves and all(leaf in self.made for leaf in leaves):
            self.ended = self.made[leaves[0]]

    def before_step(self, optimizer) -> None:
        """Reports a loss of plain values at a step of an optimizer without gradients."""
        ended, self.ended = self.ended, None
        if ended is not None and all(gradient_of(parameter) is None for parameter in parameters_of(optimizer)):
            text = (
                "torch.tensor() makes a new tensor of plain numbers, which have no graph: backward() ends here, and no "
                "parameter gets a gradient."
            )
            self.report(ended, text, kept_history(ended))


def kept_history(place: Place) -> str:
    """Returns the repair for a line that makes a tensor of a loss, and for the line that took its value."""
    for name, value in numbers_in(place):
        line = last_number(place, name)
        if line is not None and (plain := without_item(line)) is not None:
            made = statement_at(place.code, place.line)
            names = [] if made is None else targets_of(made)
            if len(names) != 1 or names[0] in names_read(ast.parse(plain)):
                return f"{plain}   (in place of line {line.lineno}; leave line {place.line} out)"
            return f"{plain}   (in place of line {line.lineno})\n           {names[0]} = {name}"
        if value is not None:
            return f"{name} = {value}"
    return "the loss itself, or torch.stack([...]).sum() of several: these keep the graph."


def numbers_in(place: Place) -> Iterator[tuple[str, str | None]]:
    """Yields the variable that a line makes a tensor of, or assigns from `item()`."""
    statement = statement_at(place.code, place.line)
    for call in ast.walk(statement or ast.Pass()):
        match call:
            case ast.Call(func=ast.Attribute(attr="tensor"), args=[ast.Name(id=name), *_]):
                yield name, None
            case ast.Call(
                func=ast.Attribute(attr="tensor"), args=[ast.Call(func=ast.Attribute(value=value, attr="item")), *_]
            ):
                names = targets_of(statement) if statement is not None else []
                if names:
                    yield names[0], ast.unparse(value)


def last_number(place: Place, name: str) -> ast.Assign | ast.AugAssign | None:
    """Returns the last statement above a line that assigns a value: `total = loss.item()`, `total += loss.item()`."""
    assignments = [
        statement
        for statement in statements_in(place.code)
        if isinstance(statement, ast.Assign | ast.AugAssign)
        and statement.lineno < place.line
        and name in targets_of(statement)
    ]
    return max(assignments, key=lambda x: x.lineno, default=None)


def without_item(statement: ast.Assign | ast.AugAssign) -> str | None:
    """Returns an assignment of `loss.item()` without `item()`."""
    changed = ast.parse(ast.unparse(statement)).body[0]
    match changed:
        case ast.Assign(value=ast.Call(func=ast.Attribute(value=value, attr="item" | "tolist"), args=[])):
            changed.value = value
        case ast.AugAssign(value=ast.Call(func=ast.Attribute(value=value, attr="item"), args=[])):
            changed.value = value
        case ast.Assign(value=ast.Call(func=ast.Name(id="float"), args=[value])):
            changed.value = value
        case _:
            return None
    return ast.unparse(changed)


def has_history(data: Any) -> bool:
    """Whether data is a tensor that requires grad, or a sequence that starts with one."""
    while isinstance(data, (list, tuple)) and data:
        data = data[0]
    return isinstance(data, Tensor) and data.requires_grad
