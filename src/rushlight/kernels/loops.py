"""The loop that NumPy calls for our ufuncs: any strides, large arrays split over threads.

One function, `run`, serves all kernels. A kernel's own part is its inner loop over whole vectors of contiguous memory;
`run` receives its parameters as words that NumPy passes on as the loop's data. Strided memory is gathered into blocks
that stay in cache, and scattered from there; so is a part shorter than a vector; that code is compiled on first use.
Results that are too large for the caches are stored past them (`nontemporal.py`).
"""

from __future__ import annotations

import platform

from rushlight.core.policy import GRAIN, SHARED
from rushlight.lower import nontemporal
from rushlight.lower.language import compiled_as, local, offset
from rushlight.lower.lazy_compile import address_in, deferred
from rushlight.lower.machine_text import Value
from rushlight.lower.machine_types import (
    Element,
    boolean,
    function,
    int32,
    int64,
    pointer,
    uint8,
    uint16,
    uint32,
    uint64,
    void,
)
from rushlight.lower.native import native
from rushlight.lower.parallel import parallel_for

T = Element("T")
# The words of a kernel. The first two are the cell of the inner loop's address; LARGEST is the number of elements up to
# which results stay in cache; from WIDTHS on, the element size of each array in bytes, 0 for a scalar.
INNER_LOOP, _, OPERANDS, ARRAYS, LANES, LARGEST, WIDTHS = range(7)
MOST = 16  # operands and results
BLOCK = 512  # elements
LINE = nontemporal.LINE  # bytes
WORDS = MOST * BLOCK
VECTORS = 16  # in a block, of 32 lanes at most

# Arguments: pointers to the arrays, elements per row, whether results are stored past the caches, the row stride in
# bytes per array, number of rows. The strides are followed by EACH for every array, or ONE if a row is one repeated
# element.
InnerLoop = function(pointer(int64), int64, boolean, pointer(int64), int64)
EACH, ONE = -1, 0

# Kernels compute both sides of a select and compare with NaN: floating-point flags raised by that are restored to what
# they were, where the machine gives access to them.
REGISTERS = platform.machine().lower() in ("x86_64", "amd64")


def _flags(translation) -> Value:
    if not REGISTERS:
        return Value(int32, "0")
    slot = translation.slot(int32)
    translation.unit.declare("stmxcsr", "declare void @llvm.x86.sse.stmxcsr(ptr)")
    translation.line(f"call void @llvm.x86.sse.stmxcsr(ptr {slot.text})")
    return translation.emit(int32, f"load i32, ptr {slot.text}")


def _set_flags(translation, before: Value) -> Value:
    if not REGISTERS:
        translation.unit.declare("feclearexcept", "declare i32 @feclearexcept(i32)")
        translation.line("call i32 @feclearexcept(i32 31)")
        return Value(void, "")
    slot = translation.slot(int32)
    translation.line(f"store i32 {before.text}, ptr {slot.text}")
    translation.unit.declare("ldmxcsr", "declare void @llvm.x86.sse.ldmxcsr(ptr)")
    translation.line(f"call void @llvm.x86.sse.ldmxcsr(ptr {slot.text})")
    return Value(void, "")


@compiled_as(_flags)
def flags():
    """Returns the floating-point control and status register."""
    return 0


@compiled_as(_set_flags)
def set_flags(before):
    """Restores the floating-point control and status register."""


def _fence(translation) -> Value:
    translation.line("fence seq_cst")
    return Value(void, "")


@compiled_as(_fence)
def fence():
    """Orders stores past the caches before later reads."""


@native(light=True)
def run(args: pointer(int64), dims: pointer(int64), steps: pointer(int64), kernel: pointer(int64)):
    """The loop that NumPy calls, without the GIL."""
    before = flags()
    address_in(kernel)
    count = dims[0]
    if count >= SHARED:
        parallel_for(stretch, count, GRAIN, args, steps, kernel, count)
    else:
        stretch(args, steps, kernel, count, 0, count)
    set_flags(before)


@native
def stretch(args: pointer(int64), steps: pointer(int64), kernel: pointer(int64), all: int64, begin: int64, end: int64):
    """Computes the elements [begin, end) of `all`."""
    data, moves, arrays = local(int64, MOST), local(int64, 2 * MOST), kernel[ARRAYS]
    count, strided, alignment = end - begin, int64(0), int64(0)
    for i in range(arrays):
        address, step, width = args[i], steps[i], kernel[WIDTHS + i]
        moves[arrays + i] = EACH
        if i >= kernel[OPERANDS]:
            alignment |= address
        elif step == 0:
            width, moves[arrays + i] = 0, ONE
        if width != 0:
            address += begin * step
            strided |= step ^ width
        data[i], moves[i] = address, width
    if strided != 0:
        in_blocks(data, steps, kernel, count)
        return
    if all > kernel[LARGEST] and alignment % LINE == 0:
        count -= past_caches(data, moves, kernel, count, -begin % LINE)
    run_contiguous(data, moves, kernel, count)


@deferred
@native(light=True)
def past_caches(
    data: pointer(int64), moves: pointer(int64), kernel: pointer(int64), count: int64, first: int64
) -> int64:
    """Computes whole cache lines, stored past the caches, after `first` elements up to the first aligned one."""
    lead = min(count, first)
    whole, inner_loop = (count - lead) & -LINE, InnerLoop(kernel[INNER_LOOP])
    run_contiguous(data, moves, kernel, lead)
    advance(data, moves, kernel, lead)
    if whole > 0:
        inner_loop(data, whole, True, moves, 1)
    advance(data, moves, kernel, whole)
    fence()
    return lead + whole


@native(inlined=True)
def run_contiguous(data: pointer(int64), moves: pointer(int64), kernel: pointer(int64), count: int64):
    """Computes contiguous memory: whole vectors and the rest."""
    inner_loop, lanes = InnerLoop(kernel[INNER_LOOP]), kernel[LANES]
    left = count % lanes
    if count < lanes:
        in_blocks(data, moves, kernel, count)
    elif left > 0 and not are_disjoint(data, kernel, count):
        ends_first(data, moves, kernel, count, 1)
    else:
        inner_loop(data, count, False, moves, 1)


@deferred
@native(light=True)
def ends_first(data: pointer(int64), moves: pointer(int64), kernel: pointer(int64), count: int64, rows: int64):
    """Handles results that overwrite an operand: the last vectors are computed first, and their rest is stored last."""
    inner_loop, lanes, arrays, operands = InnerLoop(kernel[INNER_LOOP]), kernel[LANES], kernel[ARRAYS], kernel[OPERANDS]
    row_data, ends, end_moves = local(int64, MOST), local(int64, MOST), local(int64, 2 * MOST)
    memory, left, whole = local(int64, WORDS), count % lanes, count // lanes * lanes
    for row in range(0, rows, VECTORS):
        some = min(int64(VECTORS), rows - row)
        for i in range(arrays):
            row_data[i], end_moves[i], end_moves[arrays + i] = data[i] + row * moves[i], moves[i], moves[arrays + i]
            ends[i] = row_data[i] + ((count - lanes) * kernel[WIDTHS + i] & moves[arrays + i])
            if i >= operands:
                ends[i], end_moves[i] = int64(offset(memory, i * BLOCK)), lanes * kernel[WIDTHS + i]
        inner_loop(ends, lanes, False, end_moves, some)
        inner_loop(row_data, whole, False, moves, some)
        for i in range(operands, arrays):
            width = kernel[WIDTHS + i]
            for row_index in range(some):
                source = ends[i] + ((row_index + 1) * lanes - left) * width
                move(row_data[i] + row_index * moves[i] + whole * width, width, source, width, width, left)


@native(inlined=True)
def are_disjoint(data: pointer(int64), kernel: pointer(int64), count: int64) -> boolean:
    """Returns whether no result overlaps an operand."""
    for i in range(kernel[OPERANDS], kernel[ARRAYS]):
        begin = data[i]
        end = begin + count * kernel[WIDTHS + i]
        for j in range(kernel[OPERANDS]):
            other = data[j]
            if (other < end) & (begin < other + count * kernel[WIDTHS + j]):
                return False
    return True


@native
def advance(data: pointer(int64), moves: pointer(int64), kernel: pointer(int64), count: int64):
    """Advances the pointers by `count` elements."""
    for i in range(kernel[ARRAYS]):
        data[i] += count * moves[i]


@deferred
@native(light=True)
def in_blocks(data: pointer(int64), steps: pointer(int64), kernel: pointer(int64), count: int64):
    """Computes any memory, through blocks where it is strided or ends within a vector."""
    inner_loop, lanes, arrays = InnerLoop(kernel[INNER_LOOP]), kernel[LANES], kernel[ARRAYS]
    memory, block_data, moves = local(int64, WORDS), local(int64, MOST), local(int64, 2 * MOST)
    for at in range(0, count, BLOCK):
        some = min(int64(BLOCK), count - at)
        full = (some + lanes - 1) & -lanes
        for i in range(arrays):
            width, step = kernel[WIDTHS + i], steps[i]
            block_data[i], moves[i], moves[arrays + i] = data[i] + at * step, 0, EACH
            if width == 0:
                block_data[i] = data[i]
            elif i < kernel[OPERANDS] and step == 0:
                moves[arrays + i] = ONE
            elif step != width or some != full:
                block_data[i] = int64(offset(memory, i * BLOCK))
                if i < kernel[OPERANDS]:
                    move(block_data[i], width, data[i] + at * step, step, width, some)
                    # The last element fills the vector: leftover memory could take the slow path.
                    last = block_data[i] + some * width
                    move(last, width, last - width, int64(0), width, full - some)
        inner_loop(block_data, full, False, moves, 1)
        for i in range(kernel[OPERANDS], arrays):
            target = data[i] + at * steps[i]
            if block_data[i] != target:
                move(target, steps[i], block_data[i], kernel[WIDTHS + i], kernel[WIDTHS + i], some)


@native
def move(out: int64, out_step: int64, source: int64, step: int64, width: int64, count: int64):
    """Copies strided elements of `width` bytes."""
    target, begin = pointer(uint8)(out), pointer(uint8)(source)
    if width == 4:
        move_all(pointer(uint32)(out), target, out_step, begin, step, count)
    elif width == 8:
        move_all(pointer(uint64)(out), target, out_step, begin, step, count)
    else:
        for i in range(count):
            if width == 2:
                pointer(uint16)(offset(target, i * out_step))[0] = pointer(uint16)(offset(begin, i * step))[0]
            else:
                target[i * out_step] = begin[i * step]


@native
def move_all(like: pointer(T), out: pointer(uint8), out_step: int64, source: pointer(uint8), step: int64, count: int64):
    # Two at a time: a loop over one is so short that it takes half as long again if it straddles two cache lines.
    for i in range(0, count & -2, 2):
        pointer(T)(offset(out, i * out_step))[0] = pointer(T)(offset(source, i * step))[0]
        pointer(T)(offset(out, (i + 1) * out_step))[0] = pointer(T)(offset(source, (i + 1) * step))[0]
    if count % 2 == 1:
        last = count - 1
        pointer(T)(offset(out, last * out_step))[0] = pointer(T)(offset(source, last * step))[0]
