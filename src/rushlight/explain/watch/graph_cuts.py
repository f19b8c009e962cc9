"""Lines that take a tensor out of its graph, and the parameters behind it."""

from __future__ import annotations

import ast
from collections import Counter
from typing import NamedTuple

from rushlight.autograd.reach import newest_first
from rushlight.core.graph import Leaf, node_of
from rushlight.core.history import edge_of
from rushlight.core.origin import PACKAGE, Place, here
from rushlight.core.tensor import Tensor
from rushlight.explain.source_history import does_not_record
from rushlight.explain.source_text import function_at, statement_at
from rushlight.explain.watch.program_lines import Line

CUTTING = ("detach", "data", "numpy", "tolist", "item")
LOOKED_AT = 4  # calls per line


class Cut(NamedTuple):
    """A line that takes a tensor out of its graph, the call that does it, and the ids of the parameters behind it."""

    place: Place
    by: str
    parameters: frozenset[int]

    @property
    def spoken(self) -> str:
        return ".data" if self.by == "data" else f"{self.by}()"


class Cuts:
    """The cuts of a program so far; the first few of each line."""

    def __init__(self) -> None:
        self.count: Counter[Place] = Counter()
        self.found: list[Cut] = []

    def note(self, tensor: Tensor, by: str) -> None:
        edge = edge_of(tensor)
        if edge is None or isinstance(edge, Leaf):
            return
        place = here()
        self.count[place] += 1
        if self.count[place] <= LOOKED_AT and not place.file.startswith(PACKAGE):
            leaves = [x for x in newest_first([node_of(edge)]) if isinstance(x, Leaf)]
            self.found.append(Cut(place, by, frozenset(id(leaf.variable) for leaf in leaves)))

    def before(self, parameters: set[int]) -> Cut | None:
        """Returns the cut that hides most of the parameters; detach() before item(), which only reads values."""
        hiding = [x for x in self.found if x.parameters & parameters]
        key = lambda x: (x.by == "item", -len(x.parameters & parameters))  # noqa: E731
        return min(hiding, key=key, default=None)


def without_cut(cut: Cut) -> str | None:
    """Returns the statement of a cut without detach() or .data; None if it cannot be rewritten."""
    statement = statement_at(cut.place.code, cut.place.line)
    if statement is None or cut.by not in ("detach", "data"):
        return None
    return ast.unparse(ast.fix_missing_locations(Uncut(cut.by).visit(ast.parse(ast.unparse(statement)))))


class Uncut(ast.NodeTransformer):
    """Removes `.detach()` or `.data`."""

    def __init__(self, by: str):
        self.by = by

    def visit_Call(self, node: ast.Call) -> ast.expr:
        match node:
            case ast.Call(func=ast.Attribute(value=value, attr="detach"), args=[]) if self.by == "detach":
                return self.visit(value)
        return self.generic_visit(node)  # type: ignore[return-value]

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        if node.attr == "data" and self.by == "data":
            return self.visit(node.value)
        return self.generic_visit(node)  # type: ignore[return-value]


def hidden_call(within: tuple[type | None, str]) -> Line | None:
    """Returns the line in forward() of a class that uses a layer under no_grad."""
    kind, name = within
    code = getattr(getattr(kind, "forward", None), "__code__", None)
    function = None if code is None else function_at(code)
    for block in ast.walk(function or ast.Module([], [])):
        if isinstance(block, ast.With) and does_not_record(block):
            for node in ast.walk(block):
                if isinstance(node, ast.Attribute) and ast.unparse(node) == f"self.{name}":
                    return Line(code.co_filename, node.lineno)  # type: ignore[union-attr]
    return None
