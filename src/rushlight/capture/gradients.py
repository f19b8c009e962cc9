"""Which gradients a backward pass of the run has computed, so that they are there in a replay too."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from rushlight.autograd.methods import backward
from rushlight.capture.calls import A_TENSOR, Call
from rushlight.capture.paths import ENTRY, EQUAL, GETTER, SLOT, TYPE, Guard, Path, Paths, carrier_of, meta_of
from rushlight.capture.purity import writes_tensor
from rushlight.core.graph import Leaf
from rushlight.core.tensor import Tensor

# Calls that take no gradient away, besides those that write to tensors. A step may: hooks of the optimizer run in it.
KEEPING = frozenset("backward clip_grad_norm_ clip_grad_value_ __enter__ __exit__ again".split())


EDGE = vars(Tensor)["_edge"]


class Gradients:
    """The tensors whose gradients are known to be there."""

    def __init__(self) -> None:
        self.present: set[int] = set()  # ids of tensors
        self.calls: list[Call] = []  # that change something

    def before(self, call: Call, first: Any, values: Iterable[Any]) -> Callable[[], None] | None:
        """Notes a call with `first` that changes something; `values` were read before.

        Returns what to do when a backward pass has been made.
        """
        self.calls.append(call)
        name = getattr(call.function, "__name__", "")
        if call.function is not backward:
            kind = A_TENSOR if isinstance(first, Tensor) else None
            if name not in KEEPING and not writes_tensor(call.function, [kind]):
                self.present.clear()
            return None
        leaves = [each for each in values if isinstance(each, Tensor)]
        if not all([meta_of(each).leaf for each in leaves]):
            return None  # the history of an argument may lead to other tensors in a replay
        earlier = list(map(version_of_gradient, leaves))

        def done() -> None:
            if not any([each.callbacks or each.opaque for each in self.calls]):  # else the program may do anything
                pairs = zip(leaves, earlier, strict=True)
                self.present.update([id(each) for each, before in pairs if version_of_gradient(each) != before])

        return done


def has_hooks(tensor: Tensor) -> bool:
    """Whether a leaf has hooks, which may take its gradient away."""
    leaf = carrier_of(tensor)._edge
    return type(leaf) is Leaf and leaf.hooked


def without_hooks(paths: Paths, path: Path, tensor: Tensor) -> list[Guard]:
    """Returns the guards that the leaf at a path has no hooks."""
    if tensor._carrier is not None:
        return [Guard(paths.path(path, GETTER, has_hooks), EQUAL, False)]
    edge = paths.path(path, SLOT, EDGE)
    return [Guard(edge, TYPE, Leaf), Guard(paths.path(edge, ENTRY, "hooked"), EQUAL, False)]


def version_of_gradient(tensor: Tensor) -> tuple | None:
    """Returns which gradient a tensor has, and how often it was written."""
    gradient = carrier_of(tensor).grad
    return None if gradient is None else (id(gradient), gradient._version)
