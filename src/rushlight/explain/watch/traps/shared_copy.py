"""`start = w.detach()`: a copy that is none."""

from __future__ import annotations

from typing import Any

from rushlight.core.graph import Leaf
from rushlight.core.origin import here
from rushlight.core.storage import owner
from rushlight.core.tensor import Tensor
from rushlight.explain.watch.aliases import Alias, Aliases, array_of, with_copy
from rushlight.explain.watch.place import called_by_program
from rushlight.explain.watch.taps import Taps, dressed
from rushlight.explain.watch.trap import Trap

COMPARING = ("sub", "eq", "ne", "equal", "allclose", "isclose", "dist", "__sub__", "__rsub__", "__eq__", "__ne__")
ALIVE = 2  # objects on one memory, made by one line at different times, beside the one that it makes now


class SharedCopy(Trap):
    """detach(), .data, numpy() and state_dict() give the memory of a parameter, not a copy of its numbers.

    The next step of the optimizer changes them too: the difference to the start is zero, every entry of a history is
    the last one, and the best state is the newest.
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

    # ---- what is held

    def _around_detach(self, detach):
        def watched(tensor):
            found = detach(tensor)
            if isinstance(tensor._edge, Leaf):
                self._add(found, array_of(found))
            return found

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
        older = [each for each in self.aliases.add(fresh) if each.has_changed()]
        if len(older) >= ALIVE and len({each.values.tobytes() for each in older}) >= ALIVE:
            self._tell(fresh, f"The {len(older) + 1} results of this line that are kept have the same memory: all of "
                              "them show the newest numbers.")  # fmt: skip

    # ---- what it is used for

    def _around_comparing(self, compare):
        def comparing(*arguments, **keywords):
            if self.aliases.of_object and len(arguments) > 1 and called_by_program():
                self._look(arguments[0], arguments[1])
            return compare(*arguments, **keywords)

        return dressed(comparing, compare)

    def _look(self, first: Any, second: Any) -> None:
        """Two objects of which one was to be a copy of the other."""
        if not isinstance(first, Tensor) or not isinstance(second, Tensor) or first is second:
            return
        own, other = array_of(first), array_of(second)
        if own is None or other is None or own.shape != other.shape or owner(own) is not owner(other):
            return
        for each in (first, second):
            alias = self.aliases.find(each)
            if alias is not None and alias.has_changed():
                line = here().line
                self._tell(alias, f"Line {line} compares {called(alias)} with the tensor whose memory it is: the two "
                                  "are always the same.")  # fmt: skip

    def after_step(self, optimizer) -> None:
        for each in self.aliases.alive():
            if each.is_named_as_memory and "state_dict" not in each.place.text and each.has_changed():
                self._tell(each, f"{called(each)} has the memory of a parameter, and this optimizer's step has changed "
                                 "it.")  # fmt: skip

    def closed(self) -> None:
        for each in self.aliases.alive():
            if each.is_named_as_memory and "state_dict" not in each.place.text and each.has_changed():
                self._tell(each, f"{called(each)} has the memory of a tensor that was written to afterwards.")

    def _tell(self, alias: Alias, text: str) -> None:
        advice = with_copy(alias.place) or "a copy: clone() of a tensor, copy() of an array."
        self.report(alias.place, text, advice)


def called(alias: Alias) -> str:
    return f"`{alias.name}`" if alias.name else "what this line made"
