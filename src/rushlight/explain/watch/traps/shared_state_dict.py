"""`best = model.state_dict()` without a copy."""

from __future__ import annotations

import weakref
from collections import OrderedDict

from rushlight.core.origin import here
from rushlight.core.tensor import Tensor
from rushlight.explain.watch.taps import Taps
from rushlight.explain.watch.trap import Trap
from rushlight.nn.modules.module import Module


class SharedStateDict(Trap):
    """state_dict() gives the parameters themselves, not their values: what is kept as the best goes on training.

    Loaded back at the end, it changes nothing: the model stays what the last step has made of it.
    """

    kind = "shared_state_dict"
    failing = """
import torch

model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
best, lowest = None, float("inf")
for step in range(5):
    loss = model(torch.randn(8, 4)).pow(2).mean()
    if loss.item() < lowest:
        best, lowest = model.state_dict(), loss.item()  # <- here
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
model.load_state_dict(best)
"""
    repaired = failing.replace("import torch\n", "import copy\nimport torch\n").replace(
        "model.state_dict(), loss.item()  # <- here", "copy.deepcopy(model.state_dict()), loss.item()"
    )

    def __init__(self, watching) -> None:
        super().__init__(watching)
        self.taken: dict[int, tuple] = {}  # by id: (weak reference to the dictionary, place, steps until then)

    def tap(self, taps: Taps) -> None:
        taps.attribute(Module, "state_dict", self._around_taking)
        taps.attribute(Module, "load_state_dict", self._around_loading)

    def _around_taking(self, take):
        def state_dict(module, *arguments, **keywords):
            taken = take(module, *arguments, **keywords)
            if isinstance(taken, OrderedDict) and not arguments and keywords.get("destination") is None:
                key = id(taken)
                reference = weakref.ref(taken, lambda _: self.taken.pop(key, None))
                self.taken[key] = reference, here(), self.watching.steps
            return taken

        return state_dict

    def _around_loading(self, load):
        def load_state_dict(module, state_dict, *arguments, **keywords):
            self._look(module, state_dict)
            return load(module, state_dict, *arguments, **keywords)

        return load_state_dict

    def _look(self, module, state_dict) -> None:
        reference, place, steps = self.taken.get(id(state_dict), (None, None, 0))
        if reference is None or reference() is not state_dict or steps == self.watching.steps:
            return
        own = {name: each for name, each in module.named_parameters()}
        if own and all(is_same_memory(state_dict.get(name), each) for name, each in own.items()):
            count = self.watching.steps - steps
            text = (
                f"This dictionary shares the memory of the parameters, and {count} steps have changed them since: "
                "loading it back changes nothing."
            )
            self.report(place, text, "copy.deepcopy(model.state_dict()), or torch.save to a file.")


def is_same_memory(kept, parameter: Tensor) -> bool:
    return isinstance(kept, Tensor) and kept.is_cpu and parameter.is_cpu and kept.data_ptr() == parameter.data_ptr()
