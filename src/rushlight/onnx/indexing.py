"""Primitives that read or write at positions which other tensors have."""

from __future__ import annotations

import math

import numpy as np

from rushlight.export.sizes import Varying
from rushlight.onnx.elements import add, divide, equal, less, less_equal, logical_not, maximum, reduced, subtract, where
from rushlight.onnx.table import Call, writes
from rushlight.onnx.writer import BOOL, INT64, Refused, Value


@writes("embedding")
def embedding(call: Call, weight: Value, indices: Value, **rest) -> Value:
    return call.writer.op("Gather", weight, call.writer.cast(indices, INT64), axis=0, shape=call.shape)


@writes("gather")
def gather(call: Call, input: Value, dim, index: Value, **rest) -> Value:
    writer = call.writer
    if not index.size:
        return writer.filled(call.shape, 0, call.dtype)
    if not input.ndim or not index.ndim:
        picked = writer.op("Gather", writer.flat(input), writer.flat(writer.cast(index, INT64)), axis=0, shape=(None,))
        return writer.reshape(picked, call.shape)
    index = writer.cast(index, INT64)
    return writer.op("GatherElements", input, index, axis=dim % input.ndim, shape=call.shape)


@writes("index_select")
def index_select(call: Call, input: Value, dim, index: Value) -> Value:
    writer = call.writer
    at = writer.flat(writer.cast(index, INT64))
    if not input.ndim:
        return writer.reshape(writer.op("Gather", writer.flat(input), at, axis=0, shape=(None,)), call.shape)
    return writer.op("Gather", input, at, axis=dim % input.ndim, shape=call.shape)


@writes("take")
def take(call: Call, input: Value, index: Value) -> Value:
    return call.writer.op("Gather", call.writer.flat(input), call.writer.cast(index, INT64), axis=0, shape=call.shape)


@writes("index")
def index(call: Call, input: Value, indices) -> Value:
    """Advanced indexing: the indexed dimensions come first; then they are put where their results belong."""
    writer, indexed = call.writer, indexed_dims(indices)
    if len(indexed) == 1:
        (axis, at) = indexed[0]
        return writer.op("Gather", input, writer.cast(at, INT64), axis=axis, shape=call.shape)
    axes = [axis for axis, _ in indexed]
    rest = [axis for axis in range(input.ndim) if axis not in axes]
    points, shape = points_of(call, [at for _, at in indexed])
    front = writer.transpose(input, [*axes, *rest])
    picked = writer.op("GatherND", front, points, shape=(*shape, *[input.shape[axis] for axis in rest]))
    if axes == list(range(axes[0], axes[0] + len(axes))):
        rank, first = len(shape), axes[0]
        order = [*range(rank, rank + first), *range(rank), *range(rank + first, rank + len(rest))]
        return writer.transpose(picked, order)
    return picked


def indexed_dims(indices) -> list[tuple[int, Value]]:
    """Returns the indices that are tensors, with their dimensions."""
    indexed = [(axis, each) for axis, each in enumerate(indices) if isinstance(each, Value)]
    if any([not isinstance(each, Value) and each not in (None, slice(None)) for each in indices]):
        raise Refused("an index of this kind beside tensors")
    if any([at.dtype == BOOL for _, at in indexed]):
        raise Refused("a mask as an index: its results have a shape that depends on elements")
    return indexed


def points_of(call: Call, indices: list[Value]) -> tuple[Value, tuple]:
    """Returns indices as points, one in each row, and the shape of the places that they index."""
    writer = call.writer
    rank = max([each.ndim for each in indices])
    shape = tuple(np.broadcast_shapes(*[tuple([1 if x == 1 else 2 for x in each.shape]) for each in indices]))
    wide = [(1,) * (rank - each.ndim) + tuple(each.shape) for each in indices]
    shape = tuple([next((sizes[at] for sizes in wide if sizes[at] != 1), 1) for at in range(rank)])
    columns = [writer.reshape(writer.expand(writer.cast(each, INT64), shape), (*shape, 1)) for each in indices]
    points = columns[0] if len(columns) == 1 else writer.op("Concat", *columns, axis=-1, shape=(*shape, len(columns)))
    return points, shape


@writes("put_indices")
def put_indices(call: Call, input: Value, indices, values: Value, accumulate=False) -> Value:
    writer, indexed = call.writer, indexed_dims(indices)
    axes = [axis for axis, _ in indexed]
    if axes != list(range(axes[0], axes[0] + len(axes))):
        raise Refused("an assignment at indices of dimensions that are apart")
    rest = [axis for axis in range(input.ndim) if axis not in axes]
    points, shape = points_of(call, [at for _, at in indexed])
    before, order = axes[0], [*axes, *rest]
    # The values have the results' dimensions: those before the indices, the indices', those after.
    full = (*[input.shape[x] for x in rest[:before]], *shape, *[input.shape[x] for x in rest[before:]])
    wide, rank = writer.expand(values, full), len(shape)
    moved = [*range(before, before + rank), *range(before), *range(before + rank, len(full))]
    source = writer.transpose(wide, moved)
    front = writer.transpose(input, order)
    done = writer.op("ScatterND", front, points, source, shape=front.shape, reduction="add" if accumulate else None)
    return writer.transpose(done, [order.index(axis) for axis in range(input.ndim)])


@writes("index_fill_number", "index_fill_tensor")
def index_fill(call: Call, input: Value, dim, index: Value, value) -> Value:
    return written_along(call, input, dim, index, call.writer.scalar(value, input.dtype), None)


@writes("index_copy")
def index_copy(call: Call, input: Value, dim, index: Value, source: Value) -> Value:
    return written_along(call, input, dim, index, source, None)


@writes("index_add")
def index_add(call: Call, input: Value, dim, index: Value, source: Value, alpha=1) -> Value:
    source = source if alpha == 1 else source * call.writer.scalar(alpha, source.dtype)
    return written_along(call, input, dim, index, call.writer.cast(source, input.dtype), "add")


REDUCTIONS = {"prod": "mul", "amax": "max", "amin": "min", "sum": "add", "mean": "add"}


@writes("index_reduce")
def index_reduce(call: Call, input: Value, dim, index: Value, source: Value, reduce, include_self) -> Value:
    def written(base: Value, values: Value, kind: str | None) -> Value:
        return written_along(call, base, dim, index, values, kind)

    return reduced_writes(call, input, source, reduce, include_self, written)


def written_along(call: Call, input: Value, dim, index: Value, source: Value, reduction: str | None) -> Value:
    """Writes slices of a dimension at the positions of a vector."""
    writer = call.writer
    if not input.ndim:
        return writer.reshape(written_along_vector(call, writer.flat(input), index, writer.flat(source), reduction), ())
    axis = dim % input.ndim
    order = [axis, *[each for each in range(input.ndim) if each != axis]]
    front = writer.transpose(input, order)
    count = index.shape[0] if index.ndim else 1
    shape = (count, *front.shape[1:])
    source = writer.transpose(source, order) if source.ndim == input.ndim else writer.expand(source, shape)
    source = source if source.ndim == len(shape) else writer.reshape(source, shape)
    done = written_along_vector(call, front, index, source, reduction)
    return writer.transpose(done, [order.index(each) for each in range(input.ndim)])


def written_along_vector(call: Call, front: Value, index: Value, source: Value, reduction: str | None) -> Value:
    writer = call.writer
    count = index.shape[0] if index.ndim else 1
    points = writer.reshape(writer.cast(index, INT64), (count, 1))
    return writer.op("ScatterND", front, points, source, reduction=reduction, shape=front.shape)


@writes("put")
def put(call: Call, input: Value, index: Value, source: Value, accumulate=False) -> Value:
    writer = call.writer
    at, size = writer.flat(writer.cast(index, INT64)), input.size
    if type(size) is int:
        at = where(less(at, 0), add(at, size), at)
    points = writer.reshape(at, (math.prod(index.shape), 1))
    done = writer.op(
        "ScatterND", writer.flat(input), points, writer.flat(source), shape=(size,),
        reduction="add" if accumulate else None,
    )  # fmt: skip
    return writer.reshape(done, call.shape)


# ---- scatter


def scattered(call: Call, input: Value, dim, index: Value, source: Value, reduction: str | None) -> Value:
    """Writes elements along a dimension; the source is cut to the shape of the index."""
    writer = call.writer
    if not index.size:
        return input
    if not input.ndim:
        flat = scattered(call, writer.flat(input), 0, writer.flat(index), writer.flat(source), reduction)
        return writer.reshape(flat, ())
    if source.ndim == index.ndim and source.shape != index.shape:
        zeros = writer.constant(np.zeros(index.ndim, np.int64))
        axes = writer.constant(np.arange(index.ndim))
        source = writer.op("Slice", source, zeros, writer.ints(index.shape), axes, shape=index.shape)
    index = writer.cast(index, INT64)
    return writer.op(
        "ScatterElements", input, index, source, axis=dim % input.ndim, reduction=reduction, shape=input.shape
    )


@writes("scatter_source")
def scatter_source(call: Call, input: Value, dim, index: Value, src: Value) -> Value:
    return scattered(call, input, dim, index, src, None)


@writes("scatter_value")
def scatter_value(call: Call, input: Value, dim, index: Value, value) -> Value:
    source = call.writer.expand(call.writer.scalar(value, input.dtype), index.shape)
    return scattered(call, input, dim, index, source, None)


@writes("scatter_add")
def scatter_add(call: Call, input: Value, dim, index: Value, src: Value) -> Value:
    return scattered(call, input, dim, index, src, "add")


@writes("scatter_reduce")
def scatter_reduce(call: Call, input: Value, dim, index: Value, src: Value, reduce, include_self=True) -> Value:
    def written(base: Value, values: Value, kind: str | None) -> Value:
        return scattered(call, base, dim, index, values, kind)

    return reduced_writes(call, input, src, reduce, include_self, written)


def reduced_writes(call: Call, input: Value, source: Value, reduce: str, include_self: bool, written) -> Value:
    """Writes a reduction of what is written to an element, and of what was there if `include_self`."""
    writer, kind = call.writer, REDUCTIONS[reduce]
    base = input
    if not include_self:
        neutral = {"mul": 1, "add": 0, "max": lowest(input.dtype), "min": highest(input.dtype)}[kind]
        base = written(input, writer.expand(writer.scalar(neutral, input.dtype), source.shape), None)
    result = written(base, source, kind)
    if reduce == "mean":
        ones = writer.expand(writer.scalar(1, input.dtype), input.shape)
        if not include_self:
            ones = written(ones, writer.expand(writer.scalar(0, input.dtype), source.shape), None)
        counts = written(ones, writer.expand(writer.scalar(1, input.dtype), source.shape), "add")
        counts = maximum(counts, writer.scalar(1, input.dtype))
        result = result // counts if input.dtype.kind in "iu" else divide(result, counts)
    return result


def lowest(dtype: np.dtype):
    return -math.inf if dtype.kind == "f" else np.iinfo(dtype).min


def highest(dtype: np.dtype):
    return math.inf if dtype.kind == "f" else np.iinfo(dtype).max


# ---- masks, and searches


@writes("masked_scatter")
def masked_scatter(call: Call, input: Value, mask: Value, source: Value) -> Value:
    writer = call.writer
    mask = writer.expand(mask, call.shape)
    if not source.size:
        return input
    counted = writer.op(
        "CumSum", writer.cast(writer.flat(mask), INT64), writer.constant(np.int64(0)), shape=(mask.size,)
    )
    at = maximum(subtract(counted, 1), 0)
    picked = writer.reshape(writer.op("Gather", writer.flat(source), at, axis=0, shape=(mask.size,)), call.shape)
    return where(mask, picked, writer.expand(input, call.shape))


@writes("search")
def search(call: Call, sorted_sequence: Value, values: Value, right=False, kind=None) -> Value:
    """Counts the elements before each value."""
    writer = call.writer
    dtype = np.promote_types(sorted_sequence.dtype, values.dtype)
    edges, values = writer.cast(sorted_sequence, dtype), writer.cast(values, dtype)
    if edges.ndim > 1:
        edges = writer.reshape(edges, (*edges.shape[:-1], 1, edges.shape[-1]))
    wide = writer.reshape(values, (*values.shape, 1))
    before = less_equal(edges, wide) if right else less(edges, wide)
    if dtype.kind == "f":
        before = logical_not(less(wide, edges) if right else less_equal(wide, edges))  # NaN is after all
    return reduced("ReduceSum", writer.cast(before, INT64), (before.ndim - 1,), False)


@writes("isin")
def isin(call: Call, elements: Value, test_elements: Value, assume_unique=False, invert=False) -> Value:
    writer = call.writer
    dtype = np.promote_types(elements.dtype, test_elements.dtype)
    rows = writer.reshape(writer.cast(elements, dtype), (*elements.shape, 1))
    matches = writer.cast(equal(rows, writer.flat(writer.cast(test_elements, dtype))), INT64)
    result = writer.cast(reduced("ReduceSum", matches, (len(elements.shape),), False), BOOL)
    return logical_not(result) if invert else result


@writes("ones_at")
def ones_at(call: Call, positions: Value, count) -> Value:
    writer = call.writer
    if not isinstance(count, Varying) and count < 0:
        raise Refused("a number of classes that depends on elements: num_classes says it")
    rows = writer.flat(positions) if not positions.ndim else positions
    depth = writer.ints([count])
    hot = writer.op("OneHot", writer.cast(rows, INT64), depth, writer.constant([0, 1], INT64))
    return writer.reshape(hot, call.shape)


@writes("arange_of")
def arange_of(call: Call, input: Value, count, step) -> Value:
    steps = call.writer.range_of(count)
    return steps if step == 1 else steps * step
