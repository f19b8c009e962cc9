"""The steps of a trace as nests of a small program: a rule for each operator, and one for all elementwise ones."""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import partial
from typing import Any

from rushlight.graph import small_losses, small_moves, small_normalization, small_picks, small_sums
from rushlight.graph.small_memory import Unsupported, views_in
from rushlight.graph.small_plan import Plan
from rushlight.graph.trace import Ref, Step, Trace
from rushlight.lower import ir
from rushlight.lower import trace as formulas_of
from rushlight.lower.ir import BIT, FLOATS, I64, Value

VIEWS = frozenset(
    (
        "view", "expand", "transpose", "t", "permute", "squeeze", "unsqueeze", "diagonal", "windows", "unbind",
        "split_evenly", "split_with_sizes", "select", "slice_view", "getitem_view", "unsafe_view", "unsafe_split",
        "unsafe_split_with_sizes",
    )
)  # fmt: skip


def planned(trace: Trace) -> Plan:
    """Returns the plan of a trace. Raises Unsupported for a step that no rule is for."""
    plan = Plan(trace)
    for step in trace.steps:
        add(plan, step)
    return plan


def add(plan: Plan, step: Step) -> None:
    """Adds the nests of a step."""
    if step.op is None:
        plan.copy(plan.tensor(step.values["source"]), plan.tensor(step.values["target"]))
    elif any([number in plan.trace.views for number in step.results]):
        if step.op.name not in VIEWS:
            raise Unsupported(step.op.name)
        for number, place in zip(step.results, views_in(step, plan.source(step)), strict=True):
            if place.shape != plan.trace.metas[number].shape:
                raise Unsupported("a view of another shape")
            plan.views[number] = place
    elif step.op.name in RULES:
        RULES[step.op.name](plan, step, **step.values)
    elif step.op.kind == "elementwise":
        elementwise(plan, step)
    else:
        raise Unsupported(step.op.name)


def elementwise(plan: Plan, step: Step) -> None:
    """Adds a step whose declared formula gives each element of its one result."""
    refs = {name: plan.tensor(value) for name, value in step.values.items() if type(value) is Ref}
    others = {name: value for name, value in step.values.items() if name not in refs}
    if len(step.results) != 1 or any([not is_plain(value) for value in others.values()]):
        raise Unsupported(step.op.name)
    result = plan.result(step.results[0])
    floats = {place.type for place in refs.values()} & set(FLOATS)
    work = result.type if result.type in FLOATS else next(iter(floats)) if len(floats) == 1 else ""
    if result.type == I64 or (not work and any([place.type != BIT for place in refs.values()])):
        raise Unsupported("a formula of integers, or a comparison of two dtypes")

    def make(values: list[Value]) -> Any:
        operands = [value if value.type == BIT else ir.cast(value, work) for value in values]
        return formulas_of.forward(step.op, {**others, **dict(zip(refs, operands, strict=True))})

    key = (step.op.name, *refs, *[f"{name}={value!r}" for name, value in others.items()])
    plan.pointwise(key, make, list(refs.values()), result)


def is_plain(value: Any) -> bool:
    return value is None or type(value) in (bool, int, float, str)


def add_bitwise(function: Callable, plan: Plan, step: Step, **values) -> None:
    """Adds a bitwise operation of bools."""
    sources = [plan.tensor(each) for each in values.values()]
    result = plan.result(step.results[0])
    if any([each.type != BIT for each in (*sources, result)]):
        raise Unsupported("bits of integers")
    plan.pointwise((step.op.name,), lambda values: function(*values), sources, result)


def add_integers(name: str, plan: Plan, step: Step, input, other, alpha=1) -> None:
    """Adds arithmetic of int64, which wraps around; of other dtypes, the formula that is declared."""
    operands = [plan.tensor(each) for each in (input, other) if type(each) is Ref]
    if any([each.type != I64 for each in operands]) or type(other) not in (Ref, int) or alpha != 1:
        elementwise(plan, step)
        return

    def make(values: list[Value]) -> Value:
        return ir.integer(name, values[0], values[1] if len(values) > 1 else other)

    key = name, other if type(other) is int else None
    plan.pointwise(key, make, operands, plan.result(step.results[0]))


RULES: dict[str, Callable] = {
    "add": partial(add_integers, "add"),
    "sub": partial(add_integers, "sub"),
    "mul": partial(add_integers, "mul"),
    "bitwise_and": partial(add_bitwise, operator.and_),
    "bitwise_or": partial(add_bitwise, operator.or_),
    "bitwise_xor": partial(add_bitwise, operator.xor),
    "bitwise_not": partial(add_bitwise, operator.invert),
    **small_sums.RULES,
    **small_moves.RULES,
    **small_losses.RULES,
    **small_picks.RULES,
    **small_normalization.RULES,
}
