"""A trace as an ONNX graph: each primitive by the table, or by its formula on ONNX's operators.

Memory has no place in a graph. A write makes a new value of the tensor that owns the memory, and views of it are
written again when they are next read.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from rushlight.core.dtype import BY_NUMPY
from rushlight.declarations.declare import DIFFERENTIABLE, OPERANDS
from rushlight.declarations.promote import computed_in, floating, number_dtype, result_type
from rushlight.export.sizes import SizeDependent, Varying, varying
from rushlight.graph.trace import REFERENCES, Left, Step, Trace
from rushlight.onnx import indexing, layers, losses, matrices, moves, ordering, reductions
from rushlight.onnx.array_language import ARRAYS
from rushlight.onnx.recorded import Constants, array_of, place_of
from rushlight.onnx.registration import OnnxExporterError, symbolic_for
from rushlight.onnx.symbolic import by_symbolic
from rushlight.onnx.table import TABLE, Call, Result
from rushlight.onnx.writer import INT64, Refused, Value, Writer

FAMILIES = (moves, indexing, reductions, ordering, matrices, layers, losses)  # they have filled the table
READS = frozenset(("dropout_mask", "kept_mask"))


class GraphWriter:
    """Writes the steps of a trace; `refusals` has those that cannot be written, with their lines."""

    def __init__(self, trace: Trace, writer: Writer, names: dict[int, str]):
        self.trace, self.writer, self.names = trace, writer, names  # names of parameters and buffers, by their id
        self.values: dict[int, Value] = {}
        self.written_at: dict[int, int] = {}  # memory -> how often it was written
        self.made_at: dict[int, int] = {}  # view -> how often its memory had been written
        self.makers = {number: step for step in trace.steps for number in step.results}
        self.used = {number for step in trace.steps for number in step.operands()}
        self.used |= {number for number in trace.outputs if number is not None}
        self.refusals: list[tuple[str, Any, str]] = []
        self.refused: set[int] = set()  # results of refused calls

    # ---- values

    def add_inputs(self, names: list[str]) -> list[Value]:
        """Enters the inputs; returns their values."""
        for number, name in zip(self.trace.inputs, names, strict=True):
            meta = self.trace.metas[number]
            self.values[number] = value = Value(self.writer, self.writer.unique(name), meta.dtype, meta.shape)
            self.writer.show(value)
        return [self.values[number] for number in self.trace.inputs]

    def value(self, number: int) -> Value:
        """Returns a tensor as it is now."""
        base = self.trace.base_of(number)
        now = self.written_at.get(base, 0)
        if number not in self.values:
            self.values[number] = self.constant(number)
            self.made_at[number] = now
        if number != base and self.made_at.get(number, 0) != now:
            self.remake(number)
        return self.values[number]

    def remake(self, number: int) -> None:
        """Writes a view again, of memory that has been written to."""
        source = self.trace.views[number]
        now = self.written_at[self.trace.base_of(number)]
        step = self.makers[number]
        results = self.results_of(step, self.arguments(step, {source: self.value(source)}))
        for each, value in zip(step.results, results, strict=False):
            self.values[each], self.made_at[each] = value, now

    def constant(self, number: int) -> Value:
        """Returns a tensor that does not come from an input."""
        tensor = self.trace.constants[number]
        if isinstance(tensor, Constants):
            return self.sized_constant(tensor)
        array = array_of(tensor)
        if array.dtype.kind == "c":
            raise Refused("complex numbers")
        return self.writer.constant(array, name=self.names.get(id(tensor), ""))

    def sized_constant(self, constants: Constants) -> Value:
        """Writes a tensor that a program made with sizes that may change: equal elements, or even steps."""
        arrays, writer = constants.arrays, self.writer
        shape = tuple([varying(sizes) for sizes in zip(*[array.shape for array in arrays], strict=True)])
        first = arrays[0]
        if first.size and all([(array == array.flat[0]).all() for array in arrays]):
            return writer.filled(shape, varying([array.flat[0].item() for array in arrays]), first.dtype)
        if first.ndim == 1 and first.dtype.kind in "iuf" and all([array.size > 1 for array in arrays]):
            start = varying([array[0].item() for array in arrays])
            step = varying([(array[1] - array[0]).item() for array in arrays])
            steps = zip(arrays, *[self.in_runs(each, len(arrays)) for each in (start, step)], strict=True)
            if all([np.allclose(array, begin + by * np.arange(array.size)) for array, begin, by in steps]):
                counted = writer.cast(writer.range_of(shape[0]), first.dtype)
                return counted * writer.scalar(step, first.dtype) + writer.scalar(start, first.dtype)
        raise Refused("a tensor that the program made, whose elements depend on sizes that may change")

    def in_runs(self, value: Any, count: int) -> tuple:
        return value.values if isinstance(value, Varying) else (value,) * count

    # ---- steps

    def write(self) -> None:
        """Writes all steps."""
        for step in self.trace.steps:
            self.writer.place = place_of(step)
            self.writer.scope = step.op.name.strip("_") if step.op else "written"
            if not self.refused.isdisjoint(step.operands()):
                self.refused.update(step.results)
                continue
            try:
                self.write_step(step)
            except (Refused, SizeDependent) as error:
                reason = str(error) or "it depends on a size that may change"
                self.refusals.append((step.op.called if step.op else step.write_name, place_of(step), reason))
                self.refused.update(step.results)
        self.writer.place, self.writer.scope = None, ""

    def write_step(self, step: Step) -> None:
        if step.op is None:
            self.assign(step.values["target"].number, self.value(step.values["source"].number))
            return
        if step.written():
            raise Refused("in training mode it changes its buffers: call model.eval() first")
        for number, value in zip(step.results, self.results_of(step, self.arguments(step)), strict=False):
            self.values[number] = value
            self.made_at[number] = self.written_at.get(self.trace.base_of(number), 0)

    def assign(self, target: int, source: Value) -> None:
        """Writes elements to memory: to all of it, or to the positions that a view of it shows."""
        base, writer, meta = self.trace.base_of(target), self.writer, self.trace.metas
        source = writer.expand(writer.cast(source, meta[target].dtype), meta[target].shape)
        if target != base:
            before = self.value(base)
            positions_ = self.view_of(target, base, writer.positions(meta[base].shape))
            flat = [writer.flat(each) for each in (before, positions_, source)]
            done = writer.op("ScatterElements", *flat, axis=0, shape=flat[0].shape)
            source = writer.reshape(done, meta[base].shape)
        self.values[base] = source
        self.written_at[base] = self.written_at.get(base, 0) + 1

    def view_of(self, number: int, base: int, value: Value) -> Value:
        """Returns the view that a tensor is of its memory, of another value of that memory."""
        if number == base:
            return value
        step, source = self.makers[number], self.trace.views[number]
        if step.op.name in ("view_dtype", "view_as_real", "_neg_view", "conjugate"):
            raise Refused("a write to a view of this kind")
        results = self.results_of(step, self.arguments(step, {source: self.view_of(source, base, value)}))
        return results[step.results.index(number)]

    def arguments(self, step: Step, instead: dict[int, Value] | None = None) -> dict[str, Any]:
        """Returns the arguments of a step with values for tensors."""
        replaced = instead or {}

        def argument(value: Any) -> Any:
            if type(value) in REFERENCES:
                return replaced[value.number] if value.number in replaced else self.value(value.number)
            if type(value) in (tuple, list):
                return type(value)([argument(each) for each in value])
            return None if type(value) is Left else value

        return {name: argument(value) for name, value in step.values.items()}

    def results_of(self, step: Step, values: dict[str, Any]) -> list[Value]:
        """Writes a call; returns its results in the dtypes that they have."""
        metas = [self.trace.metas[number] for number in step.results]
        positions = any([isinstance(x, Value) and x.dtype == INT64 for x in values.values()])
        shown = [*metas, *[self.trace.metas[number] for number in step.operands()]]
        if any([meta.dtype.kind == "c" for meta in shown]):
            raise Refused("complex numbers")
        view_of_positions = bool(step.op.view and positions)
        results = [
            Result(meta.shape, np.dtype(INT64) if view_of_positions else meta.dtype, number in self.used)
            for meta, number in zip(metas, step.results, strict=True)
        ]
        made = written(Call(step.op, values, results, self.writer))
        for value, result in zip(made, results, strict=False):
            value.shape = result.shape
        cast = [self.writer.cast(value, result.dtype) for value, result in zip(made, results, strict=False)]
        for value in cast:
            self.writer.show(value)
        return cast


def written(call: Call) -> list[Value]:
    """Writes one call by what a program registered, the table, or its formula."""
    symbolic = symbolic_for(call.op.name, call.writer.opset)
    if symbolic is not None:
        made = by_symbolic(symbolic, call)
    elif call.op.name in READS:
        raise Refused("random numbers: in evaluation mode, model.eval(), nothing is drawn")
    elif call.op.name in TABLE:
        made = TABLE[call.op.name](call, **call.values)
    else:
        made = by_formula(call)
    return [made] if isinstance(made, Value) else list(made)


def by_formula(call: Call) -> Any:
    """Runs the declaration's `forward` with ONNX's operators as its array language."""
    values = promoted(call) if call.op.kind == "elementwise" else dict(call.values)
    for name, value in values.items():
        if isinstance(value, Varying):
            values[name] = call.writer.scalar(value, call.dtype)
    positional = [values[argument.name] for argument in call.op.arguments if not argument.keyword_only]
    named = {argument.name: values[argument.name] for argument in call.op.arguments if argument.keyword_only}
    formula: Callable = getattr(call.op.forward, "__wrapped__", call.op.forward)
    try:
        made = formula(ARRAYS, *positional, **named)
    except (TypeError, AttributeError) as error:  # the formula does with arrays what a graph has no operator for
        raise Refused(f"no operators of ONNX are known for {call.op.name}") from error
    if not isinstance(made, Value | tuple | list):
        raise Refused(f"no operators of ONNX are known for {call.op.name}")
    return made


def promoted(call: Call) -> dict[str, Any]:
    """Returns the arguments of an elementwise operator in the dtype that it computes in."""
    op, values = call.op, dict(call.values)
    pairs: list[tuple[Any, int | None]] = []
    for argument in op.arguments:
        value = values[argument.name]
        if argument.role in DIFFERENTIABLE and value is not None:
            known = isinstance(value, Value)
            pairs.append((BY_NUMPY[value.dtype], value.ndim) if known else (number_dtype(plain(value)), None))
    if op.exact and op.dtype != "common":
        return values
    work = result_type(pairs)
    work = floating(work) if op.dtype == "float" else work
    dtype = computed_in(work).numpy
    for argument in op.arguments:
        value = values[argument.name]
        if argument.role in OPERANDS and isinstance(value, Value) and argument.role in DIFFERENTIABLE:
            values[argument.name] = call.writer.cast(value, dtype)
        elif argument.role in DIFFERENTIABLE and isinstance(value, bool | int | float | Varying):
            values[argument.name] = call.writer.scalar(value, dtype)
    return values


def plain(number: Any) -> Any:
    """Returns a number of the kind of one that depends on sizes."""
    return number.values[0] if isinstance(number, Varying) else number


def refusal(refusals: list[tuple[str, Any, str]]) -> OnnxExporterError:
    """Returns the error that names all calls that are not written as ONNX, with their lines."""
    lines = dict.fromkeys([f"{name}() at {place}: {reason}" for name, place, reason in refusals])
    return OnnxExporterError(
        "torch.onnx.export cannot write " + ("this call" if len(lines) == 1 else f"{len(lines)} calls") + " as ONNX:"
        + "".join([f"\n  - {line}" for line in lines])
    )  # fmt: skip
