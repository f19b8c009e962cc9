"""Checks of options that optimizers refuse, with PyTorch's messages."""

from __future__ import annotations

from rushlight.core.errors import noted
from rushlight.core.tensor import Tensor

CAPTURABLE_ON = ["cuda", "xpu", "hpu", "privateuseone"]
FUSED_ON = ["mps", "cuda", "xpu", "hpu", "cpu", "mtia", "privateuseone"]


def check_rate(lr, message: str = "Invalid learning rate: {}") -> None:
    """Raises ValueError for a learning rate that is negative, or a tensor of several elements."""
    if isinstance(lr, Tensor) and lr.numel() != 1:
        raise ValueError("Tensor lr must be 1-element")
    check_not_negative(message, lr)


def check_not_negative(message: str, value) -> None:
    """Raises ValueError for an option that is negative or NaN."""
    if not 0.0 <= value:
        raise ValueError(message.format(value))


def check_betas(betas) -> None:
    """Raises ValueError for a decay rate outside [0, 1)."""
    for index in (0, 1):
        if not 0.0 <= betas[index] < 1.0:
            raise ValueError(f"Invalid beta parameter at index {index}: {betas[index]}")


def check_exclusive_modes(fused, foreach, differentiable) -> None:
    """Raises RuntimeError for execution modes that exclude one another."""
    if fused and differentiable:
        raise RuntimeError("`fused` does not support `differentiable`")
    if fused and foreach:
        raise RuntimeError("`fused` and `foreach` cannot be `True` together.")


def check_capturable(params: list[Tensor], what: str, foreach: bool) -> None:
    """Raises AssertionError if a step cannot be captured, as on the CPU."""
    devices = CAPTURABLE_ON if foreach else [*CAPTURABLE_ON, "xla"]
    if any(param.device.type not in devices for param in params):
        raise noted(
            AssertionError(f"If capturable=True, {what} must be on supported devices: {devices}."),
            "capturable=True is for steps that a GPU records and repeats; leave it out on the CPU.",
        )


def check_fused(params: list[Tensor]) -> None:
    """Raises RuntimeError for parameters that a fused step does not support."""
    for param in params:
        if not (param.device.type in FUSED_ON and param.is_floating_point()):
            raise RuntimeError(
                "`fused=True` requires all the params to be floating point Tensors of supported devices: "
                f"{FUSED_ON} but {param.dtype} and {param.device.type}"
            )


def check_present(group: dict, name: str) -> None:
    """Raises KeyError for an option that a group lacks, because load_state_dict() took it over from another method."""
    if name not in group:
        raise KeyError(name)
