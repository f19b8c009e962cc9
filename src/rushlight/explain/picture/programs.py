"""Programs of a compiled function as a picture: calls, what they became, and breaks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rushlight.capture import words
from rushlight.capture.calls import Part, Result, Value
from rushlight.capture.explanation import Explained, Explanation, name_of
from rushlight.capture.grouping import number_of, outermost
from rushlight.capture.report import Break
from rushlight.explain.picture.fold import Group
from rushlight.explain.picture.formatting import typed
from rushlight.explain.picture.sheet import Box, Placing, Sheet, Wire

WIDEST = 48  # characters of a line in a box


class Writer:
    """Turns an explanation into a sheet: a frame for each program, and in it one for what became one piece of code."""

    def __init__(self, explanation: Explanation):
        self.sheet = Sheet()
        self.calls: set[int] = set()
        for number, program in enumerate(explanation.programs):
            group = Group("module", f"program {number}")
            self.sheet.whole.members.append(group)
            self._program(program, group)
        for each in explanation.breaks:
            self._enter(broken(each), self.sheet.whole)
        for position, group in enumerate(self.sheet.whole.walk()):
            group.number = position
        Placing(self.sheet, self.calls).place_all()

    def _program(self, program: Explained, group: Group) -> None:
        self.inputs: dict[Any, int] = {}
        self.results: dict[int, int] = {}
        frames: dict[int, Group] = {}
        effect: int | None = None
        returned = {number_of(each) for each in outermost_of(program.returned)}
        for numbers, text in program.parts:
            frame = Group("module", text)
            frames.update(dict.fromkeys(numbers, frame))
            group.members.append(frame)
        for call in program.calls:
            kind = "result" if call.number in returned else "step"
            form = program.forms.get(call.number)
            lines = () if form is None else (typed(*form),)
            facts = (("function", name_of(call.function)), *line_of(call.place))
            number = self._enter(Box(kind, name_of(call.function), lines, facts), frames.get(call.number, group))
            self.results[call.number] = number
            for source in dict.fromkeys(self._sources(call, program)):
                self.sheet.wires.append(Wire(source, number))
            if not call.pure:  # effects come one after the other
                if effect is not None:
                    self.sheet.wires.append(Wire(effect, number, "constant"))
                effect = number

    def _sources(self, call: Any, program: Explained) -> list[int]:
        """Returns the boxes that a call reads."""
        found = []
        for expression in outermost(call):
            if type(expression) is Value and expression.path in program.guards_of:
                if expression not in self.inputs:
                    self.inputs[expression] = len(self.sheet.boxes)
                    self.sheet.boxes.append(given(expression, program))
                found.append(self.inputs[expression])
            elif type(expression) in (Result, Part) and (number := number_of(expression)) in self.results:
                found.append(self.results[number])
        return found

    def _enter(self, box: Box, group: Group) -> int:
        """Adds a box to a frame."""
        number = len(self.sheet.boxes)
        self.sheet.boxes.append(box)
        self.sheet.homes[number] = group
        group.members.append(number)
        self.calls.add(number)
        return number


def sheet_of_programs(explanation: Explanation) -> Sheet:
    """Returns the sheet of an explanation."""
    return Writer(explanation).sheet


def outermost_of(expression: Any) -> list:
    """Returns the results that an expression reads."""
    return list(outermost(expression))


def given(expression: Value, program: Explained) -> Box:
    """Returns the box of a tensor that a program reads."""
    meta = program.guards_of[expression.path].wanted
    name = words.place(expression.path, program.function)
    kind = "parameter" if meta.requires_grad else "constant"
    return Box(kind, name, (typed(meta.shape, meta.dtype.name),), (("guard", words.tensor(meta)),))


def broken(each: Break) -> Box:
    """Returns the box of a break."""
    place = f"{Path(each.filename).name}:{each.line}"
    facts = (("line", f"{each.filename}:{each.line}"), ("source", each.source), ("instead", each.cure))
    lines = (place, shortened(each.source), shortened(each.what))
    return Box("cut", "break", tuple(filter(None, lines)), tuple([fact for fact in facts if fact[1]]))


def shortened(text: str) -> str:
    """Returns text that fits into a box."""
    return text if len(text) <= WIDEST else f"{text[: WIDEST - 3]}..."


def line_of(place: Any) -> tuple:
    """Returns the fact about the line of a call."""
    code, line = place if isinstance(place, tuple) and len(place) == 2 else (None, None)
    return (("line", f"{code.co_filename}:{line}"),) if code is not None and line else ()
