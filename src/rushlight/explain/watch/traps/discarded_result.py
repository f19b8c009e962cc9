"""`x.to(device)` as a statement."""

from __future__ import annotations

from rushlight.core.origin import PACKAGE, Place
from rushlight.core.tensor import Tensor
from rushlight.explain.watch.program_lines import caller, discards
from rushlight.explain.watch.taps import Taps
from rushlight.explain.watch.trap import Trap

METHODS = ("to", "cuda", "cpu", "double", "float", "half", "bfloat16", "long", "int", "type", "detach")


class DiscardedResult(Trap):
    """`x.to(device)` does not change x, it returns another tensor. Modules change in place, tensors do not.

    A line that discards the result has no effect: x keeps its device, dtype and graph.
    """

    kind = "discarded_result"
    failing = """
import torch

x = torch.ones(3)
x.to(torch.float64)  # <- here
print(x.dtype)
"""
    repaired = failing.replace("x.to(torch.float64)  # <- here", "x = x.to(torch.float64)")

    def __init__(self, watching) -> None:
        super().__init__(watching)
        self.seen: set[tuple | None] = set()

    def tap(self, taps: Taps) -> None:
        for name in METHODS:
            taps.attribute(Tensor, name, lambda method, name=name: self._around(method, name))

    def _around(self, method, name: str):
        def watched(tensor, *arguments, **keywords):
            result = method(tensor, *arguments, **keywords)
            if result is not tensor:
                frame = caller()
                key = (id(frame.f_code), frame.f_lasti) if frame is not None else None
                if frame is not None and key not in self.seen:
                    self.seen.add(key)
                    self._look(Place(frame.f_code, frame.f_lasti), name)
            return result

        watched.__name__, watched.__doc__ = name, method.__doc__
        return watched

    def _look(self, place: Place, name: str) -> None:
        if not place.file.startswith(PACKAGE) and discards(place):
            text = f"{name}() returns a new tensor, and this line does not use it: the tensor itself is unchanged."
            self.report(place, text, f"x = x.{name}(...).")
