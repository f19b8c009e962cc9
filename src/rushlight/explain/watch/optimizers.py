"""Optimizers and models that a watch follows, and their parameters."""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Iterator

from rushlight.arrays.meta import MetaArray
from rushlight.core.graph import Leaf
from rushlight.core.lazy_conj_neg import beneath, plain
from rushlight.core.origin import Place, here
from rushlight.core.tensor import Parameter, Tensor
from rushlight.nn.modules.module import Module
from rushlight.optim.optimizer import Optimizer


class Followed:
    """An optimizer: its line, number of steps, and parameters that never had a gradient."""

    kind, rate = "", 0.0  # class of the optimizer; learning rate at the first step
    stepped: Place | None = None  # line of its first step

    def __init__(self, optimizer: Optimizer, place: Place):
        self.reference = weakref.ref(optimizer)
        self.place = place
        self.steps = 0
        self.count = 0  # number of parameters
        self.parameters: list[weakref.ref] = []  # those of its first step
        self.without: list[weakref.ref] | None = (
            None  # those that had no gradient at any step; None before the first step
        )

    def stepping(self, optimizer: Optimizer) -> None:
        """Records which parameters have gradients before a step."""
        self.steps += 1
        if self.without is None:
            self.stepped = here()
            self.kind, self.rate = type(optimizer).__name__, float(optimizer.param_groups[0]["lr"])
            self.parameters = self.without = [weakref.ref(parameter) for parameter in parameters_of(optimizer)]
            self.count = len(self.without)
        if self.without:
            alive = ((reference, reference()) for reference in self.without)
            self.without = [
                reference_
                for reference_, alive_parameter in alive
                if alive_parameter is not None and gradient_of(alive_parameter) is None
            ]

    def forget(self, parameters: list[Tensor]) -> None:
        """Removes parameters whose missing gradient is explained."""
        known = {id(parameter) for parameter in parameters}
        self.without = [x for x in self.without or () if id(x()) not in known]


class Known:
    """The optimizers and models that a watch has seen."""

    def __init__(self) -> None:
        self.followed: list[Followed] = []  # includes optimizers that are gone
        self.optimizers: dict[int, Followed] = {}
        self.modules: dict[int, weakref.ref] = {}

    def optimizer(self, optimizer: Optimizer) -> Followed:
        """Returns the record of an optimizer; creates it on first sight."""
        followed = self.optimizers.get(id(optimizer))
        if followed is None or followed.reference() is not optimizer:
            followed = self.optimizers[id(optimizer)] = Followed(optimizer, here())
            self.followed.append(followed)
        return followed

    def live_optimizers(self) -> Iterator[tuple[Optimizer, Followed]]:
        for followed in list(self.optimizers.values()):
            optimizer = followed.reference()
            if optimizer is not None:
                yield optimizer, followed

    def trainer_of(self, parameter: Tensor) -> tuple[Optimizer, Followed] | None:
        """Returns the optimizer that has a parameter, if it has made a step."""
        for optimizer, followed in self.live_optimizers():
            if followed.steps and any(x is parameter for x in parameters_of(optimizer)):
                return optimizer, followed
        return None

    def module(self, module: Module) -> None:
        """Remembers a module that the program calls."""
        known = self.modules.get(id(module))
        if known is None or known() is not module:
            key = id(module)
            self.modules[key] = weakref.ref(module, lambda _: self.modules.pop(key, None))

    def live_modules(self) -> Iterator[Module]:
        """Returns the modules that the program has called; most parameters first, so models before their layers."""
        modules = [module for x in list(self.modules.values()) if (module := x()) is not None]
        return iter(sorted(modules, key=lambda module: -sum(1 for _ in module.parameters())))

    def optimized(self) -> set[int]:
        """Returns the ids of all parameters of live optimizers."""
        return {id(parameter) for optimizer, _ in self.live_optimizers() for parameter in parameters_of(optimizer)}

    def trained(self) -> set[int]:
        """Returns the ids of all live parameters of optimizers that have made a step, including optimizers that are
        gone.
        """
        parameters = (parameter() for followed in self.followed for parameter in followed.parameters)
        return {id(x) for x in parameters if x is not None}

    def name_of(self, parameter: Tensor) -> str:
        """Returns a parameter's name in its model, else its shape."""
        for module in self.live_modules():
            for name, candidate in module.named_parameters():
                if candidate is parameter:
                    return f"`{name}` of {type(module).__name__}"
        kind = "parameter" if isinstance(parameter, Parameter) else "tensor"
        return f"a {kind} of shape {tuple(parameter._array.shape)}"

    def names_of(self, parameters: Iterable[Tensor]) -> str:
        """Returns the names of the first few parameters."""
        return listed([self.name_of(parameter) for parameter in parameters])


def listed(names: list[str]) -> str:
    """Joins the first few names and the number of the rest."""
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")


def parameters_of(optimizer: Optimizer) -> Iterator[Tensor]:
    for group in optimizer.param_groups:
        yield from group["params"]


def is_nonzero(tensor: Tensor) -> bool:
    """Whether a tensor has a nonzero element; False for meta tensors."""
    return type(beneath(tensor._array)) is not MetaArray and bool(plain(tensor._array).any())


def gradient_of(parameter: Tensor) -> Tensor | None:
    """Returns `grad` without warnings and hooks."""
    edge = parameter._edge
    return edge.grad if isinstance(edge, Leaf) else parameter._grad
