"""Finds parameters that get gradients and belong to no optimizer."""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from rushlight.core.graph import Leaf
from rushlight.core.tensor import Parameter, Tensor
from rushlight.explain.watch.backward_pass import Pass
from rushlight.explain.watch.optimizers import Followed, Known, parameters_of
from rushlight.nn.modules.module import Module

STEPS = 3  # after so many steps of an optimizer, a parameter outside it counts as not updated
COMPARED = 64  # elements that are compared


class Candidate:
    """A parameter without optimizer in a graph with an optimizer's parameters, and its values then."""

    def __init__(self, leaf: Leaf, beside: Followed):
        self.leaf = weakref.ref(leaf)
        self.beside, self.steps = beside, beside.steps
        self.values = sample(leaf.array)

    def is_due(self) -> bool:
        return self.beside.steps - self.steps >= STEPS

    def is_unchanged(self, leaf: Leaf) -> bool:
        """Whether the parameter has not changed since; the program may update it by hand."""
        return leaf.grad is not None and np.array_equal(self.values, sample(leaf.array), equal_nan=True)


def sample(array) -> np.ndarray:
    return array.flat[:COMPARED].copy()


class Untrained:
    """Collects candidates from passes that also reach trained parameters, and judges them some steps later."""

    def __init__(self, known: Known):
        self.known = known
        self.candidates: dict[int, Candidate] = {}
        self.judged: weakref.WeakSet[Leaf] = weakref.WeakSet()

    def look(self, graph: Pass) -> None:
        """Records the parameters in a graph that no optimizer has."""
        if not graph.accumulates:
            return
        owners = {id(parameter): followed for optimizer, followed in self.known.live_optimizers()
                  for parameter in parameters_of(optimizer)}  # fmt: skip
        leaves = [leaf for leaf in graph.leaves if isinstance(leaf.variable, Parameter) and not leaf.off_cpu]
        beside = next((owners[id(leaf.variable)] for leaf in leaves if id(leaf.variable) in owners), None)
        if beside is not None:
            for leaf in leaves:
                if id(leaf.variable) not in owners and leaf not in self.judged:
                    self.candidates.setdefault(id(leaf), Candidate(leaf, beside))

    def judge(self, followed: Followed) -> list[Tensor]:
        """Returns the parameters that are never trained, each once, as soon as that is clear."""
        due = {
            key: candidate
            for key, candidate in self.candidates.items()
            if candidate.beside is followed and candidate.is_due()
        }
        if not due:
            return []
        optimized = self.known.optimized()
        result = []
        for key, value in due.items():
            del self.candidates[key]
            leaf = value.leaf()
            if leaf is not None and value.is_unchanged(leaf) and id(leaf.variable) not in optimized:
                self.judged.add(leaf)
                result.append(leaf.variable)
        return result


class Hidden(NamedTuple):
    """Layers in a plain container, which a module does not register."""

    module: Module
    attribute: str
    container: str  # "list"
    parameters: list[Tensor]


def hidden_in(module: Module) -> Iterator[Hidden]:
    """Returns the plain containers of a module and its children that hold layers or parameters."""
    registered = {id(parameter) for parameter in module.parameters()}
    for inner in module.modules():
        for name, value in list(vars(inner).items()):
            if not name.startswith("_") and isinstance(value, (list, tuple, dict)):
                inside = [item for item in parameters_inside(value) if id(item) not in registered]
                if inside:
                    yield Hidden(inner, name, type(value).__name__, inside)


def parameters_inside(container) -> Iterator[Tensor]:
    """Yields the parameters in a container and in nested containers."""
    for item in list(container.values()) if isinstance(container, dict) else container:
        if isinstance(item, Module):
            yield from item.parameters()
        elif isinstance(item, Parameter):
            yield item
        elif isinstance(item, (list, tuple, dict)) and item is not container:
            yield from parameters_inside(item)


def orphans(followed: Followed, known: Known) -> list[Tensor]:
    """Returns an optimizer's parameters that never had a gradient and belong to no live model."""
    owned = {id(parameter) for module in known.live_modules() for parameter in module.parameters()}
    never = (x() for x in followed.without or ())
    return [x for x in never if x is not None and id(x) not in owned]
