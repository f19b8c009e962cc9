"""The innermost piece of every product of matrices: a small tile of the result, held in registers.

    out[i, j] = (before[i, j] +) sum over p of a[p, i] * b[p, j]       for `ROWS` rows and `COLUMNS` columns

LLVM does not keep an array of vectors in registers through a loop by itself, so this is written as LLVM's text. Source
of the scheme: Goto and van de Geijn, "Anatomy of high-performance matrix multiplication", 2008; Van Zee and van de
Geijn, "BLIS: a framework for rapidly instantiating BLAS functionality", 2015.
"""

import ast
import platform
from functools import cache

import numpy as np

from rushlight.compiler.deferred import Deferred
from rushlight.compiler.kernels.vectors import LANES, MASK, MEMORY
from rushlight.compiler.language import Imported, compiled_as
from rushlight.compiler.llvm import COMPILING, LIGHT, build
from rushlight.compiler.machine_text import Value
from rushlight.compiler.machine_types import boolean, float32, function, int64, pointer, void

# Accumulators, the vectors of b and one number of a fit into the registers: 32 with AVX-512 and on ARM, else 16.
VECTORS = 2
ROWS = 8 if LANES == 16 or platform.machine().lower() in ("aarch64", "arm64") else 4
COLUMNS = VECTORS * LANES
FMA = f"@llvm.fma.v{LANES}f32"
LOAD = f"@llvm.masked.load.v{LANES}f32.p0"
STORE = f"@llvm.masked.store.v{LANES}f32.p0"


def kernel_text(symbol: str, whole: bool, listed: str = "", vectors: int = VECTORS) -> str:
    """The definition of the kernel: for `whole` tiles, or for what is left of them at an edge.

    If a or b is `listed`, a list says where its rows begin, and `row` or `apart` is its address. What is added to lies
    at `before`, if that is not null, with its rows `above` apart.

    Rows beyond the last one are the last one once more; lanes beyond the last column are neither read nor written.
    """
    tiles = [(i, j) for i in range(ROWS) for j in range(vectors)]
    head = [
        f"define void @{symbol}(i64 %depth, ptr %a, {'ptr' if listed == 'a' else 'i64'} %row, i64 %step, "
        f"ptr %b, {'ptr' if listed == 'b' else 'i64'} %apart, ptr %before, i64 %above, ptr %out, i64 %stride, "
        "i64 %rows, i64 %columns) nounwind {",
        "entry:",
        *places(whole, vectors, listed),
        "  %some = icmp sgt i64 %depth, 0",
        "  br i1 %some, label %loop, label %end",
        "loop:",
        "  %p = phi i64 [ 0, %entry ], [ %next, %loop ]",
        "  %at = phi i64 [ 0, %entry ], [ %at.next, %loop ]",
        *([] if listed == "b" else ["  %bt = phi i64 [ 0, %entry ], [ %bt.next, %loop ]"]),
        *(f"  %c{i}.{j} = phi {MEMORY} [ zeroinitializer, %entry ], [ %d{i}.{j}, %loop ]" for i, j in tiles),
    ]
    if listed == "b":
        head += ["  %place = getelementptr i64, ptr %apart, i64 %p", "  %bt = load i64, ptr %place"]
    tail = [
        "  %at.next = add i64 %at, %step",
        *([] if listed == "b" else ["  %bt.next = add i64 %bt, %apart"]),
        "  %next = add i64 %p, 1",
        "  %more = icmp slt i64 %next, %depth",
        "  br i1 %more, label %loop, label %end",
        "end:",
        *(f"  %e{i}.{j} = phi {MEMORY} [ zeroinitializer, %entry ], [ %d{i}.{j}, %loop ]" for i, j in tiles),
        "  %alone = icmp eq ptr %before, null",
        "  br i1 %alone, label %writing, label %adding",
        "adding:",
        *(line for i in range(ROWS) for line in row_of("before", "above", "f", i, vectors)),
        *(read(f"l{i}.{j}", f"%f{i}.{j}", j, whole) for i, j in tiles),
        *(f"  %s{i}.{j} = fadd {MEMORY} %l{i}.{j}, %e{i}.{j}" for i, j in tiles),
        "  br label %writing",
        "writing:",
        *(f"  %o{i}.{j} = phi {MEMORY} [ %e{i}.{j}, %end ], [ %s{i}.{j}, %adding ]" for i, j in tiles),
        *(written(f"%o{i}.{j}", f"%q{i}.{j}", j, whole) for i, j in tiles),
        "  ret void",
        "}",
    ]
    return "\n".join([*head, *(fetched() if whole else ()), *products(whole, vectors), *tail]) + "\n"


def fetched() -> list[str]:
    """Every other step of the sum asks for a line of the result: all at once, they would keep back what is read.

    Four numbers of a row are asked for, since a row that begins within a line ends in one line more.
    """
    return [
        "  %w.step = and i64 %p, 6",
        f"  %w.column = mul i64 %w.step, {(COLUMNS - 1) // 6}",
        "  %w.line = lshr i64 %p, 3",
        f"  %w.row = and i64 %w.line, {ROWS - 1}",
        "  %w.far = mul i64 %w.row, %stride",
        "  %w.at = getelementptr float, ptr %out, i64 %w.far",
        "  %w.place = getelementptr float, ptr %w.at, i64 %w.column",
        "  call void @llvm.prefetch.p0(ptr %w.place, i32 1, i32 3, i32 1)",
    ]


def places(whole: bool, vectors: int, listed: str) -> list[str]:
    """Where the rows of a begin, and the vectors of the tile; which lanes are there."""
    lines = ["  %end.row = sub i64 %rows, 1"]
    for i in range(ROWS):
        lines.append(f"  %i{i} = call i64 @llvm.smin.i64(i64 {i}, i64 {i if whole else '%end.row'})")
        if listed == "a":
            lines += [f"  %al{i} = getelementptr i64, ptr %row, i64 %i{i}", f"  %ar{i} = load i64, ptr %al{i}"]
        else:
            lines.append(f"  %ar{i} = mul i64 %i{i}, %row")
        lines.append(f"  %a{i} = getelementptr float, ptr %a, i64 %ar{i}")
        lines += row_of("out", "stride", "q", i, vectors)
    lines.append(f"  %one = insertelement <{LANES} x i64> poison, i64 %columns, i32 0")
    zeros = f"<{LANES} x i32> zeroinitializer"
    lines.append(f"  %bound = shufflevector <{LANES} x i64> %one, <{LANES} x i64> poison, {zeros}")
    for j in range(vectors):
        lanes = ", ".join(f"i64 {j * LANES + lane}" for lane in range(LANES))
        lines.append(f"  %m{j} = icmp slt <{LANES} x i64> <{lanes}>, %bound")
    return lines


def row_of(base: str, stride: str, name: str, i: int, vectors: int) -> list[str]:
    """Where the vectors of a row of a tile are."""
    return [
        f"  %{name}r{i} = mul i64 %i{i}, %{stride}",
        f"  %{name}{i}.0 = getelementptr float, ptr %{base}, i64 %{name}r{i}",
        *(f"  %{name}{i}.{j} = getelementptr float, ptr %{name}{i}.0, i64 {j * LANES}" for j in range(1, vectors)),
    ]


def products(whole: bool, vectors: int) -> list[str]:
    """One step of the sum: every product of a number of a with a vector of b."""
    lines = ["  %bp0 = getelementptr float, ptr %b, i64 %bt"]
    lines += [f"  %bp{j} = getelementptr float, ptr %bp0, i64 {j * LANES}" for j in range(1, vectors)]
    lines += [read(f"b{j}", f"%bp{j}", j, whole) for j in range(vectors)]
    for i in range(ROWS):
        lines += [
            f"  %ap{i} = getelementptr float, ptr %a{i}, i64 %at",
            f"  %as{i} = load float, ptr %ap{i}",
            f"  %av{i} = insertelement {MEMORY} poison, float %as{i}, i32 0",
            f"  %aw{i} = shufflevector {MEMORY} %av{i}, {MEMORY} poison, <{LANES} x i32> zeroinitializer",
        ]
        for j in range(vectors):
            factors = f"{MEMORY} %aw{i}, {MEMORY} %b{j}, {MEMORY} %c{i}.{j}"
            lines.append(f"  %d{i}.{j} = call {MEMORY} {FMA}({factors})")
    return lines


def read(name: str, place: str, j: int, whole: bool) -> str:
    if whole:
        return f"  %{name} = load {MEMORY}, ptr {place}, align 4"
    return f"  %{name} = call {MEMORY} {LOAD}(ptr {place}, i32 4, {MASK} %m{j}, {MEMORY} zeroinitializer)"


def written(value: str, place: str, j: int, whole: bool) -> str:
    if whole:
        return f"  store {MEMORY} {value}, ptr {place}, align 4"
    return f"  call void {STORE}({MEMORY} {value}, ptr {place}, i32 4, {MASK} %m{j})"


DECLARATIONS = {
    FMA: f"declare {MEMORY} {FMA}({MEMORY}, {MEMORY}, {MEMORY})",
    LOAD: f"declare {MEMORY} {LOAD}(ptr, i32, {MASK}, {MEMORY})",
    STORE: f"declare void {STORE}({MEMORY}, ptr, i32, {MASK})",
    "@llvm.prefetch.p0": "declare void @llvm.prefetch.p0(ptr, i32, i32, i32)",
    "@llvm.smin.i64": "declare i64 @llvm.smin.i64(i64, i64)",
}


# The kernels, by their names, and what they are like: those that are compiled together.
GROUPS = (
    {"tile_product": (True, "", VECTORS)},
    {"edge_product": (False, "", VECTORS), "narrow_product": (False, "", 1)},
    {"product_of_listed_a": (True, "a", VECTORS)},
    {"product_of_listed_b": (True, "b", VECTORS)},
)


@cache
def built(number: int) -> dict[str, int]:
    return build(text(number), *GROUPS[number], passes=LIGHT)


def addresses(number: int) -> dict[str, int]:
    """Where the kernels of a group are, compiled once for all that call them."""
    with COMPILING:
        return built(number)


def text(number: int) -> str:
    """The module of a group."""
    kernels = (kernel_text(symbol, *like) for symbol, like in GROUPS[number].items())
    return "\n".join((*DECLARATIONS.values(), *kernels))


# How every kernel is called; some are compiled when that first happens, as most products have no edge.
FLOATS = pointer(float32)
CALL = function(int64, FLOATS, int64, int64, FLOATS, int64, FLOATS, int64, FLOATS, int64, int64, int64)
EDGES = 1


def kernel(symbol: str, number: int) -> Imported | Deferred:
    """A kernel of a group, as other machine code finds it."""
    if number == EDGES:
        return Deferred(symbol, lambda: CALL, lambda: addresses(number)[symbol])
    return Imported(f"rushlight_{symbol}", function(), lambda: addresses(number)[symbol])


KERNELS = {symbol: kernel(symbol, number) for number, group in enumerate(GROUPS) for symbol in group}


def _arguments(translation, kinds, given) -> list[str]:
    """Values as arguments of a kernel; None stands for a pointer."""
    return [
        f"i64 {translation.converted(value, kind).text}" if kind else f"ptr {value.text}"
        for value, kind in zip(given, kinds, strict=True)
    ]


def _by_size(translation, values: str, rows: Value, columns: Value) -> Value:
    """Calls the kernel for whole tiles, or one for edges: of all vectors, or of one where that is enough."""
    rows, columns = translation.converted(rows, int64), translation.converted(columns, int64)
    tests = [
        translation.compared(ast.GtE(), value, Value(int64, str(size)))
        for value, size in ((rows, ROWS), (columns, COLUMNS))
    ]
    all_of_it = translation.emit(boolean, f"and i1 {tests[0].text}, {tests[1].text}")
    whole, part, wide, narrow, end = (translation.label() for _ in range(5))
    translation.branch(all_of_it, whole, part)
    translation.line(f"{part}:")
    translation.branch(translation.compared(ast.Gt(), columns, Value(int64, str(LANES))), wide, narrow)
    for label, symbol in ((whole, "tile_product"), (wide, "edge_product"), (narrow, "narrow_product")):
        translation.line(f"{label}:")
        translation.line(f"call void {KERNELS[symbol].as_value(translation).text}({values})")
        translation.line(f"br label %{end}")
    translation.line(f"{end}:")
    return Value(void, "")


def _added_to(translation, out: Value, stride: Value, add: Value) -> str:
    """The tile itself as what is added to, or nothing."""
    place = translation.name()
    translation.line(f"{place} = select i1 {translation.truth(add).text}, ptr {out.text}, ptr null")
    return f"ptr {place}, i64 {translation.converted(stride, int64).text}"


def _tile_product(translation, *given: Value) -> Value:
    kinds = (int64, None, int64, int64, None, int64, None, int64, int64, int64)
    values = _arguments(translation, kinds, given[:-1])
    values.insert(6, _added_to(translation, given[6], given[7], given[-1]))
    return _by_size(translation, ", ".join(values), given[8], given[9])


@compiled_as(_tile_product)
def tile_product(depth, a, row, step, b, apart, out, stride, rows, columns, add):
    """A tile of the product, or its first `rows` and `columns` if it is at an edge.

    The rows of `a` are `row` apart and their elements `step`; the rows of `b` are `apart` and those of `out` `stride`.
    """
    rows, columns = min(rows, ROWS), min(columns, COLUMNS)
    for i in range(rows):
        line = out[i * stride : i * stride + columns]
        found = line if add else np.zeros(columns, out.dtype)
        steps = (a[i * row + p * step] * b[p * apart : p * apart + columns] for p in range(depth))
        line[...] = sum(steps, found)


def _tile_of_sum(translation, *given: Value) -> Value:
    kinds = (int64, None, int64, int64, None, int64, None, int64, None, int64, int64, int64)
    return _by_size(translation, ", ".join(_arguments(translation, kinds, given)), given[10], given[11])


@compiled_as(_tile_of_sum)
def tile_of_sum(depth, a, row, step, b, apart, before, above, out, stride, rows, columns):
    """The same, added to what is at `before`, where rows are `above` apart; to nothing if it is null."""
    raise NotImplementedError("null is no array: only machine code can run this")


def _tile_of(listed: str):
    """A whole tile, of which a list says where the rows of a or b begin."""
    kinds = (int64, None, None if listed == "a" else int64, int64, None, None if listed == "b" else int64, None, int64)

    def emit(translation, *given: Value) -> Value:
        values = _arguments(translation, kinds, given[:-1])
        values.insert(6, _added_to(translation, given[6], given[7], given[-1]))
        place = KERNELS[f"product_of_listed_{listed}"].as_value(translation).text
        translation.line(f"call void {place}({', '.join(values)}, i64 {ROWS}, i64 {COLUMNS})")
        return Value(void, "")

    return emit


@compiled_as(_tile_of("b"))
def tile_of_listed(depth, a, row, step, b, places, out, stride, add):
    """A whole tile of the product, where the rows of `b` begin at `places`."""
    for i in range(ROWS):
        line = out[i * stride : i * stride + COLUMNS]
        found = line if add else np.zeros(COLUMNS, out.dtype)
        line[...] = sum((a[i * row + p * step] * b[places[p] : places[p] + COLUMNS] for p in range(depth)), found)


@compiled_as(_tile_of("a"))
def tile_of_rows(depth, a, places, step, b, apart, out, stride, add):
    """A whole tile of the product, where the rows of `a` begin at `places`."""
    for i in range(ROWS):
        tile_product(depth, a[places[i] :], 0, step, b, apart, out[i * stride :], stride, 1, COLUMNS, add)
