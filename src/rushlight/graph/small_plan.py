"""The plan of a small program: its nests, the buffers that they use, and the tensors as views of these."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from rushlight.core.policy import SMALL_PROGRAM
from rushlight.graph.small_memory import (
    CONSTANT,
    GIVEN,
    LOCAL,
    MADE,
    TABLE,
    TYPES,
    Buffer,
    Unsupported,
    View,
    extent,
    in_order,
    strides_of,
    type_of,
)
from rushlight.graph.small_nests import Formula, Formulas, Nest, Pointwise, Product, Reduction
from rushlight.graph.trace import REFERENCES, Step, Trace
from rushlight.lower.ir import BIT, DTYPES, F32, F64, FLOATS, I64, Value

WORK = 1 << 20  # multiplications of a product, up to which calls between steps cost more than a BLAS gains
CASTS = ((I64, F32), (I64, F64), (I64, I64), (BIT, I64))  # from and to integers, that are defined for all elements


class Plan:
    """The nests of a trace, and the buffers that they use."""

    def __init__(self, trace: Trace):
        self.trace = trace
        self.nests: list[Nest] = []
        self.formulas = Formulas()
        self.views: dict[int, View] = {}
        self.constants: list[Buffer] = []
        self.tables: list[np.ndarray] = []
        self.known_tables: dict[tuple, View] = {}
        self.checks: dict[View, int] = {}  # integers that name one of some classes
        self.made: list[Buffer] = []
        self.locals: list[Buffer] = []
        self.results = {trace.base_of(number) for number in trace.outputs if number is not None}
        self.written = {trace.base_of(number) for step in trace.steps for number in step.written()}
        self.positions = {number: at for at, number in enumerate(trace.inputs)}

    # ---- tensors

    def source(self, step: Step) -> View:
        """Returns the only tensor that a step reads."""
        refs = [value for value in step.values.values() if type(value) in REFERENCES]
        if len(refs) != 1:
            raise Unsupported(f"{step.op.name} of several tensors")
        return self.tensor(refs[0])

    def tensor(self, ref: Any) -> View:
        """Returns the view of a tensor."""
        if type(ref) not in REFERENCES:
            raise Unsupported("an argument that is no tensor")
        number = ref.number
        if number not in self.views:
            if number in self.positions:
                self.views[number] = self.whole(number, Buffer(GIVEN, self.positions[number], 0, self.type_of(number)))
            else:
                self.constant(number)
        return self.views[number]

    def type_of(self, number: int) -> str:
        """Returns the type of a tensor's elements."""
        return type_of(self.trace.metas[number])

    def constant(self, number: int) -> None:
        """Enters a constant; one that is written to, or returned, is copied first, and the copy is used."""
        if number not in self.trace.constants:
            raise Unsupported("a tensor that no step made")
        buffer = Buffer(CONSTANT, number, 0, self.type_of(number))
        self.constants.append(buffer)
        place = self.whole(number, buffer)
        if number in self.written or number in self.results:
            self.copy(place, self.result(number))
        else:
            self.views[number] = place

    def whole(self, number: int, buffer: Buffer) -> View:
        """Returns a tensor as a view of memory of its own."""
        meta = self.trace.metas[number]
        place = View(buffer, 0, meta.shape, strides_of(meta))
        buffer.size = extent(place.shape, place.strides)
        if max(buffer.size, place.elements) > SMALL_PROGRAM:
            raise Unsupported("a large tensor")
        return place

    def result(self, number: int) -> View:
        """Returns the place of a tensor that a step makes: a result of the program, or local."""
        meta = self.trace.metas[number]
        if number in self.results:
            buffer = Buffer(MADE, len(self.made), 0, type_of(meta))
            place = self.whole(number, buffer)
            if place.elements != buffer.size:
                raise Unsupported("a result with gaps")
            self.made.append(buffer)
        else:
            place = self.local(type_of(meta), meta.shape, strides_of(meta))
        self.views[number] = place
        return place

    def local(self, type: str, shape: tuple[int, ...], strides: tuple[int, ...] | None = None) -> View:
        """Returns new memory that only this call uses."""
        if strides is None or extent(shape, strides) != View(None, 0, shape, strides).elements:  # type: ignore[arg-type]
            strides = in_order(shape)
        buffer = Buffer(LOCAL, len(self.locals), extent(shape, strides), type)
        if buffer.size > SMALL_PROGRAM:
            raise Unsupported("a large tensor")
        self.locals.append(buffer)
        return View(buffer, 0, shape, strides)

    def counted(self, type: str, count: int) -> View:
        """Returns the numbers from 0 on."""
        return self.table(np.arange(count, dtype=DTYPES[type]))

    def table(self, elements: np.ndarray) -> View:
        """Returns elements that are known, in C order."""
        key = elements.tobytes(), elements.shape, elements.dtype
        if key not in self.known_tables:
            buffer = Buffer(TABLE, len(self.tables), elements.size, TYPES[elements.dtype])
            self.tables.append(elements)
            self.known_tables[key] = View(buffer, 0, elements.shape, in_order(elements.shape))
        return self.known_tables[key]

    # ---- nests

    def copy(self, source: View, target: View) -> None:
        """Copies elements, converted and broadcast."""
        if I64 in (source.type, target.type) and (source.type, target.type) not in CASTS:
            raise Unsupported("a cast of integers")
        self.pointwise(("copy",), lambda values: values[0], (source,), target)

    def pointwise(self, key: tuple, make: Callable[[list[Value]], Any], sources: Sequence[View], target: View) -> None:
        """Computes each element of `target` by the formula `make`, which `key` names."""
        formula: Formula = self.formulas.formula(key, [each.type for each in sources], target.type, make)
        if target.elements:
            self.nests.append(Pointwise(formula, tuple([each.expanded(target.shape) for each in sources]), target))

    def reduce(self, how: str, source: View, dims: Sequence[int], target: View) -> None:
        """Reduces along dimensions; `target` has the others."""
        if source.type not in FLOATS or target.type != source.type:
            raise Unsupported("a reduction of another type")
        kept = [dim for dim in range(len(source.shape)) if dim not in dims]
        turned = source.permuted([*kept, *dims])
        if target.shape != turned.shape[: len(kept)]:
            raise Unsupported("a reduction to another shape")
        if target.elements:
            self.nests.append(Reduction(how, turned, len(kept), target))

    def product(self, left: View, right: View, target: View) -> None:
        """Multiplies matrices."""
        if not left.type == right.type == target.type or target.type not in FLOATS:
            raise Unsupported("a product of other types")
        (rows, inner), columns = left.shape, right.shape[1]
        if rows * inner * columns > WORK:
            raise Unsupported("a large product")
        if not target.elements:
            return
        if columns > 1 and right.strides[1] != 1:
            right = self.packed(right)
        self.nests.append(Product(left, right, target))

    def packed(self, place: View) -> View:
        """Returns a copy in C order."""
        copied = self.local(place.type, place.shape)
        self.copy(place, copied)
        return copied
