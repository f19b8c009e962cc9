"""Marks what runs inside a transform of `torch.func`, and refuses what cannot be done there."""

from __future__ import annotations

from rushlight.core.modes import TRANSFORMS


class transforming:
    """Marks what runs inside as part of a function that is transformed."""

    __slots__ = ("token",)

    def __enter__(self) -> None:
        self.token = TRANSFORMS.set(TRANSFORMS.get() + 1)

    def __exit__(self, *exception: object) -> None:
        TRANSFORMS.reset(self.token)


def refuse_backward() -> None:
    """Raises RuntimeError inside a transform, where a pass would leave gradients in tensors that do not outlive it."""
    if TRANSFORMS.get():
        raise RuntimeError(
            "backward() called inside a functorch transform. This is not supported, please use functorch.grad or "
            "functorch.vjp instead or call backward() outside of functorch transforms."
        )


def refuse_retain_grad() -> None:
    """Raises RuntimeError inside a transform, which makes no pass that would leave a gradient."""
    if TRANSFORMS.get():
        raise RuntimeError(
            "You are attempting to call Tensor.retain_grad() inside of a function being transformed by a functorch "
            "transform. This is unsupported, please attempt to use the functorch transforms (e.g. grad, vjp, jacrev, "
            "jacfwd, hessian) or call retain_grad() outside of a function being transformed instead."
        )
