"""Reads the program's source: functions, loops and assignments around a line."""

from __future__ import annotations

import ast
import linecache
import re
from collections.abc import Iterator
from importlib import import_module
from types import CodeType

from rushlight.core.origin import Place

WITHIN_STATEMENTS = ("<listcomp>", "<genexpr>", "<setcomp>", "<dictcomp>")  # code of a part of a statement


def function_at(code: CodeType) -> ast.AST | None:
    """Returns the syntax tree of a code object's function, or of the file for a module; None without source."""
    source = import_module("rushlight.explain.watch.source")
    tree = source.tree_of(code.co_filename)
    if tree is None or code.co_name == "<module>":
        return tree
    return next((node for node in ast.walk(tree) if source.is_function(node, code)), None)


def loops_around(place: Place) -> list[ast.For | ast.While]:
    """Returns the loops around a line in its function, outermost first."""
    function = function_at(place.code)
    loops = [node for node in ast.walk(function or ast.Module([], [])) if isinstance(node, ast.For | ast.While)]
    inside = [x for x in loops if x.lineno < place.line <= (x.end_lineno or 0)]
    return sorted(inside, key=lambda x: x.lineno)


def innermost_loop(place: Place) -> ast.For | ast.While | None:
    """Returns the innermost loop around a line in its function."""
    loops = loops_around(place)
    return loops[-1] if loops else None


def is_conditional(place: Place) -> bool:
    """Whether a line is under an `if` of its function."""
    return is_under_if(place.code, place.line)


def is_under_if(code: CodeType, line: int) -> bool:
    nodes = ast.walk(function_at(code) or ast.Module([], []))
    blocks = [x for x in nodes if isinstance(x, ast.If)]
    return any(block.body[0].lineno <= line <= (block.end_lineno or 0) for block in blocks)


def statements_in(code: CodeType) -> Iterator[ast.stmt]:
    """Yields all statements of a function, without those of nested functions."""
    function = function_at(code)
    waiting = [] if function is None else list(ast.iter_child_nodes(function))
    while waiting:
        node = waiting.pop(0)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
            continue
        if isinstance(node, ast.stmt):
            yield node
        waiting += ast.iter_child_nodes(node)


def last_assignment(code: CodeType, name: str, before: int) -> ast.Assign | None:
    """Returns the last statement above a line that assigns a variable or attribute."""
    assignments = [
        statement
        for statement in statements_in(code)
        if isinstance(statement, ast.Assign) and statement.lineno < before and name in targets_of(statement)
    ]
    return max(assignments, key=lambda x: x.lineno, default=None)


def targets_of(statement: ast.stmt) -> list[str]:
    """Returns the variables and attributes that a statement assigns, in source order."""
    match statement:
        case ast.Assign(targets=targets):
            targets_ = targets
        case ast.AugAssign(target=target) | ast.AnnAssign(target=target):
            targets_ = [target]
        case _:
            targets_ = []
    return [name for arg in targets_ for name in names_in_target(arg)]


def names_in_target(target: ast.expr) -> list[str]:
    if isinstance(target, ast.Tuple | ast.List):
        return [name for element in target.elts for name in names_in_target(element)]
    return [ast.unparse(target)] if isinstance(target, ast.Name | ast.Attribute) else []


def names_read(expression: ast.AST) -> list[str]:
    """Returns the variables and attributes that an expression reads."""
    return [ast.unparse(node) for node in ast.walk(expression) if isinstance(node, ast.Name | ast.Attribute)]


def statement_at(code: CodeType, line: int) -> ast.stmt | None:
    """Returns the simple statement of a function that contains a line."""
    statements = statements_in(code)
    if code.co_name in WITHIN_STATEMENTS:
        tree = import_module("rushlight.explain.watch.source").tree_of(code.co_filename)
        statements = (node for node in ast.walk(tree or ast.Pass()) if isinstance(node, ast.stmt))
    candidates = [
        statement
        for statement in statements
        if statement.lineno <= line <= (statement.end_lineno or 0) and not hasattr(statement, "body")
    ]
    return max(candidates, key=lambda x: x.lineno, default=None)


def text_at(file: str, line: int) -> str:
    """Returns the source of a line without indentation and comment."""
    return without_comment(linecache.getline(file, line).strip())


def without_comment(text: str) -> str:
    """Returns a line without the comment at its end.

    >>> without_comment("x = 1  # one")
    'x = 1'
    """
    try:
        return ast.unparse(ast.parse(text)) if "#" in text else text
    except SyntaxError:
        return text


def detached_call(place: Place, method: str) -> str | None:
    """Returns a line's statement with detach() before its only call of `method`; None if there is no such call."""
    statement = statement_at(place.code, place.line)
    changed = None if statement is None else ast.parse(ast.unparse(statement)).body[0]
    calls = [node for node in ast.walk(changed or ast.Pass()) if isinstance(node, ast.Call)]
    calls = [call for call in calls if isinstance(call.func, ast.Attribute) and call.func.attr == method]
    if changed is None or len(calls) != 1 or not isinstance(calls[0].func, ast.Attribute):
        return None
    calls[0].func.value = ast.Call(ast.Attribute(calls[0].func.value, "detach", ast.Load()), [], [])
    return ast.unparse(ast.fix_missing_locations(changed))


def in_parentheses(expression: str) -> str:
    """Puts an expression in parentheses if it needs them before a dot: `(x * 2)`, but `x.exp()`."""
    return expression if re.fullmatch(r"[\w.]*(\([^()]*\))?", expression) else f"({expression})"
