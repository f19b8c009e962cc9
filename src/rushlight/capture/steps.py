"""Whole training steps of a run: forward, backward and the optimizer's step as one program (`graph/training.py`).

The calls from the first to the last that can be recorded together are one item. Parameters, buffers and what the
optimizers hold are the program's own tensors: a guard holds each by identity. If they are not as they were when the
step was recorded, such as gradients that are None now, the calls are made one by one, and the step is recorded anew.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from rushlight.autograd.methods import backward
from rushlight.capture.calls import A_TENSOR, Call, Check, Constant, Listed, Run, Value, number_of
from rushlight.capture.early_draws import EarlyDraws, draws
from rushlight.capture.grouping import Group, is_mode, mode_guards, modes_of, outermost, outputs_of, used_whole
from rushlight.capture.grouping import fits as may_be_in_group
from rushlight.capture.origins import FAULTS
from rushlight.capture.paths import ARGUMENT, IS, ITEM, KEYWORD, Guard, Path, is_own
from rushlight.capture.replay import Text, lines_of
from rushlight.capture.standing import Standing
from rushlight.capture.steady import have_changed
from rushlight.core.tensor import Tensor
from rushlight.core.traced import Untraceable
from rushlight.graph.whole_call import Stale
from rushlight.graph.whole_step import WholeStep, compile_whole
from rushlight.optim.optimizer import Optimizer

TRIES = 3  # how often a step is recorded


class Step:
    """The calls of a training step."""

    late = False  # an error comes before the first change

    def __init__(self, run: Run, items: list, sample: Callable[[Any], Any], options: dict[str, Any]):
        self.watched, self.items, self.options = run, items, options
        calls = [
            call for item in items for call in (item.calls if type(item) is Group else (item,)) if type(call) is Call
        ]
        early = EarlyDraws(run, calls, sample)
        self.draws, self.drawn, self.calls = early.draws, early.numbers, early.rest
        self.numbers = {call.number for call in self.calls}
        self.inputs: list = []  # data: tensors that may be others at each call
        self.own: dict[Any, Tensor] = {}  # tensors of the program
        self.objects: dict[Any, Any] = {}  # optimizers, modules
        self.outputs: list = []
        self.wholes: dict[Any, Listed] = {}  # as of a group: there are none
        self.compiled = self
        self.recordings: list[WholeStep] = []
        self.recorded = 0
        self.fallback: Callable[..., list] | None = None
        for call in self.calls:
            for expression in outermost(call):
                self.enter(expression, sample)
        self.standing: list = []  # inputs that functions of the program may read by themselves
        if any([call.callbacks for call in self.calls]):
            known = [Value(path) for path, kind in run.values.items() if kind is A_TENSOR]
            for expression in known:
                self.enter(expression, sample)
            self.standing = [each for each in known if each not in self.own]

    def enter(self, expression: Any, sample: Callable[[Any], Any]) -> None:
        """Notes what a call reads from outside."""
        if number_of(expression) in self.numbers:
            return
        if type(expression) is not Value:
            if number_of(expression) not in self.drawn or self.watched.kind_of(expression) is not A_TENSOR:
                raise Untraceable("a step reads what was computed before it")
            if expression not in self.inputs:
                self.inputs.append(expression)
            return
        if self.watched.kind_of(expression) is not A_TENSOR:
            self.objects[expression] = sample(expression)
        elif is_own(expression.path, tensor := sample(expression)):
            if is_argument(expression.path):
                raise Untraceable("an argument requires a gradient")
            self.own[expression] = tensor
        elif expression not in self.inputs:
            self.inputs.append(expression)

    def guards(self) -> list[Guard]:
        """Returns the guards that tensors and objects of the program are the same ones."""
        same = [Guard(each.path, IS, value) for each, value in (*self.own.items(), *self.objects.items())]
        return same + mode_guards(self.objects)

    def optimizers(self) -> list:
        """Returns the optimizers that the calls step."""
        return [value for value in self.objects.values() if isinstance(value, Optimizer)]

    def record(self, inputs: Sequence[Tensor]) -> None:
        """Records the step. Raises Untraceable, or what a call raises, if it cannot be recorded."""
        self.recorded += 1
        own, calls = list(self.own.values()), self.function()
        if self.standing:
            positions = [self.inputs.index(each) for each in self.standing]
            calls = Standing(calls, [inputs[at] for at in positions], positions)
        made = compile_whole(calls, inputs, own, self.optimizers(), self.options)
        if self.draws and any([step.draws for step in made.trace.steps]):
            raise Untraceable("a step draws random numbers in between")
        self.recordings.insert(0, made)

    def __call__(self, *inputs: Tensor) -> list:
        """Makes the step; returns the outputs."""
        for whole in self.recordings:
            try:
                return whole(*inputs)
            except Stale:
                continue
        outputs = self.one_by_one(*inputs)
        if self.recorded < TRIES:
            try:
                self.record(inputs)
            except FAULTS:
                raise
            except Exception:  # noqa: BLE001  it goes on one by one
                self.recorded = TRIES
        return outputs

    def one_by_one(self, *inputs: Tensor) -> list:
        """Makes the calls."""
        if self.fallback is None:
            self.fallback = self.function()
        return self.fallback(*inputs)

    def function(self) -> Callable[..., list]:
        """Returns the function that makes the calls, from inputs to outputs."""
        text = Text([])
        text.known = {expression: f"i{at}" for at, expression in enumerate(self.inputs)}
        head = f"def calls({', '.join(text.known.values())}):"
        text.known.update({each: text.named(value) for each, value in (*self.own.items(), *self.objects.items())})
        lines = [head, *lines_of(text, self.calls, None)]
        lines.append(f"    return [{', '.join([text.write(each) for each in self.outputs])}]")
        exec(compile("\n".join(lines) + "\n", "<program>", "exec"), text.names)  # noqa: S102
        return text.names["calls"]


def is_argument(path: Path) -> bool:
    """Whether a path begins at an argument of the call, and goes through no module."""
    while path.parent is not None:
        if path.kind is ITEM and path.parent.key in ("_parameters", "_buffers"):
            return False
        path = path.parent
    return path.kind in (ARGUMENT, KEYWORD)


def trains(call: Any) -> bool:
    """Whether a call is that of a backward pass, or of an optimizer."""
    return type(call) is Call and (call.function is backward or getattr(call.function, "__name__", "") == "backward")


def writes_leaf(sample: Callable[[Any], Any], item: Any) -> bool:
    """Whether a group writes to a tensor of the program that requires a gradient, as training by hand does."""
    if type(item) is not Group:
        return False
    written = [call.arguments[0] for call in item.calls if not call.pure and call.arguments]
    tensors = [sample(each) for each in written if type(each) is Value]
    return any([isinstance(each, Tensor) and each.requires_grad for each in tensors])


def is_optimizer_call(run: Run, sample: Callable[[Any], Any], call: Call) -> bool:
    """Whether a call is the step of an optimizer, or its `zero_grad`."""
    first = call.arguments[0] if call.arguments else None
    return type(first) is Value and isinstance(sample(first), Optimizer)


def may_be_in_step(run: Run, sample: Callable[[Any], Any], item: Any) -> bool:
    """Whether a step may have an item."""
    if type(item) is Group:
        return True
    if type(item) is Check or item.opaque:
        return False
    name = getattr(item.function, "__name__", "")
    if item.function in (setattr, getattr):
        return item.arguments[1] == Constant("grad")
    if name == "requires_grad_":  # of a new tensor, such as the points at which a penalty is computed
        return number_of(item.arguments[0]) is not None
    return trains(item) or is_optimizer_call(run, sample, item) or name in CLIPPING or is_mode(item)


CLIPPING = frozenset(("clip_grad_norm_", "clip_grad_value_"))


def steps_of(run: Run, items: list, sample: Callable[[Any], Any], options: dict[str, Any]) -> tuple[list, list[Guard]]:
    """Returns items with a `Step` instead of those that make a training step, and the guards that it needs."""
    positions = [
        at
        for at, item in enumerate(items)
        if trains(item) or writes_leaf(sample, item) or (type(item) is Call and is_step(run, sample, item))
    ]
    if not positions:
        return items, []
    for drawing in (True, False) if any(map(draws, items)) else (False,):
        try:
            return with_step(run, items, sample, options, positions, drawing)
        except FAULTS:
            raise
        except Exception:  # noqa: BLE001,S112  the calls are made one by one
            continue
    return items, []


def with_step(
    run: Run,
    items: list,
    sample: Callable[[Any], Any],
    options: dict[str, Any],
    positions: list[int],
    drawing: bool,
) -> tuple[list, list[Guard]]:
    """Returns items with a step that contains some positions, and its guards; `drawing`: draws may be part of it.

    Raises Untraceable, or what a call raises, if there can be none.
    """
    whole = used_whole(run)

    def fits(item: Any) -> bool:
        if type(item) is Call and ((drawing and draws(item)) or may_be_in_group(run, item, whole)):
            return True
        return may_be_in_step(run, sample, item)

    first, last = extent(items, positions[0], positions[-1], fits)
    inside = items[first : last + 1]
    if open_modes(inside) or not all(map(fits, inside)):
        raise Untraceable("there is more than a step between the first and the last call of an optimizer")
    step = Step(run, inside, sample, options)
    group = Group(run, step.calls)
    step.outputs = outputs_of(group, items[last + 1 :], run.returned, run)
    if modes_of(run, group, items[last + 1 :]):
        raise Untraceable("a step makes a mode that is entered after it")
    if group.wholes:
        raise Untraceable("a step returns a tuple of tensors")
    if have_changed(step.calls, [*step.inputs, *step.own], sample):
        raise Untraceable("a tensor that a step reads was changed after it")
    step.record([*map(sample, step.inputs)])
    return [*items[:first], *step.draws, step, *items[last + 1 :]], step.guards()


def extent(items: list, first: int, last: int, fits: Callable[[Any], bool]) -> tuple[int, int]:
    """Returns the positions of the first and last item of a step, which contains those given, and items that fit."""
    start, end = first, last
    while start > 0 and fits(items[start - 1]):
        start -= 1
    while end + 1 < len(items) and fits(items[end + 1]):
        end += 1
    alone = [start + at for at in open_modes(items[start : end + 1])]  # of blocks that begin or end outside
    start = max([at + 1 for at in alone if at < first], default=start)
    end = min([at - 1 for at in alone if at > last], default=end)
    return start, end


def open_modes(items: list) -> list[int]:
    """Returns the positions at which a mode is entered and not left, or left and not entered."""
    entered: list[int] = []
    alone: list[int] = []
    for at, item in enumerate(items):
        name = getattr(item.function, "__name__", "") if type(item) is Call else ""
        if name == "__enter__":
            entered.append(at)
        elif name == "__exit__":
            entered.pop() if entered else alone.append(at)
    return sorted([*alone, *entered])


def is_step(run: Run, sample: Callable[[Any], Any], call: Call) -> bool:
    """Whether a call is the step of an optimizer."""
    return is_optimizer_call(run, sample, call) and getattr(call.function, "__name__", "") == "step"
