"""Evaluates scalar functions of one score at all positions at once.

A user writes the function for the score of one query and one key, with scalar arguments:

    def score_mod(score, b, h, q_idx, kv_idx):
        return torch.where(q_idx >= kv_idx, score + bias[h, q_idx - kv_idx], -float("inf"))

Each of these scalars is a `PerPosition`: a tensor whose first four dimensions are (batch, head, query, key), of length
1 if it does not depend on one of them. The function sees only the dimensions after these: at first none. `PositionMode`
intercepts every operation while the function runs. Elementwise functions broadcast, indexing with such scalars gathers
one element per position, reductions run over the visible dimensions; all other operations raise.
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

# In addition to the declared elementwise operations.
OF_SINGLE_NUMBERS = frozenset((
    "abs", "clamp", "clip", "clone", "div", "divide", "full_like", "heaviside", "lerp", "masked_fill", "ones_like",
    "rand_like", "to_copy", "where", "zeros_like",
))  # fmt: skip
OVER_DIMENSIONS = frozenset(("all", "amax", "amin", "any", "mean", "prod", "sum"))


class PerPosition(Tensor):
    """A scalar, or a tensor, per position; its shape is the visible one."""

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


def over_positions(function: Callable, *scalars: Tensor) -> Tensor:
    """Applies a function of scalars to the elements of tensors of four dimensions."""
    with position_mode():
        result = function(*(tensor.as_subclass(PerPosition) for tensor in scalars))
    if not isinstance(result, Tensor):
        raise ValueError(f"{function.__name__}: a tensor is to be returned, got {type(result).__name__}")
    if result.shape != ():
        raise noted(
            ValueError(f"The result for one position has the shape {tuple(result.shape)}, not ()"),
            "score_mod and mask_mod return one number for one position.",
        )
    return result.as_subclass(Tensor) if isinstance(result, PerPosition) else result


@contextmanager
def position_mode() -> Iterator[None]:
    token = change(function_modes=(*current().function_modes, PositionMode()))
    try:
        yield
    finally:
        MODE.reset(token)


class PositionMode:
    """Intercepts every operation while a function of scalars runs."""

    def __torch_function__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        operands = [x for x in (*flat(args), *flat(kwargs.values())) if isinstance(x, PerPosition)]
        if not operands:
            return func(*args, **kwargs)
        name = func.__name__
        if name == "getitem":
            return element(*args)
        if name in OVER_DIMENSIONS:
            return over_dimensions(func, *args, **kwargs)
        if name.startswith("new_"):  # which uses only the dtype and the device
            return func(args[0].as_subclass(Tensor), *args[1:], **kwargs)
        if is_scalar_op(name):
            rank = max(x.ndim for x in (*flat(args), *flat(kwargs.values())) if isinstance(x, Tensor))
            aligned = [widened(x, rank) for x in args]
            result = func(*aligned, **{key: widened(value, rank) for key, value in kwargs.items()})
            return result.as_subclass(PerPosition)
        raise noted(
            NotImplementedError(f"flex_attention: {name} is no function of single numbers"),
            "score_mod and mask_mod may use functions of single numbers, indices, and sums over what an index gives.",
        )


def is_scalar_op(name: str) -> bool:
    """Whether an operation computes each element from the operands' elements at the same position."""
    if name.startswith("operator_"):  # a Python operator
        return "matmul" not in name
    declared = OPS.get(name)
    return name in OF_SINGLE_NUMBERS or (declared is not None and declared.kind == "elementwise")


def flat(values) -> Iterator:
    for item in values:
        if isinstance(item, list | tuple):
            yield from flat(item)
        else:
            yield item


def widened(value: Any, rank: int) -> Any:
    """Returns an operand as a plain tensor with `rank` visible dimensions; a value that is no tensor as it is."""
    if not isinstance(value, Tensor):
        return value
    if not isinstance(value, PerPosition):
        return value  # its dimensions are already the last ones
    plain = value.as_subclass(Tensor)
    visible = plain.shape[POSITIONS:]
    return (
        plain.reshape(plain.shape[:POSITIONS] + (1,) * (rank - len(visible)) + visible)
        if len(visible) < rank
        else plain
    )


def over_dimensions(func, input: PerPosition, dim=None, *args, **kwargs):
    """Reduces over visible dimensions."""
    rank = input.ndim
    dims = tuple(range(rank)) if dim is None else (dim,) if isinstance(dim, int) else tuple(dim)
    plain = input.as_subclass(Tensor)
    if not rank:  # of one element, which is its own sum
        plain, dims = plain.unsqueeze(-1), (0,)
    for axis in sorted((POSITIONS + axis % max(rank, 1) for axis in dims), reverse=True):
        plain = func(plain, axis, *args, **kwargs)
    return plain.as_subclass(PerPosition)


def element(source: Tensor, index: Any) -> PerPosition:
    """Returns `source[index]` for each position."""
    index = index if isinstance(index, tuple) else (index,)
    if any(isinstance(item, PerPosition) and item.ndim for item in index):
        raise NotImplementedError("flex_attention: an index is to be a number for each position, not several")
    plain, index = with_full_index(source, index)
    scalars = [item.as_subclass(Tensor) for item in index if isinstance(item, PerPosition)]
    if not scalars:
        return plain[index].as_subclass(PerPosition)
    # First the items without positions: each position keeps its dimension, which then moves to the front.
    selected = plain[tuple(slice(None) if isinstance(item, PerPosition) else item for item in index)]
    dims = dimensions_of(index)
    front = list(range(POSITIONS)) if isinstance(source, PerPosition) else []
    lanes = [own_position(item, selected.shape[item]) for item in front]
    moved = F.movedim(selected, [*front, *dims], list(range(len(front) + len(dims))))
    return moved[(*lanes, *scalars)].as_subclass(PerPosition)


def with_full_index(source: Tensor, index: tuple) -> tuple[Tensor, tuple]:
    """Returns the plain tensor, and the index with one item per dimension."""
    plain = source.as_subclass(Tensor) if isinstance(source, PerPosition) else source
    used = sum(1 for item in index if item is not None and item is not Ellipsis)
    full = (slice(None),) * (source.ndim - used)
    if any(item is Ellipsis for item in index):
        at = next(i for i, item in enumerate(index) if item is Ellipsis)
        index = (*index[:at], *full, *index[at + 1 :])
    else:
        index = (*index, *full)
    return plain, ((slice(None),) * POSITIONS + index if isinstance(source, PerPosition) else index)


def dimensions_of(index: tuple) -> list[int]:
    """Returns the dimensions that the per-position items index after all other items are applied."""
    left = [item for item in index if not isinstance(item, int)]  # an integer removes its dimension
    return [i for i, item in enumerate(left) if isinstance(item, PerPosition)]


def own_position(dim: int, length: int) -> Tensor:
    """Returns the index that maps every position of one of the first four dimensions to itself."""
    shape = [1] * POSITIONS
    shape[dim] = length
    return arange(length).view(shape)
