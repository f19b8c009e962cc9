"""A frozen parameter that its optimizer keeps changing."""

from __future__ import annotations

import ast
import weakref

import numpy as np

from rushlight.core.origin import Place, here
from rushlight.core.tensor import Tensor
from rushlight.explain.source_text import statement_at
from rushlight.explain.watch.aliases import array_of, sample
from rushlight.explain.watch.optimizers import gradient_of, is_nonzero, listed, parameters_of
from rushlight.explain.watch.taps import Taps, dressed
from rushlight.explain.watch.trap import Trap
from rushlight.nn.modules.module import Module


class FrozenMoved(Trap):
    """requires_grad = False stops new gradients, but the optimizer still uses the `.grad` that exists.

    With an old gradient, even of zeros, momentum and weight decay keep changing the frozen parameter. Optimizers skip
    parameters whose `.grad` is None.
    """

    kind = "frozen_moved"
    failing = """
import torch
from torch import nn

model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
x, y = torch.randn(50, 4), torch.randn(50, 1)
for epoch in range(6):
    if epoch == 3:
        for parameter in model[0].parameters():
            parameter.requires_grad = False  # <- here
    optimizer.zero_grad(set_to_none=False)
    nn.functional.mse_loss(model(x), y).backward()
    optimizer.step()
"""
    repaired = failing.replace("= False  # <- here", "= False\n            parameter.grad = None")

    def __init__(self, watching) -> None:
        super().__init__(watching)
        self.frozen: dict[int, tuple[weakref.ref, Place]] = {}
        self.by_module: set[int] = set()  # parameters frozen by a module's requires_grad_()
        self.freezing = False  # whether a module's requires_grad_() is running
        self.before: dict[int, np.ndarray] = {}  # values of frozen parameters before the current step

    def tap(self, taps: Taps) -> None:
        taps.attribute(Tensor, "requires_grad_", self._around_method)
        taps.attribute(Module, "requires_grad_", self._around_module)
        taps.attribute(Tensor, "requires_grad", lambda flag: property(flag.fget, self._around_setter(flag.fset)))

    def _around_method(self, switch):
        def requires_grad_(tensor, requires_grad: bool = True):
            self._note(tensor, requires_grad)
            return switch(tensor, requires_grad)

        return dressed(requires_grad_, switch)

    def _around_module(self, switch):
        def requires_grad_(module, requires_grad: bool = True):
            self.freezing = True
            try:
                return switch(module, requires_grad)
            finally:
                self.freezing = False

        return dressed(requires_grad_, switch)

    def _around_setter(self, switch):
        def requires_grad(tensor, wanted) -> None:
            self._note(tensor, wanted)
            switch(tensor, wanted)

        return requires_grad

    def _note(self, tensor: Tensor, wanted) -> None:
        if wanted:
            self.frozen.pop(id(tensor), None)
        elif tensor._edge is not None and tensor.is_leaf:
            self.frozen[id(tensor)] = weakref.ref(tensor), here()
            (self.by_module.add if self.freezing else self.by_module.discard)(id(tensor))

    def _resting(self, optimizer) -> list[Tensor]:
        """Returns the frozen parameters of an optimizer."""
        pairs = [(parameter, self.frozen.get(id(parameter))) for parameter in parameters_of(optimizer)]
        return [value for value, known in pairs if known is not None and known[0]() is value]

    def before_step(self, optimizer) -> None:
        if self.frozen:
            arrays = ((x, array_of(x)) for x in self._resting(optimizer))
            self.before = {id(value): sample(array) for value, array in arrays if array is not None}

    def after_step(self, optimizer) -> None:
        if not self.before:
            return
        moved = [x for x in self._resting(optimizer) if self._has_moved(x)]
        self.before = {}
        if moved:
            place = self.frozen[id(moved[0])][1]
            self._tell(optimizer, moved, place)
            for parameter in moved:
                del self.frozen[id(parameter)]

    def _has_moved(self, parameter: Tensor) -> bool:
        array = array_of(parameter)
        known = self.before.get(id(parameter))
        return array is not None and known is not None and not np.array_equal(sample(array), known, equal_nan=True)

    def _tell(self, optimizer, moved: list[Tensor], place: Place) -> None:
        names = listed([self.watching.known.name_of(x) for x in moved])
        several = len(moved) > 1
        text = (
            f"{names} {'are' if several else 'is'} frozen here, and step() at line {here().line} still moves "
            f"{'them' if several else 'it'}: `.grad` is still there, and {reasons(optimizer, moved)}."
        )
        line = clearing(place, id(moved[0]) in self.by_module)
        self.report(place, text, f"{line}   (a new line below this one: step() leaves out what has no `.grad`)")


def reasons(optimizer, moved: list[Tensor]) -> str:
    """Says what moves a parameter without new gradients."""
    group = optimizer.param_groups[0]
    words = [word for key, word in (("momentum", "momentum"), ("weight_decay", "weight decay")) if group.get(key)]
    if "betas" in group:
        words.insert(0, "the running averages")
    if any(is_nonzero(gradient) for x in moved if (gradient := gradient_of(x)) is not None):
        words.append("the last gradient")
    return f"{' and '.join(words) or 'the optimizer'} still {'count' if len(words) > 1 else 'counts'}"


def clearing(place: Place, of_a_module: bool) -> str:
    """Returns the line that clears gradients where a line freezes a parameter, or all parameters of a module."""
    statement = statement_at(place.code, place.line)
    for node in ast.walk(statement or ast.Pass()):
        match node:
            case ast.Assign(targets=[ast.Attribute(value=value, attr="requires_grad")]):
                return f"{ast.unparse(value)}.grad = None"
            case ast.Call(func=ast.Attribute(value=value, attr="requires_grad_")):
                return f"{ast.unparse(value)}.{'zero_grad()' if of_a_module else 'grad = None'}"
    return "parameter.grad = None"
