"""Parameters of an optimizer that never get a gradient."""

from __future__ import annotations

import weakref
from collections.abc import Callable

from rushlight.core.modes import recording
from rushlight.core.origin import Place, here
from rushlight.core.tensor import Tensor
from rushlight.explain.watch.graph_cuts import CUTTING, Cuts, hidden_call, without_cut
from rushlight.explain.watch.optimizers import Followed, listed
from rushlight.explain.watch.source import name_of_variable
from rushlight.explain.watch.taps import Taps, dressed
from rushlight.explain.watch.trap import Trap

STEPS = 3
ALSO_CUT = ("grad_switched_on", "copied_loss", "step_without_gradients", "data_written")


class NeverGradient(Trap):
    """The optimizer has a parameter that no loss depends on: it keeps its initial values.

    Its layer is not called in forward, or its result is not used, or its graph is cut by detach(), .data, item(),
    numpy() or no_grad().
    """

    kind = "never_gradient"
    failing = """
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Linear(4, 8)
        self.head = nn.Linear(8, 1)

    def forward(self, x):
        return self.head(torch.relu(self.features(x)).detach())  # <- here

model = Net()
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for step in range(6):
    loss = model(torch.randn(8, 4)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""
    repaired = failing.replace(".detach())  # <- here", ")")

    def __init__(self, watching) -> None:
        super().__init__(watching)
        self.names: dict[int, str] = {}  # by the id of the weak reference, since the model may be gone at the end
        self.ids: dict[int, int] = {}  # ids of parameters, by the same key
        self.within: dict[int, tuple] = {}  # class of the model and name of the parameter, by the same key
        self.cuts = Cuts()
        self.hidden: dict[int, Place] = {}  # line that called a model under no_grad, by the id of its parameters
        self.seen: set[int] = set()  # parameters of models called with recording on

    # ---- possible cuts

    def tap(self, taps: Taps) -> None:
        for name in CUTTING:
            if name == "data":
                taps.attribute(Tensor, name, lambda data: property(self._around(data.fget, "data"), data.fset))
            else:
                taps.attribute(Tensor, name, lambda original, name=name: self._around(original, name))

    def _around(self, original: Callable, name: str) -> Callable:
        def cutting(tensor, *arguments, **keywords):
            if tensor._edge is not None:
                self.cuts.note(tensor, name)
            return original(tensor, *arguments, **keywords)

        return dressed(cutting, original)

    def called(self, module, output, arguments) -> None:
        if recording():
            if self.hidden:
                self.seen.update(id(parameter) for parameter in module.parameters())
        elif self.watching.steps < STEPS:
            place = here()
            for parameter in module.parameters():
                self.hidden.setdefault(id(parameter), place)

    # ---- parameters without gradients

    def after_step(self, optimizer) -> None:
        known = self.watching.known
        followed = known.optimizer(optimizer)
        if followed.steps == STEPS:
            for reference in followed.without or ():
                parameter = reference()
                if parameter is not None and parameter.requires_grad and parameter._array.size:
                    self.names[id(reference)] = self._name_of(parameter)
                    self.ids[id(reference)] = id(parameter)
                    self.within[id(reference)] = self._within(parameter)

    def _within(self, parameter: Tensor) -> tuple[type | None, str]:
        """Returns the class of the module that owns a parameter's layer, and the layer's name."""
        for model in self.watching.known.live_modules():
            for module in model.modules():
                for name, layer in module.named_children():
                    if any(x is parameter for x in layer.parameters(recurse=False)):
                        return type(module), name
        return None, ""

    def _name_of(self, parameter: Tensor) -> str:
        """Returns the program's name for a parameter: `encoder.weight`, or its name in the model."""
        for module in self.watching.known.live_modules():
            for name, candidate in module.named_parameters():
                variable = name_of_variable(module) if candidate is parameter else None
                if variable is not None:
                    return f"`{variable}.{name}`"
        return self.watching.known.name_of(parameter)

    def closed(self) -> None:
        for followed in self.watching.known.followed:
            without = [x for x in followed.without or () if id(x) in self.names]
            if without and (len(followed.without or ()) < followed.count or self._is_silenced(without)):
                self._tell(followed, without)

    def _is_silenced(self, without: list[weakref.ref]) -> bool:
        """Whether all parameters are cut off, and no other trap has said so."""
        reported = any(key[0] in ALSO_CUT for key in self.watching.reported)
        return not reported and self.cuts.before({self.ids[id(x)] for x in without}) is not None

    def _tell(self, followed: Followed, without: list[weakref.ref]) -> None:
        names = listed([self.names[id(x)] for x in without])
        never = f"In {followed.steps} steps {names} got no gradient"
        ids = {self.ids[id(x)] for x in without}
        cut = self.cuts.before(ids)
        if cut is not None:
            them = "it" if len(ids) == 1 else "them"
            text = f"{never}: {cut.spoken} in this line cuts the graph between the loss and {them}."
            self.report(cut.place, text, without_cut(cut) or f"the line without {cut.spoken}.")
            return
        place = next((self.hidden[x] for x in ids if x in self.hidden and x not in self.seen), None)
        if place is not None:
            text = f"{never}: this line runs under no_grad, where nothing is recorded."
            self.report(place, text, f"`{place.text}` outside of `with torch.no_grad():`")
            return
        hidden = hidden_call(self.within[id(without[0])])
        if hidden is not None:
            text = f"{never}: this line of forward() runs under no_grad, where nothing is recorded."
            self.report(hidden, text, f"`{hidden.text}` outside of `with torch.no_grad():`")
            return
        text = f"{never} from this optimizer's loss."
        advice = (
            "look for what cuts the graph between it and the loss: a layer that is not called, detach(), .data, "
            "item(), no_grad(). If it is to stay fixed, leave it out of the optimizer."
        )
        self.report(followed.place, text, advice)
