"""What all functions that make tensors share: sizes as they are given, and a tensor on a fresh array."""

from __future__ import annotations

from rushlight.core.device import BACKENDS, CPU, as_device
from rushlight.core.dtype import SCALAR_NAMES
from rushlight.core.tables import xp
from rushlight.core.tensor import Tensor, wrap
from rushlight.declarations.promote import as_dtype
from rushlight.dispatch.message import type_name
from rushlight.dispatch.out import fill, prepare


def check_made(name: str, requires_grad, out=None) -> None:
    """Raises TypeError for something else in the place of a truth or of a tensor to write to."""
    if requires_grad and requires_grad is not True:
        raise TypeError(f"{name}(): argument 'requires_grad' must be bool, not {type_name(requires_grad)}")
    if out is not None and not isinstance(out, Tensor):
        raise TypeError(f"{name}(): argument 'out' must be Tensor, not {type_name(out)}")


def kind_of(name: str, dtype, out, default):
    """The dtype that the function `name` makes a tensor of: what is asked for, else that of `out`, else the default."""
    asked = as_dtype(name, dtype)
    if out is None:
        return asked or default
    check_made(name, False, out)
    if asked not in (None, out.dtype):
        names = SCALAR_NAMES[asked], SCALAR_NAMES[out.dtype]
        raise RuntimeError("dtype {} does not match dtype of out parameter ({})".format(*names))
    return out.dtype


def made(array, *, dtype=None, device=None, requires_grad=False) -> Tensor:
    """A tensor on a fresh array, put on its device and marked."""
    if dtype is not None and array.dtype != dtype.numpy:
        array = xp.cast(array, dtype.numpy)
    place = as_device(device)
    if place is not CPU and place.type != "cpu":
        array = BACKENDS.on(place).from_cpu(array, place)
    return made_on(array, requires_grad)


def made_on(array, requires_grad=False) -> Tensor:
    """A tensor on an array that is on its device already."""
    tensor = wrap(array)
    if requires_grad:
        tensor._become_leaf()
    return tensor


def prepared(name: str, out: Tensor, size: tuple, device=None, *, counted: bool = False) -> Tensor:
    """`out` in the size of what the function `name` is going to fill it with.

    A function that counts its elements is content with another shape of as many.
    """
    if device is not None and (place := as_device(device)).type != out.device.type:
        kinds = f"device type {place.type} does not match device type of out parameter ({out.device.type})"
        raise RuntimeError(kinds)
    prepare(out, f"aten::{name}", size, counted=counted)
    return out


def made_in(name: str, array, *, out, dtype=None, device=None, requires_grad=False, counted: bool = False) -> Tensor:
    """`made`, or the numbers in `out` if that is given."""
    if out is None:
        return made(array, dtype=dtype, device=device, requires_grad=requires_grad)
    prepared(name, out, array.shape, device, counted=counted)
    array = array if array.dtype == out.dtype.numpy else xp.cast(array, out.dtype.numpy)
    place = out.device
    array = array if place.type == "cpu" else BACKENDS.on(place).from_cpu(array, place)
    fill(out, array.reshape(tuple(out.shape)))
    return out.requires_grad_() if requires_grad else out
