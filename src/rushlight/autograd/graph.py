"""`torch.autograd.graph`: nodes, edges, and hooks on saved tensors and on several gradients at once.

https://docs.pytorch.org/docs/stable/autograd.html#autograd-graph
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from rushlight.autograd.grad_mode import restore
from rushlight.autograd.methods import get_gradient_edge
from rushlight.autograd.multi_grad import register_multi_grad_hook
from rushlight.autograd.mutation import allow_mutation_on_saved_tensors
from rushlight.autograd.saved_hooks import saved_tensors_hooks
from rushlight.core.graph import GradientEdge, Node
from rushlight.core.modes import change, current
from rushlight.core.tensor import Tensor, alias

__all__ = [
    "GradientEdge", "Node", "allow_mutation_on_saved_tensors", "disable_saved_tensors_hooks", "get_gradient_edge",
    "increment_version", "register_multi_grad_hook", "save_on_cpu", "saved_tensors_hooks",
    "set_warn_on_accumulate_grad_stream_mismatch",
]  # fmt: skip


class save_on_cpu(saved_tensors_hooks):
    """Keeps what is saved for backward in the CPU's memory, and moves it back when it is needed."""

    def __init__(self, pin_memory: bool = False, device_type: str = "cuda") -> None:
        super().__init__(
            lambda tensor: (tensor.device, without_history(tensor).cpu()), lambda packed: packed[1].to(packed[0])
        )


def without_history(tensor: Tensor) -> Tensor:
    """Returns a tensor on the same memory, with its tangents inside transforms, which `detach` drops."""
    return alias(tensor) if tensor._carrier is None else tensor.detach()


@contextmanager
def disable_saved_tensors_hooks(error_message: str) -> Iterator[None]:
    """Makes `saved_tensors_hooks` raise RuntimeError with this message inside."""
    before = current()
    if before.saved_hooks:
        raise RuntimeError(error_message)
    change(saved_hooks_disabled=error_message)
    try:
        yield
    finally:
        restore(before)


def increment_version(tensor: Tensor | Iterable[Tensor]) -> None:
    """Counts a write to the memory of a tensor, or of several, that autograd has not seen."""
    if not isinstance(tensor, (Tensor, Iterable)):
        raise RuntimeError("increment_version expect a Iterable[Tensor] as input")
    for item in (tensor,) if isinstance(tensor, Tensor) else tensor:
        if not isinstance(item, Tensor):
            raise RuntimeError("increment_version expects each element of the iterable to be a tensor")
        item._storage.written()


def set_warn_on_accumulate_grad_stream_mismatch(enabled: bool) -> None:
    """Whether a leaf on another stream than its gradient is warned about. There are no streams that could differ."""
