"""What all functions that make tensors share: sizes as they are given, and a tensor on a fresh array."""

from __future__ import annotations

from importlib import import_module

import numpy as np

from rushlight.arrays.room import LIMIT
from rushlight.core.device import BACKENDS, CPU, as_device
from rushlight.core.dtype import SCALAR_NAMES
from rushlight.core.tables import xp
from rushlight.core.tensor import Tensor, wrap
from rushlight.declarations.promote import as_dtype
from rushlight.dispatch.message import type_name
from rushlight.dispatch.out import fill, prepare


def size_of(name: str, sizes: tuple | list, size=None) -> tuple:
    """The size that the function `name` was given: separate numbers, one sequence, or the keyword `size`.

    Raises TypeError for anything but whole numbers, RuntimeError for negative ones.
    """
    if size is None and sizes:
        given = sizes[0] if len(sizes) == 1 and isinstance(sizes[0], (tuple, list)) else sizes
        for each in given:
            if type(each) is not int or not 0 <= each < LIMIT:
                break
        else:
            return tuple(given)
    if size is not None:
        if sizes:
            raise TypeError(f"{name}() got multiple values for argument 'size'")
        sizes = sequence_size(name, size, "")
    elif not sizes:
        raise TypeError(f'{name}() missing 1 required positional arguments: "size"')
    elif len(sizes) == 1 and isinstance(sizes[0], (tuple, list)):
        sizes = sizes[0]
    elif isinstance(sizes[0], bool) and len(sizes) == 1:
        raise not_a_size(name, sizes[0])
    else:
        return lengths(name, sizes, together=False)
    return lengths(name, sizes)


def sequence_size(name: str, size, position: str = " (position 1)") -> tuple | list:
    """A size that must be given as one sequence."""
    if not isinstance(size, (tuple, list)):
        raise not_a_size(name, size, position)
    return size


def not_a_size(name: str, size, position: str = " (position 1)") -> TypeError:
    """Something that is given as a size and is none."""
    return TypeError(f"{name}(): argument 'size'{position} must be tuple of ints, not {type_name(size)}")


def lengths(name: str, sizes, *, together: bool = True) -> tuple:
    """The numbers of a size, given `together` or one by one, as Python integers, none of them negative."""
    for each in sizes:
        if type(each) is not int or not 0 <= each < LIMIT:
            break
    else:
        return tuple(sizes)
    found = tuple(
        each if type(each) is int else _length(name, place, each, sizes, together) for place, each in enumerate(sizes)
    )
    if found and min(found) < 0:
        raise _negative(name, found)
    if found and max(found) >= LIMIT:
        raise import_module("rushlight.dispatch.argument_errors").unpacking(name, "size", found)
    return found


def _length(name: str, place: int, value, sizes, together: bool) -> int:
    whole = isinstance(value, (int, np.integer)) or (
        isinstance(value, np.ndarray) and not value.ndim and value.dtype.kind in "iu"
    )
    if whole or (isinstance(value, Tensor) and value.numel() == 1 and not value.is_floating_point()):
        return int(value)
    if together and not place:
        raise TypeError(
            f"{name}(): argument 'size' (position 1) must be tuple of ints, but found element of type "
            f"{type_name(value)} at pos 0"
        )
    if len(sizes) == 1 and not together:
        raise not_a_size(name, value)
    raise import_module("rushlight.dispatch.argument_errors").several_numbers(name, "size", sizes)


def _negative(name: str, size: tuple) -> RuntimeError:
    if name == "zeros":
        return RuntimeError("zeros: Dimension size must be non-negative.")
    first = next(each for each in size if each < 0)
    return RuntimeError(f"Trying to create tensor with negative dimension {first}: {list(size)}")


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
