"""Losses that grow from step to step: the effect of a high learning rate before the first NaN."""

from __future__ import annotations

import ast
from collections import deque
from collections.abc import Iterator
from math import floor, isfinite, log10, sqrt
from typing import NamedTuple

from numpy import ndarray

from rushlight.core.tensor import Tensor
from rushlight.explain.records import writes_to
from rushlight.explain.source_text import last_assignment, statement_at, statements_in
from rushlight.explain.watch.backward_pass import Pass, Start
from rushlight.explain.watch.optimizers import Followed

KEPT = 200  # losses per line
LONG, EXPLODED = 5, 1e6  # number of passes in which a loss grows, and its growth
FACTOR = 100.0  # growth that is not by chance


class Growth(NamedTuple):
    """Growth of a loss: number of passes, first and last value, and factor of the first pass."""

    passes: int
    low: float
    high: float
    ratio: float

    def __str__(self):
        return f"The loss grew in {self.passes} steps from {self.low:.4g} to {self.high:.4g}"


class Losses:
    """The last losses of each line that calls backward()."""

    def __init__(self) -> None:
        self.values: dict[Start, deque[float]] = {}

    def note(self, graph: Pass) -> None:
        """Records the loss of a pass, if it is a scalar."""
        array = graph.outputs[0]._array if len(graph.outputs) == 1 else None
        if type(array) is ndarray and array.size == 1 and array.dtype.char in "fd":
            self.values.setdefault(graph.start, deque(maxlen=KEPT)).append(array.item())

    def explosions(self) -> Iterator[tuple[Start, Growth]]:
        """Returns the lines whose losses have exploded but are still finite."""
        for start, values in self.values.items():
            growth = self.growth(start) if isfinite(values[-1]) else None
            if growth is not None and growth.passes >= LONG and growth.high >= EXPLODED * max(growth.low, 1.0):
                yield start, growth

    def growth(self, start: Start) -> Growth | None:
        """Returns how the loss of a line has grown; None if it has not."""
        values = [abs(value) for value in self.values.get(start, ()) if isfinite(value)]
        if len(values) < 2:
            return None
        first = min(range(len(values)), key=values.__getitem__)
        grown = values[first:]
        rises = sum(after > before for before, after in zip(grown, grown[1:], strict=False))
        least = FACTOR if len(grown) > 2 else 10 * FACTOR
        if len(grown) < 2 or rises < 0.8 * (len(grown) - 1) or grown[-1] < least * max(grown[0], 1e-30):
            return None
        return Growth(len(grown) - 1, grown[0], grown[-1], grown[1] / max(grown[0], 1e-30))


def too_long(followed: Followed | None) -> str:
    """Says that the steps are too long, and where they are made."""
    if followed is None:
        return "the steps are too long"
    return f"the steps of {followed.kind}, made at line {followed.place.line} with lr={followed.rate:.4g}, are too long"


def shorter_steps(growth: Growth, followed: Followed | None, leaves: list[Tensor]) -> str:
    """Returns the repair for a loss that grew: the line of the learning rate with a lower one.

    A step of rate r multiplies a quadratic loss of curvature h by (1 - r h)^2, so 1 / h is the best rate.
    """
    times = 1 + sqrt(growth.ratio)
    if followed is not None and followed.rate > 0:
        lower = rounded(followed.rate / (times if followed.kind == "SGD" else max(10.0, times)))
        place = followed.place
        line = line_with_rate(place.code, place.line, lower)
        where = f" (line {line.line})" if line is not None else ""
        return f"a lower learning rate: {line.text if line is not None else f'lr={lower}'}{where}"
    line = by_hand(leaves, times)
    if line is not None:
        return f"shorter steps: {line.text} (line {line.line})"
    return f"a learning rate about {times:.0f} times lower."


def rounded(number: float) -> float:
    """Rounds a number down to one digit.

    >>> rounded(0.00587), rounded(0.03)
    (0.005, 0.03)
    """
    digits = -floor(log10(number))
    scaled = number * 10.0**digits
    return float(f"{floor(scaled * (1 + 1e-9))}e{-digits}")


class Written(NamedTuple):
    """A corrected line."""

    line: int
    text: str


def line_with_rate(code, number: int, lower: float) -> Written | None:
    """Returns the line that sets a learning rate with a lower one: the optimizer's call, or a variable's assignment."""
    statement = statement_at(code, number)
    for call in ast.walk(statement or ast.Pass()):
        if isinstance(call, ast.Call):
            rate = next((keyword.value for keyword in call.keywords if keyword.arg == "lr"), None)
            rate = rate or (call.args[1] if len(call.args) > 1 and "optim" in ast.unparse(call.func) else None)
            if isinstance(rate, ast.Name):
                assignment = last_assignment(code, rate.id, number)
                return None if assignment is None else Written(assignment.lineno, f"{rate.id} = {lower}")
            if rate is not None and statement is not None:
                return Written(statement.lineno, with_number(statement, rate, lower))
    return None


def with_number(statement: ast.stmt, old: ast.expr, number: float) -> str:
    """Returns a statement with an expression replaced by a number."""

    class Exchange(ast.NodeTransformer):
        def visit(self, node):
            return ast.Constant(number) if ast.dump(node) == ast.dump(old) else self.generic_visit(node)

    return ast.unparse(ast.fix_missing_locations(Exchange().visit(ast.parse(ast.unparse(statement)).body[0])))


def by_hand(leaves: list[Tensor], times: float) -> Written | None:
    """Returns the line of a manual update with a shorter step."""
    for leaf in leaves:
        for _, place, _ in writes_to(leaf._storage)[-1:]:
            statement = statement_at(place.code, place.line)
            if statement is None or "grad" not in ast.unparse(statement):
                continue
            for node in ast.walk(statement):
                match node:
                    case ast.Constant(value=float() as rate) if rate > 0:
                        return Written(place.line, with_number(statement, node, rounded(rate / times)))
            names = [node.id for node in ast.walk(statement) if isinstance(node, ast.Name)]
            for assignment in statements_in(place.code):
                match assignment:
                    case ast.Assign(targets=[ast.Name(id=name)], value=ast.Constant(value=int() | float() as rate)):
                        if name in names and rate > 0:
                            return Written(assignment.lineno, f"{name} = {rounded(rate / times)}")
    return None
