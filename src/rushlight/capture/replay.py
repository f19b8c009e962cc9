"""A closed run as a function: the calls of the library again, in order, with what the guards found at the paths.

The text has a line for each call and check. Calls that are pure functions of tensors, one after the other, are one
line if a segment (`graph/segment.py`) computes them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain
from keyword import iskeyword
from types import MethodType
from typing import Any

from rushlight.capture.calls import A_NONE, A_TENSOR, Built, Call, Check, Constant, Part, Result, Run, Value, inside
from rushlight.capture.paths import Path, equal
from rushlight.core.modes import MODE

MISS = object()  # what a replay returns if a check fails: nothing was changed


class Text:
    """Writes expressions, and collects the objects that they name."""

    def __init__(self, wanted: list[Path]):
        self.wanted = {path: f"p{number}" for number, path in enumerate(wanted)}
        self.known: dict[Any, str] = {}  # expressions that have a name: inputs and outputs of segments
        self.enters = False  # whether there are `with` blocks
        self.names: dict[str, Any] = {
            "MISS": MISS, "agrees": agrees, "MethodType": MethodType, "get_mode": MODE.get, "set_mode": MODE.set,
        }  # fmt: skip

    def named(self, value: Any) -> str:
        """Returns a name for an object."""
        name = f"k{len(self.names)}"
        self.names[name] = value
        return name

    def write(self, expression: Any) -> str:
        """Returns the text of an expression."""
        kind = type(expression)
        if kind is not Constant and kind is not Built and (name := self.known.get(expression)) is not None:
            return name
        if kind is Value:
            return self.wanted[expression.path]
        if kind is Result:
            return f"r{expression.number}"
        if kind is Part:
            index = expression.index
            return f"{self.write(expression.whole)}[{index if type(index) is int else self.named(index)}]"
        if kind is Constant:
            value = expression.value
            return repr(value) if type(value) in (int, bool, type(None)) else self.named(value)
        return self.built(expression)

    def built(self, expression: Built) -> str:
        """Returns the text that makes a container."""
        if expression.kind is dict:
            return "{" + ", ".join([f"{self.write(key)}: {self.write(value)}" for key, value in expression.items]) + "}"
        parts = ", ".join([self.write(each) for each in expression.items])
        if expression.kind is list:
            return f"[{parts}]"
        if expression.kind is tuple:
            return f"({parts},)" if parts else "()"
        if expression.kind is set:
            return "{" + parts + "}" if parts else f"{self.named(set)}()"
        return f"{self.named(expression.kind)}({parts})"

    def call(self, call: Call) -> str:
        """Returns the text of a call, without its result."""
        arguments = [self.write(each) for each in call.arguments]
        plain = {name: value for name, value in call.keywords.items() if name.isidentifier() and not iskeyword(name)}
        others = [f"{name!r}: {self.write(value)}" for name, value in call.keywords.items() if name not in plain]
        arguments += [f"{name}={self.write(value)}" for name, value in plain.items()]
        arguments += [f"**{{{', '.join(others)}}}"] if others else []  # such as `from` of `random_`
        return f"{self.named(call.function)}({', '.join(arguments)})"


def agrees(value: Any, outcome: Any) -> bool:
    """Whether a value that the program reads is what it was when the run was watched."""
    if type(outcome) in (list, tuple):
        return type(value) is type(outcome) and len(value) == len(outcome) and all(map(agrees, value, outcome))
    return equal(value, outcome)


def read_in(run: Run) -> Iterator[Any]:
    """Returns the expressions that a run reads, and those that they are made of."""
    for item in run.items:
        yield from inside(item.value) if type(item) is Check else item.expressions()
    yield from inside(run.returned)


def needed(run: Run) -> set[int]:
    """Returns the numbers of results that anything reads."""
    return {each.number for each in read_in(run) if type(each) is Result}


def values_read(run: Run, items: list) -> list[Path]:
    """Returns the paths whose values the replay needs, in order."""
    inputs = [each for item in items if type(item) not in (Check, Call) for each in item.inputs]
    read = chain(read_in(run), *map(inside, inputs))
    return list(dict.fromkeys([each.path for each in read if type(each) is Value]))


def replay_of(run: Run, wanted: list[Path], items: list) -> tuple[Callable, str, int]:
    """Returns the function of a run, which gets the values at the wanted paths, its text, and the line before which
    nothing has changed.

    It returns MISS, before anything was changed, if the program would have gone on otherwise.
    """
    text = Text(wanted)
    read = needed(run)
    lines = [f"def replay({', '.join(text.wanted.values())}):"]
    calls = [each for item in items if type(item) is not Check for each in calls_of(item)]
    text.enters = any([getattr(each.function, "__name__", "") == "__enter__" for each in calls])
    if text.enters:
        lines.append("    mode = get_mode()")
    first = None
    for at, item in enumerate(items):
        lines += lines_of(text, [item], read, at)
        if first is None and type(item) is not Check and not all([call.pure for call in calls_of(item)]):
            # An error of a call that changes something comes before the change, if it runs no code of the program.
            late = type(item) is not Call and item.late
            first = len(lines) - (late or any([bool(call.callbacks or call.opaque) for call in calls_of(item)]))
    lines.append(f"    return {text.write(run.returned)}")
    source = "\n".join(lines) + "\n"
    exec(compile(source, "<replay>", "exec"), text.names)  # noqa: S102
    return text.names["replay"], source, len(lines) if first is None else first


def lines_of(text: Text, items: list, read: set[int] | None, number: int = 0) -> list[str]:
    """Returns the lines of items; `read` are the results that anything reads, None if all may be."""
    lines = []
    for at, item in enumerate(items, number):
        if type(item) is Check:
            lines += checked(text, item)
        elif type(item) is Call:
            target = f"r{item.number} = " if read is None or item.number in read else ""
            lines.append(f"    {target}{text.call(item)}")
        else:
            lines.append(segmented(text, item, at))
    return lines


def calls_of(item: Any) -> list[Call]:
    """Returns the calls of an item: itself, or those of a group."""
    return [item] if type(item) is Call else item.calls


def segmented(text: Text, group: Any, number: int) -> str:
    """Returns the line that computes a group by its segment."""
    inputs = ", ".join([text.write(each) for each in group.inputs])
    names = [f"s{number}_{at}" for at in range(len(group.outputs))]
    text.known.update(zip(group.outputs, names, strict=True))
    text.known.update({whole: container(text, whole, kind) for whole, kind in group.wholes.items()})
    targets = "".join([f"{name}, " for name in names])
    return f"    {targets}{'= ' if targets else ''}{text.named(group.compiled)}({inputs})"


def container(text: Text, expression: Any, kind: Any) -> str:
    """Returns the text that makes a container of outputs of a group."""
    if kind is A_TENSOR:
        return text.known[expression]
    if kind is A_NONE:
        return "None"
    pairs = zip(kind.indices(), kind.parts, strict=True)
    parts = [container(text, Part(expression, index), part) for index, part in pairs]
    if kind.kind is dict:
        return "{" + ", ".join([f"{text.named(key)}: {part}" for key, part in zip(kind.keys, parts, strict=True)]) + "}"
    made = f"({''.join([f'{part}, ' for part in parts])})"
    return made if kind.kind is tuple else f"{text.named(getattr(kind.kind, '_make', kind.kind))}({made})"


def checked(text: Text, check: Check) -> list[str]:
    """Returns the lines of a check. If it fails in a `with` block, the mode is as before."""
    missed = [*(["        set_mode(mode)"] if text.enters else []), "        return MISS"]
    value, outcome = text.write(check.value), check.outcome
    if outcome is None or type(outcome) is bool:
        return [f"    if {value} is not {outcome}:", *missed]
    return [f"    if not agrees({value}, {text.named(outcome)}):", *missed]
