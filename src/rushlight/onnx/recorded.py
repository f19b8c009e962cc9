"""A model as a trace of primitive operators, whose numbers say how they follow from sizes that may change.

`graph/recording.py` records one run, with the operators that declarations compose others of. The runs at several sizes
are merged to one trace: a number that differs is `Varying`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from rushlight.autograd.grad_mode import no_grad
from rushlight.core.errors import noted
from rushlight.core.origin import Place, here
from rushlight.core.tensor import Tensor
from rushlight.core.traced import Untraceable
from rushlight.create.from_data import from_numpy
from rushlight.export.lifting import lifted
from rushlight.export.merging import Mismatch, is_draw, merged_value, place_of_error
from rushlight.export.sizes import varying
from rushlight.graph.recording import RecordingLevel, input_of, number_in, recording_level
from rushlight.graph.simplify import simplify
from rushlight.graph.trace import Array, Meta, Step, Trace
from rushlight.nn.modules.module import Module
from rushlight.onnx.registration import OnnxExporterError


class PlacedStep(Step):
    """A step that has the line of the program that made it."""

    __slots__ = ("place",)
    place: Place

    def with_values(self, values: dict[str, Any]) -> PlacedStep:
        made = PlacedStep(self.op, values, self.results, self.write_name)
        made.place = self.place
        return made


def place_of(step: Step) -> Place | None:
    """Returns the line of the program that made a step."""
    return step.place if isinstance(step, PlacedStep) else None


class PlacedLevel(RecordingLevel):
    """A level that notes the line of the program with each call, and takes lists of indices as constants."""

    def __init__(self, number: int):
        super().__init__(number)
        self.lists: list[np.ndarray] = []

    def interpret(self, op, values: dict) -> Any:
        before = len(self.trace.steps)
        result = super().interpret(op, values)
        self.note_lines(before)
        return result

    def write(self, tensor: Any, source: Tensor, name: str) -> None:
        before = len(self.trace.steps)
        super().write(tensor, source, name)
        self.note_lines(before)

    def noted(self, value) -> Any:
        """Returns an argument as a step holds it. A list of indices, which arrives as an array, is a constant."""
        if isinstance(value, np.ndarray) and id(value) not in self.raw:
            number = self.kept(value)
            self.trace.constants[number] = from_numpy(np.array(value))
            self.lists.append(value)
            return Array(number)
        return super().noted(value)

    def note_lines(self, before: int) -> None:
        steps = self.trace.steps
        for number, step in enumerate(steps[before:], before):
            if type(step) is Step:
                steps[number] = made = PlacedStep(step.op, step.values, step.results, step.write_name)
                made.place = here()


def recorded(module: Module | None, function: Callable[..., Sequence[Tensor]], inputs: Sequence[Tensor]) -> Trace:
    """Returns the simplified trace of a run, in which parameters and buffers of the module are constants.

    Raises OnnxExporterError, with the line, where the run depends on elements.
    """
    try:
        with no_grad():
            trace, lists, weights = run(module, function, inputs)
            if lists:
                _, others, _ = run(module, function, [mirrored(tensor) for tensor in inputs])
                if len(lists) != len(others) or not all(map(np.array_equal, lists, others)):
                    raise Untraceable("an index depends on elements")
    except Untraceable as error:
        raise untraceable(error) from None
    except RuntimeError as error:
        if not is_draw(error):
            raise
        raise untraceable(error, "a random draw, which a graph does not make") from None
    simple = simplify(trace)
    simple.inputs = [number for number in trace.inputs if number not in weights]
    simple.constants |= weights
    return simple


def run(
    module: Module | None, function: Callable[..., Sequence[Tensor]], inputs: Sequence[Tensor]
) -> tuple[Trace, list[np.ndarray], dict[int, Tensor]]:
    """Returns the trace of a run, the lists of indices in it, and its parameters and buffers by number."""
    with recording_level(PlacedLevel) as level, lifted(module or Module(), level) as weights:
        results = function(*[input_of(level, tensor) for tensor in inputs])
        level.trace.outputs = [number_in(level, result) for result in results]
        own = {level.number_of(lifted_.tensor): lifted_.original for lifted_ in weights.values()}
        return level.trace, level.lists, own


def mirrored(tensor: Tensor) -> Tensor:
    """Returns a tensor with other elements in the same range."""
    array = array_of(tensor)
    if not array.size or array.dtype.kind not in "biuf":
        return tensor
    turned = ~array if array.dtype.kind == "b" else (array.max() - array + array.min()).astype(array.dtype)
    return from_numpy(np.ascontiguousarray(turned).reshape(array.shape))


def untraceable(error: RuntimeError, reason: str = "") -> OnnxExporterError:
    """Returns the error for a program that an export cannot follow, with its line."""
    at = place_of_error(error)
    return noted(
        OnnxExporterError(f"torch.onnx.export: {reason or error}{at}"),
        "A graph has no branches and no sizes that depend on elements: use torch.where, and results of fixed sizes. In "
        "training mode a layer writes to its buffers: call model.eval() first.",
    )


class Constants(NamedTuple):
    """A tensor that the program made in each run, with another size or elements in each."""

    arrays: tuple[np.ndarray, ...]


def merged(traces: list[Trace]) -> Trace:
    """Returns several runs as one trace. Raises OnnxExporterError where they made other calls."""
    first = traces[0]
    if len(traces) == 1:
        return first
    try:
        return merge(traces)
    except Mismatch as mismatch:
        raise noted(
            OnnxExporterError(f"torch.onnx.export: the model makes other calls for other sizes{after(mismatch.place)}"),
            "A branch on a size that may change, or a loop over it: make that dimension static.",
        ) from None


def after(place: Place | None) -> str:
    return f", at {place}" if place else ""


def merge(traces: list[Trace]) -> Trace:
    first = traces[0]
    made = Trace()
    made.inputs, made.outputs, made.views = first.inputs, first.outputs, first.views
    for steps in zip(*[trace.steps for trace in traces], strict=False):
        made.steps.append(merged_step(steps))
    if len({len(trace.steps) for trace in traces}) > 1:
        longest = max(traces, key=lambda trace: len(trace.steps))
        raise Mismatch(place_of(longest.steps[len(made.steps)]))
    if any([trace.outputs != first.outputs or trace.constants.keys() != first.constants.keys() for trace in traces]):
        raise Mismatch
    used = {*made.inputs, *made.constants, *[number for step in made.steps for number in step.results]}
    made.constants = {
        number: merged_constant([trace.constants[number] for trace in traces]) for number in first.constants
    }
    used |= made.constants.keys()
    made.metas = [
        merged_meta([trace.metas[number] for trace in traces]) if number in used else meta
        for number, meta in enumerate(first.metas)
    ]
    return made


def merged_step(steps: Sequence[Any]) -> PlacedStep:
    first = steps[0]
    if any([step.op is not first.op or step.results != first.results for step in steps]):
        raise Mismatch(first.place)
    if any([step.values.keys() != first.values.keys() for step in steps]):
        raise Mismatch(first.place)
    try:
        return first.with_values({name: merged_value([step.values[name] for step in steps]) for name in first.values})
    except Mismatch:
        raise Mismatch(first.place) from None


def merged_meta(metas: list[Meta]) -> Meta:
    if len({(len(meta.shape), meta.dtype) for meta in metas}) > 1:
        raise Mismatch
    return metas[0]._replace(shape=tuple([varying(sizes) for sizes in zip(*[x.shape for x in metas], strict=True)]))


def merged_constant(tensors: list[Tensor]) -> Tensor | Constants:
    first = tensors[0]
    if all([tensor is first for tensor in tensors]):
        return first
    arrays = tuple([array_of(tensor) for tensor in tensors])
    if all([np.array_equal(array, arrays[0]) and array.dtype == arrays[0].dtype for array in arrays]):
        return first
    if len({array.ndim for array in arrays}) > 1:
        raise Mismatch
    return Constants(arrays)


def array_of(tensor: Tensor) -> np.ndarray:
    return Tensor.numpy(tensor.detach().as_subclass(Tensor).resolve_conj().resolve_neg())
