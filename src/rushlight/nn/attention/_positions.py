"""Functions of one position of a matrix of scores, computed for all positions at once.

A program writes what happens to the score of one query and one key, with numbers as arguments:

    def score_mod(score, b, h, q_idx, kv_idx):
        return torch.where(q_idx >= kv_idx, score + bias[h, q_idx - kv_idx], -float("inf"))

Here each of these numbers is an `Each`: a tensor whose first four dimensions are (batch, head, query, key), of length 1
where it does not depend on one of them. What the program sees of it has the dimensions behind these only: none at
first. While the function runs every operation comes here. Functions of single numbers broadcast, an index with such
numbers takes an element for each position, sums go over the dimensions that the program sees; anything else is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from rushlight._generated import functions as F
from rushlight.core.errors import noted
from rushlight.core.modes import MODE, change, current
from rushlight.core.size import Size
from rushlight.core.tensor import Tensor
from rushlight.create.ranges import arange
from rushlight.declarations.declare import OPS

POSITIONS = 4  # batch, head, query, key

# Beside what is declared as elementwise.
OF_SINGLE_NUMBERS = frozenset((
    "abs", "clamp", "clip", "clone", "div", "divide", "full_like", "heaviside", "lerp", "masked_fill", "ones_like",
    "rand_like", "to_copy", "where", "zeros_like",
))  # fmt: skip
OVER_DIMENSIONS = frozenset(("all", "amax", "amin", "any", "mean", "prod", "sum"))


class Each(Tensor):
    """A number for each position, or a tensor for each of them, whose shape is what the program sees."""

    @property
    def shape(self) -> Size:  # type: ignore[override]
        return Size(self._array.shape[POSITIONS:])

    def size(self, dim: int | None = None):  # type: ignore[override]
        return self.shape if dim is None else self.shape[dim]

    @property
    def ndim(self) -> int:  # type: ignore[override]
        return len(self.shape)

    dim = ndimension = lambda self: len(self.shape)

    def __bool__(self) -> bool:
        raise noted(
            RuntimeError(
                "vmap: It looks like you're attempting to use a Tensor in some data-dependent control flow. We don't "
                "support that yet, please shout over at https://github.com/pytorch/functorch/issues/257 ."
            ),
            "Write torch.where(condition, a, b): the function is computed for all positions at once.",
        )


def for_each(function: Callable, *numbers: Tensor) -> Tensor:
    """The results of a function of single numbers, for each element of these tensors of four dimensions."""
    with seeing_everything():
        result = function(*(each.as_subclass(Each) for each in numbers))
    if not isinstance(result, Tensor):
        raise ValueError(f"{function.__name__}: a tensor is to be returned, got {type(result).__name__}")
    if result.shape != ():
        raise noted(
            ValueError(f"The result for one position has the shape {tuple(result.shape)}, not ()"),
            "score_mod and mask_mod return one number for one position.",
        )
    return result.as_subclass(Tensor) if isinstance(result, Each) else result


@contextmanager
def seeing_everything() -> Iterator[None]:
    token = change(function_modes=(*current().function_modes, AtPositions()))
    try:
        yield
    finally:
        MODE.reset(token)


class AtPositions:
    """What takes every operation while a function of single numbers runs."""

    def __torch_function__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        given = [each for each in (*flat(args), *flat(kwargs.values())) if isinstance(each, Each)]
        if not given:
            return func(*args, **kwargs)
        name = func.__name__
        if name == "getitem":
            return element(*args)
        if name in OVER_DIMENSIONS:
            return over_dimensions(func, *args, **kwargs)
        if name.startswith("new_"):  # which asks for the dtype and the device alone
            return func(args[0].as_subclass(Tensor), *args[1:], **kwargs)
        if is_of_single_numbers(name):
            rank = max(each.ndim for each in (*flat(args), *flat(kwargs.values())) if isinstance(each, Tensor))
            aligned = [widened(each, rank) for each in args]
            result = func(*aligned, **{key: widened(value, rank) for key, value in kwargs.items()})
            return result.as_subclass(Each)
        raise noted(
            NotImplementedError(f"flex_attention: {name} is no function of single numbers"),
            "score_mod and mask_mod may use functions of single numbers, indices, and sums over what an index gives.",
        )


def is_of_single_numbers(name: str) -> bool:
    """Whether an operation computes each element from those at the same place."""
    if name.startswith("operator_"):  # a sign of Python
        return "matmul" not in name
    declared = OPS.get(name)
    return name in OF_SINGLE_NUMBERS or (declared is not None and declared.kind == "elementwise")


def flat(values) -> Iterator:
    for each in values:
        if isinstance(each, list | tuple):
            yield from flat(each)
        else:
            yield each


def widened(value: Any, rank: int) -> Any:
    """An operand as a plain tensor with dimensions for positions, and so many behind them; what is none as it is."""
    if not isinstance(value, Tensor):
        return value
    if not isinstance(value, Each):
        return value  # its dimensions are the last ones already
    plain = value.as_subclass(Tensor)
    seen = plain.shape[POSITIONS:]
    return plain.reshape(plain.shape[:POSITIONS] + (1,) * (rank - len(seen)) + seen) if len(seen) < rank else plain


def over_dimensions(func, input: Each, dim=None, *args, **kwargs):
    """A sum, or the like, over dimensions that the program sees."""
    rank = input.ndim
    dims = tuple(range(rank)) if dim is None else (dim,) if isinstance(dim, int) else tuple(dim)
    plain = input.as_subclass(Tensor)
    if not rank:  # of one number, which is its own sum
        plain, dims = plain.unsqueeze(-1), (0,)
    for each in sorted((POSITIONS + each % max(rank, 1) for each in dims), reverse=True):
        plain = func(plain, each, *args, **kwargs)
    return plain.as_subclass(Each)


def element(source: Tensor, index: Any) -> Each:
    """`source[index]` for each position."""
    index = index if isinstance(index, tuple) else (index,)
    if any(isinstance(each, Each) and each.ndim for each in index):
        raise NotImplementedError("flex_attention: an index is to be a number for each position, not several")
    plain, index = placed(source, index)
    numbers = [each.as_subclass(Tensor) for each in index if isinstance(each, Each)]
    if not numbers:
        return plain[index].as_subclass(Each)
    # First what needs no numbers: each of these takes a dimension as it is, which then comes to the front.
    taken = plain[tuple(slice(None) if isinstance(each, Each) else each for each in index)]
    dims = dimensions_of(index)
    front = list(range(POSITIONS)) if isinstance(source, Each) else []
    lanes = [own_position(each, taken.shape[each]) for each in front]
    moved = F.movedim(taken, [*front, *dims], list(range(len(front) + len(dims))))
    return moved[(*lanes, *numbers)].as_subclass(Each)


def placed(source: Tensor, index: tuple) -> tuple[Tensor, tuple]:
    """The plain tensor, and the index with all its dimensions written out."""
    plain = source.as_subclass(Tensor) if isinstance(source, Each) else source
    used = sum(1 for each in index if each is not None and each is not Ellipsis)
    rest = (slice(None),) * (source.ndim - used)
    if any(each is Ellipsis for each in index):
        at = next(i for i, each in enumerate(index) if each is Ellipsis)
        index = (*index[:at], *rest, *index[at + 1 :])
    else:
        index = (*index, *rest)
    return plain, ((slice(None),) * POSITIONS + index if isinstance(source, Each) else index)


def dimensions_of(index: tuple) -> list[int]:
    """Which dimensions the numbers of an index take, after all else in it has been done."""
    left = [each for each in index if not isinstance(each, int)]  # a number takes its dimension away
    return [i for i, each in enumerate(left) if isinstance(each, Each)]


def own_position(dim: int, length: int) -> Tensor:
    """The index by which every position stays where it is in one of the first four dimensions."""
    shape = [1] * POSITIONS
    shape[dim] = length
    return arange(length).view(shape)
