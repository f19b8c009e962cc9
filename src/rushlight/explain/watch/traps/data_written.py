"""Writes through `.data` to what a graph has saved."""

from __future__ import annotations

from typing import NamedTuple

from rushlight.core.clock import LAST_WRITE
from rushlight.core.graph import RELEASED, Node
from rushlight.core.origin import Place, here
from rushlight.core.storage import Storage
from rushlight.core.tensor import Tensor
from rushlight.explain.watch.backward_pass import Pass
from rushlight.explain.watch.taps import Taps
from rushlight.explain.watch.trap import Trap


class Write(NamedTuple):
    """A write that autograd does not see."""

    storage: Storage  # of the tensor behind `.data`
    time: int
    place: Place


class Unseen(Storage):
    """The storage of a `.data`: has its own version counter, and reports writes to the trap."""

    def __init__(self, original: Storage, memory, log: dict[int, Write]):
        super().__init__()
        self.original, self.memory, self.log = original, memory, log
        self.borrowed = original.borrowed

    def written(self) -> None:
        super().written()
        self.log[id(self.original)] = Write(self.original, LAST_WRITE.tick, here())


class DataWritten(Trap):
    """A write through `.data` is hidden from autograd. If backward needs the old value, it uses the new one.

    The gradient is wrong, without an error. The same write under no_grad would raise one.
    """

    kind = "data_written"
    failing = """
import torch

weight = torch.tensor([2.0, 3.0], requires_grad=True)
loss = (weight * weight).sum()
weight.data.mul_(0.5)  # <- here
loss.backward()
print(weight.grad)
"""
    repaired = """
import torch

weight = torch.tensor([2.0, 3.0], requires_grad=True)
loss = (weight * weight).sum()
loss.backward()
with torch.no_grad():
    weight.mul_(0.5)
print(weight.grad)
"""

    def __init__(self, watching) -> None:
        super().__init__(watching)
        self.writes: dict[int, Write] = {}

    def tap(self, taps: Taps) -> None:
        def make(data: property) -> property:
            get = data.fget

            def unwatched(tensor: Tensor) -> Tensor:
                result = get(tensor)  # type: ignore[misc]
                result._storage = Unseen(tensor._storage, tensor._storage.memory, self.writes)
                return result

            return property(unwatched, data.fset)

        taps.attribute(Tensor, "data", make)

    def before_backward(self, graph: Pass) -> None:
        if not self.writes or not (graph.is_read or graph.number < 50):
            return
        newest = max(write.time for write in self.writes.values())
        for node in graph.nodes:
            if node.created < newest and node.saved and node.saved is not RELEASED:
                self._look(node)

    def _look(self, node: Node) -> None:
        for storage, array in zip(node.storages, node.saved, strict=False):
            write = self.writes.get(id(storage))
            if write is not None and array is not None and write.storage is storage and node.created < write.time:
                place = self.watching.node_lines.place_of(node)
                step = getattr(type(node).op, "name", node.name())
                where = f" in line {place.line}" if place else ""
                text = (
                    f"This write through .data changes a value that {step}(){where} saved for backward: the gradient "
                    "is computed from the new value, and is wrong."
                )
                advice = (
                    "write after backward(), under `with torch.no_grad():` and without .data: autograd checks that."
                )
                self.report(write.place, text, advice)
