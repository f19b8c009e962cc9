"""Reads the program's source to name a line or a variable."""

from __future__ import annotations

import ast
import inspect
import linecache
from collections.abc import Callable, Iterator
from functools import lru_cache
from types import CodeType, FrameType
from typing import Any

from rushlight.explain.attributes import attributes_of
from rushlight.explain.watch.program_lines import Line, frames

STATEMENTS = (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Expr)
ADDING = ("append", "extend", "insert", "appendleft", "add", "update", "setdefault")


def variables() -> Iterator[tuple[str, Any, FrameType]]:
    """Yields (name, value, frame) for visible variables: locals, attributes of `self`, globals."""
    for frame in frames():
        own = locals_of(frame)
        yield from ((name, value, frame) for name, value in own.items())
        for name, value in attributes_of(own.pop("self", None)):
            yield f"self.{name}", value, frame
        if frame.f_code.co_flags & inspect.CO_OPTIMIZED:
            for name, value in list(frame.f_globals.items()):
                yield name, value, frame


def locals_of(frame: FrameType) -> dict[str, Any]:
    """Returns a frame's local variables. Python before 3.13 caches the dict, which keeps the values alive."""
    variables = frame.f_locals
    result = dict(variables)
    if type(variables) is dict and frame.f_code.co_flags & inspect.CO_OPTIMIZED:
        variables.clear()  # the variables themselves are kept elsewhere
    return result


def name_of_variable(value: Any) -> str | None:
    """Returns the name of a variable that holds an object."""
    return next((name for name, item, _ in variables() if item is value and not name.startswith("_")), None)


def tree_of(file: str) -> ast.Module | None:
    """Returns the syntax tree of a file; None if it cannot be read."""
    return parsed("".join(linecache.getlines(file)))


@lru_cache(maxsize=64)  # keyed by the text: files may be edited while the process runs
def parsed(text: str) -> ast.Module | None:
    """Returns the syntax tree of a source; None on a syntax error."""
    try:
        return ast.parse(text) if text else None
    except SyntaxError:
        return None


def statements(code: CodeType) -> Iterator[ast.stmt]:
    """Returns the simple statements of a function, or of a file for a module's code."""
    tree = tree_of(code.co_filename)
    if tree is None:
        return
    body: ast.AST = tree
    if code.co_name != "<module>":
        body = next((node for node in ast.walk(tree) if is_function(node, code)), tree)
    yield from (node for node in ast.walk(body) if isinstance(node, STATEMENTS))


def is_function(node: ast.AST, code: CodeType) -> bool:
    if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) or node.name != code.co_name:
        return False
    return min([node.lineno, *(x.lineno for x in node.decorator_list)]) == code.co_firstlineno


def find(code: CodeType, wanted: Callable[[ast.stmt], bool]) -> Line | None:
    """Returns the line of the first matching statement of a function."""
    statement_ = next((statement for statement in statements(code) if wanted(statement)), None)
    return None if statement_ is None else Line(code.co_filename, statement_.lineno)


def adds_to(name: str) -> Callable[[ast.stmt], bool]:
    """Returns a predicate: whether a statement adds to a variable, as by `name += x` or `name.append(x)`."""

    def adds(statement: ast.stmt) -> bool:
        match statement:
            case ast.AugAssign(target=target):
                return container(target) == name
            case ast.Assign(targets=[ast.Subscript() as target]):
                return container(target) == name
            case ast.Assign(targets=[target], value=value):
                inner = [ast.unparse(node) for node in ast.walk(value) if isinstance(node, ast.Name | ast.Attribute)]
                return ast.unparse(target) == name and name in inner
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=target, attr=method))):
                return method in ADDING and container(target) == name
        return False

    return adds


def container(target: ast.expr) -> str:
    """Returns the variable or attribute that an expression is part of: `log` for `log["loss"][0]`."""
    while isinstance(target, ast.Subscript):
        target = target.value
    return ast.unparse(target)


def assigns(name: str) -> Callable[[ast.stmt], bool]:
    """Returns a predicate: whether a statement assigns a variable or attribute."""

    def does(statement: ast.stmt) -> bool:
        match statement:
            case ast.Assign(targets=targets):
                return any(ast.unparse(target) == name for target in targets)
            case ast.AnnAssign(target=target, value=value):
                return value is not None and ast.unparse(target) == name
        return False

    return does


def attribute_line(kind: type, name: str) -> Line | None:
    """Returns the line in a class's methods that assigns an attribute: `self.name = ...`."""
    for holder in kind.__mro__:
        for method in vars(holder).values():
            code = getattr(method, "__code__", None)
            if code is not None and (result := find(code, assigns(f"self.{name}"))):
                return result
    return None
