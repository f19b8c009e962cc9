"""The table of primitives: how a call of each is written as ONNX nodes. The modules of families fill it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from rushlight.export.sizes import Varying
from rushlight.onnx.writer import Value, Writer

TABLE: dict[str, Callable] = {}
AXES = tuple[int, ...]


class Result(NamedTuple):
    """What is known of a result: its shape and dtype, and whether anything uses it."""

    shape: tuple
    dtype: np.dtype
    used: bool


class Call(NamedTuple):
    """A call that is being written."""

    op: Any  # the declaration
    values: dict[str, Any]  # its arguments by name, with a Value for each tensor
    results: list[Result]
    writer: Writer

    @property
    def shape(self) -> tuple:
        """The shape of the first result."""
        return self.results[0].shape

    @property
    def dtype(self) -> np.dtype:
        """The dtype of the first result."""
        return self.results[0].dtype

    @property
    def tensors(self) -> list[Value]:
        """The operands that are tensors, in order."""
        tensors = []
        for value in self.values.values():
            each = value if isinstance(value, list | tuple) else (value,)
            tensors += [item for item in each if isinstance(item, Value)]
        return tensors

    @property
    def fixed(self) -> bool:
        """Whether no size may change, and no argument."""
        shapes = [*[value.shape for value in self.tensors], *[result.shape for result in self.results]]
        return not varies(shapes) and not varies(list(self.values.values()))


def varies(value: Any) -> bool:
    """Whether a number in nested sequences depends on sizes."""
    return any(map(varies, value)) if isinstance(value, tuple | list) else type(value) is Varying


def writes(*names: str) -> Callable[[Callable], Callable]:
    """Returns a decorator that enters a function for primitives.

    It gets the call and its arguments by name, and returns a value, or one for each result: the later ones may be
    missing if nothing uses them. The dtypes of the results are cast for it.
    """

    def enter(function: Callable) -> Callable:
        for name in names:
            TABLE[name] = function
        return function

    return enter


def axes_of(dim: Any, rank: int) -> AXES:
    """Returns dimensions counted from the front; None and () are all."""
    if dim is None or (isinstance(dim, tuple | list) and not len(dim)):
        return tuple(range(rank))
    several = dim if isinstance(dim, tuple | list) else (dim,)
    return tuple([int(each) % rank for each in several]) if rank else ()
