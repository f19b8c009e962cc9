"""NumPy writes to memory that a graph has saved."""

from __future__ import annotations

import weakref
import zlib

import numpy as np

from rushlight.core.clock import tick
from rushlight.core.origin import here
from rushlight.core.storage import owner
from rushlight.core.tensor import Tensor
from rushlight.explain.watch.aliases import with_copy
from rushlight.explain.watch.backward_pass import Pass
from rushlight.explain.watch.graph_patterns import op_name, saved_arrays
from rushlight.explain.watch.taps import Taps
from rushlight.explain.watch.trap import Trap

COMPARED = 4096  # elements that are compared
REMEMBERED = 64  # arrays that are remembered


class Shared:
    """A NumPy array that shares a tensor's memory."""

    def __init__(self, tensor: Tensor, array: np.ndarray):
        self.array = weakref.ref(array)
        self.storage, self.version = tensor._storage, tensor._storage.version
        self.time = tick(None)
        self.place = here()
        self.digest = digest(array)

    def was_written(self) -> bool:
        """Whether the values have changed, and not by the library."""
        array = self.array()
        return array is not None and self.storage.version == self.version and digest(array) != self.digest


def digest(array: np.ndarray) -> int:
    """Returns a check sum of an array; of a sample if it is large."""
    step = max(1, array.size // COMPARED)
    return zlib.crc32(array.flat[::step].tobytes())


class SharedArrayWritten(Trap):
    """detach().numpy() shares the tensor's memory. Autograd does not see NumPy's writes to it.

    If backward needs the old value, the gradient is wrong without an error.
    """

    kind = "shared_array_written"
    failing = """
import torch

weight = torch.tensor([2.0, 3.0], requires_grad=True)
loss = (weight * weight).sum()
shown = weight.detach().numpy()  # <- here
shown *= 100
loss.backward()
print(weight.grad)
"""
    repaired = failing.replace(".numpy()  # <- here", ".numpy().copy()")

    def __init__(self, watching) -> None:
        super().__init__(watching)
        self.shared: list[Shared] = []

    def tap(self, taps: Taps) -> None:
        taps.attribute(Tensor, "numpy", self._around)

    def _around(self, export):
        def numpy(tensor, *, force: bool = False):
            array = export(tensor, force=force)
            own = tensor._array
            if type(own) is np.ndarray and owner(array) is owner(own) and not tensor._storage.inference:
                self.shared = [*self.shared[1 - REMEMBERED :], Shared(tensor, own)]
            return array

        return numpy

    def before_backward(self, graph: Pass) -> None:
        if not self.shared or not graph.is_read:
            return
        written = [name for name in self.shared if name.was_written()]
        self.shared = [name for name in self.shared if name not in written and name.array() is not None]
        for array in written:
            self._look(array, graph)

    def _look(self, shared: Shared, graph: Pass) -> None:
        """Checks only values that were saved before the array was handed out: later writes may be intended."""
        memory = owner(shared.array())
        for node in graph.nodes:
            if node.created < shared.time and any(owner(value) is memory for _, value in saved_arrays(node)):
                place = self.watching.node_lines.place_of(node)
                where = f" in line {place.line}" if place else ""
                text = (
                    f"This array shares the tensor's memory. A later write to it changed a value that "
                    f"{op_name(node)}(){where} saved for backward: the gradient is wrong."
                )
                advice = with_copy(shared.place) or "detach().numpy().copy() for an array with memory of its own."
                self.report(shared.place, text, advice)
                return
