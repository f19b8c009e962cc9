"""Writes to memory that nothing else can see become values: the tensor that was written to is the source from then on.

    t1 = mul(t0, 2)                     t1 = mul(t0, 2)
    t2 = clone(t1)                      t2 = clone(t1)      (which `simplify.py` removes)
    t3 = exp(t2)                        t3 = exp(t2)
    write(t1, t3)
    t4 = sum(t1)                        t4 = sum(t3)

Only memory that steps have made and that is written as a whole is treated so; writes to inputs and to parts stay.
"""

from __future__ import annotations

from rushlight.declarations.declare import OPS
from rushlight.graph.trace import Array, Meta, Ref, Step, Trace

CLONE = OPS["clone"]


class Functional:
    """Makes the functional form of a trace: `trace` is the result."""

    def __init__(self, before: Trace):
        self.before = before
        self.trace = made = Trace()
        made.metas, made.views = list(before.metas), dict(before.views)
        made.inputs, made.constants, made.owned = before.inputs, before.constants, before.owned
        self.makers = {number: step for step in before.steps for number in step.results}
        self.targets = {number for step in before.steps for number in step.written()}
        self.whole = self._written_as_a_whole()
        self.now: dict[int, int] = {}  # memory -> the tensor that has its elements now
        self.remade: dict[tuple[int, int], int] = {}  # (view, what its memory is now) -> the view of that
        self.claimed = {before.base_of(number) for number in before.outputs if number is not None}
        for step in before.steps:
            self._add(step)
        made.outputs = [None if number is None else self.current(number) for number in before.outputs]

    def _written_as_a_whole(self) -> set[int]:
        """Returns the memory whose writes are left out."""
        before = self.before
        targets: dict[int, bool] = {}  # memory -> whether all writes are of the whole, in its layout
        for step in before.steps:
            for number in step.written():
                base = before.base_of(number)
                whole = step.op is None and number == base and base not in before.inputs
                if whole:
                    whole = before.metas[step.values["source"].number] == before.metas[base]
                targets[base] = targets.get(base, True) and whole
        for view in before.views:
            if view in self.makers and len(self.makers[view].operands()) != 1:
                targets[before.base_of(view)] = False
        return {base for base, whole in targets.items() if whole}

    def current(self, number: int) -> int:
        """Returns the tensor that has the elements of a tensor of the old trace at this point."""
        base = self.before.base_of(number)
        if base not in self.whole:
            return number
        now = self.now.get(base, base)
        if number == base:
            return now
        if now == base:
            return number
        if (number, now) not in self.remade:
            step = self.makers[number]
            made = tuple([self._new(self.before.metas[each]) for each in step.results])
            self.remade.update({(each, now): view for each, view in zip(step.results, made, strict=True)})
            source = self.current(self.before.views[number])
            self.trace.views.update(dict.fromkeys(made, source))
            self.trace.steps.append(Step(step.op, substituted(step.values, lambda each: source), made))
        return self.remade[number, now]

    def _new(self, meta: Meta) -> int:
        self.trace.metas.append(meta)
        return len(self.trace.metas) - 1

    def _add(self, step: Step) -> None:
        values = substituted(step.values, self.current)
        target = step.values["target"].number if step.op is None else None
        if target is None or target not in self.whole:
            self.trace.steps.append(step.with_values(values))
            return
        source = values["source"].number
        if not self._is_free(source):
            source = self._cloned(source)
        self.claimed.add(source)
        self.now[target] = source

    def _is_free(self, number: int) -> bool:
        """Whether a tensor owns memory that is no other's, and is never written to."""
        maker = self.makers.get(number)
        own = maker is not None and not maker.op.view and number not in self.claimed
        return own and number not in self.targets

    def _cloned(self, number: int) -> int:
        made = self._new(self.trace.metas[number])
        self.trace.steps.append(Step(CLONE, {"input": Ref(number), "memory_format": None}, (made,)))
        return made


def substituted(values: dict, number_of) -> dict:
    """Returns arguments with other numbers of tensors."""
    return {name: replaced(value, number_of) for name, value in values.items()}


def replaced(value, number_of):
    """Returns an argument with other numbers of tensors."""
    if type(value) in (Ref, Array):
        return type(value)(number_of(value.number))
    if type(value) in (tuple, list):
        return type(value)([replaced(each, number_of) for each in value])
    return value
