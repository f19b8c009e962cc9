"""Where NaN and infinity are born.

NumPy can call a function when an operation overflows, divides by zero or has no result, which costs nothing until it
happens; what NumPy does not compute is looked at (`looking.py`). That alone says little: kernels overflow inside and
mend it, and what came out may have gone in. So an operation counts if all that went in was finite and something that
came out is not.
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
TRIES = 20  # of one place that turned out harmless, before it is left alone
PASSES = (run_nodes.__code__, arrive.__code__)  # where gradients are added up


class Birth(NamedTuple):
    """An operation that made something infinite or undefined of finite numbers."""

    place: Place
    text: str  # "log(0.0) is -inf"
    node: Node | None = None  # of the step in backward, if it was there


class Births:
    """The births since the last finite loss, in order."""

    def __init__(self, passing: Callable[[], bool]) -> None:
        self.passing = passing  # whether a backward pass is running
        self.forward: list[Birth] = []
        self.backward: list[Birth] = []
        self.harmless: Counter[tuple] = Counter()
        self.busy = False

    def state(self):
        """NumPy's error state that calls us, to be put in the place of the one that ignores everything."""
        with np.errstate(all="ignore", divide="call", over="call", invalid="call", call=self.noted):
            return errors_now()

    def noted(self, kind: str, flag: int) -> None:
        """Something has overflowed, divided by zero or has no result."""
        self._quietly(lambda: self._look(kind, sys._getframe(1)))

    def gave(self, arguments: tuple, results) -> None:
        """What computes the results of a generated function has given numbers that are not finite."""
        self._quietly(lambda: self._look_at(sys._getframe(1), arguments, results))

    def computed(self, call: Call, results) -> None:
        """A call of the general path has."""
        arguments = [call.arrays[argument.name] for argument in call.op.arguments if argument.name in call.arrays]
        self._quietly(lambda: self._add_operation(here(), call.op.name, arguments, results))

    def wrote(self, op: Op, array: np.ndarray, others: list) -> None:
        """An in-place call has written some over finite ones."""
        if trouble([array]) > trouble(others) + (op.name in MASKING):
            self._quietly(lambda: self._add(Birth(here(), f"{op.name}_() is {worst([array])}")))

    def sent(self, node: Node, saved, g, results) -> None:
        """A step of backward has sent some."""
        self._quietly(lambda: self._add_step(here(), node, saved, g, results))

    def met(self, *gradients) -> None:
        """The last of some gradients is not finite, and is the sum of the others."""
        *parts, total = gradients
        if all_finite(parts):
            self._quietly(lambda: self._add_sum(sys._getframe(1), worst(total)))

    def _quietly(self, look: Callable[[], Any]) -> None:
        """What is looked at while looking is none of the program's."""
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
        """What is found at a place, unless that has turned out harmless too often."""
        key = id(place.code), place.offset, name
        if self.harmless[key] < TRIES:
            text = find()
            self._add(Birth(place, text, node) if text else None)
            self.harmless[key] += text is None

    def _add_step(self, place: Place, node: Node, saved, g, results=None) -> None:
        self._add_of(place, op_name(node), lambda: born_in_step(node, saved, g, results), node)

    def _add_sum(self, frame: FrameType | None, total: str) -> None:
        """Where gradients meet: the frame of the walk knows which step has sent the last of them."""
        while frame is not None and frame.f_code not in PASSES:
            frame = frame.f_back
        if frame is not None and (node := frame.f_locals.get("node")) is not None:
            text = f"the gradient of {spoken(op_name(node))} is {total} when it is summed up"
            self._add(Birth(here(), text, node))

    def _look_at(self, frame: FrameType | None, arguments: tuple, results) -> None:
        """Which generated function it was; what belongs to a step of backward is looked at when that has run."""
        name = ""
        while frame is not None and frame.f_code.co_filename.startswith(PACKAGE):
            if is_step(frame):
                return
            if not name and frame.f_code.co_filename.startswith(GENERATED):
                name = frame.f_code.co_name.removeprefix("operator_")
            frame = frame.f_back
        self._add_operation(place_of(frame), name, arguments, results)

    def _look(self, kind: str, frame: FrameType | None) -> None:
        operation = step = walk = None
        while frame is not None and frame.f_code.co_filename.startswith(PACKAGE):
            if is_step(frame):
                step = step or frame
            elif frame.f_code in PASSES:
                walk = walk or frame
            elif op_of(frame) is not None:
                operation = operation or frame
            frame = frame.f_back
        place, result = place_of(frame), step or operation
        if result is None:
            if walk is not None and kind == "overflow":
                self._add_sum(walk, "infinite")
            return
        if step is not None:
            self._add_step(place, *(step.f_locals[each] for each in ("node", "saved", "g")))
        else:
            self._add_of(place, result.f_code.co_name, lambda: born_again(result))


def is_step(frame: FrameType) -> bool:
    """Whether a frame runs a step of backward."""
    return frame.f_code.co_name.endswith("backward") and {"node", "saved", "g"} <= frame.f_locals.keys()


def op_of(frame: FrameType) -> Op | None:
    """The declaration whose generated function a frame runs; a method is declared apart, under its own name."""
    code = frame.f_code
    if not code.co_filename.startswith(GENERATED):
        return None
    name = code.co_name.removeprefix("operator_")
    op = frame.f_globals.get(f"METHOD_{name}") or OPS.get(name)
    return None if op is None or op.composite or "_mode" not in frame.f_locals else op


def born_in_step(node: Node, saved, g, results=None) -> str | None:
    """What became of a finite gradient in a step of backward, in words; None if that is finite.

    The step is run again where its results are not known.
    """
    if not all_finite(g):
        return None
    if results is None:
        results = node.backward(raw, node, *(raw_of(each) for each in (saved, g)), node.edges)
    if all_finite(results):
        return None
    where = of_operand(node, saved, results) if is_elementwise(op_name(node)) else ""
    return f"the gradient of {spoken(op_name(node))} is {worst(results)}{where}"


def of_operand(node: Node, saved, results) -> str:
    """Where in a saved operand it happened: " where `input` is 0.0"."""
    for name, kept in zip(type(node).saves, saved, strict=False):
        for result in results:
            if isinstance(kept, np.ndarray) and isinstance(result, np.ndarray) and kept.shape == result.shape:
                index = first_not_finite(result)
                if index is not None:
                    what = "its result" if name == "out" else f"`{name}`"
                    return f" where {what} is {number(kept[index])}"
    return ""


def born_in_operation(name: str, arguments: list, results) -> str | None:
    """An operation in words, "log(0.0) is -inf", if what it gives is worse than what it was given, and no mask."""
    if trouble(results) <= (1 if name in MASKING else trouble(arguments)):
        return None
    given = values_at(arguments, results) if is_elementwise(name) else shapes_of(arguments)
    return f"{spoken(name).removesuffix('()')}({given}) is {worst(results)}"


def born_again(frame: FrameType) -> str | None:
    """The same of an operation that a frame runs, whose results are not known: it is run again."""
    name, positional, named = operation_of(frame)
    results = getattr(raw, name)(*positional, **named)
    return born_in_operation(name, [*positional, *named.values()], results)


def is_elementwise(name: str) -> bool:
    """Whether each number that an operation gives is made of one number of each operand."""
    return name in OPS and OPS[name].kind == "elementwise"


def trouble(values) -> int:
    """How much is wrong with some arrays: nothing, -inf as in a mask or in the logarithm of one, or more."""
    given = (np.asarray(array) if isinstance(array, float) else array for array in arrays_in(values))
    bad = [np.asarray(arg) for arg in given if is_bad(arg)]
    return 1 + any(map(is_bad_behind_masks, bad)) if bad else 0


def operation_of(frame: FrameType) -> tuple[str, list, dict]:
    """The operation that a frame runs, with its raw arguments."""
    values = frame.f_locals
    op = op_of(frame)
    assert op is not None
    # A method has other names for the arguments, in the same order
    names = frame.f_code.co_varnames[: frame.f_code.co_argcount + frame.f_code.co_kwonlyargcount]
    given = [(each, values[name]) for each, name in zip(op.arguments, names, strict=False)]
    given = [(each, array_of(each, value, op, values)) for each, value in given]
    positional = [value for each, value in given if not each.keyword_only]
    return op.name, positional, {each.name: value for each, value in given if each.keyword_only}


def array_of(argument, value, op: Op, values: dict):
    """What the generated function has made of an argument."""
    if argument.role == TENSORS:
        return values["_arrays"]
    if "_number" in values and type(value) in (int, float) and argument in op.operands():
        return values["_number"]
    return values.get(f"{argument.name}_array", value)


# ---- numbers


def arrays_in(value) -> Iterator[np.ndarray]:
    """The arrays in a value, and what stands in the place of one."""
    if isinstance(value, (list, tuple)):
        for each in value:
            yield from arrays_in(each)
    elif value is not None:
        yield raw_of(value)


def raw_of(value):
    """The arrays in the places of Tensors."""
    if isinstance(value, (list, tuple)):
        return type(value)(map(raw_of, value))
    return plain(value._array) if isinstance(value, Tensor) else value


def all_finite(value) -> bool:
    """Whether every number in the arrays of a value is finite."""
    return not any(is_bad(array) for array in arrays_in(value))


def first_not_finite(array: np.ndarray) -> tuple | None:
    """The index of the first number that is not finite."""
    return np.unravel_index(np.argmin(np.isfinite(array)), array.shape) if is_bad(array) else None


def worst(value) -> str:
    """The first number that is not finite, as PyTorch prints it."""
    for array in arrays_in(value):
        if is_bad(array):
            return number(np.asarray(array)[first_not_finite(np.asarray(array))])
    return "finite"


def number(value) -> str:
    return f"{value:.4g}" if np.isreal(value) else str(value)


def values_at(operands: list, results) -> str:
    """The operands at the place where the first bad number came out."""
    result = next(array for array in arrays_in(results) if is_bad(array))
    index = first_not_finite(np.asarray(result))
    try:
        at: Callable = lambda array: np.broadcast_to(array, result.shape)[index]  # noqa: E731
        return ", ".join(number(at(operand)) for operand in operands if isinstance(operand, np.ndarray))
    except ValueError:
        return shapes_of(operands)


def shapes_of(operands: list) -> str:
    return ", ".join(f"numbers of shape {operand.shape}" for operand in operands if isinstance(operand, np.ndarray))
