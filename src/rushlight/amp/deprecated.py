"""Names of autocast functions for one device type, from before they took `device_type`. Each warns.

https://docs.pytorch.org/docs/stable/amp.html
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

from rushlight.dispatch.autocast import (
    get_autocast_dtype,
    is_autocast_enabled,
    set_autocast_dtype,
    set_autocast_enabled,
)

__all__ = [
    "get_autocast_cpu_dtype", "get_autocast_gpu_dtype", "get_autocast_ipu_dtype", "get_autocast_xla_dtype",
    "is_autocast_cpu_enabled", "is_autocast_ipu_enabled", "is_autocast_xla_enabled", "set_autocast_cpu_dtype",
    "set_autocast_cpu_enabled", "set_autocast_gpu_dtype", "set_autocast_ipu_dtype", "set_autocast_ipu_enabled",
    "set_autocast_xla_dtype", "set_autocast_xla_enabled",
]  # fmt: skip


def deprecated_getter(name: str, device_type: str, function: Callable[[str], Any]) -> Callable[[], Any]:
    """Returns a function named `name` that warns and calls `function(device_type)`."""

    def old() -> Any:
        _warn(f"torch.{name}()", f"torch.{function.__name__}('{device_type}')")
        return function(device_type)

    return with_name(
        old, name, f"`torch.{function.__name__}('{device_type}')`, by its older name. Warns that it is deprecated."
    )


def deprecated_setter(
    name: str, device_type: str, argument: str, function: Callable[[str, Any], None]
) -> Callable[[Any], None]:
    """Returns a function named `name` that warns and calls `function(device_type, value)`."""

    def old(value: Any) -> None:
        _warn(f"torch.{name}({argument})", f"torch.{function.__name__}('{device_type}', {argument})")
        function(device_type, value)

    doc = f"`torch.{function.__name__}('{device_type}', {argument})`, by its older name. Warns that it is deprecated."
    return with_name(old, name, doc)


def with_name(function: Callable, name: str, doc: str) -> Callable:
    function.__name__ = function.__qualname__ = name
    function.__doc__ = doc
    return function


def _warn(old: str, new: str) -> None:
    warnings.warn(f"{old} is deprecated. Please use {new} instead.", DeprecationWarning, stacklevel=3)


get_autocast_cpu_dtype = deprecated_getter("get_autocast_cpu_dtype", "cpu", get_autocast_dtype)
get_autocast_gpu_dtype = deprecated_getter("get_autocast_gpu_dtype", "cuda", get_autocast_dtype)
get_autocast_ipu_dtype = deprecated_getter("get_autocast_ipu_dtype", "ipu", get_autocast_dtype)
get_autocast_xla_dtype = deprecated_getter("get_autocast_xla_dtype", "xla", get_autocast_dtype)
is_autocast_cpu_enabled = deprecated_getter("is_autocast_cpu_enabled", "cpu", is_autocast_enabled)
is_autocast_ipu_enabled = deprecated_getter("is_autocast_ipu_enabled", "ipu", is_autocast_enabled)
is_autocast_xla_enabled = deprecated_getter("is_autocast_xla_enabled", "xla", is_autocast_enabled)
set_autocast_cpu_dtype = deprecated_setter("set_autocast_cpu_dtype", "cpu", "dtype", set_autocast_dtype)
set_autocast_gpu_dtype = deprecated_setter("set_autocast_gpu_dtype", "cuda", "dtype", set_autocast_dtype)
set_autocast_ipu_dtype = deprecated_setter("set_autocast_ipu_dtype", "ipu", "dtype", set_autocast_dtype)
set_autocast_xla_dtype = deprecated_setter("set_autocast_xla_dtype", "xla", "dtype", set_autocast_dtype)
set_autocast_cpu_enabled = deprecated_setter("set_autocast_cpu_enabled", "cpu", "enabled", set_autocast_enabled)
set_autocast_ipu_enabled = deprecated_setter("set_autocast_ipu_enabled", "ipu", "enabled", set_autocast_enabled)
set_autocast_xla_enabled = deprecated_setter("set_autocast_xla_enabled", "xla", "enabled", set_autocast_enabled)
