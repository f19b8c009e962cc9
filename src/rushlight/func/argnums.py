"""Which arguments of a function are differentiated: `argnums`, one position or several, from the end if negative."""

from __future__ import annotations

from typing import Any


def selected(args: tuple, argnums: int | tuple[int, ...]) -> Any:
    """Returns the argument at a position, or a tuple of those at several. Raises RuntimeError if there are none."""
    if not isinstance(argnums, (int, tuple)):
        raise RuntimeError(f"argnums must be int or Tuple[int, ...], got: {type(argnums)}")
    if isinstance(argnums, int):
        return args[position(argnums, len(args))]
    positions = [position(each, len(args)) for each in argnums]
    if not positions:
        raise RuntimeError("argnums must be non-empty")
    if len(set(positions)) != len(positions):
        raise RuntimeError(f"argnums elements must be unique, got {tuple(positions)}")
    return tuple([args[each] for each in positions])


def selected_tuple(args: tuple, argnums: int | tuple[int, ...], as_tuple: bool = True) -> Any:
    """The same, as a tuple also for one position unless `as_tuple` is False."""
    chosen = selected(args, argnums)
    return (chosen,) if as_tuple and isinstance(argnums, int) else chosen


def position(argnum: Any, count: int) -> int:
    """Returns a position counted from the start. Raises RuntimeError if there is no such argument."""
    if not isinstance(argnum, int):
        raise RuntimeError(f"argnum must be int, got: {type(argnum)}")
    if not -count <= argnum < count:
        raise RuntimeError(f"Got argnum={argnum}, but only {count} positional inputs")
    return argnum % count


def replaced(args: tuple, argnums: int | tuple[int, ...], new: Any) -> tuple:
    """Returns all arguments, with others in the selected positions: the inverse of `selected`."""
    result = list(args)
    if isinstance(argnums, int):
        result[argnums] = new
    else:
        for each, value in zip(argnums, new, strict=True):
            result[each] = value
    return tuple(result)
