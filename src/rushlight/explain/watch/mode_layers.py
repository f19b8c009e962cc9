"""Layers that behave differently in training and evaluation."""

from __future__ import annotations

from rushlight.nn.modules.batchnorm import _BatchNorm
from rushlight.nn.modules.dropout import _DropoutNd
from rushlight.nn.modules.module import Module


def is_mode_dependent(module: Module) -> bool:
    """Whether a layer itself behaves differently in training."""
    if isinstance(module, _DropoutNd):
        return module.p > 0
    return isinstance(module, _BatchNorm) and module.track_running_stats


def mode_dependent_layers(module: Module, training: bool) -> list[Module]:
    """Returns the layers of a module that depend on the mode, and are in the given mode."""
    return [module for module in module.modules() if module.training is training and is_mode_dependent(module)]


def in_training(module: Module) -> str:
    """Returns the types of such layers in training mode, in words; empty if there are none."""
    return names(mode_dependent_layers(module, True))


def in_evaluation(module: Module) -> str:
    """Returns the types of such layers in evaluation mode, in words; empty if there are none."""
    return names(mode_dependent_layers(module, False))


def switched(layers: str) -> str:
    """Says what evaluation mode does to such layers."""
    if "Norm" not in layers:
        return f"{layers} layers are switched off"
    return (
        f"{layers} layers are switched off or use running statistics"
        if "Dropout" in layers
        else (f"{layers} layers use their running statistics")
    )


def names(layers: list[Module]) -> str:
    return " and ".join(sorted({type(layer).__name__ for layer in layers}))
