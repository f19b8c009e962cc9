"""Small functions on shapes and dimensions that declarations share."""

from __future__ import annotations


def wrapped(dim: int, rank: int) -> int:
    """A dimension counted from the front. Raises IndexError if there is none, in PyTorch's words."""
    low, high = (-rank, rank - 1) if rank else (-1, 0)
    if not low <= dim <= high:
        raise IndexError(f"Dimension out of range (expected to be in range of [{low}, {high}], but got {dim})")
    return dim + rank if dim < 0 else dim


def dims(dim, rank: int):
    """The axes that `dim` names, as NumPy wants them: None for all."""
    if dim is None:
        return None
    if isinstance(dim, (tuple, list)):
        if not dim:
            return None
        found = tuple(wrapped(each, rank) for each in dim)
        if len(set(found)) != len(found):
            double = next(each for each in found if found.count(each) > 1)
            raise RuntimeError(f"dim {double} appears multiple times in the list of dims")
        return found if rank else ()
    return wrapped(dim, rank) if rank else ()


def kept(shape: tuple, dim) -> tuple:
    """The shape after a reduction over `dim` that keeps the dimensions."""
    axes = dims(dim, len(shape))
    if axes is None:
        return (1,) * len(shape)
    axes = axes if isinstance(axes, tuple) else (axes,)
    return tuple(1 if position in axes else length for position, length in enumerate(shape))


def sizes(arguments: tuple) -> tuple:
    """A shape given as one sequence or as several numbers."""
    if len(arguments) == 1 and isinstance(arguments[0], (tuple, list)):
        arguments = arguments[0]
    return tuple(int(each) for each in arguments)
