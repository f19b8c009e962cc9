"""`loss.requires_grad_()` on a loss without a graph."""

from __future__ import annotations

import weakref

from rushlight.core.graph import Leaf
from rushlight.core.origin import Place, here
from rushlight.core.tensor import Tensor
from rushlight.explain.watch.backward_pass import Pass
from rushlight.explain.watch.taps import Taps
from rushlight.explain.watch.trap import Trap


class GradSwitchedOn(Trap):
    """requires_grad_() on the loss silences backward()'s error that the loss does not require grad.

    The loss was cut off from the parameters somewhere. With the flag set it is a leaf: backward computes its own
    gradient, which is 1, no parameter gets one, and nothing is trained.
    """

    kind = "grad_switched_on"
    failing = """
import torch

model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for step in range(3):
    prediction = model(torch.randn(8, 4)).detach()
    loss = prediction.pow(2).mean()
    loss.requires_grad_()  # <- here
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""
    repaired = failing.replace(".detach()", "").replace("    loss.requires_grad_()  # <- here\n", "")

    def __init__(self, watching) -> None:
        super().__init__(watching)
        self.places: weakref.WeakKeyDictionary[Leaf, Place] = weakref.WeakKeyDictionary()  # by leaf

    def tap(self, taps: Taps) -> None:
        taps.attribute(Tensor, "requires_grad_", self._around_method)
        taps.attribute(Tensor, "requires_grad", lambda flag: property(flag.fget, self._around_setter(flag.fset)))

    def _around_method(self, switch):
        def requires_grad_(tensor, requires_grad: bool = True):
            before = tensor._edge
            switch(tensor, requires_grad)
            self._note(tensor, before)
            return tensor

        return requires_grad_

    def _around_setter(self, switch):
        def requires_grad(tensor, wanted) -> None:
            before = tensor._edge
            switch(tensor, wanted)
            self._note(tensor, before)

        return requires_grad

    def _note(self, tensor, before) -> None:
        leaf = tensor._edge
        if before is None and isinstance(leaf, Leaf) and not tensor._array.ndim:
            self.places[leaf] = here()

    def before_backward(self, graph: Pass) -> None:
        for root in graph.roots:
            if isinstance(root, Leaf) and root in self.places:
                self._tell(root, self.places[root])

    def _tell(self, root: Leaf, place: Place) -> None:
        known = self.watching.known
        if known.followed and id(root.variable) not in known.optimized():
            text = (
                "The loss has no graph, so backward() ends at the loss itself. No parameter gets a gradient, and "
                "nothing is trained."
            )
            advice = (
                "remove this line, and find where the graph was cut: detach(), .data, item(), numpy(), no_grad(), "
                "torch.tensor(...), or a comparison."
            )
            self.report(place, text, advice)
