"""Leaves out steps whose results are known: copies, views that show the same, equal steps, steps that nothing reads.

Every rule is exact: a value is replaced only by one of equal elements, dtype and layout. What the program returns stays
in memory of its own, and writes keep their order.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rushlight.graph.functional import Functional, substituted
from rushlight.graph.trace import Array, Left, Ref, Step, Trace


def simplify(trace: Trace) -> Trace:
    """Returns a trace with the same outputs and writes."""
    functional = Functional(trace).trace
    return without_unread(Simplifier(functional).trace)


class Simplifier:
    """Replaces results by equal tensors: `trace` is the result."""

    def __init__(self, before: Trace):
        self.before = before
        self.trace = made = Trace()
        made.metas, made.inputs, made.constants = before.metas, before.inputs, before.constants
        self.written = {before.base_of(number) for step in before.steps for number in step.written()}
        made.owned = before.owned
        outputs = [None if number is None else before.base_of(number) for number in before.outputs]
        owned = len(outputs) if before.owned is None else before.owned
        self.shown = {number for number in outputs[:owned] if number is not None}  # memory that results own
        self.kept = {number for number in outputs[owned:] if number is not None} - self.shown
        self.seen = {*self.shown, *before.inputs, *before.constants}  # memory that the program may write to later
        self.same = self._same_constants()
        self.known: dict[Any, Step] = {}  # what a step computes -> the first step that does
        self.makers: dict[int, Step] = {}
        for step in before.steps:
            self._add(step.with_values(substituted(step.values, self._now)))
        made.outputs = [None if number is None else self._now(number) for number in before.outputs]

    def _same_constants(self) -> dict[int, int]:
        """Returns constants that show the same memory as an earlier one, in the same layout, with that one."""
        same: dict[int, int] = {}
        known: dict[tuple, int] = {}
        own = self.written | self.shown | self.kept
        for number, constant in self.before.constants.items():
            if number not in own:
                place = constant._array.__array_interface__["data"][0], self.before.metas[number]
                if (first := known.setdefault(place, number)) != number:
                    same[number] = first
        return same

    def _now(self, number: int) -> int:
        return self.same.get(number, number)

    def _add(self, step: Step) -> None:
        """Adds a step, unless its results are there."""
        if step.op is not None and not step.written() and not step.draws:
            number = RULES[step.op.name](self, step) if step.op.name in RULES else None
            if number is not None and self._may_be(step.results[0], number):
                self.same[step.results[0]] = number
                return
            key = self._key(step)
            first = step if key is None else self.known.setdefault(key, step)
            if first is not step and (self.kept.isdisjoint(step.results) or self.shown.isdisjoint(first.results)):
                self.same.update(zip(step.results, first.results, strict=True))
                return
        self.trace.steps.append(step)
        for number in step.results:
            self.makers[number] = step
            if number in self.before.views:
                source = next(each.number for each in step.values.values() if type(each) is Ref)
                self.trace.views[number] = source

    def _may_be(self, result: int, number: int) -> bool:
        """Whether a result may be left out for an equal tensor: they look alike, in memory that nothing tells apart."""
        if self.before.metas[result] != self.before.metas[number]:
            return False
        one, other = self.before.base_of(result), self.trace.base_of(number)
        if result in self.before.views and self.trace.base_of(self._now(one)) == other:
            return True  # a view that shows what it is a view of
        if one in self.kept and other in self.seen:
            return False
        return one not in self.shown and one not in self.written and other not in self.written

    def _key(self, step: Step) -> Any:
        """Returns what a step computes, None if another step must not replace it."""
        numbers = [*step.operands(), *step.results]
        bases = {self.before.base_of(number) for number in numbers}
        if not bases.isdisjoint(self.written) or any([type(value) is Left for value in step.values.values()]):
            return None
        if not step.op.view and not self.shown.isdisjoint(step.results):
            return None
        return (step.op.name, *[frozen(value) for value in step.values.values()])


def frozen(value: Any) -> Any:
    """Returns an argument as a key: equal keys are equal arguments, of one type."""
    if type(value) in (tuple, list):
        return type(value), tuple([frozen(each) for each in value])
    if type(value) in (float, complex):
        return type(value), repr(value)
    if type(value) is slice:
        return slice, frozen((value.start, value.stop, value.step))
    if type(value) in (Ref, Array, int, bool, str, type(None)):
        return type(value), value
    return type(value), id(value)


def without_unread(trace: Trace) -> Trace:
    """Returns a trace without the steps that neither an output nor memory that was there before depends on."""
    wanted = {number for number in trace.outputs if number is not None}
    memory = {trace.base_of(number) for number in wanted}.union(trace.inputs)
    kept: list[Step] = []
    for step in reversed(trace.steps):
        writes = not memory.isdisjoint([trace.base_of(number) for number in step.written()])
        if writes or step.draws or not wanted.isdisjoint(step.results):
            operands = step.operands()
            wanted.update(operands)
            memory.update([trace.base_of(number) for number in operands])
            kept.append(step)
    made = Trace()
    made.steps, made.metas, made.views = kept[::-1], trace.metas, trace.views
    made.inputs, made.outputs, made.owned = trace.inputs, trace.outputs, trace.owned
    made.constants = {number: tensor for number, tensor in trace.constants.items() if number in wanted}
    return made


# ---- rules: each returns the tensor that a result is equal to, or None


def operand(simplifier: Simplifier, step: Step) -> int | None:
    """The first operand, if it looks like the result; see `Simplifier._may_be`."""
    return step.values["input"].number if type(step.values["input"]) is Ref else None


def back(simplifier: Simplifier, step: Step) -> int | None:
    """What was transposed to the operand of a transposition."""
    source = simplifier.makers.get(step.values["input"].number)
    if source is None or source.op is not step.op or step.op.name != "t":
        return None
    return source.values["input"].number


def copied(simplifier: Simplifier, step: Step) -> int | None:
    """The source of a copy."""
    return step.values["src"].number if type(step.values["src"]) is Ref else None


def times_one(simplifier: Simplifier, step: Step) -> int | None:
    """The factor next to 1, or the operand of a division by 1."""
    other = step.values["other"]
    return operand(simplifier, step) if type(other) in (int, float) and other == 1 else None


def plus_nothing(simplifier: Simplifier, step: Step) -> int | None:
    """The operand of a subtraction of 0."""
    other = step.values["other"]
    return operand(simplifier, step) if type(other) is int and other == 0 else None


RULES: dict[str, Callable[[Simplifier, Step], int | None]] = {
    "clone": operand, "copy": operand, "expand": operand, "slice_view": operand, "stepped_by": operand,
    "sum_to_size_of": operand, "to_copy": operand, "view": operand, "reshape": operand, "t": back,
    "copy_values": copied, "mul": times_one, "true_divide": times_one, "sub": plus_nothing,
}  # fmt: skip
