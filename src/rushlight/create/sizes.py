"""Reads sizes as programs write them: separate integers, one sequence, or the keyword `size`."""

from __future__ import annotations

from importlib import import_module

import numpy as np

from rushlight.arrays.size_limits import LIMIT
from rushlight.core.tensor import Tensor
from rushlight.dispatch.message import type_name


def parse_size(name: str, sizes: tuple | list, size=None) -> tuple:
    """Returns the size that the function `name` got: separate integers, one sequence, or the keyword `size`.

    Raises TypeError for anything but integers, RuntimeError for negative ones.
    """
    if size is None and sizes:
        lengths = sizes[0] if len(sizes) == 1 and isinstance(sizes[0], (tuple, list)) else sizes
        for length in lengths:
            if type(length) is not int or not 0 <= length < LIMIT:
                break
        else:
            return tuple(lengths)
    if size is not None:
        if sizes:
            raise TypeError(f"{name}() got multiple values for argument 'size'")
        sizes = check_sequence(name, size, "")
    elif not sizes:
        raise TypeError(f'{name}() missing 1 required positional arguments: "size"')
    elif len(sizes) == 1 and isinstance(sizes[0], (tuple, list)):
        sizes = sizes[0]
    elif isinstance(sizes[0], bool) and len(sizes) == 1:
        raise size_error(name, sizes[0])
    else:
        return size_tuple(name, sizes, together=False)
    return size_tuple(name, sizes)


def check_sequence(name: str, size, position: str = " (position 1)") -> tuple | list:
    """Returns a size that must be one sequence. Raises TypeError if it is not."""
    if not isinstance(size, (tuple, list)):
        raise size_error(name, size, position)
    return size


def size_error(name: str, size, position: str = " (position 1)") -> TypeError:
    """Returns the error for an argument that is not a size."""
    return TypeError(f"{name}(): argument 'size'{position} must be tuple of ints, not {type_name(size)}")


def size_tuple(name: str, sizes, *, together: bool = True) -> tuple:
    """Returns a size as Python integers. Raises if one is negative, too large or no integer.

    `together` says whether the call has one sequence or separate integers, which changes the error.
    """
    for length in sizes:
        if type(length) is not int or not 0 <= length < LIMIT:
            break
    else:
        return tuple(sizes)
    size = tuple(
        length if type(length) is int else _length(name, index, length, sizes, together)
        for index, length in enumerate(sizes)
    )
    if size and min(size) < 0:
        raise _negative(name, size)
    if size and max(size) >= LIMIT:
        raise import_module("rushlight.dispatch.argument_errors").unpacking(name, "size", size)
    return size


def _length(name: str, index: int, value, sizes, together: bool) -> int:
    integer = isinstance(value, (int, np.integer)) or (
        isinstance(value, np.ndarray) and not value.ndim and value.dtype.kind in "iu"
    )
    if integer or (isinstance(value, Tensor) and value.numel() == 1 and not value.is_floating_point()):
        return int(value)
    if together and not index:
        raise TypeError(
            f"{name}(): argument 'size' (position 1) must be tuple of ints, but found element of type "
            f"{type_name(value)} at pos 0"
        )
    if len(sizes) == 1 and not together:
        raise size_error(name, value)
    raise import_module("rushlight.dispatch.argument_errors").several_numbers(name, "size", sizes)


def _negative(name: str, size: tuple) -> RuntimeError:
    if name == "zeros":
        return RuntimeError("zeros: Dimension size must be non-negative.")
    first = next(length for length in size if length < 0)
    return RuntimeError(f"Trying to create tensor with negative dimension {first}: {list(size)}")
