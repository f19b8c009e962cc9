"""Parameters that get gradients and that no optimizer has: which they are, and why."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from rushlight.core.graph import Leaf
from rushlight.core.tensor import Parameter, Tensor
from rushlight.explain.watch.followed import Followed, Known
from rushlight.explain.watch.passes import Pass
from rushlight.nn.modules.module import Module

STEPS = 3  # after so many steps of optimizers it is clear that nobody else updates a parameter
COMPARED = 64  # elements


class Candidate:
    """A parameter that came by in a graph, as it was then."""

    def __init__(self, leaf: Leaf, steps: int):
        self.leaf, self.steps = leaf, steps
        self.values = sample(leaf.array)

    def is_unchanged(self) -> bool:
        """Whether nobody has updated the parameter since: the program may do so by hand."""
        return self.leaf.grad is not None and np.array_equal(self.values, sample(self.leaf.array), equal_nan=True)


def sample(array) -> np.ndarray:
    return array.flat[:COMPARED].copy()


class Untrained:
    """Collects candidates from passes that reach trained parameters as well, and judges them some steps later."""

    def __init__(self, known: Known):
        self.known = known
        self.candidates: dict[int, Candidate] = {}
        self.judged: set[int] = set()

    def look(self, graph: Pass, steps: int) -> None:
        """Takes note of the parameters in a graph that no optimizer has."""
        if not graph.accumulates:
            return
        leaves = [each for each in graph.leaves if isinstance(each.variable, Parameter) and not each.off_cpu]
        optimized = self.known.optimized()
        others = [each for each in leaves if id(each.variable) not in optimized]
        if len(others) < len(leaves):
            for leaf in others:
                self.candidates.setdefault(id(leaf), Candidate(leaf, steps))

    def judge(self, steps: int) -> list[Tensor]:
        """The parameters that are never trained, each once: as soon as that is clear."""
        due = [each for each in self.candidates.values() if steps - each.steps >= STEPS]
        if not due:
            return []
        optimized = self.known.optimized()
        for each in due:
            del self.candidates[id(each.leaf)]
        found = [each.leaf for each in due if id(each.leaf) not in self.judged and each.is_unchanged()]
        self.judged.update(id(each) for each in found)
        return [each.variable for each in found if id(each.variable) not in optimized]


class Hidden(NamedTuple):
    """Layers in a plain container, where a module does not see them."""

    module: Module
    attribute: str
    container: str  # "list"
    parameters: list[Tensor]


def hidden_in(module: Module) -> Iterator[Hidden]:
    """The plain containers within a module and its children that hold layers or parameters of their own."""
    registered = {id(each) for each in module.parameters()}
    for each in module.modules():
        for name, value in list(vars(each).items()):
            if not name.startswith("_") and isinstance(value, (list, tuple, dict)):
                inside = [one for one in parameters_inside(value) if id(one) not in registered]
                if inside:
                    yield Hidden(each, name, type(value).__name__, inside)


def parameters_inside(container) -> Iterator[Tensor]:
    """The parameters of everything in a container, containers inside it included."""
    for each in list(container.values()) if isinstance(container, dict) else container:
        if isinstance(each, Module):
            yield from each.parameters()
        elif isinstance(each, Parameter):
            yield each
        elif isinstance(each, (list, tuple, dict)) and each is not container:
            yield from parameters_inside(each)


def orphans(followed: Followed, known: Known) -> list[Tensor]:
    """The parameters of an optimizer that never had a gradient and that no model has any more."""
    owned = {id(each) for module in known.live_modules() for each in module.parameters()}
    never = (each() for each in followed.without or ())
    return [each for each in never if each is not None and id(each) not in owned]
