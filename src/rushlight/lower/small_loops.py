"""Reductions and products of small programs, as LLVM text."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

from rushlight.lower.emit import in_lanes, literal
from rushlight.lower.ir import F64
from rushlight.lower.small_text import Chunk, Place, Text, chunks_of, lanes_for, suffix, vector_of

# ---- reductions


# ---- reductions


def neutral(how: str, type: str) -> str:
    """Returns the number that changes no reduction."""
    return literal({"sum": -0.0, "max": -math.inf, "min": math.inf}[how], type)


def combined(text: Text, how: str, left: str, right: str, type: str, lanes: int) -> str:
    """Appends the sum, or the extreme, of two vectors; an extreme is NaN if one is."""
    form = in_lanes(type, lanes)
    if how == "sum":
        return text.emit(f"fadd {form} {left}, {right}")
    name = f"llvm.{how}imum.{suffix(type, lanes)}"
    return text.emit(f"call {form} @{text.declare(name, form, form, form)}({form} {left}, {form} {right})")


def across(text: Text, how: str, value: str, type: str, lanes: int) -> str:
    """Appends the reduction of a vector's lanes, by halves."""
    while lanes > 1:
        half = lanes // 2
        low, high = [
            text.emit(
                f"shufflevector {in_lanes(type, lanes)} {value}, {in_lanes(type, lanes)} poison, <{half} x i32> "
                f"<{', '.join([f'i32 {lane}' for lane in range(begin, begin + half)])}>"
            )
            for begin in (0, half)
        ]
        value, lanes = combined(text, how, low, high, type, half), half
    return text.emit(f"extractelement <1 x {type}> {value}, i32 0") if lanes else value


def folds(text: Text, how: str, sizes: Sequence[int], place: Place, chunk: Chunk, total: str, rest: str = "") -> str:
    """Appends the reduction of vectors over all but the last dimension of a place, to `total`.

    Lanes that are not used are `rest`, or anything.
    """
    if not sizes:
        return combined(text, how, total, text.load(place, chunk, rest), place.type, chunk.lanes)

    def turn(index: Any, values: list[str]) -> list[str]:
        (moved,) = text.inner([place], index)
        return [folds(text, how, sizes[1:], moved, chunk, values[0], rest)]

    return text.loop(sizes[0], turn, [(in_lanes(place.type, chunk.lanes), total)])[0]


def reduction(text: Text, how: str, source: Place, target: Place, kept: Sequence[int], gone: Sequence[int]) -> None:
    """Appends a reduction of `source`, with strides for kept dimensions and those that are gone, to `target`.

    The lanes of vectors are elements of the last kept dimension, or of the last dimension that is gone if that is the
    one that is contiguous, or there is no other.
    """
    rank, lanes = len(kept), lanes_for([source.type])
    first = literal(0.0, source.type) if 0 in gone else neutral(how, source.type)
    empty = 0 in gone
    if empty:
        gone, source = [], source._replace(strides=source.strides[:rank])
    across_rows = bool(gone) and (not kept or (source.strides[-1] == 1 and gone[-1] > 1) or kept[-1] == 1)

    def row(operands: list[Place]) -> None:
        text.store(row_total(text, how, operands[0], gone, lanes, first), operands[1], Chunk(0, 1))

    def columns(operands: list[Place]) -> None:
        inner, outer = kept[-1], operands[0].strides

        def chunk_of(at: list[Place], chunk: Chunk) -> None:
            form_first = first if not chunk.lanes else vector_of([first] * chunk.lanes, source.type)
            turned = at[0]._replace(strides=(*outer[1:], outer[0]))
            total = form_first if empty else folds(text, how, gone, turned, chunk, form_first)
            text.store(total, at[1], chunk)

        text.along(inner, lanes, operands, chunk_of)

    if across_rows or not kept:
        text.each(kept, [source, target], row)
    else:
        text.each(kept[:-1], [source, target], columns)


def row_total(text: Text, how: str, place: Place, sizes: Sequence[int], lanes: int, first: str) -> str:
    """Appends the reduction of all elements of a place; returns the scalar."""
    if not sizes:
        return first if first != neutral(how, place.type) else text.load(place, Chunk(0, 1))
    full, rest = chunks_of(sizes[-1], lanes)
    outer, step = sizes[:-1], place.strides[-1]
    parts: list[tuple[str, int]] = []
    if full:
        total = vector_of([first] * lanes, place.type)
        turned = place._replace(strides=(*place.strides[:-1], step * lanes, step))
        parts.append((folds(text, how, [*outer, full], turned, Chunk(lanes, lanes), total), lanes))
    for chunk in rest:
        total = vector_of([first] * chunk.lanes, place.type) if chunk.lanes else first
        at = text.moved(place, full * lanes, step, place.strides)
        unused = first if chunk.used < chunk.lanes else ""
        parts.append((folds(text, how, outer, at, chunk, total, unused), chunk.lanes))
    result, *others = [across(text, how, value, place.type, count) for value, count in parts]
    for other in others:
        result = combined(text, how, result, other, place.type, 0)
    return result


# ---- products

ROWS = 4  # rows of a tile
VECTORS = 2  # vectors of a tile


def product(text: Text, left: Place, right: Place, target: Place, rows: int, inner: int, columns: int) -> None:
    """Appends the product of matrices; the columns of `right` and `target` are contiguous, or there is one.

    Tiles of rows and vectors are accumulated in registers along the inner dimension, in its order.
    """
    lanes = lanes_for([target.type])
    for begin, chunks in column_tiles(columns, lanes):
        at = [left, *[text.moved(place, begin, place.strides[1], place.strides) for place in (right, target)]]
        count = ROWS if chunks[0].lanes else 2 * ROWS

        def tiles(index: Any, _: list[str], at=at, chunks=chunks, count=count) -> list[str]:
            factors, out = [
                text.moved(place, index, place.strides[0] * count, place.strides) for place in (at[0], at[2])
            ]
            tile(text, factors, at[1], out, count, inner, chunks)
            return []

        full, rest = divmod(rows, count)
        text.loop(full, tiles)
        if rest:
            ends = [text.moved(place, full * count, place.strides[0], place.strides) for place in (at[0], at[2])]
            tile(text, ends[0], at[1], ends[1], rest, inner, chunks)


def column_tiles(columns: int, lanes: int) -> Iterator[tuple[int, list[Chunk]]]:
    """Yields the first column of each tile, and its vectors."""
    full, rest = chunks_of(columns, lanes)
    chunks = [Chunk(lanes, lanes)] * full + rest
    for begin in range(0, len(chunks), VECTORS):
        yield begin * lanes, chunks[begin : begin + VECTORS]


def tile(text: Text, left: Place, right: Place, target: Place, rows: int, inner: int, chunks: list[Chunk]) -> None:
    """Appends the product of some rows and some vectors of columns."""
    type, step, starts = target.type, right.strides[1], []
    at = 0
    for chunk in chunks:
        starts.append(at)
        at += chunk.used
    kept = [(in_lanes(type, chunk.lanes), zero_of(chunk)) for _ in range(rows) for chunk in chunks]

    def turn(index: Any, totals: list[str]) -> list[str]:
        factors, line = text.moved(left, index, left.strides[1], left.strides), text.inner([right], index)[0]
        vectors = [
            text.load(text.moved(line, start, step, (step,)), chunk)
            for start, chunk in zip(starts, chunks, strict=True)
        ]
        sums = []
        for row in range(rows):
            place = text.moved(factors, row, left.strides[0], ())
            scalar = text.load(place, Chunk(0, 1))
            for number, chunk in enumerate(chunks):
                total = totals[row * len(chunks) + number]
                sums.append(fused(text, text.splat(scalar, type, chunk.lanes), vectors[number], total, type, chunk))
        return sums

    totals = text.loop(inner, turn, kept)
    for row in range(rows):
        for number, chunk in enumerate(chunks):
            place = text.moved(target, row, target.strides[0], target.strides[1:])
            place = text.moved(place, starts[number], place.strides[0], place.strides)
            text.store(totals[row * len(chunks) + number], place, chunk)


def zero_of(chunk: Chunk) -> str:
    return "zeroinitializer" if chunk.lanes else literal(0.0, F64)


def fused(text: Text, left: str, right: str, total: str, type: str, chunk: Chunk) -> str:
    """Appends `left * right + total`, rounded once."""
    form = in_lanes(type, chunk.lanes)
    name = f"llvm.fma.{suffix(type, chunk.lanes)}"
    symbol = text.declare(name, form, form, form, form)
    return text.emit(f"call {form} @{symbol}({form} {left}, {form} {right}, {form} {total})")
