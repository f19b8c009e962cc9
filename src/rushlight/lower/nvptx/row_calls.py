"""Row kernels on a GPU's arrays: softmax, log_softmax, logsumexp, layer norm, cross entropy, and their derivatives."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from rushlight.lower import conversions, row_formulas, trace
from rushlight.lower.ir import DTYPES, I64, TYPES, Trace, Untraceable, Value
from rushlight.lower.nvptx import rows as row_kernels
from rushlight.lower.nvptx.calls import PER_PROCESSOR, declared, result_dtype
from rushlight.lower.nvptx.rows import BY_WARP, COLUMN, ROWS_PER_BLOCK, Rows
from rushlight.lower.row_nest import Nest
from rushlight.lower.row_nest_loop import ELEMENT, NUMBER, POSITION, ROW


class RowCall(NamedTuple):
    """A traced formula of rows: for short and for long rows, and for each result whether it is one value per row."""

    kernels: tuple[tuple[Callable, int], tuple[Callable, int]]
    numbers: tuple[type | None, ...]  # of the operands that are parameters
    results: tuple[tuple[bool, np.dtype], ...]


class GpuRows:
    """The row kernels of one formula on one GPU; `kinds` has the role of each operand by name."""

    def __init__(self, gpu, formula: Callable, kinds: dict[str, str]):
        self.gpu, self.formula, self.kinds = gpu, formula, kinds
        self.known: dict[tuple, RowCall | None] = {}

    def run(
        self,
        length: int,
        values: dict[str, Any],
        dtype: np.dtype,
        rounded: Sequence[np.dtype] | None = None,
        stream=None,
    ) -> list | None:
        """Returns the results for rows of that length; None where the formula cannot be traced.

        Results of elements have the shape of the first operand, others one value per row. `dtype` is that of the
        computation, `rounded` holds the dtypes of the results that differ. No kernel takes arrays with gaps, or classes
        that are not int64. Raises ValueError for an array of another size than its role has.
        """
        call = self.find(values, dtype, rounded)
        if call is None:
            return None
        first = next(x for name, x in values.items() if self.kinds[name] == ELEMENT)
        rows = first.size // length if length else 0
        sizes = {ELEMENT: rows * length, POSITION: length, ROW: rows}
        for name, array in values.items():
            size = sizes.get(self.kinds[name])
            if size is not None and array.size != size:
                raise ValueError(f"{name} has {array.size} elements, and {rows} rows of {length} need {size}")
            if size is not None and not array.flags.c_contiguous:
                return None
        shapes = [(rows,) if per_row else first.shape for per_row, _ in call.results]
        results = [self.gpu.empty(shape, each) for shape, (_, each) in zip(shapes, call.results, strict=True)]
        if rows:
            self._launch(call, length, rows, values, results, stream)
        return results

    def _launch(self, call: RowCall, length: int, rows: int, values: dict[str, Any], results: list, stream) -> None:
        whole = length > BY_WARP
        kernel, threads = call.kernels[whole]
        parameters = [np.uint64(self.gpu.address(x)) if number is None else number(x)
                 for x, number in zip(values.values(), call.numbers, strict=True)]  # fmt: skip
        parameters += [*[np.uint64(self.gpu.address(x)) for x in results], np.int64(rows), np.int64(length)]
        blocks = rows if whole else -(-rows // ROWS_PER_BLOCK)
        kernel(min(blocks, self.gpu.processors * PER_PROCESSOR), threads, parameters, stream)

    def find(self, values: dict[str, Any], dtype: np.dtype, rounded: Sequence[np.dtype] | None) -> RowCall | None:
        dtypes = tuple(getattr(x, "dtype", None) for x in values.values())
        key = (dtype, *values, *dtypes, None if rounded is None else tuple(rounded))
        if key not in self.known:
            try:
                nest, numbers = self.nest(dict(zip(values, dtypes, strict=True)), dtype, rounded)
            except Untraceable:
                self.known[key] = None
            else:
                written = Rows(nest, False), Rows(nest, True)
                short, long = [(Later(self.gpu, each), each.threads) for each in written]
                results = tuple((nest.of_row[x], result_dtype(x)) for x in nest.results)
                self.known[key] = RowCall((short, long), numbers, results)
        return self.known[key]

    def nest(self, dtypes: dict[str, Any], dtype: np.dtype, rounded) -> tuple[Nest, tuple[type | None, ...]]:
        """Returns the traced formula, and the types of the numbers."""
        ir_trace, work = Trace(scales=False), TYPES[dtype]
        operands: dict[Value, str] = {}
        inputs: dict[str, Value] = {}
        numbers: list[Any] = []
        for number, (name, stored_as) in enumerate(dtypes.items()):
            role = self.kinds[name]
            whole = name in INTEGERS
            if whole and stored_as not in (None, np.int64):
                raise Untraceable(f"{name} of {stored_as}")
            stored = "int64" if whole else conversions.NAMES[stored_as] if stored_as is not None else DTYPES[work].name
            operand = ir_trace.operand(number, conversions.TYPES[stored])
            operands[operand] = role
            inputs[name] = operand if whole else conversions.loaded(operand, stored, work)
            numbers.append((np.int64 if whole else DTYPES[work].type) if role == NUMBER else None)
        if COLUMN in self.kinds.values():
            inputs[COLUMN] = ir_trace.operand(len(dtypes), I64)
            operands[inputs[COLUMN]] = COLUMN
        results = self.formula(**inputs)
        if rounded is not None:
            names = [conversions.NAMES[x] for x in rounded]
            results = [conversions.stored(x, each) for x, each in zip(results, names, strict=True)]
        return Nest(operands, results, keeps=False), tuple(numbers)


INTEGERS = ("target", "ignored", "classes")


class Later:
    """A kernel that is compiled at its first launch."""

    def __init__(self, gpu, kernel: Rows):
        self.gpu, self.kernel = gpu, kernel
        self.loaded: Callable | None = None

    def __call__(self, *arguments) -> None:
        if self.loaded is None:
            self.loaded = self.gpu.loaded(self.kernel)
        self.loaded(*arguments)


def of_derivative(name: str) -> tuple[Callable, dict[str, str]]:
    """Returns the formula of the derivative of an operator along `dim`, and the roles of its operands."""
    op = declared(name)
    (wanted,) = op.derivatives
    asked = [each for each in op.asks[wanted] if each != "dim"]

    def formula(**inputs):
        return [trace.derivative(op, wanted, {**inputs, "dim": -1}, row_formulas.ROW_OPERATORS)]

    return formula, dict.fromkeys(asked, ELEMENT)


WEIGHTS = {"weight": POSITION, "bias": POSITION}
TARGET = {"target": ROW, "ignored": NUMBER}
FORMULAS: dict[str, tuple[Callable, dict[str, str]]] = {
    "softmax": (row_formulas.softmax, {"x": ELEMENT}),
    "log_softmax": (row_formulas.log_softmax, {"x": ELEMENT}),
    "logsumexp": (row_formulas.logsumexp, {"x": ELEMENT}),
    "layer_normalized": (row_formulas.layer_normalized, {"x": ELEMENT, "eps": NUMBER, "count": NUMBER, **WEIGHTS}),
    "normalized_gradient": (
        row_formulas.normalized_gradient,
        {"g": ELEMENT, "x": ELEMENT, "mean": ROW, "scale": ROW, "count": NUMBER, **WEIGHTS},
    ),
    "cross_entropy": (row_kernels.cross_entropy, {"x": ELEMENT, **TARGET, "classes": NUMBER, "column": COLUMN}),
    "cross_entropy_gradient": (
        row_kernels.cross_entropy_gradient, {"g": ROW, "x": ELEMENT, **TARGET, "column": COLUMN},
    ),
}  # fmt: skip


def rows_of(gpu, name: str) -> GpuRows:
    """Returns the kernels of a formula of `FORMULAS`, or of the derivative of an operator with a `dim`."""
    return GpuRows(gpu, *(FORMULAS.get(name) or of_derivative(name.removesuffix("_backward"))))
