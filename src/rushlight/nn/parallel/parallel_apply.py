"""Calls modules on one GPU each. There is one GPU: they are called one after the other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rushlight import cuda
from rushlight.core.device import device as Device
from rushlight.core.tensor import Tensor

from ..modules.module import Module

__all__ = ["get_a_var", "parallel_apply"]


def parallel_apply(
    modules: Sequence[Module],
    inputs: Sequence[Any],
    kwargs_tup: Sequence[dict[str, Any]] | None = None,
    devices: Sequence[int | Device | None] | None = None,
) -> list[Any]:
    """Returns the result of each module on its inputs: a tuple of arguments, or a single one.

    Raises RuntimeError without a GPU, and AssertionError for lists of different lengths.
    """
    kwargs_tup = [{}] * len(modules) if kwargs_tup is None else kwargs_tup
    devices = [None] * len(modules) if devices is None else devices
    for name, args in (("inputs", inputs), ("kwargs_tup", kwargs_tup), ("devices", devices)):
        if len(args) != len(modules):
            raise AssertionError(
                f"The number of modules {len(modules)} is not equal to the number of {name} {len(args)}"
            )
    if not cuda.is_available():
        raise RuntimeError("Cannot access accelerator device when none is available.")
    calls = zip(modules, inputs, kwargs_tup, strict=True)
    return [module(*(args if isinstance(args, list | tuple) else (args,)), **kwargs) for module, args, kwargs in calls]


def get_a_var(obj: Any) -> Tensor | None:
    """Returns a tensor contained in lists, tuples and dicts; None if there is none."""
    if isinstance(obj, Tensor):
        return obj
    inside = obj.items() if isinstance(obj, dict) else obj if isinstance(obj, list | tuple) else ()
    return next((tensor for tensor in map(get_a_var, inside) if tensor is not None), None)
