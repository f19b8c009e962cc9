"""Matrix products in half precision: dot products for few rows, else bfloat16 tiles (AMX).

With few rows nearly all time is spent reading the other matrix; a float32 copy would triple the traffic, so elements
are widened as they are read. Tiles are registers of some processors (Intel, "Advanced matrix extensions") of 16 rows of
32 bfloat16; products accumulate in float32. A block of 2 x 2 tiles of the result stays in registers along the whole
sum.
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

SIDE = 32  # rows and columns of a block of the result, and terms per step
QUICK = 8  # products by tiles in the time of one by vectors
TILED = 1 << 15  # multiplications for which packing pays off
ROOM = 1 << 18  # pairs in panels that fill half of the second cache
DEEPEST = 1 << 16  # terms of a sum; a panel of one takes a few megabytes, and more could exhaust memory
LEAST = 1 << 12  # elements of the smallest matrix that pays off
REQUEST, TILES = 0x1023, 18  # `arch_prctl` arguments: request permission for the tile registers
SYSTEM_CALL = 158  # number of `arch_prctl`


# ---- few rows


@native(light=True)
def few_rows_product(
    out: pointer(float32), a: pointer(float32), b: pointer(T), stride: int64, rows: int64, depth: int64, columns: int64
):
    """Computes out (rows, columns) = a (rows, depth) times the rows of b, of stride `stride`; parallel over vectors of
    columns.
    """
    vectors = (columns + LANES - 1) // LANES
    parallel_for(few_rows_part, vectors, WORTH // (rows * depth * LANES) + 1, out, a, b, stride, rows, depth, columns)


@native(light=True)
def few_rows_part(
    out: pointer(float32), a: pointer(float32), b: pointer(T), stride: int64, rows: int64, depth: int64, columns: int64,
    first: int64, last: int64,
):  # fmt: skip
    for j in range(first * LANES, min(columns, last * LANES), LANES):
        for i in range(rows):
            sums = dots(offset(a, i * depth), offset(b, j * stride), stride, depth, columns - j)
            store_some(out, i * columns + j, sums, columns - j)


# ---- tiles


def quoted(text: bytes) -> str:
    """Returns a string literal of LLVM's text."""
    return '"' + "".join(f"\\{byte:02X}" for byte in text) + '"'


# Tile configuration: bytes per row, and rows.
SHAPES = bytes([1, *[0] * 15, *[64, 0] * 8, *[0] * 16, *[16] * 8, *[0] * 8])
DECLARATIONS = {
    "@tile_shapes": "@tile_shapes = private constant [64 x i8] c" + quoted(SHAPES),
    "@llvm.x86.ldtilecfg": "declare void @llvm.x86.ldtilecfg(ptr)",
    "@llvm.x86.tilerelease": "declare void @llvm.x86.tilerelease()",
    "@llvm.x86.tilezero": "declare void @llvm.x86.tilezero(i8)",
    "@llvm.x86.tileloadd64": "declare void @llvm.x86.tileloadd64(i8, ptr, i64)",
    "@llvm.x86.tilestored64": "declare void @llvm.x86.tilestored64(i8, ptr, i64)",
    "@llvm.x86.tdpbf16ps": "declare void @llvm.x86.tdpbf16ps(i8, i8, i8)",
}  # fmt: skip
TILE = 16  # rows of a tile
PLACES = [(row, column) for row in range(2) for column in range(2)]  # tiles in a block


def kernel_text() -> str:
    """Returns the LLVM definition of the kernel: one block of the result, from rows and a panel of pairs, in `steps`
    steps.
    """
    lines = [
        "define private void @tiled(ptr %a, i64 %row, ptr %b, ptr %out, i64 %apart, i64 %steps) #1 {",
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
    row, apart, steps = (translation.converted(value, int64).text for value in (row, apart, steps))
    row, apart = (translation.emit(int64, f"mul i64 {value}, {size}").text for value, size in ((row, 2), (apart, 4)))
    translation.line(
        f"call void @tiled(ptr {a.text}, i64 {row}, ptr {b.text}, ptr {out.text}, i64 {apart}, i64 {steps})"
    )
    return Value(void, "")


@compiled_as(_tiled)
def tiled(a, row, b, out, out_row, steps):
    """Computes a block of the result: strided rows times a panel of bfloat16 pairs."""
    ones = np.array([a[i * row : i * row + steps * SIDE] for i in range(SIDE)], np.float32)
    pairs = np.ascontiguousarray(b[: steps * SIDE * SIDE // 2]).view(BFLOAT16).reshape(-1, SIDE, 2)
    block = ones @ pairs.swapaxes(1, 2).reshape(-1, SIDE).astype(np.float32)
    for i in range(SIDE):
        out[i * out_row : i * out_row + SIDE] = block[i]


def _prepared(call: str):
    def emit(translation) -> Value:
        for name, text in DECLARATIONS.items():
            translation.unit.declare(name, text)
        translation.line(f"call void @llvm.x86.{call}")
        return Value(void, "")

    return emit


@compiled_as(_prepared("ldtilecfg(ptr @tile_shapes)"))
def begin_tiles():
    """Configures the tile registers."""


@compiled_as(_prepared("tilerelease()"))
def end_tiles():
    """Releases the tile registers."""


@deferred
@native(separate=True)
def pack_pairs(source: pointer(uint16), stride: int64, out: pointer(uint32), pairs: int64, columns: int64):
    """Packs columns of a matrix as a panel of pairs: an element and the one below it."""
    for pair in range(pairs):
        above, line = offset(source, 2 * pair * stride), offset(out, pair * SIDE)
        below = offset(above, stride)
        for j in range(columns):
            line[j] = uint32(above[j]) | uint32(below[j]) << uint32(16)


@native(bare=True)
def tile_products(
    out: pointer(float32), a: pointer(bfloat16), row: int64, a_matrix: int64, b: pointer(uint16), b_row: int64,
    b_matrix: int64, has_rows: boolean, batch: int64, rows: int64, steps: int64, columns: int64,
):  # fmt: skip
    """Computes out (batch, rows, columns) = a times b, which has contiguous rows if `has_rows`, else columns.

    `row` and `a_matrix` are the row and matrix strides of a, padded to whole blocks; `b_row` and `b_matrix` those of b.
    """
    panels = (columns + SIDE - 1) // SIDE
    grain = QUICK * WORTH // (rows * steps * SIDE * SIDE) + 1
    parallel_for(
        tile_panels, batch * panels, grain, out, a, row, a_matrix, b, b_row, b_matrix, has_rows, rows, steps, columns,
        panels,
    )  # fmt: skip


@native
def tile_panels(
    out: pointer(float32), a: pointer(bfloat16), row: int64, a_matrix: int64, b: pointer(uint16), b_row: int64,
    b_matrix: int64, has_rows: boolean, rows: int64, steps: int64, columns: int64, panels: int64, first: int64,
    last: int64,
):  # fmt: skip
    """Computes several panels at a time, which stay in the second cache while all rows use them."""
    pairs, allocate, release, begin = steps * SIDE // 2, ALLOCATE, RELEASE, first
    size = pairs * SIDE
    together = max(1, min(last - first, ROOM // size))
    memory = allocate(4 * (together * size + LANES))
    workspace = offset(pointer(float32)(memory), (64 - int64(memory) % 64) // 4)
    begin_tiles()
    while begin < last:
        number, left = begin // panels, begin % panels * SIDE
        end = min(min(last, begin + together), (number + 1) * panels)
        right = min(columns, left + (end - begin) * SIDE)
        pack_all(offset(b, number * b_matrix), b_row, has_rows, workspace, pairs, left, right)
        for i in range(0, rows, SIDE):
            a_rows, target = offset(a, number * a_matrix + i * row), offset(out, (number * rows + i) * columns)
            tile_blocks(a_rows, row, workspace, size, target, columns, steps, rows - i, left, right)
        begin = end
    end_tiles()
    release(memory)


@native
def pack_all(
    b: pointer(uint16),
    stride: int64,
    has_rows: boolean,
    panels: pointer(float32),
    pairs: int64,
    left: int64,
    right: int64,
):
    """Packs columns of a matrix as panels of pairs."""
    for j in range(left, right, SIDE):
        panel, some = offset(panels, (j - left) * pairs), min(SIDE, right - j)
        if has_rows:
            pack_pairs(offset(b, j), stride, pointer(uint32)(panel), pairs, some)
        else:
            pack_turned(pointer(float32)(offset(b, j * stride)), stride // 2, panel, pairs, pairs, some, SIDE)


@native
def tile_blocks(
    a: pointer(bfloat16), row: int64, panels: pointer(float32), size: int64, out: pointer(float32), columns: int64,
    steps: int64, rows: int64, left: int64, right: int64,
):  # fmt: skip
    """Computes blocks of the result next to each other; partial blocks go through a buffer."""
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
    """Returns whether the processor has bfloat16 tiles and the kernel lets this process use them."""
    if sys.platform != "linux" or not host().has("amx-bf16"):
        return False
    return ctypes.CDLL(None).syscall(SYSTEM_CALL, REQUEST, TILES) == 0


def whole_blocks(array, rows: int, depth: int, step: int = 1):
    """Returns matrices with contiguous rows, zero-padded to `rows` and `depth`; row and matrix strides are multiples of
    `step`.
    """
    fits = array.strides[-1] == 2 and not any(stride % (2 * step) for stride in array.strides[:-1])
    if array.shape[-2:] == (rows, depth) and fits:
        return array
    whole = np.zeros((*array.shape[:-2], rows, depth), array.dtype)
    whole[..., : array.shape[-2], : array.shape[-1]] = array
    return whole


def by_tiles(one, other):
    """Returns the product of batches of bfloat16."""
    (batch, rows, depth), columns = one.shape, other.shape[-1]
    most, has_rows = -(-depth // SIDE) * SIDE, other.strides[2] == 2
    one = whole_blocks(one, -(-rows // SIDE) * SIDE, most)
    other = whole_blocks(other, most, columns) if has_rows else whole_blocks(other.swapaxes(1, 2), columns, most, 2)
    out = np.empty((batch, rows, columns), FLOAT32)
    steps = [matrix.strides[axis] // 2 for matrix in (one, other) for axis in (1, 0)]
    tile_products.machine()(
        out, one, *steps[:2], other, *steps[2:], has_rows, batch, rows, most // SIDE, columns
    )  # fmt: skip
    return out


def by_lines(one, other):
    """Returns the product of few rows with rows in half precision."""
    (rows, depth), columns = one.shape, other.shape[1]
    out = np.empty((rows, columns), FLOAT32)
    few_rows_product.machine(number_of(other))(
        out, packed(one.astype(FLOAT32)), other, other.strides[1] // 2, rows, depth, columns
    )
    return out


@kernel_of("half_product", sized=None)
def half_product(one, other):
    size = max(one.size, other.size)
    if size < LEAST or not (WARMUP.over or WARMUP.pays_off(size)):
        return None
    if one.ndim == 2 and other.ndim == 1:
        transposed = multiply(other[None], one.T)
        return None if transposed is None else transposed[0]
    return multiply(one, other)


def multiply(one, other):
    """Returns the product; None if no kernel fits."""
    if one.dtype != other.dtype or one.dtype not in HALVES or one.ndim != other.ndim or not 2 <= one.ndim <= 3:
        return None
    if not one.size or not other.size:
        return None
    if one.ndim == 2 and len(one) <= FEW:
        return by_lines(one, other) if other.strides[0] == 2 and other.strides[1] >= 0 else None
    if one.dtype != BFLOAT16 or one.size * other.shape[-1] < TILED or one.shape[-1] > DEEPEST or not has_tiles():
        return None
    return by_tiles(one, other) if one.ndim == 3 else by_tiles(one[None], other[None])[0]
