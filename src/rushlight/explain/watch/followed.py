"""What is known of an optimizer and of its parameters."""

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
    """An optimizer: where it was made, how many steps it took, which of its parameters never had a gradient."""

    kind, rate = "", 0.0  # the class of the optimizer, and its learning rate at the first step
    stepped: Place | None = None  # where it made its first step

    def __init__(self, optimizer: Optimizer, place: Place):
        self.reference = weakref.ref(optimizer)
        self.place = place
        self.steps = 0
        self.count = 0  # of its parameters
        self.parameters: list[weakref.ref] = []  # that it had at its first step
        self.without: list[weakref.ref] | None = None  # those that had no gradient at any step; None before the first

    def stepping(self, optimizer: Optimizer) -> None:
        """Takes note of the gradients before a step."""
        self.steps += 1
        if self.without is None:
            self.stepped = here()
            self.kind, self.rate = type(optimizer).__name__, float(optimizer.param_groups[0]["lr"])
            self.parameters = self.without = [weakref.ref(parameter) for parameter in parameters_of(optimizer)]
            self.count = len(self.without)
        if self.without:
            alive = ((x, x()) for x in self.without)
            self.without = [
                value
                for value, alive_parameter in alive
                if alive_parameter is not None and gradient_of(alive_parameter) is None
            ]

    def forget(self, parameters: list[Tensor]) -> None:
        """Takes out parameters of which it is known why they get no gradient."""
        known = {id(parameter) for parameter in parameters}
        self.without = [x for x in self.without or () if id(x()) not in known]


class Known:
    """The optimizers and the models that a watch has met."""

    def __init__(self) -> None:
        self.followed: list[Followed] = []  # of optimizers that are gone as well
        self.optimizers: dict[int, Followed] = {}
        self.modules: dict[int, weakref.ref] = {}

    def optimizer(self, optimizer: Optimizer) -> Followed:
        """What is known of an optimizer; one that is met for the first time is made here, as far as can be told."""
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
        """The optimizer that has a parameter, if it has made a step."""
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
        """The modules that the program has called, those with most parameters first: models before their parts."""
        modules = [module for x in list(self.modules.values()) if (module := x()) is not None]
        return iter(sorted(modules, key=lambda module: -sum(1 for _ in module.parameters())))

    def optimized(self) -> set[int]:
        """The ids of all parameters that some optimizer has."""
        return {id(parameter) for optimizer, _ in self.live_optimizers() for parameter in parameters_of(optimizer)}

    def trained(self) -> set[int]:
        """The ids of all parameters that some optimizer has made a step with, also if it is gone."""
        parameters = (parameter() for followed in self.followed for parameter in followed.parameters)
        return {id(x) for x in parameters if x is not None}

    def name_of(self, parameter: Tensor) -> str:
        """What a model calls a parameter, else its shape."""
        for module in self.live_modules():
            for name, candidate in module.named_parameters():
                if candidate is parameter:
                    return f"`{name}` of {type(module).__name__}"
        kind = "parameter" if isinstance(parameter, Parameter) else "tensor"
        return f"a {kind} of shape {tuple(parameter._array.shape)}"

    def names_of(self, parameters: Iterable[Tensor]) -> str:
        """The names of some parameters, the first few of them."""
        return listed([self.name_of(parameter) for parameter in parameters])


def listed(names: list[str]) -> str:
    """The first few of some names, and how many more there are."""
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")


def parameters_of(optimizer: Optimizer) -> Iterator[Tensor]:
    for group in optimizer.param_groups:
        yield from group["params"]


def is_nonzero(tensor: Tensor) -> bool:
    """Whether a tensor has a number other than zero; not that of one without numbers."""
    return type(beneath(tensor._array)) is not MetaArray and bool(plain(tensor._array).any())


def gradient_of(parameter: Tensor) -> Tensor | None:
    """The `grad`, without the warnings and hooks that asking for it may bring."""
    edge = parameter._edge
    return edge.grad if isinstance(edge, Leaf) else parameter._grad
