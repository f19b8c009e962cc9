"""What `reduction`: "none", "mean" or "sum", and its gradient."""

from __future__ import annotations

import math

from rushlight.core.modes import recording
from rushlight.declarations.shapes import broadcast

# PyTorch's functions at the root take integers.
WORDS = {0: "none", 1: "mean", 2: "sum"}
NAMES = (*WORDS.values(),)


def reduction_name(reduction) -> str:
    """Returns the name of a reduction. Raises ValueError for an unknown one."""
    if reduction in NAMES:
        return reduction
    if reduction not in WORDS:
        raise ValueError(f"{reduction} is not a valid value for reduction")
    return WORDS[reduction]


def reduce_losses(F, losses, reduction):
    """Returns the losses, their mean or their sum."""
    name = reduction_name(reduction)
    return losses if name == "none" else F.mean(losses) if name == "mean" else F.sum(losses)


def reduce_raw_losses(xp, losses, reduction):
    """Returns the reduction of raw losses."""
    if reduction == "none":
        return losses
    return xp.mean(losses) if reduction_name(reduction) == "mean" else xp.total(losses)


def share_of_gradient(g, reduction, *shapes):
    """Returns the gradient of each loss from that of the reduced loss."""
    if reduction != "mean":
        return g
    return g / math.prod(shapes[0] if shapes[0] == shapes[-1] else broadcast(shapes))


def refuse_gradient(name: str, argument: str, value) -> None:
    """Raises RuntimeError for an argument that requires a gradient but has no derivative."""
    if getattr(value, "requires_grad", False) and recording():
        raise RuntimeError(
            f"The function '{name}' is not differentiable with respect to argument '{argument}'. This input cannot "
            "have requires_grad True."
        )
