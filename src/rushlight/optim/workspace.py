"""Which parameters can be stepped together, and the buffers in which that is done."""

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
LAYOUTS = 64  # remembered at most
REAL = {np.dtype(kind): np.dtype(real) for kind, real in (("f4", "f4"), ("f8", "f8"), ("c8", "f4"), ("c16", "f8"))}


class Members(NamedTuple):
    """Parameters of one kind, all in the same state: what differs between them is nothing but the elements."""

    params: list[Tensor]
    gradients: list[Tensor]
    states: list[dict[str, Any]]
    own: list  # the arrays of the parameters
    others: list  # those of the gradients


class Workspace:
    """What a group of parameters needs at every step and remembers from the last one."""

    def __init__(self):
        self.own: list = []  # the arrays of the parameters
        self.of_one_kind = False
        self.flat: list | None = []  # the same memory, flat; None where it has gaps
        self.buffers: dict[tuple, list] = {}
        self.layouts: dict[tuple, Layout] = {}

    def uniform(self, members: Members, counters: tuple[str, ...], late: tuple[str, ...]) -> bool:
        """Whether the parameters are all of one kind and in one state; the question of every step."""
        params, _, states, own, others = members
        if not self.knows(own):
            self.of_one_kind = (
                len({type(param) for param in params}) == 1
                and len({(type(array), array.dtype) for array in own}) == 1
                and len(set(map(id, params))) == len(params)
            )
        return (
            self.of_one_kind
            and {type(array) for array in others} == {type(own[0])}
            and {array.dtype for array in others} == {own[0].dtype}
            and all([len(set(numbers([state[name] for state in states]))) == 1 for name in counters])
            and all([len({state.get(name) is None for state in states}) <= 1 for name in late])
        )

    def knows(self, own: list) -> bool:
        """Whether these are the arrays of the last step; what was found out about others is forgotten."""
        known = own is self.own or (len(own) == len(self.own) and all(map(is_, own, self.own)))
        self.own = own
        if not known:
            self.flat = []
        return known

    def flat_params(self, own: list) -> list | None:
        """The arrays of the parameters as flat ones, if they are that in memory."""
        if not self.knows(own) or (self.flat is not None and not self.flat):
            self.flat = blas.flat_views(own)
        return self.flat

    def layout(self, rows: list[list]) -> Layout:
        """The layout of a batch, given its rows."""
        key = (rows[0][0].dtype, len(rows), tuple([array.shape for array in rows[0]]))
        found = self.layouts.get(key)
        if found is None:
            if len(self.layouts) >= LAYOUTS:
                self.layouts.clear()
            buffers = self.buffers.setdefault(key[:2], [np.empty(BLOCK, key[0]) for _ in rows])
            found = self.layouts[key] = Layout(key[2], buffers)
        return found


class Layout:
    """Where the parameters of one batch lie in the buffers."""

    def __init__(self, shapes: tuple, buffers: list):
        ends = np.cumsum([prod(shape) for shape in shapes]).tolist()
        self.buffers = [buffer[: ends[-1]] for buffer in buffers]
        spans = list(zip([0, *ends], ends, shapes, strict=False))
        self.pieces = [[buffer[start:end].reshape(shape) for start, end, shape in spans] for buffer in buffers]

    def gather(self, rows: list[list]) -> list:
        """The arrays of each row, laid end to end."""
        for buffer, row in zip(self.buffers, rows, strict=True):
            np.concatenate(row, axis=None, out=buffer)
        return self.buffers

    def scatter(self, changed: list, rows: list[list]) -> None:
        """Lays new parameters and state back to where they belong; of the gradients there are none."""
        written = (0, *range(2, len(rows)))
        for index, array in zip(written, changed, strict=True):
            self.buffers[index].view(array.dtype)[...] = array
            for target, piece in zip(rows[index], self.pieces[index], strict=True):
                target[...] = piece


def alike(members: Members, counters: tuple[str, ...], late: tuple[str, ...]) -> Iterator[Members]:
    """Parameters sorted by what a step has to know of them."""
    params, _, states, own, others = members
    times: Counter = Counter()
    repeated = []
    for param in params:
        repeated.append(times[id(param)])
        times[id(param)] += 1
    traits = [
        repeated,  # one that stands in the list twice is stepped twice, one step after the other
        [type(each) for each in params],
        [(type(each), each.dtype) for each in own],
        [(type(each), each.dtype) for each in others],
        *(numbers([state[name] for state in states]) for name in counters),
        *([state.get(name) is None for state in states] for name in late if states),
    ]
    found: dict[tuple, Members] = {}
    for index, key in enumerate(zip(*traits, strict=True)):
        chosen = found.setdefault(key, Members([], [], [], [], []))
        for mine, everyone in zip(chosen, members, strict=True):
            mine.extend(everyone[index : index + 1])  # type: ignore[attr-defined, index]
    yield from found.values()


def batches(sizes: list[int]) -> Iterator[tuple[int, int]]:
    """Neighbours that fit into one block together, and large ones alone, as ranges."""
    start = total = 0
    for index, size in enumerate(sizes):
        if total + size > BLOCK and index > start:
            yield start, index
            start, total = index, 0
        total += size
    yield start, len(sizes)


def arrays(tensors: list[Tensor]) -> list:
    """The raw arrays of tensors."""
    return [tensor._array for tensor in tensors]


def numbers(tensors: list[Tensor]) -> list[float]:
    """The values of counters."""
    own = arrays(tensors)
    if {type(array) for array in own} == {np.ndarray}:
        return [array.item() for array in own]
    return [tensor.item() for tensor in tensors]
