"""A weight as direction and length, recomputed before each call: the deprecated hook.

Salimans and Kingma, "Weight normalization", 2016.
"""

import warnings
from typing import Any

from rushlight._generated.functions import norm_except_dim
from rushlight.core.tensor import Parameter, Tensor

from ..modules import Module
from ..parameter import UninitializedParameter

UNINITIALIZED = (
    "The module passed to `{}` can't have uninitialized parameters. Make sure to run the dummy forward before applying "
    "{} normalization"
)


def rescaled(v: Tensor, g: Tensor, dim: int) -> Tensor:
    """Returns `v` scaled to norms `g` along all dimensions but `dim`; along all of them for -1."""
    return v * (g / norm_except_dim(v, 2, dim))


class WeightNorm:
    """The hook that computes a weight from `<name>_g` and `<name>_v`."""

    def __init__(self, name: str, dim: int | None) -> None:
        self.name = name
        self.dim = -1 if dim is None else dim

    def compute_weight(self, module: Module) -> Tensor:
        """Computes the weight, with its graph."""
        return rescaled(getattr(module, f"{self.name}_v"), getattr(module, f"{self.name}_g"), self.dim)

    def __call__(self, module: Module, inputs) -> None:
        setattr(module, self.name, self.compute_weight(module))

    def remove(self, module: Module) -> None:
        """Makes the weight a parameter again."""
        weight = self.compute_weight(module)
        delattr(module, self.name)
        del module._parameters[f"{self.name}_g"], module._parameters[f"{self.name}_v"]
        setattr(module, self.name, Parameter(weight.detach()))


def hook_of(module: Module, cls: type[Any], name: str):
    """Returns (id, hook) of a type on the parameter `name`; None if there is none."""
    for number, hook in module._forward_pre_hooks.items():
        if isinstance(hook, cls) and hook.name == name:
            return number, hook
    return None


def weight_norm(module: Module, name: str = "weight", dim: int | None = 0) -> Module:
    """Splits a parameter into its norms `<name>_g` along all dimensions but `dim`, and `<name>_v`; returns the module.

    `torch.nn.utils.parametrizations.weight_norm` does the same without a hook.
    """
    warnings.warn(
        "`torch.nn.utils.weight_norm` is deprecated in favor of `torch.nn.utils.parametrizations.weight_norm`.",
        FutureWarning,
        stacklevel=2,
    )
    if hook_of(module, WeightNorm, name) is not None:
        raise RuntimeError(f"Cannot register two weight_norm hooks on the same parameter {name}")
    hook = WeightNorm(name, dim)
    weight = getattr(module, name)
    if isinstance(weight, UninitializedParameter):
        raise ValueError(UNINITIALIZED.format("WeightNorm", "weight"))
    del module._parameters[name]
    module.register_parameter(f"{name}_g", Parameter(norm_except_dim(weight, 2, hook.dim).detach()))
    module.register_parameter(f"{name}_v", Parameter(weight.detach()))
    hook(module, ())
    module.register_forward_pre_hook(hook)
    return module


def remove_weight_norm(module: Module, name: str = "weight") -> Module:
    """Removes `weight_norm` from a parameter; returns the module."""
    entry = hook_of(module, WeightNorm, name)
    if entry is None:
        raise ValueError(f"weight_norm of '{name}' not found in {module}")
    number, hook = entry
    hook.remove(module)
    del module._forward_pre_hooks[number]
    return module
