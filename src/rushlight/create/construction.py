"""Used by all constructors: dtype and options of a call, and a tensor on a new array or in `out`."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from rushlight.core.device import BACKENDS, CAPTURING, CPU, as_device
from rushlight.core.dtype import SCALAR_NAMES
from rushlight.core.tables import xp
from rushlight.core.tensor import Tensor, wrap
from rushlight.declarations.promote import as_dtype
from rushlight.dispatch.message import type_name
from rushlight.dispatch.out import fill, prepare


def check_options(name: str, requires_grad, out=None) -> None:
    """Raises TypeError unless `requires_grad` is a bool and `out` a tensor or None."""
    if requires_grad and requires_grad is not True:
        raise TypeError(f"{name}(): argument 'requires_grad' must be bool, not {type_name(requires_grad)}")
    if out is not None and not isinstance(out, Tensor):
        raise TypeError(f"{name}(): argument 'out' must be Tensor, not {type_name(out)}")


def dtype_for(name: str, dtype, out, default):
    """Returns the dtype of the result of the function `name`: `dtype` if given, else that of `out`, else `default`."""
    requested = as_dtype(name, dtype)
    if out is None:
        return requested or default
    check_options(name, False, out)
    if requested not in (None, out.dtype):
        names = SCALAR_NAMES[requested], SCALAR_NAMES[out.dtype]
        raise RuntimeError("dtype {} does not match dtype of out parameter ({})".format(*names))
    return out.dtype


def from_array(array, *, dtype=None, device=None, requires_grad=False) -> Tensor:
    """Returns a tensor on a new array, cast to `dtype` and moved to `device`."""
    if dtype is not None and array.dtype != dtype.numpy:
        array = xp.cast(array, dtype.numpy)
    device = as_device(device)
    if device is not CPU and device.type != "cpu":
        values, array = array, BACKENDS.on(device).from_cpu(array, device)
        if CAPTURING and device.type == "cuda":
            CAPTURING[-1].wrote(array, values)
    return wrap_array(array, requires_grad)


def from_draw(draw: Callable[[], np.ndarray], device=None, requires_grad=False) -> Tensor:
    """Returns a tensor with what `draw()` returns, moved to `device`; each replay of a captured graph draws again."""
    array = draw()
    if type(array) is np.ndarray:
        tensor = from_array(array, device=device, requires_grad=requires_grad)
    else:  # a kernel of the device has filled it
        tensor = wrap_array(array, requires_grad)
    if CAPTURING and tensor.is_cuda:
        CAPTURING[-1].filled(tensor._array, draw)
    return tensor


def wrap_array(array, requires_grad=False) -> Tensor:
    """Returns a tensor on an array of its own device."""
    tensor = wrap(array)
    if requires_grad:
        tensor._become_leaf()
    return tensor


def resize_out(name: str, out: Tensor, size: tuple, device=None, *, counted: bool = False) -> Tensor:
    """Resizes `out` for the result of the function `name`, and returns it.

    If `counted`, `out` keeps its shape when it has the right number of elements.
    """
    if device is not None and (requested := as_device(device)).type != out.device.type:
        types = f"device type {requested.type} does not match device type of out parameter ({out.device.type})"
        raise RuntimeError(types)
    prepare(out, f"aten::{name}", size, counted=counted)
    return out


def make_or_fill(
    name: str, array, *, out, dtype=None, device=None, requires_grad=False, counted: bool = False
) -> Tensor:
    """Returns a tensor on a new array, or `out` with the values of the array."""
    if out is None:
        return from_array(array, dtype=dtype, device=device, requires_grad=requires_grad)
    resize_out(name, out, array.shape, device, counted=counted)
    array = array if array.dtype == out.dtype.numpy else xp.cast(array, out.dtype.numpy)
    device = out.device
    array = array if device.type == "cpu" else BACKENDS.on(device).from_cpu(array, device)
    fill(out, array.reshape(tuple(out.shape)))
    return out._require_grad() if requires_grad else out
