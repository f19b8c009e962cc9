"""What a transform in reverse mode records: a run of a function on fresh aliases of its inputs.

No tensor is wrapped. `autograd.grad` computes the gradients of the aliases, and nested transforms are one graph: an
alias is a view with the history of its input if there is one, else a leaf. The graph of the gradients is made only if
something outside can ask for it.
"""

from __future__ import annotations

from typing import Any

import rushlight._generated.functions as F
from rushlight.autograd.gradients import backward_of_scalar, grad, gradients_of_leaves
from rushlight.autograd.methods import get_gradient_edge
from rushlight.autograd.reach import reached
from rushlight.core.graph import RELEASED, Leaf, node_of
from rushlight.core.history import edge_of
from rushlight.core.modes import MODE, TRANSFORMS, change
from rushlight.core.tensor import Tensor, alias
from rushlight.core.traced import STACK, TRACED
from rushlight.create.filled import zeros_like
from rushlight.transforms.levels import lift


class Recorded:
    """Records what runs inside, whatever the mode outside: a transform does not depend on it."""

    def __enter__(self) -> None:
        self.mode = change(grad=True, inference=False)
        self.depth = TRANSFORMS.set(TRANSFORMS.get() + 1)

    def __exit__(self, *exception: Any) -> None:
        TRANSFORMS.reset(self.depth)
        MODE.reset(self.mode)


class Recording:
    """Aliases of the inputs of a function, and the way from its results back to them."""

    def __init__(self, inputs: list, tracked: bool):
        """`tracked`: whether operations were recorded where the transform was called."""
        self.inputs, self.tracked = inputs, tracked
        self.aliases = [self._fresh(value) for value in inputs]
        self.edges = edges = list(map(edge_of, self.aliases))
        self.own = {edge for edge in edges if type(edge) is Leaf}
        pairs = zip(self.aliases, edges, strict=True)
        # Of a view, the edge: its history changes if it is written to
        self.targets = [each if type(edge) is Leaf else get_gradient_edge(each) for each, edge in pairs]
        self.originals = {id(each): value for each, value in zip(self.aliases, inputs, strict=True)}

    def _fresh(self, value: Any) -> Tensor:
        if not isinstance(value, Tensor):
            raise ValueError(f"Thing passed to transform API must be Tensor, got {type(value)}")
        inner = lift(value)
        if self.tracked and inner.requires_grad:
            return F.view_as(inner, inner)
        leaf = inner.clone() if inner.is_inference() else alias(inner)
        leaf._become_leaf("only Tensors of floating point dtype can require gradients")
        return leaf

    def gradients(
        self, outputs: list, cotangents: list | None, *, keep: bool, create: bool, only_own: bool = False
    ) -> list[Tensor]:
        """Returns the gradients of the inputs, zeros where there is none; with a graph if `create`.

        `only_own`: whether the graph of the outputs is known to end in the aliases alone.
        """
        weights = [None] * len(outputs) if cotangents is None else cotangents
        pairs = [(output, weight) for output, weight in zip(outputs, weights, strict=True) if output.requires_grad]
        if not pairs:
            return [zeros_like(value) for value in self.inputs]
        recorded = [output for output, _ in pairs]
        weights = [weight for _, weight in pairs]
        results: Any
        if only_own and not create and all([type(edge) is Leaf and not edge.hooked for edge in self.edges]):
            results = gradients_of_leaves(recorded, self.edges, weights, keep)
        else:
            results = grad(recorded, self.targets, weights, keep or create, create, allow_unused=True)
        with_inputs = zip(results, self.inputs, strict=True)
        results = [zeros_like(value) if result is None else result for result, value in with_inputs]
        return [self.outside(result) for result in results] if create else results

    def gradients_of_number(self, output: Tensor) -> list[Tensor]:
        """Returns the gradients of the inputs for an output of one element, whose graph ends in the aliases alone."""
        if not (self.tracked and len(self.own) == len(self.aliases) and backward_of_scalar(output, keep=False)):
            return self.gradients([output], None, keep=False, create=False, only_own=self.tracked)
        pairs = zip(self.aliases, self.inputs, strict=True)
        return [zeros_like(value) if each.grad is None else each.grad for each, value in pairs]

    def leads_outside(self, tensors: list[Tensor]) -> bool:
        """Whether gradients of some tensors could be computed outside: their graph has leaves other than aliases."""
        return self.survey(tensors)[0]

    def is_wanted(self, tensors: list[Tensor]) -> bool:
        """Whether the graph of some tensors is to go on outside."""
        return self.tracked and self.leads_outside(tensors)

    def survey(self, tensors: list[Tensor]) -> tuple[bool, bool]:
        """Returns whether the graph of some tensors leads outside, and whether its steps run code of the program."""
        in_levels = bool(STACK.get())
        leads, code = in_levels and any([has_history_below(each) for each in tensors]), False
        edges = [edge for edge in map(edge_of, tensors) if edge is not None]
        for node in reached(map(node_of, edges)):
            if type(node) is Leaf:
                leads = leads or node not in self.own
                code = code or node.hooked
            else:
                code = code or node.takes_tensors or node.packed is not None or node.step is node.hooked_step
                leads = leads or (in_levels and keeps_history_below(node))
        return leads, code

    def outside(self, result: Tensor) -> Tensor:
        """Returns a result for the caller: the input itself for its alias, and no history that only ends in aliases."""
        if not result.requires_grad or (self.is_wanted([result]) if self.tracked else result.is_leaf):
            return self.originals.get(id(result), result)
        return self.without_history(result)

    def without_history(self, result: Tensor) -> Tensor:
        """Returns a result for the caller: the input itself for its alias, and no history."""
        if (original := self.originals.get(id(result))) is not None:
            return original
        return alias(result) if result.requires_grad else result


def has_history_below(value: Any) -> bool:
    """Whether a traced tensor, or its array, has history in the levels below its own."""
    array: Any = value._array if isinstance(value, Tensor) else value
    if type(array) not in TRACED:
        return False
    for part in (array.value, *array.moved_by()):
        if part._edge is not None or part.requires_grad or has_history_below(part):
            return True
    return False


def keeps_history_below(node) -> bool:
    """Whether a recorded step could lead to gradients in lower levels: by what it saved, or by code of the program."""
    if node.takes_tensors or node.packed:
        return True
    if node.saved is RELEASED:
        return False
    for value in node.saved:
        if type(value) in TRACED and has_history_below(value):
            return True
    return False
