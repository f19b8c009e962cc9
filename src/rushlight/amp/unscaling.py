"""The two steps of a loss scaler as functions, by which PyTorch's own scalers and those of packages compute."""

from __future__ import annotations

from collections.abc import Sequence

from rushlight.autograd import no_grad
from rushlight.core.dtype import dtype, float32, int32
from rushlight.core.tensor import Tensor


def _check(name: str, number: Tensor, expected: dtype = float32) -> None:
    if number.numel() != 1:
        raise RuntimeError(f"{name} must be a 1-element tensor.")
    if number.dtype is not expected:
        raise RuntimeError(f"{name} must be {'a float' if expected is float32 else 'an int'} tensor.")


@no_grad()
def _amp_foreach_non_finite_check_and_unscale_(self: Sequence[Tensor], found_inf: Tensor, inv_scale: Tensor) -> None:
    """Multiplies tensors in place by `inv_scale`; sets `found_inf` to 1 if an element is infinite or NaN."""
    for tensor in self:
        _check("inv_scale", inv_scale)
        _check("found_inf", found_inf)
        factor = inv_scale.item()
        if not tensor.isfinite().all().item():
            found_inf.fill_(1.0)
        if factor != 1.0:
            tensor.mul_(factor)


@no_grad()
def _amp_update_scale_(
    self: Tensor,
    growth_tracker: Tensor,
    found_inf: Tensor,
    scale_growth_factor: float,
    scale_backoff_factor: float,
    growth_interval: int,
) -> Tensor:
    """Shrinks a scale in place if `found_inf` is not zero; else counts the step, and after enough of them grows it.

    A scale that would be infinite does not grow. Returns the scale.
    """
    _check("growth_tracker", growth_tracker, int32)
    _check("current_scale", self)
    _check("found_inf", found_inf)
    if found_inf.item():
        self.mul_(scale_backoff_factor)
        growth_tracker.fill_(0)
        return self
    successes = int(growth_tracker.item()) + 1
    if successes == growth_interval:
        grown = self * scale_growth_factor
        if grown.isfinite().item():
            self.copy_(grown)
        successes = 0
    growth_tracker.fill_(successes)
    return self
