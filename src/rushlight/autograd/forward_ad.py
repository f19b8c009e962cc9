"""`torch.autograd.forward_ad`: functions on tangents. There are none: derivatives are computed backward.

https://docs.pytorch.org/docs/stable/autograd.html#forward-mode-automatic-differentiation
"""

from __future__ import annotations

from typing import NamedTuple

from rushlight.core.tensor import Tensor

__all__ = ["UnpackedDualTensor", "make_dual", "unpack_dual"]


class UnpackedDualTensor(NamedTuple):
    """A tensor and its tangent, which is None where it has none."""

    primal: Tensor
    tangent: Tensor | None


def make_dual(tensor: Tensor, tangent: Tensor, *, level: int | None = None) -> Tensor:
    """Raises RuntimeError, as everywhere outside of a level: `dual_level`, which enters one, is not here."""
    raise RuntimeError(
        "Trying to create a dual Tensor for forward AD but no level exists, make sure to enter_dual_level() first."
    )


def unpack_dual(tensor: Tensor, *, level: int | None = None) -> UnpackedDualTensor:
    """The tensor, and None for its tangent: outside of a level no tensor has one.

    >>> import rushlight as torch
    >>> torch.autograd.forward_ad.unpack_dual(torch.ones(2)).tangent is None
    True
    """
    return UnpackedDualTensor(tensor, None)
