"""Reuses the rows of a sequence that grows: a loop that appends a token and runs a causal model on all of them.

    t4 = joined([t1, t2], 0)        t1 has n rows, and t3 = embedding(weight, t1) was computed before
    t5 = embedding(weight, t4)      the first n rows are t3; computed is embedding(weight, t2)

An operator that computes each row from the same rows of its operands has the result that it had for fewer rows, and
more. Causal attention is one: a query meets only keys up to its own. So the keys and values of earlier tokens are
computed once, as caches of keys and values do. The rows are joined again where something reads them all.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from rushlight.core.tensor import Tensor, wrap
from rushlight.declarations.declare import OPS
from rushlight.declarations.shapes import wrap_dim
from rushlight.dispatch.planned import called
from rushlight.graph.functional import substituted
from rushlight.graph.recording import record
from rushlight.graph.simplify import frozen, simplify
from rushlight.graph.trace import Array, Left, Ref, Step, Trace

MOST = 1 << 16  # elements of constants that are compared


class Rows(NamedTuple):
    """Where a tensor has its rows: dimension `axis` has `blocks` sequences, one after the other.

    A batch whose dimension was merged with that of the sequence has a block for each of its items.
    """

    axis: int
    blocks: int


class Longer(NamedTuple):
    """A tensor whose first rows in each block are those of the tensor `first`; `rest` has the others."""

    first: int
    rows: Rows
    rest: Tensor


def with_rows_reused(trace: Trace, inputs: Sequence[Tensor]) -> Trace:
    """Returns a trace that computes the same from like `inputs`, without rows that were computed before."""
    if not may_grow(trace):
        return trace
    growing = Growing(simplify(trace))
    made = record(growing.run, inputs)
    before, after = ([each.metas[at] for at in each.outputs if at is not None] for each in (trace, made))
    if not growing.reused or before != after:
        return trace
    made.owned = trace.owned
    return made


def may_grow(trace: Trace) -> bool:
    """Whether the same operator reads a tensor and what was joined to it, and all steps can be made again alone."""
    readers: dict[int, set[str]] = {}
    joined: list[Step] = []
    for step in trace.steps:
        if step.draws or step.written() or any([type(value) is Array for value in step.values.values()]):
            return False
        if step.op.name in BY_ROWS or step.op.name in PARTS or step.op.kind == "elementwise":
            for number in step.operands():
                readers.setdefault(number, set()).add(step.op.name)
        if step.op.name == "joined" and type(step.values["tensors"][0]) is Ref:
            joined.append(step)
    return None not in trace.outputs and any(
        [not readers.get(step.results[0], set()).isdisjoint(readers.get(step.values["tensors"][0].number, ()))
         for step in joined]
    )  # fmt: skip


class Growing:
    """Makes the steps of a trace again, on `values`, with `longer` tensors as far as possible."""

    def __init__(self, trace: Trace):
        self.trace, self.metas = trace, trace.metas
        self.values: dict[int, Tensor] = {}
        self.longer: dict[int, Longer] = {}
        self.known: dict[tuple, tuple[int, ...]] = {}  # what a step computes -> its results
        self.slices: dict[tuple, tuple[int, int]] = {}  # a tensor and a dimension -> its longest first part, the rows
        self.read = {*trace.outputs, *[number for step in trace.steps for number in step.operands()]}
        self.reused = 0  # steps

    def run(self, *inputs: Tensor) -> list[Tensor]:
        """Returns the outputs. It may be called again."""
        for each in (self.longer, self.known, self.slices):
            each.clear()
        self.reused = 0
        self.values.update(zip(self.trace.inputs, inputs, strict=True))
        self.values.update(self.trace.constants)
        self.compare_constants()
        for step in self.trace.steps:
            if not self.extend(step):
                results = called(step.op, self.arguments(step.values, self.tensor))
                several = isinstance(results, (list, tuple))
                self.values.update(zip(step.results, results if several else [results], strict=False))
            self.known[key_of(step, step.values, self.metas[step.results[0]].shape)] = step.results
        return [self.tensor(number) for number in self.trace.outputs if number is not None]

    def compare_constants(self) -> None:
        """Notes which constants begin with another, such as the positions of tokens."""
        before: dict[tuple, list[int]] = {}  # constants that differ from each other only in the number of rows, if so
        for number, constant in self.trace.constants.items():
            array = constant._array
            for axis in range(array.ndim if array.size <= MOST else 0):
                others = before.setdefault((axis, array.dtype, *array.shape[:axis], ..., *array.shape[axis + 1 :]), [])
                at = next((at for at, other in enumerate(others) if self.begins(array, other, axis)), None)
                if at is None:
                    others.append(number)
                    continue
                first, others[at] = others[at], number
                count = self.metas[first].shape[axis]
                rest = array[(slice(None),) * axis + (slice(count, None),)]
                self.longer[number] = Longer(first, Rows(axis, 1), wrap(rest.copy()))

    def begins(self, array: np.ndarray, number: int, axis: int) -> bool:
        """Whether an array begins with a constant along an axis, and goes on."""
        first = self.trace.constants[number]._array
        count = first.shape[axis]
        return 0 < count < array.shape[axis] and np.array_equal(array[(slice(None),) * axis + (slice(count),)], first)

    def tensor(self, number: int) -> Tensor:
        """Returns a tensor with all its rows."""
        if number not in self.values:
            rows, shape = self.longer[number].rows, self.metas[number].shape
            parts: list[Tensor] = []
            first = number
            while first not in self.values and self.longer[first].rows == rows:
                parts.insert(0, self.longer[first].rest)
                first = self.longer[first].first
            parts.insert(0, self.tensor(first))
            axis, blocks = rows
            if blocks > 1:
                parts = [part.reshape(*shape[:axis], blocks, -1, *shape[axis + 1 :]) for part in parts]
            whole = called(OPS["joined"], (parts, axis + (blocks > 1)))
            self.values[number] = whole.reshape(shape) if blocks > 1 else whole
        return self.values[number]

    def rest(self, number: int) -> Tensor:
        """Returns the rows of a longer tensor that are not those of its first; another tensor as it is."""
        return self.longer[number].rest if number in self.longer else self.tensor(number)

    def arguments(self, values: dict[str, Any], tensor_of: Callable[[int], Tensor]) -> list:
        """Returns the arguments of a step on tensors."""

        def argument(value: Any) -> Any:
            if type(value) is Ref:
                return tensor_of(value.number)
            if type(value) in (tuple, list):
                return type(value)([argument(each) for each in value])
            return value.kind() if type(value) is Left else value

        return [argument(value) for value in values.values()]

    def count(self, number: int, rows: Rows) -> int:
        """Returns how many rows a tensor has in each block."""
        return self.metas[number].shape[rows.axis] // rows.blocks

    def extend(self, step: Step) -> bool:
        """Computes a step for the rest of its rows if it was computed for the first of them; returns whether it was."""
        name = step.op.name
        if name in PARTS and PARTS[name](self, step):
            return True
        operands = [self.longer[number] for number in step.operands() if number in self.longer]
        rule = BY_ROWS.get(name, elementwise if step.op.kind == "elementwise" else None)
        if not operands or rule is None or (rows := rule(self, step)) is None:
            return name == "joined" and self.append(step)
        first = substituted(step.values, lambda number: self.longer[number].first if number in self.longer else number)
        shapes = [self.resized(self.metas[number].shape, rows, operands[0]) for number in step.results]
        earlier = self.known.get(key_of(step, first, shapes[0][0]))
        if earlier is None or not all(map(self.is_first, step.results, earlier, [shape for shape, _ in shapes])):
            return False
        results = self.computed(step, shapes[0][1])
        for number, before, result in zip(step.results, earlier, results, strict=False):
            self.longer[number] = Longer(before, rows, result)
        self.reused += 1
        return True

    def resized(self, shape: tuple[int, ...], rows: Rows, operand: Longer) -> tuple[tuple, tuple]:
        """Returns the shapes of the first rows and of the rest of a result, as many as those of an operand."""
        first = self.count(operand.first, operand.rows)
        rest = operand.rest.shape[operand.rows.axis] // operand.rows.blocks
        before, after = shape[: rows.axis], shape[rows.axis + 1 :]
        return (*before, rows.blocks * first, *after), (*before, rows.blocks * rest, *after)

    def is_first(self, result: int, first: int, shape: tuple[int, ...]) -> bool:
        """Whether a result may begin with another: nothing reads it, or dtype and shape fit."""
        fits = self.metas[first].shape == shape and self.metas[first].dtype == self.metas[result].dtype
        return fits or result not in self.read

    def computed(self, step: Step, shape: tuple[int, ...]) -> Sequence[Tensor]:
        """Returns the results of a step for the rest of the rows; `shape` is that of the first of them."""
        if step.op.name in SIZED:
            source = self.rest(step.values["input"].number)
            return [source.expand(shape) if step.op.name == "expand" else source.reshape(shape)]
        if step.op.name == "attention":
            query, key, value = (step.values[name].number for name in ("query", "key", "value"))
            tensors = self.rest(query), self.tensor(key), self.tensor(value)
            return called(step.op, (*tensors, None, False, step.values["scale"]))
        results = called(step.op, self.arguments(step.values, self.rest))
        return results if isinstance(results, (list, tuple)) else [results]

    def append(self, step: Step) -> bool:
        """Notes the result of a step that joins two tensors as the first of them, and more."""
        if len(parts := step.values["tensors"]) != 2 or not all([type(part) is Ref for part in parts]):
            return False
        first, second = (part.number for part in parts)
        shape, (result,) = self.metas[first].shape, step.results
        axis = wrap_dim(step.values["dim"], len(self.metas[result].shape))
        if (
            len(shape) != len(self.metas[second].shape)
            or 0 in shape
            or self.metas[first].dtype != self.metas[result].dtype
        ):
            return False
        self.longer[result] = Longer(first, Rows(axis, 1), self.tensor(second))
        return True


def key_of(step: Step, values: dict[str, Any], shape: tuple[int, ...]) -> tuple:
    """Returns what a step computes; `shape` is that of its first result, which represents sizes among its arguments."""
    if step.op.name in SIZED:
        return (step.op.name, frozen(values["input"]), shape)
    return (step.op.name, *[value.kind if type(value) is Left else frozen(value) for value in values.values()])


# ---- parts of the rows


def selected(growing: Growing, step: Step) -> bool:
    """Takes one row, where it is not among the first."""
    (result,), number = step.results, step.values["input"].number
    if number not in growing.longer:
        return False
    first, rows, rest = growing.longer[number]
    shape, dim = growing.metas[number].shape, wrap_dim(step.values["dim"], len(growing.metas[number].shape))
    at = step.values["index"] % shape[dim] - growing.count(first, rows)
    if dim != rows.axis or rows.blocks > 1 or at < 0:
        return False
    growing.values[result] = rest.select(dim, at)
    return True


def sliced(growing: Growing, step: Step) -> bool:
    """Takes rows that are not among the first; notes what begins with the same rows of another tensor."""
    (result,), number, dim = step.results, step.values["input"].number, step.values["dim"]
    size, count = growing.metas[number].shape[dim], growing.metas[result].shape[dim]
    start, _, by = slice(step.values["start"], step.values["end"], step.values["step"]).indices(size)
    if by != 1 or count == 0:
        return False
    if number in growing.longer:
        first, rows, rest = growing.longer[number]
        if rows != Rows(dim, 1):
            return False
        if (begin := growing.count(first, rows)) <= start:
            growing.values[result] = rest.narrow(dim, start - begin, count)
            return True
        return False
    first, fewer = growing.slices.get((number, dim), (result, count))
    if start == 0:
        growing.slices[number, dim] = result, count
        if fewer < count:
            rest = growing.tensor(number).narrow(dim, fewer, count - fewer)
            growing.longer[result] = Longer(first, Rows(dim, 1), rest)
            return True
    return False


PARTS = {"select": selected, "slice_view": sliced}


# ---- operators that compute each row from the same rows: rules return where the result has them, or None


def elementwise(growing: Growing, step: Step) -> Rows | None:
    """Broadcast: the operands that grow have their rows at the same place; the others are the same for all rows."""
    rank = len(growing.metas[step.results[0]].shape)
    kinds = set()
    for number in step.operands():
        if number in growing.longer:
            first, rows, _ = growing.longer[number]
            shape = growing.metas[number].shape
            kinds.add((len(shape) - rows.axis, rows.blocks, growing.count(first, rows), shape[rows.axis]))
    if len(kinds) != 1:
        return None
    ((behind, blocks, _, _),) = kinds
    for number in step.operands():
        shape = growing.metas[number].shape
        if number not in growing.longer and len(shape) >= behind and shape[-behind] != 1:
            return None
    return Rows(rank - behind, blocks)


def rows_of(growing: Growing, step: Step, name: str = "input") -> Rows | None:
    """Returns where an operand has its rows, if it is the only one that grows."""
    value = step.values[name]
    others = [number for number in step.operands() if number in growing.longer]
    return growing.longer[value.number].rows if type(value) is Ref and others == [value.number] else None


def unchanged(growing: Growing, step: Step) -> Rows | None:
    return rows_of(growing, step)


def looked_up(growing: Growing, step: Step) -> Rows | None:
    return rows_of(growing, step, "indices")


def multiplied(growing: Growing, step: Step) -> Rows | None:
    """Rows times a matrix."""
    rows = rows_of(growing, step, "mat1" if "mat1" in step.values else "input")
    return rows if rows is not None and rows.axis == 0 else None


def normalized(growing: Growing, step: Step) -> Rows | None:
    rows, shape = rows_of(growing, step), growing.metas[step.results[0]].shape
    return rows if rows is not None and rows.axis < len(shape) - len(step.values["normalized_shape"]) else None


def along_another(growing: Growing, step: Step) -> Rows | None:
    """An operator along other dimensions than that of the rows."""
    rows, dim = rows_of(growing, step), step.values["dim"]
    if rows is None or dim is None:
        return None
    shape = growing.metas[step.values["input"].number].shape
    dims = [wrap_dim(each, len(shape)) for each in (dim if isinstance(dim, (tuple, list)) else (dim,))]
    if rows.axis in dims:
        return None
    left_out = 0 if step.values.get("keepdim", True) else sum([each < rows.axis for each in dims])
    return Rows(rows.axis - left_out, rows.blocks)


def picked(growing: Growing, step: Step) -> Rows | None:
    """One of the slices along another dimension than that of the rows."""
    rows, dim = rows_of(growing, step), step.values["dim"] % len(growing.metas[step.values["input"].number].shape)
    return None if rows is None or rows.axis == dim else Rows(rows.axis - (dim < rows.axis), rows.blocks)


def joined_beside(growing: Growing, step: Step) -> Rows | None:
    """Rows that are joined along another dimension."""
    numbers = step.operands()
    if any([number not in growing.longer for number in numbers]):
        return None
    parts = [growing.longer[number] for number in numbers]
    kinds = {(part.rows, growing.count(part.first, part.rows)) for part in parts}
    dim = wrap_dim(step.values["dim"], len(growing.metas[step.results[0]].shape))
    return parts[0].rows if len(kinds) == 1 and dim != parts[0].rows.axis else None


def reshaped(growing: Growing, step: Step) -> Rows | None:
    """The rows stay whole; dimensions in front of them may be merged with theirs, or divided from it."""
    if (rows := rows_of(growing, step)) is None:
        return None
    shape, result = (growing.metas[at].shape for at in (step.values["input"].number, step.results[0]))
    count = shape[rows.axis] // rows.blocks
    outer, inner = math.prod(shape[: rows.axis]) * rows.blocks, math.prod(shape[rows.axis + 1 :])
    for axis, size in enumerate(result):
        blocks = size // count
        if (
            math.prod(result[:axis]) * blocks == outer
            and blocks * count == size
            and math.prod(result[axis + 1 :]) == inner
        ):
            return Rows(axis, blocks)
    return None


def expanded(growing: Growing, step: Step) -> Rows | None:
    """Other dimensions than that of the rows are repeated."""
    if (rows := rows_of(growing, step)) is None:
        return None
    shape, result = (growing.metas[at].shape for at in (step.values["input"].number, step.results[0]))
    axis = rows.axis + len(result) - len(shape)
    return Rows(axis, rows.blocks) if result[axis] == shape[rows.axis] else None


def unsqueezed(growing: Growing, step: Step) -> Rows | None:
    if (rows := rows_of(growing, step)) is None:
        return None
    dim = wrap_dim(step.values["dim"], len(growing.metas[step.results[0]].shape))
    return Rows(rows.axis + (dim <= rows.axis), rows.blocks)


def indexed(growing: Growing, step: Step) -> Rows | None:
    """Integers, slices and Nones, and none of them for the rows."""
    if (rows := rows_of(growing, step)) is None:
        return None
    dim = axis = 0  # of the operand, of the result
    for each in step.values["index"]:
        if each is ... or dim == rows.axis:
            break
        dim += each is not None
        axis += type(each) is not int
    if dim == rows.axis and each is not ... and each != slice(None):
        return None
    return Rows(axis + rows.axis - dim, rows.blocks)


def transposed(growing: Growing, step: Step) -> Rows | None:
    if (rows := rows_of(growing, step)) is None:
        return None
    order = list(range(len(growing.metas[step.results[0]].shape)))
    one, other = step.values["dim0"] % len(order), step.values["dim1"] % len(order)
    order[one], order[other] = order[other], order[one]
    return Rows(order.index(rows.axis), rows.blocks)


def permuted(growing: Growing, step: Step) -> Rows | None:
    if (rows := rows_of(growing, step)) is None:
        return None
    order = [dim % len(step.values["dims"]) for dim in step.values["dims"]]
    return Rows(order.index(rows.axis), rows.blocks)


def attended(growing: Growing, step: Step) -> Rows | None:
    """Causal attention of one more query, which meets all keys; the weights of the values must not be read."""
    query, key, value = (step.values[name].number for name in ("query", "key", "value"))
    rows = Rows(2, 1)
    if step.values["bias"] is not None or not step.values["is_causal"] or step.results[1] in growing.read:
        return None
    for number in (query, key, value):
        longer = growing.longer.get(number)
        if longer is None or longer.rows != rows or longer.rest.shape[2] != 1:
            return None
        if growing.metas[number].shape[2] != growing.metas[query].shape[2]:
            return None
    return rows


SIZED = ("view", "unsafe_view", "expand")  # have sizes among their arguments
BY_ROWS: dict[str, Callable[[Growing, Step], Rows | None]] = {
    "clone": unchanged, "to_copy": unchanged, "embedding": looked_up, "affine": multiplied, "mm": multiplied,
    "native_layer_normalization": normalized, "softmax": along_another, "log_softmax": along_another,
    "sum": along_another, "mean": along_another, "argmax": along_another, "split_evenly": along_another,
    "split_with_sizes": along_another, "slice_view": along_another, "select": picked, "joined": joined_beside,
    "view": reshaped, "unsafe_view": reshaped, "expand": expanded, "unsqueeze": unsqueezed, "getitem_view": indexed,
    "transpose": transposed, "permute": permuted, "attention": attended,
}  # fmt: skip
