"""The innermost piece of every product of matrices: a small tile of the result, held in registers.

    out[i, j] = (before[i, j] +) sum over p of a[p, i] * b[p, j]       for `ROWS` rows and `COLUMNS` columns

LLVM does not keep an array of vectors in registers through a loop by itself, so this is written as LLVM's text. Source
of the scheme: Goto and van de Geijn, "Anatomy of high-performance matrix multiplication", 2008; Van Zee and van de
Geijn, "BLIS: a framework for rapidly instantiating BLAS functionality", 2015.
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

# Accumulators, the vectors of b and one number of a fit into the registers: 32 with AVX-512 and on ARM, else 16. Fewer
# rows would read more for each product, which costs nothing until a processor shares its core with another program.
REGISTERS = 32 if LANES == 16 or platform.machine().lower() in ("aarch64", "arm64") else 16
ROWS, VECTORS = (8, 2) if REGISTERS == 32 else (6, 2)
COLUMNS = VECTORS * LANES
# Of a tile where a list says where the rows of b begin: the rows are filters, of which there are mostly whole fours.
LISTED_ROWS, LISTED_VECTORS = (8, 2) if REGISTERS == 32 else (4, 3)
LISTED_COLUMNS = LISTED_VECTORS * LANES
# Of a tile that reads b from the second-level cache, 0 where there are too few registers for it: four vectors are read
# for six numbers of a, which leaves the processor time to bring in the next ones.
WIDE_ROWS, WIDE_VECTORS = (6, 4) if REGISTERS == 32 and LANES == 16 else (0, 0)
WIDE_COLUMNS = WIDE_VECTORS * LANES
SHORT = 4  # rows at an edge that are not computed as a whole tile
STEPS = 4  # of the sum from jump to jump: with one the processor loses a twentieth of its time, at an edge too little
APART = 16  # steps from one row of the result that is asked for to the next
FMA = f"@llvm.fma.v{LANES}f32"
LOAD = f"@llvm.masked.load.v{LANES}f32.p0"
STORE = f"@llvm.masked.store.v{LANES}f32.p0"


class Tile(NamedTuple):
    """What a kernel is for.

    If a or b is `listed`, a list says where its rows begin, and `row` or `apart` is its address. Where there may be
    `fewer_rows`, those beyond the last one are the last one once more; where there may be `fewer_columns`, lanes beyond
    the last one are neither read nor written.
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
        """How many steps of the sum are taken from jump to jump, each of which is a product for each place."""
        return (
            1 if self.fewer_rows or self.fewer_columns else STEPS if len(self.places) <= ROWS * VECTORS else STEPS // 2
        )


def kernel_text(symbol: str, tile: Tile) -> str:
    """The definition of a kernel. What is added to lies at `before`, if not null, with its rows `above` apart."""
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
    """The sum goes on from the block `origin`, so many steps at a time; at `name`.end are the steps that are left."""
    values = {"p": ("i64", "0", "add i64 {}, 1"), **moving(tile)}
    sums = {f"c{i}.{j}": (MEMORY, "zeroinitializer", "") for i, j in tile.places}
    before = {value: first for value, (_, first, _) in (values | sums).items()}
    if origin != "entry":
        before = {value: f"%{origin}.{value}" for value in before}
    back = "multiplying" if steps > 1 else name
    kinds = {value: kind for value, (kind, _, _) in (values | sums).items()}
    lines = [
        f"  %{name}.most = sub i64 %depth, {steps}",
        f"  %{name}.fits = icmp sle i64 {before['p']}, %{name}.most",
        f"  br i1 %{name}.fits, label %{name}, label %{name}.end",
        f"{name}:",
        *(
            f"  %{name}.{value}.0 = phi {kind} [ {before[value]}, %{origin} ], [ %{name}.{value}.{steps}, %{back} ]"
            for value, kind in kinds.items()
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
            f"  %{name}.end.{value} = phi {kind} [ {before[value]}, %{origin} ], [ %{name}.{value}.{steps}, %{back} ]"
            for value, kind in kinds.items()
        ),
    ]


def moving(tile: Tile) -> dict[str, tuple[str, str, str]]:
    """What moves from step to step, where it begins and how it goes on: the place of b, and the place of a in its rows.

    Where the rows of a lie at equal distances it is the places of every third row: a processor finds the two after it.
    """
    found = {} if tile.listed == "b" else {"bt": ("i64", "0", "add i64 {}, %apart")}
    if not is_even(tile):
        return found | {"at": ("i64", "0", "add i64 {}, %step")}
    return found | {
        f"a{i}": ("ptr", f"%a{i}", "getelementptr float, ptr {}, i64 %step") for i in range(0, tile.rows, 3)
    }


def is_even(tile: Tile) -> bool:
    """Whether all rows of a are there, at equal distances."""
    return not tile.fewer_rows and tile.listed != "a"


def places(tile: Tile) -> list[str]:
    """Where the rows of a begin, and the vectors of the tile; which lanes are there."""
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
    """Where the vectors of a row of a tile are."""
    return [
        f"  %{name}r{i} = mul i64 %i{i}, %{stride}",
        f"  %{name}{i}.0 = getelementptr float, ptr %{base}, i64 %{name}r{i}",
        *(f"  %{name}{i}.{j} = getelementptr float, ptr %{name}{i}.0, i64 {j * LANES}" for j in range(1, vectors)),
    ]


def products(name: str, k: int, tile: Tile) -> list[str]:
    """One step of the sum: every product of a number of a with a vector of b."""
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
    """Where many steps begin, a row of the result is asked for: more at once would keep back what is read.

    The last number is asked for too, since a row that begins within a line ends in one line more.
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


def read(name: str, place: str, j: int, tile: Tile) -> str:
    if not tile.fewer_columns:
        return f"  %{name} = load {MEMORY}, ptr {place}, align 4"
    return f"  %{name} = call {MEMORY} {LOAD}(ptr {place}, i32 4, {MASK} %m{j}, {MEMORY} zeroinitializer)"


def written(name: str, place: str, j: int, tile: Tile) -> list[str]:
    if not tile.fewer_columns:
        return [f"  store {MEMORY} %{name}, ptr {place}, align 4"]
    if host().masks:
        return [f"  call void {STORE}({MEMORY} %{name}, ptr {place}, i32 4, {MASK} %m{j})"]
    lines = masked_store.stored_first(name, vector, place, f"%{name}", f"%{name}.left")
    return [f"  %{name}.left = sub i64 %columns, {j * LANES}", *lines]


DECLARATIONS = {
    FMA: f"declare {MEMORY} {FMA}({MEMORY}, {MEMORY}, {MEMORY})",
    LOAD: f"declare {MEMORY} {LOAD}(ptr, i32, {MASK}, {MEMORY})",
    STORE: f"declare void {STORE}({MEMORY}, ptr, i32, {MASK})",
    "@llvm.prefetch.p0": PREFETCH,
    "@llvm.smin.i64": "declare i64 @llvm.smin.i64(i64, i64)",
}


# The kernels, by their names, and what they are like. Each is compiled when it is first called: many products have no
# edges.
LIKE = {
    "tile_product": Tile(),
    "short_product": Tile(rows=SHORT, fewer_rows=True),
    "edge_product": Tile(fewer_rows=True, fewer_columns=True),
    "narrow_product": Tile(vectors=1, fewer_rows=True, fewer_columns=True),
    "product_of_listed_a": Tile(listed="a"),
    "product_of_listed_b": Tile(rows=LISTED_ROWS, vectors=LISTED_VECTORS, listed="b"),
    "narrow_of_listed_b": Tile(rows=LISTED_ROWS, vectors=1, listed="b"),
}
if WIDE_ROWS:
    LIKE["wide_product"] = Tile(rows=WIDE_ROWS, vectors=WIDE_VECTORS)
    LIKE["wide_edge"] = Tile(rows=WIDE_ROWS, vectors=WIDE_VECTORS, fewer_columns=True)
    LIKE["narrow_edge"] = Tile(rows=WIDE_ROWS, vectors=2, fewer_columns=True)
    LIKE["slim_edge"] = Tile(rows=WIDE_ROWS, vectors=1, fewer_columns=True)


def text(symbol: str) -> str:
    """The module of a kernel."""
    tile = LIKE[symbol]
    helpers = (masked_store.text(vector),) if tile.fewer_columns and not host().masks else ()
    return "\n".join((*DECLARATIONS.values(), *helpers, kernel_text(symbol, tile)))


def kernel(symbol: str) -> Deferred:
    """A kernel, as other machine code finds it. In a call, addresses are whole numbers like the others."""
    return Deferred(symbol, lambda: function(*[int64] * 12), lambda: build(text(symbol), symbol, passes=TILES)[symbol])


KERNELS = {symbol: kernel(symbol) for symbol in LIKE}


def _arguments(translation, kinds, given) -> list[str]:
    """Values as arguments of a kernel; None stands for a pointer."""
    return [
        f"i64 {translation.converted(value, kind).text}" if kind else f"ptr {value.text}"
        for value, kind in zip(given, kinds, strict=True)
    ]


def _by_size(translation, values: str, rows: Value, columns: Value) -> Value:
    """Calls the kernel for whole tiles, or one for edges: of few rows, of all vectors, or of one if that is enough."""
    rows, columns = translation.converted(rows, int64), translation.converted(columns, int64)
    tall, more, full, wide = (
        translation.compared(ast.GtE(), value, Value(int64, str(size))).text
        for value, size in ((rows, ROWS), (rows, SHORT + 1), (columns, COLUMNS), (columns, LANES + 1))
    )
    whole = translation.emit(boolean, f"and i1 {tall}, {full}").text
    narrower = translation.emit(boolean, f"or i1 {more}, {translation.emit(boolean, f'xor i1 {full}, true').text}").text
    names = ("tile_product", "short_product", "edge_product", "narrow_product")
    most, short, edge, narrow = (f"ptr {KERNELS[each].slot.as_value(translation).text}" for each in names)
    cell = translation.emit(int64, f"select i1 {wide}, {edge}, {narrow}").text
    cell = translation.emit(int64, f"select i1 {narrower}, ptr {cell}, {short}").text
    cell = translation.emit(int64, f"select i1 {whole}, {most}, ptr {cell}").text
    found = called_by(translation, Value(pointer(int64), cell), KERNELS["tile_product"].kind)
    translation.line(f"call void {found.text}({values})")
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


def _wide_tile(translation, *given: Value) -> Value:
    """Calls the kernel for whole tiles, or one for an edge: of all vectors, or of two, or of one if that is enough."""
    kinds = (int64, None, int64, int64, None, int64, None, int64, None, int64)
    columns = translation.converted(given[10], int64)
    cell = KERNELS["wide_product"].slot.as_value(translation).text
    for name, most in (("wide_edge", WIDE_COLUMNS - 1), ("narrow_edge", 2 * LANES), ("slim_edge", LANES)):
        fits = translation.compared(ast.LtE(), columns, Value(int64, str(most))).text
        edge = KERNELS[name].slot.as_value(translation).text
        cell = translation.emit(int64, f"select i1 {fits}, ptr {edge}, ptr {cell}").text
    found = called_by(translation, Value(pointer(int64), cell), KERNELS["wide_product"].kind)
    values = ", ".join(_arguments(translation, kinds, given[:10]))
    translation.line(f"call void {found.text}({values}, i64 {WIDE_ROWS}, i64 {columns.text})")
    return Value(void, "")


@compiled_as(_wide_tile)
def wide_tile(depth, a, row, step, b, apart, before, above, out, stride, columns):
    """A tile of WIDE_ROWS and WIDE_COLUMNS, or its first `columns`, added as in `tile_of_sum`."""
    raise NotImplementedError("null is no array: only machine code can run this")


def _called_with(translation, place: Value, kinds, given) -> Value:
    """The call of a kernel for whole tiles."""
    values = _arguments(translation, kinds, given[:8])
    values.insert(6, _added_to(translation, given[6], given[7], given[-1]))
    translation.line(f"call void {place.text}({', '.join(values)}, i64 0, i64 0)")
    return Value(void, "")


def _tile_of_listed(translation, *given: Value) -> Value:
    cells = (KERNELS[f"{name}_of_listed_b"].slot.as_value(translation).text for name in ("product", "narrow"))
    wide = translation.compared(ast.Gt(), translation.converted(given[8], int64), Value(int64, str(LANES))).text
    cell = Value(pointer(int64), translation.emit(int64, f"select i1 {wide}, ptr {', ptr '.join(cells)}").text)
    place = called_by(translation, cell, KERNELS["product_of_listed_b"].kind)
    return _called_with(translation, place, (int64, None, int64, int64, None, None, None, int64), given)


@compiled_as(_tile_of_listed)
def tile_of_listed(depth, a, row, step, b, places, out, stride, columns, add):
    """A tile of LISTED_ROWS and LISTED_COLUMNS of the product, where the rows of `b` begin at `places`.

    It has a vector of columns only, where no more are asked for.
    """
    wide = LISTED_COLUMNS if columns > LANES else LANES
    for i in range(LISTED_ROWS):
        line = out[i * stride : i * stride + wide]
        found = line if add else np.zeros(wide, out.dtype)
        steps = (a[i * row + p * step] * b[places[p] : places[p] + wide] for p in range(depth))
        line[...] = sum(steps, found)


def _tile_of_rows(translation, *given: Value) -> Value:
    place = KERNELS["product_of_listed_a"].as_value(translation)
    return _called_with(translation, place, (int64, None, None, int64, None, int64, None, int64), given)


@compiled_as(_tile_of_rows)
def tile_of_rows(depth, a, places, step, b, apart, out, stride, add):
    """A whole tile of the product, where the rows of `a` begin at `places`."""
    for i in range(ROWS):
        tile_product(depth, a[places[i] :], 0, step, b, apart, out[i * stride :], stride, 1, COLUMNS, add)
