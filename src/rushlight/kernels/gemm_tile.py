"""Micro-kernels of matrix products: a small tile of the result, held in registers.

    out[i, j] = (before[i, j] +) sum over p of a[p, i] * b[p, j]       for `ROWS` rows and `COLUMNS` columns

LLVM does not keep an array of vectors in registers through a loop, so the kernels are written as LLVM text.

Source: Goto and van de Geijn, "Anatomy of high-performance matrix multiplication", 2008; Van Zee and van de Geijn,
"BLIS: a framework for rapidly instantiating BLAS functionality", 2015.
"""

import ast
import platform
from typing import NamedTuple

import numpy as np

from rushlight.kernels import masked_store
from rushlight.kernels.vectors import LANES, MASK, MEMORY, vector
from rushlight.lower.language import compiled_as
from rushlight.lower.lazy_compile import Deferred, called_by
from rushlight.lower.llvm import TILES, build, host
from rushlight.lower.machine_text import Value
from rushlight.lower.machine_types import boolean, function, int64, pointer, void
from rushlight.lower.nontemporal import PREFETCH

# Accumulators, vectors of b and one element of a fit the registers: 32 with AVX-512 and on ARM, else 16. Fewer rows
# would load more per product, which costs nothing until the core is shared with another program.
REGISTERS = 32 if LANES == 16 or platform.machine().lower() in ("aarch64", "arm64") else 16
ROWS, VECTORS = (8, 2) if REGISTERS == 32 else (6, 2)
COLUMNS = VECTORS * LANES
# Tile with a list of row offsets of b: its rows are filters, usually a multiple of four.
LISTED_ROWS, LISTED_VECTORS = (8, 2) if REGISTERS == 32 else (4, 3)
LISTED_COLUMNS = LISTED_VECTORS * LANES
# Tile that reads b from the second cache, 0 if there are too few registers: four vectors are loaded for six elements of
# a, which leaves time to prefetch.
WIDE_ROWS, WIDE_VECTORS = (6, 4) if REGISTERS == 32 and LANES == 16 else (0, 0)
WIDE_COLUMNS = WIDE_VECTORS * LANES
SHORT = 4  # rows of the smaller tile at an edge
STEPS = 4  # unrolled steps of the sum: one step loses a twentieth of the time, at an edge too little to matter
APART = 16  # steps between prefetches of the result's rows
FMA = f"@llvm.fma.v{LANES}f32"
LOAD = f"@llvm.masked.load.v{LANES}f32.p0"
STORE = f"@llvm.masked.store.v{LANES}f32.p0"


class Tile(NamedTuple):
    """The parameters of a kernel.

    If a or b is `listed`, a list holds the offsets of its rows, and `row` or `apart` is its address. With `fewer_rows`,
    rows past the last repeat it; with `fewer_columns`, lanes past the last are masked.
    """

    rows: int = ROWS
    vectors: int = VECTORS
    fewer_rows: bool = False
    fewer_columns: bool = False
    listed: str = ""

    @property
    def places(self) -> list[tuple[int, int]]:
        return [(i, j) for i in range(self.rows) for j in range(self.vectors)]

    @property
    def steps(self) -> int:
        """Returns the number of unrolled steps of the sum."""
        return (
            1 if self.fewer_rows or self.fewer_columns else STEPS if len(self.places) <= ROWS * VECTORS else STEPS // 2
        )


def kernel_text(symbol: str, tile: Tile) -> str:
    """Returns the LLVM definition of a kernel; it adds the tile at `before`, of row stride `above`, if not null."""
    steps = tile.steps
    lines = [
        f"define void @{symbol}(i64 %depth, ptr %a, {'ptr' if tile.listed == 'a' else 'i64'} %row, i64 %step, "
        f"ptr %b, {'ptr' if tile.listed == 'b' else 'i64'} %apart, ptr %before, i64 %above, ptr %out, i64 %stride, "
        "i64 %rows, i64 %columns) nounwind {",
        "entry:",
        *places(tile),
        *(loop("many", "entry", steps, tile) if steps > 1 else ()),
        *loop("rest", "many.end" if steps > 1 else "entry", 1, tile),
        "  %alone = icmp eq ptr %before, null",
        "  br i1 %alone, label %writing, label %adding",
        "adding:",
        *(line for i in range(tile.rows) for line in row_of("before", "above", "f", i, tile.vectors)),
        *(read(f"l{i}.{j}", f"%f{i}.{j}", j, tile) for i, j in tile.places),
        *(f"  %s{i}.{j} = fadd {MEMORY} %l{i}.{j}, %rest.end.c{i}.{j}" for i, j in tile.places),
        "  br label %writing",
        "writing:",
        *(
            f"  %o{i}.{j} = phi {MEMORY} [ %rest.end.c{i}.{j}, %rest.end ], [ %s{i}.{j}, %adding ]"
            for i, j in tile.places
        ),
        *(line for i, j in tile.places for line in written(f"o{i}.{j}", f"%q{i}.{j}", j, tile)),
        "  ret void",
        "}",
    ]
    return "\n".join(lines) + "\n"


def loop(name: str, origin: str, steps: int, tile: Tile) -> list[str]:
    """Returns a loop that continues the sum from block `origin`, `steps` at a time; the rest is at `name`.end."""
    values = {"p": ("i64", "0", "add i64 {}, 1"), **moving(tile)}
    sums = {f"c{i}.{j}": (MEMORY, "zeroinitializer", "") for i, j in tile.places}
    before = {value: first for value, (_, first, _) in (values | sums).items()}
    if origin != "entry":
        before = {value: f"%{origin}.{value}" for value in before}
    back = "multiplying" if steps > 1 else name
    types = {value: type_ for value, (type_, _, _) in (values | sums).items()}
    lines = [
        f"  %{name}.most = sub i64 %depth, {steps}",
        f"  %{name}.fits = icmp sle i64 {before['p']}, %{name}.most",
        f"  br i1 %{name}.fits, label %{name}, label %{name}.end",
        f"{name}:",
        *(
            f"  %{name}.{value}.0 = phi {type_} [ {before[value]}, %{origin} ], [ %{name}.{value}.{steps}, %{back} ]"
            for value, type_ in types.items()
        ),
        *(fetched(f"%{name}.p.0", tile) if back != name else ()),
    ]
    for k in range(steps):
        lines += products(name, k, tile)
        for value, (_, _, on) in values.items():
            lines.append(f"  %{name}.{value}.{k + 1} = " + on.format(f"%{name}.{value}.{k}"))
    return [
        *lines,
        f"  %{name}.more = icmp sle i64 %{name}.p.{steps}, %{name}.most",
        f"  br i1 %{name}.more, label %{name}, label %{name}.end",
        f"{name}.end:",
        *(
            f"  %{name}.end.{value} = phi {type_} [ {before[value]}, %{origin} ], [ %{name}.{value}.{steps}, %{back} ]"
            for value, type_ in types.items()
        ),
    ]


def moving(tile: Tile) -> dict[str, tuple[str, str, str]]:
    """Returns the loop variables with start and increment: the offset in b, and in the rows of a.

    Where rows of a are equidistant, pointers to every third row: address modes reach the two after it.
    """
    variables = {} if tile.listed == "b" else {"bt": ("i64", "0", "add i64 {}, %apart")}
    if not is_even(tile):
        return variables | {"at": ("i64", "0", "add i64 {}, %step")}
    return variables | {
        f"a{i}": ("ptr", f"%a{i}", "getelementptr float, ptr {}, i64 %step") for i in range(0, tile.rows, 3)
    }


def is_even(tile: Tile) -> bool:
    """Returns whether all rows of a exist, at equal distances."""
    return not tile.fewer_rows and tile.listed != "a"


def places(tile: Tile) -> list[str]:
    """Returns the code that computes the row pointers of a, the tile's addresses and the lane masks."""
    lines = ["  %end.row = sub i64 %rows, 1"]
    if is_even(tile):
        lines.append("  %twice = shl i64 %row, 1")
    for i in range(tile.rows):
        lines.append(f"  %i{i} = call i64 @llvm.smin.i64(i64 {i}, i64 {'%end.row' if tile.fewer_rows else i})")
        if tile.listed == "a":
            lines += [f"  %al{i} = getelementptr i64, ptr %row, i64 %i{i}", f"  %ar{i} = load i64, ptr %al{i}"]
        else:
            lines.append(f"  %ar{i} = mul i64 %i{i}, %row")
        lines.append(f"  %a{i} = getelementptr float, ptr %a, i64 %ar{i}")
        lines += row_of("out", "stride", "q", i, tile.vectors)
    lines.append(f"  %one = insertelement <{LANES} x i64> poison, i64 %columns, i32 0")
    zeros = f"<{LANES} x i32> zeroinitializer"
    lines.append(f"  %bound = shufflevector <{LANES} x i64> %one, <{LANES} x i64> poison, {zeros}")
    for j in range(tile.vectors):
        lanes = ", ".join(f"i64 {j * LANES + lane}" for lane in range(LANES))
        lines.append(f"  %m{j} = icmp slt <{LANES} x i64> <{lanes}>, %bound")
    return lines


def row_of(base: str, stride: str, name: str, i: int, vectors: int) -> list[str]:
    """Returns the code that computes the addresses of the vectors of a tile's row."""
    return [
        f"  %{name}r{i} = mul i64 %i{i}, %{stride}",
        f"  %{name}{i}.0 = getelementptr float, ptr %{base}, i64 %{name}r{i}",
        *(f"  %{name}{i}.{j} = getelementptr float, ptr %{name}{i}.0, i64 {j * LANES}" for j in range(1, vectors)),
    ]


def products(name: str, k: int, tile: Tile) -> list[str]:
    """Returns one step of the sum: the products of elements of a with vectors of b."""
    b, place, lines = f"{name}.b.{k}", f"%{name}.bt.{k}", []
    if tile.listed == "b":
        place = f"%{b}.begin"
        lines = [
            f"  %{b}.place = getelementptr i64, ptr %apart, i64 %{name}.p.{k}",
            f"  {place} = load i64, ptr %{b}.place",
        ]
    lines.append(f"  %{b}.at0 = getelementptr float, ptr %b, i64 {place}")
    lines += [f"  %{b}.at{j} = getelementptr float, ptr %{b}.at0, i64 {j * LANES}" for j in range(1, tile.vectors)]
    lines += [read(f"{b}.{j}", f"%{b}.at{j}", j, tile) for j in range(tile.vectors)]
    for i in range(tile.rows):
        a = f"%{name}.v{i}.{k}"
        base, index = f"%a{i}", f"%{name}.at.{k}"
        if is_even(tile):
            base, index = f"%{name}.a{i // 3 * 3}.{k}", ("0", "%row", "%twice")[i % 3]
        lines += [
            f"  {a}.at = getelementptr float, ptr {base}, i64 {index}",
            f"  {a}.number = load float, ptr {a}.at",
            f"  {a}.first = insertelement {MEMORY} poison, float {a}.number, i32 0",
            f"  {a} = shufflevector {MEMORY} {a}.first, {MEMORY} poison, <{LANES} x i32> zeroinitializer",
        ]
        for j in range(tile.vectors):
            factors = f"{MEMORY} {a}, {MEMORY} %{b}.{j}, {MEMORY} %{name}.c{i}.{j}.{k}"
            lines.append(f"  %{name}.c{i}.{j}.{k + 1} = call {MEMORY} {FMA}({factors})")
    return lines


def fetched(step: str, tile: Tile) -> list[str]:
    """Returns prefetches of one row of the result every APART steps: more at once would delay loads.

    The last column is prefetched too, since an unaligned row spans one more cache line.
    """
    columns = (*range(0, tile.vectors * LANES, LANES), tile.vectors * LANES - 1)
    return [
        f"  %w.step = and i64 {step}, {APART - 1}",
        "  %w.due = icmp eq i64 %w.step, 0",
        "  br i1 %w.due, label %fetching, label %multiplying",
        "fetching:",
        f"  %w.count = lshr i64 {step}, {APART.bit_length() - 1}",
        f"  %w.row = urem i64 %w.count, {tile.rows}",
        "  %w.far = mul i64 %w.row, %stride",
        "  %w.at = getelementptr float, ptr %out, i64 %w.far",
        *(f"  %w.place{j} = getelementptr float, ptr %w.at, i64 {column}" for j, column in enumerate(columns)),
        *(f"  call void @llvm.prefetch.p0(ptr %w.place{j}, i32 1, i32 3, i32 1)" for j in range(len(columns))),
        "  br label %multiplying",
        "multiplying:",
    ]


def read(name: str, address: str, j: int, tile: Tile) -> str:
    if not tile.fewer_columns:
        return f"  %{name} = load {MEMORY}, ptr {address}, align 4"
    return f"  %{name} = call {MEMORY} {LOAD}(ptr {address}, i32 4, {MASK} %m{j}, {MEMORY} zeroinitializer)"


def written(name: str, address: str, j: int, tile: Tile) -> list[str]:
    if not tile.fewer_columns:
        return [f"  store {MEMORY} %{name}, ptr {address}, align 4"]
    if host().masks:
        return [f"  call void {STORE}({MEMORY} %{name}, ptr {address}, i32 4, {MASK} %m{j})"]
    lines = masked_store.stored_first(name, vector, address, f"%{name}", f"%{name}.left")
    return [f"  %{name}.left = sub i64 %columns, {j * LANES}", *lines]


DECLARATIONS = {
    FMA: f"declare {MEMORY} {FMA}({MEMORY}, {MEMORY}, {MEMORY})",
    LOAD: f"declare {MEMORY} {LOAD}(ptr, i32, {MASK}, {MEMORY})",
    STORE: f"declare void {STORE}({MEMORY}, ptr, i32, {MASK})",
    "@llvm.prefetch.p0": PREFETCH,
    "@llvm.smin.i64": "declare i64 @llvm.smin.i64(i64, i64)",
}


# The kernels by name; each is compiled at its first call, since many products have no edges.
TILES_BY_NAME = {
    "tile_product": Tile(),
    "short_product": Tile(rows=SHORT, fewer_rows=True),
    "edge_product": Tile(fewer_rows=True, fewer_columns=True),
    "narrow_product": Tile(vectors=1, fewer_rows=True, fewer_columns=True),
    "product_of_listed_a": Tile(listed="a"),
    "product_of_listed_b": Tile(rows=LISTED_ROWS, vectors=LISTED_VECTORS, listed="b"),
    "narrow_of_listed_b": Tile(rows=LISTED_ROWS, vectors=1, listed="b"),
}
if WIDE_ROWS:
    TILES_BY_NAME["wide_product"] = Tile(rows=WIDE_ROWS, vectors=WIDE_VECTORS)
    TILES_BY_NAME["wide_edge"] = Tile(rows=WIDE_ROWS, vectors=WIDE_VECTORS, fewer_columns=True)
    TILES_BY_NAME["narrow_edge"] = Tile(rows=WIDE_ROWS, vectors=2, fewer_columns=True)
    TILES_BY_NAME["slim_edge"] = Tile(rows=WIDE_ROWS, vectors=1, fewer_columns=True)


def text(symbol: str) -> str:
    """Returns the module of a kernel."""
    tile = TILES_BY_NAME[symbol]
    helpers = (masked_store.text(vector),) if tile.fewer_columns and not host().masks else ()
    return "\n".join((*DECLARATIONS.values(), *helpers, kernel_text(symbol, tile)))


def kernel(symbol: str) -> Deferred:
    """Returns a kernel that is compiled at its first call; addresses are passed as integers."""
    return Deferred(symbol, lambda: function(*[int64] * 12), lambda: build(text(symbol), symbol, passes=TILES)[symbol])


KERNELS = {symbol: kernel(symbol) for symbol in TILES_BY_NAME}


def _arguments(translation, types, args) -> list[str]:
    """Returns values as arguments of a kernel; a `None` dtype means pointer."""
    return [
        f"i64 {translation.converted(value, dtype).text}" if dtype else f"ptr {value.text}"
        for value, dtype in zip(args, types, strict=True)
    ]


def _by_size(translation, values: str, rows: Value, columns: Value) -> Value:
    """Emits the call of the kernel for whole tiles, or of one for edges: few rows, all vectors, or one vector if that
    suffices.
    """
    rows, columns = translation.converted(rows, int64), translation.converted(columns, int64)
    tall, more, full, wide = (
        translation.compared(ast.GtE(), value, Value(int64, str(size))).text
        for value, size in ((rows, ROWS), (rows, SHORT + 1), (columns, COLUMNS), (columns, LANES + 1))
    )
    whole = translation.emit(boolean, f"and i1 {tall}, {full}").text
    narrower = translation.emit(boolean, f"or i1 {more}, {translation.emit(boolean, f'xor i1 {full}, true').text}").text
    names = ("tile_product", "short_product", "edge_product", "narrow_product")
    most, short, edge, narrow = (f"ptr {KERNELS[name].slot.as_value(translation).text}" for name in names)
    cell = translation.emit(int64, f"select i1 {wide}, {edge}, {narrow}").text
    cell = translation.emit(int64, f"select i1 {narrower}, ptr {cell}, {short}").text
    cell = translation.emit(int64, f"select i1 {whole}, {most}, ptr {cell}").text
    kernel = called_by(translation, Value(pointer(int64), cell), KERNELS["tile_product"].kind)
    translation.line(f"call void {kernel.text}({values})")
    return Value(void, "")


def _added_to(translation, out: Value, stride: Value, add: Value) -> str:
    """Returns the tile itself as the addend, or null."""
    address = translation.name()
    translation.line(f"{address} = select i1 {translation.truth(add).text}, ptr {out.text}, ptr null")
    return f"ptr {address}, i64 {translation.converted(stride, int64).text}"


def _tile_product(translation, *args: Value) -> Value:
    types = (int64, None, int64, int64, None, int64, None, int64, int64, int64)
    values = _arguments(translation, types, args[:-1])
    values.insert(6, _added_to(translation, args[6], args[7], args[-1]))
    return _by_size(translation, ", ".join(values), args[8], args[9])


@compiled_as(_tile_product)
def tile_product(depth, a, row, step, b, apart, out, stride, rows, columns, add):
    """Computes a tile of the product, or its first `rows` and `columns` at an edge.

    `row` and `step` are the strides of `a`, `apart` the row stride of `b`, `stride` that of `out`.
    """
    rows, columns = min(rows, ROWS), min(columns, COLUMNS)
    for i in range(rows):
        line = out[i * stride : i * stride + columns]
        start = line if add else np.zeros(columns, out.dtype)
        steps = (a[i * row + p * step] * b[p * apart : p * apart + columns] for p in range(depth))
        line[...] = sum(steps, start)


def _tile_of_sum(translation, *args: Value) -> Value:
    types = (int64, None, int64, int64, None, int64, None, int64, None, int64, int64, int64)
    return _by_size(translation, ", ".join(_arguments(translation, types, args)), args[10], args[11])


@compiled_as(_tile_of_sum)
def tile_of_sum(depth, a, row, step, b, apart, before, above, out, stride, rows, columns):
    """Computes a tile plus the matrix at `before` of row stride `above`, if not null."""
    raise NotImplementedError("null is no array: only machine code can run this")


def _wide_tile(translation, *args: Value) -> Value:
    """Emits the call of the kernel for whole tiles, or of one for an edge: all, two or one vector."""
    types = (int64, None, int64, int64, None, int64, None, int64, None, int64)
    columns = translation.converted(args[10], int64)
    cell = KERNELS["wide_product"].slot.as_value(translation).text
    for name, most in (("wide_edge", WIDE_COLUMNS - 1), ("narrow_edge", 2 * LANES), ("slim_edge", LANES)):
        fits = translation.compared(ast.LtE(), columns, Value(int64, str(most))).text
        edge = KERNELS[name].slot.as_value(translation).text
        cell = translation.emit(int64, f"select i1 {fits}, ptr {edge}, ptr {cell}").text
    kernel = called_by(translation, Value(pointer(int64), cell), KERNELS["wide_product"].kind)
    values = ", ".join(_arguments(translation, types, args[:10]))
    translation.line(f"call void {kernel.text}({values}, i64 {WIDE_ROWS}, i64 {columns.text})")
    return Value(void, "")


@compiled_as(_wide_tile)
def wide_tile(depth, a, row, step, b, apart, before, above, out, stride, columns):
    """Computes a tile of WIDE_ROWS and WIDE_COLUMNS, or its first `columns`, added as in `tile_of_sum`."""
    raise NotImplementedError("null is no array: only machine code can run this")


def _called_with(translation, kernel: Value, types, args) -> Value:
    """Emits the call of a kernel for whole tiles."""
    values = _arguments(translation, types, args[:8])
    values.insert(6, _added_to(translation, args[6], args[7], args[-1]))
    translation.line(f"call void {kernel.text}({', '.join(values)}, i64 0, i64 0)")
    return Value(void, "")


def _tile_of_listed(translation, *args: Value) -> Value:
    cells = (KERNELS[f"{name}_of_listed_b"].slot.as_value(translation).text for name in ("product", "narrow"))
    wide = translation.compared(ast.Gt(), translation.converted(args[8], int64), Value(int64, str(LANES))).text
    cell = Value(pointer(int64), translation.emit(int64, f"select i1 {wide}, ptr {', ptr '.join(cells)}").text)
    kernel = called_by(translation, cell, KERNELS["product_of_listed_b"].kind)
    return _called_with(translation, kernel, (int64, None, int64, int64, None, None, None, int64), args)


@compiled_as(_tile_of_listed)
def tile_of_listed(depth, a, row, step, b, places, out, stride, columns, add):
    """Computes a tile of LISTED_ROWS and LISTED_COLUMNS, with the rows of `b` at the offsets `places`.

    Only one vector of columns is computed if no more are needed.
    """
    wide = LISTED_COLUMNS if columns > LANES else LANES
    for i in range(LISTED_ROWS):
        line = out[i * stride : i * stride + wide]
        start = line if add else np.zeros(wide, out.dtype)
        steps = (a[i * row + p * step] * b[places[p] : places[p] + wide] for p in range(depth))
        line[...] = sum(steps, start)


def _tile_of_rows(translation, *args: Value) -> Value:
    kernel = KERNELS["product_of_listed_a"].as_value(translation)
    return _called_with(translation, kernel, (int64, None, None, int64, None, int64, None, int64), args)


@compiled_as(_tile_of_rows)
def tile_of_rows(depth, a, places, step, b, apart, out, stride, add):
    """Computes a whole tile of the product, with the rows of `a` at the offsets `places`."""
    for i in range(ROWS):
        tile_product(depth, a[places[i] :], 0, step, b, apart, out[i * stride :], stride, 1, COLUMNS, add)
