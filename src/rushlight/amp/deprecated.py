"""Names of autocast for one kind of device each, from before the functions took `device_type`. Each warns.

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


def asks(name: str, kind: str, function: Callable[[str], Any]) -> Callable[[], Any]:
    """`function(kind)` under the name of old."""

    def old() -> Any:
        _warn(f"torch.{name}()", f"torch.{function.__name__}('{kind}')")
        return function(kind)

    return named(old, name, f"`torch.{function.__name__}('{kind}')`, by its older name. Warns that it is deprecated.")


def sets(name: str, kind: str, argument: str, function: Callable[[str, Any], None]) -> Callable[[Any], None]:
    """`function(kind, value)` under the name of old."""

    def old(value: Any) -> None:
        _warn(f"torch.{name}({argument})", f"torch.{function.__name__}('{kind}', {argument})")
        function(kind, value)

    said = f"`torch.{function.__name__}('{kind}', {argument})`, by its older name. Warns that it is deprecated."
    return named(old, name, said)


def named(function: Callable, name: str, doc: str) -> Callable:
    function.__name__ = function.__qualname__ = name
    function.__doc__ = doc
    return function


def _warn(old: str, new: str) -> None:
    warnings.warn(f"{old} is deprecated. Please use {new} instead.", DeprecationWarning, stacklevel=3)


get_autocast_cpu_dtype = asks("get_autocast_cpu_dtype", "cpu", get_autocast_dtype)
get_autocast_gpu_dtype = asks("get_autocast_gpu_dtype", "cuda", get_autocast_dtype)
get_autocast_ipu_dtype = asks("get_autocast_ipu_dtype", "ipu", get_autocast_dtype)
get_autocast_xla_dtype = asks("get_autocast_xla_dtype", "xla", get_autocast_dtype)
is_autocast_cpu_enabled = asks("is_autocast_cpu_enabled", "cpu", is_autocast_enabled)
is_autocast_ipu_enabled = asks("is_autocast_ipu_enabled", "ipu", is_autocast_enabled)
is_autocast_xla_enabled = asks("is_autocast_xla_enabled", "xla", is_autocast_enabled)
set_autocast_cpu_dtype = sets("set_autocast_cpu_dtype", "cpu", "dtype", set_autocast_dtype)
set_autocast_gpu_dtype = sets("set_autocast_gpu_dtype", "cuda", "dtype", set_autocast_dtype)
set_autocast_ipu_dtype = sets("set_autocast_ipu_dtype", "ipu", "dtype", set_autocast_dtype)
set_autocast_xla_dtype = sets("set_autocast_xla_dtype", "xla", "dtype", set_autocast_dtype)
set_autocast_cpu_enabled = sets("set_autocast_cpu_enabled", "cpu", "enabled", set_autocast_enabled)
set_autocast_ipu_enabled = sets("set_autocast_ipu_enabled", "ipu", "enabled", set_autocast_enabled)
set_autocast_xla_enabled = sets("set_autocast_xla_enabled", "xla", "enabled", set_autocast_enabled)
