"""Sizes as programs write them: separate integers, one sequence, or the keyword `size`."""

from __future__ import annotations

from importlib import import_module

import numpy as np

from rushlight.arrays.room import LIMIT
from rushlight.core.tensor import Tensor
from rushlight.dispatch.message import type_name


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
