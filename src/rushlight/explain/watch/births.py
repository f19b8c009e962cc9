"""Finds the operations that make NaN or infinity from finite values.

NumPy can call a function when an operation overflows, divides by zero or has no result, which costs nothing until it
happens; what NumPy does not compute is checked (`looking.py`). That alone is not enough: kernels overflow inside and
correct it, and bad results may come from bad operands. So an operation counts if all its operands were finite and one
of its results is not.
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any, NamedTuple

import numpy as np

from rushlight.autograd.loop import run_nodes
from rushlight.autograd.steps import arrive
from rushlight.core.fp_errors import IGNORED, errors_now, reset_errors, set_errors
from rushlight.core.graph import Node
from rushlight.core.lazy_conj_neg import plain
from rushlight.core.origin import PACKAGE, Place, here, place_of
from rushlight.core.tables import raw
from rushlight.core.tensor import Tensor
from rushlight.declarations.declare import OPS, TENSORS, Op
from rushlight.dispatch.interpreter import Call
from rushlight.explain.nan import MASKING, is_bad, is_bad_behind_masks
from rushlight.explain.source_rewriting import spoken
from rushlight.explain.watch.graph_patterns import op_name

GENERATED = os.path.join(PACKAGE, "_generated", "functions")
TRIES = 20  # false alarms at one line before it is ignored
PASSES = (run_nodes.__code__, arrive.__code__)  # functions that add gradients


class Birth(NamedTuple):
    """An operation that made NaN or infinity from finite values."""

    place: Place
    text: str  # "log(0.0) is -inf"
    node: Node | None = None  # of the backward step, if it happened there


class Births:
    """The births since the last finite loss, in order."""

    def __init__(self, passing: Callable[[], bool]) -> None:
        self.passing = passing  # whether a backward pass is running
        self.forward: list[Birth] = []
        self.backward: list[Birth] = []
        self.harmless: Counter[tuple] = Counter()
        self.busy = False

    def state(self):
        """Returns NumPy's error state that calls `noted`, to replace the one that ignores all errors."""
        with np.errstate(all="ignore", divide="call", over="call", invalid="call", call=self.noted):
            return errors_now()

    def noted(self, kind: str, flag: int) -> None:
        """Handles an operation that has overflowed, divided by zero or has no result."""
        self._quietly(lambda: self._look(kind, sys._getframe(1)))

    def gave(self, arguments: tuple, results) -> None:
        """Handles results that are not finite from a function that a generated function called."""
        self._quietly(lambda: self._look_at(sys._getframe(1), arguments, results))

    def computed(self, call: Call, results) -> None:
        """Handles results that are not finite from the general path."""
        arguments = [call.arrays[argument.name] for argument in call.op.arguments if argument.name in call.arrays]
        self._quietly(lambda: self._add_operation(here(), call.op.name, arguments, results))

    def wrote(self, op: Op, array: np.ndarray, others: list) -> None:
        """Handles an in-place write of values that are not finite over finite ones."""
        if badness([array]) > badness(others) + (op.name in MASKING):
            self._quietly(lambda: self._add(Birth(here(), f"{op.name}_() is {worst([array])}")))

    def sent(self, node: Node, saved, g, results) -> None:
        """Handles gradients that are not finite from a backward step."""
        self._quietly(lambda: self._add_step(here(), node, saved, g, results))

    def met(self, *gradients) -> None:
        """Handles a sum of gradients, the last argument, that is not finite."""
        *parts, total = gradients
        if all_finite(parts):
            self._quietly(lambda: self._add_sum(sys._getframe(1), worst(total)))

    def _quietly(self, look: Callable[[], Any]) -> None:
        """Runs a check; what it computes itself is not checked."""
        if self.busy or len(self.forward) + len(self.backward) > 8:
            return
        self.busy = True
        token = set_errors(IGNORED)
        try:
            look()
        finally:
            reset_errors(token)
            self.busy = False

    def _add(self, birth: Birth | None) -> None:
        if birth is not None:
            (self.backward if birth.node is not None or self.passing() else self.forward).append(birth)

    def _add_operation(self, place: Place, name: str, arguments: list | tuple, results) -> None:
        self._add_of(place, name, lambda: born_in_operation(name, list(arrays_in(arguments)), results))

    def _add_of(self, place: Place, name: str, find: Callable[[], str | None], node: Node | None = None) -> None:
        """Adds what `find` returns for a line, unless too many results there were harmless."""
        key = id(place.code), place.offset, name
        if self.harmless[key] < TRIES:
            text = find()
            self._add(Birth(place, text, node) if text else None)
            self.harmless[key] += text is None

    def _add_step(self, place: Place, node: Node, saved, g, results=None) -> None:
        self._add_of(place, op_name(node), lambda: born_in_step(node, saved, g, results), node)

    def _add_sum(self, frame: FrameType | None, total: str) -> None:
        """Adds a sum of gradients; the frame of the backward loop has the node that has sent the last of them."""
        while frame is not None and frame.f_code not in PASSES:
            frame = frame.f_back
        if frame is not None and (node := frame.f_locals.get("node")) is not None:
            text = f"the gradient of {spoken(op_name(node))} is {total} when it is summed up"
            self._add(Birth(here(), text, node))

    def _look_at(self, frame: FrameType | None, arguments: tuple, results) -> None:
        """Finds which generated function computed; what belongs to a backward step is checked when that has run."""
        name = ""
        while frame is not None and frame.f_code.co_filename.startswith(PACKAGE):
            if is_step(frame):
                return
            if not name and frame.f_code.co_filename.startswith(GENERATED):
                name = frame.f_code.co_name.removeprefix("operator_")
            frame = frame.f_back
        self._add_operation(place_of(frame), name, arguments, results)

    def _look(self, kind: str, frame: FrameType | None) -> None:
        operation = step = loop = None
        while frame is not None and frame.f_code.co_filename.startswith(PACKAGE):
            if is_step(frame):
                step = step or frame
            elif frame.f_code in PASSES:
                loop = loop or frame
            elif op_of(frame) is not None:
                operation = operation or frame
            frame = frame.f_back
        place, running = place_of(frame), step or operation
        if running is None:
            if loop is not None and kind == "overflow":
                self._add_sum(loop, "infinite")
            return
        if step is not None:
            self._add_step(place, *(step.f_locals[name] for name in ("node", "saved", "g")))
        else:
            self._add_of(place, running.f_code.co_name, lambda: born_again(running))


def is_step(frame: FrameType) -> bool:
    """Whether a frame runs a backward step."""
    return frame.f_code.co_name.endswith("backward") and {"node", "saved", "g"}.issubset(frame.f_locals)


def op_of(frame: FrameType) -> Op | None:
    """Returns the declaration whose generated function a frame runs; a method has its own, under its own name."""
    code = frame.f_code
    if not code.co_filename.startswith(GENERATED):
        return None
    name = code.co_name.removeprefix("operator_")
    op = frame.f_globals.get(f"METHOD_{name}") or OPS.get(name)
    return None if op is None or op.composite or "_mode" not in frame.f_locals else op


def born_in_step(node: Node, saved, g, results=None) -> str | None:
    """Describes what a backward step made from a finite gradient; None if that is finite.

    Runs the step again if its results are not passed.
    """
    if not all_finite(g):
        return None
    if results is None:
        results = node.backward(raw, node, *(raw_of(value) for value in (saved, g)), node.edges)
    if all_finite(results):
        return None
    where = of_operand(node, saved, results) if is_elementwise(op_name(node)) else ""
    return f"the gradient of {spoken(op_name(node))} is {worst(results)}{where}"


def of_operand(node: Node, saved, results) -> str:
    """Describes which value of a saved operand caused it: " where `input` is 0.0"."""
    for name, kept in zip(type(node).saves, saved, strict=False):
        for result in results:
            if isinstance(kept, np.ndarray) and isinstance(result, np.ndarray) and kept.shape == result.shape:
                index = first_not_finite(result)
                if index is not None:
                    what = "its result" if name == "out" else f"`{name}`"
                    return f" where {what} is {number(kept[index])}"
    return ""


def born_in_operation(name: str, arguments: list, results) -> str | None:
    """Describes an operation, "log(0.0) is -inf", if its results are worse than its operands, and it makes no mask."""
    if badness(results) <= (1 if name in MASKING else badness(arguments)):
        return None
    operands = values_at(arguments, results) if is_elementwise(name) else shapes_of(arguments)
    return f"{spoken(name).removesuffix('()')}({operands}) is {worst(results)}"


def born_again(frame: FrameType) -> str | None:
    """The same for an operation that a frame runs, whose results are not known: it is run again."""
    name, positional, named = operation_of(frame)
    results = getattr(raw, name)(*positional, **named)
    return born_in_operation(name, [*positional, *named.values()], results)


def is_elementwise(name: str) -> bool:
    """Whether each element of a result depends on one element of each operand."""
    return name in OPS and OPS[name].kind == "elementwise"


def badness(values) -> int:
    """Rates how bad some arrays are: 0 if finite, 1 for -inf as in a mask or in the logarithm of one, else 2."""
    arrays = (np.asarray(array) if isinstance(array, float) else array for array in arrays_in(values))
    bad = [np.asarray(x) for x in arrays if is_bad(x)]
    return 1 + any(map(is_bad_behind_masks, bad)) if bad else 0


def operation_of(frame: FrameType) -> tuple[str, list, dict]:
    """Returns the operation that a frame runs, with its raw arguments."""
    values = frame.f_locals
    op = op_of(frame)
    assert op is not None
    # A method has other names for the arguments, in the same order
    names = frame.f_code.co_varnames[: frame.f_code.co_argcount + frame.f_code.co_kwonlyargcount]
    pairs = [(argument, values[name]) for argument, name in zip(op.arguments, names, strict=False)]
    pairs = [(argument, array_of(argument, value, op, values)) for argument, value in pairs]
    positional = [value for argument, value in pairs if not argument.keyword_only]
    return op.name, positional, {argument.name: value for argument, value in pairs if argument.keyword_only}


def array_of(argument, value, op: Op, values: dict):
    """Returns what the generated function has made of an argument."""
    if argument.role == TENSORS:
        return values["_arrays"]
    if "_number" in values and type(value) in (int, float) and argument in op.operands():
        return values["_number"]
    return values.get(f"{argument.name}_array", value)


# ---- values


def arrays_in(value) -> Iterator[np.ndarray]:
    """Yields the arrays in a value, and the scalars."""
    if isinstance(value, (list, tuple)):
        for item in value:
            yield from arrays_in(item)
    elif value is not None:
        yield raw_of(value)


def raw_of(value):
    """Returns a value with arrays for Tensors."""
    if isinstance(value, (list, tuple)):
        return type(value)(map(raw_of, value))
    return plain(value._array) if isinstance(value, Tensor) else value


def all_finite(value) -> bool:
    """Whether every element of the arrays in a value is finite."""
    return not any(is_bad(array) for array in arrays_in(value))


def first_not_finite(array: np.ndarray) -> tuple | None:
    """Returns the index of the first element that is not finite, None if there is none."""
    return np.unravel_index(np.argmin(np.isfinite(array)), array.shape) if is_bad(array) else None


def worst(value) -> str:
    """Returns the first element that is not finite, as PyTorch prints it."""
    for array in arrays_in(value):
        if is_bad(array):
            return number(np.asarray(array)[first_not_finite(np.asarray(array))])
    return "finite"


def number(value) -> str:
    return f"{value:.4g}" if np.isreal(value) else str(value)


def values_at(operands: list, results) -> str:
    """Returns the elements of the operands at the index of the first bad result."""
    result = next(array for array in arrays_in(results) if is_bad(array))
    index = first_not_finite(np.asarray(result))
    try:
        at: Callable = lambda array: np.broadcast_to(array, result.shape)[index]  # noqa: E731
        return ", ".join(number(at(operand)) for operand in operands if isinstance(operand, np.ndarray))
    except ValueError:
        return shapes_of(operands)


def shapes_of(operands: list) -> str:
    return ", ".join(f"numbers of shape {operand.shape}" for operand in operands if isinstance(operand, np.ndarray))
