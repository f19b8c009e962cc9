"""Rewrites lines of the program without an activation that should not be there."""

from __future__ import annotations

import ast
from typing import NamedTuple

from rushlight.core.origin import Place
from rushlight.explain.watch.source import tree_of


class LeftOut(NamedTuple):
    """The line that applies an activation, or makes its layer, and its replacement."""

    line: int
    text: str
    is_layer: bool  # whether the line makes the layer

    def instead_of(self, line: int) -> str:
        """Returns the repair; names the line unless it is `line`."""
        if not self.text:
            return f"leave line {self.line} out."
        return self.text if self.line == line else f"{self.text}   (in place of line {self.line})"


def without(place: Place, *names: str) -> LeftOut | None:
    """Returns the line of an activation without it, or None; arguments are names of its function and its layer.

    If the call is in the line, that line is rewritten, else the only line of the file that puts the layer last into a
    Sequential.
    """
    tree = tree_of(place.file)
    if tree is None:
        return None
    layers = frozenset(name for name in names if name[0].isupper())
    functions = frozenset(names) - layers
    attributes = {
        ast.unparse(target)
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and is_call_of(node.value, layers)
        for target in node.targets
    }
    for statement in simple_statements(tree):
        if statement.lineno <= place.line <= (statement.end_lineno or 0):
            changed = Without(functions, frozenset(), attributes).on(statement)
            if changed is not None:
                return LeftOut(statement.lineno, changed, is_layer=False)
    pairs = [(statement, Without(frozenset(), layers, set()).on(statement)) for statement in simple_statements(tree)]
    made = [(value, changed) for value, changed in pairs if changed is not None]
    return LeftOut(made[0][0].lineno, made[0][1], is_layer=True) if len(made) == 1 else None  # type: ignore[arg-type]


def simple_statements(tree: ast.Module) -> list[ast.stmt]:
    return [node for node in ast.walk(tree) if isinstance(node, ast.stmt) and not hasattr(node, "body")]


def is_call_of(node: ast.AST | None, names: frozenset[str]) -> bool:
    """Whether an expression calls a function or class with one of the names, of any module."""
    return isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] in names


class Without(ast.NodeTransformer):
    """Removes calls of functions and of layer attributes, and layers at the end of a Sequential.

    Of nested calls, only the outermost.
    """

    def __init__(self, functions: frozenset[str], layers: frozenset[str], attributes: set[str]):
        self.functions, self.layers, self.attributes = functions, layers, attributes

    def on(self, statement: ast.stmt) -> str | None:
        """Returns a statement without them; empty if nothing remains, None if it has none."""
        changed = self.visit(ast.parse(ast.unparse(statement)))
        text = ast.unparse(ast.fix_missing_locations(changed))
        if text == ast.unparse(statement):
            return None
        left, _, right = text.partition(" = ")
        return "" if left == right else text

    def visit_Call(self, node: ast.Call) -> ast.expr:
        if is_call_of(node, frozenset({"Sequential"})) and node.args and is_call_of(node.args[-1], self.layers):
            node.args.pop()
            return node
        if node.args and (is_call_of(node, self.functions) or ast.unparse(node.func) in self.attributes):
            return node.args[0]
        if is_call_of(node, self.functions) and isinstance(node.func, ast.Attribute):
            return node.func.value
        return self.generic_visit(node)  # type: ignore[return-value]
