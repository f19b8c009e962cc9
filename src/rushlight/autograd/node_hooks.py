"""What hooks on tensors and nodes may put in the place of gradients, and what they may not."""

from __future__ import annotations

from rushlight.core.handle import active
from rushlight.core.tensor import Tensor


def run_tensor_hooks(hooks: dict, gradient: Tensor) -> Tensor:
    """Passes a gradient through tensor hooks, each of which may replace it by one like it."""
    for hook in active(hooks):
        changed = hook(gradient)
        if changed is not None:
            _check_replacement(hook, gradient, changed)
            gradient = changed
    return gradient


def _check_replacement(hook, gradient: Tensor, changed) -> None:
    if not isinstance(changed, Tensor):
        raise TypeError(f"expected Variable, but hook returned '{type(changed).__name__}'")
    name = getattr(hook, "__name__", repr(hook))
    if changed.dtype is not gradient.dtype:
        raise RuntimeError(f"hook '{name}' has changed the type of value (was {gradient.type()} got {changed.type()})")
    if changed.shape != gradient.shape:
        raise RuntimeError(f"hook '{name}' has changed the size of value")


def replacements(hook, changed, count: int) -> tuple:
    """What a node's hook returned in the place of some gradients."""
    if isinstance(changed, Tensor) and count == 1:
        return (changed,)
    if not isinstance(changed, (tuple, Tensor)):
        raise TypeError(f"expected tuple, but hook returned '{type(changed).__name__}'")
    if len(changed) != count:
        name = getattr(hook, "__name__", repr(hook))
        raise RuntimeError(
            f"hook '{name}' has returned an incorrect number of values (got {len(changed)}, but expected {count})"
        )
    return tuple(changed)
