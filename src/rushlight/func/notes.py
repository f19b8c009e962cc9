"""Notes that an exception gets when it leaves a transform: which one, of what, on which inputs, and the program's line.

There is no cost until an error. Each transform adds a note, innermost first, and the first one has the line.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from rushlight.core.errors import about, is_about
from rushlight.core.modes import TRANSFORMS
from rushlight.core.origin import here
from rushlight.core.tensor import Tensor
from rushlight.core.tracebacks import is_raised_by_us, last_place
from rushlight.utils._pytree import keystr, tree_flatten_with_path

KINDS = (RuntimeError, ValueError, IndexError, TypeError)  # errors about tensors
MOST = 6  # inputs that are listed
NOTED = "_left_a_transform"
DRAW_OR_NOT = (
    'Under vmap, randomness="different" draws for each sample, and randomness="same" once for all: '
    'vmap(f, randomness="different").'
)


def leaves_vmap(error: Exception, level, func: Callable, in_dims: Any, dims: list, args: tuple) -> None:
    """Notes on an exception that it has left a `vmap`; `dims` are the dimensions of the batch, one for each leaf."""
    if is_about(error, "randomness") and error.about.facts["level"] == level.number:  # type: ignore[attr-defined]
        about(error, "randomness", DRAW_OR_NOT, level=level.number, place=here())
    if wants_note(error):
        rows = zip(leaves_of(func, args), dims, strict=True)
        lines = [f"{name} {batched_words(value, dim)}" for (_, name, value), dim in rows]
        add(error, f"vmap of {spoken(func)} over {level.size} samples with in_dims={in_dims}", lines)


def leaves_derivative(error: Exception, transform: str, func: Callable, args: tuple, argnums: Any) -> None:
    """Notes on an exception that it has left a `grad`, `vjp` or `jvp` by the arguments at `argnums` (None: by all)."""
    if wants_note(error):
        chosen = range(len(args)) if argnums is None else (argnums,) if isinstance(argnums, int) else argnums
        positions = {position % len(args) for position in chosen}
        rows = [(place, name, value) for place, name, value in leaves_of(func, args) if isinstance(value, Tensor)]
        lines = [
            f"{name} {shape_of(value)}{'' if position in positions else ', a constant'}"
            for position, name, value in rows
        ]
        add(error, f"{transform} of {spoken(func)}", lines)


def sizes_differ(error: Exception, func: Callable, in_dims: Any, dims: list, args: tuple) -> None:
    """Notes the inputs on an exception about their numbers of samples, and which could be shared by all samples."""
    rows = [(place, name, value, dim) for (place, name, value), dim in zip(leaves_of(func, args), dims, strict=True)]
    lines = [f"{name} {batched_words(value, dim)}" for _, name, value, dim in rows]
    batched = [(value.dim(), value.size(dim), place) for place, _, value, dim in rows if dim is not None]
    if len(batched) < 2:
        return
    size = max(batched)[1]  # samples rather have more dimensions and are more than what they share
    shared = sorted({place for _, count, place in batched if count != size})
    by_position = {place: dim for place, _, _, dim in rows}
    suggested = tuple([None if place in shared else by_position.get(place) for place in range(len(args))])
    words = " and ".join([root_of(func, place) for place in shared])
    if any(dim is not None for dim in suggested):
        about(error, "in_dims", "An input that all samples share has None in `in_dims`.", place=here(), dims=suggested,
              shared=words)  # fmt: skip
    error.add_note("\n  ".join([f"in vmap of {spoken(func)} with in_dims={in_dims}:", *lines[:MOST]]))


def wants_note(error: Exception) -> bool:
    """Whether an exception is about tensors: those that the program itself raised are not."""
    return isinstance(error, KINDS) and (NOTED in vars(error) or is_raised_by_us(error))


def add(error: Exception, title: str, lines: list[str]) -> None:
    """Adds a note. The first one says on which line of the program the exception was raised."""
    text = f"in level {TRANSFORMS.get()}, {title}"
    if NOTED not in vars(error):
        vars(error)[NOTED] = True
        text += f", at {last_place(error) or here()}"
    hidden = len(lines) - MOST
    lines = lines if hidden <= 1 else [*lines[:MOST], f"and {hidden} more"]
    error.add_note("\n  ".join([f"{text}{':' if lines else '.'}", *lines]))


# ---- words


def batched_words(value: Any, dim: int | None) -> str:
    """Returns what an input of a `vmap` is."""
    if not isinstance(value, Tensor):
        return f"is {type(value).__name__}, the same for all samples"
    if dim is None:
        return f"{shape_of(value)}, the same for all samples"
    shape = tuple(value.shape)
    return f"{shape_of(value)}, with the samples along dimension {dim}: one has shape {shape[:dim] + shape[dim + 1 :]}"


def shape_of(value: Tensor) -> str:
    """Returns the shape of a tensor, as part of a sentence."""
    return f"has shape {tuple(value.shape)}"


def spoken(func: Callable) -> str:
    """Returns the name of a function in backquotes."""
    name = getattr(unwrapped(func), "__name__", type(func).__name__)
    return "a lambda" if name == "<lambda>" else f"`{name}`"


def unwrapped(func: Any) -> Any:
    """Returns the function behind transforms and partial functions without arguments."""
    while hasattr(func, "__wrapped__"):
        func = func.__wrapped__
    return func


def leaves_of(func: Callable, args: tuple) -> Iterator[tuple[int, str, Any]]:
    """Yields (position of the argument, name, value) of each leaf of the arguments: "`parameters['weight']`"."""
    for position, value in enumerate(args):
        root = root_of(func, position)
        for path, leaf in tree_flatten_with_path(value)[0]:
            yield position, f"{root[:-1]}{keystr(path)}`", leaf


def root_of(func: Callable, position: int) -> str:
    """Returns the name of an argument in backquotes."""
    names = parameters_of(func)
    return f"`{names[position]}`" if position < len(names) else f"`args[{position}]`"


def parameters_of(func: Callable) -> tuple[str, ...]:
    """Returns the names of the positional parameters of a function; none if it is not written in Python."""
    func = unwrapped(func)
    code = getattr(func, "__code__", None)
    if code is None:
        return ()
    return code.co_varnames[bool(getattr(func, "__self__", None)) : code.co_argcount]
