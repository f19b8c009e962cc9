"""Products of matrices of half precision: of a few rows by lines that are widened as they are read, else by tiles.

With a few rows nearly all time is that of reading the other matrix, and a copy in float32 is three times as much of it.
Tiles are registers of some processors (Intel, "Advanced matrix extensions"): of 16 rows of 32 bfloat16 each, whose
products are added up in float32. A block of the result, two of them high and wide, stays in tiles along the whole sum.
"""

from __future__ import annotations

import ctypes
import functools
import sys

import numpy as np

from rushlight.core.policy import Warmup
from rushlight.kernels.arguments import number_of, packed
from rushlight.kernels.gemm import FEW
from rushlight.kernels.gemm_packing import pack_turned
from rushlight.kernels.gemm_shapes import WORTH
from rushlight.kernels.gemv import dots
from rushlight.kernels.vectors import LANES, load_some, store_some
from rushlight.lower.conversions import BFLOAT16
from rushlight.lower.language import compiled_as, local, offset
from rushlight.lower.lazy_compile import deferred
from rushlight.lower.llvm import host
from rushlight.lower.machine_text import Value
from rushlight.lower.native import (
    Element,
    bfloat16,
    boolean,
    float32,
    int64,
    native,
    pointer,
    uint16,
    uint32,
    void,
)
from rushlight.lower.objects import ALLOCATE, RELEASE
from rushlight.lower.parallel import parallel_for
from rushlight.lower.registry import kernel_of

T = Element("T")
FLOAT32 = np.dtype(np.float32)
WARMUP = Warmup(passes=4)
HALVES = {np.dtype(np.float16), BFLOAT16}

SIDE = 32  # rows and columns of a block of the result, and numbers of a sum that are multiplied at a time
QUICK = 8  # times as many products are done by tiles as by vectors
TILED = 1 << 15  # products of numbers for which it is worth to lay out the matrices
ROOM = 1 << 18  # pairs of panels that are half of a second-level cache
DEEPEST = 1 << 16  # terms of a sum, of which a panel of one is a few megabytes: more than there may be memory for
LEAST = 1 << 12  # numbers of a matrix that is worth a kernel
REQUEST, TILES = 0x1023, 18  # what Linux is asked for: to let this process use the registers of that number
SYSTEM_CALL = 158  # that asks it


# ---- a few rows


@native(light=True)
def few_rows_of_halves(
    out: pointer(float32), a: pointer(float32), b: pointer(T), apart: int64, rows: int64, depth: int64, columns: int64
):
    """out (rows, columns) = a (rows, depth) times the lines of b, which are `apart`."""
    vectors = (columns + LANES - 1) // LANES
    parallel_for(lines_of_halves, vectors, WORTH // (rows * depth * LANES) + 1, out, a, b, apart, rows, depth, columns)


@native(light=True)
def lines_of_halves(
    out: pointer(float32), a: pointer(float32), b: pointer(T), apart: int64, rows: int64, depth: int64, columns: int64,
    first: int64, last: int64,
):  # fmt: skip
    for j in range(first * LANES, min(columns, last * LANES), LANES):
        for i in range(rows):
            found = dots(offset(a, i * depth), offset(b, j * apart), apart, depth, columns - j)
            store_some(out, i * columns + j, found, columns - j)


# ---- tiles


def quoted(text: bytes) -> str:
    """As LLVM's text has it."""
    return '"' + "".join(f"\\{each:02X}" for each in text) + '"'


SHAPES = bytes([1, *[0] * 15, *[64, 0] * 8, *[0] * 16, *[16] * 8, *[0] * 8])  # of tiles: bytes of a row, and rows
DECLARATIONS = {
    "@tile_shapes": "@tile_shapes = internal constant [64 x i8] c" + quoted(SHAPES),
    "@llvm.x86.ldtilecfg": "declare void @llvm.x86.ldtilecfg(ptr)",
    "@llvm.x86.tilerelease": "declare void @llvm.x86.tilerelease()",
    "@llvm.x86.tilezero": "declare void @llvm.x86.tilezero(i8)",
    "@llvm.x86.tileloadd64": "declare void @llvm.x86.tileloadd64(i8, ptr, i64)",
    "@llvm.x86.tilestored64": "declare void @llvm.x86.tilestored64(i8, ptr, i64)",
    "@llvm.x86.tdpbf16ps": "declare void @llvm.x86.tdpbf16ps(i8, i8, i8)",
}  # fmt: skip
TILE = 16  # rows
PLACES = [(row, column) for row in range(2) for column in range(2)]  # of tiles in a block


def kernel_text() -> str:
    """The definition of the kernel: a block of the result, from rows and a panel of pairs, in so many steps."""
    lines = [
        "define internal void @tiled(ptr %a, i64 %row, ptr %b, ptr %out, i64 %apart, i64 %steps) #1 {",
        "entry:",
        f"  %below = mul i64 %row, {TILE}",
        "  %second = getelementptr i8, ptr %a, i64 %below",
        *(f"  call void @llvm.x86.tilezero(i8 {number})" for number in range(4)),
        "  br label %loop",
        "loop:",
        "  %step = phi i64 [ 0, %entry ], [ %next, %loop ]",
        f"  %along = mul i64 %step, {2 * SIDE}",
        f"  %down = mul i64 %step, {TILE * 4 * SIDE}",
        "  %a0 = getelementptr i8, ptr %a, i64 %along",
        "  %a1 = getelementptr i8, ptr %second, i64 %along",
        "  %b0 = getelementptr i8, ptr %b, i64 %down",
        f"  %b1 = getelementptr i8, ptr %b0, i64 {4 * TILE}",
        *(f"  call void @llvm.x86.tileloadd64(i8 {4 + number}, ptr %a{number}, i64 %row)" for number in range(2)),
        *(f"  call void @llvm.x86.tileloadd64(i8 {6 + number}, ptr %b{number}, i64 {4 * SIDE})" for number in range(2)),
        *(f"  call void @llvm.x86.tdpbf16ps(i8 {2 * i + j}, i8 {4 + i}, i8 {6 + j})" for i, j in PLACES),
        "  %next = add i64 %step, 1",
        "  %more = icmp slt i64 %next, %steps",
        "  br i1 %more, label %loop, label %end",
        "end:",
    ]
    for i, j in PLACES:
        lines += [
            f"  %d{i}.{j} = mul i64 %apart, {TILE * i}",
            f"  %r{i}.{j} = getelementptr i8, ptr %out, i64 %d{i}.{j}",
            f"  %o{i}.{j} = getelementptr i8, ptr %r{i}.{j}, i64 {4 * TILE * j}",
            f"  call void @llvm.x86.tilestored64(i8 {2 * i + j}, ptr %o{i}.{j}, i64 %apart)",
        ]
    return "\n".join([*lines, "  ret void", "}"]) + "\n"


def _tiled(translation, a: Value, row: Value, b: Value, out: Value, apart: Value, steps: Value) -> Value:
    for name, text in (*DECLARATIONS.items(), ("@tiled", kernel_text())):
        translation.unit.declare(name, text)
    row, apart, steps = (translation.converted(each, int64).text for each in (row, apart, steps))
    row, apart = (translation.emit(int64, f"mul i64 {each}, {size}").text for each, size in ((row, 2), (apart, 4)))
    translation.line(
        f"call void @tiled(ptr {a.text}, i64 {row}, ptr {b.text}, ptr {out.text}, i64 {apart}, i64 {steps})"
    )
    return Value(void, "")


@compiled_as(_tiled)
def tiled(a, row, b, out, apart, steps):
    """Writes a block of the result: rows that are so far apart, times a panel of pairs of bfloat16, in steps."""
    ones = np.array([a[i * row : i * row + steps * SIDE] for i in range(SIDE)], np.float32)
    pairs = np.ascontiguousarray(b[: steps * SIDE * SIDE // 2]).view(BFLOAT16).reshape(-1, SIDE, 2)
    found = ones @ pairs.swapaxes(1, 2).reshape(-1, SIDE).astype(np.float32)
    for i in range(SIDE):
        out[i * apart : i * apart + SIDE] = found[i]


def _prepared(call: str):
    def emit(translation) -> Value:
        for name, text in DECLARATIONS.items():
            translation.unit.declare(name, text)
        translation.line(f"call void @llvm.x86.{call}")
        return Value(void, "")

    return emit


@compiled_as(_prepared("ldtilecfg(ptr @tile_shapes)"))
def begin_tiles():
    """Says how large tiles are."""


@compiled_as(_prepared("tilerelease()"))
def end_tiles():
    """They are no longer needed."""


@deferred
@native(separate=True)
def pack_pairs(source: pointer(uint16), apart: int64, out: pointer(uint32), pairs: int64, columns: int64):
    """The first columns of a matrix as a panel of pairs, each of a number and the one below it."""
    for pair in range(pairs):
        above, line = offset(source, 2 * pair * apart), offset(out, pair * SIDE)
        below = offset(above, apart)
        for j in range(columns):
            line[j] = uint32(above[j]) | uint32(below[j]) << uint32(16)


@native(bare=True)
def product_of_tiles(
    out: pointer(float32), a: pointer(bfloat16), row: int64, above: int64, b: pointer(uint16), apart: int64,
    beside: int64, lies: boolean, batch: int64, rows: int64, steps: int64, columns: int64,
):  # fmt: skip
    """out (batch, rows, columns) = a times b, which has rows if it `lies`, otherwise columns one behind the other.

    Rows of a are so far apart, its matrices `above`, and it has whole blocks; of b they are `apart` and `beside`.
    """
    panels = (columns + SIDE - 1) // SIDE
    grain = QUICK * WORTH // (rows * steps * SIDE * SIDE) + 1
    parallel_for(
        panels_of_tiles, batch * panels, grain, out, a, row, above, b, apart, beside, lies, rows, steps, columns,
        panels,
    )  # fmt: skip


@native
def panels_of_tiles(
    out: pointer(float32), a: pointer(bfloat16), row: int64, above: int64, b: pointer(uint16), apart: int64,
    beside: int64, lies: boolean, rows: int64, steps: int64, columns: int64, panels: int64, first: int64, last: int64,
):  # fmt: skip
    """Some panels at a time, which stay in the second-level cache while all rows are multiplied by them."""
    pairs, allocate, release, begin = steps * SIDE // 2, ALLOCATE, RELEASE, first
    size = pairs * SIDE
    together = max(1, min(last - first, ROOM // size))
    memory = allocate(4 * (together * size + LANES))
    room = offset(pointer(float32)(memory), (64 - int64(memory) % 64) // 4)
    begin_tiles()
    while begin < last:
        number, left = begin // panels, begin % panels * SIDE
        end = min(min(last, begin + together), (number + 1) * panels)
        right = min(columns, left + (end - begin) * SIDE)
        pack_all(offset(b, number * beside), apart, lies, room, pairs, left, right)
        for i in range(0, rows, SIDE):
            place, target = offset(a, number * above + i * row), offset(out, (number * rows + i) * columns)
            blocks_of_tiles(place, row, room, size, target, columns, steps, rows - i, left, right)
        begin = end
    end_tiles()
    release(memory)


@native
def pack_all(
    b: pointer(uint16), apart: int64, lies: boolean, room: pointer(float32), pairs: int64, left: int64, right: int64
):
    """Columns of a matrix as panels of pairs."""
    for j in range(left, right, SIDE):
        panel, some = offset(room, (j - left) * pairs), min(SIDE, right - j)
        if lies:
            pack_pairs(offset(b, j), apart, pointer(uint32)(panel), pairs, some)
        else:
            pack_turned(pointer(float32)(offset(b, j * apart)), apart // 2, panel, pairs, pairs, some, SIDE)


@native
def blocks_of_tiles(
    a: pointer(bfloat16), row: int64, panels: pointer(float32), size: int64, out: pointer(float32), columns: int64,
    steps: int64, rows: int64, left: int64, right: int64,
):  # fmt: skip
    """Blocks of the result beside each other; those at an edge by way of a whole one."""
    block = local(float32, SIDE * SIDE)
    for j in range(left, right, SIDE):
        panel, target, some = offset(panels, (j - left) // SIDE * size), offset(out, j), min(SIDE, right - j)
        if rows >= SIDE and some == SIDE:
            tiled(a, row, panel, target, columns, steps)
        else:
            tiled(a, row, panel, block, SIDE, steps)
            for k in range(min(SIDE, rows)):
                for p in range(0, some, LANES):
                    store_some(target, k * columns + p, load_some(block, k * SIDE + p, 0, LANES), some - p)


@functools.cache
def has_tiles() -> bool:
    """Whether the processor has tiles of bfloat16, and lets this process use them."""
    if sys.platform != "linux" or not host().has("amx-bf16"):
        return False
    return ctypes.CDLL(None).syscall(SYSTEM_CALL, REQUEST, TILES) == 0


def whole_blocks(array, rows: int, depth: int, step: int = 1):
    """Matrices whose numbers of a row lie side by side, of so many rows and columns, filled up with zeros.

    From row to row and from matrix to matrix it is a multiple of the step.
    """
    lies = array.strides[-1] == 2 and not any(each % (2 * step) for each in array.strides[:-1])
    if array.shape[-2:] == (rows, depth) and lies:
        return array
    whole = np.zeros((*array.shape[:-2], rows, depth), array.dtype)
    whole[..., : array.shape[-2], : array.shape[-1]] = array
    return whole


def by_tiles(one, other):
    """The product of batches of bfloat16."""
    (batch, rows, depth), columns = one.shape, other.shape[-1]
    most, lies = -(-depth // SIDE) * SIDE, other.strides[2] == 2
    one = whole_blocks(one, -(-rows // SIDE) * SIDE, most)
    other = whole_blocks(other, most, columns) if lies else whole_blocks(other.swapaxes(1, 2), columns, most, 2)
    out = np.empty((batch, rows, columns), FLOAT32)
    steps = [each.strides[at] // 2 for each in (one, other) for at in (1, 0)]
    product_of_tiles.machine()(
        out, one, *steps[:2], other, *steps[2:], lies, batch, rows, most // SIDE, columns
    )  # fmt: skip
    return out


def by_lines(one, other):
    """The product of a few rows with lines of halves."""
    (rows, depth), columns = one.shape, other.shape[1]
    out = np.empty((rows, columns), FLOAT32)
    few_rows_of_halves.machine(number_of(other))(
        out, packed(one.astype(FLOAT32)), other, other.strides[1] // 2, rows, depth, columns
    )
    return out


@kernel_of("half_product", sized=None)
def half_product(one, other):
    size = max(one.size, other.size)
    if size < LEAST or not (WARMUP.over or WARMUP.pays_off(size)):
        return None
    if one.ndim == 2 and other.ndim == 1:
        turned = multiplied(other[None], one.T)
        return None if turned is None else turned[0]
    return multiplied(one, other)


def multiplied(one, other):
    """The product, or None where there is no kernel."""
    if one.dtype != other.dtype or one.dtype not in HALVES or one.ndim != other.ndim or not 2 <= one.ndim <= 3:
        return None
    if not one.size or not other.size:
        return None
    if one.ndim == 2 and len(one) <= FEW:
        return by_lines(one, other) if other.strides[0] == 2 and other.strides[1] >= 0 else None
    if one.dtype != BFLOAT16 or one.size * other.shape[-1] < TILED or one.shape[-1] > DEEPEST or not has_tiles():
        return None
    return by_tiles(one, other) if one.ndim == 3 else by_tiles(one[None], other[None])[0]
