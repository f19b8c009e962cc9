"""Groups of calls that one segment can compute: calls of the library on tensors, one after the other.

A group has calls without effects beyond tensors, whose arguments from outside are tensors. Sizes that the program reads
of tensors inside a group need no check: they follow from those of the inputs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

from rushlight.capture.calls import (
    A_MODE,
    A_NONE,
    A_TENSOR,
    Built,
    Call,
    Check,
    Constant,
    Listed,
    Part,
    Result,
    Run,
    Value,
    number_of,
)  # fmt: skip
from rushlight.capture.fixed_sizes import without_checks_of_fixed
from rushlight.capture.paths import ENTRY, IS, Guard, Path
from rushlight.capture.purity import MODES, writes_tensor
from rushlight.capture.replay import Text, calls_of
from rushlight.capture.standing import Standing

SETTINGS = ("mode", "device", "fast_dtype", "_enabled", "_cache_enabled")  # what modes may hold


class Group:
    """Calls and checks that belong together, and the expressions of the tensors that go in and out."""

    def __init__(self, watched: Run, items: list):
        self.watched, self.items = watched, items
        self.calls = [item for item in items if type(item) is Call]
        self.numbers = {call.number for call in self.calls}
        self.inputs: list = []
        self.outputs: list = []
        self.wholes: dict[Any, Listed] = {}  # results that are containers of outputs, and what they were
        self.compiled: Any = None  # the function that computes it
        self.plain: Any = None  # the function that makes the calls
        self.objects: dict[Any, Any] = {}  # what is no tensor: modes, functions and modules that are called back
        self.standing: list = []  # inputs that functions of the program may read by themselves
        self.at = [0]  # the call that is being made
        self.late = False  # whether its function may raise an error after a change

    def find_inputs(self) -> None:
        """Sets the tensors from outside, each once."""
        collected: dict[Any, None] = {}
        self.objects.clear()
        for call in self.calls:
            for expression in outermost(call):
                if type(expression) is Value and self.watched.kind_of(expression) in (None, A_MODE):
                    self.objects[expression] = None
                elif type(expression) is Value or number_of(expression) not in self.numbers:
                    collected[expression] = None
        if any([call.callbacks for call in self.calls]):
            self.standing = [Value(path) for path, kind in self.watched.values.items() if kind is A_TENSOR]
            collected.update(dict.fromkeys(self.standing))
        self.inputs = list(collected)

    def result_of(self, call: Call) -> Result:
        """Returns the expression of the result of a call."""
        return Result(call.number)

    def function(self, sample: Callable[[Any], Any]) -> Any:
        """Returns the calls as a function from the inputs to the outputs; `sample` gives objects of the run."""
        text = Text([])
        text.known = {expression: f"i{at}" for at, expression in enumerate(self.inputs)}
        text.names["at"] = self.at
        lines = [f"def calls({', '.join(text.known.values())}):"]
        text.known.update({expression: text.named(sample(expression)) for expression in self.objects})
        for at, call in enumerate(self.calls):
            lines += [f"    at[0] = {at}", f"    r{call.number} = {text.call(call)}"]
        lines.append(f"    return [{', '.join([text.write(each) for each in self.outputs])}]")
        exec(compile("\n".join(lines) + "\n", "<program>", "exec"), text.names)  # noqa: S102
        if not self.standing:
            return text.names["calls"]
        positions = [self.inputs.index(each) for each in self.standing]
        return Standing(text.names["calls"], [*map(sample, self.standing)], positions)


def mode_guards(objects: dict[Any, Any]) -> list[Guard]:
    """Returns the guards of the modes among objects that a program holds: each is the same one, with its settings."""
    guards = []
    for expression, value in objects.items():
        if type(value).__name__ in MODES:
            settings = [(name, vars(value)[name]) for name in SETTINGS if name in vars(value)]
            guards += [Guard(Path(expression.path, ENTRY, name), IS, setting) for name, setting in settings]
            guards.append(Guard(expression.path, IS, value))
    return guards


def outermost(item: Any) -> Iterator[Any]:
    """Returns the values, results and parts that an item or expression reads, without what they are parts of."""
    kind = type(item)
    if kind is Call:
        for each in (*item.arguments, *item.keywords.values()):
            yield from outermost(each)
    elif kind is Check:
        yield from outermost(item.value)
    elif kind is Built:
        for each in item.items:
            for part in each if item.kind is dict else (each,):
                yield from outermost(part)
    elif kind is not Constant:
        yield item


def groups_of(run: Run, apart: frozenset[int] = frozenset()) -> list:
    """Returns the items of a run, with groups instead of those that they have; `apart` are modes that are in none."""
    whole = used_whole(run) | data_beside_writes(run) | apart
    result: list = []
    items: list = []

    def close() -> None:
        if items:
            result.extend(balanced(run, items))
            items.clear()

    for item in without_checks_of_fixed(run):
        if type(item) is Check:
            inside = {each.number for each in items if type(each) is Call}
            if item.meta is not None and number_of(item.value) in inside:
                items.append(item)
                continue
            close()
            result.append(item)
        elif fits(run, item, whole):
            items.append(item)
        else:
            close()
            result.append(item)
    close()
    shared = [modes_of(run, item, result[at + 1 :]) for at, item in enumerate(result)]
    if any(shared):
        return groups_of(run, apart.union(*shared))
    find_outputs(run, result, run.returned)
    return result


def modes_of(run: Run, item: Any, later: list) -> set[int]:
    """Returns the modes that a group makes, and later items enter."""
    if type(item) is not Group:
        return set()
    made = {call.number for call in item.calls if run.results[call.number] is A_MODE}
    calls = [call for each in later if type(each) is not Check for call in calls_of(each)]
    return made & {number_of(each) for call in calls for each in outermost(call)} if made else made


def find_outputs(run: Run, items: list, returned: Any) -> None:
    """Sets the inputs and outputs of groups, which are followed by items and what is returned."""
    for at, item in enumerate(items):
        if type(item) is Group:
            item.find_inputs()
            item.outputs = outputs_of(item, items[at + 1 :], returned, run)


def data_beside_writes(run: Run) -> set[int]:
    """Returns the numbers of reads of `data`, if the run writes to tensors: the tensor does not count writes to it."""
    calls = [item for item in run.items if type(item) is Call]
    if all([call.pure for call in calls]):
        return set()
    return {call.number for call in calls if call.function is getattr and call.arguments[1] == Constant("data")}


def fits(run: Run, call: Call, whole: set[int]) -> bool:
    """Whether a call may be in a group."""
    if not (call.pure or writes_tensor(call.function, [*map(run.kind_of, call.arguments)])):
        return False
    if call.number in whole:
        return False
    result = run.results[call.number]
    if not (call.meta or is_mode(call) or call.gives_none or holds_tensors(result)):
        return False
    if call.opaque or (call.function is getattr and call.arguments[1] == Constant("grad")):
        return False
    for expression in outermost(call):
        kind = run.kind_of(expression)
        if kind is A_MODE and number_of(expression) in whole:
            return False
        if kind is None and type(expression) is Value and call.callbacks:
            continue
        if kind is not A_TENSOR and kind is not A_MODE and (type(expression) is Value or not holds_tensors(kind)):
            return False
    return True


def holds_tensors(kind: Any) -> bool:
    """Whether a value was a tensor, or a container with tensors in it, None and nothing else, to any depth."""
    if type(kind) is not Listed:
        return kind is A_TENSOR
    parts = [part for part in kind.parts if part is not A_NONE]
    return bool(parts) and all(map(holds_tensors, parts))


def may_be_changed(kind: Any) -> bool:
    """Whether a value was a list or dictionary, or has one in it: programs can tell two equal ones apart."""
    return type(kind) is Listed and (kind.kind in (list, dict) or any(map(may_be_changed, kind.parts)))


def is_mode(call: Call) -> bool:
    """Whether a call enters or leaves a grad mode or autocast, or makes the object for it."""
    name = getattr(call.function, "__name__", "")
    return name in ("__enter__", "__exit__", "again") or (isinstance(call.function, type) and name in MODES)


def used_whole(run: Run) -> set[int]:
    """Returns the results that are used as a whole and that a group cannot give.

    These have something else than tensors in them, or are lists or dictionaries of which there has to be one: others
    than those that the run returns, in one place, and does not use itself.
    """
    collected: set[int] = set()
    returned = Counter([number_of(each) for each in outermost(run.returned) if may_be_changed(run.kind_of(each))])
    for item in (*run.items, run.returned):
        if type(item) is Check and item.meta is not None:
            continue
        for expression in outermost(item):
            kind, number = run.kind_of(expression), number_of(expression)
            if number is None or kind is A_MODE:
                continue
            is_one = may_be_changed(kind) and not (item is run.returned and returned[number] == 1)
            if is_one or not (holds_tensors(kind) or type(expression) is Part):
                collected.add(number)
    return collected


def balanced(run: Run, items: list) -> list:
    """Returns a group, or the items themselves where a mode is entered and not left, or nothing is computed."""
    entered = 0
    for item in items:
        name = getattr(item.function, "__name__", "") if type(item) is Call else ""
        entered += (name == "__enter__") - (name == "__exit__")
        if entered < 0:
            return list(items)
    if entered or not any([type(item) is Call and not item.meta and not is_mode(item) for item in items]):
        return list(items)
    return [Group(run, list(items))]


def outputs_of(group: Group, later: list, returned: Any, run: Run) -> list:
    """Returns the expressions of tensors of a group that are read after it."""
    collected: dict[Any, None] = {}
    for item in (*[part for each in later for part in (each.items if type(each) is Group else (each,))], returned):
        for expression in outermost(item):
            if number_of(expression) not in group.numbers:
                continue
            kind = run.kind_of(expression)
            if kind is A_TENSOR:
                collected[expression] = None
            elif holds_tensors(kind):
                group.wholes[expression] = kind
                collected.update(dict.fromkeys(leaves_of(expression, kind)))
    return list(collected)


def leaves_of(expression: Any, kind: Any) -> Iterator[Any]:
    """Returns the expressions of the tensors in a container."""
    if kind is A_TENSOR:
        yield expression
    elif kind is not A_NONE:
        for index, part in zip(kind.indices(), kind.parts, strict=True):
            yield from leaves_of(Part(expression, index), part)


def without(group: Group, at: int, run: Run) -> list:
    """Returns the items of a group that cannot be one segment: the call at a position is made by itself."""
    place = group.items.index(group.calls[at])
    before, after = group.items[:place], group.items[place + 1 :]
    items = [*(balanced(run, before) if before else []), group.items[place], *(balanced(run, after) if after else [])]
    find_outputs(run, items, Built(list, (*group.outputs, *group.wholes)))
    return items
