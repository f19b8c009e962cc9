"""Where NaN and infinity are born.

NumPy can call a function when an operation overflows, divides by zero or has no result, which costs nothing until it
happens. That alone says little: kernels overflow inside and mend it. So the operation is run again, and counts if all
that went in was finite and something that came out is not.
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from math import isfinite
from types import FrameType
from typing import NamedTuple

import numpy as np

import rushlight._generated.raw as raw
from rushlight.core.dtype import REDUCED_NUMPY
from rushlight.core.graph import Node
from rushlight.core.large import WAITING
from rushlight.core.origin import NOBODY, PACKAGE, Place
from rushlight.core.unresolved import plain
from rushlight.dispatch.errors_of_numpy import IGNORED, errors_now, reset_errors, set_errors
from rushlight.dispatch.general import Call
from rushlight.explain.nan import MASKING, is_bad_behind_masks
from rushlight.explain.watch.taps import Taps
from rushlight.ops.declare import OPS, TENSORS, Op

GENERATED = os.path.join(PACKAGE, "_generated", "functions")
TRIES = 20  # of one place that turned out harmless, before it is left alone


class Birth(NamedTuple):
    """An operation that made something infinite or undefined of finite numbers."""

    place: Place
    text: str  # "log(0.0) is -inf"
    node: Node | None = None  # of the step in backward, if it was there


class Births:
    """The births since the last finite loss, in order."""

    def __init__(self) -> None:
        self.forward: list[Birth] = []
        self.backward: list[Birth] = []
        self.harmless: Counter[tuple] = Counter()
        self.busy = False

    def state(self):
        """NumPy's error state that calls us, to be put in the place of the one that ignores everything."""
        with np.errstate(all="ignore", divide="call", over="call", invalid="call", call=self.noted):
            return errors_now()

    def watch_kernels(self, taps: Taps) -> None:
        """Machine code says nothing when it overflows: what formulas of several steps give is looked at."""
        if "rushlight.compiler.ways" in sys.modules:
            self._tap_kernels(taps)
            return
        later = partial(self._tap_kernels, taps)
        WAITING.insert(0, later)  # after those who put kernels in place, who are called first
        taps.undo(lambda: WAITING.remove(later) if later in WAITING else None)

    def _tap_kernels(self, taps: Taps) -> None:
        ways = sys.modules.get("rushlight.compiler.ways")
        if ways is not None:
            taps.attribute(ways.Kernels, "run", self._around_run)
            taps.attribute(ways.Ways, "find", self._around_find)
            ways.forget()

    def _around_run(self, run):
        def run_and_look(kernels, *arguments):
            return self._looked_at(run(kernels, *arguments))

        return run_and_look

    def _around_find(self, find):
        def find_for_now(ways, *arguments):
            way = find(ways, *arguments)
            ways.known.clear()  # nobody is to go past us
            return (lambda *given: self._looked_at(way(*given))) if way else way

        return find_for_now

    def _looked_at(self, found):
        """What a kernel has given; a birth is noted."""
        if found is not None and not self.busy:
            self.busy = True
            bad = any(is_bad_in_sum(each) for each in (found if type(found) is tuple else (found,)))
            self.busy = False
            if bad:
                self.noted("", 0)
        return found

    def noted(self, kind: str, flag: int) -> None:
        """Something has overflowed, divided by zero or has no result."""
        if self.busy or len(self.forward) + len(self.backward) > 8:
            return
        self.busy = True
        token = set_errors(IGNORED)
        try:
            self._look(sys._getframe(1))
        finally:
            reset_errors(token)
            self.busy = False

    def _look(self, frame: FrameType | None) -> None:
        operation = step = None
        while frame is not None and frame.f_code.co_filename.startswith(PACKAGE):
            code = frame.f_code
            if code.co_name.endswith("backward") and {"node", "saved", "g"} <= frame.f_locals.keys():
                step = step or frame
            elif code is Call.compute.__code__ or op_of(frame) is not None:
                operation = operation or frame
            frame = frame.f_back
        place = Place(NOBODY, 0) if frame is None else Place(frame.f_code, frame.f_lasti)
        found = step or operation
        if found is None:
            return
        key = place, found.f_code.co_name
        if self.harmless[key] >= TRIES:
            return
        text = born_in_step(step) if step is not None else born_in_operation(found)
        if text is None:
            self.harmless[key] += 1
        elif step is not None:
            self.backward.append(Birth(place, text, step.f_locals["node"]))
        else:
            self.forward.append(Birth(place, text))


def op_of(frame: FrameType) -> Op | None:
    """The declaration whose generated function a frame runs; a method is declared apart, under its own name."""
    code = frame.f_code
    if not code.co_filename.startswith(GENERATED):
        return None
    name = code.co_name.removeprefix("operator_")
    op = frame.f_globals.get(f"METHOD_{name}") or OPS.get(name)
    return None if op is None or op.composite or "_mode" not in frame.f_locals else op


def born_in_step(frame: FrameType) -> str | None:
    """Runs a step of backward again: what became of a finite gradient, in words; None if that is finite."""
    node, saved, g = (frame.f_locals[each] for each in ("node", "saved", "g"))
    if any(not isinstance(each, np.ndarray) for each in arrays_in(g)) or not all_finite(g):
        return None
    results = node.backward(raw, node, saved, g)
    if all_finite(results):
        return None
    return f"the gradient of {type(node).op.name}() is {worst(results)}{of_operand(node, saved, results)}"


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


def born_in_operation(frame: FrameType) -> str | None:
    """Runs an operation again: "log(0.0) is -inf", or None if what went in was not finite or what came out is."""
    name, positional, named = operation_of(frame)
    if name is None or not all_finite([positional, list(named.values())]):
        return None
    results = getattr(raw, name)(*positional, **named)
    if all_finite(results) or (name in MASKING and not is_bad_behind_masks(results)):
        return None
    return f"{name}({values_at(positional, results)}) is {worst(results)}"


def operation_of(frame: FrameType) -> tuple[str | None, list, dict]:
    """The operation that a frame runs, with its raw arguments."""
    values = frame.f_locals
    if frame.f_code is Call.compute.__code__:
        call = values["self"]
        if call.backend.kind != "cpu" or "named" not in values:
            return None, [], {}
        return call.op.name, values["positional"], values["named"]
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
        yield value


def is_bad(value) -> bool:
    if type(value) is np.ndarray and not value.ndim and value.dtype.kind == "f":
        return not isfinite(value.item())  # a tenth of the time, for losses
    value = plain(value)
    floats = isinstance(value, np.ndarray) and (value.dtype.kind in "fc" or value.dtype in REDUCED_NUMPY)
    return floats and not np.isfinite(value).all()


def is_bad_in_sum(value) -> bool:
    """The same for a large array, by a sum first, which takes a fraction of the time."""
    floats = isinstance(value, np.ndarray) and value.dtype.kind == "f"
    return floats and not isfinite(value.sum().item()) and is_bad(value)


def all_finite(value) -> bool:
    """Whether every number in the arrays of a value is finite."""
    return not any(is_bad(each) for each in arrays_in(value))


def first_not_finite(array: np.ndarray) -> tuple | None:
    """The index of the first number that is not finite."""
    bad = np.argwhere(~np.isfinite(array)) if is_bad(array) else np.empty((0, array.ndim), int)
    return tuple(bad[0].tolist()) if len(bad) else None


def worst(value) -> str:
    """The first number that is not finite, as PyTorch prints it."""
    for each in arrays_in(value):
        if is_bad(each):
            return number(each[first_not_finite(each)])
    return "finite"


def number(value) -> str:
    return f"{value:.4g}" if np.isreal(value) else str(value)


def values_at(operands: list, results) -> str:
    """The operands at the place where the first bad number came out, where each result is of one element of each."""
    result = next(each for each in arrays_in(results) if is_bad(each))
    index = first_not_finite(result)
    parts = [each for each in operands if isinstance(each, np.ndarray)]
    try:
        at: Callable = lambda array: np.broadcast_to(array, result.shape)[index]  # noqa: E731
        return ", ".join(number(at(each)) for each in parts)
    except ValueError:
        return ", ".join(f"numbers of shape {each.shape}" for each in parts)
