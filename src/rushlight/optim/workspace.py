"""Sorts parameters that can be stepped together, and holds the buffers for it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from math import prod
from operator import is_
from typing import Any, NamedTuple

import numpy as np

from rushlight.arrays import blas
from rushlight.core.tensor import Tensor

BLOCK = 32768  # elements; six such blocks of float32 fit into the second-level cache
LAYOUTS = 64  # maximum number of cached layouts
REAL = {np.dtype(kind): np.dtype(real) for kind, real in (("f4", "f4"), ("f8", "f8"), ("c8", "f4"), ("c16", "f8"))}


class Members(NamedTuple):
    """Parameters of one type, device, dtype and state: only their elements differ."""

    params: list[Tensor]
    gradients: list[Tensor]
    states: list[dict[str, Any]]
    own: list  # the arrays of the parameters
    others: list  # the arrays of the gradients


class Workspace:
    """Buffers and layouts of a group of parameters, kept from step to step."""

    def __init__(self) -> None:
        self.own: list = []  # the arrays of the parameters
        self.is_uniform = False
        self.flat: list | None = []  # flat views of them; None if the memory has gaps
        self.buffers: dict[tuple, list] = {}
        self.layouts: dict[tuple, Layout] = {}

    def uniform(self, members: Members, counters: tuple[str, ...], late: tuple[str, ...]) -> bool:
        """Whether all parameters are of one type and state; checked at every step."""
        params, _, states, param_arrays, gradient_arrays = members
        if not self.has_same_arrays(param_arrays):
            self.is_uniform = (
                len({type(param) for param in params}) == 1
                and len({(type(array), array.dtype) for array in param_arrays}) == 1
                and len(set(map(id, params))) == len(params)
            )
        return (
            self.is_uniform
            and {type(array) for array in gradient_arrays} == {type(param_arrays[0])}
            and {array.dtype for array in gradient_arrays} == {param_arrays[0].dtype}
            and all([len(set(numbers([state[name] for state in states]))) == 1 for name in counters])
            and all([len({state.get(name) is None for state in states}) <= 1 for name in late])
        )

    def has_same_arrays(self, own: list) -> bool:
        """Whether these are the arrays of the last step; otherwise resets the cached views."""
        same = own is self.own or (len(own) == len(self.own) and all(map(is_, own, self.own)))
        self.own = own
        if not same:
            self.flat = []
        return same

    def flat_params(self, own: list) -> list | None:
        """Returns flat views of the parameters' arrays, or None if their memory has gaps."""
        if not self.has_same_arrays(own) or (self.flat is not None and not self.flat):
            self.flat = blas.flat_views(own)
        return self.flat

    def layout(self, rows: list[list]) -> Layout:
        """Returns the layout of a batch, given its rows."""
        key = (rows[0][0].dtype, len(rows), tuple([array.shape for array in rows[0]]))
        layout = self.layouts.get(key)
        if layout is None:
            if len(self.layouts) >= LAYOUTS:
                self.layouts.clear()
            buffers = self.buffers.setdefault(key[:2], [np.empty(BLOCK, key[0]) for _ in rows])
            layout = self.layouts[key] = Layout(key[2], buffers)
        return layout


class Layout:
    """Slices of the buffers for the parameters of one batch."""

    def __init__(self, shapes: tuple, buffers: list) -> None:
        ends = np.cumsum([prod(shape) for shape in shapes]).tolist()
        self.buffers = [buffer[: ends[-1]] for buffer in buffers]
        spans = list(zip([0, *ends], ends, shapes, strict=False))
        self.pieces = [[buffer[start:end].reshape(shape) for start, end, shape in spans] for buffer in buffers]

    def gather(self, rows: list[list]) -> list:
        """Concatenates the arrays of each row."""
        for buffer, row in zip(self.buffers, rows, strict=True):
            np.concatenate(row, axis=None, out=buffer)
        return self.buffers

    def scatter(self, changed: list, rows: list[list]) -> None:
        """Copies the new parameters and state back to their own memory; gradients are not written."""
        written = (0, *range(2, len(rows)))
        for index, array in zip(written, changed, strict=True):
            self.buffers[index].view(array.dtype)[...] = array
            for target, piece in zip(rows[index], self.pieces[index], strict=True):
                target[...] = piece


def by_traits(members: Members, counters: tuple[str, ...], late: tuple[str, ...]) -> Iterator[Members]:
    """Yields parameters grouped by type, dtype, counters and state."""
    params, _, states, param_arrays, gradient_arrays = members
    times: Counter = Counter()
    repeated = []
    for param in params:
        repeated.append(times[id(param)])
        times[id(param)] += 1
    traits = [
        repeated,  # a parameter that is listed twice is stepped twice
        [type(item) for item in params],
        [(type(item), item.dtype) for item in param_arrays],
        [(type(item), item.dtype) for item in gradient_arrays],
        *(numbers([state[name] for state in states]) for name in counters),
        *([state.get(name) is None for state in states] for name in late if states),
    ]
    groups: dict[tuple, Members] = {}
    for index, key in enumerate(zip(*traits, strict=True)):
        chosen = groups.setdefault(key, Members([], [], [], [], []))
        for mine, everyone in zip(chosen, members, strict=True):
            mine.extend(everyone[index : index + 1])  # type: ignore[attr-defined, index]
    yield from groups.values()


def batches(sizes: list[int]) -> Iterator[tuple[int, int]]:
    """Yields ranges of neighbours that fit into one block, and of single large ones."""
    start = total = 0
    for index, size in enumerate(sizes):
        if total + size > BLOCK and index > start:
            yield start, index
            start, total = index, 0
        total += size
    yield start, len(sizes)


def arrays(tensors: list[Tensor]) -> list:
    """Returns the raw arrays of tensors."""
    return [tensor._array for tensor in tensors]


def numbers(tensors: list[Tensor]) -> list[float]:
    """Returns the values of counters."""
    own = arrays(tensors)
    if {type(array) for array in own} == {np.ndarray}:
        return [array.item() for array in own]
    return [tensor.item() for tensor in tensors]
