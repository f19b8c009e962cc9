"""Primitives that move elements: views, joins, pads, and copies of parts.

An operator of which ONNX has none runs on the positions of its operands' elements, which says for each element of the
result where it comes from, or that it is zero. That takes sizes that are fixed.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from rushlight.core.tables import forward, xp
from rushlight.export.sizes import Varying
from rushlight.onnx.elements import where
from rushlight.onnx.table import Call, axes_of, writes
from rushlight.onnx.writer import INT64, Refused, Value

LAST = sys.maxsize


@writes("clone", "conjugate", "stepped_by", "differentiated_once", "alias", "contiguous", "detach")
def unchanged(call: Call, input: Value, **rest) -> Value:
    return input


@writes("to_copy")
def to_copy(call: Call, input: Value, kind, place) -> Value:
    return call.writer.cast(input, call.dtype)


@writes("copy_values")
def copy_values(call: Call, input: Value, src: Value) -> Value:
    return call.writer.expand(call.writer.cast(src, call.dtype), call.shape)


@writes("new_zeros_of", "zeroed")
def zeros(call: Call, **rest) -> Value:
    return call.writer.filled(call.shape, 0, call.dtype)


@writes("isreal")
def isreal(call: Call, input: Value) -> Value:
    return call.writer.filled(call.shape, True, call.dtype)


@writes("fill_with_number")
def fill_with_number(call: Call, input: Value, value) -> Value:
    return call.writer.filled(call.shape, value, call.dtype)


@writes("_neg_view")
def neg_view(call: Call, input: Value) -> Value:
    return -input


# ---- shapes


@writes(
    "view",
    "unsafe_view",
    "only_row",
    "squeeze",
    "unsqueeze",
    "reshape",
    "flatten",
    "channel_statistic",
    "inverse_deviation",
)
def view(call: Call, input: Value, **rest) -> Value:
    return call.writer.reshape(input, call.shape)


@writes("expand")
def expand(call: Call, input: Value, size) -> Value:
    return call.writer.expand(input, call.shape)


@writes("transpose")
def transpose(call: Call, input: Value, dim0, dim1) -> Value:
    order = list(range(input.ndim))
    if order:
        order[dim0], order[dim1] = order[dim1], order[dim0]
    return call.writer.transpose(input, order)


@writes("t")
def t(call: Call, input: Value) -> Value:
    return call.writer.transpose(input, range(input.ndim)[::-1])


@writes("permute")
def permute(call: Call, input: Value, dims) -> Value:
    return call.writer.transpose(input, [dim % input.ndim for dim in dims])


@writes("select")
def select(call: Call, input: Value, dim, index) -> Value:
    writer = call.writer
    at = writer.squeezed(writer.ints([index]))
    return writer.op("Gather", input, at, axis=dim % input.ndim, shape=call.shape)


def sliced(call: Call, input: Value, axis: int, start, stop, step=1) -> Value:
    """Writes a slice of one dimension; None are its ends."""
    writer = call.writer
    bounds = [0 if start is None else start, LAST if stop is None else stop]
    starts, ends = [writer.ints([bound]) for bound in bounds]
    size = None if input.shape is None else (*input.shape[:axis], None, *input.shape[axis + 1 :])
    shape = None if size is None or len(size) != len(call.shape) else call.shape
    return writer.op("Slice", input, starts, ends, writer.ints([axis]), writer.ints([step]), shape=shape)


@writes("slice_view")
def slice_view(call: Call, input: Value, dim, start, end, step) -> Value:
    return sliced(call, input, dim % input.ndim, start, end, step)


@writes("getitem_view")
def getitem_view(call: Call, input: Value, index) -> Value:
    writer, axis, result = call.writer, 0, input
    items = index if isinstance(index, tuple) else (index,)
    taken = sum([item is not None and item is not Ellipsis for item in items])
    for item in items:
        if item is Ellipsis:
            axis += input.ndim - taken
        elif isinstance(item, slice):
            if item != slice(None):
                step = 1 if item.step is None else item.step
                stop = -LAST if step < 0 and item.stop is None else item.stop
                result = sliced(call, result, axis, -1 if step < 0 and item.start is None else item.start, stop, step)
            axis += 1
        elif item is not None:
            stop = LAST if not isinstance(item, Varying) and item == -1 else item + 1
            result = sliced(call, result, axis, item, stop)
            axis += 1
    return writer.reshape(Value(writer, result.name, result.dtype), call.shape)


@writes("unbind")
def unbind(call: Call, input: Value, dim) -> list[Value]:
    writer, axis = call.writer, dim % input.ndim
    return [
        writer.op("Gather", input, writer.constant(at, INT64), axis=axis, shape=result.shape)
        for at, result in enumerate(call.results)
    ]


@writes("split_evenly", "split_with_sizes", "unsafe_split", "unsafe_split_with_sizes")
def split(call: Call, input: Value, dim=0, **rest) -> list[Value]:
    writer, axis = call.writer, dim % input.ndim
    if len(call.results) == 1:
        return [input]
    sizes = writer.ints([result.shape[axis] for result in call.results])
    names = writer.nodes_of("Split", [input, sizes], len(call.results), axis=axis)
    return [Value(writer, name, input.dtype, x.shape) for name, x in zip(names, call.results, strict=True)]


@writes("joined")
def joined(call: Call, tensors, dim) -> Value:
    """Concatenates; a vector without elements, which PyTorch accepts next to any shape, is left out."""
    rank = len(call.shape)
    parts = [each for each in tensors if each.ndim == rank and not (rank == 1 and each.shape == (0,))] or tensors[:1]
    writer = call.writer
    parts = [writer.cast(part, call.dtype) for part in parts]
    return parts[0] if len(parts) == 1 else writer.op("Concat", *parts, axis=dim % rank, shape=call.shape)


@writes("stacked")
def stacked(call: Call, tensors, dim) -> Value:
    writer, axis = call.writer, dim % len(call.shape)
    shape = (*call.shape[:axis], 1, *call.shape[axis + 1 :])
    parts = [writer.reshape(writer.cast(each, call.dtype), shape) for each in tensors]
    return writer.op("Concat", *parts, axis=axis, shape=call.shape)


@writes("repeat")
def repeat(call: Call, input: Value, repeats) -> Value:
    writer = call.writer
    repeats = (1,) * (input.ndim - len(repeats)) + tuple(repeats)
    shape = (1,) * (len(repeats) - input.ndim) + input.shape
    return writer.op("Tile", writer.reshape(input, shape), writer.ints(repeats), shape=call.shape)


@writes("flip")
def flip(call: Call, input: Value, dims) -> Value:
    result = input
    for axis in axes_of(dims, input.ndim) if len(dims) else ():
        result = sliced(call, result, axis, -1, -LAST, -1)
    return result


@writes("roll")
def roll(call: Call, input: Value, shifts, dims=()) -> Value:
    writer, result = call.writer, input
    shifts = shifts if isinstance(shifts, tuple | list) else (shifts,)
    if dims in ((), None, []):
        flat = writer.flat(input)
        return writer.reshape(rolled(call, flat, 0, shifts[0]), call.shape)
    for shift, axis in zip(shifts, axes_of(dims, input.ndim), strict=True):
        result = rolled(call, result, axis, shift)
    return result


def rolled(call: Call, input: Value, axis: int, shift) -> Value:
    size = input.shape[axis]
    if type(size) is int:
        shift = shift % size if size else 0
    if not isinstance(shift, Varying) and shift == 0:
        return input
    parts = [sliced(call, input, axis, -shift, None), sliced(call, input, axis, None, -shift)]
    return call.writer.op("Concat", *parts, axis=axis, shape=input.shape)


@writes("tril", "triu")
def triangle(call: Call, input: Value, diagonal=0) -> Value:
    offset = call.writer.squeezed(call.writer.ints([diagonal]))
    return call.writer.op("Trilu", input, offset, upper=int(call.op.name == "triu"), shape=call.shape)


# ---- pads


@writes("constant_pad_nd")
def constant_pad(call: Call, input: Value, pad, value=0) -> Value:
    return padded(call, input, pad, "constant", call.writer.scalar(value, input.dtype))


@writes("reflection_pad")
def reflection_pad(call: Call, input: Value, padding) -> Value:
    return padded(call, input, padding, "reflect")


@writes("replication_pad")
def replication_pad(call: Call, input: Value, padding) -> Value:
    return padded(call, input, padding, "edge")


@writes("circular_pad")
def circular_pad(call: Call, input: Value, padding) -> Value:
    return by_positions(call) if call.fixed or call.writer.opset < 19 else padded(call, input, padding, "wrap")


def padded(call: Call, input: Value, pad, mode: str, value: Value | None = None) -> Value:
    """Pads the last dimensions; negative numbers cut."""
    writer, rank = call.writer, input.ndim
    before, after = [0] * rank, [0] * rank
    for number in range(len(pad) // 2):
        before[rank - 1 - number], after[rank - 1 - number] = pad[2 * number], pad[2 * number + 1]
    if mode != "constant" and any([type(size) is int and size < 0 for size in (*before, *after)]):
        return by_positions(call)
    return writer.op("Pad", input, writer.ints([*before, *after]), value, mode=mode, shape=call.shape)


# ---- by positions

BY_POSITIONS = (
    "diagonal", "on_diagonal", "windows", "as_strided_from", "strided_copy", "rot90", "diag_embed", "diagonal_copy",
    "placed", "write_view", "rewritten", "blocks", "putitem", "above_diagonal", "filled_above_diagonal",
    "pixel_shuffle", "pixel_unshuffle", "channel_shuffle", "blocks_as_columns", "shifted",
)  # fmt: skip


@writes(*BY_POSITIONS)
def by_positions(call: Call, **rest) -> Value:
    """Writes a call as a selection from the elements of all operands, by positions that are constant."""
    if not call.fixed:
        raise Refused("sizes that may change, where the positions of elements are not known")
    writer, values, parts, count = call.writer, dict(call.values), [], 1

    def numbered(value: Value) -> np.ndarray:
        nonlocal count
        positions = np.arange(count, count + value.size, dtype=np.float64).reshape(value.shape)
        parts.append(writer.flat(writer.cast(value, call.dtype)))
        count += value.size
        return positions

    for name, value in values.items():
        if isinstance(value, Value):
            values[name] = numbered(value)
        elif isinstance(value, list) and value and isinstance(value[0], Value):
            values[name] = [numbered(each) for each in value]
    positional = [values[argument.name] for argument in call.op.arguments if not argument.keyword_only]
    named = {argument.name: values[argument.name] for argument in call.op.arguments if argument.keyword_only}
    origins = np.asarray(getattr(forward, call.op.name)(xp, *positional, **named)).astype(np.int64)
    if (origins == 0).any():
        parts.append(writer.filled((1,), 0, call.dtype))
        origins = np.where(origins == 0, count, origins)
    pool = parts[0] if len(parts) == 1 else writer.op("Concat", *parts, axis=0, shape=(None,))
    return writer.op("Gather", pool, writer.constant(origins - 1, INT64), axis=0, shape=call.shape)


@writes("fill_mask_with_number")
def fill_mask_with_number(call: Call, input: Value, mask: Value, value: Any) -> Value:
    filled = where(mask, call.writer.scalar(value, call.dtype), call.writer.cast(input, call.dtype))
    return call.writer.expand(filled, call.shape)
