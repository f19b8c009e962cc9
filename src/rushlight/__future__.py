"""`torch.__future__`: how `Module.to` and similar methods, and `load_state_dict`, change the members of a module.

By default they put new data into a parameter, which stays the same object. With `overwrite` they put a new parameter
into its place. With `swap` the parameter takes the class, the data and the attributes of the converted tensor.

See https://docs.pytorch.org/docs/stable/future_mod.html
"""

from __future__ import annotations

from types import SimpleNamespace

__all__ = [
    "get_overwrite_module_params_on_conversion", "get_swap_module_params_on_conversion",
    "set_overwrite_module_params_on_conversion", "set_swap_module_params_on_conversion",
]  # fmt: skip

_params_on_conversion = SimpleNamespace(overwrite=False, swap=False)


def set_overwrite_module_params_on_conversion(value: bool) -> None:
    """Sets whether a converted parameter is a new object in the module.

    >>> import rushlight as torch
    >>> layer = torch.nn.Linear(2, 2)
    >>> weight = layer.weight
    >>> set_overwrite_module_params_on_conversion(True)
    >>> layer.double().weight is weight
    False
    >>> set_overwrite_module_params_on_conversion(False)
    """
    _params_on_conversion.overwrite = value


def get_overwrite_module_params_on_conversion() -> bool:
    """Returns whether a converted parameter is a new object in the module; False by default."""
    return _params_on_conversion.overwrite


def set_swap_module_params_on_conversion(value: bool) -> None:
    """Sets whether a parameter is swapped with its converted tensor, also by `load_state_dict`.

    The tensor to load comes from `parameter.module_load(value)`, which a subclass of Tensor may override.
    """
    _params_on_conversion.swap = value


def get_swap_module_params_on_conversion() -> bool:
    """Returns whether a parameter is swapped with its converted tensor; False by default."""
    return _params_on_conversion.swap
