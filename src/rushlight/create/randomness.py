"""Random draws under `vmap`: refused, the same for all samples, or different ones.

The innermost level decides, then the next one, which sees the draw of a whole batch. "different" draws one tensor with
the batch in front, so that the numbers are those of one call for that size.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import rushlight._generated.functions as F
from rushlight.core.size import Size
from rushlight.core.tensor import Tensor, wrap
from rushlight.core.traced import BatchedArray, DualArray, below, check_randomness, drawing_level, has_batch, lowered
from rushlight.create.sizes import parse_size
from rushlight.dispatch.override import ABSENT

OF_SIZES = frozenset(("rand", "randn"))
LIKE = frozenset(("rand_like", "randn_like", "randint_like"))
DRAWN = (
    frozenset(("randint", "normal", "bernoulli", "multinomial", "poisson", "binomial", "randperm")) | OF_SIZES | LIKE
)
SAME_OF_BATCH = (
    "Vmap does not currently support same randomness with a batched tensor input. Please file an issue with functorch"
)
DIFFERENT_IN_PLACE = (
    "vmap: Cannot ask for different inplace randomness on an unbatched tensor. This will appear like same randomness. "
    "If this is necessary for your usage, please file an issue with functorch."
)
WITH_OUT = (
    "vmap: We do not support calling out variants of random operations inside of vmap. Please use non-out variants as "
    "a workaround"
)
LARGER = (
    "vmap: inplace bernoulli(self, *extra_args) is not possible because there exists a Tensor `other` in extra_args "
    "that has more elements than `self`. This happened due to `other` being vmapped over but `self` not being vmapped "
    "over in a vmap. Please try to use out-of-place operators instead of inplace bernoulli. If said operator is being "
    "called inside the PyTorch framework, please file a bug report instead."
)


def with_history(parameters: list, values: Tensor, distribution: str) -> Tensor:
    """Returns `values`, with derivatives that are zero if one of the parameters of the distribution has any."""
    return F.drawn(parameters, values, distribution) if _is_recorded(parameters) else values


def without_derivative(parameters: list, values: Tensor, function: str) -> Tensor:
    """Returns `values`, made by a function that has no derivative: backward through it raises RuntimeError."""
    return F.undifferentiated(parameters, values, function) if _is_recorded(parameters) else values


def _is_recorded(parameters: list) -> bool:
    return any([x.requires_grad or type(x._array) is DualArray for x in parameters])


def drawn(function: Callable, args: tuple, kwargs: dict) -> Any:
    """Returns what a random function draws under `vmap`, or ABSENT if there is none or the function is not random."""
    if function.__name__ not in DRAWN or (level := drawing_level()) is None:
        return ABSENT
    if kwargs.get("out") is not None:
        raise RuntimeError(WITH_OUT)
    check_randomness(level)
    with below(level):
        if level.randomness == "same":
            return same(level, function, args, kwargs)
        return wrap(BatchedArray(level, different(level, function, args, kwargs)))


def drawn_from(parameter: Tensor, draw: Callable[[Tensor], Tensor]) -> Any:
    """Returns what `draw(parameter)` draws under `vmap`, or ABSENT if there is none."""
    if (level := drawing_level()) is None:
        return ABSENT
    check_randomness(level)
    with below(level):
        if level.randomness == "different":
            return wrap(BatchedArray(level, draw(in_front(level, parameter, parameter.ndim))))
        if has_batch(level, parameter):
            raise RuntimeError(SAME_OF_BATCH)
        return draw(lowered(level, parameter))


def same(level, function: Callable, args: tuple, kwargs: dict) -> Tensor:
    """Draws once; the result has no batch."""
    if any([has_batch(level, value) for value in (*args, *kwargs.values())]):
        if function.__name__ not in LIKE:
            raise RuntimeError(SAME_OF_BATCH)
        input = args[0]
        args = (wrap(np.empty(input.shape, input.dtype.numpy)), *args[1:])
    return function(
        *[lowered(level, value) for value in args], **{name: lowered(level, value) for name, value in kwargs.items()}
    )


def different(level, function: Callable, args: tuple, kwargs: dict) -> Tensor:
    """Draws for the whole batch; returns the values, with the batch in front."""
    name, kwargs = function.__name__, dict(kwargs)
    if name in OF_SIZES:
        size = parse_size(name, args, kwargs.pop("size", None))
        return function(size=(level.size, *size), **kwargs)
    if name == "randperm":
        return F.stack([function(*args, **kwargs) for _ in range(level.size)])
    if not any([isinstance(value, Tensor) for value in (*args, *kwargs.values())]):
        if "size" in kwargs:
            return function(*args, **{**kwargs, "size": (level.size, *kwargs["size"])})
        place = next(i for i, value in enumerate(args) if type(value) in (tuple, list, Size))
        return function(*args[:place], (level.size, *args[place]), *args[place + 1 :], **kwargs)
    rank = max([value.ndim for value in (*args, *kwargs.values()) if isinstance(value, Tensor)])
    args = tuple([in_front(level, value, rank) for value in args])
    kwargs = {name: in_front(level, value, rank) for name, value in kwargs.items()}
    if name == "multinomial" and rank == 2:
        size, rows, count = args[0].shape
        result = function(F.reshape(args[0], (size * rows, count)), *args[1:], **kwargs)
        return F.reshape(result, (size, rows, result.shape[1]))
    return function(*args, **kwargs)


def in_front(level, value, rank: int):
    """Returns a tensor with the batch in front of samples of a rank; other arguments unchanged."""
    if not isinstance(value, Tensor):
        return value
    shape = (level.size, *(1,) * (rank - value.ndim), *value.shape)
    if has_batch(level, value):
        return F.reshape(lowered(level, value), shape)
    return F.expand(F.reshape(lowered(level, value), (1, *shape[1:])), shape).contiguous()


def filling_by(level, tensor: Tensor, parameter: Tensor, fill: Callable[[Tensor, Tensor], Tensor]) -> Tensor:
    """The same for a distribution whose parameter is a tensor."""
    if level.randomness == "same" and has_batch(level, parameter):
        raise RuntimeError(SAME_OF_BATCH)
    if level.randomness == "different" and has_batch(level, parameter) and not has_batch(level, tensor):
        raise RuntimeError(LARGER)
    if level.randomness != "different":
        return filling(level, tensor, lambda fresh: fill(fresh, lowered(level, parameter)))
    return filling(level, tensor, lambda fresh: fill(fresh, in_front(level, parameter, tensor.ndim)))


def filling(level, tensor: Tensor, fill: Callable[[Tensor], Tensor]) -> Tensor:
    """Returns the values that `fill` draws for a tensor under `vmap`. Raises RuntimeError if PyTorch refuses that."""
    check_randomness(level)
    with below(level):
        batched, value = has_batch(level, tensor), lowered(level, tensor).detach()
        if level.randomness == "same":
            return fill(value.new_empty(tensor.shape))  # contiguous, whatever the samples are
        if not batched:
            raise RuntimeError(DIFFERENT_IN_PLACE)
        return wrap(BatchedArray(level, fill(F.clone(value))))  # drawn in the order of its memory
