"""`torch.autograd.forward_ad`: tensors with tangents, outside of the transforms of `torch.func`.

https://docs.pytorch.org/docs/stable/autograd.html#forward-mode-automatic-differentiation
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any, NamedTuple

import rushlight._generated.functions as F
from rushlight.autograd.grad_mode import Mode, restore
from rushlight.core.errors import type_name
from rushlight.core.history import edge_of
from rushlight.core.modes import change, current, following
from rushlight.core.tensor import Tensor, alias, wrap
from rushlight.core.traced import TRACED, DualArray
from rushlight.transforms.forward import laid_like
from rushlight.transforms.levels import DualLevel, program_level

__all__ = ["UnpackedDualTensor", "dual_level", "enter_dual_level", "exit_dual_level", "make_dual", "unpack_dual"]


class UnpackedDualTensor(NamedTuple):
    """A tensor and its tangent, which is None where it has none."""

    primal: Tensor
    tangent: Tensor | None


class Entered:
    """Holds the level that the program has entered, and what ends it; there is at most one, as in PyTorch."""

    level: DualLevel | None = None
    context: AbstractContextManager | None = None


ENTERED = Entered()


def enter_dual_level() -> int:
    """Enters a level, in which tensors may have tangents; returns its number, 0.

    Raises RuntimeError inside another level of forward mode.

    >>> import rushlight as torch
    >>> torch.autograd.forward_ad.enter_dual_level()
    0
    >>> torch.autograd.forward_ad.exit_dual_level()
    """
    context = program_level()
    ENTERED.level, ENTERED.context = context.__enter__(), context
    return 0


def exit_dual_level(*, level: int | None = None) -> None:
    """Ends the level, with all tangents in it. Raises RuntimeError for a level that was not entered last.

    >>> import rushlight as torch
    >>> level = torch.autograd.forward_ad.enter_dual_level()
    >>> torch.autograd.forward_ad.exit_dual_level(level=level)
    """
    current = -1 if ENTERED.context is None else 0
    if level is not None and level != current:
        raise RuntimeError(
            "Trying to exit a forward AD level that was not the last one that was created. This is not supported."
        )
    if ENTERED.context is None:
        raise RuntimeError("Dual level must be a positive number.")
    context, ENTERED.level, ENTERED.context = ENTERED.context, None, None
    context.__exit__(None, None, None)


class dual_level(Mode):
    """A context, or decorator, in which tensors may have tangents. Raises RuntimeError where there is one already.

    >>> import rushlight as torch
    >>> import rushlight.autograd.forward_ad as forward_ad
    >>> with forward_ad.dual_level():
    ...     x = forward_ad.make_dual(torch.tensor([1.0, 2.0]), torch.tensor([1.0, 0.5]))
    ...     forward_ad.unpack_dual(x * x).tangent
    tensor([2., 2.])
    """

    def __enter__(self) -> int:  # type: ignore[override]
        return enter_dual_level()

    def __exit__(self, exc_type: Any, exc_value: Any, traceback: Any) -> None:
        exit_dual_level()


def __getattr__(name: str) -> int:
    """Returns `_current_level`: 0 in a level, -1 outside, by which packages know that forward mode is on."""
    if name != "_current_level":
        raise AttributeError(f"module 'torch.autograd.forward_ad' has no attribute {name!r}")
    return -1 if ENTERED.level is None else 0


_is_fwd_grad_enabled = following


class _set_fwd_grad_enabled(Mode):
    """Whether results get tangents: at once when called, until a `with` block ends, or in a decorated function."""

    def __init__(self, mode: bool) -> None:
        self.mode, self._before = mode, current()
        change(forward=mode)

    def fields(self) -> dict:
        return {"forward": self.mode}

    def again(self) -> _set_fwd_grad_enabled:
        return type(self)(self.mode)

    def __enter__(self) -> None:
        """Does nothing: the setting is in force since the call."""

    def __exit__(self, *exception: Any) -> None:
        restore(self._before)


def make_dual(tensor: Tensor, tangent: Tensor, *, level: int | None = None) -> Tensor:
    """`tensor`, on the same memory, with a tangent of the same shape, which is copied if its layout is another.

    Raises RuntimeError outside of a level, for a tangent of another shape, and if either has a tangent already.
    Raises ValueError unless both are of floating-point or complex dtypes.

    >>> import rushlight as torch
    >>> import rushlight.autograd.forward_ad as forward_ad
    >>> with forward_ad.dual_level():
    ...     forward_ad.make_dual(torch.tensor([1.0, 2.0]), torch.tensor([1.0, 0.5]))
    tensor([1., 2.], tangent=tensor([1.0000, 0.5000]))
    """
    if level is None and ENTERED.level is None:
        raise RuntimeError(
            "Trying to create a dual Tensor for forward AD but no level exists, make sure to enter_dual_level() first."
        )
    for name, value in (("primal", tensor), ("tangent", tangent)):
        if not (value.is_floating_point() or value.is_complex()):
            raise ValueError(f"Expected {name} to be floating point or complex, but got: {value.dtype!r}")
    if ENTERED.level is None:
        raise RuntimeError(
            "Trying to access a forward AD level with an invalid index. This index was either not created or is "
            "already deleted."
        )
    if level:
        raise RuntimeError("Invalid level given to _make_dual")
    if own_tangent(tensor) is not None:
        raise RuntimeError(
            "Making a dual Tensor based on a Tensor that already has a forward gradient at the same level 0 is not "
            "supported."
        )
    if own_tangent(tangent) is not None:
        raise RuntimeError(
            "Setting a forward grad that itself has a forward gradient at the same level0 is not supported."
        )
    if tensor.shape != tangent.shape:
        raise RuntimeError(
            "Trying to set a forward gradient that has a different size than that of the original Tensor, this is not "
            f"supported. Tensor is of size {list(tensor.shape)} while the given forward gradient is of size "
            f"{list(tangent.shape)}."
        )
    return dual_of(ENTERED.level, without_tangent(tensor), without_tangent(tangent))


def dual_of(level: DualLevel, primal: Tensor, tangent: Tensor) -> Tensor:
    """Returns a dual tensor; the history of the primal continues in it and, for gradients of tangents, below it."""
    made = wrap(DualArray(level, primal, as_kept(tangent, primal)))
    made._store = primal._storage
    if edge_of(primal) is not None:
        made._edge = F.view(primal, primal.shape)._edge
    return made


def as_kept(tangent: Tensor, primal: Tensor) -> Tensor:
    """Returns a tangent that has the views of the primal: the same layout, conjugated as it is, in as much memory."""
    array = primal._array
    if type(array) in TRACED or type(tangent._array) in TRACED or not array.size:
        return laid_like(tangent, primal)
    if (tangent.is_conj(), tangent.is_neg()) != (primal.is_conj(), primal.is_neg()):
        tangent = matching(tangent, primal)
    count = primal.untyped_storage().nbytes() // array.itemsize
    if count == tangent.untyped_storage().nbytes() // array.itemsize:
        return laid_like(tangent, primal)
    memory = primal.new_zeros((count,))
    kept = memory.as_strided(primal.shape, primal.stride(), primal.storage_offset())
    return kept.copy_(tangent)


def matching(tangent: Tensor, primal: Tensor) -> Tensor:
    """Returns a copy of a tangent that is a lazy conjugate, or negated lazily, if the primal is."""
    copied = F.clone(tangent)
    if primal.is_neg():
        copied = F.neg(copied)._neg_view()
    return F.conj(F.clone(F.resolve_conj(F.conj(copied)))) if primal.is_conj() else copied


def own_tangent(tensor: Tensor) -> Tensor | None:
    """Returns the tangent of a tensor at the level that was entered."""
    array = tensor._array
    return array.tangent if type(array) is DualArray and array.level is ENTERED.level else None


def without_tangent(tensor: Tensor) -> Tensor:
    """Returns a tensor below the level that was entered."""
    array = tensor._array
    return array.value if type(array) is DualArray and array.level is ENTERED.level else tensor


def unpack_dual(tensor: Tensor, *, level: int | None = None) -> UnpackedDualTensor:
    """The tensor without its tangent, on the same memory, and the tangent: None if there is none, or no level.

    >>> import rushlight as torch
    >>> torch.autograd.forward_ad.unpack_dual(torch.ones(2)).tangent is None
    True
    """
    if ENTERED.level is None and level is None:
        return UnpackedDualTensor(tensor, None)
    if not isinstance(tensor, Tensor):
        raise TypeError(f"_unpack_dual(): argument 'dual' (position 1) must be Tensor, not {type_name(tensor)}")
    tangent = None if level else own_tangent(tensor)
    primal = without_tangent(tensor)
    return UnpackedDualTensor(alias(primal) if edge_of(primal) is None else F.view(primal, primal.shape), tangent)
