"""Checks of `batch_norm.py`: raise what PyTorch refuses, with its messages."""

from __future__ import annotations

import math

from rushlight.declarations.checks.normalize import check_one_dtype
from rushlight.declarations.dtype_rules import refuse


def check_both_running(mean, variance) -> None:
    """Raises where only one running statistic is kept."""
    if (mean is None) != (variance is None):
        raise ValueError("running_mean and running_var must either both be None or neither be None")


def check_batch_norm(input, weight, bias, running_mean, running_var, *, training: bool) -> None:
    """One number for each channel, all of a dtype that goes with the input's."""
    channels, dtype = input.shape[1] if input.ndim > 1 else 0, input.dtype
    if dtype.char in "fd" and (training or not (running_mean is None or running_var is None)):
        for each in (running_mean, running_var, weight, bias):
            if each is not None and (each.dtype is not dtype or each.size != channels):
                break
        else:
            return
    named = (("running_mean", running_mean), ("running_var", running_var), ("weight", weight), ("bias", bias))
    for name, each in named:
        if each is None:
            if name.startswith("running") and not training:
                raise RuntimeError(f"{name} must be defined in evaluation mode")
        elif each.size != channels:
            raise RuntimeError(f"{name} should contain {channels} elements not {each.size}")
    refuse(input, "biuc", "batch_norm")
    if input.size:  # PyTorch computes nothing for an empty input
        check_one_dtype(input, weight, bias, running_mean, running_var)


def check_forward_gradients(*statistics) -> None:
    """Raises if running statistics have tangents."""
    if any(each is not None for each in statistics):
        raise RuntimeError(
            "batch_norm is not differentiable wrt running_mean and running_var, they cannot have forward grad defined"
        )


def check_positions(shape) -> None:
    """A deviation takes more than one number."""
    if math.prod(shape[2:]) == 1:
        raise ValueError(f"Expected more than 1 spatial element when training, got input size {shape}")


def check_momentum(momentum) -> None:
    if momentum is None:
        raise TypeError("batch_norm(): argument 'momentum' (position 7) must be float, not NoneType")
