"""Marks what runs inside a transform of `torch.func`, and refuses what cannot be done there."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from rushlight.core.modes import TRANSFORMS


@contextmanager
def transforming() -> Iterator[None]:
    """Marks what runs inside as part of a function that is transformed."""
    token = TRANSFORMS.set(TRANSFORMS.get() + 1)
    try:
        yield
    finally:
        TRANSFORMS.reset(token)


def refuse_backward() -> None:
    """Raises RuntimeError inside a transform, where a pass would leave gradients in tensors that do not outlive it."""
    if TRANSFORMS.get():
        raise RuntimeError(
            "backward() called inside a functorch transform. This is not supported, please use functorch.grad or "
            "functorch.vjp instead or call backward() outside of functorch transforms."
        )
