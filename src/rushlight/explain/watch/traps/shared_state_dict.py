"""`best = model.state_dict()` without a copy."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from rushlight.core.origin import here
from rushlight.core.tensor import Tensor
from rushlight.explain.source_text import is_conditional
from rushlight.explain.watch.aliases import Alias, Aliases, array_of, with_copy
from rushlight.explain.watch.taps import ROOT, Taps, dressed
from rushlight.explain.watch.trap import Trap
from rushlight.nn.modules.module import Module


class SharedStateDict(Trap):
    """state_dict() returns the parameters themselves, not their values: a state kept as the best continues to train.

    Loading it at the end changes nothing: the model stays as the last step left it.
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
        self.aliases = Aliases()
        self.taking = False  # state_dict() of a module calls that of its submodules

    def tap(self, taps: Taps) -> None:
        taps.attribute(Module, "state_dict", self._around_taking)
        taps.attribute(Module, "load_state_dict", self._around_loading)
        if hasattr(ROOT, "save"):
            taps.attribute(ROOT, "save", self._around_saving)

    def _around_taking(self, take):
        def state_dict(module, *arguments, **keywords):
            if self.taking:
                return take(module, *arguments, **keywords)
            self.taking = True
            try:
                state = take(module, *arguments, **keywords)
            finally:
                self.taking = False
            place, steps = here(), self.watching.steps
            for tensor in tensors_in(state):
                if (array := array_of(tensor)) is not None and array.size:
                    self.aliases.add(Alias(tensor, array, place, steps))
            return state

        return state_dict

    def _around_loading(self, load):
        def load_state_dict(module, state_dict, *arguments, **keywords):
            self._look(module, state_dict)
            return load(module, state_dict, *arguments, **keywords)

        return load_state_dict

    def _around_saving(self, save):
        def saved(obj, *arguments, **keywords):
            if (alias := self._stale(obj)) is not None and is_chosen(alias):
                self._tell(alias, "what is saved are the newest numbers.")
            return save(obj, *arguments, **keywords)

        return dressed(saved, save)

    def _stale(self, state_dict: Any) -> Alias | None:
        """Returns a tensor of a state_dict() that has changed since it was taken."""
        aliases = (self.aliases.find(tensor) for tensor in tensors_in(state_dict))
        return next((x for x in aliases if x is not None and x.has_changed()), None)

    def _look(self, module, state_dict) -> None:
        alias = self._stale(state_dict)
        if alias is None or alias.steps == self.watching.steps:
            return
        own = {name: parameter for name, parameter in module.named_parameters()}
        if own and all(is_same_memory(state_dict.get(name), value) for name, value in own.items()):
            self._tell(alias, "loading it back changes nothing.")
        elif is_chosen(alias):
            self._tell(alias, "what is loaded are the newest numbers.")

    def _tell(self, alias: Alias, result: str) -> None:
        count = self.watching.steps - alias.steps
        text = (
            f"This dictionary shares the memory of the parameters, and {count} steps have changed them since: {result}"
        )
        self.report(alias.place, text, with_copy(alias.place) or "copy.deepcopy(model.state_dict())")


def tensors_in(value: Any) -> Iterator[Tensor]:
    """Yields the tensors in a dictionary and in nested dictionaries."""
    if isinstance(value, Mapping):
        for item in value.values():
            yield from tensors_in(item)
    elif isinstance(value, Tensor):
        yield value


def is_chosen(alias: Alias) -> bool:
    """Whether a state was taken as the best: by its name, or under an `if`."""
    return alias.is_named_as_memory or is_conditional(alias.place)


def is_same_memory(kept, parameter: Tensor) -> bool:
    return isinstance(kept, Tensor) and kept.is_cpu and parameter.is_cpu and kept.data_ptr() == parameter.data_ptr()
