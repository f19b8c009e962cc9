"""`start = w.detach()`: shared memory instead of a copy."""

from __future__ import annotations

import ast
from typing import Any

from rushlight.core.graph import Leaf
from rushlight.core.origin import here
from rushlight.core.storage import owner
from rushlight.core.tensor import Tensor
from rushlight.explain.source_text import (
    is_under_if,
    last_assignment,
    names_read,
    statement_at,
    statements_in,
    targets_of,
)
from rushlight.explain.watch.aliases import MEMORIES, Alias, Aliases, array_of, with_copy
from rushlight.explain.watch.program_lines import Line, called_by_program, caller
from rushlight.explain.watch.source import locals_of, variables
from rushlight.explain.watch.taps import Taps, dressed
from rushlight.explain.watch.trap import Trap
from rushlight.nn.modules.module import Module

COMPARING = ("sub", "eq", "ne", "equal", "allclose", "isclose", "dist", "__sub__", "__rsub__", "__eq__", "__ne__")
LOOKED_AT = (3, 10, 30, 100, 1000)  # steps after which the program's variables are checked
ALIVE = 2  # objects on one memory that a line made at different times, without the newest


class SharedCopy(Trap):
    """detach(), .data, numpy() and state_dict() share a parameter's memory; they do not copy its values.

    The optimizer's next step changes them too: the difference to the start is zero, every entry of a history is the
    last one, and the best state is the newest.
    """

    kind = "shared_copy"
    failing = """
import torch

weight = torch.tensor([1.0, 2.0], requires_grad=True)
optimizer = torch.optim.SGD([weight], lr=0.1)
start = weight.detach()  # <- here
for step in range(5):
    loss = (weight**2).sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print("moved by", (weight - start).abs().sum().item())
"""
    repaired = failing.replace("weight.detach()  # <- here", "weight.detach().clone()")

    def __init__(self, watching) -> None:
        super().__init__(watching)
        self.aliases = Aliases()

    def tap(self, taps: Taps) -> None:
        taps.attribute(Tensor, "detach", self._around_detach)
        taps.attribute(Tensor, "data", lambda data: property(self._around_detach(data.fget), data.fset))
        taps.attribute(Tensor, "numpy", self._around_numpy)
        for name in COMPARING:
            taps.operator(name, self._around_comparing)
        taps.method("copy_", self._around_comparing)

    # ---- aliases

    def _around_detach(self, detach):
        def watched(tensor):
            result = detach(tensor)
            if isinstance(tensor._edge, Leaf):
                self._add(result, array_of(result))
            return result

        return dressed(watched, detach)

    def _around_numpy(self, export):
        def numpy(tensor, *, force: bool = False):
            array, own = export(tensor, force=force), array_of(tensor)
            if own is not None and own.size and owner(array) is owner(own) and called_by_program():
                self._add(array, own)
            return array

        return dressed(numpy, export)

    def _add(self, holder: Any, array) -> None:
        if array is None or not array.size:
            return
        fresh = Alias(holder, array, here(), self.watching.steps)
        older = [x for x in self.aliases.add(fresh) if x.has_changed()]
        if len(older) >= ALIVE and len({x.values.tobytes() for x in older}) >= ALIVE:
            self._tell(fresh, f"The {len(older) + 1} results of this line that are kept share one memory: all of "
                              "them show the newest numbers.")  # fmt: skip

    # ---- uses

    def _around_comparing(self, compare):
        def comparing(*arguments, **keywords):
            several = len(arguments) > 1
            if several and (self.aliases.of_object or arguments[0] is arguments[1]) and called_by_program():
                self._look(arguments[0], arguments[1])
            return compare(*arguments, **keywords)

        return dressed(comparing, compare)

    def _look(self, first: Any, second: Any) -> None:
        """Reports two objects of which one was meant to be a copy of the other."""
        if not isinstance(first, Tensor) or not isinstance(second, Tensor):
            return
        if first is second:
            self._look_at_names(first)
            return
        own, other = array_of(first), array_of(second)
        if own is None or other is None or own.shape != other.shape or owner(own) is not owner(other):
            return
        for tensor in (first, second):
            alias = self.aliases.find(tensor)
            if alias is not None and alias.has_changed():
                line = here().line
                self._tell(alias, f"{called(alias)} is no copy: it shares the memory of the tensor that line {line} "
                                  "compares it with. The two are always equal.")  # fmt: skip

    def _look_at_names(self, tensor: Tensor) -> None:
        """Reports a parameter that is compared with itself under another name."""
        frame = caller()
        if frame is None or not self.watching.steps or not isinstance(tensor._edge, Leaf):
            return
        statement = statement_at(frame.f_code, frame.f_lineno)
        values = {**frame.f_globals, **locals_of(frame)}
        names = {x for x in names_read(statement or ast.Pass()) if values.get(x) is tensor}
        for name in sorted(names) if len(names) > 1 else ():
            line = last_assignment(frame.f_code, name, frame.f_lineno)
            if line is not None and isinstance(line.value, ast.Name | ast.Attribute):
                other = ast.unparse(line.value)
                text = f"`{name}` is `{other}` itself, by another name: what changes one changes the other."
                self.report(Line(frame.f_code.co_filename, line.lineno), text, f"{name} = {other}.detach().clone()")
                return

    def _look_at_models(self) -> None:
        """Reports a model that is kept as the best, but only by another name."""
        for name, value, frame in variables():
            if isinstance(value, Module) and MEMORIES.search(name.rpartition(".")[2].lower()) is not None:
                for line in statements_in(frame.f_code):
                    if isinstance(line, ast.Assign) and name in targets_of(line) and isinstance(line.value, ast.Name):
                        place = Line(frame.f_code.co_filename, line.lineno)
                        other = line.value.id
                        if value is locals_of(frame).get(other, frame.f_globals.get(other)) and is_under_if(
                            frame.f_code, line.lineno
                        ):
                            text = (
                                f"`{name}` is `{other}` itself, by another name: the steps that follow change it too."
                            )
                            self.report(place, text, f"{name} = copy.deepcopy({other})")
                            return

    def after_step(self, optimizer) -> None:
        if self.watching.steps in LOOKED_AT:
            self._look_at_models()
        for alias in self.aliases.alive():
            if alias.is_named_as_memory and "state_dict" not in alias.place.text and alias.has_changed():
                text = (
                    f"{called(alias)} is no copy: it shares the memory of a parameter, and this step has changed both."
                )
                self._tell(alias, text)

    def closed(self) -> None:
        for alias in self.aliases.alive():
            if alias.is_named_as_memory and "state_dict" not in alias.place.text and alias.has_changed():
                text = f"{called(alias)} is no copy: it shares the memory of a tensor that was written to afterwards."
                self._tell(alias, text)

    def _tell(self, alias: Alias, text: str) -> None:
        advice = with_copy(alias.place) or "a copy: clone() of a tensor, copy() of an array."
        self.report(alias.place, text, advice)


def called(alias: Alias) -> str:
    return f"`{alias.name}`" if alias.name else "The result of this line"
